//! What an owner's report says: times of the benchmarks on a real card.

use std::path::Path;

use anyhow::{Context as _, Result};
use rocm_kernels::cards::{CARDS, Card};
use serde::Deserialize;

use super::Compared;
use super::published::Published;

/// `report.json` of `cargo xtask card`, as far as it is about time.
#[derive(Deserialize)]
pub(super) struct Report {
    bench: Bench,
    #[serde(default)]
    sensors: Vec<Sensor>,
}

#[derive(Deserialize)]
struct Bench {
    /// The set-up: card, driver, date and so on.
    lines: Vec<(String, String)>,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    group: String,
    case: String,
    dtype: String,
    shape: String,
    rocm_us: Option<f64>,
}

#[derive(Deserialize)]
struct Sensor {
    name: String,
    unit: String,
    mean: f64,
    highest: f64,
}

/// A case that was predicted, as `candle-rocm-bench --count` writes it.
#[derive(Deserialize)]
struct Predicted {
    group: String,
    case: String,
    dtype: String,
    shape: String,
    /// Seconds.
    predicted: Option<f64>,
}

/// Groups that owners' cards compute with rocBLAS and MIOpen, while candle-rocm's own kernels are predicted.
const BY_LIBRARIES: [&str; 2] = ["matmul", "convolution"];

/// What says something about the card's numbers.
const SETUP: [&str; 6] = ["card", "driver", "tuning", "commit", "date", "copy bandwidth, GB/s"];

impl Report {
    pub(super) fn read(file: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
        serde_json::from_str(&text)
            .with_context(|| format!("{} is no report.json of cargo xtask card", file.display()))
    }

    fn setup(&self, name: &str) -> Option<&str> {
        self.bench.lines.iter().find(|(what, _)| what == name).map(|(_, value)| &**value)
    }

    /// The card, if it has a known name, or else the first one that is known of its processor.
    pub(super) fn card(&self) -> Result<&'static Card> {
        let name = self.setup("card").context("the report does not say which card it is of")?;
        let own = CARDS.iter().find(|card| name.contains(card.rates.product));
        let alike = || CARDS.iter().find(|card| name.contains(&format!("({}", card.processor)));
        own.or_else(alike)
            .with_context(|| format!("no numbers are known of {name}: --card NAME takes another card's"))
    }

    /// What is known of the card while it was timed.
    pub(super) fn facts(&self) -> String {
        let setup = SETUP.iter().filter_map(|name| Some(format!("{name}: {}\n", self.setup(name)?)));
        let sensors = self.sensors.iter().map(|sensor| {
            let Sensor { name, unit, mean, highest } = sensor;
            format!("{name}: {mean:.0} {unit} on average, {highest:.0} at most\n")
        });
        setup.chain(sensors).collect()
    }

    /// Its times of our kernels beside those that were predicted: lines of JSON.
    pub(super) fn compare(&self, card: &Card, predictions: &str) -> Result<Vec<Compared>> {
        let mut all = Vec::new();
        for line in predictions.lines() {
            let of: Predicted = serde_json::from_str(line)?;
            if BY_LIBRARIES.contains(&&*of.group) {
                continue;
            }
            let own = self.bench.rows.iter().find(|row| {
                (&row.group, &row.case, &row.dtype, &row.shape) == (&of.group, &of.case, &of.dtype, &of.shape)
            });
            let (Some(us), Some(predicted)) = (own.and_then(|row| row.rocm_us), of.predicted) else {
                continue;
            };
            let published = Published {
                card: card.rates.product.to_owned(),
                family: of.group,
                parameters: format!("{} {} {}", of.case, of.dtype, of.shape),
                case: of.case,
                kernel: String::new(),
                us,
                is_fitted: false,
                source: "the report".to_owned(),
            };
            all.push(Compared { published, predicted: predicted * 1e6, reasons: String::new() });
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(card: &str) -> Report {
        let row = |group: &str, case: &str, us: Option<f64>| {
            serde_json::json!({
                "group": group, "case": case, "dtype": "f32", "shape": "8192x8192",
                "rocm_us": us, "torch_us": null, "note": "",
            })
        };
        serde_json::from_value(serde_json::json!({
            "format": 1, "platform": "amd", "machine": [["CPU", "some"]],
            "bench": {
                "lines": [["card", card], ["driver", "amdgpu 6.14"], ["copy bandwidth, GB/s", "790"]],
                "rows": [
                    row("elementwise", "exp", Some(700.)),
                    row("elementwise", "sin", None),
                    row("elementwise", "cos", Some(10.)),
                    row("matmul", "matmul_nn", Some(10.)),
                ],
                "errors": [],
            },
            "sensors": [{ "name": "card0 shader clock", "unit": "MHz", "mean": 2430.2, "highest": 2710. }],
        }))
        .unwrap()
    }

    #[test]
    fn times_are_compared_by_case_and_shape() {
        let report = report("AMD Radeon RX 7900 XTX (gfx1100)");
        let card = report.card().unwrap();
        assert_eq!(card.rates.product, "Radeon RX 7900 XTX");
        assert_eq!(
            report.facts(),
            "card: AMD Radeon RX 7900 XTX (gfx1100)\ndriver: amdgpu 6.14\ncopy bandwidth, GB/s: 790\n\
             card0 shader clock: 2430 MHz on average, 2710 at most\n"
        );
        let line = |group: &str, case: &str, shape: &str, seconds: Option<f64>| {
            let of = serde_json::json!({
                "group": group, "case": case, "dtype": "f32", "shape": shape, "predicted": seconds,
                "bytes": 1, "launches": [], "error": null,
            });
            format!("{of}\n")
        };
        let predictions = line("elementwise", "exp", "8192x8192", Some(770e-6))
            + &line("elementwise", "exp", "1x4096", Some(1e-6))
            + &line("elementwise", "sin", "8192x8192", Some(1e-6))
            + &line("elementwise", "cos", "8192x8192", None)
            + &line("matmul", "matmul_nn", "8192x8192", Some(1e-6));
        let compared = report.compare(card, &predictions).unwrap();
        assert_eq!(compared.len(), 1, "those of our kernels that have both times");
        assert!((compared[0].error() - 0.1).abs() < 1e-9);
        assert_eq!(compared[0].published.parameters, "exp f32 8192x8192");
    }

    #[test]
    fn cards_without_a_name_are_known_by_their_processor() {
        assert_eq!(report("AMD Radeon Graphics (gfx1151)").card().unwrap().rates.product, "Radeon 8060S");
        assert_eq!(
            report("AMD Instinct MI300X (gfx942:sramecc+:xnack-)").card().unwrap().processor,
            "gfx942"
        );
        assert!(report("CPU (host)").card().is_err());
    }
}
