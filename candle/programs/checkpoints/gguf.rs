//! GGUF files.

use std::fs;
use std::io::Result;
use std::path::Path;

use half::f16;

use crate::values;

/// A GGUF file, version 3.
#[derive(Default)]
pub struct Gguf {
    metadata: Vec<u8>,
    entries: u64,
    tensors: Vec<(String, Vec<usize>)>,
}

const U32: u32 = 4;
const FLOAT32: u32 = 6;
const STRING: u32 = 8;
const ARRAY: u32 = 9;
/// Types of tensors.
const F32: u32 = 0;
const Q8_0: u32 = 8;
const Q8_0_BLOCK: usize = 32;
const ALIGNMENT: usize = 32;

impl Gguf {
    pub fn u32(&mut self, key: &str, value: u32) -> &mut Self {
        self.entry(key, U32, &value.to_le_bytes())
    }

    pub fn f32(&mut self, key: &str, value: f32) -> &mut Self {
        self.entry(key, FLOAT32, &value.to_le_bytes())
    }

    pub fn string(&mut self, key: &str, value: &str) -> &mut Self {
        self.entry(key, STRING, &string(value))
    }

    pub fn strings<'a>(&mut self, key: &str, values: impl ExactSizeIterator<Item = &'a str>) -> &mut Self {
        let mut bytes = STRING.to_le_bytes().to_vec();
        bytes.extend((values.len() as u64).to_le_bytes());
        bytes.extend(values.flat_map(string));
        self.entry(key, ARRAY, &bytes)
    }

    fn entry(&mut self, key: &str, kind: u32, value: &[u8]) -> &mut Self {
        self.entries += 1;
        self.metadata.extend(string(key));
        self.metadata.extend(kind.to_le_bytes());
        self.metadata.extend(value);
        self
    }

    /// Adds a tensor, with values that depend on its name and shape alone: in f32 a vector, in Q8_0 a matrix, whose rows are multiples
    /// of 32.
    pub fn tensor(&mut self, name: impl Into<String>, shape: &[usize]) -> &mut Self {
        self.tensors.push((name.into(), shape.to_vec()));
        self
    }

    pub fn write(&self, path: &Path) -> Result<()> {
        let mut file = b"GGUF".to_vec();
        file.extend(3u32.to_le_bytes());
        file.extend((self.tensors.len() as u64).to_le_bytes());
        file.extend(self.entries.to_le_bytes());
        file.extend(&self.metadata);
        let mut data = Vec::new();
        for (name, shape) in &self.tensors {
            let values = values::of(name, shape);
            file.extend(string(name));
            file.extend((shape.len() as u32).to_le_bytes());
            // The innermost dimension is first.
            file.extend(shape.iter().rev().flat_map(|&size| (size as u64).to_le_bytes()));
            file.extend(if shape.len() < 2 { F32 } else { Q8_0 }.to_le_bytes());
            file.extend((data.len() as u64).to_le_bytes());
            if shape.len() < 2 {
                data.extend(values.into_iter().flat_map(f32::to_le_bytes));
            } else {
                assert_eq!(shape.last().map(|row| row % Q8_0_BLOCK), Some(0), "{name}: {shape:?}");
                data.extend(values.chunks(Q8_0_BLOCK).flat_map(q8_0));
            }
            data.resize(data.len().next_multiple_of(ALIGNMENT), 0);
        }
        file.resize(file.len().next_multiple_of(ALIGNMENT), 0);
        file.extend(data);
        fs::write(path, file)
    }
}

fn string(text: &str) -> Vec<u8> {
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes
}

/// A scale, and the values as multiples of it.
fn q8_0(values: &[f32]) -> Vec<u8> {
    let scale = values.iter().fold(0f32, |largest, x| largest.max(x.abs())) / 127.;
    let mut block = f16::from_f32(scale).to_le_bytes().to_vec();
    let inverse = if scale > 0. { 1. / scale } else { 0. };
    block.extend(values.iter().map(|x| (x * inverse).round() as i8 as u8));
    block
}
