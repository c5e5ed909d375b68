// where_<condition>_<type>: out = ids ? t : f. Mirrors candle-kernels/src/ternary.cu
// (https://github.com/huggingface/candle/blob/main/candle-kernels/src/ternary.cu), which spells f8 as fp8_e4m3, for all
// condition types of candle (u8 u32 i64 i16 i32) and all ten types.
//
// Launch: any grid of 1-D blocks, ideally 256 threads and 16 to 64 bytes per thread. info: dimensions, then strides of ids,
// t and f; null if all are contiguous. out is contiguous. Both t and f are always read.
#include "common/elementwise.h"

template <class Condition, class T>
struct Where {
  static constexpr Cost COST = LIGHT;
  DEVICE T operator()(Condition c, T t, T f) const { return c != 0 ? t : f; }
};

#define WHERE(I, T)                                                                                                    \
  KERNEL where_##I##_##T(const size_t numel, const size_t num_dims, const size_t* info, const I* ids, const T* t,      \
                         const T* f, T* out) {                                                                         \
    elementwise(numel, num_dims, info, Where<I, T>{}, out, ids, t, f);                                                 \
  }

#define WHERE_BY(I)                                                                                                    \
  WHERE(I, u8)                                                                                                         \
  WHERE(I, u32)                                                                                                        \
  WHERE(I, i16)                                                                                                        \
  WHERE(I, i32)                                                                                                        \
  WHERE(I, i64)                                                                                                        \
  WHERE(I, f16)                                                                                                        \
  WHERE(I, bf16)                                                                                                       \
  WHERE(I, f32)                                                                                                        \
  WHERE(I, f64)                                                                                                        \
  WHERE(I, fp8_e4m3)

WHERE_BY(u8)
WHERE_BY(u32)
WHERE_BY(i16)
WHERE_BY(i32)
WHERE_BY(i64)
