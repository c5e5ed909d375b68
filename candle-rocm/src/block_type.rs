//! How quantized weights are packed: GGML's types of blocks.

use std::fmt;

use candle_core::quantized::GgmlDType;

/// A type of quantized weights: one of candle's, or one of GGML's for which candle has no name.
///
/// Programs match candle's [`GgmlDType`] without an arm for more, so the others cannot be added to it. To candle they are
/// [`BlockType::shown_as`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockType {
    /// One of candle's.
    Candle(GgmlDType),
    /// 32 weights of four bits, which stand for sixteen numbers, with a scale: IQ4_NL.
    Iq4Nl,
    /// 256 weights of the same kind, in eight groups with scales of six bits: IQ4_XS.
    Iq4Xs,
    /// 32 floats of four bits (E2M1) with a power of two (E8M0) as their scale: OCP's MXFP4, which gpt-oss has.
    Mxfp4,
    /// 256 weights of -1, 0 and 1 times a scale, five to a byte: TQ1_0.
    Tq1_0,
    /// The same, four to a byte: TQ2_0.
    Tq2_0,
}

impl BlockType {
    /// Weights of a block.
    pub fn block_size(self) -> usize {
        match self {
            Self::Candle(dtype) => dtype.block_size(),
            Self::Iq4Nl | Self::Mxfp4 => 32,
            Self::Iq4Xs | Self::Tq1_0 | Self::Tq2_0 => 256,
        }
    }

    /// Bytes of a block.
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

    /// What candle is told: a type of its own that holds such weights exactly or, for the scales of IQ4_XS and the smallest of MXFP4,
    /// nearly so.
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
