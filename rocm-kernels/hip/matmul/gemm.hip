// Tiled matrix products, for dtypes that rocBLAS does not support, and for cards and machines without it.
//
//   gemm_large_T, gemm_medium_T, gemm_small_T   tiles of 128, 64 and 32 rows and columns, in blocks of 256 threads
//   gemm_SIZE_T_f32                             the same of f16 and bf16, with results in f32
#include "matmul/gemm.h"

namespace {

constexpr u32 TILE_THREADS = 256;
constexpr u32 TILE_K = 16;

// Loads consecutive tiles of SIDE times TILE_K elements of an operand along k. They are staged in registers, so that loads
// overlap with computation on the previous tile.
template <class T, u32 SIDE>
struct Tiles {
  using S = typename SumOf<T>::type;
  static constexpr u32 LOADS = SIDE * TILE_K / TILE_THREADS;
  static constexpr u32 W = VECTOR_BYTES / sizeof(S);
  // Padded by one vector to avoid bank conflicts.
  using Row = Vec<S, W>[SIDE / W + 1];

  const T* origin;  // of the next tile
  u64 first, step;  // offsets of this thread's elements from there
  u64 next;         // stride to the next tile
  u32 side, dside;  // their positions in the tile
  u32 deep, ddeep;
  u32 sides;  // sides that there are, in this tile
  T loaded[LOADS];
  u32 valid;

  // The first tile starts at `base`; only `sides` of its rows or columns exist.
  DEVICE Tiles(const T* base, u64 sides, u64 side_stride, u64 k_stride)
      : origin(base), sides(u32(min_of(sides, u64(SIDE)))) {
    const u32 id = thread_x();
    // Consecutive threads along the smaller stride.
    const bool along_k = k_stride < side_stride;
    deep = along_k ? id % TILE_K : id / SIDE;
    side = along_k ? id / TILE_K : id % SIDE;
    ddeep = along_k ? 0 : TILE_THREADS / SIDE;
    dside = along_k ? TILE_THREADS / TILE_K : 0;
    first = side * side_stride + deep * k_stride;
    step = dside * side_stride + ddeep * k_stride;
    next = TILE_K * k_stride;
  }

  // `left`: the number of remaining elements along k, at least 1.
  DEVICE void load(u64 left) {
    const T* const p = origin + first;
    if (sides == SIDE && left >= TILE_K) {
      valid = ~0u;
      UNROLLED
      for (u32 i = 0; i < LOADS; i++) loaded[i] = p[i * step];
    } else {
      valid = 0;
      UNROLLED
      for (u32 i = 0; i < LOADS; i++) {
        const bool is = side + i * dside < sides && deep + i * ddeep < left;
        // Loads are unconditional, so that none waits for a branch.
        loaded[i] = *(is ? p + i * step : origin);
        valid |= u32(is) << i;
      }
    }
    origin += next;
  }

  DEVICE void store(Row* tile) const {
    UNROLLED
    for (u32 i = 0; i < LOADS; i++) {
      S* const row = reinterpret_cast<S*>(tile[deep + i * ddeep]);
      row[side + i * dside] = valid >> i & 1 ? S(widen(loaded[i])) : S(0);
    }
  }
};

// A block per tile of BLOCK times BLOCK elements of C, THREAD times THREAD per thread.
template <class T, class R, u32 BLOCK, u32 THREAD>
DEVICE void gemm(Size size, Matrices<const T> a, Matrices<const T> b, const Epilogue<R>& epilogue) {
  using Operand = Tiles<T, BLOCK>;
  using S = typename Operand::S;
  constexpr u32 W = min_of(THREAD, Operand::W), GROUPS = THREAD / W, SIDE_THREADS = BLOCK / THREAD;
  static_assert(SIDE_THREADS * SIDE_THREADS == TILE_THREADS && BLOCK * TILE_K % TILE_THREADS == 0,
                "every thread has work");
  __shared__ typename Operand::Row tile_a[TILE_K];
  __shared__ typename Operand::Row tile_b[TILE_K];

  const TileOrigin origin = tile_origin(size, BLOCK, BLOCK);
  const u64 row0 = origin.row, col0 = origin.col;

  Operand from_a(a.mine() + row0 * a.row, size.m - row0, a.row, a.col);
  Operand from_b(b.mine() + col0 * b.col, size.n - col0, b.col, b.row);
  S sum[THREAD][THREAD];
  UNROLLED
  for (u32 i = 0; i < THREAD; i++) {
    UNROLLED
    for (u32 j = 0; j < THREAD; j++) sum[i][j] = S(0);
  }
  if (size.k > 0) {
    from_a.load(size.k);
    from_b.load(size.k);
  }
  const u32 tx = thread_x() % SIDE_THREADS, ty = thread_x() / SIDE_THREADS;
  for (u64 left = size.k; left > 0;) {
    from_a.store(tile_a);
    from_b.store(tile_b);
    sync_threads();
    left -= min_of(left, u64(TILE_K));
    if (left > 0) {
      from_a.load(left);
      from_b.load(left);
    }
    for (u32 l = 0; l < TILE_K; l++) {
      // A thread's rows and columns are W consecutive ones of each group.
      Vec<S, W> x[GROUPS], y[GROUPS];
      UNROLLED
      for (u32 g = 0; g < GROUPS; g++) {
        x[g] = reinterpret_cast<const Vec<S, W>*>(tile_a[l])[g * SIDE_THREADS + ty];
        y[g] = reinterpret_cast<const Vec<S, W>*>(tile_b[l])[g * SIDE_THREADS + tx];
      }
      UNROLLED
      for (u32 i = 0; i < THREAD; i++) {
        UNROLLED
        for (u32 j = 0; j < THREAD; j++) {
          sum[i][j] = multiply_add(x[i / W].at[i % W], y[j / W].at[j % W], sum[i][j]);
        }
      }
    }
    sync_threads();
  }

  const Matrices<R>& c = epilogue.c;
  R* const out = c.mine();
  UNROLLED
  for (u32 i = 0; i < THREAD; i++) {
    const u64 row = row0 + (i / W * SIDE_THREADS + ty) * W + i % W;
    UNROLLED
    for (u32 g = 0; g < GROUPS; g++) {
      const u64 col = col0 + (g * SIDE_THREADS + tx) * W;
      if (row >= size.m || col >= size.n) continue;
      Vec<R, W> v;
      UNROLLED
      for (u32 j = 0; j < W; j++) {
        v.at[j] = convert<R>(sum[i][g * W + j]);
        if (j < size.n - col) v.at[j] = epilogue(v.at[j], row, col + j);
      }
      R* const p = out + row * c.row + col * c.col;
      if (c.col == 1 && size.n - col >= W && (UNALIGNED_VECTORS || is_aligned(p, sizeof v))) {
        store_vec<W>(p, v);
      } else {
        UNROLLED
        for (u32 j = 0; j < W; j++) {
          if (j < size.n - col) p[j * c.col] = v.at[j];
        }
      }
    }
  }
}

}  // namespace

#define TILES_128(T) GEMM_KERNEL(256, gemm_large_##T, T, T, (gemm<T, T, 128, 8>))
#define TILES_64(T) GEMM_KERNEL(256, gemm_medium_##T, T, T, (gemm<T, T, 64, 4>))
#define TILES_32(T) GEMM_KERNEL(256, gemm_small_##T, T, T, (gemm<T, T, 32, 2>))
#define TILES_TO_F32(T)                                                                                                \
  GEMM_KERNEL(256, gemm_large_##T##_f32, T, f32, (gemm<T, f32, 128, 8>))                                               \
  GEMM_KERNEL(256, gemm_medium_##T##_f32, T, f32, (gemm<T, f32, 64, 4>))                                               \
  GEMM_KERNEL(256, gemm_small_##T##_f32, T, f32, (gemm<T, f32, 32, 2>))

TILES_128(f32)
TILES_128(f16)
TILES_128(bf16)
TILES_64(f32)
TILES_64(f64)
TILES_64(f16)
TILES_64(bf16)
TILES_64(f8_e4m3)
TILES_64(u8)
TILES_64(u32)
TILES_64(i16)
TILES_64(i32)
TILES_64(i64)
TILES_32(f32)
TILES_32(f64)
TILES_32(f16)
TILES_32(bf16)
TILES_TO_F32(f16)
TILES_TO_F32(bf16)
