//! Launching kernels.

use super::device::Device;
use super::kernel::resolve;
use crate::exports::Nvidia;
use cudarc::driver::sys::{
    CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT, CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT, CU_LAUNCH_PARAM_END_AS_INT,
    CUfunction, CUfunction_attribute, CUstream,
};
use rocm_platform::export;
use rocm_platform::hip::{Arguments, HipResult, LaunchCall};
use rocm_sys::hip::{hipError_t, hipFunction_t, hipStream_t};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

/// Launches, and tries again with the attributes that the launch turns out to need.
///
/// A CUDA kernel may use up to 48 KiB of shared memory unless an attribute allows more. HIP has no such attribute, so it is set here
/// once a launch needs it; other launches pay nothing.
fn retry(
    device: &Device,
    function: CUfunction,
    shared_bytes: c_uint,
    start: impl Fn() -> HipResult,
) -> HipResult {
    match start() {
        Err(invalid @ hipError_t::hipErrorInvalidValue) if shared_bytes > 0 => {
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            let bytes = c_int::try_from(shared_bytes).map_err(|_| invalid)?;
            // SAFETY: the caller vouches for the handle.
            unsafe { device.cuda.cuFuncSetAttribute(function, attribute, bytes) }.map_err(|_| invalid)?;
            start()
        }
        result => result,
    }
}

/// A packed buffer as a list with CUDA's keys, whose final key differs from HIP's.
fn extra_of_cuda(buffer: *mut c_void, size: *mut usize) -> [*mut c_void; 5] {
    let key = |number: c_uint| number as usize as *mut c_void;
    [
        key(CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT),
        buffer,
        key(CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT),
        size.cast(),
        key(CU_LAUNCH_PARAM_END_AS_INT),
    ]
}

/// # Safety
/// As for `hipModuleLaunchKernel`.
pub(super) unsafe fn launch(call: &LaunchCall) -> HipResult {
    let (device, function) = resolve(call.function)?;
    let mut list;
    // SAFETY: the caller's list.
    let packed = match unsafe { Arguments::new(call.parameters, call.extra)? } {
        Arguments::Packed { buffer, size } => {
            list = extra_of_cuda(buffer, size);
            list.as_mut_ptr()
        }
        Arguments::Listed(_) | Arguments::Missing => ptr::null_mut(),
    };
    let LaunchCall { grid: [grid_x, grid_y, grid_z], block: [block_x, block_y, block_z], .. } = *call;
    let LaunchCall { shared_bytes, stream, parameters, .. } = *call;
    let start = || {
        // SAFETY: the caller vouches for the handles and the arguments, of which CUDA demands what HIP does.
        unsafe {
            device.cuda.cuLaunchKernel(
                function,
                grid_x,
                grid_y,
                grid_z,
                block_x,
                block_y,
                block_z,
                shared_bytes,
                stream as CUstream,
                parameters,
                packed,
            )
        }
    };
    retry(device, function, shared_bytes, start)
}

export! {
    Nvidia, hip => COOPERATIVE_EXPORTS;

    fn hipModuleLaunchCooperativeKernel(
        function: hipFunction_t, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared_bytes: c_uint, stream: hipStream_t, parameters: *mut *mut c_void,
    ) -> hipError_t {
        let (device, function) = resolve(function)?;
        let start = || {
            // SAFETY: the caller vouches for the handles and the arguments, of which CUDA demands what HIP does.
            unsafe {
                device.cuda.cuLaunchCooperativeKernel(
                    function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream as CUstream,
                    parameters,
                )
            }
        };
        retry(device, function, shared_bytes, start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_arguments() {
        let (mut buffer, mut size) = ([0_u8; 8], 8_usize);
        let (buffer, size) = ((&raw mut buffer).cast::<c_void>(), &raw mut size);
        let key = |number: usize| number as *mut c_void;
        assert_eq!(extra_of_cuda(buffer, size), [key(1), buffer, key(2), size.cast(), key(0)]);
    }
}
