//! What a code object says about its kernels.
//!
//! An AMD code object is an ELF file; its note of type 32 (NT_AMDGPU_METADATA, owner `AMDGPU`) is MessagePack and lists each
//! kernel's resources. A kernel's machine code is the function symbol of its name.

use anyhow::{Context, Result, bail};
use object::read::elf::{ElfFile64, FileHeader as _, SectionHeader as _};
use object::{Endianness, Object as _, ObjectSymbol as _, SymbolKind};
use rmpv::Value;

const NT_AMDGPU_METADATA: object::elf::NoteType = object::elf::NoteType(32);

/// One kernel's resources.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Kernel {
    pub(super) name: String,
    /// Vector registers per thread, accumulation registers included where they share the file (gfx90a and on).
    pub(super) vgprs: u64,
    pub(super) sgprs: u64,
    pub(super) vgpr_spills: u64,
    pub(super) sgpr_spills: u64,
    /// Bytes of scratch memory per thread.
    pub(super) scratch: u64,
    /// Whether it needs more scratch than could be computed ahead.
    pub(super) dynamic_stack: bool,
    /// Bytes of statically allocated shared memory per block.
    pub(super) lds: u64,
    pub(super) wavefront: u64,
    pub(super) code_bytes: u64,
    /// Whether it moves 16 bytes at a time from or to global memory; `None` if nothing could disassemble it.
    pub(super) wide_accesses: Option<bool>,
}

/// The kernels of a code object, sorted by name.
pub(super) fn kernels(bytes: &[u8]) -> Result<Vec<Kernel>> {
    let elf = ElfFile64::<Endianness>::parse(bytes).context("the code object is no 64-bit ELF file")?;
    let metadata = metadata(&elf)?;
    let list = field(&metadata, "amdhsa.kernels")
        .and_then(Value::as_array)
        .context("its metadata lists no kernels")?;
    let mut kernels = list.iter().map(kernel).collect::<Result<Vec<_>>>()?;
    for kernel in &mut kernels {
        let code = elf.symbols().chain(elf.dynamic_symbols());
        let mut functions = code.filter(|symbol| symbol.kind() == SymbolKind::Text);
        kernel.code_bytes =
            functions.find(|symbol| symbol.name() == Ok(&kernel.name)).map_or(0, |symbol| symbol.size());
    }
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(kernels)
}

fn metadata(elf: &ElfFile64<Endianness>) -> Result<Value> {
    let endian = elf.endian();
    let header = elf.elf_header();
    for section in header.section_headers(endian, elf.data())? {
        let Some(mut notes) = section.notes(endian, elf.data())? else { continue };
        while let Some(note) = notes.next()? {
            if note.n_type(endian) == NT_AMDGPU_METADATA && note.name() == b"AMDGPU" {
                let mut description = note.desc();
                return rmpv::decode::read_value(&mut description).context("its metadata is not MessagePack");
            }
        }
    }
    bail!("the code object has no AMDGPU metadata note")
}

fn kernel(value: &Value) -> Result<Kernel> {
    let name = field(value, ".name").and_then(Value::as_str).context("a kernel without a name")?;
    let number = |key| field(value, key).and_then(Value::as_u64);
    let needed = |key| number(key).with_context(|| format!("kernel {name} has no {key}"));
    Ok(Kernel {
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
    })
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
        let plain =
            Kernel { name: "a".into(), vgprs: 24, sgprs: 18, lds: 1024, wavefront: 32, ..Kernel::default() };
        let spilling =
            Kernel { name: "b".into(), vgpr_spills: 3, sgpr_spills: 1, dynamic_stack: true, ..plain.clone() };
        assert_eq!(kernels(&bytes).expect("well-formed"), [plain, spilling]);
    }

    #[test]
    fn damaged_files_are_errors() {
        let good = elf(b"AMDGPU", 32, &encoded(vec![described("a", &[])]));
        assert!(kernels(&good).is_ok());
        assert!(kernels(b"").is_err());
        assert!(kernels(&good[..100]).is_err());
        let told = |bytes: &[u8]| kernels(bytes).expect_err("damaged").to_string();
        assert!(told(&elf(b"GNU", 32, b"")).contains("no AMDGPU metadata note"));
        assert!(told(&elf(b"AMDGPU", 1, b"")).contains("no AMDGPU metadata note"));
        assert!(told(&elf(b"AMDGPU", 32, b"")).contains("not MessagePack"));
        assert!(told(&elf(b"AMDGPU", 32, b"\x80")).contains("lists no kernels"));
        assert!(told(&elf(b"AMDGPU", 32, &encoded(vec![Value::Map(vec![])]))).contains("without a name"));
    }
}
