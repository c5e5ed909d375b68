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

// x * sigmoid(x), of x rounded to T, as usilu_* has it.
template <class T>
DEVICE T silu(compute_t<T> x) {
  using C = compute_t<T>;
  const C rounded = widen(convert<T>(x));
  return convert<T>(C(rounded * sigmoid<T>(rounded)));
}

// silu(gate) * up, each step rounded to T, as usilu_* and bmul_* do, but for the sign of zeros of f16: on AMD, clang may round to f16 by the
// instruction that multiplies, which also adds +0.
template <class T>
DEVICE T silu_mul(compute_t<T> gate, compute_t<T> up) {
  const compute_t<T> activated = widen(silu<T>(gate)), u = widen(convert<T>(up));
  return convert<T>(compute_t<T>(activated * u));
}

#endif
