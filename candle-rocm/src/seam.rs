//! candle's `Device::Rocm`, where candle-core has it: this crate as its backend.

mod quantized;

use std::sync::{Mutex, PoisonError};

use candle_core::rocm::{self, Backend, Registration};
use candle_core::{Device, Result};

use candle_core::quantized::GgmlDType;

use crate::hip::{Platform, Runtime};
use crate::quantized::QStorage;
use crate::{RocmDevice, RocmStorage};

impl Backend for RocmDevice {
    fn quantized_zeros(
        &self,
        elem_count: usize,
        dtype: GgmlDType,
    ) -> Result<Option<Box<dyn rocm::QuantizedStorage>>> {
        Ok(Some(Box::new(QStorage::zeros(self, elem_count, dtype)?)))
    }

    fn quantized_from_data(
        &self,
        data: &[u8],
        dtype: GgmlDType,
    ) -> Result<Option<Box<dyn rocm::QuantizedStorage>>> {
        Ok(Some(Box::new(QStorage::from_data(self, data, dtype)?)))
    }

    fn copy_of(&self, source: &RocmStorage) -> Result<RocmStorage> {
        use candle_core::backend::BackendStorage;

        Ok(RocmStorage::from_cpu(self, &source.to_cpu_storage()?)?)
    }
}

/// A device of its own, with a stream, a pool and a generator that `Device::new_rocm` does not share.
impl From<RocmDevice> for Device {
    fn from(device: RocmDevice) -> Self {
        Device::Rocm(rocm::RocmDevice::wrap(device))
    }
}

/// Makes `Device::new_rocm` work. Programs need not call it on Linux and Windows: it is called when they are loaded, if
/// they mention this crate (`use candle_rocm as _;`). False if another backend was there before.
pub fn register() -> bool {
    rocm::register(Registration { name: "candle-rocm", count, open })
}

#[used]
#[cfg_attr(any(target_os = "linux", target_os = "android"), unsafe(link_section = ".init_array"))]
#[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
static REGISTER: extern "C" fn() = {
    extern "C" fn at_load() {
        // Before main there is nobody to tell; a second copy of this crate in the program loses.
        let _ = register();
    }
    at_load
};

fn count() -> Result<usize> {
    Ok(Runtime::get(Platform::current()?)?.device_count()?)
}

/// One device per number: tensors of a program that asks twice for `Device::new_rocm(0)` mix.
fn open(ordinal: usize) -> Result<rocm::RocmDevice> {
    static OPEN: Mutex<Vec<(Platform, usize, rocm::RocmDevice)>> = Mutex::new(Vec::new());

    let platform = Platform::current()?;
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, _, device)) = open.iter().find(|(p, o, _)| (*p, *o) == (platform, ordinal)) {
        return Ok(device.clone());
    }
    let device = rocm::RocmDevice::wrap(RocmDevice::on(platform, ordinal)?);
    open.push((platform, ordinal, device.clone()));
    Ok(device)
}
