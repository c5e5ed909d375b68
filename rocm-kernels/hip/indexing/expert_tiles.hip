// The tiles of a mixture of experts.
//
//   expert_tiles   Entry i belongs to expert experts[i], and names row rows[i] or, if rows is null, row i. order becomes the `count` rows
//                  by expert, those of experts that there are not at the end; tiles becomes runs of up to `height` rows of one expert.
//                  There are at most count / height tiles and one for each expert and for those that are not; the rest of the
//                  `tile_count` tiles are empty.
//
// Entries of an expert are in no particular order. Launch: one block of 1024 threads; less than 1024 experts.
#include "common/expert_tiles.h"

constexpr u32 THREADS = 1024;

// Loads in flight.
constexpr u32 AT_ONCE = 8;

// Calls take(expert, first, length) for runs of entries of one expert. Sorted entries make few of them.
template <class F>
DEVICE void each_run(const u32* experts, u32 begin, u32 end, u32 expert_count, const F& take) {
  u32 first = begin, expert = expert_count;
  for (u32 from = begin; from < end; from += AT_ONCE) {
    u32 some[AT_ONCE];
    UNROLLED
    for (u32 i = 0; i < AT_ONCE; i++) some[i] = min_of(experts[min_of(from + i, end - 1)], expert_count);
    UNROLLED
    for (u32 i = 0; i < AT_ONCE; i++) {
      if (from + i >= end || some[i] == expert) continue;
      if (first < from + i) take(expert, first, from + i - first);
      first = from + i, expert = some[i];
    }
  }
  if (first < end) take(expert, first, end - first);
}

KERNEL THREADS_AT_MOST(1024)
    expert_tiles(const u32* experts, const u32* rows, u32* order, ExpertTile* tiles, const u32 count,
                 const u32 expert_count, const u32 height, const u32 tile_count) {
  // By expert; the last ones are none.
  __shared__ u32 entries[THREADS], tiles_of[THREADS];
  const u32 thread = thread_x(), share = (count + THREADS - 1) / THREADS;
  const u32 begin = min_of(thread * share, count), end = min_of(begin + share, count);
  entries[thread] = 0;
  sync_threads();
  each_run(experts, begin, end, expert_count,
           [&](u32 expert, u32, u32 length) { atomic_add(entries + expert, length); });
  sync_threads();
  const u32 own = entries[thread], own_tiles = (own + height - 1) / height;
  tiles_of[thread] = own_tiles;
  for (u32 delta = 1; delta < THREADS; delta *= 2) {
    sync_threads();
    const u32 before = thread >= delta ? entries[thread - delta] : 0;
    const u32 tiles_before = thread >= delta ? tiles_of[thread - delta] : 0;
    sync_threads();
    entries[thread] += before;
    tiles_of[thread] += tiles_before;
  }
  const u32 first = entries[thread] - own, first_tile = tiles_of[thread] - own_tiles;
  sync_threads();
  const u32 used = tiles_of[THREADS - 1];
  entries[thread] = first;
  for (u32 t = 0; t < own_tiles; t++) {
    tiles[first_tile + t] = {thread, first + t * height, min_of(height, own - t * height)};
  }
  for (u32 t = used + thread; t < tile_count; t += THREADS) tiles[t] = {0, 0, 0};
  sync_threads();
  each_run(experts, begin, end, expert_count, [&](u32 expert, u32 from, u32 length) {
    const u32 to = atomic_add(entries + expert, length);
    for (u32 begin = 0; begin < length; begin += AT_ONCE) {
      u32 some[AT_ONCE];
      UNROLLED
      for (u32 i = 0; i < AT_ONCE; i++) {
        const u32 entry = from + min_of(begin + i, length - 1);
        some[i] = rows ? rows[entry] : entry;
      }
      UNROLLED
      for (u32 i = 0; i < AT_ONCE; i++) {
        if (begin + i < length) order[to + begin + i] = some[i];
      }
    }
  });
}
