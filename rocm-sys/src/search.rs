//! Where libraries are looked for.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Attempt, Library, LibraryKind};

/// The places where a library is looked for, in order.
///
/// 1. `explicit`, and then nothing else;
/// 2. `installations`: the folders that `ROCM_PATH` and `HIP_PATH` name;
/// 3. the loader's own path: `LD_LIBRARY_PATH`, ld.so.cache, /usr/lib;
/// 4. `folders`: ROCm as pip installs it (in the active environment), then /opt/rocm and /opt/rocm-*, newest first.
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
        let named = ["ROCM_PATH", "HIP_PATH"];
        let installations = named
            .into_iter()
            .filter_map(|name| {
                Some((name, PathBuf::from(env::var_os(name).filter(|value| !value.is_empty())?)))
            })
            .collect();
        let mut folders = Vec::new();
        for site in site_packages() {
            folders.extend(wheel_folders(&site).into_iter().map(|folder| ("pip-installed ROCm", folder)));
        }
        folders.extend(opt_rocm(Path::new("/opt")).into_iter().map(|folder| ("/opt/rocm*", folder)));
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
        if let Some(folder) = library.path().parent().filter(|folder| folder.is_absolute()) {
            self.installations.insert(0, ("beside the library opened before", folder.to_owned()));
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
                self.in_installation(kind, "explicit path", path, &mut files, attempts);
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

    /// Files of this library in the searched folders under versions that are not among the sonames.
    pub(crate) fn unsupported(&self, kind: LibraryKind) -> Vec<PathBuf> {
        let Some(stem) = kind.sonames().first().and_then(|name| name.split_inclusive(".so").next()) else {
            return Vec::new();
        };
        let roots =
            self.explicit.iter().chain(self.installations.iter().chain(&self.folders).map(|(_, path)| path));
        let mut found: Vec<PathBuf> = roots
            .flat_map(|path| library_folders(path))
            .filter_map(|folder| fs::read_dir(folder).ok())
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                // The major version alone: libamdhip64.so.4, not libamdhip64.so.4.1.21150.
                let version = name.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.'));
                version.is_some_and(|v| v.parse::<u32>().is_ok()) && !kind.sonames().contains(&name)
            })
            .collect();
        found.sort();
        found.dedup();
        found
    }
}

/// The folders of an installation that libraries may be in.
fn library_folders(path: &Path) -> [PathBuf; 3] {
    [path.join("lib"), path.join("lib64"), path.to_owned()]
}

/// /opt/rocm, then /opt/rocm-7.0, /opt/rocm-6.4.3, ...
fn opt_rocm(opt: &Path) -> Vec<PathBuf> {
    let mut found: Vec<(Vec<u32>, PathBuf)> = entries(opt)
        .into_iter()
        .filter_map(|path| {
            let rest = path.file_name()?.to_str()?.strip_prefix("rocm")?;
            let version =
                rest.trim_start_matches('-').split('.').filter_map(|part| part.parse().ok()).collect();
            // The plain name is the installation's own choice among several.
            Some((if rest.is_empty() { vec![u32::MAX] } else { version }, path))
        })
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    if found.is_empty() {
        // Named in the error, so that one sees where ROCm would be.
        found.push((Vec::new(), opt.join("rocm")));
    }
    found.into_iter().map(|(_, path)| path).collect()
}

/// The site-packages folders of the active virtual environment, of conda, of the `python3` on the path, and of the user.
fn site_packages() -> Vec<PathBuf> {
    let variable = |name| env::var_os(name).map(PathBuf::from);
    let mut prefixes: Vec<PathBuf> =
        ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(variable).collect();
    if let Some(path) = env::var_os("PATH") {
        let folders = env::split_paths(&path).filter(|folder| folder.join("python3").exists());
        prefixes.extend(folders.filter_map(|folder| Some(folder.parent()?.to_owned())));
    }
    prefixes.extend(variable("HOME").map(|home| home.join(".local")));
    let mut found: Vec<PathBuf> = Vec::new();
    for prefix in prefixes {
        for lib in ["lib", "lib64"] {
            for python in entries(&prefix.join(lib)) {
                if python.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python3")) {
                    found
                        .extend(["site-packages", "dist-packages"].into_iter().map(|name| python.join(name)));
                }
            }
        }
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|folder| {
        folder.is_dir() && seen.insert(fs::canonicalize(folder).unwrap_or_else(|_| folder.clone()))
    });
    found
}

/// ROCm's own wheels in a site-packages folder, then the copy that PyTorch's wheels bring.
fn wheel_folders(site: &Path) -> Vec<PathBuf> {
    let mut wheels: Vec<PathBuf> = entries(site)
        .into_iter()
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("_rocm_sdk_")))
        .collect();
    wheels.sort();
    wheels.push(site.join("torch"));
    wheels.retain(|wheel| wheel.join("lib").is_dir());
    wheels
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(root: &Path, names: &[&str]) {
        names.iter().for_each(|name| fs::create_dir_all(root.join(name)).unwrap());
    }

    #[test]
    fn newest_rocm_in_opt_comes_first() {
        let opt = tempfile::tempdir().unwrap();
        folders(opt.path(), &["rocm-6.10.0", "rocm-6.9.1", "rocm-7.0", "amdgpu", "rocm"]);
        let names: Vec<_> = opt_rocm(opt.path()).iter().map(|p| p.file_name().unwrap().to_owned()).collect();
        assert_eq!(names, ["rocm", "rocm-7.0", "rocm-6.10.0", "rocm-6.9.1"]);
        assert_eq!(opt_rocm(&opt.path().join("amdgpu")), [opt.path().join("amdgpu/rocm")]);
    }

    #[test]
    fn wheels_are_found_before_torch() {
        let site = tempfile::tempdir().unwrap();
        folders(
            site.path(),
            &[
                "torch/lib",
                "_rocm_sdk_core/lib",
                "_rocm_sdk_libraries_gfx110X_all/lib",
                "_rocm_sdk_devel",
                "x",
            ],
        );
        let names: Vec<_> =
            wheel_folders(site.path()).iter().map(|p| p.file_name().unwrap().to_owned()).collect();
        assert_eq!(names, ["_rocm_sdk_core", "_rocm_sdk_libraries_gfx110X_all", "torch"]);
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
