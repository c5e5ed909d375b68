//! Operations for which the backend has no kernel, tested with the CPU behind `Device::Rocm`.

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::rocm::relative_error;
use candle_core::{DType, Device, Module, Result, Tensor};
use candle_rocm_tests::{random, stand_in};

type Rows = Vec<Vec<f32>>;

/// softmax(q kᵀ scale + bias) v for one head, in plain loops.
fn attention(q: &Rows, k: &Rows, v: &Rows, scale: f32, cap: f32, bias: &dyn Fn(usize, usize) -> f32) -> Rows {
    let row = |(i, q): (usize, &Vec<f32>)| {
        let weight = |(j, k): (usize, &Vec<f32>)| {
            let score = q.iter().zip(k).map(|(q, k)| q * k).sum::<f32>() * scale;
            let score = if cap == 1. { score } else { (score / cap).tanh() * cap };
            (score + bias(i, j)).exp()
        };
        let weights: Vec<f32> = k.iter().enumerate().map(weight).collect();
        let sum: f32 = weights.iter().sum();
        let column = |c: usize| weights.iter().zip(v).map(|(w, v)| w * v[c]).sum::<f32>() / sum;
        (0..v[0].len()).map(column).collect()
    };
    q.iter().enumerate().map(row).collect()
}

#[test]
fn attention_is_composed_on_the_device() -> Result<()> {
    let device = stand_in();
    let (b, h, kv_heads, t, s, d, d_v) = (2, 4, 2, 3, 5, 8, 6);
    let (q, k, v) = (random((b, h, t, d))?, random((b, kv_heads, s, d))?, random((b, kv_heads, s, d_v))?);
    let mask = random((b, h, t, s))?;
    let (scale, none) = (0.4, f32::NEG_INFINITY);
    for (causal, cap, masked) in [(false, 1., false), (true, 1., false), (false, 2., true), (true, 3., true)]
    {
        let to = |t: &Tensor| t.to_device(&device);
        let given = masked.then(|| to(&mask)).transpose()?;
        let y = candle_nn::ops::sdpa(&to(&q)?, &to(&k)?, &to(&v)?, given.as_ref(), causal, scale, cap)?;
        assert_eq!(y.dims(), [b, h, t, d_v]);
        for batch in 0..b {
            for head in 0..h {
                let of = |t: &Tensor, head: usize| t.get(batch)?.get(head)?.to_vec2::<f32>();
                let mask = of(&mask, head)?;
                let bias = |i: usize, j: usize| {
                    let visible = !causal || j <= i + (s - t);
                    if visible { if masked { mask[i][j] } else { 0. } } else { none }
                };
                let kv_head = head / (h / kv_heads);
                let expected =
                    attention(&of(&q, head)?, &of(&k, kv_head)?, &of(&v, kv_head)?, scale, cap, &bias);
                let expected = Tensor::new(expected, &Device::Cpu)?;
                assert!(
                    relative_error(&y.get(batch)?.get(head)?, &expected)? < 1e-5,
                    "{causal} {cap} {masked}"
                );
            }
        }
    }
    let error = candle_nn::ops::sdpa(
        &random((1, 3, 1, 8))?.to_device(&device)?,
        &k.to_device(&device)?,
        &v.to_device(&device)?,
        None,
        false,
        1.,
        1.,
    );
    assert!(error.unwrap_err().to_string().contains("3 query heads are not a multiple of 2 key heads"));
    Ok(())
}

#[test]
fn quantized_tensors_work_without_quantized_kernels() -> Result<()> {
    let device = stand_in();
    let weights = random((16, 256))?;
    let x = random((2, 3, 256))?;
    for dtype in [GgmlDType::Q4_0, GgmlDType::Q8_0, GgmlDType::Q4K, GgmlDType::Q6K] {
        let cpu = QTensor::quantize(&weights, dtype)?;
        let here = QTensor::quantize(&weights.to_device(&device)?, dtype)?;
        let onto = QTensor::quantize_onto(&weights, dtype, &device)?;
        assert!(here.device().is_rocm() && onto.device().is_rocm());
        assert_eq!((here.data()?, onto.data()?), (cpu.data()?, cpu.data()?));
        assert_eq!(here.storage_size_in_bytes(), cpu.storage_size_in_bytes());
        let dense = cpu.dequantize(&Device::Cpu)?;
        assert_eq!(here.dequantize(&device)?.to_vec2::<f32>()?, dense.to_vec2::<f32>()?);

        let expected = x.broadcast_matmul(&dense.t()?)?;
        let y = QMatMul::from_qtensor(here)?.forward(&x.to_device(&device)?)?;
        assert!(y.device().is_rocm());
        assert!(relative_error(&y, &expected)? < 1e-5);
        let half = QMatMul::from_qtensor(onto)?.forward(&x.to_dtype(DType::F16)?.to_device(&device)?)?;
        assert_eq!(half.dtype(), DType::F16);
        assert!(relative_error(&half, &expected)? < 2e-3);
    }
    Ok(())
}

#[test]
fn quantized_embeddings_and_experts() -> Result<()> {
    let device = stand_in();
    let weights = random((4, 8, 64))?;
    let quantized = QTensor::quantize(&weights.to_device(&device)?, GgmlDType::Q8_0)?;
    let dense = quantized.dequantize(&Device::Cpu)?;
    let (x, ids) = (random((3, 1, 64))?, Tensor::new(&[[0u32, 3], [2, 2], [1, 0]], &Device::Cpu)?);
    let y = quantized.indexed_moe_forward(&x.to_device(&device)?, &ids.to_device(&device)?)?;
    assert_eq!(y.dims(), [3, 2, 8]);
    for (token, experts) in ids.to_vec2::<u32>()?.into_iter().enumerate() {
        for (slot, expert) in experts.into_iter().enumerate() {
            let expected = dense.get(expert as usize)?.matmul(&x.get(token)?.t()?)?.squeeze(1)?;
            assert!(relative_error(&y.get(token)?.get(slot)?, &expected)? < 1e-5);
        }
    }

    let table = QTensor::quantize(&weights.reshape((32, 64))?.to_device(&device)?, GgmlDType::Q8_0)?;
    let rows = table.embedding(&Tensor::new(&[[31u32, 0], [5, 5]], &device)?)?;
    let expected =
        dense.reshape((32, 64))?.index_select(&Tensor::new(&[31u32, 0, 5, 5], &Device::Cpu)?, 0)?;
    assert!(rows.device().is_rocm());
    assert_eq!(rows.reshape((4, 64))?.to_vec2::<f32>()?, expected.to_vec2::<f32>()?);
    Ok(())
}
