//! comgr, which hiprtc itself calls: compiles where there is the HIP runtime and no hiprtc.
//!
//! hiprtc includes HIP's headers in every program. They are part of hiprtc, so [`PRELUDE`] takes their place.

use std::ffi::{CStr, c_char};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use rocm_sys::MissingSymbol;
use rocm_sys::comgr::{
    Comgr, Numbers, amd_comgr_action_info_t, amd_comgr_action_kind_t, amd_comgr_data_kind_t,
    amd_comgr_data_set_t, amd_comgr_data_t, amd_comgr_status_t,
};

use super::hiprtc::{c_string, missing_symbol, pointers, program};
use super::{CompileError, Compiler, Program};

/// Declarations that replace HIP's headers: keywords, coordinates, barriers, atomics, shuffles, and common functions. For clang with
/// `-nogpuinc`.
pub const PRELUDE: &str = include_str!("prelude.h");

/// The name under which sources include [`PRELUDE`].
const PRELUDE_NAME: &str = "hip_prelude.h";

/// Names the processor among hiprtc's options. comgr has it apart from them.
const ARCH: &str = "--offload-arch=";

impl Compiler for Comgr {
    /// With the digest of [`PRELUDE`], which code is compiled from as well.
    fn identity(&self) -> Result<String, CompileError> {
        let (major, minor) = version(self)?;
        Ok(format!("comgr {major}.{minor} {}", blake3::hash(PRELUDE.as_bytes()).to_hex()))
    }

    /// The program that a platform's comgr runs, else the library, with comgr's version.
    fn describe(&self) -> String {
        let path = || self.library().path().display().to_string();
        let library = program(self.library()).unwrap_or_else(path);
        match version(self) {
            Ok((major, minor)) => format!("{library} (comgr {major}.{minor})"),
            Err(error) => format!("{library} ({error})"),
        }
    }

    fn compile(&self, program: &Program<'_>, arch: &str) -> Result<Vec<u8>, CompileError> {
        let (major, minor) = version(self)?;
        let numbers = Numbers::of(major).ok_or_else(|| CompileError::Compiler {
            call: "amd_comgr_get_version",
            message: format!("version {major}.{minor} is not supported"),
        })?;
        // Of several, the last one counts.
        let named = program.options.iter().rev().find_map(|option| option.strip_prefix(ARCH));
        let isa = c_string("the processor", &format!("amdgcn-amd-amdhsa--{}", named.unwrap_or(arch)))?;
        let of_compiler = ["-nogpuinc", "-include", PRELUDE_NAME].map(str::to_owned);
        let given =
            program.options.iter().filter(|option| !option.starts_with(ARCH)).map(|&it| it.to_owned());
        let language_options: Vec<String> = of_compiler.into_iter().chain(given).collect();

        let sources = DataSet::new(self)?;
        // Compilers show this name in their messages.
        sources.add(
            amd_comgr_data_kind_t::AMD_COMGR_DATA_KIND_SOURCE,
            &format!("{}.hip", program.name),
            program.source.as_bytes(),
        )?;
        for (name, text) in program.headers.iter().copied().chain([(PRELUDE_NAME, PRELUDE)]) {
            sources.add(amd_comgr_data_kind_t::AMD_COMGR_DATA_KIND_INCLUDE, name, text.as_bytes())?;
        }

        let optimize = ["-O3".to_owned()];
        let none: &[String] = &[];
        let mut steps = vec![(numbers.compile, &language_options[..])];
        steps.extend(numbers.add_libraries.into_iter().flatten().map(|action| (action, none)));
        steps.extend([(numbers.generate, &optimize[..]), (numbers.link, none)]);
        let mut data = sources;
        for (action, options) in steps {
            let step = Step { comgr: self, numbers, isa: &isa, options };
            let (status, result) = step.run(action, &data)?;
            if status != amd_comgr_status_t::AMD_COMGR_STATUS_SUCCESS {
                return Err(CompileError::Rejected {
                    name: program.name.to_owned(),
                    arch: named.unwrap_or(arch).to_owned(),
                    status: status_name(self, status),
                    options: language_options.clone(),
                    log: result.log().unwrap_or_else(|error| format!("(no log: {error})")),
                });
            }
            data = result;
        }
        data.first(amd_comgr_data_kind_t::AMD_COMGR_DATA_KIND_EXECUTABLE)
    }
}

/// An action, and what it needs to know.
struct Step<'a> {
    comgr: &'a Comgr,
    numbers: Numbers,
    isa: &'a CStr,
    options: &'a [String],
}

impl<'a> Step<'a> {
    /// How it ended, and what it gave: the log too if it failed.
    fn run(
        &self,
        action: amd_comgr_action_kind_t,
        input: &DataSet<'a>,
    ) -> Result<(amd_comgr_status_t, DataSet<'a>), CompileError> {
        /// LLVM's options are one state of the process.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

        let options =
            self.options.iter().map(|option| c_string("an option", option)).collect::<Result<Vec<_>, _>>()?;
        let mut option_pointers = pointers(&options);
        let comgr = self.comgr;
        let info = ActionInfo::new(comgr)?;
        // SAFETY: the action info lives.
        let called = unsafe { comgr.amd_comgr_action_info_set_language(info.handle, self.numbers.hip) };
        check(comgr, "amd_comgr_action_info_set_language", called)?;
        // SAFETY: the action info lives, and the string during the call, which copies it.
        let called = unsafe { comgr.amd_comgr_action_info_set_isa_name(info.handle, self.isa.as_ptr()) };
        check(comgr, "amd_comgr_action_info_set_isa_name", called)?;
        // SAFETY: the action info lives; the array holds as many NUL-terminated strings as said, which are copied.
        let called = unsafe {
            comgr.amd_comgr_action_info_set_option_list(
                info.handle,
                option_pointers.as_mut_ptr(),
                options.len(),
            )
        };
        check(comgr, "amd_comgr_action_info_set_option_list", called)?;
        // SAFETY: the action info lives.
        let called = unsafe { comgr.amd_comgr_action_info_set_logging(info.handle, true) };
        check(comgr, "amd_comgr_action_info_set_logging", called)?;

        let result = DataSet::new(comgr)?;
        // A platform's comgr runs a program for each action.
        let in_this_process = program(comgr.library()).is_none();
        let _guard = in_this_process.then(|| ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner));
        // SAFETY: action info and both data sets live.
        let called = unsafe { comgr.amd_comgr_do_action(action, info.handle, input.handle, result.handle) };
        match called {
            Ok(status) => Ok((status, result)),
            Err(missing) => Err(missing_symbol("amd_comgr_do_action", &missing)),
        }
    }
}

/// An action info that is destroyed when dropped.
struct ActionInfo<'a> {
    comgr: &'a Comgr,
    handle: amd_comgr_action_info_t,
}

impl<'a> ActionInfo<'a> {
    fn new(comgr: &'a Comgr) -> Result<Self, CompileError> {
        let mut handle = amd_comgr_action_info_t::default();
        // SAFETY: the call writes one handle.
        let called = unsafe { comgr.amd_comgr_create_action_info(&mut handle) };
        check(comgr, "amd_comgr_create_action_info", called)?;
        Ok(Self { comgr, handle })
    }
}

impl Drop for ActionInfo<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle came from amd_comgr_create_action_info and is not used afterwards. A failure leaks it.
        let _ = unsafe { self.comgr.amd_comgr_destroy_action_info(self.handle) };
    }
}

/// Texts and objects, destroyed when dropped.
struct DataSet<'a> {
    comgr: &'a Comgr,
    handle: amd_comgr_data_set_t,
}

impl<'a> DataSet<'a> {
    fn new(comgr: &'a Comgr) -> Result<Self, CompileError> {
        let mut handle = amd_comgr_data_set_t::default();
        // SAFETY: the call writes one handle.
        let called = unsafe { comgr.amd_comgr_create_data_set(&mut handle) };
        check(comgr, "amd_comgr_create_data_set", called)?;
        Ok(Self { comgr, handle })
    }

    /// Adds a copy of a text under a name.
    fn add(&self, kind: amd_comgr_data_kind_t, name: &str, text: &[u8]) -> Result<(), CompileError> {
        // hiprtc takes texts that end at a NUL byte: what one compiler refuses, so does the other.
        if text.contains(&0) {
            return Err(CompileError::NulByte { what: name.to_owned() });
        }
        let comgr = self.comgr;
        let name = c_string("a file's name", name)?;
        let mut handle = amd_comgr_data_t::default();
        // SAFETY: the call writes one handle.
        let called = unsafe { comgr.amd_comgr_create_data(kind, &mut handle) };
        check(comgr, "amd_comgr_create_data", called)?;
        let data = Data { comgr, handle };
        // SAFETY: the data object lives, and as many bytes as said, which are copied.
        let called = unsafe { comgr.amd_comgr_set_data(data.handle, text.len(), text.as_ptr().cast()) };
        check(comgr, "amd_comgr_set_data", called)?;
        // SAFETY: the data object lives, and the string, which is copied.
        let called = unsafe { comgr.amd_comgr_set_data_name(data.handle, name.as_ptr()) };
        check(comgr, "amd_comgr_set_data_name", called)?;
        // SAFETY: both live; the set keeps a reference of its own.
        let called = unsafe { comgr.amd_comgr_data_set_add(self.handle, data.handle) };
        check(comgr, "amd_comgr_data_set_add", called)
    }

    /// The content of the first object of this kind.
    fn first(&self, kind: amd_comgr_data_kind_t) -> Result<Vec<u8>, CompileError> {
        let comgr = self.comgr;
        let mut handle = amd_comgr_data_t::default();
        // SAFETY: the set lives; the call writes one handle, with a reference that is ours.
        let called = unsafe { comgr.amd_comgr_action_data_get_data(self.handle, kind, 0, &mut handle) };
        check(comgr, "amd_comgr_action_data_get_data", called)?;
        let data = Data { comgr, handle };
        let mut size = 0;
        // SAFETY: the data object lives; without a buffer the call writes the size alone.
        let called = unsafe { comgr.amd_comgr_get_data(data.handle, &mut size, ptr::null_mut()) };
        check(comgr, "amd_comgr_get_data", called)?;
        let mut bytes = vec![0_u8; size];
        // SAFETY: the data object lives, and the buffer has the size that the library asked for.
        let called = unsafe { comgr.amd_comgr_get_data(data.handle, &mut size, bytes.as_mut_ptr().cast()) };
        check(comgr, "amd_comgr_get_data", called)?;
        Ok(bytes)
    }

    fn log(&self) -> Result<String, CompileError> {
        let log = self.first(amd_comgr_data_kind_t::AMD_COMGR_DATA_KIND_LOG)?;
        let text = log.split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(text).trim_end().to_owned())
    }
}

impl Drop for DataSet<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle came from amd_comgr_create_data_set and is not used afterwards. A failure leaks it.
        let _ = unsafe { self.comgr.amd_comgr_destroy_data_set(self.handle) };
    }
}

/// A reference to a data object.
struct Data<'a> {
    comgr: &'a Comgr,
    handle: amd_comgr_data_t,
}

impl Drop for Data<'_> {
    fn drop(&mut self) {
        // SAFETY: the reference is ours and is not used afterwards. A failure leaks it.
        let _ = unsafe { self.comgr.amd_comgr_release_data(self.handle) };
    }
}

fn version(comgr: &Comgr) -> Result<(usize, usize), CompileError> {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both pointers are to live integers, which is all the call writes.
    unsafe { comgr.amd_comgr_get_version(&mut major, &mut minor) }
        .map_err(|missing| missing_symbol("amd_comgr_get_version", &missing))?;
    Ok((major, minor))
}

fn check(
    comgr: &Comgr,
    call: &'static str,
    called: Result<amd_comgr_status_t, MissingSymbol>,
) -> Result<(), CompileError> {
    match called {
        Ok(amd_comgr_status_t::AMD_COMGR_STATUS_SUCCESS) => Ok(()),
        Ok(status) => Err(CompileError::Compiler { call, message: status_name(comgr, status) }),
        Err(missing) => Err(missing_symbol(call, &missing)),
    }
}

/// `INVALID_ARGUMENT (2)`.
fn status_name(comgr: &Comgr, status: amd_comgr_status_t) -> String {
    let mut text: *const c_char = ptr::null();
    // SAFETY: the call writes one pointer.
    let called = unsafe { comgr.amd_comgr_status_string(status, &mut text) };
    let name = match called {
        Ok(amd_comgr_status_t::AMD_COMGR_STATUS_SUCCESS) if !text.is_null() => {
            // SAFETY: not null, so it is a NUL-terminated string of the library.
            unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
        }
        _ => "unknown status".to_owned(),
    };
    format!("comgr: {name} ({})", status.0)
}
