//! Arithmetic and bits of 16-bit integers (RDNA3 ISA guide, section 16.12 "VOP3"; "VOP2" of the CDNA guides).

use crate::isa::lanes::vector_forms;

vector_forms! {
    FORMS:
    "v_mul_lo_u16" = binary(a: u16, b: u16) -> u16 { a.wrapping_mul(b) }
    "v_min_u16" = binary(a: u16, b: u16) -> u16 { a.min(b) }
    "v_max_u16" = binary(a: u16, b: u16) -> u16 { a.max(b) }
    "v_min_i16" = binary(a: i16, b: i16) -> i16 { a.min(b) }
    "v_max_i16" = binary(a: i16, b: i16) -> i16 { a.max(b) }
    "v_min3_u16" = ternary_keeping(a: u16, b: u16, c: u16) -> u16 { a.min(b).min(c) }
    "v_max3_u16" = ternary_keeping(a: u16, b: u16, c: u16) -> u16 { a.max(b).max(c) }
    "v_med3_u16" = ternary_keeping(a: u16, b: u16, c: u16) -> u16 { a.min(b).max(a.max(b).min(c)) }
    "v_min3_i16" = ternary_keeping(a: i16, b: i16, c: i16) -> i16 { a.min(b).min(c) }
    "v_max3_i16" = ternary_keeping(a: i16, b: i16, c: i16) -> i16 { a.max(b).max(c) }
    "v_med3_i16" = ternary_keeping(a: i16, b: i16, c: i16) -> i16 { a.min(b).max(a.max(b).min(c)) }
    "v_lshlrev_b16" = binary(shift: u16, a: u16) -> u16 { a << (shift & 15) }
    "v_lshrrev_b16" = binary(shift: u16, a: u16) -> u16 { a >> (shift & 15) }
    "v_ashrrev_i16" = binary(shift: u16, a: i16) -> i16 { a >> (shift & 15) }
    "v_and_b16" = binary(a: u16, b: u16) -> u16 { a & b }
    "v_or_b16" = binary(a: u16, b: u16) -> u16 { a | b }
    "v_xor_b16" = binary(a: u16, b: u16) -> u16 { a ^ b }
    "v_not_b16" = unary(a: u16) -> u16 { !a }
}

/// Defines instructions by the exact result. They take its lowest bits, or with `clamp` the nearest value that they can hold.
macro_rules! saturating_forms {
    ($($name:literal = $shape:ident($($a:ident),+) -> $t:ty $body:block)*) => {
        pub(crate) const SATURATING: &[$crate::isa::Form] = &[$(
            $crate::isa::Form {
                name: $name,
                decode: |statement, target| {
                    #[inline(always)]
                    fn exact($($a: $t),+) -> i64 {
                        $(let $a = i64::from($a);)+
                        $body
                    }
                    if statement.take_flag("clamp") {
                        let f = |$($a: $t),+| exact($($a),+).clamp(<$t>::MIN.into(), <$t>::MAX.into()) as $t;
                        $crate::isa::lanes::$shape(statement, target, f)
                    } else {
                        $crate::isa::lanes::$shape(statement, target, |$($a: $t),+| exact($($a),+) as $t)
                    }
                },
            }
        ),*];
    };
}

saturating_forms! {
    "v_add_u16" = binary(a, b) -> u16 { a + b }
    "v_sub_u16" = binary(a, b) -> u16 { a - b }
    "v_subrev_u16" = binary(a, b) -> u16 { b - a }
    "v_add_nc_u16" = binary(a, b) -> u16 { a + b }
    "v_sub_nc_u16" = binary(a, b) -> u16 { a - b }
    "v_add_i16" = binary_keeping(a, b) -> i16 { a + b }
    "v_sub_i16" = binary_keeping(a, b) -> i16 { a - b }
    "v_add_nc_i16" = binary(a, b) -> i16 { a + b }
    "v_sub_nc_i16" = binary(a, b) -> i16 { a - b }
    "v_mad_u16" = ternary_keeping(a, b, c) -> u16 { a * b + c }
    "v_mad_i16" = ternary_keeping(a, b, c) -> i16 { a * b + c }
    "v_mad_legacy_u16" = ternary(a, b, c) -> u16 { a * b + c }
    "v_mad_legacy_i16" = ternary(a, b, c) -> i16 { a * b + c }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::isa::element::Kind::B16;
    use crate::isa::testing::{Bench, Reference, check};

    fn signed(bits: u64) -> i64 {
        i64::from(bits as u16 as i16)
    }

    /// The number that 16 bits stand for, by subtracting the weight of the sign.
    fn number(bits: u64, is_signed: bool) -> i128 {
        let bits = i128::from(bits & 0xffff);
        if is_signed && bits >= 0x8000 { bits - 0x1_0000 } else { bits }
    }

    fn is_signed(name: &str) -> bool {
        name.contains("_i16")
    }

    fn text(name: &str, count: usize) -> String {
        format!("{name} {}", ["{d}", "{0}", "{1}", "{2}"][..=count].join(", "))
    }

    /// Which processors have it, of one per generation.
    fn processors(name: &str) -> &'static [&'static str] {
        match name {
            _ if name.contains("_nc_") => &["gfx1030", "gfx1100", "gfx1201"],
            "v_and_b16" | "v_or_b16" | "v_xor_b16" | "v_not_b16" => &["gfx1100", "gfx1201"],
            _ if name.contains("legacy") => &["gfx906", "gfx942"],
            "v_add_u16" | "v_sub_u16" | "v_subrev_u16" | "v_add_i16" | "v_sub_i16" => &["gfx906", "gfx942"],
            _ => &["gfx906", "gfx1030", "gfx1100", "gfx1201"],
        }
    }

    fn arithmetic(name: &str, count: usize, f: impl Fn(&[i128]) -> i128) {
        let numbers =
            |v: &[u64]| -> Vec<i128> { v.iter().map(|&bits| number(bits, is_signed(name))).collect() };
        for processor in processors(name) {
            check(processor, &text(name, count), &[B16; 3][..count], B16, |v| {
                f(&numbers(v)).rem_euclid(0x1_0000) as u64
            });
        }
    }

    fn saturating(name: &str, count: usize, f: impl Fn(&[i128]) -> i128 + Copy) {
        arithmetic(name, count, f);
        let (least, most) = if is_signed(name) { (-0x8000, 0x7fff) } else { (0, 0xffff) };
        for processor in processors(name) {
            check(processor, &format!("{} clamp", text(name, count)), &[B16; 3][..count], B16, |v| {
                let numbers: Vec<i128> = v.iter().map(|&bits| number(bits, is_signed(name))).collect();
                f(&numbers).max(least).min(most).rem_euclid(0x1_0000) as u64
            });
        }
    }

    fn bits(name: &str, count: usize, f: impl Fn(&[u64]) -> u64) {
        for processor in processors(name) {
            check(processor, &text(name, count), &[B16; 3][..count], B16, &f);
        }
    }

    fn middle(v: &[i128]) -> i128 {
        let mut sorted = v[..3].to_vec();
        sorted.sort_unstable();
        sorted[1]
    }

    macro_rules! references {
        ($($name:literal: $check:expr;)*) => {
            pub(crate) const REFERENCES: &[Reference] = &[$(Reference { name: $name, check: $check }),*];
        };
    }

    references! {
        "v_mul_lo_u16": |name| arithmetic(name, 2, |v| v[0] * v[1]);
        "v_min_u16": |name| arithmetic(name, 2, |v| v[0].min(v[1]));
        "v_max_u16": |name| arithmetic(name, 2, |v| v[0].max(v[1]));
        "v_min_i16": |name| arithmetic(name, 2, |v| v[0].min(v[1]));
        "v_max_i16": |name| arithmetic(name, 2, |v| v[0].max(v[1]));
        "v_min3_u16": |name| arithmetic(name, 3, |v| *v[..3].iter().min().unwrap());
        "v_max3_u16": |name| arithmetic(name, 3, |v| *v[..3].iter().max().unwrap());
        "v_med3_u16": |name| arithmetic(name, 3, middle);
        "v_min3_i16": |name| arithmetic(name, 3, |v| *v[..3].iter().min().unwrap());
        "v_max3_i16": |name| arithmetic(name, 3, |v| *v[..3].iter().max().unwrap());
        "v_med3_i16": |name| arithmetic(name, 3, middle);
        "v_lshlrev_b16": |name| bits(name, 2, |v| (v[1] * (1 << (v[0] % 16))) & 0xffff);
        "v_lshrrev_b16": |name| bits(name, 2, |v| (v[1] & 0xffff) / (1 << (v[0] % 16)));
        "v_ashrrev_i16": |name| bits(name, 2, |v| signed(v[1]).div_euclid(1 << (v[0] % 16)) as u64 & 0xffff);
        "v_and_b16": |name| bits(name, 2, |v| bitwise(v, |a, b| a * b));
        "v_or_b16": |name| bits(name, 2, |v| bitwise(v, u64::max));
        "v_xor_b16": |name| bits(name, 2, |v| bitwise(v, u64::abs_diff));
        "v_not_b16": |name| bits(name, 1, |v| 0xffff - (v[0] & 0xffff));
        "v_add_u16": |name| saturating(name, 2, |v| v[0] + v[1]);
        "v_sub_u16": |name| saturating(name, 2, |v| v[0] - v[1]);
        "v_subrev_u16": |name| saturating(name, 2, |v| v[1] - v[0]);
        "v_add_nc_u16": |name| saturating(name, 2, |v| v[0] + v[1]);
        "v_sub_nc_u16": |name| saturating(name, 2, |v| v[0] - v[1]);
        "v_add_i16": |name| saturating(name, 2, |v| v[0] + v[1]);
        "v_sub_i16": |name| saturating(name, 2, |v| v[0] - v[1]);
        "v_add_nc_i16": |name| saturating(name, 2, |v| v[0] + v[1]);
        "v_sub_nc_i16": |name| saturating(name, 2, |v| v[0] - v[1]);
        "v_mad_u16": |name| saturating(name, 3, |v| v[0] * v[1] + v[2]);
        "v_mad_i16": |name| saturating(name, 3, |v| v[0] * v[1] + v[2]);
        "v_mad_legacy_u16": |name| saturating(name, 3, |v| v[0] * v[1] + v[2]);
        "v_mad_legacy_i16": |name| saturating(name, 3, |v| v[0] * v[1] + v[2]);
    }

    fn bitwise(v: &[u64], f: impl Fn(u64, u64) -> u64) -> u64 {
        (0..16).map(|bit| f(v[0] >> bit & 1, v[1] >> bit & 1) << bit).sum()
    }

    #[test]
    fn halves_of_registers() {
        for (processor, line, expected) in [
            ("gfx906", "v_add_u16_e32 v0, v1, v2", 0x0000_3333),
            ("gfx906", "v_mad_legacy_u16 v0, v1, 1, v2", 0x0000_3333),
            ("gfx906", "v_mad_u16 v0, v1, 1, v2", 0x0bad_3333),
            ("gfx1030", "v_add_nc_u16 v0, v1, v2", 0x0bad_3333),
            ("gfx1030", "v_add_nc_u16 v0, v1, v2 op_sel:[1,0,1]", 0x6666_5678),
            ("gfx1100", "v_add_nc_u16 v0.h, v1.h, v2.l op_sel:[1,0,1]", 0x6666_5678),
            ("gfx1100", "v_xor_b16 v0.l, v1.h, -1 op_sel:[1,0,0]", 0x0bad_bbbb),
            ("gfx1100", "v_and_b16 v0.h, 0xff, v1.l op_sel:[0,0,1]", 0x0011_5678),
            ("gfx1201", "v_max_i16 v0, v1, v2", 0x0bad_2222),
        ] {
            let mut bench = Bench::new(processor);
            bench.set(0, |_| 0x0bad_5678);
            bench.set(1, |_| 0x4444_1111);
            bench.set(2, |_| 0x8888_2222);
            bench.run(line);
            assert_eq!(bench.get(0)[9], expected, "{processor}: {line}");
        }
    }
}
