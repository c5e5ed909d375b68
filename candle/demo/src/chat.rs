//! Chat templates.

use anyhow::{Result, bail};

use crate::tokenizer::Tokenizer;

/// A token that identifies the format, and the text before and after the user's message.
const FORMATS: [(&str, &str, &str); 5] = [
    ("<|im_start|>", "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"),
    (
        "<|start_header_id|>",
        "<|start_header_id|>user<|end_header_id|>\n\n",
        "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
    ),
    ("<start_of_turn>", "<start_of_turn>user\n", "<end_of_turn>\n<start_of_turn>model\n"),
    ("<|assistant|>", "<|user|>\n", "<|end|>\n<|assistant|>\n"),
    ("[INST]", "[INST] ", " [/INST]"),
];

/// Formats the prompt as the user's turn, up to the start of the answer.
///
/// # Errors
///
/// Fails if the vocabulary has no known chat tokens.
pub fn turn(tokenizer: &Tokenizer, prompt: &str) -> Result<String> {
    match FORMATS.iter().find(|(token, ..)| tokenizer.contains(token)) {
        Some((_, before, after)) => Ok(format!("{before}{prompt}{after}")),
        None => bail!("this model's vocabulary has no chat tokens of a known format; omit --chat"),
    }
}
