// Argsort of rows. Mirrors candle-kernels/src/sort.cu
// (https://github.com/huggingface/candle/blob/main/candle-kernels/src/sort.cu), for all ten types:
//   asort_asc_<type> asort_desc_<type>   rows that fit in shared memory: a block per row, of any size, with ncols_pad * 4
//                                        bytes of dynamic shared memory; ncols_pad is ncols rounded up to a power of two
// In addition, for rows of any length:
//   sort_tiles_<type>    sorts each tile of `tile` consecutive elements of a row, a power of two from 4 to 1024; the last tile
//                        may be shorter. Launch: any number of blocks of 256 threads, ideally one per 1024 / tile tiles
//   sort_merge_<type>    merges pairs of sorted runs of `run` elements (a power of two): each element finds its position by
//                        a binary search in the other run. Any grid: x over columns, y over rows
//
// The sort is stable in both directions. Zeros of either sign are equal. NaN is greater than all numbers and equal to
// itself, as in PyTorch. (candle's CPU backend finds NaN greater than anything from both sides, so that the order of its
// result is unspecified.)
#include "common/divide.h"
#include "common/platform.h"
#include "common/wave.h"

// A key with the order of the elements.
DEVICE u16 sort_key(u8 x) { return x; }
DEVICE u32 sort_key(u32 x) { return x; }
DEVICE u16 sort_key(i16 x) { return u16(x) ^ 0x8000; }
DEVICE u32 sort_key(i32 x) { return u32(x) ^ 0x80000000u; }
DEVICE u64 sort_key(i64 x) { return u64(x) ^ 0x8000000000000000ull; }
DEVICE u32 sort_key(float x) {
  if (x != x) return 0xffffffffu;
  const u32 bits = x == 0.0f ? 0 : bit_cast<u32>(x);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
DEVICE u64 sort_key(double x) {
  if (x != x) return 0xffffffffffffffffull;
  const u64 bits = x == 0.0 ? 0 : bit_cast<u64>(x);
  return bits >> 63 ? ~bits : bits | 0x8000000000000000ull;
}
DEVICE u16 sort_key(u16 bits, u16 largest) {
  const u16 magnitude = bits & 0x7fff;
  if (magnitude > largest) return 0xffff;
  if (magnitude == 0) return 0x8000;
  return u16(bits >> 15 ? ~bits : bits | 0x8000);
}
DEVICE u16 sort_key(f16 x) { return sort_key(x.bits, 0x7c00); }
DEVICE u16 sort_key(bf16 x) { return sort_key(x.bits, 0x7f80); }
DEVICE u16 sort_key(f8_e4m3 x) { return sort_key(u16(x.bits << 8), 0x7e00); }

// A strict total order of a row's indices: none are equal, so any sorting algorithm is stable.
template <class T>
struct Order {
  const T* row;
  u32 count;
  bool descending;

  using Key = decltype(sort_key(T{}));
  DEVICE Key key(u32 index) const {
    const Key k = sort_key(row[index]);
    return descending ? Key(~k) : k;
  }
  DEVICE bool before(Key a, u32 a_place, Key b, u32 b_place) const { return a < b || (a == b && a_place < b_place); }
  // Indices beyond the row sort last.
  DEVICE bool before(u32 a, u32 b) const {
    if (a >= count || b >= count) return a < b;
    return before(key(a), a, key(b), b);
  }
};

// Sorts the indices of order.row's elements with a bitonic network of `size` inputs, a power of two, in shared memory.
template <class T>
DEVICE void sort_block(const Order<T>& order, u32* indices, u32 size) {
  for (u32 i = thread_x(); i < size; i += block_size_x()) indices[i] = i;
  sync_threads();
  for (u32 length = 2; length <= size; length *= 2) {
    for (u32 apart = length / 2; apart > 0; apart /= 2) {
      for (u32 pair = thread_x(); pair < size / 2; pair += block_size_x()) {
        const u32 low = pair / apart * apart * 2 + pair % apart, high = low + apart;
        const u32 a = indices[low], b = indices[high];
        const bool ascending = (low & length) == 0;
        if (order.before(b, a) == ascending) indices[low] = b, indices[high] = a;
      }
      sync_threads();
    }
  }
}

template <class T>
DEVICE void sort_row(const T* x, u32* dst, u32 columns, u32 size, bool descending, u32* indices) {
  const u64 start = u64(block_x()) * columns;
  sort_block(Order<T>{x + start, columns, descending}, indices, size);
  for (u32 i = thread_x(); i < columns; i += block_size_x()) dst[start + i] = indices[i];
}

// ----------------------------------------------------------------------------------------------------- Tiles in registers

// A key and an index, ordered by both; packed into one number if they fit.
template <class Key>
struct Entry {
  using Number = typename Word<2 * sizeof(Key)>::type;
  static constexpr int BITS = 8 * sizeof(Key);
  Number number;

  DEVICE static Entry of(Key key, u32 index) { return {Number(Number(key) << BITS | index)}; }
  DEVICE u32 index() const { return u32(number & Number(Key(~Key(0)))); }
  DEVICE bool before(const Entry& other) const { return number < other.number; }
  DEVICE Entry of_lane_xor(u32 mask) const { return {wave_xor(number, mask)}; }
  // `other` if so, else this. Selecting whole entries would make compilers keep them in memory.
  DEVICE Entry unless(bool so, const Entry& other) const { return {so ? other.number : number}; }
};
template <>
struct Entry<u64> {
  u64 key;
  u32 at;

  DEVICE static Entry of(u64 key, u32 index) { return {key, index}; }
  DEVICE u32 index() const { return at; }
  DEVICE bool before(const Entry& other) const { return key < other.key || (key == other.key && at < other.at); }
  DEVICE Entry of_lane_xor(u32 mask) const { return {wave_xor(key, mask), wave_xor(at, mask)}; }
  DEVICE Entry unless(bool so, const Entry& other) const { return {so ? other.key : key, so ? other.at : at}; }
};

constexpr u32 SORT_THREADS = 256;
// Consecutive entries per thread.
constexpr u32 HELD = 4;

// The block's entries, HELD per thread, as tiles that a bitonic network sorts. Entries of one thread are exchanged in
// registers, those of one wavefront between lanes, others through shared memory.
template <class E>
struct Tiles {
  E at[HELD];
  u32 tile;

  // Whether the run of `length` that contains this index is sorted in ascending order, as a whole tile is.
  DEVICE bool ascending(u32 index, u32 length) const { return (index & length & (tile - 1)) == 0; }

  template <u32 APART>
  DEVICE void in_thread(u32 length) {
    UNROLLED
    for (u32 e = 0; e < HELD; e++) {
      if (e & APART) continue;
      const E a = at[e], b = at[e | APART];
      const bool swap = b.before(a) == ascending(thread_x() * HELD + e, length);
      at[e] = a.unless(swap, b), at[e | APART] = b.unless(swap, a);
    }
  }

  DEVICE void take(u32 e, const E& other, u32 length, u32 apart) {
    const u32 index = thread_x() * HELD + e;
    const bool first = ascending(index, length) == ((index & apart) == 0);
    at[e] = at[e].unless(other.before(at[e]) == first, other);
  }

  DEVICE void sort(E* shared) {
    in_thread<1>(2);
    in_thread<2>(4);
    in_thread<1>(4);
    for (u32 length = 2 * HELD; length <= tile; length *= 2) {
      u32 apart = length / 2;
      for (; apart >= HELD * WAVE; apart /= 2) {
        UNROLLED
        for (u32 e = 0; e < HELD; e++) shared[e * SORT_THREADS + thread_x()] = at[e];
        sync_threads();
        UNROLLED
        for (u32 e = 0; e < HELD; e++) {
          take(e, shared[e * SORT_THREADS + (thread_x() ^ apart / HELD)], length, apart);
        }
        sync_threads();
      }
      for (; apart >= HELD; apart /= 2) {
        UNROLLED
        for (u32 e = 0; e < HELD; e++) take(e, at[e].of_lane_xor(apart / HELD), length, apart);
      }
      in_thread<2>(length);
      in_thread<1>(length);
    }
  }
};

template <class T>
DEVICE void sort_tiles(const T* x, u32* dst, u64 rows, u32 columns, u32 tile, bool descending) {
  using Key = decltype(sort_key(T{}));
  __shared__ Entry<Key> shared[HELD * SORT_THREADS];
  const u32 per_row = (columns + (tile - 1)) / tile, per_block = HELD * SORT_THREADS / tile;
  const u64 tiles = rows * per_row;
  for (u64 block = block_x(); block * per_block < tiles; block += grid_size_x()) {
    // This thread's entries are in one tile, starting at `index`.
    const u64 number = block * per_block + thread_x() * HELD / tile;
    const Division at = divide(number, per_row);
    const u32 index = thread_x() * HELD & (tile - 1), first = u32(at.remainder) * tile;
    const u64 start = at.quotient * columns + first;
    const u32 count = number < tiles ? min_of(columns - first, tile) : 0;
    Tiles<Entry<Key>> held;
    held.tile = tile;
    UNROLLED
    for (u32 e = 0; e < HELD; e++) {
      // Indices beyond the row sort last.
      Key key = Key(~Key(0));
      if (index + e < count) {
        key = sort_key(x[start + index + e]);
        if (descending) key = Key(~key);
      }
      held.at[e] = Entry<Key>::of(key, index + e);
    }
    held.sort(shared);
    UNROLLED
    for (u32 e = 0; e < HELD; e++) {
      if (index + e < count) dst[start + index + e] = first + held.at[e].index();
    }
  }
}

// --------------------------------------------------------------------------------------------------------------- Merging

template <class T>
DEVICE void sort_merge(const T* x, const u32* from, u32* to, u64 rows, u32 columns, u32 run, bool descending) {
  const u64 step = u64(grid_size_x()) * block_size_x();
  for (u64 row = block_y(); row < rows; row += grid_size_y()) {
    const u64 start = row * columns;
    const Order<T> order = {x + start, columns, descending};
    const u32* const runs = from + start;
    for (u64 i = u64(block_x()) * block_size_x() + thread_x(); i < columns; i += step) {
      // This element's run, and the one it is merged with.
      const u64 own = i & ~u64(run - 1), other = own ^ run, both = min_of(own, other);
      const u32 index = runs[i];
      const auto key = order.key(index);
      u64 low = min_of(other, u64(columns)), high = min_of(other + run, u64(columns));
      const u64 begin = low;
      while (low < high) {
        const u64 middle = (low + high) / 2;
        const u32 candidate = runs[middle];
        if (order.before(order.key(candidate), candidate, key, index)) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      to[start + both + (i - own) + (low - begin)] = index;
    }
  }
}

#define SORT(T)                                                                                                        \
  KERNEL asort_asc_##T(const T* x, u32* dst, const int ncols, int ncols_pad) {                                         \
    extern __shared__ u32 indices[];                                                                                   \
    sort_row(x, dst, u32(ncols), u32(ncols_pad), false, indices);                                                      \
  }                                                                                                                    \
  KERNEL asort_desc_##T(const T* x, u32* dst, const int ncols, int ncols_pad) {                                        \
    extern __shared__ u32 indices[];                                                                                   \
    sort_row(x, dst, u32(ncols), u32(ncols_pad), true, indices);                                                       \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256) sort_tiles_##T(const T* x, u32* dst, const size_t rows, const u32 columns,               \
                                             const u32 tile, const u32 descending) {                                   \
    sort_tiles(x, dst, rows, columns, tile, descending != 0);                                                          \
  }                                                                                                                    \
  KERNEL sort_merge_##T(const T* x, const u32* from, u32* to, const size_t rows, const u32 columns, const u32 run,     \
                        const u32 descending) {                                                                        \
    sort_merge(x, from, to, rows, columns, run, descending != 0);                                                      \
  }

SORT(u8)
SORT(u32)
SORT(i16)
SORT(i32)
SORT(i64)
SORT(f16)
SORT(bf16)
SORT(f32)
SORT(f64)
SORT(f8_e4m3)
