//! The stock crates.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::Error;

/// A crate on crates.io.
#[derive(Clone)]
pub(crate) struct Stock {
    pub(crate) name: String,
    pub(crate) version: String,
    sha256: String,
}

impl Stock {
    /// Reads `stock.tsv`: a name, a version and a SHA-256 in each line.
    pub(crate) fn table(text: &str) -> Result<Vec<Self>, Error> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let stock = |line: &str| match line.split('\t').collect::<Vec<_>>()[..] {
            [name, version, sha256] => {
                Ok(Self { name: name.into(), version: version.into(), sha256: sha256.into() })
            }
            _ => Err(Error::new(format!("stock.tsv: expected a name, a version and a SHA-256: `{line}`"))),
        };
        lines.map(stock).collect()
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
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
