// Places in images: of a contiguous [outer, height, width], outer being whatever comes before.
#ifndef CANDLE_ROCM_IMAGES_H
#define CANDLE_ROCM_IMAGES_H

#include "common/index.h"
#include "common/platform.h"

struct Place {
  u64 outer;
  u32 y, x;
};

// All places of images.
struct Images {
  u64 count;
  u32 height, width;
  Divider by_height, by_width;

  DEVICE Images(u64 outer, u64 h, u64 w)
      : count(outer * h * w),
        height(max_of(u32(h), 1u)),
        width(max_of(u32(w), 1u)),
        by_height(height),
        by_width(width) {}

  // Number tile + i, where tile is the same for the whole block: only that may need 64-bit divisions.
  DEVICE Place operator()(u64 tile, u32 i) const {
    u64 outer = 0;
    u32 y = 0, rest = u32(tile);
    if (count >= 0x80000000u) {
      const u64 row = tile / width;
      rest = u32(tile - row * width);
      outer = row / height;
      y = u32(row - outer * height);
    }
    const QuotientRemainder row = by_width(rest + i);
    const QuotientRemainder image = by_height(y + row.quotient);
    return {outer + image.quotient, image.remainder, row.remainder};
  }
};

#endif
