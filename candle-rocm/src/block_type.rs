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
    /// IQ2_XXS: 256 weights in eights, which one of 256 indices and seven bits of signs select, in eight groups with 4-bit scales.
    Iq2Xxs,
    /// IQ2_XS: the same with 512 indices, in sixteen groups.
    Iq2Xs,
    /// IQ2_S: the same with 1024 indices and eight bits of signs.
    Iq2S,
    /// IQ3_XXS: 256 weights in fours, which one of 256 indices selects, with seven bits of signs for two of them, in eight groups with
    /// 4-bit scales.
    Iq3Xxs,
    /// IQ3_S: the same with 512 indices and a sign for each weight.
    Iq3S,
    /// IQ1_S: 256 weights in eights, which one of 2048 indices selects: -1, 0 or 1, and an eighth more or less in each of eight groups,
    /// with 3-bit scales.
    Iq1S,
    /// IQ1_M: the same with sixteen groups, and an eighth more or less in each eight.
    Iq1M,
}

/// What there is to know of a type that candle does not have.
struct Facts {
    /// As GGML spells it.
    name: &'static str,
    /// Weights of a block, and of a granule.
    weights: usize,
    granule: usize,
    /// Bytes of a block.
    bytes: usize,
    /// Vectors of its grid.
    grid: usize,
    /// A number of its own.
    word: u64,
}

impl BlockType {
    const fn facts(self) -> Result<Facts, GgmlDType> {
        let (word, name, weights, bytes, granule, grid) = match self {
            Self::Candle(dtype) => return Err(dtype),
            Self::Iq4Nl => (0x100, "IQ4_NL", 32, 18, 16, 0),
            Self::Iq4Xs => (0x101, "IQ4_XS", 256, 136, 16, 0),
            Self::Mxfp4 => (0x102, "MXFP4", 32, 17, 16, 0),
            Self::Tq1_0 => (0x103, "TQ1_0", 256, 54, 8, 0),
            Self::Tq2_0 => (0x104, "TQ2_0", 256, 66, 32, 0),
            Self::Iq2Xxs => (0x105, "IQ2_XXS", 256, 66, 16, 256),
            Self::Iq2Xs => (0x106, "IQ2_XS", 256, 74, 16, 512),
            Self::Iq2S => (0x107, "IQ2_S", 256, 82, 16, 1024),
            Self::Iq3Xxs => (0x108, "IQ3_XXS", 256, 98, 16, 256),
            Self::Iq3S => (0x109, "IQ3_S", 256, 110, 16, 512),
            Self::Iq1S => (0x10a, "IQ1_S", 256, 50, 16, 2048),
            Self::Iq1M => (0x10b, "IQ1_M", 256, 56, 16, 2048),
        };
        Ok(Facts { name, weights, granule, bytes, grid, word })
    }

    /// The number of weights in a block.
    pub fn block_size(self) -> usize {
        self.facts().map_or_else(|dtype| dtype.block_size(), |facts| facts.weights)
    }

    /// The size of a block in bytes.
    pub fn type_size(self) -> usize {
        self.facts().map_or_else(|dtype| dtype.type_size(), |facts| facts.bytes)
    }

    /// The type that candle sees. It represents such weights exactly, except for the scales of IQ4_XS and of IQ1 to IQ3, and the smallest
    /// scales of MXFP4, which it approximates.
    pub fn shown_as(self) -> GgmlDType {
        match self {
            Self::Candle(dtype) => dtype,
            _ => GgmlDType::Q8_0,
        }
    }

    /// A number of its own, for keys of plans.
    pub(crate) fn word(self) -> u64 {
        self.facts().map_or_else(|dtype| dtype as u64, |facts| facts.word)
    }

    /// Weights of a granule, which a thread unpacks at a time: 8 bytes of a block's quants, where that can be.
    pub(crate) fn granule(self) -> usize {
        use GgmlDType as G;
        self.facts().map_or_else(
            |dtype| match dtype {
                G::Q8_0 | G::Q8_1 | G::Q8K => 8,
                G::Q2K | G::Q3K => 32,
                _ => 16,
            },
            |facts| facts.granule,
        )
    }

    /// Vectors of the grid that the type's indices select from; none if it has no grid.
    pub(crate) fn grid(self) -> usize {
        self.facts().map_or(0, |facts| facts.grid)
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
        match self.facts() {
            Err(dtype) => write!(f, "{dtype:?}"),
            Ok(facts) => f.write_str(facts.name),
        }
    }
}
