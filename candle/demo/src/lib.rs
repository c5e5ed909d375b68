//! What the programs `demo` and `embed` are made of: candle-transformers' models, unmodified, on a ROCm device.
//!
//! | Module | |
//! |---|---|
//! | [`device`] | the platform and device that were asked for, or the best there is |
//! | [`gguf`] | model files, checked before anything long begins |
//! | [`tokenizer`] | the tokenizer that a GGUF file holds |
//! | [`chat`] | the turns of a conversation, as the model was trained to see them |
//! | [`model`] | the architectures, behind one `forward` |
//! | [`generate`] | prompt in, text out, with timings |
//! | [`agreement`] | whether another device computes the same |
//! | [`sentences`] | sentence embeddings with BERT |
//! | [`hub`] | files of the Hugging Face hub |
#![warn(missing_docs)]

pub mod agreement;
pub mod chat;
pub mod device;
pub mod generate;
pub mod gguf;
pub mod hub;
pub mod model;
pub mod sentences;
pub mod tokenizer;

/// `3.7 MB`.
pub fn bytes(n: u64) -> String {
    match n {
        0..1_000 => format!("{n} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", n as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", n as f64 / 1e6),
        _ => format!("{:.2} GB", n as f64 / 1e9),
    }
}
