//! Vector instructions on whole registers and constants of 32 bits, which most are.
//!
//! What [`Lanes`](super::lanes::Lanes) describes with all modifiers takes several cache lines of an instruction; this, one. Only the
//! loop over the lanes is compiled for each instruction.

use crate::assembly::File;
use crate::fault::{Step, Stop};
use crate::machine::wave::{LANES, Row, Wave};

use super::lanes::Destination;
use super::source::{Source, Spare, spares};

/// An operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand {
    Vector(u16),
    /// The same value for all lanes.
    Scalar(u16),
    Constant(u32),
}

impl Operand {
    /// The operand's value in every lane, and the lanes in which it was written.
    #[inline(always)]
    pub(crate) fn read<'r>(
        self,
        wave: &'r Wave,
        space: &'r mut Spare<u32>,
    ) -> Result<(&'r Row, u64), Box<Stop>> {
        Ok(match self {
            Self::Vector(number) => {
                let at = wave.row_index(File::Vector, number)?;
                (wave.row(at), wave.written(at))
            }
            Self::Scalar(number) => {
                let (value, written) = wave.scalar_bits(number);
                let is_written = written == u64::from(u32::MAX);
                (space.write([value as u32; LANES]), if is_written { u64::MAX } else { 0 })
            }
            Self::Constant(value) => (space.write([value; LANES]), u64::MAX),
        })
    }
}

/// The operands of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain<const N: usize> {
    /// The vector register that the result goes to.
    pub(crate) to: u16,
    /// Whether the result is the lower half of the register, whose upper half stays.
    pub(crate) is_lower: bool,
    pub(crate) from: [Operand; N],
}

/// The loop over an instruction's lanes: gives each of so many its result.
pub(crate) type Loop<'l, const N: usize> = &'l dyn Fn(&[&Row; N], &mut Row, usize);

impl<const N: usize> Plain<N> {
    /// These operands; `None` if they are not that simple.
    pub(crate) fn of(destination: &Destination, sources: &[Source; N]) -> Option<Self> {
        let (to, is_lower) = destination.plain()?;
        let mut from = [Operand::Constant(0); N];
        for (operand, source) in from.iter_mut().zip(sources) {
            *operand = source.plain()?;
        }
        Some(Self { to, is_lower, from })
    }

    /// The operands' values in every lane, and the lanes in which all were written.
    #[inline(always)]
    pub(crate) fn read<'r>(
        &self,
        wave: &'r Wave,
        spaces: &'r mut [Spare<u32>; N],
    ) -> Result<([&'r Row; N], u64), Box<Stop>> {
        let mut rows = [&[0; LANES]; N];
        let mut all = u64::MAX;
        for ((row, operand), space) in rows.iter_mut().zip(&self.from).zip(spaces) {
            let written;
            (*row, written) = operand.read(wave, space)?;
            all &= written;
        }
        Ok((rows, all))
    }

    /// Executes an instruction, whose loop writes as many lanes as it is told to.
    #[inline(always)]
    pub(crate) fn run(&self, wave: &mut Wave, each: Loop<'_, N>) -> Step {
        // SAFETY: `crate::unavailable` refuses CPUs without these features.
        unsafe { self.run_loop(wave, each) }
    }

    /// Writes a result of which the lanes that are not `written` count as never written.
    #[inline(always)]
    pub(crate) fn write(&self, wave: &mut Wave, values: &[u32], mask: u64, written: u64) -> Step {
        let to = wave.row_index(File::Vector, self.to)?;
        wave.set_row(to, values, mask);
        if !written & mask != 0 {
            wave.set_written(to, mask, written);
        }
        Ok(())
    }

    #[inline(never)]
    #[target_feature(enable = "avx2")]
    fn run_loop(&self, wave: &mut Wave, each: Loop<'_, N>) -> Step {
        let mask = wave.exec();
        let (mut spaces, mut out) = (spares::<u32, N>(), [0; LANES]);
        let (rows, written) = self.read(wave, &mut spaces)?;
        each(&rows, &mut out, wave.lanes);
        if self.is_lower {
            let to = wave.row_index(File::Vector, self.to)?;
            for (new, old) in out.iter_mut().zip(wave.row(to)) {
                *new = old & 0xffff_0000 | *new & 0xffff;
            }
        }
        self.write(wave, &out, mask, written)
    }
}
