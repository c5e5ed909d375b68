//! The C functions of this platform, found by name.

use std::ffi::c_void;
use std::sync::LazyLock;

use rocm_platform::Exports;

use super::{compiler, processor};

/// What differs from the host platform.
static OWN: Exports =
    Exports::new(&[super::hiprtc::EXPORTS, super::hiprtc::EXTENSIONS, super::comgr::EXPORTS]);

/// The address of a C function of HIP, hiprtc or comgr, rocBLAS or MIOpen, or `None` where this platform does not have it.
///
/// The first call decides which devices this process has: see [`unavailable`](crate::unavailable).
pub fn symbol(name: &str) -> Option<*const c_void> {
    let missing = (name.starts_with("hiprtc") && !compiler::has_hiprtc())
        || (name.starts_with("amd_comgr") && compiler::comgr_version().is_none());
    if missing || !is_installed() {
        return None;
    }
    OWN.symbol(name).or_else(|| candle_rocm_host::symbol(name))
}

/// The names of all C functions that [`symbol`] finds.
pub fn symbols() -> impl Iterator<Item = &'static str> {
    candle_rocm_host::symbols()
}

/// Whether the runtime's devices are ours: only one platform can have them.
pub(crate) fn is_installed() -> bool {
    static INSTALLED: LazyLock<bool> =
        LazyLock::new(|| candle_rocm_host::install("candle-rocm-gfx", processor::from_env()));
    *INSTALLED
}
