//! Device memory, pinned host memory, and what is known about an address.

use std::ffi::{c_uint, c_void};
use std::ptr;

use rocm_sys::hip::{
    hipError_t, hipHostMallocCoherent, hipHostMallocMapped, hipHostMallocNonCoherent, hipHostMallocNumaUser,
    hipHostMallocPortable, hipHostMallocWriteCombined, hipHostRegisterIoMemory, hipHostRegisterMapped,
    hipHostRegisterPortable, hipHostRegisterReadOnly, hipPointerAttribute_t,
};

use super::HipResult;
use crate::arguments::{required, write};

// The flags that the headers of ROCm 6.4 lack.
const HOST_MALLOC_UNCACHED: c_uint = 0x1000_0000;
const HOST_REGISTER_UNCACHED: c_uint = 0x8000_0000;

const HOST_MALLOC_FLAGS: c_uint = hipHostMallocPortable
    | hipHostMallocMapped
    | hipHostMallocWriteCombined
    | HOST_MALLOC_UNCACHED
    | hipHostMallocNumaUser
    | hipHostMallocCoherent
    | hipHostMallocNonCoherent;
const HOST_REGISTER_FLAGS: c_uint = hipHostRegisterPortable
    | hipHostRegisterMapped
    | hipHostRegisterIoMemory
    | hipHostRegisterReadOnly
    | HOST_REGISTER_UNCACHED;

/// Memory of devices, and of the host as far as devices use it.
///
/// # Safety
///
/// Unsafe methods require what their C functions require: handles are valid, and memory is for as long as the call or the queued
/// work uses it.
///
/// # Errors
///
/// The code that the C function is to return.
#[allow(clippy::missing_safety_doc)]
pub trait Memory {
    /// Memory of the calling thread's device. A size of 0 gives a null pointer.
    /// Fails with `hipErrorOutOfMemory`, or the device's fault.
    fn allocate(size: usize) -> HipResult<*mut c_void>;

    /// Memory for rows of `width` bytes, each aligned: the address, and the bytes between rows.
    fn allocate_rows(width: usize, height: usize) -> HipResult<(*mut c_void, usize)>;

    /// Pinned host memory. A size of 0 gives a null pointer. `flags` are some of `hipHostMalloc`'s.
    fn allocate_host(size: usize, flags: c_uint) -> HipResult<*mut c_void>;

    /// Frees device memory once queued work that may use it is done. The address is not null.
    unsafe fn free(address: *mut c_void) -> HipResult;

    /// Frees pinned host memory, as [`free`](Self::free) does device memory.
    unsafe fn free_host(address: *mut c_void) -> HipResult;

    /// Pins memory that the program allocated: neither null nor empty, with some of `hipHostRegister`'s flags.
    /// Fails with `hipErrorHostMemoryAlreadyRegistered` for memory of which a part is pinned, or the device's fault. AMD's runtime
    /// accepts exactly the same memory again.
    unsafe fn register(address: *mut c_void, size: usize, flags: c_uint) -> HipResult;

    /// Takes that back.
    /// Fails with `hipErrorHostMemoryNotRegistered`, or the device's fault.
    unsafe fn unregister(address: *mut c_void) -> HipResult;

    /// The address by which devices know pinned host memory. `address` is not null.
    /// Fails with `hipErrorInvalidValue` for memory that is not pinned.
    fn device_pointer(address: *mut c_void) -> HipResult<*mut c_void>;

    /// The flags of pinned host memory.
    /// Fails with `hipErrorInvalidValue` for memory that is not pinned.
    fn host_flags(address: *mut c_void) -> HipResult<c_uint>;

    /// The current device's free and total memory in bytes.
    fn free_and_total() -> HipResult<(usize, usize)>;

    /// What kind of memory an address is in.
    /// Fails with `hipErrorInvalidValue` for memory that the platform knows nothing about.
    fn attributes(address: *const c_void) -> HipResult<hipPointerAttribute_t>;

    /// Start and size of the allocation that holds an address.
    /// Fails with `hipErrorNotFound` if there is none.
    fn allocation(address: *mut c_void) -> HipResult<(*mut c_void, usize)>;
}

/// `hipMalloc`. A failed allocation leaves a null pointer.
///
/// # Safety
///
/// `out` is null or valid for writing.
///
/// # Errors
///
/// As for [`Memory::allocate`]; `hipErrorInvalidValue` if `out` is null.
pub unsafe fn allocate<M: Memory>(out: *mut *mut c_void, size: usize) -> HipResult {
    // SAFETY: the caller's promise.
    unsafe {
        write(out, ptr::null_mut())?;
        Ok(write(out, M::allocate(size)?)?)
    }
}

/// `hipMallocPitch`. A failed allocation leaves a null pointer and a pitch of 0.
///
/// # Safety
///
/// `out` and `pitch` are null or valid for writing.
///
/// # Errors
///
/// As for [`Memory::allocate_rows`]; `hipErrorInvalidValue` if `out` or `pitch` is null.
pub unsafe fn allocate_rows<M: Memory>(
    out: *mut *mut c_void,
    pitch: *mut usize,
    width: usize,
    height: usize,
) -> HipResult {
    // SAFETY: the caller's promise.
    unsafe {
        write(out, ptr::null_mut())?;
        write(pitch, 0)?;
        let (address, row) = M::allocate_rows(width, height)?;
        write(out, address)?;
        Ok(write(pitch, row)?)
    }
}

/// `hipHostMalloc`. A failed allocation leaves a null pointer.
///
/// # Safety
///
/// `out` is null or valid for writing.
///
/// # Errors
///
/// As for [`Memory::allocate_host`]; `hipErrorInvalidValue` if `out` is null, or for flags that are unknown or exclude each other.
pub unsafe fn allocate_host<M: Memory>(out: *mut *mut c_void, size: usize, flags: c_uint) -> HipResult {
    let both = hipHostMallocCoherent | hipHostMallocNonCoherent;
    if flags & !HOST_MALLOC_FLAGS != 0 || flags & both == both {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    // SAFETY: the caller's promise.
    unsafe {
        write(out, ptr::null_mut())?;
        Ok(write(out, M::allocate_host(size, flags)?)?)
    }
}

/// `hipFree`: nothing happens for a null pointer.
///
/// # Safety
///
/// As for [`Memory::free`].
///
/// # Errors
///
/// As for [`Memory::free`].
pub unsafe fn free<M: Memory>(address: *mut c_void) -> HipResult {
    // SAFETY: the caller's promise.
    if address.is_null() { Ok(()) } else { unsafe { M::free(address) } }
}

/// `hipHostFree`: nothing happens for a null pointer.
///
/// # Safety
///
/// As for [`Memory::free_host`].
///
/// # Errors
///
/// As for [`Memory::free_host`].
pub unsafe fn free_host<M: Memory>(address: *mut c_void) -> HipResult {
    // SAFETY: the caller's promise.
    if address.is_null() { Ok(()) } else { unsafe { M::free_host(address) } }
}

/// `hipHostRegister`.
///
/// # Safety
///
/// As for [`Memory::register`].
///
/// # Errors
///
/// As for [`Memory::register`]; `hipErrorInvalidValue` for no memory or unknown flags.
pub unsafe fn register<M: Memory>(address: *mut c_void, size: usize, flags: c_uint) -> HipResult {
    if address.is_null() || size == 0 || flags & !HOST_REGISTER_FLAGS != 0 {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    // SAFETY: the caller's promise.
    unsafe { M::register(address, size, flags) }
}

/// `hipHostGetDevicePointer`.
///
/// # Errors
///
/// As for [`Memory::device_pointer`]; `hipErrorInvalidValue` for flags, of which there are none.
pub fn device_pointer<M: Memory>(address: *mut c_void, flags: c_uint) -> HipResult<*mut c_void> {
    if flags != 0 {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    required(address)?;
    M::device_pointer(address)
}

/// `hipMemPtrGetInfo`: the size of an allocation; 0 for a null pointer.
///
/// # Errors
///
/// `hipErrorInvalidValue` for an address in no allocation.
pub fn allocation_size<M: Memory>(address: *mut c_void) -> HipResult<usize> {
    if address.is_null() {
        return Ok(0);
    }
    M::allocation(address).map(|(_, size)| size).map_err(|_| hipError_t::hipErrorInvalidValue)
}

/// Defines HIP's functions for memory, in the table `EXPORTS`, for the [`Memory`] of a platform.
#[macro_export]
macro_rules! hip_memory_exports {
    ($platform:ident) => {
        mod functions {
            use super::$platform;
            use $crate::abi::hip::*;
            use $crate::arguments::write;
            use $crate::hip::memory;

            $crate::export! {
                $platform, hip => EXPORTS;

                fn hipMalloc(out: *mut *mut c_void, size: usize) -> hipError_t {
                    // SAFETY: the caller's out-parameter.
                    unsafe { memory::allocate::<$platform>(out, size) }
                }

                fn hipMallocPitch(
                    out: *mut *mut c_void, pitch: *mut usize, width: usize, height: usize,
                ) -> hipError_t {
                    // SAFETY: the caller's out-parameters.
                    unsafe { memory::allocate_rows::<$platform>(out, pitch, width, height) }
                }

                fn hipFree(address: *mut c_void) -> hipError_t {
                    // SAFETY: the caller's memory.
                    unsafe { memory::free::<$platform>(address) }
                }

                fn hipHostMalloc(out: *mut *mut c_void, size: usize, flags: c_uint) -> hipError_t {
                    // SAFETY: the caller's out-parameter.
                    unsafe { memory::allocate_host::<$platform>(out, size, flags) }
                }

                fn hipHostAlloc(out: *mut *mut c_void, size: usize, flags: c_uint) -> hipError_t {
                    // SAFETY: the caller's out-parameter.
                    unsafe { memory::allocate_host::<$platform>(out, size, flags) }
                }

                fn hipMallocHost(out: *mut *mut c_void, size: usize) -> hipError_t {
                    // SAFETY: the caller's out-parameter.
                    unsafe { memory::allocate_host::<$platform>(out, size, 0) }
                }

                fn hipMemAllocHost(out: *mut *mut c_void, size: usize) -> hipError_t {
                    // SAFETY: the caller's out-parameter.
                    unsafe { memory::allocate_host::<$platform>(out, size, 0) }
                }

                fn hipHostFree(address: *mut c_void) -> hipError_t {
                    // SAFETY: the caller's memory.
                    unsafe { memory::free_host::<$platform>(address) }
                }

                fn hipFreeHost(address: *mut c_void) -> hipError_t {
                    // SAFETY: the caller's memory.
                    unsafe { memory::free_host::<$platform>(address) }
                }

                fn hipHostRegister(address: *mut c_void, size: usize, flags: c_uint) -> hipError_t {
                    // SAFETY: the caller's memory.
                    unsafe { memory::register::<$platform>(address, size, flags) }
                }

                fn hipHostUnregister(address: *mut c_void) -> hipError_t {
                    // SAFETY: the caller's memory.
                    unsafe { <$platform as memory::Memory>::unregister(address) }
                }

                fn hipHostGetDevicePointer(
                    out: *mut *mut c_void, address: *mut c_void, flags: c_uint,
                ) -> hipError_t {
                    let found = memory::device_pointer::<$platform>(address, flags)?;
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, found)? })
                }

                fn hipHostGetFlags(flags: *mut c_uint, address: *mut c_void) -> hipError_t {
                    let found = <$platform as memory::Memory>::host_flags(address)?;
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(flags, found)? })
                }

                fn hipMemGetInfo(free: *mut usize, total: *mut usize) -> hipError_t {
                    let found = <$platform as memory::Memory>::free_and_total()?;
                    // SAFETY: the caller's out-parameters.
                    unsafe {
                        write(free, found.0)?;
                        Ok(write(total, found.1)?)
                    }
                }

                fn hipPointerGetAttributes(out: *mut hipPointerAttribute_t, address: *const c_void) -> hipError_t {
                    let attributes = <$platform as memory::Memory>::attributes(address)?;
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, attributes)? })
                }

                fn hipMemGetAddressRange(
                    base: *mut hipDeviceptr_t, size: *mut usize, address: hipDeviceptr_t,
                ) -> hipError_t {
                    let allocation = <$platform as memory::Memory>::allocation(address)?;
                    // SAFETY: the caller's out-parameters.
                    unsafe {
                        write(base, allocation.0)?;
                        Ok(write(size, allocation.1)?)
                    }
                }

                fn hipMemPtrGetInfo(address: *mut c_void, size: *mut usize) -> hipError_t {
                    let bytes = memory::allocation_size::<$platform>(address)?;
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(size, bytes)? })
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}
