//! How one operand is read.

use smallvec::SmallVec;

use crate::count::saturating;

/// Bytes of a tile.
const TILE_BYTES: usize = 16 << 10;
/// Of a vector, which a thread moves at once.
const VECTOR_BYTES: usize = 16;
/// A matrix of fewer bytes would leave most of a block idle.
const LEAST_BYTES: usize = 4 << 10;

/// How an operand's elements lie in its buffer, in the order in which they are read.
#[derive(Debug, PartialEq)]
pub(crate) enum Access {
    /// One behind the other.
    Contiguous,
    /// In `count` rows of `len` neighbours, `step` elements from row to row.
    Rows { count: usize, len: usize, step: usize },
    /// Neighbours lie along another dimension than the last.
    Transposed(Transposition),
    /// Any other way.
    Strided,
}

impl Access {
    /// Of dimensions that do not merge, and elements of `size` bytes.
    pub(super) fn of(dims: &[usize], strides: &[usize], size: usize) -> Self {
        match (dims, strides) {
            ([], _) | ([_], [1]) => Self::Contiguous,
            (&[count, len], &[step, 1]) => Self::Rows { count, len, step },
            _ => Transposition::of(dims, strides, size).map_or(Self::Strided, Self::Transposed),
        }
    }
}

/// Any number of matrices: element `(r, c)` of each goes from `r * src_step + c` to `c * dst_step + r`.
#[derive(Debug, PartialEq)]
pub(crate) struct Transposition {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) src_step: usize,
    pub(crate) dst_step: usize,
    /// What a block takes at once, in rows and columns.
    pub(crate) tile: [usize; 2],
    /// Of the matrices: dims, strides in the source, strides in the destination.
    pub(crate) info: SmallVec<[usize; 16]>,
}

impl Transposition {
    /// `None` if this is no such copy, or one that tiles do not make faster.
    fn of(dims: &[usize], strides: &[usize], size: usize) -> Option<Self> {
        let last = dims.len().checked_sub(1)?;
        let unit = strides.iter().position(|&stride| stride == 1)?;
        // Broadcast along the last dimension, each element is read but once as it is.
        if unit == last || strides[last] == 0 {
            return None;
        }
        let (rows, columns) = (dims[last], dims[unit]);
        if saturating(&[rows, columns, size]) < LEAST_BYTES {
            return None;
        }
        let dst_stride = |dim: usize| saturating(&dims[dim + 1..]);
        let others = || (0..last).filter(|&dim| dim != unit);
        let mut info = SmallVec::new();
        info.extend(others().map(|dim| dims[dim]));
        info.extend(others().map(|dim| strides[dim]));
        info.extend(others().map(dst_stride));
        let (src_step, dst_step) = (strides[last], dst_stride(unit));
        Some(Self { rows, columns, src_step, dst_step, tile: tile(rows, columns, size), info })
    }

    pub(crate) fn num_dims(&self) -> usize {
        self.info.len() / 3
    }

    pub(crate) fn matrices(&self) -> usize {
        saturating(&self.info[..self.num_dims()])
    }

    /// Whether all rows and columns, of elements of `size` bytes, are whole vectors apart.
    pub(crate) fn is_aligned(&self, size: usize) -> bool {
        let strides = &self.info[self.num_dims()..];
        let mut steps = [self.src_step, self.dst_step].into_iter().chain(strides.iter().copied());
        steps.all(|step| step.saturating_mul(size).is_multiple_of(VECTOR_BYTES))
    }

    /// Tiles of all matrices.
    pub(crate) fn tiles(&self) -> usize {
        let [rows, columns] = self.tile;
        saturating(&[self.matrices(), self.rows.div_ceil(rows), self.columns.div_ceil(columns)])
    }
}

/// Rows and columns of a tile: the shape that goes through registers in vectors, or for matrices with less than half of
/// its rows or columns one that is as long as it is narrow. In shared memory, columns are padded to an odd length.
fn tile(rows: usize, columns: usize, size: usize) -> [usize; 2] {
    let side = 128 / size;
    let [tile_rows, tile_columns] = match size {
        1 => [side, side],
        2 => [side, 2 * side],
        4 => [2 * side, 2 * side],
        _ => [2 * side, 4 * side],
    };
    let elements = TILE_BYTES / size;
    if columns < tile_columns / 2 {
        [rows.min(elements / columns), columns]
    } else if rows < tile_rows / 2 {
        [rows, columns.min(elements / (rows | 1))]
    } else {
        [tile_rows, tile_columns]
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Layout;

    use super::*;
    use crate::common::plan::Plan;

    fn access(dims: &[usize], stride: &[usize], size: usize) -> Access {
        let layout = Layout::new(dims.into(), stride.to_vec(), 0);
        Plan::new("test", [(&layout, usize::MAX)]).expect("a plan").access(0, size)
    }

    #[track_caller]
    fn transposed(dims: &[usize], stride: &[usize], size: usize) -> Transposition {
        match access(dims, stride, size) {
            Access::Transposed(transposition) => transposition,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn matrices_are_found() {
        let got = transposed(&[100, 200], &[1, 100], 4);
        let want = Transposition {
            rows: 200,
            columns: 100,
            src_step: 100,
            dst_step: 200,
            tile: [64, 64],
            info: SmallVec::new(),
        };
        assert_eq!(got, want);
        assert_eq!(got.tiles(), 4 * 2);
        // NHWC from NCHW: height and width merge.
        let got = transposed(&[2, 30, 40, 64], &[64 * 1200, 40, 1, 1200], 2);
        assert_eq!((got.rows, got.columns, got.src_step, got.dst_step), (64, 1200, 1200, 64));
        assert_eq!((got.tile, got.info.as_slice()), ([64, 128], &[2, 64 * 1200, 64 * 1200][..]));
        // All three dimensions reversed: the middle one counts matrices.
        let got = transposed(&[50, 3, 70], &[1, 50, 150], 8);
        assert_eq!((got.rows, got.columns, got.src_step, got.dst_step), (70, 50, 150, 210));
        assert_eq!(got.info.as_slice(), [3, 50, 70]);
    }

    #[test]
    fn narrow_matrices_have_narrow_tiles() {
        let image = transposed(&[3, 10_000], &[1, 3], 4);
        assert_eq!(image.tile, [4096 / 3, 3]);
        let back = transposed(&[10_000, 3], &[1, 10_000], 4);
        assert_eq!(back.tile, [3, 4096 / 3]);
    }

    /// What the kernel reserves: 16 KiB and 512 bytes.
    #[test]
    fn tiles_fit_in_shared_memory() {
        for size in [1, 2, 4, 8] {
            for rows in (1..300).chain([1000, 100_000]) {
                for columns in (1..300).chain([1000, 100_000]) {
                    let [r, c] = tile(rows, columns, size);
                    assert!(r > 0 && c > 0, "{rows} x {columns} of {size} bytes");
                    assert!(
                        c * (r | 1) * size <= TILE_BYTES + 512,
                        "{rows} x {columns} of {size} bytes: {r} x {c}"
                    );
                }
            }
        }
    }

    #[test]
    fn other_layouts() {
        assert_eq!(access(&[100, 200], &[200, 1], 4), Access::Contiguous);
        assert_eq!(access(&[100, 1, 200], &[300, 9, 1], 4), Access::Rows { count: 100, len: 200, step: 300 });
        assert_eq!(access(&[100, 200], &[2, 200], 4), Access::Strided, "nothing is contiguous");
        assert_eq!(access(&[100, 200], &[1, 0], 4), Access::Strided, "broadcast");
        assert_eq!(access(&[1000, 4, 4], &[16, 1, 4], 4), Access::Strided, "small matrices");
    }

    /// Of two operands, each has an access of its own, whatever the dimensions that both need.
    #[test]
    fn operands_of_a_plan() {
        let (x, y) = (Layout::contiguous((100, 200)), Layout::new((100, 200).into(), vec![1, 100], 0));
        let plan = Plan::new("test", [(&x, usize::MAX), (&y, usize::MAX)]).expect("a plan");
        assert_eq!(plan.access(0, 4), Access::Contiguous);
        assert_eq!(plan.access(1, 4), Access::Transposed(transposed(&[100, 200], &[1, 100], 4)));
        let both = Plan::new("test", [(&x, usize::MAX), (&x, usize::MAX)]).expect("a plan");
        assert_eq!(plan.with_contiguous::<2>(1), both);
    }
}
