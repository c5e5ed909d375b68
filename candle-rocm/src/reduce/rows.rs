//! A tensor as the rows that a reduction goes through.

use candle_core::Layout;
use candle_core::op::ReduceOp;
use smallvec::SmallVec;

use super::{PART_BYTES, THREADS, name, threads_per_row};
use crate::RocmError;
use crate::common::plan::check_bounds;
use crate::count::elem_count;
use crate::hip::DevicePtr;

/// Neighbouring vectors of columns that a block takes, of long columns and of others; elements of a vector at most.
const NARROW: usize = 8;
const WIDE: usize = 32;
const LONG_COLUMN: usize = 1024;
pub(super) const WIDEST: usize = 8;

/// What a reduction is launched with: a tensor as rows of equal length, each of which becomes one element.
pub(super) struct ReducedRows {
    pub(super) rows: usize,
    pub(super) row_len: usize,
    pub(super) num_dims: usize,
    /// The dims that stay, then those that are reduced, then the strides of both. Empty: contiguous.
    pub(super) info: SmallVec<[usize; 16]>,
    /// Whether neighbouring rows lie closer together than neighbours in a row.
    pub(super) columns: bool,
    /// What is so, as `columns.hip` takes it.
    pub(super) matrices: Option<Matrices>,
}

/// `outer` matrices of `inner` contiguous columns, the rows of which are reduced.
#[derive(Clone, Copy)]
pub(super) struct Matrices {
    pub(super) outer: usize,
    pub(super) inner: usize,
    pub(super) outer_step: usize,
    pub(super) step: usize,
}

impl Matrices {
    fn new(kept: &[(usize, usize)], reduced: &[(usize, usize)]) -> Option<Self> {
        match (kept, reduced) {
            (&[(inner, 1)], &[(_, step)]) => Some(Self { outer: 1, inner, outer_step: 0, step }),
            (&[(outer, outer_step), (inner, 1)], &[(_, step)]) => {
                Some(Self { outer, inner, outer_step, step })
            }
            _ => None,
        }
    }

    /// How many vectors of `width` elements of `size` bytes neighbouring threads take: none if there are few, or if a vector
    /// from `start` on would not be aligned.
    pub(super) fn across(
        &self,
        start: DevicePtr,
        row_len: usize,
        size: usize,
        width: usize,
    ) -> Option<usize> {
        // Long columns keep a narrow block busy, which leaves enough blocks without many parts.
        let most = if row_len >= LONG_COLUMN { NARROW } else { WIDE };
        let vectors = self.inner.div_ceil(width).min(most);
        let whole = [self.inner, self.outer_step, self.step].iter().all(|step| step.is_multiple_of(width));
        let aligned = whole && start.address().is_multiple_of((width * size) as u64);
        let worth = vectors >= 4 && vectors * width * size * row_len >= PART_BYTES;
        (aligned && worth).then(|| vectors.next_power_of_two())
    }
}

type Axes = SmallVec<[(usize, usize); 8]>;

impl ReducedRows {
    pub(super) fn new(
        op: ReduceOp,
        layout: &Layout,
        reduced: &[usize],
        len: usize,
    ) -> Result<Self, RocmError> {
        check_bounds(name(op), layout, len)?;
        let rank = layout.dims().len();
        let mut is_reduced: SmallVec<[bool; 8]> = SmallVec::from_elem(false, rank);
        for &dim in reduced {
            match is_reduced.get_mut(dim) {
                Some(seen) if !*seen => *seen = true,
                _ => {
                    let shape = layout.dims();
                    let message = format!(
                        "dimensions {reduced:?} must be distinct and below {rank}, the rank of shape {shape:?}"
                    );
                    return Err(RocmError::InvalidArgument { op: name(op), message });
                }
            }
        }
        let axes = |of: bool| -> Axes {
            let axes = layout.dims().iter().zip(layout.stride()).zip(&is_reduced);
            axes.filter(|&(_, &reduced)| reduced == of).map(|((&size, &stride), _)| (size, stride)).collect()
        };
        let (mut kept, mut reduced) = (axes(false), axes(true));
        let count = |axes: &Axes| {
            let sizes: SmallVec<[usize; 8]> = axes.iter().map(|&(size, _)| size).collect();
            elem_count(name(op), &sizes)
        };
        let rows = count(&kept)?;
        let row_len = if rows == 0 { 0 } else { count(&reduced)? };
        if row_len == 0 {
            let info = SmallVec::new();
            return Ok(Self { rows, row_len, num_dims: 0, info, columns: false, matrices: None });
        }
        // The order of a row's elements does not matter unless the result is an index: from large to small steps, more
        // dimensions merge and the last one is nearer to contiguous.
        reduced.sort_by_key(|&(_, stride)| std::cmp::Reverse(stride));
        merge(&mut kept);
        merge(&mut reduced);
        let stride = |axes: &Axes| axes.last().map(|&(_, stride)| stride);
        let columns = match (stride(&kept), stride(&reduced)) {
            // With fewer rows than lanes, lanes read the same lines either way.
            (Some(next_row), Some(next)) => next_row < next && rows >= 32,
            _ => false,
        };
        let all = || kept.iter().chain(&reduced);
        let mut expected = 1;
        let contiguous = all().rev().all(|&(size, stride)| {
            let fits = stride == expected;
            expected *= size;
            fits
        });
        let mut info = SmallVec::new();
        if !contiguous {
            info.extend(all().map(|&(size, _)| size));
            info.extend(all().map(|&(_, stride)| stride));
        }
        let matrices = if columns { Matrices::new(&kept, &reduced) } else { None };
        Ok(Self { rows, row_len, num_dims: kept.len() + reduced.len(), info, columns, matrices })
    }

    /// Threads that share a row, or a part of `len` elements: a single one where neighbouring threads then read
    /// neighbours.
    pub(super) fn threads(&self, size: usize, len: usize) -> usize {
        if self.columns { 1 } else { threads_per_row(size, len, THREADS) }
    }
}

/// Drops dimensions of size 1, and merges neighbours where the outer steps over the extent of the inner.
fn merge(axes: &mut Axes) {
    let mut kept = Axes::new();
    for &(size, stride) in axes.iter().filter(|&&(size, _)| size != 1) {
        match kept.last_mut() {
            Some((outer, step)) if *step == size.wrapping_mul(stride) => {
                (*outer, *step) = (*outer * size, stride)
            }
            _ => kept.push((size, stride)),
        }
    }
    *axes = kept;
}
