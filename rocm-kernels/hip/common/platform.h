// The platform layer: the only file that depends on the compiler and the GPU.
//
// Every kernel compiles for three platforms:
//   amd     clang (hipcc, plain `clang -x hip`, hiprtc from ROCm 5.2 on). Needs none of HIP's headers: what the compiler
//           does not provide is declared here, so `-nogpuinc` works. Where HIP's headers are present (hiprtc always
//           includes its own), their declarations are used.
//   nvidia  NVRTC or nvcc, for benchmarks on NVIDIA cards.
//   host    any C++17 compiler, with the host platform's prelude included first. The prelude provides CUDA's vocabulary
//           (threadIdx, __shfl_xor, atomicAdd, expf ...) as plain functions.
//
// Kernels use CUDA's keywords (__global__, __device__, __shared__, __syncthreads) and otherwise the names defined here.
// No standard header is needed.
//
// Floating-point contraction is off: `a * b + c` rounds twice, as on candle's CPU backend. Write math::fma to fuse.
#ifndef CANDLE_ROCM_PLATFORM_H
#define CANDLE_ROCM_PLATFORM_H

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define PLATFORM_NVIDIA 1
#elif defined(CANDLE_ROCM_HOST_PLATFORM)
#define PLATFORM_HOST 1
#else
#define PLATFORM_AMD 1
#endif

// ---------------------------------------------------------------------------------------------------------- Keywords

#if PLATFORM_AMD
#ifndef __global__
#define __global__ __attribute__((global))
#endif
#ifndef __device__
#define __device__ __attribute__((device))
#endif
#ifndef __shared__
#define __shared__ __attribute__((shared))
#endif
#ifndef __constant__
#define __constant__ __attribute__((constant))
#endif
#pragma clang fp contract(off)
#endif

// A device function. Everything is inlined into the kernels: a call costs more than the code.
#if PLATFORM_NVIDIA
#define DEVICE __device__ __forceinline__
#else
#define DEVICE __device__ inline __attribute__((always_inline))
#endif

// A device function that many kernels of a module share as it is, as the index arithmetic is. On the host, where a call is cheap,
// it stays one: its copies would take the compiler half its time.
#if PLATFORM_HOST
#define DEVICE_OUTLINED __device__ inline __attribute__((noinline))
#else
#define DEVICE_OUTLINED DEVICE
#endif

// An entry point with an unmangled name.
#define KERNEL extern "C" __global__ void

// `KERNEL THREADS_AT_MOST(256) name(...)`: the largest block it is launched with. Compilers otherwise assume 1024 threads,
// and limit the registers of a thread accordingly.
#if PLATFORM_NVIDIA
#define THREADS_AT_MOST(n) __launch_bounds__(n)
#elif PLATFORM_AMD
#define THREADS_AT_MOST(n) __attribute__((amdgpu_flat_work_group_size(1, n)))
#else
#define THREADS_AT_MOST(n)
#endif

// Before a loop with a constant trip count whose arrays must stay in registers. On the host such loops are kept: its
// compiler vectorizes them.
#if PLATFORM_HOST
#define UNROLLED
#else
#define UNROLLED _Pragma("unroll")
#endif

// Before a loop that compilers would unroll although its body is long enough, or its trip count small, such as one over dimensions:
// the copies would account for most of the code and compile time of an otherwise small kernel.
#define ROLLED _Pragma("unroll 1")

// ------------------------------------------------------------------------------------------------------------- Types

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long long;
using f32 = float;
using f64 = double;
using size_t = decltype(sizeof(0));

static_assert(sizeof(u64) == 8 && sizeof(size_t) == 8 && sizeof(u32) == 4 && sizeof(u16) == 2, "a 64-bit target");

template <class To, class From>
DEVICE To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From), "bit_cast keeps the size");
  To to;
#if PLATFORM_NVIDIA
  memcpy(&to, &from, sizeof to);  // NVRTC does not know the builtin
#else
  __builtin_memcpy(&to, &from, sizeof to);
#endif
  return to;
}

template <class T>
DEVICE constexpr T min_of(T a, T b) {
  return b < a ? b : a;
}
template <class T>
DEVICE constexpr T max_of(T a, T b) {
  return a < b ? b : a;
}

template <class A, class B>
struct is_same_type {
  static constexpr bool value = false;
};
template <class A>
struct is_same_type<A, A> {
  static constexpr bool value = true;
};
template <class A, class B>
constexpr bool is_same = is_same_type<A, B>::value;

// ------------------------------------------------------------------------------------------------------ Thread indices

#if PLATFORM_AMD
extern "C" __device__ __attribute__((const)) size_t __ockl_get_local_size(u32);
extern "C" __device__ __attribute__((const)) size_t __ockl_get_num_groups(u32);
DEVICE u32 thread_x() { return __builtin_amdgcn_workitem_id_x(); }
DEVICE u32 thread_y() { return __builtin_amdgcn_workitem_id_y(); }
DEVICE u32 thread_z() { return __builtin_amdgcn_workitem_id_z(); }
DEVICE u32 block_x() { return __builtin_amdgcn_workgroup_id_x(); }
DEVICE u32 block_y() { return __builtin_amdgcn_workgroup_id_y(); }
DEVICE u32 block_z() { return __builtin_amdgcn_workgroup_id_z(); }
DEVICE u32 block_size_x() { return u32(__ockl_get_local_size(0)); }
DEVICE u32 block_size_y() { return u32(__ockl_get_local_size(1)); }
DEVICE u32 block_size_z() { return u32(__ockl_get_local_size(2)); }
DEVICE u32 grid_size_x() { return u32(__ockl_get_num_groups(0)); }
DEVICE u32 grid_size_y() { return u32(__ockl_get_num_groups(1)); }
DEVICE u32 grid_size_z() { return u32(__ockl_get_num_groups(2)); }
#else
DEVICE u32 thread_x() { return threadIdx.x; }
DEVICE u32 thread_y() { return threadIdx.y; }
DEVICE u32 thread_z() { return threadIdx.z; }
DEVICE u32 block_x() { return blockIdx.x; }
DEVICE u32 block_y() { return blockIdx.y; }
DEVICE u32 block_z() { return blockIdx.z; }
DEVICE u32 block_size_x() { return blockDim.x; }
DEVICE u32 block_size_y() { return blockDim.y; }
DEVICE u32 block_size_z() { return blockDim.z; }
DEVICE u32 grid_size_x() { return gridDim.x; }  // in blocks
DEVICE u32 grid_size_y() { return gridDim.y; }
DEVICE u32 grid_size_z() { return gridDim.z; }
#endif

// x, of which the compiler learns nothing else. Of an offset to an address that all lanes share: compilers would rather keep sums
// of both in vector registers, although loads and stores add them themselves.
template <class T>
DEVICE T opaque(T x) {
#if PLATFORM_AMD
  asm("" : "+v"(x));
#endif
  return x;
}

// x, which is the same in all lanes of a wavefront, so that compilers know it.
DEVICE u32 uniform(u32 x) {
#if PLATFORM_AMD
  return __builtin_amdgcn_readfirstlane(x);
#else
  return x;
#endif
}

// x, in a register, before anything that follows another call is computed.
template <class T>
DEVICE void finish(T& x) {
#if PLATFORM_AMD
  asm volatile("" : "+v"(x));
#elif PLATFORM_NVIDIA
  u32 bits = bit_cast<u32>(x);
  asm volatile("" : "+r"(bits));
  x = bit_cast<T>(bits);
#endif
}

// ----------------------------------------------------------------------------------------------------------- Memory

// Whether a vector load or store only needs the alignment of its elements. True on AMD, where ROCm runs GPUs in unaligned
// mode; NVIDIA's instructions trap.
#if PLATFORM_NVIDIA
constexpr bool UNALIGNED_VECTORS = false;
#else
constexpr bool UNALIGNED_VECTORS = true;
#endif

// The type to load and store BYTES (1, 2, 4, 8 or 16) at once.
template <int BYTES>
struct Word;
template <>
struct Word<1> {
  using type = u8;
};
template <>
struct Word<2> {
  using type = u16;
};
template <>
struct Word<4> {
  using type = u32;
};
template <>
struct Word<8> {
  using type = u64;
};
#if PLATFORM_AMD
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
template <>
struct Word<16> {
  using type = u32x4;
};
#else
struct alignas(16) u32x4 {
  u32 x, y, z, w;
};
template <>
struct Word<16> {
  using type = u32x4;
};
#endif

#if PLATFORM_AMD
template <int BYTES, int ALIGN>
DEVICE typename Word<BYTES>::type load_word(const void* p) {
  typedef typename Word<BYTES>::type __attribute__((aligned(ALIGN), may_alias)) Unaligned;
  return *static_cast<const Unaligned*>(p);
}
template <int BYTES, int ALIGN>
DEVICE void store_word(void* p, typename Word<BYTES>::type w) {
  typedef typename Word<BYTES>::type __attribute__((aligned(ALIGN), may_alias)) Unaligned;
  *static_cast<Unaligned*>(p) = w;
}
#elif PLATFORM_HOST
template <int BYTES, int ALIGN>
DEVICE typename Word<BYTES>::type load_word(const void* p) {
  typename Word<BYTES>::type w;
  __builtin_memcpy(&w, p, BYTES);
  return w;
}
template <int BYTES, int ALIGN>
DEVICE void store_word(void* p, typename Word<BYTES>::type w) {
  __builtin_memcpy(p, &w, BYTES);
}
#else
template <int BYTES, int ALIGN>
DEVICE typename Word<BYTES>::type load_word(const void* p) {
  return *static_cast<const typename Word<BYTES>::type*>(p);
}
template <int BYTES, int ALIGN>
DEVICE void store_word(void* p, typename Word<BYTES>::type w) {
  *static_cast<typename Word<BYTES>::type*>(p) = w;
}
#endif

DEVICE bool is_aligned(const void* p, u32 bytes) { return (reinterpret_cast<u64>(p) & (bytes - 1)) == 0; }

// -------------------------------------------------------------------------------------------------- Integer arithmetic

#if PLATFORM_NVIDIA
DEVICE u32 mul_hi(u32 a, u32 b) { return __umulhi(a, b); }
DEVICE u64 mul_hi(u64 a, u64 b) { return __umul64hi(a, b); }
#else
DEVICE u32 mul_hi(u32 a, u32 b) { return u32((u64(a) * b) >> 32); }
DEVICE u64 mul_hi(u64 a, u64 b) { return u64(((unsigned __int128)a * b) >> 64); }
#endif

// ---------------------------------------------------------------------------------------------------------------- Math

// One name per function for float and double. All are the accurate versions (a few ulp at most). Functions that IEEE 754
// requires to be correctly rounded (sqrt, fma, div, floor ...) are, on every platform.
namespace math {

#if PLATFORM_AMD
#define OCML(F)                                                                                                        \
  extern "C" __device__ __attribute__((const)) float __ocml_##F##_f32(float);                                          \
  extern "C" __device__ __attribute__((const)) double __ocml_##F##_f64(double);
#define OCML_PURE(F)                                                                                                   \
  extern "C" __device__ __attribute__((pure)) float __ocml_##F##_f32(float);                                           \
  extern "C" __device__ __attribute__((pure)) double __ocml_##F##_f64(double);
#define MATH_1(F)                                                                                                      \
  DEVICE float F(float x) { return __ocml_##F##_f32(x); }                                                              \
  DEVICE double F(double x) { return __ocml_##F##_f64(x); }
#define BUILTIN_1(F)                                                                                                   \
  DEVICE float F(float x) { return __builtin_##F##f(x); }                                                              \
  DEVICE double F(double x) { return __builtin_##F(x); }
OCML_PURE(exp)
OCML_PURE(exp2)
OCML_PURE(expm1)
OCML_PURE(log)
OCML_PURE(log2)
OCML_PURE(log1p)
OCML(sin)
OCML(cos)
OCML_PURE(tanh)
OCML_PURE(erf)
OCML_PURE(erfc)
extern "C" __device__ __attribute__((pure)) float __ocml_pow_f32(float, float);
extern "C" __device__ __attribute__((pure)) double __ocml_pow_f64(double, double);
BUILTIN_1(floor)
BUILTIN_1(ceil)
BUILTIN_1(trunc)
BUILTIN_1(rint)
BUILTIN_1(round)
BUILTIN_1(fabs)
BUILTIN_1(sqrt)
#undef OCML
#undef OCML_PURE
#undef BUILTIN_1
DEVICE float pow(float x, float y) { return __ocml_pow_f32(x, y); }
DEVICE double pow(double x, double y) { return __ocml_pow_f64(x, y); }
DEVICE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
#define MATH_1(F)                                                                                                      \
  DEVICE float F(float x) { return ::F##f(x); }                                                                        \
  DEVICE double F(double x) { return ::F(x); }
DEVICE float pow(float x, float y) { return ::powf(x, y); }
DEVICE double pow(double x, double y) { return ::pow(x, y); }
DEVICE float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
DEVICE double fma(double a, double b, double c) { return ::fma(a, b, c); }
MATH_1(floor)
MATH_1(ceil)
MATH_1(trunc)
MATH_1(rint)
MATH_1(round)
MATH_1(fabs)
#if PLATFORM_NVIDIA
DEVICE float sqrt(float x) { return __fsqrt_rn(x); }
DEVICE double sqrt(double x) { return __dsqrt_rn(x); }
#else
MATH_1(sqrt)
#endif
#endif
MATH_1(exp)
MATH_1(exp2)
MATH_1(expm1)
MATH_1(log)
MATH_1(log2)
MATH_1(log1p)
MATH_1(sin)
MATH_1(cos)
MATH_1(tanh)
MATH_1(erf)
MATH_1(erfc)
#undef MATH_1

// Arithmetic that compilers must not fuse or relax, whatever their options.
#if PLATFORM_NVIDIA
DEVICE float add(float a, float b) { return __fadd_rn(a, b); }
DEVICE float mul(float a, float b) { return __fmul_rn(a, b); }
DEVICE float div(float a, float b) { return __fdiv_rn(a, b); }
DEVICE double add(double a, double b) { return __dadd_rn(a, b); }
DEVICE double mul(double a, double b) { return __dmul_rn(a, b); }
DEVICE double div(double a, double b) { return __ddiv_rn(a, b); }
#else
// GCC 12 fuses neighbouring products whose sums and differences alternate, even with -ffp-contract=off.
template <class T>
DEVICE T rounded(T product) {
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
  asm("" : "+x"(product));
#endif
  return product;
}
DEVICE float add(float a, float b) { return a + b; }
DEVICE float mul(float a, float b) { return rounded(a * b); }
DEVICE float div(float a, float b) { return a / b; }
DEVICE double add(double a, double b) { return a + b; }
DEVICE double mul(double a, double b) { return rounded(a * b); }
DEVICE double div(double a, double b) { return a / b; }
#endif

// A single instruction each on a GPU, accurate to one or two ulp. Subnormal numbers may be flushed to zero.
#if PLATFORM_AMD
extern "C" __device__ __attribute__((const)) float __ocml_native_exp2_f32(float);
DEVICE float fast_recip(float x) { return __builtin_amdgcn_rcpf(x); }
DEVICE float fast_exp2(float x) { return __ocml_native_exp2_f32(x); }
#elif PLATFORM_NVIDIA
DEVICE float fast_recip(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
DEVICE float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#else
DEVICE float fast_recip(float x) { return 1.0f / x; }
DEVICE float fast_exp2(float x) { return ::exp2f(x); }
#endif

// e^x. The relative error grows with |x|, up to 2^-17 at the ends of float's range, which suffices for half types.
DEVICE float fast_exp(float x) { return fast_exp2(x * 1.44269504f); }

// 1 / x within one ulp, for |x| from 2^-125 to 2^125.
DEVICE float recip(float x) {
  const float y = fast_recip(x);
  return fma(fma(-x, y, 1.0f), y, y);
}
DEVICE double recip(double x) { return div(1.0, x); }

}  // namespace math

// ------------------------------------------------------------------------------------------------------------- Barriers

// sync_threads: a barrier for the threads of the block, which makes their earlier writes visible to each other. A macro on
// the host, because its prelude identifies operations by their source line. Operations of a wavefront are in wave.h.
#if PLATFORM_HOST
#define sync_threads() __syncthreads()
#elif PLATFORM_NVIDIA
DEVICE void sync_threads() { __syncthreads(); }
#else
DEVICE void sync_threads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#endif

// ---------------------------------------------------------------------------------------------------------- Atomics

// Relaxed, device scope. atomic_add: u32 i32 u64 f32 f64; atomic_max: u32; atomic_exchange: u32, atomic_cas: u32 u64, return the old
// value; atomic_load and atomic_store: u32 u64; atomic_store_system: u64, to host memory too.
#if PLATFORM_AMD
template <class T>
DEVICE T atomic_add(T* p, T value) {
  return __hip_atomic_fetch_add(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T>
DEVICE T atomic_max(T* p, T value) {
  return __hip_atomic_fetch_max(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T>
DEVICE T atomic_exchange(T* p, T value) {
  return __hip_atomic_exchange(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T>
DEVICE T atomic_cas(T* p, T expected, T value) {
  __hip_atomic_compare_exchange_strong(p, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                       __HIP_MEMORY_SCOPE_AGENT);
  return expected;
}
template <class T>
DEVICE T atomic_load(const T* p) {
  return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T>
DEVICE void atomic_store(T* p, T value) {
  __hip_atomic_store(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
DEVICE void atomic_store_system(u64* p, u64 value) {
  __hip_atomic_store(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
#else
template <class T>
DEVICE T atomic_add(T* p, T value) {
  return atomicAdd(p, value);
}
template <class T>
DEVICE T atomic_max(T* p, T value) {
  return atomicMax(p, value);
}
template <class T>
DEVICE T atomic_exchange(T* p, T value) {
  return atomicExch(p, value);
}
template <class T>
DEVICE T atomic_cas(T* p, T expected, T value) {
  return atomicCAS(p, expected, value);
}
#if PLATFORM_NVIDIA
template <class T>
DEVICE T atomic_load(const T* p) {
  return *static_cast<const volatile T*>(p);
}
template <class T>
DEVICE void atomic_store(T* p, T value) {
  *static_cast<volatile T*>(p) = value;
}
#else
template <class T>
DEVICE T atomic_load(const T* p) {
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}
template <class T>
DEVICE void atomic_store(T* p, T value) {
  __atomic_store_n(p, value, __ATOMIC_RELAXED);
}
#endif
DEVICE void atomic_store_system(u64* p, u64 value) { atomic_store(p, value); }
#endif

// Orders accesses of a thread for the whole device: those before it come before what another thread does after a fence of its own, if
// that thread has seen an atomic of this one in between.
DEVICE void fence() {
#if PLATFORM_AMD
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent");
#else
  __threadfence();
#endif
}

// *p = f(*p), atomically, for types of up to 8 bytes. Types smaller than 4 bytes are updated within the aligned 32-bit word
// that holds them. Its other bytes may lie outside the buffer, which is safe because device memory is allocated in whole
// words. The host has atomics of every size instead.
template <class T, class F>
DEVICE void atomic_update(T* p, F f) {
  if constexpr (sizeof(T) >= 4) {
    using Bits = typename Word<sizeof(T)>::type;
    Bits* const word = reinterpret_cast<Bits*>(p);
    for (Bits seen = atomic_load(word);;) {
      const Bits found = atomic_cas(word, seen, bit_cast<Bits>(f(bit_cast<T>(seen))));
      if (found == seen) return;
      seen = found;
    }
  } else {
#if PLATFORM_HOST
    T seen;
    __atomic_load(p, &seen, __ATOMIC_RELAXED);
    for (T next = f(seen); !__atomic_compare_exchange(p, &seen, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);) {
      next = f(seen);
    }
#else
    using Bits = typename Word<sizeof(T)>::type;
    const u32 offset = u32(reinterpret_cast<u64>(p) & 3);
    // Counted from p: of an address made of an integer, the compiler would not know that it is in global memory.
    u32* const word = reinterpret_cast<u32*>(reinterpret_cast<u8*>(p) - offset);
    const u32 shift = offset * 8, mask = u32(Bits(~Bits(0))) << shift;
    for (u32 seen = atomic_load(word);;) {
      const u32 bits = bit_cast<Bits>(f(bit_cast<T>(Bits(seen >> shift))));
      const u32 found = atomic_cas(word, seen, (seen & ~mask) | (bits << shift));
      if (found == seen) return;
      seen = found;
    }
#endif
  }
}

// -------------------------------------------------------------------------------------------------------------- dot4

// c plus the dot product of the four signed bytes of a and of b. DOT4 is whether the processor has an instruction for it:
// rocm-kernels/src/processors.rs lists those too, and a test compares the two.
#if PLATFORM_AMD && (defined(__GFX11__) || defined(__GFX12__))
constexpr bool DOT4 = true;
DEVICE i32 dot4(i32 a, i32 b, i32 c) { return __builtin_amdgcn_sudot4(true, a, true, b, c, false); }
#elif PLATFORM_AMD &&                                                                                                  \
    (defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) ||                       \
     defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__) || defined(__gfx9_4_generic__) ||               \
     defined(__gfx1011__) || defined(__gfx1012__) || defined(__gfx1030__) || defined(__gfx1031__) ||                   \
     defined(__gfx1032__) || defined(__gfx1033__) || defined(__gfx1034__) || defined(__gfx1035__) ||                   \
     defined(__gfx1036__) || defined(__gfx10_3_generic__))
constexpr bool DOT4 = true;
DEVICE i32 dot4(i32 a, i32 b, i32 c) { return __builtin_amdgcn_sdot4(a, b, c, false); }
#elif PLATFORM_NVIDIA
constexpr bool DOT4 = true;
DEVICE i32 dot4(i32 a, i32 b, i32 c) { return __dp4a(a, b, c); }
#else
constexpr bool DOT4 = false;
DEVICE i32 dot4(i32 a, i32 b, i32 c) {
  for (int shift = 0; shift < 32; shift += 8) c += i32(i8(u32(a) >> shift)) * i32(i8(u32(b) >> shift));
  return c;
}
#endif

// --------------------------------------------------------------------------------------------------------------- Bytes

// Four of the eight bytes of two words, `low` first: those whose numbers, 0 to 7, are the bytes of `at`.
#if PLATFORM_AMD
DEVICE u32 select_bytes(u32 low, u32 high, u32 at) { return __builtin_amdgcn_perm(high, low, at); }
#elif PLATFORM_NVIDIA
DEVICE u32 select_bytes(u32 low, u32 high, u32 at) {
  const u32 pairs = (at | at >> 4) & 0x00ff00ffu;
  return __byte_perm(low, high, pairs | pairs >> 8);
}
#else
DEVICE u32 select_bytes(u32 low, u32 high, u32 at) {
  const u64 bytes = u64(high) << 32 | low;
  u32 result = 0;
  for (int shift = 0; shift < 32; shift += 8) result |= (u32(bytes >> (8 * (at >> shift & 7))) & 0xff) << shift;
  return result;
}
#endif

#include "common/dtype.h"

#endif
