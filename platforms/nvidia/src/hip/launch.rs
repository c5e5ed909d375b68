//! Launching kernels, and their attributes.

use super::device::{self, Device};
use crate::error::write;
use crate::exports::export;
use cudarc::driver::sys::{
    CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT, CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT, CU_LAUNCH_PARAM_END_AS_INT,
    CUfunction, CUfunction_attribute, CUstream,
};
use rocm_sys::hip::{
    hipError_t, hipFuncAttribute, hipFuncAttributes, hipFuncCache_t, hipFunction_attribute, hipFunction_t,
    hipStream_t,
};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

/// What every card since compute capability 3 accepts.
const MAX_GRID: [c_uint; 3] = [c_uint::MAX >> 1, 0xffff, 0xffff];
const MAX_BLOCK: [c_uint; 3] = [1024, 1024, 64];
const MAX_THREADS: c_uint = 1024;

fn fits(grid: [c_uint; 3], block: [c_uint; 3]) -> bool {
    let within = |sizes: [c_uint; 3], most: [c_uint; 3]| {
        sizes.iter().zip(most).all(|(&size, most)| (1..=most).contains(&size))
    };
    within(grid, MAX_GRID) && within(block, MAX_BLOCK) && block.iter().product::<c_uint>() <= MAX_THREADS
}

/// Launches; where the driver refuses, finds out what it takes.
///
/// A kernel may use up to 48 KiB of shared memory unless an attribute allows more. HIP has no such step, so it is taken
/// here, when it turns out to be needed: launches that need none pay nothing for it.
fn launch(
    device: &Device,
    function: hipFunction_t,
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared_bytes: c_uint,
    start: impl Fn() -> Result<(), hipError_t>,
) -> Result<(), hipError_t> {
    match start() {
        Err(hipError_t::hipErrorInvalidValue) if !fits(grid, block) => {
            Err(hipError_t::hipErrorInvalidConfiguration)
        }
        Err(hipError_t::hipErrorInvalidValue) if shared_bytes > 0 => {
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            let bytes =
                c_int::try_from(shared_bytes).map_err(|_| hipError_t::hipErrorInvalidConfiguration)?;
            // SAFETY: the caller vouches for the handle.
            unsafe { device.cuda.cuFuncSetAttribute(function as CUfunction, attribute, bytes) }
                .map_err(|_| hipError_t::hipErrorInvalidConfiguration)?;
            start()
        }
        result => result,
    }
}

/// The list of a packed buffer with CUDA's keys: HIP ends it with another one.
///
/// # Safety
/// `extra` is null or a list of `HIP_LAUNCH_PARAM_...` with their values.
unsafe fn extra_of_cuda(extra: *mut *mut c_void) -> Result<[*mut c_void; 5], hipError_t> {
    const BUFFER_POINTER: usize = 1;
    const BUFFER_SIZE: usize = 2;
    const END: usize = 3;
    let (mut buffer, mut size) = (ptr::null_mut(), ptr::null_mut());
    let mut index = 0;
    // SAFETY: pairs of a key and a value, up to the key that ends the list.
    unsafe {
        loop {
            match *extra.add(index) as usize {
                BUFFER_POINTER => buffer = *extra.add(index + 1),
                BUFFER_SIZE => size = *extra.add(index + 1),
                END => break,
                _ => return Err(hipError_t::hipErrorInvalidValue),
            }
            index += 2;
        }
    }
    if buffer.is_null() || size.is_null() {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    let key = |number: c_uint| number as usize as *mut c_void;
    Ok([
        key(CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT),
        buffer,
        key(CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT),
        size,
        key(CU_LAUNCH_PARAM_END_AS_INT),
    ])
}

pub(super) fn resolve(function: hipFunction_t) -> Result<(&'static Device, CUfunction), hipError_t> {
    if function.is_null() {
        return Err(hipError_t::hipErrorInvalidHandle);
    }
    Ok((device::enter()?, function as CUfunction))
}

/// CUDA's attributes have HIP's numbers.
fn attribute_of_cuda(attribute: c_uint) -> Option<CUfunction_attribute> {
    type A = CUfunction_attribute;
    [
        A::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
        A::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
        A::CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
        A::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
        A::CU_FUNC_ATTRIBUTE_NUM_REGS,
        A::CU_FUNC_ATTRIBUTE_PTX_VERSION,
        A::CU_FUNC_ATTRIBUTE_BINARY_VERSION,
        A::CU_FUNC_ATTRIBUTE_CACHE_MODE_CA,
        A::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        A::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
    ]
    .into_iter()
    .find(|known| *known as c_uint == attribute)
}

fn attribute(function: hipFunction_t, attribute: CUfunction_attribute) -> Result<c_int, hipError_t> {
    let (device, function) = resolve(function)?;
    let mut value = 0;
    // SAFETY: the out-parameter is valid; the caller vouches for the handle.
    unsafe { device.cuda.cuFuncGetAttribute(&mut value, attribute, function)? };
    Ok(value)
}

export! {
    hip => EXPORTS;

    fn hipModuleLaunchKernel(
        function: hipFunction_t,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        stream: hipStream_t,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> hipError_t {
        let (device, handle) = resolve(function)?;
        let mut list;
        let packed = if extra.is_null() {
            ptr::null_mut()
        } else if parameters.is_null() {
            // SAFETY: the caller's list.
            list = unsafe { extra_of_cuda(extra)? };
            list.as_mut_ptr()
        } else {
            return Err(hipError_t::hipErrorInvalidValue);
        };
        let stream = stream as CUstream;
        let start = || {
            // SAFETY: the caller vouches for the handles and the arguments, of which CUDA demands what HIP does.
            unsafe {
                device.cuda.cuLaunchKernel(
                    handle, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, parameters, packed,
                )
            }
        };
        launch(device, function, [grid_x, grid_y, grid_z], [block_x, block_y, block_z], shared_bytes, start)
    }

    fn hipModuleLaunchCooperativeKernel(
        function: hipFunction_t,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        stream: hipStream_t,
        parameters: *mut *mut c_void,
    ) -> hipError_t {
        let (device, handle) = resolve(function)?;
        let stream = stream as CUstream;
        let start = || {
            // SAFETY: the caller vouches for the handles and the arguments, of which CUDA demands what HIP does.
            unsafe {
                device.cuda.cuLaunchCooperativeKernel(
                    handle, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, parameters,
                )
            }
        };
        launch(device, function, [grid_x, grid_y, grid_z], [block_x, block_y, block_z], shared_bytes, start)
    }

    fn hipFuncGetAttribute(value: *mut c_int, which: hipFunction_attribute, function: hipFunction_t) -> hipError_t {
        let which = attribute_of_cuda(which.0).ok_or(hipError_t::hipErrorInvalidValue)?;
        let found = attribute(function, which)?;
        // SAFETY: the caller's out-parameter.
        unsafe { write(value, found) }
    }

    /// Of a kernel of a module: there are no kernels compiled into the program.
    fn hipFuncGetAttributes(attributes: *mut hipFuncAttributes, function: *const c_void) -> hipError_t {
        if attributes.is_null() {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        type A = CUfunction_attribute;
        let get = |which| attribute(function as hipFunction_t, which);
        let found = hipFuncAttributes {
            binaryVersion: get(A::CU_FUNC_ATTRIBUTE_BINARY_VERSION)?,
            cacheModeCA: get(A::CU_FUNC_ATTRIBUTE_CACHE_MODE_CA)?,
            constSizeBytes: get(A::CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)? as usize,
            localSizeBytes: get(A::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)? as usize,
            maxDynamicSharedSizeBytes: get(A::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)?,
            maxThreadsPerBlock: get(A::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            numRegs: get(A::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            preferredShmemCarveout: get(A::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)?,
            ptxVersion: get(A::CU_FUNC_ATTRIBUTE_PTX_VERSION)?,
            sharedSizeBytes: get(A::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)? as usize,
        };
        // SAFETY: the caller's out-parameter.
        unsafe { write(attributes, found) }
    }

    /// Of a kernel of a module: there are no kernels compiled into the program.
    fn hipFuncSetAttribute(function: *const c_void, which: hipFuncAttribute, value: c_int) -> hipError_t {
        let settable = [
            hipFuncAttribute::hipFuncAttributeMaxDynamicSharedMemorySize,
            hipFuncAttribute::hipFuncAttributePreferredSharedMemoryCarveout,
        ];
        let which = attribute_of_cuda(which.0).filter(|_| settable.contains(&which));
        let which = which.ok_or(hipError_t::hipErrorInvalidValue)?;
        let (device, function) = resolve(function as hipFunction_t)?;
        // SAFETY: the caller vouches for the handle.
        unsafe { device.cuda.cuFuncSetAttribute(function, which, value) }
    }

    /// A hint, which CUDA has replaced by the carveout; it is not taken.
    fn hipFuncSetCacheConfig(function: *const c_void, _config: hipFuncCache_t) -> hipError_t {
        resolve(function as hipFunction_t).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        assert!(fits([1, 1, 1], [1024, 1, 1]));
        assert!(fits([0x7fff_ffff, 0xffff, 0xffff], [16, 1, 64]));
        for (grid, block) in [
            ([0, 1, 1], [1, 1, 1]),
            ([1, 1, 1], [1, 0, 1]),
            ([1, 1, 1], [1025, 1, 1]),
            ([1, 1, 1], [1, 1, 65]),
            ([1, 1, 1], [32, 32, 2]),
            ([1, 0x10000, 1], [1, 1, 1]),
            ([u32::MAX; 3], [u32::MAX; 3]),
        ] {
            assert!(!fits(grid, block), "{grid:?} {block:?}");
        }
    }

    #[test]
    fn packed_arguments() {
        let (mut buffer, mut size) = ([0_u8; 8], 8_usize);
        let (buffer, size) = ((&raw mut buffer).cast::<c_void>(), (&raw mut size).cast::<c_void>());
        let key = |number: usize| number as *mut c_void;
        let mut list = [key(2), size, key(1), buffer, key(3)];
        // SAFETY: a list as HIP wants it.
        assert_eq!(unsafe { extra_of_cuda(list.as_mut_ptr()) }, Ok([key(1), buffer, key(2), size, key(0)]));
        for mut wrong in [vec![key(3)], vec![key(1), buffer, key(3)], vec![key(7), buffer, key(3)]] {
            // SAFETY: as above, up to the key that is wrong.
            assert!(unsafe { extra_of_cuda(wrong.as_mut_ptr()) }.is_err());
        }
    }

    #[test]
    fn attributes_have_the_same_numbers() {
        for number in 0..hipFunction_attribute::HIP_FUNC_ATTRIBUTE_MAX.0 {
            assert!(attribute_of_cuda(number).is_some_and(|attribute| attribute as u32 == number));
        }
        assert_eq!(attribute_of_cuda(hipFunction_attribute::HIP_FUNC_ATTRIBUTE_MAX.0), None);
        for (hip, cuda) in [
            (
                hipFunction_attribute::HIP_FUNC_ATTRIBUTE_NUM_REGS.0,
                CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS,
            ),
            (
                hipFuncAttribute::hipFuncAttributeMaxDynamicSharedMemorySize.0,
                CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            ),
            (
                hipFuncAttribute::hipFuncAttributePreferredSharedMemoryCarveout.0,
                CUfunction_attribute::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
            ),
        ] {
            assert_eq!(attribute_of_cuda(hip), Some(cuda));
        }
    }
}
