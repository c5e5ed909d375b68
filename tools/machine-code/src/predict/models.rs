//! Predictions of models beside what llama.cpp's `llama-bench` measured on the same cards: what `--models` does. Other kernels computed
//! there, so that a ratio is no error of the model of time; one far from 1 wants an explanation all the same.

mod file;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context as _, Result, bail, ensure};
use rocm_kernels::cards::Card;
use tools_common::root;

use super::model::{Program, Step, Usage, limits};
use crate::figures::short;
use crate::known::Known;
use file::Llama;

/// Card, model, weights, llama-bench's test, tokens that it processed at once (512 if nothing is said), tokens per second, and who
/// published it. Figures that name no card, or mixtures of settings that do not say what ran, are not in it.
const TABLE: &str = include_str!("models/published.tsv");

/// Tokens of a prompt that llama-bench processes at once, unless it says otherwise.
const MOST_AT_ONCE: usize = 512;

/// What a figure is of, in the order of the page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Test {
    card: String,
    model: String,
    weights: String,
    /// As llama-bench writes it: `pp512` for a prompt, `tg128` for tokens one by one.
    name: String,
    at_once: usize,
}

impl Test {
    /// The prompt to predict. Its first part stands for all of a prompt that was processed in parts, and tokens are decoded after as many
    /// as there were in the end.
    fn context(&self) -> Result<usize> {
        let tokens = self.name.trim_start_matches(char::is_alphabetic).parse::<usize>();
        let tokens = tokens.with_context(|| format!("{} is not a test of llama-bench", self.name))?;
        Ok(if self.is_prompt() { tokens.min(self.at_once) } else { tokens })
    }

    fn is_prompt(&self) -> bool {
        self.name.starts_with("pp")
    }
}

/// The figures of a test, and whose they are.
#[derive(Clone, Debug, Default, PartialEq)]
struct Figures {
    tokens_per_second: Vec<f64>,
    sources: Vec<String>,
}

/// A test and its figures, beside a prediction.
struct Compared {
    test: Test,
    figures: Figures,
    predicted: f64,
    limits: String,
}

/// Predicts all models with published figures on some of the cards, and returns the page.
pub(super) fn run(cards: &[&'static Card], budget: u64) -> Result<String> {
    let published = published()?;
    let is_wanted = |test: &Test| cards.iter().any(|card| card.rates.product == test.card);
    ensure!(published.keys().any(is_wanted), "nobody has published figures of models on these cards");
    let program = Program::build()?;
    let mut known: BTreeMap<_, super::model::Predicted> = BTreeMap::new();
    let mut all = Vec::new();
    for (test, figures) in published {
        let Some(card) = cards.iter().find(|card| card.rates.product == test.card) else { continue };
        let context = test.context()?;
        let key = (test.card.clone(), test.model.clone(), test.weights.clone(), context);
        if !known.contains_key(&key) {
            eprintln!("{}: {} {}, {context} tokens", test.card, test.model, test.weights);
            let file = root().join(format!("target/xtask/models/{} {}.gguf", test.model, test.weights));
            Llama::find(&test.model)?.write(&test.weights, &file)?;
            let predicted = program.start(&file, card, &Usage { context, batch: 1, budget })?.wait()?;
            known.insert(key.clone(), predicted);
        }
        let predicted = &known[&key];
        let (tokens, step) =
            if test.is_prompt() { (context, &predicted.prompt) } else { (1, &predicted.token) };
        all.push(compared(test, figures, tokens, step));
    }
    Ok(page(&all, &Known::read()?))
}

fn compared(test: Test, figures: Figures, tokens: usize, step: &Step) -> Compared {
    Compared { test, figures, predicted: tokens as f64 / step.seconds, limits: limits(step) }
}

fn published() -> Result<BTreeMap<Test, Figures>> {
    let mut all: BTreeMap<Test, Figures> = BTreeMap::new();
    for line in TABLE.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [card, model, weights, name, at_once, figure, source] = fields[..] else {
            bail!("{line}: it has {} fields", fields.len());
        };
        let at_once = if at_once.is_empty() { MOST_AT_ONCE } else { at_once.parse().context(line)? };
        let text = |text: &str| text.to_owned();
        let test =
            Test { card: text(card), model: text(model), weights: text(weights), name: text(name), at_once };
        let figures = all.entry(test).or_default();
        figures.tokens_per_second.push(figure.parse().context(line)?);
        if !figures.sources.iter().any(|known| known == source) {
            figures.sources.push(text(source));
        }
    }
    Ok(all)
}

fn page(all: &[Compared], known: &Known) -> String {
    let mut text = "# Predictions of models beside llama.cpp's\n\n\
        `cargo xtask predict --models --write` writes this page. `cargo xtask predict MODEL.gguf` predicts candle's models with candle-rocm's\n\
        kernels; the published figures are of `llama-bench`, which has other kernels. So a ratio is no error of the\n\
        [model of time](validation.md): it says whether a prediction makes sense, and where candle-rocm may be the slower or the faster\n\
        one. Nothing was measured by us. Files of these models were invented, with the types of weights that llama.cpp gives them. A prompt\n\
        that was processed in parts stands here as its first part, whose attention is the cheapest. Figures that do not name their card are\n\
        left out. [Measured on an NVIDIA card](../../candle/bench/results/llama-bench.md), prompts are faster than llama.cpp's, and tokens\n\
        mostly are not.\n\n\
        | Card | Model | Test | Tokens at once | Published, tokens/s | Predicted, tokens/s | Ratio | Limits | Source |\n\
        |---|---|---|--:|--:|--:|--:|---|---|\n"
        .to_owned();
    for Compared { test, figures, predicted, limits } in all {
        let all = figures.tokens_per_second.iter().copied();
        let (low, high) = (all.clone().fold(f64::INFINITY, f64::min), all.fold(0., f64::max));
        let at_once = if test.is_prompt() { test.at_once.to_string() } else { "1".to_owned() };
        let published = range(short(low), short(high));
        let ratio = range(format!("{:.2}", predicted / high), format!("{:.2}", predicted / low));
        let _ = writeln!(
            text,
            "| {} | {} {} | {} | {at_once} | {published} | {} | {ratio} | {limits} | {} |",
            test.card,
            test.model,
            test.weights,
            test.name,
            short(*predicted),
            figures.sources.join(", ")
        );
    }
    text += "\nThe error to expect of a prediction, from times of single kernels:\n\n| Card | Median | 90th percentile | From |\n|---|--:|--:|---|\n";
    let mut cards: Vec<&str> = all.iter().map(|compared| &*compared.test.card).collect();
    cards.dedup();
    for card in cards.into_iter().filter_map(Card::find) {
        let error = known.of(card);
        let _ = writeln!(
            text,
            "| {} | {:.0} % | {:.0} % | {} times of {} |",
            card.rates.product,
            error.median * 100.,
            error.percentile90 * 100.,
            error.rows,
            error.of
        );
    }
    text
}

fn range(low: String, high: String) -> String {
    if low == high { low } else { format!("{low} to {high}") }
}

/// Writes the page.
pub(super) fn write(page: &str) -> Result<()> {
    let file = root().join("platforms/gfx/models.md");
    fs::write(&file, page)?;
    println!("Wrote {}", file.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(name: &str, at_once: usize) -> Test {
        let text = |text: &str| text.to_owned();
        Test {
            card: text("Radeon RX 7900 XTX"),
            model: text("llama 8B"),
            weights: text("Q4_0"),
            name: text(name),
            at_once,
        }
    }

    #[test]
    fn every_figure_can_be_predicted() {
        for (test, figures) in published().unwrap() {
            let card = Card::find(&test.card).unwrap();
            assert_eq!(card.rates.product, test.card);
            assert!(
                test.context().unwrap() > 0 && figures.tokens_per_second.iter().all(|figure| *figure > 0.)
            );
            Llama::find(&test.model).unwrap().header(&test.weights).unwrap();
        }
    }

    #[test]
    fn tests_of_llama_bench() {
        for (name, at_once, context) in [("pp2048", 64, 64), ("pp512", 2048, 512), ("tg128", 512, 128)] {
            assert_eq!(test(name, at_once).context().unwrap(), context, "{name}");
        }
        assert!(test("pp", 1).context().is_err());
    }

    #[test]
    fn figures_of_a_test_share_a_line() {
        let step: Step = serde_json::from_value(serde_json::json!({
            "seconds": 0.01, "launches": 9., "limits": { "memory": 0.01 }, "kernels": [],
        }))
        .unwrap();
        let figures = |tokens_per_second: &[f64]| Figures {
            tokens_per_second: tokens_per_second.to_vec(),
            sources: vec!["somebody".to_owned()],
        };
        let all = [
            compared(test("pp512", 64), figures(&[8000., 4000., 5000.]), 64, &step),
            compared(test("tg64", 64), figures(&[100., 100.]), 1, &step),
        ];
        let known = Known::parse("| Radeon RX 7900 XTX | f | n=1 | 10.0 | 12.0 | +20 % |  | s |\n").unwrap();
        let text = page(&all, &known);
        for line in [
            "| Radeon RX 7900 XTX | llama 8B Q4_0 | pp512 | 64 | 4000.0 to 8000.0 | 6400.0 | 0.80 to 1.60 | memory 100 % | somebody |\n",
            "| Radeon RX 7900 XTX | llama 8B Q4_0 | tg64 | 1 | 100.0 | 100.0 | 1.00 | memory 100 % | somebody |\n",
            "| Radeon RX 7900 XTX | 20 % | 20 % | 1 times of all cards, as there are too few of gfx11 |\n",
        ] {
            assert!(text.contains(line), "{text}");
        }
    }
}
