//! Running sums against a plain loop. Values are small whole numbers: all sums are exact in f32, whatever their order, and
//! each result is the exact sum rounded once, bit for bit. Integers wrap.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{CpuStorage, DType, Layout};
use candle_rocm::{RocmDevice, RocmError};
use float8::F8E4M3;
use half::{bf16, f16};

use crate::common;
use crate::common::Random;
use crate::harness::tolerance::EXACT;
use crate::harness::{self, DTYPES};

/// The values modulo what integers hold, or rounded.
fn storage(dtype: DType, values: &[i64]) -> CpuStorage {
    macro_rules! storage {
        ($($variant:ident $convert:expr;)*) => {
            match dtype {
                $(DType::$variant => CpuStorage::$variant(values.iter().map(|&v| $convert(v)).collect()),)*
                _ => panic!("{dtype:?} has no elements"),
            }
        };
    }
    storage! {
        U8 |v| v as u8;
        U32 |v| v as u32;
        I16 |v| v as i16;
        I32 |v| v as i32;
        I64 |v| v;
        F16 |v| f16::from_f32(v as f32);
        BF16 |v| bf16::from_f32(v as f32);
        F32 |v| v as f32;
        F64 |v| v as f64;
        F8E4M3 |v| F8E4M3::from_f32(v as f32);
    }
}

/// The values in the order of the layout, added up along a dimension: from its begin on, and from its end on.
fn sums(values: &[i64], layout: &Layout, dim: usize) -> [Vec<i64>; 2] {
    let dims = layout.dims();
    let (len, inner): (_, usize) = (dims[dim], dims[dim + 1..].iter().product());
    let count = layout.shape().elem_count();
    let value = |index: usize| {
        let (mut rest, mut at) = (index, layout.start_offset());
        for (&size, &stride) in dims.iter().zip(layout.stride()).rev() {
            at += rest % size * stride;
            rest /= size;
        }
        values[at]
    };
    let (mut sums, mut reverse) = (vec![0; count], vec![0; count]);
    for index in 0..count {
        let first = index / inner % len == 0;
        sums[index] = value(index).wrapping_add(if first { 0 } else { sums[index - inner] });
    }
    for index in (0..count).rev() {
        let last = index / inner % len == len - 1;
        reverse[index] = value(index).wrapping_add(if last { 0 } else { reverse[index + inner] });
    }
    [sums, reverse]
}

#[track_caller]
fn check(devices: &[RocmDevice], layout: &Layout, dim: usize) {
    let last: usize = layout.dims().iter().zip(layout.stride()).map(|(d, s)| d.saturating_sub(1) * s).sum();
    let mut random = Random(layout.shape().elem_count() as u64 + dim as u64);
    let count = layout.start_offset() + last + 1;
    let small: Vec<i64> = (0..count).map(|_| random.below(5) as i64 - 2).collect();
    // Integers of every size wrap.
    let large: Vec<i64> = (0..count).map(|_| random.next() as i64).collect();
    for dtype in DTYPES {
        let values = if dtype.is_int() { &large } else { &small };
        let want = sums(values, layout, dim);
        let (x, want) = (storage(dtype, values), [&want[0], &want[1]].map(|want| storage(dtype, want)));
        for device in devices {
            let x = device.storage_from_cpu_storage(&x).unwrap();
            let got = [x.cumsum(layout, dim), x.reverse_cumsum(layout, dim)];
            for (got, want) in got.into_iter().zip(&want) {
                let got = got.unwrap().to_cpu_storage().unwrap();
                let difference = harness::bits::compare(&got, want, &EXACT);
                assert_eq!(difference, Ok(()), "{dtype:?} {layout:?} along {dim} on {}", device.label());
            }
        }
    }
}

/// Rows for a thread, for a block, for several; parts of vectors and of tiles; no elements.
#[test]
fn rows() {
    let devices = common::devices();
    for dims in [
        &[1][..],
        &[5],
        &[64],
        &[65],
        &[3, 96],
        &[2, 1000],
        &[3, 2049],
        &[1, 33_000],
        &[2, 17_001],
        &[0],
        &[3, 0],
    ] {
        check(&devices, &Layout::contiguous(dims), dims.len() - 1);
    }
}

/// Sequences next to each other: few and many, short and long.
#[test]
fn columns() {
    let devices = common::devices();
    for (dims, dim) in [
        (&[3, 7, 5][..], 0),
        (&[3, 7, 5], 1),
        (&[2, 17, 300], 1),
        (&[700, 3], 0),
        (&[2, 600, 3, 2], 1),
        (&[3, 17_000], 0),
        (&[0, 4], 0),
    ] {
        check(&devices, &Layout::contiguous(dims), dim);
    }
}

#[test]
fn any_layout() {
    let devices = common::devices();
    let wide = Layout::contiguous((6, 130));
    for dim in 0..2 {
        check(&devices, &wide.narrow(1, 3, 100).unwrap(), dim);
        check(&devices, &wide.transpose(0, 1).unwrap(), dim);
        check(&devices, &Layout::contiguous((1, 130)).broadcast_as((5, 130)).unwrap(), dim);
    }
    // An offset that no vector starts at.
    check(&devices, &Layout::contiguous_with_offset((4, 256), 3), 1);
    check(&devices, &Layout::contiguous((700, 4)).narrow(1, 1, 3).unwrap(), 0);
}

/// What is not a number stays in its row, and changes nothing before it.
#[test]
fn nan_and_infinity() {
    for device in &common::devices() {
        for bad in [f32::NAN, f32::INFINITY] {
            let mut x = vec![1f32; 3 * 300];
            x[300 + 120] = bad;
            let x = device.storage_from_slice(&x).unwrap();
            let got = x.cumsum(&Layout::contiguous((3, 300)), 1).unwrap().to_cpu_storage().unwrap();
            let CpuStorage::F32(got) = got else { panic!("{got:?}") };
            for (at, got) in got.iter().enumerate() {
                let reached = at / 300 == 1 && at % 300 >= 120;
                assert_eq!(got.is_finite(), !reached, "{bad} at {at}: {got}");
            }
        }
    }
}

#[test]
fn wrong_arguments_are_typed_errors() {
    let devices = common::devices();
    let Some(device) = devices.first() else { return };
    let layout = Layout::contiguous((2, 3));
    let packed = device.storage_from_cpu_storage(&CpuStorage::F4(vec![1; 6])).unwrap();
    assert!(matches!(packed.cumsum(&layout, 0), Err(RocmError::UnsupportedDType { .. })));
    let floats = device.storage_from_slice(&[1f32; 6]).unwrap();
    assert!(matches!(floats.cumsum(&layout, 2), Err(RocmError::InvalidArgument { .. })));
    assert!(floats.cumsum(&Layout::contiguous((2, 4)), 0).is_err());
}
