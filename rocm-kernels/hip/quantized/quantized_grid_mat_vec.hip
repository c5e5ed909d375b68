// Products of matrices of types with grids with one to eight vectors, and for mixtures of experts; see mat_vec.h.
#include "quantized/grid_blocks.h"
#include "quantized/mat_vec.h"

EXACT_MAT_VEC(iq2_xxs_cuda, IQ2_XXS)
EXACT_MAT_VEC(iq2_xs_cuda, IQ2_XS)
EXACT_MAT_VEC(iq2_s_cuda, IQ2_S)
EXACT_MAT_VEC(iq3_xxs_cuda, IQ3_XXS)
EXACT_MAT_VEC(iq3_s_cuda, IQ3_S)
EXACT_MAT_VEC(iq1_s_cuda, IQ1_S)
EXACT_MAT_VEC(iq1_m_cuda, IQ1_M)

PRODUCTS(iq2_xxs, IQ2_XXS)
PRODUCTS(iq2_xs, IQ2_XS)
PRODUCTS(iq2_s, IQ2_S)
PRODUCTS(iq3_xxs, IQ3_XXS)
PRODUCTS(iq3_s, IQ3_S)
PRODUCTS(iq1_s, IQ1_S)
PRODUCTS(iq1_m, IQ1_M)
