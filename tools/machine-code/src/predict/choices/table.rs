//! The times of all candidates, as a table that is kept beside what ships.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use super::folder;

pub(super) const NAME: &str = "predicted.tsv";
const TITLES: &str = "card\tgroup\tcase\tdtype\tshape\tclass\twith_libraries\tfixed\tmicroseconds\n";

/// What a case asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// The product.
    pub(super) card: String,
    /// Group, name, dtype and shape.
    pub(super) case: [String; 4],
    pub(super) class: String,
    pub(super) with_libraries: Option<String>,
    /// The candidate that the rule chooses.
    pub(super) fixed: String,
    /// Microseconds of the case by each candidate.
    pub(super) times: BTreeMap<String, f64>,
}

impl Row {
    /// The rule's time as a multiple of a candidate's.
    pub(super) fn gain(&self, candidate: &str) -> Option<f64> {
        Some(self.times.get(&self.fixed)? / self.times.get(candidate)?)
    }

    fn line(&self) -> String {
        let times: Vec<String> = self.times.iter().map(|(name, us)| format!("{name}={us:.2}")).collect();
        let times = times.join(" ");
        let libraries = self.with_libraries.as_deref().unwrap_or_default();
        let fields = [&self.card].into_iter().chain(&self.case).chain([&self.class]).map(|field| &**field);
        let fields: Vec<&str> = fields.chain([libraries, &self.fixed, &times]).collect();
        fields.join("\t") + "\n"
    }

    fn parse(line: &str) -> Result<Self> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [card, group, case, dtype, shape, class, with_libraries, fixed, times] = fields[..] else {
            bail!("it has {} fields", fields.len());
        };
        let time = |time: &str| -> Result<(String, f64)> {
            let (name, us) = time.split_once('=').context("a time has a name")?;
            Ok((name.to_owned(), us.parse()?))
        };
        Ok(Self {
            card: card.to_owned(),
            case: [group, case, dtype, shape].map(str::to_owned),
            class: class.to_owned(),
            with_libraries: (!with_libraries.is_empty()).then(|| with_libraries.to_owned()),
            fixed: fixed.to_owned(),
            times: times.split(' ').map(time).collect::<Result<_>>()?,
        })
    }
}

/// The table; empty if there is none yet.
pub(super) fn read() -> Result<Vec<Row>> {
    let file = folder().join(NAME);
    match fs::read_to_string(&file) {
        Ok(text) => parse(&text).with_context(|| file.display().to_string()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error).with_context(|| file.display().to_string()),
    }
}

fn parse(text: &str) -> Result<Vec<Row>> {
    text.lines().skip(1).map(|line| Row::parse(line).with_context(|| line.to_owned())).collect()
}

pub(super) fn render(rows: &[Row]) -> String {
    TITLES.to_owned() + &rows.iter().map(Row::line).collect::<String>()
}

/// A case that was predicted, as `candle-rocm-bench --contests` writes it.
#[derive(Deserialize)]
struct Case {
    group: String,
    case: String,
    dtype: String,
    shape: String,
    contests: Vec<Contest>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct Contest {
    classes: Vec<String>,
    fixed: String,
    seconds: BTreeMap<String, f64>,
}

/// Puts what was predicted of a card's cases in the place of what there was of them.
pub(super) fn replace(all: &mut Vec<Row>, card: &str, lines: &str) -> Result<()> {
    for line in lines.lines() {
        let Case { group, case, dtype, shape, contests, error } = serde_json::from_str(line)?;
        let case = [group, case, dtype, shape];
        if let Some(error) = error {
            bail!("{}: {error}", case.join(" "));
        }
        all.retain(|row| row.card != card || row.case != case);
        for Contest { classes, fixed, seconds } in contests {
            let mut classes = classes.into_iter();
            all.push(Row {
                card: card.to_owned(),
                case: case.clone(),
                class: classes.next().context("a contest has a class")?,
                with_libraries: classes.next(),
                fixed,
                times: seconds.into_iter().map(|(name, seconds)| (name, seconds * 1e6)).collect(),
            });
        }
    }
    all.sort_by(|a, b| (&a.card, &a.class, &a.case).cmp(&(&b.card, &b.class, &b.case)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::row;
    use super::*;

    #[test]
    fn tables_are_read_back() {
        let mut all = vec![row("one", "a", &[("a", 1.25), ("b", 2.5)]), row("two", "b", &[("b", 10.)])];
        all[1].with_libraries = None;
        assert_eq!(parse(&render(&all)).unwrap(), all);
        assert!(parse("titles\nnothing\n").is_err());
    }

    #[test]
    fn cases_replace_their_rows() {
        let mut all = vec![row("one", "a", &[("a", 1.)]), row("two", "a", &[("a", 1.)])];
        all[1].card = "another".to_owned();
        let line = |contests: serde_json::Value, error: Option<&str>| {
            let [group, case, dtype, shape] = &row("", "", &[]).case;
            let line = serde_json::json!({
                "group": group, "case": case, "dtype": dtype, "shape": shape, "contests": contests, "error": error,
            });
            format!("{line}\n")
        };
        let contest = serde_json::json!([
            { "classes": ["three", "three rocblas"], "fixed": "b", "seconds": { "b": 3e-6, "c": 4e-6 } },
        ]);
        replace(&mut all, "Radeon RX 7900 XTX", &line(contest, None)).unwrap();
        let mut want = [row("three", "b", &[("b", 3.), ("c", 4.)]), row("two", "a", &[("a", 1.)])];
        want[1].card = "another".to_owned();
        assert_eq!(parse(&render(&all)).unwrap(), want);
        assert!(replace(&mut all, "another", &line(serde_json::json!([]), Some("failed"))).is_err());
        replace(&mut all, "another", &line(serde_json::json!([]), None)).unwrap();
        assert_eq!(all.len(), 1);
    }
}
