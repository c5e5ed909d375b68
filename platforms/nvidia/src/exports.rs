//! The C functions of this platform, found by name.

use rocm_platform::{Exports, hip_error_exports};
use std::ffi::c_void;

/// This platform, for which the traits of `rocm_platform` are implemented.
pub(crate) struct Nvidia;

hip_error_exports! { Nvidia }

/// The tables of all modules.
static ALL: Exports = Exports::new(&[
    EXPORTS,
    LAST_ERROR_EXPORTS,
    crate::hip::device::EXPORTS,
    crate::hip::properties::EXPORTS,
    crate::hip::peer::EXPORTS,
    crate::hip::memory::EXPORTS,
    crate::hip::copy::EXPORTS,
    crate::hip::fill::EXPORTS,
    crate::hip::stream::EXPORTS,
    crate::hip::event::EXPORTS,
    crate::hip::module::EXPORTS,
    crate::hip::module::EXTENSIONS,
    crate::hip::kernel::EXPORTS,
    crate::hip::kernel::EXTENSIONS,
    crate::hip::launch::COOPERATIVE_EXPORTS,
    crate::hip::kernel::MORE_EXPORTS,
    crate::hiprtc::EXPORTS,
    crate::miopen::handle::EXPORTS,
    crate::miopen::descriptor::EXPORTS,
    crate::miopen::convolution::EXPORTS,
    crate::miopen::pooling::EXPORTS,
    crate::rccl::EXPORTS,
    crate::rocblas::handle::EXPORTS,
    crate::rocblas::gemm::EXPORTS,
    crate::rocblas::gemm::SINGLE_EXPORTS,
    crate::rocblas::gemm::DOUBLE_EXPORTS,
    crate::rocblas::gemm::HALF_EXPORTS,
]);

/// The address of a C function of HIP, hiprtc, rocBLAS, MIOpen or RCCL, or `None` where this platform does not have it.
///
/// For programs that link the platform in. A program that opens the shared library uses the dynamic symbols of the
/// same names.
pub fn symbol(name: &str) -> Option<*const c_void> {
    ALL.symbol(name)
}

/// The names of all C functions that [`symbol`] finds.
pub fn symbols() -> impl Iterator<Item = &'static str> {
    ALL.names()
}
