//! A step's rotary embeddings and grown caches in one launch, bit by bit what the single operations give.

use candle_core::backend::BackendDevice;
use candle_core::{DType, Layout};
use candle_rocm::joined::{Arrangement, DecoderStep};
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage, nn};
use half::{bf16, f16};

use crate::common;
use crate::common::Random;
use crate::harness::bits::{Number, bits_of};

fn numbers<T: RocmDType>(len: usize, seed: u64) -> Vec<T> {
    let mut random = Random(seed);
    let mut data: Vec<T> =
        (0..len).map(|_| T::from_f64(random.below(20_001) as f64 / 5_000.0 - 1.7)).collect();
    if len > 40 {
        (data[7], data[20], data[33]) =
            (T::from_f64(f64::NAN), T::from_f64(f64::INFINITY), T::from_f64(-0.0));
    }
    data
}

/// A step of `t` after `kept`, of `[b, h]` queries and `[b, kv]` keys and values.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    b: usize,
    h: usize,
    kv: usize,
    kept: usize,
    t: usize,
    d: usize,
}

/// How far apart the rows of caches lie, in steps, and where everything begins.
#[derive(Clone, Copy, Debug)]
struct Place {
    room: usize,
    first: usize,
}

#[track_caller]
fn check<T: Number + RocmDType>(device: &RocmDevice, sizes: Sizes, place: Place, batched_angles: bool) {
    let Sizes { b, h, kv, kept, t, d } = sizes;
    let Place { room, first } = place;
    let upload = |len: usize, seed| {
        let data = numbers::<T>(first + len, seed);
        device.storage_from_slice(&data).expect("upload")
    };
    let contiguous = |heads| Layout::contiguous_with_offset((b, heads, t, d), first);
    let strided = |steps: usize, room: usize| {
        Layout::new((b, kv, steps, d).into(), vec![kv * room * d, room * d, d, 1], first)
    };
    let (q, k, v) = (upload(b * h * t * d, 1), upload(b * kv * t * d, 2), upload(b * kv * (t + 2) * d, 3));
    let (keys, values) = (upload(b * kv * room * d, 4), upload(b * kv * (room + 1) * d, 5));
    let (q_l, k_l, v_l) = (contiguous(h), contiguous(kv), strided(t, t + 2));
    let (keys_l, values_l) = (strided(kept, room), strided(kept, room + 1));
    let angles = if batched_angles { vec![b, t, d / 2] } else { vec![t + 3, d / 2] };
    let l = Layout::contiguous(angles.clone());
    let len = angles.iter().product::<usize>();
    let [cos, sin] = [6, 7].map(|seed| device.storage_from_slice(&numbers::<T>(len, seed)).expect("upload"));
    let (cos, sin) = ((&cos, &l), (&sin, &l));
    let (q, k, v, caches) = ((&q, &q_l), (&k, &k_l), (&v, &v_l), [(&keys, &keys_l), (&values, &values_l)]);
    let whole = Layout::contiguous((b, kv, t, d));
    for neighbours in [false, true] {
        let (arrangement, turned) = if neighbours {
            (Arrangement::Neighbours, [q, k].map(|(x, l)| nn::rope_i(x, l, cos, sin)))
        } else {
            (Arrangement::Halves, [q, k].map(|(x, l)| nn::rope(x, l, cos, sin)))
        };
        let got = DecoderStep { arrangement, q, k, v, angles: [cos, sin], caches }.rotate_and_append();
        let context = format!("{:?}: {sizes:?}, {place:?}, {neighbours}, {angles:?}", T::DTYPE);
        let got = got.unwrap_or_else(|error| panic!("{context}: {error}"));
        let got = got.unwrap_or_else(|| panic!("{context}: declined"));
        let [q, k] = turned.map(|x| x.expect("rope"));
        let all_keys = RocmStorage::cat(&[caches[0], (&k, &whole)], 2).expect("cat");
        let all_values = RocmStorage::cat(&[caches[1], v], 2).expect("cat");
        for (what, got, want) in
            [("q", &got[0], &q), ("keys", &got[1], &all_keys), ("values", &got[2], &all_values)]
        {
            assert_eq!(bits_of::<T>(got), bits_of::<T>(want), "{what} of {context}");
        }
    }
}

fn checks<T: Number + RocmDType>(device: &RocmDevice) {
    let sizes = |[b, h, kv, kept, t, d]: [usize; 6]| Sizes { b, h, kv, kept, t, d };
    for of in [
        [1, 4, 2, 5, 1, 64],
        [1, 32, 8, 70, 1, 64],
        [2, 3, 1, 7, 3, 6],
        [2, 4, 4, 33, 2, 10],
        [3, 1, 1, 1, 1, 2],
        [1, 2, 2, 0, 4, 16],
        [1, 2, 1, 1300, 1, 128],
    ] {
        let of = sizes(of);
        for batched in [false, true] {
            check::<T>(device, of, Place { room: of.kept, first: 0 }, batched);
            check::<T>(device, of, Place { room: of.kept + 3, first: 8 }, batched);
        }
        // Where vectors do not begin.
        check::<T>(device, of, Place { room: of.kept + 3, first: 1 }, false);
    }
}

#[test]
fn as_one_by_one() {
    for device in common::devices() {
        checks::<f16>(&device);
        checks::<bf16>(&device);
        checks::<f32>(&device);
    }
}

#[test]
fn what_has_no_kernel_is_declined() {
    for device in common::devices_without_kernels() {
        let x = device.storage_from_slice(&[1f32; 512]).expect("upload");
        let l = |dims: (usize, usize, usize, usize)| Layout::contiguous(dims);
        let angles = Layout::contiguous((4, 4));
        let angles = (&x, &angles);
        let call = |storage: &RocmStorage, q: &Layout, k: &Layout, v: &Layout, caches: [&Layout; 2]| {
            let caches = caches.map(|layout| (storage, layout));
            let (q, k, v, angles) = ((storage, q), (storage, k), (storage, v), [angles; 2]);
            DecoderStep { arrangement: Arrangement::Halves, q, k, v, angles, caches }.rotate_and_append()
        };
        let (q, k, cache) = (l((1, 4, 2, 8)), l((1, 2, 2, 8)), l((1, 2, 3, 8)));
        for (q, k, v, caches) in [
            (&l((2, 4, 2, 8)), &k, &k, [&cache, &cache]),
            (&q, &l((1, 2, 1, 8)), &k, [&cache, &cache]),
            (&q, &k, &l((1, 2, 1, 8)), [&cache, &cache]),
            (&q, &k, &k, [&cache, &l((1, 2, 4, 8))]),
            (&q, &k, &k, [&l((1, 1, 3, 8)), &l((1, 1, 3, 8))]),
            (&q, &k, &k, [&Layout::contiguous((2, 3, 8)), &cache]),
            // Rows that do not lie at one distance, or are not dense.
            (&q, &k, &Layout::new((1, 2, 2, 8).into(), vec![32, 8, 16, 1], 0), [&cache, &cache]),
            (&q, &k, &k, [&cache, &Layout::new((1, 2, 3, 8).into(), vec![48, 1, 16, 2], 0)]),
            // Queries that are not contiguous, and no queries.
            (&Layout::new((1, 4, 2, 8).into(), vec![64, 8, 32, 1], 0), &k, &k, [&cache, &cache]),
            (&l((1, 0, 2, 8)), &k, &k, [&cache, &cache]),
        ] {
            assert!(call(&x, q, k, v, caches).expect("rope_cat").is_none(), "{q:?} {k:?} {v:?} {caches:?}");
        }
        let wide = device.storage_from_slice(&[1f64; 512]).expect("upload");
        let of_wide = DecoderStep {
            arrangement: Arrangement::Halves,
            q: (&wide, &q),
            k: (&wide, &k),
            v: (&wide, &k),
            angles: [(&wide, angles.1); 2],
            caches: [(&wide, &cache); 2],
        };
        assert!(of_wide.rotate_and_append().expect("f64").is_none());
    }
}

#[test]
fn what_does_not_fit_is_said() {
    for device in common::devices_without_kernels() {
        let x = device.storage_from_slice(&[1f32; 512]).expect("upload");
        let numbers = device.storage_from_slice(&[1u32; 512]).expect("upload");
        let l = |dims: (usize, usize, usize, usize)| Layout::contiguous(dims);
        let (q, k, cache) = (l((1, 4, 2, 8)), l((1, 2, 2, 8)), l((1, 2, 3, 8)));
        let (angles, other) = (Layout::contiguous((4, 4)), Layout::contiguous((4, 3)));
        let call = |x: &RocmStorage, angles: &Layout, cache: &Layout| {
            let caches = [(x, cache), (x, cache)];
            let (q, k, angles) = ((x, &q), (x, &k), [(x, angles); 2]);
            let step = DecoderStep { arrangement: Arrangement::Halves, q, k, v: k, angles, caches };
            step.rotate_and_append().map(drop).unwrap_err()
        };
        let error = call(&numbers, &angles, &cache);
        assert!(
            matches!(error, RocmError::UnsupportedDType { op: "rope-cat", dtype: DType::U32 }),
            "{error}"
        );
        let error = call(&x, &other, &cache);
        assert!(matches!(error, RocmError::ShapeMismatch { op: "rope-cat", .. }), "{error}");
        let error = call(&x, &angles, &Layout::contiguous_with_offset((1, 2, 3, 8), 500));
        assert!(matches!(error, RocmError::LayoutOutOfBounds { op: "rope-cat", .. }), "{error}");
    }
}
