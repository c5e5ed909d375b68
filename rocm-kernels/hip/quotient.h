// Quotients of half types and f8, in f32.
#ifndef CANDLE_ROCM_QUOTIENT_H
#define CANDLE_ROCM_QUOTIENT_H

#include "platform.h"

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
