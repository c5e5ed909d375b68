//! Conversions of two values into the halves of a register (RDNA3 ISA guide, section 16.12 "VOP3 & VOP3SD Instructions").

use crate::assembly::{Decoded, Statement};
use crate::isa::element::{Bf16, F16, PackedB16, PackedBf16, PackedF16};
use crate::isa::lanes::{unary, vector_forms};
use crate::isa::{Execute, Form};
use crate::target::Target;

// gfx11 renamed those without an underscore after `pk`.
vector_forms! {
    FORMS:
    "v_cvt_pkrtz_f16_f32" = binary(a: f32, b: f32) -> PackedF16 { PackedF16([truncated(a), truncated(b)]) }
    "v_cvt_pk_rtz_f16_f32" = binary(a: f32, b: f32) -> PackedF16 { PackedF16([truncated(a), truncated(b)]) }
    "v_cvt_pknorm_i16_f32" = binary(a: f32, b: f32) -> PackedB16 { signed_norms(a, b) }
    "v_cvt_pk_norm_i16_f32" = binary(a: f32, b: f32) -> PackedB16 { signed_norms(a, b) }
    "v_cvt_pknorm_u16_f32" = binary(a: f32, b: f32) -> PackedB16 { unsigned_norms(a, b) }
    "v_cvt_pk_norm_u16_f32" = binary(a: f32, b: f32) -> PackedB16 { unsigned_norms(a, b) }
    "v_cvt_pknorm_i16_f16" = binary(a: F16, b: F16) -> PackedB16 { signed_norms(a.to_f32(), b.to_f32()) }
    "v_cvt_pk_norm_i16_f16" = binary(a: F16, b: F16) -> PackedB16 { signed_norms(a.to_f32(), b.to_f32()) }
    "v_cvt_pknorm_u16_f16" = binary(a: F16, b: F16) -> PackedB16 { unsigned_norms(a.to_f32(), b.to_f32()) }
    "v_cvt_pk_norm_u16_f16" = binary(a: F16, b: F16) -> PackedB16 { unsigned_norms(a.to_f32(), b.to_f32()) }
    "v_cvt_pk_i16_i32" = binary(a: i32, b: i32) -> PackedB16 {
        PackedB16([a, b].map(|value| value.clamp(i16::MIN.into(), i16::MAX.into()) as u16))
    }
    "v_cvt_pk_u16_u32" = binary(a: u32, b: u32) -> PackedB16 {
        PackedB16([a, b].map(|value| value.min(u16::MAX.into()) as u16))
    }
    "v_cvt_pk_f16_f32" = binary(a: f32, b: f32) -> PackedF16 { PackedF16([F16::from_f32(a), F16::from_f32(b)]) }
    "v_cvt_pk_bf16_f32" = binary(a: f32, b: f32) -> PackedBf16 {
        PackedBf16([Bf16::from_f32(a), Bf16::from_f32(b)])
    }
}

pub(crate) const SATURATIONS: &[Form] = &[Form { name: "v_sat_pk_u8_i16", decode: saturate }];

/// Two bytes: the result has 32 bits up to gfx10, and 16 since.
fn saturate(statement: &mut Statement, target: &Target) -> Decoded<Execute> {
    #[inline(always)]
    fn bytes(halves: PackedB16) -> u16 {
        let [low, high] = halves.0.map(|half| (half as i16).clamp(0, 255) as u16);
        low | high << 8
    }
    match target.generation {
        ..=10 => unary(statement, target, |a: PackedB16| u32::from(bytes(a))),
        _ => unary(statement, target, bytes),
    }
}

/// Rounds toward zero; what is too large becomes the largest number. NaNs become quiet.
#[inline(always)]
fn truncated(value: f32) -> F16 {
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    let normal = (magnitude.wrapping_sub(112 << 23) >> 13).min(0x7bff);
    // In units of the smallest subnormal.
    let subnormal = (f32::from_bits(magnitude.min(113 << 23)) * 16_777_216.0) as i32 as u32;
    let finite = if magnitude < 113 << 23 { subnormal } else { normal };
    let special = if magnitude > 0xff << 23 { 0x7e00 | (magnitude >> 13 & 0x3ff) } else { 0x7c00 };
    let all = if magnitude >= 0xff << 23 { special } else { finite };
    F16((all | bits >> 16 & 0x8000) as u16)
}

/// -1 to 1 become -32767 to 32767; NaN becomes 0.
#[inline(always)]
pub(super) fn signed_norm(value: f32) -> i16 {
    (f64::from(value) * 32767.0).round_ties_even().clamp(-32767.0, 32767.0) as i16
}

/// 0 to 1 become 0 to 65535; NaN becomes 0.
#[inline(always)]
pub(super) fn unsigned_norm(value: f32) -> u16 {
    (f64::from(value) * 65535.0).round_ties_even() as u16
}

#[inline(always)]
fn signed_norms(a: f32, b: f32) -> PackedB16 {
    PackedB16([signed_norm(a) as u16, signed_norm(b) as u16])
}

#[inline(always)]
fn unsigned_norms(a: f32, b: f32) -> PackedB16 {
    PackedB16([unsigned_norm(a), unsigned_norm(b)])
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::convert::tests::{Number, Rounding, integer, normalized};
    use super::*;
    use crate::isa::element::Kind::{self, B32, F32};
    use crate::isa::testing::{Bench, Reference, check};

    /// Each half is the conversion of one source.
    fn check_pair(name: &str, source: Kind, destination: Kind, half: impl Fn(u64) -> u64) {
        for processor in ["gfx906", "gfx950", "gfx1100"] {
            check(processor, &format!("{name} {{d}}, {{0}}, {{1}}"), &[source; 2], destination, |v| {
                half(v[0]) & 0xffff | (half(v[1]) & 0xffff) << 16
            });
        }
    }

    fn toward_zero(name: &str) {
        check_pair(name, F32, Kind::PackedF16, |bits| {
            Number::of(F32, bits).rounded(Kind::F16, Rounding::TowardZero)
        });
    }

    fn nearest(name: &str, half: Kind, pair: Kind) {
        check_pair(name, F32, pair, |bits| Number::of(F32, bits).rounded(half, Rounding::NearestEven));
    }

    fn norm(name: &str) {
        let source = if name.ends_with("f16") { Kind::F16 } else { F32 };
        check_pair(name, source, Kind::PackedB16, |bits| normalized(source, bits, name.contains("_i16_")));
    }

    pub(crate) const REFERENCES: &[Reference] = &[
        Reference { name: "v_cvt_pkrtz_f16_f32", check: toward_zero },
        Reference { name: "v_cvt_pk_rtz_f16_f32", check: toward_zero },
        Reference { name: "v_cvt_pknorm_i16_f32", check: norm },
        Reference { name: "v_cvt_pk_norm_i16_f32", check: norm },
        Reference { name: "v_cvt_pknorm_u16_f32", check: norm },
        Reference { name: "v_cvt_pk_norm_u16_f32", check: norm },
        Reference { name: "v_cvt_pknorm_i16_f16", check: norm },
        Reference { name: "v_cvt_pk_norm_i16_f16", check: norm },
        Reference { name: "v_cvt_pknorm_u16_f16", check: norm },
        Reference { name: "v_cvt_pk_norm_u16_f16", check: norm },
        Reference {
            name: "v_cvt_pk_i16_i32",
            check: |name| {
                check_pair(name, B32, Kind::PackedB16, |bits| {
                    integer(bits, 32, true).clamp(-32768, 32767) as u64
                });
            },
        },
        Reference {
            name: "v_cvt_pk_u16_u32",
            check: |name| check_pair(name, B32, Kind::PackedB16, |bits| bits.min(65535)),
        },
        Reference { name: "v_cvt_pk_f16_f32", check: |name| nearest(name, Kind::F16, Kind::PackedF16) },
        Reference { name: "v_cvt_pk_bf16_f32", check: |name| nearest(name, Kind::Bf16, Kind::PackedBf16) },
        Reference {
            name: "v_sat_pk_u8_i16",
            check: |name| {
                let reference = |bits: u64| {
                    let byte = |half: u64| integer(half, 16, true).clamp(0, 255) as u64;
                    byte(bits) | byte(bits >> 16) << 8
                };
                let text = format!("{name} {{d}}, {{0}}");
                for processor in ["gfx906", "gfx1030"] {
                    check(processor, &text, &[Kind::PackedB16], B32, |v| reference(v[0]));
                }
                check("gfx1100", &text, &[Kind::PackedB16], B32, |v| reference(v[0]) | v[1] & 0xffff_0000);
            },
        },
    ];

    #[test]
    fn truncation_to_halves() {
        let mut random = fastrand::Rng::with_seed(2);
        for upper in 0..=u16::MAX {
            for lower in [0, 1, 0x1fff, 0x2000, 0x8000, 0xffff, random.u16(..)] {
                let bits = u32::from(upper) << 16 | u32::from(lower);
                let ours = truncated(f32::from_bits(bits));
                let expected = Number::of(F32, bits.into()).rounded(Kind::F16, Rounding::TowardZero);
                if f32::from_bits(bits).is_nan() {
                    assert!(ours.to_f32().is_nan() && ours.0 & 0x200 != 0, "{bits:#x}");
                } else {
                    assert_eq!(u64::from(ours.0), expected, "{bits:#x}");
                }
            }
        }
    }

    #[test]
    fn modifiers() {
        let mut bench = Bench::new("gfx1100");
        bench.set(1, |_| 0x3800_3c00);
        bench.run("v_cvt_pk_norm_i16_f16 v2, v1.h, -v1.l op_sel:[1,0,0]");
        assert_eq!(bench.get(2)[0], 0x8001_4000);
        bench.run("v_cvt_pk_rtz_f16_f32 v2, -|v1|, 2.0");
        // 2^-15, which is subnormal.
        assert_eq!(bench.get(2)[0], 0x4000_8200);
    }
}
