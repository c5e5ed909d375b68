// GGML's quantized block formats, and how lanes read them.
//
// A lane processes granules: 8 consecutive bytes of a block's quants, with their high bits, which hold 8 consecutive weights in
// each of PLANES parts of the block. Consecutive lanes process consecutive granules, so that accesses are coalesced. All
// kernels read quantized weights with `B::load`.
//
// Blocks are aligned to B::ALIGN bytes relative to the start of the tensor, which is aligned to 16 bytes.
// Formats: https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h
#ifndef CANDLE_ROCM_QUANTIZED_BLOCKS_H
#define CANDLE_ROCM_QUANTIZED_BLOCKS_H

#include "common/platform.h"

// ------------------------------------------------------------------------------------------------------------- Memory

// 8 bytes as two words.
struct Pair {
  u32 at[2];
  // See finish in platform.h.
  DEVICE void finish() {
    ::finish(at[0]);
    ::finish(at[1]);
  }
};

DEVICE u32 load_half(const u8* p) { return *reinterpret_cast<const u16*>(p); }
DEVICE float load_f16(const u8* p) { return f16_to_f32(u16(load_half(p))); }

// Loads from an address aligned to ALIGN, at least 2.
template <int ALIGN>
DEVICE u32 load_u32(const u8* p) {
  if constexpr (UNALIGNED_VECTORS || ALIGN >= 4) {
    return load_word<4, ALIGN>(p);
  } else {
    return load_half(p) | load_half(p + 2) << 16;
  }
}

template <int ALIGN>
DEVICE Pair load_pair(const u8* p) {
  if constexpr (UNALIGNED_VECTORS || ALIGN >= 8) {
    const u64 both = load_word<8, ALIGN>(p);
    return {u32(both), u32(both >> 32)};
  } else if constexpr (ALIGN >= 4) {
    return {load_word<4, 4>(p), load_word<4, 4>(p + 4)};
  } else {
    // Loads the two or three aligned words that hold the 8 bytes, which is cheaper than loading 16-bit halves.
    const u32 odd = u32(reinterpret_cast<u64>(p)) & (4 - ALIGN);
    const u8* const base = p - odd;
    const u32 a = load_word<4, 4>(base), b = load_word<4, 4>(base + 4);
    const u32 c = load_word<4, 4>(base + (odd == 0 ? 4 : 8)), shift = odd * 8;
    return {u32((u64(b) << 32 | a) >> shift), u32((u64(c) << 32 | b) >> shift)};
  }
}

// Subtracts C from the four small numbers in the bytes of a word; the results are signed bytes.
template <u32 C>
DEVICE u32 less(u32 v) {
  return ((v | 0x80808080u) - C * 0x01010101u) ^ 0x80808080u;
}

// Moves bits 0 to 3 to bit 4 of bytes 0 to 3.
DEVICE u32 bits_to_bytes(u32 bits) { return ((bits & 0xf) * 0x00204081u & 0x01010101u) << 4; }

// ------------------------------------------------------------------------------------------------------------ Granules

// An unpacked granule: in each plane 8 weights, `scale * q + offset`, where q are the signed bytes of two words.
template <int PLANES>
struct Granule {
  Pair q[PLANES];
  float scale[PLANES], offset[PLANES];
};

// The same where scales are whole numbers, times a factor.
template <int PLANES>
struct FactoredGranule {
  Pair q[PLANES];
  i32 scale[PLANES];
  float factor, offset[PLANES];

  DEVICE Granule<PLANES> multiplied() const {
    Granule<PLANES> result;
    UNROLLED
    for (int p = 0; p < PLANES; p++) {
      result.q[p] = q[p];
      result.scale[p] = factor * float(scale[p]);
      result.offset[p] = offset[p];
    }
    return result;
  }
};

// A block type B has
//   BYTES, WEIGHTS, GRANULES             per block
//   PLANES                               per granule
//   GROUP                                the number of consecutive weights that share a scale
//   OFFSETS                              whether offsets can differ from 0
//   Granule<PLANES> load(const u8* block, u32 g)
//   u32 weight_index(u32 g, u32 plane)   the index within the block of the granule's 8 weights in that plane
// and, if planes are more than 64 weights in all, load<N>(block, g, first): N of them.
//
// The first half of the granules of a block of 256 weights holds its first 128 weights.

// 32 weights: a scale, then 16 bytes whose low nibbles are weights 0 to 15, and high nibbles 16 to 31.
struct Nibbles {
  static constexpr int WEIGHTS = 32, GRANULES = 2, PLANES = 2, GROUP = 32;
  static DEVICE constexpr u32 weight_index(u32 g, u32 plane) { return 8 * g + 16 * plane; }

  // From the quants and, if FIVE, the fifth bits of all weights.
  template <int ALIGN, bool FIVE, u32 LESS>
  static DEVICE Granule<2> unpack(const u8* quants, u32 g, u32 fifth, float scale, float offset) {
    const Pair bytes = load_pair<ALIGN>(quants + 8 * g);
    Granule<2> result;
    UNROLLED
    for (int p = 0; p < 2; p++) {
      UNROLLED
      for (int i = 0; i < 2; i++) {
        u32 v = bytes.at[i] >> (4 * p) & 0x0f0f0f0fu;
        if (FIVE) v |= bits_to_bytes(fifth >> (8 * g + 16 * p + 4 * i));
        result.q[p].at[i] = LESS > 0 ? less<LESS>(v) : v;
      }
      result.scale[p] = scale;
      result.offset[p] = offset;
    }
    return result;
  }
};

struct Q4_0 : Nibbles {
  static constexpr int BYTES = 18, ALIGN = 2;
  static constexpr bool OFFSETS = false;
  static DEVICE Granule<2> load(const u8* block, u32 g) {
    return unpack<2, false, 8>(block + 2, g, 0, load_f16(block), 0.0f);
  }
};

struct Q4_1 : Nibbles {
  static constexpr int BYTES = 20, ALIGN = 4;
  static constexpr bool OFFSETS = true;
  static DEVICE Granule<2> load(const u8* block, u32 g) {
    return unpack<4, false, 0>(block + 4, g, 0, load_f16(block), load_f16(block + 2));
  }
};

struct Q5_0 : Nibbles {
  static constexpr int BYTES = 22, ALIGN = 2;
  static constexpr bool OFFSETS = false;
  static DEVICE Granule<2> load(const u8* block, u32 g) {
    return unpack<2, true, 16>(block + 6, g, load_u32<2>(block + 2), load_f16(block), 0.0f);
  }
};

struct Q5_1 : Nibbles {
  static constexpr int BYTES = 24, ALIGN = 8;
  static constexpr bool OFFSETS = true;
  static DEVICE Granule<2> load(const u8* block, u32 g) {
    return unpack<8, true, 0>(block + 8, g, load_u32<4>(block + 4), load_f16(block), load_f16(block + 2));
  }
};

// 8-bit quants after a header.
template <int HEADER, int ALIGNED>
struct Bytes {
  static constexpr int PLANES = 1, ALIGN = ALIGNED;
  static constexpr bool OFFSETS = false;
  static DEVICE constexpr u32 weight_index(u32 g, u32) { return 8 * g; }
  static DEVICE Granule<1> unpack(const u8* block, u32 g, float scale) {
    return {{load_pair<ALIGNED>(block + HEADER + 8 * g)}, {scale}, {0.0f}};
  }
};

struct Q8_0 : Bytes<2, 2> {
  static constexpr int BYTES = 34, WEIGHTS = 32, GRANULES = 4, GROUP = 32;
  static DEVICE Granule<1> load(const u8* block, u32 g) { return unpack(block, g, load_f16(block)); }
};

// The format of candle's quantized activations: scale and sum of the values in half precision, 32 bytes.
struct Q8_1 : Bytes<4, 4> {
  static constexpr int BYTES = 36, WEIGHTS = 32, GRANULES = 4, GROUP = 32;
  static DEVICE Granule<1> load(const u8* block, u32 g) { return unpack(block, g, load_f16(block)); }
  static DEVICE float load_scale(const u8* block) { return load_f16(block); }
};

// The format of our own, for activations of any size: the scale in f32, 32 bytes. Kernels add up the bytes themselves.
struct Q8 {
  static constexpr int BYTES = 36, WEIGHTS = 32;
  static DEVICE float load_scale(const u8* block) { return bit_cast<float>(load_u32<4>(block)); }
};

struct Q8_K : Bytes<4, 4> {
  static constexpr int BYTES = 292, WEIGHTS = 256, GRANULES = 32, GROUP = 256;
  static DEVICE Granule<1> load(const u8* block, u32 g) {
    return unpack(block, g, bit_cast<float>(load_u32<4>(block)));
  }
};

// 16 pairs of 4-bit scale and offset, 64 bytes of 2-bit quants, the scale of the scales, and that of the offsets. Byte b of the
// 32 bytes of a half holds weights b, b + 32, b + 64 and b + 96 of that half.
struct Q2_K {
  static constexpr int BYTES = 84, ALIGN = 4, WEIGHTS = 256, GRANULES = 8, PLANES = 4, GROUP = 16;
  static constexpr bool OFFSETS = true;
  static DEVICE constexpr u32 weight_index(u32 g, u32 plane) { return 128 * (g / 4) + 32 * plane + 8 * (g % 4); }
  template <int N = PLANES>
  static DEVICE Granule<N> load(const u8* block, u32 g, u32 first = 0) {
    return load_factored<N>(block, g, first).multiplied();
  }
  template <int N>
  static DEVICE FactoredGranule<N> load_factored(const u8* block, u32 g, u32 first) {
    const u32 half = g / 4, byte = 8 * (g % 4), second = 8 * (byte / 16);
    const Pair bytes = load_pair<4>(block + 16 + 8 * g), scales = load_pair<4>(block + 8 * half);
    const u32 both = load_u32<4>(block + 80);
    const float offset = -f16_to_f32(u16(both >> 16));
    FactoredGranule<N> result;
    result.factor = f16_to_f32(u16(both));
    UNROLLED
    for (int p = 0; p < N; p++) {
      const u32 plane = first + p, s = (plane < 2 ? scales.at[0] : scales.at[1]) >> (16 * (plane % 2) + second);
      result.scale[p] = i32(s & 0xf);
      result.offset[p] = offset * float(s >> 4 & 0xf);
      UNROLLED
      for (int i = 0; i < 2; i++) result.q[p].at[i] = bytes.at[i] >> (2 * plane) & 0x03030303u;
    }
    return result;
  }
};

// 32 bytes of third bits, 64 bytes of the lower two bits, 16 6-bit scales in 12 bytes, the scale of the scales. Quants are
// ordered as in Q2_K; bit 4 * half + plane of third-bit byte b belongs to byte b of that half.
struct Q3_K {
  static constexpr int BYTES = 110, ALIGN = 2, WEIGHTS = 256, GRANULES = 8, PLANES = 4, GROUP = 16;
  static constexpr bool OFFSETS = false;
  static DEVICE constexpr u32 weight_index(u32 g, u32 plane) { return Q2_K::weight_index(g, plane); }
  template <int N = PLANES>
  static DEVICE Granule<N> load(const u8* block, u32 g, u32 first = 0) {
    return load_factored<N>(block, g, first).multiplied();
  }
  template <int N>
  static DEVICE FactoredGranule<N> load_factored(const u8* block, u32 g, u32 first) {
    const u32 half = g / 4, byte = 8 * (g % 4), second = 8 * (byte / 16);
    const Pair bytes = load_pair<2>(block + 32 + 8 * g), third = load_pair<2>(block + byte);
    // The four low bits of each scale: low nibbles for the first half, high nibbles for the second. Then the two high bits.
    const Pair low = load_pair<2>(block + 96);
    const u32 high = load_u32<2>(block + 104);
    FactoredGranule<N> result;
    result.factor = load_f16(block + 108);
    UNROLLED
    for (int p = 0; p < N; p++) {
      const u32 plane = first + p, at = 16 * (plane % 2) + second + 4 * half;
      const u32 nibble = (plane < 2 ? low.at[0] : low.at[1]) >> at & 0xf;
      const u32 s = nibble | (high >> (at + 2 * (plane / 2)) & 3) << 4;
      result.scale[p] = i32(s) - 32;
      result.offset[p] = 0.0f;
      UNROLLED
      for (int i = 0; i < 2; i++) {
        const u32 bit = third.at[i] >> (4 * half + plane) & 0x01010101u;
        result.q[p].at[i] = less<4>((bytes.at[i] >> (2 * plane) & 0x03030303u) | bit << 2);
      }
    }
    return result;
  }
};

// The scale of the scales, that of the offsets, 8 scales and 8 offsets of 6 bits in 12 bytes; for Q5_K, 32 bytes of fifth bits;
// then 128 bytes: the low nibbles of each 32 bytes are 32 weights, the high nibbles the next 32.
template <bool FIVE>
struct SixBitScales {
  static constexpr int BYTES = FIVE ? 176 : 144, ALIGN = 16, WEIGHTS = 256, GRANULES = 16, PLANES = 2, GROUP = 32;
  static constexpr bool OFFSETS = true;
  static DEVICE constexpr u32 weight_index(u32 g, u32 plane) { return 64 * (g / 4) + 32 * plane + 8 * (g % 4); }
  template <int N>
  struct Raw {
    Pair bytes, first, last, fifth;
    DEVICE void read(const u8* block, u32 g, u32, bool begins, bool) {
      bytes = load_pair<8>(block + (FIVE ? 48 : 16) + 8 * g);
      if (!begins) return;
      if (FIVE) fifth = load_pair<8>(block + 16 + 8 * (g % 4));
      first = load_pair<8>(block);
      last = load_pair<8>(block + 8);
    }
    DEVICE void finish(bool begins, bool) {
      bytes.finish();
      if (!begins) return;
      if (FIVE) fifth.finish();
      first.finish();
      last.finish();
    }
  };
  static DEVICE Granule<2> load(const u8* block, u32 g) {
    Raw<2> raw;
    raw.read(block, g, 0, true, true);
    return unpack<2>(raw, g, 0);
  }
  template <int N>
  static DEVICE Granule<N> unpack(const Raw<N>& raw, u32 g, u32) {
    static_assert(N == 2, "both planes are of the same step");
    const u32 pair = g / 4;
    const Pair &bytes = raw.bytes, &first = raw.first, &last = raw.last, &fifth = raw.fifth;
    const float scale = f16_to_f32(u16(first.at[0])), offset = -f16_to_f32(u16(first.at[0] >> 16));
    const u32 scales = first.at[1], offsets = last.at[0], more = last.at[1];
    // Scale and offset 2 * pair and 2 * pair + 1, in the bytes of a word.
    const u32 at = 16 * (pair & 1);
    const u32 low = scales >> at, low_offsets = offsets >> at, high = more >> at;
    const u32 s = pair < 2 ? low & 0x3f3fu : (high & 0x0f0fu) | (low >> 2 & 0x3030u);
    const u32 o = pair < 2 ? low_offsets & 0x3f3fu : (high >> 4 & 0x0f0fu) | (low_offsets >> 2 & 0x3030u);
    Granule<2> result;
    UNROLLED
    for (int p = 0; p < 2; p++) {
      result.scale[p] = scale * float(s >> (8 * p) & 0xff);
      result.offset[p] = offset * float(o >> (8 * p) & 0xff);
      UNROLLED
      for (int i = 0; i < 2; i++) {
        u32 v = bytes.at[i] >> (4 * p) & 0x0f0f0f0fu;
        if (FIVE) v |= (fifth.at[i] >> (2 * pair + p) & 0x01010101u) << 4;
        result.q[p].at[i] = v;
      }
    }
    return result;
  }
};
struct Q4_K : SixBitScales<false> {};
struct Q5_K : SixBitScales<true> {};

// 128 bytes of low nibbles, 64 bytes of two high bits, 16 signed scales, and their scale. In a half of the block, low byte b
// holds weights b and b + 64; high byte b holds weights b, b + 32, b + 64 and b + 96.
struct Q6_K {
  static constexpr int BYTES = 210, ALIGN = 2, WEIGHTS = 256, GRANULES = 16, PLANES = 2, GROUP = 16;
  static constexpr bool OFFSETS = false;
  static DEVICE constexpr u32 weight_index(u32 g, u32 plane) { return 128 * (g / 8) + 64 * plane + 8 * (g % 8); }
  template <int N>
  struct Raw {
    Pair low, high;
    // Of each plane, the scales of 32 weights; and that of all.
    u32 scales[N], scale;
    DEVICE void read(const u8* block, u32 g, u32 plane, bool begins, bool begins_granule) {
      const u32 half = g / 8, byte = 8 * (g % 8);
      if (begins_granule) {
        low = load_pair<2>(block + 8 * g);
        high = load_pair<2>(block + 128 + 32 * half + byte % 32);
      }
      UNROLLED
      for (int p = 0; p < N; p++) scales[p] = load_half(block + 192 + 8 * half + 4 * (plane + p) + byte / 32 * 2);
      if (begins) scale = load_half(block + 208);
    }
    DEVICE void finish(bool begins, bool begins_granule) {
      if (begins_granule) {
        low.finish();
        high.finish();
      }
      UNROLLED
      for (int p = 0; p < N; p++) ::finish(scales[p]);
      if (begins) ::finish(scale);
    }
  };
  template <int N = PLANES>
  static DEVICE Granule<N> load(const u8* block, u32 g, u32 first = 0) {
    Raw<N> raw;
    raw.read(block, g, first, true, true);
    return unpack<N>(raw, g, first);
  }
  template <int N>
  static DEVICE Granule<N> unpack(const Raw<N>& raw, u32 g, u32 first) {
    const u32 byte = 8 * (g % 8);
    const Pair &low = raw.low, &high = raw.high;
    // A quarter: quants are times four.
    const float scale = f16_to_f32(u16(raw.scale)) * 0.25f;
    Granule<N> result;
    UNROLLED
    for (int p = 0; p < N; p++) {
      const u32 plane = first + p;
      result.scale[p] = scale * float(i8(raw.scales[p] >> (byte / 16 % 2 * 8)));
      result.offset[p] = 0.0f;
      // Six bits as the upper ones of a byte are four times the quant, less 32 once the sign is flipped.
      UNROLLED
      for (int i = 0; i < 2; i++) {
        const u32 nibbles = plane == 0 ? low.at[i] << 2 : low.at[i] >> 2;
        const u32 upper = high.at[i] << (6 - 2 * (byte / 32) - 4 * plane) & 0xc0c0c0c0u;
        result.q[p].at[i] = (nibbles & 0x3c3c3c3cu) | (upper ^ 0x80808080u);
      }
    }
    return result;
  }
};

// ---------------------------------------------------------------------------------- Codebooks and floats of a few bits

// The signed bytes that four nibbles in the bytes of a word stand for: 0 to 3 for those of A, 4 to 7 for those of B, then C and D.
template <u32 A, u32 B, u32 C, u32 D>
DEVICE u32 look_up(u32 nibbles) {
  const u32 low = nibbles & 0x07070707u, upper = (nibbles >> 3 & 0x01010101u) * 0xff;
  return (select_bytes(A, B, low) & ~upper) | (select_bytes(C, D, low) & upper);
}

// IQ4_NL's numbers: -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113.
struct NonLinear {
  static DEVICE u32 of(u32 nibbles) { return look_up<0xbfad9881u, 0xf6eaddcfu, 0x26190d01u, 0x71594535u>(nibbles); }
};

// OCP's E2M1 times two: 0, 1, 2, 3, 4, 6, 8, 12, and the same with a sign.
struct E2M1 {
  static DEVICE u32 of(u32 nibbles) { return look_up<0x03020100u, 0x0c080604u, 0xfdfeff00u, 0xf4f8fafcu>(nibbles); }
};

// Half of an E8M0, which is 2^(e - 127), or NaN for 255: as E2M1's numbers are doubled. The two smallest are subnormal.
DEVICE float half_of_e8m0(u32 e) {
  const u32 bits = e < 2 ? 0x00200000u << e : (e - 1) << 23;
  return bit_cast<float>(e == 0xff ? 0x7fc00000u : bits);
}

// 8 bytes of 16 whose low nibbles are weights 0 to 15, and high nibbles 16 to 31, as numbers of CODE.
template <class CODE, int ALIGN>
DEVICE Granule<2> coded(const u8* quants, u32 g, float scale) {
  const Pair bytes = load_pair<ALIGN>(quants + 8 * g);
  Granule<2> result;
  UNROLLED
  for (int p = 0; p < 2; p++) {
    UNROLLED
    for (int i = 0; i < 2; i++) result.q[p].at[i] = CODE::of(bytes.at[i] >> (4 * p) & 0x0f0f0f0fu);
    result.scale[p] = scale;
    result.offset[p] = 0.0f;
  }
  return result;
}

struct IQ4_NL : Nibbles {
  static constexpr int BYTES = 18, ALIGN = 2;
  static constexpr bool OFFSETS = false;
  static DEVICE Granule<2> load(const u8* block, u32 g) { return coded<NonLinear, 2>(block + 2, g, load_f16(block)); }
};

// A scale in E8M0, then nibbles in E2M1.
struct MXFP4 : Nibbles {
  static constexpr int BYTES = 17, ALIGN = 1;
  static constexpr bool OFFSETS = false;
  static DEVICE Granule<2> load(const u8* block, u32 g) { return coded<E2M1, 1>(block + 1, g, half_of_e8m0(block[0])); }
};

// The scale of the scales; the two high bits of 8 scales of 6 bits, and their four low ones; 8 times 16 bytes of nibbles.
struct IQ4_XS {
  static constexpr int BYTES = 136, ALIGN = 8, WEIGHTS = 256, GRANULES = 16, PLANES = 2, GROUP = 32;
  static constexpr bool OFFSETS = false;
  static DEVICE constexpr u32 weight_index(u32 g, u32 plane) { return 32 * (g / 2) + 16 * plane + 8 * (g % 2); }
  // From the first two words of the block.
  static DEVICE float scale(const u32 (&header)[2], u32 group) {
    const u32 s = (header[1] >> (4 * group) & 0xf) | (header[0] >> (16 + 2 * group) & 3) << 4;
    return f16_to_f32(u16(header[0])) * float(i32(s) - 32);
  }
  static DEVICE Granule<2> load(const u8* block, u32 g) {
    return coded<NonLinear, 8>(block + 8, g, scale(load_pair<8>(block).at, g / 2));
  }
};

// -------------------------------------------------------------------------------------------------------------- Trits

// 64 bytes of 2-bit quants, in the order of Q2_K's, and a scale. Quants are 0 to 2, for -1 to 1.
struct TQ2_0 {
  static constexpr int BYTES = 66, ALIGN = 2, WEIGHTS = 256, GRANULES = 8, PLANES = 4, GROUP = 32;
  static constexpr bool OFFSETS = false;
  static DEVICE constexpr u32 weight_index(u32 g, u32 plane) { return Q2_K::weight_index(g, plane); }
  template <int N = PLANES>
  static DEVICE Granule<N> load(const u8* block, u32 g, u32 first = 0) {
    const Pair bytes = load_pair<2>(block + 8 * g);
    const float scale = load_f16(block + 64);
    Granule<N> result;
    UNROLLED
    for (int p = 0; p < N; p++) {
      result.scale[p] = scale;
      result.offset[p] = 0.0f;
      UNROLLED
      for (int i = 0; i < 2; i++) result.q[p].at[i] = less<1>(bytes.at[i] >> (2 * (first + p)) & 0x03030303u);
    }
    return result;
  }
};

// Bytes of five digits to the base 3, and a scale. Byte b is the fraction b / 256, rounded up, so that its first digit is the
// integer part of 3 b / 256, and the next ones are those of b times powers of 3, modulo 256. Digit d of byte m is weight 32 d + m for
// the first 32 bytes, 160 + 16 d + m for the next 16, and 240 + 4 d + m for the last 4, which have four digits.
struct TQ1_0 {
  static constexpr int BYTES = 54, ALIGN = 2, WEIGHTS = 256, GRANULES = 32, PLANES = 1, GROUP = 32;
  static constexpr bool OFFSETS = false;
  static DEVICE constexpr u32 weight_index(u32 g, u32) { return 8 * g; }
  // Weights 4 * i to 4 * i + 3.
  static DEVICE u32 four(const u8* block, u32 i) {
    const u32 word = i < 40 ? i % 8 : i < 60 ? 8 + i % 4 : 12;
    const u32 digit = i < 40 ? i / 8 : i < 60 ? i / 4 - 10 : i - 60;
    const u32 power = u32(0x511b090301ull >> (8 * digit)) & 0xff;
    const u32 bytes = load_u32<2>(block + 4 * word);
    const u32 even = (bytes & 0x00ff00ffu) * power & 0x00ff00ffu,
              odd = (bytes >> 8 & 0x00ff00ffu) * power & 0x00ff00ffu;
    return less<1>((even * 3 >> 8 & 0x00030003u) | (odd * 3 & 0x03000300u));
  }
  static DEVICE Granule<1> load(const u8* block, u32 g) {
    return {{{{four(block, 2 * g), four(block, 2 * g + 1)}}}, {load_f16(block + 52)}, {0.0f}};
  }
};

// Byte i of a pair, signed.
DEVICE float signed_byte(const Pair& pair, int i) { return float(i8(pair.at[i / 4] >> (8 * (i % 4)))); }

// The 8 weights of one plane. Without offsets, nothing is added, which would lose the sign of zeros.
template <class B>
DEVICE void weights(const Granule<B::PLANES>& granule, int plane, float (&out)[8]) {
  UNROLLED
  for (int i = 0; i < 8; i++) {
    out[i] = granule.scale[plane] * signed_byte(granule.q[plane], i);
    if (B::OFFSETS) out[i] += granule.offset[plane];
  }
}

#endif
