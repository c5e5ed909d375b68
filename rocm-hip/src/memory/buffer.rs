//! Owned device memory.

use std::any::{Any, type_name};
use std::fmt;
use std::marker::PhantomData;

use super::pool::Pool;
use super::readers::Readers;
use super::size_classes::Block;
use crate::{Device, Element, HipError, Refused, Result, Stream};

/// Kernels read vectors from a buffer's start.
const ALIGNMENT: u64 = 256;

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

    /// The address `bytes` bytes after this one.
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

/// What frees memory that is not a pool's when it is dropped.
pub(crate) type Owner = Box<dyn Any + Send + Sync>;

/// `len` elements of type `T` in the memory of one device, from a [`Pool`] or [another owner](Buffer::from_raw_parts).
///
/// Dropping a buffer returns its memory to the pool at once, even if kernels that use it are still queued: the next owner queues its work
/// after them, on the same stream. If another stream uses the memory, announce that with [`Buffer::record_stream`] or [`Buffer::used_on`].
/// Writes by the pool's stream, through anything that takes the buffer by `&mut`, then wait for that stream.
///
/// On GPUs, the whole aligned 4-byte word that contains the last byte belongs to the buffer: kernels may read it, and may change their part
/// of it with an atomic operation on the word.
pub struct Buffer<T> {
    block: Block,
    len: usize,
    /// Whose memory this is; the pool's own if there is none. Behind two pointers, as few buffers have one and all are to be small.
    owner: Option<Box<Owner>>,
    pool: Pool,
    /// Other streams that use it.
    readers: Readers,
    _elements: PhantomData<T>,
}

impl<T: Element> Buffer<T> {
    /// The block holds at least `len` elements, and is the null block if there are none.
    pub(crate) fn new(block: Block, len: usize, pool: Pool) -> Self {
        Self { block, len, owner: None, pool, readers: Readers::default(), _elements: PhantomData }
    }
}

impl<T: Element> Buffer<T> {
    /// Wraps memory that belongs to `owner`, for use by a pool's stream. The pool neither caches nor counts it.
    ///
    /// Dropping the buffer waits for the work that uses it, on the pool's stream and on [recorded](Buffer::record_stream) ones, then drops
    /// `owner`, which frees the memory. [`Buffer::into_owner`] returns `owner` instead.
    ///
    /// # Errors
    /// [`HipError::InvalidArgument`] if the address is not a multiple of 256, or is null although `len` is not zero.
    ///
    /// # Safety
    /// `address` points to `len` elements in memory of the pool's device, including the whole aligned 4-byte word that contains the last
    /// byte. They stay valid as long as `owner` lives, and nothing else uses them meanwhile: work queued earlier on another stream is done,
    /// or the pool's stream waits for it.
    pub unsafe fn from_raw_parts<O: Any + Send + Sync>(
        address: DevicePtr,
        len: usize,
        owner: O,
        pool: &Pool,
    ) -> Result<Self, Refused<O>> {
        let bytes = len * size_of::<T>();
        if !address.address().is_multiple_of(ALIGNMENT) || (address.is_null() && bytes > 0) {
            let message = format!(
                "{bytes} bytes at {address:?}: kernels need an address that is a multiple of {ALIGNMENT}"
            );
            let error = HipError::InvalidArgument { op: "Buffer::from_raw_parts", message };
            return Err(Refused::new(owner, error));
        }
        let block = Block::not_of_a_pool(address.address(), bytes);
        let mut buffer = Self::new(block, len, pool.clone());
        buffer.owner = Some(Box::new(Box::new(owner)));
        Ok(buffer)
    }

    /// Returns the owner that was passed to [`Buffer::from_raw_parts`]. Waits for the work that uses the memory, on the pool's stream and
    /// on [recorded](Buffer::record_stream) ones.
    ///
    /// # Errors
    /// [`HipError::InvalidArgument`] if the memory has no owner of this type; otherwise the error of the work that uses it.
    pub fn into_owner<O: Any + Send + Sync>(mut self) -> Result<O, Refused<Self>> {
        let owner = match self.owner.take().map(|owner| (*owner).downcast::<O>()) {
            Some(Ok(owner)) => owner,
            other => {
                self.owner = other.and_then(Result::err).map(Box::new);
                let whose = if self.owner.is_some() { "another owner's" } else { "its pool's" };
                let message = format!("the memory is {whose}, and not a {}", type_name::<O>());
                let error = HipError::InvalidArgument { op: "Buffer::into_owner", message };
                return Err(Refused::new(self, error));
            }
        };
        if let Err(error) = self.pool.0.wait_for_users(self.block, &mut self.readers) {
            self.owner = Some(Box::new(owner));
            return Err(Refused::new(self, error));
        }
        // Nothing is left for the drop.
        self.block = Block::NULL;
        Ok(*owner)
    }
}

impl<T> Buffer<T> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The size in bytes.
    pub fn size_in_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The address of the first element, for reading; null if there are none. Aligned to 256 bytes.
    pub fn as_ptr(&self) -> DevicePtr {
        DevicePtr(self.block.address)
    }

    /// [`Buffer::as_ptr`], for writing with the next work on the pool's stream. That work waits for the other streams that
    /// [use](Buffer::record_stream) the buffer, [used](Buffer::used_on) it or [copy](crate::Queue::copy_of) it. The calling thread does not
    /// wait.
    ///
    /// # Errors
    /// As [`Stream::wait`].
    #[inline]
    pub fn as_mut_ptr(&mut self) -> Result<DevicePtr> {
        self.readers.before_write(self.pool.stream())?;
        Ok(self.as_ptr())
    }

    /// The device that the memory is on.
    pub fn device(&self) -> Device {
        self.pool.device()
    }

    /// The pool that the memory returns to, or whose stream uses it.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Announces that work queued on `stream`, now and later, uses this buffer. The pool's stream waits for everything queued on `stream`
    /// by then before it [writes](Buffer::as_mut_ptr) to the buffer, and before the memory is reused after a drop. Conversely,
    /// [`Stream::wait_for`] makes `stream` wait for writes. Not needed for the pool's own stream.
    pub fn record_stream(&self, stream: &Stream) {
        if self.is_foreign(stream) {
            self.readers.announce(stream);
        }
    }

    /// As [`Buffer::record_stream`], of the work only that `stream` has been given so far: what it is given later does not use this buffer.
    pub fn used_on(&self, stream: &Stream) {
        if self.is_foreign(stream) {
            self.readers.mark(stream);
        }
    }

    fn is_foreign(&self, stream: &Stream) -> bool {
        self.block != Block::NULL && stream != self.pool.stream() && !self.device().is_abandoned()
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        match self.owner.take() {
            None => self.pool.0.put(self.block, &mut self.readers),
            Some(owner) => self.pool.0.drop_owner(self.block, &mut self.readers, *owner),
        }
    }
}

impl<T: Element> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer<{}>({} on {}, {:?})", T::NAME, self.len, self.device(), self.as_ptr())
    }
}
