//! `cargo xtask demo`: text from a language model, on the AMD card if there is one, else on the CPU.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use crate::cargo;

#[derive(Args)]
pub(crate) struct Options {
    /// Sentence embeddings instead of text.
    #[arg(long)]
    embed: bool,
    /// For the program (`cargo xtask demo -- --help` lists them).
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// The programs are of the other workspace, whose candle has a ROCm device.
pub(crate) fn run(options: Options) -> Result<ExitCode> {
    let program = if options.embed { "embed" } else { "demo" };
    let mut cargo = cargo::command();
    cargo
        .args(["run", "--quiet", "--package", "candle-rocm-demo", "--bin", program])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("candle"));
    if let Some(features) = features(&options.arguments) {
        cargo.args(["--features", &features]);
    }
    // Paths among the arguments are relative to where the user is, but cargo's programs start where cargo did.
    let here = std::env::current_dir().context("there is no current folder")?;
    cargo.arg("--").args(absolute(&options.arguments, &here));
    eprintln!("Building (the first time takes minutes)…");
    let status = cargo.status().context("cargo could not be started")?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

/// What the arguments need that is not built otherwise.
fn features(arguments: &[String]) -> Option<String> {
    let has = |name: &str| arguments.iter().any(|a| a == name || a.starts_with(&format!("{name}=")));
    let nvidia = arguments.windows(2).any(|pair| pair == ["--platform", "nvidia"])
        || arguments.iter().any(|a| a == "--platform=nvidia")
        || std::env::var("CANDLE_ROCM_PLATFORM").is_ok_and(|platform| platform == "nvidia");
    let wanted: Vec<&str> = [("hf", has("--hf")), ("nvidia", nvidia)]
        .into_iter()
        .filter_map(|(feature, wanted)| wanted.then_some(feature))
        .collect();
    (!wanted.is_empty()).then(|| wanted.join(","))
}

/// The arguments with the path after `--model` made absolute.
fn absolute(arguments: &[String], here: &Path) -> Vec<String> {
    let whole = |path: &str| here.join(path).display().to_string();
    let mut after_model = false;
    arguments
        .iter()
        .map(|argument| {
            let path = std::mem::replace(&mut after_model, argument == "--model");
            match argument.strip_prefix("--model=") {
                _ if path => whole(argument),
                Some(path) => format!("--model={}", whole(path)),
                None => argument.clone(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(arguments: &[&str]) -> Vec<String> {
        arguments.iter().map(|argument| (*argument).to_owned()).collect()
    }

    #[test]
    fn paths_are_made_absolute() {
        let here = Path::new("/home/me");
        let given = list(&[
            "--model",
            "a.gguf",
            "--prompt",
            "a.gguf",
            "--model=b.gguf",
            "--model",
            "/c.gguf",
            "--model",
        ]);
        let expected = [
            "--model",
            "/home/me/a.gguf",
            "--prompt",
            "a.gguf",
            "--model=/home/me/b.gguf",
            "--model",
            "/c.gguf",
            "--model",
        ];
        assert_eq!(absolute(&given, here), expected);
    }

    #[test]
    fn features_follow_the_arguments() {
        assert_eq!(features(&list(&["--hf", "a/b", "--platform", "nvidia"])).as_deref(), Some("hf,nvidia"));
        assert_eq!(features(&list(&["--hf=a/b"])).as_deref(), Some("hf"));
        assert_eq!(features(&list(&["--platform=nvidia"])).as_deref(), Some("nvidia"));
        if std::env::var_os("CANDLE_ROCM_PLATFORM").is_none() {
            assert_eq!(features(&list(&["--prompt", "--platform"])), None);
        }
    }
}
