// cast_<source>_<target>: all 100 pairs of the ten types. Mirrors candle-kernels/src/cast.cu
// (https://github.com/huggingface/candle/blob/main/candle-kernels/src/cast.cu), which has 58 of them.
//
// Launch: any grid of 1-D blocks, ideally 256 threads and 16 to 64 bytes per thread. info: dimensions, then strides of inp;
// null if contiguous. out is contiguous.
//
// Semantics, as on candle's CPU backend (Rust's `as`): floats truncate to integers, saturate, and map NaN to 0
// (candle-kernels wraps into u8); integers wrap, and are converted to f16, bf16 and f8 through f32. See dtype.h.
#include "common/elementwise.h"

template <class To, class From>
struct Cast {
  static constexpr Cost COST = LIGHT;
  DEVICE To operator()(From x) const { return convert<To>(x); }
};

#define CAST(FROM, TO)                                                                                                 \
  KERNEL cast_##FROM##_##TO(const size_t numel, const size_t num_dims, const size_t* info, const FROM* inp, TO* out) { \
    elementwise(numel, num_dims, info, Cast<TO, FROM>{}, out, inp);                                                    \
  }

#define CASTS_FROM(T)                                                                                                  \
  CAST(T, u8)                                                                                                          \
  CAST(T, u32)                                                                                                         \
  CAST(T, i16)                                                                                                         \
  CAST(T, i32)                                                                                                         \
  CAST(T, i64)                                                                                                         \
  CAST(T, f16)                                                                                                         \
  CAST(T, bf16)                                                                                                        \
  CAST(T, f32)                                                                                                         \
  CAST(T, f64)                                                                                                         \
  CAST(T, f8_e4m3)

CASTS_FROM(u8)
CASTS_FROM(u32)
CASTS_FROM(i16)
CASTS_FROM(i32)
CASTS_FROM(i64)
CASTS_FROM(f16)
CASTS_FROM(bf16)
CASTS_FROM(f32)
CASTS_FROM(f64)
CASTS_FROM(f8_e4m3)
