// The logistic function.
#ifndef CANDLE_ROCM_SIGMOID_H
#define CANDLE_ROCM_SIGMOID_H

#include "common/platform.h"

// 1 / (1 + e^-x). With t = e^-|x| it is 1 / (1 + t) or t / (1 + t), and nothing overflows.
template <class T, class C>
DEVICE C sigmoid(C x) {
  const C magnitude = math::fabs(x);
  C t, r;
  if constexpr (is_small_float<T>) {
    t = math::fast_exp(-magnitude), r = math::fast_recip(C(1) + t);
  } else {
    t = math::exp(-magnitude), r = math::recip(C(1) + t);
  }
  return x < C(0) ? t * r : r;
}

// silu(gate) * up, each step rounded to T, as usilu_* and bmul_* do, but for the sign of zeros of f16: on AMD, clang may round to f16 by the
// instruction that multiplies, which also adds +0.
template <class T>
DEVICE T silu_mul(compute_t<T> gate, compute_t<T> up) {
  using C = compute_t<T>;
  const C g = widen(convert<T>(gate)), u = widen(convert<T>(up));
  const C activated = widen(convert<T>(C(g * sigmoid<T>(g))));
  return convert<T>(C(activated * u));
}

#endif
