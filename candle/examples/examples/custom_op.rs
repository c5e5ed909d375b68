//! A custom operation with its own HIP kernel: how a third-party crate supports `Device::Rocm`.
//!
//! The kernel is compiled for the card at its first use. `cpu_fwd` implements the operation on the CPU. Without `rocm_fwd`, tensors on
//! a ROCm device would be copied to the CPU and back, with a warning.

use std::sync::{Mutex, PoisonError};

use candle_core::{CpuStorage, CustomOp1, Device, Error, Layout, Result, Shape, Tensor};
use candle_rocm::hip::{Device as HipDevice, Function};
use candle_rocm::{RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

/// `x * sigmoid(beta * x)`, elementwise.
struct Swish {
    beta: f32,
}

const SOURCE: &str = r#"
extern "C" __global__ void swish(size_t n, float beta, const float *x, float *y) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x) {
        y[i] = x[i] / (1.0f + expf(-beta * x[i]));
    }
}
"#;

/// The compiled kernel, once per card.
fn kernel(device: &RocmDevice) -> std::result::Result<Function, RocmError> {
    static COMPILED: Mutex<Vec<(HipDevice, Function)>> = Mutex::new(Vec::new());
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, function)) = compiled.iter().find(|(card, _)| *card == device.hip_device()) {
        return Ok(function.clone());
    }
    let function = device.compile("swish", SOURCE)?.function("swish")?;
    compiled.push((device.hip_device(), function.clone()));
    Ok(function)
}

impl CustomOp1 for Swish {
    fn name(&self) -> &'static str {
        "swish"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (CpuStorage::F32(x), Some((start, end))) = (storage, layout.contiguous_offsets()) else {
            candle_core::bail!("swish requires contiguous f32 tensors")
        };
        let y = x[start..end].iter().map(|x| x / (1. + (-self.beta * x).exp())).collect();
        Ok((CpuStorage::F32(y), layout.shape().clone()))
    }

    fn rocm_fwd(
        &self,
        storage: &candle_core::RocmStorage,
        layout: &Layout,
    ) -> Result<(candle_core::RocmStorage, Shape)> {
        let x: &RocmStorage =
            storage.downcast_ref().ok_or(Error::Msg("the storage does not belong to candle-rocm".into()))?;
        let (RocmStorageSlice::F32(buffer), Some((start, end))) = (x.slice()?, layout.contiguous_offsets())
        else {
            candle_core::bail!("swish requires contiguous f32 tensors")
        };
        let (device, n) = (&x.device, end - start);
        let mut y = device.alloc::<f32>(n)?;
        // SAFETY: the arguments match the kernel's parameters. It reads n elements from `start` on, which the layout guarantees to be in
        // bounds, and writes the n elements of `y`.
        unsafe {
            device
                .launch_function(&kernel(device)?)
                .arg(&n)
                .arg(&self.beta)
                .buffer(buffer, start)
                .buffer_mut(&mut y, 0)
                .run(device.grid_stride(n, size_of::<f32>(), true))?;
        }
        let y = RocmStorage::new(RocmStorageSlice::F32(y), device.clone());
        let y = candle_core::RocmStorage::wrap::<RocmDevice>(y, storage.device());
        Ok((y, layout.shape().clone()))
    }
}

fn main() -> Result<()> {
    candle_core::rocm::forbid_fallback();
    let x = Tensor::arange(-8f32, 8., &Device::Cpu)?;
    let expected = x.apply_op1(Swish { beta: 1.5 })?;
    let y = x.to_device(&Device::new_rocm(0)?)?.apply_op1(Swish { beta: 1.5 })?;
    println!("{y}");
    let error = candle_core::rocm::relative_error(&y, &expected)?;
    println!("largest difference from the CPU, relative to the largest value: {error:.1e}");
    if error > 1e-6 {
        candle_core::bail!("the kernel's result is wrong")
    }
    Ok(())
}

#[test]
fn runs_without_a_card() -> Result<()> {
    if std::env::var_os("CANDLE_ROCM_PLATFORM").is_none() {
        candle_rocm::hip::set_default_platform(candle_rocm::platform::HOST);
    }
    main()
}
