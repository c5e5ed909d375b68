// Tiles of mixtures of experts: entries of one expert that a block multiplies together; see indexing/expert_tiles.hip.
#ifndef CANDLE_ROCM_EXPERT_TILES_H
#define CANDLE_ROCM_EXPERT_TILES_H

#include "common/platform.h"

struct ExpertTile {
  u32 expert;  // the number of experts or more: of none
  u32 first;   // of the list of rows
  u32 count;   // 0: no tile, and none after it
};

#endif  // CANDLE_ROCM_EXPERT_TILES_H
