// Fast quotients, roots, logarithms and hyperbolic tangents. Some are less accurate, others valid for a range of operands only.
// Those of a single instruction are accurate to one or two ulp, and may flush subnormal numbers to zero.
#ifndef CANDLE_ROCM_FAST_MATH_H
#define CANDLE_ROCM_FAST_MATH_H

#include "common/platform.h"

namespace math {

// fast_log2: a single instruction. For results below 1, its absolute error is an ulp of 1. fast_rsqrt: a single instruction.
//
// plain_div, plain_recip, plain_sqrt: bit-identical to div(a, b), div(1, x) and sqrt(x) for magnitudes of operands and results
// from 2^-100 to 2^100 (a and the operand of the root may be 0). Where HAS_PLAIN, they save the check for other operands and
// its branch.
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

// tanh(x) within 4 ulp, without a branch: 1 - 2 / (1 + e^2|x|) and, where that cancels, an odd polynomial that is fitted for
// |x| <= 0.7 (relative error 2^-26).
DEVICE float quick_tanh(float x) {
  const float size = fabs(x), z = x * x;
  const float far = fma(fast_recip(1.0f + fast_exp2(size * 2.88539008f)), -2.0f, 1.0f);
  float p = fma(z, -0x1.50c47p-8f, 0x1.492fd4p-6f);
  p = fma(p, z, -0x1.b6c112p-5f);
  p = fma(p, z, 0x1.10faeep-3f);
  p = fma(p, z, -0x1.5554f6p-2f);
  const float near = fma(size * z, p, size);
  const float y = size < 0.7f ? near : far;
  return bit_cast<float>(bit_cast<u32>(y) | (bit_cast<u32>(x) & 0x80000000u));
}

}  // namespace math

// x / y, to be rounded to the type T of both, which has p <= 11 bits of precision. A quotient that is normal in T differs from
// every midpoint between numbers of T by at least 2^-(2p + 1) of itself; a subnormal one may be a midpoint. The approximate
// quotient, corrected once by its exact remainder, is exact if the true quotient is a float, such as a midpoint, and within
// an ulp of f32 otherwise; in both cases it rounds to T like the true quotient. Zeros, infinities and NaN are not corrected:
// the approximation is right for them. Clears `valid` if the reciprocal, quotient or remainder may leave the range of
// normal f32 numbers, which only happens for bf16.
DEVICE float quick_divide(float x, float y, bool& valid) {
  const float r = math::fast_recip(y);
  const float q = x * r;
  const float size = math::fabs(x), by = math::fabs(y);
  valid = valid && by > 0x1p-60f && by < 0x1p60f && size < 0x1p60f && (size > 0x1p-60f || x == 0.0f);
  const float rest = math::fma(-q, y, x);
  return math::fabs(rest) > 0.0f ? math::fma(rest, r, q) : q;
}

#endif
