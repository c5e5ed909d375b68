//! Filling memory with a value.

use super::device;
use crate::exports::Nvidia;
use cudarc::driver::sys::{CUdeviceptr, CUstream};
use rocm_platform::hip::{Fills, HipResult, Pattern, Rows};
use rocm_platform::hip_fill_exports;
use rocm_sys::hip::hipStream_t;
use std::ffi::c_void;

/// Nothing to fill is no error, whatever the address.
impl Fills for Nvidia {
    unsafe fn fill(to: *mut c_void, value: Pattern, count: usize, stream: Option<hipStream_t>) -> HipResult {
        let device = device::enter()?;
        if count == 0 {
            return Ok(());
        }
        let (to, stream, cuda) = (to as CUdeviceptr, stream.map(|stream| stream as CUstream), device.cuda);
        // SAFETY: the driver checks the range against its allocations; the caller vouches for the stream.
        unsafe {
            match (value, stream) {
                (Pattern::U8(value), None) => cuda.cuMemsetD8_v2(to, value, count),
                (Pattern::U8(value), Some(stream)) => cuda.cuMemsetD8Async(to, value, count, stream),
                (Pattern::U16(value), None) => cuda.cuMemsetD16_v2(to, value, count),
                (Pattern::U16(value), Some(stream)) => cuda.cuMemsetD16Async(to, value, count, stream),
                (Pattern::U32(value), None) => cuda.cuMemsetD32_v2(to, value, count),
                (Pattern::U32(value), Some(stream)) => cuda.cuMemsetD32Async(to, value, count, stream),
            }
        }
    }

    unsafe fn fill_rows(rows: Rows, stream: Option<hipStream_t>) -> HipResult {
        let Rows { to, pitch, value, width, height } = rows;
        let device = device::enter()?;
        if width == 0 || height == 0 {
            return Ok(());
        }
        let (to, cuda) = (to as CUdeviceptr, device.cuda);
        // SAFETY: the driver checks the range against its allocations; the caller vouches for the stream.
        unsafe {
            match stream {
                None => cuda.cuMemsetD2D8_v2(to, pitch, value, width, height),
                Some(stream) => cuda.cuMemsetD2D8Async(to, pitch, value, width, height, stream as CUstream),
            }
        }
    }
}

hip_fill_exports! { Nvidia }
