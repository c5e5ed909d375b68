//! The programs, run as a user runs them: on the CPU device, and on the host platform.

use std::process::{Command, Output};

fn run(program: &str, arguments: &[&str]) -> (bool, String, String) {
    let Output { status, stdout, stderr } = Command::new(program)
        .args(arguments)
        .env_remove("CANDLE_ROCM_PLATFORM")
        .output()
        .unwrap_or_else(|e| panic!("{program}: {e}"));
    (
        status.success(),
        String::from_utf8_lossy(&stdout).into_owned(),
        String::from_utf8_lossy(&stderr).into_owned(),
    )
}

fn demo(arguments: &[&str]) -> (bool, String, String) {
    run(env!("CARGO_BIN_EXE_demo"), arguments)
}

/// What the program says when it refuses.
fn refusal(program: &str, arguments: &[&str]) -> String {
    let (success, stdout, stderr) = run(program, arguments);
    assert!(!success, "accepted {arguments:?}: {stderr}");
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
    // The same again, and another with another seed.
    let sampled = |seed: &str| demo(&["--platform", "cpu", "-n", "12", "--seed", seed, "--prompt", "The"]).1;
    assert_eq!(sampled("1"), sampled("1"));
    assert_ne!(sampled("1"), sampled("2"));
}

#[test]
fn agrees_with_the_cpu_on_the_host_platform() {
    let (success, text, log) = demo(&["--platform", "host", "-n", "4"]);
    assert!(success, "{log}");
    assert!(log.starts_with("Platform: host (the same kernels, run by this CPU)\nDevice 0: "), "{log}");
    assert!(text.starts_with("A thread may"), "{text}");
    assert!(log.contains("Check: passed") && log.contains("of 32 greedy tokens"), "{log}");
}

#[test]
fn wrong_options_are_refused_before_any_work() {
    let demo = env!("CARGO_BIN_EXE_demo");
    for (arguments, expected) in [
        (["--platform", "vulkan"], "possible values: amd, host, nvidia, cpu"),
        (["--temperature", "-1"], "must be 0 or more"),
        (["--temperature", "warm"], "not a number"),
        (["--top-p", "1.5"], "must be between 0 and 1"),
        (["-n", "-3"], "-3"),
        (["--device", "x"], "invalid digit"),
        (["--model", "/nonexistent.gguf"], "/nonexistent.gguf cannot be opened"),
        (["-n", "600"], "beyond the 512 that the model was trained for"),
    ] {
        let log = refusal(
            demo,
            &[arguments.as_slice(), &["--platform", "cpu"][..2 * usize::from(arguments[0] != "--platform")]]
                .concat(),
        );
        assert!(log.contains(expected), "{arguments:?}: {log}");
    }
    let log = refusal(demo, &["--platform", "host", "--device", "7"]);
    assert!(log.contains("there is no device 7 on the platform host: it has 2"), "{log}");
    let log = refusal(demo, &["--model", "a.gguf", "--hf", "b"]);
    assert!(log.contains("cannot be used with"), "{log}");
    let log = refusal(demo, &["--platform", "cpu", "--chat"]);
    assert!(log.contains("no chat tokens"), "{log}");
}

#[test]
fn a_model_that_does_not_fit_is_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_demo"))
        .args(["--platform", "host"])
        .env("CANDLE_ROCM_HOST_MEMORY", "2000000")
        .output()
        .expect("the program starts");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && output.stdout.is_empty(), "{log}");
    assert!(log.contains("the model needs about 6.") && log.contains("2.0 MB"), "{log}");
    assert!(!log.contains("Loaded"), "{log}");
}

#[test]
fn embed_says_what_it_needs() {
    let embed = env!("CARGO_BIN_EXE_embed");
    assert!(
        refusal(embed, &[]).contains("--model FOLDER with config.json, tokenizer.json, model.safetensors")
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("UTF-8");
    assert!(refusal(embed, &["--platform", "cpu", "--model", path]).contains("has no config.json"));
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        std::fs::write(folder.path().join(name), "{}").expect("written");
    }
    assert!(
        refusal(embed, &["--platform", "cpu", "--model", path]).contains("config.json is not a BERT model's")
    );
}
