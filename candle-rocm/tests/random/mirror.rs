//! The generator and the distributions, in Rust, from the definition.

use candle_rocm::RocmDType;
use half::{bf16, f16};

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

pub(super) fn join(low: u32, high: u32) -> u64 {
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
