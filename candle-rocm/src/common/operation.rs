//! What an operation says of itself: its name, what its result will be, and how it runs. Each family has a type for each of its
//! operations; `fusion/operation.rs` has the list of those with a result.

use candle_core::{DType, Layout};
use smallvec::SmallVec;

use super::operand::Operand;
use crate::{RocmDevice, RocmStorage, RocmStorageSlice};

/// An operation with a result of its own, without its operands.
pub(crate) trait Op: Clone {
    /// Its operands, by name.
    type Operands<T>: Operands<T>;

    /// candle's name for it, in errors, in counters and in the trace.
    fn name(&self) -> &'static str;

    /// Writes words, always as many or their number first, that are the same for two of its type if they are but for weights, other
    /// crates' code, and what only errors say: plans are kept by them.
    fn key(&self, words: &mut Vec<u64>);

    /// Bytes of weights that it reads besides its operands.
    fn weights(&self, device: &RocmDevice) -> usize {
        let _ = device;
        0
    }

    /// Elements and dtype of the result; `None` if the operation might be refused.
    ///
    /// Operands lie inside their buffers; the first one has elements, of a dtype that kernels compute with.
    fn result(&self, device: &RocmDevice, operands: Self::Operands<Described<'_>>) -> Option<(usize, DType)>;

    /// Puts it on the stream.
    ///
    /// # Errors
    /// The operation's own.
    fn run(
        &self,
        device: &RocmDevice,
        operands: Self::Operands<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice>;
}

/// The name of a kernel in [`Op::key`]. The same text may be in several places, which only costs a plan.
pub(crate) fn text(name: &'static str) -> [u64; 2] {
    [name.as_ptr() as u64, name.len() as u64]
}

/// An operation that writes to a tensor that is there.
pub(crate) trait Write {
    /// What it reads, by name.
    type Operands<T>: Operands<T>;

    /// candle's name for it, in errors, in counters and in the trace.
    fn name(&self) -> &'static str;

    /// Bytes that it writes.
    fn written(&self, dst: &RocmStorage, operands: &Self::Operands<Operand<'_>>) -> usize;

    /// Puts it on the stream.
    ///
    /// # Errors
    /// The operation's own.
    fn run(
        &self,
        device: &RocmDevice,
        dst: &mut RocmStorage,
        operands: Self::Operands<Operand<'_>>,
    ) -> candle_core::Result<()>;
}

/// Operands by name, and as a list in the order of the names.
pub(crate) trait Operands<T>: Sized {
    /// `None` if there are none.
    #[cfg_attr(
        not(candle_rocm_seam),
        allow(dead_code, reason = "stock candle offers no operation as a whole")
    )]
    fn first(&self) -> Option<&T>;

    fn list(self) -> SmallVec<[T; 4]>;

    /// `None` if there are too few or too many.
    fn named(list: impl IntoIterator<Item = T>) -> Option<Self>;
}

/// Declares operands; one behind a semicolon may be missing.
macro_rules! operands {
    ($($(#[doc = $doc:literal])* $name:ident { $($field:ident),* $(; $optional:ident)? })*) => {
        $($(#[doc = $doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name<T> {
            $(pub(crate) $field: T,)*
            $(pub(crate) $optional: Option<T>,)?
        }

        impl<T> $crate::common::operation::Operands<T> for $name<T> {
            fn first(&self) -> Option<&T> {
                let mut fields = [$(&self.$field),*].into_iter();
                fields.next()
            }

            #[inline]
            fn list(self) -> smallvec::SmallVec<[T; 4]> {
                let mut list = smallvec::SmallVec::new();
                $(list.push(self.$field);)*
                $(list.extend(self.$optional);)?
                list
            }

            #[inline]
            fn named(list: impl IntoIterator<Item = T>) -> Option<Self> {
                let mut list = list.into_iter();
                let named = Self { $($field: list.next()?,)* $($optional: list.next(),)? };
                list.next().is_none().then_some(named)
            }
        })*
    };
}

pub(crate) use operands;

operands! {
    One { x }
    Two { lhs, rhs }
}

/// Any number of tensors.
pub(crate) struct Many<T>(pub(crate) SmallVec<[T; 4]>);

impl<T> Operands<T> for Many<T> {
    fn first(&self) -> Option<&T> {
        self.0.first()
    }

    fn list(self) -> SmallVec<[T; 4]> {
        self.0
    }

    fn named(list: impl IntoIterator<Item = T>) -> Option<Self> {
        Some(Self(list.into_iter().collect()))
    }
}

/// No tensors.
pub(crate) struct Nothing;

impl<T> Operands<T> for Nothing {
    fn first(&self) -> Option<&T> {
        None
    }

    fn list(self) -> SmallVec<[T; 4]> {
        SmallVec::new()
    }

    fn named(list: impl IntoIterator<Item = T>) -> Option<Self> {
        list.into_iter().next().is_none().then_some(Self)
    }
}

/// What is known of an operand before its elements are there.
#[derive(Clone, Copy)]
pub(crate) struct Described<'a> {
    pub(crate) dtype: DType,
    pub(crate) layout: &'a Layout,
    /// Elements of the layout, and of the buffer.
    pub(crate) len: usize,
    pub(crate) buffer_len: usize,
    pub(crate) is_contiguous: bool,
}

impl<'a> Described<'a> {
    pub(crate) fn dims(&self) -> &'a [usize] {
        self.layout.dims()
    }

    pub(crate) fn has_shape_of(&self, other: &Self) -> bool {
        std::ptr::eq(self.layout, other.layout) || self.dims() == other.dims()
    }

    /// Whether both have one dtype and one shape.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.dtype == other.dtype && self.has_shape_of(other)
    }

    /// Of a contiguous parameter of that dtype, as many elements as that.
    pub(crate) fn is_parameter(&self, dtype: DType, len: usize) -> bool {
        self.dtype == dtype && self.is_contiguous && self.len == len
    }
}
