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

/// A chat message.
#[derive(Debug, PartialEq)]
pub struct Turn {
    /// The prompt as the user's turn, up to the start of the answer.
    pub text: String,
    /// Why the model may not answer as one would expect.
    pub warning: Option<String>,
}

/// Formats the prompt as the user's turn. The format follows from the model's chat template (`tokenizer.chat_template`); without one,
/// or if it is of another format, from the tokens in its vocabulary, with a warning.
///
/// # Errors
///
/// Fails if the vocabulary has no known chat tokens.
pub fn turn(tokenizer: &Tokenizer, template: Option<&str>, prompt: &str) -> Result<Turn> {
    let known = || FORMATS.iter().filter(|(token, ..)| tokenizer.contains(token));
    let named = template.and_then(|template| known().find(|(token, ..)| template.contains(token)));
    let Some((token, before, after)) = named.or_else(|| known().next()) else {
        bail!("this model's vocabulary has no chat tokens of a known format; omit --chat")
    };
    let warning = match (named, template) {
        (Some(_), _) => None,
        (None, Some(_)) => Some("its chat template is of a format that this program does not know"),
        (None, None) => Some("it has no chat template, so it may not be trained to chat"),
    };
    let warning = warning.map(|why| format!("{why}; assuming the format of its token {token}"));
    Ok(Turn { text: format!("{before}{prompt}{after}"), warning })
}
