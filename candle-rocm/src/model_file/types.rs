//! GGML's types of tensors, and how many bytes a tensor takes.

use std::collections::HashSet;

use super::{ModelFault, TensorInfo};

/// A type that candle loads.
struct Type {
    number: u32,
    name: &'static str,
    /// Elements of a block.
    block: u64,
    /// Bytes of a block.
    bytes: u64,
}

const fn row(number: u32, name: &'static str, block: u64, bytes: u64) -> Type {
    Type { number, name, block, bytes }
}

const LOADED: &[Type] = &[
    row(0, "F32", 1, 4),
    row(1, "F16", 1, 2),
    row(2, "Q4_0", 32, 18),
    row(3, "Q4_1", 32, 20),
    row(6, "Q5_0", 32, 22),
    row(7, "Q5_1", 32, 24),
    row(8, "Q8_0", 32, 34),
    row(10, "Q2_K", 256, 84),
    row(11, "Q3_K", 256, 110),
    row(12, "Q4_K", 256, 144),
    row(13, "Q5_K", 256, 176),
    row(14, "Q6_K", 256, 210),
    row(30, "BF16", 1, 2),
];

/// Types that candle does not load, for the error.
const OTHERS: &[(u32, &str)] = &[
    (4, "Q4_2"),
    (5, "Q4_3"),
    (9, "Q8_1"),
    (15, "Q8_K"),
    (16, "IQ2_XXS"),
    (17, "IQ2_XS"),
    (18, "IQ3_XXS"),
    (19, "IQ1_S"),
    (20, "IQ4_NL"),
    (21, "IQ3_S"),
    (22, "IQ2_S"),
    (23, "IQ4_XS"),
    (24, "I8"),
    (25, "I16"),
    (26, "I32"),
    (27, "I64"),
    (28, "F64"),
    (29, "IQ1_M"),
    (34, "TQ1_0"),
    (35, "TQ2_0"),
    (39, "MXFP4"),
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

/// A tensor of these dimensions, the contiguous one first as files have them.
pub(super) fn tensor(
    name: String,
    number: u32,
    file_dims: &[u64],
    offset: u64,
) -> Result<TensorInfo, ModelFault> {
    let Some(dtype) = LOADED.iter().find(|dtype| dtype.number == number) else {
        return Err(unknown(name, number));
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
    if file_dims.first().is_some_and(|row| row % dtype.block != 0) {
        return Err(refuse(format!("rows of whole blocks of {}", dtype.block)));
    }
    let bytes = bytes(&dims, dtype).ok_or_else(|| refuse("fewer than 2^63 bytes".to_owned()))?;
    let dims = dims.iter().map(|&dim| dim as usize).collect();
    Ok(TensorInfo { name, dtype: dtype.name, dims, offset, bytes })
}

/// `None` where elements or bytes exceed `isize::MAX`, the limit of allocations.
fn bytes(dims: &[u64], dtype: &Type) -> Option<u64> {
    let elements = dims.iter().try_fold(1u64, |product, &dim| product.checked_mul(dim))?;
    // As f32 it must fit too: that is what candle dequantizes to.
    elements.checked_mul(4).filter(|&bytes| i64::try_from(bytes).is_ok())?;
    (elements / dtype.block).checked_mul(dtype.bytes)
}

fn unknown(tensor: String, number: u32) -> ModelFault {
    let name = OTHERS.iter().find(|(other, _)| *other == number).map(|(_, name)| (*name).to_owned());
    let known: Vec<&str> = LOADED.iter().map(|dtype| dtype.name).collect();
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
    use candle_core::quantized::GgmlDType as G;

    use super::*;

    #[test]
    fn sizes_are_candles() {
        let candles = [
            G::F32,
            G::F16,
            G::Q4_0,
            G::Q4_1,
            G::Q5_0,
            G::Q5_1,
            G::Q8_0,
            G::Q2K,
            G::Q3K,
            G::Q4K,
            G::Q5K,
            G::Q6K,
            G::BF16,
        ];
        assert_eq!(LOADED.len(), candles.len());
        for (ours, candles) in LOADED.iter().zip(candles) {
            assert_eq!(ours.name.replace("_K", "K"), format!("{candles:?}"));
            assert_eq!(ours.block, candles.block_size() as u64, "{}", ours.name);
            assert_eq!(ours.bytes, candles.type_size() as u64, "{}", ours.name);
        }
    }

    #[test]
    fn bytes_that_overflow() {
        let size = |dims: &[u64]| tensor("x".to_owned(), 8, dims, 0).map(|tensor| tensor.bytes).ok();
        assert_eq!(size(&[64, 3]), Some(6 * 34));
        assert_eq!(size(&[33]), None);
        assert_eq!(size(&[32, 0]), None);
        // 2^64 and 2^61 elements: a product of 0, and 2^63 bytes as f32.
        assert_eq!(size(&[1 << 32, 1 << 32]), None);
        assert_eq!(size(&[1 << 32, 1 << 29]), None);
        assert_eq!(size(&[1 << 32, 1 << 28]), Some((1 << 55) * 34));
    }
}
