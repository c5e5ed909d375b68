//! A decoder's step: rotary embeddings of its queries and keys, and the caches that its keys and values extend, in one launch of
//! `cat.hip`; for a step of one, attention in the same launch, of `attention_step.hip`.

use candle_core::Layout;
use rocm_kernels::CAT;

use super::rotary::{Arrangement, Rotation};
use crate::attention::{Attention, AttentionLaunch, Axes, KvAppend, Weights, has_step_kernel};
use crate::common::launch::KernelName;
use crate::common::map::same;
use crate::common::operand::{Operand, floats};
use crate::common::plan::check_bounds;
use crate::count::elem_count;
use crate::dtype::each_16_or_32_bit_float;
use crate::hip::Buffer;
use crate::layout::cat::{copies, pitch_of};
use crate::{Launch, RocmDType, RocmError, RocmStorage};

/// What the kernel's blocks share: q, k, both caches, v.
const PARTS: usize = 5;
/// The dimension along which caches grow.
pub(crate) const TIME: usize = 2;

/// The operations of a decoder's step on queries, keys and values before attention: `rope(q)`, `cat([cache of keys, rope(k)])` and
/// `cat([cache of values, v])`, concatenated along the third dimension.
#[derive(Clone, Copy, Debug)]
pub struct DecoderStep<'a> {
    /// Which elements form a pair.
    pub arrangement: Arrangement,
    /// `[batch, heads, time, d]`.
    pub q: (&'a RocmStorage, &'a Layout),
    /// `[batch, kv_heads, time, d]`.
    pub k: (&'a RocmStorage, &'a Layout),
    /// As `k`.
    pub v: (&'a RocmStorage, &'a Layout),
    /// The cosines and sines.
    pub angles: [(&'a RocmStorage, &'a Layout); 2],
    /// The caches of keys and values, `[batch, kv_heads, kept, d]`.
    pub caches: [(&'a RocmStorage, &'a Layout); 2],
}

impl<'a> DecoderStep<'a> {
    /// Computes the rotated queries, all keys and all values in one launch, bit for bit as the separate operations do.
    ///
    /// Returns `None` if there is no such kernel: for f64, for layouts with time before heads, if shapes do not match, without elements, if
    /// q or k is not contiguous, or if the rows of another operand (from the third dimension on) are not contiguous or not at equal
    /// distances.
    ///
    /// # Errors
    /// As [`rope`](super::rope), and if a layout exceeds its buffer or the results are too large.
    pub fn rotate_and_append(&self) -> Result<Option<[RocmStorage; 3]>, RocmError> {
        const OP: &str = "rope-cat";
        if !self.fits(OP)? {
            return Ok(None);
        }
        each_16_or_32_bit_float!(self.q.0.dtype(), T => self.append::<T>(OP), else Ok(None))
    }

    /// [`rotate_and_append`](Self::rotate_and_append) for a single time step, and [`sdpa_with`](super::sdpa_with) of its results, in one
    /// launch and bit for bit as these: returns the result of attention, all keys, and all values.
    ///
    /// Returns `None` if there is no such kernel: if `rotate_and_append` has none, for more than one time step, without cached keys, for
    /// more than 16 heads that share keys, unless `d` is a multiple of 16 and at most 256, or if rows are not dense.
    ///
    /// # Errors
    /// As [`rotate_and_append`](Self::rotate_and_append) and [`sdpa_with`](super::sdpa_with).
    pub fn attend(&self, attention: Attention, axes: Axes) -> Result<Option<[RocmStorage; 3]>, RocmError> {
        const OP: &str = "rope-cat-sdpa";
        let Self { q, k, v, caches, .. } = *self;
        if !self.fits(OP)? || !has_step_kernel([q, k, v], caches) {
            return Ok(None);
        }
        each_16_or_32_bit_float!(q.0.dtype(), T => self.append_and_attend::<T>(OP, attention, axes), else Ok(None))
    }

    /// Whether dtypes, shapes and the arrangement fit each other.
    ///
    /// # Errors
    /// For dtypes that are no floats, and for tensors of several devices.
    fn fits(&self, op: &'static str) -> Result<bool, RocmError> {
        let Self { q, k, v, caches: [keys, values], .. } = *self;
        floats(op, q.0)?;
        for (other, _) in [k, v].iter().chain(&self.angles).chain(&self.caches) {
            q.0.device.check_same(&other.device, op)?;
        }
        let (&[b, _, t, d], dims @ &[b_kv, heads, t_kv, d_kv]) = (q.1.dims(), k.1.dims()) else {
            return Ok(false);
        };
        let &[b_of, heads_of, _, d_of] = keys.1.dims() else { return Ok(false) };
        Ok(self.arrangement != Arrangement::Thd
            && (b, t, d) == (b_kv, t_kv, d_kv)
            && (b, heads, d) == (b_of, heads_of, d_of)
            && v.1.dims() == dims
            && values.1.dims() == keys.1.dims()
            && [k, v, keys, values].iter().all(|(other, _)| other.dtype() == q.0.dtype())
            && q.1.is_contiguous()
            && k.1.is_contiguous())
    }

    fn rotation<T: RocmDType>(&self, op: &'static str, x: Operand<'a>) -> Result<Rotation<'a, T>, RocmError> {
        Rotation::new(self.arrangement, op, x, self.angles[0], self.angles[1])
    }

    fn append<T: RocmDType>(&self, op: &'static str) -> Result<Option<[RocmStorage; 3]>, RocmError> {
        let device = &self.q.0.device;
        let (q, k) = (self.rotation::<T>(op, self.q)?, self.rotation::<T>(op, self.k)?);
        let [keys, values] = self.caches;
        let rows = [
            PitchedRows::<T>::of(op, keys)?,
            PitchedRows::<T>::of(op, values)?,
            PitchedRows::<T>::of(op, self.v)?,
        ];
        let [Some(of_keys), Some(of_values), Some(v)] = rows else { return Ok(None) };
        let (rows, row) = (k.b * k.h, k.t * k.d);
        let kept = elem_count(op, &keys.1.dims()[TIME..])?;
        let len = elem_count(op, &[rows, kept.saturating_add(row)])?;
        if q.numel == 0 || k.numel == 0 {
            return Ok(None);
        }
        let mut turned = device.alloc::<T>(q.numel)?;
        let (mut all_keys, mut all_values) = (device.alloc::<T>(len)?, device.alloc::<T>(len)?);
        let name = KernelName::new(format_args!("{}_cat_{}", self.arrangement.kernel(), T::KERNEL_DTYPE));
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
        Ok(Some(
            [turned, all_keys, all_values].map(|buffer| RocmStorage::new(T::wrap(buffer), device.clone())),
        ))
    }

    fn append_and_attend<T: RocmDType>(
        &self,
        op: &'static str,
        attention: Attention,
        axes: Axes,
    ) -> Result<Option<[RocmStorage; 3]>, RocmError> {
        let Self { arrangement, q, caches: [keys, values], .. } = *self;
        let device = &q.0.device;
        // The queries' angles are those of the keys.
        self.rotation::<T>(op, q)?;
        let rotation = self.rotation::<T>(op, self.k)?;
        let Some(v) = PitchedRows::<T>::of(op, self.v)? else { return Ok(None) };
        let &[batch, kv_heads, kept, d] = keys.1.dims() else { return Ok(None) };
        if !rotation.has_aligned_angles(device) {
            return Ok(None);
        }
        // Elements of a head's keys, and of its values.
        let row = elem_count(op, &[kept.saturating_add(1), d])?;
        let len = elem_count(op, &[batch, kv_heads, row])?;
        let (mut all_keys, mut all_values) = (device.alloc::<T>(len)?, device.alloc::<T>(len)?);
        let angles_of_batch = if rotation.stride_b > 0 { d / 2 } else { 0 };
        let mut append = |launch: &mut Launch<'_>, first: usize| {
            let head = first * kv_heads;
            launch.buffer(rotation.src.0, rotation.src.1 + head * d);
            launch.buffer(v.buffer, v.offset + head * v.pitch).arg(&v.pitch);
            for (angles, offset) in [rotation.cos, rotation.sin] {
                launch.buffer(angles, offset + first * angles_of_batch);
            }
            launch.arg(&angles_of_batch).arg(&u32::from(arrangement == Arrangement::Neighbours));
            launch.buffer_mut(&mut all_keys, head * row).buffer_mut(&mut all_values, head * row);
        };
        let (given, append) = ([q, keys, values], Some(&mut append as KvAppend<'_>));
        let launch =
            AttentionLaunch { given, mask: None, attention, weights: Weights::Rounded, axes, append };
        let out = launch.run::<T, T>()?;
        let [keys, values] = [all_keys, all_values].map(|all| RocmStorage::new(T::wrap(all), device.clone()));
        Ok(Some([out, keys, values]))
    }
}

/// Rows of a tensor, from `TIME` on.
struct PitchedRows<'a, T: RocmDType> {
    buffer: &'a Buffer<T>,
    offset: usize,
    /// Elements between them.
    pitch: usize,
}

impl<'a, T: RocmDType> PitchedRows<'a, T> {
    /// `None` if there is no such distance.
    fn of(op: &'static str, (x, layout): Operand<'a>) -> Result<Option<Self>, RocmError> {
        let buffer = same::<T>(op, x.slice()?)?;
        check_bounds(op, layout, buffer.len())?;
        let length = elem_count(op, &layout.dims()[TIME..])?;
        let pitch = pitch_of(layout, TIME, length);
        Ok(pitch.map(|pitch| Self { buffer, offset: layout.start_offset(), pitch }))
    }
}
