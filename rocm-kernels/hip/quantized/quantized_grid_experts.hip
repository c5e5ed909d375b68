// Mixtures of experts of types with grids, for many rows; see experts.h.
#include "quantized/experts.h"
#include "quantized/grid_blocks.h"

EXPERTS(iq2_xxs, IQ2_XXS)
EXPERTS(iq2_xs, IQ2_XS)
EXPERTS(iq2_s, IQ2_S)
EXPERTS(iq3_xxs, IQ3_XXS)
EXPERTS(iq3_s, IQ3_S)
EXPERTS(iq1_s, IQ1_S)
EXPERTS(iq1_m, IQ1_M)
