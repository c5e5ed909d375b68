//! Modules: compiled code, and the kernels and variables in it.

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::path::PathBuf;

use rocm_sys::hip::{hipDeviceptr_t, hipError_t, hipFunction_t, hipJitOption, hipModule_t};

use super::HipResult;
use crate::arguments::{required, string};

/// The options of `hipModuleLoadDataEx`, as the program passed them.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct JitOptions {
    pub count: c_uint,
    pub options: *mut hipJitOption,
    pub values: *mut *mut c_void,
}

/// Modules of the calling thread's device.
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
pub trait Modules {
    /// Loads the contents of a file.
    /// Fails with `hipErrorInvalidImage` or `hipErrorNoBinaryForGpu` for what is no module of the device.
    fn load(bytes: Vec<u8>) -> HipResult<hipModule_t>;

    /// Loads what lies at an address, which is not null. How long it is, it must say itself.
    unsafe fn load_image(image: *const c_void) -> HipResult<hipModule_t>;

    /// Loads an image and reads nothing beyond its end.
    ///
    /// # Errors
    ///
    /// As for [`load`](Self::load); `hipErrorInvalidImage` if bytes are missing at its end.
    fn load_sized(image: &[u8]) -> HipResult<hipModule_t>;

    /// Loads with options. Without a method of its own, a platform ignores them, as AMD's runtime does.
    unsafe fn load_image_with_options(image: *const c_void, _options: JitOptions) -> HipResult<hipModule_t> {
        // SAFETY: the caller's promise.
        unsafe { Self::load_image(image) }
    }

    /// Unloads a module, which is not null.
    /// Fails with `hipErrorInvalidHandle` for an invalid module.
    unsafe fn unload(module: hipModule_t) -> HipResult;

    /// A kernel of a module, which is not null. Nor is the name empty.
    /// Fails with `hipErrorNotFound` if there is no such kernel; `hipErrorInvalidHandle` for an invalid module.
    unsafe fn function(module: hipModule_t, name: &CStr) -> HipResult<hipFunction_t>;

    /// Address and size of a `__device__` or `__constant__` variable of a module, which is not null.
    /// Fails with `hipErrorNotFound` if there is no such variable; `hipErrorInvalidHandle` for an invalid module.
    unsafe fn variable(module: hipModule_t, name: &CStr) -> HipResult<(hipDeviceptr_t, usize)>;
}

/// `hipModuleLoad`.
///
/// # Safety
///
/// `path` is null or a C string.
///
/// # Errors
///
/// As for [`Modules::load`]; `hipErrorFileNotFound` if the file cannot be read.
pub unsafe fn load_file<M: Modules>(path: *const c_char) -> HipResult<hipModule_t> {
    // SAFETY: the caller's promise.
    let path = path_of(unsafe { string(path)? });
    M::load(std::fs::read(path).map_err(|_| hipError_t::hipErrorFileNotFound)?)
}

#[cfg(unix)]
fn path_of(text: &CStr) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(text.to_bytes()))
}

#[cfg(not(unix))]
fn path_of(text: &CStr) -> PathBuf {
    PathBuf::from(text.to_string_lossy().into_owned())
}

/// `hipModuleLoadData`.
///
/// # Safety
///
/// As for [`Modules::load_image`].
///
/// # Errors
///
/// As for [`Modules::load_image`]; `hipErrorInvalidValue` if `image` is null.
pub unsafe fn load_image<M: Modules>(image: *const c_void) -> HipResult<hipModule_t> {
    required(image)?;
    // SAFETY: the caller's promise.
    unsafe { M::load_image(image) }
}

/// `hipModuleLoadDataEx`.
///
/// # Safety
///
/// As for [`Modules::load_image_with_options`].
///
/// # Errors
///
/// As for [`Modules::load_image_with_options`]; `hipErrorInvalidValue` if `image` is null.
pub unsafe fn load_image_with_options<M: Modules>(
    image: *const c_void,
    options: JitOptions,
) -> HipResult<hipModule_t> {
    required(image)?;
    // SAFETY: the caller's promise.
    unsafe { M::load_image_with_options(image, options) }
}

/// `candleRocmModuleLoadDataSized`.
///
/// # Safety
///
/// `image` is null or `size` readable bytes.
///
/// # Errors
///
/// As for [`Modules::load_sized`]; `hipErrorInvalidValue` if `image` is null.
pub unsafe fn load_sized<M: Modules>(image: *const c_void, size: usize) -> HipResult<hipModule_t> {
    required(image)?;
    // SAFETY: not null, so the caller vouches for as many bytes.
    M::load_sized(unsafe { std::slice::from_raw_parts(image.cast(), size) })
}

/// Checks that a module is not null.
///
/// # Errors
///
/// `hipErrorInvalidHandle` if it is.
pub fn check(module: hipModule_t) -> HipResult {
    if module.is_null() { Err(hipError_t::hipErrorInvalidHandle) } else { Ok(()) }
}

/// The name of a kernel that a program asks for.
///
/// # Safety
///
/// `name` is null or a C string that outlives `'a`.
///
/// # Errors
///
/// `hipErrorInvalidValue` for null and for an empty name.
pub unsafe fn kernel_name<'a>(name: *const c_char) -> HipResult<&'a CStr> {
    // SAFETY: the caller's promise.
    let name = unsafe { string(name)? };
    if name.is_empty() { Err(hipError_t::hipErrorInvalidValue) } else { Ok(name) }
}

/// Defines HIP's functions for modules, in the table `EXPORTS`, and this project's own ([`extension`](rocm_sys::extension)), in
/// the
/// table `EXTENSIONS`, for the [`Modules`] of a platform.
#[macro_export]
macro_rules! hip_module_exports {
    ($platform:ident) => {
        mod functions {
            use super::$platform;
            use $crate::abi::hip::*;
            use $crate::arguments::{required, string, write, write_optional};
            use $crate::hip::module;

            $crate::export! {
                $platform, hip => EXPORTS;

                /// Loads a module from a file.
                fn hipModuleLoad(module: *mut hipModule_t, path: *const c_char) -> hipError_t {
                    required(module)?;
                    // SAFETY: the caller's out-parameter and string.
                    Ok(unsafe { write(module, module::load_file::<$platform>(path)?)? })
                }

                /// Loads a module from memory.
                fn hipModuleLoadData(module: *mut hipModule_t, image: *const c_void) -> hipError_t {
                    required(module)?;
                    // SAFETY: the caller's out-parameter and image.
                    Ok(unsafe { write(module, module::load_image::<$platform>(image)?)? })
                }

                fn hipModuleLoadDataEx(
                    module: *mut hipModule_t, image: *const c_void, count: c_uint, options: *mut hipJitOption,
                    values: *mut *mut c_void,
                ) -> hipError_t {
                    required(module)?;
                    let options = module::JitOptions { count, options, values };
                    // SAFETY: the caller's out-parameter, image and options.
                    Ok(unsafe { write(module, module::load_image_with_options::<$platform>(image, options)?)? })
                }

                fn hipModuleUnload(module: hipModule_t) -> hipError_t {
                    module::check(module)?;
                    // SAFETY: the caller's module.
                    unsafe { <$platform as module::Modules>::unload(module) }
                }

                fn hipModuleGetFunction(
                    function: *mut hipFunction_t, module: hipModule_t, name: *const c_char,
                ) -> hipError_t {
                    required(function)?;
                    module::check(module)?;
                    // SAFETY: the caller's out-parameter, module and string.
                    unsafe {
                        let name = module::kernel_name(name)?;
                        Ok(write(function, <$platform as module::Modules>::function(module, name)?)?)
                    }
                }

                /// Either out-parameter may be left out.
                fn hipModuleGetGlobal(
                    address: *mut hipDeviceptr_t, size: *mut usize, module: hipModule_t, name: *const c_char,
                ) -> hipError_t {
                    module::check(module)?;
                    // SAFETY: the caller's out-parameters, module and string.
                    unsafe {
                        let variable = <$platform as module::Modules>::variable(module, string(name)?)?;
                        write_optional(address, variable.0);
                        write_optional(size, variable.1);
                    }
                    Ok(())
                }
            }

            $crate::export! {
                $platform, extension => EXTENSIONS;

                fn candleRocmModuleLoadDataSized(
                    module: *mut hipModule_t, image: *const c_void, size: usize,
                ) -> hipError_t {
                    required(module)?;
                    // SAFETY: the caller's out-parameter and image.
                    Ok(unsafe { write(module, module::load_sized::<$platform>(image, size)?)? })
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}
