//! A rank's part of a GGUF file: only the bytes of that part are read.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use candle_core::quantized::ggml_file::qtensor_from_ggml;
use candle_core::quantized::gguf_file::{Content, TensorInfo, Value};
use candle_core::quantized::{QMatMul, QTensor};
use candle_core::rocm::PackedType;
use candle_core::{DType, Device, Result, Tensor};

use crate::weights::check_split;
use crate::{Linear, Split, Weights};

trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

/// An open GGUF file with a llama model.
pub struct Gguf {
    content: Content,
    file: Mutex<Box<dyn ReadSeek>>,
    device: Device,
}

impl Gguf {
    /// Opens a file and reads its metadata. Tensors are loaded to `device`.
    ///
    /// # Errors
    /// If it is not a GGUF file. See [`candle_rocm::model_file`] for checks of untrusted files.
    pub fn open(path: impl AsRef<Path>, device: &Device) -> Result<Self> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|error| candle_core::Error::from(error).with_path(path))?;
        Self::new(file, device).map_err(|error| error.with_path(path))
    }

    /// As [`Gguf::open`], from any reader. It is rewound to its start.
    ///
    /// # Errors
    /// As [`Gguf::open`].
    pub fn new(mut file: impl Read + Seek + Send + 'static, device: &Device) -> Result<Self> {
        file.rewind()?;
        let content = Content::read(&mut file)?;
        Ok(Self { content, file: Mutex::new(Box::new(file)), device: device.clone() })
    }

    /// Looks up a value of the file's metadata.
    ///
    /// # Errors
    /// If there is none with this name.
    pub fn metadata(&self, name: &str) -> Result<&Value> {
        let value = self.content.metadata.get(name);
        value.ok_or_else(|| candle_core::Error::Msg(format!("the file does not say {name}")))
    }

    /// The dimensions of a tensor, in candle's order. `None` if the file does not contain it.
    pub fn dims(&self, name: &str) -> Option<&[usize]> {
        self.content.tensor_infos.get(&own_name(name)).map(|info| info.shape.dims())
    }

    /// Rows and columns of a matrix, quantized as they are.
    fn part(&self, name: &str, rows: (usize, usize), columns: (usize, usize)) -> Result<QTensor> {
        let own = own_name(name);
        let info = self.content.tensor_infos.get(&own);
        let info =
            info.ok_or_else(|| candle_core::Error::Msg(format!("the file has no tensor {own} ({name})")))?;
        let (block, bytes) = block(info);
        let width = info.shape.dims().last().copied().unwrap_or(1);
        let in_bytes = |columns: usize| (columns / block * bytes) as u64;
        let row = in_bytes(width);
        let start = self.content.tensor_data_offset + PackedType::offset(info);
        let mut data = vec![0; (in_bytes(columns.1) * rows.1 as u64) as usize];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // Whole rows lie together.
        let pieces = if columns.1 == width { 1 } else { rows.1 };
        let piece = data.len() / pieces.max(1);
        for (index, piece) in data.chunks_mut(piece.max(1)).enumerate() {
            file.seek(SeekFrom::Start(start + (rows.0 + index) as u64 * row + in_bytes(columns.0)))?;
            file.read_exact(piece)?;
        }
        let dims = if info.shape.dims().len() == 1 { vec![columns.1] } else { vec![rows.1, columns.1] };
        match PackedType::of(info) {
            Some(packed) => packed.tensor(&data, &dims, &self.device),
            None => qtensor_from_ggml(info.ggml_dtype, &data, dims, &self.device),
        }
    }

    /// A smaller part of a larger tensor would be read without an error.
    fn check_shape(&self, name: &str, expected: &[usize]) -> Result<()> {
        match self.dims(name) {
            Some(dims) if dims != expected => {
                candle_core::bail!("{name}: {dims:?} in the file, {expected:?} expected")
            }
            _ => Ok(()),
        }
    }

    fn block(&self, name: &str) -> usize {
        self.content.tensor_infos.get(&own_name(name)).map_or(1, |info| block(info).0)
    }
}

/// Weights and bytes of a block.
fn block(info: &TensorInfo) -> (usize, usize) {
    match PackedType::of(info) {
        Some(packed) => (packed.block_size(), packed.type_size()),
        None => (info.ggml_dtype.block_size(), info.ggml_dtype.type_size()),
    }
}

impl Weights for Gguf {
    fn linear(
        &self,
        name: &str,
        shape: [usize; 2],
        split: Split,
        rank: usize,
        ranks: usize,
    ) -> Result<Linear> {
        self.check_shape(name, &shape)?;
        check_split(name, shape, split, ranks, self.block(name))?;
        let [rows, columns] = shape;
        let of = |all: usize| (all / ranks * rank, all / ranks);
        let part = match split {
            Split::Whole => self.part(name, (0, rows), (0, columns)),
            Split::Outputs => self.part(name, of(rows), (0, columns)),
            Split::Inputs => self.part(name, (0, rows), of(columns)),
        };
        Ok(Linear::Quantized(QMatMul::from_qtensor(part?)?))
    }

    fn tensor(&self, name: &str, shape: &[usize]) -> Result<Tensor> {
        let (rows, columns) = match *shape {
            [columns] => (1, columns),
            [rows, columns] => (rows, columns),
            _ => candle_core::bail!("{name}: {shape:?} is neither a vector nor a matrix"),
        };
        self.check_shape(name, shape)?;
        self.part(name, (0, rows), (0, columns))?.dequantize(&self.device)
    }

    fn contains(&self, name: &str) -> bool {
        self.content.tensor_infos.contains_key(&own_name(name))
    }

    fn dtype(&self) -> DType {
        DType::F32
    }
}

/// `blk.0.attn_q.weight` of `model.layers.0.self_attn.q_proj.weight`.
fn own_name(name: &str) -> String {
    const PARTS: [(&str, &str); 14] = [
        ("model.embed_tokens.", "token_embd."),
        ("model.norm.", "output_norm."),
        ("lm_head.", "output."),
        ("model.layers.", "blk."),
        ("self_attn.q_proj.", "attn_q."),
        ("self_attn.k_proj.", "attn_k."),
        ("self_attn.v_proj.", "attn_v."),
        ("self_attn.o_proj.", "attn_output."),
        ("mlp.gate_proj.", "ffn_gate."),
        ("mlp.up_proj.", "ffn_up."),
        ("mlp.down_proj.", "ffn_down."),
        ("input_layernorm.", "attn_norm."),
        ("post_attention_layernorm.", "ffn_norm."),
        ("rotary_emb.", "rope."),
    ];
    PARTS.iter().fold(name.to_owned(), |name, (from, to)| name.replace(from, to))
}
