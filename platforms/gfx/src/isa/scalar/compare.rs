//! Comparisons, whose result is `scc` (RDNA3 ISA guide, sections 16.4 "SOPC" and 16.2 "SOPK").

use super::forms::scalar_forms;
use crate::isa::element::F16;

scalar_forms! {
    // `nge` holds for NaNs, unlike `lt`; `lg` does not, unlike `neq`.
    #[expect(clippy::neg_cmp_op_on_partial_ord, clippy::double_comparisons)]
    FORMS:
    "s_cmp_eq_i32" | "s_cmp_eq_u32" = binary(a: u32, b: u32) -> bool { a == b }
    "s_cmp_lg_i32" | "s_cmp_lg_u32" = binary(a: u32, b: u32) -> bool { a != b }
    "s_cmp_gt_i32" = binary(a: i32, b: i32) -> bool { a > b }
    "s_cmp_ge_i32" = binary(a: i32, b: i32) -> bool { a >= b }
    "s_cmp_lt_i32" = binary(a: i32, b: i32) -> bool { a < b }
    "s_cmp_le_i32" = binary(a: i32, b: i32) -> bool { a <= b }
    "s_cmp_gt_u32" = binary(a: u32, b: u32) -> bool { a > b }
    "s_cmp_ge_u32" = binary(a: u32, b: u32) -> bool { a >= b }
    "s_cmp_lt_u32" = binary(a: u32, b: u32) -> bool { a < b }
    "s_cmp_le_u32" = binary(a: u32, b: u32) -> bool { a <= b }
    "s_cmp_eq_u64" = binary(a: u64, b: u64) -> bool { a == b }
    "s_cmp_lg_u64" = binary(a: u64, b: u64) -> bool { a != b }
    "s_bitcmp0_b32" = binary(a: u32, b: u32) -> bool { a.wrapping_shr(b) & 1 == 0 }
    "s_bitcmp1_b32" = binary(a: u32, b: u32) -> bool { a.wrapping_shr(b) & 1 != 0 }
    "s_bitcmp0_b64" = binary(a: u64, b: u32) -> bool { a.wrapping_shr(b) & 1 == 0 }
    "s_bitcmp1_b64" = binary(a: u64, b: u32) -> bool { a.wrapping_shr(b) & 1 != 0 }

    "s_cmpk_eq_i32" = immediate(d: i32, k: i16) -> bool { d == i32::from(k) }
    "s_cmpk_lg_i32" = immediate(d: i32, k: i16) -> bool { d != i32::from(k) }
    "s_cmpk_gt_i32" = immediate(d: i32, k: i16) -> bool { d > k.into() }
    "s_cmpk_ge_i32" = immediate(d: i32, k: i16) -> bool { d >= k.into() }
    "s_cmpk_lt_i32" = immediate(d: i32, k: i16) -> bool { d < k.into() }
    "s_cmpk_le_i32" = immediate(d: i32, k: i16) -> bool { d <= k.into() }
    "s_cmpk_eq_u32" = immediate(d: u32, k: u16) -> bool { d == u32::from(k) }
    "s_cmpk_lg_u32" = immediate(d: u32, k: u16) -> bool { d != u32::from(k) }
    "s_cmpk_gt_u32" = immediate(d: u32, k: u16) -> bool { d > k.into() }
    "s_cmpk_ge_u32" = immediate(d: u32, k: u16) -> bool { d >= k.into() }
    "s_cmpk_lt_u32" = immediate(d: u32, k: u16) -> bool { d < k.into() }
    "s_cmpk_le_u32" = immediate(d: u32, k: u16) -> bool { d <= k.into() }

    "s_cmp_lt_f32" = binary(a: f32, b: f32) -> bool { a < b }
    "s_cmp_eq_f32" = binary(a: f32, b: f32) -> bool { a == b }
    "s_cmp_le_f32" = binary(a: f32, b: f32) -> bool { a <= b }
    "s_cmp_gt_f32" = binary(a: f32, b: f32) -> bool { a > b }
    "s_cmp_lg_f32" = binary(a: f32, b: f32) -> bool { a < b || a > b }
    "s_cmp_ge_f32" = binary(a: f32, b: f32) -> bool { a >= b }
    "s_cmp_o_f32" = binary(a: f32, b: f32) -> bool { a.partial_cmp(&b).is_some() }
    "s_cmp_u_f32" = binary(a: f32, b: f32) -> bool { a.partial_cmp(&b).is_none() }
    "s_cmp_nge_f32" = binary(a: f32, b: f32) -> bool { !(a >= b) }
    "s_cmp_nlg_f32" = binary(a: f32, b: f32) -> bool { !(a < b || a > b) }
    "s_cmp_ngt_f32" = binary(a: f32, b: f32) -> bool { !(a > b) }
    "s_cmp_nle_f32" = binary(a: f32, b: f32) -> bool { !(a <= b) }
    "s_cmp_neq_f32" = binary(a: f32, b: f32) -> bool { a != b }
    "s_cmp_nlt_f32" = binary(a: f32, b: f32) -> bool { !(a < b) }

    "s_cmp_lt_f16" = binary(a: F16, b: F16) -> bool { a.to_f32() < b.to_f32() }
    "s_cmp_eq_f16" = binary(a: F16, b: F16) -> bool { a.to_f32() == b.to_f32() }
    "s_cmp_le_f16" = binary(a: F16, b: F16) -> bool { a.to_f32() <= b.to_f32() }
    "s_cmp_gt_f16" = binary(a: F16, b: F16) -> bool { a.to_f32() > b.to_f32() }
    "s_cmp_lg_f16" = binary(a: F16, b: F16) -> bool { a.to_f32() < b.to_f32() || a.to_f32() > b.to_f32() }
    "s_cmp_ge_f16" = binary(a: F16, b: F16) -> bool { a.to_f32() >= b.to_f32() }
    "s_cmp_o_f16" = binary(a: F16, b: F16) -> bool { a.to_f32().partial_cmp(&b.to_f32()).is_some() }
    "s_cmp_u_f16" = binary(a: F16, b: F16) -> bool { a.to_f32().partial_cmp(&b.to_f32()).is_none() }
    "s_cmp_nge_f16" = binary(a: F16, b: F16) -> bool { !(a.to_f32() >= b.to_f32()) }
    "s_cmp_nlg_f16" = binary(a: F16, b: F16) -> bool { !(a.to_f32() < b.to_f32() || a.to_f32() > b.to_f32()) }
    "s_cmp_ngt_f16" = binary(a: F16, b: F16) -> bool { !(a.to_f32() > b.to_f32()) }
    "s_cmp_nle_f16" = binary(a: F16, b: F16) -> bool { !(a.to_f32() <= b.to_f32()) }
    "s_cmp_neq_f16" = binary(a: F16, b: F16) -> bool { a.to_f32() != b.to_f32() }
    "s_cmp_nlt_f16" = binary(a: F16, b: F16) -> bool { !(a.to_f32() < b.to_f32()) }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::isa::element::Kind::{self, B32, B64, F16, F32};
    use crate::isa::scalar::testing::{Scc, check, check_immediate, references};

    /// How two numbers compare.
    const LESS: u32 = 1;
    const EQUAL: u32 = 2;
    const GREATER: u32 = 4;
    const UNORDERED: u32 = 8;
    const ALL: u32 = 15;

    fn order(a: i128, b: i128) -> u32 {
        [EQUAL, GREATER, LESS][(a - b).signum().rem_euclid(3) as usize]
    }

    fn value(bits: u64, signed: bool) -> i128 {
        if signed { (bits as i32).into() } else { bits.into() }
    }

    /// A float's place among all, from its bits: as for integers, but that those with a sign are in reverse, and zeros are equal.
    fn place(kind: Kind, bits: u64) -> Option<i128> {
        let (sign, infinity) = if kind == F16 { (1 << 15, 0x7c00) } else { (1 << 31, 0x7f80_0000) };
        let magnitude = bits % sign;
        let place = i128::from(magnitude);
        (magnitude <= infinity).then_some(if bits & sign != 0 { -place } else { place })
    }

    fn floats(name: &str, kind: Kind, when: u32) {
        check(name, &[kind; 2], None, |v, _| {
            let found = match (place(kind, v[0]), place(kind, v[1])) {
                (Some(a), Some(b)) => order(a, b),
                _ => UNORDERED,
            };
            (0, Scc::Is(when & found != 0))
        });
    }

    fn integers(name: &str, kind: Kind, signed: bool, when: u32) {
        check(name, &[kind; 2], None, |v, _| {
            (0, Scc::Is(when & order(value(v[0], signed), value(v[1], signed)) != 0))
        });
    }

    fn immediates(name: &str, signed: bool, when: u32) {
        check_immediate(name, false, |d, k| {
            let k = if signed { (k as i16).into() } else { i128::from(k) };
            (0, Scc::Is(when & order(value(d, signed), k) != 0))
        });
    }

    fn bits(name: &str, kind: Kind, wanted: u64) {
        check(name, &[kind, B32], None, |v, _| {
            let mut rest = v[0];
            (0..v[1] % (32 * u64::from(kind.words()))).for_each(|_| rest /= 2);
            (0, Scc::Is(rest % 2 == wanted))
        });
    }

    references! {
        "s_cmp_eq_i32" | "s_cmp_eq_u32": |name| integers(name, B32, false, EQUAL);
        "s_cmp_lg_i32" | "s_cmp_lg_u32": |name| integers(name, B32, false, LESS | GREATER);
        "s_cmp_gt_i32": |name| integers(name, B32, true, GREATER);
        "s_cmp_ge_i32": |name| integers(name, B32, true, GREATER | EQUAL);
        "s_cmp_lt_i32": |name| integers(name, B32, true, LESS);
        "s_cmp_le_i32": |name| integers(name, B32, true, LESS | EQUAL);
        "s_cmp_gt_u32": |name| integers(name, B32, false, GREATER);
        "s_cmp_ge_u32": |name| integers(name, B32, false, GREATER | EQUAL);
        "s_cmp_lt_u32": |name| integers(name, B32, false, LESS);
        "s_cmp_le_u32": |name| integers(name, B32, false, LESS | EQUAL);
        "s_cmp_eq_u64": |name| integers(name, B64, false, EQUAL);
        "s_cmp_lg_u64": |name| integers(name, B64, false, LESS | GREATER);
        "s_bitcmp0_b32": |name| bits(name, B32, 0);
        "s_bitcmp1_b32": |name| bits(name, B32, 1);
        "s_bitcmp0_b64": |name| bits(name, B64, 0);
        "s_bitcmp1_b64": |name| bits(name, B64, 1);
        "s_cmpk_eq_i32": |name| immediates(name, true, EQUAL);
        "s_cmpk_lg_i32": |name| immediates(name, true, LESS | GREATER);
        "s_cmpk_gt_i32": |name| immediates(name, true, GREATER);
        "s_cmpk_ge_i32": |name| immediates(name, true, GREATER | EQUAL);
        "s_cmpk_lt_i32": |name| immediates(name, true, LESS);
        "s_cmpk_le_i32": |name| immediates(name, true, LESS | EQUAL);
        "s_cmpk_eq_u32": |name| immediates(name, false, EQUAL);
        "s_cmpk_lg_u32": |name| immediates(name, false, LESS | GREATER);
        "s_cmpk_gt_u32": |name| immediates(name, false, GREATER);
        "s_cmpk_ge_u32": |name| immediates(name, false, GREATER | EQUAL);
        "s_cmpk_lt_u32": |name| immediates(name, false, LESS);
        "s_cmpk_le_u32": |name| immediates(name, false, LESS | EQUAL);
        "s_cmp_lt_f32": |name| floats(name, F32, LESS);
        "s_cmp_eq_f32": |name| floats(name, F32, EQUAL);
        "s_cmp_le_f32": |name| floats(name, F32, LESS | EQUAL);
        "s_cmp_gt_f32": |name| floats(name, F32, GREATER);
        "s_cmp_lg_f32": |name| floats(name, F32, LESS | GREATER);
        "s_cmp_ge_f32": |name| floats(name, F32, GREATER | EQUAL);
        "s_cmp_o_f32": |name| floats(name, F32, ALL - UNORDERED);
        "s_cmp_u_f32": |name| floats(name, F32, UNORDERED);
        "s_cmp_nge_f32": |name| floats(name, F32, LESS | UNORDERED);
        "s_cmp_nlg_f32": |name| floats(name, F32, EQUAL | UNORDERED);
        "s_cmp_ngt_f32": |name| floats(name, F32, ALL - GREATER);
        "s_cmp_nle_f32": |name| floats(name, F32, GREATER | UNORDERED);
        "s_cmp_neq_f32": |name| floats(name, F32, ALL - EQUAL);
        "s_cmp_nlt_f32": |name| floats(name, F32, ALL - LESS);
        "s_cmp_lt_f16": |name| floats(name, F16, LESS);
        "s_cmp_eq_f16": |name| floats(name, F16, EQUAL);
        "s_cmp_le_f16": |name| floats(name, F16, LESS | EQUAL);
        "s_cmp_gt_f16": |name| floats(name, F16, GREATER);
        "s_cmp_lg_f16": |name| floats(name, F16, LESS | GREATER);
        "s_cmp_ge_f16": |name| floats(name, F16, GREATER | EQUAL);
        "s_cmp_o_f16": |name| floats(name, F16, ALL - UNORDERED);
        "s_cmp_u_f16": |name| floats(name, F16, UNORDERED);
        "s_cmp_nge_f16": |name| floats(name, F16, LESS | UNORDERED);
        "s_cmp_nlg_f16": |name| floats(name, F16, EQUAL | UNORDERED);
        "s_cmp_ngt_f16": |name| floats(name, F16, ALL - GREATER);
        "s_cmp_nle_f16": |name| floats(name, F16, GREATER | UNORDERED);
        "s_cmp_neq_f16": |name| floats(name, F16, ALL - EQUAL);
        "s_cmp_nlt_f16": |name| floats(name, F16, ALL - LESS);
    }
}
