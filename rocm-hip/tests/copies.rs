//! Copies between host and device: every element type, any length, from any thread.

mod common;

use common::{Random, queues_without_kernels};
use float8::F8E4M3;
use half::{bf16, f16};
use rocm_hip::{Element, Queue};

/// Whether two values have the same bits: NaNs of all kinds must come back as they were.
fn same_bits<T: Element>(a: &[T], b: &[T]) -> bool {
    // SAFETY: elements are plain data without padding.
    let bytes = |values: &[T]| unsafe {
        std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)).to_vec()
    };
    bytes(a) == bytes(b)
}

fn round_trip<T: Element>(queue: &Queue, value: impl Fn(u64) -> T) {
    round_trip_of(queue, &[0, 1, 7, 63, 64, 65, 1000, 100_003], value);
}

fn round_trip_of<T: Element>(queue: &Queue, lengths: &[usize], value: impl Fn(u64) -> T) {
    let mut random = Random(3);
    for &len in lengths {
        let values: Vec<T> = (0..len).map(|_| value(random.next())).collect();
        let mut buffer = queue.upload(&values).unwrap();
        assert_eq!((buffer.len(), buffer.size_in_bytes()), (len, len * size_of::<T>()));
        assert!(same_bits(&queue.download(&buffer).unwrap(), &values), "{} {len}", T::NAME);
        if len > 2 {
            let middle = queue.download_range(&buffer, 1, len - 2).unwrap();
            assert!(same_bits(&middle, &values[1..len - 1]), "{} {len}: a range", T::NAME);
            queue.upload_to(&values[..1], &mut buffer, len - 1).unwrap();
            let mut copy = queue.alloc_zeros::<T>(len).unwrap();
            queue.copy(&buffer, 1, &mut copy, 0, len - 1).unwrap();
            let mut expected = values[1..len - 1].to_vec();
            expected.push(values[0]);
            let got = queue.download(&copy).unwrap();
            assert!(same_bits(&got[..len - 1], &expected), "{} {len}: a copy", T::NAME);
            assert!(bytes_are_zero(&got[len - 1..]), "{} {len}: beyond the copy", T::NAME);
        }
    }
}

fn bytes_are_zero<T: Element>(values: &[T]) -> bool {
    // SAFETY: elements are plain data without padding.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) }
        .iter()
        .all(|&b| b == 0)
}

#[test]
fn all_elements_come_back_as_they_went() {
    for queue in queues_without_kernels() {
        round_trip(&queue, |bits| bits as u8);
        round_trip(&queue, |bits| bits as i8);
        round_trip(&queue, |bits| bits as u16);
        round_trip(&queue, |bits| bits as i16);
        round_trip(&queue, |bits| bits as u32);
        round_trip(&queue, |bits| bits as i32);
        round_trip(&queue, |bits| bits);
        round_trip(&queue, |bits| bits as i64);
        round_trip(&queue, |bits| bits as usize);
        round_trip(&queue, |bits| f16::from_bits(bits as u16));
        round_trip(&queue, |bits| bf16::from_bits(bits as u16));
        round_trip(&queue, |bits| f32::from_bits(bits as u32));
        round_trip(&queue, f64::from_bits);
        round_trip(&queue, |bits| F8E4M3::from_bits(bits as u8));
    }
}

#[test]
fn copies_of_any_length_go_through_the_pinned_segments() {
    // Of 4 MiB each: around one, and more than there are.
    let segment = 4 << 20;
    for queue in queues_without_kernels() {
        round_trip_of(&queue, &[segment - 1, segment, segment + 1, 5 * segment + 3], |bits| bits as u8);
        round_trip_of(&queue, &[segment / 8 - 1, segment / 8 + 1, segment], |bits| bits);
    }
}

#[test]
fn own_types_travel_too() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(C)]
    struct Pair {
        key: u32,
        value: f32,
    }
    // SAFETY: two numbers of four bytes, no padding, every bit pattern is a value.
    unsafe impl Element for Pair {
        const NAME: &'static str = "Pair";
    }
    for queue in queues_without_kernels() {
        let pairs = [Pair { key: 1, value: 2. }, Pair { key: 3, value: 4. }];
        assert_eq!(queue.download(&queue.upload(&pairs).unwrap()).unwrap(), pairs);
    }
}

#[test]
fn zeros_are_zeros_in_used_memory() {
    for queue in queues_without_kernels() {
        drop(queue.upload(&[0xffu8; 10_000]).unwrap());
        assert!(queue.download(&queue.alloc_zeros::<u8>(10_000).unwrap()).unwrap().iter().all(|&b| b == 0));
        assert!(queue.alloc_zeros::<f64>(0).unwrap().is_empty());
    }
}

#[test]
fn uploads_do_not_need_their_source_any_more() {
    for queue in queues_without_kernels() {
        let mut source = vec![0u32; 300_000];
        let buffers: Vec<_> = (0..50u32)
            .map(|round| {
                source.fill(round);
                queue.upload(&source).unwrap()
            })
            .collect();
        source.fill(u32::MAX);
        for (round, buffer) in buffers.iter().enumerate() {
            assert!(queue.download(buffer).unwrap().iter().all(|&value| value == round as u32));
        }
    }
}

#[test]
fn threads_share_a_device() {
    for queue in queues_without_kernels() {
        std::thread::scope(|scope| {
            for thread in 0..8u64 {
                let queue = &queue;
                scope.spawn(move || {
                    let mut random = Random(thread);
                    for _ in 0..100 {
                        let values: Vec<u64> = (0..random.below(20_000)).map(|_| random.next()).collect();
                        let buffer = queue.upload(&values).unwrap();
                        let mut copy = queue.alloc(values.len()).unwrap();
                        queue.copy(&buffer, 0, &mut copy, 0, values.len()).unwrap();
                        drop(buffer);
                        assert_eq!(queue.download(&copy).unwrap(), values);
                    }
                });
            }
        });
        assert_eq!(queue.pool().stats().buffers, 0);
    }
}

#[test]
fn one_thread_uses_several_devices() {
    let all = queues_without_kernels();
    let buffers: Vec<_> =
        (0..20u32).map(|i| all.iter().map(|d| d.upload(&[i]).unwrap()).collect::<Vec<_>>()).collect();
    for (i, row) in buffers.iter().enumerate() {
        for (queue, buffer) in all.iter().zip(row) {
            assert_eq!(queue.download(buffer).unwrap(), [i as u32]);
            assert_eq!(buffer.device(), queue.device());
        }
    }
}
