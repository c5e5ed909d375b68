//! What the tests share: ranks in threads, each on a device of its own. On the CPU there are four, of both wavefronts.
#![allow(dead_code, reason = "no test uses all of it")]

#[path = "../../../tests/submission_gate.rs"]
pub(crate) mod submission_gate;
pub(crate) mod watched;

use std::io::Write;
use std::net::TcpListener;
use std::sync::Once;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use candle_core::{Device, Result, Tensor};
use candle_rocm::RocmDevice;
use candle_rocm::hip::{Platform, Runtime};
use candle_rocm::platform::{self, HOST};
use candle_rocm_parallel::{Communicator, run_threads};

/// How long ranks wait for each other here: far longer than anything takes, on any machine and beside any work. That a rank is gone is
/// heard of, not waited for, so such a failure is never a [`candle_rocm_parallel::Cause::Timeout`].
pub(crate) const LIMIT: Duration = Duration::from_secs(600);

/// The platform that the environment names, and the CPU's where it names none.
fn platform() -> Platform {
    static ENVIRONMENT: Once = Once::new();
    ENVIRONMENT.call_once(|| {
        // SAFETY: comes before the platform's first call, and nothing here reads the environment but through Rust's library.
        unsafe {
            std::env::set_var("CANDLE_ROCM_HOST_DEVICES", "32,64,32,64");
            std::env::set_var("CANDLE_ROCM_COLLECTIVE_TIMEOUT", LIMIT.as_secs().to_string());
        }
    });
    let named = std::env::var_os("CANDLE_ROCM_PLATFORM").is_some();
    if named { platform::from_env().unwrap() } else { HOST }
}

pub(crate) fn device(ordinal: usize) -> Device {
    RocmDevice::on(platform(), ordinal).unwrap().into()
}

/// As many ranks as there are devices for, at most four.
pub(crate) fn counts() -> Vec<u32> {
    let devices = Runtime::get(platform()).unwrap().device_count().unwrap();
    let counts: Vec<u32> = [2, 4].into_iter().filter(|&count| count as usize <= devices).collect();
    if counts.len() < 2 {
        // Not eprintln!, which the test harness captures.
        let _ = writeln!(std::io::stderr(), "SKIPPED: what needs more ranks: there are {devices} devices");
        let strict = std::env::var("CANDLE_ROCM_TEST_STRICT").is_ok_and(|strict| strict == "1");
        assert!(!strict || !counts.is_empty(), "there are {devices} devices");
    }
    counts
}

/// Runs a function on each rank.
pub(crate) fn ranks<R: Send>(count: u32, run: impl Fn(Communicator, Device) -> Result<R> + Sync) -> Vec<R> {
    let devices: Vec<Device> = (0..count as usize).map(device).collect();
    run_threads(&devices, |ranks| run(ranks.clone(), ranks.device().clone())).unwrap()
}

/// A port outside of the range from which the system serves who asks for any: other tests do so meanwhile.
pub(crate) fn port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 10_000 + (std::process::id() % 2000) as u16 * 10;
    let next = || first + NEXT.fetch_add(1, Ordering::Relaxed);
    std::iter::repeat_with(next).find(|&port| TcpListener::bind(("127.0.0.1", port)).is_ok()).unwrap()
}

/// Numbers between -1 and 1 that look random and are the same everywhere.
pub(crate) fn numbers(seed: u64, count: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.
    };
    (0..count).map(|_| next()).collect()
}

/// The largest difference, relative to the largest number of the second.
pub(crate) fn difference(one: &Tensor, other: &Tensor) -> f32 {
    let values = |x: &Tensor| x.flatten_all().unwrap().to_vec1::<f32>().unwrap();
    let (one, other) = (values(one), values(other));
    assert_eq!(one.len(), other.len());
    let largest = other.iter().fold(1e-30f32, |max, x| max.max(x.abs()));
    one.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0., f32::max) / largest
}
