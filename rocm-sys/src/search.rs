//! Where libraries are looked for.

use std::fs;
use std::path::{Path, PathBuf};

use crate::roots::{self, Root};
use crate::{Attempt, Library, LibraryKind, loader};

/// The places where a library is looked for, in order.
///
/// 1. `explicit`, and then nothing else;
/// 2. `installations`: the folders that `ROCM_PATH` and `HIP_PATH` name, and `core-*` in them;
/// 3. the loader's own path: `LD_LIBRARY_PATH`, ld.so.cache, /usr/lib;
/// 4. `folders`: ROCm as pip installs it (in the active environment), then the installations in /opt, the newest complete one
///    first ([`roots`]).
///
/// ```
/// use rocm_sys::{Library, LibraryKind, Search};
///
/// // A path that somebody named is the only one tried.
/// let error = Library::open(LibraryKind::Hip, &Search::at("/no/such/libamdhip64.so")).unwrap_err();
/// assert_eq!(error.attempts.len(), 1);
/// assert!(error.to_string().contains("/no/such/libamdhip64.so"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// A library file, or a folder with it (or with `lib/`): where given, the only place.
    pub explicit: Option<PathBuf>,
    /// Installations that come before the loader's path, with what named them.
    pub installations: Vec<(&'static str, PathBuf)>,
    /// Whether the loader's path is tried.
    pub loader: bool,
    /// Folders that come after the loader's path, with what they belong to.
    pub folders: Vec<(&'static str, PathBuf)>,
}

impl Search {
    /// All places that this process' environment and this machine suggest.
    pub fn from_env() -> Search {
        let place = |root: Root| (root.place, root.path);
        let installations = roots::named().into_iter().map(place).collect();
        let found = roots::wheels().into_iter().chain(roots::installed(Path::new("/opt")));
        let folders = found.map(place).collect();
        Search { explicit: None, installations, loader: true, folders }
    }

    /// One file or folder and nothing else.
    pub fn at(path: impl Into<PathBuf>) -> Search {
        Search { explicit: Some(path.into()), ..Search::default() }
    }

    /// Looks first where another library came from, so that hiprtc, rocBLAS and HIP are of one installation.
    ///
    /// An explicit path stays the only place.
    pub fn beside(mut self, library: &Library) -> Search {
        const PLACE: &str = "beside the library opened before";
        if let Some(folder) = library.path().parent().filter(|folder| folder.is_absolute()) {
            let wheels = roots::wheels_beside(folder).into_iter().map(|root| root.path);
            let places = [folder.to_owned()].into_iter().chain(wheels).map(|path| (PLACE, path));
            self.installations.splice(..0, places);
        }
        self
    }

    /// The files to open, in order. Places that have none go to `attempts`.
    pub(crate) fn candidates(
        &self,
        kind: LibraryKind,
        attempts: &mut Vec<Attempt>,
    ) -> Vec<(&'static str, PathBuf)> {
        let mut files = Vec::new();
        if let Some(path) = &self.explicit {
            if path.is_dir() {
                for root in roots::with_cores("explicit path", path.clone()) {
                    self.in_installation(kind, root.place, &root.path, &mut files, attempts);
                }
            } else {
                files.push(("explicit path", path.clone()));
            }
            return files;
        }
        for (place, path) in &self.installations {
            self.in_installation(kind, place, path, &mut files, attempts);
        }
        if self.loader {
            files.extend(kind.sonames().iter().map(|name| ("the loader's path", PathBuf::from(name))));
        }
        for (place, path) in &self.folders {
            self.in_installation(kind, place, path, &mut files, attempts);
        }
        files
    }

    fn in_installation(
        &self,
        kind: LibraryKind,
        place: &'static str,
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
                    .map(|file| (place, file)),
            );
        }
        if files.len() == before {
            let reason =
                if path.is_dir() { "none of the files in it, lib/ or lib64/" } else { "no such folder" };
            attempts.push(Attempt { place, path: path.to_owned(), reason: reason.to_owned() });
        }
    }

    /// Files of this library in the searched folders, the loader's among them, under versions that are not among the sonames.
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

/// By its major version alone: libamdhip64.so.4, not libamdhip64.so.4.1.21150.
fn is_unsupported(kind: LibraryKind, path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let version = name.strip_prefix(kind.stem()).and_then(|rest| rest.strip_prefix('.'));
    version.is_some_and(|version| version.parse::<u32>().is_ok()) && !kind.sonames().contains(&name)
}

fn library_folders(path: &Path) -> [PathBuf; 3] {
    Root { place: "", path: path.to_owned() }.library_folders()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(root: &Path, names: &[&str]) {
        names.iter().for_each(|name| fs::create_dir_all(root.join(name)).unwrap());
    }

    #[test]
    fn places_keep_their_order_and_empty_ones_say_why() {
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
        let reasons: Vec<_> = attempts.iter().map(|a| (a.place, &*a.reason)).collect();
        assert_eq!(
            reasons,
            [("HIP_PATH", "no such folder"), ("/opt/rocm*", "none of the files in it, lib/ or lib64/")]
        );
        assert_eq!(search.unsupported(LibraryKind::Hip), [root.path().join("named/lib/libamdhip64.so.4")]);
    }
}
