// Blocks of grid_blocks.h in units of 64 weights, as quantized_units.h has those of other types. Each block of threads has a copy of the
// type's grid in shared memory: 512 bytes for IQ2_XXS and IQ3_XXS, 1 KiB for IQ2_XS and IQ3_S, 2 KiB for IQ2_S, 4 KiB for IQ1_S and IQ1_M.
#ifndef CANDLE_ROCM_QUANTIZED_GRID_UNITS_H
#define CANDLE_ROCM_QUANTIZED_GRID_UNITS_H

#include "quantized/grid_blocks.h"
#include "quantized/quantized_units.h"

// LAYOUT: Blocks or, of groups of 16, Sixteens.
template <class B, class LAYOUT>
struct GridUnits : LAYOUT {
  static constexpr int BYTES = B::BYTES, ALIGN = B::ALIGN;
  static constexpr bool OFFSETS = false;
  static_assert(LAYOUT::GROUP == B::GROUP, "a layout of the type's groups");

  static DEVICE void stage() {
    const u32* const from = reinterpret_cast<const u32*>(B::grid().digits);
    for (u32 i = thread_x(); i < VECTORS; i += block_size_x()) staged()[i] = load_vec<4>(from + 4 * i);
  }

  // A unit is two parts or, of groups of 16, the first or last 16 weights of four parts.
  static DEVICE Unit<B::GROUP> load(const u8* start, u32 index) {
    constexpr u32 EIGHTS = B::GROUP / 8, GROUPS = UNIT / B::GROUP;
    const u32 first = B::GROUP == 32 ? 2 * index : index / 2 * 4, half = B::GROUP == 32 ? 0 : index % 2;
    const u16* const grid = reinterpret_cast<const u16*>(staged());
    Unit<B::GROUP> unit;
    UNROLLED
    for (u32 g = 0; g < GROUPS; g++) {
      const auto part = B::part(start, first + g);
      UNROLLED
      for (u32 i = 0; i < EIGHTS; i++) {
        const Pair eight = B::eight(grid, part, 2 * half + i);
        unit.q[2 * (EIGHTS * g + i)] = eight.at[0];
        unit.q[2 * (EIGHTS * g + i) + 1] = eight.at[1];
      }
      unit.scale[g] = B::scale(part, half);
      unit.offset[g] = 0.0f;
    }
    return unit;
  }

 private:
  static constexpr u32 VECTORS = sizeof(B::grid()) / 16;
  static DEVICE Vec<u32, 4>* staged() {
    __shared__ Vec<u32, 4> grid[VECTORS];
    return grid;
  }
};

template <>
struct Units<IQ2_XXS> : GridUnits<IQ2_XXS, Blocks> {};
template <>
struct Units<IQ2_XS> : GridUnits<IQ2_XS, Sixteens> {};
template <>
struct Units<IQ2_S> : GridUnits<IQ2_S, Sixteens> {};
template <>
struct Units<IQ3_XXS> : GridUnits<IQ3_XXS, Blocks> {};
template <>
struct Units<IQ3_S> : GridUnits<IQ3_S, Blocks> {};
template <>
struct Units<IQ1_S> : GridUnits<IQ1_S, Blocks> {};
template <>
struct Units<IQ1_M> : GridUnits<IQ1_M, Sixteens> {};

#endif
