//! Keys and values that are kept in F8E4M3: attention of few queries reads them as they are.

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::ops::{sdpa, softmax_last_dim};
use candle_rocm_tests::{MODEL_FLOATS, random};

use super::{bits, both, launches, own, recording};

const B: usize = 2;
const KV_HEADS: usize = 2;
const D: usize = 16;

/// What a program makes of a cache, `[b, kv_heads, s, d]` in F8E4M3, before attention to keys of another dtype.
type Cast = fn(&Tensor, DType) -> Result<Tensor>;

const CASTS: &[(&str, Cast)] = &[
    ("as it is", |x, dtype| x.to_dtype(dtype)),
    ("copied", |x, dtype| x.contiguous()?.to_dtype(dtype)),
    ("reshaped", |x, dtype| x.flatten(0, 1)?.to_dtype(dtype)?.reshape(x.shape())),
];

/// Of one that has heads behind keys.
const BY_KEY: &[(&str, Cast)] =
    &[("transposed", |x, dtype| x.transpose(1, 2)?.to_dtype(dtype)?.transpose(1, 2)?.contiguous())];

type Caches = (&'static str, [Tensor; 2], Vec<(&'static str, Cast)>);

/// Keys and values in F8E4M3: by themselves, the first of a larger cache, and with heads behind keys.
fn caches(s: usize, device: &Device) -> Result<[Caches; 3]> {
    let kept = |rows: usize| {
        let x = random((B, KV_HEADS, rows, D))?.to_device(device)?;
        (x * 2.)?.to_dtype(DType::F8E4M3)
    };
    let narrow = || kept(s + 3)?.narrow(2, 0, s);
    let by_key = || kept(s)?.transpose(1, 2)?.contiguous()?.transpose(1, 2);
    let caches = [
        ("whole", [kept(s)?, kept(s)?], CASTS.to_vec()),
        ("narrow", [narrow()?, narrow()?], CASTS.to_vec()),
        ("by key", [by_key()?, by_key()?], [CASTS, BY_KEY].concat()),
    ];
    device.synchronize()?;
    Ok(caches)
}

fn repeated(x: Tensor, repeats: usize) -> Result<Tensor> {
    let (b, heads, s, d) = x.dims4()?;
    if repeats == 1 { Ok(x) } else { Tensor::cat(&vec![x; repeats], 2)?.reshape((b, heads * repeats, s, d)) }
}

fn spelled_out(q: &Tensor, k: Tensor, v: Tensor, mask: &Tensor) -> Result<Tensor> {
    let repeats = q.dim(1)? / KV_HEADS;
    let (k, v) = (repeated(k, repeats)?, repeated(v, repeats)?);
    let scores = (q.matmul(&k.t()?)? * 0.3)?.broadcast_add(mask)?;
    softmax_last_dim(&scores)?.matmul(&v)
}

fn mask(t: usize, s: usize, device: &Device) -> Result<Tensor> {
    let hidden = |i: usize| if i % s % 5 == 3 { f32::NEG_INFINITY } else { 0. };
    Tensor::from_iter((0..t * s).map(hidden), device)?.reshape((1, 1, t, s))
}

/// One launch, where it takes one for attention and one for each cast; the bits are those of casts apart.
#[test]
fn caches_are_read_as_they_are() -> Result<()> {
    for device in recording() {
        for dtype in MODEL_FLOATS {
            for (heads, t, s) in [(2, 1, 9), (8, 1, 33), (6, 2, 70)] {
                let q = random((B, heads, t, D))?.to_dtype(dtype)?.to_device(&device)?;
                let mask = mask(t, s, &device)?.to_dtype(dtype)?;
                for (of, [k, v], casts) in caches(s, &device)? {
                    let [(apart, _), (expected, _)] = both(&device, || {
                        let (k, v) = (k.to_dtype(dtype)?, v.to_dtype(dtype)?);
                        // They are there, so they are read.
                        device.synchronize()?;
                        let y = sdpa(&q, &k, &v, Some(&mask), false, 0.3, 1.)?.to_device(&Device::Cpu)?;
                        Ok((bits(&y)?, drop((k, v))).0)
                    })?;
                    assert_eq!(apart, expected);
                    for (name, cast) in casts {
                        let what = format!("{name}, {of}, {dtype:?}, {heads} heads, {t} x {s}, {device:?}");
                        let [(called, many), (joined, few)] = both(&device, || {
                            let (k, v) = (cast(&k, dtype)?, cast(&v, dtype)?);
                            let y = sdpa(&q, &k, &v, Some(&mask), false, 0.3, 1.)?;
                            drop((k, v));
                            bits(&y.to_device(&Device::Cpu)?)
                        })?;
                        assert!(called == expected && joined == expected, "{what}: sdpa");
                        assert!(few == 1 && many >= 3, "{what}: {few} launches, {many} without fusion");
                        let [_, (joined, few)] = both(&device, || {
                            let (k, v) = (cast(&k, dtype)?, cast(&v, dtype)?);
                            bits(&spelled_out(&q, k, v, &mask)?.to_device(&Device::Cpu)?)
                        })?;
                        // A copy that is repeated is not seen through, and the casts are before it.
                        let launches = if name == "transposed" && heads > KV_HEADS { 5 } else { 1 };
                        assert!(joined == expected && few == launches, "{what}: {few} launches");
                    }
                    // Repeated before they are cast.
                    if of == "whole" {
                        let [_, (joined, few)] = both(&device, || {
                            let wide = |x: &Tensor| repeated(x.clone(), heads / KV_HEADS)?.to_dtype(dtype);
                            let scores = || (q.matmul(&wide(&k)?.t()?)? * 0.3)?.broadcast_add(&mask);
                            let y = softmax_last_dim(&scores()?)?.matmul(&wide(&v)?)?;
                            bits(&y.to_device(&Device::Cpu)?)
                        })?;
                        assert!(joined == expected && few == 1, "{dtype:?}, {heads} heads: {few} launches");
                    }
                }
            }
        }
    }
    Ok(())
}

/// A cache that somebody else reads in the wider dtype, or that is not in F8E4M3, and more queries than that kernel is for: casts are launches.
#[test]
fn casts_that_are_launches() -> Result<()> {
    let (heads, s) = (4, 40);
    for device in recording() {
        for dtype in MODEL_FLOATS {
            let [(_, [k, v], _), ..] = caches(s, &device)?;
            for matrix_cores in [false, true] {
                own(&device).set_matrix_cores(matrix_cores);
                for (t, held, in_f8, expected) in
                    [(1, false, true, 1), (1, true, true, 3), (1, false, false, 2), (20, false, true, 3)]
                {
                    let q = random((B, heads, t, D))?.to_dtype(dtype)?.to_device(&device)?;
                    let mask = mask(t, s, &device)?.to_dtype(dtype)?;
                    let v = if in_f8 { v.clone() } else { v.to_dtype(dtype)? };
                    device.synchronize()?;
                    for called in [false, true] {
                        let [_, (_, few)] = both(&device, || {
                            let (k, v) = (k.to_dtype(dtype)?, v.to_dtype(dtype)?);
                            let kept = held.then(|| k.clone());
                            let y = match called {
                                true => (sdpa(&q, &k, &v, Some(&mask), false, 0.3, 1.)?, drop((k, v))).0,
                                false => spelled_out(&q, k, v, &mask)?,
                            };
                            Ok((y.to_device(&Device::Cpu)?, drop(kept)).0)
                        })?;
                        assert_eq!(
                            few, expected,
                            "{t} queries, {held}, {in_f8}, {called}, {dtype:?}, {device:?}"
                        );
                    }
                }
            }
        }
    }
    Ok(())
}

/// A decoder that keeps its keys and values so: with each token, a launch less for each of them, and a byte read for each number.
#[test]
fn a_decoder_step() -> Result<()> {
    for device in recording() {
        for dtype in MODEL_FLOATS {
            let one = |heads: usize| random((1, heads, 1, D))?.to_dtype(dtype)?.to_device(&device);
            let tokens =
                (0..4).map(|_| Ok::<_, candle_core::Error>([one(4)?, one(KV_HEADS)?, one(KV_HEADS)?]));
            let tokens = tokens.collect::<Result<Vec<_>>>()?;
            // `held`: what is cast is still there behind attention.
            let run = |held: bool| {
                let mut caches = [None::<Tensor>, None];
                let (mut results, mut counts) = (Vec::new(), Vec::new());
                for [q, k, v] in &tokens {
                    own(&device).set_profiling(true);
                    let before = launches(&device);
                    let mut wide = Vec::new();
                    for (cache, new) in caches.iter_mut().zip([k, v]) {
                        let new = new.to_dtype(DType::F8E4M3)?;
                        let all = match cache.take() {
                            None => new,
                            Some(kept) => Tensor::cat(&[&kept, &new], 2)?,
                        };
                        wide.push(all.to_dtype(dtype)?);
                        *cache = Some(all);
                    }
                    let kept = held.then(|| wide.clone());
                    let (v, k) = (wide.pop().expect("values"), wide.pop().expect("keys"));
                    let scores = |k| q.matmul(&repeated(k, 2)?.t()?)? * 0.3;
                    let y = softmax_last_dim(&scores(k)?)?.matmul(&repeated(v, 2)?)?;
                    results.push(bits(&y.to_device(&Device::Cpu)?)?);
                    let counters = own(&device).counters();
                    counts.push((launches(&device) - before, counters.operations["sdpa"].bytes_read));
                    own(&device).set_profiling(false);
                    drop(kept);
                }
                Ok::<_, candle_core::Error>((results, counts))
            };
            let ((apart, more), (joined, fewer)) = (run(true)?, run(false)?);
            assert_eq!(joined, apart, "{dtype:?}");
            for (s, (more, fewer)) in (1..).zip(more.iter().zip(&fewer)) {
                assert!(
                    fewer.0 + 2 <= more.0,
                    "{dtype:?}, {s} keys: {} launches, {} before",
                    fewer.0,
                    more.0
                );
                let narrower = 2 * KV_HEADS * s * D * (dtype.size_in_bytes() - 1);
                assert_eq!(fewer.1 + narrower, more.1, "{dtype:?}, {s} keys");
            }
        }
    }
    Ok(())
}
