// Tiles of f16 or bf16 in shared memory, and how they are loaded.
#ifndef CANDLE_ROCM_SHARED_TILES_H
#define CANDLE_ROCM_SHARED_TILES_H

#include "common/async_copy.h"
#include "common/platform.h"
#include "common/vec.h"

// Row-major tiles. at(row, column), with `column` a multiple of 8, is the address of eight consecutive elements. The same
// columns of eight rows lie in different banks.
//
// Padded: rows of STRIDE elements, eight more than used, so that STRIDE is a multiple of 8 but not of 64.
template <class T, u32 STRIDE>
struct PaddedTile {
  static constexpr u32 ELEMENTS_PER_ROW = STRIDE;
  T* base;
  DEVICE T* at(u32 row, u32 column) const { return base + row * STRIDE + column; }
};

// Swizzled: rows of WIDTH elements, 32 or a multiple of 64, whose groups of eight are permuted by the row.
template <class T, u32 WIDTH>
struct SwizzledTile {
  static_assert(WIDTH == 32 || WIDTH % 64 == 0, "a row covers whole sets of banks");
  static constexpr u32 ELEMENTS_PER_ROW = WIDTH;
  T* base;
  DEVICE T* at(u32 row, u32 column) const {
    const u32 other = WIDTH == 32 ? row / 2 % 4 : row % 8;
    return base + row * WIDTH + ((column / 8) ^ other) * 8;
  }
};

// What suits the platform: padding saves registers for addresses on RDNA, swizzling saves shared memory on NVIDIA.
#if PLATFORM_NVIDIA
template <class T, u32 WIDTH>
using Tile = SwizzledTile<T, WIDTH>;
#else
template <class T, u32 WIDTH>
using Tile = PaddedTile<T, WIDTH + 8>;
#endif

// Loads tiles of SIDE rows and WIDTH columns of a matrix from global into shared memory; each thread loads its share.
// Elements outside of the matrix are zero. Call `fetch` once the tile is free, then `store`, `wait` and a barrier;
// `next_rows` or `next_columns` moves on to the next tile. TRANSPOSED: the tile's rows are the matrix's columns.
//
// Rows are `step` elements apart. The number of columns is a multiple of 8, and each group of eight is aligned for a vector
// load.
template <class T, u32 SIDE, u32 WIDTH, u32 THREADS, class To, bool TRANSPOSED>
struct TileLoader {
  static constexpr u32 COUNT = SIDE * WIDTH / 8 / THREADS;
  static_assert(COUNT * THREADS * 8 == SIDE * WIDTH, "all threads load equally many");
  static constexpr bool ASYNC = ASYNC_COPIES && !TRANSPOSED;

  // Consecutive threads load consecutive columns, and a thread's next group lies NEXT rows further on. TRANSPOSED: a thread
  // loads two rows at a time; four threads load consecutive columns, eight such groups the following rows, and so on.
  static constexpr u32 GROUPS = WIDTH / 32, NEXT = TRANSPOSED ? THREADS / (32 * GROUPS) * 16 : THREADS / (WIDTH / 8);
  static_assert(TRANSPOSED ? COUNT % 2 == 0 && THREADS % (32 * GROUPS) == 0 : THREADS % (WIDTH / 8) == 0,
                "the same columns each time");
  static DEVICE u32 first_row() {
    return TRANSPOSED ? (thread_x() / 32 / GROUPS * 8 + thread_x() % 8) * 2 : thread_x() / (WIDTH / 8);
  }
  static DEVICE u32 first_column() {
    return TRANSPOSED ? (thread_x() / 32 % GROUPS * 4 + thread_x() / 8 % 4) * 8 : thread_x() % (WIDTH / 8) * 8;
  }
  static DEVICE constexpr u32 offset(u32 i) { return TRANSPOSED ? i / 2 * NEXT + i % 2 : i * NEXT; }

  const T* from;
  size_t step;
  u32 row, rows, column, columns;
  Vec<T, 8> staged[ASYNC ? 1 : COUNT];

  DEVICE TileLoader(const T* matrix, size_t step, u32 rows, u32 columns)
      : from(matrix + first_row() * step + first_column()),
        step(step),
        row(first_row()),
        rows(rows),
        column(first_column()),
        columns(columns) {}

  DEVICE void fetch(To tile) {
    UNROLLED
    for (u32 i = 0; i < COUNT; i++) {
      const bool valid = row + offset(i) < rows && column < columns;
      const T* const address = from + offset(i) * step;
      if constexpr (ASYNC) {
        copy_async(tile.at(first_row() + offset(i), first_column()), address, valid);
      } else {
        staged[i] = splat<8>(T{0});
        if (valid) staged[i] = load_vec<8>(address);
      }
    }
    if constexpr (ASYNC) end_copies();
  }

  DEVICE void next_rows() {
    row += SIDE;
    from += SIDE * step;
  }
  DEVICE void next_columns() {
    column += WIDTH;
    from += WIDTH;
  }

  DEVICE void store(To tile) const {
    if constexpr (TRANSPOSED) {
      UNROLLED
      for (u32 i = 0; i < COUNT; i += 2) {
        const u32 column = first_row() + offset(i);
        UNROLLED
        for (u32 j = 0; j < 8; j++) {
          const u32 both = staged[i].at[j].bits | u32(staged[i + 1].at[j].bits) << 16;
          *reinterpret_cast<u32*>(tile.at(first_column() + j, column / 8 * 8) + column % 8) = both;
        }
      }
    } else if constexpr (!ASYNC) {
      UNROLLED
      for (u32 i = 0; i < COUNT; i++) {
        *reinterpret_cast<Vec<T, 8>*>(tile.at(first_row() + offset(i), first_column())) = staged[i];
      }
    }
  }

  // Waits for the fetched tiles, except the LATER most recent ones.
  template <int LATER = 0>
  DEVICE void wait() const {
    if constexpr (ASYNC) wait_copies<LATER>();
  }
};

// As TileLoader, of rows that lie anywhere: row_at(i) is where row i of the tile begins, or null.
template <class T, u32 SIDE, u32 WIDTH, u32 THREADS, class To>
struct ListedRowsLoader {
  static constexpr u32 COUNT = SIDE * WIDTH / 8 / THREADS, NEXT = THREADS / (WIDTH / 8);
  static_assert(COUNT * NEXT == SIDE, "all threads load equally many");
  static constexpr bool ASYNC = ASYNC_COPIES;
  static DEVICE u32 row(u32 i) { return thread_x() / (WIDTH / 8) + i * NEXT; }
  static DEVICE u32 first_column() { return thread_x() % (WIDTH / 8) * 8; }

  const T* from[COUNT];
  u32 column, columns;
  Vec<T, 8> staged[ASYNC ? 1 : COUNT];

  template <class F>
  DEVICE ListedRowsLoader(const F& row_at, u32 columns) : column(first_column()), columns(columns) {
    UNROLLED
    for (u32 i = 0; i < COUNT; i++) from[i] = row_at(row(i));
  }

  DEVICE void fetch(To tile) {
    UNROLLED
    for (u32 i = 0; i < COUNT; i++) {
      const bool valid = from[i] != nullptr && column < columns;
      if constexpr (ASYNC) {
        copy_async(tile.at(row(i), first_column()), from[i] + column, valid);
      } else {
        staged[i] = splat<8>(T{0});
        if (valid) staged[i] = load_vec<8>(from[i] + column);
      }
    }
    if constexpr (ASYNC) end_copies();
  }

  DEVICE void next_columns() { column += WIDTH; }

  DEVICE void store(To tile) const {
    if constexpr (!ASYNC) {
      UNROLLED
      for (u32 i = 0; i < COUNT; i++) *reinterpret_cast<Vec<T, 8>*>(tile.at(row(i), first_column())) = staged[i];
    }
  }

  template <int LATER = 0>
  DEVICE void wait() const {
    if constexpr (ASYNC) wait_copies<LATER>();
  }
};

#endif  // CANDLE_ROCM_SHARED_TILES_H
