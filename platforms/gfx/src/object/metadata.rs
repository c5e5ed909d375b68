//! A code object's metadata: its target, and its kernels' arguments ("Code Object V5 Metadata" in LLVM's user guide for AMDGPU).

use object::Endianness;
use object::read::elf::{ElfFile64, FileHeader as _, SectionHeader as _};
use rmpv::Value;

use super::{LoadError, invalid};

const NT_AMDGPU_METADATA: object::elf::NoteType = object::elf::NoteType(32);

/// The metadata of a code object.
pub(crate) struct Metadata {
    /// Such as `amdgcn-amd-amdhsa--gfx1100`.
    pub(crate) target: String,
    pub(crate) kernels: Vec<KernelMetadata>,
}

/// The metadata of a kernel.
pub(crate) struct KernelMetadata {
    pub(crate) name: String,
    /// The symbol of its descriptor.
    pub(crate) symbol: String,
    /// The size of all arguments.
    pub(crate) arguments_size: usize,
    /// The arguments that the program passes, and those that the runtime adds.
    pub(crate) arguments: Vec<Argument>,
    pub(crate) hidden: Vec<Hidden>,
}

/// An argument that the program passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(crate) offset: usize,
    pub(crate) size: usize,
}

/// An argument that the runtime adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hidden {
    pub(crate) argument: Argument,
    /// Such as `hidden_block_count_x`.
    pub(crate) kind: String,
}

/// Reads the metadata note.
pub(super) fn read(elf: &ElfFile64<'_, Endianness>) -> Result<Metadata, LoadError> {
    let Some(value) = note(elf)? else { return invalid("it has no metadata") };
    let Some(target) = text(&value, "amdhsa.target") else { return invalid("its metadata names no target") };
    let kernels = field(&value, "amdhsa.kernels").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let kernels = kernels.iter().map(|value| {
        let found = kernel(value);
        found.ok_or_else(|| LoadError::Invalid("the metadata of a kernel is not complete".to_owned()))
    });
    Ok(Metadata { target, kernels: kernels.collect::<Result<_, _>>()? })
}

fn note(elf: &ElfFile64<'_, Endianness>) -> Result<Option<Value>, LoadError> {
    let broken = |error: object::Error| LoadError::Invalid(format!("its notes are damaged: {error}"));
    let endian = elf.endian();
    for section in elf.elf_header().section_headers(endian, elf.data()).map_err(broken)? {
        let Some(mut notes) = section.notes(endian, elf.data()).map_err(broken)? else { continue };
        while let Some(note) = notes.next().map_err(broken)? {
            if note.n_type(endian) == NT_AMDGPU_METADATA && note.name() == b"AMDGPU" {
                let value = rmpv::decode::read_value(&mut note.desc());
                return value
                    .map(Some)
                    .map_err(|error| LoadError::Invalid(format!("its metadata is damaged: {error}")));
            }
        }
    }
    Ok(None)
}

fn kernel(value: &Value) -> Option<KernelMetadata> {
    let mut kernel = KernelMetadata {
        name: text(value, ".name")?,
        symbol: text(value, ".symbol")?,
        arguments_size: number(value, ".kernarg_segment_size")?,
        arguments: Vec::new(),
        hidden: Vec::new(),
    };
    for value in field(value, ".args").and_then(Value::as_array).map_or(&[][..], Vec::as_slice) {
        let argument = Argument { offset: number(value, ".offset")?, size: number(value, ".size")? };
        let kind = text(value, ".value_kind")?;
        if argument.offset.checked_add(argument.size)? > kernel.arguments_size {
            return None;
        }
        match kind.starts_with("hidden_") {
            true => kernel.hidden.push(Hidden { argument, kind }),
            false => kernel.arguments.push(argument),
        }
    }
    Some(kernel)
}

fn field<'v>(map: &'v Value, key: &str) -> Option<&'v Value> {
    map.as_map()?.iter().find(|(name, _)| name.as_str() == Some(key)).map(|(_, value)| value)
}

fn text(map: &Value, key: &str) -> Option<String> {
    Some(field(map, key)?.as_str()?.to_owned())
}

fn number(map: &Value, key: &str) -> Option<usize> {
    usize::try_from(field(map, key)?.as_u64()?).ok()
}
