//! The bounds and predicted times as tab-separated values.

use std::collections::HashMap;

use anyhow::{Context as _, Result};
use rocm_kernels::Processor;

use super::case::{Bound, Case, Goal, Longest};
use super::predicted::Predicted;
use super::time::Limit;

/// A case on a processor.
pub(super) struct Row {
    pub(super) processor: &'static str,
    pub(super) group: String,
    pub(super) name: String,
    pub(super) dtype: String,
    pub(super) shape: String,
    pub(super) launches: usize,
    pub(super) bound: Option<Bound>,
    pub(super) predicted: Option<Predicted>,
    /// Of which code it is.
    pub(super) state: String,
    pub(super) error: Option<String>,
}

/// A row for each of a processor's cases, which are of the code of `state`.
pub(super) fn rows(processor: &'static Processor, cases: &[Case], state: &str) -> Vec<Row> {
    let row = |case: &Case| Row {
        processor: processor.name,
        group: case.group.clone(),
        name: case.name.clone(),
        dtype: case.dtype.clone(),
        shape: case.shape.clone(),
        launches: case.launches.len(),
        bound: processor.rates.and_then(|rates| Bound::new(case, processor, &rates)),
        predicted: processor.rates.and_then(|rates| case.predicted(processor, &rates)),
        state: state.to_owned(),
        error: case.error.clone(),
    };
    cases.iter().map(row).collect()
}

/// A table with rows in the place of those of the same cases, and new ones behind those of their group.
pub(super) fn replace(mut table: Vec<Row>, rows: Vec<Row>) -> Vec<Row> {
    for row in rows {
        if let Some(old) = table.iter_mut().find(|old| old.key() == row.key()) {
            *old = row;
        } else {
            let last = table.iter().rposition(|of| (of.processor, &of.group) == (row.processor, &row.group));
            table.insert(last.map_or(table.len(), |last| last + 1), row);
        }
    }
    table
}

/// A table whose rows of these processors are others; those of the rest stay, and all are in the order of the names.
pub(super) fn replace_all(table: Vec<Row>, of: &[&'static Processor], rows: Vec<Row>) -> Vec<Row> {
    let is_of = |row: &Row| of.iter().any(|processor| processor.name == row.processor);
    let mut all: Vec<_> = table.into_iter().filter(|row| !is_of(row)).chain(rows).collect();
    all.sort_by_key(|row| row.processor);
    all
}

impl Row {
    /// What tells it from others.
    fn key(&self) -> [&str; 5] {
        [self.processor, &self.group, &self.name, &self.dtype, &self.shape]
    }

    /// Whether it is of the same case, on any processor.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.key()[1..] == other.key()[1..]
    }

    fn fields(&self) -> Vec<String> {
        let mut fields: Vec<String> = self.key().map(str::to_owned).into();
        let percent = |share: f64| format!("{:.0}", share * 100.);
        let optional = |number: Option<f64>| number.map_or(String::new(), |number| format!("{number:.2}"));
        if let Some(bound) = &self.bound {
            fields.extend([
                format!("{:.2}", bound.time * 1e6),
                bound.goal.name().to_owned(),
                bound.share.map_or(String::new(), percent),
                bound.limit.name().to_owned(),
                optional(bound.overfetch),
                bound.longest.kernel.clone(),
                bound.longest.registers.to_string(),
                bound.longest.lds.to_string(),
                bound.longest.waves.to_string(),
                format!("{:.2}", bound.longest.conflicts),
                self.launches.to_string(),
                format!("{:.4}", bound.longest.ran),
            ]);
            fields.extend(bound.busy.map(percent));
        }
        fields.resize(BOUND.len() + Limit::ALL.len(), String::new());
        if let Some(predicted) = &self.predicted {
            let Predicted { time, busiest, busy, waits } = predicted;
            fields.extend([format!("{:.2}", time * 1e6), busiest.clone(), percent(*busy), waits.clone()]);
        }
        fields.resize(BOUND.len() + Limit::ALL.len() + PREDICTED.len(), String::new());
        let note = if self.bound.is_some() { "" } else { NO_LAUNCH };
        fields.extend([self.state.clone(), self.error.clone().unwrap_or_else(|| note.to_owned())]);
        fields
    }

    /// The inverse of [`Row::fields`], of a line with these titles.
    fn parse(titles: &[&str], line: &str) -> Result<Self> {
        let fields: HashMap<&str, &str> = titles.iter().copied().zip(line.split('\t')).collect();
        let text = |title: &str| fields.get(title).copied().unwrap_or_default();
        let number = |title: &str| text(title).parse::<f64>().with_context(|| title.to_owned());
        let whole = |title: &str| text(title).parse::<usize>().with_context(|| title.to_owned());
        let optional = |title: &str| text(title).parse::<f64>().ok();
        let is_launched = !text("least_us").is_empty();
        let bound = || -> Result<Bound> {
            let mut busy = [0.; Limit::ALL.len()];
            for (busy, limit) in busy.iter_mut().zip(Limit::ALL) {
                *busy = number(limit.name())? / 100.;
            }
            let limit = Limit::ALL.into_iter().find(|limit| limit.name() == text("bound_by"));
            let goal = Goal::ALL.into_iter().find(|goal| goal.name() == text("of"));
            Ok(Bound {
                time: number("least_us")? * 1e-6,
                goal: goal.context("of")?,
                share: optional("share").map(|percent| percent / 100.),
                limit: limit.context("bound_by")?,
                busy,
                overfetch: optional("bytes_moved"),
                longest: Longest {
                    kernel: text("kernel").to_owned(),
                    registers: whole("registers")? as u32,
                    lds: whole("lds")? as u32,
                    waves: whole("waves_per_simd")? as u64,
                    conflicts: number("lds_conflicts")?,
                    ran: number("executed")?,
                },
            })
        };
        let predicted = || -> Result<Predicted> {
            Ok(Predicted {
                time: number("predicted_us")? * 1e-6,
                busiest: text("busiest").to_owned(),
                busy: number("busiest_busy")? / 100.,
                waits: text("waits").to_owned(),
            })
        };
        let note = Some(text("note")).filter(|note| !note.is_empty() && *note != NO_LAUNCH);
        Ok(Self {
            processor: Processor::find(text("processor")).context("processor")?.name,
            group: text("group").to_owned(),
            name: text("case").to_owned(),
            dtype: text("dtype").to_owned(),
            shape: text("shape").to_owned(),
            launches: if is_launched { whole("launches")? } else { 0 },
            bound: is_launched.then(bound).transpose()?,
            predicted: (!text("predicted_us").is_empty()).then(predicted).transpose()?,
            state: text("state").to_owned(),
            error: note.map(str::to_owned),
        })
    }

    /// A line for people.
    pub(super) fn summary(&self) -> String {
        self.fields().join(" ")
    }
}

/// Noted of a case that HIP serves itself.
pub(super) const NO_LAUNCH: &str = "no launch";

/// The columns before those of the units.
const BOUND: [&str; 17] = [
    "processor",
    "group",
    "case",
    "dtype",
    "shape",
    "least_us",
    "of",
    "share",
    "bound_by",
    "bytes_moved",
    "kernel",
    "registers",
    "lds",
    "waves_per_simd",
    "lds_conflicts",
    "launches",
    "executed",
];

/// The columns behind those of the units.
const PREDICTED: [&str; 4] = ["predicted_us", "busiest", "busiest_busy", "waits"];
const LAST: [&str; 2] = ["state", "note"];

pub(super) fn table(rows: &[Row]) -> String {
    let titles = BOUND.into_iter().chain(Limit::ALL.map(Limit::name)).chain(PREDICTED).chain(LAST);
    let mut text = titles.collect::<Vec<_>>().join("\t") + "\n";
    for row in rows {
        text.push_str(&row.fields().join("\t").replace('\n', " "));
        text.push('\n');
    }
    text
}

/// The rows of a table, as [`table`] writes it.
pub(super) fn parse(table: &str) -> Result<Vec<Row>> {
    let mut lines = table.lines();
    let titles: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    lines.map(|line| Row::parse(&titles, line).with_context(|| format!("in \"{line}\""))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> String {
        let path = tools_common::root().join("candle/bench/results/bound.tsv");
        std::fs::read_to_string(path).expect("the bounds")
    }

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let text = results();
        assert_eq!(table(&parse(&text).expect("rows")), text);
    }

    #[test]
    fn rows_are_replaced_by_those_of_the_same_case() {
        let rows = || parse(&results()).expect("rows");
        let all = rows().len();
        let mut first = rows().swap_remove(0);
        first.launches = 77;
        let mut new = rows().swap_remove(0);
        new.name = "another".to_owned();
        let (processor, group) = (first.processor, first.group.clone());
        let replaced = replace(rows(), vec![first, new]);
        assert_eq!((replaced.len(), replaced[0].launches), (all + 1, 77));
        let at = replaced.iter().position(|row| row.name == "another").expect("the new row");
        assert!((replaced[at].processor, &replaced[at].group) == (processor, &group));
        assert!(replaced[at + 1].group != group && replaced[at - 1].group == group);
    }
}
