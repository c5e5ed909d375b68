// Pooling and upsampling. Mirrors the second half of candle-kernels/src/conv.cu
// (https://github.com/huggingface/candle/blob/main/candle-kernels/src/conv.cu), for all ten types:
//   avg_pool2d_<type> max_pool2d_<type>   windows inside the image; kernel sizes and strides are (dimension 2, dimension 3)
//   upsample_nearest2d_<type>             out[y, x] = x[floor(y * scale), floor(x * scale)], computed in f64
//   upsample_bilinear2d_<type>            PyTorch's: between the four nearest pixels, with or without aligned corners
// `info` holds the dimensions and strides of the input [b, c, h, w], and is never null. out is contiguous.
//
// Averages of f16, bf16 and f8 are computed in f32 and rounded once; those of integers are truncated. (candle's CPU backend
// multiplies integers by 1 / n, which is 0; its CUDA kernels accumulate in the type itself, and so wrap.) As on candle's CPU
// backend, the maximum of a window is NaN if its first element is; any other NaN is ignored. Bilinear weights are computed
// in f64; types up to f32 are then combined in f32, others in f64.
//
// Launch: any grid of 1-D blocks, ideally of 256 threads, and no more to resample, for which y of the grid cuts the images into runs.
// Dimensions of images are below 2^31.
#include "common/divide.h"
#include "common/index.h"
#include "common/platform.h"
#include "common/vec.h"
#include "conv/images.h"

// Images of a strided input.
template <class T>
struct Source {
  const T* ptr;
  u64 batch, channel, y_step, x_step;
  u32 height, width;
  u64 images;
  Divider by_channels;

  DEVICE Source(const T* p, const size_t* info)
      : ptr(p),
        batch(info[4]),
        channel(info[5]),
        y_step(info[6]),
        x_step(info[7]),
        height(u32(info[2])),
        width(u32(info[3])),
        images(info[0] * info[1]),
        by_channels(max_of(u32(info[1]), 1u)) {}

  DEVICE const T* image(u64 outer) const {
    const QuotientRemainder q = by_channels(u32(outer));
    return ptr + q.quotient * batch + q.remainder * channel;
  }
};

// -------------------------------------------------------------------------------------------------------------- Pools

template <class T>
struct Mean {
  // Integer sums have at least 64 bits.
  using State = compute_t<T>;
  State sum = 0;
  DEVICE void add(T x, bool) { sum += widen(x); }
  DEVICE T result(u32 count) const { return convert<T>(sum * (math::div(State(1), State(count)))); }
};
template <class T>
struct MeanOfIntegers {
  i64 sum = 0;
  DEVICE void add(T x, bool) { sum += i64(x); }
  DEVICE T result(u32 count) const { return T(sum / i64(count)); }
};
template <>
struct Mean<u8> : MeanOfIntegers<u8> {};
template <>
struct Mean<u32> : MeanOfIntegers<u32> {};
template <>
struct Mean<i16> : MeanOfIntegers<i16> {};
template <>
struct Mean<i32> : MeanOfIntegers<i32> {};
template <>
struct Mean<i64> : MeanOfIntegers<i64> {};

template <class T>
struct Largest {
  T value = T{};
  DEVICE void add(T x, bool first) {
    if (first || widen(value) < widen(x)) value = x;
  }
  DEVICE T result(u32) const { return value; }
};

// State over windows. SIZE: of square windows, 0 for any.
template <class State, int SIZE, class T>
struct Pool {
  using Item = T;
  const Images& images;
  const Source<T>& source;
  u32 height, width, y_stride, x_stride;
  T* out;

  DEVICE T load(u64 tile, u32 i) const {
    const PixelIndex p = images(tile, i);
    const T* from = source.image(p.outer) + u64(p.y) * y_stride * source.y_step + u64(p.x) * x_stride * source.x_step;
    State state;
    if constexpr (SIZE > 0) {
      UNROLLED
      for (int n = 0; n < SIZE * SIZE; n++)
        state.add(from[n / SIZE * source.y_step + n % SIZE * source.x_step], n == 0);
      return state.result(SIZE * SIZE);
    } else {
      for (u32 y = 0; y < height; y++) {
        for (u32 x = 0; x < width; x++) state.add(from[y * source.y_step + x * source.x_step], x + y == 0);
      }
      return state.result(height * width);
    }
  }
  DEVICE void store(u64 tile, u32 i, T value) const { out[tile + i] = value; }
};

// The same for windows of 2 x 2 pixels that lie side by side: W of a row at a time, whose pixels are W pairs of each of two rows.
template <class State, class T>
struct PoolPairs {
  static constexpr int W = sizeof(T) == 1 ? 4 : 8 / int(sizeof(T));
  using Item = Vec<T, W>;
  const Images& images;  // width: in vectors
  const Source<T>& source;
  u32 y_stride;
  T* out;

  DEVICE Item load(u64 tile, u32 i) const {
    const PixelIndex p = images(tile, i);
    const T* const from = source.image(p.outer) + u64(p.y) * y_stride * source.y_step + u64(p.x) * (2 * W);
    const Vec<T, 2 * W> rows[2] = {load_vec<2 * W>(from), load_vec<2 * W>(from + source.y_step)};
    Item item;
    UNROLLED
    for (int j = 0; j < W; j++) {
      State state;
      UNROLLED
      for (int n = 0; n < 4; n++) state.add(rows[n / 2].at[2 * j + n % 2], n == 0);
      item.at[j] = state.result(4);
    }
    return item;
  }
  DEVICE void store(u64 tile, u32 i, const Item& item) const { store_vec(out + (tile + i) * W, item); }
};

template <class State, class T>
DEVICE void pool(u64 height, u64 width, u64 y_stride, u64 x_stride, const size_t* info, const T* src, T* out) {
  using Pairs = PoolPairs<State, T>;
  constexpr int W = Pairs::W;
  const Source<T> source(src, info);
  if (height == 0 || width == 0 || source.height < height || source.width < width) return;
  const u32 rows = (source.height - u32(height)) / u32(y_stride) + 1;
  const u32 columns = (source.width - u32(width)) / u32(x_stride) + 1;
  const u32 h = u32(height), w = u32(width), sy = u32(y_stride), sx = u32(x_stride);
  const bool square = h == 2 && w == 2;
  if (square && sx == 2 && source.x_step == 1 && columns % W == 0 && rows_aligned<2 * W>(src, 4, info + 4) &&
      (UNALIGNED_VECTORS || is_aligned(out, sizeof(T) * W))) {
    const Images images(source.images, rows, columns / W);
    // As many outputs per thread as below.
    for_each<4 / W>(images.count, Pairs{images, source, sy, out});
    return;
  }
  const Images images(source.images, rows, columns);
  if (square) {
    for_each<4>(images.count, Pool<State, 2, T>{images, source, h, w, sy, sx, out});
  } else {
    for_each<1>(images.count, Pool<State, 0, T>{images, source, h, w, sy, sx, out});
  }
}

// ---------------------------------------------------------------------------------------------------------- Resampling

template <class T>
using word_of = typename Word<sizeof(T)>::type;

// Goes through consecutive images of a strided input and of a contiguous output, which are the same for all threads of a block.
template <class T>
struct Walk {
  const T* from;
  T* to;
  u64 channel, sample, size;  // steps: to the next channel, from the last channel to the next sample, in the output
  u32 at, channels;

  DEVICE Walk(const Source<T>& source, T* out, u64 image, u64 pixels)
      : from(source.image(image)),
        to(out + image * pixels),
        channel(source.channel),
        sample(source.batch - (source.by_channels.divisor - 1) * source.channel),
        size(pixels),
        at(source.by_channels(u32(image)).remainder),
        channels(source.by_channels.divisor) {}

  DEVICE void next() {
    at++;
    from += at == channels ? sample : channel;
    at = at == channels ? 0 : at;
    to += size;
  }
};

// The element at p + offset, in bytes: loads and stores add an offset of 32 bits to an address that all threads share themselves.
template <class T, class Offset>
DEVICE const T& at_byte(const T* p, Offset offset) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const u8*>(p) + offset);
}
template <class T, class Offset>
DEVICE T& at_byte(T* p, Offset offset) {
  return *reinterpret_cast<T*>(reinterpret_cast<u8*>(p) + offset);
}

// Where a pixel comes from is computed in f64, which many cards are slow at, and is the same in all images. So a thread keeps a
// pixel, or `bytes` of neighbours, for a run of images, and all threads of a block are in the same image: the addresses of
// images are scalars. x of the grid goes over pixels, y over runs. Body: `Place place(u32 y, u32 x)`, and `void copy<N>(Place&, Offset&, Walk&)` of a pixel in N images.
template <int N, class Body, class T>
DEVICE void for_pixels(u64 height, u64 width, const Source<T>& source, T* out, u32 bytes, const Body& body) {
  const u64 pixels = height * width, step = u64(grid_size_x()) * block_size_x();
  const u64 groups = (source.images + (N - 1)) / N;
  const u64 run = divide(groups + (grid_size_y() - 1), grid_size_y()).quotient * N, first = block_y() * run;
  if (first >= source.images) return;
  for (u64 pixel = u64(block_x()) * block_size_x() + thread_x(); pixel < pixels; pixel += step) {
    const Division p = divide(pixel, width);
    auto place = body.place(u32(p.quotient), u32(p.remainder));
    auto to = typename Body::Offset(pixel) * bytes;
    u64 left = min_of(run, source.images - first);
    Walk<T> walk(source, out, first, pixels * (bytes / sizeof(T)));
    for (; left >= N; left -= N) body.template copy<N>(place, to, walk);
    for (; left > 0; left--) body.template copy<1>(place, to, walk);
  }
}

// Whether 32 bits hold the offsets in bytes of the pixels of an image, in the input and in the output.
template <class T>
DEVICE bool is_narrow(const Source<T>& source, u64 h_out, u64 w_out) {
  constexpr u64 MOST = 0x80000000u / sizeof(T);
  return (source.height - 1) * source.y_step + (source.width - 1) * source.x_step < MOST && h_out * w_out < MOST;
}

// W consecutive pixels of a row at a time.
template <int W, class O, class T>
struct Nearest {
  using Offset = O;
  struct Place {
    Offset from[W];
  };
  const Source<T>& source;
  double y_scale, x_scale;

  // The input of output i. In f64, like candle's CPU backend: f32 or integers would select other pixels here and there.
  static DEVICE u32 nearest(u32 i, double scale, u32 size) {
    return min_of(Convert<u32, double>::of(double(i) * scale), size - 1);
  }

  DEVICE Place place(u32 y_out, u32 x_out) const {
    const Offset y_step = Offset(source.y_step * sizeof(T)), x_step = Offset(source.x_step * sizeof(T));
    const Offset row = nearest(y_out, y_scale, source.height) * y_step;
    Place place;
    UNROLLED
    for (int j = 0; j < W; j++) place.from[j] = row + nearest(x_out * W + j, x_scale, source.width) * x_step;
    return place;
  }

  template <int N>
  DEVICE void copy(Place& place, Offset& to, Walk<T>& walk) const {
    UNROLLED
    for (int j = 0; j < W; j++) place.from[j] = opaque(place.from[j]);
    to = opaque(to);
    Vec<T, W> of[N];
    T* image[N];
    UNROLLED
    for (int n = 0; n < N; n++) {
      const T* const from = walk.from;
      UNROLLED
      for (int j = 0; j < W; j++) of[n].at[j] = at_byte(from, place.from[j]);
      image[n] = walk.to;
      walk.next();
    }
    UNROLLED
    for (int n = 0; n < N; n++) store_vec(&at_byte(image[n], to), of[n]);
  }
};

template <int W, class T>
DEVICE void upsample_nearest_by(const Source<T>& source, u64 h_out, u64 w_out, double y_scale, double x_scale, T* out) {
  if (is_narrow(source, h_out, w_out * W)) {
    for_pixels<4>(h_out, w_out, source, out, W * sizeof(T), Nearest<W, u32, T>{source, y_scale, x_scale});
  } else {
    for_pixels<4>(h_out, w_out, source, out, W * sizeof(T), Nearest<W, u64, T>{source, y_scale, x_scale});
  }
}

template <class T>
DEVICE void upsample_nearest(u64 h_out, u64 w_out, double y_scale, double x_scale, const size_t* info, const T* src,
                             T* out) {
  constexpr int W = VECTOR_BYTES / sizeof(T) < 8 ? VECTOR_BYTES / sizeof(T) : 8;
  const Source<T> source(src, info);
  if (source.height == 0 || source.width == 0) return;
  if (w_out % W == 0 && is_aligned(out, sizeof(T) * W)) {
    upsample_nearest_by<W>(source, h_out, w_out / W, y_scale, x_scale, out);
  } else {
    upsample_nearest_by<1>(source, h_out, w_out, y_scale, x_scale, out);
  }
}

// The two inputs that an output lies between.
struct Between {
  u32 low, high;
  double weight;  // of high
};

// The mapping from outputs to inputs along one axis, as in PyTorch and candle.
struct AxisMap {
  u32 size;
  double scale, shift;

  DEVICE AxisMap(u64 in, u64 out, bool aligned, bool has_factor, double factor)
      : size(u32(in)), shift(aligned ? 0.0 : 0.5) {
    if (aligned) {
      scale = out > 1 ? math::div(double(in - 1), double(out - 1)) : 0.0;
    } else {
      scale = has_factor ? math::div(1.0, factor) : math::div(double(in), double(out));
    }
  }

  DEVICE Between operator()(u32 i) const {
    double at = math::add(math::mul(scale, double(i) + shift), -shift);
    at = at > 0.0 ? at : 0.0;
    // A scale factor that does not match the sizes may point beyond the last input.
    const u32 low = min_of(Convert<u32, double>::of(at), size - 1);
    const double weight = at - double(low);
    return {low, min_of(low + 1, size - 1), weight < 1.0 ? weight : 1.0};
  }
};

template <class A>
DEVICE A mix(A low, A high, A weight) {
  return math::add(math::mul(low, A(1) - weight), math::mul(high, weight));
}

// The type that pixels are combined in.
template <class T>
struct Combine {
  using type = double;
};
template <>
struct Combine<f32> {
  using type = float;
};
template <>
struct Combine<f16> {
  using type = float;
};
template <>
struct Combine<bf16> {
  using type = float;
};
template <>
struct Combine<f8_e4m3> {
  using type = float;
};

template <class O, class T>
struct Interpolated {
  using A = typename Combine<T>::type;
  using Offset = O;
  struct Place {
    Offset top_left, top_right, bottom_left, bottom_right;
    A x_weight, y_weight;
  };
  const Source<T>& source;
  const AxisMap &ys, &xs;

  DEVICE Place place(u32 y_out, u32 x_out) const {
    const Between y = ys(y_out), x = xs(x_out);
    const Offset y_step = Offset(source.y_step * sizeof(T)), x_step = Offset(source.x_step * sizeof(T));
    const Offset top = y.low * y_step, bottom = y.high * y_step, left = x.low * x_step, right = x.high * x_step;
    return {top + left, top + right, bottom + left, bottom + right, A(x.weight), A(y.weight)};
  }

  template <int N>
  DEVICE void copy(Place& at, Offset& to, Walk<T>& walk) const {
    at.top_left = opaque(at.top_left), at.top_right = opaque(at.top_right);
    at.bottom_left = opaque(at.bottom_left), at.bottom_right = opaque(at.bottom_right);
    to = opaque(to);
    T corners[N][4];
    T* image[N];
    UNROLLED
    for (int n = 0; n < N; n++) {
      const T* const from = walk.from;
      corners[n][0] = at_byte(from, at.top_left), corners[n][1] = at_byte(from, at.top_right);
      corners[n][2] = at_byte(from, at.bottom_left), corners[n][3] = at_byte(from, at.bottom_right);
      image[n] = walk.to;
      walk.next();
    }
    UNROLLED
    for (int n = 0; n < N; n++) {
      const A upper = mix(A(widen(corners[n][0])), A(widen(corners[n][1])), at.x_weight);
      const A lower = mix(A(widen(corners[n][2])), A(widen(corners[n][3])), at.x_weight);
      at_byte(image[n], to) = convert<T>(mix(upper, lower, at.y_weight));
    }
  }
};

template <class T>
DEVICE void upsample_bilinear(u64 h_out, u64 w_out, const AxisMap& ys, const AxisMap& xs, const size_t* info,
                              const T* src, T* out) {
  const Source<T> source(src, info);
  if (source.height == 0 || source.width == 0) return;
  if (is_narrow(source, h_out, w_out)) {
    for_pixels<8>(h_out, w_out, source, out, sizeof(T), Interpolated<u32, T>{source, ys, xs});
  } else {
    for_pixels<8>(h_out, w_out, source, out, sizeof(T), Interpolated<u64, T>{source, ys, xs});
  }
}

// -------------------------------------------------------------------------------------------------------- Entry points

#define POOL(T)                                                                                                        \
  KERNEL avg_pool2d_##T(const size_t, const size_t k_2, const size_t k_3, const size_t stride_2,                       \
                        const size_t stride_3, const size_t* info, const T* src, T* dst) {                             \
    pool<Mean<T>>(k_2, k_3, stride_2, stride_3, info, src, dst);                                                       \
  }                                                                                                                    \
  KERNEL max_pool2d_##T(const size_t, const size_t k_2, const size_t k_3, const size_t stride_2,                       \
                        const size_t stride_3, const size_t* info, const T* src, T* dst) {                             \
    pool<Largest<T>>(k_2, k_3, stride_2, stride_3, info, src, dst);                                                    \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256) upsample_nearest2d_##T(const size_t out_2, const size_t out_3, const double scale_2,     \
                                                     const double scale_3, const size_t* info, const T* src, T* dst) { \
    upsample_nearest(out_2, out_3, scale_2, scale_3, info, reinterpret_cast<const word_of<T>*>(src),                   \
                     reinterpret_cast<word_of<T>*>(dst));                                                              \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256)                                                                                          \
      upsample_bilinear2d_##T(const size_t w_out, const size_t h_out, const bool align_corners,                        \
                              const bool has_scale_h, const double scale_h_factor, const bool has_scale_w,             \
                              const double scale_w_factor, const size_t* info, const T* src, T* dst) {                 \
    const AxisMap ys(info[2], h_out, align_corners, has_scale_h, scale_h_factor);                                      \
    const AxisMap xs(info[3], w_out, align_corners, has_scale_w, scale_w_factor);                                      \
    upsample_bilinear(h_out, w_out, ys, xs, info, src, dst);                                                           \
  }

POOL(u8)
POOL(u32)
POOL(i16)
POOL(i32)
POOL(i64)
POOL(f16)
POOL(bf16)
POOL(f32)
POOL(f64)
POOL(f8_e4m3)
