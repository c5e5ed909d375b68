//! Without choices everything goes by today's rules, whatever tuning is set to.

use candle_core::quantized::GgmlDType as G;
use candle_core::{DType, Layout};
use candle_rocm::Tuning;
use candle_rocm::quantized::QStorage;

use crate::{Product, common, download, numbers, upload};

/// The same bits from the same number of launches with [`Tuning::Off`] as with the default.
#[test]
fn stored_with_nothing_stored_is_off() {
    for device in common::devices() {
        if device.tuning_report().stored > 0 {
            common::skip("tuning", "this machine's cache has choices for the device");
            continue;
        }
        let mut seen = Vec::new();
        for tuning in [Tuning::Off, Tuning::Stored] {
            device.set_tuning(tuning);
            let before = device.counters().launches;
            let mut results = Vec::new();
            for dtype in [DType::F32, DType::F16] {
                for shape in [[1, 1, 70, 50], [2, 6, 33, 40], [1, 40, 70, 64]] {
                    results.push(Product { dtype, shape, transposed: true }.on(&device));
                }
            }
            let mut weights = QStorage::zeros(&device, 40 * 256, G::Q4K).unwrap();
            weights.quantize_from(&numbers(40 * 256, 5), None).unwrap();
            for vectors in [1, 4, 20] {
                let x = upload(&device, &numbers(vectors * 256, 6), DType::F32);
                let y = weights.forward((40, 256), &x, &Layout::contiguous((vectors, 256))).unwrap();
                results.push(download(&y, vectors * 40));
            }
            seen.push((results, device.counters().launches - before));
        }
        assert!(seen[0] == seen[1], "{}", device.label());
        let report = device.tuning_report();
        assert_eq!((report.measured, report.undecided), (0, 0), "{report}");
    }
}
