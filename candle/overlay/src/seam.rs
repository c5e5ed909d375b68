//! What is added to candle's crates. `seam/` has for each crate
//!
//! - `seam.patch`: lines for the crate's files, as they are in the first version of `stock.tsv`,
//! - `added/`: files of our own,
//! - `in_cuda/`: files that take the place of candle's where CUDA's variants hold ROCm devices,
//! - `lib.rs`: our part of `src/lib.rs`,
//! - for every other version a folder with what differs: `lines.tsv` says where the patch's lines belong, and its own `seam.patch` has
//!   lines that only this version needs.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::lines::Lines;
use crate::patch::{self, Hunk};
use crate::stock::Stock;
use crate::{Error, Tree};

/// The files of `seam/`, by their path in it.
pub(crate) struct Seam {
    files: Vec<(String, String)>,
}

impl Seam {
    /// Those that this crate was compiled with.
    pub(crate) fn ours() -> Self {
        const FILES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/seam.rs"));
        Self::of(FILES.iter().copied())
    }

    pub(crate) fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let files = files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned()));
        Self { files: files.collect() }
    }

    /// The crates that there is a seam for.
    pub(crate) fn stock(&self) -> Result<Vec<Stock>, Error> {
        Stock::table(self.text("stock.tsv")?)
    }

    /// The version that the crate's patch is for.
    pub(crate) fn base(&self, name: &str) -> Result<Stock, Error> {
        let found = self.stock()?.into_iter().find(|stock| stock.name == name);
        found.ok_or_else(|| Error::new(format!("there is no {name} with a ROCm device")))
    }

    /// A crate that there is a seam for.
    pub(crate) fn crate_of(&self, name: &str, version: &str) -> Result<Stock, Error> {
        let (mut found, all) = (None, self.stock()?);
        let mut versions = Vec::new();
        for stock in all.into_iter().filter(|stock| stock.name == name) {
            versions.push(stock.version.clone());
            if stock.version == version {
                found = Some(stock);
            }
        }
        found.ok_or_else(|| {
            Error::new(format!(
                "there is no {name} {version} with a ROCm device; there are {}",
                versions.join(", ")
            ))
        })
    }

    /// The lines to add to the crate's files, in their order.
    pub(crate) fn hunks(&self, stock: &Stock) -> Result<Vec<Hunk<'_>>, Error> {
        let (file, text) = self.patch(&stock.name)?;
        let mut hunks = patch::hunks(file, text)?;
        if stock.version == self.base(&stock.name)?.version {
            return Ok(hunks);
        }
        let lines = match self.file(&self.differing(stock, "lines.tsv")) {
            Ok((file, text)) => Lines::parse(file, text)?,
            Err(_) => Lines::default(),
        };
        hunks.retain_mut(|hunk| match lines.place(hunk.file, hunk.first) {
            Some(first) => {
                hunk.first = first;
                true
            }
            None => false,
        });
        if let Ok((file, text)) = self.file(&self.differing(stock, "seam.patch")) {
            hunks.extend(patch::hunks(file, text)?);
        }
        hunks.sort_by(|a, b| (a.file, a.first).cmp(&(b.file, b.first)));
        Ok(hunks)
    }

    /// The crate's patch and its name, for messages.
    pub(crate) fn patch(&self, name: &str) -> Result<(&Path, &str), Error> {
        self.file(&format!("{name}/seam.patch"))
    }

    /// The files of our own.
    pub(crate) fn added(&self, name: &str) -> Tree {
        self.folder(name, "added")
    }

    /// The files of a crate's folder in `seam/`.
    pub(crate) fn folder(&self, name: &str, folder: &str) -> Tree {
        let prefix = format!("{name}/{folder}/");
        let files = self.files.iter().filter_map(|(path, text)| Some((path.strip_prefix(&prefix)?, text)));
        files.map(|(path, text)| (PathBuf::from(path), text.clone().into_bytes())).collect()
    }

    /// Our part of `src/lib.rs`.
    #[cfg(feature = "packages")]
    pub(crate) fn lib(&self, stock: &Stock) -> Result<String, Error> {
        Ok(self.text(&format!("{}/lib.rs", stock.name))?.replace(VERSION, &stock.version))
    }

    /// A hash that changes whenever a patched crate changes.
    pub(crate) fn stamp(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(env!("CANDLE_ROCM_OVERLAY_CODE"));
        for part in self.files.iter().flat_map(|(path, text)| [path, text]) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        crate::stock::hex(&hash.finalize())
    }

    /// The path in `seam/` of a version's own file.
    pub(crate) fn differing(&self, stock: &Stock, file: &str) -> String {
        format!("{}/{}/{file}", stock.name, stock.version)
    }

    fn file(&self, path: &str) -> Result<(&Path, &str), Error> {
        let found = self.files.iter().find(|(known, _)| known == path);
        found
            .map(|(path, text)| (Path::new(path), text.as_str()))
            .ok_or_else(|| Error::new(format!("there is no {path} in candle-rocm-overlay/seam")))
    }

    fn text(&self, path: &str) -> Result<&str, Error> {
        self.file(path).map(|(_, text)| text)
    }
}

/// What stands for the crate's version in our part of `src/lib.rs`.
#[cfg(feature = "packages")]
pub(crate) const VERSION: &str = "VERSION";
