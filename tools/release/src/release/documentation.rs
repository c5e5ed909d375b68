//! The documentation, as docs.rs builds it: each packed crate by itself, with its features, without network access. And that of the
//! patched candle, which is on no registry: a page of the release.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use tools_common::cargo;

use super::packages::Crate;
use super::registry::Registry;

pub(super) fn check(root: &Path, candle: &Path, registry: &Registry, crates: &[Crate]) -> Result<()> {
    for krate in crates.iter().filter(|krate| krate.has_library()) {
        let folder = registry.unpacked(&krate.stem());
        let mut doc = cargo::command();
        doc.args([
            "doc",
            "--quiet",
            "--no-deps",
            "--lib",
            "--features",
            &krate.documented_features().join(","),
        ])
        .current_dir(&folder)
        .args(["--config", "source.crates-io.replace-with=\"packed\""])
        .arg("--config")
        .arg(format!("source.packed.directory={:?}", registry.unpacked("")))
        .env("CARGO_TARGET_DIR", root.join("target/xtask/docs"))
        .env("CARGO_NET_OFFLINE", "true")
        // What docs.rs sets.
        .env("DOCS_RS", "1")
        .env("RUSTDOCFLAGS", "--cfg docsrs -D warnings");
        ensure!(
            doc.status().context("cargo could not be started")?.success(),
            "{}: {doc:?} failed",
            krate.name
        );
    }
    patched_candle(candle)?;
    println!("documentation of {} crates and of the patched candle builds", crates.len());
    Ok(())
}

/// Links among candle's own documentation are not ours to mend.
fn patched_candle(candle: &Path) -> Result<()> {
    let mut doc = cargo::command();
    doc.args(["doc", "--quiet", "--no-deps", "--package", "candle-core", "--package", "candle-nn"])
        .current_dir(candle)
        .env("RUSTDOCFLAGS", "--cap-lints allow");
    ensure!(doc.status().context("cargo could not be started")?.success(), "{doc:?} failed");
    Ok(())
}
