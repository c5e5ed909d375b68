//! The times of launches, summed by kernel and by what takes them, and multiplied by the layers that there are.

use std::collections::BTreeMap;

use candle_rocm_gfx::time::{Log, Prediction};
use rocm_kernels::cards::Card;
use serde_json::{Value, json};

/// Times of launches. Differences and multiples are times of other numbers of layers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sum {
    rows: BTreeMap<Row, Times>,
}

/// A kernel, and what most of its time goes to.
type Row = (String, String);

/// Launches, seconds in which they run, and seconds from the end of each to the start of the next one.
type Times = [f64; 3];

/// A part that is busy for this share of a launch is what limits it; where none is, its waves wait.
const BUSY: f64 = 0.5;

/// What most of a launch's time goes to.
fn limit(prediction: &Prediction) -> String {
    let busiest = prediction.busy.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let longest = prediction.stalled.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    match (busiest, longest) {
        (Some((name, share)), _) if *share >= BUSY => (*name).to_owned(),
        (_, Some((stall, _))) => format!("waits for {}", stall.name()),
        _ => String::new(),
    }
}

impl Sum {
    /// Of launches between which and their next turn so many bytes are touched.
    pub(crate) fn of(log: &Log, card: &Card, between: u64) -> Self {
        let mut all = Self::default();
        for (trace, prediction) in log.launches().zip(log.predict(card, between)) {
            let [launches, running, gaps] =
                all.rows.entry((trace.kernel.clone(), limit(&prediction))).or_default();
            *launches += 1.;
            *running += prediction.running;
            *gaps += prediction.seconds - prediction.running;
        }
        all
    }

    /// Adds `times` the difference of two others.
    pub(crate) fn add(&mut self, times: f64, more: &Self, less: &Self) {
        for (other, times) in [(more, times), (less, -times)] {
            for (row, values) in &other.rows {
                let own = self.rows.entry(row.clone()).or_default();
                own.iter_mut().zip(values).for_each(|(own, value)| *own += times * value);
            }
        }
    }

    fn total(&self, of: impl Fn(&Times) -> f64) -> f64 {
        self.rows.values().map(of).sum()
    }

    /// Seconds of all, number of launches, seconds by what takes them, and the kernels that take longest.
    pub(crate) fn to_json(&self) -> Value {
        let mut limits: BTreeMap<&str, f64> = BTreeMap::new();
        for ((_, limit), [_, running, _]) in &self.rows {
            *limits.entry(limit).or_default() += running;
        }
        limits.insert("launches", self.total(|[_, _, gaps]| *gaps));
        let kernels = self.rows.iter().map(|((kernel, limit), [launches, running, _])| {
            json!({ "kernel": kernel, "limit": limit, "launches": launches, "seconds": running })
        });
        json!({
            "seconds": self.total(|[_, running, gaps]| running + gaps),
            "launches": self.total(|[launches, ..]| *launches),
            "limits": limits,
            "kernels": kernels.collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(rows: &[(&str, Times)]) -> Sum {
        let row = |(kernel, times): &(&str, Times)| (((*kernel).to_owned(), "memory".to_owned()), *times);
        Sum { rows: rows.iter().map(row).collect() }
    }

    #[test]
    fn a_layer_is_the_difference_of_two_models() {
        let base = sum(&[("embedding", [1., 2., 1.]), ("product", [4., 8., 4.])]);
        let more = sum(&[("embedding", [1., 2., 1.]), ("product", [6., 12., 6.]), ("norm", [1., 0.5, 1.])]);
        let mut all = base.clone();
        all.add(10., &more, &base);
        let expected =
            sum(&[("embedding", [1., 2., 1.]), ("product", [24., 48., 24.]), ("norm", [10., 5., 10.])]);
        assert_eq!(all, expected);
        let json = all.to_json();
        assert_eq!(json["seconds"], 55. + 35.);
        assert_eq!(json["launches"], 35.);
        assert_eq!(json["limits"], json!({ "memory": 55., "launches": 35. }));
    }
}
