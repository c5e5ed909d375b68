//! Runs every case once on the gfx platform, and writes what its launches execute and touch: a line of JSON for each case, which
//! `cargo xtask bound` reads.
//!
//! Large launches run in part, so that results are useless. Matrix products and convolutions are candle-rocm's own: what rocBLAS and
//! MIOpen would launch is not known here.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use candle_rocm::{ConvEngine, GemmEngine};
use candle_rocm_gfx::profile::{self, Profile};
use serde_json::json;

use crate::case::Case;
use crate::side::Side;
use crate::timing::guarded;

/// Groups without kernels of interest: the time of allocations and copies is not that of launches, and models consist of the others.
const LEFT_OUT: [&str; 3] = ["loading", "memory", "models"];

/// Cases whose launches read addresses that earlier ones have computed: they run as a whole.
const WHOLE: [&str; 2] = ["arg_sort_last_dim", "top_k"];

/// Counts the cases, in launches of about `budget` instructions.
pub(crate) fn run(cases: &[Case], side: &Side, budget: u64, file: &Path) -> Result<()> {
    let device = side.rocm.as_ref().context("only candle-rocm's launches can be counted")?;
    device.set_gemm_engine(GemmEngine::Kernels);
    device.set_conv_engine(ConvEngine::Kernels);
    let mut out = File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
    let mut group = "";
    for case in cases.iter().filter(|case| !LEFT_OUT.contains(&case.group)) {
        if case.group != group {
            group = case.group;
            side.clear();
        }
        eprintln!("{}", case.label());
        let budget = if WHOLE.contains(&case.name) { u64::MAX } else { budget };
        let (launches, error) = match guarded(|| count(case, side, budget)) {
            Ok(launches) => (launches, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        let line = json!({
            "group": case.group,
            "case": case.name,
            "dtype": case.dtype,
            "shape": case.shape,
            "bytes": case.bytes,
            "flops": case.flops,
            "launches": launches,
            "error": error,
        });
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Instructions of a launch that nothing is counted of.
const FEW: u64 = 1;

fn count(case: &Case, side: &Side, budget: u64) -> candle_core::Result<Vec<Profile>> {
    let mut run = (case.build)(side)?;
    side.synchronize()?;
    let mut launch = || {
        let result = run()?;
        // While there is somebody who may read it.
        side.submit();
        drop(result);
        side.synchronize()
    };
    if !WHOLE.contains(&case.name) {
        profile::start(FEW);
        let warm = side.warm(&mut launch);
        profile::finish();
        warm?;
    }
    profile::start(budget);
    let done = launch();
    let launches = profile::finish();
    done.map(|()| launches)
}
