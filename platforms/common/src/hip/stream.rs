//! Streams.

use std::ffi::{c_int, c_uint, c_void};

use rocm_sys::hip::{
    hipError_t, hipEvent_t, hipStream_t, hipStreamCallback_t, hipStreamCaptureStatus, hipStreamNonBlocking,
};

use super::{HipResult, event};

/// A program's callback: the stream, the state of its device, and the program's data.
pub type StreamCallback = unsafe extern "C" fn(hipStream_t, hipError_t, *mut c_void);

/// A program's function for a stream, which gets the program's data.
pub type HostFunction = unsafe extern "C" fn(*mut c_void);

/// Streams: the null stream, those that were created, and the handles 1 and 2 for the legacy and the per-thread default stream.
///
/// # Safety
///
/// Unsafe methods require what their C functions require: handles are valid, and memory is for as long as the call or the queued
/// work uses it.
///
/// # Errors
///
/// The code that the C function is to return.
#[allow(clippy::missing_safety_doc)]
pub trait Streams {
    /// A stream of the calling thread's device. The only flag is `hipStreamNonBlocking`.
    fn create(flags: c_uint, priority: c_int) -> HipResult<hipStream_t>;

    /// The lowest and the highest priority.
    fn priority_range() -> HipResult<(c_int, c_int)>;

    /// Invalidates the handle at once; what is queued still runs. No default stream is passed.
    unsafe fn destroy(stream: hipStream_t) -> HipResult;

    /// Waits for all queued work.
    unsafe fn synchronize(stream: hipStream_t) -> HipResult;

    /// Whether all queued work is done.
    /// Fails with `hipErrorNotReady` if it is not; an invalid stream, or the device's fault.
    unsafe fn query(stream: hipStream_t) -> HipResult;

    /// Makes later work wait for an event, which is not null.
    unsafe fn wait_event(stream: hipStream_t, event: hipEvent_t, flags: c_uint) -> HipResult;

    /// The ordinal of the stream's device.
    unsafe fn device(stream: hipStream_t) -> HipResult<usize>;

    /// Whether the stream is being captured.
    unsafe fn capture_status(stream: hipStream_t) -> HipResult<hipStreamCaptureStatus>;

    /// The flags that the stream was created with. It is not the null stream.
    unsafe fn flags(stream: hipStream_t) -> HipResult<c_uint>;

    /// The priority that the stream was created with.
    unsafe fn priority(stream: hipStream_t) -> HipResult<c_int>;

    /// Calls a function when the stream gets there, whatever the state of the device.
    unsafe fn add_callback(stream: hipStream_t, function: StreamCallback, data: *mut c_void) -> HipResult;

    /// Calls a function when the stream gets there, unless the device has a fault by then.
    unsafe fn launch_host_function(
        stream: hipStream_t,
        function: HostFunction,
        data: *mut c_void,
    ) -> HipResult;
}

/// `hipStreamCreateWithPriority`.
///
/// # Errors
///
/// As for [`Streams::create`]; `hipErrorInvalidValue` for unknown flags.
pub fn create<S: Streams>(flags: c_uint, priority: c_int) -> HipResult<hipStream_t> {
    if flags & !hipStreamNonBlocking != 0 {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    S::create(flags, priority)
}

/// `hipStreamDestroy`.
///
/// # Safety
///
/// As for [`Streams::destroy`].
///
/// # Errors
///
/// As for [`Streams::destroy`]; `hipErrorInvalidHandle` for default streams.
pub unsafe fn destroy<S: Streams>(stream: hipStream_t) -> HipResult {
    if stream as usize <= 2 {
        return Err(hipError_t::hipErrorInvalidHandle);
    }
    // SAFETY: the caller's promise.
    unsafe { S::destroy(stream) }
}

/// `hipStreamWaitEvent`.
///
/// # Safety
///
/// As for [`Streams::wait_event`].
///
/// # Errors
///
/// As for [`Streams::wait_event`]; `hipErrorInvalidValue` for unknown flags.
pub unsafe fn wait_event<S: Streams>(stream: hipStream_t, event: hipEvent_t, flags: c_uint) -> HipResult {
    if flags > 1 {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    event::check(event)?;
    // SAFETY: the caller's promise.
    unsafe { S::wait_event(stream, event, flags) }
}

/// `hipStreamGetFlags`.
///
/// # Safety
///
/// As for [`Streams::flags`].
///
/// # Errors
///
/// As for [`Streams::flags`]; `hipErrorInvalidValue` for the null stream.
pub unsafe fn flags<S: Streams>(stream: hipStream_t) -> HipResult<c_uint> {
    if stream.is_null() {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    // SAFETY: the caller's promise.
    unsafe { S::flags(stream) }
}

/// `hipStreamAddCallback`.
///
/// # Safety
///
/// As for [`Streams::add_callback`].
///
/// # Errors
///
/// As for [`Streams::add_callback`]; `hipErrorInvalidValue` without a function, or for flags, of which there are none.
pub unsafe fn add_callback<S: Streams>(
    stream: hipStream_t,
    callback: hipStreamCallback_t,
    data: *mut c_void,
    flags: c_uint,
) -> HipResult {
    let function = callback.filter(|_| flags == 0).ok_or(hipError_t::hipErrorInvalidValue)?;
    // SAFETY: the caller's promise.
    unsafe { S::add_callback(stream, function, data) }
}

/// Defines HIP's functions for streams, in the table `EXPORTS`, for the [`Streams`] of a platform.
#[macro_export]
macro_rules! hip_stream_exports {
    ($platform:ident) => {
        mod functions {
            use super::$platform;
            use $crate::abi::hip::*;
            use $crate::arguments::{required, write, write_optional};
            use $crate::hip::stream;

            $crate::export! {
                $platform, hip => EXPORTS;

                fn hipStreamCreate(out: *mut hipStream_t) -> hipError_t {
                    required(out)?;
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, stream::create::<$platform>(0, 0)?)? })
                }

                fn hipStreamCreateWithFlags(out: *mut hipStream_t, flags: c_uint) -> hipError_t {
                    required(out)?;
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, stream::create::<$platform>(flags, 0)?)? })
                }

                fn hipStreamCreateWithPriority(
                    out: *mut hipStream_t, flags: c_uint, priority: c_int,
                ) -> hipError_t {
                    required(out)?;
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, stream::create::<$platform>(flags, priority)?)? })
                }

                /// Either out-parameter may be left out.
                fn hipDeviceGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) -> hipError_t {
                    let range = <$platform as stream::Streams>::priority_range()?;
                    // SAFETY: the caller's out-parameters.
                    unsafe {
                        write_optional(least, range.0);
                        write_optional(greatest, range.1);
                    }
                    Ok(())
                }

                fn hipStreamDestroy(stream: hipStream_t) -> hipError_t {
                    // SAFETY: the caller's stream.
                    unsafe { stream::destroy::<$platform>(stream) }
                }

                fn hipStreamSynchronize(stream: hipStream_t) -> hipError_t {
                    // SAFETY: the caller's stream.
                    unsafe { <$platform as stream::Streams>::synchronize(stream) }
                }

                fn hipStreamQuery(stream: hipStream_t) -> hipError_t {
                    // SAFETY: the caller's stream.
                    unsafe { <$platform as stream::Streams>::query(stream) }
                }

                fn hipStreamWaitEvent(stream: hipStream_t, event: hipEvent_t, flags: c_uint) -> hipError_t {
                    // SAFETY: the caller's stream and event.
                    unsafe { stream::wait_event::<$platform>(stream, event, flags) }
                }

                fn hipStreamGetDevice(stream: hipStream_t, out: *mut hipDevice_t) -> hipError_t {
                    // SAFETY: the caller's stream and out-parameter.
                    Ok(unsafe { write(out, <$platform as stream::Streams>::device(stream)? as hipDevice_t)? })
                }

                /// -1 for an invalid stream.
                fn hipGetStreamDeviceId(stream: hipStream_t) -> c_int {
                    // SAFETY: the caller's stream.
                    let ordinal = unsafe { <$platform as stream::Streams>::device(stream) };
                    ordinal.map_or(-1, |ordinal| ordinal as c_int)
                }

                fn hipStreamIsCapturing(stream: hipStream_t, out: *mut hipStreamCaptureStatus) -> hipError_t {
                    // SAFETY: the caller's stream and out-parameter.
                    Ok(unsafe { write(out, <$platform as stream::Streams>::capture_status(stream)?)? })
                }

                fn hipStreamGetFlags(stream: hipStream_t, out: *mut c_uint) -> hipError_t {
                    // SAFETY: the caller's stream and out-parameter.
                    Ok(unsafe { write(out, stream::flags::<$platform>(stream)?)? })
                }

                fn hipStreamGetPriority(stream: hipStream_t, out: *mut c_int) -> hipError_t {
                    // SAFETY: the caller's stream and out-parameter.
                    Ok(unsafe { write(out, <$platform as stream::Streams>::priority(stream)?)? })
                }

                fn hipStreamAddCallback(
                    stream: hipStream_t, callback: hipStreamCallback_t, data: *mut c_void, flags: c_uint,
                ) -> hipError_t {
                    // SAFETY: the caller's stream, function and data.
                    unsafe { stream::add_callback::<$platform>(stream, callback, data, flags) }
                }

                fn hipLaunchHostFunc(stream: hipStream_t, function: hipHostFn_t, data: *mut c_void) -> hipError_t {
                    let function = function.ok_or(hipError_t::hipErrorInvalidValue)?;
                    // SAFETY: the caller's stream, function and data.
                    unsafe { <$platform as stream::Streams>::launch_host_function(stream, function, data) }
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}
