//! Copies between host and device memory.
//!
//! The direction that the caller names picks the driver's function, which refuses addresses that do not fit it.

use super::device::{self, Device};
use super::stream;
use crate::exports::export;
use cudarc::driver::sys::{CUDA_MEMCPY2D, CUdeviceptr, CUmemorytype, CUstream};
use rocm_sys::hip::{hipDeviceptr_t, hipError_t, hipMemcpyKind, hipStream_t};
use std::ffi::{c_int, c_void};
use std::ptr;

/// Which sides are the host's; `None` where the driver is to find out from the address.
#[derive(Clone, Copy)]
struct Direction {
    to_host: Option<bool>,
    from_host: Option<bool>,
}

impl Direction {
    fn new(kind: hipMemcpyKind) -> Result<Self, hipError_t> {
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
fn begin(to: *mut c_void, from: *const c_void, size: usize) -> Result<Option<&'static Device>, hipError_t> {
    let device = device::enter()?;
    if size == 0 {
        return Ok(None);
    }
    if to.is_null() || from.is_null() {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    Ok(Some(device))
}

/// Returns once the copy is done, except between places on devices.
fn now(to: *mut c_void, from: *const c_void, size: usize, kind: hipMemcpyKind) -> Result<(), hipError_t> {
    let direction = Direction::new(kind)?;
    let Some(device) = begin(to, from, size)? else { return Ok(()) };
    let (to_device, from_device) = (to as CUdeviceptr, from as CUdeviceptr);
    // SAFETY: the caller vouches for memory of the host; the driver checks addresses of devices.
    unsafe {
        match (direction.to_host, direction.from_host) {
            (Some(false), Some(true)) => device.cuda.cuMemcpyHtoD_v2(to_device, from, size),
            (Some(true), Some(false)) => device.cuda.cuMemcpyDtoH_v2(to, from_device, size),
            (Some(false), Some(false)) => device.cuda.cuMemcpyDtoD_v2(to_device, from_device, size),
            _ => device.cuda.cuMemcpy(to_device, from_device, size),
        }
    }
}

fn later(
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    kind: hipMemcpyKind,
    stream: hipStream_t,
) -> Result<(), hipError_t> {
    let direction = Direction::new(kind)?;
    let Some(device) = begin(to, from, size)? else { return Ok(()) };
    let (to_device, from_device, stream) = (to as CUdeviceptr, from as CUdeviceptr, stream as CUstream);
    // SAFETY: the caller vouches for memory of the host; the driver checks addresses of devices.
    unsafe {
        match (direction.to_host, direction.from_host) {
            (Some(false), Some(true)) => device.cuda.cuMemcpyHtoDAsync_v2(to_device, from, size, stream),
            (Some(true), Some(false)) => device.cuda.cuMemcpyDtoHAsync_v2(to, from_device, size, stream),
            (Some(false), Some(false)) => {
                device.cuda.cuMemcpyDtoDAsync_v2(to_device, from_device, size, stream)
            }
            _ => device.cuda.cuMemcpyAsync(to_device, from_device, size, stream),
        }
    }
}

/// What CUDA's 2-D copy wants to know; `None` where there is nothing to copy.
fn rectangle(
    (to, to_pitch): (*mut c_void, usize),
    (from, from_pitch): (*const c_void, usize),
    (width, height): (usize, usize),
    kind: hipMemcpyKind,
) -> Result<Option<CUDA_MEMCPY2D>, hipError_t> {
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

const D2H: hipMemcpyKind = hipMemcpyKind::hipMemcpyDeviceToHost;
const H2D: hipMemcpyKind = hipMemcpyKind::hipMemcpyHostToDevice;
const D2D: hipMemcpyKind = hipMemcpyKind::hipMemcpyDeviceToDevice;

export! {
    hip => EXPORTS;

    fn hipMemcpy(to: *mut c_void, from: *const c_void, size: usize, kind: hipMemcpyKind) -> hipError_t {
        now(to, from, size, kind)
    }

    fn hipMemcpyAsync(
        to: *mut c_void, from: *const c_void, size: usize, kind: hipMemcpyKind, stream: hipStream_t,
    ) -> hipError_t {
        later(to, from, size, kind, stream)
    }

    fn hipMemcpyWithStream(
        to: *mut c_void, from: *const c_void, size: usize, kind: hipMemcpyKind, stream: hipStream_t,
    ) -> hipError_t {
        later(to, from, size, kind, stream)?;
        if kind == D2D { Ok(()) } else { stream::synchronize(stream) }
    }

    fn hipMemcpyHtoD(to: hipDeviceptr_t, from: *mut c_void, size: usize) -> hipError_t {
        now(to, from, size, H2D)
    }

    fn hipMemcpyDtoH(to: *mut c_void, from: hipDeviceptr_t, size: usize) -> hipError_t {
        now(to, from, size, D2H)
    }

    fn hipMemcpyDtoD(to: hipDeviceptr_t, from: hipDeviceptr_t, size: usize) -> hipError_t {
        now(to, from, size, D2D)
    }

    fn hipMemcpyHtoDAsync(to: hipDeviceptr_t, from: *mut c_void, size: usize, stream: hipStream_t) -> hipError_t {
        later(to, from, size, H2D, stream)
    }

    fn hipMemcpyDtoHAsync(to: *mut c_void, from: hipDeviceptr_t, size: usize, stream: hipStream_t) -> hipError_t {
        later(to, from, size, D2H, stream)
    }

    fn hipMemcpyDtoDAsync(
        to: hipDeviceptr_t, from: hipDeviceptr_t, size: usize, stream: hipStream_t,
    ) -> hipError_t {
        later(to, from, size, D2D, stream)
    }

    fn hipMemcpyPeer(
        to: *mut c_void, to_device: c_int, from: *const c_void, from_device: c_int, size: usize,
    ) -> hipError_t {
        let (target, source) = (device::get(to_device)?.context()?, device::get(from_device)?.context()?);
        let Some(device) = begin(to, from, size)? else { return Ok(()) };
        // SAFETY: contexts that are retained; the driver checks the addresses.
        unsafe { device.cuda.cuMemcpyPeer(to as CUdeviceptr, target, from as CUdeviceptr, source, size) }
    }

    fn hipMemcpyPeerAsync(
        to: *mut c_void, to_device: c_int, from: *const c_void, from_device: c_int, size: usize, stream: hipStream_t,
    ) -> hipError_t {
        let (target, source) = (device::get(to_device)?.context()?, device::get(from_device)?.context()?);
        let Some(device) = begin(to, from, size)? else { return Ok(()) };
        let (to, from, stream) = (to as CUdeviceptr, from as CUdeviceptr, stream as CUstream);
        // SAFETY: contexts that are retained; the driver checks the addresses.
        unsafe { device.cuda.cuMemcpyPeerAsync(to, target, from, source, size, stream) }
    }

    fn hipMemcpy2D(
        to: *mut c_void, to_pitch: usize, from: *const c_void, from_pitch: usize, width: usize, height: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t {
        let device = device::enter()?;
        let Some(copy) = rectangle((to, to_pitch), (from, from_pitch), (width, height), kind)? else { return Ok(()) };
        // SAFETY: the caller vouches for memory of the host; the driver checks addresses of devices.
        unsafe { device.cuda.cuMemcpy2DUnaligned_v2(&copy) }
    }

    fn hipMemcpy2DAsync(
        to: *mut c_void, to_pitch: usize, from: *const c_void, from_pitch: usize, width: usize, height: usize,
        kind: hipMemcpyKind, stream: hipStream_t,
    ) -> hipError_t {
        let device = device::enter()?;
        let Some(copy) = rectangle((to, to_pitch), (from, from_pitch), (width, height), kind)? else { return Ok(()) };
        // SAFETY: the caller vouches for memory of the host; the driver checks addresses of devices.
        unsafe { device.cuda.cuMemcpy2DAsync_v2(&copy, stream as CUstream) }
    }
}
