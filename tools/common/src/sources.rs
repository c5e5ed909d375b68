//! The sources of kernels, preprocessed: names and parameters of those that macros generate.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use rocm_kernels::Module;

use crate::entry_points::{self, EntryPoint};
use crate::root;

/// On the host platform, `__global__` is not a macro; on a GPU, it may be.
const OUR_DEFINES: [&str; 2] = ["-DCANDLE_ROCM_HOST_PLATFORM", "-DWAVE=32"];

/// The kernels of one of our modules.
pub fn kernels_of(module: &Module) -> Result<Vec<EntryPoint>> {
    let folder = root().join("rocm-kernels/hip");
    let file = format!("{}/{}.hip", module.family, module.name);
    let text = preprocess(&folder, &file, &OUR_DEFINES)?;
    Ok(entry_points::parse(&text))
}

/// The preprocessed file. `folder` is the include path.
pub fn preprocess(folder: &Path, file: &str, defines: &[&str]) -> Result<String> {
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

/// A folder for what is generated.
pub fn scratch(name: &str) -> Result<PathBuf> {
    let folder = root().join("target/xtask/parity").join(name);
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    Ok(folder)
}

/// Writes a file unless it is there already.
pub fn write_if_new(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}

#[cfg(test)]
mod tests {
    use super::included;

    #[test]
    fn include_lines_are_read() {
        assert_eq!(included("#include <cuda/std/limits>"), Some("cuda/std/limits"));
        assert_eq!(included("  # include\"cuda_fp16.h\" // why"), Some("cuda_fp16.h"));
        assert_eq!(included("#include<stdint.h>"), Some("stdint.h"));
        assert_eq!(included("#include \"../x.h\""), None);
        assert_eq!(included("#define include <x>"), None);
        assert_eq!(included("// #include <x>"), None);
    }
}
