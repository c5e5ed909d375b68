//! How far something is that a user waits for.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use candle_core::Device;
use candle_rocm::RocmDevice;
use indicatif::{ProgressBar, ProgressStyle};

/// What takes less is not worth a line.
const PATIENCE: Duration = Duration::from_secs(2);
const INTERVAL: Duration = Duration::from_millis(100);

/// Runs `load`, which brings about `total` bytes to the device. After two seconds it shows on stderr how many are there, if that is a
/// terminal.
pub fn loading<R>(device: &Device, total: u64, load: impl FnOnce() -> R) -> R {
    let rocm = device.as_rocm_device().ok().and_then(|device| device.downcast_ref::<RocmDevice>());
    let Some(rocm) = rocm else { return load() };
    let before = rocm.upload_stats().bytes;
    thread::scope(|scope| {
        let (running, ended) = mpsc::channel::<()>();
        scope.spawn(move || {
            let runs = |time| matches!(ended.recv_timeout(time), Err(RecvTimeoutError::Timeout));
            if !runs(PATIENCE) {
                return;
            }
            // What has come before the bar was there counts for the time left.
            let bar = ProgressBar::new(total).with_elapsed(PATIENCE);
            let template = "Loading {wide_bar} {bytes} of {total_bytes}, {eta} left";
            bar.set_style(
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            loop {
                bar.set_position((rocm.upload_stats().bytes - before).min(total));
                if !runs(INTERVAL) {
                    return bar.finish_and_clear();
                }
            }
        });
        let loaded = load();
        drop(running);
        loaded
    })
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn it_ends_with_what_it_waits_for() {
        let device = Device::from(RocmDevice::on(candle_rocm::platform::HOST, 0).unwrap());
        assert_eq!(loading(&device, 1, || 5), 5);
        assert_eq!(loading(&Device::Cpu, 1, || 6), 6);
        let long = || {
            thread::sleep(PATIENCE + 3 * INTERVAL);
            7
        };
        assert_eq!(loading(&device, 1, long), 7);
        let panics = AssertUnwindSafe(|| loading(&device, 1, || panic!("while it loads")));
        assert!(catch_unwind(panics).is_err());
    }
}
