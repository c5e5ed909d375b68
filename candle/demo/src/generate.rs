//! Prompt in, text out, with timings.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use candle_core::Device;
use candle_transformers::generation::{LogitsProcessor, Sampling};
use candle_transformers::utils::apply_repeat_penalty;

use crate::model::Model;
use crate::tokenizer::Tokenizer;

/// How tokens are chosen.
#[derive(Clone, Debug)]
pub struct Choice {
    /// 0 takes the likeliest token.
    pub temperature: f64,
    /// Only the likeliest tokens that together have this probability; 1 is all.
    pub top_p: f64,
    /// The generator's.
    pub seed: u64,
    /// Divides the logits of the last 64 tokens; 1 is none.
    pub repeat_penalty: f32,
}

/// What generation took.
#[derive(Debug, Default)]
pub struct Timing {
    /// Tokens of the prompt.
    pub prompt: usize,
    /// From the prompt to the first token, kernels loaded or compiled.
    pub first: Duration,
    /// Tokens generated.
    pub generated: usize,
    /// Tokens that `rest` counts: the first two load kernels.
    pub steady: usize,
    /// For these.
    pub rest: Duration,
}

impl Timing {
    /// Tokens per second, once the kernels are there.
    pub fn rate(&self) -> Option<f64> {
        (self.steady > 0).then(|| self.steady as f64 / self.rest.as_secs_f64())
    }
}

/// Generates up to `count` tokens after `prompt`, handing each piece of text to `show`. Returns all tokens, the prompt's too.
pub fn generate(
    model: &mut Model,
    device: &Device,
    tokenizer: &Tokenizer,
    prompt: &[u32],
    count: usize,
    choice: &Choice,
    mut show: impl FnMut(&str),
) -> Result<(Vec<u32>, Timing)> {
    ensure!(!prompt.is_empty(), "there is no prompt");
    let sampling = match choice.temperature {
        t if t <= 0. => Sampling::ArgMax,
        temperature if choice.top_p >= 1. => Sampling::All { temperature },
        temperature => Sampling::TopP { p: choice.top_p, temperature },
    };
    let mut sampler = LogitsProcessor::from_sampling(choice.seed, sampling);
    let mut text = tokenizer.stream();
    let mut tokens = prompt.to_vec();
    let mut timing = Timing { prompt: prompt.len(), ..Timing::default() };
    let (begin, mut steady_since) = (Instant::now(), Instant::now());
    while timing.generated < count {
        let position = if timing.generated == 0 { 0 } else { tokens.len() - 1 };
        let mut logits = model.forward(&tokens[position..], position, device)?;
        if choice.repeat_penalty != 1. {
            let recent = &tokens[tokens.len().saturating_sub(64)..];
            logits = apply_repeat_penalty(&logits, choice.repeat_penalty, recent)?;
        }
        let token = sampler.sample(&logits)?;
        if timing.generated == 0 {
            timing.first = begin.elapsed();
        }
        tokens.push(token);
        timing.generated += 1;
        if timing.generated == 2 {
            steady_since = Instant::now();
        }
        if tokenizer.ends(token) {
            break;
        }
        show(&text(token)?);
    }
    timing.steady = timing.generated.saturating_sub(2);
    timing.rest = steady_since.elapsed();
    Ok((tokens, timing))
}

/// How long the prompt takes when the kernels are there.
pub fn time_prompt(model: &mut Model, device: &Device, prompt: &[u32]) -> Result<Duration> {
    let begin = Instant::now();
    model.forward(prompt, 0, device)?;
    Ok(begin.elapsed())
}
