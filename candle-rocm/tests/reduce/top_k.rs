//! The first of sorted rows on the devices, against the standard library's stable sort of all of a row.

use candle_core::backend::BackendStorage;
use candle_core::{CpuStorage, Layout};
use candle_rocm::RocmError;

use super::sort::reference;
use crate::common;
use crate::harness::bits::compare;
use crate::harness::data::{mixed_storage, special_storage};
use crate::harness::tolerance::EXACT;
use crate::harness::{DTYPES, Operand, len};

/// The first `k` indices of rows, and their elements.
fn want(row_major: &CpuStorage, ascending: bool, columns: usize, k: usize) -> (CpuStorage, CpuStorage) {
    let CpuStorage::U32(sorted) = reference(row_major, ascending, columns) else { panic!("indices") };
    let first: Vec<u32> = sorted.chunks(columns).flat_map(|row| row[..k].to_vec()).collect();
    let places = first.chunks(k).enumerate();
    let places: Vec<usize> =
        places.flat_map(|(row, first)| first.iter().map(move |&i| row * columns + i as usize)).collect();
    macro_rules! each {
        ($($variant:ident)*) => {
            match row_major {
                $(CpuStorage::$variant(x) => CpuStorage::$variant(places.iter().map(|&at| x[at]).collect()),)*
                _ => panic!("no order: {row_major:?}"),
            }
        };
    }
    let elements = each!(U8 U32 I16 I32 I64 BF16 F16 F32 F64 F8E4M3);
    (CpuStorage::U32(first), elements)
}

#[track_caller]
fn check(operand: &Operand, layout: &Layout, columns: usize, k: usize) {
    let dtype = operand.dtype();
    let mut row_major = mixed_storage(dtype, layout.shape().elem_count(), 0);
    operand.cpu.copy_strided_src(&mut row_major, 0, layout).expect("a copy");
    for ascending in [true, false] {
        let (indices, elements) = want(&row_major, ascending, columns, k);
        for storage in &operand.rocm {
            let found = storage.top_k(layout, ascending, columns, k).unwrap().expect("kernels");
            for (got, want) in [(found.0, &indices), (found.1, &elements)] {
                let compared = compare(&got.to_cpu_storage().unwrap(), want, &EXACT);
                if let Err(difference) = compared {
                    panic!("{dtype:?} {layout:?}, {k} of {columns}, ascending {ascending}: {difference}");
                }
            }
        }
    }
}

/// Around the longest rows of a few lanes, of a wavefront, of a block, and rows of several parts, of which the last may be shorter than k.
#[test]
fn rows_of_any_length() {
    let devices = common::devices();
    for dtype in DTYPES {
        for (rows, columns, k) in [
            (70, 2, 1),
            (67, 8, 2),
            (9, 9, 8),
            (33, 60, 6),
            (21, 64, 8),
            (5, 128, 8),
            (3, 255, 16),
            (2, 256, 4),
            (2, 257, 256),
            (2, 1000, 40),
            (1, 4096, 7),
            (2, 4097, 5),
            (1, 6150, 256),
        ] {
            let operand = Operand::new(&devices, mixed_storage(dtype, rows * columns + 1, 2));
            check(&operand, &Layout::contiguous_with_offset((rows, columns), 1), columns, k);
        }
    }
}

/// All special values, and elements of which most are equal.
#[test]
fn special_values_and_ties() {
    let devices = common::devices();
    for dtype in DTYPES {
        let special = special_storage(dtype);
        let count = len(&special);
        for k in [1, 2, count / 2, count - 1].into_iter().filter(|&k| k > 0 && (count > 256 || k <= 16)) {
            check(&Operand::new(&devices, special.clone()), &Layout::contiguous(count), count, k);
        }
    }
    for (columns, k) in [(100, 9), (3000, 100), (9000, 64)] {
        for (values, shift) in [(1, 0), (2, 31), (3, 12)] {
            let x = (0..columns as u32).map(|i| 7 ^ (i * 7919 % values) << shift).collect();
            check(&Operand::new(&devices, CpuStorage::U32(x)), &Layout::contiguous(columns), columns, k);
        }
    }
    // What is wanted is in one part, all of it in the last one, and less in that than in others.
    for first in [0, 2048, 8190] {
        let x =
            (0..8200).map(|i| if (first..first + 9).contains(&i) { 1. } else { f32::NEG_INFINITY }).collect();
        check(&Operand::new(&devices, CpuStorage::F32(x)), &Layout::contiguous(8200), 8200, 12);
    }
}

#[test]
fn what_is_not_served() {
    for device in common::devices_without_kernels() {
        let upload = |count| {
            Operand::new(std::slice::from_ref(&device), mixed_storage(candle_core::DType::F32, count, 1))
                .rocm
                .remove(0)
        };
        for (columns, k) in [(64, 0), (64, 64), (64, 17), (1000, 257), (1 << 20, 16 + 1)] {
            let x = upload(columns);
            assert!(
                x.top_k(&Layout::contiguous(columns), false, columns, k).unwrap().is_none(),
                "{columns} {k}"
            );
        }
        let x = upload(12);
        let turned = Layout::new((3, 4).into(), vec![1, 3], 0);
        for (layout, columns) in [(&Layout::contiguous(12), 5), (&turned, 4)] {
            let error = x.top_k(layout, false, columns, 2).unwrap_err();
            assert!(matches!(error, RocmError::InvalidArgument { .. }), "{error}");
        }
        let (indices, elements) =
            x.top_k(&Layout::contiguous((0, 4)), false, 4, 2).unwrap().expect("kernels");
        assert!(indices.is_empty() && elements.is_empty());
    }
}
