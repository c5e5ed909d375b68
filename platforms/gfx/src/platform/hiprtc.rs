//! hiprtc: kernels are compiled by clang, as `cargo xtask build-kernels` compiles them.

use std::ffi::{CStr, c_char, c_int};

use rocm_platform::hiprtc::{self, HiprtcResult, Programs};
use rocm_platform::hiprtc_exports;
use rocm_sys::hiprtc::hiprtcResult;

use crate::toolchain::Toolchain;

/// This platform.
pub(crate) struct Gfx;

static PROGRAMS: Programs<Program> = Programs::new(0x4752_0000_0000_0000);

/// Declares what HIP's headers would.
const PRELUDE: &str = include_str!("prelude.h");

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

    /// The minor number differs for every compiler and prelude: caches of compiled code use the version as a key.
    fn version() -> HiprtcResult<(c_int, c_int)> {
        let identity = Toolchain::shared().map(|toolchain| toolchain.describe()).unwrap_or_default();
        let hash = identity.bytes().chain(PRELUDE.bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Ok((7, (hash ^ hash >> 32) as c_int & c_int::MAX))
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
        let compiled = Toolchain::shared().and_then(|toolchain| {
            toolchain.compile_source((&self.name, &self.source), &self.headers, PRELUDE, options)
        });
        match compiled {
            Ok((code, log)) => (self.code, self.log) = (code, log),
            Err(error) => {
                self.log = error.to_string();
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
