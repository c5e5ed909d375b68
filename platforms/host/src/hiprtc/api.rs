//! hiprtc's C functions.

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use rocm_sys::hiprtc::{error_text, hiprtcProgram, hiprtcResult};

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

type Shared = Arc<Mutex<Program>>;

/// All programs by handle. Handles are never used again, so that one of a destroyed program is known as such.
fn programs() -> MutexGuard<'static, HashMap<usize, Shared>> {
    static PROGRAMS: LazyLock<Mutex<HashMap<usize, Shared>>> = LazyLock::new(Mutex::default);
    PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with<T>(handle: hiprtcProgram, run: impl FnOnce(&mut Program) -> T) -> Result<T, hiprtcResult> {
    let program =
        programs().get(&(handle as usize)).cloned().ok_or(hiprtcResult::HIPRTC_ERROR_INVALID_PROGRAM)?;
    let mut program = program.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(run(&mut program))
}

/// # Safety
/// `text` is null or a C string.
unsafe fn text<'a>(text: *const c_char) -> Result<&'a CStr, hiprtcResult> {
    if text.is_null() {
        return Err(hiprtcResult::HIPRTC_ERROR_INVALID_INPUT);
    }
    // SAFETY: not null, so the caller vouches for it.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// # Safety
/// `texts` is null or points to `count` C strings.
unsafe fn list(texts: *mut *const c_char, count: c_int) -> Result<Vec<String>, hiprtcResult> {
    let count = usize::try_from(count).map_err(|_| hiprtcResult::HIPRTC_ERROR_INVALID_INPUT)?;
    if count > 0 && texts.is_null() {
        return Err(hiprtcResult::HIPRTC_ERROR_INVALID_INPUT);
    }
    (0..count)
        .map(|index| {
            // SAFETY: within the caller's list, whose entries are C strings.
            unsafe { text(*texts.add(index)).map(|text| text.to_string_lossy().into_owned()) }
        })
        .collect()
}

/// # Safety
/// `out` is null or valid for writing a `T`.
unsafe fn put<T>(out: *mut T, value: T) -> Result<(), hiprtcResult> {
    if out.is_null() {
        return Err(hiprtcResult::HIPRTC_ERROR_INVALID_INPUT);
    }
    // SAFETY: not null, so the caller vouches for it.
    unsafe { out.write(value) };
    Ok(())
}

/// # Safety
/// `out` is null or has room for `bytes`.
unsafe fn put_bytes(out: *mut c_char, bytes: &[u8]) -> Result<(), hiprtcResult> {
    if out.is_null() {
        return Err(hiprtcResult::HIPRTC_ERROR_INVALID_INPUT);
    }
    // SAFETY: the caller asked for the size and made room for it.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), out.cast(), bytes.len()) };
    Ok(())
}

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
        // SAFETY: the caller's strings, and lists of as many strings as it says.
        let (source, name, texts, names) = unsafe {
            (
                text(source)?.to_string_lossy().into_owned(),
                text(name).ok().map(|name| name.to_string_lossy().into_owned()),
                list(headers, header_count)?,
                list(header_names, header_count)?,
            )
        };
        let made = Program::new(source, name, names.into_iter().zip(texts).collect())
            .ok_or(hiprtcResult::HIPRTC_ERROR_INVALID_INPUT)?;
        static NEXT: AtomicUsize = AtomicUsize::new(0x5250_0000_0000_0000);
        let handle = NEXT.fetch_add(16, Ordering::Relaxed);
        // SAFETY: the caller's out-parameter.
        unsafe { put(program, handle as hiprtcProgram)? };
        programs().insert(handle, Arc::new(Mutex::new(made)));
        Ok(())
    }

    fn hiprtcDestroyProgram(program: *mut hiprtcProgram) -> hiprtcResult {
        if program.is_null() {
            return Err(hiprtcResult::HIPRTC_ERROR_INVALID_INPUT);
        }
        // SAFETY: not null, so it is the caller's variable.
        let handle = unsafe { *program } as usize;
        programs().remove(&handle).ok_or(hiprtcResult::HIPRTC_ERROR_INVALID_PROGRAM)?;
        // SAFETY: as above.
        unsafe { put(program, std::ptr::null_mut()) }
    }

    /// Not supported: kernels are found by their `extern "C"` name.
    fn hiprtcAddNameExpression(program: hiprtcProgram, _name: *const c_char) -> hiprtcResult {
        with(program, |_| ())?;
        Err(hiprtcResult::HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
    }

    /// Not supported, as name expressions are not.
    fn hiprtcGetLoweredName(
        program: hiprtcProgram,
        _name: *const c_char,
        _lowered: *mut *const c_char,
    ) -> hiprtcResult {
        with(program, |_| ())?;
        Err(hiprtcResult::HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
    }

    fn hiprtcCompileProgram(
        program: hiprtcProgram,
        option_count: c_int,
        options: *mut *const c_char,
    ) -> hiprtcResult {
        // SAFETY: the caller's list of as many strings as it says.
        let options = unsafe { list(options, option_count)? };
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        with(program, |program| program.compile(&options))?.map_err(|error| match error {
            CompileError::Option(_) => hiprtcResult::HIPRTC_ERROR_INVALID_OPTION,
            CompileError::Compilation(_) => hiprtcResult::HIPRTC_ERROR_COMPILATION,
        })
    }

    fn hiprtcGetProgramLogSize(program: hiprtcProgram, size: *mut usize) -> hiprtcResult {
        let bytes = with(program, |program| program.log_bytes())?;
        // SAFETY: the caller's out-parameter.
        unsafe { put(size, bytes.len()) }
    }

    fn hiprtcGetProgramLog(program: hiprtcProgram, log: *mut c_char) -> hiprtcResult {
        let bytes = with(program, |program| program.log_bytes())?;
        // SAFETY: the caller's memory, of the size that hiprtcGetProgramLogSize gave.
        unsafe { put_bytes(log, &bytes) }
    }

    fn hiprtcGetCodeSize(program: hiprtcProgram, size: *mut usize) -> hiprtcResult {
        let length = with(program, |program| program.code.len())?;
        if length == 0 {
            return Err(hiprtcResult::HIPRTC_ERROR_INVALID_PROGRAM);
        }
        // SAFETY: the caller's out-parameter.
        unsafe { put(size, length) }
    }

    fn hiprtcGetCode(program: hiprtcProgram, code: *mut c_char) -> hiprtcResult {
        let bytes = with(program, |program| program.code.clone())?;
        if bytes.is_empty() {
            return Err(hiprtcResult::HIPRTC_ERROR_INVALID_PROGRAM);
        }
        // SAFETY: the caller's memory, of the size that hiprtcGetCodeSize gave.
        unsafe { put_bytes(code, &bytes) }
    }
}
