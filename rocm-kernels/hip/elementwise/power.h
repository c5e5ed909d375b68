// x^y in f32 arithmetic.
#ifndef CANDLE_ROCM_POWER_H
#define CANDLE_ROCM_POWER_H

#include "common/fast_math.h"
#include "common/platform.h"

namespace power {

// x^y = 2^(y log2 |x|): log2 |x| is represented as the sum of two floats.
struct Sum {
  float high, low;
};

// log2(magnitude * 2^shift), for normal numbers. |x| = 2^e m with m from sqrt(1/2) to sqrt(2); log2 m = K (s + s^3/3 + s^5/5 +
// ...) with s = (m - 1) / (m + 1) and K = 2 / ln 2. The relative error is below 2^-31, so that 128 times the logarithm has 24
// accurate fractional bits.
constexpr float K = 0x1.715476p+1f, K_LOW = 0x1.4ae0cp-25f;

DEVICE Sum log2_of(float magnitude, float shift) {
  const u32 bits = bit_cast<u32>(magnitude);
  const i32 exponent = i32(bits - 0x3f3504f3u) >> 23;
  const float m = bit_cast<float>(bits - (u32(exponent) << 23));
  // Adds the exponent to the last bits of 1.5 * 2^23, which is faster than an integer conversion.
  const float e = (bit_cast<float>(0x4b400000u + u32(exponent)) - 12582912.0f) + shift;

  constexpr float THIRD = 0x1.555556p-2f, THIRD_LOW = -0x1.555556p-27f;
  const float n = m - 1.0f, d = m + 1.0f;
  const float r = math::fast_recip(d);
  const float s = n * r, z = s * s;
  // The rounding errors of all significant products are carried along.
  const float s_low = math::fma(-s, m - (d - 1.0f), math::fma(-s, d, n)) * r;
  const float z_low = math::fma(s, s, -z) + (s + s) * s_low;
  const float rest = math::fma(math::fma(0.11524982f, z, 0.14281099f), z, 0.20000008f);
  const float p = math::fma(z, rest, THIRD), p_low = math::fma(z, rest, THIRD - p) + THIRD_LOW;
  const float q = z * p, q_low = math::fma(z_low, p, math::fma(z, p_low, math::fma(z, p, -q)));
  const float l = K * s, l_low = math::fma(K, s_low, math::fma(K_LOW, s, math::fma(K, s, -l)));
  const float sum = e + l;
  const float low = math::fma(l, q, (e - sum) + l) + math::fma(l, q_low, math::fma(l_low, q, l_low));
  const float high = sum + low;
  return {high, (sum - high) + low};
}

// 2^f for |f| <= 1/2, within an ulp.
DEVICE float exp2_of_fraction(float f) {
  float y = math::fma(math::fma(0.00015453262f, f, 0.0013390978f), f, 0.0096180824f);
  y = math::fma(math::fma(math::fma(y, f, 0.055503569f), f, 0.24022651f), f, 0.69314719f);
  return math::fma(y, f, 1.0f);
}

DEVICE float exp2_of(Sum w) {
  // Far outside float's range.
  const float clamped = w.high > 200.0f ? 200.0f : w.high < -200.0f ? -200.0f : w.high;
  const float whole = math::rint(clamped), y = exp2_of_fraction((clamped - whole) + w.low);
  // Scales in two steps, of which only the last may round, because 2^whole may not be representable.
  const i32 k = whole == whole ? i32(whole) : 0, half = k >> 1;
  return y * bit_cast<float>(u32(half + 127) << 23) * bit_cast<float>(u32(k - half + 127) << 23);
}

// (-1)^y; NaN if y is not an integer.
DEVICE float sign_of(float y) {
  const bool integer = math::trunc(y) == y, odd = integer && math::trunc(y * 0.5f) * 2.0f != y;
  return odd ? -1.0f : integer ? 1.0f : bit_cast<float>(0x7fc00000u);
}

// x^y within 2 ulp, with the special cases of IEEE 754.
DEVICE float of(float x, float y) {
  const float infinity = bit_cast<float>(0x7f800000u), nan = bit_cast<float>(0x7fc00000u);
  const float magnitude = math::fabs(x);
  const bool subnormal = magnitude < 0x1p-126f;
  Sum l = log2_of(subnormal ? magnitude * 0x1p24f : magnitude, subnormal ? -24.0f : 0.0f);
  if (magnitude == 0.0f) l.high = -infinity;
  if (magnitude == infinity) l.high = infinity;
  Sum w = {magnitude == 1.0f ? 0.0f : y * l.high, 0.0f};
  w.low = math::fma(y, l.high, -w.high) + y * l.low;
  if (!(math::fabs(w.low) < 1.0f)) w.low = 0.0f;  // if w.high is not finite, or large
  float result = exp2_of(w);
  const float sign = sign_of(y);
  if (x < 0.0f && magnitude < infinity && sign != sign) result = nan;
  if (sign == -1.0f && bit_cast<i32>(x) < 0) result = -result;
  if (x != x) result = x;
  return y == 0.0f ? 1.0f : result;
}

// An exponent, and what is computed once for all x.
struct Exponent {
  float y, k, k_low;
  // The bits of the result that are set for negative x: the sign for odd y; all of them, which is NaN, unless y is an integer.
  u32 changes;
  // quick_narrow is valid for x above this: all but -infinity, or none.
  float least;

  DEVICE explicit Exponent(float exponent) : y(exponent), k(y * K), k_low(math::fma(y, K, -k) + y * K_LOW) {
    const float sign = sign_of(y), infinity = bit_cast<float>(0x7f800000u);
    changes = sign == 1.0f ? 0 : sign == -1.0f ? 0x80000000u : 0xffffffffu;
    least = y != 0.0f && math::fabs(y) <= 128.0f ? -infinity : infinity;
  }

  // The power, if x and the result are well within float's range, as they usually are; else clears `valid`.
  //
  // |x| = 2^e m with m from c / 1.19 to 1.19 c, where e is an integer and c = 1, or e is a half-integer and c = sqrt(2). With s =
  // (m - c) / (m + c), s^2 / 3 is small enough compared to 1 to need no second float. y log2 |x| = y e + y K (s + s^3/3 + ...).
  DEVICE float quick(float x, bool& valid) const {
    const u32 bits = bit_cast<u32>(x) & 0x7fffffffu, negative = u32(bit_cast<i32>(x) >> 31);
    constexpr u32 LEAST = 0x3f57ef9eu;  // 1 / 1.19
    const u32 steps = bits - LEAST;
    const float m = bit_cast<float>((steps & 0x007fffffu) + LEAST);
    const bool half = (steps & 0x00400000u) != 0;
    // Added to the last bits of 1.5 * 2^22, which have the weight 1/2.
    const float e = bit_cast<float>(0x4ac00000u + u32(i32(steps) >> 22)) - 6291456.0f;
    const float c = half ? 0x1.6a09e6p+0f : 1.0f, c_log2_low = half ? -0x1.a82ebcp-26f : 0.0f;

    const float n = m - c, d = m + c;
    const float r = math::fast_recip(d);
    const float s = n * r, z = s * s;
    const float s_low = math::fma(-s, m - (d - c), math::fma(-s, d, n)) * r;
    const float q = z * math::fma(math::fma(0.14454391f, z, 0.19999232f), z, 0x1.555556p-2f);

    const float a = y * e, p = k * s;
    float low = math::fma(k, math::fma(s, q, math::fma(s_low, z, s_low)), math::fma(k, s, -p));
    low = math::fma(y, c_log2_low, math::fma(k_low, s, low)) + math::fma(y, e, -a);
    // Rounds to an integer, which is also left in the last bits.
    const float w = (a + p) + low, shifted = w + 12582912.0f;
    valid &= bits - 0x00800000u < 0x7f000000u, valid &= math::fabs(w) < 125.0f;  // without branches
    const float fraction = exp2_of_fraction(((a - (shifted - 12582912.0f)) + p) + low);
    return bit_cast<float>((bit_cast<u32>(fraction) + (bit_cast<u32>(shifted) << 23)) | (negative & changes));
  }

  // The same, accurate enough to be rounded to T, a half type or f8: for numbers close to 1, 128 times the hardware's logarithm
  // has an error of 2^-15.
  template <class T>
  DEVICE float quick_narrow(float x, bool& valid) const {
    // Unless y is an integer, the logarithm of negative x is NaN, and -0 counts as 0.
    const u32 kept = changes == 0xffffffffu ? changes : 0x7fffffffu, sign = changes & ~kept;
    const float w = y * math::fast_log2(bit_cast<float>(bit_cast<u32>(x) & kept)), result = math::fast_exp2(w);
    valid &= x > least;
    if constexpr (is_same<T, bf16>) {
      // Intermediate subnormal numbers are flushed to zero: x other than 0, and results from 2^-151 to 2^-126.
      valid &= bit_cast<u32>(x) * 2 - 1 >= 0x00ffffffu, valid &= !(math::fabs(w + 138.5f) < 12.5f);
    }
    return bit_cast<float>(bit_cast<u32>(result) | (bit_cast<u32>(x) & sign));
  }
};

}  // namespace power

#endif
