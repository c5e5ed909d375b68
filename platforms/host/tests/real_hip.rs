//! The codes that AMD's own runtime gives (libamdhip64 7.2.4), call by call. Where this platform is stricter on purpose, the last
//! test says so, as does the README.

mod exec_common;
mod runtime_common;

use exec_common::{Module, compile, try_launch, use_wave};
use runtime_common::*;
use std::ffi::c_void;
use std::ptr;

/// Calls, and the code of each.
macro_rules! codes {
    ($($code:ident: $function:ident($($argument:expr),* $(,)?);)*) => {
        $(fails!($code, $function($($argument),*));)*
    };
}

const NOTHING: &str = "extern \"C\" __global__ void nothing() {}";
const WILD: *mut c_void = ptr::without_provenance_mut(0x1234_5678_9000);

#[test]
fn kernels_of_modules() {
    let module = Module::new(NOTHING, 32);
    let mut kernel = ptr::null_mut();
    codes! {
        hipErrorInvalidValue: hipModuleGetFunction(&mut kernel, module.0, ptr::null());
        hipErrorInvalidValue: hipModuleGetFunction(&mut kernel, module.0, c"".as_ptr());
        hipErrorNotFound: hipModuleGetFunction(&mut kernel, module.0, c"unknown".as_ptr());
        hipSuccess: hipModuleGetFunction(&mut kernel, module.0, c"nothing".as_ptr());
    }
    assert!(!kernel.is_null());
}

#[test]
fn images() {
    use_wave(32);
    let whole = compile(NOTHING, &["--offload-arch=host-wave32"]);
    let mut cut = whole.clone();
    cut[whole.len() / 2..].fill(0);
    let mut module = ptr::null_mut();
    codes! {
        hipErrorInvalidImage: hipModuleLoadData(&mut module, [b'x'; 4096].as_ptr().cast());
        hipErrorInvalidImage: hipModuleLoadData(&mut module, cut.as_ptr().cast());
        hipSuccess: hipModuleLoadData(&mut module, whole.as_ptr().cast());
        hipSuccess: hipModuleUnload(module);
    }
}

/// That larger grids than can be run here are accepted is tested where they are checked.
#[test]
fn launches() {
    let module = Module::new(NOTHING, 32);
    let nothing = module.function("nothing");
    for (grid, block, shared_bytes, code) in [
        ([0, 1, 1], [1, 1, 1], 0, hipError_t::hipErrorInvalidValue),
        ([1, 1, 1], [0, 1, 1], 0, hipError_t::hipErrorInvalidValue),
        ([1, 1, 1], [1025, 1, 1], 0, hipError_t::hipErrorInvalidValue),
        ([1, 1, 1], [2048, 1, 1], 0, hipError_t::hipErrorInvalidValue),
        ([1, 1, 1], [1, 1, 1], 70_000, hipError_t::hipErrorInvalidValue),
        ([1, 1, 1], [1024, 1, 1], 65_536, hipError_t::hipSuccess),
        ([1, 65_536, 1], [1, 1, 1], 0, hipError_t::hipSuccess),
    ] {
        let found = try_launch(nothing, grid, block, shared_bytes, NULL, &mut []);
        assert_eq!(found, code, "{grid:?} {block:?} {shared_bytes}");
    }
    let of_null = try_launch(ptr::null_mut(), [1; 3], [1; 3], 0, NULL, &mut []);
    assert_eq!(of_null, hipError_t::hipErrorInvalidHandle);
    ok!(hipDeviceSynchronize());
}

/// On the device that no other test of this file uses.
#[test]
fn kernels_that_fault() {
    let module = Module::new("extern \"C\" __global__ void fault(int* x) { *x = 1; }", 64);
    let mut null = ptr::null_mut::<i32>();
    let mut arguments = [(&raw mut null).cast()];
    let launched = try_launch(module.function("fault"), [1; 3], [1; 3], 0, NULL, &mut arguments);
    assert_eq!(launched, hipError_t::hipSuccess);
    fails!(hipErrorIllegalAddress, hipDeviceSynchronize());
    drop(module);
    ok!(hipDeviceReset());
}

#[test]
fn allocations() {
    let mut address = WILD;
    ok!(hipMalloc(&mut address, 0));
    assert!(address.is_null());
    codes! {
        hipErrorOutOfMemory: hipMalloc(&mut address, 1 << 50);
        hipErrorOutOfMemory: hipMalloc(&mut address, usize::MAX);
        hipSuccess: hipMalloc(&mut address, 1000);
        hipSuccess: hipFree(address);
        hipSuccess: hipFree(ptr::null_mut());
        hipErrorInvalidValue: hipFree(WILD);
    }
}

#[test]
fn copies_and_fills() {
    let address = malloc(1024);
    let mut host = [0_u8; 2048];
    let host = host.as_mut_ptr().cast::<c_void>();
    codes! {
        hipErrorInvalidValue: hipMemcpy(address, host, 1025, H2D);
        hipErrorInvalidValue: hipMemcpy(host, address, 1025, D2H);
        hipErrorInvalidValue: hipMemset(address, 0, 1025);
        hipErrorInvalidMemcpyDirection: hipMemcpy(address, host, 16, hipMemcpyKind(77));
        hipErrorInvalidValue: hipMemcpy(ptr::null_mut(), host, 16, H2D);
        hipSuccess: hipMemcpy(ptr::null_mut(), ptr::null(), 0, H2D);
        hipSuccess: hipMemcpy(address, host, 1024, H2D);
        hipSuccess: hipMemset(address, 0, 1024);
        hipSuccess: hipFree(address);
    }
}

/// Registered twice, unregistered once: whether AMD's runtime counts is not known, so neither must a program.
#[test]
fn registered_twice() {
    let mut host = vec![0_u8; 4096];
    let address = host.as_mut_ptr().cast::<c_void>();
    codes! {
        hipSuccess: hipHostRegister(address, 4096, 0);
        hipSuccess: hipHostRegister(address, 4096, 0);
        hipSuccess: hipHostUnregister(address);
    }
}

#[test]
fn devices() {
    codes! {
        hipErrorInvalidDevice: hipSetDevice(99);
        hipErrorInvalidDevice: hipSetDevice(-1);
        hipSuccess: hipSetDevice(0);
    }
}

#[test]
fn events() {
    let (stream, first, second, mut elapsed) = (stream(0), event(), event(), 0.0);
    codes! {
        hipSuccess: hipEventQuery(first);
        hipSuccess: hipEventSynchronize(first);
        hipSuccess: hipStreamWaitEvent(stream, first, 0);
        hipErrorInvalidHandle: hipEventElapsedTime(&mut elapsed, first, second);
        hipSuccess: hipEventRecord(first, stream);
        hipErrorInvalidHandle: hipEventElapsedTime(&mut elapsed, first, second);
        hipSuccess: hipStreamSynchronize(stream);
    }
    std::thread::sleep(std::time::Duration::from_millis(2));
    codes! {
        hipSuccess: hipEventRecord(second, stream);
        hipSuccess: hipEventSynchronize(second);
        hipSuccess: hipEventElapsedTime(&mut elapsed, second, first);
        hipSuccess: hipEventDestroy(first);
        hipSuccess: hipEventDestroy(second);
        hipSuccess: hipStreamDestroy(stream);
    }
    assert!(elapsed <= -2.0, "{elapsed} ms");
}

#[test]
fn the_last_error() {
    let mut count = 0;
    codes! {
        hipErrorInvalidDevice: hipSetDevice(99);
        hipErrorInvalidValue: hipFree(WILD);
        hipSuccess: hipGetDeviceCount(&mut count);
        hipErrorInvalidValue: hipPeekAtLastError();
        hipErrorInvalidValue: hipGetLastError();
        hipSuccess: hipGetLastError();
    }
}

/// AMD's runtime frees the first, does the next two, and crashes in the last.
#[test]
fn stricter() {
    let address = malloc(1000);
    let mut host = [0_u8; 1024];
    let inside = address.wrapping_byte_add(8);
    let gone = stream(0);
    ok!(hipStreamDestroy(gone));
    codes! {
        hipErrorInvalidValue: hipFree(inside);
        hipErrorInvalidValue: hipMemcpy(host.as_mut_ptr().cast(), address, 1001, DEFAULT);
        hipErrorInvalidValue: hipMemcpy(address, host.as_ptr().cast(), 1001, DEFAULT);
        hipErrorContextIsDestroyed: hipStreamQuery(gone);
        hipSuccess: hipFree(address);
    }
}
