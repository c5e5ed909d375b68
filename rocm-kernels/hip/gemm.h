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

#include "platform.h"
#include "sums.h"
#include "vec.h"

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

#define GEMM_KERNEL(THREADS, NAME, T, FUNCTION)                                                                        \
  KERNEL THREADS_AT_MOST(THREADS)                                                                                      \
      NAME(size_t m, size_t n, size_t k, const T* a, size_t a_batch, size_t a_row, size_t a_col, const T* b,           \
           size_t b_batch, size_t b_row, size_t b_col, T* c, size_t c_batch, size_t c_row, size_t c_col) {             \
    FUNCTION({m, n, k}, {a, a_batch, a_row, a_col}, {b, b_batch, b_row, b_col}, {c, c_batch, c_row, c_col});           \
  }

#endif
