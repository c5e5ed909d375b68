// Indexed reads and writes along one dimension. The first group mirrors candle-kernels/src/indexing.cu
// (https://github.com/huggingface/candle/blob/main/candle-kernels/src/indexing.cu), for all index types of candle (u8 u32 i64
// i16 i32) and all ten types:
//   is_<index>_<type>      index_select      out[l, i, r] = inp[l, ids[i], r]
//   gather_<index>_<type>  gather            out[l, i, r] = inp[l, ids[l, i, r], r]
//   s_<index>_<type>       scatter_set       out[l, ids[l, i, r], r] = inp[l, i, r], the last i wins
//   sa_<index>_<type>      scatter_add_set   out[l, ids[l, i, r], r] += inp[l, i, r]
//   ia_<index>_<type>      index_add         out[l, ids[i], r] += inp[l, i, r]
// where l runs over the dimensions left of the indexed one, and r over those right of it. is_* takes strided inputs through
// `info` (dimensions, strides; null if contiguous); all else is contiguous. In kernels that write, one thread processes all i
// of an (l, r) in order, so that sums are deterministic; f16, bf16 and f8_e4m3 are rounded after each addition, as candle does.
//
// candle-rocm launches the second group, which also reports indices out of range. They take one stride each for l, i and r,
// and the width of strips, 0 for none (see IndexSpace):
//   take_<index>_<bytes>   index_select and gather: elements are words of 1, 2, 4, 8 or 16 bytes, so that long rows are copied
//                          in 16-byte accesses
//   put_<index>_<bytes>    scatter_set
//   mark_last_<index>      finds the last i for each element, which lets put_* process all i in parallel
//   add_<index>_<type>     scatter_add_set and index_add; a thread per (l, r), or per element with atomic additions. f16, bf16
//                          and f8_e4m3 are added to sums in f32, of `count` elements of dst from element `first` on
//   stage_<index>_<type>   for these types: makes elements of dst that an index selects sums, or sums elements, if `back`
//
// The largest value of an index type means no element: reads return 0, writes are skipped. An index out of range is treated
// likewise, and reported in `fault`.
//
// Launch: any grid of 1-D blocks, ideally of 256 threads. length (of i) and right (of r) are below 2^31.
#include "common/index.h"
#include "common/platform.h"
#include "common/vec.h"
#include "indexing/read.h"
#include "indexing/space.h"
#include "indexing/write.h"

// ------------------------------------------------------------------------------------------------------ candle's names

template <class T>
using word_of = typename Word<sizeof(T)>::type;

template <class T>
DEVICE const word_of<T>* words(const T* p) {
  return reinterpret_cast<const word_of<T>*>(p);
}
template <class T>
DEVICE word_of<T>* words(T* p) {
  return reinterpret_cast<word_of<T>*>(p);
}

#define CANDLE(I, T)                                                                                                   \
  KERNEL is_##I##_##T(const size_t numel, const size_t num_dims, const size_t* info, const I* ids, const T* inp,       \
                      T* out, const size_t left_size, const size_t src_dim_size, const size_t ids_dim_size,            \
                      const size_t right_size) {                                                                       \
    const IndexSpace space(left_size, ids_dim_size, right_size);                                                       \
    const Ids<I> rows = {ids, Strides(0, 1, 0, left_size, ids_dim_size, right_size), src_dim_size, nullptr};           \
    if (info == nullptr || is_contiguous(u32(num_dims), info)) {                                                       \
      for_each<1>(numel, Take<I, word_of<T>>{space, rows, words(inp), row_major(left_size, src_dim_size, right_size),  \
                                             words(out)});                                                             \
    } else {                                                                                                           \
      for_each<1>(numel,                                                                                               \
                  TakeStrided<I, word_of<T>>{space, rows, words(inp), Strided64<1>(u32(num_dims), info), words(out)}); \
    }                                                                                                                  \
  }                                                                                                                    \
  KERNEL gather_##I##_##T(const size_t numel, const I* ids, const T* inp, T* out, const size_t left_size,              \
                          const size_t src_dim_size, const size_t ids_dim_size, const size_t right_size) {             \
    const IndexSpace space(left_size, ids_dim_size, right_size);                                                       \
    const Ids<I> rows = {ids, row_major(left_size, ids_dim_size, right_size), src_dim_size, nullptr};                  \
    for_each<1>(numel, Take<I, word_of<T>>{space, rows, words(inp), row_major(left_size, src_dim_size, right_size),    \
                                           words(out)});                                                               \
  }                                                                                                                    \
  KERNEL s_##I##_##T(const I* ids, const T* inp, T* out, const size_t left_size, const size_t src_dim_size,            \
                     const size_t dst_dim_size, const size_t right_size) {                                             \
    const Strides at = row_major(left_size, src_dim_size, right_size);                                                 \
    const Ids<I> rows = {ids, at, dst_dim_size, nullptr};                                                              \
    put(left_size, src_dim_size, right_size, 0, true, rows, at, Set<word_of<T>>{words(out), words(inp), nullptr});     \
  }                                                                                                                    \
  KERNEL sa_##I##_##T(const I* ids, const T* inp, T* out, const size_t left_size, const size_t src_dim_size,           \
                      const size_t dst_dim_size, const size_t right_size) {                                            \
    const Strides at = row_major(left_size, src_dim_size, right_size);                                                 \
    const Ids<I> rows = {ids, at, dst_dim_size, nullptr};                                                              \
    put(left_size, src_dim_size, right_size, 0, true, rows, at, Add<T>{out, inp, true});                               \
  }                                                                                                                    \
  KERNEL ia_##I##_##T(const I* ids, const size_t ids_dim_size, const T* inp, T* out, const size_t left_size,           \
                      const size_t src_dim_size, const size_t dst_dim_size, const size_t right_size) {                 \
    const Ids<I> rows = {ids, Strides(0, 1, 0, left_size, ids_dim_size, right_size), dst_dim_size, nullptr};           \
    put(left_size, ids_dim_size, right_size, 0, true, rows, row_major(left_size, ids_dim_size, right_size),            \
        Add<T>{out, inp, true});                                                                                       \
  }

// ------------------------------------------------------------------------------------------------------------ Our own

// The leading parameters of these kernels.
#define SPACE_AND_IDS(I)                                                                                               \
  const size_t left, const size_t length, const size_t right, const u32 strip, const I *ids, const size_t ids_left,    \
      const size_t ids_at, const size_t ids_right, const size_t size, u64 *fault

#define TAKE(I, BYTES)                                                                                                 \
  KERNEL take_##I##_##BYTES(SPACE_AND_IDS(I), const Word<BYTES>::type* src, const size_t src_left,                     \
                            const size_t src_at, const size_t src_right, Word<BYTES>::type* out) {                     \
    const Ids<I> rows = {ids, Strides(ids_left, ids_at, ids_right, left, length, right), size, fault};                 \
    const Strides from(src_left, src_at, src_right, left, size, right);                                                \
    take(left, length, right, strip, rows, src, from, out);                                                            \
  }

#define PUT(I, BYTES)                                                                                                  \
  KERNEL put_##I##_##BYTES(SPACE_AND_IDS(I), const Word<BYTES>::type* src, const size_t src_left, const size_t src_at, \
                           const size_t src_right, Word<BYTES>::type* dst, const u32* last) {                          \
    const Ids<I> rows = {ids, Strides(ids_left, ids_at, ids_right, left, length, right), size, fault};                 \
    const Strides from(src_left, src_at, src_right, left, length, right);                                              \
    put(left, length, right, strip, last == nullptr, rows, from, Set<Word<BYTES>::type>{dst, src, last});              \
  }

#define ADD(I, T)                                                                                                      \
  KERNEL add_##I##_##T(SPACE_AND_IDS(I), const T* src, const size_t src_left, const size_t src_at,                     \
                       const size_t src_right, T* dst, const u32 looped) {                                             \
    const Ids<I> rows = {ids, Strides(ids_left, ids_at, ids_right, left, length, right), size, fault};                 \
    const Strides from(src_left, src_at, src_right, left, length, right);                                              \
    put(left, length, right, strip, looped != 0, rows, from, Add<T>{dst, src, looped != 0});                           \
  }

#define ADD_WIDE(I, T)                                                                                                 \
  KERNEL add_##I##_##T(SPACE_AND_IDS(I), const T* src, const size_t src_left, const size_t src_at,                     \
                       const size_t src_right, float* sums, const size_t first, const size_t count,                    \
                       const u32 looped) {                                                                             \
    const Ids<I> rows = {ids, Strides(ids_left, ids_at, ids_right, left, length, right), size, fault};                 \
    const Strides from(src_left, src_at, src_right, left, length, right);                                              \
    put(left, length, right, strip, looped != 0, rows, from, AddWide<T>{{sums, first, count}, src, looped != 0});      \
  }                                                                                                                    \
  KERNEL stage_##I##_##T(SPACE_AND_IDS(I), T* dst, float* sums, const size_t first, const size_t count,                \
                         const u32 back) {                                                                             \
    const Ids<I> rows = {ids, Strides(ids_left, ids_at, ids_right, left, length, right), size, fault};                 \
    put(left, length, right, strip, false, rows, Strides{}, Stage<T>{{sums, first, count}, dst, back != 0});           \
  }

#define BY_TYPE(I, T)                                                                                                  \
  CANDLE(I, T)                                                                                                         \
  ADD(I, T)

#define BY_SMALL_FLOAT(I, T)                                                                                           \
  CANDLE(I, T)                                                                                                         \
  ADD_WIDE(I, T)

#define BY(I)                                                                                                          \
  BY_TYPE(I, u8)                                                                                                       \
  BY_TYPE(I, u32)                                                                                                      \
  BY_TYPE(I, i16)                                                                                                      \
  BY_TYPE(I, i32)                                                                                                      \
  BY_TYPE(I, i64)                                                                                                      \
  BY_SMALL_FLOAT(I, f16)                                                                                               \
  BY_SMALL_FLOAT(I, bf16)                                                                                              \
  BY_TYPE(I, f32)                                                                                                      \
  BY_TYPE(I, f64)                                                                                                      \
  BY_SMALL_FLOAT(I, f8_e4m3)                                                                                           \
  TAKE(I, 1)                                                                                                           \
  TAKE(I, 2)                                                                                                           \
  TAKE(I, 4)                                                                                                           \
  TAKE(I, 8)                                                                                                           \
  TAKE(I, 16)                                                                                                          \
  PUT(I, 1)                                                                                                            \
  PUT(I, 2)                                                                                                            \
  PUT(I, 4)                                                                                                            \
  PUT(I, 8)                                                                                                            \
  KERNEL mark_last_##I(SPACE_AND_IDS(I), u32* last) {                                                                  \
    const Ids<I> rows = {ids, Strides(ids_left, ids_at, ids_right, left, length, right), size, fault};                 \
    put(left, length, right, strip, false, rows, Strides{}, MarkLast{last});                                           \
  }

BY(u8)
BY(u32)
BY(i16)
BY(i32)
BY(i64)
