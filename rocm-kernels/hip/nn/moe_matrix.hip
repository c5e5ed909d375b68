// Mixtures of experts of f16 and bf16 on matrix cores, for many rows: see moe.hip for what they compute.
//
//   moe_matrix_SIDE_T   tiles of SIDE rows of one expert, as expert_tiles.hip makes them, and SIDE columns. Rows of the input and of the
//                       weights are multiples of 8 elements, and aligned for a vector load.
//                       Launch: x tiles of columns, y tiles of rows; 128 threads, or 256 for tiles of 128 except on nvidia
#include "common/expert_tiles.h"
#include "common/matrix_tiles.h"

// Rows and experts beyond their number are left out.
template <class T, u32 SIDE, u32 BK, u32 THREADS>
DEVICE void experts(const T* input, const T* weights, const u32* order, const ExpertTile* tiles, const f32* factors,
                    T* out, u32 count, u32 expert_count, u32 topk, u32 n, u32 k) {
  using Tiles = MatrixTiles<T, SIDE, SIDE, BK, THREADS, 2, STAGES, false>;
  const ExpertTile tile = tiles[block_y()];
  if (tile.count == 0 || tile.expert >= expert_count) return;
  const u32* const rows = order + tile.first;
  const auto row_at = [&](u32 i) -> const T* {
    const u32 row = i < tile.count ? rows[i] : count;
    return row < count ? input + size_t(factors ? row : row / topk) * k : nullptr;
  };
  const u32 first = block_x() * SIDE;
  ListedRowsLoader<T, SIDE, BK, THREADS, typename Tiles::TileA> loader_a(row_at, k);
  typename Tiles::LoaderB loader_b(weights + (size_t(tile.expert) * n + first) * k, k, n - first, k);

  constexpr u32 RUN = matrix::RUN_OF<T>;
  const bool vectors = UNALIGNED_VECTORS || n % RUN == 0;
  Tiles::multiply(loader_a, loader_b, k, [&](const matrix::Sums& sums, u32 row0, u32 column0) {
    u32 row_of[matrix::LANE_ROWS];
    UNROLLED
    for (u32 r = 0; r < matrix::LANE_ROWS; r++) {
      const u32 i = row0 + matrix::lane_row(r);
      row_of[r] = i < tile.count ? rows[i] : count;
    }
    matrix::Sums scaled = sums;
    if (factors) {
      UNROLLED
      for (u32 i = 0; i < matrix::SUMS; i++) {
        const u32 row = row_of[matrix::which_row(i)];
        if (row < count) scaled.at[i] *= factors[row];
      }
    }
    matrix::each_run<T>(scaled, [&](u32 which, u32 column, const Vec<T, RUN>& run) {
      const u32 row = row_of[which], col = first + column0 + column;
      if (row >= count || col >= n) return;
      T* const to = out + size_t(row) * n + col;
      if (vectors && n - col >= RUN) {
        store_vec(to, run);
      } else {
        UNROLLED
        for (u32 e = 0; e < RUN; e++) {
          if (e < n - col) to[e] = run.at[e];
        }
      }
    });
  });
}

#define EXPERTS_OF(NAME, SIDE, BK, THREADS, T)                                                                         \
  KERNEL THREADS_AT_MOST(THREADS)                                                                                      \
      NAME(const T* input, const T* weights, const u32* order, const ExpertTile* tiles, const f32* factors, T* out,    \
           const u32 count, const u32 expert_count, const u32 topk, const u32 n, const u32 k) {                        \
    experts<T, SIDE, BK, THREADS>(input, weights, order, tiles, factors, out, count, expert_count, topk, n, k);        \
  }
#define EXPERTS(T)                                                                                                     \
  EXPERTS_OF(moe_matrix_128_##T, 128, 32, TILE_THREADS, T)                                                             \
  EXPERTS_OF(moe_matrix_64_##T, 64, 64, 128, T)

FOR_MATRIX_F16(EXPERTS(f16))
FOR_MATRIX_BF16(EXPERTS(bf16))
