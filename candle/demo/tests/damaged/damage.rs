//! Random damage to model files.

use candle_core::quantized::gguf_file::Value;

use crate::file::{Bytes, File, Head, TYPES, Tensor};
use crate::random::Random;

const UNUSUAL: [u64; 17] = [
    0,
    1,
    2,
    3,
    5,
    7,
    63,
    255,
    (1 << 24) - 1,
    1 << 28,
    (1 << 31) - 1,
    1 << 31,
    u32::MAX as u64,
    1 << 32,
    1 << 60,
    1 << 63,
    u64::MAX,
];

/// The bytes of the file with up to three kinds of damage.
pub fn damaged(file: &File, random: &mut Random) -> Vec<u8> {
    let mut file = file.clone();
    for _ in 0..random.below(3) {
        damage_parts(&mut file, random);
    }
    let mut bytes = file.write();
    if random.below(3) != 0 {
        damage_bytes(&mut bytes, random);
    }
    bytes.bytes
}

fn damage_parts(file: &mut File, random: &mut Random) {
    let at = random.below(file.tensors.len());
    match random.below(12) {
        0 => drop(file.tensors.remove(at)),
        1 => file.tensors.insert(0, file.tensors[at].clone()),
        2 => file.tensors[at].dims.reverse(),
        3 => swap_names(&mut file.tensors, random),
        4 => reshape(&mut file.tensors[at], random),
        5 => retype(&mut file.tensors[at], random),
        6 => file.tensors[at].dtype = random.below(41) as u32,
        7 => resize(&mut file.tensors[at], random),
        8 => {
            let byte = *random.of(&[0, 0x7f, 0xff]);
            file.tensors[at].data.fill(byte);
        }
        _ => damage_head(&mut file.head, random),
    }
}

fn swap_names(tensors: &mut [Tensor], random: &mut Random) {
    let (a, b) = (random.below(tensors.len()), random.below(tensors.len()));
    let name = tensors[a].name.clone();
    tensors[a].name = std::mem::replace(&mut tensors[b].name, name);
}

/// Changes the dimensions, but not the number of elements.
fn reshape(tensor: &mut Tensor, random: &mut Random) {
    match random.below(3) {
        0 => tensor.dims.push(1),
        1 => tensor.dims = vec![tensor.dims.iter().product()],
        _ => {
            tensor.dims[0] /= 2;
            tensor.dims.push(2);
        }
    }
}

/// Changes the type, with the matching amount of data.
fn retype(tensor: &mut Tensor, random: &mut Random) {
    let (dtype, number) = *random.of(&TYPES);
    tensor.dtype = number;
    let elements = tensor.dims.iter().product::<u64>() as usize;
    tensor.data.resize(elements / dtype.block_size() * dtype.type_size(), 1);
}

/// Changes a dimension, with the matching amount of data.
fn resize(tensor: &mut Tensor, random: &mut Random) {
    let Some((dtype, _)) = TYPES.iter().find(|(_, number)| *number == tensor.dtype) else { return };
    let at = random.below(tensor.dims.len());
    tensor.dims[at] = *random.of(&[0, 1, 2, 3, 32, 64, 96, 128, 256, 512]);
    let elements = tensor.dims.iter().product::<u64>() as usize;
    tensor.data.resize(elements / dtype.block_size() * dtype.type_size(), 1);
}

fn damage_head(head: &mut Head, random: &mut Random) {
    match head {
        Head::Gguf { version, metadata } => match random.below(10) {
            0 => *version = *random.of(&[0, 1, 2, 3, 4, 1 << 24]),
            1 => drop(metadata.remove(random.below(metadata.len()))),
            2 => metadata.push(metadata[random.below(metadata.len())].clone()),
            3 => align(metadata, random),
            4 => metadata.push(("nested".to_owned(), nested(*random.of(&[1, 63, 64, 65, 5000])))),
            _ => {
                let at = random.below(metadata.len());
                metadata[at].1 = unusual(&metadata[at].1, random);
            }
        },
        Head::Ggml { version, parameters, tokens, .. } => match random.below(8) {
            0 => *version = Some(random.below(5) as u32),
            1 => drop(tokens.pop()),
            _ => parameters[random.below(7)] = *random.of(&UNUSUAL) as u32,
        },
    }
}

fn align(metadata: &mut Vec<(String, Value)>, random: &mut Random) {
    let alignment = *random.of(&[0, 1, 3, 8, 32, 64, 1 << 31, u32::MAX]);
    metadata.push(("general.alignment".to_owned(), Value::U32(alignment)));
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(Value::U8(0), |inner, _| Value::Array(vec![inner]))
}

/// A different value, usually of the same type.
fn unusual(value: &Value, random: &mut Random) -> Value {
    let number = *random.of(&UNUSUAL);
    match value {
        _ if random.below(12) == 0 => Value::I64(number as i64),
        Value::U32(old) if random.below(2) == 0 => {
            Value::U32(*random.of(&[old / 2, old + 1, old * 2, old * 3, old * 16, old.wrapping_sub(1)]))
        }
        Value::U32(_) => Value::U32(number as u32),
        Value::F32(_) => Value::F32(*random.of(&[0., -1., 1e-45, f32::MAX, f32::NAN, f32::INFINITY])),
        Value::Bool(_) => Value::Bool(random.below(2) == 0),
        Value::String(text) => {
            let names = ["", "llama", "qwen3", "phi3", "gemma3", "lfm2", "gpt2", "\u{2581}"];
            let mixed = [text.repeat(2), (*random.of(&names)).to_owned()];
            Value::String(random.of(&mixed).clone())
        }
        Value::Array(items) => {
            let mut items = items.clone();
            let at = random.below(items.len());
            match (random.below(3), items.get(at).cloned()) {
                (0, _) => items.truncate(at),
                (_, Some(item)) => items[at] = unusual(&item, random),
                _ => {}
            }
            Value::Array(items)
        }
        _ => Value::U32(number as u32),
    }
}

fn damage_bytes(file: &mut Bytes, random: &mut Random) {
    match random.below(6) {
        0 => {
            let end = if random.below(2) == 0 { file.header } else { file.bytes.len() };
            file.bytes.truncate(random.below(end));
        }
        1 | 2 => (0..=random.below(3)).for_each(|_| flip(file, random)),
        3 => file.bytes.extend((0..random.below(100)).map(|_| random.next() as u8)),
        _ => set(file, random),
    }
}

fn flip(file: &mut Bytes, random: &mut Random) {
    let at = random.below(file.header);
    file.bytes[at] ^= 1 << random.below(8);
}

fn set(file: &mut Bytes, random: &mut Random) {
    let (at, width) = *random.of(&file.integers);
    file.bytes[at..at + width].copy_from_slice(&random.of(&UNUSUAL).to_le_bytes()[..width]);
}
