//! What the tests share: on which devices they run, and how they say that they cannot.
#![allow(dead_code, reason = "no test uses all of it")]

use std::io::Write;
use std::sync::OnceLock;

use rocm_hip::{Adapter, HipError, Linked, Platform, Queue, Result, Runtime};

/// The CPU.
pub(crate) const HOST: Platform = Platform::of(&HOST_ADAPTER);

/// NVIDIA cards, where the environment names the library.
pub(crate) const NVIDIA: Platform = Platform::of(&NVIDIA_ADAPTER);

static HOST_ADAPTER: Adapter = Adapter {
    variable: "CANDLE_ROCM_HOST_LIBRARY",
    exact_allocations: true,
    ..Adapter::linked(
        "host",
        Linked {
            name: "candle-rocm-host (linked in)",
            symbol: candle_rocm_host::symbol,
            unavailable: candle_rocm_host::unavailable,
        },
    )
};

static NVIDIA_ADAPTER: Adapter =
    Adapter::library("nvidia", "CANDLE_ROCM_NVIDIA_LIBRARY", "candle_rocm_nvidia");

/// The platform under test: the one that `CANDLE_ROCM_PLATFORM` names, and the CPU's where it is not set.
pub(crate) fn platform() -> Platform {
    [HOST, NVIDIA].into_iter().for_each(Platform::register);
    match std::env::var_os("CANDLE_ROCM_PLATFORM") {
        None => HOST,
        Some(_) => Platform::from_env().unwrap(),
    }
}

/// A queue of its own on a device.
pub(crate) fn open(platform: Platform, ordinal: usize) -> Result<Queue> {
    Queue::new(Runtime::get(platform)?.device(ordinal)?)
}

/// Queues of the calling test's own, on all devices of the CPU platform, so with both wavefront sizes, or on the first of another
/// platform. None, after saying so, if kernels cannot be compiled here.
pub(crate) fn queues() -> Vec<Queue> {
    static OBSTACLE: OnceLock<Option<String>> = OnceLock::new();

    let queues = queues_without_kernels();
    let Some(queue) = queues.first() else { return queues };
    let obstacle = OBSTACLE.get_or_init(|| {
        let probe = queue.device().compile("probe", r#"extern "C" __global__ void probe() {}"#);
        let error = probe.err()?;
        assert!(platform() == HOST && no_compiler(&error), "{error}");
        Some(error.to_string())
    });
    match obstacle {
        None => queues,
        Some(why) => {
            skip("kernels", why);
            Vec::new()
        }
    }
}

/// [`queues`] for tests that launch no kernel.
pub(crate) fn queues_without_kernels() -> Vec<Queue> {
    let platform = platform();
    let count = match Runtime::get(platform).and_then(Runtime::device_count) {
        Ok(0) => {
            skip("devices", &open(platform, 0).unwrap_err().to_string());
            0
        }
        Ok(count) if platform == HOST => count,
        Ok(_) => 1,
        Err(error) => {
            skip("devices", &error.to_string());
            0
        }
    };
    (0..count).map(|ordinal| open(platform, ordinal).unwrap()).collect()
}

/// Whether the error says that there is no C++ compiler, rather than that it refused the source.
fn no_compiler(error: &HipError) -> bool {
    error.to_string().contains("install g++")
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
