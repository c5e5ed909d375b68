//! Elements that share an index, added up: against loops in f64 whose sums are rounded once. Values are small multiples of a quarter, so
//! sums in f32 are exact in any order, while those in a half type would stop to grow.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{DType, Layout, WithDType};
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage};
use float8::F8E4M3;
use half::{bf16, f16};

use crate::common::{self, Random};
use crate::harness::bits;
use crate::harness::tolerance::EXACT;

/// Elements before and behind the destination, which must stay.
const AROUND: usize = 3;

/// Additions of `[left, count, right]` to `[left, size, right]`.
#[derive(Clone, Copy, Debug)]
struct Space {
    left: usize,
    count: usize,
    right: usize,
    size: usize,
}

/// Which of `size` rows the `k`-th index names.
#[derive(Clone, Copy, Debug)]
enum Rows {
    One,
    Any,
    /// Any, and one in nine is out of range or stands for no row.
    SomeWrong,
}

fn rows(kind: Rows, count: usize, size: usize) -> Vec<i64> {
    let mut random = Random(count as u64);
    let mut row = |k: usize| match (kind, k % 18) {
        (Rows::One, _) => size - 1,
        (Rows::SomeWrong, 4) => size + 7,
        (Rows::SomeWrong, 13) => i64::MAX as usize,
        _ => random.below(size),
    };
    (0..count).map(|k| row(k) as i64).collect()
}

/// A type of elements, and a number in it, rounded once; integers wrap.
trait Sum: bits::Number + RocmDType {
    fn of(sum: f64) -> Self;
}

macro_rules! sums {
    ($($ty:ty: $of:expr;)*) => {$(
        impl Sum for $ty {
            fn of(sum: f64) -> Self { $of(sum) }
        }
    )*};
}
sums! {
    u8: |v| v as i64 as u8;
    u32: |v| v as i64 as u32;
    i16: |v| v as i64 as i16;
    i32: |v| v as i64 as i32;
    i64: |v| v as i64;
    f16: f16::from_f64;
    bf16: bf16::from_f64;
    f32: |v| v as f32;
    f64: |v| v;
    F8E4M3: |v| F8E4M3::from_f32(v as f32);
}

fn values<T: Sum>(len: usize, seed: u64) -> Vec<T> {
    let mut random = Random(seed);
    let step = if T::DTYPE.is_int() { 1. } else { 0.25 };
    (0..len).map(|_| T::of(random.below(15) as f64 * step)).collect()
}

/// The same elements, in memory of which `[left, count, right]` is a transposed view.
fn transposed<T: Copy>(values: &[T], [left, count, right]: [usize; 3]) -> (Vec<T>, Layout) {
    let at = |k: usize| (k % left) * count * right + (k / left % count) * right + k / left / count;
    let layout = Layout::contiguous((right, count, left)).transpose(0, 2).unwrap();
    ((0..values.len()).map(|k| values[at(k)]).collect(), layout)
}

fn upload<T: RocmDType>(device: &RocmDevice, data: &[T]) -> RocmStorage {
    device.storage_from_slice(data).expect("upload")
}

#[track_caller]
fn same<T: Sum>(got: &RocmStorage, want: &[T], what: &str) {
    let got = got.to_cpu_storage().expect("download");
    let got = T::cpu_storage_as_slice(&got).expect("the dtype");
    bits::slices(got, want, &EXACT).unwrap_or_else(|difference| panic!("{what}: {difference}"));
}

/// The next call that waits reports an index, if one is `wrong`.
#[track_caller]
fn reported(device: &RocmDevice, wrong: bool, what: &str) {
    match (device.synchronize(), wrong) {
        (Ok(()), false) | (Err(RocmError::IndexOutOfRange { .. }), true) => {}
        (other, _) => panic!("{what}: {other:?}"),
    }
}

fn check<T: Sum>(device: &RocmDevice, space: Space, kind: Rows) {
    let Space { left, count, right, size } = space;
    let what = format!("{:?} {space:?} {kind:?} on {}", T::DTYPE, device.label());
    let (elements, dims) = (left * size * right, [left, count, right]);
    let base: Vec<T> = values(elements + 2 * AROUND, 1);
    let src: Vec<T> = values(left * count * right, 2);
    let layout = Layout::contiguous_with_offset((left, size, right), AROUND);
    let (base_there, (strided, strided_l)) = (upload(device, &base), transposed(&src, dims));
    let sources =
        [(upload(device, &src), Layout::contiguous(&dims[..])), (upload(device, &strided), strided_l)];
    let wanted = |row: &dyn Fn(usize, usize, usize) -> i64| {
        let mut sums: Vec<f64> = base.iter().map(|v| v.value()).collect();
        for (k, value) in src.iter().enumerate() {
            let (l, i, r) = (k / right / count, k / right % count, k % right);
            if let Some(row) = usize::try_from(row(l, i, r)).ok().filter(|row| *row < size) {
                sums[AROUND + (l * size + row) * right + r] += value.value();
            }
        }
        sums.into_iter().map(T::of).collect::<Vec<T>>()
    };
    let wrong = |rows: &[i64]| rows.iter().any(|row| *row >= size as i64 && *row != i64::MAX);

    let line = rows(kind, count, size);
    let want = wanted(&|_, i, _| line[i]);
    // Every second index counts.
    let spread: Vec<i64> = [0].into_iter().chain(line.iter().flat_map(|row| [*row, 0])).collect();
    let (spread, spread_l) = (upload(device, &spread), Layout::new(count.into(), vec![2], 1));
    for (src, src_l) in &sources {
        let got = base_there.index_add(&layout, &spread, &spread_l, src, src_l, 1).expect("index_add");
        reported(device, wrong(&line), &what);
        same(&got, &want[AROUND..AROUND + elements], &format!("index_add {what}"));
    }

    let each = rows(kind, left * count * right, size);
    let want = wanted(&|l, i, r| each[(l * count + i) * right + r]);
    let (strided, strided_l) = transposed(&each, dims);
    let ids = [(upload(device, &strided), strided_l), (upload(device, &each), Layout::contiguous(&dims[..]))];
    for ((src, src_l), (ids, ids_l)) in sources.iter().zip(&ids) {
        let mut got = base_there.try_clone(&layout).expect("try_clone");
        got.scatter_add_set(&layout, ids, ids_l, src, src_l, 1).expect("scatter_add_set");
        reported(device, wrong(&each), &what);
        same(&got, &want, &format!("scatter_add_set {what}"));
    }
}

fn check_all(device: &RocmDevice, space: Space, kind: Rows) {
    check::<u8>(device, space, kind);
    check::<u32>(device, space, kind);
    check::<i16>(device, space, kind);
    check::<i32>(device, space, kind);
    check::<i64>(device, space, kind);
    check::<f16>(device, space, kind);
    check::<bf16>(device, space, kind);
    check::<f32>(device, space, kind);
    check::<f64>(device, space, kind);
    check::<F8E4M3>(device, space, kind);
}

/// Few indices and many, for a row, for rows of whole fours, and for odd ones; a destination that is converted as a whole, and one
/// of which most stays as it is.
fn spaces() -> impl Iterator<Item = Space> {
    let sizes = [(1, 6, 5), (6, 40, 7), (40, 3, 1), (600, 5, 3), (48, 4, 900), (9, 2, 900), (40, 8, 3000)];
    sizes.into_iter().flat_map(|(count, right, size)| [1, 2].map(|left| Space { left, count, right, size }))
}

#[test]
fn every_dtype() {
    for device in &common::devices() {
        for kind in [Rows::One, Rows::Any, Rows::SomeWrong] {
            spaces().for_each(|space| check_all(device, space, kind));
        }
    }
}

#[test]
fn in_order() {
    for device in &common::devices() {
        device.set_deterministic(true);
        for kind in [Rows::One, Rows::SomeWrong] {
            spaces().for_each(|space| check_all(device, space, kind));
        }
    }
}

/// One index in memory for all of a row of the last dimension, whose elements are neighbours of none that the index selects.
#[test]
fn an_index_for_all() {
    fn check<T: Sum>(device: &RocmDevice) {
        let (left, size, count) = (3, 8, 36);
        let (base, src): (Vec<T>, Vec<T>) = (values(left * size, 3), values(left * count, 4));
        let (base_l, src_l) = (Layout::contiguous((left, size)), Layout::contiguous((left, count)));
        let (base_there, src_there) = (upload(device, &base), upload(device, &src));
        let ids = upload(device, &[5u32, 0, 5]);
        let wanted = |row: [usize; 3]| {
            let mut sums: Vec<f64> = base.iter().map(|v| v.value()).collect();
            for (k, value) in src.iter().enumerate() {
                sums[k / count * size + row[k / count]] += value.value();
            }
            sums.into_iter().map(T::of).collect::<Vec<T>>()
        };
        let what = format!("{:?} on {}", T::DTYPE, device.label());
        let mut got = base_there.try_clone(&base_l).expect("try_clone");
        let each = Layout::new((left, count).into(), vec![1, 0], 0);
        got.scatter_add_set(&base_l, &ids, &each, &src_there, &src_l, 1).expect("scatter_add_set");
        same(&got, &wanted([5, 0, 5]), &what);
        let line = Layout::new(count.into(), vec![0], 0);
        let got = base_there.index_add(&base_l, &ids, &line, &src_there, &src_l, 1).expect("index_add");
        same(&got, &wanted([5; 3]), &what);
    }
    for device in &common::devices() {
        check::<u8>(device);
        check::<i16>(device);
        check::<i32>(device);
        check::<f16>(device);
        check::<bf16>(device);
        check::<f32>(device);
        check::<F8E4M3>(device);
    }
}

/// 6000 ones are 6000, where sums in f16 end at 2048, in bf16 at 256 and in f8 at 16; and a gradient of a quarter that 2970 tokens share.
#[test]
fn sums_that_half_types_would_lose() {
    fn check<T: Sum>(device: &RocmDevice, count: usize, value: f64) {
        let (base, src) = (upload(device, &[T::of(0.); 4]), upload(device, &vec![T::of(value); count]));
        let (base_l, src_l) = (Layout::contiguous((4, 1)), Layout::contiguous((count, 1)));
        let (ids, ids_l) = (upload(device, &vec![1u32; count]), Layout::contiguous(count));
        let want = [0., value * count as f64, 0., 0.].map(T::of);
        let what = format!("{count} times {value} in {:?}", T::DTYPE);
        let got = base.index_add(&base_l, &ids, &ids_l, &src, &src_l, 0).expect("index_add");
        same(&got, &want, &what);
        let mut got = base.try_clone(&base_l).expect("try_clone");
        got.scatter_add_set(&base_l, &ids, &src_l, &src, &src_l, 0).expect("scatter_add_set");
        same(&got, &want, &what);
    }
    for device in &common::devices() {
        for deterministic in [false, true] {
            device.set_deterministic(deterministic);
            for (count, value) in [(6000, 1.), (2970, 0.25)] {
                check::<f16>(device, count, value);
                check::<bf16>(device, count, value);
                check::<f32>(device, count, value);
                check::<f64>(device, count, value);
                check::<F8E4M3>(device, count.min(400), value);
            }
        }
    }
}

/// A destination of more elements than there are sums at a time: rows at the begin, on both sides of the border, and at the end. Few
/// rows, and so many that all of it is converted.
#[test]
fn sums_in_parts() {
    const AT_ONCE: usize = 1 << 26;
    const VALUE: f32 = 5. / 512.;
    let (right, border) = (1024, AT_ONCE / 1024);
    let size = border + 8;
    let rows = [0, border - 1, border, size - 1];
    let layout = Layout::contiguous((size, right));
    for device in &common::devices() {
        for each in [10, size / 15] {
            let mut dst = device.zeros_impl(layout.shape(), DType::F8E4M3).expect("zeros");
            let ids: Vec<u32> = (0..4 * each).map(|k| rows[k % 4] as u32).chain([size as u32]).collect();
            let count = ids.len();
            let src = upload(device, &vec![F8E4M3::from_f32(VALUE); right]);
            let src_l = Layout::contiguous((1, right)).broadcast_as((count, right)).unwrap();
            let (ids, ids_l) = (upload(device, &ids), Layout::new((count, right).into(), vec![1, 0], 0));
            dst.scatter_add_set(&layout, &ids, &ids_l, &src, &src_l, 0).expect("scatter_add_set");
            reported(device, true, "once");
            reported(device, false, "once");
            let got = dst.to_cpu_storage().expect("download");
            let got = F8E4M3::cpu_storage_as_slice(&got).expect("f8");
            for (row, got) in got.chunks(right).enumerate() {
                let sum = if rows.contains(&row) { each as f32 * VALUE } else { 0. };
                let want = F8E4M3::from_f32(sum).to_bits();
                assert!(got.iter().all(|v| v.to_bits() == want), "{each} times row {row}: {:?}", &got[..4]);
            }
        }
    }
}
