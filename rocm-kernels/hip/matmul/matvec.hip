// Products of a few rows with a matrix, bound by reading the matrix once.
//
//   matvec_rows_T, matvec_rows8_T   m = 1 and m <= 8, for B with contiguous columns (x times the transpose of row-major
//                                   weights): a wavefront per column of B; for m > 1 blocks of eight wavefronts for 16 columns
//   matvec_cols_T                   m = 1, for B with contiguous rows: lanes along the rows
//   .._T_f32                        the three of f16 and bf16, with results in f32
//   matvec_several_T, .._several8_T matvec_rows with the rows of up to four matrices: m, k, x, x_row, four times (weights, pitch,
//                                   n, out, bias), the first blocks of the second to the fourth, and an activation. A null bias is
//                                   none
//   matvec_silu_mul_T, .._mul8_T    and of two, where one is the gate of the other
//   norm_matvec_several_T, norm_matvec_silu_mul_T
//                                   the same of one row, which is the norm of a sum of two: each block computes it, for the time
//                                   that the first one takes by itself
#include "common/activations.h"
#include "common/held_norm.h"
#include "common/wave.h"
#include "matmul/gemm.h"
#include "matmul/matvec_matrix.h"

namespace {

// Columns of B that a wavefront has with up to M rows of x: what is loaded of several rows, and made of it, serves both.
template <u32 M>
constexpr u32 COLUMNS = M == 1 ? 1 : 2;
// Threads of a block for 16 columns.
constexpr u32 THREADS_OF_EIGHT = 8 * WAVE;
DEVICE u64 wavefront_of(u64 block) { return block * (block_size_x() / WAVE) + thread_x() / WAVE; }

template <class T, u32 N>
DEVICE bool all_aligned(const T* const (&p)[N]) {
  bool aligned = true;
  UNROLLED
  for (u32 n = 0; n < N; n++) aligned = aligned && is_aligned(p[n], VECTOR_BYTES);
  return aligned;
}

// Whether several rows are for matrix cores, if they are made of whole vectors.
template <class T, u32 M>
constexpr bool ON_MATRIX_CORES = M > 1 && (is_same<T, f16> || is_same<T, bf16>) && matrix::MATRIX_CORES<T>;
template <class T>
DEVICE bool whole_vectors(u64 k, u32 m, const T* x, u64 x_row, const T* y, u64 pitch, u64 n) {
  if (k % (VECTOR_BYTES / sizeof(T)) != 0) return false;
  const T* const all[] = {x, m > 1 ? x + x_row : x, y, n > 1 ? y + pitch : y};
  return UNALIGNED_VECTORS || all_aligned(all);
}

// Whether columns are read in vectors, where these have to be aligned: one by itself, several if all of the matrix can be, as a
// sum's order must not depend on which others a wavefront has.
template <u32 M, class T, u32 N>
DEVICE bool aligned_columns(const T* const (&y)[N], const T* first, u64 pitch, u64 n) {
  if constexpr (M == 1) return all_aligned(y);
  const T* const two[] = {first, n > 1 ? first + pitch : first};
  return all_aligned(two);
}

// The products of up to M rows of x with each y, computed by a wavefront; `m` of the rows are there. x_col and along are the
// distances of neighbours in a row of x, and in y. Lane l gets the product of y[i / M] and row i % M for i = l / (WAVE / (M N)).
template <u32 U, class T, u32 M, u32 N, class S = typename SumOf<T>::type>
DEVICE S row_products(u64 k, u32 m, const T* x, u64 x_row, u64 x_col, const T* const (&y)[N], u64 along, bool aligned) {
  constexpr u32 W = VECTOR_BYTES / sizeof(T);
  const u32 lane = lane_id();
  S sum[N * M];
  UNROLLED
  for (u32 i = 0; i < N * M; i++) sum[i] = S(0);
  bool vectors = x_col == 1 && along == 1;
  if (!UNALIGNED_VECTORS) {
    const bool rows = m == 1 || is_aligned(x + x_row, VECTOR_BYTES);
    vectors = vectors && rows && is_aligned(x, VECTOR_BYTES) && aligned;
  }
  u64 rest = 0;  // the end of whole vectors
  if (vectors) {
    const auto add = [&](const Vec<T, W>(&w)[N], u64 i) {
      UNROLLED
      for (u32 r = 0; r < M; r++) {
        if (r >= m) break;
        const Vec<T, W> v = load_vec<W>(x + r * x_row + i);
        UNROLLED
        for (u32 n = 0; n < N; n++) {
          UNROLLED
          for (u32 j = 0; j < W; j++) {
            sum[n * M + r] = multiply_add(S(widen(v.at[j])), S(widen(w[n].at[j])), sum[n * M + r]);
          }
        }
      }
    };
    rest = k / W * W;
    u64 i = u64(lane) * W;
    for (; i + (U - 1) * WAVE * W < rest; i += U * WAVE * W) {
      Vec<T, W> w[U][N];
      UNROLLED
      for (u32 u = 0; u < U; u++) {
        UNROLLED
        for (u32 n = 0; n < N; n++) w[u][n] = load_vec<W>(y[n] + i + u * WAVE * W);
      }
      UNROLLED
      for (u32 u = 0; u < U; u++) add(w[u], i + u * WAVE * W);
    }
    if constexpr (U > 4) {
      // All of the rest at once; beyond the end, the first one.
      if (i < rest) {
        Vec<T, W> w[U - 1][N];
        UNROLLED
        for (u32 u = 0; u < U - 1; u++) {
          const u64 at = i + u * WAVE * W;
          UNROLLED
          for (u32 n = 0; n < N; n++) w[u][n] = load_vec<W>(y[n] + (at < rest ? at : i));
        }
        UNROLLED
        for (u32 u = 0; u < U - 1; u++) {
          if (i + u * WAVE * W < rest) add(w[u], i + u * WAVE * W);
        }
      }
    } else {
      for (; i < rest; i += WAVE * W) {
        Vec<T, W> w[N];
        UNROLLED
        for (u32 n = 0; n < N; n++) w[n] = load_vec<W>(y[n] + i);
        add(w, i);
      }
    }
  }
  for (u64 i = rest + lane; i < k; i += WAVE) {
    UNROLLED
    for (u32 n = 0; n < N; n++) {
      const S w = S(widen(y[n][i * along]));
      UNROLLED
      for (u32 r = 0; r < M; r++) {
        if (r < m) sum[n * M + r] = multiply_add(S(widen(x[r * x_row + i * x_col])), w, sum[n * M + r]);
      }
    }
  }
  return spread_sums<WAVE>(sum, lane);
}

// With several rows of x their vectors take the registers.
template <u32 M>
constexpr u32 UNDER_WAY = M == 1 ? 8 : 2;

// A wavefront per COLUMNS of B and up to M rows of A. Launch: blocks of whole wavefronts, enough for all columns.
template <class T, class R, u32 M>
DEVICE void matvec_rows(Size size, Matrices<const T> a, Matrices<const T> b, const Epilogue<R>& epilogue) {
  const Matrices<R>& c = epilogue.c;
  constexpr u32 N = COLUMNS<M>, LANES = WAVE / (M * N);
  const u32 m = u32(min_of(size.m, u64(M)));
  if constexpr (ON_MATRIX_CORES<T, M>) {
    const bool dense = a.col == 1 && b.row == 1;
    if (dense && whole_vectors(size.k, m, a.mine(), a.row, b.mine(), b.col, size.n)) {
      const u64 first = u64(block_x()) * 16;
      const auto column_of = [&](u32 i) { return b.mine() + min_of(first + i, size.n - 1) * b.col; };
      few_rows<T, false>(size.k, m, a.mine(), a.row, column_of, [&](u32 column, u32 row, f32 product, f32) {
        const u64 col = first + column;
        if (col < size.n) c.mine()[col * c.col + row * c.row] = epilogue(convert<R>(product), row, col);
      });
      return;
    }
  }
  const u64 first = wavefront_of(block_x()) * N;
  if (first >= size.n) return;
  const T* y[N];
  UNROLLED
  for (u32 n = 0; n < N; n++) y[n] = b.mine() + min_of(first + n, size.n - 1) * b.col;
  const bool aligned = aligned_columns<M, T>(y, b.mine(), b.col, size.n);
  const auto sum = row_products<UNDER_WAY<M>, T, M, N>(size.k, m, a.mine(), a.row, a.col, y, b.row, aligned);
  const u64 col = first + lane_id() / LANES / M;
  const u32 r = lane_id() / LANES % M;
  if (lane_id() % LANES == 0 && col < size.n && r < m) {
    c.mine()[col * c.col + r * c.row] = epilogue(convert<R>(sum), r, col);
  }
}

// Rows of weights that are dense along k, `pitch` apart, and their products, `n` in a row. A bias, if there is one, has n elements.
template <class T>
struct Weights {
  const T* at;
  u64 pitch, n;
  T* out;
  const T* bias;
};

// The layer of some Weights: the bias is added to products, then an activation is taken. Each step is rounded to T.
template <class T>
struct Layer {
  Weights<T> weights;
  u32 activation;

  // Of a row of weights, if it is there: before the product, as a load takes its time.
  DEVICE T bias(u64 row) const {
    return weights.bias != nullptr && row < weights.n ? weights.bias[row] : convert<T>(compute_t<T>(0));
  }

  template <class S>
  DEVICE void put(u32 r, u64 row, S product, T bias) const {
    using C = compute_t<T>;
    T y = convert<T>(product);
    if (weights.bias != nullptr) y = convert<T>(C(widen(y) + widen(bias)));
    weights.out[r * weights.n + row] = activate(activation, y);
  }
};

// matvec_rows with one of several matrices, for the same m <= M rows of x; `block` counts those of this matrix.
template <class T, u32 M>
DEVICE void matvec_several(u32 m, u64 k, const T* x, u64 x_row, const Layer<T>& layer, u64 block) {
  constexpr u32 N = COLUMNS<M>, LANES = WAVE / (M * N);
  const Weights<T>& weights = layer.weights;
  if constexpr (ON_MATRIX_CORES<T, M>) {
    if (whole_vectors(k, m, x, x_row, weights.at, weights.pitch, weights.n)) {
      const u64 first = block * 16;
      const auto row_of = [&](u32 i) { return weights.at + min_of(first + i, weights.n - 1) * weights.pitch; };
      few_rows<T, false>(k, m, x, x_row, row_of, [&](u32 row, u32 r, f32 product, f32) {
        if (first + row < weights.n) layer.put(r, first + row, product, layer.bias(first + row));
      });
      return;
    }
  }
  const u64 first = wavefront_of(block) * N;
  if (first >= weights.n) return;
  const T* y[N];
  UNROLLED
  for (u32 n = 0; n < N; n++) y[n] = weights.at + min_of(first + n, weights.n - 1) * weights.pitch;
  const bool aligned = aligned_columns<M, T>(y, weights.at, weights.pitch, weights.n);
  const u64 row = first + lane_id() / LANES / M;
  const u32 r = lane_id() / LANES % M;
  const T bias = layer.bias(row);
  const auto sum = row_products<UNDER_WAY<M>, T, M, N>(k, m, x, x_row, 1, y, 1, aligned);
  if (lane_id() % LANES == 0 && row < weights.n && r < m) layer.put(r, row, sum, bias);
}

// silu(x gate') * (x up'), each step rounded to T, as matvec_rows_* and silu_mul do. gate and up have the same n; where
// vectors have to be aligned, their rows are aligned alike.
template <class T, u32 M>
DEVICE void matvec_silu_mul(u32 m, u64 k, const T* x, u64 x_row, const Weights<T>& gate, const T* up, u64 up_pitch) {
  constexpr u32 N = 2, LANES = WAVE / (M * N);
  if constexpr (ON_MATRIX_CORES<T, M>) {
    if (whole_vectors(k, m, x, x_row, gate.at, gate.pitch, gate.n)) {
      const u64 first = u64(block_x()) * 8;
      const auto row_of = [&](u32 i) {
        const u64 row = min_of(first + i % 8, gate.n - 1);
        return i < 8 ? gate.at + row * gate.pitch : up + row * up_pitch;
      };
      few_rows<T, true>(k, m, x, x_row, row_of, [&](u32 row, u32 r, f32 of_gate, f32 of_up) {
        if (first + row < gate.n) gate.out[r * gate.n + first + row] = silu_mul<T>(of_gate, of_up);
      });
      return;
    }
  }
  const u64 row = wavefront_of(block_x());
  if (row >= gate.n) return;
  const T* const y[N] = {gate.at + row * gate.pitch, up + row * up_pitch};
  const bool aligned = aligned_columns<M, T>(y, gate.at, gate.pitch, gate.n);
  const auto sum = row_products<M == 1 ? 4 : 2, T, M, N>(k, m, x, x_row, 1, y, 1, aligned);
  const auto of_up = wave_xor(sum, LANES * M);
  const u32 lane = lane_id(), r = lane / LANES;
  if (lane % LANES == 0 && r < m) gate.out[r * gate.n + row] = silu_mul<T>(sum, of_up);
}

// The norm of a + b, a row of k elements.
template <class T>
struct NormOfSum {
  const T *a, *b;
  T* sum;
  const T *alpha, *beta;
  u32 centered;
  float eps;

  // Into shared memory, by a block. The first block writes the sum.
  DEVICE void to(T* x, u32 k) const {
    const Team team(1, block_size_x());
    Held<T, true> held(a, b, block_x() == 0 ? sum : nullptr, k, team);
    write_norm_at_once(held, x, alpha, beta, k, centered != 0, eps, team);
    sync_threads();
  }
};

// Lanes along the columns of B, W consecutive columns each; the wavefronts of a block share the rows.
template <class T, class R>
DEVICE void matvec_cols(Size size, Matrices<const T> a, Matrices<const T> b, const Epilogue<R>& epilogue) {
  using S = typename SumOf<T>::type;
  constexpr u32 W = sizeof(T) < 4 ? 4 / sizeof(T) : 1, U = 4, COLS = WAVE * W;
  __shared__ S of_wave[1024 / WAVE][COLS];
  const u32 lane = lane_id(), wave = thread_x() / WAVE, waves = block_size_x() / WAVE;
  const u64 col0 = u64(block_x()) * COLS, col = col0 + lane * W;
  const T* const x = a.mine();
  const T* const y = b.mine() + col * b.col;
  const u32 there = col < size.n ? u32(min_of(size.n - col, u64(W))) : 0;
  S sum[W];
  UNROLLED
  for (u32 j = 0; j < W; j++) sum[j] = S(0);
  if (there == W && b.col == 1 && (UNALIGNED_VECTORS || W == 1 || (is_aligned(y, sizeof(T) * W) && b.row % W == 0))) {
    const auto add = [&](const Vec<T, W>& w, u64 i) {
      const S factor = S(widen(x[i * a.col]));
      UNROLLED
      for (u32 j = 0; j < W; j++) sum[j] = multiply_add(factor, S(widen(w.at[j])), sum[j]);
    };
    u64 i = wave;
    for (; i + (U - 1) * waves < size.k; i += U * waves) {
      Vec<T, W> w[U];
      UNROLLED
      for (u32 u = 0; u < U; u++) w[u] = load_vec<W>(y + (i + u * waves) * b.row);
      UNROLLED
      for (u32 u = 0; u < U; u++) add(w[u], i + u * waves);
    }
    for (; i < size.k; i += waves) add(load_vec<W>(y + i * b.row), i);
  } else if (there > 0) {
    for (u64 i = wave; i < size.k; i += waves) {
      const S factor = S(widen(x[i * a.col]));
      UNROLLED
      for (u32 j = 0; j < W; j++) {
        if (j < there) sum[j] = multiply_add(factor, S(widen(y[i * b.row + j * b.col])), sum[j]);
      }
    }
  }
  UNROLLED
  for (u32 j = 0; j < W; j++) of_wave[wave][j * WAVE + lane] = sum[j];
  sync_threads();
  for (u32 column = thread_x(); column < COLS; column += block_size_x()) {
    S total = of_wave[0][column];
    for (u32 w = 1; w < waves; w++) total += of_wave[w][column];
    const u64 to = col0 + column % WAVE * W + column / WAVE;
    if (to < size.n) epilogue.c.mine()[to * epilogue.c.col] = epilogue(convert<R>(total), 0, to);
  }
}

}  // namespace

#define VECTORS(T, R, TYPES)                                                                                           \
  GEMM_KERNEL(256, matvec_rows_##TYPES, T, R, (matvec_rows<T, R, 1>))                                                  \
  GEMM_KERNEL(THREADS_OF_EIGHT, matvec_rows8_##TYPES, T, R, (matvec_rows<T, R, 8>))                                    \
  GEMM_KERNEL(1024, matvec_cols_##TYPES, T, R, (matvec_cols<T, R>))

VECTORS(f32, f32, f32)
VECTORS(f64, f64, f64)
VECTORS(f16, f16, f16)
VECTORS(bf16, bf16, bf16)
VECTORS(f16, f32, f16_f32)
VECTORS(bf16, f32, bf16_f32)

#define FOUR_WEIGHTS(T)                                                                                                \
  const T *w0, size_t pitch0, size_t n0, T *out0, const T *bias0, const T *w1, size_t pitch1, size_t n1, T *out1,      \
      const T *bias1, const T *w2, size_t pitch2, size_t n2, T *out2, const T *bias2, const T *w3, size_t pitch3,      \
      size_t n3, T *out3, const T *bias3, u32 first1, u32 first2, u32 first3, u32 activation

// The one of this block, and the first of its blocks.
#define CHOOSE_LAYER(T)                                                                                                \
  Layer<T> layer = {{w0, pitch0, n0, out0, bias0}, activation};                                                        \
  u32 first = 0;                                                                                                       \
  const u32 block = block_x();                                                                                         \
  if (block >= first1) layer.weights = {w1, pitch1, n1, out1, bias1}, first = first1;                                  \
  if (block >= first2) layer.weights = {w2, pitch2, n2, out2, bias2}, first = first2;                                  \
  if (block >= first3) layer.weights = {w3, pitch3, n3, out3, bias3}, first = first3;

#define SEVERAL(NAME, T, M)                                                                                            \
  KERNEL THREADS_AT_MOST(M == 1 ? 256 : THREADS_OF_EIGHT)                                                              \
      NAME(u32 m, size_t k, const T* x, size_t x_row, FOUR_WEIGHTS(T)) {                                               \
    CHOOSE_LAYER(T)                                                                                                    \
    matvec_several<T, M>(m, k, x, x_row, layer, block - first);                                                        \
  }

#define SILU_MUL(NAME, T, M)                                                                                           \
  KERNEL THREADS_AT_MOST(M == 1 ? 256 : THREADS_OF_EIGHT)                                                              \
      NAME(u32 m, size_t k, const T* x, size_t x_row, const T* gate, size_t gate_pitch, const T* up, size_t up_pitch,  \
           size_t n, T* out) {                                                                                         \
    matvec_silu_mul<T, M>(m, k, x, x_row, {gate, gate_pitch, n, out, nullptr}, up, up_pitch);                          \
  }

// Shared memory: k elements.
#define OF_NORM(T)                                                                                                     \
  KERNEL THREADS_AT_MOST(256) norm_matvec_several_##T(u32 k, const T* a, const T* b, T* sum, const T* alpha,           \
                                                      const T* beta, u32 centered, float eps, FOUR_WEIGHTS(T)) {       \
    extern __shared__ Vec<u32, 4> memory[];                                                                            \
    T* const x = reinterpret_cast<T*>(memory);                                                                         \
    NormOfSum<T>{a, b, sum, alpha, beta, centered, eps}.to(x, k);                                                      \
    CHOOSE_LAYER(T)                                                                                                    \
    matvec_several<T, 1>(1, k, x, 0, layer, block - first);                                                            \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256) norm_matvec_silu_mul_##T(                                                                \
      u32 k, const T* a, const T* b, T* sum, const T* alpha, const T* beta, u32 centered, float eps, const T* gate,    \
      size_t gate_pitch, const T* up, size_t up_pitch, size_t n, T* out) {                                             \
    extern __shared__ Vec<u32, 4> memory[];                                                                            \
    T* const x = reinterpret_cast<T*>(memory);                                                                         \
    NormOfSum<T>{a, b, sum, alpha, beta, centered, eps}.to(x, k);                                                      \
    matvec_silu_mul<T, 1>(1, k, x, 0, {gate, gate_pitch, n, out, nullptr}, up, up_pitch);                              \
  }

#define SHARED_VECTORS(T)                                                                                              \
  SEVERAL(matvec_several_##T, T, 1)                                                                                    \
  SEVERAL(matvec_several8_##T, T, 8)                                                                                   \
  SILU_MUL(matvec_silu_mul_##T, T, 1)                                                                                  \
  SILU_MUL(matvec_silu_mul8_##T, T, 8)                                                                                 \
  OF_NORM(T)

SHARED_VECTORS(f32)
SHARED_VECTORS(f16)
SHARED_VECTORS(bf16)
