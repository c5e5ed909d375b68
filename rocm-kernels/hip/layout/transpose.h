// Matrix transposition through tiles in shared memory.
#ifndef CANDLE_ROCM_TRANSPOSE_H
#define CANDLE_ROCM_TRANSPOSE_H

#include "common/divide.h"
#include "common/index.h"
#include "common/vec.h"

constexpr int SHARED_BYTES = 16 * 1024 + 512;

// A tile consists of squares whose sides are 128 bytes of elements. Shared memory holds words of at least 4 bytes, with HEIGHT
// consecutive elements of a column each, column by column. Word g of column c of a square is stored at index g ^ turn(c) of
// the column. This swizzle avoids bank conflicts both when vectors of rows are written and when vectors of columns are read:
// 8 times 4 adjacent words are in 32 different banks (8 times 2 words of 8 bytes in 16).
template <class T>
struct Tile {
  static constexpr int SIZE = sizeof(T);
  using Word = typename ::Word<max_of(SIZE, 4)>::type;
  static constexpr int WORD = sizeof(Word);
  static constexpr int WIDTH = VECTOR_BYTES / SIZE;  // elements of a vector
  static constexpr int HEIGHT = WORD / SIZE;         // rows of a word
  static constexpr int WORDS = VECTOR_BYTES / WORD;  // words of a vector
  static constexpr int SIDE = 8 * WIDTH;             // of a square
  static constexpr int GROUPS = SIDE / HEIGHT;       // words of a column of a square
  static constexpr int SQUARE = SIDE * GROUPS;       // words of a square
  static constexpr int SQUARES = 16 * 1024 / (SQUARE * WORD);
  static constexpr int DOWN = SIZE >= 4 ? 2 : 1, ACROSS = SQUARES / DOWN;
  static constexpr int ROWS = DOWN * SIDE, COLUMNS = ACROSS * SIDE;
  // The units that a thread moves: a vector from each of HEIGHT rows, or a vector of a column.
  static constexpr int BLOCKS = SQUARES * GROUPS * 8, VECTORS = SQUARES * SIDE * 8;
  using Vector = Vec<Word, WORDS>;

  const T* src;
  u64 dst, src_step, dst_step;
  Word* shared;

  DEVICE Word* word_at(u32 square, u32 column, u32 group) const {
    const u32 turn = (column / WIDTH * WORDS + column % WORDS) % GROUPS;
    return shared + square * SQUARE + column * GROUPS + (group ^ turn);
  }

  // The word of elements k of HEIGHT rows.
  static DEVICE Word column_word(const Vector (&rows)[HEIGHT], int k) {
    if constexpr (HEIGHT == 1) {
      return rows[0].at[k];
    } else {
      Word word = 0;
      UNROLLED
      for (int h = 0; h < HEIGHT; h++) {
        word |= Word(T(rows[h].at[k / HEIGHT] >> (k % HEIGHT * SIZE * 8))) << (h * SIZE * 8);
      }
      return word;
    }
  }

  DEVICE void load() const {
    constexpr int U = 4 / HEIGHT;
    const u32 threads = block_size_x();
    for (u32 first = thread_x(); first < BLOCKS; first += U * threads) {
      Vector rows[U][HEIGHT];
      UNROLLED
      for (int u = 0; u < U; u++) {
        // Past the end, the last one is loaded again: loads without branches can be in flight together.
        const u32 b = min_of(first + u * threads, u32(BLOCKS - 1));
        const u32 square = b / (GROUPS * 8), row = square / ACROSS * SIDE + b / 8 % GROUPS * HEIGHT;
        const T* p = src + row * src_step + square % ACROSS * SIDE + b % 8 * WIDTH;
        UNROLLED
        for (int h = 0; h < HEIGHT; h++, p += src_step) {
          rows[u][h] = bit_cast<Vector>(load_word<VECTOR_BYTES, alignof(T)>(p));
        }
      }
      UNROLLED
      for (int u = 0; u < U; u++) {
        const u32 b = first + u * threads;
        if (b >= BLOCKS) break;
        UNROLLED
        for (int j = 0; j < WORDS; j++) {
          // Columns WORDS apart are swizzled alike.
          Word* const p = word_at(b / (GROUPS * 8), b % 8 * WIDTH + j, b / 8 % GROUPS);
          UNROLLED
          for (int k = 0; k < WIDTH; k += WORDS) p[k * GROUPS] = column_word(rows[u], j + k);
        }
      }
    }
  }

  template <class Put>
  DEVICE void store(const Put& put) const {
    constexpr int U = SIZE == 1 ? 1 : 2;  // as many as gfx906 has registers for
    const u32 threads = block_size_x();
    for (u32 first = thread_x(); first < VECTORS; first += U * threads) {
      u64 to[U];
      typename Put::template Theirs<WIDTH> theirs[U];
      UNROLLED
      for (int u = 0; u < U; u++) {
        const u32 v = min_of(first + u * threads, u32(VECTORS - 1));
        const u32 square = v / (SIDE * 8), column = v / 8 % SIDE;
        to[u] = dst + (square % ACROSS * SIDE + column) * dst_step + square / ACROSS * SIDE + v % 8 * WIDTH;
        theirs[u] = put.template load<WIDTH>(to[u]);
      }
      UNROLLED
      for (int u = 0; u < U; u++) {
        const u32 v = first + u * threads;
        if (v >= VECTORS) break;
        Vector words;
        UNROLLED
        for (int k = 0; k < WORDS; k++) words.at[k] = *word_at(v / (SIDE * 8), v / 8 % SIDE, v % 8 * WORDS + k);
        put.store(to[u], bit_cast<Vec<T, WIDTH>>(words), theirs[u]);
      }
    }
  }
};

// A tile of any shape, stored column by column with an odd pitch.
template <class T>
struct Part {
  static constexpr int U = 4;
  const T* src;
  u64 dst, src_step, dst_step;
  u32 rows, columns;
  T* shared;

  DEVICE void load() const {
    const Divider per_row(columns);
    const u32 threads = block_size_x(), count = rows * columns, pitch = rows | 1;
    for (u32 first = thread_x(); first < count; first += U * threads) {
      T element[U];
      u32 offset[U];
      UNROLLED
      for (int u = 0; u < U; u++) {
        const QuotientRemainder at = per_row(min_of(first + u * threads, count - 1));
        element[u] = src[at.quotient * src_step + at.remainder];
        offset[u] = at.remainder * pitch + at.quotient;
      }
      UNROLLED
      for (int u = 0; u < U; u++) {
        if (first + u * threads < count) shared[offset[u]] = element[u];
      }
    }
  }

  template <class Put>
  DEVICE void store(const Put& put) const {
    const Divider per_column(rows);
    const u32 threads = block_size_x(), count = rows * columns, pitch = rows | 1;
    for (u32 i = thread_x(); i < count; i += threads) {
      const QuotientRemainder at = per_column(i);
      const u64 to = dst + at.quotient * dst_step + at.remainder;
      put.store(to, Vec<T, 1>{{shared[at.quotient * pitch + at.remainder]}}, put.template load<1>(to));
    }
  }
};

// put.load<N>(at) loads further operands of the elements at .. at + N of the destination; put.store(at, x, theirs) maps and
// stores the elements x there. put.aligned(): whether vectors of N elements are allowed if `at` is a multiple of N.
template <class T, class Put>
DEVICE void transpose(u64 rows, u64 columns, u64 src_step, u64 dst_step, u32 tile_rows, u32 tile_columns, u32 num_dims,
                      const size_t* info, const T* src, const Put& put) {
  __shared__ u64 shared[SHARED_BYTES / 8];

  bool vectors = tile_rows == Tile<T>::ROWS && tile_columns == Tile<T>::COLUMNS;
  u64 matrices = 1, steps = src_step | dst_step;
  for (u32 d = 0; d < num_dims; d++) {
    matrices *= info[d];
    steps |= info[num_dims + d] | info[2 * num_dims + d];
  }
  if (!UNALIGNED_VECTORS) {
    vectors = vectors && steps % Tile<T>::WIDTH == 0 && is_aligned(src, VECTOR_BYTES) && put.aligned();
  }

  const u64 down = divide(rows + tile_rows - 1, tile_rows).quotient;
  const u64 across = divide(columns + tile_columns - 1, tile_columns).quotient;
  const u64 count = matrices * down * across;
  for (u64 tile = block_x(); tile < count; tile += grid_size_x()) {
    const Division column = divide(tile, across), row = divide(column.quotient, down);
    const u64 r = row.remainder * tile_rows, c = column.remainder * tile_columns;
    const T* from = src + r * src_step + c;
    u64 to = c * dst_step + r;
    u64 matrix = row.quotient;
    for (u32 d = num_dims; d-- > 0;) {
      const Division at = divide(matrix, info[d]);
      from += at.remainder * info[num_dims + d];
      to += at.remainder * info[2 * num_dims + d];
      matrix = at.quotient;
    }

    if (tile != block_x()) sync_threads();  // the previous tile has been read
    if (vectors && r + tile_rows <= rows && c + tile_columns <= columns) {
      const Tile<T> whole = {from, to, src_step, dst_step, reinterpret_cast<typename Tile<T>::Word*>(shared)};
      whole.load();
      sync_threads();
      whole.store(put);
    } else {
      const u32 height = u32(min_of(rows - r, u64(tile_rows))), width = u32(min_of(columns - c, u64(tile_columns)));
      const Part<T> part = {from, to, src_step, dst_step, height, width, reinterpret_cast<T*>(shared)};
      part.load();
      sync_threads();
      part.store(put);
    }
  }
}

// The parameters of these kernels, and those that `transpose` takes.
#define TRANSPOSED                                                                                                     \
  const size_t rows, const size_t columns, const size_t src_step, const size_t dst_step, const u32 tile_rows,          \
      const u32 tile_columns, const size_t num_dims, const size_t *info
#define TRANSPOSE rows, columns, src_step, dst_step, tile_rows, tile_columns, u32(num_dims), info

#endif  // CANDLE_ROCM_TRANSPOSE_H
