#pragma once
#include "candle_rocm/half.h"

CANDLE_ROCM_HALF_TYPE(half)
#define __half candle_rocm_half
#define half candle_rocm_half
#define __half2float(x) ((float)(candle_rocm_half)(x))
#define __float2half(x) ((candle_rocm_half)(float)(x))
#define __float2half_rn(x) ((candle_rocm_half)(float)(x))
