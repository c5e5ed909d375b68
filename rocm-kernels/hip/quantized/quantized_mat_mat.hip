// tiles_<type>: products of quantized matrices with many vectors, quantized by quantize_q8_*; see mat_mat.h.
#include "quantized/mat_mat.h"

// tiles_<type>_<vectors of a block>. CDNA's cards have so many compute units that products are divided more finely.
[[maybe_unused]] constexpr u32 MATRIX_ROWS = WAVE == 64 ? 64 : 128;
#define TILES_OF(NAME, B, ROWS, VECTORS)                                                                               \
  KERNEL THREADS_AT_MOST(256)                                                                                          \
      tiles_##NAME##_##VECTORS(const void* __restrict__ x, const void* __restrict__ y, float* __restrict__ dst,        \
                               const u32 columns, const u32 rows, const u32 vectors) {                                 \
    mat_mat<B, Q8, ROWS, VECTORS>(x, y, dst, columns, rows, vectors, columns, rows);                                   \
  }
#define TILES(NAME, B)                                                                                                 \
  TILES_OF(NAME, B, 64, 32)                                                                                            \
  FOR_DOT4(TILES_OF(NAME, B, 64, 64))                                                                                  \
  FOR_BYTE_CORES(TILES_OF(NAME, B, MATRIX_ROWS, 128))
TILES(q4_0, Q4_0)
TILES(q4_1, Q4_1)
TILES(q5_0, Q5_0)
TILES(q5_1, Q5_1)
TILES(q8_0, Q8_0)
TILES(q2_K, Q2_K)
TILES(q3_K, Q3_K)
TILES(q4_K, Q4_K)
TILES(q5_K, Q5_K)
TILES(q6_K, Q6_K)
TILES(iq4_nl, IQ4_NL)
TILES(iq4_xs, IQ4_XS)
TILES(mxfp4, MXFP4)
TILES(tq1_0, TQ1_0)
TILES(tq2_0, TQ2_0)
