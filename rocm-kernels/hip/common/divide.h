// Quotient and remainder of 64-bit numbers that usually fit in 32 bits.
#ifndef CANDLE_ROCM_DIVIDE_H
#define CANDLE_ROCM_DIVIDE_H

#include "common/platform.h"

struct Division {
  u64 quotient, remainder;
};

// In 32 bits if both fit. Otherwise in double, exact for n below 2^53, because a 64-bit integer division takes several
// times as long.
DEVICE Division divide(u64 n, u64 d) {
  if ((n | d) >> 32) {
    u64 q = u64(double(n) * (1.0 / double(d)));
    i64 r = i64(n - q * d);
    if (r < 0) q--, r += i64(d);
    if (r >= i64(d)) q++, r -= i64(d);
    return {q, u64(r)};
  }
  const u32 q = u32(n) / u32(d);
  return {q, u32(n) - q * u32(d)};
}

#endif
