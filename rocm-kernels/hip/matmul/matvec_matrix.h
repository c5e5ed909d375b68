// Products of up to eight rows with sixteen columns on matrix cores.
#ifndef CANDLE_ROCM_MATVEC_MATRIX_H
#define CANDLE_ROCM_MATVEC_MATRIX_H

#include "common/matrix.h"

// Of sixteen columns, dense along k, and up to eight rows: those of this lane's columns of Sums, and of its rows.
template <class T>
struct FewRows {
  static constexpr u32 ROWS = 8, SIDE = 16, WAVES = 8;
  // Pieces of k in flight, as registers allow.
  static constexpr u32 WORDS = matrix::LANE_ROWS * matrix::HELD / 2, U = WORDS <= 8 ? 4 : 2;
  static constexpr u32 W = VECTOR_BYTES / sizeof(T);

  const T* columns[matrix::LANE_ROWS];
  const T* rows[matrix::LANE_COLUMNS];
  u64 k;

  // Zeros beyond the end. k is a multiple of a vector's elements.
  DEVICE matrix::Held load(const T* row, u64 piece) const {
    matrix::Held held;
    UNROLLED
    for (u32 i = 0; i < matrix::HELD; i += W) {
      const u64 at = piece * matrix::PIECE + matrix::held_depth() + i;
      Vec<u32, W / 2> words = splat<W / 2>(0u);
      if (at < k) words = bit_cast<Vec<u32, W / 2>>(load_vec<W>(row + at));
      UNROLLED
      for (u32 j = 0; j < W / 2; j++) held.at[i / 2 + j] = words.at[j];
    }
    return held;
  }

  // The products of the pieces of k that are this wavefront's; the eight of a block take turns.
  DEVICE matrix::Sums products() const {
    matrix::Sums sums = matrix::zeros();
    const u64 pieces = (k + matrix::PIECE - 1) / matrix::PIECE;
    for (u64 piece = thread_x() / WAVE; piece < pieces; piece += U * WAVES) {
      matrix::Held left[U][matrix::LANE_ROWS], right[U][matrix::LANE_COLUMNS];
      UNROLLED
      for (u32 u = 0; u < U; u++) {
        UNROLLED
        for (u32 i = 0; i < matrix::LANE_ROWS; i++) left[u][i] = load(columns[i], piece + u * WAVES);
        UNROLLED
        for (u32 i = 0; i < matrix::LANE_COLUMNS; i++) {
          // Columns of Sums beyond the eighth are not used.
          right[u][i] = i == 0 ? load(rows[i], piece + u * WAVES) : matrix::Held{};
        }
      }
      UNROLLED
      for (u32 u = 0; u < U; u++) {
        UNROLLED
        for (u32 step = 0; step < 2; step++) {
          matrix::multiply(sums, matrix::left_held<T>(left[u], step), matrix::right_held<T>(right[u], step));
        }
      }
    }
    return sums;
  }
};

// Calls put(column, row, product, other) for the m rows of x and all sixteen columns or, with PAIRS, the first eight: `other` is then
// the product of the column eight further. Each is called by one thread. `column_of(i)` is where column i begins. All threads of
// a block of eight wavefronts take part. k is a multiple of a vector's elements, and rows and columns are aligned to vectors, where these
// have to be.
template <class T, bool PAIRS, class Columns, class Put>
DEVICE void few_rows(u64 k, u32 m, const T* x, u64 x_row, const Columns& column_of, const Put& put) {
  using Few = FewRows<T>;
  constexpr u32 SIDE = Few::SIDE, ROWS = Few::ROWS, WAVES = Few::WAVES;
  Few few;
  few.k = k;
  UNROLLED
  for (u32 i = 0; i < matrix::LANE_ROWS; i++) few.columns[i] = column_of(matrix::lane_row(i));
  UNROLLED
  for (u32 i = 0; i < matrix::LANE_COLUMNS; i++) few.rows[i] = x + min_of(matrix::lane_column(i), m - 1) * x_row;
  const matrix::Sums sums = few.products();
  __shared__ f32 of_wave[WAVES][SIDE * ROWS];
  UNROLLED
  for (u32 i = 0; i < matrix::SUMS; i++) {
    const u32 column = matrix::sum_row(i), row = matrix::sum_column(i);
    if (row < ROWS) of_wave[thread_x() / WAVE][row * SIDE + column] = sums.at[i];
  }
  sync_threads();
  const auto total = [&](u32 at) {
    f32 sum = of_wave[0][at];
    UNROLLED
    for (u32 wave = 1; wave < WAVES; wave++) sum += of_wave[wave][at];
    return sum;
  };
  constexpr u32 EACH = PAIRS ? SIDE / 2 : SIDE;
  for (u32 i = thread_x(); i < m * EACH; i += block_size_x()) {
    const u32 column = i % EACH, row = i / EACH, at = row * SIDE + column;
    put(column, row, total(at), PAIRS ? total(at + SIDE / 2) : 0.0f);
  }
}

#endif
