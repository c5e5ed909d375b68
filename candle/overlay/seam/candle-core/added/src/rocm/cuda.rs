//! CUDA's names for ROCm devices, where candle is built without CUDA: programs that were written for CUDA run as they are.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::OnceLock;

use super::registry;
use crate::{Device, Error, Result};

/// What CUDA's names mean in a candle that is built without CUDA. With candle's feature `cuda`, they always mean CUDA.
///
/// Printed tensors say `rocm` in any case. The variant of `Device`, `Storage` and `DeviceLocation` is CUDA's, so that a program that
/// matches all of them compiles. With candle's feature `rocm` or `cuda`, there is another variant, `Rocm`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AsCuda {
    /// [`Device::new_cuda`], [`Device::new_cuda_with_stream`] and [`Device::cuda_if_available`] return a ROCm device, and
    /// [`Device::is_cuda`] is true for every ROCm device, because programs use it to choose bf16 or f16 instead of f32. The default.
    On,
    /// They return a ROCm device, but `is_cuda` is false: for programs that rely on it to have CUDA kernels of their own.
    Devices,
    /// They return what they do without candle-rocm: the CPU, or an error.
    Off,
}

const ALL: [AsCuda; 3] = [AsCuda::On, AsCuda::Devices, AsCuda::Off];

/// The choice's index in `ALL` plus 1; 0 as long as there is none.
static CHOSEN: AtomicU8 = AtomicU8::new(0);

static UNLESS_CHOSEN: OnceLock<fn() -> Option<AsCuda>> = OnceLock::new();

/// Sets what CUDA's names mean in this process, overriding `CANDLE_ROCM_AS_CUDA`.
pub fn set_as_cuda(choice: AsCuda) {
    CHOSEN.store(choice as u8 + 1, Ordering::Relaxed);
}

/// What CUDA's names mean in this process.
pub fn as_cuda() -> AsCuda {
    if cfg!(feature = "cuda") {
        return AsCuda::Off;
    }
    if let Some(choice) = chosen() {
        return choice;
    }
    // Without a backend there is nothing to choose, but one may come yet.
    let Some(unless_chosen) = UNLESS_CHOSEN.get() else { return AsCuda::On };
    let value = unless_chosen().unwrap_or(AsCuda::On) as u8 + 1;
    // A choice that another thread made meanwhile stays.
    let _ = CHOSEN.compare_exchange(0, value, Ordering::Relaxed, Ordering::Relaxed);
    chosen().unwrap_or(AsCuda::On)
}

fn chosen() -> Option<AsCuda> {
    ALL.get(usize::from(CHOSEN.load(Ordering::Relaxed)).checked_sub(1)?).copied()
}

/// For backends: sets the function that makes the choice when it is first needed, unless [`set_as_cuda`] was called.
pub fn as_cuda_unless_set(choice: fn() -> Option<AsCuda>) {
    // The first backend counts.
    let _ = UNLESS_CHOSEN.set(choice);
}

/// The ROCm device that `Device::new_cuda` gives, if it does not give a CUDA device.
pub(crate) fn new_cuda(ordinal: usize) -> Result<Option<Device>> {
    match as_cuda() {
        AsCuda::Off if cfg!(feature = "cuda") => return Ok(None),
        AsCuda::Off => return Err(Error::NotCompiledWithCudaSupport),
        AsCuda::On | AsCuda::Devices => {}
    }
    registry::open(ordinal).map(|device| Some(Device::Rocm(device))).map_err(|error| {
        error.context("no ROCm device takes CUDA's place, and the candle crate has not been built with cuda support:")
    })
}

/// Whether `Device::new_cuda` gives a ROCm device, and there is one.
pub(crate) fn cuda_is_available() -> bool {
    as_cuda() != AsCuda::Off && registry::is_available()
}

/// What `Device::is_cuda` says of ROCm devices.
pub(crate) fn is_cuda() -> bool {
    as_cuda() == AsCuda::On
}
