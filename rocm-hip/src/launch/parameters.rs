//! What kernels take, so that a launch can be checked: the runtime cannot. It reads as many arguments as the kernel has, of
//! the kernel's sizes, from wherever the caller's list points.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, OnceLock};

use rocm_sys::extension::{FUNC_GET_PARAM_INFO, signature};
use rocm_sys::hip::{hipError_t, hipFunction_t};

use crate::{Device, kernel_parameters};

/// The bytes of each of a kernel's parameters.
pub(crate) type Parameters = Arc<[u16]>;

/// Of a module's kernels, read when one is asked for.
#[derive(Default)]
pub(crate) struct ModuleParameters(OnceLock<HashMap<String, Vec<usize>>>);

impl ModuleParameters {
    /// `None` where the platform does not know.
    pub(crate) fn of(
        &self,
        device: Device,
        image: &[u8],
        (name, function): (&str, hipFunction_t),
    ) -> Option<Parameters> {
        match device.hip().library().symbol(FUNC_GET_PARAM_INFO) {
            Some(address) => ask(device, address, function),
            // AMD's runtime keeps what the metadata say to itself.
            None => {
                let kernels = self.0.get_or_init(|| kernel_parameters(image));
                collect(kernels.get(name)?.iter().copied().map(Some))
            }
        }
    }
}

/// Asks the platform for one parameter after the other.
fn ask(device: Device, address: *const c_void, function: hipFunction_t) -> Option<Parameters> {
    // SAFETY: our platforms alone export the name, for a function of this type.
    let info =
        unsafe { std::mem::transmute::<*const c_void, signature::candleRocmFuncGetParamInfo>(address) };
    let size = |index| {
        let (mut offset, mut size) = (0, 0);
        // SAFETY: the handle lives, and the out-parameters are valid.
        match unsafe { info(function, index, &mut offset, &mut size) } {
            hipError_t::hipSuccess => Some(Some(size)),
            hipError_t::hipErrorInvalidValue => None,
            // The driver does not know: no list then.
            _ => Some(None),
        }
    };
    let parameters = collect((0..).map_while(size));
    // The index behind the last one was an error to the runtime.
    device.forget_error();
    parameters
}

fn collect(sizes: impl Iterator<Item = Option<usize>>) -> Option<Parameters> {
    sizes.map(|size| u16::try_from(size?).ok()).collect()
}
