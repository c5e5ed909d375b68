//! From a storage of some dtype to code generic over its element: an operation is a small struct plus one generic
//! `f`; `map` picks the type. A dtype that has no elements to compute with, or operands of different dtypes, end in
//! an error that names the operation and the dtypes.

use candle_core::Layout;

use crate::hip::Buffer;
use crate::storage_slice::each_dtype;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorageSlice as S};

fn unsupported<R>(op: &'static str, slice: &S) -> Result<R, RocmError> {
    Err(RocmError::UnsupportedDType { op, dtype: slice.dtype() })
}

/// The buffer of `slice` as elements `T`, where `T` is the dtype of another operand.
pub(crate) fn same<'a, T: RocmDType>(op: &'static str, slice: &'a S) -> Result<&'a Buffer<T>, RocmError> {
    T::buffer(slice).ok_or(RocmError::DTypeMismatch { op, lhs: T::DTYPE, rhs: slice.dtype() })
}

/// One operand, a result of the same dtype.
pub(crate) trait Map1 {
    /// The operation's name, for errors.
    fn op(&self) -> &'static str;
    /// The operation on elements of type `T`.
    ///
    /// # Errors
    /// The operation's own.
    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        src: &Buffer<T>,
        layout: &Layout,
    ) -> Result<Buffer<T>, RocmError>;

    /// [`Map1::f`] for the dtype of `src`.
    ///
    /// # Errors
    /// [`RocmError::UnsupportedDType`] for a dtype without kernels, and those of `f`.
    fn map(&self, device: &RocmDevice, src: &S, layout: &Layout) -> Result<S, RocmError> {
        each_dtype!(src.dtype(), T => {
            let src = same::<T>(self.op(), src)?;
            Ok(T::wrap(self.f(device, src, layout)?))
        }, else unsupported(self.op(), src))
    }
}

/// One operand, a result of any dtype.
pub(crate) trait Map1Any {
    /// The operation's name, for errors.
    fn op(&self) -> &'static str;
    /// The operation on elements of type `T`.
    ///
    /// # Errors
    /// The operation's own.
    fn f<T: RocmDType>(&self, device: &RocmDevice, src: &Buffer<T>, layout: &Layout) -> Result<S, RocmError>;

    /// [`Map1Any::f`] for the dtype of `src`.
    ///
    /// # Errors
    /// [`RocmError::UnsupportedDType`] for a dtype without kernels, and those of `f`.
    fn map(&self, device: &RocmDevice, src: &S, layout: &Layout) -> Result<S, RocmError> {
        each_dtype!(src.dtype(), T => self.f(device, same::<T>(self.op(), src)?, layout),
            else unsupported(self.op(), src))
    }
}

/// Two operands of one dtype, a result of the same dtype.
pub(crate) trait Map2 {
    /// The operation's name, for errors.
    fn op(&self) -> &'static str;
    /// The operation on elements of type `T`.
    ///
    /// # Errors
    /// The operation's own.
    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        lhs: (&Buffer<T>, &Layout),
        rhs: (&Buffer<T>, &Layout),
    ) -> Result<Buffer<T>, RocmError>;

    /// [`Map2::f`] for the dtype of `lhs`, which `rhs` must share.
    ///
    /// # Errors
    /// [`RocmError::UnsupportedDType`] for a dtype without kernels, [`RocmError::DTypeMismatch`], and those of `f`.
    fn map(&self, device: &RocmDevice, lhs: (&S, &Layout), rhs: (&S, &Layout)) -> Result<S, RocmError> {
        each_dtype!(lhs.0.dtype(), T => {
            let (a, b) = (same::<T>(self.op(), lhs.0)?, same::<T>(self.op(), rhs.0)?);
            Ok(T::wrap(self.f(device, (a, lhs.1), (b, rhs.1))?))
        }, else unsupported(self.op(), lhs.0))
    }
}

/// Two operands of one dtype, a result of any dtype.
pub(crate) trait Map2Any {
    /// The operation's name, for errors.
    fn op(&self) -> &'static str;
    /// The operation on elements of type `T`.
    ///
    /// # Errors
    /// The operation's own.
    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        lhs: (&Buffer<T>, &Layout),
        rhs: (&Buffer<T>, &Layout),
    ) -> Result<S, RocmError>;

    /// [`Map2Any::f`] for the dtype of `lhs`, which `rhs` must share.
    ///
    /// # Errors
    /// [`RocmError::UnsupportedDType`] for a dtype without kernels, [`RocmError::DTypeMismatch`], and those of `f`.
    fn map(&self, device: &RocmDevice, lhs: (&S, &Layout), rhs: (&S, &Layout)) -> Result<S, RocmError> {
        each_dtype!(lhs.0.dtype(), T => {
            let (a, b) = (same::<T>(self.op(), lhs.0)?, same::<T>(self.op(), rhs.0)?);
            self.f(device, (a, lhs.1), (b, rhs.1))
        }, else unsupported(self.op(), lhs.0))
    }
}
