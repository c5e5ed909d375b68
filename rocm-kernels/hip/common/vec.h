// Vectors: W consecutive elements, loaded or stored in one access of up to 16 bytes.
#ifndef CANDLE_ROCM_VEC_H
#define CANDLE_ROCM_VEC_H

#include "common/platform.h"

// The widest memory access of one lane.
constexpr int VECTOR_BYTES = 16;

template <class T, int W>
struct alignas(sizeof(T) * W) Vec {
  T at[W];
};

// Loads W elements from p. Unless UNALIGNED_VECTORS, p must be aligned to the size of the vector.
template <int W, class T>
DEVICE Vec<T, W> load_vec(const T* p) {
  return bit_cast<Vec<T, W>>(load_word<sizeof(T) * W, alignof(T)>(p));
}

template <int W, class T>
DEVICE void store_vec(T* p, const Vec<T, W>& v) {
  store_word<sizeof(T) * W, alignof(T)>(p, bit_cast<typename Word<sizeof(T) * W>::type>(v));
}

// W copies of one element.
template <int W, class T>
DEVICE Vec<T, W> splat(T x) {
  Vec<T, W> v;
  UNROLLED
  for (int j = 0; j < W; j++) v.at[j] = x;
  return v;
}

// W elements with stride `step`, the first at p[offset]. The offset is computed per lane, because the W multiples of a
// uniform stride would occupy W scalar registers.
template <int W, class T>
DEVICE Vec<T, W> gather(const T* p, u32 offset, u32 step) {
  Vec<T, W> v;
  UNROLLED
  for (int j = 0; j < W; j++, offset += step) v.at[j] = p[offset];
  return v;
}

// An absent operand. Kernels of one to three inputs share their loops; absent inputs cost nothing.
struct Nothing {};
template <int W>
struct alignas(1) Vec<Nothing, W> {
  Nothing at[1];
};

// ----------------------------------------------------------------------------------------------------------------------

// Grid-stride loop over 0..count, for any grid. A block processes tiles of U * block size consecutive items. Within a full
// tile, each thread loads its U items before it stores any, so that U loads are in flight.
//
// Body: `Item load(u64 tile, u32 i)` and `void store(u64 tile, u32 i, const Item&)` for item tile + i. `tile` is uniform
// across the block (it stays in scalar registers); `i` is small.
template <int U, class Body>
DEVICE void for_each(u64 count, const Body& body) {
  const u32 threads = block_size_x();
  const u32 tile_size = threads * U;
  const u64 step = u64(grid_size_x()) * tile_size;
  for (u64 tile = u64(block_x()) * tile_size; tile < count; tile += step) {
    const u64 left = count - tile;
    if (U > 1 && left >= tile_size) {
      typename Body::Item items[U];
      UNROLLED
      for (int u = 0; u < U; u++) items[u] = body.load(tile, u * threads + thread_x());
      UNROLLED
      for (int u = 0; u < U; u++) body.store(tile, u * threads + thread_x(), items[u]);
    } else {
      const u32 end = left < tile_size ? u32(left) : tile_size;
      for (u32 i = thread_x(); i < end; i += threads) body.store(tile, i, body.load(tile, i));
    }
  }
}

#endif
