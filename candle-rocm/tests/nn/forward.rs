//! Softmax, norms and rotary embeddings on the devices against their formulas in f64.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{DType, Layout};
use candle_rocm::hip::LaunchConfig;
use candle_rocm::joined::{Arrangement, Wanted, group_norm_with, rotary_pair};
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage, nn};
use half::{bf16, f16};
use rocm_kernels::{REDUCE, ROWS};

use crate::common;
use crate::common::Random;
use crate::harness::bits::Number;

/// Row lengths around vectors, wavefronts and blocks, of whole vectors and others, some that registers do not hold, and one
/// that is split over the device.
fn lengths() -> [usize; 13] {
    let split = if common::checked() { 40_000 } else { 128_256 };
    [1, 7, 8, 31, 33, 64, 65, 1000, 1025, 2048, 6008, 12_000, split]
}

fn numbers<T: RocmDType>(len: usize, seed: u64, scale: f64, shift: f64) -> Vec<T> {
    let mut random = Random(seed);
    (0..len).map(|_| T::from_f64((random.below(20_001) as f64 / 10_000.0 - 1.0) * scale + shift)).collect()
}

fn upload<T: RocmDType>(device: &RocmDevice, data: &[T]) -> RocmStorage {
    device.storage_from_slice(data).expect("upload")
}

fn download<T: RocmDType>(storage: &RocmStorage) -> Vec<T> {
    T::cpu_storage_as_slice(&storage.to_cpu_storage().expect("download")).expect("dtype").to_vec()
}

/// The precision that kernels compute in.
fn epsilon<T: RocmDType>() -> f64 {
    if T::DTYPE == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) }
}

/// Half the distance to the neighbours of `value`, at most: what one rounding to the dtype costs.
fn rounding<T: RocmDType>(value: f64) -> f64 {
    match T::DTYPE {
        DType::F16 => value.abs() / 2048.0 + 2f64.powi(-25),
        DType::BF16 => value.abs() / 256.0,
        _ => 0.0,
    }
}

/// Each of `got` within `limit` (next to the rounding) of `want`, which are (value, limit) pairs.
#[track_caller]
fn near<T: Number + RocmDType>(got: &[T], want: impl Iterator<Item = (f64, f64)>, what: &str) {
    let mut count = 0;
    for (i, (&got, (want, limit))) in got.iter().zip(want).enumerate() {
        let apart = (got.value() - want).abs();
        let same = got.nan() && want.is_nan();
        assert!(
            same || apart <= limit + rounding::<T>(want),
            "{what} {:?} [{i}]: got {} want {want}, {apart} apart",
            T::DTYPE,
            got.value()
        );
        count += 1;
    }
    assert_eq!(count, got.len(), "{what}");
}

macro_rules! each_float {
    ($check:ident($($args:expr),*)) => {{
        $check::<f16>($($args),*);
        $check::<bf16>($($args),*);
        $check::<f32>($($args),*);
        $check::<f64>($($args),*);
    }};
}

/// In two steps: one chain of 128,256 additions would be less precise than the devices.
fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.chunks(256).map(|part| part.iter().sum::<f64>()).sum()
}

/// Values with how far off they may be. The exponent x - max is rounded, which e^.. turns into as many epsilons as it is
/// large (16 here); the half types' faster exponential is off by about as much, and by 2^-23 |x - max| more.
fn softmax<T: Number + RocmDType>(row: &[T]) -> Vec<(f64, f64)> {
    let max = row.iter().map(|v| v.value()).fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = row.iter().map(|v| (v.value() - max).exp()).collect();
    let sum = sum(powers.iter().copied());
    powers.iter().map(|p| (p / sum, p / sum * 64.0 * epsilon::<T>())).collect()
}

/// Rows in more parts than two wavefronts have lanes, which launchers make on large cards only: all wavefronts of a block have a share
/// of what is known about the parts.
#[test]
fn rows_in_many_parts() {
    fn check<T: Number + RocmDType>(device: &RocmDevice) {
        let (rows, splits, part) = (2, 130, 17);
        // The last part is shorter.
        let len = (splits - 1) * part + 5;
        let data = numbers::<T>(rows * len, 75, 8.0, 1.0);
        let there = device.upload(&data).expect("upload");
        let mut out = device.upload(&vec![T::from_f64(f64::NAN); rows * len]).expect("upload");
        let mut partial = device.alloc_zeros::<u64>(3 * rows * splits).expect("zeros");
        let config = LaunchConfig::looping(rows * splits, 256);
        for stage in [0u32, 1] {
            let name = format!("split_softmax_{}", T::KERNEL_DTYPE);
            let mut launch = device.launch(&ROWS, &name);
            launch.buffer(&there, 0).buffer_mut(&mut out, 0).arg(&(len as u32)).arg(&rows).arg(&splits);
            launch.arg(&part).buffer_mut(&mut partial, 0).arg(&stage);
            // SAFETY: split_softmax_*(src, dst, n_cols, n_rows, splits, part, partial, stage): 16 bytes for each part.
            unsafe { launch.run(config) }.expect("split_softmax");
        }
        let got = device.download(&out).expect("download");
        near(&got, data.chunks(len).flat_map(softmax), &format!("softmax on {}", device.label()));

        for stage in [0u32, 1] {
            let name = format!("split_norm_{}", T::KERNEL_DTYPE);
            let mut launch = device.launch(&ROWS, &name);
            launch.buffer(&there, 0).buffer_mut(&mut out, 0).null().null().arg(&(len as u32)).arg(&1u32);
            launch.arg(&1e-3f32).arg(&rows).arg(&splits).arg(&part).buffer_mut(&mut partial, 0).arg(&stage);
            // SAFETY: split_norm_*(src, dst, alpha, beta, n_cols, centred, eps, n_rows, splits, part, partial, stage): 24 bytes for
            // each part.
            unsafe { launch.run(config) }.expect("split_norm");
        }
        let want = data.chunks(len).flat_map(|row| {
            let mean = sum(row.iter().map(|v| v.value())) / len as f64;
            let variance = sum(row.iter().map(|v| (v.value() - mean).powi(2))) / len as f64;
            let scale = 1. / (variance + f64::from(1e-3f32)).sqrt();
            let normed = move |v: &T| (v.value() - mean) * scale;
            row.iter().map(normed).map(|v| (v, 64. * epsilon::<T>() * (1. + v.abs()))).collect::<Vec<_>>()
        });
        near(&device.download(&out).expect("download"), want, &format!("norm on {}", device.label()));
    }
    for device in &common::devices() {
        each_float!(check(device));
    }
}

#[test]
fn softmax_of_every_length() {
    fn check<T: Number + RocmDType>(device: &RocmDevice) {
        for len in lengths() {
            for rows in if len > 2000 { vec![1, 2] } else { vec![1, 5, 64] } {
                // A whole number of vectors, or not.
                for first in [3, 8] {
                    let data = numbers::<T>(rows * len + first, 71, 8.0, 0.0);
                    let layout = Layout::contiguous_with_offset((rows, len), first);
                    let out = nn::softmax_last_dim(&upload(device, &data), &layout).expect("softmax");
                    let want = data[first..].chunks(len).flat_map(softmax);
                    near(
                        &download::<T>(&out),
                        want,
                        &format!("softmax of {rows} rows of {len} from {first} on"),
                    );
                }
            }
        }
    }
    for device in common::devices() {
        each_float!(check(&device));
    }
}

#[test]
fn softmax_of_special_values() {
    fn check<T: Number + RocmDType>(device: &RocmDevice) {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        for (values, pad) in [
            (vec![1.0, nan], 0.0),
            (vec![1.0, inf, 2.0], 0.0),
            (vec![-inf, 1.0, -inf, 2.0], -inf),
            (vec![-inf, -inf], -inf),
            (vec![3e4, -3e4, 3e4], -3e4),
        ] {
            for len in [values.len(), 100, 3000, 100_000] {
                let mut data: Vec<T> = values.iter().map(|&v| T::from_f64(v)).collect();
                data.resize(len, T::from_f64(pad));
                let out =
                    nn::softmax_last_dim(&upload(device, &data), &Layout::contiguous(len)).expect("softmax");
                near(
                    &download::<T>(&out),
                    softmax(&data).into_iter(),
                    &format!("softmax of {values:?} in {len}"),
                );
            }
        }
    }
    for device in common::devices() {
        each_float!(check(&device));
    }
}

/// Values with how far off they may be: the mean, the sum of squares and the factor each carry a few epsilons, those of
/// the mean weigh as much as it is larger than the deviation.
fn layer_norm<T: Number + RocmDType>(
    row: &[T],
    alpha: Option<&[T]>,
    beta: Option<&[T]>,
    eps: f32,
    centred: bool,
) -> Vec<(f64, f64)> {
    let n = row.len() as f64;
    let mean = if centred { sum(row.iter().map(|v| v.value())) / n } else { 0.0 };
    let variance = sum(row.iter().map(|v| (v.value() - mean).powi(2))) / n;
    let scale = 1.0 / (variance + f64::from(eps)).sqrt();
    let largest = row.iter().map(|v| v.value().abs()).fold(0.0, f64::max);
    (0..row.len())
        .map(|i| {
            let a = alpha.map_or(1.0, |alpha| alpha[i].value());
            let b = beta.map_or(0.0, |beta| beta[i].value());
            let value = (row[i].value() - mean) * scale * a + b;
            let weight = largest * scale * a.abs() + b.abs();
            (value, 24.0 * epsilon::<T>() * weight)
        })
        .collect()
}

#[test]
fn norms_of_every_length() {
    fn check<T: Number + RocmDType>(device: &RocmDevice) {
        // A mean that is large next to the deviation: its square is larger than f32 can tell from the mean of squares.
        for (scale, shift) in [(2.0, 0.0), (1.0, 300.0)] {
            for len in lengths() {
                for rows in if len > 2000 { vec![2] } else { vec![1, 6, 33] } {
                    let data = numbers::<T>(rows * len, 72, scale, shift);
                    // Whole vectors are read as such where factors are aligned, too.
                    let first = if len.is_multiple_of(8) && rows != 1 { 8 } else { 1 };
                    let (alpha, beta) =
                        (numbers::<T>(len + first, 73, 2.0, 0.0), numbers::<T>(len + first, 74, 2.0, 0.0));
                    let (x, a, b) = (upload(device, &data), upload(device, &alpha), upload(device, &beta));
                    let (layout, row) =
                        (Layout::contiguous((rows, len)), Layout::contiguous_with_offset(len, first));
                    let (alpha, beta) = (&alpha[first..], &beta[first..]);
                    for (with_alpha, with_beta) in
                        [(true, true), (true, false), (false, true), (false, false)]
                    {
                        let a = with_alpha.then_some((&a, &row));
                        let b = with_beta.then_some((&b, &row));
                        let (alpha, beta) = (with_alpha.then_some(alpha), with_beta.then_some(beta));
                        let out = nn::layer_norm(&x, &layout, a, b, 1e-5).expect("layer_norm");
                        let want =
                            data.chunks(len).flat_map(|row| layer_norm(row, alpha, beta, 1e-5f32, true));
                        near(
                            &download::<T>(&out),
                            want,
                            &format!("layer_norm of {rows} rows of {len} around {shift}"),
                        );
                        if with_beta {
                            continue;
                        }
                        let out = nn::rms_norm(&x, &layout, a, 1e-6).expect("rms_norm");
                        let want =
                            data.chunks(len).flat_map(|row| layer_norm(row, alpha, None, 1e-6f32, false));
                        near(&download::<T>(&out), want, &format!("rms_norm of {rows} rows of {len}"));
                    }
                }
            }
        }
    }
    for device in common::devices() {
        each_float!(check(&device));
    }
}

/// Groups of one channel, of all, of channels shorter than a vector; some that registers of a part of a wavefront, of a wavefront
/// or of a block hold, and some that are split over the device.
#[test]
fn group_norms() {
    // The same number in f32 and f64.
    const EPS: f32 = 1.0 / 131_072.0;
    fn check<T: Number + RocmDType>(device: &RocmDevice) {
        for (batch, channels, spatial, groups) in [
            (2, 6, 1, 3),
            (3, 6, 15, 2),
            (2, 8, 64, 8),
            (1, 4, 3000, 1),
            (3, 12, 7, 4),
            (3, 4, 200, 2),
            (2, 4, 8, 2),
            (65, 4, 1200, 2),
            (1, 64, 1000, 2),
        ] {
            for (first, shift) in [(0, 0.0), (3, 50.0)] {
                let (len, count) = (channels / groups * spatial, batch * channels * spatial);
                let data = numbers::<T>(count + first, 81, 2.0, shift);
                let (alpha, beta) =
                    (numbers::<T>(channels, 82, 2.0, 0.0), numbers::<T>(channels, 83, 2.0, 0.0));
                let layout = Layout::contiguous_with_offset((batch, channels, spatial), first);
                let factors = Layout::contiguous(channels);
                let (a, b) = (upload(device, &alpha), upload(device, &beta));
                let x = upload(device, &data);
                let out = nn::group_norm(&x, &layout, (&a, &factors), (&b, &factors), groups, EPS.into());
                let want = data[first..].chunks(len).enumerate().flat_map(|(row, values)| {
                    let of = |factors: &[T]| -> Vec<T> {
                        let channel = |i: usize| row % groups * (channels / groups) + i / spatial;
                        (0..len).map(|i| factors[channel(i)]).collect()
                    };
                    layer_norm(values, Some(&of(&alpha)), Some(&of(&beta)), EPS, true)
                });
                let what = format!("group_norm of {:?}", (batch, channels, spatial, groups));
                let y = download::<T>(&out.expect("group_norm"));
                near(&y, want, &what);
                let (x, factors) = ((&x, &layout), [(&a, &factors), (&b, &factors)]);
                let out = group_norm_with(x, factors, groups, EPS.into(), Wanted::Silu);
                // Exponentials of up to some ten are off by as many units in the last place.
                let silu = |y: f64| y / (1.0 + (-y).exp());
                let want = y.iter().map(|y| silu(y.value())).map(|y| (y, 16.0 * epsilon::<T>() * y.abs()));
                near(&download::<T>(&out.expect("silu").0), want, &format!("silu of {what}"));
            }
        }
    }
    for device in common::devices() {
        each_float!(check(&device));
    }
}

/// Every shape of block.
#[test]
fn any_block() {
    const BLOCKS: [[u32; 2]; 19] = [
        [1, 1],
        [1, 5],
        [7, 1],
        [31, 1],
        [1, 32],
        [33, 1],
        [64, 1],
        [1, 96],
        [250, 1],
        [1, 250],
        [1, 256],
        [512, 1],
        [1000, 1],
        [1, 1000],
        [1024, 1],
        [1, 1024],
        [32, 32],
        [16, 5],
        [12, 5],
    ];
    for device in common::devices() {
        for len in [77usize, 300] {
            for [x, y] in BLOCKS {
                for kernel in ["softmax_f32", "rmsnorm_f32", "layernorm_f32"] {
                    // candle's blocks have their rows along x for softmax, along y for norms.
                    let rows = 3 * if kernel == "softmax_f32" { x } else { y } as usize;
                    let data = numbers::<f32>(rows * len, 75, 2.0, 1.0);
                    let src = device.upload(&data).expect("upload");
                    let mut out = device.alloc::<f32>(rows * len).expect("alloc");
                    let mut launch = device.launch(&REDUCE, kernel);
                    launch.buffer(&src, 0).buffer_mut(&mut out, 0);
                    match kernel {
                        "softmax_f32" => launch.arg(&(len as i32)),
                        "rmsnorm_f32" => launch.null().arg(&(len as i32)).arg(&(x as i32)).arg(&1e-5f32),
                        _ => launch.null().null().arg(&(len as i32)).arg(&(x as i32)).arg(&1e-5f32),
                    };
                    let config = LaunchConfig { grid: [3, 1, 1], block: [x, y, 1], shared_bytes: 0 };
                    // SAFETY: the parameters are the kernels', whose grids of 3 blocks are for `rows` rows.
                    unsafe { launch.run(config) }.expect(kernel);
                    let want = data.chunks(len).flat_map(|row| match kernel {
                        "softmax_f32" => softmax(row),
                        _ => layer_norm(row, None, None, 1e-5f32, kernel == "layernorm_f32"),
                    });
                    near(&device.download(&out).expect("download"), want, &format!("{kernel} {x}x{y} {len}"));
                }
            }
        }
    }
}

#[test]
fn rotary_embeddings() {
    fn check<T: Number + RocmDType>(device: &RocmDevice) {
        for (b, h, t, d) in
            [(1, 1, 1, 2), (2, 3, 5, 64), (2, 2, 7, 6), (1, 4, 1, 128), (3, 1, 9, 80), (2, 2, 2, 22)]
        {
            let data = numbers::<T>(b * h * t * d + 1, 76, 3.0, 0.0);
            let x = upload(device, &data);
            let data = &data[1..];
            for (batches, steps) in [(None, t), (None, t + 3), (Some(b), t)] {
                let angles = batches.unwrap_or(1) * steps * d / 2;
                let (cos, sin) = (numbers::<T>(angles, 77, 1.0, 0.0), numbers::<T>(angles, 78, 1.0, 0.0));
                let shape: Vec<usize> = batches.into_iter().chain([steps, d / 2]).collect();
                let (c, s, angle_layout) =
                    (upload(device, &cos), upload(device, &sin), Layout::contiguous(shape));
                let (c, s) = ((&c, &angle_layout), (&s, &angle_layout));
                let halves = Layout::contiguous_with_offset((b, h, t, d), 1);
                let thd = Layout::contiguous_with_offset((b, t, h, d), 1);
                for (name, out) in [
                    ("rope", nn::rope(&x, &halves, c, s)),
                    ("rope_i", nn::rope_i(&x, &halves, c, s)),
                    ("rope_thd", nn::rope_thd(&x, &thd, c, s)),
                ] {
                    let mut want = vec![(0.0, 0.0); b * h * t * d];
                    for row in 0..b * h * t {
                        // Where this row of d elements stands.
                        let (batch, step) = if name == "rope_thd" {
                            (row / (t * h), row / h % t)
                        } else {
                            (row / (h * t), row % t)
                        };
                        for i in 0..d / 2 {
                            let (first, second) =
                                if name == "rope_i" { (2 * i, 2 * i + 1) } else { (i, i + d / 2) };
                            let angle = (batches.map_or(0, |_| batch) * steps + step) * (d / 2) + i;
                            let (first, second) = (row * d + first, row * d + second);
                            let (a, b) = (data[first].value(), data[second].value());
                            let (c, s) = (cos[angle].value(), sin[angle].value());
                            let limit = 3.0 * epsilon::<T>() * (a.abs() + b.abs());
                            want[first] = (a * c - b * s, limit);
                            want[second] = (a * s + b * c, limit);
                        }
                    }
                    let got = download::<T>(&out.expect(name));
                    near(&got, want.into_iter(), &format!("{name} of {:?}", (b, h, t, d)));
                }
            }
        }
    }
    for device in common::devices() {
        each_float!(check(&device));
    }
}

/// Two tensors in one launch are what they are one by one, bit by bit.
#[test]
fn rotary_embeddings_of_pairs() {
    fn check<T: Number + RocmDType>(device: &RocmDevice) {
        let bits = |storage: &RocmStorage| -> Vec<u64> {
            let data = download::<T>(storage);
            data.into_iter().map(|x| if x.nan() { u64::MAX } else { x.bits() }).collect()
        };
        for (b, h, h_2, t, d) in [
            (1, 1, 1, 1, 2),
            (2, 6, 2, 5, 64),
            (2, 1, 3, 7, 6),
            (1, 8, 2, 1, 128),
            (1, 0, 2, 3, 8),
            (2, 0, 0, 3, 8),
        ] {
            let of = |heads: usize, seed| {
                let mut data = numbers::<T>(b * heads * t * d + 1, seed, 3.0, 0.0);
                if data.len() > 4 {
                    (data[2], data[3]) = (T::from_f64(f64::NAN), T::from_f64(f64::INFINITY));
                }
                upload(device, &data)
            };
            let (q, k) = (of(h, 76), of(h_2, 77));
            for (batches, steps) in [(None, t + 3), (Some(b), t)] {
                let shape: Vec<usize> = batches.into_iter().chain([steps, d / 2]).collect();
                let angles = batches.unwrap_or(1) * steps * d / 2;
                let (cos, sin) = (numbers::<T>(angles, 78, 1.0, 0.0), numbers::<T>(angles, 79, 1.0, 0.0));
                let (cos, sin, l) = (upload(device, &cos), upload(device, &sin), Layout::contiguous(shape));
                let (c, s) = ((&cos, &l), (&sin, &l));
                for first in [0, 1] {
                    let halves = |heads| Layout::contiguous_with_offset((b, heads, t, d), first);
                    let thd = |heads| Layout::contiguous_with_offset((b, t, heads, d), first);
                    let (q_l, k_l, q_thd, k_thd) = (halves(h), halves(h_2), thd(h), thd(h_2));
                    for (name, got, want) in [
                        (
                            "rope",
                            rotary_pair(Arrangement::Halves, [(&q, &q_l), (&k, &k_l)], c, s),
                            [nn::rope(&q, &q_l, c, s), nn::rope(&k, &k_l, c, s)],
                        ),
                        (
                            "rope_i",
                            rotary_pair(Arrangement::Neighbours, [(&q, &q_l), (&k, &k_l)], c, s),
                            [nn::rope_i(&q, &q_l, c, s), nn::rope_i(&k, &k_l, c, s)],
                        ),
                        (
                            "rope_thd",
                            rotary_pair(Arrangement::Thd, [(&q, &q_thd), (&k, &k_thd)], c, s),
                            [nn::rope_thd(&q, &q_thd, c, s), nn::rope_thd(&k, &k_thd, c, s)],
                        ),
                    ] {
                        let got = got.expect(name).expect("declined").map(|x| bits(&x));
                        let what = format!("{name} {:?} of {:?}", T::DTYPE, (b, h, h_2, t, d));
                        assert_eq!(
                            got,
                            want.map(|x| bits(&x.expect(name))),
                            "{what} from {first} on, {batches:?}"
                        );
                    }
                }
            }
        }
    }
    for device in common::devices() {
        each_float!(check(&device));
    }
}

#[test]
fn pairs_that_differ_are_declined() {
    for device in common::devices_without_kernels() {
        let x = upload(&device, &[1f32; 96]);
        let wide = upload(&device, &[1f64; 96]);
        let angles = Layout::contiguous((3, 4));
        let angles = (&x, &angles);
        let l = |dims: (usize, usize, usize, usize)| Layout::contiguous(dims);
        let q = l((1, 4, 3, 8));
        let call = |k: (&RocmStorage, &Layout)| {
            rotary_pair(Arrangement::Halves, [(&x, &q), k], angles, angles).expect("a pair")
        };
        for k in [l((2, 2, 3, 8)), l((1, 4, 2, 8)), l((1, 4, 3, 4)), Layout::contiguous((4, 3, 8))] {
            assert!(call((&x, &k)).is_none(), "{k:?}");
        }
        let transposed = Layout::new((1, 4, 3, 8).into(), vec![96, 8, 32, 1], 0);
        assert!(call((&x, &transposed)).is_none() && call((&wide, &q)).is_none());
        // Angles that fit neither.
        let error = rotary_pair(Arrangement::Halves, [(&x, &q); 2], (&x, &q), angles).map(drop).unwrap_err();
        assert!(matches!(error, RocmError::ShapeMismatch { op: "rope-pair", .. }), "{error}");
    }
}

/// The same bits from every block.
#[test]
fn rotary_embeddings_in_any_block() {
    let (b, h, t, d) = (2usize, 3usize, 5usize, 24usize);
    let (data, angles) =
        (numbers::<f32>(b * h * t * d, 79, 3.0, 0.0), numbers::<f32>(t * d / 2, 80, 1.0, 0.0));
    for device in common::devices() {
        let x = upload(&device, &data);
        let (angles, angle_layout) = (upload(&device, &angles), Layout::contiguous((t, d / 2)));
        let angles = (&angles, &angle_layout);
        let (halves, thd) = (Layout::contiguous((b, h, t, d)), Layout::contiguous((b, t, h, d)));
        let (heads, row) = ((b * h) as u32, (t * d) as u32);
        for (kernel, want, sizes) in [
            ("rope_f32", nn::rope(&x, &halves, angles, angles), vec![heads, row, d as u32]),
            ("rope_i_f32", nn::rope_i(&x, &halves, angles, angles), vec![heads, row]),
            ("rope_thd_f32", nn::rope_thd(&x, &thd, angles, angles), [b, t, h, d].map(|n| n as u32).to_vec()),
        ] {
            let want = download::<f32>(&want.expect(kernel));
            let src = device.upload(&data).expect("upload");
            let angles = device.upload(&download::<f32>(angles.0)).expect("upload");
            for threads in [1, 31, 96, 250, 512, 1000, 1024] {
                let mut out = device.alloc::<f32>(data.len()).expect("alloc");
                let mut launch = device.launch(&REDUCE, kernel);
                launch.buffer(&src, 0).buffer(&angles, 0).buffer(&angles, 0).buffer_mut(&mut out, 0);
                sizes.iter().for_each(|size| _ = launch.arg(size));
                launch.arg(&0u32);
                // SAFETY: the parameters are the kernels', and the buffers have the sizes that they state.
                unsafe { launch.run(LaunchConfig::linear(2, threads)) }.expect(kernel);
                assert_eq!(device.download(&out).expect("download"), want, "{kernel} in blocks of {threads}");
            }
        }
    }
}

#[test]
fn nothing_to_do() {
    for device in common::devices() {
        let x = upload(&device, &[1f32; 8]);
        for shape in [(0, 4), (4, 0)] {
            let layout = Layout::contiguous(shape);
            for out in [
                nn::softmax_last_dim(&x, &layout),
                nn::rms_norm(&x, &layout, None, 1e-5),
                nn::layer_norm(&x, &layout, None, None, 1e-5),
            ] {
                assert!(download::<f32>(&out.expect("no elements")).is_empty());
            }
        }
        let (none, angles) = (Layout::contiguous((0, 2, 1, 4)), Layout::contiguous((1, 2)));
        let out = nn::rope(&x, &none, (&x, &angles), (&x, &angles)).expect("no elements");
        assert!(download::<f32>(&out).is_empty());
    }
}

#[test]
fn what_cannot_be() {
    for device in common::devices_without_kernels() {
        let x = upload(&device, &[1f32; 12]);
        let row = Layout::contiguous((3, 4));
        let message = |result: Result<RocmStorage, RocmError>| match result {
            Ok(_) => panic!("it should have failed"),
            Err(error) => error,
        };
        let transposed = row.transpose(0, 1).expect("two dimensions");
        let error = message(nn::softmax_last_dim(&x, &transposed));
        assert!(error.to_string().contains("contiguous()"), "{error}");
        let error = message(nn::softmax_last_dim(&x, &Layout::contiguous(())));
        assert!(matches!(error, RocmError::InvalidArgument { .. }), "{error}");
        let error = message(nn::softmax_last_dim(&x, &Layout::contiguous((4, 4))));
        assert!(matches!(error, RocmError::LayoutOutOfBounds { .. }), "{error}");
        let error = message(nn::rms_norm(&x, &row, Some((&x, &Layout::contiguous(3))), 1e-5));
        assert!(matches!(error, RocmError::ShapeMismatch { .. }), "{error}");
        let halves = upload(&device, &[f16::ONE; 12]);
        let error = message(nn::layer_norm(&x, &row, None, Some((&halves, &Layout::contiguous(4))), 1e-5));
        assert!(matches!(error, RocmError::DTypeMismatch { .. }), "{error}");
        let ints = upload(&device, &[1u32; 12]);
        let error = message(nn::softmax_last_dim(&ints, &row));
        assert!(matches!(error, RocmError::UnsupportedDType { .. }), "{error}");
        let four = Layout::contiguous((1, 1, 3, 4));
        for angles in [vec![2, 2], vec![3, 3], vec![2, 3, 2], vec![6]] {
            let angles = Layout::contiguous(angles);
            let error = message(nn::rope(&x, &four, (&x, &angles), (&x, &angles)));
            assert!(matches!(error, RocmError::ShapeMismatch { .. }), "{error}");
        }
        let angles = Layout::contiguous((3, 2));
        let error = message(nn::rope_i(&x, &row, (&x, &angles), (&x, &angles)));
        assert!(matches!(error, RocmError::InvalidArgument { .. }), "{error}");
    }
}
