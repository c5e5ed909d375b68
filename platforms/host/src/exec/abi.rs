//! The interface between compiled modules and the platform: the structures of `hiprtc/prelude/core.h`. Modules have Linux's calling
//! convention on every system.

use std::ffi::{c_char, c_void};

/// Changes whenever a structure here does.
pub(crate) const VERSION: u32 = 1;

/// The functions that kernels call.
#[repr(C)]
pub(crate) struct Hooks {
    pub(crate) barrier: unsafe extern "sysv64" fn(*mut c_void, u64, u32, u32, *const c_char) -> u64,
    pub(crate) wave: unsafe extern "sysv64" fn(*mut c_void, u64, u32, u64, u32, u32, *const c_char) -> u64,
    pub(crate) fail: unsafe extern "sysv64" fn(*mut c_void, u64, *const c_char, u32, *const c_char),
    pub(crate) begin: unsafe extern "sysv64" fn(*mut c_void, u32),
    pub(crate) fence: unsafe extern "sysv64" fn(),
}

/// A kernel in a module.
#[repr(C)]
pub(crate) struct Kernel {
    pub(crate) name: *const c_char,
    pub(crate) run: unsafe extern "sysv64" fn(*const *const c_void),
    pub(crate) sizes: *const u32,
    pub(crate) alignments: *const u32,
    pub(crate) count: u32,
}

/// What all blocks of a launch share.
#[repr(C)]
pub(crate) struct Launch {
    pub(crate) hooks: *const Hooks,
    pub(crate) block: *mut c_void,
    pub(crate) order: *const u32,
    pub(crate) grid_size: [u32; 3],
    pub(crate) block_size: [u32; 3],
}

/// The one symbol of a module.
#[repr(C)]
pub(crate) struct Module {
    pub(crate) abi: u32,
    pub(crate) wave: u32,
    pub(crate) kernel_count: u32,
    pub(crate) dynamic_shared_size: u32,
    pub(crate) kernels: *const Kernel,
    pub(crate) enter: unsafe extern "sysv64" fn(*const Launch),
    pub(crate) block: unsafe extern "sysv64" fn(u32, u32, u32),
    pub(crate) position: unsafe extern "sysv64" fn() -> u64,
    pub(crate) dynamic_shared: *mut c_char,
}

/// The name of that symbol.
pub(crate) const SYMBOL: &std::ffi::CStr = c"__crh_this_module";

/// The operations of a wavefront.
#[cfg(test)]
pub(crate) const EXCHANGE: u32 = 0;
pub(crate) const BALLOT: u32 = 1;
pub(crate) const MATCH: u32 = 2;
