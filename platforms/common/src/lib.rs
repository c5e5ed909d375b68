//! The C ABI of `libamdhip64`, hiprtc, rocBLAS, MIOpen and RCCL, for crates that implement it.
//!
//! A *platform* implements the C functions on some hardware: on the CPU, or on another vendor's GPU. Signatures, argument checks,
//! out-parameters, handle tables, status codes and each thread's last error are the same for all platforms and live here. What a
//! platform adds is one type that implements the traits, and an invocation of the export macro for each:
//!
//! | Library | Traits | Macros |
//! |---|---|---|
//! | libamdhip64 | [`hip::Device`], [`hip::Properties`], [`hip::Peers`] | [`hip_device_exports!`], [`hip_properties_exports!`], [`hip_peer_exports!`] |
//! | | [`hip::Memory`], [`hip::Copies`], [`hip::Fills`] | [`hip_memory_exports!`], [`hip_copy_exports!`], [`hip_fill_exports!`] |
//! | | [`hip::Streams`], [`hip::Events`] | [`hip_stream_exports!`], [`hip_event_exports!`] |
//! | | [`hip::Modules`], [`hip::Kernels`] | [`hip_module_exports!`], [`hip_kernel_exports!`] |
//! | | [`Platform`] | [`hip_error_exports!`] |
//! | libhiprtc | [`hiprtc::Program`] | [`hiprtc_exports!`] |
//! | librocblas | [`rocblas::Handles`], [`rocblas::Gemm`] | [`rocblas_handle_exports!`], [`rocblas_gemm_exports!`] |
//! | libMIOpen | [`miopen::Handles`], [`miopen::Descriptors`] | [`miopen_handle_exports!`], [`miopen_descriptor_exports!`] |
//! | | [`miopen::Convolutions`], [`miopen::Poolings`] | [`miopen_convolution_exports!`], [`miopen_pooling_exports!`] |
//! | librccl | [`rccl::Collectives`] | [`rccl_exports!`] |
//!
//! Each macro defines C functions and a table of them, `EXPORTS`; [`Exports`] finds a function in all tables by its name, which
//! is what [`Hip::from_resolver`](rocm_sys::hip::Hip::from_resolver) wants. [`export!`] defines functions that only one platform
//! has.
//!
//! Functions carry their C names only with the feature `export` of the crate that invokes the macros, so that several platforms
//! can be linked into one program.

pub mod arguments;
mod export;
mod handles;
pub mod hip;
pub mod hiprtc;
pub mod miopen;
pub mod rccl;
pub mod rocblas;
mod status;

pub use export::{Export, Exports};
pub use handles::Handles;
pub use rocm_sys as sys;
pub use status::{Platform, Status};

/// Runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// What the export macros name, by library.
#[doc(hidden)]
pub mod abi {
    pub mod hip {
        pub use rocm_sys::hip::*;
        pub use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ushort, c_void};
    }

    pub mod hiprtc {
        pub use rocm_sys::hiprtc::*;
        pub use std::ffi::{c_char, c_int};
    }

    pub mod rocblas {
        pub use rocm_sys::hip::hipStream_t;
        pub use rocm_sys::rocblas::*;
        pub use std::ffi::{c_char, c_void};
    }

    pub mod miopen {
        pub use rocm_sys::miopen::*;
        pub use std::ffi::{c_char, c_int, c_void};
    }

    pub mod rccl {
        pub use rocm_sys::hip::hipStream_t;
        pub use rocm_sys::rccl::*;
        pub use std::ffi::{c_char, c_int, c_void};
    }
}
