//! Kernels that do not end: with a limit, waiting for them does, and so does the process. On the CPU platform, each test in a
//! process of its own, as a lost device stays lost.

mod common;

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use common::{HOST, in_child, open};
use rocm_hip::{Adapter, DeviceLoss, Event, HipError, LaunchConfig, Linked, Module, Platform, Queue, Stream};
use rocm_sys::hip::hipError_t;

/// Ends when the flag is set.
const WAIT: &str = r#"
extern "C" __global__ void wait_for(const unsigned *flag) { while (__atomic_load_n(flag, __ATOMIC_RELAXED) == 0) {} }
extern "C" __global__ void quick(unsigned *x) { *x = 7; }"#;

/// Set once a kernel runs that never ends, so that nothing else is late.
const LIMIT: Duration = Duration::from_millis(500);
/// Set where nothing may wait: no test runs that long.
const NEVER: Duration = Duration::from_secs(24 * 60 * 60);

const DEVICES: (&str, Option<&str>) = ("CANDLE_ROCM_HOST_DEVICES", Some("32,64,32,64,32,64,32"));
const NO_LIMIT: (&str, Option<&str>) = ("CANDLE_ROCM_TIMEOUT", None);

/// A device with a kernel on its stream that runs until the flag is set.
struct Busy {
    queue: Queue,
    module: Module,
    flag: rocm_hip::Buffer<u32>,
}

impl Busy {
    fn new(ordinal: usize) -> Self {
        let queue = open(HOST, ordinal).unwrap();
        let module = queue.device().compile("wait", WAIT).unwrap();
        let flag = queue.alloc_zeros::<u32>(1).unwrap();
        queue.synchronize().unwrap();
        let busy = Self { queue, module, flag };
        busy.launch("wait_for").unwrap();
        busy
    }

    fn launch(&self, kernel: &str) -> Result<(), HipError> {
        let function = self.module.function(kernel)?;
        let mut launch = self.queue.launch(&function);
        // SAFETY: both kernels take the address of one number.
        unsafe { launch.pointer(self.flag.as_ptr()).run(LaunchConfig::linear(1, 1)) }
    }

    fn flag(&self) -> &'static AtomicU32 {
        // SAFETY: memory of the CPU platform is this process's; the tests keep it until they end.
        unsafe { &*(self.flag.as_ptr().address() as usize as *const AtomicU32) }
    }
}

#[track_caller]
fn lost<T>(result: Result<T, HipError>, kernel: &str) -> &'static str {
    match result.err() {
        Some(HipError::DeviceLost { call, reason, kernels, .. }) => {
            assert_eq!(reason, DeviceLoss::Timeout(LIMIT));
            assert!(kernels.iter().any(|name| name == kernel), "{kernel} in {kernels:?}");
            call
        }
        Some(other) => panic!("{other}"),
        None => panic!("no error"),
    }
}

#[test]
fn every_wait_ends() {
    if !in_child("every_wait_ends", &[DEVICES, NO_LIMIT]) {
        return;
    }
    type Wait = fn(&Busy) -> Result<(), HipError>;
    let waits: [(Wait, &str); 7] = [
        (|busy| busy.queue.synchronize(), "hipStreamSynchronize"),
        (|busy| busy.queue.device().synchronize(), "hipStreamSynchronize"),
        (|busy| busy.queue.download(&busy.flag).map(|_| ()), "hipStreamSynchronize"),
        (
            |busy| {
                let event = Event::new(busy.queue.device())?;
                event.record(busy.queue.stream())?;
                event.synchronize()
            },
            "hipEventSynchronize",
        ),
        // More than fits into the pinned segments, which must be waited for.
        (|busy| busy.queue.upload(&vec![0u8; 40 << 20]).map(|_| ()), "hipEventSynchronize"),
        // Queues are finite.
        (|busy| (0..100_000).try_for_each(|_| busy.launch("quick")), "hipModuleLaunchKernel"),
        (
            // Waits before memory goes back to the driver.
            |busy| {
                drop(busy.queue.alloc::<u8>(1 << 20)?);
                busy.queue.pool().empty_cache().map(|_| ())
            },
            "hipStreamSynchronize",
        ),
    ];
    for (ordinal, (wait, call)) in waits.into_iter().enumerate() {
        let busy = Busy::new(ordinal);
        busy.queue.device().set_timeout(Some(LIMIT));
        let began = Instant::now();
        let kernel = if call == "hipModuleLaunchKernel" { "quick" } else { "wait_for" };
        assert_eq!(lost(wait(&busy), kernel), call);
        assert!(began.elapsed() >= LIMIT, "{:?}", began.elapsed());
    }
}

#[test]
fn a_lost_device_stays_lost_and_exit_does_not_wait() {
    // Ends, although the kernel does not.
    if !in_child("a_lost_device_stays_lost_and_exit_does_not_wait", &[DEVICES, NO_LIMIT]) {
        return;
    }
    let busy = Busy::new(0);
    let queue = &busy.queue;
    assert_eq!(queue.device().timeout(), None);
    queue.device().set_timeout(Some(LIMIT));
    let text = queue.synchronize().unwrap_err().to_string();
    for part in ["host:0 is lost", "500ms", "wait_for", "CANDLE_ROCM_TIMEOUT"] {
        assert!(text.contains(part), "{part} in: {text}");
    }
    // Nothing waits again, and a longer limit, or none, does not bring it back.
    queue.device().set_timeout(Some(NEVER));
    let kernel = "wait_for";
    lost(queue.synchronize(), kernel);
    lost(queue.alloc::<u8>(1), kernel);
    lost(queue.upload(&[1u8]), kernel);
    lost(queue.download(&busy.flag), kernel);
    lost(busy.launch("quick"), kernel);
    lost(queue.device().compile("again", WAIT), kernel);
    lost(queue.info(&[1, 2]), kernel);
    lost(queue.pool().empty_cache(), kernel);
    lost(Stream::new(queue.device()), kernel);
    lost(Event::new(queue.device()), kernel);
    lost(queue.stream().is_idle(), kernel);
    lost(queue.device().memory_info(), kernel);
    lost(open(HOST, 0), kernel);
    queue.device().set_timeout(None);
    lost(queue.synchronize(), kernel);

    let other = open(HOST, 1).unwrap();
    let x = other.upload(&[1u32, 2, 3]).unwrap();
    assert_eq!(other.download(&x).unwrap(), [1, 2, 3], "other devices go on");
    drop(busy);
}

#[test]
fn dropping_a_busy_device_ends() {
    if !in_child("dropping_a_busy_device_ends", &[DEVICES, NO_LIMIT]) {
        return;
    }
    let busy = Busy::new(0);
    busy.queue.device().set_timeout(Some(LIMIT));
    drop(busy);
    lost(open(HOST, 0), "wait_for");
}

#[test]
fn what_a_lost_device_was_to_read_can_be_written() {
    if !in_child("what_a_lost_device_was_to_read_can_be_written", &[DEVICES, NO_LIMIT]) {
        return;
    }
    let (busy, owner) = (Busy::new(0), open(HOST, 1).unwrap());
    let mut x = owner.upload(&[1u32; 100]).unwrap();
    x.record_stream(busy.queue.stream());
    let y = owner.upload(&[1u32; 100]).unwrap();
    let copies = [busy.queue.copy_of(&x).unwrap(), busy.queue.copy_of(&y).unwrap()];
    busy.queue.device().set_timeout(Some(LIMIT));
    lost(busy.queue.synchronize(), "wait_for");
    owner.upload_to(&[2; 100], &mut x, 0).unwrap();
    drop(y);
    assert_eq!(owner.download(&x).unwrap(), [2; 100]);
    drop((x, copies));
    owner.synchronize().unwrap();
}

#[test]
fn work_that_ends_in_time_is_waited_for() {
    if !in_child("work_that_ends_in_time_is_waited_for", &[DEVICES, NO_LIMIT]) {
        return;
    }
    for limit in [None, Some(Duration::from_secs(600))] {
        let busy = Busy::new(0);
        busy.queue.device().set_timeout(limit);
        let flag = busy.flag();
        assert!(!busy.queue.stream().is_idle().unwrap());
        let setter = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            flag.store(1, Ordering::Relaxed);
        });
        busy.queue.synchronize().unwrap();
        assert_eq!(flag.load(Ordering::Relaxed), 1, "it did wait");
        assert!(busy.queue.stream().recent_kernels().is_empty());
        busy.launch("quick").unwrap();
        assert_eq!(busy.queue.download(&busy.flag).unwrap(), [7]);
        busy.queue.device().synchronize().unwrap();
        setter.join().unwrap();
    }
}

/// What waits says that the system reset the device, as long as [`TOLD`]; nothing else does.
const RESETS: Platform = Platform::of(&RESETS_ADAPTER);

static RESETS_ADAPTER: Adapter = Adapter::linked(
    "resets",
    Linked {
        name: "candle-rocm-host, of which waits fail",
        symbol: |name| {
            Some(match name {
                "hipStreamSynchronize" | "hipEventSynchronize" => told_of_one as *const c_void,
                "hipDeviceSynchronize" => told as *const c_void,
                _ => return candle_rocm_host::symbol(name),
            })
        },
        unavailable: candle_rocm_host::unavailable,
    },
);

static TOLD: AtomicBool = AtomicBool::new(false);

extern "C" fn told() -> hipError_t {
    if TOLD.load(Ordering::Relaxed) { hipError_t::hipErrorLaunchTimeOut } else { hipError_t::hipSuccess }
}

extern "C" fn told_of_one(_: *mut c_void) -> hipError_t {
    told()
}

/// As Windows does after a kernel of 2 seconds, whose HIP lets later calls succeed.
#[test]
fn a_device_that_the_system_reset_is_lost() {
    if !in_child("a_device_that_the_system_reset_is_lost", &[DEVICES, NO_LIMIT]) {
        return;
    }
    type Wait = fn(&Queue) -> Result<(), HipError>;
    let waits: [(Wait, &str); 4] = [
        (Queue::synchronize, "hipStreamSynchronize"),
        (|queue| queue.upload(&[1u8]).and_then(|x| queue.download(&x)).map(|_| ()), "hipStreamSynchronize"),
        (|queue| queue.device().synchronize(), "hipDeviceSynchronize"),
        (
            |queue| {
                let event = Event::new(queue.device())?;
                event.record(queue.stream())?;
                event.synchronize()
            },
            "hipEventSynchronize",
        ),
    ];
    for (ordinal, (wait, call)) in waits.into_iter().enumerate() {
        let queue = open(RESETS, ordinal).unwrap();
        let number = queue.alloc_zeros::<u32>(1).unwrap();
        let module = queue.device().compile("wait", WAIT).unwrap();
        let function = module.function("quick").unwrap();
        let launch = || {
            let mut launch = queue.launch(&function);
            // SAFETY: it takes the address of one number.
            unsafe { launch.pointer(number.as_ptr()).run(LaunchConfig::linear(1, 1)) }
        };
        launch().unwrap();
        TOLD.store(true, Ordering::Relaxed);
        let told = wait(&queue);
        TOLD.store(false, Ordering::Relaxed);
        let later = [wait(&queue), launch(), queue.synchronize(), queue.alloc::<u8>(1 << 20).map(|_| ())];
        for result in [told].into_iter().chain(later) {
            let error = result.unwrap_err();
            let text = error.to_string();
            let HipError::DeviceLost { call: reported_by, reason, kernels, .. } = error else {
                panic!("{text}")
            };
            let name = "hipErrorLaunchTimeOut".to_owned();
            assert_eq!((reported_by, reason), (call, DeviceLoss::Reset { code: 702, name }), "{text}");
            assert_eq!(*kernels, ["quick"], "{text}");
            assert!(text.contains("TdrDelay") && text.contains("hipErrorLaunchTimeOut (code 702)"), "{text}");
        }
        drop((module, number));
    }
    let other = open(RESETS, 6).unwrap();
    other.synchronize().unwrap();
}

#[test]
fn faults_are_faults_with_a_limit_too() {
    if !in_child("faults_are_faults_with_a_limit_too", &[DEVICES, ("CANDLE_ROCM_TIMEOUT", Some("600"))]) {
        return;
    }
    assert_eq!(open(HOST, 0).unwrap().device().timeout(), Some(Duration::from_secs(600)));
    // Without the pause, the wait may begin before the kernel fails.
    for (device, pause) in [0, 200].into_iter().enumerate() {
        let queue = open(HOST, device).unwrap();
        let other = Stream::new(queue.device()).unwrap();
        let source = r#"extern "C" __global__ void fails() { assert(threadIdx.x == 7); }"#;
        let module = queue.device().compile("fails", source).unwrap();
        let function = module.function("fails").unwrap();
        // SAFETY: it takes nothing.
        unsafe { queue.launch(&function).run(LaunchConfig::linear(1, 1)) }.unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        let error = queue.synchronize().unwrap_err();
        let HipError::KernelFault { kernels, .. } = &error else { panic!("{error}") };
        assert_eq!(**kernels, ["fails"]);
        let error = other.wait_for(queue.stream()).unwrap_err();
        assert!(matches!(error, HipError::KernelFault { .. }), "{error}");
    }
}
