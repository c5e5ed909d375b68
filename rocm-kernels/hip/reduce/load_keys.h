// Keys of rows, in the order that is asked for.
#ifndef CANDLE_ROCM_LOAD_KEYS_H
#define CANDLE_ROCM_LOAD_KEYS_H

#include "common/vec.h"
#include "reduce/sort_key.h"

// Keys in either order. The bits that are flipped are in a vector register: compilers would keep copies of them in scalar ones, of which
// there are too few.
template <class T>
struct KeyOf {
  using Key = sort_key_t<T>;
  u32 flipped;
  DEVICE KeyOf(bool descending) : flipped(opaque(descending ? ~0u : 0u)) {}
  // Of halves: for gfx9, LLVM 15 does not come to an end with the extended sign of one.
  DEVICE Key operator()(T element) const { return Key(sort_key(element) ^ Key(u64(flipped) << 32 | flipped)); }
};

// The keys of HELD elements, of which there are `count`. In the place of others come the largest keys.
template <u32 HELD, class E, class F, class Key>
DEVICE void load_keys(const E* from, u32 count, F key_of, Key (&keys)[HELD]) {
  constexpr u32 W = VECTOR_BYTES / sizeof(E);
  // Opaque, or compilers keep a mask of each comparison for other calls.
  const u32 left = opaque(count);
  if (left >= HELD && (UNALIGNED_VECTORS || is_aligned(from, VECTOR_BYTES))) {
    UNROLLED
    for (u32 v = 0; v < HELD / W; v++) {
      const Vec<E, W> vec = load_vec<W>(from + v * W);
      UNROLLED
      for (u32 j = 0; j < W; j++) keys[v * W + j] = key_of(vec.at[j]);
    }
  } else {
    UNROLLED
    for (u32 e = 0; e < HELD; e++) keys[e] = Key(~Key(0));
    if (left == 0) return;
    // All loads at once, so none depends on whether there is an element.
    UNROLLED
    for (u32 e = 0; e < HELD; e++) {
      const Key key = key_of(from[min_of(e, left - 1)]);
      if (e < left) keys[e] = key;
    }
  }
}

DEVICE u32 difference(u32 a, u32 b) { return a > b ? a - b : 0; }

#endif  // CANDLE_ROCM_LOAD_KEYS_H
