// Attention of few queries: bound by reading keys and values once. Lanes share a key, and keys are distributed over the block and, in
// splits, over the card.
#ifndef CANDLE_ROCM_ATTENTION_FEW_H
#define CANDLE_ROCM_ATTENTION_FEW_H

#include "attention/attention.h"
#include "attention/attention_parts.h"
#include "common/f32_tiles.h"
#include "common/platform.h"
#include "common/vec.h"
#include "common/wave.h"

// `lanes` consecutive lanes, a power of two from 4 to 32, share a key: each holds 8 columns of it, and of v.
constexpr u32 FEW_THREADS = 256, FEW_COLUMNS = 256;

// Keys and values are in memory, all of them.
struct AllStored {
  static constexpr bool GROWS = false;
};

template <class T>
DEVICE Vec<T, 8> load_eight(const T* from) {
  constexpr int W = VECTOR_BYTES / sizeof(T) < 8 ? VECTOR_BYTES / sizeof(T) : 8;
  Vec<T, 8> x;
  UNROLLED
  for (int i = 0; i < 8; i += W) {
    const Vec<T, W> part = load_vec<W>(from + i);
    UNROLLED
    for (int j = 0; j < W; j++) x.at[i + j] = part.at[j];
  }
  return x;
}

template <class T>
DEVICE void store_eight(T* to, const Vec<T, 8>& x) {
  constexpr int W = VECTOR_BYTES / sizeof(T) < 8 ? VECTOR_BYTES / sizeof(T) : 8;
  UNROLLED
  for (int i = 0; i < 8; i += W) {
    Vec<T, W> part;
    UNROLLED
    for (int j = 0; j < W; j++) part.at[j] = x.at[i + j];
    store_vec(to + i, part);
  }
}

template <class T>
DEVICE V8 widen_eight(const Vec<T, 8>& x) {
  V8 wide;
  UNROLLED
  for (int i = 0; i < 8; i++) wide.at[i] = widen(x.at[i]);
  return wide;
}

// One of two vectors, by whole words: elements of two bytes would be chosen one by one.
template <class T>
DEVICE Vec<T, 8> choose_eight(bool first, const Vec<T, 8>& a, const Vec<T, 8>& b) {
  constexpr u32 WORDS = 8 * sizeof(T) / sizeof(u32);
  struct Words {
    u32 at[WORDS];
  };
  const Words x = bit_cast<Words>(a), y = bit_cast<Words>(b);
  Words z;
  UNROLLED
  for (u32 i = 0; i < WORDS; i++) z.at[i] = first ? x.at[i] : y.at[i];
  return bit_cast<Vec<T, 8>>(z);
}

// What a lane has of a row before its rotation: eight columns, and those that they are paired with.
template <class T>
struct Unrotated {
  Vec<T, 8> own, other;
};

// Rotates a lane's columns of rows as rope_T or rope_i_T do. Angles and rows are loaded and rotated apart, so that all loads are in
// flight at once.
template <class T>
class Rotation {
 public:
  // Of the columns from `column` on; d is a multiple of 16. The angles are those of the row.
  DEVICE Rotation(const T* cos, const T* sin, u32 column, u32 d, bool interleaved)
      : column_(column), half_(d / 2), interleaved_(interleaved) {
    if (interleaved) {
      const Vec<T, 4> c = load_vec<4>(cos + column / 2), s = load_vec<4>(sin + column / 2);
      UNROLLED
      for (int j = 0; j < 4; j++) cos_.at[j] = c.at[j], sin_.at[j] = s.at[j];
    } else {
      cos_ = load_eight(cos + column % half_), sin_ = load_eight(sin + column % half_);
    }
  }
  DEVICE Unrotated<T> load(const T* row) const {
    const u32 across = column_ < half_ ? column_ + half_ : column_ - half_;
    return {load_eight(row + column_), load_eight(row + (interleaved_ ? column_ : across))};
  }
  DEVICE Vec<T, 8> operator()(const Unrotated<T>& x) const {
    Vec<T, 8> cos = cos_, sin = sin_, other = x.other, turned;
    if (interleaved_) {
      UNROLLED
      for (int j = 0; j < 8; j++) cos.at[j] = cos_.at[j / 2], sin.at[j] = sin_.at[j / 2], other.at[j] = x.own.at[j ^ 1];
    }
    UNROLLED
    for (int j = 0; j < 8; j++) {
      const bool second = interleaved_ ? j % 2 == 1 : column_ >= half_;
      const f32 sine = widen(sin.at[j]);
      const f32 product = math::mul(widen(other.at[j]), second ? sine : -sine);
      turned.at[j] = convert<T>(math::mul(widen(x.own.at[j]), widen(cos.at[j])) + product);
    }
    return turned;
  }

 private:
  Vec<T, 8> cos_, sin_;  // interleaved: four pairs' only
  u32 column_, half_;
  bool interleaved_;
};

// Keys and values are in caches, but for the last of each, [batch, kv_heads, d], which a step of a decoder adds. Queries and that
// key are still to be rotated. The caches with the last ones are written to `keys` and `values`, [batch, kv_heads, s, d].
template <class T>
struct Growing {
  static constexpr bool GROWS = true;
  const T *k, *v;
  u64 v_pitch;  // from one head's value to the next one's
  const T *cos, *sin;
  u64 angle_batch;
  u32 interleaved;
  T *keys, *values;

  DEVICE Rotation<T> rotation(u32 batch, u32 column, u32 d) const {
    return {cos + batch * angle_batch, sin + batch * angle_batch, column, d, interleaved != 0};
  }
};

// Launch: FEW_THREADS threads; gridDim.x = batch * kv_heads * groups of QUERIES queries; gridDim.y splits of split_len keys, of which the
// last that is done merges all. It has a counter for each block of gridDim.x.
template <class T, int QUERIES, class K, class Source>
DEVICE void attend_few(const Problem<T, K>& p, T* out, u64* partial, u32* counters, u32 split_len, u32 lanes,
                       const Source& source) {
  constexpr int KEYS = 4;  // in flight
  constexpr u32 WAVES = FEW_THREADS / WAVE;
  __shared__ f32 tops[WAVES][QUERIES], sums[WAVES][QUERIES];
  __shared__ f32 results[WAVES][QUERIES][FEW_COLUMNS];

  const u32 tid = thread_x(), lane = tid & (lanes - 1), slot = tid / lanes, slots = FEW_THREADS / lanes;
  const u32 wave_slots = WAVE / lanes;  // a power of two
  const u32 rows = p.rows(), tiles = (rows + QUERIES - 1) / QUERIES;
  const u32 of = block_x() / tiles, first = block_x() % tiles * QUERIES;
  const u32 batch = of / p.kv_heads, kv_head = of % p.kv_heads;
  // Lanes beyond the columns load the first ones and ignore them.
  const bool in_keys = lane * 8 < p.d;
  const u32 own = in_keys ? lane * 8 : 0;  // the first of a lane's columns
  const K* const v = p.values(batch, kv_head) + (lane * 8 < p.dv ? lane * 8 : 0);
  const K* const keys = p.d > 0 ? p.keys(batch, kv_head) + own : v;
  const size_t key_step = p.d > 0 ? p.k_step : p.v_step;
  const u32 begin = block_y() * split_len;
  u32 end = begin;

  f32 top[QUERIES], sum[QUERIES];
  u32 seen[QUERIES];
  u64 mask_row[QUERIES];
  UNROLLED
  for (int r = 0; r < QUERIES; r++) {
    const u32 row = first + r;
    top[r] = LOWEST;
    sum[r] = 0.0f;
    seen[r] = min_of(p.row_sees(row), begin + split_len);
    mask_row[r] = p.mask_row(batch, kv_head, row);
    end = max_of(end, seen[r]);
  }

  const auto in_memory = [&](u32 key) { return min_of(key, Source::GROWS ? min_of(end, p.s - 1) - 1 : end - 1); };
  [[maybe_unused]] const auto is_new = [&](u32 key) { return min_of(key, end - 1) == p.s - 1; };

  // Beyond the last key, loads repeat it. They are unconditional, so that all are in flight at once: the values while keys
  // are multiplied, the next keys while values are, and the first keys while queries are loaded.
  Vec<K, 8> k8[KEYS], v8[KEYS];
  if (begin < end) {
    UNROLLED
    for (int u = 0; u < KEYS; u++) k8[u] = load_eight(keys + in_memory(begin + u * slots + slot) * key_step);
  }
  V8 query[QUERIES], result[QUERIES];
  UNROLLED
  for (int r = 0; r < QUERIES; r++) query[r] = splat<8>(0.0f), result[r] = splat<8>(0.0f);
  const auto query_row = [&](u32 r) { return p.query_row(batch, kv_head, min_of(first + r, rows - 1)); };
  // The step's key and value, and where they and those before go: the blocks that share keys take turns writing them.
  [[maybe_unused]] Vec<K, 8> new_key;
  [[maybe_unused]] bool has_new = false;  // the same for all lanes of a wavefront
  [[maybe_unused]] const K* new_value = nullptr;
  [[maybe_unused]] K *keys_out = nullptr, *values_out = nullptr;
  [[maybe_unused]] u32 until_turn = block_x() % tiles;
  if constexpr (Source::GROWS) {
    const u64 head = u64(batch) * p.kv_heads + kv_head;
    const Rotation<T> rotate = source.rotation(batch, own, p.d);
    const Unrotated<T> key = rotate.load(source.k + head * p.d);
    Unrotated<T> q8[QUERIES];
    UNROLLED
    for (int r = 0; r < QUERIES; r++) q8[r] = rotate.load(query_row(r));
    has_new = (p.s - 1 - begin) % slots / wave_slots == slot / wave_slots;
    if (has_new) new_key = rotate(key);
    UNROLLED
    for (int r = 0; r < QUERIES; r++) query[r] = widen_eight(rotate(q8[r]));
    new_value = source.v + head * source.v_pitch + own;
    keys_out = source.keys + head * p.s * p.d + own;
    values_out = source.values + head * p.s * p.d + own;
  } else if (p.d > 0) {
    Vec<T, 8> q8[QUERIES];
    UNROLLED
    for (int r = 0; r < QUERIES; r++) q8[r] = load_eight(query_row(r) + own);
    UNROLLED
    for (int r = 0; r < QUERIES; r++) query[r] = widen_eight(q8[r]);
  }

  // Until the wavefront has no more keys.
  for (u32 key0 = begin; key0 + slot / wave_slots * wave_slots < end; key0 += slots * KEYS) {
    const u32 next = key0 + slots * KEYS;
    f32 score[QUERIES][KEYS];
    UNROLLED
    for (int u = 0; u < KEYS; u++) {
      const u32 key = key0 + u * slots + slot;
      const K* value = v + in_memory(key) * p.v_step;
      if constexpr (Source::GROWS) value = is_new(key) ? new_value : value;
      v8[u] = load_eight(value);
    }
    if (has_new && next >= end) {
      UNROLLED
      for (int u = 0; u < KEYS; u++) k8[u] = choose_eight(is_new(key0 + u * slots + slot), new_key, k8[u]);
    }
    // A bit for each key.
    [[maybe_unused]] u32 turns = 0;
    if constexpr (Source::GROWS) {
      UNROLLED
      for (int u = 0; u < KEYS; u++) {
        const u32 key = key0 + u * slots + slot;
        turns |= u32(until_turn == 0) << u;
        until_turn = until_turn == 0 ? tiles - 1 : until_turn - 1;
        if ((turns >> u & 1) && key < end && in_keys) store_eight(keys_out + u64(key) * p.d, k8[u]);
      }
    }
    UNROLLED
    for (int u = 0; u < KEYS; u++) {
      UNROLLED
      for (int r = 0; r < QUERIES; r++) {
        f32 product = 0.0f;
        UNROLLED
        for (int i = 0; i < 8; i++) product = math::fma(query[r].at[i], widen(k8[u].at[i]), product);
        score[r][u] = in_keys ? product : 0.0f;
      }
    }
    UNROLLED
    for (int u = 0; u < KEYS; u++) k8[u] = load_eight(keys + in_memory(next + u * slots + slot) * key_step);
    for (u32 mask = lanes / 2; mask > 0; mask /= 2) {
      UNROLLED
      for (int u = 0; u < KEYS; u++) {
        UNROLLED
        for (int r = 0; r < QUERIES; r++) {
          const f32 theirs = wave_xor(score[r][u], mask);
          score[r][u] += theirs;
        }
      }
    }
    Scores<QUERIES, KEYS> scores{score, key0 + slot, slots};
    p.finish(scores, mask_row, seen);
    if constexpr (Source::GROWS) {
      UNROLLED
      for (int u = 0; u < KEYS; u++) {
        const u32 key = key0 + u * slots + slot;
        if ((turns >> u & 1) && key < end && in_keys) store_eight(values_out + u64(key) * p.d, v8[u]);
      }
    }
    UNROLLED
    for (int r = 0; r < QUERIES; r++) {
      f32 highest = top[r];
      UNROLLED
      for (int u = 0; u < KEYS; u++) highest = max_of(highest, score[r][u]);
      const f32 fade = exponential<T>(top[r] - highest);
      top[r] = highest;
      sum[r] *= fade;
      UNROLLED
      for (int i = 0; i < 8; i++) result[r].at[i] *= fade;
      UNROLLED
      for (int u = 0; u < KEYS; u++) {
        const f32 weight = exponential<T>(score[r][u] - highest);
        sum[r] += weight;
        UNROLLED
        for (int i = 0; i < 8; i++) result[r].at[i] = math::fma(weight, widen(v8[u].at[i]), result[r].at[i]);
      }
    }
  }

  // The slots of a wavefront are merged across lanes, the wavefronts in shared memory.
  for (u32 mask = lanes; mask < WAVE; mask *= 2) {
    UNROLLED
    for (int r = 0; r < QUERIES; r++) {
      const f32 other_top = wave_xor(top[r], mask);
      const f32 other_sum = wave_xor(sum[r], mask);
      const f32 highest = max_of(top[r], other_top);
      const f32 fade = exponential<T>(top[r] - highest), other_fade = exponential<T>(other_top - highest);
      top[r] = highest;
      sum[r] = math::fma(other_sum, other_fade, sum[r] * fade);
      UNROLLED
      for (int i = 0; i < 8; i++) {
        const f32 other = wave_xor(result[r].at[i], mask);
        result[r].at[i] = math::fma(other, other_fade, result[r].at[i] * fade);
      }
    }
  }
  const u32 wave = tid / WAVE;
  if (tid % WAVE < lanes) {
    UNROLLED
    for (int r = 0; r < QUERIES; r++) {
      if (lane == 0) tops[wave][r] = top[r], sums[wave][r] = sum[r];
      UNROLLED
      for (int i = 0; i < 8; i++) results[wave][r][lane * 8 + i] = result[r].at[i];
    }
  }
  sync_threads();
  const u32 splits = grid_size_y(), pairs = (p.dv + 1) / 2;
  const Parts parts = {partial, splits, pairs};
  for (u32 i = tid; i < QUERIES * pairs; i += FEW_THREADS) {
    const u32 r = i / pairs, row = first + r, column = i % pairs * 2;
    if (row >= rows) break;
    f32 highest = LOWEST, all = 0.0f, x = 0.0f, y = 0.0f;
    UNROLLED
    for (u32 w = 0; w < WAVES; w++) highest = max_of(highest, tops[w][r]);
    UNROLLED
    for (u32 w = 0; w < WAVES; w++) {
      const f32 weight = exponential<T>(tops[w][r] - highest);
      all = math::fma(sums[w][r], weight, all);
      x = math::fma(weight, results[w][r][column], x);
      y = math::fma(weight, results[w][r][column + 1], y);
    }
    if (splits == 1) {
      write_pair(out + p.written(batch, kv_head, row) * p.dv, column, p.dv, x, y, p.normalizer(all));
    } else {
      parts.put(p.result(batch, kv_head, row), block_y(), column / 2, highest, all, x, y);
    }
  }
  if (splits == 1 || !is_last_block(counters + block_x(), splits)) return;
  for (u32 i = tid; i < QUERIES * pairs; i += FEW_THREADS) {
    const u32 row = first + i / pairs;
    if (row >= rows) break;
    parts.merge(p, out + p.written(batch, kv_head, row) * p.dv, p.result(batch, kv_head, row), i % pairs);
  }
}

// K: the type of keys and values.
#define FEW_KERNEL(NAME, T, K, QUERIES)                                                                                \
  KERNEL THREADS_AT_MOST(FEW_THREADS)                                                                                  \
      NAME(PROBLEM_PARAMETERS(T, K), u64* partial, u32* counters, const u32 split_len, const u32 lanes) {              \
    attend_few<T, QUERIES>(PROBLEM(T, K), out, partial, counters, split_len, lanes, AllStored{});                      \
  }

#endif
