//! Streams. The null stream is CUDA's legacy default stream, as in HIP.

use super::{device, event};
use crate::error::{check, write};
use crate::exports::export;
use cudarc::driver::sys::{CUresult, CUstream, CUstreamCallback};
use rocm_sys::hip::{
    hipDevice_t, hipError_t, hipEvent_t, hipHostFn_t, hipStream_t, hipStreamCallback_t,
    hipStreamCaptureStatus,
};
use std::ffi::{c_int, c_uint, c_void};
use std::mem;
use std::ptr;

const NON_BLOCKING: c_uint = 1;

/// # Safety
/// `out` is null or valid for writing.
unsafe fn create(out: *mut hipStream_t, flags: c_uint, priority: c_int) -> Result<(), hipError_t> {
    if out.is_null() || flags & !NON_BLOCKING != 0 {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    let device = device::enter()?;
    let mut stream: CUstream = ptr::null_mut();
    // SAFETY: the first out-parameter is valid, the second one the caller's. CUDA clamps the priority.
    unsafe {
        device.cuda.cuStreamCreateWithPriority(&mut stream, flags, priority)?;
        write(out, stream as hipStream_t)
    }
}

pub(super) fn synchronize(stream: hipStream_t) -> Result<(), hipError_t> {
    let device = device::enter()?;
    // SAFETY: the caller vouches for the handle.
    unsafe { device.cuda.cuStreamSynchronize(stream as CUstream) }
}

/// The ordinal of the device that a stream belongs to.
fn ordinal(stream: hipStream_t) -> Result<usize, hipError_t> {
    let device = device::enter()?;
    let mut context = ptr::null_mut();
    // SAFETY: the out-parameter is valid; the caller vouches for the handle.
    unsafe { device.cuda.cuStreamGetCtx(stream as CUstream, &mut context)? };
    let owner = device::all()?.iter().find(|device| device.known_context() == context);
    owner.map(|device| device.ordinal).ok_or(hipError_t::hipErrorInvalidContext)
}

/// A callback with what it is called with.
struct Callback {
    function: unsafe extern "C" fn(hipStream_t, hipError_t, *mut c_void),
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

export! {
    hip => EXPORTS;

    fn hipStreamCreate(out: *mut hipStream_t) -> hipError_t {
        // SAFETY: the caller's out-parameter.
        unsafe { create(out, 0, 0) }
    }

    fn hipStreamCreateWithFlags(out: *mut hipStream_t, flags: c_uint) -> hipError_t {
        // SAFETY: the caller's out-parameter.
        unsafe { create(out, flags, 0) }
    }

    fn hipStreamCreateWithPriority(out: *mut hipStream_t, flags: c_uint, priority: c_int) -> hipError_t {
        // SAFETY: the caller's out-parameter.
        unsafe { create(out, flags, priority) }
    }

    fn hipDeviceGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) -> hipError_t {
        let device = device::enter()?;
        // SAFETY: the caller's out-parameters, which may be null.
        unsafe { device.cuda.cuCtxGetStreamPriorityRange(least, greatest) }
    }

    /// Invalidates the handle at once; what is queued still runs.
    fn hipStreamDestroy(stream: hipStream_t) -> hipError_t {
        // 1 and 2 are the legacy and the per-thread default stream.
        if stream as usize <= 2 {
            return Err(hipError_t::hipErrorInvalidHandle);
        }
        let device = device::enter()?;
        // SAFETY: the caller vouches for the handle.
        unsafe { device.cuda.cuStreamDestroy_v2(stream as CUstream) }
    }

    fn hipStreamSynchronize(stream: hipStream_t) -> hipError_t {
        synchronize(stream)
    }

    fn hipStreamQuery(stream: hipStream_t) -> hipError_t {
        let device = device::enter()?;
        // SAFETY: the caller vouches for the handle.
        unsafe { device.cuda.cuStreamQuery(stream as CUstream) }
    }

    fn hipStreamWaitEvent(stream: hipStream_t, event: hipEvent_t, flags: c_uint) -> hipError_t {
        if flags > 1 {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        let (device, event) = event::resolve(event)?;
        // SAFETY: the caller vouches for the handles.
        unsafe { device.cuda.cuStreamWaitEvent(stream as CUstream, event, flags) }
    }

    fn hipStreamGetDevice(stream: hipStream_t, out: *mut hipDevice_t) -> hipError_t {
        let ordinal = ordinal(stream)?;
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, ordinal as hipDevice_t) }
    }

    fn hipGetStreamDeviceId(stream: hipStream_t) -> c_int {
        ordinal(stream).map_or(-1, |ordinal| ordinal as c_int)
    }

    fn hipStreamIsCapturing(stream: hipStream_t, out: *mut hipStreamCaptureStatus) -> hipError_t {
        let device = device::enter()?;
        let mut status = hipStreamCaptureStatus::hipStreamCaptureStatusNone;
        // SAFETY: HIP's enum has CUDA's numbers, and is an integer here; the second out-parameter is the caller's.
        unsafe {
            device.cuda.cuStreamIsCapturing(stream as CUstream, (&raw mut status).cast())?;
            write(out, status)
        }
    }

    fn hipStreamGetFlags(stream: hipStream_t, out: *mut c_uint) -> hipError_t {
        if out.is_null() || stream.is_null() {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        let device = device::enter()?;
        // SAFETY: the caller vouches for the handle and the out-parameter, which is not null.
        unsafe { device.cuda.cuStreamGetFlags(stream as CUstream, out) }
    }

    fn hipStreamGetPriority(stream: hipStream_t, out: *mut c_int) -> hipError_t {
        if out.is_null() {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        let device = device::enter()?;
        // SAFETY: the caller vouches for the handle and the out-parameter, which is not null.
        unsafe { device.cuda.cuStreamGetPriority(stream as CUstream, out) }
    }

    /// Calls a function of the user's once the stream gets there, with the state of the device.
    fn hipStreamAddCallback(
        stream: hipStream_t, callback: hipStreamCallback_t, data: *mut c_void, flags: c_uint,
    ) -> hipError_t {
        let function = callback.filter(|_| flags == 0).ok_or(hipError_t::hipErrorInvalidValue)?;
        let device = device::enter()?;
        type Taken = unsafe extern "C" fn(CUstream, u32, *mut c_void);
        type Wanted = unsafe extern "C" fn(CUstream, CUresult, *mut c_void);
        // SAFETY: the types differ in one argument, which is passed as the same integer.
        let function_of_cuda: CUstreamCallback = Some(unsafe { mem::transmute::<Taken, Wanted>(call_back) });
        let callback = Box::into_raw(Box::new(Callback { function, data }));
        // SAFETY: the caller vouches for the handle; the box lives until it is called back.
        let added =
            unsafe { device.cuda.cuStreamAddCallback(stream as CUstream, function_of_cuda, callback.cast(), 0) };
        if added.is_err() {
            // SAFETY: made just above, and not taken over.
            drop(unsafe { Box::from_raw(callback) });
        }
        added
    }

    /// Calls a function of the user's once the stream gets there, unless the device has a fault by then.
    fn hipLaunchHostFunc(stream: hipStream_t, function: hipHostFn_t, data: *mut c_void) -> hipError_t {
        if function.is_none() {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        let device = device::enter()?;
        // SAFETY: the caller vouches for the handle, the function and its argument.
        unsafe { device.cuda.cuLaunchHostFunc(stream as CUstream, function, data) }
    }
}
