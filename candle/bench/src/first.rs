//! What choices by measurement cost before anything is decided: the first calls with tuning on, against those with tuning off.

use std::fs;
use std::time::Instant;

use anyhow::{Context, Result};
use candle_rocm::Tuning;

use crate::case::Case;
use crate::side::Side;
use crate::timing::median;

/// Calls at least: tokens, where a case decodes.
const CALLS: usize = 100;

/// Prints, for each case, the seconds that the first calls take on a new device, with tuning off and on.
///
/// # Errors
/// Those of the calls, and if the file of choices cannot be removed.
pub(crate) fn calls(cases: &[Case], rounds: usize) -> Result<()> {
    println!("case\tcalls\toff\ton\ton / off");
    for case in cases {
        let runs = CALLS.div_ceil(case.calls);
        // Compiles what is not on the disk yet.
        first(case, runs, Tuning::Off)?;
        let (mut off, mut on) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            off.push(first(case, runs, Tuning::Off)?);
            on.push(first(case, runs, Tuning::On)?);
        }
        let (off, on) = (median(&mut off), median(&mut on));
        println!("{}\t{}\t{off:.4}\t{on:.4}\t{:.3}", case.label(), runs * case.calls, on / off);
    }
    Ok(())
}

fn first(case: &Case, runs: usize, tuning: Tuning) -> Result<f64> {
    forget()?;
    let side = Side::ours()?;
    let rocm = side.rocm.as_ref().context("only candle-rocm has choices")?;
    rocm.set_tuning(Tuning::Off);
    let mut run = (case.build)(&side)?;
    rocm.set_tuning(tuning);
    side.synchronize()?;
    let start = Instant::now();
    for _ in 0..runs {
        let result = run()?;
        side.submit();
        drop(result);
    }
    side.synchronize()?;
    let seconds = start.elapsed().as_secs_f64();
    rocm.finish_compiling()?;
    Ok(seconds)
}

/// Removes what devices have kept.
fn forget() -> Result<()> {
    let file = Side::ours()?.rocm.and_then(|rocm| rocm.tuning_report().file);
    match file.filter(|file| file.exists()) {
        Some(file) => fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display())),
        None => Ok(()),
    }
}
