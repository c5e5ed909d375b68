// expert_tiles_<type>_<rows of a tile>: mixtures of quantized experts, for many rows; see experts.h.
#include "quantized/experts.h"

EXPERTS(q4_0, Q4_0)
EXPERTS(q4_1, Q4_1)
EXPERTS(q5_0, Q5_0)
EXPERTS(q5_1, Q5_1)
EXPERTS(q8_0, Q8_0)
EXPERTS(q2_K, Q2_K)
EXPERTS(q3_K, Q3_K)
EXPERTS(q4_K, Q4_K)
EXPERTS(q5_K, Q5_K)
EXPERTS(q6_K, Q6_K)
EXPERTS(iq4_nl, IQ4_NL)
EXPERTS(iq4_xs, IQ4_XS)
EXPERTS(mxfp4, MXFP4)
EXPERTS(tq1_0, TQ1_0)
EXPERTS(tq2_0, TQ2_0)
