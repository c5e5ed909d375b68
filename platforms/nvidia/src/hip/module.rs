//! Modules: loading code, and finding kernels and variables in it.

use super::{device, image};
use crate::exports::Nvidia;
use cudarc::driver::sys::{CUdeviceptr, CUfunction, CUjit_option, CUmodule};
use rocm_platform::hip::{HipResult, JitOptions, Modules};
use rocm_platform::hip_module_exports;
use rocm_sys::hip::{hipDeviceptr_t, hipError_t, hipFunction_t, hipJitOption, hipModule_t};
use std::ffi::{CStr, c_uint, c_void};
use std::ptr;

/// Loads an image that lies at an address.
///
/// # Safety
/// The image is as [`image::check`] wants it; `options` are those of the driver.
unsafe fn load(image: *const c_void, mut options: Vec<(u32, *mut c_void)>) -> HipResult<hipModule_t> {
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
            eprintln!("candle-rocm-nvidia: cannot load module: {}", text.trim());
        }
    }
    // The driver has no specific code for some ELF files without device code; HIP has.
    loaded.map_err(|code| match code {
        hipError_t::hipErrorUnknown => hipError_t::hipErrorInvalidImage,
        code => code,
    })?;
    Ok(module as hipModule_t)
}

/// The options that CUDA has too, by the same numbers. The others are dropped, as AMD's runtime drops all.
///
/// # Safety
/// Both lists are null or as long as said.
unsafe fn options(given: JitOptions) -> HipResult<Vec<(u32, *mut c_void)>> {
    let JitOptions { count, options, values } = given;
    if count > 0 && (options.is_null() || values.is_null()) {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    // SAFETY: the caller's promise.
    let all = (0..count as usize).map(|index| unsafe { ((*options.add(index)).0, *values.add(index)) });
    Ok(all.filter(|(option, _)| *option <= hipJitOption::hipJitOptionCacheMode.0).collect())
}

impl Modules for Nvidia {
    fn load(mut bytes: Vec<u8>) -> HipResult<hipModule_t> {
        // The end of a text, and more than what decides whether it is a module.
        bytes.resize(bytes.len() + 64, 0);
        // SAFETY: the bytes end with zeros.
        unsafe { load(bytes.as_ptr().cast(), Vec::new()) }
    }

    unsafe fn load_image(image: *const c_void) -> HipResult<hipModule_t> {
        // SAFETY: the caller's image.
        unsafe { load(image, Vec::new()) }
    }

    fn load_sized(image: &[u8]) -> HipResult<hipModule_t> {
        if !image::is_whole(image) {
            return Err(hipError_t::hipErrorInvalidImage);
        }
        // SAFETY: all is there of what the image says it has.
        unsafe { load(image.as_ptr().cast(), Vec::new()) }
    }

    unsafe fn load_image_with_options(image: *const c_void, given: JitOptions) -> HipResult<hipModule_t> {
        // SAFETY: the caller's lists and image.
        unsafe { load(image, options(given)?) }
    }

    unsafe fn unload(module: hipModule_t) -> HipResult {
        let device = device::enter()?;
        // SAFETY: the caller vouches for the handle.
        unsafe { device.cuda.cuModuleUnload(module as CUmodule) }
    }

    unsafe fn function(module: hipModule_t, name: &CStr) -> HipResult<hipFunction_t> {
        let device = device::enter()?;
        let mut found: CUfunction = ptr::null_mut();
        // SAFETY: the caller vouches for the handle; the out-parameter is valid, and the name a C string.
        unsafe { device.cuda.cuModuleGetFunction(&mut found, module as CUmodule, name.as_ptr())? };
        Ok(found as hipFunction_t)
    }

    unsafe fn variable(module: hipModule_t, name: &CStr) -> HipResult<(hipDeviceptr_t, usize)> {
        let device = device::enter()?;
        let (mut start, mut bytes): (CUdeviceptr, usize) = (0, 0);
        // SAFETY: the caller vouches for the handle; the out-parameters are valid, and the name a C string.
        unsafe {
            device.cuda.cuModuleGetGlobal_v2(&mut start, &mut bytes, module as CUmodule, name.as_ptr())?;
        }
        Ok((start as hipDeviceptr_t, bytes))
    }
}

hip_module_exports! { Nvidia }
