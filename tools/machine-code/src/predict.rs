//! `cargo xtask predict`: how long kernels take on cards that nobody here has, by the model of time of the gfx platform.
//!
//! `--validate` compares it with what others have measured and published: kernels of ours, written to the descriptions of theirs, are
//! executed as machine code, and their predicted times printed beside the measured ones. Rows that the card's numbers were chosen by
//! are marked as fitted, and no figure of the model's error contains them.
//!
//! `--choices` predicts each candidate of the choices that tuning makes, and ships those that gain more than the model's error.
//!
//! With a model file it says how fast a card processes a prompt and decodes tokens, and what limits it; `--models` compares that with what
//! others measured of such models.

mod choices;
mod launch;
mod model;
mod models;
mod page;
mod published;
mod report;

use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use candle_rocm_gfx::time::{Data, with_figures};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use rocm_kernels::cards::{CARDS, Card};
use tools_common::root;

use crate::bench::Bench;
use crate::gfx;

use launch::Processors;
use published::Published;
use report::Report;

/// Recorded of a launch, unless the command says otherwise.
const BUDGET: u64 = 4_000_000;

#[derive(Args)]
pub(crate) struct Options {
    /// A GGUF file: predict a prompt and a token after it on the cards of --card.
    #[arg(conflicts_with_all = ["validate", "figures", "only", "set", "write"])]
    model: Option<PathBuf>,
    /// With a model: tokens of the prompt.
    #[arg(long, default_value_t = 512, requires = "model", value_parser = at_least_one())]
    context: usize,
    /// With a model: sequences that are decoded at once, each after its own prompt. Prompts are processed one after the other.
    #[arg(long, default_value_t = 1, requires = "model", value_parser = at_least_one())]
    batch: usize,
    /// Compare predictions with published measurements.
    #[arg(long)]
    validate: bool,
    /// With --validate: compare with the times in this report.json of `cargo xtask card` instead.
    #[arg(long, requires = "validate")]
    report: Option<PathBuf>,
    /// Compare the candidates of tuning's choices that the benchmarks' cases ask for, of candle-rocm's own kernels.
    #[arg(long, conflicts_with_all = ["validate", "model"])]
    choices: bool,
    /// With --choices: predict nothing, and write what follows from the table in candle-rocm/tuning anew, for all cards.
    #[arg(long, requires = "choices")]
    render: bool,
    /// Compare predictions of models with what was published of llama.cpp on the same cards.
    #[arg(long, conflicts_with_all = ["validate", "model", "choices"])]
    models: bool,
    /// Print the numbers that the model has of each card, with their sources.
    #[arg(long, conflicts_with_all = ["validate", "choices", "models", "set", "write"])]
    figures: bool,
    /// Only these cards, such as "RX 9070 XT,MI300X", or the first one of these processors: those of `--figures`.
    #[arg(long, value_delimiter = ',')]
    card: Vec<String>,
    /// Only cases whose family or name contains one of these words.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// With --card or --report: give the model another number for it, by its name in `--figures`: `"L0, cycles=100"`.
    #[arg(long)]
    set: Vec<String>,
    /// Say what waves wait for, and which parts of a unit are busy; of a model, which kernels take longest.
    #[arg(long)]
    reasons: bool,
    /// Write the comparison to platforms/gfx/validation.md or models.md, or choices to candle-rocm/tuning, instead of printing it.
    #[arg(long)]
    write: bool,
    /// Record about this many instructions of each launch.
    #[arg(long, default_value_t = BUDGET, value_parser = clap::value_parser!(u64).range(1..))]
    budget: u64,
}

fn at_least_one() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}

/// A published measurement beside its prediction.
struct Compared {
    published: Published,
    /// In µs.
    predicted: f64,
    reasons: String,
}

impl Compared {
    /// How much longer it was predicted to take than it took.
    fn error(&self) -> f64 {
        self.predicted / self.published.us - 1.
    }
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let cards = cards(&options.card)?;
    if let Some(model) = &options.model {
        ensure!(!options.card.is_empty(), "say on which cards, as in --card \"RX 9070 XT,MI300X\"");
        let Options { context, batch, budget, .. } = *options;
        let usage = model::Usage { context, batch, budget };
        print!("{}", model::run(model, &cards, &usage, options.reasons)?);
        return Ok(());
    }
    if options.figures {
        cards.iter().for_each(|card| print!("{}", page::figures(card)));
        return Ok(());
    }
    if options.choices {
        let cards = if options.card.is_empty() { choices::cards() } else { cards };
        return choices::run(&cards, options);
    }
    if options.models {
        let page = models::run(&cards, options.budget)?;
        if options.write {
            return models::write(&page);
        }
        print!("{page}");
        return Ok(());
    }
    ensure!(options.validate, "name a model file, or say --validate, --models, --choices or --figures");
    if let Some(report) = &options.report {
        let report = Report::read(report)?;
        let card = if options.card.is_empty() { report.card()? } else { cards[0] };
        return compare_report(&report, card, options);
    }
    let all = published::all()?.into_iter().filter(|row| {
        let names = [&row.family, &row.case];
        let is_named = options.only.iter().any(|word| names.iter().any(|name| name.contains(word)));
        let is_wanted = cards.iter().any(|card| card.rates.product == row.card);
        is_wanted && (options.only.is_empty() || is_named)
    });
    let all: Vec<Published> = all.collect();
    ensure!(!all.is_empty(), "no published case of these cards matches {:?}", options.only);
    let compared = compare(all, options)?;
    if options.write {
        let file = root().join("platforms/gfx/validation.md");
        std::fs::write(&file, page::page(&compared))?;
        println!("Wrote {}", file.display());
    } else {
        print!("{}", page::rows(&compared, options.reasons));
        print!("{}", page::summary(&compared));
    }
    Ok(())
}

/// The cards of these names, or all.
fn cards(names: &[String]) -> Result<Vec<&'static Card>> {
    let find = |name: &String| match Card::find(name) {
        Some(card) => Ok(card),
        None => bail!(
            "{name:?} names none or several of these cards: {}",
            CARDS.iter().map(|card| card.rates.product).collect::<Vec<_>>().join(", ")
        ),
    };
    if names.is_empty() { Ok(CARDS.iter().collect()) } else { names.iter().map(find).collect() }
}

/// Compares with an owner's times, by the numbers of a card.
fn compare_report(report: &Report, card: &'static Card, options: &Options) -> Result<()> {
    let bench = Bench::build(&[card.processor.to_owned()], &options.only)?;
    let file = root().join("target/xtask/report.jsonl");
    bench.count(card.processor, Some((card, &options.set)), &options.only, options.budget, &file)?;
    let compared = report.compare(card, &std::fs::read_to_string(&file)?)?;
    ensure!(!compared.is_empty(), "no case of the report was predicted");
    print!("{}", page::rows(&compared, false));
    print!("{}", page::summary(&compared));
    print!("\n{}{}", report.facts(), page::figures(card));
    println!(
        "\n--set \"NAME=NUMBER\" gives the model another number; those that fit belong into rocm-kernels/src/cards.rs."
    );
    Ok(())
}

fn compare(all: Vec<Published>, options: &Options) -> Result<Vec<Compared>> {
    gfx::find_device_libraries()?;
    let cards: Vec<&str> = all.iter().map(|row| &*row.card).collect();
    let processors = Processors::new(&cards)?;
    let mut compared = Vec::new();
    for published in all {
        let Some(card) = Card::find(&published.card) else { bail!("there is no card {}", published.card) };
        let log = processors.record(card, &published, options.budget)?;
        let card = &with_figures(card, &options.set).map_err(anyhow::Error::msg)?;
        let predictions: Vec<_> = log.launches().map(|trace| trace.predict(card, Data::Warm)).collect();
        let seconds: f64 = predictions.iter().map(|prediction| prediction.seconds).sum();
        // A chase is published per step.
        let predicted = if published.kernel == "chase" {
            predictions[0].running * 1e6 / f64::from(launch::chase_steps(&published.parameters())?)
        } else {
            seconds * 1e6
        };
        let reasons = predictions.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds)).map(page::reasons);
        compared.push(Compared { published, predicted, reasons: reasons.unwrap_or_default() });
    }
    Ok(compared)
}
