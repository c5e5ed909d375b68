//! Quantized weights against candle's own code for the CPU, and products against plain sums in f64.

mod common;

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::quantized::GgmlDType as G;
use candle_core::{CpuStorage, DType, Layout};
use candle_rocm::hip::LaunchConfig;
use candle_rocm::quantized::{QStorage, Way};
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage};
use half::{bf16, f16};
use rocm_kernels::{QUANTIZED, QUANTIZED_MAT_VEC};

use common::Random;

const FLOATS: [G; 3] = [G::F32, G::F16, G::BF16];
/// Those with products of their own.
const MULTIPLIED: [G; 10] =
    [G::Q4_0, G::Q4_1, G::Q5_0, G::Q5_1, G::Q8_0, G::Q2K, G::Q3K, G::Q4K, G::Q5K, G::Q6K];
const CONVERTED: [G; 2] = [G::Q8_1, G::Q8K];

fn all() -> impl Iterator<Item = G> {
    FLOATS.into_iter().chain(MULTIPLIED).chain(CONVERTED)
}

/// Blocks of any bits, so that each of them counts, but for the scales: those in floats are small numbers.
fn blocks(dtype: G, count: usize, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut bytes: Vec<u8> = (0..count * dtype.type_size()).map(|_| random.next() as u8).collect();
    for block in bytes.chunks_exact_mut(dtype.type_size()) {
        let mut float = || random.below(2001) as f32 / 10_000.0 - 0.1;
        let halves: &[usize] = match dtype {
            G::Q4_0 | G::Q5_0 | G::Q8_0 | G::F16 => &[0],
            G::Q4_1 | G::Q5_1 | G::Q8_1 | G::Q4K | G::Q5K => &[0, 2],
            G::Q2K => &[80, 82],
            G::Q3K => &[108],
            G::Q6K => &[208],
            G::BF16 => {
                block.copy_from_slice(&bf16::from_f32(float()).to_ne_bytes());
                &[]
            }
            G::F32 | G::Q8K => {
                block[..4].copy_from_slice(&float().to_ne_bytes());
                &[]
            }
        };
        for &at in halves {
            block[at..at + 2].copy_from_slice(&f16::from_f32(float()).to_ne_bytes());
        }
    }
    bytes
}

/// What candle's CPU makes of blocks.
fn weights_of(dtype: G, blocks: &[u8]) -> Vec<f32> {
    if blocks.is_empty() {
        return Vec::new();
    }
    let len = blocks.len() / dtype.type_size() * dtype.block_size();
    match dtype.from_data(blocks.into()).dequantize(len).expect("candle dequantizes") {
        CpuStorage::F32(values) => values,
        other => panic!("{:?}", other.dtype()),
    }
}

fn activations(len: usize, seed: u64) -> Vec<f32> {
    let mut random = Random(seed);
    (0..len).map(|_| random.below(20_001) as f32 / 5000.0 - 2.0).collect()
}

fn upload<T: RocmDType>(device: &RocmDevice, data: &[T]) -> RocmStorage {
    device.storage_from_slice(data).expect("upload")
}

fn download<T: RocmDType>(storage: &RocmStorage) -> Vec<T> {
    T::cpu_storage_as_slice(&storage.to_cpu_storage().expect("download")).expect("dtype").to_vec()
}

#[track_caller]
fn same_bits(got: &[f32], want: &[f32], what: std::fmt::Arguments<'_>) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        assert!(got.to_bits() == want.to_bits(), "{what} [{i}]: got {got:?} want {want:?}");
    }
}

#[track_caller]
fn fails(result: Result<impl Sized, RocmError>, words: &[&str]) {
    let Err(error) = result else { panic!("no error about {words:?}") };
    let message = error.to_string();
    assert!(words.iter().all(|word| message.contains(word)), "{message:?} lacks one of {words:?}");
}

#[test]
fn dequantize_every_type() {
    for device in common::devices() {
        for dtype in all() {
            for count in [0, 1, 3, 8, 41] {
                let data = blocks(dtype, count, 11);
                let weights = QStorage::from_data(&device, &data, dtype).expect("from_data");
                let want = weights_of(dtype, &data);
                assert_eq!((weights.len(), weights.size_in_bytes()), (want.len(), data.len()));
                assert_eq!(weights.data().expect("data"), data);
                let got = download::<f32>(&weights.dequantize(DType::F32).expect("f32"));
                same_bits(&got, &want, format_args!("{dtype:?}"));
                let got = download::<f16>(&weights.dequantize(DType::F16).expect("f16"));
                assert_eq!(got, want.iter().map(|&v| f16::from_f32(v)).collect::<Vec<_>>(), "{dtype:?}");
                let got = download::<bf16>(&weights.dequantize(DType::BF16).expect("bf16"));
                assert_eq!(got, want.iter().map(|&v| bf16::from_f32(v)).collect::<Vec<_>>(), "{dtype:?}");
            }
        }
    }
}

#[test]
fn rows() {
    for device in common::devices() {
        for dtype in all() {
            let (rows, columns) = (7, 3 * dtype.block_size().max(5));
            let data = blocks(dtype, rows * columns / dtype.block_size(), 12);
            let weights = QStorage::from_data(&device, &data, dtype).expect("from_data");
            let want = weights_of(dtype, &data);
            // The first is not part of it; one is out of range.
            let ids = upload(&device, &[99u32, 6, 0, 3, 6, 7, 1]);
            let layout = Layout::contiguous_with_offset((2, 3), 1);
            let got = weights.rows((rows, columns), &ids, &layout).expect("rows");
            match device.synchronize() {
                Err(RocmError::IndexOutOfRange { op: "quantized embedding", index: 7, size: 7, .. }) => {}
                other => panic!("{other:?}"),
            }
            let want: Vec<f32> = [6, 0, 3, 6, 7, 1]
                .into_iter()
                .flat_map(|row: usize| match want.get(row * columns..(row + 1) * columns) {
                    Some(row) => row.to_vec(),
                    None => vec![0.0; columns],
                })
                .collect();
            same_bits(&download::<f32>(&got), &want, format_args!("{dtype:?}"));
            // No indices, no rows.
            let none = weights.rows((rows, columns), &ids, &Layout::contiguous(0)).expect("rows");
            assert_eq!(download::<f32>(&none).len(), 0);
        }
    }
}

/// A block of 32 activations as `quantize_q8_1` leaves it: the scale in half precision, and signed bytes.
fn q8_1(values: &[f32]) -> (f32, Vec<i32>) {
    let largest = values.iter().fold(0f32, |a, v| a.max(v.abs()));
    let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    let q = values.iter().map(|v| (v * inverse).round() as i32).collect();
    (f16::from_f32(largest / 127.0).to_f32(), q)
}

#[test]
fn activations_are_quantized() {
    for device in common::devices() {
        for (rows, columns, padded) in [(1, 32, 32), (3, 96, 512), (2, 70, 128)] {
            let data = activations(rows * columns, 13);
            let x = device.upload(&data).expect("upload");
            let mut out = device.upload(&vec![0xa5u8; rows * padded / 32 * 36 + 4]).expect("upload");
            let mut launch = device.launch(&QUANTIZED, "quantize_q8_1");
            launch.buffer(&x, 0).buffer_mut(&mut out, 0).arg(&(columns as i32)).arg(&(padded as i32));
            // SAFETY: quantize_q8_1(x, out, length, padded length): rows as the grid's y.
            unsafe {
                launch.run(LaunchConfig { grid: [2, rows as u32, 1], block: [3, 1, 1], shared_bytes: 0 })
            }
            .expect("quantize_q8_1");
            let out = device.download(&out).expect("download");
            let (out, rest) = out.split_at(rows * padded / 32 * 36);
            assert_eq!(rest, [0xa5; 4]);
            for (i, block) in out.chunks_exact(36).enumerate() {
                let (row, first) = (i / (padded / 32), i % (padded / 32) * 32);
                let values: Vec<f32> = (first..first + 32)
                    .map(|at| if at < columns { data[row * columns + at] } else { 0.0 })
                    .collect();
                let (scale, q) = q8_1(&values);
                assert_eq!(f16::from_ne_bytes([block[0], block[1]]).to_f32(), scale);
                let sum = values.iter().sum::<f32>();
                assert!(
                    (f16::from_ne_bytes([block[2], block[3]]).to_f32() - sum).abs() <= sum.abs() / 1024.0
                );
                assert_eq!(block[4..].iter().map(|&b| i32::from(b as i8)).collect::<Vec<_>>(), q);
            }
        }
    }
}

/// A vector as products see it, where they quantize.
fn seen(way: Way, x: &[f32]) -> Vec<f32> {
    match way {
        Way::Exact | Way::Dequantized => x.to_vec(),
        Way::Half => x.iter().map(|&v| bf16::from_f32(v).to_f32()).collect(),
        // The scale is f32 there, and halves go to even numbers.
        Way::Streamed => x
            .chunks(32)
            .flat_map(|block| {
                let largest = block.iter().fold(0f32, |a, v| a.max(v.abs()));
                let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
                let scale = largest * (1.0 / 127.0);
                block.iter().map(move |v| scale * (v * inverse).round_ties_even())
            })
            .collect(),
        _ => x
            .chunks(32)
            .flat_map(|block| {
                let (scale, q) = q8_1(block);
                q.into_iter().map(move |q| scale * q as f32)
            })
            .collect(),
    }
}

/// Sums of products in f64, with how far off those in f32 may be: each of their k additions rounds, and each product, a
/// few times. Errors add up at random; for these lengths 16 epsilons of all terms' absolute values are plenty, and a wrong
/// term is larger by far.
fn products(weights: &[f32], columns: usize, x: &[f32]) -> Vec<(f64, f64)> {
    let each = x.chunks(columns).flat_map(|x| weights.chunks(columns).map(move |row| (row, x)));
    each.map(|(row, x)| {
        let terms = row.iter().zip(x).map(|(&w, &x)| f64::from(w) * f64::from(x));
        let (sum, size) = terms.fold((0f64, 0f64), |(sum, size), t| (sum + t, size + t.abs()));
        (sum, 16.0 * f64::from(f32::EPSILON) * size)
    })
    .collect()
}

#[track_caller]
fn near(got: &[f32], want: &[(f64, f64)], what: std::fmt::Arguments<'_>) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (&got, &(want, limit))) in got.iter().zip(want).enumerate() {
        let apart = (f64::from(got) - want).abs();
        assert!(apart <= limit, "{what} [{i}]: got {got} want {want}, {apart} apart, {limit} allowed");
    }
}

/// Ways with shapes for them: (vectors, rows, blocks of a row).
fn cases(way: Way) -> Vec<(usize, usize, usize)> {
    match way {
        Way::Exact => vec![(1, 1, 1), (1, 5, 3), (1, 67, 2)],
        // Odd numbers of rows with every number of vectors: the last team's rows are not all there.
        Way::Vectors => {
            (1..=9).map(|vectors| (vectors, 2 * vectors - 1, 3)).chain([(19, 5, 1), (1, 67, 5)]).collect()
        }
        // Rows for some of a block's teams, for all, for several rounds; a part of a chunk of 32 units, several chunks.
        Way::Streamed => {
            let some = (1..=9).map(|vectors| (vectors, 2 * vectors + 1, 2));
            some.chain([(1, 1, 2), (1, 37, 18), (2, 150, 2), (19, 5, 4), (1, 650, 2)]).collect()
        }
        Way::Half => vec![(1, 3, 2), (5, 7, 1), (33, 5, 2)],
        Way::Tiles => vec![(1, 1, 1), (9, 3, 2), (17, 65, 1), (65, 67, 3)],
        Way::Dequantized => vec![(1, 3, 2), (5, 7, 1), (33, 5, 2)],
    }
}

fn check_products(device: &RocmDevice, dtype: G, way: Way) {
    for (vectors, rows, blocks_per_row) in cases(way) {
        let columns = blocks_per_row * dtype.block_size();
        let data = blocks(dtype, rows * blocks_per_row, 14);
        let weights = QStorage::from_data(device, &data, dtype).expect("from_data");
        let mut x = activations(3, 15);
        x.extend(activations(vectors * columns, 16));
        let layout = Layout::contiguous_with_offset((1, vectors, columns), 3);
        let got = weights.forward_by(way, (rows, columns), &upload(device, &x), &layout).expect("forward");
        let seen: Vec<f32> = x[3..].chunks(columns).flat_map(|x| seen(way, x)).collect();
        let mut floats = weights_of(dtype, &data);
        if way == Way::Half {
            floats.iter_mut().for_each(|v| *v = bf16::from_f32(*v).to_f32());
        }
        let want = products(&floats, columns, &seen);
        near(&download(&got), &want, format_args!("{dtype:?} {way:?} {vectors} x {rows} x {columns}"));
    }
}

#[test]
fn one_vector_exactly() {
    for device in common::devices() {
        MULTIPLIED.into_iter().for_each(|dtype| check_products(&device, dtype, Way::Exact));
    }
}

#[test]
fn some_vectors() {
    for device in common::devices() {
        MULTIPLIED.into_iter().for_each(|dtype| check_products(&device, dtype, Way::Vectors));
    }
}

#[test]
fn streamed_vectors() {
    for device in common::devices() {
        MULTIPLIED.into_iter().for_each(|dtype| check_products(&device, dtype, Way::Streamed));
        let weights = QStorage::zeros(&device, 96, G::Q8_0).expect("zeros");
        let x = upload(&device, &[1f32; 32]);
        fails(
            weights.forward_by(Way::Streamed, (3, 32), &x, &Layout::contiguous((1, 32))),
            &["32 columns", "64"],
        );
    }
}

#[test]
fn many_vectors() {
    for device in common::devices() {
        MULTIPLIED.into_iter().for_each(|dtype| check_products(&device, dtype, Way::Tiles));
    }
}

#[test]
fn through_floats() {
    for device in common::devices() {
        all().for_each(|dtype| check_products(&device, dtype, Way::Dequantized));
        all().for_each(|dtype| check_products(&device, dtype, Way::Half));
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
            let seen: Vec<f32> = seen(Way::Vectors, &x);
            let weights = weights_of(dtype, &data);
            let name = match dtype {
                G::Q8_0 => "q8_0",
                G::Q4K => "q4_K",
                _ => "q2_K",
            };
            let blocks = device.upload(&data).expect("upload");
            let quantized: Vec<u8> = x
                .chunks(32)
                .flat_map(|block| {
                    let (scale, q) = q8_1(block);
                    let mut bytes = f16::from_f32(scale).to_ne_bytes().to_vec();
                    bytes.extend([0, 0]);
                    bytes.extend(q.iter().map(|&q| q as i8 as u8));
                    bytes
                })
                .collect();
            let y = device.upload(&quantized).expect("upload");
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
                let mut launch = device.launch(&QUANTIZED_MAT_VEC, &format!("mul_mat_vec_{name}_q8_1_cuda3"));
                launch.buffer(&blocks, 0).buffer(&y, 0).buffer_mut(&mut out, 0);
                [columns, rows, columns, rows].iter().for_each(|&size| _ = launch.arg(&(size as i32)));
                let config =
                    LaunchConfig { grid: [grid, 1, 1], block: [block[0], block[1], 1], shared_bytes: 0 };
                // SAFETY: mul_mat_vec_*(blocks, y, out, columns, rows, length of a vector, length of a result).
                unsafe { launch.run(config) }.expect("mat_vec");
                let out = device.download(&out).expect("download");
                let what = format_args!("{dtype:?} grid {grid} block {block:?}");
                near(&out[..vectors * rows], &products(&weights, columns, &seen), what);
                assert!(out[vectors * rows].is_nan(), "{what}: a result behind the last");
            }
        }
    }
}

/// Half types are widened exactly, multiplied as f32, and rounded once.
#[test]
fn half_types() {
    fn check<T: RocmDType>(device: &RocmDevice, round: fn(f32) -> T) {
        for dtype in [G::Q4_0, G::Q6K] {
            for (way, vectors) in
                [(Way::Exact, 1), (Way::Vectors, 3), (Way::Streamed, 1), (Way::Streamed, 3), (Way::Tiles, 5)]
            {
                let (rows, columns) = (9, 512);
                let data = blocks(dtype, rows * columns / dtype.block_size(), 19);
                let weights = QStorage::from_data(device, &data, dtype).expect("from_data");
                let x: Vec<T> = activations(vectors * columns, 20).into_iter().map(round).collect();
                let wide: Vec<f32> = x.iter().map(|v| v.to_f64() as f32).collect();
                let layout = Layout::contiguous((vectors, columns));
                let forward =
                    |x: &RocmStorage| weights.forward_by(way, (rows, columns), x, &layout).expect("forward");
                let want: Vec<T> =
                    download::<f32>(&forward(&upload(device, &wide))).into_iter().map(round).collect();
                let got = download::<T>(&forward(&upload(device, &x)));
                assert!(got == want, "{dtype:?} {way:?} {:?}", T::DTYPE);
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
        for dtype in MULTIPLIED.into_iter().chain(CONVERTED) {
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

#[test]
fn a_nan_is_not_lost() {
    for device in common::devices() {
        let (rows, columns) = (3, 64);
        let weights =
            QStorage::from_data(&device, &blocks(G::Q8_0, rows * 2, 23), G::Q8_0).expect("from_data");
        for special in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for way in [Way::Vectors, Way::Streamed, Way::Tiles] {
                let mut x = activations(2 * columns, 24);
                x[columns + 40] = special;
                let x = upload(&device, &x);
                let layout = Layout::contiguous((2, columns));
                let out =
                    download::<f32>(&weights.forward_by(way, (rows, columns), &x, &layout).expect("forward"));
                assert!(out[..rows].iter().all(|v| v.is_finite()), "{out:?}");
                assert!(out[rows..].iter().all(|v| v.is_nan()), "{out:?}");
            }
        }
    }
}

#[test]
fn nothing_to_multiply() {
    for device in common::devices() {
        for (vectors, rows, columns) in [(0, 3, 64), (2, 0, 64), (2, 3, 0)] {
            for way in [Way::Vectors, Way::Streamed, Way::Tiles, Way::Dequantized, Way::Half] {
                let weights = QStorage::zeros(&device, rows * columns, G::Q5_1).expect("zeros");
                let x = upload(&device, &vec![1f32; vectors * columns]);
                let layout = Layout::contiguous((vectors, columns));
                let out = weights.forward_by(way, (rows, columns), &x, &layout).expect("forward");
                assert_eq!(download::<f32>(&out), vec![0f32; vectors * rows]);
            }
        }
    }
}

#[test]
fn experts() {
    for device in common::devices() {
        for dtype in MULTIPLIED {
            let (experts, n, k) = (4, 5, 2 * dtype.block_size());
            let data = blocks(dtype, experts * n * 2, 25);
            let weights = QStorage::from_data(&device, &data, dtype).expect("from_data");
            let floats = weights_of(dtype, &data);
            let (tokens, topk) = (3, 2);
            // One index is out of range.
            let ids = [3u32, 0, 1, 1, 4, 2];
            for per_token in [1, topk] {
                let x = activations(tokens * per_token * k, 26);
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
                        let x = seen(Way::Vectors, &x[vector * k..(vector + 1) * k]);
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

#[test]
fn quantized_by_candle() {
    for device in common::devices_without_kernels() {
        for dtype in all() {
            let values = activations(768, 27);
            let mut blocks = dtype.cpu_zeros(values.len());
            blocks.from_float(&values);
            // SAFETY: candle's blocks are plain bytes, this many.
            let want = unsafe { std::slice::from_raw_parts(blocks.as_ptr(), blocks.storage_size_in_bytes()) };
            let mut weights = QStorage::zeros(&device, values.len(), dtype).expect("zeros");
            assert_eq!(weights.data().expect("data"), vec![0; want.len()]);
            weights.quantize(&upload(&device, &values), None).expect("quantize");
            assert_eq!(weights.data().expect("data"), want, "{dtype:?}");

            let importance: Vec<f32> = (0..256).map(|i| 1.0 + (i % 7) as f32).collect();
            let result = weights.quantize(&upload(&device, &values), Some(&importance));
            if !matches!(dtype, G::Q2K | G::Q3K | G::Q4K | G::Q5K | G::Q6K) {
                fails(result, &["importance", &format!("{dtype:?}"), "Q4K"]);
                continue;
            }
            result.expect("quantize with importance");
            let mut blocks = dtype.cpu_zeros(values.len());
            blocks.from_float_imatrix(&values, &importance, 256);
            // SAFETY: as above.
            let want = unsafe { std::slice::from_raw_parts(blocks.as_ptr(), blocks.storage_size_in_bytes()) };
            assert_eq!(weights.data().expect("data"), want, "{dtype:?}");
        }
    }
}

#[test]
fn what_does_not_fit_is_said() {
    for device in common::devices() {
        fails(QStorage::from_data(&device, &[0; 35], G::Q8_0), &["35 bytes", "Q8_0", "34 bytes"]);
        fails(QStorage::zeros(&device, 300, G::Q4K), &["300 weights", "Q4K", "256"]);
        let mut weights = QStorage::zeros(&device, 6 * 64, G::Q4_0).expect("zeros");
        fails(weights.quantize_from(&[0.0; 64], None), &["64 values", "384 weights"]);
        fails(weights.quantize(&upload(&device, &[0f64; 384]), None), &["quantize", "f64"]);

        let x = upload(&device, &vec![0f32; 128]);
        let layout = Layout::contiguous((2, 64));
        fails(weights.forward((8, 48), &x, &layout), &["48 weights", "Q4_0", "32"]);
        fails(weights.forward((7, 64), &x, &layout), &["384 weights", "[7, 64]"]);
        fails(weights.forward((6, 64), &x, &Layout::contiguous((4, 32))), &["[4, 32]", "[6, 64]"]);
        let transposed = Layout::contiguous((64, 2)).transpose(0, 1).expect("transpose");
        fails(weights.forward((6, 64), &x, &transposed), &["not contiguous", "contiguous()"]);
        fails(weights.forward((6, 64), &x, &Layout::contiguous((3, 64))), &["outside"]);
        fails(weights.forward_by(Way::Exact, (6, 64), &x, &layout), &["2 vectors", "Exact"]);
        let long = upload(&device, &vec![0i64; 128]);
        fails(weights.forward((6, 64), &long, &layout), &["quantized matmul", "i64"]);
        let other = RocmDevice::on(device.platform(), device.ordinal()).expect("device");
        fails(weights.forward((6, 64), &upload(&other, &[0f32; 128]), &layout), &["different devices"]);

        fails(weights.rows((6, 64), &x, &Layout::contiguous(2)), &["u32", "f32"]);
        fails(weights.rows((5, 64), &upload(&device, &[0u32]), &Layout::contiguous(1)), &["[5, 64]"]);
        fails(weights.dequantize(DType::F64), &["dequantize", "f64"]);
        let q8_1 = QStorage::zeros(&device, 64, G::Q8_1).expect("zeros");
        fails(q8_1.forward_by(Way::Tiles, (1, 64), &x, &layout), &["Q8_1"]);
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

/// Every buffer an allocation of its own, between zones that the CPU platform watches: nothing is written behind the last
/// row, however odd the number of rows and vectors.
#[test]
fn nothing_is_written_elsewhere() {
    if !common::in_child("nothing_is_written_elsewhere", &[("CANDLE_ROCM_POOL", Some("off"))]) {
        return;
    }
    for device in common::devices() {
        for dtype in MULTIPLIED {
            for (way, vectors) in
                [(Way::Exact, 1), (Way::Tiles, 3), (Way::Streamed, 1), (Way::Streamed, 3), (Way::Streamed, 7)]
                    .into_iter()
                    .chain((1..=9).map(|v| (Way::Vectors, v)))
            {
                let (rows, columns) = (3, dtype.block_size().max(64));
                let weights = QStorage::from_data(
                    &device,
                    &blocks(dtype, rows * columns / dtype.block_size(), 28),
                    dtype,
                )
                .expect("from_data");
                let x = upload(&device, &activations(vectors * columns, 29));
                let out =
                    weights.forward_by(way, (rows, columns), &x, &Layout::contiguous((vectors, columns)));
                drop((weights, x, out.expect("forward")));
                device.synchronize().unwrap_or_else(|error| panic!("{dtype:?} {way:?} {vectors}: {error}"));
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
