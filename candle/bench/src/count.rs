//! Runs every case on the gfx platform, and writes what its launches execute and touch, and how long they take on a card by the
//! platform's model of time: a line of JSON for each case, which `cargo xtask bound` and `cargo xtask predict` read.
//!
//! Large launches run in part, so that results are useless. Matrix products and convolutions are candle-rocm's own: what rocBLAS and
//! MIOpen would launch is not known here.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Error, Result};
use candle_rocm::{ConvEngine, GemmEngine, RocmDevice};
use candle_rocm_gfx::profile::{self, Profile};
use candle_rocm_gfx::time::{self, Prediction};
use rocm_kernels::cards::Card;
use serde_json::{Value, json};

use crate::case::Case;
use crate::cases::MOST_COPIES;
use crate::side::Side;
use crate::timing::guarded;

/// Groups without kernels of interest: the time of allocations and copies is not that of launches, and models consist of the others.
const LEFT_OUT: [&str; 3] = ["loading", "memory", "models"];

/// Cases whose launches read addresses that earlier ones have computed: they run as a whole.
const WHOLE: [&str; 2] = ["arg_sort_last_dim", "top_k"];

/// The card whose times are predicted.
pub(crate) struct Predicted {
    card: &'static Card,
    /// The same with other numbers.
    with: Card,
}

impl Predicted {
    pub(crate) fn new(card: &str, changes: &[String]) -> Result<Self> {
        let card = Card::find(card).with_context(|| format!("the card {card} is not known"))?;
        Ok(Self { card, with: time::with_figures(card, changes).map_err(Error::msg)? })
    }

    /// What the card's memory needs for a case's bytes, if no cache holds them. By a sample of the workgroups, a launch that touches parts
    /// of a line in each may seem to need less.
    pub(crate) fn least_seconds(&self, case: &Case) -> f64 {
        let caches = self.with.l2.size + self.with.infinity.map_or(0, |cache| cache.size);
        // Of what exceeds them by little, a launch finds a part.
        if case.bytes > 2. * caches as f64 {
            case.bytes / (self.with.memory.bandwidth.value * 1e9)
        } else {
            0.
        }
    }
}

/// Counts the cases, in launches of about `budget` instructions.
pub(crate) fn run(
    cases: &[Case],
    side: &Side,
    predicted: Option<&Predicted>,
    budget: u64,
    file: &Path,
) -> Result<()> {
    by_own_kernels(side)?;
    each(cases, side, file, |case| {
        let mut launches = Vec::new();
        let mut times = None;
        let done = guarded(|| {
            let mut launch = launcher(case, side)?;
            launches = count(case, side, &mut launch, budget)?;
            times = predicted.map(|predicted| predict(case, predicted, &mut launch, budget)).transpose()?;
            Ok(())
        });
        json!({
            "group": case.group,
            "case": case.name,
            "dtype": case.dtype,
            "shape": case.shape,
            "bytes": case.bytes,
            "flops": case.flops,
            "launches": launches,
            "predicted": times.as_ref().map(|times| times.iter().map(|time| time.seconds).sum::<f64>()),
            "times": times.iter().flatten().map(time).collect::<Vec<_>>(),
            "error": done.err(),
        })
    })
}

/// The device, which asks no library from now on.
pub(crate) fn by_own_kernels(side: &Side) -> Result<&RocmDevice> {
    let device = side.rocm.as_ref().context("only candle-rocm's launches can be counted")?;
    device.set_gemm_engine(GemmEngine::Kernels);
    device.set_conv_engine(ConvEngine::Kernels);
    Ok(device)
}

/// Writes a line for each of the cases.
pub(crate) fn each(
    cases: &[Case],
    side: &Side,
    file: &Path,
    mut line: impl FnMut(&Case) -> Value,
) -> Result<()> {
    let mut out = File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
    let mut group = "";
    for case in cases.iter().filter(|case| !LEFT_OUT.contains(&case.group)) {
        if case.group != group {
            group = case.group;
            side.clear();
        }
        eprintln!("{}", case.label());
        writeln!(out, "{}", line(case))?;
    }
    Ok(())
}

/// What launches a case once.
pub(crate) fn launcher<'s>(
    case: &Case,
    side: &'s Side,
) -> candle_core::Result<impl FnMut() -> candle_core::Result<()> + use<'s>> {
    let mut run = (case.build)(side)?;
    side.synchronize()?;
    Ok(move || {
        let result = run()?;
        // While there is somebody who may read it.
        side.submit();
        drop(result);
        side.synchronize()
    })
}

/// Instructions of a launch that nothing is counted of.
const FEW: u64 = 1;

/// Runs launches of which nothing is to be known.
pub(crate) fn in_part<R>(run: impl FnOnce() -> R) -> R {
    profile::start(FEW);
    let done = run();
    profile::finish();
    done
}

fn count(
    case: &Case,
    side: &Side,
    mut launch: impl FnMut() -> candle_core::Result<()>,
    budget: u64,
) -> candle_core::Result<Vec<Profile>> {
    let is_whole = WHOLE.contains(&case.name);
    if !is_whole {
        in_part(|| side.warm(&mut launch))?;
    }
    profile::start(if is_whole { u64::MAX } else { budget });
    let done = launch();
    let launches = profile::finish();
    done.map(|()| launches)
}

/// Calls of a case until it uses the same operands again.
const CALLS: usize = MOST_COPIES + 1;

/// The launches of a call that is repeated, as the benchmarks repeat it: caches hold what the calls before have left there.
pub(crate) fn predict(
    case: &Case,
    Predicted { card, with }: &Predicted,
    mut launch: impl FnMut() -> candle_core::Result<()>,
    budget: u64,
) -> candle_core::Result<Vec<Prediction>> {
    let is_whole = WHOLE.contains(&case.name);
    // Those that run as a whole have one set of operands.
    let calls = if is_whole { 2 } else { CALLS };
    time::start(card, budget);
    time::complete(is_whole);
    let done = (0..calls).try_for_each(|_| launch());
    let log = time::finish();
    done?;
    let mut launches = log.predict(with, log.bytes(with));
    Ok(launches.split_off(launches.len() - launches.len() / calls))
}

/// The time of a launch, and what it is spent on.
fn time(time: &Prediction) -> Value {
    let stalled: Vec<_> = time.stalled.iter().map(|(stall, share)| (stall.name(), share)).collect();
    json!({ "seconds": time.seconds, "running": time.running, "busy": time.busy, "stalled": stalled })
}

#[cfg(test)]
mod tests {
    use candle_core::DType;

    use super::*;

    #[test]
    fn what_no_cache_holds_takes_as_long_as_the_memory() {
        let card = Predicted::new("RX 9070 XT", &["memory, GB/s=500".to_owned()]).unwrap();
        let least = |bytes| {
            let case = Case::new("a", "copy", DType::F32, "", |_| unreachable!("it does not run"));
            card.least_seconds(&case.bytes(bytes))
        };
        assert_eq!(least(500_000_000), 1e-3);
        // The Infinity Cache has 64 MiB.
        assert_eq!(least(100_000_000), 0.);
    }
}
