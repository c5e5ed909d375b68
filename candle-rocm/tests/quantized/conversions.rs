//! Weights as floats and rows, and activations as blocks, against candle's own code for the CPU.

use candle_core::quantized::GgmlDType as G;
use candle_core::{DType, Layout};
use candle_rocm::hip::LaunchConfig;
use candle_rocm::quantized::QStorage;
use candle_rocm::{RocmDType, RocmDevice, RocmError};
use half::{bf16, f16};
use rocm_kernels::QUANTIZED;

use crate::common;
use crate::weights::{
    activations, all, all_of_candle, blocks, download, fails, q8_1, q8_blocks, q8_steps, same_bits, upload,
    weights_of,
};

#[test]
fn dequantize_every_type() {
    for device in common::devices() {
        for dtype in all() {
            for count in [0, 1, 3, 8, 41] {
                let data = blocks(dtype, count, 11);
                let weights = QStorage::from_data(&device, &data, dtype).expect("from_data");
                let want = weights_of(dtype, &data);
                assert_eq!((weights.len(), weights.size_in_bytes()), (want.len(), data.len()));
                assert_eq!(weights.data().expect("data"), data);
                let got = download::<f32>(&weights.dequantize(DType::F32).expect("f32"));
                same_bits(&got, &want, format_args!("{dtype:?}"));
                let got = download::<f16>(&weights.dequantize(DType::F16).expect("f16"));
                assert_eq!(got, want.iter().map(|&v| f16::from_f32(v)).collect::<Vec<_>>(), "{dtype:?}");
                let got = download::<bf16>(&weights.dequantize(DType::BF16).expect("bf16"));
                assert_eq!(got, want.iter().map(|&v| bf16::from_f32(v)).collect::<Vec<_>>(), "{dtype:?}");
            }
        }
    }
}

#[test]
fn rows() {
    for device in common::devices() {
        for dtype in all() {
            let (rows, columns) = (7, 3 * dtype.block_size().max(5));
            let data = blocks(dtype, rows * columns / dtype.block_size(), 12);
            let weights = QStorage::from_data(&device, &data, dtype).expect("from_data");
            let want = weights_of(dtype, &data);
            // The first is not part of it; one is out of range.
            let ids = upload(&device, &[99u32, 6, 0, 3, 6, 7, 1]);
            let layout = Layout::contiguous_with_offset((2, 3), 1);
            let got = weights.rows((rows, columns), &ids, &layout).expect("rows");
            match device.synchronize() {
                Err(RocmError::IndexOutOfRange { op: "quantized embedding", index: 7, size: 7, .. }) => {}
                other => panic!("{other:?}"),
            }
            let want: Vec<f32> = [6, 0, 3, 6, 7, 1]
                .into_iter()
                .flat_map(|row: usize| match want.get(row * columns..(row + 1) * columns) {
                    Some(row) => row.to_vec(),
                    None => vec![0.0; columns],
                })
                .collect();
            same_bits(&download::<f32>(&got), &want, format_args!("{dtype:?}"));
            // No indices, no rows.
            let none = weights.rows((rows, columns), &ids, &Layout::contiguous(0)).expect("rows");
            assert_eq!(download::<f32>(&none).len(), 0);
        }
    }
}

/// Of f32 and of half types, in blocks of a scale in f32 and 32 bytes: by vector, by steps, and those of a list.
#[test]
fn activations_are_quantized() {
    const PAIR: usize = 72;
    fn check<T: RocmDType>(device: &RocmDevice, round: fn(f32) -> T) {
        for (vectors, columns) in [(1, 32), (3, 96), (2, 2112)] {
            for magnitude in [1e-6f32, 1., 3e4] {
                let data: Vec<T> =
                    activations(vectors * columns, 13).iter().map(|x| round(x * magnitude)).collect();
                let values: Vec<f32> = data.iter().map(|v| v.to_f64() as f32).collect();
                let x = device.upload(&data).expect("upload");
                // Two products of a vector.
                let list: Vec<u32> = (0..2 * vectors as u32).rev().collect();
                let device_list = device.upload(&list).expect("upload");
                let listed: Vec<f32> = list
                    .iter()
                    .flat_map(|&i| &values[i as usize / 2 * columns..][..columns])
                    .copied()
                    .collect();
                let by_vector = (columns / 32 * 36, PAIR);
                for (list, values, (row_bytes, pair_bytes), want) in [
                    (None, &values, by_vector, q8_blocks(&values)),
                    (None, &values, (PAIR, vectors * PAIR), q8_steps(&values, columns)),
                    (Some(&device_list), &listed, by_vector, q8_blocks(&listed)),
                    (Some(&device_list), &listed, (PAIR, 2 * vectors * PAIR), q8_steps(&listed, columns)),
                ] {
                    // What is not written stays as it is.
                    let mut out = device.upload(&vec![0xffu8; want.len() + 4]).expect("upload");
                    let mut launch = device.launch(&QUANTIZED, &format!("quantize_q8_{}", T::KERNEL_DTYPE));
                    launch.buffer(&x, 0);
                    match list {
                        Some(list) => launch.buffer(list, 0),
                        None => launch.null(),
                    };
                    launch.buffer_mut(&mut out, 0).arg(&(columns as u32)).arg(&2u32);
                    launch.arg(&(row_bytes as u32)).arg(&(pair_bytes as u64));
                    let grid = [2, (values.len() / columns) as u32, 1];
                    // SAFETY: quantize_q8_*(x, list, out, columns, products of a vector, bytes from row to row, from pair to pair): rows
                    // as the grid's y.
                    unsafe { launch.run(LaunchConfig { grid, block: [3, 1, 1], shared_bytes: 0 }) }
                        .expect("quantize_q8");
                    let out = device.download(&out).expect("download");
                    let what = format_args!("{:?} {magnitude} {row_bytes} {pair_bytes}", T::DTYPE);
                    assert!(out[..want.len()] == want, "{what}");
                    assert_eq!(out[want.len()..], [0xff; 4], "{what}");
                }
            }
        }
    }
    for device in common::devices() {
        check::<f32>(&device, |x| x);
        check::<f16>(&device, f16::from_f32);
        check::<bf16>(&device, bf16::from_f32);
    }
}

#[test]
fn activations_of_candles_kernel() {
    for device in common::devices() {
        for (rows, columns, padded) in [(1, 32, 32), (3, 96, 512), (2, 70, 128)] {
            let data = activations(rows * columns, 13);
            let x = device.upload(&data).expect("upload");
            let mut out = device.upload(&vec![0xa5u8; rows * padded / 32 * 36 + 4]).expect("upload");
            let mut launch = device.launch(&QUANTIZED, "quantize_q8_1");
            launch.buffer(&x, 0).buffer_mut(&mut out, 0).arg(&(columns as i32)).arg(&(padded as i32));
            // SAFETY: quantize_q8_1(x, out, length, padded length): rows as the grid's y.
            unsafe {
                launch.run(LaunchConfig { grid: [2, rows as u32, 1], block: [3, 1, 1], shared_bytes: 0 })
            }
            .expect("quantize_q8_1");
            let out = device.download(&out).expect("download");
            let (out, rest) = out.split_at(rows * padded / 32 * 36);
            assert_eq!(rest, [0xa5; 4]);
            for (i, block) in out.chunks_exact(36).enumerate() {
                let (row, first) = (i / (padded / 32), i % (padded / 32) * 32);
                let values: Vec<f32> = (first..first + 32)
                    .map(|at| if at < columns { data[row * columns + at] } else { 0.0 })
                    .collect();
                let (scale, q) = q8_1(&values);
                assert_eq!(f16::from_ne_bytes([block[0], block[1]]).to_f32(), scale);
                let sum = values.iter().sum::<f32>();
                assert!(
                    (f16::from_ne_bytes([block[2], block[3]]).to_f32() - sum).abs() <= sum.abs() / 1024.0
                );
                assert_eq!(block[4..].iter().map(|&b| i32::from(b as i8)).collect::<Vec<_>>(), q);
            }
        }
    }
}

#[test]
fn quantized_by_candle() {
    for device in common::devices_without_kernels() {
        for dtype in all_of_candle() {
            let values = activations(768, 27);
            let mut blocks = dtype.cpu_zeros(values.len());
            blocks.from_float(&values);
            // SAFETY: candle's blocks are plain bytes, this many.
            let want = unsafe { std::slice::from_raw_parts(blocks.as_ptr(), blocks.storage_size_in_bytes()) };
            let mut weights = QStorage::zeros(&device, values.len(), dtype).expect("zeros");
            assert_eq!(weights.data().expect("data"), vec![0; want.len()]);
            weights.quantize(&upload(&device, &values), None).expect("quantize");
            assert_eq!(weights.data().expect("data"), want, "{dtype:?}");

            let importance: Vec<f32> = (0..256).map(|i| 1.0 + (i % 7) as f32).collect();
            let result = weights.quantize(&upload(&device, &values), Some(&importance));
            if !matches!(dtype, G::Q2K | G::Q3K | G::Q4K | G::Q5K | G::Q6K) {
                fails(result, &["importance", &format!("{dtype:?}"), "Q4K"]);
                continue;
            }
            result.expect("quantize with importance");
            let mut blocks = dtype.cpu_zeros(values.len());
            blocks.from_float_imatrix(&values, &importance, 256);
            // SAFETY: as above.
            let want = unsafe { std::slice::from_raw_parts(blocks.as_ptr(), blocks.storage_size_in_bytes()) };
            assert_eq!(weights.data().expect("data"), want, "{dtype:?}");
        }
    }
}
