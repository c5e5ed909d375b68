//! Selection by a mask of lanes (RDNA3 ISA guide, sections 16.7 "VOP2" and 16.12 "VOP3").

use super::compare::scalar_mask;
use crate::assembly::{Decoded, Statement};
use crate::fault::{Step, Stop};
use crate::isa::element::Kind;
use crate::isa::lanes::Lanes;
use crate::isa::plain::Plain;
use crate::isa::source::{Place, Source, Spare};
use crate::isa::{Execute, Form};
use crate::machine::masks::row_of;
use crate::machine::wave::{LANES, Row, Wave};
use crate::target::Target;

/// The sources' modifiers are those of floats.
pub(crate) const FORMS: &[Form] = &[
    Form {
        name: "v_cndmask_b32",
        decode: |statement, target| decode(statement, target, Kind::B32, Kind::F32),
    },
    Form {
        name: "v_cndmask_b16",
        decode: |statement, target| decode(statement, target, Kind::B16, Kind::F16),
    },
];

fn decode(statement: &mut Statement, target: &Target, kind: Kind, source: Kind) -> Decoded<Execute> {
    let [_, _, _, mask] = statement.exactly()?;
    let mask = scalar_mask(mask, target, 3)?;
    statement.operands.truncate(3);
    let lanes = Lanes::decode(statement, target, kind, [source; 2])?;
    Ok(match lanes.plain() {
        // SAFETY: `crate::unavailable` refuses CPUs without these features.
        Some(plain) if !kind.is_half() => Box::new(move |wave, _| unsafe { run_plain(wave, &plain, mask) }),
        // SAFETY: as above.
        _ => Box::new(move |wave, _| unsafe { run(wave, &lanes, mask, kind.is_half()) }),
    })
}

#[target_feature(enable = "avx2,fma,f16c")]
fn run_plain(wave: &mut Wave, plain: &Plain<2>, mask: u16) -> Step {
    let on = wave.exec();
    let (mask, known) = wave.scalar_mask_bits(mask);
    let (mut first, mut second, mut out) = (Spare::uninit(), Spare::uninit(), [0; LANES]);
    let (a, a_written) = plain.from[0].read(wave, &mut first)?;
    let (b, b_written) = plain.from[1].read(wave, &mut second)?;
    select(a, b, mask, &mut out);
    plain.write(wave, &out, on, ((a_written & !mask) | (b_written & mask)) & known)
}

/// `b` in the lanes of the mask, else `a`.
#[inline]
#[target_feature(enable = "avx2")]
fn select(a: &Row, b: &Row, mask: u64, out: &mut Row) {
    let pick = row_of(mask);
    for lane in 0..LANES {
        out[lane] = (a[lane] & !pick[lane]) | (b[lane] & pick[lane]);
    }
}

#[target_feature(enable = "avx2,fma,f16c")]
fn run(wave: &mut Wave, lanes: &Lanes<2>, mask: u16, is_half: bool) -> Step {
    let on = lanes.mask(wave);
    let (mask, known) = wave.scalar_mask_bits(mask);
    let (mut first, mut second) = (Spare::uninit(), Spare::uninit());
    let (a, a_written) = read(&lanes.sources[0], wave, on & !mask, &mut first)?;
    let (b, b_written) = read(&lanes.sources[1], wave, on & mask, &mut second)?;
    let mut out = [0; LANES];
    select(a, b, mask, &mut out);
    let row = lanes.destination.row(wave)?;
    // A register counts as written if half of it was.
    let rest = if is_half { wave.written(row) } else { 0 };
    let _ = wave.take_undefined();
    lanes.destination.write(wave, &mut out, on)?;
    wave.set_written(row, on, ((a_written & !mask) | (b_written & mask) | rest) & known);
    Ok(())
}

/// The operand's value, and the lanes in which it was written. Compilers select values that they never use, so reading one that
/// was not written is no fault; DPP faults for the lanes of `mask`.
#[inline(always)]
fn read<'r>(
    source: &Source,
    wave: &'r Wave,
    mask: u64,
    space: &'r mut Spare<u32>,
) -> Result<(&'r Row, u64), Box<Stop>> {
    Ok(match source.place {
        Place::Vector(file, number) if source.exchange.is_none() => {
            let written = wave.written(wave.row_index(file, number)?);
            (source.row(wave, 0, space)?, written)
        }
        Place::Scalar(number) if !wave.is_scalar_written(number) => (space.write([0; LANES]), 0),
        _ => (source.row(wave, mask, space)?, u64::MAX),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::assembly::{File, special};

    use crate::isa::element::Kind::{B16, B32};
    use crate::isa::testing::{Bench, Reference, check, samples};

    pub(crate) const REFERENCES: &[Reference] = &[
        Reference {
            name: "v_cndmask_b32",
            check: |name| {
                for processor in ["gfx906", "gfx1030", "gfx1100", "gfx1201"] {
                    both_sides(processor, name, 0);
                }
            },
        },
        Reference {
            name: "v_cndmask_b16",
            check: |name| {
                both_sides("gfx1201", name, 0xffff);
                // By a mask that is all one side.
                for processor in ["gfx1100", "gfx1201"] {
                    for (mask, side) in [("exec_lo", 1), ("null", 0)] {
                        let text = format!("{name} {{d}}, {{0}}, {{1}}, {mask}");
                        check(processor, &text, &[B16; 2], B16, |v| v[side]);
                    }
                }
            },
        },
    ];

    /// Lane by lane, with a random mask. `low` are the bits of the register that are written, if not all.
    fn both_sides(processor: &str, name: &str, low: u32) {
        let mut bench = Bench::new(processor);
        let mut random = fastrand::Rng::with_seed(11);
        let (vcc, pair) = if bench.target.lanes == 64 { ("vcc", "s[2:3]") } else { ("vcc_lo", "s2") };
        let values = samples(B32, &mut random);
        for (at, (text, mask)) in [
            (format!("{name} v0, v1, v2, {vcc}"), special::VCC),
            (format!("{name} v0, v1, v2, {pair}"), 2),
            (format!("{name} v0, -v1, |v2|, {pair}"), 2),
        ]
        .iter()
        .enumerate()
        {
            for _ in 0..8 {
                let (bits, exec) = (random.u64(..), random.u64(..));
                bench.set_exec(u64::MAX);
                let rows: [[u32; 64]; 3] = std::array::from_fn(|_| {
                    std::array::from_fn(|_| values[random.usize(..values.len())] as u32)
                });
                rows.iter().enumerate().for_each(|(at, row)| bench.set(at as u16, |lane| row[lane]));
                bench.wave.set_scalar_mask(*mask, bits);
                bench.set_exec(exec);
                bench.run(text);
                let written = if low == 0 { u32::MAX } else { low };
                let sign = (written >> 1) + 1;
                let result = bench.get(0);
                for lane in 0..bench.target.lanes {
                    let [old, mut a, mut b] = rows.map(|row| row[lane]);
                    if at == 2 {
                        (a, b) = (a ^ sign, b & !sign);
                    }
                    let expected = match (exec >> lane & 1, bits >> lane & 1) {
                        (0, _) => old,
                        (_, 0) => old & !written | a & written,
                        _ => old & !written | b & written,
                    };
                    assert_eq!(result[lane], expected, "{processor}: {text}, lane {lane}");
                }
            }
        }
    }

    #[test]
    fn constants_and_halves() {
        let mut bench = Bench::new("gfx1100");
        bench.set(1, |_| 0x1111_2222);
        bench.wave.set_scalar(3, 0xf0);
        bench.wave.set_scalar(4, 0xbeef);
        for (text, off, on) in [
            ("v_cndmask_b32_e64 v1, 1.0, -1.0, s3", 0x3f80_0000, 0xbf80_0000),
            ("v_cndmask_b32_e64 v1, 0, 0x80, s3", 0, 0x80),
            ("v_cndmask_b32_e64 v1, -1, s4, s3", u32::MAX, 0xbeef),
            ("v_cndmask_b16 v1.h, v1.l, v1.h, s3", 0x2222_2222, 0x1111_2222),
            ("v_cndmask_b16 v1.l, 0x7fff, s4, s3", 0x1111_7fff, 0x1111_beef),
            ("v_cndmask_b16 v1.h, -v1.h, |v1.l|, s3", 0x9111_2222, 0x2222_2222),
        ] {
            bench.set(1, |_| 0x1111_2222);
            bench.run(text);
            let result = bench.get(1);
            assert_eq!((result[0], result[5]), (off, on), "{text}");
        }
    }

    /// What was never written may be selected, but stays so.
    #[test]
    fn unwritten_values_pass() {
        let mut bench = Bench::new("gfx1100");
        bench.set(1, |_| 5);
        bench.wave.set_scalar(special::VCC, 0xffff_0000);
        bench.run("v_cndmask_b32_e32 v2, v1, v3, vcc_lo");
        let written =
            |bench: &Bench, number| bench.wave.written(bench.wave.row_index(File::Vector, number).unwrap());
        assert_eq!(written(&bench, 2), 0xffff);
        bench.run("v_cndmask_b32_e64 v1, s9, v1, vcc_lo");
        assert_eq!(written(&bench, 1), 0xffff_0000);
        bench.expect_undefined("v_mul_f32_e32 v4, v2, v2");
        bench.expect_undefined("v_cndmask_b32_e64 v4, v2, v2, s11");
        bench.set_exec(0xff);
        bench.run("v_mul_f32_e32 v4, v2, v2");
    }

    #[test]
    fn parts_of_registers() {
        for (processor, vcc) in [("gfx906", "vcc"), ("gfx1030", "vcc_lo")] {
            let mut bench = Bench::new(processor);
            bench.wave.set_scalar64(special::VCC, 0xf0);
            for (parts, off, on) in [
                ("dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:BYTE_0", 0x1111, 0x44),
                (
                    "dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_1",
                    0x2222_0000,
                    0x3333_0000,
                ),
                (
                    "dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3 src1_sel:BYTE_2",
                    0x5555_1155,
                    0x5555_3355,
                ),
            ] {
                bench.set(0, |_| 0x5555_5555);
                bench.set(1, |_| 0x1111_2222);
                bench.set(2, |_| 0x3333_4444);
                bench.run(&format!("v_cndmask_b32_sdwa v0, v1, v2, {vcc} {parts}"));
                let result = bench.get(0);
                assert_eq!((result[0], result[5]), (off, on), "{processor}: {parts}");
            }
        }
    }
}
