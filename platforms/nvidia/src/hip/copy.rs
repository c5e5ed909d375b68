//! Copies between host and device memory.
//!
//! The caller's direction selects the driver's function, which refuses addresses that do not fit.

use super::device::{self, Device};
use crate::exports::Nvidia;
use cudarc::driver::sys::{CUDA_MEMCPY2D, CUdeviceptr, CUmemorytype, CUstream};
use rocm_platform::hip::copy::D2D;
use rocm_platform::hip::{Copies, Ends, HipResult, Rectangle, Streams as _, Transfer};
use rocm_platform::hip_copy_exports;
use rocm_sys::hip::{hipError_t, hipMemcpyKind, hipStream_t};
use std::ffi::c_void;
use std::ptr;

/// Which sides are host memory; `None` lets the driver find out from the address.
#[derive(Clone, Copy)]
struct Direction {
    to_host: Option<bool>,
    from_host: Option<bool>,
}

impl Direction {
    fn new(kind: hipMemcpyKind) -> HipResult<Self> {
        let sides = |to_host, from_host| Ok(Self { to_host, from_host });
        match kind {
            hipMemcpyKind::hipMemcpyHostToHost => sides(Some(true), Some(true)),
            hipMemcpyKind::hipMemcpyHostToDevice => sides(Some(false), Some(true)),
            hipMemcpyKind::hipMemcpyDeviceToHost => sides(Some(true), Some(false)),
            hipMemcpyKind::hipMemcpyDeviceToDevice | hipMemcpyKind::hipMemcpyDeviceToDeviceNoCU => {
                sides(Some(false), Some(false))
            }
            hipMemcpyKind::hipMemcpyDefault => sides(None, None),
            _ => Err(hipError_t::hipErrorInvalidMemcpyDirection),
        }
    }
}

/// The device whose context is entered, unless there is nothing to copy.
fn begin(to: *mut c_void, from: *const c_void, size: usize) -> HipResult<Option<&'static Device>> {
    let device = device::enter()?;
    if size == 0 {
        return Ok(None);
    }
    if to.is_null() || from.is_null() {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    Ok(Some(device))
}

/// What CUDA's 2-D copy wants to know; `None` where there is nothing to copy.
fn description(rectangle: Rectangle) -> HipResult<Option<CUDA_MEMCPY2D>> {
    let Rectangle { to, to_pitch, from, from_pitch, width, height, kind } = rectangle;
    let direction = Direction::new(kind)?;
    if width == 0 || height == 0 {
        return Ok(None);
    }
    if width > to_pitch || width > from_pitch {
        return Err(hipError_t::hipErrorInvalidPitchValue);
    }
    if to.is_null() || from.is_null() {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    let memory = |host| match host {
        Some(true) => CUmemorytype::CU_MEMORYTYPE_HOST,
        Some(false) => CUmemorytype::CU_MEMORYTYPE_DEVICE,
        None => CUmemorytype::CU_MEMORYTYPE_UNIFIED,
    };
    Ok(Some(CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: memory(direction.from_host),
        srcHost: from,
        srcDevice: from as CUdeviceptr,
        srcArray: ptr::null_mut(),
        srcPitch: from_pitch,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: memory(direction.to_host),
        dstHost: to,
        dstDevice: to as CUdeviceptr,
        dstArray: ptr::null_mut(),
        dstPitch: to_pitch,
        WidthInBytes: width,
        Height: height,
    }))
}

impl Copies for Nvidia {
    unsafe fn copy(transfer: Transfer, stream: Option<hipStream_t>) -> HipResult {
        let Transfer { to, from, size, kind } = transfer;
        let Direction { to_host, from_host } = Direction::new(kind)?;
        let Some(Device { cuda, .. }) = begin(to, from, size)? else { return Ok(()) };
        let (to_device, from_device) = (to as CUdeviceptr, from as CUdeviceptr);
        // SAFETY: the caller vouches for memory of the host, and the stream; the driver checks addresses of devices.
        unsafe {
            match (to_host, from_host, stream.map(|stream| stream as CUstream)) {
                (Some(false), Some(true), None) => cuda.cuMemcpyHtoD_v2(to_device, from, size),
                (Some(false), Some(true), Some(stream)) => {
                    cuda.cuMemcpyHtoDAsync_v2(to_device, from, size, stream)
                }
                (Some(true), Some(false), None) => cuda.cuMemcpyDtoH_v2(to, from_device, size),
                (Some(true), Some(false), Some(stream)) => {
                    cuda.cuMemcpyDtoHAsync_v2(to, from_device, size, stream)
                }
                (Some(false), Some(false), None) => cuda.cuMemcpyDtoD_v2(to_device, from_device, size),
                (Some(false), Some(false), Some(stream)) => {
                    cuda.cuMemcpyDtoDAsync_v2(to_device, from_device, size, stream)
                }
                (_, _, None) => cuda.cuMemcpy(to_device, from_device, size),
                (_, _, Some(stream)) => cuda.cuMemcpyAsync(to_device, from_device, size, stream),
            }
        }
    }

    unsafe fn copy_and_wait(transfer: Transfer, stream: hipStream_t) -> HipResult {
        // SAFETY: the caller vouches for memory and stream.
        unsafe {
            Self::copy(transfer, Some(stream))?;
            if transfer.kind == D2D { Ok(()) } else { Self::synchronize(stream) }
        }
    }

    unsafe fn copy_peer(transfer: Transfer, devices: Ends, stream: Option<hipStream_t>) -> HipResult {
        let Transfer { to, from, size, .. } = transfer;
        let (target, source) = (device::get(devices.to)?.context()?, device::get(devices.from)?.context()?);
        let Some(Device { cuda, .. }) = begin(to, from, size)? else { return Ok(()) };
        let (to, from) = (to as CUdeviceptr, from as CUdeviceptr);
        // SAFETY: contexts that are retained; the driver checks the addresses; the caller vouches for the stream.
        unsafe {
            match stream {
                None => cuda.cuMemcpyPeer(to, target, from, source, size),
                Some(stream) => cuda.cuMemcpyPeerAsync(to, target, from, source, size, stream as CUstream),
            }
        }
    }

    unsafe fn copy_rows(rectangle: Rectangle, stream: Option<hipStream_t>) -> HipResult {
        let device = device::enter()?;
        let Some(copy) = description(rectangle)? else { return Ok(()) };
        // SAFETY: the caller vouches for memory of the host, and the stream; the driver checks addresses of devices.
        unsafe {
            match stream {
                None => device.cuda.cuMemcpy2DUnaligned_v2(&copy),
                Some(stream) => device.cuda.cuMemcpy2DAsync_v2(&copy, stream as CUstream),
            }
        }
    }
}

hip_copy_exports! { Nvidia }
