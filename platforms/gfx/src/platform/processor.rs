//! Devices: processors whose machine code is executed.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use candle_rocm_host::processor::{Code, LoadError, Processor};
use rocm_kernels::toolchain;
use rocm_sys::variable;

use super::compiler::{self, GENERIC_VARIABLE};
use super::module::Module;
use crate::coverage;
use crate::object::{self, Object};
use crate::target::Target;

/// Names the devices: `gfx1100,gfx942`.
const DEVICES_VARIABLE: &str = "CANDLE_ROCM_GFX_DEVICES";
const DEFAULT_DEVICES: &str = "gfx1100,gfx942";

/// The number of multiprocessors that devices say they have; by default that of the product. Sizes of launches depend on it.
const UNITS_VARIABLE: &str = "CANDLE_ROCM_GFX_UNITS";
/// Where neither says how many there are.
const UNITS: usize = 32;

/// The processors whose instructions are known.
pub const EXECUTED: &[&str] = &[
    "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100", "gfx1151", "gfx1201",
];

/// The devices that the environment names, or why it names none: there is no device then, as with HIP_VISIBLE_DEVICES.
pub(super) fn from_env() -> Result<Vec<Box<dyn Processor>>, String> {
    let list = variable::text(DEVICES_VARIABLE).unwrap_or_else(|| DEFAULT_DEVICES.to_owned());
    let device = |name: &str| EXECUTED.contains(&name).then(|| Target::find(name)).flatten();
    let targets: Option<Vec<Target>> =
        list.split(',').map(|name| device(&name.trim().to_ascii_lowercase())).collect();
    let targets = targets.ok_or_else(|| {
        format!(
            "{DEVICES_VARIABLE}={list} is not a list of processors, so there is no device; choose from {}",
            EXECUTED.join(",")
        )
    })?;
    let generic = compiler::is_generic();
    let units = variable::number(UNITS_VARIABLE, "a number of multiprocessors");
    let gfx = |target| Box::new(Gfx { target, generic, units }) as Box<dyn Processor>;
    Ok(targets.into_iter().map(gfx).collect())
}

/// The name of a processor as its device gives it, with features: `gfx942:sramecc+:xnack-`. `None` if it is not executed.
pub fn arch(processor: &str) -> Option<String> {
    EXECUTED.contains(&processor).then(|| Target::find(processor)).flatten().map(arch_of)
}

/// With the features that cards of this kind have switched on and off.
fn arch_of(target: Target) -> String {
    let name = target.processor.name;
    match name {
        "gfx906" | "gfx908" | "gfx90a" | "gfx942" | "gfx950" => format!("{name}:sramecc+:xnack-"),
        "gfx1010" => format!("{name}:xnack-"),
        _ => name.to_owned(),
    }
}

/// A processor on the runtime.
struct Gfx {
    target: Target,
    /// Whether it takes code of its generic target only.
    generic: bool,
    /// Multiprocessors, if not those of the product.
    units: Option<usize>,
}

impl Processor for Gfx {
    fn arch(&self) -> String {
        arch_of(self.target)
    }

    fn name(&self) -> String {
        let product = self.target.processor.products.first().map_or("AMD GPU", |products| products);
        format!("{product} ({}, executed on the CPU)", self.target.processor.name)
    }

    fn wavefront(&self) -> u32 {
        self.target.processor.wavefront
    }

    fn version(&self) -> (c_int, c_int) {
        (self.target.generation as c_int, 0)
    }

    fn multiprocessors(&self) -> usize {
        let processor = self.target.processor;
        let product =
            processor.rates.map(|rates| (rates.units / processor.units_per_multiprocessor()) as usize);
        self.units.or(product).unwrap_or(UNITS)
    }

    fn shared_memory(&self) -> u32 {
        self.target.processor.lds
    }

    fn load(&self, image: &[u8], ordinal: usize) -> Result<Arc<dyn Code>, LoadError> {
        let disassembler =
            toolchain::disassembler().map_err(|error| LoadError::Invalid(error.to_string()))?;
        let object = Object::load(image, self.target, &disassembler).map_err(|error| match error {
            object::LoadError::OtherProcessor { .. } => LoadError::OtherProcessor(error.to_string()),
            _ => LoadError::Invalid(error.to_string()),
        })?;
        if self.generic && Some(&*object.compiled_for) != self.target.processor.generic {
            let why =
                format!("the code object is for {}, and {GENERIC_VARIABLE} is set", object.compiled_for);
            return Err(LoadError::OtherProcessor(why));
        }
        Ok(Arc::new(Module::new(object, coverage::digest_if_noted(image), ordinal)))
    }

    unsafe fn image_length(&self, image: *const c_void) -> Option<usize> {
        // SAFETY: the caller's promise.
        unsafe { object::length(image.cast()) }
    }
}
