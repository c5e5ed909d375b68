// Matrix cores for bytes: products of 16 by 16 fragments of signed bytes, 32 deep.
//
//   BytesLeft, BytesRight        16 rows of the left matrix, 16 columns of the right one, at 32 depths
//   dots<Depths>(left, right)    their products, of all, the first or the second 16 depths: exact, in f32
//   SumPairs                     what they give, in pairs of neighbouring columns, where Sums are
//
// Sums and operands lie as those of f16 do (matrix.h), two bytes in the place of an f16. Where halves of the depths are multiplied one
// by one, whoever fills the tiles stores each 32 bytes in the order of `stored_word`.
//
//   amd     v_wmma_i32_16x16x16_iu8, v_mfma_i32_16x16x16i8 (gfx908, gfx90a) or v_mfma_i32_16x16x32_i8
//   nvidia  mma.sync.m16n8k32 and m16n8k16
//   else    dot4, of whole rows and columns. Also used on the host, and with -DMATRIX_CORES_OFF.
#ifndef CANDLE_ROCM_MATRIX_BYTES_H
#define CANDLE_ROCM_MATRIX_BYTES_H

#include "common/f32_pair.h"
#include "common/matrix.h"

namespace matrix {

// Cards that multiply f16 on matrix cores multiply bytes on them, too.
constexpr bool BYTE_CORES = MATRIX_TYPES > 0;
// Kernels for them and for others, both of which the host has.
#if PLATFORM_HOST || MATRIX_TYPES > 0
#define FOR_BYTE_CORES(...) __VA_ARGS__
#else
#define FOR_BYTE_CORES(...)
#endif
#if PLATFORM_HOST || MATRIX_TYPES == 0
#define FOR_DOT4(...) __VA_ARGS__
#else
#define FOR_DOT4(...)
#endif

// Which depths are multiplied.
enum class Depths { FIRST, SECOND, ALL };

struct SumPairs {
  F32Pair at[SUMS / 2];
};

// The columns of a lane, and where the values of 16 columns are kept so that those of a lane are neighbours, in the order of
// its sums.
constexpr u32 SUM_COLUMNS = SUMS / LANE_ROWS;
DEVICE constexpr u32 which_column(u32 i) { return LANE_ROWS == 1 ? i : i % 2 + i / 4 * 2; }
DEVICE u32 column_slot(u32 column) {
#if MATRIX_LAYOUT == LAYOUT_MMA
  return column % 8 / 2 * 4 + column / 8 * 2 + column % 2;
#elif MATRIX_LAYOUT == LAYOUT_WMMA_11
  return column % 2 * 8 + column / 2;
#else
  return column;
#endif
}
DEVICE u32 first_slot() { return (MATRIX_LAYOUT == LAYOUT_MMA ? lane() % 4 : lane() / 16) * SUM_COLUMNS; }

// Where word `word` of 32 bytes is stored if their halves are multiplied one by one: each lane holds as much of both.
DEVICE constexpr u32 stored_word(u32 word) {
  if (!BYTE_CORES) return word;
  if (MATRIX_LAYOUT == LAYOUT_WMMA_12) return word / 2 % 2 * 4 + word / 4 * 2 + word % 2;
  if (MATRIX_LAYOUT == LAYOUT_MFMA) return word % 4 * 2 + word / 4;
  return word;
}

#if MATRIX_TYPES > 0
using BytesLeft = Left<i8>;
using BytesRight = Right<i8>;
#else
struct BytesLeft {
  u32 rows[LANE_ROWS][8];
};
struct BytesRight {
  u32 columns[SUM_COLUMNS][8];
};
#endif

// From tiles in shared memory whose elements are pairs of bytes, starting at (row, pair), multiples of 8.
template <class Tile>
DEVICE void load_row(u32 (&to)[8], Tile tile, u32 row, u32 pair) {
  UNROLLED
  for (u32 half = 0; half < 2; half++) {
    const auto words = bit_cast<Vec<u32, 4>>(load_word<16, 16>(tile.at(row, pair + half * 8)));
    UNROLLED
    for (u32 i = 0; i < 4; i++) to[half * 4 + i] = words.at[i];
  }
}

template <class Tile>
DEVICE BytesLeft load_bytes_left(Tile tile, u32 row, u32 pair) {
#if MATRIX_TYPES > 0
  return load_left<i8>(tile, row, pair);
#else
  BytesLeft left;
  UNROLLED
  for (u32 i = 0; i < LANE_ROWS; i++) load_row(left.rows[i], tile, row + lane_row(i), pair);
  return left;
#endif
}
template <class Tile>
DEVICE BytesRight load_bytes_right(Tile tile, u32 row, u32 pair) {
#if MATRIX_TYPES > 0
  return load_right<i8>(tile, row, pair);
#else
  BytesRight right;
  UNROLLED
  for (u32 i = 0; i < SUMS; i++) {
    if (which_row(i) == 0) load_row(right.columns[which_column(i)], tile, row + sum_column(i), pair);
  }
  return right;
#endif
}

// Numbers below 2^22, added to the bits of EXACT, are the last bits of a float: subtracting it leaves them, as a float.
constexpr f32 EXACT = 12582912.0f;
constexpr i32 EXACT_BITS = 0x4b400000;

#if PLATFORM_AMD && MATRIX_TYPES > 0
typedef i32 IntVector __attribute__((ext_vector_type(Fragments::SUMS)));
typedef i32 TwoWords __attribute__((ext_vector_type(2)));
typedef i32 FourWords __attribute__((ext_vector_type(4)));

// 16 depths: words FIRST and following of both operands.
template <u32 FIRST>
DEVICE IntVector add_dots(const BytesLeft& left, const BytesRight& right, IntVector sums) {
  const auto &a = right.at, &b = left.at;
#if MATRIX_LAYOUT == LAYOUT_WMMA_11
  constexpr u32 W = FIRST * 4;
  return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(
      true, FourWords{i32(a[W]), i32(a[W + 1]), i32(a[W + 2]), i32(a[W + 3])}, true,
      FourWords{i32(b[W]), i32(b[W + 1]), i32(b[W + 2]), i32(b[W + 3])}, sums, false);
#elif MATRIX_LAYOUT == LAYOUT_WMMA_12
  constexpr u32 W = FIRST * 2;
  return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, TwoWords{i32(a[W]), i32(a[W + 1])}, true,
                                                          TwoWords{i32(b[W]), i32(b[W + 1])}, sums, false);
#elif defined(__gfx908__) || defined(__gfx90a__)
  return __builtin_amdgcn_mfma_i32_16x16x16i8(i32(a[FIRST]), i32(b[FIRST]), sums, 0, 0, 0);
#else
  // Only 32 depths at once: the others are zero on one side.
  const u64 one = FIRST == 0 ? b[0] : u64(b[1]) << 32, both = a[0] | u64(a[1]) << 32;
  return __builtin_amdgcn_mfma_i32_16x16x32_i8(i64(both), i64(one), sums, 0, 0, 0);
#endif
}

DEVICE IntVector add_all_dots(const BytesLeft& left, const BytesRight& right, IntVector sums) {
#if MATRIX_LAYOUT == LAYOUT_MFMA && !defined(__gfx908__) && !defined(__gfx90a__)
  return __builtin_amdgcn_mfma_i32_16x16x32_i8(bit_cast<i64>(right), bit_cast<i64>(left), sums, 0, 0, 0);
#else
  return add_dots<1>(left, right, add_dots<0>(left, right, sums));
#endif
}
#endif

template <Depths PART>
DEVICE SumPairs dots(const BytesLeft& left, const BytesRight& right) {
  i32 all[SUMS];
#if PLATFORM_NVIDIA && MATRIX_TYPES > 0
  UNROLLED
  for (u32 i = 0; i < SUMS; i++) all[i] = EXACT_BITS;
  UNROLLED
  for (u32 half = 0; half < 2; half++) {
    i32* const c = all + half * 4;
    const u32* const a = left.at + (PART == Depths::SECOND ? 2 : 0);
    const u32* const b = right.at + half * 2 + (PART == Depths::SECOND ? 1 : 0);
    if constexpr (PART == Depths::ALL) {
      asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%0, %1, %2, %3};"
          : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    } else {
      asm("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
          : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
          : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    }
  }
#elif PLATFORM_AMD && MATRIX_TYPES > 0
  IntVector vector = EXACT_BITS;
  if constexpr (PART == Depths::ALL) {
    vector = add_all_dots(left, right, vector);
  } else {
    vector = add_dots<PART == Depths::SECOND>(left, right, vector);
  }
  UNROLLED
  for (u32 i = 0; i < SUMS; i++) all[i] = vector[i];
#else
  constexpr u32 FIRST = PART == Depths::SECOND ? 4 : 0, END = PART == Depths::FIRST ? 4 : 8;
  UNROLLED
  for (u32 i = 0; i < SUMS; i++) {
    all[i] = EXACT_BITS;
    UNROLLED
    for (u32 word = FIRST; word < END; word++) {
      all[i] = dot4(i32(left.rows[which_row(i)][word]), i32(right.columns[which_column(i)][word]), all[i]);
    }
  }
#endif
  SumPairs sums;
  UNROLLED
  for (u32 i = 0; i < SUMS; i += 2) {
    sums.at[i / 2] = pair_add(F32Pair{bit_cast<f32>(all[i]), bit_cast<f32>(all[i + 1])}, F32Pair{-EXACT, -EXACT});
  }
  return sums;
}

// See finish in platform.h.
DEVICE void finish(SumPairs& sums) {
  UNROLLED
  for (u32 i = 0; i < SUMS / 2; i++) ::finish(sums.at[i]);
}
DEVICE void finish(BytesLeft& left) {
#if MATRIX_TYPES > 0
  UNROLLED
  for (u32 i = 0; i < Fragments::OPERANDS / 2; i++) ::finish(left.at[i]);
#else
  UNROLLED
  for (u32 i = 0; i < LANE_ROWS; i++) {
    UNROLLED
    for (u32 j = 0; j < 8; j++) ::finish(left.rows[i][j]);
  }
#endif
}

}  // namespace matrix

#endif  // CANDLE_ROCM_MATRIX_BYTES_H
