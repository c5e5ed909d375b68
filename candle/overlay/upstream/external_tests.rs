//! The CPU backend behind the variant for external devices gives what it gives without.

use candle_core::cpu_backend::CpuDevice;
use candle_core::external::{register, ExternalDevice, ExternalStorage, Registration};
use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{CpuStorage, CustomOp1, DType, Device, Layout, Module, Result, Shape, Tensor};

fn external() -> Device {
    let open = |_| Ok(ExternalDevice::wrap(CpuDevice));
    // Whichever test is first.
    register(Registration { name: "cpu", count: || Ok(1), open });
    Device::new_external(0).unwrap()
}

/// Computes on both devices, and compares the results and where they are.
fn same(compute: impl Fn(&Device) -> Result<Tensor>) {
    let (cpu, external) = (compute(&Device::Cpu).unwrap(), compute(&external()).unwrap());
    assert!(external.device().is_external());
    assert_eq!((cpu.dims(), cpu.dtype()), (external.dims(), external.dtype()));
    let values = |t: &Tensor| t.flatten_all().unwrap().to_dtype(DType::F64).unwrap().to_vec1::<f64>().unwrap();
    assert_eq!(values(&cpu), values(&external));
}

fn numbers(shape: impl Into<Shape>, device: &Device) -> Result<Tensor> {
    let shape = shape.into();
    let values: Vec<f32> = (0..shape.elem_count()).map(|i| ((i * 37 % 101) as f32 - 50.) / 25.).collect();
    Tensor::from_vec(values, shape, device)
}

#[test]
fn operations() {
    same(|d| numbers((2, 3), d)?.t()?.exp()?.affine(2., 1.));
    same(|d| (numbers((4, 5), d)? + numbers((4, 5), d)?.sqr()?)?.maximum(0.5));
    same(|d| numbers((3, 4), d)?.broadcast_add(&numbers(4, d)?)?.sum_keepdim(1));
    same(|d| numbers((2, 3, 4), d)?.matmul(&numbers((2, 4, 5), d)?));
    same(|d| numbers((6, 4), d)?.index_select(&Tensor::new(&[5u32, 0, 2], d)?, 0));
    same(|d| numbers((2, 3, 8, 8), d)?.conv2d(&numbers((4, 3, 3, 3), d)?, 1, 1, 1, 1));
    same(|d| Tensor::cat(&[numbers((2, 3), d)?, numbers((2, 5), d)?], 1));
    same(|d| numbers((3, 4), d)?.to_dtype(DType::BF16)?.gt(0f64));
    same(|d| numbers((5, 7), d)?.arg_sort_last_dim(true));
    same(|d| Tensor::zeros((2, 2), DType::I64, d)? + 3.0);
}

#[test]
fn gradients() {
    same(|d| {
        let x = candle_core::Var::from_tensor(&numbers((3, 4), d)?)?;
        let loss = x.matmul(&numbers((4, 2), d)?)?.sqr()?.sum_all()?;
        Ok(loss.backward()?.get(&x).unwrap().clone())
    });
}

#[test]
fn moves() -> Result<()> {
    let external = external();
    let x = numbers((2, 3), &Device::Cpu)?;
    let there = x.to_device(&external)?;
    assert!(there.device().is_external() && there.device().same_device(&external));
    assert_eq!(there.to_device(&Device::Cpu)?.to_vec2::<f32>()?, x.to_vec2::<f32>()?);
    assert!(there.add(&x).is_err(), "on different devices");
    assert!(external.as_external_device()?.downcast_ref::<CpuDevice>().is_some());
    Ok(())
}

#[test]
fn quantized() -> Result<()> {
    let product = |device: &Device| {
        let weights = QTensor::quantize_onto(&numbers((4, 256), &Device::Cpu)?, GgmlDType::Q8_0, device)?;
        QMatMul::from_qtensor(weights)?.forward(&numbers((3, 256), device)?)
    };
    let (expected, result) = (product(&Device::Cpu)?, product(&external())?);
    assert!(candle_core::external::relative_error(&result, &expected)? < 0.02);
    Ok(())
}

struct Twice;

impl CustomOp1 for Twice {
    fn name(&self) -> &'static str {
        "twice"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let doubled = storage.as_slice::<f32>()?.iter().map(|x| x * 2.).collect();
        Ok((CpuStorage::F32(doubled), layout.shape().clone()))
    }

    fn external_fwd(&self, storage: &ExternalStorage, layout: &Layout) -> Result<(ExternalStorage, Shape)> {
        let cpu = storage.downcast_ref::<CpuStorage>().expect("the backend's own type");
        let (storage_out, shape) = self.cpu_fwd(cpu, layout)?;
        Ok((ExternalStorage::wrap::<CpuDevice>(storage_out, storage.device()), shape))
    }
}

#[test]
fn custom_operations() {
    same(|d| numbers((2, 3), d)?.apply_op1_no_bwd(&Twice));
}
