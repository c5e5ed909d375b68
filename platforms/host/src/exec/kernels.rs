//! HIP's functions of kernels: launches, attributes and occupancy.

use std::ffi::{c_int, c_uint};
use std::ptr;

use rocm_platform::hip::{self, HipResult, Kernels, LaunchCall};
use rocm_platform::hip_kernel_exports;
use rocm_sys::hip::{hipError_t, hipFuncAttribute, hipFuncAttributes, hipFunction_attribute, hipFunction_t};

use super::modules::Function;
use super::runner::MAX_THREADS;
use crate::exports::Host;
use crate::processor::{Arguments, Launch};
use crate::runtime::{device, properties, stream};

/// Copies the arguments of a launch from either of the two forms in which HIP accepts them.
///
/// # Safety
/// The arguments are as HIP wants them.
unsafe fn arguments(function: &Function, call: &LaunchCall) -> HipResult<Arguments> {
    let kernel = function.info();
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

/// What HIP checks before it queues a launch, on a device with so much shared memory per block.
fn check(grid: [c_uint; 3], block: [c_uint; 3], shared_bytes: c_uint, shared_memory: u32) -> HipResult {
    let fits = block.iter().all(|size| (1..=MAX_THREADS).contains(size))
        && block.iter().product::<u32>() <= MAX_THREADS
        && grid.iter().zip(properties::MAX_GRID).all(|(&size, most)| (1..=most as u32).contains(&size))
        && shared_bytes <= shared_memory;
    if fits { Ok(()) } else { Err(hipError_t::hipErrorInvalidValue) }
}

fn active_blocks(threads: c_int, shared_bytes: usize) -> HipResult<c_int> {
    if threads <= 0 || threads as u32 > MAX_THREADS {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    let shared_memory = device::current().shared_memory();
    if shared_bytes > shared_memory as usize {
        return Ok(0);
    }
    let by_threads = 2048 / threads;
    let by_memory = shared_memory.checked_div(shared_bytes as u32).map_or(c_int::MAX, |count| count as c_int);
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
        let device = device::current();
        check(grid, block, shared_bytes, device.shared_memory())?;
        if function.arch != device.arch {
            return Err(hipError_t::hipErrorNoBinaryForGpu);
        }
        // SAFETY: the caller's arguments, of which HIP demands the same.
        let arguments = unsafe { arguments(&function, call)? };
        let what = format!("launch of {}", function.info().name);
        let launch = Launch { kernel: function.kernel, arguments, grid, block, shared_bytes };
        match stream::enqueue(stream, &what, Box::new(move || function.code.run(launch))) {
            hipError_t::hipSuccess => Ok(()),
            error => Err(error),
        }
    }

    unsafe fn parameter(function: hipFunction_t, index: usize) -> HipResult<(usize, usize)> {
        let function = Function::get(function)?;
        let parameter = function.info().parameters.get(index).ok_or(hipError_t::hipErrorInvalidValue)?;
        Ok((parameter.offset, parameter.size))
    }

    /// The block size, and 0 for everything else: the compiler's figures would mean nothing for a GPU.
    unsafe fn attribute(function: hipFunction_t, attribute: hipFunction_attribute) -> HipResult<c_int> {
        Function::get(function)?;
        match attribute {
            hipFunction_attribute::HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK => Ok(MAX_THREADS as c_int),
            hipFunction_attribute::HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES => {
                Ok(device::current().shared_memory() as c_int)
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
            maxDynamicSharedSizeBytes: device::current().shared_memory() as c_int,
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
            hipFuncAttribute::hipFuncAttributeMaxDynamicSharedMemorySize => {
                device::current().shared_memory() as c_int
            }
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

    /// What AMD's runtime accepts and refuses; it does not ask whether the device could count the threads.
    #[test]
    fn limits() {
        const LDS: u32 = 64 << 10;
        for (grid, block, shared) in [
            ([1, 1, 1], [1024, 1, 1], LDS),
            ([1, 65536, 65536], [1, 1, 1], 0),
            ([0x7fff_ffff, 1, 1], [256, 1, 1], 0),
            ([0x7fff_ffff, 65536, 65536], [1024, 1, 1], 0),
        ] {
            assert_eq!(check(grid, block, shared, LDS), Ok(()), "{grid:?} {block:?}");
        }
        for (grid, block, shared) in [
            ([0, 1, 1], [1, 1, 1], 0),
            ([1, 0, 1], [1, 1, 1], 0),
            ([0x8000_0000, 1, 1], [1, 1, 1], 0),
            ([1, 1, 65537], [1, 1, 1], 0),
            ([1, 1, 1], [0, 1, 1], 0),
            ([1, 1, 1], [1025, 1, 1], 0),
            ([1, 1, 1], [2048, 1, 1], 0),
            ([1, 1, 1], [32, 32, 2], 0),
            ([1, 1, 1], [1, 1, 1], LDS + 1),
            ([1, 1, 1], [1, 1, 1], 70_000),
            ([u32::MAX; 3], [u32::MAX; 3], u32::MAX),
        ] {
            let code = check(grid, block, shared, LDS);
            assert_eq!(code, Err(hipError_t::hipErrorInvalidValue), "{grid:?} {block:?} {shared}");
        }
        // A device with more of it.
        assert_eq!(check([1; 3], [1; 3], 70_000, 160 << 10), Ok(()));
    }
}
