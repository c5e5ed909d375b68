// Weights of types with grids as floats; see conversions.h. Kernels of these types are in modules of their own, quantized_grid*.hip, so
// that programs without such weights neither compile nor load them.
#include "quantized/conversions.h"
#include "quantized/grid_blocks.h"

DEQUANTIZE_K(iq2_xxs, IQ2_XXS)
DEQUANTIZE_K(iq2_xs, IQ2_XS)
DEQUANTIZE_K(iq2_s, IQ2_S)
DEQUANTIZE_K(iq3_xxs, IQ3_XXS)
DEQUANTIZE_K(iq3_s, IQ3_S)
DEQUANTIZE_K(iq1_s, IQ1_S)
DEQUANTIZE_K(iq1_m, IQ1_M)

GET_ROWS(iq2_xxs, IQ2_XXS)
GET_ROWS(iq2_xs, IQ2_XS)
GET_ROWS(iq2_s, IQ2_S)
GET_ROWS(iq3_xxs, IQ3_XXS)
GET_ROWS(iq3_s, IQ3_S)
GET_ROWS(iq1_s, IQ1_S)
GET_ROWS(iq1_m, IQ1_M)
