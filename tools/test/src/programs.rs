//! `cargo xtask programs`: tests programs that others wrote, as crates.io has them, on this machine's platform. Each package in
//! candle/programs is a workspace of its own, since what they depend on conflicts; docs/book/src/programs.md says what they do.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, ExitCode};
use std::{fs, io};

use anyhow::{Context, Result, ensure};
use tools_common::platform::{default_platform, fixed_choices};
use tools_common::summary::Summary;
use tools_common::{cargo, root};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The programs, by their folders in candle/programs [default: all].
    names: Vec<String>,
    /// Only list them.
    #[arg(long, conflicts_with = "names")]
    list: bool,
    /// The platform: amd or host [default: amd if there is a card, else host]
    #[arg(long)]
    platform: Option<String>,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let folder = root().join("candle/programs");
    let all = all(&folder)?;
    if options.list {
        all.iter().for_each(|name| println!("{name}"));
        return Ok(ExitCode::SUCCESS);
    }
    let unknown = options.names.iter().find(|name| !all.contains(*name));
    ensure!(
        unknown.is_none(),
        "candle/programs has no `{}`, but {all:?}",
        unknown.map_or("", String::as_str)
    );
    let names = if options.names.is_empty() { all } else { options.names.iter().cloned().collect() };

    let platform = match &options.platform {
        Some(platform) => platform,
        None => default_platform(),
    };
    let (mut summary, mut success) = (Summary::default(), true);
    for name in &names {
        println!("\n=== {name}");
        let mut cargo = cargo::command();
        // Its folder has a .cargo/config.toml above it, which says where all are built.
        cargo.arg("test").arg("--no-fail-fast").current_dir(folder.join(name));
        cargo.env("CANDLE_ROCM_PLATFORM", platform).envs(fixed_choices());
        cargo.envs([("CARGO_TERM_COLOR", "never"), ("CARGO_TERM_QUIET", "false")]);
        // The other workspace's, which started this program.
        cargo.env_remove("CARGO_TARGET_DIR");
        let mut one = Summary::default();
        let passed =
            one.run(cargo, io::stdout(), Child::wait).context("cargo could not be started")?.success();
        ensure!(one.passed > 0 || !passed, "{name}: no test ran");
        success &= passed;
        summary.add(one);
    }
    println!("\n{} on the {platform} platform:\n{summary}", Vec::from_iter(names).join(", "));
    Ok(if success { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The programs: packages that have tests.
fn all(folder: &Path) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        if entry.path().join("tests").is_dir() {
            names.insert(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workflow_and_the_page_have_all() {
        let all = Vec::from_iter(all(&root().join("candle/programs")).unwrap());
        let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
        let list = format!("program: [{}]", all.join(", "));
        assert!(read(".github/workflows/ci.yml").contains(&list), "no `{list}`");
        let page = read("docs/book/src/programs.md");
        for name in all {
            assert!(page.contains(&format!("/candle/programs/{name}")), "no link to {name}");
        }
    }
}
