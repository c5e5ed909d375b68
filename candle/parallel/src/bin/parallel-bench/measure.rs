//! Sizes, and how calls are timed.

use std::time::Instant;

use candle_core::{Device, Result};

/// Tokens of the prompts. What is decoded follows the first.
pub(crate) const PROMPTS: [usize; 3] = [512, 2048, 4096];

/// How much is computed.
pub(crate) struct Sizes {
    /// Bytes of the two all-reduces.
    pub(crate) large: usize,
    pub(crate) small: usize,
    pub(crate) rounds: usize,
    pub(crate) llama: candle_rocm_parallel::llama::Config,
    /// Names of the prompts, and their tokens.
    pub(crate) prompts: [(usize, usize); 3],
    pub(crate) decoded: usize,
    /// Layers, width and samples per rank.
    pub(crate) training: (usize, usize, usize),
}

impl Sizes {
    pub(crate) fn new(quick: bool) -> Self {
        // Llama 3 8B.
        let llama = candle_rocm_parallel::llama::Config {
            hidden_size: if quick { 64 } else { 4096 },
            intermediate_size: if quick { 128 } else { 14336 },
            vocab_size: if quick { 100 } else { 128_256 },
            layers: if quick { 2 } else { 32 },
            heads: if quick { 8 } else { 32 },
            key_value_heads: if quick { 4 } else { 8 },
            rms_norm_eps: 1e-5,
            rope_theta: 500_000.,
            interleaved: false,
            max_positions: if quick { 64 } else { 4096 },
        };
        Self {
            large: if quick { 1 << 16 } else { 256 << 20 },
            small: 8 << 10,
            rounds: if quick { 3 } else { 9 },
            llama,
            prompts: PROMPTS.map(|name| (name, if quick { name / 256 } else { name })),
            decoded: if quick { 4 } else { 64 },
            training: if quick { (2, 32, 8) } else { (8, 4096, 2048) },
        }
    }
}

/// The median of the rounds' seconds per call. Each round makes `calls`, and waits for the device.
pub(crate) fn seconds(
    device: &Device,
    rounds: usize,
    calls: usize,
    mut call: impl FnMut() -> Result<()>,
) -> Result<f64> {
    let mut round = || {
        device.synchronize()?;
        let began = Instant::now();
        (0..calls).try_for_each(|_| call())?;
        device.synchronize()?;
        Ok::<f64, candle_core::Error>(began.elapsed().as_secs_f64() / calls as f64)
    };
    // Kernels are loaded, and connections made.
    round()?;
    let mut times = (0..rounds).map(|_| round()).collect::<Result<Vec<f64>>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}
