// Sorting networks (Batcher 1968), for rows that are too short for digits.
#ifndef CANDLE_ROCM_SORT_NETWORK_H
#define CANDLE_ROCM_SORT_NETWORK_H

#include "common/wave.h"
#include "reduce/sort_key.h"

// ----------------------------------------------------------------------------------------------------- In shared memory

// A strict total order of a row's indices: none are equal, so any sorting algorithm is stable.
template <class T>
struct Order {
  const T* row;
  u32 count;
  bool descending;

  // Indices beyond the row sort last.
  DEVICE bool before(u32 a, u32 b) const {
    if (a >= count || b >= count) return a < b;
    const auto x = ordered(sort_key(row[a]), descending), y = ordered(sort_key(row[b]), descending);
    return x < y || (x == y && a < b);
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

// --------------------------------------------------------------------------------------------------------- In registers

// A key and an index, ordered by both, in one number.
template <class Key>
struct Entry {
  using Number = typename Word<sizeof(Key) <= 2 ? 4 : 8>::type;
  static constexpr int BITS = 4 * sizeof(Number);
  Number number;

  DEVICE static Entry of(Key key, u32 index) { return {Number(Number(key) << BITS | index)}; }
  DEVICE u32 index() const { return u32(number & ((Number(1) << BITS) - 1)); }
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

constexpr u32 SHORT_THREADS = 256;
// Consecutive entries per thread.
constexpr u32 SHORT_HELD = 4;

// A wavefront's entries, SHORT_HELD per thread, as rows of `padded` entries, a power of two, that a bitonic network sorts. Entries of
// one thread are exchanged in registers, others between lanes.
template <class E>
struct ShortRows {
  E at[SHORT_HELD];
  u32 padded;

  // Whether the run of `length` that contains this index is sorted in ascending order, as a whole row is.
  DEVICE bool ascending(u32 index, u32 length) const { return (index & length & (padded - 1)) == 0; }

  template <u32 APART>
  DEVICE void in_thread(u32 length) {
    UNROLLED
    for (u32 e = 0; e < SHORT_HELD; e++) {
      if (e & APART) continue;
      const E a = at[e], b = at[e | APART];
      const bool swap = b.before(a) == ascending(thread_x() * SHORT_HELD + e, length);
      at[e] = a.unless(swap, b), at[e | APART] = b.unless(swap, a);
    }
  }

  DEVICE void take(u32 e, const E& other, u32 length, u32 apart) {
    const u32 index = thread_x() * SHORT_HELD + e;
    const bool first = ascending(index, length) == ((index & apart) == 0);
    at[e] = at[e].unless(other.before(at[e]) == first, other);
  }

  DEVICE void sort() {
    in_thread<1>(2);
    in_thread<2>(4);
    in_thread<1>(4);
    for (u32 length = 2 * SHORT_HELD; length <= padded; length *= 2) {
      for (u32 apart = length / 2; apart >= SHORT_HELD; apart /= 2) {
        UNROLLED
        for (u32 e = 0; e < SHORT_HELD; e++) take(e, at[e].of_lane_xor(apart / SHORT_HELD), length, apart);
      }
      in_thread<2>(length);
      in_thread<1>(length);
    }
  }
};

template <class T>
DEVICE void sort_short(const T* x, u32* dst, u64 rows, u32 columns, u32 padded, bool descending) {
  using Key = sort_key_t<T>;
  const u32 per_block = SHORT_HELD * SHORT_THREADS / padded;
  for (u64 block = block_x(); block * per_block < rows; block += grid_size_x()) {
    // This thread's entries are in one row, starting at `index`.
    const u64 row = block * per_block + thread_x() * SHORT_HELD / padded, start = row * columns;
    const u32 index = thread_x() * SHORT_HELD & (padded - 1), count = row < rows ? columns : 0;
    ShortRows<Entry<Key>> held;
    held.padded = padded;
    UNROLLED
    for (u32 e = 0; e < SHORT_HELD; e++) {
      // Indices beyond the row sort last.
      Key key = Key(~Key(0));
      if (index + e < count) key = ordered(sort_key(x[start + index + e]), descending);
      held.at[e] = Entry<Key>::of(key, index + e);
    }
    held.sort();
    UNROLLED
    for (u32 e = 0; e < SHORT_HELD; e++) {
      if (index + e < count) dst[start + index + e] = held.at[e].index();
    }
  }
}

#endif  // CANDLE_ROCM_SORT_NETWORK_H
