//! The figures as a table to read.

use std::fmt::Write;

use crate::card::Card;
use crate::misses;
use crate::row::{Row, Verdict};

/// The page: what was measured on, how many bars are met, a table for each group, and what is missed.
pub(crate) fn table(card: &Card, rows: &[Row]) -> String {
    let mut page =
        String::from("# candle-rocm beside candle's own backend and PyTorch, on the same card\n\n");
    page += "Made by `cargo xtask bench`; do not edit. Times are microseconds for one operation, medians, the device \
             synchronised, both sides measured in turns in one process. \"x candle\" and \"x PyTorch\" say how many times as \
             fast candle-rocm is. \"% of copy\" is the bandwidth, with every operand counted once, over that of a copy. candle's \
             memory pool is told to keep its memory while the program waits, which CUDA's default is not to.\n\n";
    page += "| | |\n|---|---|\n";
    for (what, value) in card.lines() {
        line(&mut page, &[what.clone(), value.clone()]);
    }
    summary(&mut page, rows);
    let mut groups: Vec<&str> = Vec::new();
    for row in rows {
        if !groups.contains(&&*row.group) {
            groups.push(&row.group);
        }
    }
    for group in groups {
        let _ = write!(
            page,
            "\n## {group}\n\n| Operation | Type | Shape | candle-rocm | candle | x candle | PyTorch | x PyTorch | % of copy | Bar | |\n\
             |---|---|---|--:|--:|--:|--:|--:|--:|---|---|\n"
        );
        for row in rows.iter().filter(|row| row.group == group) {
            line(&mut page, &fields(row));
        }
    }
    missed(&mut page, rows);
    let notes: Vec<&Row> = rows.iter().filter(|row| !row.note.is_empty() || row.differs()).collect();
    if !notes.is_empty() {
        page += "\n## Notes\n\n";
        for row in notes {
            let differs = match row.difference.filter(|_| row.differs()) {
                Some(difference) => format!("results differ by {difference:.1e} of the largest value. "),
                None => String::new(),
            };
            let _ = writeln!(
                page,
                "- {} {} {}: {differs}{}",
                row.name,
                row.dtype,
                cell(&row.shape),
                cell(&row.note)
            );
        }
    }
    if rows.iter().any(|row| row.stock_earlier || row.torch_earlier) {
        page += "\nTimes after a ~ are from an earlier run on such a card.\n";
    }
    page
}

fn summary(page: &mut String, rows: &[Row]) {
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let _ = writeln!(
        page,
        "\n{} of {} rows with a bar meet it.",
        count(Verdict::Met),
        count(Verdict::Met) + count(Verdict::Missed)
    );
    for (name, ratio) in [
        ("candle", Row::over_stock as fn(&Row) -> Option<f64>),
        ("PyTorch", Row::over_torch as fn(&Row) -> Option<f64>),
    ] {
        let mut ratios: Vec<f64> = rows.iter().filter_map(ratio).collect();
        if ratios.is_empty() {
            continue;
        }
        ratios.sort_by(f64::total_cmp);
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let faster = ratios.iter().filter(|ratio| **ratio > 1.).count();
        let _ = writeln!(
            page,
            "Against {name}: {} rows, faster in {faster}, {mean:.2} times as fast in the geometric mean, from {:.2} to {:.1}.",
            ratios.len(),
            ratios[0],
            ratios[ratios.len() - 1]
        );
    }
}

/// What is missed, by how much, and why.
fn missed(page: &mut String, rows: &[Row]) {
    let mut missed = rows.iter().filter(|row| row.verdict == Verdict::Missed).peekable();
    if missed.peek().is_some() {
        *page += "\n## Bars that are missed\n\n| Operation | Type | Shape | Bar | x candle | % of copy | Why, and what next |\n\
                  |---|---|---|---|--:|--:|---|\n";
    }
    for row in missed {
        let percent = |part: Option<f64>| part.map_or(String::new(), |part| format!("{:.0}", part * 100.));
        line(
            page,
            &[
                row.name.clone(),
                row.dtype.clone(),
                row.shape.clone(),
                row.bars.clone(),
                row.over_stock().map_or(String::new(), |ratio| format!("{ratio:.2}")),
                percent(row.of_copy),
                misses::why(row).unwrap_or_default().to_owned(),
            ],
        );
    }
}

fn fields(row: &Row) -> Vec<String> {
    let time = |time: Option<f64>, earlier: bool| {
        time.map_or(String::new(), |micros| {
            let digits = if micros < 100. { 2 } else { usize::from(micros < 1000.) };
            format!("{}{micros:.digits$}", if earlier { "~" } else { "" })
        })
    };
    let ratio = |ratio: Option<f64>| ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
    vec![
        row.name.clone(),
        row.dtype.clone(),
        row.shape.clone(),
        time(row.ours, false),
        time(row.stock, row.stock_earlier),
        ratio(row.over_stock()),
        time(row.torch, row.torch_earlier),
        ratio(row.over_torch()),
        row.of_copy.filter(|of| *of >= 0.1).map_or(String::new(), |of_copy| format!("{:.0}", of_copy * 100.)),
        row.bars.clone(),
        row.verdict.text().to_owned(),
    ]
}

fn line(page: &mut String, fields: &[String]) {
    for field in fields {
        let _ = write!(page, "| {} ", cell(field));
    }
    page.push_str("|\n");
}

/// Nothing that Markdown would take for its own.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('[', "\\[").replace('*', "\\*")
}
