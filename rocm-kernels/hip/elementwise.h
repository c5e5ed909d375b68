// The loops of all elementwise kernels: out[i] = op(a[i], b[i], c[i]) for one to three inputs of any types.
//
// An op is a small struct:
//   static constexpr Cost COST    how many instructions it takes per element, which decides how far it is unrolled
//   Out operator()(A a, ...) const
//
// Ways through, chosen per launch, the same for all threads:
//   contiguous (info null)                      16-byte accesses, several under way per thread
//   strided, row length divisible by W          one index per vector of W; per input a vector load where its inner stride
//                                               is 1, one element where it is 0 (broadcast), W elements otherwise
//   strided, any row length                     one index per element
//   strided, 2^31 elements or offsets and more  the same with 64-bit arithmetic
// Ops of cost LONG take one way for all.
// W is chosen so that the widest of the types fills 16 bytes: then every access of a wave is one unbroken run of memory.
#ifndef CANDLE_ROCM_ELEMENTWISE_H
#define CANDLE_ROCM_ELEMENTWISE_H

#include "index.h"
#include "platform.h"
#include "vec.h"

enum Cost {
  LIGHT,  // a few: memory is the limit, several vectors are under way at once
  HEAVY,  // tens: one vector at a time
  LONG,   // a hundred and more: one element at a time, and one copy of the code for all ways through
};

template <class T>
constexpr int size_of = sizeof(T);
template <>
constexpr int size_of<Nothing> = 0;

template <class T>
constexpr int operand_count = 1;
template <>
constexpr int operand_count<Nothing> = 0;

// One input: its pointer, and how to read W of its elements.
template <class T>
struct Input {
  const T* ptr;

  // ALIGNED: the vectors start at multiples of their size.
  template <int W, bool ALIGNED>
  DEVICE Vec<T, W> load(u64 tile, u32 i) const {
    const T* p = ptr + tile * W;
    if constexpr (ALIGNED) return load_vec<W>(p + i * W);
    return gather<W>(p, i * W, 1);
  }
  template <int W>
  DEVICE Vec<T, W> load_strided(u32 offset, u32 step, bool vectors) const {
    if (vectors) return load_vec<W>(ptr + offset);
    if (step == 0) return splat<W>(ptr[offset]);
    return gather<W>(ptr, offset, step);
  }
  DEVICE Vec<T, 1> load_one(u64 offset) const { return {{ptr[offset]}}; }
  DEVICE Input after(u64 count) const { return {ptr + count}; }
  template <int W>
  DEVICE bool vectors_aligned() const {
    return is_aligned(ptr, sizeof(T) * W);
  }
};

template <>
struct Input<Nothing> {
  const Nothing* ptr;

  template <int W, bool ALIGNED>
  DEVICE Vec<Nothing, W> load(u64, u32) const {
    return {};
  }
  template <int W>
  DEVICE Vec<Nothing, W> load_strided(u32, u32, bool) const {
    return {};
  }
  DEVICE Vec<Nothing, 1> load_one(u64) const { return {}; }
  DEVICE Input after(u64) const { return *this; }
  template <int W>
  DEVICE bool vectors_aligned() const {
    return true;
  }
};

template <class Out, class Op, class A, class B, class C>
struct Elementwise {
  static constexpr int WIDEST = max_of(max_of(size_of<Out>, size_of<A>), max_of(size_of<B>, size_of<C>));
  static constexpr int FULL = VECTOR_BYTES / WIDEST;
  // Conversions from and to f8 are costly themselves.
  static constexpr Cost COST = max_of(Op::COST, is_same<Out, f8_e4m3> || is_same<A, f8_e4m3> ? HEAVY : LIGHT);
  static constexpr int K = operand_count<A> + operand_count<B> + operand_count<C>;
  // Sixteen elements of three inputs would not stay in registers.
  static constexpr int W = COST == LONG ? 1 : COST == HEAVY || K == 3 ? min_of(FULL, 8) : FULL;
  // Vectors per thread: enough that 32 bytes or more are under way.
  static constexpr int LOADED = W * (size_of<A> + size_of<B> + size_of<C>);
  static constexpr int U = COST != LIGHT || LOADED > 40 ? 1 : LOADED < 8 ? 4 : 2;
  static constexpr int U_ROWS = COST != LIGHT || W * K > 12 ? 1 : 2;
  static constexpr int U_ELEMENTS = COST != LIGHT ? 1 : 2;

  Op op;
  Out* out;
  Input<A> a;
  Input<B> b;
  Input<C> c;

  template <int N>
  struct Inputs {
    Vec<A, N> a;
    Vec<B, N> b;
    Vec<C, N> c;
  };

  DEVICE Out call(A x, B y, C z) const {
    if constexpr (K == 0) {
      return op();
    } else if constexpr (K == 1) {
      return op(x);
    } else if constexpr (K == 2) {
      return op(x, y);
    } else {
      return op(x, y, z);
    }
  }

  template <int N>
  DEVICE Vec<Out, N> apply(const Inputs<N>& in) const {
    Vec<Out, N> result;
    UNROLLED
    for (int j = 0; j < N; j++) {
      result.at[j] = call(in.a.at[size_of<A> ? j : 0], in.b.at[size_of<B> ? j : 0], in.c.at[size_of<C> ? j : 0]);
    }
    return result;
  }

  // ---- contiguous ----

  template <bool ALIGNED>
  struct Vectors {
    using Item = Inputs<W>;
    const Elementwise& e;
    DEVICE Item load(u64 tile, u32 i) const {
      return {e.a.template load<W, ALIGNED>(tile, i), e.b.template load<W, ALIGNED>(tile, i),
              e.c.template load<W, ALIGNED>(tile, i)};
    }
    DEVICE void store(u64 tile, u32 i, const Item& in) const { store_vec(e.out + tile * W + i * W, e.apply(in)); }
  };

  // The first `head` elements and those from head + skip on, one by one.
  struct Edges {
    using Item = Inputs<1>;
    const Elementwise& e;
    u32 head;
    u64 skip;
    DEVICE u64 position(u32 i) const { return i < head ? i : i + skip; }
    DEVICE Item load(u64, u32 i) const {
      u64 p = position(i);
      return {e.a.load_one(p), e.b.load_one(p), e.c.load_one(p)};
    }
    DEVICE void store(u64, u32 i, const Item& in) const { e.out[position(i)] = e.apply(in).at[0]; }
  };

  DEVICE void contiguous(u64 numel) const {
    // Elements before the first place where the output can take a vector, and those after the last.
    u64 head = (0 - reinterpret_cast<u64>(out)) / sizeof(Out) % W;
    if (head > numel) head = numel;
    const u64 vectors = (numel - head) / W;
    const u32 edges = u32(numel - vectors * W);
    const Elementwise body = {op, out + head, a.after(head), b.after(head), c.after(head)};
    if (UNALIGNED_VECTORS || (body.a.template vectors_aligned<W>() && body.b.template vectors_aligned<W>() &&
                              body.c.template vectors_aligned<W>())) {
      for_each<U>(vectors, Vectors<true>{body});
    } else {
      for_each<1>(vectors, Vectors<UNALIGNED_VECTORS>{body});
    }
    if (W > 1 && edges > 0 && block_x() == 0) {
      const Edges ends = {*this, u32(head), vectors * W};
      for (u32 i = thread_x(); i < edges; i += block_size_x()) ends.store(0, i, ends.load(0, i));
    }
  }

  // ---- strided ----

  template <class Index>
  struct Elements {
    using Item = Inputs<1>;
    const Elementwise& e;
    const Index& index;
    DEVICE Item load(u64 tile, u32 i) const {
      auto offset = index(tile + i);
      return {e.a.load_one(offset.at[0]), e.b.load_one(offset.at[K > 1 ? 1 : 0]), e.c.load_one(offset.at[K > 2 ? 2 : 0])};
    }
    DEVICE void store(u64 tile, u32 i, const Item& in) const { e.out[tile + i] = e.apply(in).at[0]; }
  };

  struct Rows {
    using Item = Inputs<W>;
    const Elementwise& e;
    const Strided32<K>& index;
    bool a_vectors, b_vectors, c_vectors;
    DEVICE Item load(u64 tile, u32 i) const {
      auto offset = index(u32(tile + i) * W);
      return {e.a.template load_strided<W>(offset.at[0], index.inner_stride[0], a_vectors),
              e.b.template load_strided<W>(offset.at[K > 1 ? 1 : 0], index.inner_stride[K > 1 ? 1 : 0], b_vectors),
              e.c.template load_strided<W>(offset.at[K > 2 ? 2 : 0], index.inner_stride[K > 2 ? 2 : 0], c_vectors)};
    }
    DEVICE void store(u64 tile, u32 i, const Item& in) const { store_vec(e.out + tile * W + i * W, e.apply(in)); }
  };

  template <class T>
  DEVICE bool takes_vectors(const Input<T>& input, int k, u32 num_dims, const size_t* info) const {
    if constexpr (is_same<T, Nothing>) return false;
    const size_t* strides = info + (k + 1) * num_dims;
    return strides[num_dims - 1] == 1 && rows_aligned<W>(input.ptr, num_dims, strides);
  }

  DEVICE void strided(u64 numel, u32 num_dims, const size_t* info) const {
    if (!fits_32_bits<K>(numel, num_dims, info)) {
      for_each<1>(numel, Elements<Strided64<K>>{*this, Strided64<K>(num_dims, info)});
      return;
    }
    const Strided32<K> index(num_dims, info);
    if (W > 1 && info[num_dims - 1] % W == 0 && (UNALIGNED_VECTORS || is_aligned(out, sizeof(Out) * W))) {
      const Rows rows = {*this, index, takes_vectors(a, 0, num_dims, info), takes_vectors(b, 1, num_dims, info),
                         takes_vectors(c, 2, num_dims, info)};
      for_each<U_ROWS>(numel / W, rows);
    } else {
      for_each<U_ELEMENTS>(numel, Elements<Strided32<K>>{*this, index});
    }
  }

  // ---- all layouts in one loop ----

  struct Anywhere {
    using Item = Inputs<1>;
    const Elementwise& e;
    const Strided64<K> index;
    DEVICE Item load(u64 tile, u32 i) const {
      const u64 p = tile + i;
      if (index.num_dims == 0) return {e.a.load_one(p), e.b.load_one(p), e.c.load_one(p)};
      return Elements<Strided64<K>>{e, index}.load(tile, i);
    }
    DEVICE void store(u64 tile, u32 i, const Item& in) const { e.out[tile + i] = e.apply(in).at[0]; }
  };

  DEVICE void anywhere(u64 numel, u32 num_dims, const size_t* info) const {
    for_each<1>(numel, Anywhere{*this, Strided64<K>(num_dims, info)});
  }
};

template <class Op, class Out, class A = Nothing, class B = Nothing, class C = Nothing>
DEVICE void elementwise(size_t numel, size_t num_dims, const size_t* info, Op op, Out* out, const A* a = nullptr,
                        const B* b = nullptr, const C* c = nullptr) {
  const Elementwise<Out, Op, A, B, C> e = {op, out, {a}, {b}, {c}};
  const bool contiguous = e.K == 0 || info == nullptr || num_dims == 0;
  if constexpr (e.COST == LONG) {
    e.anywhere(numel, contiguous ? 0 : u32(num_dims), info);
  } else if (contiguous) {
    e.contiguous(numel);
  } else if constexpr (e.K > 0) {
    e.strided(numel, u32(num_dims), info);
  }
}

// For kernels where a null input means in place: the output is read and written, contiguously.
template <class Op, class T>
DEVICE void elementwise_or_in_place(size_t numel, size_t num_dims, const size_t* info, Op op, T* out, const T* inp) {
  const T* in = inp == nullptr ? out : inp;
  elementwise(numel, num_dims, inp == nullptr ? nullptr : info, op, out, in);
}

#endif
