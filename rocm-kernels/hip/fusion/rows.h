// What kernels consist of that are generated for reductions of rows and the elementwise operations around them: operands are read
// once and stay in registers, and what is computed from them is computed again wherever it is needed.
//
// A row has n elements, a multiple of W, and is shared by a team. Vectors, threads and the order of a sum are those of fast_*
// (reduce.hip) for an aligned row, so that results are theirs bit by bit.
#ifndef CANDLE_ROCM_ROWS_H
#define CANDLE_ROCM_ROWS_H

#include "common/index.h"
#include "common/reduce.h"

// Where row `row` of each of K operands begins. info: the dimensions of the rows, then the operands' strides; null if all are 1.
template <int K>
DEVICE Offsets<K, u64> row_offsets(u64 row, u32 num_dims, const size_t* info) {
  Offsets<K, u64> offsets;
  if (num_dims <= 1) {
    UNROLLED
    for (int k = 0; k < K; k++) offsets.at[k] = info == nullptr ? row : row * info[k + 1];
    return offsets;
  }
  if (row > 0xffffffffu) return Strided64<K>(num_dims, info)(row);
  UNROLLED
  for (int k = 0; k < K; k++) offsets.at[k] = 0;
  u32 rest = u32(row);
  ROLLED
  for (u32 d = num_dims - 1; d > 0; d--) {
    const u32 dim = u32(info[d]), next = rest / dim, here = rest - next * dim;
    UNROLLED
    for (int k = 0; k < K; k++) offsets.at[k] += here * info[(k + 1) * num_dims + d];
    rest = next;
  }
  UNROLLED
  for (int k = 0; k < K; k++) offsets.at[k] += rest * info[(k + 1) * num_dims];
  return offsets;
}

// The vectors of a row that are this thread's, at most V.
template <int W, int V>
struct Share {
  u32 n, first, hop;

  DEVICE Share(u32 count, const Team& team) : n(count), first(team.rank * W), hop(team.size * W) {}
  DEVICE u32 at(int v) const { return first + v * hop; }
  DEVICE bool there(int v) const { return at(v) < n; }
};

// An operand's share in registers, packed.
template <class T, int W, int V>
struct HeldRow {
  using Words = typename Word<sizeof(T) * W>::type;
  const T* row;
  Words words[V];

  DEVICE HeldRow(const T* p, const Share<W, V>& share) : row(p) {
    UNROLLED
    for (int v = 0; v < V; v++) {
      words[v] = Words{};
      if (share.there(v)) words[v] = load_word<sizeof(T) * W, alignof(T)>(p + share.at(v));
    }
  }
  DEVICE T at(int v, int j) const { return bit_cast<Vec<T, W>>(words[v]).at[j]; }
};

// R of f(elements of the operands..) over the row.
template <template <class> class R, int W, int V, class F, class... T>
DEVICE auto reduce_row(const Team& team, const Share<W, V>& share, const F& f, const HeldRow<T, W, V>&... held) {
  using Reduction = R<decltype(f(*held.row...))>;
  typename Reduction::State s[SLOTS];
  UNROLLED
  for (int k = 0; k < SLOTS; k++) s[k] = Reduction::identity();
  UNROLLED
  for (int v = 0; v < V; v++) {
    if (!share.there(v)) continue;
    UNROLLED
    for (int j = 0; j < W; j++) Reduction::add(s[j % SLOTS], f(held.at(v, j)...), 0);
  }
  UNROLLED
  for (int k = 1; k < SLOTS; k++) s[0] = Reduction::merge(s[0], s[k]);
  return Reduction::result(team_merge<Reduction>(s[0], team), f(*held.row...));
}

// out[0..n] = f(elements of the operands..).
template <int W, int V, class Out, class F, class... T>
DEVICE void write_row(Out* out, const Share<W, V>& share, const F& f, const HeldRow<T, W, V>&... held) {
  UNROLLED
  for (int v = 0; v < V; v++) {
    if (!share.there(v)) continue;
    Vec<Out, W> result;
    UNROLLED
    for (int j = 0; j < W; j++) result.at[j] = f(held.at(v, j)...);
    store_vec(out + share.at(v), result);
  }
}

template <class T>
using Largest = Extreme<T, true>;
template <class T>
using Smallest = Extreme<T, false>;

#endif
