//! The operating system's loader of shared libraries.

use std::ffi::c_void;
use std::path::{Path, PathBuf};

/// What is said elsewhere; [`LoadError`](crate::LoadError) says what is supported.
#[cfg(not(target_os = "linux"))]
const UNSUPPORTED: &str = "ROCm's libraries are opened on Linux only";

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::{CStr, CString, OsStr};
    use std::os::unix::ffi::OsStrExt;

    use libloading::os::unix;

    use super::{Path, PathBuf, c_void};

    /// A library that the loader holds.
    pub(crate) struct Handle(unix::Library);

    impl Handle {
        /// Opens one file, or a bare name through the loader's path.
        pub(crate) fn open(path: &Path) -> Result<Self, String> {
            // With lazy binding, a dependency of the wrong version would end the process at the first call; so bind all now.
            // SAFETY: loading runs the library's initialisers. They are those of ROCm, or of the file that the user named.
            unsafe { unix::Library::open(Some(path), unix::RTLD_NOW | unix::RTLD_LOCAL) }
                .map(Self)
                .map_err(|error| explain(&error, path))
        }

        /// This program with what it was linked to.
        #[cfg(feature = "link")]
        pub(crate) fn this() -> Self {
            Self(unix::Library::this())
        }

        pub(crate) fn symbol(&self, name: &str) -> Option<*const c_void> {
            let name = CString::new(name).ok()?;
            // SAFETY: the symbol is only turned into its address; whoever calls it vouches for its type.
            let symbol = unsafe { self.0.get::<*const c_void>(name.as_bytes_with_nul()) };
            symbol.ok().map(|symbol| symbol.as_raw_ptr().cast_const())
        }
    }

    /// The loader's own words, without the file name, which is printed anyway.
    fn explain(error: &libloading::Error, path: &Path) -> String {
        use std::error::Error;
        let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        let name = path.display().to_string();
        text.strip_prefix(&format!("{name}: ")).unwrap_or(&text).to_owned()
    }

    /// The file that an address was loaded from: what the loader found behind a bare name.
    #[allow(clippy::not_unsafe_ptr_arg_deref, reason = "dladdr reads nothing there")]
    pub fn file_of(address: *const c_void) -> Option<PathBuf> {
        let mut info = libc::Dl_info {
            dli_fname: std::ptr::null(),
            dli_fbase: std::ptr::null_mut(),
            dli_sname: std::ptr::null(),
            dli_saddr: std::ptr::null_mut(),
        };
        // SAFETY: dladdr only compares the address with the loaded files' ranges, and writes to `info`.
        let found = unsafe { libc::dladdr(address, &mut info) } != 0 && !info.dli_fname.is_null();
        // SAFETY: dladdr gave a C string that lives as long as the file is loaded, and libraries here are never closed.
        let name = found.then(|| unsafe { CStr::from_ptr(info.dli_fname) })?;
        Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{Path, PathBuf, UNSUPPORTED, c_void};

    /// None is ever opened.
    pub(crate) struct Handle;

    impl Handle {
        pub(crate) fn open(_: &Path) -> Result<Self, String> {
            Err(UNSUPPORTED.to_owned())
        }

        pub(crate) fn symbol(&self, _: &str) -> Option<*const c_void> {
            None
        }

        #[cfg(feature = "link")]
        pub(crate) fn this() -> Self {
            Self
        }
    }

    pub fn file_of(_: *const c_void) -> Option<PathBuf> {
        None
    }
}

pub(crate) use system::Handle;
pub use system::file_of;

/// The folders that the loader looks in for bare names, as far as they can be known: `LD_LIBRARY_PATH`, then the usual ones.
pub(crate) fn folders() -> Vec<PathBuf> {
    let listed = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let usual = ["/usr/local/lib", "/lib64", "/usr/lib64", "/usr/lib"].map(PathBuf::from);
    let multiarch = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let listed: Vec<PathBuf> =
        std::env::split_paths(&listed).filter(|folder| !folder.as_os_str().is_empty()).collect();
    listed.into_iter().chain([PathBuf::from(multiarch)]).chain(usual).collect()
}

/// The file that the loader is about to open: of a bare name the first in [`folders`], if any.
pub(crate) fn file_behind(path: &Path) -> Option<PathBuf> {
    if path.components().count() > 1 {
        return Some(path.to_owned());
    }
    folders().into_iter().map(|folder| folder.join(path)).find(|file| file.exists())
}
