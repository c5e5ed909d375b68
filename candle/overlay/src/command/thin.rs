//! The repository's packages, whose sources a build script generates.

use std::path::PathBuf;

use toml::{Table, Value};

use crate::{Error, PackageOptions, Seam, SearchPath, Stock, Tree, manifest, packages, sources};

/// A package's folder, relative to that of the candle workspace.
pub(super) fn folder(seam: &Seam, stock: &Stock) -> Result<PathBuf, Error> {
    Ok(match seam.base(&stock.name)?.version == stock.version {
        true => PathBuf::from(&stock.name),
        false => ["versions", &stock.version, &stock.name].iter().collect(),
    })
}

/// A package's files.
pub(super) fn package(search_path: &SearchPath, seam: &Seam, stock: &Stock) -> Result<Tree, Error> {
    let stock_manifest = packages::stock_manifest(&sources(search_path, stock)?);
    let mut manifest = manifest::manifest(stock, &stock_manifest, &PackageOptions::default())?;
    let parents = "../".repeat(folder(seam, stock)?.iter().count());
    let mut overlay = Table::new();
    overlay.insert("path".into(), format!("{parents}overlay").into());
    overlay.insert("default-features".into(), false.into());
    let dependencies = Table::from_iter([("candle-rocm-overlay".to_owned(), Value::from(overlay))]);
    manifest.insert("build-dependencies".into(), dependencies.into());
    Ok(Tree::from([
        ("Cargo.toml".into(), manifest::text(manifest).into()),
        ("build.rs".into(), BUILD_SCRIPT.into()),
        ("src/lib.rs".into(), (seam.lib(stock)? + INCLUDE).into()),
    ]))
}

const BUILD_SCRIPT: &str = "fn main() {\n    candle_rocm_overlay::build_script();\n}\n";

const INCLUDE: &str = "include!(concat!(env!(\"OUT_DIR\"), \"/patched/src/lib.rs\"));\n";
