//! What the tests share: four devices of the CPU platform, of both wavefronts, or those of the platform that the environment names, and
//! ranks on them.
#![allow(dead_code, reason = "no test uses all of it")]

use std::io::Write;
use std::net::TcpListener;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread;
use std::time::Duration;

use rocm_hip::{Adapter, Device, Linked, Platform, Queue, Runtime};
use rocm_rccl::{Communicator, RcclError, UniqueId};

const HOST: Platform = Platform::of(&HOST_ADAPTER);

/// NVIDIA cards, where the environment names the library.
static NVIDIA: Adapter = Adapter::library("nvidia", "CANDLE_ROCM_NVIDIA_LIBRARY", "candle_rocm_nvidia");

static HOST_ADAPTER: Adapter = Adapter::linked(
    "host",
    Linked {
        name: "candle-rocm-host (linked in)",
        symbol: candle_rocm_host::symbol,
        unavailable: candle_rocm_host::unavailable,
    },
);

/// How long ranks wait for each other here: far longer than anything takes, on any machine and beside any work. That a rank is gone is
/// heard of, not waited for, so such a failure is never a [`rocm_rccl::Cause::Timeout`].
pub(crate) const LIMIT: Duration = Duration::from_secs(600);

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<&'static Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        [HOST, Platform::of(&NVIDIA)].into_iter().for_each(Platform::register);
        // SAFETY: comes before the platform's first call, and nothing here reads the environment but through Rust's library.
        unsafe { std::env::set_var("CANDLE_ROCM_HOST_DEVICES", "32,64,32,64") };
        let named = std::env::var_os("CANDLE_ROCM_PLATFORM").is_some();
        Runtime::get(if named { Platform::from_env().unwrap() } else { HOST }).unwrap()
    })
}

/// Whether this is the CPU platform.
pub(crate) fn on_host() -> bool {
    runtime().platform() == HOST
}

pub(crate) fn device(ordinal: usize) -> Device {
    runtime().device(ordinal).unwrap()
}

/// As many ranks as there are devices for, at most four. A test that is about several ranks is skipped with one device.
pub(crate) fn counts() -> Vec<u32> {
    let devices = runtime().device_count().unwrap();
    let counts: Vec<u32> = [2, 4].into_iter().filter(|&count| count as usize <= devices).collect();
    if counts.len() < 2 {
        let strict = std::env::var_os("CANDLE_ROCM_TEST_STRICT").is_some_and(|value| value == "1");
        let text = format!("SKIPPED: what needs more ranks: there are {devices} devices\n");
        assert!(!strict || !counts.is_empty(), "{text}");
        // Not eprintln!, which the test harness captures.
        std::io::stderr().write_all(text.as_bytes()).unwrap();
    }
    counts
}

pub(crate) fn queue(ordinal: usize) -> Queue {
    Queue::new(device(ordinal)).unwrap()
}

/// A port outside of the range from which the system serves who asks for any: other tests do so meanwhile.
pub(crate) fn port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 10_000 + (std::process::id() % 2000) as u16 * 10;
    let next = || first + NEXT.fetch_add(1, Ordering::Relaxed);
    std::iter::repeat_with(next).find(|&port| TcpListener::bind(("127.0.0.1", port)).is_ok()).unwrap()
}

/// Runs a function on each rank, each in a thread with a device and a queue of its own.
pub(crate) fn ranks<R: Send>(count: u32, run: impl Fn(Communicator, &Queue) -> R + Sync) -> Vec<R> {
    let id = UniqueId::new().unwrap();
    thread::scope(|scope| {
        let one = |rank: u32| {
            let (id, run) = (&id, &run);
            scope.spawn(move || {
                let queue = queue(rank as usize);
                let device = queue.device();
                run(Communicator::from_rank_within(device, rank, count, id, LIMIT).unwrap(), &queue)
            })
        };
        let threads: Vec<_> = (0..count).map(one).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// The failure in an error of this crate, or of a call that waited for the stream.
pub(crate) fn failure(error: &RcclError) -> &rocm_rccl::Failure {
    match error {
        RcclError::Failed(failure) => failure,
        RcclError::Hip(rocm_hip::HipError::Queued(error)) => error.downcast_ref().expect("a failure"),
        error => panic!("{error}"),
    }
}
