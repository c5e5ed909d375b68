//! hiprtc's programs by handle.

use std::ffi::{CStr, c_char, c_int};

use rocm_platform::arguments::write_text;
use rocm_platform::hiprtc::{HiprtcResult, Programs};
use rocm_platform::{export, hiprtc, hiprtc_exports};
use rocm_sys::hip::hipError_t;
use rocm_sys::hiprtc::hiprtcResult;

use super::compiler::{self, Compiler};
use super::prelude;
use super::program::{CompileError, Program};
use crate::exec::blob;
use crate::exec::sanitize::Sanitizer;
use crate::exports::Host;

static PROGRAMS: Programs<Program> = Programs::new(0x5250_0000_0000_0000);

/// Identifies the state of this compiler: caches of compiled code use the version as a key.
fn fingerprint() -> c_int {
    let known = Sanitizer::from_env().and_then(|sanitizer| {
        let only = compiler::asked().is_some() || sanitizer.is_some_and(Sanitizer::has_runtime);
        let compiler = only.then(|| compiler::find(None, sanitizer)).transpose()?;
        Ok(fingerprint_of(sanitizer, compiler.as_deref()))
    });
    // Nothing was ever compiled with what there is not: compiling says what is wrong, whatever is cached.
    known.unwrap_or_else(|wrong| hash(&wrong))
}

fn hash(text: &str) -> c_int {
    let hash = blob::hash(text.as_bytes());
    (hash ^ hash >> 32) as c_int & c_int::MAX
}

/// With a compiler, of what it alone compiles: code has to be of the compiler that was asked for, or fit a checker's library. Else of what
/// any does: results do not depend on the compiler, and one that was installed or updated meanwhile need not compile all kernels again.
fn fingerprint_of(sanitizer: Option<Sanitizer>, compiler: Option<&Compiler>) -> c_int {
    let any = [Compiler::any(compiler::Family::Gcc), Compiler::any(compiler::Family::Clang)];
    let flags: Vec<String> = match compiler {
        Some(compiler) => compiler.flags("", sanitizer),
        None => any.iter().flat_map(|compiler| compiler.flags("", sanitizer)).collect(),
    };
    let flags = flags.join(" ");
    let version = compiler.map_or("", |compiler| &compiler.version);
    let parts = [
        prelude::TEXT,
        // What else is added to a source.
        include_str!("prelude.rs"),
        include_str!("rewrite.rs"),
        &flags,
        version,
        sanitizer.map_or("", Sanitizer::name),
    ];
    hash(&parts.join("\0"))
}

impl hiprtc::Program for Program {
    fn programs() -> &'static Programs<Self> {
        &PROGRAMS
    }

    /// The version of ROCm that the interface follows. The minor number differs for every state of what kernels are compiled with.
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

export! {
    Host, extension => EXTENSIONS;

    /// The C++ compiler: its path and version.
    fn candleRocmCompiler(text: *mut c_char, size: usize) -> hipError_t {
        let sanitizer = Sanitizer::from_env().ok().flatten();
        let compiler = compiler::find(None, sanitizer).map_err(|_| hipError_t::hipErrorNotFound)?;
        let size = c_int::try_from(size).unwrap_or(c_int::MAX);
        // SAFETY: the caller vouches for `size` bytes.
        Ok(unsafe { write_text(text, size, &compiler.to_string()) }?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hiprtc::compiler::Family;

    #[test]
    fn code_of_another_compiler_serves_unless_one_was_asked_for() {
        let of = |family, version: &str| Compiler { version: version.to_owned(), ..Compiler::any(family) };
        let any = fingerprint_of(None, None);
        let gcc = fingerprint_of(None, Some(&of(Family::Gcc, "g++ 12.2.0")));
        let newer = fingerprint_of(None, Some(&of(Family::Gcc, "g++ 13.1.0")));
        let clang = fingerprint_of(None, Some(&of(Family::Clang, "clang version 19.1.7")));
        let checked = fingerprint_of(Some(Sanitizer::Schedule), None);
        let all = [any, gcc, newer, clang, checked];
        for (i, one) in all.iter().enumerate() {
            assert!(!all[..i].contains(one), "{all:?}");
        }
        assert!(Sanitizer::Address.has_runtime() && Sanitizer::Thread.has_runtime());
        assert!(!Sanitizer::Schedule.has_runtime());
    }
}
