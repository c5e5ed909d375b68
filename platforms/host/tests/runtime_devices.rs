//! Devices, properties, errors, peers.

mod runtime_common;

use runtime_common::*;
use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_int};
use std::ptr;

fn text(array: &[c_char]) -> String {
    // SAFETY: the platform ends text by a zero inside the array.
    unsafe { CStr::from_ptr(array.as_ptr()) }.to_str().unwrap().to_owned()
}

fn properties(ordinal: c_int) -> hipDeviceProp_tR0600 {
    // SAFETY: numbers, arrays and pointers: zero is a value.
    let mut properties = unsafe { std::mem::zeroed() };
    ok!(hipGetDevicePropertiesR0600(&mut properties, ordinal));
    properties
}

fn attribute(which: hipDeviceAttribute_t, ordinal: c_int) -> c_int {
    let mut value = -1;
    ok!(hipDeviceGetAttribute(&mut value, which, ordinal));
    value
}

#[test]
fn versions_are_those_of_the_bindings() {
    let (mut runtime, mut driver) = (0, 0);
    ok!(hipInit(0));
    ok!(hipRuntimeGetVersion(&mut runtime));
    ok!(hipDriverGetVersion(&mut driver));
    assert_eq!((runtime, driver), (HIP_VERSION as c_int, HIP_VERSION as c_int));
    fails!(hipErrorInvalidValue, hipInit(1));
    fails!(hipErrorInvalidValue, hipRuntimeGetVersion(ptr::null_mut()));
}

#[test]
fn one_device_of_each_wavefront() {
    let mut count = 0;
    ok!(hipGetDeviceCount(&mut count));
    assert_eq!(count, 2);
    for (ordinal, wave) in [(0, 32), (1, 64)] {
        let properties = properties(ordinal);
        assert_eq!(properties.warpSize, wave);
        assert_eq!(text(&properties.gcnArchName), format!("host-wave{wave}"));
        assert_eq!(attribute(hipDeviceAttribute_t::hipDeviceAttributeWarpSize, ordinal), wave);
        assert!(text(&properties.name).contains(&format!("wave{wave}")));
    }
    assert_ne!(properties(0).uuid.bytes, properties(1).uuid.bytes);
}

#[test]
fn properties_and_attributes_agree() {
    type A = hipDeviceAttribute_t;
    let device = properties(0);
    let cores = std::thread::available_parallelism().unwrap().get() as c_int;
    for (which, expected, property) in [
        (A::hipDeviceAttributeMultiprocessorCount, cores, device.multiProcessorCount),
        (A::hipDeviceAttributeMaxThreadsPerBlock, 1024, device.maxThreadsPerBlock),
        (A::hipDeviceAttributeMaxSharedMemoryPerBlock, 65536, device.sharedMemPerBlock as c_int),
        (A::hipDeviceAttributeMaxBlockDimX, 1024, device.maxThreadsDim[0]),
        (A::hipDeviceAttributeMaxGridDimX, c_int::MAX, device.maxGridSize[0]),
        (A::hipDeviceAttributeMaxGridDimZ, 65536, device.maxGridSize[2]),
        (A::hipDeviceAttributeComputeCapabilityMajor, 11, device.major),
        (A::hipDeviceAttributePciBusId, 1, device.pciBusID),
    ] {
        assert_eq!((attribute(which, 0), property), (expected, expected), "{which:?}");
    }
    fails!(hipErrorInvalidValue, hipDeviceGetAttribute(&mut 0, hipDeviceAttribute_t(5000), 0));
    fails!(hipErrorInvalidDevice, hipDeviceGetAttribute(&mut 0, A::hipDeviceAttributeWarpSize, 2));

    // The layout of ROCm 5, under both names.
    // SAFETY: numbers, arrays and pointers: zero is a value.
    let mut old: hipDeviceProp_tR0000 = unsafe { std::mem::zeroed() };
    ok!(hipGetDeviceProperties(&mut old, 1));
    assert_eq!((old.warpSize, text(&old.gcnArchName)), (64, "host-wave64".to_owned()));
    ok!(hipGetDevicePropertiesR0000(&mut old, 0));
    assert_eq!((old.warpSize, old.totalGlobalMem), (32, device.totalGlobalMem));
    // SAFETY: as above.
    let mut new: hipDeviceProp_tR0600 = unsafe { std::mem::zeroed() };
    fails!(hipErrorInvalidDevice, hipGetDevicePropertiesR0600(&mut new, 7));
    fails!(hipErrorInvalidDevice, hipGetDevicePropertiesR0600(&mut new, -1));
    fails!(hipErrorInvalidValue, hipGetDevicePropertiesR0600(ptr::null_mut(), 0));
}

#[test]
fn the_bindings_read_the_properties() {
    let properties = rocm_sys::hip::device_properties(hip(), 1).unwrap();
    assert_eq!((properties.gcn_arch_name.as_str(), properties.warp_size), ("host-wave64", 64));
}

#[test]
fn the_current_device_belongs_to_the_thread() {
    let current = || {
        let mut ordinal = -1;
        ok!(hipGetDevice(&mut ordinal));
        ordinal
    };
    assert_eq!(current(), 0);
    ok!(hipSetDevice(1));
    assert_eq!(current(), 1);
    std::thread::scope(|scope| scope.spawn(|| assert_eq!(current(), 0)).join().unwrap());
    for wrong in [-1, 2, c_int::MAX] {
        fails!(hipErrorInvalidDevice, hipSetDevice(wrong));
    }
    assert_eq!(current(), 1);
    fails!(hipErrorInvalidValue, hipGetDevice(ptr::null_mut()));
}

#[test]
fn names_and_numbers() {
    let mut device = -1;
    ok!(hipDeviceGet(&mut device, 1));
    assert_eq!(device, 1);
    fails!(hipErrorInvalidDevice, hipDeviceGet(&mut device, 9));

    let mut name = [1; 256];
    ok!(hipDeviceGetName(name.as_mut_ptr(), 256, 0));
    assert_eq!(text(&name), text(&properties(0).name));
    // Truncated and terminated.
    let mut short = [1; 4];
    ok!(hipDeviceGetName(short.as_mut_ptr(), 4, 0));
    assert_eq!(text(&short), text(&name)[..3]);
    fails!(hipErrorInvalidValue, hipDeviceGetName(short.as_mut_ptr(), 0, 0));
    fails!(hipErrorInvalidValue, hipDeviceGetName(ptr::null_mut(), 4, 0));

    let mut bus = [0; 32];
    ok!(hipDeviceGetPCIBusId(bus.as_mut_ptr(), 32, 1));
    let mut found = -1;
    ok!(hipDeviceGetByPCIBusId(&mut found, bus.as_ptr()));
    assert_eq!(found, 1);
    fails!(hipErrorInvalidValue, hipDeviceGetByPCIBusId(&mut found, c"nonsense".as_ptr()));

    let mut total = 0;
    ok!(hipDeviceTotalMem(&mut total, 0));
    assert_eq!(total, properties(0).totalGlobalMem);
    let (mut major, mut minor) = (0, -1);
    ok!(hipDeviceComputeCapability(&mut major, &mut minor, 1));
    assert_eq!((major, minor), (9, 0));
    let mut uuid = hipUUID { bytes: [0; 16] };
    ok!(hipDeviceGetUuid(&mut uuid, 0));
    assert_eq!(uuid.bytes, properties(0).uuid.bytes);
}

#[test]
fn errors_have_names_and_texts() {
    let name = |code| {
        let (name, text) =
            (call!(hipGetErrorName(hipError_t(code))), call!(hipGetErrorString(hipError_t(code))));
        // SAFETY: the platform returns static C strings.
        let (name, text) = unsafe { (CStr::from_ptr(name), CStr::from_ptr(text)) };
        (name.to_str().unwrap(), text.to_str().unwrap())
    };
    assert_eq!(name(0), ("hipSuccess", "no error"));
    assert_eq!(name(1), ("hipErrorInvalidValue", "invalid argument"));
    assert_eq!(name(2), ("hipErrorOutOfMemory", "out of memory"));
    assert_eq!(name(98), ("hipErrorInvalidDeviceFunction", "invalid device function"));
    assert_eq!(name(209).0, "hipErrorNoBinaryForGpu");
    assert_eq!(name(719), ("hipErrorLaunchFailure", "unspecified launch failure"));
    assert_eq!(
        name(5),
        ("hipErrorProfilerDisabled", "profiler disabled while using external profiling tool")
    );
    assert_eq!(name(12345), ("hipErrorUnknown", "unknown error"));
    let known = (0..2000).filter(|&code| name(code).0 != "hipErrorUnknown");
    let names = known.clone().map(|code| name(code).0).collect::<BTreeSet<_>>();
    assert_eq!(names.len(), known.count(), "each code has its own name");
    assert_eq!(names.len(), 72);

    let mut found = ptr::null();
    ok!(hipDrvGetErrorName(hipError_t::hipErrorNotReady, &mut found));
    // SAFETY: a static C string.
    assert_eq!(unsafe { CStr::from_ptr(found) }, c"hipErrorNotReady");
    ok!(hipDrvGetErrorString(hipError_t::hipErrorNotReady, &mut found));
    // SAFETY: a static C string.
    assert_eq!(unsafe { CStr::from_ptr(found) }, c"device not ready");
    fails!(hipErrorInvalidValue, hipDrvGetErrorName(hipError_t(12345), &mut found));
}

#[test]
fn the_last_error_belongs_to_the_thread() {
    ok!(hipGetLastError());
    fails!(hipErrorInvalidDevice, hipSetDevice(77));
    let mut device = 0;
    // A call that succeeds does not clear it.
    ok!(hipGetDevice(&mut device));
    std::thread::scope(|scope| scope.spawn(|| ok!(hipPeekAtLastError())).join().unwrap());
    fails!(hipErrorInvalidDevice, hipPeekAtLastError());
    fails!(hipErrorInvalidDevice, hipGetLastError());
    ok!(hipGetLastError());
    ok!(hipPeekAtLastError());
}

#[test]
fn peers() {
    let can = |device, peer| {
        let mut can = -1;
        ok!(hipDeviceCanAccessPeer(&mut can, device, peer));
        can
    };
    assert_eq!((can(0, 1), can(1, 0), can(0, 0)), (1, 1, 0));
    fails!(hipErrorInvalidDevice, hipDeviceCanAccessPeer(&mut 0, 0, 5));
    ok!(hipDeviceEnablePeerAccess(1, 0));
    fails!(hipErrorPeerAccessAlreadyEnabled, hipDeviceEnablePeerAccess(1, 0));
    ok!(hipDeviceDisablePeerAccess(1));
    fails!(hipErrorPeerAccessNotEnabled, hipDeviceDisablePeerAccess(1));
    fails!(hipErrorInvalidDevice, hipDeviceEnablePeerAccess(0, 0));
    fails!(hipErrorInvalidValue, hipDeviceEnablePeerAccess(1, 1));
}

#[test]
fn symbols_are_the_functions_that_are_there() {
    assert!(candle_rocm_host::symbol("hipMalloc").is_some());
    assert!(candle_rocm_host::symbol("hipGraphCreate").is_none());
    let names = candle_rocm_host::symbols().collect::<Vec<_>>();
    let unique = names.iter().collect::<BTreeSet<_>>();
    assert_eq!(unique.len(), names.len(), "no name twice");
    for name in names {
        assert!(candle_rocm_host::symbol(name).is_some_and(|address| !address.is_null()));
    }
    assert!(!hip().has("hipGraphCreate"));
    // SAFETY: the function is missing, so nothing is called.
    let missing = unsafe { hip().hipGraphCreate(ptr::null_mut(), 0) }.unwrap_err();
    assert_eq!(missing.symbol, "hipGraphCreate");
}
