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
