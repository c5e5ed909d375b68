// Kernels for `cargo xtask predict --validate`, written to the descriptions of published measurements. No function of the device
// libraries is called, so that any compiler for the processor will do. Sizes of workgroups are arguments: a compiler knows them no more
// than those of the sources did.

typedef unsigned u32;
typedef unsigned long long u64;

static __device__ inline u32 thread() { return threadIdx.x; }

// --- Launches

extern "C" __global__ void floor_add(float* at) { at[thread()] += 1.0f; }

extern "C" __global__ void dependent(u32* at) { atomicAdd(at, 1u); }

extern "C" __global__ void sweep(float* at, u32 size, u32 limit) {
  u32 i = blockIdx.x * size + thread();
  if (i < limit) at[i] += 1.0f;
}

extern "C" __global__ void scale(double* to, const double* from, double by, u32 size) {
  u64 i = u64(blockIdx.x) * size + thread();
  to[i] = from[i] * by;
}

// --- One lane that follows pointers

extern "C" __global__ void chase(const u32* next, u32* to, u32 steps) {
  u32 at = thread();
#pragma unroll 1
  for (u32 i = 0; i < steps; i++) at = next[at];
  to[0] = at;
}

// --- A row of a matrix times a vector, again and again from other places

template <int EXTRA>
static __device__ inline void tree(float* part, float sum, u32 size, float* to) {
  part[thread()] = sum;
#pragma unroll 1
  for (u32 half = size / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread() < half) part[thread()] += part[thread() + half];
    if (EXTRA) __syncthreads();
  }
  if (thread() == 0) to[0] = part[0];
}

static __device__ inline float repeated(const float* x, const float* row, u32 k, u32 repeats, u32 size) {
  float sum = 0.0f;
#pragma unroll 1
  for (u32 r = 0; r < repeats; r++) {
#pragma unroll 1
    for (u32 i = thread(); i < k; i += size) {
      u32 j = (i + r) % k;
      sum = __builtin_fmaf(x[j], row[j], sum);
    }
  }
  return sum;
}

template <int N>
static __device__ inline float repeated_in_turn(const float* x, const float* row, u32 k, u32 repeats, u32 size) {
  float sums[N] = {};
  u32 step = 0;
#pragma unroll 1
  for (u32 r = 0; r < repeats; r++) {
#pragma unroll 1
    for (u32 i = thread(); i < k; i += size) {
      u32 j = (i + r) % k;
      float a = x[j], b = row[j];
#pragma unroll
      for (u32 n = 0; n < N; n++) sums[n] = n == step % N ? __builtin_fmaf(a, b, sums[n]) : sums[n];
      step++;
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (u32 n = 0; n < N; n++) sum += sums[n];
  return sum;
}

#define GEMV(NAME, SUM, EXTRA)                                                                                                \
  extern "C" __global__ void NAME(const float* x, const float* w, float* to, u32 k, u32 repeats, u32 size) {                  \
    __shared__ float part[256];                                                                                                \
    float sum = SUM(x, w + u64(blockIdx.x) * k, k, repeats, size);                                                             \
    tree<EXTRA>(part, sum, size, to + blockIdx.x);                                                                             \
  }
GEMV(gemv_tree, repeated, 0)
GEMV(gemv_extra_barrier, repeated, 1)
GEMV(gemv_accum4, repeated_in_turn<4>, 0)
GEMV(gemv_accum8, repeated_in_turn<8>, 0)
GEMV(gemv_accum16, repeated_in_turn<16>, 0)

static __device__ inline float wave_sum(float sum) {
#pragma unroll
  for (u32 mask = 16; mask > 0; mask /= 2) {
    int other = __builtin_amdgcn_ds_bpermute(int((thread() ^ mask) * 4), __builtin_bit_cast(int, sum));
    sum += __builtin_bit_cast(float, other);
  }
  return sum;
}

extern "C" __global__ void gemv_shuffle(const float* x, const float* w, float* to, u32 k, u32 repeats, u32 size) {
  __shared__ float part[8];
  float sum = wave_sum(repeated(x, w + u64(blockIdx.x) * k, k, repeats, size));
  if (thread() % 32 == 0) part[thread() / 32] = sum;
  __syncthreads();
  if (thread() == 0) {
    float all = 0.0f;
    for (u32 wave = 0; wave < size / 32; wave++) all += part[wave];
    to[blockIdx.x] = all;
  }
}

extern "C" __global__ void split_first(const float* x, const float* w, float* to, u32 k, u32 repeats, u32 size, u32 split) {
  __shared__ float part[256];
  u32 row = blockIdx.x / split, piece = blockIdx.x % split, length = k / split;
  float sum = repeated(x + piece * length, w + u64(row) * k + piece * length, length, repeats, size);
  tree<0>(part, sum, size, to + blockIdx.x);
}

extern "C" __global__ void split_second(const float* from, float* to, u32 size, u32 split) {
  __shared__ float part[256];
  float sum = 0.0f;
  for (u32 i = thread(); i < split; i += size) sum += from[blockIdx.x * split + i];
  tree<0>(part, sum, size, to + blockIdx.x);
}

// --- Patterns of loads

template <u32 P, bool HASHES>
static __device__ inline void pattern(const float* x, float* to, u32 threads, u32 size, u32 iterations, u32 mask) {
  u32 t = blockIdx.x * size + thread(), state = t;
  float sum = 0.0f;
#pragma unroll 1
  for (u32 i = 0; i < iterations; i++) {
    u32 base = (i * threads + t) * P;
#pragma unroll
    for (u32 p = 0; p < P; p++) {
      float bias = 0.0f;
      if (HASHES) {
        state ^= state >> 16;
        state *= 0x7feb352du;
        state ^= state >> 15;
        state *= 0x846ca68bu;
        state ^= i;
        bias = float(state & 255u) * 1e-6f;
      }
      sum = __builtin_fmaf(x[(base + p) & mask] + bias, 1.0f + 0.125f * p, sum);
    }
  }
  to[t] = sum;
}

#define PATTERN(NAME, P, HASHES)                                                                                              \
  extern "C" __global__ void NAME(const float* x, float* to, u32 threads, u32 size, u32 iterations, u32 mask) {               \
    pattern<P, HASHES>(x, to, threads, size, iterations, mask);                                                                \
  }
PATTERN(coalesced_1, 1, false)
PATTERN(coalesced_4, 4, false)
PATTERN(coalesced_8, 8, false)
PATTERN(interleave_2, 2, true)
PATTERN(interleave_4, 4, true)

extern "C" __global__ void strided(const float* x, float* to, u32 threads, u32 size, u32 iterations, u32 mask, u32 stride) {
  u32 t = blockIdx.x * size + thread();
  float sum = 0.0f;
#pragma unroll 1
  for (u32 i = 0; i < iterations; i++) sum = __builtin_fmaf(x[((i * threads + t) * stride) & mask], 1.0f, sum);
  to[t] = sum;
}

// --- Dot products of bytes

#if defined(__gfx1100__) || defined(__gfx1101__) || defined(__gfx1151__) || defined(__gfx1201__)
static __device__ inline int dot_signed(int a, int b, int c) { return __builtin_amdgcn_sudot4(true, a, true, b, c, false); }
#else
static __device__ inline int dot_signed(int a, int b, int c) { return __builtin_amdgcn_sdot4(a, b, c, false); }
#endif

struct SignedDot {
  static __device__ int step(int w, int x, int sum) { return dot_signed(w, x, sum); }
};
struct UnsignedDot {
  static __device__ int step(int w, int x, int sum) { return int(__builtin_amdgcn_udot4(u32(w), u32(x), u32(sum), false)); }
};
struct ZeroDot {
  static __device__ int step(int w, int x, int sum) { return dot_signed(w, x, sum) - 32 * dot_signed(0x01010101, x, 0); }
};
struct ScalarDot {
  static __device__ int step(int w, int x, int sum) {
#pragma unroll
    for (int byte = 0; byte < 32; byte += 8) sum += (w << (24 - byte) >> 24) * (x << (24 - byte) >> 24);
    return sum;
  }
};

template <class D>
static __device__ inline void dot(const int* w, const int* x, int* to, u32 threads, u32 size, u32 iterations, u32 mask) {
  u32 t = blockIdx.x * size + thread();
  int sum = 0;
#pragma unroll 1
  for (u32 i = 0; i < iterations; i++) {
#pragma unroll
    for (u32 g = 0; g < 16; g++) {
      u32 at = ((i * threads + t) * 16 + g) & mask;
      sum = D::step(w[at], x[at], sum);
    }
  }
  to[t] = sum;
}

#define DOT(NAME, D)                                                                                                          \
  extern "C" __global__ void NAME(const int* w, const int* x, int* to, u32 threads, u32 size, u32 iterations, u32 mask) {     \
    dot<D>(w, x, to, threads, size, iterations, mask);                                                                         \
  }
DOT(dot_q8_signed, SignedDot)
DOT(dot_q4_unsigned, UnsignedDot)
DOT(dot_q6_zero, ZeroDot)
DOT(dot_scalar_dequant, ScalarDot)

// --- Arithmetic

template <u32 A, bool ONE>
static __device__ inline void issue(float* to, u32 size, u32 iterations) {
  u32 t = blockIdx.x * size + thread(), hashed = t * 747796405u;
  float sums[A];
#pragma unroll
  for (u32 a = 0; a < A; a++) sums[a] = float(a) * 0.25f;
#pragma unroll 1
  for (u32 i = 0; i < iterations; i++) {
#pragma unroll
    for (u32 a = 0; a < A; a++) {
      u32 bits = (hashed + i * 2891336453u + a * 277803737u) >> 24 & 31u;
      float bias = __builtin_fmaf(float(bits), 1e-6f, 3e-6f);
      float& sum = sums[ONE ? 0 : a];
      sum = __builtin_fmaf(sum, 0.999f, bias);
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (u32 a = 0; a < A; a++) sum += sums[a];
  to[t] = sum;
}

extern "C" __global__ void issue_independent_2(float* to, u32 size, u32 iterations) { issue<2, false>(to, size, iterations); }
extern "C" __global__ void issue_independent_4(float* to, u32 size, u32 iterations) { issue<4, false>(to, size, iterations); }
extern "C" __global__ void issue_independent_8(float* to, u32 size, u32 iterations) { issue<8, false>(to, size, iterations); }
extern "C" __global__ void issue_dependent_4(float* to, u32 size, u32 iterations) { issue<4, true>(to, size, iterations); }

template <bool DEQUANT>
static __device__ inline void mixed(float* to, u32 size, u32 iterations) {
  u32 t = blockIdx.x * size + thread();
  u32 states[2] = {t, t * 3u + 1u};
  float sums[4] = {0.0f, 0.25f, 0.5f, 0.75f};
#pragma unroll 1
  for (u32 i = 0; i < iterations; i++) {
#pragma unroll
    for (u32 a = 0; a < 4; a++) {
      u32& state = states[a % 2];
      state ^= i;
      state = state * 1664525u + 1013904223u;
      state ^= state >> 16;
      if (DEQUANT) {
        float value = float(int(state >> (i & 7u) & 255u) - 128) * 0.0078125f;
        sums[a] = __builtin_fmaf(value, 0.03125f, sums[a]);
      } else {
        float bias = __builtin_fmaf(float(state >> 8 & 31u), 1e-6f, 3e-6f);
        sums[a] = __builtin_fmaf(sums[a], 0.999f, bias);
      }
    }
  }
  to[t] = sums[0] + sums[1] + sums[2] + sums[3];
}

extern "C" __global__ void issue_mixed(float* to, u32 size, u32 iterations) { mixed<false>(to, size, iterations); }
extern "C" __global__ void issue_dequant(float* to, u32 size, u32 iterations) { mixed<true>(to, size, iterations); }

// --- The largest value of a row, and where it is

extern "C" __global__ void argmax(const float* from, float* values, u32* indices, u32 length, u32 size) {
  __shared__ float best[256];
  __shared__ u32 place[256];
  const float* row = from + u64(blockIdx.x) * length;
  float value = -3.4e38f;
  u32 index = 0;
#pragma unroll 1
  for (u32 i = thread(); i < length; i += size) {
    float other = row[i];
    bool is_better = other > value || (other == value && i < index);
    value = is_better ? other : value;
    index = is_better ? i : index;
  }
  best[thread()] = value;
  place[thread()] = index;
  __syncthreads();
#pragma unroll 1
  for (u32 half = size / 2; half > 0; half /= 2) {
    if (thread() < half) {
      float other = best[thread() + half];
      u32 at = place[thread() + half];
      if (other > best[thread()] || (other == best[thread()] && at < place[thread()])) {
        best[thread()] = other;
        place[thread()] = at;
      }
    }
    __syncthreads();
  }
  if (thread() == 0) {
    values[blockIdx.x] = best[0];
    indices[blockIdx.x] = place[0];
  }
}

// --- Weights of 8 bits times a vector of 8 bits, a wave for each result

typedef int unaligned_int __attribute__((aligned(2)));
struct Weights {
  _Float16 scale;
  signed char values[32];
};
struct Values {
  _Float16 scale, sum;
  signed char values[32];
};

extern "C" __global__ void q8(const Weights* w, const Values* x, unsigned short* to, u32 k, u32 n, u32 rows, u32 tile) {
  u32 blocks = k / 32;
  u32 first = blockIdx.y * tile, last = first + tile < rows ? first + tile : rows;
#pragma unroll 1
  for (u32 row = first; row < last; row++) {
    float sum = 0.0f;
#pragma unroll 1
    for (u32 block = thread(); block < blocks; block += 32) {
      const Weights& weights = w[u64(blockIdx.x) * blocks + block];
      const Values& values = x[row * blocks + block];
      const unaligned_int* a = (const unaligned_int*)weights.values;
      const int* b = (const int*)values.values;
      int dots = 0;
#pragma unroll
      for (int i = 0; i < 8; i++) dots = dot_signed(a[i], b[i], dots);
      sum += float(weights.scale) * float(values.scale) * float(dots);
    }
    sum = wave_sum(sum);
    if (thread() == 0) to[row * n + blockIdx.x] = (unsigned short)(__builtin_bit_cast(u32, sum) >> 16);
  }
}

extern "C" __global__ void quantize(const unsigned short* from, Values* to, u32 k) {
  u32 block = blockIdx.x, row = blockIdx.y;
  float value = __builtin_bit_cast(float, u32(from[row * k + block * 32 + thread()]) << 16);
  float most = value < 0.0f ? -value : value;
#pragma unroll
  for (u32 mask = 16; mask > 0; mask /= 2) {
    int other = __builtin_amdgcn_ds_bpermute(int((thread() ^ mask) * 4), __builtin_bit_cast(int, most));
    float more = __builtin_bit_cast(float, other);
    most = more > most ? more : most;
  }
  float scale = most * (1.0f / 127.0f);
  float inverse = most > 0.0f ? 127.0f * __builtin_amdgcn_rcpf(most) : 0.0f;
  float sum = wave_sum(value);
  Values& out = to[row * (k / 32) + block];
  out.values[thread()] = (signed char)int(value * inverse + (value < 0.0f ? -0.5f : 0.5f));
  if (thread() == 0) {
    out.scale = _Float16(scale);
    out.sum = _Float16(sum);
  }
}

// --- Peaks: nothing but one kind of instruction, from many waves

typedef float float4v __attribute__((ext_vector_type(4)));

extern "C" __global__ void peak_lds(float* to, u32 size, u32 iterations, float, float) {
  __shared__ float4v all[256];
  u32 t = thread();
  all[t] = float4v{float(t), 1.0f, 2.0f, 3.0f};
  __syncthreads();
  float4v sum = all[t];
#pragma unroll 4
  for (u32 i = 0; i < iterations; i++) sum += all[(t + i) & 255u];
  to[blockIdx.x * size + t] = sum.x + sum.y + sum.z + sum.w;
}

// Each workgroup reads its own window, or all of them the same one, again and again.
extern "C" __global__ void peak_read(const float4v* from, float* to, u32 size, u32 iterations, u32 mask, u32 own) {
  u32 t = thread();
  const float4v* window = from + u64(blockIdx.x) * own;
  float4v sum = {};
#pragma unroll 4
  for (u32 i = 0; i < iterations; i++) sum += window[(t + i * size) & mask];
  to[blockIdx.x * size + t] = sum.x + sum.y + sum.z + sum.w;
}

extern "C" __global__ void peak_fma(float* to, u32 size, u32 iterations, float x, float y) {
  float a[8];
#pragma unroll
  for (u32 n = 0; n < 8; n++) a[n] = float(thread() + n);
  float b = x + float(thread()), c = y + float(thread());
#pragma unroll 4
  for (u32 i = 0; i < iterations; i++) {
#pragma unroll
    for (u32 n = 0; n < 8; n++) a[n] = __builtin_fmaf(b, c, a[n]);
  }
  to[blockIdx.x * size + thread()] = a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7];
}

extern "C" __global__ void peak_fma64(float* to, u32 size, u32 iterations, float, float) {
  double a[8];
#pragma unroll
  for (u32 n = 0; n < 8; n++) a[n] = double(thread() + n);
#pragma unroll 4
  for (u32 i = 0; i < iterations; i++) {
#pragma unroll
    for (u32 n = 0; n < 8; n++) a[n] = __builtin_fma(a[n], 0.5, 1.0);
  }
  to[blockIdx.x * size + thread()] = float(a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7]);
}

#if defined(__gfx90a__) || defined(__gfx942__)
typedef float result __attribute__((ext_vector_type(4)));
typedef _Float16 operand __attribute__((ext_vector_type(4)));
static __device__ inline result product(operand a, operand b, result c) {
  return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
}
#elif defined(__gfx1201__)
typedef int result __attribute__((ext_vector_type(8)));
typedef int operand __attribute__((ext_vector_type(2)));
static __device__ inline result product(operand a, operand b, result c) {
  return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, a, true, b, c, false);
}
#else
typedef float result __attribute__((ext_vector_type(8)));
typedef _Float16 operand __attribute__((ext_vector_type(16)));
static __device__ inline result product(operand a, operand b, result c) {
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
}
#endif

extern "C" __global__ void peak_matrix(float* to, u32 size, u32 iterations, float, float) {
  operand a = operand(1), b = operand(2);
  result sums[4] = {};
#pragma unroll 1
  for (u32 i = 0; i < iterations; i++) {
#pragma unroll
    for (u32 n = 0; n < 4; n++) sums[n] = product(a, b, sums[n]);
  }
  to[blockIdx.x * size + thread()] = float(sums[0][0] + sums[1][0] + sums[2][0] + sums[3][0]);
}
