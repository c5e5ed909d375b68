//! A program that is to be compiled, in files.

use std::io;
use std::path::{Component, Path, PathBuf};

use tempfile::TempDir;

/// A temporary folder with a program's source and its headers.
pub(crate) struct Sources {
    folder: TempDir,
    source: PathBuf,
}

impl Sources {
    pub(crate) fn write(name: &str, source: &str, headers: &[(String, String)]) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        // A name of a source, not of a path: `probe`.
        let file = format!("{}.hip", name.trim_end_matches(".hip").replace('/', "_"));
        let all = Self { source: folder.path().join(file), folder };
        std::fs::write(&all.source, source)?;
        std::fs::create_dir(all.headers())?;
        for (name, text) in headers {
            let path = Path::new(name);
            if !path.components().all(|part| matches!(part, Component::Normal(_))) {
                return Err(io::Error::other(format!("the header's name {name} leads out of the folder")));
            }
            let path = all.headers().join(path);
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(path, text)?;
        }
        Ok(all)
    }

    /// The folder, where further files can be put.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn source(&self) -> &Path {
        &self.source
    }

    /// The folder of the headers.
    pub(crate) fn headers(&self) -> PathBuf {
        self.folder().join("headers")
    }

    /// Where the compiler is to put the code object.
    pub(crate) fn object(&self) -> PathBuf {
        self.folder().join("code.hsaco")
    }
}
