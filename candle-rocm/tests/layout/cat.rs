//! Concatenation on the devices against loops: rows of any pitch, any number of sources, every size of element.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{CpuStorage, DType, Layout};
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage};

use crate::common;

/// The elements of a layout, in its order.
fn elements(layout: &Layout) -> Vec<usize> {
    let mut places = vec![layout.start_offset()];
    for (&size, &stride) in layout.dims().iter().zip(layout.stride()) {
        places = places.iter().flat_map(|&at| (0..size).map(move |i| at + i * stride)).collect();
    }
    places
}

fn check<T: RocmDType + PartialEq + std::fmt::Debug>(
    device: &RocmDevice,
    layouts: &[Layout],
    dim: usize,
    value: fn(usize) -> T,
) {
    let memory: usize = layouts.iter().flat_map(elements).max().map_or(0, |last| last + 1);
    let data: Vec<Vec<T>> =
        (0..layouts.len()).map(|i| (0..memory).map(|at| value(at * 31 + i * 7)).collect()).collect();
    let storages: Vec<RocmStorage> =
        data.iter().map(|data| device.storage_from_slice(data).expect("upload")).collect();
    let tensors: Vec<_> = storages.iter().zip(layouts).collect();
    let got = RocmStorage::cat(&tensors, dim).expect("cat");
    let got = T::cpu_storage_as_slice(&got.to_cpu_storage().expect("download")).expect("dtype").to_vec();
    let rows: usize = layouts[0].dims()[..dim].iter().product();
    let mut want = Vec::new();
    for row in 0..rows {
        for (data, layout) in data.iter().zip(layouts) {
            let places = elements(layout);
            let length = places.len() / rows;
            want.extend(places[row * length..(row + 1) * length].iter().map(|&at| data[at]));
        }
    }
    assert!(got == want, "{layouts:?} along {dim}: got {got:?} want {want:?}");
}

fn cases() -> Vec<(Vec<Layout>, usize)> {
    let plain = |dims: &[usize]| Layout::contiguous(dims);
    let at = |dims: &[usize], stride: &[usize], offset| Layout::new(dims.into(), stride.to_vec(), offset);
    vec![
        (vec![plain(&[3])], 0),
        (vec![plain(&[3]), plain(&[0]), plain(&[5])], 0),
        (vec![plain(&[2, 0, 3]), plain(&[2, 0, 3])], 2),
        // Rows of whole vectors, then of other lengths.
        (vec![plain(&[2, 64, 8]), plain(&[2, 1, 8])], 1),
        (vec![plain(&[4, 5]), plain(&[4, 3]), plain(&[4, 1])], 1),
        // The same heads over and over, more than a launch takes.
        (vec![plain(&[1, 2, 5, 16]); 19], 2),
        // Out of larger tensors, from anywhere; repeated rows; no rows at all.
        (vec![at(&[3, 4], &[9, 1], 2), at(&[3, 2], &[6, 1], 1)], 1),
        (vec![at(&[3, 4], &[0, 1], 3), plain(&[3, 4])], 1),
        (vec![at(&[3, 4], &[1, 3], 0), at(&[3, 4], &[2, 7], 1)], 1),
        (vec![at(&[2, 3, 4], &[40, 4, 1], 5), plain(&[2, 3, 4])], 2),
        // Enough for every block of a grid to go round.
        (vec![plain(&[300, 41]), plain(&[300, 7])], 1),
        (vec![plain(&[2, 40_000]), plain(&[2, 9])], 1),
    ]
}

#[test]
fn any_layouts() {
    for device in common::devices() {
        for (layouts, dim) in cases() {
            check(&device, &layouts, dim, |v| v as u8);
            check(&device, &layouts, dim, |v| half::f16::from_bits((v % 0x7c00) as u16));
            check(&device, &layouts, dim, |v| v as f32);
            check(&device, &layouts, dim, |v| v as f64);
        }
    }
}

/// Two results in one launch are what they are one by one.
#[test]
fn pairs() {
    fn check<T: RocmDType + PartialEq + std::fmt::Debug>(device: &RocmDevice, value: fn(usize) -> T) {
        let data: Vec<T> = (0..40_100).map(value).collect();
        let memory = device.storage_from_slice(&data).expect("upload");
        let plain = |dims: &[usize]| Layout::contiguous(dims);
        let at = |dims: &[usize], stride: &[usize], offset| Layout::new(dims.into(), stride.to_vec(), offset);
        for (layouts, dim) in [
            // Caches of keys and values, and one more step.
            ([plain(&[1, 2, 5, 16]), plain(&[1, 2, 1, 16]), plain(&[1, 2, 5, 16]), plain(&[1, 2, 1, 16])], 2),
            (
                [
                    at(&[1, 2, 5, 16], &[320, 160, 16, 1], 16),
                    at(&[1, 2, 1, 16], &[32, 16, 99, 1], 3),
                    at(&[1, 2, 5, 16], &[0, 0, 16, 1], 7),
                    plain(&[1, 2, 1, 16]),
                ],
                2,
            ),
            // Shared differently, and with nothing.
            ([plain(&[3, 4]), plain(&[3, 1]), plain(&[3, 2]), plain(&[3, 3])], 1),
            ([plain(&[3, 0]), plain(&[3, 5]), plain(&[3, 5]), plain(&[3, 0])], 1),
            ([plain(&[0, 2]), plain(&[0, 3]), plain(&[0, 2]), plain(&[0, 3])], 1),
            ([plain(&[2, 20_000]), plain(&[2, 9]), plain(&[2, 9]), plain(&[2, 20_000])], 1),
        ] {
            let [a, b, c, d] = &layouts;
            let pair = [[(&memory, a), (&memory, b)], [(&memory, c), (&memory, d)]];
            let got = RocmStorage::cat_pair(pair, dim).expect("cat_pair").expect("declined");
            for (got, tensors) in got.iter().zip(&pair) {
                let want = RocmStorage::cat(tensors, dim).expect("cat").to_cpu_storage().expect("download");
                let got = got.to_cpu_storage().expect("download");
                let [got, want] = [&got, &want].map(|data| T::cpu_storage_as_slice(data).expect("dtype"));
                assert!(got == want, "{tensors:?} along {dim}: got {got:?} want {want:?}");
            }
        }
    }
    for device in common::devices() {
        check(&device, |v| v as u8);
        check(&device, |v| half::f16::from_bits((v % 0x7c00) as u16));
        check(&device, |v| v as f32);
        check(&device, |v| v as f64);
    }
}

#[test]
fn pairs_that_differ_are_declined() {
    for device in common::devices_without_kernels() {
        let floats = device.storage_from_slice(&[1f32; 24]).expect("upload");
        let numbers = device.storage_from_slice(&[1u32; 24]).expect("upload");
        let (l, longer) = (Layout::contiguous((2, 3)), Layout::contiguous((2, 4)));
        let transposed = Layout::new((2, 3).into(), vec![1, 2], 0);
        let of = |storage, layout| [(storage, layout), (storage, layout)];
        let call = |second| RocmStorage::cat_pair([of(&floats, &l), second], 1).expect("cat_pair").is_some();
        assert!(!call(of(&floats, &longer)) && !call(of(&numbers, &l)) && !call(of(&floats, &transposed)));
        // As many elements in rows as long, but not the same shape.
        let (flat, deep) = (Layout::contiguous((2, 3, 1)), Layout::contiguous((2, 1, 3)));
        let pair = [of(&floats, &flat), of(&floats, &deep)];
        assert!(RocmStorage::cat_pair(pair, 1).expect("cat_pair").is_none());
        let error = RocmStorage::cat_pair([of(&floats, &l), of(&floats, &l)], 2).unwrap_err();
        assert!(matches!(error, RocmError::ShapeMismatch { op: "cat", .. }), "{error}");
    }
}

#[test]
fn what_does_not_fit_is_said() {
    for device in common::devices() {
        let floats = device.storage_from_slice(&[1f32; 6]).expect("upload");
        let numbers = device.storage_from_slice(&[1u32; 6]).expect("upload");
        let layout = Layout::contiguous((2, 3));
        match RocmStorage::cat(&[(&floats, &layout), (&numbers, &layout)], 0) {
            Err(RocmError::DTypeMismatch { op: "cat", lhs: DType::F32, rhs: DType::U32 }) => {}
            other => panic!("{other:?}"),
        }
        match RocmStorage::cat(&[(&floats, &layout), (&floats, &Layout::contiguous((3, 2)))], 0) {
            Err(RocmError::ShapeMismatch { op: "cat", .. }) => {}
            other => panic!("{other:?}"),
        }
        assert!(matches!(
            RocmStorage::cat(&[(&floats, &layout)], 2),
            Err(RocmError::ShapeMismatch { op: "cat", .. })
        ));
        assert!(matches!(RocmStorage::cat(&[], 0), Err(RocmError::InvalidArgument { op: "cat", .. })));
        let beyond = Layout::contiguous_with_offset((2, 3), 1);
        assert!(matches!(
            RocmStorage::cat(&[(&floats, &beyond)], 0),
            Err(RocmError::LayoutOutOfBounds { op: "cat", .. })
        ));
        let one =
            RocmStorage::cat(&[(&floats, &layout)], 1).expect("one").to_cpu_storage().expect("download");
        assert!(matches!(one, CpuStorage::F32(values) if values == [1.0; 6]));
    }
}
