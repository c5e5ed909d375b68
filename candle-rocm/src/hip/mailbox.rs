//! Words of host memory that kernels write to.

use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Device, DevicePtr};
use crate::error::{Result, RocmError};

/// `N` words of pinned host memory under one address for host and device. What a kernel wrote is there once the host has
/// waited for the kernel. Kernels only write: reading host memory from a GPU is slow, and stale on some.
#[derive(Debug)]
pub(crate) struct Mailbox<const N: usize> {
    words: NonNull<[AtomicU64; N]>,
    device: Device,
}

// SAFETY: the memory belongs to the mailbox alone, and its words are atomic.
unsafe impl<const N: usize> Send for Mailbox<N> {}
// SAFETY: as above.
unsafe impl<const N: usize> Sync for Mailbox<N> {}

impl<const N: usize> Mailbox<N> {
    /// Words that hold `value`.
    pub(crate) fn new(device: Device, value: u64) -> Result<Self> {
        device.bind()?;
        let mut memory = ptr::null_mut();
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { device.hip().hipHostMalloc(&mut memory, size_of::<[AtomicU64; N]>(), 0) };
        device.check("hipHostMalloc", code)?;
        let Some(words) = NonNull::new(memory.cast::<[AtomicU64; N]>()) else {
            return Err(RocmError::InvalidArgument {
                op: "hipHostMalloc",
                message: "the runtime reported success, and gave no memory".to_owned(),
            });
        };
        // SAFETY: the memory has that size, is aligned to a page, and nobody else knows it yet.
        unsafe { words.write([const { AtomicU64::new(0) }; N]) };
        let mailbox = Self { words, device };
        mailbox.words().iter().for_each(|word| word.store(value, Ordering::Relaxed));
        Ok(mailbox)
    }

    /// The words, as the host sees them.
    pub(crate) fn words(&self) -> &[AtomicU64; N] {
        // SAFETY: the memory lives as long as `self`, and holds atomics since `new`.
        unsafe { self.words.as_ref() }
    }

    /// Where kernels find word `index`.
    pub(crate) fn address(&self, index: usize) -> DevicePtr {
        DevicePtr::from(&raw const self.words()[index] as u64)
    }
}

/// The owner has waited for the kernels that write here.
impl<const N: usize> Drop for Mailbox<N> {
    fn drop(&mut self) {
        if self.device.is_reachable_when_idle() {
            // SAFETY: the memory came from hipHostMalloc, and the owner vouches that no kernel uses it any more.
            let _ = unsafe { self.device.hip().hipHostFree(self.words.as_ptr().cast::<c_void>()) };
        }
    }
}
