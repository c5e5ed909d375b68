// From indices of an output to offsets in strided inputs.
//
// `info` has candle's layout, in device memory: num_dims dimensions, then num_dims strides per operand, in elements.
// Launchers merge adjacent dimensions where all operands allow, so it is short.
#ifndef CANDLE_ROCM_INDEX_H
#define CANDLE_ROCM_INDEX_H

#include "common/platform.h"

struct QuotientRemainder {
  u32 quotient, remainder;
};

// Division by an invariant divisor: the reciprocal is computed once, and each division takes two multiplications and two
// corrections. Exact for all 32-bit numbers: the reciprocal is at most 2^32 / d, and after the Newton step so close to it
// that the quotient is at most two too small, even for the largest n.
struct Divider {
  u32 divisor, reciprocal;

  DEVICE_OUTLINED explicit Divider(u32 d) : divisor(d) {
    u32 guess = u32(math::fast_recip(float(d)) * 4294965248.0f);
    reciprocal = guess + mul_hi(guess, (0u - d) * guess);
  }

  DEVICE QuotientRemainder operator()(u32 n) const {
    u32 q = mul_hi(n, reciprocal);
    u32 r = n - q * divisor;
    if (r >= divisor) q++, r -= divisor;
    if (r >= divisor) q++, r -= divisor;
    return {q, r};
  }
};

// Whether 32-bit offsets reach every element of the output and of K operands with these strides.
template <int K>
DEVICE_OUTLINED bool fits_32_bits(u64 numel, u32 num_dims, const size_t* info) {
  u64 reach[K] = {};
  ROLLED
  for (u32 d = 0; d < num_dims; d++) {
    UNROLLED
    for (int k = 0; k < K; k++) reach[k] += (info[d] - 1) * info[(k + 1) * num_dims + d];
  }
  u64 largest = numel;
  UNROLLED
  for (int k = 0; k < K; k++) largest = max_of(largest, reach[k]);
  return largest < 0x80000000u;
}

template <int K, class T>
struct Offsets {
  T at[K];
};

// The layouts of K operands of an output of at most 2^31 elements. The three innermost dimensions are kept in registers;
// outer ones are read from `info`, uniformly across lanes. Without dimensions, `info` is not read.
template <int K>
struct Strided32 {
  u32 num_dims;
  const size_t* info;
  Divider inner, middle;
  u32 inner_stride[K], middle_stride[K], outer_stride[K];

  // An absent dimension has the largest size, so that the quotient is 0.
  static DEVICE u32 dim(u32 from_last, u32 nd, const size_t* words) {
    return from_last < nd ? u32(words[nd - 1 - from_last]) : 0xffffffffu;
  }
  static DEVICE u32 stride(u32 from_last, int k, u32 nd, const size_t* words) {
    return from_last < nd ? u32(words[(k + 2) * nd - 1 - from_last]) : 0;
  }

  DEVICE_OUTLINED Strided32(u32 nd, const size_t* words)
      : num_dims(nd), info(words), inner(dim(0, nd, words)), middle(dim(1, nd, words)) {
    UNROLLED
    for (int k = 0; k < K; k++) {
      inner_stride[k] = stride(0, k, nd, words);
      middle_stride[k] = stride(1, k, nd, words);
      outer_stride[k] = stride(2, k, nd, words);
    }
  }

  DEVICE_OUTLINED Offsets<K, u32> operator()(u32 i) const {
    const QuotientRemainder a = inner(i), b = middle(a.quotient);
    Offsets<K, u32> offset;
    UNROLLED
    for (int k = 0; k < K; k++) offset.at[k] = a.remainder * inner_stride[k] + b.remainder * middle_stride[k];
    u32 rest = b.quotient;
    if (num_dims > 3) {
      ROLLED
      for (u32 d = num_dims - 3; d > 0; d--) {
        u32 dim = u32(info[d]), next = rest / dim, here = rest - next * dim;
        UNROLLED
        for (int k = 0; k < K; k++) offset.at[k] += here * u32(info[(k + 1) * num_dims + d]);
        rest = next;
      }
      UNROLLED
      for (int k = 0; k < K; k++) offset.at[k] += rest * u32(info[(k + 1) * num_dims]);
    } else {
      UNROLLED
      for (int k = 0; k < K; k++) offset.at[k] += rest * outer_stride[k];
    }
    return offset;
  }
};

// The same for outputs of any size, which is rare: non-contiguous tensors of 2^31 elements or more. Quotients are computed
// in double, exact up to 2^53 after one correction, because a 64-bit integer division takes several times as long.
template <int K>
struct Strided64 {
  u32 num_dims;
  const size_t* info;

  DEVICE Strided64(u32 nd, const size_t* words) : num_dims(nd), info(words) {}

  DEVICE_OUTLINED Offsets<K, u64> operator()(u64 i) const {
    Offsets<K, u64> offset = {};
    ROLLED
    for (u32 d = num_dims; d-- > 0;) {
      const u64 dim = info[d];
      u64 next = u64(double(i) * (1.0 / double(dim)));
      i64 here = i64(i - next * dim);
      if (here < 0) next--, here += dim;
      if (here >= i64(dim)) next++, here -= dim;
      UNROLLED
      for (int k = 0; k < K; k++) offset.at[k] += u64(here) * info[(k + 1) * num_dims + d];
      i = next;
    }
    return offset;
  }
};

// Whether an operand with inner stride 1 can be loaded in vectors of W elements: always if unaligned vectors are allowed,
// else if the pointer and the outer strides keep them aligned.
template <int W, class T>
DEVICE_OUTLINED bool rows_aligned(const T* p, u32 num_dims, const size_t* strides) {
  if (UNALIGNED_VECTORS) return true;
  bool aligned = is_aligned(p, sizeof(T) * W);
  ROLLED
  for (u32 d = 0; d + 1 < num_dims; d++) aligned = aligned && strides[d] % W == 0;
  return aligned;
}

#endif
