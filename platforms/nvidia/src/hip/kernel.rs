//! Kernels: attributes, parameters and occupancy.

use super::device::{self, Device};
use super::driver::introspection;
use super::launch;
use crate::exports::Nvidia;
use cudarc::driver::sys::{CUfunction, CUfunction_attribute};
use rocm_platform::arguments::write;
use rocm_platform::hip::{HipResult, Kernels, LaunchCall};
use rocm_platform::{export, hip_kernel_exports};
use rocm_sys::hip::{
    hipError_t, hipFuncAttribute, hipFuncAttributes, hipFuncCache_t, hipFunction_attribute, hipFunction_t,
};
use std::ffi::{c_int, c_uint, c_void};

/// CUDA's function behind a handle, with the thread's context entered.
pub(super) fn resolve(function: hipFunction_t) -> HipResult<(&'static Device, CUfunction)> {
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

fn cuda_attribute(function: hipFunction_t, attribute: CUfunction_attribute) -> HipResult<c_int> {
    let (device, function) = resolve(function)?;
    let mut value = 0;
    // SAFETY: the out-parameter is valid; the caller vouches for the handle.
    unsafe { device.cuda.cuFuncGetAttribute(&mut value, attribute, function)? };
    Ok(value)
}

impl Kernels for Nvidia {
    unsafe fn launch(call: &LaunchCall) -> HipResult {
        // SAFETY: the caller's promise.
        unsafe { launch::launch(call) }
    }

    unsafe fn parameter(function: hipFunction_t, index: usize) -> HipResult<(usize, usize)> {
        let (_, function) = resolve(function)?;
        let driver = introspection().ok_or(hipError_t::hipErrorNotSupported)?;
        let (mut offset, mut size) = (0, 0);
        // SAFETY: the caller vouches for the handle; the out-parameters are valid.
        unsafe { driver.cuFuncGetParamInfo(function, index, &mut offset, &mut size)? };
        Ok((offset, size))
    }

    unsafe fn attribute(function: hipFunction_t, attribute: hipFunction_attribute) -> HipResult<c_int> {
        let attribute = attribute_of_cuda(attribute.0).ok_or(hipError_t::hipErrorInvalidValue)?;
        cuda_attribute(function, attribute)
    }

    unsafe fn attributes(function: hipFunction_t) -> HipResult<hipFuncAttributes> {
        type A = CUfunction_attribute;
        let get = |attribute| cuda_attribute(function, attribute);
        Ok(hipFuncAttributes {
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
        })
    }

    unsafe fn set_attribute(function: hipFunction_t, attribute: hipFuncAttribute, value: c_int) -> HipResult {
        let settable = [
            hipFuncAttribute::hipFuncAttributeMaxDynamicSharedMemorySize,
            hipFuncAttribute::hipFuncAttributePreferredSharedMemoryCarveout,
        ];
        let attribute = attribute_of_cuda(attribute.0).filter(|_| settable.contains(&attribute));
        let attribute = attribute.ok_or(hipError_t::hipErrorInvalidValue)?;
        let (device, function) = resolve(function)?;
        // SAFETY: the caller vouches for the handle.
        unsafe { device.cuda.cuFuncSetAttribute(function, attribute, value) }
    }

    unsafe fn active_blocks(
        function: hipFunction_t,
        threads: c_int,
        shared_bytes: usize,
        flags: c_uint,
    ) -> HipResult<c_int> {
        let (device, function) = resolve(function)?;
        let mut blocks = 0;
        // SAFETY: the out-parameter is valid; the caller vouches for the handle.
        unsafe {
            device.cuda.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                &mut blocks,
                function,
                threads,
                shared_bytes,
                flags,
            )?;
        }
        Ok(blocks)
    }

    unsafe fn best_shape(
        function: hipFunction_t,
        shared_bytes: usize,
        limit: c_int,
        flags: c_uint,
    ) -> HipResult<(c_int, c_int)> {
        let (device, function) = resolve(function)?;
        let (mut blocks, mut threads) = (0, 0);
        // SAFETY: the out-parameters are valid; the caller vouches for the handle.
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
        }
        Ok((blocks, threads))
    }
}

hip_kernel_exports! { Nvidia }

export! {
    Nvidia, hip => MORE_EXPORTS;

    fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: *mut c_int, function: hipFunction_t, threads: c_int, shared_bytes: usize, flags: c_uint,
    ) -> hipError_t {
        // SAFETY: the caller's out-parameter and handle.
        unsafe { write(blocks, Nvidia::active_blocks(function, threads, shared_bytes, flags)?)? };
        Ok(())
    }

    fn hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
        grid: *mut c_int, block: *mut c_int, function: hipFunction_t, shared_bytes: usize, limit: c_int, flags: c_uint,
    ) -> hipError_t {
        // SAFETY: the caller's out-parameters and handle.
        unsafe {
            let (blocks, threads) = Nvidia::best_shape(function, shared_bytes, limit, flags)?;
            write(grid, blocks)?;
            write(block, threads)?;
        }
        Ok(())
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
