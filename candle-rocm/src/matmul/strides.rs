//! Where the matrices lie: from candle's layouts to strides, and from strides to what BLAS takes.

use candle_core::Layout;
use smallvec::SmallVec;

use super::{GemmShape, Matrix};
use crate::common::plan::check_strided;
use crate::count::{elem_count, product, saturating};
use crate::hip::Buffer;
use crate::{Element, RocmDevice, RocmError};

/// All elements lie in the buffer, which is the device's.
pub(crate) fn check<T: Element>(
    op: &'static str,
    device: &RocmDevice,
    buffer: &Buffer<T>,
    at: Matrix,
    dims: [usize; 3],
) -> Result<(), RocmError> {
    if buffer.pool() != device.queue().pool() {
        let (lhs, rhs) = (device.label(), buffer.pool().stream().to_string());
        return Err(RocmError::WrongDevice { op, lhs, rhs });
    }
    check_strided(op, &dims, &[at.batch, at.row, at.col], at.offset, buffer.len())
}

/// x as rows of its last dimension, at one distance: their number, their length, and where they are.
pub(crate) fn as_rows(
    op: &'static str,
    layout: &Layout,
) -> Result<Option<(usize, usize, Matrix)>, RocmError> {
    let Some((&k, outer)) = layout.dims().split_last() else { return Ok(None) };
    let m = elem_count(op, outer)?;
    let mut axes = layout.dims().iter().zip(layout.stride()).rev();
    let col = axes.next().map_or(1, |(_, &stride)| stride);
    let mut row = None;
    let mut next = 0;
    for (&size, &stride) in axes.filter(|(size, _)| **size > 1) {
        if row.is_some() && stride != next {
            return Ok(None);
        }
        row = row.or(Some(stride));
        next = size.saturating_mul(stride);
    }
    Ok(Some((m, k, Matrix { offset: layout.start_offset(), batch: 0, row: row.unwrap_or(k), col })))
}

/// Where all of the batch are multiplied with the same B, their rows are those of one matrix, and where with the same A,
/// their columns.
pub(super) fn fold_batch(shape: GemmShape, [a, b, c]: [Matrix; 3]) -> (GemmShape, [Matrix; 3]) {
    let GemmShape { batch, m, n, .. } = shape;
    if batch == 1 {
        return (shape, [a, b, c]);
    }
    // The strides of one row may be anything.
    let (a_row, c_row) = if m == 1 { (a.batch, c.batch) } else { (a.row, c.row) };
    if b.batch == 0 && a.batch == m * a_row && c.batch == m * c_row {
        let shape = GemmShape { batch: 1, m: batch * m, ..shape };
        return (shape, [Matrix { row: a_row, ..a }, b, Matrix { row: c_row, ..c }]);
    }
    let (b_col, c_col) = if n == 1 { (b.batch, c.batch) } else { (b.col, c.col) };
    if a.batch == 0 && b.batch == n * b_col && c.batch == n * c_col {
        let shape = GemmShape { batch: 1, n: batch * n, ..shape };
        return (shape, [a, Matrix { col: b_col, ..b }, Matrix { col: c_col, ..c }]);
    }
    (shape, [a, b, c])
}

/// A matrix as BLAS takes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BlasForm {
    /// Stored in rows.
    pub(super) transposed: bool,
    /// Elements between columns, or rows.
    pub(super) ld: usize,
}

/// `None`: neither rows nor columns are contiguous, or they overlap.
pub(super) fn blas(at: Matrix, rows: usize, cols: usize) -> Option<BlasForm> {
    // Columns of `len` elements; where there is but one column, or columns are of one element, strides do not matter.
    let ld = |len: usize, count: usize, along: usize, between: usize| {
        let apart = if count <= 1 { len } else { between };
        ((len <= 1 || along == 1) && apart >= len.max(1)).then_some(apart)
    };
    let in_columns = ld(rows, cols, at.row, at.col).map(|ld| BlasForm { transposed: false, ld });
    in_columns.or_else(|| ld(cols, rows, at.col, at.row).map(|ld| BlasForm { transposed: true, ld }))
}

type Dims = SmallVec<[(usize, usize); 4]>;

/// An operand of `matmul`: its matrices, and the dimensions that count them.
pub(super) struct Batched {
    /// Sizes and strides, outermost first, as few as say it.
    dims: Dims,
    /// The sizes as they were, without those of 1.
    sizes: SmallVec<[usize; 4]>,
    /// All the strides of these.
    strides: SmallVec<[usize; 4]>,
    at: Matrix,
}

/// Whether these are the dimensions: `rows` x `cols` the last two, and `batch` all others together.
pub(super) fn are_dims(layout: &Layout, [batch, rows, cols]: [usize; 3]) -> bool {
    let Some((sizes, matrix)) = layout.dims().split_last_chunk::<2>() else { return false };
    layout.stride().len() == layout.dims().len() && *matrix == [rows, cols] && product(sizes) == Some(batch)
}

impl Batched {
    /// `None`: these are not the dimensions.
    pub(super) fn new(layout: &Layout, [batch, rows, cols]: [usize; 3]) -> Option<Self> {
        if !are_dims(layout, [batch, rows, cols]) {
            return None;
        }
        let (sizes, _) = layout.dims().split_last_chunk::<2>()?;
        let (strides, &[row, col]) = layout.stride().split_last_chunk::<2>()?;
        let kept = || sizes.iter().zip(strides).filter(|&(&size, _)| size != 1);
        let mut dims = Dims::new();
        for (&size, &stride) in kept() {
            match dims.last_mut() {
                Some((outer, between)) if *between == size.wrapping_mul(stride) => {
                    *outer *= size;
                    *between = stride;
                }
                _ => dims.push((size, stride)),
            }
        }
        let at = Matrix { offset: layout.start_offset(), batch: 0, row, col };
        let sizes = kept().map(|(&size, _)| size).collect();
        Some(Self { dims, sizes, strides: kept().map(|(_, &stride)| stride).collect(), at })
    }

    /// If one stride leads from each matrix to the next.
    pub(super) fn matrix(&self) -> Option<Matrix> {
        match self.dims.as_slice() {
            [] => Some(self.at),
            [(_, stride)] => Some(Matrix { batch: *stride, ..self.at }),
            _ => None,
        }
    }
}

/// Batches of pairs that both operands, and a contiguous result, have one stride for.
pub(super) struct Pairs {
    /// Pairs in each of them.
    pub(super) batch: usize,
    /// How many there are.
    pub(super) calls: usize,
    /// From pair to pair: in A, B, C.
    inner: [usize; 3],
    /// The dimensions that count the calls.
    outer: SmallVec<[(usize, [usize; 3]); 4]>,
}

/// `None` where the operands' dimensions differ: then only counting tells which belong together.
pub(super) fn pair(a: &Batched, b: &Batched, matrix_len: usize) -> Option<Pairs> {
    if a.sizes != b.sizes {
        return None;
    }
    let mut outer: SmallVec<[(usize, [usize; 3]); 4]> = SmallVec::new();
    let mut between = saturating(&a.sizes).saturating_mul(matrix_len);
    for ((&size, &stride_a), &stride_b) in a.sizes.iter().zip(&a.strides).zip(&b.strides) {
        between /= size.max(1);
        let strides = [stride_a, stride_b, between];
        match outer.last_mut() {
            Some((count, last)) if (0..3).all(|i| last[i] == size.wrapping_mul(strides[i])) => {
                *count *= size;
                *last = strides;
            }
            _ => outer.push((size, strides)),
        }
    }
    let largest = (0..outer.len()).max_by_key(|&dim| outer[dim].0)?;
    let (batch, inner) = outer.remove(largest);
    let calls: SmallVec<[usize; 4]> = outer.iter().map(|&(size, _)| size).collect();
    Some(Pairs { batch, calls: saturating(&calls), inner, outer })
}

impl Pairs {
    /// Where A, B and C lie in each call.
    pub(super) fn each(
        &self,
        a: &Batched,
        b: &Batched,
        c: Matrix,
    ) -> impl Iterator<Item = (Matrix, Matrix, Matrix)> {
        let at = [a.at, b.at, c];
        (0..self.calls).map(move |call| {
            let mut left = call;
            let mut at = at;
            for (at, &inner) in at.iter_mut().zip(&self.inner) {
                at.batch = inner;
            }
            for (size, strides) in self.outer.iter().rev() {
                for (at, stride) in at.iter_mut().zip(strides) {
                    at.offset += left % size * stride;
                }
                left /= size;
            }
            (at[0], at[1], at[2])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(batch: usize, row: usize, col: usize) -> Matrix {
        Matrix { offset: 0, batch, row, col }
    }

    #[test]
    fn blas_takes_rows_or_columns() {
        let form = |transposed, ld| Some(BlasForm { transposed, ld });
        assert_eq!(blas(at(0, 1, 5), 4, 3), form(false, 5));
        assert_eq!(blas(at(0, 3, 1), 4, 3), form(true, 3));
        assert_eq!(blas(at(0, 7, 1), 4, 3), form(true, 7));
        // One row: its stride is no matter; it is one column per element.
        assert_eq!(blas(at(0, 99, 1), 1, 3), form(false, 1));
        assert_eq!(blas(at(0, 99, 2), 1, 3), form(false, 2));
        // One column of elements far apart: a row per element.
        assert_eq!(blas(at(0, 6, 99), 4, 1), form(true, 6));
        assert_eq!(blas(at(0, 0, 0), 1, 1), form(false, 1));
        // Repeated rows, gaps in both directions, overlapping rows.
        assert_eq!(blas(at(0, 0, 1), 4, 3), None);
        assert_eq!(blas(at(0, 1, 0), 4, 3), None);
        assert_eq!(blas(at(0, 6, 2), 4, 3), None);
        assert_eq!(blas(at(0, 2, 1), 4, 3), None);
    }

    #[test]
    fn a_shared_operand_makes_one_product() {
        let shape = GemmShape { batch: 5, m: 2, n: 3, k: 4 };
        let (a, b, c) = (at(8, 4, 1), at(12, 3, 1), at(6, 3, 1));
        assert_eq!(fold_batch(shape, [a, b, c]), (shape, [a, b, c]));
        let (folded, [a, _, c]) = fold_batch(shape, [a, at(0, 3, 1), c]);
        assert_eq!((folded.batch, folded.m, a.row, c.row), (1, 10, 4, 3));
        // One row each, whatever their stride.
        let (folded, [a, _, c]) =
            fold_batch(GemmShape { m: 1, ..shape }, [at(9, 7, 1), at(0, 3, 1), at(3, 1, 1)]);
        assert_eq!((folded.batch, folded.m, a.row, c.row), (1, 5, 9, 3));
        // The same A; the result is column-major.
        let (folded, [_, b, c]) = fold_batch(shape, [at(0, 4, 1), at(12, 1, 4), at(6, 1, 2)]);
        assert_eq!((folded.batch, folded.n, b.col, c.col), (1, 15, 4, 2));
    }

    #[test]
    fn batches_of_several_dimensions() {
        let batched = |dims: &[usize], stride: &[usize], want: [usize; 3]| {
            Batched::new(&Layout::new(dims.into(), stride.to_vec(), 1), want).unwrap()
        };
        let plain = batched(&[2, 3, 4, 5], &[60, 20, 5, 1], [6, 4, 5]);
        assert_eq!(plain.matrix(), Some(Matrix { offset: 1, batch: 20, row: 5, col: 1 }));
        let none = batched(&[4, 5], &[5, 1], [1, 4, 5]);
        assert_eq!(none.matrix(), Some(Matrix { offset: 1, batch: 0, row: 5, col: 1 }));
        // [b, h, s, d] out of [b, s, h, d].
        let heads = batched(&[2, 3, 4, 5], &[60, 5, 15, 1], [6, 4, 5]);
        assert_eq!(heads.matrix(), None);
        let pairs = pair(&heads, &plain, 16).unwrap();
        assert_eq!((pairs.batch, pairs.calls), (3, 2));
        let c = Matrix::row_major(0, 4, 4);
        let each: Vec<_> =
            pairs.each(&heads, &plain, c).map(|(a, b, c)| [a.offset, b.offset, c.offset]).collect();
        assert_eq!(each, [[1, 1, 0], [61, 61, 48]]);
        assert_eq!(pairs.inner, [5, 20, 16]);
        // Counted differently.
        assert!(pair(&heads, &batched(&[3, 2, 4, 5], &[40, 20, 5, 1], [6, 4, 5]), 16).is_none());
        assert!(Batched::new(&Layout::contiguous((2, 3)), [1, 3, 2]).is_none());
        assert!(Batched::new(&Layout::contiguous(6), [1, 3, 2]).is_none());
        assert!(Batched::new(&Layout::contiguous((5, 3, 2)), [4, 3, 2]).is_none());
    }
}
