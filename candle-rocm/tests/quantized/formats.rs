//! Types that candle has no name for, against vectors worked out by hand from the formats' definitions.

use candle_core::{DType, Layout};
use candle_rocm::RocmDevice;
use candle_rocm::quantized::{Algorithm, BlockType, QStorage};
use half::f16;

use crate::common;
use crate::weights::{activations, blocks, download, fails, same_bits, trits_byte, upload};

fn dequantized(device: &RocmDevice, kind: BlockType, block: &[u8]) -> Vec<f32> {
    let weights = QStorage::from_data(device, block, kind).expect("from_data");
    assert_eq!((weights.block_type(), weights.data().expect("data")), (kind, block.to_vec()));
    download(&weights.dequantize(DType::F32).expect("dequantize"))
}

fn half(x: f32) -> [u8; 2] {
    f16::from_f32(x).to_le_bytes()
}

/// Each nibble once in the low and once, from the last to the first, in the high half of a byte.
fn every_nibble() -> Vec<u8> {
    (0..16).map(|i| i | (15 - i) << 4).collect()
}

/// A scale, then 16 bytes whose low nibbles are the first 16 weights: each is the scale times one of sixteen numbers.
#[test]
fn iq4_nl() {
    let numbers = [-127., -104., -83., -65., -49., -35., -22., -10., 1., 13., 25., 38., 53., 69., 89., 113.];
    let block = [half(-0.5).to_vec(), every_nibble()].concat();
    let want: Vec<f32> = numbers.iter().chain(numbers.iter().rev()).map(|x| -0.5 * x).collect();
    for device in common::devices() {
        same_bits(&dequantized(&device, BlockType::Iq4Nl, &block), &want, format_args!("IQ4_NL"));
    }
}

/// Eight scales, of which 32 is 0. Their low nibbles are in four bytes, low ones first, and their two high bits in a word of 16. For the
/// scales 0, 63, 32, 33, 31, 48, 16, 1 these are f0 10 0f 10 and, of 0, 3, 2, 2, 1, 3, 1, 0, 0x1dac. Group g has nibbles g, then 15 - g.
#[test]
fn iq4_xs() {
    let scales = [-32., 31., 0., 1., -1., 16., -16., -31.];
    let low = [-127., -104., -83., -65., -49., -35., -22., -10.];
    let high = [113., 89., 69., 53., 38., 25., 13., 1.];
    let mut block = [half(2.), [0xac, 0x1d]].concat();
    block.extend([0xf0, 0x10, 0x0f, 0x10]);
    block.extend((0..8).flat_map(|g| [g | (15 - g) << 4; 16]));
    let mut want = Vec::new();
    for g in 0..8 {
        want.extend([2. * scales[g] * low[g]; 16]);
        want.extend([2. * scales[g] * high[g]; 16]);
    }
    assert_eq!((want[0], want[16], want[32], want[255]), (8128., -7232., -6448., -62.));
    for device in common::devices() {
        same_bits(&dequantized(&device, BlockType::Iq4Xs, &block), &want, format_args!("IQ4_XS"));
    }
}

/// OCP's floats: a sign, two bits of exponent and one of mantissa, times 2^(e - 127). 255 is NaN; the two smallest scales times 0.5 are
/// subnormal in f32, and the largest times 2 is infinite. There is no -0 among the weights.
#[test]
fn mxfp4() {
    let numbers = [0., 0.5, 1., 1.5, 2., 3., 4., 6., 0., -0.5, -1., -1.5, -2., -3., -4., -6.];
    for device in common::devices() {
        let of = |e: u8| dequantized(&device, BlockType::Mxfp4, &[vec![e], every_nibble()].concat());
        for (e, scale) in
            [(127, 1f32), (126, 0.5), (130, 8.), (1, f32::MIN_POSITIVE), (0, f32::MIN_POSITIVE / 2.)]
        {
            let want: Vec<f32> = numbers.iter().chain(numbers.iter().rev()).map(|x| scale * x).collect();
            same_bits(&of(e), &want, format_args!("2^({e} - 127)"));
        }
        let largest = of(254);
        assert_eq!((largest[0], largest[3]), (0., 1.5 * 2f32.powi(127)));
        assert_eq!((largest[4], largest[15]), (f32::INFINITY, f32::NEG_INFINITY));
        assert!(of(255).iter().all(|weight| weight.is_nan()));
    }
}

/// 21021 to the base 3 is 196, and 196 / 243 * 256 rounded up is 207. 02120 is 69, a byte of 73, of which four digits count.
#[test]
fn tq1_0() {
    assert_eq!((trits_byte(196), trits_byte(69)), (207, 73));
    let mut block = vec![207; 48];
    block.extend([73; 4]);
    block.extend(half(3.));
    let digits = |count, digits: &[f32]| digits.iter().flat_map(|&x| vec![x; count]).collect::<Vec<_>>();
    let five = [3., 0., -3., 3., 0.];
    let want = [digits(32, &five), digits(16, &five), digits(4, &[-3., 3., 0., 3.])].concat();
    for device in common::devices() {
        same_bits(&dequantized(&device, BlockType::Tq1_0, &block), &want, format_args!("TQ1_0"));
        // Bytes are told apart: the first of each part is 0, whose digits are all 0, and so -1.
        let (mut block, mut want) = (block.clone(), want.clone());
        for byte in [0, 32, 48] {
            block[byte] = 0;
        }
        let first =
            (0..5).map(|d| 32 * d).chain((0..5).map(|d| 160 + 16 * d)).chain((0..4).map(|d| 240 + 4 * d));
        first.for_each(|at| want[at] = -3.);
        same_bits(&dequantized(&device, BlockType::Tq1_0, &block), &want, format_args!("TQ1_0 with zeros"));
    }
}

/// Two halves of 32 bytes, each with four times two bits: 0 is -1.
#[test]
fn tq2_0() {
    let mut block = vec![0b10_00_01_10; 32];
    block.extend([0b01_10_10_00; 32]);
    block[31] = 0;
    block.extend(half(-0.25));
    let of = |digits: [f32; 4]| digits.iter().flat_map(|&x| [-0.25 * x; 32]).collect::<Vec<_>>();
    let mut want = [of([1., 0., -1., 1.]), of([-1., 1., 1., 0.])].concat();
    (0..4).for_each(|part| want[32 * part + 31] = 0.25);
    for device in common::devices() {
        same_bits(&dequantized(&device, BlockType::Tq2_0, &block), &want, format_args!("TQ2_0"));
    }
}

/// A NaN among the scales makes NaN of its row's products, by every algorithm, and of no other's.
#[test]
fn a_nan_of_a_scale_is_not_lost() {
    let (rows, columns) = (3, 256);
    for device in common::devices() {
        for (kind, at, nan) in [
            (BlockType::Mxfp4, 0, &[0xff][..]),
            (BlockType::Iq4Nl, 0, &[0, 0x7e]),
            (BlockType::Iq4Xs, 0, &[0, 0x7e]),
            (BlockType::Tq1_0, 52, &[0, 0x7e]),
            (BlockType::Tq2_0, 64, &[0, 0x7e]),
            (BlockType::Iq2Xxs, 0, &[0, 0x7e]),
            (BlockType::Iq2Xs, 0, &[0, 0x7e]),
            (BlockType::Iq2S, 0, &[0, 0x7e]),
            (BlockType::Iq3Xxs, 0, &[0, 0x7e]),
            (BlockType::Iq3S, 0, &[0, 0x7e]),
            (BlockType::Iq1S, 0, &[0, 0x7e]),
            (BlockType::Iq1M, 48, &[0, 0, 0, 0, 0, 0xe0, 0, 0x70]),
        ] {
            let mut data = blocks(kind, rows * columns / kind.block_size(), 33);
            let row = data.len() / rows;
            data[row + at..][..nan.len()].copy_from_slice(nan);
            let weights = QStorage::from_data(&device, &data, kind).expect("from_data");
            for (algorithm, vectors) in [
                (Algorithm::Exact, 1),
                (Algorithm::Vectors, 2),
                (Algorithm::Streamed, 1),
                (Algorithm::Streamed, 2),
                (Algorithm::Tiles, 2),
                (Algorithm::Dequantized, 2),
            ] {
                let x = upload(&device, &activations(vectors * columns, 34));
                let layout = Layout::contiguous((vectors, columns));
                let out = weights.forward_with(algorithm, (rows, columns), &x, &layout).expect("forward");
                for (i, value) in download::<f32>(&out).into_iter().enumerate() {
                    assert_eq!(value.is_nan(), i % rows == 1, "{kind} {algorithm:?} {i}: {value}");
                }
            }
        }
    }
}

#[test]
fn what_they_are_not_for_is_said() {
    for device in common::devices_without_kernels() {
        fails(QStorage::from_data(&device, &[0; 18], BlockType::Mxfp4), &["18 bytes", "MXFP4", "17 bytes"]);
        fails(QStorage::zeros(&device, 32, BlockType::Iq4Xs), &["32 elements", "IQ4_XS", "256"]);
        let mut weights = QStorage::zeros(&device, 64, BlockType::Iq4Nl).expect("zeros");
        assert_eq!((weights.len(), weights.size_in_bytes()), (64, 36));
        fails(weights.quantize_from(&[0.; 64], None), &["quantize", "IQ4_NL"]);
    }
}
