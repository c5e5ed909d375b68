//! libhiprtc: programs by handle, and the functions that compile them.

use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::{Arc, Mutex, PoisonError};

use rocm_sys::hiprtc::{hiprtcProgram, hiprtcResult};

use crate::Handles;
use crate::arguments::{required, string, strings, write};

/// What hiprtc's functions return.
pub type HiprtcResult<T = ()> = Result<T, hiprtcResult>;

/// A program: source and headers in; log, code and lowered names out.
///
/// # Errors
///
/// The code that the C function is to return.
pub trait Program: Sized + Send + 'static {
    /// All programs of the platform.
    fn programs() -> &'static Programs<Self>;

    /// The compiler's version: major, minor.
    fn version() -> HiprtcResult<(c_int, c_int)>;

    /// A program of a source, its name, and headers with their names.
    /// Fails with `HIPRTC_ERROR_INVALID_INPUT` for names that headers cannot have.
    fn create(source: &CStr, name: Option<&CStr>, headers: Vec<(&CStr, &CStr)>) -> HiprtcResult<Self>;

    /// Asks for the lowered name of a kernel or variable.
    /// Fails with `HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION`, or that name expressions are not supported.
    fn add_name_expression(&mut self, name: &CStr) -> HiprtcResult;

    /// The name that an expression has in the code. It lives as long as the program, until that is compiled again.
    /// Fails with `HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID` for one that was not asked for.
    fn lowered_name(&self, name: &CStr) -> HiprtcResult<*const c_char>;

    /// Compiles. The log is kept either way.
    /// Fails with `HIPRTC_ERROR_INVALID_OPTION` or `HIPRTC_ERROR_COMPILATION`; the log says more.
    fn compile(&mut self, options: &[&str]) -> HiprtcResult;

    /// What the compiler said.
    fn log(&self) -> &str;

    /// The code; empty unless the program is compiled.
    fn code(&self) -> &[u8];
}

/// The programs of a platform.
pub struct Programs<P>(Handles<Arc<Mutex<P>>>);

impl<P> Programs<P> {
    /// No programs. For `first`, see [`Handles::new`].
    pub const fn new(first: usize) -> Self {
        Self(Handles::new(first))
    }

    /// Runs `f` on a program, which is locked meanwhile; the others are not.
    ///
    /// # Errors
    ///
    /// `HIPRTC_ERROR_INVALID_PROGRAM` for an invalid handle.
    pub fn with<T>(&self, handle: hiprtcProgram, f: impl FnOnce(&mut P) -> T) -> HiprtcResult<T> {
        let program = self.0.get(handle as usize).ok_or(hiprtcResult::HIPRTC_ERROR_INVALID_PROGRAM)?;
        let mut program = program.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(f(&mut program))
    }
}

/// `hiprtcCreateProgram`: the new program's handle.
///
/// # Safety
///
/// `source` and `name` are null or C strings, the lists null or of `count` C strings.
///
/// # Errors
///
/// As for [`Program::create`]; `HIPRTC_ERROR_INVALID_INPUT` for null pointers other than `name`.
pub unsafe fn create<P: Program>(
    source: *const c_char,
    name: *const c_char,
    (headers, header_names, count): (*const *const c_char, *const *const c_char, c_int),
) -> HiprtcResult<hiprtcProgram> {
    // SAFETY: the caller's promise.
    let program = unsafe {
        let headers = strings(headers, count)?;
        let names = strings(header_names, count)?;
        let name = string(name).ok();
        P::create(string(source)?, name, names.into_iter().zip(headers).collect())?
    };
    Ok(P::programs().0.insert(Arc::new(Mutex::new(program))) as hiprtcProgram)
}

/// `hiprtcDestroyProgram`: forgets a program, and makes the caller's handle null.
///
/// # Safety
///
/// `program` is null or points to a handle.
///
/// # Errors
///
/// `HIPRTC_ERROR_INVALID_INPUT` if `program` is null, `HIPRTC_ERROR_INVALID_PROGRAM` for an invalid handle.
pub unsafe fn destroy<P: Program>(program: *mut hiprtcProgram) -> HiprtcResult {
    required(program)?;
    // SAFETY: not null, so it is the caller's variable.
    let handle = unsafe { *program } as usize;
    P::programs().0.remove(handle).ok_or(hiprtcResult::HIPRTC_ERROR_INVALID_PROGRAM)?;
    // SAFETY: as above.
    unsafe { write(program, std::ptr::null_mut())? };
    Ok(())
}

/// `hiprtcCompileProgram`.
///
/// # Safety
///
/// `options` is null or a list of `count` C strings.
///
/// # Errors
///
/// As for [`Program::compile`]; `HIPRTC_ERROR_INVALID_INPUT` for null pointers.
pub unsafe fn compile<P: Program>(
    program: hiprtcProgram,
    options: *const *const c_char,
    count: c_int,
) -> HiprtcResult {
    // SAFETY: the caller's promise.
    let options = unsafe { strings(options, count)? };
    let options: Vec<_> = options.iter().map(|option| option.to_string_lossy()).collect();
    let options: Vec<&str> = options.iter().map(|option| &**option).collect();
    P::programs().with(program, |program| program.compile(&options))?
}

/// The log as C wants it.
///
/// # Errors
///
/// `HIPRTC_ERROR_INVALID_PROGRAM` for an invalid handle.
pub fn log<P: Program>(program: hiprtcProgram) -> HiprtcResult<Vec<u8>> {
    let text = P::programs().with(program, |program| program.log().replace('\0', ""))?;
    Ok(CString::new(text).unwrap_or_default().into_bytes_with_nul())
}

/// Runs `f` on the code of a program that is compiled.
///
/// # Errors
///
/// `HIPRTC_ERROR_INVALID_PROGRAM` for an invalid handle, and for a program without code.
pub fn with_code<P: Program, T>(program: hiprtcProgram, f: impl FnOnce(&[u8]) -> T) -> HiprtcResult<T> {
    P::programs().with(program, |program| match program.code() {
        [] => Err(hiprtcResult::HIPRTC_ERROR_INVALID_PROGRAM),
        code => Ok(f(code)),
    })?
}

/// Defines hiprtc's functions, in the table `EXPORTS`, for the [`Program`] of a platform.
#[macro_export]
macro_rules! hiprtc_exports {
    ($platform:ident, $program:ident) => {
        mod functions {
            use super::{$platform, $program};
            use $crate::abi::hiprtc::*;
            use $crate::arguments::{string, write, write_bytes};
            use $crate::hiprtc;

            fn with<T>(program: hiprtcProgram, f: impl FnOnce(&mut $program) -> T) -> hiprtc::HiprtcResult<T> {
                <$program as hiprtc::Program>::programs().with(program, f)
            }

            $crate::export! {
                $platform, hiprtc => EXPORTS;

                /// What the code means.
                fn hiprtcGetErrorString(result: hiprtcResult) -> *const c_char {
                    error_text(result).unwrap_or(c"unknown hiprtc error").as_ptr()
                }

                fn hiprtcVersion(major: *mut c_int, minor: *mut c_int) -> hiprtcResult {
                    let version = <$program as hiprtc::Program>::version()?;
                    // SAFETY: the caller's out-parameters.
                    unsafe {
                        write(major, version.0)?;
                        Ok(write(minor, version.1)?)
                    }
                }

                /// Copies the source and its headers. A failed call leaves a null handle.
                fn hiprtcCreateProgram(
                    program: *mut hiprtcProgram, source: *const c_char, name: *const c_char, header_count: c_int,
                    headers: *mut *const c_char, header_names: *mut *const c_char,
                ) -> hiprtcResult {
                    // SAFETY: the caller's out-parameter, strings and lists.
                    unsafe {
                        write(program, ::core::ptr::null_mut())?;
                        let lists = (headers.cast_const(), header_names.cast_const(), header_count);
                        Ok(write(program, hiprtc::create::<$program>(source, name, lists)?)?)
                    }
                }

                fn hiprtcDestroyProgram(program: *mut hiprtcProgram) -> hiprtcResult {
                    // SAFETY: the caller's variable.
                    unsafe { hiprtc::destroy::<$program>(program) }
                }

                fn hiprtcAddNameExpression(program: hiprtcProgram, name: *const c_char) -> hiprtcResult {
                    // SAFETY: the caller's string.
                    let name = unsafe { string(name)? };
                    with(program, |program| hiprtc::Program::add_name_expression(program, name))?
                }

                fn hiprtcGetLoweredName(
                    program: hiprtcProgram, name: *const c_char, lowered: *mut *const c_char,
                ) -> hiprtcResult {
                    // SAFETY: the caller's string and out-parameter.
                    unsafe {
                        let name = string(name)?;
                        Ok(write(lowered, with(program, |program| hiprtc::Program::lowered_name(program, name))??)?)
                    }
                }

                fn hiprtcCompileProgram(
                    program: hiprtcProgram, option_count: c_int, options: *mut *const c_char,
                ) -> hiprtcResult {
                    // SAFETY: the caller's list.
                    unsafe { hiprtc::compile::<$program>(program, options, option_count) }
                }

                fn hiprtcGetProgramLogSize(program: hiprtcProgram, size: *mut usize) -> hiprtcResult {
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(size, hiprtc::log::<$program>(program)?.len())? })
                }

                fn hiprtcGetProgramLog(program: hiprtcProgram, log: *mut c_char) -> hiprtcResult {
                    // SAFETY: the caller's memory, of the size that hiprtcGetProgramLogSize gave.
                    Ok(unsafe { write_bytes(log, &hiprtc::log::<$program>(program)?)? })
                }

                fn hiprtcGetCodeSize(program: hiprtcProgram, size: *mut usize) -> hiprtcResult {
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(size, hiprtc::with_code::<$program, _>(program, <[u8]>::len)?)? })
                }

                fn hiprtcGetCode(program: hiprtcProgram, code: *mut c_char) -> hiprtcResult {
                    // SAFETY: the caller's memory, of the size that hiprtcGetCodeSize gave.
                    Ok(hiprtc::with_code::<$program, _>(program, |bytes| unsafe { write_bytes(code, bytes) })??)
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}
