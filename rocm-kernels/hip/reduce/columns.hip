// Reductions over a dimension other than the innermost one: lanes load consecutive 16-byte vectors and reduce elementwise.
//
//   columns_sum_<type> columns_min_<type> columns_max_<type>
//
// Reduces src[o * outer_step + k * step + i] over k, for o < outer, k < len, i < inner. For each o, the rows k are split into
// `splits` parts of `part` rows. If partial is null, there is a single part, and the result is dst[o * inner + i] or, if dst
// is null, the index index[o * inner + i]. Otherwise the state of part p goes to partial[p * outer * inner + o * inner + i],
// as input of stage 1 of reduce.hip's split_*. inner, both steps and src must be aligned to vectors.
//
// Launch: blocks of x * y = 256 threads, x a power of two. x threads load consecutive vectors, y threads take turns at rows.
// Any 1-D grid; ideally one block for each x vectors of each o and part.
#include "common/reduce.h"

template <class R, class T>
DEVICE void columns(u64 outer, u64 len, u64 inner, u64 outer_step, u64 step, const T* src, T* dst, u32* index,
                    u64 splits, u64 part, void* partial) {
  using State = typename R::State;
  constexpr int W = WIDTH<T>, U = 4, THREADS = 256;
  static_assert(sizeof(State) <= 16, "launchers reserve 16 bytes");
  __shared__ State shared[THREADS * W];
  const u32 x = thread_x(), y = thread_y(), across = block_size_x(), lanes = block_size_y();
  const u64 groups = divide(inner + across * W - 1, across * W).quotient, units = outer * splits * groups;
  for (u64 unit = block_x(); unit < units; unit += grid_size_x()) {
    const Division group = divide(unit, groups), at = divide(group.quotient, splits);
    const u64 first = group.remainder * across * W, column = first + x * W;
    const u64 begin = at.remainder * part, end = min_of(begin + part, len);
    State s[W];
    UNROLLED
    for (int j = 0; j < W; j++) s[j] = R::identity();
    if (column < inner) {
      const T* const p = src + at.quotient * outer_step + column;
      for (u64 k = begin + y; k < end; k += U * lanes) {
        Vec<T, W> v[U];
        UNROLLED
        for (int u = 0; u < U; u++) {
          if (k + u * lanes < end) v[u] = load_vec<W>(p + (k + u * lanes) * step);
        }
        UNROLLED
        for (int u = 0; u < U; u++) {
          if (k + u * lanes >= end) continue;
          UNROLLED
          for (int j = 0; j < W; j++) R::add(s[j], v[u].at[j], k + u * lanes);
        }
      }
    }
    UNROLLED
    for (int j = 0; j < W; j++) shared[(y * across + x) * W + j] = s[j];
    sync_threads();
    const u32 wide = across * W;
    for (u32 c = y * across + x; c < wide && first + c < inner; c += across * lanes) {
      State state = shared[c];
      for (u32 l = 1; l < lanes; l++) state = R::merge(state, shared[l * wide + c]);
      const u64 to = at.quotient * inner + first + c;
      if (partial != nullptr) {
        static_cast<State*>(partial)[at.remainder * outer * inner + to] = state;
      } else if constexpr (is_same<R, Sum<T>>) {
        dst[to] = R::result(state, T{});
      } else {
        const T origin = src[at.quotient * outer_step + first + c];
        if (dst == nullptr) {
          index[to] = R::result(state, origin);
        } else {
          dst[to] = is_nan(widen(origin)) ? origin : convert<T>(state.value);
        }
      }
    }
    sync_threads();  // before `shared` is reused
  }
}

#define COLUMN_KERNEL(NAME, T, ...)                                                                                    \
  KERNEL THREADS_AT_MOST(256)                                                                                          \
      NAME##_##T(const size_t outer, const size_t len, const size_t inner, const size_t outer_step, const size_t step, \
                 const T* src, T* dst, u32* index, const size_t splits, const size_t part, void* partial) {            \
    columns<__VA_ARGS__>(outer, len, inner, outer_step, step, src, dst, index, splits, part, partial);                 \
  }

#define COLUMN_KERNELS(T)                                                                                              \
  COLUMN_KERNEL(columns_sum, T, Sum<T>)                                                                                \
  COLUMN_KERNEL(columns_min, T, ArgExtreme<T, false>)                                                                  \
  COLUMN_KERNEL(columns_max, T, ArgExtreme<T, true>)

COLUMN_KERNELS(u8)
COLUMN_KERNELS(u32)
COLUMN_KERNELS(i16)
COLUMN_KERNELS(i32)
COLUMN_KERNELS(i64)
COLUMN_KERNELS(f16)
COLUMN_KERNELS(bf16)
COLUMN_KERNELS(f32)
COLUMN_KERNELS(f64)
COLUMN_KERNELS(f8_e4m3)
