// Softmax and norms: mergeable statistics of a row, and the maps that apply them to its elements.
#ifndef CANDLE_ROCM_NORMALIZE_H
#define CANDLE_ROCM_NORMALIZE_H

#include "common/reduce.h"

// -------------------------------------------------------------------------------------------------------------- Softmax

// The largest finite number.
template <class C>
constexpr C largest_of = C(is_same<C, f64> ? 0x1.fffffffffffffp1023 : 0x1.fffffep127f);

// e^x, as accurate as the storage type T requires.
template <class T>
DEVICE compute_t<T> exponential(compute_t<T> x) {
  if constexpr (is_small_float<T>) {
    return math::fast_exp(x);
  } else {
    return math::exp(x);
  }
}

// The maximum, and the sum of e^(x - max), computed online (Milakov and Gimelshein, "Online normalizer calculation for
// softmax", 2018). As on candle's CPU backend, a row that contains NaN or +infinity, or only -infinity, becomes NaN.
template <class T>
struct Softmax {
  using C = compute_t<T>;
  C max, sum;

  // The maximum is finite, so that subtracting it from -infinity does not yield NaN.
  static DEVICE Softmax nothing() { return {-largest_of<C>, C(0)}; }

  DEVICE void add(T element) {
    const C x = widen(element);
    const bool larger = x > max;
    const C e = exponential<T>(-math::fabs(x - max));
    sum = larger ? sum * e + C(1) : sum + e;
    max = larger ? x : max;
  }

  template <int U, int W>
  DEVICE void add(const Vec<T, W> (&x)[U], u32 count) {
    C larger = max;
    UNROLLED
    for (int u = 0; u < U; u++) {
      UNROLLED
      for (int j = 0; j < W; j++) {
        const C e = widen(x[u].at[j]);
        larger = u < int(count) && e > larger ? e : larger;
      }
    }
    C sums[SLOTS] = {sum * exponential<T>(max - larger)};
    UNROLLED
    for (int u = 0; u < U; u++) {
      if (u >= int(count)) continue;
      UNROLLED
      for (int j = 0; j < W; j++) sums[j % SLOTS] += exponential<T>(widen(x[u].at[j]) - larger);
    }
    max = larger;
    sum = sums[0];
    UNROLLED
    for (int k = 1; k < SLOTS; k++) sum += sums[k];
  }

  // Merges the states of the team's threads.
  DEVICE Softmax joined(const Team& team) const {
    const C largest = team_merge<Extreme<C, true>>(max, team);
    return {largest, team_merge<Sum<C>>(sum * exponential<T>(max - largest), team)};
  }

  // Of p[0..n], by the team, with U vectors per thread in flight.
  template <int U = is_same<T, f64> ? 2 : 4>
  static DEVICE Softmax of(const T* p, u64 n, const Team& team) {
    Softmax s = nothing();
    for_vectors<U>(
        p, n, team.rank, team.size, [&](const Vec<T, WIDTH<T>>(&x)[U], u32 count, u64) { s.add(x, count); },
        [&](T x, u64) { s.add(x); });
    return s.joined(team);
  }

  // Merges `count` partial states.
  static DEVICE Softmax of(const Softmax* parts, u64 count, const Team& team) {
    Softmax s = nothing();
    for (u64 k = team.rank; k < count; k += team.size) s.max = max_of(s.max, parts[k].max);
    for (u64 k = team.rank; k < count; k += team.size) s.sum += parts[k].sum * exponential<T>(parts[k].max - s.max);
    return s.joined(team);
  }
};

template <class T>
struct SoftmaxOf {
  using C = compute_t<T>;
  C max, scale;

  // If max is +infinity, scale is NaN.
  DEVICE explicit SoftmaxOf(Softmax<T> s) : max(s.max), scale(math::div(C(1), s.sum) + (s.max - s.max)) {}
  template <int W>
  DEVICE Nothing load(u32) const {
    return {};
  }
  DEVICE C apply(C x, Nothing, int) const { return exponential<T>(x - max) * scale; }
};

// ---------------------------------------------------------------------------------------------------------------- Norms

// The number of elements, their mean (0 for RMS norms), and the sum of squared deviations from it, merged as in Chan, Golub
// and LeVeque's "Updating formulae and a pairwise algorithm for computing sample variances" (1979). Unlike the difference
// of the mean of squares and the square of the mean, this does not cancel when the mean is large.
template <class T>
struct Moments {
  using C = compute_t<T>;
  C count, mean, squares;

  template <int U, int W>
  DEVICE void add(const Vec<T, W> (&x)[U], u32 vectors, bool centered) {
    C theirs = C(0), sum = C(0), distances = C(0);
    const C number = C(vectors * W);
    if (centered) {
      UNROLLED
      for (int u = 0; u < U; u++) {
        if (u >= int(vectors)) continue;
        UNROLLED
        for (int j = 0; j < W; j++) sum += widen(x[u].at[j]);
      }
      theirs = math::div(sum, number);
    }
    UNROLLED
    for (int u = 0; u < U; u++) {
      if (u >= int(vectors)) continue;
      UNROLLED
      for (int j = 0; j < W; j++) {
        const C distance = widen(x[u].at[j]) - theirs;
        distances += distance * distance;
      }
    }
    add(number, theirs, distances);
  }

  DEVICE void add(C number, C theirs, C distances) {
    count += number;
    const C distance = theirs - mean, part = math::div(number, count);
    squares += distances + distance * ((count - number) * part) * distance;  // in this order, 0 stays 0
    mean += distance * part;
  }

  // Merges the states of the team's threads, of n elements in all.
  DEVICE Moments joined(C n, const Team& team) const {
    const C all = math::div(team_merge<Sum<C>>(count * mean, team), n), distance = mean - all;
    return {n, all, team_merge<Sum<C>>(squares + distance * count * distance, team)};
  }

  // Of p[0..n], by the team, with U vectors per thread in flight.
  template <int U = is_same<T, f64> ? 2 : 4>
  static DEVICE Moments of(const T* p, u64 n, bool centered, const Team& team) {
    Moments s = {C(0), C(0), C(0)};
    for_vectors<U>(
        p, n, team.rank, team.size,
        [&](const Vec<T, WIDTH<T>>(&x)[U], u32 vectors, u64) { s.add(x, vectors, centered); },
        [&](T x, u64) {
          const C e = widen(x);
          s.add(C(1), centered ? e : C(0), centered ? C(0) : e * e);
        });
    return s.joined(C(n), team);
  }

  // Merges `parts` partial states, of n elements in all.
  static DEVICE Moments of(const Moments* states, u64 parts, C n, const Team& team) {
    Moments s = {C(0), C(0), C(0)};
    for (u64 k = team.rank; k < parts; k += team.size) s.add(states[k].count, states[k].mean, states[k].squares);
    return s.joined(n, team);
  }

  // 1 / sqrt(variance + eps).
  DEVICE C scale(C eps) const {
    const C deviation = math::sqrt(math::div(squares, count) + eps);
    // recip requires finite numbers. recip(0) is NaN, and so is 0 / 0, the result of a constant row without epsilon.
    return deviation > largest_of<C> ? C(0) : math::recip(deviation);
  }
};

// (x - mean) * scale * alpha + beta. A null alpha stands for 1, a null beta for 0.
template <class T>
struct Normalized {
  using C = compute_t<T>;
  C mean, scale;
  const T *alpha, *beta;

  DEVICE Normalized(const Moments<T>& s, const T* a, const T* b, C eps)
      : mean(s.mean), scale(s.scale(eps)), alpha(a), beta(b) {}

  template <int W>
  struct Factors {
    Vec<T, W> alpha, beta;
  };
  template <int W>
  DEVICE Factors<W> load(u32 i) const {
    return {load_or<W>(alpha, i, convert<T>(1.0f)), load_or<W>(beta, i, T{})};
  }
  template <class Factors>
  DEVICE C apply(C x, const Factors& by, int j) const {
    const C scaled = (x - mean) * scale * widen(by.alpha.at[j]);
    return beta == nullptr ? scaled : scaled + widen(by.beta.at[j]);  // -0 + 0 would be +0
  }
};

#endif  // CANDLE_ROCM_NORMALIZE_H
