// Concatenates rows of up to eight sources in one launch, or of two sources each to two results of one shape.
//
//   cat_W(rows, dst, pitch, source, length, pitch, ... eight times)
//   cat_pair_W(rows, pitch, dst, source, length, pitch, source, length, pitch, and from dst on again)
//
// in words of W bytes, to which all addresses are aligned; lengths and pitches are in words. Launch: gridDim.y sources (4
// for cat_pair_W), any gridDim.x. Unused sources have length 0.
#include "common/index.h"
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
