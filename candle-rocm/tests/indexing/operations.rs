//! Reading and writing along one dimension by index, on the devices against candle's CPU.
//!
//! candle's CPU wants contiguous operands, and not every index dtype: the reference gets contiguous copies, and indices
//! as i64. It adds f16, bf16 and f8 in f32, of which sums are rounded once: candle's CPU rounds after each addition.

use candle_core::backend::BackendStorage;
use candle_core::{CpuStorage, DType, Layout, Result};
use candle_rocm::{RocmDevice, RocmError};

use crate::common::Random;
use crate::harness::data::mixed_storage;
use crate::harness::tolerance::EXACT;
use crate::harness::views::{memory, views};
use crate::harness::{Call, DTYPES, Operand, check_against, convert, int_dtypes, len, rocm_error};
use crate::{common, harness};

const IDS: [DType; 5] = [DType::U8, DType::U32, DType::I16, DType::I32, DType::I64];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    IndexSelect,
    Gather,
    ScatterSet,
    ScatterAdd,
    IndexAdd,
}
use Op::{Gather, IndexAdd, IndexSelect, ScatterAdd, ScatterSet};

/// The operation along a dimension; arguments: self, ids, and for the writing ones the source.
struct Along(Op, usize);

impl Call for Along {
    fn name(&self) -> &'static str {
        match self.0 {
            IndexSelect => "index_select",
            Gather => "gather",
            ScatterSet => "scatter_set",
            ScatterAdd => "scatter_add_set",
            IndexAdd => "index_add",
        }
    }

    fn run<S: BackendStorage>(&self, args: &[(&S, &Layout)]) -> Result<S> {
        let (&Self(op, dim), (this, l), (ids, ids_l)) = (self, args[0], args[1]);
        if op == IndexSelect {
            return this.index_select(ids, l, ids_l, dim);
        }
        if op == Gather {
            return this.gather(l, ids, ids_l, dim);
        }
        let (src, src_l) = args[2];
        if op == IndexAdd {
            return this.index_add(l, ids, ids_l, src, src_l, dim);
        }
        let mut out = this.try_clone(l)?;
        if op == ScatterSet {
            out.scatter_set(l, ids, ids_l, src, src_l, dim)?;
        } else {
            out.scatter_add_set(l, ids, ids_l, src, src_l, dim)?;
        }
        Ok(out)
    }
}

/// The elements of a layout in order.
fn dense(storage: &CpuStorage, layout: &Layout) -> (CpuStorage, Layout) {
    let count = layout.shape().elem_count();
    let mut out = mixed_storage(storage.dtype(), count, 0);
    if count > 0 {
        storage.copy_strided_src(&mut out, 0, layout).expect("a copy");
    }
    (out, Layout::contiguous(layout.shape()))
}

/// Indices as i64, where i64::MAX stands for no element.
fn as_i64(ids: &CpuStorage) -> CpuStorage {
    macro_rules! widen {
        ($($variant:ident $ty:ty),*) => {
            match ids {
                $(CpuStorage::$variant(ids) => ids
                    .iter()
                    .map(|&id| if id == <$ty>::MAX { i64::MAX } else { id as i64 })
                    .collect(),)*
                _ => panic!("no indices: {:?}", ids.dtype()),
            }
        };
    }
    CpuStorage::I64(widen!(U8 u8, U32 u32, I16 i16, I32 i32, I64 i64))
}

/// Indices below `size`, with one in eight that stands for no element.
fn ids(dtype: DType, count: usize, size: usize, seed: u64) -> CpuStorage {
    let mut random = Random(seed);
    let mut next = || if size == 0 || random.below(8) == 0 { None } else { Some(random.below(size)) };
    macro_rules! each {
        ($($variant:ident $ty:ty),*) => {
            match dtype {
                $(DType::$variant => CpuStorage::$variant(
                    (0..count).map(|_| next().map_or(<$ty>::MAX, |id| id as $ty)).collect(),
                ),)*
                _ => panic!("no indices: {dtype:?}"),
            }
        };
    }
    each!(U8 u8, U32 u32, I16 i16, I32 i32, I64 i64)
}

/// Numbers whose sums are exact in f32 and in integers of every size, whatever their order, up to 200 of them: 0, 1.
fn bits(dtype: DType, len: usize, seed: u64) -> CpuStorage {
    let mut random = Random(seed);
    convert(&CpuStorage::U8((0..len).map(|_| random.below(2) as u8).collect()), dtype).expect("u8 converts")
}

/// Compares a call on the devices with the CPU's on contiguous copies.
fn check(op: Op, dim: usize, args: &[(&Operand, &Layout)]) {
    let call = Along(op, dim);
    let mut copies: Vec<_> = args.iter().map(|(operand, layout)| dense(&operand.cpu, layout)).collect();
    copies[1].0 = as_i64(&copies[1].0);
    if matches!(op, ScatterSet | ScatterAdd) {
        // Written in place: what lies around the layout must stay.
        copies[0] = (args[0].0.cpu.clone(), args[0].1.clone());
    }
    let dtype = args[0].0.dtype();
    let wide =
        matches!(op, ScatterAdd | IndexAdd) && matches!(dtype, DType::F16 | DType::BF16 | DType::F8E4M3);
    if wide {
        [0, 2].into_iter().for_each(|k| copies[k].0 = convert(&copies[k].0, DType::F32).expect("f32"));
    }
    let copies: Vec<_> = copies.iter().map(|(storage, layout)| (storage, layout)).collect();
    let mut want = call.run(&copies).unwrap_or_else(|error| panic!("reference for {op:?}: {error}"));
    if wide {
        want = convert(&want, dtype).expect("rounds");
    }
    check_against(&call, args, &want, &EXACT);
}

fn with_size(shape: &[usize], dim: usize, size: usize) -> Vec<usize> {
    let mut shape = shape.to_vec();
    shape[dim] = size;
    shape
}

const SHAPES: &[&[usize]] = &[&[7], &[5, 16], &[3, 4, 6], &[2, 3, 4, 5]];

/// Shape, dimension, number of indices.
fn cases() -> impl Iterator<Item = (&'static [usize], usize, usize)> {
    SHAPES.iter().flat_map(|shape| {
        (0..shape.len()).flat_map(move |dim| [0, 1, 6, 33, 36].map(|count| (*shape, dim, count)))
    })
}

#[test]
fn index_select_in_every_view() {
    let devices = common::devices();
    for dtype in DTYPES {
        for (shape, dim, count) in cases() {
            let src = Operand::new(&devices, mixed_storage(dtype, memory(shape), 1));
            for (i, view) in views(shape).iter().enumerate() {
                let ids = Operand::new(&devices, ids(IDS[i % 5], 3 * count + 2, shape[dim], 2));
                let ids_l = Layout::new(count.into(), vec![1 + i % 3], 2);
                check(IndexSelect, dim, &[(&src, view), (&ids, &ids_l)]);
            }
        }
    }
}

#[test]
fn gather_in_every_view() {
    let devices = common::devices();
    for dtype in DTYPES {
        for (shape, dim, count) in cases() {
            let src = Operand::new(&devices, mixed_storage(dtype, memory(shape), 3));
            let ids_shape = with_size(shape, dim, count);
            for (i, (view, ids_l)) in views(shape).iter().zip(views(&ids_shape).iter().rev()).enumerate() {
                let ids = Operand::new(&devices, ids(IDS[i % 5], memory(&ids_shape), shape[dim], 4));
                check(Gather, dim, &[(&src, view), (&ids, ids_l)]);
            }
        }
    }
}

#[test]
fn every_index_dtype_with_every_dtype() {
    let devices = common::devices();
    let (shape, dim, count) = ([3, 5, 4], 1, 9);
    let other = with_size(&shape, dim, count);
    for dtype in DTYPES {
        for id in IDS {
            let this = Operand::new(&devices, mixed_storage(dtype, 60, 5));
            let src = Operand::new(&devices, mixed_storage(dtype, 3 * count * 4, 6));
            let line = Operand::new(&devices, ids(id, count, shape[dim], 7));
            let whole = Operand::new(&devices, ids(id, 3 * count * 4, shape[dim], 8));
            let (this_l, line_l, src_l) =
                (Layout::contiguous(&shape[..]), Layout::contiguous(count), Layout::contiguous(&other[..]));
            check(IndexSelect, dim, &[(&this, &this_l), (&line, &line_l)]);
            check(Gather, dim, &[(&this, &this_l), (&whole, &src_l)]);
            for op in [ScatterSet, ScatterAdd] {
                check(op, dim, &[(&this, &this_l), (&whole, &src_l), (&src, &src_l)]);
            }
            check(IndexAdd, dim, &[(&this, &this_l), (&line, &line_l), (&src, &src_l)]);
        }
    }
}

#[test]
fn scatter_from_every_view() {
    let devices = common::devices();
    for dtype in DTYPES {
        for (shape, dim, count) in cases() {
            let other = with_size(shape, dim, count);
            let memory = memory(&other).max(memory(shape));
            // Somewhere inside of more memory, which must stay as it is.
            let this_l = Layout::contiguous_with_offset(shape, 3);
            let set = Operand::new(&devices, mixed_storage(dtype, memory, 9));
            // Few indices are added in order, so any numbers do; many by atomics, where only integers wrap all the same.
            let values = if count <= 32 || dtype.is_int() { mixed_storage } else { bits };
            let sum = Operand::new(&devices, values(dtype, memory, 10));
            for (i, (src_l, ids_l)) in views(&other).iter().zip(views(&other).iter().rev()).enumerate() {
                let ids = Operand::new(&devices, ids(IDS[i % 5], memory, shape[dim], 11 + i as u64));
                check(ScatterSet, dim, &[(&set, &this_l), (&ids, ids_l), (&set, src_l)]);
                check(ScatterAdd, dim, &[(&sum, &this_l), (&ids, ids_l), (&sum, src_l)]);
            }
        }
    }
}

#[test]
fn index_add_from_every_view() {
    let devices = common::devices();
    for dtype in DTYPES {
        for (shape, dim, count) in cases() {
            let other = with_size(shape, dim, count);
            let values = if count <= 32 || dtype.is_int() { mixed_storage } else { bits };
            let memory = memory(&other).max(memory(shape));
            let sum = Operand::new(&devices, values(dtype, memory, 12));
            for (i, (src_l, this_l)) in views(&other).iter().zip(views(shape).iter().rev()).enumerate() {
                let ids = Operand::new(&devices, ids(IDS[i % 5], 2 + count, shape[dim], 13 + i as u64));
                let ids_l = Layout::contiguous_with_offset(count, 2);
                check(IndexAdd, dim, &[(&sum, this_l), (&ids, &ids_l), (&sum, src_l)]);
            }
        }
    }
}

/// Sums of floats in the CPU's order, though there are many indices.
#[test]
fn deterministic_sums() {
    let devices = common::devices();
    devices.iter().for_each(|device| device.set_deterministic(true));
    let (count, size) = (300, 11);
    for dtype in harness::float_dtypes() {
        let this = Operand::new(&devices, mixed_storage(dtype, 3 * size, 14));
        let src = Operand::new(&devices, mixed_storage(dtype, 3 * count, 15));
        let whole = Operand::new(&devices, ids(DType::I32, 3 * count, size, 16));
        let (this_l, src_l) = (Layout::contiguous((3, size)), Layout::contiguous((3, count)));
        check(ScatterAdd, 1, &[(&this, &this_l), (&whole, &src_l), (&src, &src_l)]);
        let line_l = Layout::contiguous(count);
        check(IndexAdd, 1, &[(&this, &this_l), (&whole, &line_l), (&src, &src_l)]);
    }
}

/// Thousands of additions to each of a few elements that share words, by all threads at once.
#[test]
fn atomic_sums() {
    let devices = common::devices();
    for dtype in DTYPES {
        let (count, size) = (1200, 7);
        let zeros = convert(&CpuStorage::U8(vec![0; 5 * size + 1]), dtype).unwrap();
        let this = Operand::new(&devices, zeros);
        let this_l = Layout::contiguous_with_offset((5, size), 1);
        let src = Operand::new(&devices, bits(dtype, 5 * count, 17));
        let line = Operand::new(&devices, ids(DType::U8, 5 * count, size, 18));
        let src_l = Layout::contiguous((5, count));
        // At most 200 to each element: exact in u8.
        check(ScatterAdd, 1, &[(&this, &this_l), (&line, &src_l), (&src, &src_l)]);
        check(IndexAdd, 1, &[(&this, &this_l), (&line, &Layout::contiguous(count)), (&src, &src_l)]);
        // Rows of whole fours, which begin at a word or beside one.
        let rows = 5 * count / 4;
        for first in [0, 1] {
            let this_l = Layout::contiguous_with_offset((size, 4), first);
            let (line_l, src_l) = (Layout::contiguous(rows), Layout::contiguous((rows, 4)));
            check(IndexAdd, 0, &[(&this, &this_l), (&line, &line_l), (&src, &src_l)]);
        }
    }
}

/// Matrices too large for caches are gone through in strips of columns, the last of which is narrower.
#[test]
fn strips() {
    let devices = common::devices();
    for dtype in harness::OF_EACH_SIZE {
        // Of whole fours, and not.
        for (left, right) in [(1, 1030), (2, 1030), (1, 1032), (2, 1032)] {
            let rows = (1 << 20) / (right * dtype.size_in_bytes()) + 1;
            let count = left * 40 * right;
            let this = Operand::new(&devices, bits(dtype, left * rows * right, 31));
            let src = Operand::new(&devices, bits(dtype, count, 32));
            let ids = Operand::new(&devices, ids(DType::U32, count, rows, 33));
            let (this_l, few) =
                (Layout::contiguous((left, rows, right)), Layout::contiguous((left, 40, right)));
            check(Gather, 1, &[(&this, &this_l), (&ids, &few)]);
            check(ScatterSet, 1, &[(&this, &this_l), (&ids, &few), (&src, &few)]);
            check(ScatterAdd, 1, &[(&this, &this_l), (&ids, &few), (&src, &few)]);
        }
    }
}

/// An embedding, a transposed one, and writes whose threads are many.
#[test]
fn large_tensors() {
    let devices = common::devices();
    for dtype in [DType::U8, DType::BF16, DType::F32, DType::F64] {
        let table = Operand::new(&devices, mixed_storage(dtype, 1000 * 129 + 1, 19));
        let line = Operand::new(&devices, ids(DType::U32, 777, 1000, 20));
        let line_l = Layout::contiguous(777);
        for (rows, columns) in [(1000, 128), (1000, 129), (1000, 100)] {
            let layouts = [
                Layout::contiguous((rows, columns)),
                Layout::contiguous_with_offset((rows, columns), 1),
                Layout::new((rows, columns).into(), vec![1, rows], 0),
            ];
            for table_l in layouts {
                check(IndexSelect, 0, &[(&table, &table_l), (&line, &line_l)]);
            }
        }
    }
    let this = Operand::new(&devices, mixed_storage(DType::F32, 5 * 70_000, 21));
    let src = Operand::new(&devices, mixed_storage(DType::F32, 40 * 70_000, 22));
    let whole = Operand::new(&devices, ids(DType::U8, 40 * 70_000, 5, 23));
    let (this_l, src_l) = (Layout::contiguous((5, 70_000)), Layout::contiguous((40, 70_000)));
    check(ScatterSet, 0, &[(&this, &this_l), (&whole, &src_l), (&src, &src_l)]);
    let (this_l, src_l) = (Layout::contiguous(350_000), Layout::contiguous(100_000));
    let line = Operand::new(&devices, ids(DType::I32, 100_000, 350_000, 24));
    check(ScatterSet, 0, &[(&this, &this_l), (&line, &src_l), (&src, &src_l)]);
}

#[test]
fn nothing_to_do() {
    let devices = common::devices();
    let this = Operand::new(&devices, mixed_storage(DType::F32, 12, 25));
    let ids = Operand::new(&devices, ids(DType::U32, 12, 3, 26));
    for (shape, dim, count) in
        [(vec![3, 0], 0, 4), (vec![0, 3], 1, 2), (vec![3, 4], 0, 0), (vec![2, 0, 2], 1, 0)]
    {
        let other = with_size(&shape, dim, count);
        let (this_l, src_l) = (Layout::contiguous(&shape[..]), Layout::contiguous(&other[..]));
        let line_l = Layout::contiguous(count);
        check(IndexSelect, dim, &[(&this, &this_l), (&ids, &line_l)]);
        check(Gather, dim, &[(&this, &this_l), (&ids, &src_l)]);
        check(ScatterSet, dim, &[(&this, &this_l), (&ids, &src_l), (&this, &src_l)]);
        check(ScatterAdd, dim, &[(&this, &this_l), (&ids, &src_l), (&this, &src_l)]);
        check(IndexAdd, dim, &[(&this, &this_l), (&ids, &line_l), (&this, &src_l)]);
    }
}

/// Indices smaller than the source in other dimensions take its first rows and columns.
#[test]
fn gather_from_a_part() {
    let devices = common::devices();
    let src = Operand::new(&devices, CpuStorage::I32((0..60).collect()));
    let ids = Operand::new(&devices, CpuStorage::U8(vec![4, 0, 255, 1, 2, 3, 4, 4]));
    let (src_l, ids_l) = (Layout::contiguous((3, 5, 4)), Layout::contiguous((2, 2, 2)));
    // Row l begins at 20 l, index i at 4 i.
    let want = CpuStorage::I32(vec![16, 1, 0, 5, 28, 33, 36, 37]);
    check_against(&Along(Gather, 1), &[(&src, &src_l), (&ids, &ids_l)], &want, &EXACT);
}

/// What is out of range is left out, and reported once by the next call that waits.
#[test]
fn indices_out_of_range() {
    fn fault(result: std::result::Result<(), RocmError>) -> (&'static str, i64, usize) {
        match result.expect_err("an index was out of range") {
            RocmError::IndexOutOfRange { op, index, size, .. } => (op, index, size),
            error => panic!("{error}"),
        }
    }

    let devices = common::devices();
    for device in &devices {
        let upload = |cpu: CpuStorage| Operand::new(std::slice::from_ref(device), cpu).rocm.remove(0);
        let this = upload(CpuStorage::F32((1..=12).map(|v| v as f32).collect()));
        let l = Layout::contiguous((3, 4));
        let line_l = Layout::contiguous(3);
        for (bad, index) in [
            (CpuStorage::I64(vec![2, -1, 0]), -1),
            (CpuStorage::I64(vec![2, 1 << 40, 0]), 1 << 40),
            (CpuStorage::I16(vec![2, -7, 0]), -7),
            (CpuStorage::I32(vec![2, 3, 0]), 3),
            (CpuStorage::U32(vec![2, u32::MAX - 1, 0]), i64::from(u32::MAX - 1)),
            (CpuStorage::U8(vec![2, 254, 0]), 254),
        ] {
            let bad = upload(bad);
            let out = this.index_select(&bad, &l, &line_l, 0).unwrap();
            assert_eq!(fault(device.synchronize()), ("index_select", index, 3));
            // Once.
            device.synchronize().unwrap();
            let want = [9., 10., 11., 12., 0., 0., 0., 0., 1., 2., 3., 4.];
            let CpuStorage::F32(got) = out.to_cpu_storage().unwrap() else { panic!("f32") };
            assert_eq!(got, want);
        }

        let ids = upload(CpuStorage::I64((0..12).map(|i| if i == 7 { 4 } else { i % 4 }).collect()));
        let out = this.gather(&l, &ids, &l, 1).unwrap();
        let error = out.to_cpu_storage().unwrap_err();
        let typed = rocm_error(&error);
        assert!(
            matches!(typed, RocmError::IndexOutOfRange { op: "gather", index: 4, size: 4, .. }),
            "{error}"
        );
        let CpuStorage::F32(got) = out.to_cpu_storage().unwrap() else { panic!("f32") };
        assert_eq!(got, [1., 2., 3., 4., 5., 6., 7., 0., 9., 10., 11., 12.]);

        // Few indices and many take different ways, and so do whole fours of them.
        for count in [6, 48, 50] {
            let shape = (2, count);
            let src_l = Layout::contiguous(shape);
            let src = upload(CpuStorage::F32(vec![5.0; 2 * count]));
            let wrong = (0..2 * count).map(|i| if i == 4 { 77 } else { 1 }).collect();
            let ids = upload(CpuStorage::I32(wrong));
            let base = upload(CpuStorage::F32(vec![1.0; 8]));
            let l = Layout::contiguous((2, 4));
            let ones = |v: f32, w: f32| vec![1., v, 1., 1., 1., w, 1., 1.];
            let values = |storage: &candle_rocm::RocmStorage| match storage.to_cpu_storage().unwrap() {
                CpuStorage::F32(values) => values,
                other => panic!("{other:?}"),
            };

            let mut out = base.try_clone(&l).unwrap();
            out.scatter_set(&l, &ids, &src_l, &src, &src_l, 1).unwrap();
            assert_eq!(fault(device.synchronize()), ("scatter_set", 77, 4));
            assert_eq!(values(&out), ones(5.0, 5.0));

            let mut out = base.try_clone(&l).unwrap();
            out.scatter_add_set(&l, &ids, &src_l, &src, &src_l, 1).unwrap();
            assert_eq!(fault(device.synchronize()), ("scatter_add_set", 77, 4));
            let all = 1.0 + 5.0 * count as f32;
            assert_eq!(values(&out), ones(all - 5.0, all));

            let out = base.index_add(&l, &ids, &Layout::contiguous(count), &src, &src_l, 1).unwrap();
            assert_eq!(fault(device.synchronize()), ("index_add", 77, 4));
            assert_eq!(values(&out), ones(all - 5.0, all - 5.0));
        }
    }
}

#[test]
fn wrong_calls_are_named() {
    for device in common::devices_without_kernels() {
        let upload = |cpu: CpuStorage| Operand::new(std::slice::from_ref(&device), cpu).rocm.remove(0);
        let mut this = upload(CpuStorage::F32(vec![0.0; 12]));
        let f16s = upload(CpuStorage::F16(vec![half::f16::ONE; 12]));
        let src = upload(CpuStorage::F32(vec![0.0; 12]));
        let ids = upload(CpuStorage::U32(vec![0; 12]));
        let (l, line_l) = (Layout::contiguous((3, 4)), Layout::contiguous(4));

        let error = src.index_select(&f16s, &l, &line_l, 0).unwrap_err();
        assert!(
            matches!(rocm_error(&error), RocmError::InvalidArgument { op: "index_select", message } if message.contains("f16")),
            "{error}"
        );
        let error = src.index_select(&ids, &l, &l, 0).unwrap_err();
        assert!(matches!(rocm_error(&error), RocmError::InvalidArgument { .. }), "{error}");
        let error = src.index_select(&ids, &l, &Layout::contiguous(13), 0).unwrap_err();
        assert!(matches!(rocm_error(&error), RocmError::LayoutOutOfBounds { .. }), "{error}");
        let error = src.gather(&l, &ids, &Layout::contiguous((2, 5)), 0).unwrap_err();
        assert!(matches!(rocm_error(&error), RocmError::ShapeMismatch { .. }), "{error}");
        let error = src.gather(&l, &ids, &line_l, 0).unwrap_err();
        assert!(matches!(rocm_error(&error), RocmError::ShapeMismatch { .. }), "{error}");
        let error = src.index_add(&l, &ids, &line_l, &f16s, &l, 1).unwrap_err();
        assert!(matches!(rocm_error(&error), RocmError::DTypeMismatch { .. }), "{error}");
        let error = src.index_add(&l, &ids, &line_l, &src, &l, 0).unwrap_err();
        assert!(matches!(rocm_error(&error), RocmError::ShapeMismatch { .. }), "{error}");
        let transposed = l.transpose(0, 1).unwrap();
        let error = this.scatter_set(&transposed, &ids, &transposed, &src, &transposed, 0).unwrap_err();
        assert!(matches!(rocm_error(&error), RocmError::InvalidArgument { .. }), "{error}");
        let error = this.scatter_add_set(&l, &ids, &l, &src, &transposed, 0).unwrap_err();
        assert!(matches!(rocm_error(&error), RocmError::ShapeMismatch { .. }), "{error}");
    }
}

/// candle's own entry points: the same results, and nothing outside of memory for indices out of range.
#[test]
fn entry_points_of_candle() {
    use candle_rocm::hip::LaunchConfig;
    use candle_rocm::{RocmDType, RocmStorage};
    use rocm_kernels::INDEXING;

    fn buffer<T: RocmDType>(storage: &RocmStorage) -> &candle_rocm::hip::Buffer<T> {
        T::buffer(storage.slice().expect("elements")).expect("the dtype")
    }

    fn run<T: RocmDType, I: RocmDType>(device: &RocmDevice) {
        let (left, size, count, right) = (2usize, 5usize, 9usize, 3usize);
        let one = std::slice::from_ref(device);
        let this = Operand::new(one, mixed_storage(T::DTYPE, left * size * right, 30));
        let src = Operand::new(one, mixed_storage(T::DTYPE, left * count * right, 31));
        let whole = Operand::new(one, ids(I::DTYPE, left * count * right, size, 32));
        let (this_l, src_l, line_l) = (
            Layout::contiguous((left, size, right)),
            Layout::contiguous((left, count, right)),
            Layout::contiguous(count),
        );
        let transposed = Layout::new((left, size, right).into(), vec![size * right, 1, size], 0);
        let config = LaunchConfig::linear(1, 64);
        let (suffix, numel) = (format!("{}_{}", I::KERNEL_DTYPE, T::KERNEL_DTYPE), left * count * right);
        let compare = |op: Op, this_l: &Layout, got: candle_rocm::hip::Buffer<T>| {
            let ids_l = if matches!(op, IndexSelect | IndexAdd) { &line_l } else { &src_l };
            let (this, this_l) = dense(&this.cpu, this_l);
            let ids = as_i64(&whole.cpu);
            let want = Along(op, 1).run(&[(&this, &this_l), (&ids, ids_l), (&src.cpu, &src_l)]).unwrap();
            let got = RocmStorage::new(T::wrap(got), device.clone()).to_cpu_storage().unwrap();
            harness::bits::compare(&got, &want, &EXACT)
                .unwrap_or_else(|difference| panic!("{op:?} {suffix}: {difference}"));
        };

        for layout in [&this_l, &transposed] {
            let mut out = device.alloc::<T>(numel).unwrap();
            let info: Vec<_> = layout.dims().iter().chain(layout.stride()).copied().collect();
            // SAFETY: is_*'s parameters; all buffers have the sizes given.
            unsafe {
                device
                    .launch(&INDEXING, &format!("is_{suffix}"))
                    .arg(&numel)
                    .arg(&3usize)
                    .info(&info)
                    .buffer(buffer::<I>(&whole.rocm[0]), 0)
                    .buffer(buffer::<T>(&this.rocm[0]), 0)
                    .buffer_mut(&mut out, 0)
                    .arg(&left)
                    .arg(&size)
                    .arg(&count)
                    .arg(&right)
                    .run(config)
                    .unwrap();
            }
            compare(IndexSelect, layout, out);
        }
        let mut out = device.alloc::<T>(numel).unwrap();
        // SAFETY: gather_*'s parameters; all buffers have the sizes given.
        unsafe {
            device
                .launch(&INDEXING, &format!("gather_{suffix}"))
                .arg(&numel)
                .buffer(buffer::<I>(&whole.rocm[0]), 0)
                .buffer(buffer::<T>(&this.rocm[0]), 0)
                .buffer_mut(&mut out, 0)
                .arg(&left)
                .arg(&size)
                .arg(&count)
                .arg(&right)
                .run(config)
                .unwrap();
        }
        compare(Gather, &this_l, out);
        for (name, op) in [("s", ScatterSet), ("sa", ScatterAdd), ("ia", IndexAdd)] {
            let mut out = device.alloc::<T>(left * size * right).unwrap();
            device.copy(buffer::<T>(&this.rocm[0]), 0, &mut out, 0, left * size * right).unwrap();
            let name = format!("{name}_{suffix}");
            let mut launch = device.launch(&INDEXING, &name);
            launch.buffer(buffer::<I>(&whole.rocm[0]), 0);
            if op == IndexAdd {
                launch.arg(&count);
            }
            launch.buffer(buffer::<T>(&src.rocm[0]), 0).buffer_mut(&mut out, 0);
            // SAFETY: the kernel's parameters; all buffers have the sizes given.
            unsafe { launch.arg(&left).arg(&count).arg(&size).arg(&right).run(config) }.unwrap();
            compare(op, &this_l, out);
        }
    }

    for device in common::devices() {
        macro_rules! all {
            ($($id:ty)*) => {$(
                run::<u8, $id>(&device);
                run::<u32, $id>(&device);
                run::<i16, $id>(&device);
                run::<i32, $id>(&device);
                run::<i64, $id>(&device);
                run::<half::bf16, $id>(&device);
                run::<half::f16, $id>(&device);
                run::<f32, $id>(&device);
                run::<f64, $id>(&device);
                run::<float8::F8E4M3, $id>(&device);
            )*};
        }
        all!(u8 u32 i16 i32 i64);
    }
}

#[test]
fn every_index_dtype_is_tested() {
    assert!(int_dtypes().eq(IDS));
    assert_eq!(len(&ids(DType::U8, 3, 1, 0)), 3);
}
