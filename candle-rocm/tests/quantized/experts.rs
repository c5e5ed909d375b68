//! Products with experts' matrices against plain sums in f64.

use candle_core::Layout;
use candle_core::quantized::GgmlDType as G;
use candle_rocm::hip::LaunchConfig;
use candle_rocm::quantized::{Algorithm, BlockType, QStorage};
use candle_rocm::{RocmDevice, RocmError};
use rocm_kernels::{QUANTIZED_EXPERTS, QUANTIZED_GRID_EXPERTS};

use crate::common::{self, Random};
use crate::weights::{
    activations, blocks, download, kernel_name, module_of, multiplied, near, products, q8_steps, seen,
    tiles_of, upload, weights_of,
};

const ALGORITHMS: [Algorithm; 2] = [Algorithm::Vectors, Algorithm::Tiles];

/// Of each task the sums, and how far off results may be. Experts that there are not give zeros.
fn wanted(
    floats: &[f32],
    (n, k): (usize, usize),
    x: &[f32],
    per_vector: usize,
    ids: &[u32],
) -> Vec<(f64, f64)> {
    let task = |(task, &expert): (usize, &u32)| {
        let x = seen(Algorithm::Vectors, &x[task / per_vector * k..][..k]);
        match floats.get(expert as usize * n * k..(expert as usize + 1) * n * k) {
            Some(weights) => products(weights, k, &x),
            None => vec![(0.0, 0.0); n],
        }
    };
    ids.iter().enumerate().flat_map(task).collect()
}

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
                let want = wanted(&floats, (n, k), &x, topk / per_token, &ids);
                for algorithm in ALGORITHMS {
                    let (x, ids) = ((&x_device, &x_l), (&ids_device, &ids_l));
                    let got =
                        weights.experts_forward_with(algorithm, (experts, n, k), x, ids).expect("experts");
                    match device.synchronize() {
                        Err(RocmError::IndexOutOfRange {
                            op: "indexed_moe_forward",
                            index: 4,
                            size: 4,
                            ..
                        }) => {}
                        other => panic!("{other:?}"),
                    }
                    let what = format_args!("{dtype:?} {algorithm:?} {per_token} vectors per token");
                    near(&download(&got), &want, what);
                }
            }
        }
    }
}

/// Experts of models: half of the tokens choose the first expert, others any of the first half, and few the rest.
fn uneven(tokens: usize, experts: usize, topk: usize) -> Vec<u32> {
    let mut random = Random(31);
    let mut ids = Vec::new();
    for token in 0..tokens {
        let mut chosen = Vec::new();
        if token % 2 == 0 {
            chosen.push(0);
        }
        while chosen.len() < topk {
            let below = if random.below(10) == 0 { experts } else { experts.div_ceil(2) };
            let expert = random.below(below) as u32;
            if !chosen.contains(&expert) {
                chosen.push(expert);
            }
        }
        // Not always in the same place.
        chosen.rotate_left(token % topk);
        ids.extend(chosen);
    }
    ids
}

/// As models route: experts with no row, with one, and with more than a tile; and one expert for all.
#[test]
fn uneven_routing() {
    for device in common::devices() {
        for (tokens, experts, topk, n, dtype, per_token) in [
            (33, 128, 8, 7, G::Q4K, 1),
            (300, 8, 2, 70, G::Q8_0, 1),
            (300, 8, 2, 5, G::Q4_0, 2),
            (40, 1, 1, 3, G::Q6K, 1),
            (2, 1023, 3, 2, G::Q4_0, 1),
            // So many rows that vectors are written once for each product.
            (30, 2, 2, 16 * 128 + 1, G::Q4_0, 1),
        ] {
            let k = dtype.block_size();
            let data = blocks(dtype, experts * n, 27);
            let weights = QStorage::from_data(&device, &data, dtype).expect("from_data");
            let x = activations(tokens * per_token * k, 28);
            let ids = uneven(tokens, experts, topk);
            let got = weights
                .experts_forward_with(
                    Algorithm::Tiles,
                    (experts, n, k),
                    (&upload(&device, &x), &Layout::contiguous((tokens, per_token, k))),
                    (&upload(&device, &ids), &Layout::contiguous((tokens, topk))),
                )
                .expect("experts");
            let want = wanted(&weights_of(dtype, &data), (n, k), &x, topk / per_token, &ids);
            near(&download(&got), &want, format_args!("{dtype:?} {tokens} tokens, {topk} of {experts}"));
        }
    }
}

/// Every kernel, with tiles that are full, that have one row, of no expert, and none, by one block and by more than there are.
#[test]
fn tiles_of_any_size() {
    for device in common::devices() {
        for dtype in multiplied() {
            for (high, wide) in tiles_of(&device) {
                for (n, grid) in [(high + 3, [1, 1, 1]), (5, [2, 3, 1])] {
                    check_tiles(&device, dtype, (n, wide), grid);
                }
            }
        }
    }
}

fn check_tiles(device: &RocmDevice, dtype: BlockType, (n, wide): (usize, usize), grid: [u32; 3]) {
    let k = if dtype.block_size() == 32 { 3 * 32 } else { dtype.block_size() };
    let (experts, per_vector) = (2, 3);
    // Of the first tile all rows, of the second one, and of the third a few. Rows are in any order.
    let tiles: Vec<u32> = [[1, 0, wide], [0, wide, 1], [7, wide + 1, 3], [0, 0, 0]]
        .iter()
        .flatten()
        .map(|&word| word as u32)
        .collect();
    let tasks = wide + 4;
    let order: Vec<u32> = (0..tasks as u32).map(|i| (i * 5 + 2) % tasks as u32).collect();
    assert!(order.iter().all(|&task| order.iter().filter(|&&other| other == task).count() == 1));
    let data = blocks(dtype, experts * n * k / dtype.block_size(), 42);
    let x = activations(tasks.div_ceil(per_vector) * k, 43);
    let weights = device.upload(&data).expect("upload");
    let listed = order.iter().flat_map(|&task| &x[task as usize / per_vector * k..][..k]);
    let listed: Vec<f32> = listed.copied().collect();
    let (order_device, tiles_device) =
        (device.upload(&order).expect("upload"), device.upload(&tiles).expect("upload"));
    let name = format!("expert_tiles_{}_{wide}", kernel_name(dtype));
    let module = module_of(dtype, [&QUANTIZED_EXPERTS, &QUANTIZED_GRID_EXPERTS]);
    let mut ids = vec![0u32; tasks];
    for (i, &task) in order.iter().enumerate() {
        ids[task as usize] = [1, 0, 7][usize::from(i >= wide) + usize::from(i > wide)];
    }
    let want = wanted(&weights_of(dtype, &data), (n, k), &x, per_vector, &ids);
    // A vector for each product in the order of the list, and one for several.
    for (x, per_vector) in [(&listed, 0), (&x, per_vector)] {
        let vectors = device.upload(&q8_steps(x, k)).expect("upload");
        let mut out = device.upload(&vec![f32::NAN; (tasks + 1) * n]).expect("upload");
        let mut launch = device.launch(module, &name);
        launch.buffer(&weights, 0).buffer(&vectors, 0).buffer(&order_device, 0).buffer(&tiles_device, 0);
        launch.buffer_mut(&mut out, 0);
        [k, n, experts, x.len() / k, per_vector, 4].iter().for_each(|&size| _ = launch.arg(&(size as u32)));
        // SAFETY: expert_tiles_*_*(blocks, x, order, tiles, out, columns, rows, experts, vectors, products of a vector or 0, tiles).
        unsafe { launch.run(LaunchConfig { grid, block: [256, 1, 1], shared_bytes: 0 }) }.expect("tiles");
        let mut out = device.download(&out).expect("download");
        let behind = out.split_off(tasks * n);
        let what = format_args!("{name}: {n} x {k}, {per_vector} products of a vector");
        assert!(behind.iter().all(|v| v.is_nan()), "{what}: a result behind the last");
        near(&out, &want, what);
    }
}

/// What tiles do not take, and that other algorithms are no algorithms for experts.
#[test]
fn algorithms_that_do_not_fit() {
    for device in common::devices_without_kernels() {
        let (experts, n, k) = (1024, 1, 32);
        let weights = QStorage::zeros(&device, experts * n * k, G::Q4_0).expect("zeros");
        let (x, ids) = (upload(&device, &[0f32; 32]), upload(&device, &[0u32]));
        for algorithm in [Algorithm::Tiles, Algorithm::Half, Algorithm::Exact, Algorithm::Streamed] {
            let x = (&x, &Layout::contiguous((1, 1, k)));
            let error = weights.experts_forward_with(
                algorithm,
                (experts, n, k),
                x,
                (&ids, &Layout::contiguous((1, 1))),
            );
            let error = error.expect_err("it should have failed");
            assert!(matches!(error, RocmError::InvalidArgument { .. }), "{error}");
        }
    }
}
