//! The platform's RCCL, opened once.

use std::ffi::CStr;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use rocm_hip::{Device, HipError, PerPlatform};
use rocm_sys::rccl::{Rccl, ncclComm_t, ncclResult_t, result_name};
use rocm_sys::{LibraryKind, MissingSymbol};

use crate::{RcclError, Result};

static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// Whether the RCCL of some platform is open.
pub(crate) fn is_open() -> bool {
    IS_OPEN.load(Ordering::Acquire)
}

/// # Errors
/// [`HipError::Load`], which says what was tried.
pub(crate) fn rccl(device: Device) -> Result<&'static Rccl> {
    static OPEN: PerPlatform<Rccl> = PerPlatform::new();
    let open = || {
        IS_OPEN.store(true, Ordering::Release);
        Ok::<_, HipError>(Rccl::new(device.runtime().companion(LibraryKind::Rccl)?))
    };
    Ok(OPEN.get_or_try_init(device.platform(), open)?)
}

/// Who calls.
#[derive(Clone, Copy)]
pub(crate) struct Caller {
    pub(crate) rccl: &'static Rccl,
    pub(crate) device: Device,
    pub(crate) rank: u32,
}

impl Caller {
    pub(crate) fn check(
        self,
        call: &'static str,
        comm: ncclComm_t,
        code: std::result::Result<ncclResult_t, MissingSymbol>,
    ) -> Result<()> {
        match code? {
            ncclResult_t::ncclSuccess => Ok(()),
            code => Err(RcclError::Call {
                rank: self.rank,
                call,
                device: self.device.to_string(),
                name: result_name(code),
                message: self.last_error(comm),
            }),
        }
    }

    /// What RCCL says about the last error; empty before NCCL 2.13.
    pub(crate) fn last_error(self, comm: ncclComm_t) -> String {
        // SAFETY: the communicator lives, or is null.
        let text = unsafe { self.rccl.ncclGetLastError(comm) }.unwrap_or(ptr::null());
        if text.is_null() {
            return String::new();
        }
        // SAFETY: RCCL returns a string that stays valid until this thread's next call.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().trim().to_owned()
    }
}
