// Activations of neural networks.
#ifndef CANDLE_ROCM_ACTIVATIONS_H
#define CANDLE_ROCM_ACTIVATIONS_H

#include "common/platform.h"

// The logistic function, 1 / (1 + e^-x). With t = e^-|x| it is 1 / (1 + t) or t / (1 + t), and nothing overflows.
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

// NaN maps to 0, except in f8, where candle propagates it. -0 stays -0.
template <class T, class C>
DEVICE C relu(C x) {
  if (x < C(0)) return C(0);
  return x != x && !is_same<T, f8_e4m3> ? C(0) : x;
}

// candle: x/2 (1 + tanh(u)), u = sqrt(2/pi) x (1 + 0.044715 x^2). Computed as 1 + tanh(u) = 2 / (1 + e^-2u), which needs no
// tanh and does not cancel for negative x.
template <class T, class C>
DEVICE C gelu(C x) {
  return x * sigmoid<T>(C(2 * 0.79788456080286535588) * x * (C(1) + C(0.044715) * x * x));
}

// log2(erfc(x / sqrt 2) / 2) for x from 0 to GELU_END<T>: a fitted polynomial. The relative error of erfc / 2 is 2^-18 for f16,
// and 2^-13.8 (2^-11.8 from 5.8 on) for bf16.
template <class T>
constexpr float GELU_END = is_same<T, bf16> ? 13.3f : 5.8f;
template <class T>
DEVICE float log2_of_tail(float x) {
  float p;
  if constexpr (is_same<T, bf16>) {
    p = math::fma(3.22640746e-8f, x, -1.99478344e-6f);
    p = math::fma(p, x, 5.30297195e-5f);
    p = math::fma(p, x, -8.02102754e-4f);
    p = math::fma(p, x, 7.75813011e-3f);
    p = math::fma(p, x, -5.18560674e-2f);
    p = math::fma(p, x, -0.461207729f);
    p = math::fma(p, x, -1.14991643f);
    return math::fma(p, x, -1.00010422f);
  } else {
    p = math::fma(-1.82873183e-6f, x, 6.14949096e-5f);
    p = math::fma(p, x, -9.29847238e-4f);
    p = math::fma(p, x, 8.50573799e-3f);
    p = math::fma(p, x, -5.39566523e-2f);
    p = math::fma(p, x, -0.458466891f);
    p = math::fma(p, x, -1.15125039f);
    return math::fma(p, x, -0.999995321f);
  }
}

// x times the normal distribution function. f32 and f64 compute 1 + erf like candle. candle computes half types in f64, where
// the cancellation of that sum is harmless. Here they are max(x, 0) - |x| erfc(|x| / sqrt 2) / 2, which does not cancel; beyond
// the range of the fit, the second term is negligible.
template <class T, class C>
DEVICE C gelu_erf(C x) {
  if constexpr (is_small_float<T>) {
    const C size = math::fabs(x), inside = size < GELU_END<T> ? size : GELU_END<T>;
    // -infinity becomes NaN, as in the formula.
    const C positive = math::fma(x, 0.5f, size * 0.5f);
    return math::fma(-inside, math::fast_exp2(log2_of_tail<T>(inside)), positive);
  } else {
    return (math::erf(x * C(0.70710678118654752440)) + C(1)) * C(0.5) * x;
  }
}

// As candle-rocm/src/products/mod.rs numbers them.
enum Activation : u32 { NO_ACTIVATION, RELU, GELU, GELU_ERF, SILU };

// As urelu_*, ugelu_*, ugelu_erf_* and usilu_* have it.
template <class T>
DEVICE T activate(u32 activation, T x) {
  using C = compute_t<T>;
  const C wide = widen(x);
  switch (activation) {
    case RELU:
      return convert<T>(C(relu<T>(wide)));
    case GELU:
      return convert<T>(C(gelu<T>(wide)));
    case GELU_ERF:
      return convert<T>(C(gelu_erf<T>(wide)));
    case SILU:
      return silu<T>(wide);
    default:
      return x;
  }
}

#endif
