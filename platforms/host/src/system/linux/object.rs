//! Shared objects, by the system's loader.

use std::ffi::{CStr, CString, c_void};
use std::fs::File;
use std::os::fd::AsRawFd;

use super::memory;

/// A loaded object. Each is a copy of its own, even of the same bytes.
pub(crate) struct Object {
    handle: *mut c_void,
    /// Open as long as the object is loaded: the loader identifies objects by their path, and the number of a closed file is
    /// reused.
    _file: File,
}

impl Object {
    /// Loads an object.
    ///
    /// # Safety
    /// What it runs when it is loaded and unloaded is sound.
    pub(crate) unsafe fn load(bytes: &[u8]) -> Result<Self, String> {
        let file = memory::file(c"candle-rocm-host-module", bytes)
            .map_err(|error| format!("cannot allocate memory for the module: {error}"))?;
        // The process's number, not `self`: programs that symbolize addresses look the file up themselves.
        let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
        let path = CString::new(path).map_err(|error| error.to_string())?;
        // SAFETY: a C string; the caller vouches for what runs.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() { Err(loader_error()) } else { Ok(Self { handle, _file: file }) }
    }

    /// The address of a symbol.
    pub(crate) fn symbol(&self, name: &CStr) -> Option<*const c_void> {
        // SAFETY: a handle that dlopen gave.
        let found = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        (!found.is_null()).then_some(found.cast_const())
    }

    /// The address at which it is loaded, given one that is in it.
    pub(crate) fn base(&self, inside: *const c_void) -> usize {
        let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: fills a structure for which zeros are valid, for an address in the object.
        unsafe {
            libc::dladdr(inside, found.as_mut_ptr());
            found.assume_init().dli_fbase as usize
        }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: a handle that dlopen gave; its owner uses nothing of it any more.
        unsafe { libc::dlclose(self.handle) };
    }
}

fn loader_error() -> String {
    // SAFETY: gives null or a C string that stays until this thread's next call of the loader.
    let error = unsafe { libc::dlerror() };
    if error.is_null() {
        return "the loader refuses the object".to_owned();
    }
    // SAFETY: see above.
    unsafe { CStr::from_ptr(error) }.to_string_lossy().into_owned()
}
