// Attention in tiles of 64 queries and 64 keys: what the kernels of attention.hip and attention_backward.hip share.
//
// 256 threads; thread (x, y) of 16 by 16 has the rows 4 y .. 4 y + 3 of a tile, of the scores the columns x + 16 j, of sums of
// vectors the columns 4 x .. 4 x + 3 of each 64. So all that concerns a row stays with 16 neighbouring lanes.
#ifndef CANDLE_ROCM_ATTENTION_TILES_H
#define CANDLE_ROCM_ATTENTION_TILES_H

#include "attention/attention.h"
#include "common/f32_tiles.h"
#include "common/platform.h"
#include "common/vec.h"

// Of queries, with the keys key, key + step ...
template <int QUERIES, int KEYS>
struct Scores {
  f32 (&at)[QUERIES][KEYS];
  u32 key, step;

  template <class F>
  DEVICE void each(const F& f) {
    UNROLLED
    for (int i = 0; i < QUERIES; i++) {
      UNROLLED
      for (int j = 0; j < KEYS; j++) at[i][j] = f(at[i][j], i, key + j * step);
    }
  }
};

// 64 of the queries that share a key head; seen and mask_row are of this thread's rows.
template <class T>
struct QueryTile {
  u32 first, batch, kv_head;
  u32 end;  // no query of the tile sees more keys
  u32 seen[4];
  u64 mask_row[4];

  DEVICE QueryTile(const Problem<T>& p, u32 block) {
    const u32 rows = p.rows(), tiles = (rows + TILE - 1) / TILE, of = block / tiles;
    // The last tiles have the most keys, if causal: they begin first.
    first = (tiles - 1 - block % tiles) * TILE;
    batch = of / p.kv_heads;
    kv_head = of % p.kv_heads;
    end = p.most_seen(first, min_of(first + TILE, rows) - 1);
    UNROLLED
    for (int i = 0; i < 4; i++) {
      const u32 row = first + thread_x() / 16 * 4 + i;
      seen[i] = p.row_sees(row);
      mask_row[i] = p.mask_row(batch, kv_head, row);
    }
  }
};

constexpr u32 VALUE_KEYS = 32;  // vectors at a time
constexpr u32 VALUE_COLUMNS = 64;
constexpr u32 WEIGHT_ROW = TILE / 4 + 1, VALUE_ROW = VALUE_COLUMNS / 4 + 1;
constexpr u32 VALUES = VALUE_KEYS * VALUE_ROW;
static_assert(TILE * WEIGHT_ROW <= POOL, "weights fit where rows were multiplied");

// sums += weights * vectors: of each row of weights, 64 of them, PARTS * 64 columns from column0 on of vectors of n. vector(i) is
// where this thread reads the one with the i-th weights, null where there is none; `count` have weights at all. Weights may have
// been written just before.
template <int PARTS, class Vectors>
DEVICE void weigh(V4 (&sums)[PARTS][4], const V4* weights, V4* values, u32 count, u32 column0, u32 n,
                  const Vectors& vector) {
  const u32 tid = thread_x(), x = tid % 16, y = tid / 16;
  for (u32 begin = 0; begin < count; begin += VALUE_KEYS) {
    const auto* const from = vector(begin + tid / 8);
    UNROLLED
    for (int c = 0; c < PARTS; c++) {
      const u32 column = column0 + c * VALUE_COLUMNS;
      if (column >= n) break;
      const auto v8 = eight<true>(from, column + tid % 8 * 8, n);
      sync_threads();
      put(values + tid / 8 * VALUE_ROW + tid % 8 * 2, v8);
      sync_threads();
      ROLLED
      for (u32 e = 0; e < VALUE_KEYS / 4; e++) {
        V4 a[4], b[4];
        UNROLLED
        for (int i = 0; i < 4; i++) a[i] = weights[(y * 4 + i) * WEIGHT_ROW + begin / 4 + e];
        UNROLLED
        for (int j = 0; j < 4; j++) b[j] = values[(e * 4 + j) * VALUE_ROW + x];
        UNROLLED
        for (int i = 0; i < 4; i++) {
          UNROLLED
          for (int j = 0; j < 4; j++) {
            UNROLLED
            for (int z = 0; z < 4; z++) sums[c][i].at[z] = math::fma(a[i].at[j], b[j].at[z], sums[c][i].at[z]);
          }
        }
      }
    }
  }
}

// This thread's part of row i of the sums, times a factor, to the columns from column0 on of a row of n.
template <class T, int PARTS>
DEVICE void write_row(T* to, const V4 (&sums)[PARTS][4], int i, f32 factor, u32 column0, u32 n) {
  UNROLLED
  for (int c = 0; c < PARTS; c++) {
    const u32 column = column0 + c * VALUE_COLUMNS + thread_x() % 16 * 4;
    Vec<T, 4> rounded;
    UNROLLED
    for (int z = 0; z < 4; z++) rounded.at[z] = convert<T>(sums[c][i].at[z] * factor);
    if (n % 4 == 0) {
      if (column < n) store_vec(to + column, rounded);
    } else {
      for (int z = 0; z < 4; z++) {
        if (column + z < n) to[column + z] = rounded.at[z];
      }
    }
  }
}

#endif  // CANDLE_ROCM_ATTENTION_TILES_H
