// Concatenates rows of up to eight sources in one launch, or of two sources each to two results of one shape; and caches of keys
// and values with what a step of a decoder adds to them, after its rotary embedding.
//
//   cat_W(rows, dst, pitch, source, length, pitch, ... eight times)
//   cat_pair_W(rows, pitch, dst, source, length, pitch, source, length, pitch, and from dst on again)
//
// in words of W bytes, to which all addresses are aligned; lengths and pitches are in words. Launch: gridDim.y sources (4
// for cat_pair_W), any gridDim.x. Unused sources have length 0.
//
// rope_cat_T, rope_i_cat_T: see below.
#include "common/index.h"
#include "common/rotary.h"
#include "common/vec.h"

template <int BYTES>
struct Rows {
  using Bits = typename Word<BYTES>::type;
  struct Item {
    u64 to;
    Bits bits;
  };
  const Bits* from;
  Bits* to;
  u64 length, from_pitch, to_pitch;
  Divider divider;

  DEVICE Item load(u64 tile, u32 i) const {
    const u64 at = tile + i;
    u64 row, column;
    if (at < 0x80000000u && length < 0x80000000u) {
      const QuotientRemainder q = divider(u32(at));
      row = q.quotient, column = q.remainder;
    } else {
      row = at / length, column = at - row * length;
    }
    return {row * to_pitch + column, load_word<BYTES, BYTES>(from + row * from_pitch + column)};
  }
  DEVICE void store(u64, u32, const Item& item) const { store_word<BYTES, BYTES>(to + item.to, item.bits); }
};

#define CAT(BYTES)                                                                                                     \
  KERNEL cat_##BYTES(u64 rows, void* dst, u64 pitch, const void* s0, u64 n0, u64 p0, const void* s1, u64 n1, u64 p1,   \
                     const void* s2, u64 n2, u64 p2, const void* s3, u64 n3, u64 p3, const void* s4, u64 n4, u64 p4,   \
                     const void* s5, u64 n5, u64 p5, const void* s6, u64 n6, u64 p6, const void* s7, u64 n7, u64 p7) { \
    using Bits = typename Word<BYTES>::type;                                                                           \
    Bits* to = static_cast<Bits*>(dst);                                                                                \
    const void* source = s0;                                                                                           \
    u64 length = n0, from_pitch = p0;                                                                                  \
    const u32 y = block_y();                                                                                           \
    if (y >= 1) to += n0, source = s1, length = n1, from_pitch = p1;                                                   \
    if (y >= 2) to += n1, source = s2, length = n2, from_pitch = p2;                                                   \
    if (y >= 3) to += n2, source = s3, length = n3, from_pitch = p3;                                                   \
    if (y >= 4) to += n3, source = s4, length = n4, from_pitch = p4;                                                   \
    if (y >= 5) to += n4, source = s5, length = n5, from_pitch = p5;                                                   \
    if (y >= 6) to += n5, source = s6, length = n6, from_pitch = p6;                                                   \
    if (y >= 7) to += n6, source = s7, length = n7, from_pitch = p7;                                                   \
    const Rows<BYTES> all = {static_cast<const Bits*>(source), to, length, from_pitch, pitch, Divider(u32(length))};   \
    for_each<4>(rows * length, all);                                                                                   \
  }

#define CAT_PAIR(BYTES)                                                                                                \
  KERNEL cat_pair_##BYTES(u64 rows, u64 pitch, void* dst0, const void* s0, u64 n0, u64 p0, const void* s1, u64 n1,     \
                          u64 p1, void* dst1, const void* s2, u64 n2, u64 p2, const void* s3, u64 n3, u64 p3) {        \
    using Bits = typename Word<BYTES>::type;                                                                           \
    Bits* to = static_cast<Bits*>(dst0);                                                                               \
    const void* source = s0;                                                                                           \
    u64 length = n0, from_pitch = p0;                                                                                  \
    const u32 y = block_y();                                                                                           \
    if (y == 1) to += n0, source = s1, length = n1, from_pitch = p1;                                                   \
    if (y >= 2) to = static_cast<Bits*>(dst1), source = s2, length = n2, from_pitch = p2;                              \
    if (y == 3) to += n2, source = s3, length = n3, from_pitch = p3;                                                   \
    if (length == 0) return;                                                                                           \
    const Rows<BYTES> all = {static_cast<const Bits*>(source), to, length, from_pitch, pitch, Divider(u32(length))};   \
    for_each<4>(rows * length, all);                                                                                   \
  }

CAT(1)
CAT(2)
CAT(4)
CAT(8)
CAT(16)

CAT_PAIR(1)
CAT_PAIR(2)
CAT_PAIR(4)
CAT_PAIR(8)
CAT_PAIR(16)

// ---------------------------------------------------------------------------------------------- A step's keys and values

template <int BYTES>
DEVICE void copy_rows(u64 rows, const void* from, u64 from_pitch, void* to, u64 to_pitch, u64 length) {
  using Bits = typename Word<BYTES>::type;
  for_each<4>(rows * length, Rows<BYTES>{static_cast<const Bits*>(from), static_cast<Bits*>(to), length, from_pitch,
                                         to_pitch, Divider(u32(length))});
}

// The operands of rope_cat_T: q is [q_rows, t, d], k [rows, t, d], both contiguous. Each row of a cache has `kept` elements,
// each of v t * d; their rows lie at these pitches, in elements. Those of k_out and v_out lie kept + t * d apart.
template <class T>
struct Step {
  const T* q;
  T* q_out;
  u32 q_rows;
  const T* k;
  T* k_out;
  u32 rows;
  const T *cos, *sin;
  u32 td, d, stride_q, stride_k;
  u64 kept;
  const T* k_cache;
  u64 k_pitch;
  const T* v_cache;
  u64 v_pitch;
  const T* v;
  u64 new_pitch;
  T* v_out;
};

// Queries are rotated, keys are rotated and put behind the rows of their cache, values behind those of theirs: each as rope_T
// or rope_i_T (N) and cat_pair_W give them. Launch: gridDim.y = 5, any gridDim.x.
template <bool N, class T>
DEVICE void rope_cat(const Step<T>& step) {
  const u32 part = block_y(), td = step.td;
  if (part < 2) {
    const bool keys = part == 1;
    const T* const src = keys ? step.k : step.q;
    T* const dst = keys ? step.k_out + step.kept : step.q_out;
    const u64 pairs = u64(keys ? step.rows : step.q_rows) * td / 2, gap = keys ? step.kept : 0;
    const u32 stride = keys ? step.stride_k : step.stride_q;
    if constexpr (N) {
      rope_pairs<true>(src, step.cos, step.sin, dst, pairs, td / 2, RopeInterleaved{td, stride}, gap);
    } else {
      rope_pairs<false>(src, step.cos, step.sin, dst, pairs, step.d / 2, RopeHalves{td, step.d, stride}, gap);
    }
    return;
  }
  const T* const from = part == 2 ? step.k_cache : part == 3 ? step.v_cache : step.v;
  const u64 from_pitch = part == 2 ? step.k_pitch : part == 3 ? step.v_pitch : step.new_pitch;
  T* const to = part == 2 ? step.k_out : part == 3 ? step.v_out : step.v_out + step.kept;
  const u64 length = part == 4 ? td : step.kept, pitch = step.kept + td;
  if (length == 0) return;
  constexpr u64 WIDE = VECTOR_BYTES / sizeof(T);
  if (is_aligned(from, VECTOR_BYTES) && is_aligned(to, VECTOR_BYTES) && (length | from_pitch | pitch) % WIDE == 0) {
    copy_rows<VECTOR_BYTES>(step.rows, from, from_pitch / WIDE, to, pitch / WIDE, length / WIDE);
  } else {
    copy_rows<sizeof(T)>(step.rows, from, from_pitch, to, pitch, length);
  }
}

#define ROPE_CAT(NAME, N, T)                                                                                           \
  KERNEL THREADS_AT_MOST(256) NAME##_##T(                                                                              \
      const T* q, T* q_out, const u32 q_rows, const T* k, T* k_out, const u32 rows, const T* cos, const T* sin,        \
      const u32 td, const u32 d, const u32 stride_q, const u32 stride_k, const u64 kept, const T* k_cache,             \
      const u64 k_pitch, const T* v_cache, const u64 v_pitch, const T* v, const u64 new_pitch, T* v_out) {             \
    rope_cat<N>(Step<T>{q,        q_out,    q_rows, k,       k_out,   rows,    cos,     sin, td,        d,             \
                        stride_q, stride_k, kept,   k_cache, k_pitch, v_cache, v_pitch, v,   new_pitch, v_out});       \
  }

#define ROPE_CATS(T)                                                                                                   \
  ROPE_CAT(rope_cat, false, T)                                                                                         \
  ROPE_CAT(rope_i_cat, true, T)

ROPE_CATS(f16)
ROPE_CATS(bf16)
ROPE_CATS(f32)
