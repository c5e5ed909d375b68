//! The checkers find planted bugs, report file and line, and find nothing in correct kernels.
//!
//! Each case runs in a process of its own, with the environment that its checker needs.

mod exec_common;

use std::process::{Command, Output};

use exec_common::*;

const SCENE: &str = "CANDLE_ROCM_HOST_TEST_SCENE";

/// Runs a case in a process of its own; `None` if its checker is not available here.
fn play(sanitizer: Option<&str>, scene: &str, variables: &[(&str, &str)]) -> Option<(Output, String)> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["scene", "--exact", "--nocapture", "--test-threads=1"])
        .env(SCENE, scene)
        .env_remove("LD_PRELOAD");
    command.env_remove("CANDLE_ROCM_HOST_SANITIZE").env("RUST_BACKTRACE", "0");
    if let Some(kind) = sanitizer {
        match candle_rocm_host::sanitizer_environment(kind) {
            Ok(environment) => command.envs(environment),
            Err(why) => {
                skipped(&format!("{kind} sanitizer, {scene}"), &why);
                return None;
            }
        };
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Some((output, text))
}

/// The bug must be reported with this text, and the process must fail.
#[track_caller]
fn reports(sanitizer: Option<&str>, scene: &str, words: &[&str]) {
    let Some((output, text)) = play(sanitizer, scene, &[]) else { return };
    assert!(!output.status.success(), "{scene}: nothing was found\n{text}");
    for word in words {
        assert!(text.contains(word), "{scene}: no `{word}` in\n{text}");
    }
}

/// Nothing must be reported.
#[track_caller]
fn is_content(sanitizer: &str, scene: &str) {
    let Some((output, text)) = play(Some(sanitizer), scene, &[]) else { return };
    assert!(
        output.status.success() && !text.contains("WARNING") && !text.contains("ERROR"),
        "{scene}:\n{text}"
    );
}

/// The line of a mark in the kernels below, as reports name it.
fn line(mark: &str) -> String {
    let index = KERNELS.lines().position(|line| line.contains(mark)).unwrap();
    format!("planted.hip:{}", index + 1)
}

const KERNELS: &str = r#"
extern "C" __global__ void global_write(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) x[i] = i;  // mark: global
}
extern "C" __global__ void global_read(float* x, int n) {
    float sum = 0;
    for (int i = -1; i < n; i++) sum += x[i];  // mark: before
    x[0] = sum;
}
extern "C" __global__ void static_shared(float* x, int n) {
    __shared__ float tile[64];
    tile[threadIdx.x + n] = threadIdx.x;  // mark: static
    __syncthreads();
    x[threadIdx.x] = tile[threadIdx.x];
}
template <int SIZE>
__device__ void in_a_template(float* x, int n) {
    __shared__ float tile[SIZE];
    tile[threadIdx.x + n] = threadIdx.x;  // mark: template
    __syncthreads();
    x[threadIdx.x] = tile[threadIdx.x];
}
extern "C" __global__ void template_shared(float* x, int n) { in_a_template<64>(x, n); }
extern "C" __global__ void dynamic_shared(float* x, int n) {
    extern __shared__ float buffer[];
    buffer[threadIdx.x + n] = threadIdx.x;  // mark: dynamic
    __syncthreads();
    x[threadIdx.x] = buffer[threadIdx.x];
}
extern "C" __global__ void local_array(float* x, int n) {
    float mine[4];
    for (int i = 0; i < 4 + n; i++) mine[i] = i + threadIdx.x;  // mark: local
    __syncthreads();
    x[threadIdx.x] = mine[threadIdx.x % 4];
}
extern "C" __global__ void missing_barrier(float* x, int n) {
    __shared__ float tile[256];
    tile[threadIdx.x] = threadIdx.x;  // mark: write
    if (n == 0) __syncthreads();
    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];  // mark: read
}
extern "C" __global__ void missing_second_barrier(float* x, int n) {
    extern __shared__ float tile[];
    for (int i = 0; i < 3; i++) {
        tile[threadIdx.x] = i * 1000 + threadIdx.x;  // mark: again
        __syncthreads();
        x[threadIdx.x] += tile[blockDim.x - 1 - threadIdx.x];  // mark: late
        if (n == 0) __syncthreads();
    }
}
extern "C" __global__ void missing_wave_sync(float* x, int n) {
    __shared__ float tile[32];
    tile[threadIdx.x] = threadIdx.x;  // mark: lane
    if (n == 0) __syncwarp();
    x[threadIdx.x] = tile[31 - threadIdx.x];
}
extern "C" __global__ void block_race(float* x, int n) {
    if (threadIdx.x == 0) x[n == 0 ? blockIdx.x : 0] += 1;  // mark: blocks
}
extern "C" __global__ void divergent(float* x, int n) {
    if (threadIdx.x < n) {
        __syncthreads();  // mark: here
    } else {
        x[threadIdx.x] = 1;
        __syncthreads();  // mark: there
    }
}
extern "C" __global__ void fill(float* x, int n) {
    x[blockIdx.x * blockDim.x + threadIdx.x] = n;  // mark: fill
}
extern "C" __global__ void sum(float* x, int n) {
    float sum = 0;
    for (int i = 0; i < 64; i++) sum += x[i];  // mark: sum
    x[64 + threadIdx.x % 32] = sum;
}
extern "C" __global__ void asserts(float* x, int n) {
    assert(threadIdx.x < 7);  // mark: assert
    x[threadIdx.x] = n;
}

// Correct: everything that orders threads.
extern "C" __global__ void right(float* x, unsigned* counter, float* out, int n) {
    __shared__ float partial[8];
    __shared__ bool last;
    extern __shared__ float all[];
    all[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    float sum = all[blockDim.x - 1 - threadIdx.x];
    for (int d = warpSize / 2; d > 0; d /= 2) sum += __shfl_down(sum, d);
    if (__lane_id() == 0) partial[threadIdx.x / warpSize] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        for (int i = 0; i < blockDim.x / warpSize; i++) sum += partial[i];
        out[1 + blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(counter, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        sum = 0;
        for (int i = 0; i < gridDim.x; i++) sum += out[1 + i];
        out[0] = sum;
        *counter = 0;
    }
}
"#;

const LEN: usize = 100;

/// Runs the case that the environment asks for, if any.
#[test]
fn scene() {
    let Ok(scene) = std::env::var(SCENE) else { return };
    use_wave(32);
    let options = ["--offload-arch=host-wave32"];
    let compiled = compile_with("planted.hip", KERNELS, &[], &options);
    assert_eq!(compiled.result, hiprtcResult::HIPRTC_SUCCESS, "{}", compiled.log);
    let module = Module::load(&compiled.code);
    if scene.starts_with("streams") {
        return streams(&scene, &module);
    }
    if scene == "right" {
        let (blocks, threads) = (9u32, 128u32);
        let values: Vec<f32> = (0..blocks * threads).map(|i| (i % 10) as f32).collect();
        let (x, counter, out) = (Buffer::new(&values), Buffer::<u32>::zeros(1), Buffer::<f32>::zeros(LEN));
        for _ in 0..5 {
            launch!(
                module.function("right"),
                [blocks, 1, 1],
                [threads, 1, 1],
                threads * 4,
                x.pointer,
                counter.pointer,
                out.pointer,
                0i32
            );
            assert_eq!(out.read()[0], values.iter().sum::<f32>());
        }
        return;
    }
    let x = Buffer::<f32>::zeros(LEN);
    let (kernel, grid, threads, shared, n) = match scene.as_str() {
        "global_write" => ("global_write", 2u32, 64u32, 0u32, LEN as i32),
        "global_read" => ("global_read", 1, 1, 0, 10),
        "static_shared" | "template_shared" | "local_array" => (scene.as_str(), 1, 64, 0, 1),
        "dynamic_shared" => ("dynamic_shared", 1, 64, 256, 1),
        "missing_barrier" | "missing_second_barrier" => (scene.as_str(), 1, 96, 96 * 4, 1),
        "missing_wave_sync" => ("missing_wave_sync", 1, 32, 0, 1),
        "block_race" => ("block_race", 3, 64, 0, 1),
        "barriers" => ("missing_barrier", 1, 96, 0, 0),
        "second_barriers" => ("missing_second_barrier", 1, 96, 96 * 4, 0),
        "wave_sync" => ("missing_wave_sync", 1, 32, 0, 0),
        "no_block_race" => ("block_race", 3, 64, 0, 0),
        "divergent" => ("divergent", 1, 64, 0, 10),
        "asserts" => ("asserts", 1, 64, 0, 10),
        other => panic!("no scene {other}"),
    };
    let mut arguments = [(&raw const x.pointer).cast_mut().cast(), (&raw const n).cast_mut().cast()];
    let function = module.function(kernel);
    let launched =
        try_launch(function, [grid, 1, 1], [threads, 1, 1], shared, std::ptr::null_mut(), &mut arguments);
    assert_eq!(launched, hipError_t::hipSuccess);
    if hip!(hipDeviceSynchronize()) != hipError_t::hipSuccess {
        eprintln!("fault: {:?}", candle_rocm_host::last_fault());
        std::process::exit(1);
    }
    // With a random schedule, a missing barrier gives wrong results.
    if scene.contains("barrier") || scene.contains("wave") {
        let value = |i: u32| if scene.contains("second") { 3000 + 3 * i } else { i };
        let expected: Vec<f32> = (0..threads).rev().map(|i| value(i) as f32).collect();
        let found = x.read();
        if found[..threads as usize] != expected {
            eprintln!("wrong numbers from {kernel}");
            std::process::exit(1);
        }
    }
}

/// What two streams do with one buffer, in order or not.
fn streams(scene: &str, module: &Module) {
    const NON_BLOCKING: u32 = 1;
    let create = || {
        let mut stream: hipStream_t = std::ptr::null_mut();
        assert_eq!(hip!(hipStreamCreateWithFlags(&mut stream, NON_BLOCKING)), hipError_t::hipSuccess);
        stream
    };
    let (one, other) = (create(), create());
    let launch = |stream, kernel, buffer: &Buffer<f32>, n: i32| {
        let mut arguments = [(&raw const buffer.pointer).cast_mut().cast(), (&raw const n).cast_mut().cast()];
        let launched = try_launch(module.function(kernel), [1, 1, 1], [32, 1, 1], 0, stream, &mut arguments);
        assert_eq!(launched, hipError_t::hipSuccess);
    };
    let copy = |stream, to: &Buffer<f32>, from: &Buffer<f32>| {
        let kind = hipMemcpyKind::hipMemcpyDeviceToDevice;
        let code = hip!(hipMemcpyAsync(to.pointer.cast(), from.pointer.cast(), LEN * 4, kind, stream));
        assert_eq!(code, hipError_t::hipSuccess);
    };
    let clear = |stream, buffer: &Buffer<f32>| {
        assert_eq!(hip!(hipMemsetAsync(buffer.pointer.cast(), 0, LEN * 4, stream)), hipError_t::hipSuccess);
    };
    let wait = |waiting, stream| {
        let mut event = std::ptr::null_mut();
        assert_eq!(hip!(hipEventCreateWithFlags(&mut event, 2)), hipError_t::hipSuccess);
        assert_eq!(hip!(hipEventRecord(event, stream)), hipError_t::hipSuccess);
        assert_eq!(hip!(hipStreamWaitEvent(waiting, event, 0)), hipError_t::hipSuccess);
        assert_eq!(hip!(hipEventDestroy(event)), hipError_t::hipSuccess);
    };
    let synchronize = |stream| assert_eq!(hip!(hipStreamSynchronize(stream)), hipError_t::hipSuccess);
    let (x, y) = (Buffer::<f32>::zeros(LEN), Buffer::<f32>::zeros(LEN));
    launch(one, "fill", &x, 1);
    match scene {
        "streams: copy, then kernel" => {
            wait(other, one);
            copy(other, &y, &x);
            // By chance in order, which is none.
            while hip!(hipStreamQuery(one)) != hipError_t::hipSuccess {}
            std::thread::sleep(std::time::Duration::from_millis(50));
            launch(one, "fill", &x, 2);
        }
        "streams: copy, then fill" => {
            wait(other, one);
            copy(other, &y, &x);
            clear(one, &x);
        }
        "streams: kernel, then copy" => copy(other, &y, &x),
        "streams: kernel, then kernel" => launch(other, "sum", &x, 0),
        "streams: wait for what was there" => {
            unsafe extern "C" fn sleep(_: *mut std::ffi::c_void) {
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
            // The event is older than the second kernel, though that is done when the other stream comes to it.
            assert_eq!(
                hip!(hipLaunchHostFunc(other, Some(sleep), std::ptr::null_mut())),
                hipError_t::hipSuccess
            );
            wait(other, one);
            launch(one, "fill", &x, 2);
            copy(other, &y, &x);
        }
        "streams in order" => {
            wait(other, one);
            copy(other, &y, &x);
            launch(other, "sum", &x, 0);
            wait(one, other);
            launch(one, "fill", &x, 2);
            clear(one, &y);
            // By what the host waits for, in any of its threads.
            synchronize(one);
            let (stream, memory) = (other as usize, y.pointer as usize);
            let elsewhere = move || {
                let (stream, memory) = (stream as hipStream_t, memory as *mut std::ffi::c_void);
                assert_eq!(hip!(hipMemsetAsync(memory, 1, LEN * 4, stream)), hipError_t::hipSuccess);
            };
            std::thread::spawn(elsewhere).join().unwrap();
            while hip!(hipStreamQuery(other)) != hipError_t::hipSuccess {}
            clear(one, &y);
            // By a memory that has come back.
            drop(y);
            let y = Buffer::<f32>::zeros(LEN);
            launch(other, "fill", &y, 4);
            synchronize(other);
            // By the null stream.
            let mut blocking: hipStream_t = std::ptr::null_mut();
            assert_eq!(hip!(hipStreamCreate(&mut blocking)), hipError_t::hipSuccess);
            clear(blocking, &y);
            launch(std::ptr::null_mut(), "fill", &y, 5);
            clear(blocking, &y);
            synchronize(blocking);
        }
        other => panic!("no scene {other}"),
    }
    assert_eq!(hip!(hipDeviceSynchronize()), hipError_t::hipSuccess);
}

#[test]
fn races_between_streams() {
    let report = "WARNING: ThreadSanitizer: data race";
    let (fill, sum) = (line("mark: fill"), line("mark: sum"));
    let stream = "a stream of device 0";
    reports(Some("thread"), "streams: copy, then kernel", &[report, &fill, stream]);
    reports(Some("thread"), "streams: copy, then fill", &[report, stream]);
    reports(Some("thread"), "streams: kernel, then copy", &[report, &fill, stream]);
    reports(Some("thread"), "streams: kernel, then kernel", &[report, &fill, &sum]);
    reports(Some("thread"), "streams: wait for what was there", &[report, &fill, stream]);
    is_content("thread", "streams in order");
}

#[test]
fn out_of_bounds_in_global_memory() {
    let here = line("mark: global");
    reports(
        Some("address"),
        "global_write",
        &[
            "AddressSanitizer",
            "WRITE of size 4",
            &here,
            "kernel global_write, block (1,0,0), thread (36,0,0)",
        ],
    );
    reports(Some("address"), "global_read", &["AddressSanitizer", "READ of size 4", &line("mark: before")]);
}

#[test]
fn out_of_bounds_in_shared_memory() {
    for (scene, mark) in [
        ("static_shared", "mark: static"),
        ("template_shared", "mark: template"),
        ("dynamic_shared", "mark: dynamic"),
        ("local_array", "mark: local"),
    ] {
        reports(
            Some("address"),
            scene,
            &["AddressSanitizer", "WRITE of size 4", &line(mark), &format!("kernel {scene}")],
        );
    }
}

#[test]
fn missing_barriers_are_races() {
    let report = "WARNING: ThreadSanitizer: data race";
    reports(Some("thread"), "missing_barrier", &[report, &line("mark: write"), &line("mark: read")]);
    reports(Some("thread"), "missing_second_barrier", &[report, &line("mark: again"), &line("mark: late")]);
    reports(Some("thread"), "missing_wave_sync", &[report, &line("mark: lane")]);
}

#[test]
fn races_between_blocks() {
    let report = "WARNING: ThreadSanitizer: data race";
    reports(
        Some("thread"),
        "block_race",
        &[report, &line("mark: blocks"), "block_race block (1,0,0) thread (0,0,0)"],
    );
}

#[test]
fn missing_barriers_show_in_random_schedules() {
    // Whatever the seed: garbage in shared memory is found by some thread.
    for seed in ["1", "2", "3"] {
        for scene in ["missing_barrier", "missing_second_barrier", "missing_wave_sync"] {
            let Some((output, text)) = play(Some("schedule"), scene, &[("CANDLE_ROCM_HOST_SEED", seed)])
            else {
                return;
            };
            assert!(!output.status.success(), "seed {seed}, {scene}:\n{text}");
            assert!(text.contains(&format!("CANDLE_ROCM_HOST_SEED={seed} repeats it")), "{text}");
            assert!(text.contains("wrong numbers from"), "{text}");
        }
    }
}

#[test]
fn divergent_barriers_are_errors_always() {
    let (here, there) = (line("mark: here"), line("mark: there"));
    for sanitizer in [None, Some("address"), Some("thread"), Some("schedule")] {
        reports(
            sanitizer,
            "divergent",
            &["kernel divergent, block (0,0,0): divergent barrier", &here, &there],
        );
    }
}

#[test]
fn assertions_are_errors_always() {
    let here = format!("{}: assertion failed: threadIdx.x < 7", line("mark: assert"));
    for sanitizer in [None, Some("address"), Some("thread"), Some("schedule")] {
        reports(sanitizer, "asserts", &["kernel asserts, block (0,0,0), thread (", &here]);
    }
}

#[test]
fn right_kernels_are_not_reported() {
    for sanitizer in ["address", "thread", "schedule"] {
        for scene in ["right", "barriers", "second_barriers", "wave_sync", "no_block_race"] {
            is_content(sanitizer, scene);
        }
    }
}

#[test]
fn a_process_without_the_library_says_so() {
    for kind in ["address", "thread"] {
        if candle_rocm_host::sanitizer_environment(kind).is_err() {
            continue;
        }
        let variables = [("CANDLE_ROCM_HOST_SANITIZE", kind)];
        let Some((output, text)) = play(None, "right", &variables) else { return };
        assert!(!output.status.success());
        assert!(text.contains(&format!("cargo xtask test --sanitize {kind}")), "{text}");
        // Not "no binary for the GPU".
        assert!(text.contains(&format!("left: {:?}", hipError_t::hipErrorSharedObjectInitFailed)), "{text}");
    }
    let Some((_, text)) = play(None, "right", &[("CANDLE_ROCM_HOST_SANITIZE", "nonsense")]) else { return };
    assert!(text.contains("use `address`, `thread` or `schedule`"), "{text}");
}
