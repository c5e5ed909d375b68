// tiles_<type>, tiles_silu_mul_<type>: products of quantized matrices with many vectors, quantized by quantize_q8_*, by steps, and what becomes
// of them; see mat_mat.h.
#include "quantized/mat_mat.h"

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
