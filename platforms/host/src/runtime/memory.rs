//! Allocating and freeing device memory and pinned host memory, and asking about addresses.

use super::device;
use super::registry::{self, MemoryKind, Owner};
use crate::exports::Host;
use rocm_platform::hip::{HipResult, Memory};
use rocm_platform::hip_memory_exports;
use rocm_sys::hip::{hipError_t, hipMemoryType, hipPointerAttribute_t};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

fn allocate(size: usize, owner: Owner) -> HipResult<*mut c_void> {
    owner.device().check()?;
    let address = if size == 0 { 0 } else { registry::allocate(owner, size)? };
    Ok(address as *mut c_void)
}

/// Waits for queued work, which may still use the memory, then frees it.
///
/// A device with a fault frees too, and says that it has one.
fn free(address: *mut c_void, expected: fn(Owner) -> Result<(), hipError_t>) -> Result<(), hipError_t> {
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

impl Memory for Host {
    fn allocate(size: usize) -> HipResult<*mut c_void> {
        allocate(size, Owner::Device(device::current()))
    }

    fn allocate_rows(width: usize, height: usize) -> HipResult<(*mut c_void, usize)> {
        let row = width.checked_next_multiple_of(registry::GUARD).ok_or(hipError_t::hipErrorInvalidValue)?;
        let size = row.checked_mul(height).ok_or(hipError_t::hipErrorInvalidValue)?;
        Ok((Self::allocate(size)?, row))
    }

    fn allocate_host(size: usize, flags: c_uint) -> HipResult<*mut c_void> {
        allocate(size, Owner::Host(device::current(), flags))
    }

    unsafe fn free(address: *mut c_void) -> HipResult {
        free(address, |owner| match owner {
            Owner::Device(_) => Ok(()),
            Owner::Host(..) | Owner::Registered(..) => Err(hipError_t::hipErrorInvalidDevicePointer),
        })
    }

    unsafe fn free_host(address: *mut c_void) -> HipResult {
        free(address, |owner| match owner {
            Owner::Host(..) => Ok(()),
            Owner::Device(_) | Owner::Registered(..) => Err(hipError_t::hipErrorInvalidValue),
        })
    }

    unsafe fn register(address: *mut c_void, size: usize, flags: c_uint) -> HipResult {
        let device = device::current();
        device.check()?;
        registry::register(Owner::Registered(device, flags), address as usize, size)
    }

    unsafe fn unregister(address: *mut c_void) -> HipResult {
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

    fn device_pointer(address: *mut c_void) -> HipResult<*mut c_void> {
        match registry::kind(address as usize, 1)? {
            MemoryKind::Pinned => Ok(address),
            MemoryKind::Pageable | MemoryKind::Device => Err(hipError_t::hipErrorInvalidValue),
        }
    }

    fn host_flags(address: *mut c_void) -> HipResult<c_uint> {
        match registry::find(address as usize).map(|found| found.owner) {
            Some(Owner::Host(_, flags) | Owner::Registered(_, flags)) => Ok(flags),
            _ => Err(hipError_t::hipErrorInvalidValue),
        }
    }

    fn free_and_total() -> HipResult<(usize, usize)> {
        let device = device::current();
        device.check()?;
        Ok((device.free_memory(), device.memory))
    }

    /// Memory that HIP knows nothing about is an invalid value, as before CUDA 11.
    fn attributes(address: *const c_void) -> HipResult<hipPointerAttribute_t> {
        let found = registry::find(address as usize).ok_or(hipError_t::hipErrorInvalidValue)?;
        let pointer = address.cast_mut();
        let (type_, host_pointer, flags) = match found.owner {
            Owner::Device(_) => (hipMemoryType::hipMemoryTypeDevice, ptr::null_mut(), 0),
            Owner::Host(_, flags) | Owner::Registered(_, flags) => {
                (hipMemoryType::hipMemoryTypeHost, pointer, flags)
            }
        };
        Ok(hipPointerAttribute_t {
            type_,
            device: found.owner.device().ordinal as c_int,
            devicePointer: pointer,
            hostPointer: host_pointer,
            isManaged: 0,
            allocationFlags: flags,
        })
    }

    fn allocation(address: *mut c_void) -> HipResult<(*mut c_void, usize)> {
        let found = registry::find(address as usize).ok_or(hipError_t::hipErrorNotFound)?;
        Ok((found.base as *mut c_void, found.size))
    }
}

hip_memory_exports! { Host }
