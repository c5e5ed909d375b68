// The types that sums are accumulated in.
#ifndef CANDLE_ROCM_ACCUMULATOR_H
#define CANDLE_ROCM_ACCUMULATOR_H

#include "common/platform.h"

template <bool, class A, class>
struct Either {
  using type = A;
};
template <class A, class B>
struct Either<false, A, B> {
  using type = B;
};

// Floats accumulate in their compute type. Integers wrap: a sum modulo 2^32 is also right modulo 2^8 and 2^16.
template <class T>
struct SumOf {
  using C = compute_t<T>;
  using type = typename Either<is_float<C>, C, typename Either<sizeof(T) == 8, u64, u32>::type>::type;
};

template <class S>
DEVICE S multiply_add(S a, S b, S sum) {
  if constexpr (is_float<S>) {
    return math::fma(a, b, sum);
  } else {
    return a * b + sum;
  }
}

#endif
