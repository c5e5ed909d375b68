//! crane-core's fused operations, whose HIP kernels candle compiles, against candle's operations on the CPU.

use candle_core::{D, DType, Device, Result, Tensor};
use crane_core::ops::gdn::{
    GdnDims, GdnLayerCache, VHeadOrder, apply_recurrence, gated_delta_rule_recurrence, gdn_recurrence_rocm,
};
use crane_core::ops::{fused_silu_mul, gpu_argmax, portable, topk_indices};

/// The ROCm devices: the CPU platform's, with wavefronts of 32 and of 64, unless the environment says otherwise.
fn devices() -> Result<Vec<Device>> {
    let count = match std::env::var_os("CANDLE_ROCM_PLATFORM") {
        None => {
            candle_rocm::hip::set_default_platform(candle_rocm::platform::HOST);
            2
        }
        Some(platform) => 1 + usize::from(platform == "host"),
    };
    (0..count).map(Device::new_rocm).collect()
}

/// Numbers that look random, the same each time.
fn numbers(shape: &[usize], seed: u64) -> Result<Tensor> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 40) as f32) / (1u32 << 23) as f32 - 1.
    };
    let numbers: Vec<f32> = (0..shape.iter().product()).map(|_| next()).collect();
    Tensor::from_vec(numbers, shape, &Device::Cpu)
}

/// The largest difference, relative to the largest number.
fn error(actual: &Tensor, expected: &Tensor) -> Result<f32> {
    candle_core::rocm::relative_error(actual, expected)
}

#[test]
fn fused_silu_mul_in_three_dtypes() -> Result<()> {
    const INTERMEDIATE: usize = 75;
    for device in devices()? {
        for (dtype, tolerance) in [(DType::F32, 1e-6), (DType::F16, 1e-3), (DType::BF16, 8e-3)] {
            // A view: the kernel starts in the midst of the memory, and the elements are still to be computed.
            let x = (numbers(&[3, 5, 2 * INTERMEDIATE], 1)?.to_device(&device)?.to_dtype(dtype)? * 4.)?;
            let x = x.narrow(0, 1, 2)?;
            let y = fused_silu_mul(&x, INTERMEDIATE)?;
            assert_eq!((y.dims(), y.dtype()), (&[2, 5, INTERMEDIATE][..], dtype));

            let x = x.to_device(&Device::Cpu)?.to_dtype(DType::F32)?;
            let (gate, up) =
                (x.narrow(D::Minus1, 0, INTERMEDIATE)?, x.narrow(D::Minus1, INTERMEDIATE, INTERMEDIATE)?);
            let expected = (candle_nn::ops::silu(&gate)? * up)?;
            let error = error(&y, &expected)?;
            assert!(error < tolerance, "{dtype:?} on {device:?}: {error}");
            // The result is a tensor like any other.
            let sum = y.to_dtype(DType::F32)?.sum_all()?;
            let expected = y.to_device(&Device::Cpu)?.to_dtype(DType::F32)?.sum_all()?;
            assert!((sum.to_scalar::<f32>()? - expected.to_scalar::<f32>()?).abs() < 1e-3);
        }
        let x = numbers(&[2, 4], 1)?.to_device(&device)?;
        assert!(fused_silu_mul(&x.t()?, 1).unwrap_err().to_string().contains("contiguous"));
        assert!(fused_silu_mul(&x.to_dtype(DType::F64)?, 2).unwrap_err().to_string().contains("dtype F64"));
    }
    Ok(())
}

#[test]
fn top_k_of_many_lengths() -> Result<()> {
    for device in devices()? {
        for n in [1, 2, 40, 1023, 4097, 20_011] {
            let logits = numbers(&[n], n as u64)?;
            let on_device = logits.to_device(&device)?;
            // Not 512: with so many, threads of crane-core's kernel count what is next while others still read the count, to decide
            // whether all of them meet at a barrier. The CPU platform reports that they do not.
            for k in [1, 7, 40, 128, 513].into_iter().filter(|k| *k <= n) {
                let expected = portable::topk_indices(&logits, k)?.to_vec1::<u32>()?;
                assert_eq!(topk_indices(&on_device, k)?.to_vec1::<u32>()?, expected, "{k} of {n}");
            }
        }
        // Of equal ones, those in front.
        let logits: Vec<f32> = (0..9000).map(|i| (i % 4) as f32).collect();
        let top = topk_indices(&Tensor::new(logits, &device)?, 64)?.to_vec1::<u32>()?;
        assert_eq!(top, (0..64).map(|i| 4 * i + 3).collect::<Vec<u32>>());
        assert_eq!(gpu_argmax(&Tensor::new(&[1f32, 5., 2.], &device)?)?, 1);
    }
    Ok(())
}

/// The kernel for heads of 128, and the one for others.
#[test]
fn the_recurrence_of_gated_delta_nets() -> Result<()> {
    let (b, s, h, v_dim) = (2, 9, 3, 40);
    for device in devices()? {
        for k_dim in [128, 24] {
            let [q, k] = [1, 2].map(|seed| numbers(&[b, s, h, k_dim], seed));
            let (q, k, v) = (q?, (k? * 0.1)?, numbers(&[b, s, h, v_dim], 3)?);
            let g = (numbers(&[b, s, h], 4)? * 0.05)?.affine(1., -0.1)?;
            let beta = numbers(&[b, s, h], 5)?.affine(0.5, 0.5)?;
            let state = numbers(&[b, h, k_dim, v_dim], 6)?;

            let mut expected_state = state.clone();
            let expected = gated_delta_rule_recurrence(&q, &k, &v, &g, &beta, &mut expected_state)?;

            let heads = |t: &Tensor| t.to_device(&device)?.transpose(1, 2)?.contiguous()?.flatten(0, 1);
            let (y, state) = gdn_recurrence_rocm(
                &heads(&(q / (k_dim as f64).sqrt())?)?,
                &heads(&k)?,
                &heads(&v)?,
                &heads(&g)?,
                &heads(&beta)?,
                &state.to_device(&device)?.flatten(0, 1)?,
            )?;
            let y = y.reshape((b, h, s, v_dim))?.transpose(1, 2)?;
            let state = state.reshape((b, h, k_dim, v_dim))?;
            let errors = (error(&y, &expected)?, error(&state, &expected_state)?);
            assert!(errors.0 < 1e-5 && errors.1 < 1e-5, "K = {k_dim} on {device:?}: {errors:?}");
        }
    }
    Ok(())
}

/// What models call: the kernel on the device, candle's operations on the CPU.
#[test]
fn the_recurrence_as_models_call_it() -> Result<()> {
    let (s, h, k_dim, v_dim) = (5, 2, 16, 8);
    let dims = GdnDims {
        hidden_size: h * v_dim,
        num_k_heads: h,
        num_v_heads: h,
        head_k_dim: k_dim,
        head_v_dim: v_dim,
        conv_kernel_size: 4,
        key_dim: h * k_dim,
        value_dim: h * v_dim,
        conv_dim: 2 * h * k_dim + h * v_dim,
        v_per_group: 1,
        v_head_order: VHeadOrder::default(),
    };
    let run = |device: &Device| -> Result<(Tensor, Tensor)> {
        let input = |shape: &[usize], seed| (numbers(shape, seed)? * 0.3)?.to_device(device);
        let [q, k] = [1, 2].map(|seed| input(&[1, s, h, k_dim], seed));
        let (q, k, v) = (q?, k?, input(&[1, s, h, v_dim], 3)?);
        let [g, beta] = [4, 5].map(|seed| input(&[1, s, h], seed));
        let (conv_state, recurrent_state) = (input(&[1], 6)?, input(&[1, h, k_dim, v_dim], 7)?);
        let mut cache = GdnLayerCache { conv_state, recurrent_state };
        let y = apply_recurrence(&q, &k, &v, &g?, &beta?, &dims, 1, s, &mut cache, DType::F32)?;
        Ok((y, cache.recurrent_state))
    };
    let expected = run(&Device::Cpu)?;
    for device in devices()? {
        let (y, state) = run(&device)?;
        assert!(y.device().is_rocm());
        let errors = (error(&y, &expected.0)?, error(&state, &expected.1)?);
        assert!(errors.0 < 1e-5 && errors.1 < 1e-5, "{device:?}: {errors:?}");
    }
    Ok(())
}
