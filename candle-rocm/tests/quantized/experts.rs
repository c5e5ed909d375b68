//! Products with experts' matrices against plain sums in f64.

use candle_core::Layout;
use candle_rocm::RocmError;
use candle_rocm::quantized::{Algorithm, QStorage};

use crate::common;
use crate::weights::{activations, blocks, download, multiplied, near, products, seen, upload, weights_of};

#[test]
fn experts() {
    for device in common::devices() {
        for dtype in multiplied() {
            let (experts, n, k) = (4, 5, 2 * dtype.block_size());
            let data = blocks(dtype, experts * n * 2, 25);
            let weights = QStorage::from_data(&device, &data, dtype).expect("from_data");
            let floats = weights_of(dtype, &data);
            let (tokens, topk) = (3, 2);
            // One index is out of range.
            let ids = [3u32, 0, 1, 1, 4, 2];
            for (per_token, magnitude) in [(1, 1.), (topk, 1.), (1, 1e-6), (topk, 1e7)] {
                let x: Vec<f32> =
                    activations(tokens * per_token * k, 26).iter().map(|x| x * magnitude).collect();
                let x_l = Layout::contiguous((tokens, per_token, k));
                let (x_device, ids_device) = (upload(&device, &x), upload(&device, &ids));
                let ids_l = Layout::contiguous((tokens, topk));
                let got = weights
                    .experts_forward((experts, n, k), (&x_device, &x_l), (&ids_device, &ids_l))
                    .expect("experts_forward");
                match device.synchronize() {
                    Err(RocmError::IndexOutOfRange {
                        op: "indexed_moe_forward", index: 4, size: 4, ..
                    }) => {}
                    other => panic!("{other:?}"),
                }
                let want: Vec<(f64, f64)> = (0..tokens * topk)
                    .flat_map(|task| {
                        let vector = if per_token == 1 { task / topk } else { task };
                        let x = seen(Algorithm::Vectors, &x[vector * k..(vector + 1) * k]);
                        let expert = ids[task] as usize;
                        match floats.get(expert * n * k..(expert + 1) * n * k) {
                            Some(weights) => products(weights, k, &x),
                            None => vec![(0.0, 0.0); n],
                        }
                    })
                    .collect();
                near(&download(&got), &want, format_args!("{dtype:?} {per_token} vectors per token"));
            }
        }
    }
}
