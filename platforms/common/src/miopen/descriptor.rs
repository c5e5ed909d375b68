//! Descriptors of tensors, convolutions and pooling.

use std::ffi::c_int;

use rocm_sys::miopen::{
    miopenConvolutionDescriptor_t, miopenConvolutionFindMode_t, miopenConvolutionMode_t, miopenDataType_t,
    miopenPoolingDescriptor_t, miopenPoolingMode_t, miopenTensorDescriptor_t,
};

use super::{MiopenResult, check};

/// What a tensor is: its type, dimensions, and as many strides. Without strides, it is packed.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Layout<'a> {
    pub data_type: miopenDataType_t,
    pub dims: &'a [c_int],
    pub strides: Option<&'a [c_int]>,
}

/// How a kernel moves over an image: height, then width.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Motion {
    pub padding: [c_int; 2],
    pub stride: [c_int; 2],
    pub dilation: [c_int; 2],
}

/// The window of pooling and how it moves over an image: height, then width.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Window {
    pub size: [c_int; 2],
    pub padding: [c_int; 2],
    pub stride: [c_int; 2],
}

/// MIOpen's descriptors. No method gets a null descriptor; numbers are as the program passed them.
///
/// # Safety
///
/// Unsafe methods require what their C functions require: handles are valid, and memory is for as long as the call or the queued
/// work uses it.
///
/// # Errors
///
/// `miopenStatusBadParm` for an invalid descriptor, or the code that the method names.
#[allow(clippy::missing_safety_doc)]
pub trait Descriptors {
    /// A tensor's descriptor.
    fn create_tensor() -> MiopenResult<miopenTensorDescriptor_t>;

    /// Destroys it.
    unsafe fn destroy_tensor(descriptor: miopenTensorDescriptor_t) -> MiopenResult;

    /// Sets what the tensor is.
    /// Fails with `miopenStatusBadParm` for an invalid shape, `miopenStatusNotImplemented` for one that is not supported.
    unsafe fn set_tensor(descriptor: miopenTensorDescriptor_t, layout: Layout<'_>) -> MiopenResult;

    /// A convolution's descriptor.
    fn create_convolution() -> MiopenResult<miopenConvolutionDescriptor_t>;

    /// Destroys it.
    unsafe fn destroy_convolution(descriptor: miopenConvolutionDescriptor_t) -> MiopenResult;

    /// Sets what kind of convolution it is, and how it moves.
    /// Fails with `miopenStatusBadParm` for an invalid motion, `miopenStatusNotImplemented` for a mode that is not supported.
    unsafe fn set_convolution(
        descriptor: miopenConvolutionDescriptor_t,
        mode: miopenConvolutionMode_t,
        motion: Motion,
    ) -> MiopenResult;

    /// Sets the number of groups.
    /// Fails with `miopenStatusBadParm` for an invalid number.
    unsafe fn set_group_count(descriptor: miopenConvolutionDescriptor_t, count: c_int) -> MiopenResult;

    /// Sets how thoroughly algorithms are looked for.
    /// Fails with `miopenStatusBadParm` for an invalid mode.
    unsafe fn set_find_mode(
        descriptor: miopenConvolutionDescriptor_t,
        mode: miopenConvolutionFindMode_t,
    ) -> MiopenResult;

    /// A pooling's descriptor.
    fn create_pooling() -> MiopenResult<miopenPoolingDescriptor_t>;

    /// Destroys it.
    unsafe fn destroy_pooling(descriptor: miopenPoolingDescriptor_t) -> MiopenResult;

    /// Sets what pooling makes of a window, and the window.
    /// Fails with `miopenStatusBadParm` for an invalid mode or window.
    unsafe fn set_pooling(
        descriptor: miopenPoolingDescriptor_t,
        mode: miopenPoolingMode_t,
        window: Window,
    ) -> MiopenResult;
}

/// `miopenSetTensorDescriptor`.
///
/// # Safety
///
/// As for [`Descriptors::set_tensor`]; `dims` and `strides` are null or have `count` numbers.
///
/// # Errors
///
/// As for [`Descriptors::set_tensor`]; `miopenStatusBadParm` without dimensions.
pub unsafe fn set_tensor<D: Descriptors>(
    descriptor: miopenTensorDescriptor_t,
    data_type: miopenDataType_t,
    count: c_int,
    dims: *const c_int,
    strides: *const c_int,
) -> MiopenResult {
    check(descriptor)?;
    check(dims)?;
    let count = usize::try_from(count).map_err(|_| crate::arguments::InvalidArgument)?;
    // SAFETY: neither is null, so the caller vouches for so many numbers, and for the descriptor.
    unsafe {
        let dims = std::slice::from_raw_parts(dims, count);
        let strides = (!strides.is_null()).then(|| std::slice::from_raw_parts(strides, count));
        D::set_tensor(descriptor, Layout { data_type, dims, strides })
    }
}

/// Defines MIOpen's functions for descriptors, in the table `EXPORTS`, for the [`Descriptors`] of a platform.
#[macro_export]
macro_rules! miopen_descriptor_exports {
    ($platform:ident) => {
        mod functions {
            use super::$platform;
            use $crate::abi::miopen::*;
            use $crate::arguments::{required, write};
            use $crate::miopen::check;
            use $crate::miopen::descriptor::{self, Layout, Motion, Window};

            $crate::export! {
                $platform, miopen => EXPORTS;

                fn miopenCreateTensorDescriptor(out: *mut miopenTensorDescriptor_t) -> miopenStatus_t {
                    required(out)?;
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, <$platform as descriptor::Descriptors>::create_tensor()?)? })
                }

                fn miopenDestroyTensorDescriptor(descriptor: miopenTensorDescriptor_t) -> miopenStatus_t {
                    check(descriptor)?;
                    // SAFETY: the caller's descriptor.
                    unsafe { <$platform as descriptor::Descriptors>::destroy_tensor(descriptor) }
                }

                fn miopenSetTensorDescriptor(
                    descriptor: miopenTensorDescriptor_t, data_type: miopenDataType_t, count: c_int,
                    dims: *const c_int, strides: *const c_int,
                ) -> miopenStatus_t {
                    // SAFETY: the caller's descriptor and numbers.
                    unsafe { descriptor::set_tensor::<$platform>(descriptor, data_type, count, dims, strides) }
                }

                fn miopenSet4dTensorDescriptor(
                    descriptor: miopenTensorDescriptor_t, data_type: miopenDataType_t, n: c_int, c: c_int, h: c_int,
                    w: c_int,
                ) -> miopenStatus_t {
                    check(descriptor)?;
                    let layout = Layout { data_type, dims: &[n, c, h, w], strides: None };
                    // SAFETY: the caller's descriptor.
                    unsafe { <$platform as descriptor::Descriptors>::set_tensor(descriptor, layout) }
                }

                fn miopenCreateConvolutionDescriptor(out: *mut miopenConvolutionDescriptor_t) -> miopenStatus_t {
                    required(out)?;
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, <$platform as descriptor::Descriptors>::create_convolution()?)? })
                }

                fn miopenDestroyConvolutionDescriptor(descriptor: miopenConvolutionDescriptor_t) -> miopenStatus_t {
                    check(descriptor)?;
                    // SAFETY: the caller's descriptor.
                    unsafe { <$platform as descriptor::Descriptors>::destroy_convolution(descriptor) }
                }

                fn miopenInitConvolutionDescriptor(
                    descriptor: miopenConvolutionDescriptor_t, mode: miopenConvolutionMode_t, pad_h: c_int,
                    pad_w: c_int, stride_h: c_int, stride_w: c_int, dilation_h: c_int, dilation_w: c_int,
                ) -> miopenStatus_t {
                    check(descriptor)?;
                    let (padding, stride, dilation) = ([pad_h, pad_w], [stride_h, stride_w], [dilation_h, dilation_w]);
                    let motion = Motion { padding, stride, dilation };
                    // SAFETY: the caller's descriptor.
                    unsafe { <$platform as descriptor::Descriptors>::set_convolution(descriptor, mode, motion) }
                }

                fn miopenSetConvolutionGroupCount(
                    descriptor: miopenConvolutionDescriptor_t, count: c_int,
                ) -> miopenStatus_t {
                    check(descriptor)?;
                    // SAFETY: the caller's descriptor.
                    unsafe { <$platform as descriptor::Descriptors>::set_group_count(descriptor, count) }
                }

                fn miopenSetConvolutionFindMode(
                    descriptor: miopenConvolutionDescriptor_t, mode: miopenConvolutionFindMode_t,
                ) -> miopenStatus_t {
                    check(descriptor)?;
                    // SAFETY: the caller's descriptor.
                    unsafe { <$platform as descriptor::Descriptors>::set_find_mode(descriptor, mode) }
                }

                fn miopenCreatePoolingDescriptor(out: *mut miopenPoolingDescriptor_t) -> miopenStatus_t {
                    required(out)?;
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, <$platform as descriptor::Descriptors>::create_pooling()?)? })
                }

                fn miopenDestroyPoolingDescriptor(descriptor: miopenPoolingDescriptor_t) -> miopenStatus_t {
                    check(descriptor)?;
                    // SAFETY: the caller's descriptor.
                    unsafe { <$platform as descriptor::Descriptors>::destroy_pooling(descriptor) }
                }

                fn miopenSet2dPoolingDescriptor(
                    descriptor: miopenPoolingDescriptor_t, mode: miopenPoolingMode_t, window_h: c_int, window_w: c_int,
                    pad_h: c_int, pad_w: c_int, stride_h: c_int, stride_w: c_int,
                ) -> miopenStatus_t {
                    check(descriptor)?;
                    let (size, padding, stride) = ([window_h, window_w], [pad_h, pad_w], [stride_h, stride_w]);
                    let window = Window { size, padding, stride };
                    // SAFETY: the caller's descriptor.
                    unsafe { <$platform as descriptor::Descriptors>::set_pooling(descriptor, mode, window) }
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}
