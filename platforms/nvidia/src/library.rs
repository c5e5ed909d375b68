//! Finding and opening NVIDIA's libraries.

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::env;
use std::ffi::c_int;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Files and folders to search before all others.
const VARIABLE: &str = "CANDLE_ROCM_CUDA_PATH";

/// Opens the first of `names` that can be opened; the error lists what was tried.
///
/// `helpers` is a prefix of the names of files that the library itself opens through the loader's path. They are opened first, from
/// the library's folder.
pub(crate) fn open(
    what: &str,
    names: &[String],
    helpers: Option<&str>,
    advice: &str,
) -> Result<Library, String> {
    let candidates = candidates(names, &folders());
    let mut tried = String::new();
    for path in &candidates {
        if let (Some(helpers), Some(folder)) = (helpers, path.parent().filter(|folder| folder.is_absolute()))
        {
            for helper in entries(folder, helpers) {
                // SAFETY: as below.
                if let Ok(helper) = unsafe { Library::open(Some(helper), RTLD_NOW | RTLD_LOCAL) } {
                    // It has to stay open.
                    std::mem::forget(helper);
                }
            }
        }
        // SAFETY: loading runs the library's initialisers: NVIDIA's, or those of what the user put there.
        match unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) } {
            Ok(library) => return Ok(library),
            Err(error) => {
                let _ = write!(tried, "\n  {}", explain(&error, path));
            }
        }
    }
    Err(format!(
        "{what} was not found: {advice}\nTried, in {VARIABLE}, LD_LIBRARY_PATH and the usual folders:{tried}"
    ))
}

/// The file names of a library of CUDA's, the driver's own major version first: a library for a newer driver may not work with this
/// one.
pub(crate) fn versioned_names(library: &str, driver: Option<c_int>) -> Vec<String> {
    let mut majors = [13, 12];
    if let Some(driver) = driver {
        majors.sort_by_key(|major| *major != driver / 1000);
    }
    let versioned = majors.iter().map(|major| format!("{library}.{major}"));
    versioned.chain([library.to_owned()]).collect()
}

/// The folder of CUDA's headers for device code, if there is one: next to the folders of libraries.
pub(crate) fn include_folders() -> &'static [PathBuf] {
    static FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOLDERS.get_or_init(|| {
        let listed = [VARIABLE, "LD_LIBRARY_PATH"].into_iter().filter_map(env::var_os);
        let listed: Vec<_> = listed.flat_map(|list| env::split_paths(&list).collect::<Vec<_>>()).collect();
        let roots = listed.into_iter().chain(folders());
        let includes = roots.flat_map(|folder| {
            [Some(folder.join("include")), folder.parent().map(|parent| parent.join("include"))]
        });
        includes.flatten().find(|folder| folder.join("cuda_fp16.h").is_file()).into_iter().collect()
    })
}

/// Bare names for the loader's path, then files of these names in the folders.
fn candidates(names: &[String], folders: &[PathBuf]) -> Vec<PathBuf> {
    let explicit = env::var_os(VARIABLE).unwrap_or_default();
    let mut paths = Vec::new();
    for path in env::split_paths(&explicit).filter(|path| !path.as_os_str().is_empty()) {
        if path.is_dir() {
            in_folders(names, &[path.clone(), path.join("lib"), path.join("lib64")], &mut paths);
        } else if path.file_name().is_some_and(|file| names.iter().any(|name| *file == **name)) {
            paths.push(path);
        }
    }
    paths.extend(names.iter().map(PathBuf::from));
    in_folders(names, folders, &mut paths);
    paths
}

fn in_folders(names: &[String], folders: &[PathBuf], paths: &mut Vec<PathBuf>) {
    let files = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    paths.extend(files.filter(|path| path.is_file()));
}

/// Where NVIDIA's libraries may be that the loader does not search.
fn folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for root in ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(env::var_os).map(PathBuf::from) {
        folders.extend(["lib64", "lib", "targets/x86_64-linux/lib"].map(|folder| root.join(folder)));
    }
    let named = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let with_python = env::split_paths(&path).filter(|folder| folder.join("python3").is_file());
    let prefixes = with_python.filter_map(|folder| folder.parent().map(Path::to_owned));
    for root in named.chain(prefixes) {
        for python in entries(&root.join("lib"), "python3") {
            let packages = entries(&python.join("site-packages/nvidia"), "");
            folders.extend(packages.into_iter().map(|package| package.join("lib")));
        }
    }
    let installed = entries(Path::new("/usr/local"), "cuda");
    folders.extend(installed.into_iter().map(|root| root.join("lib64")));
    folders
}

/// The entries of a folder that start with `prefix`, in descending order.
fn entries(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(found) = folder.read_dir() else { return Vec::new() };
    let mut paths: Vec<_> = found
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path())
        .collect();
    paths.sort_unstable_by(|a, b| b.cmp(a));
    paths
}

/// The loader's own message, which names the file.
fn explain(error: &libloading::Error, path: &Path) -> String {
    use std::error::Error;
    let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    let name = path.display().to_string();
    if text.contains(&name) { text } else { format!("{name}: {text}") }
}

/// Declares the functions of a library: a struct with a method per function.
///
/// ```ignore
/// functions! { Driver, sys: CUresult, check -> hipError_t;
///     fn cuInit(flags: c_uint);
///     fn cuEventElapsedTime(...) = cuEventElapsedTime_v2; // the C name, then the binding's, where they differ
/// }
/// ```
///
/// Types are checked against cudarc's bindings. Its functions are not called: they panic where a function is missing,
/// and return Rust enums, for which a code that a later driver invents would be undefined behaviour.
macro_rules! functions {
    (
        $api:ident, $sys:ident: $raw:ident, $check:ident -> $error:ty;
        $(fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(= $binding:ident)?;)+
    ) => {
        #[allow(non_snake_case)]
        pub(crate) struct $api {
            $($name: unsafe extern "C" fn($($type),*) -> u32,)+
        }

        #[allow(non_snake_case, clippy::too_many_arguments)]
        impl $api {
            /// Finds all functions. The error names the one that is missing.
            fn load(library: &libloading::os::unix::Library) -> Result<Self, &'static str> {
                Ok(Self {
                    $(
                        // SAFETY: the type is that of the C function; results of C enums are passed as integers.
                        $name: *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }
                            .map_err(|_| stringify!($name))?,
                    )+
                })
            }

            $(
                /// # Safety
                /// As for the C function.
                #[inline]
                pub(crate) unsafe fn $name(&self, $($arg: $type),*) -> Result<(), $error> {
                    // SAFETY: the caller vouches for the arguments.
                    $check(unsafe { (self.$name)($($arg),*) })
                }
            )+
        }

        $(
            const _: unsafe fn($($type),*) -> $sys::$raw = $crate::library::functions!(@binding $sys $name $($binding)?);
        )+
    };
    (@binding $sys:ident $name:ident) => { $sys::$name };
    (@binding $sys:ident $name:ident $binding:ident) => { $sys::$binding };
}
pub(crate) use functions;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_explained() {
        let names = ["libdoes-not-exist.so.13".to_owned(), "libdoes-not-exist.so".to_owned()];
        let text = open("NVRTC", &names, None, "install it").unwrap_err();
        assert!(text.starts_with("NVRTC was not found: install it"), "{text}");
        assert!(names.iter().all(|name| text.contains(&**name)), "{text}");
    }

    #[test]
    fn the_drivers_own_version_comes_first() {
        let newest = ["libx.so.13", "libx.so.12", "libx.so"];
        assert_eq!(versioned_names("libx.so", None), newest);
        assert_eq!(versioned_names("libx.so", Some(13_000)), newest);
        assert_eq!(versioned_names("libx.so", Some(12_080)), ["libx.so.12", "libx.so.13", "libx.so"]);
    }

    #[test]
    fn bare_names_come_before_folders() {
        let folder = env::temp_dir().join(format!("candle-rocm-nvidia-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("libx.so.12"), "").unwrap();
        let names = ["libx.so.13".to_owned(), "libx.so.12".to_owned()];
        let found = candidates(&names, std::slice::from_ref(&folder));
        let expected = ["libx.so.13".into(), "libx.so.12".into(), folder.join("libx.so.12")];
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, expected);
    }
}
