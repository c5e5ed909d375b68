//! Bits of 32-bit and 64-bit integers: logic, shifts, fields, counts (RDNA3 ISA guide, sections 16.7 "VOP2", 16.8 "VOP1", 16.12
//! "VOP3").

use crate::assembly::{DecodeError, Decoded, Statement};
use crate::fault::Step;
use crate::isa::element::{Element, Kind};
use crate::isa::lanes::{Lanes, ternary_of, vector_forms};
use crate::isa::source::Spare;
use crate::isa::{Execute, Form};
use crate::machine::wave::{LANES, Row, Wave};
use crate::target::Target;

vector_forms! {
    FORMS:
    "v_and_b32" = binary(a: u32, b: u32) -> u32 { a & b }
    "v_or_b32" = binary(a: u32, b: u32) -> u32 { a | b }
    "v_xor_b32" = binary(a: u32, b: u32) -> u32 { a ^ b }
    "v_xnor_b32" = binary(a: u32, b: u32) -> u32 { !(a ^ b) }
    "v_not_b32" = unary(a: u32) -> u32 { !a }
    "v_and_or_b32" = ternary(a: u32, b: u32, c: u32) -> u32 { a & b | c }
    "v_or3_b32" = ternary(a: u32, b: u32, c: u32) -> u32 { a | b | c }
    "v_xor3_b32" = ternary(a: u32, b: u32, c: u32) -> u32 { a ^ b ^ c }
    "v_lshl_or_b32" = ternary(a: u32, b: u32, c: u32) -> u32 { a.wrapping_shl(b) | c }
    "v_lshlrev_b32" = binary(a: u32, b: u32) -> u32 { b.wrapping_shl(a) }
    "v_lshrrev_b32" = binary(a: u32, b: u32) -> u32 { b.wrapping_shr(a) }
    "v_ashrrev_i32" = binary(a: u32, b: i32) -> i32 { b.wrapping_shr(a) }
    "v_lshlrev_b64" = binary(a: u32, b: u64) -> u64 { b.wrapping_shl(a) }
    "v_lshrrev_b64" = binary(a: u32, b: u64) -> u64 { b.wrapping_shr(a) }
    "v_ashrrev_i64" = binary(a: u32, b: i64) -> i64 { b.wrapping_shr(a) }
    "v_bfe_u32" = ternary(a: u32, b: u32, c: u32) -> u32 { a.wrapping_shr(b) & low_bits(c) }
    "v_bfe_i32" = ternary(a: i32, b: u32, c: u32) -> u32 {
        let field = a.wrapping_shr(b) as u32 & low_bits(c);
        let sign = (low_bits(c) >> 1) + 1;
        // A field of no bits is 0, though its sign would be bit 0.
        (field ^ sign).wrapping_sub(sign) & if c & 31 == 0 { 0 } else { u32::MAX }
    }
    "v_bfi_b32" = ternary(a: u32, b: u32, c: u32) -> u32 { a & b | !a & c }
    "v_bfm_b32" = binary(a: u32, b: u32) -> u32 { low_bits(a).wrapping_shl(b) }
    // Only 5 bits of the third operand count; from gfx11 on it is half a register.
    "v_alignbit_b32" = ternary(a: u32, b: u32, c: u16) -> u32 { joined(a, b).wrapping_shr(u32::from(c) & 31) as u32 }
    "v_alignbyte_b32" = ternary(a: u32, b: u32, c: u16) -> u32 { joined(a, b).wrapping_shr((u32::from(c) * 8) & 31) as u32 }
    "v_perm_b32" = ternary(a: u32, b: u32, c: u32) -> u32 {
        let byte = |at: u32| permuted(a, b, c >> at & 0xff) << at;
        byte(0) | byte(8) | byte(16) | byte(24)
    }
    "v_bfrev_b32" = unary(a: u32) -> u32 { a.reverse_bits() }
    "v_ffbh_u32" = unary(a: u32) -> u32 { first_one(a.leading_zeros(), a) }
    "v_clz_i32_u32" = unary(a: u32) -> u32 { first_one(a.leading_zeros(), a) }
    "v_ffbl_b32" = unary(a: u32) -> u32 { first_one(a.trailing_zeros(), a) }
    "v_ctz_i32_b32" = unary(a: u32) -> u32 { first_one(a.trailing_zeros(), a) }
    "v_ffbh_i32" = unary(a: i32) -> u32 { first_unlike_sign(a) }
    "v_cls_i32" = unary(a: i32) -> u32 { first_unlike_sign(a) }
    "v_bcnt_u32_b32" = binary(a: u32, b: u32) -> u32 { a.count_ones().wrapping_add(b) }
}

/// As many ones as the lower 5 bits say.
#[inline(always)]
fn low_bits(count: u32) -> u32 {
    1_u32.wrapping_shl(count).wrapping_sub(1)
}

#[inline(always)]
fn joined(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// What one byte of `v_perm_b32`'s third operand selects: a byte, the sign of half a register, or a constant.
#[inline(always)]
fn permuted(high: u32, low: u32, selector: u32) -> u32 {
    let pick = |bit: u32, one: u32, zero: u32| if selector & bit != 0 { one } else { zero };
    let byte = pick(4, high, low) >> (8 * (selector & 3)) & 0xff;
    let sign = (pick(2, high, low) << pick(1, 0, 16)) as i32 >> 31;
    let other = if selector < 12 { sign as u32 & 0xff } else { 0xff };
    let other = if selector == 12 { 0 } else { other };
    if selector < 8 { byte } else { other }
}

/// The number of a bit that is 1, or -1 if none is.
#[inline(always)]
fn first_one(position: u32, bits: u32) -> u32 {
    if bits == 0 { u32::MAX } else { position }
}

/// How many upper bits are like the sign, or -1 if all are.
#[inline(always)]
fn first_unlike_sign(value: i32) -> u32 {
    let unlike = (value ^ value >> 31) as u32;
    first_one(unlike.leading_zeros(), unlike)
}

/// What takes more than a function of a lane's operands.
pub(crate) const OTHERS: &[Form] = &[
    Form { name: "v_mbcnt_lo_u32_b32", decode: |statement, target| count_before(statement, target, 0) },
    Form { name: "v_mbcnt_hi_u32_b32", decode: |statement, target| count_before(statement, target, 32) },
    Form { name: "v_bitop3_b32", decode: any_logic::<u32> },
    Form { name: "v_bitop3_b16", decode: any_logic::<u16> },
];

/// How many bits of a mask are 1 for lanes before one's own; `first` is the lane of the mask's bit 0.
fn count_before(statement: &mut Statement, target: &Target, first: u32) -> Decoded<Execute> {
    let lanes = Lanes::decode(statement, target, Kind::B32, [Kind::B32; 2])?;
    let before: Row = std::array::from_fn(|lane| (((1_u64 << lane) - 1) >> first) as u32);
    // SAFETY: `crate::unavailable` refuses CPUs without these features.
    Ok(Box::new(move |wave, _| unsafe { run_count(wave, &lanes, &before) }))
}

#[target_feature(enable = "avx2,fma,f16c")]
fn run_count(wave: &mut Wave, lanes: &Lanes<2>, before: &Row) -> Step {
    let mask = lanes.mask(wave);
    let (mut first, mut second, mut out) = (Spare::uninit(), Spare::uninit(), [0; LANES]);
    let a = lanes.sources[0].row(wave, mask, &mut first)?;
    let b = lanes.sources[1].row(wave, mask, &mut second)?;
    for lane in 0..LANES {
        out[lane] = (a[lane] & before[lane]).count_ones().wrapping_add(b[lane]);
    }
    lanes.destination.write(wave, &mut out, mask)
}

/// Any function of three bits, whose table `bitop3` is (gfx950).
fn any_logic<T: Element<Word = u32>>(statement: &mut Statement, target: &Target) -> Decoded<Execute> {
    let table = match statement.take_number("bitop3")? {
        None => 0,
        Some(table @ 0..256) => table,
        Some(table) => return Err(DecodeError::Modifier(format!("bitop3:{table}"))),
    };
    let entries: [u32; 8] = std::array::from_fn(|at| (table as u32 >> at & 1).wrapping_neg());
    let mut lanes = Lanes::decode(statement, target, T::KIND, [T::KIND; 3])?;
    lanes.destination.keep_upper();
    Ok(ternary_of(lanes, move |a: T, b: T, c: T| T::of(looked_up(&entries, a.word(), b.word(), c.word()))))
}

/// The entry of a table for each bit; the first operand is the upper bit of the index.
#[inline(always)]
fn looked_up(entries: &[u32; 8], a: u32, b: u32, c: u32) -> u32 {
    let select = |bits: u32, zero: u32, one: u32| zero & !bits | one & bits;
    let pair = |at: usize| select(c, entries[at], entries[at + 1]);
    select(a, select(b, pair(0), pair(2)), select(b, pair(4), pair(6)))
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::isa::element::Kind::{B16, B32, B64};
    use crate::isa::testing::{Bench, Reference, check};
    use crate::isa::vector::integer::tests::{references, signed};

    /// Bit by bit: bit `at` of the result from bits `at` of the operands.
    fn logic(values: &[i128], f: impl Fn(&[bool]) -> bool) -> i128 {
        (0..32)
            .map(|at| {
                let bits: Vec<bool> = values.iter().map(|value| value / (1 << at) % 2 == 1).collect();
                if f(&bits) { 1 << at } else { 0 }
            })
            .sum()
    }

    fn bit(value: i128, at: i128) -> i128 {
        if at < 128 { value / (1 << at) % 2 } else { 0 }
    }

    /// The sum of `bit(at) << at`.
    fn bits(f: impl Fn(i128) -> i128) -> i128 {
        (0..32).map(|at| f(at) * (1 << at)).sum()
    }

    fn power(exponent: i128) -> i128 {
        (0..exponent).fold(1, |power, _| power * 2)
    }

    fn ones(value: i128) -> i128 {
        (0..32).map(|at| bit(value, at)).sum()
    }

    const BOTH: [&str; 2] = ["gfx906", "gfx1201"];
    const OLD: [&str; 2] = ["gfx906", "gfx1030"];
    const NEW: [&str; 2] = ["gfx1100", "gfx1201"];

    pub(crate) const REFERENCES: &[Reference] = references! {
        "v_and_b32" on BOTH (B32, B32) -> B32: |v: &[i128]| logic(v, |b| b[0] && b[1]);
        "v_or_b32" on BOTH (B32, B32) -> B32: |v: &[i128]| logic(v, |b| b[0] || b[1]);
        "v_xor_b32" on BOTH (B32, B32) -> B32: |v: &[i128]| logic(v, |b| b[0] != b[1]);
        "v_xnor_b32" on BOTH (B32, B32) -> B32: |v: &[i128]| logic(v, |b| b[0] == b[1]);
        "v_not_b32" on BOTH (B32) -> B32: |v: &[i128]| logic(v, |b| !b[0]);
        "v_and_or_b32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| logic(v, |b| (b[0] && b[1]) || b[2]);
        "v_or3_b32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| logic(v, |b| b[0] || b[1] || b[2]);
        "v_xor3_b32" on ["gfx1030", "gfx1201"] (B32, B32, B32) -> B32: |v: &[i128]| logic(v, |b| (b[0] != b[1]) != b[2]);
        "v_lshl_or_b32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| logic(&[v[0] * power(v[1] % 32), v[2]], |b| b[0] || b[1]);
        "v_lshlrev_b32" on BOTH (B32, B32) -> B32: |v: &[i128]| v[1] * power(v[0] % 32);
        "v_lshrrev_b32" on BOTH (B32, B32) -> B32: |v: &[i128]| v[1] / power(v[0] % 32);
        "v_ashrrev_i32" on BOTH (B32, B32) -> B32: |v: &[i128]| signed(v[1], 32).div_euclid(power(v[0] % 32));
        "v_lshlrev_b64" on BOTH (B32, B64) -> B64: |v: &[i128]| v[1] << (v[0] % 64);
        "v_lshrrev_b64" on BOTH (B32, B64) -> B64: |v: &[i128]| v[1] / power(v[0] % 64);
        "v_ashrrev_i64" on BOTH (B32, B64) -> B64: |v: &[i128]| signed(v[1], 64).div_euclid(power(v[0] % 64));
        "v_bfe_u32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| v[0] / power(v[1] % 32) % power(v[2] % 32);
        "v_bfe_i32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| match v[2] % 32 {
            0 => 0,
            width => signed(signed(v[0], 32).div_euclid(power(v[1] % 32)), width as u32),
        };
        "v_bfi_b32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| logic(v, |b| if b[0] { b[1] } else { b[2] });
        "v_bfm_b32" on BOTH (B32, B32) -> B32: |v: &[i128]| (power(v[0] % 32) - 1) * power(v[1] % 32);
        "v_alignbit_b32" on ["gfx906", "gfx1030"] (B32, B32, B16) -> B32: |v: &[i128]| (v[0] * power(32) + v[1]) / power(v[2] % 32);
        "v_alignbyte_b32" on ["gfx906", "gfx1030"] (B32, B32, B16) -> B32: |v: &[i128]| (v[0] * power(32) + v[1]) / power(v[2] % 4 * 8);
        "v_perm_b32" on BOTH (B32, B32, B32) -> B32: |v: &[i128]| {
            let low = (v[1] as u32).to_le_bytes();
            let high = (v[0] as u32).to_le_bytes();
            let all = [low, high].concat();
            let bytes = (v[2] as u32).to_le_bytes().map(|select| match select {
                0..=7 => all[usize::from(select)],
                8 if low[1] > 127 => 255,
                9 if low[3] > 127 => 255,
                10 if high[1] > 127 => 255,
                11 if high[3] > 127 => 255,
                13.. => 255,
                _ => 0,
            });
            i128::from(u32::from_le_bytes(bytes))
        };
        "v_bfrev_b32" on BOTH (B32) -> B32: |v: &[i128]| bits(|at| bit(v[0], 31 - at));
        "v_ffbh_u32" on OLD (B32) -> B32: |v: &[i128]| (0..32).find(|&at| bit(v[0], 31 - at) == 1).unwrap_or(-1);
        "v_clz_i32_u32" on NEW (B32) -> B32: |v: &[i128]| (0..32).find(|&at| bit(v[0], 31 - at) == 1).unwrap_or(-1);
        "v_ffbl_b32" on OLD (B32) -> B32: |v: &[i128]| (0..32).find(|&at| bit(v[0], at) == 1).unwrap_or(-1);
        "v_ctz_i32_b32" on NEW (B32) -> B32: |v: &[i128]| (0..32).find(|&at| bit(v[0], at) == 1).unwrap_or(-1);
        "v_ffbh_i32" on OLD (B32) -> B32: |v: &[i128]| (0..32).find(|&at| bit(v[0], 31 - at) != bit(v[0], 31)).unwrap_or(-1);
        "v_cls_i32" on NEW (B32) -> B32: |v: &[i128]| (0..32).find(|&at| bit(v[0], 31 - at) != bit(v[0], 31)).unwrap_or(-1);
        "v_bcnt_u32_b32" on BOTH (B32, B32) -> B32: |v: &[i128]| ones(v[0]) + v[1];
    };

    /// With all bits on, the counts number the lanes.
    fn lanes_are_numbered(name: &str) {
        for processor in ["gfx906", "gfx1100"] {
            let mut bench = Bench::new(processor);
            let mask = 0xf0f0_1234_8000_ff01_u64;
            bench.wave.set_scalar64(4, mask);
            bench.run("v_mbcnt_lo_u32_b32 v0, s4, 7\nv_mbcnt_hi_u32_b32 v0, s5, v0");
            bench.run("v_mbcnt_lo_u32_b32 v1, -1, 0");
            if name.contains("_hi_") {
                bench.run("v_mbcnt_hi_u32_b32 v1, -1, v1");
            }
            let limit = if name.contains("_hi_") { bench.wave.lanes } else { 32 };
            for lane in 0..bench.wave.lanes {
                let before = (0..lane).filter(|bit| mask / (1 << bit) % 2 == 1).count();
                assert_eq!(bench.get(0)[lane], 7 + before as u32, "{processor} {lane}");
                assert_eq!(bench.get(1)[lane], lane.min(limit) as u32, "{processor} {lane}");
            }
        }
    }

    /// Functions that compilers write, and all tables of random numbers.
    fn logic_of_tables(name: &str) {
        let half = name.contains("b16");
        let kind = if half { B16 } else { B32 };
        type Function = fn(&[bool]) -> bool;
        let known: [(u32, Function); 6] = [
            (0xf0, |b| b[0]),
            (0xcc, |b| b[1]),
            (0xaa, |b| b[2]),
            (0x80, |b| b[0] && b[1] && b[2]),
            (0x78, |b| b[0] != (b[1] && b[2])),
            (0xca, |b| if b[0] { b[1] } else { b[2] }),
        ];
        for (table, f) in known {
            let text = format!("{name} {{d}}, {{0}}, {{1}}, {{2}} bitop3:{table:#x}");
            check("gfx950", &text, &[kind; 3], kind, |v| {
                logic(&[v[0].into(), v[1].into(), v[2].into()], f) as u64
            });
        }
        for table in 0..256_u32 {
            let mut bench = Bench::new("gfx950");
            let values = [0xf0f0_a5c3_u32, 0x1234_cccc, 0xaaaa_9e75];
            (0..3).for_each(|at| bench.set(at + 1, |lane| values[usize::from(at)].rotate_left(lane as u32)));
            bench.set(0, |_| 0xabcd_ef01);
            bench.run(&format!("{name} v0, v1, v2, v3 bitop3:{table:#x}"));
            for lane in 0..64 {
                let bits = values.map(|value| i128::from(value.rotate_left(lane as u32)));
                let result = logic(&bits, |b| {
                    table >> (u32::from(b[0]) * 4 + u32::from(b[1]) * 2 + u32::from(b[2])) & 1 == 1
                });
                let expected = if half { result % 65536 + 0xabcd_0000 } else { result };
                assert_eq!(i128::from(bench.get(0)[lane]), expected, "{name} {table:#x}");
            }
        }
    }

    pub(crate) const OTHERS: &[Reference] = &[
        Reference { name: "v_mbcnt_lo_u32_b32", check: lanes_are_numbered },
        Reference { name: "v_mbcnt_hi_u32_b32", check: lanes_are_numbered },
        Reference { name: "v_bitop3_b32", check: logic_of_tables },
        Reference { name: "v_bitop3_b16", check: logic_of_tables },
    ];

    #[test]
    fn shifts_by_halves_of_registers() {
        let mut bench = Bench::new("gfx1100");
        bench.set(1, |_| 0x1234_5678);
        bench.set(2, |lane| (lane as u32) << 16 | 3);
        bench.run("v_alignbit_b32 v0, v1, v1, v2.h");
        bench.run("v_alignbyte_b32 v3, v1, v1, v2.l");
        assert_eq!(bench.get(0)[4], 0x8123_4567);
        assert_eq!(bench.get(3)[4], 0x3456_7812);
    }

    #[test]
    fn selectors_of_bytes() {
        check("gfx1030", "v_perm_b32 {d}, {0}, {1}, 0xc0d0b00", &[B32, B32], B32, |v| {
            let sign = if v[0] >> 31 == 1 { 0xff00 } else { 0 };
            0x00ff_0000 | sign | v[1] & 0xff
        });
        check("gfx906", "v_perm_b32 {d}, {0}, {1}, 0x9080a06", &[B32, B32], B32, |v| {
            let sign = |value: u64, bit: u32| if value >> bit & 1 == 1 { 0xff } else { 0 };
            sign(v[1], 31) << 24 | sign(v[1], 15) << 16 | sign(v[0], 15) << 8 | v[0] >> 16 & 0xff
        });
    }

    #[test]
    fn constants_of_64_bits() {
        let mut bench = Bench::new("gfx942");
        bench.wave.set_scalar(3, 69);
        bench.run("v_lshlrev_b64 v[0:1], s3, -1\nv_lshrrev_b64 v[2:3], 60, 1.0");
        assert_eq!((bench.get64(0)[9], bench.get64(2)[9]), (u64::MAX << 5, 3));
    }
}
