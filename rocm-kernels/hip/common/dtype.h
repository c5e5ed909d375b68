// f16, bf16 and f8_e4m3: storage types with conversions to and from float and double, bit-identical on every platform.
//
// They deliberately have no arithmetic: kernels convert to `compute_t<T>`, compute, and convert back once.
//
// Conversions round once, to nearest, ties to even, and support subnormals, signed zeros and infinities. NaN stays NaN with
// an unspecified payload. From f32 to f16 and bf16, this matches Rust's `half`. From f64, `half` rounds twice: on x86-64 it
// converts to f16 through f32, and for bf16 it truncates the low 32 bits first. Either is off by one ulp for about one
// value in 16,000.
//
// f8_e4m3 is OCP's e4m3fn as in Rust's `float8`. It has no infinities; its largest value is 448, and larger magnitudes,
// infinity included, saturate. NaN is 0x7f or 0xff.
//
// Included by platform.h, never directly.
#ifndef CANDLE_ROCM_DTYPE_H
#define CANDLE_ROCM_DTYPE_H

struct f16 {
  u16 bits;
};
struct bf16 {
  u16 bits;
};
struct f8_e4m3 {
  u8 bits;
};
using fp8_e4m3 = f8_e4m3;  // the spelling in the names of candle's unary and ternary kernels

// --------------------------------------------------------------------------------------------------------------- f16

#if PLATFORM_NVIDIA
DEVICE float f16_to_f32(u16 bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}
DEVICE u16 f32_to_f16(float x) {
  u16 bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
DEVICE u16 f64_to_f16(double x) {
  u16 bits;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x));
  return bits;
}
#else
DEVICE float f16_to_f32(u16 bits) { return float(bit_cast<_Float16>(bits)); }
DEVICE u16 f32_to_f16(float x) { return bit_cast<u16>(_Float16(x)); }
DEVICE u16 f64_to_f16(double x) { return bit_cast<u16>(_Float16(x)); }
#endif

// -------------------------------------------------------------------------------------------------------------- bf16

DEVICE float bf16_to_f32(u16 bits) { return bit_cast<float>(u32(bits) << 16); }

#if PLATFORM_NVIDIA && __CUDA_ARCH__ >= 800
DEVICE u16 f32_to_bf16(float x) {
  u16 bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
#else
DEVICE u16 f32_to_bf16(float x) {
  u32 b = bit_cast<u32>(x);
  u32 rounded = (b + 0x7fff + ((b >> 16) & 1)) >> 16;
  return u16(x != x ? (b >> 16) | 0x40 : rounded);
}
#endif

// Round to odd: the last bit of the result records whether it is inexact, so that rounding it again is correct.
DEVICE float f64_to_f32_odd(double x) {
  float y = float(x);
  u32 b = bit_cast<u32>(y);
  double back = double(y);
  if (back == x || x != x) return y;
  bool too_large = math::fabs(back) > math::fabs(x);
  return bit_cast<float>((b - (too_large ? 1u : 0u)) | 1u);
}

DEVICE u16 f64_to_bf16(double x) { return f32_to_bf16(f64_to_f32_odd(x)); }

// ----------------------------------------------------------------------------------------------------------- f8_e4m3

#if PLATFORM_NVIDIA && __CUDA_ARCH__ >= 890
DEVICE float f8_to_f32(u8 bits) {
  u32 pair;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(u16(bits)));
  return f16_to_f32(u16(pair));
}

DEVICE u8 f32_to_f8(float x) {
  u16 pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return u8(pair);
}
#else
DEVICE float f8_to_f32(u8 bits) {
  // Copies of the sign fill the gap to the float's; exponent and mantissa are in its fields, but for a bias of 7 in place of 127.
  u32 fields = (u32(i32(i8(bits))) << 20) & 0x87f00000u;
  float value = bit_cast<float>(fields) * 0x1p120f;
  // What would be the next number after 448 is NaN.
  return math::fabs(value) == 480.0f ? bit_cast<float>(0x7fc00000u) : value;
}

DEVICE u8 f32_to_f8(float x) {
  u32 b = bit_cast<u32>(x);
  u32 a = b & 0x7fffffff;
  u32 r;
  if (a >= 0x3c800000) {  // 2^-6, the smallest normal number
    r = ((a + 0x7ffff + ((a >> 20) & 1)) >> 20) - ((127 - 7) << 3);
    r = a > 0x43e80000 ? 0x7e : r;  // 464, halfway between 448 and the next value, if there were one
    r = a > 0x7f800000 ? 0x7f : r;
  } else {
    // Adding 2^14 aligns 2^-9, the smallest subnormal, with the last bit of the sum.
    r = bit_cast<u32>(bit_cast<float>(a) + 16384.0f) & 0xf;
  }
  return u8(r | ((b >> 24) & 0x80));
}
#endif

DEVICE u8 f64_to_f8(double x) { return f32_to_f8(f64_to_f32_odd(x)); }

// --------------------------------------------------------------------------------------------------------- Conversions

// The type to compute in: float for narrower floating-point types, else the type itself.
template <class T>
struct Compute {
  using type = T;
};
template <>
struct Compute<f16> {
  using type = float;
};
template <>
struct Compute<bf16> {
  using type = float;
};
template <>
struct Compute<f8_e4m3> {
  using type = float;
};
template <class T>
using compute_t = typename Compute<T>::type;

template <class T>
constexpr bool is_float = is_same<T, float> || is_same<T, double>;
template <class T>
constexpr bool is_small_float = is_same<T, f16> || is_same<T, bf16> || is_same<T, f8_e4m3>;

template <class T>
struct Limits;
template <>
struct Limits<u8> {
  static constexpr u8 lowest = 0, highest = 0xff;
};
template <>
struct Limits<i16> {
  static constexpr i16 lowest = -0x8000, highest = 0x7fff;
};
template <>
struct Limits<u32> {
  static constexpr u32 lowest = 0, highest = 0xffffffffu;
};
template <>
struct Limits<i32> {
  static constexpr i32 lowest = -0x7fffffff - 1, highest = 0x7fffffff;
};
template <>
struct Limits<i64> {
  static constexpr i64 lowest = -0x7fffffffffffffffll - 1, highest = 0x7fffffffffffffffll;
};

// Conversion to float for types that are narrower; other types are returned as they are.
DEVICE float widen(f16 x) { return f16_to_f32(x.bits); }
DEVICE float widen(bf16 x) { return bf16_to_f32(x.bits); }
DEVICE float widen(f8_e4m3 x) { return f8_to_f32(x.bits); }
template <class T>
DEVICE T widen(T x) {
  return x;
}

// Conversion between number types with the semantics of Rust's `as`: floats truncate to integers, saturate, and map NaN to
// 0; integers wrap. As on candle's CPU backend, integers are converted to f16, bf16 and f8 through f32.
template <class To, class From>
struct Convert {
  static DEVICE To of(From x) {
    if constexpr (is_float<From> && !is_float<To>) {
      constexpr To lowest = Limits<To>::lowest, highest = Limits<To>::highest;
      // `highest` may round up to a power of two that To cannot represent; a value that large saturates as well.
      if (!(x > From(lowest))) return x != x ? To(0) : lowest;
      if (x >= From(highest)) return highest;
    }
    return To(x);
  }
};
template <class From>
struct Convert<f16, From> {
  static DEVICE f16 of(From x) { return f16{f32_to_f16(float(x))}; }
};
template <>
struct Convert<f16, double> {
  static DEVICE f16 of(double x) { return f16{f64_to_f16(x)}; }
};
template <class From>
struct Convert<bf16, From> {
  static DEVICE bf16 of(From x) { return bf16{f32_to_bf16(float(x))}; }
};
template <>
struct Convert<bf16, double> {
  static DEVICE bf16 of(double x) { return bf16{f64_to_bf16(x)}; }
};
template <class From>
struct Convert<f8_e4m3, From> {
  static DEVICE f8_e4m3 of(From x) { return f8_e4m3{f32_to_f8(float(x))}; }
};
template <>
struct Convert<f8_e4m3, double> {
  static DEVICE f8_e4m3 of(double x) { return f8_e4m3{f64_to_f8(x)}; }
};

template <class To, class From>
DEVICE To convert(From x) {
  if constexpr (is_same<To, From>) {
    return x;
  } else {
    return Convert<To, decltype(widen(x))>::of(widen(x));
  }
}

#endif
