//! Without NVIDIA's driver every function returns `hipErrorNoDevice`, and none panics.

mod common;

use common::hip;
use rocm_sys::hip::{error_name, hipError_t};
use rocm_sys::rccl::{Rccl, ncclResult_t, ncclUniqueId};
use std::ffi::CStr;
use std::ptr;

#[test]
fn there_is_no_device() {
    let Some(why) = candle_rocm_nvidia::unavailable() else {
        return common::has("the driver");
    };
    if !why.contains("libcuda") {
        return common::has("the driver");
    }
    assert!(why.contains("driver") && why.contains("CANDLE_ROCM_CUDA_PATH"), "{why}");

    let hip = hip();
    let none = Ok(hipError_t::hipErrorNoDevice);
    let mut count = -1;
    let mut size = 0;
    let mut pointer = ptr::null_mut();
    let (mut stream, mut event, mut module) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    let mut version = -1;
    // SAFETY: out-parameters are valid; addresses are not looked at where there is no device.
    unsafe {
        assert_eq!(hip.hipInit(0), none);
        assert_eq!(hip.hipGetDeviceCount(&mut count), none);
        assert_eq!(count, 0);
        assert_eq!(hip.hipSetDevice(0), none);
        assert_eq!(hip.hipGetDevice(&mut count), none);
        assert_eq!(hip.hipDeviceSynchronize(), none);
        assert_eq!(hip.hipDeviceReset(), none);
        assert_eq!(hip.hipMalloc(&mut pointer, 16), none);
        assert_eq!(hip.hipHostMalloc(&mut pointer, 16, 0), none);
        assert_eq!(hip.hipFree(&raw mut size as *mut _), none);
        assert_eq!(hip.hipMemGetInfo(&mut size, &mut size.clone()), none);
        assert_eq!(hip.hipStreamCreate(&mut stream), none);
        assert_eq!(hip.hipStreamSynchronize(ptr::null_mut()), none);
        assert_eq!(hip.hipEventCreate(&mut event), none);
        assert_eq!(hip.hipModuleLoadData(&mut module, c".version 8.0".as_ptr().cast()), none);
        assert_eq!(hip.hipMemset(pointer, 0, 4), none);
        // What needs no device works.
        assert_eq!(hip.hipRuntimeGetVersion(&mut version), Ok(hipError_t::hipSuccess));
        assert!(version > 60_000_000);
        assert_eq!(hip.hipDriverGetVersion(&mut version), Ok(hipError_t::hipSuccess));
        assert_eq!(version, 0);
        assert_eq!(hip.hipPeekAtLastError(), none);
        assert_eq!(hip.hipGetLastError(), none);
        assert_eq!(hip.hipGetLastError(), Ok(hipError_t::hipSuccess));
    }
    assert_eq!(error_name(&hip, hipError_t::hipErrorNoDevice), "hipErrorNoDevice");
}

#[test]
fn without_nccl_the_error_says_what_was_tried() {
    let rccl = Rccl::from_resolver("candle-rocm-nvidia", candle_rocm_nvidia::symbol);
    let mut id = ncclUniqueId::default();
    // SAFETY: the out-parameter is valid.
    if unsafe { rccl.ncclGetUniqueId(&mut id) } == Ok(ncclResult_t::ncclSuccess) {
        return common::has("NCCL");
    }
    // SAFETY: no communicator; the text is static.
    let text = unsafe { CStr::from_ptr(rccl.ncclGetLastError(ptr::null_mut()).unwrap()) }.to_str().unwrap();
    assert!(text.contains("libnccl.so.2") && text.contains("CANDLE_ROCM_CUDA_PATH"), "{text}");
}

#[test]
fn every_export_is_found_and_bound() {
    let mut names: Vec<_> = candle_rocm_nvidia::symbols().collect();
    assert!(names.len() > 100, "{}", names.len());
    for name in &names {
        assert!(candle_rocm_nvidia::symbol(name).is_some_and(|address| !address.is_null()), "{name}");
        let bound = [
            rocm_sys::hip::SYMBOLS,
            rocm_sys::hiprtc::SYMBOLS,
            rocm_sys::rocblas::SYMBOLS,
            rocm_sys::miopen::SYMBOLS,
            rocm_sys::rccl::SYMBOLS,
            // Ours, which AMD's runtime does not have.
            &[rocm_sys::extension::FUNC_GET_PARAM_INFO, rocm_sys::extension::MODULE_LOAD_DATA_SIZED],
        ];
        assert!(bound.iter().any(|symbols| symbols.contains(name)), "{name} is not a function of ROCm");
    }
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "duplicate function");
    assert!(candle_rocm_nvidia::symbol("hipDoesNotExist").is_none());
}
