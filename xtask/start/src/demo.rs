//! `cargo xtask demo`: starts the programs of candle/demo. They are of the other workspace, whose candle has a ROCm device.

use std::ffi::OsString;
use std::process::ExitStatus;
use std::{env, io};

const HELP: &str = "\
Generates text with a language model, on the AMD card if there is one, else on the CPU

Usage: cargo xtask demo [--embed] [-- ARGUMENTS]

Options:
  --embed      Sentence embeddings instead of text
  -h, --help   Print help (`cargo xtask demo -- --help` lists the program's arguments)
";

/// Builds the program first, so that only its own messages follow the first line.
pub(crate) fn run(arguments: &[OsString]) -> io::Result<ExitStatus> {
    let arguments: Vec<String> =
        arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let (ours, theirs) = match arguments.iter().position(|argument| argument == "--") {
        Some(at) => (&arguments[..at], &arguments[at + 1..]),
        None => (&arguments[..], &[][..]),
    };
    let program = match ours {
        [] => "demo",
        [flag] if flag == "--embed" => "embed",
        [flag] if flag == "-h" || flag == "--help" => {
            print!("{HELP}");
            return Ok(ExitStatus::default());
        }
        other => return Err(io::Error::other(format!("unexpected {}\n\n{HELP}", other.join(" ")))),
    };
    let cargo = |what: &str| {
        let mut cargo = crate::of_candle(what, "candle/demo/Cargo.toml");
        cargo.args(["--bin", program]);
        if let Some(features) = features(theirs) {
            cargo.args(["--features", &features]);
        }
        cargo
    };
    eprintln!("Building; the first time takes minutes…");
    let built = cargo("build").status()?;
    if !built.success() {
        return Ok(built);
    }
    cargo("run").arg("--").args(theirs).status()
}

/// What the arguments need that is not built otherwise.
fn features(arguments: &[String]) -> Option<String> {
    let has = |name: &str| arguments.iter().any(|a| a == name || a.starts_with(&format!("{name}=")));
    let nvidia = arguments.windows(2).any(|pair| pair == ["--platform", "nvidia"])
        || arguments.iter().any(|a| a == "--platform=nvidia")
        || env::var("CANDLE_ROCM_PLATFORM").is_ok_and(|platform| platform == "nvidia");
    let wanted: Vec<&str> = [("hf", has("--hf")), ("nvidia", nvidia)]
        .into_iter()
        .filter_map(|(feature, wanted)| wanted.then_some(feature))
        .collect();
    (!wanted.is_empty()).then(|| wanted.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(arguments: &[&str]) -> Vec<String> {
        arguments.iter().map(|argument| (*argument).to_owned()).collect()
    }

    #[test]
    fn features_follow_the_arguments() {
        assert_eq!(features(&list(&["--hf", "a/b", "--platform", "nvidia"])).as_deref(), Some("hf,nvidia"));
        assert_eq!(features(&list(&["--hf=a/b"])).as_deref(), Some("hf"));
        assert_eq!(features(&list(&["--platform=nvidia"])).as_deref(), Some("nvidia"));
        if env::var_os("CANDLE_ROCM_PLATFORM").is_none() {
            assert_eq!(features(&list(&["--prompt", "--platform"])), None);
        }
    }

    #[test]
    fn other_arguments_are_refused() {
        let refused = run(&["--prompt".into(), "Rust".into()]).expect_err("they belong behind `--`");
        assert!(refused.to_string().contains("unexpected --prompt Rust"), "{refused}");
    }
}
