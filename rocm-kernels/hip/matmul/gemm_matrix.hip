// Matrix products on matrix cores, f16 and bf16, added up in f32.
//
//   gemm_matrix_SIDE_T          B's columns are dense: b_row = 1, as of a layer's transposed weights
//   gemm_matrix_across_SIDE_T   B's rows are: b_col = 1
//
// in tiles of SIDE rows and columns. A's rows are dense: a_col = 1. What is dense comes in eights that may be read as vectors;
// m, n and k are below 2^31. Launch: 128 threads, and 256
// for tiles of 128 except on nvidia.
#include "common/matrix.h"
#include "common/shared_tiles.h"
#include "matmul/gemm.h"

namespace {

// Tiles of C of BM times BN elements, one per block of the grid's x; WAVES_M wavefronts one below the other. Tiles of A and
// B that are BK deep are brought STAGES - 1 ahead, or one where the way leads through registers.
template <class T, u32 BM, u32 BN, u32 BK, u32 THREADS, u32 WAVES_M, u32 STAGES, bool ACROSS>
DEVICE void gemm(Size size, Matrices<const T> a, Matrices<const T> b, Matrices<T> c) {
  constexpr u32 WAVES_N = THREADS / WAVE / WAVES_M;
  constexpr u32 M = BM / WAVES_M / 16, N = BN / WAVES_N / 16;  // of 16 by 16, of a wavefront
  // If B is read across: as it lies in memory, where matrices can be loaded that way.
  constexpr bool AS_IT_IS = ACROSS && matrix::READS_ACROSS;
  using TileA = SwizzledTile<T, BK>;
  using TileB = SwizzledTile<T, AS_IT_IS ? BN : BK>;
  __shared__ Vec<T, 8> pool_a[STAGES][BM * BK / 8];
  __shared__ Vec<T, 8> pool_b[STAGES][BN * BK / 8];
  const auto tile_a = [&](u32 stage) { return TileA{reinterpret_cast<T*>(pool_a[stage])}; };
  const auto tile_b = [&](u32 stage) { return TileB{reinterpret_cast<T*>(pool_b[stage])}; };

  const Place place = place_of(size, BM, BN);
  const u32 high = u32(size.m - place.row), wide = u32(size.n - place.col), deep = u32(size.k);
  Courier<T, BM, BK, THREADS, TileA, false> brings_a(a.mine() + place.row * a.row, a.row, high, deep);
  Courier<T, ACROSS ? BK : BN, ACROSS ? BN : BK, THREADS, TileB, ACROSS && !AS_IT_IS> brings_b(
      b.mine() + place.col * b.col, ACROSS ? b.row : b.col, ACROSS ? deep : wide, ACROSS ? wide : deep);
  constexpr bool ASYNC = decltype(brings_a)::ASYNC && decltype(brings_b)::ASYNC;
  constexpr u32 AHEAD = ASYNC ? STAGES - 1 : 1;
  // Beyond the last step there is nothing to copy, but each ends its groups of copies.
  const auto fetch = [&](u32 stage) {
    brings_a.fetch(tile_a(stage));
    brings_a.along();
    brings_b.fetch(tile_b(stage));
    if constexpr (ACROSS) {
      brings_b.down();
    } else {
      brings_b.along();
    }
  };
  const auto store = [&](u32 stage) {
    brings_a.store(tile_a(stage));
    brings_b.store(tile_b(stage));
  };

  const u32 wave = thread_x() / WAVE, row0 = wave % WAVES_M * (M * 16), col0 = wave / WAVES_M * (N * 16);
  matrix::Sums sums[M][N];
  UNROLLED
  for (u32 i = 0; i < M; i++) {
    UNROLLED
    for (u32 j = 0; j < N; j++) sums[i][j] = matrix::zeros();
  }
  UNROLLED
  for (u32 stage = 0; stage < AHEAD; stage++) fetch(stage);
  store(0);
  u32 stage = 0, next = AHEAD;
  ROLLED
  for (u32 left = (deep + BK - 1) / BK; left > 0; left--) {
    brings_a.template wait<2 * (AHEAD - 1)>();
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
        if constexpr (AS_IT_IS) {
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
  brings_a.wait();

  T* const out = c.mine();
  const bool vectors =
      c.col == 1 && (UNALIGNED_VECTORS || (is_aligned(out, sizeof(T) * matrix::RUN) && c.row % matrix::RUN == 0));
  UNROLLED
  for (u32 i = 0; i < M; i++) {
    UNROLLED
    for (u32 j = 0; j < N; j++) {
      matrix::each_run(matrix::left_of<T>(sums[i][j]), [&](u32 which, u32 column, const Vec<T, matrix::RUN>& run) {
        const u64 row = place.row + row0 + i * 16 + matrix::lane_row(which), col = place.col + col0 + j * 16 + column;
        if (row >= size.m || col >= size.n) return;
        T* const to = out + row * c.row + col * c.col;
        if (vectors && size.n - col >= matrix::RUN) {
          store_vec(to, run);
        } else {
          UNROLLED
          for (u32 e = 0; e < matrix::RUN; e++) {
            if (e < size.n - col) to[e * c.col] = run.at[e];
          }
        }
      });
    }
  }
}

}  // namespace

// Where the way leads through registers, a third tile would stay empty.
[[maybe_unused]] constexpr u32 TILES = ASYNC_COPIES ? 3 : 2;
#if PLATFORM_NVIDIA
[[maybe_unused]] constexpr u32 THREADS = 128;
#else
[[maybe_unused]] constexpr u32 THREADS = 256;
#endif

#ifndef GEMM_VARIANTS
#define MATRIX_KERNELS(T, ACROSS, NAME)                                                                                \
  GEMM_KERNEL(THREADS, NAME##_128_##T, T, (gemm<T, 128, 128, 32, THREADS, 2, TILES, ACROSS>))                          \
  GEMM_KERNEL(128, NAME##_64_##T, T, (gemm<T, 64, 64, 64, 128, 2, TILES, ACROSS>))

FOR_MATRIX_F16(MATRIX_KERNELS(f16, false, gemm_matrix))
FOR_MATRIX_BF16(MATRIX_KERNELS(bf16, false, gemm_matrix))
FOR_MATRIX_F16(MATRIX_KERNELS(f16, true, gemm_matrix_across))
FOR_MATRIX_BF16(MATRIX_KERNELS(bf16, true, gemm_matrix_across))
#endif
