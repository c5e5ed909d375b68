//! What happens when a device is full: with the CPU platform's devices made small. Each test has a process of its own, as
//! a device's size is read once, and as others must not use its memory meanwhile.

#[path = "common/gate.rs"]
mod gate;

mod common;

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use common::{HOST, in_child, open, queues};
use gate::{Gate, comes_to_its_end};
use rocm_hip::{Buffer, Device, Fill, HipError, LaunchConfig, Queue, Stream};

const MIB: usize = 1 << 20;
const SMALL_DEVICE: &[(&str, Option<&str>)] = &[
    ("CANDLE_ROCM_HOST_MEMORY", Some("67108864")),
    ("CANDLE_ROCM_HOST_DEVICES", None),
    ("CANDLE_ROCM_POOL_CAP", None),
    ("CANDLE_ROCM_POOL", None),
    ("CANDLE_ROCM_HOST_SANITIZE", None),
    ("CANDLE_ROCM_HOST_INTEGRATED", None),
    ("CANDLE_ROCM_SYSTEM_MEMORY", None),
];

#[test]
fn a_full_device_is_an_error_that_says_how_full() {
    if !in_child("a_full_device_is_an_error_that_says_how_full", SMALL_DEVICE) {
        return;
    }
    for ordinal in 0..2 {
        let queue = open(HOST, ordinal).unwrap();
        let (free, total) = queue.device().memory_info().unwrap();
        assert_eq!(total, 64 * MIB);
        let held: Vec<_> = std::iter::from_fn(|| queue.alloc::<u8>(10 * MIB).ok()).collect();
        assert_eq!(held.len(), free / (10 * MIB));
        let error = queue.alloc::<f32>(10 * MIB / 4).unwrap_err();
        let text = error.to_string();
        let HipError::OutOfMemory { device: name, requested, free, total, system, pooled } = error else {
            panic!("{text}")
        };
        // The device has memory of its own: the machine's does not matter.
        assert_eq!((system, queue.pool().stats().system), (None, 0));
        assert!(!text.contains("integrated"), "{text}");
        assert_eq!((requested, total, pooled), (10 * MIB, 64 * MIB, held.len() * 10 * MIB));
        assert!(free < 10 * MIB, "{free}");
        assert_eq!(name, format!("host:{ordinal}"));
        for part in ["10.00 MiB", "64.00 MiB", "60.00 MiB", &name] {
            assert!(text.contains(part), "{part} in: {text}");
        }
        let stats = queue.pool().stats();
        assert!(stats.out_of_memory_flushes >= 1);
        assert_eq!((stats.buffers, stats.allocated), (held.len(), held.len() * 10 * MIB));

        // Nothing is lost: what is there is still good, and what is given back can be had again.
        drop(held);
        let again = queue.upload(&vec![3u8; 20 * MIB]).unwrap();
        assert!(queue.download(&again).unwrap().iter().all(|&byte| byte == 3));
        let error = queue.alloc::<u8>(100 * MIB).unwrap_err();
        assert!(matches!(error, HipError::OutOfMemory { .. }), "{error}");
    }
}

#[test]
fn caches_are_emptied_before_giving_up() {
    if !in_child("caches_are_emptied_before_giving_up", SMALL_DEVICE) {
        return;
    }
    let queue = open(HOST, 0).unwrap();
    queue.pool().set_cap(usize::MAX).unwrap();
    // 40 MiB in blocks too small for what follows.
    drop((0..40).map(|_| queue.alloc::<u8>(MIB).unwrap()).collect::<Vec<_>>());
    assert_eq!(queue.pool().stats().cached, 40 * MIB);
    let large = queue.alloc::<u8>(50 * MIB).unwrap();
    let stats = queue.pool().stats();
    assert_eq!((stats.cached, stats.out_of_memory_flushes), (0, 1));
    drop(large);

    // Another queue on the same GPU holds the memory: its cache goes too.
    let other = open(HOST, 0).unwrap();
    assert_eq!(queue.pool().stats().cached, 52 * MIB);
    let large = other.alloc::<u8>(50 * MIB).unwrap();
    assert_eq!(queue.pool().stats().reserved, 0);
    drop(large);
}

#[test]
fn buffers_that_nobody_needs_go_before_giving_up() {
    if !in_child("buffers_that_nobody_needs_go_before_giving_up", SMALL_DEVICE) {
        return;
    }
    let (queue, other) = (open(HOST, 0).unwrap(), open(HOST, 0).unwrap());
    let kept = Arc::new(Mutex::new(vec![queue.alloc::<u8>(40 * MIB).unwrap()]));
    let weak = Arc::downgrade(&kept);
    queue.pool().set_reclaim(move || {
        if let Some(kept) = weak.upgrade() {
            kept.lock().unwrap().clear();
        }
    });
    let large = other.alloc::<u8>(50 * MIB).unwrap();
    assert_eq!((large.len(), kept.lock().unwrap().len()), (50 * MIB, 0));
}

#[test]
fn the_last_bytes_are_given_without_rounding_up() {
    if !in_child("the_last_bytes_are_given_without_rounding_up", SMALL_DEVICE) {
        return;
    }
    let queue = open(HOST, 0).unwrap();
    let first = queue.alloc::<u8>(5 * MIB).unwrap();
    let free = queue.device().memory_info().unwrap().0;
    assert_eq!(free, 59 * MIB);
    // The class of this size is 60 MiB.
    let len = free - MIB / 2;
    let rest = queue.alloc::<u8>(len).unwrap();
    assert_eq!(queue.pool().stats().allocated, 5 * MIB + len);
    drop(rest);
    assert_eq!(queue.pool().stats().reserved, 5 * MIB, "an exact block is not kept");
    drop(first);
}

#[test]
fn all_memory_goes_back_to_the_device() {
    if !in_child("all_memory_goes_back_to_the_device", SMALL_DEVICE) {
        return;
    }
    let watcher = open(HOST, 0).unwrap();
    let before = watcher.device().memory_info().unwrap().0;
    let queue = open(HOST, 0).unwrap();
    let buffers: Vec<_> = (0..1_000).map(|i| queue.alloc_zeros::<u16>(i * 13).unwrap()).collect();
    queue.info(&[1, 2, 3]).unwrap();
    assert!(watcher.device().memory_info().unwrap().0 < before);
    drop(queue);
    drop(buffers);
    assert_eq!(watcher.device().memory_info().unwrap().0, before);
}

#[test]
fn without_the_pool_each_buffer_is_an_allocation_of_its_size() {
    let off = [SMALL_DEVICE, &[("CANDLE_ROCM_POOL", Some("off"))]].concat();
    if !in_child("without_the_pool_each_buffer_is_an_allocation_of_its_size", &off) {
        return;
    }
    let queue = open(HOST, 0).unwrap();
    let buffer = queue.upload(&[1u8, 2, 3]).unwrap();
    let stats = queue.pool().stats();
    assert_eq!((stats.allocated, stats.reserved, stats.hits), (3, 3, 0));
    assert_eq!(queue.download(&buffer).unwrap(), [1, 2, 3]);
    drop(buffer);
    assert_eq!(queue.pool().stats().reserved, 0);
    assert!(matches!(queue.alloc::<u8>(65 * MIB), Err(HipError::OutOfMemory { .. })));
}

/// Integrated GPUs whose carve-out is the memory of `SMALL_DEVICE`, and which may use twice as much of the machine's.
fn integrated(usable: &'static str) -> Vec<(&'static str, Option<&'static str>)> {
    let more = [("CANDLE_ROCM_HOST_INTEGRATED", Some("on")), ("CANDLE_ROCM_SYSTEM_MEMORY", Some(usable))];
    SMALL_DEVICE.iter().copied().chain(more).collect()
}

fn usable(device: Device) -> usize {
    device.memory().unwrap().system.expect("the GPU is integrated").usable
}

#[test]
fn an_integrated_gpu_goes_on_in_the_machines_memory() {
    if !in_child("an_integrated_gpu_goes_on_in_the_machines_memory", &integrated("134217728")) {
        return;
    }
    for ordinal in 0..2 {
        let queue = open(HOST, ordinal).unwrap();
        let device = queue.device();
        assert!(device.properties().integrated);
        assert_eq!(usable(device), 128 * MIB);
        let values = |i: usize| (0..10 * MIB / 4).map(|at| (at * 31 + i) as u32).collect::<Vec<_>>();
        let held: Vec<_> = (0..18).map(|i| queue.upload(&values(i)).unwrap()).collect();
        let stats = queue.pool().stats();
        assert_eq!((stats.reserved, stats.system), (180 * MIB, 120 * MIB));
        let memory = device.memory().unwrap();
        assert_eq!((memory.total, usable(device)), (64 * MIB, 8 * MIB));
        assert_eq!(memory.allocatable(), 8 * MIB);
        for (i, buffer) in held.iter().enumerate() {
            assert!(queue.download(buffer).unwrap() == values(i), "buffer {i}");
        }
        let parts = queue.download_range(&held[17], 1000, 3).unwrap();
        assert_eq!(parts, values(17)[1000..1003]);

        let error = queue.alloc::<u8>(10 * MIB).unwrap_err();
        let text = error.to_string();
        let HipError::OutOfMemory { total, system: Some(system), pooled, .. } = error else {
            panic!("{text}")
        };
        assert_eq!((total, system.usable, pooled), (64 * MIB, 8 * MIB, 180 * MIB));
        for part in ["64.00 MiB", "8.00 MiB", "180.00 MiB", "integrated", "CANDLE_ROCM_SYSTEM_MEMORY"] {
            assert!(text.contains(part), "{part} in: {text}");
        }

        // All of it goes back, the cached part when it is asked for.
        drop(held);
        queue.pool().empty_cache().unwrap();
        let stats = queue.pool().stats();
        assert_eq!((stats.reserved, stats.system, stats.device_frees), (0, 0, 18));
        assert_eq!(device.memory_info().unwrap().0, 64 * MIB);
        assert_eq!(usable(device), 128 * MIB);
        let whole = queue.upload(&vec![7u8; 100 * MIB]).unwrap();
        assert_eq!(queue.pool().stats().system, queue.pool().stats().reserved);
        assert!(queue.download(&whole).unwrap().iter().all(|&byte| byte == 7));
        drop(queue);
        drop(whole);
        assert_eq!(usable(device), 128 * MIB, "a pool that goes gives its memory back");
    }
}

#[test]
fn the_machines_memory_is_shared_out_among_pools() {
    if !in_child("the_machines_memory_is_shared_out_among_pools", &integrated("67108864")) {
        return;
    }
    let (queue, other) = (open(HOST, 0).unwrap(), open(HOST, 0).unwrap());
    queue.pool().set_cap(usize::MAX).unwrap();
    let full = queue.alloc::<u8>(60 * MIB).unwrap();
    // Cached in the machine's memory, by one pool: the other can have it.
    drop(queue.alloc::<u8>(40 * MIB).unwrap());
    assert_eq!(queue.pool().stats().system, 40 * MIB);
    let more = other.alloc::<u8>(48 * MIB).unwrap();
    assert_eq!((queue.pool().stats().system, other.pool().stats().system), (0, 48 * MIB));
    assert!(matches!(queue.alloc::<u8>(20 * MIB), Err(HipError::OutOfMemory { .. })));
    drop((full, more));
}

#[test]
fn copies_and_kernels_keep_their_order_in_the_machines_memory() {
    if !in_child("copies_and_kernels_keep_their_order_in_the_machines_memory", &integrated("134217728")) {
        return;
    }
    const LEN: usize = 3 * MIB;
    for queue in queues() {
        let source = r#"
            extern "C" __global__ void triple(size_t n, unsigned *y) {
                for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] *= 3;
            }
        "#;
        let module = queue.device().compile("triple", source).unwrap();
        let triple = module.function("triple").unwrap();
        let full = queue.alloc::<u8>(63 * MIB).unwrap();
        assert_eq!(queue.pool().stats().system, 0);
        let mut buffer = queue.upload(&vec![5u32; LEN]).unwrap();
        // The first one's size class fills the device.
        let stats = queue.pool().stats();
        assert_eq!((stats.reserved, stats.system), (76 * MIB, 12 * MIB));
        let launch = |buffer: &mut Buffer<u32>| {
            // SAFETY: the arguments are the kernel's parameters, and the buffer has so many elements.
            unsafe { queue.launch(&triple).arg(&LEN).buffer_mut(buffer, 0).run(LaunchConfig::linear(4, 64)) }
        };
        launch(&mut buffer).unwrap();
        // Behind the kernel, although the host could write at once.
        queue.upload_to(&[1u32; 1000], &mut buffer, 500).unwrap();
        launch(&mut buffer).unwrap();
        let values = queue.download(&buffer).unwrap();
        let want = |at: usize| if (500..1500).contains(&at) { 3 } else { 45 };
        assert_eq!((0..LEN).find(|&at| values[at] != want(at)), None);
        // Idle by now.
        queue.upload_to(&[2u32], &mut buffer, LEN - 1).unwrap();
        launch(&mut buffer).unwrap();
        let mut copy = queue.alloc::<u32>(2).unwrap();
        queue.copy(&buffer, LEN - 2, &mut copy, 0, 2).unwrap();
        assert_eq!(queue.download(&copy).unwrap(), [135, 6]);
        let zeros = queue.alloc_zeros::<u32>(LEN).unwrap();
        assert!(queue.download(&zeros).unwrap().iter().all(|&zero| zero == 0));
        drop(full);
    }
}

/// What an integrated GPU reads in the machine's memory, the host writes there: once, and not to pinned memory first. The same with
/// whatever is queued, unless the memory may be used by that.
#[test]
fn uploads_to_the_machines_memory_are_written_once() {
    if !in_child("uploads_to_the_machines_memory_are_written_once", &integrated("268435456")) {
        return;
    }
    const LEN: usize = 9 * MIB + 13;
    let value = |index: usize| (index * 31 / 8) as u8;
    let fill = |start: usize, part: &mut [u8]| {
        part.iter_mut().zip(start..).for_each(|(byte, index)| *byte = value(index));
        Ok(())
    };
    let is_right = |queue: &Queue, buffer: &Buffer<u8>| {
        let got = queue.download(buffer).unwrap();
        got.len() == LEN && got.iter().enumerate().all(|(index, &byte)| byte == value(index))
    };
    for queue in queues() {
        // Its size class fills the device.
        let full = queue.alloc::<u8>(63 * MIB).unwrap();
        let before = queue.upload_stats();
        let in_any_order = queue.upload_with::<u8>(LEN, Fill::AnyOrder(&fill)).unwrap();
        let mut at = 0;
        let mut next = |part: &mut [u8]| {
            at += part.len();
            fill(at - part.len(), part)
        };
        let in_order = queue.upload_with::<u8>(LEN, Fill::InOrder(&mut next)).unwrap();
        let values: Vec<u8> = (0..LEN).map(value).collect();
        let mut of_a_slice = queue.upload(&values).unwrap();
        queue.upload_to(&values[5..7], &mut of_a_slice, 5).unwrap();
        let stats = queue.upload_stats();
        let sum = 3 * LEN as u64 + 2;
        assert_eq!((stats.bytes - before.bytes, stats.direct, stats.copies), (sum, sum, before.copies));
        for buffer in [&in_any_order, &in_order, &of_a_slice] {
            assert!(is_right(&queue, buffer));
        }

        // The queue is busy. Memory that is new is waited for, so that those behind it find the queue idle.
        let gate = Gate::on(queue.stream());
        let release = thread::spawn(move || {
            thread::sleep(Duration::from_millis(200));
            drop(gate);
        });
        let new = queue.upload_with::<u8>(LEN, Fill::AnyOrder(&fill)).unwrap();
        release.join().unwrap();
        let stats = queue.upload_stats();
        assert_eq!((stats.direct, stats.copies), (sum + LEN as u64, before.copies));
        assert!(is_right(&queue, &new));

        // Memory that had an owner before may be in use, and the caller does not wait for that.
        drop(new);
        let gate = Gate::on(queue.stream());
        let again = queue.upload_with::<u8>(LEN, Fill::AnyOrder(&fill)).unwrap();
        assert!(!comes_to_its_end(queue.stream()));
        drop(gate);
        let stats = queue.upload_stats();
        assert_eq!(stats.direct, sum + LEN as u64);
        assert_eq!(stats.copies - before.copies, LEN.div_ceil(4 * MIB) as u64);
        assert!(is_right(&queue, &again));
        // What cannot be read is an error here, too.
        let cut = |_: usize, _: &mut [u8]| Err(std::io::ErrorKind::UnexpectedEof.into());
        let error = queue.upload_with::<u8>(LEN, Fill::AnyOrder(&cut)).unwrap_err();
        assert!(matches!(error, HipError::Fill(_)), "{error}");
        drop(full);
    }
}

#[test]
fn an_integrated_gpu_can_be_kept_to_its_own_memory() {
    if !in_child("an_integrated_gpu_can_be_kept_to_its_own_memory", &integrated("0")) {
        return;
    }
    let queue = open(HOST, 0).unwrap();
    assert_eq!(usable(queue.device()), 0);
    let held = queue.alloc::<u8>(60 * MIB).unwrap();
    let error = queue.alloc::<u8>(10 * MIB).unwrap_err();
    assert!(matches!(error, HipError::OutOfMemory { system: Some(_), .. }), "{error}");
    assert_eq!(queue.pool().stats().system, 0);
    drop(held);
}
