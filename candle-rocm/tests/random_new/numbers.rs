//! Random tensors: the generator against its published vectors, the numbers bit for bit against a mirror of their
//! definition (the comments of `random.hip`), and against what their distributions promise.

mod common;
mod harness;

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{DType, Shape, WithDType};
use candle_rocm::hip::LaunchConfig;
use candle_rocm::{RocmDType, RocmDevice, RocmError};
use half::{bf16, f16};
use rocm_kernels::RANDOM;

use harness::tolerance::EXACT;

/// The generator and the distributions, in Rust, from the definition.
mod mirror {
    use super::*;

    /// Philox4x32-10: block `counter` of `stream`, keyed by `seed`.
    pub(super) fn philox(seed: u64, counter: u64, stream: u64) -> [u32; 4] {
        let [mut c0, mut c1, mut c2, mut c3] =
            [counter as u32, (counter >> 32) as u32, stream as u32, (stream >> 32) as u32];
        let (mut k0, mut k1) = (seed as u32, (seed >> 32) as u32);
        for _ in 0..10 {
            let a = u64::from(c0) * 0xd251_1f53;
            let b = u64::from(c2) * 0xcd9e_8d57;
            (c0, c1, c2, c3) = ((b >> 32) as u32 ^ c1 ^ k0, b as u32, (a >> 32) as u32 ^ c3 ^ k1, a as u32);
            k0 = k0.wrapping_add(0x9e37_79b9);
            k1 = k1.wrapping_add(0xbb67_ae85);
        }
        [c0, c1, c2, c3]
    }

    fn join(low: u32, high: u32) -> u64 {
        u64::from(high) << 32 | u64::from(low)
    }

    /// What a dtype's numbers are calculated in.
    pub(super) trait Real: Copy {
        const PER_GROUP: usize;
        fn uniform(words: [u32; 4], k: usize, lo: Self, up: Self) -> Self;
        fn normal(words: [u32; 4], k: usize, mean: Self, std: Self) -> Self;
    }

    macro_rules! real {
        ($f:ident, $bits:ident, $signed:ident, sqrt_half: $sqrt_half:literal, mantissa: $mantissa:literal,
         ln: $ln:expr, sin: $sin:expr, cos: $cos:expr, per_group: $per_group:literal,
         integer: $integer:expr, unit: $unit:expr, positive_unit: $positive_unit:expr) => {
            impl Real for $f {
                const PER_GROUP: usize = $per_group;

                fn uniform(words: [u32; 4], k: usize, lo: $f, up: $f) -> $f {
                    let u: $f = $unit($integer(words, k));
                    u.mul_add(up - lo, lo)
                }

                fn normal(words: [u32; 4], k: usize, mean: $f, std: $f) -> $f {
                    fn horner(z: $f, coefficients: &[f64]) -> $f {
                        let mut reversed = coefficients.iter().rev().map(|&c| c as $f);
                        let last = reversed.next().expect("coefficients");
                        reversed.fold(last, |sum, c| sum.mul_add(z, c))
                    }
                    fn ln(u: $f) -> $f {
                        let bits = u.to_bits();
                        let e = (bits.wrapping_sub($sqrt_half) as $signed) >> $mantissa;
                        let m = $f::from_bits(bits.wrapping_sub((e as $bits) << $mantissa));
                        let s = (m - 1.0) / (m + 1.0);
                        let z = s * s;
                        let twice = s + s;
                        let ln2 = std::f64::consts::LN_2 as $f;
                        (e as $f).mul_add(ln2, (twice * z).mul_add(horner(z, $ln), twice))
                    }
                    let pair = k / 2 * 2;
                    let u: $f = $positive_unit($integer(words, pair));
                    let t: $f = $unit($integer(words, pair + 1));
                    let r = (-2.0 * ln(u)).sqrt();
                    let n = (4.0 * t).round_ties_even();
                    let a = n.mul_add(-0.25, t) * (2.0 * std::f64::consts::PI) as $f;
                    let z = a * a;
                    let s = (a * z).mul_add(horner(z, $sin), a);
                    let c = z.mul_add(horner(z, $cos), 1.0);
                    let (sin, cos) = [(s, c), (c, -s), (-s, -c), (-c, s)][n as usize % 4];
                    let normal = if k % 2 == 0 { r * cos } else { r * sin };
                    normal.mul_add(std, mean)
                }
            }
        };
    }

    /// 1/3!, 1/5!, ... or 1/2!, 1/4!, ... with alternating signs.
    const fn factorials<const N: usize>(first: u64) -> [f64; N] {
        let mut out = [0.0; N];
        let mut i = 0;
        while i < N {
            let mut product = 1u64;
            let mut n = 2;
            while n <= first + 2 * i as u64 {
                product *= n;
                n += 1;
            }
            out[i] = if i % 2 == 0 { -1.0 } else { 1.0 } / product as f64;
            i += 1;
        }
        out
    }

    real! {
        f32, u32, i32, sqrt_half: 0x3f35_04f3, mantissa: 23,
        ln: &[1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0, 1.0 / 9.0],
        sin: &factorials::<4>(3), cos: &factorials::<5>(2), per_group: 4,
        integer: |words: [u32; 4], k: usize| words[k],
        unit: |v: u32| (v >> 8) as f32 * 2f32.powi(-24),
        positive_unit: |v: u32| (v as f32).mul_add(2f32.powi(-32), 2f32.powi(-33))
    }
    real! {
        f64, u64, i64, sqrt_half: 0x3fe6_a09e_667f_3bcd, mantissa: 52,
        ln: &[
            1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0, 1.0 / 9.0, 1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0, 1.0 / 17.0, 1.0 / 19.0,
        ],
        sin: &factorials::<8>(3), cos: &factorials::<8>(2), per_group: 2,
        integer: |words: [u32; 4], k: usize| join(words[2 * k], words[2 * k + 1]),
        unit: |v: u64| (v >> 11) as f64 * 2f64.powi(-53),
        positive_unit: |v: u64| (v as f64).mul_add(2f64.powi(-64), 2f64.powi(-65))
    }

    /// A dtype, what it is calculated in, and the number below a number.
    pub(super) trait Drawn: RocmDType {
        type Real: Real;
        fn widen(self) -> Self::Real;
        fn round(x: Self::Real) -> Self;
        fn below(self) -> Self;
    }

    macro_rules! drawn {
        ($t:ty, $real:ty, $widen:expr, $round:expr) => {
            impl Drawn for $t {
                type Real = $real;
                fn widen(self) -> $real {
                    $widen(self)
                }
                fn round(x: $real) -> Self {
                    $round(x)
                }
                fn below(self) -> Self {
                    let bits = self.to_bits();
                    let negative_zero = (-<$t>::from_bits(0)).to_bits();
                    if bits & !negative_zero == 0 {
                        <$t>::from_bits(negative_zero | 1)
                    } else {
                        <$t>::from_bits(if bits & negative_zero == 0 { bits - 1 } else { bits + 1 })
                    }
                }
            }
        };
    }
    drawn!(f32, f32, |x| x, |x| x);
    drawn!(f64, f64, |x| x, |x| x);
    drawn!(f16, f32, f16::to_f32, f16::from_f32);
    drawn!(bf16, f32, bf16::to_f32, bf16::from_f32);

    fn words<T: Drawn>(seed: u64, offset: u64, i: usize) -> ([u32; 4], usize) {
        let per_group = T::Real::PER_GROUP;
        (philox(seed, offset.wrapping_add((i / per_group) as u64), 0), i % per_group)
    }

    pub(super) fn uniform<T: Drawn>(seed: u64, offset: u64, len: usize, lo: f64, up: f64) -> Vec<T> {
        let (lo, up) = (T::from_f64(lo), T::from_f64(up));
        let draw = |i| {
            let (words, k) = words::<T>(seed, offset, i);
            let x = T::round(T::Real::uniform(words, k, lo.widen(), up.widen()));
            if lo < up && x >= up { up.below() } else { x }
        };
        (0..len).map(draw).collect()
    }

    pub(super) fn normal<T: Drawn>(seed: u64, offset: u64, len: usize, mean: f64, std: f64) -> Vec<T> {
        let (mean, std) = (T::from_f64(mean).widen(), T::from_f64(std).widen());
        let draw = |i| {
            let (words, k) = words::<T>(seed, offset, i);
            T::round(T::Real::normal(words, k, mean, std))
        };
        (0..len).map(draw).collect()
    }
}

use mirror::Drawn;

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

fn join(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

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
