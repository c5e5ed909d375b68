//! Mixtures of experts on the devices against their definition in f64.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{DType, Layout};
use candle_rocm::nn::moe_gemm;
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage};
use half::{bf16, f16};

use crate::common;
use crate::common::Random;
use crate::harness::bits::Number;

fn numbers<T: RocmDType>(len: usize, seed: u64) -> Vec<T> {
    let mut random = Random(seed);
    (0..len).map(|_| T::from_f64(random.below(20_001) as f64 / 10_000.0 - 1.0)).collect()
}

fn upload<T: RocmDType>(device: &RocmDevice, data: &[T]) -> RocmStorage {
    device.storage_from_slice(data).expect("upload")
}

/// Tokens, experts, experts per token, columns of the output, columns of the input, which begins at an offset.
fn check<T: Number + RocmDType>(
    device: &RocmDevice,
    [tokens, experts, topk, n, k]: [usize; 5],
    offset: usize,
    scaled: bool,
) {
    let what = format!("{:?} {tokens} {experts} {topk} {n} {k} {scaled}", T::DTYPE);
    let count = tokens * topk;
    let mut random = Random(5);
    // Some experts have nothing to do.
    let mut entries: Vec<(u32, u32)> = (0..count as u32)
        .map(|row| ((random.below(experts.div_ceil(2) + 1) % experts) as u32, row))
        .collect();
    entries.sort_unstable();
    let (of, rows): (Vec<u32>, Vec<u32>) = entries.iter().copied().unzip();
    let inputs = if scaled { count } else { tokens };
    let x: Vec<T> = numbers(offset + inputs * k, 6);
    let (w, factors): (Vec<T>, Vec<f32>) = (numbers(experts * n * k, 7), numbers(count, 8));
    let x_l = Layout::contiguous_with_offset((inputs, k), offset);
    let lists = Layout::contiguous(count);
    let (rows_there, of_there, factors_there) =
        (upload(device, &rows), upload(device, &of), upload(device, &factors));
    let got = moe_gemm(
        (&upload(device, &x), &x_l),
        (&upload(device, &w), &Layout::contiguous((experts, n, k))),
        (&rows_there, &lists),
        (&of_there, &lists),
        scaled.then_some((&factors_there, &lists)),
        topk,
    )
    .expect("moe_gemm");
    let got = T::cpu_storage_as_slice(&got.to_cpu_storage().expect("download")).expect("dtype").to_vec();
    assert_eq!(got.len(), count * n, "{what}");
    for (&row, &expert) in rows.iter().zip(&of) {
        let (row, expert) = (row as usize, expert as usize);
        let input = if scaled { row } else { row / topk };
        for column in 0..n {
            let weight = |i: usize| w[(expert * n + column) * k + i].value();
            let products = (0..k).map(|i| x[offset + input * k + i].value() * weight(i));
            let want = products.sum::<f64>() * if scaled { f64::from(factors[row]) } else { 1.0 };
            let rounding = match T::DTYPE {
                DType::F16 => want.abs() / 2048.0 + 2f64.powi(-25),
                DType::BF16 => want.abs() / 256.0,
                _ => 0.0,
            };
            // Sums of k products below 1, in f32.
            let limit = rounding + k as f64 * f64::from(f32::EPSILON);
            let got = got[row * n + column].value();
            assert!((got - want).abs() <= limit, "{what} [{row}, {column}]: got {got} want {want}");
        }
    }
}

#[test]
fn rows_meet_their_experts() {
    for device in common::devices() {
        for sizes in [
            // Few rows for each expert, then many.
            [3, 8, 2, 40, 72],
            [1, 4, 4, 33, 300],
            [5, 16, 1, 7, 5],
            [40, 3, 2, 70, 40],
            [300, 2, 1, 20, 33],
        ] {
            for scaled in [false, true] {
                check::<f32>(&device, sizes, 3, scaled);
                check::<f16>(&device, sizes, 3, scaled);
                check::<bf16>(&device, sizes, 3, scaled);
            }
        }
        check::<f32>(&device, [0, 2, 2, 4, 4], 3, false);
        check::<f32>(&device, [2, 2, 2, 0, 4], 3, true);
        check::<f32>(&device, [2, 2, 2, 4, 0], 3, false);
    }
}

/// Tiles of 64 and of 128 rows, of experts with none, with one and with more than a tile, and columns that fill none.
#[test]
fn on_matrix_cores() {
    for device in common::devices() {
        device.set_matrix_cores(true);
        // Large tiles are for as many as keep most compute units busy: three of rows, and as many of columns.
        let wide = 128 * (device.hip_device().compute_units() as usize).div_ceil(4) - 61;
        for (sizes, offset) in [
            ([300, 2, 1, wide, 24], 8),
            ([300, 2, 1, 131, 72], 16),
            // As models have them.
            ([130, 16, 2, 67, 40], 8),
            // Rows that are not aligned.
            ([40, 3, 2, 20, 44], 0),
            ([40, 3, 2, 20, 40], 3),
            ([9, 1, 1, 5, 8], 0),
        ] {
            for scaled in [false, true] {
                check::<f16>(&device, sizes, offset, scaled);
                check::<bf16>(&device, sizes, offset, scaled);
            }
        }
    }
}

/// Rows and experts that are not there are left alone.
#[test]
fn entries_beyond_the_end() {
    for device in common::devices() {
        device.set_matrix_cores(true);
        for count in [2usize, 40] {
            left_alone::<f32>(&device, count);
            left_alone::<f16>(&device, count);
        }
    }
}

fn left_alone<T: Number + RocmDType>(device: &RocmDevice, count: usize) {
    let ones = upload(device, &vec![T::from_f64(1.); 8 * count]);
    let mut rows: Vec<u32> = (0..count as u32).collect();
    let mut experts = vec![0u32; count];
    (rows[0], experts[count - 1]) = (1000, 77);
    let lists = Layout::contiguous(count);
    let out = moe_gemm(
        (&ones, &Layout::contiguous((count, 8))),
        (&ones, &Layout::contiguous((1, 2, 8))),
        (&upload(device, &rows), &lists),
        (&upload(device, &experts), &lists),
        None,
        1,
    );
    let out = out.expect("moe_gemm").to_cpu_storage().expect("download");
    let out: Vec<f64> = T::cpu_storage_as_slice(&out).expect("dtype").iter().map(|x| x.value()).collect();
    let mut want = vec![8f64; 2 * count];
    want[..2].fill(0.0);
    want[2 * count - 2..].fill(0.0);
    assert_eq!(out, want);
}

#[test]
fn what_cannot_be() {
    for device in common::devices_without_kernels() {
        let (x, list) = (upload(&device, &[1f32; 1000]), upload(&device, &[0u32; 1000]));
        let call = |input: &[usize], weights: &[usize], count: usize, topk: usize| {
            let lists = Layout::contiguous(count);
            let (input, weights) = (Layout::contiguous(input), Layout::contiguous(weights));
            match moe_gemm((&x, &input), (&x, &weights), (&list, &lists), (&list, &lists), None, topk) {
                Ok(_) => panic!("it should have failed"),
                Err(error) => error,
            }
        };
        let error = call(&[3, 4], &[2, 5, 6], 6, 2);
        assert!(matches!(error, RocmError::ShapeMismatch { .. }), "{error}");
        let error = call(&[3, 4], &[2, 5, 4], 3, 2);
        assert!(matches!(error, RocmError::ShapeMismatch { .. }), "{error}");
        let error = call(&[3, 4], &[5, 4], 6, 2);
        assert!(matches!(error, RocmError::InvalidArgument { .. }), "{error}");
        let error = call(&[3, 4], &[2, 5, 4], 0, 0);
        assert!(matches!(error, RocmError::InvalidArgument { .. }), "{error}");
    }
}
