//! `cargo xtask predict`: how long kernels take on cards that nobody here has, by the model of time of the gfx platform.
//!
//! `--validate` compares it with what others have measured and published: kernels of ours, written to the descriptions of theirs, are
//! executed as machine code, and their predicted times printed beside the measured ones. Rows that the card's numbers were chosen by
//! are marked as fitted, and no figure of the model's error contains them.

mod launch;
mod page;
mod published;

use anyhow::{Context as _, Result, bail, ensure};
use candle_rocm_gfx::time::Data;
use clap::Args;
use rocm_kernels::cards::{CARDS, Card};
use tools_common::root;

use crate::gfx;

use launch::Processors;
use published::Published;

/// Recorded of a launch, unless the command says otherwise.
const BUDGET: u64 = 4_000_000;

#[derive(Args)]
pub(crate) struct Options {
    /// Compare predictions with published measurements.
    #[arg(long)]
    validate: bool,
    /// Print the numbers that the model has of each card, with their sources.
    #[arg(long)]
    figures: bool,
    /// Only this card.
    #[arg(long)]
    card: Option<String>,
    /// Only cases whose family or name contains one of these words.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// With `--card`: give the model another number for it, by its name in `--figures`: `"L0, cycles=100"`.
    #[arg(long, requires = "card")]
    set: Vec<String>,
    /// Say what waves wait for, and which parts of a unit are busy.
    #[arg(long)]
    reasons: bool,
    /// Write the comparison to platforms/gfx/validation.md instead of printing it.
    #[arg(long)]
    write: bool,
    /// Record about this many instructions of each launch.
    #[arg(long, default_value_t = BUDGET)]
    budget: u64,
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
    let card = match &options.card {
        None => None,
        Some(name) => match Card::find(name) {
            Some(card) => Some(card),
            None => bail!(
                "{name} is none of {}",
                CARDS.iter().map(|card| card.rates.product).collect::<Vec<_>>().join(", ")
            ),
        },
    };
    let is_wanted = |product: &str| card.is_none_or(|card| card.rates.product == product);
    if options.figures {
        for card in CARDS.iter().filter(|card| is_wanted(card.rates.product)) {
            print!("{}", page::figures(card));
        }
        return Ok(());
    }
    ensure!(options.validate, "say --validate or --figures; models are not predicted yet");
    let all = published::all()?.into_iter().filter(|row| {
        let names = [&row.family, &row.case];
        let is_named = options.only.iter().any(|word| names.iter().any(|name| name.contains(word)));
        is_wanted(&row.card) && (options.only.is_empty() || is_named)
    });
    let compared = compare(all.collect(), options)?;
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

/// A card with the numbers that the command gives it.
fn changed(card: &Card, set: &[String]) -> Result<Card> {
    let mut card = *card;
    for change in set {
        let (name, value) = change.rsplit_once('=').with_context(|| format!("{change} has no value"))?;
        let mut figures = card.figures_mut();
        let figure = figures.iter_mut().find(|(of, _)| of == name);
        let (_, figure) = figure.with_context(|| format!("{name} is none of its figures; see --figures"))?;
        figure.value = value.parse().with_context(|| format!("{value} is not a number"))?;
    }
    Ok(card)
}

fn compare(all: Vec<Published>, options: &Options) -> Result<Vec<Compared>> {
    gfx::find_device_libraries()?;
    let cards: Vec<&str> = all.iter().map(|row| &*row.card).collect();
    let processors = Processors::new(&cards)?;
    let mut compared = Vec::new();
    for published in all {
        let Some(card) = Card::find(&published.card) else { bail!("there is no card {}", published.card) };
        let log = processors.record(card, &published, options.budget)?;
        let card = &changed(card, &options.set)?;
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
