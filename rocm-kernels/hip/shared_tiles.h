// Tiles of f16 or bf16 in shared memory, and how they get there.
#ifndef CANDLE_ROCM_SHARED_TILES_H
#define CANDLE_ROCM_SHARED_TILES_H

#include "async_copy.h"
#include "platform.h"
#include "vec.h"

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

// Eight columns of a row, of which `are` are there; zeros else. They need not begin where vectors may.
template <class T>
DEVICE Vec<T, 8> eight(const T* from, u32 are) {
  if (are >= 8 && (UNALIGNED_VECTORS || is_aligned(from, VECTOR_BYTES))) return load_vec<8>(from);
  Vec<T, 8> x = splat<8>(T{0});
  UNROLLED
  for (u32 j = 0; j < 8; j++) {
    if (j < are) x.at[j] = from[j];
  }
  return x;
}

// Rows in global memory, each a multiple of `step` from the first.
template <class T>
struct Rows {
  const T* at;
  size_t step;
  u32 count, columns;
  bool vectors;  // all columns come in eights that may be read as vectors

  DEVICE Rows(const T* at, size_t step, u32 count, u32 columns)
      : at(at),
        step(step),
        count(count),
        columns(columns),
        vectors((columns % 8 == 0) && (UNALIGNED_VECTORS || (is_aligned(at, VECTOR_BYTES) && step % 8 == 0))) {}
};

// Brings tiles of SIDE rows and WIDTH columns from global memory to shared memory, with zeros for what is not there. First
// `fetch`, when the tile is free, then `store`, `wait` and a barrier. TURNED: the tile's rows are the columns.
template <class T, u32 SIDE, u32 WIDTH, u32 THREADS, class Tile, bool TURNED>
struct Courier {
  static constexpr u32 COUNT = SIDE * WIDTH / 8 / THREADS;
  static_assert(COUNT * THREADS * 8 == SIDE * WIDTH && (!TURNED || COUNT % 2 == 0), "all threads bring the same");
  static constexpr bool ASYNC = ASYNC_COPIES && !TURNED;
  Vec<T, 8> held[ASYNC ? 1 : COUNT];

  // Neighbouring threads have neighbouring columns. TURNED: a thread has pairs of rows, four threads have neighbouring
  // columns, eight such groups the next rows.
  static DEVICE u32 unit(u32 i) { return thread_x() + i * THREADS; }
  static DEVICE u32 row(u32 i) {
    return TURNED ? (unit(i / 2) / 32 / (WIDTH / 32) * 8 + unit(i / 2) % 8) * 2 + i % 2 : unit(i) / (WIDTH / 8);
  }
  static DEVICE u32 column(u32 i) {
    return TURNED ? (unit(i / 2) / 32 % (WIDTH / 32) * 4 + unit(i / 2) / 8 % 4) * 8 : unit(i) % (WIDTH / 8) * 8;
  }

  DEVICE void fetch(Tile tile, const Rows<T>& rows, u32 first_row, u32 first_column) {
    UNROLLED
    for (u32 i = 0; i < COUNT; i++) {
      const u32 r = first_row + row(i), c = first_column + column(i);
      const bool are = r < rows.count && c < rows.columns;
      const T* const from = rows.at + (are ? r * rows.step + c : 0);
      if constexpr (ASYNC) {
        T* const to = tile.at(row(i), column(i));
        if (rows.vectors) {
          copy_async(to, from, are);
        } else {
          *reinterpret_cast<Vec<T, 8>*>(to) = eight(from, are ? rows.columns - c : 0);
        }
      } else if (rows.vectors) {
        held[i] = splat<8>(T{0});
        if (are) held[i] = load_vec<8>(from);
      } else {
        held[i] = eight(from, are ? rows.columns - c : 0);
      }
    }
    if constexpr (ASYNC) end_copies();
  }

  DEVICE void store(Tile tile) const {
    if constexpr (TURNED) {
      UNROLLED
      for (u32 i = 0; i < COUNT; i += 2) {
        UNROLLED
        for (u32 j = 0; j < 8; j++) {
          const u32 both = held[i].at[j].bits | u32(held[i + 1].at[j].bits) << 16;
          *reinterpret_cast<u32*>(tile.at(column(i) + j, row(i) / 8 * 8) + row(i) % 8) = both;
        }
      }
    } else if constexpr (!ASYNC) {
      UNROLLED
      for (u32 i = 0; i < COUNT; i++) *reinterpret_cast<Vec<T, 8>*>(tile.at(row(i), column(i))) = held[i];
    }
  }

  // For all but the last LATER tiles that were fetched.
  template <int LATER>
  DEVICE void wait() const {
    if constexpr (ASYNC) wait_copies<LATER>();
  }
};

#endif  // CANDLE_ROCM_SHARED_TILES_H
