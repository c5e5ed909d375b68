//! The error that is known of the model of time, from the rows of validation.md that were not fitted.

use anyhow::{Context as _, Result, ensure};
use rocm_kernels::cards::{CARDS, Card};
use tools_common::root;

use crate::figures::quantile;

/// Measurements beside their predictions.
pub(crate) struct Known {
    rows: Vec<Row>,
}

struct Row {
    /// The card's product.
    card: String,
    family: String,
    measured: f64,
    predicted: f64,
}

impl Row {
    /// As a share of what was measured.
    fn error(&self) -> f64 {
        (self.predicted / self.measured - 1.).abs()
    }

    /// By how much the predicted ratio of two times is too large or too small, if both are of one card and family.
    fn error_of_ratio(&self, other: &Self) -> Option<f64> {
        let is_pair = self.card == other.card && self.family == other.family;
        let of = |row: &Self| row.predicted / row.measured;
        is_pair.then(|| (of(self) / of(other)).max(of(other) / of(self)) - 1.)
    }
}

/// The error to expect of a card's kernels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expected {
    pub(crate) median: f64,
    pub(crate) percentile90: f64,
    pub(crate) rows: usize,
    /// Whose times these are.
    pub(crate) of: String,
}

/// Fewer rows say nothing.
const LEAST: usize = 5;

impl Known {
    /// What the repository's page says.
    pub(crate) fn read() -> Result<Self> {
        let file = root().join("platforms/gfx/validation.md");
        let text =
            std::fs::read_to_string(&file).with_context(|| format!("{} cannot be read", file.display()))?;
        Self::parse(&text).with_context(|| format!("{} cannot be read", file.display()))
    }

    pub(crate) fn parse(page: &str) -> Result<Self> {
        let mut rows = Vec::new();
        for line in page.lines() {
            let fields: Vec<&str> = line.split('|').map(str::trim).collect();
            let &[_, card, family, _, measured, predicted, _, fitted, _, _] = &*fields else { continue };
            let (Ok(measured), Ok(predicted)) = (measured.parse::<f64>(), predicted.parse::<f64>()) else {
                continue;
            };
            if fitted.is_empty() {
                rows.push(Row { card: card.to_owned(), family: family.to_owned(), measured, predicted });
            }
        }
        ensure!(!rows.is_empty(), "it has no rows that were not fitted");
        Ok(Self { rows })
    }

    /// The larger error of those of the card itself and of all cards of its generation, as far as there are rows of them; else that of
    /// all cards.
    pub(crate) fn of(&self, card: &Card) -> Expected {
        self.nearest(card, |rows| rows.iter().map(|row| row.error()).collect())
    }

    /// The same of ratios of two times, those of variants of one kernel on one card. What the model has wrong of a card is in both times,
    /// but it may be wrong about what one of them waits for.
    pub(crate) fn of_ratios(&self, card: &Card) -> Expected {
        self.nearest(card, |rows| {
            let pairs = rows
                .iter()
                .enumerate()
                .flat_map(|(at, one)| rows[at + 1..].iter().map(move |other| (one, other)));
            pairs.filter_map(|(one, other)| one.error_of_ratio(other)).collect()
        })
    }

    fn nearest(&self, card: &Card, errors: impl Fn(&[&Row]) -> Vec<f64>) -> Expected {
        let expected = |of: String, is_wanted: &dyn Fn(&str) -> bool| {
            let rows: Vec<&Row> = self.rows.iter().filter(|row| is_wanted(&row.card)).collect();
            Expected::new(of, errors(&rows))
        };
        let own = expected(card.rates.product.to_owned(), &|product| product == card.rates.product);
        let generation = generation(card.processor);
        let alike = expected(format!("cards of gfx{generation}"), &|product| {
            CARDS.iter().any(|of| of.rates.product == product && self::generation(of.processor) == generation)
        });
        // Of two that are as bad the last one is taken.
        let nearest = [alike, own].into_iter().filter(|expected| expected.rows >= LEAST);
        let worst = nearest.max_by(|a, b| a.percentile90.total_cmp(&b.percentile90));
        worst.unwrap_or_else(|| {
            expected(format!("all cards, as there are too few of gfx{generation}"), &|_| true)
        })
    }
}

impl Expected {
    fn new(of: String, mut errors: Vec<f64>) -> Self {
        errors.sort_unstable_by(f64::total_cmp);
        Self { median: quantile(&errors, 0.5), percentile90: quantile(&errors, 0.9), rows: errors.len(), of }
    }
}

/// All but the last two digits: `11` of `gfx1100`, `9` of `gfx90a`.
fn generation(processor: &str) -> &str {
    let digits = processor.trim_start_matches("gfx");
    &digits[..digits.len().saturating_sub(2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(card: &str, measured: f64, predicted: f64, fitted: &str) -> String {
        format!("| {card} | family | n=1 | {measured} | {predicted} | +0 % | {fitted} | source |\n")
    }

    #[test]
    fn the_error_is_that_of_the_nearest_cards() {
        let times = |card: &str, error: f64, count: usize| row(card, 10., 10. + error, "").repeat(count);
        let page = "| Card | Family | Parameters | Measured, us | Predicted, us | Error | Fitted | Source |\n"
            .to_owned()
            + &row("Instinct MI300X", 1., 9., "fitted")
            + &times("Instinct MI300X", -4., 5)
            + &times("Instinct MI210", 2., 5)
            + &times("Radeon 8060S", 1., 6) + &times("Radeon RX 7900 XTX", 0., 4);
        let known = Known::parse(&page).unwrap();
        let of = |product: &str| known.of(Card::find(product).unwrap());
        let own = of("MI300X");
        assert_eq!((own.rows, &*own.of), (5, "Instinct MI300X"));
        assert!((own.median - 0.4).abs() < 1e-9);
        // Others of its generation are predicted worse.
        assert_eq!((of("MI210").rows, &*of("MI210").of), (10, "cards of gfx9"));
        assert_eq!((of("RX 7900 XTX").rows, &*of("RX 7900 XTX").of), (10, "cards of gfx11"));
        assert_eq!(of("RX 9070 XT").rows, 20);
        assert!(Known::parse("nothing").is_err());
    }

    #[test]
    fn ratios_are_those_of_a_family() {
        // Whatever is wrong with both times alike is no error of their ratio.
        let page = row("Radeon 8060S", 10., 20., "").repeat(4) + &row("Radeon 8060S", 10., 30., "");
        let other = row("Radeon 8060S", 10., 90., "").replace("family", "another one");
        let ratios = Known::parse(&(page + &other)).unwrap().of_ratios(Card::find("Radeon 8060S").unwrap());
        assert_eq!((ratios.rows, ratios.median), (10, 0.));
        assert!((ratios.percentile90 - 0.5).abs() < 1e-9, "{ratios:?}");
    }

    #[test]
    fn the_page_is_read() {
        let known = Known::read().unwrap();
        assert!(known.rows.len() > 100);
        for card in CARDS {
            assert!(known.of(card).percentile90 > 0. && known.of_ratios(card).percentile90 > 0.);
        }
    }
}
