//! Gradients of softmax, norms, the logistic function and mixtures of experts on the devices against their formulas in f64.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{DType, Layout};
use candle_rocm::hip::LaunchConfig;
use candle_rocm::nn::{self, NormGradients};
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage};
use float8::F8E4M3;
use half::{bf16, f16};
use rocm_kernels::GRADIENTS;

use crate::common;
use crate::common::Random;
use crate::harness::bits::Number;

/// Rows around vectors, wavefronts and blocks, and one that is split over the device.
fn lengths() -> [usize; 9] {
    [1, 7, 8, 33, 65, 1000, 1025, 6008, if common::checked() { 40_001 } else { 64_001 }]
}

/// So many rows of that length.
fn rows(len: usize) -> usize {
    if len > 5000 { 2 } else { 5 }
}

fn numbers<T: RocmDType>(len: usize, seed: u64, shift: f64) -> Vec<T> {
    let mut random = Random(seed);
    (0..len).map(|_| T::from_f64(random.below(20_001) as f64 / 10_000.0 - 1.0 + shift)).collect()
}

fn upload<T: RocmDType>(device: &RocmDevice, data: &[T]) -> RocmStorage {
    device.storage_from_slice(data).expect("upload")
}

fn download<T: RocmDType>(storage: &RocmStorage) -> Vec<T> {
    T::cpu_storage_as_slice(&storage.to_cpu_storage().expect("download")).expect("dtype").to_vec()
}

/// A sum and the sum of its terms' sizes, by which errors of rounding are measured.
#[derive(Clone, Copy)]
struct Total {
    sum: f64,
    size: f64,
}

fn total(terms: impl Iterator<Item = f64>) -> Total {
    terms.fold(Total { sum: 0., size: 0. }, |t, term| Total { sum: t.sum + term, size: t.size + term.abs() })
}

/// Each of `got` is the total, within so many roundings of its terms' sizes, and one to the dtype.
#[track_caller]
fn near<T: Number + RocmDType>(got: &[T], want: &[Total], what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    let epsilon = if T::DTYPE == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        let rounding = match T::DTYPE {
            DType::F16 => want.sum.abs() / 2048.0 + 2f64.powi(-25),
            DType::BF16 => want.sum.abs() / 256.0,
            DType::F8E4M3 => want.sum.abs() / 16.0 + 2f64.powi(-10),
            _ => 0.0,
        };
        let (apart, limit) = ((got.value() - want.sum).abs(), 32.0 * epsilon * want.size + rounding);
        let same = got.nan() && want.sum.is_nan();
        assert!(
            same || apart <= limit,
            "{what} {:?} [{i}]: got {} want {}, {apart} apart",
            T::DTYPE,
            got.value(),
            want.sum
        );
    }
}

macro_rules! each_float {
    ($check:ident($($args:expr),*)) => {{
        $check::<f16>($($args),*);
        $check::<bf16>($($args),*);
        $check::<f32>($($args),*);
        $check::<f64>($($args),*);
    }};
}

/// `[rows, len]` and the same values as a view of `[len, rows]` with an offset.
fn views<T: RocmDType>(values: &[T], rows: usize, len: usize) -> [(Vec<T>, Layout); 2] {
    let mut transposed = vec![T::from_f64(9.); 3 + values.len()];
    for (i, &value) in values.iter().enumerate() {
        transposed[3 + i % len * rows + i / len] = value;
    }
    let view = Layout::contiguous_with_offset((len, rows), 3).transpose(0, 1).unwrap();
    [(values.to_vec(), Layout::contiguous((rows, len))), (transposed, view)]
}

// -------------------------------------------------------------------------------------------------------------- Softmax

fn softmax<T: Number + RocmDType>(y: &[T], dy: &[T]) -> Vec<Total> {
    let sum = total(y.iter().zip(dy).map(|(y, dy)| y.value() * dy.value()));
    let gradient = |(y, dy): (&T, &T)| Total {
        sum: y.value() * (dy.value() - sum.sum),
        size: y.value().abs() * (dy.value().abs() + sum.size),
    };
    y.iter().zip(dy).map(gradient).collect()
}

fn check_softmax<T: Number + RocmDType>(device: &RocmDevice, len: usize) {
    let rows = rows(len);
    let y: Vec<T> = numbers(1 + rows * len, 1, 1.0);
    let dy: Vec<T> = numbers(rows * len, 2, 0.0);
    let want: Vec<Total> =
        y[1..].chunks(len).zip(dy.chunks(len)).flat_map(|(y, dy)| softmax(y, dy)).collect();
    let y_l = Layout::contiguous_with_offset((rows, len), 1);
    for (dy, dy_l) in views(&dy, rows, len) {
        let got = nn::softmax_last_dim_backward((&upload(device, &y), &y_l), (&upload(device, &dy), &dy_l));
        near(&download::<T>(&got.unwrap()), &want, &format!("{rows} rows of {len} on {}", device.label()));
    }
}

#[test]
fn softmax_gradients() {
    for device in &common::devices() {
        for len in lengths() {
            each_float!(check_softmax(device, len));
        }
    }
}

/// Rows in more parts than two wavefronts have lanes, which launchers make on large cards only: all wavefronts of a block have a share
/// of the parts' sums.
#[test]
fn rows_in_many_parts() {
    fn check<T: Number + RocmDType>(device: &RocmDevice) {
        let (rows, splits, part) = (2, 130, 17);
        // The last part is shorter.
        let len = (splits - 1) * part + 5;
        let (x, dy): (Vec<T>, Vec<T>) = (numbers(rows * len, 1, 1.0), numbers(rows * len, 2, 0.125));
        let alpha: Vec<T> = numbers(len, 3, 0.5);
        let [x_there, dy_there, alpha_there] =
            [&x, &dy, &alpha].map(|values| device.upload(values).expect("upload"));
        let mut dx = device.upload(&vec![T::from_f64(f64::NAN); rows * len]).expect("upload");
        let [mut moments, mut sums, mut normals] = [3 * rows * splits, 2 * rows * splits, 2 * rows]
            .map(|words| device.alloc_zeros::<u64>(words).expect("zeros"));
        let config = LaunchConfig::looping(rows * splits, 256);

        for stage in [1u32, 2] {
            let name = format!("softmax_backward_{}", T::KERNEL_DTYPE);
            let mut launch = device.launch(&GRADIENTS, &name);
            launch.buffer(&x_there, 0).buffer(&dy_there, 0).buffer_mut(&mut dx, 0).arg(&(len as u32));
            launch.arg(&rows).arg(&splits).arg(&part).buffer_mut(&mut sums, 0).arg(&stage);
            // SAFETY: softmax_backward_*(y, dy, dx, n_cols, n_rows, splits, part, partial, stage), two words for each part.
            unsafe { launch.run(config) }.expect("softmax_backward");
        }
        let want: Vec<Total> = x.chunks(len).zip(dy.chunks(len)).flat_map(|(y, dy)| softmax(y, dy)).collect();
        near(&device.download(&dx).expect("download"), &want, &format!("softmax on {}", device.label()));

        let factors: Vec<f64> = alpha.iter().map(|a| a.value()).collect();
        for centred in [false, true] {
            for stage in [0u32, 1, 2] {
                let name = format!("norm_backward_{}", T::KERNEL_DTYPE);
                let mut launch = device.launch(&GRADIENTS, &name);
                launch
                    .buffer(&x_there, 0)
                    .buffer(&dy_there, 0)
                    .buffer(&alpha_there, 0)
                    .buffer_mut(&mut dx, 0);
                launch.buffer_mut(&mut normals, 0).arg(&(len as u32)).arg(&1u32).arg(&1u32);
                launch.arg(&u32::from(centred)).arg(&1e-3f64).arg(&rows).arg(&splits).arg(&part);
                launch.buffer_mut(&mut moments, 0).buffer_mut(&mut sums, 0).arg(&stage);
                // SAFETY: norm_backward_*(x, dy, alpha, dx, normals, n_cols, groups, spatial, centred, eps, n_rows, splits, part,
                // moments, partial, stage): two words for each row's normals, three for moments, two for sums of each part.
                unsafe { launch.run(config) }.expect("norm_backward");
            }
            let rows = x.chunks(len).zip(dy.chunks(len));
            let want: Vec<Total> = rows.flat_map(|(x, dy)| norm(x, &factors, dy, centred, 1e-3).0).collect();
            let what = format!("norm, {centred}, on {}", device.label());
            near(&device.download(&dx).expect("download"), &want, &what);
        }
    }
    for device in &common::devices() {
        each_float!(check(device));
    }
}

/// What is not a number stays in its row; places that a mask left without weight get nothing, however large the rest.
#[test]
fn special_values() {
    for device in &common::devices() {
        let (rows, len) = (3, 300);
        let layout = Layout::contiguous((rows, len));
        let (mut y, mut dy) = (vec![1f32 / 300.; rows * len], vec![1f32; rows * len]);
        dy[len + 7] = f32::NAN;
        (y[2 * len], dy[2 * len + 1]) = (0., 1e30);
        let (y, dy) = (upload(device, &y), upload(device, &dy));
        let dx = download::<f32>(&nn::softmax_last_dim_backward((&y, &layout), (&dy, &layout)).unwrap());
        assert!(dx[..len].iter().all(|v| v.abs() < 1e-6));
        assert!(dx[len..2 * len].iter().all(|v| v.is_nan()));
        assert!(dx[2 * len] == 0. && dx[2 * len + 1..].iter().all(|v| v.is_finite()));

        let alpha = upload(device, &vec![1f32; len]);
        let x = upload(device, &numbers::<f32>(rows * len, 4, 0.));
        let flat = Layout::contiguous(len);
        let wanted = [true; 3];
        let NormGradients { x: dx, alpha, beta } =
            nn::layer_norm_backward((&x, &layout), (&alpha, &flat), (&dy, &layout), 1e-5, wanted).unwrap();
        for (at, v) in download::<f32>(&dx.unwrap()).iter().enumerate() {
            assert_eq!(v.is_nan(), at / len == 1, "{at}: {v}");
        }
        for factors in [alpha, beta] {
            for (at, v) in download::<f32>(&factors.unwrap()).iter().enumerate() {
                assert_eq!(v.is_nan(), at == 7, "{at}: {v}");
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------- Norms

/// Of the elements of x that are normalised together, with each one's factor: the gradient, and what a factor gets from each.
fn norm<T: Number + RocmDType>(
    x: &[T],
    alpha: &[f64],
    dy: &[T],
    centred: bool,
    eps: f64,
) -> (Vec<Total>, Vec<f64>) {
    let n = x.len() as f64;
    let mean = if centred { total(x.iter().map(|x| x.value())).sum / n } else { 0. };
    let scale = 1. / (total(x.iter().map(|x| (x.value() - mean).powi(2))).sum / n + eps).sqrt();
    let normed: Vec<f64> = x.iter().map(|x| (x.value() - mean) * scale).collect();
    let g: Vec<f64> = dy.iter().zip(alpha).map(|(dy, alpha)| dy.value() * alpha).collect();
    let (first, second) = (total(g.iter().copied()), total(g.iter().zip(&normed).map(|(g, x)| g * x)));
    let by_mean = if centred { 1. } else { 0. };
    let gradient = |(g, x): (&f64, &f64)| Total {
        sum: scale * (g - by_mean * first.sum / n - x * second.sum / n),
        size: scale * (1. + x.abs() + scale * mean.abs()) * (g.abs() + first.size / n + second.size / n),
    };
    let by_factor = dy.iter().zip(&normed).map(|(dy, x)| dy.value() * x).collect();
    (g.iter().zip(&normed).map(gradient).collect(), by_factor)
}

fn of_factors<T: Number + RocmDType>(
    by_factor: &[f64],
    dy: &[T],
    factors: usize,
    factor: impl Fn(usize) -> usize,
) -> [Vec<Total>; 2] {
    let mut totals = [(); 2].map(|()| vec![Total { sum: 0., size: 0. }; factors]);
    for (i, (scaled, dy)) in by_factor.iter().zip(dy).enumerate() {
        for (totals, term) in totals.iter_mut().zip([*scaled, dy.value()]) {
            let Total { sum, size } = totals[factor(i)];
            // A distance from the mean is off by what the largest is rounded by.
            totals[factor(i)] = Total { sum: sum + term, size: size + term.abs() + 2. * dy.value().abs() };
        }
    }
    totals
}

fn check_norms<T: Number + RocmDType>(device: &RocmDevice, len: usize, rows: usize) {
    let what = format!("{rows} rows of {len} on {}", device.label());
    let x: Vec<T> = numbers(1 + rows * len, 1, 0.25);
    let dy: Vec<T> = numbers(rows * len, 2, 0.125);
    let alpha: Vec<T> = numbers(2 + len, 3, 0.5);
    let factors: Vec<f64> = alpha[2..].iter().map(|a| a.value()).collect();
    let (x_there, alpha_there) = (upload(device, &x), upload(device, &alpha));
    let x_there = (&x_there, &Layout::contiguous_with_offset((rows, len), 1));
    let alpha_there = (&alpha_there, &Layout::contiguous_with_offset(len, 2));
    for centred in [false, true] {
        let mut want = (Vec::new(), Vec::new());
        for (x, dy) in x[1..].chunks(len).zip(dy.chunks(len)) {
            let (gradients, by_factor) = norm(x, &factors, dy, centred, f64::from(1e-3f32));
            want.0.extend(gradients);
            want.1.extend(by_factor);
        }
        let [of_alpha, of_beta] = of_factors(&want.1, &dy, len, |i| i % len);
        for (dy, dy_l) in views(&dy, rows, len) {
            let dy = upload(device, &dy);
            let run = |wanted: [bool; 3]| match centred {
                true => nn::layer_norm_backward(x_there, alpha_there, (&dy, &dy_l), 1e-3, wanted),
                false => {
                    nn::rms_norm_backward(x_there, alpha_there, (&dy, &dy_l), 1e-3, [wanted[0], wanted[1]])
                }
            };
            let all = run([true; 3]).unwrap();
            near(&download::<T>(all.x.as_ref().unwrap()), &want.0, &format!("x, {centred}, {what}"));
            near(
                &download::<T>(all.alpha.as_ref().unwrap()),
                &of_alpha,
                &format!("alpha, {centred}, {what}"),
            );
            assert_eq!(all.beta.is_some(), centred);
            if let Some(beta) = &all.beta {
                near(&download::<T>(beta), &of_beta, &format!("beta, {what}"));
            }
            // Alone, they are the same.
            let factors = run([false, true, false]).unwrap();
            assert!(factors.x.is_none() && factors.beta.is_none());
            let bits = |storage: &Option<RocmStorage>| {
                download::<T>(storage.as_ref().unwrap())
                    .iter()
                    .map(|v| v.value().to_bits())
                    .collect::<Vec<_>>()
            };
            assert_eq!(bits(&factors.alpha), bits(&all.alpha), "{what}");
            assert_eq!(bits(&run([true, false, false]).unwrap().x), bits(&all.x), "{what}");
        }
    }
}

#[test]
fn norm_gradients() {
    for device in &common::devices() {
        for len in lengths() {
            each_float!(check_norms(device, len, rows(len)));
        }
        // Many rows, which are added up in parts.
        each_float!(check_norms(device, 19, if common::checked() { 300 } else { 3000 }));
    }
}

fn check_group_norm<T: Number + RocmDType>(device: &RocmDevice, dims: &[usize], groups: usize) {
    let what = format!("{dims:?} in {groups} groups on {}", device.label());
    let (batch, channels, spatial) = (dims[0], dims[1], dims[2..].iter().product::<usize>());
    let count = batch * channels * spatial;
    let (x, dy, alpha): (Vec<T>, Vec<T>, Vec<T>) =
        (numbers(count, 1, 0.25), numbers(count, 2, 0.125), numbers(channels, 3, 0.5));
    let channel = |i: usize| i / spatial % channels;
    let (mut want, mut by_factor) = (Vec::new(), Vec::new());
    let cols = channels / groups * spatial;
    for (at, (x, dy)) in x.chunks(cols).zip(dy.chunks(cols)).enumerate() {
        let factors: Vec<f64> = (0..cols).map(|i| alpha[channel(at * cols + i)].value()).collect();
        let (gradients, of_factors) = norm(x, &factors, dy, true, 1e-3);
        want.extend(gradients);
        by_factor.extend(of_factors);
    }
    let [of_alpha, of_beta] = of_factors(&by_factor, &dy, channels, channel);
    let (layout, flat) = (Layout::contiguous(dims), Layout::contiguous(channels));
    let (x, dy, alpha) = (upload(device, &x), upload(device, &dy), upload(device, &alpha));
    let got =
        nn::group_norm_backward((&x, &layout), (&alpha, &flat), (&dy, &layout), groups, 1e-3, [true; 3]);
    let got = got.unwrap();
    near(&download::<T>(&got.x.unwrap()), &want, &format!("x, {what}"));
    near(&download::<T>(&got.alpha.unwrap()), &of_alpha, &format!("alpha, {what}"));
    near(&download::<T>(&got.beta.unwrap()), &of_beta, &format!("beta, {what}"));
}

/// Channels of one element, of an odd number, of whole vectors; a channel for each group, one group; a split group.
#[test]
fn group_norm_gradients() {
    for device in &common::devices() {
        for (dims, groups) in [
            (&[2, 6, 1][..], 3),
            (&[3, 6, 5, 3], 2),
            (&[2, 8, 8, 8], 8),
            (&[2, 40, 7], 1),
            (&[1, 2, 33_001], 1),
        ] {
            each_float!(check_group_norm(device, dims, groups));
        }
    }
}

// -------------------------------------------------------------------------------------------------- Logistic function

/// Operands that kernels read as vectors, some of whose elements lie before the first whole one and behind the last; as rows of vectors;
/// and element by element.
fn check_sigmoid<T: Number + RocmDType>(device: &RocmDevice) {
    for (rows, len) in [(7, 133), (7, 144)] {
        let (y, dy): (Vec<T>, Vec<T>) = (numbers(rows * len, 1, 0.5), numbers(rows * len, 2, 0.0));
        let want: Vec<Total> = y
            .iter()
            .zip(&dy)
            .map(|(y, dy)| total(std::iter::once(dy.value() * y.value() * (1. - y.value()))))
            .map(|t| Total { size: t.size + 1., ..t })
            .collect();
        let [ys, dys] = [&y, &dy].map(|values| {
            let [whole, transposed] = views(values, rows, len);
            let wide: Vec<T> =
                values.chunks(len).flat_map(|row| [row, &[T::from_f64(9.); 16]].concat()).collect();
            let narrowed = Layout::new((rows, len).into(), vec![len + 16, 1], 0);
            [whole, transposed, (wide, narrowed)]
        });
        for (i, j) in [(0, 0), (0, 1), (1, 0), (2, 2), (0, 2)] {
            let ((y, y_l), (dy, dy_l)) = (&ys[i], &dys[j]);
            let got = nn::sigmoid_backward((&upload(device, y), y_l), (&upload(device, dy), dy_l)).unwrap();
            let what = format!("views {i} and {j} of {rows} rows of {len} on {}", device.label());
            near(&download::<T>(&got), &want, &what);
        }
    }
}

#[test]
fn sigmoid_gradients() {
    for device in &common::devices() {
        each_float!(check_sigmoid(device));
        check_sigmoid::<F8E4M3>(device);
    }
}

// -------------------------------------------------------------------------------------------------------------- Experts

/// Tokens, experts, experts per token, columns of the output, columns of the input.
fn check_experts<T: Number + RocmDType>(device: &RocmDevice, sizes: [usize; 5], scaled: bool) {
    let [tokens, experts, topk, n, k] = sizes;
    let what = format!("{sizes:?} {scaled} on {}", device.label());
    let count = tokens * topk;
    let mut random = Random(5);
    // Some experts have nothing to do.
    let used = experts.div_ceil(2) + 1;
    let mut entries: Vec<(usize, usize)> =
        (0..count).map(|row| (random.below(used) % experts, row)).collect();
    entries.sort_unstable();
    let inputs = if scaled { count } else { tokens };
    let x: Vec<T> = numbers(inputs * k, 6, 0.);
    let w: Vec<T> = numbers(experts * n * k, 7, 0.);
    let dy: Vec<T> = numbers(count * n, 8, 0.);
    let factors: Vec<f32> = numbers(count, 9, 0.);
    let input = |row: usize| if scaled { row } else { row / topk };
    let factor = |row: usize| if scaled { f64::from(factors[row]) } else { 1. };
    let zero = Total { sum: 0., size: 0. };
    let (mut dx, mut dw, mut df) = (vec![zero; inputs * k], vec![zero; experts * n * k], vec![zero; count]);
    let add = |t: &mut Total, term: f64| *t = Total { sum: t.sum + term, size: t.size + term.abs() };
    for &(expert, row) in &entries {
        for column in 0..n {
            let g = dy[row * n + column].value();
            for i in 0..k {
                let (x, w) = (x[input(row) * k + i].value(), w[(expert * n + column) * k + i].value());
                add(&mut dx[input(row) * k + i], g * w * factor(row));
                add(&mut dw[(expert * n + column) * k + i], g * x * factor(row));
                add(&mut df[row], g * x * w);
            }
        }
    }
    // Products are rounded before those of a token, or those of a row, are added up.
    let round = |totals: Vec<Total>, by: f64| -> Vec<Total> {
        let unit = f64::from(f32::EPSILON) * 32.;
        totals.iter().map(|t| Total { size: t.size * (1. + by / unit), ..*t }).collect()
    };
    let by = match T::DTYPE {
        DType::F16 => 1. / 2048.,
        DType::BF16 => 1. / 256.,
        _ => 0.,
    };
    let ids = |list: Vec<usize>| upload(device, &list.iter().map(|&id| id as u32).collect::<Vec<_>>());
    let (rows, of) = (ids(entries.iter().map(|e| e.1).collect()), ids(entries.iter().map(|e| e.0).collect()));
    let lists = Layout::contiguous(count);
    let factors = upload(device, &factors);
    let (x, w) = (upload(device, &x), upload(device, &w));
    for (dy, dy_l) in views(&dy, count, n) {
        let got = nn::moe_gemm_backward(
            (&x, &Layout::contiguous((inputs, k))),
            (&w, &Layout::contiguous((experts, n, k))),
            (&rows, &lists),
            (&of, &lists),
            scaled.then_some((&factors, &lists)),
            topk,
            (&upload(device, &dy), &dy_l),
            [true; 3],
        );
        let got = got.unwrap();
        near(&download::<T>(&got.input.unwrap()), &round(dx.clone(), by), &format!("input, {what}"));
        near(&download::<T>(&got.weights.unwrap()), &dw, &format!("weights, {what}"));
        assert_eq!(got.factors.is_some(), scaled);
        if let Some(factors) = got.factors {
            near(&download::<f32>(&factors), &round(df.clone(), by), &format!("factors, {what}"));
        }
    }
}

#[test]
fn expert_gradients() {
    for device in &common::devices() {
        for sizes in [[1, 4, 2, 5, 7], [9, 4, 2, 33, 65], [20, 3, 1, 70, 24]] {
            for scaled in [false, true] {
                check_experts::<f32>(device, sizes, scaled);
                check_experts::<f16>(device, sizes, scaled);
                check_experts::<bf16>(device, sizes, scaled);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------- Edges

#[test]
fn nothing_to_do() {
    for device in &common::devices() {
        let empty = upload::<f32>(device, &[]);
        let (layout, flat) = (Layout::contiguous((0, 5)), Layout::contiguous(5));
        assert!(
            download::<f32>(&nn::softmax_last_dim_backward((&empty, &layout), (&empty, &layout)).unwrap())
                .is_empty()
        );
        assert!(
            download::<f32>(&nn::sigmoid_backward((&empty, &layout), (&empty, &layout)).unwrap()).is_empty()
        );
        // No rows add nothing to the factors.
        let alpha = upload(device, &[1f32; 5]);
        let got =
            nn::layer_norm_backward((&empty, &layout), (&alpha, &flat), (&empty, &layout), 1e-5, [true; 3]);
        let got = got.unwrap();
        assert!(download::<f32>(&got.x.unwrap()).is_empty());
        assert_eq!(download::<f32>(&got.alpha.unwrap()), [0.; 5]);
        assert_eq!(download::<f32>(&got.beta.unwrap()), [0.; 5]);
        let (layout, flat) = (Layout::contiguous((2, 3, 0)), Layout::contiguous(3));
        let got = nn::group_norm_backward(
            (&empty, &layout),
            (&alpha, &flat),
            (&empty, &layout),
            3,
            1e-5,
            [true; 3],
        );
        assert_eq!(download::<f32>(&got.unwrap().alpha.unwrap()), [0.; 3]);
    }
}

#[test]
fn what_cannot_be() {
    let devices = common::devices();
    let Some(device) = devices.first() else { return };
    let x = upload(device, &[1f32; 6]);
    let (layout, other, flat) =
        (Layout::contiguous((2, 3)), Layout::contiguous((3, 2)), Layout::contiguous(2));
    let mismatch = |result: Result<(), RocmError>| match result {
        Err(RocmError::ShapeMismatch { lhs, .. }) => assert_eq!(lhs, [2, 3]),
        other => panic!("{other:?}"),
    };
    mismatch(nn::softmax_last_dim_backward((&x, &layout), (&x, &other)).map(|_| ()));
    mismatch(nn::sigmoid_backward((&x, &layout), (&x, &other)).map(|_| ()));
    mismatch(nn::rms_norm_backward((&x, &layout), (&x, &flat), (&x, &layout), 1e-5, [true; 2]).map(|_| ()));
    let integers = upload(device, &[1u32; 6]);
    let result = nn::softmax_last_dim_backward((&integers, &layout), (&integers, &layout));
    assert!(matches!(result, Err(RocmError::UnsupportedDType { .. })));
    let result = nn::sigmoid_backward((&integers, &layout), (&integers, &layout));
    assert!(matches!(result, Err(RocmError::UnsupportedDType { .. })));
    let result = nn::softmax_last_dim_backward((&x, &layout), (&integers, &layout));
    assert!(matches!(result, Err(RocmError::DTypeMismatch { .. })));
}
