//! A decoder's step in one launch, bit by bit what rotary embeddings, grown caches and attention give one by one.

use candle_core::backend::BackendDevice;
use candle_core::{DType, Layout};
use candle_rocm::joined::{Arrangement, DecoderStep};
use candle_rocm::nn::{Attention, Axes, Weights, sdpa_with};
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage};
use half::{bf16, f16};

use crate::common::{self, Random};
use crate::harness::attention::{CAPPED, PLAIN};
use crate::harness::bits::{Number, bits_of};

/// Batch, heads, heads of keys, kept keys, columns.
type Sizes = [usize; 5];

/// `room`: keys for which caches have room beyond the kept ones; `first`: elements before each operand.
#[track_caller]
fn check<T: Number + RocmDType>(
    device: &RocmDevice,
    sizes: Sizes,
    (room, first): (usize, usize),
    batched_angles: bool,
    attention: Attention,
    special: bool,
) {
    let [b, h, kv, kept, d] = sizes;
    let upload = |len: usize, seed: u64| {
        let mut random = Random(seed);
        let mut data: Vec<T> =
            (0..first + len).map(|_| T::from_f64(random.below(20_001) as f64 / 5_000.0 - 2.0)).collect();
        if special {
            let at = first + len / 2;
            (data[at], data[first]) = (T::from_f64(f64::NAN), T::from_f64(f64::INFINITY));
        }
        device.storage_from_slice(&data).expect("upload")
    };
    let step = |heads: usize| Layout::contiguous_with_offset((b, heads, 1, d), first);
    let strided = |keys: usize, room: usize| {
        Layout::new((b, kv, keys, d).into(), vec![kv * room * d, room * d, d, 1], first)
    };
    let (q, k, v) = (upload(b * h * d, 1), upload(b * kv * d, 2), upload(b * kv * 3 * d, 3));
    let rows = kept + room;
    let (keys, values) = (upload(b * kv * rows * d, 4), upload(b * kv * (rows + 1) * d, 5));
    let (q_l, k_l, v_l) = (step(h), step(kv), strided(1, 3));
    let (keys_l, values_l) = (strided(kept, rows), strided(kept, rows + 1));
    let angles = if batched_angles { vec![b, 1, d / 2] } else { vec![3, d / 2] };
    let angles_l = Layout::contiguous_with_offset(&angles[..], first);
    let [cos, sin] = [6, 7].map(|seed| upload(angles.iter().product(), seed));
    let (q, k, v, angles) = ((&q, &q_l), (&k, &k_l), (&v, &v_l), [(&cos, &angles_l), (&sin, &angles_l)]);
    let caches = [(&keys, &keys_l), (&values, &values_l)];
    for (interleaved, axes) in [(false, Axes::Bhtd), (true, Axes::Bthd)] {
        let arrangement = if interleaved { Arrangement::Neighbours } else { Arrangement::Halves };
        let step = DecoderStep { arrangement, q, k, v, angles, caches };
        let (got, apart) = (step.attend(attention, axes), step.rotate_and_append());
        let context = format!("{:?}: {sizes:?}, {room}, {first}, {interleaved}, {angles_l:?}", T::DTYPE);
        let got = got.unwrap_or_else(|error| panic!("{context}: {error}"));
        let got = got.unwrap_or_else(|| panic!("{context}: declined"));
        let [q, all_keys, all_values] = apart.expect("rope_cat").expect("rope_cat declined");
        let (whole, queries) = (Layout::contiguous((b, kv, kept + 1, d)), Layout::contiguous((b, h, 1, d)));
        let given = [(&q, &queries), (&all_keys, &whole), (&all_values, &whole)];
        let out = sdpa_with(given, None, attention, Weights::Rounded, axes).expect("sdpa");
        for (what, got, want) in
            [("keys", &got[1], &all_keys), ("values", &got[2], &all_values), ("result", &got[0], &out)]
        {
            assert!(bits_of::<T>(got) == bits_of::<T>(want), "{what} of {context}");
        }
    }
}

fn checks<T: Number + RocmDType>(device: &RocmDevice) {
    for (i, sizes) in [
        [1, 2, 2, 1, 16],
        [1, 4, 1, 2, 64],
        [2, 6, 2, 70, 32],
        [3, 1, 1, 263, 128],
        [1, 8, 2, 150, 96],
        [1, 16, 1, 65, 256],
        // In parts.
        [1, 1, 1, 1151, 16],
        [1, 5, 1, 1030, 16],
        [2, 2, 1, 4100, 16],
    ]
    .into_iter()
    .enumerate()
    {
        check::<T>(device, sizes, (0, 0), i % 2 == 0, PLAIN, i == 2);
        check::<T>(device, sizes, (5, 8), i % 2 == 1, CAPPED, false);
    }
    // As many blocks as make parts unnecessary.
    check::<T>(device, [50, 16, 8, 6, 16], (1, 0), true, PLAIN, false);
    check::<T>(device, [50, 8, 8, 6, 16], (0, 0), false, PLAIN, false);
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
        let x = device.storage_from_slice(&[1f32; 4096]).expect("upload");
        let l = |dims: [usize; 4]| Layout::contiguous(&dims[..]);
        let call = |dims: [[usize; 4]; 5]| {
            let [q, k, v, keys, values] = dims.map(l);
            let angles = Layout::contiguous((4, q.dims()[3] / 2));
            let caches = [(&x, &keys), (&x, &values)];
            let (q, k, v, angles) = ((&x, &q), (&x, &k), (&x, &v), [(&x, &angles); 2]);
            let step = DecoderStep { arrangement: Arrangement::Halves, q, k, v, angles, caches };
            step.attend(PLAIN, Axes::Bhtd).unwrap_or_else(|error| panic!("{dims:?}: {error}"))
        };
        let (q, k, cache) = ([1, 4, 1, 16], [1, 2, 1, 16], [1, 2, 3, 16]);
        for dims in [
            // Steps of two, columns that are no multiple of 16, nothing kept, 17 queries for one key.
            [[1, 4, 2, 16], [1, 2, 2, 16], [1, 2, 2, 16], cache, cache],
            [[1, 4, 1, 24], [1, 2, 1, 24], [1, 2, 1, 24], [1, 2, 3, 24], [1, 2, 3, 24]],
            [q, k, k, [1, 2, 0, 16], [1, 2, 0, 16]],
            [[1, 17, 1, 16], [1, 1, 1, 16], [1, 1, 1, 16], [1, 1, 3, 16], [1, 1, 3, 16]],
            [[1, 0, 1, 16], [1, 0, 1, 16], [1, 0, 1, 16], [1, 0, 3, 16], [1, 0, 3, 16]],
            // What does not fit.
            [q, k, [1, 1, 1, 16], cache, cache],
            [q, k, k, cache, [1, 2, 4, 16]],
        ] {
            assert!(call(dims).is_none(), "{dims:?}");
        }
    }
}

#[test]
fn what_does_not_fit_is_said() {
    for device in common::devices_without_kernels() {
        let x = device.storage_from_slice(&[1f32; 512]).expect("upload");
        let numbers = device.storage_from_slice(&[1u32; 512]).expect("upload");
        let k = Layout::contiguous((1, 2, 1, 16));
        let (angles, cache) = (Layout::contiguous((1, 8)), Layout::contiguous((1, 2, 3, 16)));
        let call = |x: &RocmStorage, heads: usize, angles: &Layout, cache: &Layout| {
            let q = Layout::contiguous((1, heads, 1, 16));
            let (q, k, angles, caches) = ((x, &q), (x, &k), [(x, angles); 2], [(x, cache); 2]);
            let step = DecoderStep { arrangement: Arrangement::Halves, q, k, v: k, angles, caches };
            step.attend(PLAIN, Axes::Bhtd).map(drop).expect_err("a refusal")
        };
        let error = call(&numbers, 4, &angles, &cache);
        assert!(
            matches!(error, RocmError::UnsupportedDType { op: "rope-cat-sdpa", dtype: DType::U32 }),
            "{error}"
        );
        let error = call(&x, 4, &Layout::contiguous((1, 7)), &cache);
        assert!(matches!(error, RocmError::ShapeMismatch { op: "rope-cat-sdpa", .. }), "{error}");
        // Three heads for two of keys.
        let error = call(&x, 3, &angles, &cache);
        assert!(matches!(error, RocmError::ShapeMismatch { op: "sdpa", .. }), "{error}");
        let error = call(&x, 4, &angles, &Layout::contiguous_with_offset((1, 2, 3, 16), 500));
        assert!(matches!(error, RocmError::LayoutOutOfBounds { .. }), "{error}");
    }
}
