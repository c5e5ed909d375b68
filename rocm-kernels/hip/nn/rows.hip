// Softmax and norms as candle-rocm launches them; candle's entry points, for rows of any length, are in reduce.hip.
//
//   row_softmax_<type> row_norm_<type>      rows that fit in the registers of a team: memory is read once
//   row_add_norm_<type>                     the same of a sum, which is written as well
//   split_softmax_<type> split_norm_<type>  a few long rows, distributed over the card in two launches
//   row_group_norm_<type>                   group norms of groups that fit in the registers of a block: memory is read once
//   group_norm_<type>                       other group norms, in two launches
//
// Half types compute in f32 and round once.
#include "common/index.h"
#include "common/normalize.h"

// -------------------------------------------------------------------------------------------------------- In registers

// A vector in packed form: after a conditional load, compilers would keep each small element in a register of its own.
template <class T>
struct Packed {
  static constexpr int W = VECTOR_BYTES / sizeof(T);
  typename Word<VECTOR_BYTES>::type word;

  Packed() = default;
  DEVICE Packed(const T* p, bool there, T otherwise) : word(bit_cast<Word<VECTOR_BYTES>::type>(splat<W>(otherwise))) {
    if (there) word = load_word<VECTOR_BYTES, alignof(T)>(p);
  }
  DEVICE explicit Packed(const Vec<T, W>& v) : word(bit_cast<Word<VECTOR_BYTES>::type>(v)) {}
  DEVICE Vec<T, W> vec() const { return bit_cast<Vec<T, W>>(word); }
};

// A row of n elements in the registers of a team: x[v][j] is element j of this thread's vector v. Thread `rank` holds vectors
// rank, rank + size, ... Rows are aligned and consist of at most size * VECTORS whole vectors. Elements beyond the end are
// `beyond`, because branches would prevent instruction-level parallelism across vectors.
// PACKED: elements keep their type and are widened at each use, which for half types leaves registers for more blocks. BYTES: of
// the elements of a thread, when they are widened.
template <class T, bool PACKED, int BYTES = 128>
struct Held {
  using C = compute_t<T>;
  static constexpr int W = VECTOR_BYTES / sizeof(T), VECTORS = BYTES / int(sizeof(C)) / W, TOGETHER = 4;
  Packed<T> packed[VECTORS];
  C x[VECTORS][W];
  u32 n, first, hop;

  DEVICE Held(const T* p, u32 count, const Team& team, T beyond) : n(count), first(team.rank * W), hop(team.size * W) {
    UNROLLED
    for (int v = 0; v < VECTORS; v++) packed[v] = Packed<T>(p + first + v * hop, there(v), beyond);
    if constexpr (!PACKED) {
      each([&](C& e, int v, int j) { e = widen(packed[v].vec().at[j]); });
    }
  }

  // The row p + q, each element rounded to T, as badd_* has it; it is written to `sum`.
  DEVICE Held(const T* p, const T* q, T* sum, u32 count, const Team& team)
      : n(count), first(team.rank * W), hop(team.size * W) {
    static_assert(PACKED, "elements are rounded");
    UNROLLED
    for (int v = 0; v < VECTORS; v++) packed[v] = Packed<T>(p + first + v * hop, there(v), T{});
    UNROLLED
    for (int group = 0; group < VECTORS; group += TOGETHER) {
      if (group * hop >= n) continue;
      Packed<T> other[TOGETHER];
      UNROLLED
      for (int k = 0; k < TOGETHER; k++) {
        other[k] = Packed<T>(q + first + (group + k) * hop, there(group + k), T{});
      }
      UNROLLED
      for (int k = 0; k < TOGETHER; k++) {
        const int v = group + k;
        const Vec<T, W> a = packed[v].vec(), b = other[k].vec();
        Vec<T, W> both;
        UNROLLED
        for (int j = 0; j < W; j++) both.at[j] = convert<T>(C(widen(a.at[j]) + widen(b.at[j])));
        packed[v] = Packed<T>(both);
        if (there(v)) store_vec(sum + first + v * hop, both);
      }
    }
  }

  DEVICE C at(int v, int j) const {
    if constexpr (PACKED) {
      return widen(packed[v].vec().at[j]);
    } else {
      return x[v][j];
    }
  }

  DEVICE bool there(int v) const { return first + v * hop < n; }

  // Calls f(first vector) for each group of TOGETHER vectors that is not entirely beyond the row.
  template <class F>
  DEVICE void each_together(const F& f) const {
    UNROLLED
    for (int group = 0; group < VECTORS; group += TOGETHER) {
      if (group * hop >= n) continue;
      f(group);
    }
  }

  // Calls f(element, v, j) for all elements. Not for PACKED.
  template <class F>
  DEVICE void each(const F& f) {
    each_together([&](int group) {
      UNROLLED
      for (int v = group; v < group + TOGETHER; v++) {
        UNROLLED
        for (int j = 0; j < W; j++) f(x[v][j], v, j);
      }
    });
  }

  // The sum of f(element) over the whole row.
  template <class F>
  DEVICE C sum(const Team& team, const F& f) {
    C sum = C(0);
    each_together([&](int group) {
      C sums[TOGETHER] = {};
      UNROLLED
      for (int k = 0; k < TOGETHER; k++) {
        UNROLLED
        for (int j = 0; j < W; j++) sums[k] += f(at(group + k, j));
        sums[k] = there(group + k) ? sums[k] : C(0);
      }
      sum += (sums[0] + sums[1]) + (sums[2] + sums[3]);
    });
    return team_merge<Sum<C>>(sum, team);
  }

  // Maps the elements and writes the results. map.load(i, there) loads further operands of the W elements starting at i, if
  // they are there; map.apply(x, theirs, j) computes element j.
  template <class Map>
  DEVICE void write(T* out, const Map& map) const {
    // Compilers would keep what addresses have in common with those that were loaded from in registers.
    const u32 start = opaque(first);
    each_together([&](int group) {
      typename Map::Theirs theirs[TOGETHER];
      UNROLLED
      for (int k = 0; k < TOGETHER; k++) theirs[k] = map.load(start + (group + k) * hop, there(group + k));
      UNROLLED
      for (int k = 0; k < TOGETHER; k++) {
        Vec<T, W> y;
        UNROLLED
        for (int j = 0; j < W; j++) y.at[j] = convert<T>(map.apply(at(group + k, j), theirs[k], j));
        if (there(group + k)) store_vec(out + start + (group + k) * hop, y);
      }
    });
  }
};

template <class C>
struct Times {
  using Theirs = Nothing;
  C factor;

  DEVICE Nothing load(u32, bool) const { return {}; }
  DEVICE C apply(C x, Nothing, int) const { return x * factor; }
};

// Normalized, with aligned alpha and beta.
template <class T>
struct NormalizedVectors {
  using C = compute_t<T>;
  C mean, scale;
  const T *alpha, *beta;

  struct Theirs {
    Packed<T> alpha, beta;
  };
  DEVICE Theirs load(u32 i, bool there) const {
    // -0 is the identity of addition, even for -0.
    return {Packed<T>(alpha + i, there && alpha != nullptr, convert<T>(1.0f)),
            Packed<T>(beta + i, there && beta != nullptr, convert<T>(-0.0f))};
  }
  DEVICE C apply(C x, const Theirs& by, int j) const {
    return (x - mean) * scale * widen(by.alpha.vec().at[j]) + widen(by.beta.vec().at[j]);
  }
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

// The mean and the sum of squared deviations of the row that a team holds.
template <class T, int BYTES>
DEVICE Moments<T> moments_of(Held<T, true, BYTES>& held, u32 n, bool centered, const Team& team) {
  using C = compute_t<T>;
  Moments<T> s = {C(n), C(0), C(0)};
  if (centered) s.mean = math::div(held.sum(team, [](C e) { return e; }), s.count);
  s.squares = held.sum(team, [&](C e) {
    const C distance = e - s.mean;
    return distance * distance;
  });
  return s;
}

// Writes the norm of a row. centered: layer norm, else RMS norm. alpha and beta may be null.
template <class T>
DEVICE void write_norm(Held<T, true>& held, T* dst, const T* alpha, const T* beta, u32 n_cols, bool centered, float eps,
                       const Team& team) {
  const Moments<T> s = moments_of(held, n_cols, centered, team);
  held.write(dst, NormalizedVectors<T>{s.mean, s.scale(compute_t<T>(eps)), alpha, beta});
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

// (x - mean) * scale * alpha + beta with factors per channel, which has `spatial` elements.
template <class T>
struct OfChannels {
  using C = compute_t<T>;
  C mean, scale;
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
    return (x - mean) * by.scale[j] + by.shift[j];
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
DEVICE void row_group_norm(const T* src, T* dst, const T* alpha, const T* beta, u32 n_cols, u32 groups, u32 spatial,
                           double eps, u64 rows) {
  const u32 per_block = block_size_y();
  const Team team(per_block, block_size_x());
  const Divider by_spatial(spatial);
  const u32 channels = by_spatial(n_cols).quotient;
  for_rows(rows, per_block, team, [&](u64 row) {
    const u32 n = row < rows ? n_cols : 0;
    Held<T, true, is_same<T, f64> ? 128 : 256> held(src + row * n, n, team, T{});
    const Moments<T> s = moments_of(held, n_cols, true, team);
    const u64 first = divide(row, groups).remainder * channels;
    held.write(dst + row * n,
               OfChannelVectors<T>{s.mean, s.scale(compute_t<T>(eps)), alpha + first, beta + first, by_spatial});
  });
}

// Row r is group r % groups of a sample, with n_cols = (channels per group) * spatial elements.
template <class T>
DEVICE void group_norm(const T* src, T* dst, const T* alpha, const T* beta, u32 n_cols, u32 groups, u32 spatial,
                       double eps, u64 n_rows, u64 splits, u64 part, void* partial, u32 stage) {
  const Divider by_spatial(spatial);
  const u32 channels = by_spatial(n_cols).quotient;
  split_moments(src, dst, n_cols, true, n_rows, splits, part, partial, stage, [&](const Moments<T>& s, const Part& at) {
    const u64 first = divide(at.row, groups).remainder * channels;
    return OfChannels<T>{s.mean, s.scale(compute_t<T>(eps)), alpha + first, beta + first, at.begin, by_spatial};
  });
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
      row_group_norm_##T(const T* src, T* dst, const T* alpha, const T* beta, const u32 n_cols, const u32 groups,      \
                         const u32 spatial, const f64 eps, const size_t rows) {                                        \
    row_group_norm(src, dst, alpha, beta, n_cols, groups, spatial, eps, rows);                                         \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256) group_norm_##T(const T* src, T* dst, const T* alpha, const T* beta, const u32 n_cols,    \
                                             const u32 groups, const u32 spatial, const f64 eps, const size_t n_rows,  \
                                             const size_t splits, const size_t part, void* partial, const u32 stage) { \
    group_norm(src, dst, alpha, beta, n_cols, groups, spatial, eps, n_rows, splits, part, partial, stage);             \
  }

ROW_KERNELS(f16)
ROW_KERNELS(bf16)
ROW_KERNELS(f32)
ROW_KERNELS(f64)
