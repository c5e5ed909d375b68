// Matrix cores: products of 16 by 16 fragments, distributed over the lanes of a wavefront.
//
//   Left<T>    a 16 x 16 fragment (rows x depth) of the left matrix, f16 or bf16
//   Right<T>   a 16 x 16 fragment (depth x columns) of the right matrix
//   Sums       a 16 x 16 accumulator, f32
//   multiply(sums, left, right)   sums += left right, in f32
//
// `Fragments` describes which lane holds which elements on a given card. Kernels only rely on a lane holding elements of
// one or two rows of Sums (LANE_ROWS), on row_reduce to combine the lanes of a row, and on left_of to turn Sums into a Left.
//
//   amd     v_wmma_f32_16x16x16_* with wavefronts of 32, v_mfma_f32_16x16x16* with wavefronts of 64: see MatrixCores in
//           rocm-kernels/src/processors.rs, which a test compares with the conditions below
//   nvidia  two mma.sync.m16n8k16, from sm_80 on
//   else    an emulation through shared memory, where MATRIX_CORES<T> is false; it is slow. Also used on the host, and with
//           -DMATRIX_CORES_OFF. MATRIX_LAYOUT selects the layout that is emulated.
//
// All lanes of the wavefront take part in all operations; blocks have up to 256 threads, indexed by thread_x().
#ifndef CANDLE_ROCM_MATRIX_H
#define CANDLE_ROCM_MATRIX_H

#include "common/platform.h"
#include "common/vec.h"
#include "common/wave.h"

// ------------------------------------------------------------------------------------------------------------ Selection

#define LAYOUT_MMA 1
#define LAYOUT_WMMA_11 2
#define LAYOUT_WMMA_12 3
#define LAYOUT_MFMA 4

#if defined(MATRIX_CORES_OFF)
#elif PLATFORM_NVIDIA
#if __CUDA_ARCH__ >= 800
#define MATRIX_LAYOUT LAYOUT_MMA
#define MATRIX_TYPES 2
#endif
#elif PLATFORM_AMD && WAVE == 32 && (defined(__gfx1250__) || defined(__gfx1251__) || defined(__gfx12_5_generic__))
// Its instructions differ from gfx12's.
#elif PLATFORM_AMD && WAVE == 32 &&                                                                                    \
    (defined(__GFX12__) || defined(__gfx1170__) || defined(__gfx1171__) || defined(__gfx1172__) ||                     \
     defined(__gfx11_7_generic__))
#define MATRIX_LAYOUT LAYOUT_WMMA_12
#define MATRIX_TYPES 2
#elif PLATFORM_AMD && WAVE == 32 && defined(__GFX11__)
#define MATRIX_LAYOUT LAYOUT_WMMA_11
#define MATRIX_TYPES 2
#elif PLATFORM_AMD && WAVE == 64 &&                                                                                    \
    (defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) ||                       \
     defined(__gfx950__) || defined(__gfx9_4_generic__))
#define MATRIX_LAYOUT LAYOUT_MFMA
#define MATRIX_TYPES 2
#elif PLATFORM_AMD && WAVE == 64 && defined(__gfx908__)
#define MATRIX_LAYOUT LAYOUT_MFMA
#define MATRIX_TYPES 1  // its instruction for bf16 is only 8 deep
#endif

#ifndef MATRIX_TYPES
#define MATRIX_TYPES 0
#endif
// Kernels of a type are only instantiated where matrix cores support it, and on the host.
#if PLATFORM_HOST || MATRIX_TYPES >= 1
#define FOR_MATRIX_F16(...) __VA_ARGS__
#else
#define FOR_MATRIX_F16(...)
#endif
#if PLATFORM_HOST || MATRIX_TYPES >= 2
#define FOR_MATRIX_BF16(...) __VA_ARGS__
#else
#define FOR_MATRIX_BF16(...)
#endif
#ifndef MATRIX_LAYOUT
#if PLATFORM_NVIDIA
#define MATRIX_LAYOUT LAYOUT_MMA
#elif WAVE == 64
#define MATRIX_LAYOUT LAYOUT_MFMA
#elif PLATFORM_HOST
#define MATRIX_LAYOUT LAYOUT_WMMA_11
#else
#define MATRIX_LAYOUT LAYOUT_MMA
#endif
#endif

namespace matrix {

template <class T>
constexpr bool MATRIX_CORES = MATRIX_TYPES == 2 || (MATRIX_TYPES == 1 && is_same<T, f16>);

// -------------------------------------------------------------------------------------------------------------- Layouts

// The position of element i of a lane: OPERANDS elements of Left and of Right, SUMS of Sums.
#if MATRIX_LAYOUT == LAYOUT_MMA
// "Matrix Fragments for mma.m16n8k16" in the PTX ISA. Columns 8 to 15 belong to the second instruction.
struct Fragments {
  static constexpr u32 OPERANDS = 8, SUMS = 8, LANE_ROWS = 2;
  static DEVICE u32 left_row(u32 lane, u32 i) { return lane / 4 + i / 2 % 2 * 8; }
  static DEVICE u32 left_depth(u32 lane, u32 i) { return lane % 4 * 2 + i % 2 + i / 4 * 8; }
  static DEVICE u32 right_column(u32 lane, u32 i) { return lane / 4 + i / 4 * 8; }
  static DEVICE u32 right_depth(u32 lane, u32 i) { return lane % 4 * 2 + i % 2 + i / 2 % 2 * 8; }
  static DEVICE u32 sum_row(u32 lane, u32 i) { return left_row(lane, i); }
  static DEVICE u32 sum_column(u32 lane, u32 i) { return left_depth(lane, i); }
};
#else
// From AMD's Matrix Instruction Calculator (github.com/ROCm/amd_matrix_instruction_calculator): lane l holds row l % 16 of A
// and column l % 16 of B, at the same depths, and column l % 16 of D. To keep a row of the result in few lanes, the
// transposed product is computed: A is our right matrix, B our left one.
//
//   v_wmma_f32_16x16x16_* of gfx11: A and B at all depths, duplicated in lane l + 16; D rows 2 i + l / 16
//   v_wmma_f32_16x16x16_* of gfx12: A and B at depths 8 (l / 16) + i; D rows 8 (l / 16) + i
//   v_mfma_f32_16x16x16*: A and B at depths 4 (l / 16) + i; D rows 4 (l / 16) + i
struct Fragments {
#if MATRIX_LAYOUT == LAYOUT_WMMA_11
  static constexpr u32 OPERANDS = 16, SUMS = 8;
  static DEVICE u32 sum_column(u32 lane, u32 i) { return i * 2 + lane / 16; }
#else
  static constexpr u32 OPERANDS = MATRIX_LAYOUT == LAYOUT_MFMA ? 4 : 8, SUMS = OPERANDS;
  static DEVICE u32 sum_column(u32 lane, u32 i) { return lane / 16 * SUMS + i; }
#endif
  static constexpr u32 LANE_ROWS = 1;
  static DEVICE u32 left_row(u32 lane, u32) { return lane % 16; }
  static DEVICE u32 left_depth(u32 lane, u32 i) { return lane / 16 * OPERANDS % 16 + i; }
  static DEVICE u32 right_column(u32 lane, u32 i) { return left_row(lane, i); }
  static DEVICE u32 right_depth(u32 lane, u32 i) { return left_depth(lane, i); }
  static DEVICE u32 sum_row(u32 lane, u32) { return lane % 16; }
};
#endif
static_assert(WAVE * Fragments::SUMS == 256, "each sum is held by one lane");

DEVICE u32 lane() { return thread_x() % WAVE; }

// Each word holds two 16-bit elements.
template <class T>
struct Left {
  u32 at[Fragments::OPERANDS / 2];
};
template <class T>
struct Right {
  u32 at[Fragments::OPERANDS / 2];
};

constexpr u32 SUMS = Fragments::SUMS, LANE_ROWS = Fragments::LANE_ROWS;

struct Sums {
  f32 at[SUMS];
};

DEVICE Sums zeros() {
  Sums sums;
  UNROLLED
  for (u32 i = 0; i < SUMS; i++) sums.at[i] = 0.0f;
  return sums;
}

// The row and column of sum i of this lane; which of the lane's rows (below LANE_ROWS) that is; and the index of that row.
DEVICE u32 sum_row(u32 i) { return Fragments::sum_row(lane(), i); }
DEVICE u32 sum_column(u32 i) { return Fragments::sum_column(lane(), i); }
DEVICE constexpr u32 which_row(u32 i) { return LANE_ROWS == 1 ? 0 : i / 2 % 2; }
DEVICE u32 lane_row(u32 which) { return LANE_ROWS == 1 ? lane() % 16 : lane() / 4 + which * 8; }

// The larger number; if one is NaN, the other.
DEVICE f32 larger(f32 a, f32 b) {
#if PLATFORM_NVIDIA
  return fmaxf(a, b);
#else
  return __builtin_fmaxf(a, b);
#endif
}

// Reduces over the lanes that share a row; all of them get the result.
template <class Op>
DEVICE f32 row_reduce(f32 value, Op op) {
  if constexpr (LANE_ROWS == 2) {
    UNROLLED
    for (u32 mask = 1; mask <= 2; mask *= 2) {
      const f32 theirs = wave_xor(value, mask);
      value = op(value, theirs);
    }
  } else {
    UNROLLED
    for (u32 mask = 16; mask < WAVE; mask *= 2) {
      const f32 theirs = wave_xor(value, mask);
      value = op(value, theirs);
    }
  }
  return value;
}

// -------------------------------------------------------------------------------------------------------------- Loading

// From tiles in shared memory (shared_tiles.h), starting at (row, column), both multiples of 8:
//
//   load_left, load_right                 the tile's rows are rows of the left matrix, or columns of the right one
//   load_left_across, load_right_across   the tile's columns are; its rows run along the depth
//
// READS_ACROSS: whether the `across` loads are as fast as the others.
constexpr bool READS_ACROSS = MATRIX_LAYOUT == LAYOUT_MMA;

#if MATRIX_LAYOUT == LAYOUT_MMA && MATRIX_TYPES > 0
// Four 8 x 8 matrices; each group of eight lanes provides the row addresses of one.
template <bool ACROSS>
DEVICE void load_matrices(u32 (&to)[4], const void* row) {
  const u32 address = u32(__cvta_generic_to_shared(row));
  if constexpr (ACROSS) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address));
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address));
  }
}

template <bool LEFT, bool ACROSS, class Tile>
DEVICE void load_operand(u32 (&to)[4], Tile tile, u32 row, u32 column) {
  constexpr bool DOWN = LEFT != ACROSS;  // the second matrix is below the first, not beside it
  const u32 second = lane() / 8 % 2 * 8, third = lane() / 16 * 8;
  load_matrices<ACROSS>(to, tile.at(row + lane() % 8 + (DOWN ? second : third), column + (DOWN ? third : second)));
}
#else
template <bool LEFT, bool ACROSS, class Tile>
DEVICE void load_operand(u32 (&to)[Fragments::OPERANDS / 2], Tile tile, u32 row, u32 column) {
  constexpr u32 N = Fragments::OPERANDS, W = N < 8 ? N : 8;
  if constexpr (!ACROSS && MATRIX_LAYOUT != LAYOUT_MMA) {
    const u32 side = Fragments::left_row(lane(), 0), depth = Fragments::left_depth(lane(), 0);
    UNROLLED
    for (u32 i = 0; i < N; i += W) {
      const auto* const from = tile.at(row + side, column + depth / 8 * 8 + i) + depth % 8;
      const auto words = bit_cast<Vec<u32, W / 2>>(load_word<W * 2, W * 2>(from));
      UNROLLED
      for (u32 j = 0; j < W / 2; j++) to[i / 2 + j] = words.at[j];
    }
  } else {
    UNROLLED
    for (u32 i = 0; i < N; i++) {
      const u32 side = LEFT ? Fragments::left_row(lane(), i) : Fragments::right_column(lane(), i);
      const u32 depth = LEFT ? Fragments::left_depth(lane(), i) : Fragments::right_depth(lane(), i);
      const u32 r = ACROSS ? depth : side, c = ACROSS ? side : depth;
      const u32 bits = (tile.at(row + r, column + c / 8 * 8) + c % 8)->bits;
      to[i / 2] = i % 2 ? to[i / 2] | bits << 16 : bits;
    }
  }
}
#endif

template <class T, class Tile>
DEVICE Left<T> load_left(Tile tile, u32 row, u32 column) {
  Left<T> left;
  load_operand<true, false>(left.at, tile, row, column);
  return left;
}
template <class T, class Tile>
DEVICE Right<T> load_right(Tile tile, u32 row, u32 column) {
  Right<T> right;
  load_operand<false, false>(right.at, tile, row, column);
  return right;
}
template <class T, class Tile>
DEVICE Left<T> load_left_across(Tile tile, u32 row, u32 column) {
  Left<T> left;
  load_operand<true, true>(left.at, tile, row, column);
  return left;
}
template <class T, class Tile>
DEVICE Right<T> load_right_across(Tile tile, u32 row, u32 column) {
  Right<T> right;
  load_operand<false, true>(right.at, tile, row, column);
  return right;
}

// Straight from memory, where rows of the left matrix and columns of the right one are dense along the depth. The order of a
// sum's products is free, so each lane loads neighbours, of PIECE depths for two products: `HELD` from `held_depth()` on.

// Lanes that share a row hold different depths of it.
constexpr u32 PIECE = 32, LANE_COLUMNS = MATRIX_LAYOUT == LAYOUT_MMA ? 2 : 1;
constexpr u32 DEPTHS = Fragments::OPERANDS / LANE_ROWS, HELD = PIECE / 16 * DEPTHS;
DEVICE u32 held_depth() {
  return (MATRIX_LAYOUT == LAYOUT_MMA ? lane() % 4 : lane() / 16 * DEPTHS % 16 / DEPTHS) * HELD;
}
// A column of Right of this lane.
DEVICE u32 lane_column(u32 which) { return LANE_COLUMNS == 1 ? lane() % 16 : lane() / 4 + which * 8; }

struct Held {
  u32 at[HELD / 2];
};

// Product `step` of the two.
template <class T>
DEVICE Left<T> left_held(const Held (&rows)[LANE_ROWS], u32 step) {
  Left<T> left;
  UNROLLED
  for (u32 i = 0; i < Fragments::OPERANDS / 2; i++) {
    left.at[i] = rows[i % LANE_ROWS].at[step * DEPTHS / 2 + i / LANE_ROWS];
  }
  return left;
}
template <class T>
DEVICE Right<T> right_held(const Held (&columns)[LANE_COLUMNS], u32 step) {
  Right<T> right;
  UNROLLED
  for (u32 i = 0; i < Fragments::OPERANDS / 2; i++) {
    right.at[i] = columns[i / (DEPTHS / 2)].at[step * DEPTHS / 2 + i % (DEPTHS / 2)];
  }
  return right;
}

// ------------------------------------------------------------------------------------------------------- Multiplying

#if PLATFORM_AMD && MATRIX_TYPES > 0
template <class T>
struct VectorOf;
typedef f32 SumVector __attribute__((ext_vector_type(Fragments::SUMS)));
typedef _Float16 F16Vector __attribute__((ext_vector_type(Fragments::OPERANDS)));
typedef i16 Bf16Vector __attribute__((ext_vector_type(Fragments::OPERANDS)));
template <>
struct VectorOf<f16> {
  using type = F16Vector;
};
template <>
struct VectorOf<bf16> {
  using type = Bf16Vector;
};

#if MATRIX_LAYOUT == LAYOUT_WMMA_11
DEVICE SumVector product(F16Vector a, F16Vector b, SumVector c) {
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
}
DEVICE SumVector product(Bf16Vector a, Bf16Vector b, SumVector c) {
  return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c);
}
#elif MATRIX_LAYOUT == LAYOUT_WMMA_12
DEVICE SumVector product(F16Vector a, F16Vector b, SumVector c) {
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
}
DEVICE SumVector product(Bf16Vector a, Bf16Vector b, SumVector c) {
  return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(a, b, c);
}
#else
DEVICE SumVector product(F16Vector a, F16Vector b, SumVector c) {
  return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
}
#if MATRIX_TYPES == 2
DEVICE SumVector product(Bf16Vector a, Bf16Vector b, SumVector c) {
  return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0);
}
#endif
#endif
#endif

// How lanes exchange operands without matrix cores.
struct Exchange {
  f32 left[16][16], right[16][16];
};

template <class T>
DEVICE f32 half_of(u32 word, u32 which) {
  return widen(T{u16(word >> which * 16)});
}

template <class T>
DEVICE void multiply_emulated(Sums& sums, const Left<T>& left, const Right<T>& right) {
  __shared__ Exchange exchanges[256 / WAVE];
  Exchange& all = exchanges[thread_x() / WAVE];
  const u32 me = lane();
  // If several lanes hold the same operands, the first ones write them.
  for (u32 i = 0; i < Fragments::OPERANDS && me < 256 / Fragments::OPERANDS; i++) {
    all.left[Fragments::left_row(me, i)][Fragments::left_depth(me, i)] = half_of<T>(left.at[i / 2], i % 2);
    all.right[Fragments::right_depth(me, i)][Fragments::right_column(me, i)] = half_of<T>(right.at[i / 2], i % 2);
  }
  wave_sync();
  for (u32 i = 0; i < SUMS; i++) {
    const u32 row = sum_row(i), column = sum_column(i);
    for (u32 depth = 0; depth < 16; depth++) {
      sums.at[i] = math::fma(all.left[row][depth], all.right[depth][column], sums.at[i]);
    }
  }
  wave_sync();
}

template <class T>
DEVICE void multiply(Sums& sums, const Left<T>& left, const Right<T>& right) {
  if constexpr (!MATRIX_CORES<T>) {
    multiply_emulated(sums, left, right);
  } else {
#if PLATFORM_NVIDIA
    UNROLLED
    for (u32 half = 0; half < 2; half++) {
      f32* const c = sums.at + half * 4;
      const u32* const b = right.at + half * 2;
      if constexpr (is_same<T, f16>) {
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(left.at[0]), "r"(left.at[1]), "r"(left.at[2]), "r"(left.at[3]), "r"(b[0]), "r"(b[1]));
      } else {
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(left.at[0]), "r"(left.at[1]), "r"(left.at[2]), "r"(left.at[3]), "r"(b[0]), "r"(b[1]));
      }
    }
#elif PLATFORM_AMD && MATRIX_TYPES > 0
    using Vector = typename VectorOf<T>::type;
    sums = bit_cast<Sums>(product(bit_cast<Vector>(right), bit_cast<Vector>(left), bit_cast<SumVector>(sums)));
#endif
  }
}

// ---------------------------------------------------------------------------------------------------------- Rounding

// Two numbers rounded to T, the first in the low half.
template <class T>
DEVICE u32 pack(f32 low, f32 high) {
#if PLATFORM_NVIDIA && __CUDA_ARCH__ >= 800
  u32 both;
  if constexpr (is_same<T, f16>) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  }
  return both;
#else
  return convert<T>(low).bits | u32(convert<T>(high).bits) << 16;
#endif
}

// x rounded to the nearest T. Ties of bf16 go up where no instruction rounds to even.
template <class T>
DEVICE f32 rounded_ties_up(f32 x) {
#if !PLATFORM_NVIDIA
  if constexpr (is_same<T, bf16>) return bit_cast<f32>((bit_cast<u32>(x) + 0x8000) & 0xffff0000u);
#endif
  return widen(convert<T>(x));
}
// Two numbers rounded to T, the first in the low half; ties of bf16 as rounded_ties_up has them, if TIES_UP.
template <class T, bool TIES_UP>
DEVICE u32 pack(f32 low, f32 high) {
#if !PLATFORM_NVIDIA
  if constexpr (TIES_UP && is_same<T, bf16>) {
    return bit_cast<u32>(rounded_ties_up<T>(low)) >> 16 | bit_cast<u32>(rounded_ties_up<T>(high));
  }
#endif
  return pack<T>(low, high);
}

// Sums rounded to T, as the left operand of another product: their columns become the depth.
template <class T, bool TIES_UP = false>
DEVICE Left<T> left_of(const Sums& sums) {
  u32 pairs[SUMS / 2];
  UNROLLED
  for (u32 i = 0; i < SUMS / 2; i++) pairs[i] = pack<T, TIES_UP>(sums.at[i * 2], sums.at[i * 2 + 1]);
  Left<T> left;
#if MATRIX_LAYOUT == LAYOUT_WMMA_11
  // Lanes below 16 hold the even columns, the others the odd ones.
  const bool odd = lane() / 16;
  UNROLLED
  for (u32 i = 0; i < SUMS / 2; i++) {
    const u32 theirs = wave_xor(pairs[i], 16);
    const u32 evens = odd ? theirs : pairs[i], odds = odd ? pairs[i] : theirs;
    left.at[i * 2] = (evens & 0xffff) | odds << 16;
    left.at[i * 2 + 1] = evens >> 16 | (odds & 0xffff0000u);
  }
#else
  UNROLLED
  for (u32 i = 0; i < SUMS / 2; i++) left.at[i] = pairs[i];
#endif
  return left;
}

// Calls f(which row, first depth, RUN elements) for each run of consecutive elements of a row; every element is passed once.
constexpr u32 RUN = MATRIX_LAYOUT == LAYOUT_MMA ? 2 : MATRIX_LAYOUT == LAYOUT_MFMA ? 4 : 8;
// The same in R: no more than a vector.
template <class R>
constexpr u32 RUN_OF = RUN * sizeof(R) <= VECTOR_BYTES ? RUN : VECTOR_BYTES / sizeof(R);

template <class T, class F>
DEVICE void each_run(const Left<T>& left, const F& f) {
  if constexpr (MATRIX_LAYOUT == LAYOUT_MMA) {
    UNROLLED
    for (u32 i = 0; i < 4; i++) f(i % 2, lane() % 4 * 2 + i / 2 * 8, bit_cast<Vec<T, RUN>>(left.at[i]));
  } else {
    const u32 part = lane() / 16;
    Vec<u32, RUN / 2> words;
    UNROLLED
    for (u32 j = 0; j < RUN / 2; j++) {
      // Where two lanes hold the same elements, each passes one half.
      words.at[j] =
          MATRIX_LAYOUT == LAYOUT_WMMA_11 && part ? left.at[(j + RUN / 2) % (Fragments::OPERANDS / 2)] : left.at[j];
    }
    f(0u, part * RUN, bit_cast<Vec<T, RUN>>(words));
  }
}

// The same of sums: f(which row, first column, RUN_OF<R> elements), rounded to R or, in f32, as they are.
template <class R, class F>
DEVICE void each_run(const Sums& sums, const F& f) {
  if constexpr (!is_same<R, f32>) {
    each_run(left_of<R>(sums), f);
  } else {
    Sums runs = sums;
#if MATRIX_LAYOUT == LAYOUT_WMMA_11
    // Lanes below 16 hold the even columns, the others the odd ones; they get the first half, and the second.
    const bool odd = lane() / 16;
    UNROLLED
    for (u32 i = 0; i < SUMS / 2; i++) {
      const f32 low = sums.at[i], high = sums.at[i + SUMS / 2];
      const f32 theirs = wave_xor(odd ? low : high, 16);
      runs.at[i * 2] = odd ? theirs : low;
      runs.at[i * 2 + 1] = odd ? high : theirs;
    }
#endif
    constexpr u32 W = RUN_OF<f32>;
    UNROLLED
    for (u32 i = 0; i < SUMS; i += W) {
      Vec<f32, W> run;
      UNROLLED
      for (u32 j = 0; j < W; j++) run.at[j] = runs.at[i + j];
      f(which_row(i), MATRIX_LAYOUT == LAYOUT_WMMA_11 ? lane() / 16 * SUMS + i : sum_column(i), run);
    }
  }
}

}  // namespace matrix

#endif  // CANDLE_ROCM_MATRIX_H
