//! The tokenizer in a GGUF file.
//!
//! There are two kinds: byte-level BPE (`gpt2`: Llama 3, Qwen, Phi, SmolLM), which candle can read, and SentencePiece BPE (`llama`:
//! Llama 2, Mistral, Gemma), whose merges follow from the scores of its pieces.

use std::collections::HashMap;

use anyhow::{Context, Result, anyhow, bail, ensure};
use candle_core::quantized::gguf_file::{Content, Value};
use candle_core::quantized::tokenizer::TokenizerFromGguf;
use tokenizers::decoders::byte_fallback::ByteFallback;
use tokenizers::decoders::fuse::Fuse;
use tokenizers::decoders::sequence::Sequence as Decoders;
use tokenizers::decoders::strip::Strip;
use tokenizers::models::bpe::BPE;
use tokenizers::normalizers::{Prepend, Replace, Sequence as Normalizers};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::{AddedToken, DecoderWrapper, NormalizerWrapper};

use crate::gguf::number;

/// A tokenizer with the model's begin and end tokens.
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
    begin: Option<u32>,
    ends: Vec<u32>,
}

/// What to do about a file without one.
const AGAIN: &str =
    "take another file of the model, or convert it again with llama.cpp's convert_hf_to_gguf.py";

/// A part of the tokenizer.
fn part<'a>(content: &'a Content, key: &str) -> Result<&'a Value> {
    content.metadata.get(key).with_context(|| format!("the file's tokenizer has no {key}; {AGAIN}"))
}

impl Tokenizer {
    /// Builds the tokenizer from a file's metadata.
    ///
    /// # Errors
    ///
    /// Fails if the metadata has no tokenizer, or an unknown or inconsistent one.
    pub fn from_gguf(content: &mut Content) -> Result<Self> {
        let text = |content: &Content, key: &str| {
            content.metadata.get(key).and_then(|value| value.to_string().ok()).map(String::to_owned)
        };
        let model = text(content, "tokenizer.ggml.model")
            .with_context(|| format!("the file has no tokenizer: no tokenizer.ggml.model; {AGAIN}"))?;
        let pre = text(content, "tokenizer.ggml.pre").unwrap_or_default();
        let (inner, begins) = match model.as_str() {
            "gpt2" => {
                (byte_level(content, &pre)?, matches!(pre.as_str(), "llama3" | "llama-v3" | "llama-bpe"))
            }
            "llama" => (sentence_piece(content)?, true),
            other => bail!("tokenizer `{other}` is not supported; supported are gpt2 and llama"),
        };
        let id = |key: &str| content.metadata.get(key).and_then(number).map(|id| id as u32);
        let begins = match content.metadata.get("tokenizer.ggml.add_bos_token") {
            Some(Value::Bool(begins)) => *begins,
            _ => begins,
        };
        let begin = if begins { id("tokenizer.ggml.bos_token_id") } else { None };
        let mut ends: Vec<u32> = ["tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"]
            .into_iter()
            .filter_map(id)
            .collect();
        // Files of chat models name one end token, but the models also use others.
        ends.extend(
            ["<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<|end|>", "<|endoftext|>"]
                .into_iter()
                .filter_map(|end| inner.token_to_id(end)),
        );
        Ok(Self { inner, begin, ends })
    }

    /// Tokenizes text, starting with the begin token if the model has one.
    ///
    /// # Errors
    ///
    /// Fails if the text cannot be tokenized or if the result is empty.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>> {
        let encoding =
            self.inner.encode(text, false).map_err(|e| anyhow!("cannot tokenize the prompt: {e}"))?;
        let mut ids: Vec<u32> = encoding.get_ids().to_vec();
        if let Some(begin) = self.begin.filter(|begin| ids.first() != Some(begin)) {
            ids.insert(0, begin);
        }
        ensure!(!ids.is_empty(), "the prompt is empty, and this model has no begin token");
        Ok(ids)
    }

    /// Converts tokens to text, without begin and end tokens.
    ///
    /// # Errors
    ///
    /// Fails if the tokens cannot be decoded.
    pub fn decode(&self, ids: &[u32]) -> Result<String> {
        self.inner.decode(ids, true).map_err(|e| anyhow!("cannot decode the tokens: {e}"))
    }

    /// Whether this is an end token.
    pub fn is_end(&self, id: u32) -> bool {
        self.ends.contains(&id)
    }

    /// Whether the vocabulary contains the token.
    pub fn contains(&self, token: &str) -> bool {
        self.inner.token_to_id(token).is_some()
    }

    /// Decodes token by token: returns a closure that takes a token and returns the text completed by it.
    pub fn stream(&self) -> impl FnMut(u32) -> Result<String> + '_ {
        let mut stream = self.inner.decode_stream(true);
        move |id| {
            Ok(stream.step(id).map_err(|e| anyhow!("cannot decode token {id}: {e}"))?.unwrap_or_default())
        }
    }
}

fn byte_level(content: &mut Content, pre: &str) -> Result<tokenizers::Tokenizer> {
    // candle knows each splitting rule by one name, but files use several.
    let known = match pre {
        "qwen2" | "qwen35" | "deepseek-r1-qwen" | "stablelm2" | "hunyuan" => Some("qwen2"),
        "llama3" | "llama-v3" | "llama-bpe" | "smaug-bpe" | "lfm2" | "falcon3" | "dbrx" => Some("llama3"),
        _ => None,
    };
    if let Some(known) = known {
        content.metadata.insert("tokenizer.ggml.pre".to_owned(), Value::String(known.to_owned()));
    }
    ["tokenizer.ggml.tokens", "tokenizer.ggml.merges"]
        .into_iter()
        .try_for_each(|key| part(content, key).map(drop))?;
    let mut tokenizer =
        tokenizers::Tokenizer::from_gguf(content).context("the file's tokenizer is inconsistent")?;
    if known.is_none() {
        // GPT-2's rule. candle's adds a space before the text, which llama.cpp and the models' own tokenizers do not.
        tokenizer.with_pre_tokenizer(Some(ByteLevel::new(false, true, true)));
    }
    Ok(tokenizer)
}

/// SentencePiece BPE: the adjacent pair that forms the piece with the highest score is merged first.
fn sentence_piece(content: &Content) -> Result<tokenizers::Tokenizer> {
    let list = |key: &str| -> Result<&Vec<Value>> { Ok(part(content, key)?.to_vec()?) };
    let pieces: Vec<&str> = list("tokenizer.ggml.tokens")?
        .iter()
        .map(|piece| Ok(piece.to_string()?.as_str()))
        .collect::<candle_core::Result<_>>()?;
    let scores: Vec<f32> =
        list("tokenizer.ggml.scores")?.iter().map(Value::to_f32).collect::<candle_core::Result<_>>()?;
    ensure!(
        pieces.len() == scores.len(),
        "the file's tokenizer has {} pieces and {} scores",
        pieces.len(),
        scores.len()
    );
    let kinds: Vec<u64> = match list("tokenizer.ggml.token_type") {
        Ok(kinds) => kinds.iter().map(|kind| number(kind).unwrap_or(1)).collect(),
        Err(_) => vec![1; pieces.len()],
    };
    let ids: HashMap<&str, u32> = pieces.iter().enumerate().map(|(id, piece)| (*piece, id as u32)).collect();

    let mut merges = Vec::new();
    for (piece, score) in pieces.iter().zip(&scores) {
        for (at, _) in piece.char_indices().skip(1) {
            let (left, right) = piece.split_at(at);
            if let (Some(l), Some(r)) = (ids.get(left), ids.get(right)) {
                merges.push((*score, *l, *r, left, right));
            }
        }
    }
    merges.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let merges: Vec<(String, String)> =
        merges.into_iter().map(|(.., left, right)| (left.to_owned(), right.to_owned())).collect();

    let unknown =
        content.metadata.get("tokenizer.ggml.unknown_token_id").and_then(number).unwrap_or(0) as usize;
    let vocabulary: tokenizers::models::bpe::Vocab =
        ids.iter().map(|(piece, id)| ((*piece).to_owned(), *id)).collect();
    let mut builder = BPE::builder().vocab_and_merges(vocabulary, merges).fuse_unk(true);
    if let Some(piece) = pieces.get(unknown) {
        builder = builder.unk_token((*piece).to_owned());
    }
    let model = builder
        .byte_fallback(true)
        .build()
        .map_err(|e| anyhow!("the file's tokenizer is inconsistent: {e}"))?;

    let mut tokenizer = tokenizers::Tokenizer::new(model);
    let replace = |from: &str, to: &str| Replace::new(from, to).map_err(|e| anyhow!("{e}"));
    let prefix = !matches!(content.metadata.get("tokenizer.ggml.add_space_prefix"), Some(Value::Bool(false)));
    let (mut normalizers, mut decoders): (Vec<NormalizerWrapper>, Vec<DecoderWrapper>) = Default::default();
    if prefix {
        normalizers.push(Prepend::new("\u{2581}".to_owned()).into());
    }
    normalizers.push(replace(" ", "\u{2581}")?.into());
    decoders.extend([replace("\u{2581}", " ")?.into(), ByteFallback::new().into(), Fuse::new().into()]);
    if prefix {
        decoders.push(Strip::new(' ', 1, 0).into());
    }
    tokenizer.with_normalizer(Some(Normalizers::new(normalizers))).map_err(|e| anyhow!("{e}"))?;
    tokenizer.with_decoder(Some(Decoders::new(decoders)));
    // Token types: 2 unknown, 3 control, 4 user-defined. User-defined tokens are text.
    for (special, wanted) in [(true, [2, 3]), (false, [4, 4])] {
        let tokens: Vec<AddedToken> = std::iter::zip(&pieces, &kinds)
            .filter(|(_, kind)| wanted.contains(kind))
            .map(|(piece, _)| AddedToken::from((*piece).to_owned(), special).normalized(false))
            .collect();
        let added = if special { tokenizer.add_special_tokens(tokens) } else { tokenizer.add_tokens(tokens) };
        added.map_err(|e| anyhow!("{e}"))?;
    }
    Ok(tokenizer)
}
