//! embed_anything's models on a ROCm device and on the CPU. It chooses the device by its own features, and without CUDA's that is the
//! CPU; so the embedders are loaded by its own function, which makes them the reference, and composed of its models on a ROCm device.

use std::fs;
use std::sync::RwLock;

use anyhow::Result;
use candle_core::rocm::forbid_fallback;
use candle_core::{DType, Device};
use candle_nn::VarBuilder;
use candle_rocm as _;
use candle_transformers::models::bert::{BertForMaskedLM, BertModel};
use checkpoints::architectures::{self, VOCABULARY};
use checkpoints::{COMMIT, F16, F32, Repository, Tensors, assert_close};
use embed_anything::Dtype;
use embed_anything::embeddings::embed::{EmbedImage, Embedder, EmbeddingResult};
use embed_anything::embeddings::local::bert::{BertEmbed, BertEmbedder, SparseBertEmbedder};
use embed_anything::embeddings::local::clip::{ClipEmbedder, VisionModel};
use embed_anything::embeddings::local::modernbert::ModernBertEmbedder;
use embed_anything::embeddings::local::qwen3::{Qwen3Embed, Qwen3Embedder};
use embed_anything::models::{clip, modernbert, qwen3};
use image::{Rgb, RgbImage};
use serde_json::{Value, json};

const TEXTS: [&str; 3] =
    ["a red fox", "Embeddings of sentences, and of pictures.", "ein Satz mit Umlauten: äöü"];

fn commit() -> Option<String> {
    Some(COMMIT.to_owned())
}

fn numbers(results: &[EmbeddingResult]) -> Result<Vec<f32>> {
    Ok(results.iter().map(EmbeddingResult::to_dense).collect::<Result<Vec<_>>>()?.concat())
}

/// Compares what `run` returns on each ROCm device.
fn agrees(
    what: &str,
    tolerance: f32,
    expected: &[f32],
    run: impl Fn(&Device) -> Result<Vec<f32>>,
) -> Result<()> {
    forbid_fallback();
    for ordinal in checkpoints::ordinals() {
        let device = Device::new_rocm(ordinal)?;
        assert_close(&format!("{what} on {:?}", device.location()), &run(&device)?, expected, tolerance);
    }
    Ok(())
}

fn weights(repository: &Repository, dtype: DType, device: &Device) -> Result<VarBuilder<'static>> {
    let file = repository.folder().join("model.safetensors");
    // SAFETY: nothing writes to the file meanwhile.
    Ok(unsafe { VarBuilder::from_mmaped_safetensors(&[file], dtype, device)? })
}

fn config<C: for<'a> serde::Deserialize<'a>>(repository: &Repository) -> Result<C> {
    Ok(serde_json::from_slice(&fs::read(repository.folder().join("config.json"))?)?)
}

fn repository(name: &str, config: &Value, special: &[&str], tensors: &Tensors) -> Result<Repository> {
    let repository = Repository::new(name)?;
    repository.json("config.json", config)?;
    repository.tokenizer(special)?;
    repository.tensors("model.safetensors", tensors)?;
    Ok(repository)
}

#[test]
fn bert() -> Result<()> {
    let name = "invented/anything-bert";
    let repository =
        repository(name, &architectures::bert_config("BertModel"), &["[PAD]"], &architectures::bert())?;
    let load = || BertEmbedder::new(name.to_owned(), commit(), None, None);
    let on = |device: &Device| -> Result<BertEmbedder> {
        let mut embedder = load()?;
        embedder.model = BertModel::load(weights(&repository, DType::F32, device)?, &config(&repository)?)?;
        Ok(embedder)
    };
    for (what, late) in [("bert", false), ("bert, late chunks", true)] {
        let run = |embedder: BertEmbedder| numbers(&BertEmbed::embed(&embedder, &TEXTS, None, Some(late))?);
        agrees(what, F32, &run(load()?)?, |device| run(on(device)?))?;
    }
    // As programs load it.
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let embedder = Embedder::from_pretrained_hf(name, Some(COMMIT), None, None, None)?;
    let expected = numbers(&runtime.block_on(embedder.embed(&TEXTS, None, None))?)?;
    agrees("bert of from_pretrained_hf", F32, &expected, |device| {
        numbers(&BertEmbed::embed(&on(device)?, &TEXTS, None, None)?)
    })
}

#[test]
fn sparse_bert() -> Result<()> {
    let name = "invented/anything-splade";
    let repository =
        repository(name, &architectures::bert_config("BertForMaskedLM"), &["[PAD]"], &architectures::bert())?;
    let load = || SparseBertEmbedder::new(name.to_owned(), commit(), None);
    let run = |embedder: SparseBertEmbedder| numbers(&embedder.embed(&TEXTS, None, None)?);
    agrees("sparse bert", F32, &run(load()?)?, |device| {
        let mut embedder = load()?;
        embedder.model =
            BertForMaskedLM::load(weights(&repository, DType::F32, device)?, &config(&repository)?)?;
        embedder.device = device.clone();
        run(embedder)
    })
}

#[test]
fn modern_bert() -> Result<()> {
    let name = "invented/anything-modernbert";
    let repository = repository(
        name,
        &architectures::modernbert_config("ModernBertForMaskedLM"),
        &["[PAD]"],
        &architectures::modernbert(""),
    )?;
    let load = || ModernBertEmbedder::new(name.to_owned(), commit(), None, Some(Dtype::F32));
    let on = |device: &Device, dtype| -> Result<ModernBertEmbedder> {
        let mut embedder = load()?;
        embedder.model =
            modernbert::ModernBert::load(weights(&repository, dtype, device)?, &config(&repository)?)?;
        embedder.device = device.clone();
        Ok(embedder)
    };
    let run = |embedder: ModernBertEmbedder, batch| {
        numbers(&BertEmbed::embed(&embedder, &TEXTS, Some(batch), None)?)
    };
    agrees("modernbert", F32, &run(load()?, 3)?, |device| run(on(device, DType::F32)?, 3))?;
    agrees("modernbert in f16", F16, &run(load()?, 1)?, |device| run(on(device, DType::F16)?, 1))?;
    // With padding, its mask is minus infinity for all that some tokens see in f16, on the CPU as well.
    assert!(run(on(&Device::Cpu, DType::F16)?, 3)?.iter().any(|x| x.is_nan()));
    Ok(())
}

#[test]
fn qwen3_embeddings() -> Result<()> {
    let name = "invented/anything-qwen3";
    let repository = repository(
        name,
        &architectures::qwen3_config(Value::Null),
        &["<|endoftext|>"],
        &architectures::qwen3(""),
    )?;
    let load = || Qwen3Embedder::new(name, commit(), None, Some(Dtype::F32));
    let run = |embedder: Qwen3Embedder| numbers(&embedder.embed(&TEXTS, None, None)?);
    for (dtype, tolerance) in [(DType::F32, F32), (DType::F16, F16)] {
        agrees(&format!("qwen3 in {dtype:?}"), tolerance, &run(load()?)?, |device| {
            let mut embedder = load()?;
            embedder.model =
                RwLock::new(qwen3::Model::new(&config(&repository)?, weights(&repository, dtype, device)?)?);
            embedder.device = device.clone();
            run(embedder)
        })?;
    }
    Ok(())
}

#[test]
fn clip_texts_and_pictures() -> Result<()> {
    let name = "invented/anything-clip";
    let special = ["<|startoftext|>", "<|endoftext|>"];
    let half = json!({
        "hidden_size": 64, "hidden_act": "quick_gelu", "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
        "projection_dim": 48,
    });
    let with = |own: Value| {
        let mut half = half.clone();
        half.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        half
    };
    let model = json!({
        "architectures": ["CLIPModel"], "logit_scale_init_value": 2.6592,
        "text_config": with(json!({ "vocab_size": VOCABULARY, "max_position_embeddings": 77 })),
        // Pictures are scaled to 224 pixels, whatever is said here.
        "vision_config": with(json!({ "image_size": 224, "patch_size": 32 })),
    });
    let mut tensors = Tensors::default();
    let text = "text_model.embeddings";
    tensors
        .weight(&format!("{text}.token_embedding"), &[VOCABULARY, 64])
        .weight(&format!("{text}.position_embedding"), &[77, 64]);
    let vision = "vision_model.embeddings";
    tensors
        .weight(&format!("{vision}.patch_embedding"), &[64, 3, 32, 32])
        .weight(&format!("{vision}.position_embedding"), &[50, 64]);
    tensors.add(format!("{vision}.class_embedding"), &[64]);
    for norm in ["text_model.final_layer_norm", "vision_model.pre_layrnorm", "vision_model.post_layernorm"] {
        tensors.biased(norm, &[64]);
    }
    for half in ["text", "vision"] {
        tensors.weight(&format!("{}_projection", if half == "text" { "text" } else { "visual" }), &[48, 64]);
        for layer in 0..2 {
            for (part, shape) in [
                ("self_attn.q_proj", &[64, 64][..]),
                ("self_attn.k_proj", &[64, 64]),
                ("self_attn.v_proj", &[64, 64]),
                ("self_attn.out_proj", &[64, 64]),
                ("mlp.fc1", &[96, 64]),
                ("mlp.fc2", &[64, 96]),
                ("layer_norm1", &[64]),
                ("layer_norm2", &[64]),
            ] {
                tensors.biased(&format!("{half}_model.encoder.layers.{layer}.{part}"), shape);
            }
        }
    }
    let repository = repository(name, &model, &special, &tensors)?;
    let load = || ClipEmbedder::new(name.to_owned(), Some(COMMIT), None);
    let on = |device: &Device| -> Result<ClipEmbedder> {
        let mut embedder = load()?;
        embedder.model = VisionModel::Clip(clip::ClipModel::new(
            weights(&repository, DType::F32, device)?,
            &config(&repository)?,
        )?);
        embedder.device = device.clone();
        Ok(embedder)
    };
    let texts = |embedder: ClipEmbedder| numbers(&embedder.embed(&TEXTS, None)?);
    agrees("clip's texts", F32, &texts(load()?)?, |device| texts(on(device)?))?;

    let picture = repository.folder().join("picture.png");
    let pixel = |x, y| Rgb([(x * 5 % 256) as u8, (y * 7 % 256) as u8, ((x * y) % 256) as u8]);
    RgbImage::from_fn(96, 64, pixel).save(&picture)?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let pictures = |embedder: ClipEmbedder| -> Result<Vec<f32>> {
        let data = runtime.block_on(embedder.embed_image_batch(&[&picture, &picture], None))?;
        numbers(&data.into_iter().map(|data| data.embedding).collect::<Vec<_>>())
    };
    agrees("clip's pictures", F32, &pictures(load()?)?, |device| pictures(on(device)?))
}
