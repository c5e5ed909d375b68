//! Allocating and freeing device memory and pinned host memory, and asking about addresses.

use super::device;
use super::error::write;
use super::registry::{self, Owner, Place};
use crate::exports::export;
use rocm_sys::hip::{hipDeviceptr_t, hipError_t, hipMemoryType, hipPointerAttribute_t};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

// hipHostMalloc's and hipHostRegister's flags, as the headers have them.
const HOST_COHERENT: c_uint = 0x4000_0000;
const HOST_NON_COHERENT: c_uint = 0x8000_0000;
const HOST_MALLOC_FLAGS: c_uint =
    0x1 | 0x2 | 0x4 | 0x1000_0000 | 0x2000_0000 | HOST_COHERENT | HOST_NON_COHERENT;
const HOST_REGISTER_FLAGS: c_uint = 0x1 | 0x2 | 0x4 | 0x8 | 0x8000_0000;

/// Allocates and writes the address; no bytes give a null pointer, as in HIP.
///
/// # Safety
/// `out` is null or valid for writing.
unsafe fn allocate(out: *mut *mut c_void, size: usize, owner: Owner) -> Result<(), hipError_t> {
    if out.is_null() {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    owner.device().check()?;
    let address = if size == 0 { 0 } else { registry::allocate(owner, size)? };
    // SAFETY: not null, so the caller vouches for it.
    unsafe { write(out, address as *mut c_void) }
}

/// # Safety
/// As for [`allocate`].
unsafe fn allocate_host(out: *mut *mut c_void, size: usize, flags: c_uint) -> Result<(), hipError_t> {
    let both = HOST_COHERENT | HOST_NON_COHERENT;
    if flags & !HOST_MALLOC_FLAGS != 0 || flags & both == both {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    // SAFETY: the caller's out-parameter.
    unsafe { allocate(out, size, Owner::Host(device::current(), flags)) }
}

/// Waits for queued work, which may still use the memory, then frees it.
///
/// A device with a fault frees too, and says that it has one.
fn free(address: *mut c_void, expected: fn(Owner) -> Result<(), hipError_t>) -> Result<(), hipError_t> {
    if address.is_null() {
        return Ok(());
    }
    let found = registry::find(address as usize).filter(|found| found.base == address as usize);
    let device = match found {
        Some(found) => {
            expected(found.owner)?;
            found.owner.device()
        }
        None => return Err(hipError_t::hipErrorInvalidValue),
    };
    device::drain_all()?;
    registry::free(address as usize, |owner| expected(owner).is_ok())?;
    device.check()
}

fn free_device(address: *mut c_void) -> Result<(), hipError_t> {
    free(address, |owner| match owner {
        Owner::Device(_) => Ok(()),
        Owner::Host(..) | Owner::Registered(..) => Err(hipError_t::hipErrorInvalidDevicePointer),
    })
}

fn free_host(address: *mut c_void) -> Result<(), hipError_t> {
    free(address, |owner| match owner {
        Owner::Host(..) => Ok(()),
        Owner::Device(_) | Owner::Registered(..) => Err(hipError_t::hipErrorInvalidValue),
    })
}

export! {
    hip => EXPORTS;

    fn hipMalloc(out: *mut *mut c_void, size: usize) -> hipError_t {
        // SAFETY: the caller's out-parameter.
        unsafe { allocate(out, size, Owner::Device(device::current())) }
    }

    fn hipFree(address: *mut c_void) -> hipError_t {
        free_device(address)
    }

    fn hipHostMalloc(out: *mut *mut c_void, size: usize, flags: c_uint) -> hipError_t {
        // SAFETY: the caller's out-parameter.
        unsafe { allocate_host(out, size, flags) }
    }

    fn hipMallocHost(out: *mut *mut c_void, size: usize) -> hipError_t {
        // SAFETY: the caller's out-parameter.
        unsafe { allocate_host(out, size, 0) }
    }

    fn hipHostAlloc(out: *mut *mut c_void, size: usize, flags: c_uint) -> hipError_t {
        // SAFETY: the caller's out-parameter.
        unsafe { allocate_host(out, size, flags) }
    }

    fn hipMemAllocHost(out: *mut *mut c_void, size: usize) -> hipError_t {
        // SAFETY: the caller's out-parameter.
        unsafe { allocate_host(out, size, 0) }
    }

    /// Rows of `width` bytes, each aligned.
    fn hipMallocPitch(out: *mut *mut c_void, pitch: *mut usize, width: usize, height: usize) -> hipError_t {
        let row = width.checked_next_multiple_of(registry::GUARD).ok_or(hipError_t::hipErrorInvalidValue)?;
        let size = row.checked_mul(height).ok_or(hipError_t::hipErrorInvalidValue)?;
        // SAFETY: the caller's out-parameters.
        unsafe {
            write(pitch, row)?;
            allocate(out, size, Owner::Device(device::current()))
        }
    }

    fn hipHostFree(address: *mut c_void) -> hipError_t {
        free_host(address)
    }

    fn hipFreeHost(address: *mut c_void) -> hipError_t {
        free_host(address)
    }

    fn hipHostRegister(address: *mut c_void, size: usize, flags: c_uint) -> hipError_t {
        if address.is_null() || size == 0 || flags & !HOST_REGISTER_FLAGS != 0 {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        let device = device::current();
        device.check()?;
        registry::register(Owner::Registered(device, flags), address as usize, size)
    }

    fn hipHostUnregister(address: *mut c_void) -> hipError_t {
        let found = registry::find(address as usize);
        let device = match found.map(|found| found.owner) {
            Some(Owner::Registered(device, _)) => device,
            _ => return Err(hipError_t::hipErrorHostMemoryNotRegistered),
        };
        device::drain_all()?;
        registry::free(address as usize, |owner| matches!(owner, Owner::Registered(..)))
            .map_err(|_| hipError_t::hipErrorHostMemoryNotRegistered)?;
        device.check()
    }

    fn hipHostGetDevicePointer(out: *mut *mut c_void, address: *mut c_void, flags: c_uint) -> hipError_t {
        if flags != 0 || address.is_null() || !matches!(registry::place(address as usize, 1)?, Place::Pinned) {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, address) }
    }

    fn hipHostGetFlags(flags: *mut c_uint, address: *mut c_void) -> hipError_t {
        match registry::find(address as usize).map(|found| found.owner) {
            // SAFETY: the caller's out-parameter.
            Some(Owner::Host(_, made_with) | Owner::Registered(_, made_with)) => unsafe { write(flags, made_with) },
            _ => Err(hipError_t::hipErrorInvalidValue),
        }
    }

    fn hipMemGetInfo(free: *mut usize, total: *mut usize) -> hipError_t {
        let device = device::current();
        device.check()?;
        // SAFETY: the caller's out-parameters.
        unsafe {
            write(free, device.free_memory())?;
            write(total, device.memory)
        }
    }

    /// Memory that HIP knows nothing about is an invalid value, as before CUDA 11.
    fn hipPointerGetAttributes(out: *mut hipPointerAttribute_t, address: *const c_void) -> hipError_t {
        let found = registry::find(address as usize).ok_or(hipError_t::hipErrorInvalidValue)?;
        let pointer = address.cast_mut();
        let (kind, host, flags) = match found.owner {
            Owner::Device(_) => (hipMemoryType::hipMemoryTypeDevice, ptr::null_mut(), 0),
            Owner::Host(_, flags) | Owner::Registered(_, flags) => {
                (hipMemoryType::hipMemoryTypeHost, pointer, flags)
            }
        };
        let attributes = hipPointerAttribute_t {
            type_: kind,
            device: found.owner.device().ordinal as c_int,
            devicePointer: pointer,
            hostPointer: host,
            isManaged: 0,
            allocationFlags: flags,
        };
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, attributes) }
    }

    fn hipMemGetAddressRange(base: *mut hipDeviceptr_t, size: *mut usize, address: hipDeviceptr_t) -> hipError_t {
        let found = registry::find(address as usize).ok_or(hipError_t::hipErrorNotFound)?;
        // SAFETY: the caller's out-parameters.
        unsafe {
            write(base, found.base as hipDeviceptr_t)?;
            write(size, found.size)
        }
    }

    fn hipMemPtrGetInfo(address: *mut c_void, size: *mut usize) -> hipError_t {
        let bytes = match registry::find(address as usize) {
            Some(found) => found.size,
            None if address.is_null() => 0,
            None => return Err(hipError_t::hipErrorInvalidValue),
        };
        // SAFETY: the caller's out-parameter.
        unsafe { write(size, bytes) }
    }
}
