//! `stock.lock`: the crate that a patch applies to.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::{Error, tree};

/// The crate that a patch applies to.
pub(crate) struct Lock {
    pub(crate) name: String,
    pub(crate) version: String,
    sha256: String,
}

impl Lock {
    pub(crate) fn read(package: &Path) -> Result<Self, Error> {
        let file = package.join("stock.lock");
        let text = std::fs::read_to_string(&file).map_err(|error| Error::io("read", &file, error))?;
        let value = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_prefix('='));
            line.map(|value| value.trim().trim_matches('"').to_owned())
                .ok_or_else(|| Error::new(format!("{} has no line `{key} = \"...\"`", file.display())))
        };
        Ok(Self { name: value("name")?, version: value("version")?, sha256: value("sha256")? })
    }

    /// The same crate in another version, whose checksum is not known.
    #[cfg(feature = "command")]
    pub(crate) fn of_version(&self, version: &str) -> Self {
        Self { name: self.name.clone(), version: version.to_owned(), sha256: String::new() }
    }

    pub(crate) fn file_name(&self) -> String {
        format!("{}-{}.crate", self.name, self.version)
    }

    pub(crate) fn verify(&self, file: &Path, bytes: &[u8]) -> Result<(), Error> {
        let found = hex(&Sha256::digest(bytes));
        if found == self.sha256 {
            return Ok(());
        }
        Err(Error::new(format!(
            "{} is not the crate that the patch is for:\n  SHA-256 found    {found}\n  SHA-256 expected {}\n\
             If the file is damaged, delete it and build again.",
            file.display(),
            self.sha256
        )))
    }

    /// A hash that changes whenever the patched sources change.
    pub(crate) fn stamp(&self, package: &Path) -> Result<String, Error> {
        let patch = package.join("seam.patch");
        let mut hash = Sha256::new();
        hash.update(env!("CARGO_PKG_VERSION"));
        hash.update(&self.sha256);
        hash.update(std::fs::read(&patch).map_err(|error| Error::io("read", &patch, error))?);
        for (path, bytes) in tree::read(&package.join("added"))? {
            hash.update(path.to_string_lossy().as_bytes());
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
        Ok(hex(&hash.finalize()))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
