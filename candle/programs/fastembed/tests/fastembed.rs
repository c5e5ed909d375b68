//! fastembed's candle models on a ROCm device and on the CPU. The caller says which device and which dtype.

use std::io::Cursor;

use candle_core::rocm::forbid_fallback;
use candle_core::{DType, Device, Result};
use candle_rocm as _;
use checkpoints::architectures::{self, VOCABULARY};
use checkpoints::{F16, F32, Q8, Repository, Tensors, assert_close};
use fastembed::{BertTextEmbedding, NomicV2MoeTextEmbedding, Qwen3TextEmbedding, Qwen3VLEmbedding};
use image::{ImageFormat, Rgb, RgbImage};
use serde_json::{Value, json};

const TEXTS: [&str; 3] =
    ["a red fox", "Embeddings of sentences, and of pictures.", "ein Satz mit Umlauten: äöü"];

/// Runs a model on the CPU in f32, and on each ROCm device in f32 and f16.
fn agrees(what: &str, run: impl Fn(&Device, DType) -> Result<Vec<Vec<f32>>>) -> Result<()> {
    forbid_fallback();
    let expected = run(&Device::Cpu, DType::F32)?.concat();
    for ordinal in checkpoints::ordinals() {
        let device = Device::new_rocm(ordinal)?;
        for (dtype, tolerance) in [(DType::F32, F32), (DType::F16, F16)] {
            let what = format!("{what} in {dtype:?} on {:?}", device.location());
            assert_close(&what, &run(&device, dtype)?.concat(), &expected, tolerance);
        }
    }
    Ok(())
}

#[test]
fn bert() -> Result<()> {
    let repository = Repository::new("invented/bert")?;
    repository.json("config.json", &architectures::bert_config("BertModel"))?;
    repository.tokenizer(&["[PAD]"])?;
    repository.tensors("model.safetensors", &architectures::bert())?;
    agrees("bert", |device, dtype| {
        BertTextEmbedding::from_hf("invented/bert", device, dtype, 48)?.embed(&TEXTS)
    })
}

#[test]
fn nomic_v2_moe() -> Result<()> {
    let repository = Repository::new("invented/nomic")?;
    repository.json(
        "config.json",
        &json!({
            "vocab_size": VOCABULARY, "n_embd": 64, "n_head": 4, "n_inner": 96, "n_layer": 2, "n_positions": 64, "num_experts": 4,
        }),
    )?;
    repository.tokenizer(&["<s>", "<pad>"])?;
    let mut tensors = Tensors::default();
    tensors
        .weight("embeddings.word_embeddings", &[VOCABULARY, 64])
        .weight("embeddings.token_type_embeddings", &[1, 64]);
    tensors.biased("emb_ln", &[64]);
    for layer in 0..2 {
        let name = |part| format!("encoder.layers.{layer}.{part}");
        tensors.biased(&name("attn.Wqkv"), &[192, 64]).biased(&name("attn.out_proj"), &[64, 64]);
        tensors.biased(&name("norm1"), &[64]).biased(&name("norm2"), &[64]);
    }
    // The second layer's are experts.
    tensors.biased("encoder.layers.0.mlp.fc1", &[96, 64]).biased("encoder.layers.0.mlp.fc2", &[64, 96]);
    tensors.weight("encoder.layers.1.mlp.router.layer", &[4, 64]);
    for name in ["w1", "w2"] {
        tensors.add(format!("encoder.layers.1.mlp.experts.mlp.{name}"), &[4 * 96, 64]);
    }
    tensors.add("encoder.layers.1.mlp.experts.bias", &[64]);
    repository.tensors("model.safetensors", &tensors)?;
    agrees("nomic", |device, dtype| {
        NomicV2MoeTextEmbedding::from_hf("invented/nomic", device, dtype, 48)?.embed(&TEXTS)
    })
}

#[test]
fn qwen3_text() -> Result<()> {
    let repository = Repository::new("invented/qwen3")?;
    repository.json("config.json", &architectures::qwen3_config(Value::Null))?;
    repository.tokenizer(&["<|endoftext|>"])?;
    repository.tensors("model.safetensors", &architectures::qwen3(""))?;
    let load = |device: &_, dtype| Qwen3TextEmbedding::from_hf("invented/qwen3", device, dtype, 48);
    agrees("qwen3", |device, dtype| load(device, dtype)?.embed(&TEXTS))?;
    // In one batch, with a mask.
    agrees("qwen3, padded", |device, dtype| load(device, dtype)?.embed_padded(&TEXTS))
}

#[test]
fn qwen3_gguf() -> Result<()> {
    let repository = Repository::new("invented/qwen3-gguf")?;
    repository.tokenizer(&["<|endoftext|>"])?;
    architectures::qwen3_gguf().write(&repository.folder().join("model.gguf"))?;
    let run = |device: &Device| {
        Qwen3TextEmbedding::from_hf_gguf(
            "invented/qwen3-gguf",
            "model.gguf",
            "invented/qwen3-gguf",
            device,
            48,
        )?
        .embed(&TEXTS)
    };
    forbid_fallback();
    let expected = run(&Device::Cpu)?.concat();
    for ordinal in checkpoints::ordinals() {
        let device = Device::new_rocm(ordinal)?;
        assert_close(&format!("GGUF on {:?}", device.location()), &run(&device)?.concat(), &expected, Q8);
    }
    Ok(())
}

#[test]
fn qwen3_vl() -> Result<()> {
    let repository = Repository::new("invented/qwen3-vl")?;
    let special = ["<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>"];
    let id = |token| checkpoints::BYTES + special.iter().position(|other| *other == token).unwrap();
    repository.json(
        "config.json",
        &json!({
            "text_config": architectures::qwen3_config(json!({ "mrope_interleaved": true, "mrope_section": [4, 2, 2] })),
            "vision_config": {
                "depth": 2, "hidden_size": 32, "out_hidden_size": 64, "hidden_act": "gelu_pytorch_tanh", "intermediate_size": 48,
                "num_heads": 2, "patch_size": 8, "num_position_embeddings": 16, "deepstack_visual_indexes": [0],
            },
            "image_token_id": id("<|image_pad|>"),
            "vision_start_token_id": id("<|vision_start|>"), "vision_end_token_id": id("<|vision_end|>"),
        }),
    )?;
    repository.json(
        "preprocessor_config.json",
        &json!({
            "min_pixels": 256, "max_pixels": 4096, "patch_size": 8, "temporal_patch_size": 2, "merge_size": 2,
            "rescale_factor": 1. / 255., "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5],
        }),
    )?;
    repository.tokenizer(&special)?;
    let mut tensors = architectures::qwen3("model.language_model.");
    let name = |part: &str| format!("model.visual.{part}");
    tensors.biased(&name("patch_embed.proj"), &[32, 3, 2, 8, 8]).weight(&name("pos_embed"), &[16, 32]);
    for layer in 0..2 {
        for (part, shape) in [
            ("norm1", &[32][..]),
            ("norm2", &[32]),
            ("attn.qkv", &[96, 32]),
            ("attn.proj", &[32, 32]),
            ("mlp.linear_fc1", &[48, 32]),
            ("mlp.linear_fc2", &[32, 48]),
        ] {
            tensors.biased(&name(&format!("blocks.{layer}.{part}")), shape);
        }
    }
    for (part, norm) in [("merger", 32), ("deepstack_merger_list.0", 128)] {
        tensors.biased(&name(&format!("{part}.norm")), &[norm]);
        tensors.biased(&name(&format!("{part}.linear_fc1")), &[128, 128]);
        tensors.biased(&name(&format!("{part}.linear_fc2")), &[64, 128]);
    }
    repository.tensors("model.safetensors", &tensors)?;

    let load = |device: &_, dtype| Qwen3VLEmbedding::from_hf("invented/qwen3-vl", device, dtype, 256);
    let pictures = [picture(48, 32), picture(40, 64)];
    let pictures = pictures.each_ref().map(Vec::as_slice);
    agrees("pictures", |device, dtype| load(device, dtype)?.embed_image_bytes(&pictures))?;
    agrees("texts", |device, dtype| load(device, dtype)?.embed_texts(&TEXTS))
}

/// A PNG.
fn picture(width: u32, height: u32) -> Vec<u8> {
    let pixel = |x, y| Rgb([(x * 5 % 256) as u8, (y * 7 % 256) as u8, ((x * y) % 256) as u8]);
    let mut file = Cursor::new(Vec::new());
    RgbImage::from_fn(width, height, pixel).write_to(&mut file, ImageFormat::Png).unwrap();
    file.into_inner()
}
