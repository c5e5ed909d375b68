// Two f32 that some cards compute with one instruction: v_pk_fma_f32 of CDNA 2 and later, and dual instructions of RDNA 3 and later,
// for which both must be in neighbouring registers: compilers are told so by `opaque`.
#ifndef CANDLE_ROCM_F32_PAIR_H
#define CANDLE_ROCM_F32_PAIR_H

#include "common/platform.h"

#if PLATFORM_AMD
typedef f32 F32Pair __attribute__((ext_vector_type(2)));
#else
struct alignas(8) F32Pair {
  f32 x, y;
};
#endif

DEVICE F32Pair pair_add(F32Pair a, F32Pair b) {
#if PLATFORM_AMD
  return opaque(a + b);
#else
  return {math::add(a.x, b.x), math::add(a.y, b.y)};
#endif
}
DEVICE F32Pair pair_mul(F32Pair a, F32Pair b) {
#if PLATFORM_AMD
  return opaque(a * b);
#else
  return {math::mul(a.x, b.x), math::mul(a.y, b.y)};
#endif
}
DEVICE F32Pair pair_fma(F32Pair a, F32Pair b, F32Pair c) {
#if PLATFORM_AMD && __has_builtin(__builtin_elementwise_fma)
  return __builtin_elementwise_fma(a, b, c);
#else
  return F32Pair{math::fma(a.x, b.x, c.x), math::fma(a.y, b.y, c.y)};
#endif
}

DEVICE void finish(F32Pair& pair) {
#if PLATFORM_AMD
  f32 x = pair.x, y = pair.y;
  finish(x);
  finish(y);
  pair = F32Pair{x, y};
#else
  finish(pair.x);
  finish(pair.y);
#endif
}

DEVICE F32Pair both(f32 x) { return {x, x}; }

// How a number that both are multiplied by is kept in shared memory. Two copies come to different registers.
#if PLATFORM_AMD
using Doubled = F32Pair;
DEVICE Doubled doubled(f32 x) { return both(x); }
DEVICE F32Pair both(Doubled x) { return x; }
#else
using Doubled = f32;
DEVICE Doubled doubled(f32 x) { return x; }
#endif

#endif  // CANDLE_ROCM_F32_PAIR_H
