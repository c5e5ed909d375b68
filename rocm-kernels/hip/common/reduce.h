// Row reductions: teams of threads that share a row, and the operations they apply.
//
// A row is reduced to one result. It has `row_len` consecutive elements in the index order of `info`, whose last dimensions
// are the reduced ones.
#ifndef CANDLE_ROCM_REDUCE_H
#define CANDLE_ROCM_REDUCE_H

#include "common/accumulator.h"
#include "common/divide.h"
#include "common/platform.h"
#include "common/vec.h"
#include "common/wave.h"

// ---------------------------------------------------------------------------------------------------------------- Teams

// The threads of a block that share a row. A block of `rows` times `threads` threads has `rows` teams of `threads` threads if
// a team fits in a wavefront. Otherwise, the block is a single team that processes its rows one by one. Any block shape is
// valid.
struct Team {
  u32 size, rank;    // number of threads, and the index of this one
  u32 index, count;  // index of this team, and number of teams in the block

  DEVICE Team(u32 rows, u32 threads) {
    const u32 id = thread_x() + block_size_x() * (thread_y() + block_size_y() * thread_z());
    const bool parts = rows > 1 && threads <= WAVE && (threads & (threads - 1)) == 0;
    size = parts ? threads : rows * threads;
    rank = parts ? id & (threads - 1) : id;
    index = parts ? id / threads : 0;
    count = parts ? rows : 1;
  }
};

// Calls body(row) for all rows, on any grid, with `per_block` rows per block. All threads of a block make the same number of
// calls, because team_merge has barriers; the body ignores rows from `rows` on.
template <class Body>
DEVICE void for_rows(u64 rows, u32 per_block, const Team& team, const Body& body) {
  const u64 step = u64(grid_size_x()) * per_block;
  for (u64 base = u64(block_x()) * per_block; base < rows; base += step) {
    for (u32 k = 0; k < per_block; k += team.count) body(base + k + team.index);
  }
}

// Merges the states of all threads of the team; every thread gets the same result, bit for bit.
// R: `State`, `State merge(State, State)`, which is commutative, and `State of_lane(State, u32 lane)`.
template <class R>
DEVICE typename R::State team_merge(typename R::State state, const Team& team) {
  const u32 lane = lane_id();
  if (team.size <= WAVE && (team.size & (team.size - 1)) == 0) {
    for (u32 mask = team.size / 2; mask > 0; mask /= 2) state = R::merge(state, R::of_lane(state, lane ^ mask));
    return state;
  }
  // The team is the block. Its last wavefront may be partial; lane 0 of each wavefront collects the active lanes.
  const u32 wave = team.rank / WAVE, waves = (team.size + WAVE - 1) / WAVE;
  const u32 lanes = min_of(u32(WAVE), team.size - wave * WAVE);
  for (u32 delta = WAVE / 2; delta > 0; delta /= 2) {
    const u32 other = lane + delta;
    const typename R::State theirs = R::of_lane(state, other < lanes ? other : lane);
    if (other < lanes) state = R::merge(state, theirs);
  }
  __shared__ typename R::State of_wave[1024 / WAVE];
  if (lane == 0) of_wave[wave] = state;
  sync_threads();
  state = of_wave[0];
  for (u32 w = 1; w < waves; w++) state = R::merge(state, of_wave[w]);
  sync_threads();  // before of_wave is used again
  return state;
}

// ---------------------------------------------------------------------------------------------------------- Reductions

// A type that lanes can exchange: small integers widen to i32, floats to their compute type.
template <class T>
struct Wide {
  using C = compute_t<T>;
  using type = typename Either<is_float<C> || sizeof(T) >= 4, C, i32>::type;
};

template <class T>
struct Sum {
  using State = typename SumOf<T>::type;
  static DEVICE State identity() { return State(0); }
  static DEVICE void add(State& s, T x, u64) { s += State(widen(x)); }
  static DEVICE State merge(State a, State b) { return a + b; }
  static DEVICE State of_lane(State s, u32 lane) { return wave_shuffle(s, lane); }
  // The result of a row whose first element is `first`.
  static DEVICE T result(State s, T) { return convert<T>(s); }
};

template <class C>
DEVICE bool is_nan(C x) {
  return x != x;
}

// The identity of max (MAX) or min.
template <class C, bool MAX>
DEVICE C identity_of_extreme() {
  if constexpr (is_float<C>) {
    const C infinity = C(bit_cast<float>(0x7f800000u));
    return MAX ? -infinity : infinity;
  } else {
    return MAX ? Limits<C>::lowest : Limits<C>::highest;
  }
}

// The largest (MAX) or smallest element. As on candle's CPU backend, which replaces the first element by later ones that
// compare as better, a NaN in first position is the result, and any other NaN is ignored. Between zeros of different sign,
// either may be the result.
template <class T, bool MAX>
struct Extreme {
  using State = typename Wide<T>::type;
  static DEVICE State identity() { return identity_of_extreme<State, MAX>(); }
  static DEVICE bool better(State a, State b) { return MAX ? a > b : a < b; }
  static DEVICE void add(State& s, T x, u64) { s = merge(s, State(widen(x))); }
  static DEVICE State merge(State a, State b) { return better(b, a) ? b : a; }
  static DEVICE State of_lane(State s, u32 lane) { return wave_shuffle(s, lane); }
  static DEVICE T result(State s, T first) { return is_nan(widen(first)) ? first : convert<T>(s); }
};

// The index of the largest (MAX) or smallest element, the first among equals. Zeros of either sign are equal. A NaN in
// first position yields 0.
template <class T, bool MAX>
struct ArgExtreme {
  using Value = typename Wide<T>::type;
  struct State {
    Value value;
    u32 index;
  };
  // No index yet. It stays so if no element is better than the identity; the result is then 0.
  static DEVICE State identity() { return {identity_of_extreme<Value, MAX>(), 0xffffffffu}; }
  // Elements are added in index order.
  static DEVICE void add(State& s, T x, u64 i) {
    const Value value = Value(widen(x));
    const bool take = MAX ? value > s.value : value < s.value;
    s.value = take ? value : s.value, s.index = take ? u32(i) : s.index;
  }
  static DEVICE State merge(State a, State b) {
    const bool take = (MAX ? b.value > a.value : b.value < a.value) || (b.value == a.value && b.index < a.index);
    return {take ? b.value : a.value, take ? b.index : a.index};
  }
  static DEVICE State of_lane(State s, u32 lane) { return {wave_shuffle(s.value, lane), wave_shuffle(s.index, lane)}; }
  static DEVICE u32 result(State s, T first) { return is_nan(widen(first)) || s.index == 0xffffffffu ? 0 : s.index; }
};

// ---------------------------------------------------------------------------------------------------------------- Rows

// Elements per vector of a contiguous row; U vectors are in flight.
template <class T>
constexpr int WIDTH = sizeof(T) == 1 ? 8 : VECTOR_BYTES / int(sizeof(T));

// Visits this thread's share of p[0..n] in index order: all(x, count, index) for the first `count` of U vectors, which lie
// size * WIDTH elements apart, and one(element, index) for elements of the unaligned head and tail.
template <int U, class T, class All, class One>
DEVICE void for_vectors(const T* p, u64 n, u32 rank, u32 size, const All& all, const One& one) {
  constexpr int W = WIDTH<T>;
  // In tiles small enough for 32-bit indices.
  constexpr u32 TILE = 1u << 30;
  for (u64 tile = 0; tile < n; tile += TILE, p += TILE) {
    const u32 count = u32(min_of(n - tile, u64(TILE)));
    const u32 head = min_of(count, u32((0 - reinterpret_cast<u64>(p)) / sizeof(T) % W));
    const u32 last = head + (count - head) / W * W, hop = size * W;
    for (u32 i = rank; i < head; i += size) one(p[i], tile + i);
    for (u32 i = head + rank * W; i < last; i += U * hop) {
      Vec<T, W> x[U];
      UNROLLED
      for (int u = 0; u < U; u++) {
        if (i + u * hop < last) x[u] = load_vec<W>(p + i + u * hop);
      }
      u32 there = 1;
      UNROLLED
      for (int u = 1; u < U; u++) there += i + u * hop < last;
      all(x, there, tile + i);
    }
    for (u32 i = last + rank; i < count; i += size) one(p[i], tile + i);
  }
}

// The same as body(slot, element, index). Elements of a vector alternate between slots 0 to SLOTS - 1, which makes
// independent dependency chains.
constexpr int SLOTS = 2;
template <int U, class T, class Body>
DEVICE void for_share(const T* p, u64 n, u32 rank, u32 size, const Body& body) {
  constexpr int W = WIDTH<T>;
  const auto all = [&](const Vec<T, W>(&x)[U], u32 count, u64 at) {
    UNROLLED
    for (int u = 0; u < U; u++) {
      if (u >= int(count)) continue;
      UNROLLED
      for (int j = 0; j < W; j++) body(j % SLOTS, x[u].at[j], at + (u * size * W + j));
    }
  };
  for_vectors<U>(p, n, rank, size, all, [&](T x, u64 at) { body(0, x, at); });
}

// W elements starting at p + i, or W times `missing` if p is null.
template <int W, class T>
DEVICE Vec<T, W> load_or(const T* p, u32 i, T missing) {
  if (p == nullptr) return splat<W>(missing);
  if (UNALIGNED_VECTORS || is_aligned(p + i, sizeof(T) * W)) return load_vec<W>(p + i);
  return gather<W>(p + i, 0, 1);
}

// out[0..n] = body(in[0..n]), this thread's share. body.load<W>(i) loads further operands of the W elements starting at i;
// body.apply(x, theirs, j) computes element j in compute_t<T>. Operands stay packed until they are used: widened vectors
// would take twice the registers.
template <class T, class Body>
DEVICE void map_share(const T* in, T* out, u32 n, u32 rank, u32 size, const Body& body) {
  constexpr int W = VECTOR_BYTES / sizeof(T);
  const u32 head = min_of(n, u32((0 - reinterpret_cast<u64>(out)) / sizeof(T) % W));
  const u32 last = head + (n - head) / W * W;
  for (u32 i = head + rank * W; i < last; i += size * W) {
    Vec<T, W> x = load_or<W>(in, i, T{});
    const auto theirs = body.template load<W>(i);
    UNROLLED
    for (int j = 0; j < W; j++) x.at[j] = convert<T>(body.apply(widen(x.at[j]), theirs, j));
    store_vec(out + i, x);
  }
  for (u32 e = rank; e < head + (n - last); e += size) {
    const u32 i = e < head ? e : e - head + last;
    out[i] = convert<T>(body.apply(widen(in[i]), body.template load<1>(i), 0));
  }
}

#if PLATFORM_AMD
template <class State>
constexpr int LOADS = 2;
#else
template <class State>
constexpr int LOADS = sizeof(State) > 8 ? 2 : 4;
#endif

// A strided tensor cut into rows.
template <class T>
struct Rows {
  const T* src;
  u64 row_len;
  u32 num_dims;
  const size_t* info;  // null: contiguous

  // The offset of the element with this index.
  DEVICE u64 offset(u64 i) const {
    if (info == nullptr) return i;
    u64 sum = 0;
    for (u32 d = num_dims; d-- > 0;) {
      const Division at = divide(i, info[d]);
      sum += at.remainder * info[num_dims + d];
      i = at.quotient;
    }
    return sum;
  }

  // The offset of a row's first element.
  DEVICE u64 origin(u64 row) const { return offset(row * row_len); }

  // Reduces this thread's share of elements begin..end of a row that starts at origin(row). U: loads in flight, limited by
  // registers, of which threads of blocks of 1024 have few.
  template <class R, int U = LOADS<typename R::State>>
  DEVICE typename R::State share(u64 row, u64 origin, u64 begin, u64 end, u32 rank, u32 size) const {
    typename R::State s[SLOTS];
    UNROLLED
    for (int k = 0; k < SLOTS; k++) s[k] = R::identity();
    if (begin < end) {
      // After merging, usually a single dimension is reduced: elements then lie `step` apart.
      const bool regular = info == nullptr || num_dims == 0 || info[num_dims - 1] == row_len;
      const u64 step = info == nullptr || num_dims == 0 ? 1 : info[2 * num_dims - 1];
      if (regular && step == 1) {
        for_share<U>(src + origin + begin, end - begin, rank, size,
                     [&](int k, T x, u64 i) { R::add(s[k], x, begin + i); });
      } else {
        u64 i = begin + rank;
        const T* p = src + origin + i * step;
        const u64 hop = size * step;
        if (regular) {
          for (; i + u64(U - 1) * size < end; i += u64(U) * size) {
            T x[U];
            UNROLLED
            for (int k = 0; k < U; k++, p += hop) x[k] = *p;
            UNROLLED
            for (int k = 0; k < U; k++) R::add(s[k % SLOTS], x[k], i + k * size);
          }
        }
        for (; i < end; i += size, p += hop) R::add(s[0], regular ? *p : src[offset(row * row_len + i)], i);
      }
    }
    UNROLLED
    for (int k = 1; k < SLOTS; k++) s[0] = R::merge(s[0], s[k]);
    return s[0];
  }
};

#endif
