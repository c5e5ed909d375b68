//! Pools against candle's CPU and plain loops: all dtypes, layouts, both wavefront sizes.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{CpuStorage, DType, Layout};
use candle_rocm::{ConvEngine, RocmError, RocmStorage};

use crate::common::Random;
use crate::harness::bits::Number;
use crate::harness::data::mixed_storage;
use crate::harness::views::{memory, views};
use crate::harness::{Call, DTYPES, Operand, check, int_dtypes};
use crate::{common, harness};

/// Windows, strides.
type Pool = ((usize, usize), (usize, usize));

const POOLS: &[Pool] = &[
    ((2, 2), (2, 2)),
    ((1, 1), (1, 1)),
    ((3, 2), (1, 2)),
    ((3, 3), (2, 2)),
    ((2, 2), (3, 1)),
    ((5, 7), (1, 1)),
];
const SHAPES: &[[usize; 4]] = &[[1, 1, 5, 7], [2, 3, 9, 8], [3, 2, 5, 11], [0, 2, 6, 7], [2, 0, 6, 7]];

struct Max(Pool);

impl Call for Max {
    fn name(&self) -> &'static str {
        "max_pool2d"
    }

    fn run<S: BackendStorage>(&self, args: &[(&S, &Layout)]) -> candle_core::Result<S> {
        args[0].0.max_pool2d(args[0].1, self.0.0, self.0.1)
    }
}

struct Average(Pool);

impl Call for Average {
    fn name(&self) -> &'static str {
        "avg_pool2d"
    }

    fn run<S: BackendStorage>(&self, args: &[(&S, &Layout)]) -> candle_core::Result<S> {
        args[0].0.avg_pool2d(args[0].1, self.0.0, self.0.1)
    }
}

#[test]
fn maxima_are_exact() {
    let devices = common::devices();
    if devices.is_empty() {
        return;
    }
    for dtype in DTYPES {
        for shape in SHAPES {
            // NaN and infinities among the values.
            let operand = Operand::new(&devices, mixed_storage(dtype, memory(shape), 7));
            for layout in &views(shape) {
                for &pool in POOLS {
                    check(&Max(pool), &[(&operand, layout)]);
                }
            }
        }
    }
}

#[test]
fn averages_of_floats() {
    let devices = common::devices();
    if devices.is_empty() {
        return;
    }
    for dtype in harness::float_dtypes() {
        for shape in SHAPES {
            // Whole numbers, whose sums are exact in every dtype: what is left is one product, rounded once.
            let mut random = Random(11);
            let values = CpuStorage::F32((0..memory(shape)).map(|_| random.below(3) as f32 - 1.0).collect());
            let operand = Operand::new(&devices, harness::convert(&values, dtype).unwrap());
            for layout in &views(shape) {
                for &pool in POOLS {
                    check(&Average(pool), &[(&operand, layout)]);
                }
            }
        }
    }
}

/// The mean, cut off towards 0, of sums that do not wrap.
#[test]
fn averages_of_integers() {
    let devices = common::devices();
    let (batch, h, w) = (2, 5, 6);
    for dtype in int_dtypes() {
        let mut random = Random(13);
        let lowest = if matches!(dtype, DType::U8 | DType::U32) { 0 } else { -128 };
        let values: Vec<i64> = (0..batch * h * w).map(|_| random.below(256) as i64 + lowest).collect();
        let operand =
            Operand::new(&devices, harness::convert(&CpuStorage::I64(values.clone()), dtype).unwrap());
        let layout = Layout::contiguous((batch, 1, h, w));
        for &((k_h, k_w), (s_h, s_w)) in POOLS.iter().filter(|((h, w), _)| h * w < 30) {
            let mut want = Vec::new();
            for b in 0..batch {
                for (y, x) in (0..=(h - k_h) / s_h).flat_map(|y| (0..=(w - k_w) / s_w).map(move |x| (y, x))) {
                    let sum: i64 = (0..k_h * k_w)
                        .map(|i| values[(b * h + y * s_h + i / k_w) * w + x * s_w + i % k_w])
                        .sum();
                    want.push(sum / (k_h * k_w) as i64);
                }
            }
            let want = harness::convert(&CpuStorage::I64(want), dtype).unwrap();
            for storage in &operand.rocm {
                let got = storage.avg_pool2d(&layout, (k_h, k_w), (s_h, s_w)).unwrap();
                let got = got.to_cpu_storage().unwrap();
                harness::bits::compare(&got, &want, &harness::tolerance::EXACT).unwrap();
            }
        }
    }
}

/// MIOpen divides sums where the kernels multiply by 1 / n: an ulp apart, at most.
#[test]
fn miopen_pools() {
    let x = CpuStorage::F32((0..2 * 3 * 9 * 8).map(|i| ((i * 37) % 101) as f32 / 8.0 - 5.0).collect());
    let layout = Layout::contiguous((2, 3, 9, 8));
    for device in &common::devices() {
        if !common::has_library(device, common::LibraryKind::Miopen) {
            continue;
        }
        for dtype in [DType::F32, DType::F16, DType::BF16] {
            let x = device.storage_from_cpu_storage(&harness::convert(&x, dtype).unwrap()).unwrap();
            for &(window, stride) in &POOLS[..5] {
                let run = |engine: ConvEngine, average: bool| {
                    device.set_conv_engine(engine);
                    let pool = if average { RocmStorage::avg_pool2d } else { RocmStorage::max_pool2d };
                    pool(&x, &layout, window, stride).unwrap().to_cpu_storage().unwrap()
                };
                for average in [false, true] {
                    let (got, want) = (run(ConvEngine::Miopen, average), run(ConvEngine::Kernels, average));
                    let rule = harness::tolerance::Rule {
                        name: "pool",
                        reference: harness::tolerance::Reference::SameDType,
                        wide: u128::from(average),
                        narrow: u128::from(average),
                        epsilons: 0.0,
                    };
                    harness::bits::compare(&got, &want, &rule).unwrap();
                }
            }
        }
    }
}

#[test]
fn wrong_arguments_are_typed_errors() {
    for device in &common::devices() {
        let x = device.storage_from_slice(&[1f32; 24]).unwrap();
        let layout = Layout::contiguous((1, 2, 3, 4));
        for (window, stride) in [((4, 1), (1, 1)), ((1, 5), (1, 1)), ((0, 1), (1, 1)), ((1, 1), (0, 1))] {
            for error in [
                x.avg_pool2d(&layout, window, stride).unwrap_err(),
                x.max_pool2d(&layout, window, stride).unwrap_err(),
            ] {
                let error = harness::rocm_error(&error);
                assert!(matches!(error, RocmError::InvalidArgument { .. }), "{error}");
            }
        }
        let error = x.max_pool2d(&Layout::contiguous((6, 4)), (1, 1), (1, 1)).unwrap_err();
        assert!(matches!(harness::rocm_error(&error), RocmError::InvalidArgument { .. }), "{error}");
        let error = x.avg_pool2d(&Layout::contiguous((1, 2, 3, 5)), (1, 1), (1, 1)).unwrap_err();
        assert!(matches!(harness::rocm_error(&error), RocmError::LayoutOutOfBounds { .. }), "{error}");
    }
}

/// A value that comes first may be NaN; one that comes later counts for nothing.
#[test]
fn nan_in_windows() {
    for device in &common::devices() {
        let x = device.storage_from_slice(&[f32::NAN, 1.0, 2.0, f32::NAN]).unwrap();
        let got = x.max_pool2d(&Layout::contiguous((1, 1, 1, 4)), (1, 2), (1, 2)).unwrap();
        let CpuStorage::F32(got) = got.to_cpu_storage().unwrap() else { panic!("no f32") };
        assert!(got[0].nan() && got[1] == 2.0, "{got:?}");
    }
}
