//! Small valid models, one for each architecture and format.

use anyhow::Result;
use candle_core::quantized::GgmlDType as G;
use candle_core::quantized::gguf_file::Value;

use crate::file::{File, Head, Tensor};
use crate::random::Random;

const HEADS: usize = 4;
const KV_HEADS: usize = 2;
const VOCABULARY: usize = 48;
const LAYERS: usize = 2;
const EXPERTS: usize = 4;

/// Sizes that depend on the block sizes of the weight types.
#[derive(Clone, Copy)]
struct Sizes {
    hidden: usize,
    types: &'static [G],
}

const SMALL: Sizes =
    Sizes { hidden: 64, types: &[G::Q8_0, G::Q4_0, G::Q5_0, G::F16, G::Q4_1, G::Q5_1, G::F32, G::BF16] };
const SUPER_BLOCKS: Sizes = Sizes { hidden: 256, types: &[G::Q2K, G::Q3K, G::Q4K, G::Q5K, G::Q6K] };

impl Sizes {
    fn head(self) -> usize {
        self.hidden / HEADS
    }

    fn kv(self) -> usize {
        KV_HEADS * self.head()
    }
}

/// All models. The first is the demo's built-in one.
pub fn files() -> Result<Vec<File>> {
    let built_in = include_bytes!("../../../../models/tiny-docs/tiny-docs.Q8_0.gguf");
    let mut files = vec![File::read(built_in)?];
    for (version, sizes) in [(1, SMALL), (2, SUPER_BLOCKS), (3, SMALL)] {
        files.push(llama(version, sizes)?);
    }
    for (version, magic) in [(None, b"lmgg"), (Some(1), b"fmgg"), (Some(1), b"tjgg"), (Some(3), b"tjgg")] {
        files.push(ggml(magic, version, if version == Some(3) { SUPER_BLOCKS } else { SMALL })?);
    }
    for make in [llama_with_experts, qwen2, qwen3, qwen3moe, phi2, phi3, gemma3, glm4, lfm2] {
        files.push(make(SMALL)?);
    }
    Ok(files)
}

fn size(n: usize) -> Value {
    Value::U32(n as u32)
}

/// A GGUF file. The tensors in `layer` are repeated for each layer.
fn gguf(
    name: &str,
    sizes: Sizes,
    metadata: &[(&str, Value)],
    layer: &[(&str, &[usize])],
    others: &[(&str, &[usize])],
) -> Result<File> {
    let common = [
        ("attention.head_count", size(HEADS)),
        ("attention.head_count_kv", size(KV_HEADS)),
        ("block_count", size(LAYERS)),
        ("embedding_length", size(sizes.hidden)),
        ("context_length", size(64)),
        ("attention.layer_norm_rms_epsilon", Value::F32(1e-5)),
        ("rope.freq_base", Value::F32(10_000.)),
    ];
    let mut all = vec![("general.architecture".to_owned(), Value::String(name.to_owned()))];
    for (key, value) in common.iter().chain(metadata) {
        all.retain(|(known, _)| *known != format!("{name}.{key}"));
        all.push((format!("{name}.{key}"), value.clone()));
    }
    let layers = (0..LAYERS)
        .flat_map(|i| layer.iter().map(move |(tensor, dims)| (format!("blk.{i}.{tensor}"), *dims)));
    let others = others.iter().map(|(tensor, dims)| ((*tensor).to_owned(), *dims));
    let tensors = synthetic(layers.chain(others), sizes)?;
    Ok(File { head: Head::Gguf { version: 3, metadata: all }, tensors })
}

fn synthetic<'a>(list: impl Iterator<Item = (String, &'a [usize])>, sizes: Sizes) -> Result<Vec<Tensor>> {
    let mut random = Random(1);
    list.enumerate()
        .map(|(i, (name, dims))| {
            let plain = dims.len() == 1 || name.contains("conv.weight") || name.contains("gate_inp");
            let dtype = if plain { G::F32 } else { sizes.types[i % sizes.types.len()] };
            Tensor::synthetic(&name, dims, dtype, &mut random)
        })
        .collect()
}

type Tensors = Vec<(&'static str, Vec<usize>)>;

fn borrowed(tensors: &Tensors) -> Vec<(&str, &[usize])> {
    tensors.iter().map(|(name, dims)| (*name, dims.as_slice())).collect()
}

fn attention(sizes: Sizes) -> Tensors {
    let (hidden, kv) = (sizes.hidden, sizes.kv());
    vec![
        ("attn_norm.weight", vec![hidden]),
        ("attn_q.weight", vec![hidden, hidden]),
        ("attn_k.weight", vec![kv, hidden]),
        ("attn_v.weight", vec![kv, hidden]),
        ("attn_output.weight", vec![hidden, hidden]),
        ("ffn_norm.weight", vec![hidden]),
    ]
}

fn feed_forward(sizes: Sizes) -> Tensors {
    let hidden = sizes.hidden;
    vec![
        ("ffn_gate.weight", vec![hidden, hidden]),
        ("ffn_up.weight", vec![hidden, hidden]),
        ("ffn_down.weight", vec![hidden, hidden]),
    ]
}

fn head_norms(sizes: Sizes) -> Tensors {
    vec![("attn_q_norm.weight", vec![sizes.head()]), ("attn_k_norm.weight", vec![sizes.head()])]
}

fn ends(sizes: Sizes) -> Tensors {
    vec![
        ("token_embd.weight", vec![VOCABULARY, sizes.hidden]),
        ("output_norm.weight", vec![sizes.hidden]),
        ("output.weight", vec![VOCABULARY, sizes.hidden]),
    ]
}

fn llama(version: u32, sizes: Sizes) -> Result<File> {
    let layer = [attention(sizes), feed_forward(sizes)].concat();
    let rope = [("rope.dimension_count", size(sizes.head()))];
    let mut file = gguf("llama", sizes, &rope, &borrowed(&layer), &borrowed(&ends(sizes)))?;
    if let Head::Gguf { version: of, .. } = &mut file.head {
        *of = version;
    }
    Ok(file)
}

fn ggml(magic: &'static [u8; 4], version: Option<u32>, sizes: Sizes) -> Result<File> {
    let hidden = sizes.hidden;
    let square = ["attention.wq", "attention.wk", "attention.wv", "attention.wo"].into_iter().chain([
        "feed_forward.w1",
        "feed_forward.w2",
        "feed_forward.w3",
    ]);
    let mut list: Vec<(String, Vec<usize>)> = Vec::new();
    for layer in 0..LAYERS {
        list.extend(
            square.clone().map(|name| (format!("layers.{layer}.{name}.weight"), vec![hidden, hidden])),
        );
        for name in ["attention_norm", "ffn_norm"] {
            list.push((format!("layers.{layer}.{name}.weight"), vec![hidden]));
        }
    }
    list.push(("tok_embeddings.weight".to_owned(), vec![VOCABULARY, hidden]));
    list.push(("norm.weight".to_owned(), vec![hidden]));
    list.push(("output.weight".to_owned(), vec![VOCABULARY, hidden]));
    let tensors = synthetic(list.iter().map(|(name, dims)| (name.clone(), dims.as_slice())), sizes)?;
    let rotary = sizes.head() as u32;
    let parameters = [VOCABULARY as u32, hidden as u32, 256, HEADS as u32, LAYERS as u32, rotary, 2];
    let tokens = (0..VOCABULARY).map(|i| format!("token {i}")).collect();
    Ok(File { head: Head::Ggml { magic, version, parameters, tokens }, tensors })
}

fn llama_with_experts(sizes: Sizes) -> Result<File> {
    let hidden = sizes.hidden;
    let mut layer = attention(sizes);
    layer.push(("ffn_gate_inp.weight", vec![EXPERTS, hidden]));
    let names: Vec<String> = (0..EXPERTS)
        .flat_map(|i| ["gate", "up", "down"].map(|part| format!("ffn_{part}.{i}.weight")))
        .collect();
    let square = [hidden, hidden];
    let mut all = borrowed(&layer);
    all.extend(names.iter().map(|name| (name.as_str(), square.as_slice())));
    let metadata = [
        ("rope.dimension_count", size(sizes.head())),
        ("expert_count", size(EXPERTS)),
        ("expert_used_count", size(2)),
    ];
    gguf("llama", sizes, &metadata, &all, &borrowed(&ends(sizes)))
}

fn qwen2(sizes: Sizes) -> Result<File> {
    let biases = vec![
        ("attn_q.bias", vec![sizes.hidden]),
        ("attn_k.bias", vec![sizes.kv()]),
        ("attn_v.bias", vec![sizes.kv()]),
    ];
    let layer = [attention(sizes), feed_forward(sizes), biases].concat();
    gguf("qwen2", sizes, &[], &borrowed(&layer), &borrowed(&ends(sizes)))
}

fn qwen3(sizes: Sizes) -> Result<File> {
    let layer = [attention(sizes), feed_forward(sizes), head_norms(sizes)].concat();
    let metadata = [("attention.key_length", size(sizes.head()))];
    let mut file = gguf("qwen3", sizes, &metadata, &borrowed(&layer), &borrowed(&ends(sizes)))?;
    if let Head::Gguf { metadata, .. } = &mut file.head {
        metadata.push(("general.dtype".to_owned(), Value::U32(0)));
    }
    Ok(file)
}

fn qwen3moe(sizes: Sizes) -> Result<File> {
    let hidden = sizes.hidden;
    let experts = vec![
        ("ffn_gate_inp.weight", vec![EXPERTS, hidden]),
        ("ffn_gate_exps.weight", vec![EXPERTS, hidden, hidden]),
        ("ffn_up_exps.weight", vec![EXPERTS, hidden, hidden]),
        ("ffn_down_exps.weight", vec![EXPERTS, hidden, hidden]),
    ];
    let layer = [attention(sizes), head_norms(sizes), experts].concat();
    let metadata = [
        ("attention.key_length", size(sizes.head())),
        ("expert_count", size(EXPERTS)),
        ("expert_used_count", size(2)),
        ("expert_feed_forward_length", size(hidden)),
    ];
    gguf("qwen3moe", sizes, &metadata, &borrowed(&layer), &borrowed(&ends(sizes)))
}

fn phi2(sizes: Sizes) -> Result<File> {
    let hidden = sizes.hidden;
    let layer = vec![
        ("attn_norm.weight", vec![hidden]),
        ("attn_norm.bias", vec![hidden]),
        ("attn_qkv.weight", vec![3 * hidden, hidden]),
        ("attn_qkv.bias", vec![3 * hidden]),
        ("attn_output.weight", vec![hidden, hidden]),
        ("attn_output.bias", vec![hidden]),
        ("ffn_up.weight", vec![hidden, hidden]),
        ("ffn_up.bias", vec![hidden]),
        ("ffn_down.weight", vec![hidden, hidden]),
        ("ffn_down.bias", vec![hidden]),
    ];
    let biases = vec![("output_norm.bias", vec![hidden]), ("output.bias", vec![VOCABULARY])];
    let metadata = [
        ("attention.head_count_kv", size(HEADS)),
        ("rope.dimension_count", size(sizes.head() / 2)),
        ("attention.layer_norm_epsilon", Value::F32(1e-5)),
    ];
    gguf("phi2", sizes, &metadata, &borrowed(&layer), &borrowed(&[ends(sizes), biases].concat()))
}

fn phi3(sizes: Sizes) -> Result<File> {
    let hidden = sizes.hidden;
    let layer = vec![
        ("attn_norm.weight", vec![hidden]),
        ("attn_qkv.weight", vec![hidden + 2 * sizes.kv(), hidden]),
        ("attn_output.weight", vec![hidden, hidden]),
        ("ffn_norm.weight", vec![hidden]),
        ("ffn_up.weight", vec![2 * hidden, hidden]),
        ("ffn_down.weight", vec![hidden, hidden]),
    ];
    let metadata = [("feed_forward_length", size(hidden)), ("rope.dimension_count", size(sizes.head()))];
    gguf("phi3", sizes, &metadata, &borrowed(&layer), &borrowed(&ends(sizes)))
}

fn post_norms(sizes: Sizes) -> Tensors {
    vec![("post_attention_norm.weight", vec![sizes.hidden]), ("post_ffw_norm.weight", vec![sizes.hidden])]
}

fn gemma3(sizes: Sizes) -> Result<File> {
    let layer = [attention(sizes), feed_forward(sizes), head_norms(sizes), post_norms(sizes)].concat();
    let metadata = [
        ("attention.key_length", size(sizes.head())),
        ("attention.value_length", size(sizes.head())),
        ("attention.sliding_window", size(8)),
        ("attention.sliding_window_type", size(2)),
    ];
    gguf("gemma3", sizes, &metadata, &borrowed(&layer), &borrowed(&ends(sizes)))
}

fn glm4(sizes: Sizes) -> Result<File> {
    let hidden = sizes.hidden;
    let feed_forward =
        vec![("ffn_up.weight", vec![2 * hidden, hidden]), ("ffn_down.weight", vec![hidden, hidden])];
    let layer = [attention(sizes), feed_forward, post_norms(sizes)].concat();
    let metadata = [("attention.key_length", size(sizes.head()))];
    gguf("glm4", sizes, &metadata, &borrowed(&layer), &borrowed(&ends(sizes)))
}

/// Every layer has the tensors of both kinds; the first layer is a convolution.
fn lfm2(sizes: Sizes) -> Result<File> {
    let hidden = sizes.hidden;
    let convolution = vec![
        ("shortconv.in_proj.weight", vec![3 * hidden, hidden]),
        ("shortconv.out_proj.weight", vec![hidden, hidden]),
        ("shortconv.conv.weight", vec![hidden, 3]),
    ];
    let layer = [attention(sizes), feed_forward(sizes), head_norms(sizes), convolution].concat();
    let kv_heads = Value::Array(vec![Value::U32(0), size(KV_HEADS)]);
    let metadata = [("attention.head_count_kv", kv_heads), ("shortconv.l_cache", size(3))];
    gguf("lfm2", sizes, &metadata, &borrowed(&layer), &borrowed(&ends(sizes)))
}
