//! Products of the same vectors with several matrices, of a gate and what it gates, and of a norm, bit by bit what they are one by one.

use candle_core::Layout;
use candle_core::backend::BackendStorage;
use candle_core::op::{Add, Gelu};
use candle_core::quantized::GgmlDType as G;
use candle_rocm::products::{Activation, Epilogue, Linear, ProductLaunch, Products, Rows};
use candle_rocm::quantized::BlockType::{self, Candle};
use candle_rocm::quantized::{Algorithm, QStorage};
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage, nn};
use half::{bf16, f16};

use crate::common;
use crate::weights::{self, activations, blocks, download, gate_by_gate, multiplied, tiles_of, upload};

type Shaped<'a> = (&'a QStorage, (usize, usize));

fn several<'a>(rows: impl Into<Rows<'a>>, layers: &'a [Linear<'a>]) -> Result<Option<Products>, RocmError> {
    ProductLaunch::new(rows, layers).run()
}

fn silu_mul<'a>(
    rows: impl Into<Rows<'a>>,
    gate: Shaped<'a>,
    up: Shaped<'a>,
) -> Result<Option<Products>, RocmError> {
    ProductLaunch::new(rows.into(), &[gate.into(), up.into()]).with(Epilogue::Gated).run()
}

fn matrix(
    device: &RocmDevice,
    dtype: impl Into<BlockType>,
    (rows, columns): (usize, usize),
    seed: u64,
) -> QStorage {
    let dtype = dtype.into();
    let data = blocks(dtype, rows * columns / dtype.block_size(), seed);
    QStorage::from_data(device, &data, dtype).expect("from_data")
}

fn bits<T: RocmDType>(storage: &RocmStorage) -> Vec<u64> {
    weights::bits(&download::<T>(storage))
}

fn check<T: RocmDType>(
    device: &RocmDevice,
    dtype: BlockType,
    rows: &[usize],
    per_row: usize,
    special: Option<f64>,
) {
    let columns = per_row * dtype.block_size();
    let mut x: Vec<T> = activations(columns + 3, 16).into_iter().map(|x| T::from_f64(f64::from(x))).collect();
    if let Some(special) = special {
        x[columns / 2] = T::from_f64(special);
    }
    let x = upload(device, &x);
    let layout = Layout::contiguous_with_offset((1, 1, columns), 3);
    let all: Vec<QStorage> =
        rows.iter().zip(14..).map(|(&rows, seed)| matrix(device, dtype, (rows, columns), seed)).collect();
    let all: Vec<_> = all.iter().zip(rows).map(|(weights, &rows)| (weights, (rows, columns))).collect();
    // Every other one has a bias.
    let bias = |(i, &rows): (usize, &usize)| {
        let elements = activations(rows + 3, 24 + i as u64).into_iter();
        let elements: Vec<T> = elements.map(|x| T::from_f64(f64::from(x))).collect();
        i.is_multiple_of(2).then(|| (upload(device, &elements), Layout::contiguous_with_offset(rows, 3)))
    };
    let biases: Vec<_> = rows.iter().enumerate().map(bias).collect();
    let layers: Vec<Linear<'_>> = all
        .iter()
        .zip(&biases)
        .map(|(&weights, bias)| Linear { addend: bias.as_ref().map(|(bias, l)| (bias, l)), ..weights.into() })
        .collect();
    let got = several((&x, &layout), &layers).expect("several").expect("declined");
    assert_eq!((got.products.len(), got.sum.is_some()), (rows.len(), false));
    for (i, (got, layer)) in got.products.iter().zip(&layers).enumerate() {
        let (weights, shape) = all[i];
        let mut want = weights.forward_with(Algorithm::Streamed, shape, &x, &layout).expect("forward_with");
        if let Some((bias, l)) = layer.addend {
            want = want.binary_impl::<Add>(bias, &Layout::contiguous(shape.0), l).expect("bias");
        }
        let what = format!("{dtype:?} {:?}: {rows:?} x {columns}, {special:?}", T::DTYPE);
        assert_eq!(bits::<T>(got), bits::<T>(&want), "product {i} of {what}");
    }
}

fn check_gated<T: RocmDType>(
    device: &RocmDevice,
    dtype: BlockType,
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
    let [gate, up] = [24, 25].map(|seed| matrix(device, dtype, shape, seed));
    let got = silu_mul((&x, &layout), (&gate, shape), (&up, shape)).expect("silu_mul").expect("declined");
    assert_eq!(got.products.len(), 1);
    let [gate, up] = [&gate, &up]
        .map(|weights| weights.forward_with(Algorithm::Streamed, shape, &x, &layout).expect("forward_with"));
    let want = gate_by_gate(&gate, &up);
    let what = format!("{dtype:?} {:?}: {rows} x {columns}, {special:?}", T::DTYPE);
    // On AMD, clang rounds some products to f16 by an instruction that also adds +0.
    let signless = |bits: Vec<u64>| bits.into_iter().map(|x| if x == (-0f64).to_bits() { 0 } else { x });
    assert!(signless(bits::<T>(&got.products[0])).eq(signless(bits::<T>(&want))), "{what}");
}

/// Of small integers, whose squares add up to the same in any order.
fn check_of_norm<T: RocmDType>(
    device: &RocmDevice,
    dtype: BlockType,
    rows: &[usize],
    per_row: usize,
    special: Option<f64>,
) {
    let columns = per_row * dtype.block_size();
    // Aligned, but not the start of the memory.
    let first = 8;
    let integers = |seed, special: Option<f64>| {
        let mut random = common::Random(seed);
        let mut x: Vec<T> = (0..first + columns).map(|_| T::from_f64(random.below(3) as f64 - 1.)).collect();
        if let Some(special) = special {
            x[first + columns / 2] = T::from_f64(special);
        }
        upload(device, &x)
    };
    let (a, b, alpha) = (integers(31, special), integers(32, None), integers(33, None));
    let layout = Layout::contiguous_with_offset((1, 1, columns), first);
    let factors = Layout::contiguous_with_offset(columns, first);
    let (a, b, alpha) = ((&a, &layout), (&b, &layout), Some((&alpha, &factors)));
    let norm = nn::AddNorm { a, b, alpha, beta: None, eps: 1e-5, centred: false };
    let [sum, row] = norm.run().expect("add_norm").expect("declined");
    let x_l = Layout::contiguous((1, columns));
    let what = format!("{dtype:?} {:?}: {rows:?} x {columns}, {special:?}", T::DTYPE);

    let all: Vec<QStorage> =
        rows.iter().zip(34..).map(|(&rows, seed)| matrix(device, dtype, (rows, columns), seed)).collect();
    let all: Vec<_> = all.iter().zip(rows).map(|(weights, &rows)| (weights, (rows, columns))).collect();
    let layers: Vec<Linear<'_>> = all.iter().copied().map(Linear::from).collect();
    let got = several(norm, &layers).expect("several").expect("declined");
    let want = several((&row, &x_l), &layers).expect("several").expect("declined");
    assert_eq!(bits::<T>(&got.sum.expect("sum")), bits::<T>(&sum), "sum of {what}");
    assert_eq!(got.products.len(), want.products.len());
    for (got, want) in got.products.iter().zip(&want.products) {
        assert_eq!(bits::<T>(got), bits::<T>(want), "{what}");
    }
    let (gate, shape) = all[0];
    let up = matrix(device, dtype, shape, 39);
    let (gate, up) = ((gate, shape), (&up, shape));
    let got = silu_mul(norm, gate, up).expect("silu_mul").expect("declined");
    let want = silu_mul((&row, &x_l), gate, up).expect("silu_mul").expect("declined");
    assert_eq!(bits::<T>(&got.sum.expect("sum")), bits::<T>(&sum), "sum of {what}");
    assert_eq!(bits::<T>(&got.products[0]), bits::<T>(&want.products[0]), "{what}");
}

#[test]
fn of_norms() {
    for device in common::devices() {
        for dtype in multiplied() {
            let block = dtype.block_size();
            check_of_norm::<f32>(&device, dtype, &[33, 0, 5], 256 / block * 2, None);
            // Rows longer than what the threads of a block hold at once.
            if dtype == Candle(G::Q4K) || (!common::checked() && matches!(dtype, Candle(G::Q8_0 | G::Q6K))) {
                check_of_norm::<f32>(&device, dtype, &[2, 3], 4608 / block, None);
            }
            check_of_norm::<f16>(&device, dtype, &[7, 4], 256 / block, None);
            check_of_norm::<bf16>(&device, dtype, &[7, 4], 256 / block, None);
            check_of_norm::<f32>(&device, dtype, &[5, 6], 256 / block, Some(f64::NAN));
            check_of_norm::<f32>(&device, dtype, &[5, 6], 256 / block, Some(f64::INFINITY));
        }
    }
}

#[test]
fn norms_that_have_no_kernel_are_declined() {
    for device in common::devices() {
        let (memory, row) = (upload(&device, &[1f32; 512]), Layout::contiguous((1, 256)));
        let (a, shape, columns) = (matrix(&device, G::Q4K, (2, 256), 1), (2, 256), Layout::contiguous(256));
        let two = Layout::contiguous((2, 256));
        let factors = Some((&memory, &columns));
        let call = |layout: &Layout, alpha, beta, centred| {
            let x = (&memory, layout);
            let norm = nn::AddNorm { a: x, b: x, alpha, beta, eps: 1e-5, centred };
            let one = several(norm, &[(&a, shape).into()]).expect("several").is_some();
            let gated = silu_mul(norm, (&a, shape), (&a, shape)).expect("silu_mul").is_some();
            assert_eq!(one, gated);
            one
        };
        assert!(call(&row, factors, None, false));
        assert!(!call(&two, factors, None, false) && !call(&row, None, None, false));
        assert!(!call(&row, factors, factors, true) && !call(&row, factors, None, true));
        // Nobody would compute the sum.
        let empty = matrix(&device, G::Q4K, (0, 256), 1);
        let x = (&memory, &row);
        let norm = nn::AddNorm { a: x, b: x, alpha: factors, beta: None, eps: 1e-5, centred: false };
        assert!(several(norm, &[(&empty, (0, 256)).into()]).expect("several").is_none());
    }
}

#[test]
fn gated_as_one_by_one() {
    for device in common::devices() {
        for dtype in multiplied() {
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
        for dtype in multiplied() {
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

/// Vectors that are multiplied in tiles, by matrices of different types; every third product is as it is, one has a bias, and one a
/// residual.
fn check_many(
    device: &RocmDevice,
    kinds: &[G],
    (vectors, rows, columns): (usize, &[usize], usize),
    activation: Option<Activation>,
) {
    let x = upload(device, &activations(vectors * columns + 3, 16));
    let layout = Layout::contiguous_with_offset((1, vectors, columns), 3);
    let given = kinds.iter().zip(rows).zip(14..);
    let all: Vec<QStorage> =
        given.map(|((&kind, &rows), seed)| matrix(device, kind, (rows, columns), seed)).collect();
    let addend = |(i, &rows): (usize, &usize)| {
        let l = match i % 3 {
            0 => return None,
            1 => Layout::contiguous_with_offset(rows, 3),
            _ => Layout::contiguous_with_offset((1, vectors, rows), 3),
        };
        Some((upload(device, &activations(l.shape().elem_count() + 3, 24 + i as u64)), l))
    };
    let addends: Vec<_> = rows.iter().enumerate().map(addend).collect();
    let layers: Vec<Linear<'_>> = all
        .iter()
        .zip(rows)
        .zip(&addends)
        .map(|((weights, &rows), addend)| Linear {
            addend: addend.as_ref().map(|(addend, l)| (addend, l)),
            ..(weights, (rows, columns)).into()
        })
        .collect();
    let epilogue = activation.map_or(Epilogue::None, Epilogue::Activation);
    let got =
        ProductLaunch::new((&x, &layout), &layers).with(epilogue).run().expect("run").expect("declined");
    assert_eq!((got.products.len(), got.sum.is_some()), (rows.len(), false));
    for (i, ((got, layer), &rows)) in got.products.iter().zip(&layers).zip(rows).enumerate() {
        let tiles = all[i].forward_with(Algorithm::Tiles, (rows, columns), &x, &layout);
        let (mut want, l) = (tiles.expect("forward_with"), Layout::contiguous((1, vectors, rows)));
        if let Some((addend, of)) = layer.addend {
            let of =
                if of.dims().len() == 1 { of.broadcast_as(l.shape()).expect("bias") } else { of.clone() };
            want = want.binary_impl::<Add>(addend, &l, &of).expect("add");
        }
        if activation.is_some() {
            want = want.unary_impl::<Gelu>(&l).expect("gelu");
        }
        assert_eq!(
            bits::<f32>(got),
            bits::<f32>(&want),
            "product {i} of {kinds:?} {vectors} x {rows} x {columns}"
        );
    }
}

#[test]
fn many_vectors_as_one_by_one() {
    for device in common::devices() {
        let kinds = [G::Q4K, G::Q6K, G::Q8_0, G::Q4_0];
        check_many(&device, &kinds, (9, &[40, 8, 9, 3], 256), None);
        check_many(&device, &kinds[..3], (33, &[70, 0, 5], 512), Some(Activation::Gelu));
        check_many(&device, &kinds[..2], (9, &[0, 0], 256), None);
        check_many(&device, &kinds[2..3], (97, &[65], 96), Some(Activation::Gelu));
        // A gate.
        let (vectors, shape) = (130, (67, 256));
        let x = upload(&device, &activations(vectors * shape.1, 26));
        let layout = Layout::contiguous((vectors, shape.1));
        for kind in [G::Q4K, G::Q5_0] {
            let [gate, up] = [24, 25].map(|seed| matrix(&device, kind, shape, seed));
            let got = silu_mul((&x, &layout), (&gate, shape), (&up, shape)).expect("silu_mul");
            let [gate, up] = [&gate, &up].map(|weights| {
                weights.forward_with(Algorithm::Tiles, shape, &x, &layout).expect("forward_with")
            });
            if let Some(got) = got {
                assert_eq!(bits::<f32>(&got.products[0]), bits::<f32>(&gate_by_gate(&gate, &up)), "{kind:?}");
            } else {
                // Cards without matrix cores have no such kernels.
                assert!(tiles_of(&device).iter().all(|&(_, wide)| wide < 128));
            }
        }
    }
}

#[test]
fn what_has_no_kernel_is_declined() {
    for device in common::devices() {
        let (one, row) = (upload(&device, &[1f32; 512]), Layout::contiguous((1, 256)));
        let (a, b) = (matrix(&device, G::Q4K, (2, 256), 1), matrix(&device, G::Q6K, (2, 256), 2));
        let floats = matrix(&device, G::F16, (2, 256), 3);
        let shape = (2, 256);
        let call = |weights: &[(&QStorage, (usize, usize))], layout: &Layout| {
            let layers: Vec<Linear<'_>> = weights.iter().copied().map(Linear::from).collect();
            several((&one, layout), &layers).expect("several").is_some()
        };
        assert!(!call(&[], &row) && !call(&[(&a, shape), (&b, shape)], &row));
        assert!(!call(&[(&a, shape); 5], &row) && !call(&[(&floats, shape)], &row));
        assert!(!call(&[(&a, shape); 2], &Layout::contiguous((2, 256))));
        let narrow = matrix(&device, G::Q8_0, (2, 32), 4);
        assert!(!call(&[(&narrow, (2, 32))], &Layout::contiguous((1, 32))));
        let gated = |gate: &QStorage, up: &QStorage, x: &RocmStorage, layout: &Layout| {
            silu_mul((x, layout), (gate, shape), (up, shape)).expect("silu_mul").is_some()
        };
        assert!(
            gated(&a, &a, &one, &row) && !gated(&a, &b, &one, &row) && !gated(&floats, &floats, &one, &row)
        );
        assert!(!gated(&a, &a, &one, &Layout::contiguous((2, 256))));
        // Kernels know no activations.
        let (layers, relu) = ([(&a, shape).into()], Epilogue::Activation(Activation::Relu));
        let activated = ProductLaunch::new((&one, &row), &layers).with(relu).run();
        assert!(activated.expect("relu").is_none());
        // Tiles are of f32, and gates of one type.
        let (many, halves) = (Layout::contiguous((9, 256)), upload(&device, &[f16::ONE; 9 * 256]));
        let ones = upload(&device, &[1f32; 9 * 256]);
        assert!(several((&halves, &many), &[(&a, shape).into()]).expect("several").is_none());
        assert!(several((&ones, &many), &[(&a, shape).into(); 5]).expect("several").is_none());
        assert!(several((&ones, &many), &[(&floats, shape).into()]).expect("several").is_none());
        assert!(!gated(&a, &b, &ones, &many) && !gated(&a, &a, &halves, &many));
    }
}

#[test]
fn wrong_operands_are_named() {
    for device in common::devices_without_kernels() {
        let (x, row) = (upload(&device, &[1f32; 256]), Layout::contiguous((1, 256)));
        let a = matrix(&device, G::Q4K, (2, 256), 1);
        let call = |shape, x: &RocmStorage, layout: &Layout| {
            several((x, layout), &[(&a, shape).into()]).map(drop).unwrap_err()
        };
        let error = call((2, 256), &x, &Layout::contiguous((1, 128)));
        assert!(matches!(error, RocmError::ShapeMismatch { op: "quantized-matmul-several", .. }), "{error}");
        let b = matrix(&device, G::Q4K, (3, 256), 2);
        let error = silu_mul((&x, &row), (&a, (2, 256)), (&b, (3, 256))).map(drop).unwrap_err();
        assert!(matches!(error, RocmError::ShapeMismatch { op: "quantized-matmul-silu-mul", .. }), "{error}");
        let error = call((3, 256), &x, &row);
        assert!(
            matches!(error, RocmError::InvalidArgument { op: "quantized-matmul-several", .. }),
            "{error}"
        );
        let error = call((2, 256), &upload(&device, &[1u32; 256]), &row);
        assert!(
            matches!(error, RocmError::UnsupportedDType { op: "quantized-matmul-several", .. }),
            "{error}"
        );
        // What is added is a bias, or has the products' shape.
        let many = upload(&device, &[1f32; 9 * 256]);
        for (dims, offset) in [(vec![3], 0), (vec![9, 3], 0), (vec![8, 2], 0), (vec![2], 9 * 256 - 1)] {
            let l = Layout::contiguous_with_offset(dims, offset);
            let layers = [Linear { addend: Some((&many, &l)), ..(&a, (2, 256)).into() }];
            let error = several((&many, &Layout::contiguous((9, 256))), &layers).map(drop).unwrap_err();
            assert!(error.to_string().contains("quantized-matmul-several"), "{error}");
        }
        let elsewhere = RocmDevice::on(device.platform(), 0).unwrap();
        let error = call((2, 256), &upload(&elsewhere, &[1f32; 256]), &row);
        assert!(matches!(error, RocmError::WrongDevice { op: "quantized-matmul-several", .. }), "{error}");
    }
}
