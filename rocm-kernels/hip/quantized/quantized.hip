// Dequantization of weights, and quantization of activations.
//
// Names and parameters are those of candle-kernels' quantized.cu, 0.11.1:
// https://github.com/huggingface/candle/blob/0.11.1/candle-kernels/src/quantized.cu
// In addition: bf16 results, Q8_1 and Q8_K for all functions, bounds-checked indices, and
//   quantize_q8_<type>  activations for our own products, of f32, f16 and bf16; see Q8. Row i is that of vector i or, if there is a
//                       list, of list[i] / per_vector. Rows are row_bytes apart, pairs of a row's blocks pair_bytes
// Products are in quantized_mat_vec.hip, quantized_mat_mat.hip, quantized_stream.hip and, with candle's names, quantized_q8_1.hip.
#include "quantized/conversions.h"

// --------------------------------------------------------------------------------------------------------- Dequantize

DEQUANTIZE(q4_0, Q4_0, 1)
DEQUANTIZE(q4_1, Q4_1, 1)
DEQUANTIZE(q5_0, Q5_0, 32)
DEQUANTIZE(q5_1, Q5_1, 32)
DEQUANTIZE(q8_0, Q8_0, 1)
DEQUANTIZE(q8_1, Q8_1, 1)
DEQUANTIZE(iq4_nl, IQ4_NL, 1)
DEQUANTIZE(mxfp4, MXFP4, 1)

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

// Quantizes kx activations to kx_padded / 32 blocks of Q, which is Q8 or Q8_1, padded with zeros; pairs of blocks are pair_bytes apart.
// A thread computes whole blocks, so that no values are exchanged. If a value is NaN or infinite, the block's scale is NaN, so that it
// propagates.
template <class Q, class T>
DEVICE void quantize_row(const T* x, u8* y, i32 kx, i32 kx_padded, u64 pair_bytes) {
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
    u32* const block = reinterpret_cast<u32*>(y + u32(b) / 2 * pair_bytes + u32(b) % 2 * Q::BYTES);
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

DEVICE u64 row_of_launch() { return u64(block_y()) * block_size_y() + thread_y(); }

KERNEL quantize_q8_1(const float* __restrict__ x, void* __restrict__ vy, const int kx, const int kx_padded) {
  const u64 row = row_of_launch();
  u8* const y = static_cast<u8*>(vy) + row * (u32(kx_padded) / Q8_1::WEIGHTS) * Q8_1::BYTES;
  quantize_row<Q8_1>(x + row * u32(kx), y, kx, kx_padded, 2 * Q8_1::BYTES);
}

#define QUANTIZE(T)                                                                                                    \
  KERNEL quantize_q8_##T(const T* __restrict__ x, const u32* __restrict__ list, void* __restrict__ y,                  \
                         const u32 columns, const u32 per_vector, const u32 row_bytes, const u64 pair_bytes) {         \
    const u64 row = row_of_launch(), from = list ? list[row] / per_vector : row;                                       \
    quantize_row<Q8>(x + from * columns, static_cast<u8*>(y) + row * row_bytes, i32(columns), i32(columns),            \
                     pair_bytes);                                                                                      \
  }
QUANTIZE(f32)
QUANTIZE(f16)
QUANTIZE(bf16)
