//! Operands of VOP3P instructions: `op_sel`, `op_sel_hi`, `neg_lo`, `neg_hi` (RDNA3 ISA guide, section 7.5 "Packed Math").
//!
//! For the lower half of a result, `op_sel` chooses each operand's half and `neg_lo` its sign; for the upper one `op_sel_hi` and
//! `neg_hi` do. A constant is 32 bits like a register: an integer in all of them, an f16 in the lower half with zeros above
//! (LLVM's `AMDGPU::getInlineEncodingV216`).

use crate::assembly::{DecodeError, Decoded, Operand, Statement};
use crate::fault::{Step, Stop};
use crate::isa::Execute;
use crate::isa::element::Kind;
use crate::isa::lanes::Destination;
use crate::isa::source::{Source, Spare, spares};
use crate::machine::wave::{LANES, Row, Wave};

/// The modifiers of `N` operands.
pub(super) struct Modifiers<const N: usize> {
    pub(super) op_sel: [bool; N],
    pub(super) op_sel_hi: [bool; N],
    pub(super) neg_lo: [bool; N],
    pub(super) neg_hi: [bool; N],
}

impl<const N: usize> Modifiers<N> {
    /// Takes the modifiers of packed operands.
    pub(super) fn take(statement: &mut Statement) -> Decoded<Self> {
        Ok(Self {
            op_sel: take_bits(statement, "op_sel", false)?,
            op_sel_hi: take_bits(statement, "op_sel_hi", true)?,
            neg_lo: take_bits(statement, "neg_lo", false)?,
            neg_hi: take_bits(statement, "neg_hi", false)?,
        })
    }

    /// Fails unless an operand is without modifiers.
    pub(super) fn refuse(&self, operand: usize) -> Decoded<()> {
        let is_default = !self.op_sel[operand]
            && self.op_sel_hi[operand]
            && !self.neg_lo[operand]
            && !self.neg_hi[operand];
        if is_default { Ok(()) } else { Err(DecodeError::Operand(operand + 1)) }
    }
}

/// Takes a list with one bit for each operand.
pub(super) fn take_bits<const N: usize>(
    statement: &mut Statement,
    key: &str,
    default: bool,
) -> Decoded<[bool; N]> {
    let Some(list) = statement.take_list(key)? else { return Ok([default; N]) };
    let refused = || DecodeError::Modifier(format!("{key}:{list:?}"));
    let bits: [i64; N] = list.clone().try_into().map_err(|_| refused())?;
    if bits.iter().all(|bit| matches!(bit, 0 | 1)) { Ok(bits.map(|bit| bit != 0)) } else { Err(refused()) }
}

/// What gives an operand's bits in every lane.
pub(super) trait Operands: Send + Sync + 'static {
    fn bits<'r>(&self, wave: &'r Wave, mask: u64, space: &'r mut Spare<u32>) -> Result<&'r Row, Box<Stop>>;
}

impl Operands for Source {
    #[inline(always)]
    fn bits<'r>(&self, wave: &'r Wave, mask: u64, space: &'r mut Spare<u32>) -> Result<&'r Row, Box<Stop>> {
        self.row(wave, mask, space)
    }
}

/// An operand of which an instruction uses both halves.
pub(super) struct Packed {
    source: Source,
    arrangement: Arrangement,
    /// The signs that change.
    flips: u32,
}

/// Where the halves of an operand come from.
#[derive(Clone, Copy, PartialEq)]
enum Arrangement {
    InPlace,
    Swapped,
    BothLower,
    BothUpper,
}

impl Packed {
    /// Decodes the operand with this index, counted without the destination.
    pub(super) fn decode<const N: usize>(
        operand: &Operand,
        kind: Kind,
        index: usize,
        modifiers: &Modifiers<N>,
    ) -> Decoded<Self> {
        let arrangement = match (modifiers.op_sel[index], modifiers.op_sel_hi[index]) {
            (false, true) => Arrangement::InPlace,
            (true, false) => Arrangement::Swapped,
            (false, false) => Arrangement::BothLower,
            (true, true) => Arrangement::BothUpper,
        };
        let flips = u32::from(modifiers.neg_lo[index]) << 15 | u32::from(modifiers.neg_hi[index]) << 31;
        if flips != 0 && !matches!(kind, Kind::PackedF16 | Kind::PackedBf16) {
            return Err(DecodeError::Operand(index + 1));
        }
        Ok(Self { source: Source::decode(operand, kind, index + 1)?, arrangement, flips })
    }
}

impl Operands for Packed {
    #[inline(always)]
    fn bits<'r>(&self, wave: &'r Wave, mask: u64, space: &'r mut Spare<u32>) -> Result<&'r Row, Box<Stop>> {
        // SAFETY: `crate::unavailable` refuses CPUs without these features.
        unsafe { self.arranged(wave, mask, space) }
    }
}

impl Packed {
    /// Not inlined, as [`Source::row`] is not.
    #[inline(never)]
    #[target_feature(enable = "avx2")]
    fn arranged<'r>(
        &self,
        wave: &'r Wave,
        mask: u64,
        space: &'r mut Spare<u32>,
    ) -> Result<&'r Row, Box<Stop>> {
        if self.arrangement == Arrangement::InPlace && self.flips == 0 {
            return self.source.row(wave, mask, space);
        }
        let mut whole = Spare::uninit();
        let row = self.source.row(wave, mask, &mut whole)?;
        let (flips, space) = (self.flips, space.write([0; LANES]));
        let mut each = |f: fn(u32) -> u32| {
            for lane in 0..LANES {
                space[lane] = f(row[lane]) ^ flips;
            }
        };
        match self.arrangement {
            Arrangement::InPlace => each(|bits| bits),
            Arrangement::Swapped => each(|bits| bits.rotate_left(16)),
            Arrangement::BothLower => each(|bits| bits & 0xffff | bits << 16),
            Arrangement::BothUpper => each(|bits| bits & 0xffff_0000 | bits >> 16),
        }
        Ok(space)
    }
}

/// Executes a function of the operands' bits.
pub(super) fn execute<O: Operands, const N: usize>(
    destination: Destination,
    operands: [O; N],
    f: impl Fn([u32; N]) -> u32 + Copy + Send + Sync + 'static,
) -> Execute {
    // SAFETY: `crate::unavailable` refuses CPUs without these features.
    Box::new(move |wave, _| unsafe { run(wave, &destination, &operands, f) })
}

#[target_feature(enable = "avx2,fma,f16c")]
fn run<O: Operands, const N: usize>(
    wave: &mut Wave,
    destination: &Destination,
    operands: &[O; N],
    f: impl Fn([u32; N]) -> u32,
) -> Step {
    let mask = wave.exec();
    let mut out = [0; LANES];
    let mut spaces = spares();
    compute(wave, mask, operands, &mut spaces, &mut out, f)?;
    destination.write(wave, &mut out, mask)
}

/// Applies a function to the operands' bits in every lane.
#[inline(always)]
pub(super) fn compute<O: Operands, const N: usize>(
    wave: &Wave,
    mask: u64,
    operands: &[O; N],
    spaces: &mut [Spare<u32>; N],
    out: &mut Row,
    f: impl Fn([u32; N]) -> u32,
) -> Step {
    let mut rows: [&Row; N] = [&[0; LANES]; N];
    for ((row, operand), space) in rows.iter_mut().zip(operands).zip(spaces) {
        *row = operand.bits(wave, mask, space)?;
    }
    // The vectoriser takes loops of this length; shorter ones it would see unrolled.
    const CHUNK: usize = 32;
    let rows = rows.map(|row| row.as_chunks().0);
    let out = out.as_chunks_mut::<CHUNK>().0;
    for (chunk, out) in out.iter_mut().enumerate().take(wave.lanes / CHUNK) {
        let rows: [&[u32; CHUNK]; N] = rows.map(|row| &row[chunk]);
        for lane in 0..CHUNK {
            out[lane] = f(rows.map(|row| row[lane]));
        }
    }
    Ok(())
}
