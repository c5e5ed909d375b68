// Wavefront operations. The build defines WAVE, the wavefront size of the target (32 or 64). A module that does not include
// this header is independent of it, and the host platform compiles it only once.
//
// wave_shuffle(value, lane)  the value of lane `lane`; values have 4 or 8 bytes
// wave_xor(value, mask)      the value of lane `lane_id() ^ mask`
// wave_down(value, delta)    the value of lane `lane_id() + delta`, unspecified beyond the last lane
// wave_ballot(predicate)     a bit per lane
// wave_sync()                makes earlier writes to shared memory visible to the other lanes
//
// All lanes take part. On the host these are macros, because its prelude identifies operations by their source line.
#ifndef CANDLE_ROCM_WAVE_H
#define CANDLE_ROCM_WAVE_H

#include "common/platform.h"

#if !defined(WAVE) || (WAVE != 32 && WAVE != 64)
#error "compile with -DWAVE=32 or -DWAVE=64, whichever the target has"
#endif

#if PLATFORM_HOST
#define lane_id() __lane_id()
#define wave_shuffle(value, lane) __shfl(value, lane)
#define wave_xor(value, mask) __shfl_xor(value, mask)
#define wave_down(value, delta) __shfl_down(value, delta)
#define wave_ballot(predicate) __ballot(predicate)
#define wave_sync() __syncwarp()
#elif PLATFORM_NVIDIA
DEVICE u32 lane_id() { return (thread_x() + block_size_x() * (thread_y() + block_size_y() * thread_z())) % WAVE; }
template <class T>
DEVICE T wave_shuffle(T value, u32 lane) {
  return __shfl_sync(0xffffffffu, value, lane);
}
template <class T>
DEVICE T wave_xor(T value, u32 mask) {
  return __shfl_xor_sync(0xffffffffu, value, mask);
}
template <class T>
DEVICE T wave_down(T value, u32 delta) {
  return __shfl_down_sync(0xffffffffu, value, delta);
}
DEVICE u64 wave_ballot(bool predicate) { return __ballot_sync(0xffffffffu, predicate); }
DEVICE void wave_sync() { __syncwarp(); }
#else
#if WAVE == 32
DEVICE u32 lane_id() { return __builtin_amdgcn_mbcnt_lo(~0u, 0); }
#else
DEVICE u32 lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
#endif
template <class T>
DEVICE T wave_shuffle(T value, u32 lane) {
  if constexpr (sizeof(T) == 8) {
    const u64 bits = bit_cast<u64>(value);
    const u32 low = wave_shuffle(u32(bits), lane), high = wave_shuffle(u32(bits >> 32), lane);
    return bit_cast<T>(u64(high) << 32 | low);
  } else {
    return bit_cast<T>(__builtin_amdgcn_ds_bpermute(int(lane * 4), bit_cast<int>(value)));
  }
}
template <class T>
DEVICE T wave_xor(T value, u32 mask) {
  return wave_shuffle(value, lane_id() ^ mask);
}
template <class T>
DEVICE T wave_down(T value, u32 delta) {
  return wave_shuffle(value, lane_id() + delta);
}
#if !__has_builtin(__builtin_amdgcn_ballot_w64)
DEVICE u64 wave_ballot(bool predicate) { return __builtin_amdgcn_uicmp(u32(predicate), 0u, 33 /* not equal */); }
#elif WAVE == 32
DEVICE u64 wave_ballot(bool predicate) { return __builtin_amdgcn_ballot_w32(predicate); }
#else
DEVICE u64 wave_ballot(bool predicate) { return __builtin_amdgcn_ballot_w64(predicate); }
#endif
DEVICE void wave_sync() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
#endif

// Reduces over all lanes of the wavefront; every lane gets the result. op must be commutative.
template <class T, class Op>
DEVICE T wave_reduce(T value, Op op) {
  UNROLLED
  for (int mask = WAVE / 2; mask > 0; mask /= 2) value = op(value, wave_xor(value, mask));
  return value;
}

// The sums of N values over LANES neighbouring lanes, both powers of two: each lane gets that of value `lane / (LANES / N)`, where
// `lane` is its number among them. Each exchange halves the number of values that a lane has. The order of a sum does not
// depend on N.
template <u32 LANES, u32 N, class T>
DEVICE T spread_sums(T (&values)[N], u32 lane) {
  static_assert(N <= LANES && LANES % N == 0, "a lane gets one of the sums");
  UNROLLED
  for (u32 n = N / 2; n > 0; n /= 2) {
    const u32 mask = LANES / N * n;
    const bool upper = (lane & mask) != 0;
    UNROLLED
    for (u32 i = 0; i < n; i++) {
      const T low = values[i], high = values[n + i];
      values[i] = (upper ? high : low) + wave_xor(upper ? low : high, mask);
    }
  }
  UNROLLED
  for (u32 mask = LANES / N / 2; mask > 0; mask /= 2) values[0] += wave_xor(values[0], mask);
  return values[0];
}

#endif  // CANDLE_ROCM_WAVE_H
