//! With the feature `link`: tells the linker which ROCm libraries to link. Does nothing otherwise.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "src/roots.rs"]
#[allow(dead_code, unreachable_pub, reason = "the library uses and exports the rest")]
mod roots;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if feature("LINK") {
        println!("cargo:rerun-if-changed=src/roots.rs");
        for name in ["ROCM_PATH", "HIP_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"] {
            println!("cargo:rerun-if-env-changed={name}");
        }
        link();
    }
}

fn feature(name: &str) -> bool {
    env::var_os(format!("CARGO_FEATURE_{name}")).is_some()
}

fn link() {
    let roots = roots::all();
    let folders: Vec<PathBuf> = roots::to_link(&roots, system())
        .into_iter()
        .flat_map(|root| root.library_folders(system()))
        .collect();
    let mut libraries = vec!["amdhip64"];
    // Before ROCm 5.3, hiprtc was part of libamdhip64.
    let has = |name: &str| find(&folders, name).is_some();
    let in_hip = has("amdhip64") && !has("hiprtc");
    for (name, library, wanted) in [
        ("HIPRTC", "hiprtc", !in_hip),
        ("COMGR", "amd_comgr", true),
        ("ROCBLAS", "rocblas", true),
        ("MIOPEN", "MIOpen", true),
        ("RCCL", "rccl", true),
    ] {
        if feature(name) && wanted {
            libraries.push(library);
        }
    }
    for library in libraries {
        if let Some(folder) = find(&folders, library).and_then(|file| folder_to_link(&file, library)) {
            println!("cargo:rustc-link-search=native={}", folder.display());
        }
        println!("cargo:rustc-link-lib=dylib={library}");
    }
}

/// That which is built for.
fn system() -> roots::System {
    match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("windows") => roots::System::Windows,
        _ => roots::System::Linux,
    }
}

/// `NAME.lib` on Windows, else `libNAME.so`, or else the file with the highest version.
fn find(folders: &[PathBuf], name: &str) -> Option<PathBuf> {
    if system() == roots::System::Windows {
        let libraries = folders.iter().map(|folder| folder.join(format!("{name}.lib")));
        return libraries.into_iter().find(|file| file.is_file());
    }
    let stem = format!("lib{name}.so");
    folders.iter().find_map(|folder| {
        let files = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        let version = |file: &PathBuf| {
            let rest = file.file_name()?.to_str()?.strip_prefix(&stem)?.to_owned();
            if rest.is_empty() { Some(u32::MAX) } else { rest.strip_prefix('.')?.parse().ok() }
        };
        files.filter(|file| version(file).is_some()).max_by_key(version)
    })
}

/// The folder in which the linker finds `libNAME.so`. Wheels only have versioned names, so a link is made in OUT_DIR.
fn folder_to_link(file: &Path, name: &str) -> Option<PathBuf> {
    if system() == roots::System::Windows {
        return file.parent().map(Path::to_owned);
    }
    let plain = format!("lib{name}.so");
    if file.file_name()? == plain.as_str() {
        return file.parent().map(Path::to_owned);
    }
    let folder = PathBuf::from(env::var_os("OUT_DIR")?);
    let link = folder.join(plain);
    let _ = fs::remove_file(&link);
    symlink(file, &link).then_some(folder)
}

#[cfg(unix)]
fn symlink(file: &Path, link: &Path) -> bool {
    std::os::unix::fs::symlink(file, link).is_ok()
}

#[cfg(not(unix))]
fn symlink(file: &Path, link: &Path) -> bool {
    fs::copy(file, link).is_ok()
}
