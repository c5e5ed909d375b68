//! The C ABI: the host platform's runtime, with devices that execute machine code.

mod arguments;
mod comgr;
mod compiler;
mod exports;
mod hiprtc;
mod listing;
mod module;
mod processor;

pub(crate) use exports::is_installed;
pub use exports::{symbol, symbols};
pub use listing::listing;
pub use processor::{EXECUTED, arch};

use crate::object::Object;
use crate::target::Target;

/// The instructions of a code object whose meaning is not known, with the reason: what its kernels cannot execute.
///
/// # Errors
/// The code object cannot be loaded on this processor.
pub fn not_understood(object: &[u8], processor: &str) -> Result<Vec<String>, String> {
    let target = Target::find(processor).ok_or_else(|| format!("{processor} is no processor"))?;
    let disassembler = rocm_kernels::toolchain::disassembler().map_err(|error| error.to_string())?;
    let object = Object::load(object, target, &disassembler).map_err(|error| error.to_string())?;
    let code = object.code().map_err(|error| error.to_string())?;
    let refused = code.instructions.iter().filter_map(|instruction| {
        instruction.refusal.as_ref().map(|why| format!("{}: {why}", instruction.text))
    });
    Ok(refused.collect())
}
