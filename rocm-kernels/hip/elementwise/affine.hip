// affine: out = inp * mul + add. Mirrors candle-kernels/src/affine.cu
// (https://github.com/huggingface/candle/blob/main/candle-kernels/src/affine.cu).
//
// Launch: any grid of 1-D blocks, ideally 256 threads and 16 to 64 bytes per thread. info: dimensions, then strides of inp;
// null if contiguous. With a null inp, the operation is in place on out. out is contiguous.
//
// As on candle's CPU backend, product and sum are rounded separately in every type (candle-kernels fuses them); integers
// wrap.
#include "common/elementwise.h"

template <class T>
struct Affine {
  static constexpr Cost COST = LIGHT;
  T mul, add;

  DEVICE T operator()(T x) const {
    if constexpr (is_float<T>) {
      return math::add(math::mul(x, mul), add);
    } else if constexpr (is_small_float<T>) {
      T product = convert<T>(math::mul(widen(x), widen(mul)));
      return convert<T>(math::add(widen(product), widen(add)));
    } else {
      return T(u64(x) * u64(mul) + u64(add));
    }
  }
};

#define AFFINE(T)                                                                                                      \
  KERNEL affine_##T(const size_t numel, const size_t num_dims, const size_t* info, const T* inp, T* out, const T mul,  \
                    const T add) {                                                                                     \
    elementwise_or_in_place(numel, num_dims, info, Affine<T>{mul, add}, out, inp);                                     \
  }

AFFINE(u8)
AFFINE(u32)
AFFINE(i16)
AFFINE(i32)
AFFINE(i64)
AFFINE(f16)
AFFINE(bf16)
AFFINE(f32)
AFFINE(f64)
AFFINE(f8_e4m3)
