//! Packed arithmetic on pairs of registers, which gfx90a and its successors have (CDNA3 ISA guide, section 12.9 "VOP3P").

use super::vop3p::{Modifiers, compute};
use crate::assembly::{DecodeError, Decoded, Operand, Statement, Value};
use crate::fault::Step;
use crate::isa::element::Kind;
use crate::isa::lanes::Destination;
use crate::isa::plain::Plain;
use crate::isa::source::{Place, Source, Spare, spares};
use crate::isa::{Execute, Form};
use crate::machine::wave::{LANES, Row, Wave, each_lane};
use crate::target::Target;

pub(crate) const FORMS: &[Form] = &[
    Form { name: "v_pk_add_f32", decode: |statement, target| decode(statement, target, |[a, b]| a + b) },
    Form { name: "v_pk_mul_f32", decode: |statement, target| decode(statement, target, |[a, b]| a * b) },
    Form {
        name: "v_pk_fma_f32",
        decode: |statement, target| decode(statement, target, |[a, b, c]: [f32; 3]| a.mul_add(b, c)),
    },
    Form { name: "v_pk_mov_b32", decode: decode_move },
];

/// What gives each register of a result.
struct Pair<const N: usize> {
    first: [Source; N],
    second: [Source; N],
    destinations: [Destination; 2],
}

fn decode<const N: usize>(
    statement: &mut Statement,
    target: &Target,
    f: impl Fn([f32; N]) -> f32 + Copy + Send + Sync + 'static,
) -> Decoded<Execute> {
    if statement.operands.len() != N + 1 {
        return Err(DecodeError::OperandCount(statement.operands.len()));
    }
    let modifiers = Modifiers::<N>::take(statement)?;
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for index in 0..N {
        let operand = &statement.operands[index + 1];
        first.push(half(operand, index, modifiers.op_sel[index], modifiers.neg_lo[index])?);
        second.push(half(operand, index, modifiers.op_sel_hi[index], modifiers.neg_hi[index])?);
    }
    let all = |sources: Vec<Source>| sources.try_into().map_err(|_| DecodeError::OperandCount(N));
    let destinations = destinations(&statement.operands[0], target)?;
    let pair = Pair { first: all(first)?, second: all(second)?, destinations };
    let f = move |words: [u32; N]| f(words.map(f32::from_bits)).to_bits();
    let [to_first, to_second] = &pair.destinations;
    Ok(match (Plain::of(to_first, &pair.first), Plain::of(to_second, &pair.second)) {
        (Some(first), Some(second)) => {
            // SAFETY: `crate::unavailable` refuses CPUs without these features.
            Box::new(move |wave, _| unsafe { run_plain(wave, &[first, second], f) })
        }
        // SAFETY: as above.
        _ => Box::new(move |wave, _| unsafe { run(wave, &pair, f) }),
    })
}

#[target_feature(enable = "avx2,fma,f16c")]
fn run_plain<const N: usize>(wave: &mut Wave, pair: &[Plain<N>; 2], f: impl Fn([u32; N]) -> u32) -> Step {
    let mask = wave.exec();
    let (mut spaces, mut out, mut written) = (spares(), [[0; LANES]; 2], [0; 2]);
    // Both before either is written, as it may be an operand.
    for (at, plain) in pair.iter().enumerate() {
        let rows;
        (rows, written[at]) = plain.read(wave, &mut spaces)?;
        for lane in each_lane(wave.lanes) {
            out[at][lane] = f(rows.map(|row| row[lane]));
        }
    }
    for (at, plain) in pair.iter().enumerate() {
        plain.write(wave, &out[at], mask, written[at])?;
    }
    Ok(())
}

/// The operand of one register of the result: a register of the operand's pair.
fn half(operand: &Operand, index: usize, upper: bool, negated: bool) -> Decoded<Source> {
    let mut operand = operand.clone();
    match &mut operand.value {
        Value::Registers { first, count, .. } if *count == 2 => {
            *first += u16::from(upper);
            *count = 1;
        }
        Value::Registers { .. } => return Err(DecodeError::Operand(index + 1)),
        _ => {}
    }
    let mut source = Source::decode(&operand, Kind::F32, index + 1)?;
    // LLVM reads a constant's lower half only; what the upper one is has not been documented.
    if upper && matches!(source.place, Place::Constant(bits) if bits != 0) {
        return Err(DecodeError::Operand(index + 1));
    }
    source.negated ^= negated;
    Ok(source)
}

fn destinations(operand: &Operand, target: &Target) -> Decoded<[Destination; 2]> {
    let mut registers = [operand.clone(), operand.clone()];
    for (at, operand) in registers.iter_mut().enumerate() {
        match &mut operand.value {
            Value::Registers { first, count, .. } if *count == 2 => {
                *first += at as u16;
                *count = 1;
            }
            _ => return Err(DecodeError::Operand(0)),
        }
    }
    let [first, second] = &registers;
    Ok([Destination::decode(first, Kind::F32, target)?, Destination::decode(second, Kind::F32, target)?])
}

#[target_feature(enable = "avx2,fma,f16c")]
fn run<const N: usize>(wave: &mut Wave, pair: &Pair<N>, f: impl Fn([u32; N]) -> u32 + Copy) -> Step {
    let mask = wave.exec();
    let mut spaces = spares();
    let (mut first, mut second) = ([0; LANES], [0; LANES]);
    // Both before either is written, as it may be an operand.
    compute(wave, mask, &pair.first, &mut spaces, &mut first, f)?;
    compute(wave, mask, &pair.second, &mut spaces, &mut second, f)?;
    pair.destinations[0].write(wave, &mut first, mask)?;
    pair.destinations[1].write(wave, &mut second, mask)
}

/// `v_pk_mov_b32`: `op_sel` chooses the register of each operand's pair; `op_sel_hi` has no meaning.
fn decode_move(statement: &mut Statement, target: &Target) -> Decoded<Execute> {
    let modifiers = Modifiers::<2>::take(statement)?;
    if modifiers.op_sel_hi != [true; 2] || modifiers.neg_lo != [false; 2] || modifiers.neg_hi != [false; 2] {
        return Err(DecodeError::Modifier("op_sel_hi".to_owned()));
    }
    let [destination, first, second] = statement.exactly()?;
    let sources = [half(first, 0, modifiers.op_sel[0], false)?, half(second, 1, modifiers.op_sel[1], false)?];
    if sources.iter().any(|source| source.negated || source.absolute) {
        return Err(DecodeError::Operand(1));
    }
    let destinations = destinations(destination, target)?;
    Ok(Box::new(move |wave, _| {
        let mask = wave.exec();
        let (mut values, mut written) = ([[0; LANES]; 2], [u64::MAX; 2]);
        for (at, source) in sources.iter().enumerate() {
            (values[at], written[at]) = copy(source, wave)?;
        }
        for (at, destination) in destinations.iter().enumerate() {
            let row = destination.row(wave)?;
            let is = wave.written(row) & !mask | written[at] & mask;
            destination.write(wave, &mut values[at], mask)?;
            wave.set_written(row, mask, is);
        }
        Ok(())
    }))
}

/// A register's value, and in which lanes it was written.
fn copy(source: &Source, wave: &Wave) -> Result<(Row, u64), Box<crate::fault::Stop>> {
    if let Place::Vector(file, number) = source.place {
        let row = wave.row_index(file, number)?;
        return Ok((*wave.row(row), wave.written(row)));
    }
    let mut space = Spare::uninit();
    let row = *source.row(wave, wave.exec(), &mut space)?;
    Ok((row, u64::MAX))
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::assembly::File;

    use crate::isa::element::Kind::F32;
    use crate::isa::testing::{Bench, Reference, same, samples};

    pub(crate) const REFERENCES: &[Reference] = &[
        Reference { name: "v_pk_add_f32", check: |name| pairs::<2>(name, |v| (v[0] + v[1]) as f32) },
        Reference { name: "v_pk_mul_f32", check: |name| pairs::<2>(name, |v| (v[0] * v[1]) as f32) },
        Reference {
            name: "v_pk_fma_f32",
            check: |name| pairs::<3>(name, |v| (v[0] as f32).mul_add(v[1] as f32, v[2] as f32)),
        },
        Reference { name: "v_pk_mov_b32", check: moves },
    ];

    /// Compares both halves with `f`, for every choice of registers and signs.
    fn pairs<const N: usize>(name: &str, f: impl Fn([f64; N]) -> f32) {
        let mut random = fastrand::Rng::with_seed(5);
        let values = samples(F32, &mut random);
        let registers = ["v[4:5]", "v[8:9]", "v[0:1]"][..N].join(", ");
        for processor in ["gfx90a", "gfx942", "gfx950"] {
            for _ in 0..200 {
                // op_sel, op_sel_hi, neg_lo, neg_hi.
                let bits: [[usize; N]; 4] =
                    std::array::from_fn(|_| std::array::from_fn(|_| random.usize(..2)));
                let [op_sel, op_sel_hi, neg_lo, neg_hi] = bits;
                let text = format!(
                    "{name} v[0:1], {registers} op_sel:{op_sel:?} op_sel_hi:{op_sel_hi:?} neg_lo:{neg_lo:?} neg_hi:{neg_hi:?}"
                )
                .replace(", ", ",")
                .replace(",v", ", v");
                let mut bench = Bench::new(processor);
                let mut column =
                    || -> [u32; 64] { std::array::from_fn(|_| values[random.usize(..values.len())] as u32) };
                let rows: [[[u32; 64]; 2]; 3] = std::array::from_fn(|_| [column(), column()]);
                for (first, row) in [4, 8, 0].into_iter().zip(&rows) {
                    bench.set(first, |lane| row[0][lane]);
                    bench.set(first + 1, |lane| row[1][lane]);
                }
                let exec = random.u64(..);
                bench.set_exec(exec);
                bench.run(&text);
                for (half, (select, negate)) in
                    [(op_sel, neg_lo), (op_sel_hi, neg_hi)].into_iter().enumerate()
                {
                    for (lane, &result) in bench.get(half as u16).iter().enumerate() {
                        let operands = std::array::from_fn(|at| {
                            let value = f64::from(f32::from_bits(rows[at][select[at]][lane]));
                            if negate[at] == 1 { -value } else { value }
                        });
                        let is_on = exec >> lane & 1 == 1;
                        let expected = if is_on { f(operands).to_bits() } else { rows[2][half][lane] };
                        assert!(
                            same(F32, result.into(), expected.into()),
                            "{processor}: {text}: {result:#x}, expected {expected:#x}"
                        );
                    }
                }
            }
        }
    }

    fn moves(name: &str) {
        for (modifiers, expected) in [
            ("", [40, 80]),
            ("op_sel:[1,0]", [50, 80]),
            ("op_sel:[0,1]", [40, 90]),
            ("op_sel:[1,1]", [50, 90]),
        ] {
            let mut bench = Bench::new("gfx90a");
            for register in [4, 5, 8, 9] {
                bench.set(register, |_| u32::from(register) * 10);
            }
            bench.set_exec(0xff00);
            bench.run(&format!("{name} v[0:1], v[4:5], v[8:9] {modifiers}"));
            assert_eq!([bench.get(0)[10], bench.get(1)[10]], expected);
            assert_ne!(bench.get(0)[0], expected[0]);
            bench.set_exec(u64::MAX);
            bench.expect_undefined("v_add_f32_e32 v0, v0, v0");
        }
        // It may copy what was never written, but that stays so.
        let mut bench = Bench::new("gfx90a");
        bench.set(4, |_| 1);
        bench.set(1, |_| 2);
        bench.run(&format!("{name} v[0:1], v[4:5], v[8:9]"));
        let written = |number| bench.wave.written(bench.wave.row_index(File::Vector, number).unwrap());
        assert_eq!((written(0), written(1)), (u64::MAX, 0));
    }

    #[test]
    fn constants_and_scalars() {
        let mut bench = Bench::new("gfx942");
        bench.set(2, |_| 3_f32.to_bits());
        bench.set(3, |_| 5_f32.to_bits());
        bench.wave.set_scalar(4, 10_f32.to_bits());
        bench.wave.set_scalar(5, 20_f32.to_bits());
        let both = |bench: &Bench| [0, 1].map(|number| f32::from_bits(bench.get(number)[40]));
        bench.run("v_pk_fma_f32 v[0:1], v[2:3], -2.0, 1.0 op_sel_hi:[1,0,0]");
        assert_eq!(both(&bench), [-5.0, -9.0]);
        bench.run("v_pk_add_f32 v[0:1], v[2:3], s[4:5]");
        assert_eq!(both(&bench), [13.0, 25.0]);
        bench.run("v_pk_mul_f32 v[0:1], v[2:3], s[4:5] op_sel:[1,0] op_sel_hi:[0,0]");
        assert_eq!(both(&bench), [50.0, 30.0]);
        bench.run("v_pk_add_f32 v[0:1], v[2:3], 0 neg_lo:[1,1] neg_hi:[1,1]");
        assert_eq!(both(&bench), [-3.0, -5.0]);
        bench.refusal("v_pk_add_f32 v[0:1], v[2:3], 1.0");
        bench.refusal("v_pk_add_f32 v[0:1], v[2:3], v[4:5] clamp");
    }
}
