// Transposing copies. candle has no counterpart: it copies element by element, with strided access on one side.
//
//   transpose_<bytes>(rows, columns, src_step, dst_step, tile_rows, tile_columns, num_dims, info, src, dst)
//
// for elements of 1, 2, 4 or 8 bytes: dst[c * dst_step + r] = src[r * src_step + c] for r < rows and c < columns, for a batch
// of matrices. info: the dimensions of the batch, then its strides in src and in dst; a null info with num_dims = 0 is a
// single matrix. Steps and strides are in elements. src and dst do not overlap.
//
// Launch: any grid of 1-D blocks, ideally a block of 256 threads per tile. A block processes tiles of tile_rows times
// tile_columns, with tile_columns * (tile_rows | 1) * bytes <= SHARED_BYTES. Tiles of the shape of `Tile` are moved in vectors
// of 16 bytes if both sides are aligned. Tiles at an edge, and those of other shapes (for matrices with few rows or columns),
// are moved element by element, but still with coalesced accesses.
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
