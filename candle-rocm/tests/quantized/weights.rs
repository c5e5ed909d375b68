//! Blocks, activations and sums of products to compare with.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::op::{Mul, Silu};
use candle_core::quantized::GgmlDType as G;
use candle_core::{CpuStorage, Layout};
use candle_rocm::platform::HOST;
use candle_rocm::quantized::{Algorithm, BlockType};
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage};
use half::{bf16, f16};
use rocm_kernels::{MatrixCores, Module, Processor};

use crate::common::Random;
use crate::grids;

pub(crate) const FLOATS: [G; 3] = [G::F32, G::F16, G::BF16];
/// Those with products of their own: candle's, and those that it has no names for.
pub(crate) const CANDLES: [G; 10] =
    [G::Q4_0, G::Q4_1, G::Q5_0, G::Q5_1, G::Q8_0, G::Q2K, G::Q3K, G::Q4K, G::Q5K, G::Q6K];
pub(crate) const PACKED: [BlockType; 5] =
    [BlockType::Iq4Nl, BlockType::Iq4Xs, BlockType::Mxfp4, BlockType::Tq1_0, BlockType::Tq2_0];
/// Those whose weights are vectors of a grid.
pub(crate) const GRIDS: [BlockType; 7] = [
    BlockType::Iq2Xxs,
    BlockType::Iq2Xs,
    BlockType::Iq2S,
    BlockType::Iq3Xxs,
    BlockType::Iq3S,
    BlockType::Iq1S,
    BlockType::Iq1M,
];
pub(crate) const CONVERTED: [G; 2] = [G::Q8_1, G::Q8K];

/// As kernels' names spell it; in candle's mixtures of experts, K types lack the underscore.
pub(crate) fn kernel_name(kind: impl Into<BlockType>) -> &'static str {
    let kind = kind.into();
    match kind {
        BlockType::Candle(G::Q4_0) => "q4_0",
        BlockType::Candle(G::Q4_1) => "q4_1",
        BlockType::Candle(G::Q5_0) => "q5_0",
        BlockType::Candle(G::Q5_1) => "q5_1",
        BlockType::Candle(G::Q8_0) => "q8_0",
        BlockType::Candle(G::Q2K) => "q2_K",
        BlockType::Candle(G::Q3K) => "q3_K",
        BlockType::Candle(G::Q4K) => "q4_K",
        BlockType::Candle(G::Q5K) => "q5_K",
        BlockType::Candle(G::Q6K) => "q6_K",
        BlockType::Iq4Nl => "iq4_nl",
        BlockType::Iq4Xs => "iq4_xs",
        BlockType::Mxfp4 => "mxfp4",
        BlockType::Tq1_0 => "tq1_0",
        BlockType::Tq2_0 => "tq2_0",
        BlockType::Iq2Xxs => "iq2_xxs",
        BlockType::Iq2Xs => "iq2_xs",
        BlockType::Iq2S => "iq2_s",
        BlockType::Iq3Xxs => "iq3_xxs",
        BlockType::Iq3S => "iq3_s",
        BlockType::Iq1S => "iq1_s",
        BlockType::Iq1M => "iq1_m",
        other => panic!("{other:?} is not multiplied"),
    }
}

/// The module of a type's kernels: one of types without grids, or one of those with.
pub(crate) fn module_of(kind: BlockType, [without, with]: [&'static Module; 2]) -> &'static Module {
    if GRIDS.contains(&kind) { with } else { without }
}

pub(crate) fn multiplied() -> impl Iterator<Item = BlockType> {
    CANDLES.into_iter().map(BlockType::Candle).chain(PACKED).chain(GRIDS)
}

/// Those that candle has.
pub(crate) fn all_of_candle() -> impl Iterator<Item = G> {
    FLOATS.into_iter().chain(CANDLES).chain(CONVERTED)
}

pub(crate) fn all() -> impl Iterator<Item = BlockType> {
    all_of_candle().map(BlockType::Candle).chain(PACKED).chain(GRIDS)
}

/// Blocks of any bits, so that each of them counts, but for the scales: those in floats are small numbers.
pub(crate) fn blocks(kind: impl Into<BlockType>, count: usize, seed: u64) -> Vec<u8> {
    use BlockType::Candle;
    let kind = kind.into();
    let mut random = Random(seed);
    let mut bytes: Vec<u8> = (0..count * kind.type_size()).map(|_| random.next() as u8).collect();
    for block in bytes.chunks_exact_mut(kind.type_size()) {
        let mut float = || random.below(2001) as f32 / 10_000.0 - 0.1;
        let halves: &[usize] = match kind {
            Candle(G::Q4_0 | G::Q5_0 | G::Q8_0 | G::F16) | BlockType::Iq4Nl => &[0],
            Candle(G::Q4_1 | G::Q5_1 | G::Q8_1 | G::Q4K | G::Q5K) => &[0, 2],
            Candle(G::Q2K) => &[80, 82],
            Candle(G::Q3K) => &[108],
            Candle(G::Q6K) => &[208],
            Candle(G::BF16) => {
                block.copy_from_slice(&bf16::from_f32(float()).to_ne_bytes());
                &[]
            }
            Candle(G::F32 | G::Q8K) => {
                block[..4].copy_from_slice(&float().to_ne_bytes());
                &[]
            }
            BlockType::Iq4Xs => {
                block[..2].copy_from_slice(&f16::from_f32(float() / 32.).to_ne_bytes());
                &[]
            }
            BlockType::Mxfp4 => {
                block[0] = 118 + block[0] % 8;
                &[]
            }
            // Bytes that stand for five digits, and for four.
            BlockType::Tq1_0 => {
                let (five, four) = block[..52].split_at_mut(48);
                five.iter_mut().for_each(|byte| *byte = trits_byte(u32::from(*byte) % 243));
                four.iter_mut().for_each(|byte| *byte = trits_byte(u32::from(*byte) % 81 * 3));
                &[52]
            }
            BlockType::Iq1M => {
                // Four bits in each of four words.
                let bits = f16::from_f32(float()).to_bits();
                (0..4).for_each(|i| {
                    block[49 + 2 * i] = block[49 + 2 * i] % 16 + (bits >> (4 * i)) as u8 % 16 * 16
                });
                &[]
            }
            kind if GRIDS.contains(&kind) => &[0],
            BlockType::Tq2_0 => {
                // 3 stands for nothing.
                block[..64].iter_mut().for_each(|byte| *byte &= !(*byte >> 1 & 0x55));
                &[64]
            }
            other => panic!("{other}"),
        };
        for &at in halves {
            block[at..at + 2].copy_from_slice(&f16::from_f32(float()).to_ne_bytes());
        }
    }
    bytes
}

/// A number of five digits to the base 3 as TQ1_0's bytes have it: 256 / 243 of it, rounded up.
pub(crate) fn trits_byte(number: u32) -> u8 {
    (number * 256).div_ceil(243) as u8
}

/// What candle's CPU makes of blocks, or the definition of those that it has no name for.
pub(crate) fn weights_of(kind: impl Into<BlockType>, blocks: &[u8]) -> Vec<f32> {
    let kind = kind.into();
    if blocks.is_empty() {
        return Vec::new();
    }
    let BlockType::Candle(dtype) = kind else {
        return blocks.chunks(kind.type_size()).flat_map(|block| packed_weights(kind, block)).collect();
    };
    let len = blocks.len() / dtype.type_size() * dtype.block_size();
    match dtype.from_data(blocks.into()).dequantize(len).expect("candle dequantizes") {
        CpuStorage::F32(values) => values,
        other => panic!("{:?}", other.dtype()),
    }
}

/// One block, weight by weight. Products of a scale and a small integer are exact in f64, and round once.
fn packed_weights(kind: BlockType, block: &[u8]) -> Vec<f32> {
    const NON_LINEAR: [f64; 16] =
        [-127., -104., -83., -65., -49., -35., -22., -10., 1., 13., 25., 38., 53., 69., 89., 113.];
    const FLOATS: [f64; 8] = [0., 0.5, 1., 1.5, 2., 3., 4., 6.];
    let half = |at: usize| f64::from(f16::from_le_bytes([block[at], block[at + 1]]).to_f32());
    // Of 32 weights in 16 bytes.
    let nibble = |quants: &[u8], i: usize| match i {
        0..16 => usize::from(quants[i] % 16),
        _ => usize::from(quants[i - 16] / 16),
    };
    let weight = |i: usize| match kind {
        BlockType::Iq4Nl => half(0) * NON_LINEAR[nibble(&block[2..], i)],
        BlockType::Mxfp4 => {
            let (code, exponent) = (nibble(&block[1..], i), i32::from(block[0]) - 127);
            let scale = if block[0] == 255 { f64::NAN } else { 2f64.powi(exponent) };
            if code < 8 { scale * FLOATS[code] } else { scale * (0. - FLOATS[code - 8]) }
        }
        BlockType::Iq4Xs => {
            let group = i / 32;
            let low = block[4 + group / 2] / [1, 16][group % 2] % 16;
            let high = u16::from_le_bytes([block[2], block[3]]) / 4u16.pow(group as u32) % 4;
            let scale = f64::from(low) + 16. * f64::from(high) - 32.;
            half(0) * scale * NON_LINEAR[nibble(&block[8 + 16 * group..], i % 32)]
        }
        BlockType::Tq1_0 => {
            let (byte, digit) = match i {
                0..160 => (block[i % 32], i / 32),
                160..240 => (block[32 + i % 16], (i - 160) / 16),
                _ => (block[48 + i % 4], (i - 240) / 4),
            };
            let number = u32::from(byte) * 243 / 256;
            half(52) * (f64::from(number / 3u32.pow(4 - digit as u32) % 3) - 1.)
        }
        BlockType::Tq2_0 => {
            let byte = block[i / 128 * 32 + i % 32];
            half(64) * (f64::from(byte / 4u8.pow(i as u32 % 128 / 32) % 4) - 1.)
        }
        kind => grids::weight(kind, block, i),
    };
    (0..kind.block_size()).map(|i| weight(i) as f32).collect()
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

/// Activations as `quantize_q8_*` leave them, one vector after the other.
pub(crate) fn q8_blocks(x: &[f32]) -> Vec<u8> {
    let block = |block: &[f32]| {
        let (scale, q) = q8(block);
        let mut bytes = scale.to_ne_bytes().to_vec();
        bytes.extend(q.iter().map(|&q| q as i8 as u8));
        bytes
    };
    x.chunks(32).flat_map(block).collect()
}

/// The same in the order of tiles: two blocks of each vector, and then the next two. What is behind the last column is no number.
pub(crate) fn q8_steps(x: &[f32], columns: usize) -> Vec<u8> {
    const BLOCK: usize = 36;
    let blocks = q8_blocks(x);
    let vectors: Vec<_> = blocks.chunks(columns / 32 * BLOCK).collect();
    let step = |step| {
        vectors.iter().flat_map(move |vector| {
            (0..2 * BLOCK).map(move |byte| vector.get(step * 2 * BLOCK + byte).copied().unwrap_or(0xff))
        })
    };
    (0..columns.div_ceil(64)).flat_map(step).collect()
}

/// Rows and vectors of the tiles that the device has kernels for.
pub(crate) fn tiles_of(device: &RocmDevice) -> Vec<(usize, usize)> {
    let matrix = Processor::find(device.arch().split(':').next().unwrap_or_default());
    let large = (if device.wavefront_size() == 64 { 64 } else { 128 }, 128);
    match matrix.map(|processor| processor.matrix) {
        // The CPU platform has the kernels of both, NVIDIA's cards those of matrix cores.
        None if device.platform() == HOST => vec![(64, 32), (64, 64), large],
        Some(MatrixCores::None) => vec![(64, 32), (64, 64)],
        _ => vec![(64, 32), large],
    }
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

/// Bits, all NaN alike.
pub(crate) fn bits<T: RocmDType>(values: &[T]) -> Vec<u64> {
    values.iter().map(|x| x.to_f64()).map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() }).collect()
}

/// silu as the elementwise kernels have it, and the product, each rounded.
pub(crate) fn gate_by_gate(gate: &RocmStorage, up: &RocmStorage) -> RocmStorage {
    let layout = Layout::contiguous(gate.len());
    let gate = gate.unary_impl::<Silu>(&layout).expect("silu");
    // On its own: it would stay in f32 on its way to the product.
    gate.slice().expect("silu");
    gate.binary_impl::<Mul>(up, &layout, &layout).expect("mul")
}
