// Tiles of f16 or bf16 in shared memory, and how they get there.
#ifndef CANDLE_ROCM_SHARED_TILES_H
#define CANDLE_ROCM_SHARED_TILES_H

#include "common/async_copy.h"
#include "common/platform.h"
#include "common/vec.h"

// A tile of rows; at(row, column) is where eight elements lie together, `column` a multiple of 8. Eight rows' elements of
// the same columns lie in different banks.
//
// Rows of STRIDE elements, a multiple of 8 but not of 64: eight more than there need be.
template <class T, u32 STRIDE>
struct PaddedTile {
  static constexpr u32 ELEMENTS_PER_ROW = STRIDE;
  T* base;
  DEVICE T* at(u32 row, u32 column) const { return base + row * STRIDE + column; }
};

// Rows of WIDTH elements, 32 or a multiple of 64, in an order that depends on the row.
template <class T, u32 WIDTH>
struct SwizzledTile {
  static_assert(WIDTH == 32 || WIDTH % 64 == 0, "as many banks as eights");
  static constexpr u32 ELEMENTS_PER_ROW = WIDTH;
  T* base;
  DEVICE T* at(u32 row, u32 column) const {
    const u32 other = WIDTH == 32 ? row / 2 % 4 : row % 8;
    return base + row * WIDTH + ((column / 8) ^ other) * 8;
  }
};

// The one that suits the card: RDNA is short of registers for addresses, NVIDIA of shared memory.
#if PLATFORM_NVIDIA
template <class T, u32 WIDTH>
using Tile = SwizzledTile<T, WIDTH>;
#else
template <class T, u32 WIDTH>
using Tile = PaddedTile<T, WIDTH + 8>;
#endif

// A matrix of which this thread brings parts, in tiles of SIDE rows and WIDTH columns, from global to shared memory, with zeros
// for what is not there. First `fetch`, when the tile is free, then `store`, `wait` and a barrier; and one of `down` and
// `along` to the next tile. TURNED: the tile's rows are the columns.
//
// Rows are `step` elements apart. Eights of columns are there or not as one, and begin where vectors may be read.
template <class T, u32 SIDE, u32 WIDTH, u32 THREADS, class To, bool TURNED>
struct Courier {
  static constexpr u32 COUNT = SIDE * WIDTH / 8 / THREADS;
  static_assert(COUNT * THREADS * 8 == SIDE * WIDTH, "all threads bring the same");
  static constexpr bool ASYNC = ASYNC_COPIES && !TURNED;

  // Neighbouring threads have neighbouring columns, and what else a thread has lies NEXT rows further on. TURNED: it has two
  // rows at a time; four threads have neighbouring columns, eight such groups the next rows, and so on.
  static constexpr u32 GROUPS = WIDTH / 32, NEXT = TURNED ? THREADS / (32 * GROUPS) * 16 : THREADS / (WIDTH / 8);
  static_assert(TURNED ? COUNT % 2 == 0 && THREADS % (32 * GROUPS) == 0 : THREADS % (WIDTH / 8) == 0,
                "the same columns each time");
  static DEVICE u32 my_row() {
    return TURNED ? (thread_x() / 32 / GROUPS * 8 + thread_x() % 8) * 2 : thread_x() / (WIDTH / 8);
  }
  static DEVICE u32 my_column() {
    return TURNED ? (thread_x() / 32 % GROUPS * 4 + thread_x() / 8 % 4) * 8 : thread_x() % (WIDTH / 8) * 8;
  }
  static DEVICE constexpr u32 offset(u32 i) { return TURNED ? i / 2 * NEXT + i % 2 : i * NEXT; }

  const T* from;
  size_t step;
  u32 row, rows, column, columns;
  Vec<T, 8> held[ASYNC ? 1 : COUNT];

  DEVICE Courier(const T* matrix, size_t step, u32 rows, u32 columns)
      : from(matrix + my_row() * step + my_column()),
        step(step),
        row(my_row()),
        rows(rows),
        column(my_column()),
        columns(columns) {}

  DEVICE void fetch(To tile) {
    UNROLLED
    for (u32 i = 0; i < COUNT; i++) {
      const bool is = row + offset(i) < rows && column < columns;
      const T* const address = from + offset(i) * step;
      if constexpr (ASYNC) {
        copy_async(tile.at(my_row() + offset(i), my_column()), address, is);
      } else {
        held[i] = splat<8>(T{0});
        if (is) held[i] = load_vec<8>(address);
      }
    }
    if constexpr (ASYNC) end_copies();
  }

  DEVICE void down() {
    row += SIDE;
    from += SIDE * step;
  }
  DEVICE void along() {
    column += WIDTH;
    from += WIDTH;
  }

  DEVICE void store(To tile) const {
    if constexpr (TURNED) {
      UNROLLED
      for (u32 i = 0; i < COUNT; i += 2) {
        const u32 column = my_row() + offset(i);
        UNROLLED
        for (u32 j = 0; j < 8; j++) {
          const u32 both = held[i].at[j].bits | u32(held[i + 1].at[j].bits) << 16;
          *reinterpret_cast<u32*>(tile.at(my_column() + j, column / 8 * 8) + column % 8) = both;
        }
      }
    } else if constexpr (!ASYNC) {
      UNROLLED
      for (u32 i = 0; i < COUNT; i++) {
        *reinterpret_cast<Vec<T, 8>*>(tile.at(my_row() + offset(i), my_column())) = held[i];
      }
    }
  }

  // For all tiles that were fetched but the last LATER.
  template <int LATER = 0>
  DEVICE void wait() const {
    if constexpr (ASYNC) wait_copies<LATER>();
  }
};

#endif  // CANDLE_ROCM_SHARED_TILES_H
