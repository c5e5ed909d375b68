//! Products under candle's names, of vectors in its Q8_1, against plain sums in f64.

use candle_rocm::RocmDevice;
use candle_rocm::hip::{Buffer, LaunchConfig};
use half::f16;
use rocm_kernels::QUANTIZED_Q8_1;

use crate::common;
use crate::weights::{CANDLES, activations, blocks, kernel_name, near, products, q8_1, rounded, weights_of};

/// Vectors of `columns` activations as blocks of Q8_1, each padded to `padded` with numbers that must not count.
fn vectors(device: &RocmDevice, x: &[f32], columns: usize, padded: usize) -> Buffer<u8> {
    let block = |block: &[f32]| {
        let (scale, q) = q8_1(block);
        let mut bytes =
            [f16::from_f32(scale), f16::from_f32(block.iter().sum())].map(f16::to_ne_bytes).concat();
        bytes.extend(q.iter().map(|&q| q as i8 as u8));
        bytes
    };
    let padding = vec![0x3c; (padded - columns) / 32 * 36];
    let row =
        |row: &[f32]| row.chunks(32).flat_map(block).chain(padding.iter().copied()).collect::<Vec<u8>>();
    device.upload(&x.chunks(columns).flat_map(row).collect::<Vec<u8>>()).expect("upload")
}

/// Runs a kernel with results of so many elements, and as many behind them that stay as they are.
#[track_caller]
fn run(
    device: &RocmDevice,
    name: &str,
    (weights, x, ids): (&Buffer<u8>, &Buffer<u8>, Option<&Buffer<u32>>),
    results: usize,
    sizes: &[usize],
    (grid, block): ([u32; 3], [u32; 3]),
) -> Vec<f32> {
    let mut out = device.upload(&vec![f32::NAN; 2 * results]).expect("upload");
    let mut launch = device.launch(&QUANTIZED_Q8_1, name);
    launch.buffer(weights, 0).buffer(x, 0);
    if let Some(ids) = ids {
        launch.buffer(ids, 0);
    }
    launch.buffer_mut(&mut out, 0);
    sizes.iter().for_each(|&size| _ = launch.arg(&(size as i32)));
    // SAFETY: the kernel's parameters; all buffers have the sizes given.
    unsafe { launch.run(LaunchConfig { grid, block, shared_bytes: 0 }) }.expect(name);
    let mut out = device.download(&out).expect("download");
    assert!(out.split_off(results).iter().all(|v| v.is_nan()), "{name} wrote behind the last result");
    out
}

#[test]
fn some_vectors() {
    for device in common::devices() {
        for dtype in CANDLES {
            let (rows, columns) = (13, 2 * dtype.block_size());
            let (padded, data) = (columns + 64, blocks(dtype, 2 * rows, 14));
            let (weights, there) = (weights_of(dtype, &data), device.upload(&data).expect("upload"));
            for count in 1..=8 {
                let x = activations(count * columns, 15);
                let y = vectors(&device, &x, columns, padded);
                let name = format!("mul_mat_vec_{}_q8_1_cuda{count}", kernel_name(dtype));
                let sizes = [columns, rows, padded, rows];
                let got =
                    run(&device, &name, (&there, &y, None), count * rows, &sizes, ([2, 1, 1], [4, 8, 1]));
                near(&got, &products(&weights, columns, &rounded(&x, q8_1)), format_args!("{name}"));
            }
        }
    }
}

#[test]
fn many_vectors() {
    for device in common::devices() {
        for dtype in CANDLES {
            let (rows, columns, count) = (67, dtype.block_size(), 65);
            let (padded, data) = (columns + 32, blocks(dtype, rows, 16));
            let (weights, there) = (weights_of(dtype, &data), device.upload(&data).expect("upload"));
            let x = activations(count * columns, 17);
            let y = vectors(&device, &x, columns, padded);
            let name = format!("mul_mat_{}", kernel_name(dtype));
            let sizes = [columns, rows, count, padded, rows];
            let got = run(&device, &name, (&there, &y, None), count * rows, &sizes, ([2, 1, 1], [256, 1, 1]));
            near(&got, &products(&weights, columns, &rounded(&x, q8_1)), format_args!("{name}"));
        }
    }
}

#[test]
fn experts() {
    for device in common::devices() {
        for dtype in CANDLES {
            let (experts, n, k, tokens, topk) = (3, 5, 2 * dtype.block_size(), 3, 2);
            let (padded, data) = (k + 32, blocks(dtype, experts * n * 2, 18));
            let (weights, there) = (weights_of(dtype, &data), device.upload(&data).expect("upload"));
            // One index stands for no expert.
            let ids = [2u32, 0, 1, 1, u32::MAX, 2];
            let ids_there = device.upload(&ids).expect("upload");
            let name = format!("indexed_moe_forward_{}_q8_1", kernel_name(dtype).replace("_K", "k"));
            for per_token in [1, topk] {
                let x = activations(tokens * per_token * k, 19);
                let y = vectors(&device, &x, k, padded);
                let sizes = [n, k, tokens, topk, padded, per_token];
                let operands = (&there, &y, Some(&ids_there));
                let got = run(&device, &name, operands, tokens * topk * n, &sizes, ([1, 2, 2], [1, 8, 1]));
                let seen = rounded(&x, q8_1);
                let product = |(task, &expert): (usize, &u32)| {
                    let (vector, expert) = (if per_token == 1 { task / topk } else { task }, expert as usize);
                    let chosen = expert.checked_mul(n * k).and_then(|at| weights.get(at..at + n * k));
                    chosen.map_or_else(
                        || vec![(0., 0.); n],
                        |chosen| products(chosen, k, &seen[vector * k..(vector + 1) * k]),
                    )
                };
                let want: Vec<(f64, f64)> = ids.iter().enumerate().flat_map(product).collect();
                near(&got, &want, format_args!("{name}, {per_token} vectors per token"));
            }
        }
    }
}
