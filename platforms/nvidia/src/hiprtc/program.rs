//! A program: source and headers in, log, code and lowered names out.

use super::nvrtc::{self, Nvrtc};
use super::options;
use crate::hip::device;
use crate::library;
use cudarc::nvrtc::sys::nvrtcProgram;
use rocm_sys::hiprtc::hiprtcResult;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;

/// HIP's headers, in terms of CUDA's. Most of their content is built into NVRTC.
const HEADERS: &[(&CStr, &CStr)] = &[
    (c"hip/hip_runtime.h", c"#pragma once\n"),
    (c"hip/hip_runtime_api.h", c"#pragma once\n"),
    (c"hip/hip_fp16.h", c"#pragma once\n#include <cuda_fp16.h>\n"),
    (c"hip/hip_bf16.h", c"#pragma once\n#include <cuda_bf16.h>\n"),
    (c"hip/hip_cooperative_groups.h", c"#pragma once\n#include <cooperative_groups.h>\n"),
];

/// What hiprtc defines for every program, and HIP on NVIDIA GPUs.
const DEFINITIONS: &[&str] = &["-D__HIPCC_RTC__=1", "-D__HIP_PLATFORM_NVIDIA__=1"];

/// What `hiprtcCreateProgram` creates. NVRTC gets it when it is compiled; if NVRTC is missing, the log then says so.
pub(super) struct Program {
    source: CString,
    name: CString,
    headers: Vec<(CString, CString)>,
    expressions: Vec<CString>,
    compiled: bool,
    /// The compiler's output.
    pub(super) log: String,
    /// For `hiprtcGetCode`; empty until compiled.
    pub(super) code: Vec<u8>,
    /// By expression. Programs hold pointers to these.
    lowered: HashMap<CString, CString>,
}

impl Program {
    pub(super) fn new(source: CString, name: Option<CString>, headers: Vec<(CString, CString)>) -> Self {
        Self {
            source,
            name: name.filter(|name| !name.is_empty()).unwrap_or_else(|| c"program.hip".to_owned()),
            headers,
            expressions: Vec::new(),
            compiled: false,
            log: String::new(),
            code: Vec::new(),
            lowered: HashMap::new(),
        }
    }

    pub(super) fn add_name(&mut self, expression: &CStr) -> Result<(), hiprtcResult> {
        if self.compiled {
            return Err(hiprtcResult::HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
        }
        self.expressions.push(expression.to_owned());
        Ok(())
    }

    pub(super) fn lowered(&self, expression: &CStr) -> Result<*const c_char, hiprtcResult> {
        if !self.compiled {
            return Err(hiprtcResult::HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
        }
        let found =
            self.lowered.get(expression).ok_or(hiprtcResult::HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID)?;
        Ok(found.as_ptr())
    }

    /// Compiles; the log is kept either way.
    pub(super) fn compile_and_log(&mut self, options: &[&str]) -> Result<(), hiprtcResult> {
        self.compiled = true;
        self.log.clear();
        self.code.clear();
        self.lowered.clear();
        let own_arch = device::current().ok().map(device::Device::arch);
        let mut options =
            options::translate(options.iter().copied(), own_arch.as_deref()).map_err(|text| {
                self.log = text;
                hiprtcResult::HIPRTC_ERROR_INVALID_OPTION
            })?;
        options.extend(DEFINITIONS.iter().map(|&definition| definition.to_owned()));
        options.extend(library::include_folders().iter().map(|folder| format!("-I{}", folder.display())));
        let options: Vec<CString> =
            options.into_iter().filter_map(|option| CString::new(option).ok()).collect();

        let nvrtc = nvrtc::open().map_err(|why| {
            self.log = format!("error: {why}\n");
            hiprtcResult::HIPRTC_ERROR_COMPILATION
        })?;
        let raw = Raw::create(nvrtc, self)?;
        for expression in &self.expressions {
            // SAFETY: the program lives, and the expression is a C string.
            unsafe { nvrtc.nvrtcAddNameExpression(raw.program, expression.as_ptr())? };
        }
        let pointers: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the program lives; the list is as long as said, of C strings that live during the call.
        let compiled =
            unsafe { nvrtc.nvrtcCompileProgram(raw.program, pointers.len() as c_int, pointers.as_ptr()) };
        self.log = raw.log();
        compiled?;
        for expression in &self.expressions {
            if let Some(name) = raw.lowered_name(expression) {
                self.lowered.insert(expression.clone(), name);
            }
        }
        self.code = raw.code()?;
        Ok(())
    }
}

/// NVRTC's program, destroyed when dropped.
struct Raw {
    nvrtc: &'static Nvrtc,
    program: nvrtcProgram,
}

impl Raw {
    fn create(nvrtc: &'static Nvrtc, program: &Program) -> Result<Self, hiprtcResult> {
        let given = program.headers.iter().map(|(name, text)| (name.as_c_str(), text.as_c_str()));
        // The caller's headers take precedence.
        let own = HEADERS
            .iter()
            .copied()
            .filter(|(own, _)| program.headers.iter().all(|(name, _)| name.as_c_str() != *own));
        let (names, texts): (Vec<_>, Vec<_>) =
            given.chain(own).map(|(name, text)| (name.as_ptr(), text.as_ptr())).unzip();
        let mut raw = ptr::null_mut();
        // SAFETY: the lists are as long as said, of C strings that live during the call; NVRTC copies them.
        unsafe {
            nvrtc.nvrtcCreateProgram(
                &mut raw,
                program.source.as_ptr(),
                program.name.as_ptr(),
                names.len() as c_int,
                texts.as_ptr(),
                names.as_ptr(),
            )?;
        }
        Ok(Self { nvrtc, program: raw })
    }

    fn log(&self) -> String {
        let mut size = 0;
        // SAFETY: the program lives; the out-parameter is valid.
        if unsafe { self.nvrtc.nvrtcGetProgramLogSize(self.program, &mut size) }.is_err() {
            return String::new();
        }
        let mut log = vec![0_u8; size];
        // SAFETY: the buffer has the size that NVRTC asked for.
        let got = unsafe { self.nvrtc.nvrtcGetProgramLog(self.program, log.as_mut_ptr().cast()) };
        let text = got.ok().and_then(|()| CStr::from_bytes_until_nul(&log).ok());
        text.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
    }

    fn lowered_name(&self, expression: &CStr) -> Option<CString> {
        let mut name = ptr::null();
        // SAFETY: the program lives; the out-parameter is valid.
        unsafe { self.nvrtc.nvrtcGetLoweredName(self.program, expression.as_ptr(), &mut name) }.ok()?;
        // SAFETY: NVRTC gave a C string that lives as long as the program.
        (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_owned())
    }

    /// The cubin; for a virtual architecture, of which there is none, the PTX with its final zero.
    fn code(&self) -> Result<Vec<u8>, hiprtcResult> {
        let mut size = 0;
        // SAFETY: the program lives and was compiled; out-parameters and buffers are as NVRTC asks for.
        unsafe {
            if self.nvrtc.nvrtcGetCUBINSize(self.program, &mut size).is_ok() && size > 0 {
                let mut code = vec![0_u8; size];
                self.nvrtc.nvrtcGetCUBIN(self.program, code.as_mut_ptr().cast())?;
                return Ok(code);
            }
            self.nvrtc.nvrtcGetPTXSize(self.program, &mut size)?;
            let mut code = vec![0_u8; size];
            self.nvrtc.nvrtcGetPTX(self.program, code.as_mut_ptr().cast())?;
            Ok(code)
        }
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // SAFETY: made by nvrtcCreateProgram, and not used afterwards.
        let _ = unsafe { self.nvrtc.nvrtcDestroyProgram(&mut self.program) };
    }
}
