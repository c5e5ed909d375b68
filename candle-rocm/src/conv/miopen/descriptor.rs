//! MIOpen's descriptors, owned.

use std::ptr;

use candle_core::DType;
use rocm_sys::miopen::{
    Miopen, miopenConvolutionDescriptor_t, miopenConvolutionFindMode_t, miopenConvolutionMode_t,
    miopenPoolingDescriptor_t, miopenPoolingMode_t, miopenTensorDescriptor_t,
};

use super::{checked, data_type, int};
use crate::conv::problem::Axis;
use crate::conv::windows::{Kind, Windows};
use crate::hip::gone;
use crate::{Result, RocmError};

macro_rules! owned {
    ($(#[$doc:meta])* $name:ident($raw:ty), $create:ident, $destroy:ident) => {
        $(#[$doc])*
        pub(super) struct $name {
            raw: $raw,
            miopen: &'static Miopen,
        }

        // SAFETY: descriptors are plain data that belongs to no thread; they are used under the engine's lock.
        unsafe impl Send for $name {}

        impl $name {
            fn create(miopen: &'static Miopen) -> Result<Self> {
                let mut raw = ptr::null_mut();
                // SAFETY: the pointer is valid for the call.
                unsafe { checked!(miopen.$create(&mut raw)) }?;
                Ok(Self { raw, miopen })
            }

            pub(super) fn raw(&self) -> $raw {
                self.raw
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                if !gone() {
                    // SAFETY: the descriptor lives, and nobody else has it.
                    let _ = unsafe { self.miopen.$destroy(self.raw) };
                }
            }
        }
    };
}

owned! {
    /// A tensor's dtype and dims.
    TensorDescriptor(miopenTensorDescriptor_t), miopenCreateTensorDescriptor, miopenDestroyTensorDescriptor
}
owned! {
    /// How a convolution moves.
    ConvolutionDescriptor(miopenConvolutionDescriptor_t), miopenCreateConvolutionDescriptor,
    miopenDestroyConvolutionDescriptor
}
owned! {
    /// How a pool moves.
    PoolingDescriptor(miopenPoolingDescriptor_t), miopenCreatePoolingDescriptor, miopenDestroyPoolingDescriptor
}

impl TensorDescriptor {
    /// Contiguous images.
    pub(super) fn new(
        miopen: &'static Miopen,
        op: &'static str,
        dtype: DType,
        dims: [usize; 4],
    ) -> Result<Self> {
        let of = data_type(dtype).ok_or(RocmError::UnsupportedDType { op, dtype })?;
        // Strides are counted in the same type.
        dims.iter().try_fold(1usize, |n, &m| n.checked_mul(m)).map_or(Ok(0), |n| int(op, n))?;
        let [n, c, h, w] = dims;
        let new = Self::create(miopen)?;
        // SAFETY: the descriptor lives.
        unsafe {
            checked!(miopen.miopenSet4dTensorDescriptor(
                new.raw,
                of,
                int(op, n)?,
                int(op, c)?,
                int(op, h)?,
                int(op, w)?
            ))
        }?;
        Ok(new)
    }
}

impl ConvolutionDescriptor {
    pub(super) fn new(
        miopen: &'static Miopen,
        op: &'static str,
        (y, x): (Axis, Axis),
        groups: usize,
    ) -> Result<Self> {
        let new = Self::create(miopen)?;
        // SAFETY: the descriptor lives.
        unsafe {
            checked!(miopen.miopenInitConvolutionDescriptor(
                new.raw,
                miopenConvolutionMode_t::miopenConvolution,
                int(op, y.padding)?,
                int(op, x.padding)?,
                int(op, y.stride)?,
                int(op, x.stride)?,
                int(op, y.dilation)?,
                int(op, x.dilation)?
            ))?;
            checked!(miopen.miopenSetConvolutionGroupCount(new.raw, int(op, groups)?))?;
            // Since ROCm 6.
            if miopen.has("miopenSetConvolutionFindMode") {
                let fast = miopenConvolutionFindMode_t::miopenConvolutionFindModeFast;
                checked!(miopen.miopenSetConvolutionFindMode(new.raw, fast))?;
            }
        }
        Ok(new)
    }
}

impl PoolingDescriptor {
    pub(super) fn new(miopen: &'static Miopen, op: &'static str, windows: &Windows) -> Result<Self> {
        let mode = match windows.kind {
            Kind::Average => miopenPoolingMode_t::miopenPoolingAverage,
            Kind::Max => miopenPoolingMode_t::miopenPoolingMax,
        };
        let ((h, w), (stride_h, stride_w)) = (windows.window, windows.stride);
        let new = Self::create(miopen)?;
        // SAFETY: the descriptor lives.
        unsafe {
            checked!(miopen.miopenSet2dPoolingDescriptor(
                new.raw,
                mode,
                int(op, h)?,
                int(op, w)?,
                0,
                0,
                int(op, stride_h)?,
                int(op, stride_w)?
            ))
        }?;
        Ok(new)
    }
}
