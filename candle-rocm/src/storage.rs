//! The memory of one tensor on one device. Operations on it are in the rooms named after them; candle's trait, which has most of
//! them, in `backend_storage.rs`.

mod value;

use std::ptr;
use std::sync::Arc;

use candle_core::{CpuStorage, DType, WithDType};

use crate::{RocmDevice, RocmError, RocmStorageSlice};
use value::Held;
pub(crate) use value::{Failure, Timestamp, Value};

/// A tensor's memory on a ROCm device.
#[derive(Debug)]
pub struct RocmStorage {
    value: Held,
    /// The device that the memory is on.
    pub device: RocmDevice,
}

impl RocmStorage {
    /// Creates a storage from elements that exist already or are written by queued work.
    pub fn new(slice: RocmStorageSlice, device: RocmDevice) -> Self {
        Self { value: Held::new(Arc::new(Value::new(slice))), device }
    }

    /// What an operation will give that was recorded.
    pub(crate) fn of(value: Arc<Value>, device: RocmDevice) -> Self {
        Self { value: Held::new(value), device }
    }

    /// The same for the time of a call.
    ///
    /// # Safety
    /// It is never dropped, and `value` and `device` live longer.
    pub(crate) unsafe fn borrowed(value: &Arc<Value>, device: &RocmDevice) -> Self {
        // SAFETY: as the caller says.
        unsafe { Self { value: Held::borrowed(value), device: ptr::read(device) } }
    }

    pub(crate) fn value(&self) -> &Arc<Value> {
        &self.value
    }

    /// The elements. If they depend on [recorded](crate::Fusion) operations, those are submitted to the stream first; likewise if an
    /// [operation with effects](crate::ExternalOp::has_effects) was recorded, which comes before what is done with the elements now.
    ///
    /// # Errors
    /// Those of the operation that computes the elements.
    pub fn slice(&self) -> Result<&RocmStorageSlice, RocmError> {
        if self.device.effects().are_waiting() {
            return self.recorded();
        }
        self.value.get().unwrap_or_else(|| self.recorded())
    }

    #[cold]
    fn recorded(&self) -> Result<&RocmStorageSlice, RocmError> {
        self.device.flush();
        self.value.get().unwrap_or_else(|| Err(missing(&self.device)))
    }

    /// The elements, for writing. Later work on the device's stream waits for other streams that read them.
    ///
    /// # Errors
    /// As [`RocmStorage::slice`].
    pub fn slice_mut(&mut self) -> Result<&mut RocmStorageSlice, RocmError> {
        // Recorded operations that read these elements come first.
        if self.value.get().is_none() || self.value.get_mut().is_none() {
            self.device.flush();
        }
        if self.value.get_mut().is_none() {
            // Another storage has the same elements.
            self.value = Held::new(Arc::new(Value::new(self.own_copy()?)));
        }
        let slice = self.value.get_mut().and_then(Value::get_mut);
        let slice = slice.unwrap_or_else(|| Err(missing(&self.device)))?;
        // Kernels get their addresses in many ways, but nobody writes without having been here.
        slice.wait_for_readers()?;
        Ok(slice)
    }

    /// The elements, as their own.
    pub(crate) fn into_slice(self) -> Result<RocmStorageSlice, RocmError> {
        self.slice()?;
        let Self { value, device } = self;
        match value.try_unwrap() {
            Ok(value) => value.into_slice().unwrap_or_else(|| Err(missing(&device))),
            Err(value) => Self { value, device }.own_copy(),
        }
    }

    fn own_copy(&self) -> Result<RocmStorageSlice, RocmError> {
        self.slice()?.try_clone(&self.device)
    }

    /// The dtype of the elements.
    pub fn dtype(&self) -> DType {
        self.value.dtype()
    }

    /// The number of elements (of bytes, for the packed MX formats).
    pub fn len(&self) -> usize {
        self.value.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Uninitialised memory for `len` elements; what it holds must not matter to anyone before it is written.
    pub(crate) fn uninit(device: &RocmDevice, len: usize, dtype: DType) -> Result<Self, RocmError> {
        let slice = RocmStorageSlice::uninit(device, len, dtype)?;
        Ok(Self::new(slice, device.clone()))
    }

    /// `len` zeros.
    pub(crate) fn zeros(device: &RocmDevice, len: usize, dtype: DType) -> Result<Self, RocmError> {
        Ok(Self::new(RocmStorageSlice::zeros(device, len, dtype)?, device.clone()))
    }

    /// A copy of what the CPU holds.
    pub(crate) fn from_cpu(device: &RocmDevice, data: &CpuStorage) -> Result<Self, RocmError> {
        Ok(Self::new(RocmStorageSlice::upload(device, data)?, device.clone()))
    }

    /// A copy of a slice.
    pub(crate) fn from_slice<T: WithDType>(device: &RocmDevice, data: &[T]) -> Result<Self, RocmError> {
        // candle's placeholder types panic when asked for their data: they have none.
        if std::mem::size_of::<T>() == 0 {
            return Err(RocmError::UnsupportedDType { op: "storage_from_slice", dtype: T::DTYPE });
        }
        let slice = RocmStorageSlice::upload_ref(device, T::cpu_storage_ref(data))?;
        Ok(Self::new(slice, device.clone()))
    }

    /// Copies the elements to another device. The copy is queued there, after the work that produces this storage. Between platforms, the
    /// data goes through the host.
    ///
    /// # Errors
    /// Those of the allocation and the copy.
    pub fn copy_to(&self, device: &RocmDevice) -> Result<Self, RocmError> {
        Ok(Self::new(self.slice()?.copy_to(&self.device, device)?, device.clone()))
    }

    /// This result, on the device of `self`.
    pub(crate) fn with(&self, slice: RocmStorageSlice) -> Self {
        Self::new(slice, self.device.clone())
    }

    /// Operands of one operation live on one device: pools and streams are not shared.
    pub(crate) fn same_device(&self, op: &'static str, other: &Self) -> Result<(), RocmError> {
        self.device.check_same(&other.device, op)
    }
}

/// Why elements are not there that a recorded operation gives, after what was recorded was to be run.
#[cold]
fn missing(device: &RocmDevice) -> RocmError {
    match (device.hip_device().check_usable(), device.reentered_from()) {
        (Err(error), _) => error.into(),
        (Ok(()), Some(during)) => RocmError::StillRecorded { during },
        (Ok(()), None) => {
            RocmError::Panicked { op: "a recorded operation", message: "it left no result".to_owned() }
        }
    }
}
