//! The C functions of convolutions, and of their gradients with respect to the input.

use super::descriptor::{convolution, tensor};
use super::handle::Handle;
use super::images::Problem;
use crate::exports::export;
use crate::runtime::stream::Task;
use rocm_sys::implement::miopen::write;
use rocm_sys::miopen::{
    miopenConvAlgoPerf_t, miopenConvAlgoPerf_t__bindgen_ty_1, miopenConvBwdDataAlgorithm_t,
    miopenConvFwdAlgorithm_t, miopenConvolutionDescriptor_t, miopenHandle_t, miopenStatus_t,
    miopenTensorDescriptor_t,
};
use std::ffi::{c_int, c_void};

const BAD: miopenStatus_t = miopenStatus_t::miopenStatusBadParm;

/// The only algorithm, by either name.
const FORWARD: miopenConvFwdAlgorithm_t = miopenConvFwdAlgorithm_t::miopenConvolutionFwdAlgoGEMM;
const BACKWARD: miopenConvBwdDataAlgorithm_t = miopenConvBwdDataAlgorithm_t::miopenConvolutionBwdDataAlgoGEMM;

/// # Safety
/// Out-parameters are null or valid for writing.
unsafe fn find(
    handle: miopenHandle_t,
    problem: Problem,
    tensors: [*const c_void; 3],
    algorithm: miopenConvAlgoPerf_t__bindgen_ty_1,
    (requested, returned, results): (c_int, *mut c_int, *mut miopenConvAlgoPerf_t),
) -> Result<(), miopenStatus_t> {
    if tensors.contains(&std::ptr::null()) || requested < 1 || results.is_null() {
        return Err(BAD);
    }
    let memory = problem.workspace();
    // SAFETY: the caller vouches for the pointers.
    unsafe {
        write(returned, 1)?;
        write(results, miopenConvAlgoPerf_t { __bindgen_anon_1: algorithm, time: 0.0, memory })?;
    }
    Handle::with(handle, |handle| handle.remember(problem))
}

/// # Safety
/// Factors are null or there.
unsafe fn run(
    name: &'static str,
    handle: miopenHandle_t,
    problem: Problem,
    factors: [*const c_void; 2],
    tensors: [*const c_void; 3],
    (workspace, size): (*mut c_void, usize),
) -> Result<(), miopenStatus_t> {
    if tensors.contains(&std::ptr::null()) || factors.contains(&std::ptr::null()) {
        return Err(BAD);
    }
    // SAFETY: the caller vouches for them.
    let factors = factors.map(|factor| unsafe { factor.cast::<f32>().read_unaligned() });
    if factors != [1.0, 0.0] {
        return Err(miopenStatus_t::miopenStatusNotImplemented);
    }
    if workspace.is_null() || size < problem.workspace() {
        return Err(BAD);
    }
    let (tensors, workspace) = (tensors.map(|address| address as usize), workspace as usize);
    Handle::with(handle, |handle| {
        // MIOpen has no code for what was not looked for.
        if !handle.knows(&problem) {
            return Err(miopenStatus_t::miopenStatusUnknownError);
        }
        handle.submit(Task::new(name, Box::new(move || problem.run(tensors, workspace))))
    })?
}

export! {
    miopen => EXPORTS;

    fn miopenGetConvolutionForwardOutputDim(
        convolution_descriptor: miopenConvolutionDescriptor_t, x: miopenTensorDescriptor_t,
        w: miopenTensorDescriptor_t, n: *mut c_int, c: *mut c_int, h: *mut c_int, width: *mut c_int,
    ) -> miopenStatus_t {
        let (x, w) = (tensor(x as usize)?, tensor(w as usize)?);
        let convolution = convolution(convolution_descriptor as usize)?;
        let (&[x_n, x_c, x_h, x_w], &[k, channels, k_h, k_w]) = (x.dims.as_slice(), w.dims.as_slice()) else {
            return Err(BAD);
        };
        if convolution.transposed || x_c != channels * convolution.groups {
            return Err(BAD);
        }
        let along = |size: usize, taps: usize, d: usize| {
            let reach = (taps - 1) * convolution.dilation[d] + 1;
            let steps = (size + 2 * convolution.padding[d]).checked_sub(reach).ok_or(BAD)?;
            Ok(steps / convolution.stride[d] + 1)
        };
        for (out, size) in [(n, x_n), (c, k), (h, along(x_h, k_h, 0)?), (width, along(x_w, k_w, 1)?)] {
            // SAFETY: the caller vouches for the pointers.
            unsafe { write(out, size as c_int) }?;
        }
        Ok(())
    }

    /// The kernel's descriptor comes first.
    fn miopenConvolutionForwardGetWorkSpaceSize(
        handle: miopenHandle_t, w: miopenTensorDescriptor_t, x: miopenTensorDescriptor_t,
        convolution: miopenConvolutionDescriptor_t, y: miopenTensorDescriptor_t, size: *mut usize,
    ) -> miopenStatus_t {
        Handle::with(handle, |_| ())?;
        let problem = Problem::new(false, [x as usize, w as usize, y as usize, convolution as usize])?;
        // SAFETY: the caller vouches for the pointer.
        unsafe { write(size, problem.workspace()) }
    }

    fn miopenFindConvolutionForwardAlgorithm(
        handle: miopenHandle_t, x_descriptor: miopenTensorDescriptor_t, x: *const c_void,
        w_descriptor: miopenTensorDescriptor_t, w: *const c_void, convolution: miopenConvolutionDescriptor_t,
        y_descriptor: miopenTensorDescriptor_t, y: *mut c_void, requested: c_int, returned: *mut c_int,
        results: *mut miopenConvAlgoPerf_t, _workspace: *mut c_void, _size: usize, _exhaustive: bool,
    ) -> miopenStatus_t {
        let descriptors =
            [x_descriptor as usize, w_descriptor as usize, y_descriptor as usize, convolution as usize];
        let problem = Problem::new(false, descriptors)?;
        let algorithm = miopenConvAlgoPerf_t__bindgen_ty_1 { fwd_algo: FORWARD };
        // SAFETY: the caller vouches for the pointers.
        unsafe { find(handle, problem, [x, w, y], algorithm, (requested, returned, results)) }
    }

    fn miopenConvolutionForward(
        handle: miopenHandle_t, alpha: *const c_void, x_descriptor: miopenTensorDescriptor_t, x: *const c_void,
        w_descriptor: miopenTensorDescriptor_t, w: *const c_void, convolution: miopenConvolutionDescriptor_t,
        algorithm: miopenConvFwdAlgorithm_t, beta: *const c_void, y_descriptor: miopenTensorDescriptor_t,
        y: *mut c_void, workspace: *mut c_void, size: usize,
    ) -> miopenStatus_t {
        let descriptors =
            [x_descriptor as usize, w_descriptor as usize, y_descriptor as usize, convolution as usize];
        let problem = Problem::new(false, descriptors)?;
        if algorithm != FORWARD {
            return Err(miopenStatus_t::miopenStatusUnknownError);
        }
        // SAFETY: the caller vouches for the factors.
        unsafe { run("miopenConvolutionForward", handle, problem, [alpha, beta], [x, w, y], (workspace, size)) }
    }

    fn miopenConvolutionBackwardDataGetWorkSpaceSize(
        handle: miopenHandle_t, dy: miopenTensorDescriptor_t, w: miopenTensorDescriptor_t,
        convolution: miopenConvolutionDescriptor_t, dx: miopenTensorDescriptor_t, size: *mut usize,
    ) -> miopenStatus_t {
        Handle::with(handle, |_| ())?;
        let problem = Problem::new(true, [dx as usize, w as usize, dy as usize, convolution as usize])?;
        // SAFETY: the caller vouches for the pointer.
        unsafe { write(size, problem.workspace()) }
    }

    fn miopenFindConvolutionBackwardDataAlgorithm(
        handle: miopenHandle_t, dy_descriptor: miopenTensorDescriptor_t, dy: *const c_void,
        w_descriptor: miopenTensorDescriptor_t, w: *const c_void, convolution: miopenConvolutionDescriptor_t,
        dx_descriptor: miopenTensorDescriptor_t, dx: *mut c_void, requested: c_int, returned: *mut c_int,
        results: *mut miopenConvAlgoPerf_t, _workspace: *mut c_void, _size: usize, _exhaustive: bool,
    ) -> miopenStatus_t {
        let descriptors =
            [dx_descriptor as usize, w_descriptor as usize, dy_descriptor as usize, convolution as usize];
        let problem = Problem::new(true, descriptors)?;
        let algorithm = miopenConvAlgoPerf_t__bindgen_ty_1 { bwd_data_algo: BACKWARD };
        // SAFETY: the caller vouches for the pointers.
        unsafe { find(handle, problem, [dx, w, dy], algorithm, (requested, returned, results)) }
    }

    fn miopenConvolutionBackwardData(
        handle: miopenHandle_t, alpha: *const c_void, dy_descriptor: miopenTensorDescriptor_t, dy: *const c_void,
        w_descriptor: miopenTensorDescriptor_t, w: *const c_void, convolution: miopenConvolutionDescriptor_t,
        algorithm: miopenConvBwdDataAlgorithm_t, beta: *const c_void, dx_descriptor: miopenTensorDescriptor_t,
        dx: *mut c_void, workspace: *mut c_void, size: usize,
    ) -> miopenStatus_t {
        let descriptors =
            [dx_descriptor as usize, w_descriptor as usize, dy_descriptor as usize, convolution as usize];
        let problem = Problem::new(true, descriptors)?;
        if algorithm != BACKWARD {
            return Err(miopenStatus_t::miopenStatusUnknownError);
        }
        // SAFETY: the caller vouches for the factors.
        unsafe {
            run("miopenConvolutionBackwardData", handle, problem, [alpha, beta], [dx, w, dy], (workspace, size))
        }
    }
}
