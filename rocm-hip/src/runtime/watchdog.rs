//! How long calls wait for a device, and what becomes of one that does not answer in time, or that the system reset.
//!
//! Without a limit the driver's blocking functions are called. With one, the host polls instead: a blocking call could not
//! be left again. Once the limit has passed the device is lost for the rest of the process: nothing more is given to the
//! driver, and memory and handles are leaked, because kernels may still use them and the driver would wait for these. So it is after
//! a reset: drivers may let later calls succeed though nothing runs.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rocm_sys::hip::hipError_t;
use rocm_sys::{MissingSymbol, variable};

use crate::{Device, DeviceLoss, HipError, Result};

/// Seconds that a call may wait for a device; unset, empty or `off`: as long as it takes.
const VARIABLE: &str = "CANDLE_ROCM_TIMEOUT";

/// So long the host asks again at once: most waits are short. Then it sleeps, longer each time.
const SPIN: Duration = Duration::from_micros(50);
const SHORTEST_SLEEP: Duration = Duration::from_micros(20);
const LONGEST_SLEEP: Duration = Duration::from_millis(1);

/// A device's limit, and how it was lost.
#[derive(Default)]
pub(crate) struct Watchdog {
    /// In nanoseconds; 0: none.
    limit: AtomicU64,
    loss: OnceLock<Lost>,
}

struct Lost {
    call: &'static str,
    reason: DeviceLoss,
    kernels: Box<[String]>,
}

/// Whether any device of this process is lost. Drivers free memory when all devices are done with it, so from then on that of
/// the others stays allocated too.
pub(crate) fn any_lost() -> bool {
    ANY_LOST.load(Ordering::Relaxed)
}

static ANY_LOST: AtomicBool = AtomicBool::new(false);

impl Watchdog {
    /// With the limit that the environment sets.
    pub(crate) fn from_env() -> Self {
        let watchdog = Self::default();
        watchdog.set_limit(variable::read(VARIABLE, "a number of seconds above 0, or off", parse).flatten());
        watchdog
    }

    pub(crate) fn set_limit(&self, limit: Option<Duration>) {
        let nanoseconds = limit.map_or(0, |limit| u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX).max(1));
        self.limit.store(nanoseconds, Ordering::Relaxed);
    }

    pub(crate) fn limit(&self) -> Option<Duration> {
        match self.limit.load(Ordering::Relaxed) {
            0 => None,
            nanoseconds => Some(Duration::from_nanos(nanoseconds)),
        }
    }

    #[inline]
    pub(crate) fn is_lost(&self) -> bool {
        self.loss.get().is_some()
    }

    /// What calls on a lost device return.
    #[cold]
    pub(crate) fn error(&self, device: Device) -> Option<HipError> {
        self.loss.get().map(|lost| HipError::DeviceLost {
            device: device.to_string(),
            call: lost.call,
            reason: lost.reason.clone(),
            kernels: lost.kernels.clone(),
        })
    }

    /// Asks until the answer is another than "not ready". `kernels` names those that may be to blame if there is none.
    pub(crate) fn poll(
        &self,
        device: Device,
        call: &'static str,
        limit: Duration,
        query: impl Fn() -> Result<hipError_t, MissingSymbol>,
        kernels: impl Fn() -> Vec<String>,
    ) -> Result<Result<hipError_t, MissingSymbol>> {
        let began = Instant::now();
        let mut sleep = SHORTEST_SLEEP;
        loop {
            match query() {
                Ok(hipError_t::hipErrorNotReady) => {}
                code => return Ok(code),
            }
            let waited = began.elapsed();
            if waited >= limit && !self.is_lost() {
                self.lose(call, DeviceLoss::Timeout(limit), kernels());
            }
            if let Some(error) = self.error(device) {
                return Err(error);
            }
            if waited < SPIN {
                std::thread::yield_now();
            } else {
                std::thread::sleep(sleep.min(limit - waited));
                sleep = (2 * sleep).min(LONGEST_SLEEP);
            }
        }
    }

    /// Nothing more is given to the driver. How a device was lost first counts.
    #[cold]
    pub(crate) fn lose(&self, call: &'static str, reason: DeviceLoss, kernels: Vec<String>) {
        let _ = self.loss.set(Lost { call, reason, kernels: kernels.into() });
        ANY_LOST.store(true, Ordering::Relaxed);
        exit_in_time();
    }
}

fn parse(text: &str) -> Option<Option<Duration>> {
    // Not by the words for a switch: 0 and 1 are numbers here.
    if text.eq_ignore_ascii_case("off") { Some(None) } else { variable::seconds(text).map(Some) }
}

/// Drivers tear themselves down at exit and may wait for their devices then. The process ends a moment later all the same,
/// with the status it was to end with. Not on Windows, which resets a device that hangs, so that nothing waits for it.
fn exit_in_time() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::ffi::{c_int, c_void};
        unsafe extern "C" {
            fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
        }
        const GRACE: Duration = Duration::from_millis(500);
        static ONCE: std::sync::Once = std::sync::Once::new();
        extern "C" fn handler(status: c_int, _: *mut c_void) {
            let end = move || {
                std::thread::sleep(GRACE);
                // SAFETY: ends the process, with no handler run.
                unsafe { libc::_exit(status) }
            };
            // Without a thread to spare, exit waits.
            let _ = std::thread::Builder::new().spawn(end);
        }
        ONCE.call_once(|| {
            // SAFETY: the handler may run at any time, and takes no argument.
            unsafe { on_exit(handler, std::ptr::null_mut()) };
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_in_the_environment() {
        assert_eq!(parse("Off"), Some(None));
        assert_eq!(parse("1"), Some(Some(Duration::from_secs(1))));
        assert_eq!(parse("0.25"), Some(Some(Duration::from_millis(250))));
        assert_eq!([parse("0"), parse("soon")], [None, None]);
    }

    #[test]
    fn limits_are_kept() {
        let watchdog = Watchdog::default();
        for limit in [None, Some(Duration::from_nanos(1)), Some(Duration::from_secs(3600))] {
            watchdog.set_limit(limit);
            assert_eq!(watchdog.limit(), limit);
        }
        watchdog.set_limit(Some(Duration::MAX));
        assert!(watchdog.limit().is_some_and(|limit| limit > Duration::from_secs(1 << 33)));
        watchdog.set_limit(Some(Duration::ZERO));
        assert!(watchdog.limit().is_some(), "no time is a limit too");
    }
}
