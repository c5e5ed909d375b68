//! Moves between registers (RDNA3 ISA guide, section 16.8 "VOP1"; CDNA3 ISA guide, section 12.11 "VOP3P-MAI").
//!
//! Compilers copy values that were never computed, so that moves hand on whether a register was written.

use crate::assembly::{DecodeError, Decoded, File, Operand, Statement, Value};
use crate::fault::{Step, Stop};
use crate::isa::element::Element;
use crate::isa::lanes::Lanes;
use crate::isa::plain::Plain;
use crate::isa::source::{Place, Rows, Source, Spare};
use crate::isa::{Execute, Form};
use crate::machine::wave::{LANES, Wave};
use crate::target::Target;

pub(crate) const FORMS: &[Form] = &[
    Form { name: "v_mov_b32", decode: mov::<u32> },
    Form { name: "v_mov_b64", decode: mov::<u64> },
    Form { name: "v_mov_b16", decode: mov::<u16> },
    Form { name: "v_accvgpr_read_b32", decode: mov::<u32> },
    Form { name: "v_accvgpr_write_b32", decode: mov::<u32> },
    Form { name: "v_accvgpr_mov_b32", decode: mov::<u32> },
    Form { name: "v_swap_b32", decode: swap },
    Form { name: "v_swap_b16", decode: swap },
    Form { name: "v_nop", decode: nothing },
    Form { name: "v_pipeflush", decode: nothing },
];

fn nothing(statement: &mut Statement, _: &Target) -> Decoded<Execute> {
    statement.exactly::<0>()?;
    Ok(Box::new(|_, _| Ok(())))
}

fn mov<T: Element>(statement: &mut Statement, target: &Target) -> Decoded<Execute>
where
    T::Word: Rows,
{
    let lanes = Lanes::decode(statement, target, T::KIND, [T::KIND])?;
    Ok(match lanes.plain() {
        // SAFETY: `crate::unavailable` refuses CPUs without these features.
        Some(plain) if !T::KIND.is_half() => Box::new(move |wave, _| unsafe { copy_plain(wave, &plain) }),
        _ => Box::new(move |wave, _| copy::<T::Word>(wave, &lanes)),
    })
}

#[target_feature(enable = "avx2")]
fn copy_plain(wave: &mut Wave, plain: &Plain<1>) -> Step {
    let mut space = Spare::uninit();
    let (row, written) = plain.from[0].read(wave, &mut space)?;
    let row = *row;
    plain.write(wave, &row, wave.exec(), written)
}

fn copy<W: Rows>(wave: &mut Wave, lanes: &Lanes<1>) -> Step {
    let mask = lanes.mask(wave);
    let source = &lanes.sources[0];
    let defined = defined(source, wave)?;
    let all = defined[0] & defined[1];
    let mut space = Spare::uninit();
    let mut values = match source.place {
        Place::Scalar(number) if all == 0 => {
            let high = if source.kind.words() == 2 { wave.scalar_bits(number + 1).0 } else { 0 };
            [W::from_u64(wave.scalar_bits(number).0 | high << 32); LANES]
        }
        _ => *W::read(source, wave, mask & all, &mut space)?,
    };
    let row = lanes.destination.row(wave)?;
    let old = if lanes.destination.is_part() { wave.written(row) } else { 0 };
    lanes.destination.write(wave, &mut values, mask)?;
    if mask & !all != 0 {
        for word in 0..usize::from(source.kind.words()) {
            wave.set_written(row + word, mask, defined[word] | old);
        }
    }
    Ok(())
}

/// The lanes in which each word of a source was written.
fn defined(source: &Source, wave: &Wave) -> Result<[u64; 2], Box<Stop>> {
    let mut defined = [u64::MAX; 2];
    for (word, number) in (0..source.kind.words()).enumerate() {
        defined[word] = match source.place {
            Place::Vector(file, first) => {
                let written = wave.written(wave.row_index(file, first + number)?);
                source.exchange.as_ref().map_or(written, |exchange| exchange.copied(wave, written))
            }
            Place::Scalar(first) if !wave.is_scalar_written(first + number) => 0,
            Place::Scalar(_) | Place::Constant(_) | Place::Scc => u64::MAX,
        };
    }
    Ok(defined)
}

/// `v_swap_b32 v0, v1`; `v_swap_b16 v0.l, v1.h`.
fn swap(statement: &mut Statement, _: &Target) -> Decoded<Execute> {
    let halves = statement.mnemonic.starts_with("v_swap_b16");
    let [first, second] = statement.exactly()?;
    let place = |operand: &Operand, index| match operand.value {
        Value::Registers { file: File::Vector, first, count: 1 }
            if !operand.negated && !operand.absolute && operand.half.is_some() == halves =>
        {
            Ok((first, operand.half == Some(crate::assembly::Half::High)))
        }
        _ => Err(DecodeError::Operand(index)),
    };
    let (first, second) = (place(first, 0)?, place(second, 1)?);
    // The halves are in the operands' names too.
    statement.take_list("op_sel")?;
    Ok(Box::new(move |wave, _| {
        let mask = wave.exec();
        let rows = [wave.row_index(File::Vector, first.0)?, wave.row_index(File::Vector, second.0)?];
        let [mut a, mut b] = rows.map(|row| *wave.row(row));
        let written = rows.map(|row| wave.written(row));
        for lane in 0..LANES {
            if halves {
                let shifts = [first.1, second.1].map(|high| if high { 16 } else { 0 });
                let differ = (a[lane] >> shifts[0] ^ b[lane] >> shifts[1]) & 0xffff;
                a[lane] ^= differ << shifts[0];
                // Both may be halves of one register.
                if first.0 == second.0 {
                    a[lane] ^= differ << shifts[1];
                    b[lane] = a[lane];
                } else {
                    b[lane] ^= differ << shifts[1];
                }
            } else {
                std::mem::swap(&mut a[lane], &mut b[lane]);
            }
        }
        wave.set_row(rows[0], &a, mask);
        wave.set_row(rows[1], &b, mask);
        let either = if halves { written[0] | written[1] } else { 0 };
        wave.set_written(rows[0], mask, written[1] | either);
        wave.set_written(rows[1], mask, written[0] | either);
        Ok(())
    }))
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::assembly::File;

    use crate::isa::element::Kind::{B16, B32, B64};
    use crate::isa::testing::{Bench, Reference, check};

    fn accumulators(_: &str) {
        for processor in ["gfx908", "gfx90a", "gfx942"] {
            let mut bench = Bench::new(processor);
            bench.set(1, |lane| lane as u32 + 100);
            bench.run("v_accvgpr_write_b32 a3, v1");
            bench.set_exec(0xf);
            bench.run("v_accvgpr_write_b32 a3, -1");
            bench.set_exec(u64::MAX);
            bench.run("v_accvgpr_mov_b32 a5, a3\nv_accvgpr_read_b32 v2, a5");
            let lanes = bench.get(2);
            assert_eq!((lanes[3], lanes[4], lanes[63]), (u32::MAX, 104, 163), "{processor}");
        }
    }

    fn does_nothing(name: &str) {
        let mut bench = Bench::new("gfx1030");
        bench.set(0, |lane| lane as u32);
        let before = bench.get(0);
        bench.run(name);
        assert_eq!(bench.get(0), before);
    }

    fn swaps(_: &str) {
        let mut bench = Bench::new("gfx1100");
        bench.set(0, |_| 0x1111_2222);
        bench.set(1, |_| 0x3333_4444);
        bench.set_exec(0xff);
        bench.run("v_swap_b32 v0, v1");
        assert_eq!((bench.get(0)[0], bench.get(1)[0]), (0x3333_4444, 0x1111_2222));
        assert_eq!((bench.get(0)[8], bench.get(1)[8]), (0x1111_2222, 0x3333_4444));
    }

    fn swaps_of_halves(_: &str) {
        let mut bench = Bench::new("gfx1100");
        bench.set(0, |_| 0x1111_2222);
        bench.set(1, |_| 0x3333_4444);
        bench.set_exec(0xff);
        bench.run("v_swap_b16 v0.l, v1.h");
        assert_eq!((bench.get(0)[0], bench.get(1)[0]), (0x1111_3333, 0x2222_4444));
        assert_eq!((bench.get(0)[8], bench.get(1)[8]), (0x1111_2222, 0x3333_4444));
        bench.run("v_swap_b16 v0.l, v0.h");
        assert_eq!(bench.get(0)[0], 0x3333_1111);
    }

    pub(crate) const REFERENCES: &[Reference] = &[
        Reference {
            name: "v_mov_b32",
            check: |name| {
                for processor in ["gfx906", "gfx1030", "gfx1100", "gfx1201"] {
                    check(processor, &format!("{name}_e32 {{d}}, {{0}}"), &[B32], B32, |v| v[0]);
                }
            },
        },
        Reference {
            name: "v_mov_b64",
            check: |name| check("gfx942", &format!("{name}_e32 {{d}}, {{0}}"), &[B64], B64, |v| v[0]),
        },
        Reference {
            name: "v_mov_b16",
            check: |name| {
                for processor in ["gfx1100", "gfx1201"] {
                    check(processor, &format!("{name}_e32 {{d}}.l, {{0}}.h"), &[B32], B32, |v| {
                        v[1] >> 16 << 16 | v[0] >> 16
                    });
                    check(
                        processor,
                        &format!("{name}_e64 {{d}}.h, {{0}}.l op_sel:[0,1]"),
                        &[B16],
                        B32,
                        |v| v[1] & 0xffff | (v[0] & 0xffff) << 16,
                    );
                }
            },
        },
        Reference { name: "v_accvgpr_read_b32", check: accumulators },
        Reference { name: "v_accvgpr_write_b32", check: accumulators },
        Reference { name: "v_accvgpr_mov_b32", check: accumulators },
        Reference { name: "v_swap_b32", check: swaps },
        Reference { name: "v_swap_b16", check: swaps_of_halves },
        Reference { name: "v_nop", check: does_nothing },
        Reference { name: "v_pipeflush", check: does_nothing },
    ];

    #[test]
    fn undefined_values_are_copied_but_not_used() {
        let mut bench = Bench::new("gfx90a");
        bench.set_exec(0xff);
        bench.run("v_mov_b32_e32 v0, 1");
        bench.set_exec(0xffff);
        // Lanes 8 to 15 of v0, all of s9 and a7 were never written.
        bench.run("v_mov_b32_e32 v1, v0\nv_mov_b32_e32 v2, s9\nv_accvgpr_read_b32 v3, a7\nv_swap_b32 v1, v4");
        bench.expect_undefined("v_not_b32_e32 v5, v4");
        for number in 1..4 {
            bench.expect_undefined(&format!("v_not_b32_e32 v5, v{number}"));
        }
        bench.set_exec(0xff);
        bench.run("v_not_b32_e32 v5, v4");
        bench.set_exec(0xffff);
        bench.wave.set_scalar(4, 1);
        bench.run("v_mov_b64_e32 v[6:7], s[4:5]\nv_not_b32_e32 v5, v6");
        bench.expect_undefined("v_not_b32_e32 v5, v7");
        // A lane that was written counts no longer, when it gets a value that was not.
        bench.run("v_mov_b32_e32 v6, v0");
        let row = bench.wave.row_index(File::Vector, 6).unwrap();
        assert_eq!(bench.wave.written(row), 0xff);
    }

    #[test]
    fn parts_leave_the_rest_as_it_was() {
        let mut bench = Bench::new("gfx906");
        bench.set(0, |_| 0x1111_2222);
        bench.set(1, |_| 0x3333_4444);
        bench.run("v_mov_b32_sdwa v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0");
        assert_eq!(bench.get(0)[0], 0x4444_2222);
        bench.run("v_mov_b32_sdwa v0, v9 dst_sel:BYTE_3 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0");
        bench.run("v_and_b32_e32 v2, 0xffffff, v0");
        assert_eq!(bench.get(2)[0], 0x0044_2222);
        let mut bench = Bench::new("gfx1100");
        bench.set(0, |_| 0x1111_2222);
        bench.run("v_mov_b16_e32 v0.h, v9.l\nv_and_b32_e32 v2, 0xffff, v0");
        assert_eq!(bench.get(2)[0], 0x2222);
        bench.run("v_mov_b16_e32 v10.h, v9.l");
        bench.expect_undefined("v_not_b32_e32 v2, v10");
    }
}
