// One input: ucopy, the float functions (uexp, ugelu, usilu ...), and those with a parameter (upowf, uelu). Mirrors
// candle-kernels/src/unary.cu (https://github.com/huggingface/candle/blob/main/candle-kernels/src/unary.cu), whose f8
// suffix is fp8_e4m3 except in ucopy_f8_e4m3. Ours in addition: ucopy_{i16,i32}, and uneg uabs usqr urelu usign for
// integers.
//
// Launch: any grid of 1-D blocks; 256 threads and about 16 to 64 bytes per thread are best. info: dims, strides of inp;
// null if contiguous. inp null: in place on out, contiguous. out is contiguous.
//
// To add a function, add a line to a table.
//
// Meaning, as on candle's CPU backend: the formulas are those of candle-core/src/op.rs (so NaN gives 0 in relu and sign,
// elu goes by the sign bit, round takes halves away from zero, gelu_erf is built from erf). f16, bf16 and f8 calculate in
// f32 and round once, where the CPU rounds after each step of a formula: they are nearer to the exact value.
#include "elementwise.h"
#include "power.h"

namespace unary {

// The cost of an exponential and its relatives, which are long in f64.
template <class T>
constexpr Cost LIBM = is_same<T, double> ? LONG : HEAVY;

// Where T is a half type or f8, approximations with an error of a few f32 ulp do: they vanish when the result is rounded.

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

// candle: x/2 (1 + tanh(u)), u = sqrt(2/pi) x (1 + 0.044715 x^2). As 1 + tanh(u) = 2 / (1 + e^-2u) it takes no tanh, and
// nothing cancels for negative x.
template <class T, class C>
DEVICE C gelu(C x) {
  return x * sigmoid<T>(C(2 * 0.79788456080286535588) * x * (C(1) + C(0.044715) * x * x));
}

// The normal distribution function, erfc(-x / sqrt 2) / 2.
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

// x times it. candle's f32 and f64 take 1 + erf as it stands; its half types come from f64, where what that sum loses to
// cancellation does not show.
template <class T, class C>
DEVICE C gelu_erf(C x) {
  if constexpr (is_small_float<T>) {
    return x * normcdf<T>(x);
  } else {
    return (math::erf(x * C(0.70710678118654752440)) + C(1)) * C(0.5) * x;
  }
}

// sin(x) and cos(x), the latter being sin(x + pi/2): QUARTERS 0 or 1.
template <class T, int QUARTERS, class C>
DEVICE C sine(C x) {
  if constexpr (is_small_float<T>) {
    // Beyond 2^16, where only bf16 gets, the reduction below has too few bits.
    if (is_same<T, bf16> && math::fabs(x) > 65536.0f) return QUARTERS == 0 ? math::sin(x) : math::cos(x);
    // x = n pi/2 + r, |r| <= pi/4; adding 1.5 * 2^23 rounds to an integer and leaves it in the last bits.
    const float shifted = math::fma(x, 0.636619772f, 12582912.0f);
    const float n = shifted - 12582912.0f;
    const u32 quarter = bit_cast<u32>(shifted) + QUARTERS;
    const float r = math::fma(n, 0x1.ee59dap-50f, math::fma(n, 0x1.777a5cp-25f, math::fma(n, -0x1.921fb6p+0f, x)));
    const float z = r * r;
    const float s = math::fma(math::fma(math::fma(z, -1.0f / 5040, 1.0f / 120), z, -1.0f / 6), r * z, r);
    const float c = math::fma(math::fma(math::fma(math::fma(z, 1.0f / 40320, -1.0f / 720), z, 1.0f / 24), z, -0.5f), z, 1.0f);
    const float y = quarter & 1 ? c : s;
    return quarter & 2 ? -y : y;
  } else {
    return QUARTERS == 0 ? math::sin(x) : math::cos(x);
  }
}

// tanh(x) = 1 - 2 / (1 + e^2x), and by its series where that cancels.
template <class T, class C>
DEVICE C tanh(C x) {
  if constexpr (is_small_float<T>) {
    const C far = math::fma(math::fast_recip(C(1) + math::fast_exp(C(2) * x)), C(-2), C(1));
    const C near = x * math::fma(x * x, C(-1.0 / 3), C(1));
    return math::fabs(x) < C(0.0625) ? near : far;
  } else {
    return math::tanh(x);
  }
}

// NaN gives 0, but in f8, where candle keeps it. -0 stays -0.
template <class T, class C>
DEVICE C relu(C x) {
  if (x < C(0)) return C(0);
  return x != x && !is_same<T, f8_e4m3> ? C(0) : x;
}

template <class C>
DEVICE C sign(C x) {
  return C(x > C(0)) - C(x < C(0));
}

template <class T>
DEVICE float pow(float x, float y) {
  return power::of<is_same<T, float>>(x, y);
}
template <class>
DEVICE double pow(double x, double y) {
  return math::pow(x, y);
}

DEVICE bool negative(float x) { return bit_cast<i32>(x) < 0; }
DEVICE bool negative(double x) { return bit_cast<i64>(x) < 0; }

template <class C>
DEVICE C elu(C x, C alpha) {
  return negative(x) ? (math::exp(x) - C(1)) * alpha : x;
}

}  // namespace unary

#define UNARY_KERNEL(NAME, T)                                                                                         \
  KERNEL NAME##_##T(const size_t numel, const size_t num_dims, const size_t* info, const T* inp, T* out) {            \
    elementwise_or_in_place(numel, num_dims, info, NAME<T>{}, out, inp);                                              \
  }

#define PARAM_KERNEL(NAME, T)                                                                                         \
  KERNEL NAME##_##T(const size_t numel, const size_t num_dims, const size_t* info, const T param, const T* inp,       \
                    T* out) {                                                                                         \
    elementwise_or_in_place(numel, num_dims, info, NAME<T>{widen(param)}, out, inp);                                  \
  }

#define FLOAT_KERNELS(KIND, NAME) \
  KIND(NAME, f16)                 \
  KIND(NAME, bf16)                \
  KIND(NAME, f32)                 \
  KIND(NAME, f64)                 \
  KIND(NAME, fp8_e4m3)

// EXPR of x, of type compute_t<T>.
#define FLOAT_UNARY(NAME, EXPR, COSTS)                             \
  template <class T>                                              \
  struct NAME {                                                   \
    static constexpr Cost COST = COSTS;                           \
    DEVICE T operator()(T inp) const {                            \
      using C = compute_t<T>;                                     \
      const C x = widen(inp);                                     \
      return convert<T>(C(EXPR));                                 \
    }                                                             \
  };                                                              \
  FLOAT_KERNELS(UNARY_KERNEL, NAME)

// The same with a parameter p.
#define FLOAT_PARAM(NAME, EXPR, COSTS)                             \
  template <class T>                                              \
  struct NAME {                                                   \
    using C = compute_t<T>;                                       \
    static constexpr Cost COST = COSTS;                           \
    C p;                                                          \
    DEVICE T operator()(T inp) const {                            \
      const C x = widen(inp);                                     \
      return convert<T>(C(EXPR));                                 \
    }                                                             \
  };                                                              \
  FLOAT_KERNELS(PARAM_KERNEL, NAME)

#define INT_UNARY(NAME, EXPR)                                     \
  template <class T>                                              \
  struct NAME##_int {                                             \
    static constexpr Cost COST = LIGHT;                          \
    DEVICE T operator()(T x) const { return T(EXPR); }            \
  };                                                              \
  INT_KERNEL(NAME, u8)                                            \
  INT_KERNEL(NAME, u32)                                           \
  INT_KERNEL(NAME, i16)                                           \
  INT_KERNEL(NAME, i32)                                           \
  INT_KERNEL(NAME, i64)
#define INT_KERNEL(NAME, T)                                                                                           \
  KERNEL NAME##_##T(const size_t numel, const size_t num_dims, const size_t* info, const T* inp, T* out) {            \
    elementwise_or_in_place(numel, num_dims, info, NAME##_int<T>{}, out, inp);                                        \
  }

// ucopy moves bits, whatever they mean.
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

// clang-format off
//          name       of x                            cost
FLOAT_UNARY(uneg,      -x,                             LIGHT)
FLOAT_UNARY(uabs,      math::fabs(x),                  LIGHT)
FLOAT_UNARY(usqr,      x * x,                          LIGHT)
FLOAT_UNARY(urelu,     unary::relu<T>(x),              LIGHT)
FLOAT_UNARY(usign,     unary::sign(x),                 LIGHT)
FLOAT_UNARY(uceil,     math::ceil(x),                  LIGHT)
FLOAT_UNARY(ufloor,    math::floor(x),                 LIGHT)
FLOAT_UNARY(uround,    math::round(x),                 LIGHT)
FLOAT_UNARY(urecip,    math::div(C(1), x),             HEAVY)
FLOAT_UNARY(usqrt,     math::sqrt(x),                  HEAVY)
FLOAT_UNARY(uexp,      math::exp(x),                   unary::LIBM<T>)
FLOAT_UNARY(ulog,      math::log(x),                   unary::LIBM<T>)
FLOAT_UNARY(usin,      (unary::sine<T, 0>(x)),         unary::LIBM<T>)
FLOAT_UNARY(ucos,      (unary::sine<T, 1>(x)),         unary::LIBM<T>)
FLOAT_UNARY(utanh,     unary::tanh<T>(x),              unary::LIBM<T>)
FLOAT_UNARY(uerf,      math::erf(x),                   unary::LIBM<T>)
FLOAT_UNARY(unormcdf,  unary::normcdf<T>(x),           unary::LIBM<T>)
FLOAT_UNARY(ugelu,     unary::gelu<T>(x),              unary::LIBM<T>)
FLOAT_UNARY(ugelu_erf, unary::gelu_erf<T>(x),          unary::LIBM<T>)
FLOAT_UNARY(usilu,     x * unary::sigmoid<T>(x),       unary::LIBM<T>)
FLOAT_UNARY(usigmoid,  unary::sigmoid<T>(x),           unary::LIBM<T>)

//          name       of x and p                      cost
FLOAT_PARAM(upowf,     unary::pow<T>(x, p),            unary::LIBM<T>)
FLOAT_PARAM(uelu,      unary::elu(x, p),               unary::LIBM<T>)

//        name         of x
INT_UNARY(uneg,        0 - u64(x))
INT_UNARY(uabs,        x > 0 ? u64(x) : 0 - u64(x))
INT_UNARY(usqr,        u64(x) * u64(x))
INT_UNARY(urelu,       x > 0 ? x : 0)
INT_UNARY(usign,       x > 0 ? 1 : -(x != 0))
