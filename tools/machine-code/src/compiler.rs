//! Kernels for the gfx platform by a real hiprtc or comgr, which need no card.
//!
//! Debian's newest need a newer C library than most systems have. So they are called by this program, started a second time by the
//! loader that comes with them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use rocm_kernels::{Compiler, Program};
use rocm_sys::Search;
use rocm_sys::hiprtc::Hiprtc;
use tools_common::{debian, files, root};

/// Debian's suite with the newest ROCm.
const SUITE: &str = "experimental";

/// Which library compiles.
#[derive(Clone, Copy)]
pub(crate) enum Library {
    Hiprtc,
    Comgr,
}

impl Library {
    fn name(self) -> &'static str {
        match self {
            Self::Hiprtc => "hiprtc",
            Self::Comgr => "comgr",
        }
    }

    /// What this program is asked to do with it.
    fn task(self) -> &'static str {
        match self {
            Self::Hiprtc => "compile",
            Self::Comgr => "comgr",
        }
    }

    /// Debian's packages without the number of their ABI. hiprtc opens the other two itself.
    fn packages(self) -> &'static [&'static str] {
        match self {
            Self::Hiprtc => &["libhiprtc", "libhiprtc-builtins", "libamd-comgr"],
            Self::Comgr => &["libamd-comgr"],
        }
    }
}

/// Compiles one program with hiprtc; what the gfx platform starts.
#[derive(Args)]
pub(crate) struct Options {
    /// The library, or the folder of a ROCm.
    library: PathBuf,
    source: PathBuf,
    /// The folder of the headers.
    headers: PathBuf,
    object: PathBuf,
    #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
    options: Vec<String>,
}

/// A program that compiles for the gfx platform: from `debian` for Debian's newest, or from the path of a library or of a ROCm.
pub(crate) fn program(by: Library, from: &str) -> Result<PathBuf> {
    let this = std::env::current_exe()?;
    let (loader, library, versions) = match from {
        "debian" => {
            let root = debian(by)?;
            let libraries = root.folder.join("usr/lib/x86_64-linux-gnu");
            let loader = root.folder.join("usr/lib64/ld-linux-x86-64.so.2");
            let loader = format!("{} --library-path {} ", loader.display(), libraries.display());
            (loader, libraries, root.versions.join(" "))
        }
        path => {
            let path = fs::canonicalize(path).with_context(|| format!("no {} at {path}", by.name()))?;
            (String::new(), path, String::new())
        }
    };
    // The platform's cache tells compilers apart by this text.
    let script = format!(
        "#!/bin/sh\n# {versions}\nexec {loader}{} {} {} \"$@\"\n",
        this.display(),
        by.task(),
        library.display()
    );
    let folder = root().join("target/xtask");
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be created", folder.display()))?;
    let file = folder.join(by.name());
    fs::write(&file, script).with_context(|| format!("{} cannot be written", file.display()))?;
    files::make_executable(&file)?;
    Ok(file)
}

/// Debian's newest, with all that it needs.
fn debian(by: Library) -> Result<debian::Unpacked> {
    let names = by.packages().iter();
    let packages: Vec<String> =
        names.map(|package| debian::newest_of(SUITE, package)).collect::<Result<_>>()?;
    debian::unpack_with_dependencies(SUITE, &packages)
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let hiprtc = Hiprtc::open(&Search::at(&options.library))?;
    let name = options.source.file_stem().unwrap_or_default().to_string_lossy();
    let mut headers = Vec::new();
    read_headers(&options.headers, "", &mut headers)?;
    let headers: Vec<_> = headers.iter().map(|(name, text)| (&**name, &**text)).collect();
    let source = fs::read_to_string(&options.source)?;
    let options_of_compiler: Vec<&str> = options.options.iter().map(String::as_str).collect();
    let program = Program { name: &name, source: &source, headers: &headers, options: &options_of_compiler };
    // The processor is among the options.
    match hiprtc.compile(&program, "") {
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
