//! The bounds as tab-separated values.

use rocm_kernels::Processor;

use super::case::{Bound, Case, Goal};
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
    pub(super) error: Option<String>,
}

/// A row for each case and processor.
pub(super) fn rows(bounds: &[(&'static Processor, Vec<Case>)]) -> Vec<Row> {
    let row = |processor: &'static Processor, case: &Case| Row {
        processor: processor.name,
        group: case.group.clone(),
        name: case.name.clone(),
        dtype: case.dtype.clone(),
        shape: case.shape.clone(),
        launches: case.launches.len(),
        bound: processor.rates.and_then(|rates| Bound::new(case, processor, &rates)),
        error: case.error.clone(),
    };
    bounds.iter().flat_map(|(processor, cases)| cases.iter().map(|case| row(processor, case))).collect()
}

impl Row {
    fn fields(&self) -> Vec<String> {
        let mut fields: Vec<String> =
            [self.processor, &self.group, &self.name, &self.dtype, &self.shape].map(str::to_owned).into();
        let Some(bound) = &self.bound else {
            fields.resize(TITLES.len() + Limit::ALL.len() - 1, String::new());
            fields.push(self.error.clone().unwrap_or_else(|| "no launch".to_owned()));
            return fields;
        };
        let goal = match bound.goal {
            Goal::Bandwidth => "bandwidth",
            Goal::Arithmetic => "arithmetic",
            Goal::None => "",
        };
        let percent = |share: f64| format!("{:.0}", share * 100.);
        let optional = |number: Option<f64>| number.map_or(String::new(), |number| format!("{number:.2}"));
        fields.extend([
            format!("{:.2}", bound.time * 1e6),
            goal.to_owned(),
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
        fields.push(self.error.clone().unwrap_or_default());
        fields
    }

    /// A line for people.
    pub(super) fn summary(&self) -> String {
        self.fields().join(" ")
    }
}

/// The columns before those of the units, and the one behind them.
const TITLES: [&str; 18] = [
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
    "note",
];

pub(super) fn table(rows: &[Row]) -> String {
    let mut titles: Vec<&str> = TITLES[..TITLES.len() - 1].to_vec();
    titles.extend(Limit::ALL.map(Limit::name));
    titles.push("note");
    let mut text = titles.join("\t") + "\n";
    for row in rows {
        text.push_str(&row.fields().join("\t").replace('\n', " "));
        text.push('\n');
    }
    text
}
