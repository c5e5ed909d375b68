//! Descriptors. cuDNN distinguishes tensors from convolution kernels, MIOpen does not: a descriptor here holds both.

use super::cudnn;
use crate::exports::Nvidia;
use cudarc::cudnn::sys::{
    cudnnConvolutionDescriptor_t, cudnnConvolutionMode_t, cudnnDataType_t, cudnnFilterDescriptor_t,
    cudnnMathType_t, cudnnNanPropagation_t, cudnnPoolingDescriptor_t, cudnnPoolingMode_t,
    cudnnTensorDescriptor_t, cudnnTensorFormat_t,
};
use rocm_platform::miopen::{Descriptors, Layout, MiopenResult, Motion, Window};
use rocm_platform::miopen_descriptor_exports;
use rocm_sys::miopen::{
    miopenConvolutionDescriptor_t, miopenConvolutionFindMode_t, miopenConvolutionMode_t, miopenDataType_t,
    miopenPoolingDescriptor_t, miopenPoolingMode_t, miopenStatus_t, miopenTensorDescriptor_t,
};
use std::ffi::c_int;
use std::ptr;

const BAD: miopenStatus_t = miopenStatus_t::miopenStatusBadParm;

/// What a `miopenTensorDescriptor_t` points to.
pub(super) struct Tensor {
    pub(super) tensor: cudnnTensorDescriptor_t,
    pub(super) filter: cudnnFilterDescriptor_t,
    half: bool,
    /// Whether it may be a kernel: those have no strides.
    packed: bool,
}

impl Tensor {
    /// # Safety
    /// The descriptor is null or one that was created here, and not destroyed.
    pub(super) unsafe fn of<'a>(raw: miopenTensorDescriptor_t) -> MiopenResult<&'a Self> {
        // SAFETY: the caller's promise.
        unsafe { raw.cast::<Self>().as_ref() }.ok_or(BAD)
    }

    /// As a kernel.
    pub(super) fn filter(&self) -> MiopenResult<cudnnFilterDescriptor_t> {
        if self.packed { Ok(self.filter) } else { Err(miopenStatus_t::miopenStatusNotImplemented) }
    }

    /// f32 as it is; half types through tensor cores, with sums in f32.
    pub(super) fn math(&self) -> cudnnMathType_t {
        if self.half { cudnnMathType_t::CUDNN_TENSOR_OP_MATH } else { cudnnMathType_t::CUDNN_FMA_MATH }
    }
}

impl Descriptors for Nvidia {
    fn create_tensor() -> MiopenResult<miopenTensorDescriptor_t> {
        let cudnn = cudnn::open()?;
        let mut new = Tensor { tensor: ptr::null_mut(), filter: ptr::null_mut(), half: false, packed: true };
        // SAFETY: the out-parameters are valid.
        unsafe {
            cudnn.cudnnCreateTensorDescriptor(&mut new.tensor)?;
            cudnn.cudnnCreateFilterDescriptor(&mut new.filter)?;
        }
        Ok(Box::into_raw(Box::new(new)).cast())
    }

    unsafe fn destroy_tensor(descriptor: miopenTensorDescriptor_t) -> MiopenResult {
        let cudnn = cudnn::open()?;
        // SAFETY: the caller vouches for the descriptor, which was a box.
        unsafe {
            let descriptor = Box::from_raw(descriptor.cast::<Tensor>());
            cudnn.cudnnDestroyTensorDescriptor(descriptor.tensor)?;
            cudnn.cudnnDestroyFilterDescriptor(descriptor.filter)
        }
    }

    /// Four dimensions.
    unsafe fn set_tensor(descriptor: miopenTensorDescriptor_t, layout: Layout<'_>) -> MiopenResult {
        let Layout { data_type, dims, strides } = layout;
        let &[n, c, h, w] = dims else { return Err(miopenStatus_t::miopenStatusNotImplemented) };
        // SAFETY: the caller's promise; nobody else uses a descriptor while it is set.
        let descriptor = unsafe { descriptor.cast::<Tensor>().as_mut() }.ok_or(BAD)?;
        let data = match data_type {
            miopenDataType_t::miopenHalf => cudnnDataType_t::CUDNN_DATA_HALF,
            miopenDataType_t::miopenBFloat16 => cudnnDataType_t::CUDNN_DATA_BFLOAT16,
            miopenDataType_t::miopenFloat => cudnnDataType_t::CUDNN_DATA_FLOAT,
            _ => return Err(miopenStatus_t::miopenStatusNotImplemented),
        };
        let image = h.checked_mul(w).and_then(|plane| Some((plane, plane.checked_mul(c)?)));
        let (plane, image) = image.ok_or(BAD)?;
        let packed = [image, plane, w, 1];
        let strides = strides.unwrap_or(&packed);
        let &[sn, sc, sh, sw] = strides else { return Err(BAD) };
        let cudnn = cudnn::open()?;
        // SAFETY: the descriptors live.
        unsafe {
            cudnn.cudnnSetTensor4dDescriptorEx(descriptor.tensor, data, n, c, h, w, sn, sc, sh, sw)?;
            let format = cudnnTensorFormat_t::CUDNN_TENSOR_NCHW;
            cudnn.cudnnSetFilter4dDescriptor(descriptor.filter, data, format, n, c, h, w)?;
        }
        descriptor.half = data_type != miopenDataType_t::miopenFloat;
        descriptor.packed = strides == packed;
        Ok(())
    }

    fn create_convolution() -> MiopenResult<miopenConvolutionDescriptor_t> {
        let cudnn = cudnn::open()?;
        let mut new: cudnnConvolutionDescriptor_t = ptr::null_mut();
        // SAFETY: the out-parameter is valid.
        unsafe { cudnn.cudnnCreateConvolutionDescriptor(&mut new)? };
        Ok(new.cast())
    }

    unsafe fn destroy_convolution(descriptor: miopenConvolutionDescriptor_t) -> MiopenResult {
        // SAFETY: the caller vouches for the descriptor.
        unsafe { cudnn::open()?.cudnnDestroyConvolutionDescriptor(descriptor.cast()) }
    }

    unsafe fn set_convolution(
        descriptor: miopenConvolutionDescriptor_t,
        mode: miopenConvolutionMode_t,
        motion: Motion,
    ) -> MiopenResult {
        if mode != miopenConvolutionMode_t::miopenConvolution {
            return Err(miopenStatus_t::miopenStatusNotImplemented);
        }
        let Motion { padding: [pad_h, pad_w], stride: [stride_h, stride_w], dilation } = motion;
        let [dilation_h, dilation_w] = dilation;
        let (mode, compute) =
            (cudnnConvolutionMode_t::CUDNN_CROSS_CORRELATION, cudnnDataType_t::CUDNN_DATA_FLOAT);
        // SAFETY: the caller vouches for the descriptor.
        unsafe {
            cudnn::open()?.cudnnSetConvolution2dDescriptor(
                descriptor.cast(),
                pad_h,
                pad_w,
                stride_h,
                stride_w,
                dilation_h,
                dilation_w,
                mode,
                compute,
            )
        }
    }

    unsafe fn set_group_count(descriptor: miopenConvolutionDescriptor_t, count: c_int) -> MiopenResult {
        // SAFETY: the caller vouches for the descriptor.
        unsafe { cudnn::open()?.cudnnSetConvolutionGroupCount(descriptor.cast(), count) }
    }

    /// cuDNN's heuristics are always fast.
    unsafe fn set_find_mode(
        _descriptor: miopenConvolutionDescriptor_t,
        _mode: miopenConvolutionFindMode_t,
    ) -> MiopenResult {
        Ok(())
    }

    fn create_pooling() -> MiopenResult<miopenPoolingDescriptor_t> {
        let cudnn = cudnn::open()?;
        let mut new: cudnnPoolingDescriptor_t = ptr::null_mut();
        // SAFETY: the out-parameter is valid.
        unsafe { cudnn.cudnnCreatePoolingDescriptor(&mut new)? };
        Ok(new.cast())
    }

    unsafe fn destroy_pooling(descriptor: miopenPoolingDescriptor_t) -> MiopenResult {
        // SAFETY: the caller vouches for the descriptor.
        unsafe { cudnn::open()?.cudnnDestroyPoolingDescriptor(descriptor.cast()) }
    }

    unsafe fn set_pooling(
        descriptor: miopenPoolingDescriptor_t,
        mode: miopenPoolingMode_t,
        window: Window,
    ) -> MiopenResult {
        let mode = match mode {
            miopenPoolingMode_t::miopenPoolingMax => cudnnPoolingMode_t::CUDNN_POOLING_MAX,
            miopenPoolingMode_t::miopenPoolingAverage => {
                cudnnPoolingMode_t::CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING
            }
            miopenPoolingMode_t::miopenPoolingAverageInclusive => {
                cudnnPoolingMode_t::CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING
            }
            _ => return Err(BAD),
        };
        let nan = cudnnNanPropagation_t::CUDNN_NOT_PROPAGATE_NAN;
        let Window { size: [window_h, window_w], padding: [pad_h, pad_w], stride: [stride_h, stride_w] } =
            window;
        // SAFETY: the caller vouches for the descriptor.
        unsafe {
            cudnn::open()?.cudnnSetPooling2dDescriptor(
                descriptor.cast(),
                mode,
                nan,
                window_h,
                window_w,
                pad_h,
                pad_w,
                stride_h,
                stride_w,
            )
        }
    }
}

miopen_descriptor_exports! { Nvidia }
