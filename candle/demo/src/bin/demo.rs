//! Generates text with a GGUF model on a ROCm device: the small model that is built in, or yours.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, ensure};
use candle_core::Device;
use candle_rocm_demo::agreement::compare;
use candle_rocm_demo::device::{self, Place};
use candle_rocm_demo::generate::{Choice, generate, time_prompt};
use candle_rocm_demo::gguf::Source;
use candle_rocm_demo::model::{Model, check_architecture};
use candle_rocm_demo::tokenizer::Tokenizer;
use candle_rocm_demo::{bytes, chat, hub};
use clap::Parser;

/// The greedy tokens that `--check` compares.
const COMPARED: usize = 32;

/// Generates text with a GGUF model. Without --model or --hf it is a tiny one that writes like Rust's documentation.
#[derive(Parser)]
#[command(name = "demo")]
struct Options {
    /// A GGUF file.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// A model of the Hugging Face hub, as REPOSITORY or REPOSITORY:FILE.
    #[arg(long, value_name = "REPO[:FILE]", conflicts_with = "model")]
    hf: Option<String>,
    /// What the text begins with [default: one that suits the built-in model]
    #[arg(long)]
    prompt: Option<String>,
    /// Give the prompt as a chat's question.
    #[arg(long)]
    chat: bool,
    /// How many tokens to generate at most.
    #[arg(short, default_value_t = 120, value_name = "TOKENS", allow_negative_numbers = true)]
    n: usize,
    /// 0 takes the likeliest token each time.
    #[arg(long, default_value_t = 0.6, value_parser = at_least_zero, allow_negative_numbers = true)]
    temperature: f64,
    /// Choose among the likeliest tokens that together have this probability.
    #[arg(long, default_value_t = 0.9, value_parser = probability, allow_negative_numbers = true)]
    top_p: f64,
    /// Makes tokens of the last 64 less likely; 1 does nothing.
    #[arg(long, default_value_t = 1.15, value_parser = at_least_zero, allow_negative_numbers = true)]
    repeat_penalty: f64,
    /// The same seed gives the same text.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to compute [default: an AMD GPU, else host]
    #[arg(long)]
    platform: Option<Place>,
    /// The device's number.
    #[arg(long, default_value_t = 0)]
    device: usize,
    /// Compare greedy tokens with candle's CPU device. Always done for the built-in model.
    #[arg(long)]
    check: bool,
    /// Do not compare.
    #[arg(long, conflicts_with = "check")]
    no_check: bool,
}

fn at_least_zero(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if value >= 0. && value.is_finite() { Ok(value) } else { Err("must be 0 or more".to_owned()) }
}

fn probability(text: &str) -> Result<f64, String> {
    at_least_zero(text).ok().filter(|p| *p <= 1.).ok_or_else(|| "must be between 0 and 1".to_owned())
}

fn main() -> ExitCode {
    match run(Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// False if the check failed.
fn run(options: Options) -> Result<bool> {
    let chosen = device::choose(options.platform, options.device)?;
    eprintln!("{}", chosen.announcement);
    let device = chosen.device;
    let source = match (&options.model, &options.hf) {
        (Some(path), _) => Source::File(path.clone()),
        (None, Some(name)) => Source::File(hub::model(name)?),
        (None, None) => Source::BuiltIn,
    };
    let built_in = matches!(source, Source::BuiltIn);

    let mut file = source.open()?;
    check_architecture(&file)?;
    let tokenizer = Tokenizer::from_gguf(&mut file.content)?;
    eprintln!("Model: {}", file.summary());
    let text = match (&options.prompt, built_in) {
        (Some(prompt), _) => prompt.clone(),
        (None, true) => "A thread may".to_owned(),
        (None, false) => "Rust is a programming language that".to_owned(),
    };
    let prompt =
        tokenizer.encode(&if options.chat { chat::turn(&tokenizer, &text)? } else { text.clone() })?;
    let total = prompt.len() + options.n.max(if built_in { COMPARED } else { 0 });
    if let Some(limit) = file.context_length() {
        ensure!(
            total <= limit,
            "the prompt has {} tokens, which with {} more is beyond the {limit} that the model was trained for; choose a smaller -n",
            prompt.len(),
            total - prompt.len(),
        );
    }
    fits(file.memory_needed(total), &device)?;

    let begin = Instant::now();
    let mut model = Model::load(file, &device)?;
    device.synchronize()?;
    eprintln!("Loaded in {:.1} s\n", begin.elapsed().as_secs_f32());

    let mut out = std::io::stdout();
    // With the first token, not before: until then kernels may be compiled, which prints lines of its own.
    let mut opening = Some(if options.chat { format!("{text}\n\n") } else { text });
    let mut show = |text: &str| {
        let opening = opening.take().unwrap_or_default();
        // A reader that closes the pipe early is no reason to fail.
        let _ = write!(out, "{opening}{text}").and_then(|()| out.flush());
    };
    let choice = Choice {
        temperature: options.temperature,
        top_p: options.top_p,
        seed: options.seed,
        repeat_penalty: options.repeat_penalty as f32,
    };
    let (_, timing) = generate(&mut model, &device, &tokenizer, &prompt, options.n, &choice, &mut show)?;
    show("\n");

    let first = timing.first.as_secs_f64();
    eprint!("\nPrompt: {} tokens, first token after {first:.2} s", timing.prompt);
    // Once more, now that the kernels are loaded, unless that takes long.
    if first < 5. && model.starts_anew() {
        let again = time_prompt(&mut model, &device, &prompt)?.as_secs_f64();
        eprint!("; once more, {:.0} tokens/s", timing.prompt as f64 / again);
    }
    let rate = timing.rate().map(|rate| format!(", {rate:.1} tokens/s")).unwrap_or_default();
    eprintln!("\nGeneration: {} tokens{rate}", timing.generated);
    if let Some(peak) = device::peak_memory(&device) {
        eprintln!("Peak memory: {}", bytes(peak));
    }
    if options.no_check || !(options.check || built_in) || device.is_cpu() {
        return Ok(true);
    }
    check(model, &device, &source, &prompt)
}

/// An error if the model is larger than what the device has free.
fn fits(needed: u64, on: &Device) -> Result<()> {
    if let Some((free, total)) = device::memory(on)? {
        ensure!(
            needed <= free,
            "the model needs about {}, but of the device's {} only {} are free; take a smaller quantization or another device",
            bytes(needed),
            bytes(total),
            bytes(free),
        );
    }
    Ok(())
}

fn check(mut model: Model, device: &Device, source: &Source, prompt: &[u32]) -> Result<bool> {
    if !model.starts_anew() {
        drop(model);
        model = Model::load(source.open()?, device)?;
    }
    let mut reference = Model::load(source.open()?, &Device::Cpu)?;
    let agreement = compare((&mut reference, &Device::Cpu), (&mut model, device), prompt, COMPARED)?;
    let verdict = match (agreement.holds(), agreement.same == agreement.positions) {
        (true, true) => "passed",
        (true, false) => "passed (the others were close calls)",
        (false, _) => "FAILED",
    };
    eprintln!(
        "Check: {verdict}: {} of {} greedy tokens are those of candle's CPU device; logits differ by at most {:.2} % of their range",
        agreement.same,
        agreement.positions,
        100. * agreement.difference,
    );
    Ok(agreement.holds())
}
