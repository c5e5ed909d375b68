//! The types that instructions compute with.
//!
//! Conversions are written without branches, so that loops over lanes become vector instructions.

/// What decides how an operand's constants and modifiers are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Integers, or bits.
    B16,
    B32,
    B64,
    F16,
    Bf16,
    F32,
    F64,
    /// Two 16-bit integers.
    PackedB16,
    /// Two f16.
    PackedF16,
    /// Two bf16.
    PackedBf16,
}

impl Kind {
    /// Registers that an operand of this kind takes.
    pub(crate) fn words(self) -> u16 {
        match self {
            Self::B64 | Self::F64 => 2,
            _ => 1,
        }
    }

    /// Whether it is 16 bits of a register.
    pub(crate) fn is_half(self) -> bool {
        matches!(self, Self::B16 | Self::F16 | Self::Bf16)
    }

    /// The bit that `-x` flips and `|x|` clears, for floats.
    pub(crate) fn sign(self) -> Option<u64> {
        match self {
            Self::F16 | Self::Bf16 => Some(1 << 15),
            Self::F32 => Some(1 << 31),
            Self::F64 => Some(1 << 63),
            _ => None,
        }
    }
}

/// A value of one lane: 32 or 64 bits.
pub(crate) trait Word: Copy + Default + 'static {
    fn from_u64(bits: u64) -> Self;
    fn to_u64(self) -> u64;
}

impl Word for u32 {
    #[inline(always)]
    fn from_u64(bits: u64) -> Self {
        bits as u32
    }

    #[inline(always)]
    fn to_u64(self) -> u64 {
        self.into()
    }
}

impl Word for u64 {
    #[inline(always)]
    fn from_u64(bits: u64) -> Self {
        bits
    }

    #[inline(always)]
    fn to_u64(self) -> u64 {
        self
    }
}

/// A type of operands or results.
pub(crate) trait Element: Copy + 'static {
    /// What holds it in a lane. Types of 16 bits are in the lower half.
    type Word: Word;
    const KIND: Kind;
    fn of(word: Self::Word) -> Self;
    fn word(self) -> Self::Word;
}

macro_rules! elements {
    ($($element:ty: $word:ty, $kind:ident, $of:expr, $word_of:expr;)*) => {$(
        impl Element for $element {
            type Word = $word;
            const KIND: Kind = Kind::$kind;
            #[inline(always)]
            fn of(word: $word) -> Self {
                #[inline(always)]
                fn of(word: $word) -> $element { ($of)(word) }
                of(word)
            }
            #[inline(always)]
            fn word(self) -> $word {
                #[inline(always)]
                fn word(value: $element) -> $word { ($word_of)(value) }
                word(self)
            }
        }
    )*};
}

elements! {
    u32: u32, B32, |w| w, |v| v;
    i32: u32, B32, |w| w as i32, |v: i32| v as u32;
    f32: u32, F32, f32::from_bits, f32::to_bits;
    u64: u64, B64, |w| w, |v| v;
    i64: u64, B64, |w| w as i64, |v: i64| v as u64;
    f64: u64, F64, f64::from_bits, f64::to_bits;
    u16: u32, B16, |w| w as u16, u32::from;
    i16: u32, B16, |w| w as i16, |v: i16| u32::from(v as u16);
    F16: u32, F16, |w| F16(w as u16), |v: F16| u32::from(v.0);
    Bf16: u32, Bf16, |w| Bf16(w as u16), |v: Bf16| u32::from(v.0);
    PackedB16: u32, PackedB16, |w| PackedB16([w as u16, (w >> 16) as u16]), |v: PackedB16| u32::from(v.0[0]) | u32::from(v.0[1]) << 16;
    PackedF16: u32, PackedF16, |w| PackedF16([F16(w as u16), F16((w >> 16) as u16)]), |v: PackedF16| u32::from(v.0[0].0) | u32::from(v.0[1].0) << 16;
    PackedBf16: u32, PackedBf16, |w| PackedBf16([Bf16(w as u16), Bf16((w >> 16) as u16)]), |v: PackedBf16| u32::from(v.0[0].0) | u32::from(v.0[1].0) << 16;
}

/// The bits of an IEEE 754 half-precision number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct F16(pub(crate) u16);

/// The bits of a bfloat16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bf16(pub(crate) u16);

/// Two 16-bit integers, the first in the lower half.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedB16(pub(crate) [u16; 2]);

/// Two half-precision numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedF16(pub(crate) [F16; 2]);

/// Two bfloat16 numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedBf16(pub(crate) [Bf16; 2]);

impl F16 {
    /// Exact.
    #[inline(always)]
    pub(crate) fn to_f32(self) -> f32 {
        let magnitude = u32::from(self.0 & 0x7fff) << 13;
        // Moves the exponent's bias from 15 to 127; subnormals come out right, as f32 has room for them.
        let scaled = f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23);
        let special = if magnitude >= 0x1f << 23 { 0xff << 23 } else { 0 };
        f32::from_bits(scaled.to_bits() | special | u32::from(self.0 & 0x8000) << 16)
    }

    /// Rounds to nearest, ties to even. NaNs become quiet.
    #[inline(always)]
    pub(crate) fn from_f32(value: f32) -> Self {
        let bits = value.to_bits();
        let magnitude = bits & 0x7fff_ffff;
        // Everything from 65536 on becomes infinity.
        let finite = magnitude.min((127 + 16) << 23);
        // Adding a power of two lets the hardware round at the right bit. Subnormal results share the least exponent.
        let exponent = finite.max(113 << 23) & 0xff << 23;
        let magic = exponent.wrapping_add(13 << 23);
        let rounded = (f32::from_bits(finite) + f32::from_bits(magic)).to_bits().wrapping_sub(magic);
        let number = rounded.wrapping_add(exponent.wrapping_sub(113 << 23) >> 13);
        let all = if magnitude > 0xff << 23 { 0x7e00 | (magnitude >> 13 & 0x3ff) } else { number };
        Self((all | bits >> 16 & 0x8000) as u16)
    }

    /// Rounds once, from double precision.
    #[inline(always)]
    pub(crate) fn from_f64(value: f64) -> Self {
        let nearest = value as f32;
        Self::from_f32(to_odd(nearest, (value - f64::from(nearest)) as f32))
    }

    pub(crate) fn to_f64(self) -> f64 {
        self.to_f32().into()
    }
}

/// Turns a sum's nearest f32 into one that can be rounded again, to a shorter type, as if from the exact value: an inexact result
/// becomes the neighbour whose last bit is one ("rounding to odd"). `error` is the exact value less `nearest`; only its sign counts.
#[inline(always)]
pub(crate) fn to_odd(nearest: f32, error: f32) -> f32 {
    let bits = nearest.to_bits();
    let toward_zero = bits.wrapping_sub((bits ^ error.to_bits()) >> 31);
    // Not `error != 0.0`: infinities and NaNs have an error of NaN, and stay.
    let is_inexact = (error < 0.0) | (error > 0.0);
    f32::from_bits(if is_inexact { toward_zero | 1 } else { bits })
}

impl Bf16 {
    /// Exact.
    #[inline(always)]
    pub(crate) fn to_f32(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }

    /// Rounds to nearest, ties to even. NaNs become quiet.
    #[inline(always)]
    pub(crate) fn from_f32(value: f32) -> Self {
        let bits = value.to_bits();
        let odd = bits >> 16 & 1;
        let rounded = bits.wrapping_add(0x7fff + odd) >> 16;
        let nan = bits >> 16 | 0x40;
        Self(if bits & 0x7fff_ffff > 0xff << 23 { nan } else { rounded } as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_every_pattern() {
        for bits in 0..=u16::MAX {
            let (ours, theirs) = (F16(bits).to_f32(), half::f16::from_bits(bits).to_f32());
            assert!(ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan()), "{bits:#x}");
            let (ours, theirs) = (Bf16(bits).to_f32(), half::bf16::from_bits(bits).to_f32());
            assert!(ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan()), "{bits:#x}");
        }
    }

    #[test]
    fn rounding_to_halves() {
        let check = |bits: u32| {
            let value = f32::from_bits(bits);
            let f16 = half::f16::from_f32(value);
            let ours = F16::from_f32(value);
            assert!(
                ours.0 == f16.to_bits() || (f16.is_nan() && ours.to_f32().is_nan()),
                "{bits:#x}: {:#x} {:#x}",
                ours.0,
                f16.to_bits()
            );
            let bf16 = half::bf16::from_f32(value);
            let ours = Bf16::from_f32(value);
            assert!(ours.0 == bf16.to_bits() || (bf16.is_nan() && ours.to_f32().is_nan()), "{bits:#x}");
        };
        // Every exponent and sign, with mantissas around each rounding boundary.
        for upper in 0..=u16::MAX {
            for lower in [0, 1, 0xfff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001, 0xffff] {
                check(u32::from(upper) << 16 | lower);
            }
        }
        let mut random = fastrand::Rng::with_seed(1);
        (0..1_000_000).for_each(|_| check(random.u32(..)));
    }

    #[test]
    fn doubles_are_rounded_once() {
        // Just above and below the middle between two neighbours, closer than an f32 can tell.
        for bits in 0..0x7bff {
            let (low, high) = (F16(bits).to_f64(), F16(bits + 1).to_f64());
            let middle = f64::midpoint(low, high);
            assert_eq!(F16::from_f64(middle.next_down()).0, bits);
            assert_eq!(F16::from_f64(-middle.next_up()).0, (bits + 1) | 0x8000);
            assert_eq!(F16::from_f64(middle).0, bits + (bits & 1));
        }
        assert_eq!(F16::from_f64(65520_f64.next_down()).0, 0x7bff);
        for (value, bits) in [(65520.0, 0x7c00), (1e300, 0x7c00), (-f64::INFINITY, 0xfc00), (-1e-300, 0x8000)]
        {
            assert_eq!(F16::from_f64(value).0, bits);
        }
        assert!(F16::from_f64(f64::NAN).to_f32().is_nan());
    }
}
