// Inclusive prefix sums along a dimension: dst[o, k, i] = src[o, 0, i] + .. + src[o, k, i] of a contiguous [outer, len,
// inner], for all ten types. candle multiplies by a triangular matrix instead. f16, bf16 and f8_e4m3 accumulate in f32, and each
// result is rounded once; integers wrap.
//
//   scan_rows_<type>     inner = 1: a block scans a row, or one of its `splits` parts of `part` elements. With several parts,
//                        partial[o * splits + p] is the sum of part p.
//   scan_sums_<type>     computes these sums
//   scan_columns_<type>  a thread scans a sequence: for short sequences, and for those that are interleaved in memory
//
// reverse: sequences are scanned from their ends, which is the gradient of the forward scan.
//
// Launch: scan_rows and scan_sums take any grid of blocks of 256 threads, scan_columns any grid of 1-D blocks.
#include "common/accumulator.h"
#include "common/divide.h"
#include "common/platform.h"
#include "common/vec.h"
#include "common/wave.h"

constexpr u32 THREADS = 256, WAVES = THREADS / WAVE;

template <class T>
using sum_t = typename SumOf<T>::type;

template <class T>
constexpr int WIDTH = VECTOR_BYTES / sizeof(T);

// A row of `len` elements in scan order: from its end, if `reverse`.
template <class T>
struct Row {
  static constexpr int W = WIDTH<T>;
  T* p;
  u64 len;
  bool reverse;

  DEVICE T& operator[](u64 k) const { return p[reverse ? len - 1 - k : k]; }
  // The address of the W elements starting at `first`, and which of them is element j in memory.
  DEVICE T* vector(u64 first) const { return p + (reverse ? len - W - first : first); }
  template <class V>
  DEVICE auto pick(const V& v, int j) const {
    // By value: a choice between addresses would keep the vector in memory.
    const auto last = v.at[W - 1 - j], first = v.at[j];
    return reverse ? last : first;
  }
};

// W elements in scan order, starting at `first`; zeros from `end` on.
template <class T>
DEVICE void load_some(const Row<const T>& row, u64 first, u64 end, bool vectors, sum_t<T> (&values)[WIDTH<T>]) {
  constexpr int W = WIDTH<T>;
  if (vectors && first + W <= end) {
    const Vec<T, W> v = load_vec<W>(row.vector(first));
    UNROLLED
    for (int j = 0; j < W; j++) values[j] = sum_t<T>(widen(row.pick(v, j)));
  } else {
    UNROLLED
    for (int j = 0; j < W; j++) values[j] = first + j < end ? sum_t<T>(widen(row[first + j])) : sum_t<T>(0);
  }
}

// Whether rows of this length, and their parts, consist of whole vectors.
template <class T>
DEVICE bool in_vectors(u64 len, u64 part, const T* src, const T* dst) {
  return UNALIGNED_VECTORS || (len % WIDTH<T> == 0 && part % WIDTH<T> == 0 && is_aligned(src, VECTOR_BYTES) &&
                               is_aligned(dst, VECTOR_BYTES));
}

template <class T>
DEVICE void scan_rows(u64 rows, u64 len, u64 splits, u64 part, const T* src, T* dst, const sum_t<T>* partial,
                      bool reverse) {
  using A = sum_t<T>;
  constexpr int W = WIDTH<T>;
  // Double-buffered, so that one barrier per tile suffices.
  __shared__ A of_wave[2][WAVES];
  const u32 lane = lane_id(), wave = thread_x() / WAVE;
  const bool vectors = in_vectors(len, part, src, dst);
  u32 turn = 0;
  for (u64 unit = block_x(); unit < rows * splits; unit += grid_size_x()) {
    const Division at = divide(unit, splits);
    const u64 begin = at.remainder * part, end = min_of(begin + part, len);
    const Row<const T> from = {src + at.quotient * len, len, reverse};
    const Row<T> to = {dst + at.quotient * len, len, reverse};
    A before = 0;
    for (u64 p = 0; p < at.remainder; p++) before += partial[at.quotient * splits + p];
    A values[W], next[W];
    load_some<T>(from, begin + thread_x() * W, end, vectors, next);
    for (u64 tile = begin; tile < end; tile += THREADS * W) {
      const u64 first = tile + thread_x() * W;
      UNROLLED
      for (int j = 0; j < W; j++) values[j] = next[j];
      // Prefetched while the current elements are scanned.
      load_some<T>(from, first + THREADS * W, end, vectors, next);
      UNROLLED
      for (int j = 1; j < W; j++) values[j] += values[j - 1];
      A sum = values[W - 1];
      UNROLLED
      for (u32 delta = 1; delta < WAVE; delta *= 2) {
        const A other = wave_shuffle(sum, lane >= delta ? lane - delta : lane);
        if (lane >= delta) sum += other;
      }
      A left = wave_shuffle(sum, lane > 0 ? lane - 1 : 0);
      if (lane == 0) left = 0;
      if (lane == WAVE - 1) of_wave[turn][wave] = sum;
      sync_threads();
      UNROLLED
      for (u32 w = 0; w < WAVES; w++) {
        if (w == wave) left += before;
        before += of_wave[turn][w];
      }
      turn ^= 1;
      Vec<T, W> rounded;
      UNROLLED
      for (int j = 0; j < W; j++) rounded.at[j] = convert<T>(left + values[j]);
      if (vectors && first + W <= end) {
        Vec<T, W> ordered;
        UNROLLED
        for (int j = 0; j < W; j++) ordered.at[j] = to.pick(rounded, j);
        store_vec(to.vector(first), ordered);
      } else {
        UNROLLED
        for (int j = 0; j < W; j++) {
          if (first + j < end) to[first + j] = rounded.at[j];
        }
      }
    }
  }
}

template <class T>
DEVICE void scan_sums(u64 rows, u64 len, u64 splits, u64 part, const T* src, sum_t<T>* partial, bool reverse) {
  using A = sum_t<T>;
  constexpr int W = WIDTH<T>;
  __shared__ A of_wave[WAVES];
  const bool vectors = in_vectors(len, part, src, src);
  for (u64 unit = block_x(); unit < rows * splits; unit += grid_size_x()) {
    const Division at = divide(unit, splits);
    const u64 begin = at.remainder * part, end = min_of(begin + part, len);
    A sum = 0;
    for (u64 first = begin + thread_x() * W; first < end; first += THREADS * W) {
      A values[W];
      load_some<T>(Row<const T>{src + at.quotient * len, len, reverse}, first, end, vectors, values);
      UNROLLED
      for (int j = 0; j < W; j++) sum += values[j];
    }
    sum = wave_reduce(sum, [](A a, A b) { return a + b; });
    if (lane_id() == 0) of_wave[thread_x() / WAVE] = sum;
    sync_threads();
    if (thread_x() == 0) {
      for (u32 w = 1; w < WAVES; w++) sum += of_wave[w];
      partial[unit] = sum;
    }
    sync_threads();  // before of_wave is reused
  }
}

template <class T>
DEVICE void scan_columns(u64 outer, u64 len, u64 inner, const T* src, T* dst, bool reverse) {
  constexpr u32 U = 8;
  const u64 step = u64(grid_size_x()) * block_size_x();
  for (u64 column = u64(block_x()) * block_size_x() + thread_x(); column < outer * inner; column += step) {
    const Division at = divide(column, inner);
    const u64 start = at.quotient * len * inner + at.remainder + (reverse ? (len - 1) * inner : 0);
    const i64 hop = reverse ? -i64(inner) : i64(inner);
    const T* const from = src + start;
    T* const to = dst + start;
    sum_t<T> sum = 0;
    u64 k = 0;
    for (; k + U <= len; k += U) {
      T values[U];
      UNROLLED
      for (u32 u = 0; u < U; u++) values[u] = from[i64(k + u) * hop];
      UNROLLED
      for (u32 u = 0; u < U; u++) {
        sum += sum_t<T>(widen(values[u]));
        to[i64(k + u) * hop] = convert<T>(sum);
      }
    }
    for (; k < len; k++) {
      sum += sum_t<T>(widen(from[i64(k) * hop]));
      to[i64(k) * hop] = convert<T>(sum);
    }
  }
}

#define SCAN(T)                                                                                                        \
  KERNEL THREADS_AT_MOST(256)                                                                                          \
      scan_rows_##T(const size_t rows, const size_t len, const size_t splits, const size_t part, const T* src, T* dst, \
                    const sum_t<T>* partial, const u32 reverse) {                                                      \
    scan_rows(rows, len, splits, part, src, dst, partial, reverse != 0);                                               \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256) scan_sums_##T(const size_t rows, const size_t len, const size_t splits,                  \
                                            const size_t part, const T* src, sum_t<T>* partial, const u32 reverse) {   \
    scan_sums(rows, len, splits, part, src, partial, reverse != 0);                                                    \
  }                                                                                                                    \
  KERNEL scan_columns_##T(const size_t outer, const size_t len, const size_t inner, const T* src, T* dst,              \
                          const u32 reverse) {                                                                         \
    scan_columns(outer, len, inner, src, dst, reverse != 0);                                                           \
  }

SCAN(u8)
SCAN(u32)
SCAN(i16)
SCAN(i32)
SCAN(i64)
SCAN(f16)
SCAN(bf16)
SCAN(f32)
SCAN(f64)
SCAN(f8_e4m3)
