//! Results, and the page with the bars.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::measure::PROMPTS;

/// By name: the best of all turns.
#[derive(Default)]
pub(crate) struct Results(BTreeMap<String, f64>);

/// A row: what is compared, whether less is better, both sides, and the bar for the ratio, if it has one.
struct Row {
    name: String,
    ours: String,
    other: String,
    unit: &'static str,
    seconds: bool,
    bar: Option<f64>,
}

impl Row {
    fn new(name: &str, [ours, other]: [&str; 2], bar: impl Into<Option<f64>>) -> Self {
        let (name, ours, other) = (name.to_owned(), ours.to_owned(), other.to_owned());
        Self { name, ours, other, unit: "tokens/s", seconds: false, bar: bar.into() }
    }
}

fn rows() -> Vec<Row> {
    let all_reduce = |name, size, bar: f64| {
        let sides = ["ours", "torch"].map(|side| format!("all_reduce {size} {side}"));
        Row { unit: "ms", seconds: true, ..Row::new(name, sides.each_ref().map(String::as_str), bar) }
    };
    let mut rows = vec![
        all_reduce("all-reduce, 256 MB of bf16", "large", 0.95),
        all_reduce("all-reduce, 8 KB of bf16", "small", 1. / 1.2),
    ];
    for tokens in PROMPTS {
        let side = |side: &str| format!("llama prefill {tokens} {side}");
        let name = format!("llama 8B, prefill of {tokens} tokens");
        rows.push(Row::new(&name, [&side("whole"), &side("one")], 1.6));
        rows.push(Row::new("the same in two parts", [&side("in parts"), &side("one")], None));
    }
    rows.push(Row::new("llama 8B, decode", ["llama decode all", "llama decode one"], 1.3));
    let training = Row::new("training, 8 layers of 4096", ["training all", "training one"], 1.8);
    rows.push(Row { unit: "samples/s", ..training });
    rows
}

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
        let (ours, other) = (*self.0.get(&row.ours)?, *self.0.get(&row.other)?);
        Some((ours, other, if row.seconds { other / ours } else { ours / other }))
    }

    pub(crate) fn bars_hold(&self) -> bool {
        rows().iter().filter_map(|row| Some((self.speed(row)?.2, row.bar?))).all(|(speed, bar)| speed >= bar)
    }

    pub(crate) fn markdown(&self, ranks: u32) -> String {
        let mut page = format!(
            "# {ranks} cards\n\nMade by `parallel-bench`. Collectives beside PyTorch's on the same cards in the same run, the better of two \
             turns; models beside the same model on one card. Weights are invented, in bf16; training is in f32, with gradients in \
             stages.\n\n| | {ranks} cards | beside | speed | bar | |\n|---|---:|---:|---:|---:|---|\n"
        );
        for row in &rows() {
            let Some((ours, other, speed)) = self.speed(row) else { continue };
            let show =
                |value: f64| if row.seconds { format!("{:.4}", value * 1e3) } else { format!("{value:.0}") };
            let held = if row.bar.is_none_or(|bar| speed >= bar) { "" } else { "missed" };
            let bar = row.bar.map_or(String::new(), |bar| format!("{bar:.2}"));
            let (ours, other, Row { name, unit, .. }) = (show(ours), show(other), row);
            let _ =
                writeln!(page, "| {name} | {ours} {unit} | {other} {unit} | {speed:.2} | {bar} | {held} |");
        }
        page
    }
}
