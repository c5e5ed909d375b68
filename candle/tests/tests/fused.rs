//! Fused operations: run by the backend, counted, and equal to the CPU.

use candle_core::rocm::{FUSED_OPS, fused_declined, fused_taken};
use candle_core::{D, DType, Device, Result, Tensor};
use candle_nn::{ops, rotary_emb};
use candle_rocm_tests::{FLOATS, INTEGERS, MODEL_FLOATS, devices, random, stand_in};

/// Relative to the largest value. The reference is always f32, since the CPU rounds half types after every step and has no norms for f64.
/// What remains is one rounding, the order of additions and the last bits of the exponential.
fn tolerance(dtype: DType) -> f32 {
    match dtype {
        DType::BF16 => 8e-3,
        DType::F16 => 1e-3,
        _ => 2e-6,
    }
}

/// Runs `op` with the same inputs on the CPU and on each device. The backend must run the fused operation `name` once per data type.
fn agrees(name: &str, inputs: &[Tensor], op: impl Fn(&[Tensor]) -> Result<Tensor>) -> Result<()> {
    for device in devices() {
        let (taken, declined) = (fused_taken(name), fused_declined(name));
        for dtype in FLOATS {
            let inputs: Vec<Tensor> = inputs.iter().map(|x| x.to_dtype(dtype)).collect::<Result<_>>()?;
            let there: Vec<Tensor> = inputs.iter().map(|x| x.to_device(&device)).collect::<Result<_>>()?;
            let inputs: Vec<Tensor> = inputs.iter().map(|x| x.to_dtype(DType::F32)).collect::<Result<_>>()?;
            let (expected, y) = (op(&inputs)?, op(&there)?);
            assert!(y.device().is_rocm() && y.dtype() == dtype, "{name} {dtype:?}");
            let error = candle_core::rocm::relative_error(&y, &expected)?;
            assert!(error <= tolerance(dtype), "{name} {dtype:?}: {error}");
        }
        assert_eq!(fused_taken(name), taken + FLOATS.len() as u64, "{name}");
        assert_eq!(fused_declined(name), declined, "{name}");
    }
    Ok(())
}

#[test]
fn sigmoid() -> Result<()> {
    // A transposed input.
    agrees("sigmoid", &[random(&[3, 5, 33])?.transpose(0, 2)?], |x| ops::sigmoid(&x[0]))
}

/// Along rows and across them.
#[test]
fn cumsum() -> Result<()> {
    agrees("cumsum", &[random(&[3, 5, 77])?], |x| x[0].cumsum(D::Minus1))?;
    agrees("cumsum", &[random(&[3, 5, 7])?.transpose(0, 1)?], |x| x[0].cumsum(1))?;
    devices().iter().try_for_each(running_sums_of_integers)
}

/// They keep the dtype and wrap, as candle's product with a triangle would; on the CPU, candle has no such products.
fn running_sums_of_integers(device: &Device) -> Result<()> {
    // A triangle would take 4 GB.
    let (rows, len) = (2, 32_000);
    let taken = fused_taken("cumsum");
    for dtype in INTEGERS {
        let x = Tensor::arange(0u32, rows * len, device)?
            .reshape((rows as usize, len as usize))?
            .to_dtype(dtype)?;
        let along = x.cumsum(1)?;
        let across = x.t()?.cumsum(0)?;
        assert_eq!((along.dtype(), across.dims()), (dtype, &[len as usize, rows as usize][..]));
        for sums in [along, across.t()?] {
            for (row, sums) in (0..).zip(sums.to_dtype(DType::I64)?.to_vec2::<i64>()?) {
                let mut sum = 0;
                for (column, got) in (0..).zip(sums) {
                    sum += row * i64::from(len) + column;
                    let want = match dtype {
                        DType::U8 => i64::from(sum as u8),
                        DType::U32 => i64::from(sum as u32),
                        DType::I16 => i64::from(sum as i16),
                        DType::I32 => i64::from(sum as i32),
                        _ => sum,
                    };
                    assert_eq!(got, want, "{dtype:?}: [{row}, {column}]");
                }
            }
        }
    }
    assert_eq!(fused_taken("cumsum"), taken + 10);
    Ok(())
}

#[test]
fn softmax_last_dim() -> Result<()> {
    agrees("softmax-last-dim", &[random(&[2, 3, 77])?], |x| ops::softmax_last_dim(&x[0]))
}

#[test]
fn rms_norm() -> Result<()> {
    agrees("rms-norm", &[random(&[2, 5, 96])?, random(&[96])?], |x| ops::rms_norm(&x[0], &x[1], 1e-5))
}

#[test]
fn layer_norm() -> Result<()> {
    let inputs = [(random(&[2, 5, 96])? + 1.)?, random(&[96])?, random(&[96])?];
    agrees("layer-norm", &inputs, |x| ops::layer_norm(&x[0], &x[1], &x[2], 1e-5))
}

/// Channels with one element, an odd number of elements, and whole vectors; one channel per group, and one group.
#[test]
fn group_norm() -> Result<()> {
    use candle_nn::{GroupNorm, Module};

    for (shape, groups) in [
        (&[2, 6, 1][..], 3),
        (&[3, 6, 5, 3], 2),
        (&[2, 8, 8, 8], 8),
        (&[1, 4, 3000], 1),
        (&[2, 32, 40, 40], 2),
    ] {
        let channels = shape[1];
        let inputs = [(random(shape)? * 3.)?.affine(1., 2.)?, random(&[channels])?, random(&[channels])?];
        agrees("group-norm", &inputs, |x| {
            GroupNorm::new(x[1].clone(), x[2].clone(), channels, groups, 1e-5)?.forward(&x[0])
        })?;
    }
    // A transposed input.
    for device in devices() {
        let x = random(&[3, 5, 6])?.transpose(1, 2)?;
        let factors = random(&[6])?;
        let norm = |device: &Device| {
            let factors = factors.to_device(device)?;
            GroupNorm::new(factors.clone(), factors, 6, 3, 1e-5)
        };
        let before = fused_taken("group-norm");
        let (y, expected) =
            (norm(&device)?.forward(&x.to_device(&device)?)?, norm(&Device::Cpu)?.forward(&x)?);
        assert!(candle_core::rocm::relative_error(&y, &expected)? < 2e-6);
        assert_eq!(fused_taken("group-norm"), before + 1);
    }
    Ok(())
}

/// `x` of the given shape, and the cosines and sines for 9 positions, of which candle uses the first.
fn rotary(shape: [usize; 4]) -> Result<[Tensor; 3]> {
    let angles = random(&[9, 12])?;
    Ok([random(&shape)?, angles.cos()?, angles.sin()?])
}

#[test]
fn rope() -> Result<()> {
    agrees("rope", &rotary([2, 3, 7, 24])?, |x| rotary_emb::rope(&x[0], &x[1], &x[2]))
}

#[test]
fn rope_i() -> Result<()> {
    agrees("rope-i", &rotary([2, 3, 7, 24])?, |x| rotary_emb::rope_i(&x[0], &x[1], &x[2]))
}

#[test]
fn rope_thd() -> Result<()> {
    agrees("rope-thd", &rotary([2, 7, 3, 24])?, |x| rotary_emb::rope_thd(&x[0], &x[1], &x[2]))
}

#[test]
fn argsort() -> Result<()> {
    for device in devices() {
        let before = fused_taken("argsort");
        let x = random(&[3, 2000])?;
        let there = x.to_device(&device)?;
        for ascending in [true, false] {
            let (values, indices) = there.sort_last_dim(ascending)?;
            let (expected, expected_indices) = x.sort_last_dim(ascending)?;
            assert_eq!(values.to_vec2::<f32>()?, expected.to_vec2::<f32>()?);
            // The CPU's sort is not stable, so compare the selected elements.
            let selected = x.gather(&indices.to_device(&Device::Cpu)?, D::Minus1)?.to_vec2::<f32>()?;
            assert_eq!(selected, x.gather(&expected_indices, D::Minus1)?.to_vec2::<f32>()?);
        }
        assert_eq!(fused_taken("argsort"), before + 2);
    }
    Ok(())
}

/// Six tokens are routed to two of four experts each, dense and quantized. The CPU has neither.
#[test]
fn mixtures_of_experts() -> Result<()> {
    use candle_core::quantized::{GgmlDType, QTensor};
    use candle_nn::moe::{moe_gemm, moe_gemm_gguf};

    let (tokens, experts, topk, n, k) = (6, 4, 2, 10, 64);
    let (x, weights) = (random(&[tokens, k])?, random(&[experts, n, k])?);
    let of: Vec<u32> = (0..tokens * topk).map(|row| (row * 7 % 5 % experts) as u32).collect();
    let mut sorted: Vec<(u32, u32)> = of.iter().copied().zip(0..).collect();
    sorted.sort_unstable();
    let (experts_of, rows): (Vec<u32>, Vec<u32>) = sorted.into_iter().unzip();
    let factors: Vec<f32> = (0..tokens * topk).map(|row| 0.1 + row as f32 / 10.).collect();
    // Row by row: the token's row (or one per slot) times the expert's matrix.
    let expected = |x: &Tensor, weights: &Tensor, per_token: usize, factors: Option<&[f32]>| {
        let row = |row: usize| {
            let y =
                weights.get(of[row] as usize)?.matmul(&x.get(row / per_token)?.unsqueeze(1)?)?.squeeze(1)?;
            y * f64::from(factors.map_or(1., |factors| factors[row]))
        };
        Tensor::stack(&(0..tokens * topk).map(row).collect::<Result<Vec<_>>>()?, 0)
    };
    for device in devices() {
        let to = |x: &Tensor| x.to_device(&device);
        let lists = (Tensor::new(rows.as_slice(), &device)?, Tensor::new(experts_of.as_slice(), &device)?);
        let before = (fused_taken("moe"), fused_declined("moe"));
        for dtype in MODEL_FLOATS {
            let (x_here, w_here) = (x.to_dtype(dtype)?, weights.to_dtype(dtype)?);
            let y = moe_gemm(&to(&x_here)?, &to(&w_here)?, &None, &lists.0, &lists.1, topk, true)?;
            let wide = (x_here.to_dtype(DType::F32)?, w_here.to_dtype(DType::F32)?);
            let error = candle_core::rocm::relative_error(&y, &expected(&wide.0, &wide.1, topk, None)?)?;
            assert!(y.dtype() == dtype && error <= tolerance(dtype), "{dtype:?}: {error}");
        }
        assert_eq!((fused_taken("moe"), fused_declined("moe")), (before.0 + 3, before.1));

        let quantized = QTensor::quantize(&to(&weights)?, GgmlDType::Q8_0)?;
        let dense = quantized.dequantize(&Device::Cpu)?;
        let y = moe_gemm_gguf(&to(&x)?, &quantized, &None, &lists.0, &lists.1, topk, false, DType::F16)?;
        // The inputs are quantized to 8 bits too.
        let error = candle_core::rocm::relative_error(&y, &expected(&x, &dense, topk, None)?)?;
        assert!(y.dtype() == DType::F32 && error < 2e-2, "{error}");
        let rows = random(&[tokens * topk, k])?;
        let scale = Some(Tensor::new(factors.as_slice(), &device)?);
        let y = moe_gemm_gguf(&to(&rows)?, &quantized, &scale, &lists.0, &lists.1, topk, false, DType::F16)?;
        let error = candle_core::rocm::relative_error(&y, &expected(&rows, &dense, 1, Some(&factors))?)?;
        assert!(error < 2e-2, "{error}");

        // A missing kernel is not an error, and is counted as declined.
        let op = candle_core::rocm::FusedOp::Moe { topk, is_prefill: false };
        assert!(candle_core::rocm::offer(&op, &[&Tensor::zeros((2, 3), DType::U8, &device)?])?.is_none());
        assert_eq!((fused_taken("moe"), fused_declined("moe")), (before.0 + 3, before.1 + 1));
    }
    Ok(())
}

/// Shape mismatches are detected on the device, not on the CPU after a silent copy.
#[test]
fn shape_mismatches_are_errors() -> Result<()> {
    candle_core::rocm::forbid_fallback();
    for device in devices() {
        let x = random(&[2, 8])?.to_device(&device)?;
        let alpha = random(&[7])?.to_device(&device)?;
        let error = ops::rms_norm(&x, &alpha, 1e-5).unwrap_err().to_string();
        assert!(error.contains("[2, 8]") || error.contains("shape"), "{error}");
        let error = ops::softmax_last_dim(&x.t()?).unwrap_err().to_string();
        assert!(error.contains("softmax-last-dim"), "{error}");
    }
    Ok(())
}

/// candle has no attention kernel for the CPU: the reference is composed of operations.
#[test]
fn sdpa() -> Result<()> {
    let (b, heads, kv_heads, d) = (2, 4, 2, 32);
    for device in devices() {
        for (t, s) in [(1, 40), (30, 30)] {
            let (q, mask) = (random(&[b, heads, t, d])?, random(&[b, heads, t, s])?);
            let (k, v) = (random(&[b, kv_heads, s, d])?, random(&[b, kv_heads, s, d])?);
            for dtype in MODEL_FLOATS {
                let attend = |device: &Device, dtype: DType| {
                    let to = |x: &Tensor| x.to_dtype(dtype)?.to_device(device);
                    ops::sdpa(&to(&q)?, &to(&k)?, &to(&v)?, Some(&to(&mask)?), true, 0.3, 1.)
                };
                let before = (fused_taken("sdpa"), fused_declined("sdpa"));
                let y = attend(&device, dtype)?;
                assert_eq!((fused_taken("sdpa"), fused_declined("sdpa")), (before.0 + 1, before.1));
                assert_eq!((y.dtype(), y.dims()), (dtype, &[b, heads, t, d][..]));
                let error = candle_core::rocm::relative_error(&y, &attend(&stand_in(), DType::F32)?)?;
                // The reference uses unrounded operands, so half types also have the error of the scores.
                assert!(error <= 4. * tolerance(dtype), "{dtype:?}: {error}");
            }
        }
    }
    Ok(())
}

/// README.md's table of fused operations is made of [`FUSED_OPS`]; `CANDLE_ROCM_WRITE_FUSED_OPS=1` writes it.
#[test]
fn the_readme_lists_all() {
    const BEGIN: &str = "<!-- fused operations, made by this crate's tests -->\n";
    const END: &str = "<!-- end of fused operations -->";
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(&path).expect("README.md");
    let (before, rest) = readme.split_once(BEGIN).expect("README.md has a place for the table");
    let (there, after) = rest.split_once(END).expect("the table has an end");
    let rows = FUSED_OPS.iter().map(|(name, text)| format!("| `{name}` | {} |\n", text.trim()));
    let table = format!("| Name | Operands, and what is computed |\n|---|---|\n{}", rows.collect::<String>());
    if std::env::var_os("CANDLE_ROCM_WRITE_FUSED_OPS").is_some() {
        std::fs::write(&path, [before, BEGIN, &table, END, after].concat()).expect("README.md is written");
        return;
    }
    assert!(there == table, "README.md is not current; it should be:\n{table}");
}
