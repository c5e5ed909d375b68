//! Runs the programs as a user does, on the CPU device and on the platform under test: the one that `CANDLE_ROCM_PLATFORM` names, by
//! default the host platform.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};
use std::{env, fs};

use anyhow::Result;
use candle_core::quantized::gguf_file::{Value, write};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{DType, Device, Tensor};
use candle_rocm::hip::Runtime;
use candle_rocm::kernels::QUANTIZED_LANGUAGE_MODELS;
use candle_rocm::platform;

/// Runs a program to its end: whether it succeeded, its output and its log.
fn finish(command: &mut Command) -> (bool, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    (
        status.success(),
        String::from_utf8_lossy(&stdout).into_owned(),
        String::from_utf8_lossy(&stderr).into_owned(),
    )
}

fn run(program: &str, arguments: &[&str]) -> (bool, String, String) {
    finish(Command::new(program).args(arguments).env_remove("CANDLE_ROCM_PLATFORM"))
}

fn demo(arguments: &[&str]) -> (bool, String, String) {
    run(env!("CARGO_BIN_EXE_demo"), arguments)
}

/// The error message of a run that must fail.
fn failure(program: &str, arguments: &[&str]) -> String {
    let (success, stdout, stderr) = run(program, arguments);
    assert!(!success, "{arguments:?} must fail: {stderr}");
    assert_eq!(stdout, "", "{arguments:?}");
    stderr
}

#[test]
fn generates_on_the_cpu_device() {
    let (success, text, log) = demo(&["--platform", "cpu", "-n", "12", "--temperature", "0"]);
    assert!(success, "{log}");
    assert!(log.starts_with("Platform: none (candle's own CPU device)\nModel: tiny-docs: llama"), "{log}");
    assert!(text.starts_with("A thread may"), "{text}");
    assert!(text.len() > "A thread may".len() + 12, "{text}");
    for line in ["Prompt: 4 tokens, first token after", "Generation: 12 tokens", "tokens/s", "Peak memory: "]
    {
        assert!(log.contains(line), "{line} is not in {log}");
    }
    // The same seed gives the same text, another seed another text.
    let sampled = |seed: &str| demo(&["--platform", "cpu", "-n", "12", "--seed", seed, "--prompt", "The"]).1;
    assert_eq!(sampled("1"), sampled("1"));
    assert_ne!(sampled("1"), sampled("2"));
}

/// The prompt alone, and no time of what did not happen.
#[test]
fn no_tokens_take_no_time() {
    let (success, text, log) = demo(&["--platform", "cpu", "-n", "0"]);
    assert!(success && text == "A thread may\n", "{text}{log}");
    assert!(
        log.contains("Prompt: 4 tokens\nGeneration: 0 tokens\n") && !log.contains("first token"),
        "{log}"
    );
}

/// The platform under test and the number of its devices.
fn platform_under_test() -> (String, usize) {
    let name = env::var("CANDLE_ROCM_PLATFORM").unwrap_or_else(|_| "host".to_owned());
    let runtime = Runtime::get(platform::named(&name).expect("it exists")).expect("it is available");
    (name, runtime.device_count().expect("it counts its devices"))
}

/// Runs the demo on the platform under test, which not every user may name: `gfx` has no value of `--platform`.
fn demo_on(platform: &str, arguments: &[&str]) -> (bool, String, String) {
    let mut demo = Command::new(env!("CARGO_BIN_EXE_demo"));
    finish(demo.args(arguments).env("CANDLE_ROCM_PLATFORM", platform))
}

/// Two devices of the platform, a part of the model on each.
#[test]
fn tensor_parallel_agrees_with_the_cpu() {
    let (platform, devices) = platform_under_test();
    if devices < 2 {
        return eprintln!("SKIPPED: tensor parallel: there are {devices} devices");
    }
    let (success, text, log) = demo_on(&platform, &["--tensor-parallel", "2", "-n", "4"]);
    assert!(success && text.starts_with("A thread may"), "{log}");
    assert!(log.contains("Check: passed: 32 of 32 greedy tokens"), "{log}");
    let refused = failure(env!("CARGO_BIN_EXE_demo"), &["--platform", "cpu", "--tensor-parallel", "2"]);
    assert!(refused.contains("--tensor-parallel needs ROCm devices"), "{refused}");
}

/// The first run compiles what the model needs on all cores, and nothing one by one behind that.
#[test]
fn prepares_all_that_it_needs() -> Result<()> {
    let (platform, _) = platform_under_test();
    if platform != "host" {
        eprintln!("SKIPPED: the first run: only the host platform always compiles its kernels");
        return Ok(());
    }
    let prepared: BTreeSet<&str> = QUANTIZED_LANGUAGE_MODELS.iter().map(|module| module.name).collect();
    let module = |file: &Path| Some(file.file_name()?.to_str()?.split_once('-')?.0.to_owned());
    let cache = tempfile::tempdir()?;
    // As if they had just been compiled: what other tests left.
    if let Some(filled) = candle_rocm::kernels::Cache::user().folder() {
        for file in fs::read_dir(filled).into_iter().flatten() {
            let file = file?.path();
            if module(&file).is_some_and(|name| prepared.contains(name.as_str())) {
                fs::copy(&file, cache.path().join(file.file_name().unwrap_or_default()))?;
            }
        }
    }
    let (success, _, log) = finish(
        Command::new(env!("CARGO_BIN_EXE_demo"))
            .args(["-n", "24"])
            .env("CANDLE_ROCM_PLATFORM", &platform)
            .env("CANDLE_ROCM_CACHE_DIR", cache.path()),
    );
    assert!(success, "{log}");
    let mut compiled = BTreeSet::new();
    for file in fs::read_dir(cache.path())? {
        compiled.extend(module(&file?.path()));
    }
    // Kernels that are made for the model, in the background.
    compiled.remove("joined");
    assert_eq!(compiled.iter().map(String::as_str).collect::<BTreeSet<_>>(), prepared, "{log}");
    Ok(())
}

#[test]
fn agrees_with_the_cpu() {
    let (platform, devices) = platform_under_test();
    for ordinal in 0..devices {
        let (success, text, log) = demo_on(&platform, &["--device", &ordinal.to_string(), "-n", "4"]);
        assert!(success, "{log}");
        assert!(log.starts_with(&format!("Platform: {platform}")), "{log}");
        assert!(log.contains(&format!("\nDevice {ordinal}: ")), "{log}");
        assert!(text.starts_with("A thread may"), "{text}");
        assert!(log.contains("Check: passed: 32 of 32 greedy tokens"), "{log}");
    }
}

/// A device with little memory: a discrete one says before it loads that the model does not fit; an integrated one goes on in the
/// machine's memory.
#[test]
fn a_model_larger_than_the_devices_memory() {
    let run = |memory: &str, integrated: &str, arguments: &[&str]| {
        finish(
            Command::new(env!("CARGO_BIN_EXE_demo"))
                .args(arguments)
                .env("CANDLE_ROCM_PLATFORM", "host")
                .env("CANDLE_ROCM_HOST_MEMORY", memory)
                .env("CANDLE_ROCM_HOST_INTEGRATED", integrated)
                .env_remove("CANDLE_ROCM_SYSTEM_MEMORY"),
        )
    };
    let (success, text, log) = run("2097152", "off", &["-n", "4"]);
    assert!(!success && text.is_empty() && !log.contains("Loaded"), "{log}");
    for part in [
        "error: the model needs about 8.",
        "KV cache of 36 tokens 180.0 KiB",
        "2.0 MiB are available; the weights alone do not fit",
        "try --model or --hf with a smaller quantization",
        "--platform cpu",
    ] {
        assert!(log.contains(part), "{part} is not in {log}");
    }
    // Room for the weights, the work space and a few tokens.
    let (success, text, log) = run("9437184", "off", &["-n", "400"]);
    assert!(!success && text.is_empty(), "{log}");
    let tokens = log.split("a context of ").nth(1).and_then(|rest| rest.split(' ').next());
    let tokens: usize = tokens.and_then(|tokens| tokens.parse().ok()).unwrap_or_else(|| panic!("{log}"));
    assert!(log.contains(&format!("try -n {}, or ", tokens - 4)), "{log}");

    for device in ["0", "1"] {
        let (success, text, log) = run("2097152", "on", &["-n", "4", "--device", device]);
        assert!(success && text.starts_with("A thread may"), "{log}");
        assert!(log.contains("Check: passed: 32 of 32 greedy tokens"), "{log}");
    }
}

#[test]
fn invalid_options_fail_early() {
    let demo = env!("CARGO_BIN_EXE_demo");
    for (arguments, expected) in [
        (["--platform", "vulkan"], "possible values: amd, host, nvidia, cpu"),
        (["--temperature", "-1"], "must be 0 or more"),
        (["--temperature", "warm"], "not a number"),
        (["--top-p", "1.5"], "must be between 0 and 1"),
        (["-n", "-3"], "-3"),
        (["--device", "x"], "invalid digit"),
        (["--tensor-parallel", "0"], "must be a number of devices, 1 or more"),
        (["--tensor-parallel", "-1"], "must be a number of devices, 1 or more"),
        (["--model", "/nonexistent.gguf"], "cannot open /nonexistent.gguf"),
        (["-n", "600"], "exceed the model's context length of 512"),
    ] {
        let log = failure(
            demo,
            &[arguments.as_slice(), &["--platform", "cpu"][..2 * usize::from(arguments[0] != "--platform")]]
                .concat(),
        );
        assert!(log.contains(expected), "{arguments:?}: {log}");
    }
    let log = failure(demo, &["--platform", "host", "--device", "7"]);
    assert!(log.contains("no device 7 on the host platform: there are 2, counted from 0"), "{log}");
    let log = failure(demo, &["--model", "a.gguf", "--hf", "b"]);
    assert!(log.contains("cannot be used with"), "{log}");
    let log = failure(demo, &["--platform", "cpu", "--chat"]);
    assert!(log.contains("no chat tokens"), "{log}");
}

/// Where there is a card, nothing is missing.
#[test]
fn a_missing_card_is_explained() {
    let missing = match Runtime::get(platform::AMD).and_then(|runtime| runtime.device(0)) {
        Ok(_) => return eprintln!("SKIPPED: a missing card: there is one"),
        Err(error) => error.to_string(),
    };
    let log = failure(env!("CARGO_BIN_EXE_demo"), &["--platform", "amd"]);
    assert_eq!(log.trim_end(), format!("error: {missing}"));
}

#[test]
fn errors_name_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("weights.gguf");
    let weights =
        QTensor::quantize(&Tensor::zeros((2, 32), DType::F32, &Device::Cpu).unwrap(), GgmlDType::Q8_0)
            .unwrap();
    let written = |metadata: &[(&str, &Value)]| {
        let mut file = fs::File::create(&path).expect("a file");
        write(&mut file, metadata, &[("token_embd.weight", &weights)]).expect("written");
        failure(env!("CARGO_BIN_EXE_demo"), &["--platform", "cpu", "--model", path.to_str().expect("UTF-8")])
    };
    let text = |text: &str| Value::String(text.to_owned());
    for (metadata, expected) in [
        (vec![], "the file has no general.architecture"),
        (vec![("general.architecture", text("llama"))], "the file has no tokenizer"),
        (
            vec![("general.architecture", text("llama")), ("tokenizer.ggml.model", text("gpt2"))],
            "the file's tokenizer has no tokenizer.ggml.tokens",
        ),
    ] {
        let log = written(&metadata.iter().map(|(key, value)| (*key, value)).collect::<Vec<_>>());
        assert!(log.contains(&format!("error: {}: {expected}", path.display())), "{log}");
    }
}

#[test]
fn a_model_that_does_not_fit_is_an_error() {
    let output = Command::new(env!("CARGO_BIN_EXE_demo"))
        .args(["--platform", "host"])
        .env("CANDLE_ROCM_HOST_MEMORY", "2000000")
        .output()
        .expect("the program starts");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && output.stdout.is_empty(), "{log}");
    assert!(log.contains("the model needs about 8.") && log.contains("2.0 MB"), "{log}");
    assert!(!log.contains("Loaded"), "{log}");
}

#[test]
fn embed_errors_name_the_missing_files() {
    let embed = env!("CARGO_BIN_EXE_embed");
    assert!(
        failure(embed, &[]).contains("--model FOLDER with config.json, tokenizer.json, model.safetensors")
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("UTF-8");
    assert!(failure(embed, &["--platform", "cpu", "--model", path]).contains("has no config.json"));
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        std::fs::write(folder.path().join(name), "{}").expect("written");
    }
    assert!(
        failure(embed, &["--platform", "cpu", "--model", path])
            .contains("config.json is not the configuration of a BERT model")
    );
}
