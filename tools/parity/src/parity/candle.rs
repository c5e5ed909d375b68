//! The sources of candle-kernels and candle-core in cargo's registry, and our modules that stand for one of theirs.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use tools_common::entry_points::{self, EntryPoint};
use tools_common::sources::{kernels_of, preprocess, scratch, write_if_new};
use tools_common::{cargo, root};

/// The release of candle-kernels that we mirror.
pub(super) const VERSION: &str = "0.11.1";

/// candle-kernels' source in cargo's registry.
pub(super) struct Candle {
    folder: PathBuf,
}

impl Candle {
    /// Lets cargo find it, and download it if necessary.
    pub(super) fn find() -> Result<Self> {
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

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn entry_points(&self, module: &str) -> Result<Vec<EntryPoint>> {
        // The newest architecture, which has the kernels of every type.
        let defines = ["-D__CUDACC__", "-D__CUDA_ARCH__=900"];
        let text = preprocess(&self.folder, &format!("{module}.cu"), &defines)?;
        Ok(entry_points::parse(&text))
    }
}

/// The source folder of the candle-core that the workspace is built with.
pub(super) fn candle_core() -> Result<PathBuf> {
    Ok(cargo::package(&root().join("Cargo.toml"), "candle-core")?.join("src"))
}

/// Our kernels for one of candle's modules, which may be split into several of ours: `conv` into `conv` and `conv_pool`.
pub(super) fn ours(module: &str) -> Result<Vec<EntryPoint>> {
    let mut entry_points = Vec::new();
    for part in rocm_kernels::ALL.iter().filter(|part| belongs(part.name, module)) {
        entry_points.extend(kernels_of(part)?);
    }
    Ok(entry_points)
}

/// Whether our module of this name implements kernels of candle's module.
fn belongs(ours: &str, module: &str) -> bool {
    ours.strip_prefix(module).is_some_and(|part| part.is_empty() || part.starts_with('_'))
}

#[cfg(test)]
mod tests {
    use super::belongs;

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
