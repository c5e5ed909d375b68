//! hiprtc, the run-time compiler of ROCm, and other platforms' implementations of its interface.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;

use rocm_sys::extension::{self, signature};
use rocm_sys::hip::hipError_t;
use rocm_sys::hiprtc::{Hiprtc, hiprtcProgram, hiprtcResult};
use rocm_sys::{Library, MissingSymbol};

use super::{CompileError, Compiler, Program};

impl Compiler for Hiprtc {
    fn identity(&self) -> Result<String, CompileError> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are to live integers, which is all the call writes.
        let called = unsafe { self.hiprtcVersion(&mut major, &mut minor) };
        check(self, "hiprtcVersion", called)?;
        Ok(format!("hiprtc {major}.{minor}"))
    }

    /// The program that a platform's hiprtc runs, else the library.
    fn describe(&self) -> String {
        let library = self.library().path().display();
        match (program(self.library()), self.identity()) {
            (Some(program), _) => program,
            (None, Ok(version)) => format!("{library} ({version})"),
            (None, Err(error)) => format!("{library} ({error})"),
        }
    }

    fn compile(&self, program: &Program<'_>, arch: &str) -> Result<Vec<u8>, CompileError> {
        let header_texts =
            program.headers.iter().map(|(name, text)| c_string(name, text)).collect::<Result<Vec<_>, _>>()?;
        let header_names = program
            .headers
            .iter()
            .map(|(name, _)| c_string("a header's name", name))
            .collect::<Result<Vec<_>, _>>()?;
        let option_texts = program
            .options
            .iter()
            .map(|option| c_string("an option", option))
            .collect::<Result<Vec<_>, _>>()?;

        // Compilers show this name in their messages.
        let file_name = c_string("the name", &format!("{}.hip", program.name))?;
        let compilation = Compilation::create(
            self,
            &c_string("the source", program.source)?,
            &file_name,
            &header_texts,
            &header_names,
        )?;
        let mut option_pointers = pointers(&option_texts);
        // SAFETY: the program lives; the array holds as many NUL-terminated strings as said, all alive during the call.
        let compiled = unsafe {
            self.hiprtcCompileProgram(compilation.handle, count(&option_texts), option_pointers.as_mut_ptr())
        };
        match compiled {
            Ok(hiprtcResult::HIPRTC_SUCCESS) => compilation.code(),
            Ok(status) => Err(CompileError::Rejected {
                name: program.name.to_owned(),
                arch: arch.to_owned(),
                status: status_name(self, status),
                options: program.options.iter().map(|&option| option.to_owned()).collect(),
                log: compilation.log().unwrap_or_else(|error| format!("(no log: {error})")),
            }),
            Err(missing) => Err(missing_symbol("hiprtcCompileProgram", &missing)),
        }
    }
}

/// The compiler behind a platform of ours.
pub(super) fn program(library: &Library) -> Option<String> {
    let address = library.symbol(extension::COMPILER)?;
    // SAFETY: our platforms alone export the name, for a function of this type.
    let compiler = unsafe { std::mem::transmute::<*const c_void, signature::candleRocmCompiler>(address) };
    let mut text = vec![0_u8; 1 << 10];
    // SAFETY: there is room for as many bytes as said.
    let code = unsafe { compiler(text.as_mut_ptr().cast(), text.len()) };
    let text = CStr::from_bytes_until_nul(&text).ok().filter(|_| code == hipError_t::hipSuccess)?;
    Some(text.to_string_lossy().into_owned())
}

/// A program that is destroyed when dropped.
struct Compilation<'a> {
    hiprtc: &'a Hiprtc,
    handle: hiprtcProgram,
}

impl<'a> Compilation<'a> {
    fn create(
        hiprtc: &'a Hiprtc,
        source: &CStr,
        name: &CStr,
        header_texts: &[CString],
        header_names: &[CString],
    ) -> Result<Self, CompileError> {
        let mut handle = ptr::null_mut();
        let (mut texts, mut names) = (pointers(header_texts), pointers(header_names));
        // SAFETY: all strings are NUL-terminated and alive during the call, which copies them; both arrays hold as many as said.
        let called = unsafe {
            hiprtc.hiprtcCreateProgram(
                &mut handle,
                source.as_ptr(),
                name.as_ptr(),
                count(header_texts),
                texts.as_mut_ptr(),
                names.as_mut_ptr(),
            )
        };
        check(hiprtc, "hiprtcCreateProgram", called)?;
        Ok(Self { hiprtc, handle })
    }

    fn code(&self) -> Result<Vec<u8>, CompileError> {
        let mut size = 0;
        // SAFETY: the program lives and was compiled; the call writes one integer.
        let called = unsafe { self.hiprtc.hiprtcGetCodeSize(self.handle, &mut size) };
        check(self.hiprtc, "hiprtcGetCodeSize", called)?;
        let mut code = vec![0_u8; size];
        // SAFETY: the buffer has the size that hiprtc asked for.
        let called = unsafe { self.hiprtc.hiprtcGetCode(self.handle, code.as_mut_ptr().cast()) };
        check(self.hiprtc, "hiprtcGetCode", called)?;
        Ok(code)
    }

    fn log(&self) -> Result<String, CompileError> {
        let mut size = 0;
        // SAFETY: the program lives; the call writes one integer.
        let called = unsafe { self.hiprtc.hiprtcGetProgramLogSize(self.handle, &mut size) };
        check(self.hiprtc, "hiprtcGetProgramLogSize", called)?;
        // One byte more than reported: not every version counts the terminator.
        let mut log = vec![0_u8; size + 1];
        // SAFETY: the buffer is at least of the size that hiprtc asked for.
        let called = unsafe { self.hiprtc.hiprtcGetProgramLog(self.handle, log.as_mut_ptr().cast()) };
        check(self.hiprtc, "hiprtcGetProgramLog", called)?;
        let text = log.split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(text).trim_end().to_owned())
    }
}

impl Drop for Compilation<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle came from hiprtcCreateProgram and is not used afterwards.
        // A failure leaks the program's memory, which a destructor cannot mend.
        let _ = unsafe { self.hiprtc.hiprtcDestroyProgram(&mut self.handle) };
    }
}

fn check(
    hiprtc: &Hiprtc,
    call: &'static str,
    called: Result<hiprtcResult, MissingSymbol>,
) -> Result<(), CompileError> {
    match called {
        Ok(hiprtcResult::HIPRTC_SUCCESS) => Ok(()),
        Ok(status) => Err(CompileError::Compiler { call, message: status_name(hiprtc, status) }),
        Err(missing) => Err(missing_symbol(call, &missing)),
    }
}

pub(super) fn missing_symbol(call: &'static str, missing: &MissingSymbol) -> CompileError {
    CompileError::Compiler { call, message: missing.to_string() }
}

/// `HIPRTC_ERROR_COMPILATION (6)`.
fn status_name(hiprtc: &Hiprtc, status: hiprtcResult) -> String {
    // SAFETY: the call takes any status and gives a string that lives as long as the library.
    let name = match unsafe { hiprtc.hiprtcGetErrorString(status) } {
        Ok(text) if !text.is_null() => {
            // SAFETY: not null, so it is a NUL-terminated string of the library.
            unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
        }
        _ => "unknown status".to_owned(),
    };
    format!("{name} ({})", status.0)
}

pub(super) fn c_string(what: &str, text: &str) -> Result<CString, CompileError> {
    CString::new(text).map_err(|_| CompileError::NulByte { what: what.to_owned() })
}

pub(super) fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings.iter().map(|string| string.as_ptr()).collect()
}

/// The length as a C int. There are never more than two billion options.
fn count(strings: &[CString]) -> i32 {
    i32::try_from(strings.len()).unwrap_or(i32::MAX)
}
