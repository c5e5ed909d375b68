//! Attention's gradients on the devices against their formulas in f64.

use candle_core::backend::BackendStorage;
use candle_core::{CpuStorage, DType, Layout};
use candle_rocm::nn::{Attention, sdpa, sdpa_backward};
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage};
use half::{bf16, f16};

use crate::common;
use crate::harness::attention::{CAPPED, CAUSAL, Operand, PLAIN, Sizes};
use crate::harness::bits::Number;

/// Of q, k, v, and of each score what is added to it by a mask.
type Gradients = [Vec<f64>; 4];

/// q, k, v and the gradient of the result.
struct Case<T> {
    q: Operand<T>,
    k: Operand<T>,
    v: Operand<T>,
    grad: Operand<T>,
}

impl<T: Number + RocmDType> Case<T> {
    fn random(device: &RocmDevice, [b, h, kv_h, t, s, d, d_v]: Sizes) -> Self {
        let operand = |dims, seed| Operand::random(device, dims, seed);
        Self {
            q: operand([b, h, t, d], 11),
            k: operand([b, kv_h, s, d], 12),
            v: operand([b, kv_h, s, d_v], 13),
            grad: operand([b, h, t, d_v], 14),
        }
    }

    fn run(
        &self,
        mask: Option<(&RocmStorage, &Layout)>,
        attention: Attention,
        wanted: [bool; 4],
    ) -> [Option<RocmStorage>; 4] {
        let (q, k, v) = (self.q.given(), self.k.given(), self.v.given());
        let result = sdpa(q, k, v, mask, attention).expect("sdpa");
        let layout = Layout::contiguous(self.grad.layout.shape());
        let gradients =
            sdpa_backward(q, k, v, mask, attention, (&result, &layout), self.grad.given(), wanted);
        gradients.expect("sdpa_backward")
    }

    /// The formulas, number by number.
    fn expected(&self, mask: &dyn Fn([usize; 4]) -> f64, attention: Attention) -> Gradients {
        let (q, k, v, grad) = (&self.q, &self.k, &self.v, &self.grad);
        let (&[batch, heads, t, d], &[_, kv_heads, s, d_v]) = (q.layout.dims(), v.layout.dims()) else {
            panic!()
        };
        let (scale, cap) = (f64::from(attention.scale), attention.softcapping.map(f64::from));
        let zeros = |len: usize| vec![0.0; len];
        let mut dq = zeros(batch * heads * t * d);
        let (mut dk, mut dv) = (zeros(batch * kv_heads * s * d), zeros(batch * kv_heads * s * d_v));
        let mut dmask = zeros(batch * heads * t * s);
        for (b, h, i) in (0..batch).flat_map(|b| (0..heads).flat_map(move |h| (0..t).map(move |i| (b, h, i))))
        {
            let kv = h * kv_heads / heads;
            let bent = |j: usize| {
                let product: f64 = (0..d).map(|c| q.at([b, h, i, c]) * k.at([b, kv, j, c])).sum();
                cap.map_or(product * scale, |cap| (product * scale / cap).tanh() * cap)
            };
            let seen = |j: usize| !attention.causal || j + t <= i + s;
            let bent: Vec<f64> = (0..s).map(bent).collect();
            let score = |j: usize| if seen(j) { bent[j] + mask([b, h, i, j]) } else { f64::NEG_INFINITY };
            let scores: Vec<f64> = (0..s).map(score).collect();
            let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if top == f64::NEG_INFINITY && !scores.iter().any(|x| x.is_nan()) {
                continue;
            }
            let weights: Vec<f64> = scores.iter().map(|x| (x - top).exp()).collect();
            let sum: f64 = weights.iter().sum();
            let weights: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
            let of_weight =
                |j: usize| (0..d_v).map(|c| grad.at([b, h, i, c]) * v.at([b, kv, j, c])).sum::<f64>();
            let of_weights: Vec<f64> = (0..s).map(of_weight).collect();
            let mean: f64 = weights.iter().zip(&of_weights).map(|(weight, of)| weight * of).sum();
            for j in 0..s {
                let of_score = weights[j] * (of_weights[j] - mean);
                dmask[((b * heads + h) * t + i) * s + j] = of_score;
                let slope = scale * cap.map_or(1.0, |cap| 1.0 - (bent[j] / cap).powi(2));
                for c in 0..d {
                    dq[((b * heads + h) * t + i) * d + c] += of_score * slope * k.at([b, kv, j, c]);
                    dk[((b * kv_heads + kv) * s + j) * d + c] += of_score * slope * q.at([b, h, i, c]);
                }
                for c in 0..d_v {
                    dv[((b * kv_heads + kv) * s + j) * d_v + c] += weights[j] * grad.at([b, h, i, c]);
                }
            }
        }
        [dq, dk, dv, dmask]
    }
}

/// All of `got` near `want`, relative to the largest, after calculations with a dtype. Half types round the result, from which D comes, and the gradients: two
/// halves of a unit in the last place of numbers around the largest, and the errors of the fast exponential and of sums. Of f32,
/// sums of up to some hundred terms, twice.
#[track_caller]
fn near(got: &RocmStorage, want: &[f64], dtype: DType, what: &str) {
    let largest = want.iter().filter(|x| x.is_finite()).fold(0f64, |largest, x| largest.max(x.abs()));
    // Where all terms cancel (one key), what is left of them.
    within(got, want, largest.max(1e-1), dtype, what);
}

#[track_caller]
fn within(got: &RocmStorage, want: &[f64], largest: f64, dtype: DType, what: &str) {
    let got = values(got);
    assert_eq!(got.len(), want.len(), "{what}");
    let tolerance = match dtype {
        DType::F16 => 3.0 / 2048.0,
        DType::BF16 => 3.0 / 256.0,
        _ => 4e-6,
    };
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        let apart = (got - want).abs() / largest;
        let fits = apart <= tolerance || got.is_nan() && want.is_nan();
        assert!(fits, "{what} {dtype:?} [{i}]: got {got} want {want}, the largest {largest}");
    }
}

fn values(storage: &RocmStorage) -> Vec<f64> {
    match storage.to_cpu_storage().expect("download") {
        CpuStorage::F16(values) => values.into_iter().map(f64::from).collect(),
        CpuStorage::BF16(values) => values.into_iter().map(f64::from).collect(),
        CpuStorage::F32(values) => values.into_iter().map(f64::from).collect(),
        CpuStorage::F64(values) => values,
        other => panic!("{:?}", other.dtype()),
    }
}

const QKV: [bool; 4] = [true, true, true, false];

#[track_caller]
fn all_near<T: Number + RocmDType>(got: &[Option<RocmStorage>; 4], want: &Gradients, what: &str) {
    for (i, name) in ["dq", "dk", "dv"].into_iter().enumerate() {
        near(got[i].as_ref().expect("wanted"), &want[i], T::DTYPE, &format!("{name} of {what}"));
    }
}

fn check<T: Number + RocmDType>(device: &RocmDevice, sizes: Sizes, attention: Attention) {
    let case = Case::<T>::random(device, sizes);
    let got = case.run(None, attention, QKV);
    all_near::<T>(&got, &case.expected(&|_| 0.0, attention), &format!("{sizes:?} {attention:?}"));
}

macro_rules! each_float {
    ($check:ident($device:expr $(, $args:expr)*)) => {{
        $check::<f32>($device $(, $args)*);
        $check::<f16>($device $(, $args)*);
        $check::<bf16>($device $(, $args)*);
    }};
}

#[test]
fn sizes() {
    for device in common::devices() {
        for (sizes, attention) in [
            ([1, 1, 1, 1, 1, 8, 8], PLAIN),
            ([2, 2, 2, 17, 17, 32, 32], PLAIN),
            // One query; tiles with queries of two heads.
            ([1, 4, 2, 1, 37, 64, 64], CAUSAL),
            ([2, 4, 2, 33, 33, 32, 32], CAUSAL),
            ([1, 1, 1, 100, 130, 64, 64], CAUSAL),
            ([1, 2, 1, 20, 140, 128, 128], CAPPED),
            ([1, 2, 1, 80, 70, 40, 24], CAPPED),
            ([1, 2, 1, 9, 33, 16, 16], Attention { softcapping: Some(1.0), ..PLAIN }),
            ([1, 2, 1, 9, 33, 16, 16], Attention { softcapping: Some(-1.5), ..CAUSAL }),
            // Columns in several parts, of one operand or of both.
            ([1, 1, 1, 17, 65, 256, 256], CAUSAL),
            ([1, 1, 1, 18, 20, 72, 300], PLAIN),
            ([1, 2, 1, 9, 20, 136, 8], PLAIN),
            // Columns, and rows, that are no multiples of vectors.
            ([1, 2, 2, 18, 9, 5, 7], PLAIN),
            ([1, 3, 1, 5, 66, 33, 250], CAUSAL),
        ] {
            each_float!(check(&device, sizes, attention));
        }
    }
}

/// Projections as they come, `[batch, time, heads, columns]`; keys out of a larger cache; values whose columns are not dense; a
/// gradient that went through a transposition.
#[test]
fn strides() {
    fn check<T: Number + RocmDType>(device: &RocmDevice) {
        let (b, h, kv_h, t, s, d) = (2, 4, 2, 11, 30, 40);
        let operand = |dims, seed| Operand::<T>::random(device, dims, seed);
        let mut k = operand([b, kv_h, s + 9, d], 22);
        k.layout = k.layout.narrow(2, 3, s).expect("inside");
        let case = Case {
            q: operand([b, t, h, d], 21).transposed(1, 2),
            k,
            v: operand([b, kv_h, d, s], 23).transposed(2, 3),
            grad: operand([b, t, h, d], 24).transposed(1, 2),
        };
        let got = case.run(None, CAUSAL, QKV);
        all_near::<T>(&got, &case.expected(&|_| 0.0, CAUSAL), "strides");
        // Heads that are one and the same, and a gradient that is the same for all: each head has its own.
        let mut k = operand([b, 1, s, d], 25);
        k.layout = k.layout.broadcast_as((b, kv_h, s, d)).expect("broadcast");
        let mut grad = operand([1, 1, 1, d], 26);
        grad.layout = grad.layout.broadcast_as((b, h, t, d)).expect("broadcast");
        let case = Case { k, grad, ..case };
        let got = case.run(None, PLAIN, QKV);
        all_near::<T>(&got, &case.expected(&|_| 0.0, PLAIN), "repeated heads");
    }
    for device in common::devices() {
        each_float!(check(&device));
    }
}

/// Masks of all shapes and three dtypes, and their own gradients.
#[test]
fn masks() {
    fn check<T: Number + RocmDType>(device: &RocmDevice, t: usize, attention: Attention) {
        let (b, h, kv_h, s, d) = (2, 4, 2, 67, 16);
        let case = Case::<T>::random(device, [b, h, kv_h, t, s, d, d]);
        for (dims, rank) in
            [([b, h, t, s], 4), ([b, 1, 1, s], 4), ([1, 1, t, s], 2), ([1, h, t, 1], 3), ([1, 1, 1, 1], 4)]
        {
            let mask = Operand::<T>::random(device, dims, 34);
            let layout = Layout::contiguous_with_offset(&dims[4 - rank..], mask.layout.start_offset());
            let place = |i: [usize; 4]| -> [usize; 4] { std::array::from_fn(|x| i[x] % dims[x]) };
            let want = case.expected(&|i| mask.at(place(i)), attention);
            let mut of_mask = vec![0.0; dims.iter().product()];
            // Along a row they cancel: the sums of their sizes say how near it must be.
            let mut sizes = of_mask.clone();
            for (n, gradient) in want[3].iter().enumerate() {
                let [x, y, z, w] = place([n / (h * t * s), n / (t * s) % h, n / s % t, n % s]);
                let at = ((x * dims[1] + y) * dims[2] + z) * dims[3] + w;
                of_mask[at] += gradient;
                sizes[at] += gradient.abs();
            }
            let what = format!("mask {dims:?}, {t} queries, {attention:?}");
            let wider: Vec<f32> = mask.data.iter().map(|x| x.value() as f32).collect();
            let widest: Vec<f64> = mask.data.iter().map(|x| x.value()).collect();
            let wider = Operand::new(device, wider, layout.clone());
            let widest = Operand::new(device, widest, layout.clone());
            for storage in [&mask.storage, &wider.storage, &widest.storage] {
                let got = case.run(Some((storage, &layout)), attention, [true; 4]);
                all_near::<T>(&got, &want, &what);
                let gradient = got[3].as_ref().expect("wanted");
                assert_eq!(gradient.dtype(), storage.dtype());
                let largest = sizes.iter().copied().fold(0.0, f64::max);
                within(gradient, &of_mask, largest, T::DTYPE, &format!("dmask of {what}"));
            }
        }
    }
    for device in common::devices() {
        each_float!(check(&device, 3, CAUSAL));
        check::<f32>(&device, 70, CAPPED);
        check::<f32>(&device, 1, PLAIN);
    }
}

/// Keys that a mask hides, queries that see nothing, numbers that are none.
#[test]
fn special_values() {
    fn check<T: Number + RocmDType>(device: &RocmDevice) {
        let (t, s, d) = (5, 70, 16);
        let case = Case::<T>::random(device, [1, 1, 1, t, s, d, d]);
        let (hidden, least) = (f64::NEG_INFINITY, f64::from(f32::MIN));
        type Value = fn(usize, usize, f64) -> f64;
        let rules: [(f64, Value); 5] = [
            (hidden, |_, j, x| if j < 66 { x } else { 0.0 }),
            (hidden, |i, j, x| if i == 0 || j % 2 == 0 { x } else { 0.0 }),
            (least, |_, j, x| if j > 3 { x } else { 0.0 }),
            (least, |_, _, x| x),
            (f64::NAN, |i, j, x| if i == 0 && j == 69 { x } else { 0.0 }),
        ];
        for (value, rule) in rules {
            let at = |i: usize, j: usize| rule(i, j, value) as f32;
            let mask: Vec<f32> = (0..t * s).map(|n| at(n / s, n % s)).collect();
            let mask = Operand::new(device, mask, Layout::contiguous((1, 1, t, s)));
            // The scores of f32: beside the lowest number, all else is nothing.
            let want = case.expected(
                &|[_, _, i, j]| if value == least { f64::from(at(i, j)) * 1e16 } else { f64::from(at(i, j)) },
                PLAIN,
            );
            let got = case.run(Some(mask.given()), PLAIN, [true; 4]);
            all_near::<T>(&got, &want, &format!("{value}"));
            near(got[3].as_ref().expect("wanted"), &want[3], T::DTYPE, &format!("dmask of {value}"));
        }
        // More queries than keys: with `causal` the first ones see none.
        let case = Case::<T>::random(device, [1, 2, 1, 70, 60, d, d]);
        let got = case.run(None, CAUSAL, QKV);
        all_near::<T>(&got, &case.expected(&|_| 0.0, CAUSAL), "blind queries");
    }
    for device in common::devices() {
        each_float!(check(&device));
    }
}

/// The same bits each time, and no more than what is wanted.
#[test]
fn what_is_wanted() {
    for device in common::devices() {
        let case = Case::<f32>::random(&device, [2, 4, 2, 70, 90, 24, 24]);
        let mask = Operand::<f32>::random(&device, [1, 1, 70, 90], 15);
        let bits =
            |gradients: [Option<RocmStorage>; 4]| gradients.map(|gradient| gradient.as_ref().map(values));
        let all = bits(case.run(Some(mask.given()), CAUSAL, [true; 4]));
        assert!(all.iter().all(Option::is_some));
        for pattern in 0..16 {
            let wanted = std::array::from_fn(|i| pattern >> i & 1 == 1);
            let got = bits(case.run(Some(mask.given()), CAUSAL, wanted));
            for (i, got) in got.into_iter().enumerate() {
                assert_eq!(got, all[i].clone().filter(|_| wanted[i]), "{wanted:?} [{i}]");
            }
        }
        // Of no mask, there is none.
        assert!(case.run(None, CAUSAL, [true; 4])[3].is_none());
    }
}

#[test]
fn nothing_to_do() {
    for device in common::devices() {
        for sizes in [
            [0, 2, 2, 3, 4, 8, 8],
            [1, 0, 0, 3, 4, 8, 8],
            [1, 2, 2, 0, 4, 8, 8],
            [1, 2, 2, 3, 4, 8, 0],
            [1, 2, 2, 3, 0, 8, 8],
        ] {
            let case = Case::<f32>::random(&device, sizes);
            let mask = Operand::<f32>::random(&device, [1, 1, sizes[3], sizes[4]], 15);
            let got = case.run(Some(mask.given()), PLAIN, [true; 4]);
            let lengths = [&case.q, &case.k, &case.v, &mask].map(|x| x.layout.shape().elem_count());
            for (got, len) in got.iter().zip(lengths) {
                near(got.as_ref().expect("wanted"), &vec![0.0; len], DType::F32, &format!("{sizes:?}"));
            }
        }
        // No columns of keys: all keys weigh the same.
        each_float!(check(&device, [1, 2, 1, 20, 4, 0, 8], PLAIN));
    }
}

#[test]
fn what_cannot_be() {
    for device in common::devices_without_kernels() {
        let case = Case::<f32>::random(&device, [1, 4, 2, 3, 5, 8, 8]);
        let (q, k, v) = (case.q.given(), case.k.given(), case.v.given());
        let result = Operand::<f32>::random(&device, [1, 4, 3, 8], 1);
        let call = |result, gradient| match sdpa_backward(q, k, v, None, PLAIN, result, gradient, QKV) {
            Ok(_) => panic!("it should have failed"),
            Err(error) => error,
        };
        let other = Operand::<f32>::random(&device, [1, 4, 3, 7], 1);
        for (result, gradient) in [(&result, &other), (&other, &result)] {
            let error = call(result.given(), gradient.given());
            assert!(matches!(error, RocmError::ShapeMismatch { .. }), "{error}");
        }
        let half = Operand::<f16>::random(&device, [1, 4, 3, 8], 1);
        for (result, gradient) in [(result.given(), half.given()), (half.given(), result.given())] {
            let error = call(result, gradient);
            assert!(matches!(error, RocmError::DTypeMismatch { .. }), "{error}");
        }
        let strided = Operand::<f32>::random(&device, [1, 3, 4, 8], 1).transposed(1, 2);
        let error = call(strided.given(), result.given());
        assert!(error.to_string().contains("not contiguous"), "{error}");
        let ints = device.upload(&[1u32; 200]).map(u32::wrap).expect("upload");
        let ints = RocmStorage::new(ints, device.clone());
        let layout = Layout::contiguous((1, 4, 3, 8));
        let x = (&ints, &layout);
        let error = sdpa_backward(x, x, x, None, PLAIN, x, x, QKV).map(|_| ()).unwrap_err();
        assert!(matches!(error, RocmError::UnsupportedDType { .. }), "{error}");
    }
}
