//! Convolutions, and their gradients with respect to the input.

use super::descriptor::{convolution, tensor};
use super::handle::Handle;
use super::images::Problem;
use crate::exports::Host;
use crate::runtime::stream::Task;
use rocm_platform::arguments::write;
use rocm_platform::miopen::{
    Algorithm, Convolution, Convolutions, Direction, Factors, MiopenResult, Operands,
};
use rocm_platform::{export, miopen_convolution_exports};
use rocm_sys::miopen::{
    miopenConvBwdDataAlgorithm_t, miopenConvFwdAlgorithm_t, miopenConvolutionDescriptor_t, miopenStatus_t,
    miopenTensorDescriptor_t,
};
use std::ffi::{c_int, c_void};

const BAD: miopenStatus_t = miopenStatus_t::miopenStatusBadParm;

/// The number of the only algorithm.
fn algorithm(direction: Direction) -> u32 {
    match direction {
        Direction::Forward => miopenConvFwdAlgorithm_t::miopenConvolutionFwdAlgoGEMM.0,
        Direction::BackwardData => miopenConvBwdDataAlgorithm_t::miopenConvolutionBwdDataAlgoGEMM.0,
    }
}

impl Convolutions for Host {
    unsafe fn workspace_size(problem: &Convolution) -> MiopenResult<usize> {
        Handle::with(problem.handle, |_| ())?;
        Ok(Problem::new(problem)?.workspace())
    }

    /// The algorithm is found whatever the size of the workspace: that counts when it is run.
    unsafe fn find(
        problem: &Convolution,
        operands: Operands,
        _workspace_size: usize,
    ) -> MiopenResult<Vec<Algorithm>> {
        let (handle, number) = (problem.handle, algorithm(problem.direction));
        let problem = Problem::new(problem)?;
        if operands.any_null() {
            return Err(BAD);
        }
        let memory = problem.workspace();
        Handle::with(handle, |handle| handle.remember(problem))?;
        Ok(vec![Algorithm { number, time: 0.0, memory }])
    }

    unsafe fn run(
        problem: &Convolution,
        number: u32,
        factors: Factors,
        operands: Operands,
        (workspace, size): (*mut c_void, usize),
    ) -> MiopenResult {
        let Convolution { handle, direction, .. } = *problem;
        let problem = Problem::new(problem)?;
        if number != algorithm(direction) {
            return Err(miopenStatus_t::miopenStatusUnknownError);
        }
        if operands.any_null() {
            return Err(BAD);
        }
        // SAFETY: the caller vouches for them.
        unsafe { check_factors(factors)? };
        if workspace.is_null() || size < problem.workspace() {
            return Err(BAD);
        }
        let name = match direction {
            Direction::Forward => "miopenConvolutionForward",
            Direction::BackwardData => "miopenConvolutionBackwardData",
        };
        let tensors = [operands.x, operands.w, operands.y].map(|address| address as usize);
        let workspace = workspace as usize;
        Handle::with(handle, |handle| {
            // As MIOpen, which has compiled no code for a problem before `find`.
            if !handle.knows(&problem) {
                return Err(miopenStatus_t::miopenStatusUnknownError);
            }
            handle.submit(Task::new(name, Box::new(move || problem.run(tensors, workspace))))
        })?
    }
}

/// Results replace what was there: `alpha` is 1 and `beta` is 0.
///
/// # Safety
/// Factors are null or there.
pub(super) unsafe fn check_factors(Factors { alpha, beta }: Factors) -> MiopenResult {
    if alpha.is_null() || beta.is_null() {
        return Err(BAD);
    }
    // SAFETY: the caller vouches for them.
    let factors = [alpha, beta].map(|factor| unsafe { factor.cast::<f32>().read_unaligned() });
    if factors == [1.0, 0.0] { Ok(()) } else { Err(miopenStatus_t::miopenStatusNotImplemented) }
}

miopen_convolution_exports! { Host }

export! {
    Host, miopen => SIZE_EXPORTS;

    fn miopenGetConvolutionForwardOutputDim(
        convolution_descriptor: miopenConvolutionDescriptor_t, x: miopenTensorDescriptor_t,
        w: miopenTensorDescriptor_t, n: *mut c_int, c: *mut c_int, h: *mut c_int, width: *mut c_int,
    ) -> miopenStatus_t {
        let (x, w) = (tensor(x)?, tensor(w)?);
        let convolution = convolution(convolution_descriptor)?;
        let (&[x_n, x_c, x_h, x_w], &[k, channels, k_h, k_w]) = (x.dims.as_slice(), w.dims.as_slice()) else {
            return Err(BAD);
        };
        if convolution.transposed || x_c != channels * convolution.groups {
            return Err(BAD);
        }
        let along = |size: usize, taps: usize, d: usize| -> MiopenResult<usize> {
            let reach = (taps - 1) * convolution.dilation[d] + 1;
            let steps = (size + 2 * convolution.padding[d]).checked_sub(reach).ok_or(BAD)?;
            Ok(steps / convolution.stride[d] + 1)
        };
        for (out, size) in [(n, x_n), (c, k), (h, along(x_h, k_h, 0)?), (width, along(x_w, k_w, 1)?)] {
            // SAFETY: the caller vouches for the pointers.
            unsafe { write(out, size as c_int)? };
        }
        Ok(())
    }
}
