//! What a code object consists of.

use crate::coverage::KernelCode;
use crate::object::Object;
use crate::object::lines::Lines;
use crate::target::Target;

/// The kernels of a code object, with their instructions and the source lines of these, where it has line tables: a real hiprtc's has
/// none.
///
/// # Errors
/// The code object cannot be loaded on this processor.
pub fn listing(object: &[u8], processor: &str) -> Result<Vec<KernelCode>, String> {
    let target = Target::find(processor).ok_or_else(|| format!("{processor} is no processor"))?;
    let disassembler = rocm_kernels::toolchain::disassembler().map_err(|error| error.to_string())?;
    let loaded = Object::load(object, target, &disassembler).map_err(|error| error.to_string())?;
    let code = loaded.code().map_err(|error| error.to_string())?;
    let lines = Lines::new(object);
    let kernels = loaded.kernels.iter().map(|kernel| {
        let own = kernel.instructions(&code).map_err(|error| error.to_string())?;
        let instructions = code.instructions[own].iter().map(|instruction| {
            (instruction.address, lines.as_ref().map_or_else(Vec::new, |lines| lines.of(instruction.address)))
        });
        Ok(KernelCode { name: kernel.name.clone(), instructions: instructions.collect() })
    });
    kernels.collect()
}
