//! Tensors made of device memory, and the memory of tensors.

use std::mem;

use candle_core::op::BackpropOp;
use candle_core::{Device, Shape, Storage, Tensor, rocm};

use crate::hip::{Buffer, Refused};
use crate::{Result, RocmDType, RocmDevice, RocmError, RocmStorage};

/// Creates a contiguous tensor from the elements of `buffer`, without a copy. The buffer's pool must be that of `device`.
///
/// # Errors
/// [`RocmError::WrongDevice`] if the buffer belongs to another pool, and candle's `ShapeMismatch` if its number of elements does not match
/// the shape.
///
/// ```
/// use candle_core::Device;
/// use candle_rocm::{RocmDevice, platform::HOST, tensor_from_buffer, tensor_into_buffer};
/// # fn main() -> candle_core::Result<()> {
/// let rocm = RocmDevice::on(HOST, 0)?;
/// let buffer = rocm.upload(&[1f32, 2., 3., 4., 5., 6.])?;
/// let address = buffer.as_ptr();
/// let x = tensor_from_buffer(buffer, (2, 3), &Device::from(rocm))?;
/// assert_eq!(x.to_vec2::<f32>()?, [[1., 2., 3.], [4., 5., 6.]]);
/// let buffer = tensor_into_buffer::<f32>(x).map_err(candle_rocm::RocmError::from)?;
/// assert_eq!(buffer.as_ptr(), address);
/// # Ok(())
/// # }
/// ```
pub fn tensor_from_buffer<T: RocmDType>(
    buffer: Buffer<T>,
    shape: impl Into<Shape>,
    device: &Device,
) -> candle_core::Result<Tensor> {
    const OP: &str = "tensor_from_buffer";
    let (shape, rocm) = (shape.into(), device.as_rocm_device()?);
    let Some(own) = rocm.downcast_ref::<RocmDevice>() else {
        let message = format!("the device is of another backend: {rocm:?}");
        return Err(RocmError::InvalidArgument { op: OP, message }.into());
    };
    if buffer.pool() != own.queue().pool() {
        let (lhs, rhs) = (buffer.pool().stream().to_string(), own.label());
        return Err(RocmError::WrongDevice { op: OP, lhs, rhs }.into());
    }
    if crate::count::elem_count(OP, shape.dims())? != buffer.len() {
        return Err(candle_core::Error::ShapeMismatch { buffer_size: buffer.len(), shape }.bt());
    }
    let storage = RocmStorage::new(T::wrap(buffer), own.clone());
    let storage = Storage::from(rocm::RocmStorage::wrap::<RocmDevice>(storage, rocm));
    Ok(Tensor::from_storage(storage, shape, BackpropOp::none(), false))
}

/// Returns a tensor's memory, without a copy: all elements of its storage, in the storage's order. For a tensor from
/// [`tensor_from_buffer`], this is the original buffer.
///
/// # Errors
/// [`RocmError::InvalidArgument`] if the tensor does not have this backend and dtype, or if its memory is also used by a clone, a view, or
/// a result that needs it for `backward`.
pub fn tensor_into_buffer<T: RocmDType>(mut tensor: Tensor) -> Result<Buffer<T>, Refused<Tensor, RocmError>> {
    match take(&mut tensor) {
        Ok(buffer) => Ok(buffer),
        Err(error) => Err(Refused::new(tensor, error)),
    }
}

/// Leaves an empty buffer in the tensor.
fn take<T: RocmDType>(tensor: &mut Tensor) -> Result<Buffer<T>> {
    let error = |message| RocmError::InvalidArgument { op: "tensor_into_buffer", message };
    let what = format!("{} on {:?}", tensor.dtype().as_str(), tensor.device().location());
    let Some(storage) = rocm::RocmStorage::exclusive(tensor) else {
        return Err(error(format!(
            "the tensor is not on a ROCm device ({what}), or its memory has another user: drop its clones, views and results, or \
             copy it"
        )));
    };
    let buffer = match storage.downcast_mut::<RocmStorage>() {
        Some(own) => {
            let empty = own.device.alloc(0)?;
            T::buffer_mut(own.slice_mut()?).map(|buffer| (empty, buffer))
        }
        None => None,
    };
    match buffer {
        Some((empty, buffer)) => Ok(mem::replace(buffer, empty)),
        None => Err(error(format!("the tensor is {what}, and was asked for as {} of candle-rocm", T::NAME))),
    }
}
