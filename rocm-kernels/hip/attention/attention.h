// The vocabulary of the attention kernels: the problem, its scores, and the kernels' parameters.
#ifndef CANDLE_ROCM_ATTENTION_H
#define CANDLE_ROCM_ATTENTION_H

#include "common/fast_math.h"
#include "common/platform.h"
#include "common/vec.h"

constexpr u32 CAUSAL = 1, MASK_IS_F32 = 2, MASK_SELECTS = 64, RESULT_BTHD = 128, SOFTCAPPED = 256, MASKED_IS_NAN = 512,
              MASK_ROUNDS = 1024;

// K is the type of keys and values.
template <class T, class K = T>
struct Problem {
  const T* q;                        // [batch, heads, t, d]
  const K *k, *v;                    // [batch, kv_heads, s, d], [batch, kv_heads, s, dv]
  const void* mask;                  // added to the scores, [batch, heads, t, s]; may be null
  const void* fill;                  // MASK_SELECTS: the mask is u8, and where it is not 0, the score is this
                                     // MASK_ROUNDS: the mask is T and is added as T adds, but for zeros
  u32 heads, kv_heads, t, s, d, dv;  // rows of q, k and v are zero-padded to a multiple of 8 elements
  size_t q_batch, q_head, q_step, k_batch, k_head, k_step, v_batch, v_head, v_step;
  size_t mask_batch, mask_head, mask_query, mask_key;
  f32 scale, cap;  // SOFTCAPPED: a score x is tanh(x / cap) * cap
  u32 flags;

  DEVICE u32 group() const { return heads / kv_heads; }
  DEVICE u32 rows() const { return group() * t; }
  DEVICE const K* keys(u32 batch, u32 kv_head) const { return k + batch * k_batch + kv_head * k_head; }
  DEVICE const K* values(u32 batch, u32 kv_head) const { return v + batch * v_batch + kv_head * v_head; }

  // The queries that share a key head form one list, head by head. Of a query: its address, the number of keys it attends to,
  // and the offset of its row of the mask.
  DEVICE const T* query(u32 batch, u32 kv_head, u32 head, u32 position) const {
    return q + batch * q_batch + (kv_head * group() + head) * q_head + position * q_step;
  }
  DEVICE u32 seen(u32 position) const {
    if (!(flags & CAUSAL)) return s;
    const u32 last = position + 1 + s;  // the last query attends to all keys
    return last > t ? last - t : 0;
  }
  DEVICE u64 mask_of(u32 batch, u32 kv_head, u32 head, u32 position) const {
    return batch * mask_batch + (kv_head * group() + head) * mask_head + position * mask_query;
  }
  // The same by index in the list. Beyond the end, the address is null, and the mask is that of the last query.
  DEVICE const T* query_row(u32 batch, u32 kv_head, u32 row) const {
    return row < rows() ? query(batch, kv_head, row / t, row % t) : nullptr;
  }
  DEVICE u32 row_sees(u32 row) const { return row < rows() ? seen(row % t) : 0; }
  // Within a head, the last query attends to the most keys.
  DEVICE u32 most_seen(u32 first, u32 last) const { return first / t == last / t ? row_sees(last) : s; }
  DEVICE u64 mask_row(u32 batch, u32 kv_head, u32 row) const {
    row = min_of(row, rows() - 1);
    return mask_of(batch, kv_head, row / t, row % t);
  }
  // The row of a tensor [batch, heads, t, ..].
  DEVICE u64 result(u32 batch, u32 kv_head, u32 row) const { return u64(batch * kv_heads + kv_head) * rows() + row; }
  // The row of the result, which is [batch, heads, t, dv] or, with RESULT_BTHD, [batch, t, heads, dv].
  DEVICE u64 written(u32 batch, u32 kv_head, u32 row) const {
    if (!(flags & RESULT_BTHD)) return result(batch, kv_head, row);
    return (u64(batch) * t + row % t) * heads + kv_head * group() + row / t;
  }

  // Turns dot products into scores. scores.each(f) replaces each score of a lane by f(score, i, key). Query i attends to the
  // first seen[i] keys, and its row of the mask starts at mask_row[i].
  template <class Scores>
  DEVICE void finish(Scores& scores, const u64* mask_row, const u32* seen) const {
    soften(scores);
    hide(scores, mask_row, seen);
  }
  template <class Scores>
  DEVICE void soften(Scores& scores) const {
    if (flags & SOFTCAPPED) {
      const f32 factor = math::div(scale, cap);
      scores.each([&](f32 x, u32, u32) { return math::quick_tanh(x * factor) * cap; });
    } else {
      scores.each([&](f32 x, u32, u32) { return x * scale; });
    }
  }
  template <class Scores>
  DEVICE void hide(Scores& scores, const u64* mask_row, const u32* seen) const {
    if (mask != nullptr) {
      // Stays within the mask even beyond the last key.
      const auto at = [&](u32 i, u32 key) { return mask_row[i] + min_of(key, s - 1) * mask_key; };
      const bool is_f32 = flags & MASK_IS_F32;  // the mask or what it selects
      if (flags & MASK_SELECTS) {
        const f32 other = is_f32 ? *static_cast<const f32*>(fill) : widen(*static_cast<const T*>(fill));
        scores.each([&](f32 x, u32 i, u32 key) { return static_cast<const u8*>(mask)[at(i, key)] != 0 ? other : x; });
      } else if (is_f32) {
        scores.each([&](f32 x, u32 i, u32 key) { return x + static_cast<const f32*>(mask)[at(i, key)]; });
      } else if (is_small_float<T> && (flags & MASK_ROUNDS)) {
        scores.each([&](f32 x, u32 i, u32 key) {
          const f32 by = widen(static_cast<const T*>(mask)[at(i, key)]);
          return by == 0.0f ? x : rounded(rounded(x) + by);
        });
      } else {
        scores.each([&](f32 x, u32 i, u32 key) { return x + widen(static_cast<const T*>(mask)[at(i, key)]); });
      }
    }
    const f32 none = bit_cast<f32>(0xff800000u);
    scores.each([&](f32 x, u32 i, u32 key) { return key < seen[i] ? x : none; });
  }
  static DEVICE f32 rounded(f32 x) { return widen(convert<T>(x)); }

  // What weighted sums are multiplied by, from the sum of the weights. It is 0 for a query whose keys are all masked: the result is
  // zeros or, with MASKED_IS_NAN, what softmax gives.
  DEVICE f32 normalizer(f32 sum) const {
    if (sum != 0.0f) return math::div(1.0f, sum);
    return flags & MASKED_IS_NAN ? bit_cast<f32>(0x7fc00000u) : 0.0f;
  }
};

// The scores of queries with keys key, key + step, ...
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

// The lowest finite number, so that subtracting it from -infinity does not yield NaN.
constexpr f32 LOWEST = -0x1.fffffep127f;

template <class T>
DEVICE f32 exponential(f32 x) {
  if constexpr (is_small_float<T>) {
    return math::fast_exp(x);
  } else {
    return math::exp(x);
  }
}

// Strides are in elements; the inner strides of q, k and v are 1.
#define PROBLEM_PARAMETERS(T, K)                                                                                       \
  const T *q, const K *k, const K *v, const void *mask, const void *fill, T *out, const u32 heads, const u32 kv_heads, \
      const u32 t, const u32 s, const u32 d, const u32 dv, const size_t q_batch, const size_t q_head,                  \
      const size_t q_step, const size_t k_batch, const size_t k_head, const size_t k_step, const size_t v_batch,       \
      const size_t v_head, const size_t v_step, const size_t mask_batch, const size_t mask_head,                       \
      const size_t mask_query, const size_t mask_key, const f32 scale, const f32 cap, const u32 flags

#define PROBLEM(T, K)                                                                                                  \
  Problem<T, K> {                                                                                                      \
    q, k, v, mask, fill, heads, kv_heads, t, s, d, dv, q_batch, q_head, q_step, k_batch, k_head, k_step, v_batch,      \
        v_head, v_step, mask_batch, mask_head, mask_query, mask_key, scale, cap, flags                                 \
  }

#endif  // CANDLE_ROCM_ATTENTION_H
