//! Quantized language models.

use std::collections::HashMap;
use std::io::Cursor;

use candle_core::quantized::GgmlDType as G;
use candle_core::quantized::gguf_file::{Content, Value};
use candle_core::{DType, Device, Result};
use candle_nn::VarBuilder;
use candle_rocm_models::config;
use candle_transformers::models::{
    quantized_gemma3, quantized_glm4, quantized_lfm2, quantized_llama, quantized_phi, quantized_phi3,
    quantized_qwen2, quantized_qwen3, quantized_qwen3_moe, qwen3_moe,
};
use serde_json::json;

use crate::gguf::{CALLS, Gguf, VOCABULARY, agrees, logits, matches};

const HIDDEN: usize = 256;
const HEADS: usize = 4;
const KV_HEADS: usize = 2;
const HEAD: usize = HIDDEN / HEADS;
const FEED_FORWARD: usize = 512;
const LAYERS: usize = 2;

/// The tensors of llama, which other architectures vary. In `layer`, the prefix `blk.N.` is omitted.
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
    let mut metadata = vec![
        ("attention.head_count", size(HEADS)),
        ("attention.head_count_kv", size(KV_HEADS)),
        ("block_count", size(LAYERS)),
        ("embedding_length", size(HIDDEN)),
        ("attention.layer_norm_rms_epsilon", Value::F32(1e-5)),
        ("rope.freq_base", Value::F32(10_000.0)),
    ];
    metadata.retain(|(name, _)| more.iter().all(|(own, _)| own != name));
    metadata.extend_from_slice(more);
    metadata
}

fn size(n: usize) -> Value {
    Value::U32(n as u32)
}

#[test]
fn llama() -> Result<()> {
    let gguf = Gguf {
        architecture: "llama",
        metadata: metadata(&[("rope.dimension_count", size(HEAD))]),
        tensors: tensors(&ATTENTION, &[EMBEDDING, OUTPUT_NORM, OUTPUT]),
    };
    for types in [
        &[G::Q8_0] as &[G],
        // The mixtures of llama.cpp's Q4_K_M, Q5_K_M and Q3_K_M.
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

/// With tied embeddings: there is no output matrix.
#[test]
fn qwen2() -> Result<()> {
    let biases: [(&str, &[usize]); 3] = [
        ("attn_q.bias", &[HEADS * HEAD]),
        ("attn_k.bias", &[KV_HEADS * HEAD]),
        ("attn_v.bias", &[KV_HEADS * HEAD]),
    ];
    let gguf = Gguf {
        architecture: "qwen2",
        metadata: metadata(&[("context_length", size(64))]),
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

/// candle's CPU model loses the cache entries of single tokens if several tokens follow, so none do here.
#[test]
fn qwen3() -> Result<()> {
    let norms: [(&str, &[usize]); 2] = [("attn_q_norm.weight", &[HEAD]), ("attn_k_norm.weight", &[HEAD])];
    let gguf = Gguf {
        architecture: "qwen3",
        metadata: metadata(&[
            ("attention.key_length", size(HEAD)),
            ("context_length", size(64)),
            ("general.dtype", size(0)),
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
fn phi2() -> Result<()> {
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

/// Fused QKV and gate-up matrices.
#[test]
fn phi3() -> Result<()> {
    let layer: [(&str, &[usize]); 6] = [
        ("attn_norm.weight", &[HIDDEN]),
        ("attn_qkv.weight", &[(HEADS + 2 * KV_HEADS) * HEAD, HIDDEN]),
        ("attn_output.weight", &[HIDDEN, HEADS * HEAD]),
        ("ffn_norm.weight", &[HIDDEN]),
        ("ffn_up.weight", &[2 * FEED_FORWARD, HIDDEN]),
        ("ffn_down.weight", &[HIDDEN, FEED_FORWARD]),
    ];
    let gguf = Gguf {
        architecture: "phi3",
        metadata: metadata(&[
            ("context_length", size(64)),
            ("feed_forward_length", size(FEED_FORWARD)),
            ("rope.dimension_count", size(HEAD)),
        ]),
        tensors: tensors(&layer, &[EMBEDDING, OUTPUT_NORM, OUTPUT]),
    };
    agrees(
        &gguf,
        &[G::Q4K, G::Q6K, G::Q8_0],
        CALLS,
        |content, file, device| quantized_phi3::ModelWeights::from_gguf(false, content, file, device),
        quantized_phi3::ModelWeights::forward,
    )
}

/// Tied embeddings, QKV biases, a fused gate-up matrix, and norms after attention and feed-forward.
#[test]
fn glm4() -> Result<()> {
    let layer: [(&str, &[usize]); 13] = [
        ("attn_norm.weight", &[HIDDEN]),
        ("attn_q.weight", &[HEADS * HEAD, HIDDEN]),
        ("attn_q.bias", &[HEADS * HEAD]),
        ("attn_k.weight", &[KV_HEADS * HEAD, HIDDEN]),
        ("attn_k.bias", &[KV_HEADS * HEAD]),
        ("attn_v.weight", &[KV_HEADS * HEAD, HIDDEN]),
        ("attn_v.bias", &[KV_HEADS * HEAD]),
        ("attn_output.weight", &[HIDDEN, HEADS * HEAD]),
        ("post_attention_norm.weight", &[HIDDEN]),
        ("ffn_norm.weight", &[HIDDEN]),
        ("ffn_up.weight", &[2 * FEED_FORWARD, HIDDEN]),
        ("ffn_down.weight", &[HIDDEN, FEED_FORWARD]),
        ("post_ffw_norm.weight", &[HIDDEN]),
    ];
    let gguf = Gguf {
        architecture: "glm4",
        metadata: metadata(&[("attention.key_length", size(HEAD)), ("context_length", size(64))]),
        tensors: tensors(&layer, &[EMBEDDING, OUTPUT_NORM]),
    };
    agrees(
        &gguf,
        &[G::Q4K, G::Q6K, G::Q5_0],
        CALLS,
        |content, file, device| quantized_glm4::ModelWeights::from_gguf(content, file, device, DType::F32),
        quantized_glm4::ModelWeights::forward,
    )
}

/// A short convolution, then attention, depending on a layer's number of KV heads. Each layer also has the other kind's tensors, unused.
#[test]
fn lfm2() -> Result<()> {
    let convolution: [(&str, &[usize]); 5] = [
        ("attn_q_norm.weight", &[HEAD]),
        ("attn_k_norm.weight", &[HEAD]),
        ("shortconv.in_proj.weight", &[3 * HIDDEN, HIDDEN]),
        ("shortconv.conv.weight", &[HIDDEN, 3]),
        ("shortconv.out_proj.weight", &[HIDDEN, HIDDEN]),
    ];
    let gguf = Gguf {
        architecture: "lfm2",
        metadata: metadata(&[
            ("attention.head_count_kv", Value::Array(vec![size(0), size(KV_HEADS)])),
            ("context_length", size(64)),
            ("shortconv.l_cache", size(3)),
        ]),
        tensors: tensors(&[&ATTENTION[..], &convolution].concat(), &[EMBEDDING, OUTPUT_NORM]),
    };
    agrees(
        &gguf,
        &[G::Q4K, G::Q6K, G::Q8_0],
        CALLS,
        quantized_lfm2::ModelWeights::from_gguf,
        quantized_lfm2::ModelWeights::forward,
    )
}

/// candle's model accepts several tokens at once only at the start.
#[test]
fn gemma3() -> Result<()> {
    let norms: [(&str, &[usize]); 4] = [
        ("attn_q_norm.weight", &[HEAD]),
        ("attn_k_norm.weight", &[HEAD]),
        ("post_attention_norm.weight", &[HIDDEN]),
        ("post_ffw_norm.weight", &[HIDDEN]),
    ];
    let gguf = Gguf {
        architecture: "gemma3",
        metadata: metadata(&[
            ("attention.key_length", size(HEAD)),
            ("attention.value_length", size(HEAD)),
            ("attention.sliding_window", size(8)),
            // The first layer has a sliding window, the second is global.
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

const EXPERTS: usize = 6;
const EXPERT: usize = 256;

/// candle has no quantized experts on the CPU; the reference is the unquantized model with the dequantized weights.
#[test]
fn qwen3moe() -> Result<()> {
    // A fifth call would be a coin toss: there, 0.1 % more or less of the weights make a router choose another expert.
    let calls = &CALLS[..4];
    let layer: [(&str, &[usize]); 12] = [
        ("attn_norm.weight", &[HIDDEN]),
        ("attn_q.weight", &[HEADS * HEAD, HIDDEN]),
        ("attn_k.weight", &[KV_HEADS * HEAD, HIDDEN]),
        ("attn_v.weight", &[KV_HEADS * HEAD, HIDDEN]),
        ("attn_q_norm.weight", &[HEAD]),
        ("attn_k_norm.weight", &[HEAD]),
        ("attn_output.weight", &[HIDDEN, HEADS * HEAD]),
        ("ffn_norm.weight", &[HIDDEN]),
        ("ffn_gate_inp.weight", &[EXPERTS, HIDDEN]),
        ("ffn_gate_exps.weight", &[EXPERTS, EXPERT, HIDDEN]),
        ("ffn_up_exps.weight", &[EXPERTS, EXPERT, HIDDEN]),
        ("ffn_down_exps.weight", &[EXPERTS, HIDDEN, EXPERT]),
    ];
    let gguf = Gguf {
        architecture: "qwen3moe",
        metadata: metadata(&[
            ("attention.key_length", size(HEAD)),
            ("context_length", size(64)),
            ("expert_count", size(EXPERTS)),
            ("expert_feed_forward_length", size(EXPERT)),
            ("expert_used_count", size(2)),
        ]),
        tensors: tensors(&layer, &[EMBEDDING, OUTPUT_NORM, OUTPUT]),
    };
    let config: qwen3_moe::Config = config(json!({
        "decoder_sparse_step": 1,
        "head_dim": HEAD,
        "hidden_size": HIDDEN,
        "max_position_embeddings": 64,
        "max_window_layers": LAYERS,
        "moe_intermediate_size": EXPERT,
        "norm_topk_prob": true,
        "num_attention_heads": HEADS,
        "num_experts": EXPERTS,
        "num_experts_per_tok": 2,
        "num_hidden_layers": LAYERS,
        "num_key_value_heads": KV_HEADS,
        "use_sliding_window": false,
        "vocab_size": VOCABULARY,
    }))?;
    let file = gguf.file(&[G::Q4K, G::Q6K, G::Q8_0])?;
    let mut plain = qwen3_moe::ModelForCausalLM::new(&config, in_f32(&file)?)?;
    let expected =
        logits(&Device::Cpu, calls, |tokens, position| plain.forward(tokens, position)?.squeeze(1))?;
    matches(&expected, |device| {
        let mut file = Cursor::new(file.clone());
        let content = Content::read(&mut file)?;
        let mut model = quantized_qwen3_moe::GGUFQWenMoE::from_gguf(content, &mut file, device, DType::F32)?;
        logits(device, calls, |tokens, position| model.forward(tokens, position))
    })
}

/// The file's tensors, dequantized, under Hugging Face's names and with separate experts.
fn in_f32(file: &[u8]) -> Result<VarBuilder<'static>> {
    const NAMES: [(&str, &str); 16] = [
        ("token_embd", "model.embed_tokens"),
        ("output_norm", "model.norm"),
        ("attn_output", "self_attn.o_proj"),
        ("output", "lm_head"),
        ("blk.", "model.layers."),
        ("attn_norm", "input_layernorm"),
        ("ffn_norm", "post_attention_layernorm"),
        ("attn_q_norm", "self_attn.q_norm"),
        ("attn_k_norm", "self_attn.k_norm"),
        ("attn_q.", "self_attn.q_proj."),
        ("attn_k.", "self_attn.k_proj."),
        ("attn_v.", "self_attn.v_proj."),
        ("ffn_gate_inp", "mlp.gate"),
        ("ffn_gate_exps", "mlp.experts.{}.gate_proj"),
        ("ffn_up_exps", "mlp.experts.{}.up_proj"),
        ("ffn_down_exps", "mlp.experts.{}.down_proj"),
    ];
    let mut file = Cursor::new(file);
    let content = Content::read(&mut file)?;
    let mut tensors = HashMap::new();
    for name in content.tensor_infos.keys() {
        let tensor = content.tensor(&mut file, name, &Device::Cpu)?.dequantize(&Device::Cpu)?;
        let name = NAMES.iter().fold(name.clone(), |name, (from, to)| name.replace(from, to));
        match tensor.rank() {
            3 => tensors
                .extend((0..EXPERTS).map(|i| (name.replace("{}", &i.to_string()), tensor.get(i).unwrap()))),
            _ => drop(tensors.insert(name, tensor)),
        }
    }
    Ok(VarBuilder::from_tensors(tensors, DType::F32, &Device::Cpu))
}
