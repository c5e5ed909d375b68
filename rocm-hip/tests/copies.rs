//! Copies between host and device: every element type, any length, from any thread.

mod common;

use common::{Random, queues_without_kernels};
use float8::F8E4M3;
use half::{bf16, f16};
use rocm_hip::{Element, Fill, HipError, Queue};

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

/// Copies of 4 MiB at most, each byte written once, by whichever thread, and 32 MiB pinned however much there is.
#[test]
fn long_uploads_go_in_batches() {
    const MIB: usize = 1 << 20;
    for queue in queues_without_kernels() {
        let mut random = Random(11);
        let mut expected = queue.upload_stats();
        for len in [MIB, MIB + 1, 4 * MIB, 4 * MIB + 1, 9 * MIB - 3, 50 * MIB] {
            let values: Vec<u8> = (0..len).map(|_| random.next() as u8).collect();
            let buffer = queue.upload(&values).unwrap();
            let stats = queue.upload_stats();
            expected.bytes += len as u64;
            expected.copies += len.div_ceil(4 * MIB) as u64;
            expected.pinned = stats.pinned;
            assert_eq!(stats, expected);
            assert!(stats.pinned <= 32 * MIB, "{stats:?}");
            assert!(queue.download(&buffer).unwrap() == values, "{len}");
        }
    }
}

/// Short uploads follow each other in one segment.
#[test]
fn short_uploads_share_a_segment() {
    for queue in queues_without_kernels() {
        for round in 0..100u64 {
            let buffer = queue.upload(&[round; 1000]).unwrap();
            assert!(queue.download(&buffer).unwrap().iter().all(|&value| value == round));
        }
        let stats = queue.upload_stats();
        assert_eq!((stats.bytes, stats.copies, stats.pinned), (800_000, 100, 4 << 20));
    }
}

#[test]
fn what_is_uploaded_is_read_where_it_is_needed() {
    const LEN: usize = 3_000_001;
    let value = |index: usize| (index as u32).wrapping_mul(0x9e37_79b9);
    let fill = |start: usize, part: &mut [u8]| {
        assert_eq!((start % 4, part.len() % 4), (0, 0));
        let words = part.as_chunks_mut::<4>().0.iter_mut();
        words.zip(start / 4..).for_each(|(word, index)| *word = value(index).to_ne_bytes());
        Ok(())
    };
    let is_right = |got: Vec<u32>| got.len() == LEN && got.iter().enumerate().all(|(i, &v)| v == value(i));
    for queue in queues_without_kernels() {
        let buffer = queue.upload_with::<u32>(LEN, Fill::AnyOrder(&fill)).unwrap();
        assert!(is_right(queue.download(&buffer).unwrap()));
        let (mut at, caller) = (0, std::thread::current().id());
        let mut next = |part: &mut [u8]| {
            assert_eq!(std::thread::current().id(), caller);
            at += part.len();
            fill(at - part.len(), part)
        };
        let buffer = queue.upload_with::<u32>(LEN, Fill::InOrder(&mut next)).unwrap();
        assert!(is_right(queue.download(&buffer).unwrap()));
        let none = queue.upload_with::<u32>(0, Fill::InOrder(&mut |_| panic!("nothing to read"))).unwrap();
        assert!(none.is_empty());
        assert_eq!(queue.upload_stats().bytes, 8 * LEN as u64);
    }
}

/// The error of the first part that cannot be read; what comes later is as if nothing had happened.
#[test]
fn what_cannot_be_read_is_an_error() {
    for queue in queues_without_kernels() {
        let cut = |start: usize, _: &mut [u8]| match start {
            0 => Ok(()),
            _ => Err(std::io::ErrorKind::UnexpectedEof.into()),
        };
        // Pinned memory is there for the next one, however many failed.
        for len in [20 << 20, 3 << 20, 5 << 20].into_iter().cycle().take(30) {
            let error = queue.upload_with::<u8>(len, Fill::AnyOrder(&cut)).unwrap_err();
            assert_eq!(error.to_string(), "cannot read the data to upload: unexpected end of file");
        }
        assert!(queue.upload_stats().pinned <= 32 << 20, "{:?}", queue.upload_stats());
        let mut gone = |_: &mut [u8]| Err(std::io::ErrorKind::NotFound.into());
        let error = queue.upload_with::<u8>(7, Fill::InOrder(&mut gone)).unwrap_err();
        assert!(matches!(error, HipError::Fill(error) if error.kind() == std::io::ErrorKind::NotFound));
        let values = vec![5u8; 20 << 20];
        assert!(queue.download(&queue.upload(&values).unwrap()).unwrap() == values);
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
