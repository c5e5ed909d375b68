// Weights as floats: dequantize_block_<type>_<floats>, of whole tensors, and get_rows_<type>, of rows to f32.
#ifndef CANDLE_ROCM_QUANTIZED_CONVERSIONS_H
#define CANDLE_ROCM_QUANTIZED_CONVERSIONS_H

#include "common/vec.h"
#include "quantized/quantized_blocks.h"

// --------------------------------------------------------------------------------------------------------- Dequantize

template <class T>
DEVICE void store_weights(T* out, const float (&values)[8]) {
  constexpr int W = min_of(8, VECTOR_BYTES / int(sizeof(T)));
  UNROLLED
  for (int part = 0; part < 8 / W; part++) {
    Vec<T, W> v;
    UNROLLED
    for (int j = 0; j < W; j++) v.at[j] = convert<T>(values[part * W + j]);
    store_vec(out + part * W, v);
  }
}

// Dequantizes granules first, first + step, ... of `blocks` blocks.
template <class B, class T>
DEVICE void dequantize(const u8* x, T* y, u64 blocks, u64 first, u64 step) {
  for (u64 i = first; i < blocks * B::GRANULES; i += step) {
    const u64 block = i / B::GRANULES;
    const u32 g = u32(i % B::GRANULES);
    const auto granule = B::load(x + block * B::BYTES, g);
    UNROLLED
    for (int p = 0; p < B::PLANES; p++) {
      float values[8];
      weights<B>(granule, p, values);
      store_weights(y + block * B::WEIGHTS + B::weight_index(g, p), values);
    }
  }
}

template <class B, class T>
DEVICE void dequantize_blocks(const void* x, T* y, u64 blocks) {
  const u64 threads = u64(block_size_x()) * block_size_y();
  const u64 first = block_x() * threads + thread_y() * block_size_x() + thread_x();
  dequantize<B>(static_cast<const u8*>(x), y, blocks, first, grid_size_x() * threads);
}

// Blocks of 32 weights; `k` counts blocks for some types and weights for others. Any grid.
#define DEQUANTIZE_AS(NAME, B, K_PER_BLOCK, SUFFIX, T)                                                                 \
  KERNEL dequantize_block_##NAME##_##SUFFIX(const void* __restrict__ vx, T* __restrict__ y, const int k) {             \
    dequantize_blocks<B>(vx, y, u32(k) / K_PER_BLOCK);                                                                 \
  }
#define DEQUANTIZE(NAME, B, K_PER_BLOCK)                                                                               \
  DEQUANTIZE_AS(NAME, B, K_PER_BLOCK, f32, float)                                                                      \
  DEQUANTIZE_AS(NAME, B, K_PER_BLOCK, f16, f16)                                                                        \
  DEQUANTIZE_AS(NAME, B, K_PER_BLOCK, bf16, bf16)

// gridDim.x * blockDim.y blocks of 256 weights.
#define DEQUANTIZE_K_AS(NAME, B, SUFFIX, T)                                                                            \
  KERNEL dequantize_block_##NAME##_##SUFFIX(const void* __restrict__ vx, T* __restrict__ y) {                          \
    dequantize_blocks<B>(vx, y, u64(grid_size_x()) * block_size_y());                                                  \
  }
#define DEQUANTIZE_K(NAME, B)                                                                                          \
  DEQUANTIZE_K_AS(NAME, B, f32, float)                                                                                 \
  DEQUANTIZE_K_AS(NAME, B, f16, f16)                                                                                   \
  DEQUANTIZE_K_AS(NAME, B, bf16, bf16)

// --------------------------------------------------------------------------------------------------------------- Rows

// dst[i] = src0[src1[i]], for rows of ne00 elements in nb01 bytes; i is the block's x, and the blocks of the grid's y share a
// row. NO_ROW selects a row of zeros.
constexpr u32 NO_ROW = 0xffffffffu;

template <class B>
DEVICE void get_rows(const void* src, const u32* ids, float* dst, i64 length, size_t row_bytes) {
  const u32 id = ids[block_x()];
  const u64 first = u64(block_y()) * block_size_x() + thread_x(), step = u64(grid_size_y()) * block_size_x();
  float* const row = dst + u64(block_x()) * length;
  if (id == NO_ROW) {
    for (u64 i = first; i < u64(length); i += step) row[i] = 0.0f;
  } else {
    dequantize<B>(static_cast<const u8*>(src) + id * row_bytes, row, length / B::WEIGHTS, first, step);
  }
}

#define GET_ROWS(NAME, B)                                                                                              \
  KERNEL get_rows_##NAME(const void* __restrict__ src0, const u32* __restrict__ src1, float* __restrict__ dst,         \
                         const i64 ne00, const size_t nb01) {                                                          \
    get_rows<B>(src0, src1, dst, ne00, nb01);                                                                          \
  }

#endif
