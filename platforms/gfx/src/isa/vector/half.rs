//! Arithmetic of 16-bit floats (RDNA3 ISA guide, sections 16.7 "VOP2", 16.8 "VOP1", 16.12 "VOP3"; the same of RDNA4 and CDNA4 for
//! what only they have).
//!
//! `v_mad_f16` and `v_mac_f16` are not here: it is not documented what they do to subnormals.

use crate::isa::element::{F16, to_odd};
use crate::isa::lanes::vector_forms;

vector_forms! {
    FORMS:
    "v_add_f16" = binary(a: F16, b: F16) -> F16 { add(a, b) }
    "v_sub_f16" = binary(a: F16, b: F16) -> F16 { rounded(a.to_f32() - b.to_f32()) }
    "v_subrev_f16" = binary(a: F16, b: F16) -> F16 { rounded(b.to_f32() - a.to_f32()) }
    "v_mul_f16" = binary(a: F16, b: F16) -> F16 { mul(a, b) }
    "v_fma_f16" = ternary_keeping(a: F16, b: F16, c: F16) -> F16 { fma(a, b, c) }
    "v_fmac_f16" = accumulating(a: F16, b: F16, d: F16) -> F16 { fma(a, b, d) }
    "v_fmaak_f16" = ternary(a: F16, b: F16, k: F16) -> F16 { fma(a, b, k) }
    "v_fmamk_f16" = ternary(a: F16, k: F16, b: F16) -> F16 { fma(a, k, b) }

    "v_min_f16" = binary(a: F16, b: F16) -> F16 { min(a, b) }
    "v_max_f16" = binary(a: F16, b: F16) -> F16 { max(a, b) }
    "v_min3_f16" = ternary_keeping(a: F16, b: F16, c: F16) -> F16 { min(min(a, b), c) }
    "v_max3_f16" = ternary_keeping(a: F16, b: F16, c: F16) -> F16 { max(max(a, b), c) }
    "v_med3_f16" = ternary_keeping(a: F16, b: F16, c: F16) -> F16 { med3(a, b, c, min, max) }
    "v_minmax_f16" = ternary(a: F16, b: F16, c: F16) -> F16 { max(min(a, b), c) }
    "v_maxmin_f16" = ternary(a: F16, b: F16, c: F16) -> F16 { min(max(a, b), c) }
    "v_min_num_f16" = binary(a: F16, b: F16) -> F16 { min_num(a, b) }
    "v_max_num_f16" = binary(a: F16, b: F16) -> F16 { max_num(a, b) }
    "v_min3_num_f16" = ternary(a: F16, b: F16, c: F16) -> F16 { min_num(min_num(a, b), c) }
    "v_max3_num_f16" = ternary(a: F16, b: F16, c: F16) -> F16 { max_num(max_num(a, b), c) }
    "v_med3_num_f16" = ternary(a: F16, b: F16, c: F16) -> F16 { med3(a, b, c, min_num, max_num) }
    "v_minmax_num_f16" = ternary(a: F16, b: F16, c: F16) -> F16 { max_num(min_num(a, b), c) }
    "v_maxmin_num_f16" = ternary(a: F16, b: F16, c: F16) -> F16 { min_num(max_num(a, b), c) }
    "v_minimum_f16" = binary(a: F16, b: F16) -> F16 { minimum(a, b) }
    "v_maximum_f16" = binary(a: F16, b: F16) -> F16 { maximum(a, b) }
    "v_minimum3_f16" = ternary(a: F16, b: F16, c: F16) -> F16 { minimum(minimum(a, b), c) }
    "v_maximum3_f16" = ternary(a: F16, b: F16, c: F16) -> F16 { maximum(maximum(a, b), c) }
    "v_minimummaximum_f16" = ternary(a: F16, b: F16, c: F16) -> F16 { maximum(minimum(a, b), c) }
    "v_maximumminimum_f16" = ternary(a: F16, b: F16, c: F16) -> F16 { minimum(maximum(a, b), c) }

    "v_trunc_f16" = unary(a: F16) -> F16 { rounded(a.to_f32().trunc()) }
    "v_ceil_f16" = unary(a: F16) -> F16 { rounded(a.to_f32().ceil()) }
    "v_floor_f16" = unary(a: F16) -> F16 { rounded(a.to_f32().floor()) }
    "v_rndne_f16" = unary(a: F16) -> F16 { rounded(a.to_f32().round_ties_even()) }
    "v_fract_f16" = unary(a: F16) -> F16 {
        let F16(fraction) = rounded(a.to_f32() - a.to_f32().floor());
        // Below one, also where it rounds to one.
        F16(if fraction == 0x3c00 { 0x3bff } else { fraction })
    }
    "v_ldexp_f16" = binary(a: F16, exponent: i16) -> F16 {
        // The scaled value is exact as an f32, whose exponents reach further than those that matter.
        let exponent = i32::from(exponent).clamp(-60, 60);
        rounded(a.to_f32() * f32::from_bits(((exponent + 127) as u32) << 23))
    }
    "v_frexp_mant_f16" = unary(a: F16) -> F16 {
        let bits = a.to_f32().to_bits();
        if has_exponent(a) { rounded(f32::from_bits(bits & 0x807f_ffff | 126 << 23)) } else { quiet(a) }
    }
    "v_frexp_exp_i16_f16" = unary(a: F16) -> i16 {
        let exponent = (a.to_f32().to_bits() >> 23 & 0xff) as i16 - 126;
        if has_exponent(a) { exponent } else { 0 }
    }
    "v_pack_b32_f16" = binary(a: F16, b: F16) -> u32 { u32::from(quiet(a).0) | u32::from(quiet(b).0) << 16 }
}

/// The nearest half. Sums and products of halves are rounded to f32 before without harm, as that has more than twice the bits.
#[inline(always)]
fn rounded(value: f32) -> F16 {
    F16::from_f32(value)
}

#[inline(always)]
pub(super) fn add(a: F16, b: F16) -> F16 {
    rounded(a.to_f32() + b.to_f32())
}

#[inline(always)]
pub(super) fn mul(a: F16, b: F16) -> F16 {
    rounded(a.to_f32() * b.to_f32())
}

/// Rounds once.
#[inline(always)]
pub(super) fn fma(a: F16, b: F16, c: F16) -> F16 {
    let (product, c) = (a.to_f32() * b.to_f32(), c.to_f32());
    // The product is exact, and so is the sum's error (Knuth's TwoSum).
    let sum = product + c;
    let rest = sum - product;
    let error = (product - (sum - rest)) + (c - rest);
    rounded(to_odd(sum, error))
}

fn has_exponent(a: F16) -> bool {
    let magnitude = a.0 & 0x7fff;
    magnitude != 0 && magnitude < 0x7c00
}

#[inline(always)]
fn is_nan(a: F16) -> bool {
    a.0 & 0x7fff > 0x7c00
}

#[inline(always)]
fn is_signalling(a: F16) -> bool {
    is_nan(a) && a.0 & 0x200 == 0
}

/// The same number; of a NaN, the quiet one.
#[inline(always)]
fn quiet(a: F16) -> F16 {
    if is_nan(a) { F16(a.0 | 0x200) } else { a }
}

/// Orders numbers, and -0 before +0.
#[inline(always)]
fn key(a: F16) -> u16 {
    if a.0 & 0x8000 == 0 { a.0 | 0x8000 } else { !a.0 }
}

#[inline(always)]
fn lesser(a: F16, b: F16) -> F16 {
    if key(b) < key(a) { b } else { a }
}

#[inline(always)]
fn greater(a: F16, b: F16) -> F16 {
    if key(b) > key(a) { b } else { a }
}

/// IEEE 754-2019's minimumNumber: a number rather than a NaN.
#[inline(always)]
pub(super) fn min_num(a: F16, b: F16) -> F16 {
    let number = if is_nan(b) { a } else { lesser(a, b) };
    quiet(if is_nan(a) { b } else { number })
}

#[inline(always)]
pub(super) fn max_num(a: F16, b: F16) -> F16 {
    let number = if is_nan(b) { a } else { greater(a, b) };
    quiet(if is_nan(a) { b } else { number })
}

/// The minimum in IEEE mode, in which kernels run up to gfx11: a signalling NaN gives a quiet one.
#[inline(always)]
pub(super) fn min(a: F16, b: F16) -> F16 {
    let second = if is_signalling(b) { quiet(b) } else { min_num(a, b) };
    if is_signalling(a) { quiet(a) } else { second }
}

#[inline(always)]
pub(super) fn max(a: F16, b: F16) -> F16 {
    let second = if is_signalling(b) { quiet(b) } else { max_num(a, b) };
    if is_signalling(a) { quiet(a) } else { second }
}

/// IEEE 754-2019's minimum: NaN if either is.
#[inline(always)]
pub(super) fn minimum(a: F16, b: F16) -> F16 {
    let second = if is_nan(b) { b } else { lesser(a, b) };
    quiet(if is_nan(a) { a } else { second })
}

#[inline(always)]
pub(super) fn maximum(a: F16, b: F16) -> F16 {
    let second = if is_nan(b) { b } else { greater(a, b) };
    quiet(if is_nan(a) { a } else { second })
}

/// The one in the middle; the least number if there is a NaN.
#[inline(always)]
fn med3(a: F16, b: F16, c: F16, min: impl Fn(F16, F16) -> F16, max: impl Fn(F16, F16) -> F16) -> F16 {
    let middle = max(min(a, b), min(max(a, b), c));
    if is_nan(a) || is_nan(b) || is_nan(c) { min(min(a, b), c) } else { middle }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::isa::element::Kind::{B16, F16, PackedF16};
    use crate::isa::nearest::half as nearest;
    use crate::isa::testing::{Bench, Reference, check};
    use std::cmp::Ordering;

    /// One processor for each way of printing and writing halves.
    const PROCESSORS: &[&str] = &["gfx906", "gfx1030", "gfx1100", "gfx1201"];

    fn value(bits: u64) -> f64 {
        half::f16::from_bits(bits as u16).to_f64()
    }

    fn unary(name: &str, f: impl Fn(f64) -> f64) {
        for processor in PROCESSORS {
            check(processor, &format!("{name} {{d}}, {{0}}"), &[F16], F16, |v| nearest(f(value(v[0]))));
            check(processor, &format!("{name} {{d}}, -|{{0}}|"), &[F16], F16, |v| {
                nearest(f(-value(v[0]).abs()))
            });
        }
        check("gfx1100", &format!("{name} v0.l, v4.h"), &[PackedF16], F16, |v| nearest(f(value(v[0] >> 16))));
    }

    fn binary(name: &str, f: impl Fn(f64, f64) -> f64) {
        for processor in PROCESSORS {
            check(processor, &format!("{name} {{d}}, {{0}}, {{1}}"), &[F16, F16], F16, |v| {
                nearest(f(value(v[0]), value(v[1])))
            });
            check(processor, &format!("{name} {{d}}, 2.0, -|{{0}}|"), &[F16], F16, |v| {
                nearest(f(2.0, -value(v[0]).abs()))
            });
            check(processor, &format!("{name} {{d}}, {{0}}, {{1}} clamp"), &[F16, F16], F16, |v| {
                nearest(f(value(v[0]), value(v[1])).clamp(0.0, 1.0).max(0.0))
            });
        }
        let text = format!("{name} v0.h, v4.h, v8.l op_sel:[1,0,1]");
        check("gfx1100", &text, &[PackedF16, PackedF16], PackedF16, |v| {
            v[2] & 0xffff | nearest(f(value(v[0] >> 16), value(v[1] & 0xffff))) << 16
        });
    }

    /// `a * b + c` in integers: units of 2^-48, of which all products of halves are multiples.
    pub(crate) fn fused(a: u64, b: u64, c: u64) -> u64 {
        let (x, y, z) = (value(a), value(b), value(c));
        if !x.is_finite() || !y.is_finite() || !z.is_finite() {
            return nearest(x * y + z);
        }
        let units = |value: f64| (value * (1 << 24) as f64) as i128;
        let sum = units(x) * units(y) + (units(z) << 24);
        if sum == 0 {
            return nearest(x * y + z);
        }
        // What a double cannot hold only matters for being there.
        let shift = (128 - sum.unsigned_abs().leading_zeros()).saturating_sub(50);
        let short = sum.unsigned_abs() >> shift << shift;
        let sticky = u128::from(short != sum.unsigned_abs()) << shift >> 1;
        let magnitude = (short | sticky) as f64 / (1_u64 << 48) as f64;
        nearest(if sum < 0 { -magnitude } else { magnitude })
    }

    fn fma(text: &str, processors: &[&str], order: [usize; 3]) {
        for processor in processors {
            check(processor, text, &[F16, F16, F16], F16, |v| fused(v[order[0]], v[order[1]], v[order[2]]));
        }
    }

    /// How a minimum or maximum treats NaNs.
    #[derive(Clone, Copy)]
    pub(crate) enum Nans {
        /// Numbers win; signalling NaNs do not count as such.
        Ieee,
        Number,
        Propagate,
    }

    pub(crate) fn extreme(nans: Nans, wanted: Ordering) -> impl Fn(u64, u64) -> u64 {
        move |a, b| {
            let (a, b) = (a & 0xffff, b & 0xffff);
            let nan = |bits: u64| value(bits).is_nan();
            let signalling = |bits: u64| nan(bits) && bits >> 9 & 1 == 0;
            let lost = match nans {
                Nans::Ieee => signalling(a) || signalling(b) || (nan(a) && nan(b)),
                Nans::Number => nan(a) && nan(b),
                Nans::Propagate => nan(a) || nan(b),
            };
            let sign = |bits: u64| if bits >> 15 == 1 { -1.0 } else { 1.0 };
            let order = value(a).total_cmp(&value(b)).then(f64::total_cmp(&sign(a), &sign(b)));
            match (lost, nan(a), nan(b)) {
                (true, ..) => 0x7e00,
                (_, true, _) => b,
                (_, _, true) => a,
                _ if order == wanted => a,
                _ => b,
            }
        }
    }

    fn extremes(text: &str, processors: &[&str], count: usize, f: impl Fn(&[u64]) -> u64) {
        let text = format!("{text} {}", ["{d}", "{0}", "{1}", "{2}"][..=count].join(", "));
        for processor in processors {
            check(processor, &text, &[F16, F16, F16][..count], F16, &f);
        }
    }

    use Nans::{Ieee, Number, Propagate};
    use Ordering::{Greater, Less};

    const OLD: &[&str] = &["gfx906", "gfx1030", "gfx1100"];
    const NEW: &[&str] = &["gfx1201"];

    fn med3(name: &str, processors: &[&str], nans: Nans) {
        extremes(name, processors, 3, |v| {
            if v[..3].iter().any(|&bits| value(bits).is_nan()) {
                let min = extreme(nans, Less);
                return min(min(v[0], v[1]), v[2]);
            }
            let mut sorted = v[..3].to_vec();
            sorted.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
            sorted[1]
        });
    }

    macro_rules! references {
        ($($name:literal: $check:expr;)*) => {
            pub(crate) const REFERENCES: &[Reference] = &[$(Reference { name: $name, check: $check }),*];
        };
    }

    /// Two extremes, one after the other.
    macro_rules! chained {
        ($processors:expr, $nans:ident, $first:ident, $second:ident) => {
            |name| {
                extremes(name, $processors, 3, |v| {
                    extreme($nans, $second)(extreme($nans, $first)(v[0], v[1]), v[2])
                })
            }
        };
    }

    macro_rules! single {
        ($processors:expr, $nans:ident, $order:ident) => {
            |name| extremes(name, $processors, 2, |v| extreme($nans, $order)(v[0], v[1]))
        };
    }

    references! {
        "v_add_f16": |name| binary(name, |a, b| a + b);
        "v_sub_f16": |name| binary(name, |a, b| a - b);
        "v_subrev_f16": |name| binary(name, |a, b| b - a);
        "v_mul_f16": |name| binary(name, |a, b| a * b);
        "v_fma_f16": |name| fma(&format!("{name} {{d}}, {{0}}, {{1}}, {{2}}"), PROCESSORS, [0, 1, 2]);
        "v_fmac_f16": |name| fma(&format!("{name} {{d}}, {{0}}, {{1}}"), &PROCESSORS[1..], [0, 1, 3]);
        "v_fmaak_f16": |name| fma(&format!("{name} {{d}}, {{0}}, {{1}}, {{2}}"), &PROCESSORS[1..], [0, 1, 2]);
        "v_fmamk_f16": |name| fma(&format!("{name} {{d}}, {{0}}, {{1}}, {{2}}"), &PROCESSORS[1..], [0, 1, 2]);
        "v_min_f16": single!(OLD, Ieee, Less);
        "v_max_f16": single!(OLD, Ieee, Greater);
        "v_min3_f16": chained!(OLD, Ieee, Less, Less);
        "v_max3_f16": chained!(OLD, Ieee, Greater, Greater);
        "v_med3_f16": |name| med3(name, OLD, Ieee);
        "v_minmax_f16": chained!(&["gfx1100"], Ieee, Less, Greater);
        "v_maxmin_f16": chained!(&["gfx1100"], Ieee, Greater, Less);
        "v_min_num_f16": single!(NEW, Number, Less);
        "v_max_num_f16": single!(NEW, Number, Greater);
        "v_min3_num_f16": chained!(NEW, Number, Less, Less);
        "v_max3_num_f16": chained!(NEW, Number, Greater, Greater);
        "v_med3_num_f16": |name| med3(name, NEW, Number);
        "v_minmax_num_f16": chained!(NEW, Number, Less, Greater);
        "v_maxmin_num_f16": chained!(NEW, Number, Greater, Less);
        "v_minimum_f16": single!(NEW, Propagate, Less);
        "v_maximum_f16": single!(NEW, Propagate, Greater);
        "v_minimum3_f16": chained!(NEW, Propagate, Less, Less);
        "v_maximum3_f16": chained!(NEW, Propagate, Greater, Greater);
        "v_minimummaximum_f16": chained!(NEW, Propagate, Less, Greater);
        "v_maximumminimum_f16": chained!(NEW, Propagate, Greater, Less);
        "v_trunc_f16": |name| unary(name, |a| if a.abs() < 65504.0 { (a as i64 as f64).copysign(a) } else { a });
        "v_ceil_f16": |name| unary(name, |a| -(-a).div_euclid(1.0));
        "v_floor_f16": |name| unary(name, |a| if a == 0.0 { a } else { a.div_euclid(1.0) });
        "v_rndne_f16": |name| unary(name, |a| {
            // Adding 1.5 * 2^52 leaves no bits after the point.
            let magic = 6755399441055744.0;
            if a.is_finite() { (a + magic - magic).copysign(a) } else { a }
        });
        "v_fract_f16": |name| {
            for processor in PROCESSORS {
                check(processor, &format!("{name} {{d}}, {{0}}"), &[F16], F16, |v| {
                    nearest(value(v[0]).rem_euclid(1.0) + 0.0).min(0x3bff) | if value(v[0]).is_finite() { 0 } else { 0x7e00 }
                });
            }
        };
        "v_ldexp_f16": |name| {
            for processor in PROCESSORS {
                check(processor, &format!("{name} {{d}}, {{0}}, {{1}}"), &[F16, B16], F16, |v| {
                    nearest(value(v[0]) * 2_f64.powi(i32::from(v[1] as i16).clamp(-200, 200)))
                });
            }
            check("gfx1030", &format!("{name} {{d}}, {{0}}, -13"), &[F16], F16, |v| {
                nearest(value(v[0]) / 8192.0)
            });
        };
        "v_frexp_mant_f16": |name| {
            for processor in PROCESSORS {
                check(processor, &format!("{name} {{d}}, {{0}}"), &[F16], F16, |v| nearest(frexp(value(v[0])).0));
            }
        };
        "v_frexp_exp_i16_f16": |name| {
            for processor in PROCESSORS {
                check(processor, &format!("{name} {{d}}, {{0}}"), &[F16], B16, |v| frexp(value(v[0])).1 as u16 as u64);
            }
        };
        "v_pack_b32_f16": |name| {
            // LLVM gives it only numbers and quiet NaNs.
            let quiet = |bits: u64| if value(bits).is_nan() { bits | 0x200 } else { bits };
            for processor in PROCESSORS {
                check(processor, &format!("{name} {{d}}, {{0}}, {{1}}"), &[F16, F16], PackedF16, |v| {
                    quiet(v[0]) | quiet(v[1]) << 16
                });
                check(processor, &format!("{name} {{d}}, {{0}}, -{{1}} op_sel:[1,0,0]"), &[PackedF16, F16], PackedF16, |v| {
                    quiet(v[0] >> 16) | quiet(v[1] ^ 0x8000) << 16
                });
            }
        };
    }

    /// Mantissa in 0.5..1 and exponent, by repeated halving.
    fn frexp(mut value: f64) -> (f64, i32) {
        let mut exponent = 0;
        if value == 0.0 || !value.is_finite() {
            return (value, 0);
        }
        while value.abs() >= 1.0 {
            (value, exponent) = (value / 2.0, exponent + 1);
        }
        while value.abs() < 0.5 {
            (value, exponent) = (value * 2.0, exponent - 1);
        }
        (value, exponent)
    }

    #[test]
    fn the_upper_half_of_a_result() {
        for (processor, line, upper) in [
            ("gfx906", "v_add_f16_e32 v0, v1, v1", 0),
            ("gfx906", "v_fma_f16 v0, v1, v1, v1", 0x1234),
            ("gfx942", "v_max3_f16 v0, v1, v1, v1", 0x1234),
            ("gfx1030", "v_add_f16_e32 v0, v1, v1", 0x1234),
            ("gfx1100", "v_add_f16_e32 v0.l, v1.l, v1.l", 0x1234),
        ] {
            let mut bench = Bench::new(processor);
            bench.set(0, |_| 0x1234_5678);
            bench.set(1, |_| 0x3c00);
            bench.run(line);
            assert_eq!(bench.get(0)[5] >> 16, upper, "{processor}: {line}");
        }
    }
}
