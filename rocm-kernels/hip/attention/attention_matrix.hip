// Attention for many queries on matrix cores, in f16 and bf16: sdpa_* of attention.hip, with the work partitioning of Dao's
// "FlashAttention-2" (2023, arXiv 2307.08691).
//
// A wavefront owns 16 * ROWS queries and their results. The block loads tiles of KEYS keys and values into shared memory; each
// load overlaps with computation on the previous tile. Weights are rounded to T before they are multiplied by values; scores,
// sums and results are f32. sdpa_matrix_split_*: what rounding takes from a weight is multiplied, too, as a second T, which leaves
// it twice as many bits.
#include "attention/attention.h"
#include "common/f32_pair.h"
#include "common/matrix.h"
#include "common/platform.h"
#include "common/shared_tiles.h"
#include "common/vec.h"
#include "common/wave.h"

namespace {

// A weight is 2^(score - running maximum + WEIGHT_BITS): the offset keeps f16 weights as small as 2^-24 of the largest normal.
// The running maximum is only updated when a score exceeds it by LATE_BITS. The largest weight is therefore 2^(10 + 4), and
// the largest f16 number is close to 2^16.
constexpr f32 WEIGHT_BITS = 10.0f, LATE_BITS = 4.0f;
constexpr f32 LOG2_E = 1.44269504f;
// Where the running maximum starts if scores are only multiplied: its products with such factors are finite.
constexpr f32 LOW = -0x1p100f;

// A wavefront's scores of 16 * ROWS queries with 16 * TILES keys, starting at `key`.
template <u32 ROWS, u32 TILES>
struct Scores {
  matrix::Sums at[ROWS][TILES];
  u32 key;

  // Replaces each score by f(score, which of the lane's queries, key).
  template <class F>
  DEVICE void each(const F& f) {
    UNROLLED
    for (u32 r = 0; r < ROWS; r++) {
      UNROLLED
      for (u32 j = 0; j < TILES; j++) {
        UNROLLED
        for (u32 i = 0; i < matrix::SUMS; i++) {
          f32& x = at[r][j].at[i];
          x = f(x, r * matrix::LANE_ROWS + matrix::which_row(i), key + j * 16 + matrix::sum_column(i));
        }
      }
    }
  }

  // The same of neighbouring pairs, which belong to one query.
  template <class F>
  DEVICE void each_pair(const F& f) {
    UNROLLED
    for (u32 r = 0; r < ROWS; r++) {
      UNROLLED
      for (u32 j = 0; j < TILES; j++) {
        UNROLLED
        for (u32 i = 0; i < matrix::SUMS; i += 2) {
          f32* const pair = at[r][j].at + i;
          const F32Pair x = f(F32Pair{pair[0], pair[1]}, r * matrix::LANE_ROWS + matrix::which_row(i));
          pair[0] = x.x;
          pair[1] = x.y;
        }
      }
    }
  }

  // The highest score of one of the lane's queries, with a short dependency chain.
  DEVICE f32 highest(u32 row) const {
    f32 of[TILES];
    UNROLLED
    for (u32 j = 0; j < TILES; j++) {
      of[j] = LOWEST;
      UNROLLED
      for (u32 i = 0; i < matrix::SUMS; i++) {
        if (matrix::which_row(i) == row % matrix::LANE_ROWS) {
          of[j] = matrix::larger(of[j], at[row / matrix::LANE_ROWS][j].at[i]);
        }
      }
    }
    f32 highest = of[0];
    UNROLLED
    for (u32 j = 1; j < TILES; j++) highest = matrix::larger(highest, of[j]);
    return highest;
  }
};

struct QueryIndex {
  u32 head, position;
};

// d and dv are at most D. QUERIES_STAY: in shared memory, else in registers. SPLIT: weights of two T each. Launch: gridDim.x =
// batch * kv_heads * tiles of QUERIES queries; THREADS threads.
template <class T, u32 D, u32 THREADS, u32 ROWS, u32 KEYS, bool QUERIES_STAY, bool SPLIT>
DEVICE void attend(const Problem<T>& p, T* out) {
  using matrix::LANE_ROWS;
  constexpr u32 QUERIES = THREADS / WAVE * ROWS * 16, PER_LANE = ROWS * LANE_ROWS;
  using KeyTile = Tile<T, D>;
  using ValueTile = Tile<T, matrix::READS_ACROSS ? D : KEYS>;
  constexpr u32 KEY_ELEMENTS = KEYS * KeyTile::ELEMENTS_PER_ROW, QUERY_ELEMENTS = QUERIES * KeyTile::ELEMENTS_PER_ROW;
  constexpr u32 VALUE_ELEMENTS = (matrix::READS_ACROSS ? KEYS : D) * ValueTile::ELEMENTS_PER_ROW;
  // Unless they stay, the queries are loaded first, into the memory of keys and values.
  constexpr u32 TILES = KEY_ELEMENTS + VALUE_ELEMENTS;
  __shared__ Vec<T, 8> pool[(QUERIES_STAY ? TILES + QUERY_ELEMENTS : max_of(TILES, QUERY_ELEMENTS)) / 8];
  T* const base = reinterpret_cast<T*>(pool);
  const KeyTile key_tile{base}, query_tile{QUERIES_STAY ? base + TILES : base};
  const ValueTile value_tile{base + KEY_ELEMENTS};

  const u32 rows = p.rows(), tiles = (rows + QUERIES - 1) / QUERIES;
  // The last tiles start first: with a causal mask, they have the most keys.
  const u32 of = block_x() % (grid_size_x() / tiles),
            first = (tiles - 1 - block_x() / (grid_size_x() / tiles)) * QUERIES;
  const u32 batch = of / p.kv_heads, kv_head = of % p.kv_heads;
  const u32 mine = first + thread_x() / WAVE * (ROWS * 16);

  // The head and position of a query. Most blocks have queries of a single head.
  const u32 head0 = first / p.t, position0 = first - head0 * p.t;
  const auto index_of = [&](u32 row) -> QueryIndex {
    const u32 position = position0 + (row - first);
    if (position < p.t) return {head0, position};
    const u32 heads = position / p.t;
    return {head0 + heads, position - heads * p.t};
  };

  matrix::Left<T> query[ROWS][QUERIES_STAY ? 1 : D / 16];
  UNROLLED
  for (u32 i = 0; i < QUERIES * D / 8 / THREADS; i++) {
    const u32 unit = thread_x() + i * THREADS, row = unit / (D / 8), column = unit % (D / 8) * 8;
    auto part = splat<8>(T{0});
    if (first + row < rows && column < p.d) {
      const QueryIndex index = index_of(first + row);
      part = load_vec<8>(p.query(batch, kv_head, index.head, index.position) + column);
    }
    *reinterpret_cast<Vec<T, 8>*>(query_tile.at(row, column)) = part;
  }
  if constexpr (!QUERIES_STAY) {
    sync_threads();
    UNROLLED
    for (u32 r = 0; r < ROWS; r++) {
      UNROLLED
      for (u32 c = 0; c < D / 16; c++) query[r][c] = matrix::load_left<T>(query_tile, mine - first + r * 16, c * 16);
    }
  }

  // Rows beyond the last query attend to the same keys.
  const auto row_of = [&](u32 r) {
    return min_of(mine + r / LANE_ROWS * 16 + matrix::lane_row(r % LANE_ROWS), rows - 1);
  };
  u32 seen[PER_LANE];
  f32 top[PER_LANE], sum[PER_LANE];
  matrix::Sums result[ROWS][D / 16];
  // If products only need a factor to become exponents of 2, it is applied later.
  const bool simple = p.mask == nullptr && !(p.flags & SOFTCAPPED) && p.scale > 0.0f && p.scale < 1e6f;
  const f32 factor = simple ? p.scale * LOG2_E : LOG2_E;
  UNROLLED
  for (u32 r = 0; r < PER_LANE; r++) {
    seen[r] = p.seen(index_of(row_of(r)).position);
    top[r] = simple ? LOW : LOWEST;
    sum[r] = 0.0f;
  }
  UNROLLED
  for (u32 r = 0; r < ROWS; r++) {
    UNROLLED
    for (u32 c = 0; c < D / 16; c++) result[r][c] = matrix::zeros();
  }
  // The number of keys of the block, of the wavefront, and of the wavefront's query that attends to the fewest. Within a head,
  // the number does not decrease.
  const u32 block_last = min_of(first + QUERIES, rows) - 1, last = min_of(mine + ROWS * 16, rows) - 1;
  const u32 end = position0 + (block_last - first) < p.t ? p.seen(position0 + (block_last - first)) : p.s;
  u32 my_end = 0, all_see = 0;
  if (mine < rows) {
    const QueryIndex from = index_of(mine);
    const bool one_head = from.position + (last - mine) < p.t;
    my_end = one_head ? p.seen(from.position + (last - mine)) : p.s;
    all_see = p.seen(one_head ? from.position : 0);
  }

  TileLoader<T, KEYS, D, THREADS, KeyTile, false> key_loader(p.keys(batch, kv_head), p.k_step, p.s, p.d);
  TileLoader<T, KEYS, D, THREADS, ValueTile, !matrix::READS_ACROSS> value_loader(p.values(batch, kv_head), p.v_step,
                                                                                 p.s, p.dv);
  sync_threads();  // queries are loaded, or in registers
  if (end > 0) {
    key_loader.fetch(key_tile);
    key_loader.store(key_tile);
    key_loader.wait();
  }
  sync_threads();

  for (u32 key0 = 0; key0 < end; key0 += KEYS) {
    value_loader.fetch(value_tile);
    value_loader.next_rows();
    const bool some = key0 < my_end;
    matrix::Left<T> weights[ROWS][KEYS / 16], rests[SPLIT ? ROWS : 1][KEYS / 16];
    Scores<ROWS, KEYS / 16> scores;
    scores.key = key0;
    if (some) {
      UNROLLED
      for (u32 r = 0; r < ROWS; r++) {
        UNROLLED
        for (u32 j = 0; j < KEYS / 16; j++) scores.at[r][j] = matrix::zeros();
      }
      UNROLLED
      for (u32 c = 0; c < D / 16; c++) {
        if constexpr (QUERIES_STAY) {
          UNROLLED
          for (u32 r = 0; r < ROWS; r++) query[r][0] = matrix::load_left<T>(query_tile, mine - first + r * 16, c * 16);
        }
        UNROLLED
        for (u32 j = 0; j < KEYS / 16; j++) {
          const auto key = matrix::load_right<T>(key_tile, j * 16, c * 16);
          UNROLLED
          for (u32 r = 0; r < ROWS; r++) matrix::multiply(scores.at[r][j], query[r][QUERIES_STAY ? 0 : c], key);
        }
      }
    }
    value_loader.store(value_tile);

    if (some) {
      if (!simple) {
        u64 mask_row[PER_LANE];
        UNROLLED
        for (u32 r = 0; r < PER_LANE; r++) {
          const QueryIndex index = index_of(row_of(r));
          mask_row[r] = p.mask_of(batch, kv_head, index.head, index.position);
        }
        p.finish(scores, mask_row, seen);
      } else if (key0 + KEYS > all_see) {
        const f32 none = bit_cast<f32>(0xff800000u);
        scores.each([&](f32 x, u32 r, u32 key) { return key < seen[r] ? x : none; });
      }

      f32 highest[PER_LANE];
      bool late = false;
      UNROLLED
      for (u32 r = 0; r < PER_LANE; r++) {
        highest[r] = matrix::row_reduce(scores.highest(r), [](f32 a, f32 b) { return matrix::larger(a, b); });
        late = late || (highest[r] - top[r]) * factor > LATE_BITS;
      }
      if (wave_ballot(late) != 0) {
        UNROLLED
        for (u32 r = 0; r < PER_LANE; r++) {
          const f32 now = matrix::larger(top[r], highest[r]);
          const f32 fade = math::fast_exp2((top[r] - now) * factor);
          top[r] = now;
          sum[r] *= fade;
          UNROLLED
          for (u32 c = 0; c < D / 16; c++) {
            UNROLLED
            for (u32 i = 0; i < matrix::SUMS; i++) {
              if (matrix::which_row(i) == r % LANE_ROWS) result[r / LANE_ROWS][c].at[i] *= fade;
            }
          }
        }
      }
      // A mask makes scores so large that their products with LOG2_E are off by more than weights can be: the maximum is
      // subtracted before, which is exact.
      if (!simple) scores.each([&](f32 x, u32 r, u32) { return x - top[r]; });
      f32 bits[PER_LANE];
      UNROLLED
      for (u32 r = 0; r < PER_LANE; r++) bits[r] = WEIGHT_BITS - (simple ? top[r] * factor : 0.0f);
      scores.each_pair([&](F32Pair x, u32 r) {
        const F32Pair exponent = pair_fma(x, both(factor), both(bits[r]));
        const F32Pair weight = {math::fast_exp2(exponent.x), math::fast_exp2(exponent.y)};
        sum[r] += weight.x + weight.y;
        return weight;
      });
      UNROLLED
      for (u32 r = 0; r < ROWS; r++) {
        UNROLLED
        for (u32 j = 0; j < KEYS / 16; j++) weights[r][j] = matrix::left_of<T, true>(scores.at[r][j]);
      }
      if constexpr (SPLIT) {
        scores.each([](f32 x, u32, u32) { return x - matrix::rounded_ties_up<T>(x); });
        UNROLLED
        for (u32 r = 0; r < ROWS; r++) {
          UNROLLED
          for (u32 j = 0; j < KEYS / 16; j++) rests[r][j] = matrix::left_of<T>(scores.at[r][j]);
        }
      }
    }
    value_loader.wait();
    sync_threads();  // values are loaded; keys can be overwritten
    const bool more = key0 + KEYS < end;
    key_loader.next_rows();
    if (more) key_loader.fetch(key_tile);

    if (some) {
      UNROLLED
      for (u32 j = 0; j < KEYS / 16; j++) {
        UNROLLED
        for (u32 c = 0; c < D / 16; c++) {
          matrix::Right<T> value;
          if constexpr (matrix::READS_ACROSS) {
            value = matrix::load_right_across<T>(value_tile, j * 16, c * 16);
          } else {
            value = matrix::load_right<T>(value_tile, c * 16, j * 16);
          }
          UNROLLED
          for (u32 r = 0; r < ROWS; r++) {
            matrix::multiply(result[r][c], weights[r][j], value);
            if constexpr (SPLIT) matrix::multiply(result[r][c], rests[r][j], value);
          }
        }
      }
    }
    if (more) {
      key_loader.store(key_tile);
      key_loader.wait();
    }
    sync_threads();  // keys are loaded; values can be overwritten
  }

  f32 part[PER_LANE];
  UNROLLED
  for (u32 r = 0; r < PER_LANE; r++) {
    part[r] = p.normalizer(matrix::row_reduce(sum[r], [](f32 a, f32 b) { return a + b; }));
  }
  const bool vectors = p.dv % matrix::RUN == 0 && (UNALIGNED_VECTORS || is_aligned(out, sizeof(T) * matrix::RUN));
  UNROLLED
  for (u32 r = 0; r < ROWS; r++) {
    UNROLLED
    for (u32 c = 0; c < D / 16; c++) {
      if (c * 16 >= p.dv) break;
      UNROLLED
      for (u32 i = 0; i < matrix::SUMS; i++) result[r][c].at[i] *= part[r * LANE_ROWS + matrix::which_row(i)];
      matrix::each_run(matrix::left_of<T>(result[r][c]), [&](u32 which, u32 column, const Vec<T, matrix::RUN>& run) {
        const u32 row = mine + r * 16 + matrix::lane_row(which);
        if (row >= rows) return;
        column += c * 16;
        T* const to = out + p.written(batch, kv_head, row) * p.dv + column;
        if (vectors) {
          if (column < p.dv) store_vec(to, run);
        } else {
          for (u32 j = 0; j < matrix::RUN; j++) {
            if (column + j < p.dv) to[j] = run.at[j];
          }
        }
      });
    }
  }
}

}  // namespace

// 128 queries. Launch: 128 threads on nvidia, else 256.
// Unused without matrix cores.
#if PLATFORM_NVIDIA
constexpr u32 THREADS = 128, ROWS = 2;
template <u32 D>
constexpr u32 KEYS = D == 64 ? 64 : 32;
template <u32 D>
constexpr bool QUERIES_STAY = D > 64;
#else
[[maybe_unused]] constexpr u32 THREADS = 256, ROWS = WAVE / 32;
// As many as registers allow.
template <u32 D>
constexpr u32 KEYS = D == 64 ? 64 : 32;
template <u32 D>
constexpr bool QUERIES_STAY = D == 64 && WAVE == 32;
#endif

#ifndef ATTENTION_VARIANTS
#define MATRIX_KERNEL(NAME, T, D, SPLIT)                                                                               \
  KERNEL THREADS_AT_MOST(THREADS) NAME(PROBLEM_PARAMETERS(T, T)) {                                                     \
    attend<T, D, THREADS, ROWS, KEYS<D>, QUERIES_STAY<D>, SPLIT>(PROBLEM(T, T), out);                                  \
  }
#define MATRIX_KERNELS(T)                                                                                              \
  MATRIX_KERNEL(sdpa_matrix_64_##T, T, 64, false)                                                                      \
  MATRIX_KERNEL(sdpa_matrix_128_##T, T, 128, false)                                                                    \
  MATRIX_KERNEL(sdpa_matrix_split_64_##T, T, 64, true)                                                                 \
  MATRIX_KERNEL(sdpa_matrix_split_128_##T, T, 128, true)

FOR_MATRIX_F16(MATRIX_KERNELS(f16))
FOR_MATRIX_BF16(MATRIX_KERNELS(bf16))
#endif
