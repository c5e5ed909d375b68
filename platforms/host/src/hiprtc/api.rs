//! hiprtc's programs by handle.

use std::ffi::{CStr, c_char, c_int};

use rocm_platform::hiprtc::{HiprtcResult, Programs};
use rocm_platform::{hiprtc, hiprtc_exports};
use rocm_sys::hiprtc::hiprtcResult;

use super::compiler;
use super::prelude;
use super::program::{CompileError, Program};
use crate::exec::blob;
use crate::exec::sanitize::Sanitizer;
use crate::exports::Host;

static PROGRAMS: Programs<Program> = Programs::new(0x5250_0000_0000_0000);

/// Identifies the state of this compiler: caches of compiled code use the version as a key.
fn fingerprint() -> c_int {
    let sanitizer = Sanitizer::from_env().ok().flatten();
    let found = compiler::find(None, sanitizer);
    let flags = found.as_ref().map(|compiler| compiler.flags("", sanitizer).join(" ")).unwrap_or_default();
    let version = found.as_ref().map_or("", |compiler| &compiler.version);
    let parts = [
        prelude::TEXT,
        // What else is added to a source.
        include_str!("prelude.rs"),
        include_str!("rewrite.rs"),
        &flags,
        version,
        sanitizer.map_or("", Sanitizer::name),
    ];
    let hash = blob::hash(parts.join("\0").as_bytes());
    (hash ^ hash >> 32) as c_int & c_int::MAX
}

impl hiprtc::Program for Program {
    fn programs() -> &'static Programs<Self> {
        &PROGRAMS
    }

    /// The version of ROCm that the interface follows. The minor number differs for every state of the compiler and of what kernels
    /// are compiled with.
    fn version() -> HiprtcResult<(c_int, c_int)> {
        Ok((6, fingerprint()))
    }

    fn create(source: &CStr, name: Option<&CStr>, headers: Vec<(&CStr, &CStr)>) -> HiprtcResult<Self> {
        let owned = |text: &CStr| text.to_string_lossy().into_owned();
        let headers = headers.into_iter().map(|(name, text)| (owned(name), owned(text))).collect();
        let program = Self::new(owned(source), name.map(owned), headers);
        program.ok_or(hiprtcResult::HIPRTC_ERROR_INVALID_INPUT)
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
        self.compile_and_log(options).map_err(|error| match error {
            CompileError::Option(_) => hiprtcResult::HIPRTC_ERROR_INVALID_OPTION,
            CompileError::Compilation(_) => hiprtcResult::HIPRTC_ERROR_COMPILATION,
        })
    }

    fn log(&self) -> &str {
        &self.log
    }

    fn code(&self) -> &[u8] {
        &self.code
    }
}

hiprtc_exports! { Host, Program }
