//! hiprtc over NVRTC. It needs NVRTC, but no GPU.

mod common;

use common::{Compiled, compile, has_nvrtc, hiprtc};
use rocm_kernels::{Cache, Target};
use rocm_sys::hiprtc::hiprtcResult;

const ARCH: &str = "--offload-arch=sm_90";

#[test]
fn cubins_and_ptx() {
    if !has_nvrtc("compiling") {
        return;
    }
    let source = "#include <hip/hip_runtime.h>\n\
                  extern \"C\" __global__ void scale(float* x, float by) { x[threadIdx.x] *= by; }";
    let Compiled { code, .. } =
        compile(source, &[], &[ARCH, "-O3", "-std=c++17"]).unwrap_or_else(|e| panic!("{e:?}"));
    assert!(code.starts_with(b"\x7fELF"));
    let Compiled { code, .. } =
        compile(source, &[], &["--offload-arch=compute_90"]).unwrap_or_else(|e| panic!("{e:?}"));
    let text = String::from_utf8(code).unwrap();
    assert!(text.contains(".target sm_90") && text.ends_with('\0'));
}

#[test]
fn contraction_is_as_asked() {
    if !has_nvrtc("compiling") {
        return;
    }
    let source = "extern \"C\" __global__ void f(float* x) { x[0] = x[1] * x[2] + x[3]; }";
    for (option, fused) in [("-ffp-contract=off", false), ("-ffp-contract=fast", true)] {
        let compiled =
            compile(source, &[], &["--offload-arch=compute_90", option]).unwrap_or_else(|e| panic!("{e:?}"));
        let text = String::from_utf8(compiled.code).unwrap();
        assert_eq!(text.contains("fma.rn.f32"), fused, "{option}: {text}");
    }
}

#[test]
fn name_expressions() {
    if !has_nvrtc("compiling") {
        return;
    }
    let source = "template <class T> __global__ void fill(T* x, T value) { x[threadIdx.x] = value; }";
    let expressions = [c"fill<float>", c"fill<int>"];
    let compiled = compile(source, &expressions, &[ARCH]).unwrap_or_else(|e| panic!("{e:?}"));
    assert_ne!(compiled.names[0], compiled.names[1]);
    for name in &compiled.names {
        let name = name.to_bytes();
        assert!(
            compiled.code.windows(name.len()).any(|window| window == name),
            "{name:?} is not in the code"
        );
    }
}

#[test]
fn names_have_their_order() {
    let rtc = hiprtc();
    let mut program = std::ptr::null_mut();
    let mut name = std::ptr::null();
    let none = std::ptr::null_mut;
    // SAFETY: strings are C strings, out-parameters are valid.
    unsafe {
        let created =
            rtc.hiprtcCreateProgram(&mut program, c"".as_ptr(), std::ptr::null(), 0, none(), none());
        assert_eq!(created, Ok(hiprtcResult::HIPRTC_SUCCESS));
        assert_eq!(
            rtc.hiprtcGetLoweredName(program, c"x".as_ptr(), &mut name),
            Ok(hiprtcResult::HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION)
        );
        let _ = rtc.hiprtcCompileProgram(program, 0, none());
        assert_eq!(
            rtc.hiprtcAddNameExpression(program, c"x".as_ptr()),
            Ok(hiprtcResult::HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION)
        );
        assert_eq!(
            rtc.hiprtcGetLoweredName(program, c"x".as_ptr(), &mut name),
            Ok(hiprtcResult::HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
        );
        let mut again = program;
        assert_eq!(rtc.hiprtcDestroyProgram(&mut program), Ok(hiprtcResult::HIPRTC_SUCCESS));
        let mut size = 0;
        let gone = Ok(hiprtcResult::HIPRTC_ERROR_INVALID_PROGRAM);
        assert_eq!(rtc.hiprtcGetCodeSize(again, &mut size), gone);
        assert_eq!(rtc.hiprtcDestroyProgram(&mut again), gone);
    }
}

#[test]
fn mistakes_are_in_the_log() {
    if !has_nvrtc("compiling") {
        return;
    }
    let failed = |source: &str, options: &[&str]| compile(source, &[], options).err().unwrap();
    let (status, log) = failed("extern \"C\" __global__ void f() { undeclared(); }", &[ARCH]);
    assert_eq!(status, hiprtcResult::HIPRTC_ERROR_COMPILATION);
    assert!(log.contains("test.hip(1)") && log.contains("undeclared"), "{log}");

    let (status, log) = failed("", &["--offload-arch=gfx1100"]);
    assert_eq!(status, hiprtcResult::HIPRTC_ERROR_INVALID_OPTION);
    assert!(log.contains("gfx1100"), "{log}");

    let (status, _) = failed("", &[ARCH, "--frobnicate"]);
    assert_eq!(status, hiprtcResult::HIPRTC_ERROR_INVALID_OPTION);
}

/// A missing compiler is a failed compilation that says what to install, never a missing function.
#[test]
fn a_missing_compiler_is_explained() {
    match compile("", &[], &[ARCH]) {
        Ok(_) => common::has("NVRTC"),
        Err((status, log)) => {
            assert_eq!(status, hiprtcResult::HIPRTC_ERROR_COMPILATION);
            assert!(log.contains("pip install nvidia-cuda-nvrtc"), "{log}");
        }
    }
}

/// Every kernel of candle-rocm compiles for NVIDIA cards.
#[test]
fn candle_rocms_kernels() {
    if !has_nvrtc("compiling candle-rocm's kernels") {
        return;
    }
    let target = Target::new("sm_90", 32);
    for module in rocm_kernels::ALL {
        // Minutes for all of them, so what is cached counts.
        let compiled = rocm_kernels::code_object(module, &target, Some(&hiprtc()), &Cache::user());
        let code = compiled.unwrap_or_else(|error| panic!("{}: {error}", module.name));
        assert!(code.starts_with(b"\x7fELF"), "{}", module.name);
    }
}
