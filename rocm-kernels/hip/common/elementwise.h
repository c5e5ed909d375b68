// The loops of all elementwise kernels: out[i] = op(a[i], b[i], c[i]), for up to three inputs of any types.
//
// An op is a small struct:
//   static constexpr Cost COST    its cost in instructions per element, which limits unrolling
//   Out operator()(A a, ...) const
// An op that is slow for few operands and fast for most also has, with has_quick<Op>,
//   Out quick(A a, ..., bool& valid) const
// which clears `valid` if its result may be wrong: one branch per vector instead of one per element.
//
// There are three loops, chosen uniformly per launch. Each is instantiated once, to limit code size and compile time.
//   Vectors   contiguous inputs (info null) and scalars beside them: 16-byte accesses, several in flight per thread
//   Rows      strided inputs of up to 2^31 elements whose row length is a multiple of W: one index per vector of W; inputs
//             with inner stride 1 are loaded as vectors, those with stride 0 (broadcast) as one element
//   Elements  everything else, and the unaligned head and tail of Vectors: one index per element
// Ops of cost LONG only use Elements.
//
// W is such that the widest type fills 16 bytes: then the accesses of a wavefront are contiguous.
#ifndef CANDLE_ROCM_ELEMENTWISE_H
#define CANDLE_ROCM_ELEMENTWISE_H

#include "common/index.h"
#include "common/platform.h"
#include "common/vec.h"

enum Cost {
  LIGHT,  // a few: memory-bound, several vectors in flight
  HEAVY,  // tens: one vector at a time
  LONG,   // a hundred or more: one element at a time
};

template <class T>
constexpr int size_of = sizeof(T);
template <>
constexpr int size_of<Nothing> = 0;

template <class T>
constexpr int operand_count = 1;
template <>
constexpr int operand_count<Nothing> = 0;

template <class Op>
constexpr bool has_quick = false;

// store_vec to global memory. NVIDIA's compiler splits a vector store where it knows the origin of each word; consecutive
// threads then write every second or fourth word, at half the speed.
template <int W, class T>
DEVICE void store_whole(T* p, const Vec<T, W>& v) {
#if PLATFORM_NVIDIA
  if constexpr (sizeof(v) == 16) {
    const u32x4 w = bit_cast<u32x4>(v);
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(p)), "r"(w.x), "r"(w.y),
                 "r"(w.z), "r"(w.w)
                 : "memory");
    return;
  }
#endif
  store_vec(p, v);
}

// One input, and how to load W of its elements. SCALARS: contiguous access may be to a scalar, whose first element it always
// yields.
template <class T, bool SCALARS>
struct Input {
  const T* ptr;
  bool constant = false;  // it is a scalar
  bool vectors = false;   // its rows can be loaded as vectors

  template <int W>
  DEVICE Vec<T, W> load(u64 tile, u32 i) const {
    if (SCALARS && constant) return splat<W>(*ptr);
    return load_vec<W>(ptr + tile * W + i * W);
  }
  template <int W>
  DEVICE Vec<T, W> load_row(u32 offset) const {
    if (vectors) return load_vec<W>(ptr + offset);
    return splat<W>(ptr[offset]);
  }
  DEVICE Vec<T, 1> load_one(u64 offset) const { return {{ptr[offset]}}; }
  DEVICE Vec<T, 1> load_contiguous(u64 position) const { return load_one(SCALARS && constant ? 0 : position); }
  DEVICE Input after(u64 count) const { return {SCALARS && constant ? ptr : ptr + count, constant, vectors}; }
  template <int W>
  DEVICE bool vectors_aligned() const {
    return (SCALARS && constant) || is_aligned(ptr, sizeof(T) * W);
  }
  // Whether load_row supports these strides; prepares for it.
  template <int W>
  DEVICE bool takes_rows(u32 num_dims, const size_t* strides) {
    if (strides[num_dims - 1] == 0) return true;
    vectors = strides[num_dims - 1] == 1 && rows_aligned<W>(ptr, num_dims, strides);
    return vectors;
  }
};

template <bool SCALARS>
struct Input<Nothing, SCALARS> {
  const Nothing* ptr;
  bool constant = false;

  template <int W>
  DEVICE Vec<Nothing, W> load(u64, u32) const {
    return {};
  }
  template <int W>
  DEVICE Vec<Nothing, W> load_row(u32) const {
    return {};
  }
  DEVICE Vec<Nothing, 1> load_one(u64) const { return {}; }
  DEVICE Vec<Nothing, 1> load_contiguous(u64) const { return {}; }
  DEVICE Input after(u64) const { return *this; }
  template <int W>
  DEVICE bool vectors_aligned() const {
    return true;
  }
  template <int W>
  DEVICE bool takes_rows(u32, const size_t*) {
    return true;
  }
};

template <class Out, class Op, class A, class B, class C>
struct Elementwise {
  static constexpr int WIDEST = max_of(max_of(size_of<Out>, size_of<A>), max_of(size_of<B>, size_of<C>));
  static constexpr int FULL = VECTOR_BYTES / WIDEST;
  // Conversions from and to f8 are expensive themselves.
  static constexpr Cost COST = max_of(Op::COST, is_same<Out, f8_e4m3> || is_same<A, f8_e4m3> ? HEAVY : LIGHT);
  static constexpr int K = operand_count<A> + operand_count<B> + operand_count<C>;
  static constexpr int OPERANDS = max_of(K, 1);
  // Sixteen elements of three inputs would not fit in registers.
  static constexpr int W = COST == LONG ? 1 : COST == HEAVY || K == 3 ? min_of(FULL, 8) : FULL;
  // Vectors per thread: enough to have 32 bytes or more in flight, as far as registers allow.
  static constexpr int LOADED = W * (size_of<A> + size_of<B> + size_of<C>);
  static constexpr int U = COST != LIGHT || LOADED > 40 || (W * K) > 24 ? 1 : LOADED < 8 ? 4 : 2;
  static constexpr int U_ROWS = COST != LIGHT || (W * K) > 12 ? 1 : 2;
  static constexpr int U_ELEMENTS = COST != LIGHT ? 1 : 2;

  // Beside other inputs. Where it is the only one, Rows takes it: telling it apart takes two instructions for each element.
  static constexpr bool SCALARS = K > 1;

  Op op;
  Out* out;
  Input<A, SCALARS> a;
  Input<B, SCALARS> b;
  Input<C, SCALARS> c;

  template <int N>
  struct Inputs {
    Vec<A, N> a;
    Vec<B, N> b;
    Vec<C, N> c;

    DEVICE Inputs<1> element(int j) const {
      return {{{a.at[size_of<A> ? j : 0]}}, {{b.at[size_of<B> ? j : 0]}}, {{c.at[size_of<C> ? j : 0]}}};
    }
  };

  DEVICE Out call(const Inputs<1>& in) const {
    if constexpr (K == 0) {
      return op();
    } else if constexpr (K == 1) {
      return op(in.a.at[0]);
    } else if constexpr (K == 2) {
      return op(in.a.at[0], in.b.at[0]);
    } else {
      return op(in.a.at[0], in.b.at[0], in.c.at[0]);
    }
  }
  DEVICE Out call_quick(const Inputs<1>& in, bool& valid) const {
    if constexpr (K == 1) {
      return op.quick(in.a.at[0], valid);
    } else {
      return op.quick(in.a.at[0], in.b.at[0], valid);
    }
  }

  // Writes the results of N consecutive elements.
  template <int N>
  DEVICE void put(Out* to, const Inputs<N>& in) const {
    Vec<Out, N> result;
    if constexpr (has_quick<Op>) {
      bool valid = true;
      UNROLLED
      for (int j = 0; j < N; j++) result.at[j] = call_quick(in.element(j), valid);
      store_whole(to, result);
      if (valid) return;
      // Rare: recompute all of them, in a rolled loop over elements that stay in registers.
      ROLLED
      for (int at = 0; at < N; at++) {
        Inputs<1> one = in.element(0);
        UNROLLED
        for (int j = 1; j < N; j++) {
          if (j == at) one = in.element(j);
        }
        to[at] = call(one);
      }
    } else {
      UNROLLED
      for (int j = 0; j < N; j++) result.at[j] = call(in.element(j));
      store_whole(to, result);
    }
  }

  // ---- the loops ----

  struct Vectors {
    using Item = Inputs<W>;
    const Elementwise& e;
    DEVICE Item load(u64 tile, u32 i) const {
      return {e.a.template load<W>(tile, i), e.b.template load<W>(tile, i), e.c.template load<W>(tile, i)};
    }
    DEVICE void store(u64 tile, u32 i, const Item& in) const { e.put(e.out + tile * W + i * W, in); }
  };

  struct Rows {
    using Item = Inputs<W>;
    const Elementwise& e;
    const Strided32<OPERANDS>& index;
    DEVICE Item load(u64 tile, u32 i) const {
      const auto offset = index(u32(tile + i) * W);
      return {e.a.template load_row<W>(offset.at[0]), e.b.template load_row<W>(offset.at[K > 1 ? 1 : 0]),
              e.c.template load_row<W>(offset.at[K > 2 ? 2 : 0])};
    }
    DEVICE void store(u64 tile, u32 i, const Item& in) const { e.put(e.out + tile * W + i * W, in); }
  };

  enum Addressing { CONTIGUOUS, STRIDED_32, STRIDED_64 };
  // CONTIGUOUS: the first `head` elements and those from head + skip on.
  struct Elements {
    using Item = Inputs<1>;
    const Elementwise& e;
    Addressing addressing;
    u64 head, skip;
    const Strided32<OPERANDS>& strided_32;
    const Strided64<OPERANDS>& strided_64;
    DEVICE u64 position(u64 i) const { return i < head ? i : i + skip; }
    DEVICE Item load(u64 tile, u32 i) const {
      Offsets<OPERANDS, u64> offset;
      if (addressing == STRIDED_64) {
        offset = strided_64(tile + i);
      } else if (addressing == STRIDED_32) {
        const auto narrow = strided_32(u32(tile) + i);
        UNROLLED
        for (int k = 0; k < OPERANDS; k++) offset.at[k] = narrow.at[k];
      } else {
        const u64 p = position(tile + i);
        return {e.a.load_contiguous(p), e.b.load_contiguous(p), e.c.load_contiguous(p)};
      }
      return {e.a.load_one(offset.at[0]), e.b.load_one(offset.at[K > 1 ? 1 : 0]),
              e.c.load_one(offset.at[K > 2 ? 2 : 0])};
    }
    DEVICE void store(u64 tile, u32 i, const Item& in) const { e.put(e.out + position(tile + i), in); }
  };

  // Whether one-dimensional inputs of these strides are contiguous or constant; marks the constant ones.
  DEVICE bool hold_constants(const size_t* info) {
    if (!SCALARS) return info[1] == 1;
    const size_t x = info[1], y = info[K > 1 ? 2 : 1], z = info[K > 2 ? 3 : 1];
    if ((x | y | z) > 1) return false;
    a.constant = x == 0, b.constant = y == 0, c.constant = z == 0;
    return true;
  }

  DEVICE void run(u64 numel, u32 num_dims, const size_t* info) {
    Addressing addressing = CONTIGUOUS;
    if (K > 0 && info != nullptr && num_dims > 0 && !(num_dims == 1 && hold_constants(info))) {
      addressing = fits_32_bits<OPERANDS>(numel, num_dims, info) ? STRIDED_32 : STRIDED_64;
    }
    u64 head = numel, skip = 0, rest = numel;
    if constexpr (W > 1) {
      if (addressing == CONTIGUOUS) {
        // The elements before the first aligned vector of the output.
        const u64 before = min_of(numel, (0 - reinterpret_cast<u64>(out)) / sizeof(Out) % W);
        const Elementwise body = {op, out + before, a.after(before), b.after(before), c.after(before)};
        if (UNALIGNED_VECTORS || (body.a.template vectors_aligned<W>() && body.b.template vectors_aligned<W>() &&
                                  body.c.template vectors_aligned<W>())) {
          const u64 vectors = (numel - before) / W;
          for_each<U>(vectors, Vectors{body});
          head = before, skip = vectors * W, rest = numel - skip;
        }
      }
    }
    if (u64(block_x()) * block_size_x() >= rest) return;  // before what follows is made, which takes long
    const Strided32<OPERANDS> strided_32(addressing == STRIDED_32 ? num_dims : 0, info);
    const Strided64<OPERANDS> strided_64(num_dims, info);
    if constexpr (W > 1) {
      if (addressing == STRIDED_32 && info[num_dims - 1] % W == 0 &&
          (UNALIGNED_VECTORS || is_aligned(out, sizeof(Out) * W)) &&
          a.template takes_rows<W>(num_dims, info + num_dims) &&
          b.template takes_rows<W>(num_dims, info + min_of(K, 2) * num_dims) &&
          c.template takes_rows<W>(num_dims, info + min_of(K, 3) * num_dims)) {
        for_each<U_ROWS>(numel / W, Rows{*this, strided_32});
        return;
      }
    }
    for_each<U_ELEMENTS>(rest, Elements{*this, addressing, head, skip, strided_32, strided_64});
  }
};

template <class Op, class Out, class A = Nothing, class B = Nothing, class C = Nothing>
DEVICE void elementwise(size_t numel, size_t num_dims, const size_t* info, Op op, Out* out, const A* a = nullptr,
                        const B* b = nullptr, const C* c = nullptr) {
  Elementwise<Out, Op, A, B, C> e = {op, out, {a}, {b}, {c}};
  e.run(numel, u32(num_dims), info);
}

// For kernels where a null input means in place: the output is read and written, contiguously.
template <class Op, class T>
DEVICE void elementwise_or_in_place(size_t numel, size_t num_dims, const size_t* info, Op op, T* out, const T* inp) {
  const T* in = inp == nullptr ? out : inp;
  elementwise(numel, num_dims, inp == nullptr ? nullptr : info, op, out, in);
}

#endif
