// Products of a few rows with a matrix, bound by reading the matrix once.
//
//   matvec_rows_T, matvec_rows8_T   m = 1 and m <= 8, for B with contiguous columns (x times the transpose of row-major
//                                   weights): a wavefront per column of B, in blocks of whole wavefronts
//   matvec_cols_T                   m = 1, for B with contiguous rows: lanes along the rows
#include "common/wave.h"
#include "matmul/gemm.h"

namespace {

// A wavefront per column of B and up to M rows of A. Launch: blocks of whole wavefronts, enough for all columns.
template <class T, u32 M>
DEVICE void matvec_rows(Size size, Matrices<const T> a, Matrices<const T> b, Matrices<T> c) {
  using S = typename SumOf<T>::type;
  constexpr u32 W = VECTOR_BYTES / sizeof(T), U = M == 1 ? 4 : 2;
  const u32 lane = lane_id(), m = u32(min_of(size.m, u64(M)));
  const u64 k = size.k, col = u64(block_x()) * (block_size_x() / WAVE) + thread_x() / WAVE;
  if (col >= size.n) return;
  const T* const x = a.mine();
  const T* const y = b.mine() + col * b.col;
  S sum[M];
  UNROLLED
  for (u32 r = 0; r < M; r++) sum[r] = S(0);
  bool vectors = a.col == 1 && b.row == 1;
  if (!UNALIGNED_VECTORS) {
    const bool rows = m == 1 || is_aligned(x + a.row, VECTOR_BYTES);
    vectors = vectors && rows && is_aligned(x, VECTOR_BYTES) && is_aligned(y, VECTOR_BYTES);
  }
  u64 rest = 0;  // the end of whole vectors
  if (vectors) {
    const auto add = [&](const Vec<T, W>& w, u64 i) {
      UNROLLED
      for (u32 r = 0; r < M; r++) {
        if (r >= m) break;
        const Vec<T, W> v = load_vec<W>(x + r * a.row + i);
        UNROLLED
        for (u32 j = 0; j < W; j++) sum[r] = multiply_add(S(widen(v.at[j])), S(widen(w.at[j])), sum[r]);
      }
    };
    rest = k / W * W;
    u64 i = u64(lane) * W;
    for (; i + (U - 1) * WAVE * W < rest; i += U * WAVE * W) {
      Vec<T, W> w[U];
      UNROLLED
      for (u32 u = 0; u < U; u++) w[u] = load_vec<W>(y + i + u * WAVE * W);
      UNROLLED
      for (u32 u = 0; u < U; u++) add(w[u], i + u * WAVE * W);
    }
    for (; i < rest; i += WAVE * W) add(load_vec<W>(y + i), i);
  }
  for (u64 i = rest + lane; i < k; i += WAVE) {
    const S w = S(widen(y[i * b.row]));
    UNROLLED
    for (u32 r = 0; r < M; r++) {
      if (r < m) sum[r] = multiply_add(S(widen(x[r * a.row + i * a.col])), w, sum[r]);
    }
  }
  T* const out = c.mine() + col * c.col;
  UNROLLED
  for (u32 r = 0; r < M; r++) {
    if (r >= m) break;
    const S total = wave_reduce(sum[r], [](S p, S q) { return p + q; });
    if (lane == 0) out[r * c.row] = convert<T>(total);
  }
}

// Lanes along the columns of B, W consecutive columns each; the wavefronts of a block share the rows.
template <class T>
DEVICE void matvec_cols(Size size, Matrices<const T> a, Matrices<const T> b, Matrices<T> c) {
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
    if (to < size.n) c.mine()[to * c.col] = convert<T>(total);
  }
}

}  // namespace

#define VECTORS(T)                                                                                                     \
  GEMM_KERNEL(256, matvec_rows_##T, T, (matvec_rows<T, 1>))                                                            \
  GEMM_KERNEL(256, matvec_rows8_##T, T, (matvec_rows<T, 8>))                                                           \
  GEMM_KERNEL(1024, matvec_cols_##T, T, (matvec_cols<T>))

VECTORS(f32)
VECTORS(f64)
VECTORS(f16)
VECTORS(bf16)
