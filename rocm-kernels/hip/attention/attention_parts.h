// What blocks leave of queries whose keys they share, and how it is merged, as in Flash-Decoding (Dao et al., 2023).
#ifndef CANDLE_ROCM_ATTENTION_PARTS_H
#define CANDLE_ROCM_ATTENTION_PARTS_H

#include "attention/attention.h"
#include "common/last_block.h"

// Columns 2 * pair and the next, if there is one, of a row of the result.
template <class T>
DEVICE void write_pair(T* to, u32 column, u32 columns, f32 x, f32 y, f32 factor) {
  to[column] = convert<T>(x * factor);
  if (column + 1 < columns) to[column + 1] = convert<T>(y * factor);
}

// Of each query and split the maximum and the sum, then the columns, in pairs: [queries, splits, 1 + pairs].
struct Parts {
  u64* at;
  u32 splits, pairs;

  DEVICE void put(u64 query, u32 split, u32 pair, f32 top, f32 sum, f32 x, f32 y) const {
    u64* const to = at + (query * splits + split) * (1 + pairs);
    if (pair == 0) store(to, top, sum);
    store(to + 1 + pair, x, y);
  }

  // Writes a pair of columns of the result.
  template <class T, class K>
  DEVICE void merge(const Problem<T, K>& p, T* to, u64 query, u32 pair) const {
    constexpr u32 AT_ONCE = 8;
    f32 highest = LOWEST, all = 0.0f, x = 0.0f, y = 0.0f;
    for (u32 first = 0; first < splits; first += AT_ONCE) {
      Two of[AT_ONCE], value[AT_ONCE];
      UNROLLED
      for (u32 i = 0; i < AT_ONCE; i++) {
        const u64* const from = at + (query * splits + min_of(first + i, splits - 1)) * (1 + pairs);
        of[i] = load(from), value[i] = load(from + 1 + pair);
      }
      const f32 before = highest;
      UNROLLED
      for (u32 i = 0; i < AT_ONCE; i++) highest = max_of(highest, of[i].x);
      const f32 fade = exponential<T>(before - highest);
      all *= fade, x *= fade, y *= fade;
      UNROLLED
      for (u32 i = 0; i < AT_ONCE; i++) {
        const f32 weight = first + i < splits ? exponential<T>(of[i].x - highest) : 0.0f;
        all = math::fma(weight, of[i].y, all);
        x = math::fma(weight, value[i].x, x);
        y = math::fma(weight, value[i].y, y);
      }
    }
    write_pair(to, 2 * pair, p.dv, x, y, p.normalizer(all));
  }

 private:
  struct Two {
    f32 x, y;
  };
  // Other blocks read what is stored, so past the caches of a compute unit.
  static DEVICE void store(u64* to, f32 x, f32 y) { atomic_store(to, bit_cast<u64>(Two{x, y})); }
  static DEVICE Two load(const u64* from) { return bit_cast<Two>(atomic_load(from)); }
};

#endif  // CANDLE_ROCM_ATTENTION_PARTS_H
