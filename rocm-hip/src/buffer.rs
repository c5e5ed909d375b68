//! Owned device memory.

use std::fmt;
use std::marker::PhantomData;

use crate::pool::{Pool, PoolInner};
use crate::size_classes::Block;
use crate::{Device, Element, Stream};

/// An address in device memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DevicePtr(u64);

impl DevicePtr {
    /// The null address.
    pub const NULL: Self = Self(0);

    /// The address as a number.
    pub fn address(self) -> u64 {
        self.0
    }

    /// The address as the pointer that HIP's functions take. The host must not read or write through it.
    pub fn as_raw(self) -> *mut std::ffi::c_void {
        self.0 as usize as *mut std::ffi::c_void
    }

    /// Whether this is the null address.
    pub fn is_null(self) -> bool {
        self.0 == 0
    }

    /// The address so many bytes further on.
    pub fn byte_add(self, bytes: usize) -> Self {
        Self(self.0 + bytes as u64)
    }
}

impl From<u64> for DevicePtr {
    fn from(address: u64) -> Self {
        Self(address)
    }
}

impl fmt::Debug for DevicePtr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// `len` values of `T` in the memory of one device, from a [`Pool`].
///
/// Dropping it gives the memory back to the pool at once, while kernels that use it may still be queued: whoever gets
/// the memory next queues its work on the same stream, behind them. Memory that another stream uses must be announced
/// with [`Buffer::record_stream`].
///
/// On cards the aligned word of 4 bytes that holds the last byte belongs to the buffer as a whole: kernels may read it, and
/// change their part of it by an atomic operation on all of it.
pub struct Buffer<T> {
    block: Block,
    len: usize,
    pool: Pool,
    _elements: PhantomData<T>,
}

impl<T: Element> Buffer<T> {
    /// The block holds at least `len` elements, and is the null block if there are none.
    pub(crate) fn new(block: Block, len: usize, pool: Pool) -> Self {
        Self { block, len, pool, _elements: PhantomData }
    }
}

impl<T> Buffer<T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of bytes.
    pub fn size_in_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// Address of the first element; null if there are none. Aligned to 256 bytes.
    pub fn as_ptr(&self) -> DevicePtr {
        DevicePtr(self.block.address)
    }

    /// The device whose memory this is.
    pub fn device(&self) -> Device {
        self.pool.device()
    }

    /// The pool that the memory goes back to.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Says that work queued on `stream` uses this buffer: once it is dropped, its memory is not used again before
    /// everything that is on `stream` by then is done. Not needed for the pool's own stream.
    pub fn record_stream(&self, stream: &Stream) {
        self.pool.0.record(self.block, stream);
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        PoolInner::put(&self.pool.0, self.block);
    }
}

impl<T: Element> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer<{}>({} on {}, {:?})", T::NAME, self.len, self.device(), self.as_ptr())
    }
}
