//! What does not fit.

use candle_core::quantized::GgmlDType as G;
use candle_core::{DType, Layout};
use candle_rocm::RocmDevice;
use candle_rocm::quantized::{Algorithm, QStorage};

use crate::common;
use crate::weights::{fails, upload};

#[test]
fn what_does_not_fit_is_said() {
    for device in common::devices() {
        fails(QStorage::from_data(&device, &[0; 35], G::Q8_0), &["35 bytes", "Q8_0", "34 bytes"]);
        fails(QStorage::zeros(&device, 300, G::Q4K), &["300 elements", "Q4K", "256"]);
        let mut weights = QStorage::zeros(&device, 6 * 64, G::Q4_0).expect("zeros");
        fails(weights.quantize_from(&[0.0; 64], None), &["64 values", "384 weights"]);
        fails(weights.quantize(&upload(&device, &[0f64; 384]), None), &["quantize", "f64"]);

        let x = upload(&device, &vec![0f32; 128]);
        let layout = Layout::contiguous((2, 64));
        fails(weights.forward((8, 48), &x, &layout), &["48 columns", "Q4_0", "32"]);
        fails(weights.forward((7, 64), &x, &layout), &["384 weights", "[7, 64]"]);
        fails(weights.forward((6, 64), &x, &Layout::contiguous((4, 32))), &["[4, 32]", "[6, 64]"]);
        let transposed = Layout::contiguous((64, 2)).transpose(0, 1).expect("transpose");
        fails(weights.forward((6, 64), &x, &transposed), &["not contiguous", "contiguous()"]);
        fails(weights.forward((6, 64), &x, &Layout::contiguous((3, 64))), &["exceeds a storage"]);
        fails(weights.forward_with(Algorithm::Exact, (6, 64), &x, &layout), &["2 vectors", "Exact"]);
        let long = upload(&device, &vec![0i64; 128]);
        fails(weights.forward((6, 64), &long, &layout), &["qmatmul", "i64"]);
        let other = RocmDevice::on(device.platform(), device.ordinal()).expect("device");
        fails(weights.forward((6, 64), &upload(&other, &[0f32; 128]), &layout), &["device mismatch"]);

        fails(weights.rows((6, 64), &x, &Layout::contiguous(2)), &["u32", "f32"]);
        fails(weights.rows((5, 64), &upload(&device, &[0u32]), &Layout::contiguous(1)), &["[5, 64]"]);
        fails(weights.dequantize(DType::F64), &["dequantize", "f64"]);
        let q8_1 = QStorage::zeros(&device, 64, G::Q8_1).expect("zeros");
        fails(q8_1.forward_with(Algorithm::Tiles, (1, 64), &x, &layout), &["Q8_1"]);
        let ids = upload(&device, &[0u32, 1]);
        fails(
            weights.experts_forward((2, 3, 64), (&x, &layout), (&ids, &Layout::contiguous((2, 1)))),
            &["(tokens, 1 or topk, 64)"],
        );
        fails(
            weights.experts_forward(
                (2, 3, 64),
                (&x, &Layout::contiguous((1, 2, 64))),
                (&ids, &Layout::contiguous((2, 1))),
            ),
            &["[1, 2, 64]"],
        );
        device.synchronize().expect("nothing ran");
    }
}
