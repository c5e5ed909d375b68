// Attention of a decoder's step, one query of each head, with what comes before it: queries and the step's keys are rotated, keys
// and values put behind those of their caches. One launch in place of rope_cat_T's and sdpa_few_T's, with their bits: whoever reads
// a cache for attention writes it, too.
//
//   sdpa_step_few_N_T     as sdpa_few_N_T; t is 1, d the same as dv and a multiple of 16, s is one more than k and v have
#include "attention/attention_few.h"

// One query of each head, without a mask: it sees all keys.
template <class T>
DEVICE Problem<T> of_one_step(Problem<T> p) {
  p.t = 1;
  p.dv = p.d;
  p.mask = nullptr;
  p.flags &= RESULT_BTHD | SOFTCAPPED | MASKED_IS_NAN;
  return p;
}

#define STEP_KERNEL(NAME, T, QUERIES)                                                                                  \
  KERNEL THREADS_AT_MOST(FEW_THREADS)                                                                                  \
      NAME(PROBLEM_PARAMETERS(T, T), u64* partial, u32* counters, const u32 split_len, const u32 lanes,                \
           const T* new_k, const T* new_v, const size_t new_v_pitch, const T* cos, const T* sin,                       \
           const size_t angle_batch, const u32 interleaved, T* keys, T* values) {                                      \
    const Growing<T> source = {new_k, new_v, new_v_pitch, cos, sin, angle_batch, interleaved, keys, values};           \
    attend_few<T, QUERIES>(of_one_step(PROBLEM(T, T)), out, partial, counters, split_len, lanes, source);              \
  }

#define STEP_KERNELS(T)                                                                                                \
  STEP_KERNEL(sdpa_step_few_1_##T, T, 1)                                                                               \
  STEP_KERNEL(sdpa_step_few_2_##T, T, 2)                                                                               \
  STEP_KERNEL(sdpa_step_few_4_##T, T, 4)

STEP_KERNELS(f32)
STEP_KERNELS(f16)
STEP_KERNELS(bf16)
