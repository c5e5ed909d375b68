// Mixtures of experts: each row is multiplied by the weights of its expert. The inputs are those of candle-nn's moe_gemm;
// candle's kernels (candle-kernels/src/moe) are called through C launchers, which have no counterpart here.
//
// Entry i of the sorted lists assigns row rows[i] to expert experts[i]; entries of an expert are consecutive. Row r of the
// output is computed from row r of the input and scaled by factors[r], or, if factors is null, from row r / topk.
#include "common/f32_tiles.h"
#include "common/platform.h"
#include "common/vec.h"
#include "common/wave.h"

template <class T>
struct Experts {
  const T *input, *weights;  // [.., k], [experts, n, k]
  const u32 *rows, *experts;
  const f32* factors;  // may be null
  T* out;              // [count, n]
  u32 count, expert_count, topk, n, k;

  DEVICE const T* input_of(u32 row) const { return input + size_t(factors ? row : row / topk) * k; }
  DEVICE const T* weights_of(u32 expert, u32 column) const { return weights + (size_t(expert) * n + column) * k; }
  DEVICE void store(u32 row, u32 column, f32 sum) const {
    out[size_t(row) * n + column] = convert<T>(factors ? sum * factors[row] : sum);
  }
};

// ----------------------------------------------------------------------------------------------------------- Few rows

// A wavefront computes four results at a time. Launch: 128 threads; gridDim.x = count, gridDim.y parts of 32 columns.
constexpr u32 FEW_COLUMNS = 32;

template <class T>
DEVICE void few(const Experts<T>& p) {
  const u32 row = p.rows[block_x()], expert = p.experts[block_x()];
  if (row >= p.count || expert >= p.expert_count) return;
  const T* const input = p.input_of(row);
  const u32 lane = thread_x() % WAVE, waves = block_size_x() / WAVE, first = block_y() * FEW_COLUMNS;
  for (u32 part = thread_x() / WAVE * 4; part < FEW_COLUMNS; part += waves * 4) {
    f32 sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (u32 at = 0; at < p.k; at += WAVE * 8) {
      const Vec<T, 8> x = load_eight<false>(input, at + lane * 8, p.k);
      Vec<T, 8> w[4];
      UNROLLED
      for (int j = 0; j < 4; j++) {
        const u32 column = first + part + j;
        w[j] = load_eight<false>(column < p.n ? p.weights_of(expert, column) : nullptr, at + lane * 8, p.k);
      }
      UNROLLED
      for (int j = 0; j < 4; j++) {
        UNROLLED
        for (int i = 0; i < 8; i++) sums[j] = math::fma(widen(x.at[i]), widen(w[j].at[i]), sums[j]);
      }
    }
    UNROLLED
    for (int j = 0; j < 4; j++) {
      UNROLLED
      for (u32 mask = WAVE / 2; mask > 0; mask /= 2) {
        const f32 theirs = wave_xor(sums[j], mask);
        sums[j] += theirs;
      }
      const u32 column = first + part + j;
      if (lane == 0 && column < p.n) p.store(row, column, sums[j]);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------- Many rows

// The first entry of this expert or a later one.
DEVICE u32 first_of(const u32* experts, u32 count, u32 expert) {
  u32 begin = 0, end = count;
  while (begin < end) {
    const u32 middle = begin + (end - begin) / 2;
    if (experts[middle] < expert) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

// Launch: 256 threads; gridDim.x experts, gridDim.y tiles of columns, gridDim.z blocks that share the tiles of rows.
template <class T>
DEVICE void many(const Experts<T>& p) {
  __shared__ V4 pool[POOL];
  const u32 expert = block_x(), column0 = block_y() * TILE;
  const u32 end = first_of(p.experts, p.count, expert + 1);
  const u32 tid = thread_x(), x = tid % 16, y = tid / 16;
  const u32 column = column0 + tid / 4;
  const T* const weights = column < p.n ? p.weights_of(expert, column) : nullptr;
  u32 first = first_of(p.experts, p.count, expert) + block_z() * TILE;
  for (; first < end; first += grid_size_z() * TILE) {
    const u32 entry = first + tid / 4;
    const u32 fetched = entry < end ? p.rows[entry] : p.count;
    f32 sums[4][4];
    UNROLLED
    for (int i = 0; i < 4; i++) {
      UNROLLED
      for (int j = 0; j < 4; j++) sums[i][j] = 0.0f;
    }
    multiply<false>(sums, pool, fetched < p.count ? p.input_of(fetched) : nullptr, weights, p.k);
    UNROLLED
    for (int i = 0; i < 4; i++) {
      const u32 entry = first + y * 4 + i;
      const u32 row = entry < end ? p.rows[entry] : p.count;
      UNROLLED
      for (int j = 0; j < 4; j++) {
        const u32 column = column0 + x + 16 * j;
        if (row < p.count && column < p.n) p.store(row, column, sums[i][j]);
      }
    }
  }
}

// -------------------------------------------------------------------------------------------------- Gradient of weights

// The gradient of the weights: out[expert] is the sum of the outer products of gradient and input over the expert's entries.
// candle has no counterpart. Launch: 256 threads; gridDim.x experts, gridDim.y tiles of n, gridDim.z tiles of k.
constexpr u32 ENTRIES = 16;

// Four elements of a row of n, starting at `from`; zeros beyond its end, or if the row is null.
template <class T>
DEVICE V4 four(const T* row, u32 from, u32 n) {
  V4 x;
  UNROLLED
  for (u32 j = 0; j < 4; j++) x.at[j] = row != nullptr && from + j < n ? widen(row[from + j]) : 0.0f;
  return x;
}

template <class T>
DEVICE void weights_of_experts(const Experts<T>& p, const T* dy) {
  __shared__ V4 of_dy[ENTRIES][TILE / 4], of_input[ENTRIES][TILE / 4];
  const u32 expert = block_x(), tid = thread_x(), x = tid % 16, y = tid / 16;
  const u32 begin = first_of(p.experts, p.count, expert), end = first_of(p.experts, p.count, expert + 1);
  for (u32 row0 = block_y() * TILE; row0 < p.n; row0 += grid_size_y() * TILE) {
    for (u32 column0 = block_z() * TILE; column0 < p.k; column0 += grid_size_z() * TILE) {
      f32 sums[4][4] = {};
      for (u32 first = begin; first < end; first += ENTRIES) {
        const u32 entry = first + y;
        const u32 row = entry < end ? p.rows[entry] : p.count;
        const bool there = row < p.count;
        V4 d = four(there ? dy + size_t(row) * p.n : nullptr, row0 + x * 4, p.n);
        if (there && p.factors) {
          UNROLLED
          for (int j = 0; j < 4; j++) d.at[j] *= p.factors[row];
        }
        const V4 e = four(there ? p.input_of(row) : nullptr, column0 + x * 4, p.k);
        sync_threads();
        of_dy[y][x] = d, of_input[y][x] = e;
        sync_threads();
        UNROLLED
        for (u32 k = 0; k < ENTRIES; k++) {
          const V4 a = of_dy[k][y], b = of_input[k][x];
          UNROLLED
          for (int i = 0; i < 4; i++) {
            UNROLLED
            for (int j = 0; j < 4; j++) sums[i][j] = math::fma(a.at[i], b.at[j], sums[i][j]);
          }
        }
      }
      UNROLLED
      for (u32 i = 0; i < 4; i++) {
        UNROLLED
        for (u32 j = 0; j < 4; j++) {
          const u32 row = row0 + y * 4 + i, column = column0 + x * 4 + j;
          if (row < p.n && column < p.k) {
            p.out[(size_t(expert) * p.n + row) * p.k + column] = convert<T>(sums[i][j]);
          }
        }
      }
    }
  }
}

#define EXPERTS_KERNEL(NAME, BODY, THREADS, T)                                                                         \
  KERNEL THREADS_AT_MOST(THREADS)                                                                                      \
      NAME##_##T(const T* input, const T* weights, const u32* rows, const u32* experts, const f32* factors, T* out,    \
                 const u32 count, const u32 expert_count, const u32 topk, const u32 n, const u32 k) {                  \
    BODY<T>({input, weights, rows, experts, factors, out, count, expert_count, topk, n, k});                           \
  }

#define EXPERTS_GRADIENT_KERNEL(T)                                                                                     \
  KERNEL THREADS_AT_MOST(256)                                                                                          \
      moe_weights_##T(const T* input, const T* dy, const u32* rows, const u32* experts, const f32* factors, T* out,    \
                      const u32 count, const u32 expert_count, const u32 topk, const u32 n, const u32 k) {             \
    weights_of_experts<T>({input, nullptr, rows, experts, factors, out, count, expert_count, topk, n, k}, dy);         \
  }

#define EXPERTS_KERNELS(T)                                                                                             \
  EXPERTS_KERNEL(moe_few, few, 128, T)                                                                                 \
  EXPERTS_KERNEL(moe_many, many, 256, T)                                                                               \
  EXPERTS_GRADIENT_KERNEL(T)

EXPERTS_KERNELS(f32)
EXPERTS_KERNELS(f16)
EXPERTS_KERNELS(bf16)
