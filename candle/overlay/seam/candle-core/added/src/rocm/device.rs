//! What `Device::Rocm` holds, and what a backend's device implements.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::storage::{concrete, held, ErasedStorage};
use super::{FusedOp, QuantizedStorage, RocmStorage, Source};
use crate::backend::{BackendDevice, BackendStorage};
use crate::cpu_backend::{CpuDevice, CpuStorageRef};
use crate::quantized::GgmlDType;
use crate::{CpuStorage, DType, DeviceLocation, Layout, Result, Shape, WithDType};

/// What a backend's device offers beyond candle's own traits. Nothing is required.
pub trait Backend:
    BackendDevice<Storage: BackendStorage<Device = Self> + fmt::Debug + Send + Sync + 'static>
    + crate::rocm_backend::Hip // Not proposed.
    + super::Packing // Not proposed.
    + Send
    + Sync
    + 'static
{
    /// A copy on this device of what lives on another one of the same backend.
    fn copy_of(&self, source: &Self::Storage) -> Result<Self::Storage> {
        self.storage_from_cpu_storage_owned(source.to_cpu_storage()?)
    }

    /// Raw bytes under one of the data types that candle only carries around (f6, f4, f8e8m0).
    fn storage_from_raw(&self, bytes: &[u8], dtype: DType) -> Result<Self::Storage> {
        let bytes = bytes.to_vec();
        self.storage_from_cpu_storage_owned(match dtype {
            DType::F6E2M3 => CpuStorage::F6E2M3(bytes),
            DType::F6E3M2 => CpuStorage::F6E3M2(bytes),
            DType::F4 => CpuStorage::F4(bytes),
            DType::F8E8M0 => CpuStorage::F8E8M0(bytes),
            _ => crate::bail!("{dtype:?} is not a type of raw bytes"),
        })
    }

    /// The result of the operation if the backend has a kernel for it and these operands, else `None`.
    fn fused(
        &self,
        op: &FusedOp<'_>,
        args: &[(&Self::Storage, &Layout)],
    ) -> Result<Option<(Self::Storage, Shape)>> {
        let _ = (op, args);
        Ok(None)
    }

    /// The gradients of the operation's operands, of those that are `wanted`, in their shapes and dtypes and contiguous, if
    /// the backend has kernels for it and these operands, else `None`. `grad` is the gradient of the result.
    #[allow(clippy::type_complexity)]
    fn fused_backward(
        &self,
        op: &FusedOp<'_>,
        args: &[(&Self::Storage, &Layout)],
        result: (&Self::Storage, &Layout),
        grad: (&Self::Storage, &Layout),
        wanted: &[bool],
    ) -> Result<Option<Vec<Option<Self::Storage>>>> {
        let _ = (op, args, result, grad, wanted);
        Ok(None)
    }

    /// Quantized zeros, if the backend has kernels for them; else their blocks stay on the CPU.
    fn quantized_zeros(
        &self,
        elem_count: usize,
        dtype: GgmlDType,
    ) -> Result<Option<Box<dyn QuantizedStorage>>> {
        let _ = (elem_count, dtype);
        Ok(None)
    }

    /// `size` bytes of quantized blocks as they are in a file, if the backend has kernels for them; else it reads nothing.
    fn quantized_from_source(
        &self,
        source: &mut Source<'_>,
        size: usize,
        dtype: GgmlDType,
    ) -> Result<Option<Box<dyn QuantizedStorage>>> {
        let _ = (source, size, dtype);
        Ok(None)
    }
}

/// The CPU behind the same door: shows that the door lets everything through.
impl Backend for CpuDevice {}

/// A ROCm device, of whichever backend. Clones are the same device.
#[derive(Clone)]
pub struct RocmDevice(Arc<dyn ErasedDevice>);

impl RocmDevice {
    /// Wraps a backend's device.
    pub fn wrap<D: Backend>(device: D) -> Self {
        Self(Arc::new(device))
    }

    /// The backend's own type.
    pub fn downcast_ref<D: 'static>(&self) -> Option<&D> {
        self.0.as_any().downcast_ref()
    }

    /// A copy on this device of what lives on another ROCm device.
    pub fn copy_of(&self, source: &RocmStorage) -> Result<RocmStorage> {
        Ok(self.own(self.0.copy_of(source.erased())?))
    }

    pub(crate) fn storage_from_raw(&self, bytes: &[u8], dtype: DType) -> Result<RocmStorage> {
        Ok(self.own(self.0.storage_from_raw(bytes, dtype)?))
    }

    pub(crate) fn erased(&self) -> &dyn ErasedDevice {
        &*self.0
    }

    pub(super) fn own(&self, storage: Box<dyn ErasedStorage>) -> RocmStorage {
        RocmStorage::from_parts(storage, self.clone())
    }
}

impl fmt::Debug for RocmDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

type Erased = Result<Box<dyn ErasedStorage>>;

/// [`Backend`] without its types.
pub(crate) trait ErasedDevice:
    fmt::Debug
    + Send
    + Sync
    + crate::rocm_backend::ErasedHip // Not proposed.
    + super::Packing // Not proposed.
{
    fn as_any(&self) -> &dyn Any;
    fn location(&self) -> DeviceLocation;
    fn same_device(&self, other: &dyn ErasedDevice) -> bool;
    fn zeros(&self, shape: &Shape, dtype: DType) -> Erased;
    /// As [`BackendDevice::alloc_uninit`].
    unsafe fn alloc_uninit(&self, shape: &Shape, dtype: DType) -> Erased;
    fn from_slice(&self, data: CpuStorageRef<'_>) -> Erased;
    fn from_cpu(&self, data: &CpuStorage) -> Erased;
    fn from_cpu_owned(&self, data: CpuStorage) -> Erased;
    fn storage_from_raw(&self, bytes: &[u8], dtype: DType) -> Erased;
    fn rand_uniform(&self, shape: &Shape, dtype: DType, lo: f64, up: f64) -> Erased;
    fn rand_normal(&self, shape: &Shape, dtype: DType, mean: f64, std: f64) -> Erased;
    fn set_seed(&self, seed: u64) -> Result<()>;
    fn current_seed(&self) -> Result<u64>;
    fn synchronize(&self) -> Result<()>;
    fn copy_of(&self, source: &dyn ErasedStorage) -> Erased;
    #[allow(clippy::type_complexity)]
    fn fused(
        &self,
        op: &FusedOp<'_>,
        args: &[(&RocmStorage, &Layout)],
    ) -> Result<Option<(Box<dyn ErasedStorage>, Shape)>>;
    #[allow(clippy::type_complexity)]
    fn fused_backward(
        &self,
        op: &FusedOp<'_>,
        args: &[(&RocmStorage, &Layout)],
        result: (&RocmStorage, &Layout),
        grad: (&RocmStorage, &Layout),
        wanted: &[bool],
    ) -> Result<Option<Vec<Option<Box<dyn ErasedStorage>>>>>;
    fn quantized_zeros(
        &self,
        elem_count: usize,
        dtype: GgmlDType,
    ) -> Result<Option<Box<dyn QuantizedStorage>>>;
    fn quantized_from_source(
        &self,
        source: &mut Source<'_>,
        size: usize,
        dtype: GgmlDType,
    ) -> Result<Option<Box<dyn QuantizedStorage>>>;
}

impl<D: Backend> ErasedDevice for D {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn location(&self) -> DeviceLocation {
        BackendDevice::location(self)
    }

    fn same_device(&self, other: &dyn ErasedDevice) -> bool {
        other.as_any().downcast_ref::<D>().is_some_and(|other| BackendDevice::same_device(self, other))
    }

    fn zeros(&self, shape: &Shape, dtype: DType) -> Erased {
        held::<D>(self.zeros_impl(shape, dtype))
    }

    unsafe fn alloc_uninit(&self, shape: &Shape, dtype: DType) -> Erased {
        held::<D>(BackendDevice::alloc_uninit(self, shape, dtype))
    }

    fn from_slice(&self, data: CpuStorageRef<'_>) -> Erased {
        held::<D>(match data {
            CpuStorageRef::U8(data) => self.storage_from_slice(data),
            CpuStorageRef::U32(data) => self.storage_from_slice(data),
            CpuStorageRef::I16(data) => self.storage_from_slice(data),
            CpuStorageRef::I32(data) => self.storage_from_slice(data),
            CpuStorageRef::I64(data) => self.storage_from_slice(data),
            CpuStorageRef::BF16(data) => self.storage_from_slice(data),
            CpuStorageRef::F16(data) => self.storage_from_slice(data),
            CpuStorageRef::F32(data) => self.storage_from_slice(data),
            CpuStorageRef::F64(data) => self.storage_from_slice(data),
            CpuStorageRef::F8E4M3(data) => self.storage_from_slice(data),
            CpuStorageRef::F6E2M3(bytes) => Backend::storage_from_raw(self, bytes, DType::F6E2M3),
            CpuStorageRef::F6E3M2(bytes) => Backend::storage_from_raw(self, bytes, DType::F6E3M2),
            CpuStorageRef::F4(bytes) => Backend::storage_from_raw(self, bytes, DType::F4),
            CpuStorageRef::F8E8M0(bytes) => Backend::storage_from_raw(self, bytes, DType::F8E8M0),
        })
    }

    fn from_cpu(&self, data: &CpuStorage) -> Erased {
        held::<D>(self.storage_from_cpu_storage(data))
    }

    fn from_cpu_owned(&self, data: CpuStorage) -> Erased {
        held::<D>(self.storage_from_cpu_storage_owned(data))
    }

    fn storage_from_raw(&self, bytes: &[u8], dtype: DType) -> Erased {
        held::<D>(Backend::storage_from_raw(self, bytes, dtype))
    }

    fn rand_uniform(&self, shape: &Shape, dtype: DType, lo: f64, up: f64) -> Erased {
        held::<D>(BackendDevice::rand_uniform(self, shape, dtype, lo, up))
    }

    fn rand_normal(&self, shape: &Shape, dtype: DType, mean: f64, std: f64) -> Erased {
        held::<D>(BackendDevice::rand_normal(self, shape, dtype, mean, std))
    }

    fn set_seed(&self, seed: u64) -> Result<()> {
        BackendDevice::set_seed(self, seed)
    }

    fn current_seed(&self) -> Result<u64> {
        self.get_current_seed()
    }

    fn synchronize(&self) -> Result<()> {
        BackendDevice::synchronize(self)
    }

    fn copy_of(&self, source: &dyn ErasedStorage) -> Erased {
        match source.as_any().downcast_ref::<D::Storage>() {
            Some(source) => held::<D>(Backend::copy_of(self, source)),
            // Of another backend.
            None => held::<D>(self.storage_from_cpu_storage_owned(source.to_cpu_storage()?)),
        }
    }

    fn fused(
        &self,
        op: &FusedOp<'_>,
        args: &[(&RocmStorage, &Layout)],
    ) -> Result<Option<(Box<dyn ErasedStorage>, Shape)>> {
        let args = args.iter().map(own_operand::<D>).collect::<Result<Vec<_>>>()?;
        match Backend::fused(self, op, &args)? {
            Some((storage, shape)) => Ok(Some((held::<D>(Ok(storage))?, shape))),
            None => Ok(None),
        }
    }

    fn fused_backward(
        &self,
        op: &FusedOp<'_>,
        args: &[(&RocmStorage, &Layout)],
        result: (&RocmStorage, &Layout),
        grad: (&RocmStorage, &Layout),
        wanted: &[bool],
    ) -> Result<Option<Vec<Option<Box<dyn ErasedStorage>>>>> {
        let args = args.iter().map(own_operand::<D>).collect::<Result<Vec<_>>>()?;
        let (result, grad) = (own_operand::<D>(&result)?, own_operand::<D>(&grad)?);
        let Some(gradients) = Backend::fused_backward(self, op, &args, result, grad, wanted)? else {
            return Ok(None);
        };
        let held = gradients.into_iter().map(|gradient| gradient.map(|s| held::<D>(Ok(s))).transpose());
        held.collect::<Result<Vec<_>>>().map(Some)
    }

    fn quantized_zeros(
        &self,
        elem_count: usize,
        dtype: GgmlDType,
    ) -> Result<Option<Box<dyn QuantizedStorage>>> {
        Backend::quantized_zeros(self, elem_count, dtype)
    }

    fn quantized_from_source(
        &self,
        source: &mut Source<'_>,
        size: usize,
        dtype: GgmlDType,
    ) -> Result<Option<Box<dyn QuantizedStorage>>> {
        Backend::quantized_from_source(self, source, size, dtype)
    }
}

type Operand<'a, S> = (&'a S, &'a Layout);

fn own_operand<'a, D: Backend>(
    (storage, layout): &Operand<'a, RocmStorage>,
) -> Result<Operand<'a, D::Storage>> {
    Ok((concrete(storage.erased())?, layout))
}

impl BackendDevice for RocmDevice {
    type Storage = RocmStorage;

    fn new(ordinal: usize) -> Result<Self> {
        super::registry::open(ordinal)
    }

    fn location(&self) -> DeviceLocation {
        self.0.location()
    }

    fn same_device(&self, other: &Self) -> bool {
        self.0.same_device(other.erased())
    }

    fn zeros_impl(&self, shape: &Shape, dtype: DType) -> Result<RocmStorage> {
        Ok(self.own(self.0.zeros(shape, dtype)?))
    }

    unsafe fn alloc_uninit(&self, shape: &Shape, dtype: DType) -> Result<RocmStorage> {
        Ok(self.own(self.0.alloc_uninit(shape, dtype)?))
    }

    fn storage_from_slice<T: WithDType>(&self, data: &[T]) -> Result<RocmStorage> {
        // The types that candle only carries around have no values, and panic when asked for them.
        if std::mem::size_of::<T>() == 0 {
            return Err(crate::Error::UnsupportedDTypeForOp(T::DTYPE, "storage_from_slice").bt());
        }
        Ok(self.own(self.0.from_slice(T::cpu_storage_ref(data))?))
    }

    fn storage_from_cpu_storage(&self, data: &CpuStorage) -> Result<RocmStorage> {
        Ok(self.own(self.0.from_cpu(data)?))
    }

    fn storage_from_cpu_storage_owned(&self, data: CpuStorage) -> Result<RocmStorage> {
        Ok(self.own(self.0.from_cpu_owned(data)?))
    }

    fn rand_uniform(&self, shape: &Shape, dtype: DType, lo: f64, up: f64) -> Result<RocmStorage> {
        Ok(self.own(self.0.rand_uniform(shape, dtype, lo, up)?))
    }

    fn rand_normal(&self, shape: &Shape, dtype: DType, mean: f64, std: f64) -> Result<RocmStorage> {
        Ok(self.own(self.0.rand_normal(shape, dtype, mean, std)?))
    }

    fn set_seed(&self, seed: u64) -> Result<()> {
        self.0.set_seed(seed)
    }

    fn get_current_seed(&self) -> Result<u64> {
        self.0.current_seed()
    }

    fn synchronize(&self) -> Result<()> {
        self.0.synchronize()
    }
}
