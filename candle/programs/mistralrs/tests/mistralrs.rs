//! mistral.rs' engine with a Qwen3 in a folder. With the patched candle it compiles, answers on the CPU, and loads its weights on a ROCm
//! device. There its attention asks for the free memory before each step, which it cannot without its feature `cuda`. If this test fails
//! because it can, compare tokens and probabilities with the CPU's.

use anyhow::{Context, Result};
use candle_rocm as _;
use checkpoints::{Repository, architectures};
use mistralrs::{
    DeviceMapSetting, ModelDType, RequestBuilder, TextMessageRole, TextModelBuilder, best_device,
};
use serde_json::{Value, json};

#[test]
fn qwen3() -> Result<()> {
    let repository = Repository::new("invented/mistralrs-qwen3")?;
    repository.json("config.json", &architectures::qwen3_config(Value::Null))?;
    repository.tokenizer(&["<|endoftext|>"])?;
    // It wants to know how tokens become bytes.
    let mut tokenizer: Value =
        serde_json::from_slice(&std::fs::read(repository.folder().join("tokenizer.json"))?)?;
    tokenizer["decoder"] =
        json!({ "type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true });
    repository.json("tokenizer.json", &tokenizer)?;
    repository.json("generation_config.json", &json!({ "eos_token_id": checkpoints::BYTES }))?;
    repository.json(
        "tokenizer_config.json",
        &json!({
            "chat_template": "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}",
            "eos_token": "<|endoftext|>", "tokenizer_class": "PreTrainedTokenizerFast",
        }),
    )?;
    let mut tensors = architectures::qwen3("model.");
    tensors.weight("lm_head", &[architectures::VOCABULARY, 64]);
    repository.tensors("model.safetensors", &tensors)?;
    let folder = repository.folder().display().to_string();

    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().worker_threads(2).build()?;
    let run = |force_cpu: bool| {
        runtime.block_on(async {
            let model = TextModelBuilder::new(&folder)
                .with_dtype(ModelDType::F32)
                // It has no way to ask for the memory of a device without CUDA.
                .with_device_mapping(DeviceMapSetting::dummy());
            let model = if force_cpu { model.with_force_cpu() } else { model };
            let model = model.build().await?;
            let request = RequestBuilder::new()
                .add_message(TextMessageRole::User, "A red fox.")
                .set_deterministic_sampler()
                .set_sampler_max_len(8)
                .return_logprobs(true);
            let response = model.send_chat_request(request).await?;
            let choice = response.choices.first().context("no choice")?;
            let tokens = choice
                .logprobs
                .as_ref()
                .and_then(|logprobs| logprobs.content.clone())
                .context("no logprobs")?;
            let text = tokens.iter().map(|token| token.token.clone()).collect::<Vec<_>>();
            anyhow::Ok((text, tokens.iter().map(|token| token.logprob).collect::<Vec<_>>()))
        })
    };
    let (tokens, probabilities) = run(true)?;
    assert_eq!((tokens.len(), probabilities.len()), (8, 8));
    // What it runs on unless it is told, and loads a model on.
    assert!(best_device(false)?.is_rocm());
    let error = run(false).unwrap_err().to_string();
    assert!(error.contains("Cannot get memory available for CUDA device"), "{error}");
    Ok(())
}
