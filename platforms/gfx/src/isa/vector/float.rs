//! Sums, products and multiply-adds of 32-bit and 64-bit floats (RDNA3 ISA guide, sections 16.7 "VOP2" and 16.12 "VOP3"; Vega's for
//! `mac` and `mad`).
//!
//! `fma` rounds once. `mad` rounds the product, too, and flushes subnormals whatever the mode says. `legacy` and `dx9_zero` are
//! the same: zero times anything is +0.

use crate::isa::lanes::vector_forms;

vector_forms! {
    FORMS:
    "v_add_f32" = binary(a: f32, b: f32) -> f32 { a + b }
    "v_sub_f32" = binary(a: f32, b: f32) -> f32 { a - b }
    "v_subrev_f32" = binary(a: f32, b: f32) -> f32 { b - a }
    "v_mul_f32" = binary(a: f32, b: f32) -> f32 { a * b }
    "v_mul_legacy_f32" = binary(a: f32, b: f32) -> f32 { product_or_zero(a, b) }
    "v_mul_dx9_zero_f32" = binary(a: f32, b: f32) -> f32 { product_or_zero(a, b) }

    "v_fma_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { a.mul_add(b, c) }
    "v_fmaak_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { a.mul_add(b, c) }
    "v_fmamk_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { a.mul_add(b, c) }
    "v_fmac_f32" = accumulating(a: f32, b: f32, d: f32) -> f32 { a.mul_add(b, d) }
    "v_fma_legacy_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { fma_or_addend(a, b, c) }
    "v_fma_dx9_zero_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { fma_or_addend(a, b, c) }
    "v_fmac_legacy_f32" = accumulating(a: f32, b: f32, d: f32) -> f32 { fma_or_addend(a, b, d) }
    "v_fmac_dx9_zero_f32" = accumulating(a: f32, b: f32, d: f32) -> f32 { fma_or_addend(a, b, d) }

    "v_mad_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { mad(a, b, c) }
    "v_madak_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { mad(a, b, c) }
    "v_madmk_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { mad(a, b, c) }
    "v_mac_f32" = accumulating(a: f32, b: f32, d: f32) -> f32 { mad(a, b, d) }
    "v_mad_legacy_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { mad_legacy(a, b, c) }
    "v_mac_legacy_f32" = accumulating(a: f32, b: f32, d: f32) -> f32 { mad_legacy(a, b, d) }

    "v_add_f64" = binary(a: f64, b: f64) -> f64 { a + b }
    "v_mul_f64" = binary(a: f64, b: f64) -> f64 { a * b }
    "v_fma_f64" = ternary(a: f64, b: f64, c: f64) -> f64 { a.mul_add(b, c) }
    "v_fmac_f64" = accumulating(a: f64, b: f64, d: f64) -> f64 { a.mul_add(b, d) }
}

#[inline(always)]
fn product_or_zero(a: f32, b: f32) -> f32 {
    if (a == 0.0) | (b == 0.0) { 0.0 } else { a * b }
}

#[inline(always)]
fn fma_or_addend(a: f32, b: f32, c: f32) -> f32 {
    if (a == 0.0) | (b == 0.0) { c } else { a.mul_add(b, c) }
}

#[inline(always)]
fn mad(a: f32, b: f32, c: f32) -> f32 {
    flush(flush(flush(a) * flush(b)) + flush(c))
}

#[inline(always)]
fn mad_legacy(a: f32, b: f32, c: f32) -> f32 {
    flush(flush(product_or_zero(flush(a), flush(b))) + flush(c))
}

/// Turns subnormals into zeros of their sign.
#[inline(always)]
pub(super) fn flush(value: f32) -> f32 {
    let zero = f32::from_bits(value.to_bits() & 0x8000_0000);
    if value.abs() < f32::MIN_POSITIVE { zero } else { value }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::isa::element::Kind::{F32, F64};
    use crate::isa::testing::{Bench, Reference, check};
    use crate::isa::vector::exact::{self, Exact};

    /// A float's bits of the exact `a * b + c`, rounded once.
    fn fma32(a: u64, b: u64, c: u64) -> u64 {
        exact::fma(&exact::F32, a, b, c)
    }

    fn fma64(a: u64, b: u64, c: u64) -> u64 {
        exact::fma(&exact::F64, a, b, c)
    }

    fn sum32(a: u64, b: u64) -> u64 {
        fma32(a, u64::from(1_f32.to_bits()), b)
    }

    /// Addition of -0 keeps any sign of the product.
    fn product32(a: u64, b: u64) -> u64 {
        fma32(a, b, 1 << 31)
    }

    fn is_zero(bits: u64) -> bool {
        bits & 0x7fff_ffff == 0
    }

    fn flushed(bits: u64) -> u64 {
        if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
    }

    /// Rounded twice and without subnormals; `legacy` if zero times anything is zero.
    fn mad(v: &[u64], legacy: bool) -> u64 {
        let [a, b, c] = [flushed(v[0]), flushed(v[1]), flushed(v[2])];
        let product = if legacy && (is_zero(a) || is_zero(b)) { 0 } else { product32(a, b) };
        flushed(sum32(flushed(product), c))
    }

    fn zero_or(v: &[u64], zero: u64, other: impl Fn(&[u64]) -> u64) -> u64 {
        if is_zero(v[0]) || is_zero(v[1]) { zero } else { other(v) }
    }

    const OLD: &[&str] = &["gfx906", "gfx1010"];
    const ALL: &[&str] = &["gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1201"];

    /// An instruction of two f32.
    fn two(processors: &[&str], name: &str, reference: fn(&[u64]) -> u64) {
        for processor in processors {
            check(processor, &format!("{name}_e64 {{d}}, {{0}}, {{1}}"), &[F32, F32], F32, reference);
        }
    }

    /// An instruction of three f32.
    fn three(processors: &[&str], name: &str, reference: fn(&[u64]) -> u64) {
        for processor in processors {
            check(processor, &format!("{name} {{d}}, {{0}}, {{1}}, {{2}}"), &[F32, F32, F32], F32, reference);
        }
    }

    macro_rules! references {
        ($($name:literal: |$n:ident| $body:expr),* $(,)?) => {
            pub(crate) const REFERENCES: &[Reference] =
                &[$(Reference { name: $name, check: |$n| { $body; } }),*];
        };
    }

    references! {
        "v_add_f32": |name| two(ALL, name, |v| sum32(v[0], v[1])),
        "v_sub_f32": |name| two(ALL, name, |v| sum32(v[0], v[1] ^ 1 << 31)),
        "v_subrev_f32": |name| two(ALL, name, |v| sum32(v[0] ^ 1 << 31, v[1])),
        "v_mul_f32": |name| two(ALL, name, |v| product32(v[0], v[1])),
        "v_mul_legacy_f32": |name| two(OLD, name, |v| zero_or(v, 0, |v| product32(v[0], v[1]))),
        "v_mul_dx9_zero_f32": |name| two(&["gfx1100"], name, |v| zero_or(v, 0, |v| product32(v[0], v[1]))),

        "v_fma_f32": |name| three(ALL, name, |v| fma32(v[0], v[1], v[2])),
        "v_fmaak_f32": |name| three(&["gfx90a", "gfx1030"], name, |v| fma32(v[0], v[1], v[2])),
        "v_fmamk_f32": |name| three(&["gfx90a", "gfx1030"], name, |v| fma32(v[0], v[1], v[2])),
        "v_fmac_f32": |name| two(ALL, name, |v| fma32(v[0], v[1], v[2])),
        "v_fma_legacy_f32": |name| three(&["gfx1030"], name, |v| zero_or(v, v[2], |v| fma32(v[0], v[1], v[2]))),
        "v_fma_dx9_zero_f32": |name| three(&["gfx1100"], name, |v| zero_or(v, v[2], |v| fma32(v[0], v[1], v[2]))),
        "v_fmac_legacy_f32": |name| two(&["gfx1030"], name, |v| zero_or(v, v[2], |v| fma32(v[0], v[1], v[2]))),
        "v_fmac_dx9_zero_f32": |name| two(&["gfx1201"], name, |v| zero_or(v, v[2], |v| fma32(v[0], v[1], v[2]))),

        "v_mad_f32": |name| three(OLD, name, |v| mad(v, false)),
        "v_madak_f32": |name| three(OLD, name, |v| mad(v, false)),
        "v_madmk_f32": |name| three(OLD, name, |v| mad(v, false)),
        "v_mac_f32": |name| two(OLD, name, |v| mad(v, false)),
        "v_mad_legacy_f32": |name| three(OLD, name, |v| mad(v, true)),
        "v_mac_legacy_f32": |name| two(&["gfx1010"], name, |v| mad(v, true)),

        "v_add_f64": |name| for processor in ALL {
            let one = 1_f64.to_bits();
            check(processor, &format!("{name} {{d}}, {{0}}, {{1}}"), &[F64, F64], F64, |v| fma64(v[0], one, v[1]));
        },
        "v_mul_f64": |name| for processor in ALL {
            check(processor, &format!("{name} {{d}}, {{0}}, {{1}}"), &[F64, F64], F64, |v| fma64(v[0], v[1], 1 << 63));
        },
        "v_fma_f64": |name| for processor in ALL {
            let text = format!("{name} {{d}}, {{0}}, {{1}}, {{2}}");
            check(processor, &text, &[F64, F64, F64], F64, |v| fma64(v[0], v[1], v[2]));
        },
        "v_fmac_f64": |name| for processor in ["gfx90a", "gfx942"] {
            let text = format!("{name}_e32 {{d}}, {{0}}, {{1}}");
            check(processor, &text, &[F64, F64], F64, |v| fma64(v[0], v[1], v[2]));
        },
    }

    #[test]
    fn modifiers_and_constants() {
        let bits = |value: f32| u64::from(value.to_bits());
        check("gfx1100", "v_add_f32_e64 {d}, -|{0}|, {1}", &[F32, F32], F32, |v| sum32(v[0] | 1 << 31, v[1]));
        check("gfx1100", "v_fma_f32 {d}, {0}, -2.0, |{0}|", &[F32], F32, |v| {
            fma32(v[0], bits(-2.0), v[0] & 0x7fff_ffff)
        });
        check("gfx906", "v_mul_f32_e32 {d}, 0x40490fdb, {0}", &[F32], F32, |v| product32(v[0], 0x4049_0fdb));
        check("gfx906", "v_mac_f32_e32 {d}, 0, {0}", &[F32], F32, |v| mad(&[0, v[0], v[1]], false));
        check("gfx1030", "v_fma_f64 {d}, {0}, -4.0, 0x3fd00000", &[F64], F64, |v| {
            fma64(v[0], (-4_f64).to_bits(), 0.25_f64.to_bits())
        });
    }

    #[test]
    fn lanes_that_are_off_stay() {
        for processor in ["gfx906", "gfx1100"] {
            let mut bench = Bench::new(processor);
            bench.set(0, |lane| (lane as f32).to_bits());
            bench.set(2, |_| 7);
            bench.set_exec(0xf0);
            bench.run("v_add_f32_e64 v2, -|v0|, 2.0 mul:2");
            let lanes = bench.get(2);
            assert_eq!((lanes[3], f32::from_bits(lanes[4]), lanes[8]), (7, -4.0, 7), "{processor}");
        }
    }

    /// The exact sums themselves, where the CPU's arithmetic is as exact.
    #[test]
    fn exact_sums() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..100_000 {
            let [a, b, c] = [(); 3].map(|()| random.u64(..));
            let expected = f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c));
            let ours = f64::from_bits(fma64(a, b, c));
            assert!(ours.to_bits() == expected.to_bits() || (ours.is_nan() && expected.is_nan()));
        }
        let third = Exact::product(1.5, 2.0).plus(&Exact::product(-3.0, 1.0));
        assert!(third.is_zero());
    }
}
