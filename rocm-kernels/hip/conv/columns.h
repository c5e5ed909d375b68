// im2col and col2im: the matrices that make products of convolutions.
#ifndef CANDLE_ROCM_CONV_COLUMNS_H
#define CANDLE_ROCM_CONV_COLUMNS_H

#include "common/index.h"
#include "common/platform.h"
#include "common/vec.h"
#include "conv/images.h"
#include "conv/problem.h"

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

#endif
