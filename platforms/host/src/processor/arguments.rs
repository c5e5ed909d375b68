//! A kernel's arguments.

use std::ffi::c_void;

use super::Kernel;

/// A kernel's arguments, copied when it was launched.
pub struct Arguments {
    /// Aligned for everything that a parameter may be.
    memory: Vec<Aligned>,
    size: usize,
    addresses: Vec<*const c_void>,
}

// SAFETY: they are never written, and what they point to on the device is up to the kernel.
unsafe impl Send for Arguments {}
// SAFETY: as above.
unsafe impl Sync for Arguments {}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Aligned([u8; 64]);

impl Arguments {
    /// Copies arguments, each from where `source` says for its number and offset.
    ///
    /// # Safety
    /// What `source` gives is valid for reading the size of that parameter.
    pub(crate) unsafe fn copy(kernel: &Kernel, source: impl Fn(usize, usize) -> *const u8) -> Self {
        let mut memory = vec![Aligned([0; 64]); kernel.arguments_size().div_ceil(64)];
        let base = memory.as_mut_ptr().cast::<u8>();
        let addresses = kernel
            .parameters
            .iter()
            .enumerate()
            .map(|(index, parameter)| {
                // SAFETY: the parameter lies within `memory`; the caller vouches for the source.
                unsafe {
                    let to = base.add(parameter.offset);
                    std::ptr::copy_nonoverlapping(source(index, parameter.offset), to, parameter.size);
                    to.cast_const().cast()
                }
            })
            .collect();
        Self { memory, size: kernel.arguments_size(), addresses }
    }

    /// All of them, each at its parameter's offset.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: bytes of the vector, which are initialised.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), self.size) }
    }

    /// As a kernel wants them.
    pub(crate) fn as_ptr(&self) -> *const *const c_void {
        self.addresses.as_ptr()
    }
}
