//! GGUF: metadata, then tensors' names, shapes and offsets, then their data.

use std::io::{Read, Seek};

use super::hyperparameters::Hyperparameters;
use super::input::Input;
use super::metadata::{Metadata, Value};
use super::{Format, Header, ModelFault, TensorInfo, hyperparameters, types};

/// Far above what files have, far below what exhausts memory: the largest have some thousand tensors, dozens of keys, and
/// a million tokens and merges.
const MAX_TENSORS: u64 = 1 << 20;
const MAX_KEYS: u64 = 1 << 16;
const MAX_ARRAY_ELEMENTS: u64 = 1 << 24;
const MAX_STRING: u64 = 1 << 30;
/// candle reads nested arrays up to here.
const MAX_DEPTH: u32 = 64;

/// Arrays of hyperparameters have an element per layer.
const MAX_NUMBERS: u64 = 1 << 16;

struct Reader<'a, R> {
    input: &'a mut Input<R>,
    /// Lengths are 64 bits wide, since version 2.
    wide: bool,
    /// How many elements of arrays there may still be.
    elements: u64,
}

pub(super) fn read<R: Read + Seek>(input: &mut Input<R>) -> Result<Header, ModelFault> {
    let version = input.u32("the version")?;
    if !(1..=3).contains(&version) {
        let expected = "1, 2 or 3".to_owned();
        return Err(ModelFault::Version { format: "GGUF", version, expected });
    }
    let mut reader = Reader { input, wide: version > 1, elements: MAX_ARRAY_ELEMENTS };
    let tensors = reader.count("the number of tensors", MAX_TENSORS)?;
    let keys = reader.count("the number of keys", MAX_KEYS)?;
    let metadata = reader.metadata(keys)?;
    let tensors = reader.tensors(tensors, alignment(&metadata)?)?;
    hyperparameters::check(&metadata, &tensors)?;
    let architecture = match metadata.get("general.architecture") {
        Some(Value::Text(name)) => Some(name.clone()),
        _ => None,
    };
    let hyperparameters = Hyperparameters::of_gguf(architecture.as_deref(), &metadata);
    Ok(Header { format: Format::Gguf(version), architecture, hyperparameters, tensors })
}

/// To what the tensors' data are aligned.
fn alignment(metadata: &Metadata) -> Result<u64, ModelFault> {
    const KEY: &str = "general.alignment";
    const DEFAULT: u64 = 32;
    let refuse = |value: String| ModelFault::Key {
        key: KEY.to_owned(),
        value,
        expected: "a power of two below 2^32".to_owned(),
    };
    match metadata.get(KEY) {
        None => Ok(DEFAULT),
        Some(Value::Number(number)) => match u32::try_from(*number) {
            Ok(alignment) if alignment.is_power_of_two() => Ok(alignment.into()),
            _ => Err(refuse(number.to_string())),
        },
        Some(_) => Err(refuse("not a number".to_owned())),
    }
}

fn field(name: &str, value: u64, expected: String) -> ModelFault {
    ModelFault::Field { field: name.to_owned(), value: value.to_string(), expected }
}

impl<R: Read + Seek> Reader<'_, R> {
    fn length(&mut self, what: &str) -> Result<u64, ModelFault> {
        if self.wide { self.input.u64(what) } else { self.input.u32(what).map(u64::from) }
    }

    fn count(&mut self, what: &str, most: u64) -> Result<u64, ModelFault> {
        match self.length(what)? {
            count if count <= most => Ok(count),
            count => Err(field(what, count, format!("at most {most}"))),
        }
    }

    fn text(&mut self, what: &str) -> Result<String, ModelFault> {
        let length = self.count("the length of a string", MAX_STRING)?;
        let mut bytes = self.input.bytes(what, length)?;
        // Both as candle does it: these are the names by which it finds things.
        while bytes.last() == Some(&0) {
            bytes.pop();
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn metadata(&mut self, count: u64) -> Result<Metadata, ModelFault> {
        let mut metadata = Metadata::new();
        for _ in 0..count {
            let key = self.text("a key of the metadata")?;
            let kind = self.input.u32("the metadata")?;
            let value = self.value(&key, kind, 0)?;
            if metadata.insert(key.clone(), value).is_some() {
                let (value, expected) = ("there twice".to_owned(), "one value per key".to_owned());
                return Err(ModelFault::Key { key, value, expected });
            }
        }
        Ok(metadata)
    }

    fn value(&mut self, key: &str, kind: u32, depth: u32) -> Result<Value, ModelFault> {
        const WHAT: &str = "the metadata";
        let input = &mut *self.input;
        Ok(match kind {
            0 => Value::Number(u8::from_le_bytes(input.array(WHAT)?).into()),
            1 => Value::Number(i8::from_le_bytes(input.array(WHAT)?).into()),
            2 => Value::Number(u16::from_le_bytes(input.array(WHAT)?).into()),
            3 => Value::Number(i16::from_le_bytes(input.array(WHAT)?).into()),
            4 => Value::Number(input.u32(WHAT)?.into()),
            5 => Value::Number(i32::from_le_bytes(input.array(WHAT)?).into()),
            6 => Value::Number(f32::from_le_bytes(input.array(WHAT)?) as i128),
            7 => self.boolean(key)?,
            8 => Value::Text(self.text(WHAT)?),
            9 => self.array(key, depth)?,
            10 => Value::Number(input.u64(WHAT)?.into()),
            11 => Value::Number(i64::from_le_bytes(input.array(WHAT)?).into()),
            12 => Value::Number(f64::from_le_bytes(input.array(WHAT)?) as i128),
            _ => {
                let (value, expected) = (format!("of type {kind}"), "a type from 0 to 12".to_owned());
                return Err(ModelFault::Key { key: key.to_owned(), value, expected });
            }
        })
    }

    fn boolean(&mut self, key: &str) -> Result<Value, ModelFault> {
        match self.input.array("the metadata")? {
            [byte @ (0 | 1)] => Ok(Value::Number(byte.into())),
            [byte] => {
                let (value, expected) = (format!("the boolean {byte}"), "0 or 1".to_owned());
                Err(ModelFault::Key { key: key.to_owned(), value, expected })
            }
        }
    }

    fn array(&mut self, key: &str, depth: u32) -> Result<Value, ModelFault> {
        let refuse = |value, expected| Err(ModelFault::Key { key: key.to_owned(), value, expected });
        if depth >= MAX_DEPTH {
            return refuse(format!("an array nested {depth} deep"), format!("at most {MAX_DEPTH}"));
        }
        let kind = self.input.u32("the metadata")?;
        let length = self.length("the metadata")?;
        let Some(left) = self.elements.checked_sub(length) else {
            return refuse(
                format!("an array of {length}"),
                format!("arrays of at most {MAX_ARRAY_ELEMENTS} elements, all together"),
            );
        };
        self.elements = left;
        let mut numbers = Vec::new();
        for _ in 0..length {
            match self.value(key, kind, depth + 1)? {
                Value::Number(number) if length <= MAX_NUMBERS => numbers.push(number),
                _ => {}
            }
        }
        Ok(if numbers.is_empty() { Value::Other } else { Value::Numbers(numbers) })
    }

    fn tensors(&mut self, count: u64, alignment: u64) -> Result<Vec<TensorInfo>, ModelFault> {
        let mut tensors = types::Tensors::default();
        for _ in 0..count {
            tensors.push(self.tensor(alignment)?)?;
        }
        let mut tensors = tensors.into_list();
        // At most 2^32 beyond an offset in the file: no overflow.
        let data = self.input.position().next_multiple_of(alignment);
        for tensor in &mut tensors {
            set_offset(tensor, data, self.input.end())?;
        }
        check_overlap(&tensors)?;
        Ok(tensors)
    }

    /// A tensor whose offset still counts from the beginning of the data.
    fn tensor(&mut self, alignment: u64) -> Result<TensorInfo, ModelFault> {
        const WHAT: &str = "the list of tensors";
        let name = self.text(WHAT)?;
        let rank = self.input.u32(WHAT)?;
        let dims = types::read_dims(&name, rank, || self.length(WHAT))?;
        let dtype = self.input.u32(WHAT)?;
        let offset = self.input.u64(WHAT)?;
        if !offset.is_multiple_of(alignment) {
            return Err(ModelFault::Tensor {
                tensor: name,
                value: format!("offset {offset}"),
                expected: format!("a multiple of {alignment}"),
            });
        }
        types::tensor(types::GGUF, name, dtype, &dims, offset)
    }
}

fn set_offset(tensor: &mut TensorInfo, data: u64, length: u64) -> Result<(), ModelFault> {
    let end = data.saturating_add(tensor.offset).saturating_add(tensor.bytes);
    if end > length {
        return Err(ModelFault::Truncated { what: format!("tensor `{}`", tensor.name), end, length });
    }
    tensor.offset += data;
    Ok(())
}

/// Tensors that share data would take more memory than the file has bytes.
fn check_overlap(tensors: &[TensorInfo]) -> Result<(), ModelFault> {
    let mut sorted: Vec<&TensorInfo> = tensors.iter().collect();
    sorted.sort_by_key(|tensor| tensor.offset);
    for pair in sorted.windows(2) {
        let end = pair[0].offset + pair[0].bytes;
        if end > pair[1].offset {
            return Err(ModelFault::Tensor {
                tensor: pair[1].name.clone(),
                value: format!("its data at byte {}", pair[1].offset),
                expected: format!("data behind that of `{}`, which ends at {end}", pair[0].name),
            });
        }
    }
    Ok(())
}
