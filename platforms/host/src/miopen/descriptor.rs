//! Descriptors: what tensors, convolutions and pools are, said before any work is done.

use crate::exports::export;
use rocm_sys::implement::miopen::write;
use rocm_sys::miopen::{
    miopenConvolutionDescriptor_t, miopenConvolutionFindMode_t, miopenConvolutionMode_t, miopenDataType_t,
    miopenPoolingDescriptor_t, miopenPoolingMode_t, miopenStatus_t, miopenTensorDescriptor_t,
};
use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

/// A tensor's elements, dims and strides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Tensor {
    /// The number of a `miopenDataType_t`.
    pub(super) of: u32,
    pub(super) dims: Vec<usize>,
    pub(super) strides: Vec<usize>,
}

/// How a convolution moves; two dimensions.
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

/// How a pool moves, and what it makes of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Pooling {
    pub(super) mode: u32,
    pub(super) window: [usize; 2],
    pub(super) padding: [usize; 2],
    pub(super) stride: [usize; 2],
}

#[derive(Clone)]
enum Descriptor {
    Tensor(Tensor),
    Convolution(Convolution),
    Pooling(Pooling),
}

static DESCRIPTORS: LazyLock<Mutex<HashMap<usize, Descriptor>>> = LazyLock::new(Mutex::default);

const BAD: miopenStatus_t = miopenStatus_t::miopenStatusBadParm;

fn create(new: Descriptor) -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0x10_0000);
    // Never used again, so that one that was destroyed is known as such.
    let raw = NEXT.fetch_add(0x10, Ordering::Relaxed);
    DESCRIPTORS.lock().unwrap_or_else(PoisonError::into_inner).insert(raw, new);
    raw
}

macro_rules! access {
    ($($kind:ident: $get:ident, $set:ident, $destroy:ident;)*) => {$(
        /// A copy of what the descriptor says.
        pub(super) fn $get(raw: usize) -> Result<$kind, miopenStatus_t> {
            let descriptors = DESCRIPTORS.lock().unwrap_or_else(PoisonError::into_inner);
            match descriptors.get(&raw) {
                Some(Descriptor::$kind(found)) => Ok(found.clone()),
                _ => Err(BAD),
            }
        }

        fn $set(raw: usize, f: impl FnOnce(&mut $kind)) -> Result<(), miopenStatus_t> {
            let mut descriptors = DESCRIPTORS.lock().unwrap_or_else(PoisonError::into_inner);
            match descriptors.get_mut(&raw) {
                Some(Descriptor::$kind(found)) => {
                    f(found);
                    Ok(())
                }
                _ => Err(BAD),
            }
        }

        fn $destroy(raw: usize) -> Result<(), miopenStatus_t> {
            $get(raw)?;
            DESCRIPTORS.lock().unwrap_or_else(PoisonError::into_inner).remove(&raw);
            Ok(())
        }
    )*};
}

access! {
    Tensor: tensor, set_tensor, destroy_tensor;
    Convolution: convolution, set_convolution, destroy_convolution;
    Pooling: pooling, set_pooling, destroy_pooling;
}

fn known(of: miopenDataType_t) -> Result<u32, miopenStatus_t> {
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

fn sizes<const N: usize>(given: [c_int; N], least: c_int) -> Result<[usize; N], miopenStatus_t> {
    if given.iter().any(|&n| n < least) {
        return Err(BAD);
    }
    Ok(given.map(|n| n as usize))
}

fn define(
    raw: miopenTensorDescriptor_t,
    of: miopenDataType_t,
    dims: &[c_int],
    strides: Option<&[c_int]>,
) -> Result<(), miopenStatus_t> {
    let of = known(of)?;
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
    set_tensor(raw as usize, |tensor| *tensor = Tensor { of, dims, strides })
}

export! {
    miopen => EXPORTS;

    fn miopenCreateTensorDescriptor(descriptor: *mut miopenTensorDescriptor_t) -> miopenStatus_t {
        let new = create(Descriptor::Tensor(Tensor::default()));
        // SAFETY: the caller vouches for the pointer.
        unsafe { write(descriptor, new as miopenTensorDescriptor_t) }
    }

    fn miopenDestroyTensorDescriptor(descriptor: miopenTensorDescriptor_t) -> miopenStatus_t {
        destroy_tensor(descriptor as usize)
    }

    fn miopenSetTensorDescriptor(
        descriptor: miopenTensorDescriptor_t, of: miopenDataType_t, count: c_int, dims: *const c_int,
        strides: *const c_int,
    ) -> miopenStatus_t {
        let count = usize::try_from(count).ok().filter(|count| (1..=5).contains(count) && !dims.is_null()).ok_or(BAD)?;
        // SAFETY: the caller vouches for so many numbers.
        let dims = unsafe { std::slice::from_raw_parts(dims, count) };
        // SAFETY: the same, if there are any.
        let strides = (!strides.is_null()).then(|| unsafe { std::slice::from_raw_parts(strides, count) });
        define(descriptor, of, dims, strides)
    }

    fn miopenSet4dTensorDescriptor(
        descriptor: miopenTensorDescriptor_t, of: miopenDataType_t, n: c_int, c: c_int, h: c_int, w: c_int,
    ) -> miopenStatus_t {
        define(descriptor, of, &[n, c, h, w], None)
    }

    fn miopenSet4dTensorDescriptorEx(
        descriptor: miopenTensorDescriptor_t, of: miopenDataType_t, n: c_int, c: c_int, h: c_int, w: c_int,
        n_stride: c_int, c_stride: c_int, h_stride: c_int, w_stride: c_int,
    ) -> miopenStatus_t {
        define(descriptor, of, &[n, c, h, w], Some(&[n_stride, c_stride, h_stride, w_stride]))
    }

    fn miopenCreateConvolutionDescriptor(descriptor: *mut miopenConvolutionDescriptor_t) -> miopenStatus_t {
        let new = create(Descriptor::Convolution(Convolution::default()));
        // SAFETY: the caller vouches for the pointer.
        unsafe { write(descriptor, new as miopenConvolutionDescriptor_t) }
    }

    fn miopenDestroyConvolutionDescriptor(descriptor: miopenConvolutionDescriptor_t) -> miopenStatus_t {
        destroy_convolution(descriptor as usize)
    }

    fn miopenInitConvolutionDescriptor(
        descriptor: miopenConvolutionDescriptor_t, mode: miopenConvolutionMode_t, pad_h: c_int, pad_w: c_int,
        stride_h: c_int, stride_w: c_int, dilation_h: c_int, dilation_w: c_int,
    ) -> miopenStatus_t {
        let transposed = match mode {
            miopenConvolutionMode_t::miopenConvolution => false,
            miopenConvolutionMode_t::miopenTranspose => true,
            _ => return Err(BAD),
        };
        let padding = sizes([pad_h, pad_w], 0)?;
        let (stride, dilation) = (sizes([stride_h, stride_w], 1)?, sizes([dilation_h, dilation_w], 1)?);
        set_convolution(descriptor as usize, |convolution| {
            *convolution = Convolution { transposed, padding, stride, dilation, ..Default::default() };
        })
    }

    fn miopenSetConvolutionGroupCount(descriptor: miopenConvolutionDescriptor_t, count: c_int) -> miopenStatus_t {
        let [groups] = sizes([count], 1)?;
        set_convolution(descriptor as usize, |convolution| convolution.groups = groups)
    }

    /// Only for convolutions of the mode "transpose".
    fn miopenSetTransposeConvOutputPadding(
        descriptor: miopenConvolutionDescriptor_t, h: c_int, w: c_int,
    ) -> miopenStatus_t {
        let output_padding = sizes([h, w], 0)?;
        if !convolution(descriptor as usize)?.transposed {
            return Err(BAD);
        }
        set_convolution(descriptor as usize, |convolution| convolution.output_padding = output_padding)
    }

    fn miopenSetConvolutionFindMode(
        descriptor: miopenConvolutionDescriptor_t, mode: miopenConvolutionFindMode_t,
    ) -> miopenStatus_t {
        if !matches!(mode.0, 1 | 2 | 3 | 5) {
            return Err(BAD);
        }
        set_convolution(descriptor as usize, |convolution| convolution.find_mode = mode.0)
    }

    fn miopenGetConvolutionFindMode(
        descriptor: miopenConvolutionDescriptor_t, mode: *mut miopenConvolutionFindMode_t,
    ) -> miopenStatus_t {
        let now = miopenConvolutionFindMode_t(convolution(descriptor as usize)?.find_mode);
        // SAFETY: the caller vouches for the pointer.
        unsafe { write(mode, now) }
    }

    fn miopenCreatePoolingDescriptor(descriptor: *mut miopenPoolingDescriptor_t) -> miopenStatus_t {
        let new = create(Descriptor::Pooling(Pooling::default()));
        // SAFETY: the caller vouches for the pointer.
        unsafe { write(descriptor, new as miopenPoolingDescriptor_t) }
    }

    fn miopenDestroyPoolingDescriptor(descriptor: miopenPoolingDescriptor_t) -> miopenStatus_t {
        destroy_pooling(descriptor as usize)
    }

    fn miopenSet2dPoolingDescriptor(
        descriptor: miopenPoolingDescriptor_t, mode: miopenPoolingMode_t, window_h: c_int, window_w: c_int, pad_h: c_int,
        pad_w: c_int, stride_h: c_int, stride_w: c_int,
    ) -> miopenStatus_t {
        if mode.0 > miopenPoolingMode_t::miopenPoolingAverageInclusive.0 {
            return Err(BAD);
        }
        let window = sizes([window_h, window_w], 1)?;
        let (padding, stride) = (sizes([pad_h, pad_w], 0)?, sizes([stride_h, stride_w], 1)?);
        set_pooling(descriptor as usize, |pooling| *pooling = Pooling { mode: mode.0, window, padding, stride })
    }
}
