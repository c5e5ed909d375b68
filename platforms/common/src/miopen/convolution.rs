//! Convolutions, and their gradients with respect to the input.

use std::ffi::{c_int, c_void};

use rocm_sys::miopen::{
    miopenConvAlgoPerf_t, miopenConvAlgoPerf_t__bindgen_ty_1, miopenConvBwdDataAlgorithm_t,
    miopenConvFwdAlgorithm_t, miopenConvolutionDescriptor_t, miopenHandle_t, miopenStatus_t,
    miopenTensorDescriptor_t,
};

use super::{Factors, MiopenResult};
use crate::arguments::{required, write};

/// Which of the tensors is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// y, of x and w.
    Forward,
    /// x, of y and w: the gradient with respect to the input.
    BackwardData,
}

/// A convolution of images x with a kernel w to images y, by its descriptors.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Convolution {
    pub direction: Direction,
    pub handle: miopenHandle_t,
    pub x: miopenTensorDescriptor_t,
    pub w: miopenTensorDescriptor_t,
    pub y: miopenTensorDescriptor_t,
    pub convolution: miopenConvolutionDescriptor_t,
}

impl Convolution {
    /// From the descriptors of x, w and y, and that of the convolution.
    pub fn new(
        direction: Direction,
        handle: miopenHandle_t,
        [x, w, y]: [miopenTensorDescriptor_t; 3],
        convolution: miopenConvolutionDescriptor_t,
    ) -> Self {
        Self { direction, handle, x, w, y, convolution }
    }
}

/// The addresses of x, w and y.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Operands {
    pub x: *const c_void,
    pub w: *const c_void,
    pub y: *const c_void,
}

impl Operands {
    /// Whether any of them is null.
    pub fn any_null(&self) -> bool {
        self.x.is_null() || self.w.is_null() || self.y.is_null()
    }
}

/// An algorithm that was found.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// The number of a `miopenConvFwdAlgorithm_t` or `miopenConvBwdDataAlgorithm_t`.
    pub number: u32,
    /// Milliseconds; 0 if they are not known.
    pub time: f32,
    /// Bytes of its workspace.
    pub memory: usize,
}

/// Convolutions of a platform. Handles, descriptors and addresses are as the program passed them.
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
pub trait Convolutions {
    /// Bytes of workspace with which all algorithms that are worth it can run.
    /// Fails with `miopenStatusBadParm` for what is not valid or does not fit together, `miopenStatusNotImplemented` without an
    /// algorithm.
    unsafe fn workspace_size(problem: &Convolution) -> MiopenResult<usize>;

    /// The algorithms that fit into a workspace, the best first.
    unsafe fn find(
        problem: &Convolution,
        operands: Operands,
        workspace_size: usize,
    ) -> MiopenResult<Vec<Algorithm>>;

    /// Queues the convolution.
    unsafe fn run(
        problem: &Convolution,
        algorithm: u32,
        factors: Factors,
        operands: Operands,
        workspace: (*mut c_void, usize),
    ) -> MiopenResult;
}

/// `miopenFindConvolutionForwardAlgorithm` and its counterpart for gradients.
///
/// # Safety
///
/// As for [`Convolutions::find`]; `returned` is null or valid for writing, `results` null or valid for writing `requested`
/// results.
///
/// # Errors
///
/// As for [`Convolutions::find`]; `miopenStatusBadParm` without room for a result, `miopenStatusNotImplemented` without a result.
pub unsafe fn find<C: Convolutions>(
    problem: &Convolution,
    operands: Operands,
    (requested, returned, results): (c_int, *mut c_int, *mut miopenConvAlgoPerf_t),
    workspace_size: usize,
) -> MiopenResult {
    let requested = usize::try_from(requested).ok().filter(|&requested| requested > 0);
    let requested = requested.ok_or(miopenStatus_t::miopenStatusBadParm)?;
    required(returned)?;
    required(results)?;
    // SAFETY: the caller's promise.
    let mut found = unsafe { C::find(problem, operands, workspace_size)? };
    found.truncate(requested);
    for (index, &Algorithm { number, time, memory }) in found.iter().enumerate() {
        let __bindgen_anon_1 = match problem.direction {
            Direction::Forward => {
                miopenConvAlgoPerf_t__bindgen_ty_1 { fwd_algo: miopenConvFwdAlgorithm_t(number) }
            }
            Direction::BackwardData => {
                miopenConvAlgoPerf_t__bindgen_ty_1 { bwd_data_algo: miopenConvBwdDataAlgorithm_t(number) }
            }
        };
        // SAFETY: there is room for as many as were requested.
        unsafe { write(results.add(index), miopenConvAlgoPerf_t { __bindgen_anon_1, time, memory })? };
    }
    // SAFETY: the caller's promise.
    unsafe { write(returned, found.len() as c_int)? };
    if found.is_empty() { Err(miopenStatus_t::miopenStatusNotImplemented) } else { Ok(()) }
}

/// Defines MIOpen's functions for convolutions, in the table `EXPORTS`, for the [`Convolutions`] of a platform.
#[macro_export]
macro_rules! miopen_convolution_exports {
    ($platform:ident) => {
        mod functions {
            use super::$platform;
            use $crate::abi::miopen::*;
            use $crate::arguments::write;
            use $crate::miopen::Factors;
            use $crate::miopen::convolution::{self, Convolution, Direction, Operands};

            $crate::export! {
                $platform, miopen => EXPORTS;

                /// The kernel's descriptor comes first.
                fn miopenConvolutionForwardGetWorkSpaceSize(
                    handle: miopenHandle_t, w: miopenTensorDescriptor_t, x: miopenTensorDescriptor_t,
                    convolution: miopenConvolutionDescriptor_t, y: miopenTensorDescriptor_t, size: *mut usize,
                ) -> miopenStatus_t {
                    let problem = Convolution::new(Direction::Forward, handle, [x, w, y], convolution);
                    // SAFETY: the caller's handle, descriptors and out-parameter.
                    Ok(unsafe { write(size, <$platform as convolution::Convolutions>::workspace_size(&problem)?)? })
                }

                fn miopenFindConvolutionForwardAlgorithm(
                    handle: miopenHandle_t, x_descriptor: miopenTensorDescriptor_t, x: *const c_void,
                    w_descriptor: miopenTensorDescriptor_t, w: *const c_void,
                    convolution: miopenConvolutionDescriptor_t, y_descriptor: miopenTensorDescriptor_t, y: *mut c_void,
                    requested: c_int, returned: *mut c_int, results: *mut miopenConvAlgoPerf_t,
                    _workspace: *mut c_void, size: usize, _exhaustive: bool,
                ) -> miopenStatus_t {
                    let tensors = [x_descriptor, w_descriptor, y_descriptor];
                    let problem = Convolution::new(Direction::Forward, handle, tensors, convolution);
                    let results = (requested, returned, results);
                    // SAFETY: the caller's handle, descriptors and out-parameters.
                    unsafe { convolution::find::<$platform>(&problem, Operands { x, w, y }, results, size) }
                }

                fn miopenConvolutionForward(
                    handle: miopenHandle_t, alpha: *const c_void, x_descriptor: miopenTensorDescriptor_t,
                    x: *const c_void, w_descriptor: miopenTensorDescriptor_t, w: *const c_void,
                    convolution: miopenConvolutionDescriptor_t, algorithm: miopenConvFwdAlgorithm_t,
                    beta: *const c_void, y_descriptor: miopenTensorDescriptor_t, y: *mut c_void,
                    workspace: *mut c_void, size: usize,
                ) -> miopenStatus_t {
                    let tensors = [x_descriptor, w_descriptor, y_descriptor];
                    let problem = Convolution::new(Direction::Forward, handle, tensors, convolution);
                    let (factors, operands) = (Factors { alpha, beta }, Operands { x, w, y });
                    // SAFETY: the caller's handle, descriptors and memory.
                    unsafe {
                        <$platform as convolution::Convolutions>::run(
                            &problem, algorithm.0, factors, operands, (workspace, size),
                        )
                    }
                }

                /// The gradient's descriptor comes first, then the kernel's.
                fn miopenConvolutionBackwardDataGetWorkSpaceSize(
                    handle: miopenHandle_t, y: miopenTensorDescriptor_t, w: miopenTensorDescriptor_t,
                    convolution: miopenConvolutionDescriptor_t, x: miopenTensorDescriptor_t, size: *mut usize,
                ) -> miopenStatus_t {
                    let problem = Convolution::new(Direction::BackwardData, handle, [x, w, y], convolution);
                    // SAFETY: the caller's handle, descriptors and out-parameter.
                    Ok(unsafe { write(size, <$platform as convolution::Convolutions>::workspace_size(&problem)?)? })
                }

                fn miopenFindConvolutionBackwardDataAlgorithm(
                    handle: miopenHandle_t, y_descriptor: miopenTensorDescriptor_t, y: *const c_void,
                    w_descriptor: miopenTensorDescriptor_t, w: *const c_void,
                    convolution: miopenConvolutionDescriptor_t, x_descriptor: miopenTensorDescriptor_t, x: *mut c_void,
                    requested: c_int, returned: *mut c_int, results: *mut miopenConvAlgoPerf_t,
                    _workspace: *mut c_void, size: usize, _exhaustive: bool,
                ) -> miopenStatus_t {
                    let tensors = [x_descriptor, w_descriptor, y_descriptor];
                    let problem = Convolution::new(Direction::BackwardData, handle, tensors, convolution);
                    let results = (requested, returned, results);
                    // SAFETY: the caller's handle, descriptors and out-parameters.
                    unsafe { convolution::find::<$platform>(&problem, Operands { x, w, y }, results, size) }
                }

                fn miopenConvolutionBackwardData(
                    handle: miopenHandle_t, alpha: *const c_void, y_descriptor: miopenTensorDescriptor_t,
                    y: *const c_void, w_descriptor: miopenTensorDescriptor_t, w: *const c_void,
                    convolution: miopenConvolutionDescriptor_t, algorithm: miopenConvBwdDataAlgorithm_t,
                    beta: *const c_void, x_descriptor: miopenTensorDescriptor_t, x: *mut c_void,
                    workspace: *mut c_void, size: usize,
                ) -> miopenStatus_t {
                    let tensors = [x_descriptor, w_descriptor, y_descriptor];
                    let problem = Convolution::new(Direction::BackwardData, handle, tensors, convolution);
                    let (factors, operands) = (Factors { alpha, beta }, Operands { x, w, y });
                    // SAFETY: the caller's handle, descriptors and memory.
                    unsafe {
                        <$platform as convolution::Convolutions>::run(
                            &problem, algorithm.0, factors, operands, (workspace, size),
                        )
                    }
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}
