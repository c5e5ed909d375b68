// Attention of many queries on matrix cores, f16 and bf16: what sdpa_* of attention.hip does, in the way of FlashAttention-2
// (Dao, 2023).
//
// A wavefront has ROWS times 16 queries, all the time, and so their results; the block brings tiles of KEYS keys and values
// to shared memory, each on its way while the tile before is worked on. Weights are rounded to T before they multiply
// values; scores, sums and results are f32.
#include "attention.h"
#include "matrix.h"
#include "platform.h"
#include "shared_tiles.h"
#include "vec.h"
#include "wave.h"

namespace {

// Weights are this power of two too large, and so are their sums: those of f16 may then be 2^-24 of the largest weight
// before they lose bits.
constexpr f32 WEIGHT_BITS = 10.0f;
constexpr f32 LOG2_E = 1.44269504f;

// A wavefront's scores of ROWS times 16 queries and the TILES times 16 keys from `key` on.
template <u32 ROWS, u32 TILES>
struct Scores {
  matrix::Sums at[ROWS][TILES];
  u32 key;

  // f(score, which of the lane's queries, key) gives the new score.
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
};

// d and dv up to D. Launch: gridDim.x = batch * kv_heads * tiles of QUERIES queries; THREADS threads. STAGES 2: two tiles of
// keys and values each, one on its way while the other is used. QUERIES_STAY in shared memory: else in registers.
template <class T, u32 D, u32 THREADS, u32 ROWS, u32 KEYS, u32 STAGES, bool QUERIES_STAY>
DEVICE void attend(const Problem<T>& p, T* out) {
  using matrix::LANE_ROWS;
  constexpr u32 QUERIES = THREADS / WAVE * ROWS * 16, PER_LANE = ROWS * LANE_ROWS;
  using KeyTile = SwizzledTile<T, D>;
  using ValueTile = SwizzledTile<T, matrix::READS_ACROSS ? D : KEYS>;
  // The queries come first, to where keys and values will be, unless they stay.
  constexpr u32 TILES = 2 * STAGES * KEYS * D;
  __shared__ Vec<T, 8> pool[(QUERIES_STAY ? TILES + QUERIES * D : max_of(TILES, QUERIES * D)) / 8];
  T* const base = reinterpret_cast<T*>(pool);
  const KeyTile query_tile{QUERIES_STAY ? base + TILES : base};
  const auto key_tile = [&](u32 stage) { return KeyTile{base + stage * (KEYS * D)}; };
  const auto value_tile = [&](u32 stage) { return ValueTile{base + (STAGES + stage) * (KEYS * D)}; };

  const u32 rows = p.rows(), tiles = (rows + QUERIES - 1) / QUERIES;
  // The last tiles have the most keys, if causal: they begin first.
  const u32 of = block_x() % (grid_size_x() / tiles), first = (tiles - 1 - block_x() / (grid_size_x() / tiles)) * QUERIES;
  const u32 batch = of / p.kv_heads, kv_head = of % p.kv_heads;
  const Rows<T> keys(p.keys(batch, kv_head), p.k_step, p.s, (p.d + 7) / 8 * 8), values(p.values(batch, kv_head), p.v_step, p.s, (p.dv + 7) / 8 * 8);
  const u32 mine = first + thread_x() / WAVE * (ROWS * 16);

  matrix::Left<T> query[ROWS][QUERIES_STAY ? 1 : D / 16];
  UNROLLED
  for (u32 i = 0; i < QUERIES * D / 8 / THREADS; i++) {
    const u32 unit = thread_x() + i * THREADS, row = unit / (D / 8), column = unit % (D / 8) * 8;
    const T* const from = p.query(batch, kv_head, first + row);
    *reinterpret_cast<Vec<T, 8>*>(query_tile.at(row, column)) = eight(from + column, from && column < p.d ? 8 : 0);
  }
  if constexpr (!QUERIES_STAY) {
    sync_threads();
    UNROLLED
    for (u32 r = 0; r < ROWS; r++) {
      UNROLLED
      for (u32 c = 0; c < D / 16; c++) query[r][c] = matrix::load_left<T>(query_tile, mine - first + r * 16, c * 16);
    }
  }

  u32 seen[PER_LANE];
  f32 top[PER_LANE], sum[PER_LANE];
  matrix::Sums result[ROWS][D / 16];
  UNROLLED
  for (u32 r = 0; r < PER_LANE; r++) {
    // Those beyond the last see what it sees.
    const u32 row = min_of(mine + r / LANE_ROWS * 16 + matrix::lane_row(r % LANE_ROWS), rows - 1);
    seen[r] = p.seen(row);
    top[r] = LOWEST;
    sum[r] = 0.0f;
  }
  UNROLLED
  for (u32 r = 0; r < ROWS; r++) {
    UNROLLED
    for (u32 c = 0; c < D / 16; c++) result[r][c] = matrix::zeros();
  }
  // Where the keys of the block end, of the wavefront, and of the one of its queries that sees the fewest. The later of a
  // head's queries see no fewer.
  const auto one_head = [&](u32 from, u32 to) { return from / p.t == to / p.t; };
  const u32 block_last = min_of(first + QUERIES, rows) - 1, last = min_of(mine + ROWS * 16, rows) - 1;
  const u32 end = one_head(first, block_last) ? p.seen(block_last) : p.s;
  const u32 my_end = mine >= rows ? 0 : one_head(mine, last) ? p.seen(last) : p.s;
  const u32 all_see = mine >= rows ? 0 : one_head(mine, last) ? p.seen(mine) : p.seen(0);
  // If products need nothing but a factor to be exponents of 2, that is left for later.
  const bool simple = p.mask == nullptr && p.cap == 0.0f && p.scale > 0.0f;
  const f32 factor = simple ? p.scale * LOG2_E : LOG2_E;

  Courier<T, KEYS, D, THREADS, KeyTile, false> brings_keys;
  Courier<T, KEYS, D, THREADS, ValueTile, !matrix::READS_ACROSS> brings_values;
  sync_threads();  // queries are there, or used
  if (end > 0) {
    brings_keys.fetch(key_tile(0), keys, 0, 0);
    brings_keys.store(key_tile(0));
    if (STAGES == 2) {
      brings_values.fetch(value_tile(0), values, 0, 0);
      brings_values.store(value_tile(0));
    }
  }
  if constexpr (STAGES == 1) {
    brings_keys.template wait<0>();
    sync_threads();
  }

  for (u32 key0 = 0; key0 < end; key0 += KEYS) {
    const u32 stage = STAGES == 2 ? key0 / KEYS % 2 : 0, next = key0 + KEYS;
    if constexpr (STAGES == 2) {
      brings_keys.template wait<0>();
      sync_threads();  // keys and values are there; those before are used
      if (next < end) {
        brings_keys.fetch(key_tile(1 - stage), keys, next, 0);
        brings_values.fetch(value_tile(1 - stage), values, next, 0);
      }
    } else {
      brings_values.fetch(value_tile(0), values, key0, 0);
    }
    const bool some = key0 < my_end;
    matrix::Left<T> weights[ROWS][KEYS / 16];
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
          const auto key = matrix::load_right<T>(key_tile(stage), j * 16, c * 16);
          UNROLLED
          for (u32 r = 0; r < ROWS; r++) matrix::multiply(scores.at[r][j], query[r][QUERIES_STAY ? 0 : c], key);
        }
      }
    }
    if constexpr (STAGES == 1) brings_values.store(value_tile(0));

    if (some) {
      if (!simple) {
        u64 mask_row[PER_LANE];
        UNROLLED
        for (u32 r = 0; r < PER_LANE; r++) {
          mask_row[r] = p.mask_of(batch, kv_head, mine + r / LANE_ROWS * 16 + matrix::lane_row(r % LANE_ROWS));
        }
        p.finish(scores, mask_row, seen);
      } else if (key0 + KEYS > all_see) {
        const f32 none = bit_cast<f32>(0xff800000u);
        scores.each([&](f32 x, u32 r, u32 key) { return key < seen[r] ? x : none; });
      }
      f32 highest[PER_LANE];
      UNROLLED
      for (u32 r = 0; r < PER_LANE; r++) highest[r] = top[r];
      scores.each([&](f32 x, u32 r, u32) {
        highest[r] = max_of(highest[r], x);
        return x;
      });
      UNROLLED
      for (u32 r = 0; r < PER_LANE; r++) {
        highest[r] = matrix::row_reduce(highest[r], [](f32 a, f32 b) { return max_of(a, b); });
        const f32 fade = math::fast_exp2((top[r] - highest[r]) * factor);
        top[r] = highest[r];
        sum[r] *= fade;
        UNROLLED
        for (u32 c = 0; c < D / 16; c++) {
          UNROLLED
          for (u32 i = 0; i < matrix::SUMS; i++) {
            if (matrix::which_row(i) == r % LANE_ROWS) result[r / LANE_ROWS][c].at[i] *= fade;
          }
        }
      }
      scores.each([&](f32 x, u32 r, u32) {
        const f32 weight = math::fast_exp2(math::fma(x - top[r], factor, WEIGHT_BITS));
        sum[r] += weight;
        return weight;
      });
      UNROLLED
      for (u32 r = 0; r < ROWS; r++) {
        UNROLLED
        for (u32 j = 0; j < KEYS / 16; j++) weights[r][j] = matrix::left_of<T>(scores.at[r][j]);
      }
    }
    if constexpr (STAGES == 1) {
      brings_values.template wait<0>();
      sync_threads();  // values are there; keys are used
      if (next < end) brings_keys.fetch(key_tile(0), keys, next, 0);
    }

    if (some) {
      UNROLLED
      for (u32 j = 0; j < KEYS / 16; j++) {
        UNROLLED
        for (u32 c = 0; c < D / 16; c++) {
          matrix::Right<T> value;
          if constexpr (matrix::READS_ACROSS) {
            value = matrix::load_right_across<T>(value_tile(stage), j * 16, c * 16);
          } else {
            value = matrix::load_right<T>(value_tile(stage), c * 16, j * 16);
          }
          UNROLLED
          for (u32 r = 0; r < ROWS; r++) matrix::multiply(result[r][c], weights[r][j], value);
        }
      }
    }
    if (next < end) brings_keys.store(key_tile(STAGES == 2 ? 1 - stage : 0));
    if constexpr (STAGES == 2) {
      if (next < end) brings_values.store(value_tile(1 - stage));
    } else {
      brings_keys.template wait<0>();
      sync_threads();  // keys are there; values are used
    }
  }

  f32 part[PER_LANE];
  UNROLLED
  for (u32 r = 0; r < PER_LANE; r++) {
    part[r] = reciprocal(matrix::row_reduce(sum[r], [](f32 a, f32 b) { return a + b; }));
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
        T* const to = out + p.result(batch, kv_head, row) * p.dv + column;
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

// Keys in a tile, of 128 queries: RDNA lacks the registers for as many.
template <u32 D>
constexpr u32 KEYS = WAVE == 64 || matrix::READS_ACROSS || D == 64 ? 64 : 32;

#ifndef ATTENTION_VARIANTS
#define MATRIX_KERNEL(T, D)                                                                                        \
  KERNEL THREADS_AT_MOST(256) sdpa_matrix_##D##_##T(PROBLEM_PARAMETERS(T)) {                                       \
    attend<T, D, 256, WAVE / 32, KEYS<D>, 1, false>(PROBLEM(T), out);                                                 \
  }

MATRIX_KERNEL(f16, 64)
MATRIX_KERNEL(f16, 128)
MATRIX_KERNEL(bf16, 64)
MATRIX_KERNEL(bf16, 128)
#endif
