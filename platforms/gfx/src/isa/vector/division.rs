//! The steps of division: `v_div_scale`, `v_div_fmas`, `v_div_fixup` (RDNA3 ISA guide, section 16.12 "VOP3"). Around a reciprocal
//! and its refinement, they give correctly rounded quotients.
//!
//! The manual has three errors, with which quotients would be wrong: see the comments.

use std::ops::Div;

use crate::assembly::{DecodeError, Decoded, File, Statement, special};
use crate::fault::Step;
use crate::isa::element::{Element, F16, Kind};
use crate::isa::lanes::{Lanes, ternary_of};
use crate::isa::source::{Rows, spares};
use crate::isa::{Execute, Form};
use crate::machine::wave::{LANES, Wave};
use crate::target::Target;

pub(crate) const FORMS: &[Form] = &[
    Form { name: "v_div_scale_f32", decode: decode_scale::<f32> },
    Form { name: "v_div_scale_f64", decode: decode_scale::<f64> },
    Form { name: "v_div_fmas_f32", decode: decode_fmas::<f32> },
    Form { name: "v_div_fmas_f64", decode: decode_fmas::<f64> },
    Form { name: "v_div_fixup_f32", decode: decode_fixup::<f32> },
    Form { name: "v_div_fixup_f64", decode: decode_fixup::<f64> },
    Form { name: "v_div_fixup_f16", decode: decode_fixup_f16 },
];

/// f32 or f64.
trait Float: Element<Word: Rows> + PartialEq + Div<Output = Self> + Send + Sync {
    const ZERO: Self;
    const ONE: Self;
    const NAN: Self;
    const INFINITY: Self;
    /// The difference of exponents from which a quotient is near the largest number.
    const FAR: i32;
    /// The power of two by which operands are scaled.
    const SCALE: i32;
    /// The largest exponent of numerators that are scaled to keep remainders exact.
    const TINY: i32;
    /// The difference of exponents below which a quotient is 0.
    const NOTHING: i32;
    /// The exponent of 1.
    const BIAS: i32;
    /// The weight of the lowest digit of subnormals.
    const LOWEST: i32;

    /// As it is encoded.
    fn exponent(self) -> i32;
    fn is_subnormal(self) -> bool;
    fn is_nan(self) -> bool;
    fn abs(self) -> Self;
    fn xor_sign(self, other: Self) -> Self;
    fn fma(self, b: Self, c: Self) -> Self;
    /// `self * 2^exponent`, where no digit is lost.
    fn scaled(self, exponent: i32) -> Self;
    fn to_f64(self) -> f64;
    /// A subnormal of this magnitude, in units of its lowest digit.
    fn of_lowest(units: u64) -> Self;
}

macro_rules! floats {
    ($($float:ident: $word:ty, $fraction:literal, $exponents:literal, $far:literal, $scale:literal, $tiny:literal, $nothing:literal;)*) => {$(
        impl Float for $float {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const NAN: Self = $float::NAN;
            const INFINITY: Self = $float::INFINITY;
            const FAR: i32 = $far;
            const SCALE: i32 = $scale;
            const TINY: i32 = $tiny;
            const NOTHING: i32 = $nothing;
            const BIAS: i32 = $exponents / 2;
            const LOWEST: i32 = 1 - Self::BIAS - $fraction;

            #[inline(always)]
            fn exponent(self) -> i32 {
                (self.to_bits() >> $fraction) as i32 & $exponents
            }

            #[inline(always)]
            fn is_subnormal(self) -> bool {
                (self.exponent() == 0) & (self != 0.0)
            }

            #[inline(always)]
            fn is_nan(self) -> bool {
                self != self
            }

            #[inline(always)]
            fn abs(self) -> Self {
                self.abs()
            }

            #[inline(always)]
            fn xor_sign(self, other: Self) -> Self {
                Self::from_bits(self.to_bits() ^ other.to_bits() & (-0.0 as $float).to_bits())
            }

            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self {
                self.mul_add(b, c)
            }

            #[inline(always)]
            fn scaled(self, exponent: i32) -> Self {
                self * Self::from_bits(((Self::BIAS + exponent) as $word) << $fraction)
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                self.into()
            }

            #[inline(always)]
            fn of_lowest(units: u64) -> Self {
                Self::from_bits(units as $word)
            }
        }
    )*};
}

floats! {
    f32: u32, 23, 0xff, 96, 64, 23, -150;
    f64: u64, 52, 0x7ff, 768, 128, 53, -1075;
}

fn decode_scale<F: Float>(statement: &mut Statement, target: &Target) -> Decoded<Execute> {
    if statement.operands.len() != 5 {
        return Err(DecodeError::OperandCount(statement.operands.len()));
    }
    let mask = statement.operands.remove(1).registers(File::Scalar);
    let (mask, count) = mask.ok_or(DecodeError::Operand(1))?;
    if mask != special::NULL && usize::from(count) * 32 != target.lanes {
        return Err(DecodeError::Operand(1));
    }
    let lanes = Lanes::decode(statement, target, F::KIND, [F::KIND; 3])?;
    // SAFETY: `crate::unavailable` refuses CPUs without these features.
    Ok(Box::new(move |wave, _| unsafe { run_scale::<F>(wave, &lanes, mask) }))
}

/// Writes the scaled operand, and the mask of lanes whose quotient has to be scaled back.
#[target_feature(enable = "avx2,fma,f16c")]
fn run_scale<F: Float>(wave: &mut Wave, lanes: &Lanes<3>, mask: u16) -> Step {
    let exec = lanes.mask(wave);
    let [mut first, mut second, mut third] = spares();
    let value = F::Word::read(&lanes.sources[0], wave, exec, &mut first)?;
    let denominator = F::Word::read(&lanes.sources[1], wave, exec, &mut second)?;
    let numerator = F::Word::read(&lanes.sources[2], wave, exec, &mut third)?;
    let (mut out, mut flags) = ([F::Word::default(); LANES], [0; LANES]);
    for lane in 0..wave.lanes.min(LANES) {
        let (scaled, flag) = scale(F::of(value[lane]), F::of(denominator[lane]), F::of(numerator[lane]));
        (out[lane], flags[lane]) = (scaled.word(), u64::from(flag));
    }
    lanes.destination.write(wave, &mut out, exec)?;
    let bits = flags.iter().enumerate().fold(0, |bits, (lane, flag)| bits | flag << lane);
    wave.set_scalar_mask(mask, bits & exec);
    Ok(())
}

#[inline(always)]
fn scale<F: Float>(value: F, denominator: F, numerator: F) -> (F, bool) {
    let far = numerator.exponent() - denominator.exponent() >= F::FAR;
    let tiny_denominator = denominator.is_subnormal();
    let tiny_reciprocal = (F::ONE / denominator).is_subnormal();
    let tiny_quotient = (numerator / denominator).is_subnormal();
    let tiny_numerator = numerator.exponent() <= F::TINY;
    let if_denominator = if value == denominator { F::SCALE } else { 0 };
    let if_numerator = if value == numerator { F::SCALE } else { 0 };
    let (exponent, flag) = if far {
        (if_denominator, true)
    } else if tiny_denominator {
        (F::SCALE, false)
    } else if tiny_reciprocal & tiny_quotient {
        // The manual says `SCALE`, which would overflow.
        (-if_denominator, true)
    } else if tiny_reciprocal {
        (-F::SCALE, false)
    } else if tiny_quotient {
        (if_numerator, true)
    } else if tiny_numerator {
        (F::SCALE, false)
    } else {
        (0, false)
    };
    let zero = (denominator == F::ZERO) | (numerator == F::ZERO);
    (if zero { F::NAN } else { value.scaled(exponent) }, flag & !zero)
}

fn decode_fmas<F: Float>(statement: &mut Statement, target: &Target) -> Decoded<Execute> {
    let lanes = Lanes::decode(statement, target, F::KIND, [F::KIND; 3])?;
    // SAFETY: as in `decode_scale`.
    Ok(Box::new(move |wave, _| unsafe { run_fmas::<F>(wave, &lanes) }))
}

#[target_feature(enable = "avx2,fma,f16c")]
fn run_fmas<F: Float>(wave: &mut Wave, lanes: &Lanes<3>) -> Step {
    let exec = lanes.mask(wave);
    let [mut first, mut second, mut third] = spares();
    let a = F::Word::read(&lanes.sources[0], wave, exec, &mut first)?;
    let b = F::Word::read(&lanes.sources[1], wave, exec, &mut second)?;
    let c = F::Word::read(&lanes.sources[2], wave, exec, &mut third)?;
    let mut out = [F::Word::default(); LANES];
    for lane in 0..wave.lanes.min(LANES) {
        out[lane] = F::of(a[lane]).fma(F::of(b[lane]), F::of(c[lane])).word();
    }
    let mut flagged = wave.scalar_mask(special::VCC)? & exec;
    while flagged != 0 {
        let lane = flagged.trailing_zeros() as usize;
        out[lane] = scaled_fma(F::of(a[lane]), F::of(b[lane]), F::of(c[lane]), F::of(out[lane])).word();
        flagged &= flagged - 1;
    }
    lanes.destination.write(wave, &mut out, exec)
}

/// `a * b + c`, whose value rounded to the format is `sum`, scaled back and rounded once.
///
/// The manual has one factor, `2^32` or `2^64`; but a quotient is either scaled down from near the largest number or up from near
/// the smallest one, and the addend, which is almost the quotient, tells which.
fn scaled_fma<F: Float>(a: F, b: F, c: F, sum: F) -> F {
    if c.exponent() > F::BIAS {
        // No digit is lost, unless it overflows.
        return sum.scaled(F::SCALE);
    }
    if sum.exponent() > F::SCALE || sum == F::ZERO {
        return sum.scaled(-F::SCALE);
    }
    F::of_lowest(rounded_sum(a.to_f64(), b.to_f64(), c.to_f64(), F::LOWEST + F::SCALE)).xor_sign(sum)
}

/// `|a * b + c| / 2^unit`, rounded to the nearest integer, ties to even.
fn rounded_sum(a: f64, b: f64, c: f64, unit: i32) -> u64 {
    /// The bit of an operand's first digit, with room for a carry.
    const TOP: u32 = 125;
    let parts = |value: f64| {
        let (bits, exponent) = (value.to_bits(), (value.to_bits() >> 52 & 0x7ff) as i32);
        let digits = bits & ((1 << 52) - 1) | if exponent == 0 { 0 } else { 1 << 52 };
        (u128::from(digits), exponent.max(1) - 1075)
    };
    let normal = |digits: u128, weight: i32, negative: bool| {
        let shift = digits.leading_zeros() as i32 - (127 - TOP) as i32;
        if digits == 0 { (0, i32::MIN / 2, negative) } else { (digits << shift, weight - shift, negative) }
    };
    let ((a_digits, a_weight), (b_digits, b_weight), (c_digits, c_weight)) = (parts(a), parts(b), parts(c));
    let product_is_negative = a.is_sign_negative() != b.is_sign_negative();
    let product = normal(a_digits * b_digits, a_weight + b_weight, product_is_negative);
    let addend = normal(c_digits, c_weight, c.is_sign_negative());
    let (large, small) = if product.1 > addend.1 { (product, addend) } else { (addend, product) };
    // Digits below the last bit are only remembered as such: if any are lost, so many remain that it does not matter which.
    let distance = large.1.saturating_sub(small.1).min(127);
    let shifted = small.0 >> distance | u128::from(small.0 & ((1 << distance) - 1) != 0);
    let sum = if large.2 == small.2 { large.0 + shifted } else { large.0.abs_diff(shifted) };
    let drop = unit - large.1;
    match drop {
        ..=0 => (sum << -drop) as u64,
        128.. => 0,
        1..128 => {
            let (whole, rest, half) =
                (sum >> (drop - 1) >> 1, sum & ((1 << (drop - 1) << 1) - 1), 1 << (drop - 1));
            (whole + u128::from(rest > half || (rest == half && whole & 1 != 0))) as u64
        }
    }
}

fn decode_fixup<F: Float>(statement: &mut Statement, target: &Target) -> Decoded<Execute> {
    let lanes = Lanes::decode(statement, target, F::KIND, [F::KIND; 3])?;
    Ok(ternary_of(lanes, fixup::<F>))
}

/// The quotient, or what it is in special cases.
#[inline(always)]
fn fixup<F: Float>(quotient: F, denominator: F, numerator: F) -> F {
    let difference = numerator.exponent() - denominator.exponent();
    let zeros = (denominator == F::ZERO, numerator == F::ZERO);
    let infinities = (denominator.abs() == F::INFINITY, numerator.abs() == F::INFINITY);
    // Not in the manual: the quotient is a NaN if its refinement has overflowed.
    let magnitude = if quotient.is_nan() { F::INFINITY } else { quotient.abs() };
    let magnitude = if difference < F::NOTHING { F::ZERO } else { magnitude };
    let magnitude = if infinities.0 | zeros.1 { F::ZERO } else { magnitude };
    let magnitude = if zeros.0 | infinities.1 { F::INFINITY } else { magnitude };
    let invalid =
        (zeros.0 & zeros.1) | (infinities.0 & infinities.1) | denominator.is_nan() | numerator.is_nan();
    if invalid { F::NAN } else { magnitude.xor_sign(denominator).xor_sign(numerator) }
}

fn decode_fixup_f16(statement: &mut Statement, target: &Target) -> Decoded<Execute> {
    let mut lanes = Lanes::decode(statement, target, Kind::F16, [Kind::F16; 3])?;
    lanes.destination.keep_upper();
    Ok(ternary_of(lanes, |quotient: F16, denominator: F16, numerator: F16| {
        let (d, n) = (denominator.to_f32(), numerator.to_f32());
        let special = (d == 0.0) | (n == 0.0) | !d.is_finite() | !n.is_finite();
        let sign = (denominator.0 ^ numerator.0) & 0x8000;
        // Zeros and infinities divide as in any format.
        if special { F16::from_f32(n / d) } else { F16(quotient.0 & 0x7fff | sign) }
    }))
}

#[cfg(test)]
pub(crate) mod tests;
