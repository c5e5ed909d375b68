//! Types with grids: what their bits stand for, from the formats' definitions, and vectors worked out by hand.

#[path = "../../../candle/overlay/seam/candle-core/added/src/rocm/grids.rs"]
mod vectors;

use candle_core::DType;
use candle_rocm::quantized::{BlockType, QStorage};
use half::f16;

use crate::common;
use crate::weights::{GRIDS, blocks, download, same_bits, weights_of};

/// A weight of a block. Products of a scale and a number of few bits are exact in f64.
pub(crate) fn weight(kind: BlockType, block: &[u8], at: usize) -> f64 {
    const IQ2: [f64; 3] = [8., 25., 43.];
    const IQ3_XXS: [f64; 8] = [4., 12., 20., 28., 36., 44., 52., 62.];
    const IQ3_S: [f64; 8] = [1., 3., 5., 7., 9., 11., 13., 15.];
    let byte = |at: usize| usize::from(block[at]);
    let two = |at: usize| byte(at) + 256 * byte(at + 1);
    let four = |at: usize| two(at) + 65536 * two(at + 2);
    let half = |bits: usize| f64::from(f16::from_bits(bits as u16).to_f32());
    let bits = |number: usize, from: usize, count: usize| (number >> from) % (1 << count);
    // The part of 32 weights, the eight of it, and the place in that.
    let (part, eight, i) = (at / 32, at % 32 / 8, at % 8);
    let sign = |signs: usize| if bits(signs, i, 1) == 1 { -1. } else { 1. };
    // The product of all eight signs is positive.
    let even = |seven: usize| match i {
        7 => (0..7).map(|i| if bits(seven, i, 1) == 1 { -1. } else { 1. }).product(),
        _ => sign(seven),
    };
    match kind {
        BlockType::Iq2Xxs => {
            let last = four(6 + 8 * part);
            let number = IQ2[usize::from(vectors::IQ2_XXS[byte(2 + 8 * part + eight)][i])];
            half(two(0)) * (0.5 + bits(last, 28, 4) as f64) / 4. * number * even(bits(last, 7 * eight, 7))
        }
        BlockType::Iq2Xs => {
            let code = two(2 + at / 8 * 2);
            let scale = bits(byte(66 + part), at % 32 / 16 * 4, 4);
            let number = IQ2[usize::from(vectors::IQ2_XS[code % 512][i])];
            half(two(0)) * (0.5 + scale as f64) / 4. * number * even(code / 512)
        }
        BlockType::Iq2S => {
            let index = byte(2 + at / 8) + 256 * bits(byte(66 + part), 2 * eight, 2);
            let scale = bits(byte(74 + part), at % 32 / 16 * 4, 4);
            let number = IQ2[usize::from(vectors::IQ2_S[index][i])];
            half(two(0)) * (0.5 + scale as f64) / 4. * number * sign(byte(34 + at / 8))
        }
        BlockType::Iq3Xxs => {
            let last = four(66 + 4 * part);
            let number = IQ3_XXS[usize::from(vectors::IQ3_XXS[byte(2 + at / 4)][at % 4])];
            half(two(0)) * (0.5 + bits(last, 28, 4) as f64) / 2. * number * even(bits(last, 7 * eight, 7))
        }
        BlockType::Iq3S => {
            let index = byte(2 + at / 4) + 256 * bits(byte(66 + part), at % 32 / 4, 1);
            let scale = bits(byte(106 + part / 2), part % 2 * 4, 4);
            let number = IQ3_S[usize::from(vectors::IQ3_S[index][at % 4])];
            half(two(0)) * (1. + 2. * scale as f64) * number * sign(byte(74 + at / 8))
        }
        BlockType::Iq1S => {
            let high = two(34 + 2 * part);
            let index = byte(2 + at / 8) + 256 * bits(high, 3 * eight, 3);
            let delta = if bits(high, 15, 1) == 1 { -0.125 } else { 0.125 };
            let number = f64::from(vectors::IQ1[index][i]) - 1.;
            half(two(0)) * (2. * bits(high, 12, 3) as f64 + 1.) * (number + delta)
        }
        BlockType::Iq1M => {
            let high = bits(byte(32 + at / 16), at / 8 % 2 * 4, 4);
            let delta = if high / 8 == 1 { -0.125 } else { 0.125 };
            let number = f64::from(vectors::IQ1[byte(at / 8) + 256 * (high % 8)][i]) - 1.;
            let scale = bits(two(48 + at / 64 * 2), at % 64 / 16 * 3, 3);
            let all: usize = (0..4).map(|i| bits(two(48 + 2 * i), 12, 4) << (4 * i)).sum();
            half(all) * (2. * scale as f64 + 1.) * (number + delta)
        }
        other => panic!("{other}"),
    }
}

/// Of all digits one after the other, by FNV-1a, as those of gguf-py's tables are.
#[test]
fn the_grids_are_those_of_the_format() {
    fn digest<const LENGTH: usize>(vectors: &[[u8; LENGTH]]) -> (usize, u64) {
        let add = |hash: u64, &digit: &u8| (hash ^ u64::from(digit)).wrapping_mul(0x0100_0000_01b3);
        (vectors.len(), vectors.iter().flatten().fold(0xcbf2_9ce4_8422_2325, add))
    }
    assert_eq!(digest(&vectors::IQ2_XXS), (256, 0xab05_d880_babe_6823));
    assert_eq!(digest(&vectors::IQ2_XS), (512, 0x6853_eeed_db7e_a013));
    assert_eq!(digest(&vectors::IQ2_S), (1024, 0x2c19_55b6_2f3d_75bd));
    assert_eq!(digest(&vectors::IQ3_XXS), (256, 0xe94d_0633_d402_4cd5));
    assert_eq!(digest(&vectors::IQ3_S), (512, 0x5d10_ecbd_f51e_c43b));
    assert_eq!(digest(&vectors::IQ1), (2048, 0xec28_b636_8f0c_62e0));
}

/// Kernels have the same vectors: of so many indices, none of 2048 is left out but by a chance of one in millions.
#[test]
fn every_index() {
    for device in common::devices() {
        for kind in GRIDS {
            let data = blocks(kind, 1500, 51);
            let weights = QStorage::from_data(&device, &data, kind).expect("from_data");
            let got = download(&weights.dequantize(DType::F32).expect("dequantize"));
            same_bits(&got, &weights_of(kind, &data), format_args!("{kind}"));
        }
    }
}

/// A block whose first 32 weights are `first`, and all others `rest`.
fn check(kind: BlockType, block: &[u8], first: [[f32; 8]; 4], rest: f32) {
    assert_eq!(block.len(), kind.type_size());
    let want = [first.as_flattened(), &[rest; 224]].concat();
    for device in common::devices() {
        let weights = QStorage::from_data(&device, block, kind).expect("from_data");
        let got: Vec<f32> = download(&weights.dequantize(DType::F32).expect("dequantize"));
        same_bits(&got, &want, format_args!("{kind}"));
    }
    same_bits(&weights_of(kind, block), &want, format_args!("{kind} by the test"));
}

/// A block of zeros, but for these bytes.
fn block(kind: BlockType, bytes: &[(usize, &[u8])]) -> Vec<u8> {
    let mut block = vec![0; kind.type_size()];
    bytes.iter().for_each(|&(at, bytes)| block[at..at + bytes.len()].copy_from_slice(bytes));
    block
}

/// 2 in half precision.
const TWO: [u8; 2] = [0, 0x40];

/// Indices 0, 1, 255, 0; signs 1, 3, 127, 0 of seven bits each, and a scale of 5: 2 (5 + 1/2) / 4 is 2.75. Vector 0 is 8 throughout, vector 1
/// begins with 43, and vector 255 is 8, 25, 8, 8, 25, 43, 43, 43. An odd number of signs makes the eighth weight negative, too.
#[test]
fn iq2_xxs() {
    let last = (1u32 | 3 << 7 | 127 << 14 | 5 << 28).to_le_bytes();
    let block = block(BlockType::Iq2Xxs, &[(0, &TWO), (2, &[0, 1, 255, 0]), (6, &last)]);
    let first = [
        [-22., 22., 22., 22., 22., 22., 22., -22.],
        [-118.25, -22., 22., 22., 22., 22., 22., 22.],
        [-22., -68.75, -22., -22., -68.75, -118.25, -118.25, -118.25],
        [22.; 8],
    ];
    check(BlockType::Iq2Xxs, &block, first, 2.);
}

/// Codes of nine bits of index and seven of signs; scales 5 and 15 for 16 weights each: 2.75 and 7.75. Vector 511 is 43 throughout.
#[test]
fn iq2_xs() {
    let codes = [511u16 | 1 << 9, 1 | 3 << 9, 0, 511 | 127 << 9].map(u16::to_le_bytes).concat();
    let block = block(BlockType::Iq2Xs, &[(0, &TWO), (2, &codes), (66, &[0xf5])]);
    let first = [
        [-118.25, 118.25, 118.25, 118.25, 118.25, 118.25, 118.25, -118.25],
        [-118.25, -22., 22., 22., 22., 22., 22., 22.],
        [62.; 8],
        [-333.25; 8],
    ];
    check(BlockType::Iq2Xs, &block, first, 2.);
}

/// Indices 256, 1, 1023, 0, of which the high bits are 1, 0, 3, 0; vector 256 is 25, 25, 25, 25, 25, 8, 25, 8. Each weight has its sign.
#[test]
fn iq2_s() {
    let (low, signs) = ([0, 1, 255, 0], [0x80, 1, 0xff, 0]);
    let bytes: [(usize, &[u8]); 5] =
        [(0, &TWO), (2, &low), (34, &signs), (66, &[0b0011_0001]), (74, &[0xf5])];
    let first = [
        [68.75, 68.75, 68.75, 68.75, 68.75, 22., 68.75, -22.],
        [-118.25, 22., 22., 22., 22., 22., 22., 22.],
        [-333.25; 8],
        [62.; 8],
    ];
    check(BlockType::Iq2S, &block(BlockType::Iq2S, &bytes), first, 2.);
}

/// Two indices for eight weights. Vector 0 is 4 throughout, vector 1 is 20, 4, 4, 4, and vector 255 is 4, 28, 52, 62. The scale is 5 again, of
/// halves: 2 (5 + 1/2) / 2 is 5.5.
#[test]
fn iq3_xxs() {
    let last = (1u32 | 3 << 7 | 127 << 14 | 5 << 28).to_le_bytes();
    let indices = [0, 0, 1, 0, 255, 0, 0, 255];
    let block = block(BlockType::Iq3Xxs, &[(0, &TWO), (2, &indices), (66, &last)]);
    let first = [
        [-22., 22., 22., 22., 22., 22., 22., -22.],
        [-110., -22., 22., 22., 22., 22., 22., 22.],
        [-22., -154., -286., -341., -22., -22., -22., -22.],
        [22., 22., 22., 22., 22., 154., 286., 341.],
    ];
    check(BlockType::Iq3Xxs, &block, first, 2.);
}

/// Indices 256, 0, 1, 0, 0, 511, 0, 0, of which the high bits are 1, 0, 0, 0, 0, 1, 0, 0. Vector 0 is 1 throughout, vector 1 begins with 3,
/// vector 256 is 7, 5, 9, 5, and vector 511 is 1, 1, 15, 15. The scale is 5: 2 (2 5 + 1) is 22.
#[test]
fn iq3_s() {
    let (low, signs) = ([0, 0, 1, 0, 0, 255, 0, 0], [0x80, 1, 0xff, 0]);
    let bytes: [(usize, &[u8]); 5] = [(0, &TWO), (2, &low), (66, &[0b0010_0001]), (74, &signs), (106, &[5])];
    let first = [
        [154., 110., 198., 110., 22., 22., 22., -22.],
        [-66., 22., 22., 22., 22., 22., 22., 22.],
        [-22., -22., -22., -22., -22., -22., -330., -330.],
        [22.; 8],
    ];
    check(BlockType::Iq3S, &block(BlockType::Iq3S, &bytes), first, 2.);
}

/// Indices 256, 1, 2047, 0: high bits 1, 0, 7, 0. Vector 0 is -1 throughout, vector 1 begins with 1, vector 2047 is 1 throughout, and vector
/// 256 is -1, 0, 1, 0, 1, -1, 0, -1. The scale is 3, of which 2 (2 3 + 1) is 14, and an eighth is taken away: 14 times -9, -1 and 7 eighths.
#[test]
fn iq1_s() {
    let high = (1u16 | 7 << 6 | 3 << 12 | 1 << 15).to_le_bytes();
    let block = block(BlockType::Iq1S, &[(0, &TWO), (2, &[0, 1, 255, 0]), (34, &high)]);
    let (down, none, up) = (-15.75, -1.75, 12.25);
    let first = [
        [down, none, up, none, up, down, none, down],
        [up, down, down, down, down, down, down, down],
        [up; 8],
        [down; 8],
    ];
    check(BlockType::Iq1S, &block, first, -1.75);
}

/// The same indices, the third and the fourth with an eighth less. Scales are 3 and 7 of two times 16 weights: 14 and 30. 2 is 0x4000, whose
/// highest four bits are in the last of four words.
#[test]
fn iq1_m() {
    let bytes: [(usize, &[u8]); 4] =
        [(0, &[0, 1, 255, 0]), (32, &[0x01, 0x8f]), (48, &[0b0011_1011]), (55, &[0x40])];
    let (down, none, up) = (14. * -0.875, 14. * 0.125, 14. * 1.125);
    let first = [
        [down, none, up, none, up, down, none, down],
        [up, down, down, down, down, down, down, down],
        [30. * 0.875; 8],
        [30. * -1.125; 8],
    ];
    check(BlockType::Iq1M, &block(BlockType::Iq1M, &bytes), first, -1.75);
}
