// Softmax and norms as the library launches them; candle's own, which take any row, are in reduce.hip.
//
//   row_softmax_<type> row_norm_<type>      rows that the threads of a team hold in their registers: memory is read once
//   split_softmax_<type> split_norm_<type>  few long rows, spread over the card in two launches
//   group_norm_<type>                       in two launches, too
//
// Half types are calculated in f32 and rounded once.
#include "common/index.h"
#include "common/normalize.h"

// -------------------------------------------------------------------------------------------------------- In registers

// A vector, kept as words: where elements may or may not be loaded, compilers would keep small ones in a register each.
template <class T>
struct Packed {
  static constexpr int W = VECTOR_BYTES / sizeof(T);
  typename Word<VECTOR_BYTES>::type word;

  Packed() = default;
  DEVICE Packed(const T* p, bool there, T otherwise) : word(bit_cast<Word<VECTOR_BYTES>::type>(splat<W>(otherwise))) {
    if (there) word = load_word<VECTOR_BYTES, alignof(T)>(p);
  }
  DEVICE Vec<T, W> vec() const { return bit_cast<Vec<T, W>>(word); }
};

// A row of n elements from p on, in vectors: element j of vector v of this thread is x[v][j]. Thread `rank` has the vectors
// rank, rank + size ... Rows are aligned, consist of whole vectors, and of at most size * VECTORS of them. What lies beyond
// the end is `beyond`: branches would keep the elements of different vectors from being calculated at the same time.
// PACKED: elements stay as they are, which for half types leaves registers for more blocks, and each use widens them.
template <class T, bool PACKED>
struct Held {
  using C = compute_t<T>;
  static constexpr int W = VECTOR_BYTES / sizeof(T), VECTORS = int(128 / sizeof(C)) / W, TOGETHER = 4;
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

  DEVICE C at(int v, int j) const {
    if constexpr (PACKED) {
      return widen(packed[v].vec().at[j]);
    } else {
      return x[v][j];
    }
  }

  DEVICE bool there(int v) const { return first + v * hop < n; }

  // f(v) for vectors, some together. Where all are beyond the row, none.
  template <class F>
  DEVICE void each_together(const F& f) const {
    UNROLLED
    for (int group = 0; group < VECTORS; group += TOGETHER) {
      if (group * hop >= n) continue;
      f(group);
    }
  }

  // f(element, v, j) for all, if not PACKED.
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

  // Writes what `map` makes of the elements. map.load(i, there): what belongs to the W elements from place i on, if they
  // are there; map.apply(x, theirs, j): the result for element j of them.
  template <class Map>
  DEVICE void write(T* out, const Map& map) const {
    each_together([&](int group) {
      typename Map::Theirs theirs[TOGETHER];
      UNROLLED
      for (int k = 0; k < TOGETHER; k++) theirs[k] = map.load(first + (group + k) * hop, there(group + k));
      UNROLLED
      for (int k = 0; k < TOGETHER; k++) {
        Vec<T, W> y;
        UNROLLED
        for (int j = 0; j < W; j++) y.at[j] = convert<T>(map.apply(at(group + k, j), theirs[k], j));
        if (there(group + k)) store_vec(out + first + (group + k) * hop, y);
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

// As Normalised, with alpha and beta aligned.
template <class T>
struct NormalisedVectors {
  using C = compute_t<T>;
  C mean, scale;
  const T *alpha, *beta;

  struct Theirs {
    Packed<T> alpha, beta;
  };
  DEVICE Theirs load(u32 i, bool there) const {
    // -0 is what changes no number when it is added, not even -0.
    return {Packed<T>(alpha + i, there && alpha != nullptr, convert<T>(1.0f)),
            Packed<T>(beta + i, there && beta != nullptr, convert<T>(-0.0f))};
  }
  DEVICE C apply(C x, const Theirs& by, int j) const {
    return (x - mean) * scale * widen(by.alpha.vec().at[j]) + widen(by.beta.vec().at[j]);
  }
};

// Launch: blockDim.x threads per row, blockDim.y rows per block: a wave or less per row (a power of two), or one row.
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

// centred: layer norm, else RMS norm. alpha and beta may be null. Launch: as row_softmax_*.
template <class T>
DEVICE void row_norm(const T* src, T* dst, const T* alpha, const T* beta, u64 rows, u32 n_cols, bool centred,
                     float eps) {
  using C = compute_t<T>;
  const u32 per_block = block_size_y();
  const Team team(per_block, block_size_x());
  for_rows(rows, per_block, team, [&](u64 row) {
    const u32 n = row < rows ? n_cols : 0;
    Held<T, true> held(src + row * n, n, team, T{});
    Moments<T> s = {C(n_cols), C(0), C(0)};
    if (centred) s.mean = math::div(held.sum(team, [](C e) { return e; }), s.count);
    s.squares = held.sum(team, [&](C e) {
      const C distance = e - s.mean;
      return distance * distance;
    });
    held.write(dst + row * n, NormalisedVectors<T>{s.mean, s.scale(C(eps)), alpha, beta});
  });
}

// -------------------------------------------------------------------------------------------------------------- In parts

// n_rows rows, each cut into `splits` parts of `part` elements, in two launches. stage 0: partial[r * splits + k] is the
// state of part k of row r. stage 1: parts are written. partial: 16 bytes for each of softmax, 24 of norms. Launch: any
// number of blocks of one dimension, best one for each part.
struct Part {
  u64 row, from, state;  // the row, where the part begins in the tensor, the row's first state
  u32 begin, n;          // where it begins in the row, its length
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

// Both stages of a norm; map(row's moments, part): what becomes of its elements.
template <class T, class Map>
DEVICE void split_moments(const T* src, T* dst, u32 n_cols, bool centred, u64 n_rows, u64 splits, u64 part,
                          void* partial, u32 stage, const Map& map) {
  using C = compute_t<T>;
  static_assert(sizeof(Moments<T>) <= 24, "launchers reserve 24 bytes");
  const Team team(1, block_size_x());
  Moments<T>* const states = static_cast<Moments<T>*>(partial);
  for_parts(n_rows, n_cols, splits, part, team, [&](u64 unit, const Part& at) {
    if (stage == 0) {
      const Moments<T> s = Moments<T>::of(src + at.from, at.n, centred, team);
      if (team.rank == 0) states[unit] = s;
    } else {
      const Moments<T> s = Moments<T>::of(states + at.state, splits, C(n_cols), team);
      map_share(src + at.from, dst + at.from, at.n, team.rank, team.size, map(s, at));
    }
  });
}

template <class T>
DEVICE void split_norm(const T* src, T* dst, const T* alpha, const T* beta, u32 n_cols, bool centred, float eps,
                       u64 n_rows, u64 splits, u64 part, void* partial, u32 stage) {
  split_moments(src, dst, n_cols, centred, n_rows, splits, part, partial, stage,
                [&](const Moments<T>& s, const Part& at) {
                  return Normalised<T>(s, alpha == nullptr ? alpha : alpha + at.begin,
                                       beta == nullptr ? beta : beta + at.begin, compute_t<T>(eps));
                });
}

// ----------------------------------------------------------------------------------------------------------- Group norm

// (x - mean) * scale * alpha + beta with factors for each channel, of `spatial` elements.
template <class T>
struct OfChannels {
  using C = compute_t<T>;
  C mean, scale;
  const T *alpha, *beta;  // of the row's first channel
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

// A row is a group of a sample's channels: n_cols = (channels of a group) * spatial elements; row r is group r % groups.
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

// So many blocks at once, of which some load while others calculate; left alone, compilers take more registers than these
// need.
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
                   const u32 centred, const f32 eps) {                                                                 \
    row_norm(src, dst, alpha, beta, rows, n_cols, centred != 0, eps);                                                  \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256)                                                                                          \
      split_softmax_##T(const T* src, T* dst, const u32 n_cols, const size_t n_rows, const size_t splits,              \
                        const size_t part, void* partial, const u32 stage) {                                           \
    split_softmax(src, dst, n_cols, n_rows, splits, part, partial, stage);                                             \
  }                                                                                                                    \
  KERNEL THREADS_AT_MOST(256) split_norm_##T(const T* src, T* dst, const T* alpha, const T* beta, const u32 n_cols,    \
                                             const u32 centred, const f32 eps, const size_t n_rows,                    \
                                             const size_t splits, const size_t part, void* partial, const u32 stage) { \
    split_norm(src, dst, alpha, beta, n_cols, centred != 0, eps, n_rows, splits, part, partial, stage);                \
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
