// Attention: softmax(q k^T scale + mask) v. The matrix of scores is never stored; each query has a running maximum and sum
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018; Dao et al., "FlashAttention", 2022). candle
// has no counterpart for CUDA.
//
// sdpa_few_N_*: for few queries, N of them in a block, as in token generation. Bound by reading k and v once: lanes share a key, and
// keys are distributed over the block and, in splits, over the card (as in Flash-Decoding).
// sdpa_*: for all others. A block processes 64 queries in tiles of 64 keys.
//
// The query heads that share a key head form one list of queries, head by head, so that with grouped heads k and v are read
// once for all of them. Scores and sums are f32; results are rounded once.
#include "attention/attention.h"
#include "attention/attention_few.h"
#include "attention/attention_tiles.h"
#include "common/f32_tiles.h"
#include "common/platform.h"
#include "common/vec.h"
#include "common/wave.h"

// ------------------------------------------------------------------------------------------------------- Many queries

// Launch: 256 threads; gridDim.x = batch * kv_heads * tiles of queries; gridDim.y parts of 64 * PARTS columns of v.
template <class T, int PARTS>
DEVICE void attend(const Problem<T>& p, T* out) {
  // Queries and keys, later the weights.
  __shared__ V4 pool[POOL];
  __shared__ V4 values[VALUES];

  const u32 tid = thread_x(), x = tid % 16, y = tid / 16;
  const QueryTile<T> tile(p, block_x());
  const T *const keys = p.keys(tile.batch, tile.kv_head), *const v = p.values(tile.batch, tile.kv_head);
  const u32 column0 = block_y() * (PARTS * VALUE_COLUMNS);
  const T* const query = p.query_row(tile.batch, tile.kv_head, tile.first + tid / 4);

  f32 top[4], sum[4];
  V4 result[PARTS][4];
  UNROLLED
  for (int i = 0; i < 4; i++) {
    top[i] = LOWEST;
    sum[i] = 0.0f;
    UNROLLED
    for (int c = 0; c < PARTS; c++) result[c][i] = splat<4>(0.0f);
  }

  for (u32 key0 = 0; key0 < tile.end; key0 += TILE) {
    f32 score[4][4];
    UNROLLED
    for (int i = 0; i < 4; i++) {
      UNROLLED
      for (int j = 0; j < 4; j++) score[i][j] = 0.0f;
    }
    const u32 key = key0 + tid / 4;
    const T* const key_row = key < p.s ? keys + key * p.k_step : nullptr;
    multiply<true>(score, pool, query, key_row, p.d);
    sync_threads();

    Scores<4, 4> scores{score, key0 + x, 16};
    p.finish(scores, tile.mask_row, tile.seen);
    UNROLLED
    for (int i = 0; i < 4; i++) {
      f32 highest = top[i];
      UNROLLED
      for (int j = 0; j < 4; j++) highest = max_of(highest, score[i][j]);
      UNROLLED
      for (u32 lanes = 8; lanes > 0; lanes /= 2) {
        const f32 theirs = wave_xor(highest, lanes);
        highest = max_of(highest, theirs);
      }
      const f32 fade = exponential<T>(top[i] - highest);
      top[i] = highest;
      sum[i] *= fade;
      UNROLLED
      for (int c = 0; c < PARTS; c++) {
        UNROLLED
        for (int z = 0; z < 4; z++) result[c][i].at[z] *= fade;
      }
      UNROLLED
      for (int j = 0; j < 4; j++) {
        const f32 weight = exponential<T>(score[i][j] - highest);
        sum[i] += weight;
        pool[(y * 4 + i) * WEIGHT_ROW + (x + 16 * j) / 4].at[x % 4] = weight;
      }
    }
    weigh(result, pool, values, min_of(tile.end - key0, TILE), column0, p.dv,
          [&](u32 i) { return key0 + i < p.s ? v + (key0 + i) * p.v_step : nullptr; });
  }

  UNROLLED
  for (int i = 0; i < 4; i++) {
    f32 all = sum[i];
    UNROLLED
    for (u32 lanes = 8; lanes > 0; lanes /= 2) {
      const f32 theirs = wave_xor(all, lanes);
      all += theirs;
    }
    const u32 row = tile.first + y * 4 + i;
    if (row >= p.rows()) continue;
    write_row(out + p.written(tile.batch, tile.kv_head, row) * p.dv, result, i, p.normalizer(all), column0, p.dv);
  }
}

// ---------------------------------------------------------------------------------------------------------- Kernels

#define TILE_KERNEL(T, PARTS, COLUMNS)                                                                                 \
  KERNEL THREADS_AT_MOST(256) sdpa_##COLUMNS##_##T(PROBLEM_PARAMETERS(T, T)) { attend<T, PARTS>(PROBLEM(T, T), out); }

#define ATTENTION_KERNELS(T)                                                                                           \
  TILE_KERNEL(T, 2, 128)                                                                                               \
  TILE_KERNEL(T, 4, 256)                                                                                               \
  FEW_KERNEL(sdpa_few_1_##T, T, T, 1)                                                                                  \
  FEW_KERNEL(sdpa_few_2_##T, T, T, 2)                                                                                  \
  FEW_KERNEL(sdpa_few_4_##T, T, T, 4)

ATTENTION_KERNELS(f32)
ATTENTION_KERNELS(f16)
ATTENTION_KERNELS(bf16)
