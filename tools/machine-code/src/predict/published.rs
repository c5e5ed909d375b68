//! What others have measured.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

/// Card, family, case, kernel, parameters, µs of a launch or of what belongs together, whether the card's numbers were chosen by it,
/// and who published it. `published.tsv` holds figures only; what the kernels do is described beside ours in `kernels.hip`.
const TABLE: &str = include_str!("published.tsv");

/// A measurement.
#[derive(Clone, Debug)]
pub(super) struct Published {
    pub(super) card: String,
    pub(super) family: String,
    pub(super) case: String,
    /// The kernel that was written to its description.
    pub(super) kernel: String,
    pub(super) parameters: String,
    pub(super) us: f64,
    pub(super) is_fitted: bool,
    pub(super) source: String,
}

impl Published {
    fn parse(line: &str) -> Result<Self> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [card, family, case, kernel, parameters, us, role, source] = fields[..] else {
            anyhow::bail!("it has {} fields", fields.len());
        };
        Ok(Self {
            card: card.to_owned(),
            family: family.to_owned(),
            case: case.to_owned(),
            kernel: kernel.to_owned(),
            parameters: parameters.to_owned(),
            us: us.parse()?,
            is_fitted: role == "fitted",
            source: source.to_owned(),
        })
    }

    /// Its parameters, by name.
    pub(super) fn parameters(&self) -> Parameters<'_> {
        Parameters(self.parameters.split(';').filter_map(|pair| pair.split_once('=')).collect())
    }
}

pub(super) struct Parameters<'p>(BTreeMap<&'p str, &'p str>);

impl Parameters<'_> {
    pub(super) fn text(&self, name: &str) -> &str {
        self.0.get(name).copied().unwrap_or_default()
    }

    pub(super) fn number(&self, name: &str) -> Result<u32> {
        self.text(name).parse().with_context(|| format!("{name} is not a number"))
    }
}

pub(super) fn all() -> Result<Vec<Published>> {
    let lines = TABLE.lines().skip(1);
    lines.map(|line| Published::parse(line).with_context(|| format!("published.tsv: {line}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_understood() {
        let all = all().unwrap();
        assert!(
            all.len() > 100 && all.iter().any(|row| row.is_fitted) && all.iter().any(|row| !row.is_fitted)
        );
        for row in all {
            assert!(rocm_kernels::cards::Card::find(&row.card).is_some(), "{}", row.card);
            assert!(row.us > 0., "{}", row.case);
        }
    }
}
