//! The variant that holds what is on a ROCm device, for those who cannot name it: it depends on candle's features.

use super::{RocmDevice, RocmStorage};
use crate::{Device, DeviceLocation, Storage};

/// The location of a ROCm device's tensors.
pub fn location(ordinal: usize) -> DeviceLocation {
    DeviceLocation::Rocm { gpu_id: ordinal }
}

impl From<RocmDevice> for Device {
    fn from(device: RocmDevice) -> Self {
        Self::Rocm(device)
    }
}

impl From<RocmStorage> for Storage {
    fn from(storage: RocmStorage) -> Self {
        Self::Rocm(storage)
    }
}

impl RocmStorage {
    /// The storage of a tensor, if it is on a ROCm device.
    pub fn of(storage: &Storage) -> Option<&Self> {
        match storage {
            Storage::Rocm(storage) => Some(storage),
            _ => None,
        }
    }
}
