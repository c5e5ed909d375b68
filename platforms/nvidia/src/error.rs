//! CUDA's error codes as HIP's.

use cudarc::driver::sys::CUresult;
use rocm_platform::hip::error::name_and_text;
use rocm_sys::hip::{error_text, hipError_t};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// What a driver function returned.
#[inline]
pub(crate) fn check(code: u32) -> Result<(), hipError_t> {
    if code == 0 { Ok(()) } else { Err(from_cuda(code)) }
}

macro_rules! nearest {
    ($($cuda:ident => $hip:ident)+) => {
        /// CUDA's codes that HIP lacks, and the nearest ones it has. All others have the same number in both.
        const NEAREST: &[(u32, &str, hipError_t)] =
            &[$((CUresult::$cuda as u32, stringify!($cuda), hipError_t::$hip)),+];
    };
}

nearest! {
    CUDA_ERROR_STUB_LIBRARY => hipErrorInsufficientDriver
    CUDA_ERROR_DEVICE_UNAVAILABLE => hipErrorContextAlreadyInUse
    CUDA_ERROR_DEVICE_NOT_LICENSED => hipErrorNoDevice
    CUDA_ERROR_NVLINK_UNCORRECTABLE => hipErrorECCNotCorrectable
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND => hipErrorSharedObjectInitFailed
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION => hipErrorNoBinaryForGpu
    CUDA_ERROR_JIT_COMPILATION_DISABLED => hipErrorNotSupported
    CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY => hipErrorNotSupported
    CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC => hipErrorNotSupported
    CUDA_ERROR_CONTAINED => hipErrorLaunchFailure
    CUDA_ERROR_LOSSY_QUERY => hipErrorIllegalState
    CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING => hipErrorLaunchFailure
    CUDA_ERROR_TOO_MANY_PEERS => hipErrorPeerAccessUnsupported
    CUDA_ERROR_HARDWARE_STACK_ERROR => hipErrorLaunchFailure
    CUDA_ERROR_ILLEGAL_INSTRUCTION => hipErrorLaunchFailure
    CUDA_ERROR_MISALIGNED_ADDRESS => hipErrorIllegalAddress
    CUDA_ERROR_INVALID_ADDRESS_SPACE => hipErrorIllegalAddress
    CUDA_ERROR_INVALID_PC => hipErrorLaunchFailure
    CUDA_ERROR_TENSOR_MEMORY_LEAK => hipErrorLaunchFailure
    CUDA_ERROR_NOT_PERMITTED => hipErrorNotSupported
    CUDA_ERROR_SYSTEM_NOT_READY => hipErrorNotInitialized
    CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => hipErrorInsufficientDriver
    CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE => hipErrorInsufficientDriver
    CUDA_ERROR_MPS_CONNECTION_FAILED => hipErrorNotInitialized
    CUDA_ERROR_MPS_RPC_FAILURE => hipErrorUnknown
    CUDA_ERROR_MPS_SERVER_NOT_READY => hipErrorNotInitialized
    CUDA_ERROR_MPS_MAX_CLIENTS_REACHED => hipErrorContextAlreadyInUse
    CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED => hipErrorContextAlreadyInUse
    CUDA_ERROR_MPS_CLIENT_TERMINATED => hipErrorContextIsDestroyed
    CUDA_ERROR_CDP_NOT_SUPPORTED => hipErrorNotSupported
    CUDA_ERROR_CDP_VERSION_MISMATCH => hipErrorNotSupported
    CUDA_ERROR_TIMEOUT => hipErrorLaunchTimeOut
    CUDA_ERROR_EXTERNAL_DEVICE => hipErrorUnknown
    CUDA_ERROR_INVALID_CLUSTER_SIZE => hipErrorInvalidConfiguration
    CUDA_ERROR_FUNCTION_NOT_LOADED => hipErrorInvalidDeviceFunction
    CUDA_ERROR_INVALID_RESOURCE_TYPE => hipErrorInvalidValue
    CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION => hipErrorInvalidConfiguration
    CUDA_ERROR_KEY_ROTATION => hipErrorUnknown
}

/// HIP's code for a CUDA error.
#[cold]
pub(crate) fn from_cuda(code: u32) -> hipError_t {
    let same = hipError_t(code);
    if let Some((_, name, nearest)) = NEAREST.iter().find(|(cuda, ..)| *cuda == code) {
        report_once(code, name, *nearest);
        *nearest
    } else if error_text(same).is_some() {
        same
    } else {
        report_once(code, "a CUDA error that this version does not know", hipError_t::hipErrorUnknown);
        hipError_t::hipErrorUnknown
    }
}

/// Prints the original error to stderr, the first time it occurs.
fn report_once(code: u32, name: &str, nearest: hipError_t) {
    static SEEN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
    if SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(code) {
        let as_hip = name_and_text(nearest).0.to_string_lossy();
        eprintln!("candle-rocm-nvidia: {name} ({code}) is reported as {as_hip}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both sides by name, so that the numbers come from two headers.
    macro_rules! same {
        ($($cuda:ident $hip:ident)+) => { [$((CUresult::$cuda as u32, hipError_t::$hip)),+] };
    }

    #[test]
    fn codes_that_both_have() {
        let pairs = same! {
            CUDA_SUCCESS hipSuccess
            CUDA_ERROR_INVALID_VALUE hipErrorInvalidValue
            CUDA_ERROR_OUT_OF_MEMORY hipErrorOutOfMemory
            CUDA_ERROR_NOT_INITIALIZED hipErrorNotInitialized
            CUDA_ERROR_DEINITIALIZED hipErrorDeinitialized
            CUDA_ERROR_PROFILER_DISABLED hipErrorProfilerDisabled
            CUDA_ERROR_PROFILER_NOT_INITIALIZED hipErrorProfilerNotInitialized
            CUDA_ERROR_PROFILER_ALREADY_STARTED hipErrorProfilerAlreadyStarted
            CUDA_ERROR_PROFILER_ALREADY_STOPPED hipErrorProfilerAlreadyStopped
            CUDA_ERROR_NO_DEVICE hipErrorNoDevice
            CUDA_ERROR_INVALID_DEVICE hipErrorInvalidDevice
            CUDA_ERROR_INVALID_IMAGE hipErrorInvalidImage
            CUDA_ERROR_INVALID_CONTEXT hipErrorInvalidContext
            CUDA_ERROR_CONTEXT_ALREADY_CURRENT hipErrorContextAlreadyCurrent
            CUDA_ERROR_MAP_FAILED hipErrorMapFailed
            CUDA_ERROR_UNMAP_FAILED hipErrorUnmapFailed
            CUDA_ERROR_ARRAY_IS_MAPPED hipErrorArrayIsMapped
            CUDA_ERROR_ALREADY_MAPPED hipErrorAlreadyMapped
            CUDA_ERROR_NO_BINARY_FOR_GPU hipErrorNoBinaryForGpu
            CUDA_ERROR_ALREADY_ACQUIRED hipErrorAlreadyAcquired
            CUDA_ERROR_NOT_MAPPED hipErrorNotMapped
            CUDA_ERROR_NOT_MAPPED_AS_ARRAY hipErrorNotMappedAsArray
            CUDA_ERROR_NOT_MAPPED_AS_POINTER hipErrorNotMappedAsPointer
            CUDA_ERROR_ECC_UNCORRECTABLE hipErrorECCNotCorrectable
            CUDA_ERROR_UNSUPPORTED_LIMIT hipErrorUnsupportedLimit
            CUDA_ERROR_CONTEXT_ALREADY_IN_USE hipErrorContextAlreadyInUse
            CUDA_ERROR_PEER_ACCESS_UNSUPPORTED hipErrorPeerAccessUnsupported
            CUDA_ERROR_INVALID_PTX hipErrorInvalidKernelFile
            CUDA_ERROR_INVALID_GRAPHICS_CONTEXT hipErrorInvalidGraphicsContext
            CUDA_ERROR_INVALID_SOURCE hipErrorInvalidSource
            CUDA_ERROR_FILE_NOT_FOUND hipErrorFileNotFound
            CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND hipErrorSharedObjectSymbolNotFound
            CUDA_ERROR_SHARED_OBJECT_INIT_FAILED hipErrorSharedObjectInitFailed
            CUDA_ERROR_OPERATING_SYSTEM hipErrorOperatingSystem
            CUDA_ERROR_INVALID_HANDLE hipErrorInvalidHandle
            CUDA_ERROR_ILLEGAL_STATE hipErrorIllegalState
            CUDA_ERROR_NOT_FOUND hipErrorNotFound
            CUDA_ERROR_NOT_READY hipErrorNotReady
            CUDA_ERROR_ILLEGAL_ADDRESS hipErrorIllegalAddress
            CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES hipErrorLaunchOutOfResources
            CUDA_ERROR_LAUNCH_TIMEOUT hipErrorLaunchTimeOut
            CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED hipErrorPeerAccessAlreadyEnabled
            CUDA_ERROR_PEER_ACCESS_NOT_ENABLED hipErrorPeerAccessNotEnabled
            CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE hipErrorSetOnActiveProcess
            CUDA_ERROR_CONTEXT_IS_DESTROYED hipErrorContextIsDestroyed
            CUDA_ERROR_ASSERT hipErrorAssert
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED hipErrorHostMemoryAlreadyRegistered
            CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED hipErrorHostMemoryNotRegistered
            CUDA_ERROR_LAUNCH_FAILED hipErrorLaunchFailure
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE hipErrorCooperativeLaunchTooLarge
            CUDA_ERROR_NOT_SUPPORTED hipErrorNotSupported
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED hipErrorStreamCaptureUnsupported
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED hipErrorStreamCaptureInvalidated
            CUDA_ERROR_STREAM_CAPTURE_MERGE hipErrorStreamCaptureMerge
            CUDA_ERROR_STREAM_CAPTURE_UNMATCHED hipErrorStreamCaptureUnmatched
            CUDA_ERROR_STREAM_CAPTURE_UNJOINED hipErrorStreamCaptureUnjoined
            CUDA_ERROR_STREAM_CAPTURE_ISOLATION hipErrorStreamCaptureIsolation
            CUDA_ERROR_STREAM_CAPTURE_IMPLICIT hipErrorStreamCaptureImplicit
            CUDA_ERROR_CAPTURED_EVENT hipErrorCapturedEvent
            CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD hipErrorStreamCaptureWrongThread
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE hipErrorGraphExecUpdateFailure
            CUDA_ERROR_UNKNOWN hipErrorUnknown
        };
        for (cuda, hip) in pairs {
            assert_eq!(check(cuda).err().unwrap_or(hipError_t::hipSuccess), hip, "{cuda}");
            // The way back: HIP's number is CUDA's.
            assert_eq!(hip.0, cuda);
            assert!(NEAREST.iter().all(|(code, ..)| *code != cuda));
        }
    }

    #[test]
    fn codes_that_hip_lacks() {
        for (cuda, name, hip) in NEAREST {
            assert_eq!(error_text(hipError_t(*cuda)), None, "HIP has a code of the number of {name}");
            assert_eq!(from_cuda(*cuda), *hip);
        }
        for unknown in [99_999, u32::MAX] {
            assert_eq!(from_cuda(unknown), hipError_t::hipErrorUnknown);
        }
    }
}
