// Attention of few queries to keys and values that are kept in F8E4M3. Elements are computed with in f32 anyway, and widening is exact:
// results have the bits of a cast to T before sdpa_few_N_T, without writing and reading what it gives.
//
//   sdpa_few_N_T_f8_e4m3  as sdpa_few_N_T of attention.hip
#include "attention/attention_few.h"

#define F8_KERNELS(T)                                                                                                  \
  FEW_KERNEL(sdpa_few_1_##T##_f8_e4m3, T, f8_e4m3, 1)                                                                  \
  FEW_KERNEL(sdpa_few_2_##T##_f8_e4m3, T, f8_e4m3, 2)                                                                  \
  FEW_KERNEL(sdpa_few_4_##T##_f8_e4m3, T, f8_e4m3, 4)

F8_KERNELS(f32)
F8_KERNELS(f16)
F8_KERNELS(bf16)
