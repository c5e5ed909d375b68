//! The caching allocator: against a model, under its cap, from several threads.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use common::{Random, in_child, open, queues_without_kernels};
use rocm_hip::{Buffer, HipError, Queue, Stream};

/// None where the pool is switched off for a memory checker: then there is nothing here to test.
fn pooled_queues() -> Vec<Queue> {
    if rocm_hip::variable::switch("CANDLE_ROCM_POOL") == Some(false) {
        return Vec::new();
    }
    queues_without_kernels()
}

/// Sizes as programs have them: many small ones, some large, a few empty.
fn some_size(random: &mut Random) -> usize {
    match random.below(100) {
        0..5 => 0,
        5..60 => 1 + random.below(4 << 10),
        60..85 => 1 + random.below(128 << 10),
        85..98 => 1 + random.below(2 << 20),
        _ => 1 + random.below(16 << 20),
    }
}

/// Remembers which addresses are in use, and refuses overlaps.
#[derive(Default)]
struct Model {
    /// Start to end.
    used: BTreeMap<u64, u64>,
    bytes: usize,
}

impl Model {
    fn add(&mut self, buffer: &Buffer<u8>) {
        let (start, end) = range(buffer);
        assert_eq!(start % 256, 0, "blocks are aligned");
        let before = self.used.range(..end).next_back();
        assert!(before.is_none_or(|(_, &other)| other <= start), "{start:#x}..{end:#x} overlaps {before:x?}");
        self.used.insert(start, end);
        self.bytes += buffer.len();
    }

    fn remove(&mut self, buffer: &Buffer<u8>) {
        let (start, end) = range(buffer);
        assert_eq!(self.used.remove(&start), Some(end));
        self.bytes -= buffer.len();
    }
}

fn range(buffer: &Buffer<u8>) -> (u64, u64) {
    let start = buffer.as_ptr().address();
    (start, start + buffer.len() as u64)
}

#[test]
fn a_hundred_thousand_random_allocations_follow_the_model() {
    for queue in pooled_queues() {
        let pool = queue.pool();
        let start = pool.stats();
        assert_eq!((start.allocated, start.reserved, start.buffers), (0, 0, 0));
        let cap = 24 << 20;
        pool.set_cap(cap).unwrap();
        assert_eq!(pool.cap(), cap);

        let mut random = Random(1);
        let mut model = Model::default();
        let mut live: Vec<Buffer<u8>> = Vec::new();
        for _ in 0..100_000 {
            // Grows and shrinks between nothing and about two hundred buffers.
            let grow = random.below(400) >= live.len().min(350);
            if grow {
                let len = some_size(&mut random);
                let buffer = queue.alloc::<u8>(len).unwrap();
                assert_eq!((buffer.len(), buffer.is_empty()), (len, len == 0));
                assert_eq!(buffer.as_ptr().is_null(), len == 0, "empty buffers take no memory");
                if len > 0 {
                    model.add(&buffer);
                }
                live.push(buffer);
            } else if !live.is_empty() {
                let buffer = live.swap_remove(random.below(live.len()));
                if !buffer.is_empty() {
                    model.remove(&buffer);
                }
            }
            let stats = pool.stats();
            assert_eq!(stats.buffers, model.used.len());
            assert!(stats.allocated >= model.bytes, "every buffer has its memory");
            assert!(
                stats.allocated <= model.bytes + model.bytes / 8 + 768 * stats.buffers,
                "and little more"
            );
            assert!(stats.cached <= cap, "{} cached, cap {cap}", stats.cached);
            assert!(stats.reserved >= stats.allocated + stats.cached);
            assert!(stats.allocated_peak >= stats.allocated && stats.reserved_peak >= stats.reserved);
        }
        let stats = pool.stats();
        assert!(stats.hits > 2 * stats.misses, "the cache serves most: {stats:?}");
        assert_eq!(stats.out_of_memory_flushes, 0);

        drop(live);
        let stats = pool.stats();
        assert_eq!((stats.allocated, stats.buffers), (0, 0));
        assert_eq!(stats.cached, stats.reserved, "nothing is in use, so all of it can go back");
        assert_eq!(pool.empty_cache().unwrap(), stats.reserved);
        let stats = pool.stats();
        assert_eq!((stats.reserved, stats.cached), (0, 0));
        assert_eq!(stats.device_allocations, stats.device_frees);
        pool.reset_peaks();
        assert_eq!(pool.stats().reserved_peak, 0);
    }
}

#[test]
fn memory_keeps_what_was_written_while_others_come_and_go() {
    for queue in pooled_queues() {
        let mut random = Random(2);
        let mut live: Vec<(u8, Buffer<u8>)> = Vec::new();
        let check = |(tag, buffer): &(u8, Buffer<u8>)| {
            let content = queue.download(buffer).unwrap();
            assert!(content.iter().all(|byte| byte == tag), "another buffer wrote here");
        };
        for round in 0..2_000 {
            if live.len() < 40 && random.below(3) > 0 {
                let tag = round as u8;
                let values = vec![tag; some_size(&mut random) / 16];
                live.push((tag, queue.upload(&values).unwrap()));
            } else if !live.is_empty() {
                check(&live.swap_remove(random.below(live.len())));
            }
        }
        live.iter().for_each(check);
    }
}

#[test]
fn threads_share_a_pool() {
    for queue in pooled_queues() {
        queue.pool().set_cap(8 << 20).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..8u32 {
                let queue = &queue;
                scope.spawn(move || {
                    let mut random = Random(u64::from(thread));
                    let mut live = Vec::new();
                    for round in 0..3_000u32 {
                        if live.len() < 20 && random.below(2) == 0 {
                            let len = some_size(&mut random) / 64;
                            // A tenth is written and read back: enough to notice two owners of one block.
                            let tag = thread << 24 | round;
                            let written = random.below(10) == 0;
                            let buffer = if written {
                                queue.upload(&vec![tag; len]).unwrap()
                            } else {
                                queue.alloc::<u32>(len).unwrap()
                            };
                            live.push((written.then_some(tag), buffer));
                        } else if !live.is_empty() {
                            let (tag, buffer) = live.swap_remove(random.below(live.len()));
                            if let Some(tag) = tag {
                                assert!(queue.download(&buffer).unwrap().iter().all(|&value| value == tag));
                            }
                        }
                    }
                });
            }
        });
        let stats = queue.pool().stats();
        assert_eq!((stats.buffers, stats.allocated), (0, 0));
        assert!(stats.cached <= 8 << 20);
    }
}

#[test]
fn a_block_is_used_again_for_its_size_class_only() {
    for queue in pooled_queues() {
        let address = |len: usize| queue.alloc::<f32>(len).unwrap().as_ptr();
        let first = address(1 << 20);
        assert_eq!(address(1 << 20), first);
        assert_eq!(address((1 << 20) - (1 << 15)), first, "the class holds an eighth of sizes");
        let smaller = address(1 << 19);
        assert_ne!(smaller, first);
        let stats = queue.pool().stats();
        assert_eq!((stats.hits, stats.misses), (2, 2));
        let held = queue.alloc::<f32>(1 << 20).unwrap();
        assert_ne!(address(1 << 20), held.as_ptr());
    }
}

#[test]
fn small_buffers_share_device_allocations() {
    for queue in pooled_queues() {
        let buffers: Vec<_> = (0..6_400).map(|_| queue.alloc::<f32>(100).unwrap()).collect();
        let addresses: BTreeSet<_> = buffers.iter().map(|buffer| buffer.as_ptr().address()).collect();
        assert_eq!(addresses.len(), buffers.len());
        assert_eq!(queue.pool().stats().device_allocations, 100);
    }
}

#[test]
fn memory_that_is_kept_goes_before_more_is_in_use() {
    for queue in pooled_queues() {
        let pool = queue.pool();
        let kept = Arc::new(Mutex::new(Vec::new()));
        // A buffer has its pool, which must not have the buffer.
        let weak = Arc::downgrade(&kept);
        pool.set_reclaim(move || {
            if let Some(kept) = weak.upgrade() {
                kept.lock().unwrap().clear();
            }
        });
        let keep = |len: usize| {
            let buffer = pool.alloc::<u8>(len).unwrap();
            kept.lock().unwrap().push(buffer);
        };
        for len in [1 << 10, 4 << 20] {
            drop((pool.alloc::<u8>(len).unwrap(), pool.alloc::<u8>(len).unwrap()));
            let before = pool.stats();
            let in_use = || pool.stats().allocated / pool.stats().buffers;
            keep(len);
            let size = in_use();
            keep(len);
            assert_eq!(pool.stats().allocated, 2 * size, "there is room for both");
            keep(len);
            assert_eq!(pool.stats().allocated, size, "and not for a third");
            kept.lock().unwrap().clear();
            let after = pool.stats();
            assert_eq!(
                (after.allocated_peak, after.reserved_peak),
                (before.allocated_peak.max(2 * size), before.reserved_peak)
            );
            pool.reset_peaks();
        }
    }
}

#[test]
fn a_cap_of_zero_keeps_nothing() {
    for queue in pooled_queues() {
        queue.pool().set_cap(0).unwrap();
        for len in [1, 1000, 100_000] {
            drop(queue.alloc::<f64>(len).unwrap());
            assert_eq!(queue.pool().stats().reserved, 0);
        }
        let kept = queue.alloc::<f64>(10).unwrap();
        assert!(queue.pool().stats().reserved > 0);
        drop(kept);
        assert_eq!(queue.pool().stats().reserved, 0);
    }
}

#[test]
fn lowering_the_cap_gives_memory_back_at_once() {
    for queue in pooled_queues() {
        drop((0..10).map(|_| queue.alloc::<u8>(1 << 20).unwrap()).collect::<Vec<_>>());
        assert_eq!(queue.pool().stats().cached, 10 << 20);
        queue.pool().set_cap(3 << 20).unwrap();
        assert_eq!(queue.pool().stats().reserved, 3 << 20);
    }
}

#[test]
fn buffers_outlive_the_device_they_came_from() {
    for queue in pooled_queues() {
        let (platform, ordinal) = (queue.device().platform(), queue.device().ordinal());
        let buffer = queue.upload(&[1u32, 2, 3]).unwrap();
        let pool = buffer.pool().clone();
        drop(queue);
        assert_eq!(pool.stats().buffers, 1);
        assert_eq!(buffer.device().ordinal(), ordinal);
        drop(buffer);
        drop(pool);
        // The physical device is as it was.
        let again = open(platform, ordinal).unwrap();
        assert_eq!(again.download(&again.upload(&[4u32]).unwrap()).unwrap(), [4]);
    }
}

#[test]
fn memory_that_another_stream_uses_waits_for_it() {
    const LEN: usize = 8 << 20;
    for queue in pooled_queues() {
        let hip = queue.device();
        let fill = |stream: &Stream, buffer: &Buffer<u8>, value: i32| {
            hip.bind().unwrap();
            // SAFETY: the buffer has LEN bytes, and outlives the fill: the pool sees to that, which is the test.
            let code =
                unsafe { hip.hip().hipMemsetAsync(buffer.as_ptr().as_raw(), value, LEN, stream.as_raw()) };
            stream.check("hipMemsetAsync", code).unwrap();
        };
        for _ in 0..5 {
            let other = Stream::new(hip).unwrap();
            let buffer = queue.alloc::<u8>(LEN).unwrap();
            let address = buffer.as_ptr();
            buffer.record_stream(&other);
            buffer.record_stream(&other);
            buffer.record_stream(queue.stream());
            (0..20).for_each(|_| fill(&other, &buffer, 1));
            drop(buffer);
            let next = queue.alloc::<u8>(LEN).unwrap();
            assert_eq!(next.as_ptr(), address, "the queue waits, not the allocation");
            fill(queue.stream(), &next, 2);
            assert!(
                queue.download(&next).unwrap().iter().all(|&byte| byte == 2),
                "the other stream wrote later"
            );
            assert!(other.is_idle().unwrap());
        }
    }
}

#[test]
fn absurd_sizes_are_errors() {
    // Whoever runs out of memory empties the caches of all pools on the device, those of the other tests too.
    if !in_child("absurd_sizes_are_errors", &[]) {
        return;
    }
    for queue in pooled_queues() {
        for len in [usize::MAX, usize::MAX / 8, 1 << 60, 1 << 50] {
            let error = queue.alloc::<f64>(len).unwrap_err();
            let HipError::OutOfMemory { requested, total, .. } = error else { panic!("{error}") };
            assert_eq!(requested, len.saturating_mul(8));
            assert_eq!(total, queue.device().total_memory());
        }
        assert_eq!(queue.pool().stats().buffers, 0);
        assert_eq!(queue.upload(&[7u8]).unwrap().len(), 1, "and the device goes on");
    }
}
