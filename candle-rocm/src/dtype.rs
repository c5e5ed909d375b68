//! The lists of dtypes and of quantized types, from which all others derive, and the sets of dtypes that kernels are for.

use candle_core::DType;
use candle_core::quantized::GgmlDType as G;

use crate::block_type::BlockType::{self, Candle};

/// Calls a macro with what it was given and all dtypes: first those that have kernels, with the type of an element and the name in
/// kernels' names, then the packed ones, whose elements are bytes.
macro_rules! with_dtypes {
    ($macro:ident! $($given:tt)*) => {
        $macro! {
            $($given)*
            [
                U8: u8 = "u8",
                U32: u32 = "u32",
                I16: i16 = "i16",
                I32: i32 = "i32",
                I64: i64 = "i64",
                BF16: half::bf16 = "bf16",
                F16: half::f16 = "f16",
                F32: f32 = "f32",
                F64: f64 = "f64",
                F8E4M3: $crate::F8E4M3 = "f8_e4m3",
            ]
            [F6E2M3, F6E3M2, F4, F8E8M0,]
        }
    };
}
pub(crate) use with_dtypes;

/// `match` on a dtype: runs `$body` with the type `$T` being the element of the one that is listed, `$other` for others.
macro_rules! match_dtype {
    (
        $dtype:expr, $T:ident => $body:expr, else $other:expr,
        [$($variant:ident: $ty:ty $(= $name:literal)?,)*] $($packed:tt)?
    ) => {
        match $dtype {
            $(candle_core::DType::$variant => { type $T = $ty; $body })*
            _ => $other,
        }
    };
}
pub(crate) use match_dtype;

/// [`match_dtype`] on those of [`DTypeExt::is_16_or_32_bit_float`].
macro_rules! each_16_or_32_bit_float {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dtype::match_dtype!(
            $dtype, $T => $body, else $other, [F16: half::f16, BF16: half::bf16, F32: f32,]
        )
    };
}
pub(crate) use each_16_or_32_bit_float;

/// [`match_dtype`] on those of [`DTypeExt::is_16_to_64_bit_float`].
macro_rules! each_16_to_64_bit_float {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dtype::match_dtype!(
            $dtype, $T => $body, else $other, [F16: half::f16, BF16: half::bf16, F32: f32, F64: f64,]
        )
    };
}
pub(crate) use each_16_to_64_bit_float;

/// Sets of dtypes.
pub(crate) trait DTypeExt {
    /// f16 and bf16: what matrix cores multiply, and what trees of operations compute in f32.
    fn is_half(&self) -> bool;
    /// f16, bf16 and f32: what kernels take that sum in f32, such as attention, experts and quantized products.
    fn is_16_or_32_bit_float(&self) -> bool;
    /// The same and f64: floats that most kernels compute with, those of 8 bits being for storage.
    fn is_16_to_64_bit_float(&self) -> bool;
    /// Floats that a sum soon outgrows: adding one more changes nothing.
    fn is_short_float(&self) -> bool;
}

impl DTypeExt for DType {
    fn is_half(&self) -> bool {
        matches!(self, Self::F16 | Self::BF16)
    }

    fn is_16_or_32_bit_float(&self) -> bool {
        each_16_or_32_bit_float!(*self, _T => true, else false)
    }

    fn is_16_to_64_bit_float(&self) -> bool {
        each_16_to_64_bit_float!(*self, _T => true, else false)
    }

    fn is_short_float(&self) -> bool {
        self.is_half() || *self == Self::F8E4M3
    }
}

/// The quantized types that kernels multiply, and their names in kernels' names and in files of choices, which count on the order.
pub(crate) const QUANTIZED: [(BlockType, &str); 22] = [
    (Candle(G::Q4_0), "q4_0"),
    (Candle(G::Q4_1), "q4_1"),
    (Candle(G::Q5_0), "q5_0"),
    (Candle(G::Q5_1), "q5_1"),
    (Candle(G::Q8_0), "q8_0"),
    (Candle(G::Q2K), "q2_K"),
    (Candle(G::Q3K), "q3_K"),
    (Candle(G::Q4K), "q4_K"),
    (Candle(G::Q5K), "q5_K"),
    (Candle(G::Q6K), "q6_K"),
    (BlockType::Iq4Nl, "iq4_nl"),
    (BlockType::Iq4Xs, "iq4_xs"),
    (BlockType::Mxfp4, "mxfp4"),
    (BlockType::Tq1_0, "tq1_0"),
    (BlockType::Tq2_0, "tq2_0"),
    (BlockType::Iq2Xxs, "iq2_xxs"),
    (BlockType::Iq2Xs, "iq2_xs"),
    (BlockType::Iq2S, "iq2_s"),
    (BlockType::Iq3Xxs, "iq3_xxs"),
    (BlockType::Iq3S, "iq3_s"),
    (BlockType::Iq1S, "iq1_s"),
    (BlockType::Iq1M, "iq1_m"),
];

/// Their names.
pub(crate) const QUANTIZED_NAMES: [&str; QUANTIZED.len()] = {
    let mut names = [""; QUANTIZED.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = QUANTIZED[i].1;
        i += 1;
    }
    names
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets() {
        macro_rules! all {
            ([$($variant:ident: $ty:ty = $name:literal,)*] [$($packed:ident,)*]) => {
                [$(DType::$variant,)* $(DType::$packed,)*]
            };
        }
        let of = |is: fn(&DType) -> bool| with_dtypes!(all!).into_iter().filter(is).collect::<Vec<_>>();
        assert_eq!(of(DTypeExt::is_half), [DType::BF16, DType::F16]);
        assert_eq!(of(DTypeExt::is_16_or_32_bit_float), [DType::BF16, DType::F16, DType::F32]);
        assert_eq!(of(DTypeExt::is_16_to_64_bit_float), [DType::BF16, DType::F16, DType::F32, DType::F64]);
        assert_eq!(of(DTypeExt::is_short_float), [DType::BF16, DType::F16, DType::F8E4M3]);
    }
}
