//! `cargo xtask check-symbols`: every function that rocm-sys binds exists in the real libraries.
//!
//! The dynamic symbol tables are read; nothing is loaded or run, so neither a GPU nor the libraries' dependencies are needed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use object::{Object, ObjectSymbol};
use rocm_sys::LibraryKind;
use tools_common::debian;

use crate::bindgen;

#[derive(Args)]
pub(crate) struct Options {
    /// A ROCm installation to compare with [default: Debian's packages, downloaded below target/debian]
    #[arg(long, value_name = "DIR")]
    rocm_path: Option<PathBuf>,
    /// The Debian suite that packages are taken from
    #[arg(long, default_value = "sid", conflicts_with = "rocm_path")]
    suite: String,
}

/// Each library: Debian's package of its headers, which depends on that of the library, how this one's name begins, what of it
/// is unpacked (rocBLAS has 4 GB of kernels besides), and what we bind.
const LIBRARIES: &[(LibraryKind, &str, &str, &str, &[&str])] = &[
    (LibraryKind::Hip, "libamdhip64-dev", "libamdhip64-", "*/libamdhip64.so*", rocm_sys::hip::SYMBOLS),
    (LibraryKind::Hiprtc, "libamdhip64-dev", "libhiprtc", "*/libhiprtc.so*", rocm_sys::hiprtc::SYMBOLS),
    (LibraryKind::Comgr, "libamd-comgr-dev", "libamd-comgr", "*/libamd_comgr.so*", rocm_sys::comgr::SYMBOLS),
    (LibraryKind::Rocblas, "librocblas-dev", "librocblas", "*/librocblas.so*", rocm_sys::rocblas::SYMBOLS),
    (LibraryKind::Miopen, "libmiopen-dev", "libmiopen", "*/libMIOpen.so*", rocm_sys::miopen::SYMBOLS),
    (LibraryKind::Rccl, "librccl-dev", "librccl", "*/librccl.so*", rocm_sys::rccl::SYMBOLS),
];

pub(crate) fn run(options: Options) -> Result<()> {
    let mut missing = Vec::new();
    for &(kind, headers, prefix, files, bound) in LIBRARIES {
        let folder = match &options.rocm_path {
            Some(path) => path.join("lib"),
            None => {
                let package = debian::dependency_of(&options.suite, headers, prefix)?;
                debian::unpack_only(&options.suite, &package, files)?.join("usr/lib/x86_64-linux-gnu")
            }
        };
        let file = kind
            .sonames()
            .iter()
            .map(|name| folder.join(name))
            .find(|path| path.exists())
            .with_context(|| format!("{} has no {}", folder.display(), kind.sonames().join(", ")))?;
        let exported = exported_functions(&file)?;
        let lacking: Vec<&str> = bound.iter().copied().filter(|name| !exported.contains(*name)).collect();
        println!(
            "{:22} {:4} of {:4} bound functions, {} exported",
            file.file_name().unwrap_or_default().to_string_lossy(),
            bound.len() - lacking.len(),
            bound.len(),
            exported.len()
        );
        for name in lacking.iter().filter(|name| bindgen::known_change(name).is_some()) {
            println!("  {name}: {}", bindgen::known_change(name).unwrap_or_default());
        }
        let exported_now = bindgen::UNBOUND.iter().filter(|unbound| unbound.not_exported);
        for unbound in exported_now.filter(|unbound| exported.contains(unbound.name)) {
            let (name, file) = (unbound.name, file.display());
            match is_of_bindings(&file.to_string()) {
                true => missing.push(format!("{name} is exported by {file}: bind it")),
                false => println!("  {name}: exported by this release; bind it with the next bindings"),
            }
        }
        let harmful = lacking.into_iter().filter(|name| bindgen::known_change(name).is_none());
        missing.extend(harmful.map(|name| format!("{name} is not in {}", file.display())));
    }
    for unbound in bindgen::UNBOUND {
        println!("not bound: {} ({})", unbound.name, unbound.reason);
    }
    ensure!(missing.is_empty(), "the bindings and the libraries differ:\n{}", missing.join("\n"));
    Ok(())
}

/// Whether a HIP library is of the version whose headers the bindings were made from.
fn is_of_bindings(file: &str) -> bool {
    file.ends_with(&format!(".so.{}", rocm_sys::hip::HIP_VERSION_MAJOR))
}

/// The names that a shared library defines for others.
fn exported_functions(path: &Path) -> Result<BTreeSet<String>> {
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    let elf = object::File::parse(&*bytes).with_context(|| format!("{} is no library", path.display()))?;
    let symbols = elf.dynamic_symbols().filter(|symbol| symbol.is_definition() && symbol.is_global());
    Ok(symbols.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect())
}
