//! Shifts and bit fields (RDNA3 ISA guide, sections 16.1 "SOP2" and 16.3 "SOP1").

use super::forms::scalar_forms;

scalar_forms! {
    FORMS:
    "s_lshl_b32" = binary(a: u32, b: u32) -> (u32, bool) { tested(a.wrapping_shl(b)) }
    "s_lshr_b32" = binary(a: u32, b: u32) -> (u32, bool) { tested(a.wrapping_shr(b)) }
    "s_ashr_i32" = binary(a: i32, b: u32) -> (i32, bool) { tested(a.wrapping_shr(b)) }
    "s_lshl_b64" = binary(a: u64, b: u32) -> (u64, bool) { tested(a.wrapping_shl(b)) }
    "s_lshr_b64" = binary(a: u64, b: u32) -> (u64, bool) { tested(a.wrapping_shr(b)) }
    "s_ashr_i64" = binary(a: i64, b: u32) -> (i64, bool) { tested(a.wrapping_shr(b)) }
    "s_bfm_b32" = binary(a: u32, b: u32) -> u32 { (ones(a & 31) as u32).wrapping_shl(b) }
    "s_bfm_b64" = binary(a: u32, b: u32) -> u64 { ones(a & 63).wrapping_shl(b) }
    "s_bfe_u32" = binary(a: u32, b: u32) -> (u32, bool) {
        tested(a.wrapping_shr(b) & ones(width(b)) as u32)
    }
    "s_bfe_i32" = binary(a: i32, b: u32) -> (i32, bool) {
        tested(signed_field(a.wrapping_shr(b).into(), width(b)) as i32)
    }
    "s_bfe_u64" = binary(a: u64, b: u32) -> (u64, bool) { tested(a.wrapping_shr(b) & ones(width(b))) }
    "s_bfe_i64" = binary(a: i64, b: u32) -> (i64, bool) { tested(signed_field(a.wrapping_shr(b), width(b))) }
    "s_bitset0_b32" = updating(a: u32, d: u32) -> u32 { d & !1_u32.wrapping_shl(a) }
    "s_bitset1_b32" = updating(a: u32, d: u32) -> u32 { d | 1_u32.wrapping_shl(a) }
    "s_bitset0_b64" = updating(a: u32, d: u64) -> u64 { d & !1_u64.wrapping_shl(a) }
    "s_bitset1_b64" = updating(a: u32, d: u64) -> u64 { d | 1_u64.wrapping_shl(a) }
    "s_sext_i32_i8" = unary(a: u32) -> i32 { (a as i8).into() }
    "s_sext_i32_i16" = unary(a: u32) -> i32 { (a as i16).into() }
}

/// Most instructions tell in `scc` whether their result is anything but zero.
fn tested<T: PartialEq + Default>(value: T) -> (T, bool) {
    let is_set = value != T::default();
    (value, is_set)
}

/// As many ones, from bit 0 on.
fn ones(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// The width of a bit field. Its position is in the lowest bits.
fn width(field: u32) -> u32 {
    field >> 16 & 0x7f
}

fn signed_field(value: i64, width: u32) -> i64 {
    match width {
        0 => 0,
        1..64 => value << (64 - width) >> (64 - width),
        _ => value,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::isa::element::Kind::{self, B32, B64};
    use crate::isa::scalar::testing::{Scc, check, references};

    fn bits_of(kind: Kind) -> u64 {
        32 * u64::from(kind.words())
    }

    /// A value from its bits, each by its number.
    fn build(kind: Kind, bit: impl Fn(u64) -> bool) -> u64 {
        (0..bits_of(kind)).map(|at| u64::from(bit(at)) << at).sum()
    }

    fn is_set(value: u64, at: u64) -> bool {
        value >> at & 1 != 0
    }

    /// Bit `at` of a result is bit `from(at, amount)` of the value, or the value's sign if that is beyond its end and
    /// `sign`, else 0.
    fn shift(name: &str, kind: Kind, sign: bool, from: fn(u64, u64) -> Option<u64>) {
        check(name, &[kind, B32], Some(kind), |v, _| {
            let (size, amount) = (bits_of(kind), v[1] % bits_of(kind));
            let value = build(kind, |at| match from(at, amount) {
                Some(at) if at < size => is_set(v[0], at),
                Some(_) => sign && is_set(v[0], size - 1),
                None => false,
            });
            (value, Scc::Is(value != 0))
        });
    }

    fn field(name: &str, kind: Kind, sign: bool) {
        check(name, &[kind, B32], Some(kind), |v, _| {
            let size = bits_of(kind);
            let (from, width) = (v[1] % size, v[1] / 65536 % 128);
            let source = |at: u64| if at < size { is_set(v[0], at) } else { sign && is_set(v[0], size - 1) };
            let value = build(kind, |at| match width {
                0 => false,
                width if at < width => source(from + at),
                width => sign && source(from + width - 1),
            });
            (value, Scc::Is(value != 0))
        });
        // Fields as compilers use them, which random values seldom are.
        crate::isa::scalar::testing::check_with(
            name,
            &[kind, B32],
            Some(kind),
            |values| {
                values[1] = ((values[1] % 40) << 16) | (values[1] >> 8 & 31);
            },
            |v, _| {
                let size = bits_of(kind);
                let (from, width) = (v[1] & 0xffff, v[1] >> 16);
                let all = if sign && is_set(v[0], size - 1) {
                    u128::from(v[0]) | u128::MAX << size
                } else {
                    v[0].into()
                };
                let part = all >> from & ((1 << width) - 1);
                let negative = sign && width != 0 && part >> (width - 1) & 1 != 0;
                let value = if negative { part | u128::MAX << width } else { part } as u64;
                let value = if kind == B32 { value & 0xffff_ffff } else { value };
                (value, Scc::Is(value != 0))
            },
        );
    }

    fn bitset(name: &str, kind: Kind, to: bool) {
        check(name, &[B32], Some(kind), |v, _| {
            let which = v[0] % bits_of(kind);
            (build(kind, |at| if at == which { to } else { is_set(v[1], at) }), Scc::Kept)
        });
    }

    fn mask(name: &str, kind: Kind) {
        check(name, &[B32, B32], Some(kind), |v, _| {
            let (size, from) = (v[0] % bits_of(kind), v[1] % bits_of(kind));
            (build(kind, |at| (from..from + size).contains(&at)), Scc::Kept)
        });
    }

    fn extended(name: &str, size: u64) {
        check(name, &[B32], Some(B32), |v, _| (build(B32, |at| is_set(v[0], at.min(size - 1))), Scc::Kept));
    }

    references! {
        "s_lshl_b32": |name| shift(name, B32, false, |at, by| at.checked_sub(by));
        "s_lshr_b32": |name| shift(name, B32, false, |at, by| Some(at + by));
        "s_ashr_i32": |name| shift(name, B32, true, |at, by| Some(at + by));
        "s_lshl_b64": |name| shift(name, B64, false, |at, by| at.checked_sub(by));
        "s_lshr_b64": |name| shift(name, B64, false, |at, by| Some(at + by));
        "s_ashr_i64": |name| shift(name, B64, true, |at, by| Some(at + by));
        "s_bfm_b32": |name| mask(name, B32);
        "s_bfm_b64": |name| mask(name, B64);
        "s_bfe_u32": |name| field(name, B32, false);
        "s_bfe_i32": |name| field(name, B32, true);
        "s_bfe_u64": |name| field(name, B64, false);
        "s_bfe_i64": |name| field(name, B64, true);
        "s_bitset0_b32": |name| bitset(name, B32, false);
        "s_bitset1_b32": |name| bitset(name, B32, true);
        "s_bitset0_b64": |name| bitset(name, B64, false);
        "s_bitset1_b64": |name| bitset(name, B64, true);
        "s_sext_i32_i8": |name| extended(name, 8);
        "s_sext_i32_i16": |name| extended(name, 16);
    }
}
