//! Copies between host and device memory.

use std::ffi::{c_int, c_void};

use rocm_sys::hip::{hipMemcpyKind, hipStream_t};

use super::HipResult;

/// Host to device.
pub const H2D: hipMemcpyKind = hipMemcpyKind::hipMemcpyHostToDevice;
/// Device to host.
pub const D2H: hipMemcpyKind = hipMemcpyKind::hipMemcpyDeviceToHost;
/// Device to device.
pub const D2D: hipMemcpyKind = hipMemcpyKind::hipMemcpyDeviceToDevice;

/// Bytes to copy.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Transfer {
    pub to: *mut c_void,
    pub from: *const c_void,
    pub size: usize,
    pub kind: hipMemcpyKind,
}

impl Transfer {
    /// From the arguments of `hipMemcpy`.
    pub fn new(to: *mut c_void, from: *const c_void, size: usize, kind: hipMemcpyKind) -> Self {
        Self { to, from, size, kind }
    }
}

/// The ordinals of two devices.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Ends {
    pub to: c_int,
    pub from: c_int,
}

/// Rows of `width` bytes to copy, whose starts lie `to_pitch` and `from_pitch` bytes apart.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Rectangle {
    pub to: *mut c_void,
    pub to_pitch: usize,
    pub from: *const c_void,
    pub from_pitch: usize,
    pub width: usize,
    pub height: usize,
    pub kind: hipMemcpyKind,
}

/// Copies. The platform checks addresses, sizes and kinds.
///
/// Without a stream, copies are on the null stream, and the call returns when they are done, unless only device memory is
/// involved.
/// With a stream, it returns as soon as they are queued.
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
pub trait Copies {
    /// Copies bytes.
    unsafe fn copy(transfer: Transfer, stream: Option<hipStream_t>) -> HipResult;

    /// Copies bytes on a stream. Returns when the copy is done, unless only device memory is involved.
    unsafe fn copy_and_wait(transfer: Transfer, stream: hipStream_t) -> HipResult;

    /// Copies between the memory of two devices.
    unsafe fn copy_peer(transfer: Transfer, devices: Ends, stream: Option<hipStream_t>) -> HipResult;

    /// Copies rows.
    unsafe fn copy_rows(rectangle: Rectangle, stream: Option<hipStream_t>) -> HipResult;
}

/// Defines HIP's functions that copy, in the table `EXPORTS`, for the [`Copies`] of a platform.
#[macro_export]
macro_rules! hip_copy_exports {
    ($platform:ident) => {
        mod functions {
            use super::$platform;
            use $crate::abi::hip::*;
            use $crate::hip::copy::{self, D2D, D2H, Ends, H2D, Rectangle, Transfer};

            $crate::export! {
                $platform, hip => EXPORTS;

                fn hipMemcpy(
                    to: *mut c_void, from: *const c_void, size: usize, kind: hipMemcpyKind,
                ) -> hipError_t {
                    // SAFETY: the caller's memory.
                    unsafe { <$platform as copy::Copies>::copy(Transfer::new(to, from, size, kind), None) }
                }

                fn hipMemcpyAsync(
                    to: *mut c_void, from: *const c_void, size: usize, kind: hipMemcpyKind, stream: hipStream_t,
                ) -> hipError_t {
                    // SAFETY: the caller's memory and stream.
                    unsafe { <$platform as copy::Copies>::copy(Transfer::new(to, from, size, kind), Some(stream)) }
                }

                fn hipMemcpyWithStream(
                    to: *mut c_void, from: *const c_void, size: usize, kind: hipMemcpyKind, stream: hipStream_t,
                ) -> hipError_t {
                    // SAFETY: the caller's memory and stream.
                    unsafe { <$platform as copy::Copies>::copy_and_wait(Transfer::new(to, from, size, kind), stream) }
                }

                fn hipMemcpyHtoD(to: hipDeviceptr_t, from: *mut c_void, size: usize) -> hipError_t {
                    // SAFETY: the caller's memory.
                    unsafe { <$platform as copy::Copies>::copy(Transfer::new(to, from, size, H2D), None) }
                }

                fn hipMemcpyDtoH(to: *mut c_void, from: hipDeviceptr_t, size: usize) -> hipError_t {
                    // SAFETY: the caller's memory.
                    unsafe { <$platform as copy::Copies>::copy(Transfer::new(to, from, size, D2H), None) }
                }

                fn hipMemcpyDtoD(to: hipDeviceptr_t, from: hipDeviceptr_t, size: usize) -> hipError_t {
                    // SAFETY: the caller's memory.
                    unsafe { <$platform as copy::Copies>::copy(Transfer::new(to, from, size, D2D), None) }
                }

                fn hipMemcpyHtoDAsync(
                    to: hipDeviceptr_t, from: *mut c_void, size: usize, stream: hipStream_t,
                ) -> hipError_t {
                    // SAFETY: the caller's memory and stream.
                    unsafe { <$platform as copy::Copies>::copy(Transfer::new(to, from, size, H2D), Some(stream)) }
                }

                fn hipMemcpyDtoHAsync(
                    to: *mut c_void, from: hipDeviceptr_t, size: usize, stream: hipStream_t,
                ) -> hipError_t {
                    // SAFETY: the caller's memory and stream.
                    unsafe { <$platform as copy::Copies>::copy(Transfer::new(to, from, size, D2H), Some(stream)) }
                }

                fn hipMemcpyDtoDAsync(
                    to: hipDeviceptr_t, from: hipDeviceptr_t, size: usize, stream: hipStream_t,
                ) -> hipError_t {
                    // SAFETY: the caller's memory and stream.
                    unsafe { <$platform as copy::Copies>::copy(Transfer::new(to, from, size, D2D), Some(stream)) }
                }

                fn hipMemcpyPeer(
                    to: *mut c_void, to_device: c_int, from: *const c_void, from_device: c_int, size: usize,
                ) -> hipError_t {
                    let devices = Ends { to: to_device, from: from_device };
                    // SAFETY: the caller's memory.
                    unsafe { <$platform as copy::Copies>::copy_peer(Transfer::new(to, from, size, D2D), devices, None) }
                }

                fn hipMemcpyPeerAsync(
                    to: *mut c_void, to_device: c_int, from: *const c_void, from_device: c_int, size: usize,
                    stream: hipStream_t,
                ) -> hipError_t {
                    let devices = Ends { to: to_device, from: from_device };
                    let transfer = Transfer::new(to, from, size, D2D);
                    // SAFETY: the caller's memory and stream.
                    unsafe { <$platform as copy::Copies>::copy_peer(transfer, devices, Some(stream)) }
                }

                fn hipMemcpy2D(
                    to: *mut c_void, to_pitch: usize, from: *const c_void, from_pitch: usize, width: usize,
                    height: usize, kind: hipMemcpyKind,
                ) -> hipError_t {
                    let rectangle = Rectangle { to, to_pitch, from, from_pitch, width, height, kind };
                    // SAFETY: the caller's memory.
                    unsafe { <$platform as copy::Copies>::copy_rows(rectangle, None) }
                }

                fn hipMemcpy2DAsync(
                    to: *mut c_void, to_pitch: usize, from: *const c_void, from_pitch: usize, width: usize,
                    height: usize, kind: hipMemcpyKind, stream: hipStream_t,
                ) -> hipError_t {
                    let rectangle = Rectangle { to, to_pitch, from, from_pitch, width, height, kind };
                    // SAFETY: the caller's memory and stream.
                    unsafe { <$platform as copy::Copies>::copy_rows(rectangle, Some(stream)) }
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}
