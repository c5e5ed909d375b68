//! Integer parts, fractions and exponents of 32-bit and 64-bit floats (RDNA3 ISA guide, sections 16.8 "VOP1" and 16.12 "VOP3").

use crate::isa::lanes::vector_forms;

vector_forms! {
    FORMS:
    "v_trunc_f32" = unary(a: f32) -> f32 { a.trunc() }
    "v_ceil_f32" = unary(a: f32) -> f32 { a.ceil() }
    "v_floor_f32" = unary(a: f32) -> f32 { a.floor() }
    "v_rndne_f32" = unary(a: f32) -> f32 { a.round_ties_even() }
    "v_fract_f32" = unary(a: f32) -> f32 {
        // A tiny negative number would give 1.
        let fraction = a - a.floor();
        if fraction >= 1.0 { 1.0_f32.next_down() } else { fraction }
    }
    "v_ldexp_f32" = binary(a: f32, exponent: i32) -> f32 {
        // A double has the room for an exact product, which is then rounded once.
        let power = f64::from_bits(((1023 + exponent.clamp(-400, 400)) as u64) << 52);
        (f64::from(a) * power) as f32
    }
    "v_frexp_mant_f32" = unary(a: f32) -> f32 { significand(a.into()) as f32 }
    "v_frexp_exp_i32_f32" = unary(a: f32) -> i32 { exponent(a.into()) }

    "v_trunc_f64" = unary(a: f64) -> f64 { a.trunc() }
    "v_ceil_f64" = unary(a: f64) -> f64 { a.ceil() }
    "v_floor_f64" = unary(a: f64) -> f64 { a.floor() }
    "v_rndne_f64" = unary(a: f64) -> f64 { a.round_ties_even() }
    "v_fract_f64" = unary(a: f64) -> f64 {
        let fraction = a - a.floor();
        if fraction >= 1.0 { 1.0_f64.next_down() } else { fraction }
    }
    "v_ldexp_f64" = binary(a: f64, exponent: i32) -> f64 { ldexp(a, exponent) }
    "v_frexp_mant_f64" = unary(a: f64) -> f64 { significand(a) }
    "v_frexp_exp_i32_f64" = unary(a: f64) -> i32 { exponent(a) }
}

/// `a * 2^exponent`, rounded once.
#[inline(always)]
fn ldexp(a: f64, exponent: i32) -> f64 {
    let power = |exponent: i32| f64::from_bits(((1023 + exponent) as u64) << 52);
    // A step down that does not finish leaves at least 54 binary digits to go: whatever it rounds off, the result is 0.
    let step = |left: i32| if left < -1022 { -969 } else { left.min(1023) };
    let left = exponent.clamp(-2900, 2900);
    let (first, left) = (step(left), left - step(left));
    let (second, left) = (step(left), left - step(left));
    a * power(first) * power(second) * power(step(left))
}

/// The number in -1..=-0.5 or 0.5..1 that is `a` divided by a power of two; zeros, infinities and NaNs are kept.
#[inline(always)]
fn significand(a: f64) -> f64 {
    let bits = normal(a).to_bits() & !(0x7ff << 52) | 1022 << 52;
    if (a == 0.0) | !a.is_finite() { a } else { f64::from_bits(bits) }
}

/// The power of two that goes with [`significand`]; 0 for zeros, infinities and NaNs.
#[inline(always)]
fn exponent(a: f64) -> i32 {
    let biased = (normal(a).to_bits() >> 52 & 0x7ff) as i32;
    let moved = if a.abs() < f64::MIN_POSITIVE { 54 } else { 0 };
    if (a == 0.0) | !a.is_finite() { 0 } else { biased - 1022 - moved }
}

/// Moves subnormals into the range of normal numbers.
#[inline(always)]
fn normal(a: f64) -> f64 {
    const TWO_54: f64 = (1_u64 << 54) as f64;
    if a.abs() < f64::MIN_POSITIVE { a * TWO_54 } else { a }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::isa::element::Kind::{self, B32, F32, F64};
    use crate::isa::testing::{Reference, check};
    use crate::isa::vector::exact::{self, Exact, Format};

    const ALL: &[&str] = &["gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1201"];

    fn kind(name: &str) -> Kind {
        if name.ends_with("f32") { F32 } else { F64 }
    }

    /// A float taken apart: the significand as an integer and its weight, or `None` for infinities and NaNs.
    fn parts(kind: Kind, bits: u64) -> Option<(u64, i32)> {
        let (fraction_bits, exponent_bits) = if kind == F32 { (23, 8) } else { (52, 11) };
        let (fraction, exponent) =
            (bits & ((1 << fraction_bits) - 1), (bits >> fraction_bits & ((1 << exponent_bits) - 1)) as i32);
        let lowest = 2 - (1 << (exponent_bits - 1)) - fraction_bits;
        match exponent {
            0 => Some((fraction, lowest)),
            e if e == (1 << exponent_bits) - 1 => None,
            e => Some((fraction | 1 << fraction_bits, lowest + e - 1)),
        }
    }

    fn sign(kind: Kind) -> u64 {
        if kind == F32 { 1 << 31 } else { 1 << 63 }
    }

    fn to_bits(kind: Kind, value: f64) -> u64 {
        if kind == F32 { u64::from((value as f32).to_bits()) } else { value.to_bits() }
    }

    /// What to add to the integer part of a magnitude with this sign, integer part, and remainder compared with a half.
    type Up = fn(bool, u64, std::cmp::Ordering, bool) -> bool;

    /// Rounds to an integer by the digits of the float.
    fn rounding(name: &str, up: Up) {
        let kind = kind(name);
        for processor in ALL {
            check(processor, &format!("{name}_e32 {{d}}, {{0}}"), &[kind], kind, |v| {
                let (bits, negative) = (v[0], v[0] & sign(kind) != 0);
                let Some((digits, weight)) = parts(kind, bits) else { return bits };
                if weight >= 0 || digits == 0 {
                    return bits;
                }
                let shift = weight.unsigned_abs().min(63);
                let (whole, rest) = (digits >> shift, digits & ((1 << shift) - 1));
                let magnitude =
                    whole + u64::from(up(negative, whole, rest.cmp(&(1 << (shift - 1))), rest != 0));
                to_bits(kind, magnitude as f64) | bits & sign(kind)
            });
        }
    }

    fn fraction(name: &str) {
        let kind = kind(name);
        let format = if kind == F32 { exact::F32 } else { exact::F64 };
        for processor in ALL {
            check(processor, &format!("{name}_e32 {{d}}, {{0}}"), &[kind], kind, |v| {
                let value =
                    if kind == F32 { f32::from_bits(v[0] as u32).into() } else { f64::from_bits(v[0]) };
                if !value.is_finite() {
                    return to_bits(kind, f64::NAN);
                }
                // The largest integer that is not above, found by its definition.
                let mut whole = value.trunc();
                if whole > value {
                    whole -= 1.0;
                }
                let difference = Exact::product(value, 1.0).plus(&Exact::product(whole, -1.0));
                let rounded = if difference.is_zero() { 0 } else { difference.round(&format, 0) };
                rounded.min(to_bits(kind, 1.0) - 1)
            });
        }
    }

    fn scaling(name: &str, format: &Format) {
        let kind = kind(name);
        for processor in ALL {
            check(processor, &format!("{name} {{d}}, {{0}}, {{1}}"), &[kind, B32], kind, |v| {
                scaled(kind, format, v[0], v[1])
            });
            for exponent in [
                -2099, -1100, -1074, -1022, -970, -300, -150, -149, -127, -30, -2, 3, 64, 130, 277, 1023,
                2099,
            ] {
                let text = format!("{name} {{d}}, {{0}}, {exponent:#x}").replace("0x-", "-0x");
                let text = if (-16..=64).contains(&exponent) {
                    format!("{name} {{d}}, {{0}}, {exponent}")
                } else {
                    text
                };
                check(processor, &text, &[kind], kind, |v| {
                    scaled(kind, format, v[0], exponent as u32 as u64)
                });
            }
        }
    }

    fn scaled(kind: Kind, format: &Format, bits: u64, exponent: u64) -> u64 {
        match parts(kind, bits) {
            None | Some((0, _)) => bits,
            Some(_) => {
                let exponent = (exponent as u32 as i32).clamp(-2200, 2200);
                let value =
                    if kind == F32 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits) };
                Exact::product(value, 1.0).round(format, exponent)
            }
        }
    }

    fn significand(name: &str) {
        let kind = kind(name);
        for processor in ALL {
            check(processor, &format!("{name}_e32 {{d}}, {{0}}"), &[kind], kind, |v| {
                match parts(kind, v[0]) {
                    None | Some((0, _)) => v[0],
                    Some((digits, _)) => {
                        let width = 64 - digits.leading_zeros() as i32;
                        to_bits(kind, digits as f64 * 2_f64.powi(-width)) | v[0] & sign(kind)
                    }
                }
            });
        }
    }

    fn exponent(name: &str) {
        let kind = kind(name);
        for processor in ALL {
            check(processor, &format!("{name}_e32 {{d}}, {{0}}"), &[kind], B32, |v| {
                match parts(kind, v[0]) {
                    None | Some((0, _)) => 0,
                    Some((digits, weight)) => (weight + 64 - digits.leading_zeros() as i32) as u32 as u64,
                }
            });
        }
    }

    macro_rules! references {
        ($($check:expr => $($name:literal)*;)*) => {
            pub(crate) const REFERENCES: &[Reference] = &[$($(Reference { name: $name, check: $check }),*),*];
        };
    }

    references! {
        |name| rounding(name, |_, _, _, _| false) => "v_trunc_f32" "v_trunc_f64";
        |name| rounding(name, |negative, _, _, inexact| inexact && !negative) => "v_ceil_f32" "v_ceil_f64";
        |name| rounding(name, |negative, _, _, inexact| inexact && negative) => "v_floor_f32" "v_floor_f64";
        |name| rounding(name, |_, whole, half, _| half.is_gt() || (half.is_eq() && whole % 2 == 1)) =>
            "v_rndne_f32" "v_rndne_f64";
        fraction => "v_fract_f32" "v_fract_f64";
        |name| scaling(name, &exact::F32) => "v_ldexp_f32";
        |name| scaling(name, &exact::F64) => "v_ldexp_f64";
        significand => "v_frexp_mant_f32" "v_frexp_mant_f64";
        exponent => "v_frexp_exp_i32_f32" "v_frexp_exp_i32_f64";
    }
}
