//! Results of an earlier run, for what this run cannot measure.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result};

use crate::row::Row;

/// Times of candle's CUDA backend and of PyTorch in microseconds, by operation, type and shape.
#[derive(Default)]
pub(crate) struct Earlier(HashMap<[String; 3], (Option<f64>, Option<f64>)>);

impl Earlier {
    /// Reads a TSV file with the columns `case`, `dtype` and `shape`, and columns whose names start with `candle_us` or `torch_us`,
    /// of which the first nonempty one counts.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let titles: Vec<&str> = lines.next().context("the file has no header")?.split('\t').collect();
        let column = |title: &str| {
            titles
                .iter()
                .position(|known| *known == title)
                .with_context(|| format!("{} has no column {title}", file.display()))
        };
        let key = [column("case")?, column("dtype")?, column("shape")?];
        let mut times = HashMap::new();
        for line in lines {
            let fields: Vec<&str> = line.split('\t').collect();
            let field = |i: usize| fields.get(i).copied().unwrap_or_default();
            let time = |prefix: &str| {
                let filled = titles.iter().enumerate().filter(|(_, title)| title.starts_with(prefix));
                filled.filter_map(|(i, _)| field(i).parse().ok()).next()
            };
            times.insert(key.map(|i| field(i).to_owned()), (time("candle_us"), time("torch_us")));
        }
        Ok(Self(times))
    }

    pub(crate) fn fill(&self, row: &mut Row) {
        let key = [&row.name, &row.dtype, &row.shape].map(String::clone);
        let Some(&(stock, torch)) = self.0.get(&key) else { return };
        if row.stock.is_none() && stock.is_some() {
            (row.stock, row.stock_earlier) = (stock, true);
        }
        if row.torch.is_none() && torch.is_some() {
            (row.torch, row.torch_earlier) = (torch, true);
        }
    }
}
