//! Where all operations come in: they are recorded, or run at once. Here their operands have names, and live on one device.

use candle_core::Result;

use super::{Operation, window};
use crate::common::operand::Operand;
use crate::common::operation::{Op, Operands, Write};
use crate::{RocmError, RocmStorage};

/// Records an operation, or runs it.
///
/// # Errors
/// The operation's own, unless it was recorded; [`RocmError::WrongDevice`].
#[inline]
pub(crate) fn record<O: Op + Into<Operation>>(
    operation: O,
    operands: O::Operands<Operand<'_>>,
) -> Result<RocmStorage> {
    let (op, operands) = (operation.name(), operands.list());
    let [(first, _), others @ ..] = &operands[..] else {
        return Err(RocmError::InvalidArgument { op, message: "it has no operands".to_owned() }.into());
    };
    for (other, _) in others {
        first.same_device(op, other)?;
    }
    window::record(operation.into(), &operands)
}

/// Writes to a tensor, at once.
///
/// # Errors
/// The operation's own; [`RocmError::WrongDevice`].
pub(crate) fn write<O: Write>(
    operation: O,
    dst: &mut RocmStorage,
    operands: O::Operands<Operand<'_>>,
) -> Result<()> {
    let (op, device) = (operation.name(), dst.device.clone());
    let written = operation.written(dst, &operands);
    let list = operands.list();
    for (other, _) in &list {
        dst.same_device(op, other)?;
    }
    device.observe_in_place(
        op,
        &list,
        || written,
        || match O::Operands::named(list.iter().copied()) {
            Some(operands) => operation.run(&device, dst, operands),
            None => {
                Err(RocmError::InvalidArgument { op, message: "it has other operands".to_owned() }.into())
            }
        },
    )
}
