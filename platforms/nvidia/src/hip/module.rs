//! Modules: loading code, and finding kernels and variables in it.

use super::{device, image};
use crate::error::write;
use crate::exports::export;
use cudarc::driver::sys::{CUdeviceptr, CUfunction, CUjit_option, CUmodule};
use rocm_sys::hip::{hipDeviceptr_t, hipError_t, hipFunction_t, hipJitOption, hipModule_t};
use std::ffi::{CStr, OsStr, c_char, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use std::ptr;

/// Loads an image that lies at an address.
///
/// # Safety
/// `out` is null or valid for writing; the image is as [`image::check`] wants it; `options` are those of the driver.
pub(super) unsafe fn load(
    out: *mut hipModule_t,
    image: *const c_void,
    mut options: Vec<(u32, *mut c_void)>,
) -> Result<(), hipError_t> {
    if out.is_null() || image.is_null() {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    // SAFETY: the caller's promise.
    unsafe { image::check(image.cast())? };
    let device = device::enter()?;

    let mut log = vec![0_u8; 8 << 10];
    let wants_log =
        !options.iter().any(|(option, _)| *option == CUjit_option::CU_JIT_ERROR_LOG_BUFFER as u32);
    if wants_log {
        options.push((CUjit_option::CU_JIT_ERROR_LOG_BUFFER as u32, log.as_mut_ptr().cast()));
        options.push((CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES as u32, log.len() as *mut c_void));
    }
    let (mut keys, mut values): (Vec<u32>, Vec<*mut c_void>) = options.into_iter().unzip();
    let mut module: CUmodule = ptr::null_mut();
    // SAFETY: the image is a module; keys are passed as the integers that C's enums are; both lists are as long as said.
    let loaded = unsafe {
        device.cuda.cuModuleLoadDataEx(
            &mut module,
            image,
            keys.len() as c_uint,
            keys.as_mut_ptr().cast(),
            values.as_mut_ptr(),
        )
    };
    if loaded.is_err() && wants_log {
        let text = CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy();
        if !text.trim().is_empty() {
            eprintln!("candle-rocm-nvidia: a module cannot be loaded: {}", text.trim());
        }
    }
    // The driver has no word for some ELF files that are no code; HIP has.
    loaded.map_err(|code| match code {
        hipError_t::hipErrorUnknown => hipError_t::hipErrorInvalidImage,
        code => code,
    })?;
    // SAFETY: the caller's out-parameter.
    unsafe { write(out, module as hipModule_t) }
}

/// HIP's options that are CUDA's, by the same numbers; the others are dropped, as AMD's runtime drops all.
///
/// # Safety
/// Both lists are null or as long as said.
unsafe fn options(
    count: c_uint,
    options: *mut hipJitOption,
    values: *mut *mut c_void,
) -> Result<Vec<(u32, *mut c_void)>, hipError_t> {
    if count > 0 && (options.is_null() || values.is_null()) {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    // SAFETY: the caller's promise.
    let all = (0..count as usize).map(|index| unsafe { ((*options.add(index)).0, *values.add(index)) });
    Ok(all.filter(|(option, _)| *option <= hipJitOption::hipJitOptionCacheMode.0).collect())
}

/// A handle or name that is null.
fn given<T>(pointer: *const T, otherwise: hipError_t) -> Result<(), hipError_t> {
    if pointer.is_null() { Err(otherwise) } else { Ok(()) }
}

export! {
    hip => EXPORTS;

    /// Loads a module from a file.
    fn hipModuleLoad(module: *mut hipModule_t, name: *const c_char) -> hipError_t {
        given(name, hipError_t::hipErrorInvalidValue)?;
        // SAFETY: not null, so the caller vouches for a C string.
        let path = OsStr::from_bytes(unsafe { CStr::from_ptr(name) }.to_bytes());
        let mut bytes = std::fs::read(path).map_err(|_| hipError_t::hipErrorFileNotFound)?;
        // The end of a text, and more than what decides whether it is a module.
        bytes.resize(bytes.len() + 64, 0);
        // SAFETY: the caller's out-parameter; the bytes end with zeros.
        unsafe { load(module, bytes.as_ptr().cast(), Vec::new()) }
    }

    /// Loads a module from memory.
    fn hipModuleLoadData(module: *mut hipModule_t, image: *const c_void) -> hipError_t {
        // SAFETY: the caller's out-parameter and image.
        unsafe { load(module, image, Vec::new()) }
    }

    fn hipModuleLoadDataEx(
        module: *mut hipModule_t, image: *const c_void, count: c_uint, keys: *mut hipJitOption, values: *mut *mut c_void,
    ) -> hipError_t {
        // SAFETY: the caller's lists, out-parameter and image.
        unsafe { load(module, image, options(count, keys, values)?) }
    }

    fn hipModuleUnload(module: hipModule_t) -> hipError_t {
        given(module, hipError_t::hipErrorInvalidHandle)?;
        let device = device::enter()?;
        // SAFETY: the caller vouches for the handle.
        unsafe { device.cuda.cuModuleUnload(module as CUmodule) }
    }

    fn hipModuleGetFunction(function: *mut hipFunction_t, module: hipModule_t, name: *const c_char) -> hipError_t {
        given(module, hipError_t::hipErrorInvalidHandle)?;
        given(name, hipError_t::hipErrorInvalidValue)?;
        // SAFETY: not null, so the caller vouches for a C string.
        if unsafe { CStr::from_ptr(name) }.is_empty() {
            // CUDA calls the name an invalid value.
            return Err(hipError_t::hipErrorNotFound);
        }
        let device = device::enter()?;
        let mut found: CUfunction = ptr::null_mut();
        // SAFETY: the caller vouches for the handle, the name and the second out-parameter.
        unsafe {
            device.cuda.cuModuleGetFunction(&mut found, module as CUmodule, name)?;
            write(function, found as hipFunction_t)
        }
    }

    fn hipModuleGetGlobal(
        address: *mut hipDeviceptr_t, size: *mut usize, module: hipModule_t, name: *const c_char,
    ) -> hipError_t {
        given(module, hipError_t::hipErrorInvalidHandle)?;
        given(name, hipError_t::hipErrorInvalidValue)?;
        let device = device::enter()?;
        let (mut start, mut bytes): (CUdeviceptr, usize) = (0, 0);
        // SAFETY: the caller vouches for the handle, the name, and the out-parameters, either of which may be null.
        unsafe {
            device.cuda.cuModuleGetGlobal_v2(&mut start, &mut bytes, module as CUmodule, name)?;
            if !address.is_null() {
                address.write(start as hipDeviceptr_t);
            }
            if !size.is_null() {
                size.write(bytes);
            }
        }
        Ok(())
    }
}
