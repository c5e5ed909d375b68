//! RocmDevice: copies, seeds, threads, what happens after a kernel failed, and at the end of the process.

mod common;

use candle_core::backend::BackendDevice;
use candle_core::{DType, DeviceLocation, Shape};
use candle_rocm::hip::{Event, LaunchConfig, Platform, Stream};
use candle_rocm::{Element, RocmDevice, RocmError};
use common::{Random, devices, devices_without_kernels, in_child};
use float8::F8E4M3;
use half::{bf16, f16};

/// Whether two values have the same bits: NaNs of all kinds must come back as they were.
fn same_bits<T: Element>(a: &[T], b: &[T]) -> bool {
    // SAFETY: elements are plain data without padding.
    let bytes = |values: &[T]| unsafe {
        std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)).to_vec()
    };
    bytes(a) == bytes(b)
}

fn round_trip<T: Element>(device: &RocmDevice, value: impl Fn(u64) -> T) {
    round_trip_of(device, &[0, 1, 7, 63, 64, 65, 1000, 100_003], value);
}

fn round_trip_of<T: Element>(device: &RocmDevice, lengths: &[usize], value: impl Fn(u64) -> T) {
    let mut random = Random(3);
    for &len in lengths {
        let values: Vec<T> = (0..len).map(|_| value(random.next())).collect();
        let mut buffer = device.upload(&values).unwrap();
        assert_eq!((buffer.len(), buffer.size_in_bytes()), (len, len * size_of::<T>()));
        assert!(same_bits(&device.download(&buffer).unwrap(), &values), "{} {len}", T::NAME);
        if len > 2 {
            let middle = device.download_range(&buffer, 1, len - 2).unwrap();
            assert!(same_bits(&middle, &values[1..len - 1]), "{} {len}: a range", T::NAME);
            device.upload_to(&values[..1], &mut buffer, len - 1).unwrap();
            let mut copy = device.alloc_zeros::<T>(len).unwrap();
            device.copy(&buffer, 1, &mut copy, 0, len - 1).unwrap();
            let mut expected = values[1..len - 1].to_vec();
            expected.push(values[0]);
            let got = device.download(&copy).unwrap();
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
    for device in devices_without_kernels() {
        round_trip(&device, |bits| bits as u8);
        round_trip(&device, |bits| bits as i8);
        round_trip(&device, |bits| bits as u16);
        round_trip(&device, |bits| bits as i16);
        round_trip(&device, |bits| bits as u32);
        round_trip(&device, |bits| bits as i32);
        round_trip(&device, |bits| bits);
        round_trip(&device, |bits| bits as i64);
        round_trip(&device, |bits| bits as usize);
        round_trip(&device, |bits| f16::from_bits(bits as u16));
        round_trip(&device, |bits| bf16::from_bits(bits as u16));
        round_trip(&device, |bits| f32::from_bits(bits as u32));
        round_trip(&device, f64::from_bits);
        round_trip(&device, |bits| F8E4M3::from_bits(bits as u8));
    }
}

#[test]
fn copies_of_any_length_go_through_the_pinned_segments() {
    // Of 4 MiB each: around one, and more than there are.
    let segment = 4 << 20;
    for device in devices_without_kernels() {
        round_trip_of(&device, &[segment - 1, segment, segment + 1, 5 * segment + 3], |bits| bits as u8);
        round_trip_of(&device, &[segment / 8 - 1, segment / 8 + 1, segment], |bits| bits);
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
    for device in devices_without_kernels() {
        let pairs = [Pair { key: 1, value: 2. }, Pair { key: 3, value: 4. }];
        assert_eq!(device.download(&device.upload(&pairs).unwrap()).unwrap(), pairs);
    }
}

#[test]
fn zeros_are_zeros_in_used_memory() {
    for device in devices_without_kernels() {
        drop(device.upload(&[0xffu8; 10_000]).unwrap());
        assert!(device.download(&device.alloc_zeros::<u8>(10_000).unwrap()).unwrap().iter().all(|&b| b == 0));
        assert!(device.alloc_zeros::<f64>(0).unwrap().is_empty());
    }
}

#[test]
fn uploads_do_not_need_their_source_any_more() {
    for device in devices_without_kernels() {
        let mut source = vec![0u32; 300_000];
        let buffers: Vec<_> = (0..50u32)
            .map(|round| {
                source.fill(round);
                device.upload(&source).unwrap()
            })
            .collect();
        source.fill(u32::MAX);
        for (round, buffer) in buffers.iter().enumerate() {
            assert!(device.download(buffer).unwrap().iter().all(|&value| value == round as u32));
        }
    }
}

#[test]
fn threads_share_a_device() {
    for device in devices_without_kernels() {
        std::thread::scope(|scope| {
            for thread in 0..8u64 {
                let device = device.clone();
                scope.spawn(move || {
                    let mut random = Random(thread);
                    for _ in 0..100 {
                        let values: Vec<u64> = (0..random.below(20_000)).map(|_| random.next()).collect();
                        let buffer = device.upload(&values).unwrap();
                        let mut copy = device.alloc(values.len()).unwrap();
                        device.copy(&buffer, 0, &mut copy, 0, values.len()).unwrap();
                        drop(buffer);
                        assert_eq!(device.download(&copy).unwrap(), values);
                    }
                });
            }
        });
        assert_eq!(device.pool().stats().buffers, 0);
    }
}

#[test]
fn one_thread_uses_several_devices() {
    let all = devices_without_kernels();
    let buffers: Vec<_> =
        (0..20u32).map(|i| all.iter().map(|d| d.upload(&[i]).unwrap()).collect::<Vec<_>>()).collect();
    for (i, row) in buffers.iter().enumerate() {
        for (device, buffer) in all.iter().zip(row) {
            assert_eq!(device.download(buffer).unwrap(), [i as u32]);
            assert_eq!(buffer.device(), device.hip_device());
        }
    }
}

#[test]
fn dims_and_strides_are_kept_by_content() {
    for device in devices_without_kernels() {
        assert!(device.info(&[]).unwrap().as_ptr().is_null());
        let first = device.info(&[2, 3, 3, 1]).unwrap();
        assert_eq!(device.info(&[2, 3, 3, 1]).unwrap().as_ptr(), first.as_ptr());
        assert_ne!(device.info(&[2, 3, 3]).unwrap().as_ptr(), first.as_ptr());
        assert_ne!(device.info(&[2, 3, 3, 0]).unwrap().as_ptr(), first.as_ptr());
        let buffers = device.pool().stats().buffers;
        for round in 0..2 {
            for i in 0..3_000 {
                let info = device.info(&[i, round, 7, 8, 9, 10]).unwrap();
                assert_eq!(info.as_ptr().address() % 8, 0);
            }
        }
        assert!(device.pool().stats().buffers <= buffers + 1, "old slabs go, those in use stay");
        assert_eq!(device.info(&vec![1; 100_000]).unwrap().as_ptr().address() % 256, 0, "any length");
    }
}

#[test]
fn kernels_read_the_dims_that_were_given() {
    const SUM: &str = r#"
        extern "C" __global__ void sum(size_t n, const size_t *info, unsigned long long *out) {
            for (size_t i = 0; i < n; i++) out[0] += info[i];
        }"#;
    for device in devices() {
        let module = device.compile("sum", SUM).unwrap();
        let sum = module.function("sum").unwrap();
        let mut expected = 0;
        let mut out = device.alloc_zeros::<u64>(1).unwrap();
        // More than a slab holds, each twice, so that slabs change while kernels that read the old one are queued.
        for i in 0..6_000usize {
            let words = [i / 2, i / 2 + 1, 3, 4, 5, 6];
            expected += words.iter().sum::<usize>() as u64;
            let mut launch = device.launch_function(&sum);
            launch.arg(&words.len()).info(&words).buffer_mut(&mut out, 0);
            // SAFETY: the arguments are the kernel's; it reads as many words as there are.
            unsafe { launch.run(LaunchConfig::linear(1, 1)) }.unwrap();
        }
        assert_eq!(device.download(&out).unwrap(), [expected]);
    }
}

#[test]
fn seeds_and_counters() {
    for device in devices_without_kernels() {
        assert_eq!(device.get_current_seed().unwrap(), 299_792_458);
        assert_eq!(device.next_random(10), (299_792_458, 0));
        assert_eq!(device.clone().next_random(1), (299_792_458, 10));
        BackendDevice::set_seed(&device, 7).unwrap();
        assert_eq!((device.seed(), device.next_random(0)), (7, (7, 0)));
        // Threads get counters of their own.
        let mut taken: Vec<u64> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| (0..500).map(|_| device.next_random(3).1).collect::<Vec<_>>()))
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        taken.sort_unstable();
        assert!(taken.iter().enumerate().all(|(i, &offset)| offset == 3 * i as u64));
    }
}

#[test]
fn what_candle_asks_of_a_device() {
    for device in devices_without_kernels() {
        assert_eq!(device.location(), DeviceLocation::Cuda { gpu_id: device.ordinal() });
        assert!(BackendDevice::same_device(&device, &device.clone()));
        let again = RocmDevice::on(device.platform(), device.ordinal()).unwrap();
        assert!(!BackendDevice::same_device(&device, &again));
        for dtype in [DType::U8, DType::U32, DType::I16, DType::I32, DType::I64, DType::BF16, DType::F16] {
            device.zeros_impl(&Shape::from((3, 0, 2)), dtype).unwrap();
        }
        BackendDevice::synchronize(&device).unwrap();
        assert!(format!("{device:?}").contains(device.arch()));
    }
}

#[test]
fn events_mark_places_in_streams() {
    for device in devices_without_kernels() {
        let hip = device.hip_device();
        let (start, end) = (Event::timed(hip).unwrap(), Event::timed(hip).unwrap());
        assert!(end.is_done().unwrap(), "never recorded");
        start.record(device.stream()).unwrap();
        let buffer = device.upload(&vec![1f32; 1 << 20]).unwrap();
        end.record(device.stream()).unwrap();
        end.synchronize().unwrap();
        assert!(end.is_done().unwrap() && end.elapsed_ms(&start).unwrap() >= 0.);

        // Another stream reads what this one wrote, in order through events alone.
        let other = Stream::new(hip).unwrap();
        other.wait_for(device.stream()).unwrap();
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
    let Some(device) = devices().into_iter().next() else { return };
    let module = device.compile("faulty", FAULTY).unwrap();
    let launch = |name: &str, x: &mut candle_rocm::hip::Buffer<f32>| {
        let function = module.function(name)?;
        // SAFETY: the arguments are the kernels'; the fault is wanted, and the platform catches it.
        unsafe { device.launch_function(&function).buffer_mut(x, 0).run(LaunchConfig::linear(1, 32)) }
    };
    let mut x = device.alloc_zeros::<f32>(32).unwrap();
    launch("innocent", &mut x).unwrap();
    assert_eq!(device.download(&x).unwrap(), [1.; 32]);

    // Synchronised: the first one is done. The fault may be reported by the launch of the last one already.
    let queued = launch("culprit", &mut x).and_then(|()| launch("innocent", &mut x));
    let errors = [queued.err(), device.synchronize().err(), device.download(&x).err()];
    assert!(errors[1].is_some() && errors[2].is_some(), "{errors:?}");
    for error in errors.into_iter().flatten() {
        let text = error.to_string();
        let RocmError::KernelFault { call, code, name, device: place, kernels, .. } = error else {
            panic!("{text}")
        };
        assert_eq!(kernels.first().map(String::as_str), Some("culprit"), "{text}");
        assert!(kernels.len() <= 2, "what was done before is not suspected: {text}");
        assert!(code > 0 && name.starts_with("hipError") && call.starts_with("hip"), "{text}");
        assert_eq!(place, "host:0");
        if std::env::var_os("CANDLE_ROCM_HOST_LIBRARY").is_none() {
            assert!(text.contains("0x40"), "linked in, the platform can say what it did: {text}");
        }
    }
    // Dropping memory of a failed device is quiet, and the other device is unharmed.
    drop(x);
    drop(module);
    if let Ok(other) = RocmDevice::on(Platform::Host, 1) {
        assert_eq!(other.download(&other.upload(&[1u8, 2]).unwrap()).unwrap(), [1, 2]);
    }
}

/// Buffers that nobody drops, that statics hold, and that a thread-local's destructor drops: the process ends well.
#[test]
fn the_process_ends_cleanly_with_live_buffers() {
    use candle_rocm::hip::Buffer;
    use std::cell::RefCell;
    use std::sync::OnceLock;

    if !in_child("the_process_ends_cleanly_with_live_buffers", &[]) {
        return;
    }
    static KEPT: OnceLock<Vec<(RocmDevice, Buffer<f32>)>> = OnceLock::new();
    thread_local! {
        static LOCAL: RefCell<Vec<(RocmDevice, Buffer<f32>, Event)>> = const { RefCell::new(Vec::new()) };
    }
    let make = || {
        devices_without_kernels().into_iter().map(|device| {
            let buffer = device.upload(&vec![1f32; 100_000]).unwrap();
            (device, buffer)
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
        local.extend(make().map(|(device, buffer)| {
            let event = Event::new(device.hip_device()).unwrap();
            (device, buffer, event)
        }));
    });
    std::mem::forget(make().collect::<Vec<_>>());
}
