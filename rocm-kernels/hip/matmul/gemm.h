// What matrix products are made of, C[i] = A[i] B[i] for `batch` matrices.
//
// Operands may lie in any way: element (r, c) of matrix i is at i * batch + r * row + c * col, all in elements, 0 where a
// row, a column or a matrix repeats. The elements of C are distinct. k = 0 gives zeros.
//
// f16, bf16 and f8 are multiplied exactly and added up in f32, and rounded once; integers wrap.
//
// Kernels take (m, n, k, a, a_batch, a_row, a_col, b, b_batch, b_row, b_col, c, c_batch, c_row, c_col), and block_z() is
// the matrix: the batch is as large as the grid.
#ifndef CANDLE_ROCM_GEMM_H
#define CANDLE_ROCM_GEMM_H

#include "common/accumulator.h"
#include "common/platform.h"
#include "common/vec.h"

template <class S>
DEVICE S multiply_add(S a, S b, S sum) {
  if constexpr (is_float<S>) {
    return math::fma(a, b, sum);
  } else {
    return a * b + sum;
  }
}

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

// Before loops whose body is long enough as it is.
#ifndef ROLLED
#define ROLLED _Pragma("unroll 1")
#endif

// Where this block's tile of C begins, of `high` times `wide` elements each. Blocks that run at the same time shall share
// what they read: bands of 8 tiles' height, down and then along.
struct Place {
  u64 row, col;
};
DEVICE Place place_of(Size size, u32 high, u32 wide) {
  constexpr u32 BAND = 8;
  const u32 tiles_m = u32((size.m + high - 1) / high), tiles_n = u32((size.n + wide - 1) / wide);
  const u32 band = block_x() / (BAND * tiles_n), place = block_x() % (BAND * tiles_n);
  const u32 height = min_of(tiles_m - band * BAND, BAND);
  return {u64(band * BAND + place % height) * high, u64(place / height) * wide};
}

#define GEMM_KERNEL(THREADS, NAME, T, FUNCTION)                                                                        \
  KERNEL THREADS_AT_MOST(THREADS)                                                                                      \
      NAME(size_t m, size_t n, size_t k, const T* a, size_t a_batch, size_t a_row, size_t a_col, const T* b,           \
           size_t b_batch, size_t b_row, size_t b_col, T* c, size_t c_batch, size_t c_row, size_t c_col) {             \
    FUNCTION({m, n, k}, {a, a_batch, a_row, a_col}, {b, b_batch, b_row, b_col}, {c, c_batch, c_row, c_col});           \
  }

#endif
