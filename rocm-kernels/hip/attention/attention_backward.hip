// Gradients of attention, as in Dao's "FlashAttention-2" (2023, arXiv 2307.08691): the matrix of scores is never stored; weights
// are recomputed tile by tile. candle has no counterpart.
//
// With weights P = softmax(f(q k^T) + mask), a result o = P v and its gradient do:
//   dv = P^T do, dS = P * (do v^T - D) with D = rowsum(do * o), dmask = dS, dq = (dS f') k, dk = (dS f')^T q.
//
// sdpa_statistics_*: per query, what turns scores into weights, and D.
// sdpa_dq_*: a block iterates over all keys for 64 queries.
// sdpa_dkv_*: a block iterates over all queries of all heads that share its 64 keys.
// sdpa_dmask_*: a block iterates over all scores that its part of the mask is added to.
//
// The order of each sum is fixed, so results are deterministic. Scores and sums are f32; results are rounded once.
#include "attention/attention.h"
#include "attention/attention_tiles.h"
#include "common/f32_tiles.h"
#include "common/platform.h"
#include "common/vec.h"
#include "common/wave.h"

constexpr int PARTS = 2;  // a block computes 64 * PARTS columns of a gradient
constexpr u32 PART_COLUMNS = PARTS * VALUE_COLUMNS;

// The dimensions along which the mask is broadcast.
constexpr u32 EACH_BATCH = 4, EACH_HEAD = 8, EACH_QUERY = 16, EACH_KEY = 32;

// Of a query: its weights are exp(score - top) * factor; and D.
struct Statistics {
  f32 top, factor, dot;
};

template <class T>
struct Backward {
  Problem<T> p;
  const T* grad;         // of the result, [batch, heads, t, dv], zero-padded to a multiple of 8 columns
  const V4* statistics;  // [batch, heads, t]

  // See p.query_row.
  DEVICE const T* grad_row(u32 batch, u32 kv_head, u32 row) const {
    return row < p.rows() ? grad + p.result(batch, kv_head, row) * ((p.dv + 7) / 8 * 8) : nullptr;
  }
  DEVICE Statistics statistics_of(u32 batch, u32 kv_head, u32 row) const {
    if (row >= p.rows()) return {0.0f, 0.0f, 0.0f};
    const V4 at = load_vec<4>(statistics[p.result(batch, kv_head, row)].at);
    return {at.at[0], at.at[1], at.at[2]};
  }
};

// The rows that this thread loads for a tile of products: those with index thread / 4.
template <class T>
struct Rows {
  const T *query, *key, *grad, *value;
};

// The scores of a tile. BY_KEYS: its rows are keys, and its columns queries.
template <bool BY_KEYS>
struct Tile {
  f32 (&at)[4][4];
  u32 key0;

  template <class F>
  DEVICE void each(const F& f) {
    const u32 x = thread_x() % 16, y = thread_x() / 16;
    UNROLLED
    for (int i = 0; i < 4; i++) {
      UNROLLED
      for (int j = 0; j < 4; j++) {
        at[i][j] = f(at[i][j], BY_KEYS ? j : i, key0 + (BY_KEYS ? y * 4 + i : x + 16 * j));
      }
    }
  }
};

DEVICE void clear(f32 (&x)[4][4]) {
  UNROLLED
  for (int i = 0; i < 4; i++) {
    UNROLLED
    for (int j = 0; j < 4; j++) x[i][j] = 0.0f;
  }
}

DEVICE void clear(V4 (&x)[PARTS][4]) {
  UNROLLED
  for (int c = 0; c < PARTS; c++) {
    UNROLLED
    for (int i = 0; i < 4; i++) x[c][i] = splat<4>(0.0f);
  }
}

// The weights of a tile and the gradients of its scores or, with PRODUCTS, of the dot products. The pool stays in use until the
// next barrier.
template <bool BY_KEYS, bool PRODUCTS, class T>
DEVICE void differentiate(f32 (&weight)[4][4], f32 (&gradient)[4][4], V4* pool, const Problem<T>& p,
                          const Rows<T>& rows, u32 key0, const u32* seen, const u64* mask_row,
                          const Statistics* statistics) {
  clear(weight);
  multiply<true>(weight, pool, BY_KEYS ? rows.key : rows.query, BY_KEYS ? rows.query : rows.key, p.d);
  Tile<BY_KEYS> scores{weight, key0};
  p.soften(scores);
  f32 slope[4][4];
  UNROLLED
  for (int i = 0; i < 4; i++) {
    UNROLLED
    for (int j = 0; j < 4; j++) {
      // tanh' = 1 - tanh^2
      const f32 bent = p.flags & SOFTCAPPED ? math::div(weight[i][j], p.cap) : 0.0f;
      slope[i][j] = PRODUCTS ? math::fma(-bent, bent, 1.0f) * p.scale : 1.0f;
    }
  }
  p.hide(scores, mask_row, seen);
  clear(gradient);
  multiply<true>(gradient, pool, BY_KEYS ? rows.value : rows.grad, BY_KEYS ? rows.grad : rows.value, p.dv);
  UNROLLED
  for (int i = 0; i < 4; i++) {
    UNROLLED
    for (int j = 0; j < 4; j++) {
      const Statistics& of = statistics[BY_KEYS ? j : i];
      weight[i][j] = exponential<T>(weight[i][j] - of.top) * of.factor;
      gradient[i][j] = weight[i][j] * (gradient[i][j] - of.dot) * slope[i][j];
    }
  }
}

// Stores a tile for `weigh`.
DEVICE void share(V4* pool, const f32 (&tile)[4][4]) {
  const u32 x = thread_x() % 16, y = thread_x() / 16;
  sync_threads();
  UNROLLED
  for (int i = 0; i < 4; i++) {
    UNROLLED
    for (int j = 0; j < 4; j++) pool[(y * 4 + i) * WEIGHT_ROW + (x + 16 * j) / 4].at[x % 4] = tile[i][j];
  }
}

// Launch: a block per 64 queries, starting with block `first`.
template <class T>
DEVICE void find_statistics(const Problem<T>& p, const T* out, const T* grad, V4* statistics, u32 block) {
  __shared__ V4 pool[POOL];
  const u32 tid = thread_x(), x = tid % 16, y = tid / 16;
  const QueryTile<T> tile(p, block);
  const T* const keys = p.keys(tile.batch, tile.kv_head);
  const T* const query = p.query_row(tile.batch, tile.kv_head, tile.first + tid / 4);
  // Over the keys of this lane.
  f32 top[4], sum[4];
  UNROLLED
  for (int i = 0; i < 4; i++) top[i] = LOWEST, sum[i] = 0.0f;
  for (u32 key0 = 0; key0 < tile.end; key0 += TILE) {
    f32 score[4][4];
    clear(score);
    const u32 key = key0 + tid / 4;
    multiply<true>(score, pool, query, key < p.s ? keys + key * p.k_step : nullptr, p.d);
    Scores<4, 4> scores{score, key0 + x, 16};
    p.finish(scores, tile.mask_row, tile.seen);
    UNROLLED
    for (int i = 0; i < 4; i++) {
      f32 highest = top[i];
      UNROLLED
      for (int j = 0; j < 4; j++) highest = max_of(highest, score[i][j]);
      sum[i] *= exponential<T>(top[i] - highest);
      top[i] = highest;
      UNROLLED
      for (int j = 0; j < 4; j++) sum[i] += exponential<T>(score[i][j] - highest);
    }
  }
  UNROLLED
  for (int i = 0; i < 4; i++) {
    const u32 row = tile.first + y * 4 + i;
    const bool is = row < p.rows();
    const u64 at = p.result(tile.batch, tile.kv_head, is ? row : 0);
    f32 dot = 0.0f;
    for (u32 column = x * 8; is && column < p.dv; column += 16 * 8) {
      const Vec<T, 8> o = load_eight<false>(out + at * p.dv, column, p.dv);
      const Vec<T, 8> g = load_eight<true>(grad + at * ((p.dv + 7) / 8 * 8), column, p.dv);
      UNROLLED
      for (int z = 0; z < 8; z++) dot = math::fma(widen(o.at[z]), widen(g.at[z]), dot);
    }
    UNROLLED
    for (u32 lanes = 8; lanes > 0; lanes /= 2) {
      const f32 other_top = wave_xor(top[i], lanes);
      const f32 other_sum = wave_xor(sum[i], lanes);
      const f32 other_dot = wave_xor(dot, lanes);
      const f32 highest = max_of(top[i], other_top);
      sum[i] = sum[i] * exponential<T>(top[i] - highest) + other_sum * exponential<T>(other_top - highest);
      top[i] = highest;
      dot += other_dot;
    }
    if (is && x == 0) store_vec(statistics[at].at, Vec<f32, 4>{{top[i], p.normalizer(sum[i]), dot, 0.0f}});
  }
}

// Launch: a block per 64 queries, starting with block `first`; gridDim.y parts of PART_COLUMNS columns of q.
template <class T>
DEVICE void query_gradient(const Backward<T>& b, T* dq, u32 block) {
  __shared__ V4 pool[POOL];
  __shared__ V4 values[VALUES];
  const Problem<T>& p = b.p;
  const u32 tid = thread_x(), y = tid / 16, column0 = block_y() * PART_COLUMNS;
  const QueryTile<T> tile(p, block);
  const T *const keys = p.keys(tile.batch, tile.kv_head), *const v = p.values(tile.batch, tile.kv_head);
  Rows<T> rows;
  rows.query = p.query_row(tile.batch, tile.kv_head, tile.first + tid / 4);
  rows.grad = b.grad_row(tile.batch, tile.kv_head, tile.first + tid / 4);
  Statistics statistics[4];
  UNROLLED
  for (int i = 0; i < 4; i++) {
    statistics[i] = b.statistics_of(tile.batch, tile.kv_head, tile.first + y * 4 + i);
  }
  V4 sums[PARTS][4];
  clear(sums);
  for (u32 key0 = 0; key0 < tile.end; key0 += TILE) {
    const u32 key = key0 + tid / 4;
    rows.key = key < p.s ? keys + key * p.k_step : nullptr;
    rows.value = key < p.s ? v + key * p.v_step : nullptr;
    f32 weight[4][4], gradient[4][4];
    differentiate<false, true>(weight, gradient, pool, p, rows, key0, tile.seen, tile.mask_row, statistics);
    share(pool, gradient);
    weigh(sums, pool, values, min_of(tile.end - key0, TILE), column0, p.d,
          [&](u32 i) { return key0 + i < p.s ? keys + (key0 + i) * p.k_step : nullptr; });
  }
  UNROLLED
  for (int i = 0; i < 4; i++) {
    const u32 row = tile.first + y * 4 + i;
    if (row >= p.rows()) continue;
    write_row(dq + p.result(tile.batch, tile.kv_head, row) * p.d, sums, i, 1.0f, column0, p.d);
  }
}

// Launch: a block per 64 keys, starting with block `first`; gridDim.y parts of PART_COLUMNS columns of k and of v.
template <class T>
DEVICE void key_gradient(const Backward<T>& b, T* dk, T* dv, u32 block) {
  __shared__ V4 pool[POOL];
  __shared__ V4 values[VALUES];
  const Problem<T>& p = b.p;
  const u32 tid = thread_x(), x = tid % 16, y = tid / 16, column0 = block_y() * PART_COLUMNS;
  const u32 tiles = (p.s + TILE - 1) / TILE, of = block / tiles, key0 = block % tiles * TILE;
  const u32 batch = of / p.kv_heads, kv_head = of % p.kv_heads, key = key0 + tid / 4;
  Rows<T> rows;
  rows.key = key < p.s ? p.keys(batch, kv_head) + key * p.k_step : nullptr;
  rows.value = key < p.s ? p.values(batch, kv_head) + key * p.v_step : nullptr;
  V4 dk_sums[PARTS][4], dv_sums[PARTS][4];
  clear(dk_sums);
  clear(dv_sums);
  for (u32 first = 0; first < p.rows(); first += TILE) {
    const u32 count = min_of(p.rows() - first, TILE);
    if (p.most_seen(first, first + count - 1) <= key0) continue;
    rows.query = p.query_row(batch, kv_head, first + tid / 4);
    rows.grad = b.grad_row(batch, kv_head, first + tid / 4);
    u32 seen[4];
    u64 mask_row[4];
    Statistics statistics[4];
    UNROLLED
    for (int j = 0; j < 4; j++) {
      const u32 row = first + x + 16 * j;
      seen[j] = p.row_sees(row);
      mask_row[j] = p.mask_row(batch, kv_head, row);
      statistics[j] = b.statistics_of(batch, kv_head, row);
    }
    f32 weight[4][4], gradient[4][4];
    differentiate<true, true>(weight, gradient, pool, p, rows, key0, seen, mask_row, statistics);
    share(pool, weight);
    weigh(dv_sums, pool, values, count, column0, p.dv, [&](u32 i) { return b.grad_row(batch, kv_head, first + i); });
    share(pool, gradient);
    weigh(dk_sums, pool, values, count, column0, p.d, [&](u32 i) { return p.query_row(batch, kv_head, first + i); });
  }
  UNROLLED
  for (int i = 0; i < 4; i++) {
    if (key0 + y * 4 + i >= p.s) continue;
    const u64 to = u64(of) * p.s + key0 + y * 4 + i;
    write_row(dk + to * p.d, dk_sums, i, 1.0f, column0, p.d);
    write_row(dv + to * p.dv, dv_sums, i, 1.0f, column0, p.dv);
  }
}

// Launch: a block per tile of 64 queries and 64 keys of the mask, without broadcast dimensions, starting with block `first`.
template <class T>
DEVICE void mask_gradient(const Backward<T>& b, f32* dmask, u32 batches, u32 block) {
  __shared__ V4 pool[POOL];
  const Problem<T>& p = b.p;
  const u32 tid = thread_x(), y = tid / 16;
  const auto once = [&](u32 dimension) { return (p.flags & dimension) != 0; };
  const u32 query_tiles = (p.t + TILE - 1) / TILE, key_tiles = (p.s + TILE - 1) / TILE;
  // The block's part of the mask.
  const u32 key_parts = once(EACH_KEY) ? 1 : key_tiles, query_parts = once(EACH_QUERY) ? 1 : query_tiles;
  const u32 key_part = block % key_parts, query_part = block / key_parts % query_parts;
  const u32 of = block / key_parts / query_parts, heads = once(EACH_HEAD) ? 1 : p.heads;
  const u32 mask_batch = of / heads, mask_head = of % heads;
  // The scores that it is added to.
  const u32 batch_end = once(EACH_BATCH) ? batches : mask_batch + 1,
            head_end = once(EACH_HEAD) ? p.heads : mask_head + 1;
  const u32 query_end = once(EACH_QUERY) ? query_tiles : query_part + 1,
            key_end = once(EACH_KEY) ? key_tiles : key_part + 1;

  f32 sum[4][4];
  clear(sum);
  for (u32 batch = mask_batch; batch < batch_end; batch++) {
    for (u32 head = mask_head; head < head_end; head++) {
      const u32 kv_head = head / p.group(), row0 = head % p.group() * p.t;
      for (u32 query_tile = query_part; query_tile < query_end; query_tile++) {
        const u32 first = query_tile * TILE, count = min_of(p.t - first, TILE);
        u32 seen[4];
        u64 mask_row[4];
        Statistics statistics[4];
        UNROLLED
        for (int i = 0; i < 4; i++) {
          const bool is = y * 4 + i < count;
          const u32 row = row0 + first + min_of(y * 4 + i, count - 1);
          seen[i] = is ? p.row_sees(row) : 0;
          mask_row[i] = p.mask_row(batch, kv_head, row);
          statistics[i] = b.statistics_of(batch, kv_head, is ? row : p.rows());
        }
        Rows<T> rows;
        const u32 row = tid / 4 < count ? row0 + first + tid / 4 : p.rows();
        rows.query = p.query_row(batch, kv_head, row);
        rows.grad = b.grad_row(batch, kv_head, row);
        for (u32 key_tile = key_part; key_tile < key_end; key_tile++) {
          const u32 key0 = key_tile * TILE, key = key0 + tid / 4;
          if (p.row_sees(row0 + first + count - 1) <= key0) break;
          rows.key = key < p.s ? p.keys(batch, kv_head) + key * p.k_step : nullptr;
          rows.value = key < p.s ? p.values(batch, kv_head) + key * p.v_step : nullptr;
          f32 weight[4][4], gradient[4][4];
          differentiate<false, false>(weight, gradient, pool, p, rows, key0, seen, mask_row, statistics);
          UNROLLED
          for (int i = 0; i < 4; i++) {
            UNROLLED
            for (int j = 0; j < 4; j++) sum[i][j] += gradient[i][j];
          }
        }
      }
    }
  }
  share(pool, sum);
  sync_threads();
  // The rows and columns of this part, and how many of the tile's are summed for each.
  const u32 rows = once(EACH_QUERY) ? 1 : min_of(p.t - query_part * TILE, TILE),
            row_count = once(EACH_QUERY) ? TILE : 1;
  const u32 columns = once(EACH_KEY) ? 1 : min_of(p.s - key_part * TILE, TILE),
            column_count = once(EACH_KEY) ? TILE : 1;
  const u32 mask_rows = once(EACH_QUERY) ? 1 : p.t, mask_columns = once(EACH_KEY) ? 1 : p.s;
  for (u32 i = tid; i < rows * columns; i += 256) {
    const u32 row = i / columns, column = i % columns;
    f32 total = 0.0f;
    for (u32 r = row; r < row + row_count; r++) {
      for (u32 c = column; c < column + column_count; c++) total += pool[r * WEIGHT_ROW + c / 4].at[c % 4];
    }
    const u64 to = (u64(of) * mask_rows + query_part * TILE + row) * mask_columns + key_part * TILE + column;
    dmask[to] = total;
  }
}

// ---------------------------------------------------------------------------------------------------------- Kernels

#define BACKWARD_PARAMETERS(T) PROBLEM_PARAMETERS(T, T), const T *grad, V4 *statistics, const u32 first

// sdpa, whose gradients these are, adds masks in f32.
template <class T>
DEVICE Problem<T> added_in_f32(Problem<T> p) {
  p.flags &= ~MASK_ROUNDS;
  return p;
}

#define BACKWARD(T)                                                                                                    \
  Backward<T> { added_in_f32(PROBLEM(T, T)), grad, statistics }

// `out` is, in this order: the result of attention, dq, dk, and unused.
#define BACKWARD_KERNELS(T)                                                                                            \
  KERNEL THREADS_AT_MOST(256) sdpa_statistics_##T(BACKWARD_PARAMETERS(T)) {                                            \
    find_statistics<T>(added_in_f32(PROBLEM(T, T)), out, grad, statistics, first + block_x());                         \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256) sdpa_dq_##T(BACKWARD_PARAMETERS(T)) {                                                    \
    query_gradient<T>(BACKWARD(T), out, first + block_x());                                                            \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256) sdpa_dkv_##T(BACKWARD_PARAMETERS(T), T* dv_out) {                                        \
    key_gradient<T>(BACKWARD(T), out, dv_out, first + block_x());                                                      \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256) sdpa_dmask_##T(BACKWARD_PARAMETERS(T), f32* dmask, const u32 batches) {                  \
    mask_gradient<T>(BACKWARD(T), dmask, batches, first + block_x());                                                  \
  }

BACKWARD_KERNELS(f32)
BACKWARD_KERNELS(f16)
BACKWARD_KERNELS(bf16)
