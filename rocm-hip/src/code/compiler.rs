//! Run-time compilation.

use super::{CompileError, Program, Target};

/// A run-time compiler: [`rocm_sys::hiprtc::Hiprtc`], or [`rocm_sys::comgr::Comgr`] if hiprtc is missing.
pub trait Compiler {
    /// A string that identifies the compiler's version, such as `hiprtc 9.0`.
    ///
    /// # Errors
    /// The compiler cannot be called.
    fn identity(&self) -> Result<String, CompileError>;

    /// A description of the compiler for messages, such as `/opt/rocm/lib/libhiprtc.so.7 (hiprtc 9.0)`.
    fn describe(&self) -> String {
        self.identity().unwrap_or_else(|error| error.to_string())
    }

    /// Compiles a program to a code object with exactly the options of `program`, which include [`default_options`].
    ///
    /// # Errors
    /// [`CompileError::Rejected`] with the compiler's log if it rejects the source.
    fn compile(&self, program: &Program<'_>, arch: &str) -> Result<Vec<u8>, CompileError>;
}

/// Compiles a program for `target`, with [`default_options`] followed by its own options.
///
/// # Errors
/// [`CompileError::Rejected`] with the compiler's log if it rejects the source; [`CompileError::CompilerTooOld`] if it would abort
/// the process.
pub fn compile(
    program: &Program<'_>,
    target: &Target,
    compiler: &dyn Compiler,
) -> Result<Vec<u8>, CompileError> {
    refuse_aborting_compiler(target)?;
    let defaults = default_options(target);
    let options: Vec<&str> =
        defaults.iter().map(String::as_str).chain(program.options.iter().copied()).collect();
    compiler.compile(&Program { options: &options, ..*program }, &target.arch)
}

/// The options with which all kernels are compiled, at run time or ahead of time.
///
/// Floating-point contraction is off, so that results are the same on every platform. Kernels use an explicit `fma` instead.
pub fn default_options(target: &Target) -> Vec<String> {
    let mut options = vec![
        format!("--offload-arch={}", target.arch),
        "-O3".to_owned(),
        "-std=c++17".to_owned(),
        "-ffp-contract=off".to_owned(),
    ];
    options.extend(target.wavefront.map(|wavefront| format!("-DWAVE={wavefront}")));
    options
}

/// `HIP_VERSION` of the first runtime whose compiler knows gfx11; older ones abort the process instead of failing.
const FIRST_RUNTIME_WITH_GFX11: i32 = 50_300_000;

fn refuse_aborting_compiler(target: &Target) -> Result<(), CompileError> {
    let unknown_to_old_ones = target.generation().is_some_and(|generation| generation >= 11);
    match target.runtime_version {
        Some(version) if unknown_to_old_ones && version < FIRST_RUNTIME_WITH_GFX11 => {
            Err(CompileError::CompilerTooOld { version, arch: target.arch.clone() })
        }
        _ => Ok(()),
    }
}
