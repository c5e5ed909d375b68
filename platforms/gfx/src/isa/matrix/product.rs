//! How sums of products are rounded. AMD's manuals do not say it. For MFMA it has been measured: "MMA-Sim: Bit-Accurate
//! Reference Model of Tensor Cores and Matrix Cores" (arXiv 2511.10909), sections on CDNA1, CDNA2 and CDNA3.

use crate::isa::element::{Bf16, F16};

/// Rows, columns and depth of all products.
pub(super) const SIDE: usize = 16;

/// A matrix. Of the left and the right one a row has what is at the same depth; of sums it is a row.
pub(super) type Tile = [[f32; SIDE]; SIDE];

/// What matrices are made of.
pub(super) trait Factor: 'static {
    const SMALLEST_NORMAL: f32;
    fn widen(bits: u16) -> f32;
}

impl Factor for F16 {
    const SMALLEST_NORMAL: f32 = 1.0 / 16384.0;
    #[inline(always)]
    fn widen(bits: u16) -> f32 {
        Self(bits).to_f32()
    }
}

impl Factor for Bf16 {
    const SMALLEST_NORMAL: f32 = f32::MIN_POSITIVE;
    #[inline(always)]
    fn widen(bits: u16) -> f32 {
        Self(bits).to_f32()
    }
}

/// Adds products to sums.
pub(super) trait Arithmetic: 'static {
    fn accumulate<F: Factor>(left: &Tile, right: &Tile, sums: &mut Tile);
}

/// WMMA, of which nothing is published: each product is added with one rounding.
pub(super) struct Chained;

impl Arithmetic for Chained {
    #[inline(always)]
    fn accumulate<F: Factor>(left: &Tile, right: &Tile, sums: &mut Tile) {
        for (row, sums) in sums.iter_mut().enumerate() {
            for depth in 0..SIDE {
                for column in 0..SIDE {
                    sums[column] = left[depth][row].mul_add(right[depth][column], sums[column]);
                }
            }
        }
    }
}

/// gfx908: four products and the sum before are added exactly, then rounded. Here they are added in double precision, which may
/// differ in the last bit where a number is 2^29 times another.
pub(super) struct Exact;

impl Arithmetic for Exact {
    #[inline(always)]
    fn accumulate<F: Factor>(left: &Tile, right: &Tile, sums: &mut Tile) {
        let right = doubled(right);
        for (row, sums) in sums.iter_mut().enumerate() {
            for depths in (0..SIDE).step_by(4) {
                let mut exact = [0.0; SIDE];
                for column in 0..SIDE {
                    exact[column] = f64::from(sums[column]);
                }
                for depth in depths..depths + 4 {
                    let factor = f64::from(left[depth][row]);
                    for column in 0..SIDE {
                        exact[column] = factor.mul_add(right[depth][column], exact[column]);
                    }
                }
                for column in 0..SIDE {
                    sums[column] = exact[column] as f32;
                }
            }
        }
    }
}

/// gfx90a: four products are added in pairs, then to the sum before. Every step rounds, and flushes subnormals.
pub(super) struct Flushed;

impl Arithmetic for Flushed {
    #[inline(always)]
    fn accumulate<F: Factor>(left: &Tile, right: &Tile, sums: &mut Tile) {
        let (left, right) = (flushed(left, F::SMALLEST_NORMAL), flushed(right, F::SMALLEST_NORMAL));
        *sums = flushed(sums, f32::MIN_POSITIVE);
        for (row, sums) in sums.iter_mut().enumerate() {
            for depth in (0..SIDE).step_by(4) {
                for column in 0..SIDE {
                    let product = |i: usize| flush(left[depth + i][row] * right[depth + i][column]);
                    let (first, second) = (flush(product(0) + product(1)), flush(product(2) + product(3)));
                    sums[column] = flush(sums[column] + flush(first + second));
                }
            }
        }
    }
}

/// What is read loses its sign, too.
#[inline(always)]
fn flushed(tile: &Tile, smallest: f32) -> Tile {
    let mut flushed = *tile;
    for row in &mut flushed {
        for value in row {
            *value = if value.abs() < smallest { 0.0 } else { *value };
        }
    }
    flushed
}

#[inline(always)]
fn flush(value: f32) -> f32 {
    if value.abs() < f32::MIN_POSITIVE { 0.0_f32.copysign(value) } else { value }
}

/// gfx942, and gfx950, of which nothing is published: eight products lose what is below 2^-24 of the largest one's power of two.
/// Before their sum and the one before are added, they are rounded down to 2^-31 and 2^-24 of the larger power of two.
pub(super) struct Truncated;

impl Arithmetic for Truncated {
    #[inline(always)]
    fn accumulate<F: Factor>(left: &Tile, right: &Tile, sums: &mut Tile) {
        if !(every(left, is_moderate) & every(right, is_moderate) & every(sums, f32::is_finite)) {
            return any_truncated::<F>(left, right, sums);
        }
        let (left_powers, right_powers) = (powers::<F>(left), powers::<F>(right));
        for (row, sums) in sums.iter_mut().enumerate() {
            for depths in (0..SIDE).step_by(8) {
                let factors: [f32; 8] = std::array::from_fn(|i| left[depths + i][row]);
                let factor_powers: [f32; 8] = std::array::from_fn(|i| left_powers[depths + i][row]);
                // Loops over the depths inside one over the columns, which then becomes vector instructions.
                for column in 0..SIDE {
                    let mut largest = f32::MIN_POSITIVE;
                    for i in 0..8 {
                        let power = factor_powers[i] * right_powers[depths + i][column];
                        largest = if largest > power { largest } else { power };
                    }
                    // 2^24 divided by the power. If all products are zero, it is something finite.
                    let scale = f32::from_bits(((254_u32 + 24) << 23).wrapping_sub(largest.to_bits()));
                    let mut total = 0_i32;
                    for i in 0..8 {
                        let scaled = factors[i] * right[depths + i][column] * scale;
                        // SAFETY: all are finite; a product is less than four times its power of two, this less than 2^26.
                        let units: i32 = unsafe { scaled.to_int_unchecked() };
                        // A check for overflow would keep this from becoming a vector instruction.
                        total = total.wrapping_add(units);
                    }
                    sums[column] = added(total.into(), largest.into(), sums[column]);
                }
            }
        }
    }
}

/// As [`Truncated::accumulate`], for numbers whose products are not all exact in single precision.
#[inline(never)]
fn any_truncated<F: Factor>(left: &Tile, right: &Tile, sums: &mut Tile) {
    for (row, sums) in sums.iter_mut().enumerate() {
        for depths in (0..SIDE).step_by(8) {
            for (column, sum) in sums.iter_mut().enumerate() {
                let pairs = (depths..depths + 8)
                    .map(|depth| (f64::from(left[depth][row]), f64::from(right[depth][column])));
                // Less than any product's, but with a reciprocal.
                let mut largest = pow2(-400);
                let (mut total, mut plain) = (0.0, f64::from(*sum));
                for (a, b) in pairs.clone() {
                    largest = larger(largest, power::<F>(a) * power::<F>(b));
                    plain += a * b;
                }
                for (a, b) in pairs {
                    total += (a * b * reciprocal(largest) * pow2(24)).trunc();
                }
                *sum = if plain.is_finite() { added(total, largest, *sum) } else { plain as f32 };
            }
        }
    }
}

/// The sum of products, given in units of 2^-24 of a power of two, and of the sum before.
#[inline(always)]
fn added(total: f64, largest: f64, before: f32) -> f32 {
    let before = f64::from(before);
    let unit = larger(largest, power::<Bf16>(before));
    let total = (total * pow2(7) * largest * reciprocal(unit)).floor();
    let before = (before * reciprocal(unit) * pow2(24)).floor() * pow2(7);
    ((total + before) * (unit * pow2(-31))) as f32
}

#[inline(always)]
fn powers<F: Factor>(tile: &Tile) -> Tile {
    let mut powers = *tile;
    for row in &mut powers {
        for value in row {
            let power = f32::from_bits(value.to_bits() & 0xff << 23);
            let power = if power > F::SMALLEST_NORMAL { power } else { F::SMALLEST_NORMAL };
            *value = if *value == 0.0 { 0.0 } else { power };
        }
    }
    powers
}

/// Whether something holds for all numbers.
#[inline(always)]
fn every(tile: &Tile, holds: impl Fn(f32) -> bool) -> bool {
    let mut all = [true; SIDE];
    for row in tile {
        for column in 0..SIDE {
            all[column] &= holds(row[column]);
        }
    }
    all == [true; SIDE]
}

/// Zero, or so far from the limits of single precision that products are, too.
#[inline(always)]
fn is_moderate(value: f32) -> bool {
    let magnitude = value.abs();
    (magnitude == 0.0) | ((magnitude >= pow2(-30) as f32) & (magnitude <= pow2(30) as f32))
}

#[inline(always)]
fn doubled(tile: &Tile) -> [[f64; SIDE]; SIDE] {
    let mut doubled = [[0.0; SIDE]; SIDE];
    for row in 0..SIDE {
        for column in 0..SIDE {
            doubled[row][column] = f64::from(tile[row][column]);
        }
    }
    doubled
}

/// The power of two that a number's exponent stands for: subnormals have that of the smallest normal numbers. Zero has none.
#[inline(always)]
fn power<F: Factor>(value: f64) -> f64 {
    let power = larger(f64::from_bits(value.to_bits() & 0x7ff << 52), f64::from(F::SMALLEST_NORMAL));
    if value == 0.0 { 0.0 } else { power }
}

#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

const fn pow2(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Of a power of two. What it gives for infinity does not matter.
#[inline(always)]
fn reciprocal(power: f64) -> f64 {
    f64::from_bits((2046_u64 << 52).wrapping_sub(power.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of units of 2^-64: exact for what the tests multiply.
    fn fixed(value: f64) -> i128 {
        let units = (value * 2.0_f64.powi(64)) as i128;
        assert_eq!(units as f64 / 2.0_f64.powi(64), value);
        units
    }

    /// Rounds to nearest, ties to even.
    fn rounded(units: i128) -> f32 {
        units as f32 / 2.0_f32.powi(64)
    }

    /// The exponent of a number, of at least `smallest`.
    fn exponent(value: f64, smallest: i32) -> i32 {
        (smallest..).find(|&exponent| value.abs() < 2.0_f64.powi(exponent + 1)).unwrap()
    }

    fn floor(units: i128, exponent: i32) -> i128 {
        units.div_euclid(1 << (64 + exponent)) << (64 + exponent)
    }

    fn truncate(units: i128, exponent: i32) -> i128 {
        units / (1 << (64 + exponent)) * (1 << (64 + exponent))
    }

    /// One sum: of factors at each depth, and the sum before.
    type Reference = fn(&[f32; SIDE], &[f32; SIDE], f32) -> f32;

    fn chained(left: &[f32; SIDE], right: &[f32; SIDE], before: f32) -> f32 {
        left.iter()
            .zip(right)
            .fold(before, |sum, (&a, &b)| rounded(fixed(f64::from(a) * f64::from(b)) + fixed(f64::from(sum))))
    }

    fn exact(left: &[f32; SIDE], right: &[f32; SIDE], before: f32) -> f32 {
        left.chunks(4).zip(right.chunks(4)).fold(before, |sum, (a, b)| {
            let products = a.iter().zip(b).map(|(&a, &b)| fixed(f64::from(a) * f64::from(b)));
            rounded(products.sum::<i128>() + fixed(f64::from(sum)))
        })
    }

    fn truncated(left: &[f32; SIDE], right: &[f32; SIDE], before: f32) -> f32 {
        left.chunks(8).zip(right.chunks(8)).fold(before, |sum, (a, b)| {
            let pairs = || a.iter().zip(b).map(|(&a, &b)| (f64::from(a), f64::from(b)));
            let exponents =
                pairs().filter(|&(a, b)| a * b != 0.0).map(|(a, b)| exponent(a, -14) + exponent(b, -14));
            let Some(largest) = exponents.max() else { return sum };
            let products: i128 = pairs().map(|(a, b)| truncate(fixed(a * b), largest - 24)).sum();
            let sum = f64::from(sum);
            let unit = if sum == 0.0 { largest } else { largest.max(exponent(sum, -126)) };
            rounded(floor(products, unit - 31) + floor(fixed(sum), unit - 24))
        })
    }

    /// Rounds, and flushes subnormals.
    fn step(value: f64) -> f64 {
        let value = f64::from(value as f32);
        if value.abs() < 2.0_f64.powi(-126) { 0.0 * value } else { value }
    }

    /// Halves the depths down to one product.
    fn pairwise(left: &[f32], right: &[f32], smallest: f64) -> f64 {
        if let (&[a], &[b]) = (left, right) {
            let read = |value: f32| if f64::from(value).abs() < smallest { 0.0 } else { f64::from(value) };
            return step(read(a) * read(b));
        }
        let ((a, c), (b, d)) = (left.split_at(left.len() / 2), right.split_at(left.len() / 2));
        step(pairwise(a, b, smallest) + pairwise(c, d, smallest))
    }

    fn flushing(left: &[f32; SIDE], right: &[f32; SIDE], before: f32, smallest: f64) -> f32 {
        let groups = left.chunks(4).zip(right.chunks(4));
        groups.fold(step(before.into()), |sum, (a, b)| step(sum + pairwise(a, b, smallest))) as f32
    }

    /// What [`Truncated`] does where numbers are not moderate.
    struct AnyTruncated;

    impl Arithmetic for AnyTruncated {
        fn accumulate<F: Factor>(left: &Tile, right: &Tile, sums: &mut Tile) {
            any_truncated::<F>(left, right, sums);
        }
    }

    fn column(tile: &Tile, at: usize) -> [f32; SIDE] {
        tile.map(|row| row[at])
    }

    /// Compares products of random numbers, the left and right ones of which are made from random bits.
    fn check<A: Arithmetic, F: Factor>(
        factor: impl Fn(&mut fastrand::Rng) -> u16,
        before: impl Fn(&mut fastrand::Rng) -> f32,
        reference: Reference,
    ) {
        let mut random = fastrand::Rng::with_seed(5);
        let tile = |random: &mut fastrand::Rng, value: &dyn Fn(&mut fastrand::Rng) -> f32| -> Tile {
            std::array::from_fn(|_| std::array::from_fn(|_| value(random)))
        };
        for _ in 0..200 {
            let left = tile(&mut random, &|random| F::widen(factor(random)));
            let right = tile(&mut random, &|random| F::widen(factor(random)));
            let before = tile(&mut random, &before);
            let mut sums = before;
            A::accumulate::<F>(&left, &right, &mut sums);
            for row in 0..SIDE {
                for at in 0..SIDE {
                    let (a, b) = (column(&left, row), column(&right, at));
                    let expected = reference(&a, &b, before[row][at]);
                    assert_eq!(sums[row][at], expected, "{a:?} {b:?} {}", before[row][at]);
                }
            }
        }
    }

    /// Finite numbers, a sixteenth of them zero; exponents, as they are encoded, from `exponents`.
    fn f16(exponents: std::ops::RangeInclusive<u16>) -> impl Fn(&mut fastrand::Rng) -> u16 {
        move |random| match random.u16(0..16) {
            0 => 0,
            _ => random.u16(..) & 0x83ff | random.u16(exponents.clone()) << 10,
        }
    }

    fn bf16(random: &mut fastrand::Rng) -> u16 {
        random.u16(..) & 0x807f | random.u16(117..=137) << 7
    }

    fn before(random: &mut fastrand::Rng) -> f32 {
        f32::from_bits(random.u32(..) & 0x807f_ffff | random.u32(107..=137) << 23)
    }

    fn zero(_: &mut fastrand::Rng) -> f32 {
        0.0
    }

    #[test]
    fn rounding_as_published() {
        check::<Chained, F16>(f16(0..=30), before, chained);
        check::<Chained, Bf16>(bf16, before, chained);
        check::<Exact, F16>(f16(9..=21), before, exact);
        check::<Exact, F16>(f16(5..=15), zero, exact);
        for exponents in [0..=30, 0..=2, 13..=16] {
            check::<Truncated, F16>(f16(exponents.clone()), before, truncated);
            check::<AnyTruncated, F16>(f16(exponents.clone()), before, truncated);
            check::<Truncated, F16>(f16(exponents), zero, truncated);
        }
        check::<Truncated, Bf16>(bf16, before, truncated);
        check::<AnyTruncated, Bf16>(bf16, before, truncated);
    }

    #[test]
    fn flushing_as_published() {
        let f16_reference: Reference = |a, b, before| flushing(a, b, before, 2.0_f64.powi(-14));
        check::<Flushed, F16>(f16(0..=30), before, f16_reference);
        check::<Flushed, F16>(f16(0..=2), zero, f16_reference);
        // Products and sums around the smallest normal number.
        let bf16 = |random: &mut fastrand::Rng| random.u16(..) & 0x807f | random.u16(60..=68) << 7;
        let small = |random: &mut fastrand::Rng| f32::from_bits(random.u32(..) & 0x81ff_ffff);
        check::<Flushed, Bf16>(bf16, small, |a, b, before| flushing(a, b, before, 2.0_f64.powi(-126)));
        let subnormal = |random: &mut fastrand::Rng| match random.bool() {
            true => random.u16(..) & 0x80ff,
            false => random.u16(..) & 0x807f | random.u16(100..=140) << 7,
        };
        check::<Flushed, Bf16>(subnormal, small, |a, b, before| flushing(a, b, before, 2.0_f64.powi(-126)));
    }

    /// The sum of one product and a sum before, in all four ways.
    fn one(a: f32, b: f32, before: f32) -> [f32; 4] {
        let sum = |accumulate: fn(&Tile, &Tile, &mut Tile)| {
            let [mut left, mut right, mut sums] = [[[0.0; SIDE]; SIDE]; 3];
            (left[2][3], right[2][4], sums[3][4]) = (a, b, before);
            accumulate(&left, &right, &mut sums);
            sums[3][4]
        };
        [
            sum(Chained::accumulate::<F16>),
            sum(Exact::accumulate::<F16>),
            sum(Flushed::accumulate::<F16>),
            sum(Truncated::accumulate::<F16>),
        ]
    }

    #[test]
    fn numbers_at_which_processors_differ() {
        let ulp = 2.0_f32.powi(-23);
        // A subnormal f16.
        let small = 2.0_f32.powi(-20);
        assert_eq!(one(small, 1.0, 0.0), [small, small, 0.0, small]);
        // A subnormal sum, and products that are all zero.
        let tiny = f32::from_bits(0x1234);
        assert_eq!(one(0.0, 1.0, tiny), [tiny, tiny, 0.0, tiny]);
        assert_eq!(one(0.0, 1.0, -tiny), [-tiny, -tiny, 0.0, -tiny]);
        // A negative sum that is rounded down, however small.
        assert_eq!(one(1.0, 1.0, -ulp / 8.0), [1.0, 1.0, 1.0, 1.0 - ulp / 2.0]);
        assert_eq!(one(1.0, -1.0, 1.0 + ulp), [ulp; 4]);
        for special in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            for (a, b, before) in
                [(special, 2.0, 1.0), (0.0, special, 1.0), (3.0, 1.0, special), (special, 1.0, -special)]
            {
                let expected = a * b + before;
                for sum in one(a, b, before) {
                    // The other products are zero.
                    assert!(
                        sum == expected || (sum.is_nan() && expected.is_nan()),
                        "{a} {b} {before}: {sum}"
                    );
                }
            }
        }
    }
}
