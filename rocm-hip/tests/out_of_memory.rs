//! What happens when a device is full: with the CPU platform's devices made small. Each test has a process of its own, as
//! a device's size is read once, and as others must not use its memory meanwhile.

mod common;

use std::sync::{Arc, Mutex};

use common::{HOST, in_child, open};
use rocm_hip::HipError;

const MIB: usize = 1 << 20;
const SMALL_DEVICE: &[(&str, Option<&str>)] = &[
    ("CANDLE_ROCM_HOST_MEMORY", Some("67108864")),
    ("CANDLE_ROCM_HOST_DEVICES", None),
    ("CANDLE_ROCM_POOL_CAP", None),
    ("CANDLE_ROCM_POOL", None),
    ("CANDLE_ROCM_HOST_SANITIZE", None),
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
        let HipError::OutOfMemory { device: name, requested, free, total, pooled } = error else {
            panic!("{text}")
        };
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
    let off = [("CANDLE_ROCM_POOL", Some("off")), SMALL_DEVICE[0]];
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
