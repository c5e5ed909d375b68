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

const ALL: [PackedType; 5] =
    [PackedType::Iq4Nl, PackedType::Iq4Xs, PackedType::Tq1_0, PackedType::Tq2_0, PackedType::Mxfp4];
const COLUMNS: usize = 256;

/// As `quantized.rs` has it: activations are rounded to 8 bits on both sides.
const TOLERANCE: f32 = 0.015;

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
        other => panic!("{other:?}"),
    }
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
    assert_eq!(names.len(), 6);
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
                for (y, what) in
                    [(product.forward(&x.to_device(&device)?)?, "rocm"), (on_cpu.forward(&x)?, "cpu")]
                {
                    let error = relative_error(&y, &want)?;
                    assert!(error <= TOLERANCE, "{packed:?} {shape:?} {what}: {error}");
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
    fails(&gguf(&[("x", &[1, 256], 16, &data)]), &["16"]);
    assert_eq!(BlockType::Iq4Xs.to_string(), PackedType::Iq4Xs.name());
    Ok(())
}
