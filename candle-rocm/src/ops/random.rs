//! Random tensors from the device's Philox generator; launches `random.hip`, whose comments define the numbers.

use candle_core::DType;
use half::{bf16, f16};
use rocm_kernels::RANDOM;

use super::{KernelName, blocks};
use crate::{RocmDType, RocmDevice, RocmError, RocmStorage};

/// A distribution: its name for errors, its kernels, and its two parameters.
struct Distribution {
    op: &'static str,
    kernel: &'static str,
    parameters: [f64; 2],
}

impl Distribution {
    fn draw(&self, device: &RocmDevice, len: usize, dtype: DType) -> Result<RocmStorage, RocmError> {
        let slice = match dtype {
            DType::F32 => self.launch::<f32>(device, len),
            DType::F64 => self.launch::<f64>(device, len),
            DType::F16 => self.launch::<f16>(device, len),
            DType::BF16 => self.launch::<bf16>(device, len),
            _ => Err(RocmError::UnsupportedDType { op: self.op, dtype }),
        }?;
        Ok(RocmStorage { slice, device: device.clone() })
    }

    fn launch<T: RocmDType>(
        &self,
        device: &RocmDevice,
        len: usize,
    ) -> Result<crate::RocmStorageSlice, RocmError> {
        let mut out = device.alloc::<T>(len)?;
        if len == 0 {
            return Ok(T::wrap(out));
        }
        let (seed, offset) = device.next_random(len as u64);
        let [a, b] = self.parameters.map(T::from_f64);
        let name = KernelName::new(format_args!("{}_{}", self.kernel, T::KERNEL_DTYPE));
        let mut launch = device.launch(&RANDOM, name.as_str());
        launch.arg(&len).arg(&seed).arg(&offset).arg(&a).arg(&b).buffer_mut(&mut out, 0);
        // SAFETY: rand_*(numel, seed, offset, a, b, out); out has numel elements.
        unsafe { launch.run(blocks(device, len, size_of::<T>(), true)) }?;
        Ok(T::wrap(out))
    }
}

/// `len` numbers, uniform in `[lo, up)`.
pub(crate) fn uniform(
    device: &RocmDevice,
    len: usize,
    dtype: DType,
    lo: f64,
    up: f64,
) -> Result<RocmStorage, RocmError> {
    let op = "rand_uniform";
    if !(lo.is_finite() && up.is_finite() && lo <= up) {
        let message = format!("needs finite bounds in ascending order, not {lo} and {up}");
        return Err(RocmError::InvalidArgument { op, message });
    }
    Distribution { op, kernel: op, parameters: [lo, up] }.draw(device, len, dtype)
}

/// `len` numbers, normally distributed.
pub(crate) fn normal(
    device: &RocmDevice,
    len: usize,
    dtype: DType,
    mean: f64,
    std: f64,
) -> Result<RocmStorage, RocmError> {
    let op = "rand_normal";
    if !(mean.is_finite() && std.is_finite()) {
        let message = format!("needs a finite mean and standard deviation, not {mean} and {std}");
        return Err(RocmError::InvalidArgument { op, message });
    }
    Distribution { op, kernel: op, parameters: [mean, std] }.draw(device, len, dtype)
}
