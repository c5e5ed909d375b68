// Products of quantized matrices with many vectors.
//
// A block of 256 threads computes TILE x TILE results: it unpacks STEP weights of TILE rows into shared memory, along with as
// many activations of TILE columns, and each thread multiplies 4 rows by 4 columns. Launch: any grid of such blocks; x over
// the rows, y over the columns.
#ifndef CANDLE_ROCM_QUANTIZED_MAT_MAT_H
#define CANDLE_ROCM_QUANTIZED_MAT_MAT_H

#include "common/vec.h"
#include "quantized/quantized_blocks.h"

constexpr u32 TILE = 64, THREADS = 256, STEP = 128, WORDS = STEP / 4;
// 16 consecutive rows start in different banks.
constexpr u32 PITCH = WORDS + 4;
constexpr u32 SIDE = 16, EACH = TILE / SIDE;

template <class B>
struct Tiles {
  static constexpr u32 GROUPS = STEP / B::GROUP;
  alignas(16) u32 weights[TILE * PITCH];
  alignas(16) u32 values[TILE * PITCH];
  float scale[TILE][GROUPS], offset[B::OFFSETS ? TILE : 1][GROUPS];
  float value_scale[TILE][STEP / Q8::WEIGHTS], sum[B::OFFSETS ? TILE : 1][GROUPS];
};

// Loads weights first_column .. + STEP of rows first_row .. + TILE. Rows beyond the last repeat it; columns beyond the last
// are 0.
template <class B>
DEVICE void load_weights(Tiles<B>& tiles, const u8* x, u32 first_row, u32 rows, u32 first_column, u32 columns) {
  constexpr u32 PER_ROW = STEP / (8 * B::PLANES);
  const u32 row_blocks = columns / B::WEIGHTS;
  UNROLLED
  for (u32 k = 0; k < TILE * PER_ROW / THREADS; k++) {
    const u32 item = k * THREADS + thread_x(), row = item / PER_ROW;
    const u32 i = first_column / STEP * PER_ROW + item % PER_ROW, block = i / B::GRANULES, g = i % B::GRANULES;
    const bool inside = block < row_blocks;
    Granule<B::PLANES> granule = {};
    if (inside) {
      const u64 at = u64(min_of(first_row + row, rows - 1)) * row_blocks + block;
      granule = B::load(x + at * B::BYTES, g);
    }
    UNROLLED
    for (int p = 0; p < B::PLANES; p++) {
      const u32 at = block * B::WEIGHTS + B::weight_index(g, p) - first_column;
      UNROLLED
      for (u32 j = 0; j < 2; j++) tiles.weights[row * PITCH + at / 4 + j] = granule.q[p].at[j];
      if (at % B::GROUP == 0) {
        tiles.scale[row][at / B::GROUP] = granule.scale[p];
        if (B::OFFSETS) tiles.offset[row][at / B::GROUP] = granule.offset[p];
      }
    }
  }
}

// Loads the activations, a block of Q8 or Q8_1 per thread.
template <class Q, class B>
DEVICE void load_values(Tiles<B>& tiles, const u8* y, u32 first, u32 count, u32 first_column, u32 columns) {
  constexpr u32 PER_ROW = STEP / Q::WEIGHTS;
  static_assert(TILE * PER_ROW == THREADS, "a block for each thread");
  const u32 row = thread_x() / PER_ROW, at = thread_x() % PER_ROW;
  const u32 row_blocks = columns / Q::WEIGHTS, index = first_column / Q::WEIGHTS + at;
  u32 q[8] = {};
  float scale = 0.0f;
  if (index < row_blocks) {
    const u64 block = u64(min_of(first + row, count - 1)) * row_blocks + index;
    const u32* const words = reinterpret_cast<const u32*>(y + block * Q::BYTES);
    scale = Q::load_scale(y + block * Q::BYTES);
    UNROLLED
    for (int i = 0; i < 8; i++) q[i] = words[1 + i];
  }
  UNROLLED
  for (int i = 0; i < 8; i++) tiles.values[row * PITCH + at * 8 + i] = q[i];
  tiles.value_scale[row][at] = scale;
  if (B::OFFSETS) {
    constexpr int PER_GROUP = B::GROUP / 4;
    UNROLLED
    for (int part = 0; part < 8 / PER_GROUP; part++) {
      i32 sum = 0;
      UNROLLED
      for (int i = 0; i < PER_GROUP; i++) sum = dot4(i32(q[part * PER_GROUP + i]), 0x01010101, sum);
      tiles.sum[row][at * (8 / PER_GROUP) + part] = scale * float(sum);
    }
  }
}

template <class B>
DEVICE void multiply(const Tiles<B>& tiles, float (&sum)[EACH][EACH]) {
  const u32 x = thread_x() % SIDE, y = thread_x() / SIDE;
  for (u32 group = 0; group < Tiles<B>::GROUPS; group++) {
    i32 dot[EACH][EACH] = {};
    UNROLLED
    for (u32 word = 0; word < B::GROUP / 4; word += 4) {
      const u32 at = group * (B::GROUP / 4) + word;
      Vec<u32, 4> w[EACH], v[EACH];
      UNROLLED
      for (u32 i = 0; i < EACH; i++) {
        w[i] = load_vec<4>(&tiles.weights[(x + SIDE * i) * PITCH + at]);
        v[i] = load_vec<4>(&tiles.values[(y + SIDE * i) * PITCH + at]);
      }
      UNROLLED
      for (u32 r = 0; r < EACH; r++) {
        UNROLLED
        for (u32 c = 0; c < EACH; c++) {
          UNROLLED
          for (u32 j = 0; j < 4; j++) dot[r][c] = dot4(i32(w[r].at[j]), i32(v[c].at[j]), dot[r][c]);
        }
      }
    }
    UNROLLED
    for (u32 c = 0; c < EACH; c++) {
      const float scale = tiles.value_scale[y + SIDE * c][group * B::GROUP / Q8::WEIGHTS];
      UNROLLED
      for (u32 r = 0; r < EACH; r++) {
        sum[r][c] = math::fma(tiles.scale[x + SIDE * r][group] * scale, float(dot[r][c]), sum[r][c]);
        if (B::OFFSETS) {
          sum[r][c] = math::fma(tiles.offset[x + SIDE * r][group], tiles.sum[y + SIDE * c][group], sum[r][c]);
        }
      }
    }
  }
}

// dst[column * dst_stride + row] = the dot product of a row of x and a column of y, of length k; columns are padded to k_padded.
template <class B, class Q>
DEVICE void mat_mat(const void* vx, const void* vy, float* dst, u32 k, u32 rows, u32 columns, u32 k_padded,
                    u32 dst_stride) {
  __shared__ Tiles<B> tiles;
  const u8 *const x = static_cast<const u8*>(vx), *const y = static_cast<const u8*>(vy);
  for (u32 first_row = block_x() * TILE; first_row < rows; first_row += grid_size_x() * TILE) {
    for (u32 first_column = block_y() * TILE; first_column < columns; first_column += grid_size_y() * TILE) {
      float sum[EACH][EACH] = {};
      for (u32 at = 0; at < k; at += STEP) {
        load_weights(tiles, x, first_row, rows, at, k);
        load_values<Q>(tiles, y, first_column, columns, at, k_padded);
        sync_threads();
        multiply(tiles, sum);
        sync_threads();
      }
      UNROLLED
      for (u32 c = 0; c < EACH; c++) {
        const u32 column = first_column + thread_x() / SIDE + SIDE * c;
        UNROLLED
        for (u32 r = 0; r < EACH; r++) {
          const u32 row = first_row + thread_x() % SIDE + SIDE * r;
          if (row < rows && column < columns) dst[u64(column) * dst_stride + row] = sum[r][c];
        }
      }
    }
  }
}

#endif
