//! Integer arithmetic (RDNA3 ISA guide, sections 16.1 "SOP2", 16.2 "SOPK", 16.3 "SOP1").

use super::forms::scalar_forms;

scalar_forms! {
    FORMS:
    "s_add_u32" | "s_add_co_u32" = binary(a: u32, b: u32) -> (u32, bool) { a.overflowing_add(b) }
    "s_sub_u32" | "s_sub_co_u32" = binary(a: u32, b: u32) -> (u32, bool) { a.overflowing_sub(b) }
    "s_add_i32" | "s_add_co_i32" = binary(a: i32, b: i32) -> (i32, bool) { a.overflowing_add(b) }
    "s_sub_i32" | "s_sub_co_i32" = binary(a: i32, b: i32) -> (i32, bool) { a.overflowing_sub(b) }
    "s_addc_u32" | "s_add_co_ci_u32" = carrying(a: u32, b: u32, carry: bool) -> (u32, bool) {
        let (sum, first) = a.overflowing_add(b);
        let (sum, second) = sum.overflowing_add(carry.into());
        (sum, first | second)
    }
    "s_subb_u32" | "s_sub_co_ci_u32" = carrying(a: u32, b: u32, borrow: bool) -> (u32, bool) {
        let (difference, first) = a.overflowing_sub(b);
        let (difference, second) = difference.overflowing_sub(borrow.into());
        (difference, first | second)
    }
    "s_add_nc_u64" | "s_add_u64" = binary(a: u64, b: u64) -> u64 { a.wrapping_add(b) }
    "s_sub_nc_u64" | "s_sub_u64" = binary(a: u64, b: u64) -> u64 { a.wrapping_sub(b) }
    "s_mul_i32" = binary(a: i32, b: i32) -> i32 { a.wrapping_mul(b) }
    "s_mul_hi_u32" = binary(a: u32, b: u32) -> u32 { ((u64::from(a) * u64::from(b)) >> 32) as u32 }
    "s_mul_hi_i32" = binary(a: i32, b: i32) -> i32 { ((i64::from(a) * i64::from(b)) >> 32) as i32 }
    "s_mul_u64" = binary(a: u64, b: u64) -> u64 { a.wrapping_mul(b) }
    "s_lshl1_add_u32" = binary(a: u32, b: u32) -> (u32, bool) { shift_add(a, b, 1) }
    "s_lshl2_add_u32" = binary(a: u32, b: u32) -> (u32, bool) { shift_add(a, b, 2) }
    "s_lshl3_add_u32" = binary(a: u32, b: u32) -> (u32, bool) { shift_add(a, b, 3) }
    "s_lshl4_add_u32" = binary(a: u32, b: u32) -> (u32, bool) { shift_add(a, b, 4) }
    "s_addk_i32" | "s_addk_co_i32" = immediate(d: i32, k: i16) -> (i32, bool) { d.overflowing_add(k.into()) }
    "s_mulk_i32" = immediate(d: i32, k: i16) -> i32 { d.wrapping_mul(k.into()) }
    "s_min_i32" = binary(a: i32, b: i32) -> (i32, bool) { (a.min(b), a < b) }
    "s_min_u32" = binary(a: u32, b: u32) -> (u32, bool) { (a.min(b), a < b) }
    "s_max_i32" = binary(a: i32, b: i32) -> (i32, Option<bool>) { (a.max(b), first_is_larger(a, b)) }
    "s_max_u32" = binary(a: u32, b: u32) -> (u32, Option<bool>) { (a.max(b), first_is_larger(a, b)) }
    "s_abs_i32" = unary(a: i32) -> (i32, bool) { (a.wrapping_abs(), a != 0) }
    "s_absdiff_i32" = binary(a: i32, b: i32) -> (i32, bool) { (a.wrapping_sub(b).wrapping_abs(), a != b) }
}

fn shift_add(a: u32, b: u32, shift: u32) -> (u32, bool) {
    let sum = (u64::from(a) << shift) + u64::from(b);
    (sum as u32, sum >> 32 != 0)
}

/// For equal values, manuals say 1, and hardware gives 0: nobody may rely on either.
fn first_is_larger<T: PartialOrd>(a: T, b: T) -> Option<bool> {
    (a != b).then_some(a > b)
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::isa::element::Kind::{B32, B64};
    use crate::isa::scalar::testing::{Scc, check, check_immediate, references};

    fn signed(bits: u64) -> i128 {
        i128::from(bits as i32)
    }

    /// What remains of an exact result in 32 bits, and whether that is another number.
    fn narrow(exact: i128, is_signed: bool) -> (u64, Scc) {
        let bits = exact.rem_euclid(1 << 32) as u64;
        let value = if is_signed { signed(bits) } else { i128::from(bits) };
        (bits, Scc::Is(value != exact))
    }

    fn unsigned_sum(name: &str, f: fn(i128, i128, i128) -> i128) {
        check(name, &[B32, B32], Some(B32), |v, scc| narrow(f(v[0].into(), v[1].into(), scc.into()), false));
    }

    fn signed_sum(name: &str, f: fn(i128, i128) -> i128) {
        check(name, &[B32, B32], Some(B32), |v, _| narrow(f(signed(v[0]), signed(v[1])), true));
    }

    /// Results whose bits are those of an exact result from some bit on, without `scc`.
    fn product(name: &str, f: fn(&[u64]) -> i128, kind: crate::isa::element::Kind, from: u32) {
        check(name, &[kind; 2], Some(kind), |v, _| {
            let bits = f(v) >> from;
            (if kind == B32 { bits as u32 as u64 } else { bits as u64 }, Scc::Kept)
        });
    }

    fn chosen(name: &str, f: fn(u64, u64) -> bool, when_equal: Scc) {
        check(name, &[B32, B32], Some(B32), |v, _| match f(v[0], v[1]) {
            _ if v[0] == v[1] => (v[0], when_equal),
            true => (v[0], Scc::Is(true)),
            false => (v[1], Scc::Is(false)),
        });
    }

    references! {
        "s_add_u32" | "s_add_co_u32": |name| unsigned_sum(name, |a, b, _| a + b);
        "s_sub_u32" | "s_sub_co_u32": |name| unsigned_sum(name, |a, b, _| a - b);
        "s_addc_u32" | "s_add_co_ci_u32": |name| unsigned_sum(name, |a, b, c| a + b + c);
        "s_subb_u32" | "s_sub_co_ci_u32": |name| unsigned_sum(name, |a, b, c| a - b - c);
        "s_add_i32" | "s_add_co_i32": |name| signed_sum(name, |a, b| a + b);
        "s_sub_i32" | "s_sub_co_i32": |name| signed_sum(name, |a, b| a - b);
        "s_lshl1_add_u32": |name| unsigned_sum(name, |a, b, _| a * 2 + b);
        "s_lshl2_add_u32": |name| unsigned_sum(name, |a, b, _| a * 4 + b);
        "s_lshl3_add_u32": |name| unsigned_sum(name, |a, b, _| a * 8 + b);
        "s_lshl4_add_u32": |name| unsigned_sum(name, |a, b, _| a * 16 + b);
        "s_addk_i32" | "s_addk_co_i32": |name| check_immediate(name, true, |d, k| {
            narrow(signed(d) + i128::from(k as i16), true)
        });
        "s_mulk_i32": |name| check_immediate(name, true, |d, k| {
            (narrow(signed(d) * i128::from(k as i16), true).0, Scc::Kept)
        });
        "s_add_nc_u64" | "s_add_u64": |name| product(name, |v| i128::from(v[0]) + i128::from(v[1]), B64, 0);
        "s_sub_nc_u64" | "s_sub_u64": |name| product(name, |v| i128::from(v[0]) - i128::from(v[1]), B64, 0);
        "s_mul_i32": |name| product(name, |v| signed(v[0]) * signed(v[1]), B32, 0);
        "s_mul_hi_u32": |name| product(name, |v| i128::from(v[0]) * i128::from(v[1]), B32, 32);
        "s_mul_hi_i32": |name| product(name, |v| signed(v[0]) * signed(v[1]), B32, 32);
        // Schoolbook multiplication of halves.
        "s_mul_u64": |name| product(name, |v| {
            let [a, b] = [v[0], v[1]].map(|x| [i128::from(x as u32), i128::from(x >> 32)]);
            a[0] * b[0] + (((a[0] * b[1] + a[1] * b[0]) % (1 << 32)) << 32)
        }, B64, 0);
        "s_min_i32": |name| chosen(name, |a, b| signed(a) < signed(b), Scc::Is(false));
        "s_min_u32": |name| chosen(name, |a, b| a < b, Scc::Is(false));
        "s_max_i32": |name| chosen(name, |a, b| signed(a) > signed(b), Scc::Unknown);
        "s_max_u32": |name| chosen(name, |a, b| a > b, Scc::Unknown);
        "s_abs_i32": |name| check(name, &[B32], Some(B32), |v, _| {
            (signed(v[0]).unsigned_abs() as u32 as u64, Scc::Is(v[0] != 0))
        });
        "s_absdiff_i32": |name| check(name, &[B32, B32], Some(B32), |v, _| {
            let wrapped = narrow(signed(v[0]) - signed(v[1]), true).0;
            (signed(wrapped).unsigned_abs() as u32 as u64, Scc::Is(v[0] != v[1]))
        });
    }
}
