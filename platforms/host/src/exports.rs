//! The C functions of this platform, found by name.

use crate::processor::Processor;
use rocm_platform::{Exports, hip_error_exports};
use rocm_sys::variable;
use std::ffi::c_void;

/// This platform, for which the traits of `rocm_platform` are implemented.
pub(crate) struct Host;

hip_error_exports! { Host }

/// The CPU as a device with this wavefront: what devices are where nobody installs others.
pub(crate) fn cpu(wavefront: u32) -> Box<dyn Processor> {
    Box::new(crate::exec::Cpu { wavefront })
}

/// The tables of all modules.
static ALL: Exports = Exports::new(&[
    EXPORTS,
    LAST_ERROR_EXPORTS,
    crate::runtime::device::EXPORTS,
    crate::runtime::properties::EXPORTS,
    crate::runtime::peer::EXPORTS,
    crate::runtime::memory::EXPORTS,
    crate::runtime::copy::EXPORTS,
    crate::runtime::fill::EXPORTS,
    crate::runtime::stream_api::EXPORTS,
    crate::runtime::event::EXPORTS,
    crate::runtime::fault::EXTENSIONS,
    crate::exec::modules::EXPORTS,
    crate::exec::modules::EXTENSIONS,
    crate::exec::kernels::EXPORTS,
    crate::exec::kernels::EXTENSIONS,
    crate::hiprtc::EXPORTS,
    crate::hiprtc::EXTENSIONS,
    crate::miopen::handle::EXPORTS,
    crate::miopen::descriptor::EXPORTS,
    crate::miopen::descriptor::MORE_EXPORTS,
    crate::miopen::convolution::EXPORTS,
    crate::miopen::convolution::SIZE_EXPORTS,
    crate::miopen::pooling::EXPORTS,
    crate::miopen::pooling::SIZE_EXPORTS,
    crate::rccl::api::EXPORTS,
    crate::rocblas::handle::EXPORTS,
    crate::rocblas::gemm::EXPORTS,
    crate::rocblas::gemm::SINGLE_EXPORTS,
    crate::rocblas::gemm::DOUBLE_EXPORTS,
    crate::rocblas::gemm::HALF_EXPORTS,
]);

/// A switch: rocBLAS and MIOpen are missing, as where HIP's runtime is installed alone. For tests.
const RUNTIME_ONLY: &str = "CANDLE_ROCM_HOST_RUNTIME_ONLY";

/// Whether tests want a platform with HIP's runtime alone. hiprtc, without which this platform has no kernels, is there all the same.
pub fn is_runtime_only() -> bool {
    variable::switch(RUNTIME_ONLY) == Some(true)
}

/// The address of a C function of HIP, hiprtc, rocBLAS, MIOpen or RCCL, or `None` where this platform does not have it.
///
/// For programs that link the platform in. A program that opens the shared library uses the dynamic symbols of the
/// same names.
pub fn symbol(name: &str) -> Option<*const c_void> {
    if ["rocblas", "miopen"].iter().any(|library| name.starts_with(library)) && is_runtime_only() {
        return None;
    }
    ALL.symbol(name)
}

/// The names of all C functions that [`symbol`] finds.
pub fn symbols() -> impl Iterator<Item = &'static str> {
    ALL.names()
}
