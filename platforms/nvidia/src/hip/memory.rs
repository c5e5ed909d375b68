//! Allocating and freeing device memory and pinned host memory, and asking about addresses.
//!
//! Device memory is `cuMemAlloc`'s: neither managed memory nor the driver's asynchronous pool.

use super::device;
use crate::exports::Nvidia;
use cudarc::driver::sys::{CUdeviceptr, CUmemorytype, CUpointer_attribute};
use rocm_platform::hip::{HipResult, Memory};
use rocm_platform::hip_memory_exports;
use rocm_sys::hip::{
    hipHostMallocMapped, hipHostMallocPortable, hipHostMallocWriteCombined, hipHostRegisterMapped,
    hipHostRegisterPortable, hipMemoryType, hipPointerAttribute_t,
};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

/// One attribute of an address.
///
/// # Safety
/// `T` is the type that CUDA documents for the attribute.
unsafe fn attribute<T: Default>(attribute: CUpointer_attribute, address: *const c_void) -> HipResult<T> {
    let device = device::enter()?;
    let mut value = T::default();
    // SAFETY: the out-parameter is of the right type, by the caller's promise.
    unsafe { device.cuda.cuPointerGetAttribute((&raw mut value).cast(), attribute, address as CUdeviceptr)? };
    Ok(value)
}

/// Flags have CUDA's numbers.
impl Memory for Nvidia {
    fn allocate(size: usize) -> HipResult<*mut c_void> {
        let device = device::enter()?;
        let mut address: CUdeviceptr = 0;
        if size > 0 {
            // SAFETY: the out-parameter is valid.
            unsafe { device.cuda.cuMemAlloc_v2(&mut address, size)? };
        }
        Ok(address as *mut c_void)
    }

    fn allocate_rows(width: usize, height: usize) -> HipResult<(*mut c_void, usize)> {
        // The largest element that alignment can be asked for.
        const ELEMENT: c_uint = 16;
        let device = device::enter()?;
        let (mut address, mut pitch): (CUdeviceptr, usize) = (0, 0);
        if width > 0 && height > 0 {
            // SAFETY: the out-parameters are valid.
            unsafe { device.cuda.cuMemAllocPitch_v2(&mut address, &mut pitch, width, height, ELEMENT)? };
        }
        Ok((address as *mut c_void, pitch))
    }

    /// HIP's pinned memory serves all devices, asked for or not.
    fn allocate_host(size: usize, flags: c_uint) -> HipResult<*mut c_void> {
        let device = device::enter()?;
        let flags = hipHostMallocPortable | hipHostMallocMapped | flags & hipHostMallocWriteCombined;
        let mut address = ptr::null_mut();
        if size > 0 {
            // SAFETY: the out-parameter is valid.
            unsafe { device.cuda.cuMemHostAlloc(&mut address, size, flags)? };
        }
        Ok(address)
    }

    /// The driver waits for the device, as queued work may still use the memory.
    unsafe fn free(address: *mut c_void) -> HipResult {
        let device = device::enter()?;
        // SAFETY: the driver refuses what it did not allocate.
        unsafe { device.cuda.cuMemFree_v2(address as CUdeviceptr) }
    }

    unsafe fn free_host(address: *mut c_void) -> HipResult {
        let device = device::enter()?;
        // SAFETY: the driver refuses what it did not allocate.
        unsafe { device.cuda.cuMemFreeHost(address) }
    }

    unsafe fn register(address: *mut c_void, size: usize, flags: c_uint) -> HipResult {
        let device = device::enter()?;
        let flags = hipHostRegisterPortable | hipHostRegisterMapped | flags & 0xf;
        // SAFETY: the caller vouches for the memory until it is unregistered.
        unsafe { device.cuda.cuMemHostRegister_v2(address, size, flags) }
    }

    unsafe fn unregister(address: *mut c_void) -> HipResult {
        let device = device::enter()?;
        // SAFETY: the driver refuses what is not registered.
        unsafe { device.cuda.cuMemHostUnregister(address) }
    }

    fn device_pointer(address: *mut c_void) -> HipResult<*mut c_void> {
        let device = device::enter()?;
        let mut found: CUdeviceptr = 0;
        // SAFETY: the out-parameter is valid; the driver checks the address.
        unsafe { device.cuda.cuMemHostGetDevicePointer_v2(&mut found, address, 0)? };
        Ok(found as *mut c_void)
    }

    /// The flags in force: memory is always portable and mapped.
    fn host_flags(address: *mut c_void) -> HipResult<c_uint> {
        let device = device::enter()?;
        let mut found = 0;
        // SAFETY: the out-parameter is valid; the driver checks the address.
        unsafe { device.cuda.cuMemHostGetFlags(&mut found, address)? };
        Ok(found)
    }

    fn free_and_total() -> HipResult<(usize, usize)> {
        let device = device::enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the out-parameters are valid.
        unsafe { device.cuda.cuMemGetInfo_v2(&mut free, &mut total)? };
        Ok((free, total))
    }

    /// Memory that CUDA knows nothing about is an invalid value.
    fn attributes(address: *const c_void) -> HipResult<hipPointerAttribute_t> {
        type P = CUpointer_attribute;
        // SAFETY: the types are those that CUDA documents.
        let (kind, device, managed) = unsafe {
            let kind: c_uint = attribute(P::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address)?;
            let device: c_int = attribute(P::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address)?;
            // A boolean, of whatever size: small ones leave the rest of the zero as it is.
            let managed: u64 = attribute(P::CU_POINTER_ATTRIBUTE_IS_MANAGED, address)?;
            (kind, device, managed != 0)
        };
        let on_host = kind == CUmemorytype::CU_MEMORYTYPE_HOST as c_uint;
        let type_ = match (managed, on_host) {
            (true, _) => hipMemoryType::hipMemoryTypeManaged,
            (_, true) => hipMemoryType::hipMemoryTypeHost,
            _ => hipMemoryType::hipMemoryTypeDevice,
        };
        let pointer = address.cast_mut();
        Ok(hipPointerAttribute_t {
            type_,
            device,
            devicePointer: pointer,
            hostPointer: if on_host || managed { pointer } else { ptr::null_mut() },
            isManaged: c_int::from(managed),
            allocationFlags: 0,
        })
    }

    fn allocation(address: *mut c_void) -> HipResult<(*mut c_void, usize)> {
        let device = device::enter()?;
        let (mut base, mut size) = (0, 0);
        // SAFETY: both out-parameters are valid.
        unsafe { device.cuda.cuMemGetAddressRange_v2(&mut base, &mut size, address as CUdeviceptr)? };
        Ok((base as *mut c_void, size))
    }
}

hip_memory_exports! { Nvidia }
