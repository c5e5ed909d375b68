//! Error codes: their names and texts, and the last error of each thread.

use crate::exports::{Export, export};
use rocm_sys::hip::hipError_t;
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};

thread_local! {
    static LAST: Cell<hipError_t> = const { Cell::new(hipError_t::hipSuccess) };
}

/// Turns the result of a call into its return value. An error other than "not ready" becomes the thread's last error.
pub(crate) fn finish(result: Result<(), hipError_t>) -> hipError_t {
    match result {
        Ok(()) => hipError_t::hipSuccess,
        Err(hipError_t::hipErrorNotReady) => hipError_t::hipErrorNotReady,
        Err(code) => {
            LAST.set(code);
            code
        }
    }
}

/// Writes an out-parameter; a null pointer is an invalid value.
///
/// # Safety
/// `out` is null or valid for writing a `T`.
pub(crate) unsafe fn write<T>(out: *mut T, value: T) -> Result<(), hipError_t> {
    if out.is_null() {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    // SAFETY: not null, so the caller vouches for it.
    unsafe { out.write(value) };
    Ok(())
}

macro_rules! texts {
    ($($name:ident $text:literal)+) => {
        /// Name and text of a code, as HIP words them.
        fn describe(code: hipError_t) -> Option<(&'static CStr, &'static CStr)> {
            match code {
                $(
                    hipError_t::$name => Some((
                        const { name_of(concat!(stringify!($name), "\0")) },
                        const { name_of(concat!($text, "\0")) },
                    )),
                )+
                _ => None,
            }
        }
    };
}

const fn name_of(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => c"",
    }
}

texts! {
    hipSuccess "no error"
    hipErrorInvalidValue "invalid argument"
    hipErrorOutOfMemory "out of memory"
    hipErrorNotInitialized "initialization error"
    hipErrorDeinitialized "driver shutting down"
    hipErrorProfilerDisabled "profiler disabled while using external profiling tool"
    hipErrorProfilerNotInitialized "profiler is not initialized"
    hipErrorProfilerAlreadyStarted "profiler already started"
    hipErrorProfilerAlreadyStopped "profiler already stopped"
    hipErrorInvalidConfiguration "invalid configuration argument"
    hipErrorInvalidPitchValue "invalid pitch argument"
    hipErrorInvalidSymbol "invalid device symbol"
    hipErrorInvalidDevicePointer "invalid device pointer"
    hipErrorInvalidMemcpyDirection "invalid copy direction for memcpy"
    hipErrorInsufficientDriver "driver version is insufficient for runtime version"
    hipErrorMissingConfiguration "__global__ function call is not configured"
    hipErrorPriorLaunchFailure "unspecified launch failure in prior launch"
    hipErrorInvalidDeviceFunction "invalid device function"
    hipErrorNoDevice "no ROCm-capable device is detected"
    hipErrorInvalidDevice "invalid device ordinal"
    hipErrorInvalidImage "device kernel image is invalid"
    hipErrorInvalidContext "invalid device context"
    hipErrorContextAlreadyCurrent "context is already current context"
    hipErrorMapFailed "mapping of buffer object failed"
    hipErrorUnmapFailed "unmapping of buffer object failed"
    hipErrorArrayIsMapped "array is mapped"
    hipErrorAlreadyMapped "resource already mapped"
    hipErrorNoBinaryForGpu "no kernel image is available for execution on the device"
    hipErrorAlreadyAcquired "resource already acquired"
    hipErrorNotMapped "resource not mapped"
    hipErrorNotMappedAsArray "resource not mapped as array"
    hipErrorNotMappedAsPointer "resource not mapped as pointer"
    hipErrorECCNotCorrectable "uncorrectable ECC error encountered"
    hipErrorUnsupportedLimit "limit is not supported on this architecture"
    hipErrorContextAlreadyInUse "exclusive-thread device already in use by a different thread"
    hipErrorPeerAccessUnsupported "peer access is not supported between these two devices"
    hipErrorInvalidKernelFile "invalid kernel file"
    hipErrorInvalidGraphicsContext "invalid OpenGL or DirectX context"
    hipErrorInvalidSource "device kernel image is invalid"
    hipErrorFileNotFound "file not found"
    hipErrorSharedObjectSymbolNotFound "shared object symbol not found"
    hipErrorSharedObjectInitFailed "shared object initialization failed"
    hipErrorOperatingSystem "OS call failed or operation not supported on this OS"
    hipErrorInvalidHandle "invalid resource handle"
    hipErrorIllegalState "the operation cannot be performed in the present state"
    hipErrorNotFound "named symbol not found"
    hipErrorNotReady "device not ready"
    hipErrorIllegalAddress "an illegal memory access was encountered"
    hipErrorLaunchOutOfResources "too many resources requested for launch"
    hipErrorLaunchTimeOut "the launch timed out and was terminated"
    hipErrorPeerAccessAlreadyEnabled "peer access is already enabled"
    hipErrorPeerAccessNotEnabled "peer access has not been enabled"
    hipErrorSetOnActiveProcess "cannot set while device is active in this process"
    hipErrorContextIsDestroyed "context is destroyed"
    hipErrorAssert "device-side assert triggered"
    hipErrorHostMemoryAlreadyRegistered "part or all of the requested memory range is already mapped"
    hipErrorHostMemoryNotRegistered "pointer does not correspond to a registered memory region"
    hipErrorLaunchFailure "unspecified launch failure"
    hipErrorCooperativeLaunchTooLarge "too many blocks in cooperative launch"
    hipErrorNotSupported "operation not supported"
    hipErrorStreamCaptureUnsupported "operation not permitted when stream is capturing"
    hipErrorStreamCaptureInvalidated "operation failed due to a previous error during capture"
    hipErrorStreamCaptureMerge "operation would result in a merge of separate capture sequences"
    hipErrorStreamCaptureUnmatched "capture was not ended in the same stream as it began"
    hipErrorStreamCaptureUnjoined "capturing stream has unjoined work"
    hipErrorStreamCaptureIsolation "dependency created on uncaptured work in another stream"
    hipErrorStreamCaptureImplicit "operation would make the legacy stream depend on a capturing blocking stream"
    hipErrorCapturedEvent "operation not permitted on an event last recorded in a capturing stream"
    hipErrorStreamCaptureWrongThread "attempt to terminate a thread-local capture sequence from another thread"
    hipErrorGraphExecUpdateFailure "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"
    hipErrorRuntimeMemory "runtime memory call returned error"
    hipErrorRuntimeOther "runtime call other than memory returned error"
    hipErrorUnknown "unknown error"
}

const UNKNOWN: (&CStr, &CStr) = (c"hipErrorUnknown", c"unknown error");

export! {
    hip => EXPORTS;

    /// The code's name; `hipErrorUnknown` for a number that is no code.
    fn hipGetErrorName(code: hipError_t) -> *const c_char {
        describe(code).unwrap_or(UNKNOWN).0.as_ptr()
    }

    /// What the code means, in words.
    fn hipGetErrorString(code: hipError_t) -> *const c_char {
        describe(code).unwrap_or(UNKNOWN).1.as_ptr()
    }

    fn hipDrvGetErrorName(code: hipError_t, text: *mut *const c_char) -> hipError_t {
        let known = describe(code);
        // SAFETY: the caller's out-parameter.
        unsafe { write(text, known.unwrap_or(UNKNOWN).0.as_ptr())? };
        known.map(|_| ()).ok_or(hipError_t::hipErrorInvalidValue)
    }

    fn hipDrvGetErrorString(code: hipError_t, text: *mut *const c_char) -> hipError_t {
        let known = describe(code);
        // SAFETY: the caller's out-parameter.
        unsafe { write(text, known.unwrap_or(UNKNOWN).1.as_ptr())? };
        known.map(|_| ()).ok_or(hipError_t::hipErrorInvalidValue)
    }
}

/// The functions that return the last error: they must not record what they return, so they are no `export!`.
pub(crate) const LAST_ERROR_EXPORTS: &[Export] = &[
    Export { name: "hipGetLastError", address: hipGetLastError as *const c_void },
    Export { name: "hipPeekAtLastError", address: hipPeekAtLastError as *const c_void },
];

const _: rocm_sys::hip::signature::hipGetLastError = hipGetLastError;
const _: rocm_sys::hip::signature::hipPeekAtLastError = hipPeekAtLastError;

/// Returns this thread's last error and forgets it.
#[cfg_attr(feature = "export", unsafe(no_mangle))]
#[allow(non_snake_case)]
unsafe extern "C" fn hipGetLastError() -> hipError_t {
    LAST.replace(hipError_t::hipSuccess)
}

/// Returns this thread's last error and keeps it.
#[cfg_attr(feature = "export", unsafe(no_mangle))]
#[allow(non_snake_case)]
unsafe extern "C" fn hipPeekAtLastError() -> hipError_t {
    LAST.get()
}
