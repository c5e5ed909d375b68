// Convolutions, im2col and col2im. The first group mirrors candle-kernels/src/conv.cu
// (https://github.com/huggingface/candle/blob/main/candle-kernels/src/conv.cu), for all ten types; pooling and upsampling,
// which candle has in the same file, are in conv_pool.hip:
//   conv1d_<type> conv2d_<type>                      out[b, o] = sum over i of x[b, i] correlated with w[o, i]
//   conv_transpose1d_<type> conv_transpose2d_<type>  their gradients with respect to x; w[i, o]
//   im2col_<type> im2col1d_<type>                    patches as rows: [b, h, w, i, kh, kw] and [b, l, i, k]
//   col2im1d_<type>                                  adds up the transposed convolution's patches [b, l, o, k] to [b, o, l]
// `info` holds the dimensions and strides of x, then of w (im2col: only of x), and is never null. out is contiguous.
//
// candle-rocm launches the second group, which takes a description of any of the four convolutions, with groups (`Conv`):
//   tiled_<type>             floats: a block computes 64 channels of 64 pixels from tiles in shared memory
//   direct_<type> direct_transposed_<type>
//                            a thread computes a few channels of a pixel: for few channels, and for integers
//   depthwise_<type>         groups with a single input channel: a thread computes a few pixels of a channel
//   im2col_planar_<bytes>    patches as columns, [b, i, kh, kw, h, w], whose matrix product with w is contiguous in out
//   col2im_planar_<type>     adds up patches of the transposed convolution in the same layout
//
// f16, bf16 and f8 multiply and accumulate in f32 and are rounded once; integers wrap.
//
// Launch: any grid of 1-D blocks, except tiled_*. Dimensions of images and channels are below 2^31.
#include "common/accumulator.h"
#include "common/index.h"
#include "common/platform.h"
#include "common/vec.h"
#include "conv/images.h"

template <class T>
using sum_t = typename SumOf<T>::type;

template <class T>
DEVICE sum_t<T> load(const T* p) {
  return sum_t<T>(widen(*p));
}

template <class A>
DEVICE A add_product(A a, A b, A sum) {
  if constexpr (is_float<A>) {
    return math::fma(a, b, sum);
  } else {
    return a * b + sum;
  }
}

// Calls body(tile, i) for all indices tile + i of 0..count.
template <class Body>
DEVICE void for_all(u64 count, const Body& body) {
  const u64 step = u64(grid_size_x()) * block_size_x();
  for (u64 tile = u64(block_x()) * block_size_x(); tile < count; tile += step) {
    if (tile + thread_x() < count) body(tile, thread_x());
  }
}

// -------------------------------------------------------------------------------------------------------- The problem

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

// ------------------------------------------------------------------------------------------------------------- Direct

// Channels per thread: each input is read once for all of them.
constexpr int CHANNELS = 4;

template <bool TRANSPOSED, class T>
DEVICE void direct(const Conv& c, const T* x, const T* w, T* out) {
  using A = sum_t<T>;
  const u32 blocks = (c.c_out + CHANNELS - 1) / CHANNELS;
  const Images images(u64(c.batch) * c.groups * blocks, c.y.out, c.x.out);
  const Divider by_blocks(max_of(blocks, 1u)), by_groups(max_of(c.groups, 1u));
  const Divider by_y(TRANSPOSED ? c.y.stride : 1), by_x(TRANSPOSED ? c.x.stride : 1);
  const u64 pixels = u64(c.y.out) * c.x.out;
  for_all(images.count, [&](u64 tile, u32 i) {
    const PixelIndex p = images(tile, i);
    const QuotientRemainder block = by_blocks(u32(p.outer)), group = by_groups(block.quotient);
    const u32 first = block.remainder * CHANNELS;
    const T* const image = x + group.quotient * c.x_batch + u64(group.remainder) * c.c_in * c.x_channel;
    const T* const weights = w + group.remainder * c.w_group;
    A sum[CHANNELS] = {};
    for (i32 ty = 0; ty < c.y.taps; ty++) {
      i32 iy, ix;
      if (!c.y.template source<TRANSPOSED>(i32(p.y), ty, by_y, iy)) continue;
      for (i32 tx = 0; tx < c.x.taps; tx++) {
        if (!c.x.template source<TRANSPOSED>(i32(p.x), tx, by_x, ix)) continue;
        const T* from = image + u64(iy) * c.y.step + u64(ix) * c.x.step;
        const T* tap = weights + u64(ty) * c.y.tap_step + u64(tx) * c.x.tap_step;
        for (u32 channel = 0; channel < c.c_in; channel++) {
          const A value = load(from);
          UNROLLED
          for (int j = 0; j < CHANNELS; j++) {
            // Beyond the last channel, the last one is computed again and discarded.
            sum[j] = add_product(value, load(tap + min_of(first + j, c.c_out - 1) * c.w_out), sum[j]);
          }
          from += c.x_channel;
          tap += c.w_in;
        }
      }
    }
    T* const to = out + (u64(block.quotient) * c.c_out + first) * pixels + u64(p.y) * c.x.out + p.x;
    UNROLLED
    for (int j = 0; j < CHANNELS; j++) {
      if (first + j < c.c_out) to[j * pixels] = convert<T>(sum[j]);
    }
  });
}

// ---------------------------------------------------------------------------------------------------------- Depthwise

// A thread computes ROWS pixels of a column: their weights are read once, and consecutive threads read consecutive pixels.
template <int ROWS, class T>
DEVICE void depthwise(const Conv& c, const T* x, const T* w, T* out) {
  using A = sum_t<T>;
  const u32 channels = c.groups * c.c_out;
  const Images images(u64(c.batch) * channels, (c.y.out + ROWS - 1) / ROWS, c.x.out);
  const Divider by_channels(max_of(channels, 1u)), by_c_out(max_of(c.c_out, 1u));
  for_all(images.count, [&](u64 tile, u32 i) {
    const PixelIndex p = images(tile, i);
    const QuotientRemainder channel = by_channels(u32(p.outer)), group = by_c_out(channel.remainder);
    const T* const image = x + channel.quotient * c.x_batch + group.quotient * c.x_channel;
    const T* const weights = w + group.quotient * c.w_group + group.remainder * c.w_out;
    const i32 top = i32(p.y) * ROWS, y0 = top * c.y.stride - c.y.padding, x0 = i32(p.x) * c.x.stride - c.x.padding;
    A sum[ROWS] = {};
    for (i32 tx = 0; tx < c.x.taps; tx++) {
      const i32 ix = x0 + tx * c.x.dilation;
      if (u32(ix) >= u32(c.x.in)) continue;
      const T* const column = image + u64(ix) * c.x.step;
      for (i32 ty = 0; ty < c.y.taps; ty++) {
        const A weight = load(weights + u64(ty) * c.y.tap_step + u64(tx) * c.x.tap_step);
        UNROLLED
        for (int r = 0; r < ROWS; r++) {
          const i32 iy = y0 + r * c.y.stride + ty * c.y.dilation;
          if (u32(iy) < u32(c.y.in)) sum[r] = add_product(load(column + u64(iy) * c.y.step), weight, sum[r]);
        }
      }
    }
    T* const to = out + (p.outer * c.y.out + top) * c.x.out + p.x;
    UNROLLED
    for (int r = 0; r < ROWS; r++) {
      if (top + r < c.y.out) to[u64(r) * c.x.out] = convert<T>(sum[r]);
    }
  });
}

// -------------------------------------------------------------------------------------------------------------- Tiled

// Implicit GEMM: a block computes a tile of out as the product of weights and inputs, tap by tap, DEPTH input channels at a
// time. The im2col matrix is never stored: each thread follows one pixel through the taps.
//
// A transposed convolution of stride s consists of s * s convolutions of stride 1, one for each remainder of the pixels'
// coordinates modulo s. The pixels of a block have the same remainder, so the block skips taps that reach none of them.
//
// Launch: blocks of 256 threads; grid: pixels of the batch / 64, channels per group / 64, groups (times s * s).
constexpr u32 TILE = 64, DEPTH = 16, PART = 4;

template <class T>
struct Tile {
  sum_t<T> weights[DEPTH][TILE];
  sum_t<T> inputs[DEPTH][TILE];
};

// The inputs that the pixels of a block read along one axis: o * stride + shift.
struct TapRange {
  u32 first, step;  // the block's pixels
  u32 count;
  i32 stride;
  const Axis& axis;
  bool transposed;

  DEVICE TapRange(const Axis& a, bool is_transposed, u32 remainder)
      : first(is_transposed ? remainder : 0),
        step(is_transposed ? u32(a.stride) : 1),
        count(u32(a.out) > first ? (u32(a.out) - first + step - 1) / step : 0),
        stride(is_transposed ? 1 : a.stride),
        axis(a),
        transposed(is_transposed) {}

  // Whether the tap reaches any of the pixels, and its shift.
  DEVICE bool shift(i32 tap, i32& by) const {
    if (!transposed) {
      by = tap * axis.dilation - axis.padding;
      return true;
    }
    const i32 distance = i32(first) + axis.padding - tap * axis.dilation;
    by = distance / i32(step);
    return by * i32(step) == distance;
  }
};

template <class T>
DEVICE void tiled(const Conv& c, bool transposed, const T* x, const T* w, T* out, Tile<T>& tile) {
  using A = sum_t<T>;
  const u32 remainders = transposed ? u32(c.y.stride) * u32(c.x.stride) : 1;
  const u32 group = block_z() / remainders, remainder = block_z() - group * remainders;
  const u32 remainder_y = remainder / (transposed ? u32(c.x.stride) : 1);
  const TapRange ys(c.y, transposed, remainder_y);
  const TapRange xs(c.x, transposed, remainder - remainder_y * (transposed ? u32(c.x.stride) : 1));
  const u32 pixels = ys.count * xs.count, count = c.batch * pixels;
  const u32 first_pixel = block_x() * TILE, first_channel = block_y() * TILE;
  if (first_pixel >= count) return;
  const Divider by_width(xs.count), by_height(ys.count);

  // This thread fetches every PART-th input channel of one channel and of one pixel of the tile.
  const u32 column = thread_x() % TILE, part = thread_x() / TILE;
  const u32 channel = first_channel + column;
  const bool has_channel = channel < c.c_out, has_pixel = first_pixel + column < count;
  const QuotientRemainder row = by_width(has_pixel ? first_pixel + column : 0), image = by_height(row.quotient);
  const i32 y0 = i32(image.remainder) * ys.stride, x0 = i32(row.remainder) * xs.stride;
  const T* const inputs = x + image.quotient * c.x_batch + (u64(group) * c.c_in + part) * c.x_channel;
  const T* const weights = w + group * c.w_group + channel * c.w_out + part * c.w_in;

  // The next products: their tap, its shifts, and the first input channel.
  i32 ty = 0, tx = -1, dy = 0, dx = 0;
  u32 depth = 0;
  bool reached = ys.shift(0, dy);
  auto next_tap = [&]() {
    for (;;) {
      if (++tx == c.x.taps || !reached) {
        tx = -1;
        if (++ty >= c.y.taps) return false;
        reached = ys.shift(ty, dy);
        continue;
      }
      if (xs.shift(tx, dx)) return true;
    }
  };
  const T *from = x, *tap = w;
  bool inside = false;
  A next_weights[PART], next_inputs[PART];
  auto start_tap = [&]() {
    const i32 iy = y0 + dy, ix = x0 + dx;
    inside = has_pixel && u32(iy) < u32(c.y.in) && u32(ix) < u32(c.x.in);
    from = inside ? inputs + u64(iy) * c.y.step + u64(ix) * c.x.step : inputs;
    tap = weights + u64(ty) * c.y.tap_step + u64(tx) * c.x.tap_step;
    depth = 0;
  };
  auto fetch = [&]() {
    UNROLLED
    for (u32 k = 0; k < PART; k++) {
      const u32 in = depth + part + k * PART;
      next_weights[k] = has_channel && in < c.c_in ? load(tap + k * PART * c.w_in) : A(0);
      next_inputs[k] = inside && in < c.c_in ? load(from + k * PART * c.x_channel) : A(0);
    }
    from += DEPTH * c.x_channel;
    tap += DEPTH * c.w_in;
    depth += DEPTH;
  };

  // It computes PART channels of PART pixels.
  const u32 own_channel = thread_x() / (TILE / PART) * PART, own_pixel = thread_x() % (TILE / PART) * PART;
  A sum[PART][PART] = {};
  bool more = c.c_in > 0 && next_tap();
  if (more) start_tap(), fetch();
  while (more) {
    UNROLLED
    for (u32 k = 0; k < PART; k++) {
      tile.weights[part + k * PART][column] = next_weights[k];
      tile.inputs[part + k * PART][column] = next_inputs[k];
    }
    sync_threads();
    if (depth >= c.c_in) {
      more = next_tap();
      if (more) start_tap();
    }
    // In flight while the tile is computed.
    if (more) fetch();
    for (u32 k = 0; k < DEPTH; k++) {
      A a[PART], b[PART];
      UNROLLED
      for (u32 j = 0; j < PART; j++) a[j] = tile.weights[k][own_channel + j], b[j] = tile.inputs[k][own_pixel + j];
      UNROLLED
      for (u32 i = 0; i < PART; i++) {
        UNROLLED
        for (u32 j = 0; j < PART; j++) sum[i][j] = add_product(a[i], b[j], sum[i][j]);
      }
    }
    sync_threads();
  }

  UNROLLED
  for (u32 j = 0; j < PART; j++) {
    const u32 pixel = first_pixel + own_pixel + j;
    if (pixel >= count) break;
    const QuotientRemainder line = by_width(pixel), image = by_height(line.quotient);
    const u64 oy = ys.first + image.remainder * ys.step, ox = xs.first + line.remainder * xs.step;
    const u64 plane = u64(c.y.out) * c.x.out;
    T* const to = out + (u64(image.quotient) * c.groups + group) * c.c_out * plane + oy * c.x.out + ox;
    UNROLLED
    for (u32 i = 0; i < PART; i++) {
      const u32 o = first_channel + own_channel + i;
      if (o < c.c_out) to[o * plane] = convert<T>(sum[i][j]);
    }
  }
}

// ------------------------------------------------------------------------------------------------------------ Columns

template <class T>
using word_of = typename Word<sizeof(T)>::type;

// im2col to [b, i, ty, tx, y, x]. A thread writes W consecutive pixels for every tap of a row of the kernel, which amortizes
// the index arithmetic. W is 1, or divides the number of pixels.
template <int W, class T>
DEVICE void im2col_planar(const Conv& c, const T* x, T* out) {
  const u32 channels = c.groups * c.c_in, pixels = u32(c.y.out) * u32(c.x.out);
  const Images images(u64(c.batch) * channels, u64(c.y.taps), pixels / W);
  const Divider by_channels(max_of(channels, 1u)), by_width(max_of(u32(c.x.out), 1u));
  const u64 right = u64(c.x.stride) * c.x.step;
  for_all(images.count, [&](u64 tile, u32 i) {
    const PixelIndex p = images(tile, i);
    const QuotientRemainder image = by_channels(u32(p.outer)), pixel = by_width(p.x * W);
    const T* const plane = x + image.quotient * c.x_batch + image.remainder * c.x_channel;
    const i32 first_y = i32(pixel.quotient) * c.y.stride - c.y.padding + i32(p.y) * c.y.dilation;
    T* to = out + (p.outer * c.y.taps + p.y) * c.x.taps * pixels + p.x * W;
    for (i32 tx = 0; tx < c.x.taps; tx++, to += pixels) {
      const i32 left = tx * c.x.dilation - c.x.padding, end = left + c.x.out * c.x.stride;
      i32 iy = first_y, ix = left + i32(pixel.remainder) * c.x.stride;
      u64 at = u64(iy) * c.y.step + u64(ix) * c.x.step;
      Vec<T, W> words;
      UNROLLED
      for (int j = 0; j < W; j++) {
        const bool inside = u32(iy) < u32(c.y.in) && u32(ix) < u32(c.x.in);
        words.at[j] = inside ? plane[at] : T(0);
        ix += c.x.stride;
        at += right;
        if (W > 1 && ix == end) {
          // The next row of the image.
          iy += c.y.stride;
          ix = left;
          at = u64(iy) * c.y.step + u64(ix) * c.x.step;
        }
      }
      store_vec<W>(to, words);
    }
  });
}

template <class T>
DEVICE void im2col_planar(const Conv& c, const T* x, T* out) {
  constexpr int W = VECTOR_BYTES / sizeof(T);
  u32(c.y.out) * u32(c.x.out) % W == 0 && is_aligned(out, VECTOR_BYTES) ? im2col_planar<W>(c, x, out)
                                                                        : im2col_planar<1>(c, x, out);
}

// The taps of a transposed convolution that reach an output along one axis: every `step`-th, from inputs `back` apart.
struct TapSteps {
  Divider by_stride;
  i32 stride, dilation_strides, dilation_rest, step, back;

  DEVICE explicit TapSteps(const Axis& a)
      : by_stride(u32(a.stride)),
        stride(a.stride),
        dilation_strides(a.dilation / a.stride),
        dilation_rest(a.dilation % a.stride) {
    i32 divisor = a.stride;
    ROLLED
    for (i32 rest = a.dilation; rest != 0;) {
      const i32 next = divisor % rest;
      divisor = rest;
      rest = next;
    }
    step = a.stride / divisor;
    back = a.dilation / divisor;
  }

  // The first tap, or one beyond the last, and its input, which may be out of range.
  DEVICE i32 first(const Axis& a, u32 output, i32& input) const {
    const QuotientRemainder q = by_stride(output + u32(a.padding));
    const i32 last = min_of(step, a.taps);
    i32 tap = 0, rest = i32(q.remainder);
    input = i32(q.quotient);
    ROLLED
    while (rest != 0 && ++tap < last) {
      input -= dilation_strides;
      rest -= dilation_rest;
      if (rest < 0) rest += stride, input--;
    }
    return rest == 0 ? tap : a.taps;
  }
};

// col2im from [b, o, ty, tx, y, x], where y and x index the input of the transposed convolution. Outputs of a row come in
// segments as long as the stride: which taps reach the k-th output of a segment, and from how far, is the same for all of
// them, and what consecutive threads read with a tap is consecutive. A thread computes SEGMENTS, to have as many loads in
// flight.
constexpr u32 SEGMENTS = 4;

template <class T>
DEVICE void col2im_planar(const Conv& c, const T* columns, T* out) {
  const u32 stride = u32(c.x.stride), width = u32(c.x.out);
  const Images images(u64(c.batch) * c.groups * c.c_out, c.y.out, (width + stride - 1) / stride);
  const TapSteps ys(c.y), xs(c.x);
  const u64 plane = u64(c.y.in) * c.x.in, down = u64(ys.step) * c.x.taps * plane - u64(ys.back) * c.x.in;
  const u32 threads = block_size_x(), tile_size = threads * SEGMENTS;
  const u64 step = u64(grid_size_x()) * tile_size;
  for (u64 tile = u64(block_x()) * tile_size; tile < images.count; tile += step) {
    const T* from[SEGMENTS];
    T* to[SEGMENTS];
    i32 ty[SEGMENTS], iy[SEGMENTS], segment[SEGMENTS];
    UNROLLED
    for (u32 j = 0; j < SEGMENTS; j++) {
      const u32 i = j * threads + thread_x();
      const bool there = tile + i < images.count;
      const PixelIndex p = images(tile, there ? i : 0);
      ty[j] = ys.first(c.y, p.y, iy[j]);
      segment[j] = i32(p.x);
      from[j] = columns + (p.outer * c.y.taps + u64(ty[j])) * c.x.taps * plane + u64(iy[j]) * c.x.in + p.x;
      to[j] = there ? out + (p.outer * c.y.out + p.y) * width + p.x * stride : nullptr;
    }
    for (u32 k = 0; k < min_of(stride, width); k++) {
      i32 ix;
      sum_t<T> sum[SEGMENTS] = {};
      for (i32 tx = xs.first(c.x, k, ix); tx < c.x.taps; tx += xs.step, ix -= xs.back) {
        u64 further = u64(tx) * plane + u64(ix);
        for (i32 y = 0, y_back = 0; y < c.y.taps; y += ys.step, y_back += ys.back, further += down) {
          UNROLLED
          for (u32 j = 0; j < SEGMENTS; j++) {
            const bool reached =
                ty[j] + y < c.y.taps && u32(iy[j] - y_back) < u32(c.y.in) && u32(segment[j] + ix) < u32(c.x.in);
            if (reached) sum[j] += load(from[j] + further);
          }
        }
      }
      UNROLLED
      for (u32 j = 0; j < SEGMENTS; j++) {
        if (to[j] != nullptr && u32(segment[j]) * stride + k < width) to[j][k] = convert<T>(sum[j]);
      }
    }
  }
}

// col2im from rows [b, l_in] of patches [c_out, taps].
template <class T>
DEVICE void col2im_rows(u64 numel, u32 l_out, u32 l_in, u32 c_out, u32 taps, u32 stride, const T* src, T* dst) {
  const Images images(numel / max_of(u64(c_out) * l_out, u64(1)), c_out, l_out);
  const Divider by_stride(max_of(stride, 1u));
  for_all(images.count, [&](u64 tile, u32 i) {
    const PixelIndex p = images(tile, i);
    const QuotientRemainder last = by_stride(p.x);
    sum_t<T> sum = 0;
    // An element to the left in src is `stride` taps further.
    u32 l = last.quotient;
    for (u32 tap = last.remainder; tap < taps; tap += stride) {
      if (l < l_in) sum += load(src + ((p.outer * l_in + l) * c_out + p.y) * taps + tap);
      if (l-- == 0) break;
    }
    dst[tile + i] = convert<T>(sum);
  });
}

// im2col to rows [b, h, w] of patches [c, kh, kw]; info holds the dimensions and strides of x.
template <class W>
DEVICE void im2col_rows(u64 numel, u32 num_dims, u64 h_out, u64 w_out, u64 h_k, u64 w_k, u64 stride, u64 padding,
                        u64 dilation, const size_t* info, const W* x, W* out) {
  const size_t* const strides = info + num_dims;
  const u32 c_in = u32(info[1]), w_in = u32(info[num_dims - 1]), h_in = num_dims == 4 ? u32(info[2]) : 1;
  const u64 step = num_dims == 4 ? strides[2] : 0;
  const Images all(h_out * w_out * info[0], c_in, h_k * w_k);
  const Divider by_taps(max_of(u32(w_k), 1u)), by_width(max_of(u32(w_out), 1u)), by_height(max_of(u32(h_out), 1u));
  for_all(min_of(numel, all.count), [&](u64 tile, u32 i) {
    const PixelIndex p = all(tile, i);
    const QuotientRemainder tap = by_taps(p.x), row = by_width(u32(p.outer)), image = by_height(row.quotient);
    const u64 iy =
        image.remainder * (num_dims == 4 ? stride : 1) + tap.quotient * dilation - (num_dims == 4 ? padding : 0);
    const u64 ix = row.remainder * stride + tap.remainder * dilation - padding;
    // Coordinates before the image wrap around, so that they are beyond it as well.
    const bool inside = iy < h_in && ix < w_in;
    out[tile + i] =
        inside ? x[image.quotient * strides[0] + p.y * strides[1] + iy * step + ix * strides[num_dims - 1]] : W(0);
  });
}

// ----------------------------------------------------------------------------------------------------- Entry points

#define CONV(T)                                                                                                        \
  KERNEL conv1d_##T(const size_t, const size_t l_out, const size_t stride, const size_t padding,                       \
                    const size_t dilation, const size_t* info, const T* src, const T* kernel, T* dst) {                \
    direct<false>(conv_of(3, false, 1, l_out, stride, padding, dilation, info), src, kernel, dst);                     \
  }                                                                                                                    \
  KERNEL conv2d_##T(const size_t, const size_t w_out, const size_t h_out, const size_t stride, const size_t padding,   \
                    const size_t dilation, const size_t* info, const T* src, const T* kernel, T* dst) {                \
    direct<false>(conv_of(4, false, h_out, w_out, stride, padding, dilation, info), src, kernel, dst);                 \
  }                                                                                                                    \
  KERNEL conv_transpose1d_##T(const size_t, const size_t l_out, const size_t stride, const size_t padding,             \
                              const size_t, const size_t dilation, const size_t* info, const T* src, const T* kernel,  \
                              T* dst) {                                                                                \
    direct<true>(conv_of(3, true, 1, l_out, stride, padding, dilation, info), src, kernel, dst);                       \
  }                                                                                                                    \
  KERNEL conv_transpose2d_##T(const size_t, const size_t w_out, const size_t h_out, const size_t stride,               \
                              const size_t padding, const size_t, const size_t dilation, const size_t* info,           \
                              const T* src, const T* kernel, T* dst) {                                                 \
    direct<true>(conv_of(4, true, h_out, w_out, stride, padding, dilation, info), src, kernel, dst);                   \
  }                                                                                                                    \
  KERNEL im2col1d_##T(const size_t dst_numel, const size_t l_out, const size_t l_k, const size_t stride,               \
                      const size_t padding, const size_t dilation, const size_t* info, const T* src, T* dst) {         \
    im2col_rows(dst_numel, 3, 1, l_out, 1, l_k, stride, padding, dilation, info,                                       \
                reinterpret_cast<const word_of<T>*>(src), reinterpret_cast<word_of<T>*>(dst));                         \
  }                                                                                                                    \
  KERNEL im2col_##T(const size_t dst_numel, const size_t h_out, const size_t w_out, const size_t h_k,                  \
                    const size_t w_k, const size_t stride, const size_t padding, const size_t dilation,                \
                    const size_t* info, const T* src, T* dst) {                                                        \
    im2col_rows(dst_numel, 4, h_out, w_out, h_k, w_k, stride, padding, dilation, info,                                 \
                reinterpret_cast<const word_of<T>*>(src), reinterpret_cast<word_of<T>*>(dst));                         \
  }                                                                                                                    \
  KERNEL col2im1d_##T(const size_t dst_el, const size_t l_out, const size_t l_in, const size_t c_out,                  \
                      const size_t k_size, const size_t stride, const T* src, T* dst) {                                \
    col2im_rows(dst_el, u32(l_out), u32(l_in), u32(c_out), u32(k_size), u32(stride), src, dst);                        \
  }                                                                                                                    \
  KERNEL direct_##T(const size_t* conv, const T* x, const T* w, T* out) { direct<false>(conv_of(conv), x, w, out); }   \
  KERNEL direct_transposed_##T(const size_t* conv, const T* x, const T* w, T* out) {                                   \
    direct<true>(conv_of(conv), x, w, out);                                                                            \
  }                                                                                                                    \
  KERNEL depthwise_##T(const size_t* conv, const T* x, const T* w, T* out) {                                           \
    const Conv c = conv_of(conv);                                                                                      \
    c.y.out == 1 ? depthwise<1>(c, x, w, out) : depthwise<4>(c, x, w, out);                                            \
  }

CONV(u8)
CONV(u32)
CONV(i16)
CONV(i32)
CONV(i64)
CONV(f16)
CONV(bf16)
CONV(f32)
CONV(f64)
CONV(f8_e4m3)

#define MATRIX(T)                                                                                                      \
  KERNEL THREADS_AT_MOST(256) tiled_##T(const size_t* conv, const u32 transposed, const T* x, const T* w, T* out) {    \
    __shared__ Tile<T> tile;                                                                                           \
    tiled(conv_of(conv), transposed != 0, x, w, out, tile);                                                            \
  }                                                                                                                    \
  KERNEL col2im_planar_##T(const size_t* conv, const T* columns, T* out) { col2im_planar(conv_of(conv), columns, out); }

MATRIX(f16)
MATRIX(bf16)
MATRIX(f32)
MATRIX(f64)

#define IM2COL_PLANAR(BYTES)                                                                                           \
  KERNEL im2col_planar_##BYTES(const size_t* conv, const Word<BYTES>::type* x, Word<BYTES>::type* out) {               \
    im2col_planar(conv_of(conv), x, out);                                                                              \
  }

IM2COL_PLANAR(1)
IM2COL_PLANAR(2)
IM2COL_PLANAR(4)
IM2COL_PLANAR(8)
