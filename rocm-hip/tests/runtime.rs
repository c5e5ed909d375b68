//! Queues: arrays of words for kernels, events, what happens after a kernel failed, and at the end of the process.

mod common;

use std::ffi::c_void;

use common::{HOST, in_child, open, queues, queues_without_kernels};
use rocm_hip::{Adapter, Buffer, Event, HipError, LaunchConfig, Linked, Platform, Queue, Runtime, Stream};

#[test]
fn dims_and_strides_are_kept_by_content() {
    for queue in queues_without_kernels() {
        assert!(queue.info(&[]).unwrap().as_ptr().is_null());
        let first = queue.info(&[2, 3, 3, 1]).unwrap();
        assert_eq!(queue.info(&[2, 3, 3, 1]).unwrap().as_ptr(), first.as_ptr());
        assert_ne!(queue.info(&[2, 3, 3]).unwrap().as_ptr(), first.as_ptr());
        assert_ne!(queue.info(&[2, 3, 3, 0]).unwrap().as_ptr(), first.as_ptr());
        let buffers = queue.pool().stats().buffers;
        for round in 0..2 {
            for i in 0..3_000 {
                let info = queue.info(&[i, round, 7, 8, 9, 10]).unwrap();
                assert_eq!(info.as_ptr().address() % 8, 0);
            }
        }
        assert!(queue.pool().stats().buffers <= buffers + 1, "old slabs go, those in use stay");
        assert_eq!(queue.info(&vec![1; 100_000]).unwrap().as_ptr().address() % 256, 0, "any length");
    }
}

/// So that nobody wonders which of several compiles.
#[test]
fn the_compiler_is_named() {
    for queue in queues() {
        let text = queue.device().runtime().compiler().unwrap().describe();
        let (path, version) = text.split_once(" (").expect("its version behind its path");
        assert!(std::path::Path::new(path).is_absolute() || queue.device().platform() != HOST, "{text}");
        assert!(version.chars().any(|c| c.is_ascii_digit()), "{text}");
    }
}

/// The host platform without what begins with `hiprtc`, and what names the program behind it.
fn without_hiprtc(name: &str) -> Option<*const c_void> {
    let missing = name.starts_with("hiprtc") || name == rocm_sys::extension::COMPILER;
    if missing { None } else { candle_rocm_host::symbol(name) }
}

/// With a comgr that says its version.
fn with_comgr(name: &str) -> Option<*const c_void> {
    unsafe extern "C" fn version(major: *mut usize, minor: *mut usize) {
        // SAFETY: callers pass two integers.
        unsafe { (*major, *minor) = (3, 7) };
    }
    match name {
        "amd_comgr_get_version" => Some(version as *const c_void),
        _ => without_hiprtc(name),
    }
}

const fn linked(name: &'static str, symbol: rocm_sys::Resolver) -> Adapter {
    Adapter::linked(name, Linked { name: "linked in", symbol, unavailable: || None })
}

/// comgr comes with the runtime, and hiprtc need not.
#[test]
fn comgr_serves_where_hiprtc_is_missing() {
    static WITH_COMGR: Adapter = linked("with comgr", with_comgr);
    let compiler = Runtime::get(Platform::of(&WITH_COMGR)).unwrap().compiler().unwrap();
    assert_eq!(compiler.describe(), "linked in (comgr 3.7)");
    assert!(compiler.identity().unwrap().starts_with("comgr 3.7 "));
}

#[test]
fn without_any_compiler_both_are_named() {
    static BARE: Adapter = linked("bare", without_hiprtc);
    let device = Runtime::get(Platform::of(&BARE)).unwrap().device(0).unwrap();
    let error = device.compile("nothing", "").unwrap_err();
    assert!(matches!(error, HipError::NoCompiler { .. }), "{error}");
    let text = error.to_string();
    for part in ["hiprtcCreateProgram", "amd_comgr_get_version", "this platform does not have it"] {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

#[test]
fn kernels_read_the_dims_that_were_given() {
    const SUM: &str = r#"
        extern "C" __global__ void sum(size_t n, const size_t *info, unsigned long long *out) {
            for (size_t i = 0; i < n; i++) out[0] += info[i];
        }"#;
    for queue in queues() {
        let module = queue.device().compile("sum", SUM).unwrap();
        let sum = module.function("sum").unwrap();
        let mut expected = 0;
        let mut out = queue.alloc_zeros::<u64>(1).unwrap();
        // More than a slab holds, each twice, so that slabs change while kernels that read the old one are queued.
        for i in 0..6_000usize {
            let words = [i / 2, i / 2 + 1, 3, 4, 5, 6];
            expected += words.iter().sum::<usize>() as u64;
            let mut launch = queue.launch(&sum);
            launch.arg(&words.len()).info(&words).buffer_mut(&mut out, 0);
            // SAFETY: the arguments are the kernel's; it reads as many words as there are.
            unsafe { launch.run(LaunchConfig::linear(1, 1)) }.unwrap();
        }
        assert_eq!(queue.download(&out).unwrap(), [expected]);
    }
}

#[test]
fn events_mark_places_in_streams() {
    for queue in queues_without_kernels() {
        let hip = queue.device();
        let (start, end) = (Event::timed(hip).unwrap(), Event::timed(hip).unwrap());
        assert!(end.is_done().unwrap(), "never recorded");
        start.record(queue.stream()).unwrap();
        let buffer = queue.upload(&vec![1f32; 1 << 20]).unwrap();
        end.record(queue.stream()).unwrap();
        end.synchronize().unwrap();
        assert!(end.is_done().unwrap() && end.elapsed_ms(&start).unwrap() >= 0.);

        // Another stream reads what this one wrote, in order through events alone.
        let other = Stream::new(hip).unwrap();
        other.wait_for(queue.stream()).unwrap();
        buffer.record_stream(&other);
        drop(buffer);
        other.synchronize().unwrap();
        assert!(other.is_idle().unwrap());
    }
}

/// Writes to address 64, where nothing is.
const FAULTY: &str = r#"
    extern "C" __global__ void innocent(float *x) { x[threadIdx.x] = 1; }
    extern "C" __global__ void culprit(float *x) { *(volatile int *)64 = 1; }
"#;

/// A GPU of AMD's ends the process here, so this is for the CPU platform; the fault sticks to the device, so it has a
/// process of its own.
#[test]
fn a_kernels_fault_comes_with_its_name() {
    if !in_child("a_kernels_fault_comes_with_its_name", &[("CANDLE_ROCM_PLATFORM", None)]) {
        return;
    }
    let Some(queue) = queues().into_iter().next() else { return };
    let module = queue.device().compile("faulty", FAULTY).unwrap();
    let launch = |name: &str, x: &mut Buffer<f32>| {
        let function = module.function(name)?;
        // SAFETY: the arguments are the kernels'; the fault is wanted, and the platform catches it.
        unsafe { queue.launch(&function).buffer_mut(x, 0).run(LaunchConfig::linear(1, 32)) }
    };
    let mut x = queue.alloc_zeros::<f32>(32).unwrap();
    launch("innocent", &mut x).unwrap();
    assert_eq!(queue.download(&x).unwrap(), [1.; 32]);

    // Synchronised: the first one is done. The fault may be reported by the launch of the last one already.
    let queued = launch("culprit", &mut x).and_then(|()| launch("innocent", &mut x));
    let errors = [queued.err(), queue.synchronize().err(), queue.download(&x).err()];
    assert!(errors[1].is_some() && errors[2].is_some(), "{errors:?}");
    for error in errors.into_iter().flatten() {
        let text = error.to_string();
        let HipError::KernelFault { call, code, name, device: place, kernels, .. } = error else {
            panic!("{text}")
        };
        assert_eq!(kernels.first().map(String::as_str), Some("culprit"), "{text}");
        assert!(kernels.len() <= 2, "what was done before is not suspected: {text}");
        assert!(code > 0 && name.starts_with("hipError") && call.starts_with("hip"), "{text}");
        assert_eq!(place, "host:0");
        assert!(text.contains("0x40"), "the platform can say what it did: {text}");
    }
    // Dropping memory of a failed device is quiet, and the other device is unharmed.
    drop(x);
    drop(module);
    if let Ok(other) = open(HOST, 1) {
        assert_eq!(other.download(&other.upload(&[1u8, 2]).unwrap()).unwrap(), [1, 2]);
    }
}

/// Each fails in its own way, in the second block.
const FAULTS: &str = r#"
    extern "C" __global__ void unmapped(unsigned *x) { if (blockIdx.x) *(volatile unsigned *)(1ull << 46) = 1; }
    extern "C" __global__ void divides(unsigned *x) { x[0] = 10 / (blockIdx.x ? x[1] : 1); }
    extern "C" __global__ void traps(unsigned *x) { if (blockIdx.x) __trap(); }
    extern "C" __global__ void aborts(unsigned *x) { if (blockIdx.x) abort(); }
    extern "C" __global__ void asserts(unsigned *x) { assert(blockIdx.x < 1); }
    extern "C" __global__ void diverges(unsigned *x) {
        if (blockIdx.x && threadIdx.x % 2) { __syncthreads(); } else __syncthreads();
    }
"#;

/// On every system that the CPU platform runs on; each on a device of its own, as a fault sticks to it.
#[test]
fn every_kind_of_kernel_fault_is_an_error() {
    let devices = ("CANDLE_ROCM_HOST_DEVICES", Some("32,64,32,64,32,64"));
    let platform = ("CANDLE_ROCM_PLATFORM", None);
    if !in_child("every_kind_of_kernel_fault_is_an_error", &[devices, platform]) || queues().is_empty() {
        return;
    }
    let faults = [
        ("unmapped", "access to address 0x400000000000"),
        ("divides", "division by zero"),
        ("traps", ": trap"),
        ("aborts", "abort"),
        ("asserts", "assertion failed: blockIdx.x < 1"),
        ("diverges", "divergent barrier"),
    ];
    for (ordinal, (kernel, what)) in faults.into_iter().enumerate() {
        let queue = open(HOST, ordinal).unwrap();
        let module = queue.device().compile("faults", FAULTS).unwrap();
        let function = module.function(kernel).unwrap();
        let mut x = queue.alloc_zeros::<u32>(4).unwrap();
        // SAFETY: it takes this address; what it does wrong is wanted, and the platform catches it.
        unsafe { queue.launch(&function).buffer_mut(&mut x, 0).run(LaunchConfig::linear(2, 64)) }.unwrap();
        let error = queue.synchronize().unwrap_err();
        let text = error.to_string();
        let HipError::KernelFault { kernels, device, .. } = error else { panic!("{kernel}: {text}") };
        assert_eq!((&*kernels, device), (&[kernel.to_owned()][..], format!("host:{ordinal}")));
        assert!(text.contains(what), "`{what}` is not in: {text}");
        assert!(queue.download(&x).is_err(), "{kernel}: it sticks");
    }
}

/// Buffers that nobody drops, that statics hold, and that a thread-local's destructor drops: the process ends well.
#[test]
fn the_process_ends_cleanly_with_live_buffers() {
    use Buffer;
    use std::cell::RefCell;
    use std::sync::OnceLock;

    if !in_child("the_process_ends_cleanly_with_live_buffers", &[]) {
        return;
    }
    static KEPT: OnceLock<Vec<(Queue, Buffer<f32>)>> = OnceLock::new();
    thread_local! {
        static LOCAL: RefCell<Vec<(Queue, Buffer<f32>, Event)>> = const { RefCell::new(Vec::new()) };
    }
    let make = || {
        queues_without_kernels().into_iter().map(|queue| {
            let buffer = queue.upload(&vec![1f32; 100_000]).unwrap();
            (queue, buffer)
        })
    };
    KEPT.get_or_init(|| make().collect());
    let (sender, receiver) = std::sync::mpsc::channel();
    // Still running, with memory of its own, when the process exits.
    std::thread::spawn(move || {
        let kept: Vec<_> = make().collect();
        sender.send(()).unwrap();
        loop {
            std::thread::park();
            assert!(!kept.is_empty());
        }
    });
    receiver.recv().unwrap();
    LOCAL.with_borrow_mut(|local| {
        local.extend(make().map(|(queue, buffer)| {
            let event = Event::new(queue.device()).unwrap();
            (queue, buffer, event)
        }));
    });
    std::mem::forget(make().collect::<Vec<_>>());
}
