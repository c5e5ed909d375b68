// Gradients of softmax and norms for contiguous tensors, and of sigmoid for any layout. Half types compute in f32 and round
// once.
//
//   softmax_backward_<type>  dx = y * (dy - sum(dy * y)) of rows
//   norm_backward_<type>     dx = scale * (g - mean(g) - xhat * mean(g * xhat)) of rows, where scale = 1 / sqrt(variance + eps),
//                            xhat = (x - mean) * scale and g = dy * alpha; for RMS norm, without the terms of the mean
//   norm_columns_<type>      partial sums of dy * xhat and of dy over rows, for factors shared by all rows (layer norm)
//   norm_channels_<type>     the same over a channel of a sample, for factors per channel (group norm)
//   norm_factors_<type>      the totals: gradients of alpha and beta
//   sigmoid_backward_<type>  dx = dy * y * (1 - y), also for f8_e4m3; launched like the kernels of binary.hip
//
// No atomics: the order of summation only depends on the shapes and the card.
#include "common/elementwise.h"
#include "common/normalize.h"

// What a launch computes of parts of rows.
enum Stage : u32 {
  MOMENTS = 0,  // the moments of each part
  SUMS = 1,     // the sums of each part
  WRITE = 2,    // the results
  WHOLE = 3,    // everything: each row is a single part
};

// Rows are split into `splits` parts of `part` elements. Launch: blockDim.x threads per part, blockDim.y parts per block, as
// Team defines; any number of blocks.
struct Part {
  u64 unit, row, from;  // index of the part, its row, and its offset in the tensor
  u32 begin, n;         // offset in the row, and length
  bool there;           // false: the thread has no part, but takes part in barriers
};

template <class Body>
DEVICE void for_parts(u64 n_rows, u32 n_cols, u64 splits, u64 part, const Team& team, const Body& body) {
  for_rows(n_rows * splits, block_size_y(), team, [&](u64 unit) {
    const bool there = unit < n_rows * splits;
    const Division at = divide(there ? unit : 0, splits);
    const u64 begin = at.remainder * part;
    const u32 n = there ? u32(min_of(begin + part, u64(n_cols)) - begin) : 0;
    body(Part{unit, at.quotient, at.quotient * n_cols + begin, u32(begin), n, there});
  });
}

// Calls body(slot, a, b, i, c) for this thread's share of a[0..n] and b[0..n], with the slots of for_share. load(i, c) loads
// further operands of the W elements starting at i, of which c[j] is passed on.
template <class T, class Load, class Body>
DEVICE void for_pairs(const T* a, const T* b, u32 n, const Team& team, const Load& load, const Body& body) {
  using C = compute_t<T>;
  constexpr int W = WIDTH<T>;
  for_vectors<1>(
      a, n, team.rank, team.size,
      [&](const Vec<T, W>(&x)[1], u32, u64 at) {
        const Vec<T, W> y = load_or<W>(b, u32(at), T{});
        C c[W];
        load(u32(at), c);
        UNROLLED
        for (int j = 0; j < W; j++) body(j % SLOTS, widen(x[0].at[j]), widen(y.at[j]), c[j]);
      },
      [&](T x, u64 at) {
        C c[1];
        load(u32(at), c);
        body(0, widen(x), widen(b[at]), c[0]);
      });
}

template <class C>
struct Sums {
  C first, second;

  DEVICE Sums joined(const Team& team) const {
    return {team_merge<Sum<C>>(first, team), team_merge<Sum<C>>(second, team)};
  }

  static DEVICE Sums of(const Sums* parts, u64 count, const Team& team) {
    Sums s = {C(0), C(0)};
    for (u64 k = team.rank; k < count; k += team.size) s.first += parts[k].first, s.second += parts[k].second;
    return s.joined(team);
  }
};

// The sums of terms(a, b, c) over a[0..n] and b[0..n].
template <class T, class Load, class Terms>
DEVICE Sums<compute_t<T>> sums_of(const T* a, const T* b, u32 n, const Team& team, const Load& load,
                                  const Terms& terms) {
  using C = compute_t<T>;
  C first[SLOTS] = {}, second[SLOTS] = {};
  for_pairs(a, b, n, team, load, [&](int k, C x, C y, C c) {
    const Sums<C> s = terms(x, y, c);
    first[k] += s.first, second[k] += s.second;
  });
  return Sums<C>{first[0] + first[1], second[0] + second[1]}.joined(team);
}

struct LoadNothing {
  template <class C, int W>
  DEVICE void operator()(u32, C (&c)[W]) const {
    UNROLLED
    for (int j = 0; j < W; j++) c[j] = C(0);
  }
};

// -------------------------------------------------------------------------------------------------------------- Softmax

template <class T>
struct SoftmaxGradient {
  using C = compute_t<T>;
  const T* dy;
  C sum;

  template <int W>
  DEVICE Vec<T, W> load(u32 i) const {
    return load_or<W>(dy, i, T{});
  }
  template <class Theirs>
  DEVICE C apply(C y, const Theirs& theirs, int j) const {
    return y * (widen(theirs.at[j]) - sum);
  }
};

template <class T>
DEVICE void softmax_backward(const T* y, const T* dy, T* dx, u32 n_cols, u64 n_rows, u64 splits, u64 part,
                             Sums<compute_t<T>>* partial, u32 stage) {
  using C = compute_t<T>;
  const Team team(block_size_y(), block_size_x());
  for_parts(n_rows, n_cols, splits, part, team, [&](const Part& at) {
    Sums<C> s;
    if (stage == WRITE) {
      s = Sums<C>::of(partial + at.row * splits, splits, team);
    } else {
      s = sums_of(y + at.from, dy + at.from, at.n, team, LoadNothing{},
                  [](C a, C b, C) { return Sums<C>{a * b, C(0)}; });
    }
    if (stage == SUMS) {
      if (team.rank == 0 && at.there) partial[at.unit] = s;
    } else {
      map_share(y + at.from, dx + at.from, at.n, team.rank, team.size, SoftmaxGradient<T>{dy + at.from, s.first});
    }
  });
}

// ---------------------------------------------------------------------------------------------------------------- Norms

// The statistics that normalize a row.
template <class C>
struct Normal {
  C mean, scale;

  DEVICE C operator()(C x) const { return (x - mean) * scale; }
};

// The factors of a row's elements, one per `spatial` elements. Null stands for 1.
template <class T>
struct Alpha {
  using C = compute_t<T>;
  const T* alpha;
  u32 begin;  // offset of the part in its row
  const Divider& by_spatial;

  template <int W>
  DEVICE void operator()(u32 i, C (&a)[W]) const {
    if (alpha == nullptr || by_spatial.divisor == 1) {
      const Vec<T, W> v = load_or<W>(alpha == nullptr ? alpha : alpha + begin, i, convert<T>(1.0f));
      UNROLLED
      for (int j = 0; j < W; j++) a[j] = widen(v.at[j]);
      return;
    }
    const QuotientRemainder at = by_spatial(begin + i);
    u32 channel = at.quotient, left = by_spatial.divisor - at.remainder;
    C factor = widen(alpha[channel]);
    UNROLLED
    for (int j = 0; j < W; j++) {
      if (left == 0) {
        channel++, left = by_spatial.divisor;
        factor = widen(alpha[channel]);
      }
      a[j] = factor, left--;
    }
  }
};

template <class T>
struct NormGradient {
  using C = compute_t<T>;
  const T* dy;
  Alpha<T> alpha;
  Normal<C> normal;
  C mean, slope;  // of g, and of g * xhat

  template <int W>
  struct Theirs {
    C g[W];
  };
  template <int W>
  DEVICE Theirs<W> load(u32 i) const {
    Theirs<W> theirs;
    alpha(i, theirs.g);
    const Vec<T, W> d = load_or<W>(dy, i, T{});
    UNROLLED
    for (int j = 0; j < W; j++) theirs.g[j] *= widen(d.at[j]);
    return theirs;
  }
  template <class Theirs>
  DEVICE C apply(C x, const Theirs& theirs, int j) const {
    return normal.scale * (theirs.g[j] - mean - normal(x) * slope);
  }
};

// For group norms, row r is group r % groups of a sample, with n_cols = (channels per group) * spatial elements; for other
// norms, groups and spatial are 1. normals[r] are the statistics of row r. dx and alpha may be null.
template <class T>
DEVICE void norm_backward(const T* x, const T* dy, const T* alpha, T* dx, Normal<compute_t<T>>* normals, u32 n_cols,
                          u32 groups, u32 spatial, bool centered, f64 eps, u64 n_rows, u64 splits, u64 part,
                          Moments<T>* moments, Sums<compute_t<T>>* partial, u32 stage) {
  using C = compute_t<T>;
  static_assert(sizeof(Moments<T>) <= 24 && sizeof(Sums<C>) <= 16 && sizeof(Normal<C>) <= 16, "what launchers reserve");
  const Team team(block_size_y(), block_size_x());
  const Divider by_spatial(spatial);
  const u32 channels = spatial == 1 ? n_cols : by_spatial(n_cols).quotient;
  for_parts(n_rows, n_cols, splits, part, team, [&](const Part& at) {
    const bool first = stage == MOMENTS || stage == WHOLE;
    const Moments<T> m = first ? Moments<T>::of(x + at.from, at.n, centered, team)
                               : Moments<T>::of(moments + at.row * splits, splits, C(n_cols), team);
    if (stage == MOMENTS) {
      if (team.rank == 0 && at.there) moments[at.unit] = m;
      return;
    }
    const Normal<C> normal = {m.mean, m.scale(C(eps))};
    if (stage != WRITE && team.rank == 0 && at.there && at.begin == 0) normals[at.row] = normal;
    if (dx == nullptr) return;
    const u64 group = groups == 1 ? 0 : divide(at.row, groups).remainder;
    const Alpha<T> factors = {alpha == nullptr ? alpha : alpha + group * channels, at.begin, by_spatial};
    Sums<C> s;
    if (stage == WRITE) {
      s = Sums<C>::of(partial + at.row * splits, splits, team);
    } else {
      s = sums_of(x + at.from, dy + at.from, at.n, team, factors,
                  [&](C e, C d, C a) { return Sums<C>{d * a, d * a * normal(e)}; });
    }
    if (stage == SUMS) {
      if (team.rank == 0 && at.there) partial[at.unit] = s;
      return;
    }
    const C mean = centered ? math::div(s.first, C(n_cols)) : C(0);
    map_share(x + at.from, dx + at.from, at.n, team.rank, team.size,
              NormGradient<T>{dy + at.from, factors, normal, mean, math::div(s.second, C(n_cols))});
  });
}

// -------------------------------------------------------------------------------------------------------------- Factors

// Partial sums: partial[k][0][c] of dy * xhat, and partial[k][1][c] of dy.
constexpr u32 ACROSS = 32, DOWN = 8;

// Adds up sums[down][c] over DOWN in order, for c < count, and calls out(which, c, sum). All threads of the block take part.
template <class C, u32 N, class Out>
DEVICE void add_down(const C (&sums)[DOWN][2][N], u32 count, const Out& out) {
  sync_threads();
  for (u32 i = thread_x(); i < 2 * N; i += ACROSS * DOWN) {
    const u32 which = i / N, c = i % N;
    C sum = sums[0][which][c];
    UNROLLED
    for (u32 k = 1; k < DOWN; k++) sum += sums[k][which][c];
    if (c < count) out(which, c, sum);
  }
  sync_threads();  // before `sums` is reused
}

// Launch: 256 threads; gridDim.x blocks share the columns, gridDim.y blocks process `chunk` rows each.
template <class T>
DEVICE void norm_columns(const T* x, const T* dy, const Normal<compute_t<T>>* normals, compute_t<T>* partial, u64 rows,
                         u32 cols, u64 chunk) {
  using C = compute_t<T>;
  constexpr u32 W = sizeof(T) == 8 ? 2 : 4, N = ACROSS * W;
  __shared__ C sums[DOWN][2][N];
  const u32 across = thread_x() % ACROSS, down = thread_x() / ACROSS;
  const u64 begin = block_y() * chunk, end = min_of(begin + chunk, rows);
  for (u32 first = block_x() * N; first < cols; first += grid_size_x() * N) {
    const u32 column = first + across * W;
    C scaled[W] = {}, plain[W] = {};
    for (u64 row = begin + down; row < end; row += DOWN) {
      const Normal<C> normal = normals[row];
      const u64 at = row * cols + column;
      Vec<T, W> e = splat<W>(T{}), d = e;
      if (column + W <= cols) {
        e = load_or<W>(x + at, 0, T{}), d = load_or<W>(dy + at, 0, T{});
      } else {
        UNROLLED
        for (u32 j = 0; j < W; j++) {
          if (column + j < cols) e.at[j] = x[at + j], d.at[j] = dy[at + j];
        }
      }
      UNROLLED
      for (u32 j = 0; j < W; j++) scaled[j] += widen(d.at[j]) * normal(widen(e.at[j])), plain[j] += widen(d.at[j]);
    }
    UNROLLED
    for (u32 j = 0; j < W; j++) sums[down][0][across * W + j] = scaled[j], sums[down][1][across * W + j] = plain[j];
    add_down(sums, min_of(cols - first, N),
             [&](u32 which, u32 c, C sum) { partial[(u64(block_y()) * 2 + which) * cols + first + c] = sum; });
  }
}

// Rows are the channels of samples, with `spatial` elements each; a group has `per_group` channels. Launch: see for_parts.
template <class T>
DEVICE void norm_channels(const T* x, const T* dy, const Normal<compute_t<T>>* normals, compute_t<T>* partial,
                          u32 spatial, u32 channels, u32 per_group, u64 n_rows, u64 splits, u64 part) {
  using C = compute_t<T>;
  const Team team(block_size_y(), block_size_x());
  for_parts(n_rows, spatial, splits, part, team, [&](const Part& at) {
    const Normal<C> normal = normals[divide(at.row, per_group).quotient];
    const Sums<C> s = sums_of(x + at.from, dy + at.from, at.n, team, LoadNothing{},
                              [&](C e, C d, C) { return Sums<C>{d * normal(e), d}; });
    if (team.rank != 0 || !at.there) return;
    const Division sample = divide(at.row, channels);
    const u64 chunk = sample.quotient * splits + (at.unit - at.row * splits);
    partial[chunk * 2 * channels + sample.remainder] = s.first;
    partial[(chunk * 2 + 1) * channels + sample.remainder] = s.second;
  });
}

// dalpha[c] and dbeta[c] are the sums of partial over `chunks`; either may be null. Launch: 256 threads; blocks share the
// channels.
template <class T>
DEVICE void norm_factors(const compute_t<T>* partial, T* dalpha, T* dbeta, u64 chunks, u32 channels) {
  using C = compute_t<T>;
  __shared__ C sums[DOWN][2][ACROSS];
  const u32 across = thread_x() % ACROSS, down = thread_x() / ACROSS;
  for (u32 first = block_x() * ACROSS; first < channels; first += grid_size_x() * ACROSS) {
    const u32 channel = first + across;
    C scaled = C(0), plain = C(0);
    for (u64 k = down; k < chunks && channel < channels; k += DOWN) {
      scaled += partial[k * 2 * channels + channel];
      plain += partial[(k * 2 + 1) * channels + channel];
    }
    sums[down][0][across] = scaled, sums[down][1][across] = plain;
    add_down(sums, min_of(channels - first, ACROSS), [&](u32 which, u32 c, C sum) {
      T* const out = which == 0 ? dalpha : dbeta;
      if (out != nullptr) out[first + c] = convert<T>(sum);
    });
  }
}

template <class T>
struct SigmoidBackward {
  static constexpr Cost COST = LIGHT;
  DEVICE T operator()(T y, T dy) const {
    const compute_t<T> s = widen(y);
    return convert<T>(widen(dy) * s * (compute_t<T>(1) - s));
  }
};

#define SIGMOID_KERNEL(T)                                                                                              \
  KERNEL sigmoid_backward_##T(const size_t numel, const size_t num_dims, const size_t* info, const T* y, const T* dy,  \
                              T* dx) {                                                                                 \
    elementwise(numel, num_dims, info, SigmoidBackward<T>{}, dx, y, dy);                                               \
  }

SIGMOID_KERNEL(f16)
SIGMOID_KERNEL(bf16)
SIGMOID_KERNEL(f32)
SIGMOID_KERNEL(f64)
SIGMOID_KERNEL(f8_e4m3)

#define GRADIENT_KERNELS(T)                                                                                            \
  KERNEL THREADS_AT_MOST(256)                                                                                          \
      softmax_backward_##T(const T* y, const T* dy, T* dx, const u32 n_cols, const size_t n_rows, const size_t splits, \
                           const size_t part, Sums<compute_t<T>>* partial, const u32 stage) {                          \
    softmax_backward(y, dy, dx, n_cols, n_rows, splits, part, partial, stage);                                         \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256) norm_backward_##T(                                                                       \
      const T* x, const T* dy, const T* alpha, T* dx, Normal<compute_t<T>>* normals, const u32 n_cols,                 \
      const u32 groups, const u32 spatial, const u32 centered, const f64 eps, const size_t n_rows,                     \
      const size_t splits, const size_t part, Moments<T>* moments, Sums<compute_t<T>>* partial, const u32 stage) {     \
    norm_backward(x, dy, alpha, dx, normals, n_cols, groups, spatial, centered != 0, eps, n_rows, splits, part,        \
                  moments, partial, stage);                                                                            \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256)                                                                                          \
      norm_columns_##T(const T* x, const T* dy, const Normal<compute_t<T>>* normals, compute_t<T>* partial,            \
                       const size_t rows, const u32 cols, const size_t chunk) {                                        \
    norm_columns(x, dy, normals, partial, rows, cols, chunk);                                                          \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256) norm_channels_##T(                                                                       \
      const T* x, const T* dy, const Normal<compute_t<T>>* normals, compute_t<T>* partial, const u32 spatial,          \
      const u32 channels, const u32 per_group, const size_t n_rows, const size_t splits, const size_t part) {          \
    norm_channels(x, dy, normals, partial, spatial, channels, per_group, n_rows, splits, part);                        \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256)                                                                                          \
      norm_factors_##T(const compute_t<T>* partial, T* dalpha, T* dbeta, const size_t chunks, const u32 channels) {    \
    norm_factors(partial, dalpha, dbeta, chunks, channels);                                                            \
  }

GRADIENT_KERNELS(f16)
GRADIENT_KERNELS(bf16)
GRADIENT_KERNELS(f32)
GRADIENT_KERNELS(f64)
