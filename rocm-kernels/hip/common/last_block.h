// The last one of several blocks of a launch, which finishes what they have prepared.
#ifndef CANDLE_ROCM_LAST_BLOCK_H
#define CANDLE_ROCM_LAST_BLOCK_H

#include "common/platform.h"

// Whether this block is the last of `blocks` to come here with that counter. To all its threads: it sees by atomic_load what the others
// wrote by atomic_store before. The counter is 0 before the first block and after the last, ready for the next launch on the stream.
DEVICE bool is_last_block(u32* counter, u32 blocks) {
  __shared__ u32 before;
  fence();
  sync_threads();
  if (thread_x() == 0) {
    before = atomic_add(counter, 1u);
    if (before == blocks - 1) atomic_add(counter, 0u - blocks);
  }
  sync_threads();
  fence();
  return before == blocks - 1;
}

#endif  // CANDLE_ROCM_LAST_BLOCK_H
