//! `cargo xtask rocm-rs`: rocm-hip's exchange of memory and streams with the crate rocm-rs, built and tested.
//!
//! rocm-rs is built from ROCm's headers and linked to ROCm's libraries. Unless an installation is named, the headers are those of
//! Debian's packages, and the libraries are:
//!
//! | Library | Here |
//! |---|---|
//! | libamdhip64, rocBLAS, MIOpen | the host platform, which exports their functions |
//! | rocRAND | a generator on the CPU for the functions that the example calls, and stubs |
//! | rocFFT, rocSOLVER, rocSPARSE | stubs: each function fails |
//!
//! rocm-rs's build script writes bindings into the crate's own sources. So a copy is built, in a workspace below
//! `target/rocm-rs` whose packages are links to this repository's folders.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;
use tools_common::{cargo, debian, files};

use crate::bindgen;

/// Debian's packages of the headers that rocm-rs includes.
const PACKAGES: &[&str] = &[
    "libamdhip64-dev",
    "librocblas-dev",
    "librocsolver-dev",
    "librocfft-dev",
    "librocsparse-dev",
    "libmiopen-dev",
    "librocrand-dev",
];

/// The libraries that the host platform exports the functions of.
const EXPORTED: [&str; 3] = ["amdhip64", "rocblas", "MIOpen"];

/// The other libraries that rocm-rs links, with the module that binds them and the C file that has some of their functions.
const STUBS: [(&str, &str, Option<&str>); 4] = [
    ("rocrand", "rocrand", Some(include_str!("rocm_rs/rocrand.c"))),
    ("rocfft", "rocfft", None),
    ("rocsolver", "rocsolver", None),
    ("rocsparse", "rocsparse", None),
];

#[derive(Args)]
pub(crate) struct Options {
    /// A ROCm installation with rocFFT, rocRAND, rocSOLVER and rocSPARSE, on whose GPU the tests run [default: Debian's headers,
    /// and the host platform]
    #[arg(long, value_name = "DIR")]
    rocm_path: Option<PathBuf>,
    /// The Debian suite that packages are taken from
    #[arg(long, default_value = "sid", conflicts_with = "rocm_path")]
    suite: String,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    bindgen::find_libclang()?;
    let [root, _] = cargo::workspaces();
    let folder = root.join("target/rocm-rs");
    let source = copy_of_rocm_rs(&root, &folder)?;
    let manifest = make_workspace(&root, &folder, &source)?;
    let (rocm, platform) = match &options.rocm_path {
        Some(path) => (path.clone(), "amd"),
        None => (stand_in(&root, &folder, &source, &options.suite)?, "host"),
    };
    let mut cargo = cargo::command();
    cargo.args(["test", "--quiet", "--manifest-path"]).arg(&manifest);
    cargo.args(["-p", "rocm-hip", "-p", "candle-rocm-examples", "--features", "rocm-rs"]);
    cargo.args(["--test", "rocm_rs", "--example", "rocm_rs"]);
    cargo.env("CARGO_TARGET_DIR", folder.join("target")).env("ROCM_PATH", &rocm);
    cargo.env("LD_LIBRARY_PATH", rocm.join("lib")).env("CANDLE_ROCM_PLATFORM", platform);
    if platform == "host" {
        cargo.env("CANDLE_ROCM_HOST_LIBRARY", rocm.join("lib/libamdhip64.so"));
    }
    let status = cargo.status().context("cargo could not be started")?;
    ensure!(status.success(), "{cargo:?} failed");
    Ok(())
}

/// Copies the sources of the version in Cargo.lock, once.
fn copy_of_rocm_rs(root: &Path, folder: &Path) -> Result<PathBuf> {
    let package = root.join("rocm-hip/Cargo.toml");
    let original = cargo::package_with(&package, &["--features", "rocm-rs"], "rocm-rs")?;
    let copy = folder.join(original.file_name().context("rocm-rs's sources have no folder")?);
    if !copy.exists() {
        let unfinished = folder.join("unfinished");
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished)?;
        }
        copy_folder(&original, &unfinished).with_context(|| format!("copying {}", original.display()))?;
        // Cargo shows no warnings of crates that it downloads; this one has 600.
        let manifest = fs::read_to_string(unfinished.join("Cargo.toml"))?;
        fs::write(unfinished.join("Cargo.toml"), manifest + "\n[lints.rust]\nwarnings = \"allow\"\n")?;
        fs::rename(unfinished, &copy)?;
    }
    Ok(copy)
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// A workspace of links, in which candle has a ROCm device and rocm-rs is the copy. Returns its manifest.
fn make_workspace(root: &Path, folder: &Path, rocm_rs: &Path) -> Result<PathBuf> {
    let workspace = folder.join("workspace");
    fs::create_dir_all(&workspace)?;
    for linked in
        ["candle", "candle-rocm", "code-objects", "platforms", "rocm-hip", "rocm-kernels", "rocm-sys"]
    {
        let link = workspace.join(linked);
        if !link.exists() {
            files::symlink(&root.join(linked).to_string_lossy(), &link)?;
        }
    }
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    let shared = manifest.find("[workspace.package]").context("Cargo.toml has no [workspace.package]")?;
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\n\
         members = [\"rocm-hip\", \"candle-rocm\", \"candle/overlay\", \"candle/examples\"]\n\
         exclude = [\"candle/candle-core\", \"candle/candle-nn\"]\n\n{}\n\
         [patch.crates-io]\n\
         candle-core = {{ path = \"candle/candle-core\" }}\n\
         rocm-rs = {{ path = {rocm_rs:?} }}\n",
        &manifest[shared..]
    );
    // Cargo adds to it what this workspace has and candle's has not.
    fs::copy(root.join("candle/Cargo.lock"), workspace.join("Cargo.lock"))?;
    let file = workspace.join("Cargo.toml");
    if !fs::read_to_string(&file).is_ok_and(|old| old == manifest) {
        fs::write(&file, manifest)?;
    }
    Ok(file)
}

/// A folder like ROCm's: Debian's headers, and the libraries that rocm-rs links.
fn stand_in(root: &Path, folder: &Path, rocm_rs: &Path, suite: &str) -> Result<PathBuf> {
    let rocm = folder.join("rocm");
    let libraries = rocm.join("lib");
    fs::create_dir_all(&libraries)?;
    let headers = debian::unpack(suite, PACKAGES)?.join("usr/include");
    replace_link(&headers.to_string_lossy(), &rocm.join("include"))?;

    let export =
        ["rustc", "--quiet", "-p", "candle-rocm-host", "--features", "export", "--crate-type", "cdylib"];
    let host = cargo::dynamic_library(root, &export)?;
    // Cargo overwrites its own file with one that exports nothing as soon as the tests are built.
    let copy = libraries.join("host.so");
    fs::copy(&host, &copy).with_context(|| format!("{} cannot be copied", host.display()))?;
    for name in EXPORTED {
        replace_link("host.so", &libraries.join(format!("lib{name}.so")))?;
    }
    for (name, module, part) in STUBS {
        make_stubs(&libraries, name, &rocm_rs.join(format!("src/{module}/bindings.rs")), part.unwrap_or(""))?;
    }
    Ok(rocm)
}

fn replace_link(target: &str, link: &Path) -> Result<()> {
    if link.symlink_metadata().is_ok() {
        fs::remove_file(link)?;
    }
    files::symlink(target, link).with_context(|| format!("{} cannot be made", link.display()))
}

/// A library with the functions that rocm-rs binds. Those that `part` does not define return 1, which is a failure in all of these
/// libraries.
fn make_stubs(folder: &Path, name: &str, bindings: &Path, part: &str) -> Result<()> {
    let text = fs::read_to_string(bindings).with_context(|| bindings.display().to_string())?;
    let prefix = format!("{name}_");
    let bound: BTreeSet<&str> = text
        .split("pub fn ")
        .skip(1)
        .filter_map(|rest| rest.split('(').next())
        .filter(|function| function.starts_with(&prefix) && !part.contains(&format!("int {function}(")))
        .collect();
    ensure!(!bound.is_empty(), "{} binds no function of {name}", bindings.display());
    let stubs: String = bound.iter().map(|function| format!("int {function}() {{ return 1; }}\n")).collect();
    let source = folder.join(format!("{name}.c"));
    fs::write(&source, format!("{part}\n{stubs}"))?;
    let library = folder.join(format!("lib{name}.so"));
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&library, &source])
        .status()
        .context("there is no C compiler `cc`")?;
    ensure!(status.success(), "{} could not be made", library.display());
    Ok(())
}
