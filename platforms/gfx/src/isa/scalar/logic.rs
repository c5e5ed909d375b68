//! Moves, selections and bitwise logic (RDNA3 ISA guide, sections 16.1 "SOP2", 16.2 "SOPK", 16.3 "SOP1").
//!
//! These know which bits of their results were written: compilers copy registers that they have not written, and build the
//! masks of a branch's lanes upon such.

use super::forms::{Source, decoded_forms, destination};
use crate::assembly::{DecodeError, Decoded, Statement, special};
use crate::fault::{FaultKind, Step, fail};
use crate::isa::Execute;
use crate::isa::element::Kind;
use crate::isa::source::constant;
use crate::machine::wave::Wave;

/// Bits, and which of them were written.
pub(super) type Bits = (u64, u64);

decoded_forms! {
    "s_mov_b32" = |statement| copy::<1>(statement, |a| a);
    "s_mov_b64" = |statement| copy::<2>(statement, |a| a);
    "s_movk_i32" = move_immediate;
    "s_cmov_b32" = move_if::<1>;
    "s_cmov_b64" = move_if::<2>;
    "s_cmovk_i32" = move_immediate_if;
    "s_cselect_b32" = select::<1>;
    "s_cselect_b64" = select::<2>;
    "s_brev_b32" = |statement| copy::<1>(statement, |a| (a as u32).reverse_bits().into());
    "s_brev_b64" = |statement| copy::<2>(statement, |a| a.reverse_bits());
    "s_pack_ll_b32_b16" = |statement| pack(statement, |a, b| a & 0xffff | b << 16);
    "s_pack_lh_b32_b16" = |statement| pack(statement, |a, b| a & 0xffff | b & 0xffff_0000);
    "s_pack_hh_b32_b16" = |statement| pack(statement, |a, b| a >> 16 & 0xffff | b & 0xffff_0000);
    "s_pack_hl_b32_b16" = |statement| pack(statement, |a, b| a >> 16 & 0xffff | b << 16);

    "s_not_b32" = |statement| unary::<1>(statement, |a| !a);
    "s_not_b64" = |statement| unary::<2>(statement, |a| !a);
    "s_wqm_b32" = |statement| unary::<1>(statement, whole_quads);
    "s_wqm_b64" = |statement| unary::<2>(statement, whole_quads);
    "s_quadmask_b32" = |statement| unary::<1>(statement, quads);
    "s_quadmask_b64" = |statement| unary::<2>(statement, quads);

    "s_and_b32" = |statement| binary::<1>(statement, |a, b| a & b);
    "s_and_b64" = |statement| binary::<2>(statement, |a, b| a & b);
    "s_or_b32" = |statement| binary::<1>(statement, |a, b| a | b);
    "s_or_b64" = |statement| binary::<2>(statement, |a, b| a | b);
    "s_xor_b32" = |statement| binary::<1>(statement, |a, b| a ^ b);
    "s_xor_b64" = |statement| binary::<2>(statement, |a, b| a ^ b);
    "s_nand_b32" = |statement| binary::<1>(statement, |a, b| !(a & b));
    "s_nand_b64" = |statement| binary::<2>(statement, |a, b| !(a & b));
    "s_nor_b32" = |statement| binary::<1>(statement, |a, b| !(a | b));
    "s_nor_b64" = |statement| binary::<2>(statement, |a, b| !(a | b));
    "s_xnor_b32" = |statement| binary::<1>(statement, |a, b| !(a ^ b));
    "s_xnor_b64" = |statement| binary::<2>(statement, |a, b| !(a ^ b));
    "s_andn2_b32" | "s_and_not1_b32" = |statement| binary::<1>(statement, |a, b| a & !b);
    "s_andn2_b64" | "s_and_not1_b64" = |statement| binary::<2>(statement, |a, b| a & !b);
    "s_orn2_b32" | "s_or_not1_b32" = |statement| binary::<1>(statement, |a, b| a | !b);
    "s_orn2_b64" | "s_or_not1_b64" = |statement| binary::<2>(statement, |a, b| a | !b);
}

/// All bits of so many registers.
pub(super) const fn all(words: u16) -> u64 {
    u64::MAX >> (64 - 32 * words)
}

/// The kind of operands of so many registers.
pub(super) const fn kind(words: u16) -> Kind {
    if words == 2 { Kind::B64 } else { Kind::B32 }
}

/// A function of single bits, of bits of which some were never written: a result is known if they do not matter.
#[inline(always)]
pub(super) fn combine(f: impl Fn(u64, u64) -> u64, a: Bits, b: Bits, all: u64) -> Bits {
    if a.1 & b.1 & all == all {
        return (f(a.0, b.0), all);
    }
    let ends = |bits: Bits| [bits.0 & bits.1, bits.0 | !bits.1];
    let [a, b] = [ends(a), ends(b)];
    let value = f(a[0], b[0]);
    let differs = (value ^ f(a[0], b[1])) | (value ^ f(a[1], b[0])) | (value ^ f(a[1], b[1]));
    (value, !differs)
}

/// Writes registers. Those of `exec` must be known.
#[inline(always)]
pub(super) fn store<const WORDS: u16>(wave: &mut Wave, to: u16, (value, written): Bits) -> Step {
    if to >= special::EXEC && written & all(WORDS) != all(WORDS) {
        return fail(FaultKind::Undefined, "puts bits into exec that were never written");
    }
    wave.set_scalar_bits(to, value as u32, written as u32);
    if WORDS == 2 && to != special::NULL {
        wave.set_scalar_bits(to + 1, (value >> 32) as u32, (written >> 32) as u32);
    }
    Ok(())
}

/// Sets `scc` to whether any bit is set.
#[inline(always)]
pub(super) fn test(wave: &mut Wave, (value, written): Bits, all: u64) {
    let is_set = value & written & all != 0;
    wave.set_scc((is_set || written & all == all).then_some(is_set));
}

fn count(statement: &Statement, expected: usize) -> Decoded<()> {
    let count = statement.operands.len();
    if count == expected { Ok(()) } else { Err(DecodeError::OperandCount(count)) }
}

/// `d = f(a)`, where `f` moves bits; leaves `scc`.
fn copy<const WORDS: u16>(
    statement: &mut Statement,
    f: impl Fn(u64) -> u64 + Send + Sync + 'static,
) -> Decoded<Execute> {
    count(statement, 2)?;
    let to = destination(statement, 0, WORDS)?;
    let a = Source::decode(statement, 1, kind(WORDS))?;
    Ok(Box::new(move |wave, _| {
        let (value, written) = a.bits::<WORDS>(wave)?;
        store::<WORDS>(wave, to, (f(value), f(written)))
    }))
}

/// `d = f(a)`, where each bit of the result only rises, or only falls, with those of the operand.
fn unary<const WORDS: u16>(
    statement: &mut Statement,
    f: impl Fn(u64) -> u64 + Send + Sync + 'static,
) -> Decoded<Execute> {
    count(statement, 2)?;
    let to = destination(statement, 0, WORDS)?;
    let a = Source::decode(statement, 1, kind(WORDS))?;
    Ok(Box::new(move |wave, _| {
        let a = a.bits::<WORDS>(wave)?;
        let result = combine(|a, _| f(a & all(WORDS)), a, (0, u64::MAX), all(WORDS));
        store::<WORDS>(wave, to, result)?;
        test(wave, result, all(WORDS));
        Ok(())
    }))
}

fn binary<const WORDS: u16>(
    statement: &mut Statement,
    f: impl Fn(u64, u64) -> u64 + Send + Sync + 'static,
) -> Decoded<Execute> {
    count(statement, 3)?;
    let to = destination(statement, 0, WORDS)?;
    let a = Source::decode(statement, 1, kind(WORDS))?;
    let b = Source::decode(statement, 2, kind(WORDS))?;
    Ok(Box::new(move |wave, _| {
        let result = combine(&f, a.bits::<WORDS>(wave)?, b.bits::<WORDS>(wave)?, all(WORDS));
        store::<WORDS>(wave, to, result)?;
        test(wave, result, all(WORDS));
        Ok(())
    }))
}

/// As [`binary`], of 32 bits, and leaves `scc`.
fn pack(statement: &mut Statement, f: impl Fn(u64, u64) -> u64 + Send + Sync + 'static) -> Decoded<Execute> {
    count(statement, 3)?;
    let to = destination(statement, 0, 1)?;
    let a = Source::decode(statement, 1, Kind::B32)?;
    let b = Source::decode(statement, 2, Kind::B32)?;
    Ok(Box::new(move |wave, _| {
        let result = combine(&f, a.bits::<1>(wave)?, b.bits::<1>(wave)?, all(1));
        store::<1>(wave, to, result)
    }))
}

fn select<const WORDS: u16>(statement: &mut Statement) -> Decoded<Execute> {
    count(statement, 3)?;
    let to = destination(statement, 0, WORDS)?;
    let a = Source::decode(statement, 1, kind(WORDS))?;
    let b = Source::decode(statement, 2, kind(WORDS))?;
    Ok(Box::new(move |wave, _| {
        let chosen = if wave.scc()? { a } else { b };
        let bits = chosen.bits::<WORDS>(wave)?;
        store::<WORDS>(wave, to, bits)
    }))
}

fn move_if<const WORDS: u16>(statement: &mut Statement) -> Decoded<Execute> {
    count(statement, 2)?;
    let to = destination(statement, 0, WORDS)?;
    let a = Source::decode(statement, 1, kind(WORDS))?;
    Ok(Box::new(move |wave, _| {
        if wave.scc()? {
            let bits = a.bits::<WORDS>(wave)?;
            store::<WORDS>(wave, to, bits)?;
        }
        Ok(())
    }))
}

/// The 16 bits in the instruction, as a signed number.
fn simm16(statement: &Statement) -> Decoded<u32> {
    count(statement, 2)?;
    let bits = constant(&statement.operands[1].value, Kind::B16).ok_or(DecodeError::Operand(1))?;
    Ok(i32::from(bits as i16) as u32)
}

fn move_immediate(statement: &mut Statement) -> Decoded<Execute> {
    let (value, to) = (simm16(statement)?, destination(statement, 0, 1)?);
    Ok(Box::new(move |wave, _| {
        wave.set_scalar(to, value);
        Ok(())
    }))
}

fn move_immediate_if(statement: &mut Statement) -> Decoded<Execute> {
    let (value, to) = (simm16(statement)?, destination(statement, 0, 1)?);
    Ok(Box::new(move |wave, _| {
        if wave.scc()? {
            wave.set_scalar(to, value);
        }
        Ok(())
    }))
}

/// The lowest bit of each four that have any.
fn any_of_quads(mask: u64) -> u64 {
    (mask | mask >> 1 | mask >> 2 | mask >> 3) & 0x1111_1111_1111_1111
}

/// All of each four that have any.
fn whole_quads(mask: u64) -> u64 {
    any_of_quads(mask) * 15
}

/// One bit for each four that have any.
fn quads(mask: u64) -> u64 {
    let any = any_of_quads(mask);
    (0..16).fold(0, |bits, quad| bits | (any >> (4 * quad) & 1) << quad)
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::fault::FaultKind;
    use crate::isa::element::Kind::{self, B32, B64};
    use crate::isa::scalar::testing::{Scc, check, check_immediate, references};
    use crate::isa::testing::Bench;

    fn kind(name: &str) -> Kind {
        if name.contains("b64") { B64 } else { B32 }
    }

    /// A value from its bits, each by its number.
    fn build(kind: Kind, bit: impl Fn(u64) -> bool) -> u64 {
        (0..32 * u64::from(kind.words())).map(|at| u64::from(bit(at)) << at).sum()
    }

    fn is_set(value: u64, at: u64) -> bool {
        value >> at & 1 != 0
    }

    /// The results for bits 0 0, 0 1, 1 0, 1 1.
    fn table(name: &str, results: [u8; 4]) {
        let kind = kind(name);
        check(name, &[kind; 2], Some(kind), |v, _| {
            let value = build(kind, |at| {
                results[2 * usize::from(is_set(v[0], at)) + usize::from(is_set(v[1], at))] != 0
            });
            (value, Scc::Is(value != 0))
        });
        unwritten(name, results);
    }

    /// Bits that were never written stay so, unless the other operand decides.
    fn unwritten(name: &str, results: [u8; 4]) {
        let mut bench = Bench::new("gfx906");
        let words = kind(name).words();
        for other in [0_u64, u64::MAX] {
            for unwritten_first in [false, true] {
                bench.wave.set_scalar_bits(4, 0x5555, 0xffff);
                bench.wave.set_scalar_bits(5, 0x5555, 0xffff);
                bench.wave.set_scalar64(8, other);
                let [d, a, b] = [0, 4, 8].map(|at| crate::isa::scalar::testing::registers(at, words));
                let (a, b) = if unwritten_first { (a, b) } else { (b, a) };
                bench.run(&format!("{name} {d}, {a}, {b}"));
                let other = usize::from(other != 0);
                let pair = |bit: usize| if unwritten_first { 2 * bit + other } else { 2 * other + bit };
                let decided = results[pair(0)] == results[pair(1)];
                let (value, written) = bench.wave.scalar_bits(0);
                assert_eq!(written, if decided { 0xffff_ffff } else { 0xffff }, "{name}");
                let expected = build(B32, |at| results[pair(usize::from(is_set(0x5555, at)))] != 0);
                assert_eq!(value & written, expected & written, "{name}");
                if decided {
                    Scc::Is(results[pair(0)] != 0).assert(&bench.wave, false, name);
                } else {
                    Scc::Is(true).assert(&bench.wave, false, name);
                }
            }
        }
    }

    fn one(name: &str, f: fn(u64, u64, u64) -> bool, tests: bool) {
        let kind = kind(name);
        check(name, &[kind], Some(kind), |v, _| {
            let value = build(kind, |at| f(v[0], at, 32 * u64::from(kind.words())));
            (value, if tests { Scc::Is(value != 0) } else { Scc::Kept })
        });
    }

    fn chosen(name: &str) {
        let kind = kind(name);
        check(name, &[kind; 2], Some(kind), |v, scc| (v[usize::from(!scc)], Scc::Kept));
        let mut bench = Bench::new("gfx1100");
        bench.wave.set_scc(Some(true));
        let line = if kind == B32 { "s0, s4, s5" } else { "s[0:1], s[4:5], s[6:7]" };
        bench.run(&format!("{name} {line}"));
        assert!(!bench.wave.is_scalar_written(0), "nothing was read");
    }

    /// Results made of decimal arithmetic on halves.
    fn packed(name: &str, first: u64, second: u64) {
        check(name, &[B32, B32], Some(B32), |v, _| {
            (v[0] / first % 65536 + v[1] / second % 65536 * 65536, Scc::Kept)
        });
    }

    fn quad(value: u64, number: u64) -> bool {
        (0..4).any(|at| is_set(value, 4 * number + at))
    }

    references! {
        "s_and_b32" | "s_and_b64": |name| table(name, [0, 0, 0, 1]);
        "s_or_b32" | "s_or_b64": |name| table(name, [0, 1, 1, 1]);
        "s_xor_b32" | "s_xor_b64": |name| table(name, [0, 1, 1, 0]);
        "s_nand_b32" | "s_nand_b64": |name| table(name, [1, 1, 1, 0]);
        "s_nor_b32" | "s_nor_b64": |name| table(name, [1, 0, 0, 0]);
        "s_xnor_b32" | "s_xnor_b64": |name| table(name, [1, 0, 0, 1]);
        "s_andn2_b32" | "s_andn2_b64" | "s_and_not1_b32" | "s_and_not1_b64": |name| table(name, [0, 0, 1, 0]);
        "s_orn2_b32" | "s_orn2_b64" | "s_or_not1_b32" | "s_or_not1_b64": |name| table(name, [1, 0, 1, 1]);
        "s_not_b32" | "s_not_b64": |name| one(name, |v, at, _| !is_set(v, at), true);
        "s_wqm_b32" | "s_wqm_b64": |name| one(name, |v, at, _| quad(v, at / 4), true);
        "s_quadmask_b32" | "s_quadmask_b64": |name| one(name, |v, at, size| at < size / 4 && quad(v, at), true);
        "s_mov_b32" | "s_mov_b64": |name| one(name, |v, at, _| is_set(v, at), false);
        "s_brev_b32" | "s_brev_b64": |name| one(name, |v, at, size| is_set(v, size - 1 - at), false);
        "s_cselect_b32" | "s_cselect_b64": chosen;
        "s_cmov_b32" | "s_cmov_b64": |name| {
            check(name, &[kind(name)], Some(kind(name)), |v, scc| (v[usize::from(!scc)], Scc::Kept));
        };
        "s_movk_i32": |name| check_immediate(name, true, |_, k| (i64::from(k as i16) as u32 as u64, Scc::Kept));
        "s_cmovk_i32": |name| {
            for (scc, expected) in [(true, 0xffff_8000), (false, 7)] {
                let mut bench = Bench::new("gfx1030");
                bench.wave.set_scalar(3, 7);
                bench.wave.set_scc(Some(scc));
                bench.run(&format!("{name} s3, 0x8000"));
                assert_eq!(bench.wave.scalar(3).unwrap(), expected);
            }
        };
        "s_pack_ll_b32_b16": |name| packed(name, 1, 1);
        "s_pack_lh_b32_b16": |name| packed(name, 1, 65536);
        "s_pack_hh_b32_b16": |name| packed(name, 65536, 65536);
        "s_pack_hl_b32_b16": |name| packed(name, 65536, 1);
    }

    #[test]
    fn constants_and_special_registers() {
        let mut bench = Bench::new("gfx1201");
        let mut result = |line: &str| {
            bench.run(line);
            bench.wave.scalar64(0).unwrap()
        };
        assert_eq!(result("s_mov_b64 s[0:1], 0x80000000"), 0x8000_0000);
        assert_eq!(result("s_mov_b64 s[0:1], -5"), (-5_i64) as u64);
        assert_eq!(result("s_mov_b64 s[0:1], 1.0"), 1.0_f64.to_bits());
        assert_eq!(result("s_mov_b64 s[0:1], lit64(0x123456789abcdef0)"), 0x1234_5678_9abc_def0);
        assert_eq!(result("s_mov_b64 s[0:1], null"), 0);
        assert_eq!(result("s_mov_b64 s[0:1], exec"), 0xffff_ffff);
        assert_eq!(result("s_mov_b32 s0, 0.5") as u32, 0.5_f32.to_bits());
        assert_eq!(result("s_cmp_eq_u32 0, 0\ns_add_u32 s0, scc, scc") as u32, 2);
        assert_eq!(result("s_mov_b32 s0, -16") as u32, -16_i32 as u32);
        assert_eq!(result("s_cmp_eq_u32 null, 0\ns_mov_b32 s0, scc") as u32, 1);
        assert_eq!(
            result("s_mov_b32 m0, 7\ns_mov_b32 vcc_lo, m0\ns_mov_b32 null, 1\ns_add_u32 s0, vcc_lo, null")
                as u32,
            7
        );
        bench.refusal("s_mov_b32 s0, src_shared_base");
        bench.refusal("s_mov_b64 s[0:1], s2");
        bench.refusal("s_mov_b32 s0, v1");
        bench.refusal("s_ashr_i64 s[0:1], 0x80000000, 1");
        bench.refusal("s_and_b32 s0, s1");
    }

    #[test]
    fn exec_changes_what_is_on() {
        let mut bench = Bench::new("gfx1100");
        bench.run("s_mov_b32 exec_lo, 0xff\ns_andn2_b32 exec_lo, exec_lo, 15");
        assert_eq!(bench.wave.exec(), 0xf0);
        let mut bench = Bench::new("gfx906");
        bench.run("s_mov_b64 exec, 0xff\ns_not_b64 exec, exec");
        assert_eq!(bench.wave.exec(), !0xff);
        assert_eq!(bench.fault("s_mov_b64 exec, s[2:3]"), FaultKind::Undefined);
        assert_eq!(bench.fault("s_or_b64 exec, exec, s[2:3]"), FaultKind::Undefined);
        bench.run("s_and_b64 exec, 0, s[2:3]");
        assert_eq!(bench.wave.exec(), 0);
    }

    /// How compilers collect a mask in a loop: only the lanes that were on are known.
    #[test]
    fn masks_upon_unwritten_registers() {
        let mut bench = Bench::new("gfx906");
        bench.set_exec(0xff);
        bench.wave.set_scalar64(4, 0x3c);
        bench.run("s_andn2_b64 s[2:3], s[2:3], exec\ns_and_b64 s[4:5], s[4:5], exec\ns_or_b64 s[2:3], s[2:3], s[4:5]");
        assert_eq!(bench.wave.scalar_mask(2).unwrap() & 0xff, 0x3c);
        assert!(bench.wave.scalar64(2).is_err());
        bench.set_exec(0x1ff);
        assert!(bench.wave.scalar_mask(2).is_err());
        bench.set_exec(0xff);
        bench.run("s_and_saveexec_b64 s[6:7], s[2:3]");
        assert_eq!(bench.wave.exec(), 0x3c);
    }
}
