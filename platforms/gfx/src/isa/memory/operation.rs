//! What atomic instructions do to a word of memory, or to two.

use super::address::Data;
use crate::assembly::{Decoded, Statement};
use crate::fault::Stop;
use crate::isa::element::{Bf16, Element, F16, PackedBf16, PackedF16};
use crate::machine::wave::{LANES, Row64, Wave};

/// What becomes of the old value and the data.
#[derive(Clone, Copy)]
pub(crate) enum Operation {
    Word(fn(u32, u32) -> u32),
    Pair(fn(u64, u64) -> u64),
    /// Replaces the value if it is what a further operand says.
    CompareWord,
    ComparePair,
}

impl Operation {
    /// Registers of a value.
    pub(crate) fn words(self) -> usize {
        match self {
            Self::Word(_) | Self::CompareWord => 1,
            Self::Pair(_) | Self::ComparePair => 2,
        }
    }

    pub(crate) fn compares(self) -> bool {
        matches!(self, Self::CompareWord | Self::ComparePair)
    }

    /// The new value.
    #[inline(always)]
    pub(crate) fn apply(self, old: u64, data: u64, expected: u64) -> u64 {
        match self {
            Self::Word(f) => u64::from(f(old as u32, data as u32)),
            Self::Pair(f) => f(old, data),
            Self::CompareWord | Self::ComparePair if old == expected => data,
            Self::CompareWord | Self::ComparePair => old,
        }
    }
}

/// A value in registers: one, or two.
#[derive(Clone, Copy)]
pub(crate) struct Values {
    data: Data,
    words: usize,
}

impl Values {
    pub(crate) fn decode(statement: &Statement, index: usize, words: usize) -> Decoded<Self> {
        Ok(Self { data: Data::decode(statement, index, words)?, words })
    }

    pub(crate) fn read(self, wave: &Wave, mask: u64) -> Result<Row64, Box<Stop>> {
        self.read_part(wave, mask, 0)
    }

    /// The value that starts at the word `first`, where the registers hold two values.
    pub(crate) fn read_half(self, wave: &Wave, mask: u64, half: usize) -> Result<Row64, Box<Stop>> {
        Self { words: self.words / 2, ..self }.read_part(wave, mask, self.words / 2 * half)
    }

    fn read_part(self, wave: &Wave, mask: u64, first: usize) -> Result<Row64, Box<Stop>> {
        let row = self.data.row(wave, self.words + first)? + first;
        (0..self.words).try_for_each(|word| wave.demand(row + word, mask))?;
        Ok(std::array::from_fn(|lane| {
            let high = if self.words == 2 { wave.row(row + 1)[lane] } else { 0 };
            u64::from(wave.row(row)[lane]) | u64::from(high) << 32
        }))
    }

    pub(crate) fn write(self, wave: &mut Wave, values: &Row64, mask: u64) -> Result<(), Box<Stop>> {
        let mut rows = [[0; LANES]; 2];
        for (lane, value) in values.iter().enumerate() {
            (rows[0][lane], rows[1][lane]) = (*value as u32, (*value >> 32) as u32);
        }
        match self.words {
            1 => self.data.write::<1>(wave, &[rows[0]], mask),
            _ => self.data.write::<2>(wave, &rows, mask),
        }
    }
}

/// Integers of 32 or 64 bits.
macro_rules! integer_operations {
    ($name:ident, $unsigned:ty, $signed:ty, $kind:ident) => {
        pub(crate) mod $name {
            use super::Operation::{self, $kind};

            pub(crate) const ADD: Operation = $kind(|old, data| old.wrapping_add(data));
            pub(crate) const SUB: Operation = $kind(|old, data| old.wrapping_sub(data));
            pub(crate) const REVERSE_SUB: Operation = $kind(|old, data| data.wrapping_sub(old));
            pub(crate) const MIN_U: Operation = $kind(|old, data| old.min(data));
            pub(crate) const MAX_U: Operation = $kind(|old, data| old.max(data));
            pub(crate) const MIN_I: Operation =
                $kind(|old, data| (old as $signed).min(data as $signed) as $unsigned);
            pub(crate) const MAX_I: Operation =
                $kind(|old, data| (old as $signed).max(data as $signed) as $unsigned);
            pub(crate) const AND: Operation = $kind(|old, data| old & data);
            pub(crate) const OR: Operation = $kind(|old, data| old | data);
            pub(crate) const XOR: Operation = $kind(|old, data| old ^ data);
            pub(crate) const SWAP: Operation = $kind(|_, data| data);
            /// Counts up to the data, then from 0 again.
            pub(crate) const INC: Operation =
                $kind(|old, data| if old >= data { 0 } else { old.wrapping_add(1) });
            /// Counts down to 0, then from the data again.
            pub(crate) const DEC: Operation =
                $kind(|old, data| if old == 0 || old > data { data } else { old.wrapping_sub(1) });
        }
    };
}

integer_operations!(word, u32, i32, Word);
integer_operations!(pair, u64, i64, Pair);

/// Stays at 0 rather than to become negative.
pub(crate) const SUB_CLAMP: Operation = Operation::Word(u32::saturating_sub);
/// Subtracts where that does not make it negative.
pub(crate) const COND_SUB: Operation =
    Operation::Word(|old, data| if old >= data { old - data } else { old });

fn f32s(f: impl Fn(f32, f32) -> f32, old: u32, data: u32) -> u32 {
    f(f32::from_bits(old), f32::from_bits(data)).to_bits()
}

fn f64s(f: impl Fn(f64, f64) -> f64, old: u64, data: u64) -> u64 {
    f(f64::from_bits(old), f64::from_bits(data)).to_bits()
}

pub(crate) const ADD_F32: Operation = Operation::Word(|old, data| f32s(|a, b| a + b, old, data));
pub(crate) const MIN_F32: Operation = Operation::Word(|old, data| f32s(f32::min, old, data));
pub(crate) const MAX_F32: Operation = Operation::Word(|old, data| f32s(f32::max, old, data));
pub(crate) const ADD_F64: Operation = Operation::Pair(|old, data| f64s(|a, b| a + b, old, data));
pub(crate) const MIN_F64: Operation = Operation::Pair(|old, data| f64s(f64::min, old, data));
pub(crate) const MAX_F64: Operation = Operation::Pair(|old, data| f64s(f64::max, old, data));

// The f32 sum of two 16-bit floats has more than twice their digits, so rounding it again gives the correctly rounded sum.
pub(crate) const PK_ADD_F16: Operation = Operation::Word(|old, data| {
    let (old, data) = (PackedF16::of(old).0, PackedF16::of(data).0);
    let sum = |half: usize| F16::from_f32(old[half].to_f32() + data[half].to_f32());
    PackedF16([sum(0), sum(1)]).word()
});
pub(crate) const PK_ADD_BF16: Operation = Operation::Word(|old, data| {
    let (old, data) = (PackedBf16::of(old).0, PackedBf16::of(data).0);
    let sum = |half: usize| Bf16::from_f32(old[half].to_f32() + data[half].to_f32());
    PackedBf16([sum(0), sum(1)]).word()
});
