//! Packed arithmetic: two values of 16 bits at once (RDNA3 ISA guide, section 16.10 "VOP3P"; the same of CDNA).

use super::half;
use super::vop3p::{Modifiers, Packed, execute};
use crate::assembly::{DecodeError, Decoded, Statement};
use crate::isa::Execute;
use crate::isa::Form;
use crate::isa::element::{Element, F16, Kind};
use crate::isa::lanes::Destination;
use crate::target::Target;

/// Defines instructions by what they do to a half. Those of integers are given the exact result; with `clamp` they saturate.
macro_rules! packed_forms {
    ($($name:literal = $shape:ident($($a:ident),+: $t:ty) $body:block)*) => {
        pub(crate) const FORMS: &[Form] = &[$(
            Form {
                name: $name,
                decode: |statement, target| packed_forms!(@$shape statement, target, ($($a),+), $t, $body),
            },
        )* FMAC];
    };
    (@plain $statement:ident, $target:ident, ($($a:ident),+), $t:ty, $body:block) => {{
        #[inline(always)]
        fn f([$($a),+]: [$t; packed_forms!(@count $($a)+)]) -> $t $body
        decode($statement, $target, f)
    }};
    (@exact $statement:ident, $target:ident, ($($a:ident),+), $t:ty, $body:block) => {{
        #[inline(always)]
        fn exact(halves: [$t; packed_forms!(@count $($a)+)]) -> i64 {
            let [$($a),+] = halves.map(i64::from);
            $body
        }
        if $statement.take_flag("clamp") {
            decode($statement, $target, |v| exact(v).clamp(<$t>::MIN.into(), <$t>::MAX.into()) as $t)
        } else {
            decode($statement, $target, |v| exact(v) as $t)
        }
    }};
    (@count $a:ident $b:ident) => { 2 };
    (@count $a:ident $b:ident $c:ident) => { 3 };
}

packed_forms! {
    "v_pk_add_f16" = plain(a, b: F16) { half::add(a, b) }
    "v_pk_mul_f16" = plain(a, b: F16) { half::mul(a, b) }
    "v_pk_fma_f16" = plain(a, b, c: F16) { half::fma(a, b, c) }
    "v_pk_min_f16" = plain(a, b: F16) { half::min(a, b) }
    "v_pk_max_f16" = plain(a, b: F16) { half::max(a, b) }
    "v_pk_min_num_f16" = plain(a, b: F16) { half::min_num(a, b) }
    "v_pk_max_num_f16" = plain(a, b: F16) { half::max_num(a, b) }
    "v_pk_minimum_f16" = plain(a, b: F16) { half::minimum(a, b) }
    "v_pk_maximum_f16" = plain(a, b: F16) { half::maximum(a, b) }
    "v_pk_minimum3_f16" = plain(a, b, c: F16) { half::minimum(half::minimum(a, b), c) }
    "v_pk_maximum3_f16" = plain(a, b, c: F16) { half::maximum(half::maximum(a, b), c) }
    "v_pk_add_u16" = exact(a, b: u16) { a + b }
    "v_pk_sub_u16" = exact(a, b: u16) { a - b }
    "v_pk_mad_u16" = exact(a, b, c: u16) { a * b + c }
    "v_pk_add_i16" = exact(a, b: i16) { a + b }
    "v_pk_sub_i16" = exact(a, b: i16) { a - b }
    "v_pk_mad_i16" = exact(a, b, c: i16) { a * b + c }
    "v_pk_mul_lo_u16" = plain(a, b: u16) { a.wrapping_mul(b) }
    "v_pk_min_u16" = plain(a, b: u16) { a.min(b) }
    "v_pk_max_u16" = plain(a, b: u16) { a.max(b) }
    "v_pk_min_i16" = plain(a, b: i16) { a.min(b) }
    "v_pk_max_i16" = plain(a, b: i16) { a.max(b) }
    "v_pk_lshlrev_b16" = plain(shift, a: u16) { a << (shift & 15) }
    "v_pk_lshrrev_b16" = plain(shift, a: u16) { a >> (shift & 15) }
    "v_pk_ashrrev_i16" = plain(shift, a: i16) { a >> (shift & 15) }
}

/// It has the encoding of VOP2, in which the destination is the third operand, and no modifiers.
const FMAC: Form = Form {
    name: "v_pk_fmac_f16",
    decode: |statement, target| {
        let destination = statement.operands.first().cloned().ok_or(DecodeError::OperandCount(0))?;
        statement.operands.push(destination);
        decode(statement, target, |[a, b, d]: [F16; 3]| half::fma(a, b, d))
    },
};

/// Decodes an instruction that applies `f` to both halves.
fn decode<T: Element<Word = u32>, const N: usize>(
    statement: &mut Statement,
    target: &Target,
    f: impl Fn([T; N]) -> T + Copy + Send + Sync + 'static,
) -> Decoded<Execute> {
    if statement.operands.len() != N + 1 {
        return Err(DecodeError::OperandCount(statement.operands.len()));
    }
    let kind = if T::KIND == Kind::F16 { Kind::PackedF16 } else { Kind::PackedB16 };
    let modifiers = Modifiers::<N>::take(statement)?;
    let mut destination = Destination::decode(&statement.operands[0], kind, target)?;
    destination.take_modifiers(statement)?;
    let mut operands = Vec::with_capacity(N);
    for index in 0..N {
        operands.push(Packed::decode(&statement.operands[index + 1], kind, index, &modifiers)?);
    }
    let operands: [Packed; N] = operands.try_into().map_err(|_| DecodeError::OperandCount(N))?;
    Ok(execute(destination, operands, move |words: [u32; N]| {
        let (lower, upper) =
            (f(words.map(|word| T::of(word & 0xffff))), f(words.map(|word| T::of(word >> 16))));
        lower.word() | upper.word() << 16
    }))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cmp::Ordering::{Greater, Less};

    use super::super::half::tests::Nans::{Ieee, Number, Propagate};
    use super::super::half::tests::{extreme, fused};
    use crate::isa::element::Kind::{PackedB16, PackedF16};
    use crate::isa::nearest;
    use crate::isa::testing::{Bench, Reference, check};

    const ALL: &[&str] = &["gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1201"];
    const OLD: &[&str] = &["gfx906", "gfx90a", "gfx1030", "gfx1100"];
    const NEW: &[&str] = &["gfx1201"];

    /// Runs an instruction with some choices of halves and signs, and compares each half with `f`.
    fn halves(name: &str, processors: &[&str], count: usize, modifiers: &str, f: impl Fn(&[u64]) -> u64) {
        let is_float = name.ends_with("f16");
        let kind = if is_float { PackedF16 } else { PackedB16 };
        let mut random = fastrand::Rng::with_seed(11);
        for processor in processors {
            for round in 0..8 {
                // op_sel, op_sel_hi, neg_lo, neg_hi, of which the first round has the defaults.
                let mut choices = [vec![0; count], vec![1; count], vec![0; count], vec![0; count]];
                if round > 0 {
                    choices.iter_mut().flatten().for_each(|bit| *bit = random.u64(..2));
                }
                if !is_float {
                    choices[2..].iter_mut().flatten().for_each(|bit| *bit = 0);
                }
                let mut text = format!("{name} {}", ["{d}", "{0}", "{1}", "{2}"][..=count].join(", "));
                for (key, bits) in ["op_sel", "op_sel_hi", "neg_lo", "neg_hi"].iter().zip(&choices) {
                    if round > 0 && (is_float || !key.starts_with("neg")) {
                        text += &format!(" {key}:{}", format!("{bits:?}").replace(' ', ""));
                    }
                }
                let text = format!("{text} {modifiers}");
                check(processor, &text, &vec![kind; count], kind, |v| {
                    let half = |select: &[u64], negate: &[u64]| {
                        let operands: Vec<u64> = (0..count)
                            .map(|at| v[at] >> (16 * select[at]) & 0xffff ^ negate[at] << 15)
                            .collect();
                        f(&operands)
                    };
                    half(&choices[0], &choices[2]) | half(&choices[1], &choices[3]) << 16
                });
            }
        }
    }

    fn floats(name: &str, processors: &[&str], count: usize, f: impl Fn(&[u64]) -> u64) {
        halves(name, processors, count, "", &f);
        halves(name, processors, count, "clamp", |v| nearest::half(value(f(v)).clamp(0.0, 1.0).max(0.0)));
    }

    fn value(bits: u64) -> f64 {
        ::half::f16::from_bits(bits as u16).to_f64()
    }

    fn integers(name: &str, count: usize, saturates: bool, f: impl Fn(&[i128]) -> i128) {
        let signed = name.ends_with("i16");
        let numbers = |v: &[u64]| -> Vec<i128> {
            v.iter()
                .map(|&bits| i128::from(bits) - if signed && bits >= 0x8000 { 0x1_0000 } else { 0 })
                .collect()
        };
        halves(name, ALL, count, "", |v| f(&numbers(v)).rem_euclid(0x1_0000) as u64);
        if saturates {
            let (least, most) = if signed { (-0x8000, 0x7fff) } else { (0, 0xffff) };
            halves(name, ALL, count, "clamp", |v| {
                f(&numbers(v)).max(least).min(most).rem_euclid(0x1_0000) as u64
            });
        }
    }

    macro_rules! references {
        ($($name:literal: $check:expr;)*) => {
            pub(crate) const REFERENCES: &[Reference] = &[$(Reference { name: $name, check: $check }),*];
        };
    }

    references! {
        "v_pk_add_f16": |name| floats(name, ALL, 2, |v| nearest::half(value(v[0]) + value(v[1])));
        "v_pk_mul_f16": |name| floats(name, ALL, 2, |v| nearest::half(value(v[0]) * value(v[1])));
        "v_pk_fma_f16": |name| floats(name, ALL, 3, |v| fused(v[0], v[1], v[2]));
        "v_pk_fmac_f16": |name| {
            for processor in ["gfx906", "gfx1030", "gfx1100"] {
                let text = format!("{name} {{d}}, {{0}}, {{1}}");
                check(processor, &text, &[PackedF16, PackedF16], PackedF16, |v| {
                    fused(v[0], v[1], v[2]) | fused(v[0] >> 16, v[1] >> 16, v[2] >> 16) << 16
                });
            }
        };
        "v_pk_min_f16": |name| floats(name, OLD, 2, |v| extreme(Ieee, Less)(v[0], v[1]));
        "v_pk_max_f16": |name| floats(name, OLD, 2, |v| extreme(Ieee, Greater)(v[0], v[1]));
        "v_pk_min_num_f16": |name| floats(name, NEW, 2, |v| extreme(Number, Less)(v[0], v[1]));
        "v_pk_max_num_f16": |name| floats(name, NEW, 2, |v| extreme(Number, Greater)(v[0], v[1]));
        "v_pk_minimum_f16": |name| floats(name, NEW, 2, |v| extreme(Propagate, Less)(v[0], v[1]));
        "v_pk_maximum_f16": |name| floats(name, NEW, 2, |v| extreme(Propagate, Greater)(v[0], v[1]));
        "v_pk_minimum3_f16": |name| floats(name, &["gfx950"], 3, |v| {
            extreme(Propagate, Less)(v[0], extreme(Propagate, Less)(v[1], v[2]))
        });
        "v_pk_maximum3_f16": |name| floats(name, &["gfx950"], 3, |v| {
            extreme(Propagate, Greater)(v[0], extreme(Propagate, Greater)(v[1], v[2]))
        });
        "v_pk_add_u16": |name| integers(name, 2, true, |v| v[0] + v[1]);
        "v_pk_sub_u16": |name| integers(name, 2, true, |v| v[0] - v[1]);
        "v_pk_mad_u16": |name| integers(name, 3, true, |v| v[0] * v[1] + v[2]);
        "v_pk_add_i16": |name| integers(name, 2, true, |v| v[0] + v[1]);
        "v_pk_sub_i16": |name| integers(name, 2, true, |v| v[0] - v[1]);
        "v_pk_mad_i16": |name| integers(name, 3, true, |v| v[0] * v[1] + v[2]);
        "v_pk_mul_lo_u16": |name| integers(name, 2, false, |v| v[0] * v[1]);
        "v_pk_min_u16": |name| integers(name, 2, false, |v| v[0].min(v[1]));
        "v_pk_max_u16": |name| integers(name, 2, false, |v| v[0].max(v[1]));
        "v_pk_min_i16": |name| integers(name, 2, false, |v| v[0].min(v[1]));
        "v_pk_max_i16": |name| integers(name, 2, false, |v| v[0].max(v[1]));
        "v_pk_lshlrev_b16": |name| integers(name, 2, false, |v| v[1] << (v[0] % 16));
        "v_pk_lshrrev_b16": |name| integers(name, 2, false, |v| v[1] / (1 << (v[0] % 16)));
        "v_pk_ashrrev_i16": |name| integers(name, 2, false, |v| v[1].div_euclid(1 << v[0].rem_euclid(16)));
    }

    /// Constants as LLVM expects them: in the lower half, but for negative integers.
    #[test]
    fn constants() {
        for processor in ALL {
            let mut bench = Bench::new(processor);
            bench.set(1, |_| 0x3c00_4000);
            bench.wave.set_scalar(3, 0x0008_00ff);
            for (line, expected) in [
                ("v_pk_add_f16 v0, v1, 1.0", 0x3c00_4200),
                ("v_pk_add_f16 v0, v1, 1.0 op_sel_hi:[1,0]", 0x4000_4200),
                ("v_pk_add_f16 v0, v1, 1.0 op_sel:[0,1] op_sel_hi:[1,0]", 0x4000_4000),
                ("v_pk_add_u16 v0, v1, 1", 0x3c00_4001),
                ("v_pk_add_u16 v0, v1, -1", 0x3bff_3fff),
                ("v_pk_sub_i16 v0, 0, v1", 0xc400_c000),
                // The two bytes of a half, as compilers take them apart.
                ("v_pk_lshrrev_b16 v0, 8, v1 op_sel:[1,0] op_sel_hi:[0,0]", 0x0040_4000),
                ("v_pk_lshrrev_b16 v0, s3, v1 op_sel_hi:[1,0]", 0x0040_0000),
                ("v_pk_add_u16 v0, v1, s3 op_sel_hi:[1,0]", 0x3cff_40ff),
            ] {
                bench.run(line);
                assert_eq!(bench.get(0)[3], expected, "{processor}: {line}");
            }
        }
        let bench = Bench::new("gfx1030");
        bench.refusal("v_pk_add_u16 v0, v1, v2 neg_lo:[1,0]");
        bench.refusal("v_pk_mul_lo_u16 v0, v1, v2 clamp");
        bench.refusal("v_pk_add_f16 v0, v1, v2 op_sel:[1,0,1]");
    }
}
