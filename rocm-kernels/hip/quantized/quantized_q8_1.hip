// Products of quantized matrices with vectors of Q8_1. Its scales in half precision serve blocks whose largest value is 0.008 to
// 8e6; smaller ones lose precision, larger ones are infinite. candle-rocm launches the kernels of quantized_mat_vec.hip and
// quantized_mat_mat.hip instead, with scales in f32.
//
// Names and parameters are those of candle-kernels' quantized.cu, 0.11.1:
// https://github.com/huggingface/candle/blob/0.11.1/candle-kernels/src/quantized.cu
// In addition: experts in Q4_0, Q4_1, Q5_0, Q5_1.
#include "quantized/mat_mat.h"
#include "quantized/mat_vec.h"

// ------------------------------------------------------------------------------------------ With one to eight vectors

// nrows_y: the padded length of a vector.
#define MAT_VEC(NAME, B, N)                                                                                            \
  KERNEL THREADS_AT_MOST(256) mul_mat_vec_##NAME##_q8_1_cuda##N(                                                       \
      const void* __restrict__ vx, const void* __restrict__ vy, float* __restrict__ dst, const int ncols_x,            \
      const int nrows_x, const int nrows_y, const int nrows_dst) {                                                     \
    mat_vecs<B, Q8_1, N>(vx, vy, dst, u32(ncols_x), u32(nrows_x), u32(nrows_y), u32(nrows_dst));                       \
  }
#define MAT_VECS(N)                                                                                                    \
  MAT_VEC(q4_0, Q4_0, N)                                                                                               \
  MAT_VEC(q4_1, Q4_1, N)                                                                                               \
  MAT_VEC(q5_0, Q5_0, N)                                                                                               \
  MAT_VEC(q5_1, Q5_1, N)                                                                                               \
  MAT_VEC(q8_0, Q8_0, N)                                                                                               \
  MAT_VEC(q2_K, Q2_K, N)                                                                                               \
  MAT_VEC(q3_K, Q3_K, N)                                                                                               \
  MAT_VEC(q4_K, Q4_K, N)                                                                                               \
  MAT_VEC(q5_K, Q5_K, N)                                                                                               \
  MAT_VEC(q6_K, Q6_K, N)
MAT_VECS(1)
MAT_VECS(2)
MAT_VECS(3)
MAT_VECS(4)
MAT_VECS(5)
MAT_VECS(6)
MAT_VECS(7)
MAT_VECS(8)

// --------------------------------------------------------------------------------------------------- With many vectors

// nrows_y: the padded length of a column.
#define MAT_MAT(NAME, B)                                                                                               \
  KERNEL THREADS_AT_MOST(256) mul_mat_##NAME(const void* __restrict__ vx, const void* __restrict__ vy,                 \
                                             float* __restrict__ dst, const int ncols_x, const int nrows_x,            \
                                             const int ncols_y, const int nrows_y, const int nrows_dst) {              \
    mat_mat<B, Q8_1, 64, 32>(OneMatrix{static_cast<const u8*>(vx)}, by_vector<Q8_1>(vy, u32(nrows_y)), dst,            \
                             u32(ncols_x), u32(nrows_x), u32(ncols_y), u32(nrows_dst));                                \
  }
MAT_MAT(q4_0, Q4_0)
MAT_MAT(q4_1, Q4_1)
MAT_MAT(q5_0, Q5_0)
MAT_MAT(q5_1, Q5_1)
MAT_MAT(q8_0, Q8_0)
MAT_MAT(q2_K, Q2_K)
MAT_MAT(q3_K, Q3_K)
MAT_MAT(q4_K, Q4_K)
MAT_MAT(q5_K, Q5_K)
MAT_MAT(q6_K, Q6_K)

// ------------------------------------------------------------------------------------------------- Mixtures of experts

#define EXPERTS(NAME, B)                                                                                               \
  KERNEL THREADS_AT_MOST(256) indexed_moe_forward_##NAME##_q8_1(                                                       \
      const void* __restrict__ all_weights, const void* __restrict__ all_inputs,                                       \
      const unsigned int* __restrict__ indices, float* __restrict__ all_outputs, const int n, const int k,             \
      const int batch, const int topk, const int k_padded, const int input_dim1) {                                     \
    experts<B, Q8_1>(static_cast<const u8*>(all_weights), static_cast<const u8*>(all_inputs), indices, all_outputs,    \
                     u32(n), u32(k), u32(batch), u32(topk), u32(k_padded), u32(input_dim1));                           \
  }
EXPERTS(q4_0, Q4_0)
EXPERTS(q4_1, Q4_1)
EXPERTS(q5_0, Q5_0)
EXPERTS(q5_1, Q5_1)
EXPERTS(q8_0, Q8_0)
EXPERTS(q2k, Q2_K)
EXPERTS(q3k, Q3_K)
EXPERTS(q4k, Q4_K)
EXPERTS(q5k, Q5_K)
EXPERTS(q6k, Q6_K)
