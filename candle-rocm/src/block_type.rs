//! How quantized weights are packed: GGML's types of blocks.

use std::fmt;

use candle_core::quantized::GgmlDType;

/// A type of quantized weights: one of candle's, or one of GGML's that candle does not have.
///
/// Programs match candle's [`GgmlDType`] exhaustively, so no variants can be added to it. Candle sees the other types as
/// [`BlockType::shown_as`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockType {
    /// A type that candle has.
    Candle(GgmlDType),
    /// IQ4_NL: 32 weights of four bits, which select one of sixteen values, with a scale.
    Iq4Nl,
    /// IQ4_XS: 256 such weights, in eight groups with 6-bit scales.
    Iq4Xs,
    /// MXFP4 of OCP, as used by gpt-oss: 32 4-bit floats (E2M1) with a power of two (E8M0) as their scale.
    Mxfp4,
    /// TQ1_0: 256 weights of -1, 0 or 1 times a scale, five to a byte.
    Tq1_0,
    /// TQ2_0: the same, four to a byte.
    Tq2_0,
}

impl BlockType {
    /// The number of weights in a block.
    pub fn block_size(self) -> usize {
        match self {
            Self::Candle(dtype) => dtype.block_size(),
            Self::Iq4Nl | Self::Mxfp4 => 32,
            Self::Iq4Xs | Self::Tq1_0 | Self::Tq2_0 => 256,
        }
    }

    /// The size of a block in bytes.
    pub fn type_size(self) -> usize {
        match self {
            Self::Candle(dtype) => dtype.type_size(),
            Self::Iq4Nl => 18,
            Self::Iq4Xs => 136,
            Self::Mxfp4 => 17,
            Self::Tq1_0 => 54,
            Self::Tq2_0 => 66,
        }
    }

    /// The type that candle sees. It represents such weights exactly, except for the scales of IQ4_XS and the smallest scales of MXFP4,
    /// which it approximates.
    pub fn shown_as(self) -> GgmlDType {
        match self {
            Self::Candle(dtype) => dtype,
            _ => GgmlDType::Q8_0,
        }
    }

    /// A number of its own, for keys of plans.
    pub(crate) fn word(self) -> u64 {
        match self {
            Self::Candle(dtype) => dtype as u64,
            Self::Iq4Nl => 0x100,
            Self::Iq4Xs => 0x101,
            Self::Mxfp4 => 0x102,
            Self::Tq1_0 => 0x103,
            Self::Tq2_0 => 0x104,
        }
    }

    /// Weights of a granule, which a thread unpacks at a time: 8 bytes of a block's quants, where that can be.
    pub(crate) fn granule(self) -> usize {
        use GgmlDType as G;
        match self {
            Self::Candle(G::Q8_0 | G::Q8_1 | G::Q8K) | Self::Tq1_0 => 8,
            Self::Candle(G::Q2K | G::Q3K) | Self::Tq2_0 => 32,
            _ => 16,
        }
    }
}

impl From<GgmlDType> for BlockType {
    fn from(dtype: GgmlDType) -> Self {
        Self::Candle(dtype)
    }
}

/// As GGML spells it; candle's types as candle does.
impl fmt::Display for BlockType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Candle(dtype) => write!(f, "{dtype:?}"),
            Self::Iq4Nl => f.write_str("IQ4_NL"),
            Self::Iq4Xs => f.write_str("IQ4_XS"),
            Self::Mxfp4 => f.write_str("MXFP4"),
            Self::Tq1_0 => f.write_str("TQ1_0"),
            Self::Tq2_0 => f.write_str("TQ2_0"),
        }
    }
}
