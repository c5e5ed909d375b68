// Reductions and what is built from them: sums, extremes and their places, softmax, norms; rotary embeddings. Mirrors
// candle-kernels/src/reduce.cu (https://github.com/huggingface/candle/blob/main/candle-kernels/src/reduce.cu). Ours in
// addition: f8_e4m3, i16 and i32 wherever candle reduces; split_*, which spread few long rows over the card.
//
// Every kernel is right for every grid and block of up to 1024 threads. Half types and f8 are summed in f32, all
// integers modulo 2^n.
#include "reduce.h"

// ------------------------------------------------------------------------------------------------- One block, some rows

// fast_*: row r is the elements r * el_to_sum_per_block .. (r + 1) * el_to_sum_per_block of src, in the order of its
// dims; the last one may be shorter. Launch: blockDim.x threads per row, blockDim.y rows per block, all a wave or less
// per row (a power of two), or one row. (1, 256) is a row per thread: best where neighbouring rows are neighbours in
// memory. An index is the place within the row.
template <class R, class T, class Out>
DEVICE void reduce_rows(u64 numel, u64 row_len, u64 num_dims, const size_t* info, const T* src, Out* dst, u64 rows,
                        u32 per_block, u32 threads) {
  const Rows<T> source = {src, row_len, u32(num_dims), info};
  const Team team(per_block, threads);
  for_rows(rows, per_block, team, [&](u64 row) {
    const u64 len = row < rows ? min_of(row_len, numel - row * row_len) : 0;
    const auto state = team_merge<R>(source.template share<R>(row, 0, len, team.rank, team.size), team);
    if (team.rank == 0 && row < rows) dst[row] = R::result(state, source.first(row));
  });
}

// Rows without elements: as many as there are blocks, and only their sum is known.
template <class R, class T, class Out>
DEVICE void fast_reduce(u64 numel, u64 row_len, u64 num_dims, const size_t* info, const T* src, Out* dst) {
  if (row_len == 0) {
    if constexpr (is_same<R, Sum<T>>) dst[block_x()] = convert<T>(R::identity());
    return;
  }
  const u64 rows = divide(numel + row_len - 1, row_len).quotient;
  reduce_rows<R>(numel, row_len, num_dims, info, src, dst, rows, block_size_y() * block_size_z(), block_size_x());
}

#define FAST_KERNEL(NAME, T, OUT, ...)                                                                             \
  KERNEL NAME##_##T(const size_t src_numel, const size_t el_to_sum_per_block, const size_t num_dims,               \
                    const size_t* info, const T* src, OUT* dst) {                                                  \
    fast_reduce<__VA_ARGS__>(src_numel, el_to_sum_per_block, num_dims, info, src, dst);                            \
  }

// fast_sum_small_*: a row per thread, whatever the block; dst_el rows.
#define SMALL_KERNEL(T)                                                                                            \
  KERNEL fast_sum_small_##T(const size_t dst_el, const size_t el_to_sum_per_block, const size_t num_dims,          \
                            const size_t* info, const T* src, T* dst) {                                            \
    const u32 threads = block_size_x() * block_size_y() * block_size_z();                                          \
    if (el_to_sum_per_block == 0) {                                                                                \
      const Team team(threads, 1);                                                                                 \
      for_rows(dst_el, threads, team, [&](u64 row) {                                                               \
        if (row < dst_el) dst[row] = convert<T>(Sum<T>::identity());                                               \
      });                                                                                                          \
      return;                                                                                                      \
    }                                                                                                              \
    reduce_rows<Sum<T>>(dst_el * el_to_sum_per_block, el_to_sum_per_block, num_dims, info, src, dst, dst_el,       \
                        threads, 1);                                                                               \
  }

// ------------------------------------------------------------------------------------------------ The card, some rows

// split_*: the same in two launches. Each row is cut into `splits` parts of `part` elements, the last one shorter.
//   stage 0  part k of row r, as if it were a row of its own: partial[k * rows + r] is its state
//   stage 1  dst[r], or place[r] if dst is null, from the states of row r
// partial: splits * rows states of 16 bytes each. Launch: as fast_*, for splits * rows and for rows rows.
template <class R, class T>
DEVICE void split_reduce(u64 numel, u64 row_len, u64 num_dims, const size_t* info, const T* src, T* dst, u32* place,
                         u64 splits, u64 part, void* partial, u32 stage) {
  using State = typename R::State;
  static_assert(sizeof(State) <= 16, "launchers reserve 16 bytes");
  if (row_len == 0) return;
  const Rows<T> source = {src, row_len, u32(num_dims), info};
  const u32 per_block = block_size_y() * block_size_z();
  const Team team(per_block, block_size_x());
  const u64 rows = divide(numel, row_len).quotient;
  State* const states = static_cast<State*>(partial);
  const u64 units = stage == 0 ? rows * splits : rows;
  for_rows(units, per_block, team, [&](u64 unit) {
    State state = R::identity();
    if (stage == 0 && unit < units) {
      const Division at = divide(unit, rows);
      const u64 begin = at.quotient * part;
      state = source.template share<R>(at.remainder, begin, min_of(begin + part, row_len), team.rank, team.size);
    } else if (unit < units) {
      for (u64 k = team.rank; k < splits; k += team.size) state = R::merge(state, states[k * rows + unit]);
    }
    state = team_merge<R>(state, team);
    if (team.rank != 0 || unit >= units) return;
    if (stage == 0) {
      states[unit] = state;
    } else if constexpr (is_same<R, Sum<T>>) {
      dst[unit] = R::result(state, T{});
    } else if (dst == nullptr) {
      place[unit] = R::result(state, source.first(unit));
    } else {
      const T first = source.first(unit);
      dst[unit] = is_nan(widen(first)) ? first : convert<T>(state.value);
    }
  });
}

#define SPLIT_KERNEL(NAME, T, ...)                                                                                 \
  KERNEL NAME##_##T(const size_t src_numel, const size_t el_to_sum_per_block, const size_t num_dims,               \
                    const size_t* info, const T* src, T* dst, u32* place, const size_t splits, const size_t part,  \
                    void* partial, const u32 stage) {                                                              \
    split_reduce<__VA_ARGS__>(src_numel, el_to_sum_per_block, num_dims, info, src, dst, place, splits, part,       \
                              partial, stage);                                                                     \
  }

#define REDUCE_KERNELS(T)                           \
  FAST_KERNEL(fast_sum, T, T, Sum<T>)               \
  FAST_KERNEL(fast_min, T, T, Extreme<T, false>)    \
  FAST_KERNEL(fast_max, T, T, Extreme<T, true>)     \
  FAST_KERNEL(fast_argmin, T, u32, Place<T, false>) \
  FAST_KERNEL(fast_argmax, T, u32, Place<T, true>)  \
  SMALL_KERNEL(T)                                   \
  SPLIT_KERNEL(split_sum, T, Sum<T>)                \
  SPLIT_KERNEL(split_min, T, Place<T, false>)       \
  SPLIT_KERNEL(split_max, T, Place<T, true>)

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

// sum_*: adds each element of inp to the element of out that it belongs to; out is not cleared first. info: the dims,
// the strides, then the sizes of the num_sum_dims dimensions that are summed, outermost first, then the product of the
// dims behind each of them. Candle's older way to sum: fast_sum needs no atomics and gives the same bits each time.
template <class T>
DEVICE void atomic_accumulate(T* p, T x) {
  if constexpr (sizeof(T) >= 4) {
    atomic_add(p, x);
  } else {
    atomic_update(p, [x](T sum) { return convert<T>(widen(sum) + widen(x)); });
  }
}

#define SUM_KERNEL(T)                                                                                              \
  KERNEL sum_##T(const size_t numel, const size_t num_dims, const size_t num_sum_dims, const size_t* info,         \
                 const T* inp, T* out) {                                                                           \
    const Rows<T> source = {inp, 1, u32(num_dims), num_dims == 0 ? nullptr : info};                                \
    const size_t* sizes = info + 2 * num_dims;                                                                     \
    const u64 step = u64(grid_size_x()) * block_size_x();                                                          \
    for (u64 i = u64(block_x()) * block_size_x() + thread_x(); i < numel; i += step) {                             \
      u64 to = i;                                                                                                  \
      for (u32 d = 0; d < num_sum_dims; d++) {                                                                     \
        const Division at = divide(to, sizes[num_sum_dims + d]);                                                   \
        to = divide(at.quotient, sizes[d]).quotient * sizes[num_sum_dims + d] + at.remainder;                      \
      }                                                                                                            \
      atomic_accumulate(out + to, inp[source.offset(i)]);                                                          \
    }                                                                                                              \
  }

SUM_KERNEL(u32)
SUM_KERNEL(f16)
SUM_KERNEL(bf16)
SUM_KERNEL(f32)
SUM_KERNEL(f64)
