//! Conversions between types (RDNA3 ISA guide, section 16.8 "VOP1 Instructions"; Vega ISA guide, section 12.8).
//!
//! Floats become integers by truncation; values out of range become the nearest integer, and NaN becomes 0. That is what `as`
//! does.

use crate::isa::element::F16;
use crate::isa::lanes::vector_forms;

vector_forms! {
    FORMS:
    "v_cvt_f32_i32" = unary(a: i32) -> f32 { a as f32 }
    "v_cvt_f32_u32" = unary(a: u32) -> f32 { a as f32 }
    "v_cvt_i32_f32" = unary(a: f32) -> i32 { a as i32 }
    "v_cvt_u32_f32" = unary(a: f32) -> u32 { a as u32 }
    // Called `rpi` and `flr` up to gfx10.
    "v_cvt_rpi_i32_f32" = unary(a: f32) -> i32 { (a + 0.5).floor() as i32 }
    "v_cvt_nearest_i32_f32" = unary(a: f32) -> i32 { (a + 0.5).floor() as i32 }
    "v_cvt_flr_i32_f32" = unary(a: f32) -> i32 { a.floor() as i32 }
    "v_cvt_floor_i32_f32" = unary(a: f32) -> i32 { a.floor() as i32 }
    "v_cvt_off_f32_i4" = unary(a: u32) -> f32 { ((a << 28) as i32 >> 28) as f32 * 0.0625 }
    "v_cvt_f32_ubyte0" = unary(a: u32) -> f32 { byte(a) }
    "v_cvt_f32_ubyte1" = unary(a: u32) -> f32 { byte(a >> 8) }
    "v_cvt_f32_ubyte2" = unary(a: u32) -> f32 { byte(a >> 16) }
    "v_cvt_f32_ubyte3" = unary(a: u32) -> f32 { byte(a >> 24) }
    "v_cvt_f64_i32" = unary(a: i32) -> f64 { a.into() }
    "v_cvt_f64_u32" = unary(a: u32) -> f64 { a.into() }
    "v_cvt_i32_f64" = unary(a: f64) -> i32 { a as i32 }
    "v_cvt_u32_f64" = unary(a: f64) -> u32 { a as u32 }
    "v_cvt_f32_f64" = unary(a: f64) -> f32 { a as f32 }
    "v_cvt_f64_f32" = unary(a: f32) -> f64 { a.into() }
    "v_cvt_f16_f32" = unary(a: f32) -> F16 { F16::from_f32(a) }
    "v_cvt_f32_f16" = unary(a: F16) -> f32 { widened(a) }
    "v_cvt_f16_i16" = unary(a: i16) -> F16 { F16::from_f32(a.into()) }
    "v_cvt_f16_u16" = unary(a: u16) -> F16 { F16::from_f32(a.into()) }
    "v_cvt_i16_f16" = unary(a: F16) -> i16 { a.to_f32() as i16 }
    "v_cvt_u16_f16" = unary(a: F16) -> u16 { a.to_f32() as u16 }
    "v_cvt_i32_i16" = unary(a: i16) -> i32 { a.into() }
    "v_cvt_u32_u16" = unary(a: u16) -> u32 { a.into() }
    "v_cvt_norm_i16_f16" = unary(a: F16) -> i16 { super::convert_packed::signed_norm(a.to_f32()) }
    "v_cvt_norm_u16_f16" = unary(a: F16) -> u16 { super::convert_packed::unsigned_norm(a.to_f32()) }
}

/// The lowest byte.
#[inline(always)]
fn byte(bits: u32) -> f32 {
    (bits & 0xff) as i32 as f32
}

/// Exact, but that NaNs become quiet.
#[inline(always)]
fn widened(value: F16) -> f32 {
    let is_nan = value.0 & 0x7fff > 0x7c00;
    f32::from_bits(value.to_f32().to_bits() | u32::from(is_nan) << 22)
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::isa::element::Kind::{self, B16, B32, F16, F32, F64};
    use crate::isa::testing::{Bench, Reference, check};

    /// What a float stands for.
    #[derive(Clone, Copy)]
    pub(crate) enum Number {
        Nan,
        Infinite {
            negative: bool,
        },
        /// `significand * 2^exponent`
        Finite {
            negative: bool,
            significand: u128,
            exponent: i32,
        },
    }

    #[derive(Clone, Copy, PartialEq)]
    pub(crate) enum Rounding {
        NearestEven,
        TowardZero,
    }

    /// Bits of the fraction and of the exponent.
    fn layout(kind: Kind) -> (u32, u32) {
        match kind {
            Kind::F16 => (10, 5),
            Kind::Bf16 => (7, 8),
            Kind::F32 => (23, 8),
            Kind::F64 => (52, 11),
            _ => panic!("{kind:?} is no float"),
        }
    }

    impl Number {
        pub(crate) fn integer(value: i128) -> Self {
            Self::Finite { negative: value < 0, significand: value.unsigned_abs(), exponent: 0 }
        }

        pub(crate) fn of(kind: Kind, bits: u64) -> Self {
            let (fraction_bits, exponent_bits) = layout(kind);
            let negative = bits >> (fraction_bits + exponent_bits) & 1 != 0;
            let largest = (1 << exponent_bits) - 1;
            let fraction = u128::from(bits) & ((1 << fraction_bits) - 1);
            let biased = (bits >> fraction_bits) as i32 & largest;
            let smallest = 1 - largest / 2 - fraction_bits as i32;
            match biased {
                _ if biased == largest && fraction != 0 => Self::Nan,
                _ if biased == largest => Self::Infinite { negative },
                0 => Self::Finite { negative, significand: fraction, exponent: smallest },
                _ => Self::Finite {
                    negative,
                    significand: fraction | 1 << fraction_bits,
                    exponent: smallest + biased - 1,
                },
            }
        }

        /// The nearest float of this kind, by integers.
        pub(crate) fn rounded(self, kind: Kind, rounding: Rounding) -> u64 {
            let (fraction_bits, exponent_bits) = layout(kind);
            let infinity = ((1_u64 << exponent_bits) - 1) << fraction_bits;
            let sign = |negative: bool| u64::from(negative) << (fraction_bits + exponent_bits);
            let (negative, significand, exponent) = match self {
                Self::Nan => return infinity | 1 << (fraction_bits - 1),
                Self::Infinite { negative } => return sign(negative) | infinity,
                Self::Finite { negative, significand: 0, .. } => return sign(negative),
                Self::Finite { negative, significand, exponent } => (negative, significand, exponent),
            };
            let smallest_normal = 2 - (1 << (exponent_bits - 1));
            let leading = (127 - significand.leading_zeros() as i32 + exponent).max(smallest_normal);
            let drop = leading - fraction_bits as i32 - exponent;
            let kept = if drop <= 0 {
                significand << -drop
            } else {
                let drop = drop.min(120);
                let (kept, rest, half) =
                    (significand >> drop, significand & ((1 << drop) - 1), 1 << (drop - 1));
                let up = rest > half || (rest == half && kept % 2 == 1);
                kept + u128::from(up && rounding == Rounding::NearestEven)
            };
            // The leading bit of a normal number's significand adds one to the exponent.
            let bits = kept as u64 + (((leading - smallest_normal) as u64) << fraction_bits);
            let largest = infinity - u64::from(rounding == Rounding::TowardZero);
            sign(negative) | bits.min(largest)
        }

        /// The integer below or toward zero, within a range.
        pub(crate) fn to_integer(self, down: bool, min: i128, max: i128) -> i128 {
            match self {
                Self::Nan => 0,
                Self::Infinite { negative } => [max, min][usize::from(negative)],
                Self::Finite { negative, significand, exponent } => {
                    let (magnitude, is_exact) = match exponent {
                        // Larger than any range here.
                        64.. if significand != 0 => (1 << 100, true),
                        0.. => (significand << exponent.min(64), true),
                        _ => {
                            let drop = (-exponent).min(120);
                            (significand >> drop, significand & ((1 << drop) - 1) == 0)
                        }
                    };
                    let magnitude = magnitude as i128;
                    let value = match negative {
                        true if down && !is_exact => -magnitude - 1,
                        true => -magnitude,
                        false => magnitude,
                    };
                    value.clamp(min, max)
                }
            }
        }
    }

    /// The integer that the bits stand for.
    pub(crate) fn integer(bits: u64, width: u32, signed: bool) -> i128 {
        let value = i128::from(bits & (u64::MAX >> (64 - width)));
        if signed && value >> (width - 1) & 1 != 0 { value - (1 << width) } else { value }
    }

    const ALL: [&str; 4] = ["gfx906", "gfx1030", "gfx1100", "gfx1201"];

    fn check_all(name: &str, source: Kind, destination: Kind, reference: impl Fn(u64) -> u64) {
        for processor in ALL {
            check(processor, &format!("{name} {{d}}, {{0}}"), &[source], destination, |v| reference(v[0]));
        }
    }

    /// Source and destination of `v_cvt_f32_i32`: their kinds, widths, and whether they have a sign.
    fn types(name: &str) -> [(Kind, u32, bool); 2] {
        let mut parts = name.rsplit('_').map(|ty| match ty {
            "f16" => (F16, 16, true),
            "f32" => (F32, 32, true),
            "f64" => (F64, 64, true),
            "i16" => (B16, 16, true),
            "u16" => (B16, 16, false),
            "i32" => (B32, 32, true),
            "u32" => (B32, 32, false),
            _ => panic!("{name}"),
        });
        [parts.next().unwrap(), parts.next().unwrap()]
    }

    /// Conversions whose name says it all.
    fn plain(name: &str) {
        let [(source, from_width, from_signed), (destination, width, signed)] = types(name);
        let limit = 1_i128 << (width - u32::from(signed));
        let min = if signed { -limit } else { 0 };
        check_all(name, source, destination, |bits| {
            let number = match source.sign() {
                Some(_) => Number::of(source, bits),
                None => Number::integer(integer(bits, from_width, from_signed)),
            };
            match destination.sign() {
                Some(_) => number.rounded(destination, Rounding::NearestEven),
                None => number.to_integer(false, min, limit - 1) as u64 & (u64::MAX >> (64 - width)),
            }
        });
    }

    fn down(name: &str) {
        check_all(name, F32, B32, |bits| {
            let number = Number::of(F32, bits);
            u64::from(number.to_integer(true, i32::MIN.into(), i32::MAX.into()) as u32)
        });
    }

    fn nearest(name: &str) {
        check_all(name, F32, B32, |bits| {
            // The sum is exact in double precision where its rounding to f32 matters.
            let sum = (f64::from(f32::from_bits(bits as u32)) + 0.5) as f32;
            let number = Number::of(F32, u64::from(sum.to_bits()));
            u64::from(number.to_integer(true, i32::MIN.into(), i32::MAX.into()) as u32)
        });
    }

    fn bytes(name: &str) {
        let at = usize::from(name.as_bytes()[name.len() - 1] - b'0');
        check_all(name, B32, F32, |bits| {
            let byte = (bits as u32).to_le_bytes()[at];
            Number::integer(byte.into()).rounded(F32, Rounding::NearestEven)
        });
    }

    fn norm(name: &str) {
        let signed = name.contains("_i16_");
        check_all(name, F16, B16, |bits| normalized(F16, bits, signed));
    }

    /// `-1..=1` as -32767 to 32767, `0..=1` as 0 to 65535: by search for the nearest.
    pub(crate) fn normalized(kind: Kind, bits: u64, signed: bool) -> u64 {
        let value = match kind {
            F16 => half::f16::from_bits(bits as u16).to_f64(),
            _ => f64::from(f32::from_bits(bits as u32)),
        };
        if value.is_nan() {
            return 0;
        }
        let (min, max) = if signed { (-32767, 32767) } else { (0, 65535) };
        let scaled = value * f64::from(max);
        let distance = |integer: i32| (f64::from(integer) - scaled).abs();
        let near = scaled.clamp(f64::from(min), f64::from(max)) as i32;
        let best = (near - 1..=near + 1)
            .filter(|integer| (min..=max).contains(integer))
            .min_by(|&a, &b| {
                let even = |integer: i32| integer % 2 != 0;
                distance(a).partial_cmp(&distance(b)).unwrap().then(even(a).cmp(&even(b)))
            })
            .unwrap();
        let outside =
            if scaled >= f64::from(max) { Some(max) } else { (scaled <= f64::from(min)).then_some(min) };
        u64::from(outside.unwrap_or(best) as u16)
    }

    pub(crate) const REFERENCES: &[Reference] = &[
        Reference { name: "v_cvt_f32_i32", check: plain },
        Reference { name: "v_cvt_f32_u32", check: plain },
        Reference { name: "v_cvt_i32_f32", check: plain },
        Reference { name: "v_cvt_u32_f32", check: plain },
        Reference { name: "v_cvt_rpi_i32_f32", check: nearest },
        Reference { name: "v_cvt_nearest_i32_f32", check: nearest },
        Reference { name: "v_cvt_flr_i32_f32", check: down },
        Reference { name: "v_cvt_floor_i32_f32", check: down },
        Reference {
            name: "v_cvt_off_f32_i4",
            check: |name| {
                check_all(name, B32, F32, |bits| {
                    const SIXTEENTHS: [i8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1];
                    let value = f32::from(SIXTEENTHS[bits as usize % 16]) / 16.0;
                    u64::from(value.to_bits())
                });
            },
        },
        Reference { name: "v_cvt_f32_ubyte0", check: bytes },
        Reference { name: "v_cvt_f32_ubyte1", check: bytes },
        Reference { name: "v_cvt_f32_ubyte2", check: bytes },
        Reference { name: "v_cvt_f32_ubyte3", check: bytes },
        Reference { name: "v_cvt_f64_i32", check: plain },
        Reference { name: "v_cvt_f64_u32", check: plain },
        Reference { name: "v_cvt_i32_f64", check: plain },
        Reference { name: "v_cvt_u32_f64", check: plain },
        Reference { name: "v_cvt_f32_f64", check: plain },
        Reference { name: "v_cvt_f64_f32", check: plain },
        Reference { name: "v_cvt_f16_f32", check: plain },
        Reference { name: "v_cvt_f32_f16", check: plain },
        Reference { name: "v_cvt_f16_i16", check: plain },
        Reference { name: "v_cvt_f16_u16", check: plain },
        Reference { name: "v_cvt_i16_f16", check: plain },
        Reference { name: "v_cvt_u16_f16", check: plain },
        Reference { name: "v_cvt_i32_i16", check: plain },
        Reference { name: "v_cvt_u32_u16", check: plain },
        Reference { name: "v_cvt_norm_i16_f16", check: norm },
        Reference { name: "v_cvt_norm_u16_f16", check: norm },
    ];

    /// Lane 0 of v1 after an instruction, where v1 and v2 hold this.
    fn one(processor: &str, text: &str, old: u32, source: u32) -> u32 {
        let mut bench = Bench::new(processor);
        bench.set(1, |_| old);
        bench.set(2, |_| source);
        bench.run(text);
        bench.get(1)[0]
    }

    #[test]
    fn halves_of_registers() {
        for (processor, text, expected) in [
            ("gfx906", "v_cvt_f16_f32_e32 v1, v2", 0x4200),
            ("gfx1030", "v_cvt_f16_f32_e32 v1, v2", 0xaaaa_4200),
            ("gfx1100", "v_cvt_f16_f32_e32 v1.h, v2", 0x4200_bbbb),
            ("gfx1100", "v_cvt_f16_f32_e64 v1.h, v2 op_sel:[0,1]", 0x4200_bbbb),
            ("gfx1100", "v_cvt_f16_f32_e64 v1.l, -|v2| clamp", 0xaaaa_0000),
            ("gfx1201", "v_cvt_f16_f32_e64 v1, v2 mul:2", 0xaaaa_4600),
        ] {
            let three = 3.0_f32.to_bits();
            assert_eq!(one(processor, text, 0xaaaa_bbbb, three), expected, "{processor} {text}");
        }
        for (processor, text, expected) in [
            ("gfx906", "v_cvt_f32_f16_e64 v1, |v2|", 2.0),
            ("gfx1100", "v_cvt_f32_f16_e32 v1, v2.h", 0.5),
            ("gfx1100", "v_cvt_f32_f16_e64 v1, -v2.h op_sel:[1,0]", -0.5),
        ] {
            let result = f32::from_bits(one(processor, text, 0, 0x3800_c000));
            assert_eq!(result, expected, "{processor} {text}");
        }
    }

    #[test]
    fn signalling_nans_become_quiet() {
        assert_eq!(one("gfx906", "v_cvt_f32_f16_e32 v1, v2", 0, 0xfc01), 0xffc0_2000);
        assert_eq!(one("gfx906", "v_cvt_f16_f32_e32 v1, v2", 0, 0x7f80_0001), 0x7e00);
        let mut bench = Bench::new("gfx906");
        bench.set(2, |_| 0xff80_0001);
        bench.run("v_cvt_f64_f32_e32 v[4:5], v2");
        assert_eq!(bench.get64(4)[0], 0xfff8_0000_2000_0000);
        bench.set64(6, |_| 0x7ff0_0000_2000_0000);
        bench.run("v_cvt_f32_f64_e32 v1, v[6:7]");
        assert_eq!(bench.get(1)[0], 0x7fc0_0001);
    }

    #[test]
    fn parts_of_registers() {
        for processor in ["gfx906", "gfx1030"] {
            let f32 = |value: f32| value.to_bits();
            for (instruction, source, expected) in [
                ("v_cvt_f32_i32_sdwa v1, sext(v2) dst_sel:DWORD src0_sel:BYTE_3", 0xfe00_0000, f32(-2.0)),
                ("v_cvt_f32_i32_sdwa v1, v2 dst_sel:DWORD src0_sel:BYTE_3", 0xfe00_0000, f32(254.0)),
                ("v_cvt_f32_i32_sdwa v1, sext(v2) dst_sel:DWORD src0_sel:WORD_1", 0xfffd_1234, f32(-3.0)),
                ("v_cvt_f32_ubyte0_sdwa v1, v2 dst_sel:DWORD src0_sel:WORD_1", 0x1205_0000, f32(5.0)),
                ("v_cvt_f32_f16_sdwa v1, -|v2| dst_sel:DWORD src0_sel:WORD_1", 0xc000_3c00, f32(-2.0)),
                ("v_cvt_f16_f32_sdwa v1, v2 dst_sel:WORD_1 src0_sel:DWORD", f32(-1.5), 0xbe00_0000),
                ("v_cvt_i32_f32_sdwa v1, v2 dst_sel:BYTE_3 src0_sel:DWORD", f32(-1.5), 0xff00_0000),
                ("v_cvt_i16_f16_sdwa v1, v2 dst_sel:WORD_0 src0_sel:WORD_1", 0xc200_0000, 0xfffd),
                ("v_cvt_f16_u16_sdwa v1, v2 dst_sel:WORD_0 src0_sel:BYTE_3", 0x0800_0000, 0x4800),
            ] {
                let text = instruction.replace(" src0", " dst_unused:UNUSED_PAD src0");
                assert_eq!(one(processor, &text, 0xaaaa_bbbb, source), expected, "{processor} {text}");
            }
        }
    }
}
