//! A model on cards: what `candle-rocm-predict` says of each, with the error that is known of the model of time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use rocm_kernels::cards::Card;
use serde::Deserialize;
use tools_common::{cargo, root};

use crate::figures::short;
use crate::gfx;
use crate::known::Known;

/// How a model is used, as `candle-rocm-predict` takes it.
pub(super) struct Usage {
    pub(super) context: usize,
    pub(super) batch: usize,
    pub(super) budget: u64,
}

/// What the program prints.
#[derive(Deserialize)]
pub(super) struct Predicted {
    model: String,
    layers: usize,
    kinds: usize,
    needs: Needs,
    pub(super) prompt: Step,
    pub(super) token: Step,
}

/// Bytes of the card's memory.
#[derive(Deserialize)]
struct Needs {
    weights: u64,
    cache: u64,
    work: u64,
}

/// The launches of a prompt, or of a token.
#[derive(Deserialize)]
pub(super) struct Step {
    pub(super) seconds: f64,
    launches: f64,
    /// Seconds by what most of a launch's time goes to.
    limits: BTreeMap<String, f64>,
    kernels: Vec<Kernel>,
}

#[derive(Deserialize)]
struct Kernel {
    kernel: String,
    limit: String,
    launches: f64,
    seconds: f64,
}

/// `candle-rocm-predict`.
pub(super) struct Program(PathBuf);

impl Program {
    pub(super) fn build() -> Result<Self> {
        gfx::find_device_libraries()?;
        let build = ["build", "-p", "candle-rocm-predict", "--features", "gfx"];
        let programs = cargo::programs(&root().join("candle"), &build)?;
        let program = programs.into_iter().find(|(name, _)| name.ends_with("candle-rocm-predict"));
        Ok(Self(program.context("cargo did not say where the program is")?.1))
    }

    /// Starts to predict a model on a card.
    pub(super) fn start(&self, model: &Path, card: &Card, usage: &Usage) -> Result<Predicting> {
        let mut command = Command::new(&self.0);
        command.arg(model).args(["--card", card.rates.product]).stdout(Stdio::piped());
        let Usage { context, batch, budget } = usage;
        command.args(["--context", &context.to_string(), "--batch", &batch.to_string()]);
        command.args(["--budget", &budget.to_string()]);
        let what = format!("{} is not predicted on {}", model.display(), card.rates.product);
        Ok(Predicting { child: command.spawn()?, what })
    }
}

/// A program that predicts.
pub(super) struct Predicting {
    child: Child,
    /// What it would mean if it failed.
    what: String,
}

impl Predicting {
    pub(super) fn wait(self) -> Result<Predicted> {
        let output = self.child.wait_with_output()?;
        ensure!(output.status.success(), "{}", self.what);
        Ok(serde_json::from_slice(&output.stdout)?)
    }
}

/// Predicts a model on cards, and returns the page.
pub(super) fn run(
    model: &Path,
    cards: &[&'static Card],
    usage: &Usage,
    with_kernels: bool,
) -> Result<String> {
    let model = std::path::absolute(model)?;
    check(&model)?;
    let program = Program::build()?;
    let known = Known::read()?;
    let mut page = String::new();
    // A program has one thread that is busy.
    for cards in cards.chunks(std::thread::available_parallelism().map_or(1, usize::from)) {
        let start = |card: &&'static Card| Ok((*card, program.start(&model, card, usage)?));
        let started = cards.iter().map(start).collect::<Result<Vec<_>>>()?;
        for (card, predicting) in started {
            let predicted = predicting.wait()?;
            if page.is_empty() {
                page = head(&predicted);
            }
            page += &section(card, &predicted, usage, &known, with_kernels);
        }
    }
    Ok(page)
}

/// What need not wait for a build.
fn check(model: &Path) -> Result<()> {
    let named = || format!("{} cannot be read", model.display());
    let mut start = [0; 4];
    let read = File::open(model).with_context(named)?.take(4).read(&mut start).with_context(named)?;
    ensure!(read == 4 && &start == b"GGUF", "{} is no GGUF file", model.display());
    Ok(())
}

fn head(predicted: &Predicted) -> String {
    let kinds =
        if predicted.kinds == 1 { "one kind".to_owned() } else { format!("{} kinds", predicted.kinds) };
    format!(
        "{}; {} layers of {kinds}\n\n\
         Predicted, not measured: of each distinct launch some workgroups were executed as the card's machine code, with invented\n\
         weights; few layers stand for all. Matrix products are candle-rocm's own. Sampling, and what else the CPU does between tokens,\n\
         is not in it. platforms/gfx/validation.md has what is known of the error.\n",
        predicted.model, predicted.layers
    )
}

fn section(card: &Card, predicted: &Predicted, usage: &Usage, known: &Known, with_kernels: bool) -> String {
    let Needs { weights, cache, work } = predicted.needs;
    let error = known.of(card);
    let mut text = format!("\n{} ({})\n", card.rates.product, card.processor);
    let has = match card.memory.size {
        0 => "its memory is the machine's".to_owned(),
        size if weights + cache + work <= size => format!("of the card's {}", gib(size)),
        size => format!("more than the card's {}", gib(size)),
    };
    let _ = writeln!(
        text,
        "  Memory  {}: weights {}, KV cache {}, work space {}; {has}",
        gib(weights + cache + work),
        gib(weights),
        gib(cache),
        gib(work)
    );
    let Usage { context, batch, .. } = *usage;
    let times = if batch > 1 { format!("{batch} x ") } else { String::new() };
    let steps = [
        (format!("Prompt  {times}{context} tokens"), batch * context, &predicted.prompt),
        (format!("Decode  after {times}{context} tokens"), batch, &predicted.token),
    ];
    for (name, tokens, step) in steps {
        let speed = tokens as f64 / step.seconds;
        let _ = writeln!(
            text,
            "  {name}: {} tokens/s ({} to {}), {} ms in {:.0} launches",
            short(speed),
            short(speed * (1. - error.percentile90).max(0.)),
            short(speed * (1. + error.percentile90)),
            short(step.seconds * 1e3),
            step.launches
        );
        let _ = writeln!(text, "          {}", limits(step));
        if with_kernels {
            text += &kernels(step);
        }
    }
    let _ = writeln!(
        text,
        "  Error   {:.0} % in the median, {:.0} % at the 90th percentile, of {} published times of {}",
        error.median * 100.,
        error.percentile90 * 100.,
        error.rows,
        error.of
    );
    text
}

/// What takes how much of the time, the longest first.
pub(super) fn limits(step: &Step) -> String {
    let mut all: Vec<(&String, f64)> =
        step.limits.iter().map(|(name, seconds)| (name, seconds / step.seconds.max(1e-12))).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    let parts = all.iter().filter(|(_, share)| *share >= 0.02);
    parts.map(|(name, share)| format!("{name} {:.0} %", share * 100.)).collect::<Vec<_>>().join(", ")
}

/// The kernels that take longest.
fn kernels(step: &Step) -> String {
    let mut all: Vec<&Kernel> = step.kernels.iter().filter(|kernel| kernel.launches > 0.5).collect();
    all.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let line = |kernel: &&Kernel| {
        let each = kernel.seconds / kernel.launches * 1e6;
        format!(
            "            {:>4.1} %  {:>4.0} of {:>8} us  {}: {}\n",
            kernel.seconds / step.seconds * 100.,
            kernel.launches,
            short(each),
            kernel.kernel,
            kernel.limit
        )
    };
    all.iter().take(20).map(line).collect()
}

fn gib(bytes: u64) -> String {
    format!("{:.2} GiB", bytes as f64 / f64::from(1 << 30))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_prints_becomes_a_page() {
        let step = |seconds: f64| {
            serde_json::json!({
                "seconds": seconds,
                "launches": 120.,
                "limits": { "memory": seconds * 0.7, "launches": seconds * 0.29, "LDS": seconds * 0.01 },
                "kernels": [
                    { "kernel": "mul", "limit": "memory", "launches": 100., "seconds": seconds * 0.7 },
                    { "kernel": "gone", "limit": "memory", "launches": 0., "seconds": 0. },
                ],
            })
        };
        let json = serde_json::json!({
            "model": "a model", "layers": 16, "kinds": 1,
            "needs": { "weights": 15u64 << 30, "cache": 1u64 << 30, "work": 1u64 << 30 },
            "prompt": step(0.1), "token": step(0.005),
        });
        let predicted: Predicted = serde_json::from_value(json).unwrap();
        assert!(head(&predicted).starts_with("a model; 16 layers of one kind\n"));
        let card = Card::find("RX 9070 XT").unwrap();
        let known = Known::parse("| Radeon RX 9070 XT | f | n=1 | 10.0 | 12.0 | +20 % |  | s |\n").unwrap();
        let usage = Usage { context: 512, batch: 1, budget: 1 };
        let text = section(card, &predicted, &usage, &known, true);
        assert!(
            text.contains("17.00 GiB: weights 15.00 GiB, KV cache 1.00 GiB, work space 1.00 GiB; more than"),
            "{text}"
        );
        assert!(text.contains("Prompt  512 tokens: 5120.0 tokens/s (4096.0 to 6144.0)"), "{text}");
        assert!(
            text.contains("after 512 tokens: 200.0 tokens/s (160.0 to 240.0), 5.000 ms in 120"),
            "{text}"
        );
        assert!(text.contains("memory 70 %, launches 29 %\n"), "{text}");
        assert!(
            text.contains("70.0 %   100 of     35.0 us  mul: memory\n") && !text.contains("gone"),
            "{text}"
        );
        assert!(text.contains("20 % in the median"), "{text}");
        let text = section(card, &predicted, &Usage { batch: 8, ..usage }, &known, false);
        assert!(text.contains("Prompt  8 x 512 tokens: 40960.0 tokens/s"), "{text}");
        assert!(text.contains("Decode  after 8 x 512 tokens: 1600.0 tokens/s"), "{text}");
    }
}
