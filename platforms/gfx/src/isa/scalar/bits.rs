//! Counts of bits and searches for them (RDNA3 ISA guide, section 16.3 "SOP1").

use super::forms::scalar_forms;

scalar_forms! {
    FORMS:
    "s_bcnt0_i32_b32" = unary(a: u32) -> (u32, bool) { tested(a.count_zeros()) }
    "s_bcnt0_i32_b64" = unary(a: u64) -> (u32, bool) { tested(a.count_zeros()) }
    "s_bcnt1_i32_b32" = unary(a: u32) -> (u32, bool) { tested(a.count_ones()) }
    "s_bcnt1_i32_b64" = unary(a: u64) -> (u32, bool) { tested(a.count_ones()) }
    "s_ff0_i32_b32" = unary(a: u32) -> i32 { found(a != u32::MAX, a.trailing_ones()) }
    "s_ff0_i32_b64" = unary(a: u64) -> i32 { found(a != u64::MAX, a.trailing_ones()) }
    "s_ff1_i32_b32" | "s_ctz_i32_b32" = unary(a: u32) -> i32 { found(a != 0, a.trailing_zeros()) }
    "s_ff1_i32_b64" | "s_ctz_i32_b64" = unary(a: u64) -> i32 { found(a != 0, a.trailing_zeros()) }
    "s_flbit_i32_b32" | "s_clz_i32_u32" = unary(a: u32) -> i32 { found(a != 0, a.leading_zeros()) }
    "s_flbit_i32_b64" | "s_clz_i32_u64" = unary(a: u64) -> i32 { found(a != 0, a.leading_zeros()) }
    "s_flbit_i32" | "s_cls_i32" = unary(a: i32) -> i32 {
        let changes = a ^ a >> 31;
        found(changes != 0, changes.leading_zeros())
    }
    "s_flbit_i32_i64" | "s_cls_i32_i64" = unary(a: i64) -> i32 {
        let changes = a ^ a >> 63;
        found(changes != 0, changes.leading_zeros())
    }
}

fn tested(count: u32) -> (u32, bool) {
    (count, count != 0)
}

/// A bit's number, or -1 if there is none.
fn found(is_there: bool, number: u32) -> i32 {
    if is_there { number as i32 } else { -1 }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::isa::element::Kind::{self, B32, B64};
    use crate::isa::scalar::testing::{Scc, check, references};

    fn size(kind: Kind) -> u32 {
        32 * u32::from(kind.words())
    }

    fn count(name: &str, kind: Kind, of: u64) {
        check(name, &[kind], Some(B32), |v, _| {
            let count = (0..size(kind)).filter(|at| v[0] >> at & 1 == of).count() as u64;
            (count, Scc::Is(count != 0))
        });
    }

    /// How many bits precede the first that is wanted, from the lowest on or from the highest.
    fn search(name: &str, kind: Kind, downwards: bool, wanted: fn(bit: u64, highest: u64) -> bool) {
        check(name, &[kind], Some(B32), |v, _| {
            let size = size(kind);
            let bit = |at: u32| v[0] >> at & 1;
            let found =
                (0..size).find(|&at| wanted(bit(if downwards { size - 1 - at } else { at }), bit(size - 1)));
            (found.map_or(0xffff_ffff, u64::from), Scc::Kept)
        });
    }

    references! {
        "s_bcnt0_i32_b32": |name| count(name, B32, 0);
        "s_bcnt0_i32_b64": |name| count(name, B64, 0);
        "s_bcnt1_i32_b32": |name| count(name, B32, 1);
        "s_bcnt1_i32_b64": |name| count(name, B64, 1);
        "s_ff0_i32_b32": |name| search(name, B32, false, |bit, _| bit == 0);
        "s_ff0_i32_b64": |name| search(name, B64, false, |bit, _| bit == 0);
        "s_ff1_i32_b32" | "s_ctz_i32_b32": |name| search(name, B32, false, |bit, _| bit == 1);
        "s_ff1_i32_b64" | "s_ctz_i32_b64": |name| search(name, B64, false, |bit, _| bit == 1);
        "s_flbit_i32_b32" | "s_clz_i32_u32": |name| search(name, B32, true, |bit, _| bit == 1);
        "s_flbit_i32_b64" | "s_clz_i32_u64": |name| search(name, B64, true, |bit, _| bit == 1);
        "s_flbit_i32" | "s_cls_i32": |name| search(name, B32, true, |bit, highest| bit != highest);
        "s_flbit_i32_i64" | "s_cls_i32_i64": |name| search(name, B64, true, |bit, highest| bit != highest);
    }
}
