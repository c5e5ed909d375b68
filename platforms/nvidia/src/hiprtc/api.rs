//! hiprtc's C functions.

use super::nvrtc;
use super::program::Program;
use crate::exports::export;
use rocm_sys::hiprtc::{error_text, hiprtcProgram, hiprtcResult};
use rocm_sys::implement::programs::{Programs, put, put_bytes, string, strings};
use std::ffi::{CStr, c_char, c_int};

static PROGRAMS: Programs<Program> = Programs::new(0x5254_0000_0000_0000);

export! {
    hiprtc => EXPORTS;

    /// What the code means.
    fn hiprtcGetErrorString(result: hiprtcResult) -> *const c_char {
        error_text(result).unwrap_or(c"unknown hiprtc error").as_ptr()
    }

    /// NVRTC's version. Where there is none it is 0.0, so that compiling can say in its log what is missing.
    fn hiprtcVersion(major: *mut c_int, minor: *mut c_int) -> hiprtcResult {
        let (mut first, mut second) = (0, 0);
        if let Ok(nvrtc) = nvrtc::open() {
            // SAFETY: both out-parameters are valid.
            unsafe { nvrtc.nvrtcVersion(&mut first, &mut second)? };
        }
        // SAFETY: the caller's out-parameters.
        unsafe {
            put(major, first)?;
            put(minor, second)
        }
    }

    /// Takes over a source and its headers.
    fn hiprtcCreateProgram(
        program: *mut hiprtcProgram,
        source: *const c_char,
        name: *const c_char,
        header_count: c_int,
        headers: *mut *const c_char,
        header_names: *mut *const c_char,
    ) -> hiprtcResult {
        // SAFETY: the caller's strings, lists and out-parameter.
        unsafe {
            put(program, std::ptr::null_mut())?;
            let source = string(source)?.to_owned();
            let name = (!name.is_null()).then(|| CStr::from_ptr(name).to_owned());
            let headers = strings(headers, header_count)?.into_iter().map(CStr::to_owned);
            let names = strings(header_names, header_count)?.into_iter().map(CStr::to_owned);
            PROGRAMS.create(program, Program::new(source, name, names.zip(headers).collect()))
        }
    }

    fn hiprtcDestroyProgram(program: *mut hiprtcProgram) -> hiprtcResult {
        // SAFETY: the caller's variable.
        unsafe { PROGRAMS.destroy(program) }
    }

    fn hiprtcAddNameExpression(program: hiprtcProgram, name: *const c_char) -> hiprtcResult {
        // SAFETY: the caller's string.
        let name = unsafe { string(name)? };
        PROGRAMS.with(program, |program| program.add_name(name))?
    }

    /// The name that a kernel has in the code. It lives as long as the program, until that is compiled again.
    fn hiprtcGetLoweredName(
        program: hiprtcProgram, name: *const c_char, lowered: *mut *const c_char,
    ) -> hiprtcResult {
        // SAFETY: the caller's string.
        let name = unsafe { string(name)? };
        let found = PROGRAMS.with(program, |program| program.lowered_name(name))??;
        // SAFETY: the caller's out-parameter.
        unsafe { put(lowered, found) }
    }

    fn hiprtcCompileProgram(
        program: hiprtcProgram, option_count: c_int, options: *mut *const c_char,
    ) -> hiprtcResult {
        // SAFETY: the caller's list of as many strings as it says.
        let options = unsafe { strings(options, option_count)? };
        let options: Vec<_> = options.iter().map(|option| option.to_string_lossy()).collect();
        let options: Vec<&str> = options.iter().map(|option| &**option).collect();
        PROGRAMS.with(program, |program| program.compile(&options))?
    }

    fn hiprtcGetProgramLogSize(program: hiprtcProgram, size: *mut usize) -> hiprtcResult {
        let bytes = PROGRAMS.with(program, |program| program.log_bytes())?;
        // SAFETY: the caller's out-parameter.
        unsafe { put(size, bytes.len()) }
    }

    fn hiprtcGetProgramLog(program: hiprtcProgram, log: *mut c_char) -> hiprtcResult {
        let bytes = PROGRAMS.with(program, |program| program.log_bytes())?;
        // SAFETY: the caller's memory, of the size that hiprtcGetProgramLogSize gave.
        unsafe { put_bytes(log, &bytes) }
    }

    fn hiprtcGetCodeSize(program: hiprtcProgram, size: *mut usize) -> hiprtcResult {
        let length = PROGRAMS.with(program, |program| program.code.len())?;
        if length == 0 {
            return Err(hiprtcResult::HIPRTC_ERROR_INVALID_PROGRAM);
        }
        // SAFETY: the caller's out-parameter.
        unsafe { put(size, length) }
    }

    fn hiprtcGetCode(program: hiprtcProgram, code: *mut c_char) -> hiprtcResult {
        let bytes = PROGRAMS.with(program, |program| program.code.clone())?;
        if bytes.is_empty() {
            return Err(hiprtcResult::HIPRTC_ERROR_INVALID_PROGRAM);
        }
        // SAFETY: the caller's memory, of the size that hiprtcGetCodeSize gave.
        unsafe { put_bytes(code, &bytes) }
    }
}
