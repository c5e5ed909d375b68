//! Descriptors of tensors, convolutions and pooling.

use crate::exports::Host;
use rocm_platform::arguments::write;
use rocm_platform::miopen::{Descriptors, Layout, MiopenResult, Motion, Window};
use rocm_platform::{Handles, export, miopen_descriptor_exports};
use rocm_sys::miopen::{
    miopenConvolutionDescriptor_t, miopenConvolutionFindMode_t, miopenConvolutionMode_t, miopenDataType_t,
    miopenPoolingDescriptor_t, miopenPoolingMode_t, miopenStatus_t, miopenTensorDescriptor_t,
};
use std::ffi::c_int;

/// A tensor's element type, dimensions and strides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Tensor {
    /// The number of a `miopenDataType_t`.
    pub(super) of: u32,
    pub(super) dims: Vec<usize>,
    pub(super) strides: Vec<usize>,
}

/// A convolution in two dimensions: height, then width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Convolution {
    pub(super) transposed: bool,
    pub(super) padding: [usize; 2],
    pub(super) stride: [usize; 2],
    pub(super) dilation: [usize; 2],
    pub(super) groups: usize,
    output_padding: [usize; 2],
    find_mode: u32,
}

impl Default for Convolution {
    fn default() -> Self {
        Self {
            transposed: false,
            padding: [0; 2],
            stride: [1; 2],
            dilation: [1; 2],
            groups: 1,
            output_padding: [0; 2],
            find_mode: miopenConvolutionFindMode_t::miopenConvolutionFindModeDefault.0,
        }
    }
}

/// Pooling in two dimensions: height, then width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Pooling {
    pub(super) mode: u32,
    pub(super) window: [usize; 2],
    pub(super) padding: [usize; 2],
    pub(super) stride: [usize; 2],
}

const BAD: miopenStatus_t = miopenStatus_t::miopenStatusBadParm;

static TENSORS: Handles<Tensor> = Handles::new(0x4d54_0000_0000_0000);
static CONVOLUTIONS: Handles<Convolution> = Handles::new(0x4d43_0000_0000_0000);
static POOLINGS: Handles<Pooling> = Handles::new(0x4d50_0000_0000_0000);

/// What a tensor's descriptor says.
pub(super) fn tensor(descriptor: miopenTensorDescriptor_t) -> MiopenResult<Tensor> {
    TENSORS.get(descriptor as usize).ok_or(BAD)
}

/// What a convolution's descriptor says.
pub(super) fn convolution(descriptor: miopenConvolutionDescriptor_t) -> MiopenResult<Convolution> {
    CONVOLUTIONS.get(descriptor as usize).ok_or(BAD)
}

/// What a pooling's descriptor says.
pub(super) fn pooling(descriptor: miopenPoolingDescriptor_t) -> MiopenResult<Pooling> {
    POOLINGS.get(descriptor as usize).ok_or(BAD)
}

fn known(of: miopenDataType_t) -> MiopenResult<u32> {
    let types = [
        miopenDataType_t::miopenHalf,
        miopenDataType_t::miopenFloat,
        miopenDataType_t::miopenInt32,
        miopenDataType_t::miopenInt8,
        miopenDataType_t::miopenBFloat16,
        miopenDataType_t::miopenDouble,
        miopenDataType_t::miopenInt64,
    ];
    if types.contains(&of) { Ok(of.0) } else { Err(BAD) }
}

fn sizes<const N: usize>(given: [c_int; N], least: c_int) -> MiopenResult<[usize; N]> {
    if given.iter().any(|&n| n < least) {
        return Err(BAD);
    }
    Ok(given.map(|n| n as usize))
}

fn set_tensor(descriptor: miopenTensorDescriptor_t, layout: Layout<'_>) -> MiopenResult {
    let Layout { data_type, dims, strides } = layout;
    let of = known(data_type)?;
    if dims.iter().any(|&n| n < 1) || strides.is_some_and(|strides| strides.iter().any(|&n| n < 0)) {
        return Err(BAD);
    }
    let dims: Vec<_> = dims.iter().map(|&n| n as usize).collect();
    let strides = match strides {
        Some(strides) => strides.iter().map(|&n| n as usize).collect(),
        None => {
            let mut strides = vec![1; dims.len()];
            for d in (1..dims.len()).rev() {
                strides[d - 1] = strides[d] * dims[d];
            }
            strides
        }
    };
    let tensor = Tensor { of, dims, strides };
    TENSORS.with(descriptor as usize, |known| *known = tensor).ok_or(BAD)
}

fn set_convolution(
    descriptor: miopenConvolutionDescriptor_t,
    f: impl FnOnce(&mut Convolution),
) -> MiopenResult {
    CONVOLUTIONS.with(descriptor as usize, f).ok_or(BAD)
}

impl Descriptors for Host {
    fn create_tensor() -> MiopenResult<miopenTensorDescriptor_t> {
        Ok(TENSORS.insert(Tensor::default()) as miopenTensorDescriptor_t)
    }

    unsafe fn destroy_tensor(descriptor: miopenTensorDescriptor_t) -> MiopenResult {
        TENSORS.remove(descriptor as usize).map(|_| ()).ok_or(BAD)
    }

    unsafe fn set_tensor(descriptor: miopenTensorDescriptor_t, layout: Layout<'_>) -> MiopenResult {
        if (1..=5).contains(&layout.dims.len()) { set_tensor(descriptor, layout) } else { Err(BAD) }
    }

    fn create_convolution() -> MiopenResult<miopenConvolutionDescriptor_t> {
        Ok(CONVOLUTIONS.insert(Convolution::default()) as miopenConvolutionDescriptor_t)
    }

    unsafe fn destroy_convolution(descriptor: miopenConvolutionDescriptor_t) -> MiopenResult {
        CONVOLUTIONS.remove(descriptor as usize).map(|_| ()).ok_or(BAD)
    }

    unsafe fn set_convolution(
        descriptor: miopenConvolutionDescriptor_t,
        mode: miopenConvolutionMode_t,
        motion: Motion,
    ) -> MiopenResult {
        let transposed = match mode {
            miopenConvolutionMode_t::miopenConvolution => false,
            miopenConvolutionMode_t::miopenTranspose => true,
            _ => return Err(BAD),
        };
        let padding = sizes(motion.padding, 0)?;
        let (stride, dilation) = (sizes(motion.stride, 1)?, sizes(motion.dilation, 1)?);
        set_convolution(descriptor, |convolution| {
            *convolution = Convolution { transposed, padding, stride, dilation, ..Default::default() };
        })
    }

    unsafe fn set_group_count(descriptor: miopenConvolutionDescriptor_t, count: c_int) -> MiopenResult {
        let [groups] = sizes([count], 1)?;
        set_convolution(descriptor, |convolution| convolution.groups = groups)
    }

    unsafe fn set_find_mode(
        descriptor: miopenConvolutionDescriptor_t,
        mode: miopenConvolutionFindMode_t,
    ) -> MiopenResult {
        if !matches!(mode.0, 1 | 2 | 3 | 5) {
            return Err(BAD);
        }
        set_convolution(descriptor, |convolution| convolution.find_mode = mode.0)
    }

    fn create_pooling() -> MiopenResult<miopenPoolingDescriptor_t> {
        Ok(POOLINGS.insert(Pooling::default()) as miopenPoolingDescriptor_t)
    }

    unsafe fn destroy_pooling(descriptor: miopenPoolingDescriptor_t) -> MiopenResult {
        POOLINGS.remove(descriptor as usize).map(|_| ()).ok_or(BAD)
    }

    unsafe fn set_pooling(
        descriptor: miopenPoolingDescriptor_t,
        mode: miopenPoolingMode_t,
        window: Window,
    ) -> MiopenResult {
        if mode.0 > miopenPoolingMode_t::miopenPoolingAverageInclusive.0 {
            return Err(BAD);
        }
        let (size, padding) = (sizes(window.size, 1)?, sizes(window.padding, 0)?);
        let pooling = Pooling { mode: mode.0, window: size, padding, stride: sizes(window.stride, 1)? };
        POOLINGS.with(descriptor as usize, |known| *known = pooling).ok_or(BAD)
    }
}

miopen_descriptor_exports! { Host }

export! {
    Host, miopen => MORE_EXPORTS;

    fn miopenSet4dTensorDescriptorEx(
        descriptor: miopenTensorDescriptor_t, data_type: miopenDataType_t, n: c_int, c: c_int, h: c_int, w: c_int,
        n_stride: c_int, c_stride: c_int, h_stride: c_int, w_stride: c_int,
    ) -> miopenStatus_t {
        let strides = [n_stride, c_stride, h_stride, w_stride];
        set_tensor(descriptor, Layout { data_type, dims: &[n, c, h, w], strides: Some(&strides) })
    }

    /// Only for convolutions of the mode "transpose".
    fn miopenSetTransposeConvOutputPadding(
        descriptor: miopenConvolutionDescriptor_t, h: c_int, w: c_int,
    ) -> miopenStatus_t {
        let output_padding = sizes([h, w], 0)?;
        if !convolution(descriptor)?.transposed {
            return Err(BAD);
        }
        set_convolution(descriptor, |convolution| convolution.output_padding = output_padding)
    }

    fn miopenGetConvolutionFindMode(
        descriptor: miopenConvolutionDescriptor_t, mode: *mut miopenConvolutionFindMode_t,
    ) -> miopenStatus_t {
        let found = miopenConvolutionFindMode_t(convolution(descriptor)?.find_mode);
        // SAFETY: the caller vouches for the pointer.
        unsafe { write(mode, found)? };
        Ok(())
    }
}
