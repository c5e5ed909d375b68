// Copies from global to shared memory that need no registers on the way, where the card has them.
//
// With ASYNC_COPIES, copy_async begins one of 16 bytes, both ends aligned, and writes zeros if there is nothing to copy;
// after wait_copies this thread's are done, and after a barrier everybody's. Without, kernels load and store themselves.
#ifndef CANDLE_ROCM_ASYNC_COPY_H
#define CANDLE_ROCM_ASYNC_COPY_H

#include "common/platform.h"

#if PLATFORM_NVIDIA && __CUDA_ARCH__ >= 800 && !defined(ASYNC_COPIES_OFF)
constexpr bool ASYNC_COPIES = true;

DEVICE void copy_async(void* shared, const void* from, bool is) {
  const u32 to = u32(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(is ? 16 : 0) : "memory");
}
DEVICE void end_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Until all but the last LATER groups of copies, each ended by end_copies, are done.
template <int LATER>
DEVICE void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(LATER) : "memory");
}
#else
constexpr bool ASYNC_COPIES = false;
DEVICE void copy_async(void*, const void*, bool) {}
DEVICE void end_copies() {}
template <int LATER>
DEVICE void wait_copies() {}
#endif

#endif  // CANDLE_ROCM_ASYNC_COPY_H
