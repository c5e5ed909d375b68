//! What the devices promise where CPUs differ, panic, or have nothing to compare with.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::op::*;
use candle_core::scalar::Scalar;
use candle_core::{DType, Layout, Shape, WithDType};
use candle_rocm::{RocmDevice, RocmStorage};

use crate::harness::bits::slices;
use crate::harness::data::{Special, mixed};
use crate::harness::tolerance::EXACT;
use crate::{common, harness};

fn upload<T: WithDType>(device: &RocmDevice, values: &[T]) -> (RocmStorage, Layout) {
    (device.storage_from_slice(values).expect("upload"), Layout::contiguous(values.len()))
}

fn download<T: WithDType>(storage: &RocmStorage) -> Vec<T> {
    let cpu = storage.to_cpu_storage().expect("download");
    T::cpu_storage_data(cpu).expect("dtype")
}

fn binary<B: BinaryOpT, T: WithDType>(device: &RocmDevice, lhs: &[T], rhs: &[T]) -> Vec<T> {
    let ((lhs, l), (rhs, r)) = (upload(device, lhs), upload(device, rhs));
    download(&lhs.binary_impl::<B>(&rhs, &l, &r).expect(B::NAME))
}

fn unary<B: UnaryOpT, T: WithDType>(device: &RocmDevice, values: &[T]) -> Vec<T> {
    let (storage, l) = upload(device, values);
    download(&storage.unary_impl::<B>(&l).expect(B::NAME))
}

#[test]
fn integers_wrap() {
    for device in common::devices() {
        assert_eq!(binary::<Add, u8>(&device, &[255, 200], &[1, 100]), [0, 44]);
        assert_eq!(binary::<Sub, u32>(&device, &[0, 5], &[1, 7]), [u32::MAX, u32::MAX - 1]);
        assert_eq!(
            binary::<Mul, i16>(&device, &[300, i16::MIN], &[300, -1]),
            [300i16.wrapping_mul(300), i16::MIN]
        );
        assert_eq!(binary::<Add, i32>(&device, &[i32::MAX], &[1]), [i32::MIN]);
        assert_eq!(binary::<Mul, i64>(&device, &[i64::MAX, 1 << 40], &[2, 1 << 40]), [-2, 0]);
    }
}

/// Where the CPU panics: all bits set, which is what GPUs' division gives; and the one quotient that overflows wraps.
#[test]
fn integer_division_never_traps() {
    fn check<T: Special + PartialEq + std::fmt::Debug>(
        device: &RocmDevice,
        all_bits: T,
        pairs: &[(T, T, T)],
    ) {
        let xs = T::special();
        let zeros = vec![T::zero(); xs.len()];
        assert_eq!(binary::<Div, T>(device, &xs, &zeros), vec![all_bits; xs.len()], "{:?} / 0", T::DTYPE);
        for &(x, y, want) in pairs {
            assert_eq!(binary::<Div, T>(device, &[x], &[y]), [want], "{x:?} / {y:?}");
        }
    }
    for device in common::devices() {
        check::<u8>(&device, u8::MAX, &[(7, 2, 3)]);
        check::<u32>(&device, u32::MAX, &[(u32::MAX, 2, u32::MAX / 2)]);
        check::<i16>(&device, -1, &[(i16::MIN, -1, i16::MIN), (-7, 2, -3)]);
        check::<i32>(&device, -1, &[(i32::MIN, -1, i32::MIN), (-7, 2, -3)]);
        check::<i64>(&device, -1, &[(i64::MIN, -1, i64::MIN), (-7, 2, -3), (i64::MIN, 3, i64::MIN / 3)]);
    }
}

/// `if a < b { b } else { a }`: a NaN on the left stays, one on the right is ignored; candle's CPU does the same.
#[test]
fn nan_in_maximum_and_minimum() {
    let nan = f32::NAN;
    for device in common::devices() {
        for got in [
            binary::<Maximum, f32>(&device, &[nan, 1.0, nan], &[1.0, nan, nan]),
            binary::<Minimum, f32>(&device, &[nan, 1.0, nan], &[1.0, nan, nan]),
        ] {
            assert!(got[0].is_nan() && got[1] == 1.0 && got[2].is_nan(), "{got:?}");
        }
    }
}

#[test]
fn functions_of_integers() {
    fn check<T: Special + std::fmt::Debug>(
        device: &RocmDevice,
        neg: fn(T) -> T,
        abs: fn(T) -> T,
        sqr: fn(T) -> T,
    ) {
        let values = [T::special(), mixed::<T>(100, 41)].concat();
        let all = |f: fn(T) -> T| values.iter().map(|&v| f(v)).collect::<Vec<_>>();
        assert_eq!(unary::<Neg, T>(device, &values), all(neg), "neg of {:?}", T::DTYPE);
        assert_eq!(unary::<Abs, T>(device, &values), all(abs), "abs of {:?}", T::DTYPE);
        assert_eq!(unary::<Sqr, T>(device, &values), all(sqr), "sqr of {:?}", T::DTYPE);
        let (storage, l) = upload(device, &values);
        for (name, result) in [
            ("exp", storage.unary_impl::<Exp>(&l)),
            ("gelu", storage.unary_impl::<Gelu>(&l)),
            ("powf", storage.powf(&l, 2.0)),
            ("elu", storage.elu(&l, 1.0)),
        ] {
            let error = result.unwrap_err();
            let typed = harness::rocm_error(&error);
            let named = format!("{typed}");
            assert!(matches!(typed, candle_rocm::RocmError::UnsupportedDType { .. }), "{error}");
            assert!(named.contains(name) && named.contains(T::DTYPE.as_str()), "{named}");
        }
    }
    for device in common::devices() {
        check::<u8>(&device, u8::wrapping_neg, |v| v, |v| v.wrapping_mul(v));
        check::<u32>(&device, u32::wrapping_neg, |v| v, |v| v.wrapping_mul(v));
        check::<i16>(&device, i16::wrapping_neg, i16::wrapping_abs, |v| v.wrapping_mul(v));
        check::<i32>(&device, i32::wrapping_neg, i32::wrapping_abs, |v| v.wrapping_mul(v));
        check::<i64>(&device, i64::wrapping_neg, i64::wrapping_abs, |v| v.wrapping_mul(v));
    }
}

/// Every pair of offsets within a 16-byte vector: loads and stores must not assume alignment.
#[test]
fn misaligned_offsets() {
    fn check<T: Special>(device: &RocmDevice) {
        let values = mixed::<T>(400, 42);
        let (storage, _) = upload(device, &values);
        let per_vector = 16 / size_of::<T>();
        for (a, b) in (0..per_vector).flat_map(|a| (0..per_vector).map(move |b| (a, b))) {
            for len in [1, per_vector + 1, 200] {
                let layout = |offset| Layout::contiguous_with_offset(len, offset);
                let got = storage.binary_impl::<Maximum>(&storage, &layout(a), &layout(b)).expect("maximum");
                let want: Vec<T> = (0..len)
                    .map(|i| (values[a + i], values[b + i]))
                    .map(|(x, y)| if x < y { y } else { x })
                    .collect();
                let same = slices_of(&download::<T>(&got), &want);
                assert_eq!(same, Ok(()), "{:?} at {a} and {b}, {len} elements", T::DTYPE);
                // And writes: a copy to an odd place leaves its neighbours alone.
                let mut dst = storage.try_clone(&layout(0)).expect("clone");
                storage.copy_strided_src(&mut dst, b, &layout(a)).expect("copy");
                let mut want = values.clone();
                want.copy_within(a..a + len, b);
                assert_eq!(slices_of(&download::<T>(&dst), &want), Ok(()), "copy {a} to {b}");
            }
        }
    }
    fn slices_of<T: WithDType>(got: &[T], want: &[T]) -> Result<(), String> {
        harness::bits::compare(&T::to_cpu_storage(got), &T::to_cpu_storage(want), &EXACT)
    }
    for device in common::devices() {
        check::<u8>(&device);
        check::<i16>(&device);
        check::<half::f16>(&device);
        check::<f32>(&device);
        check::<f64>(&device);
    }
}

/// Offsets beyond 2^31 and 2^32 elements: the kernels' 64-bit path, and pointers moved that far. Only the few elements
/// written take memory.
#[test]
fn far_elements() {
    const FAR: usize = (1 << 32) + 12_345;
    const N: usize = 100;
    let near: Vec<u8> = mixed(N, 43);
    let far: Vec<u8> = mixed(N, 44);
    for device in common::devices() {
        // SAFETY: only elements that were written are read.
        let Ok(mut big) = (unsafe { device.alloc_uninit(&Shape::from(FAR + N), DType::U8) }) else {
            common::skip("far_elements", "no 4 GiB of device memory");
            continue;
        };
        for (values, offset) in [(&near, 0), (&far, FAR)] {
            let (piece, l) = upload(&device, values);
            piece.copy_strided_src(&mut big, offset, &l).expect("copy");
        }
        let both = [near.clone(), far.clone()].concat();
        let want = |f: fn(u8) -> u8| both.iter().map(|&v| f(v)).collect::<Vec<u8>>();

        // A pointer moved far.
        let end = Layout::contiguous_with_offset(N, FAR);
        assert_eq!(
            download::<u8>(&big.affine(&end, 1.0, 1.0).expect("affine"))[..],
            want(|v| v.wrapping_add(1))[N..]
        );

        // Strides that 32 bits cannot hold, as the outer and as the inner dimension.
        let outer = Layout::new((2, N).into(), vec![FAR, 1], 0);
        let inner = outer.transpose(0, 1).expect("transpose");
        let interleaved =
            |values: &[u8]| (0..N).flat_map(|i| [values[i], values[N + i]]).collect::<Vec<u8>>();
        let affine = want(|v| v.wrapping_mul(3).wrapping_add(7));
        assert_eq!(download::<u8>(&big.affine(&outer, 3.0, 7.0).expect("affine")), affine);
        assert_eq!(download::<u8>(&big.affine(&inner, 3.0, 7.0).expect("affine")), interleaved(&affine));
        let doubled = big.binary_impl::<Add>(&big, &outer, &outer).expect("add");
        assert_eq!(download::<u8>(&doubled), want(|v| v.wrapping_add(v)));
        let cast = big.to_dtype(&inner, DType::U32).expect("to_dtype");
        let wide: Vec<u32> = interleaved(&both).into_iter().map(u32::from).collect();
        assert_eq!(download::<u32>(&cast), wide);
        let chosen = big.where_cond(&outer, &big, &outer, &big, &outer).expect("where_cond");
        assert_eq!(download::<u8>(&chosen), both);
        let mut copy = device.zeros_impl(&Shape::from(2 * N), DType::U8).expect("zeros");
        big.copy_strided_src(&mut copy, 0, &inner).expect("copy");
        assert_eq!(download::<u8>(&copy), interleaved(&both));
        let mut rows = device.zeros_impl(&Shape::from(2 * N), DType::U8).expect("zeros");
        big.copy2d(&mut rows, 2, N, FAR, N, 0, 0).expect("copy2d");
        assert_eq!(download::<u8>(&rows), both);

        // Writes there too.
        let middle = Layout::new((2, N - 2).into(), vec![FAR, 1], 1);
        big.const_set(Scalar::U8(200), &middle).expect("const_set");
        let after = big.affine(&outer, 1.0, 0.0).expect("affine");
        let mut filled = both.clone();
        filled[1..N - 1].fill(200);
        filled[N + 1..2 * N - 1].fill(200);
        assert_eq!(download::<u8>(&after), filled);
    }
}

#[test]
fn nothing_to_do_is_fine() {
    for device in common::devices() {
        for shape in [Shape::from(0), Shape::from((3, 0, 2))] {
            let (empty, l) =
                (device.zeros_impl(&shape, DType::F32).expect("zeros"), Layout::contiguous(shape.clone()));
            assert_eq!(download::<f32>(&empty), [0f32; 0]);
            for result in [
                empty.affine(&l, 1.0, 1.0),
                empty.unary_impl::<Exp>(&l),
                empty.binary_impl::<Add>(&empty, &l, &l),
                empty.try_clone(&l),
                empty.powf(&l, 2.0),
                device.rand_uniform(&shape, DType::F32, 0.0, 1.0),
                device.rand_normal(&shape, DType::F32, 0.0, 1.0),
            ] {
                assert_eq!(download::<f32>(&result.expect("an empty result")), [0f32; 0]);
            }
            assert_eq!(download::<u8>(&empty.cmp(CmpOp::Eq, &empty, &l, &l).expect("cmp")), [0u8; 0]);
            assert_eq!(download::<i64>(&empty.to_dtype(&l, DType::I64).expect("to_dtype")), [0i64; 0]);
        }
    }
}

/// Results do not depend on what the device's memory held before.
#[test]
fn recycled_memory_is_overwritten() {
    for device in common::devices() {
        let n = 10_000;
        drop(upload(&device, &vec![f32::NAN; n]));
        let ones = upload(&device, &vec![1f32; n]).0;
        drop(upload(&device, &vec![f32::NAN; n]));
        let sum =
            ones.binary_impl::<Add>(&ones, &Layout::contiguous(n), &Layout::contiguous(n)).expect("add");
        assert_eq!(slices(&download::<f32>(&sum), &vec![2f32; n], &EXACT), Ok(()));
        drop(sum);
        let zeros = device.zeros_impl(&Shape::from(n), DType::F32).expect("zeros");
        assert_eq!(slices(&download::<f32>(&zeros), &vec![0f32; n], &EXACT), Ok(()));
    }
}

/// Layouts that reach outside their memory, shapes and dtypes that do not fit, devices that differ: typed errors, and
/// the device goes on working.
#[test]
fn wrong_use_is_refused() {
    use candle_rocm::RocmError as E;
    let devices = common::devices();
    for device in &devices {
        let (x, l) = upload(device, &[1f32, 2.0, 3.0, 4.0]);
        let (h, _) = upload(device, &[half::f16::ONE; 4]);
        let far = Layout::contiguous_with_offset(4, 1);
        let huge = Layout::new((2, 2).into(), vec![usize::MAX / 2, 1], 0);
        for bad in [&far, &huge] {
            for result in [
                x.affine(bad, 1.0, 0.0),
                x.unary_impl::<Exp>(bad),
                x.powf(bad, 2.0),
                x.elu(bad, 1.0),
                x.to_dtype(bad, DType::F64),
                x.binary_impl::<Add>(&x, bad, bad),
                x.cmp(CmpOp::Eq, &x, bad, bad),
            ] {
                let error = result.unwrap_err();
                assert!(
                    matches!(harness::rocm_error(&error), E::LayoutOutOfBounds { len: 4, .. }),
                    "{error}"
                );
            }
        }
        let error = x.binary_impl::<Add>(&x, &l, &Layout::contiguous((2, 2))).unwrap_err();
        let typed = harness::rocm_error(&error);
        assert!(matches!(typed, E::ShapeMismatch { op: "add", .. }), "{error}");
        for error in
            [x.binary_impl::<Mul>(&h, &l, &l).unwrap_err(), x.cmp(CmpOp::Lt, &h, &l, &l).unwrap_err()]
        {
            let typed = harness::rocm_error(&error);
            assert!(matches!(typed, E::DTypeMismatch { lhs: DType::F32, rhs: DType::F16, .. }), "{error}");
        }
        assert_eq!(download::<f32>(&x.affine(&l, 2.0, 0.0).expect("affine")), [2.0, 4.0, 6.0, 8.0]);
    }
    if let [a, b, ..] = devices.as_slice() {
        let ((x, l), (mut y, _)) = (upload(a, &[1f32, 2.0]), upload(b, &[3f32, 4.0]));
        let cond = upload(a, &[1u8, 0]).0;
        for error in [
            x.binary_impl::<Add>(&y, &l, &l).unwrap_err(),
            x.cmp(CmpOp::Eq, &y, &l, &l).unwrap_err(),
            cond.where_cond(&l, &x, &l, &y, &l).unwrap_err(),
            cond.where_cond(&l, &y, &l, &x, &l).unwrap_err(),
            x.copy_strided_src(&mut y, 0, &l).unwrap_err(),
            x.copy2d(&mut y, 1, 2, 2, 2, 0, 0).unwrap_err(),
        ] {
            assert!(matches!(harness::rocm_error(&error), E::WrongDevice { .. }), "{error}");
        }
        assert_eq!(download::<f32>(&y), [3.0, 4.0]);
    }
}
