// Atomic operations: real ones, because blocks run on several threads.
template <class T>
struct __crh_same {
    typedef T type;
};
template <class T>
using __crh_same_t = typename __crh_same<T>::type;

template <unsigned bytes>
struct __crh_bits;
template <>
struct __crh_bits<2> {
    typedef unsigned short type;
};
template <>
struct __crh_bits<4> {
    typedef unsigned type;
};
template <>
struct __crh_bits<8> {
    typedef unsigned long long type;
};

// Replaces *address by f(*address); returns what was there.
template <class T, class F>
static inline T __crh_update(T* address, F f) {
    typedef typename __crh_bits<sizeof(T)>::type Bits;
    Bits* place = reinterpret_cast<Bits*>(address);
    Bits seen = __atomic_load_n(place, __ATOMIC_RELAXED);
    for (;;) {
        T old, next;
        Bits bits;
        __builtin_memcpy(&old, &seen, sizeof(T));
        next = f(old);
        __builtin_memcpy(&bits, &next, sizeof(T));
        if (__atomic_compare_exchange_n(place, &seen, bits, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
    }
}

#define __CRH_ATOMIC(name, expression)                                       \
    template <class T>                                                       \
    static inline T name(T* address, __crh_same_t<T> value) {                \
        return __crh_update(address, [=](T old) -> T { return expression; }); \
    }
#define __CRH_ATOMIC_INTEGER(name, builtin)                     \
    template <class T>                                          \
    static inline T name(T* address, __crh_same_t<T> value) {   \
        return builtin(address, value, __ATOMIC_RELAXED);       \
    }

__CRH_ATOMIC(atomicAdd, old + value)
__CRH_ATOMIC(atomicSub, old - value)
__CRH_ATOMIC(atomicMin, value < old ? value : old)
__CRH_ATOMIC(atomicMax, old < value ? value : old)
__CRH_ATOMIC(atomicInc, old >= value ? T(0) : T(old + 1))
__CRH_ATOMIC(atomicDec, old == T(0) || old > value ? value : T(old - 1))
__CRH_ATOMIC(atomicExch, value)
__CRH_ATOMIC_INTEGER(atomicAnd, __atomic_fetch_and)
__CRH_ATOMIC_INTEGER(atomicOr, __atomic_fetch_or)
__CRH_ATOMIC_INTEGER(atomicXor, __atomic_fetch_xor)

static inline int atomicAdd(int* address, int value) { return __atomic_fetch_add(address, value, __ATOMIC_RELAXED); }
static inline unsigned atomicAdd(unsigned* address, unsigned value) {
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
static inline unsigned long atomicAdd(unsigned long* address, unsigned long value) {
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
static inline unsigned long long atomicAdd(unsigned long long* address, unsigned long long value) {
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}

template <class T>
static inline T atomicCAS(T* address, __crh_same_t<T> expected, __crh_same_t<T> value) {
    typedef typename __crh_bits<sizeof(T)>::type Bits;
    Bits seen, bits;
    __builtin_memcpy(&seen, &expected, sizeof(T));
    __builtin_memcpy(&bits, &value, sizeof(T));
    __atomic_compare_exchange_n(reinterpret_cast<Bits*>(address), &seen, bits, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    T old;
    __builtin_memcpy(&old, &seen, sizeof(T));
    return old;
}

#define __CRH_SCOPED(name)                                                                             \
    template <class T>                                                                                 \
    static inline T name##_block(T* address, __crh_same_t<T> value) { return name(address, value); }  \
    template <class T>                                                                                 \
    static inline T name##_system(T* address, __crh_same_t<T> value) { return name(address, value); }
__CRH_SCOPED(atomicAdd)
__CRH_SCOPED(atomicSub)
__CRH_SCOPED(atomicMin)
__CRH_SCOPED(atomicMax)
__CRH_SCOPED(atomicExch)
__CRH_SCOPED(atomicAnd)
__CRH_SCOPED(atomicOr)
__CRH_SCOPED(atomicXor)

template <class T>
static inline T unsafeAtomicAdd(T* address, __crh_same_t<T> value) { return atomicAdd(address, value); }
template <class T>
static inline T safeAtomicAdd(T* address, __crh_same_t<T> value) { return atomicAdd(address, value); }

#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5
#define __hip_atomic_load(address, order, scope) __atomic_load_n(address, order)
#define __hip_atomic_store(address, value, order, scope) __atomic_store_n(address, value, order)
#define __hip_atomic_fetch_add(address, value, order, scope) __crh_fetch_add(address, value)
#define __hip_atomic_exchange(address, value, order, scope) atomicExch(address, value)
template <class T>
static inline T __crh_fetch_add(T* address, __crh_same_t<T> value) { return atomicAdd(address, value); }
