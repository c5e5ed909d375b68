//! Attention's operands, checked, as the kernels read them.

use candle_core::{DType, Layout};

use super::{Attention, Axes, FEW_COLUMNS, FEW_QUERIES, FullyMasked, OP};
use crate::common::launch::LaunchExt;
use crate::common::map::same;
use crate::common::operand::{Operand, invalid};
use crate::common::plan::check_bounds;
use crate::count::elem_count;
use crate::elementwise::cast;
use crate::hip::Buffer;
use crate::layout::copy;
use crate::{Launch, RocmDType, RocmError, RocmStorage, RocmStorageSlice};

/// A mask for scores, `[batch, heads, t, s]`. Dimensions that it lacks, or whose size is 1, are broadcast.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Mask<'a> {
    /// Added to the scores in f32.
    Added((&'a RocmStorage, &'a Layout)),
    /// Added in the operands' dtype, which is also its own: the score is rounded to it, and so is the sum. A score to which 0 is added
    /// stays in f32.
    AddedRounded((&'a RocmStorage, &'a Layout)),
    /// Replaces scores.
    Replaced {
        /// A u8 mask. Scores are replaced where it is not 0.
        mask: (&'a RocmStorage, &'a Layout),
        /// The replacement, which is the first element of this operand. It has the operands' dtype or f32.
        by: (&'a RocmStorage, &'a Layout),
    },
}

/// Operands whose shapes fit each other, with copies of those that the kernels could not read as they are.
pub(super) struct Copies {
    sizes: Sizes,
    operands: [Option<(RocmStorage, Layout)>; 3],
    mask: Option<(RocmStorage, Layout)>,
}

impl Copies {
    /// The mask may be of the operands' dtype and of f32.
    pub(super) fn new(operands: [Operand<'_>; 3], mask: Option<Mask<'_>>) -> Result<Self, RocmError> {
        let sizes = Sizes::of(operands.map(|(_, layout)| layout))?;
        let [q, k, v] = operands;
        let of_mask = match mask {
            None => [None, None],
            Some(Mask::Added(mask) | Mask::AddedRounded(mask)) => [Some(mask), None],
            Some(Mask::Replaced { mask, by }) => [Some(mask), Some(by)],
        };
        for (other, _) in [k, v].into_iter().chain(of_mask.into_iter().flatten()) {
            q.0.device.check_same(&other.device, OP)?;
        }
        for (x, layout) in operands {
            check_bounds(OP, layout, x.len())?;
        }
        let readable_mask = [DType::F32, q.0.dtype()];
        let mask = match mask {
            Some(Mask::Added((mask, layout))) if !readable_mask.contains(&mask.dtype()) => {
                Some(as_f32(mask, layout)?)
            }
            _ => None,
        };
        Ok(Self { sizes, operands: [readable(q)?, readable(k)?, readable(v)?], mask })
    }
}

fn as_f32(x: &RocmStorage, layout: &Layout) -> Result<(RocmStorage, Layout), RocmError> {
    let slice = cast::cast(&x.device, x.slice()?, layout, DType::F32)?;
    Ok((RocmStorage::new(slice, x.device.clone()), Layout::contiguous(layout.shape())))
}

/// What the kernels are given: queries, and keys and values of a type that may be another.
pub(super) struct Problem<'a, T: RocmDType, K: RocmDType = T> {
    q: Strided<'a, T>,
    kv: [Strided<'a, K>; 2],
    mask: Option<Spread<'a>>,
    pub(super) sizes: Sizes,
    attention: Attention,
    /// Of the result; its gradient has batch, heads, t and columns in this order.
    pub(super) axes: Axes,
}

impl<'a, T: RocmDType, K: RocmDType> Problem<'a, T, K> {
    pub(super) fn new(
        given: [Operand<'a>; 3],
        mask: Option<Mask<'a>>,
        copies: &'a Copies,
        attention: Attention,
        axes: Axes,
    ) -> Result<Self, RocmError> {
        let sizes = copies.sizes;
        let operand =
            |i: usize| copies.operands[i].as_ref().map_or(given[i], |(storage, layout)| (storage, layout));
        let copied = copies.mask.as_ref().map(|(storage, layout)| Mask::Added((storage, layout)));
        Ok(Self {
            q: Strided::new(operand(0))?,
            kv: [Strided::new(operand(1))?, Strided::new(operand(2))?],
            mask: copied.or(mask).map(|mask| Spread::new::<T>(mask, sizes)).transpose()?,
            sizes,
            attention,
            axes,
        })
    }

    /// How often each dimension of the scores, `[batch, heads, t, s]`, has the same part of the mask: once, or always.
    pub(super) fn mask_repeats(&self) -> [bool; 4] {
        self.mask.as_ref().map_or([true; 4], |mask| mask.repeats)
    }

    /// The kernels' first arguments, for the tensors of a batch from `first` on; `out` adds the one for the result.
    pub(super) fn arguments(
        &self,
        launch: &mut Launch<'_>,
        first: usize,
        out: impl FnOnce(&mut Launch<'_>),
    ) -> Result<(), RocmError> {
        let (sizes, attention) = (self.sizes, self.attention);
        launch.buffer(self.q.buffer, self.q.at(first));
        for operand in &self.kv {
            launch.buffer(operand.buffer, operand.at(first));
        }
        let (mut mask_strides, mut is_f32, mut selects, mut rounds) = ([0; 4], false, false, false);
        match &self.mask {
            None => {
                launch.null().null();
            }
            Some(Spread { slice, offset, strides, fill, rounded, .. }) => {
                (mask_strides, rounds) = (*strides, *rounded);
                let offset = offset + first * strides[0];
                is_f32 = fill.map_or(*slice, |(fill, _)| fill).dtype() == DType::F32;
                selects = fill.is_some();
                launch.slice(slice, offset);
                match fill {
                    Some((fill, offset)) => launch.slice(fill, *offset),
                    None => launch.null(),
                };
            }
        }
        out(launch);
        for size in [sizes.heads, sizes.kv_heads, sizes.t, sizes.s, sizes.d, sizes.d_v] {
            launch.arg(&(size as u32));
        }
        let [k, v] = &self.kv;
        for stride in [self.q.strides, k.strides, v.strides].iter().flatten().chain(&mask_strides) {
            launch.arg(stride);
        }
        let once = self.mask_repeats();
        let by_query = self.axes == Axes::Bthd;
        let softcapped = attention.softcapping.is_some();
        let masked_is_nan = attention.fully_masked == FullyMasked::Nan;
        let flags = [
            attention.causal,
            is_f32,
            once[0],
            once[1],
            once[2],
            once[3],
            selects,
            by_query,
            softcapped,
            masked_is_nan,
            rounds,
        ];
        let flags = flags.iter().enumerate().fold(0, |flags, (bit, &set)| flags | u32::from(set) << bit);
        launch.arg(&attention.scale).arg(&attention.softcapping.unwrap_or_default()).arg(&flags);
        Ok(())
    }
}

#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub(super) batch: usize,
    pub(super) heads: usize,
    pub(super) kv_heads: usize,
    pub(super) t: usize,
    pub(super) s: usize,
    pub(super) d: usize,
    pub(super) d_v: usize,
}

impl Sizes {
    pub(super) fn of([q, k, v]: [&Layout; 3]) -> Result<Self, RocmError> {
        let (&[batch, heads, t, d], &[k_batch, kv_heads, s, k_d], &[v_batch, v_heads, v_s, d_v]) =
            (q.dims(), k.dims(), v.dims())
        else {
            let shapes = [q, k, v].map(Layout::dims);
            return invalid(OP, format!("expected q, k and v of four dimensions, got shapes {shapes:?}"));
        };
        for (other, fits) in [
            (k, k_batch == batch && k_d == d && (kv_heads == heads || kv_heads > 0 && heads % kv_heads == 0)),
            (v, v_batch == batch && v_heads == kv_heads && v_s == s),
        ] {
            if !fits {
                return Err(RocmError::ShapeMismatch {
                    op: OP,
                    lhs: q.dims().to_vec(),
                    rhs: other.dims().to_vec(),
                });
            }
        }
        let most = [heads.saturating_mul(t), s, d, d_v].into_iter().max().unwrap_or_default();
        if most > i32::MAX as usize {
            return invalid(OP, format!("a dimension of {most} exceeds the kernel's limit of {}", i32::MAX));
        }
        Ok(Self { batch, heads, kv_heads, t, s, d, d_v })
    }

    /// Of keys or of values, whichever have more.
    pub(super) fn columns(self) -> usize {
        self.d.max(self.d_v)
    }

    /// Queries that share a key head.
    pub(super) fn rows(self) -> usize {
        self.heads / self.kv_heads * self.t
    }

    /// Whether the kernels for few queries take them.
    pub(super) fn have_few_queries(self) -> bool {
        self.rows() <= FEW_QUERIES && self.columns() <= FEW_COLUMNS
    }
}

/// `[batch, heads, time, columns]`, columns dense.
struct Strided<'a, T: RocmDType> {
    buffer: &'a Buffer<T>,
    offset: usize,
    strides: [usize; 3],
}

impl<'a, T: RocmDType> Strided<'a, T> {
    fn new((storage, layout): Operand<'a>) -> Result<Self, RocmError> {
        let buffer = same::<T>(OP, storage.slice()?)?;
        check_bounds(OP, layout, buffer.len())?;
        let &[batch, head, step, _] = layout.stride() else {
            return invalid(OP, format!("strides {:?}", layout.stride()));
        };
        Ok(Self { buffer, offset: layout.start_offset(), strides: [batch, head, step] })
    }

    /// Where a tensor of the batch begins.
    fn at(&self, batch: usize) -> usize {
        self.offset + batch * self.strides[0]
    }
}

/// Whether the kernels can read the operand as it is: dense columns, a multiple of 8 of them, and rows that begin where vectors
/// may on all platforms.
pub(super) fn is_readable((x, layout): Operand<'_>) -> bool {
    let (Some(&columns), Some(&step)) = (layout.dims().last(), layout.stride().last()) else {
        return true;
    };
    // 16 bytes, or the 8 columns of a lane.
    let vector = (16 / x.dtype().size_in_bytes()).min(8);
    let mut starts = layout.dims().iter().zip(layout.stride()).rev().skip(1);
    let aligned = !x.device.needs_aligned_vectors()
        || layout.start_offset().is_multiple_of(vector)
            && starts.all(|(&size, stride)| size == 1 || stride.is_multiple_of(vector));
    step == 1 && columns.is_multiple_of(8) && aligned || layout.dims().contains(&0)
}

/// A copy that they can read, contiguous but for zeros up to a multiple of 8 columns.
pub(super) fn dense((x, layout): Operand<'_>) -> Result<(RocmStorage, Layout), RocmError> {
    let (device, shape, dtype) = (&x.device, layout.shape(), x.dtype());
    let columns = layout.dims().last().copied().unwrap_or(1);
    let padded = columns.next_multiple_of(8);
    let (mut dense, mut copied) = copy::to_contiguous(OP, device, (x.slice()?, layout))?;
    if columns != padded {
        let rows = dense.len() / columns;
        let mut wider = RocmStorageSlice::zeros(device, elem_count(OP, &[rows, padded])?, dtype)?;
        let rows = copy::StridedRows {
            d1: rows,
            d2: columns,
            src_stride1: columns,
            dst_stride1: padded,
            src_offset: 0,
            dst_offset: 0,
        };
        copy::copy2d(device, &dense, &mut wider, rows)?;
        dense = wider;
        let mut dims = layout.dims().to_vec();
        dims.splice(dims.len() - 1.., [padded]);
        copied = Layout::new(shape.clone(), Layout::contiguous(dims).stride().to_vec(), 0);
    }
    Ok((RocmStorage::new(dense, device.clone()), copied))
}

fn readable(given: Operand<'_>) -> Result<Option<(RocmStorage, Layout)>, RocmError> {
    if is_readable(given) { Ok(None) } else { dense(given).map(Some) }
}

/// A mask's strides in the dimensions of the scores, and in which of these it has one for all; `None` if its shape does not fit.
pub(super) fn broadcast_strides(mask: &Layout, scores: [usize; 4]) -> Option<([usize; 4], [bool; 4])> {
    let lacking = scores.len().checked_sub(mask.dims().len())?;
    let (mut strides, mut repeats) = ([0; 4], [true; 4]);
    for (i, (&dim, &stride)) in (lacking..).zip(mask.dims().iter().zip(mask.stride())) {
        match dim {
            1 => {}
            _ if dim == scores[i] => (strides[i], repeats[i]) = (stride, false),
            _ => return None,
        }
    }
    Some((strides, repeats))
}

/// A mask as the kernels read it.
struct Spread<'a> {
    slice: &'a RocmStorageSlice,
    offset: usize,
    strides: [usize; 4],
    /// Of which dimensions it has one for all.
    repeats: [bool; 4],
    /// What it selects, and where that is.
    fill: Option<(&'a RocmStorageSlice, usize)>,
    /// Whether sums are rounded to its dtype.
    rounded: bool,
}

impl<'a> Spread<'a> {
    fn new<T: RocmDType>(mask: Mask<'a>, sizes: Sizes) -> Result<Self, RocmError> {
        let ((storage, layout), by, rounded) = match mask {
            Mask::Added(mask) => (mask, None, false),
            Mask::AddedRounded(mask) => (mask, None, true),
            Mask::Replaced { mask, by } => (mask, Some(by), false),
        };
        check_bounds(OP, layout, storage.len())?;
        let fill = match by {
            Some((fill, of_fill)) => {
                check_bounds(OP, of_fill, fill.len())?;
                Some((fill.slice()?, of_fill.start_offset()))
            }
            None => None,
        };
        let expected = match mask {
            Mask::Added(_) => [DType::F32, T::DTYPE],
            Mask::AddedRounded(_) => [T::DTYPE; 2],
            Mask::Replaced { .. } => [DType::U8; 2],
        };
        let fits = |dtype, expected: [DType; 2]| match expected.contains(&dtype) {
            true => Ok(()),
            false => Err(RocmError::UnsupportedDType { op: OP, dtype }),
        };
        fits(storage.dtype(), expected)?;
        fill.map_or(Ok(()), |(fill, _)| fits(fill.dtype(), [DType::F32, T::DTYPE]))?;
        let scores = [sizes.batch, sizes.heads, sizes.t, sizes.s];
        let mismatch =
            || RocmError::ShapeMismatch { op: OP, lhs: scores.to_vec(), rhs: layout.dims().to_vec() };
        let (strides, repeats) = broadcast_strides(layout, scores).ok_or_else(mismatch)?;
        Ok(Self { slice: storage.slice()?, offset: layout.start_offset(), strides, repeats, fill, rounded })
    }
}
