//! The kernels of a bundle: those that came with it, and the rest compiled by all cores before any test needs one.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use rocm_sys::hip::Hip;

use crate::nvrtc;

/// Compiles for the first card what the folder lacks.
pub(crate) fn complete(folder: &Path) -> Result<()> {
    let hip = Hip::from_resolver("candle-rocm-nvidia (linked in)", candle_rocm_nvidia::symbol);
    let (mut count, mut major, mut minor) = (0, 0, 0);
    // SAFETY: the pointer is to a live integer.
    if unsafe { hip.hipGetDeviceCount(&mut count) }.ok().is_none_or(|code| code.0 != 0) || count == 0 {
        // The tests will say what is missing.
        return Ok(());
    }
    // SAFETY: both pointers are to live integers, and there is a first device.
    let code = unsafe { hip.hipDeviceComputeCapability(&mut major, &mut minor, 0) };
    code.context("the platform does not tell the card's compute capability")?;
    let began = Instant::now();
    nvrtc::compile(&[format!("sm_{major}{minor}")], folder)?;
    println!("Kernels are ready after {:.1} s", began.elapsed().as_secs_f32());
    Ok(())
}
