//! Reductions on the devices: places, extremes and integer sums against candle's CPU, float sums against f64.

use candle_core::backend::BackendStorage;
use candle_core::op::ReduceOp;
use candle_core::{CpuStorage, DType, Error, Layout, Result, WithDType};
use candle_rocm::hip::LaunchConfig;
use candle_rocm::{RocmDType, RocmDevice, RocmError};
use float8::F8E4M3;
use half::{bf16, f16};
use rocm_kernels::REDUCE;

use crate::common;
use crate::common::Random;
use crate::harness::bits::{Number, compare, slices};
use crate::harness::data::{Special, mixed_storage};
use crate::harness::tolerance::EXACT;
use crate::harness::views::{large_shapes, memory, shapes, views};
use crate::harness::{
    Call, DTYPES, Operand, check, check_against, each_dtype, float_dtypes, int_dtypes, rocm_error,
};

/// Row lengths around vectors, wavefronts, blocks, and where rows are split.
const LENGTHS: [usize; 9] = [1, 31, 33, 64, 65, 1000, 1025, 128_256, 1_000_003];

fn lengths() -> &'static [usize] {
    if common::checked() { &LENGTHS[4..8] } else { &LENGTHS }
}

struct Reduce(ReduceOp, Vec<usize>);

impl Call for Reduce {
    fn name(&self) -> &'static str {
        match self.0 {
            ReduceOp::Sum => "sum",
            ReduceOp::Min => "min",
            ReduceOp::Max => "max",
            ReduceOp::ArgMin => "argmin",
            ReduceOp::ArgMax => "argmax",
        }
    }

    fn run<S: BackendStorage>(&self, args: &[(&S, &Layout)]) -> Result<S> {
        args[0].0.reduce_op(self.0, args[0].1, &self.1)
    }
}

const ONE_DIMENSION: [ReduceOp; 4] = [ReduceOp::Min, ReduceOp::Max, ReduceOp::ArgMin, ReduceOp::ArgMax];

/// Whole numbers that every dtype holds and whose sums f32 holds, so that the order of additions does not matter.
fn whole_numbers(dtype: DType, len: usize, seed: u64) -> CpuStorage {
    let mut random = Random(seed);
    let values: Vec<i64> = (0..len).map(|_| random.below(17) as i64 - 8).collect();
    macro_rules! each {
        ($($variant:ident $ty:ty),*) => {
            match dtype {
                $(DType::$variant => CpuStorage::$variant(values.iter().map(|&v| <$ty>::from_f64(v as f64)).collect()),)*
                _ => panic!("no values for {dtype:?}"),
            }
        };
    }
    each!(U8 u8, U32 u32, I16 i16, I32 i32, I64 i64, BF16 bf16, F16 f16, F32 f32, F64 f64, F8E4M3 F8E4M3)
}

/// Offsets of the elements of each row, in the order of the result.
fn rows(layout: &Layout, dims: &[usize]) -> Vec<Vec<usize>> {
    let rank = layout.dims().len();
    let count: usize = (0..rank).filter(|d| !dims.contains(d)).map(|d| layout.dims()[d]).product();
    let mut rows = vec![Vec::new(); count];
    for i in 0..layout.shape().elem_count() {
        let (mut rest, mut offset, mut row, mut scale) = (i, layout.start_offset(), 0, 1);
        for d in (0..rank).rev() {
            let size = layout.dims()[d];
            offset += rest % size * layout.stride()[d];
            if !dims.contains(&d) {
                row += rest % size * scale;
                scale *= size;
            }
            rest /= size;
        }
        rows[row].push(offset);
    }
    rows
}

/// The exact sums, rounded to the dtype.
fn sums(storage: &CpuStorage, layout: &Layout, dims: &[usize]) -> CpuStorage {
    fn of<T: Number>(data: &[T], rows: &[Vec<usize>]) -> Vec<T> {
        rows.iter().map(|row| T::from_f64(row.iter().fold(0.0, |sum, &i| sum + data[i].value()))).collect()
    }
    let rows = rows(layout, dims);
    match storage {
        CpuStorage::BF16(data) => CpuStorage::BF16(of(data, &rows)),
        CpuStorage::F16(data) => CpuStorage::F16(of(data, &rows)),
        CpuStorage::F32(data) => CpuStorage::F32(of(data, &rows)),
        CpuStorage::F64(data) => CpuStorage::F64(of(data, &rows)),
        CpuStorage::F8E4M3(data) => CpuStorage::F8E4M3(of(data, &rows)),
        _ => panic!("integers are compared with candle's CPU"),
    }
}

/// The dimensions to reduce together: each one, the first two, all but the first, all.
fn dimension_sets(rank: usize) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = (0..rank).map(|dim| vec![dim]).collect();
    sets.extend([vec![1, 0], vec![0, rank.saturating_sub(1)], (1..rank).collect(), (0..rank).collect()]);
    sets.retain(|set| set.iter().all(|&dim| dim < rank) && (set.len() < 2 || set[0] != set[1]));
    sets.dedup();
    sets
}

#[test]
fn sums_in_every_view() {
    let devices = common::devices();
    for dtype in DTYPES {
        // Large ones of each size of an element.
        let is_large = matches!(dtype, DType::U8 | DType::F16 | DType::F32 | DType::I64);
        let large = if is_large { &large_shapes()[1..] } else { &[] };
        for shape in shapes().iter().chain(large) {
            let operand = Operand::new(&devices, whole_numbers(dtype, memory(shape), 61));
            for view in views(shape) {
                for dims in dimension_sets(shape.len()) {
                    let call = Reduce(ReduceOp::Sum, dims);
                    if dtype.is_int() {
                        check(&call, &[(&operand, &view)]);
                    } else {
                        check_against(
                            &call,
                            &[(&operand, &view)],
                            &sums(&operand.cpu, &view, &call.1),
                            &EXACT,
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn extremes_and_places_in_every_view() {
    let devices = common::devices();
    for dtype in DTYPES {
        for shape in shapes() {
            // Few different values, so that the first of equals matters; every special value, NaN and infinities.
            let same = Operand::new(&devices, whole_numbers(dtype, memory(shape), 62));
            let special = Operand::new(&devices, mixed_storage(dtype, memory(shape), 63));
            for view in views(shape) {
                if view.shape().elem_count() == 0 {
                    continue;
                }
                for dim in 0..shape.len() {
                    // candle 0.11.1's CPU divides by this stride, and panics.
                    if view.is_contiguous() && view.stride()[dim] == 0 {
                        continue;
                    }
                    for op in ONE_DIMENSION {
                        check(&Reduce(op, vec![dim]), &[(&same, &view)]);
                        check(&Reduce(op, vec![dim]), &[(&special, &view)]);
                    }
                }
            }
        }
    }
}

#[test]
fn every_length() {
    let devices = common::devices();
    for dtype in [DType::U8, DType::I64, DType::BF16, DType::F32, DType::F64, DType::F8E4M3] {
        for &len in lengths() {
            let operand = Operand::new(&devices, whole_numbers(dtype, 3 * len + 5, 64));
            let special = Operand::new(&devices, mixed_storage(dtype, 3 * len + 5, 65));
            let row = |rows: usize| Layout::contiguous_with_offset((rows, len), 5);
            let column = |rows: usize| Layout::new((rows, len).into(), vec![1, rows], 1);
            for view in [row(1), row(3), column(1), column(3)] {
                if dtype.is_int() {
                    check(&Reduce(ReduceOp::Sum, vec![1]), &[(&operand, &view)]);
                } else {
                    let want = sums(&operand.cpu, &view, &[1]);
                    check_against(&Reduce(ReduceOp::Sum, vec![1]), &[(&operand, &view)], &want, &EXACT);
                }
                for op in ONE_DIMENSION {
                    check(&Reduce(op, vec![1]), &[(&operand, &view)]);
                    check(&Reduce(op, vec![1]), &[(&special, &view)]);
                }
            }
        }
    }
}

/// Dimensions further out, in vectors: one matrix and several, columns for some threads of a wavefront and for blocks, long
/// ones in parts.
#[test]
fn columns_in_vectors() {
    let devices = common::devices();
    for dtype in DTYPES {
        for (shape, dim) in [
            (&[5000, 64][..], 0),
            (&[3, 700, 96], 1),
            (&[2, 130, 520], 1),
            (&[1300, 40], 0),
            (&[1, 301, 1032], 1),
        ] {
            let count: usize = shape.iter().product();
            let operand = Operand::new(&devices, whole_numbers(dtype, count + 16, 72));
            let view = Layout::contiguous_with_offset(shape, 16);
            if dtype.is_int() {
                check(&Reduce(ReduceOp::Sum, vec![dim]), &[(&operand, &view)]);
            } else {
                let want = sums(&operand.cpu, &view, &[dim]);
                check_against(&Reduce(ReduceOp::Sum, vec![dim]), &[(&operand, &view)], &want, &EXACT);
            }
            let special = Operand::new(&devices, mixed_storage(dtype, count + 16, 73));
            for op in ONE_DIMENSION {
                check(&Reduce(op, vec![dim]), &[(&operand, &view)]);
                check(&Reduce(op, vec![dim]), &[(&special, &view)]);
            }
        }
    }
}

/// Rows along memory and across it, for a part of a wavefront, for a block, and cut into parts for the whole device.
#[test]
fn rows_of_every_kind() {
    let devices = common::devices();
    let rows = 3;
    for (dtype, len) in DTYPES.into_iter().flat_map(|dtype| [77, 1000, 70_000].map(|len| (dtype, len))) {
        let operand = Operand::new(&devices, whole_numbers(dtype, rows * len + 1, 71));
        for view in [
            Layout::contiguous_with_offset((rows, len), 1),
            Layout::new((rows, len).into(), vec![1, rows], 0),
        ] {
            if dtype.is_int() {
                check(&Reduce(ReduceOp::Sum, vec![1]), &[(&operand, &view)]);
            } else {
                let want = sums(&operand.cpu, &view, &[1]);
                check_against(&Reduce(ReduceOp::Sum, vec![1]), &[(&operand, &view)], &want, &EXACT);
            }
            for op in ONE_DIMENSION {
                check(&Reduce(op, vec![1]), &[(&operand, &view)]);
            }
        }
    }
}

/// Many columns, whose sums split rows that lie across memory.
#[test]
fn columns() {
    let devices = common::devices();
    for dtype in [DType::F16, DType::F32, DType::I32] {
        let operand = Operand::new(&devices, whole_numbers(dtype, 5000 * 67, 66));
        let view = Layout::contiguous((5000, 67));
        for op in [ReduceOp::Min, ReduceOp::ArgMax] {
            check(&Reduce(op, vec![0]), &[(&operand, &view)]);
        }
        let call = Reduce(ReduceOp::Sum, vec![0]);
        if dtype.is_int() {
            check(&call, &[(&operand, &view)]);
        } else {
            check_against(&call, &[(&operand, &view)], &sums(&operand.cpu, &view, &[0]), &EXACT);
        }
    }
}

/// Fractions: within the error of adding n numbers in f32 or f64, in any order, and one rounding.
#[test]
fn sums_of_fractions() {
    fn check<T: RocmDType + Number>(device: &RocmDevice) {
        let mut random = Random(67);
        for len in [1, 31, 65, 1000, 1025, 128_256] {
            let data: Vec<T> =
                (0..len).map(|_| T::from_f64(random.below(2000) as f64 / 997.0 - 1.0)).collect();
            let storage =
                candle_core::backend::BackendDevice::storage_from_slice(device, &data).expect("upload");
            let out = storage.reduce_op(ReduceOp::Sum, &Layout::contiguous(len), &[0]).expect("sum");
            let got =
                T::cpu_storage_as_slice(&out.to_cpu_storage().expect("download")).expect("dtype")[0].value();
            let want: f64 = data.iter().map(|v| v.value()).sum();
            let magnitude: f64 = data.iter().map(|v| v.value().abs()).sum();
            // A chain is as long as a thread's share, and no thread has more than 64 elements of a row.
            let epsilon = if T::DTYPE == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
            let rounding = match T::DTYPE {
                DType::F16 => 1.0 / 2048.0,
                DType::BF16 => 1.0 / 256.0,
                DType::F8E4M3 => 1.0 / 16.0,
                _ => 0.0,
            };
            let limit = epsilon * magnitude * 64.0 + rounding * want.abs().max(1.0 / 64.0);
            let saturated = T::DTYPE == DType::F8E4M3 && want.abs() > 448.0;
            assert!(saturated || (got - want).abs() <= limit, "{:?} {len}: got {got} want {want}", T::DTYPE);
        }
    }
    for device in common::devices() {
        check::<f16>(&device);
        check::<bf16>(&device);
        check::<f32>(&device);
        check::<f64>(&device);
        check::<F8E4M3>(&device);
    }
}

/// The sum of halves does not stop where their own precision ends, nor overflow on the way.
#[test]
fn halves_are_summed_in_f32() {
    for device in common::devices() {
        let ones = vec![f16::ONE; 10_000];
        let wide = [vec![f16::from_f32(60_000.0); 50], vec![f16::from_f32(-60_000.0); 50]].concat();
        for (data, want) in [(ones, 10_000.0), (wide, 0.0)] {
            let storage =
                candle_core::backend::BackendDevice::storage_from_slice(&device, &data).expect("upload");
            let out = storage.reduce_op(ReduceOp::Sum, &Layout::contiguous(data.len()), &[0]).expect("sum");
            let CpuStorage::F16(got) = out.to_cpu_storage().expect("download") else { panic!("f16") };
            assert_eq!(got, [f16::from_f32(want)]);
        }
    }
}

#[test]
fn special_floats() {
    let devices = common::devices();
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    for (values, max, argmax, min, argmin) in [
        // A NaN that comes first stays; any other is passed over.
        (vec![nan, 1.0, 2.0], nan, 0, nan, 0),
        (vec![1.0, nan, 2.0], 2.0, 2, 1.0, 0),
        (vec![nan, nan], nan, 0, nan, 0),
        (vec![-inf, -inf, nan], -inf, 0, -inf, 0),
        (vec![inf, 3.0, inf], inf, 0, 3.0, 1),
        (vec![5.0, 7.0, 7.0, 5.0], 7.0, 1, 5.0, 0),
    ] {
        // Repeated to the lengths of each way through, padded with what wins nothing.
        for len in [values.len(), 200, 3000, 600_000] {
            let pad = values.iter().copied().find(|v| !v.is_nan()).unwrap_or(nan);
            let mut data = values.clone();
            data.resize(len, pad);
            for device in &devices {
                let storage =
                    candle_core::backend::BackendDevice::storage_from_slice(device, &data).expect("upload");
                let layout = Layout::contiguous(len);
                let value = |op| {
                    storage.reduce_op(op, &layout, &[0]).and_then(|s| s.to_cpu_storage()).expect("reduce")
                };
                let same = |op, want: CpuStorage| {
                    assert_eq!(compare(&value(op), &want, &EXACT), Ok(()), "{op:?} of {values:?} in {len}");
                };
                same(ReduceOp::Max, CpuStorage::F32(vec![max]));
                same(ReduceOp::Min, CpuStorage::F32(vec![min]));
                same(ReduceOp::ArgMax, CpuStorage::U32(vec![argmax]));
                same(ReduceOp::ArgMin, CpuStorage::U32(vec![argmin]));
            }
        }
    }
}

#[test]
fn what_cannot_be() {
    for device in common::devices_without_kernels() {
        let storage =
            candle_core::backend::BackendDevice::storage_from_slice(&device, &[1f32; 6]).expect("upload");
        let layout = Layout::contiguous((2, 3));
        for dims in [vec![2], vec![0, 0]] {
            let error = storage.reduce_op(ReduceOp::Sum, &layout, &dims).expect_err("bad dims");
            assert!(matches!(rocm_error(&error), RocmError::InvalidArgument { .. }), "{error}");
        }
        let error = storage.reduce_op(ReduceOp::ArgMax, &layout, &[0, 1]).expect_err("two dims");
        assert!(error.to_string().contains("argmax"), "{error}");
        let far = Layout::contiguous_with_offset((2, 3), 1);
        let error = storage.reduce_op(ReduceOp::Sum, &far, &[0]).expect_err("out of bounds");
        assert!(matches!(rocm_error(&error), RocmError::LayoutOutOfBounds { .. }), "{error}");
        let empty = Layout::contiguous((2, 0));
        for op in ONE_DIMENSION {
            let error = storage.reduce_op(op, &empty, &[1]).expect_err("no elements");
            let Error::WithBacktrace { inner, .. } = &error else {
                assert!(matches!(error, Error::EmptyTensor { .. }), "{error}");
                continue;
            };
            assert!(matches!(**inner, Error::EmptyTensor { .. }), "{error}");
        }
        let sum = storage.reduce_op(ReduceOp::Sum, &empty, &[1]).expect("an empty sum").to_cpu_storage();
        assert!(matches!(sum, Ok(CpuStorage::F32(zeros)) if zeros == [0.0, 0.0]));
    }
}

/// Every shape of block, more and fewer blocks than rows, without `info` and with it.
#[test]
fn any_grid_and_block() {
    const BLOCKS: [[u32; 3]; 19] = [
        [1, 1, 1],
        [7, 1, 1],
        [31, 1, 1],
        [32, 1, 1],
        [33, 1, 1],
        [64, 1, 1],
        [96, 1, 1],
        [250, 1, 1],
        [256, 1, 1],
        [512, 1, 1],
        [1000, 1, 1],
        [1024, 1, 1],
        [1, 1024, 1],
        [8, 5, 1],
        [16, 2, 3],
        [32, 8, 1],
        [32, 32, 1],
        [12, 4, 1],
        [100, 10, 1],
    ];
    for device in common::devices() {
        let (rows, len) = (13usize, 77usize);
        let CpuStorage::F32(data) = whole_numbers(DType::F32, rows * len, 68) else { panic!("f32") };
        let src = device.upload(&data).expect("upload");
        let row = |r: usize| &data[r * len..(r + 1) * len];
        let column = |r: usize| (0..len).map(|i| data[i * rows + r]).collect::<Vec<_>>();
        let numel = rows * len;
        for block in BLOCKS {
            for blocks in [1, 3, 40] {
                let config = LaunchConfig { grid: [blocks, 1, 1], block, shared_bytes: 0 };
                for (dims, info) in [(1usize, vec![]), (2, vec![rows, len, 1, rows])] {
                    let of = |r| if info.is_empty() { row(r).to_vec() } else { column(r) };
                    let mut out = device.alloc::<f32>(rows).expect("alloc");
                    let mut place = device.alloc::<u32>(rows).expect("alloc");
                    for small in [false, true] {
                        let name = if small { "fast_sum_small_f32" } else { "fast_sum_f32" };
                        let mut launch = device.launch(&REDUCE, name);
                        launch.arg(if small { &rows } else { &numel }).arg(&len).arg(&dims).info(&info);
                        launch.buffer(&src, 0).buffer_mut(&mut out, 0);
                        // SAFETY: fast_sum_*(numel or rows, row_len, num_dims, info, src, dst) with rows results.
                        unsafe { launch.run(config) }.expect(name);
                        let want: Vec<f32> = (0..rows).map(|r| of(r).iter().sum()).collect();
                        assert_eq!(
                            device.download(&out).expect("download"),
                            want,
                            "{name} {config:?} {info:?}"
                        );
                    }
                    let mut launch = device.launch(&REDUCE, "fast_argmax_f32");
                    launch
                        .arg(&numel)
                        .arg(&len)
                        .arg(&dims)
                        .info(&info)
                        .buffer(&src, 0)
                        .buffer_mut(&mut place, 0);
                    // SAFETY: fast_argmax_*(numel, row_len, num_dims, info, src, dst) with rows results.
                    unsafe { launch.run(config) }.expect("fast_argmax_f32");
                    let want: Vec<u32> = (0..rows)
                        .map(|r| {
                            let row = of(r);
                            let best = row.iter().copied().fold(f32::MIN, f32::max);
                            row.iter().position(|&v| v == best).expect("there") as u32
                        })
                        .collect();
                    assert_eq!(device.download(&place).expect("download"), want, "{config:?} {info:?}");
                }
            }
        }
    }
}

/// candle's entry point gives zeros for the sums of empty rows, one for each block; tensors without elements launch nothing.
#[test]
fn sums_of_empty_rows() {
    fn check<T: RocmDType + Number>(device: &RocmDevice) {
        let src = device.upload(&[T::from_f64(7.0)]).expect("upload");
        let mut out = device.upload(&[T::from_f64(7.0); 4]).expect("upload");
        let name = format!("fast_sum_{}", T::KERNEL_DTYPE);
        let mut launch = device.launch(&REDUCE, &name);
        launch.arg(&0usize).arg(&0usize).arg(&0usize).info(&[]).buffer(&src, 0).buffer_mut(&mut out, 0);
        // SAFETY: fast_sum_*(numel, row_len, num_dims, info, src, dst) with a result for each block.
        unsafe { launch.run(LaunchConfig::linear(3, 32)) }.expect(&name);
        let got: Vec<f64> = device.download(&out).expect("download").iter().map(|sum| sum.value()).collect();
        assert_eq!(got, [0.0, 0.0, 0.0, 7.0], "{name}");
    }
    for device in common::devices() {
        each_dtype!(check(&device));
    }
}

/// candle's sums of a row per thread, of every dtype.
#[test]
fn small_sums() {
    fn check<T: RocmDType + Number>(device: &RocmDevice) {
        let (rows, len) = (37usize, 5usize);
        let storage = whole_numbers(T::DTYPE, rows * len, 72);
        let data = T::cpu_storage_as_slice(&storage).expect("dtype");
        let src = device.upload(data).expect("upload");
        let mut out = device.alloc::<T>(rows).expect("alloc");
        let name = format!("fast_sum_small_{}", T::KERNEL_DTYPE);
        let mut launch = device.launch(&REDUCE, &name);
        // Rows that lie across memory.
        launch.arg(&rows).arg(&len).arg(&2usize).info(&[rows, len, 1, rows]);
        launch.buffer(&src, 0).buffer_mut(&mut out, 0);
        // SAFETY: fast_sum_small_*(rows, row_len, num_dims, info, src, dst) with rows results.
        unsafe { launch.run(LaunchConfig::linear(2, 33)) }.expect(&name);
        let row = |r: usize| (0..len).map(|i| data[i * rows + r].value()).sum();
        let want: Vec<T> = (0..rows).map(|r| T::from_f64(row(r))).collect();
        assert_eq!(slices(&device.download(&out).expect("download"), &want, &EXACT), Ok(()), "{name}");
    }
    for device in common::devices() {
        each_dtype!(check(&device));
    }
}

/// candle's older sums: atomics, into what is there.
#[test]
fn sums_through_atomics() {
    fn check<T: RocmDType + Special + Number>(device: &RocmDevice) {
        // Over the first and the last of three dimensions, of a transposed tensor.
        let (a, b, c) = (5usize, 3usize, 40usize);
        let storage = whole_numbers(T::DTYPE, a * b * c, 69);
        let data = T::cpu_storage_as_slice(&storage).expect("dtype");
        let src = device.upload(data).expect("upload");
        // dims, strides, the summed dims' sizes, the products of the dims behind them.
        let info = [a, b, c, 1, a, a * b, a, c, b * c, 1];
        let name = format!("sum_{}", T::KERNEL_DTYPE);
        let want: Vec<T> = (0..b)
            .map(|j| {
                let each = (0..a).flat_map(|i| (0..c).map(move |k| i + j * a + k * a * b));
                T::from_f64(1.0 + each.map(|at| data[at].value()).sum::<f64>())
            })
            .collect();
        for threads in [1, 31, 100, 256, 1000, 1024] {
            let mut out = device.upload(&[T::one(); 3]).expect("upload");
            let mut launch = device.launch(&REDUCE, &name);
            launch
                .arg(&(a * b * c))
                .arg(&3usize)
                .arg(&2usize)
                .info(&info)
                .buffer(&src, 0)
                .buffer_mut(&mut out, 0);
            // SAFETY: sum_*(numel, num_dims, num_sum_dims, info, inp, out): out has the b elements that remain.
            unsafe { launch.run(LaunchConfig::linear(2, threads)) }.expect(&name);
            let got = device.download(&out).expect("download");
            assert_eq!(slices(&got, &want, &EXACT), Ok(()), "{name} in blocks of {threads}");
        }
    }
    for device in common::devices() {
        check::<u32>(&device);
        check::<f16>(&device);
        check::<bf16>(&device);
        check::<f32>(&device);
        check::<f64>(&device);
    }
}

/// Sums of everything, whose rows are cut into parts for the whole device.
#[test]
fn whole_tensors() {
    let devices = common::devices();
    for dtype in float_dtypes().chain(int_dtypes()) {
        let operand = Operand::new(&devices, whole_numbers(dtype, 300_007, 70));
        let view = Layout::new((1009, 293).into(), vec![1, 1009], 9);
        let call = Reduce(ReduceOp::Sum, vec![0, 1]);
        if dtype.is_int() {
            check(&call, &[(&operand, &view)]);
        } else {
            check_against(&call, &[(&operand, &view)], &sums(&operand.cpu, &view, &[0, 1]), &EXACT);
        }
    }
}
