//! Copies on the devices against candle's CPU: of any view, of rows, of transposed matrices.

mod common;
mod harness;

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::op::{Add, CmpOp, Neg};
use candle_core::{CpuStorage, DType, Layout, Shape};
use candle_rocm::hip::LaunchConfig;
use candle_rocm::{RocmDevice, RocmError, RocmStorage};
use rocm_kernels::TRANSPOSE;

use common::Random;
use harness::data::mixed_storage;
use harness::tolerance::EXACT;
use harness::views::{large_shapes, memory, shapes, views};
use harness::{DTYPES, Operand, check_change};

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

/// Large transposed operands are copied through tiles first; the results are those of the same operands in order.
#[test]
fn large_transposed_operands() {
    // A little over 4 MiB of f32, and no multiple of a tile.
    let shape = (1027, 1031);
    let transposed = Layout::contiguous(shape).transpose(0, 1).expect("transpose");
    let plain = Layout::contiguous(transposed.shape());
    let tiled = |device: &RocmDevice| {
        let kernels = device.stream().recent_kernels();
        kernels.iter().filter(|kernel| kernel.as_str() == "transpose_4").count()
    };
    for device in common::devices() {
        let src =
            device.storage_from_cpu_storage(&mixed_storage(DType::F32, 1027 * 1031, 35)).expect("upload");
        let mut ordered = device.zeros_impl(transposed.shape(), DType::F32).expect("zeros");
        src.copy_strided_src(&mut ordered, 0, &transposed).expect("copy");
        type Op = fn(&RocmStorage, &Layout, &RocmStorage, &Layout) -> candle_core::Result<RocmStorage>;
        let ops: [(&str, usize, Op); 6] = [
            ("affine", 1, |a, layout, _, _| a.affine(layout, 2., 1.)),
            ("neg", 1, |a, layout, _, _| a.unary_impl::<Neg>(layout)),
            ("powf", 1, |a, layout, _, _| a.powf(layout, 3.)),
            ("to_dtype", 1, |a, layout, _, _| a.to_dtype(layout, DType::U8)),
            ("add", 1, |a, layout, b, plain| a.binary_impl::<Add>(b, layout, plain)),
            ("lt", 2, |a, layout, _, _| a.cmp(CmpOp::Lt, a, layout, layout)),
        ];
        for (name, copies, op) in ops {
            device.synchronize().expect(name);
            let got = op(&src, &transposed, &ordered, &plain).expect(name);
            // A checker's tensors have an allocation each, and freeing one waits for the kernels, which are recent no more.
            if std::env::var_os("CANDLE_ROCM_POOL").is_none() {
                assert_eq!(tiled(&device), copies, "{name}");
            }
            let want = op(&ordered, &plain, &ordered, &plain).expect(name);
            let [got, want] = [got, want].map(|storage| storage.to_cpu_storage().expect(name));
            // Bits, so that NaN equals NaN.
            harness::bits::compare(&got, &want, &EXACT).expect(name);
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
