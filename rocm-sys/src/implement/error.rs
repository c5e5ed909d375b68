//! Errors' names and texts, and the last error of each thread.

use std::ffi::CStr;

pub use crate::error_exports;

/// The name and the text of a number that is no code.
pub const UNKNOWN_ERROR: (&CStr, &CStr) = (c"hipErrorUnknown", c"unknown error");

/// Defines HIP's functions about errors, in the tables `EXPORTS` and `LAST_ERROR_EXPORTS`, and `finish`, with which the
/// `Status` of `hipError_t` ends every call: an error other than "not ready" becomes the thread's last error. Each library
/// keeps its own.
#[macro_export]
macro_rules! error_exports {
    () => {
        ::std::thread_local! {
            static LAST: ::std::cell::Cell<$crate::hip::hipError_t> =
                const { ::std::cell::Cell::new($crate::hip::hipError_t::hipSuccess) };
        }

        /// Turns the result of a call into its return value. An error other than "not ready" becomes the thread's last
        /// error.
        pub(crate) fn finish(result: Result<(), $crate::hip::hipError_t>) -> $crate::hip::hipError_t {
            match result {
                Ok(()) => $crate::hip::hipError_t::hipSuccess,
                Err($crate::hip::hipError_t::hipErrorNotReady) => $crate::hip::hipError_t::hipErrorNotReady,
                Err(code) => {
                    LAST.set(code);
                    code
                }
            }
        }

        $crate::implement::export! {
            hip => EXPORTS;

            /// The code's name; `hipErrorUnknown` for a number that is no code.
            fn hipGetErrorName(code: $crate::hip::hipError_t) -> *const ::std::ffi::c_char {
                $crate::hip::error_text(code).unwrap_or($crate::implement::UNKNOWN_ERROR).0.as_ptr()
            }

            /// What the code means, in words.
            fn hipGetErrorString(code: $crate::hip::hipError_t) -> *const ::std::ffi::c_char {
                $crate::hip::error_text(code).unwrap_or($crate::implement::UNKNOWN_ERROR).1.as_ptr()
            }

            fn hipDrvGetErrorName(
                code: $crate::hip::hipError_t,
                text: *mut *const ::std::ffi::c_char,
            ) -> $crate::hip::hipError_t {
                let known = $crate::hip::error_text(code);
                let name = known.unwrap_or($crate::implement::UNKNOWN_ERROR).0;
                // SAFETY: the caller's out-parameter.
                unsafe { $crate::implement::write(text, name.as_ptr())? };
                known.map(|_| ()).ok_or($crate::hip::hipError_t::hipErrorInvalidValue)
            }

            fn hipDrvGetErrorString(
                code: $crate::hip::hipError_t,
                text: *mut *const ::std::ffi::c_char,
            ) -> $crate::hip::hipError_t {
                let known = $crate::hip::error_text(code);
                let words = known.unwrap_or($crate::implement::UNKNOWN_ERROR).1;
                // SAFETY: the caller's out-parameter.
                unsafe { $crate::implement::write(text, words.as_ptr())? };
                known.map(|_| ()).ok_or($crate::hip::hipError_t::hipErrorInvalidValue)
            }
        }

        /// The functions that return the last error: they must not record what they return, so they are no `export!`.
        pub(crate) const LAST_ERROR_EXPORTS: &[$crate::implement::Export] = &[
            $crate::implement::Export {
                name: "hipGetLastError",
                address: hipGetLastError as *const ::std::ffi::c_void,
            },
            $crate::implement::Export {
                name: "hipPeekAtLastError",
                address: hipPeekAtLastError as *const ::std::ffi::c_void,
            },
        ];

        const _: $crate::hip::signature::hipGetLastError = hipGetLastError;
        const _: $crate::hip::signature::hipPeekAtLastError = hipPeekAtLastError;

        /// Returns this thread's last error and forgets it.
        #[cfg_attr(feature = "export", unsafe(no_mangle))]
        #[allow(non_snake_case)]
        unsafe extern "C" fn hipGetLastError() -> $crate::hip::hipError_t {
            LAST.replace($crate::hip::hipError_t::hipSuccess)
        }

        /// Returns this thread's last error and keeps it.
        #[cfg_attr(feature = "export", unsafe(no_mangle))]
        #[allow(non_snake_case)]
        unsafe extern "C" fn hipPeekAtLastError() -> $crate::hip::hipError_t {
            LAST.get()
        }
    };
}
