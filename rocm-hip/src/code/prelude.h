// Declares to clang what the headers in hiprtc would: HIP keywords, coordinates, barriers, atomics, and the usual functions.
#define __HIPCC_RTC__ 1
#define __HIP_PLATFORM_AMD__ 1
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];

typedef __SIZE_TYPE__ size_t;

extern "C" __device__ __attribute__((const)) size_t __ockl_get_local_size(unsigned);
extern "C" __device__ __attribute__((const)) size_t __ockl_get_num_groups(unsigned);

#define __HIP_PRELUDE_COORDINATES(NAME, X, Y, Z)                                                                       \
  struct __hip_prelude_##NAME {                                                                                        \
    __declspec(property(get = __x)) unsigned x;                                                                        \
    __declspec(property(get = __y)) unsigned y;                                                                        \
    __declspec(property(get = __z)) unsigned z;                                                                        \
    static __device__ unsigned __x() { return unsigned(X); }                                                           \
    static __device__ unsigned __y() { return unsigned(Y); }                                                           \
    static __device__ unsigned __z() { return unsigned(Z); }                                                           \
  };                                                                                                                   \
  static __device__ const __hip_prelude_##NAME NAME;
__HIP_PRELUDE_COORDINATES(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
                          __builtin_amdgcn_workitem_id_z())
__HIP_PRELUDE_COORDINATES(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
                          __builtin_amdgcn_workgroup_id_z())
__HIP_PRELUDE_COORDINATES(blockDim, __ockl_get_local_size(0), __ockl_get_local_size(1), __ockl_get_local_size(2))
__HIP_PRELUDE_COORDINATES(gridDim, __ockl_get_num_groups(0), __ockl_get_num_groups(1), __ockl_get_num_groups(2))
#undef __HIP_PRELUDE_COORDINATES

static inline __device__ void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
static inline __device__ void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
static inline __device__ void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
static inline __device__ void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

#define __HIP_PRELUDE_ATOMIC(NAME, OPERATION)                                                                          \
  template <class T>                                                                                                   \
  static inline __device__ T NAME(T* address, T value) {                                                               \
    return __hip_atomic_##OPERATION(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                       \
  }
__HIP_PRELUDE_ATOMIC(atomicAdd, fetch_add)
__HIP_PRELUDE_ATOMIC(atomicMin, fetch_min)
__HIP_PRELUDE_ATOMIC(atomicMax, fetch_max)
__HIP_PRELUDE_ATOMIC(atomicAnd, fetch_and)
__HIP_PRELUDE_ATOMIC(atomicOr, fetch_or)
__HIP_PRELUDE_ATOMIC(atomicXor, fetch_xor)
__HIP_PRELUDE_ATOMIC(atomicExch, exchange)
#undef __HIP_PRELUDE_ATOMIC
template <class T>
static inline __device__ T atomicSub(T* address, T value) {
  return atomicAdd(address, T(-value));
}
template <class T>
static inline __device__ T atomicCAS(T* address, T expected, T value) {
  __hip_atomic_compare_exchange_strong(address, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                       __HIP_MEMORY_SCOPE_AGENT);
  return expected;
}

#define __HIP_PRELUDE_MATH(NAME)                                                                                       \
  extern "C" __device__ __attribute__((const)) float __ocml_##NAME##_f32(float);                                       \
  extern "C" __device__ __attribute__((const)) double __ocml_##NAME##_f64(double);                                     \
  static inline __device__ float NAME##f(float x) { return __ocml_##NAME##_f32(x); }                                   \
  static inline __device__ double NAME(double x) { return __ocml_##NAME##_f64(x); }
__HIP_PRELUDE_MATH(exp)
__HIP_PRELUDE_MATH(exp2)
__HIP_PRELUDE_MATH(expm1)
__HIP_PRELUDE_MATH(log)
__HIP_PRELUDE_MATH(log2)
__HIP_PRELUDE_MATH(log1p)
__HIP_PRELUDE_MATH(sin)
__HIP_PRELUDE_MATH(cos)
__HIP_PRELUDE_MATH(tanh)
__HIP_PRELUDE_MATH(erf)
__HIP_PRELUDE_MATH(sqrt)
__HIP_PRELUDE_MATH(floor)
__HIP_PRELUDE_MATH(ceil)
__HIP_PRELUDE_MATH(fabs)
#undef __HIP_PRELUDE_MATH
extern "C" __device__ __attribute__((const)) float __ocml_atan2_f32(float, float);
static inline __device__ float atan2f(float y, float x) { return __ocml_atan2_f32(y, x); }
static inline __device__ int min(int x, int y) { return y < x ? y : x; }
static inline __device__ int max(int x, int y) { return x < y ? y : x; }
static inline __device__ float fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
static inline __device__ float fminf(float x, float y) { return __builtin_fminf(x, y); }
static inline __device__ float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline __device__ unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
static inline __device__ float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }

// Compilers of ROCm 5 have the macro, those after ROCm 7 the builtin.
#if __has_builtin(__builtin_amdgcn_wavefrontsize)
#define __HIP_PRELUDE_WAVEFRONT __builtin_amdgcn_wavefrontsize()
#else
#define __HIP_PRELUDE_WAVEFRONT __AMDGCN_WAVEFRONT_SIZE
#endif
static inline __device__ int __lane_id() {
  return int(__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)));
}
template <class T>
static inline __device__ T __hip_prelude_value_of_lane(T value, int lane) {
  static_assert(sizeof(T) == 4, "shuffles move values of 4 bytes");
  return __builtin_bit_cast(T, __builtin_amdgcn_ds_bpermute(lane * 4, __builtin_bit_cast(int, value)));
}
template <class T>
static inline __device__ T __shfl(T value, int lane, int width = __HIP_PRELUDE_WAVEFRONT) {
  return __hip_prelude_value_of_lane(value, (__lane_id() & ~(width - 1)) | (lane & (width - 1)));
}
template <class T>
static inline __device__ T __shfl_up(T value, unsigned delta, int width = __HIP_PRELUDE_WAVEFRONT) {
  const int self = __lane_id(), source = self - int(delta);
  return __hip_prelude_value_of_lane(value, source < (self & ~(width - 1)) ? self : source);
}
template <class T>
static inline __device__ T __shfl_down(T value, unsigned delta, int width = __HIP_PRELUDE_WAVEFRONT) {
  const int self = __lane_id();
  return __hip_prelude_value_of_lane(value, (self & (width - 1)) + int(delta) >= width ? self : self + int(delta));
}
template <class T>
static inline __device__ T __shfl_xor(T value, int mask, int width = __HIP_PRELUDE_WAVEFRONT) {
  const int self = __lane_id(), source = self ^ mask;
  return __hip_prelude_value_of_lane(value, source >= (self & ~(width - 1)) + width ? self : source);
}
