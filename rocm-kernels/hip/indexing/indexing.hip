// Indexed reads and writes along one dimension. The first group mirrors candle-kernels/src/indexing.cu
// (https://github.com/huggingface/candle/blob/main/candle-kernels/src/indexing.cu), for all index types of candle (u8 u32 i64
// i16 i32) and all ten types:
//   is_<index>_<type>      index_select      out[l, i, r] = inp[l, ids[i], r]
//   gather_<index>_<type>  gather            out[l, i, r] = inp[l, ids[l, i, r], r]
//   s_<index>_<type>       scatter_set       out[l, ids[l, i, r], r] = inp[l, i, r], the last i wins
//   sa_<index>_<type>      scatter_add_set   out[l, ids[l, i, r], r] += inp[l, i, r]
//   ia_<index>_<type>      index_add         out[l, ids[i], r] += inp[l, i, r]
// where l runs over the dimensions left of the indexed one, and r over those right of it. is_* takes strided inputs through
// `info` (dimensions, strides; null if contiguous); all else is contiguous. In kernels that write, one thread processes all i
// of an (l, r) in order, so that sums are deterministic; f16, bf16 and f8_e4m3 are rounded after each addition, as candle does.
//
// candle-rocm launches the second group, which also reports indices out of range. They take one stride each for l, i and r,
// and the width of strips, 0 for none (see IndexSpace):
//   take_<index>_<bytes>   index_select and gather: elements are words of 1, 2, 4, 8 or 16 bytes, so that long rows are copied
//                          in 16-byte accesses
//   put_<index>_<bytes>    scatter_set
//   mark_last_<index>      finds the last i for each element, which lets put_* process all i in parallel
//   add_<index>_<type>     scatter_add_set and index_add; a thread per (l, r), or per element with atomic additions. f16, bf16
//                          and f8_e4m3 are added to sums in f32, of `count` elements of dst from element `first` on
//   stage_<index>_<type>   for these types: makes elements of dst that an index selects sums, or sums elements, if `back`
//
// The largest value of an index type means no element: reads return 0, writes are skipped. An index out of range is treated
// likewise, and reported in `fault`.
//
// Launch: any grid of 1-D blocks, ideally of 256 threads. length (of i) and right (of r) are below 2^31.
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

// ------------------------------------------------------------------------------------------------------------ Reading

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

// ------------------------------------------------------------------------------------------------------------ Writing

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

// ------------------------------------------------------------------------------------------------------ candle's names

template <class T>
using word_of = typename Word<sizeof(T)>::type;

template <class T>
DEVICE const word_of<T>* words(const T* p) {
  return reinterpret_cast<const word_of<T>*>(p);
}
template <class T>
DEVICE word_of<T>* words(T* p) {
  return reinterpret_cast<word_of<T>*>(p);
}

#define CANDLE(I, T)                                                                                                   \
  KERNEL is_##I##_##T(const size_t numel, const size_t num_dims, const size_t* info, const I* ids, const T* inp,       \
                      T* out, const size_t left_size, const size_t src_dim_size, const size_t ids_dim_size,            \
                      const size_t right_size) {                                                                       \
    const IndexSpace space(left_size, ids_dim_size, right_size);                                                       \
    const Ids<I> rows = {ids, Strides(0, 1, 0, left_size, ids_dim_size, right_size), src_dim_size, nullptr};           \
    if (info == nullptr || is_contiguous(u32(num_dims), info)) {                                                       \
      for_each<1>(numel, Take<I, word_of<T>>{space, rows, words(inp), row_major(left_size, src_dim_size, right_size),  \
                                             words(out)});                                                             \
    } else {                                                                                                           \
      for_each<1>(numel,                                                                                               \
                  TakeStrided<I, word_of<T>>{space, rows, words(inp), Strided64<1>(u32(num_dims), info), words(out)}); \
    }                                                                                                                  \
  }                                                                                                                    \
  KERNEL gather_##I##_##T(const size_t numel, const I* ids, const T* inp, T* out, const size_t left_size,              \
                          const size_t src_dim_size, const size_t ids_dim_size, const size_t right_size) {             \
    const IndexSpace space(left_size, ids_dim_size, right_size);                                                       \
    const Ids<I> rows = {ids, row_major(left_size, ids_dim_size, right_size), src_dim_size, nullptr};                  \
    for_each<1>(numel, Take<I, word_of<T>>{space, rows, words(inp), row_major(left_size, src_dim_size, right_size),    \
                                           words(out)});                                                               \
  }                                                                                                                    \
  KERNEL s_##I##_##T(const I* ids, const T* inp, T* out, const size_t left_size, const size_t src_dim_size,            \
                     const size_t dst_dim_size, const size_t right_size) {                                             \
    const Strides at = row_major(left_size, src_dim_size, right_size);                                                 \
    const Ids<I> rows = {ids, at, dst_dim_size, nullptr};                                                              \
    put(left_size, src_dim_size, right_size, 0, true, rows, at, Set<word_of<T>>{words(out), words(inp), nullptr});     \
  }                                                                                                                    \
  KERNEL sa_##I##_##T(const I* ids, const T* inp, T* out, const size_t left_size, const size_t src_dim_size,           \
                      const size_t dst_dim_size, const size_t right_size) {                                            \
    const Strides at = row_major(left_size, src_dim_size, right_size);                                                 \
    const Ids<I> rows = {ids, at, dst_dim_size, nullptr};                                                              \
    put(left_size, src_dim_size, right_size, 0, true, rows, at, Add<T>{out, inp, true});                               \
  }                                                                                                                    \
  KERNEL ia_##I##_##T(const I* ids, const size_t ids_dim_size, const T* inp, T* out, const size_t left_size,           \
                      const size_t src_dim_size, const size_t dst_dim_size, const size_t right_size) {                 \
    const Ids<I> rows = {ids, Strides(0, 1, 0, left_size, ids_dim_size, right_size), dst_dim_size, nullptr};           \
    put(left_size, ids_dim_size, right_size, 0, true, rows, row_major(left_size, ids_dim_size, right_size),            \
        Add<T>{out, inp, true});                                                                                       \
  }

// ------------------------------------------------------------------------------------------------------------ Our own

// The leading parameters of these kernels.
#define SPACE_AND_IDS(I)                                                                                               \
  const size_t left, const size_t length, const size_t right, const u32 strip, const I *ids, const size_t ids_left,    \
      const size_t ids_at, const size_t ids_right, const size_t size, u64 *fault

#define TAKE(I, BYTES)                                                                                                 \
  KERNEL take_##I##_##BYTES(SPACE_AND_IDS(I), const Word<BYTES>::type* src, const size_t src_left,                     \
                            const size_t src_at, const size_t src_right, Word<BYTES>::type* out) {                     \
    const Ids<I> rows = {ids, Strides(ids_left, ids_at, ids_right, left, length, right), size, fault};                 \
    const Strides from(src_left, src_at, src_right, left, size, right);                                                \
    take(left, length, right, strip, rows, src, from, out);                                                            \
  }

#define PUT(I, BYTES)                                                                                                  \
  KERNEL put_##I##_##BYTES(SPACE_AND_IDS(I), const Word<BYTES>::type* src, const size_t src_left, const size_t src_at, \
                           const size_t src_right, Word<BYTES>::type* dst, const u32* last) {                          \
    const Ids<I> rows = {ids, Strides(ids_left, ids_at, ids_right, left, length, right), size, fault};                 \
    const Strides from(src_left, src_at, src_right, left, length, right);                                              \
    put(left, length, right, strip, last == nullptr, rows, from, Set<Word<BYTES>::type>{dst, src, last});              \
  }

#define ADD(I, T)                                                                                                      \
  KERNEL add_##I##_##T(SPACE_AND_IDS(I), const T* src, const size_t src_left, const size_t src_at,                     \
                       const size_t src_right, T* dst, const u32 looped) {                                             \
    const Ids<I> rows = {ids, Strides(ids_left, ids_at, ids_right, left, length, right), size, fault};                 \
    const Strides from(src_left, src_at, src_right, left, length, right);                                              \
    put(left, length, right, strip, looped != 0, rows, from, Add<T>{dst, src, looped != 0});                           \
  }

#define ADD_WIDE(I, T)                                                                                                 \
  KERNEL add_##I##_##T(SPACE_AND_IDS(I), const T* src, const size_t src_left, const size_t src_at,                     \
                       const size_t src_right, float* sums, const size_t first, const size_t count,                    \
                       const u32 looped) {                                                                             \
    const Ids<I> rows = {ids, Strides(ids_left, ids_at, ids_right, left, length, right), size, fault};                 \
    const Strides from(src_left, src_at, src_right, left, length, right);                                              \
    put(left, length, right, strip, looped != 0, rows, from, AddWide<T>{{sums, first, count}, src, looped != 0});      \
  }                                                                                                                    \
  KERNEL stage_##I##_##T(SPACE_AND_IDS(I), T* dst, float* sums, const size_t first, const size_t count,                \
                         const u32 back) {                                                                             \
    const Ids<I> rows = {ids, Strides(ids_left, ids_at, ids_right, left, length, right), size, fault};                 \
    put(left, length, right, strip, false, rows, Strides{}, Stage<T>{{sums, first, count}, dst, back != 0});           \
  }

#define BY_TYPE(I, T)                                                                                                  \
  CANDLE(I, T)                                                                                                         \
  ADD(I, T)

#define BY_SMALL_FLOAT(I, T)                                                                                           \
  CANDLE(I, T)                                                                                                         \
  ADD_WIDE(I, T)

#define BY(I)                                                                                                          \
  BY_TYPE(I, u8)                                                                                                       \
  BY_TYPE(I, u32)                                                                                                      \
  BY_TYPE(I, i16)                                                                                                      \
  BY_TYPE(I, i32)                                                                                                      \
  BY_TYPE(I, i64)                                                                                                      \
  BY_SMALL_FLOAT(I, f16)                                                                                               \
  BY_SMALL_FLOAT(I, bf16)                                                                                              \
  BY_TYPE(I, f32)                                                                                                      \
  BY_TYPE(I, f64)                                                                                                      \
  BY_SMALL_FLOAT(I, f8_e4m3)                                                                                           \
  TAKE(I, 1)                                                                                                           \
  TAKE(I, 2)                                                                                                           \
  TAKE(I, 4)                                                                                                           \
  TAKE(I, 8)                                                                                                           \
  TAKE(I, 16)                                                                                                          \
  PUT(I, 1)                                                                                                            \
  PUT(I, 2)                                                                                                            \
  PUT(I, 4)                                                                                                            \
  PUT(I, 8)                                                                                                            \
  KERNEL mark_last_##I(SPACE_AND_IDS(I), u32* last) {                                                                  \
    const Ids<I> rows = {ids, Strides(ids_left, ids_at, ids_right, left, length, right), size, fault};                 \
    put(left, length, right, strip, false, rows, Strides{}, MarkLast{last});                                           \
  }

BY(u8)
BY(u32)
BY(i16)
BY(i32)
BY(i64)
