// Matrix products of f16 and bf16 on matrix cores, accumulated in f32, in tiles of SIDE rows and columns.
//
//   gemm_matrix_SIDE_T          B has contiguous columns: b_row = 1, like the transposed weights of a layer
//   gemm_matrix_across_SIDE_T   B has contiguous rows: b_col = 1
//   .._SIDE_T_f32               results in f32
//
// A has contiguous rows: a_col = 1. Contiguous dimensions are multiples of 8, and each group of eight is aligned for a vector
// load. m, n and k are below 2^31. Launch: 128 threads, or 256 for tiles of 128 except on nvidia.
#include "common/matrix.h"
#include "common/shared_tiles.h"
#include "matmul/gemm.h"

namespace {

// A block per tile of BM times BN elements of C, with WAVES_M wavefronts along the rows. Tiles of A and B of depth BK are
// prefetched STAGES - 1 tiles ahead, or one tile ahead without asynchronous copies.
template <class T, class R, u32 BM, u32 BN, u32 BK, u32 THREADS, u32 WAVES_M, u32 STAGES, bool ACROSS>
DEVICE void gemm(Size size, Matrices<const T> a, Matrices<const T> b, const Epilogue<R>& epilogue) {
  constexpr u32 WAVES_N = THREADS / WAVE / WAVES_M;
  constexpr u32 M = BM / WAVES_M / 16, N = BN / WAVES_N / 16;  // fragments per wavefront
  // B's contiguous rows are kept in shared memory if fragments can be loaded across.
  constexpr bool DIRECT = ACROSS && matrix::READS_ACROSS;
  using TileA = SwizzledTile<T, BK>;
  using TileB = SwizzledTile<T, DIRECT ? BN : BK>;
  __shared__ Vec<T, 8> pool_a[STAGES][BM * BK / 8];
  __shared__ Vec<T, 8> pool_b[STAGES][BN * BK / 8];
  const auto tile_a = [&](u32 stage) { return TileA{reinterpret_cast<T*>(pool_a[stage])}; };
  const auto tile_b = [&](u32 stage) { return TileB{reinterpret_cast<T*>(pool_b[stage])}; };

  const TileOrigin origin = tile_origin(size, BM, BN);
  const u32 high = u32(size.m - origin.row), wide = u32(size.n - origin.col), deep = u32(size.k);
  TileLoader<T, BM, BK, THREADS, TileA, false> loader_a(a.mine() + origin.row * a.row, a.row, high, deep);
  TileLoader<T, ACROSS ? BK : BN, ACROSS ? BN : BK, THREADS, TileB, ACROSS && !DIRECT> loader_b(
      b.mine() + origin.col * b.col, ACROSS ? b.row : b.col, ACROSS ? deep : wide, ACROSS ? wide : deep);
  constexpr bool ASYNC = decltype(loader_a)::ASYNC && decltype(loader_b)::ASYNC;
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

  constexpr u32 RUN = matrix::RUN_OF<R>;
  const Matrices<R>& c = epilogue.c;
  R* const out = c.mine();
  const bool vectors = c.col == 1 && (UNALIGNED_VECTORS || (is_aligned(out, sizeof(R) * RUN) && c.row % RUN == 0));
  UNROLLED
  for (u32 i = 0; i < M; i++) {
    UNROLLED
    for (u32 j = 0; j < N; j++) {
      matrix::each_run<R>(sums[i][j], [&](u32 which, u32 column, const Vec<R, RUN>& run) {
        const u64 row = origin.row + row0 + i * 16 + matrix::lane_row(which), col = origin.col + col0 + j * 16 + column;
        if (row >= size.m || col >= size.n) return;
        Vec<R, RUN> v = run;
        UNROLLED
        for (u32 e = 0; e < RUN; e++) {
          if (e < size.n - col) v.at[e] = epilogue(v.at[e], row, col + e);
        }
        R* const to = out + row * c.row + col * c.col;
        if (vectors && size.n - col >= RUN) {
          store_vec(to, v);
        } else {
          UNROLLED
          for (u32 e = 0; e < RUN; e++) {
            if (e < size.n - col) to[e * c.col] = v.at[e];
          }
        }
      });
    }
  }
}

}  // namespace

// Without asynchronous copies, a third stage would never be used.
[[maybe_unused]] constexpr u32 TILES = ASYNC_COPIES ? 3 : 2;
#if PLATFORM_NVIDIA
[[maybe_unused]] constexpr u32 THREADS = 128;
#else
[[maybe_unused]] constexpr u32 THREADS = 256;
#endif

#ifndef GEMM_VARIANTS
#define MATRIX_TILES(T, R, ACROSS, NAME_128, NAME_64)                                                                  \
  GEMM_KERNEL(THREADS, NAME_128, T, R, (gemm<T, R, 128, 128, 32, THREADS, 2, TILES, ACROSS>))                          \
  GEMM_KERNEL(128, NAME_64, T, R, (gemm<T, R, 64, 64, 64, 128, 2, TILES, ACROSS>))
#define MATRIX_KERNELS(T, ACROSS, NAME)                                                                                \
  MATRIX_TILES(T, T, ACROSS, NAME##_128_##T, NAME##_64_##T)                                                            \
  MATRIX_TILES(T, f32, ACROSS, NAME##_128_##T##_f32, NAME##_64_##T##_f32)

FOR_MATRIX_F16(MATRIX_KERNELS(f16, false, gemm_matrix))
FOR_MATRIX_BF16(MATRIX_KERNELS(bf16, false, gemm_matrix))
FOR_MATRIX_F16(MATRIX_KERNELS(f16, true, gemm_matrix_across))
FOR_MATRIX_BF16(MATRIX_KERNELS(bf16, true, gemm_matrix_across))
#endif
