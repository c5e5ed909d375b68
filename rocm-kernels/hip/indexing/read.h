// index_select and gather.
#ifndef CANDLE_ROCM_INDEXING_READ_H
#define CANDLE_ROCM_INDEXING_READ_H

#include "common/index.h"
#include "common/platform.h"
#include "common/vec.h"
#include "indexing/space.h"

// V neighbours along r at a time, each of which has an index of its own. All offsets are narrow, in bytes too, and
// ids.size is not 0.
template <int V, class I, class W>
struct TakeVectors {
  using Item = Vec<W, V>;
  const IndexSpace& space;  // of vectors
  const Ids<I>& ids;
  const W* src;
  const Strides& strides;
  W* out;

  DEVICE ElementIndex at(u64 tile, u32 i) const {
    ElementIndex p = space(tile, i);
    p.right *= V;
    return p;
  }
  DEVICE bool is_there(const ElementIndex& p) const { return p.right < space.right * V; }

  DEVICE Item load(u64 tile, u32 i) const {
    const ElementIndex p = at(tile, i);
    if (!is_there(p)) return splat<V>(W{});
    const Selected<V> selected = ids.template find<V>(p);
    Item item;
    UNROLLED
    for (int j = 0; j < V; j++) {
      // Without a branch, so that all loads are under way at once.
      const u32 offset = strides.in_32_bits(p.left, selected.row[j], p.right + j) * u32(sizeof(W));
      item.at[j] = *reinterpret_cast<const W*>(reinterpret_cast<const u8*>(src) + offset);
    }
    UNROLLED
    for (int j = 0; j < V; j++) item.at[j] = selected.there[j] ? item.at[j] : W{};
    return item;
  }
  DEVICE void store(u64 tile, u32 i, const Item& item) const {
    u64 to = (tile + i) * V;
    if (space.strips > 1) {
      const ElementIndex p = at(tile, i);
      if (!is_there(p)) return;
      to = (u32(p.left) * space.length + p.at) * space.right * V + p.right;
    }
    store_vec(out + to, item);
  }
};

template <class I, class W>
struct Take {
  using Item = W;
  const IndexSpace& space;
  Ids<I> ids;
  const W* src;
  Strides strides;
  W* out;

  DEVICE W load(u64 tile, u32 i) const {
    ElementIndex p = space(tile, i);
    u64 row;
    if (p.right >= space.right || !ids.find(p, row)) return W{};
    return src[strides(p.left, row, p.right)];
  }
  DEVICE void store(u64 tile, u32 i, const W& word) const {
    u64 to = tile + i;
    if (space.strips > 1) {
      const ElementIndex p = space(tile, i);
      if (p.right >= space.right) return;
      to = (p.left * space.length + p.at) * space.right + p.right;
    }
    out[to] = word;
  }
};

template <class I, class W>
DEVICE void take(u64 left, u64 length, u64 right, u32 strip, const Ids<I>& ids, const W* src, const Strides& strides,
                 W* out) {
  constexpr int V = sizeof(W) < 4 ? 4 : VECTOR_BYTES / int(sizeof(W));
  if constexpr (V > 1) {
    const Axes axes(length, right);
    Ids<I> of = ids;
    Strides source = strides;
    if (axes.last) {
      of.strides.right = of.strides.at, of.strides.at = 0;
      source.right = 0;
    }
    const bool whole = axes.right % V == 0 && strip % V == 0 && (UNALIGNED_VECTORS || is_aligned(out, V * sizeof(W)));
    const bool narrow = ids.strides.narrow && strides.narrow_words<W>() && left * length * right <= 0xffffffffu;
    if (whole && narrow && ids.size > 0 && of.strides.right == 1 && of.template has_vectors<V>()) {
      const IndexSpace space(left, axes.length, axes.right / V, strip / V);
      for_each<sizeof(W) < 4 ? 2 : 1>(space.count, TakeVectors<V, I, W>{space, of, src, source, out});
      return;
    }
  }
  const IndexSpace space(left, length, right, strip);
  for_each<sizeof(W) == 16 ? 2 : 4>(space.count, Take<I, W>{space, ids, src, strides, out});
}

// The same for strided inputs.
template <class I, class W>
struct TakeStrided {
  using Item = W;
  const IndexSpace& space;
  Ids<I> ids;
  const W* src;
  Strided64<1> index;
  W* out;

  DEVICE W load(u64 tile, u32 i) const {
    ElementIndex p = space(tile, i);
    u64 row;
    if (!ids.find(p, row)) return W{};
    return src[index((p.left * ids.size + row) * space.right + p.right).at[0]];
  }
  DEVICE void store(u64 tile, u32 i, const W& word) const { out[tile + i] = word; }
};

DEVICE bool is_contiguous(u32 num_dims, const size_t* info) {
  u64 step = 1;
  for (u32 d = num_dims; d-- > 0;) {
    if (info[d] != 1 && info[num_dims + d] != step) return false;
    step *= info[d];
  }
  return true;
}

#endif
