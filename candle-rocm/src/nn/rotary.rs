//! Rotary embeddings; launches `reduce.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::REDUCE;
use smallvec::SmallVec;

use crate::common::launch::KernelName;
use crate::common::operand::{Operand, contiguous, floats, invalid, unsupported};
use crate::common::operation::{Described, Op, operands};
use crate::count::elem_count;
use crate::dtype::DTypeExt;
use crate::hip::Buffer;
use crate::storage_slice::each_dtype;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

operands! {
    /// What is rotated, and the angles.
    Rotated { x, cos, sin }
}

/// Rotary embedding (Su et al. 2021) of `x` `[batch, heads, time, d]`, where elements `i` and `i + d/2` form a pair. `cos` and `sin` are
/// `[time or more, d/2]` or `[batch, time, d/2]`.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] unless `x` is f16, bf16, f32 or f64; otherwise if an operand is not contiguous, does not match the shape
/// or dtype of `x`, or is on another device.
pub fn rope(
    x: &RocmStorage,
    layout: &Layout,
    cos: (&RocmStorage, &Layout),
    sin: (&RocmStorage, &Layout),
) -> Result<RocmStorage, RocmError> {
    Arrangement::Halves.rotate(x, layout, cos, sin)
}

/// [`rope`] where elements `2i` and `2i + 1` form a pair.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] unless `x` is f16, bf16, f32 or f64; otherwise if an operand is not contiguous, does not match the shape
/// or dtype of `x`, or is on another device.
pub fn rope_i(
    x: &RocmStorage,
    layout: &Layout,
    cos: (&RocmStorage, &Layout),
    sin: (&RocmStorage, &Layout),
) -> Result<RocmStorage, RocmError> {
    Arrangement::Neighbours.rotate(x, layout, cos, sin)
}

/// [`rope`] of `x` `[batch, time, heads, d]`.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] unless `x` is f16, bf16, f32 or f64; otherwise if an operand is not contiguous, does not match the shape
/// or dtype of `x`, or is on another device.
pub fn rope_thd(
    x: &RocmStorage,
    layout: &Layout,
    cos: (&RocmStorage, &Layout),
    sin: (&RocmStorage, &Layout),
) -> Result<RocmStorage, RocmError> {
    Arrangement::Thd.rotate(x, layout, cos, sin)
}

/// The order of the dimensions, and which elements form a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrangement {
    /// `(batch, heads, time, d)`; the elements of a pair are half of `d` apart.
    Halves,
    /// `(batch, heads, time, d)`; the elements of a pair are adjacent.
    Neighbours,
    /// `(batch, time, heads, d)`; the elements of a pair are half of `d` apart.
    Thd,
}

impl Op for Arrangement {
    type Operands<T> = Rotated<T>;

    fn name(&self) -> &'static str {
        match self {
            Self::Halves => "rope",
            Self::Neighbours => "rope-i",
            Self::Thd => "rope-thd",
        }
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.push(*self as u64);
    }

    fn result(&self, _: &RocmDevice, operands: Rotated<Described<'_>>) -> Option<(usize, DType)> {
        let Rotated { x, cos, sin } = operands;
        let are_angles = [cos, sin].iter().all(|of| of.dtype == x.dtype && of.is_contiguous);
        let fits = x.dtype.is_16_to_64_bit_float()
            && x.is_contiguous
            && are_angles
            && x.len <= u32::MAX as usize
            && self.fits(x.layout, cos.layout, sin.layout);
        fits.then_some((x.len, x.dtype))
    }

    fn run(&self, _: &RocmDevice, operands: Rotated<Operand<'_>>) -> candle_core::Result<RocmStorageSlice> {
        let Rotated { x: (x, layout), cos, sin } = operands;
        Ok(self.rotate(x, layout, cos, sin)?.into_slice()?)
    }
}

impl Arrangement {
    /// What the kernels' names begin with.
    pub(super) fn kernel(self) -> &'static str {
        match self {
            Self::Halves => "rope",
            Self::Neighbours => "rope_i",
            Self::Thd => "rope_thd",
        }
    }

    /// The same, of kernels that rotate two tensors.
    fn pair_kernel(self) -> &'static str {
        match self {
            Self::Halves => "rope_pair",
            Self::Neighbours => "rope_i_pair",
            Self::Thd => "rope_thd_pair",
        }
    }

    pub(crate) fn rotate(
        self,
        x: &RocmStorage,
        layout: &Layout,
        cos: Operand<'_>,
        sin: Operand<'_>,
    ) -> Result<RocmStorage, RocmError> {
        let op = self.name();
        floats(op, x)?;
        each_dtype!(
            x.dtype(),
            T => {
                let rotation = Rotation::<T>::new(self, op, (x, layout), cos, sin)?;
                let mut out = [x.device.alloc::<T>(rotation.numel)?];
                rotate([&rotation], &mut out, &x.device)?;
                let [out] = out;
                Ok(x.with(T::wrap(out)))
            },
            else unsupported(op, x)
        )
    }

    /// Whether there are angles for each step of `x`, and for each pair.
    pub(crate) fn fits(self, x: &Layout, cos: &Layout, sin: &Layout) -> bool {
        self.has_angles(x, cos.dims()) && sin.dims() == cos.dims()
    }

    fn has_angles(self, x: &Layout, angles: &[usize]) -> bool {
        let &[b, second, third, d] = x.dims() else { return false };
        let t = if self == Self::Thd { second } else { third };
        match *angles {
            [steps, half] => steps >= t && half * 2 == d,
            [batches, steps, half] => batches == b && steps == t && half * 2 == d,
            _ => false,
        }
    }
}

/// Computes the rotary embeddings of two tensors, such as queries and keys, in one launch. They share `cos` and `sin`, and may differ only
/// in their number of heads. Returns `None` if they differ in anything else, or are not contiguous.
///
/// # Errors
/// As [`rope`].
pub fn rotary_pair(
    arrangement: Arrangement,
    [q, k]: [(&RocmStorage, &Layout); 2],
    cos: (&RocmStorage, &Layout),
    sin: (&RocmStorage, &Layout),
) -> Result<Option<[RocmStorage; 2]>, RocmError> {
    let op = "rope-pair";
    floats(op, q.0)?;
    q.0.device.check_same(&k.0.device, op)?;
    let heads = if matches!(arrangement, Arrangement::Thd) { 2 } else { 1 };
    let alike = q.1.dims().len() == k.1.dims().len()
        && q.1.dims().iter().zip(k.1.dims()).enumerate().all(|(i, (a, b))| i == heads || a == b);
    let plain = q.1.is_contiguous() && k.1.is_contiguous();
    if !alike || !plain || q.0.dtype() != k.0.dtype() {
        return Ok(None);
    }
    each_dtype!(q.0.dtype(), T => {
        let [q_of, k_of] = [q, k].map(|x| Rotation::<T>::new(arrangement, op, x, cos, sin));
        let (device, q_of, k_of) = (&q.0.device, q_of?, k_of?);
        let mut out = [device.alloc::<T>(q_of.numel)?, device.alloc::<T>(k_of.numel)?];
        rotate([&q_of, &k_of], &mut out, device)?;
        Ok(Some(out.map(|buffer| RocmStorage::new(T::wrap(buffer), device.clone()))))
    }, else unsupported(op, q.0))
}

/// Where elements are: a buffer, and an offset in it.
pub(crate) type At<'a, T> = (&'a Buffer<T>, usize);

/// A tensor and its angles, which were checked.
pub(crate) struct Rotation<'a, T: RocmDType> {
    arrangement: Arrangement,
    pub(crate) src: At<'a, T>,
    pub(crate) cos: At<'a, T>,
    pub(crate) sin: At<'a, T>,
    pub(crate) b: usize,
    pub(crate) h: usize,
    pub(crate) t: usize,
    pub(crate) d: usize,
    /// The elements of a batch that has angles of its own; 0: all share them.
    pub(crate) stride_b: u32,
    pub(crate) numel: usize,
}

impl<'a, T: RocmDType> Rotation<'a, T> {
    pub(crate) fn new(
        arrangement: Arrangement,
        op: &'static str,
        (x, layout): Operand<'a>,
        cos: Operand<'a>,
        sin: Operand<'a>,
    ) -> Result<Self, RocmError> {
        let device = &x.device;
        device.check_same(&cos.0.device, op)?;
        device.check_same(&sin.0.device, op)?;
        let src = contiguous::<T>(op, "the input", x, layout)?;
        let cosines = contiguous::<T>(op, "cos", cos.0, cos.1)?;
        let sines = contiguous::<T>(op, "sin", sin.0, sin.1)?;
        let &[b, second, third, d] = layout.dims() else {
            return invalid(
                op,
                format!("expected an input of four dimensions, got shape {:?}", layout.dims()),
            );
        };
        let (h, t) = if matches!(arrangement, Arrangement::Thd) { (third, second) } else { (second, third) };
        let angles = cos.1.dims();
        if !arrangement.fits(layout, cos.1, sin.1) {
            let wrong = if arrangement.has_angles(layout, angles) { sin.1 } else { cos.1 };
            let (lhs, rhs) = (layout.dims().to_vec(), wrong.dims().to_vec());
            return Err(RocmError::ShapeMismatch { op, lhs, rhs });
        }
        let numel = elem_count(op, layout.dims())?;
        if numel > u32::MAX as usize {
            return invalid(op, format!("{numel} elements exceed the kernel's limit of {}", u32::MAX));
        }
        // Of a tensor that has no elements, the other dimensions may be anything.
        let stride_b = if angles.len() == 3 && numel > 0 { (h * t * d) as u32 } else { 0 };
        Ok(Self {
            arrangement,
            src: (src, layout.start_offset()),
            cos: (cosines, cos.1.start_offset()),
            sin: (sines, sin.1.start_offset()),
            b,
            h,
            t,
            d,
            stride_b,
            numel,
        })
    }

    /// Whether vectors may begin where angles do.
    pub(crate) fn has_aligned_angles(&self, device: &RocmDevice) -> bool {
        let vector = 16 / size_of::<T>();
        !device.needs_aligned_vectors() || [self.cos.1, self.sin.1].iter().all(|at| at.is_multiple_of(vector))
    }
}

/// One tensor or two, of the same arrangement, angles, b, t and d, in one launch.
fn rotate<T: RocmDType, const N: usize>(
    all: [&Rotation<'_, T>; N],
    out: &mut [Buffer<T>; N],
    device: &RocmDevice,
) -> Result<(), RocmError> {
    let &Rotation { arrangement, cos, sin, b, t, d, .. } = all[0];
    let most = all.iter().map(|of| of.numel).max().unwrap_or_default();
    if most > 0 {
        let kernel = if N > 1 { arrangement.pair_kernel() } else { arrangement.kernel() };
        let name = KernelName::new(format_args!("{kernel}_{}", T::KERNEL_DTYPE));
        let mut launch = device.launch(&REDUCE, name.as_str());
        all.iter().for_each(|of| _ = launch.buffer(of.src.0, of.src.1));
        launch.buffer(cos.0, cos.1).buffer(sin.0, sin.1);
        out.iter_mut().for_each(|out| _ = launch.buffer_mut(out, 0));
        let heads = all.iter().map(|of| of.h);
        let sizes: SmallVec<[usize; 5]> = match arrangement {
            Arrangement::Neighbours => heads.map(|h| b * h).chain([t * d]).collect(),
            Arrangement::Halves => heads.map(|h| b * h).chain([t * d, d]).collect(),
            Arrangement::Thd => [b, t].into_iter().chain(heads).chain([d]).collect(),
        };
        sizes.iter().for_each(|&size| _ = launch.arg(&(size as u32)));
        all.iter().for_each(|of| _ = launch.arg(&of.stride_b));
        let mut config = device.grid_stride(most / 2, size_of::<T>(), false);
        config.grid[1] = N as u32;
        // SAFETY: rope_i_*(src, cos, sin, dst, bh, td, stride_b), rope_* with d, rope_thd_*(.., b, t, h, d, stride_b); of pairs with two
        // of src, dst, bh or h, and stride_b: each src and its dst have their product of elements, cos and sin d / 2 for each step,
        // or for each step of each batch.
        unsafe { launch.run(config) }?;
    }
    Ok(())
}

#[cfg(candle_rocm_seam)]
impl crate::common::fused::Fused for Arrangement {
    fn takes(&self, first: DType) -> bool {
        first.is_16_to_64_bit_float()
    }
}
