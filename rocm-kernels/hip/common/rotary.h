// Rotary embeddings (Su et al., "RoFormer: Enhanced transformer with rotary position embedding", 2021).
#ifndef CANDLE_ROCM_ROTARY_H
#define CANDLE_ROCM_ROTARY_H

#include "common/divide.h"
#include "common/platform.h"
#include "common/vec.h"

// The indices of a pair's elements, and of its cosine and sine. `row`: which of bh.
struct Pair {
  u64 first, second, angle, row;
};

// Pair p of each arrangement. If cos and sin differ between batches, stride_b is the number of elements of a batch, and cos
// and sin are stored batch by batch.
struct RopeHalves {  // [bh, t, d]: elements i and i + d / 2
  u32 td, d, stride_b;
  DEVICE Pair operator()(u64 p) const {
    const Division head = divide(p, td / 2), at = divide(head.remainder, d / 2);
    const u64 first = head.quotient * td + at.quotient * d + at.remainder;
    const u64 batch = stride_b > 0 ? divide(2 * p, stride_b).quotient : 0;
    return {first, first + d / 2, head.remainder + batch * (td / 2), head.quotient};
  }
};
struct RopeInterleaved {  // [bh, t * d]: elements 2 i and 2 i + 1
  u32 td, stride_b;
  DEVICE Pair operator()(u64 p) const {
    const Division head = divide(p, td / 2);
    const u64 batch = stride_b > 0 ? divide(2 * p, stride_b).quotient : 0;
    return {2 * p, 2 * p + 1, head.remainder + batch * (td / 2), head.quotient};
  }
};
struct RopeThd {  // [b, t, h, d]: elements i and i + d / 2
  u32 t, h, d, stride_b;
  DEVICE Pair operator()(u64 p) const {
    const Division at = divide(p, d / 2);
    const u64 step = divide(divide(at.quotient, h).quotient, t).remainder;
    const u64 first = at.quotient * d + at.remainder;
    const u64 batch = stride_b > 0 ? divide(2 * p, stride_b).quotient : 0;
    return {first, first + d / 2, step * (d / 2) + at.remainder + batch * (u64(t) * d / 2), 0};
  }
};

// W interleaved pairs. A single pair need not be aligned.
template <int W, class T>
DEVICE Vec<T, 2 * W> load_pairs(const T* p) {
  if constexpr (W > 1) {
    return load_vec<2 * W>(p);
  } else {
    return {p[0], p[1]};
  }
}

// Rotates W consecutive pairs. N: interleaved.
template <int W, bool N, class T>
DEVICE void turn(const T* src, const T* cos, const T* sin, T* dst, const Pair& at) {
  using C = compute_t<T>;
  const Vec<T, W> c = load_vec<W>(cos + at.angle), s = load_vec<W>(sin + at.angle);
  Vec<T, W> x, y;
  Vec<T, 2 * W> both;
  if constexpr (N) {
    both = load_pairs<W>(src + at.first);
  } else {
    x = load_vec<W>(src + at.first), y = load_vec<W>(src + at.second);
  }
  UNROLLED
  for (int j = 0; j < W; j++) {
    const C a = widen(N ? both.at[2 * j] : x.at[j]), b = widen(N ? both.at[2 * j + 1] : y.at[j]);
    const C cosine = widen(c.at[j]), sine = widen(s.at[j]);
    x.at[j] = convert<T>(C(math::mul(a, cosine) - math::mul(b, sine)));
    y.at[j] = convert<T>(C(math::mul(a, sine) + math::mul(b, cosine)));
    both.at[2 * j] = x.at[j], both.at[2 * j + 1] = y.at[j];
  }
  if constexpr (N) {
    if constexpr (W > 1) {
      store_vec(dst + at.first, both);
    } else {
      dst[at.first] = both.at[0], dst[at.first + 1] = both.at[1];
    }
  } else {
    store_vec(dst + at.first, x), store_vec(dst + at.second, y);
  }
}

// Half types compute in f32 and round once. `run` is the number of pairs that are consecutive in memory as well as in cos and sin;
// in dst, rows are `gap` elements farther apart than in src. Launch: any gridDim.x of 1-D blocks.
template <bool N, class T, class Index>
DEVICE void rope_pairs(const T* src, const T* cos, const T* sin, T* dst, u64 pairs, u32 run, const Index& index,
                       u64 gap = 0) {
  constexpr int W = VECTOR_BYTES / sizeof(T) / (N ? 2 : 1);
  const u64 id = u64(block_x()) * block_size_x() + thread_x(), step = u64(grid_size_x()) * block_size_x();
  const bool aligned = is_aligned(src, VECTOR_BYTES) && is_aligned(dst, VECTOR_BYTES) &&
                       is_aligned(cos, VECTOR_BYTES) && is_aligned(sin, VECTOR_BYTES) &&
                       gap * sizeof(T) % VECTOR_BYTES == 0;
  if (run % W == 0 && (UNALIGNED_VECTORS || aligned)) {
    for (u64 v = id; v < pairs / W; v += step) {
      const Pair at = index(v * W);
      turn<W, N>(src, cos, sin, dst + at.row * gap, at);
    }
  } else {
    for (u64 p = id; p < pairs; p += step) {
      const Pair at = index(p);
      turn<1, N>(src, cos, sin, dst + at.row * gap, at);
    }
  }
}

#endif
