//! hiprtc's programs.

use std::ffi::{CStr, c_char, c_int, c_void};

use rocm_platform::arguments::write_text;
use rocm_platform::hiprtc::{self, HiprtcResult, Programs};
use rocm_platform::{Export, hiprtc_exports};
use rocm_sys::extension::{self, signature};
use rocm_sys::hip::hipError_t;
use rocm_sys::hiprtc::hiprtcResult;

use super::compiler;

/// This platform.
pub(crate) struct Gfx;

static PROGRAMS: Programs<Program> = Programs::new(0x4752_0000_0000_0000);

/// Source and headers in, log and code out.
struct Program {
    source: String,
    name: String,
    headers: Vec<(String, String)>,
    log: String,
    code: Vec<u8>,
}

impl hiprtc::Program for Program {
    fn programs() -> &'static Programs<Self> {
        &PROGRAMS
    }

    /// The minor number differs for every compiler: caches of compiled code use the version as a key.
    fn version() -> HiprtcResult<(c_int, c_int)> {
        Ok((7, compiler::identity() as c_int & c_int::MAX))
    }

    fn create(source: &CStr, name: Option<&CStr>, headers: Vec<(&CStr, &CStr)>) -> HiprtcResult<Self> {
        let owned = |text: &CStr| text.to_string_lossy().into_owned();
        Ok(Self {
            source: owned(source),
            name: name.map(owned).filter(|name| !name.is_empty()).unwrap_or_else(|| "program.hip".to_owned()),
            headers: headers.into_iter().map(|(name, text)| (owned(name), owned(text))).collect(),
            log: String::new(),
            code: Vec::new(),
        })
    }

    /// Not supported: kernels are found by their `extern "C"` name.
    fn add_name_expression(&mut self, _name: &CStr) -> HiprtcResult {
        Err(hiprtcResult::HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
    }

    /// Not supported, as name expressions are not.
    fn lowered_name(&self, _name: &CStr) -> HiprtcResult<*const c_char> {
        Err(hiprtcResult::HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
    }

    fn compile(&mut self, options: &[&str]) -> HiprtcResult {
        self.code.clear();
        match compiler::compile(&self.name, &self.source, &self.headers, options) {
            Ok((code, log)) => (self.code, self.log) = (code, log),
            Err(log) => {
                self.log = log;
                return Err(hiprtcResult::HIPRTC_ERROR_COMPILATION);
            }
        }
        Ok(())
    }

    fn log(&self) -> &str {
        &self.log
    }

    fn code(&self) -> &[u8] {
        &self.code
    }
}

hiprtc_exports! { Gfx, Program }

/// [`extension`]'s function that names the compiler; all else of its kind is the host platform's.
pub(super) static EXTENSIONS: &[Export] =
    &[Export { name: extension::COMPILER, address: name_compiler as *const c_void }];

const _: signature::candleRocmCompiler = name_compiler;

/// What compiles: clang with its version, or the program that calls a library.
///
/// # Safety
/// `text` is null or has room for `size` characters.
unsafe extern "C" fn name_compiler(text: *mut c_char, size: usize) -> hipError_t {
    let Some(compiler) = compiler::describe() else { return hipError_t::hipErrorNotFound };
    let size = c_int::try_from(size).unwrap_or(c_int::MAX);
    // SAFETY: the caller vouches for `size` bytes.
    match unsafe { write_text(text, size, &compiler) } {
        Ok(()) => hipError_t::hipSuccess,
        Err(_) => hipError_t::hipErrorInvalidValue,
    }
}
