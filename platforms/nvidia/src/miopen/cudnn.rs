//! libcudnn: the functions that are used, and opening it.

use crate::library::{self, functions};
use cudarc::cudnn::sys;
use cudarc::cudnn::sys::{
    cudaStream_t, cudnnConvolutionBwdDataAlgo_t, cudnnConvolutionBwdDataAlgoPerf_t,
    cudnnConvolutionDescriptor_t, cudnnConvolutionFwdAlgo_t, cudnnConvolutionFwdAlgoPerf_t,
    cudnnConvolutionMode_t, cudnnDataType_t, cudnnFilterDescriptor_t, cudnnHandle_t, cudnnMathType_t,
    cudnnNanPropagation_t, cudnnPoolingDescriptor_t, cudnnPoolingMode_t, cudnnTensorDescriptor_t,
    cudnnTensorFormat_t,
};
use rocm_sys::miopen::miopenStatus_t;
use std::ffi::{c_int, c_void};
use std::sync::{Once, OnceLock};

functions! { Cudnn, sys: cudnnStatus_t, check -> miopenStatus_t;
    fn cudnnCreate(out: *mut cudnnHandle_t);
    fn cudnnDestroy(handle: cudnnHandle_t);
    fn cudnnSetStream(handle: cudnnHandle_t, stream: cudaStream_t);
    fn cudnnGetStream(handle: cudnnHandle_t, out: *mut cudaStream_t);
    fn cudnnCreateTensorDescriptor(out: *mut cudnnTensorDescriptor_t);
    fn cudnnDestroyTensorDescriptor(descriptor: cudnnTensorDescriptor_t);
    fn cudnnSetTensor4dDescriptorEx(
        descriptor: cudnnTensorDescriptor_t, of: cudnnDataType_t, n: c_int, c: c_int, h: c_int, w: c_int, n_stride: c_int,
        c_stride: c_int, h_stride: c_int, w_stride: c_int,
    );
    fn cudnnCreateFilterDescriptor(out: *mut cudnnFilterDescriptor_t);
    fn cudnnDestroyFilterDescriptor(descriptor: cudnnFilterDescriptor_t);
    fn cudnnSetFilter4dDescriptor(
        descriptor: cudnnFilterDescriptor_t, of: cudnnDataType_t, format: cudnnTensorFormat_t, k: c_int, c: c_int, h: c_int,
        w: c_int,
    );
    fn cudnnCreateConvolutionDescriptor(out: *mut cudnnConvolutionDescriptor_t);
    fn cudnnDestroyConvolutionDescriptor(descriptor: cudnnConvolutionDescriptor_t);
    fn cudnnSetConvolution2dDescriptor(
        descriptor: cudnnConvolutionDescriptor_t, pad_h: c_int, pad_w: c_int, stride_h: c_int, stride_w: c_int,
        dilation_h: c_int, dilation_w: c_int, mode: cudnnConvolutionMode_t, compute: cudnnDataType_t,
    );
    fn cudnnSetConvolutionGroupCount(descriptor: cudnnConvolutionDescriptor_t, groups: c_int);
    fn cudnnSetConvolutionMathType(descriptor: cudnnConvolutionDescriptor_t, math: cudnnMathType_t);
    fn cudnnGetConvolutionForwardAlgorithm_v7(
        handle: cudnnHandle_t, x: cudnnTensorDescriptor_t, w: cudnnFilterDescriptor_t,
        convolution: cudnnConvolutionDescriptor_t, y: cudnnTensorDescriptor_t, requested: c_int, returned: *mut c_int,
        results: *mut cudnnConvolutionFwdAlgoPerf_t,
    );
    fn cudnnConvolutionForward(
        handle: cudnnHandle_t, alpha: *const c_void, x_descriptor: cudnnTensorDescriptor_t, x: *const c_void,
        w_descriptor: cudnnFilterDescriptor_t, w: *const c_void, convolution: cudnnConvolutionDescriptor_t,
        algorithm: cudnnConvolutionFwdAlgo_t, workspace: *mut c_void, size: usize, beta: *const c_void,
        y_descriptor: cudnnTensorDescriptor_t, y: *mut c_void,
    );
    fn cudnnGetConvolutionBackwardDataAlgorithm_v7(
        handle: cudnnHandle_t, w: cudnnFilterDescriptor_t, dy: cudnnTensorDescriptor_t,
        convolution: cudnnConvolutionDescriptor_t, dx: cudnnTensorDescriptor_t, requested: c_int, returned: *mut c_int,
        results: *mut cudnnConvolutionBwdDataAlgoPerf_t,
    );
    fn cudnnConvolutionBackwardData(
        handle: cudnnHandle_t, alpha: *const c_void, w_descriptor: cudnnFilterDescriptor_t, w: *const c_void,
        dy_descriptor: cudnnTensorDescriptor_t, dy: *const c_void, convolution: cudnnConvolutionDescriptor_t,
        algorithm: cudnnConvolutionBwdDataAlgo_t, workspace: *mut c_void, size: usize, beta: *const c_void,
        dx_descriptor: cudnnTensorDescriptor_t, dx: *mut c_void,
    );
    fn cudnnCreatePoolingDescriptor(out: *mut cudnnPoolingDescriptor_t);
    fn cudnnDestroyPoolingDescriptor(descriptor: cudnnPoolingDescriptor_t);
    fn cudnnSetPooling2dDescriptor(
        descriptor: cudnnPoolingDescriptor_t, mode: cudnnPoolingMode_t, nan: cudnnNanPropagation_t, window_h: c_int,
        window_w: c_int, pad_h: c_int, pad_w: c_int, stride_h: c_int, stride_w: c_int,
    );
    fn cudnnPoolingForward(
        handle: cudnnHandle_t, pool: cudnnPoolingDescriptor_t, alpha: *const c_void, x_descriptor: cudnnTensorDescriptor_t,
        x: *const c_void, beta: *const c_void, y_descriptor: cudnnTensorDescriptor_t, y: *mut c_void,
    );
}

/// cuDNN's codes as the nearest ones of MIOpen: hundreds and thousands since version 9, below 20 before.
fn check(code: u32) -> Result<(), miopenStatus_t> {
    match code {
        0 => Ok(()),
        1 | 1001 => Err(miopenStatus_t::miopenStatusNotInitialized),
        2 | 4003 => Err(miopenStatus_t::miopenStatusAllocFailed),
        3 | 5 | 2000..=2999 => Err(miopenStatus_t::miopenStatusBadParm),
        9 | 3000..=3999 => Err(miopenStatus_t::miopenStatusNotImplemented),
        _ => Err(miopenStatus_t::miopenStatusInternalError),
    }
}

/// The opened library; if there is none, the reason goes to stderr.
pub(super) fn open() -> Result<&'static Cudnn, miopenStatus_t> {
    static CUDNN: OnceLock<Result<Cudnn, String>> = OnceLock::new();
    static ONCE: Once = Once::new();

    let cudnn = CUDNN.get_or_init(|| {
        let advice = "install cuDNN 8 or 9 (e.g. pip install nvidia-cudnn-cu13), and name its folder in LD_LIBRARY_PATH or \
                      CANDLE_ROCM_CUDA_PATH";
        let names = ["libcudnn.so.9", "libcudnn.so.8", "libcudnn.so"].map(str::to_owned);
        let library = library::open("cuDNN", &names, None, advice)?;
        let cudnn = Cudnn::load(&library)
            .map_err(|missing| format!("this version of cuDNN is not supported: it lacks {missing}; {advice}"))?;
        // It stays open until the process ends, as the functions above are kept.
        std::mem::forget(library);
        Ok(cudnn)
    });
    cudnn.as_ref().map_err(|why| {
        ONCE.call_once(|| eprintln!("candle-rocm-nvidia: {why}"));
        miopenStatus_t::miopenStatusNotImplemented
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_both_versions() {
        assert_eq!(check(0), Ok(()));
        for (code, status) in [
            (1, miopenStatus_t::miopenStatusNotInitialized),
            (3, miopenStatus_t::miopenStatusBadParm),
            (2008, miopenStatus_t::miopenStatusBadParm),
            (9, miopenStatus_t::miopenStatusNotImplemented),
            (3002, miopenStatus_t::miopenStatusNotImplemented),
            (5000, miopenStatus_t::miopenStatusInternalError),
            (u32::MAX, miopenStatus_t::miopenStatusInternalError),
        ] {
            assert_eq!(check(code), Err(status));
        }
    }
}
