//! Where to look for libraries.

use std::path::{Path, PathBuf};

use crate::roots::{self, Root, System};
use crate::{LibraryKind, loader};

/// The origin of a path that the search was given.
pub(crate) const EXPLICIT: &str = "explicit path";

/// The origin of a platform that is part of the program.
pub(crate) const COMPILED_IN: &str = "compiled into this program";

/// The origin of Windows' own folder, where the graphics driver puts the HIP runtime.
pub const SYSTEM_FOLDER: &str = "System32";

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
/// On Windows, `installations` are followed by the wheels and by System32, where the graphics driver puts the HIP runtime, and `folders`
/// are the HIP SDKs in the Program Files folder. The loader's own path is not searched there: each file is opened by its full path, and its
/// dependencies are looked for next to it.
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
        let mut installations: Vec<_> = roots::named().into_iter().map(entry).collect();
        let wheels = roots::wheels().into_iter().map(entry);
        let mut folders = Vec::new();
        match System::THIS {
            System::Linux => folders.extend(wheels),
            System::Windows => {
                installations.extend(wheels);
                installations.extend(loader::system_folder().map(|folder| (SYSTEM_FOLDER, folder)));
            }
        }
        folders.extend(roots::of_all_users().into_iter().map(entry));
        Search { explicit: None, installations, loader: System::THIS == System::Linux, folders }
    }

    /// Searches only the given file or folder.
    pub fn at(path: impl Into<PathBuf>) -> Search {
        Search { explicit: Some(path.into()), ..Search::default() }
    }

    /// The files to open, in order. Folders without a matching file are recorded in `attempts`.
    pub(crate) fn candidates(
        &self,
        kind: LibraryKind,
        system: System,
        attempts: &mut Vec<Attempt>,
    ) -> Vec<(&'static str, PathBuf)> {
        let mut files = Vec::new();
        if let Some(path) = &self.explicit {
            if path.is_dir() {
                for root in roots::with_cores(EXPLICIT, path.clone()) {
                    in_installation((kind, system), root.origin, &root.path, &mut files, attempts);
                }
            } else {
                files.push((EXPLICIT, path.clone()));
            }
            return files;
        }
        for (origin, path) in &self.installations {
            in_installation((kind, system), origin, path, &mut files, attempts);
        }
        if self.loader {
            files.extend(kind.sonames().iter().map(|name| ("the loader's path", PathBuf::from(name))));
        }
        for (origin, path) in &self.folders {
            in_installation((kind, system), origin, path, &mut files, attempts);
        }
        files
    }

    /// Files of this library in the searched folders (including the loader's) whose version is not supported.
    pub(crate) fn unsupported(&self, kind: LibraryKind, system: System) -> Vec<PathBuf> {
        let explicit = self.explicit.iter().flat_map(|path| roots::with_cores("", path.clone()));
        let roots = self.installations.iter().chain(&self.folders).map(|(_, path)| path.clone());
        let mut folders: Vec<PathBuf> = explicit
            .map(|root| root.path)
            .chain(roots)
            .flat_map(|path| library_folders(&path, system))
            .collect();
        if self.loader {
            folders.extend(loader::folders());
        }
        let mut found: Vec<PathBuf> =
            folders.iter().flat_map(|folder| kind.unsupported_in(folder, system)).collect();
        found.sort();
        found.dedup();
        found
    }
}

/// Adds the library's files in an installation, or why there are none.
fn in_installation(
    (kind, system): (LibraryKind, System),
    origin: &'static str,
    path: &Path,
    files: &mut Vec<(&'static str, PathBuf)>,
    attempts: &mut Vec<Attempt>,
) {
    let before = files.len();
    for folder in library_folders(path, system) {
        files.extend(kind.files_in(&folder, system).into_iter().map(|file| (origin, file)));
    }
    if files.len() == before {
        let reason = match (path.is_dir(), system) {
            (false, _) => "no such folder",
            (true, System::Linux) => "none of the files is in it, in lib/ or in lib64/",
            (true, System::Windows) => "none of the files is in it or in bin",
        };
        attempts.push(Attempt { origin, path: path.to_owned(), reason: reason.to_owned() });
    }
}

fn library_folders(path: &Path, system: System) -> [PathBuf; 3] {
    Root { origin: "", path: path.to_owned() }.library_folders(system)
}

#[cfg(test)]
mod tests {
    use std::fs;

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
        let files = search.candidates(LibraryKind::Hip, System::Linux, &mut attempts);
        assert_eq!(files, [("ROCM_PATH", named), ("/opt/rocm*", opt)]);
        let reasons: Vec<_> = attempts.iter().map(|a| (a.origin, &*a.reason)).collect();
        assert_eq!(
            reasons,
            [
                ("HIP_PATH", "no such folder"),
                ("/opt/rocm*", "none of the files is in it, in lib/ or in lib64/")
            ]
        );
        assert_eq!(
            search.unsupported(LibraryKind::Hip, System::Linux),
            [root.path().join("named/lib/libamdhip64.so.4")]
        );
    }
    /// A driver's System32, an SDK that HIP_PATH names, and a wheel.
    #[test]
    fn candidates_on_windows() {
        let root = tempfile::tempdir().unwrap();
        folders(root.path(), &["System32", "ROCm/6.4/bin", "_rocm_sdk_core/bin", "empty"]);
        for file in [
            "System32/amdhip64_6.dll",
            "System32/amdhip64_7.dll",
            "System32/amdhip64_9.dll",
            "System32/amd_comgr_3.dll",
            "System32/kernel32.dll",
            "ROCm/6.4/bin/hiprtc0604.dll",
            "ROCm/6.4/bin/hiprtc0507.dll",
            "ROCm/6.4/bin/hiprtc-builtins0604.dll",
            "ROCm/6.4/bin/rocblas.dll",
            "_rocm_sdk_core/bin/amdhip64_7.dll",
        ] {
            fs::write(root.path().join(file), "").unwrap();
        }
        let search = Search {
            explicit: None,
            installations: vec![
                ("HIP_PATH", root.path().join("ROCm/6.4")),
                ("pip-installed ROCm", root.path().join("_rocm_sdk_core")),
                ("System32", root.path().join("System32")),
            ],
            loader: false,
            folders: vec![("HIP SDK", root.path().join("empty"))],
        };
        let find = |kind| {
            let mut attempts = Vec::new();
            let files = search.candidates(kind, System::Windows, &mut attempts);
            let files: Vec<String> = files
                .iter()
                .map(|(_, file)| {
                    let below = file.strip_prefix(root.path()).unwrap();
                    below
                        .components()
                        .map(|part| part.as_os_str().to_str().unwrap())
                        .collect::<Vec<_>>()
                        .join("/")
                })
                .collect();
            (files, attempts)
        };
        let (hip, attempts) = find(LibraryKind::Hip);
        assert_eq!(
            hip,
            ["_rocm_sdk_core/bin/amdhip64_7.dll", "System32/amdhip64_7.dll", "System32/amdhip64_6.dll"]
        );
        let reasons: Vec<_> = attempts.iter().map(|tried| (tried.origin, &*tried.reason)).collect();
        let none = "none of the files is in it or in bin";
        assert_eq!(reasons, [("HIP_PATH", none), ("HIP SDK", none)]);
        assert_eq!(
            find(LibraryKind::Hiprtc).0,
            ["ROCm/6.4/bin/hiprtc0604.dll", "ROCm/6.4/bin/hiprtc0507.dll"]
        );
        assert_eq!(find(LibraryKind::Comgr).0, ["System32/amd_comgr_3.dll"]);
        assert_eq!(find(LibraryKind::Rocblas).0, ["ROCm/6.4/bin/rocblas.dll"]);
        assert!(find(LibraryKind::Miopen).0.is_empty());
        let newer = root.path().join("System32").join("amdhip64_9.dll");
        assert!(LibraryKind::Hip.is_too_new(&newer));
        assert_eq!(search.unsupported(LibraryKind::Hip, System::Windows), [newer]);
    }
}
