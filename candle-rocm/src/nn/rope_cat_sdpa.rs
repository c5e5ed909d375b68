//! A decoder's step in one launch of `attention_step.hip`: attention, and before it rotary embeddings of queries and keys, and caches
//! that keys and values extend.

use candle_core::Layout;

use super::rope_cat::{Rows, fits};
use super::rotary::{Arrangement, Rotation};
use crate::attention::{Attention, Axes, has_step_kernel, sdpa_growing};
use crate::common::operand::Operand;
use crate::count::elem_count;
use crate::dtype::each_16_or_32_bit_float;
use crate::{Launch, RocmDType, RocmError, RocmStorage};

/// [`rope_cat`](crate::joined::rope_cat) of a step of one, and [`sdpa_with`](super::sdpa_with) of its results, in one launch and
/// with the bits of these: the result of attention, all keys, and all values. q is `[batch, heads, 1, d]`, k and v `[batch, kv_heads,
/// 1, d]`, the caches `[batch, kv_heads, kept, d]`.
///
/// `None` where there is no such kernel: where [`rope_cat`](crate::joined::rope_cat) has none, for steps of more than one, without
/// kept keys, for more than 16 heads that share keys, unless `d` is a multiple of 16 and at most 256, or if rows are not dense.
///
/// # Errors
/// As [`rope_cat`](crate::joined::rope_cat) and [`sdpa_with`](super::sdpa_with).
pub fn rope_cat_sdpa(
    step: [(&RocmStorage, &Layout); 3],
    angles: [(&RocmStorage, &Layout); 2],
    caches: [(&RocmStorage, &Layout); 2],
    attention: Attention,
    axes: Axes,
) -> Result<Option<[RocmStorage; 3]>, RocmError> {
    step_with(Arrangement::Halves, "rope-cat-sdpa", step, angles, caches, attention, axes)
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
    step_with(Arrangement::Neighbours, "rope-cat-sdpa", step, angles, caches, attention, axes)
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
    if !fits(arrangement, op, step, angles, caches)? || !has_step_kernel(step, caches) {
        return Ok(None);
    }
    each_16_or_32_bit_float!(step[0].0.dtype(), T => {
        grow::<T>(arrangement, op, step, angles, caches, attention, axes)
    }, else Ok(None))
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
    let &[batch, kv_heads, kept, d] = keys.1.dims() else { return Ok(None) };
    if !rotation.has_aligned_angles(device) {
        return Ok(None);
    }
    // Elements of a head's keys, and of its values.
    let row = elem_count(op, &[kept.saturating_add(1), d])?;
    let len = elem_count(op, &[batch, kv_heads, row])?;
    let (mut all_keys, mut all_values) = (device.alloc::<T>(len)?, device.alloc::<T>(len)?);
    let angles_of_batch = if rotation.stride_b > 0 { d / 2 } else { 0 };
    let mut growing = |launch: &mut Launch<'_>, first: usize| {
        let head = first * kv_heads;
        launch.buffer(rotation.src.0, rotation.src.1 + head * d);
        launch.buffer(v.buffer, v.offset + head * v.pitch).arg(&v.pitch);
        for (angles, offset) in [rotation.cos, rotation.sin] {
            launch.buffer(angles, offset + first * angles_of_batch);
        }
        launch.arg(&angles_of_batch).arg(&u32::from(arrangement == Arrangement::Neighbours));
        launch.buffer_mut(&mut all_keys, head * row).buffer_mut(&mut all_values, head * row);
    };
    let out = sdpa_growing::<T>([q, keys, values], attention, axes, &mut growing)?;
    let [keys, values] = [all_keys, all_values].map(|all| RocmStorage::new(T::wrap(all), device.clone()));
    Ok(Some([out, keys, values]))
}
