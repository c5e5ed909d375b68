//! What the integration tests share: on which devices they run, and how they say that they cannot.
#![allow(dead_code, reason = "no test uses all of it")]

use std::io::Write;
use std::sync::OnceLock;

use candle_rocm::hip::{Platform, Runtime};
use candle_rocm::platform::{self, HOST};
use candle_rocm::{RocmDevice, RocmError};

/// The platform under test: the one that `CANDLE_ROCM_PLATFORM` names, and the CPU's where it is not set.
pub(crate) fn platform() -> Platform {
    match std::env::var_os("CANDLE_ROCM_PLATFORM") {
        None => HOST,
        Some(_) => platform::from_env().unwrap(),
    }
}

/// Devices of their own (stream, pool, generator) for the calling test: all of the CPU platform, so both wavefront
/// sizes, or the first of another platform. None, after saying so, if kernels cannot be compiled here.
pub(crate) fn devices() -> Vec<RocmDevice> {
    static OBSTACLE: OnceLock<Option<String>> = OnceLock::new();

    let devices = devices_without_kernels();
    let Some(device) = devices.first() else { return devices };
    let obstacle = OBSTACLE.get_or_init(|| {
        let probe = device.compile("probe", r#"extern "C" __global__ void probe() {}"#);
        let error = probe.err()?;
        assert!(platform() == HOST && no_compiler(&error), "{error}");
        Some(error.to_string())
    });
    match obstacle {
        None => devices,
        Some(why) => {
            skip("kernels", why);
            Vec::new()
        }
    }
}

/// [`devices`] for tests that launch no kernel.
pub(crate) fn devices_without_kernels() -> Vec<RocmDevice> {
    let platform = platform();
    let count = match Runtime::get(platform).and_then(Runtime::device_count) {
        Ok(0) => {
            skip("devices", &RocmDevice::on(platform, 0).unwrap_err().to_string());
            0
        }
        Ok(count) if platform == HOST => count,
        Ok(_) => 1,
        Err(error) => {
            skip("devices", &error.to_string());
            0
        }
    };
    (0..count).map(|ordinal| RocmDevice::on(platform, ordinal).unwrap()).collect()
}

/// Whether the error says that there is no C++ compiler, rather than that it refused the source.
pub(crate) fn no_compiler(error: &RocmError) -> bool {
    error.to_string().contains("install g++")
}

/// Whether kernels are checked while they run, which takes them many times as long: then tests do with fewer elements, as long
/// as these reach each branch of the kernels.
pub(crate) fn checked() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|kind| !kind.is_empty());
    set("CANDLE_ROCM_HOST_SANITIZE") || set(CHECKER)
}

/// Which of compute-sanitizer's tools watches the card, if one does: `run --checker` of a bundle says so.
const CHECKER: &str = "CANDLE_ROCM_TEST_CHECKER";

/// Whether kernels of cuBLAS and cuDNN may run. Memcheck looks whether they stay within what our calls give them; what they
/// write in bulk copies is unwritten to initcheck, and their races are not ours to find.
pub(crate) fn libraries() -> bool {
    !std::env::var(CHECKER).is_ok_and(|tool| ["initcheck", "racecheck"].contains(&&*tool))
}

/// Says that something could not be tested; with `CANDLE_ROCM_TEST_STRICT=1` that is a failure.
pub(crate) fn skip(what: &str, why: &str) {
    say(&format!("SKIPPED: {what}: {why}"));
    if std::env::var("CANDLE_ROCM_TEST_STRICT").is_ok_and(|strict| strict == "1") {
        panic!("{what} could not be tested: {why}");
    }
}

/// Not eprintln!, which the test harness captures.
fn say(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// For tests that need a process, and an environment, of their own. Runs the calling test (`name`) again in a child with
/// these variables (`None` removes one) and checks that it passes there. True in the child, which is to do the work.
pub(crate) fn in_child(name: &str, variables: &[(&str, Option<&str>)]) -> bool {
    const MARK: &str = "CANDLE_ROCM_TEST_CHILD";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args([name, "--exact", "--nocapture", "--test-threads=1"]).env(MARK, "1");
    for (variable, value) in variables {
        match value {
            Some(value) => child.env(variable, value),
            None => child.env_remove(variable),
        };
    }
    let output = child.output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for line in stderr.lines().filter(|line| line.starts_with("SKIPPED")) {
        say(line);
    }
    assert!(output.status.success(), "in a child process: {}\n{stdout}\n{stderr}", output.status);
    assert!(stdout.contains("1 passed"), "{name} is not this test's name:\n{stdout}");
    false
}

/// A small generator (SplitMix64): the tests need numbers without pattern, the same each time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}
