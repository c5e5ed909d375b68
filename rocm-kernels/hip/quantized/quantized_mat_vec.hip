// Products of quantized matrices with one to eight vectors, and for mixtures of experts.
//
// Names and parameters are those of candle-kernels' quantized.cu, 0.11.1:
// https://github.com/huggingface/candle/blob/0.11.1/candle-kernels/src/quantized.cu
// In addition: experts in Q4_0, Q4_1, Q5_0, Q5_1.
//
// A team of threads computes ROWS rows of the result, for all columns at once: each thread processes its share of the granules
// of these rows, then the sums are reduced. Loaded vector elements are used for all rows, and loads of different rows are
// independent, so that many are in flight. A block of x times y threads has y teams of x threads if x is a power of two up
// to WAVE; otherwise the block, which then consists of whole wavefronts, is a single team. Launch: any grid of blocks of up
// to 256 threads.
#include "common/vec.h"
#include "common/wave.h"
#include "quantized/quantized_blocks.h"

// --------------------------------------------------------------------------------------------------------- Activations

// Vectors quantized to Q8_1, `stride` bytes apart.
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
    const u8* const block = start + column * stride + at / Q8_1::WEIGHTS * Q8_1::BYTES;
    Values v;
    v.q = load_pair<4>(block + 4 + at % Q8_1::WEIGHTS);
    v.scale = load_f16(block);
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

// ------------------------------------------------------------------------------------------------ With a vector of f32

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
EXACT_MAT_VEC(q4_0_cuda, Q4_0)
EXACT_MAT_VEC(q4_1_cuda, Q4_1)
EXACT_MAT_VEC(q5_0_cuda, Q5_0)
EXACT_MAT_VEC(q5_1_cuda, Q5_1)
EXACT_MAT_VEC(q8_0_cuda, Q8_0)
EXACT_MAT_VEC(q2_k, Q2_K)
EXACT_MAT_VEC(q3_k, Q3_K)
EXACT_MAT_VEC(q4_k, Q4_K)
EXACT_MAT_VEC(q6_k, Q6_K)
// A row per block of the grid.
KERNEL THREADS_AT_MOST(256) dequantize_mul_mat_vec_q5_k(const void* __restrict__ vx, const float* __restrict__ yy,
                                                        float* __restrict__ dst, const int ncols) {
  exact_mat_vec<Q5_K>(vx, yy, dst, ncols, i32(grid_size_x()));
}

// ------------------------------------------------------------------------------------ With one to eight vectors of Q8_1

// nrows_y: the padded length of a vector.
#define MAT_VEC(NAME, B, N)                                                                                            \
  KERNEL THREADS_AT_MOST(256) mul_mat_vec_##NAME##_q8_1_cuda##N(                                                       \
      const void* __restrict__ vx, const void* __restrict__ vy, float* __restrict__ dst, const int ncols_x,            \
      const int nrows_x, const int nrows_y, const int nrows_dst) {                                                     \
    const u64 stride = u64(u32(nrows_y) / Q8_1::WEIGHTS) * Q8_1::BYTES;                                                \
    mat_vec<B, N>(static_cast<const u8*>(vx), Quantized{static_cast<const u8*>(vy), stride}, dst, u32(ncols_x),        \
                  u32(nrows_x), u32(nrows_dst));                                                                       \
  }
#define MAT_VECS(N)                                                                                                    \
  MAT_VEC(q4_0, Q4_0, N)                                                                                               \
  MAT_VEC(q4_1, Q4_1, N)                                                                                               \
  MAT_VEC(q5_0, Q5_0, N)                                                                                               \
  MAT_VEC(q5_1, Q5_1, N)                                                                                               \
  MAT_VEC(q8_0, Q8_0, N)                                                                                               \
  MAT_VEC(q2_K, Q2_K, N)                                                                                               \
  MAT_VEC(q3_K, Q3_K, N)                                                                                               \
  MAT_VEC(q4_K, Q4_K, N)                                                                                               \
  MAT_VEC(q5_K, Q5_K, N)                                                                                               \
  MAT_VEC(q6_K, Q6_K, N)
MAT_VECS(1)
MAT_VECS(2)
MAT_VECS(3)
MAT_VECS(4)
MAT_VECS(5)
MAT_VECS(6)
MAT_VECS(7)
MAT_VECS(8)

// ------------------------------------------------------------------------------------------------- Mixtures of experts

// For each token (the grid's y) and each of its topk experts (the grid's z): the product of the n times k weights that
// `indices` selects and the vector of the token or, if input_dim1 is not 1, of token and expert. Expert 0xffffffff yields
// zeros.
template <class B>
DEVICE void experts(const u8* weights, const u8* inputs, const u32* indices, float* outputs, u32 n, u32 k, u32 batch,
                    u32 topk, u32 k_padded, u32 input_dim1) {
  const u64 matrix = u64(n) * (k / B::WEIGHTS) * B::BYTES, vector = u64(k_padded / Q8_1::WEIGHTS) * Q8_1::BYTES;
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
        const Quantized y = {inputs + (input_dim1 == 1 ? token : task) * vector, 0};
        mat_vec<B, 1>(weights + expert * matrix, y, out, k, n, 0);
      }
    }
  }
}

#define EXPERTS(NAME, B)                                                                                               \
  KERNEL THREADS_AT_MOST(256) indexed_moe_forward_##NAME##_q8_1(                                                       \
      const void* __restrict__ all_weights, const void* __restrict__ all_inputs,                                       \
      const unsigned int* __restrict__ indices, float* __restrict__ all_outputs, const int n, const int k,             \
      const int batch, const int topk, const int k_padded, const int input_dim1) {                                     \
    experts<B>(static_cast<const u8*>(all_weights), static_cast<const u8*>(all_inputs), indices, all_outputs, u32(n),  \
               u32(k), u32(batch), u32(topk), u32(k_padded), u32(input_dim1));                                         \
  }
EXPERTS(q4_0, Q4_0)
EXPERTS(q4_1, Q4_1)
EXPERTS(q5_0, Q5_0)
EXPERTS(q5_1, Q5_1)
EXPERTS(q8_0, Q8_0)
EXPERTS(q2k, Q2_K)
EXPERTS(q3k, Q3_K)
EXPERTS(q4k, Q4_K)
EXPERTS(q5k, Q5_K)
EXPERTS(q6k, Q6_K)
