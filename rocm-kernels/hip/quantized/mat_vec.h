// Products of quantized matrices with one to eight vectors, and for mixtures of experts.
//
// A team of threads computes ROWS rows of the result, for all columns at once: each thread processes its share of the granules
// of these rows, then the sums are reduced. Loaded vector elements are used for all rows, and loads of different rows are
// independent, so that many are in flight. A block of x times y threads has y teams of x threads if x is a power of two up
// to WAVE; otherwise the block, which then consists of whole wavefronts, is a single team. Launch: any grid of blocks of up
// to 256 threads.
#ifndef CANDLE_ROCM_QUANTIZED_MAT_VEC_H
#define CANDLE_ROCM_QUANTIZED_MAT_VEC_H

#include "common/vec.h"
#include "common/wave.h"
#include "quantized/quantized_blocks.h"

// --------------------------------------------------------------------------------------------------------- Activations

// Vectors quantized to blocks Q, Q8 or Q8_1, `stride` bytes apart.
template <class Q>
struct Quantized {
  static constexpr int MOST_ROWS = 4;
  const u8* start;
  u64 stride;

  struct Values {
    Pair q;
    float scale;
    i32 sum;
  };

  // The 8 values starting at `at`; with SUM, also the sum of their q.
  template <bool SUM>
  DEVICE Values load(int column, u32 at) const {
    const u8* const block = start + column * stride + at / Q::WEIGHTS * Q::BYTES;
    Values v;
    v.q = load_pair<4>(block + 4 + at % Q::WEIGHTS);
    v.scale = Q::load_scale(block);
    v.sum = SUM ? dot4(i32(v.q.at[0]), 0x01010101, dot4(i32(v.q.at[1]), 0x01010101, 0)) : 0;
    return v;
  }

  template <bool OFFSETS>
  static DEVICE float add_dot(float sum, const Pair& q, float scale, float offset, const Values& v) {
    float dot = scale * float(dot4(i32(q.at[0]), i32(v.q.at[0]), dot4(i32(q.at[1]), i32(v.q.at[1]), 0)));
    if (OFFSETS) dot = math::fma(offset, float(v.sum), dot);
    return math::fma(v.scale, dot, sum);
  }
};

// Unquantized vectors.
struct Exact {
  static constexpr int MOST_ROWS = 2;
  const float* start;

  struct Values {
    float v[8], sum;
  };

  template <bool SUM>
  DEVICE Values load(int, u32 at) const {
    Values values;
    UNROLLED
    for (int part = 0; part < 2; part++) {
      Vec<float, 4> four;
      if (UNALIGNED_VECTORS || is_aligned(start, 16)) {
        four = load_vec<4>(start + at + 4 * part);
      } else {
        four = gather<4>(start + at + 4 * part, 0, 1);
      }
      UNROLLED
      for (int i = 0; i < 4; i++) values.v[4 * part + i] = four.at[i];
    }
    values.sum = 0.0f;
    if (SUM) {
      UNROLLED
      for (int i = 0; i < 8; i++) values.sum += values.v[i];
    }
    return values;
  }

  template <bool OFFSETS>
  static DEVICE float add_dot(float sum, const Pair& q, float scale, float offset, const Values& v) {
    float dot = 0.0f;
    UNROLLED
    for (int i = 0; i < 8; i++) dot = math::fma(signed_byte(q, i), v.v[i], dot);
    if (OFFSETS) sum = math::fma(offset, v.sum, sum);
    return math::fma(scale, dot, sum);
  }
};

// ------------------------------------------------------------------------------------------------------------ Products

struct Lanes {
  u32 size, rank;    // number of threads of the team, and the index of this one
  u32 index, count;  // index of this team, and number of teams in the block

  DEVICE Lanes() {
    const u32 x = block_size_x(), y = block_size_y(), id = thread_y() * x + thread_x();
    const bool parts = x <= WAVE && (x & (x - 1)) == 0;
    size = parts ? x : x * y;
    rank = parts ? thread_x() : id;
    index = parts ? thread_y() : 0;
    count = parts ? y : 1;
  }
};

// dst[column * dst_stride + row] = the dot product of a row of x and a column of y, for all rows.
template <class B, int COLUMNS, class Y>
DEVICE void mat_vec(const u8* x, const Y& y, float* dst, u32 columns, u32 rows, u32 dst_stride) {
  constexpr int ROWS = COLUMNS > 4 ? 2 : Y::MOST_ROWS;
  const Lanes lanes;
  const u32 row_bytes = columns / B::WEIGHTS * B::BYTES, granules = columns / B::WEIGHTS * B::GRANULES;
  const u32 groups = (rows + ROWS - 1) / ROWS;
  for (u32 base = block_x() * lanes.count; base < groups; base += grid_size_x() * lanes.count) {
    // Rows beyond the last repeat it and are not written, because all threads take part in the reduction.
    const u32 first = (base + lanes.index) * ROWS;
    const u8* row[ROWS];
    UNROLLED
    for (int r = 0; r < ROWS; r++) row[r] = x + u64(min_of(first + r, rows - 1)) * row_bytes;

    float sum[ROWS][COLUMNS];
    UNROLLED
    for (int r = 0; r < ROWS; r++) {
      UNROLLED
      for (int c = 0; c < COLUMNS; c++) sum[r][c] = 0.0f;
    }
    for (u32 i = lanes.rank; i < granules; i += lanes.size) {
      const u32 block = i / B::GRANULES, g = i % B::GRANULES;
      Granule<B::PLANES> w[ROWS];
      UNROLLED
      for (int r = 0; r < ROWS; r++) w[r] = B::load(row[r] + block * B::BYTES, g);
      UNROLLED
      for (int p = 0; p < B::PLANES; p++) {
        const u32 at = block * B::WEIGHTS + B::weight_index(g, p);
        UNROLLED
        for (int c = 0; c < COLUMNS; c++) {
          const typename Y::Values v = y.template load<B::OFFSETS>(c, at);
          UNROLLED
          for (int r = 0; r < ROWS; r++) {
            sum[r][c] = Y::template add_dot<B::OFFSETS>(sum[r][c], w[r].q[p], w[r].scale[p], w[r].offset[p], v);
          }
        }
      }
    }

    for (u32 mask = min_of(lanes.size, u32(WAVE)) / 2; mask > 0; mask /= 2) {
      UNROLLED
      for (int r = 0; r < ROWS; r++) {
        UNROLLED
        for (int c = 0; c < COLUMNS; c++) sum[r][c] += wave_xor(sum[r][c], mask);
      }
    }
    if (lanes.size > WAVE) {
      __shared__ float of_wave[256 / WAVE][ROWS][COLUMNS];
      if (lanes.rank % WAVE == 0) {
        UNROLLED
        for (int r = 0; r < ROWS; r++) {
          UNROLLED
          for (int c = 0; c < COLUMNS; c++) of_wave[lanes.rank / WAVE][r][c] = sum[r][c];
        }
      }
      sync_threads();
      if (lanes.rank < ROWS * COLUMNS) {
        const u32 r = lanes.rank / COLUMNS, c = lanes.rank % COLUMNS;
        float total = 0.0f;
        for (u32 wave = 0; wave < lanes.size / WAVE; wave++) total += of_wave[wave][r][c];
        if (first + r < rows) dst[u64(c) * dst_stride + first + r] = total;
      }
      sync_threads();  // before of_wave is reused
    } else if (lanes.rank == 0) {
      UNROLLED
      for (int r = 0; r < ROWS; r++) {
        UNROLLED
        for (int c = 0; c < COLUMNS; c++) {
          if (first + r < rows) dst[u64(c) * dst_stride + first + r] = sum[r][c];
        }
      }
    }
  }
}

// nrows_y: the padded length of a vector.
template <class B, class Q, int COLUMNS>
DEVICE void mat_vecs(const void* x, const void* y, float* dst, u32 columns, u32 rows, u32 nrows_y, u32 dst_stride) {
  const u64 stride = u64(nrows_y / Q::WEIGHTS) * Q::BYTES;
  mat_vec<B, COLUMNS>(static_cast<const u8*>(x), Quantized<Q>{static_cast<const u8*>(y), stride}, dst, columns, rows,
                      dst_stride);
}

// ------------------------------------------------------------------------------------------------- Mixtures of experts

// For each token (the grid's y) and each of its topk experts (the grid's z): the product of the n times k weights that
// `indices` selects and the vector of the token or, if input_dim1 is not 1, of token and expert. Expert 0xffffffff yields
// zeros.
template <class B, class Q>
DEVICE void experts(const u8* weights, const u8* inputs, const u32* indices, float* outputs, u32 n, u32 k, u32 batch,
                    u32 topk, u32 k_padded, u32 input_dim1) {
  const u64 matrix = u64(n) * (k / B::WEIGHTS) * B::BYTES, vector = u64(k_padded / Q::WEIGHTS) * Q::BYTES;
  for (u32 token = block_y(); token < batch; token += grid_size_y()) {
    for (u32 slot = block_z(); slot < topk; slot += grid_size_z()) {
      const u64 task = u64(token) * topk + slot;
      const u32 expert = indices[task];
      float* const out = outputs + task * n;
      if (expert == 0xffffffffu) {
        const u32 threads = block_size_x() * block_size_y();
        for (u32 i = block_x() * threads + thread_y() * block_size_x() + thread_x(); i < n;
             i += grid_size_x() * threads) {
          out[i] = 0.0f;
        }
      } else {
        const Quantized<Q> y = {inputs + (input_dim1 == 1 ? token : task) * vector, 0};
        mat_vec<B, 1>(weights + expert * matrix, y, out, k, n, 0);
      }
    }
  }
}

// ------------------------------------------------------------------------------------------------- Kernels of a type

template <class B>
DEVICE void exact_mat_vec(const void* x, const float* y, float* dst, i32 columns, i32 rows) {
  mat_vec<B, 1>(static_cast<const u8*>(x), Exact{y}, dst, u32(columns), u32(rows), 0);
}

#define EXACT_MAT_VEC(NAME, B)                                                                                         \
  KERNEL THREADS_AT_MOST(256)                                                                                          \
      dequantize_mul_mat_vec_##NAME(const void* __restrict__ vx, const float* __restrict__ y, float* __restrict__ dst, \
                                    const int ncols, const int nrows) {                                                \
    exact_mat_vec<B>(vx, y, dst, ncols, nrows);                                                                        \
  }

#define VECTORS(NAME, B, N)                                                                                            \
  KERNEL THREADS_AT_MOST(256) vectors_##NAME##_##N(const void* __restrict__ x, const void* __restrict__ y,             \
                                                   float* __restrict__ dst, const u32 columns, const u32 rows) {       \
    mat_vecs<B, Q8, N>(x, y, dst, columns, rows, columns, rows);                                                       \
  }
#define PRODUCTS(NAME, B)                                                                                              \
  VECTORS(NAME, B, 1)                                                                                                  \
  VECTORS(NAME, B, 2)                                                                                                  \
  VECTORS(NAME, B, 3)                                                                                                  \
  VECTORS(NAME, B, 4)                                                                                                  \
  VECTORS(NAME, B, 5)                                                                                                  \
  VECTORS(NAME, B, 6)                                                                                                  \
  VECTORS(NAME, B, 7)                                                                                                  \
  VECTORS(NAME, B, 8)                                                                                                  \
  KERNEL THREADS_AT_MOST(256) experts_##NAME(                                                                          \
      const void* __restrict__ weights, const void* __restrict__ inputs, const u32* __restrict__ indices,              \
      float* __restrict__ outputs, const u32 n, const u32 k, const u32 batch, const u32 topk, const u32 input_dim1) {  \
    experts<B, Q8>(static_cast<const u8*>(weights), static_cast<const u8*>(inputs), indices, outputs, n, k, batch,     \
                   topk, k, input_dim1);                                                                               \
  }

#endif
