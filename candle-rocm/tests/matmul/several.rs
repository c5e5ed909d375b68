//! Products that share their vectors in one launch, and those of a norm, bit by bit what they are one by one.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::op::{Add, Gelu, GeluErf, Mul, Relu, Silu};
use candle_core::quantized::GgmlDType;
use candle_core::{DType, Layout};
use candle_rocm::products::{Activation, Epilogue, Linear, ProductLaunch, Products, Rows, Weights};
use candle_rocm::quantized::QStorage;
use candle_rocm::{GemmEngine, RocmDType, RocmDevice, RocmError, RocmStorage, nn};
use half::{bf16, f16};

use crate::common;
use crate::common::Random;
use crate::harness::bits::{Number, bits_of};

fn several<'a>(
    rows: impl Into<Rows<'a>>,
    layers: &'a [Linear<'a>],
    activation: Option<Activation>,
) -> Result<Option<Products>, RocmError> {
    ProductLaunch::new(rows, layers).with(activation.map_or(Epilogue::None, Epilogue::Activation)).run()
}

fn silu_mul<'a>(
    rows: impl Into<Rows<'a>>,
    gate: impl Into<Linear<'a>>,
    up: impl Into<Linear<'a>>,
) -> Result<Option<Products>, RocmError> {
    ProductLaunch::new(rows.into(), &[gate.into(), up.into()]).with(Epilogue::Gated).run()
}

/// Numbers around 0, some of them special.
fn numbers<T: RocmDType>(len: usize, seed: u64, special: &[f64]) -> Vec<T> {
    let mut random = Random(seed);
    let mut data: Vec<f64> = (0..len).map(|_| random.below(20_001) as f64 / 10_000.0 - 1.0).collect();
    for &value in special {
        if len > 0 {
            data[random.below(len)] = value;
        }
    }
    data.into_iter().map(T::from_f64).collect()
}

/// Rows in memory that begins before them, with something between them.
fn rows(n: usize, k: usize, (first, between): (usize, usize)) -> Layout {
    Layout::new((n, k).into(), vec![k + between, 1], first)
}

fn storage<T: RocmDType>(device: &RocmDevice, layout: &Layout, seed: u64, special: &[f64]) -> RocmStorage {
    let (n, row) = (layout.dims()[0], layout.stride()[0]);
    let data = numbers::<T>(layout.start_offset() + n * row, seed, special);
    device.storage_from_slice(&data).expect("upload")
}

/// x times the transpose of a weight, by this crate's kernels.
fn product(x: (&RocmStorage, &Layout), weight: (&RocmStorage, &Layout)) -> RocmStorage {
    let ([m, k], [n, _]) = (x.1.dims(), weight.1.dims()) else { panic!("matrices") };
    let transposed = weight.1.transpose(0, 1).expect("two dimensions");
    x.0.matmul(weight.0, (1, *m, *n, *k), x.1, &transposed).expect("matmul")
}

/// (m, the weights' n, k, offsets of weights and gaps between their rows)
type Case<'a> = (usize, &'a [usize], usize, (usize, usize));

const CASES: [Case<'_>; 14] = [
    (1, &[64, 16, 16], 2100, (0, 0)),
    (1, &[33, 33], 512, (0, 0)),
    (1, &[9, 1, 70, 8], 1030, (0, 0)),
    (1, &[5, 0, 7], 264, (8, 8)),
    (1, &[0, 3], 77, (3, 1)),
    (1, &[17], 40, (1, 0)),
    (1, &[12, 13, 14, 15], 1, (0, 2)),
    (2, &[40, 9, 9], 1200, (0, 0)),
    (8, &[33, 17], 300, (0, 0)),
    (7, &[130, 20, 10, 9], 3, (5, 0)),
    (5, &[0, 0], 16, (0, 0)),
    (3, &[10, 12], 2053, (3, 5)),
    (8, &[33, 33], 520, (0, 8)),
    (6, &[16, 48, 7], 2056, (0, 0)),
];

macro_rules! each_dtype {
    ($check:ident($($args:expr),*)) => {{
        $check::<f16>($($args),*);
        $check::<bf16>($($args),*);
        $check::<f32>($($args),*);
    }};
}

fn devices() -> Vec<RocmDevice> {
    let devices = common::devices();
    for device in &devices {
        device.set_gemm_engine(GemmEngine::Kernels);
        device.set_matrix_cores(false);
    }
    devices
}

/// Values among the numbers. They do not change which way a kernel goes.
fn special() -> &'static [&'static [f64]] {
    const ALL: [&[f64]; 4] = [&[], &[f64::NAN], &[f64::INFINITY, f64::NEG_INFINITY], &[1e30, -0.0]];
    if common::checked() { &ALL[..1] } else { &ALL }
}

#[test]
fn as_one_by_one() {
    fn check<T: Number + RocmDType>(device: &RocmDevice, (m, ns, k, place): Case<'_>) {
        for &special in special() {
            let x_l = rows(m, k, place);
            let x = storage::<T>(device, &x_l, 1, special);
            let layouts: Vec<Layout> = ns.iter().map(|&n| rows(n, k, place)).collect();
            let weights: Vec<RocmStorage> =
                layouts.iter().zip(2..).map(|(l, seed)| storage::<T>(device, l, seed, special)).collect();
            let weights: Vec<_> = weights.iter().zip(&layouts).collect();
            let layers: Vec<Linear<'_>> = weights.iter().copied().map(Linear::from).collect();
            let got = several((&x, &x_l), &layers, None).expect("several").expect("declined");
            assert!(got.sum.is_none());
            let got = got.products;
            assert_eq!(got.len(), ns.len());
            for (i, (got, &weight)) in got.iter().zip(&weights).enumerate() {
                let want = product((&x, &x_l), weight);
                let what = format!("{:?}: {m} rows of {k}, {ns:?}, at {place:?}, {special:?}", T::DTYPE);
                assert_eq!(bits_of::<T>(got), bits_of::<T>(&want), "product {i} of {what}");
            }
        }
    }
    for device in devices() {
        for case in CASES {
            each_dtype!(check(&device, case));
        }
    }
}

/// The activation, by this crate's kernel.
fn activated(x: RocmStorage, activation: Option<Activation>) -> RocmStorage {
    let whole = Layout::contiguous(x.len());
    let result = match activation {
        None => return x,
        Some(Activation::Relu) => x.unary_impl::<Relu>(&whole),
        Some(Activation::Gelu) => x.unary_impl::<Gelu>(&whole),
        Some(Activation::GeluErf) => x.unary_impl::<GeluErf>(&whole),
        Some(Activation::Silu) => x.unary_impl::<Silu>(&whole),
    };
    result.expect("activation")
}

#[test]
fn biases_and_activations() {
    use Activation as Is;
    fn check<T: Number + RocmDType>(device: &RocmDevice, (m, ns, k, place): Case<'_>) {
        let activations = [None, Some(Is::Relu), Some(Is::Gelu), Some(Is::GeluErf), Some(Is::Silu)];
        for (&special, activation) in special().iter().cycle().zip(activations) {
            let x_l = rows(m, k, place);
            let x = storage::<T>(device, &x_l, 1, special);
            let layouts: Vec<Layout> = ns.iter().map(|&n| rows(n, k, place)).collect();
            let weights: Vec<RocmStorage> =
                layouts.iter().zip(2..).map(|(l, seed)| storage::<T>(device, l, seed, &[])).collect();
            let biases: Vec<_> = ns
                .iter()
                .zip(12..)
                .map(|(&n, seed)| {
                    let bias =
                        device.storage_from_slice(&numbers::<T>(n + 3, seed, special)).expect("upload");
                    (bias, Layout::contiguous_with_offset(n, 3))
                })
                .collect();
            // Every other one.
            let bias_of = |i: usize| i.is_multiple_of(2).then(|| (&biases[i].0, &biases[i].1));
            let layers: Vec<Linear<'_>> = weights
                .iter()
                .zip(&layouts)
                .enumerate()
                .map(|(i, weights)| Linear { addend: bias_of(i), ..weights.into() })
                .collect();
            let got = several((&x, &x_l), &layers, activation).expect("several").expect("declined");
            for (i, (got, layer)) in got.products.iter().zip(&layers).enumerate() {
                let mut want = product((&x, &x_l), (&weights[i], &layouts[i]));
                if let Some((bias, l)) = layer.addend {
                    let repeated = l.broadcast_as((m, ns[i])).expect("a row");
                    want = want
                        .binary_impl::<Add>(bias, &Layout::contiguous((m, ns[i])), &repeated)
                        .expect("bias");
                    // On its own: it would stay in f32 on its way to the activation.
                    want.slice().expect("bias");
                }
                let want = activated(want, activation);
                let what = format!("{:?}: {m} rows of {k}, {ns:?}, {special:?}, {activation:?}", T::DTYPE);
                // Clang may round to f16 by the instruction that multiplies, which also adds +0.
                let any_zero = T::DTYPE == DType::F16 && activation.is_some();
                let bits = |of: &RocmStorage| {
                    let mut bits = bits_of::<T>(of);
                    bits.iter_mut().filter(|bits| any_zero && **bits == 0x8000).for_each(|bits| *bits = 0);
                    bits
                };
                assert_eq!(bits(got), bits(&want), "product {i} of {what}");
            }
        }
    }
    for device in devices() {
        for case in CASES {
            each_dtype!(check(&device, case));
        }
    }
}

#[test]
fn gated() {
    fn check<T: Number + RocmDType>(
        device: &RocmDevice,
        (m, n, k): (usize, usize, usize),
        place: (usize, usize),
    ) {
        for &special in special() {
            let (x_l, l) = (rows(m, k, place), rows(n, k, place));
            let x = storage::<T>(device, &x_l, 1, special);
            let (gate, up) = (storage::<T>(device, &l, 2, special), storage::<T>(device, &l, 3, &[]));
            let x = (&x, &x_l);
            let got = silu_mul(x, (&gate, &l), (&up, &l)).expect("silu_mul").expect("declined");
            assert_eq!(got.products.len(), 1);
            let whole = Layout::contiguous((m, n));
            let gated = product(x, (&gate, &l)).unary_impl::<Silu>(&whole).expect("silu");
            // On its own: it would stay in f32 on its way to the product.
            gated.slice().expect("silu");
            let want = gated.binary_impl::<Mul>(&product(x, (&up, &l)), &whole, &whole).expect("product");
            let what = format!("{:?}: {m} rows of {k}, {n}, at {place:?}, {special:?}", T::DTYPE);
            assert_eq!(bits_of::<T>(&got.products[0]), bits_of::<T>(&want), "{what}");
        }
    }
    for device in devices() {
        for sizes in [
            (1, 70, 2100),
            (1, 33, 1030),
            (1, 9, 7),
            (1, 0, 8),
            (2, 33, 1200),
            (8, 40, 301),
            (5, 9, 1),
            (8, 37, 520),
        ] {
            each_dtype!(check(&device, sizes, (0, 0)));
        }
        each_dtype!(check(&device, (1, 12, 264), (8, 8)));
        each_dtype!(check(&device, (3, 12, 264), (3, 1)));
    }
}

/// The row a + b and its norm, from kernels of their own, of small integers: a sum of their squares is the same in any order.
struct Residual {
    a: RocmStorage,
    b: RocmStorage,
    alpha: RocmStorage,
    beta: RocmStorage,
    layout: Layout,
    columns: Layout,
}

impl Residual {
    fn new<T: RocmDType>(device: &RocmDevice, k: usize, special: Option<f64>) -> Self {
        // Aligned, but not the start of the memory.
        let first = 16;
        let integers = |seed, most: usize| {
            let mut random = Random(seed);
            let mut data: Vec<f64> =
                (0..first + k).map(|_| random.below(2 * most + 1) as f64 - most as f64).collect();
            if let Some(special) = special.filter(|_| seed == 1) {
                data[first + k / 2] = special;
            }
            let data: Vec<T> = data.into_iter().map(T::from_f64).collect();
            device.storage_from_slice(&data).expect("upload")
        };
        Self {
            a: integers(1, 1),
            b: integers(2, 1),
            alpha: storage::<T>(device, &rows(1, k, (first, 0)), 3, &[]),
            beta: storage::<T>(device, &rows(1, k, (first, 0)), 4, &[]),
            layout: Layout::contiguous_with_offset((1, 1, k), first),
            columns: Layout::contiguous_with_offset(k, first),
        }
    }

    fn norm(&self, centred: bool) -> nn::AddNorm<'_> {
        let (l, columns) = (&self.layout, &self.columns);
        nn::AddNorm {
            a: (&self.a, l),
            b: (&self.b, l),
            alpha: Some((&self.alpha, columns)),
            beta: centred.then_some((&self.beta, columns)),
            eps: 1e-5,
            centred,
        }
    }

    fn one_by_one(&self, centred: bool) -> [RocmStorage; 2] {
        self.norm(centred).run().expect("add_norm").expect("declined")
    }
}

#[test]
fn of_norms() {
    fn check<T: Number + RocmDType>(device: &RocmDevice, k: usize, centred: bool, special: Option<f64>) {
        let what = format!("{:?}: {k}, centred {centred}, {special:?}", T::DTYPE);
        let residual = Residual::new::<T>(device, k, special);
        let norm = residual.norm(centred);
        let [sum, row] = residual.one_by_one(centred);
        let x_l = Layout::contiguous((1, k));
        let layouts = [33, 1, 0, 9].map(|n| rows(n, k, (8, 8)));
        let weights = [5, 6, 7, 8].map(|seed| storage::<T>(device, &layouts[seed as usize - 5], seed, &[]));
        let weights: Vec<_> = weights.iter().zip(&layouts).collect();
        let layers: Vec<Linear<'_>> = weights.iter().copied().map(Linear::from).collect();
        for few in [4, 1] {
            let got = several(norm, &layers[..few], None).expect("several").expect("declined");
            assert_eq!(bits_of::<T>(&got.sum.expect("sum")), bits_of::<T>(&sum), "sum of {what}");
            assert_eq!(got.products.len(), few);
            for (got, &weight) in got.products.iter().zip(&weights) {
                assert_eq!(bits_of::<T>(got), bits_of::<T>(&product((&row, &x_l), weight)), "{what}");
            }
        }
        let bias = storage::<T>(device, &rows(1, 33, (8, 0)), 10, &[]);
        let l = Layout::contiguous_with_offset(33, 8);
        let biased = [Linear { addend: Some((&bias, &l)), ..layers[0] }];
        let activation = Some(Activation::GeluErf);
        let got = several(norm, &biased, activation).expect("several").expect("declined").products;
        let want = several((&row, &x_l), &biased, activation).expect("several").expect("declined").products;
        assert_eq!(bits_of::<T>(&got[0]), bits_of::<T>(&want[0]), "with a bias, {what}");
        let (gate, up) = (weights[0], (&storage::<T>(device, &layouts[0], 9, &[]), &layouts[0]));
        let got = silu_mul(norm, gate, up).expect("silu_mul").expect("declined");
        let want = silu_mul((&row, &x_l), gate, up).expect("silu_mul").expect("declined");
        assert_eq!(bits_of::<T>(&got.sum.expect("sum")), bits_of::<T>(&sum), "sum of {what}");
        assert_eq!(bits_of::<T>(&got.products[0]), bits_of::<T>(&want.products[0]), "{what}");
    }
    for device in devices() {
        for k in if common::checked() { &[8, 264][..] } else { &[8, 64, 264, 2056, 4096] } {
            each_dtype!(check(&device, *k, false, None));
        }
        // Of so many integers, the mean and the deviations are exact.
        each_dtype!(check(&device, 64, true, None));
        if common::checked() {
            continue;
        }
        check::<f16>(&device, 8192, false, None);
        check::<bf16>(&device, 8192, false, None);
        for special in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            each_dtype!(check(&device, 264, false, Some(special)));
            each_dtype!(check(&device, 64, true, Some(special)));
        }
    }
}

#[test]
fn norms_that_have_no_kernel_are_declined() {
    for device in devices() {
        let of = |k: usize, dims: &[usize], first: usize| {
            let elements = dims.iter().product::<usize>() + first;
            let memory = device.storage_from_slice(&vec![1f32; elements]).expect("upload");
            let weights = device.storage_from_slice(&vec![1f32; 4 * k]).expect("upload");
            let (l, columns) = (Layout::contiguous_with_offset(dims, first), Layout::contiguous(k));
            let (x, alpha) = ((&memory, &l), Some((&weights, &columns)));
            let norm = nn::AddNorm { a: x, b: x, alpha, beta: None, eps: 1e-5, centred: false };
            let weight = (&weights, &Layout::contiguous((4, k)));
            let one = several(norm, &[weight.into()], None).expect("several").is_some();
            let gated = silu_mul(norm, weight, weight).expect("silu_mul").is_some();
            assert_eq!(one, gated, "{dims:?}");
            one
        };
        assert!(of(64, &[1, 64], 0) && of(64, &[64], 4));
        // Nobody would compute the sum.
        let (memory, row) = (device.storage_from_slice(&[1f32; 64]).expect("upload"), Layout::contiguous(64));
        let (x, none) = ((&memory, &row), Layout::contiguous((0, 64)));
        let norm = nn::AddNorm { a: x, b: x, alpha: Some(x), beta: None, eps: 1e-5, centred: false };
        let empty = (&memory, &none);
        assert!(several(norm, &[empty.into(); 2], None).expect("several").is_none());
        assert!(silu_mul(norm, empty, empty).expect("silu_mul").is_none());
        assert!(!of(64, &[2, 64], 0) && !of(62, &[62], 0) && !of(64, &[64], 1) && !of(4100, &[4100], 0));
        device.set_gemm_engine(GemmEngine::Rocblas);
        assert!(!of(64, &[64], 0));
    }
}

#[test]
fn wrong_norms_are_named() {
    for device in common::devices_without_kernels() {
        let x = device.storage_from_slice(&[1f32; 64]).expect("upload");
        let (row, short, w) = (Layout::contiguous(16), Layout::contiguous(8), Layout::contiguous((4, 16)));
        let norm = |alpha, columns| nn::AddNorm {
            a: (&x, &row),
            b: (&x, &row),
            alpha: Some((alpha, columns)),
            beta: None,
            eps: 1e-5,
            centred: false,
        };
        let call = |norm: nn::AddNorm<'_>, weight: &RocmStorage, l: &Layout| {
            several(norm, &[(weight, l).into()], None).map(drop).unwrap_err()
        };
        let error = call(norm(&x, &row), &x, &Layout::contiguous((4, 8)));
        assert!(matches!(error, RocmError::ShapeMismatch { op: "add-norm-matmul-several", .. }), "{error}");
        let error = call(norm(&x, &short), &x, &w);
        assert!(matches!(error, RocmError::ShapeMismatch { op: "add-norm-matmul-several", .. }), "{error}");
        let error = call(norm(&x, &row), &x, &Layout::contiguous_with_offset((4, 16), 1));
        assert!(
            matches!(error, RocmError::LayoutOutOfBounds { op: "add-norm-matmul-several", .. }),
            "{error}"
        );
        let other = Layout::contiguous((3, 16));
        let error = silu_mul(norm(&x, &row), (&x, &w), (&x, &other)).map(drop);
        let error = error.unwrap_err();
        assert!(matches!(error, RocmError::ShapeMismatch { op: "add-norm-matmul-silu-mul", .. }), "{error}");
        let elsewhere = RocmDevice::on(device.platform(), 0).unwrap();
        let elsewhere = elsewhere.storage_from_slice(&[1f32; 64]).expect("upload");
        let error = call(norm(&elsewhere, &row), &x, &w);
        assert!(matches!(error, RocmError::WrongDevice { op: "add-norm-matmul-several", .. }), "{error}");
    }
}

/// Tensors of several dimensions as the rows that they are.
#[test]
fn rows_of_tensors() {
    for device in devices() {
        let (k, n) = (40, 9);
        let (x_l, w_l) = (rows(6, k, (4, 3)), rows(n, k, (0, 0)));
        let (x, w) = (storage::<f32>(&device, &x_l, 1, &[]), storage::<f32>(&device, &w_l, 2, &[]));
        let want = bits_of::<f32>(&product((&x, &x_l), (&w, &w_l)));
        let row = k + 3;
        for (dims, stride) in [
            (vec![6, k], vec![row, 1]),
            (vec![2, 3, k], vec![3 * row, row, 1]),
            (vec![6, 1, 1, k], vec![row, 1, 77, 1]),
        ] {
            let layout = Layout::new(dims.into(), stride, 4);
            let got = several((&x, &layout), &[(&w, &w_l).into()], None).expect("several");
            assert_eq!(bits_of::<f32>(&got.expect("declined").products[0]), want, "{layout:?}");
        }
        let one = Layout::contiguous_with_offset(k, 4);
        let got = several((&x, &one), &[(&w, &w_l).into()], None).expect("several").expect("declined");
        assert_eq!(bits_of::<f32>(&got.products[0]), want[..n]);
    }
}

#[test]
fn what_has_no_kernel_is_declined() {
    for device in common::devices_without_kernels() {
        let memory = device.storage_from_slice(&[1f32; 400]).expect("upload");
        let wide = device.storage_from_slice(&[1f64; 400]).expect("upload");
        let call = |x: &Layout, weights: &[&Layout]| {
            let layers: Vec<Linear<'_>> = weights.iter().map(|&l| (&memory, l).into()).collect();
            several((&memory, x), &layers, None).expect("several").is_some()
        };
        let (x, w) = (Layout::contiguous((1, 20)), Layout::contiguous((4, 20)));
        assert!(!call(&x, &[]) && !call(&x, &[&w; 5]));
        assert!(!call(&Layout::contiguous((9, 20)), &[&w; 2]));
        assert!(!call(&Layout::contiguous((0, 20)), &[&w; 2]));
        assert!(!call(&Layout::contiguous((2, 0)), &[&Layout::contiguous((4, 0))]));
        let transposed = Layout::new((4, 20).into(), vec![1, 4], 0);
        assert!(!call(&x, &[&w, &transposed]) && !call(&Layout::new((2, 20).into(), vec![1, 2], 0), &[&w]));
        let apart = Layout::new((2, 2, 20).into(), vec![100, 20, 1], 0);
        assert!(!call(&apart, &[&w]));
        assert!(several((&wide, &x), &[(&wide, &w).into()], None).expect("several").is_none());
        // Rows that are not aligned alike.
        let shifted = Layout::contiguous_with_offset((4, 20), 1);
        let gated = silu_mul((&memory, &x), (&memory, &w), (&memory, &shifted));
        assert!(gated.expect("silu_mul").is_none());
        // Gates that are not two matrices without biases.
        let (layer, bias) = (Linear::from((&memory, &w)), Layout::contiguous(4));
        let biased = Linear { addend: Some((&memory, &bias)), ..layer };
        for layers in [&[layer][..], &[layer; 3], &[biased, layer], &[layer, biased]] {
            let gated = ProductLaunch::new((&memory, &x), layers).with(Epilogue::Gated).run();
            assert!(gated.expect("gated").is_none(), "{layers:?}");
        }
        // Floats next to quantized weights.
        let quantized = QStorage::zeros(&device, 4 * 32, GgmlDType::Q8_0).expect("zeros");
        let (x, w) = (Layout::contiguous((1, 32)), Layout::contiguous((4, 32)));
        let mut mixed = [Linear::from((&memory, &w)), Linear::from((&quantized, (4, 32)))];
        for _ in 0..2 {
            assert!(several((&memory, &x), &mixed, None).expect("several").is_none());
            let gated = ProductLaunch::new((&memory, &x), &mixed).with(Epilogue::Gated).run();
            assert!(gated.expect("gated").is_none());
            mixed.reverse();
        }
        let (x, w) = (Layout::contiguous((1, 20)), Layout::contiguous((4, 20)));
        device.set_gemm_engine(GemmEngine::Rocblas);
        assert!(!call(&x, &[&w; 2]));
        let gated = silu_mul((&memory, &x), (&memory, &w), (&memory, &w));
        assert!(gated.expect("silu_mul").is_none());
    }
}

#[test]
fn wrong_operands_are_named() {
    for device in common::devices_without_kernels() {
        let x = device.storage_from_slice(&[1f32; 40]).expect("upload");
        let halves = device.storage_from_slice(&[f16::ONE; 40]).expect("upload");
        let integers = device.storage_from_slice(&[1u32; 40]).expect("upload");
        let (one, w) = (Layout::contiguous((1, 10)), Layout::contiguous((4, 10)));
        let call = |storage: &RocmStorage, weight: &RocmStorage, l: &Layout| {
            several((storage, &one), &[(weight, l).into()], None).map(drop).unwrap_err()
        };
        let error = call(&integers, &x, &w);
        assert!(
            matches!(error, RocmError::UnsupportedDType { op: "matmul-several", dtype: DType::U32 }),
            "{error}"
        );
        let error = call(&x, &halves, &w);
        assert!(matches!(error, RocmError::DTypeMismatch { op: "matmul-several", .. }), "{error}");
        for dims in [&[10, 4][..], &[10], &[1, 4, 10]] {
            let error = call(&x, &x, &Layout::contiguous(dims));
            assert!(matches!(error, RocmError::ShapeMismatch { op: "matmul-several", .. }), "{error}");
        }
        let error = call(&x, &x, &Layout::contiguous_with_offset((4, 10), 1));
        assert!(matches!(error, RocmError::LayoutOutOfBounds { op: "matmul-several", .. }), "{error}");
        let biased = |bias: &RocmStorage, l: &Layout| {
            let layer = Linear { weights: Weights::Dense((&x, &w)), addend: Some((bias, l)) };
            several((&x, &one), &[layer], None).map(drop).unwrap_err()
        };
        let error = biased(&halves, &Layout::contiguous(4));
        assert!(matches!(error, RocmError::DTypeMismatch { op: "matmul-several", .. }), "{error}");
        for l in [Layout::contiguous(3), Layout::contiguous((1, 4))] {
            let error = biased(&x, &l);
            assert!(matches!(error, RocmError::ShapeMismatch { op: "matmul-several", .. }), "{error}");
        }
        let error = biased(&x, &Layout::contiguous_with_offset(4, 37));
        assert!(matches!(error, RocmError::LayoutOutOfBounds { op: "matmul-several", .. }), "{error}");
        let error = biased(&x, &Layout::new(4.into(), vec![2], 0));
        assert!(matches!(error, RocmError::InvalidArgument { op: "matmul-several", .. }), "{error}");
        let other = Layout::contiguous((3, 10));
        let error = silu_mul((&x, &one), (&x, &w), (&x, &other)).map(drop).unwrap_err();
        assert!(matches!(error, RocmError::ShapeMismatch { op: "matmul-silu-mul", .. }), "{error}");
        let elsewhere = RocmDevice::on(device.platform(), 0).unwrap();
        let elsewhere = elsewhere.storage_from_slice(&[1f32; 40]).expect("upload");
        let error = call(&x, &elsewhere, &w);
        assert!(matches!(error, RocmError::WrongDevice { op: "matmul-several", .. }), "{error}");
        let error = biased(&elsewhere, &Layout::contiguous(4));
        assert!(matches!(error, RocmError::WrongDevice { op: "matmul-several", .. }), "{error}");
    }
}
