//! Products with quantized weights. For small batches, the weights alternate between copies that together exceed the caches.

use std::borrow::Cow;

use candle_core::quantized::{GgmlDType, QMatMul, QStorage, QTensor};
use candle_core::{DType, Device, Module, Result, Tensor};

use super::Plan;
use crate::bars::Bar;
use crate::case::Case;
use crate::side::numbers;

const GROUP: &str = "quantized";
/// More than the caches of any card.
const UNCACHED: usize = 1 << 29;
/// Number of distinct blocks, which weights repeat. Not a power of two, so that rows differ.
const BLOCKS: usize = 1021;

pub(super) fn cases(plan: &Plan) -> Vec<Case> {
    let types = [
        ("q4_0", GgmlDType::Q4_0),
        ("q4_k", GgmlDType::Q4K),
        ("q6_k", GgmlDType::Q6K),
        ("q8_0", GgmlDType::Q8_0),
    ];
    // Superblocks have 256 elements.
    let (rows, columns) = (plan.dim(14336), plan.dim(4096).max(256));
    types
        .into_iter()
        .flat_map(|(name, dtype)| {
            let first = shape(1, rows, columns);
            [
                product(name, dtype, 1, rows, columns).bar(Bar::Copy(0.75)),
                // Larger than the card's L2 cache, which makes the launch overhead less significant.
                product(name, dtype, 1, 2 * rows, 2 * columns).bar(Bar::Copy(0.75)),
                product(name, dtype, 8, rows, columns).bar(Bar::Times(2., first)),
                product(name, dtype, plan.dim(512), rows, columns).bar(Bar::Stock(1.3)),
            ]
        })
        .collect()
}

fn shape(batch: usize, rows: usize, columns: usize) -> String {
    format!("batch {batch} w{rows}x{columns}")
}

fn product(name: &str, dtype: GgmlDType, batch: usize, rows: usize, columns: usize) -> Case {
    let bytes = rows * columns / dtype.block_size() * dtype.type_size();
    Case::new(GROUP, "qmatmul", DType::F32, shape(batch, rows, columns), move |side| {
        let x = side.uniform(&[batch, columns], DType::F32)?;
        let data = weights(dtype, rows * columns)?;
        let copies = if batch > 8 { 1 } else { UNCACHED.div_ceil(bytes).min(16) };
        let weights = (0..copies)
            .map(|_| {
                let storage = QStorage::from_data(Cow::Borrowed(&data), &side.device, dtype)?;
                QMatMul::from_qtensor(QTensor::new(storage, (rows, columns))?)
            })
            .collect::<Result<Vec<_>>>()?;
        let mut turn = 0;
        Ok(Box::new(move || {
            turn = (turn + 1) % weights.len();
            weights[turn].forward(&x)
        }))
    })
    .dtype(format!("{name}/f32"))
    .bytes(bytes)
    .flops(2 * batch * rows * columns)
    // The backends also quantize the vectors, in different ways.
    .tolerance(3e-2)
}

/// Quantized numbers in [-1, 1].
fn weights(dtype: GgmlDType, count: usize) -> Result<Vec<u8>> {
    let blocks = count / dtype.block_size();
    let data = blocks_of(dtype, BLOCKS.min(blocks), 1.)?;
    Ok(data.into_iter().cycle().take(blocks * dtype.type_size()).collect())
}

/// Q4_K blocks for matrices that preserve the scale of their input.
pub(super) fn small_weights(columns: usize) -> Result<Vec<u8>> {
    blocks_of(GgmlDType::Q4K, BLOCKS, (3. / columns as f32).sqrt())
}

fn blocks_of(dtype: GgmlDType, blocks: usize, largest: f32) -> Result<Vec<u8>> {
    let count = blocks * dtype.block_size();
    let values = Tensor::from_vec(numbers(count, 7, |x| x * largest), count, &Device::Cpu)?;
    Ok(QTensor::quantize(&values, dtype)?.data()?.into_owned())
}
