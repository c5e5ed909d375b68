//! Gradients of fused operations: run by the backend, counted, and equal to those of composed operations on the CPU in f32.

use candle_core::rocm::{backward_declined, backward_taken, relative_error};
use candle_core::{D, DType, Device, Result, Tensor, Var};
use candle_nn::{Module, ops, rotary_emb};
use candle_rocm_tests::{devices, in_child, random, stand_in};

const FLOATS: [DType; 4] = [DType::F32, DType::F16, DType::BF16, DType::F64];

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

/// Compares the gradients of `fused` on each device with those of `composed` on the CPU. With a `name`, the backend must have kernels
/// for them.
fn agrees(
    name: Option<&str>,
    operands: &[Tensor],
    dims: &[usize],
    fused: impl Fn(&[Tensor]) -> Result<Tensor>,
    composed: impl Fn(&[Tensor]) -> Result<Tensor>,
) -> Result<()> {
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
                // Other tests count at the same time, but none declines.
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
