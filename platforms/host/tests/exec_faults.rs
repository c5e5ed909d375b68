//! Kernels that would crash a GPU: the device has a fault, and the process continues.
//!
//! A fault sticks to its device until that is reset, so the cases follow each other in one test.

mod exec_common;

use exec_common::*;

const SOURCE: &str = r#"
extern "C" __global__ void null_write(int* x) { x[threadIdx.x] = 1; }
extern "C" __global__ void divide(int* x) { x[0] = 10 / x[1]; }
__device__ __noinline__ int deep(int* x, int n) {
    volatile int here[200];
    here[n % 200] = n;
    return n > x[2] ? here[n % 200] : deep(x, n + 1) + here[(n + 7) % 200];
}
extern "C" __global__ void overflow(int* x) { x[0] = deep(x, 1); }
extern "C" __global__ void divergent(int* x) {
    if (threadIdx.x % 2) {
        __syncthreads();
    } else __syncthreads();
    x[0] = 1;
}
extern "C" __global__ void wave_and_barrier(int* x) {
    // Threads that wait for their wavefront and threads that wait for the block do not deadlock.
    if (threadIdx.x < 5) x[threadIdx.x] = __popcll(__ballot(1));
    __syncthreads();
    x[threadIdx.x % 8 + 8] = 3;
}
extern "C" __global__ void trap(int* x) { if (threadIdx.x == 3) __trap(); }
extern "C" __global__ void aborts(int* x) { abort(); }
extern "C" __global__ void checked(int* x) {
    assert(blockIdx.x < 2);
    __syncthreads();
}
extern "C" __global__ void fine(int* x) { __syncthreads(); atomicAdd(x, 1); }
"#;

#[test]
fn faults() {
    if std::env::var_os("CANDLE_ROCM_HOST_SANITIZE").is_some_and(|kind| kind != "schedule") {
        return; // there, the sanitizer reports, and the process ends
    }
    let module = {
        use_wave(32);
        let compiled = compile_with("faults.hip", SOURCE, &[], &["--offload-arch=host-wave32"]);
        assert_eq!(compiled.result, hiprtcResult::HIPRTC_SUCCESS, "{}", compiled.log);
        Module::load(&compiled.code)
    };
    let cases: &[(&str, [u32; 2], hipError_t, &[&str])] = &[
        (
            "null_write",
            [3, 64],
            hipError_t::hipErrorIllegalAddress,
            &["kernel null_write, block (", "access to address 0x"],
        ),
        (
            "divide",
            [1, 1],
            hipError_t::hipErrorLaunchFailure,
            &["kernel divide, block (0,0,0), thread (0,0,0)", "division by zero"],
        ),
        ("overflow", [1, 64], hipError_t::hipErrorLaunchFailure, &["kernel overflow", "stack overflow"]),
        (
            "divergent",
            [1, 64],
            hipError_t::hipErrorLaunchFailure,
            &["divergent barrier", "faults.hip:13", "faults.hip:12"],
        ),
        ("trap", [1, 64], hipError_t::hipErrorLaunchFailure, &["thread (3,0,0): faults.hip:22: trap"]),
        ("aborts", [1, 1], hipError_t::hipErrorLaunchFailure, &["faults.hip:23: abort"]),
        (
            "checked",
            [5, 100],
            hipError_t::hipErrorLaunchFailure,
            &["kernel checked, block (", "faults.hip:25: assertion failed: blockIdx.x < 2"],
        ),
    ];
    for &(name, [blocks, threads], code, words) in cases {
        let x = Buffer::new(&[0, 0, 1 << 30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        let pointer = if name == "null_write" { std::ptr::null_mut() } else { x.pointer };
        let mut arguments = [(&raw const pointer).cast_mut().cast()];
        let null = std::ptr::null_mut();
        let launched =
            try_launch(module.function(name), [blocks, 1, 1], [threads, 1, 1], 0, null, &mut arguments);
        assert_eq!(launched, hipError_t::hipSuccess, "{name}");
        assert_eq!(hip!(hipDeviceSynchronize()), code, "{name}: {:?}", candle_rocm_host::last_fault());
        let message = candle_rocm_host::last_fault().unwrap();
        for word in words {
            assert!(message.contains(word), "{name}: no `{word}` in `{message}`");
        }
        // The fault sticks.
        assert_eq!(hip!(hipDeviceSynchronize()), code, "{name}");
        std::mem::forget(x); // the reset frees it
        ok!(hipDeviceReset());
        let x = Buffer::<i32>::zeros(16);
        launch!(module.function("fine"), [9, 1, 1], [77, 1, 1], 0, x.pointer);
        assert_eq!(x.read()[0], 9 * 77, "after {name}");
        launch!(module.function("wave_and_barrier"), [1, 1, 1], [64, 1, 1], 0, x.pointer);
        assert_eq!(x.read()[..9], [5, 5, 5, 5, 5, 0, 0, 0, 3]);
    }
}
