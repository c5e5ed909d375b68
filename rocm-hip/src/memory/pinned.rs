//! Words of host memory that kernels write to.

use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Device, DevicePtr, HipError, Result};

/// `N` words of pinned host memory at one address for host and device. The host sees what a kernel wrote once it has waited for the kernel.
/// Kernels should only write: reading host memory from a GPU is slow, and returns stale values on some GPUs.
///
/// Kernels get the raw address, so the caller must make sure that the words outlive the kernel: wait for it before dropping them.
#[derive(Debug)]
pub struct PinnedWords<const N: usize> {
    words: NonNull<[AtomicU64; N]>,
    device: Device,
}

// SAFETY: the memory belongs to the words alone, and its words are atomic.
unsafe impl<const N: usize> Send for PinnedWords<N> {}
// SAFETY: as above.
unsafe impl<const N: usize> Sync for PinnedWords<N> {}

impl<const N: usize> PinnedWords<N> {
    /// Allocates words and sets them to `value`.
    ///
    /// # Errors
    /// [`HipError::Call`] if there is no pinned memory left.
    pub fn new(device: Device, value: u64) -> Result<Self> {
        device.bind()?;
        let mut memory = ptr::null_mut();
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { device.hip().hipHostMalloc(&mut memory, size_of::<[AtomicU64; N]>(), 0) };
        device.check("hipHostMalloc", code)?;
        let Some(words) = NonNull::new(memory.cast::<[AtomicU64; N]>()) else {
            return Err(HipError::NoMemoryGiven { call: "hipHostMalloc" });
        };
        // SAFETY: the memory has that size, is aligned to a page, and nobody else knows it yet.
        unsafe { words.write([const { AtomicU64::new(0) }; N]) };
        let words = Self { words, device };
        words.words().iter().for_each(|word| word.store(value, Ordering::Relaxed));
        Ok(words)
    }

    /// The words, for use by the host.
    pub fn words(&self) -> &[AtomicU64; N] {
        // SAFETY: the memory lives as long as `self`, and holds atomics since `new`.
        unsafe { self.words.as_ref() }
    }

    /// The address of the first word, for use by kernels.
    pub fn as_ptr(&self) -> DevicePtr {
        DevicePtr::from(self.words.as_ptr() as u64)
    }
}

/// The owner has waited for the kernels that write here.
impl<const N: usize> Drop for PinnedWords<N> {
    fn drop(&mut self) {
        if self.device.is_reachable_when_idle() {
            // SAFETY: the memory came from hipHostMalloc, and the owner vouches that no kernel uses it any more.
            let _ = unsafe { self.device.hip().hipHostFree(self.words.as_ptr().cast::<c_void>()) };
        }
    }
}
