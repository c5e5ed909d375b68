// CUDA's half types: 16 bits, computed in float and rounded to nearest, ties to even. Types of our own under CUDA's names, as versions of
// hiprtc differ in what they have. float has twice the bits of both and two more, so one operation rounds as it would in the type itself.
#pragma once

#define CANDLE_ROCM_HALF __device__ __forceinline__

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
CANDLE_ROCM_HALF float candle_rocm_half_to_float(unsigned short bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}
CANDLE_ROCM_HALF unsigned short candle_rocm_half_from_float(float x) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
#else
CANDLE_ROCM_HALF float candle_rocm_half_to_float(unsigned short bits) {
  _Float16 half;
  __builtin_memcpy(&half, &bits, sizeof half);
  return (float)half;
}
CANDLE_ROCM_HALF unsigned short candle_rocm_half_from_float(float x) {
  const _Float16 half = (_Float16)x;
  unsigned short bits;
  __builtin_memcpy(&bits, &half, sizeof bits);
  return bits;
}
#endif

CANDLE_ROCM_HALF float candle_rocm_bfloat16_to_float(unsigned short bits) {
  return __uint_as_float((unsigned)bits << 16);
}
CANDLE_ROCM_HALF unsigned short candle_rocm_bfloat16_from_float(float x) {
  const unsigned bits = __float_as_uint(x);
  return (unsigned short)((x != x ? bits | 0x400000 : bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

#define CANDLE_ROCM_HALF_TYPE(NAME)                                                                                    \
  struct candle_rocm_##NAME {                                                                                          \
    unsigned short bits;                                                                                               \
    candle_rocm_##NAME() = default;                                                                                    \
    CANDLE_ROCM_HALF candle_rocm_##NAME(float x) : bits(candle_rocm_##NAME##_from_float(x)) {}                         \
    CANDLE_ROCM_HALF operator float() const { return candle_rocm_##NAME##_to_float(bits); }                            \
    CANDLE_ROCM_HALF candle_rocm_##NAME& operator+=(candle_rocm_##NAME y) { return *this = *this + y; }                \
    CANDLE_ROCM_HALF candle_rocm_##NAME& operator-=(candle_rocm_##NAME y) { return *this = *this - y; }                \
    CANDLE_ROCM_HALF candle_rocm_##NAME& operator*=(candle_rocm_##NAME y) { return *this = *this * y; }                \
    CANDLE_ROCM_HALF candle_rocm_##NAME& operator/=(candle_rocm_##NAME y) { return *this = *this / y; }                \
    CANDLE_ROCM_HALF friend candle_rocm_##NAME operator+(candle_rocm_##NAME x, candle_rocm_##NAME y) {                 \
      return (float)x + (float)y;                                                                                      \
    }                                                                                                                  \
    CANDLE_ROCM_HALF friend candle_rocm_##NAME operator-(candle_rocm_##NAME x, candle_rocm_##NAME y) {                 \
      return (float)x - (float)y;                                                                                      \
    }                                                                                                                  \
    CANDLE_ROCM_HALF friend candle_rocm_##NAME operator*(candle_rocm_##NAME x, candle_rocm_##NAME y) {                 \
      return (float)x * (float)y;                                                                                      \
    }                                                                                                                  \
    CANDLE_ROCM_HALF friend candle_rocm_##NAME operator/(candle_rocm_##NAME x, candle_rocm_##NAME y) {                 \
      return (float)x / (float)y;                                                                                      \
    }                                                                                                                  \
    CANDLE_ROCM_HALF friend candle_rocm_##NAME operator-(candle_rocm_##NAME x) { return -(float)x; }                   \
  };                                                                                                                   \
  CANDLE_ROCM_HALF candle_rocm_##NAME __hadd(candle_rocm_##NAME x, candle_rocm_##NAME y) { return x + y; }             \
  CANDLE_ROCM_HALF candle_rocm_##NAME __hsub(candle_rocm_##NAME x, candle_rocm_##NAME y) { return x - y; }             \
  CANDLE_ROCM_HALF candle_rocm_##NAME __hmul(candle_rocm_##NAME x, candle_rocm_##NAME y) { return x * y; }             \
  CANDLE_ROCM_HALF candle_rocm_##NAME __hdiv(candle_rocm_##NAME x, candle_rocm_##NAME y) { return x / y; }             \
  CANDLE_ROCM_HALF candle_rocm_##NAME __hneg(candle_rocm_##NAME x) { return -x; }                                      \
  CANDLE_ROCM_HALF candle_rocm_##NAME __habs(candle_rocm_##NAME x) { return fabsf((float)x); }                         \
  CANDLE_ROCM_HALF candle_rocm_##NAME __hmax(candle_rocm_##NAME x, candle_rocm_##NAME y) {                             \
    return fmaxf((float)x, (float)y);                                                                                  \
  }                                                                                                                    \
  CANDLE_ROCM_HALF candle_rocm_##NAME __hmin(candle_rocm_##NAME x, candle_rocm_##NAME y) {                             \
    return fminf((float)x, (float)y);                                                                                  \
  }                                                                                                                    \
  CANDLE_ROCM_HALF bool __heq(candle_rocm_##NAME x, candle_rocm_##NAME y) { return (float)x == (float)y; }             \
  CANDLE_ROCM_HALF bool __hne(candle_rocm_##NAME x, candle_rocm_##NAME y) { return (float)x != (float)y; }             \
  CANDLE_ROCM_HALF bool __hlt(candle_rocm_##NAME x, candle_rocm_##NAME y) { return (float)x < (float)y; }              \
  CANDLE_ROCM_HALF bool __hle(candle_rocm_##NAME x, candle_rocm_##NAME y) { return (float)x <= (float)y; }             \
  CANDLE_ROCM_HALF bool __hgt(candle_rocm_##NAME x, candle_rocm_##NAME y) { return (float)x > (float)y; }              \
  CANDLE_ROCM_HALF bool __hge(candle_rocm_##NAME x, candle_rocm_##NAME y) { return (float)x >= (float)y; }             \
  CANDLE_ROCM_HALF bool __hisnan(candle_rocm_##NAME x) { return (float)x != (float)x; }
