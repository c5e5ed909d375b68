//! How many blocks of a kernel a multiprocessor holds.

use super::device::{self, Device};
use crate::error::write;
use crate::exports::export;
use cudarc::driver::sys::CUfunction;
use rocm_sys::hip::{hipError_t, hipFunction_t};
use std::ffi::{c_int, c_uint};

fn resolve(function: hipFunction_t) -> Result<(&'static Device, CUfunction), hipError_t> {
    if function.is_null() {
        return Err(hipError_t::hipErrorInvalidHandle);
    }
    Ok((device::enter()?, function as CUfunction))
}

/// # Safety
/// `out` is null or valid for writing; the handle is that of a kernel.
unsafe fn active_blocks(
    out: *mut c_int,
    function: hipFunction_t,
    threads: c_int,
    shared_bytes: usize,
    flags: c_uint,
) -> Result<(), hipError_t> {
    let (device, function) = resolve(function)?;
    let mut blocks = 0;
    // SAFETY: the first out-parameter is valid, the rest is the caller's.
    unsafe {
        device.cuda.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &mut blocks,
            function,
            threads,
            shared_bytes,
            flags,
        )?;
        write(out, blocks)
    }
}

/// # Safety
/// `grid` and `block` are null or valid for writing; the handle is that of a kernel.
unsafe fn best_block(
    (grid, block): (*mut c_int, *mut c_int),
    function: hipFunction_t,
    shared_bytes: usize,
    limit: c_int,
    flags: c_uint,
) -> Result<(), hipError_t> {
    let (device, function) = resolve(function)?;
    let (mut blocks, mut threads) = (0, 0);
    // SAFETY: the first out-parameters are valid, the rest is the caller's.
    unsafe {
        device.cuda.cuOccupancyMaxPotentialBlockSizeWithFlags(
            &mut blocks,
            &mut threads,
            function,
            None,
            shared_bytes,
            limit,
            flags,
        )?;
        write(grid, blocks)?;
        write(block, threads)
    }
}

export! {
    hip => EXPORTS;

    fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int, function: hipFunction_t, threads: c_int, shared_bytes: usize,
    ) -> hipError_t {
        // SAFETY: the caller's out-parameter and handle.
        unsafe { active_blocks(blocks, function, threads, shared_bytes, 0) }
    }

    fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: *mut c_int, function: hipFunction_t, threads: c_int, shared_bytes: usize, flags: c_uint,
    ) -> hipError_t {
        // SAFETY: the caller's out-parameter and handle.
        unsafe { active_blocks(blocks, function, threads, shared_bytes, flags) }
    }

    fn hipModuleOccupancyMaxPotentialBlockSize(
        grid: *mut c_int, block: *mut c_int, function: hipFunction_t, shared_bytes: usize, limit: c_int,
    ) -> hipError_t {
        // SAFETY: the caller's out-parameters and handle.
        unsafe { best_block((grid, block), function, shared_bytes, limit, 0) }
    }

    fn hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
        grid: *mut c_int, block: *mut c_int, function: hipFunction_t, shared_bytes: usize, limit: c_int, flags: c_uint,
    ) -> hipError_t {
        // SAFETY: the caller's out-parameters and handle.
        unsafe { best_block((grid, block), function, shared_bytes, limit, flags) }
    }
}
