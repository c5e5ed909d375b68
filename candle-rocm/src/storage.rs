//! The memory of one tensor on one device. Operations on it are in the rooms named after them; candle's trait, which has most of
//! them, in `backend_storage.rs`.

use candle_core::{CpuStorage, DType, WithDType};

use crate::{RocmDevice, RocmError, RocmStorageSlice};

/// A tensor's memory on a ROCm device.
#[derive(Debug)]
pub struct RocmStorage {
    /// The elements.
    pub slice: RocmStorageSlice,
    /// The device they live on.
    pub device: RocmDevice,
}

impl RocmStorage {
    /// Uninitialised memory for `len` elements; what it holds must not matter to anyone before it is written.
    pub(crate) fn uninit(device: &RocmDevice, len: usize, dtype: DType) -> Result<Self, RocmError> {
        Ok(Self { slice: RocmStorageSlice::uninit(device, len, dtype)?, device: device.clone() })
    }

    /// `len` zeros.
    pub(crate) fn zeros(device: &RocmDevice, len: usize, dtype: DType) -> Result<Self, RocmError> {
        Ok(Self { slice: RocmStorageSlice::zeros(device, len, dtype)?, device: device.clone() })
    }

    /// A copy of what the CPU holds.
    pub(crate) fn from_cpu(device: &RocmDevice, data: &CpuStorage) -> Result<Self, RocmError> {
        Ok(Self { slice: RocmStorageSlice::upload(device, data)?, device: device.clone() })
    }

    /// A copy of a slice.
    pub(crate) fn from_slice<T: WithDType>(device: &RocmDevice, data: &[T]) -> Result<Self, RocmError> {
        // candle's placeholder types panic when asked for their data: they have none.
        if std::mem::size_of::<T>() == 0 {
            return Err(RocmError::UnsupportedDType { op: "storage_from_slice", dtype: T::DTYPE });
        }
        let slice = RocmStorageSlice::upload_ref(device, T::cpu_storage_ref(data))?;
        Ok(Self { slice, device: device.clone() })
    }

    /// A copy on another device, queued there behind the work that makes this one. Between platforms it goes through the CPU.
    ///
    /// # Errors
    /// Those of allocation and of the copy.
    pub fn copy_to(&self, device: &RocmDevice) -> Result<Self, RocmError> {
        Ok(Self { slice: self.slice.copy_to(&self.device, device)?, device: device.clone() })
    }

    /// This result, on the device of `self`.
    pub(crate) fn with(&self, slice: RocmStorageSlice) -> Self {
        Self { slice, device: self.device.clone() }
    }

    /// Operands of one operation live on one device: pools and streams are not shared.
    pub(crate) fn same_device(&self, op: &'static str, other: &Self) -> Result<(), RocmError> {
        self.device.check_same(&other.device, op)
    }
}
