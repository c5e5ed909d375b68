// Softmax and norms as candle-rocm launches them; candle's entry points, for rows of any length, are in reduce.hip.
//
//   row_softmax_<type> row_norm_<type>      rows that fit in the registers of a team: memory is read once
//   row_add_norm_<type>                     the same of a sum, which is written as well
//   split_softmax_<type> split_norm_<type>  a few long rows, distributed over the card in two launches
//   row_group_norm_<type>                   group norms, and silu of them, of groups that fit in the registers of a block: memory
//                                           is read once
//   group_norm_<type>                       others, in two launches
//
// Half types compute in f32 and round once.
#include "common/activations.h"
#include "common/held_norm.h"
#include "common/index.h"

// -------------------------------------------------------------------------------------------------------- In registers

template <class C>
struct Times {
  using Theirs = Nothing;
  C factor;

  DEVICE Nothing load(u32, bool) const { return {}; }
  DEVICE C apply(C x, Nothing, int) const { return x * factor; }
};

// Launch: blockDim.x threads per row, blockDim.y rows per block; either a power of two up to a wavefront per row, or one row
// per block.
template <class T>
DEVICE void row_softmax(const T* src, T* dst, u64 rows, u32 n_cols) {
  using C = compute_t<T>;
  using Largest = Extreme<C, true>;
  const u32 per_block = block_size_y();
  const Team team(per_block, block_size_x());
  for_rows(rows, per_block, team, [&](u64 row) {
    const u32 n = row < rows ? n_cols : 0;
    Held<T, false> held(src + row * n, n, team, convert<T>(Largest::identity()));
    C largest = Largest::identity();
    held.each([&](C& e, int, int) { largest = Largest::merge(largest, e); });
    largest = team_merge<Largest>(largest, team);
    held.each([&](C& e, int, int) { e = exponential<T>(e - largest); });
    const C sum = held.sum(team, [](C e) { return e; });
    held.write(dst + row * n, Times<C>{math::div(C(1), sum)});
  });
}

// Launch: like row_softmax_*.
template <class T>
DEVICE void row_norm(const T* src, T* dst, const T* alpha, const T* beta, u64 rows, u32 n_cols, bool centered,
                     float eps) {
  const u32 per_block = block_size_y();
  const Team team(per_block, block_size_x());
  for_rows(rows, per_block, team, [&](u64 row) {
    const u32 n = row < rows ? n_cols : 0;
    Held<T, true> held(src + row * n, n, team, T{});
    write_norm(held, dst + row * n, alpha, beta, n_cols, centered, eps, team);
  });
}

// The norm of a + b, which goes to `sum`: the residual connections of transformers. Launch: like row_softmax_*.
template <class T>
DEVICE void row_add_norm(const T* a, const T* b, T* sum, T* dst, const T* alpha, const T* beta, u64 rows, u32 n_cols,
                         bool centered, float eps) {
  const u32 per_block = block_size_y();
  const Team team(per_block, block_size_x());
  for_rows(rows, per_block, team, [&](u64 row) {
    const u32 n = row < rows ? n_cols : 0;
    Held<T, true> held(a + row * n, b + row * n, sum + row * n, n, team);
    write_norm(held, dst + row * n, alpha, beta, n_cols, centered, eps, team);
  });
}

// -------------------------------------------------------------------------------------------------------------- In parts

// n_rows rows, each split into `splits` parts of `part` elements, in two launches. Stage 0 stores the state of part k of row r
// in partial[r * splits + k]: 16 bytes for softmax, 24 for norms. Stage 1 writes the parts. Launch: any number of 1-D blocks,
// ideally one per part.
struct Part {
  u64 row, from, state;  // the row, the part's offset in the tensor, and the row's first state
  u32 begin, n;          // offset in the row, and length
};

template <class Body>
DEVICE void for_parts(u64 n_rows, u32 n_cols, u64 splits, u64 part, const Team& team, const Body& body) {
  for_rows(n_rows * splits, 1, team, [&](u64 unit) {
    const Division at = divide(unit, splits);
    const u64 begin = at.remainder * part, from = at.quotient * n_cols + begin;
    body(unit,
         Part{at.quotient, from, at.quotient * splits, u32(begin), u32(min_of(begin + part, u64(n_cols)) - begin)});
  });
}

template <class T>
DEVICE void split_softmax(const T* src, T* dst, u32 n_cols, u64 n_rows, u64 splits, u64 part, void* partial,
                          u32 stage) {
  static_assert(sizeof(Softmax<T>) <= 16, "launchers reserve 16 bytes");
  const Team team(1, block_size_x());
  Softmax<T>* const states = static_cast<Softmax<T>*>(partial);
  for_parts(n_rows, n_cols, splits, part, team, [&](u64 unit, const Part& at) {
    if (stage == 0) {
      const Softmax<T> s = Softmax<T>::of(src + at.from, at.n, team);
      if (team.rank == 0) states[unit] = s;
    } else {
      const SoftmaxOf<T> map(Softmax<T>::of(states + at.state, splits, team));
      map_share(src + at.from, dst + at.from, at.n, team.rank, team.size, map);
    }
  });
}

// Both stages of a norm; map(moments of the row, part) returns the map of its elements.
template <class T, class Map>
DEVICE void split_moments(const T* src, T* dst, u32 n_cols, bool centered, u64 n_rows, u64 splits, u64 part,
                          void* partial, u32 stage, const Map& map) {
  using C = compute_t<T>;
  static_assert(sizeof(Moments<T>) <= 24, "launchers reserve 24 bytes");
  const Team team(1, block_size_x());
  Moments<T>* const states = static_cast<Moments<T>*>(partial);
  for_parts(n_rows, n_cols, splits, part, team, [&](u64 unit, const Part& at) {
    if (stage == 0) {
      const Moments<T> s = Moments<T>::of(src + at.from, at.n, centered, team);
      if (team.rank == 0) states[unit] = s;
    } else {
      const Moments<T> s = Moments<T>::of(states + at.state, splits, C(n_cols), team);
      map_share(src + at.from, dst + at.from, at.n, team.rank, team.size, map(s, at));
    }
  });
}

template <class T>
DEVICE void split_norm(const T* src, T* dst, const T* alpha, const T* beta, u32 n_cols, bool centered, float eps,
                       u64 n_rows, u64 splits, u64 part, void* partial, u32 stage) {
  split_moments(src, dst, n_cols, centered, n_rows, splits, part, partial, stage,
                [&](const Moments<T>& s, const Part& at) {
                  return Normalized<T>(s, alpha == nullptr ? alpha : alpha + at.begin,
                                       beta == nullptr ? beta : beta + at.begin, compute_t<T>(eps));
                });
}

// ----------------------------------------------------------------------------------------------------------- Group norm

// The number of which T is the type, and what it is if silu follows.
template <class T>
DEVICE compute_t<T> activated(compute_t<T> y, bool by_silu) {
  return by_silu ? widen(silu<T>(y)) : y;
}

// (x - mean) * scale * alpha + beta with factors per channel, which has `spatial` elements.
template <class T>
struct OfChannels {
  using C = compute_t<T>;
  C mean, scale;
  bool by_silu;
  const T *alpha, *beta;  // those of the row's first channel
  u32 begin;
  const Divider& by_spatial;

  template <int W>
  struct Factors {
    C scale[W], shift[W];
  };
  template <int W>
  DEVICE Factors<W> load(u32 i) const {
    Factors<W> f;
    const QuotientRemainder at = by_spatial(begin + i);
    u32 channel = at.quotient, left = by_spatial.divisor - at.remainder;
    C factor = scale * widen(alpha[channel]), shift = widen(beta[channel]);
    UNROLLED
    for (int j = 0; j < W; j++) {
      if (left == 0) {
        channel++, left = by_spatial.divisor;
        factor = scale * widen(alpha[channel]), shift = widen(beta[channel]);
      }
      f.scale[j] = factor, f.shift[j] = shift, left--;
    }
    return f;
  }
  template <class Factors>
  DEVICE C apply(C x, const Factors& by, int j) const {
    return activated<T>((x - mean) * by.scale[j] + by.shift[j], by_silu);
  }
};

// The same for vectors, each of which lies in one channel.
template <class T>
struct OfChannelVectors {
  using C = compute_t<T>;
  C mean, scale;
  const T *alpha, *beta;  // those of the row's first channel
  const Divider& by_spatial;

  struct Theirs {
    C scale, shift;
  };
  DEVICE Theirs load(u32 i, bool there) const {
    const u32 channel = there ? by_spatial(i).quotient : 0;
    return {scale * widen(alpha[channel]), widen(beta[channel])};
  }
  DEVICE C apply(C x, const Theirs& by, int) const { return (x - mean) * by.scale + by.shift; }
};

// Rows as below, of aligned vectors that do not cross channels. Launch: like row_norm_*, with blocks of up to 512 threads that hold 64
// elements each, or 16 of f64: with 1024 threads, each would have 64 registers on some cards.
template <class T>
DEVICE void row_group_norm(const T* src, T* dst, T* norm, const T* alpha, const T* beta, u32 n_cols, u32 groups,
                           u32 spatial, double eps, bool by_silu, u64 rows) {
  const u32 per_block = block_size_y();
  const Team team(per_block, block_size_x());
  const Divider by_spatial(spatial);
  const u32 channels = by_spatial(n_cols).quotient;
  for_rows(rows, per_block, team, [&](u64 row) {
    const u32 n = row < rows ? n_cols : 0;
    Held<T, true, is_same<T, f64> ? 128 : 256> held(src + row * n, n, team, T{});
    const Moments<T> s = moments_of(held, n_cols, true, team);
    const u64 first = divide(row, groups).remainder * channels;
    const OfChannelVectors<T> map{s.mean, s.scale(compute_t<T>(eps)), alpha + first, beta + first, by_spatial};
    // The norm, where it is wanted besides, and then the other. Silu of whole vectors: as part of the map, bf16 spills on gfx906.
    for (T* to = norm != nullptr ? norm : dst;; to = dst) {
      const bool last = to == dst, silu_too = last && by_silu;
      held.write(to + row * n, map, [&](Vec<T, VECTOR_BYTES / sizeof(T)>& y) {
        if (!silu_too) return;
        UNROLLED
        for (T& e : y.at) e = silu<T>(widen(e));
      });
      if (last) break;
    }
  });
}

// Row r is group r % groups of a sample, with n_cols = (channels per group) * spatial elements.
template <class T>
DEVICE void group_norm(const T* src, T* dst, T* norm, const T* alpha, const T* beta, u32 n_cols, u32 groups,
                       u32 spatial, double eps, bool by_silu, u64 n_rows, u64 splits, u64 part, void* partial,
                       u32 stage) {
  const Divider by_spatial(spatial);
  const u32 channels = by_spatial(n_cols).quotient;
  const auto of = [&](const Moments<T>& s, const Part& at, bool silu) {
    const u64 first = divide(at.row, groups).remainder * channels;
    return OfChannels<T>{s.mean, s.scale(compute_t<T>(eps)), silu, alpha + first, beta + first, at.begin, by_spatial};
  };
  // The norm, where it is wanted besides, and then the other.
  for (T* to = stage == 1 && norm != nullptr ? norm : dst;; to = dst) {
    const bool last = to == dst;
    split_moments(src, to, n_cols, true, n_rows, splits, part, partial, stage,
                  [&](const Moments<T>& s, const Part& at) { return of(s, at, last && by_silu); });
    if (last) break;
  }
}

// Several resident blocks overlap loads with arithmetic; without this bound, compilers use more registers than that allows.
#if PLATFORM_NVIDIA
#define THREADS_OF_BLOCKS(n) __launch_bounds__(256, n)
#else
#define THREADS_OF_BLOCKS(n) THREADS_AT_MOST(256)
#endif

#define ROW_KERNELS(T)                                                                                                 \
  KERNEL THREADS_OF_BLOCKS(sizeof(T) == 2 ? 4 : 3)                                                                     \
      row_softmax_##T(const T* src, T* dst, const size_t rows, const u32 n_cols) {                                     \
    row_softmax(src, dst, rows, n_cols);                                                                               \
  }                                                                                                                    \
  KERNEL THREADS_OF_BLOCKS(sizeof(T) == 2 ? 4 : 3)                                                                     \
      row_norm_##T(const T* src, T* dst, const T* alpha, const T* beta, const size_t rows, const u32 n_cols,           \
                   const u32 centered, const f32 eps) {                                                                \
    row_norm(src, dst, alpha, beta, rows, n_cols, centered != 0, eps);                                                 \
  }                                                                                                                    \
  KERNEL THREADS_OF_BLOCKS(sizeof(T) == 2 ? 4 : 3)                                                                     \
      row_add_norm_##T(const T* a, const T* b, T* sum, T* dst, const T* alpha, const T* beta, const size_t rows,       \
                       const u32 n_cols, const u32 centered, const f32 eps) {                                          \
    row_add_norm(a, b, sum, dst, alpha, beta, rows, n_cols, centered != 0, eps);                                       \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256)                                                                                          \
      split_softmax_##T(const T* src, T* dst, const u32 n_cols, const size_t n_rows, const size_t splits,              \
                        const size_t part, void* partial, const u32 stage) {                                           \
    split_softmax(src, dst, n_cols, n_rows, splits, part, partial, stage);                                             \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256) split_norm_##T(const T* src, T* dst, const T* alpha, const T* beta, const u32 n_cols,    \
                                             const u32 centered, const f32 eps, const size_t n_rows,                   \
                                             const size_t splits, const size_t part, void* partial, const u32 stage) { \
    split_norm(src, dst, alpha, beta, n_cols, centered != 0, eps, n_rows, splits, part, partial, stage);               \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(512)                                                                                          \
      row_group_norm_##T(const T* src, T* dst, T* norm, const T* alpha, const T* beta, const u32 n_cols,               \
                         const u32 groups, const u32 spatial, const f64 eps, const u32 by_silu, const size_t rows) {   \
    row_group_norm(src, dst, norm, alpha, beta, n_cols, groups, spatial, eps, by_silu != 0, rows);                     \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256)                                                                                          \
      group_norm_##T(const T* src, T* dst, T* norm, const T* alpha, const T* beta, const u32 n_cols, const u32 groups, \
                     const u32 spatial, const f64 eps, const u32 by_silu, const size_t n_rows, const size_t splits,    \
                     const size_t part, void* partial, const u32 stage) {                                              \
    group_norm(src, dst, norm, alpha, beta, n_cols, groups, spatial, eps, by_silu != 0, n_rows, splits, part, partial, \
               stage);                                                                                                 \
  }

ROW_KERNELS(f16)
ROW_KERNELS(bf16)
ROW_KERNELS(f32)
ROW_KERNELS(f64)
