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
/// No weights have more copies.
pub(crate) const MOST_COPIES: usize = 16;
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
    let experts =
        [("q4_k", GgmlDType::Q4K), ("q8_0", GgmlDType::Q8_0)].into_iter().flat_map(|(name, dtype)| {
            [1, 4, 16, 64, 512, 4096].into_iter().flat_map(move |tokens| {
                let tokens = if tokens > 16 { plan.dim(tokens) } else { tokens };
                // As in Qwen3-30B-A3B and in Mixtral-8x7B.
                [
                    mixture(name, dtype, tokens, [8, 128], plan.dim(768).max(32), plan.dim(2048).max(256)),
                    mixture(name, dtype, tokens, [2, 8], plan.dim(14336), plan.dim(4096).max(256)),
                ]
            })
        });
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
        .chain(experts)
        .collect()
}

/// Each token's products with the matrices of some of the experts.
fn mixture(
    name: &str,
    dtype: GgmlDType,
    tokens: usize,
    [topk, experts]: [usize; 2],
    rows: usize,
    columns: usize,
) -> Case {
    let ids = routed(tokens, topk, experts);
    let used = (0..experts as u32).filter(|expert| ids.contains(expert)).count();
    let shape = format!("{tokens} tokens, {topk} of {experts} w{rows}x{columns}");
    Case::new(GROUP, "experts", DType::F32, shape, move |side| {
        let x = side.uniform(&[tokens, 1, columns], DType::F32)?;
        let data = weights(dtype, experts * rows * columns)?;
        let storage = QStorage::from_data(Cow::Borrowed(&data), &side.device, dtype)?;
        let weights = QTensor::new(storage, (experts, rows, columns))?;
        if side.device.is_cpu() {
            // candle's CPU backend has no such product.
            let (weights, ids) = (weights.dequantize(&side.device)?.transpose(1, 2)?, ids.clone());
            return Ok(Box::new(move || {
                let product = |(task, &expert): (usize, &u32)| {
                    x.get(task / topk)?.matmul(&weights.get(expert as usize)?)
                };
                let products = ids.iter().enumerate().map(product).collect::<Result<Vec<_>>>()?;
                Tensor::cat(&products, 0)?.reshape((tokens, topk, rows))
            }));
        }
        let ids = Tensor::from_vec(ids.clone(), (tokens, topk), &side.device)?;
        Ok(Box::new(move || weights.indexed_moe_forward(&x, &ids)))
    })
    .dtype(format!("{name}/f32"))
    .bytes(used * rows * columns / dtype.block_size() * dtype.type_size())
    .flops(2 * tokens * topk * rows * columns)
    // The backends also quantize the vectors, in different ways.
    .tolerance(3e-2)
}

/// Experts of each token. As in real models, some are chosen often and others hardly ever: half of all choices fall on an eighth of them.
fn routed(tokens: usize, topk: usize, experts: usize) -> Vec<u32> {
    let uniform = numbers(64 * tokens * topk, 11, |x| (x + 1.) / 2.);
    let mut uniform = uniform.into_iter().cycle();
    let mut next = || uniform.next().unwrap_or_default();
    let mut ids = Vec::with_capacity(tokens * topk);
    for _ in 0..tokens {
        let from = ids.len();
        while ids.len() < from + topk {
            let share = if next() < 0.5 { 0.125 } else { 1. };
            let expert = ((next() * share * experts as f32) as u32).min(experts as u32 - 1);
            if !ids[from..].contains(&expert) {
                ids.push(expert);
            }
        }
    }
    ids
}

fn shape(batch: usize, rows: usize, columns: usize) -> String {
    format!("batch {batch} w{rows}x{columns}")
}

fn product(name: &str, dtype: GgmlDType, batch: usize, rows: usize, columns: usize) -> Case {
    let bytes = rows * columns / dtype.block_size() * dtype.type_size();
    Case::new(GROUP, "qmatmul", DType::F32, shape(batch, rows, columns), move |side| {
        let x = side.uniform(&[batch, columns], DType::F32)?;
        let data = weights(dtype, rows * columns)?;
        let copies = if batch > 8 { 1 } else { UNCACHED.div_ceil(bytes).min(MOST_COPIES) };
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
