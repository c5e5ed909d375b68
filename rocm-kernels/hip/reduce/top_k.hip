// The first `k` of the indices that sort rows, and their elements, without sorting the others: bit by bit what sort.hip gives, whose order of
// NaN, zeros and equal elements is the same. `values` is null where nobody wants elements. For all ten types:
//   top_k_short_<type>   rows of up to 8 << lanes_log2 elements, by 1 << lanes_log2 lanes of a wavefront, any k: an index after the other.
//                        Launch: any number of blocks of 64 threads, ideally one per 64 >> lanes_log2 rows
//   top_k_rows_<type>    rows of up to 4096 elements, k up to 256: finds the last key that is wanted by its digits, the most significant
//                        first, and counts for each index that is wanted those before it. `keys` and `indices` are `count` candidates of
//                        each row, in the order of their indices, or null: then all elements of x are. Launch: any number of blocks of 256
//   top_k_parts_<type>   the candidates of longer rows: k keys and indices of each part of `part` elements, up to 4096. Behind those of a
//                        last part that is shorter than k come the largest keys. Launch: x over the parts of a row, y over any number of
//                        rows, blocks of 256 threads
#include "common/wave.h"
#include "reduce/load_keys.h"

// ------------------------------------------------------------------------------------------------------------ Short rows

constexpr u32 SHORT_THREADS = 64, SHORT_HELD = 8;

template <class T>
DEVICE void top_k_short(const T* x, u32* dst, T* values, u64 rows, u32 columns, u32 lanes_log2, u32 k,
                        bool descending) {
  // What lanes exchange has four bytes at least.
  using Key = typename Word<sizeof(sort_key_t<T>) <= 4 ? 4 : 8>::type;
  const u32 lanes = 1u << lanes_log2, lane = thread_x() & (lanes - 1), per_block = SHORT_THREADS >> lanes_log2;
  const u32 first = lane * SHORT_HELD, count = min_of(difference(columns, first), SHORT_HELD);
  const KeyOf<T> key_of(descending);
  for (u64 block = block_x(); block * per_block < rows; block += grid_size_x()) {
    const u64 row = block * per_block + (thread_x() >> lanes_log2);
    const T* const from = x + min_of(row, rows - 1) * columns;
    T held[SHORT_HELD];
    UNROLLED
    for (u32 e = 0; e < SHORT_HELD; e++) held[e] = from[min_of(first + e, columns - 1)];
    Key keys[SHORT_HELD];
    UNROLLED
    for (u32 e = 0; e < SHORT_HELD; e++) keys[e] = key_of(held[e]);
    // A bit for each element that is not written yet.
    u32 left = row < rows ? (1u << count) - 1 : 0;
    for (u32 place = 0; place < k; place++) {
      // The lane's first one.
      Key key = Key(~Key(0));
      u32 at = SHORT_HELD;
      T element = held[0];
      UNROLLED
      for (int e = SHORT_HELD - 1; e >= 0; e--) {
        if ((left >> e & 1) != 0 && keys[e] <= key) key = keys[e], at = e, element = held[e];
      }
      Key least = key;
      for (u32 mask = lanes / 2; mask > 0; mask /= 2) least = min_of(least, wave_xor(least, mask));
      // Of lanes that have it, the first one has the first index.
      const bool has = at < SHORT_HELD && key == least;
      const u64 all = wave_ballot(has) >> (lane_id() - lane);
      if (has && (all & ((u64(1) << lane) - 1)) == 0) {
        left &= ~(1u << at);
        dst[row * k + place] = first + at;
        if (values) values[row * k + place] = element;
      }
    }
  }
}

// ------------------------------------------------------------------------------------------------------- Rows of a block

constexpr u32 THREADS = 256, WAVES = THREADS / WAVE;
// Consecutive elements of a thread, at most.
constexpr u32 HELD = 16;
constexpr u32 DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS;
static_assert(DIGITS == THREADS, "a thread for each value of a digit");
// Neighbouring lanes count in words of their own: many elements have the same upper digit, and adding to one word takes turns.
constexpr u32 COPIES = 8;

struct Memory {
  Vec<u32, 4> counts[DIGITS * COPIES / 4];
  u32 of_wave[WAVES];
  u32 digit, left;
};

// The sum of the values of earlier threads. A barrier comes before the next call.
DEVICE u32 sum_before(u32 value, Memory& memory) {
  const u32 lane = opaque(lane_id()), wave = thread_x() / WAVE;
  u32 sum = value;
  for (u32 delta = 1; delta < WAVE; delta *= 2) {
    const u32 other = wave_shuffle(sum, lane >= delta ? lane - delta : lane);
    if (lane >= delta) sum += other;
  }
  if (lane == WAVE - 1) memory.of_wave[wave] = sum;
  sync_threads();
  u32 before = sum - value;
  UNROLLED
  for (u32 w = 0; w < WAVES; w++) before += w < wave ? memory.of_wave[w] : 0;
  return before;
}

// The first keys: those below `key`, and so many of those that are equal to it.
template <class Key>
struct Last {
  Key key;
  u32 equal;
};

// The last of the first k keys, of which each thread has `own`. There are k at least.
template <class Key>
DEVICE Last<Key> last_of(const Key (&keys)[HELD], u32 own, u32 k, Memory& memory) {
  Last<Key> last = {0, k};
  Key known = 0;
  Vec<u32, 4>* const own_counts = memory.counts + thread_x() * (COPIES / 4);
  u32* const counts = memory.counts->at + thread_x() % COPIES;
  for (u32 shift = 8 * sizeof(Key); shift > 0;) {
    shift -= DIGIT_BITS;
    UNROLLED
    for (u32 c = 0; c < COPIES / 4; c++) own_counts[c] = splat<4>(0u);
    sync_threads();
    UNROLLED
    for (u32 e = 0; e < HELD; e++) {
      if (e < opaque(own) && Key(keys[e] & known) == last.key) {
        atomic_add(counts + u32(keys[e] >> shift) % DIGITS * COPIES, 1u);
      }
    }
    sync_threads();
    u32 count = 0;
    UNROLLED
    for (u32 c = 0; c < COPIES; c++) count += own_counts[c / 4].at[c % 4];
    const u32 before = sum_before(count, memory);
    if (before < last.equal && last.equal <= before + count) {
      memory.digit = thread_x();
      memory.left = last.equal - before;
    }
    sync_threads();
    last.key = Key(last.key | Key(Key(memory.digit) << shift));
    last.equal = memory.left;
    known = Key(known | Key(Key(DIGITS - 1) << shift));
  }
  return last;
}

// A thread's share of a block's `count` keys.
struct Share {
  u32 first, own;
  DEVICE Share(u32 count) {
    const u32 share = (count + THREADS - 1) / THREADS;
    first = thread_x() * share;
    own = min_of(difference(count, first), share);
  }
};

// Calls put(place, key, number) for the first k of a block's keys, with their numbers: first those below the last one, then those equal to
// it, both in the order of their numbers.
template <class Key, class Put>
DEVICE void select(const Key (&keys)[HELD], const Share& share, u32 k, Memory& memory, Put put) {
  const Last<Key> last = last_of(keys, share.own, k, memory);
  u32 below = 0, equal = 0;
  UNROLLED
  for (u32 e = 0; e < HELD; e++) {
    below += e < opaque(share.own) && keys[e] < last.key;
    equal += e < opaque(share.own) && keys[e] == last.key;
  }
  const u32 before = sum_before(below | equal << 16, memory);
  below = before % (1u << 16), equal = before >> 16;
  // Opaque, or compilers keep the masks of the comparisons above, more of them than there are scalar registers.
  const auto key = opaque(typename Word < sizeof(Key) <= 4 ? 4 : 8 > ::type(last.key));
  UNROLLED
  for (u32 e = 0; e < HELD; e++) {
    if (e >= opaque(share.own)) continue;
    if (keys[e] < key) {
      put(below++, keys[e], share.first + e);
    } else if (keys[e] == key && equal < last.equal) {
      put(k - last.equal + equal++, keys[e], share.first + e);
    }
  }
  sync_threads();
}

template <class T>
DEVICE void top_k_rows(const T* x, const sort_key_t<T>* candidates, const u32* indices, u32* dst, T* values, u64 rows,
                       u32 columns, u32 count, u32 k, bool descending) {
  using Key = sort_key_t<T>;
  __shared__ Memory memory;
  __shared__ Key chosen[THREADS];
  __shared__ u32 numbers[THREADS];
  const Share share(count);
  const KeyOf<T> key_of(descending);
  for (u64 row = block_x(); row < rows; row += grid_size_x()) {
    Key keys[HELD];
    if (candidates) {
      load_keys(candidates + row * count + share.first, share.own, [](Key key) { return key; }, keys);
    } else {
      load_keys(x + row * columns + share.first, share.own, key_of, keys);
    }
    select(keys, share, k, memory, [&](u32 place, Key key, u32 number) {
      chosen[place] = key;
      numbers[place] = number;
    });
    const u32 own = thread_x();
    if (own < k) {
      const Key key = chosen[own];
      u32 place = 0;
      // Unrolled, it has more masks than there are scalar registers.
      ROLLED
      for (u32 other = 0; other < k; other++) {
        place += chosen[other] < key || (chosen[other] == key && other < own);
      }
      // Opaque, or compilers load from either memory by one instruction, a flat one.
      const u32 number = opaque(numbers[own]);
      const u32 index = candidates ? indices[row * count + number] : number;
      dst[row * k + place] = index;
      if (values) values[row * k + place] = x[row * columns + index];
    }
    sync_threads();
  }
}

// --------------------------------------------------------------------------------------------------------- Rows in parts

template <class T>
DEVICE void top_k_parts(const T* x, sort_key_t<T>* candidates, u32* indices, u64 rows, u32 columns, u32 part, u32 k,
                        bool descending) {
  using Key = sort_key_t<T>;
  __shared__ Memory memory;
  const u32 begin = block_x() * part, count = min_of(columns - begin, part), wanted = min_of(count, k);
  const Share share(count);
  const KeyOf<T> key_of(descending);
  for (u64 row = block_y(); row < rows; row += grid_size_y()) {
    const u64 start = (row * grid_size_x() + block_x()) * k;
    Key keys[HELD];
    load_keys(x + row * columns + begin + share.first, share.own, key_of, keys);
    select(keys, share, wanted, memory, [&](u32 place, Key key, u32 number) {
      candidates[start + place] = key;
      indices[start + place] = begin + number;
    });
    if (thread_x() >= wanted && thread_x() < k) {
      candidates[start + thread_x()] = Key(~Key(0));
      indices[start + thread_x()] = 0;
    }
  }
}

#define TOP_K(T)                                                                                                       \
  KERNEL THREADS_AT_MOST(64) top_k_short_##T(const T* x, u32* dst, T* values, const size_t rows, const u32 columns,    \
                                             const u32 lanes_log2, const u32 k, const u32 descending) {                \
    top_k_short(x, dst, values, rows, columns, lanes_log2, k, descending != 0);                                        \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256)                                                                                          \
      top_k_rows_##T(const T* x, const sort_key_t<T>* keys, const u32* indices, u32* dst, T* values,                   \
                     const size_t rows, const u32 columns, const u32 count, const u32 k, const u32 descending) {       \
    top_k_rows(x, keys, indices, dst, values, rows, columns, count, k, descending != 0);                               \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256) top_k_parts_##T(const T* x, sort_key_t<T>* keys, u32* indices, const size_t rows,        \
                                              const u32 columns, const u32 part, const u32 k, const u32 descending) {  \
    top_k_parts(x, keys, indices, rows, columns, part, k, descending != 0);                                            \
  }

TOP_K(u8)
TOP_K(u32)
TOP_K(i16)
TOP_K(i32)
TOP_K(i64)
TOP_K(f16)
TOP_K(bf16)
TOP_K(f32)
TOP_K(f64)
TOP_K(f8_e4m3)
