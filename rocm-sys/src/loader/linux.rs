//! dlopen and its like.

use std::ffi::{CStr, CString, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use libloading::os::unix;

/// An open library.
pub(crate) struct Handle(unix::Library);

impl Handle {
    /// Opens a file, or a bare name through the loader's path.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        // Bind now: with lazy binding, a dependency of the wrong version would kill the process at the first call.
        // SAFETY: loading runs the library's initializers, which are ROCm's or those of a file that the user named.
        unsafe { unix::Library::open(Some(path), unix::RTLD_NOW | unix::RTLD_LOCAL) }
            .map(Self)
            .map_err(|error| explain(&error, path))
    }

    /// This program and the libraries that it is linked with.
    #[cfg(feature = "link")]
    pub(crate) fn this() -> Self {
        Self(unix::Library::this())
    }

    pub(crate) fn symbol(&self, name: &str) -> Option<*const c_void> {
        let name = CString::new(name).ok()?;
        // SAFETY: only the symbol's address is used; whoever calls it is responsible for its type.
        let symbol = unsafe { self.0.get::<*const c_void>(name.as_bytes_with_nul()) };
        symbol.ok().map(|symbol| symbol.as_raw_ptr().cast_const())
    }
}

/// The loader's message without the file name, which the caller prints.
fn explain(error: &libloading::Error, path: &Path) -> String {
    use std::error::Error;
    let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    let name = path.display().to_string();
    text.strip_prefix(&format!("{name}: ")).unwrap_or(&text).to_owned()
}

/// The file that an address was loaded from. For a bare name, this is the file that the loader found.
#[allow(clippy::not_unsafe_ptr_arg_deref, reason = "dladdr reads nothing there")]
pub fn file_of(address: *const c_void) -> Option<PathBuf> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: dladdr compares the address with the ranges of loaded files and writes to `info`.
    let found = unsafe { libc::dladdr(address, &mut info) } != 0 && !info.dli_fname.is_null();
    // SAFETY: dladdr's C string lives as long as the file is loaded, and libraries are never closed here.
    let name = found.then(|| unsafe { CStr::from_ptr(info.dli_fname) })?;
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

/// Libraries are found by their names.
pub(crate) fn system_folder() -> Option<PathBuf> {
    None
}
