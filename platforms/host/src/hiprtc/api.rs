//! hiprtc's C functions.

use std::ffi::{CStr, c_char, c_int};

use rocm_sys::hiprtc::{error_text, hiprtcProgram, hiprtcResult};
use rocm_sys::implement::programs::{Programs, put, put_bytes, string, strings};

use super::compiler;
use super::prelude;
use super::program::{CompileError, Program};
use crate::exec::blob;
use crate::exec::sanitize::Sanitizer;
use crate::exports::{Status, export};

impl Status for hiprtcResult {
    type Body = Result<(), hiprtcResult>;

    fn finish(body: Self::Body) -> Self {
        body.err().unwrap_or(hiprtcResult::HIPRTC_SUCCESS)
    }
}

static PROGRAMS: Programs<Program> = Programs::new(0x5250_0000_0000_0000);

/// What tells one state of this compiler from another: whoever keeps compiled code keys it by the version.
fn fingerprint() -> c_int {
    let sanitizer = Sanitizer::from_env().ok().flatten();
    let found = compiler::find(None, sanitizer);
    let flags = found.as_ref().map(|compiler| compiler.flags("", sanitizer).join(" ")).unwrap_or_default();
    let version = found.as_ref().map_or("", |compiler| &compiler.version);
    let parts = [
        prelude::TEXT,
        // What is made of a source besides.
        include_str!("prelude.rs"),
        include_str!("rewrite.rs"),
        &flags,
        version,
        sanitizer.map_or("", Sanitizer::name),
    ];
    let hash = blob::hash(parts.join("\0").as_bytes());
    (hash ^ hash >> 32) as c_int & c_int::MAX
}

export! {
    hiprtc => EXPORTS;

    /// What the code means.
    fn hiprtcGetErrorString(result: hiprtcResult) -> *const c_char {
        error_text(result).unwrap_or(c"unknown hiprtc error").as_ptr()
    }

    /// The version of ROCm that the interface follows; the minor number is different for every state of the
    /// compiler and of what kernels are compiled with.
    fn hiprtcVersion(major: *mut c_int, minor: *mut c_int) -> hiprtcResult {
        // SAFETY: the caller's out-parameters.
        unsafe {
            put(major, 6)?;
            put(minor, fingerprint())
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
        let owned = |text: &CStr| text.to_string_lossy().into_owned();
        // SAFETY: the caller's strings, lists of as many strings as it says, and out-parameter.
        unsafe {
            let headers = strings(headers, header_count)?.into_iter().map(owned);
            let names = strings(header_names, header_count)?.into_iter().map(owned);
            let made = Program::new(owned(string(source)?), string(name).ok().map(owned), names.zip(headers).collect());
            PROGRAMS.create(program, made.ok_or(hiprtcResult::HIPRTC_ERROR_INVALID_INPUT)?)
        }
    }

    fn hiprtcDestroyProgram(program: *mut hiprtcProgram) -> hiprtcResult {
        // SAFETY: the caller's variable.
        unsafe { PROGRAMS.destroy(program) }
    }

    /// Not supported: kernels are found by their `extern "C"` name.
    fn hiprtcAddNameExpression(program: hiprtcProgram, _name: *const c_char) -> hiprtcResult {
        PROGRAMS.with(program, |_| ())?;
        Err(hiprtcResult::HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
    }

    /// Not supported, as name expressions are not.
    fn hiprtcGetLoweredName(
        program: hiprtcProgram,
        _name: *const c_char,
        _lowered: *mut *const c_char,
    ) -> hiprtcResult {
        PROGRAMS.with(program, |_| ())?;
        Err(hiprtcResult::HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
    }

    fn hiprtcCompileProgram(
        program: hiprtcProgram,
        option_count: c_int,
        options: *mut *const c_char,
    ) -> hiprtcResult {
        // SAFETY: the caller's list of as many strings as it says.
        let options = unsafe { strings(options, option_count)? };
        let options: Vec<_> = options.iter().map(|option| option.to_string_lossy()).collect();
        let options: Vec<&str> = options.iter().map(|option| &**option).collect();
        PROGRAMS.with(program, |program| program.compile(&options))?.map_err(|error| match error {
            CompileError::Option(_) => hiprtcResult::HIPRTC_ERROR_INVALID_OPTION,
            CompileError::Compilation(_) => hiprtcResult::HIPRTC_ERROR_COMPILATION,
        })
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
