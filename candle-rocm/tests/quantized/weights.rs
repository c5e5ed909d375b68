//! Blocks, activations and sums of products to compare with.

use candle_core::CpuStorage;
use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::quantized::GgmlDType as G;
use candle_rocm::quantized::Algorithm;
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage};
use half::{bf16, f16};

use crate::common::Random;

pub(crate) const FLOATS: [G; 3] = [G::F32, G::F16, G::BF16];
/// Those with products of their own.
pub(crate) const MULTIPLIED: [G; 10] =
    [G::Q4_0, G::Q4_1, G::Q5_0, G::Q5_1, G::Q8_0, G::Q2K, G::Q3K, G::Q4K, G::Q5K, G::Q6K];
pub(crate) const CONVERTED: [G; 2] = [G::Q8_1, G::Q8K];

/// As kernels' names spell it; in candle's mixtures of experts, K types lack the underscore.
pub(crate) fn kernel_name(dtype: G) -> &'static str {
    match dtype {
        G::Q4_0 => "q4_0",
        G::Q4_1 => "q4_1",
        G::Q5_0 => "q5_0",
        G::Q5_1 => "q5_1",
        G::Q8_0 => "q8_0",
        G::Q2K => "q2_K",
        G::Q3K => "q3_K",
        G::Q4K => "q4_K",
        G::Q5K => "q5_K",
        G::Q6K => "q6_K",
        other => panic!("{other:?} is not multiplied"),
    }
}

pub(crate) fn all() -> impl Iterator<Item = G> {
    FLOATS.into_iter().chain(MULTIPLIED).chain(CONVERTED)
}

/// Blocks of any bits, so that each of them counts, but for the scales: those in floats are small numbers.
pub(crate) fn blocks(dtype: G, count: usize, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut bytes: Vec<u8> = (0..count * dtype.type_size()).map(|_| random.next() as u8).collect();
    for block in bytes.chunks_exact_mut(dtype.type_size()) {
        let mut float = || random.below(2001) as f32 / 10_000.0 - 0.1;
        let halves: &[usize] = match dtype {
            G::Q4_0 | G::Q5_0 | G::Q8_0 | G::F16 => &[0],
            G::Q4_1 | G::Q5_1 | G::Q8_1 | G::Q4K | G::Q5K => &[0, 2],
            G::Q2K => &[80, 82],
            G::Q3K => &[108],
            G::Q6K => &[208],
            G::BF16 => {
                block.copy_from_slice(&bf16::from_f32(float()).to_ne_bytes());
                &[]
            }
            G::F32 | G::Q8K => {
                block[..4].copy_from_slice(&float().to_ne_bytes());
                &[]
            }
        };
        for &at in halves {
            block[at..at + 2].copy_from_slice(&f16::from_f32(float()).to_ne_bytes());
        }
    }
    bytes
}

/// What candle's CPU makes of blocks.
pub(crate) fn weights_of(dtype: G, blocks: &[u8]) -> Vec<f32> {
    if blocks.is_empty() {
        return Vec::new();
    }
    let len = blocks.len() / dtype.type_size() * dtype.block_size();
    match dtype.from_data(blocks.into()).dequantize(len).expect("candle dequantizes") {
        CpuStorage::F32(values) => values,
        other => panic!("{:?}", other.dtype()),
    }
}

pub(crate) fn activations(len: usize, seed: u64) -> Vec<f32> {
    let mut random = Random(seed);
    (0..len).map(|_| random.below(20_001) as f32 / 5000.0 - 2.0).collect()
}

pub(crate) fn upload<T: RocmDType>(device: &RocmDevice, data: &[T]) -> RocmStorage {
    device.storage_from_slice(data).expect("upload")
}

pub(crate) fn download<T: RocmDType>(storage: &RocmStorage) -> Vec<T> {
    T::cpu_storage_as_slice(&storage.to_cpu_storage().expect("download")).expect("dtype").to_vec()
}

#[track_caller]
pub(crate) fn same_bits(got: &[f32], want: &[f32], what: std::fmt::Arguments<'_>) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        assert!(got.to_bits() == want.to_bits(), "{what} [{i}]: got {got:?} want {want:?}");
    }
}

#[track_caller]
pub(crate) fn fails(result: Result<impl Sized, RocmError>, words: &[&str]) {
    let Err(error) = result else { panic!("no error about {words:?}") };
    let message = error.to_string();
    assert!(words.iter().all(|word| message.contains(word)), "{message:?} lacks one of {words:?}");
}

/// A block of 32 activations as `quantize_q8_*` leave it: the scale, and signed bytes.
pub(crate) fn q8(values: &[f32]) -> (f32, Vec<i32>) {
    let largest = values.iter().fold(0f32, |a, v| a.max(v.abs()));
    let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    let q = values.iter().map(|v| (v * inverse).round() as i32).collect();
    (largest / 127.0, q)
}

/// The same as candle's `quantize_q8_1` leaves it: the scale is in half precision.
pub(crate) fn q8_1(values: &[f32]) -> (f32, Vec<i32>) {
    let (scale, q) = q8(values);
    (f16::from_f32(scale).to_f32(), q)
}

/// Activations as products see them that quantize them so.
pub(crate) fn rounded(x: &[f32], quantize: fn(&[f32]) -> (f32, Vec<i32>)) -> Vec<f32> {
    let each = x.chunks(32).map(quantize);
    each.flat_map(|(scale, q)| q.into_iter().map(move |q| scale * q as f32)).collect()
}

/// Sums of products in f64, with how far off those in f32 may be: each of their k additions rounds, and each product, a
/// few times. Errors add up at random; for these lengths 16 epsilons of all terms' absolute values are plenty, and a wrong
/// term is larger by far.
pub(crate) fn products(weights: &[f32], columns: usize, x: &[f32]) -> Vec<(f64, f64)> {
    let each = x.chunks(columns).flat_map(|x| weights.chunks(columns).map(move |row| (row, x)));
    each.map(|(row, x)| {
        let terms = row.iter().zip(x).map(|(&w, &x)| f64::from(w) * f64::from(x));
        let (sum, size) = terms.fold((0f64, 0f64), |(sum, size), t| (sum + t, size + t.abs()));
        (sum, 16.0 * f64::from(f32::EPSILON) * size)
    })
    .collect()
}

#[track_caller]
pub(crate) fn near(got: &[f32], want: &[(f64, f64)], what: std::fmt::Arguments<'_>) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (&got, &(want, limit))) in got.iter().zip(want).enumerate() {
        let apart = (f64::from(got) - want).abs();
        assert!(apart <= limit, "{what} [{i}]: got {got} want {want}, {apart} apart, {limit} allowed");
    }
}

/// A vector as products see it, where they quantize.
pub(crate) fn seen(algorithm: Algorithm, x: &[f32]) -> Vec<f32> {
    match algorithm {
        Algorithm::Exact | Algorithm::Dequantized => x.to_vec(),
        Algorithm::Half => x.iter().map(|&v| bf16::from_f32(v).to_f32()).collect(),
        // The scale is f32 there, and halves go to even numbers.
        Algorithm::Streamed => x
            .chunks(32)
            .flat_map(|block| {
                let largest = block.iter().fold(0f32, |a, v| a.max(v.abs()));
                let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
                let scale = largest * (1.0 / 127.0);
                block.iter().map(move |v| scale * (v * inverse).round_ties_even())
            })
            .collect(),
        _ => rounded(x, q8),
    }
}
