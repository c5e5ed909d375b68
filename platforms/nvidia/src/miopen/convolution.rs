//! Convolutions, and their gradients with respect to the input.

use super::descriptor::Tensor;
use super::handle::of;
use crate::exports::Nvidia;
use cudarc::cudnn::sys::{
    cudnnConvolutionBwdDataAlgo_t, cudnnConvolutionDescriptor_t, cudnnConvolutionFwdAlgo_t,
    cudnnConvolutionFwdAlgoPerf_t,
};
use rocm_platform::miopen::{
    Algorithm, Convolution, Convolutions, Direction, Factors, MiopenResult, Operands, check,
};
use rocm_platform::miopen_convolution_exports;
use rocm_sys::miopen::miopenStatus_t;
use std::ffi::{c_int, c_void};

const BAD: miopenStatus_t = miopenStatus_t::miopenStatusBadParm;

/// The most suggestions of cuDNN that are considered: there are no more algorithms, each with and without tensor cores.
const MOST: usize = 16;

/// The largest workspace in bytes: algorithms that need more are rarely the fastest.
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

/// cuDNN's suggestions, best first, each algorithm once.
///
/// # Safety
/// Handle and descriptors live.
unsafe fn suggested(problem: &Convolution) -> MiopenResult<Vec<Suggestion>> {
    let (cudnn, handle) = of(problem.handle)?;
    check(problem.convolution)?;
    // SAFETY: the caller's promise.
    let (x, w, y) = unsafe { (Tensor::of(problem.x)?, Tensor::of(problem.w)?, Tensor::of(problem.y)?) };
    let convolution: cudnnConvolutionDescriptor_t = problem.convolution.cast();
    let mut found = 0;
    let mut suggestions = [Suggestion::default(); MOST];
    let results = suggestions.as_mut_ptr();
    // SAFETY: the caller's promise; there is room for the suggestions, whose layout is cuDNN's in both directions.
    unsafe {
        cudnn.cudnnSetConvolutionMathType(convolution, x.math())?;
        match problem.direction {
            Direction::Forward => cudnn.cudnnGetConvolutionForwardAlgorithm_v7(
                handle,
                x.tensor,
                w.filter()?,
                convolution,
                y.tensor,
                MOST as c_int,
                &mut found,
                results.cast(),
            )?,
            Direction::BackwardData => cudnn.cudnnGetConvolutionBackwardDataAlgorithm_v7(
                handle,
                w.filter()?,
                y.tensor,
                convolution,
                x.tensor,
                MOST as c_int,
                &mut found,
                results.cast(),
            )?,
        }
    }
    let math = x.math() as u32;
    let found = &suggestions[..usize::try_from(found).unwrap_or(0).min(MOST)];
    // An algorithm may suggest less precise arithmetic than was asked for, which is not taken.
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

/// The largest workspace within the limit, or the smallest of all.
fn workspace(suggestions: &[Suggestion]) -> usize {
    let sizes = || suggestions.iter().map(|suggestion| suggestion.memory);
    sizes().filter(|&size| size <= WORKSPACE).max().or_else(|| sizes().min()).unwrap_or(0)
}

impl Convolutions for Nvidia {
    unsafe fn workspace_size(problem: &Convolution) -> MiopenResult<usize> {
        // SAFETY: the caller vouches for handle and descriptors.
        let all = unsafe { suggested(problem)? };
        Ok(workspace(&all))
    }

    /// Operands are not needed: cuDNN goes by its heuristics.
    unsafe fn find(
        problem: &Convolution,
        _operands: Operands,
        workspace_size: usize,
    ) -> MiopenResult<Vec<Algorithm>> {
        // SAFETY: the caller vouches for handle and descriptors.
        let all = unsafe { suggested(problem)? };
        let fitting = all.into_iter().filter(|suggestion| suggestion.memory <= workspace_size);
        let algorithm = |Suggestion { algorithm, time, memory, .. }| Algorithm {
            number: algorithm,
            time: f32::max(time, 0.0),
            memory,
        };
        Ok(fitting.map(algorithm).collect())
    }

    unsafe fn run(
        problem: &Convolution,
        algorithm: u32,
        Factors { alpha, beta }: Factors,
        operands: Operands,
        (workspace, size): (*mut c_void, usize),
    ) -> MiopenResult {
        let (cudnn, handle) = of(problem.handle)?;
        let convolution: cudnnConvolutionDescriptor_t = problem.convolution.cast();
        // SAFETY: the caller vouches for handle, descriptors and memory.
        unsafe {
            match problem.direction {
                Direction::Forward => {
                    let algorithm = forward_algorithm(algorithm)?;
                    let (x, w, y) = (Tensor::of(problem.x)?, Tensor::of(problem.w)?, Tensor::of(problem.y)?);
                    cudnn.cudnnConvolutionForward(
                        handle,
                        alpha,
                        x.tensor,
                        operands.x,
                        w.filter()?,
                        operands.w,
                        convolution,
                        algorithm,
                        workspace,
                        size,
                        beta,
                        y.tensor,
                        operands.y.cast_mut(),
                    )
                }
                Direction::BackwardData => {
                    let algorithm = backward_algorithm(algorithm)?;
                    let (x, w, y) = (Tensor::of(problem.x)?, Tensor::of(problem.w)?, Tensor::of(problem.y)?);
                    cudnn.cudnnConvolutionBackwardData(
                        handle,
                        alpha,
                        w.filter()?,
                        operands.w,
                        y.tensor,
                        operands.y,
                        convolution,
                        algorithm,
                        workspace,
                        size,
                        beta,
                        x.tensor,
                        operands.x.cast_mut(),
                    )
                }
            }
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

miopen_convolution_exports! { Nvidia }
