//! A decoder's step in one launch of `attention_step.hip`: attention, and before it rotary embeddings of queries and keys, and caches
//! that keys and values extend.

use candle_core::{DType, Layout};
use half::{bf16, f16};

use super::problem::{Copies, Problem, is_readable};
use super::{Attention, Axes, FEW_COLUMNS, FEW_QUERIES, Weights, run};
use crate::common::operand::{Operand, floats};
use crate::count::elem_count;
use crate::hip::Buffer;
use crate::nn::rope_cat::{Rows, fits};
use crate::nn::rotary::{Arrangement, Rotation};
use crate::{Launch, RocmDType, RocmError, RocmStorage};

/// Columns that lanes have of both halves of a row.
const COLUMNS: usize = 16;

/// [`rope_cat`](crate::nn::rope_cat) of a step of one, and [`sdpa_with`](super::sdpa_with) of its results, in one launch and
/// with the bits of these: the result of attention, all keys, and all values. q is `[batch, heads, 1, d]`, k and v `[batch, kv_heads,
/// 1, d]`, the caches `[batch, kv_heads, kept, d]`.
///
/// `None` where there is no such kernel: where [`rope_cat`](crate::nn::rope_cat) has none, for steps of more than one, without
/// kept keys, for more than 16 heads that share keys, unless `d` is a multiple of 16 and at most 256, or if rows are not dense.
///
/// # Errors
/// As [`rope_cat`](crate::nn::rope_cat) and [`sdpa_with`](super::sdpa_with).
pub fn rope_cat_sdpa(
    step: [(&RocmStorage, &Layout); 3],
    angles: [(&RocmStorage, &Layout); 2],
    caches: [(&RocmStorage, &Layout); 2],
    attention: Attention,
    axes: Axes,
) -> Result<Option<[RocmStorage; 3]>, RocmError> {
    step_with(Arrangement::Halves, "rope_cat_sdpa", step, angles, caches, attention, axes)
}

/// [`rope_cat_sdpa`] with elements `2i` and `2i + 1` as a pair, as [`rope_i`](crate::nn::rope_i).
///
/// # Errors
/// As [`rope_cat_sdpa`].
pub fn rope_i_cat_sdpa(
    step: [(&RocmStorage, &Layout); 3],
    angles: [(&RocmStorage, &Layout); 2],
    caches: [(&RocmStorage, &Layout); 2],
    attention: Attention,
    axes: Axes,
) -> Result<Option<[RocmStorage; 3]>, RocmError> {
    step_with(Arrangement::Neighbours, "rope_i_cat_sdpa", step, angles, caches, attention, axes)
}

/// See [`rope_cat_sdpa`]. The arrangement is one of heads before time.
pub(crate) fn step_with(
    arrangement: Arrangement,
    op: &'static str,
    step: [Operand<'_>; 3],
    angles: [Operand<'_>; 2],
    caches: [Operand<'_>; 2],
    attention: Attention,
    axes: Axes,
) -> Result<Option<[RocmStorage; 3]>, RocmError> {
    let [q, k, v] = step;
    floats(op, q.0)?;
    for (other, _) in [k, v].iter().chain(&angles).chain(&caches) {
        q.0.device.check_same(&other.device, op)?;
    }
    let readable = || [q, k, v].into_iter().chain(caches).all(is_readable);
    if arrangement == Arrangement::Thd || !fits(step, caches) || !is_one_step(step, caches) || !readable() {
        return Ok(None);
    }
    match q.0.dtype() {
        DType::F16 => grow::<f16>(arrangement, op, step, angles, caches, attention, axes),
        DType::BF16 => grow::<bf16>(arrangement, op, step, angles, caches, attention, axes),
        DType::F32 => grow::<f32>(arrangement, op, step, angles, caches, attention, axes),
        _ => Ok(None),
    }
}

/// Of operands that fit each other.
fn is_one_step([q, ..]: [Operand<'_>; 3], [keys, _]: [Operand<'_>; 2]) -> bool {
    let (&[batch, heads, t, d], &[_, kv_heads, kept, _]) = (q.1.dims(), keys.1.dims()) else { return false };
    t == 1 && d.is_multiple_of(COLUMNS) && ![batch, heads, d, kv_heads, kept].contains(&0)
}

fn grow<T: RocmDType>(
    arrangement: Arrangement,
    op: &'static str,
    [q, k, v]: [Operand<'_>; 3],
    [cos, sin]: [Operand<'_>; 2],
    [keys, values]: [Operand<'_>; 2],
    attention: Attention,
    axes: Axes,
) -> Result<Option<[RocmStorage; 3]>, RocmError> {
    let device = &q.0.device;
    // The queries' angles are those of the keys.
    Rotation::<T>::new(arrangement, op, q, cos, sin)?;
    let rotation = Rotation::<T>::new(arrangement, op, k, cos, sin)?;
    let Some(v) = Rows::<T>::of(op, v)? else { return Ok(None) };
    let given = [q, keys, values];
    let copies = Copies::new(given, None)?;
    let problem = Problem::<T>::new(given, None, &copies, attention, axes)?.with_one_more_key();
    let sizes = problem.sizes;
    if sizes.rows() > FEW_QUERIES || sizes.d > FEW_COLUMNS || !rotation.has_aligned_angles(device) {
        return Ok(None);
    }
    let len = elem_count(op, &[sizes.batch, sizes.kv_heads, sizes.s, sizes.d])?;
    let (all_keys, all_values) = (device.alloc::<T>(len)?, device.alloc::<T>(len)?);
    let mut growing = Growing { rotation, v, row: sizes.s * sizes.d, keys: all_keys, values: all_values };
    let out = run(device, &problem, Weights::Rounded, Some(&mut growing))?;
    let caches = [growing.keys, growing.values].map(|all| RocmStorage::new(T::wrap(all), device.clone()));
    let [keys, values] = caches;
    Ok(Some([out, keys, values]))
}

/// What a step adds to caches, and where they go with it.
pub(super) struct Growing<'a, T: RocmDType> {
    /// Of the keys.
    rotation: Rotation<'a, T>,
    v: Rows<'a, T>,
    /// Elements of a head's keys, and of its values.
    row: usize,
    keys: Buffer<T>,
    values: Buffer<T>,
}

impl<T: RocmDType> Growing<'_, T> {
    /// The kernels' last arguments, for the tensors of a batch from `first` on.
    pub(super) fn arguments(&mut self, launch: &mut Launch<'_>, first: usize) {
        let Self { rotation, v, row, keys, values } = self;
        let of_batch = if rotation.stride_b > 0 { rotation.d / 2 } else { 0 };
        let head = first * rotation.h;
        launch.buffer(rotation.src.0, rotation.src.1 + head * rotation.d);
        launch.buffer(v.buffer, v.offset + head * v.pitch).arg(&v.pitch);
        for (angles, offset) in [rotation.cos, rotation.sin] {
            launch.buffer(angles, offset + first * of_batch);
        }
        launch.arg(&of_batch).arg(&u32::from(rotation.arrangement == Arrangement::Neighbours));
        launch.buffer_mut(keys, head * *row).buffer_mut(values, head * *row);
    }
}
