//! Faults: errors of queued work, which stick to the device.

use crate::exports::Host;
use rocm_platform::arguments::write_text;
use rocm_platform::export;
use rocm_sys::hip::hipError_t;
use std::ffi::{c_char, c_int};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Whose devices the runtime has.
static PLATFORM: OnceLock<&str> = OnceLock::new();

/// Names the platform in reports.
pub(crate) fn set_platform(name: &'static str) {
    // The first one has the devices.
    let _ = PLATFORM.set(name);
}

static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Prints a message to stderr and keeps it for [`last_fault`].
pub(crate) fn report(message: String) {
    eprintln!("{}: {message}", PLATFORM.get().unwrap_or(&"candle-rocm-host"));
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
}

/// The most recent fault of any device: a kernel that failed, or a guard zone that was overwritten.
///
/// HIP itself has only the error code; this has the message.
pub fn last_fault() -> Option<String> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

export! {
    Host, extension => EXTENSIONS;

    /// [`last_fault`] for C.
    fn candleRocmLastFault(text: *mut c_char, size: usize) -> hipError_t {
        let size = c_int::try_from(size).unwrap_or(c_int::MAX);
        // SAFETY: the caller vouches for `size` bytes.
        Ok(unsafe { write_text(text, size, &last_fault().unwrap_or_default()) }?)
    }
}
