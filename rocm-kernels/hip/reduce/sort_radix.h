// Stable radix sorts, least significant digit first, of tiles in shared memory.
//
// A thread holds HELD consecutive places of a tile. For each digit of 4 bits, threads count their elements in columns of their own,
// one for each digit's value: no two lanes access the same bank, and what a thread counts, it counts in order. The sums of all counts
// before a column, of smaller digits and of earlier threads, are then the places of its elements. Two digits share a word, d and d + 8,
// as no count and no sum exceeds 4096: half the memory, and half the sums.
#ifndef CANDLE_ROCM_SORT_RADIX_H
#define CANDLE_ROCM_SORT_RADIX_H

#include "common/vec.h"
#include "common/wave.h"
#include "reduce/sort_key.h"

constexpr u32 HELD = 16;
constexpr u32 DIGIT_BITS = 4, DIGITS = 1 << DIGIT_BITS, PAIRS = DIGITS / 2;
// A tile has 4096 elements at most, so an index needs 12 bits of a word, and a key has the rest.
constexpr u32 INDEX_BITS = 12, REST_BITS = 32 - INDEX_BITS;

using Four = Vec<u32, 4>;

// The tiles of a block of THREADS threads: one for each `lanes` consecutive threads, a power of two from 4 on.
template <u32 THREADS>
struct Tiles {
  static constexpr u32 WAVES = THREADS / WAVE;
  // A block has one.
  struct Memory {
    // By pair of digits, then by thread.
    Four counts[PAIRS * THREADS / 4];
    // Sixteen words, then four that are not used: neighbours read theirs from different banks.
    Four places[THREADS * (HELD + 4) / 4];
    u32 of_wave[2][WAVES];
  };

  u32* counts;
  u32* places;
  u32 (&of_wave)[2][WAVES];
  u32 lanes, lanes_log2;

  DEVICE Tiles(Memory& memory, u32 log2)
      : counts(memory.counts->at),
        places(memory.places->at),
        of_wave(memory.of_wave),
        lanes(1u << log2),
        lanes_log2(log2) {
    places += (thread_x() & ~(lanes - 1)) * (HELD + 4);
  }

  // This thread's number in its tile.
  DEVICE u32 lane() const { return thread_x() & (lanes - 1); }
  // Word p + p / HELD * 4, by its bytes: two instructions.
  DEVICE u32& place(u32 p) const {
    static_assert(HELD == 16, "four words of 4 bytes for each 16 places");
    return *reinterpret_cast<u32*>(reinterpret_cast<u8*>(places) + (p * 4 + (p & ~(HELD - 1))));
  }

  // The sum of the values of the tile's earlier threads, and of all.
  struct Sum {
    u32 before, all;
  };
  DEVICE Sum sum(u32 value) const {
    // Opaque, or compilers keep a mask for each delta in scalar registers, of which there are too few.
    const u32 width = min_of<u32>(lanes, WAVE), in_wave = opaque(lane_id()) & (width - 1);
    u32 sum = value;
    for (u32 delta = 1; delta < width; delta *= 2) {
      const u32 other = wave_shuffle(sum, in_wave >= delta ? lane_id() - delta : lane_id());
      if (in_wave >= delta) sum += other;
    }
    Sum result = {sum - value, wave_shuffle(sum, lane_id() | (width - 1))};
    if constexpr (WAVES > 1) {
      if (lanes > WAVE) {
        const u32 wave = opaque(thread_x() / WAVE), first = (thread_x() - lane()) / WAVE;
        if (in_wave == WAVE - 1) of_wave[0][wave] = sum;
        sync_threads();
        result.all = 0;
        for (u32 w = first; w < first + lanes / WAVE; w++) {
          if (w == wave) result.before += result.all;
          result.all += of_wave[0][w];
        }
      }
    }
    return result;
  }

  // The bits in which the block's words differ, those of each thread up to `count`. A barrier comes before the next call.
  DEVICE u32 differing(const u32 (&words)[HELD], u32 count) const {
    u32 any = 0, all = ~0u;
    if (count >= HELD) {
      UNROLLED
      for (u32 e = 0; e < HELD; e++) any |= words[e], all &= words[e];
    } else {
      UNROLLED
      for (u32 e = 0; e < HELD; e++) {
        if (e < count) any |= words[e], all &= words[e];
      }
    }
    any = wave_reduce(any, [](u32 a, u32 b) { return a | b; });
    all = wave_reduce(all, [](u32 a, u32 b) { return a & b; });
    if constexpr (WAVES > 1) {
      if (lane_id() == 0) of_wave[0][thread_x() / WAVE] = any, of_wave[1][thread_x() / WAVE] = all;
      sync_threads();
      UNROLLED
      for (u32 w = 0; w < WAVES; w++) any |= of_wave[0][w], all &= of_wave[1][w];
    }
    return any & ~all;
  }

  // Replaces each count of a tile by the sum of those before it.
  DEVICE void sum_counts() const {
    // A thread has eight pairs of counts, of one pair of digits or, of small tiles, of several: two vectors, in the order of the sums.
    // Every other four threads begin with the second one, to use all banks.
    const u32 turn = opaque(thread_x()) / 4 % 2, first_thread = thread_x() - lane();
    Four vectors[2];
    Four* at[2];
    u32 sums[2];
    UNROLLED
    for (u32 v = 0; v < 2; v++) {
      const u32 number = lane() * PAIRS + (v ^ turn) * 4;
      at[v] =
          reinterpret_cast<Four*>(counts + (number >> lanes_log2) * THREADS + first_thread + (number & (lanes - 1)));
      vectors[v] = *at[v];
      sums[v] = vectors[v].at[0] + vectors[v].at[1] + vectors[v].at[2] + vectors[v].at[3];
    }
    // All of the lower digits come before the upper ones.
    const Sum sum_of = sum(sums[0] + sums[1]);
    const u32 before = sum_of.before + (sum_of.all << 16);
    const u32 starts[2] = {before + (turn ? sums[1] : 0), before + (turn ? 0 : sums[0])};
    UNROLLED
    for (u32 v = 0; v < 2; v++) {
      u32 sum = starts[v];
      UNROLLED
      for (u32 i = 0; i < 4; i++) {
        const u32 count = vectors[v].at[i];
        vectors[v].at[i] = sum;
        sum += count;
      }
      *at[v] = vectors[v];
    }
  }

  // The number of a digit's pair, and the first bit of its half of the word.
  DEVICE static u32 pair_of(u32 word, u32 shift) { return (word >> shift) % PAIRS; }
  DEVICE static u32 half_of(u32 word, u32 shift) { return (word >> (shift + DIGIT_BITS - 1)) % 2 * 16; }

  // The places that the digits at `shift` give this thread's words.
  DEVICE void rank(const u32 (&words)[HELD], u32 shift, u32 (&to)[HELD]) const {
    u32* const own = counts + thread_x();
    UNROLLED
    for (u32 d = 0; d < PAIRS; d++) own[d * THREADS] = 0;
    // How many of the thread's elements with that digit came before.
    UNROLLED
    for (u32 e = 0; e < HELD; e++) {
      to[e] = atomic_add(own + pair_of(words[e], shift) * THREADS, 1u << half_of(words[e], shift));
    }
    sync_threads();
    sum_counts();
    sync_threads();
    UNROLLED
    for (u32 e = 0; e < HELD; e++) {
      // Opaque, or compilers keep the halves as masks from above, more of them than there are scalar registers.
      const u32 word = opaque(words[e]), sum = own[pair_of(word, shift) * THREADS] + to[e];
      to[e] = (sum >> half_of(word, shift)) % (1u << 16);
    }
  }

  // Writes words to these places, where all threads then see them. `rank` comes before they are written again.
  DEVICE void put(const u32 (&words)[HELD], const u32 (&to)[HELD]) const {
    UNROLLED
    for (u32 e = 0; e < HELD; e++) place(to[e]) = words[e];
    sync_threads();
  }
  DEVICE void get(u32 (&words)[HELD]) const {
    const Four* const own = reinterpret_cast<const Four*>(&place(lane() * HELD));
    UNROLLED
    for (u32 v = 0; v < HELD / 4; v++) {
      const Four four = own[v];
      UNROLLED
      for (u32 i = 0; i < 4; i++) words[v * 4 + i] = four.at[i];
    }
  }

  // Whether words that differ in these bits have several digits at `shift`: the same for the block, which all lanes say.
  DEVICE static bool differ(u32 bits, u32 shift) { return wave_ballot((bits >> shift) % DIGITS != 0) != 0; }

  // Sorts words by their bits from `begin` to `end`, of which `bits` differ. The places have the result; `words` has not.
  DEVICE void sort(u32 (&words)[HELD], u32 begin, u32 end, u32 bits) const {
    u32 to[HELD];
    bool moved = false;
    for (u32 shift = begin; shift < end; shift += DIGIT_BITS) {
      if (!differ(bits, shift)) continue;
      if (moved) get(words);
      rank(words, shift, to);
      put(words, to);
      moved = true;
    }
    if (moved) return;
    UNROLLED
    for (u32 e = 0; e < HELD; e++) to[e] = lane() * HELD + e;
    put(words, to);
  }

  // Sorts indices by keys of BITS bits, the first `count` of a tile; others come after them. The places have the indices above
  // REST_BITS. Digits that all keys of the block share are left out, as those of small integers are.
  template <u32 BITS>
  DEVICE void sort_by_key(u32 (&keys)[HELD], u32 (&indices)[HELD], u32 count) const {
    const u32 own = lane() * HELD, bits = differing(keys, count > own ? count - own : 0);
    if constexpr (BITS <= REST_BITS) {
      UNROLLED
      for (u32 e = 0; e < HELD; e++) keys[e] |= indices[e] << REST_BITS;
      sort(keys, 0, BITS, bits);
    } else {
      // Two words for each element, until the digits that are left fit in one with the index.
      constexpr u32 DONE = BITS - REST_BITS, LAST = DONE - DIGIT_BITS;
      u32 to[HELD];
      for (u32 shift = 0; shift < LAST; shift += DIGIT_BITS) {
        if (!differ(bits, shift)) continue;
        rank(keys, shift, to);
        put(keys, to);
        get(keys);
        sync_threads();
        put(indices, to);
        get(indices);
      }
      const bool moves = differ(bits, LAST);
      if (moves) rank(keys, LAST, to);
      UNROLLED
      for (u32 e = 0; e < HELD; e++) keys[e] = keys[e] >> DONE | indices[e] << REST_BITS;
      if (moves) {
        put(keys, to);
        get(keys);
      }
      // Before the places are written by threads that move nothing.
      sync_threads();
      sort(keys, 0, REST_BITS, bits >> DONE);
    }
  }
};

#endif  // CANDLE_ROCM_SORT_RADIX_H
