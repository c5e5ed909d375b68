//! Results, and the page with the bars.

use std::collections::BTreeMap;
use std::fmt::Write;

/// By name: the best of all turns.
#[derive(Default)]
pub(crate) struct Results(BTreeMap<String, f64>);

/// A row: what is compared, whether less is better, both sides, and the bar for the ratio.
struct Row {
    name: &'static str,
    ours: &'static str,
    other: &'static str,
    unit: &'static str,
    seconds: bool,
    bar: f64,
}

const ROWS: [Row; 5] = [
    Row {
        name: "all-reduce, 256 MB of bf16",
        ours: "all_reduce large ours",
        other: "all_reduce large torch",
        unit: "ms",
        seconds: true,
        bar: 0.95,
    },
    Row {
        name: "all-reduce, 8 KB of bf16",
        ours: "all_reduce small ours",
        other: "all_reduce small torch",
        unit: "ms",
        seconds: true,
        bar: 1. / 1.2,
    },
    Row {
        name: "llama 8B, prefill of 512 tokens",
        ours: "llama prefill all",
        other: "llama prefill one",
        unit: "tokens/s",
        seconds: false,
        bar: 1.6,
    },
    Row {
        name: "llama 8B, decode",
        ours: "llama decode all",
        other: "llama decode one",
        unit: "tokens/s",
        seconds: false,
        bar: 1.3,
    },
    Row {
        name: "training, 8 layers of 4096",
        ours: "training all",
        other: "training one",
        unit: "samples/s",
        seconds: false,
        bar: 1.8,
    },
];

impl Results {
    /// Lines of `name\tvalue`; others are of no interest.
    pub(crate) fn read(&mut self, text: &str) {
        for (name, value) in text.lines().filter_map(|line| line.split_once('\t')) {
            let Ok(value) = value.parse::<f64>() else { continue };
            let best = self.0.entry(name.to_owned()).or_insert(value);
            let less = name.starts_with("all_reduce");
            *best = if less { best.min(value) } else { best.max(value) };
        }
    }

    pub(crate) fn tsv(&self) -> String {
        self.0.iter().map(|(name, value)| format!("{name}\t{value}\n")).collect()
    }

    /// How many times the other side's speed ours is.
    fn speed(&self, row: &Row) -> Option<(f64, f64, f64)> {
        let (ours, other) = (*self.0.get(row.ours)?, *self.0.get(row.other)?);
        Some((ours, other, if row.seconds { other / ours } else { ours / other }))
    }

    pub(crate) fn bars_hold(&self) -> bool {
        ROWS.iter().filter_map(|row| Some((self.speed(row)?.2, row.bar))).all(|(speed, bar)| speed >= bar)
    }

    pub(crate) fn markdown(&self, ranks: u32) -> String {
        let mut page = format!(
            "# {ranks} cards\n\nMade by `parallel-bench`. Collectives beside PyTorch's on the same cards in the same run, the better of two \
             turns; models beside the same model on one card. Weights are invented, in bf16; training is in f32, with gradients in \
             stages.\n\n| | {ranks} cards | beside | speed | bar | |\n|---|---:|---:|---:|---:|---|\n"
        );
        for row in &ROWS {
            let Some((ours, other, speed)) = self.speed(row) else { continue };
            let show =
                |value: f64| if row.seconds { format!("{:.4}", value * 1e3) } else { format!("{value:.0}") };
            let held = if speed >= row.bar { "" } else { "missed" };
            let (ours, other, Row { name, unit, bar, .. }) = (show(ours), show(other), row);
            let _ = writeln!(
                page,
                "| {name} | {ours} {unit} | {other} {unit} | {speed:.2} | {bar:.2} | {held} |"
            );
        }
        page
    }
}
