// GGML's block formats of IQ1 to IQ3: an index selects the numbers of eight or four weights at once from a grid; see grids.h.
//
// A block's 256 weights are eight parts of 32, of four times eight weights each. All weights are a scale times a signed byte, exactly:
// IQ1's digits and the eighth that is added to or taken from them are bytes eight times as large.
// Formats: https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h
#ifndef CANDLE_ROCM_QUANTIZED_GRID_BLOCKS_H
#define CANDLE_ROCM_QUANTIZED_GRID_BLOCKS_H

#include "quantized/grids.h"
#include "quantized/quantized_blocks.h"

// -------------------------------------------------------------------------------------------------------------- Digits

// Four digits of two bits, in the bytes of a word.
DEVICE u32 spread_twos(u32 digits) {
  const u32 pairs = (digits | digits << 12) & 0x000f000fu;
  return (pairs | pairs << 6) & 0x03030303u;
}

// Four digits of four bits.
DEVICE u32 spread_fours(u32 digits) {
  const u32 pairs = (digits | digits << 8) & 0x00ff00ffu;
  return (pairs | pairs << 4) & 0x0f0f0f0fu;
}

// Bytes of 1 to 127, those negated whose bits among the lowest four are set.
DEVICE u32 with_signs(u32 bytes, u32 bits) {
  const u32 ones = bits_to_bytes(bits) >> 4;
  return (bytes ^ ones * 0xff) + ones;
}

DEVICE Pair with_signs(const Pair& bytes, u32 bits) {
  return {{with_signs(bytes.at[0], bits), with_signs(bytes.at[1], bits >> 4)}};
}

// Seven signs and an eighth that makes the number of negative weights even.
DEVICE u32 even_signs(u32 seven) { return seven | (0x6996u >> ((seven ^ seven >> 4) & 0xf) & 1) << 7; }

// IQ2's numbers: 8, 25, 43.
DEVICE Pair numbers_of_iq2(u32 digits) {
  return {{select_bytes(0x002b1908u, 0, spread_twos(digits & 0xff)),
           select_bytes(0x002b1908u, 0, spread_twos(digits >> 8))}};
}

// -8, 0, 8, plus 1, or minus 1.
DEVICE Pair numbers_of_iq1(u32 digits, bool minus) {
  const u32 table = minus ? 0x0007fff7u : 0x000901f9u;
  return {{select_bytes(table, 0, spread_twos(digits & 0xff)), select_bytes(table, 0, spread_twos(digits >> 8))}};
}

// An odd number of eighths: `scale` times 2 s + 1.
DEVICE float odd_scale(float scale, u32 s) { return scale * float(2 * s + 1); }

// -------------------------------------------------------------------------------------------------------------- Blocks

// A type T of these has
//   GRID                         its grid
//   Part part(block, p)          the words of the block's part p
//   Pair eight(grid, part, i)    the signed bytes of its weights 8 i to 8 i + 7
//   float scale(part, half)      the scale of its first or last 16 weights
// and, as all types, what comes of them.
template <class T, int GROUP_SIZE>
struct GridBlock {
  static constexpr int WEIGHTS = 256, GRANULES = 16, PLANES = 2, GROUP = GROUP_SIZE;
  static constexpr bool OFFSETS = false;
  static DEVICE constexpr u32 weight_index(u32 g, u32 plane) { return 16 * g + 8 * plane; }
  static DEVICE Granule<2> load(const u8* block, u32 g) {
    const u16* const grid = T::grid().digits;
    const auto part = T::part(block, g / 2);
    const u32 half = g % 2;
    const float scale = T::scale(part, half);
    return {{T::eight(grid, part, 2 * half), T::eight(grid, part, 2 * half + 1)}, {scale, scale}, {0.0f, 0.0f}};
  }
};

// A scale; for each part, four indices of eight bits, then four times seven signs and four bits of the part's scale.
struct IQ2_XXS : GridBlock<IQ2_XXS, 32> {
  static constexpr int BYTES = 66, ALIGN = 2;
  struct Part {
    Pair words;
    float scale;
  };
  static DEVICE const auto& grid() { return IQ2_XXS_GRID; }
  static DEVICE Part part(const u8* block, u32 p) { return {load_pair<2>(block + 2 + 8 * p), load_f16(block)}; }
  static DEVICE Pair eight(const u16* grid, const Part& part, u32 i) {
    const u32 signs = even_signs(part.words.at[1] >> (7 * i) & 0x7f);
    return with_signs(numbers_of_iq2(grid[part.words.at[0] >> (8 * i) & 0xff]), signs);
  }
  static DEVICE float scale(const Part& part, u32) { return odd_scale(part.scale * 0.125f, part.words.at[1] >> 28); }
};

// A scale; for each eight weights, an index of nine bits and seven signs; for each 16, four bits of scale.
struct IQ2_XS : GridBlock<IQ2_XS, 16> {
  static constexpr int BYTES = 74, ALIGN = 2;
  struct Part {
    Pair words;
    u32 scales;
    float scale;
  };
  static DEVICE const auto& grid() { return IQ2_XS_GRID; }
  static DEVICE Part part(const u8* block, u32 p) {
    return {load_pair<2>(block + 2 + 8 * p), block[66 + p], load_f16(block)};
  }
  static DEVICE Pair eight(const u16* grid, const Part& part, u32 i) {
    const u32 bits = (i < 2 ? part.words.at[0] : part.words.at[1]) >> (16 * (i % 2));
    return with_signs(numbers_of_iq2(grid[bits & 0x1ff]), even_signs(bits >> 9 & 0x7f));
  }
  static DEVICE float scale(const Part& part, u32 half) {
    return odd_scale(part.scale * 0.125f, part.scales >> (4 * half) & 0xf);
  }
};

// A scale, eight low bits of each index, the signs of all weights, two high bits of each index, and four bits of scale for each 16 weights.
struct IQ2_S : GridBlock<IQ2_S, 16> {
  static constexpr int BYTES = 82, ALIGN = 2;
  struct Part {
    u32 low, signs, high, scales;
    float scale;
  };
  static DEVICE const auto& grid() { return IQ2_S_GRID; }
  static DEVICE Part part(const u8* block, u32 p) {
    return {load_u32<2>(block + 2 + 4 * p), load_u32<2>(block + 34 + 4 * p), block[66 + p], block[74 + p],
            load_f16(block)};
  }
  static DEVICE Pair eight(const u16* grid, const Part& part, u32 i) {
    const u32 index = (part.low >> (8 * i) & 0xff) | (part.high >> (2 * i) & 3) << 8;
    return with_signs(numbers_of_iq2(grid[index]), part.signs >> (8 * i));
  }
  static DEVICE float scale(const Part& part, u32 half) {
    return odd_scale(part.scale * 0.125f, part.scales >> (4 * half) & 0xf);
  }
};

// A scale; for each part eight indices of eight bits; for each part four times seven signs and four bits of scale.
struct IQ3_XXS : GridBlock<IQ3_XXS, 32> {
  static constexpr int BYTES = 98, ALIGN = 2;
  struct Part {
    Pair indices;
    u32 signs;
    float scale;
  };
  static DEVICE const auto& grid() { return IQ3_XXS_GRID; }
  static DEVICE Part part(const u8* block, u32 p) {
    return {load_pair<2>(block + 2 + 8 * p), load_u32<2>(block + 66 + 4 * p), load_f16(block)};
  }
  static DEVICE Pair eight(const u16* grid, const Part& part, u32 i) {
    const u32 both = (i < 2 ? part.indices.at[0] : part.indices.at[1]) >> (16 * (i % 2));
    const Pair numbers = {{number(grid[both & 0xff]), number(grid[both >> 8 & 0xff])}};
    return with_signs(numbers, even_signs(part.signs >> (7 * i) & 0x7f));
  }
  static DEVICE float scale(const Part& part, u32) { return odd_scale(part.scale * 0.25f, part.signs >> 28); }

 private:
  // 4, 12, 20, 28, 36, 44, 52, 62.
  static DEVICE u32 number(u32 digits) { return select_bytes(0x1c140c04u, 0x3e342c24u, spread_fours(digits)); }
};

// A scale, eight low bits of each index, their ninth bits, the signs of all weights, and four bits of scale for each part.
struct IQ3_S : GridBlock<IQ3_S, 32> {
  static constexpr int BYTES = 110, ALIGN = 2;
  struct Part {
    Pair low;
    u32 high, signs, scales;
    float scale;
  };
  static DEVICE const auto& grid() { return IQ3_S_GRID; }
  static DEVICE Part part(const u8* block, u32 p) {
    return {load_pair<2>(block + 2 + 8 * p), block[66 + p], load_u32<2>(block + 74 + 4 * p),
            u32(block[106 + p / 2]) >> (4 * (p % 2)) & 0xf, load_f16(block)};
  }
  static DEVICE Pair eight(const u16* grid, const Part& part, u32 i) {
    const u32 low = (i < 2 ? part.low.at[0] : part.low.at[1]) >> (16 * (i % 2)), high = part.high >> (2 * i);
    const u32 first = (low & 0xff) | (high & 1) << 8, second = (low >> 8 & 0xff) | (high >> 1 & 1) << 8;
    return with_signs(Pair{{number(grid[first]), number(grid[second])}}, part.signs >> (8 * i));
  }
  static DEVICE float scale(const Part& part, u32) { return odd_scale(part.scale, part.scales); }

 private:
  // 1, 3, 5, .. 15.
  static DEVICE u32 number(u32 digits) { return spread_fours(digits) << 1 | 0x01010101u; }
};

// A scale, eight low bits of each index; for each part, three high bits of its four indices, three bits of scale, and whether an eighth is
// taken away or added.
struct IQ1_S : GridBlock<IQ1_S, 32> {
  static constexpr int BYTES = 50, ALIGN = 2;
  struct Part {
    u32 low, high;
    float scale;
  };
  static DEVICE const auto& grid() { return IQ1_GRID; }
  static DEVICE Part part(const u8* block, u32 p) {
    return {load_u32<2>(block + 2 + 4 * p), load_half(block + 34 + 2 * p), load_f16(block)};
  }
  static DEVICE Pair eight(const u16* grid, const Part& part, u32 i) {
    const u32 index = (part.low >> (8 * i) & 0xff) | (part.high >> (3 * i) & 7) << 8;
    return numbers_of_iq1(grid[index], (part.high & 0x8000) != 0);
  }
  static DEVICE float scale(const Part& part, u32) { return odd_scale(part.scale * 0.125f, part.high >> 12 & 7); }
};

// Eight low bits of each index; for each eight weights, three high bits and whether an eighth is taken away; for each 64, a word with four
// scales of three bits, one for each 16 weights, and four bits of the scale of the scales.
struct IQ1_M : GridBlock<IQ1_M, 16> {
  static constexpr int BYTES = 56, ALIGN = 8;
  struct Part {
    u32 low, high, scales;
    float scale;
  };
  static DEVICE const auto& grid() { return IQ1_GRID; }
  static DEVICE Part part(const u8* block, u32 p) {
    const Pair words = load_pair<8>(block + 48);
    const u32 a = words.at[0], b = words.at[1];
    const u32 scale = (a >> 12 & 0xf) | (a >> 24 & 0xf0) | (b >> 4 & 0xf00) | (b >> 16 & 0xf000);
    return {load_u32<4>(block + 4 * p), load_half(block + 32 + 2 * p),
            (p < 4 ? a : b) >> (16 * (p / 2 % 2) + 6 * (p % 2)) & 0x3f, f16_to_f32(u16(scale))};
  }
  static DEVICE Pair eight(const u16* grid, const Part& part, u32 i) {
    const u32 high = part.high >> (4 * i);
    return numbers_of_iq1(grid[(part.low >> (8 * i) & 0xff) | (high & 7) << 8], (high & 8) != 0);
  }
  static DEVICE float scale(const Part& part, u32 half) {
    return odd_scale(part.scale * 0.125f, part.scales >> (3 * half) & 7);
  }
};

#endif
