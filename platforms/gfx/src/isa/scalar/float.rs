//! Arithmetic and conversions of floats, of gfx11.5 and gfx12 (RDNA4 ISA guide, section 6.8 "SALU Floating Point").
//!
//! Operands of 16 bits are the lower halves of registers; results of 16 bits fill the upper half with zeros.

use super::forms::scalar_forms;
use crate::isa::element::{F16, PackedF16};

scalar_forms! {
    FORMS:
    "s_add_f32" = binary(a: f32, b: f32) -> f32 { a + b }
    "s_sub_f32" = binary(a: f32, b: f32) -> f32 { a - b }
    "s_mul_f32" = binary(a: f32, b: f32) -> f32 { a * b }
    "s_fmac_f32" = accumulating(a: f32, b: f32, d: f32) -> f32 { a.mul_add(b, d) }
    "s_fmaak_f32" = ternary(a: f32, b: f32, k: f32) -> f32 { a.mul_add(b, k) }
    "s_fmamk_f32" = ternary(a: f32, k: f32, b: f32) -> f32 { a.mul_add(k, b) }
    "s_min_num_f32" = binary(a: f32, b: f32) -> f32 { smaller_number(a, b) }
    "s_max_num_f32" = binary(a: f32, b: f32) -> f32 { -smaller_number(-a, -b) }
    "s_minimum_f32" = binary(a: f32, b: f32) -> f32 { or_nan(a, b, smaller_number(a, b)) }
    "s_maximum_f32" = binary(a: f32, b: f32) -> f32 { or_nan(a, b, -smaller_number(-a, -b)) }
    "s_ceil_f32" = unary(a: f32) -> f32 { a.ceil() }
    "s_floor_f32" = unary(a: f32) -> f32 { a.floor() }
    "s_trunc_f32" = unary(a: f32) -> f32 { a.trunc() }
    "s_rndne_f32" = unary(a: f32) -> f32 { a.round_ties_even() }

    "s_cvt_f32_i32" = unary(a: i32) -> f32 { a as f32 }
    "s_cvt_f32_u32" = unary(a: u32) -> f32 { a as f32 }
    // Both saturate, and give 0 for a NaN.
    "s_cvt_i32_f32" = unary(a: f32) -> i32 { a as i32 }
    "s_cvt_u32_f32" = unary(a: f32) -> u32 { a as u32 }
    "s_cvt_f16_f32" = unary(a: f32) -> F16 { F16::from_f32(a) }
    "s_cvt_f32_f16" = unary(a: F16) -> f32 { a.to_f32() }
    "s_cvt_hi_f32_f16" = unary(a: u32) -> f32 { F16((a >> 16) as u16).to_f32() }
    "s_cvt_pk_rtz_f16_f32" = binary(a: f32, b: f32) -> PackedF16 { PackedF16([toward_zero(a), toward_zero(b)]) }

    // One operation on two f16 is exact in f32, or rounded so far below that the second rounding is right.
    "s_add_f16" = binary(a: F16, b: F16) -> F16 { F16::from_f32(a.to_f32() + b.to_f32()) }
    "s_sub_f16" = binary(a: F16, b: F16) -> F16 { F16::from_f32(a.to_f32() - b.to_f32()) }
    "s_mul_f16" = binary(a: F16, b: F16) -> F16 { F16::from_f32(a.to_f32() * b.to_f32()) }
    // The product is exact in f64; its sum is inexact only where one term is far below the other's last bit.
    "s_fmac_f16" = accumulating(a: F16, b: F16, d: F16) -> F16 {
        F16::from_f64(a.to_f64() * b.to_f64() + d.to_f64())
    }
    "s_min_num_f16" = binary(a: F16, b: F16) -> F16 { F16::from_f32(smaller_number(a.to_f32(), b.to_f32())) }
    "s_max_num_f16" = binary(a: F16, b: F16) -> F16 { F16::from_f32(-smaller_number(-a.to_f32(), -b.to_f32())) }
    "s_minimum_f16" = binary(a: F16, b: F16) -> F16 {
        let (a, b) = (a.to_f32(), b.to_f32());
        F16::from_f32(or_nan(a, b, smaller_number(a, b)))
    }
    "s_maximum_f16" = binary(a: F16, b: F16) -> F16 {
        let (a, b) = (a.to_f32(), b.to_f32());
        F16::from_f32(or_nan(a, b, -smaller_number(-a, -b)))
    }
    "s_ceil_f16" = unary(a: F16) -> F16 { F16::from_f32(a.to_f32().ceil()) }
    "s_floor_f16" = unary(a: F16) -> F16 { F16::from_f32(a.to_f32().floor()) }
    "s_trunc_f16" = unary(a: F16) -> F16 { F16::from_f32(a.to_f32().trunc()) }
    "s_rndne_f16" = unary(a: F16) -> F16 { F16::from_f32(a.to_f32().round_ties_even()) }
}

/// IEEE 754's minimumNumber: -0 is less than 0, and a number wins over a NaN.
fn smaller_number(a: f32, b: f32) -> f32 {
    match (a.is_nan(), b.is_nan()) {
        // Quiet.
        (true, true) => a + b,
        (true, false) => b,
        (false, true) => a,
        _ => {
            let is_first = if a == b { a.is_sign_negative() } else { a < b };
            if is_first { a } else { b }
        }
    }
}

fn or_nan(a: f32, b: f32, value: f32) -> f32 {
    if a.is_nan() || b.is_nan() { a + b } else { value }
}

/// Rounds toward zero, so that what is too large becomes the largest number.
fn toward_zero(value: f32) -> F16 {
    let nearest = F16::from_f32(value);
    // One step back if that went beyond; the bits of numbers of one sign are in their order. NaNs compare as false.
    let beyond = nearest.to_f32().abs() > value.abs();
    F16(nearest.0 - u16::from(beyond))
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::isa::element::Kind::{B32, F16, F32, PackedF16};
    use crate::isa::scalar::testing::{Scc, check, references};

    fn f32_of(bits: u64) -> f64 {
        f32::from_bits(bits as u32).into()
    }

    fn f16_of(bits: u64) -> f64 {
        half::f16::from_bits(bits as u16).to_f64()
    }

    fn to_f32(value: f64) -> u64 {
        (value as f32).to_bits().into()
    }

    fn to_f16(value: f64) -> u64 {
        crate::isa::nearest::half(value)
    }

    /// Sums and products of two floats, rounded to f64 and then again, are right: f64 has more than twice the bits.
    fn f32s(name: &str, f: fn(f64, f64) -> f64) {
        check(name, &[F32, F32], Some(F32), |v, _| (to_f32(f(f32_of(v[0]), f32_of(v[1]))), Scc::Kept));
    }

    fn f16s(name: &str, f: fn(f64, f64) -> f64) {
        check(name, &[F16, F16], Some(F16), |v, _| (to_f16(f(f16_of(v[0]), f16_of(v[1]))), Scc::Kept));
    }

    fn rounding(name: &str, f: fn(f64) -> f64) {
        if name.ends_with("f32") {
            check(name, &[F32], Some(F32), |v, _| (to_f32(f(f32_of(v[0]))), Scc::Kept));
        } else {
            check(name, &[F16], Some(F16), |v, _| (to_f16(f(f16_of(v[0]))), Scc::Kept));
        }
    }

    /// `a * b + c` in f64, rounded to odd, which makes the second rounding right.
    fn fused(a: f64, b: f64, c: f64) -> f64 {
        let product = a * b;
        let sum = product + c;
        if !sum.is_finite() {
            return sum;
        }
        // What the addition lost (Knuth's TwoSum).
        let other = sum - product;
        let lost = (product - (sum - other)) + (c - other);
        if lost == 0.0 || sum.to_bits() & 1 == 1 {
            return sum;
        }
        let away = (lost > 0.0) == (sum > 0.0);
        f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
    }

    /// Rounds a number up where it is not an integer.
    fn up(value: f64) -> f64 {
        let cut = (value as i64) as f64;
        match value {
            value if value.is_nan() || value.abs() > 9e15 => value,
            value if cut < value => cut + 1.0,
            _ => cut.copysign(value),
        }
    }

    fn nearest(value: f64) -> f64 {
        // Beyond this magnitude, f64 has no fractions: the additions round as wanted.
        let magic = (1_u64 << 52) as f64;
        if value.abs() < magic { (value.abs() + magic - magic).copysign(value) } else { value }
    }

    fn larger(a: f64, b: f64) -> f64 {
        let place = |value: f64| (value, !value.is_sign_negative());
        match (a.is_nan(), b.is_nan()) {
            (true, _) => b,
            (_, true) => a,
            _ if place(a) > place(b) => a,
            _ => b,
        }
    }

    fn larger_or_nan(a: f64, b: f64) -> f64 {
        if a.is_nan() || b.is_nan() { f64::NAN } else { larger(a, b) }
    }

    fn clamped(value: f64, lowest: f64, highest: f64) -> u64 {
        if value.is_nan() { 0 } else { value.max(lowest).min(highest) as i64 as u32 as u64 }
    }

    /// The largest f16 whose magnitude is at most that of `value`.
    fn cut(value: f64) -> u64 {
        if value.is_nan() {
            return 0x7e00;
        }
        let infinite = value.is_infinite();
        let magnitude = (0..=if infinite { 0x7c00 } else { 0x7bff_u64 })
            .rev()
            .find(|&bits| f16_of(bits) <= value.abs())
            .unwrap_or(0);
        magnitude | if value.is_sign_negative() { 1 << 15 } else { 0 }
    }

    references! {
        "s_add_f32": |name| f32s(name, |a, b| a + b);
        "s_sub_f32": |name| f32s(name, |a, b| a - b);
        "s_mul_f32": |name| f32s(name, |a, b| a * b);
        "s_add_f16": |name| f16s(name, |a, b| a + b);
        "s_sub_f16": |name| f16s(name, |a, b| a - b);
        "s_mul_f16": |name| f16s(name, |a, b| a * b);
        "s_max_num_f32": |name| f32s(name, larger);
        "s_min_num_f32": |name| f32s(name, |a, b| -larger(-a, -b));
        "s_maximum_f32": |name| f32s(name, larger_or_nan);
        "s_minimum_f32": |name| f32s(name, |a, b| -larger_or_nan(-a, -b));
        "s_max_num_f16": |name| f16s(name, larger);
        "s_min_num_f16": |name| f16s(name, |a, b| -larger(-a, -b));
        "s_maximum_f16": |name| f16s(name, larger_or_nan);
        "s_minimum_f16": |name| f16s(name, |a, b| -larger_or_nan(-a, -b));
        "s_ceil_f32" | "s_ceil_f16": |name| rounding(name, up);
        "s_floor_f32" | "s_floor_f16": |name| rounding(name, |a| -up(-a));
        "s_trunc_f32" | "s_trunc_f16": |name| rounding(name, |a| if a > 0.0 { -up(-a) } else { up(a) });
        "s_rndne_f32" | "s_rndne_f16": |name| rounding(name, nearest);
        "s_fmac_f32": |name| check(name, &[F32, F32], Some(F32), |v, _| {
            (to_f32(fused(f32_of(v[0]), f32_of(v[1]), f32_of(v[2]))), Scc::Kept)
        });
        "s_fmaak_f32": |name| check(name, &[F32, F32, F32], Some(F32), |v, _| {
            (to_f32(fused(f32_of(v[0]), f32_of(v[1]), f32_of(v[2]))), Scc::Kept)
        });
        "s_fmamk_f32": |name| check(name, &[F32, F32, F32], Some(F32), |v, _| {
            (to_f32(fused(f32_of(v[0]), f32_of(v[1]), f32_of(v[2]))), Scc::Kept)
        });
        "s_fmac_f16": |name| check(name, &[F16, F16], Some(F16), |v, _| {
            (to_f16(fused(f16_of(v[0]), f16_of(v[1]), f16_of(v[2]))), Scc::Kept)
        });
        "s_cvt_f32_i32": |name| check(name, &[B32], Some(F32), |v, _| {
            (to_f32(f64::from(v[0] as i32)), Scc::Kept)
        });
        "s_cvt_f32_u32": |name| check(name, &[B32], Some(F32), |v, _| (to_f32(v[0] as f64), Scc::Kept));
        "s_cvt_i32_f32": |name| check(name, &[F32], Some(B32), |v, _| {
            (clamped(f32_of(v[0]), i32::MIN.into(), i32::MAX.into()), Scc::Kept)
        });
        "s_cvt_u32_f32": |name| check(name, &[F32], Some(B32), |v, _| {
            (clamped(f32_of(v[0]), 0.0, u32::MAX.into()), Scc::Kept)
        });
        "s_cvt_f16_f32": |name| check(name, &[F32], Some(F16), |v, _| (to_f16(f32_of(v[0])), Scc::Kept));
        "s_cvt_f32_f16": |name| check(name, &[F16], Some(F32), |v, _| (to_f32(f16_of(v[0])), Scc::Kept));
        "s_cvt_hi_f32_f16": |name| check(name, &[B32], Some(F32), |v, _| (to_f32(f16_of(v[0] >> 16)), Scc::Kept));
        "s_cvt_pk_rtz_f16_f32": |name| check(name, &[F32, F32], Some(PackedF16), |v, _| {
            (cut(f32_of(v[0])) | cut(f32_of(v[1])) << 16, Scc::Kept)
        });
    }
}
