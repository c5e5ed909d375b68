//! Matrix products of bytes, whose sums are integers (RDNA3 ISA guide, section 7.9; RDNA4 ISA guide, section 7.12; CDNA3 ISA guide,
//! chapter 7).

use super::layout::{Before, Layout, Operands, Registers, lanes_off, repeated, sum_registers, sum_row};
use super::product::SIDE;
use crate::assembly::{DecodeError, Decoded, Statement};
use crate::fault::{Step, Stop};
use crate::isa::{Execute, Form};
use crate::machine::wave::{LANES, Wave};
use crate::target::Target;

/// The names of MFMA differ between gfx90a and gfx942, and so do the depths.
pub(crate) const FORMS: &[Form] = &[
    Form { name: "v_wmma_i32_16x16x16_iu8", decode: wmma },
    Form { name: "v_mfma_i32_16x16x16i8", decode: mfma16 },
    Form { name: "v_mfma_i32_16x16x32_i8", decode: mfma32 },
];

/// Depths of the longest product.
const MOST_DEPTHS: usize = 32;

/// A layout of bytes: a lane has consecutive depths, four in a register.
trait Bytes: Layout {
    const DEPTHS: usize;
}

/// gfx11: lanes 16 to 31 repeat the left and the right matrix.
struct Repeated;

impl Layout for Repeated {
    const LANES: usize = 32;
    const FACTOR_REGISTERS: usize = 4;
    const INTERLEAVED: bool = true;
}

impl Bytes for Repeated {
    const DEPTHS: usize = 16;
}

/// gfx12.
struct Split;

impl Layout for Split {
    const LANES: usize = 32;
    const FACTOR_REGISTERS: usize = 2;
    const INTERLEAVED: bool = false;
}

impl Bytes for Split {
    const DEPTHS: usize = 16;
}

/// gfx908 and gfx90a.
struct Mfma16;

impl Layout for Mfma16 {
    const LANES: usize = 64;
    const FACTOR_REGISTERS: usize = 1;
    const INTERLEAVED: bool = false;
}

impl Bytes for Mfma16 {
    const DEPTHS: usize = 16;
}

/// gfx942 and gfx950.
struct Mfma32;

impl Layout for Mfma32 {
    const LANES: usize = 64;
    const FACTOR_REGISTERS: usize = 2;
    const INTERLEAVED: bool = false;
}

impl Bytes for Mfma32 {
    const DEPTHS: usize = 32;
}

/// How bytes are read, and sums written.
#[derive(Clone, Copy)]
struct Kind {
    /// Of the left and the right matrix.
    signed: [bool; 2],
    /// Sums are limited to what 32 bits hold, rather than wrap.
    clamp: bool,
}

fn wmma(statement: &mut Statement, target: &Target) -> Decoded<Execute> {
    let signed = match statement.take_list("neg_lo")?.as_deref() {
        None => [false; 2],
        Some(&[left @ (0 | 1), right @ (0 | 1), 0]) => [left == 1, right == 1],
        Some(list) => return Err(DecodeError::Modifier(format!("neg_lo:{list:?}"))),
    };
    let kind = Kind { signed, clamp: statement.take_flag("clamp") };
    match (target.generation, target.lanes) {
        (11, 32) => Ok(execute(Operands::<Repeated>::decode(statement)?.refuse_overlap()?, kind)),
        (12, 32) => Ok(execute(Operands::<Split>::decode(statement)?.refuse_overlap()?, kind)),
        _ => Err(DecodeError::Mnemonic),
    }
}

const SIGNED: Kind = Kind { signed: [true; 2], clamp: false };

fn mfma16(statement: &mut Statement, target: &Target) -> Decoded<Execute> {
    match target.processor.name {
        "gfx908" | "gfx90a" => Ok(execute(Operands::<Mfma16>::decode(statement)?, SIGNED)),
        _ => Err(DecodeError::Mnemonic),
    }
}

fn mfma32(statement: &mut Statement, target: &Target) -> Decoded<Execute> {
    match target.processor.name {
        "gfx942" | "gfx950" => Ok(execute(Operands::<Mfma32>::decode(statement)?, SIGNED)),
        _ => Err(DecodeError::Mnemonic),
    }
}

fn execute<L: Bytes>(operands: Operands<L>, kind: Kind) -> Execute {
    // SAFETY: `crate::unavailable` refuses CPUs without these features.
    Box::new(move |wave, _| unsafe { run::<L>(wave, &operands, kind) })
}

#[target_feature(enable = "avx2,fma,f16c")]
fn run<L: Bytes>(wave: &mut Wave, operands: &Operands<L>, kind: Kind) -> Step {
    let all = wave.all();
    if wave.exec() != all {
        return lanes_off(wave.exec());
    }
    let left = factors::<L>(wave, operands.left, kind.signed[0])?;
    let right = factors::<L>(wave, operands.right, kind.signed[1])?;
    let mut sums = [[0; SIDE]; SIDE];
    match operands.before {
        Before::Constant(value) => sums = [[value.to_bits() as i32; SIDE]; SIDE],
        Before::Registers(before) => {
            for register in 0..sum_registers::<L>() {
                let row = before.row(wave, register)?;
                wave.demand(row, all)?;
                let lanes = wave.row(row);
                for group in 0..L::LANES / SIDE {
                    for lane in 0..SIDE {
                        sums[sum_row::<L>(register, group)][lane] = lanes[group * SIDE + lane] as i32;
                    }
                }
            }
        }
    }
    for (row, sums) in sums.iter_mut().enumerate() {
        // Of 32 products of bytes, which 32 bits hold.
        let mut products = [0; SIDE];
        for depth in 0..L::DEPTHS {
            for column in 0..SIDE {
                products[column] += left[depth][row] * right[depth][column];
            }
        }
        for column in 0..SIDE {
            let (sum, more) = (sums[column], products[column]);
            sums[column] = if kind.clamp { sum.saturating_add(more) } else { sum.wrapping_add(more) };
        }
    }
    let mut lanes = [0; LANES];
    for register in 0..sum_registers::<L>() {
        for group in 0..L::LANES / SIDE {
            for lane in 0..SIDE {
                lanes[group * SIDE + lane] = sums[sum_row::<L>(register, group)][lane] as u32;
            }
        }
        let row = operands.sums.row(wave, register)?;
        wave.set_row(row, &lanes, all);
    }
    Ok(())
}

/// The left or the right matrix. A row has what is at the same depth.
#[inline(always)]
fn factors<L: Bytes>(
    wave: &Wave,
    registers: Registers,
    signed: bool,
) -> Result<[[i32; SIDE]; MOST_DEPTHS], Box<Stop>> {
    let groups = L::DEPTHS / (4 * L::FACTOR_REGISTERS);
    let mut tile = [[0; SIDE]; MOST_DEPTHS];
    for register in 0..L::FACTOR_REGISTERS {
        let row = registers.row(wave, register)?;
        wave.demand(row, wave.all())?;
        let lanes = wave.row(row);
        repeated::<L>(lanes, groups, registers, register)?;
        for group in 0..groups {
            for byte in 0..4 {
                let depth = 4 * (group * L::FACTOR_REGISTERS + register) + byte;
                for lane in 0..SIDE {
                    let bits = (lanes[group * SIDE + lane] >> (8 * byte)) as u8;
                    tile[depth][lane] = if signed { i32::from(bits as i8) } else { i32::from(bits) };
                }
            }
        }
    }
    Ok(tile)
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::assembly::{DecodeError, File};
    use crate::fault::FaultKind;
    use crate::isa::testing::{Bench, Reference};
    use crate::machine::wave::LANES;

    /// Where elements are, according to AMD's Matrix Instruction Calculator ("Matrix element to register mapping").
    struct Published {
        depths: usize,
        factor_registers: u16,
        sum_registers: u16,
        /// Register, byte and lane of element (row, depth) of the left matrix, and of element (depth, column) of the right one.
        factor: fn(usize, usize) -> (usize, usize, usize),
        /// Whether lanes 16 to 31 repeat these.
        repeated: bool,
        /// Register and lane of element (row, column) of sums.
        sum: fn(usize, usize) -> (usize, usize),
        /// Whether there are modifiers for signs and saturation; bytes are signed otherwise.
        modifiers: bool,
    }

    const GFX11: Published = Published {
        depths: 16,
        factor_registers: 4,
        sum_registers: 8,
        factor: |side, depth| (depth / 4, depth % 4, side),
        repeated: true,
        sum: |row, column| (row / 2, 16 * (row % 2) + column),
        modifiers: true,
    };

    /// Any order of depths that the left and the right matrix share gives the same products.
    const GFX12: Published = Published {
        depths: 16,
        factor_registers: 2,
        sum_registers: 8,
        factor: |side, depth| (depth % 8 / 4, depth % 4, 16 * (depth / 8) + side),
        repeated: false,
        sum: |row, column| (row % 8, 16 * (row / 8) + column),
        modifiers: true,
    };

    const CDNA: Published = Published {
        depths: 16,
        factor_registers: 1,
        sum_registers: 4,
        factor: |side, depth| (0, depth % 4, 16 * (depth / 4) + side),
        repeated: false,
        sum: |row, column| (row % 4, 16 * (row / 4) + column),
        modifiers: false,
    };

    const CDNA3: Published = Published {
        depths: 32,
        factor_registers: 2,
        factor: |side, depth| (depth % 8 / 4, depth % 4, 16 * (depth / 8) + side),
        ..CDNA
    };

    const SUMS: u16 = 0;
    const LEFT: u16 = 20;
    const RIGHT: u16 = 40;
    const BEFORE: u16 = 60;

    struct Product<'p> {
        bench: Bench,
        published: &'p Published,
        /// Of sums.
        file: File,
    }

    impl Product<'_> {
        fn set_factors(&mut self, first: u16, value: impl Fn(usize, usize) -> u8) {
            let mut rows = vec![[0; LANES]; usize::from(self.published.factor_registers)];
            for side in 0..16 {
                for depth in 0..self.published.depths {
                    let (register, byte, lane) = (self.published.factor)(side, depth);
                    rows[register][lane] |= u32::from(value(side, depth)) << (8 * byte);
                    if self.published.repeated {
                        rows[register][lane + 16] = rows[register][lane];
                    }
                }
            }
            self.bench.set_rows(File::Vector, first, &rows);
        }

        fn set_sums(&mut self, first: u16, value: impl Fn(usize, usize) -> i32) {
            let mut rows = vec![[0; LANES]; usize::from(self.published.sum_registers)];
            for row in 0..16 {
                for column in 0..16 {
                    let (register, lane) = (self.published.sum)(row, column);
                    rows[register][lane] = value(row, column) as u32;
                }
            }
            self.bench.set_rows(self.file, first, &rows);
        }

        fn sum(&self, row: usize, column: usize) -> i32 {
            let (register, lane) = (self.published.sum)(row, column);
            let row = self.bench.wave.row_index(self.file, SUMS + register as u16).unwrap();
            self.bench.wave.row(row)[lane] as i32
        }

        fn text(&self, name: &str, before: &str) -> String {
            let registers = |file, first, count| format!("{file}[{first}:{}]", first + count - 1);
            let factor = |first| match self.published.factor_registers {
                1 => format!("v{first}"),
                count => registers(File::Vector, first, count),
            };
            let sums = registers(self.file, SUMS, self.published.sum_registers);
            format!("{name} {sums}, {}, {}, {before}", factor(LEFT), factor(RIGHT))
        }

        fn before(&self, first: u16) -> String {
            format!("{}[{first}:{}]", self.file, first + self.published.sum_registers - 1)
        }
    }

    /// Compares products of any bytes, with every modifier, and sums before that overflow.
    fn check(processor: &str, name: &str, published: &Published, file: File) {
        let mut random = fastrand::Rng::with_seed(12);
        for round in 0..24 {
            let mut product = Product { bench: Bench::new(processor), published, file };
            let mut bytes = || -> Vec<[u8; 16]> {
                (0..published.depths).map(|_| std::array::from_fn(|_| random.u8(..))).collect()
            };
            let (left, right) = (bytes(), bytes());
            product.set_factors(LEFT, |row, depth| left[depth][row]);
            product.set_factors(RIGHT, |column, depth| right[depth][column]);
            // The limits of 32 bits are near, every other time.
            let mut before: [[i32; 16]; 16] = std::array::from_fn(|_| {
                std::array::from_fn(|_| match round % 2 {
                    0 => random.i32(-1000..1000),
                    _ => *random.choice(&[i32::MAX, i32::MIN]).unwrap() ^ random.i32(0..1000),
                })
            });
            let (first, constant) = match round / 2 % 3 {
                0 => (SUMS, None),
                1 => (BEFORE, None),
                _ => (BEFORE, Some(if round % 2 == 0 { ("0", 0) } else { ("-5", -5) })),
            };
            product.set_sums(first, |row, column| before[row][column]);
            let registers = product.before(first);
            let mut text = product.text(name, constant.map_or(registers.as_str(), |(text, _)| text));
            if let Some((_, value)) = constant {
                before = [[value; 16]; 16];
            }
            let (signed, clamp) = match published.modifiers {
                true => ([round / 6 % 2 == 1, round / 12 % 2 == 1], round % 4 < 2),
                false => ([true; 2], false),
            };
            if published.modifiers && signed != [false; 2] {
                text += &format!(" neg_lo:[{},{},0]", u8::from(signed[0]), u8::from(signed[1]));
            }
            if clamp {
                text += " clamp";
            }
            product.bench.run(&text);
            let value = |byte: u8, signed: bool| if signed { i64::from(byte as i8) } else { i64::from(byte) };
            for row in 0..16 {
                for column in 0..16 {
                    let products = (0..published.depths)
                        .map(|k| value(left[k][row], signed[0]) * value(right[k][column], signed[1]));
                    let exact = i64::from(before[row][column]) + products.sum::<i64>();
                    let limits = (i64::from(i32::MIN), i64::from(i32::MAX));
                    let expected = if clamp { exact.clamp(limits.0, limits.1) as i32 } else { exact as i32 };
                    assert_eq!(product.sum(row, column), expected, "{processor}: {text} ({row}, {column})");
                }
            }
        }
        refusals(processor, name, published, file);
    }

    fn refusals(processor: &str, name: &str, published: &Published, file: File) {
        let product = || {
            let mut product = Product { bench: Bench::new(processor), published, file };
            product.set_factors(LEFT, |_, _| 1);
            product.set_factors(RIGHT, |_, _| 1);
            product.set_sums(BEFORE, |_, _| 0);
            let text = product.text(name, &product.before(BEFORE));
            (product.bench, text)
        };
        let (mut bench, text) = product();
        bench.set_exec(bench.wave.all() >> 1);
        assert_eq!(bench.fault(&text), FaultKind::LanesOff);
        for (file, number) in [(File::Vector, LEFT), (File::Vector, RIGHT), (file, BEFORE + 3)] {
            let (mut bench, text) = product();
            let row = bench.wave.row_index(file, number).unwrap();
            bench.wave.set_written(row, 1 << 31, 0);
            assert_eq!(bench.fault(&text), FaultKind::Undefined);
        }
        for more in ["cbsz:1", "blgp:2", "neg_hi:[1,0,0]", "neg_lo:[0,0,1]"] {
            let refusal = bench.refusal(&format!("{text} {more}"));
            assert!(matches!(refusal, DecodeError::Modifier(_)), "{more}: {refusal:?}");
        }
        assert_eq!(bench.refusal(&(text.clone() + ", v1")), DecodeError::OperandCount(5));
        let literal = format!("{}, 0x3f800000", &text[..text.rfind(',').unwrap()]);
        assert_eq!(bench.refusal(&literal), DecodeError::Operand(3));
    }

    pub(crate) const REFERENCES: &[Reference] = &[
        Reference {
            name: "v_wmma_i32_16x16x16_iu8",
            check: |name| {
                check("gfx1100", name, &GFX11, File::Vector);
                check("gfx1151", name, &GFX11, File::Vector);
                check("gfx1201", name, &GFX12, File::Vector);
            },
        },
        Reference {
            name: "v_mfma_i32_16x16x16i8",
            check: |name| {
                check("gfx908", name, &CDNA, File::Accumulator);
                check("gfx90a", name, &CDNA, File::Vector);
            },
        },
        Reference {
            name: "v_mfma_i32_16x16x32_i8",
            check: |name| {
                check("gfx942", name, &CDNA3, File::Vector);
                check("gfx950", name, &CDNA3, File::Accumulator);
            },
        },
    ];

    #[test]
    fn processors_without_them_refuse_them() {
        for (processor, text) in [
            ("gfx1030", "v_wmma_i32_16x16x16_iu8 v[0:7], v[8:11], v[12:15], 0"),
            ("gfx906", "v_mfma_i32_16x16x16i8 v[0:3], v4, v5, 0"),
            ("gfx942", "v_mfma_i32_16x16x16i8 v[0:3], v4, v5, 0"),
            ("gfx90a", "v_mfma_i32_16x16x32_i8 v[0:3], v[4:5], v[6:7], 0"),
        ] {
            assert_eq!(Bench::new(processor).refusal(text), DecodeError::Mnemonic, "{processor}");
        }
    }

    #[test]
    fn sums_that_overlap_are_refused() {
        let text = "v_wmma_i32_16x16x16_iu8 v[0:7], v[6:7], v[12:13], 0";
        assert_eq!(Bench::new("gfx1201").refusal(text), DecodeError::Operand(0));
    }
}
