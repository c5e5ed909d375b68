//! The results as tab-separated values, written line by line so that an interrupted run keeps what it has.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

use crate::card::Card;
use crate::row::{Row, Verdict};

const TITLES: [&str; 18] = [
    "group",
    "case",
    "dtype",
    "shape",
    "rocm_us",
    "candle_us",
    "torch_us",
    "over_candle",
    "over_torch",
    "GBs",
    "of_copy",
    "TFLOPs",
    "bars",
    "verdict",
    "difference",
    "tolerance",
    "earlier",
    "note",
];

pub(crate) struct Writer(File);

impl Writer {
    /// Creates the file with the setup lines, each after a `#`, and the column titles.
    pub(crate) fn create(path: &Path, card: &Card) -> Result<Self> {
        let mut file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        for (what, value) in card.lines() {
            writeln!(file, "# {what}\t{value}")?;
        }
        writeln!(file, "{}", TITLES.join("\t"))?;
        Ok(Self(file))
    }

    pub(crate) fn write(&mut self, row: &Row) -> Result<()> {
        let number = |value: Option<f64>, digits: usize| {
            value.map_or(String::new(), |value| format!("{value:.digits$}"))
        };
        let exponent = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.1e}"));
        let teraflops = row.ours.filter(|_| row.flops > 0.).map(|micros| row.flops / micros / 1e6);
        let earlier = match (row.stock_earlier, row.torch_earlier) {
            (true, true) => "candle torch",
            (true, false) => "candle",
            (false, true) => "torch",
            (false, false) => "",
        };
        let fields: [String; TITLES.len()] = [
            row.group.clone(),
            row.name.clone(),
            row.dtype.clone(),
            row.shape.clone(),
            number(row.ours, 3),
            number(row.stock, 3),
            number(row.torch, 3),
            number(row.over_stock(), 2),
            number(row.over_torch(), 2),
            number(row.gigabytes(), 1),
            number(row.of_copy, 3),
            number(teraflops, 2),
            row.bars.clone(),
            row.verdict.text().to_owned(),
            exponent(row.difference),
            exponent(row.tolerance),
            earlier.to_owned(),
            row.note.clone(),
        ];
        writeln!(self.0, "{}", fields.join("\t"))?;
        Ok(self.0.flush()?)
    }
}

/// Reads a file that [`Writer`] wrote.
pub(crate) fn read(path: &Path) -> Result<(Card, Vec<Row>)> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let (mut lines, mut rows) = (Vec::new(), Vec::new());
    for line in text.lines() {
        if let Some(fact) = line.strip_prefix("# ") {
            let (what, value) = fact.split_once('\t').unwrap_or((fact, ""));
            lines.push((what.to_owned(), value.to_owned()));
            continue;
        }
        let fields: Vec<&str> = line.split('\t').collect();
        let Ok(
            [
                group,
                name,
                dtype,
                shape,
                ours,
                stock,
                torch,
                _,
                _,
                gigabytes,
                of_copy,
                teraflops,
                bars,
                verdict,
                difference,
                tolerance,
                earlier,
                note,
            ],
        ) = <[&str; TITLES.len()]>::try_from(fields)
        else {
            anyhow::bail!("expected {1} fields in a line of {0}: {line}", path.display(), TITLES.len())
        };
        if name == "case" {
            continue;
        }
        let number = |text: &str| text.parse::<f64>().ok();
        let ours = number(ours);
        rows.push(Row {
            group: group.to_owned(),
            name: name.to_owned(),
            dtype: dtype.to_owned(),
            shape: shape.to_owned(),
            bytes: number(gigabytes).zip(ours).map_or(0., |(gigabytes, micros)| gigabytes * micros * 1e3),
            flops: number(teraflops).zip(ours).map_or(0., |(teraflops, micros)| teraflops * micros * 1e6),
            ours,
            stock: number(stock),
            stock_earlier: earlier.contains("candle"),
            torch: number(torch),
            torch_earlier: earlier.contains("torch"),
            of_copy: number(of_copy),
            difference: number(difference),
            tolerance: number(tolerance),
            ours_failed: ours.is_none(),
            bars: bars.to_owned(),
            verdict: [Verdict::Met, Verdict::Missed]
                .into_iter()
                .find(|known| known.text() == verdict)
                .unwrap_or_default(),
            note: note.to_owned(),
        });
    }
    Ok((Card::from_lines(lines), rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_rows_are_read_back() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("candle-rocm-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let path = folder.join("bench.tsv");
        let facts = vec![("card".to_owned(), "a card".to_owned())];
        let row = Row {
            group: "matmul".into(),
            name: "nn".into(),
            dtype: "f32".into(),
            shape: "2x2".into(),
            bytes: 4000.,
            ours: Some(2.),
            stock: Some(3.),
            stock_earlier: true,
            verdict: Verdict::Missed,
            ..Row::default()
        };
        Writer::create(&path, &Card::from_lines(facts.clone()))?.write(&row)?;
        let (card, rows) = read(&path)?;
        std::fs::remove_dir_all(&folder)?;
        assert_eq!(card.lines(), facts);
        assert_eq!(rows.len(), 1);
        let read = &rows[0];
        assert_eq!((&read.name, read.ours, read.torch, read.bytes), (&row.name, row.ours, None, row.bytes));
        assert_eq!((read.stock_earlier, read.verdict), (true, Verdict::Missed));
        Ok(())
    }
}
