// stream_<type>_<vectors>, stream_several_<type>, stream_silu_mul_<type>: products of quantized matrices with one to eight vectors; see
// stream.h. quantize_units: what those with several vectors take.
#include "quantized/stream.h"

// A row of x per y of the grid, of `columns` values, a multiple of 64; the blocks of the grid's x share it.
KERNEL THREADS_AT_MOST(256) quantize_units(const void* __restrict__ x, const u32 kind, void* __restrict__ units,
                                           const u32 columns, const u32 rows, const u32 sixteens) {
  const u32 each = QUARTER * block_size_x();
  for (u32 row = block_y(); row < rows; row += grid_size_y()) {
    Vector<1> vector = {x, u64(row) * columns, kind, columns, thread_x(), block_size_x()};
    for (u32 base = block_x() * each; base < columns; base += grid_size_x() * each) {
      vector.load(base);
      vector.quantize(base, static_cast<Values*>(units) + u64(row) * (columns / UNIT), sixteens != 0);
    }
  }
}

STREAMS(q4_0, Q4_0)
STREAMS(q4_1, Q4_1)
STREAMS(q5_0, Q5_0)
STREAMS(q5_1, Q5_1)
STREAMS(q8_0, Q8_0)
STREAMS(q2_K, Q2_K)
STREAMS(q3_K, Q3_K)
STREAMS(q4_K, Q4_K)
STREAMS(q5_K, Q5_K)
STREAMS(q6_K, Q6_K)
STREAMS(iq4_nl, IQ4_NL)
STREAMS(iq4_xs, IQ4_XS)
STREAMS(mxfp4, MXFP4)
STREAMS(tq1_0, TQ1_0)
STREAMS(tq2_0, TQ2_0)
