//! Moves between vector and scalar registers, and between rows of lanes (RDNA3 ISA guide, section 16.12 "VOP3"; CDNA4 ISA guide, section
//! "VOP1", for the swaps).

use crate::assembly::{DecodeError, Decoded, File, Operand, Statement};
use crate::fault::{FaultKind, Step, Stop, fail};
use crate::isa::cross_lane::{Exchange, Missing};
use crate::isa::element::Kind;
use crate::isa::lanes::Lanes;
use crate::isa::source::{Place, Source};
use crate::isa::{Execute, Form};
use crate::machine::wave::{LANES, Wave};
use crate::target::Target;

pub(crate) const FORMS: &[Form] = &[
    Form { name: "v_readfirstlane_b32", decode: read_first_lane },
    Form { name: "v_readlane_b32", decode: read_lane },
    Form { name: "v_writelane_b32", decode: write_lane },
    Form { name: "v_permlane16_b32", decode: |statement, target| permute(statement, target, 0) },
    Form { name: "v_permlanex16_b32", decode: |statement, target| permute(statement, target, 16) },
    Form { name: "v_permlane16_var_b32", decode: |statement, target| permute_variably(statement, target, 0) },
    Form {
        name: "v_permlanex16_var_b32",
        decode: |statement, target| permute_variably(statement, target, 16),
    },
    Form { name: "v_permlane64_b32", decode: permute_halves },
    Form { name: "v_permlane16_swap_b32", decode: |statement, _| swap_rows(statement, 16) },
    Form { name: "v_permlane32_swap_b32", decode: |statement, _| swap_rows(statement, 32) },
];

fn vector(operand: &Operand, index: usize) -> Decoded<u16> {
    match operand.registers(File::Vector) {
        Some((number, 1)) => Ok(number),
        _ => Err(DecodeError::Operand(index)),
    }
}

fn scalar(operand: &Operand, index: usize) -> Decoded<u16> {
    match operand.registers(File::Scalar) {
        Some((number, 1)) => Ok(number),
        _ => Err(DecodeError::Operand(index)),
    }
}

/// A scalar register or constant.
fn uniform(operand: &Operand, index: usize) -> Decoded<Place> {
    match Source::decode(operand, Kind::B32, index)?.place {
        place @ (Place::Scalar(_) | Place::Constant(_)) => Ok(place),
        Place::Vector(..) | Place::Scc => Err(DecodeError::Operand(index)),
    }
}

fn value(place: Place, wave: &Wave) -> Result<u32, Box<Stop>> {
    match place {
        Place::Scalar(number) => wave.scalar(number),
        Place::Constant(bits) => Ok(bits as u32),
        Place::Vector(..) | Place::Scc => unreachable!("`uniform` refuses them"),
    }
}

/// Copies a lane, and whether it was written.
fn copy_lane(wave: &mut Wave, row: usize, lane: usize, to: u16) {
    let written = if wave.written(row) >> lane & 1 != 0 { u32::MAX } else { 0 };
    wave.set_scalar_bits(to, wave.row(row)[lane], written);
}

fn read_first_lane(statement: &mut Statement, _: &Target) -> Decoded<Execute> {
    let [to, from] = statement.exactly()?;
    let (to, from) = (scalar(to, 0)?, vector(from, 1)?);
    Ok(Box::new(move |wave, _| {
        let row = wave.row_index(File::Vector, from)?;
        let exec = wave.exec();
        let lane = if exec == 0 { 0 } else { exec.trailing_zeros() as usize };
        copy_lane(wave, row, lane, to);
        Ok(())
    }))
}

fn read_lane(statement: &mut Statement, _: &Target) -> Decoded<Execute> {
    let [to, from, lane] = statement.exactly()?;
    let (to, from, lane) = (scalar(to, 0)?, vector(from, 1)?, uniform(lane, 2)?);
    Ok(Box::new(move |wave, _| {
        let row = wave.row_index(File::Vector, from)?;
        let lane = value(lane, wave)? as usize % wave.lanes;
        copy_lane(wave, row, lane, to);
        Ok(())
    }))
}

fn write_lane(statement: &mut Statement, _: &Target) -> Decoded<Execute> {
    let [to, from, lane] = statement.exactly()?;
    let (to, from, lane) = (vector(to, 0)?, uniform(from, 1)?, uniform(lane, 2)?);
    Ok(Box::new(move |wave, _| {
        let row = wave.row_index(File::Vector, to)?;
        let mask = 1 << (value(lane, wave)? as usize % wave.lanes);
        let (value, written) = match from {
            Place::Scalar(number) => wave.scalar_bits(number),
            from => (value(from, wave)?.into(), u64::MAX),
        };
        wave.set_row(row, &[value as u32; LANES], mask);
        // This is how compilers save masks of lanes, of which they may have written only the bits that matter.
        wave.set_written(row, mask, if written == 0 { 0 } else { mask });
        Ok(())
    }))
}

/// What `op_sel` says: whether lanes that are off give their values, and what a lane gets that takes such a value otherwise.
fn take_bounds(statement: &mut Statement) -> Decoded<(Missing, bool)> {
    let bits = statement.take_list("op_sel")?.unwrap_or_default();
    if bits.len() > 4 || bits.iter().skip(2).any(|&bit| bit != 0) {
        return Err(DecodeError::Modifier("op_sel".to_owned()));
    }
    let bit = |at: usize| bits.get(at).is_some_and(|&bit| bit != 0);
    Ok((if bit(1) { Missing::Zero } else { Missing::Nothing }, bit(0)))
}

/// `v_permlane16_b32 v0, v1, s0, s1`: 16 numbers of lanes, the same for every row. `other` is 16 to take from the other row of two.
fn permute(statement: &mut Statement, target: &Target, other: usize) -> Decoded<Execute> {
    let (missing, inactive) = take_bounds(statement)?;
    let [_, _, low, high] = statement.exactly()?;
    let (low, high) = (uniform(low, 2)?, uniform(high, 3)?);
    statement.operands.truncate(2);
    let lanes = decode_permutation(statement, target)?;
    Ok(Box::new(move |wave, _| {
        let numbers = u64::from(value(low, wave)?) | u64::from(value(high, wave)?) << 32;
        let from = |lane: usize| ((lane & !15) ^ other) + (numbers >> (4 * (lane % 16)) & 15) as usize;
        exchange(wave, &lanes, &Exchange::of(|lane| Some(from(lane))).with(missing, inactive))
    }))
}

/// `v_permlane16_var_b32 v0, v1, v2`: each lane has its own number.
fn permute_variably(statement: &mut Statement, target: &Target, other: usize) -> Decoded<Execute> {
    let (missing, inactive) = take_bounds(statement)?;
    let [_, _, numbers] = statement.exactly()?;
    let numbers = vector(numbers, 2)?;
    statement.operands.truncate(2);
    let lanes = decode_permutation(statement, target)?;
    Ok(Box::new(move |wave, _| {
        let row = wave.row_index(File::Vector, numbers)?;
        wave.demand(row, wave.exec())?;
        let numbers = *wave.row(row);
        let from = |lane: usize| ((lane & !15) ^ other) + (numbers[lane] & 15) as usize;
        exchange(wave, &lanes, &Exchange::of(|lane| Some(from(lane))).with(missing, inactive))
    }))
}

/// `v_permlane64_b32 v0, v1`: swaps the halves of a wave of 64, and does nothing to one of 32.
fn permute_halves(statement: &mut Statement, target: &Target) -> Decoded<Execute> {
    let lanes = decode_permutation(statement, target)?;
    let halves = Exchange::of(|lane| Some(lane ^ 32)).with(Missing::Nothing, true);
    Ok(Box::new(move |wave, _| if wave.lanes == LANES { exchange(wave, &lanes, &halves) } else { Ok(()) }))
}

fn decode_permutation(statement: &mut Statement, target: &Target) -> Decoded<Lanes<1>> {
    let lanes = Lanes::decode(statement, target, Kind::B32, [Kind::B32])?;
    match lanes.sources[0].place {
        Place::Vector(..) if lanes.sources[0].exchange.is_none() => Ok(lanes),
        _ => Err(DecodeError::Operand(1)),
    }
}

fn exchange(wave: &mut Wave, lanes: &Lanes<1>, exchange: &Exchange) -> Step {
    let Place::Vector(file, number) = lanes.sources[0].place else {
        unreachable!("`decode_permutation` refuses others")
    };
    let row = wave.row_index(file, number)?;
    let mask = wave.exec() & exchange.written(wave);
    let mut values = [0; LANES];
    exchange.read(wave, row, mask, &mut values)?;
    lanes.destination.write(wave, &mut values, mask)
}

/// `v_permlane32_swap_b32 v0, v1`: swaps the odd rows of the first with the even rows of the second; a row has `size` lanes.
fn swap_rows(statement: &mut Statement, size: usize) -> Decoded<Execute> {
    let [first, second] = statement.exactly()?;
    let (first, second) = (vector(first, 0)?, vector(second, 1)?);
    // They say what happens with lanes off, which stops the wave.
    statement.take("bound_ctrl");
    statement.take("fi");
    Ok(Box::new(move |wave, _| {
        if wave.exec() != wave.all() {
            return fail(FaultKind::LanesOff, "swaps rows of lanes of which some are off");
        }
        let (first, second) = (wave.row_index(File::Vector, first)?, wave.row_index(File::Vector, second)?);
        wave.demand(first, wave.all())?;
        wave.demand(second, wave.all())?;
        let (mut a, mut b) = (*wave.row(first), *wave.row(second));
        for even in (0..wave.lanes).filter(|lane| (lane / size).is_multiple_of(2)) {
            std::mem::swap(&mut a[even + size], &mut b[even]);
        }
        let all = wave.all();
        wave.set_row(first, &a, all);
        wave.set_row(second, &b, all);
        Ok(())
    }))
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::assembly::special;
    use crate::fault::FaultKind;
    use crate::isa::testing::{Bench, Reference};

    const PROCESSORS: [&str; 4] = ["gfx906", "gfx90a", "gfx1030", "gfx1201"];

    fn first_lanes(_: &str) {
        for processor in PROCESSORS {
            let mut bench = Bench::new(processor);
            bench.set(3, |lane| lane as u32 * 3 + 1);
            for (exec, lane) in [(u64::MAX, 0), (0x8000_0000, 31), (0b1010_0000, 5), (0, 0)] {
                bench.set_exec(exec);
                bench.run("v_readfirstlane_b32 s7, v3\nv_readfirstlane_b32 vcc_hi, v3");
                assert_eq!(bench.wave.scalar(7).unwrap(), lane * 3 + 1, "{processor}");
                assert_eq!(bench.wave.scalar(special::VCC + 1).unwrap(), lane * 3 + 1, "{processor}");
            }
        }
    }

    fn lanes(_: &str) {
        for processor in PROCESSORS {
            let mut bench = Bench::new(processor);
            bench.set(3, |lane| lane as u32 * 3 + 1);
            bench.set_exec(0);
            bench.wave.set_scalar(special::M0, 200);
            bench.wave.set_scalar(8, 7);
            bench.run("v_readlane_b32 s0, v3, 31\nv_readlane_b32 s1, v3, m0\nv_readlane_b32 s2, v3, s8");
            let at = |lane: u32| lane * 3 + 1;
            let expected = [at(31), at(200 % bench.wave.lanes as u32), at(7)];
            assert_eq!([0, 1, 2].map(|number| bench.wave.scalar(number).unwrap()), expected, "{processor}");
            // v4 was never written.
            bench.run("v_readlane_b32 s5, v4, 0");
            assert!(!bench.wave.is_scalar_written(5));
        }
    }

    fn writes(_: &str) {
        for processor in PROCESSORS {
            let mut bench = Bench::new(processor);
            bench.set(3, |lane| lane as u32);
            bench.set_exec(0);
            bench.wave.set_scalar(8, 77);
            bench.wave.set_scalar(9, 30);
            bench.run("v_writelane_b32 v3, s8, 2\nv_writelane_b32 v3, -1, s9\nv_writelane_b32 v5, s8, 1");
            let lanes = bench.get(3);
            assert_eq!((lanes[1], lanes[2], lanes[30], lanes[31]), (1, 77, u32::MAX, 31), "{processor}");
            // Spilled registers: other lanes, and scalars that were never written.
            bench.run("v_writelane_b32 v5, s20, 2\nv_readlane_b32 s21, v5, 1\nv_readlane_b32 s22, v5, 2");
            assert_eq!(bench.wave.scalar(21).unwrap(), 77);
            assert!(!bench.wave.is_scalar_written(22));
        }
    }

    fn permutations(name: &str) {
        let other = if name.contains("x16") { 16 } else { 0 };
        for processor in ["gfx1030", "gfx1100", "gfx1201"] {
            let mut bench = Bench::new(processor);
            bench.set(1, |lane| lane as u32 + 1000);
            // Lane i of a row takes from lane 15 - i.
            bench.wave.set_scalar(2, 0x89ab_cdef);
            bench.wave.set_scalar(3, 0x0123_4567);
            bench.set(2, |lane| 15 - lane as u32 % 16);
            let numbers = if name.contains("var") { "v2" } else { "s2, s3" };
            let expected = |lane: usize| ((lane / 16 * 16) ^ other) as u32 + 15 - lane as u32 % 16 + 1000;
            bench.run(&format!("{name} v0, v1, {numbers}"));
            assert!((0..32).all(|lane| bench.get(0)[lane] == expected(lane)), "{processor}");
            // Lanes 0 and 16 are off: they stay, and who takes from them stays, gets 0 or their value.
            for (modifier, lost) in
                [("", Some(5)), (" op_sel:[0,1]", Some(0)), (" op_sel:[1,0]", None), (" op_sel:[1,1]", None)]
            {
                bench.set(0, |_| 5);
                bench.set_exec(0xfffe_fffe);
                bench.run(&format!("{name} v0, v1, {numbers}{modifier}"));
                for lane in 0..32 {
                    let expected = match lane {
                        0 | 16 => 5,
                        15 | 31 => lost.unwrap_or(expected(lane)),
                        _ => expected(lane),
                    };
                    assert_eq!(bench.get(0)[lane], expected, "{processor} {modifier} {lane}");
                }
                bench.set_exec(u64::MAX);
            }
        }
    }

    fn row_swaps(name: &str) {
        let size = if name.contains("16") { 16 } else { 32 };
        let mut bench = Bench::new("gfx950");
        bench.set(0, |lane| lane as u32);
        bench.set(1, |lane| lane as u32 + 100);
        bench.run(&format!("{name}_e32 v0, v1"));
        let (a, b) = (bench.get(0), bench.get(1));
        for lane in 0..64 {
            let number = lane as u32;
            let odd = lane / size % 2 == 1;
            let expected =
                if odd { (number + 100 - size as u32, number + 100) } else { (number, number + size as u32) };
            assert_eq!((a[lane], b[lane]), expected);
        }
        bench.set_exec(1);
        assert_eq!(bench.fault(&format!("{name}_e64 v0, v1 bound_ctrl:1 fi:1")), FaultKind::LanesOff);
    }

    pub(crate) const REFERENCES: &[Reference] = &[
        Reference { name: "v_readfirstlane_b32", check: first_lanes },
        Reference { name: "v_readlane_b32", check: lanes },
        Reference { name: "v_writelane_b32", check: writes },
        Reference { name: "v_permlane16_b32", check: permutations },
        Reference { name: "v_permlanex16_b32", check: permutations },
        Reference { name: "v_permlane16_var_b32", check: permutations },
        Reference { name: "v_permlanex16_var_b32", check: permutations },
        Reference {
            name: "v_permlane64_b32",
            check: |name| {
                // All waves here that have it are of 32 lanes.
                let mut bench = Bench::new("gfx1100");
                bench.set(0, |_| 1);
                bench.set(1, |_| 2);
                bench.run(&format!("{name} v0, v1"));
                assert_eq!(bench.get(0)[0], 1);
            },
        },
        Reference { name: "v_permlane16_swap_b32", check: row_swaps },
        Reference { name: "v_permlane32_swap_b32", check: row_swaps },
    ];
}
