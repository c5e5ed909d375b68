// Binary operations: badd bsub bmul bdiv bmaximum bminimum, and the comparisons eq ne lt le gt ge with output u8. Mirrors
// candle-kernels/src/binary.cu (https://github.com/huggingface/candle/blob/main/candle-kernels/src/binary.cu), for all ten
// types.
//
// Launch: any grid of 1-D blocks, ideally 256 threads and 16 to 64 bytes per thread. info: dimensions, then strides of lhs
// and of rhs; null if both are contiguous. out is contiguous and must not overlap an input, but may be an input if info is
// null.
//
// To add an operation, add a line to the table at the end.
//
// Semantics, as on candle's CPU backend: floats are rounded once, and f16, bf16 and f8 compute in f32; integers wrap. Maximum
// and minimum return rhs if it compares greater (less), else lhs: a NaN in lhs propagates, one in rhs does not
// (candle-kernels propagates neither in f32 and f64, and both in half precision). Integer division by zero, where the CPU
// backend panics, sets all bits of the result; the lowest integer divided by -1 is itself.
#include "common/elementwise.h"
#include "common/fast_math.h"

// Division without traps or undefined behaviour.
template <class T>
DEVICE float divide(float x, float y) {
  if constexpr (is_same<T, float> || is_same<T, bf16>) {
    return math::div(x, y);
  } else {
    bool valid = true;
    return quick_divide(x, y, valid);
  }
}
template <class T>
DEVICE double divide(double x, double y) {
  return math::div(x, y);
}
template <class, class T>
DEVICE T divide(T x, T y) {
  constexpr bool SIGNED = T(-1) < T(0);
  if (y == T(0)) return T(-1);
  if (SIGNED && y == T(-1)) return T(0 - u64(x));
  return T(x / y);
}

// Integers multiply, add and subtract modulo 2^64 and are then truncated, which avoids signed overflow.
DEVICE float wrap(float x) { return x; }
DEVICE double wrap(double x) { return x; }
template <class T>
DEVICE u64 wrap(T x) {
  return u64(x);
}

#define BINARY(NAME, OUT, EXPR, COSTS)                                                                                 \
  template <class T>                                                                                                   \
  struct NAME {                                                                                                        \
    static constexpr Cost COST = COSTS;                                                                                \
    DEVICE OUT operator()(T a, T b) const {                                                                            \
      const auto x = widen(a), y = widen(b);                                                                           \
      return convert<OUT>(compute_t<OUT>(EXPR));                                                                       \
    }                                                                                                                  \
  };                                                                                                                   \
  BINARY_KERNELS(NAME, OUT)
#define BINARY_KERNELS(NAME, OUT)                                                                                      \
  BINARY_KERNEL(NAME, OUT, u8)                                                                                         \
  BINARY_KERNEL(NAME, OUT, u32)                                                                                        \
  BINARY_KERNEL(NAME, OUT, i16)                                                                                        \
  BINARY_KERNEL(NAME, OUT, i32)                                                                                        \
  BINARY_KERNEL(NAME, OUT, i64)                                                                                        \
  BINARY_KERNEL(NAME, OUT, f16)                                                                                        \
  BINARY_KERNEL(NAME, OUT, bf16)                                                                                       \
  BINARY_KERNEL(NAME, OUT, f32)                                                                                        \
  BINARY_KERNEL(NAME, OUT, f64)                                                                                        \
  BINARY_KERNEL(NAME, OUT, f8_e4m3)

// OUT is T if the output has the type of the inputs.
#define BINARY_KERNEL(NAME, OUT, TYPE)                                                                                 \
  KERNEL NAME##_##TYPE(const size_t numel, const size_t num_dims, const size_t* info, const TYPE* lhs,                 \
                       const TYPE* rhs, OutputOf<TYPE>::OUT* out) {                                                    \
    elementwise(numel, num_dims, info, NAME<TYPE>{}, out, lhs, rhs);                                                   \
  }

template <class Input>
struct OutputOf {
  using T = Input;
  using u8 = unsigned char;
};

template <class T>
struct bdiv {
  static constexpr Cost COST = is_small_float<T> ? LIGHT : HEAVY;
  DEVICE T operator()(T x, T y) const { return convert<T>(divide<T>(widen(x), widen(y))); }
  DEVICE T quick(T x, T y, bool& valid) const { return convert<T>(quick_divide(widen(x), widen(y), valid)); }
};
template <>
constexpr bool has_quick<bdiv<bf16>> = true;
BINARY_KERNELS(bdiv, T)

// clang-format off
//     name      out  of x and y              cost
BINARY(badd,     T,   wrap(x) + wrap(y),      LIGHT)
BINARY(bsub,     T,   wrap(x) - wrap(y),      LIGHT)
BINARY(bmul,     T,   wrap(x) * wrap(y),      LIGHT)
BINARY(bmaximum, T,   x < y ? y : x,          LIGHT)
BINARY(bminimum, T,   x > y ? y : x,          LIGHT)
BINARY(eq,       u8,  x == y,                 LIGHT)
BINARY(ne,       u8,  x != y,                 LIGHT)
BINARY(lt,       u8,  x < y,                  LIGHT)
BINARY(le,       u8,  x <= y,                 LIGHT)
BINARY(gt,       u8,  x > y,                  LIGHT)
BINARY(ge,       u8,  x >= y,                 LIGHT)
