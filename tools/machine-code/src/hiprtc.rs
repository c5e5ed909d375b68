//! Kernels for the gfx platform by a real hiprtc, which needs no card.
//!
//! Debian's newest needs a newer C library than most systems have. So it is called by this program, started a second time by the
//! loader that comes with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use rocm_kernels::Compiler as _;
use rocm_sys::Search;
use rocm_sys::hiprtc::Hiprtc;
use tools_common::{debian, files, root};

/// Debian's suite with the newest ROCm, and the packages of hiprtc without the number of their ABI. It opens the other two itself.
const SUITE: &str = "experimental";
const PACKAGES: [&str; 3] = ["libhiprtc", "libhiprtc-builtins", "libamd-comgr"];

/// Compiles one program; what the gfx platform starts.
#[derive(Args)]
pub(crate) struct Options {
    /// libhiprtc.so, or the folder of a ROCm.
    library: PathBuf,
    source: PathBuf,
    /// The folder of the headers.
    headers: PathBuf,
    object: PathBuf,
    #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
    options: Vec<String>,
}

/// A program that compiles for the gfx platform: `debian` for Debian's newest hiprtc, or the path of a library or of a ROCm.
pub(crate) fn program(hiprtc: &str) -> Result<PathBuf> {
    let this = std::env::current_exe()?;
    let (loader, library, versions) = match hiprtc {
        "debian" => {
            let root = debian()?;
            let libraries = root.folder.join("usr/lib/x86_64-linux-gnu");
            let loader = root.folder.join("usr/lib64/ld-linux-x86-64.so.2");
            let loader = format!("{} --library-path {} ", loader.display(), libraries.display());
            (loader, libraries, root.versions.join(" "))
        }
        path => {
            let path = fs::canonicalize(path).with_context(|| format!("no hiprtc at {path}"))?;
            (String::new(), path, String::new())
        }
    };
    // The platform's cache tells compilers apart by this text.
    let script = format!(
        "#!/bin/sh\n# {versions}\nexec {loader}{} hiprtc {} \"$@\"\n",
        this.display(),
        library.display()
    );
    let folder = root().join("target/xtask");
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be created", folder.display()))?;
    let file = folder.join("hiprtc");
    fs::write(&file, script).with_context(|| format!("{} cannot be written", file.display()))?;
    files::make_executable(&file)?;
    Ok(file)
}

/// Debian's newest hiprtc, with all that it needs.
fn debian() -> Result<debian::Unpacked> {
    let packages: Vec<String> =
        PACKAGES.iter().map(|package| debian::newest_of(SUITE, package)).collect::<Result<_>>()?;
    debian::unpack_with_dependencies(SUITE, &packages)
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let hiprtc = Hiprtc::open(&Search::at(&options.library))?;
    let name = options.source.file_stem().unwrap_or_default().to_string_lossy();
    let mut headers = Vec::new();
    read_headers(&options.headers, "", &mut headers)?;
    let headers: Vec<_> = headers.iter().map(|(name, text)| (&**name, &**text)).collect();
    let source = fs::read_to_string(&options.source)?;
    match hiprtc.compile(&name, &source, &headers, &options.options, "") {
        Ok(code) => {
            fs::write(&options.object, code)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            println!("{error}");
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Headers by the names that sources include them by.
fn read_headers(folder: &Path, prefix: &str, headers: &mut Vec<(String, String)>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        match path.is_dir() {
            true => read_headers(&path, &format!("{name}/"), headers)?,
            false => headers.push((name, fs::read_to_string(&path)?)),
        }
    }
    Ok(())
}
