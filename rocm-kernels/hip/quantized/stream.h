// Products of quantized matrices with one to eight vectors, at memory bandwidth.
//
// A team of 32 threads processes ROWS rows at a time. Weights are staged in shared memory, so that global accesses are aligned
// and coalesced whatever the size of a block; while a team computes, its next weights are loaded into registers. The vectors
// stay in shared memory for the whole launch, as Q8 in units of 64 values: a single vector is quantized by each block while
// the first weights arrive, which saves a launch; several vectors are quantized by quantize_units.
#ifndef CANDLE_ROCM_QUANTIZED_STREAM_H
#define CANDLE_ROCM_QUANTIZED_STREAM_H

#include "common/activations.h"
#include "common/normalize.h"
#include "quantized/quantized_units.h"

constexpr u32 TEAM = 32;
static_assert(WAVE % TEAM == 0, "a team lies in a wave");

// The types of x and y.
enum Kind : u32 { KIND_F32, KIND_F16, KIND_BF16 };

// ------------------------------------------------------------------------------------------------------------- Vectors

// 64 values of a vector: two groups of 32, each with a scale and the factor of the weights' offsets: the sum of the group's
// values or, for weights in groups of 16, the sums of q of its two halves, packed into a word.
struct alignas(16) Values {
  Vec<u32, 4> q[4];
  struct {
    float scale;
    u32 sums;
  } of[2];
};

// Consecutive values that a thread has: a quarter of a group.
constexpr u32 QUARTER = 8;

struct Quarter {
  float at[QUARTER];
};

template <class T>
DEVICE Quarter load_quarter(const void* x, u64 at) {
  constexpr int WIDTH = 4;
  const T* const p = static_cast<const T*>(x) + at;
  Quarter quarter;
  UNROLLED
  for (u32 i = 0; i < QUARTER; i += WIDTH) {
    Vec<T, WIDTH> v;
    if (UNALIGNED_VECTORS || is_aligned(p, WIDTH * sizeof(T))) {
      v = load_vec<WIDTH>(p + i);
    } else {
      v = gather<WIDTH>(p + i, 0, 1);
    }
    UNROLLED
    for (int j = 0; j < WIDTH; j++) quarter.at[i + j] = widen(v.at[j]);
  }
  return quarter;
}

DEVICE Quarter load_quarter(const void* x, u32 kind, u64 at) {
  if (kind == KIND_F32) return load_quarter<float>(x, at);
  return kind == KIND_F16 ? load_quarter<f16>(x, at) : load_quarter<bf16>(x, at);
}

template <class T>
DEVICE void store_as(void* y, u64 at, float value) {
  static_cast<T*>(y)[at] = convert<T>(value);
}

DEVICE float load_one(const void* x, u32 kind, u64 at) {
  if (kind == KIND_F32) return static_cast<const float*>(x)[at];
  return kind == KIND_F16 ? widen(static_cast<const f16*>(x)[at]) : widen(static_cast<const bf16*>(x)[at]);
}

DEVICE void store_result(void* y, u32 kind, u64 at, float value) {
  if (kind == KIND_F32) {
    store_as<float>(y, at, value);
  } else if (kind == KIND_F16) {
    store_as<f16>(y, at, value);
  } else {
    store_as<bf16>(y, at, value);
  }
}

// As the type of this kind has it.
DEVICE float round_to(u32 kind, float x) {
  if (kind == KIND_F32) return x;
  return kind == KIND_F16 ? widen(convert<f16>(x)) : widen(convert<bf16>(x));
}

// What makes a vector of x: the RMS norm of x + b, where alpha is not null. The sum is written by the first block. All are of the
// kind of x, and so is each step.
struct NormOfSum {
  const void *b, *alpha;
  void* sum;
  float eps;
};

// Values start .. start + columns of x, to be quantized to units. Four lanes hold a group.
template <u32 AT_ONCE>
struct Vector {
  const void* x;
  u64 start;
  u32 kind, columns, thread, threads;
  Quarter held[AT_ONCE];

  DEVICE u32 column(u32 base, u32 i) const { return base + QUARTER * (i * threads + thread); }

  DEVICE void load(u32 base) {
    UNROLLED
    for (u32 i = 0; i < AT_ONCE; i++) {
      held[i] = column(base, i) < columns ? load_quarter(x, kind, start + column(base, i)) : Quarter{};
    }
  }

  // If a value is NaN or infinite, the scale of its group is NaN, so that it propagates. All lanes of a wavefront take part.
  DEVICE void quantize(u32 base, Values* units, bool sixteens) const {
    UNROLLED
    for (u32 i = 0; i < AT_ONCE; i++) {
      if (base + QUARTER * i * threads >= columns) break;  // uniform across lanes
      const u32 column = this->column(base, i);
      const float* const v = held[i].at;
      // The bit patterns of magnitudes have their order; infinity and then NaN are the largest.
      u32 bits = 0;
      UNROLLED
      for (u32 j = 0; j < QUARTER; j++) bits = max_of(bits, bit_cast<u32>(v[j]) & 0x7fffffffu);
      bits = max_of(bits, wave_xor(bits, 1));
      bits = max_of(bits, wave_xor(bits, 2));
      const bool finite = bits < 0x7f800000u;
      const float largest = finite ? bit_cast<float>(bits) : 0.0f;
      // The inverse of smaller values would overflow. A division is rounded alike on every platform.
      const float inverse = largest > 0x1p-120f ? math::div(127.0f, largest) : 0.0f;
      Vec<u32, QUARTER / 4> words;
      i32 sum = 0;
      UNROLLED
      for (u32 k = 0; k < QUARTER / 4; k++) {
        u32 word = 0;
        UNROLLED
        for (u32 j = 0; j < 4; j++) {
          // Added to 1.5 * 2^23, a number of up to 22 bits is rounded to an integer, in the lowest bits.
          const float q = math::fma(v[4 * k + j], inverse, 0x1.8p23f);
          word |= (bit_cast<u32>(q) & 0xff) << (8 * j);
        }
        words.at[k] = finite ? word : 0;
        sum = dot4(i32(words.at[k]), 0x01010101, sum);
      }
      sum += wave_xor(sum, 1);
      const i32 other = wave_xor(sum, 2);
      if (column < columns) {
        Values& unit = units[column / UNIT];
        store_vec(&unit.q[column % UNIT / 16].at[column % 16 / 4], words);
        if (column % 32 == 0) {
          const float scale = finite ? largest * (1.0f / 127.0f) : bit_cast<float>(0x7fc00000u);
          auto& of = unit.of[column % UNIT / 32];
          of.scale = scale;
          of.sums = sixteens ? (u32(sum) & 0xffff) | u32(other) << 16 : bit_cast<u32>(scale * float(sum + other));
        }
      }
    }
  }
};

// A vector that is the norm of x + b. Operands are loaded together and early, as loads complete in the order of their issue.
struct NormVector {
  Vector<1> x;
  NormOfSum norm;
  Quarter b, alpha;

  DEVICE void load(u32 base) {
    const u32 column = x.column(base, 0);
    x.load(base);
    b = column < x.columns ? load_quarter(norm.b, x.kind, column) : Quarter{};
    alpha = column < x.columns ? load_quarter(norm.alpha, x.kind, column) : Quarter{};
  }

  // The sum, of which squares are returned. It is written to `to`, unless that is null.
  DEVICE float add(u32 base, void* to) {
    const u32 column = x.column(base, 0);
    float squares = 0.0f;
    UNROLLED
    for (u32 j = 0; j < QUARTER; j++) {
      float& value = x.held[0].at[j];
      value = round_to(x.kind, value + b.at[j]);
      if (to != nullptr && column < x.columns) store_result(to, x.kind, column + j, value);
      squares += value * value;
    }
    return squares;
  }

  DEVICE void quantize(u32 base, float scale, Values* units, bool sixteens) {
    UNROLLED
    for (u32 j = 0; j < QUARTER; j++) {
      float& value = x.held[0].at[j];
      value = round_to(x.kind, value * scale * alpha.at[j]);
    }
    x.quantize(base, units, sixteens);
  }

  // The first values are loaded. All threads of a block of whole wavefronts take part.
  DEVICE void quantize_all(Values* units, bool sixteens) {
    const u32 at_once = QUARTER * x.threads;
    void* const to = block_x() == 0 ? norm.sum : nullptr;
    float squares = 0.0f;
    for (u32 base = 0; base < x.columns; base += at_once) {
      if (base > 0) load(base);
      squares += add(base, to);
    }
    const float count = float(x.columns);
    const float scale = Moments<float>{count, 0.0f, sum_of_block(squares)}.scale(norm.eps);
    for (u32 base = 0; base < x.columns; base += at_once) {
      // One round leaves all values in registers.
      if (x.columns > at_once) {
        load(base);
        add(base, nullptr);
      }
      quantize(base, scale, units, sixteens);
    }
  }

 private:
  // As team_merge, whose threads add the sums of wavefronts one by one, and wait once more.
  DEVICE float sum_of_block(float value) const {
    __shared__ float of_wave[1024 / WAVE];
    const auto add = [](float a, float b) { return a + b; };
    value = wave_reduce(value, add);
    if (lane_id() == 0) of_wave[x.thread / WAVE] = value;
    sync_threads();
    return wave_reduce(lane_id() < x.threads / WAVE ? of_wave[lane_id()] : 0.0f, add);
  }
};

// ------------------------------------------------------------------------------------------------------------- Weights

// Bytes first .. first + count of the weights, loaded in aligned vectors of 16 bytes into registers, then stored to shared
// memory.
template <u32 MOST_BYTES>
struct Stage {
  // The first byte may be up to 15 bytes after a multiple of 16; words after the last byte are read as well.
  static constexpr u32 VECS = (MOST_BYTES + 15 + 15) / 16, EACH = (VECS + TEAM - 1) / TEAM, BYTES = (VECS + 1) * 16;
  Vec<u32, 4> held[EACH];

  // `whole`: the bytes of the matrix that are whole vectors.
  DEVICE void fetch(const u8* weights, u64 whole, u64 first, u32 count, u32 lane) {
    const u64 end = min_of(first + count, whole);
    const u64 start = (first & ~u64(15)) + lane * 16;
    UNROLLED
    for (u32 i = 0; i < EACH; i++) {
      const u64 at = start + i * TEAM * 16;
      if (at < end) held[i] = load_vec<4>(reinterpret_cast<const u32*>(weights + at));
    }
  }

  DEVICE void put(u8* stage, u32 lane) const {
    UNROLLED
    for (u32 i = 0; i < EACH; i++) {
      const u32 index = i * TEAM + lane;
      if (index < VECS) store_vec(reinterpret_cast<u32*>(stage) + index * 4, held[i]);
    }
  }

  // The last bytes of a matrix of `total`, an even number, that are no whole vector, by the lane that puts the vector which they
  // begin. `first` is that of the matrix' last part.
  static DEVICE void put_rest(u8* stage, const u8* weights, u64 total, u64 first, u32 lane) {
    const u64 whole = total & ~u64(15);
    const u32 to = u32(whole - (first & ~u64(15)));
    if (to / 16 % TEAM != lane) return;
    UNROLLED
    for (u32 i = 0; i < 14; i += 2) {
      if (whole + i < total) *reinterpret_cast<u16*>(stage + to + i) = u16(load_half(weights + whole + i));
    }
  }
};

// Adds the products of groups first .. last of a unit.
template <class U>
DEVICE void add_products(float& sum, const Unit<U::GROUP>& w, const Values* values, u32 unit, u32 first = 0,
                         u32 last = UNIT / U::GROUP) {
  if constexpr (U::GROUP == 32) {
    const Values& v = values[unit];
    UNROLLED
    for (u32 g = first; g < last; g++) {
      i32 dot = 0;
      UNROLLED
      for (u32 i = 0; i < 8; i++) dot = dot4(i32(w.q[8 * g + i]), i32(v.q[2 * g + i / 4].at[i % 4]), dot);
      sum = math::fma(w.scale[g] * v.of[g].scale, float(dot), sum);
      if (U::OFFSETS) sum = math::fma(w.offset[g], bit_cast<float>(v.of[g].sums), sum);
    }
  } else {
    // All groups of a unit are in the same half of their groups of 32.
    const u32 start = unit / U::UNITS * U::UNITS * UNIT + U::column(unit % U::UNITS, 0);
    UNROLLED
    for (u32 g = first; g < last; g++) {
      const u32 column = start + 32 * g;
      const Values& v = values[column / UNIT];
      const Vec<u32, 4> q = v.q[column % UNIT / 16];
      i32 dot = 0;
      UNROLLED
      for (u32 i = 0; i < 4; i++) dot = dot4(i32(w.q[4 * g + i]), i32(q.at[i]), dot);
      float product = w.scale[g] * float(dot);
      const auto& of = v.of[column % UNIT / 32];
      if (U::OFFSETS) product = math::fma(w.offset[g], float(i32(i16(of.sums >> (column % 32)))), product);
      sum = math::fma(of.scale, product, sum);
    }
  }
}

// Copies `count` words to shared memory, followed by zeros up to `room`, both multiples of 4, by a block. Several loads are under way at
// a time, as the latency of one after the other would take longer than the rest.
DEVICE void fill_shared(u32* to, u32 room, const u32* from, u32 count) {
  constexpr u32 UNDER_WAY = 5;
  const u32 step = 4 * block_size_x();
  for (u32 base = 4 * thread_x(); base < room; base += UNDER_WAY * step) {
    Vec<u32, 4> held[UNDER_WAY];
    UNROLLED
    for (u32 i = 0; i < UNDER_WAY; i++) {
      const u32 at = base + i * step;
      held[i] = at < count ? load_vec<4>(from + at) : splat<4>(0u);
    }
    UNROLLED
    for (u32 i = 0; i < UNDER_WAY; i++) {
      if (base + i * step < room) store_vec(to + base + i * step, held[i]);
    }
  }
}

// silu(gate) * up.
DEVICE void store_gated(void* y, u32 kind, u64 at, float gate, float up) {
  if (kind == KIND_F32) {
    static_cast<float*>(y)[at] = silu_mul<float>(gate, up);
  } else if (kind == KIND_F16) {
    static_cast<f16*>(y)[at] = silu_mul<f16>(gate, up);
  } else {
    static_cast<bf16*>(y)[at] = silu_mul<bf16>(gate, up);
  }
}

// A matrix and its products, to which a bias is added, of y's type, unless it is null.
struct Matrix {
  const u8* weights;
  void* y;
  u32 rows;
  const void* bias;
};

// A row, and the matrix that it is of.
struct Row {
  Matrix of;
  u32 row;
};

// One matrix.
struct One {
  static constexpr bool GATED = false;
  Matrix matrix;

  DEVICE u32 rows() const { return matrix.rows; }
  DEVICE Row at(u32 row) const { return {matrix, row}; }
};

// Up to four, whose rows follow each other. Those that are not there have none.
struct Several {
  static constexpr bool GATED = false;
  Matrix m0, m1, m2, m3;

  DEVICE u32 rows() const { return m0.rows + m1.rows + m2.rows + m3.rows; }
  DEVICE Row at(u32 row) const {
    // Loaded before any is chosen: addresses that depend on a choice would keep the matrices in memory.
    const Matrix a = m0, b = m1, c = m2, d = m3;
    Row found = {a, row};
    u32 end = a.rows;
    if (row >= end) found = {b, row - end};
    end += b.rows;
    if (row >= end) found = {c, row - end};
    end += c.rows;
    if (row >= end) found = {d, row - end};
    return found;
  }
};

// A gate and what it gates, whose rows take turns: a team has one of each.
struct Gated {
  static constexpr bool GATED = true;
  const u8 *gate, *up;
  void* y;
  u32 of_each;

  DEVICE u32 rows() const { return 2 * of_each; }
  DEVICE Row at(u32 row) const {
    const u8 *const a = gate, *const b = up;
    return {{row % 2 == 0 ? a : b, y, of_each, nullptr}, row / 2};
  }
};

// y[vector][row] = the dot product of a row of weights and a vector of x, of length `columns`, a multiple of 64 and of B's
// block size. Shared memory: the vectors in units, then a stage per team. A single vector may be a norm.
template <class B, u32 ROWS, u32 VECTORS, class Matrices>
DEVICE void stream(const Matrices& matrices, const void* x, const NormOfSum& norm, u32 kind, u32 y_kind, u32 columns,
                   u32 vectors, Vec<u32, 4>* memory) {
  using U = Units<B>;
  constexpr u32 CHUNK = TEAM / U::UNITS * U::BYTES, AT_ONCE = 2, SUMS = ROWS * VECTORS, LANES = TEAM / SUMS;
  using Part = Stage<CHUNK>;
  const u32 team = thread_x() / TEAM, lane = thread_x() % TEAM, teams = block_size_x() / TEAM;
  const u32 units = columns / UNIT, row_bytes = units / U::UNITS * U::BYTES, chunks = (units + TEAM - 1) / TEAM;
  const u32 rows = matrices.rows(), groups = (rows + ROWS - 1) / ROWS, step = grid_size_x() * teams;
  Values* const values = reinterpret_cast<Values*>(memory);
  u8* const stage = reinterpret_cast<u8*>(values + VECTORS * units) + team * Part::BYTES;

  Part parts[ROWS];
  u32 next = block_x() * teams, next_chunk = 0;
  const auto fetch = [&] {
    if (next >= groups) return;
    UNROLLED
    for (u32 r = 0; r < ROWS; r++) {
      // Rows beyond the last repeat it, because all threads take part in all operations.
      const Row row = matrices.at(min_of((next + team) * ROWS + r, rows - 1));
      const u32 at = next_chunk * CHUNK;
      parts[r].fetch(row.of.weights, u64(row.of.rows) * row_bytes & ~u64(15), u64(row.row) * row_bytes + at,
                     min_of(CHUNK, row_bytes - at), lane);
    }
    if (++next_chunk == chunks) next_chunk = 0, next += step;
  };

  // Before the weights, as loads complete in the order of their issue.
  Vector<AT_ONCE> vector = {x, 0, kind, columns, thread_x(), block_size_x()};
  NormVector norm_vector = {{x, 0, kind, columns, thread_x(), block_size_x()}, norm};
  const bool is_norm = norm.alpha != nullptr;
  if (VECTORS == 1 && is_norm) {
    norm_vector.load(0);
  } else if (VECTORS == 1) {
    vector.load(0);
  }
  fetch();
  if (VECTORS == 1 && is_norm) {
    norm_vector.quantize_all(values, U::GROUP == 16);
  } else if (VECTORS == 1) {
    const u32 at_once = QUARTER * AT_ONCE * block_size_x();
    for (u32 base = 0; base < columns; base += at_once) {
      if (base > 0) vector.load(base);
      vector.quantize(base, values, U::GROUP == 16);
    }
  } else {
    const u32 words = units * (sizeof(Values) / 4);
    fill_shared(reinterpret_cast<u32*>(memory), VECTORS * words, static_cast<const u32*>(x), vectors * words);
  }
  U::stage();
  sync_threads();

  u32 base = block_x() * teams, chunk = 0;
  float sums[SUMS] = {};  // of row r and vector v: r * VECTORS + v
  while (base < groups) {
    const u32 unit = chunk * TEAM + lane, group = base + team;
    Unit<U::GROUP> w[ROWS];
    UNROLLED
    for (u32 r = 0; r < ROWS; r++) {
      const Row row = matrices.at(min_of(group * ROWS + r, rows - 1));
      const u64 first = u64(row.row) * row_bytes + chunk * CHUNK;
      parts[r].put(stage, lane);
      if (U::BYTES % 16 != 0 && row.row + 1 == row.of.rows && chunk + 1 == chunks) {
        Part::put_rest(stage, row.of.weights, u64(row.of.rows) * row_bytes, first, lane);
      }
      if (r + 1 == ROWS) fetch();
      wave_sync();
      const u32 skew = U::BYTES % 16 == 0 ? 0 : u32(first) % 16;
      w[r] = U::load(stage + skew + lane / U::UNITS * U::BYTES, lane % U::UNITS);
      wave_sync();
    }
    if (unit < units) {
      if constexpr (DOT4 || SUMS == 1) {
        UNROLLED
        for (u32 v = 0; v < VECTORS; v++) {
          UNROLLED
          for (u32 r = 0; r < ROWS; r++) add_products<U>(sums[r * VECTORS + v], w[r], values + v * units, unit);
        }
      } else {
        // The compiler unpacks the bytes of the weights once for all vectors: there are registers for those of one group of each
        // row, while the values of the next vector are not loaded in advance.
        UNROLLED
        for (u32 g = 0; g < UNIT / U::GROUP; g++) {
          UNROLLED
          for (u32 v = 0; v < VECTORS; v++) {
            UNROLLED
            for (u32 r = 0; r < ROWS; r++)
              add_products<U>(sums[r * VECTORS + v], w[r], values + v * units, unit, g, g + 1);
            asm volatile("" ::: "memory");
          }
        }
      }
    }
    if (++chunk < chunks) continue;
    const float sum = spread_sums<TEAM>(sums, lane);
    if constexpr (Matrices::GATED) {
      static_assert(ROWS == 2 && VECTORS == 1, "a row of each, and one vector");
      const float up = wave_xor(sum, LANES);
      if (lane == 0 && group < groups) store_gated(matrices.y, y_kind, group, sum, up);
    } else {
      const u32 row = group * ROWS + lane / LANES / VECTORS, v = lane / LANES % VECTORS;
      if (lane % LANES == 0 && row < rows && v < vectors) {
        const Row to = matrices.at(row);
        float result = sum;
        if (to.of.bias != nullptr) result = round_to(y_kind, sum) + load_one(to.of.bias, y_kind, to.row);
        store_result(to.of.y, y_kind, u64(v) * to.of.rows + to.row, result);
      }
    }
    UNROLLED
    for (u32 i = 0; i < SUMS; i++) sums[i] = 0.0f;
    chunk = 0;
    base += step;
  }
}

// Shared memory: 80 bytes per 64 values of each vector, and Stage::BYTES per 32 threads. `x`: the elements of a single vector,
// of type `kind`, or the units of several from quantize_units. Launch: blocks of whole wavefronts, up to THREADS threads. Two
// blocks should fit on a compute unit; NVIDIA's compiler, which otherwise uses as many registers as allowed, needs to be told.
constexpr int BLOCKS_AT_ONCE = UNALIGNED_VECTORS ? 1 : 2;

#define STREAM(NAME, B, ROWS, VECTORS, THREADS)                                                                        \
  KERNEL THREADS_AT_MOST(THREADS* BLOCKS_AT_ONCE) stream_##NAME##_##VECTORS(                                           \
      const void* __restrict__ weights, const void* __restrict__ x, const u32 kind, void* __restrict__ y,              \
      const u32 y_kind, const u32 columns, const u32 rows, const u32 vectors) {                                        \
    extern __shared__ Vec<u32, 4> memory[];                                                                            \
    const One one = {{static_cast<const u8*>(weights), y, rows, nullptr}};                                             \
    stream<B, ROWS, VECTORS>(one, x, {}, kind, y_kind, columns, vectors, memory);                                      \
  }

// One vector, which may be a norm, and up to four matrices of one type: (weights, y, rows, bias) of each. Launched as stream_*_1 with
// all of their rows.
#define STREAM_SEVERAL(NAME, B)                                                                                        \
  KERNEL THREADS_AT_MOST(512 * BLOCKS_AT_ONCE) stream_several_##NAME(                                                  \
      const void* __restrict__ x, const u32 kind, const u32 columns, const void* __restrict__ w0, void* y0,            \
      const u32 rows0, const void* bias0, const void* __restrict__ w1, void* y1, const u32 rows1, const void* bias1,   \
      const void* __restrict__ w2, void* y2, const u32 rows2, const void* bias2, const void* __restrict__ w3,          \
      void* y3, const u32 rows3, const void* bias3, const void* __restrict__ b, const void* __restrict__ alpha,        \
      void* sum, const float eps) {                                                                                    \
    extern __shared__ Vec<u32, 4> memory[];                                                                            \
    const Several all = {{static_cast<const u8*>(w0), y0, rows0, bias0},                                               \
                         {static_cast<const u8*>(w1), y1, rows1, bias1},                                               \
                         {static_cast<const u8*>(w2), y2, rows2, bias2},                                               \
                         {static_cast<const u8*>(w3), y3, rows3, bias3}};                                              \
    stream<B, 1, 1>(all, x, {b, alpha, sum, eps}, kind, kind, columns, 1, memory);                                     \
  }

// silu(x gate') * (x up') of one vector, which may be a norm, for matrices of one type and shape. Launched as stream_*_1 with the
// rows of both, but a team has two at a time, so one block takes the registers that two of others do.
#define STREAM_SILU_MUL(NAME, B)                                                                                       \
  KERNEL THREADS_AT_MOST(512)                                                                                          \
      stream_silu_mul_##NAME(const void* __restrict__ x, const u32 kind, const u32 columns,                            \
                             const void* __restrict__ gate, const void* __restrict__ up, void* y, const u32 rows,      \
                             const void* __restrict__ b, const void* __restrict__ alpha, void* sum, const float eps) { \
    extern __shared__ Vec<u32, 4> memory[];                                                                            \
    const Gated both = {static_cast<const u8*>(gate), static_cast<const u8*>(up), y, rows};                            \
    stream<B, 2, 1>(both, x, {b, alpha, sum, eps}, kind, kind, columns, 1, memory);                                    \
  }

#define STREAMS(NAME, B)                                                                                               \
  STREAM(NAME, B, 1, 1, 512)                                                                                           \
  STREAM(NAME, B, 2, 4, 256)                                                                                           \
  STREAM(NAME, B, 2, 8, 256)                                                                                           \
  STREAM_SEVERAL(NAME, B)                                                                                              \
  STREAM_SILU_MUL(NAME, B)

#endif
