// Words of CUDA's that HIP lacks, or means otherwise: shuffles among 32 lanes, whatever the size of a wavefront. The lanes that take part
// are those that get there, as for HIP's own shuffles, so the mask is not needed. Macros, as the host platform tells shuffles apart by
// their place in the source. Not for CUDA itself, which has all of this.
#pragma once

#if !defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#undef __shfl_sync
#undef __shfl_up_sync
#undef __shfl_down_sync
#undef __shfl_xor_sync
#define __shfl_sync(mask, ...) CANDLE_ROCM_SHUFFLE(__shfl, __VA_ARGS__, 32, )
#define __shfl_up_sync(mask, ...) CANDLE_ROCM_SHUFFLE(__shfl_up, __VA_ARGS__, 32, )
#define __shfl_down_sync(mask, ...) CANDLE_ROCM_SHUFFLE(__shfl_down, __VA_ARGS__, 32, )
#define __shfl_xor_sync(mask, ...) CANDLE_ROCM_SHUFFLE(__shfl_xor, __VA_ARGS__, 32, )
#define CANDLE_ROCM_SHUFFLE(shuffle, value, lane, width, ...) shuffle(value, lane, width)

#ifndef INFINITY
#define INFINITY __builtin_inff()
#endif
#ifndef NAN
#define NAN __builtin_nanf("")
#endif
#endif
