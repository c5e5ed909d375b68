// Products of matrices of types with grids with one to eight vectors, at memory bandwidth; see stream.h. Several vectors are quantized
// by quantize_units of quantized_stream.hip.
#include "quantized/grid_units.h"
#include "quantized/stream.h"

STREAMS(iq2_xxs, IQ2_XXS)
STREAMS(iq2_xs, IQ2_XS)
STREAMS(iq2_s, IQ2_S)
STREAMS(iq3_xxs, IQ3_XXS)
STREAMS(iq3_s, IQ3_S)
STREAMS(iq1_s, IQ1_S)
STREAMS(iq1_m, IQ1_M)
