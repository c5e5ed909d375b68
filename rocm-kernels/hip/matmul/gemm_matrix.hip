// Matrix products of f16 and bf16 on matrix cores, accumulated in f32, in tiles of SIDE rows and columns.
//
//   gemm_matrix_SIDE_T          B has contiguous columns: b_row = 1, like the transposed weights of a layer
//   gemm_matrix_across_SIDE_T   B has contiguous rows: b_col = 1
//   .._SIDE_T_f32               results in f32
//
// A has contiguous rows: a_col = 1. Contiguous dimensions are multiples of 8, and each group of eight is aligned for a vector
// load. m, n and k are below 2^31. Launch: 128 threads, or 256 for tiles of 128 except on nvidia.
#include "common/matrix_tiles.h"
#include "matmul/gemm.h"

namespace {

// A block per tile of BM times BN elements of C, see MatrixTiles.
template <class T, class R, u32 BM, u32 BN, u32 BK, u32 THREADS, u32 WAVES_M, u32 STAGES, bool ACROSS>
DEVICE void gemm(Size size, Matrices<const T> a, Matrices<const T> b, const Epilogue<R>& epilogue) {
  using Tiles = MatrixTiles<T, BM, BN, BK, THREADS, WAVES_M, STAGES, ACROSS>;
  const TileOrigin origin = tile_origin(size, BM, BN);
  const u32 high = u32(size.m - origin.row), wide = u32(size.n - origin.col), deep = u32(size.k);
  TileLoader<T, BM, BK, THREADS, typename Tiles::TileA, false> loader_a(a.mine() + origin.row * a.row, a.row, high,
                                                                        deep);
  typename Tiles::LoaderB loader_b(b.mine() + origin.col * b.col, ACROSS ? b.row : b.col, ACROSS ? deep : wide,
                                   ACROSS ? wide : deep);

  constexpr u32 RUN = matrix::RUN_OF<R>;
  const Matrices<R>& c = epilogue.c;
  R* const out = c.mine();
  const bool vectors = c.col == 1 && (UNALIGNED_VECTORS || (is_aligned(out, sizeof(R) * RUN) && c.row % RUN == 0));
  Tiles::multiply(loader_a, loader_b, deep, [&](const matrix::Sums& sums, u32 row0, u32 col0) {
    matrix::each_run<R>(sums, [&](u32 which, u32 column, const Vec<R, RUN>& run) {
      const u64 row = origin.row + row0 + matrix::lane_row(which), col = origin.col + col0 + column;
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
  });
}

}  // namespace

#ifndef GEMM_VARIANTS
#define MATRIX_TILES(T, R, ACROSS, NAME_128, NAME_64)                                                                  \
  GEMM_KERNEL(TILE_THREADS, NAME_128, T, R, (gemm<T, R, 128, 128, 32, TILE_THREADS, 2, STAGES, ACROSS>))               \
  GEMM_KERNEL(128, NAME_64, T, R, (gemm<T, R, 64, 64, 64, 128, 2, STAGES, ACROSS>))
#define MATRIX_KERNELS(T, ACROSS, NAME)                                                                                \
  MATRIX_TILES(T, T, ACROSS, NAME##_128_##T, NAME##_64_##T)                                                            \
  MATRIX_TILES(T, f32, ACROSS, NAME##_128_##T##_f32, NAME##_64_##T##_f32)

FOR_MATRIX_F16(MATRIX_KERNELS(f16, false, gemm_matrix))
FOR_MATRIX_BF16(MATRIX_KERNELS(bf16, false, gemm_matrix))
FOR_MATRIX_F16(MATRIX_KERNELS(f16, true, gemm_matrix_across))
FOR_MATRIX_BF16(MATRIX_KERNELS(bf16, true, gemm_matrix_across))
#endif
