// Rows in the registers of a team of threads, and their norms: memory is read once.
#ifndef CANDLE_ROCM_HELD_NORM_H
#define CANDLE_ROCM_HELD_NORM_H

#include "common/normalize.h"

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

struct Unchanged {
  template <class V>
  DEVICE void operator()(V&) const {}
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

  // The row p + q, each element rounded to T, as badd_* has it; it is written to `sum`, unless that is null.
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
        if (sum != nullptr && there(v)) store_vec(sum + first + v * hop, both);
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
  // they are there; map.apply(x, theirs, j) computes element j. then(y) may change W results, rounded to T, before they are written.
  template <class Map, class Then = Unchanged>
  DEVICE void write(T* out, const Map& map, const Then& then = {}) const {
    // Compilers would keep what addresses have in common with those that were loaded from in registers.
    const u32 start = opaque(first);
    write_at(out, start, map, [&](int v) { return map.load(start + v * hop, there(v)); }, then);
  }

  // The further operands of all vectors, for `write_loaded`: ahead of what takes its time.
  template <class Map>
  struct Loaded {
    typename Map::Theirs of[VECTORS];
  };
  template <class Map>
  DEVICE Loaded<Map> load(const Map& map) const {
    Loaded<Map> loaded;
    UNROLLED
    for (int v = 0; v < VECTORS; v++) loaded.of[v] = map.load(first + v * hop, there(v));
    return loaded;
  }
  template <class Map>
  DEVICE void write_loaded(T* out, const Map& map, const Loaded<Map>& loaded) const {
    write_at(out, opaque(first), map, [&](int v) { return loaded.of[v]; }, Unchanged{});
  }

 private:
  template <class Map, class Load, class Then>
  DEVICE void write_at(T* out, u32 start, const Map& map, const Load& load, const Then& then) const {
    each_together([&](int group) {
      typename Map::Theirs theirs[TOGETHER];
      UNROLLED
      for (int k = 0; k < TOGETHER; k++) theirs[k] = load(group + k);
      UNROLLED
      for (int k = 0; k < TOGETHER; k++) {
        Vec<T, W> y;
        UNROLLED
        for (int j = 0; j < W; j++) y.at[j] = convert<T>(map.apply(at(group + k, j), theirs[k], j));
        then(y);
        if (there(group + k)) store_vec(out + start + (group + k) * hop, y);
      }
    });
  }
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

// Writes the norm of a row, whose alpha and beta are loaded while it is measured. centered: layer norm, else RMS norm. alpha and beta
// may be null.
template <class T>
DEVICE void write_norm_at_once(Held<T, true>& held, T* dst, const T* alpha, const T* beta, u32 n_cols, bool centered,
                               float eps, const Team& team) {
  using Map = NormalizedVectors<T>;
  const auto loaded = held.load(Map{0, 0, alpha, beta});
  const Moments<T> s = moments_of(held, n_cols, centered, team);
  held.write_loaded(dst, Map{s.mean, s.scale(compute_t<T>(eps)), alpha, beta}, loaded);
}

// The same with fewer registers, for kernels that are bound by memory.
template <class T>
DEVICE void write_norm(Held<T, true>& held, T* dst, const T* alpha, const T* beta, u32 n_cols, bool centered, float eps,
                       const Team& team) {
  const Moments<T> s = moments_of(held, n_cols, centered, team);
  held.write(dst, NormalizedVectors<T>{s.mean, s.scale(compute_t<T>(eps)), alpha, beta});
}

#endif  // CANDLE_ROCM_HELD_NORM_H
