//! Generates text with a GGUF model on a ROCm device: the small built-in model or another one.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use candle_core::Device;
use candle_rocm::kernels::QUANTIZED_LANGUAGE_MODELS;
use candle_rocm::model_file::{MemoryNeeds, Usage};
use candle_rocm_demo::agreement::compare;
use candle_rocm_demo::device::{self, Backend};
use candle_rocm_demo::generate::{SamplingOptions, generate, time_prompt};
use candle_rocm_demo::gguf::Source;
use candle_rocm_demo::model::{Model, check_architecture};
use candle_rocm_demo::tokenizer::Tokenizer;
use candle_rocm_demo::{bytes, chat, explain, hub, progress};
use clap::Parser;

/// Number of greedy tokens that `--check` compares.
const CHECKED_TOKENS: usize = 32;

/// Generates text with a GGUF model, by default a tiny one that writes like Rust's documentation.
#[derive(Parser)]
#[command(name = "demo")]
struct Options {
    /// A GGUF file.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// A model on the Hugging Face hub, as REPOSITORY or REPOSITORY:FILE.
    #[arg(long, value_name = "REPO[:FILE]", conflicts_with = "model")]
    hf: Option<String>,
    /// The start of the text [default: depends on the model]
    #[arg(long)]
    prompt: Option<String>,
    /// Format the prompt as a chat message.
    #[arg(long)]
    chat: bool,
    /// Maximum number of tokens to generate.
    #[arg(short, default_value_t = 120, value_name = "TOKENS", allow_negative_numbers = true)]
    n: usize,
    /// Sampling temperature; 0 always selects the most likely token.
    #[arg(long, default_value_t = 0.6, value_parser = at_least_zero, allow_negative_numbers = true)]
    temperature: f64,
    /// Sample from the most likely tokens that together have this probability.
    #[arg(long, default_value_t = 0.9, value_parser = probability, allow_negative_numbers = true)]
    top_p: f64,
    /// Penalty for the last 64 tokens; 1 has no effect.
    #[arg(long, default_value_t = 1.15, value_parser = at_least_zero, allow_negative_numbers = true)]
    repeat_penalty: f64,
    /// Random seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The platform to run on [default: amd if there is an AMD GPU, else host]
    #[arg(long)]
    platform: Option<Backend>,
    /// The number of the device.
    #[arg(long, default_value_t = 0)]
    device: usize,
    /// Split the model, a llama, among so many devices from that one on.
    #[arg(long, default_value_t = 1, value_name = "DEVICES", value_parser = at_least_one, allow_negative_numbers = true)]
    tensor_parallel: usize,
    /// Check greedy tokens against candle's CPU device. Default for the built-in model.
    #[arg(long)]
    check: bool,
    /// Skip the check.
    #[arg(long, conflicts_with = "check")]
    no_check: bool,
}

fn at_least_zero(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if value >= 0. && value.is_finite() { Ok(value) } else { Err("must be 0 or more".to_owned()) }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|count| *count > 0)
        .ok_or_else(|| "must be a number of devices, 1 or more".to_owned())
}

fn probability(text: &str) -> Result<f64, String> {
    at_least_zero(text).ok().filter(|p| *p <= 1.).ok_or_else(|| "must be between 0 and 1".to_owned())
}

fn main() -> ExitCode {
    match run(Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {}", explain(&error));
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
    check_architecture(&file).with_context(|| file.name.clone())?;
    let tokenizer = Tokenizer::from_gguf(&mut file.content).with_context(|| file.name.clone())?;
    eprintln!("Model: {}", file.summary());
    let text = match (&options.prompt, built_in) {
        (Some(prompt), _) => prompt.clone(),
        (None, true) => "A thread may".to_owned(),
        (None, false) => "Rust is a programming language that".to_owned(),
    };
    let prompt = if options.chat {
        let turn = chat::turn(&tokenizer, file.string("tokenizer.chat_template"), &text)
            .with_context(|| file.name.clone())?;
        turn.warning.inspect(|warning| eprintln!("Warning: {}: {warning}", file.name));
        tokenizer.encode(&turn.text)?
    } else {
        tokenizer.encode(&text)?
    };
    let total = prompt.len() + options.n.max(if built_in { CHECKED_TOKENS } else { 0 });
    if let Some(limit) = file.context_length() {
        ensure!(
            total <= limit,
            "{} prompt tokens and {} new tokens exceed the model's context length of {limit}; use a smaller -n",
            prompt.len(),
            total - prompt.len(),
        );
    }
    let ranks = options.tensor_parallel;
    let usage = Usage::new(total).with_prompt(prompt.len());
    fits(&file.header.memory_needs(&usage).split(ranks as u64), prompt.len(), &device)?;
    device::prepare(&device, QUANTIZED_LANGUAGE_MODELS)?;

    let begin = Instant::now();
    let mut model = match ranks {
        1 => progress::loading(&device, file.header.tensor_bytes(), || Model::load(file, &device))?,
        ranks => Model::load_parallel(&source, &device, ranks)?,
    };
    device.synchronize()?;
    eprintln!("Model loaded in {:.1} s\n", begin.elapsed().as_secs_f32());

    let mut out = std::io::stdout();
    // Printed together with the first token: before that, compiling kernels may print progress messages.
    let mut opening = Some(if options.chat { format!("{text}\n\n") } else { text });
    let mut show = |text: &str| {
        let opening = opening.take().unwrap_or_default();
        // Not an error if the reader closes the pipe early.
        let _ = write!(out, "{opening}{text}").and_then(|()| out.flush());
    };
    let sampling = SamplingOptions {
        temperature: options.temperature,
        top_p: options.top_p,
        seed: options.seed,
        repeat_penalty: options.repeat_penalty as f32,
    };
    let (_, timing) = generate(&mut model, &device, &tokenizer, &prompt, options.n, &sampling, &mut show)?;
    show("\n");

    let tokens = |count: usize| if count == 1 { "1 token".to_owned() } else { format!("{count} tokens") };
    eprint!("\nPrompt: {}", tokens(timing.prompt));
    if let Some(first) = timing.first {
        eprint!(", first token after {:.2} s", first.as_secs_f64());
        // Again with kernels loaded, unless that takes too long.
        if first.as_secs() < 5 && model.can_restart() {
            let again = time_prompt(&mut model, &device, &prompt)?.as_secs_f64();
            eprint!("; prompt speed after warm-up: {:.0} tokens/s", timing.prompt as f64 / again);
        }
    }
    let rate = timing.rate().map(|rate| format!(", {rate:.1} tokens/s")).unwrap_or_default();
    eprintln!("\nGeneration: {}{rate}", tokens(timing.generated));
    if let Some(peak) = device::peak_memory(&device) {
        eprintln!("Peak memory: {}", bytes(peak));
    }
    if options.no_check || !(options.check || built_in) || device.is_cpu() {
        return Ok(true);
    }
    check(model, &device, &source, &prompt)
}

/// Returns an error, with the flags that help, if the model does not fit into the memory that the device has left.
fn fits(needs: &MemoryNeeds, prompt: usize, on: &Device) -> Result<()> {
    let Some(available) = device::available_memory(on)? else { return Ok(()) };
    let Err(error) = needs.fits(available) else { return Ok(()) };
    let shorter =
        error.largest_context().and_then(|tokens| tokens.checked_sub(prompt as u64)).filter(|n| *n > 0);
    let mut flags = shorter.map(|tokens| format!("-n {tokens}")).into_iter().collect::<Vec<_>>();
    flags.push("--model or --hf with a smaller quantization".to_owned());
    if !on.is_cpu() {
        flags.push("--tensor-parallel if there are more cards".to_owned());
        flags.push("--platform cpu".to_owned());
    }
    bail!("{error}; try {}", flags.join(", or "))
}

fn check(mut model: Model, device: &Device, source: &Source, prompt: &[u32]) -> Result<bool> {
    eprintln!("Checking against candle's CPU device…");
    if !model.can_restart() {
        drop(model);
        model = Model::load(source.open()?, device)?;
    }
    let mut reference = Model::load(source.open()?, &Device::Cpu)?;
    let agreement = compare((&mut reference, &Device::Cpu), (&mut model, device), prompt, CHECKED_TOKENS)?;
    let verdict = match (agreement.holds(), agreement.same == agreement.positions) {
        (true, true) => "passed",
        (true, false) => "passed (the differences are close calls)",
        (false, _) => "FAILED",
    };
    eprintln!(
        "Check: {verdict}: {} of {} greedy tokens match candle's CPU device; logits differ by at most {:.2} % of their range",
        agreement.same,
        agreement.positions,
        100. * agreement.difference,
    );
    Ok(agreement.holds())
}
