//! Packages that need no build script to make their sources.

use std::path::Path;

use super::{joined, read_text, sync};
use crate::{Error, Places, Tree, patched};

/// Only the metadata by which candle-rocm knows the seam.
const BUILD_SCRIPT: &str = r#"fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::metadata=version=1");
    println!("cargo::metadata=source={}", std::env::var("CARGO_MANIFEST_DIR").unwrap());
}
"#;

/// Writes the package as a plain one.
pub(super) fn write(places: &Places, package: &Path, folder: &Path) -> Result<(), Error> {
    let is_empty = std::fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    if !is_empty && !folder.join("Cargo.toml").is_file() {
        return Err(Error::new(format!(
            "{} is neither empty nor a package that this command wrote",
            folder.display()
        )));
    }
    let tree = tree(places, package)?;
    sync(&tree, folder)?;
    println!("{}: {} files", folder.display(), tree.len());
    Ok(())
}

fn tree(places: &Places, package: &Path) -> Result<Tree, Error> {
    let mut tree = patched(places, package)?;
    let file = package.join("src/lib.rs");
    let lib = tree.get(Path::new("src/lib.rs")).map(|theirs| String::from_utf8_lossy(theirs));
    let lib = joined::join(&read_text(&file)?, &lib.unwrap_or_default());
    let lib =
        lib.ok_or_else(|| Error::new(format!("{} does not end in the include! line", file.display())))?;
    tree.insert("src/lib.rs".into(), lib.into());
    tree.insert("Cargo.toml".into(), manifest(package)?.into());
    tree.insert("build.rs".into(), BUILD_SCRIPT.into());
    Ok(tree)
}

/// The package's manifest without what the build script needed.
pub(super) fn manifest(package: &Path) -> Result<String, Error> {
    let file = package.join("Cargo.toml");
    let manifest = read_text(&file)?;
    let parts = manifest.split_once("[build-dependencies]\n");
    let parts = parts.and_then(|(before, rest)| Some((before, rest.split_once("\n\n")?.1)));
    let (before, after) =
        parts.ok_or_else(|| Error::new(format!("{} has no [build-dependencies]", file.display())))?;
    Ok(format!("{before}{after}"))
}
