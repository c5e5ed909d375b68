//! Attention in the ways in which models spell it.

use candle_core::{D, DType, Device, Result, Tensor};
use candle_nn::ops::{softmax, softmax_last_dim};
use candle_rocm_tests::{MODEL_FLOATS, random};

use super::{bits, both, own, recording};

fn attention(q: &Tensor, k: &Tensor, v: &Tensor, in_f32: bool) -> Result<Tensor> {
    let repeats = q.dim(1)? / k.dim(1)?;
    let repeat = |x: &Tensor| repeated(x, repeats);
    let (k, v, dtype) = (repeat(k)?, repeat(v)?, q.dtype());
    let wide = |x: &Tensor| if in_f32 { x.to_dtype(DType::F32) } else { Ok(x.clone()) };
    let (q, k, v) = (wide(q)?, wide(&k)?, wide(&v)?);
    let scores = (q.matmul(&k.t()?)? / (q.dim(3)? as f64).sqrt())?;
    softmax_last_dim(&scores)?.matmul(&v.contiguous()?)?.to_dtype(dtype)
}

fn repeated(x: &Tensor, repeats: usize) -> Result<Tensor> {
    if repeats == 1 {
        return Ok(x.clone());
    }
    let (b, heads, s, d) = x.dims4()?;
    Tensor::cat(&vec![x; repeats], 2)?.reshape((b, heads * repeats, s, d))
}

#[test]
fn attention_is_one_operation() -> Result<()> {
    for device in recording() {
        for dtype in MODEL_FLOATS {
            for (heads, kv_heads, t, s, d) in
                [(4, 4, 1, 9, 16), (8, 2, 1, 33, 64), (6, 1, 1, 5, 32), (4, 2, 3, 7, 8)]
            {
                let random =
                    |shape: (usize, usize, usize, usize)| random(shape)?.to_dtype(dtype)?.to_device(&device);
                let (q, k, v) =
                    (random((2, heads, t, d))?, random((2, kv_heads, s, d))?, random((2, kv_heads, s, d))?);
                let [(plain, many), (joined, few)] = both(&device, || {
                    attention(&q, &k, &v, true)?.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()
                })?;
                // Sums in another order, rounded to the same dtype.
                let tolerance = match dtype {
                    DType::F32 => 2e-6,
                    DType::F16 => 1e-3,
                    _ => 8e-3,
                };
                for (a, b) in plain.iter().zip(&joined) {
                    assert!((a - b).abs() <= tolerance * a.abs().max(0.5), "{dtype:?} {heads} {t}: {a} {b}");
                }
                // At most its two parts, and the conversion of what is read.
                assert!(few <= 3 && few < many, "{dtype:?}: {few} launches, {many} without fusion");
            }
        }
    }
    Ok(())
}

/// Spellings: from queries, keys and values, a mask to add, and one that selects.
type Spelling = fn([&Tensor; 3], &Tensor, &Tensor) -> Result<Tensor>;

const SPELLINGS: &[(&str, Spelling)] = &[
    ("added", |[q, k, v], added, _| {
        let scores = (q.matmul(&k.t()?)? * 0.3)?.broadcast_add(added)?;
        softmax_last_dim(&scores)?.matmul(v)
    }),
    ("selected", |[q, k, v], _, selected| {
        let scores = (q.matmul(&k.t()?)? * 0.3)?;
        let hidden = Tensor::new(f32::NEG_INFINITY, q.device())?.to_dtype(q.dtype())?;
        let mask = selected.broadcast_as(scores.shape())?;
        let scores = mask.where_cond(&hidden.broadcast_as(scores.shape())?, &scores)?;
        softmax_last_dim(&scores)?.matmul(v)
    }),
    ("selected in f32", |[q, k, v], _, selected| {
        let wide = |x: &Tensor| x.to_dtype(DType::F32);
        let scores = (wide(q)?.matmul(&wide(k)?.t()?)? / 4.)?;
        let hidden = Tensor::new(f32::NEG_INFINITY, q.device())?.broadcast_as(scores.shape())?;
        let scores = selected.broadcast_as(scores.shape())?.where_cond(&hidden, &scores)?;
        softmax_last_dim(&scores)?.matmul(&wide(v)?.contiguous()?)?.to_dtype(q.dtype())
    }),
    ("softcapped", |[q, k, v], added, _| {
        let scores = (q.matmul(&k.t()?)? * 0.3)?;
        let scores = ((scores / 2.)?.tanh()? * 2.)?.broadcast_add(added)?;
        softmax_last_dim(&scores)?.matmul(v)
    }),
    ("scaled before", |[q, k, v], added, _| {
        let scores = (q * 0.5)?.matmul(&(k.t()? * 0.6)?)?.broadcast_add(added)?;
        softmax_last_dim(&scores)?.matmul(v)
    }),
    ("weights in f32", |[q, k, v], added, _| {
        let scores = (q.matmul(&k.t()?)? * 0.3)?.broadcast_add(added)?.to_dtype(DType::F32)?;
        softmax_last_dim(&scores)?.to_dtype(q.dtype())?.matmul(v)
    }),
    ("softmax spelled out", |[q, k, v], added, _| {
        let scores = (q.matmul(&k.t()?)? * 0.3)?.broadcast_add(added)?;
        softmax(&scores, D::Minus1)?.matmul(v)
    }),
    ("softmax spelled out, without a mask", |[q, k, v], _, _| {
        softmax(&(q.matmul(&k.t()?)? * 0.3)?, D::Minus1)?.matmul(v)
    }),
    ("softmax spelled out in f32", |[q, k, v], added, _| {
        let scores = (q.matmul(&k.t()?)? * 0.3)?.broadcast_add(added)?.to_dtype(DType::F32)?;
        softmax(&scores, 3)?.to_dtype(q.dtype())?.matmul(v)
    }),
    ("three dimensions", |[q, k, v], added, _| {
        let three = |x: &Tensor| x.flatten(0, 1);
        let scores = (three(q)?.matmul(&three(k)?.t()?)? * 0.3)?;
        let scores = scores.broadcast_add(&added.squeeze(0)?.squeeze(0)?)?;
        softmax_last_dim(&scores)?.matmul(&three(v)?)?.reshape(q.shape())
    }),
];

/// Sums in another order; scores and weights that are not rounded, where the plain ones are.
#[track_caller]
fn near(dtype: DType, plain: &[f32], joined: &[f32], what: &str) {
    let tolerance = match dtype {
        DType::F32 => 4e-6,
        DType::F16 => 4e-3,
        _ => 3e-2,
    };
    for (a, b) in plain.iter().zip(joined) {
        assert!((a - b).abs() <= tolerance * a.abs().max(1.), "{what}: {a} {b}");
    }
}

#[test]
fn spellings_are_one_operation() -> Result<()> {
    for device in recording() {
        for dtype in MODEL_FLOATS {
            for (t, s) in [(1, 9), (3, 7), (20, 33), (40, 40)] {
                let random =
                    |shape: (usize, usize, usize, usize)| random(shape)?.to_dtype(dtype)?.to_device(&device);
                let (b, heads, d) = (2, 3, 16);
                let given = [random((b, heads, t, d))?, random((b, heads, s, d))?, random((b, heads, s, d))?];
                let selected: Vec<u8> = (0..t * s).map(|i| u8::from(i % s > i / s + (s - t))).collect();
                let selected = Tensor::from_vec(selected, (1, 1, t, s), &device)?;
                let added = (selected.to_dtype(DType::F32)? * -1e4)?.to_dtype(dtype)?;
                for (name, spelling) in SPELLINGS {
                    let [(plain, many), (joined, few)] = both(&device, || {
                        let y = spelling(given.each_ref(), &added, &selected)?;
                        y.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()
                    })?;
                    let what = format!("{name}, {dtype:?}, {t} queries, {s} keys, {device:?}");
                    near(dtype, &plain, &joined, &what);
                    // Besides, what is read is converted, and so is what is selected.
                    let conversions = match dtype {
                        DType::F32 => 0,
                        _ => 1 + usize::from(*name == "selected"),
                    };
                    assert!(
                        few == 1 + conversions && few < many,
                        "{what}: {few} launches, {many} without fusion"
                    );
                }
            }
        }
    }
    Ok(())
}

/// Heads come as columns, `[b, t, heads * d]`, and go so: no copy before attention or behind it.
#[test]
fn heads_are_not_copied() -> Result<()> {
    let (b, heads, d) = (2, 3, 16);
    let apart = |x: &Tensor| x.reshape((b, (), heads, d))?.transpose(1, 2);
    let merged = |x: &Tensor| x.transpose(1, 2)?.reshape((b, (), heads * d));
    // With heads as they are, or in the batch.
    let four = |[q, k, v]: [&Tensor; 3], mask: &Tensor| {
        let [q, k, v] = [apart(q)?.contiguous()?, apart(k)?.contiguous()?, apart(v)?.contiguous()?];
        let scores = (q.matmul(&k.t()?)? * 0.25)?.broadcast_add(mask)?;
        merged(&softmax_last_dim(&scores)?.matmul(&v)?)
    };
    let batch = |x: &Tensor| apart(x)?.reshape((b * heads, (), d));
    let in_batch = |q: Tensor, k: Tensor, v: Tensor, mask: &Tensor| {
        let scores = q.matmul(&(k.t()? * 0.25)?)?.broadcast_add(&mask.squeeze(0)?)?;
        merged(&softmax_last_dim(&scores)?.matmul(&v)?.reshape((b, heads, (), d))?)
    };
    let three = |[q, k, v]: [&Tensor; 3], mask: &Tensor| in_batch(batch(q)?, batch(k)?, batch(v)?, mask);
    // What is a copy only in part: keys that come with heads in the batch, and a result that is read twice.
    let mixed = |[q, k, v]: [&Tensor; 3], mask: &Tensor| {
        in_batch(batch(q)?, k.reshape((b * heads, (), d))?, batch(v)?, mask)
    };
    let twice = |[q, k, v]: [&Tensor; 3], _: &Tensor| {
        let [q, k, v] = [apart(q)?.contiguous()?, apart(k)?.contiguous()?, apart(v)?.contiguous()?];
        let y = softmax_last_dim(&(q.matmul(&k.t()?)? * 0.25)?)?.matmul(&v)?;
        y.flatten_all()?.narrow(0, 0, y.elem_count())?.reshape((b, (), heads * d))? + merged(&y)?
    };
    type Formula<'a> = &'a dyn Fn([&Tensor; 3], &Tensor) -> Result<Tensor>;
    let formulas: [(&str, usize, Formula); 4] =
        [("four", 1, &four), ("three", 1, &three), ("mixed", 1, &mixed), ("twice", 3, &twice)];
    for device in recording() {
        for dtype in MODEL_FLOATS {
            for (t, s) in [(2, 9), (20, 33), (70, 70)] {
                let random = |rows: usize| random((b, rows, heads * d))?.to_dtype(dtype)?.to_device(&device);
                let (q, k, v) = (random(t)?, random(s)?, random(s)?);
                let mask: Vec<f32> =
                    (0..t * s).map(|i| if i % s > i / s + s - t { -1e4 } else { 0. }).collect();
                let mask = Tensor::from_vec(mask, (1, 1, t, s), &device)?.to_dtype(dtype)?;
                for (name, expected, formula) in formulas {
                    let [(plain, many), (joined, few)] = both(&device, || {
                        let y = formula([&q, &k, &v], &mask)?;
                        assert_eq!(y.dims(), [b, t, heads * d]);
                        // Converted on the CPU: here that would be one more launch.
                        y.to_device(&Device::Cpu)?.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()
                    })?;
                    let what = format!("{name}, {dtype:?}, {t} queries, {s} keys, {device:?}");
                    near(dtype, &plain, &joined, &what);
                    assert_eq!(few, expected, "{what}: {many} launches without fusion");
                }
            }
        }
    }
    Ok(())
}

/// `a` and `b` are near each other, and NaN in the same places.
#[track_caller]
fn near_or_nan(dtype: DType, a: &[f32], b: &[f32], what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (a, b) in a.iter().zip(b) {
        assert_eq!(a.is_nan(), b.is_nan(), "{what}: {a} {b}");
    }
    let numbers = |x: &[f32]| x.iter().copied().filter(|x| !x.is_nan()).collect::<Vec<_>>();
    near(dtype, &numbers(a), &numbers(b), what);
}

fn values(x: &Tensor) -> Result<Vec<f32>> {
    x.to_device(&Device::Cpu)?.to_dtype(DType::F32)?.flatten_all()?.to_vec1()
}

/// The formula on the CPU in f32, of operands that were rounded to `dtype`.
fn on_the_cpu<const N: usize>(
    operands: [&Tensor; N],
    formula: impl Fn([&Tensor; N]) -> Result<Tensor>,
) -> Result<Vec<f32>> {
    let wide = |x: &Tensor| match x.dtype() {
        DType::U8 => x.to_device(&Device::Cpu),
        _ => x.to_device(&Device::Cpu)?.to_dtype(DType::F32),
    };
    let here = operands.iter().copied().map(wide).collect::<Result<Vec<_>>>()?;
    values(&formula(std::array::from_fn(|i| &here[i]))?)
}

/// tanh around the scores, whatever they are multiplied by before and behind it.
#[test]
fn softcapped_by_any_number() -> Result<()> {
    // `None`: not multiplied at all.
    let factors = [
        (None, None),
        (Some(1.), Some(1.)),
        (None, Some(1.)),
        (Some(0.5), None),
        (Some(0.25), Some(-2.)),
        (Some(1e-3), Some(1e3)),
        // These are not joined.
        (Some(0.5), Some(0.)),
        (Some(0.), Some(2.)),
        (Some(0.5), Some(f64::INFINITY)),
        (Some(0.5), Some(f64::NAN)),
        (Some(1e30), Some(1e30)),
        (Some(1e-30), Some(1e-42)),
        (Some(1e-42), Some(1e39)),
    ];
    for device in recording() {
        for dtype in MODEL_FLOATS {
            for (t, s) in [(1, 9), (5, 7), (40, 40)] {
                let random = |rows: usize| random((1, 2, rows, 8))?.to_dtype(dtype)?.to_device(&device);
                let (q, k, v) = (random(t)?, random(s)?, random(s)?);
                for (inside, outside) in factors {
                    let times = |x: Tensor, by: Option<f64>| by.map_or(Ok(x.clone()), |by| &x * by);
                    let formula = |[q, k, v]: [&Tensor; 3]| {
                        let scores = times(times(q.matmul(&k.t()?)?, inside)?.tanh()?, outside)?;
                        softmax_last_dim(&scores)?.matmul(v)
                    };
                    let [(plain, _), (joined, few)] = both(&device, || {
                        let y = formula([&q, &k, &v])?;
                        y.to_device(&Device::Cpu)
                    })?;
                    let what = format!("{inside:?} {outside:?}, {dtype:?}, {t} queries, {device:?}");
                    let (plain, joined) = (values(&plain)?, values(&joined)?);
                    let normal =
                        [inside, outside].iter().flatten().all(|&by| by.abs() > 1e-4 && by.abs() < 1e4);
                    // One by one, half types round each step.
                    if dtype == DType::F32 || !normal {
                        near_or_nan(dtype, &plain, &joined, &what);
                    }
                    // f16 does not hold these numbers.
                    if normal || dtype != DType::F16 {
                        near_or_nan(dtype, &on_the_cpu([&q, &k, &v], formula)?, &joined, &what);
                    }
                    if normal {
                        assert_eq!(few, 1, "{what}");
                    }
                }
            }
        }
    }
    Ok(())
}

/// What is nearly attention: softmax along the queries, and parts of it that belong to other scores.
#[test]
fn other_quotients_are_not_attention() -> Result<()> {
    for device in recording() {
        let given = |shape| random(shape)?.to_device(&device);
        // As many queries as keys: shapes tell nothing apart.
        let (q, k, v) = (given((2, 3, 8, 16))?, given((2, 3, 8, 16))?, given((2, 3, 8, 16))?);
        let scores = || q.matmul(&k.t()?)? * 0.3;
        let quotient = |of: &Tensor, max: &Tensor, sum: &dyn Fn(&Tensor) -> Result<Tensor>| {
            let powers = of.broadcast_sub(max)?.exp()?;
            powers.broadcast_div(&sum(&powers)?)?.matmul(&v)
        };
        let halves = |of: &Tensor| of.reshape((2, 3, 4, 16));
        let cases: [(&str, &dyn Fn() -> Result<Tensor>); 10] = [
            ("of the transpose", &|| {
                let of = scores()?;
                let powers = of.broadcast_sub(&of.max_keepdim(3)?)?.exp()?.t()?;
                powers.broadcast_div(&powers.sum_keepdim(3)?)?.matmul(&v)
            }),
            ("of a column", &|| {
                let of = scores()?;
                let powers = of.broadcast_sub(&of.max_keepdim(3)?)?.exp()?.narrow(3, 7, 1)?;
                powers.broadcast_div(&powers.sum_keepdim(3)?)?.matmul(&v.narrow(2, 0, 1)?)
            }),
            ("of two rows", &|| softmax_last_dim(&halves(&scores()?)?)?.reshape((2, 3, 8, 8))?.matmul(&v)),
            ("of two rows, spelled out", &|| {
                softmax(&halves(&scores()?)?, D::Minus1)?.reshape((2, 3, 8, 8))?.matmul(&v)
            }),
            ("along queries", &|| softmax(&scores()?, 2)?.matmul(&v)),
            ("maximum along queries", &|| {
                let of = scores()?;
                quotient(&of, &of.max_keepdim(2)?, &|powers| powers.sum_keepdim(3))
            }),
            ("smallest", &|| {
                let of = scores()?;
                quotient(&of, &of.min_keepdim(3)?, &|powers| powers.sum_keepdim(3))
            }),
            ("sum along queries", &|| {
                let of = scores()?;
                quotient(&of, &of.max_keepdim(3)?, &|powers| powers.sum_keepdim(2))
            }),
            ("sum of the transpose", &|| {
                let of = scores()?;
                quotient(&of, &of.max_keepdim(3)?, &|powers| powers.t()?.sum_keepdim(3))
            }),
            ("maximum of the transpose", &|| {
                let of = scores()?;
                quotient(&of, &of.t()?.max_keepdim(3)?, &|powers| powers.sum_keepdim(3))
            }),
        ];
        for (name, case) in cases {
            let [(plain, _), (joined, _)] = both(&device, || case()?.flatten_all()?.to_vec1::<f32>())?;
            near(DType::F32, &plain, &joined, name);
        }
        // Weights that are read twice.
        let [(plain, _), (joined, _)] = both(&device, || {
            let weights = softmax(&scores()?, 3)?;
            (weights.matmul(&v)?.sum_all()? + weights.sqr()?.sum_all()?)?.to_vec0::<f32>()
        })?;
        near(DType::F32, &[plain], &[joined], "weights");
    }
    Ok(())
}

/// What becomes part of the launch is read by nothing else of it.
#[test]
fn operands_that_attention_reads_twice() -> Result<()> {
    /// What it is, how many launches it takes at most, and the program.
    type Case<'a> = (&'a str, usize, &'a dyn Fn() -> Result<Tensor>);
    for device in recording() {
        let x = random((2, 3, 8, 8))?.to_device(&device)?;
        let cases: [Case<'_>; 5] = [
            ("one tensor for all", 2, &|| {
                let x = (&x * 0.3)?;
                softmax_last_dim(&x.matmul(&x.t()?)?)?.matmul(&x)
            }),
            ("for queries and keys", 2, &|| {
                let y = (&x * 0.3)?;
                softmax_last_dim(&y.matmul(&y.t()?)?)?.matmul(&x)
            }),
            ("scores as their mask", 4, &|| {
                let scores = x.matmul(&x.t()?)?;
                softmax_last_dim(&(&scores + &scores)?)?.matmul(&x)
            }),
            ("scaled scores as a mask", 5, &|| {
                let scores = x.matmul(&x.t()?)?;
                softmax_last_dim(&(&scores + (&scores * 2.)?)?)?.matmul(&x)
            }),
            ("scores as values", 3, &|| {
                let scores = x.matmul(&x.t()?)?;
                softmax_last_dim(&scores)?.matmul(&scores)
            }),
        ];
        for (name, most, case) in cases {
            let [(plain, _), (joined, launches)] = both(&device, || case()?.flatten_all()?.to_vec1::<f32>())?;
            near(DType::F32, &plain, &joined, name);
            assert!(launches <= most, "{name}: {launches} launches");
        }
        assert_eq!(own(&device).counters().declined.len(), 0);
    }
    Ok(())
}

/// Of a dtype and of shapes that attention's kernels do not take.
#[test]
fn operands_that_no_kernel_takes() -> Result<()> {
    for device in recording() {
        let given = |shape| random(shape)?.to_dtype(DType::F64)?.to_device(&device);
        let (q, k, v) = (given((2, 3, 8, 16))?, given((2, 3, 8, 16))?, given((2, 3, 8, 16))?);
        let [(plain, _), (joined, _)] = both(&device, || {
            softmax(&(q.matmul(&k.t()?)? * 0.3)?, D::Minus1)?.matmul(&v)?.flatten_all()?.to_vec1::<f64>()
        })?;
        let narrow = |all: Vec<f64>| all.into_iter().map(|x| x as f32).collect::<Vec<_>>();
        near(DType::F32, &narrow(plain), &narrow(joined), "f64");
        assert_eq!(own(&device).counters().declined.len(), 0);
    }
    Ok(())
}

/// Queries that see no key: NaN, as softmax of nothing but -infinity is, and the mean of all values if the mask is a number.
#[test]
fn fully_masked_queries() -> Result<()> {
    let (b, heads, d) = (2, 2, 16);
    type Formula = fn([&Tensor; 5]) -> Result<Tensor>;
    let formulas: [(&str, Formula); 4] = [
        ("added", |[q, k, v, added, _]| {
            softmax_last_dim(&(q.matmul(&k.t()?)? * 0.25)?.broadcast_add(added)?)?.matmul(v)
        }),
        ("softcapped", |[q, k, v, added, _]| {
            softmax_last_dim(&q.matmul(&k.t()?)?.tanh()?.broadcast_add(added)?)?.matmul(v)
        }),
        ("selected", |[q, k, v, added, selected]| {
            let scores = (q.matmul(&k.t()?)? * 0.25)?;
            let by = added.min_all()?.broadcast_as(scores.shape())?;
            let scores = selected.broadcast_as(scores.shape())?.where_cond(&by, &scores)?;
            softmax_last_dim(&scores)?.matmul(v)
        }),
        // A step of a decoder: the last key is not in the caches yet.
        ("with caches", |[q, k, v, added, _]| {
            let kept = k.dim(2)? - 1;
            let angles = Tensor::zeros((q.dim(2)?, 8), q.dtype(), q.device())?;
            let (cos, sin) = (angles.cos()?, angles);
            let q = candle_nn::rotary_emb::rope(q, &cos, &sin)?;
            let last = k.narrow(2, kept, 1)?.contiguous()?;
            let last = candle_nn::rotary_emb::rope(&last, &cos.narrow(0, 0, 1)?, &sin.narrow(0, 0, 1)?)?;
            let k = Tensor::cat(&[&k.narrow(2, 0, kept)?, &last], 2)?;
            let v = Tensor::cat(&[v.narrow(2, 0, kept)?, v.narrow(2, kept, 1)?], 2)?;
            softmax_last_dim(&(q.matmul(&k.t()?)? * 0.25)?.broadcast_add(added)?)?.matmul(&v)
        }),
    ];
    for device in recording() {
        for dtype in MODEL_FLOATS {
            // The last two: keys in several parts.
            for (t, s) in [(1, 9), (5, 33), (40, 50), (1, 1100), (5, 1100)] {
                let random = |rows: usize| random((b, heads, rows, d))?.to_dtype(dtype)?.to_device(&device);
                let (q, k, v) = (random(t)?, random(s)?, random(s)?);
                // Of one batch, every third query sees nothing; the other ones do not see every second key.
                let hidden = |i: usize| (i / (t * s) == 1 && (i / s % t).is_multiple_of(3)) || i % s % 2 == 1;
                let selected: Vec<u8> = (0..b * t * s).map(|i| u8::from(hidden(i))).collect();
                let selected = Tensor::from_vec(selected, (b, 1, t, s), &device)?;
                let least = match dtype {
                    DType::F16 => -65504.,
                    DType::BF16 => -3e38,
                    _ => f32::MIN,
                };
                for number in [f32::NEG_INFINITY, least] {
                    let added: Vec<f32> =
                        (0..b * t * s).map(|i| if hidden(i) { number } else { 0. }).collect();
                    let added = Tensor::from_vec(added, (b, 1, t, s), &device)?.to_dtype(dtype)?;
                    for (name, formula) in formulas {
                        let operands = [&q, &k, &v, &added, &selected];
                        let [(plain, many), (joined, few)] =
                            both(&device, || formula(operands)?.to_device(&Device::Cpu))?;
                        let what = format!("{name}, {number}, {dtype:?}, {t} queries, {s} keys, {device:?}");
                        let (plain, joined) = (values(&plain)?, values(&joined)?);
                        assert_eq!(joined[b * heads * t * d / 2].is_nan(), number < f32::MIN, "{what}");
                        near_or_nan(dtype, &plain, &joined, &what);
                        // f16 leaves nothing of scores to which such a number is added.
                        if dtype != DType::F16 || number < f32::MIN || name == "selected" {
                            near_or_nan(dtype, &on_the_cpu(operands, formula)?, &joined, &what);
                        }
                        assert!(few < many, "{what}: {few} launches, {many} without fusion");
                    }
                }
            }
        }
    }
    Ok(())
}

/// What a mask's number leaves of a score is what its dtype does, whatever the number: the sum is rounded, to -infinity maybe.
#[test]
fn finite_masks() -> Result<()> {
    // From queries, keys, values and the mask, with what becomes of a sum of scores and mask.
    type Formula = fn([&Tensor; 4], &dyn Fn(Tensor) -> Result<Tensor>) -> Result<Tensor>;
    let formulas: [(&str, Formula); 5] = [
        ("added", |[q, k, v, mask], sum| {
            let scores = sum((q.matmul(&k.t()?)? * 0.5)?.broadcast_add(mask)?)?;
            softmax_last_dim(&scores)?.matmul(v)
        }),
        // Below what half a unit in the last place of these numbers is: tanh may be off by a unit of its own.
        ("softcapped", |[q, k, v, mask], sum| {
            let scores = ((q.matmul(&k.t()?)? * 0.25)?.tanh()? * 2.)?;
            softmax_last_dim(&sum(scores.broadcast_add(mask)?)?)?.matmul(v)
        }),
        ("scaled before", |[q, k, v, mask], sum| {
            let scores = sum((q * 0.5)?.matmul(&k.t()?)?.broadcast_add(mask)?)?;
            softmax_last_dim(&scores)?.matmul(v)
        }),
        ("weights in f32", |[q, k, v, mask], sum| {
            let scores = sum((q.matmul(&k.t()?)? * 0.5)?.broadcast_add(mask)?)?;
            softmax_last_dim(&scores.to_dtype(DType::F32)?)?.to_dtype(q.dtype())?.matmul(v)
        }),
        ("products in f32", |[q, k, v, mask], _| {
            let wide = |x: &Tensor| x.to_dtype(DType::F32);
            let scores = (wide(q)?.matmul(&wide(k)?.t()?)? * 0.5)?.broadcast_add(&wide(mask)?)?;
            softmax_last_dim(&scores)?.matmul(&wide(v)?)?.to_dtype(q.dtype())
        }),
    ];
    for device in recording() {
        for dtype in [DType::F32, DType::F16, DType::BF16] {
            let numbers: &[f32] = match dtype {
                DType::F16 => &[-1e4, -3e4, -65504., 65504.],
                DType::BF16 => &[-1e4, -1e20, -3.3895e38, 1e4],
                _ => &[-1e9, f32::MIN],
            };
            for (t, s, d) in [(1, 9, 80), (1, 1100, 64), (5, 33, 128), (40, 50, 80), (40, 50, 64)] {
                // Scores are multiples of 1/8 that each dtype holds.
                let steps = |rows: usize| -> Result<Tensor> {
                    let x = (random((1, 2, rows, d))? * 2.)?.round()?.clamp(-2f64, 2f64)?;
                    (x * 0.5)?.to_dtype(dtype)?.to_device(&device)
                };
                let v = random((1, 2, s, d))?.to_dtype(dtype)?.to_device(&device)?;
                let (q, k) = (steps(t)?, steps(s)?);
                for &number in numbers {
                    // One query of three has the number everywhere, the others have it beyond the diagonal.
                    let masked = |i: usize| (i / s).is_multiple_of(3) || i % s > i / s + s - t;
                    let mask: Vec<f32> = (0..t * s).map(|i| if masked(i) { number } else { 0. }).collect();
                    let mask = Tensor::from_vec(mask, (1, 1, t, s), &device)?.to_dtype(dtype)?;
                    let operands = [&q, &k, &v, &mask];
                    for (name, formula) in formulas {
                        let rounded = |sum: Tensor| sum.to_dtype(dtype)?.to_dtype(DType::F32);
                        let expected = on_the_cpu(operands, |operands| formula(operands, &rounded))?;
                        for matrix_cores in [false, true] {
                            if matrix_cores && (t == 1 || dtype == DType::F32) {
                                continue;
                            }
                            own(&device).set_matrix_cores(matrix_cores);
                            let [(plain, many), (joined, few)] =
                                both(&device, || formula(operands, &Ok)?.to_device(&Device::Cpu))?;
                            let what = format!("{name}, {number}, {dtype:?}, {t} x {s} x {d}, {device:?}");
                            near_or_nan(dtype, &expected, &values(&joined)?, &what);
                            near_or_nan(dtype, &values(&plain)?, &values(&joined)?, &what);
                            assert!(few < many, "{what}: {few} launches, {many} without fusion");
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

/// What only looks like attention.
#[test]
fn other_formulas() -> Result<()> {
    for device in recording() {
        let random = |shape: (usize, usize, usize, usize)| random(shape)?.to_device(&device);
        let (q, k, v) = (random((1, 2, 3, 8))?, random((1, 2, 5, 8))?, random((1, 2, 5, 8))?);
        let other = random((1, 2, 3, 5))?;
        let formulas: [&dyn Fn() -> Result<Tensor>; 4] = [
            &|| softmax_last_dim(&(q.matmul(&k.t()?)? + 1.)?)?.matmul(&v),
            &|| softmax_last_dim(&q.matmul(&k.t()?)?.exp()?)?.matmul(&v),
            &|| softmax_last_dim(&other.gt(0f64)?.where_cond(&other, &q.matmul(&k.t()?)?)?)?.matmul(&v),
            &|| softmax_last_dim(&(q.matmul(&k.t()?)? * &other)?)?.matmul(&v),
        ];
        for formula in formulas {
            let [(plain, _), (joined, _)] = both(&device, || bits(&formula()?))?;
            assert_eq!(plain, joined);
        }
    }
    Ok(())
}

/// Where the weights or scores are read by somebody else, they are there.
#[test]
fn attention_whose_weights_are_read() -> Result<()> {
    for device in recording() {
        let random = |shape: (usize, usize, usize, usize)| random(shape)?.to_device(&device);
        let (q, k, v) = (random((1, 2, 1, 8))?, random((1, 2, 5, 8))?, random((1, 2, 5, 8))?);
        let [(plain, _), (joined, _)] = both(&device, || {
            let weights = candle_nn::ops::softmax_last_dim(&(q.matmul(&k.t()?)? * 0.5)?)?;
            let out = weights.matmul(&v)?;
            Ok((bits(&weights)?, bits(&out)?))
        })?;
        assert_eq!(plain, joined);
    }
    Ok(())
}
