// A convolution as the kernels see it, and what their loops share.
#ifndef CANDLE_ROCM_CONV_PROBLEM_H
#define CANDLE_ROCM_CONV_PROBLEM_H

#include "common/accumulator.h"
#include "common/index.h"
#include "common/platform.h"

template <class T>
using sum_t = typename SumOf<T>::type;

template <class T>
DEVICE sum_t<T> load(const T* p) {
  return sum_t<T>(widen(*p));
}

// Calls body(tile, i) for all indices tile + i of 0..count.
template <class Body>
DEVICE void for_all(u64 count, const Body& body) {
  const u64 step = u64(grid_size_x()) * block_size_x();
  for (u64 tile = u64(block_x()) * block_size_x(); tile < count; tile += step) {
    if (tile + thread_x() < count) body(tile, thread_x());
  }
}

// One dimension of the images. `step` and `tap_step` are its strides in x and w.
struct Axis {
  i32 in, out, taps, stride, padding, dilation;
  u64 step, tap_step;

  // Whether output o reads an input with this tap, and which.
  template <bool TRANSPOSED>
  DEVICE bool source(i32 o, i32 tap, const Divider& by_stride, i32& i) const {
    if (TRANSPOSED) {
      i = o + padding - tap * dilation;
      if (i < 0) return false;
      const QuotientRemainder q = by_stride(u32(i));
      if (q.remainder != 0) return false;
      i = i32(q.quotient);
    } else {
      i = o * stride - padding + tap * dilation;
    }
    return u32(i) < u32(in);
  }
};

// Channels are per group.
struct Conv {
  u32 batch, groups, c_in, c_out;
  Axis y, x;
  u64 x_batch, x_channel;    // strides in x
  u64 w_out, w_in, w_group;  // strides in w
};

DEVICE Axis axis_of(const size_t* words) {
  return {i32(words[0]), i32(words[1]), i32(words[2]), i32(words[3]), i32(words[4]), i32(words[5]), words[6], words[7]};
}

DEVICE Conv conv_of(const size_t* words) {
  return {u32(words[0]), u32(words[1]), u32(words[2]), u32(words[3]), axis_of(words + 4), axis_of(words + 12),
          words[20],     words[21],     words[22],     words[23],     words[24]};
}

// From candle's parameters, which have no groups.
DEVICE Conv conv_of(u32 num_dims, bool transposed, u64 h_out, u64 w_out, u64 stride, u64 padding, u64 dilation,
                    const size_t* info) {
  const size_t *x = info, *x_strides = info + num_dims, *w = info + 2 * num_dims, *w_strides = info + 3 * num_dims;
  const u32 out = transposed ? 1 : 0, in = 1 - out, last = num_dims - 1;
  Axis y = {1, 1, 1, 1, 0, 1, 0, 0};
  if (num_dims == 4) {
    y = {i32(x[2]), i32(h_out), i32(w[2]), i32(stride), i32(padding), i32(dilation), x_strides[2], w_strides[2]};
  }
  return {u32(x[0]),
          1,
          u32(x[1]),
          u32(w[out]),
          y,
          {i32(x[last]), i32(w_out), i32(w[last]), i32(stride), i32(padding), i32(dilation), x_strides[last],
           w_strides[last]},
          x_strides[0],
          x_strides[1],
          w_strides[out],
          w_strides[in],
          0};
}

#endif
