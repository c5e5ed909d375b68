//! The packages' manifests, made of the stock crates'.

use toml::{Table, Value};

use crate::options::PackageOptions;
use crate::stock::Stock;
use crate::{CRATES, Error};

/// The manifest of a package with the stock crate's dependencies and features. candle-nn depends on candle-rocm, too, without a path:
/// whoever else depends on it shall mean the same one, which is that of crates.io unless it is patched.
pub(crate) fn manifest(stock: &Stock, text: &str, options: &PackageOptions) -> Result<Table, Error> {
    let malformed =
        |what: &str| Error::new(format!("the manifest of {} {}: {what}", stock.name, stock.version));
    let theirs: Table = text.parse().map_err(|error: toml::de::Error| malformed(&error.to_string()))?;
    let mut ours = Table::new();
    for key in ["dependencies", "features", "target"] {
        if let Some(value) = theirs.get(key) {
            ours.insert(key.into(), value.clone());
        }
    }
    let package = theirs.get("package").and_then(Value::as_table);
    let mut package = package.ok_or_else(|| malformed("it has no [package]"))?.clone();
    package.retain(|key, _| ["name", "version", "edition", "license", "rust-version"].contains(&key));
    let is_core = stock.name == CRATES[0];
    let set = |table: &mut Table, key: &str, value: Value| table.insert(key.into(), value);
    set(&mut package, "description", format!("{} {} with a ROCm device", stock.name, stock.version).into());
    set(&mut package, "publish", false.into());
    set(&mut package, "build", "build.rs".into());
    set(&mut package, "links", if is_core { "candle_rocm_seam" } else { "candle_rocm_seam_nn" }.into());
    for targets in ["autobins", "autoexamples", "autotests", "autobenches"] {
        set(&mut package, targets, false.into());
    }
    let mut lib = Table::new();
    set(&mut lib, "name", stock.name.replace('-', "_").into());
    for what in ["test", "doctest", "bench"] {
        set(&mut lib, what, false.into());
    }
    ours.insert("package".into(), package.into());
    ours.insert("lib".into(), lib.into());
    let rocm: Vec<Value> = if is_core { Vec::new() } else { vec!["candle/rocm".into()] };
    table(&mut ours, "features").insert("rocm".into(), rocm.into());
    if !is_core {
        backend(&mut ours, options);
    }
    Ok(ours)
}

/// The dependency on candle-rocm, with its default features.
fn backend(manifest: &mut Table, options: &PackageOptions) {
    let mut dependency = Table::new();
    dependency.insert("version".into(), env!("CARGO_PKG_VERSION").into());
    dependency.insert("default-features".into(), false.into());
    if !options.candle_rocm_features.is_empty() {
        dependency.insert("features".into(), options.candle_rocm_features.clone().into());
    }
    let target = table(table(manifest, "target"), "cfg(not(target_arch = \"wasm32\"))");
    table(target, "dependencies").insert("candle-rocm".into(), dependency.into());
    let features = table(manifest, "features");
    let default = features.entry("default").or_insert_with(|| Vec::<Value>::new().into());
    if let Value::Array(default) = default {
        default.push("candle-rocm/default".into());
    }
}

/// The table in a table, which is made if there is none.
fn table<'a>(parent: &'a mut Table, key: &str) -> &'a mut Table {
    let value = parent.entry(key).or_insert_with(|| Table::new().into());
    if !value.is_table() {
        *value = Table::new().into();
    }
    value.as_table_mut().expect("made just now")
}

/// The text of a manifest, with `[package]` first.
pub(crate) fn text(mut manifest: Table) -> String {
    let mut first = Table::new();
    if let Some((key, package)) = manifest.remove_entry("package") {
        first.insert(key, package);
    }
    format!("{HEAD}\n{first}\n{manifest}")
}

const HEAD: &str =
    "# The dependencies and features are those of the stock crate. Made by candle-rocm-overlay.\n";
