//! One or two operands of one element type, read in the fastest way, which is decided here and once.

use std::fmt;

use candle_core::Layout;
use rocm_kernels::Module;

use crate::common::access::{Access, Transposition};
use crate::common::launch::{elementwise, strided};
use crate::common::plan::Plan;
use crate::hip::{Buffer, LaunchConfig};
use crate::layout::transpose::{THREADS, transpose};
use crate::{Launch, RocmDType, RocmDevice, RocmError};

/// A buffer, and the element that the operand begins with.
type At<'a, T> = (&'a Buffer<T>, usize);

/// What a kernel of `elementwise.h` is launched with.
pub(super) struct Operands<'a, T: RocmDType, const N: usize> {
    plan: Plan,
    at: [At<'a, T>; N],
    /// Which of them are large and transposed.
    transposed: [Option<Transposition>; N],
    /// What is read instead of some of them.
    copies: [Option<Buffer<T>>; N],
}

impl<'a, T: RocmDType, const N: usize> Operands<'a, T, N> {
    /// Operands of equal shape.
    pub(super) fn new(op: &'static str, operands: [(&'a Buffer<T>, &Layout); N]) -> Result<Self, RocmError> {
        let plan = Plan::new(op, operands.map(|(buffer, layout)| (layout, buffer.len())))?;
        let transposed = std::array::from_fn(|operand| plan.large_transposition(operand, size_of::<T>()));
        let at = operands.map(|(buffer, layout)| (buffer, layout.start_offset()));
        Ok(Self { plan, at, transposed, copies: [const { None }; N] })
    }

    /// Elements of the result.
    pub(super) fn numel(&self) -> usize {
        self.plan.numel
    }

    /// Copies of the operands that are large and transposed. Kernels read them as they are, too, so memory that does not suffice
    /// is no error.
    pub(super) fn untransposed(mut self, device: &RocmDevice) -> Result<Self, RocmError> {
        for operand in 0..N {
            let Some(transposition) = self.transposed[operand].take() else { continue };
            let Ok(mut copy) = device.alloc::<T>(self.plan.numel) else { continue };
            // SAFETY: the plan keeps reads inside the buffer, and the copy has as many elements.
            unsafe { transpose(device, &transposition, self.at[operand], (&mut copy, 0), THREADS) }?;
            self.plan = self.plan.with_contiguous::<N>(operand);
            self.copies[operand] = Some(copy);
        }
        Ok(self)
    }

    /// Begins the launch of a kernel of `elementwise.h`: `numel, num_dims, info`, `more`, the operands.
    pub(super) fn launch<'d>(
        &self,
        device: &'d RocmDevice,
        module: &'static Module,
        name: fmt::Arguments<'_>,
        more: impl FnOnce(&mut Launch<'d>),
    ) -> Launch<'d> {
        let mut launch = strided(device, module, name, &self.plan);
        more(&mut launch);
        for (&(buffer, offset), copy) in self.at.iter().zip(&self.copies) {
            match copy {
                Some(copy) => launch.buffer(copy, 0),
                None => launch.buffer(buffer, offset),
            };
        }
        launch
    }

    /// Its blocks, where the larger of operands and result has elements of `size` bytes.
    pub(super) fn config(&self, device: &RocmDevice, size: usize) -> LaunchConfig {
        elementwise(device, &self.plan, size)
    }
}

impl<'a, T: RocmDType> Operands<'a, T, 1> {
    /// The operand, if it is large and transposed.
    pub(super) fn large_transposed(&self) -> Option<(&Transposition, At<'a, T>)> {
        Some((self.transposed[0].as_ref()?, self.at[0]))
    }
}

/// A large transposed operand beside a contiguous one.
pub(super) struct OneTransposed<'o, 'a, T: RocmDType> {
    pub(super) transposition: &'o Transposition,
    pub(super) transposed: At<'a, T>,
    pub(super) contiguous: At<'a, T>,
    /// Whether the transposed one is the second.
    pub(super) swapped: bool,
}

impl<'a, T: RocmDType> Operands<'a, T, 2> {
    /// If one is large and transposed, and the other contiguous.
    pub(super) fn one_transposed(&self) -> Option<OneTransposed<'_, 'a, T>> {
        let (first, second) = match &self.transposed {
            [Some(transposition), None] => (0, transposition),
            [None, Some(transposition)] => (1, transposition),
            _ => return None,
        };
        let (transposed, other, transposition) = (first, 1 - first, second);
        if self.plan.access(other, size_of::<T>()) != Access::Contiguous {
            return None;
        }
        Some(OneTransposed {
            transposition,
            transposed: self.at[transposed],
            contiguous: self.at[other],
            swapped: transposed == 1,
        })
    }
}
