//! A row of the results.

use crate::bars::Bar;
use crate::card::Card;
use crate::case::Case;

/// The measurements of a case. Times are in microseconds per operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) group: String,
    pub(crate) name: String,
    pub(crate) dtype: String,
    pub(crate) shape: String,
    pub(crate) bytes: f64,
    pub(crate) flops: f64,
    pub(crate) ours: Option<f64>,
    pub(crate) stock: Option<f64>,
    /// Whether the time is from an earlier run.
    pub(crate) stock_earlier: bool,
    pub(crate) torch: Option<f64>,
    pub(crate) torch_earlier: bool,
    /// Bandwidth relative to that of a copy.
    pub(crate) of_copy: Option<f64>,
    pub(crate) difference: Option<f64>,
    pub(crate) tolerance: Option<f64>,
    pub(crate) ours_failed: bool,
    pub(crate) bars: String,
    pub(crate) verdict: Verdict,
    pub(crate) note: String,
}

/// Whether the bars are met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Verdict {
    Met,
    Missed,
    #[default]
    Unknown,
}

impl Verdict {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Verdict::Met => "met",
            Verdict::Missed => "MISSED",
            Verdict::Unknown => "",
        }
    }
}

impl Row {
    pub(crate) fn of(case: &Case) -> Self {
        Self {
            group: case.group.to_owned(),
            name: case.name.to_owned(),
            dtype: case.dtype.clone(),
            shape: case.shape.clone(),
            bytes: case.bytes,
            flops: case.flops,
            tolerance: case.tolerance,
            ..Self::default()
        }
    }

    /// Derives the verdict from the times. Every case must at least be as fast as candle, in addition to its own bars.
    pub(crate) fn judge(&mut self, case: &Case, card: &Card, others: &[Row]) {
        let mut bars = case.bars.clone();
        if !bars.iter().any(|bar| matches!(bar, Bar::Stock(_))) {
            bars.push(Bar::Stock(1.));
        }
        let met: Vec<_> = bars.iter().map(|bar| bar.met(self, card, others)).collect();
        self.verdict = if met.contains(&Some(false)) {
            Verdict::Missed
        } else if met.contains(&Some(true)) {
            Verdict::Met
        } else {
            Verdict::Unknown
        };
        self.bars = bars.iter().map(Bar::text).collect::<Vec<_>>().join(", ");
        self.of_copy = match (self.gigabytes(), card.copy) {
            (Some(gigabytes), Some(copy)) => Some(gigabytes / copy),
            _ => None,
        };
    }

    /// GB/s, counting each operand once.
    pub(crate) fn gigabytes(&self) -> Option<f64> {
        self.ours.filter(|_| self.bytes > 0.).map(|micros| self.bytes / micros / 1e3)
    }

    /// Speed relative to candle's own backend.
    pub(crate) fn over_stock(&self) -> Option<f64> {
        Some(self.stock? / self.ours?)
    }

    /// Speed relative to PyTorch.
    pub(crate) fn over_torch(&self) -> Option<f64> {
        Some(self.torch? / self.ours?)
    }

    /// Whether the results differ by more than the tolerance.
    pub(crate) fn differs(&self) -> bool {
        matches!((self.difference, self.tolerance), (Some(difference), Some(most)) if difference > most)
    }

    /// Whether candle-rocm failed or gave a different result.
    pub(crate) fn is_wrong(&self) -> bool {
        self.ours_failed || self.differs()
    }

    /// For the terminal.
    pub(crate) fn summary(&self) -> String {
        let time = |time: Option<f64>| time.map_or("-".to_owned(), |micros| format!("{micros:.2} us"));
        let mut text = format!("{} {} {}: {}", self.name, self.dtype, self.shape, time(self.ours));
        if let (Some(_), Some(ratio)) = (self.stock, self.over_stock()) {
            text += &format!(", candle {} ({ratio:.2}x)", time(self.stock));
        }
        if let Some(of_copy) = self.of_copy.filter(|of_copy| *of_copy > 0.05) {
            text += &format!(", {:.0} % of copy", of_copy * 100.);
        }
        if self.differs() {
            text += &format!(", DIFFERS by {:.1e}", self.difference.unwrap_or_default());
        }
        if self.verdict == Verdict::Missed {
            text += &format!(", MISSED ({})", self.bars);
        }
        if !self.note.is_empty() {
            text += &format!(" [{}]", self.note);
        }
        text
    }
}
