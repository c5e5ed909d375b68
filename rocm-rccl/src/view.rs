//! Elements that are read.

use rocm_hip::{Buffer, Element, HipError};

use crate::Result;

/// A range of a buffer's elements, for reading.
#[derive(Debug)]
pub struct View<'a, T: Element> {
    buffer: &'a Buffer<T>,
    start: usize,
    len: usize,
}

impl<T: Element> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Element> Copy for View<'_, T> {}

impl<'a, T: Element> View<'a, T> {
    /// The `len` elements of the buffer that start at index `start`.
    ///
    /// # Errors
    /// [`HipError::OutOfBounds`].
    pub fn new(buffer: &'a Buffer<T>, start: usize, len: usize) -> Result<Self> {
        match start.checked_add(len) {
            Some(end) if end <= buffer.len() => Ok(Self { buffer, start, len }),
            end => {
                let (end, len) = (end.unwrap_or(usize::MAX), buffer.len());
                Err(HipError::OutOfBounds { op: "View::new", start, end, len }.into())
            }
        }
    }

    /// The buffer that contains the elements.
    pub fn buffer(&self) -> &'a Buffer<T> {
        self.buffer
    }

    /// The index of the first element in the buffer.
    pub fn start(&self) -> usize {
        self.start
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn address(&self) -> usize {
        self.buffer.as_ptr().byte_add(self.start * size_of::<T>()).address() as usize
    }
}

impl<'a, T: Element> From<&'a Buffer<T>> for View<'a, T> {
    fn from(buffer: &'a Buffer<T>) -> Self {
        Self { buffer, start: 0, len: buffer.len() }
    }
}
