//! libnvrtc: the functions that are used, and opening it.

use crate::hip::driver_version;
use crate::library::{self, functions, versioned_names};
use cudarc::nvrtc::sys;
use cudarc::nvrtc::sys::nvrtcProgram;
use rocm_sys::hiprtc::hiprtcResult;
use std::ffi::{c_char, c_int};
use std::sync::OnceLock;

functions! { Nvrtc, sys: nvrtcResult, check -> hiprtcResult;
    fn nvrtcVersion(major: *mut c_int, minor: *mut c_int);
    fn nvrtcCreateProgram(
        out: *mut nvrtcProgram, source: *const c_char, name: *const c_char, count: c_int, headers: *const *const c_char,
        names: *const *const c_char,
    );
    fn nvrtcDestroyProgram(program: *mut nvrtcProgram);
    fn nvrtcAddNameExpression(program: nvrtcProgram, name: *const c_char);
    fn nvrtcCompileProgram(program: nvrtcProgram, count: c_int, options: *const *const c_char);
    fn nvrtcGetProgramLogSize(program: nvrtcProgram, size: *mut usize);
    fn nvrtcGetProgramLog(program: nvrtcProgram, log: *mut c_char);
    fn nvrtcGetLoweredName(program: nvrtcProgram, name: *const c_char, lowered: *mut *const c_char);
    fn nvrtcGetCUBINSize(program: nvrtcProgram, size: *mut usize);
    fn nvrtcGetCUBIN(program: nvrtcProgram, cubin: *mut c_char);
    fn nvrtcGetPTXSize(program: nvrtcProgram, size: *mut usize);
    fn nvrtcGetPTX(program: nvrtcProgram, ptx: *mut c_char);
}

/// NVRTC's codes up to "internal error" are hiprtc's; later ones are of files that are not asked for.
fn check(code: u32) -> Result<(), hiprtcResult> {
    match hiprtcResult(code) {
        hiprtcResult::HIPRTC_SUCCESS => Ok(()),
        same if code <= hiprtcResult::HIPRTC_ERROR_INTERNAL_ERROR.0 => Err(same),
        _ => Err(hiprtcResult::HIPRTC_ERROR_INTERNAL_ERROR),
    }
}

/// The opened compiler, or why there is none.
pub(super) fn open() -> Result<&'static Nvrtc, &'static str> {
    static NVRTC: OnceLock<Result<Nvrtc, String>> = OnceLock::new();
    let nvrtc = NVRTC.get_or_init(|| {
        let advice = "install CUDA's NVRTC (e.g. pip install nvidia-cuda-nvrtc, or the package cuda-nvrtc-13-0), and name its \
                      folder in LD_LIBRARY_PATH or CANDLE_ROCM_CUDA_PATH";
        let library = library::open("NVRTC", &versioned_names("libnvrtc.so", driver_version()), Some("libnvrtc-builtins.so"), advice)?;
        let nvrtc =
            Nvrtc::load(&library).map_err(|missing| format!("NVRTC is too old: it lacks {missing}; {advice}"))?;
        // It stays open until the process ends, as the functions above are kept.
        std::mem::forget(library);
        Ok(nvrtc)
    });
    nvrtc.as_ref().map_err(|why| &**why)
}

#[cfg(test)]
mod tests {
    use super::{check, hiprtcResult, sys::nvrtcResult};

    #[test]
    fn codes() {
        for (nvrtc, hiprtc) in [
            (nvrtcResult::NVRTC_ERROR_OUT_OF_MEMORY, hiprtcResult::HIPRTC_ERROR_OUT_OF_MEMORY),
            (nvrtcResult::NVRTC_ERROR_INVALID_INPUT, hiprtcResult::HIPRTC_ERROR_INVALID_INPUT),
            (nvrtcResult::NVRTC_ERROR_INVALID_PROGRAM, hiprtcResult::HIPRTC_ERROR_INVALID_PROGRAM),
            (nvrtcResult::NVRTC_ERROR_INVALID_OPTION, hiprtcResult::HIPRTC_ERROR_INVALID_OPTION),
            (nvrtcResult::NVRTC_ERROR_COMPILATION, hiprtcResult::HIPRTC_ERROR_COMPILATION),
            (
                nvrtcResult::NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION,
                hiprtcResult::HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION,
            ),
            (
                nvrtcResult::NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID,
                hiprtcResult::HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID,
            ),
            (nvrtcResult::NVRTC_ERROR_INTERNAL_ERROR, hiprtcResult::HIPRTC_ERROR_INTERNAL_ERROR),
            (nvrtcResult::NVRTC_ERROR_TIME_FILE_WRITE_FAILED, hiprtcResult::HIPRTC_ERROR_INTERNAL_ERROR),
        ] {
            assert_eq!(check(nvrtc as u32), Err(hiprtc));
        }
        assert_eq!(check(0), Ok(()));
        assert_eq!(check(u32::MAX), Err(hiprtcResult::HIPRTC_ERROR_INTERNAL_ERROR));
    }
}
