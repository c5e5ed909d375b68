//! Filling memory with a value.

use super::device;
use crate::exports::export;
use cudarc::driver::sys::{CUdeviceptr, CUstream};
use rocm_sys::hip::{hipDeviceptr_t, hipError_t, hipStream_t};
use std::ffi::{c_int, c_uchar, c_uint, c_ushort, c_void};

/// Nothing to fill is no error, whatever the address.
macro_rules! fill {
    ($call:ident($to:expr, $value:expr, $count:expr $(, $stream:expr)?)) => {{
        let device = device::enter()?;
        if $count == 0 {
            return Ok(());
        }
        // SAFETY: the driver checks the range against its allocations.
        unsafe { device.cuda.$call($to as CUdeviceptr, $value, $count $(, $stream as CUstream)?) }
    }};
}

fn check_pitch(width: usize, height: usize, pitch: usize) -> Result<(), hipError_t> {
    let too_narrow = height > 1 && width > pitch;
    if too_narrow { Err(hipError_t::hipErrorInvalidPitchValue) } else { Ok(()) }
}

export! {
    hip => EXPORTS;

    fn hipMemset(to: *mut c_void, value: c_int, size: usize) -> hipError_t {
        fill!(cuMemsetD8_v2(to, value as c_uchar, size))
    }

    fn hipMemsetAsync(to: *mut c_void, value: c_int, size: usize, stream: hipStream_t) -> hipError_t {
        fill!(cuMemsetD8Async(to, value as c_uchar, size, stream))
    }

    fn hipMemsetD8(to: hipDeviceptr_t, value: c_uchar, count: usize) -> hipError_t {
        fill!(cuMemsetD8_v2(to, value, count))
    }

    fn hipMemsetD8Async(to: hipDeviceptr_t, value: c_uchar, count: usize, stream: hipStream_t) -> hipError_t {
        fill!(cuMemsetD8Async(to, value, count, stream))
    }

    fn hipMemsetD16(to: hipDeviceptr_t, value: c_ushort, count: usize) -> hipError_t {
        fill!(cuMemsetD16_v2(to, value, count))
    }

    fn hipMemsetD16Async(to: hipDeviceptr_t, value: c_ushort, count: usize, stream: hipStream_t) -> hipError_t {
        fill!(cuMemsetD16Async(to, value, count, stream))
    }

    fn hipMemsetD32(to: hipDeviceptr_t, value: c_int, count: usize) -> hipError_t {
        fill!(cuMemsetD32_v2(to, value as c_uint, count))
    }

    fn hipMemsetD32Async(to: hipDeviceptr_t, value: c_int, count: usize, stream: hipStream_t) -> hipError_t {
        fill!(cuMemsetD32Async(to, value as c_uint, count, stream))
    }

    fn hipMemset2D(to: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize) -> hipError_t {
        check_pitch(width, height, pitch)?;
        let device = device::enter()?;
        if width == 0 || height == 0 {
            return Ok(());
        }
        // SAFETY: the driver checks the range against its allocations.
        unsafe { device.cuda.cuMemsetD2D8_v2(to as CUdeviceptr, pitch, value as c_uchar, width, height) }
    }

    fn hipMemset2DAsync(
        to: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize, stream: hipStream_t,
    ) -> hipError_t {
        check_pitch(width, height, pitch)?;
        let device = device::enter()?;
        if width == 0 || height == 0 {
            return Ok(());
        }
        let (to, stream) = (to as CUdeviceptr, stream as CUstream);
        // SAFETY: the driver checks the range against its allocations.
        unsafe { device.cuda.cuMemsetD2D8Async(to, pitch, value as c_uchar, width, height, stream) }
    }
}
