//! Descriptors. A tensor of MIOpen's is a tensor or a kernel of cuDNN's, by where it is used: ours holds both.

use super::cudnn;
use crate::exports::export;
use cudarc::cudnn::sys::{
    cudnnConvolutionDescriptor_t, cudnnConvolutionMode_t, cudnnDataType_t, cudnnFilterDescriptor_t,
    cudnnMathType_t, cudnnNanPropagation_t, cudnnPoolingDescriptor_t, cudnnPoolingMode_t,
    cudnnTensorDescriptor_t, cudnnTensorFormat_t,
};
use rocm_sys::implement::miopen::write;
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
    pub(super) unsafe fn of<'a>(raw: miopenTensorDescriptor_t) -> Result<&'a Self, miopenStatus_t> {
        // SAFETY: the caller's promise.
        unsafe { raw.cast::<Self>().as_ref() }.ok_or(BAD)
    }

    /// As a kernel.
    pub(super) fn filter(&self) -> Result<cudnnFilterDescriptor_t, miopenStatus_t> {
        if self.packed { Ok(self.filter) } else { Err(miopenStatus_t::miopenStatusNotImplemented) }
    }

    /// f32 as it is; half types through tensor cores, with sums in f32.
    pub(super) fn math(&self) -> cudnnMathType_t {
        if self.half { cudnnMathType_t::CUDNN_TENSOR_OP_MATH } else { cudnnMathType_t::CUDNN_FMA_MATH }
    }
}

/// # Safety
/// As for [`Tensor::of`]; `dims` and `strides` have 4 numbers.
unsafe fn define(
    raw: miopenTensorDescriptor_t,
    of: miopenDataType_t,
    dims: [c_int; 4],
    strides: Option<[c_int; 4]>,
) -> Result<(), miopenStatus_t> {
    // SAFETY: the caller's promise; nobody else uses a descriptor while it is set.
    let descriptor = unsafe { raw.cast::<Tensor>().as_mut() }.ok_or(BAD)?;
    let data = match of {
        miopenDataType_t::miopenHalf => cudnnDataType_t::CUDNN_DATA_HALF,
        miopenDataType_t::miopenBFloat16 => cudnnDataType_t::CUDNN_DATA_BFLOAT16,
        miopenDataType_t::miopenFloat => cudnnDataType_t::CUDNN_DATA_FLOAT,
        _ => return Err(miopenStatus_t::miopenStatusNotImplemented),
    };
    let [n, c, h, w] = dims;
    let image = h.checked_mul(w).and_then(|plane| Some((plane, plane.checked_mul(c)?)));
    let (plane, image) = image.ok_or(BAD)?;
    let packed = [image, plane, w, 1];
    let [sn, sc, sh, sw] = strides.unwrap_or(packed);
    let cudnn = cudnn::open()?;
    // SAFETY: the descriptors live.
    unsafe {
        cudnn.cudnnSetTensor4dDescriptorEx(descriptor.tensor, data, n, c, h, w, sn, sc, sh, sw)?;
        let format = cudnnTensorFormat_t::CUDNN_TENSOR_NCHW;
        cudnn.cudnnSetFilter4dDescriptor(descriptor.filter, data, format, n, c, h, w)?;
    }
    descriptor.half = of != miopenDataType_t::miopenFloat;
    descriptor.packed = strides.is_none_or(|strides| strides == packed);
    Ok(())
}

export! {
    miopen => EXPORTS;

    fn miopenCreateTensorDescriptor(out: *mut miopenTensorDescriptor_t) -> miopenStatus_t {
        if out.is_null() {
            return Err(BAD);
        }
        let cudnn = cudnn::open()?;
        let mut new = Tensor { tensor: ptr::null_mut(), filter: ptr::null_mut(), half: false, packed: true };
        // SAFETY: the out-parameters are valid, the caller's because it is not null.
        unsafe {
            cudnn.cudnnCreateTensorDescriptor(&mut new.tensor)?;
            cudnn.cudnnCreateFilterDescriptor(&mut new.filter)?;
            write(out, Box::into_raw(Box::new(new)).cast())
        }
    }

    fn miopenDestroyTensorDescriptor(descriptor: miopenTensorDescriptor_t) -> miopenStatus_t {
        if descriptor.is_null() {
            return Err(BAD);
        }
        let cudnn = cudnn::open()?;
        // SAFETY: the caller vouches for the descriptor, which was a box.
        unsafe {
            let descriptor = Box::from_raw(descriptor.cast::<Tensor>());
            cudnn.cudnnDestroyTensorDescriptor(descriptor.tensor)?;
            cudnn.cudnnDestroyFilterDescriptor(descriptor.filter)
        }
    }

    fn miopenSetTensorDescriptor(
        descriptor: miopenTensorDescriptor_t, of: miopenDataType_t, count: c_int, dims: *const c_int,
        strides: *const c_int,
    ) -> miopenStatus_t {
        if dims.is_null() {
            return Err(BAD);
        }
        if count != 4 {
            return Err(miopenStatus_t::miopenStatusNotImplemented);
        }
        // SAFETY: the caller vouches for four numbers, and for the descriptor.
        unsafe {
            let strides = (!strides.is_null()).then(|| strides.cast::<[c_int; 4]>().read());
            define(descriptor, of, dims.cast::<[c_int; 4]>().read(), strides)
        }
    }

    fn miopenSet4dTensorDescriptor(
        descriptor: miopenTensorDescriptor_t, of: miopenDataType_t, n: c_int, c: c_int, h: c_int, w: c_int,
    ) -> miopenStatus_t {
        // SAFETY: the caller vouches for the descriptor.
        unsafe { define(descriptor, of, [n, c, h, w], None) }
    }

    fn miopenCreateConvolutionDescriptor(out: *mut miopenConvolutionDescriptor_t) -> miopenStatus_t {
        let cudnn = cudnn::open()?;
        let mut new: cudnnConvolutionDescriptor_t = ptr::null_mut();
        // SAFETY: the out-parameters are valid or, the caller's, null.
        unsafe {
            cudnn.cudnnCreateConvolutionDescriptor(&mut new)?;
            write(out, new.cast())
        }
    }

    fn miopenDestroyConvolutionDescriptor(descriptor: miopenConvolutionDescriptor_t) -> miopenStatus_t {
        if descriptor.is_null() {
            return Err(BAD);
        }
        // SAFETY: the caller vouches for the descriptor.
        unsafe { cudnn::open()?.cudnnDestroyConvolutionDescriptor(descriptor.cast()) }
    }

    fn miopenInitConvolutionDescriptor(
        descriptor: miopenConvolutionDescriptor_t, mode: miopenConvolutionMode_t, pad_h: c_int, pad_w: c_int,
        stride_h: c_int, stride_w: c_int, dilation_h: c_int, dilation_w: c_int,
    ) -> miopenStatus_t {
        if descriptor.is_null() {
            return Err(BAD);
        }
        if mode != miopenConvolutionMode_t::miopenConvolution {
            return Err(miopenStatus_t::miopenStatusNotImplemented);
        }
        let (mode, compute) = (cudnnConvolutionMode_t::CUDNN_CROSS_CORRELATION, cudnnDataType_t::CUDNN_DATA_FLOAT);
        // SAFETY: the caller vouches for the descriptor.
        unsafe {
            cudnn::open()?.cudnnSetConvolution2dDescriptor(
                descriptor.cast(), pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, mode, compute,
            )
        }
    }

    fn miopenSetConvolutionGroupCount(descriptor: miopenConvolutionDescriptor_t, count: c_int) -> miopenStatus_t {
        if descriptor.is_null() {
            return Err(BAD);
        }
        // SAFETY: the caller vouches for the descriptor.
        unsafe { cudnn::open()?.cudnnSetConvolutionGroupCount(descriptor.cast(), count) }
    }

    /// cuDNN's heuristics are always fast.
    fn miopenSetConvolutionFindMode(
        descriptor: miopenConvolutionDescriptor_t, _mode: miopenConvolutionFindMode_t,
    ) -> miopenStatus_t {
        if descriptor.is_null() { Err(BAD) } else { Ok(()) }
    }

    fn miopenCreatePoolingDescriptor(out: *mut miopenPoolingDescriptor_t) -> miopenStatus_t {
        let cudnn = cudnn::open()?;
        let mut new: cudnnPoolingDescriptor_t = ptr::null_mut();
        // SAFETY: the out-parameters are valid or, the caller's, null.
        unsafe {
            cudnn.cudnnCreatePoolingDescriptor(&mut new)?;
            write(out, new.cast())
        }
    }

    fn miopenDestroyPoolingDescriptor(descriptor: miopenPoolingDescriptor_t) -> miopenStatus_t {
        if descriptor.is_null() {
            return Err(BAD);
        }
        // SAFETY: the caller vouches for the descriptor.
        unsafe { cudnn::open()?.cudnnDestroyPoolingDescriptor(descriptor.cast()) }
    }

    fn miopenSet2dPoolingDescriptor(
        descriptor: miopenPoolingDescriptor_t, mode: miopenPoolingMode_t, window_h: c_int, window_w: c_int, pad_h: c_int,
        pad_w: c_int, stride_h: c_int, stride_w: c_int,
    ) -> miopenStatus_t {
        if descriptor.is_null() {
            return Err(BAD);
        }
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
        // SAFETY: the caller vouches for the descriptor.
        unsafe {
            cudnn::open()?.cudnnSetPooling2dDescriptor(
                descriptor.cast(), mode, nan, window_h, window_w, pad_h, pad_w, stride_h, stride_w,
            )
        }
    }
}
