//! Model files, checked before candle reads them.
//!
//! candle's loaders trust the headers of GGUF and GGML files: a damaged or crafted header makes them divide by zero, allocate 2^60 bytes or
//! index out of bounds. [`check`] reads a header first and returns its content, or an error that names the file, the key or tensor, its
//! value and the expected values. It reads no weights, so it takes milliseconds.
//!
//! ```no_run
//! use candle_core::quantized::gguf_file::Content;
//!
//! # fn main() -> candle_core::Result<()> {
//! candle_rocm::model_file::check("model.gguf")?;
//! let mut file = std::fs::File::open("model.gguf")?;
//! let content = Content::read(&mut file)?;
//! # Ok(())
//! # }
//! ```
//!
//! # Does it fit?
//!
//! [`Header::memory_needs`] estimates the memory for weights, for the cache of keys and values at a given context length, and for work
//! space. [`MemoryNeeds::fits`] compares that with the available memory, before anything is loaded:
//!
//! ```no_run
//! use candle_rocm::model_file::{self, Usage};
//!
//! # fn example(device: &candle_rocm::RocmDevice) -> candle_core::Result<()> {
//! let needs = model_file::check("model.gguf")?.memory_needs(&Usage::new(8192).with_prompt(512));
//! println!("{} bytes of weights, {} of cache", needs.weights, needs.cache);
//! // the model needs about 9.15 GiB (weights 6.54 GiB, KV cache of 8192 tokens 2.00 GiB, work space 624.0 MiB), but only 8.00 GiB
//! // are available; a context of 3481 tokens fits
//! needs.fits(device.available_memory()?)?;
//! # Ok(())
//! # }
//! ```
//!
//! # What is checked
//!
//! - Counts, lengths, types and offsets: everything lies within the file, nothing overlaps, no product overflows.
//! - Each tensor: its type is one that candle loads, no dimension is 0, and rows consist of whole blocks.
//! - The hyperparameters that candle-transformers' quantized models divide by or allocate by, for the architectures it has.
//!
//! Problems for which candle returns an error itself, such as a missing tensor or mismatched shapes, are left to candle. Safetensors files
//! need no such check, because the crate `safetensors` makes it.

mod error;
mod ggml;
mod gguf;
mod hyperparameters;
mod input;
mod metadata;
mod needs;
mod types;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

pub use error::{ModelFault, ModelFileError};
pub use hyperparameters::Hyperparameters;
pub use needs::{DoesNotFit, MemoryNeeds, Usage};

use input::Input;

/// The content of a checked header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The file's format.
    pub format: Format,
    /// The `general.architecture` of a GGUF file.
    pub architecture: Option<String>,
    /// The hyperparameters that determine a language model's memory in addition to its weights; `None` if the file does not state them.
    pub hyperparameters: Option<Hyperparameters>,
    /// The tensors, in the header's order.
    pub tensors: Vec<TensorInfo>,
}

impl Header {
    /// The size of all tensors in bytes.
    pub fn tensor_bytes(&self) -> u64 {
        // They lie in the file and do not overlap.
        self.tensors.iter().map(|tensor| tensor.bytes).sum()
    }
}

/// A format of model files and its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// GGUF, versions 1 to 3.
    Gguf(u32),
    /// GGML without a version.
    Ggml,
    /// GGMF, version 1.
    Ggmf(u32),
    /// GGJT, versions 1 to 3.
    Ggjt(u32),
}

/// A tensor in a model file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorInfo {
    /// The tensor's name.
    pub name: String,
    /// Its GGML type, such as `Q4_K`.
    pub dtype: &'static str,
    /// Its dimensions in candle's order: the contiguous one is last.
    pub dims: Vec<usize>,
    /// The offset of its data in the file.
    pub offset: u64,
    /// The size of its data in bytes.
    pub bytes: u64,
}

/// Checks the header of a GGUF, GGML, GGMF or GGJT file.
///
/// # Errors
/// [`ModelFileError`], which says what is wrong: the format or its version, an invalid length or key, a tensor that candle does not load,
/// or a truncated file.
pub fn check(path: impl AsRef<Path>) -> Result<Header, ModelFileError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    match open(path) {
        Ok(mut file) => check_reader(&mut file, &name),
        Err(fault) => Err(ModelFileError { file: name, fault }),
    }
}

/// A pipe would block when it is opened, so the path is looked at first.
fn open(path: &Path) -> Result<File, ModelFault> {
    let found = std::fs::metadata(path)?;
    if !found.is_file() {
        let what = if found.is_dir() { "a folder" } else { "not a regular file" };
        return Err(ModelFault::Format { found: format!("it is {what}") });
    }
    Ok(File::open(path)?)
}

/// [`check`] for a reader, starting at its position, which is restored. `name` appears in the error.
///
/// # Errors
/// As [`check`], including those of the reader.
pub fn check_reader<R: Read + Seek>(reader: &mut R, name: &str) -> Result<Header, ModelFileError> {
    read(reader).map_err(|fault| ModelFileError { file: name.to_owned(), fault })
}

fn read<R: Read + Seek>(reader: &mut R) -> Result<Header, ModelFault> {
    let start = reader.stream_position()?;
    let end = reader.seek(SeekFrom::End(0))?;
    reader.seek(SeekFrom::Start(start))?;
    let header = header(&mut Input::new(&mut *reader, start, end));
    reader.seek(SeekFrom::Start(start))?;
    header
}

fn header<R: Read + Seek>(input: &mut Input<R>) -> Result<Header, ModelFault> {
    if input.remaining() < 4 {
        return Err(ModelFault::Format { found: format!("it has {} bytes", input.remaining()) });
    }
    let magic: [u8; 4] = input.array("its first word")?;
    match &magic {
        b"GGUF" => gguf::read(input),
        // Written as little-endian words: `ggml`, `ggmf`, `ggjt` backwards.
        b"lmgg" => ggml::read(input, Format::Ggml),
        b"fmgg" => ggml::read_versioned(input, "GGMF", 1, Format::Ggmf),
        b"tjgg" => ggml::read_versioned(input, "GGJT", 3, Format::Ggjt),
        _ => Err(ModelFault::Format { found: other(&magic, input) }),
    }
}

/// What a file is that begins so.
fn other<R: Read + Seek>(magic: &[u8; 4], input: &mut Input<R>) -> String {
    // The length of a header in JSON, in eight bytes.
    match input.array("its header") {
        Ok([0, 0, 0, 0, b'{']) => {
            "it is a safetensors file, which needs no check and is read by VarBuilder; llama.cpp's \
                                   convert_hf_to_gguf.py makes a GGUF file of the model's folder"
                .to_owned()
        }
        _ => format!("it begins with \"{}\"", magic.escape_ascii()),
    }
}
