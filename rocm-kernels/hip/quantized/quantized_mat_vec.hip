// Products of quantized matrices with one to eight vectors, and for mixtures of experts; see mat_vec.h.
//
//   dequantize_mul_mat_vec_<type>  one vector of f32; names and parameters are those of candle-kernels' quantized.cu, 0.11.1:
//                                  https://github.com/huggingface/candle/blob/0.11.1/candle-kernels/src/quantized.cu
//   vectors_<type>_<count>         vectors quantized by quantize_q8_*, one after the other
//   experts_<type>                 the same for mixtures of experts
#include "quantized/mat_vec.h"

EXACT_MAT_VEC(q4_0_cuda, Q4_0)
EXACT_MAT_VEC(q4_1_cuda, Q4_1)
EXACT_MAT_VEC(q5_0_cuda, Q5_0)
EXACT_MAT_VEC(q5_1_cuda, Q5_1)
EXACT_MAT_VEC(q8_0_cuda, Q8_0)
EXACT_MAT_VEC(q2_k, Q2_K)
EXACT_MAT_VEC(q3_k, Q3_K)
EXACT_MAT_VEC(q4_k, Q4_K)
EXACT_MAT_VEC(q6_k, Q6_K)
EXACT_MAT_VEC(iq4_nl_cuda, IQ4_NL)
EXACT_MAT_VEC(iq4_xs_cuda, IQ4_XS)
EXACT_MAT_VEC(mxfp4_cuda, MXFP4)
EXACT_MAT_VEC(tq1_0_cuda, TQ1_0)
EXACT_MAT_VEC(tq2_0_cuda, TQ2_0)
// A row per block of the grid.
KERNEL THREADS_AT_MOST(256) dequantize_mul_mat_vec_q5_k(const void* __restrict__ vx, const float* __restrict__ yy,
                                                        float* __restrict__ dst, const int ncols) {
  exact_mat_vec<Q5_K>(vx, yy, dst, ncols, i32(grid_size_x()));
}

PRODUCTS(q4_0, Q4_0)
PRODUCTS(q4_1, Q4_1)
PRODUCTS(q5_0, Q5_0)
PRODUCTS(q5_1, Q5_1)
PRODUCTS(q8_0, Q8_0)
PRODUCTS(q2_K, Q2_K)
PRODUCTS(q3_K, Q3_K)
PRODUCTS(q4_K, Q4_K)
PRODUCTS(q5_K, Q5_K)
PRODUCTS(q6_K, Q6_K)
PRODUCTS(iq4_nl, IQ4_NL)
PRODUCTS(iq4_xs, IQ4_XS)
PRODUCTS(mxfp4, MXFP4)
PRODUCTS(tq1_0, TQ1_0)
PRODUCTS(tq2_0, TQ2_0)
