// The places of a row's elements in order. Mirrors candle-kernels/src/sort.cu
// (https://github.com/huggingface/candle/blob/main/candle-kernels/src/sort.cu), here for all ten types:
//   asort_asc_<type> asort_desc_<type>   rows that fit in shared memory: a block per row, ncols_pad * 4 bytes of dynamic
//                                        shared memory, ncols_pad = the power of two from ncols on; any number of threads
// For rows of any length, ours:
//   sort_tiles_<type>    sorts every `tile` neighbouring elements (a power of two; tile * 4 bytes of shared memory).
//                        Grid: x at least the tiles of a row, y any number of rows at a time
//   sort_merge_<type>    merges neighbouring sorted runs of `run` elements (a power of two): each element finds its place by a
//                        binary search in the other run. Any grid: x over columns, y over rows
//
// Meaning: equal elements keep their order, ascending and descending; both zeros are equal; NaN is greater than all
// numbers and equal to itself, as in PyTorch. (candle's CPU compares NaN with anything as "greater", both ways: what
// comes out of its sort is then in no order.)
#include "platform.h"

// A number whose order is that of the elements.
DEVICE u32 sort_key(u8 x) { return x; }
DEVICE u32 sort_key(u32 x) { return x; }
DEVICE u32 sort_key(i16 x) { return u32(i32(x)) ^ 0x80000000u; }
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
DEVICE u32 sort_key(f16 x) { return sort_key(widen(x)); }
DEVICE u32 sort_key(bf16 x) { return sort_key(widen(x)); }
DEVICE u32 sort_key(f8_e4m3 x) { return sort_key(widen(x)); }

// The order of a row's places: no two are equal, so any way of sorting is stable.
template <class T>
struct Order {
  const T* row;
  u32 count;
  bool descending;

  using Key = decltype(sort_key(T{}));
  DEVICE Key key(u32 place) const {
    const Key k = sort_key(row[place]);
    return descending ? Key(~k) : k;
  }
  DEVICE bool before(Key a, u32 a_place, Key b, u32 b_place) const { return a < b || (a == b && a_place < b_place); }
  // Places beyond the row come last.
  DEVICE bool before(u32 a, u32 b) const {
    if (a >= count || b >= count) return a < b;
    return before(key(a), a, key(b), b);
  }
};

// Sorts the places of order.row's elements by a bitonic network over `size` of them, a power of two, in shared memory.
template <class T>
DEVICE void sort_block(const Order<T>& order, u32* places, u32 size) {
  for (u32 i = thread_x(); i < size; i += block_size_x()) places[i] = i;
  sync_threads();
  for (u32 length = 2; length <= size; length *= 2) {
    for (u32 apart = length / 2; apart > 0; apart /= 2) {
      for (u32 pair = thread_x(); pair < size / 2; pair += block_size_x()) {
        const u32 low = pair / apart * apart * 2 + pair % apart, high = low + apart;
        const u32 a = places[low], b = places[high];
        const bool upwards = (low & length) == 0;
        if (order.before(b, a) == upwards) places[low] = b, places[high] = a;
      }
      sync_threads();
    }
  }
}

template <class T>
DEVICE void sort_row(const T* x, u32* dst, u32 columns, u32 size, bool descending, u32* places) {
  const u64 start = u64(block_x()) * columns;
  sort_block(Order<T>{x + start, columns, descending}, places, size);
  for (u32 i = thread_x(); i < columns; i += block_size_x()) dst[start + i] = places[i];
}

template <class T>
DEVICE void sort_tiles(const T* x, u32* dst, u64 rows, u32 columns, u32 tile, bool descending, u32* places) {
  const u64 first = u64(block_x()) * tile;
  if (first >= columns) return;
  const u32 count = min_of(u32(columns - first), tile);
  for (u64 row = block_y(); row < rows; row += grid_size_y()) {
    const u64 start = row * columns + first;
    sort_block(Order<T>{x + start, count, descending}, places, tile);
    for (u32 i = thread_x(); i < count; i += block_size_x()) dst[start + i] = u32(first) + places[i];
    sync_threads();
  }
}

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
      const u32 place = runs[i];
      const auto key = order.key(place);
      u64 low = min_of(other, u64(columns)), high = min_of(other + run, u64(columns));
      const u64 begin = low;
      while (low < high) {
        const u64 middle = (low + high) / 2;
        const u32 candidate = runs[middle];
        if (order.before(order.key(candidate), candidate, key, place)) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      to[start + both + (i - own) + (low - begin)] = place;
    }
  }
}

#define SORT(T)                                                                                                        \
  KERNEL asort_asc_##T(const T* x, u32* dst, const int ncols, int ncols_pad) {                                         \
    extern __shared__ u32 places[];                                                                                    \
    sort_row(x, dst, u32(ncols), u32(ncols_pad), false, places);                                                       \
  }                                                                                                                    \
  KERNEL asort_desc_##T(const T* x, u32* dst, const int ncols, int ncols_pad) {                                        \
    extern __shared__ u32 places[];                                                                                    \
    sort_row(x, dst, u32(ncols), u32(ncols_pad), true, places);                                                        \
  }                                                                                                                    \
  KERNEL sort_tiles_##T(const T* x, u32* dst, const size_t rows, const u32 columns, const u32 tile,                    \
                        const u32 descending) {                                                                        \
    extern __shared__ u32 places[];                                                                                    \
    sort_tiles(x, dst, rows, columns, tile, descending != 0, places);                                                  \
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
