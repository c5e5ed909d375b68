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

namespace unary {

// 1 / (1 + e^-x) and x times it, which tends to 0 and x.
template <class C>
DEVICE C sigmoid(C x) {
  return math::div(C(1), C(1) + math::exp(-x));
}
template <class C>
DEVICE C silu(C x) {
  return math::div(x, C(1) + math::exp(-x));
}

// candle: x/2 (1 + tanh(u)), u = sqrt(2/pi) x (1 + 0.044715 x^2). Since 1 + tanh(u) = 2 / (1 + e^-2u) no tanh is needed,
// and nothing cancels for negative x.
template <class C>
DEVICE C gelu(C x) {
  C u = C(0.79788456080286535588) * x * (C(1) + C(0.044715) * x * x);
  return math::div(x, C(1) + math::exp(C(-2) * u));
}

// 1 + erf(x / sqrt 2), twice the normal distribution function. candle's f32 and f64 take this sum as it stands.
template <class C>
DEVICE C one_plus_erf(C x) {
  return math::erf(x * C(0.70710678118654752440)) + C(1);
}
// Half types come from f64 there: erfc gives what the sum would lose to cancellation in f32.
template <class C>
DEVICE C normcdf(C x) {
  return C(0.5) * math::erfc(x * C(-0.70710678118654752440));
}
template <class T, class C>
DEVICE C gelu_erf(C x) {
  if constexpr (is_small_float<T>) return x * normcdf(x);
  return one_plus_erf(x) * C(0.5) * x;
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
#define FLOAT_UNARY(NAME, EXPR, COST)                             \
  template <class T>                                              \
  struct NAME {                                                   \
    static constexpr bool HEAVY = COST;                           \
    DEVICE T operator()(T inp) const {                            \
      using C = compute_t<T>;                                     \
      const C x = widen(inp);                                     \
      return convert<T>(C(EXPR));                                 \
    }                                                             \
  };                                                              \
  FLOAT_KERNELS(UNARY_KERNEL, NAME)

// The same with a parameter p.
#define FLOAT_PARAM(NAME, EXPR, COST)                             \
  template <class T>                                              \
  struct NAME {                                                   \
    using C = compute_t<T>;                                       \
    static constexpr bool HEAVY = COST;                           \
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
    static constexpr bool HEAVY = false;                          \
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
  static constexpr bool HEAVY = false;
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
//          name       of x                            heavy
FLOAT_UNARY(uneg,      -x,                             false)
FLOAT_UNARY(uabs,      math::fabs(x),                  false)
FLOAT_UNARY(usqr,      x * x,                          false)
FLOAT_UNARY(urelu,     unary::relu<T>(x),              false)
FLOAT_UNARY(usign,     unary::sign(x),                 false)
FLOAT_UNARY(uceil,     math::ceil(x),                  false)
FLOAT_UNARY(ufloor,    math::floor(x),                 false)
FLOAT_UNARY(uround,    math::round(x),                 false)
FLOAT_UNARY(urecip,    math::div(C(1), x),             true)
FLOAT_UNARY(usqrt,     math::sqrt(x),                  true)
FLOAT_UNARY(uexp,      math::exp(x),                   true)
FLOAT_UNARY(ulog,      math::log(x),                   true)
FLOAT_UNARY(usin,      math::sin(x),                   true)
FLOAT_UNARY(ucos,      math::cos(x),                   true)
FLOAT_UNARY(utanh,     math::tanh(x),                  true)
FLOAT_UNARY(uerf,      math::erf(x),                   true)
FLOAT_UNARY(unormcdf,  unary::normcdf(x),              true)
FLOAT_UNARY(ugelu,     unary::gelu(x),                 true)
FLOAT_UNARY(ugelu_erf, unary::gelu_erf<T>(x),          true)
FLOAT_UNARY(usilu,     unary::silu(x),                 true)
FLOAT_UNARY(usigmoid,  unary::sigmoid(x),              true)

//          name       of x and p                      heavy
FLOAT_PARAM(upowf,     math::pow(x, p),                true)
FLOAT_PARAM(uelu,      unary::elu(x, p),               true)

//        name         of x
INT_UNARY(uneg,        0 - u64(x))
INT_UNARY(uabs,        x > 0 ? u64(x) : 0 - u64(x))
INT_UNARY(usqr,        u64(x) * u64(x))
INT_UNARY(urelu,       x > 0 ? x : 0)
INT_UNARY(usign,       x > 0 ? 1 : -(x != 0))
