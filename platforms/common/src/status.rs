//! What C functions return.

use std::cell::Cell;
use std::ffi::{c_char, c_int};
use std::thread::LocalKey;

use rocm_sys::comgr::amd_comgr_status_t;
use rocm_sys::hip::hipError_t;
use rocm_sys::hiprtc::hiprtcResult;
use rocm_sys::miopen::miopenStatus_t;
use rocm_sys::rccl::ncclResult_t;
use rocm_sys::rocblas::{rocblas_status, rocblas_status_};

/// An implementation of the C ABI. [`hip_error_exports!`](crate::hip_error_exports) implements it.
pub trait Platform {
    /// The last error of the calling thread. Platforms in one program do not share it.
    fn last_error() -> &'static LocalKey<Cell<hipError_t>>;
}

/// A return type of C functions of the platform `P`.
pub trait Status<P>: Sized {
    /// What the body of a function evaluates to, so that `?` works in it.
    type Body;

    /// Turns that into what C gets.
    fn finish(body: Self::Body) -> Self;
}

impl<P: Platform> Status<P> for hipError_t {
    type Body = Result<(), hipError_t>;

    /// An error other than "not ready" becomes the thread's last error.
    #[inline]
    fn finish(body: Self::Body) -> Self {
        match body {
            Ok(()) => hipError_t::hipSuccess,
            Err(hipError_t::hipErrorNotReady) => hipError_t::hipErrorNotReady,
            Err(code) => {
                P::last_error().set(code);
                code
            }
        }
    }
}

impl<P> Status<P> for hiprtcResult {
    type Body = Result<(), hiprtcResult>;

    fn finish(body: Self::Body) -> Self {
        body.err().unwrap_or(hiprtcResult::HIPRTC_SUCCESS)
    }
}

impl<P> Status<P> for amd_comgr_status_t {
    type Body = Result<(), amd_comgr_status_t>;

    fn finish(body: Self::Body) -> Self {
        body.err().unwrap_or(amd_comgr_status_t::AMD_COMGR_STATUS_SUCCESS)
    }
}

impl<P> Status<P> for rocblas_status {
    type Body = Result<(), rocblas_status>;

    fn finish(body: Self::Body) -> Self {
        body.err().unwrap_or(rocblas_status_::rocblas_status_success)
    }
}

impl<P> Status<P> for miopenStatus_t {
    type Body = Result<(), miopenStatus_t>;

    fn finish(body: Self::Body) -> Self {
        body.err().unwrap_or(miopenStatus_t::miopenStatusSuccess)
    }
}

impl<P> Status<P> for ncclResult_t {
    type Body = Result<(), ncclResult_t>;

    fn finish(body: Self::Body) -> Self {
        body.err().unwrap_or(ncclResult_t::ncclSuccess)
    }
}

impl<P> Status<P> for c_int {
    type Body = Self;

    fn finish(body: Self::Body) -> Self {
        body
    }
}

impl<P> Status<P> for () {
    type Body = Self;

    fn finish(body: Self::Body) -> Self {
        body
    }
}

impl<P> Status<P> for *const c_char {
    type Body = Self;

    fn finish(body: Self::Body) -> Self {
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Test;

    thread_local! {
        static LAST_ERROR: Cell<hipError_t> = const { Cell::new(hipError_t::hipSuccess) };
    }

    impl Platform for Test {
        fn last_error() -> &'static LocalKey<Cell<hipError_t>> {
            &LAST_ERROR
        }
    }

    #[test]
    fn errors_are_kept_but_for_not_ready() {
        let finish = <hipError_t as Status<Test>>::finish;
        assert_eq!(finish(Err(hipError_t::hipErrorNoDevice)), hipError_t::hipErrorNoDevice);
        assert_eq!(finish(Err(hipError_t::hipErrorNotReady)), hipError_t::hipErrorNotReady);
        assert_eq!(finish(Ok(())), hipError_t::hipSuccess);
        assert_eq!(LAST_ERROR.get(), hipError_t::hipErrorNoDevice);
    }
}
