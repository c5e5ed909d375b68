//! MIOpen: convolutions of strided tensors against a plain loop, and invalid arguments.

mod runtime_common;

use rocm_sys::miopen::*;
use runtime_common::*;
use std::ffi::{CStr, c_int};
use std::ptr;
use std::sync::LazyLock;

fn miopen() -> &'static Miopen {
    static MIOPEN: LazyLock<Miopen> =
        LazyLock::new(|| Miopen::from_resolver("candle-rocm-host", candle_rocm_host::symbol));
    &MIOPEN
}

macro_rules! dnn {
    ($function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: the test passes what the function asks for, or what the function must refuse.
        unsafe { miopen().$function($($argument),*) }.expect(stringify!($function))
    };
}

macro_rules! fine {
    ($function:ident($($argument:expr),* $(,)?)) => {
        assert_eq!(dnn!($function($($argument),*)), miopenStatus_t::miopenStatusSuccess, "{}", stringify!($function))
    };
}

macro_rules! refused {
    ($status:ident, $function:ident($($argument:expr),* $(,)?)) => {
        assert_eq!(dnn!($function($($argument),*)), miopenStatus_t::$status, "{}", stringify!($function))
    };
}

const FLOAT: miopenDataType_t = miopenDataType_t::miopenFloat;
const GEMM: miopenConvFwdAlgorithm_t = miopenConvFwdAlgorithm_t::miopenConvolutionFwdAlgoGEMM;
static ONE: f32 = 1.0;
static ZERO: f32 = 0.0;

fn handle() -> miopenHandle_t {
    let mut handle = ptr::null_mut();
    fine!(miopenCreate(&mut handle));
    handle
}

fn tensor(dims: [c_int; 4], strides: Option<[c_int; 4]>) -> miopenTensorDescriptor_t {
    let mut descriptor = ptr::null_mut();
    fine!(miopenCreateTensorDescriptor(&mut descriptor));
    let strides = strides.as_ref().map_or(ptr::null(), |strides| strides.as_ptr());
    fine!(miopenSetTensorDescriptor(descriptor, FLOAT, 4, dims.as_ptr(), strides));
    descriptor
}

/// Padding 1 and 0, stride 2 and 1, dilation 1 and 2.
fn convolution(groups: c_int) -> miopenConvolutionDescriptor_t {
    let mut descriptor = ptr::null_mut();
    fine!(miopenCreateConvolutionDescriptor(&mut descriptor));
    let mode = miopenConvolutionMode_t::miopenConvolution;
    fine!(miopenInitConvolutionDescriptor(descriptor, mode, 1, 0, 2, 1, 1, 2));
    fine!(miopenSetConvolutionGroupCount(descriptor, groups));
    descriptor
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

fn download_floats(address: *mut std::ffi::c_void, count: usize) -> Vec<f32> {
    let mut values = vec![0f32; count];
    ok!(hipDeviceSynchronize());
    ok!(hipMemcpy(values.as_mut_ptr().cast(), address, count * 4, D2H));
    values
}

/// x [2, 4, 5, 6] with its channels last, w [6, 2, 3, 2], y [2, 6, 3, 4] with rows of 5.
#[test]
fn a_strided_convolution_with_groups_and_its_gradient() {
    let (x_strides, y_strides) = ([120, 1, 24, 4], [90, 15, 5, 1]);
    let (x_t, w_t) = (tensor([2, 4, 5, 6], Some(x_strides)), tensor([6, 2, 3, 2], None));
    let (y_t, c) = (tensor([2, 6, 3, 4], Some(y_strides)), convolution(2));
    let (mut n, mut k, mut h, mut width) = (0, 0, 0, 0);
    fine!(miopenGetConvolutionForwardOutputDim(c, x_t, w_t, &mut n, &mut k, &mut h, &mut width));
    assert_eq!([n, k, h, width], [2, 6, 3, 4]);

    let whole = |count: usize| (0..count).map(|i| ((i * 7) % 5) as f32 - 2.0).collect::<Vec<_>>();
    let (x, w, dy) = (whole(240), whole(72), whole(180));
    let (mut y, mut dx) = (vec![0f32; 180], vec![0f32; 240]);
    let at = |strides: [c_int; 4], index: [usize; 4]| -> usize {
        strides.iter().zip(index).map(|(&stride, at)| stride as usize * at).sum()
    };
    for i in 0..2 * 6 * 3 * 4 * 2 * 3 * 2 {
        let mut rest = i;
        let [kx, ky, ci, ox, oy, o, b] = [2usize, 3, 2, 4, 3, 6, 2].map(|size| {
            let digit = rest % size;
            rest /= size;
            digit
        });
        let (Some(iy), ix) = ((oy * 2 + ky).checked_sub(1).filter(|&y| y < 5), ox + kx * 2) else { continue };
        let (from, to) = (at(x_strides, [b, o / 3 * 2 + ci, iy, ix]), at(y_strides, [b, o, oy, ox]));
        let weight = w[((o * 2 + ci) * 3 + ky) * 2 + kx];
        y[to] += x[from] * weight;
        dx[from] += dy[to] * weight;
    }

    let handle = handle();
    let (x_at, w_at) = (upload(&floats(&x)), upload(&floats(&w)));
    let y_at = upload(&floats(&vec![0.0; 180]));
    let mut size = 0;
    fine!(miopenConvolutionForwardGetWorkSpaceSize(handle, w_t, x_t, c, y_t, &mut size));
    let workspace = malloc(size);
    let (one, zero) = ((&raw const ONE).cast(), (&raw const ZERO).cast());
    let run = |alpha, size| {
        dnn!(miopenConvolutionForward(
            handle, alpha, x_t, x_at, w_t, w_at, c, GEMM, zero, y_t, y_at, workspace, size
        ))
    };
    assert_eq!(run(one, size), miopenStatus_t::miopenStatusUnknownError, "nothing was found yet");
    let (mut found, mut best) = (0, miopenConvAlgoPerf_t::default());
    fine!(miopenFindConvolutionForwardAlgorithm(
        handle, x_t, x_at, w_t, w_at, c, y_t, y_at, 1, &mut found, &mut best, workspace, size, false
    ));
    // SAFETY: what was found is a forward algorithm.
    assert_eq!((found, unsafe { best.__bindgen_anon_1.fwd_algo }), (1, GEMM));
    assert_eq!(run(one, size - 1), miopenStatus_t::miopenStatusBadParm, "too little workspace");
    assert_eq!(run(zero, size), miopenStatus_t::miopenStatusNotImplemented, "another factor");
    assert_eq!(run(ptr::null(), size), miopenStatus_t::miopenStatusBadParm, "no factor");
    assert_eq!(run(one, size), miopenStatus_t::miopenStatusSuccess);
    assert_eq!(download_floats(y_at, 180), y);

    let (dy_at, dx_at) = (upload(&floats(&dy)), upload(&floats(&[0.0; 240])));
    let back = miopenConvBwdDataAlgorithm_t::miopenConvolutionBwdDataAlgoGEMM;
    fine!(miopenConvolutionBackwardDataGetWorkSpaceSize(handle, y_t, w_t, c, x_t, &mut size));
    fine!(miopenFindConvolutionBackwardDataAlgorithm(
        handle, y_t, dy_at, w_t, w_at, c, x_t, dx_at, 1, &mut found, &mut best, workspace, size, false
    ));
    fine!(miopenConvolutionBackwardData(
        handle, one, y_t, dy_at, w_t, w_at, c, back, zero, x_t, dx_at, workspace, size
    ));
    assert_eq!(download_floats(dx_at, 240), dx);

    for descriptor in [x_t, w_t, y_t] {
        fine!(miopenDestroyTensorDescriptor(descriptor));
        refused!(miopenStatusBadParm, miopenDestroyTensorDescriptor(descriptor));
    }
    fine!(miopenDestroyConvolutionDescriptor(c));
    fine!(miopenDestroy(handle));
    refused!(miopenStatusBadParm, miopenDestroy(handle));
    for memory in [x_at, w_at, y_at, dy_at, dx_at, workspace] {
        ok!(hipFree(memory));
    }
}

#[test]
fn pools() {
    let (handle, x_t, y_t) = (handle(), tensor([1, 2, 3, 4], None), tensor([1, 2, 2, 2], None));
    let x: Vec<f32> = (0..24).map(|i| ((i * 5) % 7) as f32).collect();
    let (x_at, y_at) = (upload(&floats(&x)), upload(&floats(&[0.0; 8])));
    let mut pool = ptr::null_mut();
    fine!(miopenCreatePoolingDescriptor(&mut pool));
    let (one, zero) = ((&raw const ONE).cast(), (&raw const ZERO).cast());
    for mode in [miopenPoolingMode_t::miopenPoolingMax, miopenPoolingMode_t::miopenPoolingAverage] {
        fine!(miopenSet2dPoolingDescriptor(pool, mode, 2, 2, 0, 0, 1, 2));
        let (mut n, mut c, mut h, mut w) = (0, 0, 0, 0);
        fine!(miopenGetPoolingForwardOutputDim(pool, x_t, &mut n, &mut c, &mut h, &mut w));
        assert_eq!([n, c, h, w], [1, 2, 2, 2]);
        fine!(miopenPoolingForward(handle, pool, one, x_t, x_at, zero, y_t, y_at, false, ptr::null_mut(), 0));
        let want: Vec<f32> = (0..8)
            .map(|i| {
                let (c, y, x0) = (i / 4, i / 2 % 2, i % 2 * 2);
                let window = [0, 1, 4, 5].map(|offset| x[c * 12 + y * 4 + x0 + offset]);
                match mode {
                    miopenPoolingMode_t::miopenPoolingMax => window.into_iter().fold(0.0, f32::max),
                    _ => window.iter().sum::<f32>() / 4.0,
                }
            })
            .collect();
        assert_eq!(download_floats(y_at, 8), want, "{mode:?}");
    }
    refused!(
        miopenStatusBadParm,
        miopenPoolingForward(handle, pool, one, x_t, x_at, zero, x_t, y_at, false, ptr::null_mut(), 0)
    );
    fine!(miopenDestroyPoolingDescriptor(pool));
    fine!(miopenDestroy(handle));
}

#[test]
fn wrong_descriptors_are_refused() {
    let handle = handle();
    let (x, w, y, c) =
        (tensor([2, 4, 5, 6], None), tensor([6, 2, 3, 2], None), tensor([2, 6, 3, 4], None), convolution(2));
    let mut size = 0;
    let mut ask = |w, x, c, y| dnn!(miopenConvolutionForwardGetWorkSpaceSize(handle, w, x, c, y, &mut size));
    let bad = miopenStatus_t::miopenStatusBadParm;
    assert_eq!(ask(w, x, c, y), miopenStatus_t::miopenStatusSuccess);
    assert_eq!(ask(w, y, c, x), bad, "sizes");
    assert_eq!(ask(w, x, convolution(1), y), bad, "channels");
    assert_eq!(ask(w, x, c, tensor([2, 6, 3, 5], None)), bad, "output");
    assert_eq!(ask(ptr::null_mut(), x, c, y), bad, "no descriptor");
    let half = tensor([6, 2, 3, 2], None);
    fine!(miopenSet4dTensorDescriptor(half, miopenDataType_t::miopenHalf, 6, 2, 3, 2));
    assert_eq!(ask(half, x, c, y), bad, "types");
    refused!(miopenStatusBadParm, miopenSet4dTensorDescriptor(x, FLOAT, 2, 0, 5, 6));
    refused!(miopenStatusBadParm, miopenSet4dTensorDescriptor(x, miopenDataType_t(77), 2, 4, 5, 6));
    let mode = miopenConvolutionMode_t::miopenConvolution;
    refused!(miopenStatusBadParm, miopenInitConvolutionDescriptor(c, mode, 0, 0, 0, 1, 1, 1));
    refused!(miopenStatusBadParm, miopenInitConvolutionDescriptor(c, mode, -1, 0, 1, 1, 1, 1));
    refused!(miopenStatusBadParm, miopenSetConvolutionGroupCount(c, 0));
    refused!(miopenStatusBadParm, miopenSetConvolutionFindMode(c, miopenConvolutionFindMode_t(4)));
    let fast = miopenConvolutionFindMode_t::miopenConvolutionFindModeFast;
    fine!(miopenSetConvolutionFindMode(c, fast));
    let mut now = miopenConvolutionFindMode_t(0);
    fine!(miopenGetConvolutionFindMode(c, &mut now));
    assert_eq!(now, fast);
    refused!(miopenStatusBadParm, miopenCreate(ptr::null_mut()));
    let text = dnn!(miopenGetErrorString(bad));
    // SAFETY: the function returns strings.
    assert_eq!(unsafe { CStr::from_ptr(text) }, c"miopenStatusBadParm");
}

/// Work is queued: the call returns before a blocked stream reaches it.
#[test]
fn work_waits_for_its_stream() {
    let _guard = exclusive();
    let stream = stream(0);
    let mut handle = ptr::null_mut();
    fine!(miopenCreateWithStream(&mut handle, stream));
    let mut current = ptr::null_mut();
    fine!(miopenGetStream(handle, &mut current));
    assert_eq!(current, stream);
    fine!(miopenDestroy(handle));
    ok!(hipStreamDestroy(stream));
    refused!(miopenStatusBadParm, miopenCreateWithStream(&mut handle, stream));
}
