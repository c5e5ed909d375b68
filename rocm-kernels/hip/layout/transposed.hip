// Arithmetic on a transposed operand, fused with its transposition, which saves writing and reading a copy. candle has no
// counterpart: it reads such operands with uncoalesced accesses.
//
//   transposed_affine_<type>(..., src, dst, mul, add)                        dst = src * mul + add
//   transposed_{badd,bsub,bmul,bdiv}_<type>(..., src, dst, other, swapped)   dst = src op other; swapped: other op src
//
// for f16, bf16 and f32. The parameters before src and the launch are those of transpose_* in transpose.hip. `other` has the
// layout of dst, which must not overlap src. The results are those of affine_* and b*_*.
#include "layout/transpose.h"

template <class T>
using Bits = typename Word<sizeof(T)>::type;

template <class T>
DEVICE const Bits<T>* bits(const T* p) {
  return reinterpret_cast<const Bits<T>*>(p);
}

template <class T>
struct Affine {
  T* dst;
  float mul, add;

  DEVICE bool aligned() const { return is_aligned(dst, VECTOR_BYTES); }
  template <int>
  using Theirs = Nothing;
  template <int N>
  DEVICE Nothing load(u64) const {
    return {};
  }
  template <int N>
  DEVICE void store(u64 at, const Vec<Bits<T>, N>& src, Nothing) const {
    Vec<T, N> x = bit_cast<Vec<T, N>>(src);
    UNROLLED
    for (int j = 0; j < N; j++) {
      const T product = convert<T>(math::mul(widen(x.at[j]), mul));
      x.at[j] = convert<T>(math::add(widen(product), add));
    }
    store_vec(dst + at, x);
  }
};

template <class T, class Op>
struct WithOther {
  T* dst;
  const T* other;
  bool swapped;

  DEVICE bool aligned() const { return is_aligned(dst, VECTOR_BYTES) && is_aligned(other, VECTOR_BYTES); }
  template <int N>
  using Theirs = Vec<T, N>;
  template <int N>
  DEVICE Vec<T, N> load(u64 at) const {
    return load_vec<N>(other + at);
  }
  template <int N>
  DEVICE void store(u64 at, const Vec<Bits<T>, N>& src, const Vec<T, N>& theirs) const {
    Vec<T, N> x = bit_cast<Vec<T, N>>(src);
    UNROLLED
    for (int j = 0; j < N; j++) {
      const float a = widen(x.at[j]), b = widen(theirs.at[j]);
      x.at[j] = convert<T>(Op::of(swapped ? b : a, swapped ? a : b));
    }
    store_vec(dst + at, x);
  }
};

#define AFFINE(T)                                                                                                      \
  KERNEL transposed_affine_##T(TRANSPOSED, const T* src, T* dst, const T mul, const T add) {                           \
    transpose(TRANSPOSE, bits(src), Affine<T>{dst, widen(mul), widen(add)});                                           \
  }
AFFINE(f16)
AFFINE(bf16)
AFFINE(f32)

#define BINARY(NAME, EXPR)                                                                                             \
  struct NAME {                                                                                                        \
    static DEVICE float of(float x, float y) { return EXPR; }                                                          \
  };                                                                                                                   \
  BINARY_KERNEL(NAME, f16)                                                                                             \
  BINARY_KERNEL(NAME, bf16)                                                                                            \
  BINARY_KERNEL(NAME, f32)
#define BINARY_KERNEL(NAME, T)                                                                                         \
  KERNEL transposed_##NAME##_##T(TRANSPOSED, const T* src, T* dst, const T* other, const u32 swapped) {                \
    transpose(TRANSPOSE, bits(src), WithOther<T, NAME>{dst, other, swapped != 0});                                     \
  }

BINARY(badd, x + y)
BINARY(bsub, x - y)
BINARY(bmul, x* y)
BINARY(bdiv, math::div(x, y))
