//! Attention on the devices against its formula in f64.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{DType, Layout, Shape};
use candle_rocm::nn::{Attention, Axes, FullyMasked, Mask, Weights, sdpa, sdpa_with};
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage};
use half::{bf16, f16};

use crate::common;
use crate::harness::attention::{CAPPED, CAUSAL, Operand, PLAIN, Sizes};
use crate::harness::bits::Number;

/// The formula, number by number.
fn expected<T: Number + RocmDType>(
    q: &Operand<T>,
    k: &Operand<T>,
    v: &Operand<T>,
    mask: &dyn Fn([usize; 4]) -> f64,
    attention: Attention,
) -> Vec<f64> {
    expected_with(q, k, v, &|i, score| score + mask(i), attention)
}

/// With what becomes of a score.
fn expected_with<T: Number + RocmDType>(
    q: &Operand<T>,
    k: &Operand<T>,
    v: &Operand<T>,
    mask: &dyn Fn([usize; 4], f64) -> f64,
    attention: Attention,
) -> Vec<f64> {
    let (&[batch, heads, t, d], &[_, kv_heads, s, d_v]) = (q.layout.dims(), v.layout.dims()) else {
        panic!()
    };
    let (scale, cap) = (f64::from(attention.scale), attention.softcapping.map(f64::from));
    let mut out = Vec::new();
    for (b, h, i) in (0..batch).flat_map(|b| (0..heads).flat_map(move |h| (0..t).map(move |i| (b, h, i)))) {
        let kv = h * kv_heads / heads;
        let score = |j: usize| {
            if attention.causal && j + t > i + s {
                return f64::NEG_INFINITY;
            }
            let product: f64 = (0..d).map(|c| q.at([b, h, i, c]) * k.at([b, kv, j, c])).sum();
            let score = product * scale;
            mask([b, h, i, j], cap.map_or(score, |cap| (score / cap).tanh() * cap))
        };
        let scores: Vec<f64> = (0..s).map(score).collect();
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if top == f64::NEG_INFINITY && !scores.iter().any(|x| x.is_nan()) {
            let value = if attention.fully_masked == FullyMasked::Nan && s > 0 { f64::NAN } else { 0.0 };
            out.extend(std::iter::repeat_n(value, d_v));
            continue;
        }
        let weights: Vec<f64> = scores.iter().map(|x| (x - top).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let result = |c| weights.iter().enumerate().map(|(j, w)| w * v.at([b, kv, j, c])).sum::<f64>() / sum;
        out.extend((0..d_v).map(result));
    }
    out
}

/// All of `got` near `want`. Values are below 1, so are their weighted sums. A score of a few units, a sum of up to 320
/// products in f32, is off by some 2^-24 of them times the square root of their number; its weight by as much. The result is
/// rounded once to the dtype; on matrix cores each weight is, too: their sum is 1, and each is off by half a unit at most. If it is
/// split, each part is rounded so, and the second is at most such a half.
#[track_caller]
fn near<T: Number + RocmDType>(got: &RocmStorage, want: &[f64], what: &str) {
    near_with::<T>(got, want, Weights::Rounded, what);
}

#[track_caller]
fn near_with<T: Number + RocmDType>(got: &RocmStorage, want: &[f64], weights: Weights, what: &str) {
    let got_matrix = got.device().matrix_cores();
    let got = T::cpu_storage_as_slice(&got.to_cpu_storage().expect("download")).expect("dtype").to_vec();
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        let rounding = match T::DTYPE {
            DType::F16 => want.abs() / 2048.0 + 2f64.powi(-25),
            DType::BF16 => want.abs() / 256.0,
            _ => 0.0,
        };
        let unit = match (got_matrix, T::DTYPE) {
            (true, DType::F16) => 1.0 / 2048.0,
            (true, DType::BF16) => 1.0 / 256.0,
            _ => 0.0,
        };
        let rounding = rounding + if weights == Weights::Split { unit * unit } else { unit };
        let apart = (got.value() - want).abs();
        let fits = apart <= 4e-6 + rounding || got.nan() && want.is_nan();
        assert!(fits, "{what} {:?} [{i}]: got {} want {want}", T::DTYPE, got.value());
    }
}

macro_rules! each_float {
    ($check:ident($device:expr, $($args:expr),*)) => {{
        $check::<f32>($device, $($args),*);
        each_half!($check($device, $($args),*));
    }};
}

macro_rules! each_half {
    ($check:ident($device:expr, $($args:expr),*)) => {{
        $check::<f16>($device, $($args),*);
        $check::<bf16>($device, $($args),*);
    }};
}

/// For [`devices`], which come without matrix cores and with them: f32 has nothing to do with those.
macro_rules! each_float_once {
    ($check:ident($device:expr, $($args:expr),*)) => {
        if $device.matrix_cores() {
            each_half!($check($device, $($args),*));
        } else {
            each_float!($check($device, $($args),*));
        }
    };
}

/// All devices, without matrix cores and with them, or what stands for them.
fn devices() -> impl Iterator<Item = RocmDevice> {
    common::devices().into_iter().flat_map(|device| {
        [false, true].into_iter().map(move |matrix_cores| {
            device.set_matrix_cores(matrix_cores);
            device.clone()
        })
    })
}

fn check<T: Number + RocmDType>(device: &RocmDevice, sizes: Sizes, attention: Attention) {
    let [b, h, kv_h, t, s, d, d_v] = sizes;
    let q = Operand::<T>::random(device, [b, h, t, d], 11);
    let (k, v) =
        (Operand::random(device, [b, kv_h, s, d], 12), Operand::random(device, [b, kv_h, s, d_v], 13));
    let got = sdpa(q.given(), k.given(), v.given(), None, attention).expect("sdpa");
    let (want, what) = (expected(&q, &k, &v, &|_| 0.0, attention), format!("{sizes:?} {attention:?}"));
    near::<T>(&got, &want, &what);
    let given = [q.given(), k.given(), v.given()];
    let got = sdpa_with(given, None, attention, Weights::Split, Axes::Bhtd).expect("sdpa");
    near_with::<T>(&got, &want, Weights::Split, &what);
    let got = sdpa_with(given, None, attention, Weights::Rounded, Axes::Bthd).expect("sdpa");
    let rows = (0..b * t * h).map(|i| (i / h / t * h + i % h) * t + i / h % t);
    let want: Vec<f64> = rows.flat_map(|row| want[row * d_v..(row + 1) * d_v].to_vec()).collect();
    near::<T>(&got, &want, &format!("{what}, by query"));
}

/// Up to 16 queries to a head of keys: as when words are written one by one.
#[test]
fn few_queries() {
    for device in common::devices() {
        for (sizes, attention) in [
            ([2, 4, 4, 1, 37, 64, 64], PLAIN),
            ([1, 2, 2, 1, 1, 128, 128], PLAIN),
            ([1, 4, 1, 1, 90, 128, 128], CAUSAL),
            ([1, 8, 1, 1, 300, 32, 32], CAPPED),
            ([1, 14, 2, 1, 50, 64, 64], CAUSAL),
            ([1, 6, 3, 3, 100, 80, 80], CAUSAL),
            ([1, 16, 1, 1, 40, 96, 96], PLAIN),
            ([1, 2, 2, 5, 64, 256, 128], CAPPED),
            ([1, 1, 1, 2, 20, 72, 250], PLAIN),
            ([1, 2, 1, 1, 33, 5, 3], PLAIN),
            // Keys in several parts, as many as fill the device; the last part is short.
            ([1, 2, 2, 1, 1030, 40, 40], CAUSAL),
            ([1, 8, 2, 1, 1100, 32, 32], CAPPED),
            ([1, 6, 3, 3, 500, 80, 80], CAUSAL),
            ([1, 2, 2, 5, 260, 256, 128], CAPPED),
            ([2, 1, 1, 2, 1024, 8, 24], PLAIN),
            ([1, 1, 1, 2, 130, 72, 250], PLAIN),
            ([1, 1, 1, 1, 9001, 8, 8], PLAIN),
        ] {
            each_float!(check(&device, sizes, attention));
        }
    }
}

#[test]
fn many_queries() {
    for device in devices() {
        for (sizes, attention) in [
            ([2, 2, 2, 17, 17, 32, 32], PLAIN),
            // Tiles with queries of two heads.
            ([1, 4, 2, 33, 33, 32, 32], CAUSAL),
            ([1, 1, 1, 100, 130, 64, 64], CAUSAL),
            ([1, 2, 1, 20, 200, 128, 128], CAPPED),
            ([1, 1, 1, 65, 64, 96, 96], PLAIN),
            ([1, 2, 1, 140, 150, 40, 24], CAUSAL),
            ([1, 1, 1, 17, 65, 256, 256], CAUSAL),
            ([1, 1, 1, 18, 70, 72, 300], PLAIN),
            ([1, 2, 2, 18, 9, 5, 7], PLAIN),
            // Columns beyond what the lanes of a key can have.
            ([1, 1, 1, 1, 66, 320, 40], PLAIN),
        ] {
            each_float_once!(check(&device, sizes, attention));
        }
    }
}

#[test]
fn strides() {
    fn check<T: Number + RocmDType>(device: &RocmDevice, t: usize) {
        let (b, h, kv_h, s, d) = (2, 4, 2, 30, 40);
        // Projections as they come: [batch, time, heads, columns].
        let q = Operand::<T>::random(device, [b, t, h, d], 21).transposed(1, 2);
        // A cache with room for more keys, of which some are there.
        let mut k = Operand::<T>::random(device, [b, kv_h, s + 9, d], 22);
        k.layout = k.layout.narrow(2, 3, s).expect("inside");
        // Columns that are not dense.
        let v = Operand::<T>::random(device, [b, kv_h, d, s], 23).transposed(2, 3);
        let want = expected(&q, &k, &v, &|_| 0.0, CAUSAL);
        let got = sdpa(q.given(), k.given(), v.given(), None, CAUSAL).expect("sdpa");
        near::<T>(&got, &want, &format!("strided, {t} queries"));
        // Heads that are one and the same.
        let mut k = Operand::<T>::random(device, [b, 1, s, d], 24);
        k.layout = k.layout.broadcast_as(Shape::from((b, kv_h, s, d))).expect("broadcast");
        let want = expected(&q, &k, &v, &|_| 0.0, PLAIN);
        let got = sdpa(q.given(), k.given(), v.given(), None, PLAIN).expect("sdpa");
        near::<T>(&got, &want, &format!("repeated heads, {t} queries"));
    }
    for device in devices() {
        for t in [2, 11] {
            each_float_once!(check(&device, t));
        }
    }
}

#[test]
fn masks() {
    fn check<T: Number + RocmDType>(device: &RocmDevice, t: usize) {
        let (b, h, s, d) = (2, 2, 35, 16);
        let operand = |t, seed| Operand::<T>::random(device, [b, h, t, d], seed);
        let (q, k, v) = (operand(t, 31), operand(s, 32), operand(s, 33));
        for (dims, rank) in
            [([b, h, t, s], 4), ([b, 1, 1, s], 4), ([1, 1, t, s], 2), ([1, h, t, 1], 3), ([1, 1, 1, 1], 4)]
        {
            let mask = Operand::<T>::random(device, dims, 34);
            let layout = Layout::contiguous_with_offset(&dims[4 - rank..], mask.layout.start_offset());
            let index = |i: [usize; 4]| std::array::from_fn(|x| i[x] % dims[x]);
            let want = expected(&q, &k, &v, &|i| mask.at(index(i)), CAUSAL);
            // Of the operands' type, of f32, and of another one.
            let wider: Vec<f32> = mask.data.iter().map(|x| x.value() as f32).collect();
            let widest: Vec<f64> = mask.data.iter().map(|x| x.value()).collect();
            let wider = device.storage_from_slice(&wider).expect("upload");
            let widest = device.storage_from_slice(&widest).expect("upload");
            for storage in [&mask.storage, &wider, &widest] {
                let got = sdpa(q.given(), k.given(), v.given(), Some((storage, &layout)), CAUSAL);
                near::<T>(&got.expect("sdpa"), &want, &format!("mask {dims:?}, {t} queries"));
            }
        }
    }
    for device in devices() {
        for t in [1, 20] {
            each_float_once!(check(&device, t));
        }
    }
}

/// Numbers beside which little is left of a score, or nothing: the sum is rounded to f32 or, where that is asked for, to the operands'
/// dtype.
#[test]
fn large_masks() {
    fn check<T: Number + RocmDType>(device: &RocmDevice, t: usize, s: usize, d: usize) {
        // Scores are multiples of 1/8, and exact in f32.
        let steps = |rows: usize, seed: u64| {
            let x = Operand::<T>::random(device, [1, 2, rows, d], seed);
            let data = x.data.iter().map(|x| T::from_f64((x.value() * 4.0).round() / 2.0)).collect();
            Operand::new(device, data, x.layout)
        };
        let (q, k, v) = (steps(t, 61), steps(s, 62), Operand::<T>::random(device, [1, 2, s, d], 63));
        let given = [q.given(), k.given(), v.given()];
        let rounded = |x: f64| T::from_f64(x).value();
        for number in [-1e4, -3e4, -65504.0, -1e9, -1e20, -3.3895e38, 1e4, 65504.0] {
            let number = rounded(number);
            // A number of f16 or none.
            if number.is_infinite() {
                continue;
            }
            let at =
                |i: usize, j: usize| if i.is_multiple_of(3) || j.is_multiple_of(2) { number } else { 0.0 };
            let mask: Vec<T> = (0..t * s).map(|n| T::from_f64(at(n / s, n % s))).collect();
            let wide: Vec<f32> = mask.iter().map(|x| x.value() as f32).collect();
            let mask = Operand::new(device, mask, Layout::contiguous((1, 1, t, s)));
            let wide = Operand::new(device, wide, Layout::contiguous((1, 1, t, s)));
            type Sum<'a> = &'a dyn Fn(f64, f64) -> f64;
            let in_f32: Sum<'_> = &|a, b| f64::from((a + b) as f32);
            let in_dtype: Sum<'_> = &|a, b| if b == 0.0 { a } else { rounded(rounded(a) + b) };
            let plain = Attention { scale: 0.5, ..PLAIN };
            for attention in [plain, Attention { causal: true, fully_masked: FullyMasked::Nan, ..plain }] {
                for (masked, sum) in [
                    (Mask::Added(mask.given()), in_f32),
                    (Mask::Added(wide.given()), in_f32),
                    (Mask::AddedRounded(mask.given()), in_dtype),
                ] {
                    let value = |[_, _, i, j]: [usize; 4], score: f64| sum(score, at(i, j));
                    let want = expected_with(&q, &k, &v, &value, attention);
                    let kinds = [Weights::Rounded, Weights::Split];
                    for &weights in if device.matrix_cores() { &kinds[..] } else { &kinds[..1] } {
                        let got =
                            sdpa_with(given, Some(masked), attention, weights, Axes::Bhtd).expect("sdpa");
                        let what = format!("{number}, {t} x {s} x {d}, {attention:?}, {weights:?}");
                        near_with::<T>(&got, &want, weights, &what);
                    }
                }
            }
        }
    }
    for device in devices() {
        for (t, s, d) in [(1, 70, 80), (5, 300, 64), (20, 70, 128), (20, 50, 64)] {
            // Few queries have nothing to do with matrix cores.
            if t > 10 || !device.matrix_cores() {
                each_float_once!(check(&device, t, s, d));
            }
        }
    }
}

/// Scores in whose place a mask puts another number.
#[test]
fn replaced_scores() {
    fn check<T: Number + RocmDType>(device: &RocmDevice, t: usize) {
        let (b, h, s, d) = (2, 2, 35, 16);
        let operand = |t, seed| Operand::<T>::random(device, [b, h, t, d], seed);
        let (q, k, v) = (operand(t, 31), operand(s, 32), operand(s, 33));
        for (dims, attention) in [([b, h, t, s], PLAIN), ([1, 1, t, s], CAPPED), ([b, 1, 1, s], CAUSAL)] {
            let mut random = common::Random(36);
            let chosen: Vec<u8> =
                (0..3 + dims.iter().product::<usize>()).map(|_| random.below(3) as u8).collect();
            let layout = Layout::contiguous_with_offset(&dims[..], 3);
            let at = |i: [usize; 4]| {
                let steps =
                    i.iter().zip(&dims).zip(layout.stride()).map(|((&i, dim), stride)| i % dim * stride);
                chosen[3 + steps.sum::<usize>()] != 0
            };
            let mask = device.storage_from_slice(&chosen).expect("upload");
            for other in [f32::NEG_INFINITY, -3e38, 0.25] {
                // Keys that the causal mask hides stay hidden.
                let value = |i: [usize; 4], score: f64| match at(i) && score != f64::NEG_INFINITY {
                    true => f64::from(T::from_f64(other.into()).value() as f32),
                    false => score,
                };
                let own = device.storage_from_slice(&[T::from_f64(0.), T::from_f64(other.into())]);
                let wide = device.storage_from_slice(&[0., T::from_f64(other.into()).value() as f32]);
                let of_fill = Layout::new(Shape::from((b, h, t, s)), vec![0; 4], 1);
                for fill in [own.expect("upload"), wide.expect("upload")] {
                    let mask = Mask::Replaced { mask: (&mask, &layout), by: (&fill, &of_fill) };
                    let given = [q.given(), k.given(), v.given()];
                    for weights in [Weights::Rounded, Weights::Split] {
                        let got = sdpa_with(given, Some(mask), attention, weights, Axes::Bhtd).expect("sdpa");
                        let want = expected_with(&q, &k, &v, &value, attention);
                        near_with::<T>(&got, &want, weights, &format!("{other} {dims:?}, {t} queries"));
                    }
                }
            }
        }
    }
    for device in devices() {
        for t in [1, 20] {
            each_float_once!(check(&device, t));
        }
    }
}

/// Keys that a mask hides, queries that see nothing, numbers that are none.
#[test]
fn special_values() {
    fn check<T: Number + RocmDType>(device: &RocmDevice, t: usize) {
        let (s, d) = (70, 16);
        let operand = |t, seed| Operand::<T>::random(device, [1, 1, t, d], seed);
        let (q, k, v) = (operand(t, 41), operand(s, 42), operand(s, 43));
        let (hidden, least) = (f64::NEG_INFINITY, f64::from(f32::MIN));
        type Value = fn(usize, usize, f64) -> f64;
        let rules: [(f64, Value); 4] = [
            (hidden, |_, j, x| if j < 66 { x } else { 0.0 }),
            (hidden, |i, j, x| if i == 0 || j % 2 == 0 { x } else { 0.0 }),
            (least, |_, j, x| if j > 3 { x } else { 0.0 }),
            (f64::NAN, |i, j, x| if i == 0 && j == 69 { x } else { 0.0 }),
        ];
        for (value, rule) in rules {
            let at = |i: usize, j: usize| rule(i, j, value) as f32;
            let mask: Vec<f32> = (0..t * s).map(|n| at(n / s, n % s)).collect();
            let mask = Operand::new(device, mask, Layout::contiguous((1, 1, t, s)));
            for fully_masked in [FullyMasked::Zeros, FullyMasked::Nan] {
                let attention = Attention { fully_masked, ..PLAIN };
                let want = expected(&q, &k, &v, &|[_, _, i, j]| f64::from(at(i, j)), attention);
                let got = sdpa(q.given(), k.given(), v.given(), Some(mask.given()), attention).expect("sdpa");
                near::<T>(&got, &want, &format!("{value} {t} {fully_masked:?}"));
            }
        }
        // More queries than keys: with `causal` the first ones see none. In parts, where keys are many.
        for s in [t - 1, t.min(2) * 1100] {
            let (k, v) = (operand(s, 44), operand(s, 45));
            let hidden = device.storage_from_slice(&[f32::NEG_INFINITY]).expect("upload");
            let everywhere = Layout::new((1, 1, t, s).into(), vec![0; 4], 0);
            for fully_masked in [FullyMasked::Zeros, FullyMasked::Nan] {
                let attention = Attention { fully_masked, ..CAUSAL };
                let got = sdpa(q.given(), k.given(), v.given(), None, attention).expect("sdpa");
                let what = format!("{t} queries, {s} keys, {fully_masked:?}");
                near::<T>(&got, &expected(&q, &k, &v, &|_| 0.0, attention), &what);
                let mask = Some((&hidden, &everywhere));
                let got = sdpa(q.given(), k.given(), v.given(), mask, attention).expect("sdpa");
                let want = expected(&q, &k, &v, &|_| f64::NEG_INFINITY, attention);
                near::<T>(&got, &want, &format!("{what}, all masked"));
            }
        }
    }
    for device in devices() {
        for t in [2, 19] {
            each_float_once!(check(&device, t));
        }
    }
}

/// Any number softcaps, also those that could stand for none.
#[test]
fn softcappings() {
    fn check_all<T: Number + RocmDType>(device: &RocmDevice, t: usize) {
        for cap in [1.0, -1.5, 0.25, 0.0, f32::INFINITY, f32::NAN] {
            check::<T>(device, [1, 2, 1, t, 33, 32, 16], Attention { softcapping: Some(cap), ..PLAIN });
        }
    }
    for device in devices() {
        for t in [1, 20] {
            each_float_once!(check_all(&device, t));
        }
    }
}

#[test]
fn nothing_to_do() {
    for device in common::devices() {
        for (sizes, len) in [
            ([0, 2, 2, 3, 4, 8, 8], 0),
            ([1, 0, 0, 3, 4, 8, 8], 0),
            ([1, 2, 2, 0, 4, 8, 8], 0),
            ([1, 2, 2, 3, 4, 8, 0], 0),
            ([1, 2, 2, 3, 0, 8, 8], 48),
        ] {
            let [b, h, kv_h, t, s, d, d_v] = sizes;
            let x = |dims| Operand::<f32>::random(&device, dims, 1);
            let (q, k, v) = (x([b, h, t, d]), x([b, kv_h, s, d]), x([b, kv_h, s, d_v]));
            let got = sdpa(q.given(), k.given(), v.given(), None, PLAIN).expect("no elements");
            near::<f32>(&got, &vec![0.0; len], &format!("{sizes:?}"));
        }
        // No columns of keys: all keys weigh the same.
        each_float!(check(&device, [1, 1, 1, 2, 4, 0, 8], PLAIN));
        each_float!(check(&device, [1, 1, 1, 20, 4, 0, 8], PLAIN));
    }
}

#[test]
fn what_cannot_be() {
    for device in common::devices_without_kernels() {
        let x = device.storage_from_slice(&[1f32; 1000]).expect("upload");
        let call = |q: &[usize], k: &[usize], v: &[usize], mask: Option<&[usize]>| {
            let layout = |dims: &[usize]| Layout::contiguous(dims);
            let mask = mask.map(layout);
            let mask = mask.as_ref().map(|mask| (&x, mask));
            match sdpa((&x, &layout(q)), (&x, &layout(k)), (&x, &layout(v)), mask, PLAIN) {
                Ok(_) => panic!("it should have failed"),
                Err(error) => error,
            }
        };
        let (q, k) = ([1, 4, 3, 8], [1, 2, 5, 8]);
        for (k, v) in
            [([2, 2, 5, 8], k), ([1, 3, 5, 8], k), ([1, 2, 5, 4], k), (k, [1, 2, 6, 8]), (k, [1, 4, 5, 8])]
        {
            let error = call(&q, &k, &v, None);
            assert!(matches!(error, RocmError::ShapeMismatch { .. }), "{error}");
        }
        let error = call(&q, &k, &k, Some(&[1, 4, 3, 6]));
        assert!(matches!(error, RocmError::ShapeMismatch { .. }), "{error}");
        let error = call(&q[1..], &k, &k, None);
        assert!(error.to_string().contains("four dimensions"), "{error}");
        let error = call(&[10, 4, 3, 9], &[10, 2, 5, 9], &[10, 2, 5, 9], None);
        assert!(matches!(error, RocmError::LayoutOutOfBounds { .. }), "{error}");
        let halves = device.storage_from_slice(&[f16::ONE; 1000]).expect("upload");
        let (q, k) = (Layout::contiguous(&q), Layout::contiguous(&k));
        let error = sdpa((&x, &q), (&halves, &k), (&x, &k), None, PLAIN).unwrap_err();
        assert!(matches!(error, RocmError::DTypeMismatch { .. }), "{error}");
        let ints = device.storage_from_slice(&[1u32; 1000]).expect("upload");
        let mask = Mask::AddedRounded((&x, &Layout::contiguous(&[1usize, 1, 3, 5][..])));
        let given = [(&halves, &q), (&halves, &k), (&halves, &k)];
        let error = sdpa_with(given, Some(mask), PLAIN, Weights::Rounded, Axes::Bhtd).unwrap_err();
        assert!(matches!(error, RocmError::UnsupportedDType { dtype: DType::F32, .. }), "{error}");
        let error = sdpa((&ints, &q), (&ints, &k), (&ints, &k), None, PLAIN).unwrap_err();
        assert!(matches!(error, RocmError::UnsupportedDType { .. }), "{error}");
        // A mask that replaces scores is of u8, and what it puts there of the operands' dtype or of f32.
        let (bytes, scores) = (device.storage_from_slice(&[1u8; 1000]).expect("upload"), (1, 4, 3, 5));
        let of_scores = Layout::contiguous(scores);
        for (mask, by) in [(&x, &x), (&bytes, &bytes)] {
            let mask = Mask::Replaced { mask: (mask, &of_scores), by: (by, &of_scores) };
            let given = [(&x, &q), (&x, &k), (&x, &k)];
            let error = sdpa_with(given, Some(mask), PLAIN, Weights::Rounded, Axes::Bhtd).unwrap_err();
            assert!(matches!(error, RocmError::UnsupportedDType { .. }), "{error}");
        }
    }
}
