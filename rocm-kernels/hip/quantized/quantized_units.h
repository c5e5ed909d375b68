// GGML's quantized block formats in units of 64 weights, which a lane of stream.h processes at a time: large enough
// to amortize unpacking scales. Blocks of 32 weights are processed in pairs, so that units are aligned to 4 bytes.
#ifndef CANDLE_ROCM_QUANTIZED_UNITS_H
#define CANDLE_ROCM_QUANTIZED_UNITS_H

#include "common/vec.h"
#include "quantized/quantized_blocks.h"

constexpr u32 UNIT = 64;

// 64 weights in 64 / GROUP groups: `scale * q + offset`, where q are signed bytes.
template <int GROUP>
struct Unit {
  u32 q[16];
  float scale[64 / GROUP], offset[64 / GROUP];
};

// N words from an address aligned to ALIGN. If ALIGN is 2, the word after the last is read as well.
template <int N, int ALIGN>
DEVICE void load_words(const u8* p, u32* out) {
  if constexpr (ALIGN >= 16) {
    UNROLLED
    for (int i = 0; i < N; i += 4) {
      const Vec<u32, 4> v = load_vec<4>(reinterpret_cast<const u32*>(p) + i);
      UNROLLED
      for (int j = 0; j < 4; j++) out[i + j] = v.at[j];
    }
  } else if constexpr (ALIGN >= 4) {
    UNROLLED
    for (int i = 0; i < N; i++) out[i] = reinterpret_cast<const u32*>(p)[i];
  } else {
    const u32 odd = u32(reinterpret_cast<u64>(p)) & 2;
    const u32* const words = reinterpret_cast<const u32*>(p - odd);
    u32 low = words[0];
    UNROLLED
    for (int i = 0; i < N; i++) {
      const u32 high = words[i + 1];
      out[i] = u32((u64(high) << 32 | low) >> (odd * 8));
      low = high;
    }
  }
}

DEVICE u32 join(u32 low, u32 high) { return low >> 16 | high << 16; }

// Unpacks the low nibbles of the bytes of 4 words to q, followed by the high nibbles.
DEVICE void nibbles(const u32 (&words)[4], u32* q) {
  UNROLLED
  for (int i = 0; i < 4; i++) {
    q[i] = words[i] & 0x0f0f0f0fu;
    q[4 + i] = words[i] >> 4 & 0x0f0f0f0fu;
  }
}

DEVICE void fifth_bits(u32 bits, u32* q) {
  UNROLLED
  for (int i = 0; i < 8; i++) q[i] |= bits_to_bytes(bits >> (4 * i));
}

// For a block type B:
//   BYTES                  of UNITS units, aligned to ALIGN
//   GROUP                  the number of consecutive weights that share a scale
//   OFFSETS                whether there are offsets (which also represent zero points other than 0)
//   stage()                puts what load needs beside the block into shared memory, by all threads of a block
//   load(start, unit)      after a barrier behind stage
//   column(unit, group)    the index of the group's first weight
template <class B>
struct Units;

struct Pairs {
  static constexpr int UNITS = 1, GROUP = 32, ALIGN = 4;
  static constexpr bool OFFSETS = true;
  static DEVICE void stage() {}
  static DEVICE u32 column(u32, u32 group) { return 32 * group; }
};

template <>
struct Units<Q4_0> : Pairs {
  static constexpr int BYTES = 36;
  static DEVICE Unit<32> load(const u8* start, u32) {
    u32 w[9];
    load_words<9, 4>(start, w);
    Unit<32> unit;
    const u32 first[4] = {join(w[0], w[1]), join(w[1], w[2]), join(w[2], w[3]), join(w[3], w[4])};
    const u32 second[4] = {w[5], w[6], w[7], w[8]};
    nibbles(first, unit.q);
    nibbles(second, unit.q + 8);
    unit.scale[0] = f16_to_f32(u16(w[0]));
    unit.scale[1] = f16_to_f32(u16(w[4] >> 16));
    UNROLLED
    for (int i = 0; i < 2; i++) unit.offset[i] = -8.0f * unit.scale[i];
    return unit;
  }
};

template <>
struct Units<Q4_1> : Pairs {
  static constexpr int BYTES = 40;
  static DEVICE Unit<32> load(const u8* start, u32) {
    u32 w[10];
    load_words<10, 4>(start, w);
    Unit<32> unit;
    UNROLLED
    for (int i = 0; i < 2; i++) {
      const u32 quants[4] = {w[5 * i + 1], w[5 * i + 2], w[5 * i + 3], w[5 * i + 4]};
      nibbles(quants, unit.q + 8 * i);
      unit.scale[i] = f16_to_f32(u16(w[5 * i]));
      unit.offset[i] = f16_to_f32(u16(w[5 * i] >> 16));
    }
    return unit;
  }
};

template <>
struct Units<Q5_0> : Pairs {
  static constexpr int BYTES = 44;
  static DEVICE Unit<32> load(const u8* start, u32) {
    u32 w[11];
    load_words<11, 4>(start, w);
    Unit<32> unit;
    const u32 first[4] = {join(w[1], w[2]), join(w[2], w[3]), join(w[3], w[4]), join(w[4], w[5])};
    const u32 second[4] = {w[7], w[8], w[9], w[10]};
    nibbles(first, unit.q);
    nibbles(second, unit.q + 8);
    fifth_bits(join(w[0], w[1]), unit.q);
    fifth_bits(w[6], unit.q + 8);
    unit.scale[0] = f16_to_f32(u16(w[0]));
    unit.scale[1] = f16_to_f32(u16(w[5] >> 16));
    UNROLLED
    for (int i = 0; i < 2; i++) unit.offset[i] = -16.0f * unit.scale[i];
    return unit;
  }
};

template <>
struct Units<Q5_1> : Pairs {
  static constexpr int BYTES = 48;
  static DEVICE Unit<32> load(const u8* start, u32) {
    u32 w[12];
    load_words<12, 16>(start, w);
    Unit<32> unit;
    UNROLLED
    for (int i = 0; i < 2; i++) {
      const u32 quants[4] = {w[6 * i + 2], w[6 * i + 3], w[6 * i + 4], w[6 * i + 5]};
      nibbles(quants, unit.q + 8 * i);
      fifth_bits(w[6 * i + 1], unit.q + 8 * i);
      unit.scale[i] = f16_to_f32(u16(w[6 * i]));
      unit.offset[i] = f16_to_f32(u16(w[6 * i] >> 16));
    }
    return unit;
  }
};

template <>
struct Units<Q8_0> : Pairs {
  static constexpr int BYTES = 68;
  static constexpr bool OFFSETS = false;
  static DEVICE Unit<32> load(const u8* start, u32) {
    u32 w[17];
    load_words<17, 4>(start, w);
    Unit<32> unit;
    UNROLLED
    for (int i = 0; i < 8; i++) {
      unit.q[i] = join(w[i], w[i + 1]);
      unit.q[8 + i] = w[9 + i];
    }
    unit.scale[0] = f16_to_f32(u16(w[0]));
    unit.scale[1] = f16_to_f32(u16(w[8] >> 16));
    unit.offset[0] = unit.offset[1] = 0.0f;
    return unit;
  }
};

template <bool FIVE>
struct Units<SixBitScales<FIVE>> {
  static constexpr int BYTES = SixBitScales<FIVE>::BYTES, UNITS = 4, GROUP = 32, ALIGN = 16;
  static constexpr bool OFFSETS = true;
  static DEVICE void stage() {}
  static DEVICE u32 column(u32 unit, u32 group) { return 64 * unit + 32 * group; }
  static DEVICE Unit<32> load(const u8* start, u32 index) {
    u32 header[4], quants[8];
    load_words<4, 16>(start, header);
    load_words<8, 16>(start + (FIVE ? 48 : 16) + 32 * index, quants);
    Unit<32> unit;
    UNROLLED
    for (int i = 0; i < 8; i++) {
      unit.q[i] = quants[i] & 0x0f0f0f0fu;
      unit.q[8 + i] = quants[i] >> 4 & 0x0f0f0f0fu;
    }
    if (FIVE) {
      u32 fifth[8];
      load_words<8, 16>(start + 16, fifth);
      UNROLLED
      for (int i = 0; i < 8; i++) {
        const u32 bits = fifth[i] >> (2 * index);
        unit.q[i] |= (bits & 0x01010101u) << 4;
        unit.q[8 + i] |= (bits & 0x02020202u) << 3;
      }
    }
    // The scales and offsets of groups 2 * index and 2 * index + 1, in the bytes of a word. Those of the first four groups are
    // the low six bits; the others have four bits elsewhere, and the upper two above those of the first.
    const u32 at = 16 * (index & 1);
    const u32 scales = header[1] >> at, offsets = header[2] >> at, more = header[3] >> at;
    const bool front = index < 2;
    const u32 s = front ? scales & 0x3f3fu : (more & 0x0f0fu) | (scales >> 2 & 0x3030u);
    const u32 o = front ? offsets & 0x3f3fu : (more >> 4 & 0x0f0fu) | (offsets >> 2 & 0x3030u);
    const float scale = f16_to_f32(u16(header[0])), offset = -f16_to_f32(u16(header[0] >> 16));
    UNROLLED
    for (int i = 0; i < 2; i++) {
      unit.scale[i] = scale * float(s >> (8 * i) & 0xff);
      unit.offset[i] = offset * float(o >> (8 * i) & 0xff);
    }
    return unit;
  }
};
template <>
struct Units<Q4_K> : Units<SixBitScales<false>> {};
template <>
struct Units<Q5_K> : Units<SixBitScales<true>> {};

// Blocks of two halves, each of 4 times 32 weights. Unit 2 * half + part has 16 of each 32, which most types have in 16 of 32 bytes.
struct Sixteens {
  static constexpr int UNITS = 4, GROUP = 16;
  static DEVICE void stage() {}
  static DEVICE u32 column(u32 unit, u32 group) { return 128 * (unit / 2) + 32 * group + 16 * (unit % 2); }
};

template <>
struct Units<Q2_K> : Sixteens {
  static constexpr int BYTES = Q2_K::BYTES, ALIGN = 4;
  static constexpr bool OFFSETS = true;
  static DEVICE Unit<16> load(const u8* start, u32 index) {
    const u32 half = index / 2, part = index % 2;
    u32 quants[4], scales[2];
    load_words<4, 4>(start + 16 + 16 * index, quants);
    load_words<2, 4>(start + 8 * half, scales);
    const u32 both = *reinterpret_cast<const u32*>(start + 80);
    const float scale = f16_to_f32(u16(both)), offset = -f16_to_f32(u16(both >> 16));
    Unit<16> unit;
    UNROLLED
    for (int p = 0; p < 4; p++) {
      const u32 s = scales[p / 2] >> (16 * (p % 2) + 8 * part);
      unit.scale[p] = scale * float(s & 0xf);
      unit.offset[p] = offset * float(s >> 4 & 0xf);
      UNROLLED
      for (int i = 0; i < 4; i++) unit.q[4 * p + i] = quants[i] >> (2 * p) & 0x03030303u;
    }
    return unit;
  }
};

template <>
struct Units<Q3_K> : Sixteens {
  static constexpr int BYTES = Q3_K::BYTES, ALIGN = 2;
  static constexpr bool OFFSETS = true;
  static DEVICE Unit<16> load(const u8* start, u32 index) {
    const u32 half = index / 2, part = index % 2;
    u32 quants[4], third[4], scales[3];
    load_words<4, 2>(start + 32 + 16 * index, quants);
    load_words<4, 2>(start + 16 * part, third);
    load_words<3, 2>(start + 96, scales);
    const float scale = load_f16(start + 108);
    Unit<16> unit;
    UNROLLED
    for (int p = 0; p < 4; p++) {
      const u32 at = 16 * (p % 2) + 8 * part + 4 * half;
      const u32 s = (scales[p / 2] >> at & 0xf) | (scales[2] >> (at + 2 * (p / 2)) & 3) << 4;
      unit.scale[p] = scale * float(i32(s) - 32);
      unit.offset[p] = -4.0f * unit.scale[p];
      UNROLLED
      for (int i = 0; i < 4; i++) {
        const u32 bits = third[i] >> (4 * half + p);
        unit.q[4 * p + i] = (quants[i] >> (2 * p) & 0x03030303u) | (bits & 0x01010101u) << 2;
      }
    }
    return unit;
  }
};

template <>
struct Units<Q6_K> : Sixteens {
  static constexpr int BYTES = Q6_K::BYTES, ALIGN = 2;
  static constexpr bool OFFSETS = true;
  static DEVICE Unit<16> load(const u8* start, u32 index) {
    const u32 half = index / 2, part = index % 2;
    u32 low[8], high[4];
    load_words<4, 2>(start + 64 * half + 16 * part, low);
    load_words<4, 2>(start + 64 * half + 16 * part + 32, low + 4);
    load_words<4, 2>(start + 128 + 16 * index, high);
    const i8* const scales = reinterpret_cast<const i8*>(start + 192 + 8 * half + part);
    const float scale = load_f16(start + 208);
    Unit<16> unit;
    UNROLLED
    for (int p = 0; p < 4; p++) {
      unit.scale[p] = scale * float(scales[2 * p]);
      unit.offset[p] = -32.0f * unit.scale[p];
      UNROLLED
      for (int i = 0; i < 4; i++) {
        const u32 four = low[4 * (p % 2) + i] >> (4 * (p / 2)) & 0x0f0f0f0fu;
        const u32 two = p < 2 ? high[i] << (4 - 2 * p) : high[i] >> (2 * p - 4);
        unit.q[4 * p + i] = four | (two & 0x30303030u);
      }
    }
    return unit;
  }
};

// Two groups of 16 bytes of nibbles, as numbers of CODE, without offsets.
template <class CODE>
DEVICE void coded_pair(const u32 (&first)[4], const u32 (&second)[4], Unit<32>& unit) {
  nibbles(first, unit.q);
  nibbles(second, unit.q + 8);
  UNROLLED
  for (int i = 0; i < 16; i++) unit.q[i] = CODE::of(unit.q[i]);
  unit.offset[0] = unit.offset[1] = 0.0f;
}

template <>
struct Units<IQ4_NL> : Pairs {
  static constexpr int BYTES = 36;
  static constexpr bool OFFSETS = false;
  static DEVICE Unit<32> load(const u8* start, u32) {
    u32 w[9];
    load_words<9, 4>(start, w);
    Unit<32> unit;
    coded_pair<NonLinear>({join(w[0], w[1]), join(w[1], w[2]), join(w[2], w[3]), join(w[3], w[4])},
                          {w[5], w[6], w[7], w[8]}, unit);
    unit.scale[0] = f16_to_f32(u16(w[0]));
    unit.scale[1] = f16_to_f32(u16(w[4] >> 16));
    return unit;
  }
};

template <>
struct Units<MXFP4> : Pairs {
  static constexpr int BYTES = 34, ALIGN = 2;
  static constexpr bool OFFSETS = false;
  static DEVICE u32 after_byte(u32 low, u32 high) { return low >> 8 | high << 24; }
  static DEVICE Unit<32> load(const u8* start, u32) {
    u32 w[9];
    load_words<9, 2>(start, w);
    Unit<32> unit;
    coded_pair<E2M1>({after_byte(w[0], w[1]), after_byte(w[1], w[2]), after_byte(w[2], w[3]), after_byte(w[3], w[4])},
                     {join(w[4], w[5]), join(w[5], w[6]), join(w[6], w[7]), join(w[7], w[8])}, unit);
    unit.scale[0] = half_of_e8m0(w[0] & 0xff);
    unit.scale[1] = half_of_e8m0(w[4] >> 8 & 0xff);
    return unit;
  }
};

// Blocks of 256 weights without offsets.
struct Blocks {
  static constexpr int UNITS = 4, GROUP = 32;
  static constexpr bool OFFSETS = false;
  static DEVICE void stage() {}
  static DEVICE u32 column(u32 unit, u32 group) { return 64 * unit + 32 * group; }
};

template <>
struct Units<IQ4_XS> : Blocks {
  static constexpr int BYTES = IQ4_XS::BYTES, ALIGN = 8;
  static DEVICE Unit<32> load(const u8* start, u32 index) {
    u32 header[2], w[8];
    load_words<2, 8>(start, header);
    load_words<8, 8>(start + 8 + 32 * index, w);
    Unit<32> unit;
    coded_pair<NonLinear>({w[0], w[1], w[2], w[3]}, {w[4], w[5], w[6], w[7]}, unit);
    UNROLLED
    for (u32 i = 0; i < 2; i++) unit.scale[i] = IQ4_XS::scale(header, 2 * index + i);
    return unit;
  }
};

template <>
struct Units<TQ2_0> : Blocks {
  static constexpr int BYTES = TQ2_0::BYTES, ALIGN = 2;
  static DEVICE Unit<32> load(const u8* start, u32 index) {
    u32 w[8];
    load_words<8, 2>(start + 32 * (index / 2), w);
    Unit<32> unit;
    UNROLLED
    for (u32 i = 0; i < 16; i++) unit.q[i] = less<1>(w[i % 8] >> (4 * (index % 2) + 2 * (i / 8)) & 0x03030303u);
    unit.scale[0] = unit.scale[1] = load_f16(start + 64);
    unit.offset[0] = unit.offset[1] = 0.0f;
    return unit;
  }
};

template <>
struct Units<TQ1_0> : Blocks {
  static constexpr int BYTES = TQ1_0::BYTES, ALIGN = 2;
  static DEVICE Unit<32> load(const u8* start, u32 index) {
    Unit<32> unit;
    UNROLLED
    for (u32 i = 0; i < 16; i++) unit.q[i] = TQ1_0::four(start, 16 * index + i);
    unit.scale[0] = unit.scale[1] = load_f16(start + 52);
    unit.offset[0] = unit.offset[1] = 0.0f;
    return unit;
  }
};

#endif
