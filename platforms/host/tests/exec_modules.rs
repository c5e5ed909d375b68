//! Compiling, loading, unloading and launching: what is refused, and how.

mod exec_common;

use std::ffi::{CString, c_void};
use std::ptr;

use exec_common::*;

const EMPTY: &str = "extern \"C\" __global__ void nothing() {}";

fn try_load(code: &[u8]) -> hipError_t {
    let mut module = ptr::null_mut();
    let result = hip!(hipModuleLoadData(&mut module, code.as_ptr().cast()));
    assert_eq!(module.is_null(), result != hipError_t::hipSuccess);
    if result == hipError_t::hipSuccess {
        ok!(hipModuleUnload(module));
    }
    result
}

#[test]
fn logs_name_the_users_files_and_lines() {
    use_wave(32);
    let source =
        "#include \"lib/a.h\"\n\nextern \"C\" __global__ void k(int* x) {\n    x[0] = missing_name;\n}\n";
    let header = "#pragma once\n__device__ int broken() { return 1 }\n";
    for compiler in ["clang++-22", "g++"] {
        if !can_use(compiler, "compile errors") {
            continue;
        }
        let option = format!("--host-cxx={compiler}");
        let failed = compile_with("my kernel.hip", source, &[("lib/a.h", header)], &[&option]);
        assert_eq!(failed.result, hiprtcResult::HIPRTC_ERROR_COMPILATION);
        assert!(failed.log.contains("my kernel.hip:4:12: error: "), "{}", failed.log);
        assert!(failed.log.contains("lib/a.h:2:"), "{}", failed.log);
        assert!(failed.log.contains("missing_name"), "{}", failed.log);

        let failed = compile_with("pre.hip", "\n#error no way\n", &[], &[&option]);
        assert_eq!(failed.result, hiprtcResult::HIPRTC_ERROR_COMPILATION);
        assert!(failed.log.contains("pre.hip:2:2: error: "), "{}", failed.log);

        let failed = compile_with("i.hip", "#include \"absent.h\"\n", &[], &[&option]);
        assert!(
            failed.log.contains("i.hip:1:10: fatal error: ") && failed.log.contains("absent.h"),
            "{}",
            failed.log
        );

        let source =
            "__device__ int elsewhere(int);\nextern \"C\" __global__ void k(int* x) { x[0] = elsewhere(1); }";
        let failed = compile_with("undefined.hip", source, &[], &[&option]);
        if std::env::var_os("CANDLE_ROCM_HOST_SANITIZE").is_none() {
            assert_eq!(failed.result, hiprtcResult::HIPRTC_ERROR_COMPILATION);
            assert!(failed.log.contains("elsewhere"), "{}", failed.log);
        }

        let source = "extern \"C\" __global__ void k(char* x, int n) { char mine[20000]; for (int i = 0; i < n; i++) mine[i] = x[n - i]; \
                      for (int i = 0; i < n; i++) x[i] = mine[i]; }";
        let failed = compile_with("frame.hip", source, &[], &[&option]);
        if std::env::var_os("CANDLE_ROCM_HOST_SANITIZE").is_none() {
            assert_eq!(failed.result, hiprtcResult::HIPRTC_ERROR_COMPILATION);
            assert!(failed.log.contains("frame"), "{}", failed.log);
        }

        let warned = compile_with(
            "w.hip",
            "extern \"C\" __global__ void k(int x) { int unused; }",
            &[],
            &[&option, "-Wall"],
        );
        assert_eq!(warned.result, hiprtcResult::HIPRTC_SUCCESS);
        assert!(warned.log.contains("w.hip:1:"), "{}", warned.log);
    }
}

#[test]
fn options_and_programs_that_are_refused() {
    let refused = compile_with("x.hip", EMPTY, &[], &["--frobnicate"]);
    assert_eq!(refused.result, hiprtcResult::HIPRTC_ERROR_INVALID_OPTION);
    assert!(refused.log.contains("--frobnicate"), "{}", refused.log);
    let refused = compile_with("x.hip", EMPTY, &[], &["--offload-arch=gfx1100"]);
    assert_eq!(refused.result, hiprtcResult::HIPRTC_ERROR_INVALID_OPTION);
    assert!(refused.log.contains("host-wave32"), "{}", refused.log);
    let refused = compile_with("x.hip", EMPTY, &[], &["--host-cxx=/nowhere/c++"]);
    assert_eq!(refused.result, hiprtcResult::HIPRTC_ERROR_COMPILATION);
    assert!(refused.log.contains("/nowhere/c++") && refused.log.contains("apt install"), "{}", refused.log);

    let source = CString::new(EMPTY).unwrap();
    let text = CString::new("").unwrap();
    for name in ["../up.h", "/absolute.h", "", "folder/"] {
        let name = CString::new(name).unwrap();
        let mut program = ptr::null_mut();
        let created = rtc!(hiprtcCreateProgram(
            &mut program,
            source.as_ptr(),
            ptr::null(),
            1,
            [text.as_ptr()].as_mut_ptr(),
            [name.as_ptr()].as_mut_ptr(),
        ));
        assert_eq!(created, hiprtcResult::HIPRTC_ERROR_INVALID_INPUT, "{name:?}");
    }
    let mut program = ptr::null_mut();
    let none = ptr::null_mut();
    assert_eq!(
        rtc!(hiprtcCreateProgram(&mut program, ptr::null(), ptr::null(), 0, none, none)),
        hiprtcResult::HIPRTC_ERROR_INVALID_INPUT
    );
    assert_eq!(
        rtc!(hiprtcCreateProgram(&mut program, source.as_ptr(), ptr::null(), 0, none, none)),
        hiprtcResult::HIPRTC_SUCCESS
    );
    let mut size = 0;
    assert_eq!(rtc!(hiprtcGetCodeSize(program, &mut size)), hiprtcResult::HIPRTC_ERROR_INVALID_PROGRAM);
    assert_eq!(
        rtc!(hiprtcAddNameExpression(program, c"a<b>".as_ptr())),
        hiprtcResult::HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID
    );
    let mut gone = program;
    assert_eq!(rtc!(hiprtcDestroyProgram(&mut program)), hiprtcResult::HIPRTC_SUCCESS);
    assert!(program.is_null());
    assert_eq!(rtc!(hiprtcCompileProgram(gone, 0, none)), hiprtcResult::HIPRTC_ERROR_INVALID_PROGRAM);
    assert_eq!(rtc!(hiprtcDestroyProgram(&mut gone)), hiprtcResult::HIPRTC_ERROR_INVALID_PROGRAM);
    let text = rtc!(hiprtcGetErrorString(hiprtcResult::HIPRTC_ERROR_COMPILATION));
    // SAFETY: the platform's own string.
    assert_eq!(unsafe { std::ffi::CStr::from_ptr(text) }, c"HIPRTC_ERROR_COMPILATION");
    let (mut major, mut minor) = (0, 0);
    assert_eq!(rtc!(hiprtcVersion(&mut major, &mut minor)), hiprtcResult::HIPRTC_SUCCESS);
    assert!(major == 6 && minor > 0);
}

#[test]
fn bytes_that_are_no_module() {
    use_wave(32);
    let code = compile(EMPTY, &["--offload-arch=host-wave32"]);
    assert_eq!(try_load(&code), hipError_t::hipSuccess);
    for at in (0..200).chain((200..code.len()).step_by(997)) {
        let mut changed = code.clone();
        changed[at] ^= 1;
        assert_eq!(try_load(&changed), hipError_t::hipErrorInvalidImage, "byte {at}");
    }
    for bytes in [&[0u8; 64][..], b"\x7fELF\x02\x01\x01", b"CRHOST", &[0xff]] {
        assert_eq!(try_load(bytes), hipError_t::hipErrorInvalidImage);
    }
    let mut module = ptr::null_mut();
    assert_eq!(hip!(hipModuleLoadData(&mut module, ptr::null())), hipError_t::hipErrorInvalidValue);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("module.bin");
    let name = CString::new(path.to_str().unwrap()).unwrap();
    assert_eq!(hip!(hipModuleLoad(&mut module, name.as_ptr())), hipError_t::hipErrorFileNotFound);
    std::fs::write(&path, &code[..code.len() - 1]).unwrap();
    assert_eq!(hip!(hipModuleLoad(&mut module, name.as_ptr())), hipError_t::hipErrorInvalidImage);
    std::fs::write(&path, &code).unwrap();
    ok!(hipModuleLoad(&mut module, name.as_ptr()));
    drop(Module(module));
}

#[test]
fn modules_are_for_one_wavefront_size() {
    let code = compile(EMPTY, &["--offload-arch=host-wave64:some+"]);
    use_wave(32);
    assert_eq!(try_load(&code), hipError_t::hipErrorNoBinaryForGpu);
    assert!(candle_rocm_host::last_fault().is_some());
    use_wave(64);
    let module = Module::load(&code);
    let nothing = module.function("nothing");
    use_wave(32);
    let launched = try_launch(nothing, [1, 1, 1], [1, 1, 1], 0, ptr::null_mut(), &mut []);
    assert_eq!(launched, hipError_t::hipErrorNoBinaryForGpu);
}

#[test]
fn launches_that_are_refused() {
    let module = Module::new(
        "extern \"C\" __global__ void nothing() {}\nextern \"C\" __global__ void one(int* x) { *x = 5; }",
        32,
    );
    let nothing = module.function("nothing");
    let null = ptr::null_mut();
    let invalid = hipError_t::hipErrorInvalidValue;
    for (grid, block, shared) in [
        ([0, 1, 1], [1, 1, 1], 0),
        ([1, 0, 1], [1, 1, 1], 0),
        ([1, 1, 1], [1, 1, 0], 0),
        ([1, 1, 1], [1025, 1, 1], 0),
        ([1, 1, 1], [32, 33, 1], 0),
        ([1, 1, 1], [1, 1, 1], (64 << 10) + 1),
    ] {
        assert_eq!(
            try_launch(nothing, grid, block, shared, null, &mut []),
            invalid,
            "{grid:?} {block:?} {shared}"
        );
    }
    assert_eq!(try_launch(nothing, [1, 1, 1], [1024, 1, 1], 64 << 10, null, &mut []), hipError_t::hipSuccess);
    assert_eq!(try_launch(null.cast(), [1; 3], [1; 3], 0, null, &mut []), hipError_t::hipErrorInvalidHandle);
    let no_arguments = hip!(hipModuleLaunchKernel(
        module.function("one"),
        1,
        1,
        1,
        1,
        1,
        1,
        0,
        null.cast(),
        null.cast(),
        null.cast()
    ));
    assert_eq!(no_arguments, hipError_t::hipErrorInvalidValue);

    // Arguments as one buffer.
    let x = Buffer::<i32>::zeros(1);
    let mut packed = x.pointer;
    let mut size = size_of_val(&packed);
    let marker = |value: usize| ptr::without_provenance_mut::<c_void>(value);
    let mut extra = [marker(1), (&raw mut packed).cast(), marker(2), (&raw mut size).cast(), marker(3)];
    let one = module.function("one");
    ok!(hipModuleLaunchKernel(one, 1, 1, 1, 1, 1, 1, 0, null.cast(), null.cast(), extra.as_mut_ptr()));
    assert_eq!(x.read(), [5]);
    size = 4;
    let too_short =
        hip!(hipModuleLaunchKernel(one, 1, 1, 1, 1, 1, 1, 0, null.cast(), null.cast(), extra.as_mut_ptr()));
    assert_eq!(too_short, hipError_t::hipErrorInvalidValue);
    assert_eq!(size, 4);
}

#[test]
fn functions_of_unloaded_modules() {
    let module = Module::new(EMPTY, 32);
    let (handle, nothing) = (module.0, module.function("nothing"));
    assert_eq!(nothing, module.function("nothing"));
    drop(module);
    let null = ptr::null_mut();
    assert_eq!(try_launch(nothing, [1; 3], [1; 3], 0, null, &mut []), hipError_t::hipErrorInvalidHandle);
    assert_eq!(hip!(hipModuleUnload(handle)), hipError_t::hipErrorInvalidHandle);
    let mut function = ptr::null_mut();
    let found = hip!(hipModuleGetFunction(&mut function, handle, c"nothing".as_ptr()));
    assert_eq!(found, hipError_t::hipErrorInvalidHandle);
}

#[test]
fn queued_launches_outlive_their_module() {
    let source = r#"extern "C" __global__ void slow(unsigned* x, unsigned rounds) {
        unsigned v = x[blockIdx.x];
        for (unsigned i = 0; i < rounds; i++) v = v * 1664525u + 1013904223u;
        x[blockIdx.x] = v;
    }"#;
    let module = Module::new(source, 32);
    let slow = module.function("slow");
    let x = Buffer::<u32>::zeros(4);
    let (rounds, launches) = (1_000_000u32, 10);
    for _ in 0..launches {
        let mut arguments = [(&raw const x.pointer).cast_mut().cast(), (&raw const rounds).cast_mut().cast()];
        assert_eq!(
            try_launch(slow, [4, 1, 1], [1, 1, 1], 0, ptr::null_mut(), &mut arguments),
            hipError_t::hipSuccess
        );
    }
    drop(module);
    let expected =
        (0..rounds * launches).fold(0u32, |v, _| v.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    assert_eq!(x.read(), [expected; 4]);
}

#[test]
fn streams_run_side_by_side() {
    let source = r#"extern "C" __global__ void add(unsigned* x, unsigned n, unsigned by) {
        __shared__ unsigned all[64];
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            all[threadIdx.x] = x[i] + by;
            __syncthreads();
            x[i] = all[threadIdx.x];
        }
    }"#;
    for wave in [32, 64] {
        let module = Module::new(source, wave);
        let add = module.function("add");
        let n = 64 * 40u32;
        let mut streams = [ptr::null_mut(); 2];
        let buffers: Vec<Buffer<u32>> = streams.iter().map(|_| Buffer::zeros(n as usize)).collect();
        for stream in &mut streams {
            ok!(hipStreamCreate(stream));
        }
        for _ in 0..100 {
            for (index, stream) in streams.iter().enumerate() {
                let by = index as u32 + 1;
                let mut arguments = [
                    (&raw const buffers[index].pointer).cast_mut().cast(),
                    (&raw const n).cast_mut().cast(),
                    (&raw const by).cast_mut().cast(),
                ];
                assert_eq!(
                    try_launch(add, [10, 1, 1], [64, 1, 1], 0, *stream, &mut arguments),
                    hipError_t::hipSuccess
                );
            }
        }
        for (index, stream) in streams.iter().enumerate() {
            ok!(hipStreamSynchronize(*stream));
            assert_eq!(buffers[index].read(), vec![100 * (index as u32 + 1); n as usize]);
            ok!(hipStreamDestroy(*stream));
        }
    }
}

#[test]
fn attributes_and_occupancy() {
    let module = Module::new(EMPTY, 32);
    let nothing = module.function("nothing");
    let mut value = 0;
    let threads = hipFunction_attribute::HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
    ok!(hipFuncGetAttribute(&mut value, threads, nothing));
    assert_eq!(value, 1024);
    assert_eq!(
        hip!(hipFuncGetAttribute(&mut value, hipFunction_attribute(99), nothing)),
        hipError_t::hipErrorInvalidValue
    );
    // SAFETY: numbers only.
    let mut attributes = unsafe { std::mem::zeroed::<hipFuncAttributes>() };
    ok!(hipFuncGetAttributes(&mut attributes, nothing.cast()));
    assert_eq!(attributes.maxThreadsPerBlock, 1024);
    let shared = hipFuncAttribute::hipFuncAttributeMaxDynamicSharedMemorySize;
    ok!(hipFuncSetAttribute(nothing.cast(), shared, 65536));
    assert_eq!(hip!(hipFuncSetAttribute(nothing.cast(), shared, 65537)), hipError_t::hipErrorInvalidValue);
    let (mut grid, mut block) = (0, 0);
    ok!(hipModuleOccupancyMaxPotentialBlockSize(&mut grid, &mut block, nothing, 0, 0));
    assert!(grid > 0 && block == 256);
    ok!(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&mut value, nothing, 256, 32 << 10));
    assert_eq!(value, 2);
}

/// Compiling and loading are safe to call: no code of a source may run before a kernel is launched.
#[test]
fn static_constructors_are_refused() {
    use_wave(32);
    let kernel = "extern \"C\" __global__ void k(int* x) { x[0] = value(); }";
    let with_constructor =
        "struct A { int x; A() : x(clock()) {} int clock() { return *(volatile int*)this; } };";
    let cases = [
        (
            "a global object",
            format!("{with_constructor} A a; __device__ int value() {{ return a.x; }}"),
            "_GLOBAL__sub_I_",
        ),
        (
            "a constructor function",
            "volatile int seen; __attribute__((constructor)) static void early() { seen = 1; }\n\
             __device__ int value() { return seen; }"
                .to_owned(),
            "`_ZL5earlyv`",
        ),
        (
            "a destructor function",
            "volatile int seen; __attribute__((destructor)) static void late() { seen = 1; }\n\
             __device__ int value() { return seen; }"
                .to_owned(),
            "`_ZL4latev`",
        ),
        (
            "a destructor",
            "struct B { ~B() { *(volatile int*)this = 1; } int x = 0; }; B b;\n\
             __device__ int value() { return b.x; }"
                .to_owned(),
            "(`__cxa_atexit`)",
        ),
        (
            "an ifunc",
            "extern \"C\" int one() { return 1; } extern \"C\" void* choose() { return (void*)&one; }\n\
             extern \"C\" int chosen() __attribute__((ifunc(\"choose\"), visibility(\"hidden\")));\n\
             __device__ int value() { return chosen(); }"
                .to_owned(),
            "`chosen` (an ifunc)",
        ),
        (
            "the loader's own name",
            "volatile int seen; extern \"C\" __attribute__((used)) void _init() { seen = 1; }\n\
             __device__ int value() { return seen; }"
                .to_owned(),
            "`_init`",
        ),
    ];
    for compiler in ["clang++-22", "g++"] {
        if !can_use(compiler, "static constructors") {
            continue;
        }
        let option = format!("--host-cxx={compiler}");
        for (what, source, named) in &cases {
            let refused = compile_with("early.hip", &format!("{source}\n{kernel}\n"), &[], &[&option]);
            assert_eq!(refused.result, hiprtcResult::HIPRTC_ERROR_COMPILATION, "{compiler}, {what}");
            assert!(
                refused
                    .log
                    .contains("error: early.hip: static constructors and destructors are not supported"),
                "{compiler}, {what}: {}",
                refused.log
            );
            assert!(refused.log.contains(named), "{compiler}, {what}: {}", refused.log);
        }
        let constant = "struct C { int x; constexpr C(int x) : x(x) {} }; C c{7}; __device__ int value() { return c.x; }";
        let served = compile_with("constant.hip", &format!("{constant}\n{kernel}\n"), &[], &[&option]);
        assert_eq!(served.result, hiprtcResult::HIPRTC_SUCCESS, "{compiler}: {}", served.log);
        assert_eq!(try_load(&served.code), hipError_t::hipSuccess);
    }
}
