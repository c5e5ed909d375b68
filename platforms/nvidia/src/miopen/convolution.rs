//! Convolutions, and their gradients with respect to the input.

use super::descriptor::Tensor;
use super::handle::of;
use crate::exports::export;
use cudarc::cudnn::sys::{
    cudnnConvolutionBwdDataAlgo_t, cudnnConvolutionDescriptor_t, cudnnConvolutionFwdAlgo_t,
    cudnnConvolutionFwdAlgoPerf_t,
};
use rocm_sys::implement::miopen::write;
use rocm_sys::miopen::{
    miopenConvAlgoPerf_t, miopenConvAlgoPerf_t__bindgen_ty_1, miopenConvBwdDataAlgorithm_t,
    miopenConvFwdAlgorithm_t, miopenConvolutionDescriptor_t, miopenHandle_t, miopenStatus_t,
    miopenTensorDescriptor_t,
};
use std::ffi::{c_int, c_void};

const BAD: miopenStatus_t = miopenStatus_t::miopenStatusBadParm;

/// How many of cuDNN's suggestions are looked at: it has no more algorithms, each with and without tensor cores.
const MOST: usize = 16;

/// Workspaces above this are not asked for: algorithms that want more are hardly ever the fastest.
const WORKSPACE: usize = 256 << 20;

/// A suggestion of cuDNN's, its enums as numbers: a later version may have more of them.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Suggestion {
    algorithm: u32,
    status: u32,
    time: f32,
    memory: usize,
    determinism: u32,
    math: u32,
    reserved: [c_int; 3],
}

const _: () = assert!(size_of::<Suggestion>() == size_of::<cudnnConvolutionFwdAlgoPerf_t>());

/// What cuDNN suggests, each algorithm once, what it thinks best first.
///
/// # Safety
/// Handle and descriptors live.
unsafe fn suggested(
    backward: bool,
    handle: miopenHandle_t,
    [x, w, y]: [miopenTensorDescriptor_t; 3],
    convolution: miopenConvolutionDescriptor_t,
) -> Result<Vec<Suggestion>, miopenStatus_t> {
    let (cudnn, handle) = of(handle)?;
    if convolution.is_null() {
        return Err(BAD);
    }
    // SAFETY: the caller's promise.
    let (x, w, y) = unsafe { (Tensor::of(x)?, Tensor::of(w)?, Tensor::of(y)?) };
    let convolution: cudnnConvolutionDescriptor_t = convolution.cast();
    let mut found = 0;
    let mut suggestions = [Suggestion::default(); MOST];
    let results = suggestions.as_mut_ptr();
    // SAFETY: the caller's promise; there is room for the suggestions, whose layout is cuDNN's in both directions.
    unsafe {
        cudnn.cudnnSetConvolutionMathType(convolution, x.math())?;
        if backward {
            cudnn.cudnnGetConvolutionBackwardDataAlgorithm_v7(
                handle,
                w.filter()?,
                y.tensor,
                convolution,
                x.tensor,
                MOST as c_int,
                &mut found,
                results.cast(),
            )?;
        } else {
            cudnn.cudnnGetConvolutionForwardAlgorithm_v7(
                handle,
                x.tensor,
                w.filter()?,
                convolution,
                y.tensor,
                MOST as c_int,
                &mut found,
                results.cast(),
            )?;
        }
    }
    let math = x.math() as u32;
    let found = &suggestions[..usize::try_from(found).unwrap_or(0).min(MOST)];
    // An algorithm may want other arithmetic than was asked for, to be faster: not at that price.
    let works = |suggestion: &&Suggestion| suggestion.status == 0 && [math, 0].contains(&suggestion.math);
    let fma = |suggestion: &&Suggestion| suggestion.status == 0 && suggestion.math != 2;
    let mut all: Vec<Suggestion> = found.iter().filter(works).copied().collect();
    if all.is_empty() {
        all.extend(found.iter().filter(fma));
    }
    let mut seen = Vec::new();
    all.retain(|suggestion| {
        let new = !seen.contains(&suggestion.algorithm);
        seen.push(suggestion.algorithm);
        new
    });
    if all.is_empty() { Err(miopenStatus_t::miopenStatusNotImplemented) } else { Ok(all) }
}

/// What the largest workspace is that is worth its memory.
fn workspace(suggestions: &[Suggestion]) -> usize {
    let sizes = || suggestions.iter().map(|suggestion| suggestion.memory);
    sizes().filter(|&size| size <= WORKSPACE).max().or_else(|| sizes().min()).unwrap_or(0)
}

/// # Safety
/// Out-parameters are null or valid for writing, the last one as many results as are requested.
unsafe fn report(
    suggestions: &[Suggestion],
    size: usize,
    algorithm: impl Fn(u32) -> miopenConvAlgoPerf_t__bindgen_ty_1,
    (requested, returned, results): (c_int, *mut c_int, *mut miopenConvAlgoPerf_t),
) -> Result<(), miopenStatus_t> {
    let requested = usize::try_from(requested).unwrap_or(0);
    if requested < 1 || results.is_null() {
        return Err(BAD);
    }
    let mut count = 0;
    for suggestion in suggestions.iter().filter(|suggestion| suggestion.memory <= size).take(requested) {
        let &Suggestion { time, memory, .. } = suggestion;
        let __bindgen_anon_1 = algorithm(suggestion.algorithm);
        // SAFETY: the caller's promise.
        unsafe {
            write(results.add(count), miopenConvAlgoPerf_t { __bindgen_anon_1, time: time.max(0.0), memory })
        }?;
        count += 1;
    }
    // SAFETY: the caller's promise.
    unsafe { write(returned, count as c_int) }?;
    if count == 0 { Err(miopenStatus_t::miopenStatusNotImplemented) } else { Ok(()) }
}

export! {
    miopen => EXPORTS;

    /// The kernel's descriptor comes first.
    fn miopenConvolutionForwardGetWorkSpaceSize(
        handle: miopenHandle_t, w: miopenTensorDescriptor_t, x: miopenTensorDescriptor_t,
        convolution: miopenConvolutionDescriptor_t, y: miopenTensorDescriptor_t, size: *mut usize,
    ) -> miopenStatus_t {
        // SAFETY: the caller vouches for handle, descriptors and pointer.
        unsafe { write(size, workspace(&suggested(false, handle, [x, w, y], convolution)?)) }
    }

    /// Operands are not needed: cuDNN goes by its heuristics. Algorithms that do not fit into the workspace are left out.
    fn miopenFindConvolutionForwardAlgorithm(
        handle: miopenHandle_t, x_descriptor: miopenTensorDescriptor_t, _x: *const c_void,
        w_descriptor: miopenTensorDescriptor_t, _w: *const c_void, convolution: miopenConvolutionDescriptor_t,
        y_descriptor: miopenTensorDescriptor_t, _y: *mut c_void, requested: c_int, returned: *mut c_int,
        results: *mut miopenConvAlgoPerf_t, _workspace: *mut c_void, size: usize, _exhaustive: bool,
    ) -> miopenStatus_t {
        // SAFETY: the caller vouches for handle, descriptors and pointers.
        unsafe {
            let all = suggested(false, handle, [x_descriptor, w_descriptor, y_descriptor], convolution)?;
            let algorithm = |number| miopenConvAlgoPerf_t__bindgen_ty_1 { fwd_algo: miopenConvFwdAlgorithm_t(number) };
            report(&all, size, algorithm, (requested, returned, results))
        }
    }

    fn miopenConvolutionForward(
        handle: miopenHandle_t, alpha: *const c_void, x_descriptor: miopenTensorDescriptor_t, x: *const c_void,
        w_descriptor: miopenTensorDescriptor_t, w: *const c_void, convolution: miopenConvolutionDescriptor_t,
        algorithm: miopenConvFwdAlgorithm_t, beta: *const c_void, y_descriptor: miopenTensorDescriptor_t,
        y: *mut c_void, workspace: *mut c_void, size: usize,
    ) -> miopenStatus_t {
        let (cudnn, handle) = of(handle)?;
        let algorithm = forward_algorithm(algorithm.0)?;
        // SAFETY: the caller vouches for handle, descriptors and memory.
        unsafe {
            let tensors = (Tensor::of(x_descriptor)?, Tensor::of(w_descriptor)?, Tensor::of(y_descriptor)?);
            cudnn.cudnnConvolutionForward(
                handle, alpha, tensors.0.tensor, x, tensors.1.filter()?, w, convolution.cast(), algorithm, workspace, size,
                beta, tensors.2.tensor, y,
            )
        }
    }

    fn miopenConvolutionBackwardDataGetWorkSpaceSize(
        handle: miopenHandle_t, dy: miopenTensorDescriptor_t, w: miopenTensorDescriptor_t,
        convolution: miopenConvolutionDescriptor_t, dx: miopenTensorDescriptor_t, size: *mut usize,
    ) -> miopenStatus_t {
        // SAFETY: the caller vouches for handle, descriptors and pointer.
        unsafe { write(size, workspace(&suggested(true, handle, [dx, w, dy], convolution)?)) }
    }

    /// Operands are not needed: cuDNN goes by its heuristics. Algorithms that do not fit into the workspace are left out.
    fn miopenFindConvolutionBackwardDataAlgorithm(
        handle: miopenHandle_t, dy_descriptor: miopenTensorDescriptor_t, _dy: *const c_void,
        w_descriptor: miopenTensorDescriptor_t, _w: *const c_void, convolution: miopenConvolutionDescriptor_t,
        dx_descriptor: miopenTensorDescriptor_t, _dx: *mut c_void, requested: c_int, returned: *mut c_int,
        results: *mut miopenConvAlgoPerf_t, _workspace: *mut c_void, size: usize, _exhaustive: bool,
    ) -> miopenStatus_t {
        // SAFETY: the caller vouches for handle, descriptors and pointers.
        unsafe {
            let all = suggested(true, handle, [dx_descriptor, w_descriptor, dy_descriptor], convolution)?;
            let algorithm =
                |number| miopenConvAlgoPerf_t__bindgen_ty_1 { bwd_data_algo: miopenConvBwdDataAlgorithm_t(number) };
            report(&all, size, algorithm, (requested, returned, results))
        }
    }

    fn miopenConvolutionBackwardData(
        handle: miopenHandle_t, alpha: *const c_void, dy_descriptor: miopenTensorDescriptor_t, dy: *const c_void,
        w_descriptor: miopenTensorDescriptor_t, w: *const c_void, convolution: miopenConvolutionDescriptor_t,
        algorithm: miopenConvBwdDataAlgorithm_t, beta: *const c_void, dx_descriptor: miopenTensorDescriptor_t,
        dx: *mut c_void, workspace: *mut c_void, size: usize,
    ) -> miopenStatus_t {
        let (cudnn, handle) = of(handle)?;
        let algorithm = backward_algorithm(algorithm.0)?;
        // SAFETY: the caller vouches for handle, descriptors and memory.
        unsafe {
            let tensors = (Tensor::of(dx_descriptor)?, Tensor::of(w_descriptor)?, Tensor::of(dy_descriptor)?);
            cudnn.cudnnConvolutionBackwardData(
                handle, alpha, tensors.1.filter()?, w, tensors.2.tensor, dy, convolution.cast(), algorithm, workspace,
                size, beta, tensors.0.tensor, dx,
            )
        }
    }
}

/// cuDNN's algorithm of that number, if there is one.
fn forward_algorithm(number: u32) -> Result<cudnnConvolutionFwdAlgo_t, miopenStatus_t> {
    use cudnnConvolutionFwdAlgo_t as of;
    let known = [
        of::CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
        of::CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
        of::CUDNN_CONVOLUTION_FWD_ALGO_GEMM,
        of::CUDNN_CONVOLUTION_FWD_ALGO_DIRECT,
        of::CUDNN_CONVOLUTION_FWD_ALGO_FFT,
        of::CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING,
        of::CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD,
        of::CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED,
    ];
    known.into_iter().find(|known| *known as u32 == number).ok_or(BAD)
}

fn backward_algorithm(number: u32) -> Result<cudnnConvolutionBwdDataAlgo_t, miopenStatus_t> {
    use cudnnConvolutionBwdDataAlgo_t as of;
    let known = [
        of::CUDNN_CONVOLUTION_BWD_DATA_ALGO_0,
        of::CUDNN_CONVOLUTION_BWD_DATA_ALGO_1,
        of::CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT,
        of::CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING,
        of::CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD,
        of::CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED,
    ];
    known.into_iter().find(|known| *known as u32 == number).ok_or(BAD)
}
