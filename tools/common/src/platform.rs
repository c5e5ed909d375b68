//! The platform that tests and programs run on.

use rocm_sys::hip::{Hip, hipError_t};
use rocm_sys::{Library, LibraryKind, Search};

/// `amd` if the HIP library is installed and finds a card, else `host`.
pub fn default_platform() -> &'static str {
    let Ok(library) = Library::open(LibraryKind::Hip, &Search::from_env()) else { return "host" };
    let mut count = 0;
    // SAFETY: `count` is a valid place for the one integer that hipGetDeviceCount writes.
    match unsafe { Hip::new(library).hipGetDeviceCount(&mut count) } {
        Ok(hipError_t::hipSuccess) if count > 0 => "amd",
        _ => "host",
    }
}

/// Unless the user says otherwise: what was measured on this machine, by `cargo xtask card` for instance, may choose other kernels than
/// those that are to be tested.
pub fn fixed_choices() -> Option<(&'static str, &'static str)> {
    let variable = "CANDLE_ROCM_TUNING";
    std::env::var_os(variable).is_none().then_some((variable, "off"))
}
