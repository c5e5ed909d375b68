//! Device memory, both ways.

use std::ffi::c_void;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

use ::rocm_rs::hip::DeviceMemory;
use rocm_sys::hip::hipPointerAttribute_t;

use super::{default_stream, layout, library};
use crate::{Buffer, Device, DevicePtr, Element, HipError, Pool, Refused, Result};

/// The memory of a [`Buffer`] in the form of rocm-rs, for reading. See [`Buffer::as_rocm_rs`].
pub struct MemoryRef<'a, T: Element> {
    /// Has the buffer's address, and must not be dropped.
    memory: ManuallyDrop<DeviceMemory<T>>,
    buffer: &'a Buffer<T>,
}

/// The memory of a [`Buffer`] in the form of rocm-rs, for writing. See [`Buffer::as_rocm_rs_mut`].
#[derive(Debug)]
pub struct MemoryMut<'a, T: Element>(MemoryRef<'a, T>);

impl<T: Element> Buffer<T> {
    /// Lends the memory to rocm-rs, for reading.
    ///
    /// What rocm-rs queues on the default stream runs after what the stream of this buffer's pool has been given so far, and before what it
    /// is given once the reference is dropped. See [the module](crate::rocm_rs) for other streams. The first call for a type allocates.
    ///
    /// # Errors
    /// [`HipError::OtherLibrary`] if rocm-rs is linked to another HIP library, [`HipError::UnknownLayout`] if its `DeviceMemory` does not
    /// have the expected layout, or an error of HIP.
    pub fn as_rocm_rs(&self) -> Result<MemoryRef<'_, T>> {
        let stream = self.pool().stream();
        library::check_same(self.device())?;
        default_stream::waits_for(stream)?;
        let memory = layout::memory_at(self.device(), self.as_ptr().as_raw(), self.size_in_bytes())?;
        Ok(MemoryRef { memory, buffer: self })
    }

    /// Lends the memory to rocm-rs, for writing. Otherwise as [`Buffer::as_rocm_rs`].
    ///
    /// # Errors
    /// As [`Buffer::as_rocm_rs`].
    ///
    /// # Safety
    /// The `DeviceMemory` behind the reference must stay in place. A value moved out of it, by [`std::mem::swap`] or [`std::mem::replace`],
    /// would free the pool's memory when dropped.
    pub unsafe fn as_rocm_rs_mut(&mut self) -> Result<MemoryMut<'_, T>> {
        self.as_mut_ptr()?;
        Ok(MemoryMut(self.as_rocm_rs()?))
    }

    /// Takes over memory of rocm-rs for work on a pool's stream, after what the default stream has been given so far.
    ///
    /// The pool neither caches nor counts it. Dropping the buffer waits for the work that uses it, then frees the memory as rocm-rs does.
    /// [`Buffer::into_rocm_rs`] returns it instead.
    ///
    /// # Errors
    /// [`HipError::OtherLibrary`] if rocm-rs is linked to another HIP library, [`HipError::WrongDevice`] if the memory is on another device
    /// than the pool, or an error of HIP.
    pub fn from_rocm_rs(memory: DeviceMemory<T>, pool: &Pool) -> Result<Self, Refused<DeviceMemory<T>>> {
        if let Err(error) = check(&memory, pool) {
            return Err(Refused::new(memory, error));
        }
        let address = DevicePtr::from(memory.as_ptr().addr() as u64);
        let len = memory.size().checked_div(size_of::<T>()).unwrap_or(0);
        // SAFETY: rocm-rs allocated that many bytes on the pool's device, as `check` found, and frees them when the owner is
        // dropped, which is the only handle to them. The pool's stream waits for what the default stream was given before.
        let buffer = unsafe { Self::from_raw_parts(address, len, Owned(memory), pool) };
        buffer.map_err(|refused| refused.map(|Owned(memory)| memory))
    }

    /// Returns memory that [`Buffer::from_rocm_rs`] took over to rocm-rs. Waits for the work that uses it.
    ///
    /// # Errors
    /// [`HipError::InvalidArgument`] if the memory did not come from rocm-rs, or the error of the work that uses it.
    pub fn into_rocm_rs(self) -> Result<DeviceMemory<T>, Refused<Self>> {
        self.into_owner::<Owned<T>>().map(|Owned(memory)| memory)
    }
}

/// The memory is of the same HIP and on the pool's device; the pool's stream waits for what wrote it.
fn check<T>(memory: &DeviceMemory<T>, pool: &Pool) -> Result<()> {
    let device = pool.device();
    library::check_same(device)?;
    if memory.as_ptr().is_null() {
        return Ok(());
    }
    Device::forget_current();
    device.bind()?;
    let ordinal = ordinal_of(memory.as_ptr(), device)?;
    if usize::try_from(ordinal) != Ok(device.ordinal()) {
        let theirs = format!("{}:{ordinal}", device.platform());
        return Err(HipError::WrongDevice {
            op: "Buffer::from_rocm_rs",
            lhs: theirs,
            rhs: device.to_string(),
        });
    }
    default_stream::comes_before(pool.stream())
}

/// The number of the device that an address belongs to.
fn ordinal_of(address: *const c_void, device: Device) -> Result<i32> {
    let mut attributes = hipPointerAttribute_t::default();
    // SAFETY: the place is valid for the call, which looks the address up and reads nothing there.
    let code = unsafe { device.hip().hipPointerGetAttributes(&mut attributes, address) };
    device.check("hipPointerGetAttributes", code)?;
    Ok(attributes.device)
}

/// Memory that rocm-rs frees when this is dropped.
struct Owned<T>(DeviceMemory<T>);

// SAFETY: an address in device memory, a number, and hipFree when it is dropped, which any thread may call. The elements are
// plain data of the device.
unsafe impl<T: Element> Send for Owned<T> {}
// SAFETY: as above; it is not used through shared references.
unsafe impl<T: Element> Sync for Owned<T> {}

impl<T: Element> Deref for MemoryRef<'_, T> {
    type Target = DeviceMemory<T>;

    fn deref(&self) -> &DeviceMemory<T> {
        &self.memory
    }
}

impl<T: Element> Drop for MemoryRef<'_, T> {
    fn drop(&mut self) {
        let stream = self.buffer.pool().stream();
        if let Err(error) = default_stream::comes_before(stream) {
            stream.defer(error);
        }
    }
}

impl<T: Element> Deref for MemoryMut<'_, T> {
    type Target = DeviceMemory<T>;

    fn deref(&self) -> &DeviceMemory<T> {
        &self.0.memory
    }
}

impl<T: Element> DerefMut for MemoryMut<'_, T> {
    fn deref_mut(&mut self) -> &mut DeviceMemory<T> {
        &mut self.0.memory
    }
}

impl<T: Element> fmt::Debug for MemoryRef<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryRef({:?})", self.buffer)
    }
}
