//! Operands that memory instructions share: addresses, registers of data, cache policies.

use crate::assembly::{DecodeError, Decoded, File, Operand, Statement};
use crate::fault::{Step, Stop};
use crate::machine::spread::{Spread, repeated};
use crate::machine::wave::{Row, Row64, Wave, each_lane};
use crate::target::Target;

/// Vector registers or accumulators that data come from or go to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data {
    file: File,
    first: u16,
}

impl Data {
    /// Decodes the operand `index`, of `words` registers.
    pub(crate) fn decode(statement: &Statement, index: usize, words: usize) -> Decoded<Self> {
        let operand = operand(statement, index)?;
        [File::Vector, File::Accumulator]
            .into_iter()
            .find_map(|file| {
                let (first, count) = operand.registers(file)?;
                (usize::from(count) == words).then_some(Self { file, first })
            })
            .ok_or(DecodeError::Operand(index))
    }

    /// The first of `words` rows.
    #[inline(always)]
    pub(crate) fn row(&self, wave: &Wave, words: usize) -> Result<usize, Box<Stop>> {
        wave.row_index(self.file, self.first + words as u16 - 1)?;
        wave.row_index(self.file, self.first)
    }

    /// The rows of values that must have been written.
    #[inline(always)]
    pub(crate) fn read<'w, const W: usize>(
        &self,
        wave: &'w Wave,
        mask: u64,
    ) -> Result<[&'w Row; W], Box<Stop>> {
        let first = self.row(wave, W)?;
        for word in 0..W {
            wave.demand(first + word, mask)?;
        }
        Ok(std::array::from_fn(|word| wave.row(first + word)))
    }

    /// The rows of values, written or not.
    #[inline(always)]
    pub(crate) fn peek<'w, const W: usize>(&self, wave: &'w Wave) -> Result<[&'w Row; W], Box<Stop>> {
        let first = self.row(wave, W)?;
        Ok(std::array::from_fn(|word| wave.row(first + word)))
    }

    /// Writes the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn write<const W: usize>(&self, wave: &mut Wave, rows: &[Row; W], mask: u64) -> Step {
        let first = self.row(wave, W)?;
        for (word, row) in rows.iter().enumerate() {
            wave.set_row(first + word, row, mask);
        }
        Ok(())
    }
}

/// The operand `index`.
pub(crate) fn operand(statement: &Statement, index: usize) -> Decoded<&Operand> {
    statement.operands.get(index).ok_or(DecodeError::OperandCount(statement.operands.len()))
}

/// Refuses any other number of operands.
pub(crate) fn expect_operands(statement: &Statement, count: usize) -> Decoded<()> {
    match statement.operands.len() {
        its if its == count => Ok(()),
        its => Err(DecodeError::OperandCount(its)),
    }
}

/// A vector register of this many words.
pub(crate) fn vector(statement: &Statement, index: usize, words: u16) -> Decoded<u16> {
    match operand(statement, index)?.registers(File::Vector) {
        Some((first, count)) if count == words => Ok(first),
        _ => Err(DecodeError::Operand(index)),
    }
}

/// What an instruction's bits about caches say of its meaning (LLVM's user guide for AMDGPU, "Memory Model").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    /// Of an atomic instruction: that it gives the old value.
    pub(crate) returns: bool,
    /// Of a load or store: that it reaches other workgroups, as those of atomic and volatile variables do. Stores of older processors
    /// always do, and have no bit for it.
    pub(crate) is_coherent: bool,
}

impl Policy {
    /// Takes the bits.
    pub(crate) fn take(statement: &mut Statement, target: &Target) -> Self {
        let [glc, slc, _, sc0, sc1, _] =
            ["glc", "slc", "dlc", "sc0", "sc1", "nt"].map(|bit| statement.take_flag(bit));
        let hint = statement.take("th");
        let scope = statement.take("scope");
        let returns = hint.is_some_and(|hint| hint.contains("ATOMIC") && hint.contains("RETURN"));
        Self {
            returns: returns || glc || sc0,
            is_coherent: match target.generation {
                12.. => scope.is_some_and(|scope| scope != "SCOPE_CU"),
                _ => (glc && !slc) || sc0 || sc1,
            },
        }
    }
}

/// The addresses of global and flat instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    base: Base,
    offset: u64,
}

#[derive(Clone, Copy, Debug)]
enum Base {
    /// Two vector registers.
    Vector(u16),
    /// Two scalar registers, and a vector register of unsigned offsets.
    Scalar(u16, u16),
}

impl Address {
    /// Decodes the vector operand, the scalar one if there is one, and the offset.
    pub(crate) fn decode(
        statement: &mut Statement,
        vector_at: usize,
        scalar_at: Option<usize>,
    ) -> Decoded<Self> {
        let offset = statement.take_number("offset")?.unwrap_or(0) as u64;
        let scalar = match scalar_at {
            None => None,
            Some(at) if operand(statement, at)?.is("off") => None,
            Some(at) => match operand(statement, at)?.registers(File::Scalar) {
                Some((first, 2)) => Some(first),
                _ => return Err(DecodeError::Operand(at)),
            },
        };
        let base = match scalar {
            None => Base::Vector(vector(statement, vector_at, 2)?),
            Some(scalar) => Base::Scalar(scalar, vector(statement, vector_at, 1)?),
        };
        Ok(Self { base, offset })
    }

    /// The addresses of the lanes of `mask`, of which there is one at least; each uses `size` bytes.
    #[inline(always)]
    pub(crate) fn spread<'a>(
        &self,
        wave: &Wave,
        mask: u64,
        size: usize,
        all: &'a mut Row64,
    ) -> Result<Spread<'a, u64>, Box<Stop>> {
        let (base, offsets) = match self.base {
            Base::Vector(number) => {
                let low = wave.row_index(File::Vector, number)?;
                let high = wave.row_index(File::Vector, number + 1)?;
                wave.demand(low, mask)?;
                wave.demand(high, mask)?;
                let mut own = None;
                let highs = repeated(&wave.row(high)[..wave.lanes], mask, &mut own);
                let first = highs[0];
                let mut differ = 0;
                for high in highs {
                    differ |= high ^ first;
                }
                if differ != 0 {
                    let low = wave.row(low);
                    for lane in each_lane(wave.lanes) {
                        let base = u64::from(low[lane]) | u64::from(highs[lane]) << 32;
                        all[lane] = base.wrapping_add(self.offset);
                    }
                    return Ok(Spread::new(all, wave.lanes, mask, size));
                }
                (u64::from(first) << 32, wave.row(low))
            }
            Base::Scalar(scalar, number) => {
                let row = wave.row_index(File::Vector, number)?;
                wave.demand(row, mask)?;
                (wave.scalar64(scalar)?, wave.row(row))
            }
        };
        Ok(Spread::with_base(all, base.wrapping_add(self.offset), &offsets[..wave.lanes], mask, size))
    }
}

/// A vector register of LDS addresses, and what is added to them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    number: u16,
    offset: u32,
}

impl Local {
    /// Decodes the operand of addresses, and the offset.
    pub(crate) fn decode(statement: &mut Statement, index: usize) -> Decoded<Self> {
        let offset = statement.take_number("offset")?.unwrap_or(0) as u32;
        Ok(Self { number: vector(statement, index, 1)?, offset })
    }

    /// As [`Local::decode`], for instructions with two offsets that count units of `unit` bytes.
    pub(crate) fn decode_pair(statement: &mut Statement, index: usize, unit: usize) -> Decoded<[Self; 2]> {
        let number = vector(statement, index, 1)?;
        let mut place = |key| {
            let offset = statement.take_number(key)?.unwrap_or(0) as u32;
            Ok(Self { number, offset: offset * unit as u32 })
        };
        Ok([place("offset0")?, place("offset1")?])
    }

    /// The addresses of the lanes of `mask`, of which there is one at least; each uses `size` bytes.
    #[inline(always)]
    pub(crate) fn spread<'a>(
        &self,
        wave: &Wave,
        mask: u64,
        size: usize,
        all: &'a mut Row,
    ) -> Result<Spread<'a, u32>, Box<Stop>> {
        let row = wave.row_index(File::Vector, self.number)?;
        wave.demand(row, mask)?;
        for (address, base) in all.iter_mut().zip(wave.row(row)) {
            *address = base.wrapping_add(self.offset);
        }
        Ok(Spread::new(all, wave.lanes, mask, size))
    }
}
