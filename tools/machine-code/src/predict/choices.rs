//! Choices between candidates, by the model of time: what `--choices` does.
//!
//! A choice ships where the model's gain is larger than its error in ratios of two times, in nine of ten pairs that were published: the
//! candidates of a choice are variants of one kernel on one card, as those pairs are. Half of the pairs beyond that error are off to the
//! other side, so that about one choice in twenty is slower than the rule. The error of times by themselves says less: what the model has
//! wrong of a card is in both.

mod page;
mod table;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use rocm_kernels::cards::{CARDS, Card};
use tools_common::root;

use super::Options;
use crate::bench::Bench;
use crate::known::{Expected, Known};
use table::Row;

/// A candidate that is to serve a class of shapes in place of the fixed rule's.
#[derive(Clone, Debug, PartialEq)]
struct Choice {
    class: String,
    /// The class of the same calls where libraries can be asked.
    with_libraries: Option<String>,
    candidate: String,
    fixed: String,
    /// The rule's time as a multiple of the candidate's: of several cases, the least.
    gain: f64,
}

pub(super) fn run(cards: &[&'static Card], options: &Options) -> Result<()> {
    let mut all = table::read()?;
    if !options.render {
        let bench = Bench::build(&processors(cards), &options.only)?;
        // A program has one thread that is busy.
        for cards in cards.chunks(std::thread::available_parallelism().map_or(1, usize::from)) {
            let file = |card: &Card| root().join(format!("target/xtask/choices/{}.jsonl", card.processor));
            let start = |card: &&Card| bench.start_contests(card, &options.only, options.budget, &file(card));
            let started = cards.iter().map(start).collect::<Result<Vec<_>>>()?;
            started.into_iter().try_for_each(|started| started.wait())?;
            for card in cards {
                let file = file(card);
                let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
                table::replace(&mut all, card.rates.product, &text)?;
            }
        }
    }
    let known = Known::read()?;
    if options.write || options.render {
        return write(&all, &known);
    }
    for card in cards {
        print!("{}", page::section(card, &of_card(&all, card), &known.of_ratios(card)));
    }
    Ok(())
}

fn processors(cards: &[&Card]) -> Vec<String> {
    cards.iter().map(|card| card.processor.to_owned()).collect()
}

/// A card for each processor, whose files of choices are for all cards with it: the first one that is known.
pub(super) fn cards() -> Vec<&'static Card> {
    let is_first = |at: usize, card: &Card| CARDS[..at].iter().all(|other| other.processor != card.processor);
    CARDS.iter().enumerate().filter(|(at, card)| is_first(*at, card)).map(|(_, card)| card).collect()
}

fn of_card<'r>(all: &'r [Row], card: &Card) -> Vec<&'r Row> {
    all.iter().filter(|row| row.card == card.rates.product).collect()
}

/// The folder of what ships.
fn folder() -> PathBuf {
    root().join("candle-rocm/tuning")
}

/// Writes the table, a file for each card that has choices, and the page.
fn write(all: &[Row], known: &Known) -> Result<()> {
    fs::write(folder().join(table::NAME), table::render(all))?;
    let files = files(all, known);
    // Of a card that has no choice any more.
    for entry in fs::read_dir(folder())? {
        let path = entry?.path();
        let is_kept = files.iter().any(|(name, _)| path.ends_with(name));
        if path.extension().is_some_and(|end| end == "txt") && !is_kept {
            fs::remove_file(path)?;
        }
    }
    for (name, text) in files {
        fs::write(folder().join(name), text)?;
    }
    println!("Wrote {}; src/tuning/shipped.rs lists the files that ship.", folder().display());
    Ok(())
}

/// What follows from the table.
fn files(all: &[Row], known: &Known) -> Vec<(String, String)> {
    let mut page = page::HEAD.to_owned();
    let mut files = Vec::new();
    for card in CARDS {
        let rows = of_card(all, card);
        if rows.is_empty() {
            continue;
        }
        let error = known.of_ratios(card);
        page += &page::section(card, &rows, &error);
        let choices = choices(&rows, &error);
        if !choices.is_empty() {
            files.push((format!("{}.txt", card.processor), text(card, &choices)));
        }
    }
    files.push(("predicted.md".to_owned(), page));
    files
}

/// The choices of a card by the times of all candidates.
fn choices(rows: &[&Row], error: &Expected) -> Vec<Choice> {
    let best = best(rows).into_iter();
    best.filter(|choice| choice.gain > 1. + error.percentile90).collect()
}

/// The best candidate of each class, which may be the rule's.
fn best(rows: &[&Row]) -> Vec<Choice> {
    let mut classes: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    rows.iter().for_each(|row| classes.entry(&row.class).or_default().push(row));
    let best = classes.into_values().filter_map(|rows| {
        let first = rows[0];
        let gain = |candidate: &str| {
            let gains = rows.iter().map(|row| row.gain(candidate).unwrap_or(0.));
            gains.fold(f64::INFINITY, f64::min)
        };
        let gains = first.times.keys().map(|candidate| (candidate, gain(candidate)));
        let (candidate, gain) = gains.max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(Choice {
            class: first.class.clone(),
            with_libraries: first.with_libraries.clone(),
            candidate: candidate.clone(),
            fixed: first.fixed.clone(),
            gain,
        })
    });
    best.collect()
}

/// A file of choices, as candle-rocm reads it.
fn text(card: &Card, choices: &[Choice]) -> String {
    let lines = choices.iter().flat_map(|choice| {
        let classes = std::iter::once(&choice.class).chain(&choice.with_libraries);
        classes.map(move |class| format!("{class} -> {}\n", choice.candidate))
    });
    let mut lines: Vec<String> = lines.collect();
    lines.sort_unstable();
    let mut text = "candle-rocm tuning 1\n".to_owned();
    let origin = [
        ("card", card.rates.product),
        ("processor", card.processor),
        ("runtime", "predicted"),
        // Whichever knows the names in it.
        ("release", "any"),
    ];
    for (name, value) in origin {
        let _ = writeln!(text, "{name}: {value}");
    }
    let _ = writeln!(text, "{}end {}", lines.concat(), lines.len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn row(class: &str, fixed: &str, times: &[(&str, f64)]) -> Row {
        let text = |text: &str| text.to_owned();
        Row {
            card: text("Radeon RX 7900 XTX"),
            case: [text("quantized"), text("qmatmul"), text("q4_k/f32"), text("batch 8")],
            class: text(class),
            with_libraries: Some(format!("{class} rocblas")),
            fixed: text(fixed),
            times: times.iter().map(|(name, us)| (text(name), *us)).collect(),
        }
    }

    fn error(percentile90: f64) -> Expected {
        Expected { median: 0., percentile90, rows: 9, of: "a card".to_owned() }
    }

    #[test]
    fn a_gain_is_larger_than_the_error() {
        let all = [
            row("one", "slow", &[("slow", 12.), ("fast", 10.), ("slower", 20.)]),
            // Two cases of a class: the candidate that is never bad.
            row("two", "slow", &[("slow", 20.), ("fast", 10.), ("faster", 5.)]),
            row("two", "slow", &[("slow", 20.), ("fast", 10.), ("faster", 19.)]),
            // A rule that needs no help.
            row("three", "fast", &[("slow", 20.), ("fast", 10.)]),
        ];
        let all: Vec<&Row> = all.iter().collect();
        let of = |percent| {
            let choices = choices(&all, &error(percent)).into_iter();
            choices.map(|choice| (choice.class, choice.candidate, choice.gain)).collect::<Vec<_>>()
        };
        let choice = |class: &str, gain| (class.to_owned(), "fast".to_owned(), gain);
        assert_eq!(of(0.1), [choice("one", 1.2), choice("two", 2.)]);
        assert_eq!(of(0.3), [choice("two", 2.)]);
        assert!(of(1.).is_empty());
        let card = Card::find("RX 7900 XTX").unwrap();
        assert_eq!(
            text(card, &choices(&all, &error(0.3))),
            "candle-rocm tuning 1\ncard: Radeon RX 7900 XTX\nprocessor: gfx1100\nruntime: predicted\nrelease: any\n\
             two -> fast\ntwo rocblas -> fast\nend 2\n"
        );
    }

    /// What ships is what the table and the model's known error say.
    #[test]
    fn files_are_those_of_the_table() {
        for (name, text) in files(&table::read().unwrap(), &Known::read().unwrap()) {
            let file = fs::read_to_string(folder().join(&name)).unwrap_or_default();
            assert!(
                file == text,
                "{name} is not what the table says: cargo xtask predict --choices --render"
            );
        }
    }
}
