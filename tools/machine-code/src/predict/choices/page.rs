//! Predicted choices as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rocm_kernels::cards::Card;

use super::table::Row;
use super::{Choice, best, choices};
use crate::figures::short;
use crate::known::Expected;

pub(super) const HEAD: &str = "# Choices by a model of time\n\n\
    `cargo xtask predict --choices --write` writes this page, the files of processors beside it, and `predicted.tsv`, which has the times of\n\
    all candidates. Nothing was measured: cases of the benchmarks were executed as machine code, by each candidate that is a kernel of\n\
    candle-rocm's and computes with the same precision, and the [model of time](../../platforms/gfx/validation.md) says how long each takes.\n\
    Libraries are not compared. A choice ships where its predicted gain is larger than the model's error in ratios of times of one card and\n\
    family, in nine of ten pairs that others have published; of an MI300X these are rates and latencies, not kernels. What a user's card measures\n\
    takes its place.\n";

/// What was predicted of a card.
pub(super) fn section(card: &Card, rows: &[&Row], error: &Expected) -> String {
    let mut text = format!("\n## {} ({})\n\n", card.rates.product, card.processor);
    let ships = choices(rows, error);
    let _ = writeln!(
        text,
        "A choice has to gain more than {:.0} %: the error of ratios, from {} pairs of {}. {} of {} classes have one.\n",
        error.percentile90 * 100.,
        error.rows,
        error.of,
        ships.len(),
        best(rows).len()
    );
    text += "| Decision | Classes | The rule is best | Best gain within the error | Ship |\n|---|---|---|---|---|\n";
    for (decision, of) in by_decision(rows) {
        let shipped = |choice: &&Choice| choice.gain > 1. + error.percentile90;
        let within = of.iter().filter(|choice| !shipped(choice)).map(|choice| choice.gain);
        let _ = writeln!(
            text,
            "| {decision} | {} | {} | {} | {} |",
            of.len(),
            of.iter().filter(|choice| choice.gain <= 1.).count(),
            within.reduce(f64::max).map_or(String::new(), percent),
            of.iter().filter(shipped).count()
        );
    }
    if !ships.is_empty() {
        text += "\n| Class | Rule | µs | Choice | µs | Gain |\n|---|---|---|---|---|---|\n";
    }
    for choice in ships {
        let Choice { class, candidate, fixed, gain, .. } = &choice;
        // Of several cases, the one with the least gain.
        let row = rows
            .iter()
            .filter(|row| row.class == *class)
            .min_by(|a, b| a.gain(candidate).unwrap_or(0.).total_cmp(&b.gain(candidate).unwrap_or(0.)));
        let time =
            |name: &str| row.and_then(|row| row.times.get(name)).map_or(String::new(), |us| short(*us));
        let _ = writeln!(
            text,
            "| {class} | {fixed} | {} | {candidate} | {} | {} |",
            time(fixed),
            time(candidate),
            percent(*gain)
        );
    }
    text
}

fn percent(gain: f64) -> String {
    format!("{:.0} %", (gain - 1.) * 100.)
}

fn by_decision(rows: &[&Row]) -> BTreeMap<String, Vec<Choice>> {
    let mut all: BTreeMap<String, Vec<Choice>> = BTreeMap::new();
    for choice in best(rows) {
        let decision = choice.class.split(' ').next().unwrap_or_default().to_owned();
        all.entry(decision).or_default().push(choice);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::tests::row;
    use super::*;

    #[test]
    fn what_ships_is_listed() {
        let card = Card::find("RX 7900 XTX").unwrap();
        let error = Expected { median: 0.1, percentile90: 0.3, rows: 9, of: "this card".to_owned() };
        let all = [
            row("matmul m=1", "slow", &[("slow", 30.), ("fast", 10.)]),
            row("matmul m=2", "slow", &[("slow", 12.), ("fast", 10.)]),
            row("matmul m=3", "slow", &[("slow", 10.), ("fast", 12.)]),
        ];
        let all: Vec<&Row> = all.iter().collect();
        let text = section(card, &all, &error);
        assert!(
            text.contains("more than 30 %: the error of ratios, from 9 pairs of this card. 1 of 3 classes"),
            "{text}"
        );
        assert!(text.contains("| matmul | 3 | 1 | 20 % | 1 |\n"), "{text}");
        assert!(text.contains("| matmul m=1 | slow | 30.0 | fast | 10.0 | 200 % |\n"), "{text}");
        assert!(!text.contains("| matmul m=2"), "{text}");
    }
}
