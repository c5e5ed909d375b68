//! Allocating and freeing device memory and pinned host memory, and asking about addresses.
//!
//! Device memory is `cuMemAlloc`'s: neither managed memory nor the driver's asynchronous pool.

use super::device;
use crate::error::write;
use crate::exports::export;
use cudarc::driver::sys::{CUdeviceptr, CUmemorytype, CUpointer_attribute};
use rocm_sys::hip::{hipDeviceptr_t, hipError_t, hipMemoryType, hipPointerAttribute_t};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

// hipHostMalloc's and hipHostRegister's flags, as the headers have them. The low ones are CUDA's.
const HOST_PORTABLE: c_uint = 0x1;
const HOST_MAPPED: c_uint = 0x2;
const HOST_WRITE_COMBINED: c_uint = 0x4;
const HOST_COHERENT: c_uint = 0x4000_0000;
const HOST_NON_COHERENT: c_uint = 0x8000_0000;
const HOST_MALLOC_FLAGS: c_uint = HOST_PORTABLE
    | HOST_MAPPED
    | HOST_WRITE_COMBINED
    | 0x1000_0000
    | 0x2000_0000
    | HOST_COHERENT
    | HOST_NON_COHERENT;
const HOST_REGISTER_FLAGS: c_uint = 0x1 | 0x2 | 0x4 | 0x8 | 0x8000_0000;

/// No bytes give a null pointer, as in HIP.
///
/// # Safety
/// `out` is null or valid for writing.
unsafe fn allocate(out: *mut *mut c_void, size: usize) -> Result<(), hipError_t> {
    // SAFETY: the caller's out-parameter.
    unsafe { write(out, ptr::null_mut())? };
    let device = device::enter()?;
    if size == 0 {
        return Ok(());
    }
    let mut address: CUdeviceptr = 0;
    // SAFETY: the first out-parameter is valid, the second one the caller's.
    unsafe {
        device.cuda.cuMemAlloc_v2(&mut address, size)?;
        write(out, address as *mut c_void)
    }
}

/// # Safety
/// As for [`allocate`].
unsafe fn allocate_host(out: *mut *mut c_void, size: usize, flags: c_uint) -> Result<(), hipError_t> {
    let both = HOST_COHERENT | HOST_NON_COHERENT;
    if flags & !HOST_MALLOC_FLAGS != 0 || flags & both == both {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    // SAFETY: the caller's out-parameter.
    unsafe { write(out, ptr::null_mut())? };
    let device = device::enter()?;
    if size == 0 {
        return Ok(());
    }
    // HIP's pinned memory serves all devices, asked for or not.
    let flags = HOST_PORTABLE | HOST_MAPPED | flags & HOST_WRITE_COMBINED;
    let mut address = ptr::null_mut();
    // SAFETY: the first out-parameter is valid, the second one the caller's.
    unsafe {
        device.cuda.cuMemHostAlloc(&mut address, size, flags)?;
        write(out, address)
    }
}

fn free_host(address: *mut c_void) -> Result<(), hipError_t> {
    if address.is_null() {
        return Ok(());
    }
    let device = device::enter()?;
    // SAFETY: the driver refuses what it did not allocate.
    unsafe { device.cuda.cuMemFreeHost(address) }
}

/// One attribute of an address.
///
/// # Safety
/// `T` is the type that CUDA documents for the attribute.
unsafe fn attribute<T: Default>(
    attribute: CUpointer_attribute,
    address: *const c_void,
) -> Result<T, hipError_t> {
    let device = device::enter()?;
    let mut value = T::default();
    // SAFETY: the out-parameter is of the right type, by the caller's promise.
    unsafe { device.cuda.cuPointerGetAttribute((&raw mut value).cast(), attribute, address as CUdeviceptr)? };
    Ok(value)
}

/// Start and size of the allocation that holds an address.
fn range(address: *const c_void) -> Result<(CUdeviceptr, usize), hipError_t> {
    let device = device::enter()?;
    let (mut base, mut size) = (0, 0);
    // SAFETY: both out-parameters are valid.
    unsafe { device.cuda.cuMemGetAddressRange_v2(&mut base, &mut size, address as CUdeviceptr)? };
    Ok((base, size))
}

export! {
    hip => EXPORTS;

    fn hipMalloc(out: *mut *mut c_void, size: usize) -> hipError_t {
        // SAFETY: the caller's out-parameter.
        unsafe { allocate(out, size) }
    }

    /// Waits for the device, as queued work may still use the memory.
    fn hipFree(address: *mut c_void) -> hipError_t {
        if address.is_null() {
            return Ok(());
        }
        let device = device::enter()?;
        // SAFETY: the driver refuses what it did not allocate.
        unsafe { device.cuda.cuMemFree_v2(address as CUdeviceptr) }
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
        // SAFETY: the caller's out-parameters.
        unsafe {
            write(out, ptr::null_mut())?;
            write(pitch, 0)?;
        }
        let device = device::enter()?;
        if width == 0 || height == 0 {
            return Ok(());
        }
        let mut address: CUdeviceptr = 0;
        // The largest element that alignment can be asked for.
        const ELEMENT: c_uint = 16;
        // SAFETY: the out-parameters are valid or the caller's.
        unsafe {
            device.cuda.cuMemAllocPitch_v2(&mut address, pitch, width, height, ELEMENT)?;
            write(out, address as *mut c_void)
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
        let device = device::enter()?;
        // SAFETY: the caller vouches for the memory until it is unregistered.
        unsafe { device.cuda.cuMemHostRegister_v2(address, size, HOST_PORTABLE | HOST_MAPPED | flags & 0xf) }
    }

    fn hipHostUnregister(address: *mut c_void) -> hipError_t {
        let device = device::enter()?;
        // SAFETY: the driver refuses what is not registered.
        unsafe { device.cuda.cuMemHostUnregister(address) }
    }

    fn hipHostGetDevicePointer(out: *mut *mut c_void, address: *mut c_void, flags: c_uint) -> hipError_t {
        if flags != 0 || address.is_null() {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        let device = device::enter()?;
        let mut found: CUdeviceptr = 0;
        // SAFETY: the first out-parameter is valid, the second one the caller's.
        unsafe {
            device.cuda.cuMemHostGetDevicePointer_v2(&mut found, address, 0)?;
            write(out, found as *mut c_void)
        }
    }

    /// The flags in force: memory is always portable and mapped.
    fn hipHostGetFlags(flags: *mut c_uint, address: *mut c_void) -> hipError_t {
        let device = device::enter()?;
        let mut found = 0;
        // SAFETY: the first out-parameter is valid, the second one the caller's.
        unsafe {
            device.cuda.cuMemHostGetFlags(&mut found, address)?;
            write(flags, found)
        }
    }

    fn hipMemGetInfo(free: *mut usize, total: *mut usize) -> hipError_t {
        let device = device::enter()?;
        let (mut free_bytes, mut all_bytes) = (0, 0);
        // SAFETY: the first out-parameters are valid, the others the caller's.
        unsafe {
            device.cuda.cuMemGetInfo_v2(&mut free_bytes, &mut all_bytes)?;
            write(free, free_bytes)?;
            write(total, all_bytes)
        }
    }

    /// Memory that CUDA knows nothing about is an invalid value.
    fn hipPointerGetAttributes(out: *mut hipPointerAttribute_t, address: *const c_void) -> hipError_t {
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
        let attributes = hipPointerAttribute_t {
            type_,
            device,
            devicePointer: pointer,
            hostPointer: if on_host || managed { pointer } else { ptr::null_mut() },
            isManaged: c_int::from(managed),
            allocationFlags: 0,
        };
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, attributes) }
    }

    fn hipMemGetAddressRange(base: *mut hipDeviceptr_t, size: *mut usize, address: hipDeviceptr_t) -> hipError_t {
        let (start, bytes) = range(address)?;
        // SAFETY: the caller's out-parameters.
        unsafe {
            write(base, start as hipDeviceptr_t)?;
            write(size, bytes)
        }
    }

    fn hipMemPtrGetInfo(address: *mut c_void, size: *mut usize) -> hipError_t {
        let bytes = match address.is_null() {
            true => 0,
            false => range(address).map_err(|_| hipError_t::hipErrorInvalidValue)?.1,
        };
        // SAFETY: the caller's out-parameter.
        unsafe { write(size, bytes) }
    }
}
