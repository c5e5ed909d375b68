//! What the tests share: on which devices they run, and how they say that they cannot.
#![allow(dead_code, unused_imports, reason = "no test uses all of it")]

mod process;
mod random;

use std::sync::OnceLock;

use rocm_hip::{Adapter, HipError, Linked, Platform, Queue, Result, Runtime};

pub(crate) use process::{in_child, skip};
pub(crate) use random::Random;

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
