//! comgr's data, and its actions, which a program performs.

use std::ffi::{CStr, c_char, c_int};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rocm_platform::arguments::{string, strings, write, write_bytes, write_optional};
use rocm_platform::{Handles, export};
use rocm_sys::comgr::{
    amd_comgr_action_info_t, amd_comgr_action_kind_t, amd_comgr_data_kind_t, amd_comgr_data_set_t,
    amd_comgr_data_t, amd_comgr_language_t, amd_comgr_status_t,
};

use super::compiler;
use super::hiprtc::Gfx;
use crate::comgr::{Action, Data, Outcome};

type ComgrResult<T = ()> = Result<T, amd_comgr_status_t>;
/// Sets and handles share it.
type Shared = Arc<Mutex<Data>>;

static DATA: Handles<Shared> = Handles::new(0x4744_0000_0000_0000);
static SETS: Handles<Vec<Shared>> = Handles::new(0x4753_0000_0000_0000);
/// All but the kind and the data.
static INFOS: Handles<Action> = Handles::new(0x4749_0000_0000_0000);

const INVALID: amd_comgr_status_t = amd_comgr_status_t::AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;

/// Writes an out-parameter.
///
/// # Safety
/// `out` is null or the caller's variable.
unsafe fn give<T>(out: *mut T, value: T) -> ComgrResult {
    // SAFETY: the caller's promise.
    unsafe { write(out, value) }.map_err(Into::into)
}

fn with_data<T>(data: amd_comgr_data_t, f: impl FnOnce(&mut Data) -> T) -> ComgrResult<T> {
    let data = DATA.get(data.handle as usize).ok_or(INVALID)?;
    Ok(f(&mut lock(&data)))
}

fn with_info<T>(info: amd_comgr_action_info_t, f: impl FnOnce(&mut Action) -> T) -> ComgrResult<T> {
    INFOS.with(info.handle as usize, f).ok_or(INVALID)
}

fn objects(set: amd_comgr_data_set_t) -> ComgrResult<Vec<Shared>> {
    SETS.get(set.handle as usize).ok_or(INVALID)
}

fn lock(data: &Shared) -> MutexGuard<'_, Data> {
    data.lock().unwrap_or_else(PoisonError::into_inner)
}

fn owned(text: &CStr) -> String {
    text.to_string_lossy().into_owned()
}

/// The program's answer, or one that says what is the matter with it.
fn perform(action: &Action) -> Outcome {
    compiler::perform(action).unwrap_or_else(|why| Outcome {
        status: amd_comgr_status_t::AMD_COMGR_STATUS_ERROR.0,
        output: vec![Data {
            kind: amd_comgr_data_kind_t::AMD_COMGR_DATA_KIND_LOG.0,
            name: "comgr.log".to_owned(),
            content: why.into_bytes(),
        }],
    })
}

export! {
    Gfx, comgr => EXPORTS;

    /// The minor number differs for every compiler: caches of compiled code use the version as a key.
    fn amd_comgr_get_version(major: *mut usize, minor: *mut usize) -> () {
        let version = compiler::comgr_version().unwrap_or_default();
        // SAFETY: the caller's out-parameters.
        unsafe {
            write_optional(major, version.0);
            write_optional(minor, version.1);
        }
    }

    fn amd_comgr_status_string(status: amd_comgr_status_t, text: *mut *const c_char) -> amd_comgr_status_t {
        let name = match status {
            amd_comgr_status_t::AMD_COMGR_STATUS_SUCCESS => c"SUCCESS",
            amd_comgr_status_t::AMD_COMGR_STATUS_ERROR => c"ERROR",
            INVALID => c"INVALID_ARGUMENT",
            amd_comgr_status_t::AMD_COMGR_STATUS_ERROR_OUT_OF_RESOURCES => c"OUT_OF_RESOURCES",
            _ => return Err(INVALID),
        };
        // SAFETY: the caller's out-parameter.
        unsafe { give(text, name.as_ptr()) }
    }

    fn amd_comgr_create_data(kind: amd_comgr_data_kind_t, data: *mut amd_comgr_data_t) -> amd_comgr_status_t {
        let handle = DATA.insert(Arc::new(Mutex::new(Data { kind: kind.0, ..Data::default() })));
        // SAFETY: the caller's out-parameter.
        unsafe { give(data, amd_comgr_data_t { handle: handle as u64 }) }
    }

    /// Forgets one reference; sets have their own.
    fn amd_comgr_release_data(data: amd_comgr_data_t) -> amd_comgr_status_t {
        DATA.remove(data.handle as usize).map(drop).ok_or(INVALID)
    }

    fn amd_comgr_set_data(data: amd_comgr_data_t, size: usize, bytes: *const c_char) -> amd_comgr_status_t {
        let content = match size {
            0 => Vec::new(),
            _ if bytes.is_null() => return Err(INVALID),
            // SAFETY: not null, so the caller has as many bytes as said.
            _ => unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), size) }.to_vec(),
        };
        with_data(data, |data| data.content = content)
    }

    fn amd_comgr_set_data_name(data: amd_comgr_data_t, name: *const c_char) -> amd_comgr_status_t {
        // SAFETY: the caller's string.
        let name = owned(unsafe { string(name)? });
        with_data(data, |data| data.name = name)
    }

    /// The size alone where there is no room for the bytes.
    fn amd_comgr_get_data(data: amd_comgr_data_t, size: *mut usize, bytes: *mut c_char) -> amd_comgr_status_t {
        let content = with_data(data, |data| data.content.clone())?;
        if !bytes.is_null() && !size.is_null() {
            // SAFETY: not null, so it is the caller's variable, which says for how many bytes there is room.
            unsafe {
                let room = (*size).min(content.len());
                write_bytes(bytes, &content[..room])?;
            }
        }
        // SAFETY: the caller's variable.
        unsafe { give(size, content.len()) }
    }

    fn amd_comgr_create_data_set(set: *mut amd_comgr_data_set_t) -> amd_comgr_status_t {
        // SAFETY: the caller's out-parameter.
        unsafe { give(set, amd_comgr_data_set_t { handle: SETS.insert(Vec::new()) as u64 }) }
    }

    fn amd_comgr_destroy_data_set(set: amd_comgr_data_set_t) -> amd_comgr_status_t {
        SETS.remove(set.handle as usize).map(drop).ok_or(INVALID)
    }

    fn amd_comgr_data_set_add(set: amd_comgr_data_set_t, data: amd_comgr_data_t) -> amd_comgr_status_t {
        let data = DATA.get(data.handle as usize).ok_or(INVALID)?;
        SETS.with(set.handle as usize, |set| set.push(data)).ok_or(INVALID)
    }

    /// A new reference to the object.
    fn amd_comgr_action_data_get_data(
        set: amd_comgr_data_set_t, kind: amd_comgr_data_kind_t, index: usize, data: *mut amd_comgr_data_t,
    ) -> amd_comgr_status_t {
        let of_kind = |data: &Shared| lock(data).kind == kind.0;
        let found = objects(set)?.into_iter().filter(of_kind).nth(index).ok_or(INVALID)?;
        // SAFETY: the caller's out-parameter.
        unsafe { give(data, amd_comgr_data_t { handle: DATA.insert(found) as u64 }) }
    }

    fn amd_comgr_create_action_info(info: *mut amd_comgr_action_info_t) -> amd_comgr_status_t {
        let handle = INFOS.insert(Action::default()) as u64;
        // SAFETY: the caller's out-parameter.
        unsafe { give(info, amd_comgr_action_info_t { handle }) }
    }

    fn amd_comgr_destroy_action_info(info: amd_comgr_action_info_t) -> amd_comgr_status_t {
        INFOS.remove(info.handle as usize).map(drop).ok_or(INVALID)
    }

    fn amd_comgr_action_info_set_language(
        info: amd_comgr_action_info_t, language: amd_comgr_language_t,
    ) -> amd_comgr_status_t {
        with_info(info, |info| info.language = language.0)
    }

    fn amd_comgr_action_info_set_isa_name(info: amd_comgr_action_info_t, isa: *const c_char) -> amd_comgr_status_t {
        // SAFETY: the caller's string.
        let isa = compiler::isa(&owned(unsafe { string(isa)? }));
        with_info(info, |info| info.isa = isa)
    }

    fn amd_comgr_action_info_set_logging(info: amd_comgr_action_info_t, logging: bool) -> amd_comgr_status_t {
        with_info(info, |info| info.logging = logging)
    }

    fn amd_comgr_action_info_set_option_list(
        info: amd_comgr_action_info_t, options: *mut *const c_char, count: usize,
    ) -> amd_comgr_status_t {
        let count = c_int::try_from(count).map_err(|_| INVALID)?;
        // SAFETY: the caller's list.
        let options = unsafe { strings(options.cast_const(), count)? }.into_iter().map(owned).collect();
        with_info(info, |info| info.options = options)
    }

    fn amd_comgr_do_action(
        kind: amd_comgr_action_kind_t, info: amd_comgr_action_info_t, input: amd_comgr_data_set_t,
        result: amd_comgr_data_set_t,
    ) -> amd_comgr_status_t {
        let info = with_info(info, |info| info.clone())?;
        let input = objects(input)?.iter().map(|data| lock(data).clone()).collect();
        let outcome = perform(&Action { kind: kind.0, input, ..info });
        let output = outcome.output.into_iter().map(|data| Arc::new(Mutex::new(data)));
        SETS.with(result.handle as usize, |set| set.extend(output)).ok_or(INVALID)?;
        match amd_comgr_status_t(outcome.status) {
            amd_comgr_status_t::AMD_COMGR_STATUS_SUCCESS => Ok(()),
            status => Err(status),
        }
    }
}
