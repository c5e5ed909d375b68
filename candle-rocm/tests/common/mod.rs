//! What the integration tests share: on which devices they run, and how they say that they cannot.
#![allow(dead_code, reason = "no test uses all of it")]

use std::io::Write;

use candle_rocm::hip::{Platform, Runtime};
use candle_rocm::{RocmDevice, RocmError};

/// The platform under test: the one that `CANDLE_ROCM_PLATFORM` names, and the CPU's where it is not set.
pub fn platform() -> Platform {
    match std::env::var_os("CANDLE_ROCM_PLATFORM") {
        None => Platform::Host,
        Some(_) => Platform::from_env().unwrap(),
    }
}

/// Devices of their own (stream, pool, generator) for the calling test: all of the CPU platform, so both wavefront
/// sizes, or the first of another platform. None, after saying so, if kernels cannot be compiled here.
pub fn devices() -> Vec<RocmDevice> {
    let devices = devices_without_kernels();
    if let Some(device) = devices.first()
        && let Err(error) = device.compile("probe", r#"extern "C" __global__ void probe() {}"#)
    {
        match error {
            RocmError::Kernel(_) if platform() == Platform::Host && no_compiler(&error) => {
                skip("kernels", &error.to_string());
                return Vec::new();
            }
            error => panic!("{error}"),
        }
    }
    devices
}

/// [`devices`] for tests that launch no kernel.
pub fn devices_without_kernels() -> Vec<RocmDevice> {
    let platform = platform();
    let count = match Runtime::get(platform).and_then(Runtime::device_count) {
        Ok(0) => {
            skip("devices", &RocmDevice::on(platform, 0).unwrap_err().to_string());
            0
        }
        Ok(count) if platform == Platform::Host => count,
        Ok(_) => 1,
        Err(error) => {
            skip("devices", &error.to_string());
            0
        }
    };
    (0..count).map(|ordinal| RocmDevice::on(platform, ordinal).unwrap()).collect()
}

/// Whether the error says that there is no C++ compiler, rather than that it refused the source.
pub fn no_compiler(error: &RocmError) -> bool {
    error.to_string().contains("install g++")
}

/// Says that something could not be tested; with `CANDLE_ROCM_TEST_STRICT=1` that is a failure.
pub fn skip(what: &str, why: &str) {
    // Not eprintln!, which the test harness captures.
    writeln!(std::io::stderr(), "SKIPPED: {what}: {why}").unwrap();
    if std::env::var("CANDLE_ROCM_TEST_STRICT").is_ok_and(|strict| strict == "1") {
        panic!("{what} could not be tested: {why}");
    }
}

/// A small generator (SplitMix64): the tests need numbers without pattern, the same each time.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}
