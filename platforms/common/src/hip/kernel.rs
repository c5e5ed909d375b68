//! Kernels: launches, attributes and occupancy.

use std::ffi::{c_int, c_uint, c_void};

use rocm_sys::hip::{
    hipError_t, hipFuncAttribute, hipFuncAttributes, hipFunction_attribute, hipFunction_t, hipStream_t,
};

use super::HipResult;

/// The arguments of `hipModuleLaunchKernel`.
#[derive(Clone, Copy, Debug)]
pub struct LaunchCall {
    /// The kernel.
    pub function: hipFunction_t,
    /// Blocks: x, y, z.
    pub grid: [c_uint; 3],
    /// Threads of a block: x, y, z.
    pub block: [c_uint; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: c_uint,
    /// The stream.
    pub stream: hipStream_t,
    /// An address per parameter, or null.
    pub parameters: *mut *mut c_void,
    /// A list of `HIP_LAUNCH_PARAM_...` keys with their values, up to the key that ends it, or null.
    pub extra: *mut *mut c_void,
}

/// A kernel's arguments, in either of the two forms in which HIP accepts them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arguments {
    /// An address per parameter.
    Listed(*mut *mut c_void),
    /// A buffer with all parameters at their offsets, and where its size is. Neither is null.
    Packed {
        /// The buffer.
        buffer: *mut c_void,
        /// Where its size in bytes is.
        size: *mut usize,
    },
    /// There are none.
    Missing,
}

impl Arguments {
    /// Sorts out the last two arguments of `hipModuleLaunchKernel`.
    ///
    /// # Safety
    ///
    /// `extra` is null or such a list as [`LaunchCall::extra`] describes.
    ///
    /// # Errors
    ///
    /// `hipErrorInvalidValue` for both forms at once, and for a list with an unknown key or without buffer or size.
    #[inline]
    pub unsafe fn new(parameters: *mut *mut c_void, extra: *mut *mut c_void) -> HipResult<Self> {
        match (parameters.is_null(), extra.is_null()) {
            (false, true) => Ok(Self::Listed(parameters)),
            (true, true) => Ok(Self::Missing),
            // SAFETY: the caller's list, which is not null.
            (true, false) => unsafe { Self::packed(extra) },
            (false, false) => Err(hipError_t::hipErrorInvalidValue),
        }
    }

    unsafe fn packed(extra: *mut *mut c_void) -> HipResult<Self> {
        // The headers have these as pointers.
        const BUFFER_POINTER: usize = 1;
        const BUFFER_SIZE: usize = 2;
        const END: usize = 3;
        let (mut buffer, mut size) = (std::ptr::null_mut(), std::ptr::null_mut());
        let mut index = 0;
        // SAFETY: pairs of a key and a value, up to the key that ends the list.
        unsafe {
            loop {
                match *extra.add(index) as usize {
                    BUFFER_POINTER => buffer = *extra.add(index + 1),
                    BUFFER_SIZE => size = *extra.add(index + 1),
                    END => break,
                    _ => return Err(hipError_t::hipErrorInvalidValue),
                }
                index += 2;
            }
        }
        if buffer.is_null() || size.is_null() {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        Ok(Self::Packed { buffer, size: size.cast() })
    }
}

/// Kernels of loaded modules.
///
/// Functions are as [`Modules::function`](super::Modules::function) gave them, or invalid: null is not filtered out.
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
pub trait Kernels {
    /// Queues a kernel.
    /// Fails with `hipErrorInvalidHandle` for an invalid function, `hipErrorInvalidValue` for a shape that the device does not have
    /// and for arguments that do not fit, or the device's fault.
    unsafe fn launch(call: &LaunchCall) -> HipResult;

    /// Offset and size of a parameter, by its index.
    /// Fails with `hipErrorInvalidValue` past the last parameter, `hipErrorNotSupported` where it is not known.
    unsafe fn parameter(function: hipFunction_t, index: usize) -> HipResult<(usize, usize)>;

    /// An attribute.
    /// Fails with `hipErrorInvalidValue` for an unknown attribute, `hipErrorInvalidHandle` for an invalid function.
    unsafe fn attribute(function: hipFunction_t, attribute: hipFunction_attribute) -> HipResult<c_int>;

    /// All attributes.
    unsafe fn attributes(function: hipFunction_t) -> HipResult<hipFuncAttributes>;

    /// Sets an attribute.
    unsafe fn set_attribute(function: hipFunction_t, attribute: hipFuncAttribute, value: c_int) -> HipResult;

    /// How many blocks of `threads` threads a multiprocessor holds.
    unsafe fn active_blocks(
        function: hipFunction_t,
        threads: c_int,
        shared_bytes: usize,
        flags: c_uint,
    ) -> HipResult<c_int>;

    /// The number of blocks and threads per block, not above `limit` if that is positive, with the best occupancy.
    unsafe fn best_shape(
        function: hipFunction_t,
        shared_bytes: usize,
        limit: c_int,
        flags: c_uint,
    ) -> HipResult<(c_int, c_int)>;
}

/// Defines HIP's functions for kernels, in the table `EXPORTS`, and this project's own
/// ([`extension`](rocm_sys::extension)), in the table `EXTENSIONS`, for the [`Kernels`] of a platform.
#[macro_export]
macro_rules! hip_kernel_exports {
    ($platform:ident) => {
        mod functions {
            use super::$platform;
            use $crate::abi::hip::*;
            use $crate::arguments::write;
            use $crate::hip::kernel;

            $crate::export! {
                $platform, hip => EXPORTS;

                fn hipModuleLaunchKernel(
                    function: hipFunction_t, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint,
                    block_y: c_uint, block_z: c_uint, shared_bytes: c_uint, stream: hipStream_t,
                    parameters: *mut *mut c_void, extra: *mut *mut c_void,
                ) -> hipError_t {
                    let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
                    let call = kernel::LaunchCall { function, grid, block, shared_bytes, stream, parameters, extra };
                    // SAFETY: the caller's function, stream and arguments.
                    unsafe { <$platform as kernel::Kernels>::launch(&call) }
                }

                fn hipFuncGetAttribute(
                    value: *mut c_int, attribute: hipFunction_attribute, function: hipFunction_t,
                ) -> hipError_t {
                    // SAFETY: the caller's out-parameter and function.
                    Ok(unsafe { write(value, <$platform as kernel::Kernels>::attribute(function, attribute)?)? })
                }

                /// Of a kernel of a module: there are no kernels compiled into the program.
                fn hipFuncGetAttributes(attributes: *mut hipFuncAttributes, function: *const c_void) -> hipError_t {
                    // SAFETY: the caller's out-parameter and function.
                    Ok(unsafe { write(attributes, <$platform as kernel::Kernels>::attributes(function as hipFunction_t)?)? })
                }

                /// Of a kernel of a module: there are no kernels compiled into the program.
                fn hipFuncSetAttribute(
                    function: *const c_void, attribute: hipFuncAttribute, value: c_int,
                ) -> hipError_t {
                    let function = function as hipFunction_t;
                    // SAFETY: the caller's function.
                    unsafe { <$platform as kernel::Kernels>::set_attribute(function, attribute, value) }
                }

                fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
                    blocks: *mut c_int, function: hipFunction_t, threads: c_int, shared_bytes: usize,
                ) -> hipError_t {
                    // SAFETY: the caller's out-parameter and function.
                    unsafe {
                        let count = <$platform as kernel::Kernels>::active_blocks(function, threads, shared_bytes, 0)?;
                        Ok(write(blocks, count)?)
                    }
                }

                fn hipModuleOccupancyMaxPotentialBlockSize(
                    grid: *mut c_int, block: *mut c_int, function: hipFunction_t, shared_bytes: usize, limit: c_int,
                ) -> hipError_t {
                    // SAFETY: the caller's out-parameters and function.
                    unsafe {
                        let best = <$platform as kernel::Kernels>::best_shape(function, shared_bytes, limit, 0)?;
                        write(grid, best.0)?;
                        Ok(write(block, best.1)?)
                    }
                }
            }

            $crate::export! {
                $platform, extension => EXTENSIONS;

                fn candleRocmFuncGetParamInfo(
                    function: hipFunction_t, index: usize, offset: *mut usize, size: *mut usize,
                ) -> hipError_t {
                    // SAFETY: the caller's function and out-parameters.
                    unsafe {
                        let parameter = <$platform as kernel::Kernels>::parameter(function, index)?;
                        write(offset, parameter.0)?;
                        Ok(write(size, parameter.1)?)
                    }
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn forms_of_arguments() {
        let (mut buffer, mut size) = ([0_u8; 8], 8_usize);
        let (buffer, size) = ((&raw mut buffer).cast::<c_void>(), &raw mut size);
        let key = |number: usize| number as *mut c_void;
        let mut list = [key(2), size.cast(), key(1), buffer, key(3)];
        let mut parameters = [buffer];
        let (list, parameters) = (list.as_mut_ptr(), parameters.as_mut_ptr());
        // SAFETY: lists as HIP wants them.
        unsafe {
            assert_eq!(Arguments::new(ptr::null_mut(), list), Ok(Arguments::Packed { buffer, size }));
            assert_eq!(Arguments::new(parameters, ptr::null_mut()), Ok(Arguments::Listed(parameters)));
            assert_eq!(Arguments::new(ptr::null_mut(), ptr::null_mut()), Ok(Arguments::Missing));
            assert!(Arguments::new(parameters, list).is_err());
        }
        for mut wrong in [vec![key(3)], vec![key(1), buffer, key(3)], vec![key(7), buffer, key(3)]] {
            // SAFETY: as above, up to the key that is wrong.
            assert!(unsafe { Arguments::new(ptr::null_mut(), wrong.as_mut_ptr()) }.is_err());
        }
    }
}
