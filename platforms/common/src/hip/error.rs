//! The names and texts of error codes, and each thread's last error.

use std::ffi::CStr;

use rocm_sys::hip::{error_text, hipError_t};

/// The name and the text of a code; those of `hipErrorUnknown` for a number that is no code.
pub fn name_and_text(code: hipError_t) -> (&'static CStr, &'static CStr) {
    error_text(code).unwrap_or((c"hipErrorUnknown", c"unknown error"))
}

/// Whether a number is an error code.
///
/// # Errors
///
/// `hipErrorInvalidValue` if it is not.
pub fn check_known(code: hipError_t) -> Result<(), hipError_t> {
    error_text(code).map(|_| ()).ok_or(hipError_t::hipErrorInvalidValue)
}

/// Makes a type a [`Platform`](crate::Platform) with its own last errors, and defines HIP's functions about errors, in the tables
/// `EXPORTS` and `LAST_ERROR_EXPORTS`.
#[macro_export]
macro_rules! hip_error_exports {
    ($platform:ident) => {
        mod functions {
            use super::$platform;
            use $crate::abi::hip::*;
            use $crate::arguments::write;
            use $crate::hip::error::{check_known, name_and_text};

            ::std::thread_local! {
                static LAST_ERROR: ::core::cell::Cell<hipError_t> =
                    const { ::core::cell::Cell::new(hipError_t::hipSuccess) };
            }

            impl $crate::Platform for $platform {
                fn last_error() -> &'static ::std::thread::LocalKey<::core::cell::Cell<hipError_t>> {
                    &LAST_ERROR
                }
            }

            $crate::export! {
                $platform, hip => EXPORTS;

                /// The code's name; `hipErrorUnknown` for a number that is no code.
                fn hipGetErrorName(code: hipError_t) -> *const c_char {
                    name_and_text(code).0.as_ptr()
                }

                /// What the code means, in words.
                fn hipGetErrorString(code: hipError_t) -> *const c_char {
                    name_and_text(code).1.as_ptr()
                }

                fn hipDrvGetErrorName(code: hipError_t, text: *mut *const c_char) -> hipError_t {
                    // SAFETY: the caller's out-parameter.
                    unsafe { write(text, name_and_text(code).0.as_ptr())? };
                    check_known(code)
                }

                fn hipDrvGetErrorString(code: hipError_t, text: *mut *const c_char) -> hipError_t {
                    // SAFETY: the caller's out-parameter.
                    unsafe { write(text, name_and_text(code).1.as_ptr())? };
                    check_known(code)
                }
            }

            /// The functions that return the last error. They must not record what they return, so `export!` does not fit.
            pub(crate) const LAST_ERROR_EXPORTS: &[$crate::Export] = &[
                $crate::Export { name: "hipGetLastError", address: hipGetLastError as *const c_void },
                $crate::Export { name: "hipPeekAtLastError", address: hipPeekAtLastError as *const c_void },
            ];

            const _: signature::hipGetLastError = hipGetLastError;
            const _: signature::hipPeekAtLastError = hipPeekAtLastError;

            /// Returns this thread's last error and clears it.
            #[cfg_attr(feature = "export", unsafe(no_mangle))]
            #[allow(non_snake_case)]
            unsafe extern "C" fn hipGetLastError() -> hipError_t {
                LAST_ERROR.replace(hipError_t::hipSuccess)
            }

            /// Returns this thread's last error and keeps it.
            #[cfg_attr(feature = "export", unsafe(no_mangle))]
            #[allow(non_snake_case)]
            unsafe extern "C" fn hipPeekAtLastError() -> hipError_t {
                LAST_ERROR.get()
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}
