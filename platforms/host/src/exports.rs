//! The C functions: what they return, and how they are found. Rooms define theirs with [`export!`].

use rocm_sys::hip::hipError_t;
use rocm_sys::implement::Exports;
use rocm_sys::miopen::miopenStatus_t;
use rocm_sys::rocblas::{rocblas_status, rocblas_status_};
use std::ffi::c_void;

pub(crate) use rocm_sys::implement::{Export, export};

/// What a C function returns, and what its body evaluates to.
///
/// Bodies written inside [`export!`] evaluate to `Body`, so that `?` works in them; `finish` turns that into the
/// C value (and, for HIP, keeps the thread's last error).
pub(crate) trait Status: Sized {
    type Body;
    fn finish(body: Self::Body) -> Self;
}

impl Status for hipError_t {
    type Body = Result<(), hipError_t>;

    fn finish(body: Self::Body) -> Self {
        crate::runtime::error::finish(body)
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

impl Status for std::ffi::c_int {
    type Body = Self;

    fn finish(body: Self::Body) -> Self {
        body
    }
}

impl Status for *const std::ffi::c_char {
    type Body = Self;

    fn finish(body: Self::Body) -> Self {
        body
    }
}

/// Every table of the crate: a new room adds its own here.
const TABLES: &[&[Export]] = &[
    crate::runtime::error::EXPORTS,
    crate::runtime::error::LAST_ERROR_EXPORTS,
    crate::runtime::device::EXPORTS,
    crate::runtime::properties::EXPORTS,
    crate::runtime::peer::EXPORTS,
    crate::runtime::memory::EXPORTS,
    crate::runtime::copy::EXPORTS,
    crate::runtime::fill::EXPORTS,
    crate::runtime::stream_api::EXPORTS,
    crate::runtime::event::EXPORTS,
    crate::exec::EXPORTS,
    crate::exec::EXTENSIONS,
    crate::exec::SIZED_EXTENSIONS,
    crate::runtime::fault::EXTENSIONS,
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
