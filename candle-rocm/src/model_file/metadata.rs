//! The metadata of a GGUF file, as far as they are checked.

use std::collections::HashMap;

/// What the metadata are kept as: what hyperparameters can be.
#[derive(Debug, PartialEq)]
pub(super) enum Value {
    /// A number or boolean; floats are rounded towards zero, as candle does.
    Number(i128),
    Text(String),
    /// A short array of numbers.
    Numbers(Vec<i128>),
    Other,
}

pub(super) type Metadata = HashMap<String, Value>;
