//! Whether compiling the same sources again, in another place, gives the same bytes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use rocm_kernels::toolchain::Toolchain;

use super::Pair;

/// A copy of the sources, with room for the second code objects.
pub(super) struct Again {
    folder: PathBuf,
}

impl Again {
    pub(super) fn new(sources: &Path, scratch: &Path) -> Result<Self> {
        let folder = scratch.join("again");
        let _ = fs::remove_dir_all(&folder);
        copy(sources, &folder.join("hip")).context("cannot copy the sources")?;
        Ok(Self { folder })
    }

    /// Fails if the code object that was built differs from what the compiler makes of it now.
    pub(super) fn compare(
        &self,
        pair: &Pair,
        built: &[u8],
        compiler: &Toolchain,
        options: &[String],
    ) -> Result<()> {
        let second = Pair::new(&pair.arch, pair.module, &self.folder.join("hip"), &self.folder);
        let object = second.result.with_extension("hsaco");
        fs::create_dir_all(object.parent().context("a code object has no folder")?)?;
        compiler.compile(&second.source(), &second.sources, &object, options)?;
        let same = fs::read(&object)? == built;
        fs::remove_file(&object)?;
        ensure!(same, "compiled from a copy of the sources, it differs: a path or the time is in it");
        Ok(())
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &to)?,
            false => drop(fs::copy(entry.path(), to)?),
        }
    }
    Ok(())
}
