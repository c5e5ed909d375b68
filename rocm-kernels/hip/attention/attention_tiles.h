// Attention in tiles of 64 queries and 64 keys, shared by attention.hip and attention_backward.hip.
//
// 256 threads in a 16 by 16 grid. Thread (x, y) holds rows 4 y .. 4 y + 3 of a tile: columns x + 16 j of scores, and columns
// 4 x .. 4 x + 3 of each 64 of weighted sums. A row thus stays within 16 consecutive lanes.
#ifndef CANDLE_ROCM_ATTENTION_TILES_H
#define CANDLE_ROCM_ATTENTION_TILES_H

#include "attention/attention.h"
#include "common/f32_tiles.h"
#include "common/platform.h"
#include "common/vec.h"

// 64 of the queries that share a key head; seen and mask_row belong to this thread's rows.
template <class T>
struct QueryTile {
  u32 first, batch, kv_head;
  u32 end;  // no query of the tile attends to more keys
  u32 seen[4];
  u64 mask_row[4];

  DEVICE QueryTile(const Problem<T>& p, u32 block) {
    const u32 rows = p.rows(), tiles = (rows + TILE - 1) / TILE, of = block / tiles;
    // The last tiles start first: with a causal mask, they have the most keys.
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

constexpr u32 VALUE_KEYS = 32;  // vectors loaded at a time
constexpr u32 VALUE_COLUMNS = 64;
constexpr u32 WEIGHT_ROW = TILE / 4 + 1, VALUE_ROW = VALUE_COLUMNS / 4 + 1;
constexpr u32 VALUES = VALUE_KEYS * VALUE_ROW;
static_assert(TILE * WEIGHT_ROW <= POOL, "weights fit where rows were multiplied");

// sums += weights * vectors, for the 64 rows of weights and PARTS * 64 columns, starting at column0, of vectors of n elements.
// vector(i) is the address of the vector with weights i, or null; the first `count` have weights. Starts with a barrier, so the
// weights may have just been written.
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
      const auto v8 = load_eight<true>(from, column + tid % 8 * 8, n);
      sync_threads();
      store_eight(values + tid / 8 * VALUE_ROW + tid % 8 * 2, v8);
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

// Stores this thread's part of row i of the sums, times a factor, to a row of n elements, starting at column0.
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
