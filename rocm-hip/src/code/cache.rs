//! The disk cache of compiled kernels.
//!
//! The cache never causes an error. A file that is missing, truncated, corrupted or not a regular file is recompiled; a folder
//! that cannot be written is reported once and otherwise ignored. Processes can share a folder: files are created by an atomic
//! rename and carry a checksum.
//!
//! File layout: magic, digest of the program, digest of the compiler, length of the code, checksum, code.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rocm_sys::roots::System;
use rocm_sys::{variable, warning};

mod regular;
mod shared;
mod temporary;

const MAGIC: &[u8; 8] = b"CRKERN\x01\n";
const DIGEST: usize = blake3::OUT_LEN;
const HEADER: usize = MAGIC.len() + DIGEST + DIGEST + 8 + DIGEST;

/// Where compiled kernels are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    folder: Option<PathBuf>,
    /// A second cache that is consulted on a miss, and to which new entries are written as well.
    behind: Option<Box<Cache>>,
}

/// The key of a cached file.
#[derive(Debug, Clone)]
pub(super) struct Key {
    /// The readable part of the file name, e.g. `affine-gfx1100`.
    pub(super) label: String,
    /// The digest of source, headers, options and arch.
    pub(super) program: blake3::Hash,
    /// The digest of the compiler's identity.
    pub(super) compiler: blake3::Hash,
}

impl Cache {
    /// The user's cache: in `CANDLE_ROCM_CACHE_DIR` if set, else `$XDG_CACHE_HOME/candle-rocm` or `$HOME/.cache/candle-rocm`, or on Windows
    /// `%LOCALAPPDATA%\\candle-rocm`. If none of these variables is set, caching is disabled, with one warning on stderr.
    pub fn user() -> Self {
        let folder = user_folder(System::THIS, variable::path);
        if folder.is_none() {
            let variables = match System::THIS {
                System::Linux => "CANDLE_ROCM_CACHE_DIR, XDG_CACHE_HOME and HOME",
                System::Windows => "CANDLE_ROCM_CACHE_DIR and LOCALAPPDATA",
            };
            warning::once(&format!(
                "none of {variables} is set to a folder: compiled kernels are not cached"
            ));
        }
        Self { folder, behind: None }
    }

    /// A cache in the given folder, which is created when the first file is stored.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), behind: None }
    }

    /// Puts this cache in front of another one: entries found in `other` are copied here, and new entries are written to both. This fills a
    /// folder with exactly the entries that were used.
    pub fn in_front_of(self, other: Self) -> Self {
        Self { behind: Some(Box::new(other)), ..self }
    }

    /// A cache that stores nothing.
    pub fn disabled() -> Self {
        Self { folder: None, behind: None }
    }

    /// The folder; `None` if caching is disabled.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The folder, if files can be created in it. If not, a warning is printed once, as when storing fails.
    pub fn writable_folder(&self) -> Option<&Path> {
        let folder = self.folder()?;
        match temporary::probe(folder) {
            Ok(()) => Some(folder),
            Err(error) => {
                cannot_keep(folder, &error);
                None
            }
        }
    }

    /// The code that this compiler produced from this program earlier.
    pub(super) fn get(&self, key: &Key) -> Option<Vec<u8>> {
        if let Some(code) = self.get_here(key) {
            return Some(code);
        }
        let code = self.behind.as_ref()?.get(key)?;
        self.put_here(key, &code);
        Some(code)
    }

    fn get_here(&self, key: &Key) -> Option<Vec<u8>> {
        let folder = self.folder.as_ref()?;
        temporary::clear_once(folder);
        let path = folder.join(key.file_name());
        let bytes = match regular::read(&path) {
            Ok(bytes) => bytes,
            // A folder that cannot be created is reported by `put`.
            Err(error) if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind()) => {
                return None;
            }
            Err(error) => {
                // The files of a folder are usually denied together.
                let denied = error.kind() == io::ErrorKind::PermissionDenied;
                let what = if denied {
                    format!("compiled kernels in {}", folder.display())
                } else {
                    path.display().to_string()
                };
                warning::once(&format!("cannot read {what}: {error}; compiling instead"));
                return None;
            }
        };
        match decode(&bytes, &key.program, Some(&key.compiler)) {
            Ok(code) => Some(code),
            Err(reason) => {
                warning::once(&format!("{} is damaged ({reason}); compiling again", path.display()));
                None
            }
        }
    }

    /// The code that any compiler produced from this program earlier, for machines without a compiler.
    pub(super) fn get_from_any_compiler(&self, label: &str, program: &blake3::Hash) -> Option<Vec<u8>> {
        let prefix = program_prefix(label, program);
        let entries = fs::read_dir(self.folder.as_ref()?).ok()?;
        entries
            .flatten()
            .filter(|entry| {
                let name = entry.file_name();
                name.to_str().is_some_and(|name| name.starts_with(&prefix) && name.ends_with(SUFFIX))
            })
            .find_map(|entry| decode(&regular::read(&entry.path()).ok()?, program, None).ok())
    }

    /// Stores `code`. A failure is reported once and otherwise ignored.
    pub(super) fn put(&self, key: &Key, code: &[u8]) {
        self.put_here(key, code);
        if let Some(behind) = &self.behind {
            behind.put(key, code);
        }
    }

    fn put_here(&self, key: &Key, code: &[u8]) {
        let Some(folder) = &self.folder else { return };
        if let Err(error) = temporary::write_atomically(folder, &key.file_name(), &encode(key, code)) {
            cannot_keep(folder, &error);
        }
    }
}

fn cannot_keep(folder: &Path, error: &io::Error) {
    warning::once(&format!("cannot keep compiled kernels in {}: {error}", folder.display()));
}

const SUFFIX: &str = ".kernels";

impl Key {
    fn file_name(&self) -> String {
        format!("{}{}{SUFFIX}", program_prefix(&self.label, &self.program), short(&self.compiler))
    }
}

fn program_prefix(label: &str, program: &blake3::Hash) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_+".contains(c) { c } else { '_' };
    format!("{}-{}-", label.chars().map(plain).collect::<String>(), short(program))
}

fn short(digest: &blake3::Hash) -> String {
    digest.to_hex().chars().take(16).collect()
}

fn encode(key: &Key, code: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + code.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(key.program.as_bytes());
    bytes.extend_from_slice(key.compiler.as_bytes());
    bytes.extend_from_slice(&(code.len() as u64).to_le_bytes());
    bytes.extend_from_slice(blake3::hash(code).as_bytes());
    bytes.extend_from_slice(code);
    bytes
}

fn decode(
    bytes: &[u8],
    program: &blake3::Hash,
    compiler: Option<&blake3::Hash>,
) -> Result<Vec<u8>, &'static str> {
    let (header, code) = bytes.split_at_checked(HEADER).ok_or("shorter than its header")?;
    let mut rest = header;
    let mut take = |count: usize| -> &[u8] {
        let (field, tail) = rest.split_at(count);
        rest = tail;
        field
    };
    if take(MAGIC.len()) != MAGIC {
        return Err("not a kernel cache file");
    }
    if take(DIGEST) != program.as_bytes() {
        return Err("compiled from another source");
    }
    let made_by = take(DIGEST);
    if compiler.is_some_and(|compiler| made_by != compiler.as_bytes()) {
        return Err("compiled by another compiler");
    }
    if take(8) != (code.len() as u64).to_le_bytes() {
        return Err("truncated");
    }
    if take(DIGEST) != blake3::hash(code).as_bytes() {
        return Err("its checksum does not match");
    }
    Ok(code.to_vec())
}

fn user_folder(system: System, set: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    // The XDG specification requires that a relative path is ignored.
    let absolute = |name| set(name).filter(|path| path.is_absolute());
    let users = || match system {
        System::Linux => {
            absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        }
        System::Windows => absolute("LOCALAPPDATA"),
    };
    set("CANDLE_ROCM_CACHE_DIR").or_else(|| Some(users()?.join("candle-rocm")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(variables: &[(&str, &str)]) -> Option<PathBuf> {
        user_folder(System::Linux, |name| {
            variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.into())
        })
    }

    #[test]
    fn the_users_folder_comes_from_the_environment() {
        let full = |path: &str| if cfg!(windows) { format!("C:{path}") } else { path.to_owned() };
        let [c, x, h, local] = ["/c", "/x", "/h", "/users/a/local"].map(full);
        let all = [("CANDLE_ROCM_CACHE_DIR", &*c), ("XDG_CACHE_HOME", &*x), ("HOME", &*h)];
        assert_eq!(folder(&all), Some(full("/c").into()));
        assert_eq!(folder(&all[1..]), Some(full("/x/candle-rocm").into()));
        assert_eq!(folder(&all[2..]), Some(full("/h/.cache/candle-rocm").into()));
        assert_eq!(folder(&[]), None);
        let unusable = [("XDG_CACHE_HOME", "relative"), ("HOME", "relative")];
        assert_eq!(folder(&unusable), None);
        let local = |name: &str| (name == "LOCALAPPDATA").then(|| PathBuf::from(&local));
        assert_eq!(user_folder(System::Windows, local), Some(full("/users/a/local/candle-rocm").into()));
        assert_eq!(user_folder(System::Linux, local), None);
    }

    fn key() -> Key {
        Key {
            label: "affine-gfx90a:sramecc+:xnack-".into(),
            program: blake3::hash(b"program"),
            compiler: blake3::hash(b"compiler"),
        }
    }

    #[test]
    fn every_corruption_is_detected() {
        let key = key();
        let good = encode(&key, b"some code");
        assert_eq!(decode(&good, &key.program, Some(&key.compiler)).as_deref(), Ok(&b"some code"[..]));
        for length in 0..good.len() {
            assert!(decode(&good[..length], &key.program, Some(&key.compiler)).is_err(), "cut to {length}");
        }
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            assert!(decode(&bad, &key.program, Some(&key.compiler)).is_err(), "flipped at {at}");
        }
        let mut long = good.clone();
        long.push(0);
        assert_eq!(decode(&long, &key.program, Some(&key.compiler)), Err("truncated"));
        let other = blake3::hash(b"other");
        assert_eq!(decode(&good, &other, None), Err("compiled from another source"));
        assert_eq!(decode(&good, &key.program, Some(&other)), Err("compiled by another compiler"));
        assert!(decode(&good, &key.program, None).is_ok());
    }

    #[test]
    fn file_names_are_plain() {
        let name = key().file_name();
        assert!(name.starts_with("affine-gfx90a_sramecc+_xnack--"), "{name}");
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "-_+.".contains(c)), "{name}");
    }

    #[test]
    fn one_in_front_of_another() {
        let (front, behind) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (old, new) = (key(), Key { label: "unary".into(), ..key() });
        Cache::at(behind.path()).put(&old, b"old");
        let cache = Cache::at(front.path()).in_front_of(Cache::at(behind.path()));
        assert_eq!(cache.get(&new), None);
        cache.put(&new, b"new");
        assert_eq!(cache.get(&old).as_deref(), Some(&b"old"[..]));
        for folder in [&front, &behind] {
            let alone = Cache::at(folder.path());
            assert_eq!(alone.get(&old).as_deref(), Some(&b"old"[..]));
            assert_eq!(alone.get(&new).as_deref(), Some(&b"new"[..]));
        }
    }

    #[test]
    fn empty_code_survives() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache::at(folder.path().join("made/when/needed"));
        assert_eq!(cache.get(&key()), None);
        cache.put(&key(), b"");
        assert_eq!(cache.get(&key()), Some(vec![]));
    }
}
