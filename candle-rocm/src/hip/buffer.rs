//! Owned device memory.

use std::marker::PhantomData;

use crate::Element;

/// An address in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DevicePtr(u64);

impl DevicePtr {
    /// The null address.
    pub const NULL: Self = Self(0);

    /// The address as a number.
    pub fn address(self) -> u64 {
        self.0
    }
}

/// `len` values of `T` in device memory.
#[derive(Debug)]
pub struct Buffer<T> {
    ptr: DevicePtr,
    len: usize,
    _type: PhantomData<T>,
}

impl<T: Element> Buffer<T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Address of the first element.
    pub fn as_ptr(&self) -> DevicePtr {
        self.ptr
    }
}
