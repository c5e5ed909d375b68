//! Streams. The null stream is CUDA's legacy default stream, as in HIP.

use super::device;
use crate::error::check;
use crate::exports::Nvidia;
use cudarc::driver::sys::{CUevent, CUresult, CUstream, CUstreamCallback};
use rocm_platform::hip::{HipResult, HostFunction, StreamCallback, Streams};
use rocm_platform::hip_stream_exports;
use rocm_sys::hip::{hipError_t, hipEvent_t, hipStream_t, hipStreamCaptureStatus};
use std::ffi::{c_int, c_uint, c_void};
use std::mem;
use std::ptr;

/// A callback with what it is called with.
struct Callback {
    function: StreamCallback,
    data: *mut c_void,
}

/// What CUDA calls: the status comes as a number, as a later driver may have codes that the bindings lack.
unsafe extern "C" fn call_back(stream: CUstream, status: u32, data: *mut c_void) {
    // SAFETY: made by `Box::into_raw` below, and called once.
    let callback = unsafe { Box::from_raw(data.cast::<Callback>()) };
    let status = check(status).err().unwrap_or(hipError_t::hipSuccess);
    // SAFETY: the function and its argument are the user's, who asked for this call.
    unsafe { (callback.function)(stream as hipStream_t, status, callback.data) };
}

impl Streams for Nvidia {
    /// CUDA clamps the priority.
    fn create(flags: c_uint, priority: c_int) -> HipResult<hipStream_t> {
        let device = device::enter()?;
        let mut stream: CUstream = ptr::null_mut();
        // SAFETY: the out-parameter is valid.
        unsafe { device.cuda.cuStreamCreateWithPriority(&mut stream, flags, priority)? };
        Ok(stream as hipStream_t)
    }

    fn priority_range() -> HipResult<(c_int, c_int)> {
        let device = device::enter()?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: the out-parameters are valid.
        unsafe { device.cuda.cuCtxGetStreamPriorityRange(&mut least, &mut greatest)? };
        Ok((least, greatest))
    }

    unsafe fn destroy(stream: hipStream_t) -> HipResult {
        let device = device::enter()?;
        // SAFETY: the caller vouches for the handle.
        unsafe { device.cuda.cuStreamDestroy_v2(stream as CUstream) }
    }

    unsafe fn synchronize(stream: hipStream_t) -> HipResult {
        let device = device::enter()?;
        // SAFETY: the caller vouches for the handle.
        unsafe { device.cuda.cuStreamSynchronize(stream as CUstream) }
    }

    unsafe fn query(stream: hipStream_t) -> HipResult {
        let device = device::enter()?;
        // SAFETY: the caller vouches for the handle.
        unsafe { device.cuda.cuStreamQuery(stream as CUstream) }
    }

    unsafe fn wait_event(stream: hipStream_t, event: hipEvent_t, flags: c_uint) -> HipResult {
        let device = device::enter()?;
        // SAFETY: the caller vouches for the handles.
        unsafe { device.cuda.cuStreamWaitEvent(stream as CUstream, event as CUevent, flags) }
    }

    unsafe fn device(stream: hipStream_t) -> HipResult<usize> {
        let device = device::enter()?;
        let mut context = ptr::null_mut();
        // SAFETY: the out-parameter is valid; the caller vouches for the handle.
        unsafe { device.cuda.cuStreamGetCtx(stream as CUstream, &mut context)? };
        let owner = device::all()?.iter().find(|device| device.known_context() == context);
        owner.map(|device| device.ordinal).ok_or(hipError_t::hipErrorInvalidContext)
    }

    unsafe fn capture_status(stream: hipStream_t) -> HipResult<hipStreamCaptureStatus> {
        let device = device::enter()?;
        let mut status = hipStreamCaptureStatus::hipStreamCaptureStatusNone;
        // SAFETY: HIP's enum has CUDA's numbers, and is an integer here; the caller vouches for the handle.
        unsafe { device.cuda.cuStreamIsCapturing(stream as CUstream, (&raw mut status).cast())? };
        Ok(status)
    }

    unsafe fn flags(stream: hipStream_t) -> HipResult<c_uint> {
        let device = device::enter()?;
        let mut flags = 0;
        // SAFETY: the out-parameter is valid; the caller vouches for the handle.
        unsafe { device.cuda.cuStreamGetFlags(stream as CUstream, &mut flags)? };
        Ok(flags)
    }

    unsafe fn priority(stream: hipStream_t) -> HipResult<c_int> {
        let device = device::enter()?;
        let mut priority = 0;
        // SAFETY: the out-parameter is valid; the caller vouches for the handle.
        unsafe { device.cuda.cuStreamGetPriority(stream as CUstream, &mut priority)? };
        Ok(priority)
    }

    unsafe fn add_callback(stream: hipStream_t, function: StreamCallback, data: *mut c_void) -> HipResult {
        type Taken = unsafe extern "C" fn(CUstream, u32, *mut c_void);
        type Wanted = unsafe extern "C" fn(CUstream, CUresult, *mut c_void);
        let device = device::enter()?;
        // SAFETY: the types differ in one argument, which is passed as the same integer.
        let function_of_cuda: CUstreamCallback = Some(unsafe { mem::transmute::<Taken, Wanted>(call_back) });
        let callback = Box::into_raw(Box::new(Callback { function, data }));
        // SAFETY: the caller vouches for the handle; the box lives until it is called back.
        let added = unsafe {
            device.cuda.cuStreamAddCallback(stream as CUstream, function_of_cuda, callback.cast(), 0)
        };
        if added.is_err() {
            // SAFETY: made just above, and not taken over.
            drop(unsafe { Box::from_raw(callback) });
        }
        added
    }

    unsafe fn launch_host_function(
        stream: hipStream_t,
        function: HostFunction,
        data: *mut c_void,
    ) -> HipResult {
        let device = device::enter()?;
        // SAFETY: the caller vouches for the handle, the function and its argument.
        unsafe { device.cuda.cuLaunchHostFunc(stream as CUstream, Some(function), data) }
    }
}

hip_stream_exports! { Nvidia }
