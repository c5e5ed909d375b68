//! Gradients of fused operations: run by the backend, counted, and equal to those of composed operations on the CPU in f32.

use std::sync::{Mutex, MutexGuard, PoisonError};

use candle_core::rocm::{backward_declined, backward_taken, relative_error};
use candle_core::{D, DType, Device, Result, Tensor, Var};
use candle_nn::{Module, ops, rotary_emb};
use candle_rocm_tests::{FLOATS, devices, in_child, random, stand_in};

/// Relative to the largest value. The reference is in f32, with operands rounded to the type. Half types also round the gradient, and the
/// output that some gradients start from.
fn tolerance(dtype: DType) -> f32 {
    match dtype {
        DType::BF16 => 2e-2,
        DType::F16 => 2e-3,
        _ => 5e-6,
    }
}

/// The gradients of all float `operands` for the output gradient `dy`.
fn gradients(
    operands: &[Tensor],
    dy: &Tensor,
    op: impl Fn(&[Tensor]) -> Result<Tensor>,
) -> Result<Vec<Tensor>> {
    let variables: Vec<Var> = operands.iter().map(Var::from_tensor).collect::<Result<_>>()?;
    let tensors: Vec<Tensor> = variables.iter().map(|var| var.as_tensor().clone()).collect();
    let store = (op(&tensors)? * dy)?.backward()?;
    let of = |var: &Var| store.get(var).cloned().ok_or_else(|| candle_core::Error::msg("no gradient"));
    variables.iter().filter(|var| var.dtype().is_float()).map(of).collect()
}

/// What a backend takes and declines is counted for the whole process: tests that do either, or look, run one after another.
fn counting() -> MutexGuard<'static, ()> {
    static COUNTING: Mutex<()> = Mutex::new(());
    COUNTING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Compares the gradients of `fused` on each device with those of `composed` on the CPU. With a `name`, the backend must have kernels
/// for them.
fn agrees(
    name: Option<&str>,
    operands: &[Tensor],
    dims: &[usize],
    fused: impl Fn(&[Tensor]) -> Result<Tensor>,
    composed: impl Fn(&[Tensor]) -> Result<Tensor>,
) -> Result<()> {
    let _alone = counting();
    let dy = random(dims)?;
    let cast =
        |t: &Tensor, dtype: DType| if t.dtype().is_float() { t.to_dtype(dtype) } else { Ok(t.clone()) };
    for device in devices() {
        for dtype in FLOATS {
            let rounded: Vec<Tensor> = operands.iter().map(|t| cast(t, dtype)).collect::<Result<_>>()?;
            let there: Vec<Tensor> = rounded.iter().map(|t| t.to_device(&device)).collect::<Result<_>>()?;
            let wide: Vec<Tensor> = rounded.iter().map(|t| cast(t, DType::F32)).collect::<Result<_>>()?;
            let dy = dy.to_dtype(dtype)?;
            let before = name.map(|name| (backward_taken(name), backward_declined(name)));
            let got = gradients(&there, &dy.to_device(&device)?, &fused)?;
            if let (Some(name), Some((taken, declined))) = (name, before) {
                assert!(backward_taken(name) > taken && backward_declined(name) == declined, "{name}");
            }
            let expected = gradients(&wide, &dy.to_dtype(DType::F32)?, &composed)?;
            for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
                assert!(got.device().is_rocm() && got.dtype() == dtype, "{name:?} {dtype:?} {i}");
                let error = relative_error(got, expected)?;
                assert!(error <= tolerance(dtype), "{name:?} {dtype:?}, operand {i}: {error}");
            }
        }
    }
    // Gradients also exist on the CPU and where a backend has no kernels for them.
    for device in [Device::Cpu, stand_in()] {
        let there: Vec<Tensor> = operands.iter().map(|t| t.to_device(&device)).collect::<Result<_>>()?;
        let got = gradients(&there, &dy.to_device(&device)?, &fused)?;
        for (got, expected) in got.iter().zip(&gradients(operands, &dy, &composed)?) {
            let error = relative_error(got, expected)?;
            assert!(error <= tolerance(DType::F32), "{name:?} on {device:?}: {error}");
        }
    }
    Ok(())
}

#[test]
fn sigmoid() -> Result<()> {
    let composed = |x: &[Tensor]| (x[0].neg()?.exp()? + 1.)?.recip();
    agrees(Some("sigmoid"), &[random(&[3, 5, 33])?], &[3, 5, 33], |x| ops::sigmoid(&x[0]), composed)
}

#[test]
fn softmax_last_dim() -> Result<()> {
    for dims in [[2, 3, 77], [1, 1, 1], [4, 2, 64]] {
        agrees(
            Some("softmax-last-dim"),
            &[random(&dims)?],
            &dims,
            |x| ops::softmax_last_dim(&x[0]),
            |x| ops::softmax(&x[0], D::Minus1),
        )?;
    }
    Ok(())
}

#[test]
fn rms_norm() -> Result<()> {
    for width in [96, 7] {
        agrees(
            Some("rms-norm"),
            &[random(&[2, 5, width])?, random(&[width])?],
            &[2, 5, width],
            |x| ops::rms_norm(&x[0], &x[1], 1e-5),
            |x| ops::rms_norm_slow(&x[0], &x[1], 1e-5),
        )?;
    }
    Ok(())
}

#[test]
fn layer_norm() -> Result<()> {
    for width in [96, 7] {
        agrees(
            Some("layer-norm"),
            &[random(&[2, 5, width])?, random(&[width])?, random(&[width])?],
            &[2, 5, width],
            |x| ops::layer_norm(&x[0], &x[1], &x[2], 1e-5),
            |x| ops::layer_norm_slow(&x[0], &x[1], &x[2], 1e-5),
        )?;
    }
    Ok(())
}

#[test]
fn group_norm() -> Result<()> {
    let (dims, channels, groups) = ([2, 6, 5, 3], 6, 3);
    let norm = |x: &[Tensor]| {
        candle_nn::GroupNorm::new(x[1].clone(), x[2].clone(), channels, groups, 1e-5)?.forward(&x[0])
    };
    let operands = [random(&dims)?, random(&[channels])?, random(&[channels])?];
    // On the CPU, candle-nn composes it.
    agrees(Some("group-norm"), &operands, &dims, norm, norm)
}

/// Gradients of the input and also of the angles, for 9 positions, of which 7 are used.
#[test]
fn rotary_embeddings() -> Result<()> {
    let operands = |dims: [usize; 4]| {
        let angles = random(&[9, 12])?;
        Ok::<_, candle_core::Error>([random(&dims)?, angles.cos()?, angles.sin()?])
    };
    let (dims, thd) = ([2, 3, 7, 24], [2, 7, 3, 24]);
    agrees(
        None,
        &operands(dims)?,
        &dims,
        |x| rotary_emb::rope(&x[0], &x[1], &x[2]),
        |x| rotary_emb::rope_slow(&x[0], &x[1], &x[2]),
    )?;
    agrees(
        None,
        &operands(dims)?,
        &dims,
        |x| rotary_emb::rope_i(&x[0], &x[1], &x[2]),
        |x| rotary_emb::rope_i_slow(&x[0], &x[1], &x[2]),
    )?;
    agrees(
        None,
        &operands(thd)?,
        &thd,
        |x| rotary_emb::rope_thd(&x[0], &x[1], &x[2]),
        |x| rotary_emb::rope_slow(&x[0].transpose(1, 2)?, &x[1], &x[2])?.transpose(1, 2),
    )
}

#[test]
fn cumsum() -> Result<()> {
    let triangle = |x: &[Tensor]| {
        x[0].broadcast_matmul(&Tensor::triu2(x[0].dim(D::Minus1)?, x[0].dtype(), x[0].device())?)
    };
    let dims = [3, 5, 77];
    agrees(Some("cumsum"), &[random(&dims)?], &dims, |x| x[0].cumsum(D::Minus1), triangle)?;
    let along = |x: &[Tensor]| triangle(&[x[0].transpose(1, 2)?])?.transpose(1, 2);
    agrees(Some("cumsum"), &[random(&dims)?], &dims, |x| x[0].cumsum(1), along)
}

/// Gradients that many indices give to one row, which sums in f16 or bf16 would lose: a quarter from each of 2970 tokens.
#[test]
fn a_row_that_many_tokens_share() -> Result<()> {
    const TOKENS: usize = 2970;
    for device in devices() {
        for dtype in FLOATS {
            let table = Var::zeros((5, 4), dtype, &device)?;
            let ids = Tensor::full(3u32, TOKENS, &device)?;
            let each = ids.reshape((TOKENS, 1))?.broadcast_as((TOKENS, 4))?.contiguous()?;
            let embedding = candle_nn::Embedding::new(table.as_tensor().clone(), 4);
            // Rows that are read by others, too, have other gradients.
            let some = Tensor::new(&[0u32, 3, 0], &device)?;
            let outputs = [
                embedding.forward(&ids)?,
                table.index_select(&ids, 0)?,
                table.embedding(&ids)?,
                table.gather(&each, 0)?,
            ];
            for (i, output) in outputs.iter().enumerate() {
                let loss = ((output * 0.25)?.sum_all()? + table.index_select(&some, 0)?.sum_all()?)?;
                let gradient = loss.backward()?.get(&table).cloned().expect("a gradient");
                assert_eq!(gradient.dtype(), dtype);
                let round =
                    |x: f32| Tensor::new(x, &Device::Cpu)?.to_dtype(dtype)?.to_dtype(DType::F32)?.to_scalar();
                // The two sums are rounded, and so is theirs.
                let shared = round(round(0.25 * TOKENS as f32)? + 1.)?;
                let got = gradient.to_dtype(DType::F32)?.to_vec2::<f32>()?;
                for (row, want) in [2., 0., 0., shared, 0.].into_iter().enumerate() {
                    assert_eq!(got[row], [want; 4], "{dtype:?}, output {i}, row {row}");
                }
            }
        }
    }
    Ok(())
}

/// Six tokens are routed to two of four experts each. Dense experts have gradients; quantized ones only pass one to the input.
#[test]
fn mixtures_of_experts() -> Result<()> {
    use candle_core::quantized::{GgmlDType, QTensor};
    use candle_nn::moe::{moe_gemm, moe_gemm_gguf};

    let (tokens, experts, topk, n, k) = (6, 4, 2, 10, 64);
    let count = tokens * topk;
    let of: Vec<u32> = (0..count).map(|row| (row * 7 % 5 % experts) as u32).collect();
    let mut sorted: Vec<(u32, u32)> = of.iter().copied().zip(0..).collect();
    sorted.sort_unstable();
    let (experts_of, rows): (Vec<u32>, Vec<u32>) = sorted.into_iter().unzip();
    // Row by row: the token's row (or one per slot) times the expert's matrix.
    let composed = |x: &Tensor, weights: &Tensor, factors: Option<&Tensor>| {
        let per_token = if factors.is_some() { 1 } else { topk };
        let row = |row: usize| {
            let x = x.get(row / per_token)?.unsqueeze(1)?;
            let y = weights.get(of[row] as usize)?.matmul(&x)?.squeeze(1)?;
            factors.map_or(Ok(y.clone()), |factors| y.broadcast_mul(&factors.get(row)?))
        };
        Tensor::stack(&(0..count).map(row).collect::<Result<Vec<_>>>()?, 0)
    };
    let dy = random(&[count, n])?;
    let (weights, factors) = (random(&[experts, n, k])?, random(&[count])?);
    for device in devices() {
        let to = |t: &Tensor| t.to_device(&device);
        let lists = (Tensor::new(rows.as_slice(), &device)?, Tensor::new(experts_of.as_slice(), &device)?);
        for scaled in [false, true] {
            let x = random(&[if scaled { count } else { tokens }, k])?;
            let operands = [x, weights.clone(), factors.clone()];
            let operands = if scaled { &operands[..] } else { &operands[..2] };
            let there: Vec<Tensor> = operands.iter().map(to).collect::<Result<_>>()?;
            let before = backward_taken("moe");
            let got = gradients(&there, &to(&dy)?, |x| {
                moe_gemm(&x[0], &x[1], &x.get(2).cloned(), &lists.0, &lists.1, topk, true)
            })?;
            assert_eq!(backward_taken("moe"), before + 1);
            let expected = gradients(operands, &dy, |x| composed(&x[0], &x[1], x.get(2)))?;
            for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
                let error = relative_error(got, expected)?;
                assert!(error < 5e-6, "{scaled}, operand {i}: {error}");
            }

            let quantized = QTensor::quantize(&to(&weights)?, GgmlDType::Q8_0)?;
            let got = gradients(&there[..1], &to(&dy)?, |x| {
                let factors = scaled.then(|| to(&factors)).transpose()?;
                moe_gemm_gguf(&x[0], &quantized, &factors, &lists.0, &lists.1, topk, true, DType::F16)
            })?;
            let dense = quantized.dequantize(&Device::Cpu)?;
            let expected =
                gradients(&operands[..1], &dy, |x| composed(&x[0], &dense, scaled.then_some(&factors)))?;
            assert!(relative_error(&got[0], &expected[0])? < 5e-6);
        }
    }
    Ok(())
}

/// Gradients flow through quantized weights, which are constant, to the layers before.
#[test]
fn quantized_products() -> Result<()> {
    use candle_core::quantized::{GgmlDType, QMatMul, QTensor};

    let weights = QTensor::quantize(&random(&[6, 256])?, GgmlDType::Q4K)?;
    let dense = weights.dequantize(&Device::Cpu)?;
    let (x, dy) = (random(&[2, 3, 256])?, random(&[2, 3, 6])?);
    let expected = gradients(std::slice::from_ref(&x), &dy, |x| x[0].broadcast_matmul(&dense.t()?))?;
    for device in devices().into_iter().chain([Device::Cpu, stand_in()]) {
        let product = QMatMul::from_qtensor(QTensor::new(
            candle_core::quantized::QStorage::from_data(weights.data()?, &device, GgmlDType::Q4K)?,
            (6, 256),
        )?)?;
        let got = gradients(&[x.to_device(&device)?], &dy.to_device(&device)?, |x| product.forward(&x[0]))?;
        assert!(relative_error(&got[0], &expected[0])? < 5e-6, "{device:?}");
    }
    Ok(())
}

/// An operation, its operands, and how it is computed.
type Operation = (&'static str, Vec<Tensor>, fn(&[Tensor]) -> Result<Tensor>);

/// Operands of a shape: their sizes are from 0.5 to 2, so that nothing is near a kink or a pole.
fn operands<const N: usize>(shapes: [&[usize]; N]) -> Result<Vec<Tensor>> {
    let away = |shape: &&[usize]| {
        let x = random(*shape)?;
        let size = ((x.abs()?.neg()?.exp()? * 1.5)? + 0.5)?;
        x.ge(0f64)?.where_cond(&size, &size.neg()?)
    };
    shapes.iter().map(away).collect()
}

fn positive(x: &Tensor) -> Result<Tensor> {
    x.abs()? + 0.1
}

fn ids(values: &[u32], x: &Tensor) -> Result<Tensor> {
    Tensor::new(values, x.device())
}

/// candle's operations with a gradient.
fn operations() -> Result<Vec<Operation>> {
    let (matrix, image) = (|| operands([&[3, 4]]), |h, w| operands([&[1, 2, h, w]]));
    let two = || operands([&[3, 4], &[3, 4]]);
    Ok(vec![
        ("add", two()?, |x| &x[0] + &x[1]),
        ("sub", two()?, |x| &x[0] - &x[1]),
        ("mul", two()?, |x| &x[0] * &x[1]),
        ("div", two()?, |x| &x[0] / &x[1]),
        ("minimum", two()?, |x| x[0].minimum(&x[1])),
        ("maximum", two()?, |x| x[0].maximum(&x[1])),
        ("mul by itself", matrix()?, |x| &x[0] * &x[0]),
        ("matmul with itself", matrix()?, |x| x[0].matmul(&x[0].t()?)),
        ("pow", two()?, |x| positive(&x[0])?.pow(&x[1])),
        ("where_cond", two()?, |x| x[0].gt(0f64)?.where_cond(&x[0], &x[1])),
        ("affine", matrix()?, |x| x[0].affine(2., 1.)),
        ("log", matrix()?, |x| positive(&x[0])?.log()),
        ("sin", matrix()?, |x| x[0].sin()),
        ("cos", matrix()?, |x| x[0].cos()),
        ("tanh", matrix()?, |x| x[0].tanh()),
        ("abs", matrix()?, |x| x[0].abs()),
        ("exp", matrix()?, |x| x[0].exp()),
        ("neg", matrix()?, |x| x[0].neg()),
        ("recip", matrix()?, |x| x[0].recip()),
        ("gelu", matrix()?, |x| x[0].gelu()),
        ("erf", matrix()?, |x| x[0].erf()),
        ("gelu_erf", matrix()?, |x| x[0].gelu_erf()),
        ("relu", matrix()?, |x| x[0].relu()),
        ("silu", matrix()?, |x| x[0].silu()),
        ("elu", matrix()?, |x| x[0].elu(0.7)),
        ("powf", matrix()?, |x| positive(&x[0])?.powf(1.5)),
        ("sqr", matrix()?, |x| x[0].sqr()),
        ("sqrt", matrix()?, |x| positive(&x[0])?.sqrt()),
        ("to_dtype", matrix()?, |x| x[0].to_dtype(DType::F64)?.sin()?.to_dtype(x[0].dtype())),
        ("to_device", matrix()?, |x| x[0].to_device(&Device::Cpu)?.sin()?.to_device(x[0].device())),
        ("copy", matrix()?, |x| x[0].copy()),
        ("sum", matrix()?, |x| x[0].sum(0)),
        ("mean", matrix()?, |x| x[0].mean_keepdim(1)),
        ("var", matrix()?, |x| x[0].var(1)),
        ("max", matrix()?, |x| x[0].max(1)),
        ("min", matrix()?, |x| x[0].min_keepdim(0)),
        ("log_sum_exp", matrix()?, |x| x[0].log_sum_exp(1)),
        ("softmax", matrix()?, |x| ops::softmax(&x[0], 0)),
        ("broadcast_as", operands([&[3, 1]])?, |x| x[0].broadcast_as((2, 3, 4))),
        ("broadcast_add", operands([&[3, 4], &[4]])?, |x| x[0].broadcast_add(&x[1])),
        ("reshape", matrix()?, |x| x[0].reshape((2, 6))),
        ("transpose", matrix()?, |x| x[0].t()),
        ("contiguous", matrix()?, |x| x[0].t()?.contiguous()),
        ("permute", operands([&[2, 3, 4]])?, |x| x[0].permute((2, 0, 1))),
        ("narrow", matrix()?, |x| x[0].narrow(1, 1, 2)),
        ("pad_with_zeros", matrix()?, |x| x[0].pad_with_zeros(1, 1, 2)),
        ("pad_with_same", matrix()?, |x| x[0].pad_with_same(0, 1, 2)),
        ("repeat", matrix()?, |x| x[0].repeat((2, 3))),
        ("roll", matrix()?, |x| x[0].roll(1, 1)),
        ("flip", matrix()?, |x| x[0].flip(&[1])),
        ("cat", operands([&[3, 4], &[3, 2]])?, |x| Tensor::cat(&[&x[0], &x[1], &x[0]], 1)),
        ("stack", two()?, |x| Tensor::stack(x, 1)),
        ("slice_scatter", operands([&[3, 4], &[2, 4]])?, |x| x[0].slice_scatter(&x[1], 0, 1)),
        ("slice_scatter of columns", operands([&[3, 4], &[3, 2]])?, |x| x[0].slice_scatter(&x[1], 1, 1)),
        ("gather", matrix()?, |x| x[0].gather(&ids(&[3, 0, 1, 1, 2, 2], &x[0])?.reshape((3, 2))?, 1)),
        ("scatter", operands([&[3, 4], &[3, 2]])?, |x| {
            x[0].scatter(&ids(&[3, 0, 1, 2, 2, 0], &x[0])?.reshape((3, 2))?, &x[1], 1)
        }),
        ("scatter_add", operands([&[3, 4], &[3, 2]])?, |x| {
            x[0].scatter_add(&ids(&[3, 3, 1, 2, 2, 0], &x[0])?.reshape((3, 2))?, &x[1], 1)
        }),
        ("scatter_add of all", two()?, |x| {
            x[0].scatter_add(&ids(&[0, 2, 2, 1, 0, 0, 1, 2, 1, 1, 2, 0], &x[0])?.reshape((3, 4))?, &x[1], 0)
        }),
        ("index_add", operands([&[3, 4], &[5, 4]])?, |x| {
            x[0].index_add(&ids(&[0, 2, 2, 0, 1], &x[0])?, &x[1], 0)
        }),
        ("gather of rows", matrix()?, |x| x[0].gather(&ids(&[2, 0, 0, 1], &x[0])?.reshape((1, 4))?, 0)),
        ("index_add of columns", operands([&[3, 4], &[3, 2]])?, |x| {
            x[0].index_add(&ids(&[3, 3], &x[0])?, &x[1], 1)
        }),
        ("index_select of columns", matrix()?, |x| x[0].index_select(&ids(&[2, 0, 2], &x[0])?, 1)),
        ("index_select", matrix()?, |x| x[0].index_select(&ids(&[2, 0, 2, 2], &x[0])?, 0)),
        ("matmul", operands([&[2, 3, 4], &[2, 4, 2]])?, |x| x[0].matmul(&x[1])),
        ("conv1d", operands([&[2, 3, 9], &[4, 3, 3]])?, |x| x[0].conv1d(&x[1], 1, 2, 1, 1)),
        ("conv1d of groups", operands([&[1, 4, 6], &[4, 2, 3]])?, |x| x[0].conv1d(&x[1], 0, 1, 1, 2)),
        ("conv2d", operands([&[1, 2, 5, 5], &[3, 2, 3, 3]])?, |x| x[0].conv2d(&x[1], 1, 2, 1, 1)),
        ("conv2d of groups", operands([&[1, 4, 4, 4], &[4, 2, 2, 2]])?, |x| x[0].conv2d(&x[1], 0, 1, 1, 2)),
        ("conv_transpose2d", operands([&[1, 2, 3, 3], &[2, 3, 2, 2]])?, |x| {
            x[0].conv_transpose2d(&x[1], 0, 0, 2, 1)
        }),
        ("conv1d of parts", operands([&[2, 3, 10], &[4, 3, 3]])?, |x| x[0].conv1d(&x[1], 1, 3, 2, 1)),
        ("conv2d of parts", operands([&[2, 2, 6, 6], &[3, 2, 3, 3]])?, |x| x[0].conv2d(&x[1], 1, 2, 2, 1)),
        ("conv_transpose2d with padding", operands([&[2, 2, 3, 4], &[2, 3, 3, 3]])?, |x| {
            x[0].conv_transpose2d(&x[1], 1, 1, 2, 1)
        }),
        ("avg_pool2d", image(4, 6)?, |x| x[0].avg_pool2d(2)),
        ("max_pool2d", image(4, 6)?, |x| x[0].max_pool2d(2)),
        ("avg_pool2d of parts", image(5, 7)?, |x| x[0].avg_pool2d((2, 3))),
        ("max_pool2d of parts", image(5, 7)?, |x| x[0].max_pool2d((2, 3))),
        ("upsample_nearest1d", operands([&[2, 2, 3]])?, |x| x[0].upsample_nearest1d(6)),
        ("upsample_nearest2d", image(2, 3)?, |x| x[0].upsample_nearest2d(4, 6)),
        ("upsample_nearest2d by 1", image(2, 3)?, |x| x[0].upsample_nearest2d(2, 3)),
        ("cumsum", matrix()?, |x| x[0].cumsum(1)),
        ("log_softmax", matrix()?, |x| ops::log_softmax(&x[0], 1)),
        ("leaky_relu", matrix()?, |x| ops::leaky_relu(&x[0], 0.1)),
    ])
}

/// What is differentiated: the operation's result, weighed, and three times its operands, which are used before or after it.
fn twice(
    x: &[Tensor],
    weights: &Tensor,
    first: bool,
    op: impl Fn(&[Tensor]) -> Result<Tensor>,
) -> Result<Tensor> {
    let of_op = || (op(x)? * weights)?.sum_all();
    let others = || x.iter().map(|x| (x * 3.)?.sum_all()).reduce(|a, b| a? + b?).expect("an operand");
    if first { of_op()? + others()? } else { others()? + of_op()? }
}

fn used_twice(
    x: &[Tensor],
    weights: &Tensor,
    first: bool,
    op: impl Fn(&[Tensor]) -> Result<Tensor>,
) -> Result<Vec<Tensor>> {
    let variables: Vec<Var> = x.iter().map(Var::from_tensor).collect::<Result<_>>()?;
    let tensors: Vec<Tensor> = variables.iter().map(|var| var.as_tensor().clone()).collect();
    let store = twice(&tensors, weights, first, op)?.backward()?;
    let of = |var: &Var| store.get(var).cloned().ok_or_else(|| candle_core::Error::msg("no gradient"));
    variables.iter().map(of).collect()
}

/// Gradients add up where an operand is used by something else, too: on the CPU and on the devices, against differences in f64.
#[test]
fn operations_on_operands_that_are_used_twice() -> Result<()> {
    let _alone = counting();
    const STEP: f64 = 1e-5;
    let mut wrong = Vec::new();
    for (name, operands, op) in operations()? {
        let wide: Vec<Tensor> = operands.iter().map(|x| x.to_dtype(DType::F64)).collect::<Result<_>>()?;
        let weights = random(op(&wide)?.dims())?;
        let of_wide = weights.to_dtype(DType::F64)?;
        let differences = |i: usize| -> Result<Tensor> {
            let values: Vec<f64> = wide[i].flatten_all()?.to_vec1()?;
            let moved = |at: usize, by: f64| -> Result<f64> {
                let (mut values, mut x) = (values.clone(), wide.clone());
                values[at] += by;
                x[i] = Tensor::from_vec(values, wide[i].shape(), &Device::Cpu)?;
                twice(&x, &of_wide, true, op)?.to_scalar()
            };
            let slope = |at: usize| Ok((moved(at, STEP)? - moved(at, -STEP)?) / (2. * STEP));
            let slopes = (0..values.len()).map(slope).collect::<Result<Vec<f64>>>()?;
            Tensor::from_vec(slopes, wide[i].shape(), &Device::Cpu)
        };
        let expected = (0..wide.len()).map(differences).collect::<Result<Vec<_>>>()?;
        for first in [true, false] {
            let mut near = |got: Result<Vec<Tensor>>, on: &dyn std::fmt::Debug| -> Result<()> {
                let Ok(got) = got.inspect_err(|error| wrong.push(format!("{name} on {on:?}: {error}")))
                else {
                    return Ok(());
                };
                for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
                    let error = relative_error(got, expected)?;
                    // candle's constants of gelu's gradient have six digits.
                    if error.is_nan() || error >= 2e-5 {
                        wrong.push(format!("{name} of operand {i} on {on:?}: off by {error}"));
                    }
                }
                Ok(())
            };
            near(used_twice(&wide, &of_wide, first, op), &DType::F64)?;
            for device in devices().into_iter().chain([Device::Cpu]) {
                let there: Vec<Tensor> =
                    operands.iter().map(|x| x.to_device(&device)).collect::<Result<_>>()?;
                near(used_twice(&there, &weights.to_device(&device)?, first, op), &device)?;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// The same of fused operations, against their gradients on the CPU where they are used once.
#[test]
fn fused_operations_on_operands_that_are_used_twice() -> Result<()> {
    let _alone = counting();
    let (norm, rope) = ([&[2, 6][..], &[6], &[6]], [&[1, 2, 3, 4][..], &[3, 2], &[3, 2]]);
    let fused: Vec<Operation> = vec![
        ("sigmoid", operands([&[3, 4]])?, |x| ops::sigmoid(&x[0])),
        ("softmax_last_dim", operands([&[3, 4]])?, |x| ops::softmax_last_dim(&x[0])),
        ("rms_norm", operands([norm[0], norm[1]])?, |x| ops::rms_norm(&x[0], &x[1], 1e-5)),
        ("layer_norm", operands(norm)?, |x| ops::layer_norm(&x[0], &x[1], &x[2], 1e-5)),
        ("group_norm", operands([&[2, 6, 3], &[6], &[6]])?, |x| {
            candle_nn::GroupNorm::new(x[1].clone(), x[2].clone(), 6, 2, 1e-5)?.forward(&x[0])
        }),
        ("rope", operands(rope)?, |x| rotary_emb::rope(&x[0], &x[1], &x[2])),
        ("rope_i", operands(rope)?, |x| rotary_emb::rope_i(&x[0], &x[1], &x[2])),
        ("rope_thd", operands([&[1, 3, 2, 4], rope[1], rope[2]])?, |x| {
            rotary_emb::rope_thd(&x[0], &x[1], &x[2])
        }),
        ("cumsum", operands([&[3, 4]])?, |x| x[0].cumsum(0)),
        ("cat", operands([&[3, 4], &[3, 2]])?, |x| Tensor::cat(x, 1)),
        ("sdpa", operands([&[1, 2, 3, 8], &[1, 2, 5, 8], &[1, 2, 5, 8]])?, |x| match x[0].device() {
            Device::Cpu => ops::softmax(&(x[0].matmul(&x[1].t()?)? * 0.5)?, D::Minus1)?.matmul(&x[2]),
            _ => ops::sdpa(&x[0], &x[1], &x[2], None, false, 0.5, 1.),
        }),
        ("quantized product", operands([&[2, 32]])?, |x| {
            use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
            let weights = Tensor::arange(0f32, 128., x[0].device())?.reshape((4, 32))?.sin()?;
            QMatMul::from_qtensor(QTensor::quantize(&weights, GgmlDType::Q8_0)?)?.forward(&x[0])
        }),
    ];
    for (name, operands, op) in fused {
        let weights = random(op(&operands)?.dims())?;
        let expected = gradients(&operands, &weights, op)?;
        for device in devices().into_iter().chain([Device::Cpu, stand_in()]) {
            let there: Vec<Tensor> = operands.iter().map(|x| x.to_device(&device)).collect::<Result<_>>()?;
            for first in [true, false] {
                let got = used_twice(&there, &weights.to_device(&device)?, first, op)?;
                for (i, (got, once)) in got.iter().zip(&expected).enumerate() {
                    let error = relative_error(got, &(once + 3.)?)?;
                    assert!(error < 5e-6, "{name} of operand {i} on {device:?}: {error}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn empty_tensors() -> Result<()> {
    for device in devices().into_iter().chain([Device::Cpu]) {
        let x = Var::zeros((0, 5), DType::F32, &device)?;
        let alpha = Var::ones(5, DType::F32, &device)?;
        let y = ops::rms_norm(&x, &alpha, 1e-5)?;
        assert_eq!(y.dims(), [0, 5]);
        let store = y.backward()?;
        assert_eq!(store.get(&x).expect("the gradient of x").dims(), [0, 5]);
        assert_eq!(store.get(&alpha).expect("the gradient of alpha").to_vec1::<f32>()?, [0.; 5]);
        let store = ops::softmax_last_dim(&x)?.backward()?;
        assert_eq!(store.get(&x).expect("the gradient of x").dims(), [0, 5]);
    }
    Ok(())
}

/// Only variables get a gradient, and the incoming gradient may be a view.
#[test]
fn only_variables_have_gradients() -> Result<()> {
    for device in devices() {
        let x = random(&[6, 4])?;
        let alpha = Tensor::ones(4, DType::F32, &device)?;
        let there = Var::from_tensor(&x.to_device(&device)?)?;
        let y = ops::rms_norm(&there, &alpha, 1e-5)?;
        // The gradient of a transposed matrix is transposed.
        let store = y.t()?.contiguous()?.narrow(0, 1, 2)?.sum_all()?.backward()?;
        assert!(store.get(&alpha).is_none());
        let here = Var::from_tensor(&x)?;
        let y = ops::rms_norm_slow(&here, &Tensor::ones(4, DType::F32, &Device::Cpu)?, 1e-5)?;
        let expected = y.t()?.narrow(0, 1, 2)?.sum_all()?.backward()?;
        let error = relative_error(
            store.get(&there).expect("the gradient of x"),
            expected.get(&here).expect("the gradient of x"),
        )?;
        assert!(error < 5e-6, "{error}");
    }
    Ok(())
}

/// Second-order gradients use candle's own operations, since fused ones record no graph.
#[test]
fn second_order_gradients() -> Result<()> {
    let name = "second_order_gradients";
    let Some(_) = in_child(name, &[("CANDLE_GRAD_DO_NOT_DETACH", "1")]) else {
        let x = random(&[2, 5])?;
        let second = |device: &Device, softmax: &dyn Fn(&Tensor) -> Result<Tensor>| {
            let x = Var::from_tensor(&x.to_device(device)?)?;
            let first = softmax(&x)?.sqr()?.sum_all()?.backward()?;
            let second = first.get(&x).expect("the gradient of x").sqr()?.sum_all()?.backward()?;
            Ok::<_, candle_core::Error>(second.get(&x).expect("the second-order gradient of x").clone())
        };
        let expected = second(&Device::Cpu, &|x| ops::softmax(x, D::Minus1))?;
        for device in devices().into_iter().chain([Device::Cpu]) {
            let got = second(&device, &ops::softmax_last_dim)?;
            assert!(relative_error(&got, &expected)? < 1e-5);
        }
        return Ok(());
    };
    Ok(())
}
