#pragma once
#include "candle_rocm/half.h"

CANDLE_ROCM_HALF_TYPE(bfloat16)
#define __nv_bfloat16 candle_rocm_bfloat16
#define nv_bfloat16 candle_rocm_bfloat16
#define __bfloat162float(x) ((float)(candle_rocm_bfloat16)(x))
#define __float2bfloat16(x) ((candle_rocm_bfloat16)(float)(x))
#define __float2bfloat16_rn(x) ((candle_rocm_bfloat16)(float)(x))
