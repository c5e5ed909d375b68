//! Sums and their norms in one launch, bit by bit what the two operations give.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::op::Add;
use candle_core::{DType, Layout};
use candle_rocm::nn::AddNorm;
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage, nn};
use half::{bf16, f16};

use crate::common;
use crate::common::Random;
use crate::harness::bits::{Number, bits_of};

fn numbers<T: RocmDType>(len: usize, seed: u64) -> Vec<T> {
    let mut random = Random(seed);
    (0..len).map(|_| T::from_f64(random.below(20_001) as f64 / 5_000.0 - 1.7)).collect()
}

/// Elements of a vector, and of the longest row that a block holds.
fn limits<T>() -> (usize, usize) {
    (16 / size_of::<T>(), 256 * if size_of::<T>() == 8 { 16 } else { 32 })
}

#[track_caller]
fn check<T: Number + RocmDType>(
    device: &RocmDevice,
    [a, b]: [&[T]; 2],
    (rows, len): (usize, usize),
    first: usize,
) {
    let upload = |data: &[T]| device.storage_from_slice(data).expect("upload");
    let layout = Layout::contiguous_with_offset((rows, len), first);
    let (a, b) = (upload(a), upload(b));
    let (alpha, beta) = (upload(&numbers::<T>(len, 3)), upload(&numbers::<T>(len, 4)));
    let row = Layout::contiguous(len);
    let sum = a.binary_impl::<Add>(&b, &layout, &layout).expect("sum");
    let whole = Layout::contiguous((rows, len));
    for (with_alpha, with_beta) in [(true, true), (true, false), (false, true), (false, false)] {
        let (alpha, beta) = (with_alpha.then_some((&alpha, &row)), with_beta.then_some((&beta, &row)));
        let context = format!("{:?}: {rows} rows of {len} from {first} on", T::DTYPE);
        let same = |got: Option<[RocmStorage; 2]>, normed: &RocmStorage| {
            let [got_sum, got] = got.unwrap_or_else(|| panic!("{context}: declined"));
            assert_eq!(bits_of::<T>(&got_sum), bits_of::<T>(&sum), "the sum of {context}");
            assert_eq!(bits_of::<T>(&got), bits_of::<T>(normed), "the norm of {context}");
        };
        let (a, b) = ((&a, &layout), (&b, &layout));
        let want = nn::layer_norm(&sum, &whole, alpha, beta, 1e-5).expect("layer_norm");
        let norm = AddNorm { a, b, alpha, beta, eps: 1e-5, centred: true };
        same(norm.run().expect("a layer norm"), &want);
        let want = nn::rms_norm(&sum, &whole, alpha, 1e-6).expect("rms_norm");
        same(add_rms_norm(a, b, alpha).expect("an RMS norm"), &want);
    }
}

macro_rules! each_float {
    ($check:ident($($args:expr),*)) => {{
        $check::<f16>($($args),*);
        $check::<bf16>($($args),*);
        $check::<f32>($($args),*);
        $check::<f64>($($args),*);
    }};
}

fn add_rms_norm(
    a: (&RocmStorage, &Layout),
    b: (&RocmStorage, &Layout),
    alpha: Option<(&RocmStorage, &Layout)>,
) -> Result<Option<[RocmStorage; 2]>, RocmError> {
    AddNorm { a, b, alpha, beta: None, eps: 1e-6, centred: false }.run()
}

#[test]
fn as_in_two_steps() {
    fn sizes<T: Number + RocmDType>(device: &RocmDevice) {
        let (vector, most) = limits::<T>();
        for len in [vector, 3 * vector, 64, 264, 1000, 2048, most - vector, most] {
            for (rows, first) in if len > 1000 { vec![(2, 16)] } else { vec![(1, 0), (7, 16), (33, 0)] } {
                let of = |seed| numbers::<T>(rows * len + first, seed);
                check(device, [&of(1), &of(2)], (rows, len), first);
            }
        }
    }
    for device in common::devices() {
        each_float!(sizes(&device));
    }
}

#[test]
fn special_values() {
    fn special<T: Number + RocmDType>(device: &RocmDevice) {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        let of = |values: [f64; 8]| -> Vec<T> { values.map(T::from_f64).repeat(4) };
        for (a, b) in [
            ([nan, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [1.0; 8]),
            ([inf, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [-inf; 8]),
            ([1.0, inf, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [1.0; 8]),
            ([6e4; 8], [6e4; 8]),
            ([-0.0; 8], [-0.0; 8]),
            ([1.0; 8], [-1.0; 8]),
            ([1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0], [0.0; 8]),
        ] {
            check(device, [&of(a), &of(b)], (2, 16), 0);
        }
    }
    for device in common::devices() {
        each_float!(special(&device));
    }
}

#[test]
fn empty() {
    for device in common::devices_without_kernels() {
        let none = device.storage_from_slice::<f32>(&[]).expect("upload");
        for dims in [(0, 8), (3, 0)] {
            let layout = Layout::contiguous(dims);
            let x = (&none, &layout);
            let [sum, out] = add_rms_norm(x, x, None).expect("add_rms_norm").expect("nothing to do");
            assert!(bits_of::<f32>(&sum).is_empty() && bits_of::<f32>(&out).is_empty());
        }
    }
}

#[test]
fn what_has_no_kernel_is_declined() {
    fn declined<T: RocmDType>(device: &RocmDevice) {
        let (vector, most) = limits::<T>();
        let storage = device.storage_from_slice(&numbers::<T>(2 * most + 16, 1)).expect("upload");
        let call = |a: &Layout, b: &Layout| {
            add_rms_norm((&storage, a), (&storage, b), None).expect("add_rms_norm").is_some()
        };
        let plain = Layout::contiguous((4, 4 * vector));
        assert!(call(&plain, &plain));
        let long = Layout::contiguous(most + vector);
        let shifted = Layout::contiguous_with_offset((4, 4 * vector), 1);
        let transposed = Layout::new((4, 4 * vector).into(), vec![1, 4], 0);
        let broadcast = Layout::new((4, 4 * vector).into(), vec![0, 1], 0);
        let other = Layout::contiguous((2, 8 * vector));
        assert!(!call(&long, &long) && !call(&shifted, &plain) && !call(&plain, &shifted));
        assert!(!call(&transposed, &plain) && !call(&plain, &broadcast) && !call(&plain, &other));
        let odd = Layout::contiguous((3, vector + 1));
        assert!(!call(&odd, &odd));
    }
    for device in common::devices() {
        each_float!(declined(&device));
        let layout = Layout::contiguous((2, 8));
        let (floats, halves) = (
            device.storage_from_slice(&[1f32; 16]).expect("upload"),
            device.storage_from_slice(&[f16::ONE; 16]).expect("upload"),
        );
        let mixed = add_rms_norm((&floats, &layout), (&halves, &layout), None);
        assert!(mixed.expect("add_rms_norm").is_none());
    }
}

#[test]
fn wrong_operands_are_named() {
    for device in common::devices_without_kernels() {
        let x = device.storage_from_slice(&[1f32; 16]).expect("upload");
        let integers = device.storage_from_slice(&[1u32; 16]).expect("upload");
        let (layout, row) = (Layout::contiguous((2, 8)), Layout::contiguous(4));
        let x = (&x, &layout);
        let error = add_rms_norm((&integers, &layout), x, None).unwrap_err();
        assert!(
            matches!(error, RocmError::UnsupportedDType { op: "add-norm", dtype: DType::U32 }),
            "{error}"
        );
        let error = add_rms_norm(x, x, Some((x.0, &row))).unwrap_err();
        assert!(matches!(error, RocmError::ShapeMismatch { op: "add-norm", .. }), "{error}");
        let beyond = Layout::contiguous_with_offset((2, 8), 4);
        let error = add_rms_norm((x.0, &beyond), (x.0, &beyond), None).unwrap_err();
        assert!(matches!(error, RocmError::LayoutOutOfBounds { op: "add-norm", .. }), "{error}");
        let elsewhere = RocmDevice::on(device.platform(), 0).unwrap();
        let elsewhere = elsewhere.storage_from_slice(&[1f32; 16]).expect("upload");
        let error = add_rms_norm(x, (&elsewhere, &layout), None).unwrap_err();
        assert!(matches!(error, RocmError::WrongDevice { op: "add-norm", .. }), "{error}");
    }
}
