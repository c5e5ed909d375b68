//! Quantized language models of candle-transformers from GGUF files written here, on `Device::Rocm` against the CPU.

use std::io::{Cursor, Seek, Write};

use candle_core::quantized::{GgmlDType as G, QTensor, gguf_file};
use candle_core::rocm::{forbid_fallback, relative_error};
use candle_core::{Device, Result, Tensor};
use candle_rocm_tests::devices;
use candle_transformers::models::{
    quantized_gemma3, quantized_llama, quantized_phi, quantized_qwen2, quantized_qwen3,
};
use gguf_file::Value;

/// Both sides start from the same quantized weights. Before each product the CPU rounds activations to 8 bits, by steps of
/// 1/127 of the largest in a block of 32 or 256: 3 times the usual one, and 5 times where activations are products of two
/// numbers. That is an error of up to 5 / 127 / sqrt(12) = 1.1 % for an activation, and as much for a sum of products, whose
/// errors are independent. Devices do the same, or are more precise. Two layers are eight products one after the other: 1.1 %
/// * sqrt(8) = 3.2 % of a usual logit. The largest of hundreds of errors is 3 times that, while the largest logit is 3 times
/// the usual one; the rest is for chance. A wrong scale or position is an error of 50 % and more.
const TOLERANCE: f32 = 0.06;

const HIDDEN: usize = 256;
const HEADS: usize = 4;
const KV_HEADS: usize = 2;
const HEAD: usize = HIDDEN / HEADS;
const FEED_FORWARD: usize = 512;
const LAYERS: usize = 2;
const VOCABULARY: usize = 320;

/// What a model's file holds: metadata, and tensors with their shapes; those of one dimension are in f32.
struct Gguf {
    architecture: &'static str,
    metadata: Vec<(&'static str, Value)>,
    tensors: Vec<(String, Vec<usize>)>,
}

impl Gguf {
    /// Weights in the types one after the other, as files mix them.
    fn file(&self, types: &[G]) -> Result<Vec<u8>> {
        let mut metadata =
            vec![("general.architecture".to_owned(), Value::String(self.architecture.to_owned()))];
        for (name, value) in &self.metadata {
            let name = if name.contains("general.") {
                (*name).to_owned()
            } else {
                format!("{}.{name}", self.architecture)
            };
            metadata.push((name, value.clone()));
        }
        let mut tensors = Vec::new();
        for (i, (name, shape)) in self.tensors.iter().enumerate() {
            let vector = shape.len() == 1;
            // Norms' factors are about 1, biases small; matrices keep the size of what they multiply.
            let (scale, shift) = match vector {
                true if name.ends_with("norm.weight") => (0.1, 1.0),
                true => (0.1, 0.0),
                false => ((3.0 / shape[1] as f32).sqrt(), 0.0),
            };
            let mut state = i as u64;
            let values: Vec<f32> =
                (0..shape.iter().product()).map(|_| next(&mut state) * scale + shift).collect();
            let values = Tensor::from_vec(values, shape.as_slice(), &Device::Cpu)?;
            let dtype = if vector { G::F32 } else { types[i % types.len()] };
            tensors.push((name.as_str(), QTensor::quantize(&values, dtype)?));
        }
        let metadata: Vec<_> = metadata.iter().map(|(name, value)| (name.as_str(), value)).collect();
        let tensors: Vec<_> = tensors.iter().map(|(name, tensor)| (*name, tensor)).collect();
        let mut file = Cursor::new(Vec::new());
        gguf_file::write(&mut file, &metadata, &tensors)?;
        file.seek(std::io::SeekFrom::End(0))?;
        file.flush()?;
        Ok(file.into_inner())
    }
}

/// Numbers from -1 to 1 (SplitMix64).
fn next(state: &mut u64) -> f32 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut x = *state;
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) >> 40) as f32 / (1 << 23) as f32 - 1.0
}

/// A prompt, one token after the other, and a longer text that goes to another kernel: tokens of each call.
const CALLS: &[usize] = &[5, 1, 1, 20, 1];

/// The logits of each call.
fn logits(
    device: &Device,
    calls: &[usize],
    mut forward: impl FnMut(&Tensor, usize) -> Result<Tensor>,
) -> Result<Vec<Tensor>> {
    let mut results = Vec::new();
    let mut position = 0;
    for &count in calls {
        let tokens: Vec<u32> = (position..position + count).map(|i| (i * 37 % VOCABULARY) as u32).collect();
        results.push(forward(&Tensor::new(tokens.as_slice(), device)?.unsqueeze(0)?, position)?);
        position += count;
    }
    Ok(results)
}

/// Runs the model that `load` makes of the file on the CPU and on all devices.
fn agrees<M>(
    gguf: &Gguf,
    types: &[G],
    calls: &[usize],
    load: impl Fn(gguf_file::Content, &mut Cursor<Vec<u8>>, &Device) -> Result<M>,
    forward: impl Fn(&mut M, &Tensor, usize) -> Result<Tensor>,
) -> Result<()> {
    forbid_fallback();
    let mut file = Cursor::new(gguf.file(types)?);
    let mut run = |device: &Device| {
        file.rewind()?;
        let content = gguf_file::Content::read(&mut file)?;
        let mut model = load(content, &mut file, device)?;
        logits(device, calls, |tokens, position| forward(&mut model, tokens, position))
    };
    let expected = run(&Device::Cpu)?;
    for device in devices() {
        for (i, (result, expected)) in run(&device)?.iter().zip(&expected).enumerate() {
            assert!(result.device().same_device(&device), "call {i}: logits on {:?}", result.device());
            let error = relative_error(result, expected)?;
            assert!(error <= TOLERANCE, "{} {types:?}, call {i}: off by {error}", gguf.architecture);
        }
    }
    Ok(())
}

/// The tensors of llama, which others vary: per layer what comes before `blk.N.` is left out.
fn tensors(layer: &[(&str, &[usize])], others: &[(&str, &[usize])]) -> Vec<(String, Vec<usize>)> {
    let layers = (0..LAYERS)
        .flat_map(|i| layer.iter().map(move |(name, shape)| (format!("blk.{i}.{name}"), shape.to_vec())));
    layers.chain(others.iter().map(|(name, shape)| ((*name).to_owned(), shape.to_vec()))).collect()
}

const ATTENTION: [(&str, &[usize]); 9] = [
    ("attn_norm.weight", &[HIDDEN]),
    ("attn_q.weight", &[HEADS * HEAD, HIDDEN]),
    ("attn_k.weight", &[KV_HEADS * HEAD, HIDDEN]),
    ("attn_v.weight", &[KV_HEADS * HEAD, HIDDEN]),
    ("attn_output.weight", &[HIDDEN, HEADS * HEAD]),
    ("ffn_norm.weight", &[HIDDEN]),
    ("ffn_gate.weight", &[FEED_FORWARD, HIDDEN]),
    ("ffn_up.weight", &[FEED_FORWARD, HIDDEN]),
    ("ffn_down.weight", &[HIDDEN, FEED_FORWARD]),
];
const EMBEDDING: (&str, &[usize]) = ("token_embd.weight", &[VOCABULARY, HIDDEN]);
const OUTPUT_NORM: (&str, &[usize]) = ("output_norm.weight", &[HIDDEN]);
const OUTPUT: (&str, &[usize]) = ("output.weight", &[VOCABULARY, HIDDEN]);

fn metadata(more: &[(&'static str, Value)]) -> Vec<(&'static str, Value)> {
    let size = |n: usize| Value::U32(n as u32);
    let mut metadata = vec![
        ("attention.head_count", size(HEADS)),
        ("attention.head_count_kv", size(KV_HEADS)),
        ("block_count", size(LAYERS)),
        ("embedding_length", size(HIDDEN)),
        ("attention.layer_norm_rms_epsilon", Value::F32(1e-5)),
        ("rope.freq_base", Value::F32(10_000.0)),
    ];
    metadata.extend_from_slice(more);
    metadata
}

#[test]
fn llama() -> Result<()> {
    let gguf = Gguf {
        architecture: "llama",
        metadata: metadata(&[("rope.dimension_count", Value::U32(HEAD as u32))]),
        tensors: tensors(&ATTENTION, &[EMBEDDING, OUTPUT_NORM, OUTPUT]),
    };
    for types in [
        &[G::Q8_0] as &[G],
        // As llama.cpp's Q4_K_M, Q5_K_M and Q3_K_M mix them.
        &[G::Q4K, G::Q6K],
        &[G::Q5K, G::Q6K, G::Q8_0],
        &[G::Q2K, G::Q3K, G::Q4K],
        &[G::Q4_0, G::Q4_1, G::Q5_0, G::Q5_1],
        &[G::F16, G::BF16, G::F32, G::Q8_0],
    ] {
        agrees(&gguf, types, CALLS, quantized_llama::ModelWeights::from_gguf, |model, tokens, position| {
            model.forward(tokens, position)
        })?;
    }
    Ok(())
}

/// Without an output matrix of its own: the embedding's is taken.
#[test]
fn qwen2() -> Result<()> {
    let biases: [(&str, &[usize]); 3] = [
        ("attn_q.bias", &[HEADS * HEAD]),
        ("attn_k.bias", &[KV_HEADS * HEAD]),
        ("attn_v.bias", &[KV_HEADS * HEAD]),
    ];
    let gguf = Gguf {
        architecture: "qwen2",
        metadata: metadata(&[("context_length", Value::U32(64))]),
        tensors: tensors(&[&ATTENTION[..], &biases].concat(), &[EMBEDDING, OUTPUT_NORM]),
    };
    agrees(
        &gguf,
        &[G::Q4K, G::Q6K, G::Q5_0],
        CALLS,
        quantized_qwen2::ModelWeights::from_gguf,
        |model, tokens, position| model.forward(tokens, position),
    )
}

/// candle's model for the CPU forgets what single tokens added to its cache when several follow: none do here.
#[test]
fn qwen3() -> Result<()> {
    let norms: [(&str, &[usize]); 2] = [("attn_q_norm.weight", &[HEAD]), ("attn_k_norm.weight", &[HEAD])];
    let gguf = Gguf {
        architecture: "qwen3",
        metadata: metadata(&[
            ("attention.key_length", Value::U32(HEAD as u32)),
            ("context_length", Value::U32(64)),
            ("general.dtype", Value::U32(0)),
        ]),
        tensors: tensors(&[&ATTENTION[..], &norms].concat(), &[EMBEDDING, OUTPUT_NORM, OUTPUT]),
    };
    agrees(
        &gguf,
        &[G::Q4K, G::Q6K, G::Q8_0],
        &[20, 1, 1],
        quantized_qwen3::ModelWeights::from_gguf,
        |model, tokens, position| model.forward(tokens, position),
    )
}

#[test]
fn phi() -> Result<()> {
    let layer: [(&str, &[usize]); 10] = [
        ("attn_norm.weight", &[HIDDEN]),
        ("attn_norm.bias", &[HIDDEN]),
        ("attn_qkv.weight", &[3 * HIDDEN, HIDDEN]),
        ("attn_qkv.bias", &[3 * HIDDEN]),
        ("attn_output.weight", &[HIDDEN, HIDDEN]),
        ("attn_output.bias", &[HIDDEN]),
        ("ffn_up.weight", &[FEED_FORWARD, HIDDEN]),
        ("ffn_up.bias", &[FEED_FORWARD]),
        ("ffn_down.weight", &[HIDDEN, FEED_FORWARD]),
        ("ffn_down.bias", &[HIDDEN]),
    ];
    let others: [(&str, &[usize]); 2] = [("output_norm.bias", &[HIDDEN]), ("output.bias", &[VOCABULARY])];
    let size = |n: usize| Value::U32(n as u32);
    let gguf = Gguf {
        architecture: "phi2",
        metadata: vec![
            ("attention.head_count", size(HEADS)),
            ("attention.head_count_kv", size(HEADS)),
            ("block_count", size(LAYERS)),
            ("embedding_length", size(HIDDEN)),
            ("rope.dimension_count", size(HEAD / 2)),
            ("attention.layer_norm_epsilon", Value::F32(1e-5)),
        ],
        tensors: tensors(&layer, &[&[EMBEDDING, OUTPUT_NORM, OUTPUT][..], &others].concat()),
    };
    agrees(
        &gguf,
        &[G::Q4K, G::Q6K, G::Q5_1],
        CALLS,
        quantized_phi::ModelWeights::from_gguf,
        |model, tokens, position| model.forward(tokens, position),
    )
}

/// candle's model takes several tokens at a time at the beginning only.
#[test]
fn gemma3() -> Result<()> {
    let norms: [(&str, &[usize]); 4] = [
        ("attn_q_norm.weight", &[HEAD]),
        ("attn_k_norm.weight", &[HEAD]),
        ("post_attention_norm.weight", &[HIDDEN]),
        ("post_ffw_norm.weight", &[HIDDEN]),
    ];
    let size = |n: usize| Value::U32(n as u32);
    let gguf = Gguf {
        architecture: "gemma3",
        metadata: metadata(&[
            ("attention.key_length", size(HEAD)),
            ("attention.value_length", size(HEAD)),
            ("attention.sliding_window", size(8)),
            // The first layer looks at a window, the second at everything.
            ("attention.sliding_window_type", size(2)),
        ]),
        tensors: tensors(&[&ATTENTION[..], &norms].concat(), &[EMBEDDING, OUTPUT_NORM]),
    };
    agrees(
        &gguf,
        &[G::Q4_0, G::Q8_0, G::Q6K],
        &[20, 1, 1],
        quantized_gemma3::ModelWeights::from_gguf,
        |model, tokens, position| model.forward(tokens, position),
    )
}
