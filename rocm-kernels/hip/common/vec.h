// Vectors: W consecutive elements that travel between memory and registers in one access of up to 16 bytes.
#ifndef CANDLE_ROCM_VEC_H
#define CANDLE_ROCM_VEC_H

#include "common/platform.h"

// The widest memory access of one lane.
constexpr int VECTOR_BYTES = 16;

template <class T, int W>
struct alignas(sizeof(T) * W) Vec {
  T at[W];
};

// Reads W elements from p. Where UNALIGNED_VECTORS is false, p must be a multiple of the vector's size.
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

// W elements that lie `step` apart, the first at p[offset]. The offset runs per lane: multiples of a step that all lanes
// share would occupy W scalar registers.
template <int W, class T>
DEVICE Vec<T, W> gather(const T* p, u32 offset, u32 step) {
  Vec<T, W> v;
  UNROLLED
  for (int j = 0; j < W; j++, offset += step) v.at[j] = p[offset];
  return v;
}

// An operand that is not there. Kernels of one to three inputs share their loops; absent inputs cost nothing.
struct Nothing {};
template <int W>
struct alignas(1) Vec<Nothing, W> {
  Nothing at[1];
};

// ----------------------------------------------------------------------------------------------------------------------

// Runs `body` for all of 0..count, on whatever grid. A block takes tiles of U * block size neighbouring items; of a full
// tile each thread first loads all its U items, then stores them, so that U loads are under way at once.
//
// Body: `Item load(u64 tile, u32 i)` and `void store(u64 tile, u32 i, const Item&)` for item tile + i. `tile` is the same
// for the whole block (it stays in scalar registers), `i` is small.
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
