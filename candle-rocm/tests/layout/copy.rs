//! Copies on the devices against candle's CPU: of any view, of rows, of transposed matrices.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::op::{Add, CmpOp, Div, Mul, Neg, Sub};
use candle_core::{CpuStorage, DType, Layout, Shape};
use candle_rocm::hip::LaunchConfig;
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage};
use half::{bf16, f16};
use rocm_kernels::{TRANSPOSE, TRANSPOSED};

use crate::common::Random;
use crate::harness::data::mixed_storage;
use crate::harness::tolerance::EXACT;
use crate::harness::views::{large_shapes, memory, shapes, views};
use crate::harness::{DTYPES, Operand, check_change};
use crate::{common, harness};

#[test]
fn copies_of_every_view() {
    let devices = common::devices();
    for dtype in DTYPES {
        for shape in shapes().iter().chain(large_shapes()) {
            let numel: usize = shape.iter().product();
            if numel > 100_000 && !matches!(dtype, DType::U8 | DType::F16 | DType::F32 | DType::F64) {
                continue;
            }
            let src = Operand::new(&devices, mixed_storage(dtype, memory(shape), 32));
            for (n, view) in views(shape).into_iter().enumerate() {
                let dst_offset = n % 4;
                let mut dst = Operand::new(&devices, mixed_storage(dtype, numel + dst_offset + 5, 33));
                check_change(
                    &format!("copy_strided_src of {dtype:?} from {view:?} to {dst_offset}.."),
                    &mut dst,
                    |cpu| src.cpu.copy_strided_src(cpu, dst_offset, &view),
                    |index, rocm| src.rocm[index].copy_strided_src(rocm, dst_offset, &view),
                );
            }
        }
    }
}

/// Large transposed operands go through tiles, copied or computed with; the results are those of the same operands in order.
#[test]
fn large_transposed_operands() {
    // A little over 4 MiB, and no multiple of a tile.
    let (rows, columns) = (1027, 1031);
    for (dtype, rows) in [(DType::F32, rows), (DType::F16, 2 * rows), (DType::BF16, 2 * rows)] {
        let shape = (rows, columns);
        let transposed = Layout::contiguous(shape).transpose(0, 1).expect("transpose");
        let plain = Layout::contiguous(transposed.shape());
        let tiled = |device: &RocmDevice| {
            let kernels = device.stream().recent_kernels();
            let kernels = kernels.iter().map(|kernel| kernel.as_str().to_string());
            kernels.filter(|kernel| kernel.starts_with("transpose")).collect::<Vec<_>>()
        };
        for device in common::devices() {
            let [src, other] = [35, 36].map(|seed| {
                let values = mixed_storage(dtype, rows * columns, seed);
                device.storage_from_cpu_storage(&values).expect("upload")
            });
            let mut ordered = device.zeros_impl(transposed.shape(), dtype).expect("zeros");
            src.copy_strided_src(&mut ordered, 0, &transposed).expect("copy");
            type Op = fn(&RocmStorage, &Layout, &RocmStorage, &Layout) -> candle_core::Result<RocmStorage>;
            let ops: [(&str, &[&str], Op); 11] = [
                ("affine", &["affine"], |a, layout, _, _| a.affine(layout, 2., 1.)),
                ("neg", &["copy"], |a, layout, _, _| a.unary_impl::<Neg>(layout)),
                ("powf", &["copy"], |a, layout, _, _| a.powf(layout, 3.)),
                ("to_dtype", &["copy"], |a, layout, _, _| a.to_dtype(layout, DType::U8)),
                ("lt", &["copy", "copy"], |a, layout, _, _| a.cmp(CmpOp::Lt, a, layout, layout)),
                ("add", &["badd"], |a, layout, b, plain| a.binary_impl::<Add>(b, layout, plain)),
                ("mul", &["bmul"], |a, layout, b, plain| a.binary_impl::<Mul>(b, layout, plain)),
                ("sub", &["bsub"], |a, layout, b, plain| a.binary_impl::<Sub>(b, layout, plain)),
                ("from", &["bsub"], |a, layout, b, plain| b.binary_impl::<Sub>(a, plain, layout)),
                ("div", &["bdiv"], |a, layout, b, plain| a.binary_impl::<Div>(b, layout, plain)),
                ("div by", &["bdiv"], |a, layout, b, plain| b.binary_impl::<Div>(a, plain, layout)),
            ];
            for (name, kernels, op) in ops {
                device.synchronize().expect(name);
                let got = op(&src, &transposed, &other, &plain).expect(name);
                // A checker's tensors have an allocation each, and freeing one waits for the kernels, which are recent no more.
                if candle_rocm::hip::variable::switch("CANDLE_ROCM_POOL") != Some(false) {
                    let copy = format!("transpose_{}", dtype.size_in_bytes());
                    let expected = kernels.iter().map(|&kernel| match kernel {
                        "copy" => copy.clone(),
                        _ => format!("transposed_{kernel}_{}", dtype.as_str()),
                    });
                    assert_eq!(tiled(&device), expected.collect::<Vec<_>>(), "{name}");
                }
                let want = op(&ordered, &plain, &other, &plain).expect(name);
                let [got, want] = [got, want].map(|storage| storage.to_cpu_storage().expect(name));
                // Bits, so that NaN equals NaN.
                harness::bits::compare(&got, &want, &EXACT).expect(name);
            }
        }
    }
}

/// A destination that is too short bounds the copy.
#[test]
fn copies_end_with_the_destination() {
    for device in common::devices() {
        let src = device.storage_from_slice(&[1u32, 2, 3, 4, 5, 6]).expect("upload");
        let transposed = Layout::contiguous((2, 3)).transpose(0, 1).expect("transpose");
        for (layout, want) in [(Layout::contiguous(6), [0, 1, 2, 3]), (transposed, [0, 1, 4, 2])] {
            let mut dst = device.zeros_impl(&Shape::from(4), DType::U32).expect("zeros");
            src.copy_strided_src(&mut dst, 1, &layout).expect("copy");
            let CpuStorage::U32(got) = dst.to_cpu_storage().expect("download") else { panic!("not u32") };
            assert_eq!(got, want, "{layout:?}");
            src.copy_strided_src(&mut dst, 9, &layout).expect("nothing to copy");
        }
        // Rows of whole vectors, cut within one.
        let src = device.storage_from_slice(&(0..64).collect::<Vec<u32>>()).expect("upload");
        let rows = Layout::new((3, 16).into(), vec![20, 1], 1);
        let mut dst = device.zeros_impl(&Shape::from(40), DType::U32).expect("zeros");
        src.copy_strided_src(&mut dst, 2, &rows).expect("copy");
        let CpuStorage::U32(got) = dst.to_cpu_storage().expect("download") else { panic!("not u32") };
        let want = [0, 0].into_iter().chain(1..17).chain(21..37).chain(41..47).collect::<Vec<u32>>();
        assert_eq!(got, want);
    }
}

#[test]
fn copies_of_rows() {
    let devices = common::devices();
    let mut random = Random(34);
    let fixed = [
        (0, 5, 5, 5),
        (5, 0, 5, 5),
        (1, 7, 7, 9),
        (4, 6, 6, 6),
        (3, 5, 8, 5),
        (3, 5, 5, 8),
        (700, 33, 40, 35),
    ];
    // Rows that are read again and again: a source stride of 0.
    let fixed = fixed.into_iter().chain([(5, 3, 0, 3)]);
    let drawn: Vec<_> = (0..20)
        .map(|_| {
            let (d1, d2) = (1 + random.below(70), 1 + random.below(70));
            (d1, d2, d2 + random.below(9), d2 + random.below(9))
        })
        .collect();
    for (n, (d1, d2, src_s, dst_s)) in fixed.chain(drawn).enumerate() {
        let (src_o, dst_o) = (n % 5, (n + 2) % 4);
        for dtype in DTYPES {
            let src = Operand::new(&devices, mixed_storage(dtype, src_o + d1 * src_s + d2, 35));
            let mut dst = Operand::new(&devices, mixed_storage(dtype, dst_o + d1 * dst_s + d2, 36));
            check_change(
                &format!(
                    "copy2d of {dtype:?} ({d1}, {d2}) strides {src_s}, {dst_s} offsets {src_o}, {dst_o}"
                ),
                &mut dst,
                |cpu| src.cpu.copy2d(cpu, d1, d2, src_s, dst_s, src_o, dst_o),
                |index, rocm| src.rocm[index].copy2d(rocm, d1, d2, src_s, dst_s, src_o, dst_o),
            );
        }
    }
}

#[test]
fn copies_stay_inside() {
    for device in common::devices() {
        let src = device.storage_from_slice(&[1f32; 20]).expect("upload");
        let mut dst = device.storage_from_slice(&[2f32; 20]).expect("upload");
        let cases = [
            (4, 5, 6, 5, 0, 0),
            (4, 5, 5, 6, 0, 0),
            (4, 5, 5, 5, 1, 0),
            (4, 5, 5, 5, 0, 1),
            (2, usize::MAX, 1, 1, 0, 0),
        ];
        for (d1, d2, src_s, dst_s, src_o, dst_o) in cases {
            let error = src.copy2d(&mut dst, d1, d2, src_s, dst_s, src_o, dst_o).unwrap_err();
            assert!(matches!(harness::rocm_error(&error), RocmError::LayoutOutOfBounds { .. }), "{error}");
        }
        let mut other = device.storage_from_slice(&[2f64; 20]).expect("upload");
        let error = src.copy2d(&mut other, 1, 1, 1, 1, 0, 0).unwrap_err();
        assert!(matches!(harness::rocm_error(&error), RocmError::DTypeMismatch { .. }), "{error}");
        let error = src.copy_strided_src(&mut other, 0, &Layout::contiguous(4)).unwrap_err();
        assert!(matches!(harness::rocm_error(&error), RocmError::DTypeMismatch { .. }), "{error}");
        let error = src.copy_strided_src(&mut dst, 0, &Layout::contiguous(21)).unwrap_err();
        assert!(matches!(harness::rocm_error(&error), RocmError::LayoutOutOfBounds { .. }), "{error}");
        // Nothing was written.
        let CpuStorage::F32(got) = dst.to_cpu_storage().expect("download") else { panic!("not f32") };
        assert_eq!(got, [2.0; 20]);
    }
}

/// Matrices around the sizes of tiles and vectors, alone and many; narrow ones; cut out of larger ones; at any offset.
#[test]
fn transposes() {
    let devices = common::devices();
    // Dims, and the order in which memory holds them, outermost first; then what each of them is longer by in memory.
    let cases: [(&[usize], &[usize], &[usize]); 12] = [
        (&[64, 64], &[1, 0], &[0, 0]),
        (&[128, 256], &[1, 0], &[0, 0]),
        (&[129, 255], &[1, 0], &[0, 0]),
        (&[200, 136], &[1, 0], &[16, 8]),
        (&[131, 67], &[1, 0], &[3, 1]),
        (&[3, 2500], &[1, 0], &[0, 0]),
        (&[2500, 3], &[1, 0], &[0, 2]),
        (&[2, 9000], &[1, 0], &[0, 0]),
        (&[3, 70, 130], &[0, 2, 1], &[0, 0, 0]),
        (&[65, 3, 140], &[2, 1, 0], &[0, 0, 0]),
        (&[2, 66, 3, 71], &[1, 2, 3, 0], &[0, 0, 0, 0]),
        (&[4, 65, 2, 72], &[2, 3, 0, 1], &[1, 0, 0, 7]),
    ];
    for dtype in [DType::U8, DType::BF16, DType::F32, DType::I64] {
        for (n, (dims, order, longer)) in cases.into_iter().enumerate() {
            let mut stride = vec![0; dims.len()];
            let mut extent = 1;
            for &dim in order.iter().rev() {
                stride[dim] = extent;
                extent *= dims[dim] + longer[dim];
            }
            let (src_offset, dst_offset) = ([0, 16, 1, 5][n % 4], [0, 16, 3][n % 3]);
            let view = Layout::new(dims.into(), stride, src_offset);
            let src = Operand::new(&devices, mixed_storage(dtype, extent + src_offset, 37));
            let numel: usize = dims.iter().product();
            let mut dst = Operand::new(&devices, mixed_storage(dtype, numel + dst_offset + 5, 38));
            check_change(
                &format!("a copy of {dtype:?} from {view:?} to {dst_offset}.."),
                &mut dst,
                |cpu| src.cpu.copy_strided_src(cpu, dst_offset, &view),
                |index, rocm| src.rocm[index].copy_strided_src(rocm, dst_offset, &view),
            );
        }
    }
}

/// Every grid, block and shape of tile is right.
#[test]
fn transposes_in_any_blocks() {
    fn check(device: &RocmDevice, [rows, columns]: [usize; 2], tile: [u32; 2], grid: u32, block: [u32; 3]) {
        let (src_step, dst_step, matrices) = (columns + 4, rows + 8, 3usize);
        let values: Vec<u32> = (0..(matrices * rows * src_step) as u32).collect();
        let src = device.upload(&values).expect("upload");
        let mut dst = device.upload(&vec![u32::MAX; matrices * columns * dst_step]).expect("upload");
        let mut launch = device.launch(&TRANSPOSE, "transpose_4");
        launch.arg(&rows).arg(&columns).arg(&src_step).arg(&dst_step).arg(&tile[0]).arg(&tile[1]);
        launch.arg(&1usize).info(&[matrices, rows * src_step, columns * dst_step]);
        launch.buffer(&src, 0).buffer_mut(&mut dst, 0);
        let config = LaunchConfig { grid: [grid, 1, 1], block, shared_bytes: 0 };
        // SAFETY: transpose_4(rows, columns, src_step, dst_step, tile_rows, tile_columns, num_dims, info, src, dst) for
        // three matrices that lie in src and dst.
        unsafe { launch.run(config) }.expect("launch");
        let got = device.download(&dst).expect("download");
        for (i, got) in got.into_iter().enumerate() {
            let (matrix, c, r) = (i / (columns * dst_step), i / dst_step % columns, i % dst_step);
            let want = if r < rows { values[(matrix * rows + r) * src_step + c] } else { u32::MAX };
            assert_eq!(
                got, want,
                "matrix {matrix} row {r} column {c} of {rows} x {columns}, tile {tile:?}, {grid} x {block:?}"
            );
        }
    }
    for device in common::devices() {
        for (grid, threads) in [(1, 256), (7, 100), (2, 1024), (1, 1), (40, 64)] {
            for (tile, size) in
                [([64, 64], [68, 132]), ([5, 100], [68, 132]), ([100, 5], [68, 132]), ([1, 1], [8, 12])]
            {
                check(&device, size, tile, grid, [threads, 1, 1]);
            }
        }
    }
}

/// The same tiles where what comes through them is computed with, against f32 rounded to the dtype.
#[test]
fn arithmetic_in_tiles() {
    fn check<T: RocmDType + Copy>(device: &RocmDevice, from: fn(f32) -> T, to: fn(T) -> f32, tile: [u32; 2]) {
        let (rows, columns, matrices) = (136usize, 132usize, 2usize);
        let (src_step, dst_step) = (columns + 4, rows + 8);
        // Exact in every dtype, and never 0.
        let number = |i: usize| from((i * 37 % 61) as f32 / 4.0 - 7.125);
        let values: Vec<T> = (0..matrices * rows * src_step).map(number).collect();
        let others: Vec<T> = (0..matrices * columns * dst_step).map(|i| number(7 * i + 3)).collect();
        let (src, other) = (device.upload(&values).expect("upload"), device.upload(&others).expect("upload"));
        let (mul, add, untouched) = (1.5f32, -0.375f32, from(99.0));
        type Op = fn(f32, f32) -> f32;
        let ops: [(&str, Option<Op>); 5] = [
            ("affine", None),
            ("badd", Some(|a, b| a + b)),
            ("bsub", Some(|a, b| a - b)),
            ("bmul", Some(|a, b| a * b)),
            ("bdiv", Some(|a, b| a / b)),
        ];
        for (name, op) in ops {
            for swapped in 0..if op.is_some() { 2u32 } else { 1 } {
                let mut dst = device.upload(&vec![untouched; others.len()]).expect("upload");
                let kernel = format!("transposed_{name}_{}", T::KERNEL_DTYPE);
                let mut launch = device.launch(&TRANSPOSED, &kernel);
                launch.arg(&rows).arg(&columns).arg(&src_step).arg(&dst_step).arg(&tile[0]).arg(&tile[1]);
                launch.arg(&1usize).info(&[matrices, rows * src_step, columns * dst_step]);
                launch.buffer(&src, 0).buffer_mut(&mut dst, 0);
                match op {
                    Some(_) => launch.buffer(&other, 0).arg(&swapped),
                    None => launch.arg(&from(mul)).arg(&from(add)),
                };
                // SAFETY: transposed_*(rows, columns, src_step, dst_step, tile_rows, tile_columns, num_dims, info, src, dst,
                // then other, swapped or mul, add) for two matrices that lie in src and dst; other is as long as dst.
                unsafe { launch.run(LaunchConfig::linear(3, 256)) }.expect("launch");
                let got = device.download(&dst).expect("download");
                for (i, got) in got.into_iter().enumerate() {
                    let (matrix, c, r) = (i / (columns * dst_step), i / dst_step % columns, i % dst_step);
                    let want = if r < rows {
                        let x = to(values[(matrix * rows + r) * src_step + c]);
                        match (op, swapped) {
                            (None, _) => from(to(from(x * mul)) + add),
                            (Some(op), 0) => from(op(x, to(others[i]))),
                            (Some(op), _) => from(op(to(others[i]), x)),
                        }
                    } else {
                        untouched
                    };
                    let [got, want] = [got, want].map(to);
                    assert_eq!(
                        got, want,
                        "{kernel}, swapped {swapped}: matrix {matrix} row {r} column {c}, {tile:?}"
                    );
                }
            }
        }
    }
    for device in common::devices() {
        for tile in [[64, 64], [5, 100]] {
            check::<f32>(&device, |x| x, |x| x, tile);
        }
        for tile in [[64, 128], [100, 5]] {
            check::<f16>(&device, f16::from_f32, f16::to_f32, tile);
            check::<bf16>(&device, bf16::from_f32, bf16::to_f32, tile);
        }
    }
}
