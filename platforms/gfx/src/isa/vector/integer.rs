//! Arithmetic of 32-bit and 64-bit integers (RDNA3 ISA guide, sections 16.7 "VOP2" and 16.12 "VOP3").

use crate::assembly::{Decoded, Statement};
use crate::isa::element::Element;
use crate::isa::lanes::{self, vector_forms};
use crate::isa::{Execute, Form};
use crate::target::Target;

/// What wraps around, or saturates with `clamp`.
pub(crate) const SUMS: &[Form] = &[
    // gfx9
    Form { name: "v_add_u32", decode: |s, t| sum(s, t, u32::wrapping_add, u32::saturating_add) },
    Form { name: "v_sub_u32", decode: |s, t| sum(s, t, u32::wrapping_sub, u32::saturating_sub) },
    Form {
        name: "v_subrev_u32",
        decode: |s, t| sum(s, t, |a: u32, b: u32| b.wrapping_sub(a), |a: u32, b: u32| b.saturating_sub(a)),
    },
    Form { name: "v_add_i32", decode: |s, t| sum(s, t, i32::wrapping_add, i32::saturating_add) },
    Form { name: "v_sub_i32", decode: |s, t| sum(s, t, i32::wrapping_sub, i32::saturating_sub) },
    // gfx10 and newer
    Form { name: "v_add_nc_u32", decode: |s, t| sum(s, t, u32::wrapping_add, u32::saturating_add) },
    Form { name: "v_sub_nc_u32", decode: |s, t| sum(s, t, u32::wrapping_sub, u32::saturating_sub) },
    Form {
        name: "v_subrev_nc_u32",
        decode: |s, t| sum(s, t, |a: u32, b: u32| b.wrapping_sub(a), |a: u32, b: u32| b.saturating_sub(a)),
    },
    Form { name: "v_add_nc_i32", decode: |s, t| sum(s, t, i32::wrapping_add, i32::saturating_add) },
    Form { name: "v_sub_nc_i32", decode: |s, t| sum(s, t, i32::wrapping_sub, i32::saturating_sub) },
];

fn sum<T: Element<Word = u32>>(
    statement: &mut Statement,
    target: &Target,
    wraps: impl Fn(T, T) -> T + Copy + Send + Sync + 'static,
    saturates: impl Fn(T, T) -> T + Copy + Send + Sync + 'static,
) -> Decoded<Execute> {
    if statement.take_flag("clamp") {
        lanes::binary(statement, target, saturates)
    } else {
        lanes::binary(statement, target, wraps)
    }
}

/// The lower 24 bits.
#[inline(always)]
fn u24(bits: u32) -> u32 {
    bits & 0xff_ffff
}

/// The lower 24 bits, as a signed number.
#[inline(always)]
fn i24(bits: u32) -> i32 {
    (bits << 8) as i32 >> 8
}

/// The sum of what `f` gives for each byte of two registers.
#[inline(always)]
fn bytes(a: u32, b: u32, f: impl Fn(u32, u32) -> u32) -> u32 {
    let byte = |at: u32| f(a >> at & 0xff, b >> at & 0xff);
    byte(0) + byte(8) + byte(16) + byte(24)
}

vector_forms! {
    FORMS:
    "v_mul_lo_u32" = binary(a: u32, b: u32) -> u32 { a.wrapping_mul(b) }
    "v_mul_hi_u32" = binary(a: u32, b: u32) -> u32 { ((u64::from(a) * u64::from(b)) >> 32) as u32 }
    "v_mul_hi_i32" = binary(a: i32, b: i32) -> i32 { ((i64::from(a) * i64::from(b)) >> 32) as i32 }
    "v_mul_u32_u24" = binary(a: u32, b: u32) -> u32 { u24(a).wrapping_mul(u24(b)) }
    "v_mul_i32_i24" = binary(a: u32, b: u32) -> i32 { i24(a).wrapping_mul(i24(b)) }
    "v_mul_hi_u32_u24" = binary(a: u32, b: u32) -> u32 { ((u64::from(u24(a)) * u64::from(u24(b))) >> 32) as u32 }
    "v_mul_hi_i32_i24" = binary(a: u32, b: u32) -> u32 { ((i64::from(i24(a)) * i64::from(i24(b))) >> 32) as u32 }
    "v_mad_u32_u24" = ternary(a: u32, b: u32, c: u32) -> u32 { u24(a).wrapping_mul(u24(b)).wrapping_add(c) }
    "v_mad_i32_i24" = ternary(a: u32, b: u32, c: i32) -> i32 { i24(a).wrapping_mul(i24(b)).wrapping_add(c) }
    "v_mad_u32_u16" = ternary(a: u16, b: u16, c: u32) -> u32 { (u32::from(a) * u32::from(b)).wrapping_add(c) }
    "v_mad_i32_i16" = ternary(a: i16, b: i16, c: i32) -> i32 { (i32::from(a) * i32::from(b)).wrapping_add(c) }
    "v_add3_u32" = ternary(a: u32, b: u32, c: u32) -> u32 { a.wrapping_add(b).wrapping_add(c) }
    "v_lshl_add_u32" = ternary(a: u32, b: u32, c: u32) -> u32 { a.wrapping_shl(b).wrapping_add(c) }
    "v_add_lshl_u32" = ternary(a: u32, b: u32, c: u32) -> u32 { a.wrapping_add(b).wrapping_shl(c) }
    "v_xad_u32" = ternary(a: u32, b: u32, c: u32) -> u32 { (a ^ b).wrapping_add(c) }
    "v_lshl_add_u64" = ternary(a: u64, b: u32, c: u64) -> u64 { (a << (b & 7)).wrapping_add(c) }
    "v_min_u32" = binary(a: u32, b: u32) -> u32 { a.min(b) }
    "v_min_i32" = binary(a: i32, b: i32) -> i32 { a.min(b) }
    "v_max_u32" = binary(a: u32, b: u32) -> u32 { a.max(b) }
    "v_max_i32" = binary(a: i32, b: i32) -> i32 { a.max(b) }
    "v_min3_u32" = ternary(a: u32, b: u32, c: u32) -> u32 { a.min(b).min(c) }
    "v_min3_i32" = ternary(a: i32, b: i32, c: i32) -> i32 { a.min(b).min(c) }
    "v_max3_u32" = ternary(a: u32, b: u32, c: u32) -> u32 { a.max(b).max(c) }
    "v_max3_i32" = ternary(a: i32, b: i32, c: i32) -> i32 { a.max(b).max(c) }
    "v_med3_u32" = ternary(a: u32, b: u32, c: u32) -> u32 { a.min(b).max(a.max(b).min(c)) }
    "v_med3_i32" = ternary(a: i32, b: i32, c: i32) -> i32 { a.min(b).max(a.max(b).min(c)) }
    "v_minmax_u32" = ternary(a: u32, b: u32, c: u32) -> u32 { a.min(b).max(c) }
    "v_minmax_i32" = ternary(a: i32, b: i32, c: i32) -> i32 { a.min(b).max(c) }
    "v_maxmin_u32" = ternary(a: u32, b: u32, c: u32) -> u32 { a.max(b).min(c) }
    "v_maxmin_i32" = ternary(a: i32, b: i32, c: i32) -> i32 { a.max(b).min(c) }
    "v_sad_u8" = ternary(a: u32, b: u32, c: u32) -> u32 { bytes(a, b, u32::abs_diff).wrapping_add(c) }
    "v_sad_hi_u8" = ternary(a: u32, b: u32, c: u32) -> u32 { (bytes(a, b, u32::abs_diff) << 16).wrapping_add(c) }
    "v_sad_u16" = ternary(a: u32, b: u32, c: u32) -> u32 {
        (a & 0xffff).abs_diff(b & 0xffff).wrapping_add((a >> 16).abs_diff(b >> 16)).wrapping_add(c)
    }
    "v_sad_u32" = ternary(a: u32, b: u32, c: u32) -> u32 { a.abs_diff(b).wrapping_add(c) }
    // Bytes that are 0 in the second operand do not count.
    "v_msad_u8" = ternary(a: u32, b: u32, c: u32) -> u32 {
        bytes(a, b, |a, b| if b == 0 { 0 } else { a.abs_diff(b) }).wrapping_add(c)
    }
    // Averages, which the lowest bit of each byte of the third operand rounds up.
    "v_lerp_u8" = ternary(a: u32, b: u32, c: u32) -> u32 {
        (a & b).wrapping_add(((a ^ b) & 0xfefe_fefe) >> 1).wrapping_add((a ^ b) & c & 0x0101_0101)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::assembly::DecodeError;
    use crate::isa::element::Kind::{B16, B32, B64};
    use crate::isa::testing::{Bench, Reference, check};

    /// References of instructions of vector registers alone: processors, kinds of operands and result, and what the instruction does
    /// to operands that are integers of 128 bits without a sign.
    macro_rules! references {
        ($($name:literal on $processors:tt ($($kind:ident),+) -> $result:ident $(, $modifier:literal)?: $f:expr;)*) => {
            &[$($crate::isa::testing::Reference {
                name: $name,
                check: |name| for processor in $processors {
                    let kinds = [$($kind),+];
                    let sources: Vec<String> = (0..kinds.len()).map(|at| format!("{{{at}}}")).collect();
                    let text = format!("{name} {{d}}, {}", sources.join(", "));
                    $crate::isa::testing::check(processor, &text, &kinds, $result, |bits| {
                        let wide: Vec<i128> = bits.iter().map(|&bits| i128::from(bits)).collect();
                        let result: i128 = ($f)(&wide);
                        // Two's complement of any size.
                        if $result.words() == 2 { result as u64 } else { u64::from(result as u32) }
                    });
                },
            }),*]
        };
    }
    pub(crate) use references;

    /// The signed number that the lower bits are.
    pub(crate) fn signed(value: i128, bits: u32) -> i128 {
        let rest = value.rem_euclid(1 << bits);
        if rest >= 1 << (bits - 1) { rest - (1 << bits) } else { rest }
    }

    fn unsigned(value: i128, bits: u32) -> i128 {
        value.rem_euclid(1 << bits)
    }

    fn i32s(values: &[i128]) -> [i128; 3] {
        std::array::from_fn(|at| signed(values[at], 32))
    }

    /// The operands in order.
    fn sorted(mut values: [i128; 3]) -> [i128; 3] {
        values.sort_unstable();
        values
    }

    fn first_three(values: &[i128]) -> [i128; 3] {
        [values[0], values[1], values[2]]
    }

    fn clamped(value: i128, least: i128, most: i128) -> i128 {
        if value < least {
            least
        } else if value > most {
            most
        } else {
            value
        }
    }

    fn distance(a: u8, b: u8) -> i128 {
        (i128::from(a) - i128::from(b)).abs()
    }

    /// The bytes of an operand, lowest first.
    fn bytes(value: i128) -> [u8; 4] {
        (value as u32).to_le_bytes()
    }

    fn distances(v: &[i128]) -> i128 {
        bytes(v[0]).into_iter().zip(bytes(v[1])).map(|(a, b)| distance(a, b)).sum()
    }

    const OLD: [&str; 2] = ["gfx906", "gfx90a"];
    const NEW: [&str; 3] = ["gfx1030", "gfx1100", "gfx1201"];
    const BOTH: [&str; 2] = ["gfx906", "gfx1201"];

    pub(crate) const REFERENCES: &[Reference] = references! {
        "v_add_u32" on OLD (B32, B32) -> B32: |v: &[i128]| v[0] + v[1];
        "v_sub_u32" on OLD (B32, B32) -> B32: |v: &[i128]| v[0] - v[1];
        "v_subrev_u32" on OLD (B32, B32) -> B32: |v: &[i128]| v[1] - v[0];
        "v_add_i32" on OLD (B32, B32) -> B32: |v: &[i128]| v[0] + v[1];
        "v_sub_i32" on OLD (B32, B32) -> B32: |v: &[i128]| v[0] - v[1];
        "v_add_nc_u32" on NEW (B32, B32) -> B32: |v: &[i128]| v[0] + v[1];
        "v_sub_nc_u32" on NEW (B32, B32) -> B32: |v: &[i128]| v[0] - v[1];
        "v_subrev_nc_u32" on NEW (B32, B32) -> B32: |v: &[i128]| v[1] - v[0];
        "v_add_nc_i32" on NEW (B32, B32) -> B32: |v: &[i128]| v[0] + v[1];
        "v_sub_nc_i32" on NEW (B32, B32) -> B32: |v: &[i128]| v[0] - v[1];
        "v_mul_lo_u32" on BOTH (B32, B32) -> B32: |v: &[i128]| v[0] * v[1];
        "v_mul_hi_u32" on BOTH (B32, B32) -> B32: |v: &[i128]| (v[0] * v[1]) >> 32;
        "v_mul_hi_i32" on BOTH (B32, B32) -> B32: |v: &[i128]| (signed(v[0], 32) * signed(v[1], 32)) >> 32;
        "v_mul_u32_u24" on BOTH (B32, B32) -> B32: |v: &[i128]| unsigned(v[0], 24) * unsigned(v[1], 24);
        "v_mul_i32_i24" on BOTH (B32, B32) -> B32: |v: &[i128]| signed(v[0], 24) * signed(v[1], 24);
        "v_mul_hi_u32_u24" on BOTH (B32, B32) -> B32: |v: &[i128]| (unsigned(v[0], 24) * unsigned(v[1], 24)) >> 32;
        "v_mul_hi_i32_i24" on BOTH (B32, B32) -> B32: |v: &[i128]| (signed(v[0], 24) * signed(v[1], 24)) >> 32;
        "v_mad_u32_u24" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| unsigned(v[0], 24) * unsigned(v[1], 24) + v[2];
        "v_mad_i32_i24" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| signed(v[0], 24) * signed(v[1], 24) + v[2];
        "v_mad_u32_u16" on BOTH (B16, B16, B32) -> B32: |v: &[i128]| v[0] * v[1] + v[2];
        "v_mad_i32_i16" on BOTH (B16, B16, B32) -> B32: |v: &[i128]| signed(v[0], 16) * signed(v[1], 16) + v[2];
        "v_add3_u32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| v[0] + v[1] + v[2];
        "v_lshl_add_u32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| (v[0] << (v[1] % 32)) + v[2];
        "v_add_lshl_u32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| (v[0] + v[1]) << (v[2] % 32);
        "v_xad_u32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| v[0] + v[1] - 2 * (v[0] & v[1]) + v[2];
        "v_lshl_add_u64" on ["gfx942"] (B64, B32, B64) -> B64: |v: &[i128]| v[0] * [1, 2, 4, 8, 16, 32, 64, 128][v[1] as usize % 8] + v[2];
        "v_min_u32" on BOTH (B32, B32) -> B32: |v: &[i128]| if v[1] < v[0] { v[1] } else { v[0] };
        "v_min_i32" on BOTH (B32, B32) -> B32: |v: &[i128]| if signed(v[1] - v[0], 33) < 0 && v[0] >> 31 == v[1] >> 31 || v[1] >> 31 > v[0] >> 31 { v[1] } else { v[0] };
        "v_max_u32" on BOTH (B32, B32) -> B32: |v: &[i128]| if v[1] > v[0] { v[1] } else { v[0] };
        "v_max_i32" on BOTH (B32, B32) -> B32: |v: &[i128]| if signed(v[1], 32) > signed(v[0], 32) { v[1] } else { v[0] };
        "v_min3_u32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| sorted(first_three(v))[0];
        "v_min3_i32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| sorted(i32s(v))[0];
        "v_max3_u32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| sorted(first_three(v))[2];
        "v_max3_i32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| sorted(i32s(v))[2];
        "v_med3_u32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| sorted(first_three(v))[1];
        "v_med3_i32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| sorted(i32s(v))[1];
        "v_minmax_u32" on ["gfx1100"] (B32, B32, B32) -> B32: |v: &[i128]| {
            let least = if v[0] < v[1] { v[0] } else { v[1] };
            if least > v[2] { least } else { v[2] }
        };
        "v_minmax_i32" on ["gfx1201"] (B32, B32, B32) -> B32: |v: &[i128]| {
            let [a, b, c] = i32s(v);
            if a > c && b > c { if a < b { a } else { b } } else { c }
        };
        "v_maxmin_u32" on ["gfx1100"] (B32, B32, B32) -> B32: |v: &[i128]| {
            let most = if v[0] > v[1] { v[0] } else { v[1] };
            if most < v[2] { most } else { v[2] }
        };
        "v_maxmin_i32" on ["gfx1201"] (B32, B32, B32) -> B32: |v: &[i128]| {
            let [a, b, c] = i32s(v);
            if a < c && b < c { if a > b { a } else { b } } else { c }
        };
        "v_sad_u8" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| distances(v) + v[2];
        "v_sad_hi_u8" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| distances(v) * 65536 + v[2];
        "v_sad_u16" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| {
            (v[0] % 65536 - v[1] % 65536).abs() + (v[0] / 65536 - v[1] / 65536).abs() + v[2]
        };
        "v_sad_u32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| (v[0] - v[1]).abs() + v[2];
        "v_msad_u8" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| {
            let pairs = bytes(v[0]).into_iter().zip(bytes(v[1]));
            pairs.filter(|pair| pair.1 != 0).map(|(a, b)| distance(a, b)).sum::<i128>() + v[2]
        };
        "v_lerp_u8" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| {
            let [a, b, c] = first_three(v).map(bytes);
            let mean = |at: usize| (u32::from(a[at]) + u32::from(b[at]) + u32::from(c[at] % 2)) / 2;
            i128::from(u32::from_le_bytes([0, 1, 2, 3].map(|at| mean(at) as u8)))
        };
    };

    #[test]
    fn clamp_saturates() {
        let i32_range = (i128::from(i32::MIN), i128::from(i32::MAX));
        let u32_range = (0, i128::from(u32::MAX));
        for (processor, name, sign, range) in [
            ("gfx906", "v_add_u32", 1, u32_range),
            ("gfx906", "v_sub_u32", -1, u32_range),
            ("gfx906", "v_add_i32", 1, i32_range),
            ("gfx906", "v_sub_i32", -1, i32_range),
            ("gfx1100", "v_add_nc_u32", 1, u32_range),
            ("gfx1100", "v_sub_nc_u32", -1, u32_range),
            ("gfx1100", "v_add_nc_i32", 1, i32_range),
            ("gfx1100", "v_sub_nc_i32", -1, i32_range),
        ] {
            check(processor, &format!("{name} {{d}}, {{0}}, {{1}} clamp"), &[B32, B32], B32, |v| {
                let number = |bits: u64| if range.0 < 0 { signed(bits.into(), 32) } else { i128::from(bits) };
                clamped(number(v[0]) + sign * number(v[1]), range.0, range.1) as u32 as u64
            });
        }
        for (processor, name) in [("gfx906", "v_subrev_u32"), ("gfx1100", "v_subrev_nc_u32")] {
            check(processor, &format!("{name}_e64 {{d}}, {{0}}, {{1}} clamp"), &[B32, B32], B32, |v| {
                v[1].saturating_sub(v[0])
            });
        }
        let refusal = Bench::new("gfx906").refusal("v_mul_lo_u32 v0, v1, v2 clamp");
        assert_eq!(refusal, DecodeError::Modifier("clamp".to_owned()));
    }

    #[test]
    fn scalars_and_constants() {
        let mut bench = Bench::new("gfx1100");
        bench.set(1, |lane| lane as u32);
        bench.wave.set_scalar(5, 1000);
        bench.run("v_mad_u32_u24 v2, v1, s5, 0xff000003");
        bench.run("v_add3_u32 v3, v1, -8, 1.0");
        assert_eq!(bench.get(2)[7], 7000 + 0xff00_0003);
        assert_eq!(bench.get(3)[7], 0x3f80_0000 - 1);
    }

    #[test]
    fn halves_of_products() {
        let mut bench = Bench::new("gfx1030");
        bench.set(1, |_| 0x0003_0005);
        bench.set(2, |_| 0x0007_000b);
        bench.set(3, |_| 1);
        bench.run("v_mad_u32_u16 v0, v1, v2, v3 op_sel:[1,0,0,0]");
        assert_eq!(bench.get(0)[0], 3 * 11 + 1);
    }
}
