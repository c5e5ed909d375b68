//! Text generation, with timings.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use candle_core::Device;
use candle_transformers::generation::{LogitsProcessor, Sampling};
use candle_transformers::utils::apply_repeat_penalty;

use crate::model::Model;
use crate::tokenizer::Tokenizer;

/// Sampling options.
#[derive(Clone, Debug)]
pub struct SamplingOptions {
    /// 0 selects the most likely token.
    pub temperature: f64,
    /// Sample from the most likely tokens that together have this probability; 1 allows all tokens.
    pub top_p: f64,
    /// Seed of the random number generator.
    pub seed: u64,
    /// Divides the logits of the last 64 tokens; 1 has no effect.
    pub repeat_penalty: f32,
}

/// How long generation took.
#[derive(Debug, Default)]
pub struct Timing {
    /// Number of tokens in the prompt.
    pub prompt: usize,
    /// Time to the first token, if there is one, including loading or compiling kernels.
    pub first: Option<Duration>,
    /// Number of generated tokens.
    pub generated: usize,
    /// Number of tokens in `rest`: all but the first two, which load kernels.
    pub steady: usize,
    /// Time for these tokens.
    pub rest: Duration,
}

impl Timing {
    /// Tokens per second once kernels are loaded.
    pub fn rate(&self) -> Option<f64> {
        (self.steady > 0).then(|| self.steady as f64 / self.rest.as_secs_f64())
    }
}

/// Generates up to `count` tokens after `prompt` and passes each piece of text to `show`. Returns all tokens, including the prompt.
///
/// # Errors
///
/// Fails if the prompt is empty, or if the model or the tokenizer fails.
pub fn generate(
    model: &mut Model,
    device: &Device,
    tokenizer: &Tokenizer,
    prompt: &[u32],
    count: usize,
    options: &SamplingOptions,
    mut show: impl FnMut(&str),
) -> Result<(Vec<u32>, Timing)> {
    ensure!(!prompt.is_empty(), "the prompt is empty");
    let sampling = match options.temperature {
        t if t <= 0. => Sampling::ArgMax,
        temperature if options.top_p >= 1. => Sampling::All { temperature },
        temperature => Sampling::TopP { p: options.top_p, temperature },
    };
    let mut sampler = LogitsProcessor::from_sampling(options.seed, sampling);
    let mut text = tokenizer.stream();
    let mut tokens = prompt.to_vec();
    let mut timing = Timing { prompt: prompt.len(), ..Timing::default() };
    let (begin, mut steady_since) = (Instant::now(), Instant::now());
    while timing.generated < count {
        let position = if timing.generated == 0 { 0 } else { tokens.len() - 1 };
        let mut logits = model.forward(&tokens[position..], position, device)?;
        if options.repeat_penalty != 1. {
            let recent = &tokens[tokens.len().saturating_sub(64)..];
            logits = apply_repeat_penalty(&logits, options.repeat_penalty, recent)?;
        }
        let token = sampler.sample(&logits)?;
        if timing.generated == 0 {
            timing.first = Some(begin.elapsed());
        }
        tokens.push(token);
        timing.generated += 1;
        if timing.generated == 2 {
            steady_since = Instant::now();
        }
        if tokenizer.is_end(token) {
            break;
        }
        show(&text(token)?);
    }
    timing.steady = timing.generated.saturating_sub(2);
    timing.rest = steady_since.elapsed();
    Ok((tokens, timing))
}

/// Times the prompt with kernels already loaded.
///
/// # Errors
///
/// Fails if the forward pass fails.
pub fn time_prompt(model: &mut Model, device: &Device, prompt: &[u32]) -> Result<Duration> {
    let begin = Instant::now();
    model.forward(prompt, 0, device)?;
    Ok(begin.elapsed())
}
