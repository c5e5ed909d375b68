// Products of f32 tiles in shared memory, loaded eight elements at a time from any floating-point type.
#ifndef CANDLE_ROCM_F32_TILES_H
#define CANDLE_ROCM_F32_TILES_H

#include "common/platform.h"
#include "common/vec.h"

using V4 = Vec<f32, 4>;
using V8 = Vec<f32, 8>;

// Eight elements of a row of n, starting at `from`; zeros beyond its end, or if the row is null. EIGHTS: n is a multiple
// of 8, which saves a condition per element (each takes two scalar registers).
template <bool EIGHTS, class T>
DEVICE Vec<T, 8> load_eight(const T* row, u32 from, u32 n) {
  constexpr int W = VECTOR_BYTES / sizeof(T) < 8 ? VECTOR_BYTES / sizeof(T) : 8;
  Vec<T, 8> x;
  UNROLLED
  for (int i = 0; i < 8; i++) x.at[i] = convert<T>(0.0f);
  if (row == nullptr || from >= n) return x;
  if ((EIGHTS || from + 8 <= n) && (UNALIGNED_VECTORS || is_aligned(row + from, VECTOR_BYTES))) {
    UNROLLED
    for (int i = 0; i < 8; i += W) {
      const Vec<T, W> part = load_vec<W>(row + from + i);
      UNROLLED
      for (int j = 0; j < W; j++) x.at[i + j] = part.at[j];
    }
  } else {
    UNROLLED
    for (int i = 0; i < 8; i++) {
      if (EIGHTS || from + i < n) x.at[i] = row[from + i];
    }
  }
  return x;
}

template <class T>
DEVICE void store_eight(V4* to, const Vec<T, 8>& x) {
  V4 low, high;
  UNROLLED
  for (int i = 0; i < 4; i++) low.at[i] = widen(x.at[i]), high.at[i] = widen(x.at[i + 4]);
  to[0] = low;
  to[1] = high;
}

// 256 threads, as a 16 by 16 grid, compute the dot products of 64 rows with 64 other rows, 32 columns at a time. Thread
// (x, y) accumulates those of rows 4 y .. 4 y + 3 with the other rows x, x + 16, x + 32 and x + 48.
constexpr u32 TILE = 64;
constexpr u32 CHUNK = 32;
// Rows in shared memory are padded by one vector, so that consecutive rows start in different banks.
constexpr u32 CHUNK_ROW = CHUNK / 4 + 1;
constexpr u32 POOL = 2 * TILE * CHUNK_ROW;

// products += the dot products of the rows, of n columns each (a multiple of 8 if EIGHTS). `row` and `other` are the rows that
// this thread loads, those with index thread / 4, or null. Starts with a barrier before it overwrites the pool, and ends
// without one.
template <bool EIGHTS, class T>
DEVICE void multiply(f32 (&products)[4][4], V4* pool, const T* row, const T* other, u32 n) {
  const u32 tid = thread_x(), x = tid % 16, y = tid / 16, column = tid % 4 * 8;
  for (u32 c0 = 0; c0 < n; c0 += CHUNK) {
    const Vec<T, 8> a8 = load_eight<EIGHTS>(row, c0 + column, n), b8 = load_eight<EIGHTS>(other, c0 + column, n);
    sync_threads();
    store_eight(pool + tid / 4 * CHUNK_ROW + column / 4, a8);
    store_eight(pool + (TILE + tid / 4) * CHUNK_ROW + column / 4, b8);
    sync_threads();
    const u32 steps = (min_of(n - c0, CHUNK) + 3) / 4;
    ROLLED
    for (u32 e = 0; e < steps; e++) {
      V4 a[4], b[4];
      UNROLLED
      for (int i = 0; i < 4; i++) a[i] = pool[(y * 4 + i) * CHUNK_ROW + e];
      UNROLLED
      for (int j = 0; j < 4; j++) b[j] = pool[(TILE + x + 16 * j) * CHUNK_ROW + e];
      UNROLLED
      for (int i = 0; i < 4; i++) {
        UNROLLED
        for (int j = 0; j < 4; j++) {
          UNROLLED
          for (int z = 0; z < 4; z++) products[i][j] = math::fma(a[i].at[z], b[j].at[z], products[i][j]);
        }
      }
    }
  }
}

#endif
