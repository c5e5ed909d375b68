// Products of quantized matrices with many vectors, as bytes on matrix cores.
//
// A block of 256 threads computes ROWS x VECTORS results in steps of STEP columns: it unpacks the weights of ROWS rows to bytes
// in shared memory, beside as many activations of VECTORS vectors, and each wavefront multiplies its share of fragments. Sums
// of a group, whose weights and activations have one scale each, are integers; groups are added up in f32. Those of 32 columns are
// first multiplied by the scales of weights alone, and together by that of the activations. On RDNA 4 these few instructions take
// as long as the products, so all of them are dual ones (f32_pair.h). Launch: any grid of such blocks; x over the rows, y over the
// vectors. Before results are written, something may be added and an activation be applied; results of a gate and of what it gates may
// become one.
#ifndef CANDLE_ROCM_QUANTIZED_MAT_MAT_H
#define CANDLE_ROCM_QUANTIZED_MAT_MAT_H

#include "common/activations.h"
#include "common/shared_tiles.h"
#include "common/vec.h"
#include "quantized/matrix_bytes.h"
#include "quantized/quantized_blocks.h"

constexpr u32 THREADS = 256, STEP = 64;
// While one step is multiplied, another is stored; not on CDNA, where two blocks to a compute unit hide more.
constexpr u32 BUFFERS = WAVE == 64 ? 1 : 2;

// ------------------------------------------------------------------------------------------------------- Types of blocks

// Signed bytes times a number, all below 2^7.
DEVICE u32 times(u32 bytes, i32 number) {
  const u32 factor = u32(number) & 0xff, even = bytes & 0x00ff00ffu, odd = bytes >> 8 & 0x00ff00ffu;
  return (even * factor & 0x00ff00ffu) | (odd * factor & 0x00ff00ffu) << 8;
}

// Blocks of type B whose quants times their small scales are bytes: two groups of 16 that share the activations' scale are one sum.
template <class B>
struct Merged : B {
  static constexpr int GROUP = 32;
  template <int N = B::PLANES>
  static DEVICE Granule<N> load(const u8* block, u32 g, u32 first = 0) {
    const FactoredGranule<N> from = B::template load_factored<N>(block, g, first);
    Granule<N> result;
    UNROLLED
    for (int p = 0; p < N; p++) {
      // Of -4 and -32, only the negated product is a byte.
      UNROLLED
      for (int i = 0; i < 2; i++) result.q[p].at[i] = times(from.q[p].at[i], -from.scale[p]);
      result.scale[p] = -from.factor;
      result.offset[p] = from.offset[p];
    }
    return result;
  }
};

// What tiles take blocks of a type for, and the number of consecutive weights that share an offset.
template <class B>
struct TiledType {
  using type = B;
};
template <>
struct TiledType<Q2_K> {
  using type = Merged<Q2_K>;
};
template <>
struct TiledType<Q3_K> {
  using type = Merged<Q3_K>;
};
template <class B>
constexpr u32 OFFSET_GROUP = B::GROUP;
template <class B>
constexpr u32 OFFSET_GROUP<Merged<B>> = B::GROUP;

// -------------------------------------------------------------------------------------------------------- Shared memory

// Rows of STEP bytes, in pairs.
using StepTile = SwizzledTile<f16, STEP / 2>;

template <class B, u32 ROWS, u32 VECTORS>
struct Stage {
  static constexpr u32 GROUPS = STEP / B::GROUP, OFFSETS = B::OFFSETS ? STEP / OFFSET_GROUP<B> : 1;
  alignas(16) u32 weights[ROWS * STEP / 4];
  alignas(16) u32 values[VECTORS * STEP / 4];
  // Of 16 rows, in the order of matrix::column_slot.
  alignas(16) f32 scale[GROUPS][ROWS];
  alignas(16) f32 offset[OFFSETS][B::OFFSETS ? ROWS : 1];
  Doubled value_scale[STEP / 32][VECTORS], sum[OFFSETS][B::OFFSETS ? VECTORS : 1];

  DEVICE StepTile weight_tile() { return {reinterpret_cast<f16*>(weights)}; }
  DEVICE StepTile value_tile() { return {reinterpret_cast<f16*>(values)}; }
};

// Stores word `word` of the 32 bytes that begin at byte `at` of a tile's row.
template <class B>
DEVICE void store_word_of(StepTile tile, u32 row, u32 at, u32 word, u32 bits) {
  const u32 byte = at + 4 * (B::GROUP == 16 ? matrix::stored_word(word) : word);
  *reinterpret_cast<u32*>(tile.at(row, byte / 16 * 8) + byte % 16 / 2) = bits;
}

// What is loaded of a granule: its bytes, of types that say what to read, and otherwise what they are unpacked to.
template <class B, class = void>
constexpr bool READS_RAW = false;
template <class B>
constexpr bool READS_RAW<B, decltype(void(sizeof(typename B::template Raw<1>)))> = true;
template <class B, u32 PLANES, bool = READS_RAW<B>>
struct FetchedBy {
  using type = Granule<PLANES>;
};
template <class B, u32 PLANES>
struct FetchedBy<B, PLANES, true> {
  using type = typename B::template Raw<PLANES>;
};

// What a tile's rows are rows of: a matrix, or two in turn, 16 rows of each, whose results a wavefront has side by side. A wavefront also
// loads 16 rows.
struct OneMatrix {
  static constexpr u32 COUNT = 1;
  const u8* x;
  DEVICE const u8* of_wave() const { return x; }
  static DEVICE u32 row(u32 tile_row) { return tile_row; }
};
struct GateAndUp {
  static constexpr u32 COUNT = 2;
  const u8 *gate, *up;
  DEVICE const u8* of_wave() const { return uniform(thread_x() / WAVE) % 2 == 0 ? gate : up; }
  static DEVICE u32 row(u32 tile_row) { return tile_row / 32 * 16 + tile_row % 16; }
};

// The weights of ROWS rows, a step at a time: COUNT neighbouring granules of a row for each thread. Rows beyond the last repeat
// it; columns beyond the last have scales of 0.
template <class B, u32 ROWS>
struct Weights {
  // Planes of a granule that belong to the same step, and steps that a granule's planes belong to.
  static constexpr u32 PLANES = B::PLANES == 1 ? 1 : min_of(u32(B::PLANES), STEP / B::weight_index(0, 1));
  static constexpr u32 STEPS = B::PLANES / PLANES;
  static constexpr u32 PER_ROW = STEP / (8 * PLANES), SHARES = THREADS / ROWS, COUNT = PER_ROW / SHARES;
  static_assert(COUNT * SHARES == PER_ROW && SHARES * ROWS == THREADS, "all threads load equally many");
  // Blocks of a step, or steps of a block.
  static constexpr bool SMALL = B::WEIGHTS < STEP;
  static constexpr u32 STEPS_OF_BLOCK = SMALL ? 1 : B::WEIGHTS / STEP;
  // Whether all threads of a row have weights of the same groups, one in each plane.
  template <u32 GROUP>
  static DEVICE constexpr bool shared() {
    if constexpr (PLANES == 1) return false;
    return 8 * COUNT < GROUP && B::weight_index(0, 1) == GROUP;
  }
  static constexpr bool SHARED = shared<B::GROUP>(), SHARED_OFFSETS = shared<OFFSET_GROUP<B>>();

  // The first of the rows, and bytes up to this thread's.
  const u8* first;
  u32 offset, row_blocks;
  typename FetchedBy<B, PLANES>::type fetched[COUNT];
  // The step's part of its blocks.
  u32 part;

  template <class X>
  DEVICE Weights(const X& x, u32 first_row, u32 rows, u32 row_blocks)
      : first(x.of_wave() + u64(first_row) * row_blocks * B::BYTES),
        offset(min_of(X::row(row()), rows - 1 - first_row) * row_blocks * B::BYTES),
        row_blocks(row_blocks) {
    static_assert(X::COUNT == 1 || WAVE / SHARES == 16, "a wavefront loads rows of one matrix");
  }

  static DEVICE u32 row() { return thread_x() / SHARES; }
  // The granules, by their number in the step.
  static DEVICE u32 granule(u32 k) { return thread_x() % SHARES * COUNT + k; }

  // The same by its number in the block, or in one of the step's blocks.
  DEVICE u32 granule_of_block(u32 k) const {
    return SMALL ? granule(k) % B::GRANULES : part / STEPS * PER_ROW + granule(k);
  }

  // Step `part` of the STEPS_OF_BLOCK from `step` on, which begins a block.
  DEVICE void fetch(u32 step, u32 part) {
    this->part = part;
    const u32 block = SMALL ? step * (STEP / B::WEIGHTS) : step / STEPS_OF_BLOCK;
    const u8* const from = first + u64(block) * B::BYTES;
    UNROLLED
    for (u32 k = 0; k < COUNT; k++) {
      const u32 after = SMALL ? granule(k) / B::GRANULES : 0;
      const bool inside = !SMALL || block + after < row_blocks;
      const u8* const at = from + opaque(offset + (inside ? after * B::BYTES : 0));
      const u32 g = granule_of_block(k);
      if constexpr (READS_RAW<B>) {
        fetched[k].read(at, g, part % STEPS * PLANES, part == 0, part % STEPS == 0);
      } else if constexpr (STEPS == 1) {
        fetched[k] = B::load(at, g);
      } else {
        fetched[k] = B::template load<PLANES>(at, g, part % STEPS * PLANES);
      }
      if constexpr (SMALL) {
        UNROLLED
        for (u32 p = 0; p < PLANES; p++) {
          if (!inside) fetched[k].scale[p] = fetched[k].offset[p] = 0.0f;
        }
      }
    }
  }

  DEVICE Granule<PLANES> granule_at(u32 k) {
    if constexpr (READS_RAW<B>) {
      // Not before it is stored: who unpacks waits for the load.
      fetched[k].finish(part == 0, part % STEPS == 0);
      return B::template unpack<PLANES>(fetched[k], granule_of_block(k), part % STEPS * PLANES);
    } else {
      return fetched[k];
    }
  }

  template <u32 VECTORS>
  DEVICE void store(Stage<B, ROWS, VECTORS>& stage) {
    const u32 slot = row() / 16 * 16 + matrix::column_slot(row() % 16);
    Granule<PLANES> granules[COUNT];
    UNROLLED
    for (u32 k = 0; k < COUNT; k++) {
      const u32 i = granule(k);
      granules[k] = granule_at(k);
      UNROLLED
      for (u32 p = 0; p < PLANES; p++) {
        const u32 at = (i / B::GRANULES * B::WEIGHTS + B::weight_index(i % B::GRANULES, p)) % STEP;
        UNROLLED
        for (u32 j = 0; j < 2; j++) {
          store_word_of<B>(stage.weight_tile(), row(), at / 32 * 32, at % 32 / 4 + j, granules[k].q[p].at[j]);
        }
        if (!SHARED && at % B::GROUP == 0) stage.scale[at / B::GROUP][slot] = granules[k].scale[p];
        if (B::OFFSETS && !SHARED_OFFSETS && at % OFFSET_GROUP<B> == 0) {
          stage.offset[at / OFFSET_GROUP<B>][slot] = granules[k].offset[p];
        }
      }
    }
    if constexpr (SHARED) {
      static_assert(PLANES == 2, "the first threads of a row store those of a plane each");
      const u32 share = thread_x() % SHARES, second = B::weight_index(0, 1);
      if (SHARES == PLANES || share < PLANES) {
        stage.scale[share == 0 ? 0 : second / B::GROUP][slot] =
            share == 0 ? granules[0].scale[0] : granules[0].scale[1];
        if (B::OFFSETS && SHARED_OFFSETS) {
          stage.offset[share == 0 ? 0 : second / OFFSET_GROUP<B>][slot] =
              share == 0 ? granules[0].offset[0] : granules[0].offset[1];
        }
      }
    }
  }
};

// The vectors of a tile: `count` of them, whose rows of activations and of results are those with numbers from(i) and to(i).
struct Neighbours {
  u32 count;
  DEVICE u32 from(u32 i) const { return i; }
  DEVICE u32 to(u32 i) const { return i; }
};
// Of a list. Rows of activations are in its order or, if not, several entries share one.
struct Listed {
  const u32* order;
  u32 first, count, per_vector;
  DEVICE u32 from(u32 i) const { return per_vector == 0 ? first + i : order[first + i] / per_vector; }
  DEVICE u32 to(u32 i) const { return order[first + i]; }
};

// Quantized vectors of so many blocks: those of a step lie together. Bytes from one step and from one vector to the next.
struct Activations {
  const u8* first;
  u64 step_bytes;
  u32 vector_bytes, blocks;

  DEVICE Activations from(u32 vector) const {
    return {first + u64(vector) * vector_bytes, step_bytes, vector_bytes, blocks};
  }
};

// All blocks of a vector, and then those of the next.
template <class Q>
DEVICE Activations by_vector(const void* y, u32 k_padded) {
  const u32 blocks = k_padded / Q::WEIGHTS;
  return {static_cast<const u8*>(y), STEP / Q::WEIGHTS * Q::BYTES, blocks * Q::BYTES, blocks};
}

// A step of all vectors, and then the next one: what a tile of neighbours reads at once lies together, and fills all cache lines but two. By vector,
// tiles would read more lines in a step than an L0 holds, and half of each line twice.
template <class Q>
DEVICE Activations by_step(const void* y, u32 k, u32 vectors) {
  constexpr u32 BYTES = STEP / Q::WEIGHTS * Q::BYTES;
  return {static_cast<const u8*>(y), u64(vectors) * BYTES, BYTES, k / Q::WEIGHTS};
}

// Blocks of Q8 or Q8_1 of VECTORS vectors, COUNT for each thread. Vectors beyond the last repeat it; columns beyond the last have
// scales of 0.
template <class Q, class B, u32 VECTORS>
struct Values {
  static constexpr u32 PER_ROW = STEP / Q::WEIGHTS, COUNT = (VECTORS * PER_ROW + THREADS - 1) / THREADS;

  Activations all;
  // Bytes up to this thread's.
  u32 offsets[COUNT];
  u32 q[COUNT][8];
  f32 scale[COUNT];

  template <class List>
  DEVICE Values(const Activations& all, const List& vectors) : all(all) {
    UNROLLED
    for (u32 k = 0; k < COUNT; k++) {
      offsets[k] = vectors.from(min_of(vector(k), vectors.count - 1)) * all.vector_bytes + column() * Q::BYTES;
    }
  }

  static DEVICE u32 vector(u32 k) { return (k * THREADS + thread_x()) / PER_ROW; }
  // The block's number in the step.
  static DEVICE u32 column() { return thread_x() % PER_ROW; }

  // Of a step that only counts if `real`.
  DEVICE void fetch(u32 step, bool real) {
    constexpr u32 W = UNALIGNED_VECTORS ? 4 : 1;
    const bool inside = B::WEIGHTS % STEP == 0 || step * PER_ROW + column() < all.blocks;
    UNROLLED
    for (u32 k = 0; k < COUNT; k++) {
      const u32 offset = inside ? offsets[k] : offsets[k] - column() * Q::BYTES;
      const u8* const from = all.first + step * all.step_bytes + opaque(offset);
      const f32 loaded = Q::load_scale(from);
      scale[k] = inside && real ? loaded : 0.0f;
      UNROLLED
      for (u32 i = 0; i < 8; i += W) {
        const auto words = bit_cast<Vec<u32, W>>(load_word<4 * W, 4>(from + 4 + 4 * i));
        UNROLLED
        for (u32 j = 0; j < W; j++) q[k][i + j] = words.at[j];
      }
    }
  }

  template <u32 ROWS>
  DEVICE void store(Stage<B, ROWS, VECTORS>& stage) const {
    constexpr u32 PER_GROUP = OFFSET_GROUP<B> / 4;
    UNROLLED
    for (u32 k = 0; k < COUNT; k++) {
      const u32 row = vector(k);
      if (COUNT * THREADS > VECTORS * PER_ROW && row >= VECTORS) break;
      UNROLLED
      for (u32 i = 0; i < 8; i++) store_word_of<B>(stage.value_tile(), row, column() * 32, i, q[k][i]);
      stage.value_scale[column()][row] = doubled(scale[k]);
      if (B::OFFSETS) {
        UNROLLED
        for (u32 part = 0; part < 8 / PER_GROUP; part++) {
          i32 sum = 0;
          UNROLLED
          for (u32 i = 0; i < PER_GROUP; i++) sum = dot4(i32(q[k][part * PER_GROUP + i]), 0x01010101, sum);
          stage.sum[column() * (8 / PER_GROUP) + part][row] = doubled(f32(sum));
        }
      }
    }
  }
};

// What becomes of results before they are written: something is added, the same for each vector or a row for each, and an activation
// is applied.
struct Epilogue {
  // Null where nothing is added.
  const f32* addend = nullptr;
  u32 addend_stride = 0, activation = NO_ACTIVATION;

  DEVICE Epilogue from(u32 vector) const {
    return {addend == nullptr ? nullptr : addend + u64(vector) * addend_stride, addend_stride, activation};
  }

  DEVICE bool is_none() const { return addend == nullptr && activation == NO_ACTIVATION; }

  // To elements of a row, `count` of which are there, from `column` on.
  template <int RUN>
  DEVICE void apply(Vec<f32, RUN>& run, u32 row, u32 column, u32 count) const {
    if (addend != nullptr) {
      const f32* const from = addend + u64(row) * addend_stride + column;
      Vec<f32, RUN> added = {};
      if (count >= RUN && (UNALIGNED_VECTORS || is_aligned(from, RUN * 4))) {
        added = load_vec<RUN>(from);
      } else {
        UNROLLED
        for (u32 e = 0; e < RUN; e++) {
          if (e < count) added.at[e] = from[e];
        }
      }
      UNROLLED
      for (u32 e = 0; e < RUN; e++) run.at[e] = math::add(run.at[e], added.at[e]);
    }
    if (activation != NO_ACTIVATION) {
      // The first at each turn, after which the others move up: activations take much code.
      ROLLED
      for (u32 e = 0; e < RUN; e++) {
        const f32 activated = activate<f32>(activation, run.at[0]);
        UNROLLED
        for (u32 to = 0; to + 1 < RUN; to++) run.at[to] = run.at[to + 1];
        run.at[RUN - 1] = activated;
      }
    }
  }
};

// A wavefront's share: M x N fragments, from `vector` and `row` on. Results of a row of fragments are those of a vector.
template <class B, u32 M, u32 N>
struct Products {
  u32 vector, row;
  matrix::SumPairs sums[M][N];

  DEVICE Products(u32 vector, u32 row) : vector(vector), row(row) {
    UNROLLED
    for (u32 i = 0; i < M; i++) {
      UNROLLED
      for (u32 j = 0; j < N; j++) sums[i][j] = {};
    }
  }

  struct Columns {
    F32Pair at[matrix::SUM_COLUMNS / 2];
  };
  static DEVICE Columns load_columns(const f32* values) {
    Columns columns;
    UNROLLED
    for (u32 i = 0; i < matrix::SUM_COLUMNS; i += 4) {
      const auto four = bit_cast<Vec<F32Pair, 2>>(load_word<16, 16>(values + matrix::first_slot() + i));
      UNROLLED
      for (u32 j = 0; j < 2; j++) columns.at[i / 2 + j] = four.at[j];
    }
    return columns;
  }

  // The pairs of a fragment's sums, with their numbers and rows. (A generic lambda would be a host function to NVRTC.)
  template <class F>
  static DEVICE void each_pair(matrix::SumPairs& pairs, F f) {
    UNROLLED
    for (u32 e = 0; e < matrix::SUMS / 2; e++) f(pairs.at[e], e, matrix::which_row(e * 2));
  }

  // 32 depths: a group, or two of 16 that share the activations' scale.
  template <class S>
  DEVICE void add_depths(const S& stage, u32 depths, matrix::BytesLeft (&left)[M],
                         const matrix::BytesRight (&right)[N]) {
    constexpr u32 GROUPS = 32 / B::GROUP;
    constexpr int OFFSETS = B::OFFSETS ? 32 / OFFSET_GROUP<B> : 0;
    Columns scale[GROUPS][N], offset[OFFSETS + 1][N];
    UNROLLED
    for (u32 j = 0; j < N; j++) {
      UNROLLED
      for (u32 g = 0; g < GROUPS; g++) scale[g][j] = load_columns(&stage.scale[depths * GROUPS + g][row + j * 16]);
      UNROLLED
      for (int o = 0; o < OFFSETS; o++) offset[o][j] = load_columns(&stage.offset[depths * OFFSETS + o][row + j * 16]);
    }
    UNROLLED
    for (u32 i = 0; i < M; i++) {
      F32Pair value_scale[matrix::LANE_ROWS], sum[OFFSETS + 1][matrix::LANE_ROWS];
      UNROLLED
      for (u32 r = 0; r < matrix::LANE_ROWS; r++) {
        const u32 at = vector + i * 16 + matrix::lane_row(r);
        value_scale[r] = both(stage.value_scale[depths][at]);
        UNROLLED
        for (int o = 0; o < OFFSETS; o++) {
          if (OFFSETS == 1) sum[o][r] = both(stage.sum[depths * OFFSETS + o][at]);
        }
      }
      UNROLLED
      for (u32 j = 0; j < N; j++) {
        using matrix::Depths;
        matrix::SumPairs first = matrix::dots<GROUPS == 1 ? Depths::ALL : Depths::FIRST>(left[i], right[j]), second;
        if (GROUPS == 2) second = matrix::dots<Depths::SECOND>(left[i], right[j]);
        // Of these columns and rows, scales and sums, in the order of the sums.
        const auto column = [](const Columns& of, u32 e) { return of.at[matrix::which_column(e * 2) / 2]; };
        each_pair(first, [&](F32Pair& x, u32 e, u32) {
          x = pair_mul(x, column(scale[0][j], e));
          if (GROUPS > 1 || OFFSETS > 0) x = pair_in_place(x);
        });
        const auto add = [&](F32Pair& x, F32Pair a, F32Pair b) { x = pair_in_place(pair_fma(a, b, x)); };
        if (GROUPS == 2) {
          each_pair(first, [&](F32Pair& x, u32 e, u32) { add(x, second.at[e], column(scale[GROUPS - 1][j], e)); });
        }
        UNROLLED
        for (int o = 0; o < OFFSETS; o++) {
          UNROLLED
          for (u32 r = 0; r < matrix::LANE_ROWS; r++) {
            // There are too few registers for both groups.
            const u32 at = vector + i * 16 + matrix::lane_row(r);
            if (OFFSETS > 1) sum[o][r] = both(stage.sum[depths * OFFSETS + o][at]);
          }
          each_pair(first, [&](F32Pair& x, u32 e, u32 r) { add(x, column(offset[o][j], e), sum[o][r]); });
        }
        each_pair(first,
                  [&](F32Pair& x, u32 e, u32 r) { sums[i][j].at[e] = pair_fma(x, value_scale[r], sums[i][j].at[e]); });
      }
      // Compilers would rather multiply all fragments first, for which there are too few registers.
      UNROLLED
      for (u32 j = 0; j < N; j++) matrix::finish(sums[i][j]);
      if (i + 1 < M) matrix::finish(left[i + 1]);
    }
  }

  template <class S>
  DEVICE void add(S& stage) {
    UNROLLED
    for (u32 k = 0; k < STEP; k += 32) {
      matrix::BytesLeft left[M];
      matrix::BytesRight right[N];
      UNROLLED
      for (u32 i = 0; i < M; i++) left[i] = matrix::load_bytes_left(stage.value_tile(), vector + i * 16, k / 2);
      UNROLLED
      for (u32 j = 0; j < N; j++) right[j] = matrix::load_bytes_right(stage.weight_tile(), row + j * 16, k / 2);
      add_depths(stage, k / 32, left, right);
    }
  }

  // dst[vector * stride + row], for the block's tile of rows from first_row on: results of one matrix or, of two, the
  // silu of the first times the second.
  template <u32 MATRICES, class List>
  DEVICE void store(f32* dst, const List& vectors, u32 first_row, u32 rows, u32 stride, const Epilogue& epilogue) {
    const auto store_fragment = [&](const matrix::Sums& results, u32 i, u32 j) {
      store_run_by_run(results, vector + i * 16, first_row + row / MATRICES + j * 16, dst, vectors, rows, stride,
                       epilogue);
    };
    if (MATRICES == 1 && epilogue.is_none()) {
      UNROLLED
      for (u32 i = 0; i < M; i++) {
        UNROLLED
        for (u32 j = 0; j < N; j++) store_fragment(bit_cast<matrix::Sums>(sums[i][j]), i, j);
      }
      return;
    }
    static_assert(N % MATRICES == 0, "results of both matrices lie side by side");
    // Here, too, the first at each turn.
    ROLLED
    for (u32 f = 0; f < M * N; f += MATRICES) {
      auto results = bit_cast<matrix::Sums>(sums[0][0]);
      if constexpr (MATRICES == 2) {
        const auto up = bit_cast<matrix::Sums>(sums[0][1]);
        UNROLLED
        for (u32 e = 0; e < matrix::SUMS; e++) results.at[e] = silu_mul<f32>(results.at[e], up.at[e]);
      }
      store_fragment(results, f / N, f % N / MATRICES);
      UNROLLED
      for (u32 to = 0; to + MATRICES < M * N; to++) {
        const u32 from = to + MATRICES;
        sums[to / N][to % N] = sums[from / N][from % N];
      }
    }
  }

  template <class List>
  static DEVICE void store_run_by_run(const matrix::Sums& results, u32 first_vector, u32 first_row, f32* dst,
                                      const List& vectors, u32 rows, u32 stride, const Epilogue& epilogue) {
    constexpr u32 RUN = matrix::RUN_OF<f32>;
    const bool whole = UNALIGNED_VECTORS || (is_aligned(dst, RUN * 4) && stride % RUN == 0);
    matrix::each_run<f32>(results, [&](u32 which, u32 column, Vec<f32, RUN> run) {
      const u32 at = first_vector + matrix::lane_row(which), from = first_row + column;
      if (at >= vectors.count || from >= rows) return;
      epilogue.apply(run, at, from, rows - from);
      f32* const to = dst + u64(vectors.to(at)) * stride + from;
      if (whole && rows - from >= RUN) {
        store_vec(to, run);
      } else {
        UNROLLED
        for (u32 e = 0; e < RUN; e++) {
          if (e < rows - from) to[e] = run.at[e];
        }
      }
    });
  }
};

// The results of a tile, of the rows of x from first_row on: their dot products with vectors of y, of which the first `steps` steps count.
// Of two matrices, ROWS are those of both.
template <class B, class Q, u32 ROWS, u32 VECTORS, class X, class List>
DEVICE void multiply_tile(const X& x, const Activations& y, f32* dst, u32 k, u32 steps, u32 first_row, u32 rows,
                          const List& vectors, u32 dst_stride, const Epilogue& epilogue = {}) {
  constexpr u32 WAVES = THREADS / WAVE, ALONG_VECTORS = 2, ALONG_ROWS = WAVES / ALONG_VECTORS;
  constexpr u32 M = VECTORS / ALONG_VECTORS / 16, N = ROWS / ALONG_ROWS / 16;
  __shared__ Stage<B, ROWS, VECTORS> stages[BUFFERS];
  const u32 wave = thread_x() / WAVE;
  Weights<B, ROWS> weights(x, first_row, rows, k / B::WEIGHTS);
  Values<Q, B, VECTORS> values(y, vectors);
  Products<B, M, N> products(wave % ALONG_VECTORS * (M * 16), wave / ALONG_VECTORS * (N * 16));
  // The steps of a block, or two of smaller blocks, are unrolled: which part of a block and which stage is theirs is known. The last
  // step is loaded again rather than none.
  constexpr u32 STEPS = Weights<B, ROWS>::STEPS_OF_BLOCK, UNROLL = max_of(STEPS, BUFFERS);
  static_assert(UNROLL % STEPS == 0 && UNROLL % BUFFERS == 0, "turns begin alike");
  const auto fetch = [&](u32 turn, u32 part) {
    weights.fetch(min_of(turn + part / STEPS * STEPS, steps - STEPS), part % STEPS);
    const u32 step = turn + part;
    values.fetch(min_of(step, steps - 1), UNROLL == STEPS || step < steps);
  };
  const auto store = [&](u32 part) {
    weights.store(stages[part % BUFFERS]);
    values.store(stages[part % BUFFERS]);
  };
  fetch(0, 0);
  store(0);
  ROLLED
  for (u32 turn = 0; turn < steps; turn += UNROLL) {
    UNROLLED
    for (u32 part = 0; part < UNROLL; part++) {
      sync_threads();
      fetch(turn, part + 1);
      products.add(stages[part % BUFFERS]);
      if (BUFFERS == 1) sync_threads();
      store(part + 1);
    }
  }
  sync_threads();  // before the next tile is stored
  products.template store<X::COUNT>(dst, vectors, first_row, rows, dst_stride, epilogue);
}

// The block's place among the tiles, of grids with up to 2^28 of them along x. Up to BAND neighbours along y, most of which have the same
// weights, are dispatched one after the other, so that a cache has these for the others. CDNA 3 deals blocks to eight dies in turn, each
// with a cache of its own: there, tiles of the same rows are those of one die if they are left in order.
struct TilePlace {
  u32 x, y;
};
DEVICE TilePlace tile_place() {
  constexpr u32 BAND = WAVE == 64 ? 1 : 8;
  const u32 first = block_y() / BAND * BAND, index = block_y() % BAND * grid_size_x() + block_x();
  const u32 height = min_of(grid_size_y() - first, BAND);
  return {index / height, first + index % height};
}

// dst[vector * dst_stride + row] = what becomes of the dot product of a row of x and a vector of y, of length k.
template <class Blocks, class Q, u32 ROWS, u32 VECTORS, class X>
DEVICE void mat_mat(const X& x, const Activations& y, f32* dst, u32 k, u32 rows, u32 vectors, u32 dst_stride,
                    const Epilogue& epilogue = {}) {
  using B = typename TiledType<Blocks>::type;
  constexpr u32 TILE_ROWS = ROWS / X::COUNT;
  const TilePlace place = tile_place();
  for (u32 first_row = place.x * TILE_ROWS; first_row < rows; first_row += grid_size_x() * TILE_ROWS) {
    for (u32 first = place.y * VECTORS; first < vectors; first += grid_size_y() * VECTORS) {
      multiply_tile<B, Q, ROWS, VECTORS>(x, y.from(first), dst + u64(first) * dst_stride, k, (k + STEP - 1) / STEP,
                                         first_row, rows, Neighbours{vectors - first}, dst_stride,
                                         epilogue.from(first));
    }
  }
}

// ------------------------------------------------------------------------------------------------- Kernels of a type

// tiles_<type>_<vectors of a block>, of activations by step: `addend` has a row of `rows` for each vector, addend_stride apart, or is null.
// tiles_silu_mul_<type>_<vectors of a block>: silu of products with gate, times products with up. CDNA's cards have so many compute units that
// products are divided more finely.
[[maybe_unused]] constexpr u32 MATRIX_ROWS = WAVE == 64 ? 64 : 128;
#define TILES_OF(NAME, B, ROWS, VECTORS)                                                                               \
  KERNEL THREADS_AT_MOST(256)                                                                                          \
      tiles_##NAME##_##VECTORS(const void* __restrict__ x, const void* __restrict__ y, float* __restrict__ dst,        \
                               const u32 columns, const u32 rows, const u32 vectors, const float* __restrict__ addend, \
                               const u32 addend_stride, const u32 activation) {                                        \
    mat_mat<B, Q8, ROWS, VECTORS>(OneMatrix{static_cast<const u8*>(x)}, by_step<Q8>(y, columns, vectors), dst,         \
                                  columns, rows, vectors, rows, Epilogue{addend, addend_stride, activation});          \
  }
#define TILES_SILU_MUL_OF(NAME, B, ROWS, VECTORS)                                                                      \
  KERNEL THREADS_AT_MOST(256) tiles_silu_mul_##NAME##_##VECTORS(                                                       \
      const void* __restrict__ gate, const void* __restrict__ up, const void* __restrict__ y, float* __restrict__ dst, \
      const u32 columns, const u32 rows, const u32 vectors) {                                                          \
    mat_mat<B, Q8, ROWS, VECTORS>(GateAndUp{static_cast<const u8*>(gate), static_cast<const u8*>(up)},                 \
                                  by_step<Q8>(y, columns, vectors), dst, columns, rows, vectors, rows);                \
  }
#define TILES(NAME, B)                                                                                                 \
  TILES_OF(NAME, B, 64, 32)                                                                                            \
  FOR_DOT4(TILES_OF(NAME, B, 64, 64))                                                                                  \
  FOR_BYTE_CORES(TILES_OF(NAME, B, MATRIX_ROWS, 128))                                                                  \
  FOR_BYTE_CORES(TILES_SILU_MUL_OF(NAME, B, MATRIX_ROWS, 128))

#endif
