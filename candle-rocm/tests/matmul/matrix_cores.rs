//! Matrix cores' vocabulary, `matrix.h`: on the CPU platform with the tables of each kind of card in turn, elsewhere with the
//! card's own instructions.

use candle_rocm::hip::{LaunchConfig, Module};
use candle_rocm::platform::HOST;
use candle_rocm::{Element, RocmDevice};
use half::{bf16, f16};

use crate::common;
use crate::common::Random;

const SOURCE: &str = r#"
#include "common/matrix.h"
#include "common/shared_tiles.h"

// One wavefront. ways: 1 reads the left matrix across, 2 the right one.
template <class T>
DEVICE void product(const T* a, const T* b, f32* sums, T* rounded, f32* totals, u32 ways) {
  __shared__ Vec<T, 8> tile_a[16 * 3], tile_b[16 * 3];
  const u32 stride = 24;
  T *const at_a = reinterpret_cast<T*>(tile_a), *const at_b = reinterpret_cast<T*>(tile_b);
  const PaddedTile<T, 24> a_tile{at_a}, b_tile{at_b};
  for (u32 i = thread_x(); i < 256; i += WAVE) {
    const u32 row = i / 16, column = i % 16;
    at_a[ways & 1 ? column * stride + row : row * stride + column] = a[i];
    at_b[ways & 2 ? row * stride + column : column * stride + row] = b[i];
  }
  sync_threads();
  const auto left = ways & 1 ? matrix::load_left_across<T>(a_tile, 0, 0) : matrix::load_left<T>(a_tile, 0, 0);
  const auto right = ways & 2 ? matrix::load_right_across<T>(b_tile, 0, 0) : matrix::load_right<T>(b_tile, 0, 0);
  matrix::Sums result = matrix::zeros();
  result.at[0] = 1.0f;
  matrix::multiply(result, left, right);
  result.at[0] -= 1.0f;
  f32 mine[matrix::LANE_ROWS];
  for (u32 r = 0; r < matrix::LANE_ROWS; r++) mine[r] = 0.0f;
  for (u32 i = 0; i < matrix::SUMS; i++) {
    sums[matrix::sum_row(i) * 16 + matrix::sum_column(i)] += result.at[i];
    mine[matrix::which_row(i)] += result.at[i];
  }
  for (u32 r = 0; r < matrix::LANE_ROWS; r++) {
    totals[matrix::lane_row(r)] = matrix::row_reduce(mine[r], [](f32 x, f32 y) { return x + y; });
  }
  // Times one, as a left matrix.
  sync_threads();
  for (u32 i = thread_x(); i < 256; i += WAVE) at_b[i / 16 * stride + i % 16] = convert<T>(i / 16 == i % 16 ? 1.0f : 0.0f);
  sync_threads();
  matrix::Sums again = matrix::zeros();
  matrix::multiply(again, matrix::left_of<T>(result), matrix::load_right<T>(b_tile, 0, 0));
  for (u32 i = 0; i < matrix::SUMS; i++) sums[256 + matrix::sum_row(i) * 16 + matrix::sum_column(i)] = again.at[i];
  matrix::each_run(matrix::left_of<T>(result), [&](u32 which, u32 column, const Vec<T, matrix::RUN>& run) {
    for (u32 j = 0; j < matrix::RUN; j++) rounded[matrix::lane_row(which) * 16 + column + j] = run.at[j];
  });
  matrix::each_run<f32>(result, [&](u32 which, u32 column, const Vec<f32, matrix::RUN_OF<f32>>& run) {
    for (u32 j = 0; j < matrix::RUN_OF<f32>; j++) sums[512 + matrix::lane_row(which) * 16 + column + j] = run.at[j];
  });
}

KERNEL product_f16(const f16* a, const f16* b, f32* sums, f16* rounded, f32* totals, u32 ways) {
  product(a, b, sums, rounded, totals, ways);
}
KERNEL product_bf16(const bf16* a, const bf16* b, f32* sums, bf16* rounded, f32* totals, u32 ways) {
  product(a, b, sums, rounded, totals, ways);
}

// For each lane and i: left row and depth, right column and depth; sum row and column.
KERNEL tables(u32* operands, u32* sums) {
  using matrix::Fragments;
  const u32 lane = thread_x();
  for (u32 i = 0; i < Fragments::OPERANDS; i++) {
    u32* const to = operands + (lane * Fragments::OPERANDS + i) * 4;
    to[0] = Fragments::left_row(lane, i), to[1] = Fragments::left_depth(lane, i);
    to[2] = Fragments::right_column(lane, i), to[3] = Fragments::right_depth(lane, i);
  }
  for (u32 i = 0; i < Fragments::SUMS; i++) {
    u32* const to = sums + (lane * Fragments::SUMS + i) * 2;
    to[0] = matrix::sum_row(i), to[1] = matrix::sum_column(i);
  }
}
"#;

/// Who holds what, as the makers' manuals put it: of A the row and the depth, of B the depth and the column, of D the row and
/// the column of a lane's i-th element.
struct Manual {
    name: &'static str,
    wavefront: u32,
    operands: usize,
    sums: usize,
    a: fn(usize, usize) -> (usize, usize),
    b: fn(usize, usize) -> (usize, usize),
    d: fn(usize, usize) -> (usize, usize),
    /// Whether the header multiplies transposed matrices: A is its right one.
    transposed: bool,
}

/// In the order of `MATRIX_LAYOUT`, from 1 on. NVIDIA's: PTX ISA, "Matrix Fragments for mma.m16n8k16", two instructions
/// side by side. AMD's: the Matrix Instruction Calculator's formulas, and the instruction sets' manuals.
const MANUALS: [Manual; 4] = [
    Manual {
        name: "mma.m16n8k16",
        wavefront: 32,
        operands: 8,
        sums: 8,
        a: |lane, i| {
            let (group, in_group) = (lane >> 2, lane % 4);
            let row = if matches!(i, 0 | 1 | 4 | 5) { group } else { group + 8 };
            (row, in_group * 2 + (i & 1) + if i >= 4 { 8 } else { 0 })
        },
        b: |lane, i| {
            let (group, in_group) = (lane >> 2, lane % 4);
            ((in_group * 2) + (i & 1) + if i % 4 >= 2 { 8 } else { 0 }, group + i / 4 * 8)
        },
        d: |lane, i| {
            let (group, in_group) = (lane >> 2, lane % 4);
            (if i % 4 < 2 { group } else { group + 8 }, in_group * 2 + (i & 1) + i / 4 * 8)
        },
        transposed: false,
    },
    Manual {
        name: "v_wmma of gfx11",
        wavefront: 32,
        operands: 16,
        sums: 8,
        a: |lane, i| (lane % 16, i),
        b: |lane, i| (i, lane % 16),
        d: |lane, i| (2 * i + lane / 16, lane % 16),
        transposed: true,
    },
    Manual {
        name: "v_wmma of gfx12",
        wavefront: 32,
        operands: 8,
        sums: 8,
        a: |lane, i| (lane % 16, 8 * (lane / 16) + i),
        b: |lane, i| (8 * (lane / 16) + i, lane % 16),
        d: |lane, i| (8 * (lane / 16) + i, lane % 16),
        transposed: true,
    },
    Manual {
        name: "v_mfma_f32_16x16x16",
        wavefront: 64,
        operands: 4,
        sums: 4,
        a: |lane, i| (lane % 16, 4 * (lane / 16) + i),
        b: |lane, i| (4 * (lane / 16) + i, lane % 16),
        d: |lane, i| (4 * (lane / 16) + i, lane % 16),
        transposed: true,
    },
];

/// The layouts to try on a device, with the option that chooses each.
fn layouts(device: &RocmDevice) -> Vec<Option<(String, &'static Manual)>> {
    if device.platform() != HOST {
        return vec![None];
    }
    let fitting = MANUALS.iter().zip(1..).filter(|(manual, _)| manual.wavefront == device.wavefront_size());
    fitting.map(|(manual, number)| Some((format!("-DMATRIX_LAYOUT={number}"), manual))).collect()
}

#[test]
fn tables_are_the_manuals() {
    for device in common::devices() {
        for (option, manual) in layouts(&device).into_iter().flatten() {
            let module = device.compile_with("matrix", SOURCE, &[&option]).expect("compiles");
            let lanes = manual.wavefront as usize;
            let mut operands = device.alloc_zeros::<u32>(lanes * manual.operands * 4).expect("memory");
            let mut sums = device.alloc_zeros::<u32>(lanes * manual.sums * 2).expect("memory");
            let function = module.function("tables").expect("tables");
            let mut launch = device.launch_function(&function);
            launch.buffer_mut(&mut operands, 0).buffer_mut(&mut sums, 0);
            // SAFETY: tables(operands, sums), which have four and two numbers for each element.
            unsafe { launch.run(LaunchConfig::linear(1, lanes as u32)) }.expect("runs");
            let (operands, sums) =
                (device.download(&operands).expect("download"), device.download(&sums).expect("download"));
            let found = |all: &[u32], at: usize| (all[at] as usize, all[at + 1] as usize);
            let swap = |(x, y): (usize, usize)| (y, x);
            for lane in 0..lanes {
                for i in 0..manual.operands {
                    let at = (lane * manual.operands + i) * 4;
                    // Our left (row, depth), our right (column, depth).
                    let (a, b) = ((manual.a)(lane, i), (manual.b)(lane, i));
                    let (left, right) = if manual.transposed { (swap(b), a) } else { (a, swap(b)) };
                    assert_eq!(found(&operands, at), left, "{}: left, {lane}, {i}", manual.name);
                    assert_eq!(found(&operands, at + 2), right, "{}: right, {lane}, {i}", manual.name);
                }
                for i in 0..manual.sums {
                    let d = (manual.d)(lane, i);
                    let want = if manual.transposed { swap(d) } else { d };
                    assert_eq!(
                        found(&sums, (lane * manual.sums + i) * 2),
                        want,
                        "{}: {lane}, {i}",
                        manual.name
                    );
                }
            }
        }
    }
}

/// Of integers, so that all is exact.
#[test]
fn products() {
    fn check<T: Element>(
        device: &RocmDevice,
        module: &Module,
        name: &str,
        what: &str,
        of: fn(f32) -> T,
        value: fn(T) -> f32,
    ) {
        let mut random = Random(5);
        let mut numbers = || -> Vec<f32> { (0..256).map(|_| random.below(9) as f32 - 4.0).collect() };
        let (a, b) = (numbers(), numbers());
        let want: Vec<f32> =
            (0..256).map(|i| (0..16).map(|k| a[i / 16 * 16 + k] * b[k * 16 + i % 16]).sum()).collect();
        let upload =
            |x: &[f32]| device.upload(&x.iter().map(|&x| of(x)).collect::<Vec<_>>()).expect("upload");
        let (a, b) = (upload(&a), upload(&b));
        for ways in 0..4u32 {
            let mut sums = device.alloc_zeros::<f32>(768).expect("memory");
            let mut rounded = upload(&[0.0; 256]);
            let mut totals = device.alloc_zeros::<f32>(16).expect("memory");
            let function = module.function(name).expect("function");
            let mut launch = device.launch_function(&function);
            launch.buffer(&a, 0).buffer(&b, 0).buffer_mut(&mut sums, 0).buffer_mut(&mut rounded, 0);
            launch.buffer_mut(&mut totals, 0).arg(&ways);
            // SAFETY: product_*(a, b, sums, rounded, totals, ways): 256 elements each, 768 sums, 16 totals.
            unsafe { launch.run(LaunchConfig::linear(1, device.wavefront_size())) }.expect("runs");
            let sums = device.download(&sums).expect("download");
            assert_eq!(sums[..256], want, "{what} {name}, ways {ways}");
            assert_eq!(sums[256..512], want, "{what} {name}, ways {ways}: as a left matrix");
            assert_eq!(sums[512..], want, "{what} {name}, ways {ways}: runs of sums");
            let rounded: Vec<f32> =
                device.download(&rounded).expect("download").into_iter().map(value).collect();
            assert_eq!(rounded, want, "{what} {name}, ways {ways}: runs");
            let rows: Vec<f32> = want.chunks(16).map(|row| row.iter().sum()).collect();
            assert_eq!(device.download(&totals).expect("download"), rows, "{what} {name}, ways {ways}: rows");
        }
    }
    for device in common::devices() {
        for layout in layouts(&device) {
            let what = layout.as_ref().map_or("the card's", |(_, manual)| manual.name);
            let options: Vec<&str> = layout.iter().map(|(option, _)| option.as_str()).collect();
            let module = device.compile_with("matrix", SOURCE, &options).expect("compiles");
            check::<f16>(&device, &module, "product_f16", what, f16::from_f32, f16::to_f32);
            check::<bf16>(&device, &module, "product_bf16", what, bf16::from_f32, bf16::to_f32);
        }
    }
}
