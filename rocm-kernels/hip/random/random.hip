// Random numbers: rand_uniform_T and rand_normal_T for f16, bf16, f32 and f64, and the raw generator, philox_u32. candle has no
// counterpart: its CUDA backend calls cuRAND.
//
//   rand_uniform_T(numel, seed, offset, T lo, T up, out)      uniform in [lo, up); lo, up and up - lo finite, lo <= up
//   rand_normal_T(numel, seed, offset, T mean, T std, out)
//   philox_u32(numel, seed, offset, stream, out)              u64 seed, offset, stream everywhere
//
// Launch: any grid of 1-D blocks, ideally 256 threads and 4 elements per thread. Element i only depends on the arguments and
// on i, and is bit-identical on every platform, for every grid and wavefront size. Only operations that IEEE 754 defines are
// used (+ - * / sqrt fma, conversions), each rounded to nearest even; only fma is fused. The full definition, which a test
// implements independently:
//
// Generator. Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011). Block b has the counter
//   (low 32 bits of b, high 32 bits of b, low 32 bits of stream, high 32 bits of stream) and the key (low, high 32 bits
//   of seed) and yields the words w0 w1 w2 w3. Output group g uses block b = offset + g (mod 2^64); stream is 0 except for
//   philox_u32. A group is 4 elements (2 of f64). numel elements thus consume ceil(numel / 4) counters (ceil(numel / 2) of
//   f64), by which the next call's offset is advanced.
// philox_u32. Element 4g + k is word wk of group g.
// Uniform.
//   f32, f16, bf16: element 4g + k: u = (wk >> 8) * 2^-24; x = T(fma(u, up - lo, lo)), in f32, then rounded to T.
//   f64: element 2g + k: v = w(2k) + 2^32 w(2k+1); u = (v >> 11) * 2^-53; x = fma(u, up - lo, lo).
//   Rounding may yield up: if lo < up and x >= up, x is the largest number of type T below up.
// Normal (Box-Muller transform). A pair of integers p, q yields z0 = r * c and z1 = r * s with r = sqrt(-2 * ln(u)),
//   (s, c) = sin and cos of t turns.
//   f32, f16, bf16: elements 4g + 2k and 4g + 2k + 1 are z0 and z1 of p = w(2k), q = w(2k+1):
//     u = fma(f32(p), 2^-32, 2^-33), t = (q >> 8) * 2^-24. Computed in f32.
//   f64: elements 2g and 2g + 1 are z0 and z1 of p = w0 + 2^32 w1, q = w2 + 2^32 w3:
//     u = fma(f64(p), 2^-64, 2^-65), t = (q >> 11) * 2^-53.
//   The result is T(fma(z, std, mean)).
// ln(u), for u > 0 and normal. e = (bits(u) - bits(sqrt 1/2)) >> (23 or 52), as signed integers, bits(sqrt 1/2) being
//   0x3f3504f3 or 0x3fe6a09e667f3bcd; m = u * 2^-e; s = (m - 1) / (m + 1); z = s * s;
//   p = H(z; 1/3, 1/5, ..., 1/9 or 1/19); ln(u) = fma(e, ln 2, fma(2s * z, p, 2s)).
// sin and cos of t turns, 0 <= t < 1. n = rint(4t); a = (t - n/4) * 2pi; z = a * a;
//   s = fma(a * z, H(z; -1/3!, 1/5!, ..., 1/9! or 1/17!), a); c = fma(z, H(z; -1/2!, 1/4!, ..., -1/10! or 1/16!), 1);
//   by n mod 4: (s, c), (c, -s), (-s, -c), (-c, s).
// H(z; c0, c1, ..., cn) is fma(... fma(fma(cn, z, cn-1), z, cn-2) ..., z, c0). All constants are computed in f64, and rounded
//   to f32 for the f32 variants.
#include "common/fast_math.h"
#include "common/vec.h"

namespace philox {

struct Words {
  u32 at[4];
};

DEVICE Words block(u64 seed, u64 counter, u64 stream) {
  u32 c0 = u32(counter), c1 = u32(counter >> 32), c2 = u32(stream), c3 = u32(stream >> 32);
  u32 k0 = u32(seed), k1 = u32(seed >> 32);
  UNROLLED
  for (int round = 0; round < 10; round++) {
    // Products of 64 bits: both halves come from one instruction, which takes as long as either would.
    const u64 product0 = u64(0xd2511f53u) * c0, product1 = u64(0xcd9e8d57u) * c2;
    c0 = u32(product1 >> 32) ^ c1 ^ k0, c1 = u32(product1);
    c2 = u32(product0 >> 32) ^ c3 ^ k1, c3 = u32(product0);
    k0 += 0x9e3779b9u, k1 += 0xbb67ae85u;
  }
  return {{c0, c1, c2, c3}};
}

DEVICE u64 join(u32 low, u32 high) { return u64(high) << 32 | low; }

// What differs between f32 and f64.
template <class F>
struct Real;
template <>
struct Real<float> {
  static constexpr int PER_GROUP = 4;
  // The k-th random integer of a block, and its images in [0, 1) and in (0, 1].
  static DEVICE u32 integer(const Words& w, int k) { return w.at[k]; }
  static DEVICE float unit(u32 v) { return float(v >> 8) * 0x1p-24f; }
  static DEVICE float positive_unit(u32 v) { return math::fma(float(v), 0x1p-32f, 0x1p-33f); }
  static constexpr u32 SQRT_HALF = 0x3f3504f3;
  static constexpr int MANTISSA_BITS = 23;
  using Bits = u32;
  using Signed = i32;
};
template <>
struct Real<double> {
  static constexpr int PER_GROUP = 2;
  static DEVICE u64 integer(const Words& w, int k) { return join(w.at[2 * k], w.at[2 * k + 1]); }
  static DEVICE double unit(u64 v) { return double(v >> 11) * 0x1p-53; }
  static DEVICE double positive_unit(u64 v) { return math::fma(double(v), 0x1p-64, 0x1p-65); }
  static constexpr u64 SQRT_HALF = 0x3fe6a09e667f3bcd;
  static constexpr int MANTISSA_BITS = 52;
  using Bits = u64;
  using Signed = i64;
};

template <class F>
DEVICE F horner(F, double c) {
  return F(c);
}
template <class F, class... Rest>
DEVICE F horner(F z, double c, Rest... rest) {
  return math::fma(horner(z, rest...), z, F(c));
}

DEVICE float ln_series(float z) { return horner(z, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9); }
DEVICE double ln_series(double z) {
  return horner(z, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19);
}
DEVICE float sin_series(float z) { return horner(z, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880); }
DEVICE double sin_series(double z) {
  return horner(z, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0,
                -1.0 / 1307674368000.0, 1.0 / 355687428096000.0);
}
DEVICE float cos_series(float z) { return horner(z, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800); }
DEVICE double cos_series(double z) {
  return horner(z, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600.0, -1.0 / 87178291200.0,
                1.0 / 20922789888000.0);
}

template <class F>
DEVICE F ln(F u) {
  using R = Real<F>;
  using Bits = typename R::Bits;
  const Bits bits = bit_cast<Bits>(u);
  const auto e = typename R::Signed(bits - R::SQRT_HALF) >> R::MANTISSA_BITS;
  const F m = bit_cast<F>(bits - (Bits(e) << R::MANTISSA_BITS));
  const F s = math::plain_div(m - F(1), m + F(1));
  const F z = math::mul(s, s), twice = s + s;
  return math::fma(F(e), F(0.6931471805599453), math::fma(math::mul(twice, z), ln_series(z), twice));
}

template <class F>
struct SinCos {
  F sin, cos;
};

template <class F>
DEVICE SinCos<F> sin_cos_of_turns(F t) {
  const F n = math::rint(F(4) * t);
  const F a = math::mul(math::fma(n, F(-0.25), t), F(6.283185307179586));
  const F z = math::mul(a, a);
  const F s = math::fma(math::mul(a, z), sin_series(z), a);
  const F c = math::fma(z, cos_series(z), F(1));
  const u32 quarter = u32(n) & 3;
  const F x = quarter & 1 ? c : s, y = quarter & 1 ? s : c;
  return {quarter & 2 ? -x : x, quarter == 1 || quarter == 2 ? -y : y};
}

template <class F>
struct Pair {
  F first, second;
};

template <class F, class Integer>
DEVICE Pair<F> normals(Integer p, Integer q) {
  const F r = math::plain_sqrt(F(-2) * ln(Real<F>::positive_unit(p)));
  const SinCos<F> angle = sin_cos_of_turns(Real<F>::unit(q));
  return {math::mul(r, angle.cos), math::mul(r, angle.sin)};
}

// The largest number below x, which is finite.
template <class T, class Bits>
DEVICE T below(T x) {
  const Bits sign = Bits(1) << (sizeof(Bits) * 8 - 1);
  const Bits bits = bit_cast<Bits>(x);
  if ((bits & Bits(~sign)) == 0) return bit_cast<T>(Bits(sign | 1));
  return bit_cast<T>(Bits(bits & sign ? bits + 1 : bits - 1));
}

// ---------------------------------------------------------------------------------------------------- Distributions

// Each computes a group of elements from the words of a block.

template <class T>
struct Uniform {
  using Element = T;
  using F = compute_t<T>;
  static constexpr int PER_GROUP = Real<F>::PER_GROUP;
  T lo, up;

  DEVICE Vec<T, PER_GROUP> operator()(const Words& words) const {
    const F low = widen(lo), high = widen(up);
    Vec<T, PER_GROUP> group;
    UNROLLED
    for (int k = 0; k < PER_GROUP; k++) {
      const F u = Real<F>::unit(Real<F>::integer(words, k));
      const T x = convert<T>(math::fma(u, high - low, low));
      group.at[k] = low < high && widen(x) >= high ? below<T, typename ::Word<sizeof(T)>::type>(up) : x;
    }
    return group;
  }
};

template <class T>
struct Normal {
  using Element = T;
  using F = compute_t<T>;
  static constexpr int PER_GROUP = Real<F>::PER_GROUP;
  T mean, std;

  DEVICE Vec<T, PER_GROUP> operator()(const Words& words) const {
    Vec<T, PER_GROUP> group;
    UNROLLED
    for (int k = 0; k < PER_GROUP; k += 2) {
      const Pair<F> z = normals<F>(Real<F>::integer(words, k), Real<F>::integer(words, k + 1));
      group.at[k] = convert<T>(math::fma(z.first, widen(std), widen(mean)));
      group.at[k + 1] = convert<T>(math::fma(z.second, widen(std), widen(mean)));
    }
    return group;
  }
};

struct Raw {
  using Element = u32;
  static constexpr int PER_GROUP = 4;
  DEVICE Vec<u32, 4> operator()(const Words& w) const { return {{w.at[0], w.at[1], w.at[2], w.at[3]}}; }
};

template <class Distribution>
struct Groups {
  using T = typename Distribution::Element;
  static constexpr int N = Distribution::PER_GROUP;
  using Item = Vec<T, N>;

  Distribution distribution;
  u64 numel, seed, offset, stream;
  T* out;
  bool vectors;

  DEVICE Item load(u64 tile, u32 i) const { return distribution(block(seed, offset + tile + i, stream)); }
  DEVICE void store(u64 tile, u32 i, const Item& group) const {
    const u64 first = (tile + i) * N;
    if (vectors && first + N <= numel) {
      store_vec(out + first, group);
    } else {
      UNROLLED
      for (int k = 0; k < N; k++) {
        if (first + k < numel) out[first + k] = group.at[k];
      }
    }
  }
};

template <class Distribution>
DEVICE void fill(Distribution distribution, u64 numel, u64 seed, u64 offset, u64 stream,
                 typename Distribution::Element* out) {
  constexpr int N = Distribution::PER_GROUP;
  const bool vectors = UNALIGNED_VECTORS || is_aligned(out, sizeof(*out) * N);
  for_each<1>((numel + N - 1) / N, Groups<Distribution>{distribution, numel, seed, offset, stream, out, vectors});
}

}  // namespace philox

#define RANDOM(T)                                                                                                      \
  KERNEL rand_uniform_##T(const size_t numel, const u64 seed, const u64 offset, const T lo, const T up, T* out) {      \
    philox::fill(philox::Uniform<T>{lo, up}, numel, seed, offset, 0, out);                                             \
  }                                                                                                                    \
  KERNEL rand_normal_##T(const size_t numel, const u64 seed, const u64 offset, const T mean, const T std, T* out) {    \
    philox::fill(philox::Normal<T>{mean, std}, numel, seed, offset, 0, out);                                           \
  }

RANDOM(f16)
RANDOM(bf16)
RANDOM(f32)
RANDOM(f64)

KERNEL philox_u32(const size_t numel, const u64 seed, const u64 offset, const u64 stream, u32* out) {
  philox::fill(philox::Raw{}, numel, seed, offset, stream, out);
}
