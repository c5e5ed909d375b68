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
#include "common/index.h"
#include "common/platform.h"
#include "conv/columns.h"
#include "conv/images.h"
#include "conv/problem.h"

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
            sum[j] = multiply_add(value, load(tap + min_of(first + j, c.c_out - 1) * c.w_out), sum[j]);
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
          if (u32(iy) < u32(c.y.in)) sum[r] = multiply_add(load(column + u64(iy) * c.y.step), weight, sum[r]);
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
        for (u32 j = 0; j < PART; j++) sum[i][j] = multiply_add(a[i], b[j], sum[i][j]);
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
