// Mixtures of quantized experts, for many rows: tiles of mat_mat.h for the rows of one expert, as expert_tiles.hip groups them.
//
//   expert_tiles_<type>_<rows of a tile>   dst[order[i]] = the products of the weights of a tile's expert, `columns` for each of `rows`
//                                          results, and the vector of entry order[i], of which per_vector entries share one, or if that
//                                          is 0, vector i. A step of all `vectors` takes less than 2^32 bytes. Results of no expert are zeros.
//                                          Launch: x over the weights' rows, y over the tiles, which end with the first empty one;
//                                          blocks of 256 threads
#ifndef CANDLE_ROCM_QUANTIZED_EXPERTS_H
#define CANDLE_ROCM_QUANTIZED_EXPERTS_H

#include "common/expert_tiles.h"
#include "quantized/mat_mat.h"

template <class Blocks, class Q, u32 ROWS, u32 VECTORS>
DEVICE void experts_mat_mat(const u8* x, const Activations& y, const u32* order, const ExpertTile* tiles, f32* dst,
                            u32 k, u32 rows, u32 experts, u32 per_vector, u32 tile_count) {
  using B = typename TiledType<Blocks>::type;
  const TilePlace place = tile_place();
  for (u32 t = place.y; t < tile_count; t += grid_size_y()) {
    const ExpertTile tile = tiles[t];
    if (tile.count == 0) return;
    const bool known = tile.expert < experts;
    const u8* const weights = x + (known ? tile.expert : 0) * (u64(rows) * (k / B::WEIGHTS) * B::BYTES);
    const Listed vectors = {order, tile.first, tile.count, per_vector};
    for (u32 first_row = place.x * ROWS; first_row < rows; first_row += grid_size_x() * ROWS) {
      multiply_tile<B, Q, ROWS, VECTORS>(OneMatrix{weights}, y, dst, k, known ? (k + STEP - 1) / STEP : 0, first_row,
                                         rows, vectors, rows);
    }
  }
}

#define EXPERTS_OF(NAME, B, ROWS, VECTORS)                                                                             \
  KERNEL THREADS_AT_MOST(256) expert_tiles_##NAME##_##VECTORS(                                                         \
      const void* __restrict__ x, const void* __restrict__ y, const u32* __restrict__ order,                           \
      const ExpertTile* __restrict__ tiles, float* __restrict__ dst, const u32 columns, const u32 rows,                \
      const u32 experts, const u32 vectors, const u32 per_vector, const u32 tile_count) {                              \
    experts_mat_mat<B, Q8, ROWS, VECTORS>(static_cast<const u8*>(x), by_step<Q8>(y, columns, vectors), order, tiles,   \
                                          dst, columns, rows, experts, per_vector, tile_count);                        \
  }
#define EXPERTS(NAME, B)                                                                                               \
  EXPERTS_OF(NAME, B, 64, 32)                                                                                          \
  FOR_DOT4(EXPERTS_OF(NAME, B, 64, 64))                                                                                \
  FOR_BYTE_CORES(EXPERTS_OF(NAME, B, MATRIX_ROWS, 128))

#endif
