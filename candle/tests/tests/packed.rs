//! GGML's types that candle has no name for, from GGUF files that are written here, on ROCm devices and on the CPU.

use std::io::Cursor;

use candle_core::quantized::gguf_file::{self, TensorInfo};
use candle_core::quantized::{GgmlDType as G, QMatMul, QTensor, ggml_file};
use candle_core::rocm::{PackedType, forbid_fallback, relative_error};
use candle_core::{D, Device, Module, Result, Tensor};
use candle_rocm::model_file;
use candle_rocm::quantized::{BlockType, QStorage};
use candle_rocm_tests::devices;
use half::f16;

const ALL: [PackedType; 12] = [
    PackedType::Iq4Nl,
    PackedType::Iq4Xs,
    PackedType::Tq1_0,
    PackedType::Tq2_0,
    PackedType::Mxfp4,
    PackedType::Iq2Xxs,
    PackedType::Iq2Xs,
    PackedType::Iq2S,
    PackedType::Iq3Xxs,
    PackedType::Iq3S,
    PackedType::Iq1S,
    PackedType::Iq1M,
];
/// Those of them that have grids.
const GRIDS: [PackedType; 7] = [
    PackedType::Iq2Xxs,
    PackedType::Iq2Xs,
    PackedType::Iq2S,
    PackedType::Iq3Xxs,
    PackedType::Iq3S,
    PackedType::Iq1S,
    PackedType::Iq1M,
];
const COLUMNS: usize = 256;

/// As `quantized.rs` has it: activations are rounded to 8 bits on both sides.
const TOLERANCE: f32 = 0.015;
/// Relative to the sum of the terms without their signs: half of a step of 1/127 of the largest activation, for weights as well.
const OF_TERMS: f32 = 0.008;

fn half(x: f32) -> [u8; 2] {
    f16::from_f32(x).to_le_bytes()
}

/// A row of 256 weights whose scale is 2^exponent, and what they are by the format's definition; see candle-rocm's
/// `tests/quantized/formats.rs` for how the bytes come about.
fn row(packed: PackedType, exponent: i32) -> (Vec<u8>, Vec<f32>) {
    let scale = 2f32.powi(exponent);
    let of = |count: usize, weights: &[f32]| {
        weights.iter().flat_map(|&weight| vec![scale * weight; count]).collect::<Vec<_>>()
    };
    let nibbles: Vec<u8> = (0..16).map(|i| i | (15 - i) << 4).collect();
    let there_and_back = |numbers: &[f32]| -> Vec<f32> {
        numbers.iter().chain(numbers.iter().rev()).map(|x| scale * x).collect()
    };
    let numbers = [-127., -104., -83., -65., -49., -35., -22., -10., 1., 13., 25., 38., 53., 69., 89., 113.];
    match packed {
        PackedType::Iq4Nl => {
            ([half(scale).to_vec(), nibbles].concat().repeat(8), there_and_back(&numbers).repeat(8))
        }
        PackedType::Iq4Xs => {
            // Scales 24, 25 .. 31 of which 32 is 0: the low nibbles are 8 to 15, the high bits 1.
            let mut bytes = [half(scale), [0x55, 0x55]].concat();
            bytes.extend([0x98, 0xba, 0xdc, 0xfe]);
            bytes.extend(nibbles.repeat(8));
            let groups =
                (0..8).flat_map(|g| there_and_back(&numbers).into_iter().map(move |x| x * (g - 8) as f32));
            (bytes, groups.collect())
        }
        PackedType::Tq1_0 => {
            let bytes = [vec![207; 48], vec![73; 4], half(scale).to_vec()].concat();
            let five = [1., 0., -1., 1., 0.];
            (bytes, [of(32, &five), of(16, &five), of(4, &[-1., 1., 0., 1.])].concat())
        }
        PackedType::Tq2_0 => {
            let bytes = [vec![0b10_00_01_10; 64], half(scale).to_vec()].concat();
            (bytes, of(32, &[1., 0., -1., 1.]).repeat(2))
        }
        PackedType::Mxfp4 => {
            let numbers = [0., 0.5, 1., 1.5, 2., 3., 4., 6., 0., -0.5, -1., -1.5, -2., -3., -4., -6.];
            let block = [vec![(127 + exponent) as u8], nibbles].concat();
            (block.repeat(8), there_and_back(&numbers).repeat(8))
        }
        _ => grid_row(packed, scale),
    }
}

/// The same of types with grids: eight times the same 32 weights, with scales of 2, for five times the scale (IQ2, IQ3_XXS: times 1/2).
fn grid_row(packed: PackedType, scale: f32) -> (Vec<u8>, Vec<f32>) {
    // Vectors of the grids.
    let (first, second) = ([8., 25., 8., 8., 25., 43., 43., 43.], [43., 8., 8., 8., 8., 8., 8., 8.]);
    let mixed = [-1., 0., 1., 0., 1., -1., 0., -1.];
    let negated = |numbers: [f32; 8], which: &[usize]| {
        let mut numbers = numbers;
        which.iter().for_each(|&i| numbers[i] = -numbers[i]);
        numbers
    };
    let all = [0, 1, 2, 3, 4, 5, 6, 7];
    // Seven signs each and a scale. An odd number of them makes the eighth weight negative, too.
    let signs = 1u32 | 3 << 7 | 127 << 14 | 2 << 28;
    let of_parts = |bytes: &[u8]| bytes.repeat(8);
    let d = half(scale);
    let (bytes, unit, numbers): (Vec<u8>, f32, [[f32; 8]; 4]) = match packed {
        PackedType::Iq2Xxs => {
            let part = [[0, 1, 255, 0], signs.to_le_bytes()].concat();
            let numbers =
                [negated([8.; 8], &[0, 7]), negated(second, &[0, 1]), negated(first, &all), [8.; 8]];
            ([d.to_vec(), of_parts(&part)].concat(), 0.125, numbers)
        }
        PackedType::Iq2Xs => {
            let codes = [511u16 | 1 << 9, 1 | 3 << 9, 0, 511 | 127 << 9].map(u16::to_le_bytes).concat();
            let numbers =
                [negated([43.; 8], &[0, 7]), negated(second, &[0, 1]), [8.; 8], negated([43.; 8], &all)];
            ([d.to_vec(), of_parts(&codes), of_parts(&[0x22])].concat(), 0.125, numbers)
        }
        PackedType::Iq2S => {
            let (low, signs, high) = ([0, 1, 255, 0], [0x80, 1, 0xff, 0], [0b0011_0001]);
            let parts = [of_parts(&low), of_parts(&signs), of_parts(&high), of_parts(&[0x22])].concat();
            let mixed = [25., 25., 25., 25., 25., 8., 25., 8.];
            let numbers = [negated(mixed, &[7]), negated(second, &[0]), negated([43.; 8], &all), [8.; 8]];
            ([d.to_vec(), parts].concat(), 0.125, numbers)
        }
        PackedType::Iq3Xxs => {
            let (indices, signs) = (of_parts(&[0, 0, 1, 0, 255, 0, 0, 255]), of_parts(&signs.to_le_bytes()));
            let numbers = [
                negated([4.; 8], &[0, 7]),
                negated([20., 4., 4., 4., 4., 4., 4., 4.], &[0, 1]),
                negated([4., 28., 52., 62., 4., 4., 4., 4.], &all),
                [4., 4., 4., 4., 4., 28., 52., 62.],
            ];
            ([d.to_vec(), indices, signs].concat(), 0.25, numbers)
        }
        PackedType::Iq3S => {
            let (low, high) = (of_parts(&[0, 0, 1, 0, 0, 255, 0, 0]), of_parts(&[0b0010_0001]));
            let parts = [low, high, of_parts(&[0x80, 1, 0xff, 0]), vec![0x22; 4]].concat();
            let numbers = [
                negated([7., 5., 9., 5., 1., 1., 1., 1.], &[7]),
                negated([3., 1., 1., 1., 1., 1., 1., 1.], &[0]),
                negated([1., 1., 1., 1., 1., 1., 15., 15.], &all),
                [1.; 8],
            ];
            ([d.to_vec(), parts].concat(), 1., numbers)
        }
        PackedType::Iq1S => {
            let high = (1u16 | 7 << 6 | 2 << 12 | 1 << 15).to_le_bytes();
            let numbers = [mixed, [1., -1., -1., -1., -1., -1., -1., -1.], [1.; 8], [-1.; 8]];
            let numbers = numbers.map(|numbers| numbers.map(|number| number - 0.125));
            ([d.to_vec(), of_parts(&[0, 1, 255, 0]), of_parts(&high)].concat(), 1., numbers)
        }
        PackedType::Iq1M => {
            let bits = u16::from_le_bytes(d);
            let scales =
                [0, 4, 8, 12].map(|from| (0x0492 | (bits >> from & 0xf) << 12).to_le_bytes()).concat();
            let numbers = [mixed, [1., -1., -1., -1., -1., -1., -1., -1.], [0.75; 8], [-1.25; 8]];
            let numbers = numbers.map(|numbers| numbers.map(|number| number + 0.125));
            ([of_parts(&[0, 1, 255, 0]), of_parts(&[0x01, 0x8f]), scales].concat(), 1., numbers)
        }
        other => panic!("{other:?}"),
    };
    (bytes, numbers.as_flattened().repeat(8).into_iter().map(|number| 5. * unit * scale * number).collect())
}

/// So many rows with different scales.
fn matrix(packed: PackedType, rows: usize) -> (Vec<u8>, Vec<f32>) {
    let rows = (0..rows).map(|i| row(packed, -12 + (i % 5) as i32));
    rows.fold((Vec::new(), Vec::new()), |(mut bytes, mut values), (more, weights)| {
        bytes.extend(more);
        values.extend(weights);
        (bytes, values)
    })
}

/// The number of a type in files.
fn number(packed: PackedType) -> u32 {
    (0..64).find(|&number| PackedType::from_u32(number) == Some(packed)).expect("a number")
}

/// A GGUF file of tensors: a name, dimensions in candle's order, a type's number, data.
fn gguf(tensors: &[(&str, &[usize], u32, &[u8])]) -> Vec<u8> {
    let mut file = b"GGUF".to_vec();
    file.extend(3u32.to_le_bytes());
    file.extend((tensors.len() as u64).to_le_bytes());
    file.extend(0u64.to_le_bytes());
    let mut offset = 0u64;
    for (name, dims, number, data) in tensors {
        file.extend((name.len() as u64).to_le_bytes());
        file.extend(name.as_bytes());
        file.extend((dims.len() as u32).to_le_bytes());
        dims.iter().rev().for_each(|&dim| file.extend((dim as u64).to_le_bytes()));
        file.extend(number.to_le_bytes());
        file.extend(offset.to_le_bytes());
        offset += (data.len() as u64).next_multiple_of(32);
    }
    for (_, _, _, data) in tensors {
        file.resize(file.len().next_multiple_of(32), 0);
        file.extend(*data);
    }
    file
}

/// A file with a matrix of each type, the last one in Q8_0.
fn file(rows: usize) -> Vec<u8> {
    let q8_0: Vec<u8> = [half(0.25).to_vec(), vec![3; 32]].concat().repeat(COLUMNS / 32);
    let matrices = ALL.map(|packed| matrix(packed, rows).0);
    let names = ALL.map(PackedType::name);
    let mut tensors: Vec<(&str, &[usize], u32, &[u8])> = Vec::new();
    let (shape, one) = ([rows, COLUMNS], [1, COLUMNS]);
    for ((packed, name), data) in ALL.into_iter().zip(names).zip(&matrices) {
        tensors.push((name, &shape, number(packed), data));
    }
    tensors.push(("Q8_0", &one, 8, &q8_0));
    gguf(&tensors)
}

fn flat(tensor: &Tensor) -> Result<Vec<f32>> {
    tensor.to_device(&Device::Cpu)?.flatten_all()?.to_vec1()
}

fn input(shape: &[usize]) -> Result<Tensor> {
    let count: usize = shape.iter().product();
    let values: Vec<f32> = (0..count).map(|i| (i * 7919 % 2003) as f32 / 1001.5 - 1.0).collect();
    Tensor::from_vec(values, shape, &Device::Cpu)
}

#[test]
fn a_file_is_read_on_every_device() -> Result<()> {
    forbid_fallback();
    let mut reader = Cursor::new(file(7));
    let content = gguf_file::Content::read(&mut reader)?;
    for device in devices().into_iter().chain([Device::Cpu]) {
        for packed in ALL {
            let name = packed.name();
            assert_eq!(content.tensor_infos[name].ggml_dtype, G::Q8_0);
            let tensor = content.tensor(&mut reader, name, &device)?;
            assert_eq!((tensor.dtype(), tensor.shape().dims()), (G::Q8_0, &[7, COLUMNS][..]));
            let (bytes, want) = matrix(packed, 7);
            assert_eq!(flat(&tensor.dequantize(&device)?)?, want, "{name} on {device:?}");
            // To candle it is Q8_0.
            let blocks = packed.to_q8_0(&bytes)?;
            assert_eq!((tensor.data()?.len(), tensor.storage_size_in_bytes()), (blocks.len(), blocks.len()));
            assert_eq!(tensor.data()?, blocks, "{name}");
            let of_blocks = ggml_file::qtensor_from_ggml(G::Q8_0, &blocks, vec![7, COLUMNS], &Device::Cpu)?;
            assert_eq!(flat(&of_blocks.dequantize(&Device::Cpu)?)?, want, "{name}");
            if !device.is_cpu() {
                let own: &QStorage = tensor.rocm_storage().expect("on rocm").downcast_ref().expect("ours");
                assert_eq!((own.block_type().to_string(), own.data()?), (name.to_owned(), bytes));
                let error = tensor.device_ptr().unwrap_err().to_string();
                assert!(error.contains(name) && error.contains("Q8_0"), "{error}");
            }
        }
        let tensor = content.tensor(&mut reader, "Q8_0", &device)?;
        assert_eq!(flat(&tensor.dequantize(&device)?)?, [0.75; COLUMNS]);
    }
    reader.set_position(0);
    let header = model_file::check_reader(&mut reader, "the test's").expect("it is accepted");
    let names: Vec<_> = header.tensors.iter().map(|tensor| (tensor.name.as_str(), tensor.dtype)).collect();
    assert_eq!(names.len(), ALL.len() + 1);
    assert!(names.iter().all(|(name, dtype)| name == dtype), "{names:?}");
    Ok(())
}

#[test]
fn products_rows_and_experts() -> Result<()> {
    forbid_fallback();
    let rows = 12;
    let mut reader = Cursor::new(file(rows));
    let content = gguf_file::Content::read(&mut reader)?;
    for device in devices() {
        for packed in ALL {
            let weights = Tensor::from_vec(matrix(packed, rows).1, (rows, COLUMNS), &Device::Cpu)?;
            let tensor = content.tensor(&mut reader, packed.name(), &device)?;
            let ids = Tensor::new(&[11u32, 0, 3], &device)?;
            assert_eq!(
                flat(&tensor.embedding(&ids)?)?,
                flat(&weights.index_select(&ids.to_device(&Device::Cpu)?, 0)?)?
            );
            let product = QMatMul::from_qtensor(tensor)?;
            let on_cpu = QMatMul::from_qtensor(content.tensor(&mut reader, packed.name(), &Device::Cpu)?)?;
            for shape in [&[1, COLUMNS][..], &[3, COLUMNS], &[2, 20, COLUMNS]] {
                let x = input(shape)?;
                let want = x.broadcast_matmul(&weights.t()?)?;
                // What is rounded are the terms: the sum of those of a grid's 32 weights, again and again, may be small beside them.
                let terms = x.abs()?.broadcast_matmul(&weights.abs()?.t()?)?;
                for (y, what) in
                    [(product.forward(&x.to_device(&device)?)?, "rocm"), (on_cpu.forward(&x)?, "cpu")]
                {
                    let (error, limit) = if GRIDS.contains(&packed) {
                        let error = (y.to_device(&Device::Cpu)? - &want)?;
                        (relative_error(&(error + &terms)?, &terms)?, OF_TERMS)
                    } else {
                        (relative_error(&y, &want)?, TOLERANCE)
                    };
                    assert!(error <= limit, "{packed:?} {shape:?} {what}: {error}");
                }
            }
        }
        // As gpt-oss has them.
        let (bytes, values) = matrix(PackedType::Mxfp4, 4 * 3);
        let experts = PackedType::Mxfp4.tensor(&bytes, &[4, 3, COLUMNS], &device)?;
        let x = input(&[2, 1, COLUMNS])?;
        let ids = Tensor::new(&[[3u32, 1], [0, 3]], &Device::Cpu)?;
        let y = experts.indexed_moe_forward(&x.to_device(&device)?, &ids.to_device(&device)?)?;
        let chosen = Tensor::from_vec(values, (4, 3, COLUMNS), &Device::Cpu)?
            .index_select(&ids.flatten_all()?, 0)?
            .reshape((2, 2, 3, COLUMNS))?;
        let each = x.broadcast_as((2, 2, COLUMNS))?.contiguous()?.unsqueeze(D::Minus1)?;
        let want = chosen.matmul(&each)?.squeeze(D::Minus1)?;
        assert!(relative_error(&y, &want)? <= TOLERANCE);
    }
    Ok(())
}

/// Programs make a `TensorInfo` by themselves, for files in parts: with another offset, the type stays. Who reads the data by the offset
/// finds the end of the file.
#[test]
fn offsets_are_added_to() -> Result<()> {
    let bytes = file(2);
    let content = gguf_file::Content::read(&mut Cursor::new(&bytes))?;
    let moved = [vec![0; 64], bytes.clone()].concat();
    for packed in ALL {
        let info = &content.tensor_infos[packed.name()];
        assert!(content.tensor_data_offset + info.offset > bytes.len() as u64);
        assert!(content.tensor_data_offset + PackedType::offset(info) < bytes.len() as u64);
        assert_eq!(PackedType::of(info), Some(packed));
        let TensorInfo { ggml_dtype, ref shape, offset } = *info;
        let info = TensorInfo { ggml_dtype, shape: shape.clone(), offset: offset + 64 };
        let tensor = info.read(&mut Cursor::new(&moved), content.tensor_data_offset, &Device::Cpu)?;
        assert_eq!(flat(&tensor.dequantize(&Device::Cpu)?)?, matrix(packed, 2).1);
    }
    Ok(())
}

/// As mistralrs-quant 0.8.1 has it: the types have no variants of their own, with which this would not compile.
#[test]
fn a_program_may_match_all_types() -> Result<()> {
    let number = |dtype| match dtype {
        G::F32 => 0,
        G::F16 => 1,
        G::Q4_0 => 2,
        G::Q4_1 => 3,
        G::Q5_0 => 6,
        G::Q5_1 => 7,
        G::Q8_0 => 8,
        G::Q8_1 => 9,
        G::Q2K => 10,
        G::Q3K => 11,
        G::Q4K => 12,
        G::Q5K => 13,
        G::Q6K => 14,
        G::Q8K => 15,
        G::BF16 => 30,
    };
    let mut reader = Cursor::new(file(1));
    let content = gguf_file::Content::read(&mut reader)?;
    for info in content.tensor_infos.values() {
        assert_eq!(number(info.ggml_dtype), 8);
    }
    assert_eq!(PackedType::of(&content.tensor_infos["Q8_0"]), None);
    Ok(())
}

/// What is written again is Q8_0, of the same numbers.
#[test]
fn written_again() -> Result<()> {
    let mut reader = Cursor::new(file(3));
    let content = gguf_file::Content::read(&mut reader)?;
    for device in devices() {
        let tensors = ALL.map(|packed| content.tensor(&mut reader, packed.name(), &device));
        let tensors = tensors.into_iter().collect::<Result<Vec<QTensor>>>()?;
        let named: Vec<_> = ALL.iter().map(|packed| packed.name()).zip(&tensors).collect();
        let mut written = Cursor::new(Vec::new());
        gguf_file::write(&mut written, &[], &named)?;
        written.set_position(0);
        let content = gguf_file::Content::read(&mut written)?;
        for packed in ALL {
            let info = &content.tensor_infos[packed.name()];
            assert!(info.ggml_dtype == G::Q8_0 && info.offset < 1 << 20);
            let tensor = content.tensor(&mut written, packed.name(), &Device::Cpu)?;
            assert_eq!(flat(&tensor.dequantize(&Device::Cpu)?)?, matrix(packed, 3).1);
        }
    }
    Ok(())
}

/// What Q8_0 does not hold exactly: scales are rounded to f16, by 1/2048 at most, and the smallest numbers to a step of 2^-24.
#[test]
fn as_q8_0() -> Result<()> {
    let of = |packed: PackedType, block: &[u8]| -> Result<Vec<f32>> {
        flat(&packed.tensor(block, &[1, packed.block_size()], &Device::Cpu)?.dequantize(&Device::Cpu)?)
    };
    let (mut block, _) = row(PackedType::Iq4Xs, 0);
    block[..2].copy_from_slice(&half(0.0123));
    let scale = f16::from_f32(0.0123).to_f32();
    for (got, unit) in of(PackedType::Iq4Xs, &block)?.into_iter().zip(row(PackedType::Iq4Xs, 0).1) {
        assert!((got - scale * unit).abs() <= (scale * unit).abs() / 2048., "{got} for {}", scale * unit);
    }
    // Weights of 32 share a scale there: those of IQ2_XS, IQ2_S and IQ1_M have two, of which one may have to be rounded.
    for (packed, scales, limit) in [
        (PackedType::Iq2Xs, 66..74, 1. / 254. + 1. / 1024.),
        (PackedType::Iq2S, 74..82, 1. / 254. + 1. / 1024.),
        (PackedType::Iq1S, 0..0, 1. / 1024.),
        (PackedType::Iq2Xxs, 0..0, 1. / 1024.),
    ] {
        let (mut block, weights) = row(packed, 0);
        block[..2].copy_from_slice(&half(0.0123));
        block[scales.clone()].fill(0x52);
        let groups = of(packed, &block)?;
        for (got, units) in groups.chunks(32).zip(weights.chunks(32)) {
            let factor = |i: usize| if i < 16 || scales.is_empty() { 1. } else { 11. / 5. };
            let want: Vec<f32> = units.iter().enumerate().map(|(i, unit)| scale * unit * factor(i)).collect();
            let largest = want.iter().fold(0f32, |a, x| a.max(x.abs()));
            for (got, want) in got.iter().zip(&want) {
                assert!((got - want).abs() <= largest * limit, "{packed:?}: {got} for {want}");
            }
        }
    }
    // Scales of 2 and 5, five and eleven eighths: 9 times 11 is a byte.
    let (mut block, weights) = row(PackedType::Iq1M, 0);
    (0..4).for_each(|i| (block[48 + 2 * i], block[49 + 2 * i]) = (0xaa, block[49 + 2 * i] & 0xf0 | 0x0a));
    for (i, (got, unit)) in of(PackedType::Iq1M, &block)?.into_iter().zip(&weights).enumerate() {
        assert_eq!(got, if i % 32 < 16 { *unit } else { unit / 5. * 11. }, "{i}");
    }
    let numbers: Vec<f32> = row(PackedType::Mxfp4, 0).1[..32].to_vec();
    for exponent in [-40, -30, -26, -24, -1, 15, 16, 19] {
        let block = &row(PackedType::Mxfp4, exponent).0[..17];
        for (got, unit) in of(PackedType::Mxfp4, block)?.into_iter().zip(&numbers) {
            let want = unit * 2f32.powi(exponent);
            let limit = if exponent < -23 { 2f32.powi(-25) } else { 0. };
            assert!((got - want).abs() <= limit, "{got} for {want}");
        }
    }
    let (mut block, _) = row(PackedType::Mxfp4, 0);
    block[0] = 255;
    assert!(of(PackedType::Mxfp4, &block[..17])?.iter().all(|weight| weight.is_nan()));
    let error = of(PackedType::Mxfp4, &row(PackedType::Mxfp4, 20).0[..17]).unwrap_err().to_string();
    assert!(error.contains("too large for Q8_0") && error.contains("MXFP4"), "{error}");
    Ok(())
}

#[test]
fn damaged_files() -> Result<()> {
    let (data, _) = row(PackedType::Iq4Xs, 0);
    let read = |bytes: &[u8]| {
        let mut reader = Cursor::new(bytes);
        gguf_file::Content::read(&mut reader)?.tensor(&mut reader, "x", &Device::Cpu)
    };
    let fails = |bytes: &[u8], words: &[&str]| {
        let error = read(bytes).expect_err("it is damaged").to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}: {words:?}");
    };
    let whole = gguf(&[("x", &[1, 256], 23, &data)]);
    read(&whole)?;
    fails(&whole[..whole.len() - 1], &["136 bytes", "135"]);
    fails(&gguf(&[("x", &[8, 32], 23, &data)]), &["IQ4_XS", "256", "row of 32"]);
    // An offset that would be taken for a type.
    let mut far = whole.clone();
    let at = far.windows(4).position(|word| word == 23u32.to_le_bytes()).expect("the type") + 4;
    far[at + 7] = 39;
    fails(&far, &["offset", "2^56"]);
    fails(&gguf(&[("x", &[1, 256], 28, &data)]), &["28"]);
    assert_eq!(BlockType::Iq4Xs.to_string(), PackedType::Iq4Xs.name());
    Ok(())
}
