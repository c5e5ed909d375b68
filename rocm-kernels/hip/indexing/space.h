// The iteration space of indexed reads and writes, the strides of their operands, and indices.
#ifndef CANDLE_ROCM_INDEXING_SPACE_H
#define CANDLE_ROCM_INDEXING_SPACE_H

#include "common/index.h"
#include "common/platform.h"
#include "common/vec.h"

struct ElementIndex {
  u64 left;
  u32 at, right;
};

// The iteration space (l, i, r), r innermost. With `strip`, r is split into strips of that width, and each strip is processed
// for all i before the next, so that its part of a matrix stays in the cache. All l have fewer than 2^32 strips in total.
struct IndexSpace {
  u64 count;
  u32 length, right, width, strips;  // width: of a strip
  Divider by_length, by_width, by_strips;

  DEVICE_OUTLINED IndexSpace(u64 left, u64 of_length, u64 of_right, u32 strip = 0)
      : length(max_of(u32(of_length), 1u)),
        right(max_of(u32(of_right), 1u)),
        width(strip == 0 ? right : strip),
        strips(strip == 0 ? 1 : (right + (strip - 1)) / strip),
        by_length(length),
        by_width(width),
        by_strips(strips) {
    count = left * of_length * (strip == 0 ? of_right : u64(strips) * strip);
  }

  // The element with index tile + i. `tile` is uniform across the block; only its division may need 64 bits. In the last strip,
  // `right` may be out of range.
  DEVICE_OUTLINED ElementIndex operator()(u64 tile, u32 i) const {
    u64 left = 0;
    u32 at = 0, rest = u32(tile);
    if (count >= 0x80000000u) {
      const u64 row = tile / width;
      rest = u32(tile - row * width);
      left = row / length;
      at = u32(row - left * length);
    }
    const QuotientRemainder row = by_width(rest + i);
    const QuotientRemainder outer = by_length(at + row.quotient);
    ElementIndex index = {left + outer.quotient, outer.remainder, row.remainder};
    if (strips > 1) {
      const QuotientRemainder at_strip = by_strips(u32(index.left));
      index.left = at_strip.quotient;
      index.right += at_strip.remainder * width;
    }
    return index;
  }
};

// Steps in an operand for l, i and r, which run up to the given sizes.
struct Strides {
  u64 left, at, right;
  u64 reach;    // no offset is larger
  bool narrow;  // whether 32 bits hold all offsets: multiplications are slow

  DEVICE Strides() : left(0), at(0), right(0), reach(0), narrow(false) {}
  DEVICE_OUTLINED Strides(u64 by_left, u64 by_at, u64 by_right, u64 lefts, u64 ats, u64 rights)
      : left(by_left), at(by_at), right(by_right) {
    reach = lefts * left + ats * at + rights * right;
    narrow = reach <= 0xffffffffu;
  }

  // Whether 32 bits hold all offsets of words in bytes.
  template <class W>
  DEVICE bool narrow_words() const {
    return reach <= 0xffffffffu / sizeof(W);
  }

  DEVICE_OUTLINED u64 operator()(u64 l, u64 i, u32 r) const {
    if (narrow) return u32(l) * u32(left) + u32(i) * u32(at) + r * u32(right);
    return l * left + i * at + r * right;
  }
  DEVICE u64 operator()(const ElementIndex& p) const { return (*this)(p.left, p.at, p.right); }
  // If narrow.
  DEVICE u32 in_32_bits(u64 l, u32 i, u32 r) const { return u32(l) * u32(left) + i * u32(at) + r * u32(right); }
};

// The strides of a contiguous operand.
DEVICE Strides row_major(u64 left, u64 length, u64 right) {
  return Strides(length * right, right, 1, left, length, right);
}

// What V neighbouring indices select: whether each selects an element, and which.
template <int V>
struct Selected {
  bool there[V];
  u32 row[V];  // 0 unless there
};

// Indices into a dimension of `size` elements.
template <class I>
struct Ids {
  const I* ptr;
  Strides strides;
  u64 size;
  u64* fault;  // {index, size}; may be null

  // Whether the index at p selects an element, and which.
  DEVICE_OUTLINED bool find(const ElementIndex& p, u64& row) const {
    const I id = ptr[strides(p)];
    row = u64(i64(id));
    if (id == Limits<I>::highest) return false;
    if (row < size) return true;
    if (fault != nullptr) {
      atomic_store_system(fault, row);
      atomic_store_system(fault + 1, size);
    }
    return false;
  }

  // The same for V neighbours along r, which have an index each or share one; strides and `size` are narrow.
  template <int V>
  DEVICE_OUTLINED Selected<V> find(const ElementIndex& p) const {
    constexpr int AT_ONCE = V * sizeof(I) > VECTOR_BYTES ? VECTOR_BYTES / sizeof(I) : V;
    const I* const from = ptr + strides.in_32_bits(p.left, p.at, p.right);
    Vec<I, AT_ONCE> id[V / AT_ONCE];
    UNROLLED
    for (int k = 0; k < V / AT_ONCE; k++) {
      id[k] = strides.right == 0 ? splat<AT_ONCE>(*from) : load_vec<AT_ONCE>(from + k * AT_ONCE);
    }
    Selected<V> selected;
    bool wrong = false;
    UNROLLED
    for (int j = 0; j < V; j++) {
      const I one = id[j / AT_ONCE].at[j % AT_ONCE];
      const bool none = one == Limits<I>::highest;
      selected.there[j] = !none && u64(i64(one)) < size;
      selected.row[j] = selected.there[j] ? u32(one) : 0;
      wrong = wrong || (!none && !selected.there[j]);
    }
    if (wrong && fault != nullptr) {
      UNROLLED
      for (int j = 0; j < V; j++) {
        const I one = id[j / AT_ONCE].at[j % AT_ONCE];
        if (selected.there[j] || one == Limits<I>::highest) continue;
        atomic_store_system(fault, u64(i64(one)));
        atomic_store_system(fault + 1, size);
      }
    }
    return selected;
  }

  // Whether find<V> can load V indices at once, wherever p.right is a multiple of V.
  template <int V>
  DEVICE bool has_vectors() const {
    if (strides.right == 0 || UNALIGNED_VECTORS) return strides.right <= 1;
    return strides.right == 1 && is_aligned(ptr, min_of(u32(V * sizeof(I)), u32(VECTOR_BYTES))) &&
           (strides.left | strides.at) % V == 0;
  }
};

// Where the indexed dimension is the last one, (l, i, r) has one r: what depends on i, then, may as well depend on r.
struct Axes {
  u64 length, right;
  bool last;  // whether r stands for i

  DEVICE Axes(u64 of_length, u64 of_right) : length(of_length), right(of_right), last(of_right == 1) {
    if (last) length = 1, right = of_length;
  }
};

#endif
