// Products of matrices of types with grids with many vectors; see mat_mat.h.
#include "quantized/grid_blocks.h"
#include "quantized/mat_mat.h"

TILES(iq2_xxs, IQ2_XXS)
TILES(iq2_xs, IQ2_XS)
TILES(iq2_s, IQ2_S)
TILES(iq3_xxs, IQ3_XXS)
TILES(iq3_s, IQ3_S)
TILES(iq1_s, IQ1_S)
TILES(iq1_m, IQ1_M)
