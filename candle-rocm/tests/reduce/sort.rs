//! argsort on the devices against the standard library's stable sort, and candle's CPU where it has no NaN.

use candle_core::{CpuStorage, DType, Layout};
use candle_rocm::hip::LaunchConfig;
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage};

use crate::harness::bits::Number;
use crate::harness::data::{mixed_storage, special_storage};
use crate::harness::tolerance::EXACT;
use crate::harness::views::{memory, shapes, views};
use crate::harness::{DTYPES, Operand, len};
use crate::{common, harness};

/// Stable, both zeros equal, NaN greater than all numbers.
fn want<T: Number>(values: &[T], ascending: bool, columns: usize) -> Vec<u32> {
    let order = |a: &T, b: &T| {
        a.nan().cmp(&b.nan()).then_with(|| if a.nan() { 0.cmp(&0) } else { a.ordinal().cmp(&b.ordinal()) })
    };
    let rows = values.chunks(columns.max(1));
    rows.flat_map(|row| {
        let mut places: Vec<u32> = (0..row.len() as u32).collect();
        places.sort_by(|&i, &j| {
            let (a, b) = (&row[i as usize], &row[j as usize]);
            if ascending { order(a, b) } else { order(b, a) }
        });
        places
    })
    .collect()
}

pub(super) fn reference(storage: &CpuStorage, ascending: bool, columns: usize) -> CpuStorage {
    macro_rules! each {
        ($($variant:ident)*) => {
            match storage {
                $(CpuStorage::$variant(values) => want(values, ascending, columns),)*
                _ => panic!("no order: {storage:?}"),
            }
        };
    }
    CpuStorage::U32(each!(U8 U32 I16 I32 I64 BF16 F16 F32 F64 F8E4M3))
}

#[track_caller]
fn check(operand: &Operand, layout: &Layout, columns: usize) {
    use candle_core::backend::BackendStorage;
    let count = layout.shape().elem_count();
    let mut row_major = mixed_storage(operand.dtype(), count, 0);
    if count > 0 {
        operand.cpu.copy_strided_src(&mut row_major, 0, layout).expect("a copy");
    }
    for ascending in [true, false] {
        let want = reference(&row_major, ascending, columns);
        for storage in &operand.rocm {
            let got = storage.argsort(layout, ascending, columns).unwrap().to_cpu_storage().unwrap();
            if let Err(difference) = harness::bits::compare(&got, &want, &EXACT) {
                panic!(
                    "{:?} {layout:?}, rows of {columns}, ascending {ascending}: {difference}",
                    operand.dtype()
                );
            }
        }
    }
}

#[test]
fn every_dtype_in_every_view() {
    let devices = common::devices();
    for dtype in DTYPES {
        for shape in shapes() {
            let operand = Operand::new(&devices, mixed_storage(dtype, memory(shape), 1));
            for view in views(shape) {
                check(&operand, &view, shape.last().copied().unwrap_or(1));
            }
        }
        let special = special_storage(dtype);
        let count = len(&special);
        check(&Operand::new(&devices, special), &Layout::contiguous(count), count);
    }
}

/// Around the longest rows of a network, of a block of either size, and rows of several parts.
#[test]
fn rows_of_any_length() {
    let devices = common::devices();
    for (rows, columns) in [
        (700, 2),
        (90, 9),
        (50, 32),
        (33, 33),
        (17, 64),
        (9, 65),
        (5, 129),
        (7, 500),
        (3, 1023),
        (2, 1024),
        (3, 1025),
        (1, 2049),
        (1, 4096),
        (2, 4097),
        (1, 9001),
    ] {
        for dtype in DTYPES {
            let operand = Operand::new(&devices, mixed_storage(dtype, rows * columns + 1, 2));
            check(&operand, &Layout::contiguous_with_offset((rows, columns), 1), columns);
        }
    }
    // With every special value thousands of times.
    let longest = if common::checked() { 20_003 } else { 200_003 };
    for (dtype, columns) in [(DType::U8, longest / 10 + 3), (DType::F32, longest)] {
        let operand = Operand::new(&devices, mixed_storage(dtype, columns, 3));
        check(&operand, &Layout::contiguous(columns), columns);
    }
    let rows = if common::checked() { 400 } else { 40_000 };
    let many = Operand::new(&devices, mixed_storage(DType::F16, rows * 3, 4));
    check(&many, &Layout::contiguous((rows, 3)), 3);
}

/// Digits that all elements share are left out: none differs, the lowest, a middle and the highest one.
#[test]
fn digits_in_common() {
    let devices = common::devices();
    for columns in [40, 1000, 2000] {
        for shift in [0, 10, 29] {
            for values in [1, 11] {
                let at = |i: usize| 0x0123_4567 ^ ((i * 7 % 11 % values) as u32) << shift;
                let wide = |i: usize| i64::from(at(i)) << (shift % 3 * 16) | 1;
                for cpu in [
                    CpuStorage::U32((0..columns).map(at).collect()),
                    CpuStorage::I16((0..columns).map(|i| at(i) as i16).collect()),
                    CpuStorage::I64((0..columns).map(wide).collect()),
                ] {
                    check(&Operand::new(&devices, cpu), &Layout::contiguous(columns), columns);
                }
            }
        }
    }
}

/// More than 256 tiles, so that parts have several.
#[test]
fn parts_of_several_tiles() {
    if common::checked() {
        return;
    }
    let columns = 256 * 4096 + 5000;
    let operand = Operand::new(&common::devices(), mixed_storage(DType::F8E4M3, columns, 6));
    check(&operand, &Layout::contiguous(columns), columns);
    let operand = Operand::new(&common::devices(), mixed_storage(DType::BF16, columns, 7));
    check(&operand, &Layout::contiguous(columns), columns);
}

/// The kernels that candle names, which nothing else launches, with more and fewer threads than elements.
#[test]
fn entry_points_of_candle() {
    for device in common::devices() {
        for dtype in DTYPES {
            for (rows, columns, threads) in [(3usize, 5usize, 32u32), (2, 100, 64), (1, 1000, 250)] {
                let cpu = mixed_storage(dtype, rows * columns, 5);
                for (ascending, name) in [(true, "asc"), (false, "desc")] {
                    let want = reference(&cpu, ascending, columns);
                    let got = each_dtype(&device, &cpu, name, rows, columns, threads);
                    if let Err(difference) = harness::bits::compare(&got, &want, &EXACT) {
                        panic!("asort_{name} {dtype:?}, {rows} rows of {columns}: {difference}");
                    }
                }
            }
        }
    }
}

fn each_dtype(
    device: &RocmDevice,
    cpu: &CpuStorage,
    name: &str,
    rows: usize,
    columns: usize,
    threads: u32,
) -> CpuStorage {
    fn launch<T: RocmDType>(
        device: &RocmDevice,
        data: &[T],
        name: &str,
        rows: usize,
        columns: usize,
        threads: u32,
    ) -> CpuStorage {
        let src = device.upload(data).expect("upload");
        let mut out = device.alloc::<u32>(rows * columns).expect("alloc");
        let padded = columns.next_power_of_two();
        let mut launch = device.launch(&rocm_kernels::SORT, &format!("asort_{name}_{}", T::KERNEL_DTYPE));
        launch.buffer(&src, 0).buffer_mut(&mut out, 0).arg(&(columns as i32)).arg(&(padded as i32));
        let config = LaunchConfig {
            grid: [rows as u32, 1, 1],
            block: [threads, 1, 1],
            shared_bytes: 4 * padded as u32,
        };
        // SAFETY: asort_*(x, dst, ncols, ncols_pad) with memory for ncols_pad places, a row for each block.
        unsafe { launch.run(config) }.expect(name);
        CpuStorage::U32(device.download(&out).expect("download"))
    }
    macro_rules! each {
        ($($variant:ident)*) => {
            match cpu {
                $(CpuStorage::$variant(data) => launch(device, data, name, rows, columns, threads),)*
                _ => panic!("no order: {cpu:?}"),
            }
        };
    }
    each!(U8 U32 I16 I32 I64 BF16 F16 F32 F64 F8E4M3)
}

#[test]
fn wrong_calls_are_named() {
    for device in common::devices_without_kernels() {
        let upload = |cpu| Operand::new(std::slice::from_ref(&device), cpu).rocm.remove(0);
        let x: RocmStorage = upload(CpuStorage::F32(vec![0.0; 6]));
        for columns in [0, 4] {
            let error = x.argsort(&Layout::contiguous(6), true, columns).unwrap_err();
            assert!(matches!(error, RocmError::InvalidArgument { .. }), "{error}");
        }
        let error = x.argsort(&Layout::contiguous(7), true, 7).unwrap_err();
        assert!(matches!(error, RocmError::LayoutOutOfBounds { .. }), "{error}");
        let none = x.argsort(&Layout::contiguous((0, 3)), true, 3).unwrap();
        assert!(none.is_empty());
    }
}
