//! Products of one vector with several matrices in one launch, and of a gate and what it gates, bit by bit what they are one by one.

use candle_core::Layout;
use candle_core::backend::BackendStorage;
use candle_core::op::{Mul, Silu};
use candle_core::quantized::GgmlDType as G;
use candle_rocm::quantized::{Algorithm, QStorage};
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage};
use half::{bf16, f16};

use crate::common;
use crate::weights::{MULTIPLIED, activations, blocks, download, upload};

fn weights(device: &RocmDevice, dtype: G, (rows, columns): (usize, usize), seed: u64) -> QStorage {
    let data = blocks(dtype, rows * columns / dtype.block_size(), seed);
    QStorage::from_data(device, &data, dtype).expect("from_data")
}

/// Bits, all NaN alike.
fn bits<T: RocmDType>(storage: &RocmStorage) -> Vec<u64> {
    let values = download::<T>(storage).into_iter().map(T::to_f64);
    values.map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() }).collect()
}

fn check<T: RocmDType>(device: &RocmDevice, dtype: G, rows: &[usize], per_row: usize, special: Option<f64>) {
    let columns = per_row * dtype.block_size();
    let mut x: Vec<T> = activations(columns + 3, 16).into_iter().map(|x| T::from_f64(f64::from(x))).collect();
    if let Some(special) = special {
        x[columns / 2] = T::from_f64(special);
    }
    let x = upload(device, &x);
    let layout = Layout::contiguous_with_offset((1, 1, columns), 3);
    let all: Vec<QStorage> =
        rows.iter().zip(14..).map(|(&rows, seed)| weights(device, dtype, (rows, columns), seed)).collect();
    let all: Vec<_> = all.iter().zip(rows).map(|(weights, &rows)| (weights, (rows, columns))).collect();
    let got = QStorage::streamed_several(&all, &x, &layout).expect("streamed_several").expect("declined");
    assert_eq!(got.len(), rows.len());
    for (i, (got, (weights, shape))) in got.iter().zip(&all).enumerate() {
        let want = weights.forward_with(Algorithm::Streamed, *shape, &x, &layout).expect("forward_with");
        let what = format!("{dtype:?} {:?}: {rows:?} x {columns}, {special:?}", T::DTYPE);
        assert_eq!(bits::<T>(got), bits::<T>(&want), "product {i} of {what}");
    }
}

/// silu as the elementwise kernels have it, and the product, each rounded.
fn gate_by_gate(gate: &RocmStorage, up: &RocmStorage) -> RocmStorage {
    let layout = Layout::contiguous(gate.len());
    let gate = gate.unary_impl::<Silu>(&layout).expect("silu");
    gate.binary_impl::<Mul>(up, &layout, &layout).expect("mul")
}

fn check_gated<T: RocmDType>(
    device: &RocmDevice,
    dtype: G,
    rows: usize,
    per_row: usize,
    special: Option<f64>,
) {
    let columns = per_row * dtype.block_size();
    let mut x: Vec<T> =
        activations(columns + 3, 26).into_iter().map(|x| T::from_f64(f64::from(x) / 8.)).collect();
    if let Some(special) = special {
        x[columns / 2] = T::from_f64(special);
    }
    let x = upload(device, &x);
    let layout = Layout::contiguous_with_offset((1, 1, columns), 3);
    let shape = (rows, columns);
    let [gate, up] = [24, 25].map(|seed| weights(device, dtype, shape, seed));
    let got = QStorage::streamed_silu_mul(&gate, &up, shape, &x, &layout);
    let got = got.expect("streamed_silu_mul").expect("declined");
    let [gate, up] = [&gate, &up]
        .map(|weights| weights.forward_with(Algorithm::Streamed, shape, &x, &layout).expect("forward_with"));
    let want = gate_by_gate(&gate, &up);
    let what = format!("{dtype:?} {:?}: {rows} x {columns}, {special:?}", T::DTYPE);
    // On AMD, clang rounds some products to f16 by an instruction that also adds +0.
    let signless = |bits: Vec<u64>| bits.into_iter().map(|x| if x == (-0f64).to_bits() { 0 } else { x });
    assert!(signless(bits::<T>(&got)).eq(signless(bits::<T>(&want))), "{what}");
}

#[test]
fn gated_as_one_by_one() {
    for device in common::devices() {
        for dtype in MULTIPLIED {
            // A team; teams that have no row; several chunks; several rounds.
            let many = if common::checked() { 100 } else { 700 };
            for (rows, per_row) in [(1, 2), (9, 4), (40, 18), (many, 2), (0, 2)] {
                check_gated::<f32>(&device, dtype, rows, per_row, None);
            }
            check_gated::<f16>(&device, dtype, 17, 2, None);
            check_gated::<bf16>(&device, dtype, 17, 2, None);
            check_gated::<f32>(&device, dtype, 5, 4, Some(f64::NAN));
            check_gated::<f32>(&device, dtype, 5, 4, Some(f64::INFINITY));
        }
    }
}

#[test]
fn as_one_by_one() {
    for device in common::devices() {
        for dtype in MULTIPLIED {
            // Queries, keys and values; teams that have rows of two matrices; matrices without rows; several rounds.
            for (rows, per_row) in [
                (&[40, 8, 8][..], 18),
                (&[3, 5], 2),
                (&[1, 0, 7, 2], 4),
                (&[9], 2),
                (&[650, 37], 2),
                (&[0, 0], 2),
            ] {
                check::<f32>(&device, dtype, rows, per_row, None);
            }
            check::<f16>(&device, dtype, &[17, 4], 2, None);
            check::<bf16>(&device, dtype, &[17, 4], 2, None);
            check::<f32>(&device, dtype, &[5, 6], 4, Some(f64::NAN));
            check::<f32>(&device, dtype, &[5, 6], 4, Some(f64::INFINITY));
        }
    }
}

#[test]
fn what_has_no_kernel_is_declined() {
    for device in common::devices() {
        let (one, row) = (upload(&device, &[1f32; 512]), Layout::contiguous((1, 256)));
        let (a, b) = (weights(&device, G::Q4K, (2, 256), 1), weights(&device, G::Q6K, (2, 256), 2));
        let floats = weights(&device, G::F16, (2, 256), 3);
        let shape = (2, 256);
        let call = |weights: &[(&QStorage, (usize, usize))], layout: &Layout| {
            QStorage::streamed_several(weights, &one, layout).expect("streamed_several").is_some()
        };
        assert!(!call(&[], &row) && !call(&[(&a, shape), (&b, shape)], &row));
        assert!(!call(&[(&a, shape); 5], &row) && !call(&[(&floats, shape)], &row));
        assert!(!call(&[(&a, shape); 2], &Layout::contiguous((2, 256))));
        let narrow = weights(&device, G::Q8_0, (2, 32), 4);
        assert!(!call(&[(&narrow, (2, 32))], &Layout::contiguous((1, 32))));
        let gated = |gate: &QStorage, up: &QStorage, x: &RocmStorage, layout: &Layout| {
            let product = QStorage::streamed_silu_mul(gate, up, shape, x, layout);
            product.expect("streamed_silu_mul").is_some()
        };
        assert!(
            gated(&a, &a, &one, &row) && !gated(&a, &b, &one, &row) && !gated(&floats, &floats, &one, &row)
        );
        assert!(!gated(&a, &a, &one, &Layout::contiguous((2, 256))));
        // Where another algorithm is faster.
        let several = QStorage::forward_several(&[(&a, shape); 2], &one, &row).expect("forward_several");
        assert_eq!(several.is_some(), a.algorithm(shape, 1) == Algorithm::Streamed);
    }
}

#[test]
fn wrong_operands_are_named() {
    for device in common::devices_without_kernels() {
        let (x, row) = (upload(&device, &[1f32; 256]), Layout::contiguous((1, 256)));
        let a = weights(&device, G::Q4K, (2, 256), 1);
        let call = |shape, x: &RocmStorage, layout: &Layout| {
            QStorage::streamed_several(&[(&a, shape)], x, layout).map(drop).unwrap_err()
        };
        let error = call((2, 256), &x, &Layout::contiguous((1, 128)));
        assert!(matches!(error, RocmError::ShapeMismatch { op: "quantized matmul", .. }), "{error}");
        let error = call((3, 256), &x, &row);
        assert!(matches!(error, RocmError::InvalidArgument { op: "quantized matmul", .. }), "{error}");
        let error = call((2, 256), &upload(&device, &[1u32; 256]), &row);
        assert!(matches!(error, RocmError::UnsupportedDType { op: "quantized matmul", .. }), "{error}");
        let elsewhere = RocmDevice::on(device.platform(), 0).unwrap();
        let error = call((2, 256), &upload(&elsewhere, &[1f32; 256]), &row);
        assert!(matches!(error, RocmError::WrongDevice { op: "quantized matmul", .. }), "{error}");
    }
}
