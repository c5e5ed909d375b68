//! What the programs here that measure share.

use std::time::{Duration, Instant};

use candle_core::Result;
use candle_rocm::RocmDevice;

/// The time of one call among many.
pub(crate) fn measure(device: &RocmDevice, mut call: impl FnMut() -> Result<()>) -> Result<Duration> {
    let mut time = |times: u32| -> Result<Duration> {
        let start = Instant::now();
        for _ in 0..times {
            call()?;
        }
        device.synchronize()?;
        Ok(start.elapsed() / times)
    };
    time(2)?;
    let once = time(1)?;
    time((Duration::from_millis(50).as_nanos() / once.as_nanos().max(1)).clamp(1, 500) as u32)
}
