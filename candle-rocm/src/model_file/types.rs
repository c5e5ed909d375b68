//! GGML's types of tensors, and how many bytes a tensor takes.

use std::collections::HashSet;

use candle_core::quantized::GgmlDType as G;

use super::{ModelFault, TensorInfo};
use crate::block_type::BlockType::{self, Candle};

/// A type that candle loads.
pub(super) struct Type {
    number: u32,
    name: &'static str,
    kind: BlockType,
}

const fn row(number: u32, name: &'static str, kind: BlockType) -> Type {
    Type { number, name, kind }
}

/// From GGUF files: the last ones with our patches.
pub(super) const GGUF: &[Type] = &[
    row(0, "F32", Candle(G::F32)),
    row(1, "F16", Candle(G::F16)),
    row(2, "Q4_0", Candle(G::Q4_0)),
    row(3, "Q4_1", Candle(G::Q4_1)),
    row(6, "Q5_0", Candle(G::Q5_0)),
    row(7, "Q5_1", Candle(G::Q5_1)),
    row(8, "Q8_0", Candle(G::Q8_0)),
    row(10, "Q2_K", Candle(G::Q2K)),
    row(11, "Q3_K", Candle(G::Q3K)),
    row(12, "Q4_K", Candle(G::Q4K)),
    row(13, "Q5_K", Candle(G::Q5K)),
    row(14, "Q6_K", Candle(G::Q6K)),
    row(30, "BF16", Candle(G::BF16)),
    row(16, "IQ2_XXS", BlockType::Iq2Xxs),
    row(17, "IQ2_XS", BlockType::Iq2Xs),
    row(18, "IQ3_XXS", BlockType::Iq3Xxs),
    row(19, "IQ1_S", BlockType::Iq1S),
    row(20, "IQ4_NL", BlockType::Iq4Nl),
    row(21, "IQ3_S", BlockType::Iq3S),
    row(22, "IQ2_S", BlockType::Iq2S),
    row(23, "IQ4_XS", BlockType::Iq4Xs),
    row(29, "IQ1_M", BlockType::Iq1M),
    row(34, "TQ1_0", BlockType::Tq1_0),
    row(35, "TQ2_0", BlockType::Tq2_0),
    row(39, "MXFP4", BlockType::Mxfp4),
];

/// From the files before that.
pub(super) const GGML: &[Type] = GGUF.split_at(13).0;

/// Types that candle does not load, for the error.
const OTHERS: &[(u32, &str)] = &[
    (4, "Q4_2"),
    (5, "Q4_3"),
    (9, "Q8_1"),
    (15, "Q8_K"),
    (24, "I8"),
    (25, "I16"),
    (26, "I32"),
    (27, "I64"),
    (28, "F64"),
];

/// More have no meaning in GGML.
const MAX_DIMS: u32 = 4;

/// Reads as many dimensions as the rank says.
///
/// # Errors
/// If GGML has no tensors of that rank, and those of `read`.
pub(super) fn read_dims(
    tensor: &str,
    rank: u32,
    read: impl FnMut() -> Result<u64, ModelFault>,
) -> Result<Vec<u64>, ModelFault> {
    match rank {
        1..=MAX_DIMS => std::iter::repeat_with(read).take(rank as usize).collect(),
        _ => Err(ModelFault::Tensor {
            tensor: tensor.to_owned(),
            value: format!("{rank} dimensions"),
            expected: format!("1 to {MAX_DIMS}"),
        }),
    }
}

/// A tensor of these dimensions, the contiguous one first as files have them, in one of these types.
pub(super) fn tensor(
    known: &[Type],
    name: String,
    number: u32,
    file_dims: &[u64],
    offset: u64,
) -> Result<TensorInfo, ModelFault> {
    let Some(dtype) = known.iter().find(|dtype| dtype.number == number) else {
        return Err(unknown(known, name, number));
    };
    let dims: Vec<u64> = file_dims.iter().rev().copied().collect();
    let refuse = |expected: String| ModelFault::Tensor {
        tensor: name.clone(),
        value: format!("shape {dims:?} in {}", dtype.name),
        expected,
    };
    if dims.contains(&0) {
        return Err(refuse("dimensions of at least 1".to_owned()));
    }
    let block = dtype.kind.block_size() as u64;
    if file_dims.first().is_some_and(|row| row % block != 0) {
        return Err(refuse(format!("rows of whole blocks of {block}")));
    }
    let bytes = bytes(&dims, dtype.kind).ok_or_else(|| refuse("fewer than 2^63 bytes".to_owned()))?;
    let dims = dims.iter().map(|&dim| dim as usize).collect();
    Ok(TensorInfo { name, dtype: dtype.name, dims, offset, bytes })
}

/// `None` where elements or bytes exceed `isize::MAX`, the limit of allocations.
fn bytes(dims: &[u64], kind: BlockType) -> Option<u64> {
    let elements = dims.iter().try_fold(1u64, |product, &dim| product.checked_mul(dim))?;
    // As f32 it must fit too: that is what candle dequantizes to.
    elements.checked_mul(4).filter(|&bytes| i64::try_from(bytes).is_ok())?;
    (elements / kind.block_size() as u64).checked_mul(kind.type_size() as u64)
}

fn unknown(known: &[Type], tensor: String, number: u32) -> ModelFault {
    let of_gguf = GGUF.iter().map(|dtype| (dtype.number, dtype.name));
    let mut all = OTHERS.iter().copied().chain(of_gguf);
    let name = all.find(|(other, _)| *other == number).map(|(_, name)| name.to_owned());
    let known: Vec<&str> = known.iter().map(|dtype| dtype.name).collect();
    ModelFault::Dtype {
        tensor,
        dtype: name.unwrap_or_else(|| format!("number {number}")),
        known: known.join(", "),
    }
}

/// A file's tensors, whose names differ.
#[derive(Default)]
pub(super) struct Tensors {
    list: Vec<TensorInfo>,
    names: HashSet<String>,
}

impl Tensors {
    /// # Errors
    /// If there is a tensor of that name.
    pub(super) fn push(&mut self, tensor: TensorInfo) -> Result<(), ModelFault> {
        if !self.names.insert(tensor.name.clone()) {
            let (value, expected) = ("a duplicate name".to_owned(), "distinct names".to_owned());
            return Err(ModelFault::Tensor { tensor: tensor.name, value, expected });
        }
        self.list.push(tensor);
        Ok(())
    }

    pub(super) fn into_list(self) -> Vec<TensorInfo> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_types() {
        for Type { name, kind, .. } in GGUF {
            assert_eq!(name.replace("_K", "K"), kind.to_string());
        }
    }

    /// Bytes of 256 weights, as the formats have them.
    #[test]
    fn sizes() {
        let size = |number| tensor(GGUF, "x".to_owned(), number, &[256], 0).map(|tensor| tensor.bytes).ok();
        assert_eq!([20, 23, 34, 35, 39].map(size), [144, 136, 54, 66, 136].map(Some));
        assert_eq!([0, 2, 8, 12, 30].map(size), [1024, 144, 272, 144, 512].map(Some));
        assert_eq!([16, 17, 18, 19, 21, 22, 29].map(size), [66, 74, 98, 50, 110, 82, 56].map(Some));
        assert_eq!([4, 24, 31].map(size), [None; 3]);
        let error = tensor(GGML, "x".to_owned(), 20, &[256], 0).unwrap_err().to_string();
        assert!(error.contains("type IQ4_NL") && error.ends_with("Q6_K, BF16"), "{error}");
    }

    #[test]
    fn bytes_that_overflow() {
        let size = |dims: &[u64]| tensor(GGUF, "x".to_owned(), 8, dims, 0).map(|tensor| tensor.bytes).ok();
        assert_eq!(size(&[64, 3]), Some(6 * 34));
        assert_eq!(size(&[33]), None);
        assert_eq!(size(&[32, 0]), None);
        // 2^64 and 2^61 elements: a product of 0, and 2^63 bytes as f32.
        assert_eq!(size(&[1 << 32, 1 << 32]), None);
        assert_eq!(size(&[1 << 32, 1 << 29]), None);
        assert_eq!(size(&[1 << 32, 1 << 28]), Some((1 << 55) * 34));
    }
}
