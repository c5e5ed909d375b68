//! Matrix cores' vocabulary for bytes, `matrix_bytes.h`: on the CPU platform with the places of sums of each kind of card in turn,
//! elsewhere with the card's own instructions.

use candle_rocm::hip::LaunchConfig;
use candle_rocm::platform::HOST;

use crate::common;

const SOURCE: &str = r#"
#include "quantized/matrix_bytes.h"
#include "common/shared_tiles.h"

using ByteTile = SwizzledTile<f16, 32>;

DEVICE void fill(ByteTile tile, const u32* words, bool halves) {
  for (u32 i = thread_x(); i < 16 * 8; i += WAVE) {
    const u32 word = halves ? matrix::stored_word(i % 8) : i % 8;
    *reinterpret_cast<u32*>(tile.at(i / 8, word / 4 * 8) + word % 4 * 2) = words[i];
  }
}

DEVICE void put(f32* to, const matrix::SumPairs& pairs) {
  const auto sums = bit_cast<matrix::Sums>(pairs);
  for (u32 i = 0; i < matrix::SUMS; i++) to[matrix::sum_row(i) * 16 + matrix::sum_column(i)] = sums.at[i];
}

// One wavefront: products of all depths, of the first and of the second half, the first as runs, and the columns.
KERNEL products(const u32* a, const u32* b, f32* sums, f32* runs, f32* columns) {
  using matrix::Depths;
  __shared__ Vec<u32, 4> pool_a[16 * 4], pool_b[16 * 4];
  __shared__ f32 slots[16];
  const ByteTile tile_a{reinterpret_cast<f16*>(pool_a)}, tile_b{reinterpret_cast<f16*>(pool_b)};
  if (thread_x() < 16) slots[matrix::column_slot(thread_x())] = f32(thread_x());
  for (u32 halves = 0; halves < 2; halves++) {
    sync_threads();
    fill(tile_a, a, halves);
    fill(tile_b, b, halves);
    sync_threads();
    const auto left = matrix::load_bytes_left(tile_a, 0, 0);
    const auto right = matrix::load_bytes_right(tile_b, 0, 0);
    if (halves) {
      put(sums + 256, matrix::dots<Depths::FIRST>(left, right));
      put(sums + 512, matrix::dots<Depths::SECOND>(left, right));
    } else {
      const matrix::SumPairs all = matrix::dots<Depths::ALL>(left, right);
      put(sums, all);
      constexpr u32 RUN = matrix::RUN_OF<f32>;
      matrix::each_run<f32>(bit_cast<matrix::Sums>(all), [&](u32 which, u32 column, const Vec<f32, RUN>& run) {
        for (u32 j = 0; j < RUN; j++) runs[matrix::lane_row(which) * 16 + column + j] = run.at[j];
      });
    }
  }
  for (u32 i = 0; i < matrix::SUMS; i++) {
    columns[matrix::sum_row(i) * 16 + matrix::sum_column(i)] = slots[matrix::first_slot() + matrix::which_column(i)];
  }
}
"#;

#[test]
fn products() {
    for device in common::devices() {
        let wave = device.wavefront_size();
        let layouts: &[&str] = match (device.platform() == HOST, wave) {
            (false, _) => &[""],
            (true, 32) => &["-DMATRIX_LAYOUT=1", "-DMATRIX_LAYOUT=2", "-DMATRIX_LAYOUT=3"],
            (true, _) => &["-DMATRIX_LAYOUT=4"],
        };
        for layout in layouts {
            let options: Vec<&str> = layout.split_whitespace().collect();
            let module = device.compile_with("matrix_bytes", SOURCE, &options).expect("compiles");
            let function = module.function("products").expect("products");
            let mut random = common::Random(41);
            // The largest sum there is, and any bytes.
            for any in [false, true] {
                let mut bytes =
                    || (0..512).map(|_| if any { random.next() as i8 } else { -128 }).collect::<Vec<i8>>();
                let (a, b) = (bytes(), bytes());
                let words = |bytes: &[i8]| {
                    let word = |four: &[i8]| u32::from_le_bytes([0, 1, 2, 3].map(|i| four[i] as u8));
                    device.upload(&bytes.chunks(4).map(word).collect::<Vec<u32>>()).expect("upload")
                };
                let (left, right) = (words(&a), words(&b));
                let room = |len| device.upload(&vec![f32::NAN; len]).expect("upload");
                let (mut sums, mut runs, mut columns) = (room(768), room(256), room(256));
                let mut launch = device.launch_function(&function);
                launch.buffer(&left, 0).buffer(&right, 0);
                launch.buffer_mut(&mut sums, 0).buffer_mut(&mut runs, 0).buffer_mut(&mut columns, 0);
                // SAFETY: products(a, b, sums, runs, columns): 16 x 32 bytes each, three times 16 x 16 sums, and 16 x 16 numbers each.
                unsafe { launch.run(LaunchConfig::linear(1, wave)) }.expect("runs");
                let got = [sums, runs, columns].map(|buffer| device.download(&buffer).expect("download"));
                let dot = |row: usize, column: usize, depths: std::ops::Range<usize>| {
                    let product = |k| i32::from(a[row * 32 + k]) * i32::from(b[column * 32 + k]);
                    depths.map(product).sum::<i32>() as f32
                };
                for row in 0..16 {
                    for column in 0..16 {
                        let (at, what) = (row * 16 + column, format!("{layout}: {row}, {column}"));
                        assert_eq!(got[0][at], dot(row, column, 0..32), "all, {what}");
                        assert_eq!(got[0][256 + at], dot(row, column, 0..16), "the first half, {what}");
                        assert_eq!(got[0][512 + at], dot(row, column, 16..32), "the second half, {what}");
                        assert_eq!(got[1][at], got[0][at], "runs, {what}");
                        assert_eq!(got[2][at], column as f32, "columns, {what}");
                    }
                }
            }
        }
    }
}
