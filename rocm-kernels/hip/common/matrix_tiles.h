// Tiles of products of f16 and bf16 on matrix cores.
#ifndef CANDLE_ROCM_MATRIX_TILES_H
#define CANDLE_ROCM_MATRIX_TILES_H

#include "common/matrix.h"
#include "common/shared_tiles.h"

// A tile of BM times BN sums of a block, with WAVES_M wavefronts along the rows. Tiles of A and B of depth BK are prefetched
// STAGES - 1 tiles ahead, or one tile ahead without asynchronous copies.
template <class T, u32 BM, u32 BN, u32 BK, u32 THREADS, u32 WAVES_M, u32 STAGES, bool ACROSS>
struct MatrixTiles {
  static constexpr u32 WAVES_N = THREADS / WAVE / WAVES_M;
  static constexpr u32 M = BM / WAVES_M / 16, N = BN / WAVES_N / 16;  // fragments per wavefront
  // B's contiguous rows are kept in shared memory if fragments can be loaded across.
  static constexpr bool DIRECT = ACROSS && matrix::READS_ACROSS;
  using TileA = SwizzledTile<T, BK>;
  using TileB = SwizzledTile<T, DIRECT ? BN : BK>;
  using LoaderB = TileLoader<T, ACROSS ? BK : BN, ACROSS ? BN : BK, THREADS, TileB, ACROSS && !DIRECT>;

  // Calls store(sums, row, column) for each fragment of the tile, where it begins.
  template <class LoaderA, class Store>
  static DEVICE void multiply(LoaderA& loader_a, LoaderB& loader_b, u32 deep, const Store& store_fragment) {
    __shared__ Vec<T, 8> pool_a[STAGES][BM * BK / 8];
    __shared__ Vec<T, 8> pool_b[STAGES][BN * BK / 8];
    const auto tile_a = [&](u32 stage) { return TileA{reinterpret_cast<T*>(pool_a[stage])}; };
    const auto tile_b = [&](u32 stage) { return TileB{reinterpret_cast<T*>(pool_b[stage])}; };
    constexpr bool ASYNC = LoaderA::ASYNC && LoaderB::ASYNC;
    constexpr u32 STAGES_AHEAD = ASYNC ? STAGES - 1 : 1;
    // Beyond the last step, nothing is copied, but the groups of copies are still ended.
    const auto fetch = [&](u32 stage) {
      loader_a.fetch(tile_a(stage));
      loader_a.next_columns();
      loader_b.fetch(tile_b(stage));
      if constexpr (ACROSS) {
        loader_b.next_rows();
      } else {
        loader_b.next_columns();
      }
    };
    const auto store = [&](u32 stage) {
      loader_a.store(tile_a(stage));
      loader_b.store(tile_b(stage));
    };

    const u32 wave = thread_x() / WAVE, row0 = wave % WAVES_M * (M * 16), col0 = wave / WAVES_M * (N * 16);
    matrix::Sums sums[M][N];
    UNROLLED
    for (u32 i = 0; i < M; i++) {
      UNROLLED
      for (u32 j = 0; j < N; j++) sums[i][j] = matrix::zeros();
    }
    UNROLLED
    for (u32 stage = 0; stage < STAGES_AHEAD; stage++) fetch(stage);
    store(0);
    u32 stage = 0, next = STAGES_AHEAD;
    ROLLED
    for (u32 left = (deep + BK - 1) / BK; left > 0; left--) {
      loader_a.template wait<2 * (STAGES_AHEAD - 1)>();
      sync_threads();
      fetch(next);
      UNROLLED
      for (u32 k = 0; k < BK; k += 16) {
        matrix::Left<T> left[M];
        matrix::Right<T> right[N];
        UNROLLED
        for (u32 i = 0; i < M; i++) left[i] = matrix::load_left<T>(tile_a(stage), row0 + i * 16, k);
        UNROLLED
        for (u32 j = 0; j < N; j++) {
          if constexpr (DIRECT) {
            right[j] = matrix::load_right_across<T>(tile_b(stage), k, col0 + j * 16);
          } else {
            right[j] = matrix::load_right<T>(tile_b(stage), col0 + j * 16, k);
          }
        }
        UNROLLED
        for (u32 i = 0; i < M; i++) {
          UNROLLED
          for (u32 j = 0; j < N; j++) matrix::multiply(sums[i][j], left[i], right[j]);
        }
      }
      store(next);
      stage = stage + 1 == STAGES ? 0 : stage + 1;
      next = next + 1 == STAGES ? 0 : next + 1;
    }
    loader_a.wait();
    UNROLLED
    for (u32 i = 0; i < M; i++) {
      UNROLLED
      for (u32 j = 0; j < N; j++) store_fragment(sums[i][j], row0 + i * 16, col0 + j * 16);
    }
  }
};

// Without asynchronous copies, a third stage would never be used.
[[maybe_unused]] constexpr u32 STAGES = ASYNC_COPIES ? 3 : 2;
// Threads for tiles of 128.
#if PLATFORM_NVIDIA
[[maybe_unused]] constexpr u32 TILE_THREADS = 128;
#else
[[maybe_unused]] constexpr u32 TILE_THREADS = 256;
#endif

#endif  // CANDLE_ROCM_MATRIX_TILES_H
