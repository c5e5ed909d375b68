// Attention: softmax(q k^T scale + mask) v. The matrix of scores is never stored; each query has a running maximum and sum
// (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018; Dao et al., "FlashAttention", 2022). candle
// has no counterpart for CUDA.
//
// sdpa_few_*: for few queries, as in token generation. Bound by reading k and v once: lanes share a key, and keys are
// distributed over the block and, in splits, over the card; sdpa_merge_* merges the splits (as in Flash-Decoding).
// sdpa_wide_*: for few queries and so few keys that a larger block for each query takes no longer than both launches.
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
    write_row(out + p.written(tile.batch, tile.kv_head, row) * p.dv, result, i, reciprocal(all), column0, p.dv);
  }
}

// -------------------------------------------------------------------------------------------------------- Few queries

// Launch: a block of FEW_THREADS per query, starting with query `begin`; dv is at most 2 * FEW_THREADS. The result is [.., heads, t, dv],
// or, if heads is not 0, [.., t, heads, dv].
template <class T>
DEVICE void merge(const f32* partial, T* out, u32 splits, u32 dv, u64 begin, u32 heads, u32 t) {
  constexpr u32 LOADS_IN_FLIGHT = 8;  // loads in flight
  __shared__ f32 of[FEW_THREADS];
  const u64 query = begin + block_x();
  const f32* const parts = partial + query * splits * (dv + 2);
  u64 to = query;
  if (heads != 0) {
    const u64 head = query / t, batch = head / heads;
    to = (batch * t + query % t) * heads + head % heads;
  }
  const u32 tid = thread_x();
  f32 mine = LOWEST, highest = LOWEST;
  for (u32 i = tid; i < splits; i += FEW_THREADS) mine = max_of(mine, parts[i * (dv + 2)]);
  of[tid] = mine;
  sync_threads();
  for (u32 i = 0; i < min_of(splits, FEW_THREADS); i++) highest = max_of(highest, of[i]);
  f32 sum = 0.0f, total[2] = {0.0f, 0.0f};
  for (u32 first = 0; first < splits; first += FEW_THREADS) {
    const u32 i = min_of(first + tid, splits - 1), count = min_of(splits - first, FEW_THREADS);
    const f32 weight = first + tid < splits ? exponential<T>(parts[i * (dv + 2)] - highest) : 0.0f;
    sum += weight == 0.0f ? 0.0f : weight * parts[i * (dv + 2) + 1];
    sync_threads();
    of[tid] = weight;
    sync_threads();
    UNROLLED
    for (u32 part = 0; part < 2; part++) {
      const u32 column = part * FEW_THREADS + tid;
      if (column >= dv) break;
      for (u32 j = 0; j < count; j += LOADS_IN_FLIGHT) {
        f32 value[LOADS_IN_FLIGHT];
        UNROLLED
        for (u32 z = 0; z < LOADS_IN_FLIGHT; z++) {
          value[z] = parts[min_of(first + j + z, splits - 1) * (dv + 2) + 2 + column];
        }
        UNROLLED
        for (u32 z = 0; z < LOADS_IN_FLIGHT; z++) total[part] = math::fma(of[j + z], value[z], total[part]);
      }
    }
  }
  sync_threads();
  of[tid] = sum;
  sync_threads();
  f32 all = 0.0f;
  for (u32 i = 0; i < min_of(splits, FEW_THREADS); i++) all += of[i];
  const f32 factor = reciprocal(all);
  UNROLLED
  for (u32 part = 0; part < 2; part++) {
    const u32 column = part * FEW_THREADS + tid;
    if (column < dv) out[to * dv + column] = convert<T>(total[part] * factor);
  }
}

// ---------------------------------------------------------------------------------------------------------- Kernels

#define TILE_KERNEL(T, PARTS, COLUMNS)                                                                                 \
  KERNEL THREADS_AT_MOST(256) sdpa_##COLUMNS##_##T(PROBLEM_PARAMETERS(T)) { attend<T, PARTS>(PROBLEM(T), out); }

#define FEW_KERNEL(NAME, T, QUERIES, THREADS)                                                                          \
  KERNEL THREADS_AT_MOST(THREADS) NAME(PROBLEM_PARAMETERS(T), f32* partial, const u32 split_len, const u32 lanes) {    \
    attend_few<T, QUERIES, THREADS>(PROBLEM(T), out, partial, split_len, lanes, AllStored{});                          \
  }

#define ATTENTION_KERNELS(T)                                                                                           \
  TILE_KERNEL(T, 2, 128)                                                                                               \
  TILE_KERNEL(T, 4, 256)                                                                                               \
  FEW_KERNEL(sdpa_few_1_##T, T, 1, 128)                                                                                \
  FEW_KERNEL(sdpa_few_4_##T, T, 4, 128)                                                                                \
  FEW_KERNEL(sdpa_wide_##T, T, 1, 512)                                                                                 \
  KERNEL THREADS_AT_MOST(128) sdpa_merge_##T(const f32* partial, T* out, const u32 splits, const u32 dv,               \
                                             const size_t begin, const u32 heads, const u32 t) {                       \
    merge<T>(partial, out, splits, dv, begin, heads, t);                                                               \
  }

ATTENTION_KERNELS(f32)
ATTENTION_KERNELS(f16)
ATTENTION_KERNELS(bf16)
