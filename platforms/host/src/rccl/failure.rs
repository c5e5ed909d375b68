//! What goes wrong with a communicator: RCCL's code, and the words for `ncclGetLastError`.

use rocm_sys::rccl::ncclResult_t;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::io;

#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) code: ncclResult_t,
    pub(super) text: CString,
}

impl Failure {
    pub(super) fn new(code: ncclResult_t, text: impl Into<String>) -> Self {
        Self { code, text: CString::new(text.into()).unwrap_or_default() }
    }

    /// Two ranks do not fit together.
    pub(super) fn usage(text: impl Into<String>) -> Self {
        Self::new(ncclResult_t::ncclInvalidUsage, text)
    }

    /// A rank is gone.
    pub(super) fn remote(text: impl Into<String>) -> Self {
        Self::new(ncclResult_t::ncclRemoteError, text)
    }

    pub(super) fn system(what: &str, error: &io::Error) -> Self {
        Self::new(ncclResult_t::ncclSystemError, format!("{what}: {error}"))
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Keeps the words for [`last`], and leaves the code.
pub(super) fn keep(failure: Failure) -> ncclResult_t {
    LAST.set(failure.text);
    failure.code
}

/// The words of the thread's last failure; valid until its next one.
pub(super) fn last() -> *const c_char {
    LAST.with_borrow(|text| text.as_ptr())
}
