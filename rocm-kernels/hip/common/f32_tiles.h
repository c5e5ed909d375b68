// What products of small tiles have in common: eight numbers at a time from memory, as f32 in shared memory.
#ifndef CANDLE_ROCM_F32_TILES_H
#define CANDLE_ROCM_F32_TILES_H

#include "common/platform.h"
#include "common/vec.h"

using V4 = Vec<f32, 4>;
using V8 = Vec<f32, 8>;

// Before loops whose body is long enough as it is.
#define ROLLED _Pragma("unroll 1")

// Eight numbers of a row of n, from `from` on; zeros where there are none, or no row. EIGHTS: n is a multiple of 8, which
// saves a condition for each number (and each takes two scalar registers).
template <bool EIGHTS, class T>
DEVICE Vec<T, 8> eight(const T* row, u32 from, u32 n) {
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
DEVICE void put(V4* to, const Vec<T, 8>& x) {
  V4 low, high;
  UNROLLED
  for (int i = 0; i < 4; i++) low.at[i] = widen(x.at[i]), high.at[i] = widen(x.at[i + 4]);
  to[0] = low;
  to[1] = high;
}

// 256 threads, a square of 16 by 16, multiply 64 rows with 64 others, 32 columns at a time. Thread (x, y) has the products
// of the rows 4 y .. 4 y + 3 with the others x, x + 16, x + 32, x + 48.
constexpr u32 TILE = 64;
constexpr u32 CHUNK = 32;
// Rows in shared memory are one vector longer than they need be: neighbours begin in other banks.
constexpr u32 CHUNK_ROW = CHUNK / 4 + 1;
constexpr u32 POOL = 2 * TILE * CHUNK_ROW;

// products += the rows' products. `row` and `other` are what this thread fetches of them, the rows number thread / 4, null
// where there is none; n columns, a multiple of 8 if EIGHTS. The pool may be in use until a barrier that comes with it; it is still in use at the end.
template <bool EIGHTS, class T>
DEVICE void multiply(f32 (&products)[4][4], V4* pool, const T* row, const T* other, u32 n) {
  const u32 tid = thread_x(), x = tid % 16, y = tid / 16, column = tid % 4 * 8;
  for (u32 c0 = 0; c0 < n; c0 += CHUNK) {
    const Vec<T, 8> a8 = eight<EIGHTS>(row, c0 + column, n), b8 = eight<EIGHTS>(other, c0 + column, n);
    sync_threads();
    put(pool + tid / 4 * CHUNK_ROW + column / 4, a8);
    put(pool + (TILE + tid / 4) * CHUNK_ROW + column / 4, b8);
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
