//! Times the same cases in PyTorch, in a child process.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::case::Case;
use crate::row::Row;

const PROGRAM: &str = include_str!("torch.py");

/// Fills in PyTorch's times. Rows that it cannot time stay as they are.
pub(crate) fn fill(python: &str, cases: &[Case], rows: &mut [Row], rounds: usize) {
    if let Err(error) = query(python, cases, rows, rounds) {
        eprintln!("cannot time PyTorch: {error:#}");
    }
}

fn query(python: &str, cases: &[Case], rows: &mut [Row], rounds: usize) -> Result<()> {
    let mut child = Command::new(python)
        .args(["-u", "-c", PROGRAM])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {python}"))?;
    let mut stdin = child.stdin.take().context("no pipe")?;
    let stdout = BufReader::new(child.stdout.take().context("no pipe")?);
    let wanted: Vec<_> = cases
        .iter()
        .take(rows.len())
        .enumerate()
        .filter_map(|(i, case)| {
            let torch = case.torch.as_ref()?;
            Some(serde_json::json!({
                "case": i,
                "name": format!("{} {} {}", case.name, case.dtype, case.shape),
                "dtype": case.dtype,
                "calls": case.calls,
                "setup": torch.setup,
                "code": torch.code,
                "rounds": rounds,
            }))
        })
        .collect();
    // All at once: the child reads to the end before it writes.
    stdin.write_all(serde_json::Value::from(wanted).to_string().as_bytes()).context("cannot write to it")?;
    drop(stdin);
    for line in stdout.lines() {
        let result: serde_json::Value = serde_json::from_str(&line?).context("invalid output")?;
        let Some(row) = result["case"].as_u64().and_then(|i| rows.get_mut(i as usize)) else { continue };
        (row.torch, row.torch_earlier) = (result["us"].as_f64(), false);
    }
    anyhow::ensure!(child.wait()?.success(), "{python} failed");
    Ok(())
}
