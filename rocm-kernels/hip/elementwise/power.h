// x^y in f32 arithmetic.
#ifndef CANDLE_ROCM_POWER_H
#define CANDLE_ROCM_POWER_H

#include "common/fast_math.h"
#include "common/platform.h"

namespace power {

// What x^y = 2^(y log2 |x|) is made of: log2 |x| as the sum of two floats, and 2^(w + low).
struct Sum {
  float high, low;
};

// log2 of magnitude 2^shift, for normal numbers. |x| = 2^e m with m from sqrt(1/2) to sqrt(2), log2 m = K (s + s^3/3 + s^5/5 +
// ...), s = (m - 1) / (m + 1), K = 2 / ln 2. Relative error below 2^-31, so that 128 times the logarithm keeps 24 bits behind
// the point.
constexpr float K = 0x1.715476p+1f, K_LOW = 0x1.4ae0cp-25f;

DEVICE Sum log2_of(float magnitude, float shift) {
  const u32 bits = bit_cast<u32>(magnitude);
  const i32 exponent = i32(bits - 0x3f3504f3u) >> 23;
  const float m = bit_cast<float>(bits - (u32(exponent) << 23));
  // The exponent added to 1.5 * 2^23 in its last bits: converting integers takes long.
  const float e = (bit_cast<float>(0x4b400000u + u32(exponent)) - 12582912.0f) + shift;

  constexpr float THIRD = 0x1.555556p-2f, THIRD_LOW = -0x1.555556p-27f;
  const float n = m - 1.0f, d = m + 1.0f;
  const float r = math::fast_recip(d);
  const float s = n * r, z = s * s;
  // Of each product that counts, what rounding cuts off goes along.
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
  // Far beyond either end of float.
  const float clamped = w.high > 200.0f ? 200.0f : w.high < -200.0f ? -200.0f : w.high;
  const float whole = math::rint(clamped), y = exp2_of_fraction((clamped - whole) + w.low);
  // In two steps, of which only the last one may round: 2^whole need not be a number.
  const i32 k = whole == whole ? i32(whole) : 0, half = k >> 1;
  return y * bit_cast<float>(u32(half + 127) << 23) * bit_cast<float>(u32(k - half + 127) << 23);
}

// What -1 to the power of y is; NaN if y is no integer.
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
  if (!(math::fabs(w.low) < 1.0f)) w.low = 0.0f;  // where w.high is not finite, or large
  float result = exp2_of(w);
  const float sign = sign_of(y);
  if (x < 0.0f && magnitude < infinity && sign != sign) result = nan;
  if (sign == -1.0f && bit_cast<i32>(x) < 0) result = -result;
  if (x != x) result = x;
  return y == 0.0f ? 1.0f : result;
}

// An exponent, and what all powers have in common: made once, not for each x.
struct Exponent {
  float y, k, k_low;
  // What the sign of negative x changes in the result: its sign for odd y; all for y that is no integer, which makes it NaN.
  u32 changes;
  // quick_narrow is for x beyond it: all but -infinity, or none.
  float least;

  DEVICE explicit Exponent(float exponent) : y(exponent), k(y * K), k_low(math::fma(y, K, -k) + y * K_LOW) {
    const float sign = sign_of(y), infinity = bit_cast<float>(0x7f800000u);
    changes = sign == 1.0f ? 0 : sign == -1.0f ? 0x80000000u : 0xffffffffu;
    least = y != 0.0f && math::fabs(y) <= 128.0f ? -infinity : infinity;
  }

  // The power where x and the result are well inside float's range, as nearly always; else `fine` becomes false.
  //
  // |x| = 2^e m with m from c / 1.19 to 1.19 c, where e is an integer and c = 1, or e has a half and c = sqrt(2): of s =
  // (m - c) / (m + c), s^2 / 3 is so small beside 1 that it needs no second float. y log2 |x| = y e + y K (s + s^3/3 + ...).
  DEVICE float quick(float x, bool& fine) const {
    const u32 bits = bit_cast<u32>(x) & 0x7fffffffu, negative = u32(bit_cast<i32>(x) >> 31);
    constexpr u32 LEAST = 0x3f57ef9eu;  // 1 / 1.19
    const u32 steps = bits - LEAST;
    const float m = bit_cast<float>((steps & 0x007fffffu) + LEAST);
    const bool half = (steps & 0x00400000u) != 0;
    // Added to 1.5 * 2^22 in its last bits, which are halves.
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
    // Rounded to an integer, which is also left in the last bits.
    const float w = (a + p) + low, shifted = w + 12582912.0f;
    fine &= bits - 0x00800000u < 0x7f000000u, fine &= math::fabs(w) < 125.0f;  // without branches
    const float fraction = exp2_of_fraction(((a - (shifted - 12582912.0f)) + p) + low);
    return bit_cast<float>((bit_cast<u32>(fraction) + (bit_cast<u32>(shifted) << 23)) | (negative & changes));
  }

  // The same, good enough to be rounded to T, a half type or f8: 128 times the hardware's logarithm of numbers next to 1 has
  // an error of 2^-15.
  template <class T>
  DEVICE float quick_narrow(float x, bool& fine) const {
    // Where y is no integer, the logarithm of negative x is no number, and -0 is as good as 0.
    const u32 kept = changes == 0xffffffffu ? changes : 0x7fffffffu, sign = changes & ~kept;
    const float w = y * math::fast_log2(bit_cast<float>(bit_cast<u32>(x) & kept)), result = math::fast_exp2(w);
    fine &= x > least;
    if constexpr (is_same<T, bf16>) {
      // Subnormal numbers, x but 0 and results from 2^-151 to 2^-126, count as zero on the way.
      fine &= bit_cast<u32>(x) * 2 - 1 >= 0x00ffffffu, fine &= !(math::fabs(w + 138.5f) < 12.5f);
    }
    return bit_cast<float>(bit_cast<u32>(result) | (bit_cast<u32>(x) & sign));
  }
};

}  // namespace power

#endif
