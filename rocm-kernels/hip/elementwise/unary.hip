// Unary functions: ucopy, float functions (uexp, ugelu, usilu ...), and those with a parameter (upowf, uelu). Mirrors
// candle-kernels/src/unary.cu (https://github.com/huggingface/candle/blob/main/candle-kernels/src/unary.cu), whose f8
// suffix is fp8_e4m3 except in ucopy_f8_e4m3. In addition: ucopy_{i16,i32}, and uneg uabs usqr urelu usign for integers.
//
// Launch: any grid of 1-D blocks, ideally 256 threads and 16 to 64 bytes per thread. info: dimensions, then strides of inp;
// null if contiguous. With a null inp, the operation is in place on out. out is contiguous.
//
// To add a function, add a line to a table.
//
// Semantics, as on candle's CPU backend: the formulas are those of candle-core/src/op.rs (relu and sign map NaN to 0, elu
// tests the sign bit, round rounds halves away from zero, gelu_erf is defined by erf). f16, bf16 and f8 compute in f32 and
// round once, which is more accurate than the CPU backend's rounding after each step.
#include "common/activations.h"
#include "common/elementwise.h"
#include "common/fast_math.h"
#include "elementwise/power.h"

namespace unary {

// The cost of exponentials and related functions, which are expensive in f64.
template <class T>
constexpr Cost LIBM = is_same<T, double> ? LONG : HEAVY;

// The cost of functions that are cheap for half types.
template <class T>
constexpr Cost SHORT = is_small_float<T> ? LIGHT : LIBM<T>;

// For half types and f8, approximations with an error of a few f32 ulp suffice, here and in activations.h: it disappears when the
// result is rounded.

// The cumulative distribution function of the normal distribution, erfc(-x / sqrt 2) / 2.
template <class T, class C>
DEVICE C normcdf(C x) {
  if constexpr (is_small_float<T>) {
    // erfc(z) = t 2^p(t) e^-z^2 with t = 1 / (1 + 0.4 z), p a polynomial fitted for 0 <= z <= 9.5: relative error 3e-6.
    const C t = math::fast_recip(math::fma(math::fabs(x), 0.28284271f, 1.0f));
    C p = math::fma(0.34453607f, t, -1.0813776f);
    p = math::fma(p, t, 0.8704952f);
    p = math::fma(p, t, -0.10911822f);
    p = math::fma(p, t, 0.68996984f);
    p = math::fma(p, t, 1.4327112f);
    p = math::fma(p, t, -2.1472125f);
    // -z^2 log2(e), with z = |x| / sqrt 2.
    const C tail = C(0.5) * t * math::fast_exp2(math::fma(x * x, -0.72134752f, p));
    return x < C(0) ? tail : C(1) - tail;
  } else {
    return C(0.5) * math::erfc(x * C(-0.70710678118654752440));
  }
}

// sin(x), or cos(x) = sin(x + pi/2). With x = n pi + r for sin, x = (n - 1/2) pi + r for cos, and |r| <= pi/2, the result is
// sin(r), or -sin(r) for odd n. Beyond 2^16, this representation of pi has too few bits.
template <class T, bool COS>
DEVICE float sine(float x, bool& valid) {
  if constexpr (!is_same<T, f16> && !is_same<T, f8_e4m3>) valid = valid && math::fabs(x) < 65536.0f;
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the last bits.
  const float shifted = math::fma(x, 0.318309886f, COS ? 0.5f : 0.0f) + 12582912.0f;
  const float n = shifted - 12582912.0f - (COS ? 0.5f : 0.0f);
  // pi is split into parts of the same sign, so that -0 stays -0; the first step is exact.
  float r = math::fma(n, -0x1.921fb4p+1f, x);
  r = math::fma(n, -0x1.4442d0p-23f, r);
  if constexpr (!is_small_float<T>) r = math::fma(n, -0x1.846988p-47f, r);
  const float z = r * r;
  // Fitted, with relative errors of 2^-19.7 and 2^-27.2.
  float p = is_small_float<T> ? math::fma(z, -1.85256904e-4f, 8.31377866e-3f)
                              : math::fma(math::fma(z, 2.60387127e-6f, -1.98087815e-4f), z, 8.3330557e-3f);
  p = math::fma(p, z, is_small_float<T> ? -0.166658209f : -0.166666592f);
  const float y = math::fma(math::fma(p, z, 0.0f), r, r);  // + 0: -0 stays -0
  return bit_cast<float>(bit_cast<u32>(y) ^ (bit_cast<u32>(shifted) << 31));
}

// Square root and reciprocal, correctly rounded.
DEVICE bool plain(float x) {
  const float size = math::fabs(x);
  return size > 0x1p-100f && size < 0x1p100f;
}
template <class T, class C>
DEVICE C sqrt(C x) {
  const C infinity = C(bit_cast<float>(0x7f800000u));
  if constexpr (is_same<T, bf16>) {
    // The relative distance of a root from any midpoint of 8-bit numbers is at least 2^-19, far more than the error.
    const bool tiny = x < 0x1p-126f;
    const C scaled = tiny ? x * 0x1p24f : x, y = scaled * math::fast_rsqrt(scaled);
    return x == C(0) || x == infinity ? x : tiny ? y * 0x1p-12f : y;
  } else if constexpr (is_small_float<T>) {
    return x == infinity ? x : math::plain_sqrt(x);
  } else {
    return math::sqrt(x);
  }
}
DEVICE float quick_sqrt(float x, bool& valid) {
  valid = valid && (plain(x) || x == 0.0f);
  return math::plain_sqrt(x);
}
template <class T>
DEVICE float quick_recip(float x, bool& valid) {
  if constexpr (is_same<T, float>) {
    valid = valid && plain(x);
    return math::plain_recip(x);
  } else {
    bool all = true;
    const float y = quick_divide(1.0f, x, all);
    // Only bf16 has numbers outside f32's normal range.
    if (is_same<T, bf16>) valid = valid && all;
    return y;
  }
}

// ln(x). Close to 1, where the hardware's logarithm is inaccurate, a fitted polynomial.
template <class T, class C>
DEVICE C log(C x) {
  if constexpr (is_small_float<T>) {
    // bf16 has the subnormal range of f32.
    const bool tiny = is_same<T, bf16> && x < 0x1p-126f;
    const C far = math::fast_log2(tiny ? x * 0x1p24f : x) * 0.693147181f - (tiny ? 16.6355323f : 0.0f);
    const C t = x - C(1);
    const C p = math::fma(math::fma(math::fma(t, -0.250783626f, 0.334116621f), t, -0.499999298f), t, 0.999999617f);
    return math::fabs(t) < 0.0625f ? t * p : far;
  } else {
    return math::log(x);
  }
}

// The error function.
template <class T, class C>
DEVICE C erf(C x) {
  if constexpr (is_small_float<T>) {
    // A polynomial in x^2 fitted for |x| <= 3, relative error 2^-15; beyond, half types round to 1.
    const C a = x > C(3) ? C(3) : x < C(-3) ? C(-3) : x, z = a * a;
    C p = math::fma(z, 4.52059529e-8f, -2.12016478e-6f);
    p = math::fma(p, z, 4.39105257e-5f);
    p = math::fma(p, z, -5.35775324e-4f);
    p = math::fma(p, z, 4.3587864e-3f);
    p = math::fma(p, z, -2.54560432e-2f);
    p = math::fma(p, z, 0.111625094f);
    p = math::fma(p, z, -0.375704063f);
    return a * math::fma(p, z, 1.12835332f);
  } else {
    return math::erf(x);
  }
}

// tanh(x) = 1 - 2 / (1 + e^2x), and its series where that cancels.
template <class T, class C>
DEVICE C tanh(C x) {
  if constexpr (is_small_float<T>) {
    const C far = math::fma(math::fast_recip(C(1) + math::fast_exp(C(2) * x)), C(-2), C(1));
    const C near = x * math::fma(x * x, C(-1.0 / 3), C(1));
    return math::fabs(x) < C(0.0625) ? near : far;
  } else if constexpr (is_same<T, float>) {
    return math::quick_tanh(x);
  } else {
    return math::tanh(x);
  }
}

template <class C>
DEVICE C sign(C x) {
  return C(x > C(0)) - C(x < C(0));
}

DEVICE bool negative(float x) { return bit_cast<i32>(x) < 0; }
DEVICE bool negative(double x) { return bit_cast<i64>(x) < 0; }

template <class T, class C>
DEVICE C elu(C x, C alpha) {
  if constexpr (is_small_float<T>) {
    // Close to 0, where the difference would cancel, a fitted polynomial.
    const C near = x * math::fma(math::fma(x, 0.159046455f, 0.499643843f), x, 0.999997505f);
    return negative(x) ? (x > C(-0.125) ? near : math::fast_exp(x) - C(1)) * alpha : x;
  } else {
    return negative(x) ? (math::exp(x) - C(1)) * alpha : x;
  }
}

}  // namespace unary

#define UNARY_KERNEL(NAME, T)                                                                                          \
  KERNEL NAME##_##T(const size_t numel, const size_t num_dims, const size_t* info, const T* inp, T* out) {             \
    elementwise_or_in_place(numel, num_dims, info, NAME<T>{}, out, inp);                                               \
  }

#define PARAM_KERNEL(NAME, T)                                                                                          \
  KERNEL NAME##_##T(const size_t numel, const size_t num_dims, const size_t* info, const T param, const T* inp,        \
                    T* out) {                                                                                          \
    elementwise_or_in_place(numel, num_dims, info, NAME<T>{widen(param)}, out, inp);                                   \
  }

#define FLOAT_KERNELS(KIND, NAME)                                                                                      \
  KIND(NAME, f16)                                                                                                      \
  KIND(NAME, bf16)                                                                                                     \
  KIND(NAME, f32)                                                                                                      \
  KIND(NAME, f64)                                                                                                      \
  KIND(NAME, fp8_e4m3)

// EXPR of x, of type compute_t<T>.
#define FLOAT_UNARY(NAME, EXPR, COSTS)                                                                                 \
  template <class T>                                                                                                   \
  struct NAME {                                                                                                        \
    static constexpr Cost COST = COSTS;                                                                                \
    DEVICE T operator()(T inp) const {                                                                                 \
      using C = compute_t<T>;                                                                                          \
      const C x = widen(inp);                                                                                          \
      return convert<T>(C(EXPR));                                                                                      \
    }                                                                                                                  \
  };                                                                                                                   \
  FLOAT_KERNELS(UNARY_KERNEL, NAME)

// The same with a parameter p.
#define FLOAT_PARAM(NAME, EXPR, COSTS)                                                                                 \
  template <class T>                                                                                                   \
  struct NAME {                                                                                                        \
    using C = compute_t<T>;                                                                                            \
    static constexpr Cost COST = COSTS;                                                                                \
    C p;                                                                                                               \
    DEVICE T operator()(T inp) const {                                                                                 \
      const C x = widen(inp);                                                                                          \
      return convert<T>(C(EXPR));                                                                                      \
    }                                                                                                                  \
  };                                                                                                                   \
  FLOAT_KERNELS(PARAM_KERNEL, NAME)

// With a fast path for most x, for types that satisfy WHERE: QUICK is its result in compute_t<T>.
#define FLOAT_QUICK(NAME, EXPR, QUICK, WHERE, COSTS)                                                                   \
  template <class T>                                                                                                   \
  struct NAME {                                                                                                        \
    using C = compute_t<T>;                                                                                            \
    static constexpr Cost COST = COSTS;                                                                                \
    DEVICE T operator()(T inp) const {                                                                                 \
      const C x = widen(inp);                                                                                          \
      return convert<T>(C(EXPR));                                                                                      \
    }                                                                                                                  \
    DEVICE T quick(T inp, bool& valid) const {                                                                         \
      const C x = widen(inp);                                                                                          \
      return convert<T>(C(QUICK));                                                                                     \
    }                                                                                                                  \
  };                                                                                                                   \
  template <class T>                                                                                                   \
  constexpr bool has_quick<NAME<T>> = !is_same<T, f64> && (WHERE);                                                     \
  FLOAT_KERNELS(UNARY_KERNEL, NAME)

#define INT_UNARY(NAME, EXPR)                                                                                          \
  template <class T>                                                                                                   \
  struct NAME##_int {                                                                                                  \
    static constexpr Cost COST = LIGHT;                                                                                \
    DEVICE T operator()(T x) const { return T(EXPR); }                                                                 \
  };                                                                                                                   \
  INT_KERNEL(NAME, u8)                                                                                                 \
  INT_KERNEL(NAME, u32)                                                                                                \
  INT_KERNEL(NAME, i16)                                                                                                \
  INT_KERNEL(NAME, i32)                                                                                                \
  INT_KERNEL(NAME, i64)
#define INT_KERNEL(NAME, T)                                                                                            \
  KERNEL NAME##_##T(const size_t numel, const size_t num_dims, const size_t* info, const T* inp, T* out) {             \
    elementwise_or_in_place(numel, num_dims, info, NAME##_int<T>{}, out, inp);                                         \
  }

// ucopy copies bits.
template <class T>
struct ucopy {
  static constexpr Cost COST = LIGHT;
  DEVICE T operator()(T x) const { return x; }
};
UNARY_KERNEL(ucopy, u8)
UNARY_KERNEL(ucopy, u32)
UNARY_KERNEL(ucopy, i16)
UNARY_KERNEL(ucopy, i32)
UNARY_KERNEL(ucopy, i64)
UNARY_KERNEL(ucopy, f16)
UNARY_KERNEL(ucopy, bf16)
UNARY_KERNEL(ucopy, f32)
UNARY_KERNEL(ucopy, f64)
UNARY_KERNEL(ucopy, f8_e4m3)

template <class T>
struct upowf {
  // bf16 has more conditions, and two vectors of it would exceed gfx906's registers.
  static constexpr Cost COST = is_same<T, bf16> ? HEAVY : unary::SHORT<T>;
  power::Exponent exponent;
  DEVICE explicit upowf(float y) : exponent(y) {}
  DEVICE T operator()(T x) const { return convert<T>(power::of(widen(x), exponent.y)); }
  DEVICE T quick(T x, bool& valid) const {
    if constexpr (is_same<T, float>) {
      return exponent.quick(x, valid);
    } else {
      return convert<T>(exponent.template quick_narrow<T>(widen(x), valid));
    }
  }
};
template <>
struct upowf<f64> {
  static constexpr Cost COST = LONG;
  f64 y;
  DEVICE f64 operator()(f64 x) const { return math::pow(x, y); }
};
template <class T>
constexpr bool has_quick<upowf<T>> = !is_same<T, f64>;
FLOAT_KERNELS(PARAM_KERNEL, upowf)

// clang-format off
//          name       of x                            cost
FLOAT_UNARY(uneg,      -x,                             LIGHT)
FLOAT_UNARY(uabs,      math::fabs(x),                  LIGHT)
FLOAT_UNARY(usqr,      x * x,                          LIGHT)
FLOAT_UNARY(urelu,     relu<T>(x),                     LIGHT)
FLOAT_UNARY(usign,     unary::sign(x),                 LIGHT)
FLOAT_UNARY(uceil,     math::ceil(x),                  LIGHT)
FLOAT_UNARY(ufloor,    math::floor(x),                 LIGHT)
FLOAT_UNARY(uround,    math::round(x),                 LIGHT)
FLOAT_UNARY(uexp,      math::exp(x),                   unary::SHORT<T>)
FLOAT_UNARY(ulog,      unary::log<T>(x),               unary::SHORT<T>)
FLOAT_UNARY(utanh,     unary::tanh<T>(x),              (is_same<T, double> ? LONG : LIGHT))
FLOAT_UNARY(uerf,      unary::erf<T>(x),               unary::SHORT<T>)
FLOAT_UNARY(unormcdf,  unary::normcdf<T>(x),           unary::LIBM<T>)
FLOAT_UNARY(ugelu,     gelu<T>(x),                     unary::LIBM<T>)
FLOAT_UNARY(ugelu_erf, gelu_erf<T>(x),                 unary::SHORT<T>)
FLOAT_UNARY(usilu,     x * sigmoid<T>(x),              unary::LIBM<T>)
FLOAT_UNARY(usigmoid,  sigmoid<T>(x),                  unary::LIBM<T>)

//          name       of x and p                      cost
FLOAT_PARAM(uelu,      unary::elu<T>(x, p),            unary::SHORT<T>)

//          name       of x                           for most x                             where                cost
FLOAT_QUICK(urecip,    math::div(C(1), x),             unary::quick_recip<T>(x, valid),        math::HAS_PLAIN || is_small_float<T>, unary::SHORT<T>)
FLOAT_QUICK(usqrt,     unary::sqrt<T>(x),              unary::quick_sqrt(x, valid),            math::HAS_PLAIN && is_float<T>, unary::SHORT<T>)
FLOAT_QUICK(usin,      math::sin(x),                   (unary::sine<T, false>(x, valid)),      true,                unary::SHORT<T>)
FLOAT_QUICK(ucos,      math::cos(x),                   (unary::sine<T, true>(x, valid)),       true,                unary::SHORT<T>)

//        name         of x
INT_UNARY(uneg,        0 - u64(x))
INT_UNARY(uabs,        x > 0 ? u64(x) : 0 - u64(x))
INT_UNARY(usqr,        u64(x) * u64(x))
INT_UNARY(urelu,       x > 0 ? x : 0)
INT_UNARY(usign,       x > 0 ? 1 : -(x != 0))
