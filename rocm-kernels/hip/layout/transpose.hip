// Copies of matrices that change which of their two dimensions is contiguous. Ours: candle copies them element by
// element, with one side of the copy in steps of a row.
//
//   transpose_<bytes>(rows, columns, src_step, dst_step, tile_rows, tile_columns, num_dims, info, src, dst)
//
// for elements of 1, 2, 4 or 8 bytes: dst[c * dst_step + r] = src[r * src_step + c] for r < rows, c < columns, in each of
// any number of matrices. info: dims, where matrices start in src, where in dst (strides); num_dims 0, info null: one.
// Steps and strides are in elements. src and dst do not overlap.
//
// Launch: any grid of 1-D blocks; best are 256 threads and a block for each tile. A block takes tiles of tile_rows times
// tile_columns, tile_columns * (tile_rows | 1) * bytes <= SHARED_BYTES. Tiles of the shape that `Tile` has go through
// registers in vectors of 16 bytes where both sides are aligned for them; tiles cut by an edge, and those of any other
// shape (for matrices with few rows or columns) go element by element, neighbours by neighbouring threads all the same.
#include "layout/transpose.h"

template <class T>
struct Stored {
  T* dst;
  DEVICE bool aligned() const { return is_aligned(dst, VECTOR_BYTES); }
  template <int>
  using Theirs = Nothing;
  template <int N>
  DEVICE Nothing load(u64) const {
    return {};
  }
  template <int N>
  DEVICE void store(u64 at, const Vec<T, N>& x, Nothing) const {
    store_vec(dst + at, x);
  }
};

#define COPY(BYTES, T)                                                                                                 \
  KERNEL transpose_##BYTES(TRANSPOSED, const T* src, T* dst) { transpose(TRANSPOSE, src, Stored<T>{dst}); }

COPY(1, u8)
COPY(2, u16)
COPY(4, u32)
COPY(8, u64)
