//! The comparison as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use candle_rocm_gfx::time::Prediction;
use rocm_kernels::cards::Card;

use super::Compared;
use crate::figures::{quantile, short};

/// What a card's numbers are, and where they are from.
pub(super) fn figures(card: &Card) -> String {
    let mut text = format!("\n{} ({})\n", card.rates.product, card.processor);
    for (name, figure) in card.figures() {
        let (low, high) = figure.range;
        let range = if low < high { format!(" ({low} to {high})") } else { String::new() };
        let _ = writeln!(text, "  {name:<32} {:>8}{range}: {}", figure.value, figure.source);
    }
    text
}

/// What most of a launch's time goes to.
pub(super) fn reasons(prediction: &Prediction) -> String {
    let percent = |name: &str, share: f64| (share >= 0.05).then(|| format!("{name} {:.0} %", share * 100.));
    let busy = prediction.busy.iter().filter_map(|(name, share)| percent(name, *share));
    let stalled = prediction.stalled.iter().filter_map(|(stall, share)| percent(stall.name(), *share));
    format!(
        "busy: {}; waits: {}",
        busy.collect::<Vec<_>>().join(", "),
        stalled.collect::<Vec<_>>().join(", ")
    )
}

/// A line for each measurement.
pub(super) fn rows(all: &[Compared], with_reasons: bool) -> String {
    let mut text =
        "| Card | Family | Parameters | Measured, us | Predicted, us | Error | Fitted | Source |\n|---|---|---|---|---|---|---|---|\n"
            .to_owned();
    for row in all {
        let of = &row.published;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {:+.0} % | {} | {} |",
            of.card,
            of.family,
            of.parameters.replace(';', ", "),
            short(of.us),
            short(row.predicted),
            row.error() * 100.,
            if of.is_fitted { "fitted" } else { "" },
            of.source
        );
        if with_reasons {
            let _ = writeln!(text, "    {}", row.reasons);
        }
    }
    text
}

/// The errors by card and family, and by card.
pub(super) fn summary(all: &[Compared]) -> String {
    let mut groups: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for row in all.iter().filter(|row| !row.published.is_fitted) {
        for family in [&*row.published.family, "all"] {
            groups.entry((&row.published.card, family)).or_default().push(row.error().abs());
        }
        groups.entry(("all", "all")).or_default().push(row.error().abs());
    }
    let mut text = "\nErrors of what was not fitted:\n\n| Card | Family | Rows | Median | 90th percentile | Largest |\n|---|---|---|---|---|---|\n".to_owned();
    for ((card, family), mut errors) in groups {
        errors.sort_unstable_by(f64::total_cmp);
        let _ = writeln!(
            text,
            "| {card} | {family} | {} | {:.0} % | {:.0} % | {:.0} % |",
            errors.len(),
            quantile(&errors, 0.5) * 100.,
            quantile(&errors, 0.9) * 100.,
            quantile(&errors, 1.) * 100.
        );
    }
    let (right, pairs) = ranking(all);
    let _ = writeln!(
        text,
        "\nOf {pairs} pairs of one card and family that were not fitted and differ by more than 10 %, {right} are in the right order \
         ({:.0} %).",
        right as f64 / pairs.max(1) as f64 * 100.
    );
    text
}

/// Pairs of a card and family of which one took 10 % longer, and for how many of them that was predicted.
fn ranking(all: &[Compared]) -> (usize, usize) {
    let (mut right, mut pairs) = (0, 0);
    for (at, one) in all.iter().enumerate() {
        for other in &all[at + 1..] {
            let (a, b) = (&one.published, &other.published);
            let is_pair = a.card == b.card && a.family == b.family && !a.is_fitted && !b.is_fitted;
            if !is_pair || (a.us / b.us).max(b.us / a.us) <= 1.1 {
                continue;
            }
            pairs += 1;
            right += usize::from((a.us > b.us) == (one.predicted > other.predicted));
        }
    }
    (right, pairs)
}

/// The page.
pub(super) fn page(all: &[Compared]) -> String {
    format!(
        "# The model of time beside published measurements\n\n\
         `cargo xtask predict --validate --write` writes this page. Kernels of ours, written to the descriptions of what others measured\n\
         (tools/machine-code/src/predict/kernels.hip), are executed as machine code; the model of time (`candle_rocm_gfx::time`) says how\n\
         long they take. Nothing was measured by us. The numbers of a card are those of `cargo xtask predict --figures`; those that rows\n\
         marked as fitted were used to choose, which then say nothing about the model. Launches are repeated, so that caches hold what the\n\
         one before has left.\n{}\n## All rows\n\n{}",
        summary(all),
        rows(all, false)
    )
}

#[cfg(test)]
mod tests {
    use super::super::published::Published;
    use super::*;

    fn row(case: &str, us: f64, predicted: f64, is_fitted: bool) -> Compared {
        let text = |text: &str| text.to_owned();
        let published = Published {
            card: text("a card"),
            family: text("a family"),
            case: text(case),
            kernel: text("a kernel"),
            parameters: text("n=1"),
            us,
            is_fitted,
            source: text("somebody"),
        };
        Compared { published, predicted, reasons: String::new() }
    }

    #[test]
    fn fitted_rows_are_not_in_the_error() {
        let all = [
            row("a", 10., 11., false),
            row("b", 20., 14., false),
            row("c", 10., 90., true),
            row("d", 10.5, 8.4, false),
        ];
        let text = summary(&all);
        assert!(text.contains("| a card | a family | 3 | 20 % | 28 % | 30 % |"), "{text}");
        // a and d differ by less than 10 %.
        assert_eq!(ranking(&all), (2, 2));
        assert!(rows(&all, false).contains("| 10.0 | 90.0 | +800 % | fitted | somebody |"));
    }
}
