// Keys of elements: unsigned integers with their order, of as few bits as the elements have. Zeros of either sign have the same
// key. NaN has the largest, greater than those of all numbers, as in PyTorch.
#ifndef CANDLE_ROCM_SORT_KEY_H
#define CANDLE_ROCM_SORT_KEY_H

#include "common/platform.h"

// Of a float's bits; `infinity` is the largest magnitude that is not NaN.
template <class Bits>
DEVICE Bits float_key(Bits bits, Bits infinity) {
  constexpr Bits SIGN = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
  const Bits magnitude = Bits(bits & Bits(~SIGN)), negative = Bits(Bits(0) - Bits(bits >> (8 * sizeof(Bits) - 1)));
  // SIGN and the magnitude, or SIGN without it: the same for both zeros.
  const Bits key = Bits(SIGN + Bits(Bits(magnitude ^ negative) - negative));
  return magnitude > infinity ? Bits(~Bits(0)) : key;
}

DEVICE u8 sort_key(u8 x) { return x; }
DEVICE u32 sort_key(u32 x) { return x; }
DEVICE u16 sort_key(i16 x) { return u16(u16(x) ^ 0x8000); }
DEVICE u32 sort_key(i32 x) { return u32(x) ^ 0x80000000u; }
DEVICE u64 sort_key(i64 x) { return u64(x) ^ 0x8000000000000000ull; }
DEVICE u16 sort_key(f16 x) { return float_key<u16>(x.bits, 0x7c00); }
DEVICE u16 sort_key(bf16 x) { return float_key<u16>(x.bits, 0x7f80); }
DEVICE u32 sort_key(float x) { return float_key<u32>(bit_cast<u32>(x), 0x7f800000); }
DEVICE u64 sort_key(double x) { return float_key<u64>(bit_cast<u64>(x), 0x7ff0000000000000ull); }
DEVICE u8 sort_key(f8_e4m3 x) { return float_key<u8>(x.bits, 0x7e); }

template <class T>
using sort_key_t = decltype(sort_key(T{}));

// The key that sorts in descending order.
template <class Key>
DEVICE Key ordered(Key key, bool descending) {
  return descending ? Key(~key) : key;
}

#endif  // CANDLE_ROCM_SORT_KEY_H
