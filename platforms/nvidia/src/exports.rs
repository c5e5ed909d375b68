//! The C functions: what they return, and how they are found. Rooms define theirs with [`export!`].

use rocm_sys::hip::hipError_t;
use rocm_sys::hiprtc::hiprtcResult;
use rocm_sys::implement::Exports;
use rocm_sys::miopen::miopenStatus_t;
use rocm_sys::rocblas::{rocblas_status, rocblas_status_};
use std::ffi::c_void;

pub(crate) use rocm_sys::implement::{Export, export};

/// What a C function returns, and what its body evaluates to: `finish` turns the one into the other.
pub(crate) trait Status: Sized {
    type Body;
    fn finish(body: Self::Body) -> Self;
}

impl Status for hipError_t {
    type Body = Result<(), hipError_t>;

    fn finish(body: Self::Body) -> Self {
        crate::error::finish(body)
    }
}

impl Status for hiprtcResult {
    type Body = Result<(), hiprtcResult>;

    fn finish(body: Self::Body) -> Self {
        body.err().unwrap_or(hiprtcResult::HIPRTC_SUCCESS)
    }
}

impl Status for rocblas_status {
    type Body = Result<(), rocblas_status>;

    fn finish(body: Self::Body) -> Self {
        body.err().unwrap_or(rocblas_status_::rocblas_status_success)
    }
}

impl Status for miopenStatus_t {
    type Body = Result<(), miopenStatus_t>;

    fn finish(body: Self::Body) -> Self {
        body.err().unwrap_or(miopenStatus_t::miopenStatusSuccess)
    }
}

macro_rules! plain {
    ($($type:ty)+) => {$(
        impl Status for $type {
            type Body = Self;

            fn finish(body: Self::Body) -> Self {
                body
            }
        }
    )+};
}

plain! { std::ffi::c_int *const std::ffi::c_char }

/// Every table of the crate: a new room adds its own here.
const TABLES: &[&[Export]] = &[
    crate::error::EXPORTS,
    crate::error::LAST_ERROR_EXPORTS,
    crate::hip::device::EXPORTS,
    crate::hip::properties::EXPORTS,
    crate::hip::peer::EXPORTS,
    crate::hip::memory::EXPORTS,
    crate::hip::copy::EXPORTS,
    crate::hip::fill::EXPORTS,
    crate::hip::stream::EXPORTS,
    crate::hip::event::EXPORTS,
    crate::hip::module::EXPORTS,
    crate::hip::launch::EXPORTS,
    crate::hip::parameters::EXTENSIONS,
    crate::hip::sized::EXTENSIONS,
    crate::hip::occupancy::EXPORTS,
    crate::hiprtc::EXPORTS,
    crate::miopen::handle::EXPORTS,
    crate::miopen::descriptor::EXPORTS,
    crate::miopen::convolution::EXPORTS,
    crate::miopen::pooling::EXPORTS,
    crate::rocblas::handle::EXPORTS,
    crate::rocblas::gemm::EXPORTS,
    crate::rocblas::gemm::SINGLE_EXPORTS,
    crate::rocblas::gemm::DOUBLE_EXPORTS,
    crate::rocblas::gemm::HALF_EXPORTS,
];

static EXPORTS: Exports = Exports::new(TABLES);

/// The address of a C function of HIP, hiprtc, rocBLAS or MIOpen, or `None` where this platform does not have it.
///
/// This is how a program that links the platform in reaches it; a program that opens the shared library uses the
/// dynamic symbols of the same names.
pub fn symbol(name: &str) -> Option<*const c_void> {
    EXPORTS.symbol(name)
}

/// The names of all C functions that [`symbol`] finds.
pub fn symbols() -> impl Iterator<Item = &'static str> {
    EXPORTS.names()
}
