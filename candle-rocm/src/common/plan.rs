//! From candle's layouts to what kernels take: `numel, num_dims, info` with the fewest dimensions that describe all
//! operands at once, and no `info` at all when every operand is contiguous.
//!
//! A kernel pays one division per dimension and element, so dimensions are collapsed first: those of size 1 are
//! dropped, and neighbours merge when the outer one steps over exactly the extent of the inner one in every operand.

use candle_core::Layout;
use smallvec::SmallVec;

use super::access::{Access, Transposition};
use crate::RocmError;
use crate::count::elem_count;

/// Bytes from which on a transposed operand is worth a pass of its own: below, the launch costs more than reads that do not
/// coalesce. A kernel that reads a larger one where it is, neighbouring threads far apart, takes several times as long as a
/// copy through tiles and a contiguous read.
const LARGE_BYTES: usize = 4 << 20;

/// Dimensions that live on the stack; more spill to the heap.
const INLINE_DIMS: usize = 8;

/// What an elementwise kernel over `N` strided operands and a contiguous result is launched with.
#[derive(Debug, PartialEq)]
pub(crate) struct Plan {
    /// Elements of the result.
    pub(crate) numel: usize,
    /// Dimensions in `info`; what contiguous operands have there is not read.
    pub(crate) num_dims: usize,
    /// The dims, then the strides of each operand. Empty: every operand is contiguous.
    pub(crate) info: SmallVec<[usize; 4 * INLINE_DIMS]>,
}

impl Plan {
    /// Whether each operand either is contiguous or one element for all: elementwise kernels then need no index.
    pub(crate) fn is_flat(&self) -> bool {
        self.info.is_empty() || (self.num_dims == 1 && self.info[1..].iter().all(|&stride| stride <= 1))
    }

    /// For operands of equal shape, in `(layout, elements of the buffer)` pairs: no operand can be read outside of
    /// its buffer by a kernel launched with this plan.
    pub(crate) fn new<const N: usize>(
        op: &'static str,
        operands: [(&Layout, usize); N],
    ) -> Result<Self, RocmError> {
        let shape = operands[0].0.dims();
        for (layout, len) in operands {
            if layout.dims() != shape {
                let (lhs, rhs) = (shape.to_vec(), layout.dims().to_vec());
                return Err(RocmError::ShapeMismatch { op, lhs, rhs });
            }
            check_bounds(op, layout, len)?;
        }
        Ok(collapse(
            (0..shape.len()).map(|dim| (shape[dim], operands.map(|(layout, _)| layout.stride()[dim]))),
        ))
    }

    /// The strides of an operand, beside the first `num_dims` of `info`.
    fn strides(&self, operand: usize) -> &[usize] {
        &self.info[(1 + operand) * self.num_dims..][..self.num_dims]
    }

    fn operands(&self) -> usize {
        self.info.len().checked_div(self.num_dims).map_or(0, |parts| parts - 1)
    }

    /// How an operand of elements of `size` bytes is read.
    pub(crate) fn access(&self, operand: usize, size: usize) -> Access {
        if self.info.is_empty() {
            return Access::Contiguous;
        }
        let (dims, strides) = (&self.info[..self.num_dims], self.strides(operand));
        if self.operands() == 1 {
            return Access::of(dims, strides, size);
        }
        let own = collapse(dims.iter().zip(strides).map(|(&size, &stride)| (size, [stride])));
        match own.info.as_slice() {
            [] => Access::Contiguous,
            info => Access::of(&info[..own.num_dims], &info[own.num_dims..], size),
        }
    }

    /// How an operand of elements of `size` bytes is transposed, if it is, and large enough for a pass of its own.
    pub(crate) fn large_transposition(&self, operand: usize, size: usize) -> Option<Transposition> {
        let large = !self.is_flat() && self.numel.saturating_mul(size) >= LARGE_BYTES;
        match large.then(|| self.access(operand, size)) {
            Some(Access::Transposed(transposition)) => Some(transposition),
            _ => None,
        }
    }

    /// The plan for the same elements, once one of the `N` operands was made contiguous.
    pub(crate) fn with_contiguous<const N: usize>(mut self, operand: usize) -> Self {
        if self.info.is_empty() {
            return self;
        }
        let first = (1 + operand) * self.num_dims;
        let mut stride = 1;
        for dim in (0..self.num_dims).rev() {
            self.info[first + dim] = stride;
            stride *= self.info[dim];
        }
        let strides = |dim: usize| std::array::from_fn::<_, N, _>(|k| self.strides(k)[dim]);
        collapse((0..self.num_dims).map(|dim| (self.info[dim], strides(dim))))
    }

    /// For writing one value to every element of `layout`: as the order does not matter, dimensions are sorted, and
    /// those that revisit the same elements dropped.
    pub(crate) fn for_fill(op: &'static str, layout: &Layout, len: usize) -> Result<Self, RocmError> {
        check_bounds(op, layout, len)?;
        let mut axes: SmallVec<[(usize, [usize; 1]); INLINE_DIMS]> = layout
            .dims()
            .iter()
            .zip(layout.stride())
            .filter(|&(&size, &stride)| size == 0 || stride != 0)
            .map(|(&size, &stride)| (size, [stride]))
            .collect();
        axes.sort_by_key(|&(_, [stride])| std::cmp::Reverse(stride));
        Ok(collapse(axes.into_iter()))
    }
}

/// Drops and merges dimensions, outermost first. Their elements have been counted, unless one of them is empty.
pub(crate) fn collapse<const N: usize>(axes: impl Iterator<Item = (usize, [usize; N])> + Clone) -> Plan {
    if axes.clone().any(|(size, _)| size == 0) {
        return Plan { numel: 0, num_dims: 0, info: SmallVec::new() };
    }
    let mut numel = 1usize;
    let mut kept: SmallVec<[(usize, [usize; N]); INLINE_DIMS]> = SmallVec::new();
    for (size, strides) in axes {
        numel *= size;
        if size == 1 {
            continue;
        }
        match kept.last_mut() {
            Some((outer_size, outer)) if (0..N).all(|k| outer[k] == size.wrapping_mul(strides[k])) => {
                *outer_size *= size;
                *outer = strides;
            }
            _ => kept.push((size, strides)),
        }
    }
    let contiguous = match kept.as_slice() {
        [] => true,
        [(_, strides)] => strides.iter().all(|&stride| stride == 1),
        _ => false,
    };
    let mut info = SmallVec::new();
    if !contiguous {
        info.extend(kept.iter().map(|&(size, _)| size));
        for k in 0..N {
            info.extend(kept.iter().map(|(_, strides)| strides[k]));
        }
    }
    Plan { numel, num_dims: kept.len(), info }
}

/// The layout's elements all lie in a buffer of `len` elements. Layouts come through candle's public constructors,
/// which check nothing; past this point nobody else does.
pub(crate) fn check_bounds(op: &'static str, layout: &Layout, len: usize) -> Result<(), RocmError> {
    check_strided(op, layout.dims(), layout.stride(), layout.start_offset(), len)
}

/// [`check_bounds`] of a layout in its parts.
pub(crate) fn check_strided(
    op: &'static str,
    dims: &[usize],
    stride: &[usize],
    offset: usize,
    len: usize,
) -> Result<(), RocmError> {
    let out_of_bounds =
        || RocmError::LayoutOutOfBounds { op, shape: dims.to_vec(), stride: stride.to_vec(), offset, len };
    if dims.len() != stride.len() {
        return Err(out_of_bounds());
    }
    if dims.contains(&0) {
        return Ok(());
    }
    elem_count(op, dims)?;
    // One past the last element reached must not overflow either.
    let mut end = offset.checked_add(1);
    for (&size, &stride) in dims.iter().zip(stride) {
        end = end.and_then(|end| end.checked_add((size - 1).checked_mul(stride)?));
    }
    match end {
        Some(end) if end <= len => Ok(()),
        _ => Err(out_of_bounds()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(dims: &[usize], stride: &[usize], offset: usize) -> Layout {
        Layout::new(dims.into(), stride.to_vec(), offset)
    }

    fn plan(layouts: &[Layout]) -> Plan {
        let far = usize::MAX;
        match layouts {
            [a] => Plan::new("test", [(a, far)]),
            [a, b] => Plan::new("test", [(a, far), (b, far)]),
            _ => unreachable!("one or two operands"),
        }
        .expect("a valid plan")
    }

    #[track_caller]
    fn check(layouts: &[Layout], numel: usize, num_dims: usize, info: &[usize]) {
        let plan = plan(layouts);
        assert_eq!((plan.numel, plan.num_dims, plan.info.as_slice()), (numel, num_dims, info));
    }

    #[test]
    fn contiguous_needs_no_info() {
        check(&[layout(&[], &[], 7)], 1, 0, &[]);
        check(&[layout(&[2, 3, 4], &[12, 4, 1], 5)], 24, 1, &[]);
        check(&[layout(&[2, 1, 4], &[4, 99, 1], 0)], 8, 1, &[]);
        check(&[layout(&[1, 1], &[0, 17], 0)], 1, 0, &[]);
    }

    #[test]
    fn nothing_to_do_needs_no_info() {
        check(&[layout(&[3, 0, 2], &[1, 5, 9], 0)], 0, 0, &[]);
        check(&[layout(&[1 << 40, 1 << 40, 0], &[1, 5, 9], 0)], 0, 0, &[]);
    }

    #[test]
    fn neighbours_merge() {
        check(&[layout(&[5, 3, 4], &[12, 4, 1], 0).transpose(0, 1).unwrap()], 60, 3, &[3, 5, 4, 4, 12, 1]);
        check(&[layout(&[2, 3, 4], &[4, 8, 1], 0)], 24, 3, &[2, 3, 4, 4, 8, 1]);
        check(&[layout(&[2, 3, 8], &[48, 16, 2], 0)], 48, 1, &[48, 2]);
        check(&[layout(&[4, 5], &[0, 0], 3)], 20, 1, &[20, 0]);
    }

    #[test]
    fn operands_collapse_together() {
        // A bias added to [2, 3, 4]: the leading dimensions merge in both operands.
        check(
            &[layout(&[2, 3, 4], &[12, 4, 1], 0), layout(&[2, 3, 4], &[0, 0, 1], 0)],
            24,
            2,
            &[6, 4, 4, 1, 0, 1],
        );
        // What one operand could merge, the other forbids.
        check(&[layout(&[2, 3], &[3, 1], 0), layout(&[2, 3], &[1, 2], 0)], 6, 2, &[2, 3, 3, 1, 1, 2]);
    }

    #[test]
    fn a_scalar_needs_no_index() {
        let x = layout(&[2, 3], &[3, 1], 0);
        let flat = |other: &[usize]| plan(&[x.clone(), layout(&[2, 3], other, 0)]).is_flat();
        assert!(flat(&[3, 1]) && flat(&[0, 0]));
        assert!(!flat(&[0, 1]) && !flat(&[6, 2]) && !flat(&[1, 2]));
    }

    #[test]
    fn fills_ignore_order_and_repetition() {
        let fill = |l: &Layout| Plan::for_fill("test", l, 1000).unwrap();
        let transposed = layout(&[4, 3], &[1, 4], 0);
        assert_eq!(fill(&transposed), Plan { numel: 12, num_dims: 1, info: SmallVec::new() });
        let repeated = layout(&[9, 4], &[0, 2], 0);
        assert_eq!(fill(&repeated), Plan { numel: 4, num_dims: 1, info: SmallVec::from_slice(&[4, 2]) });
        assert_eq!(fill(&layout(&[0, 4], &[0, 1], 0)).numel, 0);
    }

    #[test]
    fn bounds_are_checked() {
        let inside = layout(&[2, 3], &[3, 1], 4);
        assert!(check_bounds("test", &inside, 10).is_ok());
        for (bad, len) in [
            (inside, 9),
            (layout(&[2], &[usize::MAX], 0), 10),
            (layout(&[], &[], 10), 10),
            (layout(&[2, 2], &[1], 0), 10),
        ] {
            let error = check_bounds("test", &bad, len).unwrap_err();
            assert!(matches!(error, RocmError::LayoutOutOfBounds { .. }), "{error}");
        }
        let error = check_bounds("test", &layout(&[usize::MAX, 2], &[0, 0], 0), 10).unwrap_err();
        assert!(matches!(error, RocmError::TooManyElements { .. }), "{error}");
        // An empty layout reads nothing, wherever it points.
        assert!(check_bounds("test", &layout(&[0], &[1], 77), 10).is_ok());
    }

    #[test]
    fn shapes_must_agree() {
        let (a, b) = (layout(&[2, 3], &[3, 1], 0), layout(&[3, 2], &[2, 1], 0));
        let error = Plan::new("test", [(&a, 6), (&b, 6)]).unwrap_err();
        assert!(matches!(error, RocmError::ShapeMismatch { .. }), "{error}");
    }

    #[test]
    fn many_dimensions_spill() {
        let dims = [2usize; 12];
        // Reversed strides: nothing merges.
        let stride: Vec<usize> = (0..12).map(|d| 1 << d).collect();
        let plan = plan(&[layout(&dims, &stride, 0)]);
        assert_eq!((plan.numel, plan.num_dims, plan.info.len()), (4096, 12, 24));
    }
}
