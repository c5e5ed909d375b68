// Vector types (float4 and the like), with the alignment that a GPU's wide loads need.
#define __CRH_VECTOR(scalar, name, align2, align4)                                                             \
    struct name##1 { scalar x; };                                                                              \
    struct alignas(align2) name##2 { scalar x, y; };                                                           \
    struct name##3 { scalar x, y, z; };                                                                        \
    struct alignas(align4) name##4 { scalar x, y, z, w; };                                                     \
    static inline name##1 make_##name##1(scalar x) { return name##1{x}; }                                      \
    static inline name##2 make_##name##2(scalar x, scalar y) { return name##2{x, y}; }                         \
    static inline name##3 make_##name##3(scalar x, scalar y, scalar z) { return name##3{x, y, z}; }            \
    static inline name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { return name##4{x, y, z, w}; }

__CRH_VECTOR(signed char, char, 2, 4)
__CRH_VECTOR(unsigned char, uchar, 2, 4)
__CRH_VECTOR(short, short, 4, 8)
__CRH_VECTOR(unsigned short, ushort, 4, 8)
__CRH_VECTOR(int, int, 8, 16)
__CRH_VECTOR(long, long, 16, 32)
__CRH_VECTOR(unsigned long, ulong, 16, 32)
__CRH_VECTOR(long long, longlong, 16, 32)
__CRH_VECTOR(unsigned long long, ulonglong, 16, 32)
__CRH_VECTOR(float, float, 8, 16)
__CRH_VECTOR(double, double, 16, 32)

struct uint1 { unsigned x; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
static inline uint1 make_uint1(unsigned x) { return uint1{x}; }
static inline uint2 make_uint2(unsigned x, unsigned y) { return uint2{x, y}; }
static inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return uint3{x, y, z}; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return uint4{x, y, z, w}; }
