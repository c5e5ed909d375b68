// Asynchronous copies from global to shared memory, which bypass registers, where the card supports them.
//
// With ASYNC_COPIES, copy_async starts a copy of 16 bytes between aligned addresses, or writes zeros unless `valid`. After
// wait_copies, the thread's own copies are complete; after a barrier, those of the block. Without ASYNC_COPIES, kernels load
// and store instead.
#ifndef CANDLE_ROCM_ASYNC_COPY_H
#define CANDLE_ROCM_ASYNC_COPY_H

#include "common/platform.h"

#if PLATFORM_NVIDIA && __CUDA_ARCH__ >= 800 && !defined(ASYNC_COPIES_OFF)
constexpr bool ASYNC_COPIES = true;

DEVICE void copy_async(void* shared, const void* from, bool valid) {
  const u32 to = u32(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(valid ? 16 : 0) : "memory");
}
DEVICE void end_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until at most the LATER most recent groups of copies, each ended by end_copies, are pending.
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
