//! Sentence embeddings with random weights: properties that hold for any weights.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Result;
use candle_core::{DType, Device};
use candle_nn::{VarBuilder, VarMap};
use candle_rocm::RocmDevice;
use candle_rocm::hip::Runtime;
use candle_rocm::platform::{self, HOST};
use candle_rocm_demo::sentences::Sentences;
use candle_transformers::models::bert::{BertModel, Config};

const CONFIG: &str = r#"{"vocab_size": 10, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 48, "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "max_position_embeddings": 16,
    "type_vocab_size": 2, "initializer_range": 0.02, "layer_norm_eps": 1e-12, "pad_token_id": 0, "model_type": "bert"}"#;

const TOKENIZER: &str = r###"{"version": "1.0", "truncation": null, "padding": null, "decoder": null,
    "added_tokens": [
        {"id": 0, "content": "[PAD]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]}, "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]}}},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
        "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "a": 4, "cat": 5, "##s": 6, "sat": 7, "dog": 8, "ran": 9}}}"###;

/// Writes a model with random weights, larger than usual so that sentences differ.
fn write_model(folder: &Path) -> Result<()> {
    fs::write(folder.join("config.json"), CONFIG)?;
    fs::write(folder.join("tokenizer.json"), TOKENIZER)?;
    let vars = VarMap::new();
    let config: Config = serde_json::from_str(CONFIG)?;
    BertModel::load(VarBuilder::from_varmap(&vars, DType::F32, &Device::Cpu), &config)?;
    // Deterministic numbers, assigned by name: the upper bits of a linear congruential generator.
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.
    };
    let by_name: BTreeMap<_, _> = vars.data().lock().unwrap().clone().into_iter().collect();
    for var in by_name.values() {
        let values: Vec<f32> = (0..var.elem_count()).map(|_| random()).collect();
        var.set(&candle_core::Tensor::from_vec(values, var.shape(), &Device::Cpu)?)?;
    }
    Ok(vars.save(folder.join("model.safetensors"))?)
}

fn sentences() -> Vec<String> {
    ["a cat sat", "a dog ran a cat sat cats ran", "A CAT sat", "dog"].map(str::to_owned).to_vec()
}

fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0., f32::max)
}

#[test]
fn embeddings_are_unit_vectors_independent_of_padding() -> Result<()> {
    let folder = tempfile::tempdir()?;
    write_model(folder.path())?;
    let model = Sentences::load(folder.path(), &Device::Cpu)?;
    let together = model.embed(&sentences())?.to_vec2::<f32>()?;
    for (sentence, row) in sentences().iter().zip(&together) {
        assert_eq!(row.len(), 32);
        let norm: f32 = row.iter().map(|x| x * x).sum();
        assert!((norm - 1.).abs() < 1e-5, "{norm}");
        // A sentence is padded in a batch but not alone. The mask is -3e38 before softmax, so only rounding differs.
        let alone = model.embed(std::slice::from_ref(sentence))?.to_vec2::<f32>()?;
        assert!(distance(row, &alone[0]) < 1e-5, "{sentence}: {}", distance(row, &alone[0]));
    }
    assert_eq!(together[0], together[2], "case is ignored");
    let difference = distance(&together[0], &together[3]);
    assert!(difference > 0.01, "sentences differ by only {difference}");
    // Longer than the model's 16 positions: truncated.
    model.embed(&["cat ".repeat(40)])?;
    Ok(())
}

#[test]
fn rocm_agrees_with_the_cpu() -> Result<()> {
    let folder = tempfile::tempdir()?;
    write_model(folder.path())?;
    let expected = Sentences::load(folder.path(), &Device::Cpu)?.embed(&sentences())?.to_vec2::<f32>()?;
    let platform = match std::env::var_os("CANDLE_ROCM_PLATFORM") {
        None => HOST,
        Some(_) => platform::from_env()?,
    };
    for ordinal in 0..Runtime::get(platform)?.device_count()? {
        let device: Device = RocmDevice::on(platform, ordinal)?.into();
        let actual = Sentences::load(folder.path(), &device)?.embed(&sentences())?.to_vec2::<f32>()?;
        for (actual, expected) in actual.iter().zip(&expected) {
            // Sums of at most 48 f32 products in a different order, through two normalized layers: about 1e-6.
            assert!(distance(actual, expected) < 2e-5, "device {ordinal}: {}", distance(actual, expected));
        }
    }
    Ok(())
}

#[test]
fn damaged_files_are_errors() -> Result<()> {
    let folder = tempfile::tempdir()?;
    write_model(folder.path())?;
    let error = |name: &str, content: &[u8]| -> Result<String> {
        let path = folder.path().join(name);
        let whole = fs::read(&path)?;
        fs::write(&path, content)?;
        let error = Sentences::load(folder.path(), &Device::Cpu).err().map(|error| format!("{error:#}"));
        fs::write(&path, whole)?;
        Ok(error.unwrap_or_else(|| panic!("a damaged {name} was accepted")))
    };
    let weights = fs::read(folder.path().join("model.safetensors"))?;
    assert!(error("model.safetensors", &weights[..weights.len() - 1])?.contains("is damaged or truncated"));
    assert!(error("model.safetensors", b"")?.contains("is damaged or truncated"));
    assert!(error("tokenizer.json", b"{}")?.contains("cannot read "));
    assert!(error("config.json", b"[]")?.contains("config.json is not the configuration of a BERT model"));
    let wider = CONFIG.replace("\"hidden_size\": 32", "\"hidden_size\": 64");
    assert!(error("config.json", wider.as_bytes())?.contains("cannot load the model"));
    Ok(())
}
