// Dequantization of weights, and quantization of activations.
//
// Names and parameters are those of candle-kernels' quantized.cu, 0.11.1:
// https://github.com/huggingface/candle/blob/0.11.1/candle-kernels/src/quantized.cu
// In addition: bf16 results, Q8_1 and Q8_K for all functions, bounds-checked indices, and
//   quantize_q8_<type>  activations for our own products, of f32, f16 and bf16; see Q8
// Products are in quantized_mat_vec.hip, quantized_mat_mat.hip, quantized_stream.hip and, with candle's names, quantized_q8_1.hip.
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
DEQUANTIZE(q4_0, Q4_0, 1)
DEQUANTIZE(q4_1, Q4_1, 1)
DEQUANTIZE(q5_0, Q5_0, 32)
DEQUANTIZE(q5_1, Q5_1, 32)
DEQUANTIZE(q8_0, Q8_0, 1)
DEQUANTIZE(q8_1, Q8_1, 1)
DEQUANTIZE(iq4_nl, IQ4_NL, 1)
DEQUANTIZE(mxfp4, MXFP4, 1)

// gridDim.x * blockDim.y blocks of 256 weights.
#define DEQUANTIZE_K_AS(NAME, B, SUFFIX, T)                                                                            \
  KERNEL dequantize_block_##NAME##_##SUFFIX(const void* __restrict__ vx, T* __restrict__ y) {                          \
    dequantize_blocks<B>(vx, y, u64(grid_size_x()) * block_size_y());                                                  \
  }
#define DEQUANTIZE_K(NAME, B)                                                                                          \
  DEQUANTIZE_K_AS(NAME, B, f32, float)                                                                                 \
  DEQUANTIZE_K_AS(NAME, B, f16, f16)                                                                                   \
  DEQUANTIZE_K_AS(NAME, B, bf16, bf16)
DEQUANTIZE_K(q2_K, Q2_K)
DEQUANTIZE_K(q3_K, Q3_K)
DEQUANTIZE_K(q4_K, Q4_K)
DEQUANTIZE_K(q5_K, Q5_K)
DEQUANTIZE_K(q6_K, Q6_K)
DEQUANTIZE_K(q8_K, Q8_K)
DEQUANTIZE_K(iq4_xs, IQ4_XS)
DEQUANTIZE_K(tq1_0, TQ1_0)
DEQUANTIZE_K(tq2_0, TQ2_0)

// --------------------------------------------------------------------------------------------------------------- Rows

// dst[i] = src0[src1[i]], for rows of ne00 elements in nb01 bytes; i is the block's x, and the blocks of the grid's y share a
// row. NO_ROW selects a row of zeros.
constexpr u32 NO_ROW = 0xffffffffu;

// out[i] = ids[i], or NO_ROW if that is out of range; one such index is reported in `fault` as {index, rows}.
KERNEL quantized_row_ids(const size_t count, const size_t rows, const u32* __restrict__ ids, u32* __restrict__ out,
                         u64* fault) {
  const u64 step = u64(grid_size_x()) * block_size_x();
  for (u64 i = u64(block_x()) * block_size_x() + thread_x(); i < count; i += step) {
    const u32 id = ids[i];
    out[i] = id < rows ? id : NO_ROW;
    if (id >= rows) {
      atomic_store_system(fault, u64(id));
      atomic_store_system(fault + 1, u64(rows));
    }
  }
}

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
GET_ROWS(q4_0, Q4_0)
GET_ROWS(q4_1, Q4_1)
GET_ROWS(q5_0, Q5_0)
GET_ROWS(q5_1, Q5_1)
GET_ROWS(q8_0, Q8_0)
GET_ROWS(q8_1, Q8_1)
GET_ROWS(q2_K, Q2_K)
GET_ROWS(q3_K, Q3_K)
GET_ROWS(q4_K, Q4_K)
GET_ROWS(q5_K, Q5_K)
GET_ROWS(q6_K, Q6_K)
GET_ROWS(q8_K, Q8_K)
GET_ROWS(iq4_nl, IQ4_NL)
GET_ROWS(iq4_xs, IQ4_XS)
GET_ROWS(mxfp4, MXFP4)
GET_ROWS(tq1_0, TQ1_0)
GET_ROWS(tq2_0, TQ2_0)

#define GET_ROWS_OF_FLOATS(NAME, T)                                                                                    \
  KERNEL get_rows_##NAME(const T* __restrict__ src0, const u32* __restrict__ src1, float* __restrict__ dst,            \
                         const i64 ne00, const size_t) {                                                               \
    const u32 id = src1[block_x()];                                                                                    \
    float* const row = dst + u64(block_x()) * ne00;                                                                    \
    for (u64 i = u64(block_y()) * block_size_x() + thread_x(); i < u64(ne00);                                          \
         i += u64(grid_size_y()) * block_size_x()) {                                                                   \
      row[i] = id == NO_ROW ? 0.0f : widen(src0[id * u64(ne00) + i]);                                                  \
    }                                                                                                                  \
  }
GET_ROWS_OF_FLOATS(f32, float)
GET_ROWS_OF_FLOATS(f16, f16)
GET_ROWS_OF_FLOATS(bf16, bf16)

// ------------------------------------------------------------------------------------------------------------ Quantize

// Quantizes gridDim.y * blockDim.y rows of kx activations to rows of kx_padded / 32 blocks of Q, which is Q8 or Q8_1, padded with
// zeros. A thread computes whole blocks, so that no values are exchanged. If a value is NaN or infinite, the block's scale is NaN,
// so that it propagates.
template <class Q, class T>
DEVICE void quantize_row(const T* x, u8* y, i32 kx, i32 kx_padded) {
  const u64 row = u64(block_y()) * block_size_y() + thread_y();
  x += row * u32(kx);
  y += row * (u32(kx_padded) / Q::WEIGHTS) * Q::BYTES;
  constexpr i32 COUNT = Q::WEIGHTS, W = VECTOR_BYTES / int(sizeof(T));
  const bool vectors = UNALIGNED_VECTORS || is_aligned(x, VECTOR_BYTES);
  for (i32 b = block_x() * block_size_x() + thread_x(); b < kx_padded / COUNT; b += grid_size_x() * block_size_x()) {
    float v[COUNT];
    if (vectors && (b + 1) * COUNT <= kx) {
      UNROLLED
      for (i32 i = 0; i < COUNT; i += W) {
        const Vec<T, W> part = load_vec<W>(x + (b * COUNT + i));
        UNROLLED
        for (i32 j = 0; j < W; j++) v[i + j] = widen(part.at[j]);
      }
    } else {
      UNROLLED
      for (i32 i = 0; i < COUNT; i++) v[i] = b * COUNT + i < kx ? widen(x[b * COUNT + i]) : 0.0f;
    }
    // The bit patterns of magnitudes have their order; infinity and then NaN are the largest.
    u32 bits = 0;
    float sum = 0.0f;
    UNROLLED
    for (i32 i = 0; i < COUNT; i++) {
      bits = max_of(bits, bit_cast<u32>(v[i]) & 0x7fffffffu);
      sum += v[i];
    }
    const bool finite = bits < 0x7f800000u;
    const float largest = bit_cast<float>(bits);
    // The inverse of smaller values would overflow.
    const float inverse = finite && largest > 0x1p-120f ? math::div(127.0f, largest) : 0.0f;
    const float scale = finite ? math::div(largest, 127.0f) : bit_cast<float>(0x7fc00000u);
    u32* const block = reinterpret_cast<u32*>(y + u64(b) * Q::BYTES);
    if constexpr (is_same<Q, Q8_1>) {
      // Sums that exceed half precision saturate.
      block[0] = f32_to_f16(scale) | u32(f32_to_f16(max_of(-65504.0f, min_of(65504.0f, sum)))) << 16;
    } else {
      block[0] = bit_cast<u32>(scale);
    }
    UNROLLED
    for (i32 i = 0; i < COUNT; i += 4) {
      u32 word = 0;
      UNROLLED
      for (i32 j = 0; j < 4; j++) {
        const i32 q = finite ? i32(math::round(v[i + j] * inverse)) : 0;
        word |= (u32(q) & 0xff) << (8 * j);
      }
      block[1 + i / 4] = word;
    }
  }
}

KERNEL quantize_q8_1(const float* __restrict__ x, void* __restrict__ vy, const int kx, const int kx_padded) {
  quantize_row<Q8_1>(x, static_cast<u8*>(vy), kx, kx_padded);
}

#define QUANTIZE(T)                                                                                                    \
  KERNEL quantize_q8_##T(const T* __restrict__ x, void* __restrict__ y, const u32 columns) {                           \
    quantize_row<Q8>(x, static_cast<u8*>(y), i32(columns), i32(columns));                                              \
  }
QUANTIZE(f32)
QUANTIZE(f16)
QUANTIZE(bf16)
