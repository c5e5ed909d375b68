//! Code objects: ELF files with the machine code of kernels, loaded as the real runtime loads them.

mod disassembly;
mod image;
pub(crate) mod lines;
pub(crate) mod metadata;
mod program;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use object::read::elf::{ElfFile64, FileHeader as _};
use object::{Endianness, Object as _, ObjectSymbol as _, SymbolKind, elf};

use crate::machine::descriptor::{self, Descriptor};
use crate::target::Target;
pub(crate) use image::Image;
use metadata::KernelMetadata;
pub(crate) use program::Program;

/// Why a code object cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LoadError {
    /// Not a code object, or damaged.
    #[error("{0}")]
    Invalid(String),
    /// For another processor.
    #[error("the code object is for {found}, and the device is {device}")]
    OtherProcessor {
        /// What it is for.
        found: String,
        /// The device.
        device: &'static str,
    },
    /// There is no disassembler, or it failed.
    #[error("{0}")]
    Disassembler(String),
}

pub(crate) fn invalid<T>(why: impl Into<String>) -> Result<T, LoadError> {
    Err(LoadError::Invalid(why.into()))
}

/// A kernel of a code object.
pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) descriptor: Descriptor,
    /// The addresses of its instructions in the object, from its entry on.
    pub(crate) addresses: Range<u64>,
    program: OnceLock<Result<Program, LoadError>>,
    pub(crate) metadata: KernelMetadata,
    /// Why it cannot be launched, if so.
    pub(crate) refusal: Option<&'static str>,
}

/// A variable: name, address, size.
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) address: u64,
    pub(crate) size: u64,
}

/// A loaded code object.
pub(crate) struct Object {
    /// What it is compiled for: `gfx90a:xnack-`.
    pub(crate) compiled_for: String,
    /// The file, which has the line tables.
    bytes: Vec<u8>,
    pub(crate) target: Target,
    pub(crate) image: Image,
    disassembler: PathBuf,
    groups: Vec<program::Group>,
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) variables: Vec<Variable>,
}

/// The length of the ELF file that begins with these bytes: its section headers come last.
///
/// # Safety
/// If `start` has the first bytes of an ELF file, its header is readable.
pub(crate) unsafe fn length(start: *const u8) -> Option<usize> {
    const HEADER: usize = 64;
    // SAFETY: read up to the first byte that differs.
    let is_elf = elf::ELFMAG.iter().enumerate().all(|(at, &byte)| unsafe { start.add(at).read() } == byte);
    if !is_elf {
        return None;
    }
    // SAFETY: the caller's promise.
    let header = unsafe { std::slice::from_raw_parts(start, HEADER) };
    let number = |at: usize, size: usize| {
        header[at..at + size].iter().rev().fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte))
    };
    usize::try_from(number(40, 8).checked_add(number(58, 2) * number(60, 2))?).ok()
}

impl Object {
    /// Loads a code object for a processor. `disassembler` is `llvm-objdump`.
    pub(crate) fn load(bytes: &[u8], target: Target, disassembler: &Path) -> Result<Self, LoadError> {
        let elf = match ElfFile64::<Endianness>::parse(bytes) {
            Ok(elf) => elf,
            Err(error) => return invalid(format!("it is no 64-bit ELF file: {error}")),
        };
        let header = elf.elf_header();
        if header.e_machine(elf.endian()) != elf::EM_AMDGPU || header.e_type(elf.endian()) != elf::ET_DYN {
            return invalid("it is no shared object for AMD GPUs");
        }
        let metadata = metadata::read(&elf)?;
        let compiled_for = check_processor(&metadata.target, &target)?.to_owned();
        let image = Image::load(&elf)?;
        let mut kernels = Vec::new();
        for kernel in metadata.kernels {
            kernels.push(Self::kernel(&elf, &image, kernel, &target)?);
        }
        let variables = elf
            .dynamic_symbols()
            .filter(|symbol| symbol.kind() == SymbolKind::Data && symbol.size() > 0)
            .filter_map(|symbol| {
                let name = symbol.name().ok().filter(|name| !name.ends_with(".kd"))?;
                Some(Variable {
                    name: name.to_owned(),
                    address: image.base() + symbol.address(),
                    size: symbol.size(),
                })
            })
            .collect();
        let (bytes, disassembler) = (bytes.to_vec(), disassembler.to_owned());
        let groups = program::groups(&kernels);
        Ok(Self { compiled_for, bytes, target, image, disassembler, groups, kernels, variables })
    }

    /// The source line of the instruction at an address of the object, if it has line tables.
    pub(crate) fn line_of(&self, address: u64) -> Option<String> {
        let lines = lines::Lines::new(&self.bytes)?.of(address);
        let lines: Vec<String> = lines.iter().map(|line| format!("{}:{}", line.file, line.line)).collect();
        (!lines.is_empty()).then(|| lines.join(", inlined into "))
    }

    fn kernel(
        elf: &ElfFile64<'_, Endianness>,
        image: &Image,
        metadata: KernelMetadata,
        target: &Target,
    ) -> Result<Kernel, LoadError> {
        let name = metadata.name.clone();
        let symbol = elf.dynamic_symbols().find(|symbol| symbol.name() == Ok(&metadata.symbol));
        let Some(address) = symbol.map(|symbol| symbol.address()) else {
            return invalid(format!("kernel {name} has no symbol {}", metadata.symbol));
        };
        let Some(bytes) = image.bytes(address, descriptor::SIZE).and_then(|bytes| bytes.try_into().ok())
        else {
            return invalid(format!("the descriptor of kernel {name} is outside the image"));
        };
        let descriptor = Descriptor::parse(bytes);
        let entry = address.wrapping_add_signed(descriptor.entry_offset);
        let function = elf.dynamic_symbols().find(|symbol| symbol.name() == Ok(&name));
        let end = function.map_or(0, |function| function.address() + function.size());
        let addresses = entry..end.max(entry);
        if image.bytes(entry, (addresses.end - entry) as usize).is_none() {
            return invalid(format!("the instructions of kernel {name} are outside the image"));
        }
        let refusal = descriptor.refusal(target);
        Ok(Kernel { name, descriptor, addresses, program: OnceLock::new(), metadata, refusal })
    }
}

/// Whether code for `found` (`amdgcn-amd-amdhsa--gfx90a:xnack-`) runs on a processor: its own, or its generic target's. Features
/// that the code leaves open run with any setting; the processors here have xnack off and sramecc on, as most cards do. The
/// result is its name.
fn check_processor<'f>(found: &'f str, target: &Target) -> Result<&'f str, LoadError> {
    let name = found.rsplit("--").next().unwrap_or(found);
    let mut parts = name.split(':');
    let processor = parts.next().unwrap_or_default();
    let fits = processor == target.processor.name || Some(processor) == target.processor.generic;
    let features_fit = parts.all(|feature| matches!(feature, "xnack-" | "sramecc+"));
    if fits && features_fit {
        return Ok(name);
    }
    Err(LoadError::OtherProcessor { found: name.to_owned(), device: target.processor.name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors() {
        let check = |found: &str, device: &str| {
            check_processor(&format!("amdgcn-amd-amdhsa--{found}"), &Target::find(device).unwrap()).is_ok()
        };
        assert!(
            check("gfx1100", "gfx1100")
                && check("gfx11-generic", "gfx1151")
                && check("gfx90a:xnack-", "gfx90a")
        );
        assert!(
            !check("gfx1100", "gfx1101")
                && !check("gfx90a:xnack+", "gfx90a")
                && !check("gfx11-generic", "gfx1201")
        );
    }
}
