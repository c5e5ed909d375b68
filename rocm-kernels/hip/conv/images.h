// Pixel indices of contiguous images [outer, height, width], where outer stands for all dimensions before.
#ifndef CANDLE_ROCM_IMAGES_H
#define CANDLE_ROCM_IMAGES_H

#include "common/index.h"
#include "common/platform.h"

struct PixelIndex {
  u64 outer;
  u32 y, x;
};

// All pixels of the images.
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

  // The pixel with index tile + i. `tile` is uniform across the block; only its division may need 64 bits.
  DEVICE PixelIndex operator()(u64 tile, u32 i) const {
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
