//! Loads a module's shared object, once for each thread that runs it.

use std::ffi::{CStr, CString, c_void};
use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::{AsRawFd, FromRawFd};

use super::abi;
use crate::sanitizer::order;

/// A loaded copy of a module. Its statics belong to the thread that owns the copy.
pub(crate) struct Copy {
    handle: *mut c_void,
    /// Open as long as the object is loaded: the loader identifies objects by their path, and the number of a closed file is
    /// reused.
    file: Option<File>,
    table: *const abi::Module,
}

// SAFETY: a copy is used by one thread at a time; loaded objects belong to no thread.
unsafe impl Send for Copy {}

impl Copy {
    /// Loads an object that `startup::check` has accepted.
    pub(crate) fn load(object: &[u8]) -> Result<Self, String> {
        let file = memory_file(c"candle-rocm-host-module", object)
            .map_err(|error| format!("cannot allocate memory for the module: {error}"))?;
        // The process's number, not `self`: programs that symbolize addresses look the file up themselves.
        let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
        let path = CString::new(path).map_err(|error| error.to_string())?;
        // SAFETY: the object was made by this platform's compiler, and `startup::check` found that nothing runs when it is loaded.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            return Err(loader_error());
        }
        // SAFETY: a handle that dlopen gave.
        let table = unsafe { libc::dlsym(handle, abi::SYMBOL.as_ptr()) }.cast::<abi::Module>();
        let copy = Self { handle, file: Some(file), table };
        if table.is_null() {
            return Err("the object has no kernel table".to_owned());
        }
        // SAFETY: the symbol is that structure; its version is its first field in every version.
        let version = unsafe { (*table).abi };
        if version != abi::VERSION {
            return Err(format!(
                "built for version {version} of the platform's module ABI, which is now version {}",
                abi::VERSION
            ));
        }
        Ok(copy)
    }

    /// Its functions and variables.
    pub(crate) fn table(&self) -> &abi::Module {
        // SAFETY: in the object, which is loaded as long as `self` lives.
        unsafe { &*self.table }
    }

    /// The address at which it is loaded.
    pub(crate) fn base(&self) -> usize {
        let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: fills a structure for which zeros are valid, for an address in the object.
        unsafe {
            libc::dladdr(self.table.cast(), found.as_mut_ptr());
            found.assume_init().dli_fbase as usize
        }
    }

    /// Its kernels.
    pub(crate) fn kernels(&self) -> &[abi::Kernel] {
        let table = self.table();
        if table.kernel_count == 0 {
            return &[];
        }
        // SAFETY: the table has as many entries as it says.
        unsafe { std::slice::from_raw_parts(table.kernels, table.kernel_count as usize) }
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        if order::is_checked() {
            // The sanitizer would take what is loaded there next for the same memory.
            return std::mem::forget(self.file.take());
        }
        // SAFETY: a handle that dlopen gave; none of its kernels is running: whoever runs one owns the copy.
        unsafe { libc::dlclose(self.handle) };
    }
}

/// A file in memory with these bytes.
pub(super) fn memory_file(name: &CStr, bytes: &[u8]) -> std::io::Result<File> {
    // SAFETY: a C string and a flag.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: a new descriptor that nobody else has.
    let mut file = unsafe { File::from_raw_fd(fd) };
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
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
