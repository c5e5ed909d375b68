//! Attention of few queries to keys and values in F8E4M3, bit by bit what it gives of their casts.

use candle_core::Layout;
use candle_core::backend::BackendDevice;
use candle_rocm::joined::sdpa_of_f8;
use candle_rocm::nn::{Attention, Axes, Mask, Weights, sdpa, sdpa_with};
use candle_rocm::{RocmDType, RocmDevice, RocmStorage};
use float8::F8E4M3;
use half::{bf16, f16};

use crate::common::{self, Random};
use crate::harness::attention::{CAPPED, CAUSAL, Operand, PLAIN, Sizes};
use crate::harness::bits::{Number, bits_of};

/// Numbers up to 2, zeros of both signs among them: what is -0 in this format is NaN in gfx942's, where others are half as large.
fn numbers(len: usize, seed: u64) -> Vec<F8E4M3> {
    let mut random = Random(seed);
    let mut bits = || random.below(0x41) as u8 | (random.below(2) as u8) << 7;
    (0..len).map(|_| F8E4M3::from_bits(bits())).collect()
}

/// The same numbers in both dtypes, widened on the CPU.
struct Cache<T> {
    kept: Operand<F8E4M3>,
    cast: Operand<T>,
}

impl<T: Number + RocmDType> Cache<T> {
    fn new(device: &RocmDevice, data: Vec<F8E4M3>, layout: Layout) -> Self {
        let cast = data.iter().map(|x| T::from_f64(x.value())).collect();
        Self { cast: Operand::new(device, cast, layout.clone()), kept: Operand::new(device, data, layout) }
    }
}

#[track_caller]
fn compare<T: Number + RocmDType>(
    q: &Operand<T>,
    [k, v]: [&Cache<T>; 2],
    mask: Option<Mask<'_>>,
    attention: Attention,
    what: &str,
) {
    for axes in [Axes::Bhtd, Axes::Bthd] {
        let got = sdpa_of_f8([q.given(), k.kept.given(), v.kept.given()], mask, attention, axes);
        let cast = [q.given(), k.cast.given(), v.cast.given()];
        let want = sdpa_with(cast, mask, attention, Weights::Rounded, axes).expect("sdpa");
        let got = got.unwrap_or_else(|error| panic!("{what}: {error}"));
        let got = got.unwrap_or_else(|| panic!("{what}: declined"));
        assert!(bits_of::<T>(&got) == bits_of::<T>(&want), "{what} {:?} {axes:?}", T::DTYPE);
    }
}

/// Caches with room for more keys, from an element on; `by_key`: with heads behind keys.
fn check<T: Number + RocmDType>(
    device: &RocmDevice,
    sizes: Sizes,
    (room, first, by_key): (usize, usize, bool),
    attention: Attention,
) {
    let [b, h, kv_h, t, s, d, d_v] = sizes;
    let cache = |columns: usize, seed| {
        let rows = s + room;
        let [head, step] = if by_key { [columns, kv_h * columns] } else { [rows * columns, columns] };
        let stride = vec![rows * kv_h * columns, head, step, 1];
        let layout = Layout::new((b, kv_h, s, columns).into(), stride, first);
        let mut data = numbers(first + b * kv_h * rows * columns, seed);
        // The largest number, and NaN, in one head each.
        for (i, bits) in [(0, 0x7e), (columns, 0xfe), (data.len() / 2, 0x7f), (data.len() - 1, 0xff)] {
            data[i] = F8E4M3::from_bits(bits);
        }
        Cache::new(device, data, layout)
    };
    let q = Operand::<T>::random(device, [b, h, t, d], 21);
    let what = format!("{sizes:?}, {room}, {first}, {by_key}, {attention:?}");
    compare(&q, [&cache(d, 22), &cache(d_v, 23)], None, attention, &what);
}

fn checks<T: Number + RocmDType>(device: &RocmDevice) {
    for (sizes, attention) in [
        ([2, 4, 4, 1, 37, 64, 64], PLAIN),
        ([1, 2, 2, 1, 1, 128, 128], PLAIN),
        ([1, 14, 2, 1, 50, 64, 64], CAUSAL),
        ([1, 6, 3, 3, 100, 80, 80], CAUSAL),
        ([1, 16, 1, 1, 40, 96, 96], PLAIN),
        ([1, 2, 2, 5, 64, 256, 128], CAPPED),
        ([2, 2, 1, 2, 20, 72, 250], PLAIN),
        ([1, 2, 1, 1, 33, 5, 3], PLAIN),
        // Keys in several parts.
        ([1, 8, 2, 1, 1100, 32, 32], CAPPED),
        ([1, 2, 1, 1, 4200, 8, 24], PLAIN),
    ] {
        check::<T>(device, sizes, (0, 0, false), attention);
        check::<T>(device, sizes, (3, 8, false), attention);
        // Rows that begin where no vector may.
        check::<T>(device, sizes, (2, 5, true), attention);
    }
}

fn masks<T: Number + RocmDType>(device: &RocmDevice) {
    let [b, h, kv_h, t, s, d] = [2, 4, 2, 3, 45, 32];
    let q = Operand::<T>::random(device, [b, h, t, d], 31);
    let cache = |seed| {
        let dims = (b, kv_h, s, d);
        Cache::<T>::new(device, numbers(b * kv_h * s * d, seed), Layout::contiguous(dims))
    };
    let (k, v) = (cache(32), cache(33));
    let hidden: Vec<u8> = (0..t * s).map(|i| u8::from(i % 7 < 3)).collect();
    let number = |&hidden: &u8| if hidden == 0 { 0.25 } else { f64::NEG_INFINITY };
    let layout = Layout::contiguous((t, s));
    let upload = |data: Vec<T>| device.storage_from_slice(&data).expect("upload");
    let wide = hidden.iter().map(|x| number(x) as f32).collect::<Vec<_>>();
    let wide = device.storage_from_slice(&wide).expect("upload");
    let narrow = upload(hidden.iter().map(|x| T::from_f64(number(x))).collect());
    let selects = device.storage_from_slice(&hidden).expect("upload");
    let (by, one) = (upload(vec![T::from_f64(-3.5)]), Layout::contiguous(1));
    for (what, mask) in [
        ("added in f32", Mask::Added((&wide, &layout))),
        ("added", Mask::Added((&narrow, &layout))),
        ("rounded", Mask::AddedRounded((&narrow, &layout))),
        ("replaced", Mask::Replaced { mask: (&selects, &layout), by: (&by, &one) }),
    ] {
        compare(&q, [&k, &v], Some(mask), PLAIN, what);
    }
}

#[test]
fn as_of_casts() {
    for device in common::devices() {
        checks::<f16>(&device);
        checks::<bf16>(&device);
        checks::<f32>(&device);
        masks::<f16>(&device);
        masks::<bf16>(&device);
        masks::<f32>(&device);
    }
}

/// Every number that there is, as the only value.
#[test]
fn all_numbers() {
    fn check<T: Number + RocmDType>(device: &RocmDevice) {
        let (q, all) = (Operand::<T>::random(device, [1, 1, 1, 8], 41), (0..=255).map(F8E4M3::from_bits));
        let k = Cache::<T>::new(device, numbers(8, 42), Layout::contiguous((1, 1, 1, 8)));
        let v = Cache::<T>::new(device, all.collect(), Layout::contiguous((1, 1, 1, 256)));
        compare(&q, [&k, &v], None, PLAIN, "all");
        let given = [q.given(), k.kept.given(), v.kept.given()];
        let got = sdpa_of_f8(given, None, PLAIN, Axes::Bhtd).expect("sdpa").expect("a kernel");
        let want: Vec<u64> = v.cast.data.iter().map(|x| if x.nan() { u64::MAX } else { x.bits() }).collect();
        // The sum with what is not there makes -0 0.
        let zero = T::from_f64(-0.0).bits();
        let positive = |bits: Vec<u64>| bits.into_iter().map(move |x| if x == zero { 0 } else { x });
        assert!(positive(bits_of::<T>(&got)).eq(positive(want)), "{:?}", T::DTYPE);
    }
    for device in common::devices() {
        check::<f16>(&device);
        check::<bf16>(&device);
        check::<f32>(&device);
    }
}

#[test]
fn what_has_no_kernel_is_declined() {
    for device in common::devices_without_kernels() {
        let upload = |data: &[F8E4M3]| device.storage_from_slice(data).expect("upload");
        let (f8, f32) =
            (upload(&numbers(8192, 51)), device.storage_from_slice(&[1f32; 8192]).expect("upload"));
        let call = |[q, k, v]: [&RocmStorage; 3], [q_l, k_l, v_l]: [[usize; 4]; 3]| {
            let layouts = [q_l, k_l, v_l].map(|dims| Layout::contiguous(&dims[..]));
            let given = [(q, &layouts[0]), (k, &layouts[1]), (v, &layouts[2])];
            let of_f8 = sdpa_of_f8(given, None, PLAIN, Axes::Bhtd).expect("declined without an error");
            (of_f8.is_some(), sdpa(given[0], given[1], given[2], None, PLAIN).is_ok())
        };
        let (q, k) = ([1, 2, 1, 16], [1, 2, 3, 16]);
        // Of dtypes that differ, sdpa is an error as ever.
        assert_eq!(call([&f32, &f8, &f32], [q, k, k]), (false, false));
        assert_eq!(call([&f32, &f32, &f8], [q, k, k]), (false, false));
        assert_eq!(call([&f8, &f8, &f8], [q, k, k]), (false, false));
        assert_eq!(call([&f32, &f32, &f32], [q, [1, 2, 0, 16], [1, 2, 0, 16]]), (false, true));
        assert_eq!(call([&f32, &f8, &f8], [q, [1, 2, 0, 16], [1, 2, 0, 16]]), (true, false));
        assert_eq!(call([&f32, &f8, &f8], [[1, 2, 17, 16], k, k]), (false, false));
        assert_eq!(call([&f32, &f8, &f8], [[1, 1, 1, 264], [1, 1, 2, 264], [1, 1, 2, 16]]), (false, false));
        assert_eq!(call([&f32, &f8, &f8], [q, [1, 2, 3, 8], k]), (false, false));
    }
}
