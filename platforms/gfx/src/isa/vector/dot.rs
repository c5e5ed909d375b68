//! Dot products of packed operands (RDNA3 ISA guide, section 16.10 "VOP3P"; CDNA4 ISA guide, section 12.10 "VOP3P").
//!
//! `v_dot2_f16_f16` and `v_dot2_bf16_bf16` are not here: it is not documented how they round in between.

use super::vop3p::{Modifiers, Packed, execute, take_bits};
use crate::assembly::{DecodeError, Decoded, Statement};
use crate::isa::element::{Bf16, Element, F16, Kind, PackedBf16, PackedF16};
use crate::isa::lanes::{Destination, accumulating};
use crate::isa::source::Source;
use crate::isa::{Execute, Form};
use crate::target::Target;

macro_rules! forms {
    ($($name:literal: $decode:expr;)*) => {
        pub(crate) const FORMS: &[Form] = &[$(Form { name: $name, decode: $decode }),*];
    };
}

forms! {
    "v_dot4_i32_i8": |statement, target| whole::<true>(statement, target, bytes::<true, true>);
    "v_dot4_u32_u8": |statement, target| whole::<false>(statement, target, bytes::<false, false>);
    "v_dot4_i32_iu8": |statement, target| match take_bits(statement, "neg_lo", false)? {
        [false, false, false] => whole::<true>(statement, target, bytes::<false, false>),
        [false, true, false] => whole::<true>(statement, target, bytes::<false, true>),
        [true, false, false] => whole::<true>(statement, target, bytes::<true, false>),
        [true, true, false] => whole::<true>(statement, target, bytes::<true, true>),
        _ => Err(DecodeError::Modifier("neg_lo".to_owned())),
    };
    "v_dot8_i32_i4": |statement, target| whole::<true>(statement, target, nibbles::<true, true>);
    "v_dot8_u32_u4": |statement, target| whole::<false>(statement, target, nibbles::<false, false>);
    "v_dot8_i32_iu4": |statement, target| match take_bits(statement, "neg_lo", false)? {
        [false, false, false] => whole::<true>(statement, target, nibbles::<false, false>),
        [false, true, false] => whole::<true>(statement, target, nibbles::<false, true>),
        [true, false, false] => whole::<true>(statement, target, nibbles::<true, false>),
        [true, true, false] => whole::<true>(statement, target, nibbles::<true, true>),
        _ => Err(DecodeError::Modifier("neg_lo".to_owned())),
    };
    "v_dot2_i32_i16": integers::<true>;
    "v_dot2_u32_u16": integers::<false>;
    "v_dot2_f32_f16": |statement, target| {
        let operands = halves(statement, Kind::PackedF16, Kind::F32)?;
        floats(statement, target, operands, |[a, b, c]| {
            after(PackedF16::of(a).0.map(F16::to_f32), PackedF16::of(b).0.map(F16::to_f32), f32::from_bits(c))
        })
    };
    "v_dot2_f32_bf16": |statement, target| {
        let operands = halves(statement, Kind::PackedBf16, Kind::F32)?;
        let f = |sum: fn([f32; 2], [f32; 2], f32) -> f32| {
            move |[a, b, c]: [u32; 3]| {
                sum(PackedBf16::of(a).0.map(Bf16::to_f32), PackedBf16::of(b).0.map(Bf16::to_f32), f32::from_bits(c))
            }
        };
        if target.generation == 9 {
            floats(statement, target, operands, f(before))
        } else {
            floats(statement, target, operands, f(after))
        }
    };
    "v_dot4c_i32_i8": |statement, target| {
        accumulating(statement, target, |a: u32, b: u32, d: i32| d.wrapping_add(bytes::<true, true>(a, b)))
    };
    "v_dot8c_i32_i4": |statement, target| {
        accumulating(statement, target, |a: u32, b: u32, d: i32| d.wrapping_add(nibbles::<true, true>(a, b)))
    };
    "v_dot2c_i32_i16": |statement, target| {
        accumulating(statement, target, |a: u32, b: u32, d: i32| d.wrapping_add(shorts::<true>(a, b) as i32))
    };
    "v_dot2c_f32_f16": |statement, target| {
        accumulating(statement, target, |PackedF16(a): PackedF16, PackedF16(b): PackedF16, d: f32| {
            after(a.map(F16::to_f32), b.map(F16::to_f32), d)
        })
    };
}

/// The sum of the products of four bytes.
#[inline(always)]
fn bytes<const A: bool, const B: bool>(a: u32, b: u32) -> i32 {
    products::<A, B, 8>(a, b)
}

#[inline(always)]
fn nibbles<const A: bool, const B: bool>(a: u32, b: u32) -> i32 {
    products::<A, B, 4>(a, b)
}

/// A sum that fits in 32 bits, whose fields have `BITS` and are with or without a sign.
#[inline(always)]
fn products<const A: bool, const B: bool, const BITS: u32>(a: u32, b: u32) -> i32 {
    let mut sum = 0;
    for at in 0..32 / BITS {
        sum += field::<A, BITS>(a, at * BITS) * field::<B, BITS>(b, at * BITS);
    }
    sum
}

/// The sum of the products of two halves, which may not fit in 32 bits.
#[inline(always)]
fn shorts<const SIGNED: bool>(a: u32, b: u32) -> i64 {
    let product = |at| i64::from(field::<SIGNED, 16>(a, at)) * i64::from(field::<SIGNED, 16>(b, at));
    product(0) + product(16)
}

/// The integer of some bits of a word.
#[inline(always)]
fn field<const SIGNED: bool, const BITS: u32>(word: u32, at: u32) -> i32 {
    let left = word << (32 - BITS - at);
    if SIGNED { left as i32 >> (32 - BITS) } else { (left >> (32 - BITS)) as i32 }
}

/// Adds the products to `c` one after the other, and rounds each time.
#[inline(always)]
fn after(a: [f32; 2], b: [f32; 2], c: f32) -> f32 {
    c + a[0] * b[0] + a[1] * b[1]
}

/// Adds `c` last, as gfx950 does.
#[inline(always)]
fn before(a: [f32; 2], b: [f32; 2], c: f32) -> f32 {
    a[0] * b[0] + a[1] * b[1] + c
}

/// Decodes an instruction whose operands have no modifiers. Saturation is that of the sum with the third one.
fn whole<const SIGNED: bool>(
    statement: &mut Statement,
    target: &Target,
    sum: impl Fn(u32, u32) -> i32 + Copy + Send + Sync + 'static,
) -> Decoded<Execute> {
    let [destination, a, b, c] = statement.exactly()?;
    let operands = [
        Source::decode(a, Kind::B32, 1)?,
        Source::decode(b, Kind::B32, 2)?,
        Source::decode(c, Kind::B32, 3)?,
    ];
    let destination = Destination::decode(destination, Kind::B32, target)?;
    Ok(match (statement.take_flag("clamp"), SIGNED) {
        (false, _) => execute(destination, operands, move |[a, b, c]| c.wrapping_add(sum(a, b) as u32)),
        (true, true) => {
            execute(destination, operands, move |[a, b, c]| (c as i32).saturating_add(sum(a, b)) as u32)
        }
        (true, false) => execute(destination, operands, move |[a, b, c]| c.saturating_add(sum(a, b) as u32)),
    })
}

/// Decodes the operands of an instruction that can choose the halves of the first two.
fn halves(statement: &mut Statement, kind: Kind, third: Kind) -> Decoded<[Packed; 3]> {
    let modifiers = Modifiers::<3>::take(statement)?;
    modifiers.refuse(2)?;
    let [_, a, b, c] = statement.exactly()?;
    Ok([
        Packed::decode(a, kind, 0, &modifiers)?,
        Packed::decode(b, kind, 1, &modifiers)?,
        Packed::decode(c, third, 2, &modifiers)?,
    ])
}

/// Decodes a sum of products of halves, which is exact: `clamp` saturates at its end.
fn integers<const SIGNED: bool>(statement: &mut Statement, target: &Target) -> Decoded<Execute> {
    let operands = halves(statement, Kind::PackedB16, Kind::B32)?;
    let destination = Destination::decode(&statement.operands[0], Kind::B32, target)?;
    let sum = |[a, b, c]: [u32; 3]| {
        shorts::<SIGNED>(a, b) + if SIGNED { i64::from(c as i32) } else { i64::from(c) }
    };
    Ok(if statement.take_flag("clamp") {
        let (least, most) = if SIGNED { (i32::MIN.into(), i32::MAX.into()) } else { (0, u32::MAX.into()) };
        execute(destination, operands, move |words| sum(words).clamp(least, most) as u32)
    } else {
        execute(destination, operands, move |words| sum(words) as u32)
    })
}

fn floats(
    statement: &mut Statement,
    target: &Target,
    operands: [Packed; 3],
    f: impl Fn([u32; 3]) -> f32 + Copy + Send + Sync + 'static,
) -> Decoded<Execute> {
    let mut destination = Destination::decode(&statement.operands[0], Kind::F32, target)?;
    destination.take_modifiers(statement)?;
    Ok(execute(destination, operands, move |words| f(words).to_bits()))
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::isa::element::Kind::{B32, F32, PackedBf16, PackedF16};
    use crate::isa::testing::{Bench, Reference, check};

    macro_rules! references {
        ($($name:literal: $check:expr;)*) => {
            pub(crate) const REFERENCES: &[Reference] = &[$(Reference { name: $name, check: $check }),*];
        };
    }

    references! {
        "v_dot4_i32_i8": |name| three(name, &["gfx906", "gfx1030"], 8, [true; 3], "");
        "v_dot4_u32_u8": |name| three(name, &["gfx906", "gfx1030", "gfx1100", "gfx1201"], 8, [false; 3], "");
        "v_dot4_i32_iu8": |name| with_signs(name, 8);
        "v_dot8_i32_i4": |name| three(name, &["gfx906", "gfx1030"], 4, [true; 3], "");
        "v_dot8_u32_u4": |name| three(name, &["gfx906", "gfx1030", "gfx1100", "gfx1201"], 4, [false; 3], "");
        "v_dot8_i32_iu4": |name| with_signs(name, 4);
        "v_dot2_i32_i16": |name| {
            three(name, &["gfx906", "gfx1030"], 16, [true; 3], "");
            swapped(name, true);
        };
        "v_dot2_u32_u16": |name| {
            three(name, &["gfx906", "gfx1030"], 16, [false; 3], "");
            swapped(name, false);
        };
        "v_dot4c_i32_i8": |name| two(name, 8);
        "v_dot8c_i32_i4": |name| two(name, 4);
        "v_dot2c_i32_i16": |name| two(name, 16);
        "v_dot2_f32_f16": |name| {
            for processor in ["gfx906", "gfx1030", "gfx1100", "gfx1201"] {
                let text = format!("{name} {{d}}, {{0}}, {{1}}, {{2}}");
                check(processor, &text, &[PackedF16, PackedF16, F32], F32, |v| {
                    in_order(v[2], halves16(v[0]), halves16(v[1]))
                });
                let text = format!("{text} op_sel:[1,0,0] op_sel_hi:[0,1,1] neg_lo:[0,1,0] neg_hi:[1,0,0]");
                check(processor, &text, &[PackedF16, PackedF16, F32], F32, |v| {
                    let ([a, b], [c, d]) = (halves16(v[0]), halves16(v[1]));
                    in_order(v[2], [b, -a], [-c, d])
                });
            }
        };
        "v_dot2c_f32_f16": |name| {
            for processor in ["gfx908", "gfx1030", "gfx1100"] {
                let text = format!("{name} {{d}}, {{0}}, {{1}}");
                check(processor, &text, &[PackedF16, PackedF16], F32, |v| {
                    in_order(v[2], halves16(v[0]), halves16(v[1]))
                });
            }
        };
        "v_dot2_f32_bf16": |name| {
            for processor in ["gfx950", "gfx1100", "gfx1201"] {
                let text = format!("{name} {{d}}, {{0}}, {{1}}, {{2}}");
                check(processor, &text, &[PackedBf16, PackedBf16, F32], F32, |v| {
                    let (a, b) = (bhalves(v[0]), bhalves(v[1]));
                    if processor == "gfx950" {
                        let sum = single(single(a[0] * b[0]) + single(a[1] * b[1]));
                        return bits(sum + value(v[2]));
                    }
                    in_order(v[2], a, b)
                });
            }
        };
    }

    /// The digits of a number in a base of 2^`width`, with or without a sign each.
    fn digits(bits: u64, width: u32, signed: bool) -> Vec<i128> {
        let base = 1_i128 << width;
        let mut rest = i128::from(bits as u32);
        (0..32 / width)
            .map(|_| {
                let digit = rest % base;
                rest /= base;
                if signed && digit >= base / 2 { digit - base } else { digit }
            })
            .collect()
    }

    fn dot(v: &[u64], width: u32, signs: [bool; 3], clamped: bool) -> u64 {
        let c = if signs[2] { i128::from(v[2] as u32 as i32) } else { i128::from(v[2]) };
        let products = digits(v[0], width, signs[0]).into_iter().zip(digits(v[1], width, signs[1]));
        let sum = c + products.map(|(a, b)| a * b).sum::<i128>();
        let (least, most) =
            if signs[2] { (i32::MIN.into(), i32::MAX.into()) } else { (0, i128::from(u32::MAX)) };
        let sum = if clamped { sum.max(least).min(most) } else { sum };
        sum.rem_euclid(1 << 32) as u64
    }

    fn three(name: &str, processors: &[&str], width: u32, signs: [bool; 3], modifiers: &str) {
        for processor in processors {
            for clamped in [false, true] {
                let clamp = if clamped { "clamp" } else { "" };
                let text = format!("{name} {{d}}, {{0}}, {{1}}, {{2}} {modifiers} {clamp}");
                check(processor, &text, &[B32, B32, B32], B32, |v| dot(v, width, signs, clamped));
                let text = format!("{name} {{d}}, {{0}}, {{1}}, 0 {modifiers} {clamp}");
                check(processor, &text, &[B32, B32], B32, |v| dot(&[v[0], v[1], 0], width, signs, clamped));
            }
        }
    }

    fn with_signs(name: &str, width: u32) {
        for (modifiers, first, second) in [
            ("", false, false),
            ("neg_lo:[1,0,0]", true, false),
            ("neg_lo:[0,1,0]", false, true),
            ("neg_lo:[1,1,0]", true, true),
        ] {
            three(name, &["gfx1100", "gfx1201"], width, [first, second, true], modifiers);
        }
    }

    fn swapped(name: &str, signed: bool) {
        let text = format!("{name} {{d}}, {{0}}, {{1}}, {{2}} op_sel:[1,0,0] op_sel_hi:[0,0,1]");
        check("gfx906", &text, &[B32, B32, B32], B32, |v| {
            let (a, b) = (v[0] >> 16 | (v[0] & 0xffff) << 16, (v[1] & 0xffff) * 0x1_0001);
            dot(&[a, b, v[2]], 16, [signed; 3], false)
        });
    }

    fn two(name: &str, width: u32) {
        for processor in ["gfx908", "gfx1030"] {
            let text = format!("{name} {{d}}, {{0}}, {{1}}");
            check(processor, &text, &[B32, B32], B32, |v| dot(v, width, [true; 3], false));
            let text = format!("{name} {{d}}, 0x1ff7f80, {{0}}");
            check(processor, &text, &[B32], B32, |v| dot(&[0x1ff_7f80, v[0], v[1]], width, [true; 3], false));
        }
    }

    fn value(bits: u64) -> f64 {
        f32::from_bits(bits as u32).into()
    }

    fn single(value: f64) -> f64 {
        f64::from(value as f32)
    }

    fn bits(value: f64) -> u64 {
        (value as f32).to_bits().into()
    }

    fn halves16(bits: u64) -> [f64; 2] {
        [bits, bits >> 16].map(|bits| half::f16::from_bits(bits as u16).to_f64())
    }

    fn bhalves(bits: u64) -> [f64; 2] {
        [bits, bits >> 16].map(|bits| half::bf16::from_bits(bits as u16).to_f64())
    }

    /// Sums of f32 that double precision rounds to f32 as if exact.
    fn in_order(start: u64, a: [f64; 2], b: [f64; 2]) -> u64 {
        bits(single(value(start) + single(a[0] * b[0])) + single(a[1] * b[1]))
    }

    #[test]
    fn modifiers_without_a_meaning_are_refused() {
        let bench = Bench::new("gfx1100");
        bench.refusal("v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[0,0,1]");
        bench.refusal("v_dot4_u32_u8 v0, v1, v2, v3 neg_lo:[1,0,0]");
        bench.refusal("v_dot4_u32_u8 v0, v1, v2, v3 op_sel:[1,0,0]");
        bench.refusal("v_dot2_f32_f16 v0, v1, v2, v3 op_sel_hi:[1,1,0]");
    }
}
