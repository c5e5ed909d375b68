//! Products against plain sums in f64.

use candle_core::quantized::GgmlDType as G;
use candle_core::{DType, Layout};
use candle_rocm::hip::LaunchConfig;
use candle_rocm::platform::HOST;
use candle_rocm::quantized::{Algorithm, BlockType, QStorage};
use candle_rocm::{GemmEngine, RocmDType, RocmDevice, RocmStorage, Tuning};
use half::{bf16, f16};
use rocm_kernels::QUANTIZED_MAT_VEC;

use crate::common;
use crate::weights::{
    CANDLES, CONVERTED, activations, all, blocks, download, fails, kernel_name, multiplied, near, products,
    q8_blocks, seen, upload, weights_of,
};

/// Ways with shapes for them: (vectors, rows, blocks of a row).
fn cases(algorithm: Algorithm) -> Vec<(usize, usize, usize)> {
    match algorithm {
        Algorithm::Exact => vec![(1, 1, 1), (1, 5, 3), (1, 67, 2)],
        // Odd numbers of rows with every number of vectors: the last team's rows are not all there.
        Algorithm::Vectors => {
            (1..=9).map(|vectors| (vectors, 2 * vectors - 1, 3)).chain([(19, 5, 1), (1, 67, 5)]).collect()
        }
        // Rows for some of a block's teams, for all, for several rounds; a part of a chunk of 32 units, several chunks.
        Algorithm::Streamed => {
            let some = (1..=9).map(|vectors| (vectors, 2 * vectors + 1, 2));
            some.chain([(1, 1, 2), (1, 37, 18), (2, 150, 2), (19, 5, 4), (1, 650, 2)]).collect()
        }
        Algorithm::Half => vec![(1, 3, 2), (5, 7, 1), (33, 5, 2), (34, 37, 1)],
        Algorithm::Tiles => vec![(1, 1, 1), (9, 3, 2), (17, 65, 1), (65, 67, 3)],
        Algorithm::Dequantized => vec![(1, 3, 2), (5, 7, 1), (33, 5, 2)],
    }
}

fn check_products(device: &RocmDevice, dtype: BlockType, algorithm: Algorithm) {
    for (vectors, rows, blocks_per_row) in cases(algorithm) {
        let columns = blocks_per_row * dtype.block_size();
        let data = blocks(dtype, rows * blocks_per_row, 14);
        let weights = QStorage::from_data(device, &data, dtype).expect("from_data");
        let mut x = activations(3, 15);
        x.extend(activations(vectors * columns, 16));
        let layout = Layout::contiguous_with_offset((1, vectors, columns), 3);
        let got =
            weights.forward_with(algorithm, (rows, columns), &upload(device, &x), &layout).expect("forward");
        let seen: Vec<f32> = x[3..].chunks(columns).flat_map(|x| seen(algorithm, x)).collect();
        let mut floats = weights_of(dtype, &data);
        if algorithm == Algorithm::Half {
            floats.iter_mut().for_each(|v| *v = bf16::from_f32(*v).to_f32());
        }
        let want = products(&floats, columns, &seen);
        near(&download(&got), &want, format_args!("{dtype:?} {algorithm:?} {vectors} x {rows} x {columns}"));
    }
}

#[test]
fn one_vector_exactly() {
    for device in common::devices() {
        multiplied().for_each(|dtype| check_products(&device, dtype, Algorithm::Exact));
    }
}

#[test]
fn some_vectors() {
    for device in common::devices() {
        multiplied().for_each(|dtype| check_products(&device, dtype, Algorithm::Vectors));
    }
}

#[test]
fn streamed_vectors() {
    for device in common::devices() {
        multiplied().for_each(|dtype| check_products(&device, dtype, Algorithm::Streamed));
        let weights = QStorage::zeros(&device, 96, G::Q8_0).expect("zeros");
        let x = upload(&device, &[1f32; 32]);
        fails(
            weights.forward_with(Algorithm::Streamed, (3, 32), &x, &Layout::contiguous((1, 32))),
            &["32 columns", "64"],
        );
    }
}

#[test]
fn many_vectors() {
    for device in common::devices() {
        multiplied().for_each(|dtype| check_products(&device, dtype, Algorithm::Tiles));
    }
}

#[test]
fn through_floats() {
    for device in common::devices() {
        for engine in [GemmEngine::Auto, GemmEngine::Kernels] {
            device.set_gemm_engine(engine);
            all().for_each(|dtype| check_products(&device, dtype, Algorithm::Dequantized));
            for matrix_cores in [false, true] {
                device.set_matrix_cores(matrix_cores);
                all().for_each(|dtype| check_products(&device, dtype, Algorithm::Half));
            }
        }
    }
}

/// [`Algorithm::Half`] without rocBLAS: vectors and weights become bf16, and are multiplied as they are.
#[test]
fn half_without_rocblas() {
    if !common::in_child("products::half_without_rocblas", &[("CANDLE_ROCM_HOST_ROCBLAS", Some("off"))]) {
        return;
    }
    for device in common::devices() {
        device.set_tuning(Tuning::Off);
        let (vectors, rows, columns) = (34, 37, 256);
        let x = upload(&device, &activations(vectors * columns, 1));
        let weights = blocks(G::Q4K, rows, 2);
        let weights = QStorage::from_data(&device, &weights, G::Q4K).expect("from_data");
        let layout = Layout::contiguous((vectors, columns));
        let host = device.platform() == HOST;
        let engines = [GemmEngine::Kernels, GemmEngine::Auto].into_iter().take(if host { 2 } else { 1 });
        for (engine, matrix_cores) in engines.flat_map(|engine| [(engine, false), (engine, true)]) {
            device.set_gemm_engine(engine);
            device.set_matrix_cores(matrix_cores);
            device.synchronize().expect("synchronize");
            weights.forward_with(Algorithm::Half, (rows, columns), &x, &layout).expect("forward");
            let kernels = device.stream().recent_kernels();
            let Some((product, before)) = kernels.split_last() else { panic!("{engine:?}: no launch") };
            let makes_bf16 =
                |name: &String| name.starts_with("cast_") || name.starts_with("dequantize_block_");
            let is_bf16 = before.iter().all(|name| makes_bf16(name) && name.ends_with("_bf16"));
            assert!(is_bf16 && product.ends_with("_bf16_f32"), "{engine:?}: {kernels:?}");
            // Not every card has them for bf16.
            assert!(!host || product.starts_with("gemm_matrix_") == matrix_cores, "{engine:?}: {product}");
        }
    }
}

/// Teams of every kind: one thread, parts of a wave, a wave, several waves.
#[test]
fn teams_of_any_size() {
    for device in common::devices() {
        let wave = device.wavefront_size();
        for dtype in [G::Q8_0, G::Q4K, G::Q2K] {
            let (vectors, rows, columns) = (3, 13, 1024);
            let data = blocks(dtype, rows * columns / dtype.block_size(), 17);
            let x = activations(vectors * columns, 18);
            let seen: Vec<f32> = seen(Algorithm::Vectors, &x);
            let weights = weights_of(dtype, &data);
            let name = kernel_name(dtype);
            let blocks = device.upload(&data).expect("upload");
            let y = device.upload(&q8_blocks(&x)).expect("upload");
            for (grid, block) in [
                (1, [1, 1]),
                (2, [1, 5]),
                (1, [4, 8]),
                (9, [wave, 2]),
                (1, [wave, 1]),
                (2, [2 * wave, 1]),
                (1, [wave * 3, 1]),
            ] {
                let mut out = device.upload(&vec![f32::NAN; vectors * rows + 1]).expect("upload");
                let mut launch = device.launch(&QUANTIZED_MAT_VEC, &format!("vectors_{name}_3"));
                launch.buffer(&blocks, 0).buffer(&y, 0).buffer_mut(&mut out, 0);
                [columns, rows].iter().for_each(|&size| _ = launch.arg(&(size as u32)));
                let config =
                    LaunchConfig { grid: [grid, 1, 1], block: [block[0], block[1], 1], shared_bytes: 0 };
                // SAFETY: vectors_*_3(blocks, y, out, columns, rows).
                unsafe { launch.run(config) }.expect("mat_vec");
                let out = device.download(&out).expect("download");
                let what = format_args!("{dtype:?} grid {grid} block {block:?}");
                near(&out[..vectors * rows], &products(&weights, columns, &seen), what);
                assert!(out[vectors * rows].is_nan(), "{what}: a result behind the last");
            }
        }
    }
}

/// More vectors than one launch quantizes, in both orders.
#[test]
fn more_vectors_than_a_launch_quantizes() {
    for device in common::devices() {
        let (rows, columns, vectors) = (2, 32, (1 << 15) + 3);
        let data = blocks(G::Q4_0, rows, 42);
        let weights = QStorage::from_data(&device, &data, G::Q4_0).expect("from_data");
        let x = activations(vectors * columns, 43);
        let want = products(&weights_of(G::Q4_0, &data), columns, &seen(Algorithm::Tiles, &x));
        let layout = Layout::contiguous((vectors, columns));
        let got = weights.forward_with(Algorithm::Tiles, (rows, columns), &upload(&device, &x), &layout);
        near(&download(&got.expect("tiles")), &want, format_args!("tiles"));
        // Of one expert, where a list names the vectors.
        let (x_l, ids_l) = (Layout::contiguous((vectors, 1, columns)), Layout::contiguous((vectors, 1)));
        let ids = upload(&device, &vec![0u32; vectors]);
        let (x, shape) = (upload(&device, &x), (1, rows, columns));
        let got = weights.experts_forward_with(Algorithm::Tiles, shape, (&x, &x_l), (&ids, &ids_l));
        near(&download(&got.expect("experts")), &want, format_args!("experts"));
    }
}

/// Half types are widened exactly, multiplied as f32, and rounded once.
#[test]
fn half_types() {
    fn check<T: RocmDType>(device: &RocmDevice, round: fn(f32) -> T) {
        for dtype in [G::Q4_0, G::Q6K] {
            for (algorithm, vectors) in [
                (Algorithm::Exact, 1),
                (Algorithm::Vectors, 3),
                (Algorithm::Streamed, 1),
                (Algorithm::Streamed, 3),
                (Algorithm::Tiles, 5),
            ] {
                let (rows, columns) = (9, 512);
                let data = blocks(dtype, rows * columns / dtype.block_size(), 19);
                let weights = QStorage::from_data(device, &data, dtype).expect("from_data");
                let x: Vec<T> = activations(vectors * columns, 20).into_iter().map(round).collect();
                let wide: Vec<f32> = x.iter().map(|v| v.to_f64() as f32).collect();
                let layout = Layout::contiguous((vectors, columns));
                let forward = |x: &RocmStorage| {
                    weights.forward_with(algorithm, (rows, columns), x, &layout).expect("forward")
                };
                let want: Vec<T> =
                    download::<f32>(&forward(&upload(device, &wide))).into_iter().map(round).collect();
                let got = download::<T>(&forward(&upload(device, &x)));
                assert!(got == want, "{dtype:?} {algorithm:?} {:?}", T::DTYPE);
            }
        }
    }
    for device in common::devices() {
        check::<f16>(&device, f16::from_f32);
        check::<bf16>(&device, bf16::from_f32);
    }
}

/// What `forward` chooses by itself is near what candle's CPU computes. Both quantize the activations, to 8 bits per block:
/// each is then off by half a step at most, a step being 1/127 of the block's largest value, which is 2 here.
#[test]
fn like_the_cpu() {
    for device in common::devices() {
        for dtype in CANDLES.into_iter().chain(CONVERTED) {
            for vectors in [1, 2, 9, 40] {
                let (rows, columns) = (6, 512);
                let data = blocks(dtype, rows * columns / dtype.block_size(), 21);
                let weights = QStorage::from_data(&device, &data, dtype).expect("from_data");
                let x = activations(vectors * columns, 22);
                let layout = Layout::contiguous((vectors, columns));
                let got = weights.forward((rows, columns), &upload(&device, &x), &layout).expect("forward");
                let mut want = vec![0f32; vectors * rows];
                let cpu = dtype.from_data(data.as_slice().into());
                cpu.matmul_t((vectors, columns, rows), &x, &mut want).expect("candle multiplies");
                let sizes = weights_of(dtype, &data)
                    .chunks(columns)
                    .map(|row| row.iter().map(|w| f64::from(w.abs())).sum::<f64>())
                    .collect::<Vec<_>>();
                let want: Vec<(f64, f64)> = want
                    .iter()
                    .enumerate()
                    .map(|(i, &want)| {
                        (f64::from(want), sizes[i % rows] * 2.0 * (2.0 / 127.0 / 2.0 + 2.0 / 2048.0))
                    })
                    .collect();
                near(&download(&got), &want, format_args!("{dtype:?} {vectors} vectors"));
            }
        }
    }
}

/// Vectors of any size give what the dequantized weights give in f64, whatever their number. Weights and vectors are positive, so that
/// sums do not cancel: a value is off by 1/254 of the largest at most, which is less than twice as large, and by half of that on average.
#[test]
fn vectors_of_any_magnitude() {
    const LIMIT: f64 = 2. / 254.;
    for device in common::devices() {
        for dtype in CANDLES {
            let (rows, columns) = (5, 512);
            let floats: Vec<f32> = activations(rows * columns, 31).iter().map(|w| 1. + w / 8.).collect();
            let mut weights = QStorage::zeros(&device, rows * columns, dtype).expect("zeros");
            weights.quantize(&upload(&device, &floats), None).expect("quantize");
            let floats = weights_of(dtype, &weights.data().expect("data"));
            for magnitude in [1e-30f32, 1e-6, 1e-4, 1., 1e4, 1e7, 1e30] {
                for vectors in [1, 2, 3, 8, 9, 33, 64] {
                    let x = activations(vectors * columns, 32);
                    let x: Vec<f32> = x.iter().map(|x| (0.75 + x / 8.) * magnitude).collect();
                    let want = products(&floats, columns, &x);
                    let (x, layout) = (upload(&device, &x), Layout::contiguous((vectors, columns)));
                    let few = [Algorithm::Vectors, Algorithm::Streamed];
                    let many = [Algorithm::Tiles, Algorithm::Half, Algorithm::Dequantized];
                    let several = if vectors < 33 { &few[..] } else { &many };
                    let exact = (vectors == 1).then_some(Algorithm::Exact);
                    let chosen = weights.algorithm((rows, columns), vectors);
                    for algorithm in several.iter().copied().chain(exact).chain([chosen]) {
                        let got = weights.forward_with(algorithm, (rows, columns), &x, &layout);
                        for (got, (want, _)) in download::<f32>(&got.expect("forward")).into_iter().zip(&want)
                        {
                            let apart = (f64::from(got) - want).abs() / want;
                            assert!(
                                apart <= LIMIT,
                                "{dtype:?} {algorithm:?}, {vectors} vectors of {magnitude}: got {got} want {want}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_nan_is_not_lost() {
    for device in common::devices() {
        for dtype in multiplied() {
            let (rows, columns) = (3, 2 * dtype.block_size().max(32));
            let data = blocks(dtype, rows * columns / dtype.block_size(), 23);
            let weights = QStorage::from_data(&device, &data, dtype).expect("from_data");
            for algorithm in [Algorithm::Vectors, Algorithm::Streamed, Algorithm::Tiles] {
                let product = |x: &[f32]| {
                    let layout = Layout::contiguous((3, columns));
                    let x = upload(&device, x);
                    download::<f32>(
                        &weights.forward_with(algorithm, (rows, columns), &x, &layout).expect("forward"),
                    )
                };
                let mut x = activations(3 * columns, 24);
                let want = product(&x);
                for special in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                    x[columns + 40] = special;
                    let out = product(&x);
                    assert!(
                        out[rows..2 * rows].iter().all(|v| v.is_nan()),
                        "{dtype:?} {algorithm:?}: {out:?}"
                    );
                    // Other vectors do not notice.
                    for others in [0..rows, 2 * rows..3 * rows] {
                        let same = (&out[others.clone()], &want[others]);
                        assert_eq!(same.0, same.1, "{dtype:?} {algorithm:?} {special}");
                    }
                }
            }
        }
    }
}

#[test]
fn nothing_to_multiply() {
    for device in common::devices() {
        for (vectors, rows, columns) in [(0, 3, 64), (2, 0, 64), (2, 3, 0)] {
            for algorithm in [
                Algorithm::Vectors,
                Algorithm::Streamed,
                Algorithm::Tiles,
                Algorithm::Dequantized,
                Algorithm::Half,
            ] {
                let weights = QStorage::zeros(&device, rows * columns, G::Q5_1).expect("zeros");
                let x = upload(&device, &vec![1f32; vectors * columns]);
                let layout = Layout::contiguous((vectors, columns));
                let out = weights.forward_with(algorithm, (rows, columns), &x, &layout).expect("forward");
                assert_eq!(download::<f32>(&out), vec![0f32; vectors * rows]);
            }
        }
    }
}

/// Every buffer an allocation of its own, between zones that the CPU platform watches: nothing is written behind the last
/// row, however odd the number of rows and vectors.
#[test]
fn nothing_is_written_elsewhere() {
    if !common::in_child("products::nothing_is_written_elsewhere", &[("CANDLE_ROCM_POOL", Some("off"))]) {
        return;
    }
    for device in common::devices() {
        for dtype in multiplied() {
            for (algorithm, vectors) in [
                (Algorithm::Exact, 1),
                (Algorithm::Tiles, 3),
                (Algorithm::Streamed, 1),
                (Algorithm::Streamed, 3),
                (Algorithm::Streamed, 7),
            ]
            .into_iter()
            .chain((1..=9).map(|v| (Algorithm::Vectors, v)))
            {
                let (rows, columns) = (3, dtype.block_size().max(64));
                let weights = QStorage::from_data(
                    &device,
                    &blocks(dtype, rows * columns / dtype.block_size(), 28),
                    dtype,
                )
                .expect("from_data");
                let x = upload(&device, &activations(vectors * columns, 29));
                let out = weights.forward_with(
                    algorithm,
                    (rows, columns),
                    &x,
                    &Layout::contiguous((vectors, columns)),
                );
                drop((weights, x, out.expect("forward")));
                device
                    .synchronize()
                    .unwrap_or_else(|error| panic!("{dtype:?} {algorithm:?} {vectors}: {error}"));
            }
        }
        for dtype in all() {
            let weights = QStorage::from_data(&device, &blocks(dtype, 3, 30), dtype).expect("from_data");
            drop([DType::F32, DType::F16, DType::BF16].map(|to| weights.dequantize(to).expect("dequantize")));
            let ids = upload(&device, &[2u32, 0, 1]);
            drop(weights.rows((3, dtype.block_size()), &ids, &Layout::contiguous(3)).expect("rows"));
            drop(ids);
            device.synchronize().unwrap_or_else(|error| panic!("{dtype:?}: {error}"));
        }
    }
}
