//! Checks of a storage that is an operand.

use candle_core::Layout;

use super::map::same;
use super::plan::check_bounds;
use crate::dtype::DTypeExt;
use crate::hip::Buffer;
use crate::{RocmDType, RocmError, RocmStorage, RocmStorageSlice};

/// A storage with the layout of a tensor in it.
pub(crate) type Operand<'a> = (&'a RocmStorage, &'a Layout);
/// The same within one device.
pub(crate) type SliceOperand<'a> = (&'a RocmStorageSlice, &'a Layout);

/// The operand's elements, which are computed before.
pub(crate) fn slice<'a>((x, layout): Operand<'a>) -> Result<SliceOperand<'a>, RocmError> {
    Ok((x.slice()?, layout))
}

pub(crate) fn unsupported<R>(op: &'static str, x: &RocmStorage) -> Result<R, RocmError> {
    Err(RocmError::UnsupportedDType { op, dtype: x.dtype() })
}

pub(crate) fn floats(op: &'static str, x: &RocmStorage) -> Result<(), RocmError> {
    if x.dtype().is_16_to_64_bit_float() { Ok(()) } else { unsupported(op, x) }
}

pub(crate) fn invalid<R>(op: &'static str, message: String) -> Result<R, RocmError> {
    Err(RocmError::InvalidArgument { op, message })
}

/// The elements, which follow each other from the layout's offset on.
pub(crate) fn contiguous<'a, T: RocmDType>(
    op: &'static str,
    what: &str,
    storage: &'a RocmStorage,
    layout: &Layout,
) -> Result<&'a Buffer<T>, RocmError> {
    let buffer = same::<T>(op, storage.slice()?)?;
    check_contiguous(op, what, layout, buffer.len())?;
    Ok(buffer)
}

/// Refuses a layout that is not contiguous within so many elements.
pub(crate) fn check_contiguous(
    op: &'static str,
    what: &str,
    layout: &Layout,
    len: usize,
) -> Result<(), RocmError> {
    check_bounds(op, layout, len)?;
    if !layout.is_contiguous() {
        let (shape, stride) = (layout.dims(), layout.stride());
        return invalid(
            op,
            format!(
                "{what} of shape {shape:?}, stride {stride:?} is not contiguous; call contiguous() first"
            ),
        );
    }
    Ok(())
}
