//! Names and descriptions of error codes.

use std::ffi::CStr;

use super::hipError_t;

macro_rules! error_strings {
    ($($name:ident $text:literal)+) => {
        /// Every code with its name and HIP's description, in ascending order of the code.
        const STRINGS: &[(hipError_t, &CStr, &CStr)] = &[$((
            hipError_t::$name,
            c_string(concat!(stringify!($name), "\0")),
            c_string(concat!($text, "\0")),
        )),+];
    };
}

const fn c_string(string: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(string.as_bytes()) {
        Ok(string) => string,
        Err(_) => c"",
    }
}

error_strings! {
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
    hipErrorUnknown "unknown error"
    hipErrorRuntimeMemory "runtime memory call returned error"
    hipErrorRuntimeOther "runtime call other than memory returned error"
}

/// The name of an error code and HIP's description of it, or `None` if the number is not an error code. Needs no library.
///
/// ```
/// use rocm_sys::hip::{error_text, hipError_t};
/// let (name, description) = error_text(hipError_t::hipErrorNoDevice).unwrap();
/// assert_eq!((name, description), (c"hipErrorNoDevice", c"no ROCm-capable device is detected"));
/// ```
pub fn error_text(code: hipError_t) -> Option<(&'static CStr, &'static CStr)> {
    let index = STRINGS.binary_search_by_key(&code.0, |(known, ..)| known.0).ok()?;
    let (_, name, description) = STRINGS[index];
    Some((name, description))
}

#[cfg(test)]
mod tests {
    use super::{STRINGS, error_text, hipError_t};

    #[test]
    fn every_code_is_found() {
        assert!(STRINGS.windows(2).all(|pair| pair[0].0.0 < pair[1].0.0), "the table is not sorted");
        for (code, name, description) in STRINGS {
            assert_eq!(error_text(*code), Some((*name, *description)));
            assert!(name.to_bytes().starts_with(b"hip") && !description.is_empty());
        }
        assert_eq!(error_text(hipError_t(12345)), None);
    }
}
