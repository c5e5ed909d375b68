//! Why a model file is refused.

use std::io;

/// A model file that [`check`](super::check) rejects. Converts into [`candle_core::Error`] with `?`.
#[derive(Debug, thiserror::Error)]
#[error("{file} {fault}")]
pub struct ModelFileError {
    /// The file's path, or the name given by the caller.
    pub file: String,
    /// What is wrong with it.
    pub fault: ModelFault,
}

/// What is wrong with a model file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFault {
    /// The file cannot be opened or read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),

    /// The file has another format.
    #[error("is not a GGUF or GGML file: {found}")]
    Format {
        /// What the file is instead.
        found: String,
    },

    /// The file has a version that candle does not read.
    #[error("is a {format} file of version {version}, expected {expected}")]
    Version {
        /// The format.
        format: &'static str,
        /// The file's version.
        version: u32,
        /// The versions that candle reads.
        expected: String,
    },

    /// The file ends too early.
    #[error("is truncated: {what} ends at byte {end}, the file at {length}; get the file again")]
    Truncated {
        /// What is at that position, such as `` tensor `output.weight` ``.
        what: String,
        /// The offset at which it should end.
        end: u64,
        /// The size of the file.
        length: u64,
    },

    /// A field of the header is invalid.
    #[error("is damaged: {field} is {value}, expected {expected}")]
    Field {
        /// The field, such as `the number of tensors`.
        field: String,
        /// Its value.
        value: String,
        /// The valid values.
        expected: String,
    },

    /// A value in the metadata is invalid.
    #[error("is damaged: key `{key}` is {value}, expected {expected}")]
    Key {
        /// The key, such as `llama.block_count`.
        key: String,
        /// Its value.
        value: String,
        /// The valid values.
        expected: String,
    },

    /// A tensor is invalid.
    #[error("is damaged: tensor `{tensor}` has {value}, expected {expected}")]
    Tensor {
        /// The tensor, such as `blk.0.attn_q.weight`.
        tensor: String,
        /// Its invalid property, such as `shape [0, 32]`.
        value: String,
        /// The valid values.
        expected: String,
    },

    /// A tensor has a type that candle does not load.
    #[error("has tensor `{tensor}` in type {dtype}, which candle does not load; take a file in {known}")]
    Dtype {
        /// The tensor.
        tensor: String,
        /// The name of its type, or the number.
        dtype: String,
        /// The types that candle loads.
        known: String,
    },
}

impl From<ModelFileError> for candle_core::Error {
    fn from(error: ModelFileError) -> Self {
        candle_core::Error::wrap(error)
    }
}
