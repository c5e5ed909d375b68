//! A real comgr's actions, for the gfx platform in another process.

use std::ffi::{CStr, CString, c_char};
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::ptr;

use anyhow::{Context as _, Result, bail};
use candle_rocm_gfx::comgr::{Action, Data, Outcome};
use clap::Args;
use rocm_sys::comgr::{
    Comgr, amd_comgr_action_info_t, amd_comgr_action_kind_t, amd_comgr_data_kind_t, amd_comgr_data_set_t,
    amd_comgr_data_t, amd_comgr_language_t, amd_comgr_status_t,
};
use rocm_sys::{MissingSymbol, Search};

/// Performs an action that standard input describes, and prints how it ended; what the gfx platform starts.
#[derive(Args)]
pub(crate) struct Options {
    /// The library, or the folder of a ROCm.
    library: PathBuf,
    /// Print the library's version instead.
    #[arg(long)]
    version: bool,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let comgr = Comgr::open(&Search::at(&options.library))?;
    if options.version {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are to live integers.
        unsafe { comgr.amd_comgr_get_version(&mut major, &mut minor)? };
        println!("{major}.{minor}");
        return Ok(());
    }
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    let action = Action::from_bytes(&bytes).context("standard input is no action")?;
    io::stdout().write_all(&Outcome::to_bytes(&perform(&comgr, &action)?))?;
    Ok(())
}

/// What it makes is not destroyed: the process ends.
fn perform(comgr: &Comgr, action: &Action) -> Result<Outcome> {
    let isa = CString::new(&*action.isa)?;
    let options =
        action.options.iter().map(|option| CString::new(&**option)).collect::<Result<Vec<_>, _>>()?;
    let mut pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    let language = amd_comgr_language_t(action.language);
    let mut info = amd_comgr_action_info_t::default();
    let (mut input, mut result) = (amd_comgr_data_set_t::default(), amd_comgr_data_set_t::default());
    // SAFETY: each call writes one handle, or is given one that was made here; strings, and the list with as many as said, live until
    // the end.
    let status = unsafe {
        done(comgr.amd_comgr_create_action_info(&mut info))?;
        done(comgr.amd_comgr_action_info_set_language(info, language))?;
        done(comgr.amd_comgr_action_info_set_isa_name(info, isa.as_ptr()))?;
        done(comgr.amd_comgr_action_info_set_option_list(info, pointers.as_mut_ptr(), pointers.len()))?;
        done(comgr.amd_comgr_action_info_set_logging(info, action.logging))?;
        done(comgr.amd_comgr_create_data_set(&mut input))?;
        for data in &action.input {
            add(comgr, input, data)?;
        }
        done(comgr.amd_comgr_create_data_set(&mut result))?;
        comgr.amd_comgr_do_action(amd_comgr_action_kind_t(action.kind), info, input, result)?
    };
    Ok(Outcome { status: status.0, output: content(comgr, result)? })
}

fn add(comgr: &Comgr, set: amd_comgr_data_set_t, data: &Data) -> Result<()> {
    let name = CString::new(&*data.name)?;
    let mut handle = amd_comgr_data_t::default();
    // SAFETY: the calls write one handle, and are given that, the caller's, a string and as many bytes as said, which they copy.
    unsafe {
        done(comgr.amd_comgr_create_data(amd_comgr_data_kind_t(data.kind), &mut handle))?;
        // comgr refuses to be given nothing.
        if !data.content.is_empty() {
            done(comgr.amd_comgr_set_data(handle, data.content.len(), data.content.as_ptr().cast()))?;
        }
        done(comgr.amd_comgr_set_data_name(handle, name.as_ptr()))?;
        done(comgr.amd_comgr_data_set_add(set, handle))
    }
}

/// All that is in a set.
fn content(comgr: &Comgr, set: amd_comgr_data_set_t) -> Result<Vec<Data>> {
    let mut all = Vec::new();
    for kind in 1..=amd_comgr_data_kind_t::AMD_COMGR_DATA_KIND_LAST.0 {
        let of_kind = amd_comgr_data_kind_t(kind);
        let mut count = 0;
        // SAFETY: the call writes one integer.
        let counted = unsafe { comgr.amd_comgr_action_data_count(set, of_kind, &mut count) };
        // Some numbers stand for nothing, others are of newer versions.
        if !is_done(counted)? {
            continue;
        }
        for index in 0..count {
            let mut data = amd_comgr_data_t::default();
            // SAFETY: the call writes one handle.
            done(unsafe { comgr.amd_comgr_action_data_get_data(set, of_kind, index, &mut data) })?;
            // SAFETY: the data object lives; the calls write a size, and as many bytes where they are given room.
            let content = sized(|size, bytes| unsafe { comgr.amd_comgr_get_data(data, size, bytes) })?;
            // SAFETY: as above.
            let name = sized(|size, bytes| unsafe { comgr.amd_comgr_get_data_name(data, size, bytes) })?;
            let name = CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy().into_owned();
            all.push(Data { kind, name, content });
        }
    }
    Ok(all)
}

/// What a function gives that is asked for the size first. It refuses where there is nothing: the log of a compiler that is content.
fn sized(
    get: impl Fn(*mut usize, *mut c_char) -> Result<amd_comgr_status_t, MissingSymbol>,
) -> Result<Vec<u8>> {
    let mut size = 0;
    if !is_done(get(&mut size, ptr::null_mut()))? {
        return Ok(Vec::new());
    }
    let mut bytes = vec![0_u8; size];
    done(get(&mut size, bytes.as_mut_ptr().cast()))?;
    Ok(bytes)
}

fn is_done(called: Result<amd_comgr_status_t, MissingSymbol>) -> Result<bool> {
    Ok(called? == amd_comgr_status_t::AMD_COMGR_STATUS_SUCCESS)
}

fn done(called: Result<amd_comgr_status_t, MissingSymbol>) -> Result<()> {
    match called? {
        amd_comgr_status_t::AMD_COMGR_STATUS_SUCCESS => Ok(()),
        status => bail!("comgr: status {}", status.0),
    }
}
