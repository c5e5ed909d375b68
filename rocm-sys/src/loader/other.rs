//! Systems without ROCm.

use std::ffi::c_void;
use std::path::{Path, PathBuf};

/// The reason; [`LoadError`](crate::LoadError) says what is supported.
const UNSUPPORTED: &str = "ROCm's libraries are opened on Linux and Windows only";

/// Never created: opening always fails.
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

pub(crate) fn system_folder() -> Option<PathBuf> {
    None
}
