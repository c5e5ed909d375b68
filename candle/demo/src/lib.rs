//! The library behind the programs `demo` and `embed`: candle-transformers' unmodified models on a ROCm device.
//!
//! | Module | |
//! |---|---|
//! | [`device`] | selects the platform and device |
//! | [`gguf`] | model files, validated before loading |
//! | [`tokenizer`] | the tokenizer in a GGUF file |
//! | [`chat`] | chat templates |
//! | [`model`] | the architectures, behind one `forward` |
//! | [`parallel`] | llama on several devices |
//! | [`generate`] | text generation, with timings |
//! | [`agreement`] | compares the logits of two devices |
//! | [`sentences`] | sentence embeddings with BERT |
//! | [`hub`] | files from the Hugging Face hub |
#![warn(missing_docs)]

pub mod agreement;
pub mod chat;
pub mod device;
pub mod generate;
pub mod gguf;
pub mod hub;
pub mod model;
pub mod parallel;
pub mod progress;
pub mod sentences;
pub mod tokenizer;

/// An error with its causes, but for those that it quotes itself.
pub fn explain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !text.contains(&cause) {
            text += if text.is_empty() { "" } else { ": " };
            text += &cause;
        }
    }
    text
}

/// Formats a size in bytes: `3.7 MB`.
pub fn bytes(n: u64) -> String {
    match n {
        0..1_000 => format!("{n} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", n as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", n as f64 / 1e6),
        _ => format!("{:.2} GB", n as f64 / 1e9),
    }
}
