//! `cargo xtask demo` and `doctor`: start the programs of candle/demo. They are of the other workspace, whose candle has a ROCm device.

use std::ffi::OsString;
use std::process::ExitStatus;
use std::{env, io};

const HELP: &str = "\
Generates text with a language model, on the AMD card if there is one, else on the CPU

Usage: cargo xtask demo [--embed] [--] [ARGUMENTS]

Options:
  --embed      Sentence embeddings instead of text
  -h, --help   Print help (`cargo xtask demo -- --help` lists the program's arguments)
";

pub(crate) fn run(arguments: &[OsString]) -> io::Result<ExitStatus> {
    match Run::of(arguments) {
        Some(Run { program, arguments }) => start(program, &arguments),
        None => {
            print!("{HELP}");
            Ok(ExitStatus::default())
        }
    }
}

/// Another program of the same package: what the demo is built with serves it too.
pub(crate) fn doctor(arguments: &[OsString]) -> io::Result<ExitStatus> {
    match arguments {
        [] => start("doctor", &[]),
        [flag, ..] if flag == "-h" || flag == "--help" => {
            println!(
                "Reports the platform, libraries, devices and kernels found on this machine, and runs a kernel on each device"
            );
            Ok(ExitStatus::default())
        }
        [other, ..] => Err(io::Error::other(format!("doctor has no arguments: {}", other.to_string_lossy()))),
    }
}

/// Builds the program first, so that only its own messages follow.
fn start(program: &str, arguments: &[String]) -> io::Result<ExitStatus> {
    let cargo = |what: &str| {
        let mut cargo = crate::of_candle(what, "candle/demo/Cargo.toml");
        cargo.args(["--bin", program]);
        if let Some(features) = features(arguments) {
            cargo.args(["--features", &features]);
        }
        cargo
    };
    let built = crate::build(&mut cargo("build"))?;
    if !built.success() {
        return Ok(built);
    }
    cargo("run").args(["--quiet", "--"]).args(arguments).status()
}

/// What is asked for.
#[derive(Debug, PartialEq)]
struct Run {
    program: &'static str,
    arguments: Vec<String>,
}

impl Run {
    /// All but `--embed` is the program's, behind `--` or not. `None`: help.
    fn of(arguments: &[OsString]) -> Option<Self> {
        let (program, rest) = match arguments {
            [flag, rest @ ..] if flag == "--embed" => ("embed", rest),
            rest => ("demo", rest),
        };
        let theirs = match rest {
            [flag] if flag == "-h" || flag == "--help" => return None,
            [dashes, rest @ ..] if dashes == "--" => rest,
            rest => rest,
        };
        let arguments = theirs.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
        Some(Self { program, arguments })
    }
}

/// What the arguments need that is not built otherwise.
fn features(arguments: &[String]) -> Option<String> {
    let has = |name: &str| arguments.iter().any(|a| a == name || a.starts_with(&format!("{name}=")));
    let nvidia = arguments.windows(2).any(|pair| pair == ["--platform", "nvidia"])
        || arguments.iter().any(|a| a == "--platform=nvidia")
        || env::var("CANDLE_ROCM_PLATFORM").is_ok_and(|name| name.trim().eq_ignore_ascii_case("nvidia"));
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
    fn arguments_need_no_dashes() {
        let of = |arguments: &[&str]| Run::of(&arguments.iter().map(OsString::from).collect::<Vec<_>>());
        let run = |program, arguments: &[&str]| Some(Run { program, arguments: list(arguments) });
        assert_eq!(of(&[]), run("demo", &[]));
        assert_eq!(of(&["--prompt", "hello"]), run("demo", &["--prompt", "hello"]));
        assert_eq!(of(&["--", "--prompt", "hello"]), run("demo", &["--prompt", "hello"]));
        assert_eq!(of(&["--embed", "a", "b"]), run("embed", &["a", "b"]));
        assert_eq!(of(&["--embed", "--", "--hf", "a"]), run("embed", &["--hf", "a"]));
        assert_eq!(of(&["--", "--help"]), run("demo", &["--help"]));
        assert_eq!((of(&["--help"]), of(&["--embed", "-h"])), (None, None));
    }
}
