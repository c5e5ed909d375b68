// Two f32 that some cards compute with one instruction: v_pk_fma_f32 of CDNA 2 and later, and dual instructions of RDNA 3 and later,
// for which both must be in neighbouring registers: compilers are told so by `opaque`.
#ifndef CANDLE_ROCM_F32_PAIR_H
#define CANDLE_ROCM_F32_PAIR_H

#include "common/platform.h"

#if PLATFORM_AMD && (defined(__GFX11__) || defined(__GFX12__))
#define DUAL_INSTRUCTIONS 1
#else
#define DUAL_INSTRUCTIONS 0
#endif

#if PLATFORM_AMD
typedef f32 F32Pair __attribute__((ext_vector_type(2)));
#else
struct alignas(8) F32Pair {
  f32 x, y;
};
#endif

// Sum and product as one instruction. Where that takes two neighbours that compilers find late, nothing is mixed with them.
#if PLATFORM_AMD
DEVICE F32Pair pair_at_once(F32Pair pair) {
  const F32Pair result = opaque(pair);
#if DUAL_INSTRUCTIONS
  __builtin_amdgcn_sched_barrier(0);
#endif
  return result;
}
#endif
DEVICE F32Pair pair_add(F32Pair a, F32Pair b) {
#if PLATFORM_AMD
  return pair_at_once(a + b);
#else
  return {math::add(a.x, b.x), math::add(a.y, b.y)};
#endif
}
DEVICE F32Pair pair_mul(F32Pair a, F32Pair b) {
#if PLATFORM_AMD
  return pair_at_once(a * b);
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

// A pair that pair_fma adds to in place: dual instructions do if its numbers are in registers of their own.
DEVICE F32Pair pair_in_place(F32Pair pair) {
#if DUAL_INSTRUCTIONS
  f32 x = pair.x, y = pair.y;
  asm("" : "+v"(x), "+v"(y));
  __builtin_amdgcn_sched_barrier(0);
  pair = F32Pair{x, y};
#endif
  return pair;
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
