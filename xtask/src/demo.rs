//! `cargo xtask demo`: text from a language model, on the AMD card if there is one, else on the CPU.

use std::path::Path;
use std::process::ExitCode;
use std::thread;

use anyhow::{Context, Result};
use clap::Args;

use crate::{cargo, test, warm};

#[derive(Args)]
pub(crate) struct Options {
    /// Sentence embeddings instead of text.
    #[arg(long)]
    embed: bool,
    /// For the program (`cargo xtask demo -- --help` lists them).
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// The kernels that the built-in model and its check need, and most of what others need.
const MODULES: [&str; 14] = [
    "affine",
    "attention",
    "binary",
    "cast",
    "cat",
    "fill",
    "indexing",
    "quantized",
    "quantized_mat_mat",
    "quantized_mat_vec",
    "reduce",
    "rows",
    "ternary",
    "unary",
];

/// The programs are of the other workspace, whose candle has a ROCm device.
pub(crate) fn run(options: Options) -> Result<ExitCode> {
    let program = if options.embed { "embed" } else { "demo" };
    let cargo = |what: &str| {
        let mut cargo = cargo::command();
        cargo
            .args([what, "--quiet", "--package", "candle-rocm-demo", "--bin", program])
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("candle"));
        if let Some(features) = features(&options.arguments) {
            cargo.args(["--features", &features]);
        }
        cargo
    };
    let host = runs_on_host(&options.arguments);
    let place = if host { "Platform: host (no AMD GPU used; kernels run on this CPU). " } else { "" };
    println!("{place}Building; the first time takes minutes…");
    // The CPU's kernels are compiled meanwhile. If that fails, the program says why.
    let kernels = host.then(|| thread::spawn(|| warm::host_kernels_of(&MODULES)));
    let built = cargo("build").status().context("cargo could not be started")?;
    let _ = kernels.map(thread::JoinHandle::join);
    if !built.success() {
        return Ok(ExitCode::FAILURE);
    }
    // Paths among the arguments are relative to where the user is, but cargo's programs start where cargo did.
    let here = std::env::current_dir().context("there is no current folder")?;
    let status = cargo("run").arg("--").args(absolute(&options.arguments, &here)).status();
    let status = status.context("cargo could not be started")?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

/// Whether the program will take the host platform.
fn runs_on_host(arguments: &[String]) -> bool {
    let asked = arguments
        .windows(2)
        .find_map(|pair| (pair[0] == "--platform").then(|| pair[1].clone()))
        .or_else(|| {
            arguments.iter().find_map(|argument| argument.strip_prefix("--platform=").map(str::to_owned))
        })
        .or_else(|| std::env::var("CANDLE_ROCM_PLATFORM").ok());
    match asked.as_deref().map(str::trim) {
        None | Some("" | "auto") => test::default_platform() == "host",
        Some(platform) => platform == "host",
    }
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
    fn the_platform_is_read_from_the_arguments() {
        assert!(runs_on_host(&list(&["-n", "3", "--platform", "host"])));
        assert!(runs_on_host(&list(&["--platform=host"])));
        assert!(!runs_on_host(&list(&["--platform=cpu"])));
        assert!(!runs_on_host(&list(&["--platform", "amd"])));
    }

    #[test]
    fn the_modules_exist() {
        for name in MODULES {
            assert!(rocm_kernels::ALL.iter().any(|module| module.name == name), "{name}");
        }
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
