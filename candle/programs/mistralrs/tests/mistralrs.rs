//! mistral.rs' engine with a Qwen3 in a folder, on a ROCm device and on the CPU: the tokens that it answers with and their
//! probabilities.

use anyhow::{Context, Result};
use candle_core::Device;
use candle_rocm as _;
use checkpoints::{F32, Repository, architectures, assert_close};
use mistralrs::{
    DeviceMapSetting, ModelDType, RequestBuilder, TextMessageRole, TextModelBuilder, best_device,
};
use serde_json::{Value, json};

#[test]
fn qwen3() -> Result<()> {
    let repository = Repository::new("invented/mistralrs-qwen3")?;
    repository.json("config.json", &architectures::qwen3_config(Value::Null))?;
    repository.tokenizer(&["<|endoftext|>"])?;
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
    let run = |device: Device| {
        runtime.block_on(async {
            let model = TextModelBuilder::new(&folder)
                .with_dtype(ModelDType::F32)
                .with_device(device)
                // It has no way to ask for the memory of a device without CUDA.
                .with_device_mapping(DeviceMapSetting::dummy())
                .build()
                .await?;
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
    let (expected, probabilities) = run(best_device(true)?)?;
    assert_eq!(expected.len(), 8);
    // What it runs on unless it is told.
    assert!(best_device(false)?.is_rocm());
    for ordinal in checkpoints::ordinals() {
        let device = Device::new_cuda(ordinal)?;
        let what = format!("logarithms of probabilities on {:?}", device.location());
        let (text, actual) = run(device)?;
        assert_eq!(text, expected);
        assert_close(&what, &actual, &probabilities, F32);
    }
    Ok(())
}
