//! Kernels: what they compute, on both wavefront sizes.

mod exec_common;

use exec_common::*;

const WAVES: [u32; 2] = [32, 64];

#[test]
fn saxpy() {
    let source = r#"
        extern "C" __global__ void saxpy(float a, const float* x, float* y, size_t n) {
            size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) y[i] = a * x[i] + y[i];
        }"#;
    for wave in WAVES {
        let module = Module::new(source, wave);
        for n in [0usize, 1, 63, 257, 100_003] {
            let x: Vec<f32> = (0..n).map(|i| i as f32 * 0.25).collect();
            let y: Vec<f32> = (0..n).map(|i| 7.0 - i as f32).collect();
            let (dx, dy) = (Buffer::new(&x), Buffer::new(&y));
            let grid = n.div_ceil(256).max(1) as u32;
            launch!(
                module.function("saxpy"),
                [grid, 1, 1],
                [256, 1, 1],
                0,
                2.5f32,
                dx.pointer,
                dy.pointer,
                n
            );
            let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 2.5 * x + y).collect();
            assert_eq!(dy.read(), expected, "{n} elements");
        }
    }
}

#[test]
fn transpose_through_shared_memory() {
    let source = r#"
        template <int TILE>
        __device__ void transpose_tile(const unsigned* in, unsigned* out, int rows, int cols) {
            __shared__ unsigned tile[TILE][TILE + 1];
            int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
            if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
            __syncthreads();
            x = blockIdx.y * TILE + threadIdx.x;
            y = blockIdx.x * TILE + threadIdx.y;
            if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
        }
        extern "C" __global__ void transpose16(const unsigned* in, unsigned* out, int rows, int cols) {
            transpose_tile<16>(in, out, rows, cols);
        }
        extern "C" __global__ void transpose32(const unsigned* in, unsigned* out, int rows, int cols) {
            transpose_tile<32>(in, out, rows, cols);
        }"#;
    for compiler in ["clang++-22", "g++"] {
        if !can_use(compiler, "transpose") {
            continue;
        }
        let option = format!("--host-cxx={compiler}");
        let module = Module::with(source, 32, &[option.as_str()]);
        let (rows, cols) = (97i32, 201i32);
        let input: Vec<u32> = (0..(rows * cols) as u32).collect();
        let device = Buffer::new(&input);
        for tile in [16u32, 32] {
            let out = Buffer::<u32>::zeros(input.len());
            let grid = [(cols as u32).div_ceil(tile), (rows as u32).div_ceil(tile), 1];
            let name = format!("transpose{tile}");
            launch!(
                module.function(&name),
                grid,
                [tile, tile, 1],
                0,
                device.pointer,
                out.pointer,
                rows,
                cols
            );
            let out = out.read();
            for y in 0..rows as usize {
                for x in 0..cols as usize {
                    assert_eq!(out[x * rows as usize + y], input[y * cols as usize + x]);
                }
            }
        }
    }
}

#[test]
fn block_reduction_with_dynamic_shared_memory() {
    let source = r#"
        extern "C" __global__ void sum(const float* x, float* out, int n) {
            extern __shared__ float partial[];
            float value = 0;
            for (int i = threadIdx.x; i < n; i += blockDim.x) value += x[(size_t)blockIdx.x * n + i];
            partial[threadIdx.x] = value;
            __syncthreads();
            for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
                if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
                __syncthreads();
            }
            if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
        }"#;
    for wave in WAVES {
        let module = Module::new(source, wave);
        let (rows, n) = (33usize, 1000i32);
        let x: Vec<f32> = (0..rows * n as usize).map(|i| (i % 17) as f32).collect();
        let (dx, out) = (Buffer::new(&x), Buffer::<f32>::zeros(rows));
        for threads in [1u32, 64, 256, 1024] {
            launch!(
                module.function("sum"),
                [rows as u32, 1, 1],
                [threads, 1, 1],
                threads * 4,
                dx.pointer,
                out.pointer,
                n
            );
            let expected: Vec<f32> = x.chunks(n as usize).map(|row| row.iter().sum()).collect();
            assert_eq!(out.read(), expected, "{threads} threads");
        }
    }
}

#[test]
fn shuffles_and_ballots() {
    let source = r#"
        extern "C" __global__ void lanes(unsigned long long* out) {
            int lane = __lane_id();
            unsigned long long* mine = out + 12 * threadIdx.x;
            int sum = lane;
            for (int d = warpSize / 2; d > 0; d /= 2) sum += __shfl_xor(sum, d);
            mine[0] = sum;
            mine[1] = __ballot(lane % 3 == 0);
            mine[2] = __shfl(lane * 10, 5);
            mine[3] = __shfl_up(lane, 2);
            mine[4] = __shfl_down(lane, 3);
            mine[5] = __shfl(lane, 1, 16);
            mine[6] = __shfl_down((double)lane + 0.5, 1, 8);
            mine[7] = __any(lane == 7);
            mine[8] = __all(lane < 7);
            mine[9] = __match_any(lane / 4);
            mine[10] = __popcll(__activemask());
            if (lane & 1) mine[11] = __popcll(__ballot(1)) + 100;
            else mine[11] = __popcll(__ballot(1));
        }"#;
    for wave in WAVES {
        let module = Module::new(source, wave);
        let threads = 2 * wave;
        let out = Buffer::<u64>::zeros(12 * threads as usize);
        launch!(module.function("lanes"), [1, 1, 1], [threads, 1, 1], 0, out.pointer);
        let out = out.read();
        let w = u64::from(wave);
        for (thread, mine) in out.chunks(12).enumerate() {
            let lane = thread as u64 % w;
            let thirds = (0..w).filter(|lane| lane % 3 == 0).fold(0u64, |mask, lane| mask | 1 << lane);
            let half = if lane % 8 + 1 < 8 { lane + 1 } else { lane };
            let expected = [
                w * (w - 1) / 2,
                thirds,
                50,
                if lane >= 2 { lane - 2 } else { lane },
                if lane + 3 < w { lane + 3 } else { lane },
                lane / 16 * 16 + 1,
                half, // and a half, cut off
                1,
                0,
                0b1111 << (lane / 4 * 4),
                w,
                w / 2 + if lane % 2 == 1 { 100 } else { 0 },
            ];
            assert_eq!(mine, expected, "wave {wave}, thread {thread}");
        }
    }
}

#[test]
fn block_wide_predicates() {
    let source = r#"
        extern "C" __global__ void predicates(int* out, int limit) {
            int t = threadIdx.x;
            int* mine = out + 3 * t;
            mine[0] = __syncthreads_count(t < limit);
            mine[1] = __syncthreads_or(t == limit);
            mine[2] = __syncthreads_and(t < limit);
        }"#;
    let module = Module::new(source, 64);
    let out = Buffer::<i32>::zeros(3 * 200);
    for limit in [0i32, 77, 200] {
        launch!(module.function("predicates"), [1, 1, 1], [200, 1, 1], 0, out.pointer, limit);
        let expected = [limit, i32::from(limit < 200), i32::from(limit == 200)];
        assert!(out.read().chunks(3).all(|mine| mine == expected), "{limit}");
    }
}

#[test]
fn threads_that_leave_before_a_barrier() {
    let source = r#"
        extern "C" __global__ void early(int* out) {
            __shared__ int seen[256];
            if (threadIdx.x % 3 == 1 || threadIdx.x > 200) return;
            seen[threadIdx.x] = threadIdx.x;
            __syncthreads();
            int other = 198 - threadIdx.x / 3 * 3;
            out[threadIdx.x] = seen[other];
        }"#;
    for wave in WAVES {
        let module = Module::new(source, wave);
        let out = Buffer::new(&[-1i32; 256]);
        launch!(module.function("early"), [1, 1, 1], [256, 1, 1], 0, out.pointer);
        for (thread, value) in out.read().into_iter().enumerate() {
            let left = thread % 3 == 1 || thread > 200;
            assert_eq!(value, if left { -1 } else { 198 - (thread / 3 * 3) as i32 }, "thread {thread}");
        }
    }
}

#[test]
fn atomics_over_many_blocks() {
    let source = r#"
        struct Totals { int add, sub, min, max, ands, ors, xors, exch, inc; unsigned long long wide; float f; double d; int cas; };
        extern "C" __global__ void count(Totals* t) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            atomicAdd(&t->add, 3);
            atomicSub(&t->sub, 2);
            atomicMin(&t->min, -i);
            atomicMax(&t->max, i);
            atomicAnd(&t->ands, ~(1 << i % 31));
            atomicOr(&t->ors, 1 << i % 31);
            atomicXor(&t->xors, i);
            atomicAdd(&t->wide, 1ull << 33);
            atomicAdd(&t->f, 0.5f);
            atomicAdd(&t->d, 0.25);
            atomicInc((unsigned*)&t->inc, 9u);
            int seen = atomicAdd(&t->cas, 0), expected;
            do { expected = seen; seen = atomicCAS(&t->cas, expected, expected + 1); } while (seen != expected);
            if (i == 5) atomicExch(&t->exch, 77);
        }"#;
    #[derive(Clone, Copy, Default, Debug, PartialEq)]
    #[repr(C)]
    struct Totals {
        add: i32,
        sub: i32,
        min: i32,
        max: i32,
        ands: i32,
        ors: i32,
        xors: i32,
        exch: i32,
        inc: i32,
        wide: u64,
        f: f32,
        d: f64,
        cas: i32,
    }
    let module = Module::new(source, 32);
    let (blocks, threads) = (200, 100);
    let n = blocks * threads;
    let totals = Buffer::new(&[Totals { ands: -1, ..Totals::default() }]);
    launch!(module.function("count"), [blocks as u32, 1, 1], [threads as u32, 1, 1], 0, totals.pointer);
    let expected = Totals {
        add: 3 * n,
        sub: -2 * n,
        min: -(n - 1),
        max: n - 1,
        ands: i32::MIN,
        ors: i32::MAX,
        xors: (0..n).fold(0, |x, i| x ^ i),
        exch: 77,
        inc: n % 10,
        wide: (n as u64) << 33,
        f: n as f32 * 0.5,
        d: f64::from(n) * 0.25,
        cas: n,
    };
    assert_eq!(totals.read()[0], expected);
}

#[test]
fn three_dimensions() {
    let source = r#"
        extern "C" __global__ void place(unsigned* out) {
            unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
            unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
            unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
            unsigned nx = gridDim.x * blockDim.x, ny = gridDim.y * blockDim.y;
            if (threadIdx.x == 1) __syncthreads(); else __syncthreads_count(0);
            out[(z * ny + y) * nx + x] = x | y << 8 | z << 16;
        }"#
    .replace("if (threadIdx.x == 1) __syncthreads(); else __syncthreads_count(0);", "__syncthreads();");
    let module = Module::new(&source, 64);
    let (grid, block) = ([3u32, 4, 5], [5u32, 3, 7]);
    let size: Vec<u32> = grid.iter().zip(block).map(|(grid, block)| grid * block).collect();
    let out = Buffer::<u32>::zeros(size.iter().product::<u32>() as usize);
    launch!(module.function("place"), grid, block, 0, out.pointer);
    let expected: Vec<u32> = (0..size[2])
        .flat_map(|z| (0..size[1]).map(move |y| (y, z)))
        .flat_map(|(y, z)| (0..size[0]).map(move |x| x | y << 8 | z << 16))
        .collect();
    assert_eq!(out.read(), expected);
}

#[test]
fn structures_and_many_arguments() {
    let source = r#"
        struct Inner { char tag; double weight; };
        struct Outer { short n; Inner inner[2]; float4 v; };
        extern "C" __global__ void many(double* out, char a, short b, int c, long long d, float e, double f, Outer g, bool h,
                                        unsigned char i, unsigned short j, unsigned k, size_t l, float2 m, float3 n,
                                        const double* __restrict__ o, int p, int q, int r, long s, signed char t) {
            double values[] = {(double)a, (double)b, (double)c, (double)d, e, f, (double)g.n, (double)g.inner[1].tag,
                               g.inner[1].weight, g.v.w, (double)h, (double)i, (double)j, (double)k, (double)l, m.y,
                               n.z, o[1], (double)p, (double)q, (double)r, (double)s, (double)t};
            for (int x = 0; x < 23; x++) out[x] = values[x];
        }"#;
    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Inner(i8, f64);
    #[derive(Clone, Copy)]
    #[repr(C, align(16))]
    struct Vector([f32; 4]);
    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Outer(i16, [Inner; 2], Vector);
    #[derive(Clone, Copy)]
    #[repr(C, align(8))]
    struct Float2([f32; 2]);
    let module = Module::new(source, 32);
    let (out, o) = (Buffer::<f64>::zeros(23), Buffer::new(&[0.0f64, 17.0]));
    let g = Outer(6, [Inner(0, 0.0), Inner(7, 8.0)], Vector([0.0, 0.0, 0.0, 9.0]));
    launch!(
        module.function("many"),
        [1, 1, 1],
        [1, 1, 1],
        0,
        out.pointer,
        0i8,
        1i16,
        2i32,
        3i64,
        4f32,
        5f64,
        g,
        true,
        11u8,
        12u16,
        13u32,
        14usize,
        Float2([0.0, 15.0]),
        [0.0f32, 0.0, 16.0],
        o.pointer,
        18i32,
        19i32,
        20i32,
        21i64,
        22i8
    );
    let expected: Vec<f64> =
        [0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 1.].into_iter().chain((11..23).map(f64::from)).collect();
    assert_eq!(out.read(), expected);
}

#[test]
fn macros_make_kernels() {
    let source = r#"
        #include <hip/hip_runtime.h>
        #include "ops.h"
        OP(add, +, float)
        OP(mul, *, int) OP(sub, -, int)
        namespace inner { extern "C" { __global__ void __launch_bounds__(64) in_a_namespace(int* x) { x[0] = 5; } } }
        template <class T> __global__ void generic(T* x) { x[0] = 1; }
    "#;
    let header = "#define OP(name, op, T) extern \"C\" __global__ void name##_##T(const T* a, const T* b, T* c, int n) \\\n\
                  { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] op b[i]; }\n";
    use_wave(32);
    let compiled = compile_with("folder/ops.hip", source, &[("ops.h", header)], &[]);
    assert_eq!(compiled.result, hiprtcResult::HIPRTC_SUCCESS, "{}", compiled.log);
    assert_eq!(compiled.log, "");
    let module = Module::load(&compiled.code);
    let (a, b) = (Buffer::new(&[1i32, 2, 3]), Buffer::new(&[10i32, 20, 30]));
    let c = Buffer::<i32>::zeros(3);
    launch!(module.function("sub_int"), [1, 1, 1], [2, 1, 1], 0, a.pointer, b.pointer, c.pointer, 3i32);
    assert_eq!(c.read(), [-9, -18, -27]);
    launch!(module.function("in_a_namespace"), [1, 1, 1], [1, 1, 1], 0, c.pointer);
    assert_eq!(c.read()[0], 5);
    for (name, expected) in [
        (c"mul_int", hipError_t::hipSuccess),
        (c"add_float", hipError_t::hipSuccess),
        (c"generic", hipError_t::hipErrorNotFound),
        (c"nothing", hipError_t::hipErrorNotFound),
        (c"", hipError_t::hipErrorInvalidValue),
    ] {
        let mut function = std::ptr::null_mut();
        assert_eq!(hip!(hipModuleGetFunction(&mut function, module.0, name.as_ptr())), expected, "{name:?}");
    }
}

#[test]
fn a_thousand_launches() {
    let source = r#"
        extern "C" __global__ void step(unsigned* x, unsigned n) {
            unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) x[i] = x[i] * 3 + i;
        }"#;
    let module = Module::new(source, 32);
    let step = module.function("step");
    let n = 1000u32;
    let x = Buffer::<u32>::zeros(n as usize);
    for _ in 0..1000 {
        let mut arguments = [(&raw const x.pointer).cast_mut().cast(), (&raw const n).cast_mut().cast()];
        let result = try_launch(step, [16, 1, 1], [64, 1, 1], 0, std::ptr::null_mut(), &mut arguments);
        assert_eq!(result, hipError_t::hipSuccess);
    }
    let expected: Vec<u32> =
        (0..n).map(|i| (0..1000).fold(0u32, |x, _| x.wrapping_mul(3).wrapping_add(i))).collect();
    assert_eq!(x.read(), expected);
}
