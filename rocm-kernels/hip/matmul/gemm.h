// The vocabulary of matrix products: C[i] = A[i] B[i] for a batch of matrices.
//
// Operands may have any strides, in elements: element (r, c) of matrix i is at i * batch + r * row + c * col. Strides of A and
// B may be 0 (broadcast); the elements of C are distinct. k = 0 gives zeros.
//
// Products of f16, bf16 and f8 are exact, accumulate in f32, and are rounded once; integers wrap. Kernels of f16 and bf16 whose
// name ends in _f32 leave the sums as they are: C and d are f32.
//
// Kernels take (m, n, k, a, a_batch, a_row, a_col, b, b_batch, b_row, b_col, c, c_batch, c_row, c_col, d, d_row, d_col). block_z()
// selects the matrix. d, unless it is null, is added to the product: a bias, whose stride along the other side is 0, or a matrix.
#ifndef CANDLE_ROCM_GEMM_H
#define CANDLE_ROCM_GEMM_H

#include "common/accumulator.h"
#include "common/platform.h"
#include "common/vec.h"

template <class T>
struct Matrices {
  T* at;
  u64 batch, row, col;

  // This block's matrix.
  DEVICE T* mine() const { return at + block_z() * batch; }
};

struct Size {
  u64 m, n, k;
};

// Sums on their way to C, whose elements are R: what is added to an element, if anything is, is added to the rounded product.
template <class R>
struct Epilogue {
  Matrices<R> c;
  const R* d;
  u64 d_row, d_col;

  DEVICE R operator()(R product, u64 row, u64 col) const {
    using S = typename SumOf<R>::type;
    return d == nullptr ? product : convert<R>(S(S(widen(product)) + S(widen(d[row * d_row + col * d_col]))));
  }
};

// The origin of this block's tile of C, for tiles of `high` times `wide` elements. Tiles are visited in bands of 8 rows of
// tiles, column by column, so that blocks that run at the same time share operands in the cache.
struct TileOrigin {
  u64 row, col;
};
DEVICE TileOrigin tile_origin(Size size, u32 high, u32 wide) {
  constexpr u32 BAND = 8;
  const u32 tiles_m = u32((size.m + high - 1) / high), tiles_n = u32((size.n + wide - 1) / wide);
  const u32 band = block_x() / (BAND * tiles_n), index = block_x() % (BAND * tiles_n);
  const u32 height = min_of(tiles_m - band * BAND, BAND);
  return {u64(band * BAND + index % height) * high, u64(index / height) * wide};
}

// A kernel NAME: C, of R, is the product of matrices of T.
#define GEMM_KERNEL(THREADS, NAME, T, R, FUNCTION)                                                                     \
  KERNEL THREADS_AT_MOST(THREADS)                                                                                      \
      NAME(size_t m, size_t n, size_t k, const T* a, size_t a_batch, size_t a_row, size_t a_col, const T* b,           \
           size_t b_batch, size_t b_row, size_t b_col, R* c, size_t c_batch, size_t c_row, size_t c_col, const R* d,   \
           size_t d_row, size_t d_col) {                                                                               \
    FUNCTION({m, n, k}, {a, a_batch, a_row, a_col}, {b, b_batch, b_row, b_col},                                        \
             {{c, c_batch, c_row, c_col}, d, d_row, d_col});                                                           \
  }

#endif
