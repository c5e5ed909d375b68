//! The sources of candle-kernels and ours, preprocessed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use rocm_kernels::Module;

use super::entry_points::{self, EntryPoint};
use crate::cargo;

/// The release of candle-kernels that we mirror.
pub(crate) const VERSION: &str = "0.11.1";

/// On the host platform, `__global__` is not a macro; on a GPU, it may be.
const OUR_DEFINES: [&str; 2] = ["-DCANDLE_ROCM_HOST_PLATFORM", "-DWAVE=32"];

/// candle-kernels' source in cargo's registry.
pub(crate) struct Candle {
    folder: PathBuf,
}

impl Candle {
    /// Lets cargo find it, and download it if necessary.
    pub(crate) fn find() -> Result<Self> {
        let project = scratch("candle-kernels")?;
        let manifest = project.join("Cargo.toml");
        let text = format!(
            "# Written by `cargo xtask parity`, so that cargo fetches this source; never built.\n\
             [package]\nname = \"candle-kernels-source\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
             [lib]\npath = \"lib.rs\"\n[dependencies]\ncandle-kernels = \"={VERSION}\"\n[workspace]\n"
        );
        write_if_new(&manifest, &text)?;
        write_if_new(&project.join("lib.rs"), "")?;
        let folder = cargo::package(&manifest, "candle-kernels")?.join("src");
        if !folder.join("affine.cu").is_file() {
            bail!("{} holds no affine.cu: the registry's copy is damaged", folder.display());
        }
        Ok(Self { folder })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn entry_points(&self, module: &str) -> Result<Vec<EntryPoint>> {
        // The newest architecture, which has the kernels of every type.
        let defines = ["-D__CUDACC__", "-D__CUDA_ARCH__=900"];
        let text = preprocess(&self.folder, &format!("{module}.cu"), &defines)?;
        Ok(entry_points::parse(&text))
    }
}

/// The source folder of the candle-core that the workspace is built with.
pub(crate) fn candle_core() -> Result<PathBuf> {
    Ok(cargo::package(&workspace().join("Cargo.toml"), "candle-core")?.join("src"))
}

/// Our kernels for one of candle's modules, which may be split into several of ours: `conv` into `conv` and `conv_pool`.
pub(crate) fn ours(module: &str) -> Result<Vec<EntryPoint>> {
    let mut entry_points = Vec::new();
    for part in rocm_kernels::ALL.iter().filter(|part| belongs(part.name, module)) {
        entry_points.extend(kernels_of(part)?);
    }
    Ok(entry_points)
}

/// The kernels of one of our modules.
pub(crate) fn kernels_of(module: &Module) -> Result<Vec<EntryPoint>> {
    let folder = workspace().join("rocm-kernels/hip");
    let file = format!("{}/{}.hip", module.family, module.name);
    let text = preprocess(&folder, &file, &OUR_DEFINES)?;
    Ok(entry_points::parse(&text))
}

/// Whether our module of this name implements kernels of candle's module.
fn belongs(ours: &str, module: &str) -> bool {
    ours.strip_prefix(module).is_some_and(|part| part.is_empty() || part.starts_with('_'))
}

/// The preprocessed file. `folder` is the include path.
fn preprocess(folder: &Path, file: &str, defines: &[&str]) -> Result<String> {
    let stubs = stub_headers(folder)?;
    let compiler = compiler()?;
    let output = Command::new(compiler)
        .args(["-E", "-P", "-x", "c++", "-std=c++17", "-nostdinc"])
        .arg("-I")
        .arg(folder)
        .arg("-I")
        .arg(stubs)
        .args(defines)
        .arg(folder.join(file))
        .output()
        .with_context(|| format!("{compiler} could not be started"))?;
    if !output.status.success() {
        bail!("{compiler} cannot preprocess {file}:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A folder with an empty file for each header that the sources include but that `folder` lacks.
fn stub_headers(folder: &Path) -> Result<PathBuf> {
    let mut wanted = BTreeSet::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))? {
        let path = entry?.path();
        if !path.is_file() {
            continue;
        }
        let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
        wanted.extend(text.lines().filter_map(included).map(str::to_owned));
    }
    let stubs = scratch("stub-headers")?;
    for header in wanted.iter().filter(|header| !folder.join(header).exists()) {
        let stub = stubs.join(header);
        fs::create_dir_all(stub.parent().unwrap_or(&stubs))?;
        write_if_new(&stub, "")?;
    }
    Ok(stubs)
}

/// `cuda/std/limits` in `#include <cuda/std/limits>`; `None` for absolute paths and parent folders.
fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let name = match rest.strip_prefix('<') {
        Some(rest) => rest.split_once('>')?.0,
        None => rest.strip_prefix('"')?.split_once('"')?.0,
    };
    (!name.contains("..") && !name.starts_with('/')).then_some(name)
}

fn compiler() -> Result<&'static str> {
    let starts = |program: &&str| {
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    ["cc", "gcc", "g++", "clang"]
        .into_iter()
        .find(starts)
        .context("parity needs a C preprocessor, and there is no cc, gcc, g++ or clang; install one, e.g. apt install g++")
}

fn scratch(name: &str) -> Result<PathBuf> {
    let folder = workspace().join("target/xtask/parity").join(name);
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    Ok(folder)
}

pub(crate) fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

fn write_if_new(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{belongs, included};

    #[test]
    fn include_lines_are_read() {
        assert_eq!(included("#include <cuda/std/limits>"), Some("cuda/std/limits"));
        assert_eq!(included("  # include\"cuda_fp16.h\" // why"), Some("cuda_fp16.h"));
        assert_eq!(included("#include<stdint.h>"), Some("stdint.h"));
        assert_eq!(included("#include \"../x.h\""), None);
        assert_eq!(included("#define include <x>"), None);
        assert_eq!(included("// #include <x>"), None);
    }

    #[test]
    fn a_module_may_be_spread_over_several() {
        for (ours, module, yes) in [
            ("conv", "conv", true),
            ("quantized_mat_vec", "quantized", true),
            ("fillet", "fill", false),
            ("fill", "unary", false),
        ] {
            assert_eq!(belongs(ours, module), yes, "{ours} {module}");
        }
    }
}
