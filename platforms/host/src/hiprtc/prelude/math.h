// Mathematics by the names that kernels know. libm's functions are declared here, not included: <cmath> takes longer
// to read than most kernels take to compile.
#define __CRH_LIBM_1(name)                       \
    extern "C" double name(double) noexcept;     \
    extern "C" float name##f(float) noexcept;    \
    static inline float name(float x) noexcept { return name##f(x); }
#define __CRH_LIBM_2(name)                            \
    extern "C" double name(double, double) noexcept;  \
    extern "C" float name##f(float, float) noexcept;  \
    static inline float name(float x, float y) noexcept { return name##f(x, y); }

__CRH_LIBM_1(acos)
__CRH_LIBM_1(acosh)
__CRH_LIBM_1(asin)
__CRH_LIBM_1(asinh)
__CRH_LIBM_1(atan)
__CRH_LIBM_1(atanh)
__CRH_LIBM_1(cbrt)
__CRH_LIBM_1(ceil)
__CRH_LIBM_1(cos)
__CRH_LIBM_1(cosh)
__CRH_LIBM_1(erf)
__CRH_LIBM_1(erfc)
__CRH_LIBM_1(exp)
__CRH_LIBM_1(exp2)
__CRH_LIBM_1(expm1)
__CRH_LIBM_1(fabs)
__CRH_LIBM_1(floor)
__CRH_LIBM_1(lgamma)
__CRH_LIBM_1(log)
__CRH_LIBM_1(log10)
__CRH_LIBM_1(log1p)
__CRH_LIBM_1(log2)
__CRH_LIBM_1(logb)
__CRH_LIBM_1(nearbyint)
__CRH_LIBM_1(rint)
__CRH_LIBM_1(round)
__CRH_LIBM_1(sin)
__CRH_LIBM_1(sinh)
__CRH_LIBM_1(sqrt)
__CRH_LIBM_1(tan)
__CRH_LIBM_1(tanh)
__CRH_LIBM_1(tgamma)
__CRH_LIBM_1(trunc)
__CRH_LIBM_2(atan2)
__CRH_LIBM_2(copysign)
__CRH_LIBM_2(fdim)
__CRH_LIBM_2(fmax)
__CRH_LIBM_2(fmin)
__CRH_LIBM_2(fmod)
__CRH_LIBM_2(hypot)
__CRH_LIBM_2(nextafter)
__CRH_LIBM_2(pow)
__CRH_LIBM_2(remainder)

extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
extern "C" double frexp(double, int*) noexcept;
extern "C" float frexpf(float, int*) noexcept;
extern "C" double modf(double, double*) noexcept;
extern "C" float modff(float, float*) noexcept;
extern "C" long lround(double) noexcept;
extern "C" long lroundf(float) noexcept;
extern "C" long lrint(double) noexcept;
extern "C" long lrintf(float) noexcept;
extern "C" long long llround(double) noexcept;
extern "C" long long llroundf(float) noexcept;
extern "C" long long llrint(double) noexcept;
extern "C" long long llrintf(float) noexcept;
extern "C" void sincos(double, double*, double*) noexcept;
extern "C" void sincosf(float, float*, float*) noexcept;
extern "C" int abs(int) noexcept;
extern "C" long labs(long) noexcept;
extern "C" long long llabs(long long) noexcept;

static inline float fma(float x, float y, float z) noexcept { return fmaf(x, y, z); }
static inline float ldexp(float x, int e) noexcept { return ldexpf(x, e); }
static inline float pow(float x, int y) noexcept { return powf(x, (float)y); }
static inline double pow(double x, int y) noexcept { return pow(x, (double)y); }
static inline long abs(long x) noexcept { return labs(x); }
static inline long long abs(long long x) noexcept { return llabs(x); }
static inline float abs(float x) noexcept { return fabsf(x); }
static inline double abs(double x) noexcept { return fabs(x); }

static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
static inline double rcbrt(double x) { return 1.0 / cbrt(x); }
static inline double exp10(double x) { return pow(10.0, x); }
static inline float exp10f(float x) { return powf(10.0f, x); }
static inline double normcdf(double x) { return 0.5 * erfc(x * -0.70710678118654752440); }
static inline float normcdff(float x) { return 0.5f * erfcf(x * -0.70710678118654752440f); }
static inline void sincospif(float x, float* s, float* c) { sincosf(x * 3.14159265358979323846f, s, c); }
static inline float fdividef(float x, float y) { return x / y; }

#define __CRH_CLASSIFY(type)                                                        \
    static inline bool isnan(type x) { return __builtin_isnan(x); }                \
    static inline bool isinf(type x) { return __builtin_isinf(x) != 0; }           \
    static inline bool isfinite(type x) { return __builtin_isfinite(x); }          \
    static inline bool signbit(type x) { return __builtin_signbit(x) != 0; }
__CRH_CLASSIFY(float)
__CRH_CLASSIFY(double)

#define __CRH_MIN_MAX(type)                                                  \
    static inline type min(type x, type y) { return y < x ? y : x; }         \
    static inline type max(type x, type y) { return x < y ? y : x; }
__CRH_MIN_MAX(int)
__CRH_MIN_MAX(unsigned)
__CRH_MIN_MAX(long)
__CRH_MIN_MAX(unsigned long)
__CRH_MIN_MAX(long long)
__CRH_MIN_MAX(unsigned long long)
static inline float min(float x, float y) { return fminf(x, y); }
static inline float max(float x, float y) { return fmaxf(x, y); }
static inline double min(double x, double y) { return fmin(x, y); }
static inline double max(double x, double y) { return fmax(x, y); }

template <class To, class From>
static inline To __crh_cast(From from) {
    static_assert(sizeof(To) == sizeof(From), "");
    To to;
    __builtin_memcpy(&to, &from, sizeof(To));
    return to;
}
static inline unsigned __float_as_uint(float x) { return __crh_cast<unsigned>(x); }
static inline int __float_as_int(float x) { return __crh_cast<int>(x); }
static inline float __uint_as_float(unsigned x) { return __crh_cast<float>(x); }
static inline float __int_as_float(int x) { return __crh_cast<float>(x); }
static inline long long __double_as_longlong(double x) { return __crh_cast<long long>(x); }
static inline double __longlong_as_double(long long x) { return __crh_cast<double>(x); }
static inline int __float2int_rn(float x) { return (int)rintf(x); }
static inline int __float2int_rz(float x) { return (int)x; }
static inline int __float2int_rd(float x) { return (int)floorf(x); }
static inline int __float2int_ru(float x) { return (int)ceilf(x); }
static inline unsigned __float2uint_rn(float x) { return (unsigned)rintf(x); }
static inline unsigned __float2uint_rz(float x) { return (unsigned)x; }
static inline float __int2float_rn(int x) { return (float)x; }
static inline float __uint2float_rn(unsigned x) { return (float)x; }

// The quick forms are as exact as the others here. Their names are libc's own as well, so they get another one.
#define __CRH_QUICK_1(name, value) extern "C" inline float __crh_##name(float x) noexcept { return value; }
#define __CRH_QUICK_2(name, value) extern "C" inline float __crh_##name(float x, float y) noexcept { return value; }
__CRH_QUICK_1(expf, expf(x))
__CRH_QUICK_1(exp10f, powf(10.0f, x))
__CRH_QUICK_1(logf, logf(x))
__CRH_QUICK_1(log2f, log2f(x))
__CRH_QUICK_1(log10f, log10f(x))
__CRH_QUICK_1(sinf, sinf(x))
__CRH_QUICK_1(cosf, cosf(x))
__CRH_QUICK_1(tanf, tanf(x))
__CRH_QUICK_2(powf, powf(x, y))
#define __expf(x) __crh_expf(x)
#define __exp10f(x) __crh_exp10f(x)
#define __logf(x) __crh_logf(x)
#define __log2f(x) __crh_log2f(x)
#define __log10f(x) __crh_log10f(x)
#define __sinf(x) __crh_sinf(x)
#define __cosf(x) __crh_cosf(x)
#define __tanf(x) __crh_tanf(x)
#define __powf(x, y) __crh_powf(x, y)
static inline float __fdividef(float x, float y) { return x / y; }
static inline float __fdiv_rn(float x, float y) { return x / y; }
static inline float __frcp_rn(float x) { return 1.0f / x; }
static inline float __fsqrt_rn(float x) { return sqrtf(x); }
static inline float __frsqrt_rn(float x) { return 1.0f / sqrtf(x); }
static inline float __fadd_rn(float x, float y) { return x + y; }
static inline float __fsub_rn(float x, float y) { return x - y; }
static inline float __fmul_rn(float x, float y) { return x * y; }
static inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
static inline double __dadd_rn(double x, double y) { return x + y; }
static inline double __dmul_rn(double x, double y) { return x * y; }
static inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
static inline float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
static inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned select) {
    unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) result |= (unsigned)(bytes >> (select >> 4 * i & 7) * 8 & 0xff) << 8 * i;
    return result;
}
static inline int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
static inline unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
static inline long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
static inline int __mul24(int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }
static inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
static inline int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 4; i++) c += (signed char)(a >> 8 * i) * (signed char)(b >> 8 * i);
    return c;
}
template <class T>
static inline T __ldg(const T* address) { return *address; }
#ifdef __x86_64__
static inline long long clock64() { return (long long)__builtin_ia32_rdtsc(); }
static inline long long wall_clock64() { return (long long)__builtin_ia32_rdtsc(); }
#endif
