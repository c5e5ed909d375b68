//! hiprtc's programs by handle.

use super::nvrtc;
use super::program::Program;
use crate::exports::Nvidia;
use rocm_platform::hiprtc::{HiprtcResult, Programs};
use rocm_platform::{hiprtc, hiprtc_exports};
use std::ffi::{CStr, c_char, c_int};

static PROGRAMS: Programs<Program> = Programs::new(0x5254_0000_0000_0000);

impl hiprtc::Program for Program {
    fn programs() -> &'static Programs<Self> {
        &PROGRAMS
    }

    /// NVRTC's version. Where there is none it is 0.0, so that compiling can say in its log what is missing.
    fn version() -> HiprtcResult<(c_int, c_int)> {
        let (mut major, mut minor) = (0, 0);
        if let Ok(nvrtc) = nvrtc::open() {
            // SAFETY: both out-parameters are valid.
            unsafe { nvrtc.nvrtcVersion(&mut major, &mut minor)? };
        }
        Ok((major, minor))
    }

    fn create(source: &CStr, name: Option<&CStr>, headers: Vec<(&CStr, &CStr)>) -> HiprtcResult<Self> {
        let headers = headers.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
        Ok(Self::new(source.to_owned(), name.map(CStr::to_owned), headers))
    }

    fn add_name_expression(&mut self, name: &CStr) -> HiprtcResult {
        self.add_name(name)
    }

    fn lowered_name(&self, name: &CStr) -> HiprtcResult<*const c_char> {
        self.lowered(name)
    }

    fn compile(&mut self, options: &[&str]) -> HiprtcResult {
        self.compile_and_log(options)
    }

    fn log(&self) -> &str {
        &self.log
    }

    fn code(&self) -> &[u8] {
        &self.code
    }
}

hiprtc_exports! { Nvidia, Program }
