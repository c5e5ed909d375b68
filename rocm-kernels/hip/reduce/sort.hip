// Argsort of rows. Mirrors candle-kernels/src/sort.cu
// (https://github.com/huggingface/candle/blob/main/candle-kernels/src/sort.cu), for all ten types:
//   asort_asc_<type> asort_desc_<type>   rows that fit in shared memory: a block per row, of any size, with ncols_pad * 4
//                                        bytes of dynamic shared memory; ncols_pad is ncols rounded up to a power of two
// In addition, for rows of any length:
//   sort_short_<type>    rows of up to `padded` elements, a power of two from 4 to 4 * WAVE, by a sorting network in registers.
//                        Launch: any number of blocks of 256 threads, ideally one per 1024 / padded rows
//   sort_rows_64_<type>  rows of up to 16 * lanes elements by digits of their keys, `lanes` threads for a row: 2^lanes_log2, from 4 to
//   sort_rows_256_<type> 64 or 256. Launch: any number of blocks of 64 or 256 threads, ideally one per 64 / lanes or 256 / lanes rows
// Longer rows are sorted by one digit of 8 bits after the other, the least significant first: a launch for each, and one before them.
// Blocks have the same parts of a row in each, of 2^part_log2 elements. counts[row][part][digit] are numbers of elements.
//   sort_count_<type>    counts the first digits, and writes zeros to `passes` - 1 other arrays of counts, which follow the first one
//   sort_digit_<type>    sorts by a digit, and counts the next one in the parts where the elements are then. The first pass reads x,
//                        others keys and indices of the one before. The last writes no keys, and counts nothing
//                        Launch: x over all parts of a row, y over any number of rows, blocks of 256 threads
//
// The sort is stable in both directions. Zeros of either sign are equal. NaN is greater than all numbers and equal to
// itself, as in PyTorch. (candle's CPU backend finds NaN greater than anything from both sides, so that the order of its
// result is unspecified.)
#include "reduce/load_keys.h"
#include "reduce/sort_network.h"
#include "reduce/sort_radix.h"

// ------------------------------------------------------------------------------------------------------- Rows of a block

template <u32 THREADS, class T>
DEVICE void sort_rows(const T* x, u32* dst, u64 rows, u32 columns, u32 lanes_log2, bool descending) {
  using Key = sort_key_t<T>;
  constexpr u32 KEY_BITS = 8 * sizeof(Key);
  __shared__ typename Tiles<THREADS>::Memory memory;
  const Tiles<THREADS> tiles(memory, lanes_log2);
  const u32 per_block = THREADS >> lanes_log2;
  for (u64 block = block_x(); block * per_block < rows; block += grid_size_x()) {
    const u64 number = block * per_block + (thread_x() >> lanes_log2);
    const u32 count = number < rows ? columns : 0, first = tiles.lane() * HELD;
    const T* const row = x + number * columns;
    const KeyOf<T> key_of(descending);
    Key keys[HELD];
    load_keys(row + first, difference(count, first), key_of, keys);
    u32 words[HELD], indices[HELD];
    UNROLLED
    for (u32 e = 0; e < HELD; e++) {
      words[e] = u32(keys[e]);
      indices[e] = first + e;
    }
    if constexpr (KEY_BITS <= 32) {
      tiles.template sort_by_key<KEY_BITS>(words, indices, count);
    } else {
      // By the lower halves, then by the upper ones.
      tiles.template sort_by_key<32>(words, indices, count);
      tiles.get(words);
      UNROLLED
      for (u32 e = 0; e < HELD; e++) {
        indices[e] = words[e] >> REST_BITS;
        words[e] = ~0u;
      }
      if (count > 0) {
        UNROLLED
        for (u32 e = 0; e < HELD; e++) {
          const u32 upper = u32(key_of(row[min_of(indices[e], count - 1)]) >> 32);
          if (indices[e] < count) words[e] = upper;
        }
      }
      sync_threads();
      tiles.template sort_by_key<32>(words, indices, count);
    }
    UNROLLED
    for (u32 e = 0; e < HELD; e++) {
      const u32 p = e * tiles.lanes + tiles.lane();
      if (p < count) dst[number * columns + p] = tiles.place(p) >> REST_BITS;
    }
    sync_threads();  // before the places are written again
  }
}

// --------------------------------------------------------------------------------------------------------- Rows in parts

constexpr u32 PART_THREADS = 256, TILE = PART_THREADS * HELD;
constexpr u32 PASS_BITS = 8, BINS = 1 << PASS_BITS;
static_assert(BINS == PART_THREADS, "a thread for each value of a digit");

// The elements of a row from the first of a block's part to its end.
struct Part {
  u32 begin, end;
  DEVICE Part(u32 columns, u32 part_log2)
      : begin(block_x() << part_log2), end(u32(min_of(u64(columns), u64(begin) + (u64(1) << part_log2)))) {}
};

template <class T>
DEVICE void sort_count(const T* x, u32* counts, u64 rows, u32 columns, u32 part_log2, u32 passes, bool descending) {
  __shared__ u32 bins[BINS];
  const u64 size = rows * grid_size_x() * BINS;
  const Part part(columns, part_log2);
  const KeyOf<T> key_of(descending);
  for (u64 row = block_y(); row < rows; row += grid_size_y()) {
    bins[thread_x()] = 0;
    sync_threads();
    for (u32 tile = part.begin; tile < part.end; tile += TILE) {
      const u32 own = thread_x() * HELD, left = difference(min_of(part.end - tile, TILE), own);
      sort_key_t<T> keys[HELD];
      load_keys(x + row * columns + tile + own, left, key_of, keys);
      UNROLLED
      for (u32 e = 0; e < HELD; e++) {
        if (e < left) atomic_add(bins + u32(keys[e]) % BINS, 1u);
      }
    }
    sync_threads();
    u32* const own = counts + (row * grid_size_x() + block_x()) * BINS + thread_x();
    *own = bins[thread_x()];
    for (u32 pass = 1; pass < passes; pass++) own[pass * size] = 0;
  }
}

// Arrays of the pass before and after a digit's. Those that there are not are null.
template <class Key>
struct Pass {
  const Key* keys;
  const u32* indices;
  Key* to_keys;
  u32* to_indices;
  const u32* counts;
  u32* next_counts;
};

// Where the first of this block's elements with this thread's digit goes in the row.
DEVICE u32 first_of_digit(const Tiles<PART_THREADS>& tiles, const u32* counts) {
  constexpr u32 U = 8;
  const u32 parts = grid_size_x();
  u32 all = 0, earlier = 0;
  for (u32 part = 0; part < parts; part += U) {
    u32 some[U];
    UNROLLED
    for (u32 u = 0; u < U; u++) some[u] = counts[min_of(part + u, parts - 1) * BINS + thread_x()];
    UNROLLED
    for (u32 u = 0; u < U; u++) {
      all += part + u < parts ? some[u] : 0;
      earlier += part + u < block_x() ? some[u] : 0;
    }
  }
  return tiles.sum(all).before + earlier;
}

template <class T>
DEVICE void sort_digit(const T* x, const Pass<sort_key_t<T>>& pass, u64 rows, u32 columns, u32 part_log2, u32 shift,
                       bool descending) {
  using Key = sort_key_t<T>;
  __shared__ typename Tiles<PART_THREADS>::Memory memory;
  // By digit: where the next element goes in the row, and where the first one is in the tile.
  __shared__ u32 to[BINS], first[BINS];
  const Tiles<PART_THREADS> tiles(memory, 8);
  const Part part(columns, part_log2);
  const KeyOf<T> key_of(descending);
  for (u64 row = block_y(); row < rows; row += grid_size_y()) {
    const u64 start = row * columns, first_part = row * grid_size_x();
    to[thread_x()] = first_of_digit(tiles, pass.counts + first_part * BINS);
    for (u32 tile = part.begin; tile < part.end; tile += TILE) {
      const u32 count = min_of(part.end - tile, TILE), own = thread_x() * HELD, left = difference(count, own);
      Key keys[HELD];
      if (pass.keys) {
        load_keys(pass.keys + start + tile + own, left, [](Key key) { return key; }, keys);
      } else {
        load_keys(x + start + tile + own, left, key_of, keys);
      }
      // A digit, and the number of its element. Those beyond the last element have the last digit, and stay behind those of the row.
      u32 words[HELD];
      UNROLLED
      for (u32 e = 0; e < HELD; e++) words[e] = u32(keys[e] >> shift) % BINS << INDEX_BITS | (own + e);
      u32 places[HELD];
      UNROLLED
      for (u32 half = 0; half < PASS_BITS; half += DIGIT_BITS) {
        tiles.rank(words, INDEX_BITS + half, places);
        tiles.put(words, places);
        tiles.get(words);
      }
      u32 before = opaque(own) == 0 ? BINS : tiles.place(own - 1) >> INDEX_BITS;
      UNROLLED
      for (u32 e = 0; e < HELD; e++) {
        const u32 digit = words[e] >> INDEX_BITS;
        if (digit != before) first[digit] = own + e;
        before = digit;
      }
      sync_threads();
      // Neighbouring threads write neighbouring elements of a digit. All loads come before the first store, and what a pass reads and
      // writes is decided once for all elements: masks for each would not fit in scalar registers.
      u32 indices[HELD];
      UNROLLED
      for (u32 e = 0; e < HELD; e++) {
        const u32 p = min_of(e * PART_THREADS + thread_x(), count - 1), word = tiles.place(p);
        const u32 digit = word >> INDEX_BITS;
        places[e] = to[digit] + (p - first[digit]);
        indices[e] = tile + word % TILE;
      }
      if (pass.to_keys && pass.keys) {
        UNROLLED
        for (u32 e = 0; e < HELD; e++) keys[e] = pass.keys[start + indices[e]];
      } else if (pass.to_keys) {
        UNROLLED
        for (u32 e = 0; e < HELD; e++) keys[e] = key_of(x[start + indices[e]]);
      }
      if (pass.indices) {
        UNROLLED
        for (u32 e = 0; e < HELD; e++) indices[e] = pass.indices[start + indices[e]];
      }
      UNROLLED
      for (u32 e = 0; e < HELD; e++) {
        if (opaque(e * PART_THREADS + thread_x()) < count) pass.to_indices[start + places[e]] = indices[e];
      }
      if (pass.to_keys) {
        UNROLLED
        for (u32 e = 0; e < HELD; e++) {
          if (opaque(e * PART_THREADS + thread_x()) >= count) continue;
          pass.to_keys[start + places[e]] = keys[e];
          const u32 next = u32(keys[e] >> (shift + PASS_BITS)) % BINS;
          atomic_add(pass.next_counts + (first_part + (places[e] >> part_log2)) * BINS + next, 1u);
        }
      }
      sync_threads();
      if (tile + TILE >= part.end) break;
      // The last element of each digit moves on where the next one goes.
      tiles.get(words);
      UNROLLED
      for (u32 e = 0; e < HELD; e++) {
        const u32 p = opaque(own) + e, digit = words[e] >> INDEX_BITS;
        if (p + 1 == TILE || tiles.place(p + 1) >> INDEX_BITS != digit) to[digit] += p + 1 - first[digit];
      }
    }
  }
}

#define SORT_ROWS(T, THREADS)                                                                                          \
  KERNEL THREADS_AT_MOST(THREADS) sort_rows_##THREADS##_##T(                                                           \
      const T* x, u32* dst, const size_t rows, const u32 columns, const u32 lanes_log2, const u32 descending) {        \
    sort_rows<THREADS>(x, dst, rows, columns, lanes_log2, descending != 0);                                            \
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
  KERNEL THREADS_AT_MOST(256) sort_short_##T(const T* x, u32* dst, const size_t rows, const u32 columns,               \
                                             const u32 padded, const u32 descending) {                                 \
    sort_short(x, dst, rows, columns, padded, descending != 0);                                                        \
  }                                                                                                                    \
  SORT_ROWS(T, 64)                                                                                                     \
  SORT_ROWS(T, 256)                                                                                                    \
  KERNEL THREADS_AT_MOST(256) sort_count_##T(const T* x, u32* counts, const size_t rows, const u32 columns,            \
                                             const u32 part_log2, const u32 passes, const u32 descending) {            \
    sort_count(x, counts, rows, columns, part_log2, passes, descending != 0);                                          \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256)                                                                                          \
      sort_digit_##T(const T* x, const sort_key_t<T>* keys, const u32* indices, sort_key_t<T>* to_keys,                \
                     u32* to_indices, const u32* counts, u32* next_counts, const size_t rows, const u32 columns,       \
                     const u32 part_log2, const u32 shift, const u32 descending) {                                     \
    sort_digit(x, Pass<sort_key_t<T>>{keys, indices, to_keys, to_indices, counts, next_counts}, rows, columns,         \
               part_log2, shift, descending != 0);                                                                     \
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
