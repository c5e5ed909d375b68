// Short ways to quotients, roots and logarithms: some lose digits, some serve most operands only. Those in one instruction are
// good to one or two ulp, and subnormal numbers may count as zero.
#ifndef CANDLE_ROCM_FAST_MATH_H
#define CANDLE_ROCM_FAST_MATH_H

#include "common/platform.h"

namespace math {

// fast_log2: one instruction. Its error is an ulp of 1 where the result is smaller than 1. fast_rsqrt: one instruction.
// plain_div, plain_recip, plain_sqrt: what div(a, b), div(1, x) and sqrt(x) give, for operands and quotients from 2^-100 to
// 2^100 in size (a and x may be 0 but for the reciprocal): where HAS_PLAIN, without the test for others, and the branch.
#if PLATFORM_NVIDIA
DEVICE float fast_log2(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
DEVICE float fast_rsqrt(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
constexpr bool HAS_PLAIN = true;
DEVICE float plain_div(float a, float b) {
  const float r = recip(b), q = mul(a, r), closer = fma(fma(-b, q, a), r, q);
  return fma(fma(-b, closer, a), r, closer);
}
DEVICE float plain_recip(float x) { return recip(x); }
DEVICE float plain_sqrt(float x) {
  const float r = x == 0.0f ? 1.0f : fast_rsqrt(x);
  const float y = mul(x, r);
  return fma(fma(-y, y, x), mul(0.5f, r), y);
}
#else
#if PLATFORM_AMD
extern "C" __device__ __attribute__((const)) float __ocml_native_log2_f32(float);
DEVICE float fast_log2(float x) { return __ocml_native_log2_f32(x); }
DEVICE float fast_rsqrt(float x) { return __builtin_amdgcn_rsqf(x); }
#else
DEVICE float fast_log2(float x) { return ::log2f(x); }
DEVICE float fast_rsqrt(float x) { return 1.0f / ::sqrtf(x); }
#endif
constexpr bool HAS_PLAIN = false;
DEVICE float plain_div(float a, float b) { return div(a, b); }
DEVICE float plain_recip(float x) { return div(1.0f, x); }
DEVICE float plain_sqrt(float x) { return sqrt(x); }
#endif
DEVICE double plain_div(double a, double b) { return div(a, b); }
DEVICE double plain_sqrt(double x) { return sqrt(x); }

}  // namespace math

// x / y for the type T of both, which has p <= 11 bits. Their quotient, if normal in T, lies at least 2^-(2p + 1) of itself from
// any midpoint of T's numbers, if subnormal it may be one. An approximate quotient, corrected once by its exact remainder, is
// exact where the quotient is a float, such as a midpoint, and else within an ulp of f32: both round to T as the quotient
// itself does. Without a correction: zeros, infinities and NaN, which the first line gets right. `fine` becomes false
// where that is not so, as reciprocals, quotients or remainders may be beyond f32's normal numbers, which only bf16 has.
DEVICE float quick_divide(float x, float y, bool& fine) {
  const float r = math::fast_recip(y);
  const float q = x * r;
  const float size = math::fabs(x), by = math::fabs(y);
  fine = fine && by > 0x1p-60f && by < 0x1p60f && size < 0x1p60f && (size > 0x1p-60f || x == 0.0f);
  const float rest = math::fma(-q, y, x);
  return math::fabs(rest) > 0.0f ? math::fma(rest, r, q) : q;
}

#endif
