//! hiprtc's C functions.

use super::nvrtc;
use super::program::Program;
use crate::exports::export;
use rocm_sys::hiprtc::{error_text, hiprtcProgram, hiprtcResult};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

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
unsafe fn list(texts: *mut *const c_char, count: c_int) -> Result<Vec<CString>, hiprtcResult> {
    let count = usize::try_from(count).map_err(|_| hiprtcResult::HIPRTC_ERROR_INVALID_INPUT)?;
    if count > 0 && texts.is_null() {
        return Err(hiprtcResult::HIPRTC_ERROR_INVALID_INPUT);
    }
    // SAFETY: within the caller's list, whose entries are C strings.
    (0..count).map(|index| unsafe { text(*texts.add(index)).map(CStr::to_owned) }).collect()
}

/// # Safety
/// `out` is null or valid for writing a `T`.
unsafe fn put<T>(out: *mut T, value: T) -> Result<(), hiprtcResult> {
    // SAFETY: the caller's promise.
    unsafe { rocm_sys::implement::write(out, value) }.map_err(|_| hiprtcResult::HIPRTC_ERROR_INVALID_INPUT)
}

/// # Safety
/// `out` is null or has room for `bytes`.
unsafe fn put_bytes(out: *mut c_char, bytes: &[u8]) -> Result<(), hiprtcResult> {
    if out.is_null() {
        return Err(hiprtcResult::HIPRTC_ERROR_INVALID_INPUT);
    }
    // SAFETY: the caller asked for the size and made room for it.
    unsafe { out.copy_from_nonoverlapping(bytes.as_ptr().cast(), bytes.len()) };
    Ok(())
}

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
        static NEXT: AtomicUsize = AtomicUsize::new(0x5254_0000_0000_0000);
        // SAFETY: the caller's strings, lists and out-parameter.
        unsafe {
            put(program, std::ptr::null_mut())?;
            let source = text(source)?.to_owned();
            let name = (!name.is_null()).then(|| CStr::from_ptr(name).to_owned());
            let headers = list(header_names, header_count)?.into_iter().zip(list(headers, header_count)?).collect();
            let handle = NEXT.fetch_add(16, Ordering::Relaxed);
            programs().insert(handle, Arc::new(Mutex::new(Program::new(source, name, headers))));
            put(program, handle as hiprtcProgram)
        }
    }

    fn hiprtcDestroyProgram(program: *mut hiprtcProgram) -> hiprtcResult {
        if program.is_null() {
            return Err(hiprtcResult::HIPRTC_ERROR_INVALID_INPUT);
        }
        // SAFETY: not null, so the caller vouches for it.
        let handle = unsafe { program.replace(std::ptr::null_mut()) };
        let removed = programs().remove(&(handle as usize));
        removed.map(|_| ()).ok_or(hiprtcResult::HIPRTC_ERROR_INVALID_PROGRAM)
    }

    fn hiprtcAddNameExpression(program: hiprtcProgram, name: *const c_char) -> hiprtcResult {
        // SAFETY: the caller's string.
        let name = unsafe { text(name)? };
        with(program, |program| program.add_name(name))?
    }

    /// The name that a kernel has in the code. It lives as long as the program, until that is compiled again.
    fn hiprtcGetLoweredName(
        program: hiprtcProgram, name: *const c_char, lowered: *mut *const c_char,
    ) -> hiprtcResult {
        // SAFETY: the caller's string.
        let name = unsafe { text(name)? };
        let found = with(program, |program| program.lowered_name(name))??;
        // SAFETY: the caller's out-parameter.
        unsafe { put(lowered, found) }
    }

    fn hiprtcCompileProgram(
        program: hiprtcProgram, option_count: c_int, options: *mut *const c_char,
    ) -> hiprtcResult {
        // SAFETY: the caller's list of as many strings as it says.
        let options = unsafe { list(options, option_count)? };
        let options: Vec<_> = options.iter().map(|option| option.to_string_lossy()).collect();
        let options: Vec<&str> = options.iter().map(|option| &**option).collect();
        with(program, |program| program.compile(&options))?
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
