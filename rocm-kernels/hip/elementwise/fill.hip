// Fills and row copies: fill, const_set, copy2d. Mirrors candle-kernels/src/fill.cu
// (https://github.com/huggingface/candle/blob/main/candle-kernels/src/fill.cu), for all ten types.
//
//   fill_T(buf, value, numel)                          all of buf, contiguous
//   const_set_T(numel, num_dims, info, value, out)     the elements of a layout: info = dimensions, strides of out; null if
//                                                      contiguous; overlapping elements are written more than once
//   copy2d_T(src, dst, d1, d2, src_s, dst_s)           d1 rows of d2 elements, row r from src + r * src_s to
//                                                      dst + r * dst_s; d1 * d2 may exceed 2^32; no overlap
//
// Launch: any grid of 1-D blocks, ideally 256 threads and 16 to 64 bytes per thread.
#include "common/elementwise.h"

template <class T>
struct Constant {
  static constexpr Cost COST = LIGHT;
  T value;
  DEVICE T operator()() const { return value; }
};

template <class T>
struct ConstSet {
  static constexpr int W = VECTOR_BYTES / sizeof(T);
  T value;
  T* out;

  struct Item {};

  template <class Index>
  struct Elements {
    using Item = ConstSet::Item;
    const ConstSet& set;
    const Index& index;
    DEVICE Item load(u64, u32) const { return {}; }
    DEVICE void store(u64 tile, u32 i, Item) const { set.out[index(tile + i).at[0]] = set.value; }
  };
  struct Rows {
    using Item = ConstSet::Item;
    const ConstSet& set;
    const Strided32<1>& index;
    DEVICE Item load(u64, u32) const { return {}; }
    DEVICE void store(u64 tile, u32 i, Item) const {
      store_whole(set.out + index(u32(tile + i) * W).at[0], splat<W>(set.value));
    }
  };

  DEVICE void operator()(u64 numel, u32 num_dims, const size_t* info) const {
    if (!fits_32_bits<1>(numel, num_dims, info)) {
      for_each<1>(numel, Elements<Strided64<1>>{*this, Strided64<1>(num_dims, info)});
      return;
    }
    const Strided32<1> index(num_dims, info);
    const size_t* strides = info + num_dims;
    if (info[num_dims - 1] % W == 0 && strides[num_dims - 1] == 1 && rows_aligned<W>(out, num_dims, strides)) {
      for_each<1>(numel / W, Rows{*this, index});
    } else {
      for_each<1>(numel, Elements<Strided32<1>>{*this, index});
    }
  }
};

// Copies rows in words of BYTES, the widest that alignment allows. One thread copies the remainder of a row in narrower words.
struct Copy2d {
  const u8* src;
  u8* dst;
  u64 rows, row_bytes, src_pitch, dst_pitch;

  template <int BYTES>
  DEVICE void move(const u8* from, u8* to) const {
    store_word<BYTES, 1>(to, load_word<BYTES, 1>(from));
  }

  // REST: the size of an element if row lengths are not multiples of BYTES, else 0.
  template <int BYTES, int REST>
  struct Words {
    using Word = typename ::Word<BYTES>::type;
    struct Item {
      u64 row;
      u32 column;
      Word word;
    };
    const Copy2d& copy;
    u64 per_row;
    Divider divider;

    DEVICE Words(const Copy2d& c) : copy(c), per_row((c.row_bytes + BYTES - 1) / BYTES), divider(u32(per_row)) {}
    DEVICE bool is_whole(u32 column) const { return REST == 0 || (column + u64(1)) * BYTES <= copy.row_bytes; }
    DEVICE Item load(u64 tile, u32 i) const {
      u64 at = tile + i;
      Item item;
      if (tile < 0x80000000u) {
        QuotientRemainder q = divider(u32(at));
        item.row = q.quotient, item.column = q.remainder;
      } else {
        item.row = at / per_row, item.column = u32(at - item.row * per_row);
      }
      if (is_whole(item.column)) {
        item.word = load_word<BYTES, 1>(copy.src + item.row * copy.src_pitch + u64(item.column) * BYTES);
      }
      return item;
    }
    DEVICE void store(u64, u32, const Item& item) const {
      u8* to = copy.dst + item.row * copy.dst_pitch + u64(item.column) * BYTES;
      if (is_whole(item.column)) return store_word<BYTES, 1>(to, item.word);
      const u8* from = copy.src + item.row * copy.src_pitch + u64(item.column) * BYTES;
      const u32 left = copy.row_bytes % BYTES;
      u32 done = 0;
      if (left & 8) copy.move<8>(from, to), done = 8;
      if (REST <= 4 && left & 4) copy.move<4>(from + done, to + done), done += 4;
      if (REST <= 2 && left & 2) copy.move<2>(from + done, to + done), done += 2;
      if (REST == 1 && left & 1) copy.move<1>(from + done, to + done);
    }
  };

  template <int BYTES, int REST = 0>
  DEVICE void in_words() const {
    for_each<2>(rows * ((row_bytes + BYTES - 1) / BYTES), Words<BYTES, REST>(*this));
  }
};

#define FILL(T)                                                                                                        \
  KERNEL fill_##T(T* buf, T value, const size_t numel) { elementwise(numel, 0, nullptr, Constant<T>{value}, buf); }    \
  KERNEL const_set_##T(const size_t numel, const size_t num_dims, const size_t* info, const T inp, T* out) {           \
    if (info == nullptr || num_dims == 0) {                                                                            \
      elementwise(numel, 0, nullptr, Constant<T>{inp}, out);                                                           \
    } else {                                                                                                           \
      ConstSet<T>{inp, out}(numel, u32(num_dims), info);                                                               \
    }                                                                                                                  \
  }                                                                                                                    \
  KERNEL copy2d_##T(const T* src, T* dst, u32 d1, u32 d2, u32 src_s, u32 dst_s) {                                      \
    copy2d(src, dst, d1, d2, src_s, dst_s);                                                                            \
  }

template <class T>
struct Same {
  static constexpr Cost COST = LIGHT;
  DEVICE T operator()(T x) const { return x; }
};

template <class T>
DEVICE void copy2d(const T* src, T* dst, u32 d1, u32 d2, u32 src_s, u32 dst_s) {
  if (d1 <= 1 || (src_s == d2 && dst_s == d2)) {
    elementwise(u64(d1) * d2, 0, nullptr, Same<T>{}, dst, src);
    return;
  }
  constexpr u64 S = sizeof(T);
  const Copy2d copy = {reinterpret_cast<const u8*>(src), reinterpret_cast<u8*>(dst), d1, d2 * S, src_s * S, dst_s * S};
  u64 starts = 0;
  if (!UNALIGNED_VECTORS) {
    starts = copy.src_pitch | copy.dst_pitch | reinterpret_cast<u64>(src) | reinterpret_cast<u64>(dst);
  }
  // Short rows would consist of remainders.
  constexpr u64 LONG_ROW = 64;
  const u64 common = copy.row_bytes | starts;
  if (common % 16 == 0) return copy.in_words<16>();
  if (starts % 16 == 0 && copy.row_bytes >= LONG_ROW) return copy.in_words<16, S>();
  if (S <= 4 && common % 8 == 0) return copy.in_words<(S <= 4 ? 8 : S)>();
  if (S <= 2 && common % 4 == 0) return copy.in_words<(S <= 2 ? 4 : S)>();
  copy.in_words<S>();
}

FILL(u8)
FILL(u32)
FILL(i16)
FILL(i32)
FILL(i64)
FILL(f16)
FILL(bf16)
FILL(f32)
FILL(f64)
FILL(f8_e4m3)
