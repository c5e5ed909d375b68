//! Images of another size against candle's CPU: all dtypes, layouts, both wavefront sizes.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{CpuStorage, DType, Layout};
use candle_rocm::RocmError;

use crate::harness::data::mixed_storage;
use crate::harness::views::{memory, views};
use crate::harness::{Call, DTYPES, Operand, check, check_against};
use crate::{common, harness};

/// Sizes that divide each other, that do not, larger and smaller ones, rows that fill vectors and rows that do not.
const SIZES: &[(usize, usize)] = &[(6, 16), (7, 13), (2, 3), (1, 1), (3, 5), (49, 8), (3, 0)];

struct Nearest1D(usize);

impl Call for Nearest1D {
    fn name(&self) -> &'static str {
        "upsample_nearest1d"
    }

    fn run<S: BackendStorage>(&self, args: &[(&S, &Layout)]) -> candle_core::Result<S> {
        args[0].0.upsample_nearest1d(args[0].1, self.0)
    }
}

struct Nearest2D(usize, usize);

impl Call for Nearest2D {
    fn name(&self) -> &'static str {
        "upsample_nearest2d"
    }

    fn run<S: BackendStorage>(&self, args: &[(&S, &Layout)]) -> candle_core::Result<S> {
        args[0].0.upsample_nearest2d(args[0].1, self.0, self.1)
    }
}

struct Bilinear {
    size: (usize, usize),
    align_corners: bool,
    factors: (Option<f64>, Option<f64>),
}

impl Call for Bilinear {
    fn name(&self) -> &'static str {
        "upsample_bilinear2d"
    }

    fn run<S: BackendStorage>(&self, args: &[(&S, &Layout)]) -> candle_core::Result<S> {
        let ((h, w), (scale_h, scale_w)) = (self.size, self.factors);
        args[0].0.upsample_bilinear2d(args[0].1, h, w, self.align_corners, scale_h, scale_w)
    }
}

#[test]
fn nearest() {
    let devices = common::devices();
    if devices.is_empty() {
        return;
    }
    for dtype in DTYPES {
        for shape in [[3, 3, 3, 5], [1, 1, 1, 1], [0, 2, 3, 4]] {
            let operand = Operand::new(&devices, mixed_storage(dtype, memory(&shape), 17));
            for layout in &views(&shape) {
                for &(h, w) in SIZES {
                    check(&Nearest2D(h, w), &[(&operand, layout)]);
                }
            }
            let lines = [shape[0], shape[1], shape[3]];
            for layout in &views(&lines) {
                for &(_, w) in SIZES {
                    check(&Nearest1D(w), &[(&operand, layout)]);
                }
            }
        }
    }
}

/// The weights are computed alike. f64 and integers are then combined in f64 as on the CPU; the others in f32, with
/// three roundings of values up to `largest` for each of the two directions.
#[test]
fn bilinear() {
    const LARGEST: f64 = 8.0;
    let devices = common::devices();
    if devices.is_empty() {
        return;
    }
    // More images than are processed together.
    let shape = [3, 3, 4, 5];
    let plain =
        CpuStorage::F64((0..memory(&shape)).map(|i| ((i * 29) % 127) as f64 / 127.0 * LARGEST).collect());
    for dtype in DTYPES {
        let operand = Operand::new(&devices, harness::convert(&plain, dtype).unwrap());
        let rule = harness::tolerance::Rule {
            name: "upsample_bilinear2d",
            reference: harness::tolerance::Reference::SameDType,
            wide: 0,
            narrow: 1,
            epsilons: if dtype == DType::F32 { 6.0 * LARGEST } else { 0.0 },
        };
        for layout in views(&shape) {
            for &size in SIZES {
                for align_corners in [false, true] {
                    for factors in [(None, None), (Some(size.0 as f64 / 4.0), None)] {
                        let call = Bilinear { size, align_corners, factors };
                        // candle's conversion of f8 to f64 never returns: its CPU computes these in f32.
                        let want = if dtype == DType::F8E4M3 {
                            let wide = harness::convert(&operand.cpu, DType::F32).unwrap();
                            harness::convert(&call.run(&[(&wide, &layout)]).unwrap(), dtype).unwrap()
                        } else {
                            call.run(&[(&operand.cpu, &layout)]).unwrap()
                        };
                        check_against(&call, &[(&operand, &layout)], &want, &rule);
                    }
                }
            }
            // As large as before: a copy.
            let same = Bilinear { size: (4, 5), align_corners: false, factors: (None, Some(3.0)) };
            let mut copy =
                harness::convert(&CpuStorage::F64(vec![0.0; shape.iter().product()]), dtype).unwrap();
            operand.cpu.copy_strided_src(&mut copy, 0, &layout).unwrap();
            check_against(&same, &[(&operand, &layout)], &copy, &harness::tolerance::EXACT);
        }
    }
}

#[test]
fn wrong_arguments_are_typed_errors() {
    for device in &common::devices() {
        let x = device.storage_from_slice(&[1f32; 24]).unwrap();
        let layout = Layout::contiguous((1, 2, 3, 4));
        let empty = Layout::contiguous((1, 2, 0, 4));
        for error in [
            x.upsample_nearest1d(&layout, 3).unwrap_err(),
            x.upsample_nearest2d(&Layout::contiguous((2, 3, 4)), 3, 3).unwrap_err(),
            x.upsample_nearest2d(&empty, 3, 3).unwrap_err(),
            x.upsample_bilinear2d(&empty, 3, 3, false, None, None).unwrap_err(),
            x.upsample_nearest2d(&layout, usize::MAX, 2).unwrap_err(),
        ] {
            let error = harness::rocm_error(&error);
            assert!(matches!(error, RocmError::InvalidArgument { .. }), "{error}");
        }
        let error = x.upsample_nearest2d(&Layout::contiguous((1, 2, 3, 5)), 3, 3).unwrap_err();
        assert!(matches!(harness::rocm_error(&error), RocmError::LayoutOutOfBounds { .. }), "{error}");
    }
}
