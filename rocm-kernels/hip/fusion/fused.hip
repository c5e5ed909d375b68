// Kernels that fusion generates for models, recorded by `cargo xtask fused-kernels --write`.
// clang-format off
#include "common/elementwise.h"
#include "fusion/rows.h"
// The functions of these files without their kernels: templates that nobody instantiates have no code.
#undef KERNEL
#define KERNEL template <int = 0> DEVICE void
#include "elementwise/affine.hip"
#include "elementwise/binary.hip"
#include "elementwise/cast.hip"
#include "elementwise/ternary.hip"
#include "elementwise/unary.hip"
template <class T>
DEVICE T unfused(T x) {
  return x;
}
DEVICE float unfused(float x) {
#if defined(__AMDGCN__)
  asm("" : "+v"(x));
#endif
  return x;
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_015a79c41b791046(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = ugelu<f32>{}(t0);
      return t1;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_01eccd2debc1f0e6(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, f32* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 2> h2(operand2 + offsets.at[2], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      const f32 t1 = badd<f32>{}(t0, x0);
      return t1;
    }, h0, h1, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_036413c39edaf561(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, f32* out0, f32* out1, f32* out2, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f16 x0) {
      const f32 t0 = Cast<f32, f16>{}(x0);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h0);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    write_row(out0 + row * n, share, [&](const f16 x0) {
      const f32 t0 = Cast<f32, f16>{}(x0);
      return t0;
    }, h0);
    if (team.rank == 0 && row < rows) out1[row] = t3;
    if (team.rank == 0 && row < rows) out2[row] = t4;
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_03797c974badf1dd(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, bf16* out0, bf16* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 8, 4> h0(operand0 + offsets.at[0], share);
    const bf16 x1 = *(operand1 + offsets.at[1]);
    const f32 t0 = Cast<f32, bf16>{}(x1);
    const f32 t1 = Affine<f32>{p0, p1}(t0);
    const bf16 t4 = Cast<bf16, f32>{}(t1);
    if (team.rank == 0 && row < rows) out0[row] = t4;
    write_row(out1 + row * n, share, [&](const bf16 x0) {
      const f32 t2 = Cast<f32, bf16>{}(x0);
      const f32 t3 = bmul<f32>{}(t1, t2);
      const bf16 t5 = Cast<bf16, f32>{}(t3);
      return t5;
    }, h0);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_045d050bf8fcf875(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, const f32* operand4, f32* out0, f32* out1, f32* out2, f32* out3, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7, const f32 p8, const f32 p9, const f32 p10, const f32 p11, const f32 p12, const f32 p13, const f32 p14, const f32 p15, const f32 p16, const f32 p17) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 2> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 2> h3(operand3 + offsets.at[3], share);
    const HeldRow<f32, 4, 2> h4(operand4 + offsets.at[4], share);
    write_row(out0 + row * n, share, [&](const f32 x3, const f32 x4) {
      const f32 t0 = badd<f32>{}(x3, x4);
      return t0;
    }, h3, h4);
    write_row(out1 + row * n, share, [&](const f32 x1, const f32 x3, const f32 x4) {
      const f32 t0 = badd<f32>{}(x3, x4);
      const f32 t1 = Affine<f32>{p0, p1}(x1);
      const f32 t2 = Affine<f32>{p2, p3}(t0);
      const f32 t3 = badd<f32>{}(t1, t2);
      return t3;
    }, h1, h3, h4);
    write_row(out2 + row * n, share, [&](const f32 x2, const f32 x3, const f32 x4) {
      const f32 t0 = badd<f32>{}(x3, x4);
      const f32 t4 = Affine<f32>{p4, p5}(x2);
      const f32 t5 = usqr<f32>{}(t0);
      const f32 t6 = Affine<f32>{p6, p7}(t5);
      const f32 t7 = badd<f32>{}(t4, t6);
      return t7;
    }, h2, h3, h4);
    write_row(out3 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3, const f32 x4) {
      const f32 t0 = badd<f32>{}(x3, x4);
      const f32 t1 = Affine<f32>{p0, p1}(x1);
      const f32 t2 = Affine<f32>{p2, p3}(t0);
      const f32 t3 = badd<f32>{}(t1, t2);
      const f32 t4 = Affine<f32>{p4, p5}(x2);
      const f32 t5 = usqr<f32>{}(t0);
      const f32 t6 = Affine<f32>{p6, p7}(t5);
      const f32 t7 = badd<f32>{}(t4, t6);
      const f32 t8 = Affine<f32>{p8, p9}(t3);
      const f32 t9 = Affine<f32>{p10, p11}(t7);
      const f32 t10 = Affine<f32>{p12, p13}(x0);
      const f32 t11 = usqrt<f32>{}(t9);
      const f32 t12 = Affine<f32>{p14, p15}(t11);
      const f32 t13 = bdiv<f32>{}(t8, t12);
      const f32 t14 = Affine<f32>{p16, p17}(t13);
      const f32 t15 = bsub<f32>{}(t10, t14);
      return t15;
    }, h0, h1, h2, h3, h4);
  });
}

struct joined_089022e14c0c2a52_tree {
  static constexpr Cost COST = max_of(bsub<f32>::COST, uexp<f32>::COST);
  DEVICE f32 operator()(const f32 x0, const f32 x1) const {
    const f32 t0 = bsub<f32>{}(x0, x1);
    const f32 t1 = uexp<f32>{}(t0);
    return t1;
  }
};
extern "C" __global__ void joined_089022e14c0c2a52(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, f32* out) {
  elementwise(numel, num_dims, info, joined_089022e14c0c2a52_tree{}, out, x0, x1);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_090b9207eefb1dcb(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, bf16* out0, bf16* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 8, 2> h0(operand0 + offsets.at[0], share);
    const bf16 x1 = *(operand1 + offsets.at[1]);
    const f32 t0 = Cast<f32, bf16>{}(x1);
    const f32 t1 = Affine<f32>{p0, p1}(t0);
    const bf16 t4 = Cast<bf16, f32>{}(t1);
    if (team.rank == 0 && row < rows) out0[row] = t4;
    write_row(out1 + row * n, share, [&](const bf16 x0) {
      const f32 t2 = Cast<f32, bf16>{}(x0);
      const f32 t3 = bmul<f32>{}(t1, t2);
      const bf16 t5 = Cast<bf16, f32>{}(t3);
      return t5;
    }, h0);
  });
}

struct joined_09b059df17f5ebe6_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(max_of(Cast<f32, bf16>::COST, Cast<f32, bf16>::COST), badd<f32>::COST), Cast<f32, bf16>::COST), badd<f32>::COST), Cast<bf16, f32>::COST);
  DEVICE bf16 operator()(const bf16 x0, const bf16 x1, const bf16 x2) const {
    const f32 t0 = Cast<f32, bf16>{}(x1);
    const f32 t1 = Cast<f32, bf16>{}(x2);
    const f32 t2 = badd<f32>{}(t0, t1);
    const f32 t3 = Cast<f32, bf16>{}(x0);
    const f32 t4 = badd<f32>{}(t3, t2);
    const bf16 t5 = Cast<bf16, f32>{}(t4);
    return t5;
  }
};
extern "C" __global__ void joined_09b059df17f5ebe6(const size_t numel, const size_t num_dims, const size_t* info, const bf16* x0, const bf16* x1, const bf16* x2, bf16* out) {
  elementwise(numel, num_dims, info, joined_09b059df17f5ebe6_tree{}, out, x0, x1, x2);
}

struct joined_0a6e12eafd1878ee_tree {
  static constexpr Cost COST = max_of(max_of(bsub<f32>::COST, Affine<f32>::COST), badd<f32>::COST);
  f32 p0;
  f32 p1;
  DEVICE f32 operator()(const f32 x0, const f32 x1) const {
    const f32 t0 = bsub<f32>{}(x1, x0);
    const f32 t1 = Affine<f32>{p0, p1}(t0);
    const f32 t2 = badd<f32>{}(x0, t1);
    return t2;
  }
};
extern "C" __global__ void joined_0a6e12eafd1878ee(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, f32* out, const f32 p0, const f32 p1) {
  elementwise(numel, num_dims, info, joined_0a6e12eafd1878ee_tree{p0, p1}, out, x0, x1);
}

struct joined_0b658c305f33ab35_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(Cast<f32, bf16>::COST, ugelu<f32>::COST), Cast<f32, bf16>::COST), bmul<f32>::COST), Cast<bf16, f32>::COST);
  DEVICE bf16 operator()(const bf16 x0, const bf16 x1) const {
    const f32 t0 = Cast<f32, bf16>{}(x1);
    const f32 t1 = ugelu<f32>{}(t0);
    const f32 t2 = Cast<f32, bf16>{}(x0);
    const f32 t3 = bmul<f32>{}(t2, t1);
    const bf16 t4 = Cast<bf16, f32>{}(t3);
    return t4;
  }
};
extern "C" __global__ void joined_0b658c305f33ab35(const size_t numel, const size_t num_dims, const size_t* info, const bf16* x0, const bf16* x1, bf16* out) {
  elementwise(numel, num_dims, info, joined_0b658c305f33ab35_tree{}, out, x0, x1);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_0b806f1a66f8f203(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, const f32* operand4, f32* out0, f32* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 2> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 2> h3(operand3 + offsets.at[3], share);
    const HeldRow<f32, 4, 2> h4(operand4 + offsets.at[4], share);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2, const f32 x3, const f32 x4) {
      const f32 t0 = badd<f32>{}(x3, x4);
      const f32 t1 = bmul<f32>{}(t0, x2);
      const f32 t2 = badd<f32>{}(x1, t1);
      return t2;
    }, h1, h2, h3, h4);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3, const f32 x4) {
      const f32 t0 = badd<f32>{}(x3, x4);
      const f32 t1 = bmul<f32>{}(t0, x2);
      const f32 t2 = badd<f32>{}(x1, t1);
      const f32 t3 = badd<f32>{}(x0, t2);
      return t3;
    }, h0, h1, h2, h3, h4);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_0bc26c119c79ffbd(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, f32* out0, f32* out1, f32* out2, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 8> h2(operand2 + offsets.at[2], share);
    const f32 t1 = reduce_row<Sum>(team, share, [&](const f32 x1) {
      const f32 t0 = usqr<f32>{}(x1);
      return t0;
    }, h1);
    const f32 t2 = Affine<f32>{p0, p1}(t1);
    const f32 t3 = Affine<f32>{p2, p3}(t2);
    const f32 t4 = usqrt<f32>{}(t3);
    const f32 t10 = reduce_row<Sum>(team, share, [&](const f32 x0, const f32 x1, const f32 x2) {
      const f32 t5 = bdiv<f32>{}(x1, t4);
      const f32 t6 = Affine<f32>{p4, p5}(x2);
      const f32 t7 = bmul<f32>{}(t5, t6);
      const f32 t8 = badd<f32>{}(x0, t7);
      const f32 t9 = usqr<f32>{}(t8);
      return t9;
    }, h0, h1, h2);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2) {
      const f32 t5 = bdiv<f32>{}(x1, t4);
      const f32 t6 = Affine<f32>{p4, p5}(x2);
      const f32 t7 = bmul<f32>{}(t5, t6);
      const f32 t8 = badd<f32>{}(x0, t7);
      return t8;
    }, h0, h1, h2);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2) {
      const f32 t5 = bdiv<f32>{}(x1, t4);
      const f32 t6 = Affine<f32>{p4, p5}(x2);
      const f32 t7 = bmul<f32>{}(t5, t6);
      const f32 t8 = badd<f32>{}(x0, t7);
      const f32 t9 = usqr<f32>{}(t8);
      return t9;
    }, h0, h1, h2);
    if (team.rank == 0 && row < rows) out2[row] = t10;
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_0e836f53dbd03ece(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, const bf16* operand2, bf16* out0, bf16* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<bf16, 4, 8> h2(operand2 + offsets.at[2], share);
    const f32 t6 = reduce_row<Sum>(team, share, [&](const bf16 x1, const bf16 x2) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Cast<f32, bf16>{}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const bf16 t3 = Cast<bf16, f32>{}(t2);
      const f32 t4 = Cast<f32, bf16>{}(t3);
      const f32 t5 = usqr<f32>{}(t4);
      return t5;
    }, h1, h2);
    const f32 t7 = Affine<f32>{p0, p1}(t6);
    const f32 t8 = Affine<f32>{p2, p3}(t7);
    const f32 t9 = usqrt<f32>{}(t8);
    write_row(out0 + row * n, share, [&](const bf16 x1, const bf16 x2) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Cast<f32, bf16>{}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const bf16 t3 = Cast<bf16, f32>{}(t2);
      return t3;
    }, h1, h2);
    write_row(out1 + row * n, share, [&](const bf16 x0, const bf16 x1, const bf16 x2) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Cast<f32, bf16>{}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const bf16 t3 = Cast<bf16, f32>{}(t2);
      const f32 t4 = Cast<f32, bf16>{}(t3);
      const f32 t10 = bdiv<f32>{}(t4, t9);
      const bf16 t11 = Cast<bf16, f32>{}(t10);
      const f32 t12 = Cast<f32, bf16>{}(t11);
      const f32 t13 = Cast<f32, bf16>{}(x0);
      const f32 t14 = bmul<f32>{}(t12, t13);
      const bf16 t15 = Cast<bf16, f32>{}(t14);
      return t15;
    }, h0, h1, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_0f2e9fa06432215d(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    const f32 t1 = reduce_row<Sum>(team, share, [&](const f32 x0) {
      const f32 t0 = usqr<f32>{}(x0);
      return t0;
    }, h0);
    const f32 t2 = Affine<f32>{p0, p1}(t1);
    const f32 t3 = Affine<f32>{p2, p3}(t2);
    const f32 t4 = usqrt<f32>{}(t3);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t5 = bdiv<f32>{}(x0, t4);
      const f32 t6 = Affine<f32>{p4, p5}(x1);
      const f32 t7 = bmul<f32>{}(t5, t6);
      return t7;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_11338590481e8237(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, f32* out2, f32* out3, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const f32 x0 = *(operand0 + offsets.at[0]);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    const f32 t0 = reduce_row<Sum>(team, share, [&](const f32 x1) {
      return x1;
    }, h1);
    const f32 t1 = Affine<f32>{p0, p1}(t0);
    const f32 t2 = Affine<f32>{p2, p3}(x0);
    const f32 t3 = badd<f32>{}(t1, t2);
    if (team.rank == 0 && row < rows) out0[row] = t0;
    if (team.rank == 0 && row < rows) out1[row] = t1;
    if (team.rank == 0 && row < rows) out2[row] = t2;
    if (team.rank == 0 && row < rows) out3[row] = t3;
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_11a93f5982447bef(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, f32* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 8> h2(operand2 + offsets.at[2], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h1, h2);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      const f32 t6 = bdiv<f32>{}(t0, t5);
      const f32 t7 = Affine<f32>{p4, p5}(x0);
      const f32 t8 = bmul<f32>{}(t6, t7);
      return t8;
    }, h0, h1, h2);
  });
}

struct joined_11c8d241c698cd08_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(max_of(max_of(max_of(Cast<f32, bf16>::COST, Cast<f32, bf16>::COST), badd<f32>::COST), Affine<f32>::COST), usigmoid<f32>::COST), bmul<f32>::COST), Cast<bf16, f32>::COST), HEAVY);
  f32 p0;
  f32 p1;
  DEVICE bf16 operator()(const bf16 x0, const bf16 x1) const {
    const f32 t0 = Cast<f32, bf16>{}(x0);
    const f32 t1 = Cast<f32, bf16>{}(x1);
    const f32 t2 = badd<f32>{}(t0, t1);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = usigmoid<f32>{}(t3);
    const f32 t5 = bmul<f32>{}(t2, t4);
    const bf16 t6 = Cast<bf16, f32>{}(t5);
    return t6;
  }
};
extern "C" __global__ void joined_11c8d241c698cd08(const size_t numel, const size_t num_dims, const size_t* info, const bf16* x0, const bf16* x1, bf16* out, const f32 p0, const f32 p1) {
  elementwise(numel, num_dims, info, joined_11c8d241c698cd08_tree{p0, p1}, out, x0, x1);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_12e53c70872459d5(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, f32* out2, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const f32 t0 = Affine<f32>{p0, p1}(x0);
      return t0;
    }, h0);
    write_row(out1 + row * n, share, [&](const f32 x1) {
      const f32 t1 = usqr<f32>{}(x1);
      const f32 t2 = Affine<f32>{p2, p3}(t1);
      return t2;
    }, h1);
    write_row(out2 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = Affine<f32>{p0, p1}(x0);
      const f32 t1 = usqr<f32>{}(x1);
      const f32 t2 = Affine<f32>{p2, p3}(t1);
      const f32 t3 = badd<f32>{}(t0, t2);
      return t3;
    }, h0, h1);
  });
}

struct joined_13ef4f3e866af89c_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(Cast<f32, u32>::COST, Affine<f32>::COST), Affine<f32>::COST), uexp<f32>::COST), Cast<f16, f32>::COST);
  f32 p0;
  f32 p1;
  f32 p2;
  f32 p3;
  DEVICE f16 operator()(const u32 x0) const {
    const f32 t0 = Cast<f32, u32>{}(x0);
    const f32 t1 = Affine<f32>{p0, p1}(t0);
    const f32 t2 = Affine<f32>{p2, p3}(t1);
    const f32 t3 = uexp<f32>{}(t2);
    const f16 t4 = Cast<f16, f32>{}(unfused(t3));
    return t4;
  }
};
extern "C" __global__ void joined_13ef4f3e866af89c(const size_t numel, const size_t num_dims, const size_t* info, const u32* x0, f16* out, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  elementwise(numel, num_dims, info, joined_13ef4f3e866af89c_tree{p0, p1, p2, p3}, out, x0);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_1408ea7c65e512d0(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, f32* out2) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 1> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 1> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 1> h1(operand1 + offsets.at[1], share);
    const f32 t1 = reduce_row<Largest>(team, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      return t0;
    }, h0, h1);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      return t0;
    }, h0, h1);
    if (team.rank == 0 && row < rows) out1[row] = t1;
    write_row(out2 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t2 = bsub<f32>{}(t0, t1);
      return t2;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_1562a1b74ca2df7b(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, f32* out0, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<4>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const f32 x1 = *(operand1 + offsets.at[1]);
    const HeldRow<f32, 4, 4> h2(operand2 + offsets.at[2], share);
    const f32 x3 = *(operand3 + offsets.at[3]);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x2) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = badd<f32>{}(x2, x3);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f32 t3 = Affine<f32>{p0, p1}(t2);
      return t3;
    }, h0, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_156bf0c99860bf92(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, f16* out0, f16* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 8, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 8, 2> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = ugelu<f32>{}(t0);
      const f16 t4 = Cast<f16, f32>{}(unfused(t1));
      return t4;
    }, h1);
    write_row(out1 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = ugelu<f32>{}(t0);
      const f32 t2 = Cast<f32, f16>{}(x0);
      const f32 t3 = bmul<f32>{}(t1, t2);
      const f16 t5 = Cast<f16, f32>{}(unfused(t3));
      return t5;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_15786c6c88dbe963(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, const bf16* operand2, const bf16* operand3, bf16* out0, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<4>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 8, 2> h0(operand0 + offsets.at[0], share);
    const bf16 x1 = *(operand1 + offsets.at[1]);
    const HeldRow<bf16, 8, 2> h2(operand2 + offsets.at[2], share);
    const bf16 x3 = *(operand3 + offsets.at[3]);
    const f32 t1 = Cast<f32, bf16>{}(x1);
    const f32 t4 = Cast<f32, bf16>{}(x3);
    write_row(out0 + row * n, share, [&](const bf16 x0, const bf16 x2) {
      const f32 t0 = Cast<f32, bf16>{}(x0);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f32 t3 = Cast<f32, bf16>{}(x2);
      const f32 t5 = badd<f32>{}(t3, t4);
      const f32 t6 = badd<f32>{}(t2, t5);
      const f32 t7 = Affine<f32>{p0, p1}(t6);
      const bf16 t8 = Cast<bf16, f32>{}(t7);
      return t8;
    }, h0, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_17fa319d965d622c(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, f32* out0, f32* out1, f32* out2, f32* out3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 1> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 1> h0(operand0 + offsets.at[0], share);
    const f32 t1 = reduce_row<Sum>(team, share, [&](const f32 x0) {
      const f32 t0 = uexp<f32>{}(x0);
      return t0;
    }, h0);
    const f32 t2 = ulog<f32>{}(t1);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const f32 t0 = uexp<f32>{}(x0);
      return t0;
    }, h0);
    if (team.rank == 0 && row < rows) out1[row] = t1;
    if (team.rank == 0 && row < rows) out2[row] = t2;
    write_row(out3 + row * n, share, [&](const f32 x0) {
      const f32 t3 = bsub<f32>{}(x0, t2);
      return t3;
    }, h0);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_1c8c816d47518ed2(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, bf16* out0, bf16* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const bf16 t0 = Cast<bf16, f32>{}(x0);
      return t0;
    }, h0);
    write_row(out1 + row * n, share, [&](const f32 x0) {
      const bf16 t0 = Cast<bf16, f32>{}(x0);
      const f32 t1 = Cast<f32, bf16>{}(t0);
      const f32 t2 = Affine<f32>{p0, p1}(t1);
      const bf16 t3 = Cast<bf16, f32>{}(t2);
      return t3;
    }, h0);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_1dce8a84293a78e1(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, const f32* operand4, f32* out0, f32* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7, const f32 p8, const f32 p9, const f32 p10, const f32 p11) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 8> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 8> h3(operand3 + offsets.at[3], share);
    const HeldRow<f32, 4, 8> h4(operand4 + offsets.at[4], share);
    const f32 t0 = reduce_row<Sum>(team, share, [&](const f32 x4) {
      return x4;
    }, h4);
    const f32 t1 = Affine<f32>{p0, p1}(t0);
    const f32 t2 = Affine<f32>{p2, p3}(t1);
    const f32 t3 = usqrt<f32>{}(t2);
    const f32 t9 = reduce_row<Sum>(team, share, [&](const f32 x1, const f32 x2, const f32 x3) {
      const f32 t4 = bdiv<f32>{}(x2, t3);
      const f32 t5 = Affine<f32>{p4, p5}(x3);
      const f32 t6 = bmul<f32>{}(t4, t5);
      const f32 t7 = badd<f32>{}(x1, t6);
      const f32 t8 = usqr<f32>{}(t7);
      return t8;
    }, h1, h2, h3);
    const f32 t10 = Affine<f32>{p6, p7}(t9);
    const f32 t11 = Affine<f32>{p8, p9}(t10);
    const f32 t12 = usqrt<f32>{}(t11);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2, const f32 x3) {
      const f32 t4 = bdiv<f32>{}(x2, t3);
      const f32 t5 = Affine<f32>{p4, p5}(x3);
      const f32 t6 = bmul<f32>{}(t4, t5);
      const f32 t7 = badd<f32>{}(x1, t6);
      return t7;
    }, h1, h2, h3);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3) {
      const f32 t4 = bdiv<f32>{}(x2, t3);
      const f32 t5 = Affine<f32>{p4, p5}(x3);
      const f32 t6 = bmul<f32>{}(t4, t5);
      const f32 t7 = badd<f32>{}(x1, t6);
      const f32 t13 = bdiv<f32>{}(t7, t12);
      const f32 t14 = Affine<f32>{p10, p11}(x0);
      const f32 t15 = bmul<f32>{}(t13, t14);
      return t15;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_1ea70df99d93dc91(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, f16* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 8, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 8, 4> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = usilu<f32>{}(t0);
      const f32 t2 = Cast<f32, f16>{}(x0);
      const f32 t3 = bmul<f32>{}(t2, t1);
      const f16 t4 = Cast<f16, f32>{}(unfused(t3));
      return t4;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_205500d45bbe05cf(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 8> h1(operand1 + offsets.at[1], share);
    const f32 t1 = reduce_row<Sum>(team, share, [&](const f32 x1) {
      const f32 t0 = usqr<f32>{}(x1);
      return t0;
    }, h1);
    const f32 t2 = Affine<f32>{p0, p1}(t1);
    const f32 t3 = Affine<f32>{p2, p3}(t2);
    const f32 t4 = usqrt<f32>{}(t3);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t5 = bdiv<f32>{}(x1, t4);
      const f32 t6 = bmul<f32>{}(t5, x0);
      return t6;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_233fb6921fcbe0a4(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, const f32* operand4, f32* out0, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const f32 x1 = *(operand1 + offsets.at[1]);
    const f32 x2 = *(operand2 + offsets.at[2]);
    const f32 x3 = *(operand3 + offsets.at[3]);
    const f32 x4 = *(operand4 + offsets.at[4]);
    const f32 t0 = badd<f32>{}(x3, x4);
    const f32 t1 = Affine<f32>{p0, p1}(t0);
    const f32 t2 = badd<f32>{}(x2, t1);
    const f32 t3 = badd<f32>{}(x1, t2);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const f32 t4 = badd<f32>{}(x0, t3);
      return t4;
    }, h0);
  });
}

struct joined_249f9ec3bd40fd9d_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(Cast<f32, f16>::COST, Cast<f32, f16>::COST), badd<f32>::COST), Affine<f32>::COST), Cast<f16, f32>::COST);
  f32 p0;
  f32 p1;
  DEVICE f16 operator()(const f16 x0, const f16 x1) const {
    const f32 t0 = Cast<f32, f16>{}(x0);
    const f32 t1 = Cast<f32, f16>{}(x1);
    const f32 t2 = badd<f32>{}(t0, t1);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f16 t4 = Cast<f16, f32>{}(unfused(t3));
    return t4;
  }
};
extern "C" __global__ void joined_249f9ec3bd40fd9d(const size_t numel, const size_t num_dims, const size_t* info, const f16* x0, const f16* x1, f16* out, const f32 p0, const f32 p1) {
  elementwise(numel, num_dims, info, joined_249f9ec3bd40fd9d_tree{p0, p1}, out, x0, x1);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_24fd157e1239b522(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, bf16* out0, f32* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 4, 4> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Cast<f32, bf16>{}(x0);
      const f32 t2 = bsub<f32>{}(t0, t1);
      const f32 t3 = Affine<f32>{p0, p1}(t2);
      const f32 t4 = badd<f32>{}(t1, t3);
      const bf16 t5 = Cast<bf16, f32>{}(t4);
      return t5;
    }, h0, h1);
    write_row(out1 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Cast<f32, bf16>{}(x0);
      const f32 t2 = bsub<f32>{}(t0, t1);
      const f32 t3 = Affine<f32>{p0, p1}(t2);
      const f32 t4 = badd<f32>{}(t1, t3);
      const bf16 t5 = Cast<bf16, f32>{}(t4);
      const f32 t6 = Cast<f32, bf16>{}(t5);
      return t6;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_25b688ffbf1ae07d(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, f32* out0, f32* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<4>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 4> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 4> h3(operand3 + offsets.at[3], share);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2, const f32 x3) {
      const f32 t0 = badd<f32>{}(x2, x3);
      const f32 t1 = badd<f32>{}(t0, x1);
      return t1;
    }, h1, h2, h3);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3) {
      const f32 t0 = badd<f32>{}(x2, x3);
      const f32 t1 = badd<f32>{}(t0, x1);
      const f32 t2 = badd<f32>{}(x0, t1);
      return t2;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_28a87f3d59c94672(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, const f16* operand2, f16* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f16, 4, 8> h2(operand2 + offsets.at[2], share);
    const f32 t6 = reduce_row<Sum>(team, share, [&](const f16 x1, const f16 x2) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Cast<f32, f16>{}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f16 t3 = Cast<f16, f32>{}(unfused(t2));
      const f32 t4 = Cast<f32, f16>{}(t3);
      const f32 t5 = usqr<f32>{}(t4);
      return t5;
    }, h1, h2);
    const f32 t7 = Affine<f32>{p0, p1}(t6);
    const f32 t8 = Affine<f32>{p2, p3}(t7);
    const f32 t9 = usqrt<f32>{}(t8);
    write_row(out0 + row * n, share, [&](const f16 x0, const f16 x1, const f16 x2) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Cast<f32, f16>{}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f16 t3 = Cast<f16, f32>{}(unfused(t2));
      const f32 t4 = Cast<f32, f16>{}(t3);
      const f32 t10 = bdiv<f32>{}(t4, t9);
      const f16 t11 = Cast<f16, f32>{}(unfused(t10));
      const f32 t12 = Cast<f32, f16>{}(x0);
      const f32 t13 = Affine<f32>{p4, p5}(t12);
      const f32 t14 = Cast<f32, f16>{}(t11);
      const f32 t15 = bmul<f32>{}(t14, t13);
      const f16 t16 = Cast<f16, f32>{}(unfused(t15));
      return t16;
    }, h0, h1, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_29ab65cf52547860(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, f32* out2, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 8> h1(operand1 + offsets.at[1], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h0, h1);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      return t0;
    }, h0, h1);
    if (team.rank == 0 && row < rows) out1[row] = t4;
    if (team.rank == 0 && row < rows) out2[row] = t5;
  });
}

struct joined_2cb5ed3d35b791be_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(max_of(max_of(Cast<f32, f16>::COST, Cast<f32, f16>::COST), badd<f32>::COST), Cast<f32, f16>::COST), badd<f32>::COST), Affine<f32>::COST), Cast<f16, f32>::COST);
  f32 p0;
  f32 p1;
  DEVICE f16 operator()(const f16 x0, const f16 x1, const f16 x2) const {
    const f32 t0 = Cast<f32, f16>{}(x1);
    const f32 t1 = Cast<f32, f16>{}(x2);
    const f32 t2 = badd<f32>{}(t0, t1);
    const f32 t3 = Cast<f32, f16>{}(x0);
    const f32 t4 = badd<f32>{}(t2, t3);
    const f32 t5 = Affine<f32>{p0, p1}(t4);
    const f16 t6 = Cast<f16, f32>{}(unfused(t5));
    return t6;
  }
};
extern "C" __global__ void joined_2cb5ed3d35b791be(const size_t numel, const size_t num_dims, const size_t* info, const f16* x0, const f16* x1, const f16* x2, f16* out, const f32 p0, const f32 p1) {
  elementwise(numel, num_dims, info, joined_2cb5ed3d35b791be_tree{p0, p1}, out, x0, x1, x2);
}

struct joined_2d3c7c4befb8b18c_tree {
  static constexpr Cost COST = max_of(max_of(Affine<f32>::COST, bmul<f32>::COST), badd<f32>::COST);
  f32 p0;
  f32 p1;
  DEVICE f32 operator()(const f32 x0, const f32 x1) const {
    const f32 t0 = Affine<f32>{p0, p1}(x0);
    const f32 t1 = bmul<f32>{}(x1, t0);
    const f32 t2 = badd<f32>{}(t1, x0);
    return t2;
  }
};
extern "C" __global__ void joined_2d3c7c4befb8b18c(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, f32* out, const f32 p0, const f32 p1) {
  elementwise(numel, num_dims, info, joined_2d3c7c4befb8b18c_tree{p0, p1}, out, x0, x1);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_2e457bf486621dff(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, f32* out0, f32* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const bf16 x0) {
      const f32 t0 = Cast<f32, bf16>{}(x0);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h0);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    write_row(out0 + row * n, share, [&](const bf16 x0) {
      const f32 t0 = Cast<f32, bf16>{}(x0);
      return t0;
    }, h0);
    if (team.rank == 0 && row < rows) out1[row] = t4;
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_2e922fea6afe1b5c(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, const f32* operand4, f32* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7, const f32 p8, const f32 p9, const f32 p10, const f32 p11) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 8> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 8> h3(operand3 + offsets.at[3], share);
    const HeldRow<f32, 4, 8> h4(operand4 + offsets.at[4], share);
    const f32 t0 = reduce_row<Sum>(team, share, [&](const f32 x4) {
      return x4;
    }, h4);
    const f32 t1 = Affine<f32>{p0, p1}(t0);
    const f32 t2 = Affine<f32>{p2, p3}(t1);
    const f32 t3 = usqrt<f32>{}(t2);
    const f32 t9 = reduce_row<Sum>(team, share, [&](const f32 x1, const f32 x2, const f32 x3) {
      const f32 t4 = bdiv<f32>{}(x2, t3);
      const f32 t5 = Affine<f32>{p4, p5}(x3);
      const f32 t6 = bmul<f32>{}(t4, t5);
      const f32 t7 = badd<f32>{}(x1, t6);
      const f32 t8 = usqr<f32>{}(t7);
      return t8;
    }, h1, h2, h3);
    const f32 t10 = Affine<f32>{p6, p7}(t9);
    const f32 t11 = Affine<f32>{p8, p9}(t10);
    const f32 t12 = usqrt<f32>{}(t11);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3) {
      const f32 t4 = bdiv<f32>{}(x2, t3);
      const f32 t5 = Affine<f32>{p4, p5}(x3);
      const f32 t6 = bmul<f32>{}(t4, t5);
      const f32 t7 = badd<f32>{}(x1, t6);
      const f32 t13 = bdiv<f32>{}(t7, t12);
      const f32 t14 = Affine<f32>{p10, p11}(x0);
      const f32 t15 = bmul<f32>{}(t13, t14);
      return t15;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_30b413fbe4337792(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, f32* out0, f32* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 4> h2(operand2 + offsets.at[2], share);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      return t0;
    }, h1, h2);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      const f32 t1 = badd<f32>{}(x0, t0);
      return t1;
    }, h0, h1, h2);
  });
}

struct joined_34cfe1b00b5e4732_tree {
  static constexpr Cost COST = max_of(max_of(badd<f32>::COST, badd<f32>::COST), Affine<f32>::COST);
  f32 p0;
  f32 p1;
  DEVICE f32 operator()(const f32 x0, const f32 x1, const f32 x2) const {
    const f32 t0 = badd<f32>{}(x1, x2);
    const f32 t1 = badd<f32>{}(t0, x0);
    const f32 t2 = Affine<f32>{p0, p1}(t1);
    return t2;
  }
};
extern "C" __global__ void joined_34cfe1b00b5e4732(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, const f32* x2, f32* out, const f32 p0, const f32 p1) {
  elementwise(numel, num_dims, info, joined_34cfe1b00b5e4732_tree{p0, p1}, out, x0, x1, x2);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_36adc41f2500c02a(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, const bf16* operand2, const bf16* operand3, bf16* out0, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<4>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 8, 4> h0(operand0 + offsets.at[0], share);
    const bf16 x1 = *(operand1 + offsets.at[1]);
    const HeldRow<bf16, 8, 4> h2(operand2 + offsets.at[2], share);
    const bf16 x3 = *(operand3 + offsets.at[3]);
    const f32 t1 = Cast<f32, bf16>{}(x1);
    const f32 t4 = Cast<f32, bf16>{}(x3);
    write_row(out0 + row * n, share, [&](const bf16 x0, const bf16 x2) {
      const f32 t0 = Cast<f32, bf16>{}(x0);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f32 t3 = Cast<f32, bf16>{}(x2);
      const f32 t5 = badd<f32>{}(t3, t4);
      const f32 t6 = badd<f32>{}(t2, t5);
      const f32 t7 = Affine<f32>{p0, p1}(t6);
      const bf16 t8 = Cast<bf16, f32>{}(t7);
      return t8;
    }, h0, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_383b928029d0b8bc(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 8> h1(operand1 + offsets.at[1], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f32 x1) {
      const f32 t0 = Affine<f32>{p0, p1}(x1);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h1);
    const f32 t3 = Affine<f32>{p2, p3}(t2);
    const f32 t4 = Affine<f32>{p4, p5}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const f32 x1) {
      const f32 t0 = Affine<f32>{p0, p1}(x1);
      return t0;
    }, h1);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = Affine<f32>{p0, p1}(x1);
      const f32 t6 = bdiv<f32>{}(t0, t5);
      const f32 t7 = bmul<f32>{}(t6, x0);
      return t7;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_3b61947a815bf9ad(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, f16* out0, f16* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 8, 2> h0(operand0 + offsets.at[0], share);
    const f16 x1 = *(operand1 + offsets.at[1]);
    const f32 t0 = Cast<f32, f16>{}(x1);
    const f32 t1 = Affine<f32>{p0, p1}(t0);
    const f16 t4 = Cast<f16, f32>{}(unfused(t1));
    if (team.rank == 0 && row < rows) out0[row] = t4;
    write_row(out1 + row * n, share, [&](const f16 x0) {
      const f32 t2 = Cast<f32, f16>{}(x0);
      const f32 t3 = bmul<f32>{}(t1, t2);
      const f16 t5 = Cast<f16, f32>{}(unfused(t3));
      return t5;
    }, h0);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_3bca0aadb070725d(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, bf16* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 4, 8> h1(operand1 + offsets.at[1], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h1);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t6 = bdiv<f32>{}(t0, t5);
      const bf16 t7 = Cast<bf16, f32>{}(t6);
      const f32 t8 = Cast<f32, bf16>{}(t7);
      const f32 t9 = Cast<f32, bf16>{}(x0);
      const f32 t10 = bmul<f32>{}(t8, t9);
      const bf16 t11 = Cast<bf16, f32>{}(t10);
      return t11;
    }, h0, h1);
  });
}

struct joined_3be2b4008a02d8c3_tree {
  static constexpr Cost COST = max_of(badd<f32>::COST, badd<f32>::COST);
  DEVICE f32 operator()(const f32 x0, const f32 x1, const f32 x2) const {
    const f32 t0 = badd<f32>{}(x1, x2);
    const f32 t1 = badd<f32>{}(t0, x0);
    return t1;
  }
};
extern "C" __global__ void joined_3be2b4008a02d8c3(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, const f32* x2, f32* out) {
  elementwise(numel, num_dims, info, joined_3be2b4008a02d8c3_tree{}, out, x0, x1, x2);
}

struct joined_3c2ea9f2d14b0ee6_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(max_of(max_of(Cast<f32, bf16>::COST, Cast<f32, bf16>::COST), badd<f32>::COST), Cast<f32, bf16>::COST), badd<f32>::COST), Affine<f32>::COST), Cast<bf16, f32>::COST);
  f32 p0;
  f32 p1;
  DEVICE bf16 operator()(const bf16 x0, const bf16 x1, const bf16 x2) const {
    const f32 t0 = Cast<f32, bf16>{}(x1);
    const f32 t1 = Cast<f32, bf16>{}(x2);
    const f32 t2 = badd<f32>{}(t0, t1);
    const f32 t3 = Cast<f32, bf16>{}(x0);
    const f32 t4 = badd<f32>{}(t3, t2);
    const f32 t5 = Affine<f32>{p0, p1}(t4);
    const bf16 t6 = Cast<bf16, f32>{}(t5);
    return t6;
  }
};
extern "C" __global__ void joined_3c2ea9f2d14b0ee6(const size_t numel, const size_t num_dims, const size_t* info, const bf16* x0, const bf16* x1, const bf16* x2, bf16* out, const f32 p0, const f32 p1) {
  elementwise(numel, num_dims, info, joined_3c2ea9f2d14b0ee6_tree{p0, p1}, out, x0, x1, x2);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_3c302b7ce59e02aa(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const f32 t2 = usigmoid<f32>{}(t1);
      const f32 t3 = bmul<f32>{}(t0, t2);
      return t3;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_3d24830fe3141efc(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, const f32* operand4, f32* out0, f32* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 2> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 2> h3(operand3 + offsets.at[3], share);
    const HeldRow<f32, 4, 2> h4(operand4 + offsets.at[4], share);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2, const f32 x3, const f32 x4) {
      const f32 t0 = badd<f32>{}(x2, x3);
      const f32 t1 = Affine<f32>{p0, p1}(x4);
      const f32 t2 = bmul<f32>{}(t0, t1);
      const f32 t3 = badd<f32>{}(x1, t2);
      return t3;
    }, h1, h2, h3, h4);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3, const f32 x4) {
      const f32 t0 = badd<f32>{}(x2, x3);
      const f32 t1 = Affine<f32>{p0, p1}(x4);
      const f32 t2 = bmul<f32>{}(t0, t1);
      const f32 t3 = badd<f32>{}(x1, t2);
      const f32 t4 = badd<f32>{}(x0, t3);
      return t4;
    }, h0, h1, h2, h3, h4);
  });
}

struct joined_4087ca7b17caf828_tree {
  static constexpr Cost COST = max_of(ugelu<f32>::COST, bmul<f32>::COST);
  DEVICE f32 operator()(const f32 x0, const f32 x1) const {
    const f32 t0 = ugelu<f32>{}(x1);
    const f32 t1 = bmul<f32>{}(t0, x0);
    return t1;
  }
};
extern "C" __global__ void joined_4087ca7b17caf828(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, f32* out) {
  elementwise(numel, num_dims, info, joined_4087ca7b17caf828_tree{}, out, x0, x1);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_4349ffb7ce7fbfd4(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = ugelu<f32>{}(t0);
      return t1;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_46c20def48f1aa73(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, f32* out0, f32* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const f32 x0 = *(operand0 + offsets.at[0]);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    const f32 x2 = *(operand2 + offsets.at[2]);
    write_row(out0 + row * n, share, [&](const f32 x1) {
      const f32 t0 = badd<f32>{}(x1, x2);
      return t0;
    }, h1);
    write_row(out1 + row * n, share, [&](const f32 x1) {
      const f32 t0 = badd<f32>{}(x1, x2);
      const f32 t1 = badd<f32>{}(x0, t0);
      return t1;
    }, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_47eea8a4b76b7394(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, f32* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<4>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 2> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 2> h3(operand3 + offsets.at[3], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3) {
      const f32 t0 = Affine<f32>{p0, p1}(x0);
      const f32 t1 = Affine<f32>{p2, p3}(x2);
      const f32 t2 = Affine<f32>{p4, p5}(x3);
      const f32 t3 = badd<f32>{}(t1, t2);
      const f32 t4 = Affine<f32>{p6, p7}(x1);
      const f32 t5 = bmul<f32>{}(t3, t4);
      const f32 t6 = badd<f32>{}(t0, t5);
      return t6;
    }, h0, h1, h2, h3);
  });
}

struct joined_47fb3296f4be656e_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(Affine<f32>::COST, Affine<f32>::COST), badd<f32>::COST), utanh<f32>::COST), HEAVY);
  f32 p0;
  f32 p1;
  f32 p2;
  f32 p3;
  DEVICE f32 operator()(const f32 x0, const f32 x1) const {
    const f32 t0 = Affine<f32>{p0, p1}(x0);
    const f32 t1 = Affine<f32>{p2, p3}(x1);
    const f32 t2 = badd<f32>{}(t0, t1);
    const f32 t3 = utanh<f32>{}(t2);
    return t3;
  }
};
extern "C" __global__ void joined_47fb3296f4be656e(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, f32* out, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  elementwise(numel, num_dims, info, joined_47fb3296f4be656e_tree{p0, p1, p2, p3}, out, x0, x1);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_4844797cc29cf6fe(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, const bf16* operand2, const f32* operand3, const f32* operand4, bf16* out0, bf16* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<bf16, 4, 8> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 8> h3(operand3 + offsets.at[3], share);
    const f32 x4 = *(operand4 + offsets.at[4]);
    const f32 t0 = usqrt<f32>{}(x4);
    const f32 t12 = reduce_row<Sum>(team, share, [&](const bf16 x1, const bf16 x2, const f32 x3) {
      const f32 t1 = bdiv<f32>{}(x3, t0);
      const bf16 t2 = Cast<bf16, f32>{}(t1);
      const f32 t3 = Cast<f32, bf16>{}(x2);
      const f32 t4 = Affine<f32>{p0, p1}(t3);
      const f32 t5 = Cast<f32, bf16>{}(t2);
      const f32 t6 = bmul<f32>{}(t5, t4);
      const f32 t7 = Cast<f32, bf16>{}(x1);
      const f32 t8 = badd<f32>{}(t7, t6);
      const bf16 t9 = Cast<bf16, f32>{}(t8);
      const f32 t10 = Cast<f32, bf16>{}(t9);
      const f32 t11 = usqr<f32>{}(t10);
      return t11;
    }, h1, h2, h3);
    const f32 t13 = Affine<f32>{p2, p3}(t12);
    const f32 t14 = Affine<f32>{p4, p5}(t13);
    const f32 t15 = usqrt<f32>{}(t14);
    write_row(out0 + row * n, share, [&](const bf16 x1, const bf16 x2, const f32 x3) {
      const f32 t1 = bdiv<f32>{}(x3, t0);
      const bf16 t2 = Cast<bf16, f32>{}(t1);
      const f32 t3 = Cast<f32, bf16>{}(x2);
      const f32 t4 = Affine<f32>{p0, p1}(t3);
      const f32 t5 = Cast<f32, bf16>{}(t2);
      const f32 t6 = bmul<f32>{}(t5, t4);
      const f32 t7 = Cast<f32, bf16>{}(x1);
      const f32 t8 = badd<f32>{}(t7, t6);
      const bf16 t9 = Cast<bf16, f32>{}(t8);
      return t9;
    }, h1, h2, h3);
    write_row(out1 + row * n, share, [&](const bf16 x0, const bf16 x1, const bf16 x2, const f32 x3) {
      const f32 t1 = bdiv<f32>{}(x3, t0);
      const bf16 t2 = Cast<bf16, f32>{}(t1);
      const f32 t3 = Cast<f32, bf16>{}(x2);
      const f32 t4 = Affine<f32>{p0, p1}(t3);
      const f32 t5 = Cast<f32, bf16>{}(t2);
      const f32 t6 = bmul<f32>{}(t5, t4);
      const f32 t7 = Cast<f32, bf16>{}(x1);
      const f32 t8 = badd<f32>{}(t7, t6);
      const bf16 t9 = Cast<bf16, f32>{}(t8);
      const f32 t10 = Cast<f32, bf16>{}(t9);
      const f32 t16 = bdiv<f32>{}(t10, t15);
      const bf16 t17 = Cast<bf16, f32>{}(t16);
      const f32 t18 = Cast<f32, bf16>{}(x0);
      const f32 t19 = Affine<f32>{p6, p7}(t18);
      const f32 t20 = Cast<f32, bf16>{}(t17);
      const f32 t21 = bmul<f32>{}(t20, t19);
      const bf16 t22 = Cast<bf16, f32>{}(t21);
      return t22;
    }, h0, h1, h2, h3);
  });
}

struct joined_4be1021a0b86aea7_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(Cast<f32, bf16>::COST, ugelu<f32>::COST), Cast<f32, bf16>::COST), bmul<f32>::COST), Cast<bf16, f32>::COST);
  DEVICE bf16 operator()(const bf16 x0, const bf16 x1) const {
    const f32 t0 = Cast<f32, bf16>{}(x1);
    const f32 t1 = ugelu<f32>{}(t0);
    const f32 t2 = Cast<f32, bf16>{}(x0);
    const f32 t3 = bmul<f32>{}(t1, t2);
    const bf16 t4 = Cast<bf16, f32>{}(t3);
    return t4;
  }
};
extern "C" __global__ void joined_4be1021a0b86aea7(const size_t numel, const size_t num_dims, const size_t* info, const bf16* x0, const bf16* x1, bf16* out) {
  elementwise(numel, num_dims, info, joined_4be1021a0b86aea7_tree{}, out, x0, x1);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_4e00347f411e5daa(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, f32* out0, f32* out1, f32* out2, f32* out3, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const bf16 x0) {
      const f32 t0 = Cast<f32, bf16>{}(x0);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h0);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const bf16 x0) {
      const f32 t0 = Cast<f32, bf16>{}(x0);
      return t0;
    }, h0);
    if (team.rank == 0 && row < rows) out1[row] = t4;
    if (team.rank == 0 && row < rows) out2[row] = t5;
    write_row(out3 + row * n, share, [&](const bf16 x0) {
      const f32 t0 = Cast<f32, bf16>{}(x0);
      const f32 t6 = bdiv<f32>{}(t0, t5);
      return t6;
    }, h0);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_4edb696e81055813(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, f32* out2, f32* out3, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      return t0;
    }, h0, h1);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      return t1;
    }, h0, h1);
    write_row(out2 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const f32 t2 = usqrt<f32>{}(t1);
      return t2;
    }, h0, h1);
    write_row(out3 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const f32 t2 = usqrt<f32>{}(t1);
      const f32 t3 = Affine<f32>{p2, p3}(t2);
      return t3;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_4f429af21409e52c(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, f32* out0, f32* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f16 x0) {
      const f32 t0 = Cast<f32, f16>{}(x0);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h0);
    write_row(out0 + row * n, share, [&](const f16 x0) {
      const f32 t0 = Cast<f32, f16>{}(x0);
      return t0;
    }, h0);
    if (team.rank == 0 && row < rows) out1[row] = t2;
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_4f4af4cfcbebf149(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, f32* out0, f32* out1, f32* out2, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f16 x0) {
      const f32 t0 = Cast<f32, f16>{}(x0);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h0);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const f16 x0) {
      const f32 t0 = Cast<f32, f16>{}(x0);
      return t0;
    }, h0);
    if (team.rank == 0 && row < rows) out1[row] = t4;
    if (team.rank == 0 && row < rows) out2[row] = t5;
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_4f75e7ed43941f42(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, f32* out0, f32* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const f32 t1 = reduce_row<Sum>(team, share, [&](const f32 x0) {
      const f32 t0 = usqr<f32>{}(x0);
      return t0;
    }, h0);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const f32 t0 = usqr<f32>{}(x0);
      return t0;
    }, h0);
    if (team.rank == 0 && row < rows) out1[row] = t1;
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_519bb9e9d996e761(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, const bf16* operand2, bf16* out0, bf16* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<bf16, 4, 8> h2(operand2 + offsets.at[2], share);
    const f32 t6 = reduce_row<Sum>(team, share, [&](const bf16 x1, const bf16 x2) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Cast<f32, bf16>{}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const bf16 t3 = Cast<bf16, f32>{}(t2);
      const f32 t4 = Cast<f32, bf16>{}(t3);
      const f32 t5 = usqr<f32>{}(t4);
      return t5;
    }, h1, h2);
    const f32 t7 = Affine<f32>{p0, p1}(t6);
    const f32 t8 = Affine<f32>{p2, p3}(t7);
    const f32 t9 = usqrt<f32>{}(t8);
    write_row(out0 + row * n, share, [&](const bf16 x1, const bf16 x2) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Cast<f32, bf16>{}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const bf16 t3 = Cast<bf16, f32>{}(t2);
      return t3;
    }, h1, h2);
    write_row(out1 + row * n, share, [&](const bf16 x0, const bf16 x1, const bf16 x2) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Cast<f32, bf16>{}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const bf16 t3 = Cast<bf16, f32>{}(t2);
      const f32 t4 = Cast<f32, bf16>{}(t3);
      const f32 t10 = bdiv<f32>{}(t4, t9);
      const bf16 t11 = Cast<bf16, f32>{}(t10);
      const f32 t12 = Cast<f32, bf16>{}(x0);
      const f32 t13 = Affine<f32>{p4, p5}(t12);
      const f32 t14 = Cast<f32, bf16>{}(t11);
      const f32 t15 = bmul<f32>{}(t14, t13);
      const bf16 t16 = Cast<bf16, f32>{}(t15);
      return t16;
    }, h0, h1, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_5203f2465c89ed7c(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, f32* out0, f32* out1, f32* out2, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7, const f32 p8, const f32 p9, const f32 p10, const f32 p11, const f32 p12, const f32 p13, const f32 p14, const f32 p15, const f32 p16, const f32 p17) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<4>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 2> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 2> h3(operand3 + offsets.at[3], share);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2) {
      const f32 t0 = Affine<f32>{p0, p1}(x1);
      const f32 t1 = Affine<f32>{p2, p3}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      return t2;
    }, h1, h2);
    write_row(out1 + row * n, share, [&](const f32 x2, const f32 x3) {
      const f32 t3 = Affine<f32>{p4, p5}(x3);
      const f32 t4 = usqr<f32>{}(x2);
      const f32 t5 = Affine<f32>{p6, p7}(t4);
      const f32 t6 = badd<f32>{}(t3, t5);
      return t6;
    }, h2, h3);
    write_row(out2 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3) {
      const f32 t0 = Affine<f32>{p0, p1}(x1);
      const f32 t1 = Affine<f32>{p2, p3}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f32 t3 = Affine<f32>{p4, p5}(x3);
      const f32 t4 = usqr<f32>{}(x2);
      const f32 t5 = Affine<f32>{p6, p7}(t4);
      const f32 t6 = badd<f32>{}(t3, t5);
      const f32 t7 = Affine<f32>{p8, p9}(t2);
      const f32 t8 = Affine<f32>{p10, p11}(t6);
      const f32 t9 = Affine<f32>{p12, p13}(x0);
      const f32 t10 = usqrt<f32>{}(t8);
      const f32 t11 = Affine<f32>{p14, p15}(t10);
      const f32 t12 = bdiv<f32>{}(t7, t11);
      const f32 t13 = Affine<f32>{p16, p17}(t12);
      const f32 t14 = bsub<f32>{}(t9, t13);
      return t14;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_52482af4eb28611a(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, const bf16* operand2, bf16* out0, bf16* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const bf16 x0 = *(operand0 + offsets.at[0]);
    const HeldRow<bf16, 8, 2> h1(operand1 + offsets.at[1], share);
    const bf16 x2 = *(operand2 + offsets.at[2]);
    const f32 t1 = Cast<f32, bf16>{}(x2);
    const f32 t3 = Cast<f32, bf16>{}(x0);
    write_row(out0 + row * n, share, [&](const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t2 = badd<f32>{}(t0, t1);
      const bf16 t5 = Cast<bf16, f32>{}(t2);
      return t5;
    }, h1);
    write_row(out1 + row * n, share, [&](const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f32 t4 = badd<f32>{}(t3, t2);
      const bf16 t6 = Cast<bf16, f32>{}(t4);
      return t6;
    }, h1);
  });
}

struct joined_52d38fe475424871_tree {
  static constexpr Cost COST = max_of(badd<f32>::COST, ugelu_erf<f32>::COST);
  DEVICE f32 operator()(const f32 x0, const f32 x1) const {
    const f32 t0 = badd<f32>{}(x0, x1);
    const f32 t1 = ugelu_erf<f32>{}(t0);
    return t1;
  }
};
extern "C" __global__ void joined_52d38fe475424871(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, f32* out) {
  elementwise(numel, num_dims, info, joined_52d38fe475424871_tree{}, out, x0, x1);
}

struct joined_55997a02d4e1f1cb_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(max_of(max_of(Cast<f32, bf16>::COST, Cast<f32, bf16>::COST), badd<f32>::COST), Cast<f32, bf16>::COST), badd<f32>::COST), Affine<f32>::COST), Cast<bf16, f32>::COST);
  f32 p0;
  f32 p1;
  DEVICE bf16 operator()(const bf16 x0, const bf16 x1, const bf16 x2) const {
    const f32 t0 = Cast<f32, bf16>{}(x1);
    const f32 t1 = Cast<f32, bf16>{}(x2);
    const f32 t2 = badd<f32>{}(t0, t1);
    const f32 t3 = Cast<f32, bf16>{}(x0);
    const f32 t4 = badd<f32>{}(t2, t3);
    const f32 t5 = Affine<f32>{p0, p1}(t4);
    const bf16 t6 = Cast<bf16, f32>{}(t5);
    return t6;
  }
};
extern "C" __global__ void joined_55997a02d4e1f1cb(const size_t numel, const size_t num_dims, const size_t* info, const bf16* x0, const bf16* x1, const bf16* x2, bf16* out, const f32 p0, const f32 p1) {
  elementwise(numel, num_dims, info, joined_55997a02d4e1f1cb_tree{p0, p1}, out, x0, x1, x2);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_577a57d2ad3134bb(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      return t0;
    }, h0, h1);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = ugelu<f32>{}(t0);
      return t1;
    }, h0, h1);
  });
}

struct joined_59a7c57a0a8f4260_tree {
  static constexpr Cost COST = max_of(max_of(badd<f32>::COST, badd<f32>::COST), Affine<f32>::COST);
  f32 p0;
  f32 p1;
  DEVICE f32 operator()(const f32 x0, const f32 x1, const f32 x2) const {
    const f32 t0 = badd<f32>{}(x1, x2);
    const f32 t1 = badd<f32>{}(x0, t0);
    const f32 t2 = Affine<f32>{p0, p1}(t1);
    return t2;
  }
};
extern "C" __global__ void joined_59a7c57a0a8f4260(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, const f32* x2, f32* out, const f32 p0, const f32 p1) {
  elementwise(numel, num_dims, info, joined_59a7c57a0a8f4260_tree{p0, p1}, out, x0, x1, x2);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_5c387215cfd08320(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, f32* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<4>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 4> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 4> h3(operand3 + offsets.at[3], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = bmul<f32>{}(x2, x3);
      const f32 t2 = badd<f32>{}(t0, t1);
      return t2;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_5da26689e9ada1bd(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, f32* out0, f32* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<4>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 8> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 8> h3(operand3 + offsets.at[3], share);
    const f32 t1 = reduce_row<Sum>(team, share, [&](const f32 x3) {
      const f32 t0 = usqr<f32>{}(x3);
      return t0;
    }, h3);
    const f32 t2 = Affine<f32>{p0, p1}(t1);
    const f32 t3 = Affine<f32>{p2, p3}(t2);
    const f32 t4 = usqrt<f32>{}(t3);
    const f32 t9 = reduce_row<Sum>(team, share, [&](const f32 x1, const f32 x2, const f32 x3) {
      const f32 t5 = bdiv<f32>{}(x3, t4);
      const f32 t6 = bmul<f32>{}(t5, x2);
      const f32 t7 = badd<f32>{}(x1, t6);
      const f32 t8 = usqr<f32>{}(t7);
      return t8;
    }, h1, h2, h3);
    const f32 t10 = Affine<f32>{p4, p5}(t9);
    const f32 t11 = Affine<f32>{p6, p7}(t10);
    const f32 t12 = usqrt<f32>{}(t11);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2, const f32 x3) {
      const f32 t5 = bdiv<f32>{}(x3, t4);
      const f32 t6 = bmul<f32>{}(t5, x2);
      const f32 t7 = badd<f32>{}(x1, t6);
      return t7;
    }, h1, h2, h3);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3) {
      const f32 t5 = bdiv<f32>{}(x3, t4);
      const f32 t6 = bmul<f32>{}(t5, x2);
      const f32 t7 = badd<f32>{}(x1, t6);
      const f32 t13 = bdiv<f32>{}(t7, t12);
      const f32 t14 = bmul<f32>{}(t13, x0);
      return t14;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_5da886843d3b8403(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, bf16* out0, bf16* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 8, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 8, 4> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = ugelu<f32>{}(t0);
      const bf16 t4 = Cast<bf16, f32>{}(t1);
      return t4;
    }, h1);
    write_row(out1 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = ugelu<f32>{}(t0);
      const f32 t2 = Cast<f32, bf16>{}(x0);
      const f32 t3 = bmul<f32>{}(t1, t2);
      const bf16 t5 = Cast<bf16, f32>{}(t3);
      return t5;
    }, h0, h1);
  });
}

struct joined_5de95b2a0f36a069_tree {
  static constexpr Cost COST = max_of(max_of(max_of(Cast<f32, u32>::COST, Affine<f32>::COST), Affine<f32>::COST), uexp<f32>::COST);
  f32 p0;
  f32 p1;
  f32 p2;
  f32 p3;
  DEVICE f32 operator()(const u32 x0) const {
    const f32 t0 = Cast<f32, u32>{}(x0);
    const f32 t1 = Affine<f32>{p0, p1}(t0);
    const f32 t2 = Affine<f32>{p2, p3}(t1);
    const f32 t3 = uexp<f32>{}(t2);
    return t3;
  }
};
extern "C" __global__ void joined_5de95b2a0f36a069(const size_t numel, const size_t num_dims, const size_t* info, const u32* x0, f32* out, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  elementwise(numel, num_dims, info, joined_5de95b2a0f36a069_tree{p0, p1, p2, p3}, out, x0);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_5eecf34369a8f406(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, f32* out2) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 8> h1(operand1 + offsets.at[1], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h0, h1);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      return t0;
    }, h0, h1);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h0, h1);
    if (team.rank == 0 && row < rows) out2[row] = t2;
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_5fbf5f69cc464daa(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, bf16* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 4, 8> h1(operand1 + offsets.at[1], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h1);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t6 = bdiv<f32>{}(t0, t5);
      const bf16 t7 = Cast<bf16, f32>{}(t6);
      const f32 t8 = Cast<f32, bf16>{}(x0);
      const f32 t9 = Affine<f32>{p4, p5}(t8);
      const f32 t10 = Cast<f32, bf16>{}(t7);
      const f32 t11 = bmul<f32>{}(t10, t9);
      const bf16 t12 = Cast<bf16, f32>{}(t11);
      return t12;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_61c7b1919c1a91ae(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, f16* out0, f16* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const f16 t0 = Cast<f16, f32>{}(x0);
      return t0;
    }, h0);
    write_row(out1 + row * n, share, [&](const f32 x0) {
      const f16 t0 = Cast<f16, f32>{}(x0);
      const f32 t1 = Cast<f32, f16>{}(t0);
      const f32 t2 = Affine<f32>{p0, p1}(t1);
      const f16 t3 = Cast<f16, f32>{}(unfused(t2));
      return t3;
    }, h0);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_656fe8ca8012584d(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, f32* out0, f32* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const bf16 x0) {
      const f32 t0 = Cast<f32, bf16>{}(x0);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h0);
    write_row(out0 + row * n, share, [&](const bf16 x0) {
      const f32 t0 = Cast<f32, bf16>{}(x0);
      return t0;
    }, h0);
    if (team.rank == 0 && row < rows) out1[row] = t2;
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_65747d4e86522a8f(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, const bf16* operand2, bf16* out0, bf16* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const bf16 x0 = *(operand0 + offsets.at[0]);
    const HeldRow<bf16, 8, 4> h1(operand1 + offsets.at[1], share);
    const bf16 x2 = *(operand2 + offsets.at[2]);
    const f32 t1 = Cast<f32, bf16>{}(x2);
    const f32 t3 = Cast<f32, bf16>{}(x0);
    write_row(out0 + row * n, share, [&](const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t2 = badd<f32>{}(t0, t1);
      const bf16 t5 = Cast<bf16, f32>{}(t2);
      return t5;
    }, h1);
    write_row(out1 + row * n, share, [&](const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f32 t4 = badd<f32>{}(t3, t2);
      const bf16 t6 = Cast<bf16, f32>{}(t4);
      return t6;
    }, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_68288696d2cea4a8(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, bf16* out0, bf16* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 4, 8> h1(operand1 + offsets.at[1], share);
    const f32 t5 = reduce_row<Sum>(team, share, [&](const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const bf16 t2 = Cast<bf16, f32>{}(t1);
      const f32 t3 = Cast<f32, bf16>{}(t2);
      const f32 t4 = usqr<f32>{}(t3);
      return t4;
    }, h1);
    const f32 t6 = Affine<f32>{p2, p3}(t5);
    const f32 t7 = Affine<f32>{p4, p5}(t6);
    const f32 t8 = usqrt<f32>{}(t7);
    write_row(out0 + row * n, share, [&](const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const bf16 t2 = Cast<bf16, f32>{}(t1);
      return t2;
    }, h1);
    write_row(out1 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const bf16 t2 = Cast<bf16, f32>{}(t1);
      const f32 t3 = Cast<f32, bf16>{}(t2);
      const f32 t9 = bdiv<f32>{}(t3, t8);
      const bf16 t10 = Cast<bf16, f32>{}(t9);
      const f32 t11 = Cast<f32, bf16>{}(x0);
      const f32 t12 = Affine<f32>{p6, p7}(t11);
      const f32 t13 = Cast<f32, bf16>{}(t10);
      const f32 t14 = bmul<f32>{}(t13, t12);
      const bf16 t15 = Cast<bf16, f32>{}(t14);
      return t15;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_68cbc5afb9d4b1f6(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      return t0;
    }, h0, h1);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = usilu<f32>{}(t0);
      return t1;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_68e30991ea104a26(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, f32* out0, f32* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 2> h2(operand2 + offsets.at[2], share);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      return t0;
    }, h1, h2);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      const f32 t1 = badd<f32>{}(x0, t0);
      return t1;
    }, h0, h1, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_69a7b4312c28d0b5(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, f32* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 4> h2(operand2 + offsets.at[2], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      const f32 t1 = badd<f32>{}(t0, x0);
      return t1;
    }, h0, h1, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_6a4268fb2f0f6518(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const f32 t2 = usigmoid<f32>{}(t1);
      const f32 t3 = bmul<f32>{}(t0, t2);
      return t3;
    }, h0, h1);
  });
}

struct joined_6b047fb88f586280_tree {
  static constexpr Cost COST = max_of(ugelu<f32>::COST, bmul<f32>::COST);
  DEVICE f32 operator()(const f32 x0, const f32 x1) const {
    const f32 t0 = ugelu<f32>{}(x1);
    const f32 t1 = bmul<f32>{}(x0, t0);
    return t1;
  }
};
extern "C" __global__ void joined_6b047fb88f586280(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, f32* out) {
  elementwise(numel, num_dims, info, joined_6b047fb88f586280_tree{}, out, x0, x1);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_6c4fb4e24ebdaacf(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, f32* out0, f32* out1, f32* out2, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const bf16 x0) {
      const f32 t0 = Cast<f32, bf16>{}(x0);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h0);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    write_row(out0 + row * n, share, [&](const bf16 x0) {
      const f32 t0 = Cast<f32, bf16>{}(x0);
      return t0;
    }, h0);
    if (team.rank == 0 && row < rows) out1[row] = t3;
    if (team.rank == 0 && row < rows) out2[row] = t4;
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_6e86fc04d96e46a4(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, const f32* operand4, f32* out0, f32* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7, const f32 p8, const f32 p9, const f32 p10, const f32 p11) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 8> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 8> h3(operand3 + offsets.at[3], share);
    const HeldRow<f32, 4, 8> h4(operand4 + offsets.at[4], share);
    const f32 t0 = reduce_row<Sum>(team, share, [&](const f32 x4) {
      return x4;
    }, h4);
    const f32 t1 = Affine<f32>{p0, p1}(t0);
    const f32 t2 = Affine<f32>{p2, p3}(t1);
    const f32 t3 = usqrt<f32>{}(t2);
    const f32 t9 = reduce_row<Sum>(team, share, [&](const f32 x1, const f32 x2, const f32 x3) {
      const f32 t4 = bdiv<f32>{}(x2, t3);
      const f32 t5 = Affine<f32>{p4, p5}(x3);
      const f32 t6 = bmul<f32>{}(t4, t5);
      const f32 t7 = badd<f32>{}(t6, x1);
      const f32 t8 = usqr<f32>{}(t7);
      return t8;
    }, h1, h2, h3);
    const f32 t10 = Affine<f32>{p6, p7}(t9);
    const f32 t11 = Affine<f32>{p8, p9}(t10);
    const f32 t12 = usqrt<f32>{}(t11);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2, const f32 x3) {
      const f32 t4 = bdiv<f32>{}(x2, t3);
      const f32 t5 = Affine<f32>{p4, p5}(x3);
      const f32 t6 = bmul<f32>{}(t4, t5);
      const f32 t7 = badd<f32>{}(t6, x1);
      return t7;
    }, h1, h2, h3);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3) {
      const f32 t4 = bdiv<f32>{}(x2, t3);
      const f32 t5 = Affine<f32>{p4, p5}(x3);
      const f32 t6 = bmul<f32>{}(t4, t5);
      const f32 t7 = badd<f32>{}(t6, x1);
      const f32 t13 = bdiv<f32>{}(t7, t12);
      const f32 t14 = Affine<f32>{p10, p11}(x0);
      const f32 t15 = bmul<f32>{}(t13, t14);
      return t15;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_6fac5b132216f4d4(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const f32 x1 = *(operand1 + offsets.at[1]);
    const f32 t0 = Affine<f32>{p0, p1}(x1);
    if (team.rank == 0 && row < rows) out0[row] = t0;
    write_row(out1 + row * n, share, [&](const f32 x0) {
      const f32 t1 = bmul<f32>{}(t0, x0);
      return t1;
    }, h0);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_705082fce759bf80(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, const f16* operand2, const f32* operand3, const f32* operand4, f16* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f16, 4, 8> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 8> h3(operand3 + offsets.at[3], share);
    const f32 x4 = *(operand4 + offsets.at[4]);
    const f32 t0 = usqrt<f32>{}(x4);
    const f32 t12 = reduce_row<Sum>(team, share, [&](const f16 x1, const f16 x2, const f32 x3) {
      const f32 t1 = bdiv<f32>{}(x3, t0);
      const f16 t2 = Cast<f16, f32>{}(unfused(t1));
      const f32 t3 = Cast<f32, f16>{}(x2);
      const f32 t4 = Affine<f32>{p0, p1}(t3);
      const f32 t5 = Cast<f32, f16>{}(t2);
      const f32 t6 = bmul<f32>{}(t5, t4);
      const f32 t7 = Cast<f32, f16>{}(x1);
      const f32 t8 = badd<f32>{}(t7, t6);
      const f16 t9 = Cast<f16, f32>{}(unfused(t8));
      const f32 t10 = Cast<f32, f16>{}(t9);
      const f32 t11 = usqr<f32>{}(t10);
      return t11;
    }, h1, h2, h3);
    const f32 t13 = Affine<f32>{p2, p3}(t12);
    const f32 t14 = Affine<f32>{p4, p5}(t13);
    const f32 t15 = usqrt<f32>{}(t14);
    write_row(out0 + row * n, share, [&](const f16 x0, const f16 x1, const f16 x2, const f32 x3) {
      const f32 t1 = bdiv<f32>{}(x3, t0);
      const f16 t2 = Cast<f16, f32>{}(unfused(t1));
      const f32 t3 = Cast<f32, f16>{}(x2);
      const f32 t4 = Affine<f32>{p0, p1}(t3);
      const f32 t5 = Cast<f32, f16>{}(t2);
      const f32 t6 = bmul<f32>{}(t5, t4);
      const f32 t7 = Cast<f32, f16>{}(x1);
      const f32 t8 = badd<f32>{}(t7, t6);
      const f16 t9 = Cast<f16, f32>{}(unfused(t8));
      const f32 t10 = Cast<f32, f16>{}(t9);
      const f32 t16 = bdiv<f32>{}(t10, t15);
      const f16 t17 = Cast<f16, f32>{}(unfused(t16));
      const f32 t18 = Cast<f32, f16>{}(x0);
      const f32 t19 = Affine<f32>{p6, p7}(t18);
      const f32 t20 = Cast<f32, f16>{}(t17);
      const f32 t21 = bmul<f32>{}(t20, t19);
      const f16 t22 = Cast<f16, f32>{}(unfused(t21));
      return t22;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_7182942d24646b9b(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, f32* out0, f32* out1, f32* out2, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7, const f32 p8, const f32 p9, const f32 p10, const f32 p11, const f32 p12, const f32 p13, const f32 p14, const f32 p15, const f32 p16, const f32 p17) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<4>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 4> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 4> h3(operand3 + offsets.at[3], share);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2) {
      const f32 t0 = Affine<f32>{p0, p1}(x1);
      const f32 t1 = Affine<f32>{p2, p3}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      return t2;
    }, h1, h2);
    write_row(out1 + row * n, share, [&](const f32 x2, const f32 x3) {
      const f32 t3 = Affine<f32>{p4, p5}(x3);
      const f32 t4 = usqr<f32>{}(x2);
      const f32 t5 = Affine<f32>{p6, p7}(t4);
      const f32 t6 = badd<f32>{}(t3, t5);
      return t6;
    }, h2, h3);
    write_row(out2 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3) {
      const f32 t0 = Affine<f32>{p0, p1}(x1);
      const f32 t1 = Affine<f32>{p2, p3}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f32 t3 = Affine<f32>{p4, p5}(x3);
      const f32 t4 = usqr<f32>{}(x2);
      const f32 t5 = Affine<f32>{p6, p7}(t4);
      const f32 t6 = badd<f32>{}(t3, t5);
      const f32 t7 = Affine<f32>{p8, p9}(t2);
      const f32 t8 = Affine<f32>{p10, p11}(t6);
      const f32 t9 = Affine<f32>{p12, p13}(x0);
      const f32 t10 = usqrt<f32>{}(t8);
      const f32 t11 = Affine<f32>{p14, p15}(t10);
      const f32 t12 = bdiv<f32>{}(t7, t11);
      const f32 t13 = Affine<f32>{p16, p17}(t12);
      const f32 t14 = bsub<f32>{}(t9, t13);
      return t14;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_722cb9fdb548e4b6(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, const bf16* operand2, const f32* operand3, const f32* operand4, bf16* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<bf16, 4, 8> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 8> h3(operand3 + offsets.at[3], share);
    const f32 x4 = *(operand4 + offsets.at[4]);
    const f32 t0 = usqrt<f32>{}(x4);
    const f32 t12 = reduce_row<Sum>(team, share, [&](const bf16 x1, const bf16 x2, const f32 x3) {
      const f32 t1 = bdiv<f32>{}(x3, t0);
      const bf16 t2 = Cast<bf16, f32>{}(t1);
      const f32 t3 = Cast<f32, bf16>{}(x2);
      const f32 t4 = Affine<f32>{p0, p1}(t3);
      const f32 t5 = Cast<f32, bf16>{}(t2);
      const f32 t6 = bmul<f32>{}(t5, t4);
      const f32 t7 = Cast<f32, bf16>{}(x1);
      const f32 t8 = badd<f32>{}(t7, t6);
      const bf16 t9 = Cast<bf16, f32>{}(t8);
      const f32 t10 = Cast<f32, bf16>{}(t9);
      const f32 t11 = usqr<f32>{}(t10);
      return t11;
    }, h1, h2, h3);
    const f32 t13 = Affine<f32>{p2, p3}(t12);
    const f32 t14 = Affine<f32>{p4, p5}(t13);
    const f32 t15 = usqrt<f32>{}(t14);
    write_row(out0 + row * n, share, [&](const bf16 x0, const bf16 x1, const bf16 x2, const f32 x3) {
      const f32 t1 = bdiv<f32>{}(x3, t0);
      const bf16 t2 = Cast<bf16, f32>{}(t1);
      const f32 t3 = Cast<f32, bf16>{}(x2);
      const f32 t4 = Affine<f32>{p0, p1}(t3);
      const f32 t5 = Cast<f32, bf16>{}(t2);
      const f32 t6 = bmul<f32>{}(t5, t4);
      const f32 t7 = Cast<f32, bf16>{}(x1);
      const f32 t8 = badd<f32>{}(t7, t6);
      const bf16 t9 = Cast<bf16, f32>{}(t8);
      const f32 t10 = Cast<f32, bf16>{}(t9);
      const f32 t16 = bdiv<f32>{}(t10, t15);
      const bf16 t17 = Cast<bf16, f32>{}(t16);
      const f32 t18 = Cast<f32, bf16>{}(x0);
      const f32 t19 = Affine<f32>{p6, p7}(t18);
      const f32 t20 = Cast<f32, bf16>{}(t17);
      const f32 t21 = bmul<f32>{}(t20, t19);
      const bf16 t22 = Cast<bf16, f32>{}(t21);
      return t22;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_756ddb628608a4b3(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, f16* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 4, 2> h1(operand1 + offsets.at[1], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h1);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t6 = bdiv<f32>{}(t0, t5);
      const f16 t7 = Cast<f16, f32>{}(unfused(t6));
      const f32 t8 = Cast<f32, f16>{}(t7);
      const f32 t9 = Cast<f32, f16>{}(x0);
      const f32 t10 = bmul<f32>{}(t8, t9);
      const f16 t11 = Cast<f16, f32>{}(unfused(t10));
      return t11;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_7618f8813d0682eb(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, f32* out0, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<4>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const f32 x1 = *(operand1 + offsets.at[1]);
    const HeldRow<f32, 4, 2> h2(operand2 + offsets.at[2], share);
    const f32 x3 = *(operand3 + offsets.at[3]);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x2) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = badd<f32>{}(x2, x3);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f32 t3 = Affine<f32>{p0, p1}(t2);
      return t3;
    }, h0, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_76d22751dd70e2ac(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, f32* out0, f32* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<4>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 8> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 8> h3(operand3 + offsets.at[3], share);
    const f32 t1 = reduce_row<Sum>(team, share, [&](const f32 x3) {
      const f32 t0 = usqr<f32>{}(x3);
      return t0;
    }, h3);
    const f32 t2 = Affine<f32>{p0, p1}(t1);
    const f32 t3 = Affine<f32>{p2, p3}(t2);
    const f32 t4 = usqrt<f32>{}(t3);
    const f32 t9 = reduce_row<Sum>(team, share, [&](const f32 x1, const f32 x2, const f32 x3) {
      const f32 t5 = bdiv<f32>{}(x3, t4);
      const f32 t6 = bmul<f32>{}(t5, x2);
      const f32 t7 = badd<f32>{}(t6, x1);
      const f32 t8 = usqr<f32>{}(t7);
      return t8;
    }, h1, h2, h3);
    const f32 t10 = Affine<f32>{p4, p5}(t9);
    const f32 t11 = Affine<f32>{p6, p7}(t10);
    const f32 t12 = usqrt<f32>{}(t11);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2, const f32 x3) {
      const f32 t5 = bdiv<f32>{}(x3, t4);
      const f32 t6 = bmul<f32>{}(t5, x2);
      const f32 t7 = badd<f32>{}(t6, x1);
      return t7;
    }, h1, h2, h3);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3) {
      const f32 t5 = bdiv<f32>{}(x3, t4);
      const f32 t6 = bmul<f32>{}(t5, x2);
      const f32 t7 = badd<f32>{}(t6, x1);
      const f32 t13 = bdiv<f32>{}(t7, t12);
      const f32 t14 = bmul<f32>{}(t13, x0);
      return t14;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_7844a893f31d37f4(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, f32* out0, f32* out1, f32* out2, f32* out3, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 2> h2(operand2 + offsets.at[2], share);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      return t0;
    }, h1, h2);
    write_row(out1 + row * n, share, [&](const f32 x0) {
      const f32 t1 = Affine<f32>{p0, p1}(x0);
      return t1;
    }, h0);
    write_row(out2 + row * n, share, [&](const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      const f32 t2 = Affine<f32>{p2, p3}(t0);
      return t2;
    }, h1, h2);
    write_row(out3 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      const f32 t1 = Affine<f32>{p0, p1}(x0);
      const f32 t2 = Affine<f32>{p2, p3}(t0);
      const f32 t3 = badd<f32>{}(t1, t2);
      return t3;
    }, h0, h1, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_7a49c1f9debcf1c4(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, bf16* out0, bf16* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 8, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 8, 2> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = ugelu<f32>{}(t0);
      const bf16 t4 = Cast<bf16, f32>{}(t1);
      return t4;
    }, h1);
    write_row(out1 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = ugelu<f32>{}(t0);
      const f32 t2 = Cast<f32, bf16>{}(x0);
      const f32 t3 = bmul<f32>{}(t1, t2);
      const bf16 t5 = Cast<bf16, f32>{}(t3);
      return t5;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_7a4b9a75239684de(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      return t0;
    }, h0, h1);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = usqr<f32>{}(t0);
      const f32 t2 = Affine<f32>{p0, p1}(t1);
      return t2;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_7c9482e1c4137855(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, f32* out0, f32* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 8> h2(operand2 + offsets.at[2], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h1, h2);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      return t0;
    }, h1, h2);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      const f32 t6 = bdiv<f32>{}(t0, t5);
      const f32 t7 = bmul<f32>{}(t6, x0);
      return t7;
    }, h0, h1, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_7cd10ee48b237bd9(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = usilu<f32>{}(x1);
      const f32 t1 = bmul<f32>{}(x0, t0);
      return t1;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_7dbe45e182ce1f3f(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      return t0;
    }, h0, h1);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = usqr<f32>{}(t0);
      const f32 t2 = Affine<f32>{p0, p1}(t1);
      return t2;
    }, h0, h1);
  });
}

struct joined_7fac42c27ed251f3_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(Cast<f32, bf16>::COST, Cast<f32, bf16>::COST), badd<f32>::COST), Affine<f32>::COST), Cast<bf16, f32>::COST);
  f32 p0;
  f32 p1;
  DEVICE bf16 operator()(const bf16 x0, const bf16 x1) const {
    const f32 t0 = Cast<f32, bf16>{}(x0);
    const f32 t1 = Cast<f32, bf16>{}(x1);
    const f32 t2 = badd<f32>{}(t0, t1);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const bf16 t4 = Cast<bf16, f32>{}(t3);
    return t4;
  }
};
extern "C" __global__ void joined_7fac42c27ed251f3(const size_t numel, const size_t num_dims, const size_t* info, const bf16* x0, const bf16* x1, bf16* out, const f32 p0, const f32 p1) {
  elementwise(numel, num_dims, info, joined_7fac42c27ed251f3_tree{p0, p1}, out, x0, x1);
}

struct joined_7fb0d29f7275ae8b_tree {
  static constexpr Cost COST = max_of(badd<f32>::COST, badd<f32>::COST);
  DEVICE f32 operator()(const f32 x0, const f32 x1, const f32 x2) const {
    const f32 t0 = badd<f32>{}(x1, x2);
    const f32 t1 = badd<f32>{}(x0, t0);
    return t1;
  }
};
extern "C" __global__ void joined_7fb0d29f7275ae8b(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, const f32* x2, f32* out) {
  elementwise(numel, num_dims, info, joined_7fb0d29f7275ae8b_tree{}, out, x0, x1, x2);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_7fbb3a7a27045ba8(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, const f32* operand4, f32* out0, f32* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 4> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 4> h3(operand3 + offsets.at[3], share);
    const HeldRow<f32, 4, 4> h4(operand4 + offsets.at[4], share);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2, const f32 x3, const f32 x4) {
      const f32 t0 = badd<f32>{}(x3, x4);
      const f32 t1 = bmul<f32>{}(t0, x2);
      const f32 t2 = badd<f32>{}(x1, t1);
      return t2;
    }, h1, h2, h3, h4);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3, const f32 x4) {
      const f32 t0 = badd<f32>{}(x3, x4);
      const f32 t1 = bmul<f32>{}(t0, x2);
      const f32 t2 = badd<f32>{}(x1, t1);
      const f32 t3 = badd<f32>{}(x0, t2);
      return t3;
    }, h0, h1, h2, h3, h4);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_813d490b9fba18fe(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const f32 x1 = *(operand1 + offsets.at[1]);
    const f32 t0 = Affine<f32>{p0, p1}(x1);
    if (team.rank == 0 && row < rows) out0[row] = t0;
    write_row(out1 + row * n, share, [&](const f32 x0) {
      const f32 t1 = bmul<f32>{}(t0, x0);
      return t1;
    }, h0);
  });
}

struct joined_81b86ebcea001834_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(max_of(Cast<f32, f16>::COST, Cast<f32, f16>::COST), badd<f32>::COST), Cast<f32, f16>::COST), badd<f32>::COST), Cast<f16, f32>::COST);
  DEVICE f16 operator()(const f16 x0, const f16 x1, const f16 x2) const {
    const f32 t0 = Cast<f32, f16>{}(x1);
    const f32 t1 = Cast<f32, f16>{}(x2);
    const f32 t2 = badd<f32>{}(t0, t1);
    const f32 t3 = Cast<f32, f16>{}(x0);
    const f32 t4 = badd<f32>{}(t2, t3);
    const f16 t5 = Cast<f16, f32>{}(unfused(t4));
    return t5;
  }
};
extern "C" __global__ void joined_81b86ebcea001834(const size_t numel, const size_t num_dims, const size_t* info, const f16* x0, const f16* x1, const f16* x2, f16* out) {
  elementwise(numel, num_dims, info, joined_81b86ebcea001834_tree{}, out, x0, x1, x2);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_827997b395214d0c(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, const f32* operand4, f32* out0, f32* out1, f32* out2, f32* out3, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 4> h2(operand2 + offsets.at[2], share);
    const f32 x3 = *(operand3 + offsets.at[3]);
    const f32 x4 = *(operand4 + offsets.at[4]);
    const f32 t0 = badd<f32>{}(x3, x4);
    write_row(out0 + row * n, share, [&](const f32 x2) {
      const f32 t1 = badd<f32>{}(x2, t0);
      return t1;
    }, h2);
    write_row(out1 + row * n, share, [&](const f32 x1, const f32 x2) {
      const f32 t1 = badd<f32>{}(x2, t0);
      const f32 t2 = bmul<f32>{}(x1, t1);
      return t2;
    }, h1, h2);
    write_row(out2 + row * n, share, [&](const f32 x1, const f32 x2) {
      const f32 t1 = badd<f32>{}(x2, t0);
      const f32 t2 = bmul<f32>{}(x1, t1);
      const f32 t3 = Affine<f32>{p0, p1}(t2);
      return t3;
    }, h1, h2);
    write_row(out3 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2) {
      const f32 t1 = badd<f32>{}(x2, t0);
      const f32 t2 = bmul<f32>{}(x1, t1);
      const f32 t3 = Affine<f32>{p0, p1}(t2);
      const f32 t4 = badd<f32>{}(x0, t3);
      return t4;
    }, h0, h1, h2);
  });
}

struct joined_845fa440baa0edf5_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(Cast<f32, u32>::COST, Affine<f32>::COST), Affine<f32>::COST), uexp<f32>::COST), Cast<bf16, f32>::COST);
  f32 p0;
  f32 p1;
  f32 p2;
  f32 p3;
  DEVICE bf16 operator()(const u32 x0) const {
    const f32 t0 = Cast<f32, u32>{}(x0);
    const f32 t1 = Affine<f32>{p0, p1}(t0);
    const f32 t2 = Affine<f32>{p2, p3}(t1);
    const f32 t3 = uexp<f32>{}(t2);
    const bf16 t4 = Cast<bf16, f32>{}(t3);
    return t4;
  }
};
extern "C" __global__ void joined_845fa440baa0edf5(const size_t numel, const size_t num_dims, const size_t* info, const u32* x0, bf16* out, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  elementwise(numel, num_dims, info, joined_845fa440baa0edf5_tree{p0, p1, p2, p3}, out, x0);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_84ddddf3119a88dd(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, const f32* operand4, f32* out0, f32* out1, f32* out2, f32* out3, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7, const f32 p8, const f32 p9, const f32 p10, const f32 p11, const f32 p12, const f32 p13, const f32 p14, const f32 p15, const f32 p16, const f32 p17) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 4> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 4> h3(operand3 + offsets.at[3], share);
    const HeldRow<f32, 4, 4> h4(operand4 + offsets.at[4], share);
    write_row(out0 + row * n, share, [&](const f32 x3, const f32 x4) {
      const f32 t0 = badd<f32>{}(x3, x4);
      return t0;
    }, h3, h4);
    write_row(out1 + row * n, share, [&](const f32 x1, const f32 x3, const f32 x4) {
      const f32 t0 = badd<f32>{}(x3, x4);
      const f32 t1 = Affine<f32>{p0, p1}(x1);
      const f32 t2 = Affine<f32>{p2, p3}(t0);
      const f32 t3 = badd<f32>{}(t1, t2);
      return t3;
    }, h1, h3, h4);
    write_row(out2 + row * n, share, [&](const f32 x2, const f32 x3, const f32 x4) {
      const f32 t0 = badd<f32>{}(x3, x4);
      const f32 t4 = Affine<f32>{p4, p5}(x2);
      const f32 t5 = usqr<f32>{}(t0);
      const f32 t6 = Affine<f32>{p6, p7}(t5);
      const f32 t7 = badd<f32>{}(t4, t6);
      return t7;
    }, h2, h3, h4);
    write_row(out3 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3, const f32 x4) {
      const f32 t0 = badd<f32>{}(x3, x4);
      const f32 t1 = Affine<f32>{p0, p1}(x1);
      const f32 t2 = Affine<f32>{p2, p3}(t0);
      const f32 t3 = badd<f32>{}(t1, t2);
      const f32 t4 = Affine<f32>{p4, p5}(x2);
      const f32 t5 = usqr<f32>{}(t0);
      const f32 t6 = Affine<f32>{p6, p7}(t5);
      const f32 t7 = badd<f32>{}(t4, t6);
      const f32 t8 = Affine<f32>{p8, p9}(t3);
      const f32 t9 = Affine<f32>{p10, p11}(t7);
      const f32 t10 = Affine<f32>{p12, p13}(x0);
      const f32 t11 = usqrt<f32>{}(t9);
      const f32 t12 = Affine<f32>{p14, p15}(t11);
      const f32 t13 = bdiv<f32>{}(t8, t12);
      const f32 t14 = Affine<f32>{p16, p17}(t13);
      const f32 t15 = bsub<f32>{}(t10, t14);
      return t15;
    }, h0, h1, h2, h3, h4);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_859a95f817c65a6d(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, f32* out0, f32* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const f32 x0 = *(operand0 + offsets.at[0]);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    const f32 x2 = *(operand2 + offsets.at[2]);
    write_row(out0 + row * n, share, [&](const f32 x1) {
      const f32 t0 = badd<f32>{}(x1, x2);
      return t0;
    }, h1);
    write_row(out1 + row * n, share, [&](const f32 x1) {
      const f32 t0 = badd<f32>{}(x1, x2);
      const f32 t1 = badd<f32>{}(x0, t0);
      return t1;
    }, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_8693a2ae863bc436(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, const f32* operand4, f32* out0, f32* out1, f32* out2, f32* out3, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 2> h2(operand2 + offsets.at[2], share);
    const f32 x3 = *(operand3 + offsets.at[3]);
    const f32 x4 = *(operand4 + offsets.at[4]);
    const f32 t0 = badd<f32>{}(x3, x4);
    write_row(out0 + row * n, share, [&](const f32 x2) {
      const f32 t1 = badd<f32>{}(x2, t0);
      return t1;
    }, h2);
    write_row(out1 + row * n, share, [&](const f32 x1, const f32 x2) {
      const f32 t1 = badd<f32>{}(x2, t0);
      const f32 t2 = bmul<f32>{}(x1, t1);
      return t2;
    }, h1, h2);
    write_row(out2 + row * n, share, [&](const f32 x1, const f32 x2) {
      const f32 t1 = badd<f32>{}(x2, t0);
      const f32 t2 = bmul<f32>{}(x1, t1);
      const f32 t3 = Affine<f32>{p0, p1}(t2);
      return t3;
    }, h1, h2);
    write_row(out3 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2) {
      const f32 t1 = badd<f32>{}(x2, t0);
      const f32 t2 = bmul<f32>{}(x1, t1);
      const f32 t3 = Affine<f32>{p0, p1}(t2);
      const f32 t4 = badd<f32>{}(x0, t3);
      return t4;
    }, h0, h1, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_86c4012a5943357c(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, const bf16* operand2, const f32* operand3, const f32* operand4, bf16* out0, bf16* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<bf16, 4, 8> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 8> h3(operand3 + offsets.at[3], share);
    const f32 x4 = *(operand4 + offsets.at[4]);
    const f32 t0 = usqrt<f32>{}(x4);
    const f32 t12 = reduce_row<Sum>(team, share, [&](const bf16 x1, const bf16 x2, const f32 x3) {
      const f32 t1 = bdiv<f32>{}(x3, t0);
      const bf16 t2 = Cast<bf16, f32>{}(t1);
      const f32 t3 = Cast<f32, bf16>{}(x2);
      const f32 t4 = Affine<f32>{p0, p1}(t3);
      const f32 t5 = Cast<f32, bf16>{}(t2);
      const f32 t6 = bmul<f32>{}(t5, t4);
      const f32 t7 = Cast<f32, bf16>{}(x1);
      const f32 t8 = badd<f32>{}(t6, t7);
      const bf16 t9 = Cast<bf16, f32>{}(t8);
      const f32 t10 = Cast<f32, bf16>{}(t9);
      const f32 t11 = usqr<f32>{}(t10);
      return t11;
    }, h1, h2, h3);
    const f32 t13 = Affine<f32>{p2, p3}(t12);
    const f32 t14 = Affine<f32>{p4, p5}(t13);
    const f32 t15 = usqrt<f32>{}(t14);
    write_row(out0 + row * n, share, [&](const bf16 x1, const bf16 x2, const f32 x3) {
      const f32 t1 = bdiv<f32>{}(x3, t0);
      const bf16 t2 = Cast<bf16, f32>{}(t1);
      const f32 t3 = Cast<f32, bf16>{}(x2);
      const f32 t4 = Affine<f32>{p0, p1}(t3);
      const f32 t5 = Cast<f32, bf16>{}(t2);
      const f32 t6 = bmul<f32>{}(t5, t4);
      const f32 t7 = Cast<f32, bf16>{}(x1);
      const f32 t8 = badd<f32>{}(t6, t7);
      const bf16 t9 = Cast<bf16, f32>{}(t8);
      return t9;
    }, h1, h2, h3);
    write_row(out1 + row * n, share, [&](const bf16 x0, const bf16 x1, const bf16 x2, const f32 x3) {
      const f32 t1 = bdiv<f32>{}(x3, t0);
      const bf16 t2 = Cast<bf16, f32>{}(t1);
      const f32 t3 = Cast<f32, bf16>{}(x2);
      const f32 t4 = Affine<f32>{p0, p1}(t3);
      const f32 t5 = Cast<f32, bf16>{}(t2);
      const f32 t6 = bmul<f32>{}(t5, t4);
      const f32 t7 = Cast<f32, bf16>{}(x1);
      const f32 t8 = badd<f32>{}(t6, t7);
      const bf16 t9 = Cast<bf16, f32>{}(t8);
      const f32 t10 = Cast<f32, bf16>{}(t9);
      const f32 t16 = bdiv<f32>{}(t10, t15);
      const bf16 t17 = Cast<bf16, f32>{}(t16);
      const f32 t18 = Cast<f32, bf16>{}(x0);
      const f32 t19 = Affine<f32>{p6, p7}(t18);
      const f32 t20 = Cast<f32, bf16>{}(t17);
      const f32 t21 = bmul<f32>{}(t20, t19);
      const bf16 t22 = Cast<bf16, f32>{}(t21);
      return t22;
    }, h0, h1, h2, h3);
  });
}

struct joined_8855e5166e3361f8_tree {
  static constexpr Cost COST = max_of(max_of(badd<f32>::COST, Affine<f32>::COST), badd<f32>::COST);
  f32 p0;
  f32 p1;
  DEVICE f32 operator()(const f32 x0, const f32 x1, const f32 x2) const {
    const f32 t0 = badd<f32>{}(x1, x2);
    const f32 t1 = Affine<f32>{p0, p1}(t0);
    const f32 t2 = badd<f32>{}(x0, t1);
    return t2;
  }
};
extern "C" __global__ void joined_8855e5166e3361f8(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, const f32* x2, f32* out, const f32 p0, const f32 p1) {
  elementwise(numel, num_dims, info, joined_8855e5166e3361f8_tree{p0, p1}, out, x0, x1, x2);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_88df16e5671fdde0(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, f16* out0, f16* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 4, 8> h1(operand1 + offsets.at[1], share);
    const f32 t5 = reduce_row<Sum>(team, share, [&](const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const f16 t2 = Cast<f16, f32>{}(unfused(t1));
      const f32 t3 = Cast<f32, f16>{}(t2);
      const f32 t4 = usqr<f32>{}(t3);
      return t4;
    }, h1);
    const f32 t6 = Affine<f32>{p2, p3}(t5);
    const f32 t7 = Affine<f32>{p4, p5}(t6);
    const f32 t8 = usqrt<f32>{}(t7);
    write_row(out0 + row * n, share, [&](const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const f16 t2 = Cast<f16, f32>{}(unfused(t1));
      return t2;
    }, h1);
    write_row(out1 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const f16 t2 = Cast<f16, f32>{}(unfused(t1));
      const f32 t3 = Cast<f32, f16>{}(t2);
      const f32 t9 = bdiv<f32>{}(t3, t8);
      const f16 t10 = Cast<f16, f32>{}(unfused(t9));
      const f32 t11 = Cast<f32, f16>{}(x0);
      const f32 t12 = Affine<f32>{p6, p7}(t11);
      const f32 t13 = Cast<f32, f16>{}(t10);
      const f32 t14 = bmul<f32>{}(t13, t12);
      const f16 t15 = Cast<f16, f32>{}(unfused(t14));
      return t15;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_897e7c8e9e605d83(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, const f16* operand2, f16* out0, f16* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const f16 x0 = *(operand0 + offsets.at[0]);
    const HeldRow<f16, 8, 2> h1(operand1 + offsets.at[1], share);
    const f16 x2 = *(operand2 + offsets.at[2]);
    const f32 t1 = Cast<f32, f16>{}(x2);
    const f32 t3 = Cast<f32, f16>{}(x0);
    write_row(out0 + row * n, share, [&](const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f16 t5 = Cast<f16, f32>{}(unfused(t2));
      return t5;
    }, h1);
    write_row(out1 + row * n, share, [&](const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f32 t4 = badd<f32>{}(t3, t2);
      const f16 t6 = Cast<f16, f32>{}(unfused(t4));
      return t6;
    }, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_8a9a964ee3bd082c(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, bf16* out0, f32* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 4, 2> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Cast<f32, bf16>{}(x0);
      const f32 t2 = bsub<f32>{}(t0, t1);
      const f32 t3 = Affine<f32>{p0, p1}(t2);
      const f32 t4 = badd<f32>{}(t1, t3);
      const bf16 t5 = Cast<bf16, f32>{}(t4);
      return t5;
    }, h0, h1);
    write_row(out1 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Cast<f32, bf16>{}(x0);
      const f32 t2 = bsub<f32>{}(t0, t1);
      const f32 t3 = Affine<f32>{p0, p1}(t2);
      const f32 t4 = badd<f32>{}(t1, t3);
      const bf16 t5 = Cast<bf16, f32>{}(t4);
      const f32 t6 = Cast<f32, bf16>{}(t5);
      return t6;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_8c85b6b71882b950(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const f32 x1 = *(operand1 + offsets.at[1]);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f32 x0) {
      const f32 t0 = bdiv<f32>{}(x0, x1);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h0);
    const f32 t3 = usqrt<f32>{}(t2);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const f32 t0 = bdiv<f32>{}(x0, x1);
      const f32 t4 = bdiv<f32>{}(t0, t3);
      return t4;
    }, h0);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_8f3b65ebce2289cf(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 8> h1(operand1 + offsets.at[1], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f32 x1) {
      const f32 t0 = Affine<f32>{p0, p1}(x1);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h1);
    const f32 t3 = Affine<f32>{p2, p3}(t2);
    const f32 t4 = Affine<f32>{p4, p5}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const f32 x1) {
      const f32 t0 = Affine<f32>{p0, p1}(x1);
      return t0;
    }, h1);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = Affine<f32>{p0, p1}(x1);
      const f32 t6 = bdiv<f32>{}(t0, t5);
      const f32 t7 = Affine<f32>{p6, p7}(x0);
      const f32 t8 = bmul<f32>{}(t6, t7);
      return t8;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_90b85663f9fef18e(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, const f32* operand4, f32* out0, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const f32 x1 = *(operand1 + offsets.at[1]);
    const f32 x2 = *(operand2 + offsets.at[2]);
    const f32 x3 = *(operand3 + offsets.at[3]);
    const f32 x4 = *(operand4 + offsets.at[4]);
    const f32 t0 = badd<f32>{}(x3, x4);
    const f32 t1 = Affine<f32>{p0, p1}(t0);
    const f32 t2 = badd<f32>{}(x2, t1);
    const f32 t3 = badd<f32>{}(x1, t2);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const f32 t4 = badd<f32>{}(x0, t3);
      return t4;
    }, h0);
  });
}

struct joined_90e3144727fe8b81_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(max_of(max_of(Cast<bf16, f32>::COST, Cast<f32, bf16>::COST), Cast<f32, bf16>::COST), bmul<f32>::COST), Cast<f32, bf16>::COST), badd<f32>::COST), Cast<bf16, f32>::COST);
  DEVICE bf16 operator()(const bf16 x0, const bf16 x1, const f32 x2) const {
    const bf16 t0 = Cast<bf16, f32>{}(x2);
    const f32 t1 = Cast<f32, bf16>{}(t0);
    const f32 t2 = Cast<f32, bf16>{}(x1);
    const f32 t3 = bmul<f32>{}(t1, t2);
    const f32 t4 = Cast<f32, bf16>{}(x0);
    const f32 t5 = badd<f32>{}(t4, t3);
    const bf16 t6 = Cast<bf16, f32>{}(t5);
    return t6;
  }
};
extern "C" __global__ void joined_90e3144727fe8b81(const size_t numel, const size_t num_dims, const size_t* info, const bf16* x0, const bf16* x1, const f32* x2, bf16* out) {
  elementwise(numel, num_dims, info, joined_90e3144727fe8b81_tree{}, out, x0, x1, x2);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_9151dc32b43f95e7(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, f32* out0, f32* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 8> h2(operand2 + offsets.at[2], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h1, h2);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      return t0;
    }, h1, h2);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      const f32 t6 = bdiv<f32>{}(t0, t5);
      const f32 t7 = Affine<f32>{p4, p5}(x0);
      const f32 t8 = bmul<f32>{}(t6, t7);
      return t8;
    }, h0, h1, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_934c65a9ad0ed65b(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, f32* out2, f32* out3, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const f32 t0 = Affine<f32>{p0, p1}(x0);
      return t0;
    }, h0);
    write_row(out1 + row * n, share, [&](const f32 x1) {
      const f32 t1 = Affine<f32>{p2, p3}(x1);
      return t1;
    }, h1);
    write_row(out2 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = Affine<f32>{p0, p1}(x0);
      const f32 t1 = Affine<f32>{p2, p3}(x1);
      const f32 t2 = badd<f32>{}(t0, t1);
      return t2;
    }, h0, h1);
    write_row(out3 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = Affine<f32>{p0, p1}(x0);
      const f32 t1 = Affine<f32>{p2, p3}(x1);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f32 t3 = Affine<f32>{p4, p5}(t2);
      return t3;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_95b36daa8fc7c2cf(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, const f32* operand4, f32* out0, f32* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 4> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 4> h3(operand3 + offsets.at[3], share);
    const HeldRow<f32, 4, 4> h4(operand4 + offsets.at[4], share);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2, const f32 x3, const f32 x4) {
      const f32 t0 = badd<f32>{}(x2, x3);
      const f32 t1 = Affine<f32>{p0, p1}(x4);
      const f32 t2 = bmul<f32>{}(t0, t1);
      const f32 t3 = badd<f32>{}(x1, t2);
      return t3;
    }, h1, h2, h3, h4);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3, const f32 x4) {
      const f32 t0 = badd<f32>{}(x2, x3);
      const f32 t1 = Affine<f32>{p0, p1}(x4);
      const f32 t2 = bmul<f32>{}(t0, t1);
      const f32 t3 = badd<f32>{}(x1, t2);
      const f32 t4 = badd<f32>{}(x0, t3);
      return t4;
    }, h0, h1, h2, h3, h4);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_95ce096282941046(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, bf16* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 8, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 8, 4> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = usilu<f32>{}(t0);
      const f32 t2 = Cast<f32, bf16>{}(x0);
      const f32 t3 = bmul<f32>{}(t2, t1);
      const bf16 t4 = Cast<bf16, f32>{}(t3);
      return t4;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_97528205f5d2d636(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, const f16* operand2, const f32* operand3, const f32* operand4, f16* out0, f16* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f16, 4, 8> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 8> h3(operand3 + offsets.at[3], share);
    const f32 x4 = *(operand4 + offsets.at[4]);
    const f32 t0 = usqrt<f32>{}(x4);
    const f32 t12 = reduce_row<Sum>(team, share, [&](const f16 x1, const f16 x2, const f32 x3) {
      const f32 t1 = bdiv<f32>{}(x3, t0);
      const f16 t2 = Cast<f16, f32>{}(unfused(t1));
      const f32 t3 = Cast<f32, f16>{}(x2);
      const f32 t4 = Affine<f32>{p0, p1}(t3);
      const f32 t5 = Cast<f32, f16>{}(t2);
      const f32 t6 = bmul<f32>{}(t5, t4);
      const f32 t7 = Cast<f32, f16>{}(x1);
      const f32 t8 = badd<f32>{}(t6, t7);
      const f16 t9 = Cast<f16, f32>{}(unfused(t8));
      const f32 t10 = Cast<f32, f16>{}(t9);
      const f32 t11 = usqr<f32>{}(t10);
      return t11;
    }, h1, h2, h3);
    const f32 t13 = Affine<f32>{p2, p3}(t12);
    const f32 t14 = Affine<f32>{p4, p5}(t13);
    const f32 t15 = usqrt<f32>{}(t14);
    write_row(out0 + row * n, share, [&](const f16 x1, const f16 x2, const f32 x3) {
      const f32 t1 = bdiv<f32>{}(x3, t0);
      const f16 t2 = Cast<f16, f32>{}(unfused(t1));
      const f32 t3 = Cast<f32, f16>{}(x2);
      const f32 t4 = Affine<f32>{p0, p1}(t3);
      const f32 t5 = Cast<f32, f16>{}(t2);
      const f32 t6 = bmul<f32>{}(t5, t4);
      const f32 t7 = Cast<f32, f16>{}(x1);
      const f32 t8 = badd<f32>{}(t6, t7);
      const f16 t9 = Cast<f16, f32>{}(unfused(t8));
      return t9;
    }, h1, h2, h3);
    write_row(out1 + row * n, share, [&](const f16 x0, const f16 x1, const f16 x2, const f32 x3) {
      const f32 t1 = bdiv<f32>{}(x3, t0);
      const f16 t2 = Cast<f16, f32>{}(unfused(t1));
      const f32 t3 = Cast<f32, f16>{}(x2);
      const f32 t4 = Affine<f32>{p0, p1}(t3);
      const f32 t5 = Cast<f32, f16>{}(t2);
      const f32 t6 = bmul<f32>{}(t5, t4);
      const f32 t7 = Cast<f32, f16>{}(x1);
      const f32 t8 = badd<f32>{}(t6, t7);
      const f16 t9 = Cast<f16, f32>{}(unfused(t8));
      const f32 t10 = Cast<f32, f16>{}(t9);
      const f32 t16 = bdiv<f32>{}(t10, t15);
      const f16 t17 = Cast<f16, f32>{}(unfused(t16));
      const f32 t18 = Cast<f32, f16>{}(x0);
      const f32 t19 = Affine<f32>{p6, p7}(t18);
      const f32 t20 = Cast<f32, f16>{}(t17);
      const f32 t21 = bmul<f32>{}(t20, t19);
      const f16 t22 = Cast<f16, f32>{}(unfused(t21));
      return t22;
    }, h0, h1, h2, h3);
  });
}

struct joined_97998c5d693a81bd_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(max_of(Cast<f32, bf16>::COST, Cast<f32, bf16>::COST), badd<f32>::COST), Cast<f32, bf16>::COST), badd<f32>::COST), Cast<bf16, f32>::COST);
  DEVICE bf16 operator()(const bf16 x0, const bf16 x1, const bf16 x2) const {
    const f32 t0 = Cast<f32, bf16>{}(x1);
    const f32 t1 = Cast<f32, bf16>{}(x2);
    const f32 t2 = badd<f32>{}(t0, t1);
    const f32 t3 = Cast<f32, bf16>{}(x0);
    const f32 t4 = badd<f32>{}(t2, t3);
    const bf16 t5 = Cast<bf16, f32>{}(t4);
    return t5;
  }
};
extern "C" __global__ void joined_97998c5d693a81bd(const size_t numel, const size_t num_dims, const size_t* info, const bf16* x0, const bf16* x1, const bf16* x2, bf16* out) {
  elementwise(numel, num_dims, info, joined_97998c5d693a81bd_tree{}, out, x0, x1, x2);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_98d36e543f1c8165(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, const f16* operand2, const f16* operand3, f16* out0, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<4>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 8, 2> h0(operand0 + offsets.at[0], share);
    const f16 x1 = *(operand1 + offsets.at[1]);
    const HeldRow<f16, 8, 2> h2(operand2 + offsets.at[2], share);
    const f16 x3 = *(operand3 + offsets.at[3]);
    const f32 t1 = Cast<f32, f16>{}(x1);
    const f32 t4 = Cast<f32, f16>{}(x3);
    write_row(out0 + row * n, share, [&](const f16 x0, const f16 x2) {
      const f32 t0 = Cast<f32, f16>{}(x0);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f32 t3 = Cast<f32, f16>{}(x2);
      const f32 t5 = badd<f32>{}(t3, t4);
      const f32 t6 = badd<f32>{}(t2, t5);
      const f32 t7 = Affine<f32>{p0, p1}(t6);
      const f16 t8 = Cast<f16, f32>{}(unfused(t7));
      return t8;
    }, h0, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_992087fee720dff5(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, const bf16* operand2, const f32* operand3, const f32* operand4, bf16* out0, bf16* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<bf16, 4, 8> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 8> h3(operand3 + offsets.at[3], share);
    const f32 x4 = *(operand4 + offsets.at[4]);
    const f32 t0 = Affine<f32>{p0, p1}(x4);
    const f32 t1 = Affine<f32>{p2, p3}(t0);
    const f32 t2 = usqrt<f32>{}(t1);
    const f32 t13 = reduce_row<Sum>(team, share, [&](const bf16 x1, const bf16 x2, const f32 x3) {
      const f32 t3 = bdiv<f32>{}(x3, t2);
      const bf16 t4 = Cast<bf16, f32>{}(t3);
      const f32 t5 = Cast<f32, bf16>{}(t4);
      const f32 t6 = Cast<f32, bf16>{}(x2);
      const f32 t7 = bmul<f32>{}(t5, t6);
      const f32 t8 = Cast<f32, bf16>{}(x1);
      const f32 t9 = badd<f32>{}(t8, t7);
      const bf16 t10 = Cast<bf16, f32>{}(t9);
      const f32 t11 = Cast<f32, bf16>{}(t10);
      const f32 t12 = usqr<f32>{}(t11);
      return t12;
    }, h1, h2, h3);
    const f32 t14 = Affine<f32>{p4, p5}(t13);
    const f32 t15 = Affine<f32>{p6, p7}(t14);
    const f32 t16 = usqrt<f32>{}(t15);
    write_row(out0 + row * n, share, [&](const bf16 x1, const bf16 x2, const f32 x3) {
      const f32 t3 = bdiv<f32>{}(x3, t2);
      const bf16 t4 = Cast<bf16, f32>{}(t3);
      const f32 t5 = Cast<f32, bf16>{}(t4);
      const f32 t6 = Cast<f32, bf16>{}(x2);
      const f32 t7 = bmul<f32>{}(t5, t6);
      const f32 t8 = Cast<f32, bf16>{}(x1);
      const f32 t9 = badd<f32>{}(t8, t7);
      const bf16 t10 = Cast<bf16, f32>{}(t9);
      return t10;
    }, h1, h2, h3);
    write_row(out1 + row * n, share, [&](const bf16 x0, const bf16 x1, const bf16 x2, const f32 x3) {
      const f32 t3 = bdiv<f32>{}(x3, t2);
      const bf16 t4 = Cast<bf16, f32>{}(t3);
      const f32 t5 = Cast<f32, bf16>{}(t4);
      const f32 t6 = Cast<f32, bf16>{}(x2);
      const f32 t7 = bmul<f32>{}(t5, t6);
      const f32 t8 = Cast<f32, bf16>{}(x1);
      const f32 t9 = badd<f32>{}(t8, t7);
      const bf16 t10 = Cast<bf16, f32>{}(t9);
      const f32 t11 = Cast<f32, bf16>{}(t10);
      const f32 t17 = bdiv<f32>{}(t11, t16);
      const bf16 t18 = Cast<bf16, f32>{}(t17);
      const f32 t19 = Cast<f32, bf16>{}(t18);
      const f32 t20 = Cast<f32, bf16>{}(x0);
      const f32 t21 = bmul<f32>{}(t19, t20);
      const bf16 t22 = Cast<bf16, f32>{}(t21);
      return t22;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_9ab5a3e8311b7ff8(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const u32* operand1, f32* out0, f32* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const u32 x1 = *(operand1 + offsets.at[1]);
    const f32 t0 = Cast<f32, u32>{}(x1);
    if (team.rank == 0 && row < rows) out0[row] = t0;
    write_row(out1 + row * n, share, [&](const f32 x0) {
      const f32 t1 = bmul<f32>{}(x0, t0);
      return t1;
    }, h0);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_9ac4a1a737aa227f(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, bf16* out0, f32* out1, f32* out2, bf16* out3, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 4, 8> h1(operand1 + offsets.at[1], share);
    const f32 t3 = reduce_row<Sum>(team, share, [&](const bf16 x0, const bf16 x1) {
      const bf16 t0 = badd<bf16>{}(x0, x1);
      const f32 t1 = Cast<f32, bf16>{}(t0);
      const f32 t2 = usqr<f32>{}(t1);
      return t2;
    }, h0, h1);
    const f32 t4 = Affine<f32>{p0, p1}(t3);
    const f32 t5 = Affine<f32>{p2, p3}(t4);
    const f32 t6 = usqrt<f32>{}(t5);
    write_row(out0 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const bf16 t0 = badd<bf16>{}(x0, x1);
      return t0;
    }, h0, h1);
    write_row(out1 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const bf16 t0 = badd<bf16>{}(x0, x1);
      const f32 t1 = Cast<f32, bf16>{}(t0);
      return t1;
    }, h0, h1);
    write_row(out2 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const bf16 t0 = badd<bf16>{}(x0, x1);
      const f32 t1 = Cast<f32, bf16>{}(t0);
      const f32 t7 = bdiv<f32>{}(t1, t6);
      return t7;
    }, h0, h1);
    write_row(out3 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const bf16 t0 = badd<bf16>{}(x0, x1);
      const f32 t1 = Cast<f32, bf16>{}(t0);
      const f32 t7 = bdiv<f32>{}(t1, t6);
      const bf16 t8 = Cast<bf16, f32>{}(t7);
      return t8;
    }, h0, h1);
  });
}

struct joined_9af6a888bc9c4095_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(Cast<f32, bf16>::COST, usilu<f32>::COST), Cast<f32, bf16>::COST), bmul<f32>::COST), Cast<bf16, f32>::COST);
  DEVICE bf16 operator()(const bf16 x0, const bf16 x1) const {
    const f32 t0 = Cast<f32, bf16>{}(x1);
    const f32 t1 = usilu<f32>{}(t0);
    const f32 t2 = Cast<f32, bf16>{}(x0);
    const f32 t3 = bmul<f32>{}(t2, t1);
    const bf16 t4 = Cast<bf16, f32>{}(t3);
    return t4;
  }
};
extern "C" __global__ void joined_9af6a888bc9c4095(const size_t numel, const size_t num_dims, const size_t* info, const bf16* x0, const bf16* x1, bf16* out) {
  elementwise(numel, num_dims, info, joined_9af6a888bc9c4095_tree{}, out, x0, x1);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_9d568ba46fbb4ff9(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, f32* out2, f32* out3, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      return t0;
    }, h0, h1);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      return t1;
    }, h0, h1);
    write_row(out2 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const f32 t2 = usqrt<f32>{}(t1);
      return t2;
    }, h0, h1);
    write_row(out3 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const f32 t2 = usqrt<f32>{}(t1);
      const f32 t3 = Affine<f32>{p2, p3}(t2);
      return t3;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_9f060507533e279e(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, f16* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 4, 2> h1(operand1 + offsets.at[1], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h1);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t6 = bdiv<f32>{}(t0, t5);
      const f16 t7 = Cast<f16, f32>{}(unfused(t6));
      const f32 t8 = Cast<f32, f16>{}(x0);
      const f32 t9 = Affine<f32>{p4, p5}(t8);
      const f32 t10 = Cast<f32, f16>{}(t7);
      const f32 t11 = bmul<f32>{}(t10, t9);
      const f16 t12 = Cast<f16, f32>{}(unfused(t11));
      return t12;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_a0b7f5a7596a7872(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, const f16* operand2, const f32* operand3, const f32* operand4, f16* out0, f16* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f16, 4, 8> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 8> h3(operand3 + offsets.at[3], share);
    const f32 x4 = *(operand4 + offsets.at[4]);
    const f32 t0 = usqrt<f32>{}(x4);
    const f32 t12 = reduce_row<Sum>(team, share, [&](const f16 x1, const f16 x2, const f32 x3) {
      const f32 t1 = bdiv<f32>{}(x3, t0);
      const f16 t2 = Cast<f16, f32>{}(unfused(t1));
      const f32 t3 = Cast<f32, f16>{}(x2);
      const f32 t4 = Affine<f32>{p0, p1}(t3);
      const f32 t5 = Cast<f32, f16>{}(t2);
      const f32 t6 = bmul<f32>{}(t5, t4);
      const f32 t7 = Cast<f32, f16>{}(x1);
      const f32 t8 = badd<f32>{}(t7, t6);
      const f16 t9 = Cast<f16, f32>{}(unfused(t8));
      const f32 t10 = Cast<f32, f16>{}(t9);
      const f32 t11 = usqr<f32>{}(t10);
      return t11;
    }, h1, h2, h3);
    const f32 t13 = Affine<f32>{p2, p3}(t12);
    const f32 t14 = Affine<f32>{p4, p5}(t13);
    const f32 t15 = usqrt<f32>{}(t14);
    write_row(out0 + row * n, share, [&](const f16 x1, const f16 x2, const f32 x3) {
      const f32 t1 = bdiv<f32>{}(x3, t0);
      const f16 t2 = Cast<f16, f32>{}(unfused(t1));
      const f32 t3 = Cast<f32, f16>{}(x2);
      const f32 t4 = Affine<f32>{p0, p1}(t3);
      const f32 t5 = Cast<f32, f16>{}(t2);
      const f32 t6 = bmul<f32>{}(t5, t4);
      const f32 t7 = Cast<f32, f16>{}(x1);
      const f32 t8 = badd<f32>{}(t7, t6);
      const f16 t9 = Cast<f16, f32>{}(unfused(t8));
      return t9;
    }, h1, h2, h3);
    write_row(out1 + row * n, share, [&](const f16 x0, const f16 x1, const f16 x2, const f32 x3) {
      const f32 t1 = bdiv<f32>{}(x3, t0);
      const f16 t2 = Cast<f16, f32>{}(unfused(t1));
      const f32 t3 = Cast<f32, f16>{}(x2);
      const f32 t4 = Affine<f32>{p0, p1}(t3);
      const f32 t5 = Cast<f32, f16>{}(t2);
      const f32 t6 = bmul<f32>{}(t5, t4);
      const f32 t7 = Cast<f32, f16>{}(x1);
      const f32 t8 = badd<f32>{}(t7, t6);
      const f16 t9 = Cast<f16, f32>{}(unfused(t8));
      const f32 t10 = Cast<f32, f16>{}(t9);
      const f32 t16 = bdiv<f32>{}(t10, t15);
      const f16 t17 = Cast<f16, f32>{}(unfused(t16));
      const f32 t18 = Cast<f32, f16>{}(x0);
      const f32 t19 = Affine<f32>{p6, p7}(t18);
      const f32 t20 = Cast<f32, f16>{}(t17);
      const f32 t21 = bmul<f32>{}(t20, t19);
      const f16 t22 = Cast<f16, f32>{}(unfused(t21));
      return t22;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_a2058b89145b56ef(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      return t0;
    }, h0, h1);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = usilu<f32>{}(t0);
      return t1;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_a5a1fdee5918a4dd(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, f16* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 4, 8> h1(operand1 + offsets.at[1], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h1);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t6 = bdiv<f32>{}(t0, t5);
      const f16 t7 = Cast<f16, f32>{}(unfused(t6));
      const f32 t8 = Cast<f32, f16>{}(t7);
      const f32 t9 = Cast<f32, f16>{}(x0);
      const f32 t10 = bmul<f32>{}(t8, t9);
      const f16 t11 = Cast<f16, f32>{}(unfused(t10));
      return t11;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_aaf18e81ed82c9d0(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, f32* out2, f32* out3, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const f32 t0 = Affine<f32>{p0, p1}(x0);
      return t0;
    }, h0);
    write_row(out1 + row * n, share, [&](const f32 x1) {
      const f32 t1 = Affine<f32>{p2, p3}(x1);
      return t1;
    }, h1);
    write_row(out2 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = Affine<f32>{p0, p1}(x0);
      const f32 t1 = Affine<f32>{p2, p3}(x1);
      const f32 t2 = badd<f32>{}(t0, t1);
      return t2;
    }, h0, h1);
    write_row(out3 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = Affine<f32>{p0, p1}(x0);
      const f32 t1 = Affine<f32>{p2, p3}(x1);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f32 t3 = Affine<f32>{p4, p5}(t2);
      return t3;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_ade5569f7da656b4(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, f16* out0, f16* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 8, 4> h0(operand0 + offsets.at[0], share);
    const f16 x1 = *(operand1 + offsets.at[1]);
    const f32 t0 = Cast<f32, f16>{}(x1);
    const f32 t1 = Affine<f32>{p0, p1}(t0);
    const f16 t4 = Cast<f16, f32>{}(unfused(t1));
    if (team.rank == 0 && row < rows) out0[row] = t4;
    write_row(out1 + row * n, share, [&](const f16 x0) {
      const f32 t2 = Cast<f32, f16>{}(x0);
      const f32 t3 = bmul<f32>{}(t1, t2);
      const f16 t5 = Cast<f16, f32>{}(unfused(t3));
      return t5;
    }, h0);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_b34f29dd378e655f(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, f16* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 4, 8> h1(operand1 + offsets.at[1], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h1);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t6 = bdiv<f32>{}(t0, t5);
      const f16 t7 = Cast<f16, f32>{}(unfused(t6));
      const f32 t8 = Cast<f32, f16>{}(x0);
      const f32 t9 = Affine<f32>{p4, p5}(t8);
      const f32 t10 = Cast<f32, f16>{}(t7);
      const f32 t11 = bmul<f32>{}(t10, t9);
      const f16 t12 = Cast<f16, f32>{}(unfused(t11));
      return t12;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_b37625df2e438f5c(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, bf16* out0, bf16* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const bf16 t0 = Cast<bf16, f32>{}(x0);
      return t0;
    }, h0);
    write_row(out1 + row * n, share, [&](const f32 x0) {
      const bf16 t0 = Cast<bf16, f32>{}(x0);
      const f32 t1 = Cast<f32, bf16>{}(t0);
      const f32 t2 = Affine<f32>{p0, p1}(t1);
      const bf16 t3 = Cast<bf16, f32>{}(t2);
      return t3;
    }, h0);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_b473b9a3af8c228e(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, f16* out0, f32* out1, f32* out2, f16* out3, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 4, 8> h1(operand1 + offsets.at[1], share);
    const f32 t3 = reduce_row<Sum>(team, share, [&](const f16 x0, const f16 x1) {
      const f16 t0 = badd<f16>{}(x0, x1);
      const f32 t1 = Cast<f32, f16>{}(t0);
      const f32 t2 = usqr<f32>{}(t1);
      return t2;
    }, h0, h1);
    const f32 t4 = Affine<f32>{p0, p1}(t3);
    const f32 t5 = Affine<f32>{p2, p3}(t4);
    const f32 t6 = usqrt<f32>{}(t5);
    write_row(out0 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f16 t0 = badd<f16>{}(x0, x1);
      return t0;
    }, h0, h1);
    write_row(out1 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f16 t0 = badd<f16>{}(x0, x1);
      const f32 t1 = Cast<f32, f16>{}(t0);
      return t1;
    }, h0, h1);
    write_row(out2 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f16 t0 = badd<f16>{}(x0, x1);
      const f32 t1 = Cast<f32, f16>{}(t0);
      const f32 t7 = bdiv<f32>{}(t1, t6);
      return t7;
    }, h0, h1);
    write_row(out3 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f16 t0 = badd<f16>{}(x0, x1);
      const f32 t1 = Cast<f32, f16>{}(t0);
      const f32 t7 = bdiv<f32>{}(t1, t6);
      const f16 t8 = Cast<f16, f32>{}(unfused(t7));
      return t8;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_b5df4b9341590608(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = ugelu_erf<f32>{}(t0);
      return t1;
    }, h0, h1);
  });
}

struct joined_b6c66cedd200a3a6_tree {
  static constexpr Cost COST = max_of(usilu<f32>::COST, bmul<f32>::COST);
  DEVICE f32 operator()(const f32 x0, const f32 x1) const {
    const f32 t0 = usilu<f32>{}(x1);
    const f32 t1 = bmul<f32>{}(x0, t0);
    return t1;
  }
};
extern "C" __global__ void joined_b6c66cedd200a3a6(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, f32* out) {
  elementwise(numel, num_dims, info, joined_b6c66cedd200a3a6_tree{}, out, x0, x1);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_b6fb6b1dac47d28e(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, f32* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<4>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 4> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 4> h3(operand3 + offsets.at[3], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3) {
      const f32 t0 = Affine<f32>{p0, p1}(x0);
      const f32 t1 = Affine<f32>{p2, p3}(x2);
      const f32 t2 = Affine<f32>{p4, p5}(x3);
      const f32 t3 = badd<f32>{}(t1, t2);
      const f32 t4 = Affine<f32>{p6, p7}(x1);
      const f32 t5 = bmul<f32>{}(t3, t4);
      const f32 t6 = badd<f32>{}(t0, t5);
      return t6;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_b7c01b3e099cf9a8(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, f16* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 8, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 8, 2> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = usilu<f32>{}(t0);
      const f32 t2 = Cast<f32, f16>{}(x0);
      const f32 t3 = bmul<f32>{}(t2, t1);
      const f16 t4 = Cast<f16, f32>{}(unfused(t3));
      return t4;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_b82fddba90971458(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, f16* out0, f16* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const f16 t0 = Cast<f16, f32>{}(x0);
      return t0;
    }, h0);
    write_row(out1 + row * n, share, [&](const f32 x0) {
      const f16 t0 = Cast<f16, f32>{}(x0);
      const f32 t1 = Cast<f32, f16>{}(t0);
      const f32 t2 = Affine<f32>{p0, p1}(t1);
      const f16 t3 = Cast<f16, f32>{}(unfused(t2));
      return t3;
    }, h0);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_babbcb5b95aea498(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, f32* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const bf16 x0) {
      const f32 t0 = Cast<f32, bf16>{}(x0);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h0);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const bf16 x0) {
      const f32 t0 = Cast<f32, bf16>{}(x0);
      const f32 t6 = bdiv<f32>{}(t0, t5);
      return t6;
    }, h0);
  });
}

struct joined_bb2e8ee198b2b5e5_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(max_of(max_of(Cast<f32, f16>::COST, Cast<f32, f16>::COST), badd<f32>::COST), Cast<f32, f16>::COST), badd<f32>::COST), Affine<f32>::COST), Cast<f16, f32>::COST);
  f32 p0;
  f32 p1;
  DEVICE f16 operator()(const f16 x0, const f16 x1, const f16 x2) const {
    const f32 t0 = Cast<f32, f16>{}(x1);
    const f32 t1 = Cast<f32, f16>{}(x2);
    const f32 t2 = badd<f32>{}(t0, t1);
    const f32 t3 = Cast<f32, f16>{}(x0);
    const f32 t4 = badd<f32>{}(t3, t2);
    const f32 t5 = Affine<f32>{p0, p1}(t4);
    const f16 t6 = Cast<f16, f32>{}(unfused(t5));
    return t6;
  }
};
extern "C" __global__ void joined_bb2e8ee198b2b5e5(const size_t numel, const size_t num_dims, const size_t* info, const f16* x0, const f16* x1, const f16* x2, f16* out, const f32 p0, const f32 p1) {
  elementwise(numel, num_dims, info, joined_bb2e8ee198b2b5e5_tree{p0, p1}, out, x0, x1, x2);
}

struct joined_bd4015866286970a_tree {
  static constexpr Cost COST = max_of(badd<f32>::COST, ugelu<f32>::COST);
  DEVICE f32 operator()(const f32 x0, const f32 x1) const {
    const f32 t0 = badd<f32>{}(x0, x1);
    const f32 t1 = ugelu<f32>{}(t0);
    return t1;
  }
};
extern "C" __global__ void joined_bd4015866286970a(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, f32* out) {
  elementwise(numel, num_dims, info, joined_bd4015866286970a_tree{}, out, x0, x1);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_bd9df40ff66f8736(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, f16* out0, f32* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 4, 2> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Cast<f32, f16>{}(x0);
      const f32 t2 = bsub<f32>{}(t0, t1);
      const f32 t3 = Affine<f32>{p0, p1}(t2);
      const f32 t4 = badd<f32>{}(t1, t3);
      const f16 t5 = Cast<f16, f32>{}(unfused(t4));
      return t5;
    }, h0, h1);
    write_row(out1 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Cast<f32, f16>{}(x0);
      const f32 t2 = bsub<f32>{}(t0, t1);
      const f32 t3 = Affine<f32>{p0, p1}(t2);
      const f32 t4 = badd<f32>{}(t1, t3);
      const f16 t5 = Cast<f16, f32>{}(unfused(t4));
      const f32 t6 = Cast<f32, f16>{}(t5);
      return t6;
    }, h0, h1);
  });
}

struct joined_be67b50ccacfe906_tree {
  static constexpr Cost COST = max_of(badd<f32>::COST, Affine<f32>::COST);
  f32 p0;
  f32 p1;
  DEVICE f32 operator()(const f32 x0, const f32 x1) const {
    const f32 t0 = badd<f32>{}(x0, x1);
    const f32 t1 = Affine<f32>{p0, p1}(t0);
    return t1;
  }
};
extern "C" __global__ void joined_be67b50ccacfe906(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, f32* out, const f32 p0, const f32 p1) {
  elementwise(numel, num_dims, info, joined_be67b50ccacfe906_tree{p0, p1}, out, x0, x1);
}

struct joined_beddb7117732c4c1_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(badd<f32>::COST, Affine<f32>::COST), usigmoid<f32>::COST), bmul<f32>::COST), HEAVY);
  f32 p0;
  f32 p1;
  DEVICE f32 operator()(const f32 x0, const f32 x1) const {
    const f32 t0 = badd<f32>{}(x0, x1);
    const f32 t1 = Affine<f32>{p0, p1}(t0);
    const f32 t2 = usigmoid<f32>{}(t1);
    const f32 t3 = bmul<f32>{}(t0, t2);
    return t3;
  }
};
extern "C" __global__ void joined_beddb7117732c4c1(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, f32* out, const f32 p0, const f32 p1) {
  elementwise(numel, num_dims, info, joined_beddb7117732c4c1_tree{p0, p1}, out, x0, x1);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_c04ff6b8a63aaa81(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, bf16* out0, bf16* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 4, 8> h1(operand1 + offsets.at[1], share);
    const f32 t5 = reduce_row<Sum>(team, share, [&](const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const bf16 t2 = Cast<bf16, f32>{}(t1);
      const f32 t3 = Cast<f32, bf16>{}(t2);
      const f32 t4 = usqr<f32>{}(t3);
      return t4;
    }, h1);
    const f32 t6 = Affine<f32>{p2, p3}(t5);
    const f32 t7 = Affine<f32>{p4, p5}(t6);
    const f32 t8 = usqrt<f32>{}(t7);
    write_row(out0 + row * n, share, [&](const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const bf16 t2 = Cast<bf16, f32>{}(t1);
      return t2;
    }, h1);
    write_row(out1 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const bf16 t2 = Cast<bf16, f32>{}(t1);
      const f32 t3 = Cast<f32, bf16>{}(t2);
      const f32 t9 = bdiv<f32>{}(t3, t8);
      const bf16 t10 = Cast<bf16, f32>{}(t9);
      const f32 t11 = Cast<f32, bf16>{}(t10);
      const f32 t12 = Cast<f32, bf16>{}(x0);
      const f32 t13 = bmul<f32>{}(t11, t12);
      const bf16 t14 = Cast<bf16, f32>{}(t13);
      return t14;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_c22ab29964068c14(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, f32* out0, f32* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f16 x0) {
      const f32 t0 = Cast<f32, f16>{}(x0);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h0);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    write_row(out0 + row * n, share, [&](const f16 x0) {
      const f32 t0 = Cast<f32, f16>{}(x0);
      return t0;
    }, h0);
    if (team.rank == 0 && row < rows) out1[row] = t4;
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_c2a83141fc1f7f77(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, f32* out2, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const f32 t0 = Affine<f32>{p0, p1}(x0);
      return t0;
    }, h0);
    write_row(out1 + row * n, share, [&](const f32 x1) {
      const f32 t1 = Affine<f32>{p2, p3}(x1);
      return t1;
    }, h1);
    write_row(out2 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = Affine<f32>{p0, p1}(x0);
      const f32 t1 = Affine<f32>{p2, p3}(x1);
      const f32 t2 = badd<f32>{}(t0, t1);
      return t2;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_c2f6cd235aa2a094(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, const f16* operand2, const f32* operand3, const f32* operand4, f16* out0, f16* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f16, 4, 8> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 8> h3(operand3 + offsets.at[3], share);
    const f32 x4 = *(operand4 + offsets.at[4]);
    const f32 t0 = Affine<f32>{p0, p1}(x4);
    const f32 t1 = Affine<f32>{p2, p3}(t0);
    const f32 t2 = usqrt<f32>{}(t1);
    const f32 t13 = reduce_row<Sum>(team, share, [&](const f16 x1, const f16 x2, const f32 x3) {
      const f32 t3 = bdiv<f32>{}(x3, t2);
      const f16 t4 = Cast<f16, f32>{}(unfused(t3));
      const f32 t5 = Cast<f32, f16>{}(t4);
      const f32 t6 = Cast<f32, f16>{}(x2);
      const f32 t7 = bmul<f32>{}(t5, t6);
      const f32 t8 = Cast<f32, f16>{}(x1);
      const f32 t9 = badd<f32>{}(t7, t8);
      const f16 t10 = Cast<f16, f32>{}(unfused(t9));
      const f32 t11 = Cast<f32, f16>{}(t10);
      const f32 t12 = usqr<f32>{}(t11);
      return t12;
    }, h1, h2, h3);
    const f32 t14 = Affine<f32>{p4, p5}(t13);
    const f32 t15 = Affine<f32>{p6, p7}(t14);
    const f32 t16 = usqrt<f32>{}(t15);
    write_row(out0 + row * n, share, [&](const f16 x1, const f16 x2, const f32 x3) {
      const f32 t3 = bdiv<f32>{}(x3, t2);
      const f16 t4 = Cast<f16, f32>{}(unfused(t3));
      const f32 t5 = Cast<f32, f16>{}(t4);
      const f32 t6 = Cast<f32, f16>{}(x2);
      const f32 t7 = bmul<f32>{}(t5, t6);
      const f32 t8 = Cast<f32, f16>{}(x1);
      const f32 t9 = badd<f32>{}(t7, t8);
      const f16 t10 = Cast<f16, f32>{}(unfused(t9));
      return t10;
    }, h1, h2, h3);
    write_row(out1 + row * n, share, [&](const f16 x0, const f16 x1, const f16 x2, const f32 x3) {
      const f32 t3 = bdiv<f32>{}(x3, t2);
      const f16 t4 = Cast<f16, f32>{}(unfused(t3));
      const f32 t5 = Cast<f32, f16>{}(t4);
      const f32 t6 = Cast<f32, f16>{}(x2);
      const f32 t7 = bmul<f32>{}(t5, t6);
      const f32 t8 = Cast<f32, f16>{}(x1);
      const f32 t9 = badd<f32>{}(t7, t8);
      const f16 t10 = Cast<f16, f32>{}(unfused(t9));
      const f32 t11 = Cast<f32, f16>{}(t10);
      const f32 t17 = bdiv<f32>{}(t11, t16);
      const f16 t18 = Cast<f16, f32>{}(unfused(t17));
      const f32 t19 = Cast<f32, f16>{}(t18);
      const f32 t20 = Cast<f32, f16>{}(x0);
      const f32 t21 = bmul<f32>{}(t19, t20);
      const f16 t22 = Cast<f16, f32>{}(unfused(t21));
      return t22;
    }, h0, h1, h2, h3);
  });
}

struct joined_c35b804d5c81020e_tree {
  static constexpr Cost COST = max_of(max_of(Cast<f32, u32>::COST, bsub<f32>::COST), bmul<f32>::COST);
  DEVICE f32 operator()(const f32 x0, const f32 x1, const u32 x2) const {
    const f32 t0 = Cast<f32, u32>{}(x2);
    const f32 t1 = bsub<f32>{}(x1, t0);
    const f32 t2 = bmul<f32>{}(t1, x0);
    return t2;
  }
};
extern "C" __global__ void joined_c35b804d5c81020e(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, const u32* x2, f32* out) {
  elementwise(numel, num_dims, info, joined_c35b804d5c81020e_tree{}, out, x0, x1, x2);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_c4a27413aad7f27c(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, bf16* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 4, 2> h1(operand1 + offsets.at[1], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h1);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t6 = bdiv<f32>{}(t0, t5);
      const bf16 t7 = Cast<bf16, f32>{}(t6);
      const f32 t8 = Cast<f32, bf16>{}(x0);
      const f32 t9 = Affine<f32>{p4, p5}(t8);
      const f32 t10 = Cast<f32, bf16>{}(t7);
      const f32 t11 = bmul<f32>{}(t10, t9);
      const bf16 t12 = Cast<bf16, f32>{}(t11);
      return t12;
    }, h0, h1);
  });
}

struct joined_c4be89f5203eebeb_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(max_of(max_of(max_of(Cast<f32, f16>::COST, Cast<f32, f16>::COST), badd<f32>::COST), Affine<f32>::COST), usigmoid<f32>::COST), bmul<f32>::COST), Cast<f16, f32>::COST), HEAVY);
  f32 p0;
  f32 p1;
  DEVICE f16 operator()(const f16 x0, const f16 x1) const {
    const f32 t0 = Cast<f32, f16>{}(x0);
    const f32 t1 = Cast<f32, f16>{}(x1);
    const f32 t2 = badd<f32>{}(t0, t1);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = usigmoid<f32>{}(t3);
    const f32 t5 = bmul<f32>{}(t2, t4);
    const f16 t6 = Cast<f16, f32>{}(unfused(t5));
    return t6;
  }
};
extern "C" __global__ void joined_c4be89f5203eebeb(const size_t numel, const size_t num_dims, const size_t* info, const f16* x0, const f16* x1, f16* out, const f32 p0, const f32 p1) {
  elementwise(numel, num_dims, info, joined_c4be89f5203eebeb_tree{p0, p1}, out, x0, x1);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_c4e35f18fcbed1be(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    const f32 t1 = reduce_row<Sum>(team, share, [&](const f32 x1) {
      const f32 t0 = usqr<f32>{}(x1);
      return t0;
    }, h1);
    const f32 t2 = Affine<f32>{p0, p1}(t1);
    const f32 t3 = Affine<f32>{p2, p3}(t2);
    const f32 t4 = usqrt<f32>{}(t3);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t5 = bdiv<f32>{}(x1, t4);
      const f32 t6 = bmul<f32>{}(t5, x0);
      return t6;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_c66b96c26c748b39(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = usilu<f32>{}(x1);
      const f32 t1 = bmul<f32>{}(x0, t0);
      return t1;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_c7a3cd2c9b6c1085(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, const bf16* operand2, bf16* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<bf16, 4, 8> h2(operand2 + offsets.at[2], share);
    const f32 t6 = reduce_row<Sum>(team, share, [&](const bf16 x1, const bf16 x2) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Cast<f32, bf16>{}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const bf16 t3 = Cast<bf16, f32>{}(t2);
      const f32 t4 = Cast<f32, bf16>{}(t3);
      const f32 t5 = usqr<f32>{}(t4);
      return t5;
    }, h1, h2);
    const f32 t7 = Affine<f32>{p0, p1}(t6);
    const f32 t8 = Affine<f32>{p2, p3}(t7);
    const f32 t9 = usqrt<f32>{}(t8);
    write_row(out0 + row * n, share, [&](const bf16 x0, const bf16 x1, const bf16 x2) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = Cast<f32, bf16>{}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const bf16 t3 = Cast<bf16, f32>{}(t2);
      const f32 t4 = Cast<f32, bf16>{}(t3);
      const f32 t10 = bdiv<f32>{}(t4, t9);
      const bf16 t11 = Cast<bf16, f32>{}(t10);
      const f32 t12 = Cast<f32, bf16>{}(x0);
      const f32 t13 = Affine<f32>{p4, p5}(t12);
      const f32 t14 = Cast<f32, bf16>{}(t11);
      const f32 t15 = bmul<f32>{}(t14, t13);
      const bf16 t16 = Cast<bf16, f32>{}(t15);
      return t16;
    }, h0, h1, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_c96aac530f617ec1(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const u32* operand1, f32* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const u32 x1 = *(operand1 + offsets.at[1]);
    const f32 t0 = Cast<f32, u32>{}(x1);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const f32 t1 = bmul<f32>{}(t0, x0);
      return t1;
    }, h0);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_cba420ad0f71039c(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      return t0;
    }, h0, h1);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = ugelu<f32>{}(t0);
      return t1;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_d20bf610119442b9(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, f32* out2, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const f32 t0 = Affine<f32>{p0, p1}(x0);
      return t0;
    }, h0);
    write_row(out1 + row * n, share, [&](const f32 x1) {
      const f32 t1 = usqr<f32>{}(x1);
      const f32 t2 = Affine<f32>{p2, p3}(t1);
      return t2;
    }, h1);
    write_row(out2 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = Affine<f32>{p0, p1}(x0);
      const f32 t1 = usqr<f32>{}(x1);
      const f32 t2 = Affine<f32>{p2, p3}(t1);
      const f32 t3 = badd<f32>{}(t0, t2);
      return t3;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_d389a1e44dd650f9(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, const f16* operand2, const f16* operand3, f16* out0, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<4>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 8, 4> h0(operand0 + offsets.at[0], share);
    const f16 x1 = *(operand1 + offsets.at[1]);
    const HeldRow<f16, 8, 4> h2(operand2 + offsets.at[2], share);
    const f16 x3 = *(operand3 + offsets.at[3]);
    const f32 t1 = Cast<f32, f16>{}(x1);
    const f32 t4 = Cast<f32, f16>{}(x3);
    write_row(out0 + row * n, share, [&](const f16 x0, const f16 x2) {
      const f32 t0 = Cast<f32, f16>{}(x0);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f32 t3 = Cast<f32, f16>{}(x2);
      const f32 t5 = badd<f32>{}(t3, t4);
      const f32 t6 = badd<f32>{}(t2, t5);
      const f32 t7 = Affine<f32>{p0, p1}(t6);
      const f16 t8 = Cast<f16, f32>{}(unfused(t7));
      return t8;
    }, h0, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_d3a56f90d8916686(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, f32* out0, f32* out1, f32* out2, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const bf16 x0) {
      const f32 t0 = Cast<f32, bf16>{}(x0);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h0);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const bf16 x0) {
      const f32 t0 = Cast<f32, bf16>{}(x0);
      return t0;
    }, h0);
    if (team.rank == 0 && row < rows) out1[row] = t4;
    if (team.rank == 0 && row < rows) out2[row] = t5;
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_d48c26a78c80b11c(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, f16* out0, f32* out1, const f32 p0, const f32 p1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 4, 4> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Cast<f32, f16>{}(x0);
      const f32 t2 = bsub<f32>{}(t0, t1);
      const f32 t3 = Affine<f32>{p0, p1}(t2);
      const f32 t4 = badd<f32>{}(t1, t3);
      const f16 t5 = Cast<f16, f32>{}(unfused(t4));
      return t5;
    }, h0, h1);
    write_row(out1 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Cast<f32, f16>{}(x0);
      const f32 t2 = bsub<f32>{}(t0, t1);
      const f32 t3 = Affine<f32>{p0, p1}(t2);
      const f32 t4 = badd<f32>{}(t1, t3);
      const f16 t5 = Cast<f16, f32>{}(unfused(t4));
      const f32 t6 = Cast<f32, f16>{}(t5);
      return t6;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_d80efc880758c23a(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, f32* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<4>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 2> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 2> h3(operand3 + offsets.at[3], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = bmul<f32>{}(x2, x3);
      const f32 t2 = badd<f32>{}(t0, t1);
      return t2;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_d950756a18c5a2be(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const u32* operand1, f32* out0, f32* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const u32 x1 = *(operand1 + offsets.at[1]);
    const f32 t0 = Cast<f32, u32>{}(x1);
    if (team.rank == 0 && row < rows) out0[row] = t0;
    write_row(out1 + row * n, share, [&](const f32 x0) {
      const f32 t1 = bmul<f32>{}(x0, t0);
      return t1;
    }, h0);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_d9c38cd4b8ca0833(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, const f32* operand4, f32* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 1> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 1> h0(operand0 + offsets.at[0], share);
    const f32 x1 = *(operand1 + offsets.at[1]);
    const f32 x2 = *(operand2 + offsets.at[2]);
    const f32 x3 = *(operand3 + offsets.at[3]);
    const HeldRow<f32, 4, 1> h4(operand4 + offsets.at[4], share);
    const f32 t0 = reduce_row<Sum>(team, share, [&](const f32 x4) {
      return x4;
    }, h4);
    const f32 t1 = badd<f32>{}(x3, t0);
    const f32 t2 = bdiv<f32>{}(t1, x2);
    const f32 t3 = badd<f32>{}(x1, t2);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const f32 t4 = badd<f32>{}(x0, t3);
      return t4;
    }, h0);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_da1f9c78cfa60ecd(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, bf16* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 4, 2> h1(operand1 + offsets.at[1], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h1);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t6 = bdiv<f32>{}(t0, t5);
      const bf16 t7 = Cast<bf16, f32>{}(t6);
      const f32 t8 = Cast<f32, bf16>{}(t7);
      const f32 t9 = Cast<f32, bf16>{}(x0);
      const f32 t10 = bmul<f32>{}(t8, t9);
      const bf16 t11 = Cast<bf16, f32>{}(t10);
      return t11;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_db15ff4d194a3f71(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, f32* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 8> h2(operand2 + offsets.at[2], share);
    const f32 t1 = reduce_row<Sum>(team, share, [&](const f32 x2) {
      const f32 t0 = usqr<f32>{}(x2);
      return t0;
    }, h2);
    const f32 t2 = Affine<f32>{p0, p1}(t1);
    const f32 t3 = Affine<f32>{p2, p3}(t2);
    const f32 t4 = usqrt<f32>{}(t3);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2) {
      const f32 t5 = bdiv<f32>{}(x2, t4);
      const f32 t6 = bmul<f32>{}(t5, x1);
      const f32 t7 = badd<f32>{}(x0, t6);
      return t7;
    }, h0, h1, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_db8e56953d230ca6(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, const f16* operand2, f16* out0, f16* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f16, 4, 8> h2(operand2 + offsets.at[2], share);
    const f32 t6 = reduce_row<Sum>(team, share, [&](const f16 x1, const f16 x2) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Cast<f32, f16>{}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f16 t3 = Cast<f16, f32>{}(unfused(t2));
      const f32 t4 = Cast<f32, f16>{}(t3);
      const f32 t5 = usqr<f32>{}(t4);
      return t5;
    }, h1, h2);
    const f32 t7 = Affine<f32>{p0, p1}(t6);
    const f32 t8 = Affine<f32>{p2, p3}(t7);
    const f32 t9 = usqrt<f32>{}(t8);
    write_row(out0 + row * n, share, [&](const f16 x1, const f16 x2) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Cast<f32, f16>{}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f16 t3 = Cast<f16, f32>{}(unfused(t2));
      return t3;
    }, h1, h2);
    write_row(out1 + row * n, share, [&](const f16 x0, const f16 x1, const f16 x2) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Cast<f32, f16>{}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f16 t3 = Cast<f16, f32>{}(unfused(t2));
      const f32 t4 = Cast<f32, f16>{}(t3);
      const f32 t10 = bdiv<f32>{}(t4, t9);
      const f16 t11 = Cast<f16, f32>{}(unfused(t10));
      const f32 t12 = Cast<f32, f16>{}(x0);
      const f32 t13 = Affine<f32>{p4, p5}(t12);
      const f32 t14 = Cast<f32, f16>{}(t11);
      const f32 t15 = bmul<f32>{}(t14, t13);
      const f16 t16 = Cast<f16, f32>{}(unfused(t15));
      return t16;
    }, h0, h1, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_ddf562164a95b5c5(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, const f16* operand2, f16* out0, f16* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f16, 4, 8> h2(operand2 + offsets.at[2], share);
    const f32 t6 = reduce_row<Sum>(team, share, [&](const f16 x1, const f16 x2) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Cast<f32, f16>{}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f16 t3 = Cast<f16, f32>{}(unfused(t2));
      const f32 t4 = Cast<f32, f16>{}(t3);
      const f32 t5 = usqr<f32>{}(t4);
      return t5;
    }, h1, h2);
    const f32 t7 = Affine<f32>{p0, p1}(t6);
    const f32 t8 = Affine<f32>{p2, p3}(t7);
    const f32 t9 = usqrt<f32>{}(t8);
    write_row(out0 + row * n, share, [&](const f16 x1, const f16 x2) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Cast<f32, f16>{}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f16 t3 = Cast<f16, f32>{}(unfused(t2));
      return t3;
    }, h1, h2);
    write_row(out1 + row * n, share, [&](const f16 x0, const f16 x1, const f16 x2) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Cast<f32, f16>{}(x2);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f16 t3 = Cast<f16, f32>{}(unfused(t2));
      const f32 t4 = Cast<f32, f16>{}(t3);
      const f32 t10 = bdiv<f32>{}(t4, t9);
      const f16 t11 = Cast<f16, f32>{}(unfused(t10));
      const f32 t12 = Cast<f32, f16>{}(t11);
      const f32 t13 = Cast<f32, f16>{}(x0);
      const f32 t14 = bmul<f32>{}(t12, t13);
      const f16 t15 = Cast<f16, f32>{}(unfused(t14));
      return t15;
    }, h0, h1, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_de1e8ae44fd60414(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, f32* out0, f32* out1, f32* out2, f32* out3, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 4> h2(operand2 + offsets.at[2], share);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      return t0;
    }, h1, h2);
    write_row(out1 + row * n, share, [&](const f32 x0) {
      const f32 t1 = Affine<f32>{p0, p1}(x0);
      return t1;
    }, h0);
    write_row(out2 + row * n, share, [&](const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      const f32 t2 = Affine<f32>{p2, p3}(t0);
      return t2;
    }, h1, h2);
    write_row(out3 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2) {
      const f32 t0 = badd<f32>{}(x1, x2);
      const f32 t1 = Affine<f32>{p0, p1}(x0);
      const f32 t2 = Affine<f32>{p2, p3}(t0);
      const f32 t3 = badd<f32>{}(t1, t2);
      return t3;
    }, h0, h1, h2);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_df86effa3bb4fd0f(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, f16* out0, f16* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 8, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 8, 4> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = ugelu<f32>{}(t0);
      const f16 t4 = Cast<f16, f32>{}(unfused(t1));
      return t4;
    }, h1);
    write_row(out1 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = ugelu<f32>{}(t0);
      const f32 t2 = Cast<f32, f16>{}(x0);
      const f32 t3 = bmul<f32>{}(t1, t2);
      const f16 t5 = Cast<f16, f32>{}(unfused(t3));
      return t5;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_e041f85872620566(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, const bf16* operand2, const f32* operand3, const f32* operand4, bf16* out0, bf16* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<bf16, 4, 8> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 8> h3(operand3 + offsets.at[3], share);
    const f32 x4 = *(operand4 + offsets.at[4]);
    const f32 t0 = Affine<f32>{p0, p1}(x4);
    const f32 t1 = Affine<f32>{p2, p3}(t0);
    const f32 t2 = usqrt<f32>{}(t1);
    const f32 t13 = reduce_row<Sum>(team, share, [&](const bf16 x1, const bf16 x2, const f32 x3) {
      const f32 t3 = bdiv<f32>{}(x3, t2);
      const bf16 t4 = Cast<bf16, f32>{}(t3);
      const f32 t5 = Cast<f32, bf16>{}(t4);
      const f32 t6 = Cast<f32, bf16>{}(x2);
      const f32 t7 = bmul<f32>{}(t5, t6);
      const f32 t8 = Cast<f32, bf16>{}(x1);
      const f32 t9 = badd<f32>{}(t7, t8);
      const bf16 t10 = Cast<bf16, f32>{}(t9);
      const f32 t11 = Cast<f32, bf16>{}(t10);
      const f32 t12 = usqr<f32>{}(t11);
      return t12;
    }, h1, h2, h3);
    const f32 t14 = Affine<f32>{p4, p5}(t13);
    const f32 t15 = Affine<f32>{p6, p7}(t14);
    const f32 t16 = usqrt<f32>{}(t15);
    write_row(out0 + row * n, share, [&](const bf16 x1, const bf16 x2, const f32 x3) {
      const f32 t3 = bdiv<f32>{}(x3, t2);
      const bf16 t4 = Cast<bf16, f32>{}(t3);
      const f32 t5 = Cast<f32, bf16>{}(t4);
      const f32 t6 = Cast<f32, bf16>{}(x2);
      const f32 t7 = bmul<f32>{}(t5, t6);
      const f32 t8 = Cast<f32, bf16>{}(x1);
      const f32 t9 = badd<f32>{}(t7, t8);
      const bf16 t10 = Cast<bf16, f32>{}(t9);
      return t10;
    }, h1, h2, h3);
    write_row(out1 + row * n, share, [&](const bf16 x0, const bf16 x1, const bf16 x2, const f32 x3) {
      const f32 t3 = bdiv<f32>{}(x3, t2);
      const bf16 t4 = Cast<bf16, f32>{}(t3);
      const f32 t5 = Cast<f32, bf16>{}(t4);
      const f32 t6 = Cast<f32, bf16>{}(x2);
      const f32 t7 = bmul<f32>{}(t5, t6);
      const f32 t8 = Cast<f32, bf16>{}(x1);
      const f32 t9 = badd<f32>{}(t7, t8);
      const bf16 t10 = Cast<bf16, f32>{}(t9);
      const f32 t11 = Cast<f32, bf16>{}(t10);
      const f32 t17 = bdiv<f32>{}(t11, t16);
      const bf16 t18 = Cast<bf16, f32>{}(t17);
      const f32 t19 = Cast<f32, bf16>{}(t18);
      const f32 t20 = Cast<f32, bf16>{}(x0);
      const f32 t21 = bmul<f32>{}(t19, t20);
      const bf16 t22 = Cast<bf16, f32>{}(t21);
      return t22;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_e044e7aee22c986d(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, f32* out0, f32* out1, f32* out2, f32* out3, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f16 x0) {
      const f32 t0 = Cast<f32, f16>{}(x0);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h0);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const f16 x0) {
      const f32 t0 = Cast<f32, f16>{}(x0);
      return t0;
    }, h0);
    if (team.rank == 0 && row < rows) out1[row] = t4;
    if (team.rank == 0 && row < rows) out2[row] = t5;
    write_row(out3 + row * n, share, [&](const f16 x0) {
      const f32 t0 = Cast<f32, f16>{}(x0);
      const f32 t6 = bdiv<f32>{}(t0, t5);
      return t6;
    }, h0);
  });
}

struct joined_e1c5fda23a0a9f3f_tree {
  static constexpr Cost COST = max_of(max_of(uneg<f32>::COST, uexp<f32>::COST), Affine<f32>::COST);
  f32 p0;
  f32 p1;
  DEVICE f32 operator()(const f32 x0) const {
    const f32 t0 = uneg<f32>{}(x0);
    const f32 t1 = uexp<f32>{}(t0);
    const f32 t2 = Affine<f32>{p0, p1}(t1);
    return t2;
  }
};
extern "C" __global__ void joined_e1c5fda23a0a9f3f(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, f32* out, const f32 p0, const f32 p1) {
  elementwise(numel, num_dims, info, joined_e1c5fda23a0a9f3f_tree{p0, p1}, out, x0);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_e205431a7f52e168(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, f32* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<1>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const f32 t2 = reduce_row<Sum>(team, share, [&](const f16 x0) {
      const f32 t0 = Cast<f32, f16>{}(x0);
      const f32 t1 = usqr<f32>{}(t0);
      return t1;
    }, h0);
    const f32 t3 = Affine<f32>{p0, p1}(t2);
    const f32 t4 = Affine<f32>{p2, p3}(t3);
    const f32 t5 = usqrt<f32>{}(t4);
    write_row(out0 + row * n, share, [&](const f16 x0) {
      const f32 t0 = Cast<f32, f16>{}(x0);
      const f32 t6 = bdiv<f32>{}(t0, t5);
      return t6;
    }, h0);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_e76d867fd54c32a3(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, const f32* operand4, f32* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 1> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const f32 x0 = *(operand0 + offsets.at[0]);
    const f32 x1 = *(operand1 + offsets.at[1]);
    const HeldRow<f32, 4, 1> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 1> h3(operand3 + offsets.at[3], share);
    const HeldRow<f32, 4, 1> h4(operand4 + offsets.at[4], share);
    const f32 t1 = reduce_row<Sum>(team, share, [&](const f32 x3, const f32 x4) {
      const f32 t0 = bsub<f32>{}(x3, x4);
      return t0;
    }, h3, h4);
    const f32 t2 = badd<f32>{}(x0, t1);
    write_row(out0 + row * n, share, [&](const f32 x2) {
      const u8 t3 = eq<f32>{}(x1, x2);
      const f32 t4 = Cast<f32, u8>{}(t3);
      const f32 t5 = bmul<f32>{}(t4, t2);
      return t5;
    }, h2);
  });
}

struct joined_e8c3f036308d4afe_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(max_of(max_of(Cast<f16, f32>::COST, Cast<f32, f16>::COST), Cast<f32, f16>::COST), bmul<f32>::COST), Cast<f32, f16>::COST), badd<f32>::COST), Cast<f16, f32>::COST);
  DEVICE f16 operator()(const f16 x0, const f16 x1, const f32 x2) const {
    const f16 t0 = Cast<f16, f32>{}(x2);
    const f32 t1 = Cast<f32, f16>{}(t0);
    const f32 t2 = Cast<f32, f16>{}(x1);
    const f32 t3 = bmul<f32>{}(t1, t2);
    const f32 t4 = Cast<f32, f16>{}(x0);
    const f32 t5 = badd<f32>{}(t4, t3);
    const f16 t6 = Cast<f16, f32>{}(unfused(t5));
    return t6;
  }
};
extern "C" __global__ void joined_e8c3f036308d4afe(const size_t numel, const size_t num_dims, const size_t* info, const f16* x0, const f16* x1, const f32* x2, f16* out) {
  elementwise(numel, num_dims, info, joined_e8c3f036308d4afe_tree{}, out, x0, x1, x2);
}

struct joined_ea3a810a262d009f_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(Cast<f32, f16>::COST, ugelu<f32>::COST), Cast<f32, f16>::COST), bmul<f32>::COST), Cast<f16, f32>::COST);
  DEVICE f16 operator()(const f16 x0, const f16 x1) const {
    const f32 t0 = Cast<f32, f16>{}(x1);
    const f32 t1 = ugelu<f32>{}(t0);
    const f32 t2 = Cast<f32, f16>{}(x0);
    const f32 t3 = bmul<f32>{}(t2, t1);
    const f16 t4 = Cast<f16, f32>{}(unfused(t3));
    return t4;
  }
};
extern "C" __global__ void joined_ea3a810a262d009f(const size_t numel, const size_t num_dims, const size_t* info, const f16* x0, const f16* x1, f16* out) {
  elementwise(numel, num_dims, info, joined_ea3a810a262d009f_tree{}, out, x0, x1);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_ede939468a45d214(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, const f16* operand2, const f32* operand3, const f32* operand4, f16* out0, f16* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5, const f32 p6, const f32 p7) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<5>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 4, 8> h1(operand1 + offsets.at[1], share);
    const HeldRow<f16, 4, 8> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 8> h3(operand3 + offsets.at[3], share);
    const f32 x4 = *(operand4 + offsets.at[4]);
    const f32 t0 = Affine<f32>{p0, p1}(x4);
    const f32 t1 = Affine<f32>{p2, p3}(t0);
    const f32 t2 = usqrt<f32>{}(t1);
    const f32 t13 = reduce_row<Sum>(team, share, [&](const f16 x1, const f16 x2, const f32 x3) {
      const f32 t3 = bdiv<f32>{}(x3, t2);
      const f16 t4 = Cast<f16, f32>{}(unfused(t3));
      const f32 t5 = Cast<f32, f16>{}(t4);
      const f32 t6 = Cast<f32, f16>{}(x2);
      const f32 t7 = bmul<f32>{}(t5, t6);
      const f32 t8 = Cast<f32, f16>{}(x1);
      const f32 t9 = badd<f32>{}(t8, t7);
      const f16 t10 = Cast<f16, f32>{}(unfused(t9));
      const f32 t11 = Cast<f32, f16>{}(t10);
      const f32 t12 = usqr<f32>{}(t11);
      return t12;
    }, h1, h2, h3);
    const f32 t14 = Affine<f32>{p4, p5}(t13);
    const f32 t15 = Affine<f32>{p6, p7}(t14);
    const f32 t16 = usqrt<f32>{}(t15);
    write_row(out0 + row * n, share, [&](const f16 x1, const f16 x2, const f32 x3) {
      const f32 t3 = bdiv<f32>{}(x3, t2);
      const f16 t4 = Cast<f16, f32>{}(unfused(t3));
      const f32 t5 = Cast<f32, f16>{}(t4);
      const f32 t6 = Cast<f32, f16>{}(x2);
      const f32 t7 = bmul<f32>{}(t5, t6);
      const f32 t8 = Cast<f32, f16>{}(x1);
      const f32 t9 = badd<f32>{}(t8, t7);
      const f16 t10 = Cast<f16, f32>{}(unfused(t9));
      return t10;
    }, h1, h2, h3);
    write_row(out1 + row * n, share, [&](const f16 x0, const f16 x1, const f16 x2, const f32 x3) {
      const f32 t3 = bdiv<f32>{}(x3, t2);
      const f16 t4 = Cast<f16, f32>{}(unfused(t3));
      const f32 t5 = Cast<f32, f16>{}(t4);
      const f32 t6 = Cast<f32, f16>{}(x2);
      const f32 t7 = bmul<f32>{}(t5, t6);
      const f32 t8 = Cast<f32, f16>{}(x1);
      const f32 t9 = badd<f32>{}(t8, t7);
      const f16 t10 = Cast<f16, f32>{}(unfused(t9));
      const f32 t11 = Cast<f32, f16>{}(t10);
      const f32 t17 = bdiv<f32>{}(t11, t16);
      const f16 t18 = Cast<f16, f32>{}(unfused(t17));
      const f32 t19 = Cast<f32, f16>{}(t18);
      const f32 t20 = Cast<f32, f16>{}(x0);
      const f32 t21 = bmul<f32>{}(t19, t20);
      const f16 t22 = Cast<f16, f32>{}(unfused(t21));
      return t22;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_ee07863cafd861b7(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, f32* out1, f32* out2, const f32 p0, const f32 p1, const f32 p2, const f32 p3) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 4> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const f32 t0 = Affine<f32>{p0, p1}(x0);
      return t0;
    }, h0);
    write_row(out1 + row * n, share, [&](const f32 x1) {
      const f32 t1 = Affine<f32>{p2, p3}(x1);
      return t1;
    }, h1);
    write_row(out2 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = Affine<f32>{p0, p1}(x0);
      const f32 t1 = Affine<f32>{p2, p3}(x1);
      const f32 t2 = badd<f32>{}(t0, t1);
      return t2;
    }, h0, h1);
  });
}

struct joined_f1054b1f0840192b_tree {
  static constexpr Cost COST = max_of(Affine<f32>::COST, badd<f32>::COST);
  f32 p0;
  f32 p1;
  DEVICE f32 operator()(const f32 x0, const f32 x1) const {
    const f32 t0 = Affine<f32>{p0, p1}(x1);
    const f32 t1 = badd<f32>{}(t0, x0);
    return t1;
  }
};
extern "C" __global__ void joined_f1054b1f0840192b(const size_t numel, const size_t num_dims, const size_t* info, const f32* x0, const f32* x1, f32* out, const f32 p0, const f32 p1) {
  elementwise(numel, num_dims, info, joined_f1054b1f0840192b_tree{p0, p1}, out, x0, x1);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_f244def4b4804fd1(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const bf16* operand0, const bf16* operand1, bf16* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<bf16, 8, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<bf16, 8, 2> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const bf16 x0, const bf16 x1) {
      const f32 t0 = Cast<f32, bf16>{}(x1);
      const f32 t1 = usilu<f32>{}(t0);
      const f32 t2 = Cast<f32, bf16>{}(x0);
      const f32 t3 = bmul<f32>{}(t2, t1);
      const bf16 t4 = Cast<bf16, f32>{}(t3);
      return t4;
    }, h0, h1);
  });
}

struct joined_f38cc4c928aba277_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(max_of(Cast<f32, f16>::COST, Cast<f32, f16>::COST), badd<f32>::COST), Cast<f32, f16>::COST), badd<f32>::COST), Cast<f16, f32>::COST);
  DEVICE f16 operator()(const f16 x0, const f16 x1, const f16 x2) const {
    const f32 t0 = Cast<f32, f16>{}(x1);
    const f32 t1 = Cast<f32, f16>{}(x2);
    const f32 t2 = badd<f32>{}(t0, t1);
    const f32 t3 = Cast<f32, f16>{}(x0);
    const f32 t4 = badd<f32>{}(t3, t2);
    const f16 t5 = Cast<f16, f32>{}(unfused(t4));
    return t5;
  }
};
extern "C" __global__ void joined_f38cc4c928aba277(const size_t numel, const size_t num_dims, const size_t* info, const f16* x0, const f16* x1, const f16* x2, f16* out) {
  elementwise(numel, num_dims, info, joined_f38cc4c928aba277_tree{}, out, x0, x1, x2);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_f47a98dcbd03b5a6(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, const f16* operand2, f16* out0, f16* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<8, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<3>(row < rows ? row : 0, num_dims, info);
    const f16 x0 = *(operand0 + offsets.at[0]);
    const HeldRow<f16, 8, 4> h1(operand1 + offsets.at[1], share);
    const f16 x2 = *(operand2 + offsets.at[2]);
    const f32 t1 = Cast<f32, f16>{}(x2);
    const f32 t3 = Cast<f32, f16>{}(x0);
    write_row(out0 + row * n, share, [&](const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f16 t5 = Cast<f16, f32>{}(unfused(t2));
      return t5;
    }, h1);
    write_row(out1 + row * n, share, [&](const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t2 = badd<f32>{}(t0, t1);
      const f32 t4 = badd<f32>{}(t3, t2);
      const f16 t6 = Cast<f16, f32>{}(unfused(t4));
      return t6;
    }, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_f5b891a9ecfda0a2(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, const f32* operand2, const f32* operand3, f32* out0, f32* out1) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<4>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    const HeldRow<f32, 4, 2> h2(operand2 + offsets.at[2], share);
    const HeldRow<f32, 4, 2> h3(operand3 + offsets.at[3], share);
    write_row(out0 + row * n, share, [&](const f32 x1, const f32 x2, const f32 x3) {
      const f32 t0 = badd<f32>{}(x2, x3);
      const f32 t1 = badd<f32>{}(t0, x1);
      return t1;
    }, h1, h2, h3);
    write_row(out1 + row * n, share, [&](const f32 x0, const f32 x1, const f32 x2, const f32 x3) {
      const f32 t0 = badd<f32>{}(x2, x3);
      const f32 t1 = badd<f32>{}(t0, x1);
      const f32 t2 = badd<f32>{}(x0, t1);
      return t2;
    }, h0, h1, h2, h3);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_f6625269448a4687(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const u32* operand1, f32* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 4> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 4> h0(operand0 + offsets.at[0], share);
    const u32 x1 = *(operand1 + offsets.at[1]);
    const f32 t0 = Cast<f32, u32>{}(x1);
    write_row(out0 + row * n, share, [&](const f32 x0) {
      const f32 t1 = bmul<f32>{}(t0, x0);
      return t1;
    }, h0);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_fc440b4f623dc7aa(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f16* operand0, const f16* operand1, f16* out0, f16* out1, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f16, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f16, 4, 8> h1(operand1 + offsets.at[1], share);
    const f32 t5 = reduce_row<Sum>(team, share, [&](const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const f16 t2 = Cast<f16, f32>{}(unfused(t1));
      const f32 t3 = Cast<f32, f16>{}(t2);
      const f32 t4 = usqr<f32>{}(t3);
      return t4;
    }, h1);
    const f32 t6 = Affine<f32>{p2, p3}(t5);
    const f32 t7 = Affine<f32>{p4, p5}(t6);
    const f32 t8 = usqrt<f32>{}(t7);
    write_row(out0 + row * n, share, [&](const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const f16 t2 = Cast<f16, f32>{}(unfused(t1));
      return t2;
    }, h1);
    write_row(out1 + row * n, share, [&](const f16 x0, const f16 x1) {
      const f32 t0 = Cast<f32, f16>{}(x1);
      const f32 t1 = Affine<f32>{p0, p1}(t0);
      const f16 t2 = Cast<f16, f32>{}(unfused(t1));
      const f32 t3 = Cast<f32, f16>{}(t2);
      const f32 t9 = bdiv<f32>{}(t3, t8);
      const f16 t10 = Cast<f16, f32>{}(unfused(t9));
      const f32 t11 = Cast<f32, f16>{}(t10);
      const f32 t12 = Cast<f32, f16>{}(x0);
      const f32 t13 = bmul<f32>{}(t11, t12);
      const f16 t14 = Cast<f16, f32>{}(unfused(t13));
      return t14;
    }, h0, h1);
  });
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_fcf0fd02fca8d8aa(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 2> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 2> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 2> h1(operand1 + offsets.at[1], share);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t0 = badd<f32>{}(x0, x1);
      const f32 t1 = ugelu_erf<f32>{}(t0);
      return t1;
    }, h0, h1);
  });
}

struct joined_fdd78be0419ca992_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(Cast<f32, f16>::COST, usilu<f32>::COST), Cast<f32, f16>::COST), bmul<f32>::COST), Cast<f16, f32>::COST);
  DEVICE f16 operator()(const f16 x0, const f16 x1) const {
    const f32 t0 = Cast<f32, f16>{}(x1);
    const f32 t1 = usilu<f32>{}(t0);
    const f32 t2 = Cast<f32, f16>{}(x0);
    const f32 t3 = bmul<f32>{}(t2, t1);
    const f16 t4 = Cast<f16, f32>{}(unfused(t3));
    return t4;
  }
};
extern "C" __global__ void joined_fdd78be0419ca992(const size_t numel, const size_t num_dims, const size_t* info, const f16* x0, const f16* x1, f16* out) {
  elementwise(numel, num_dims, info, joined_fdd78be0419ca992_tree{}, out, x0, x1);
}

extern "C" __global__ void THREADS_AT_MOST(256) joined_fee10cdc77cdd400(const size_t rows, const u32 n, const u32 num_dims, const size_t* info, const f32* operand0, const f32* operand1, f32* out0, const f32 p0, const f32 p1, const f32 p2, const f32 p3, const f32 p4, const f32 p5) {
  const Team team(block_size_y(), block_size_x());
  for_rows(rows, block_size_y(), team, [&](u64 row) {
    const Share<4, 8> share(row < rows ? n : 0, team);
    const auto offsets = row_offsets<2>(row < rows ? row : 0, num_dims, info);
    const HeldRow<f32, 4, 8> h0(operand0 + offsets.at[0], share);
    const HeldRow<f32, 4, 8> h1(operand1 + offsets.at[1], share);
    const f32 t1 = reduce_row<Sum>(team, share, [&](const f32 x0) {
      const f32 t0 = usqr<f32>{}(x0);
      return t0;
    }, h0);
    const f32 t2 = Affine<f32>{p0, p1}(t1);
    const f32 t3 = Affine<f32>{p2, p3}(t2);
    const f32 t4 = usqrt<f32>{}(t3);
    write_row(out0 + row * n, share, [&](const f32 x0, const f32 x1) {
      const f32 t5 = bdiv<f32>{}(x0, t4);
      const f32 t6 = Affine<f32>{p4, p5}(x1);
      const f32 t7 = bmul<f32>{}(t5, t6);
      return t7;
    }, h0, h1);
  });
}

struct joined_ff931053c31a8fa8_tree {
  static constexpr Cost COST = max_of(max_of(max_of(max_of(Cast<f32, f16>::COST, ugelu<f32>::COST), Cast<f32, f16>::COST), bmul<f32>::COST), Cast<f16, f32>::COST);
  DEVICE f16 operator()(const f16 x0, const f16 x1) const {
    const f32 t0 = Cast<f32, f16>{}(x1);
    const f32 t1 = ugelu<f32>{}(t0);
    const f32 t2 = Cast<f32, f16>{}(x0);
    const f32 t3 = bmul<f32>{}(t1, t2);
    const f16 t4 = Cast<f16, f32>{}(unfused(t3));
    return t4;
  }
};
extern "C" __global__ void joined_ff931053c31a8fa8(const size_t numel, const size_t num_dims, const size_t* info, const f16* x0, const f16* x1, f16* out) {
  elementwise(numel, num_dims, info, joined_ff931053c31a8fa8_tree{}, out, x0, x1);
}
