// What every kernel sees first: the words of HIP's language, the thread's coordinates, and what the compiled module
// and the platform tell each other. All names of our own begin with __crh_.
//
// No system header may be included here: kernels are compiled for hiprtc, which has none, and they declare
// fixed-width types themselves.
#define CANDLE_ROCM_HOST_PLATFORM 1
#define __HIP__ 1
#define __HIPCC__ 1
#define __HIPCC_RTC__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define __HIP_PLATFORM_AMD__ 1

// __global__, __shared__, __device__ and __constant__ stay in the text while it is preprocessed: the platform reads
// them there (src/hiprtc/rewrite.rs) and puts in their place what the C++ compiler understands.
#define __global__ __crh_global__
#define __shared__ __crh_shared__
#define __device__ __crh_device__
#define __constant__ __crh_constant__
#define __managed__ __crh_device__
#define __host__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define HIP_DYNAMIC_SHARED(type, name) extern __crh_shared__ type name[];

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;

#ifndef NULL
#define NULL nullptr
#endif

// The thread's coordinates are statics of the module: every worker thread of the platform loads its own copy of the
// module and runs one GPU thread at a time in it. Their address is never taken, so the compiler knows that a store
// through a kernel's pointer cannot change them.
struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};

static uint3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;

// Without it the code fits devices of any wavefront, and has no operations of one.
#ifdef __CRH_WAVE
constexpr int warpSize = __CRH_WAVE;
#endif

#if defined(__CRH_THREAD)
#define __CRH_UNCHECKED __attribute__((disable_sanitizer_instrumentation, noinline))
#elif defined(__CRH_ADDRESS)
#define __CRH_UNCHECKED __attribute__((no_sanitize_address))
#else
#define __CRH_UNCHECKED
#endif

// ---- The interface between module and platform: the same as src/exec/abi.rs.

struct __crh_hooks {
    // Waits for all threads of the block. Returns how many there were, and how many had a predicate that holds in
    // the upper half.
    unsigned long long (*barrier)(void* block, unsigned long long position, unsigned predicate, unsigned line,
                                  const char* file);
    // Waits for the wavefront, and returns the operation's result for this lane.
    unsigned long long (*wave)(void* block, unsigned long long position, unsigned operation, unsigned long long value,
                               unsigned source, unsigned line, const char* file);
    // Reports the thread's failure. Does not return.
    void (*fail)(void* block, unsigned long long position, const char* what, unsigned line, const char* file);
    // A thread begins to run (if each has a coroutine of its own).
    void (*begin)(void* block, unsigned thread);
    // Memory written before is visible to whom synchronises after.
    void (*fence)();
};

struct __crh_kernel {
    const char* name;
    void (*run)(void* const* arguments);
    const unsigned* sizes;
    const unsigned* alignments;
    unsigned count;
};

struct __crh_launch {
    const __crh_hooks* hooks;
    void* block;            // handed back to the hooks
    const unsigned* order;  // the order in which threads start, or null for 0, 1, 2, ...
    unsigned grid_size[3];
    unsigned block_size[3];
};

struct __crh_module {
    unsigned abi;
    unsigned wave;
    unsigned kernel_count;
    unsigned dynamic_shared_size;
    const __crh_kernel* kernels;
    void (*enter)(const __crh_launch* launch);
    void (*block)(unsigned x, unsigned y, unsigned z);
    unsigned long long (*position)();
    char* dynamic_shared;
};

static const __crh_hooks* __crh_hook;
static void* __crh_block;
static const unsigned* __crh_order;
static unsigned __crh_started, __crh_count;
static bool __crh_flat;  // a block of one dimension

__CRH_UNCHECKED static void __crh_enter(const __crh_launch* launch) {
    __crh_hook = launch->hooks;
    __crh_block = launch->block;
    __crh_order = launch->order;
    gridDim = dim3(launch->grid_size[0], launch->grid_size[1], launch->grid_size[2]);
    blockDim = dim3(launch->block_size[0], launch->block_size[1], launch->block_size[2]);
    __crh_count = blockDim.x * blockDim.y * blockDim.z;
    __crh_flat = blockDim.y == 1 && blockDim.z == 1;
}

__CRH_UNCHECKED static void __crh_begin_block(unsigned x, unsigned y, unsigned z) {
    blockIdx = uint3{x, y, z};
    threadIdx = uint3{0, 0, 0};
    __crh_started = 0;
}

// Makes the next thread of the block that has not run yet the current one.
__CRH_UNCHECKED static inline bool __crh_begin_thread() {
    if (__crh_started >= __crh_count) return false;
    unsigned thread = __crh_started++;
#ifdef __CRH_SCHEDULE
    thread = __crh_order[thread];
#endif
    // A thread that ends leaves its coordinates behind: those that are zero in all threads need no second look.
    if (__crh_flat) {
        threadIdx.x = thread;
    } else {
        threadIdx.x = thread % blockDim.x;
        threadIdx.y = thread / blockDim.x % blockDim.y;
        threadIdx.z = thread / blockDim.x / blockDim.y;
    }
#ifdef __CRH_THREAD
    __crh_hook->begin(__crh_block, thread);
#endif
    return true;
}

__CRH_UNCHECKED static inline unsigned __crh_thread() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

// Which thread this is, and how many have been started: hooks get both.
__CRH_UNCHECKED static inline unsigned long long __crh_position() {
    return (unsigned long long)__crh_started << 32 | __crh_thread();
}

// Per kernel, made from its type: unpacks the arguments and runs the threads of a block that are left to run. When
// one of them waits, the platform runs the next ones in another call, on another stack.
template <class F>
struct __crh_entry;

template <unsigned... I>
struct __crh_sequence {};
template <unsigned N, unsigned... I>
struct __crh_count_to : __crh_count_to<N - 1, N - 1, I...> {};
template <unsigned... I>
struct __crh_count_to<0, I...> {
    typedef __crh_sequence<I...> type;
};

template <class... A>
struct __crh_entry<void (*)(A...)> {
    static constexpr unsigned sizes[] = {(unsigned)sizeof(A)..., 0};
    static constexpr unsigned alignments[] = {(unsigned)alignof(A)..., 0};

    template <void (*K)(A...)>
    __CRH_UNCHECKED static void loop(A... a) {
#ifdef __CRH_THREAD
        // One thread only: each is a fiber of its own to the sanitizer.
        if (__crh_begin_thread()) K(a...);
#else
        while (__crh_begin_thread()) K(a...);
#endif
    }

    template <void (*K)(A...), unsigned... I>
    __CRH_UNCHECKED static inline void unpack(void* const* arguments, __crh_sequence<I...>) {
        (void)arguments;
        loop<K>(*static_cast<A*>(arguments[I])...);
    }

    template <void (*K)(A...)>
    __CRH_UNCHECKED static void run(void* const* arguments) {
        unpack<K>(arguments, typename __crh_count_to<sizeof...(A)>::type());
    }

    template <void (*K)(A...)>
    static constexpr __crh_kernel describe(const char* name) {
        return __crh_kernel{name, run<K>, sizes, alignments, (unsigned)sizeof...(A)};
    }
};

// Dynamic shared memory: what a launch asked for is the beginning of this.
alignas(128) static char __crh_dynamic_shared[65536];

[[noreturn]] static inline void __crh_fail(const char* what, unsigned line, const char* file) {
    __crh_hook->fail(__crh_block, __crh_position(), what, line, file);
    __builtin_unreachable();
}

// The caller's place in the source: functions take it as their last parameters. The column is in the upper bits.
#if defined(__clang__)
#define __CRH_SITE unsigned line = __builtin_LINE() | __builtin_COLUMN() << 20, const char *file = __builtin_FILE()
#else
#define __CRH_SITE unsigned line = __builtin_LINE(), const char *file = __builtin_FILE()
#endif

[[noreturn]] static inline void __trap(__CRH_SITE) { __crh_fail("trap", line, file); }
[[noreturn]] static inline void __crh_abort(__CRH_SITE) { __crh_fail("abort", line, file); }
#define abort() __crh_abort()

#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
    ((condition) ? (void)0 : __crh_fail("assertion failed: " #condition, __LINE__, __FILE__))
#endif

extern "C" int printf(const char*, ...);
extern "C" void* memcpy(void*, const void*, size_t) noexcept;
extern "C" void* memset(void*, int, size_t) noexcept;
