//! With the feature `link`: tells the linker which of ROCm's libraries to bind. Nothing else happens at build time.

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for name in ["ROCM_PATH", "HIP_PATH"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    let feature = |name: &str| env::var_os(format!("CARGO_FEATURE_{name}")).is_some();
    if !feature("LINK") {
        return;
    }

    let named = ["ROCM_PATH", "HIP_PATH"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    let installations: Vec<PathBuf> = named.chain([PathBuf::from("/opt/rocm")]).collect();
    let folders: Vec<PathBuf> = installations
        .iter()
        .flat_map(|path| [path.join("lib"), path.join("lib64")])
        .filter(|path| path.is_dir())
        .collect();
    for folder in &folders {
        println!("cargo:rustc-link-search=native={}", folder.display());
    }

    println!("cargo:rustc-link-lib=dylib=amdhip64");
    // Before ROCm 5.3, hiprtc is part of libamdhip64.
    let has = |file: &str| folders.iter().any(|folder: &PathBuf| Path::new(folder).join(file).exists());
    let old = has("libamdhip64.so") && !has("libhiprtc.so");
    for (name, library, wanted) in
        [("HIPRTC", "hiprtc", !old), ("ROCBLAS", "rocblas", true), ("MIOPEN", "MIOpen", true)]
    {
        if feature(name) && wanted {
            println!("cargo:rustc-link-lib=dylib={library}");
        }
    }
}
