//! HIP's functions of kernels: launches, attributes and occupancy.

use std::ffi::{c_int, c_uint};
use std::ptr;

use rocm_platform::hip::{self, HipResult, Kernels, LaunchCall};
use rocm_platform::hip_kernel_exports;
use rocm_sys::hip::{hipError_t, hipFuncAttribute, hipFuncAttributes, hipFunction_attribute, hipFunction_t};

use super::launch::{Arguments, Launch};
use super::modules::Function;
use super::runner::MAX_THREADS;
use crate::exports::Host;
use crate::runtime::{device, stream};

/// The most dynamic shared memory that a launch may ask for.
const MAX_SHARED: u32 = 64 << 10;

/// Copies the arguments of a launch from either of the two forms in which HIP accepts them.
///
/// # Safety
/// The arguments are as HIP wants them.
unsafe fn arguments(function: &Function, call: &LaunchCall) -> HipResult<Arguments> {
    let kernel = &function.module.kernels[function.kernel];
    if call.parameters.is_null() && kernel.parameters.is_empty() {
        // SAFETY: there is nothing to copy.
        return Ok(unsafe { Arguments::copy(kernel, |_, _| ptr::null()) });
    }
    // SAFETY: the caller's promise: a list has as many addresses as there are parameters, each of a value of that parameter's
    // size; a buffer that is large enough has all parameters at their offsets.
    unsafe {
        match hip::Arguments::new(call.parameters, call.extra)? {
            hip::Arguments::Listed(list) => Ok(Arguments::copy(kernel, |index, _| (*list.add(index)).cast())),
            hip::Arguments::Packed { buffer, size } if *size >= kernel.arguments_size() => {
                Ok(Arguments::copy(kernel, |_, offset| buffer.cast::<u8>().add(offset)))
            }
            hip::Arguments::Packed { .. } | hip::Arguments::Missing => Err(hipError_t::hipErrorInvalidValue),
        }
    }
}

/// What a GPU's driver checks before it queues a launch.
fn check(grid: [c_uint; 3], block: [c_uint; 3], shared_bytes: c_uint) -> HipResult {
    let fits = block.iter().all(|size| (1..=MAX_THREADS).contains(size))
        && block.iter().product::<u32>() <= MAX_THREADS
        && grid.iter().all(|&size| size > 0)
        && grid[0] <= c_uint::MAX >> 1
        && grid[1] <= 0xffff
        && grid[2] <= 0xffff
        // A GPU counts threads per dimension in 32 bits.
        && grid.iter().zip(block).all(|(&grid, block)| grid.checked_mul(block).is_some())
        && shared_bytes <= MAX_SHARED;
    if fits { Ok(()) } else { Err(hipError_t::hipErrorInvalidConfiguration) }
}

fn active_blocks(threads: c_int, shared_bytes: usize) -> HipResult<c_int> {
    if threads <= 0 || threads as u32 > MAX_THREADS {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    if shared_bytes > MAX_SHARED as usize {
        return Ok(0);
    }
    let by_threads = 2048 / threads;
    let by_memory = MAX_SHARED.checked_div(shared_bytes as u32).map_or(c_int::MAX, |count| count as c_int);
    Ok(by_threads.min(by_memory).min(32))
}

/// For functions that take a kernel's address, which is a handle here.
fn function_at_address(function: hipFunction_t) -> HipResult<Function> {
    Function::get(function).map_err(|_| hipError_t::hipErrorInvalidDeviceFunction)
}

impl Kernels for Host {
    unsafe fn launch(call: &LaunchCall) -> HipResult {
        let function = Function::get(call.function)?;
        let &LaunchCall { grid, block, shared_bytes, stream, .. } = call;
        check(grid, block, shared_bytes)?;
        if function.module.wave != device::current().wavefront {
            return Err(hipError_t::hipErrorNoBinaryForGpu);
        }
        // SAFETY: the caller's arguments, of which HIP demands the same.
        let arguments = unsafe { arguments(&function, call)? };
        let launch = Launch::new(function.module, function.kernel, arguments, grid, block, shared_bytes);
        let what = format!("launch of {}", launch.name());
        match stream::enqueue(stream, &what, Box::new(move || launch.run())) {
            hipError_t::hipSuccess => Ok(()),
            error => Err(error),
        }
    }

    unsafe fn parameter(function: hipFunction_t, index: usize) -> HipResult<(usize, usize)> {
        let function = Function::get(function)?;
        let parameters = &function.module.kernels[function.kernel].parameters;
        let parameter = parameters.get(index).ok_or(hipError_t::hipErrorInvalidValue)?;
        Ok((parameter.offset, parameter.size))
    }

    /// The block size, and 0 for everything else: the compiler's figures would mean nothing for a GPU.
    unsafe fn attribute(function: hipFunction_t, attribute: hipFunction_attribute) -> HipResult<c_int> {
        Function::get(function)?;
        match attribute {
            hipFunction_attribute::HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK => Ok(MAX_THREADS as c_int),
            hipFunction_attribute::HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES => {
                Ok(MAX_SHARED as c_int)
            }
            hipFunction_attribute(0..10) => Ok(0),
            _ => Err(hipError_t::hipErrorInvalidValue),
        }
    }

    unsafe fn attributes(function: hipFunction_t) -> HipResult<hipFuncAttributes> {
        function_at_address(function)?;
        Ok(hipFuncAttributes {
            binaryVersion: 0,
            cacheModeCA: 0,
            constSizeBytes: 0,
            localSizeBytes: 0,
            maxDynamicSharedSizeBytes: MAX_SHARED as c_int,
            maxThreadsPerBlock: MAX_THREADS as c_int,
            numRegs: 0,
            preferredShmemCarveout: 0,
            ptxVersion: 0,
            sharedSizeBytes: 0,
        })
    }

    /// No effect; values that a device could not have are refused.
    unsafe fn set_attribute(function: hipFunction_t, attribute: hipFuncAttribute, value: c_int) -> HipResult {
        function_at_address(function)?;
        let limit = match attribute {
            hipFuncAttribute::hipFuncAttributeMaxDynamicSharedMemorySize => MAX_SHARED as c_int,
            hipFuncAttribute::hipFuncAttributePreferredSharedMemoryCarveout => 100,
            _ => return Err(hipError_t::hipErrorInvalidValue),
        };
        if (-1..=limit).contains(&value) { Ok(()) } else { Err(hipError_t::hipErrorInvalidValue) }
    }

    unsafe fn active_blocks(
        function: hipFunction_t,
        threads: c_int,
        shared_bytes: usize,
        _flags: c_uint,
    ) -> HipResult<c_int> {
        Function::get(function)?;
        active_blocks(threads, shared_bytes)
    }

    unsafe fn best_shape(
        function: hipFunction_t,
        shared_bytes: usize,
        limit: c_int,
        _flags: c_uint,
    ) -> HipResult<(c_int, c_int)> {
        Function::get(function)?;
        // Blocks of 256 threads suit a CPU as well as a GPU.
        let threads = if limit > 0 { limit.min(256) } else { 256 };
        let cores = super::pool::size() as c_int;
        Ok((active_blocks(threads, shared_bytes)? * cores, threads))
    }
}

hip_kernel_exports! { Host }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        assert!(check([1, 1, 1], [1024, 1, 1], 65536).is_ok());
        assert!(check([0x7fff_ffff, 1, 1], [2, 1, 1], 0).is_ok());
        for (grid, block, shared) in [
            ([0, 1, 1], [1, 1, 1], 0),
            ([1, 1, 1], [0, 1, 1], 0),
            ([1, 1, 1], [1025, 1, 1], 0),
            ([1, 1, 1], [32, 32, 2], 0),
            ([1, 0x10000, 1], [1, 1, 1], 0),
            ([0x7fff_ffff, 1, 1], [256, 1, 1], 0),
            ([1, 1, 1], [1, 1, 1], 65537),
            ([u32::MAX; 3], [u32::MAX; 3], u32::MAX),
        ] {
            assert_eq!(
                check(grid, block, shared),
                Err(hipError_t::hipErrorInvalidConfiguration),
                "{grid:?} {block:?}"
            );
        }
    }
}
