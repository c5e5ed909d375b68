//! Events.

use std::ffi::c_uint;

use rocm_sys::hip::{
    hipError_t, hipEvent_t, hipEventBlockingSync, hipEventDisableSystemFence, hipEventDisableTiming,
    hipEventInterprocess, hipEventReleaseToDevice, hipEventReleaseToSystem, hipStream_t,
};

use super::HipResult;

/// Flags that say how AMD's caches are flushed; one of them at the most.
pub const RELEASE_FLAGS: c_uint =
    hipEventDisableSystemFence | hipEventReleaseToDevice | hipEventReleaseToSystem;

const FLAGS: c_uint = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess | RELEASE_FLAGS;

/// Events: markers in a stream that can be waited for and that record the time. No method gets a null handle.
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
pub trait Events {
    /// An event of the calling thread's device. The flags fit together.
    fn create(flags: c_uint) -> HipResult<hipEvent_t>;

    /// Invalidates the handle.
    unsafe fn destroy(event: hipEvent_t) -> HipResult;

    /// Queues the event on a stream, in place of where it was before.
    unsafe fn record(event: hipEvent_t, stream: hipStream_t) -> HipResult;

    /// Whether the stream has reached the event. An event that was never recorded is complete.
    /// Fails with `hipErrorNotReady` if it has not; an invalid event, or the device's fault.
    unsafe fn query(event: hipEvent_t) -> HipResult;

    /// Waits until the stream has reached the event.
    unsafe fn synchronize(event: hipEvent_t) -> HipResult;

    /// Milliseconds between two events.
    /// Fails with `hipErrorNotReady` before both are complete; `hipErrorInvalidHandle` for invalid, untimed or unrecorded events.
    unsafe fn elapsed(start: hipEvent_t, stop: hipEvent_t) -> HipResult<f32>;
}

/// Checks that an event is not null.
///
/// # Errors
///
/// `hipErrorInvalidHandle` if it is.
pub fn check(event: hipEvent_t) -> HipResult {
    if event.is_null() { Err(hipError_t::hipErrorInvalidHandle) } else { Ok(()) }
}

/// `hipEventCreateWithFlags`.
///
/// # Errors
///
/// As for [`Events::create`]; `hipErrorInvalidValue` for flags that are unknown or exclude each other.
pub fn create<E: Events>(flags: c_uint) -> HipResult<hipEvent_t> {
    let two_releases = (flags & RELEASE_FLAGS).count_ones() > 1;
    let timed_between_processes = flags & hipEventInterprocess != 0 && flags & hipEventDisableTiming == 0;
    if flags & !FLAGS != 0 || two_releases || timed_between_processes {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    E::create(flags)
}

/// Defines HIP's functions for events, in the table `EXPORTS`, for the [`Events`] of a platform.
#[macro_export]
macro_rules! hip_event_exports {
    ($platform:ident) => {
        mod functions {
            use super::$platform;
            use $crate::abi::hip::*;
            use $crate::arguments::{required, write};
            use $crate::hip::event;

            $crate::export! {
                $platform, hip => EXPORTS;

                fn hipEventCreate(out: *mut hipEvent_t) -> hipError_t {
                    required(out)?;
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, event::create::<$platform>(0)?)? })
                }

                fn hipEventCreateWithFlags(out: *mut hipEvent_t, flags: c_uint) -> hipError_t {
                    required(out)?;
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, event::create::<$platform>(flags)?)? })
                }

                fn hipEventDestroy(event: hipEvent_t) -> hipError_t {
                    event::check(event)?;
                    // SAFETY: the caller's event.
                    unsafe { <$platform as event::Events>::destroy(event) }
                }

                fn hipEventRecord(event: hipEvent_t, stream: hipStream_t) -> hipError_t {
                    event::check(event)?;
                    // SAFETY: the caller's event and stream.
                    unsafe { <$platform as event::Events>::record(event, stream) }
                }

                fn hipEventQuery(event: hipEvent_t) -> hipError_t {
                    event::check(event)?;
                    // SAFETY: the caller's event.
                    unsafe { <$platform as event::Events>::query(event) }
                }

                fn hipEventSynchronize(event: hipEvent_t) -> hipError_t {
                    event::check(event)?;
                    // SAFETY: the caller's event.
                    unsafe { <$platform as event::Events>::synchronize(event) }
                }

                fn hipEventElapsedTime(milliseconds: *mut f32, start: hipEvent_t, stop: hipEvent_t) -> hipError_t {
                    required(milliseconds)?;
                    event::check(start)?;
                    event::check(stop)?;
                    // SAFETY: the caller's events and out-parameter.
                    Ok(unsafe { write(milliseconds, <$platform as event::Events>::elapsed(start, stop)?)? })
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}
