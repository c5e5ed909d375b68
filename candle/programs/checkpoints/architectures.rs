//! Architectures that more than one program reads: two layers, 64 wide, with the bytes and 16 more tokens.

use serde_json::{Value, json};

use crate::{BYTES, Gguf, Tensors};

/// The tokens of a model: the bytes, and room for special ones.
pub const VOCABULARY: usize = BYTES + 16;
const WIDTH: usize = 64;
const WIDE: usize = 96;
const LAYERS: usize = 2;
const POSITIONS: usize = 128;
const HEAD: usize = 16;
const HEADS: usize = 4;
const KV_HEADS: usize = 2;

type Parts<'a> = &'a [(&'a str, &'a [usize])];

/// The config.json of a BERT.
pub fn bert_config(architecture: &str) -> Value {
    json!({
        "architectures": [architecture], "model_type": "bert", "vocab_size": VOCABULARY, "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": WIDE, "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1, "max_position_embeddings": POSITIONS, "type_vocab_size": 2, "initializer_range": 0.02,
        "layer_norm_eps": 1e-12, "pad_token_id": BYTES,
    })
}

/// The tensors of a BERT, and of its head that predicts masked tokens.
pub fn bert() -> Tensors {
    let mut tensors = Tensors::default();
    for (name, rows) in [("word", VOCABULARY), ("position", POSITIONS), ("token_type", 2)] {
        tensors.weight(&format!("bert.embeddings.{name}_embeddings"), &[rows, WIDTH]);
    }
    tensors.biased("bert.embeddings.LayerNorm", &[WIDTH]);
    let parts: Parts = &[
        ("attention.self.query", &[WIDTH, WIDTH]),
        ("attention.self.key", &[WIDTH, WIDTH]),
        ("attention.self.value", &[WIDTH, WIDTH]),
        ("attention.output.dense", &[WIDTH, WIDTH]),
        ("attention.output.LayerNorm", &[WIDTH]),
        ("intermediate.dense", &[WIDE, WIDTH]),
        ("output.dense", &[WIDTH, WIDE]),
        ("output.LayerNorm", &[WIDTH]),
    ];
    for layer in 0..LAYERS {
        for (name, shape) in parts {
            tensors.biased(&format!("bert.encoder.layer.{layer}.{name}"), shape);
        }
    }
    tensors.biased("cls.predictions.transform.dense", &[WIDTH, WIDTH]);
    tensors
        .biased("cls.predictions.transform.LayerNorm", &[WIDTH])
        .biased("cls.predictions.decoder", &[VOCABULARY, WIDTH]);
    tensors
}

/// The config.json of a ModernBERT, whose second layer attends to eight tokens on either side.
pub fn modernbert_config(architecture: &str) -> Value {
    json!({
        "architectures": [architecture], "model_type": "modernbert", "vocab_size": VOCABULARY, "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": WIDE, "max_position_embeddings": POSITIONS,
        "layer_norm_eps": 1e-5, "pad_token_id": BYTES, "global_attn_every_n_layers": 2, "global_rope_theta": 10000.,
        "local_attention": 16, "local_rope_theta": 1000.,
    })
}

/// The tensors of a ModernBERT, whose names begin with `prefix`.
pub fn modernbert(prefix: &str) -> Tensors {
    let mut tensors = Tensors::default();
    let parts: Parts = &[
        ("embeddings.tok_embeddings", &[VOCABULARY, WIDTH]),
        ("embeddings.norm", &[WIDTH]),
        ("final_norm", &[WIDTH]),
    ];
    for (name, shape) in parts {
        tensors.weight(&format!("{prefix}{name}"), shape);
    }
    let parts: Parts = &[
        ("attn.Wqkv", &[3 * WIDTH, WIDTH]),
        ("attn.Wo", &[WIDTH, WIDTH]),
        ("mlp.Wi", &[2 * WIDE, WIDTH]),
        ("mlp.Wo", &[WIDTH, WIDE]),
        ("mlp_norm", &[WIDTH]),
    ];
    for layer in 0..LAYERS {
        for (name, shape) in parts {
            tensors.weight(&format!("{prefix}layers.{layer}.{name}"), shape);
        }
    }
    // The first layer's input is normalized already.
    tensors.weight(&format!("{prefix}layers.1.attn_norm"), &[WIDTH]);
    tensors
}

/// The config.json of a Qwen3. Its output layer is not its embeddings: with random ones, a model repeats the last token.
pub fn qwen3_config(rope_scaling: Value) -> Value {
    json!({
        "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "attention_bias": false, "attention_dropout": 0.,
        "head_dim": HEAD, "hidden_act": "silu", "hidden_size": WIDTH, "intermediate_size": WIDE, "max_position_embeddings": POSITIONS,
        "max_window_layers": LAYERS, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS, "num_key_value_heads": KV_HEADS,
        "rms_norm_eps": 1e-6, "rope_scaling": rope_scaling, "rope_theta": 10000., "sliding_window": null,
        "tie_word_embeddings": false, "use_cache": true, "use_sliding_window": false, "vocab_size": VOCABULARY,
        "bos_token_id": BYTES, "eos_token_id": BYTES,
    })
}

/// The tensors of a Qwen3 without its output layer, whose names begin with `prefix`.
pub fn qwen3(prefix: &str) -> Tensors {
    let mut tensors = Tensors::default();
    tensors
        .weight(&format!("{prefix}embed_tokens"), &[VOCABULARY, WIDTH])
        .weight(&format!("{prefix}norm"), &[WIDTH]);
    let parts: Parts = &[
        ("self_attn.q_proj", &[HEADS * HEAD, WIDTH]),
        ("self_attn.k_proj", &[KV_HEADS * HEAD, WIDTH]),
        ("self_attn.v_proj", &[KV_HEADS * HEAD, WIDTH]),
        ("self_attn.o_proj", &[WIDTH, HEADS * HEAD]),
        ("self_attn.q_norm", &[HEAD]),
        ("self_attn.k_norm", &[HEAD]),
        ("mlp.gate_proj", &[WIDE, WIDTH]),
        ("mlp.up_proj", &[WIDE, WIDTH]),
        ("mlp.down_proj", &[WIDTH, WIDE]),
        ("input_layernorm", &[WIDTH]),
        ("post_attention_layernorm", &[WIDTH]),
    ];
    for layer in 0..LAYERS {
        for (name, shape) in parts {
            tensors.weight(&format!("{prefix}layers.{layer}.{name}"), shape);
        }
    }
    tensors
}

/// A Qwen3 with its output layer as a GGUF file, with matrices in Q8_0.
pub fn qwen3_gguf() -> Gguf {
    let mut file = Gguf::default();
    file.string("general.architecture", "qwen3");
    for (key, value) in [
        ("embedding_length", WIDTH),
        ("attention.head_count", HEADS),
        ("attention.head_count_kv", KV_HEADS),
        ("attention.key_length", HEAD),
        ("attention.value_length", HEAD),
        ("feed_forward_length", WIDE),
        ("context_length", POSITIONS),
        ("block_count", LAYERS),
    ] {
        file.u32(&format!("qwen3.{key}"), value as u32);
    }
    file.f32("qwen3.attention.layer_norm_rms_epsilon", 1e-6).f32("qwen3.rope.freq_base", 10000.);
    file.tensor("token_embd.weight", &[VOCABULARY, WIDTH])
        .tensor("output_norm.weight", &[WIDTH])
        .tensor("output.weight", &[VOCABULARY, WIDTH]);
    let parts: Parts = &[
        ("attn_q", &[HEADS * HEAD, WIDTH]),
        ("attn_k", &[KV_HEADS * HEAD, WIDTH]),
        ("attn_v", &[KV_HEADS * HEAD, WIDTH]),
        ("attn_output", &[WIDTH, HEADS * HEAD]),
        ("attn_q_norm", &[HEAD]),
        ("attn_k_norm", &[HEAD]),
        ("ffn_gate", &[WIDE, WIDTH]),
        ("ffn_up", &[WIDE, WIDTH]),
        ("ffn_down", &[WIDTH, WIDE]),
        ("attn_norm", &[WIDTH]),
        ("ffn_norm", &[WIDTH]),
    ];
    for layer in 0..LAYERS {
        for (name, shape) in parts {
            file.tensor(format!("blk.{layer}.{name}.weight"), shape);
        }
    }
    file
}
