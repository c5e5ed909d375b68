// Barriers, fences and the operations of a wavefront.
//
// Lanes that wait at the same place in the source carry an operation out together, so each function passes its
// caller's place on.

__CRH_UNCHECKED static inline unsigned long long __crh_barrier(unsigned predicate, unsigned line, const char* file) {
    unsigned long long position = __crh_position();
    uint3 self = threadIdx;
    unsigned long long result = __crh_hook->barrier(__crh_block, position, predicate, line, file);
    threadIdx = self;
    return result;
}

__CRH_UNCHECKED static inline unsigned long long __crh_wave(unsigned operation, unsigned long long value,
                                                            unsigned source, unsigned line, const char* file) {
    unsigned long long position = __crh_position();
    uint3 self = threadIdx;
    unsigned long long result = __crh_hook->wave(__crh_block, position, operation, value, source, line, file);
    threadIdx = self;
    return result;
}

enum : unsigned { __crh_exchange, __crh_ballot, __crh_match };

static inline void __syncthreads(__CRH_SITE) { __crh_barrier(0, line, file); }
static inline int __syncthreads_count(int predicate, __CRH_SITE) {
    return (int)(__crh_barrier(predicate != 0, line, file) >> 32);
}
static inline int __syncthreads_or(int predicate, __CRH_SITE) {
    return __crh_barrier(predicate != 0, line, file) >> 32 != 0;
}
static inline int __syncthreads_and(int predicate, __CRH_SITE) {
    return __crh_barrier(predicate == 0, line, file) >> 32 == 0;
}
#define __builtin_amdgcn_s_barrier() __syncthreads()

#ifdef __CRH_THREAD
__CRH_UNCHECKED static inline void __threadfence() { __crh_hook->fence(); }
#else
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#endif
static inline void __threadfence_block() { __threadfence(); }
static inline void __threadfence_system() { __threadfence(); }

#ifdef __CRH_WAVE
static inline unsigned __lane_id() { return __crh_thread() % __CRH_WAVE; }

static inline unsigned long long __ballot(int predicate, __CRH_SITE) {
    return __crh_wave(__crh_ballot, predicate != 0, 0, line, file);
}
static inline unsigned long long __activemask(__CRH_SITE) { return __crh_wave(__crh_ballot, 1, 0, line, file); }
static inline int __any(int predicate, __CRH_SITE) {
    return __crh_wave(__crh_ballot, predicate != 0, 0, line, file) != 0;
}
static inline int __all(int predicate, __CRH_SITE) {
    return __crh_wave(__crh_ballot, predicate == 0, 0, line, file) == 0;
}
static inline void __syncwarp(unsigned long long = ~0ull, __CRH_SITE) {
    __crh_wave(__crh_ballot, 0, 0, line, file);
}
#define __builtin_amdgcn_wave_barrier() __syncwarp()

template <class T>
static inline T __crh_shuffle(T value, unsigned source, unsigned line, const char* file) {
    static_assert(sizeof(T) <= 8, "shuffles move values of at most 8 bytes");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    bits = __crh_wave(__crh_exchange, bits, source, line, file);
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}

template <class T>
static inline T __shfl(T value, int lane, int width = __CRH_WAVE, __CRH_SITE) {
    unsigned self = __lane_id(), mask = width - 1;
    return __crh_shuffle(value, (self & ~mask) | (lane & mask), line, file);
}
template <class T>
static inline T __shfl_xor(T value, int with, int width = __CRH_WAVE, __CRH_SITE) {
    unsigned self = __lane_id(), source = self ^ with, end = (self & ~(width - 1)) + width;
    return __crh_shuffle(value, source < end ? source : self, line, file);
}
template <class T>
static inline T __shfl_up(T value, unsigned delta, int width = __CRH_WAVE, __CRH_SITE) {
    unsigned self = __lane_id();
    return __crh_shuffle(value, (self & (width - 1)) >= delta ? self - delta : self, line, file);
}
template <class T>
static inline T __shfl_down(T value, unsigned delta, int width = __CRH_WAVE, __CRH_SITE) {
    unsigned self = __lane_id();
    return __crh_shuffle(value, (self & (width - 1)) + delta < (unsigned)width ? self + delta : self, line, file);
}
template <class T>
static inline unsigned long long __match_any(T value, __CRH_SITE) {
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return __crh_wave(__crh_match, bits, 0, line, file);
}

// The forms with a mask: the lanes that take part are those that get there, as for the others.
template <class T>
static inline T __shfl_sync(unsigned long long, T value, int lane, int width = __CRH_WAVE, __CRH_SITE) {
    return __shfl(value, lane, width, line, file);
}
template <class T>
static inline T __shfl_xor_sync(unsigned long long, T value, int with, int width = __CRH_WAVE, __CRH_SITE) {
    return __shfl_xor(value, with, width, line, file);
}
template <class T>
static inline T __shfl_up_sync(unsigned long long, T value, unsigned delta, int width = __CRH_WAVE, __CRH_SITE) {
    return __shfl_up(value, delta, width, line, file);
}
template <class T>
static inline T __shfl_down_sync(unsigned long long, T value, unsigned delta, int width = __CRH_WAVE, __CRH_SITE) {
    return __shfl_down(value, delta, width, line, file);
}
static inline unsigned long long __ballot_sync(unsigned long long mask, int predicate, __CRH_SITE) {
    return __ballot(predicate, line, file) & mask;
}
static inline int __any_sync(unsigned long long, int predicate, __CRH_SITE) { return __any(predicate, line, file); }
static inline int __all_sync(unsigned long long, int predicate, __CRH_SITE) { return __all(predicate, line, file); }
template <class T>
static inline unsigned long long __match_any_sync(unsigned long long mask, T value, __CRH_SITE) {
    return __match_any(value, line, file) & mask;
}
#endif  // __CRH_WAVE
