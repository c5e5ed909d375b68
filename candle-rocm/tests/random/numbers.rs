//! Random tensors: the generator against its published vectors, the numbers bit for bit against a mirror of their
//! definition (the comments of `random.hip`), and against what their distributions promise.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{DType, Shape, WithDType};
use candle_rocm::hip::LaunchConfig;
use candle_rocm::{RocmDevice, RocmError};
use half::{bf16, f16};
use rocm_kernels::RANDOM;

use crate::harness::tolerance::EXACT;
use crate::mirror::{self, Drawn, join};
use crate::{common, harness};

/// The known answers of Random123's kat_vectors for philox4x32, 10 rounds: counter, key, result.
const KNOWN: [([u32; 4], [u32; 2], [u32; 4]); 3] = [
    ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
    ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
    (
        [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
        [0xa409_3822, 0x299f_31d0],
        [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
    ),
];

fn raw(
    device: &RocmDevice,
    len: usize,
    seed: u64,
    offset: u64,
    stream: u64,
    config: LaunchConfig,
) -> Vec<u32> {
    let mut out = device.alloc::<u32>(len).expect("alloc");
    let mut launch = device.launch(&RANDOM, "philox_u32");
    launch.arg(&len).arg(&seed).arg(&offset).arg(&stream).buffer_mut(&mut out, 0);
    // SAFETY: philox_u32(numel, seed, offset, stream, out); out has numel elements.
    unsafe { launch.run(config) }.expect("philox_u32");
    device.download(&out).expect("download")
}

#[test]
fn known_answers() {
    let devices = common::devices();
    for (counter, key, want) in KNOWN {
        let (seed, offset, stream) =
            (join(key[0], key[1]), join(counter[0], counter[1]), join(counter[2], counter[3]));
        assert_eq!(mirror::philox(seed, offset, stream), want);
        for device in &devices {
            let got = raw(device, 4, seed, offset, stream, LaunchConfig::linear(1, 64));
            assert_eq!(got, want, "on {}", device.label());
        }
    }
}

/// The same numbers for every grid, across the wrap of the counter's low and of all its words.
#[test]
fn grids_do_not_matter() {
    for offset in [0, u64::from(u32::MAX) - 3, u64::MAX - 3] {
        let want: Vec<u32> =
            (0..250u64).flat_map(|g| mirror::philox(7, offset.wrapping_add(g), 9)).take(999).collect();
        for device in common::devices() {
            for (blocks, threads) in [(1, 1), (1, 64), (3, 96), (64, 256), (1, 1024)] {
                let got = raw(&device, 999, 7, offset, 9, LaunchConfig::linear(blocks, threads));
                assert_eq!(got, want, "{blocks} blocks of {threads} threads, from {offset}");
            }
        }
    }
}

fn download<T: WithDType>(storage: candle_core::Result<candle_rocm::RocmStorage>) -> Vec<T> {
    let cpu = storage.expect("random numbers").to_cpu_storage().expect("download");
    T::cpu_storage_data(cpu).expect("dtype")
}

fn same<T: WithDType>(got: &[T], want: &[T]) -> Result<(), String> {
    harness::bits::compare(&T::to_cpu_storage(got), &T::to_cpu_storage(want), &EXACT)
}

/// Bit for bit what the definition says, and each call goes on where the last one stopped.
#[test]
fn as_defined() {
    fn check<T: Drawn>(device: &RocmDevice) {
        const SEED: u64 = 0x0123_4567_89ab_cdef;
        BackendDevice::set_seed(device, SEED).expect("seed");
        assert_eq!(device.get_current_seed().expect("seed"), SEED);
        let per_block = if T::DTYPE == DType::F64 { 2 } else { 4 };
        let mut offset = 0;
        for len in [1, 2, 3, 4, 5, 63, 64, 65, 20_003] {
            let shape = Shape::from(len);
            let got = download::<T>(device.rand_uniform(&shape, T::DTYPE, -1.5, 2.25));
            let want = mirror::uniform::<T>(SEED, offset, len, -1.5, 2.25);
            assert_eq!(same(&got, &want), Ok(()), "{len} uniform {:?} from {offset}", T::DTYPE);
            offset += len.div_ceil(per_block) as u64;

            let got = download::<T>(device.rand_normal(&shape, T::DTYPE, 0.5, 3.0));
            let want = mirror::normal::<T>(SEED, offset, len, 0.5, 3.0);
            assert_eq!(same(&got, &want), Ok(()), "{len} normal {:?} from {offset}", T::DTYPE);
            offset += len.div_ceil(per_block) as u64;
        }
    }
    for device in common::devices() {
        check::<f32>(&device);
        check::<f64>(&device);
        check::<f16>(&device);
        check::<bf16>(&device);
    }
}

#[test]
fn seeds_repeat_and_calls_differ() {
    for device in common::devices() {
        let draw = || download::<f32>(device.rand_normal(&Shape::from(1000), DType::F32, 0.0, 1.0));
        BackendDevice::set_seed(&device, 42).expect("seed");
        let (first, second) = (draw(), draw());
        assert_ne!(first, second);
        BackendDevice::set_seed(&device, 42).expect("seed");
        assert_eq!((draw(), draw()), (first.clone(), second));
        BackendDevice::set_seed(&device, 43).expect("seed");
        assert_ne!(draw(), first);
        // A clone draws from the same sequence.
        BackendDevice::set_seed(&device, 42).expect("seed");
        assert_eq!(
            download::<f32>(device.clone().rand_normal(&Shape::from(1000), DType::F32, 0.0, 1.0)),
            first
        );
        assert_ne!(draw(), first);
    }
}

/// Mean, variance, and neighbours' correlation lie within five standard errors: a right generator fails once in
/// millions of seeds, and the seed is fixed.
fn check_moments(what: &str, xs: &[f64], mean: f64, variance: f64, fourth: f64) {
    let n = xs.len() as f64;
    let got_mean = xs.iter().sum::<f64>() / n;
    let got_variance = xs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
    let neighbours = xs.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum::<f64>() / n / variance;
    let close = |got: f64, want: f64, deviation: f64| (got - want).abs() <= 5.0 * deviation / n.sqrt();
    assert!(close(got_mean, mean, variance.sqrt()), "{what}: mean {got_mean}, want {mean}");
    let spread = (fourth - variance * variance).sqrt();
    assert!(close(got_variance, variance, spread), "{what}: variance {got_variance}, want {variance}");
    assert!(close(neighbours, 0.0, 1.0), "{what}: neighbours' correlation {neighbours}");
}

#[test]
fn moments() {
    fn check<T: WithDType>(device: &RocmDevice) {
        const N: usize = 200_000;
        BackendDevice::set_seed(device, 2024).expect("seed");
        let wide = |xs: Vec<T>| xs.into_iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
        let xs = wide(download::<T>(device.rand_uniform(&Shape::from(N), T::DTYPE, 0.0, 1.0)));
        // Rounding to bf16 moves the mean by far less than its standard error.
        check_moments(&format!("uniform {:?}", T::DTYPE), &xs, 0.5, 1.0 / 12.0, 1.0 / 80.0);
        let xs = wide(download::<T>(device.rand_normal(&Shape::from(N), T::DTYPE, 0.0, 2.0)));
        check_moments(&format!("normal {:?}", T::DTYPE), &xs, 0.0, 4.0, 48.0);
        // Shares of a normal distribution within one, two, three and four standard deviations.
        for (bound, share) in [(1.0, 0.682_689), (2.0, 0.954_500), (3.0, 0.997_300), (4.0, 0.999_937)] {
            let inside = xs.iter().filter(|x| x.abs() < 2.0 * bound).count() as f64 / N as f64;
            let rounding = if T::DTYPE == DType::BF16 { 0.003 } else { 0.001 };
            let deviation = (share * (1.0 - share) / N as f64).sqrt();
            assert!(
                (inside - share).abs() < 5.0 * deviation + rounding,
                "{inside} within {bound}, want {share}"
            );
        }
    }
    for device in common::devices() {
        check::<f32>(&device);
        check::<f64>(&device);
        check::<f16>(&device);
        check::<bf16>(&device);
    }
}

/// `[lo, up)` also where rounding could reach `up`: few numbers fit between the bounds.
#[test]
fn uniform_stays_below_the_upper_bound() {
    fn check<T: WithDType>(device: &RocmDevice, lo: f64, up: f64) {
        let xs = download::<T>(device.rand_uniform(&Shape::from(50_000), T::DTYPE, lo, up));
        let (low, high) = (T::from_f64(lo), T::from_f64(up));
        let outside = xs.iter().find(|&&x| x < low || (x >= high && low < high)).map(|x| x.to_f64());
        assert!(outside.is_none(), "{:?} outside of [{lo}, {up}): {outside:?}", T::DTYPE);
        let (least, most) = (xs.iter().map(|x| x.to_f64()).fold(f64::MAX, f64::min), xs[0].to_f64());
        assert!(least < lo + (up - lo) * 0.26 || low >= high, "{least} is far from {lo}; first {most}");
    }
    for device in common::devices() {
        for (lo, up) in [(0.0, 1.0), (1.0, 1.01), (-1.0, 0.0), (-2.0, -1.99), (1000.0, 1008.0), (5.0, 5.0)] {
            check::<f32>(&device, lo, up);
            check::<f64>(&device, lo, up);
            check::<f16>(&device, lo, up);
            check::<bf16>(&device, lo, up);
        }
    }
}

#[test]
fn wrong_arguments_are_refused() {
    let shape = Shape::from(4);
    for device in common::devices() {
        for dtype in [DType::U8, DType::U32, DType::I16, DType::I32, DType::I64, DType::F8E4M3, DType::F4] {
            for result in
                [device.rand_uniform(&shape, dtype, 0.0, 1.0), device.rand_normal(&shape, dtype, 0.0, 1.0)]
            {
                let error = result.unwrap_err();
                let typed = harness::rocm_error(&error);
                assert!(
                    matches!(typed, RocmError::UnsupportedDType { dtype: named, .. } if *named == dtype),
                    "{error}"
                );
            }
        }
        for (lo, up, dtype) in [
            (1.0, 0.0, DType::F32),
            (f64::NAN, 1.0, DType::F64),
            (0.0, f64::INFINITY, DType::F32),
            (0.0, 1e6, DType::F16),
            (-1.7e308, 1.7e308, DType::F64),
        ] {
            let error = device.rand_uniform(&shape, dtype, lo, up).unwrap_err();
            assert!(matches!(harness::rocm_error(&error), RocmError::InvalidArgument { .. }), "{error}");
        }
        for (mean, std) in [(f64::NAN, 1.0), (0.0, f64::INFINITY)] {
            let error = device.rand_normal(&shape, DType::F32, mean, std).unwrap_err();
            assert!(matches!(harness::rocm_error(&error), RocmError::InvalidArgument { .. }), "{error}");
        }
    }
}
