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

#endif
