// x^y in f32 arithmetic.
#ifndef CANDLE_ROCM_POWER_H
#define CANDLE_ROCM_POWER_H

#include "platform.h"

namespace power {

// What x^y = 2^(y log2 |x|) is made of: log2 |x| as the sum of two floats, and 2^(w + low).
struct Sum {
  float high, low;
};

// log2 of magnitude 2^shift, for normal numbers. |x| = 2^e m with m from sqrt(1/2) to sqrt(2), log2 m = K (s + s^3/3 + s^5/5 + ...), s = (m - 1) / (m + 1), K = 2 / ln 2.
// EXACT: relative error below 2^-31, so that 128 times the logarithm keeps 24 bits behind the point; else below 2^-22.
template <bool EXACT>
DEVICE Sum log2_of(float magnitude, float shift) {
  const u32 bits = bit_cast<u32>(magnitude);
  const i32 exponent = i32(bits - 0x3f3504f3u) >> 23;
  const float m = bit_cast<float>(bits - (u32(exponent) << 23));
  // The exponent added to 1.5 * 2^23 in its last bits: converting integers takes long.
  const float e = (bit_cast<float>(0x4b400000u + u32(exponent)) - 12582912.0f) + shift;

  constexpr float K = 0x1.715476p+1f, K_LOW = 0x1.4ae0cp-25f;
  constexpr float THIRD = 0x1.555556p-2f, THIRD_LOW = -0x1.555556p-27f;
  const float n = m - 1.0f, d = m + 1.0f;
  const float r = math::fast_recip(d);
  const float s = n * r, z = s * s;
  if constexpr (!EXACT) {
    // 1/5 + z/7 and what follows, fitted.
    const float p = math::fma(math::fma(0.14620566f, z, 0.19998761f), z, THIRD);
    const float l = K * s;
    return {e + math::fma(l, z * p, l), 0.0f};
  }
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

template <bool EXACT>
DEVICE float exp2_of(Sum w) {
  // Far beyond either end of float.
  const float clamped = w.high > 200.0f ? 200.0f : w.high < -200.0f ? -200.0f : w.high;
  const float whole = math::rint(clamped), f = (clamped - whole) + w.low;
  const float y = EXACT ? exp2_of_fraction(f) : math::fast_exp2(f);
  // In two steps, of which only the last one may round: 2^whole need not be a number.
  const i32 k = whole == whole ? i32(whole) : 0, half = k >> 1;
  return y * bit_cast<float>(u32(half + 127) << 23) * bit_cast<float>(u32(k - half + 127) << 23);
}

// What -1 to the power of y is; NaN if y is no integer.
DEVICE float sign_of(float y) {
  const bool integer = math::trunc(y) == y, odd = integer && math::trunc(y * 0.5f) * 2.0f != y;
  return odd ? -1.0f : integer ? 1.0f : bit_cast<float>(0x7fc00000u);
}

// x^y with the special cases of IEEE 754. EXACT: within 2 ulp; else good enough to be rounded to a half type.
template <bool EXACT>
DEVICE float of(float x, float y) {
  const float infinity = bit_cast<float>(0x7f800000u), nan = bit_cast<float>(0x7fc00000u);
  const float magnitude = math::fabs(x);
  const bool subnormal = magnitude < 0x1p-126f;
  Sum l = log2_of<EXACT>(subnormal ? magnitude * 0x1p24f : magnitude, subnormal ? -24.0f : 0.0f);
  if (magnitude == 0.0f) l.high = -infinity;
  if (magnitude == infinity) l.high = infinity;
  Sum w = {magnitude == 1.0f ? 0.0f : y * l.high, 0.0f};
  if constexpr (EXACT) {
    w.low = math::fma(y, l.high, -w.high) + y * l.low;
    if (!(math::fabs(w.low) < 1.0f)) w.low = 0.0f;  // where w.high is not finite, or large
  }
  float result = exp2_of<EXACT>(w);
  const float sign = sign_of(y);
  if (x < 0.0f && magnitude < infinity && sign != sign) result = nan;
  if (sign == -1.0f && bit_cast<i32>(x) < 0) result = -result;
  if (x != x) result = x;
  return y == 0.0f ? 1.0f : result;
}

// The same where x and the result are well inside float's range, as nearly always; else `fine` becomes false.
template <bool EXACT>
DEVICE float quick(float x, float y, bool& fine) {
  const float magnitude = math::fabs(x), sign = sign_of(y);
  const Sum l = log2_of<EXACT>(magnitude, 0.0f);
  const float w = y * l.high;
  fine = fine && magnitude >= 0x1p-126f && magnitude < bit_cast<float>(0x7f800000u) && math::fabs(w) < 125.0f;
  float result;
  if constexpr (EXACT) {
    const float low = math::fma(y, l.high, -w) + y * l.low;
    // Rounded to an integer, which is also left in the last bits.
    const float shifted = w + 12582912.0f;
    const float fraction = exp2_of_fraction((w - (shifted - 12582912.0f)) + low);
    result = bit_cast<float>(bit_cast<u32>(fraction) + (bit_cast<u32>(shifted) << 23));
  } else {
    result = math::fast_exp2(w);
  }
  return x < 0.0f ? result * sign : result;
}

}  // namespace power

#endif
