//! Model files as structures, so that they can be damaged before they are written.

use std::io::Cursor;

use anyhow::Result;
use candle_core::quantized::gguf_file::{Content, Value};
use candle_core::quantized::{GgmlDType as G, QTensor};
use candle_core::{Device, Tensor as Values};

use crate::random::Random;

/// The types and their numbers in GGML.
pub const TYPES: [(G, u32); 13] = [
    (G::F32, 0),
    (G::F16, 1),
    (G::Q4_0, 2),
    (G::Q4_1, 3),
    (G::Q5_0, 6),
    (G::Q5_1, 7),
    (G::Q8_0, 8),
    (G::Q2K, 10),
    (G::Q3K, 11),
    (G::Q4K, 12),
    (G::Q5K, 13),
    (G::Q6K, 14),
    (G::BF16, 30),
];

/// A model file.
#[derive(Clone)]
pub struct File {
    pub head: Head,
    pub tensors: Vec<Tensor>,
}

/// Everything before the tensors.
#[derive(Clone)]
pub enum Head {
    Gguf {
        version: u32,
        metadata: Vec<(String, Value)>,
    },
    /// Magic number, version (if the format has one), hyperparameters, tokens.
    Ggml {
        magic: &'static [u8; 4],
        version: Option<u32>,
        parameters: [u32; 7],
        tokens: Vec<String>,
    },
}

#[derive(Clone)]
pub struct Tensor {
    pub name: String,
    /// In file order: the contiguous dimension first.
    pub dims: Vec<u64>,
    pub dtype: u32,
    pub data: Vec<u8>,
}

/// A serialized file, and the positions of the integers in its header.
pub struct Bytes {
    pub bytes: Vec<u8>,
    /// Offset and width.
    pub integers: Vec<(usize, usize)>,
    /// End of the header. GGML has headers throughout the file.
    pub header: usize,
}

impl Tensor {
    /// Synthetic weights: matrices preserve the scale of their input, and vectors are the scale factors of norms.
    pub fn synthetic(name: &str, dims: &[usize], dtype: G, random: &mut Random) -> Result<Self> {
        let columns = dims[dims.len() - 1];
        let (scale, shift) = match dims.len() {
            1 if name.ends_with("bias") => (0.1, 0.),
            1 => (0.1, 1.),
            _ => ((3. / columns as f32).sqrt(), 0.),
        };
        let values: Vec<f32> = (0..dims.iter().product()).map(|_| random.unit() * scale + shift).collect();
        let values = QTensor::quantize(&Values::from_vec(values, dims, &Device::Cpu)?, dtype)?;
        Ok(Self {
            name: name.to_owned(),
            dims: dims.iter().rev().map(|&dim| dim as u64).collect(),
            dtype: number(dtype),
            data: values.data()?.into_owned(),
        })
    }
}

pub fn number(dtype: G) -> u32 {
    TYPES.iter().find(|(known, _)| *known == dtype).expect("a type in the table").1
}

impl File {
    /// Parses a GGUF file.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let content = Content::read(&mut Cursor::new(bytes))?;
        let mut metadata: Vec<(String, Value)> = content.metadata.into_iter().collect();
        metadata.sort_by(|a, b| a.0.cmp(&b.0));
        let mut tensors: Vec<Tensor> = Vec::new();
        for (name, info) in content.tensor_infos {
            let dtype = info.ggml_dtype;
            let size = info.shape.elem_count() / dtype.block_size() * dtype.type_size();
            let begin = (content.tensor_data_offset + info.offset) as usize;
            let dims = info.shape.dims().iter().rev().map(|&dim| dim as u64).collect();
            tensors.push(Tensor {
                name,
                dims,
                dtype: number(dtype),
                data: bytes[begin..begin + size].to_vec(),
            });
        }
        tensors.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self { head: Head::Gguf { version: 3, metadata }, tensors })
    }

    pub fn write(&self) -> Bytes {
        match &self.head {
            Head::Gguf { version, metadata } => gguf(*version, metadata, &self.tensors),
            Head::Ggml { magic, version, parameters, tokens } => {
                let mut out = Writer::default();
                out.0.bytes.extend_from_slice(&magic[..]);
                version.iter().chain(parameters).for_each(|&number| out.integer(number.into(), 4));
                for token in tokens {
                    out.integer(token.len() as u64, 4);
                    out.0.bytes.extend_from_slice(token.as_bytes());
                    out.0.bytes.extend_from_slice(&0f32.to_le_bytes());
                }
                self.tensors.iter().for_each(|tensor| out.ggml_tensor(tensor, *magic == b"tjgg"));
                out.0.header = out.0.bytes.len();
                out.0
            }
        }
    }
}

fn gguf(version: u32, metadata: &[(String, Value)], tensors: &[Tensor]) -> Bytes {
    let mut out = Writer::default();
    let wide = if version == 1 { 4 } else { 8 };
    out.0.bytes.extend_from_slice(b"GGUF");
    out.integer(version.into(), 4);
    out.integer(tensors.len() as u64, wide);
    out.integer(metadata.len() as u64, wide);
    for (key, value) in metadata {
        out.text(key, wide);
        out.integer(kind(value).into(), 4);
        out.value(value, wide);
    }
    let alignment = metadata.iter().find(|(key, _)| key == "general.alignment");
    let alignment = match alignment {
        Some((_, Value::U32(number))) => (*number as usize).clamp(1, 4096),
        _ => 32,
    };
    let mut offset = 0;
    for tensor in tensors {
        out.text(&tensor.name, wide);
        out.integer(tensor.dims.len() as u64, 4);
        tensor.dims.iter().for_each(|&dim| out.integer(dim, wide));
        out.integer(tensor.dtype.into(), 4);
        out.integer(offset, 8);
        offset += tensor.data.len().next_multiple_of(alignment) as u64;
    }
    out.0.header = out.0.bytes.len();
    for tensor in tensors {
        let padded = out.0.bytes.len().next_multiple_of(alignment);
        out.0.bytes.resize(padded, 0);
        out.0.bytes.extend_from_slice(&tensor.data);
    }
    out.0
}

struct Writer(Bytes);

impl Default for Writer {
    fn default() -> Self {
        Self(Bytes { bytes: Vec::new(), integers: Vec::new(), header: 0 })
    }
}

impl Writer {
    fn integer(&mut self, number: u64, width: usize) {
        self.0.integers.push((self.0.bytes.len(), width));
        self.0.bytes.extend_from_slice(&number.to_le_bytes()[..width]);
    }

    fn text(&mut self, text: &str, wide: usize) {
        self.integer(text.len() as u64, wide);
        self.0.bytes.extend_from_slice(text.as_bytes());
    }

    fn value(&mut self, value: &Value, wide: usize) {
        match value {
            Value::U8(v) => self.integer((*v).into(), 1),
            Value::I8(v) => self.integer(*v as u64, 1),
            Value::U16(v) => self.integer((*v).into(), 2),
            Value::I16(v) => self.integer(*v as u64, 2),
            Value::U32(v) => self.integer((*v).into(), 4),
            Value::I32(v) => self.integer(*v as u64, 4),
            Value::U64(v) => self.integer(*v, 8),
            Value::I64(v) => self.integer(*v as u64, 8),
            Value::F32(v) => self.integer(v.to_bits().into(), 4),
            Value::F64(v) => self.integer(v.to_bits(), 8),
            Value::Bool(v) => self.integer((*v).into(), 1),
            Value::String(text) => self.text(text, wide),
            Value::Array(items) => {
                self.integer(items.first().map_or(4, kind).into(), 4);
                self.integer(items.len() as u64, wide);
                items.iter().for_each(|item| self.value(item, wide));
            }
        }
    }

    fn ggml_tensor(&mut self, tensor: &Tensor, aligned: bool) {
        for number in [tensor.dims.len(), tensor.name.len(), tensor.dtype as usize] {
            self.integer(number as u64, 4);
        }
        tensor.dims.iter().for_each(|&dim| self.integer(dim, 4));
        self.0.bytes.extend_from_slice(tensor.name.as_bytes());
        if aligned {
            let padded = self.0.bytes.len().next_multiple_of(32);
            self.0.bytes.resize(padded, 0);
        }
        self.0.bytes.extend_from_slice(&tensor.data);
    }
}

fn kind(value: &Value) -> u32 {
    match value {
        Value::U8(_) => 0,
        Value::I8(_) => 1,
        Value::U16(_) => 2,
        Value::I16(_) => 3,
        Value::U32(_) => 4,
        Value::I32(_) => 5,
        Value::F32(_) => 6,
        Value::Bool(_) => 7,
        Value::String(_) => 8,
        Value::Array(_) => 9,
        Value::U64(_) => 10,
        Value::I64(_) => 11,
        Value::F64(_) => 12,
    }
}
