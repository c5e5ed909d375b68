//! What a user has who starts today: an empty home, the packed crates, and the README.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use tools_common::cargo;

use super::registry::Registry;

/// Looks up all kernels; a program of its own because it must see the packed crates only.
const FINDER: &str = include_str!("newcomer/finder.rs");

const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

pub(super) fn run(root: &Path, registry: &Registry, version: &str) -> Result<()> {
    let folder = root.join("target/xtask/newcomer");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("home"))?;

    let finder = Project::new(&folder, "finder", registry)?;
    finder.write(
        "Cargo.toml",
        &manifest("finder", &format!("[dependencies]\ncandle-rocm-kernels = \"={version}\"\n")),
    )?;
    finder.write("src/main.rs", FINDER)?;
    // Optimised: it decompresses all of a hundred megabytes.
    println!("{}", finder.cargo(&["run", "--release", "--offline"])?.trim_end());

    let readme = fs::read_to_string(root.join("README.md"))?;
    let repository = tagged_copy(root, &folder, version)?;
    let lines = released(block(&readme, "toml")?, version).replace(REPOSITORY, &repository);
    // candle-nn brings the backend; without a card, it needs a feature.
    let host =
        format!("[dependencies]\ncandle-rocm = {{ version = \"{version}\", features = [\"host\"] }}\n");
    let lines = lines.replace("[dependencies]\n", &host);
    ensure!(
        lines.contains(&host) && lines.contains(&repository),
        "README.md's lines for Cargo.toml have changed"
    );
    let first = Project::new(&folder, "first", registry)?;
    first.write("Cargo.toml", &manifest("first", &lines))?;
    first.write("src/main.rs", block(&readme, "rust")?)?;
    // The one thing that is not in the registry is the repository: everything after this is offline.
    first.cargo(&["fetch"])?;
    let began = Instant::now();
    first.cargo(&["build", "--offline"])?;
    let built = began.elapsed().as_secs_f32();
    let began = Instant::now();
    let printed = first.cargo(&["run", "--offline"])?;
    ensure!(
        printed.contains("Tensor[[2, 3], f32, rocm:0]"),
        "the first tensor is not on the device: {printed}"
    );
    println!(
        "README's program: built in {built:.0} s, first tensor after {:.1} s with kernels compiled for this CPU",
        began.elapsed().as_secs_f32()
    );
    Ok(())
}

/// A package outside every workspace.
struct Project {
    folder: PathBuf,
    home: PathBuf,
    crates: PathBuf,
}

impl Project {
    fn new(folder: &Path, name: &str, registry: &Registry) -> Result<Self> {
        let crates = registry.unpacked(".candle-rocm");
        let project = Self { folder: folder.join(name), home: folder.join("home"), crates };
        project.write(".cargo/config.toml", &registry.configuration())?;
        Ok(project)
    }

    fn write(&self, file: &str, text: &str) -> Result<()> {
        let file = self.folder.join(file);
        fs::create_dir_all(file.parent().context("a file has a folder")?)?;
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
    }

    /// Runs cargo there, in an empty home, and returns what the program printed.
    fn cargo(&self, arguments: &[&str]) -> Result<String> {
        let mut cargo = cargo::command();
        cargo
            .args(arguments)
            .arg("--quiet")
            .current_dir(&self.folder)
            .env("CARGO_HOME", self.home.join("cargo"))
            .env("XDG_CACHE_HOME", self.home.join("cache"))
            .env_remove("CANDLE_ROCM_CACHE_DIR")
            .env_remove("CARGO_TARGET_DIR")
            // Where the first build would have fetched the stock crates from crates.io.
            .env("CANDLE_ROCM_CRATES", &self.crates)
            .env("CANDLE_ROCM_PLATFORM", "host");
        cargo::output(&mut cargo)
    }
}

fn manifest(name: &str, lines: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n{lines}")
}

/// A clone in which the last commit has the release's tag; its address.
fn tagged_copy(root: &Path, folder: &Path, version: &str) -> Result<String> {
    let copy = folder.join("repository");
    let git = |arguments: &[&str], place: &Path| -> Result<()> {
        let mut git = Command::new("git");
        git.args(["-c", "safe.directory=*"]).args(arguments).current_dir(place);
        ensure!(git.status().context("git could not be started")?.success(), "{git:?} failed");
        Ok(())
    };
    let from = root.display().to_string();
    git(&["clone", "--quiet", "--no-tags", &from, &copy.display().to_string()], folder)?;
    git(&["tag", &format!("v{version}")], &copy)?;
    Ok(format!("file://{}", copy.display()))
}

/// README's lines as they are from the release on: with its tag instead of the branch, and candle-rocm from the registry.
fn released(lines: &str, version: &str) -> String {
    let tagged = lines.replace("branch = \"main\"", &format!("tag = \"v{version}\""));
    tagged.split_inclusive('\n').filter(|line| !line.starts_with("candle-rocm = { git = ")).collect()
}

/// The first code block of the language.
fn block<'a>(text: &'a str, language: &str) -> Result<&'a str> {
    let start = format!("```{language}\n");
    let block = text.split_once(&start).and_then(|(_, rest)| rest.split_once("```"));
    Ok(block.with_context(|| format!("README.md has no {language} block"))?.0)
}
