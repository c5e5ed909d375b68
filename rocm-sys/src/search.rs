//! Where to look for libraries.

use std::fs;
use std::path::{Path, PathBuf};

use crate::roots::{self, Root};
use crate::{LibraryKind, loader};

/// The origin of a path that the search was given.
pub(crate) const EXPLICIT: &str = "explicit path";

/// The origin of a platform that is part of the program.
pub(crate) const COMPILED_IN: &str = "compiled into this program";

/// A file or folder that was tried while searching for a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Where the path came from: `ROCM_PATH`, `the loader's path`, ...
    pub origin: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// Why it could not be used.
    pub reason: String,
}

/// Where to look for a library, in order:
///
/// 1. `explicit`; if it is set, nothing else is searched
/// 2. `installations`: the folders named by `ROCM_PATH` and `HIP_PATH`, and the `core-*` folders in them
/// 3. the loader's path: `LD_LIBRARY_PATH`, ld.so.cache, /usr/lib
/// 4. `folders`: ROCm wheels in the active Python environment, then the installations in /opt, newest complete one first
///    (see [`roots`])
///
/// ```
/// use rocm_sys::{Library, LibraryKind, Search};
///
/// // An explicit path is the only one tried.
/// let error = Library::open(LibraryKind::Hip, &Search::at("/no/such/libamdhip64.so")).unwrap_err();
/// assert_eq!(error.attempts.len(), 1);
/// assert!(error.to_string().contains("/no/such/libamdhip64.so"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// A library file, or a folder that contains it (directly or in `lib/`). If set, nothing else is searched.
    pub explicit: Option<PathBuf>,
    /// Installations searched before the loader's path, each with its origin.
    pub installations: Vec<(&'static str, PathBuf)>,
    /// Whether to search the loader's path.
    pub loader: bool,
    /// Folders searched after the loader's path, each with its origin.
    pub folders: Vec<(&'static str, PathBuf)>,
}

impl Search {
    /// The default search, from the environment and the installations on this machine.
    pub fn from_env() -> Search {
        let entry = |root: Root| (root.origin, root.path);
        let installations = roots::named().into_iter().map(entry).collect();
        let found = roots::wheels().into_iter().chain(roots::installed(Path::new("/opt")));
        let folders = found.map(entry).collect();
        Search { explicit: None, installations, loader: true, folders }
    }

    /// Only the given file or folder.
    pub fn at(path: impl Into<PathBuf>) -> Search {
        Search { explicit: Some(path.into()), ..Search::default() }
    }

    /// The files to open, in order. Folders without a matching file are recorded in `attempts`.
    pub(crate) fn candidates(
        &self,
        kind: LibraryKind,
        attempts: &mut Vec<Attempt>,
    ) -> Vec<(&'static str, PathBuf)> {
        let mut files = Vec::new();
        if let Some(path) = &self.explicit {
            if path.is_dir() {
                for root in roots::with_cores(EXPLICIT, path.clone()) {
                    self.in_installation(kind, root.origin, &root.path, &mut files, attempts);
                }
            } else {
                files.push((EXPLICIT, path.clone()));
            }
            return files;
        }
        for (origin, path) in &self.installations {
            self.in_installation(kind, origin, path, &mut files, attempts);
        }
        if self.loader {
            files.extend(kind.sonames().iter().map(|name| ("the loader's path", PathBuf::from(name))));
        }
        for (origin, path) in &self.folders {
            self.in_installation(kind, origin, path, &mut files, attempts);
        }
        files
    }

    fn in_installation(
        &self,
        kind: LibraryKind,
        origin: &'static str,
        path: &Path,
        files: &mut Vec<(&'static str, PathBuf)>,
        attempts: &mut Vec<Attempt>,
    ) {
        let before = files.len();
        for folder in library_folders(path) {
            files.extend(
                kind.sonames()
                    .iter()
                    .map(|name| folder.join(name))
                    .filter(|file| file.exists())
                    .map(|file| (origin, file)),
            );
        }
        if files.len() == before {
            let reason = if path.is_dir() {
                "none of the files is in it, in lib/ or in lib64/"
            } else {
                "no such folder"
            };
            attempts.push(Attempt { origin, path: path.to_owned(), reason: reason.to_owned() });
        }
    }

    /// Files of this library in the searched folders (including the loader's) whose version is not supported.
    pub(crate) fn unsupported(&self, kind: LibraryKind) -> Vec<PathBuf> {
        let explicit = self.explicit.iter().flat_map(|path| roots::with_cores("", path.clone()));
        let roots = self.installations.iter().chain(&self.folders).map(|(_, path)| path.clone());
        let mut folders: Vec<PathBuf> =
            explicit.map(|root| root.path).chain(roots).flat_map(|path| library_folders(&path)).collect();
        if self.loader {
            folders.extend(loader::folders());
        }
        let mut found: Vec<PathBuf> = folders
            .iter()
            .filter_map(|folder| fs::read_dir(folder).ok())
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| is_unsupported(kind, path))
            .collect();
        found.sort();
        found.dedup();
        found
    }
}

/// Whether the name ends in an unsupported major version. Full versions are ignored: `libamdhip64.so.4`, not
/// `libamdhip64.so.4.1.21150`.
fn is_unsupported(kind: LibraryKind, path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let version = name.strip_prefix(kind.stem()).and_then(|rest| rest.strip_prefix('.'));
    version.is_some_and(|version| version.parse::<u32>().is_ok()) && !kind.sonames().contains(&name)
}

fn library_folders(path: &Path) -> [PathBuf; 3] {
    Root { origin: "", path: path.to_owned() }.library_folders()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(root: &Path, names: &[&str]) {
        names.iter().for_each(|name| fs::create_dir_all(root.join(name)).unwrap());
    }

    #[test]
    fn candidates_are_in_order_and_failed_attempts_have_reasons() {
        let root = tempfile::tempdir().unwrap();
        folders(root.path(), &["named/lib", "opt/lib64", "empty"]);
        let (named, opt) =
            (root.path().join("named/lib/libamdhip64.so.6"), root.path().join("opt/lib64/libamdhip64.so"));
        fs::write(&named, "").unwrap();
        fs::write(&opt, "").unwrap();
        fs::write(root.path().join("named/lib/libamdhip64.so.4"), "").unwrap();
        fs::write(root.path().join("named/lib/libamdhip64.so.6.4.3"), "").unwrap();
        let search = Search {
            explicit: None,
            installations: vec![
                ("ROCM_PATH", root.path().join("named")),
                ("HIP_PATH", root.path().join("gone")),
            ],
            loader: false,
            folders: vec![("/opt/rocm*", root.path().join("empty")), ("/opt/rocm*", root.path().join("opt"))],
        };
        let mut attempts = Vec::new();
        let files = search.candidates(LibraryKind::Hip, &mut attempts);
        assert_eq!(files, [("ROCM_PATH", named), ("/opt/rocm*", opt)]);
        let reasons: Vec<_> = attempts.iter().map(|a| (a.origin, &*a.reason)).collect();
        assert_eq!(
            reasons,
            [
                ("HIP_PATH", "no such folder"),
                ("/opt/rocm*", "none of the files is in it, in lib/ or in lib64/")
            ]
        );
        assert_eq!(search.unsupported(LibraryKind::Hip), [root.path().join("named/lib/libamdhip64.so.4")]);
    }
}
