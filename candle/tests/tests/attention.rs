//! Gradients of candle-nn's `sdpa`, compared with those of unfused attention on the CPU, and training a model with them.

use candle_core::rocm::{backward_taken, fused_taken, relative_error};
use candle_core::{D, DType, Device, Result, Tensor, Var};
use candle_nn::{AdamW, Optimizer, ops};
use candle_rocm::RocmDevice;
use candle_rocm_tests::{FLOATS, MODEL_FLOATS, devices, random, stand_in};

/// Relative to the largest value. Half types round weights, the result and the gradients on the way: eight times half a unit in
/// the last place.
fn tolerance(dtype: DType) -> f32 {
    match dtype {
        DType::BF16 => 8. / 256.,
        DType::F16 => 8. / 2048.,
        _ => 1e-5,
    }
}

#[derive(Clone, Copy)]
struct Attention {
    causal: bool,
    scale: f32,
    softcapping: f32,
}

impl Attention {
    fn fused(&self, x: &[Tensor]) -> Result<Tensor> {
        ops::sdpa(&x[0], &x[1], &x[2], x.get(3), self.causal, self.scale, self.softcapping)
    }

    /// Composed of candle operations, with keys and values repeated for each query head.
    fn unfused(&self, x: &[Tensor]) -> Result<Tensor> {
        let ((_, heads, t, _), (_, kv_heads, s, _)) = (x[0].dims4()?, x[1].dims4()?);
        let of = Tensor::from_iter((0..heads as u32).map(|h| h / (heads / kv_heads) as u32), x[0].device())?;
        let per_head = |x: &Tensor| x.contiguous()?.index_select(&of, 1);
        let (k, v) = (per_head(&x[1])?, per_head(&x[2])?);
        let mut scores = (x[0].contiguous()?.matmul(&k.t()?.contiguous()?)? * f64::from(self.scale))?;
        if self.softcapping != 1. {
            scores = ((scores / f64::from(self.softcapping))?.tanh()? * f64::from(self.softcapping))?;
        }
        if let Some(mask) = x.get(3) {
            scores = scores.broadcast_add(mask)?;
        }
        if self.causal {
            let hidden = |n: usize| if n % s + t > n / s + s { f32::NEG_INFINITY } else { 0. };
            let hidden = Tensor::from_iter((0..t * s).map(hidden), scores.device())?.reshape((t, s))?;
            scores = scores.broadcast_add(&hidden)?;
        }
        ops::softmax(&scores, D::Minus1)?.matmul(&v.contiguous()?)
    }
}

/// The gradients of `operands` for the output gradient `dy`. Queries, keys and values are `[b, t, h, d]` and passed transposed.
fn gradients(
    operands: &[Tensor],
    dy: &Tensor,
    attend: impl Fn(&[Tensor]) -> Result<Tensor>,
) -> Result<Vec<Tensor>> {
    let variables: Vec<Var> = operands.iter().map(Var::from_tensor).collect::<Result<_>>()?;
    let view =
        |(i, var): (usize, &Var)| if i < 3 { var.transpose(1, 2) } else { Ok(var.as_tensor().clone()) };
    let views: Vec<Tensor> = variables.iter().enumerate().map(view).collect::<Result<_>>()?;
    let store = (attend(&views)?.transpose(1, 2)? * dy)?.backward()?;
    let of = |var: &Var| store.get(var).cloned().ok_or_else(|| candle_core::Error::msg("no gradient"));
    variables.iter().map(of).collect()
}

const PLAIN: Attention = Attention { causal: false, scale: 0.3, softcapping: 1. };
const CAUSAL: Attention = Attention { causal: true, ..PLAIN };
const CAPPED: Attention = Attention { scale: 1.5, softcapping: 2.5, ..CAUSAL };

/// Compares the devices with the CPU and checks that nothing falls back to the CPU.
fn agrees(operands: &[Tensor], attention: Attention) -> Result<()> {
    candle_core::rocm::forbid_fallback();
    let (b, t, h, _) = operands[0].dims4()?;
    let dy = random(&[b, t, h, operands[2].dim(3)?])?;
    for device in devices() {
        for dtype in MODEL_FLOATS {
            let rounded: Vec<Tensor> = operands.iter().map(|t| t.to_dtype(dtype)).collect::<Result<_>>()?;
            let there: Vec<Tensor> = rounded.iter().map(|t| t.to_device(&device)).collect::<Result<_>>()?;
            let wide: Vec<Tensor> = rounded.iter().map(|t| t.to_dtype(DType::F32)).collect::<Result<_>>()?;
            let dy = dy.to_dtype(dtype)?;
            let before = backward_taken("sdpa");
            let got = gradients(&there, &dy.to_device(&device)?, |x| attention.fused(x))?;
            // Other tests count at the same time.
            assert!(backward_taken("sdpa") > before);
            let dy = dy.to_dtype(DType::F32)?;
            let expected = gradients(&wide, &dy, |x| attention.unfused(x))?;
            for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
                assert!(got.device().is_rocm() && got.dtype() == dtype, "{dtype:?} {i}");
                let error = relative_error(got, expected)?;
                assert!(error <= tolerance(dtype), "{dtype:?}, operand {i}: {error}");
            }
        }
    }
    // Gradients also exist where a backend has no kernels for them.
    let there: Vec<Tensor> = operands.iter().map(|t| t.to_device(&stand_in())).collect::<Result<_>>()?;
    let got = gradients(&there, &dy.to_device(&stand_in())?, |x| attention.fused(x))?;
    for (got, expected) in got.iter().zip(&gradients(operands, &dy, |x| attention.unfused(x))?) {
        let error = relative_error(got, expected)?;
        assert!(error <= tolerance(DType::F32), "without kernels: {error}");
    }
    Ok(())
}

/// b, t, s, heads, KV heads, head size, value head size.
fn operands([b, t, s, h, kv_h, d, d_v]: [usize; 7]) -> Result<Vec<Tensor>> {
    Ok(vec![random(&[b, t, h, d])?, random(&[b, s, kv_h, d])?, random(&[b, s, kv_h, d_v])?])
}

#[test]
fn gradients_of_sdpa() -> Result<()> {
    agrees(&operands([2, 9, 9, 4, 2, 16, 16])?, CAUSAL)?;
    agrees(&operands([1, 5, 70, 2, 2, 33, 20])?, PLAIN)?;
    agrees(&operands([1, 70, 70, 3, 1, 64, 64])?, CAPPED)
}

/// A mask is another operand, which may be learned, like T5's biases. Here it is shared by all batches.
#[test]
fn gradients_of_masks() -> Result<()> {
    let mut x = operands([2, 11, 13, 4, 2, 24, 24])?;
    x.push(random(&[1, 4, 11, 13])?);
    agrees(&x, PLAIN)?;
    x[3] = random(&[11, 13])?;
    agrees(&x, CAPPED)
}

/// Queries that see no key give zeros and have gradients of zero, with kernels and composed (f64, and the stand-in).
#[test]
fn fully_masked_queries_give_zeros() -> Result<()> {
    let (t, s) = (5, 3);
    for device in devices().into_iter().chain([stand_in()]) {
        for dtype in FLOATS {
            let random = |rows: usize| random(&[1, 2, rows, 8])?.to_dtype(dtype)?.to_device(&device);
            let (q, k, v) = (Var::from_tensor(&random(t)?)?, random(s)?, random(s)?);
            // Of the first two queries the causal mask hides all keys, of the last one the other mask.
            let hidden = |n: u32| if n / s as u32 == t as u32 - 1 { f32::NEG_INFINITY } else { 0. };
            let mask = Tensor::from_iter((0..(t * s) as u32).map(hidden), &device)?.reshape((t, s))?;
            let y = ops::sdpa(&q, &k, &v, Some(&mask), true, 0.3, 1.)?;
            let gradient = y.sqr()?.sum_all()?.backward()?;
            let gradient = gradient.get(&q).expect("the gradient of q").clone();
            // With a single key, the result does not depend on the query.
            for (what, x, zeros) in [("result", y, &[0, 1, 4][..]), ("gradient", gradient, &[0, 1, 2, 4])] {
                let rows = x.to_dtype(DType::F32)?.squeeze(0)?.to_vec3::<f32>()?;
                for (i, row) in rows.iter().flat_map(|head| head.iter().enumerate()) {
                    let zero = row.iter().all(|&x| x == 0.);
                    assert_eq!(zero, zeros.contains(&i), "{what} {dtype:?} {i} {device:?}: {row:?}");
                    assert!(row.iter().all(|x| x.is_finite()), "{what} {dtype:?} {i}: {row:?}");
                }
            }
        }
    }
    Ok(())
}

/// The KV cache and a causal mask are not variables and get no gradient.
#[test]
fn constants_have_no_gradient() -> Result<()> {
    for device in devices() {
        let x = operands([1, 3, 6, 2, 1, 8, 8])?;
        let x: Vec<Tensor> =
            x.iter().map(|x| x.transpose(1, 2)?.to_device(&device)).collect::<Result<_>>()?;
        let q = Var::from_tensor(&x[0])?;
        let hidden = |n: u32| if n % 6 == 5 { f32::NEG_INFINITY } else { 0. };
        let mask = Tensor::from_iter((0..18).map(hidden), &device)?.reshape((1, 1, 3, 6))?;
        let y = ops::sdpa(&q, &x[1], &x[2], Some(&mask), false, 0.3, 1.)?;
        let gradients = y.sum_all()?.backward()?;
        assert!(gradients.get(&q).is_some_and(|gradient| gradient.dims() == q.dims()));
        assert!([&x[1], &x[2], &mask].into_iter().all(|x| gradients.get(x).is_none()));
        // Without variables there is no graph.
        assert!(!ops::sdpa(&x[0], &x[1], &x[2], Some(&mask), false, 0.3, 1.)?.track_op());
    }
    Ok(())
}

/// Trains projections and attention to imitate another set of weights.
fn losses(device: &Device, attend: impl Fn(&[Tensor]) -> Result<Tensor>) -> Result<Vec<f32>> {
    const WIDTH: usize = 16;
    let numbers = |dims: &[usize], seed: usize| {
        let number = |i: usize| ((i + seed * 1009) as f32 * 12.9898).sin() * 43_758.547 % 1. * 0.5;
        Tensor::from_iter((0..dims.iter().product()).map(number), &Device::Cpu)?
            .reshape(dims)?
            .to_device(device)
    };
    let x = numbers(&[2, 10, WIDTH], 1)?;
    let target = numbers(&[2, 2, 10, WIDTH / 2], 2)?;
    let weights: Vec<Var> =
        (3..6).map(|seed| Var::from_tensor(&numbers(&[WIDTH, WIDTH], seed)?)).collect::<Result<_>>()?;
    let mut optimizer = AdamW::new_lr(weights.clone(), 2e-2)?;
    (0..12)
        .map(|_| {
            let heads =
                |weight: &Var| x.broadcast_matmul(weight)?.reshape((2, 10, 2, WIDTH / 2))?.transpose(1, 2);
            let qkv: Vec<Tensor> = weights.iter().map(heads).collect::<Result<_>>()?;
            let loss = (attend(&qkv)? - &target)?.sqr()?.mean_all()?;
            optimizer.backward_step(&loss)?;
            loss.to_scalar()
        })
        .collect()
}

#[test]
fn training_matches_the_cpu() -> Result<()> {
    let expected = losses(&Device::Cpu, |x| CAUSAL.unfused(x))?;
    assert!(expected[11] < expected[0] * 0.7, "the loss must fall: {expected:?}");
    for device in devices() {
        let concrete: &RocmDevice = device.as_rocm_device()?.downcast_ref().expect("a candle-rocm device");
        concrete.set_deterministic(true);
        let before = (fused_taken("sdpa"), backward_taken("sdpa"));
        let found = losses(&device, |x| CAUSAL.fused(x))?;
        assert!(fused_taken("sdpa") >= before.0 + 12 && backward_taken("sdpa") >= before.1 + 12);
        assert_eq!(found, losses(&device, |x| CAUSAL.fused(x))?, "must be deterministic");
        for (step, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let difference = (found - expected).abs() / expected;
            assert!(difference < 1e-4, "step {step}: {found}, {expected} unfused");
        }
    }
    Ok(())
}
