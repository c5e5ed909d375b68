// Sums, extremes and their indices, softmax, norms and rotary embeddings. Mirrors candle-kernels/src/reduce.cu
// (https://github.com/huggingface/candle/blob/main/candle-kernels/src/reduce.cu). In addition: f8_e4m3, i16 and i32 for all
// reductions, split_*, which distribute a few long rows over the card, and rope*_pair_*, which rotate two tensors.
//
// Every kernel works on any grid; candle's with any block of up to 1024 threads, split_* of up to 256. Half types and f8
// accumulate in f32, integers modulo 2^n.
#include "common/last_block.h"
#include "common/normalize.h"
#include "common/reduce.h"
#include "common/rotary.h"

// ------------------------------------------------------------------------------------------------- One block, some rows

// fast_*: row r consists of elements r * el_to_sum_per_block .. (r + 1) * el_to_sum_per_block of src in index order; the last
// row may be shorter. Indices are relative to the row. Launch: blockDim.x threads per row, blockDim.y rows per block, with
// either a power of two up to a wavefront per row, or one row per block. (1, 256) is one thread per row, best if
// consecutive rows are adjacent in memory.
template <class R, class T, class Out>
DEVICE void reduce_rows(u64 numel, u64 row_len, u64 num_dims, const size_t* info, const T* src, Out* dst, u64 rows,
                        u32 per_block, u32 threads) {
  const Rows<T> source = {src, row_len, u32(num_dims), info};
  const Team team(per_block, threads);
  for_rows(rows, per_block, team, [&](u64 row) {
    const u64 len = row < rows ? min_of(row_len, numel - row * row_len) : 0;
    const u64 origin = row < rows ? source.origin(row) : 0;
    const auto state = team_merge<R>(source.template share<R>(row, origin, 0, len, team.rank, team.size), team);
    if (team.rank == 0 && row < rows) dst[row] = R::result(state, src[origin]);
  });
}

// Empty rows: one per block, of which only the sum is defined.
template <class R, class T, class Out>
DEVICE void fast_reduce(u64 numel, u64 row_len, u64 num_dims, const size_t* info, const T* src, Out* dst) {
  if (row_len == 0) {
    if constexpr (is_same<R, Sum<T>>) dst[block_x()] = convert<T>(R::identity());
    return;
  }
  const u64 rows = divide(numel + row_len - 1, row_len).quotient;
  reduce_rows<R>(numel, row_len, num_dims, info, src, dst, rows, block_size_y() * block_size_z(), block_size_x());
}

#define FAST_KERNEL(NAME, T, OUT, ...)                                                                                 \
  KERNEL THREADS_AT_MOST(1024) NAME##_##T(const size_t src_numel, const size_t el_to_sum_per_block,                    \
                                          const size_t num_dims, const size_t* info, const T* src, OUT* dst) {         \
    fast_reduce<__VA_ARGS__>(src_numel, el_to_sum_per_block, num_dims, info, src, dst);                                \
  }

// fast_sum_small_*: dst_el rows, one per thread, for any block.
#define SMALL_KERNEL(T)                                                                                                \
  KERNEL THREADS_AT_MOST(1024) fast_sum_small_##T(const size_t dst_el, const size_t el_to_sum_per_block,               \
                                                  const size_t num_dims, const size_t* info, const T* src, T* dst) {   \
    const u32 threads = block_size_x() * block_size_y() * block_size_z();                                              \
    if (el_to_sum_per_block == 0) {                                                                                    \
      const Team team(threads, 1);                                                                                     \
      for_rows(dst_el, threads, team, [&](u64 row) {                                                                   \
        if (row < dst_el) dst[row] = convert<T>(Sum<T>::identity());                                                   \
      });                                                                                                              \
      return;                                                                                                          \
    }                                                                                                                  \
    reduce_rows<Sum<T>>(dst_el * el_to_sum_per_block, el_to_sum_per_block, num_dims, info, src, dst, dst_el, threads,  \
                        1);                                                                                            \
  }

// ------------------------------------------------------------------------------------------------ The card, some rows

// split_*: the same in parts. Each row is split into `splits` parts of `part` elements; the last part may be shorter.
//   stage 0  reduces part k of row r into partial[k * rows + r]; with counters, one per row, the last block of a row merges them
//   stage 1  merges the states of row r
// The result is dst[r] or, if dst is null, the index in index[r]. partial: splits * rows states of 16 bytes. Launch: like fast_*, with
// splits * rows rows, of which each has a block of its own if there are counters, or with `rows` rows.
template <class R, class T>
struct Split {
  using State = typename R::State;
  static_assert(sizeof(State) <= 16, "launchers reserve 16 bytes");
  Rows<T> source;
  u64 rows, row_len, splits, part;
  State* states;
  T* dst;
  u32* index;

  DEVICE State reduce(u64 row, u64 k, const Team& team) const {
    const u64 begin = k * part, end = min_of(begin + part, row_len);
    constexpr int U = is_same<R, Sum<T>> ? 4 : 8;
    return source.template share<R, U>(row, source.origin(row), begin, end, team.rank, team.size);
  }
  DEVICE State share_of(u64 row, const Team& team) const {
    State state = R::identity();
    for (u64 k = team.rank; k < splits; k += team.size) state = R::merge(state, states[k * rows + row]);
    return state;
  }
  DEVICE void finish(u64 row, State state) const {
    if constexpr (is_same<R, Sum<T>>) {
      dst[row] = R::result(state, T{});
    } else {
      const T first = source.src[source.origin(row)];
      if (dst == nullptr) {
        index[row] = R::result(state, first);
      } else {
        dst[row] = is_nan(widen(first)) ? first : convert<T>(state.value);
      }
    }
  }
};

template <class R, class T>
DEVICE void split_reduce(const Split<R, T>& split, u32 stage, u32* counters) {
  if (split.row_len == 0) return;
  const u32 per_block = block_size_y() * block_size_z();
  const Team team(per_block, block_size_x());
  const u64 rows = split.rows, units = stage == 0 ? rows * split.splits : rows;
  // A unit is a part in stage 0, and a row in stage 1.
  for_rows(units, per_block, team, [&](u64 unit) {
    auto state = R::identity();
    const Division at = stage == 0 ? divide(unit, rows) : Division{0, unit};
    const u64 row = at.remainder;
    if (unit < units) state = stage == 0 ? split.reduce(row, at.quotient, team) : split.share_of(row, team);
    state = team_merge<R>(state, team);
    if (stage == 0) {
      if (team.rank == 0 && unit < units) split.states[unit] = state;
      if (counters == nullptr || !is_last_block(counters + row, u32(split.splits))) return;
      state = team_merge<R>(split.share_of(row, team), team);
    }
    if (team.rank == 0 && unit < units) split.finish(row, state);
  });
}

#define SPLIT_KERNEL(NAME, T, ...)                                                                                     \
  KERNEL THREADS_AT_MOST(256)                                                                                          \
      NAME##_##T(const size_t src_numel, const size_t el_to_sum_per_block, const size_t num_dims, const size_t* info,  \
                 const T* src, T* dst, u32* index, const size_t splits, const size_t part, void* partial,              \
                 const u32 stage, u32* counters) {                                                                     \
    using Of = Split<__VA_ARGS__, T>;                                                                                  \
    const u64 rows = el_to_sum_per_block == 0 ? 0 : divide(src_numel, el_to_sum_per_block).quotient;                   \
    const Of split = {{src, el_to_sum_per_block, u32(num_dims), info},                                                 \
                      rows,                                                                                            \
                      el_to_sum_per_block,                                                                             \
                      splits,                                                                                          \
                      part,                                                                                            \
                      static_cast<typename Of::State*>(partial),                                                       \
                      dst,                                                                                             \
                      index};                                                                                          \
    split_reduce(split, stage, counters);                                                                              \
  }

#define REDUCE_KERNELS(T)                                                                                              \
  FAST_KERNEL(fast_sum, T, T, Sum<T>)                                                                                  \
  FAST_KERNEL(fast_min, T, T, Extreme<T, false>)                                                                       \
  FAST_KERNEL(fast_max, T, T, Extreme<T, true>)                                                                        \
  FAST_KERNEL(fast_argmin, T, u32, ArgExtreme<T, false>)                                                               \
  FAST_KERNEL(fast_argmax, T, u32, ArgExtreme<T, true>)                                                                \
  SMALL_KERNEL(T)                                                                                                      \
  SPLIT_KERNEL(split_sum, T, Sum<T>)                                                                                   \
  SPLIT_KERNEL(split_min, T, ArgExtreme<T, false>)                                                                     \
  SPLIT_KERNEL(split_max, T, ArgExtreme<T, true>)

REDUCE_KERNELS(u8)
REDUCE_KERNELS(u32)
REDUCE_KERNELS(i16)
REDUCE_KERNELS(i32)
REDUCE_KERNELS(i64)
REDUCE_KERNELS(f16)
REDUCE_KERNELS(bf16)
REDUCE_KERNELS(f32)
REDUCE_KERNELS(f64)
REDUCE_KERNELS(f8_e4m3)

// ------------------------------------------------------------------------------------------------- Sums through atomics

// sum_*: atomically adds each element of inp to its element of out, which is not cleared first. info: the dimensions, the
// strides, the sizes of the num_sum_dims summed dimensions, outermost first, and the products of the dimensions after each
// of them. Superseded by fast_sum, which is deterministic and needs no atomics.
template <class T>
DEVICE void atomic_accumulate(T* p, T x) {
  if constexpr (sizeof(T) >= 4) {
    atomic_add(p, x);
  } else {
    atomic_update(p, [x](T sum) { return convert<T>(widen(sum) + widen(x)); });
  }
}

#define SUM_KERNEL(T)                                                                                                  \
  KERNEL THREADS_AT_MOST(1024) sum_##T(const size_t numel, const size_t num_dims, const size_t num_sum_dims,           \
                                       const size_t* info, const T* inp, T* out) {                                     \
    const Rows<T> source = {inp, 1, u32(num_dims), num_dims == 0 ? nullptr : info};                                    \
    const size_t* sizes = info + 2 * num_dims;                                                                         \
    const u64 step = u64(grid_size_x()) * block_size_x();                                                              \
    for (u64 i = u64(block_x()) * block_size_x() + thread_x(); i < numel; i += step) {                                 \
      u64 to = i;                                                                                                      \
      for (u32 d = 0; d < num_sum_dims; d++) {                                                                         \
        const Division at = divide(to, sizes[num_sum_dims + d]);                                                       \
        to = divide(at.quotient, sizes[d]).quotient * sizes[num_sum_dims + d] + at.remainder;                          \
      }                                                                                                                \
      atomic_accumulate(out + to, inp[source.offset(i)]);                                                              \
    }                                                                                                                  \
  }

SUM_KERNEL(u32)
SUM_KERNEL(f16)
SUM_KERNEL(bf16)
SUM_KERNEL(f32)
SUM_KERNEL(f64)

// ----------------------------------------------------------------------------------------------------- Softmax, norms

// Vectors in flight per thread in kernels with blocks of 1024 threads, for which gfx906 has 64 registers per thread.
template <class T>
constexpr int NARROW_LOADS = is_same<T, f32> ? 4 : 2;

// softmax_*: gridDim.x * blockDim.x contiguous rows of n_cols elements. Launch: blockDim.x rows per block, blockDim.y threads
// per row; either a power of two up to a wavefront per row, or one row per block.
#define SOFTMAX_KERNEL(T)                                                                                              \
  KERNEL THREADS_AT_MOST(1024) softmax_##T(const T* src, T* dst, const i32 n_cols) {                                   \
    const Team team(block_size_x(), block_size_y() * block_size_z());                                                  \
    const u64 rows = u64(grid_size_x()) * block_size_x();                                                              \
    for_rows(rows, block_size_x(), team, [&](u64 row) {                                                                \
      const u32 n = row < rows ? u32(n_cols) : 0;                                                                      \
      const SoftmaxOf<T> map(Softmax<T>::template of<NARROW_LOADS<T>>(src + row * n, n, team));                        \
      map_share(src + row * n, dst + row * n, n, team.rank, team.size, map);                                           \
    });                                                                                                                \
  }

// layernorm_*, rmsnorm_*: gridDim.x * blockDim.y contiguous rows of n_cols elements. Launch: blockDim.x threads per row,
// blockDim.y rows per block, like fast_*. block_size repeats blockDim.x, as in candle's signature.
template <class T, bool CENTRED>
DEVICE void norm(const T* src, T* dst, const T* alpha, const T* beta, u64 n_cols, float eps) {
  const u32 per_block = block_size_y() * block_size_z();
  const Team team(per_block, block_size_x());
  const u64 rows = u64(grid_size_x()) * per_block;
  for_rows(rows, per_block, team, [&](u64 row) {
    const u32 n = row < rows ? u32(n_cols) : 0;
    const auto moments = Moments<T>::template of<NARROW_LOADS<T>>(src + row * n, n, CENTRED, team);
    const Normalized<T> map(moments, alpha, beta, eps);
    map_share(src + row * n, dst + row * n, n, team.rank, team.size, map);
  });
}

#define NORM_KERNELS(T)                                                                                                \
  KERNEL THREADS_AT_MOST(1024) layernorm_##T(const T* src, T* dst, const T* alpha, const T* beta, const i32 n_cols,    \
                                             const i32, const float eps) {                                             \
    norm<T, true>(src, dst, alpha, beta, n_cols, eps);                                                                 \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(1024)                                                                                         \
      rmsnorm_##T(const T* src, T* dst, const T* alpha, const i32 n_cols, const i32, const float eps) {                \
    norm<T, false>(src, dst, alpha, nullptr, n_cols, eps);                                                             \
  }

// --------------------------------------------------------------------------------------------------- Rotary embeddings

// rope*_*. Launch: any grid of 1-D blocks.
#define ROPE_KERNELS(T)                                                                                                \
  KERNEL THREADS_AT_MOST(1024)                                                                                         \
      rope_i_##T(const T* src, const T* cos, const T* sin, T* dst, const u32 bh, const u32 td, const u32 stride_b) {   \
    rope_pairs<true>(src, cos, sin, dst, u64(bh) * td / 2, td / 2, RopeInterleaved{td, stride_b});                     \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(1024) rope_##T(const T* src, const T* cos, const T* sin, T* dst, const u32 bh, const u32 td,  \
                                        const u32 d, const u32 stride_b) {                                             \
    rope_pairs<false>(src, cos, sin, dst, u64(bh) * td / 2, d / 2, RopeHalves{td, d, stride_b});                       \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(1024) rope_thd_##T(const T* src, const T* cos, const T* sin, T* dst, const u32 b,             \
                                            const u32 t, const u32 h, const u32 d, const u32 stride_b) {               \
    rope_pairs<false>(src, cos, sin, dst, u64(b) * t * h * d / 2, d / 2, RopeThd{t, h, d, stride_b});                  \
  }

// rope*_pair_*: two tensors that share cos and sin, as queries and keys, and differ in their number of heads. Launch: gridDim.y
// = 2, any gridDim.x of 1-D blocks.
#define SECOND(...)                                                                                                    \
  if (block_y() > 0) __VA_ARGS__
#define ROPE_PAIR_KERNELS(T)                                                                                           \
  KERNEL THREADS_AT_MOST(1024)                                                                                         \
      rope_i_pair_##T(const T* src, const T* src2, const T* cos, const T* sin, T* dst, T* dst2, u32 bh, const u32 bh2, \
                      const u32 td, u32 stride_b, const u32 stride_b2) {                                               \
    SECOND(src = src2, dst = dst2, bh = bh2, stride_b = stride_b2);                                                    \
    rope_pairs<true>(src, cos, sin, dst, u64(bh) * td / 2, td / 2, RopeInterleaved{td, stride_b});                     \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(1024)                                                                                         \
      rope_pair_##T(const T* src, const T* src2, const T* cos, const T* sin, T* dst, T* dst2, u32 bh, const u32 bh2,   \
                    const u32 td, const u32 d, u32 stride_b, const u32 stride_b2) {                                    \
    SECOND(src = src2, dst = dst2, bh = bh2, stride_b = stride_b2);                                                    \
    rope_pairs<false>(src, cos, sin, dst, u64(bh) * td / 2, d / 2, RopeHalves{td, d, stride_b});                       \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(1024)                                                                                         \
      rope_thd_pair_##T(const T* src, const T* src2, const T* cos, const T* sin, T* dst, T* dst2, const u32 b,         \
                        const u32 t, u32 h, const u32 h2, const u32 d, u32 stride_b, const u32 stride_b2) {            \
    SECOND(src = src2, dst = dst2, h = h2, stride_b = stride_b2);                                                      \
    rope_pairs<false>(src, cos, sin, dst, u64(b) * t * h * d / 2, d / 2, RopeThd{t, h, d, stride_b});                  \
  }

#define FLOAT_KERNELS(T)                                                                                               \
  SOFTMAX_KERNEL(T)                                                                                                    \
  NORM_KERNELS(T)                                                                                                      \
  ROPE_KERNELS(T)                                                                                                      \
  ROPE_PAIR_KERNELS(T)

FLOAT_KERNELS(f16)
FLOAT_KERNELS(bf16)
FLOAT_KERNELS(f32)
FLOAT_KERNELS(f64)
