// What attention's kernels have in common: the problem, its scores, and their parameters.
#ifndef CANDLE_ROCM_ATTENTION_H
#define CANDLE_ROCM_ATTENTION_H

#include "common/platform.h"
#include "common/vec.h"

constexpr u32 CAUSAL = 1, MASK_IS_F32 = 2;

template <class T>
struct Problem {
  const T *q, *k, *v;                // [batch, heads, t, d], [batch, kv_heads, s, d], [batch, kv_heads, s, dv]
  const void* mask;                  // added to the scores, [batch, heads, t, s]; may be null
  u32 heads, kv_heads, t, s, d, dv;  // rows of q, k and v are zero from d or dv to the next multiple of 8
  size_t q_batch, q_head, q_step, k_batch, k_head, k_step, v_batch, v_head, v_step;
  size_t mask_batch, mask_head, mask_query, mask_key;
  f32 scale, cap;  // cap 0: none
  u32 flags;

  DEVICE u32 group() const { return heads / kv_heads; }
  DEVICE u32 rows() const { return group() * t; }
  DEVICE const T* keys(u32 batch, u32 kv_head) const { return k + batch * k_batch + kv_head * k_head; }
  DEVICE const T* values(u32 batch, u32 kv_head) const { return v + batch * v_batch + kv_head * v_head; }

  // Of the queries that share a key head, head after head: where one begins, how many keys it sees, where its part of the mask
  // begins.
  DEVICE const T* query(u32 batch, u32 kv_head, u32 head, u32 position) const {
    return q + batch * q_batch + (kv_head * group() + head) * q_head + position * q_step;
  }
  DEVICE u32 seen(u32 position) const {
    if (!(flags & CAUSAL)) return s;
    const u32 last = position + 1 + s;  // the last query sees all keys
    return last > t ? last - t : 0;
  }
  DEVICE u64 mask_of(u32 batch, u32 kv_head, u32 head, u32 position) const {
    return batch * mask_batch + (kv_head * group() + head) * mask_head + position * mask_query;
  }
  // The same by the number of the query. Beyond the last there is nothing; of the mask, what is for the last.
  DEVICE const T* query_row(u32 batch, u32 kv_head, u32 row) const {
    return row < rows() ? query(batch, kv_head, row / t, row % t) : nullptr;
  }
  DEVICE u32 row_sees(u32 row) const { return row < rows() ? seen(row % t) : 0; }
  // If all queries from first to last are of one head, none sees more than the last one.
  DEVICE u32 most_seen(u32 first, u32 last) const { return first / t == last / t ? row_sees(last) : s; }
  DEVICE u64 mask_row(u32 batch, u32 kv_head, u32 row) const {
    row = min_of(row, rows() - 1);
    return mask_of(batch, kv_head, row / t, row % t);
  }
  // Which row of the result: [batch, heads, t, dv].
  DEVICE u64 result(u32 batch, u32 kv_head, u32 row) const { return u64(batch * kv_heads + kv_head) * rows() + row; }

  // From products to scores, in two steps. scores.each(f) calls f(score, i, key) for all scores of a lane, and gives them
  // what that returns; query i sees the first seen[i] keys, and its part of the mask begins at mask_row[i].
  template <class Scores>
  DEVICE void finish(Scores& scores, const u64* mask_row, const u32* seen) const {
    soften(scores);
    hide(scores, mask_row, seen);
  }
  template <class Scores>
  DEVICE void soften(Scores& scores) const {
    if (cap != 0.0f) {
      const f32 factor = math::div(scale, cap);
      scores.each([&](f32 x, u32, u32) { return math::tanh(x * factor) * cap; });
    } else {
      scores.each([&](f32 x, u32, u32) { return x * scale; });
    }
  }
  template <class Scores>
  DEVICE void hide(Scores& scores, const u64* mask_row, const u32* seen) const {
    if (mask != nullptr) {
      // Within the mask also where there is no such key.
      const auto at = [&](u32 i, u32 key) { return mask_row[i] + min_of(key, s - 1) * mask_key; };
      if (flags & MASK_IS_F32) {
        scores.each([&](f32 x, u32 i, u32 key) { return x + static_cast<const f32*>(mask)[at(i, key)]; });
      } else {
        scores.each([&](f32 x, u32 i, u32 key) { return x + widen(static_cast<const T*>(mask)[at(i, key)]); });
      }
    }
    const f32 none = bit_cast<f32>(0xff800000u);
    scores.each([&](f32 x, u32 i, u32 key) { return key < seen[i] ? x : none; });
  }
};

// The lowest finite number: a difference to -infinity is no NaN.
constexpr f32 LOWEST = -0x1.fffffep127f;

template <class T>
DEVICE f32 exponential(f32 x) {
  if constexpr (is_small_float<T>) {
    return math::fast_exp(x);
  } else {
    return math::exp(x);
  }
}

// A query that sees no key has no sum; its result is zeros.
DEVICE f32 reciprocal(f32 sum) { return sum == 0.0f ? 0.0f : math::div(1.0f, sum); }

// Strides count elements; the inner ones of q, k and v are 1.
#define PROBLEM_PARAMETERS(T)                                                                                          \
  const T *q, const T *k, const T *v, const void *mask, T *out, const u32 heads, const u32 kv_heads, const u32 t,      \
      const u32 s, const u32 d, const u32 dv, const size_t q_batch, const size_t q_head, const size_t q_step,          \
      const size_t k_batch, const size_t k_head, const size_t k_step, const size_t v_batch, const size_t v_head,       \
      const size_t v_step, const size_t mask_batch, const size_t mask_head, const size_t mask_query,                   \
      const size_t mask_key, const f32 scale, const f32 cap, const u32 flags

#define PROBLEM(T)                                                                                                     \
  Problem<T> {                                                                                                         \
    q, k, v, mask, heads, kv_heads, t, s, d, dv, q_batch, q_head, q_step, k_batch, k_head, k_step, v_batch, v_head,    \
        v_step, mask_batch, mask_head, mask_query, mask_key, scale, cap, flags                                         \
  }

#endif  // CANDLE_ROCM_ATTENTION_H
