//! `cargo xtask overlay`: candle's sources with a ROCm device, as files, for builds that cannot fetch them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use candle_rocm_overlay::{Tree, patched, stock, sync};
use clap::Args;

const PACKAGES: [&str; 2] = ["candle-core", "candle-nn"];

/// The build script of a written package: only the metadata by which candle-rocm knows the seam.
const BUILD_SCRIPT: &str = r#"fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::metadata=version=1");
    println!("cargo::metadata=gen={}", std::env::var("CARGO_MANIFEST_DIR").unwrap());
}
"#;

#[derive(Args)]
pub(crate) struct Options {
    /// Write the patched candle-core and candle-nn into this folder, ready for [patch.crates-io].
    #[arg(long, value_name = "DIR", required_unless_present = "record")]
    out: Option<PathBuf>,
    /// Write candle/*/seam.patch and candle/*/added anew from the files in candle/*/gen, which you have edited.
    #[arg(long, conflicts_with = "out")]
    record: bool,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let candle = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("candle");
    for package in PACKAGES {
        match &options.out {
            Some(out) => write(&candle.join(package), &out.join(package))?,
            None => record(&candle.join(package))?,
        }
    }
    if let Some(out) = &options.out {
        let out = std::path::absolute(out)?;
        println!("Add to the Cargo.toml of your workspace:\n\n[patch.crates-io]");
        for package in PACKAGES {
            println!("{package} = {{ path = {:?} }}", out.join(package));
        }
    }
    Ok(())
}

fn write(package: &Path, out: &Path) -> Result<()> {
    let mut tree = patched(package)?;
    let manifest = std::fs::read_to_string(package.join("Cargo.toml"))?;
    tree.insert("Cargo.toml".into(), plain_manifest(&manifest)?.into_bytes());
    tree.insert("build.rs".into(), BUILD_SCRIPT.into());
    if out.is_dir() && !out.join("Cargo.toml").is_file() && std::fs::read_dir(out)?.next().is_some() {
        bail!("{} is neither empty nor a package that this command wrote", out.display());
    }
    sync(&tree, out)?;
    println!("{}: {} files", out.display(), tree.len());
    Ok(())
}

/// The overlay's manifest for a package whose sources are there already.
fn plain_manifest(manifest: &str) -> Result<String> {
    let (before, rest) = manifest.split_once("[build-dependencies]\n").context("no [build-dependencies]")?;
    let (_, after) = rest.split_once("\n\n").context("nothing after [build-dependencies]")?;
    let manifest = format!("{before}{after}");
    anyhow::ensure!(manifest.contains("\"gen/src/lib.rs\""), "the library is not gen/src/lib.rs");
    Ok(manifest.replace("\"gen/src/lib.rs\"", "\"src/lib.rs\""))
}

/// What differs between the stock crate and `gen/` becomes the patch; files that the crate does not have become `added/`.
fn record(package: &Path) -> Result<()> {
    let stock = stock(package)?;
    let generated = files(&package.join("gen"))?;
    let mut added = Tree::new();
    let mut patch = String::new();
    for (path, bytes) in generated {
        match stock.get(&path) {
            Some(stock) if *stock == bytes => {}
            Some(stock) => patch.push_str(&difference(&path, stock, &bytes)?),
            None => {
                added.insert(path, bytes);
            }
        }
    }
    std::fs::write(package.join("seam.patch"), patch)?;
    sync(&added, &package.join("added"))?;
    println!("{}: recorded; {} files of our own", package.display(), added.len());
    Ok(())
}

/// All files but the stamp.
fn files(root: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in
            std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?
        {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|name| name != ".stamp") {
                files.insert(path.strip_prefix(root)?.to_owned(), std::fs::read(&path)?);
            }
        }
    }
    Ok(files)
}

/// A diff without context, so that it holds our lines and nothing else.
fn difference(path: &Path, stock: &[u8], ours: &[u8]) -> Result<String> {
    let folder = std::env::temp_dir().join(format!("candle-rocm-record-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let (old, new) = (folder.join("old"), folder.join("new"));
    std::fs::write(&old, stock)?;
    std::fs::write(&new, ours)?;
    let output = Command::new("git")
        .args(["diff", "--no-index", "--no-color", "--unified=0"])
        .args([&old, &new])
        .output()
        .context("git could not be started")?;
    std::fs::remove_dir_all(&folder)?;
    let text = String::from_utf8(output.stdout)?;
    let mut patch = format!("--- a/{0}\n+++ b/{0}\n", path.display());
    for line in text.lines().skip_while(|line| !line.starts_with("@@ ")) {
        // After the second @@ git quotes the function around the hunk.
        let end = line.strip_prefix("@@ ").and_then(|rest| rest.find(" @@")).map_or(line.len(), |at| at + 6);
        patch.push_str(&line[..end]);
        patch.push('\n');
    }
    Ok(patch)
}
