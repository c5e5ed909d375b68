//! Random tensors: Philox4x32-10 (Salmon et al. 2011), and Box and Muller's transform (1958) for normal ones; launches
//! `random.hip`, whose comments define the numbers.

use candle_core::DType;
use rocm_kernels::RANDOM;

use crate::common::launch::KernelName;
use crate::dtype::each_16_to_64_bit_float;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

/// A distribution: its name, which is its kernels', and its two parameters with what they must be.
struct Distribution {
    op: &'static str,
    parameters: [f64; 2],
    ascending: bool,
    needs: &'static str,
}

impl Distribution {
    fn draw(&self, device: &RocmDevice, len: usize, dtype: DType) -> Result<RocmStorage, RocmError> {
        let slice = each_16_to_64_bit_float!(dtype, T => self.launch::<T>(device, len), else {
            Err(RocmError::UnsupportedDType { op: self.op, dtype })
        })?;
        Ok(RocmStorage::new(slice, device.clone()))
    }

    fn launch<T: RocmDType>(&self, device: &RocmDevice, len: usize) -> Result<RocmStorageSlice, RocmError> {
        let [a, b] = self.parameters.map(T::from_f64);
        // Bounds whose distance is not finite either leave no number to draw.
        let finite = [a.to_f64(), b.to_f64(), b.to_f64() - a.to_f64()].iter().all(|x| x.is_finite());
        if !finite || (self.ascending && self.parameters[0] > self.parameters[1]) {
            let [a, b] = self.parameters;
            let message = format!("{}, not {a} and {b}, as {}", self.needs, T::DTYPE.as_str());
            return Err(RocmError::InvalidArgument { op: self.op, message });
        }
        let mut out = device.alloc::<T>(len)?;
        if len == 0 {
            return Ok(T::wrap(out));
        }
        // A block of 128 random bits makes four numbers, or two of f64.
        let numbers_per_block = if T::DTYPE == DType::F64 { 2 } else { 4 };
        let (seed, offset) = device.next_random(len.div_ceil(numbers_per_block) as u64);
        let name = KernelName::new(format_args!("{}_{}", self.op, T::KERNEL_DTYPE));
        let mut launch = device.launch(&RANDOM, name.as_str());
        launch.arg(&len).arg(&seed).arg(&offset).arg(&a).arg(&b).buffer_mut(&mut out, 0);
        // SAFETY: rand_*(numel, seed, offset, a, b, out); out has numel elements.
        unsafe { launch.run(device.grid_stride(len, size_of::<T>(), true)) }?;
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
    let needs = "needs finite bounds in ascending order";
    Distribution { op: "rand_uniform", parameters: [lo, up], ascending: true, needs }.draw(device, len, dtype)
}

/// `len` numbers, normally distributed.
pub(crate) fn normal(
    device: &RocmDevice,
    len: usize,
    dtype: DType,
    mean: f64,
    std: f64,
) -> Result<RocmStorage, RocmError> {
    let needs = "needs a finite mean and standard deviation";
    Distribution { op: "rand_normal", parameters: [mean, std], ascending: false, needs }
        .draw(device, len, dtype)
}
