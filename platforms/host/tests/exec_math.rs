//! Arithmetic: half precision rounds after every operation, nothing is contracted, and all compilers agree.

mod exec_common;

use exec_common::*;

const SOURCE: &str = r#"
    extern "C" __global__ void half_chain(const _Float16* x, _Float16* out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = x[i] * (_Float16)1.001f + (_Float16)0.3f - x[i];
    }
    extern "C" __global__ void no_contraction(const float* x, float* out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = x[i] * x[i] - 1.0f;
    }
    extern "C" __global__ void fused(const float* x, float* out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = fmaf(x[i], x[i], -1.0f);
    }
    extern "C" __global__ void functions(const float* x, float* out) {
        float v = x[0];
        float values[] = {
            expf(v), __expf(v), exp(v), sqrtf(v), rsqrtf(v), tanhf(v), erff(v), floorf(v), fabsf(-v), powf(v, 2.0f), max(v, 2.0f),
            min(v, 2.0f), (float)max(3, 4), (float)__popc(0xf0u), (float)__clz(1), (float)__ffs(8), (float)__brev(1u),
            __uint_as_float(0x3f800000u), (float)__float_as_int(1.0f), (float)isnan(v / 0.0f - v / 0.0f), (float)isinf(v / 0.0f),
            (float)__byte_perm(0x33221100u, 0x77665544u, 0x7041u), (float)__mulhi(1 << 30, 8), (float)__umul24(5, 6), roundf(-2.5f),
            rintf(2.5f), fmodf(7.5f, 2.0f), copysignf(3.0f, -1.0f), log2f(8.0f), (float)(double)sqrt(2.25), cospif_like(1.0f),
        };
        for (unsigned i = 0; i < sizeof(values) / 4; i++) out[i] = values[i];
    }
    extern "C" __global__ void vectors(const float4* x, float4* out) {
        float4 v = x[threadIdx.x];
        out[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);
    }
"#;

fn source() -> String {
    SOURCE.replace("cospif_like(1.0f)", "cosf(0.0f)")
}

const COMPILERS: [&str; 2] = ["clang++-22", "g++"];

fn modules(what: &str) -> Vec<Module> {
    COMPILERS
        .iter()
        .filter(|compiler| can_use(compiler, what))
        .map(|compiler| Module::with(&source(), 32, &[&format!("--host-cxx={compiler}")]))
        .collect()
}

/// Rounds to the nearest half, ties to even, by definition: 10 bits after the leading one.
fn to_half(x: f64) -> f64 {
    if x == 0.0 {
        return x;
    }
    let exponent = x.abs().log2().floor().max(-14.0) as i32;
    let unit = 2f64.powi(exponent - 10);
    (x / unit).round_ties_even() * unit
}

fn half_bits(x: f64) -> u16 {
    let magnitude = x.abs();
    let sign = u16::from(x.is_sign_negative()) << 15;
    let exponent = magnitude.log2().floor();
    let bits = if magnitude < 2f64.powi(-14) {
        (magnitude * 2f64.powi(24)) as u16
    } else {
        ((exponent as i32 + 15) as u16) << 10 | ((magnitude / exponent.exp2() - 1.0) * 1024.0) as u16
    };
    sign | bits
}

#[test]
fn half_precision_rounds_after_every_operation() {
    let inputs: Vec<f64> =
        (1..2000).map(|i| to_half(f64::from(i) * 0.0137 - 9.0)).filter(|x| *x != 0.0).collect();
    let bits: Vec<u16> = inputs.iter().map(|&x| half_bits(x)).collect();
    let (a, b) = (to_half(f64::from(1.001f32)), to_half(f64::from(0.3f32)));
    let expected: Vec<u16> =
        inputs.iter().map(|&x| half_bits(to_half(to_half(to_half(x * a) + b) - x))).collect();
    for module in modules("half precision") {
        let (x, out) = (Buffer::new(&bits), Buffer::<u16>::zeros(bits.len()));
        let n = bits.len() as i32;
        launch!(module.function("half_chain"), [10, 1, 1], [256, 1, 1], 0, x.pointer, out.pointer, n);
        assert_eq!(out.read(), expected);
    }
}

#[test]
fn multiplication_and_addition_stay_apart() {
    let inputs: Vec<f32> = (0..1000).map(|i| 1.0 + i as f32 * 1.1920929e-7).collect();
    for module in modules("contraction") {
        let (x, out) = (Buffer::new(&inputs), Buffer::<f32>::zeros(inputs.len()));
        let n = inputs.len() as i32;
        launch!(module.function("no_contraction"), [4, 1, 1], [256, 1, 1], 0, x.pointer, out.pointer, n);
        assert_eq!(out.read(), inputs.iter().map(|x| x * x - 1.0).collect::<Vec<f32>>());
        launch!(module.function("fused"), [4, 1, 1], [256, 1, 1], 0, x.pointer, out.pointer, n);
        assert_eq!(out.read(), inputs.iter().map(|x| x.mul_add(*x, -1.0)).collect::<Vec<f32>>());
    }
}

#[test]
fn functions_by_their_names() {
    let v = 2.25f32;
    let expected = [
        v.exp(),
        v.exp(),
        v.exp(),
        1.5,
        1.0 / 1.5,
        v.tanh(),
        0.998_537_3,
        2.0,
        2.25,
        5.0625,
        2.25,
        2.0,
        4.0,
        4.0,
        31.0,
        4.0,
        2_147_483_648.0,
        1.0,
        1_065_353_216.0,
        1.0,
        1.0,
        0x7700_4411u32 as f32,
        2.0,
        30.0,
        -3.0,
        2.0,
        1.5,
        -3.0,
        3.0,
        1.5,
        1.0,
    ];
    for module in modules("mathematics") {
        let (x, out) = (Buffer::new(&[v]), Buffer::<f32>::zeros(expected.len()));
        launch!(module.function("functions"), [1, 1, 1], [1, 1, 1], 0, x.pointer, out.pointer);
        for (index, (found, expected)) in out.read().iter().zip(expected).enumerate() {
            assert!(
                (found - expected).abs() <= expected.abs() * 1e-6,
                "{index}: {found} instead of {expected}"
            );
        }
        let input: Vec<f32> = (0..16).map(|i| i as f32).collect();
        let (x, out) = (Buffer::new(&input), Buffer::<f32>::zeros(16));
        launch!(module.function("vectors"), [1, 1, 1], [4, 1, 1], 0, x.pointer, out.pointer);
        let expected: Vec<f32> = input.chunks(4).flat_map(|v| v.iter().rev().copied()).collect();
        assert_eq!(out.read(), expected);
    }
}

#[test]
fn headers_of_c_do_not_clash() {
    use_wave(32);
    let source = r#"
        #include <hip/hip_runtime.h>
        #include <stdint.h>
        #include <stddef.h>
        #include <math.h>
        #include <cmath>
        #include <float.h>
        #include <limits.h>
        #include <stdio.h>
        #include <string.h>
        #include <assert.h>
        extern "C" __global__ void k(float* x, uint64_t n) { x[0] = __expf((float)n) + FLT_MIN * 0; }
    "#;
    for compiler in COMPILERS {
        if can_use(compiler, "headers of C") {
            let compiled = compile_with("c.hip", source, &[], &[&format!("--host-cxx={compiler}")]);
            assert_eq!(compiled.result, hiprtcResult::HIPRTC_SUCCESS, "{}", compiled.log);
            assert_eq!(compiled.log, "");
        }
    }
}
