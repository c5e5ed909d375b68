//! Rotary embeddings of a step's queries and keys, and the caches that its keys and values extend, in one launch of `cat.hip`.

use candle_core::Layout;
use rocm_kernels::CAT;

use super::rotary::{Arrangement, Rotation};
use crate::common::launch::KernelName;
use crate::common::map::same;
use crate::common::operand::{Operand, floats};
use crate::common::plan::check_bounds;
use crate::count::elem_count;
use crate::dtype::each_16_or_32_bit_float;
use crate::hip::Buffer;
use crate::layout::cat::{copies, pitch_of};
use crate::{RocmDType, RocmError, RocmStorage};

/// What the kernel's blocks share: q, k, both caches, v.
const PARTS: usize = 5;
/// The dimension along which caches grow.
pub(crate) const TIME: usize = 2;

/// What a decoder does to a step's queries, keys and values before attention: `rope(q)`, `cat([cache of keys, rope(k)])` and
/// `cat([cache of values, v])`, in one launch and with the bits of these. q is `[batch, heads, time, d]`, k and v `[batch, kv_heads,
/// time, d]`, the caches `[batch, kv_heads, kept, d]`; the concatenations are along the third dimension.
///
/// `None` where there is no such kernel: for f64, for tensors that do not fit each other so, without elements, or if q or k is not
/// contiguous, or the rows of another (from the third dimension on) are not, or do not lie at one distance.
///
/// # Errors
/// As [`rope`](super::rope); also if a layout reaches beyond its buffer, or the results are too large.
pub fn rope_cat(
    q: (&RocmStorage, &Layout),
    k: (&RocmStorage, &Layout),
    v: (&RocmStorage, &Layout),
    cos: (&RocmStorage, &Layout),
    sin: (&RocmStorage, &Layout),
    caches: [(&RocmStorage, &Layout); 2],
) -> Result<Option<[RocmStorage; 3]>, RocmError> {
    rotate_and_append(Arrangement::Halves, "rope-cat", [q, k, v], [cos, sin], caches)
}

/// [`rope_cat`] with elements `2i` and `2i + 1` as a pair, as [`rope_i`](super::rope_i).
///
/// # Errors
/// As [`rope_cat`].
pub fn rope_i_cat(
    q: (&RocmStorage, &Layout),
    k: (&RocmStorage, &Layout),
    v: (&RocmStorage, &Layout),
    cos: (&RocmStorage, &Layout),
    sin: (&RocmStorage, &Layout),
    caches: [(&RocmStorage, &Layout); 2],
) -> Result<Option<[RocmStorage; 3]>, RocmError> {
    rotate_and_append(Arrangement::Neighbours, "rope-cat", [q, k, v], [cos, sin], caches)
}

/// See [`rope_cat`]. The arrangement is one of heads before time.
pub(crate) fn rotate_and_append(
    arrangement: Arrangement,
    op: &'static str,
    step: [Operand<'_>; 3],
    angles: [Operand<'_>; 2],
    caches: [Operand<'_>; 2],
) -> Result<Option<[RocmStorage; 3]>, RocmError> {
    if !fits(arrangement, op, step, angles, caches)? {
        return Ok(None);
    }
    each_16_or_32_bit_float!(step[0].0.dtype(), T => run::<T>(arrangement, op, step, angles, caches), else Ok(None))
}

/// Whether dtypes, shapes and the arrangement fit each other.
///
/// # Errors
/// For dtypes that are no floats, and for tensors of several devices.
pub(crate) fn fits(
    arrangement: Arrangement,
    op: &'static str,
    [q, k, v]: [Operand<'_>; 3],
    angles: [Operand<'_>; 2],
    [keys, values]: [Operand<'_>; 2],
) -> Result<bool, RocmError> {
    floats(op, q.0)?;
    for (other, _) in [k, v].iter().chain(&angles).chain(&[keys, values]) {
        q.0.device.check_same(&other.device, op)?;
    }
    let (&[b, _, t, d], dims @ &[b_kv, heads, t_kv, d_kv]) = (q.1.dims(), k.1.dims()) else {
        return Ok(false);
    };
    let &[b_of, heads_of, _, d_of] = keys.1.dims() else { return Ok(false) };
    Ok(arrangement != Arrangement::Thd
        && (b, t, d) == (b_kv, t_kv, d_kv)
        && (b, heads, d) == (b_of, heads_of, d_of)
        && v.1.dims() == dims
        && values.1.dims() == keys.1.dims()
        && [k, v, keys, values].iter().all(|(other, _)| other.dtype() == q.0.dtype())
        && q.1.is_contiguous()
        && k.1.is_contiguous())
}

/// Rows of a tensor, from `TIME` on.
pub(crate) struct Rows<'a, T: RocmDType> {
    pub(crate) buffer: &'a Buffer<T>,
    pub(crate) offset: usize,
    /// Elements between them.
    pub(crate) pitch: usize,
}

impl<'a, T: RocmDType> Rows<'a, T> {
    /// `None` if there is no such distance.
    pub(crate) fn of(op: &'static str, (x, layout): Operand<'a>) -> Result<Option<Self>, RocmError> {
        let buffer = same::<T>(op, x.slice()?)?;
        check_bounds(op, layout, buffer.len())?;
        let length = elem_count(op, &layout.dims()[TIME..])?;
        let pitch = pitch_of(layout, TIME, length);
        Ok(pitch.map(|pitch| Self { buffer, offset: layout.start_offset(), pitch }))
    }
}

fn run<T: RocmDType>(
    arrangement: Arrangement,
    op: &'static str,
    [q, k, v]: [Operand<'_>; 3],
    [cos, sin]: [Operand<'_>; 2],
    [keys, values]: [Operand<'_>; 2],
) -> Result<Option<[RocmStorage; 3]>, RocmError> {
    let device = &q.0.device;
    let [q, k] = [
        Rotation::<T>::new(arrangement, op, q, cos, sin)?,
        Rotation::<T>::new(arrangement, op, k, cos, sin)?,
    ];
    let [of_keys, of_values, v] =
        [Rows::<T>::of(op, keys)?, Rows::<T>::of(op, values)?, Rows::<T>::of(op, v)?];
    let (Some(of_keys), Some(of_values), Some(v)) = (of_keys, of_values, v) else { return Ok(None) };
    let (rows, row) = (k.b * k.h, k.t * k.d);
    let kept = elem_count(op, &keys.1.dims()[TIME..])?;
    let len = elem_count(op, &[rows, kept.saturating_add(row)])?;
    if q.numel == 0 || k.numel == 0 {
        return Ok(None);
    }
    let mut turned = device.alloc::<T>(q.numel)?;
    let (mut all_keys, mut all_values) = (device.alloc::<T>(len)?, device.alloc::<T>(len)?);
    let name = match arrangement {
        Arrangement::Neighbours => KernelName::new(format_args!("rope_i_cat_{}", T::KERNEL_DTYPE)),
        _ => KernelName::new(format_args!("rope_cat_{}", T::KERNEL_DTYPE)),
    };
    let mut launch = device.launch(&CAT, name.as_str());
    launch.buffer(q.src.0, q.src.1).buffer_mut(&mut turned, 0).arg(&((q.b * q.h) as u32));
    launch.buffer(k.src.0, k.src.1).buffer_mut(&mut all_keys, 0).arg(&(rows as u32));
    launch.buffer(k.cos.0, k.cos.1).buffer(k.sin.0, k.sin.1);
    launch.arg(&(row as u32)).arg(&(k.d as u32)).arg(&q.stride_b).arg(&k.stride_b).arg(&kept);
    for rows in [&of_keys, &of_values, &v] {
        launch.buffer(rows.buffer, rows.offset).arg(&rows.pitch);
    }
    launch.buffer_mut(&mut all_values, 0);
    let vectors = (rows * kept).max(q.numel).max(k.numel).div_ceil(16 / size_of::<T>());
    // SAFETY: rope_cat_*, rope_i_cat_*(q, q_out, its rows, k, k_out, its rows, cos, sin, t * d, d, stride_q, stride_k, kept, then
    // twice a cache and its pitch, v and its pitch, v_out): each operand's layout was checked against its buffer, the results have
    // a row of `kept` and t * d elements for each of k, and cos and sin d / 2 for each step, or for each step of each batch.
    unsafe { launch.run(copies(device, vectors, PARTS)) }?;
    Ok(Some([turned, all_keys, all_values].map(|buffer| RocmStorage::new(T::wrap(buffer), device.clone()))))
}
