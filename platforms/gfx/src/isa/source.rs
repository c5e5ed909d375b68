//! Operands of vector instructions: where they lie, and what happens to their values on the way.

use std::mem::MaybeUninit;

use super::cross_lane::Exchange;
use super::element::{Kind, Word};
use super::plain;
use super::sub_dword::Select;
use crate::assembly::{DecodeError, Decoded, File, Half, Operand, Value};
use crate::fault::Stop;
use crate::machine::wave::{LANES, Row, Row64, Wave};

/// Where an operand's values go that are not those of a register. Most are, so it is not worth zeros.
pub(crate) type Spare<W> = MaybeUninit<[W; LANES]>;

/// A space for each of several operands.
#[inline(always)]
pub(crate) fn spares<W, const N: usize>() -> [Spare<W>; N] {
    [const { MaybeUninit::uninit() }; N]
}

/// Where an operand's value comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    /// A vector register, or the first of two.
    Vector(File, u16),
    /// The same value for all lanes.
    Scalar(u16),
    Constant(u64),
    /// The bit `scc`.
    Scc,
}

/// A source operand.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) place: Place,
    pub(crate) kind: Kind,
    /// For kinds of 16 bits: the upper half of the register.
    pub(crate) high: bool,
    pub(crate) negated: bool,
    pub(crate) absolute: bool,
    /// The bytes that SDWA takes.
    pub(crate) select: Option<Box<Select>>,
    /// The lanes that DPP takes values from.
    pub(crate) exchange: Option<Box<Exchange>>,
}

impl Source {
    /// Decodes an operand of an instruction; `index` is its number, for errors.
    pub(crate) fn decode(operand: &Operand, kind: Kind, index: usize) -> Decoded<Self> {
        let place = place(operand, kind).ok_or(DecodeError::Operand(index))?;
        if (operand.negated || operand.absolute) && kind.sign().is_none() {
            return Err(DecodeError::Operand(index));
        }
        if operand.half.is_some() && !kind.is_half() {
            return Err(DecodeError::Operand(index));
        }
        Ok(Self {
            place,
            kind,
            high: operand.half == Some(Half::High),
            negated: operand.negated,
            absolute: operand.absolute,
            select: None,
            exchange: None,
        })
    }

    /// Whether the value is not simply what is in its place.
    fn is_modified(&self) -> bool {
        self.negated || self.absolute || self.high || self.select.is_some() || self.exchange.is_some()
    }

    /// What reads the same bits, for instructions that look at no others; `None` if it is not that simple.
    pub(crate) fn plain(&self) -> Option<plain::Operand> {
        Some(match self.place {
            _ if self.is_modified() || self.kind.words() != 1 => return None,
            Place::Vector(File::Vector, number) => plain::Operand::Vector(number),
            Place::Scalar(number) => plain::Operand::Scalar(number),
            Place::Constant(bits) => plain::Operand::Constant(bits as u32),
            Place::Vector(..) | Place::Scc => return None,
        })
    }

    /// The operand's value in every lane; `mask` are the lanes in which it matters whether it was written.
    ///
    /// Not inlined: there is a caller for each instruction, and compiling all takes long.
    #[inline(never)]
    pub(crate) fn row<'r>(
        &self,
        wave: &'r Wave,
        mask: u64,
        space: &'r mut Spare<u32>,
    ) -> Result<&'r Row, Box<Stop>> {
        if let Place::Vector(file, number) = self.place
            && !self.is_modified()
            && !self.kind.is_half()
        {
            let row = wave.row_index(file, number)?;
            wave.note(row, mask);
            return Ok(wave.row(row));
        }
        // SAFETY: `crate::unavailable` refuses CPUs without these features.
        unsafe { self.prepare(wave, mask, space) }
    }

    #[target_feature(enable = "avx2")]
    fn prepare<'r>(&self, wave: &Wave, mask: u64, space: &'r mut Spare<u32>) -> Result<&'r Row, Box<Stop>> {
        let space = match self.place {
            Place::Vector(file, number) => {
                let row = wave.row_index(file, number)?;
                match &self.exchange {
                    Some(exchange) => {
                        let space = space.write([0; LANES]);
                        exchange.read(wave, row, mask, space)?;
                        space
                    }
                    None => {
                        wave.note(row, mask);
                        space.write(*wave.row(row))
                    }
                }
            }
            Place::Scalar(number) => space.write([wave.noted_scalar(number, mask); LANES]),
            Place::Constant(bits) => space.write([bits as u32; LANES]),
            Place::Scc => space.write([u32::from(wave.scc()?); LANES]),
        };
        if let Some(select) = &self.select {
            select.apply(space);
        } else if self.kind.is_half() {
            let shift = if self.high && !matches!(self.place, Place::Constant(_)) { 16 } else { 0 };
            space.iter_mut().for_each(|lane| *lane = *lane >> shift & 0xffff);
        }
        if let Some(sign) = self.kind.sign() {
            let sign = sign as u32;
            if self.absolute {
                space.iter_mut().for_each(|lane| *lane &= !sign);
            }
            if self.negated {
                space.iter_mut().for_each(|lane| *lane ^= sign);
            }
        }
        Ok(space)
    }

    /// As [`Source::row`], for operands of two registers.
    #[inline(always)]
    pub(crate) fn row64<'r>(
        &self,
        wave: &Wave,
        mask: u64,
        space: &'r mut Spare<u64>,
    ) -> Result<&'r Row64, Box<Stop>> {
        // SAFETY: as in `row`.
        unsafe { self.prepare64(wave, mask, space) }
    }

    #[target_feature(enable = "avx2")]
    fn prepare64<'r>(
        &self,
        wave: &Wave,
        mask: u64,
        space: &'r mut Spare<u64>,
    ) -> Result<&'r Row64, Box<Stop>> {
        let space = match self.place {
            Place::Vector(file, number) => {
                let (low, high) = (wave.row_index(file, number)?, wave.row_index(file, number + 1)?);
                match &self.exchange {
                    Some(exchange) => {
                        let (mut first, mut second) = ([0; LANES], [0; LANES]);
                        exchange.read(wave, low, mask, &mut first)?;
                        exchange.read(wave, high, mask, &mut second)?;
                        join(&first, &second, space)
                    }
                    None => {
                        wave.note(low, mask);
                        wave.note(high, mask);
                        join(wave.row(low), wave.row(high), space)
                    }
                }
            }
            Place::Scalar(number) => space.write([wave.noted_scalar64(number, mask); LANES]),
            Place::Constant(bits) => space.write([bits; LANES]),
            Place::Scc => space.write([u64::from(wave.scc()?); LANES]),
        };
        if let Some(sign) = self.kind.sign() {
            if self.absolute {
                space.iter_mut().for_each(|lane| *lane &= !sign);
            }
            if self.negated {
                space.iter_mut().for_each(|lane| *lane ^= sign);
            }
        }
        Ok(space)
    }
}

/// Values of two registers as values of 64 bits.
#[inline(always)]
pub(crate) fn join<'r>(low: &Row, high: &Row, space: &'r mut Spare<u64>) -> &'r mut Row64 {
    space.write(std::array::from_fn(|lane| u64::from(low[lane]) | u64::from(high[lane]) << 32))
}

fn place(operand: &Operand, kind: Kind) -> Option<Place> {
    Some(match &operand.value {
        Value::Registers { file, first, count } if *count == kind.words() => match file {
            File::Scalar => Place::Scalar(*first),
            file => Place::Vector(*file, *first),
        },
        Value::Word(word) if word == "scc" || word == "src_scc" => Place::Scc,
        Value::Word(word) => Place::Constant(aperture(word)?),
        value => Place::Constant(constant(value, kind)?),
    })
}

/// The value of a constant operand. Integers and floats are encoded in the operand field, and mean what the operand's kind says
/// (RDNA3 ISA guide, section 3.4 "Operands" and table of source operands); literals are bits, of which operands of 64 bits have 32.
pub(crate) fn constant(value: &Value, kind: Kind) -> Option<u64> {
    Some(match (value, kind) {
        (Value::Integer(value), Kind::B64 | Kind::F64) => *value as u64,
        (Value::Integer(value), kind) if kind.is_half() => u64::from(*value as u16),
        (Value::Integer(value), _) => u64::from(*value as u32),
        (Value::Float(value), Kind::F64 | Kind::B64) => value.to_bits(),
        (Value::Float(value), Kind::F16 | Kind::PackedF16) => {
            u64::from(half::f16::from_f64(*value).to_bits())
        }
        (Value::Float(value), Kind::Bf16 | Kind::PackedBf16) => {
            u64::from(half::bf16::from_f64(*value).to_bits())
        }
        (Value::Float(value), _) => u64::from((*value as f32).to_bits()),
        (Value::Literal(bits), Kind::F64) if *bits <= u64::from(u32::MAX) => bits << 32,
        (Value::Literal(bits), Kind::B64 | Kind::F64) => *bits,
        (Value::Literal(bits), kind) if kind.is_half() => bits & 0xffff,
        (Value::Literal(bits), _) => bits & 0xffff_ffff,
        (Value::Registers { .. } | Value::Word(_), _) => return None,
    })
}

/// The address ranges in which flat instructions find the LDS and scratch: their upper 32 bits.
pub(crate) const SHARED_BASE: u64 = 0x0001_0000_0000_0000;
pub(crate) const PRIVATE_BASE: u64 = 0x0002_0000_0000_0000;

fn aperture(word: &str) -> Option<u64> {
    Some(match word {
        "src_shared_base" => SHARED_BASE,
        "src_shared_limit" => SHARED_BASE | 0xffff_ffff,
        "src_private_base" => PRIVATE_BASE,
        "src_private_limit" => PRIVATE_BASE | 0xffff_ffff,
        _ => return None,
    })
}

/// Values of 32 or 64 bits in every lane.
pub(crate) trait Rows: Word {
    /// Whether they are a [`Row`], of one register.
    const IS_ROW: bool;

    /// The operand's value in every lane.
    fn read<'r>(
        source: &Source,
        wave: &'r Wave,
        mask: u64,
        space: &'r mut Spare<Self>,
    ) -> Result<&'r [Self; LANES], Box<Stop>>;

    /// Writes the lanes of `mask` of one register or two.
    fn write(wave: &mut Wave, row: usize, values: &[Self; LANES], mask: u64);
}

impl Rows for u32 {
    const IS_ROW: bool = true;

    #[inline(always)]
    fn read<'r>(
        source: &Source,
        wave: &'r Wave,
        mask: u64,
        space: &'r mut Spare<u32>,
    ) -> Result<&'r Row, Box<Stop>> {
        source.row(wave, mask, space)
    }

    #[inline(always)]
    fn write(wave: &mut Wave, row: usize, values: &Row, mask: u64) {
        wave.set_row(row, values, mask);
    }
}

impl Rows for u64 {
    const IS_ROW: bool = false;

    #[inline(always)]
    fn read<'r>(
        source: &Source,
        wave: &'r Wave,
        mask: u64,
        space: &'r mut Spare<u64>,
    ) -> Result<&'r Row64, Box<Stop>> {
        source.row64(wave, mask, space)
    }

    #[inline(always)]
    fn write(wave: &mut Wave, row: usize, values: &[u64; LANES], mask: u64) {
        let (mut low, mut high) = ([0; LANES], [0; LANES]);
        for lane in 0..LANES {
            (low[lane], high[lane]) = (values[lane] as u32, (values[lane] >> 32) as u32);
        }
        wave.set_row(row, &low, mask);
        wave.set_row(row + 1, &high, mask);
    }
}
