// scatter_set, scatter_add_set and index_add: the last write, sums in order, and atomic sums.
#ifndef CANDLE_ROCM_INDEXING_WRITE_H
#define CANDLE_ROCM_INDEXING_WRITE_H

#include "common/index.h"
#include "common/platform.h"
#include "common/vec.h"
#include "indexing/space.h"

// looped: a thread per (l, r) processes all i; else a thread per (l, i, r).
template <class I, class Write>
struct Put {
  struct Item {};
  const IndexSpace& space;
  Ids<I> ids;
  Strides from, to;
  u32 length, step;
  Write write;

  DEVICE Item load(u64, u32) const { return {}; }
  DEVICE void store(u64 tile, u32 i, const Item&) const {
    ElementIndex p = space(tile, i);
    if (p.right >= space.right) return;
    do {
      u64 row;
      if (ids.find(p, row)) write(to(p.left, row, p.right), from(p), p.at);
      p.at += step;
    } while (p.at < length);
  }
};

// The same for V neighbours along r at a time, without loops. All offsets are narrow.
template <int V, class I, class Write>
struct PutVectors {
  struct Item {};
  const IndexSpace& space;  // of vectors
  const Ids<I>& ids;
  const Strides &from, &to;
  bool last;  // whether r stands for i
  const Write& write;

  DEVICE Item load(u64, u32) const { return {}; }
  DEVICE void store(u64 tile, u32 i, const Item&) const {
    ElementIndex p = space(tile, i);
    if (p.right >= space.right) return;
    p.right *= V;
    const Selected<V> selected = ids.template find<V>(p);
    const u32 source = from.in_32_bits(p.left, p.at, p.right), step = u32(from.right);
    if constexpr (Write::template HAS_ROWS<V>) {
      // Neighbours that share an index are neighbours in the destination, too, unless they are additions to one element.
      if (ids.strides.right == 0 && !last) {
        const u32 target = to.in_32_bits(p.left, selected.row[0], p.right);
        if (selected.there[0]) write.template row<V>(target, source, step);
        return;
      }
    }
    UNROLLED
    for (int j = 0; j < V; j++) {
      const u32 target = to.in_32_bits(p.left, selected.row[j], p.right + j);
      if (selected.there[j]) write(target, source + j * step, last ? p.right + j : p.at);
    }
  }
};

template <class I, class Write>
DEVICE void put(u64 left, u64 length, u64 right, u32 strip, bool looped, const Ids<I>& ids, const Strides& from,
                const Write& write) {
  constexpr int V = 4;
  if (length == 0) return;
  const Strides to = row_major(left, ids.size, right);
  if (!looped && strip % V == 0 && ids.strides.narrow && from.narrow && to.narrow) {
    const Axes axes(length, right);
    Ids<I> of = ids;
    Strides source = from, target = to;
    if (axes.last) {
      of.strides.right = of.strides.at, of.strides.at = 0;
      source.right = source.at, source.at = 0;
      target.right = 0;
    }
    if (axes.right % V == 0 && of.template has_vectors<V>() && write.template fits<V>()) {
      const IndexSpace space(left, axes.length, axes.right / V, strip / V);
      for_each<1>(space.count, PutVectors<V, I, Write>{space, of, source, target, axes.last, write});
      return;
    }
  }
  const IndexSpace space(left, looped ? 1 : length, right, strip);
  const u32 step = looped ? 1 : u32(length);
  for_each<1>(space.count, Put<I, Write>{space, ids, from, to, u32(length), step, write});
}

template <class W>
struct Set {
  template <int V>
  static constexpr bool HAS_ROWS = false;
  W* dst;
  const W* src;
  const u32* last;

  DEVICE void operator()(u64 to, u64 from, u32 at) const {
    if (last == nullptr || last[to] == at + 1) dst[to] = src[from];
  }
  template <int V>
  DEVICE bool fits() const {
    return true;
  }
};

// 0: the element is not written.
struct MarkLast {
  template <int V>
  static constexpr bool HAS_ROWS = false;
  u32* last;

  template <int V>
  DEVICE bool fits() const {
    return true;
  }
  DEVICE void operator()(u64 to, u64, u32 at) const { atomic_max(last + to, at + 1); }
};

template <class T>
DEVICE T sum(T a, T b) {
  if constexpr (is_float<T> || is_small_float<T>) {
    return convert<T>(widen(a) + widen(b));
  } else {
    return T(u64(a) + u64(b));
  }
}

template <class T>
DEVICE void atomic_sum(T* p, T value) {
  if constexpr (is_float<T> || is_same<T, u32> || is_same<T, i32>) {
    atomic_add(p, value);
  } else if constexpr (is_same<T, i64>) {
    atomic_add(reinterpret_cast<u64*>(p), u64(value));
  } else {
    atomic_update(p, [value](T old) { return sum(old, value); });
  }
}

template <class T>
struct Add {
  // Whether V neighbours are added at once, where that takes a single atomic operation: one of small elements is an exchange of
  // the word that holds them.
  template <int V>
  static constexpr bool HAS_ROWS = sizeof(T) < 4 && sizeof(T) * V >= 4;
  T* dst;
  const T* src;
  bool alone;

  DEVICE void operator()(u64 to, u64 from, u32) const {
    if (alone) {
      dst[to] = sum(dst[to], src[from]);
    } else {
      atomic_sum(dst + to, src[from]);
    }
  }

  template <int V>
  DEVICE bool fits() const {
    return !HAS_ROWS<V> || is_aligned(dst, V * sizeof(T));
  }
  template <int V>
  DEVICE void row(u32 to, u32 from, u32 step) const {
    const Vec<T, V> values = gather<V>(src, from, step);
    atomic_update(reinterpret_cast<Vec<T, V>*>(dst + to), [&](Vec<T, V> sums) {
      UNROLLED
      for (int j = 0; j < V; j++) sums.at[j] = sum(sums.at[j], values.at[j]);
      return sums;
    });
  }
};

// The sums in f32 of elements first .. first + count of dst.
struct Sums {
  float* sums;
  u64 first, count;

  // Null: not one of these elements.
  DEVICE float* of(u64 to) const {
    const u64 at = to - first;
    return at < count ? sums + at : nullptr;
  }
};

// Small floats: a sum of 2048 in f16, or of 256 in bf16, would not grow any more when 1 is added.
template <class T>
struct AddWide {
  template <int V>
  static constexpr bool HAS_ROWS = true;
  Sums sums;
  const T* src;
  bool alone;

  DEVICE void operator()(u64 to, u64 from, u32) const { add(to, src[from]); }
  DEVICE void add(u64 to, T value) const {
    float* const sum = sums.of(to);
    if (sum == nullptr) return;
    if (alone) {
      *sum += widen(value);
    } else {
      atomic_add(sum, widen(value));
    }
  }

  template <int V>
  DEVICE bool fits() const {
    return true;
  }
  template <int V>
  DEVICE void row(u32 to, u32 from, u32 step) const {
    const Vec<T, V> values = gather<V>(src, from, step);
    UNROLLED
    for (int j = 0; j < V; j++) add(u64(to) + j, values.at[j]);
  }
};

// Sums of elements that one or many indices select. Each is written by atomics alone, and its way back is taken by one thread.
template <class T>
struct Stage {
  // A sum that was taken: a NaN that arithmetic does not give, as it keeps those of its operands, which have zeros there, or gives one
  // with all of these bits clear or set.
  static constexpr u32 TAKEN = 0xffff5a5au;
  template <int V>
  static constexpr bool HAS_ROWS = false;
  Sums sums;
  T* dst;
  bool back;

  template <int V>
  DEVICE bool fits() const {
    return true;
  }
  DEVICE void operator()(u64 to, u64, u32) const {
    u32* const sum = reinterpret_cast<u32*>(sums.of(to));
    if (sum == nullptr) return;
    const u32 before = atomic_exchange(sum, back ? TAKEN : bit_cast<u32>(float(widen(dst[to]))));
    if (back && before != TAKEN) dst[to] = convert<T>(bit_cast<float>(before));
  }
};

#endif
