//! candle-pipelines' models on a ROCm device and on the CPU, with the names of the repositories that it asks for.

use std::env;
use std::error::Error;
use std::path::Path;

use candle_core::Device;
use candle_core::rocm::forbid_fallback;
use candle_pipelines::fill_mask::{FillMaskModernBert, FillMaskPipelineBuilder, ModernBertSize};
use candle_pipelines::text_generation::{Qwen3, TextGenerationPipelineBuilder};
use candle_pipelines::zero_shot::ZeroShotModernBert;
use candle_rocm as _;
use checkpoints::architectures::{self, VOCABULARY};
use checkpoints::{F32, Repository, Tensors, assert_close, ordinals};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const SIZE: ModernBertSize = ModernBertSize::Base;
const LABELS: [&str; 3] = ["foxes", "pictures", "music"];

/// One test for all: it sets variables of the process.
#[test]
fn pipelines() -> Result<()> {
    look_for_downloads_in_hf_home();
    forbid_fallback();
    let devices = ordinals().map(Device::new_cuda).collect::<std::result::Result<Vec<_>, _>>()?;
    assert!(devices.iter().all(Device::is_rocm));
    fill_mask(&devices)?;
    zero_shot(&devices)?;
    text_generation()
}

/// The version of hf-hub that it uses has its cache in the home folder, whatever `HF_HOME` says.
fn look_for_downloads_in_hf_home() {
    let hugging_face = env::var_os("HF_HOME").unwrap();
    let home = Path::new(&hugging_face).ancestors().nth(2).unwrap();
    // Compiled kernels stay where they are.
    let caches = env::var_os("XDG_CACHE_HOME")
        .or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cache").into()));
    // SAFETY: this is the only test, and no thread of its reads the environment yet.
    unsafe {
        env::set_var("XDG_CACHE_HOME", caches.unwrap());
        env::set_var("HOME", home);
    }
}

fn with_head(last: impl FnOnce(&mut Tensors)) -> Tensors {
    let mut tensors = architectures::modernbert("model.");
    tensors.weight("head.dense", &[64, 64]).weight("head.norm", &[64]);
    last(&mut tensors);
    tensors
}

fn fill_mask(devices: &[Device]) -> Result<()> {
    let repository = Repository::new("answerdotai/ModernBERT-base")?;
    repository.json("config.json", &architectures::modernbert_config("ModernBertForMaskedLM"))?;
    repository.tokenizer(&["[PAD]", "[MASK]"])?;
    repository.tensors(
        "model.safetensors",
        &with_head(|tensors| {
            tensors.add("decoder.bias", &[VOCABULARY]);
        }),
    )?;
    let texts = ["The capital of France is [MASK].", "[MASK]s are red.", "Ein [MASK] mit Umlauten: äöü"];
    let tokenizer = FillMaskModernBert::get_tokenizer(SIZE)?;
    let predict = |device: &Device| -> Result<Vec<String>> {
        let model = FillMaskModernBert::new(SIZE, device.clone())?;
        Ok(texts.iter().map(|text| model.predict(&tokenizer, text)).collect::<std::result::Result<_, _>>()?)
    };
    let expected = predict(&Device::Cpu)?;
    for device in devices {
        assert_eq!(predict(device)?, expected);
    }
    // Its pipeline, which makes a `CudaDevice` of its own and puts it into `Device::Cuda`.
    let scores = |builder: FillMaskPipelineBuilder<FillMaskModernBert>| -> Result<Vec<f32>> {
        let mut predictions = builder.build()?.run_top_k(texts[0], 8)?.predictions;
        predictions.sort_by(|a, b| a.token.cmp(&b.token));
        Ok(predictions.into_iter().map(|prediction| prediction.score).collect())
    };
    let build = || FillMaskPipelineBuilder::modernbert(SIZE);
    let expected = scores(build().cpu())?;
    for ordinal in ordinals() {
        assert!(build().cuda(ordinal).build()?.device().is_rocm());
        assert_close(&format!("filled masks on {ordinal}"), &scores(build().cuda(ordinal))?, &expected, F32);
    }
    Ok(())
}

fn zero_shot(devices: &[Device]) -> Result<()> {
    let repository = Repository::new("MoritzLaurer/ModernBERT-base-zeroshot-v2.0")?;
    let mut config = architectures::modernbert_config("ModernBertForSequenceClassification");
    let labels: Value = json!({
        "id2label": { "0": "entailment", "1": "not_entailment" }, "label2id": { "entailment": 0, "not_entailment": 1 },
    });
    config.as_object_mut().unwrap().extend(labels.as_object().unwrap().clone());
    repository.json("config.json", &config)?;
    repository.tokenizer(&["[PAD]"])?;
    repository.tensors(
        "model.safetensors",
        &with_head(|tensors| {
            tensors.biased("classifier", &[2, 64]);
        }),
    )?;
    let tokenizer = ZeroShotModernBert::get_tokenizer(SIZE)?;
    let scores = |device: &Device| -> Result<Vec<f32>> {
        let scores = ZeroShotModernBert::new(SIZE, device.clone())?.predict_multi_label(
            &tokenizer,
            "A red fox.",
            &LABELS,
        )?;
        // In the order of the labels, not of the scores.
        let score = |label| scores.iter().find(|(other, _)| other == label).map(|(_, score)| *score);
        Ok(LABELS.into_iter().filter_map(score).collect())
    };
    let expected = scores(&Device::Cpu)?;
    assert_eq!(expected.len(), LABELS.len());
    for device in devices {
        assert_close(&format!("scores on {:?}", device.location()), &scores(device)?, &expected, F32);
    }
    Ok(())
}

fn text_generation() -> Result<()> {
    let repository = Repository::new("unsloth/Qwen3-0.6B-GGUF")?;
    architectures::qwen3_gguf().write(&repository.folder().join("Qwen3-0.6B-Q4_K_M.gguf"))?;
    let repository = Repository::new("Qwen/Qwen3-0.6B")?;
    repository.tokenizer(&["<|endoftext|>"])?;
    repository
        .json("generation_config.json", &json!({ "temperature": 0., "eos_token_id": checkpoints::BYTES }))?;
    let template = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}";
    repository.json("tokenizer_config.json", &json!({ "chat_template": template }))?;
    let build = || TextGenerationPipelineBuilder::qwen3(Qwen3::Size0_6B).max_len(6);
    let expected = build().cpu().build()?.run("A red fox.")?;
    assert!(expected.stats.tokens_generated > 0, "{expected:?}");
    for ordinal in ordinals() {
        let output = build().cuda(ordinal).build()?.run("A red fox.")?;
        println!("{:?}, on {ordinal}: {:?}", expected.text, output.text);
        assert_eq!(output.text, expected.text);
    }
    Ok(())
}
