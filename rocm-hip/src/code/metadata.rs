//! The metadata of code objects: the resources and parameters of their kernels.
//!
//! An AMD code object is an ELF file. Its note of type 32 (NT_AMDGPU_METADATA, owner `AMDGPU`) contains MessagePack, which lists
//! the resources and parameters of each kernel. The machine code of a kernel is the function symbol of its name. Code objects
//! for several processors are wrapped in a bundle, which may be compressed.

use std::collections::HashMap;
use std::io::Read as _;

use object::read::elf::{ElfFile64, FileHeader as _, SectionHeader as _};
use object::{Endianness, Object as _, ObjectSymbol as _, SymbolKind};
use rmpv::Value;

use super::image::{BUNDLE, bundle_entries};

const NT_AMDGPU_METADATA: object::elf::NoteType = object::elf::NoteType(32);

/// Why a code object's metadata cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MetadataError(String);

type Result<T> = std::result::Result<T, MetadataError>;

fn damaged<T>(why: impl Into<String>) -> Result<T> {
    Err(MetadataError(why.into()))
}

/// The resources and parameters of a kernel.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KernelMetadata {
    /// The kernel's name.
    pub name: String,
    /// Vector registers per thread, including accumulation registers if they share the register file (from gfx90a on).
    pub vgprs: u64,
    /// Scalar registers per wavefront.
    pub sgprs: u64,
    /// Spilled vector registers.
    pub vgpr_spills: u64,
    /// Spilled scalar registers.
    pub sgpr_spills: u64,
    /// Bytes of scratch memory per thread.
    pub scratch: u64,
    /// Whether the size of its stack is unknown at compile time, so that `scratch` is not the whole amount.
    pub dynamic_stack: bool,
    /// Bytes of statically allocated shared memory per block.
    pub lds: u64,
    /// Threads per wavefront.
    pub wavefront: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// Whether it accesses global memory 16 bytes at a time; `None` if it was not disassembled.
    pub wide_accesses: Option<bool>,
    /// The size of each parameter in bytes, without those that the runtime adds. `None` if the metadata does not list them.
    pub parameters: Option<Vec<usize>>,
}

/// Reads the resources and parameters of the kernels in a code object (a single ELF file), sorted by name.
///
/// # Errors
/// The file is not a 64-bit ELF file, or its metadata is missing or malformed.
pub fn kernel_metadata(code: &[u8]) -> Result<Vec<KernelMetadata>> {
    let elf = match ElfFile64::<Endianness>::parse(code) {
        Ok(elf) => elf,
        Err(error) => return damaged(format!("the code object is no 64-bit ELF file: {error}")),
    };
    let metadata = metadata(&elf)?;
    let Some(list) = field(&metadata, "amdhsa.kernels").and_then(Value::as_array) else {
        return damaged("its metadata lists no kernels");
    };
    let mut kernels = list.iter().map(kernel).collect::<Result<Vec<_>>>()?;
    let functions: HashMap<&str, u64> = elf
        .dynamic_symbols()
        .chain(elf.symbols())
        .filter(|symbol| symbol.kind() == SymbolKind::Text)
        .filter_map(|symbol| Some((symbol.name().ok()?, symbol.size())))
        .collect();
    for kernel in &mut kernels {
        kernel.code_bytes = functions.get(kernel.name.as_str()).copied().unwrap_or(0);
    }
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(kernels)
}

/// The parameter sizes in bytes of each kernel in an image for `hipModuleLoadData`, which is a code object or a bundle of them, possibly
/// compressed. Kernels whose parameters are unknown, or differ between processors, are omitted.
pub fn kernel_parameters(image: &[u8]) -> HashMap<String, Vec<usize>> {
    let mut found: HashMap<String, Option<Vec<usize>>> = HashMap::new();
    let image = decompressed(image);
    for kernel in code_objects(&image).into_iter().filter_map(|code| kernel_metadata(code).ok()).flatten() {
        let known = found.entry(kernel.name).or_insert_with(|| kernel.parameters.clone());
        if *known != kernel.parameters {
            *known = None;
        }
    }
    found.into_iter().filter_map(|(name, parameters)| Some((name, parameters?))).collect()
}

/// The code objects of a bundle, or the image itself.
fn code_objects(image: &[u8]) -> Vec<&[u8]> {
    if !image.starts_with(BUNDLE) {
        return vec![image];
    }
    let part = |(offset, size)| {
        let start = usize::try_from(offset).ok()?;
        image.get(start..start.checked_add(usize::try_from(size).ok()?)?)
    };
    bundle_entries(image).map_while(|entry| entry).filter_map(part).collect()
}

/// The content of a compressed bundle; other images are returned as they are.
///
/// The header consists of `CCOB`, the version and the compression method (1 is zstd) in 2 bytes each, the total size (from
/// version 2 on), the uncompressed size, and a hash. Sizes have 4 bytes, from version 3 on 8.
fn decompressed(image: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    const ZSTD: &[u8] = &1u16.to_le_bytes();
    if !image.starts_with(b"CCOB") || image.get(6..8) != Some(ZSTD) {
        return image.into();
    }
    let header = match image.get(4) {
        Some(1) => 20,
        Some(2) => 24,
        _ => 32,
    };
    let mut content = Vec::new();
    let read = image.get(header..).map(|mut data| {
        let decoder = ruzstd::decoding::StreamingDecoder::new(&mut data).ok()?;
        decoder.take(MOST).read_to_end(&mut content).ok()
    });
    if read.flatten().is_none() {
        content.clear();
    }
    content.into()
}

/// The largest accepted uncompressed size, far above that of any bundle.
const MOST: u64 = 1 << 32;

fn metadata(elf: &ElfFile64<Endianness>) -> Result<Value> {
    let broken = |error: object::Error| MetadataError(error.to_string());
    let endian = elf.endian();
    let header = elf.elf_header();
    for section in header.section_headers(endian, elf.data()).map_err(broken)? {
        let Some(mut notes) = section.notes(endian, elf.data()).map_err(broken)? else { continue };
        while let Some(note) = notes.next().map_err(broken)? {
            if note.n_type(endian) == NT_AMDGPU_METADATA && note.name() == b"AMDGPU" {
                return rmpv::decode::read_value(&mut note.desc())
                    .map_err(|error| MetadataError(format!("its metadata is not MessagePack: {error}")));
            }
        }
    }
    damaged("the code object has no AMDGPU metadata note")
}

fn kernel(value: &Value) -> Result<KernelMetadata> {
    let Some(name) = field(value, ".name").and_then(Value::as_str) else {
        return damaged("a kernel without a name");
    };
    let number = |key| field(value, key).and_then(Value::as_u64);
    let needed = |key| number(key).ok_or_else(|| MetadataError(format!("kernel {name} has no {key}")));
    Ok(KernelMetadata {
        name: name.to_owned(),
        vgprs: needed(".vgpr_count")?,
        sgprs: needed(".sgpr_count")?,
        vgpr_spills: number(".vgpr_spill_count").unwrap_or(0),
        sgpr_spills: number(".sgpr_spill_count").unwrap_or(0),
        scratch: needed(".private_segment_fixed_size")?,
        dynamic_stack: field(value, ".uses_dynamic_stack").and_then(Value::as_bool).unwrap_or(false),
        lds: needed(".group_segment_fixed_size")?,
        wavefront: needed(".wavefront_size")?,
        code_bytes: 0,
        wide_accesses: None,
        parameters: parameters(value),
    })
}

/// Without the parameters that the runtime adds, which are called hidden and come last.
fn parameters(kernel: &Value) -> Option<Vec<usize>> {
    let Some(list) = field(kernel, ".args") else {
        // Hand-written code may leave them out.
        let bytes = field(kernel, ".kernarg_segment_size").and_then(Value::as_u64);
        return (bytes == Some(0)).then(Vec::new);
    };
    let is_hidden = |argument: &&Value| {
        let kind = field(argument, ".value_kind").and_then(Value::as_str);
        kind.is_some_and(|kind| kind.starts_with("hidden_"))
    };
    let explicit = list.as_array()?.iter().filter(|argument| !is_hidden(argument));
    explicit.map(|argument| usize::try_from(field(argument, ".size")?.as_u64()?).ok()).collect()
}

fn field<'v>(map: &'v Value, key: &str) -> Option<&'v Value> {
    map.as_map()?.iter().find(|(name, _)| name.as_str() == Some(key)).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest ELF file that `kernels` reads: a note section, with this description.
    fn elf(owner: &[u8], n_type: u32, description: &[u8]) -> Vec<u8> {
        let mut note = Vec::new();
        for word in [owner.len() as u32 + 1, description.len() as u32, n_type] {
            note.extend(word.to_le_bytes());
        }
        for part in [&[owner, b"\0"].concat(), description] {
            note.extend(part);
            note.resize(note.len().next_multiple_of(4), 0);
        }
        let names = b"\0.note\0.shstrtab\0";
        let note_at = 64_u64;
        let names_at = note_at + note.len() as u64;
        let headers_at = (names_at + names.len() as u64).next_multiple_of(8);

        let mut file = b"\x7fELF\x02\x01\x01\x40\x03\0\0\0\0\0\0\0".to_vec();
        file.extend(3_u16.to_le_bytes()); // ET_DYN
        file.extend(224_u16.to_le_bytes()); // EM_AMDGPU
        file.extend(1_u32.to_le_bytes());
        for word in [0, 0, headers_at] {
            file.extend(u64::to_le_bytes(word));
        }
        file.extend(0x41_u32.to_le_bytes());
        for half in [64_u16, 56, 0, 64, 3, 2] {
            file.extend(half.to_le_bytes());
        }
        file.extend(&note);
        file.extend(names);
        file.resize(headers_at as usize, 0);
        // name, type, offset, size, alignment; SHT_NOTE is 7, SHT_STRTAB is 3.
        let sections =
            [(0, 0, 0, 0, 0), (1, 7, note_at, note.len() as u64, 4), (7, 3, names_at, names.len() as u64, 1)];
        for (name, kind, offset, size, alignment) in sections {
            file.extend(u32::to_le_bytes(name));
            file.extend(u32::to_le_bytes(kind));
            for word in [0, 0, offset, size] {
                file.extend(u64::to_le_bytes(word));
            }
            file.extend([0; 8]);
            for word in [alignment, 0] {
                file.extend(u64::to_le_bytes(word));
            }
        }
        file
    }

    fn encoded(kernels: Vec<Value>) -> Vec<u8> {
        let map = Value::Map(vec![
            ("amdhsa.version".into(), Value::Array(vec![1.into(), 2.into()])),
            ("amdhsa.kernels".into(), Value::Array(kernels)),
        ]);
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, &map).expect("writing to memory");
        bytes
    }

    fn described(name: &str, extra: &[(&str, Value)]) -> Value {
        let mut fields: Vec<(Value, Value)> = vec![
            (".name".into(), name.into()),
            (".vgpr_count".into(), 24.into()),
            (".sgpr_count".into(), 18.into()),
            (".private_segment_fixed_size".into(), 0.into()),
            (".group_segment_fixed_size".into(), 1024.into()),
            (".wavefront_size".into(), 32.into()),
        ];
        fields.extend(extra.iter().map(|(key, value)| ((*key).into(), value.clone())));
        Value::Map(fields)
    }

    #[test]
    fn resources_are_read_and_sorted() {
        let spills = [
            (".vgpr_spill_count", 3.into()),
            (".sgpr_spill_count", 1.into()),
            (".uses_dynamic_stack", true.into()),
        ];
        let bytes = elf(b"AMDGPU", 32, &encoded(vec![described("b", &spills), described("a", &[])]));
        let plain = KernelMetadata {
            name: "a".into(),
            vgprs: 24,
            sgprs: 18,
            lds: 1024,
            wavefront: 32,
            ..KernelMetadata::default()
        };
        let spilling = KernelMetadata {
            name: "b".into(),
            vgpr_spills: 3,
            sgpr_spills: 1,
            dynamic_stack: true,
            ..plain.clone()
        };
        assert_eq!(kernel_metadata(&bytes).expect("well-formed"), [plain, spilling]);
    }

    #[test]
    fn damaged_files_are_errors() {
        let good = elf(b"AMDGPU", 32, &encoded(vec![described("a", &[])]));
        assert!(kernel_metadata(&good).is_ok());
        assert!(kernel_metadata(b"").is_err());
        assert!(kernel_metadata(&good[..100]).is_err());
        let told = |bytes: &[u8]| kernel_metadata(bytes).expect_err("damaged").to_string();
        assert!(told(&elf(b"GNU", 32, b"")).contains("no AMDGPU metadata note"));
        assert!(told(&elf(b"AMDGPU", 1, b"")).contains("no AMDGPU metadata note"));
        assert!(told(&elf(b"AMDGPU", 32, b"")).contains("not MessagePack"));
        assert!(told(&elf(b"AMDGPU", 32, b"\x80")).contains("lists no kernels"));
        assert!(told(&elf(b"AMDGPU", 32, &encoded(vec![Value::Map(vec![])]))).contains("without a name"));
    }

    /// A kernel that takes parameters of these kinds and sizes.
    fn taking(name: &str, parameters: &[(&str, u64)]) -> Value {
        let parameter = |&(kind, size): &(&str, u64)| {
            Value::Map(vec![(".size".into(), size.into()), (".value_kind".into(), kind.into())])
        };
        described(name, &[(".args", Value::Array(parameters.iter().map(parameter).collect()))])
    }

    fn object(kernels: Vec<Value>) -> Vec<u8> {
        elf(b"AMDGPU", 32, &encoded(kernels))
    }

    fn bundle(objects: &[Vec<u8>]) -> Vec<u8> {
        let number = |n: usize| (n as u64).to_le_bytes();
        let mut bytes = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
        bytes.extend(number(objects.len()));
        let mut offset = bytes.len() + objects.len() * (24 + 7);
        for object in objects {
            for n in [offset, object.len(), 7] {
                bytes.extend(number(n));
            }
            bytes.extend(b"gfx1100");
            offset += object.len();
        }
        bytes.extend(objects.concat());
        bytes
    }

    #[test]
    fn parameters_without_the_hidden_ones() {
        let own = [("by_value", 8), ("by_value", 2), ("global_buffer", 8), ("dynamic_shared_pointer", 4)];
        let hidden = [("hidden_block_count_x", 4), ("hidden_none", 8)];
        let bare = |bytes: u64| described("bare", &[(".kernarg_segment_size", bytes.into())]);
        let image =
            object(vec![taking("k", &[own.as_slice(), &hidden].concat()), taking("none", &[]), bare(0)]);
        let found = kernel_parameters(&image);
        assert_eq!(found["k"], [8, 2, 8, 4]);
        assert!(found["none"].is_empty() && found["bare"].is_empty());
        assert_eq!(found.len(), 3);
        // Nothing says how many those bytes are.
        assert!(kernel_parameters(&object(vec![bare(16)])).is_empty());
        assert!(kernel_parameters(b"no code object").is_empty());
    }

    #[test]
    fn bundles_whose_processors_agree() {
        let by_value = |size| [("by_value", size)];
        let first = object(vec![taking("same", &by_value(4)), taking("other", &by_value(4))]);
        let second = object(vec![taking("same", &by_value(4)), taking("other", &by_value(8))]);
        let image = bundle(&[Vec::new(), first, second]);
        let found = kernel_parameters(&image);
        assert_eq!(found.len(), 1);
        assert_eq!(found["same"], [4]);
        for len in 0..image.len() {
            kernel_parameters(&image[..len]);
        }
    }

    #[test]
    fn compressed_bundles() {
        let image = bundle(&[object(vec![taking("k", &[("by_value", 4)])])]);
        let zstd = ruzstd::encoding::compress_to_vec(&*image, ruzstd::encoding::CompressionLevel::Fastest);
        for (version, header) in [(1u8, 20), (2, 24), (3, 32)] {
            let mut file = [b"CCOB".as_slice(), &[version, 0, 1, 0]].concat();
            file.resize(header, 0);
            file.extend(&zstd);
            assert_eq!(kernel_parameters(&file)["k"], [4], "version {version}");
            // zlib is not read, and what is cut off is no bundle.
            file[6] = 0;
            assert!(kernel_parameters(&file).is_empty());
            file[6] = 1;
            for len in 0..file.len() {
                kernel_parameters(&file[..len]);
            }
        }
    }
}
