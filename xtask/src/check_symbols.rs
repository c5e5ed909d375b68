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

use crate::{bindgen, debian};

#[derive(Args)]
pub(crate) struct Options {
    /// A ROCm installation to compare with [default: Debian sid's packages, downloaded below target/debian]
    #[arg(long, value_name = "DIR")]
    rocm_path: Option<PathBuf>,
}

/// The Debian package of each library, and what of it is unpacked: librocblas4 has 4 GB of kernels besides.
const LIBRARIES: &[(LibraryKind, &str, &str, &[&str])] = &[
    (LibraryKind::Hip, "libamdhip64-6", "*/libamdhip64.so*", rocm_sys::hip::SYMBOLS),
    (LibraryKind::Hiprtc, "libhiprtc6", "*/libhiprtc.so*", rocm_sys::hiprtc::SYMBOLS),
    (LibraryKind::Rocblas, "librocblas4", "*/librocblas.so*", rocm_sys::rocblas::SYMBOLS),
    (LibraryKind::Miopen, "libmiopen1", "*/libMIOpen.so*", rocm_sys::miopen::SYMBOLS),
];

pub(crate) fn run(options: Options) -> Result<()> {
    let mut missing = Vec::new();
    for &(kind, package, files, bound) in LIBRARIES {
        let folder = match &options.rocm_path {
            Some(path) => path.join("lib"),
            None => debian::unpack_only("sid", package, files)?.join("usr/lib/x86_64-linux-gnu"),
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
        for name in
            bindgen::UNBOUND.iter().filter(|unbound| unbound.not_exported && exported.contains(unbound.name))
        {
            missing.push(format!("{} is exported by {}: bind it", name.name, file.display()));
        }
        missing.extend(lacking.into_iter().map(|name| format!("{name} is not in {}", file.display())));
    }
    for unbound in bindgen::UNBOUND {
        println!("not bound: {} ({})", unbound.name, unbound.reason);
    }
    ensure!(missing.is_empty(), "the bindings and the libraries differ:\n{}", missing.join("\n"));
    Ok(())
}

/// The names that a shared library defines for others.
fn exported_functions(path: &Path) -> Result<BTreeSet<String>> {
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    let elf = object::File::parse(&*bytes).with_context(|| format!("{} is no library", path.display()))?;
    let symbols = elf.dynamic_symbols().filter(|symbol| symbol.is_definition() && symbol.is_global());
    Ok(symbols.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect())
}
