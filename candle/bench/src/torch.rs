//! PyTorch's times of the same cases, from a child process.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::case::Case;
use crate::row::Row;

const PROGRAM: &str = include_str!("torch.py");

/// Asks the Python for its times. Where it cannot tell them, the rows stay as they are.
pub(crate) fn fill(python: &str, cases: &[Case], rows: &mut [Row], rounds: usize) {
    if let Err(error) = ask(python, cases, rows, rounds) {
        eprintln!("PyTorch's times are missing: {error:#}");
    }
}

fn ask(python: &str, cases: &[Case], rows: &mut [Row], rounds: usize) -> Result<()> {
    let mut child = Command::new(python)
        .args(["-u", "-c", PROGRAM])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("{python} cannot be started"))?;
    let mut questions = child.stdin.take().context("no pipe")?;
    let answers = BufReader::new(child.stdout.take().context("no pipe")?);
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
    // All at once: the child reads to the end before it answers.
    questions
        .write_all(serde_json::Value::from(wanted).to_string().as_bytes())
        .context("it does not listen")?;
    drop(questions);
    for answer in answers.lines() {
        let answer: serde_json::Value = serde_json::from_str(&answer?).context("it answers nonsense")?;
        let Some(row) = answer["case"].as_u64().and_then(|i| rows.get_mut(i as usize)) else { continue };
        (row.torch, row.torch_earlier) = (answer["us"].as_f64(), false);
    }
    anyhow::ensure!(child.wait()?.success(), "{python} failed");
    Ok(())
}
