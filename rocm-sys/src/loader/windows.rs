//! LoadLibrary and its like.

use std::ffi::{CString, OsString, c_void};
use std::os::windows::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use libloading::os::windows::{LOAD_WITH_ALTERED_SEARCH_PATH, Library};

/// An open library; `None` is a program without a module of its own, which has no functions to look up.
pub(crate) struct Handle(Option<Library>);

impl Handle {
    /// Opens a file. What it needs is looked for beside it first, not beside the program: a wheel's runtime and the driver's have
    /// the same names.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        // The flag is for full paths.
        let path = std::path::absolute(path).map_err(|error| error.to_string())?;
        // SAFETY: loading runs the library's initializers, which are ROCm's or those of a file that the user named.
        unsafe { Library::load_with_flags(&path, LOAD_WITH_ALTERED_SEARCH_PATH) }
            .map(|library| Self(Some(library)))
            .map_err(|error| explain(&error))
    }

    /// This program, without the libraries that it is linked with: functions of those are called, and not looked up.
    #[cfg(feature = "link")]
    pub(crate) fn this() -> Self {
        Self(Library::this().ok())
    }

    pub(crate) fn symbol(&self, name: &str) -> Option<*const c_void> {
        let name = CString::new(name).ok()?;
        // SAFETY: only the symbol's address is used; whoever calls it is responsible for its type.
        let symbol = unsafe { self.0.as_ref()?.get::<*const c_void>(name.as_bytes_with_nul()) };
        symbol.ok().map(|symbol| symbol.as_raw_ptr().cast_const())
    }
}

/// The system's message, and what it does not say: the library itself is there, so another one is not.
fn explain(error: &libloading::Error) -> String {
    use std::error::Error;
    const MODULE_NOT_FOUND: &str = "(os error 126)";

    let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    match text.ends_with(MODULE_NOT_FOUND) {
        true => format!("{text}: a library that it needs is missing"),
        false => text,
    }
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetModuleHandleExW(flags: u32, address: *const c_void, module: *mut *mut c_void) -> i32;
    fn GetModuleFileNameW(module: *mut c_void, name: *mut u16, size: u32) -> u32;
    fn GetSystemDirectoryW(name: *mut u16, size: u32) -> u32;
}

/// The file that an address was loaded from.
#[allow(clippy::not_unsafe_ptr_arg_deref, reason = "GetModuleHandleEx reads nothing there")]
pub fn file_of(address: *const c_void) -> Option<PathBuf> {
    /// The handle is that of an address, and is not counted.
    const FROM_ADDRESS: u32 = 4 | 2;

    let mut module = std::ptr::null_mut();
    // SAFETY: the call compares the address with the ranges of loaded files and writes one handle. Null would be the program itself.
    let found = !address.is_null() && unsafe { GetModuleHandleExW(FROM_ADDRESS, address, &mut module) } != 0;
    // SAFETY: the module stays loaded, as libraries are never closed here; there is room for as many units as said.
    found.then(|| read(|name, size| unsafe { GetModuleFileNameW(module, name, size) }))?
}

/// System32, where the graphics driver puts the HIP runtime.
pub(crate) fn system_folder() -> Option<PathBuf> {
    // SAFETY: there is room for as many units as said.
    read(|name, size| unsafe { GetSystemDirectoryW(name, size) })
}

/// A path from a function that returns its length, 0 for a failure. No path that Windows gives is longer than this.
fn read(call: impl FnOnce(*mut u16, u32) -> u32) -> Option<PathBuf> {
    let mut name = vec![0; 1 << 15];
    let length = call(name.as_mut_ptr(), name.len() as u32) as usize;
    let name = name.get(..length).filter(|name| !name.is_empty())?;
    Some(PathBuf::from(OsString::from_wide(name)))
}
