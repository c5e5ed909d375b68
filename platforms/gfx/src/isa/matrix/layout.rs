//! Matrices of 16 rows and columns, spread over the registers and lanes of a wave.

use std::marker::PhantomData;

use super::product::{Arithmetic, Factor, SIDE, Tile};
use crate::assembly::{DecodeError, Decoded, File, Operand, Statement, Value};
use crate::fault::{FaultKind, Step, Stop, fail};
use crate::isa::Execute;
use crate::isa::element::Kind;
use crate::isa::source::constant;
use crate::machine::wave::{LANES, Row, Wave};

/// Where elements lie: a lane's number, modulo 16, is the row in the left matrix, and the column in the others. The rest follows
/// from the group of 16 lanes and from the register.
pub(super) trait Layout: 'static {
    const LANES: usize;
    /// Registers of the left and of the right matrix. A lane has consecutive depths, two of halves in a register; groups of lanes
    /// follow one another until all depths are there, then repeat.
    const FACTOR_REGISTERS: usize;
    /// Whether consecutive rows of sums are in consecutive groups of lanes, rather than in consecutive registers.
    const INTERLEAVED: bool;
}

/// Groups of lanes that hold different elements of the left and of the right matrix.
const fn factor_groups<L: Layout>() -> usize {
    SIDE / (2 * L::FACTOR_REGISTERS)
}

pub(super) const fn sum_registers<L: Layout>() -> usize {
    SIDE * SIDE / L::LANES
}

/// Consecutive vector registers.
#[derive(Clone, Copy)]
pub(super) struct Registers {
    file: File,
    first: u16,
    count: u16,
}

impl Registers {
    fn decode(operand: &Operand, count: usize, index: usize) -> Decoded<Self> {
        let found = [File::Vector, File::Accumulator]
            .into_iter()
            .find_map(|file| operand.registers(file).map(|(first, count)| Self { file, first, count }));
        found.filter(|found| usize::from(found.count) == count).ok_or(DecodeError::Operand(index))
    }

    fn overlap(self, other: Self) -> bool {
        self.file == other.file
            && self.first < other.first + other.count
            && other.first < self.first + self.count
    }

    /// The row of one of them.
    #[inline(always)]
    pub(super) fn row(self, wave: &Wave, register: usize) -> Result<usize, Box<Stop>> {
        wave.row_index(self.file, self.first + register as u16)
    }
}

/// The sums before.
#[derive(Clone, Copy)]
pub(super) enum Before {
    Registers(Registers),
    Constant(f32),
}

/// The operands of `sums, left, right, sums before`.
pub(super) struct Operands<L> {
    pub(super) sums: Registers,
    pub(super) left: Registers,
    pub(super) right: Registers,
    pub(super) before: Before,
    layout: PhantomData<fn() -> L>,
}

impl<L: Layout> Operands<L> {
    pub(super) fn decode(statement: &Statement) -> Decoded<Self> {
        let [sums, left, right, before] = statement.exactly()?;
        let before_registers = Registers::decode(before, sum_registers::<L>(), 3);
        Ok(Self {
            sums: Registers::decode(sums, sum_registers::<L>(), 0)?,
            left: Registers::decode(left, L::FACTOR_REGISTERS, 1)?,
            right: Registers::decode(right, L::FACTOR_REGISTERS, 2)?,
            before: match before.value {
                Value::Integer(_) | Value::Float(_) if !before.is_modified() => {
                    let bits = constant(&before.value, Kind::F32).ok_or(DecodeError::Operand(3))?;
                    Before::Constant(f32::from_bits(bits as u32))
                }
                _ => Before::Registers(before_registers?),
            },
            layout: PhantomData,
        })
    }

    /// Refuses sums whose registers are partly read when they are written.
    pub(super) fn refuse_overlap(self) -> Decoded<Self> {
        let before = match self.before {
            Before::Registers(before) => before.first != self.sums.first && before.overlap(self.sums),
            Before::Constant(_) => false,
        };
        if before || self.sums.overlap(self.left) || self.sums.overlap(self.right) {
            return Err(DecodeError::Operand(0));
        }
        Ok(self)
    }

    pub(super) fn execute<F: Factor, A: Arithmetic>(self) -> Execute {
        // SAFETY: `crate::unavailable` refuses CPUs without these features.
        Box::new(move |wave, _| unsafe { run::<L, F, A>(wave, &self) })
    }
}

#[target_feature(enable = "avx2,fma,f16c")]
fn run<L: Layout, F: Factor, A: Arithmetic>(wave: &mut Wave, operands: &Operands<L>) -> Step {
    let all = wave.all();
    if wave.exec() != all {
        return lanes_off(wave.exec());
    }
    let left = factors::<L, F>(wave, operands.left)?;
    let right = factors::<L, F>(wave, operands.right)?;
    let mut sums = [[0.0; SIDE]; SIDE];
    match operands.before {
        Before::Constant(value) => sums = [[value; SIDE]; SIDE],
        Before::Registers(before) => {
            for register in 0..sum_registers::<L>() {
                let row = before.row(wave, register)?;
                wave.demand(row, all)?;
                let lanes = wave.row(row);
                for group in 0..L::LANES / SIDE {
                    for lane in 0..SIDE {
                        sums[sum_row::<L>(register, group)][lane] =
                            f32::from_bits(lanes[group * SIDE + lane]);
                    }
                }
            }
        }
    }
    A::accumulate::<F>(&left, &right, &mut sums);
    let mut lanes = [0; LANES];
    for register in 0..sum_registers::<L>() {
        for group in 0..L::LANES / SIDE {
            for lane in 0..SIDE {
                lanes[group * SIDE + lane] = sums[sum_row::<L>(register, group)][lane].to_bits();
            }
        }
        let row = operands.sums.row(wave, register)?;
        wave.set_row(row, &lanes, all);
    }
    Ok(())
}

/// The row of sums that a group of lanes of a register holds.
#[inline(always)]
pub(super) fn sum_row<L: Layout>(register: usize, group: usize) -> usize {
    if L::INTERLEAVED {
        register * (L::LANES / SIDE) + group
    } else {
        group * sum_registers::<L>() + register
    }
}

/// The left or the right matrix.
#[inline(always)]
fn factors<L: Layout, F: Factor>(wave: &Wave, registers: Registers) -> Result<Tile, Box<Stop>> {
    let mut tile = [[0.0; SIDE]; SIDE];
    for register in 0..L::FACTOR_REGISTERS {
        let row = registers.row(wave, register)?;
        wave.demand(row, wave.all())?;
        let lanes = wave.row(row);
        repeated::<L>(lanes, factor_groups::<L>(), registers, register)?;
        for group in 0..factor_groups::<L>() {
            let depth = 2 * (group * L::FACTOR_REGISTERS + register);
            for lane in 0..SIDE {
                let halves = lanes[group * SIDE + lane];
                tile[depth][lane] = F::widen(halves as u16);
                tile[depth + 1][lane] = F::widen((halves >> 16) as u16);
            }
        }
    }
    Ok(tile)
}

/// Fails unless the lanes behind so many groups repeat these.
#[inline(always)]
pub(super) fn repeated<L: Layout>(
    lanes: &Row,
    groups: usize,
    registers: Registers,
    register: usize,
) -> Result<(), Box<Stop>> {
    let different = groups * SIDE;
    if lanes[different..L::LANES] != lanes[..L::LANES - different] {
        return unequal(registers, register);
    }
    Ok(())
}

#[cold]
pub(super) fn lanes_off(exec: u64) -> Step {
    fail(FaultKind::LanesOff, format!("multiplies matrices with lanes off: exec is {exec:#x}"))
}

#[cold]
fn unequal<T>(registers: Registers, register: usize) -> Result<T, Box<Stop>> {
    fail(
        FaultKind::Unknown,
        format!(
            "lanes 16 to 31 of {}{} do not repeat lanes 0 to 15",
            registers.file,
            usize::from(registers.first) + register
        ),
    )
}

#[cfg(test)]
pub(super) mod tests {
    use crate::assembly::{DecodeError, File};
    use crate::fault::FaultKind;
    use crate::isa::testing::Bench;
    use crate::machine::wave::LANES;

    /// Where elements are, according to AMD's Matrix Instruction Calculator ("Matrix element to register mapping").
    pub(crate) struct Published {
        pub(crate) factor_registers: u16,
        pub(crate) sum_registers: u16,
        /// Register, half and lane of element (row, depth) of the left matrix, and of element (depth, column) of the right one.
        pub(crate) factor: fn(usize, usize) -> (usize, usize, usize),
        /// Whether lanes 16 to 31 repeat these.
        pub(crate) repeated: bool,
        /// Register and lane of element (row, column) of sums.
        pub(crate) sum: fn(usize, usize) -> (usize, usize),
    }

    const SUMS: u16 = 0;
    const LEFT: u16 = 20;
    const RIGHT: u16 = 40;
    const BEFORE: u16 = 60;

    struct Product<'p> {
        bench: Bench,
        published: &'p Published,
        encode: fn(f64) -> u16,
        /// Of sums.
        file: File,
    }

    impl Product<'_> {
        fn set_factors(&mut self, first: u16, value: impl Fn(usize, usize) -> f64) {
            let mut rows = vec![[0; LANES]; usize::from(self.published.factor_registers)];
            for side in 0..16 {
                for depth in 0..16 {
                    let bits = u32::from((self.encode)(value(side, depth)));
                    let (register, half, lane) = (self.published.factor)(side, depth);
                    rows[register][lane] |= bits << (16 * half);
                    if self.published.repeated {
                        rows[register][lane + 16] = rows[register][lane];
                    }
                }
            }
            self.bench.set_rows(File::Vector, first, &rows);
        }

        fn set_sums(&mut self, first: u16, value: impl Fn(usize, usize) -> f64) {
            let mut rows = vec![[0; LANES]; usize::from(self.published.sum_registers)];
            for row in 0..16 {
                for column in 0..16 {
                    let (register, lane) = (self.published.sum)(row, column);
                    rows[register][lane] = (value(row, column) as f32).to_bits();
                }
            }
            self.bench.set_rows(self.file, first, &rows);
        }

        fn sum(&self, first: u16, row: usize, column: usize) -> f64 {
            let (register, lane) = (self.published.sum)(row, column);
            let row = self.bench.wave.row_index(self.file, first + register as u16).unwrap();
            f32::from_bits(self.bench.wave.row(row)[lane]).into()
        }

        /// The instruction's text, with sums before in registers from `before`.
        fn text(&self, name: &str, before: u16) -> String {
            let registers = |file, first, count| format!("{file}[{first}:{}]", first + count - 1);
            format!(
                "{name} {}, {}, {}, {}",
                registers(self.file, SUMS, self.published.sum_registers),
                registers(File::Vector, LEFT, self.published.factor_registers),
                registers(File::Vector, RIGHT, self.published.factor_registers),
                registers(self.file, before, self.published.sum_registers)
            )
        }
    }

    /// Compares products of whole numbers, which are exact, with infinities and NaNs among them.
    pub(crate) fn check(
        processor: &str,
        name: &str,
        encode: fn(f64) -> u16,
        published: &Published,
        file: File,
    ) {
        let mut random = fastrand::Rng::with_seed(11);
        for round in 0..20 {
            let mut product = Product { bench: Bench::new(processor), published, encode, file };
            let mut tile = |limit: i32| -> [[f64; 16]; 16] {
                std::array::from_fn(|_| std::array::from_fn(|_| f64::from(random.i32(-limit..=limit))))
            };
            let (mut left, mut right, mut before) = (tile(8), tile(8), tile(100));
            if round % 4 == 3 {
                (left[3][5], right[9][12], right[4][2]) = (f64::INFINITY, f64::NEG_INFINITY, f64::NAN);
                (right[5][7], before[6][12], before[13][1]) = (0.0, f64::INFINITY, f64::NAN);
            }
            product.set_factors(LEFT, |row, depth| left[row][depth]);
            product.set_factors(RIGHT, |column, depth| right[depth][column]);
            let (first, operand) = match round % 4 {
                0 => (SUMS, None),
                1 => (BEFORE, Some(("0", 0.0))),
                2 => (BEFORE, Some(("-4.0", -4.0))),
                _ => (BEFORE, None),
            };
            product.set_sums(first, |row, column| before[row][column]);
            let mut text = product.text(name, first);
            if let Some((constant, value)) = operand {
                before = [[value; 16]; 16];
                text.replace_range(text.rfind(", ").unwrap() + 2.., constant);
            }
            product.bench.run(&text);
            for row in 0..16 {
                for column in 0..16 {
                    let expected = (0..16).fold(before[row][column], |sum, depth| {
                        sum + left[row][depth] * right[depth][column]
                    });
                    let sum = product.sum(SUMS, row, column);
                    assert!(
                        sum == expected || (sum.is_nan() && expected.is_nan()),
                        "{processor}: {text}: {sum}, expected {expected}, at ({row}, {column})"
                    );
                }
            }
        }
        refusals(processor, name, encode, published, file);
    }

    fn refusals(processor: &str, name: &str, encode: fn(f64) -> u16, published: &Published, file: File) {
        let product = || {
            let mut product = Product { bench: Bench::new(processor), published, encode, file };
            product.set_factors(LEFT, |_, _| 1.0);
            product.set_factors(RIGHT, |_, _| 1.0);
            product.set_sums(BEFORE, |_, _| 0.0);
            let text = product.text(name, BEFORE);
            (product.bench, text)
        };
        let (mut bench, text) = product();
        bench.set_exec(bench.wave.all() >> 1);
        assert_eq!(bench.fault(&text), FaultKind::LanesOff);
        for (file, number) in [(File::Vector, LEFT), (File::Vector, RIGHT + 1), (file, BEFORE + 3)] {
            let (mut bench, text) = product();
            let row = bench.wave.row_index(file, number).unwrap();
            bench.wave.set_written(row, 1 << 31, 0);
            assert_eq!(bench.fault(&text), FaultKind::Undefined);
        }
        for (more, error) in [
            (" cbsz:1", DecodeError::Modifier("cbsz:1".to_owned())),
            (" blgp:2", DecodeError::Modifier("blgp:2".to_owned())),
            (" neg_lo:[1,0,0]", DecodeError::Modifier("neg_lo:[1,0,0]".to_owned())),
            (", v1", DecodeError::OperandCount(5)),
        ] {
            assert_eq!(bench.refusal(&(text.clone() + more)), error);
        }
        let longer = text.replace(&format!("v[{LEFT}:"), &format!("v[{}:", LEFT - 1));
        assert_eq!(bench.refusal(&longer), DecodeError::Operand(1));
        let literal = format!("{}, 0x3f800000", &text[..text.rfind(',').unwrap()]);
        assert_eq!(bench.refusal(&literal), DecodeError::Operand(3));
    }
}
