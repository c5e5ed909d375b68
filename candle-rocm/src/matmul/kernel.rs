//! Which of this crate's kernels multiplies two matrices, in how many blocks.

use candle_core::DType;
use rocm_kernels::{GEMM, GEMM_MATRIX, MATVEC};

use super::{GemmShape, Matrix};
use crate::dtype::DTypeExt;
use crate::tuning::candidates;
use crate::{RocmDType, RocmDevice};

candidates! {
    /// What multiplies matrices of floats. The bounds are [`GemmKernel::of`]'s.
    Candidate {
        /// Where rocBLAS is available.
        Rocblas "rocblas",
        /// Up to eight rows, B dense along k: a wavefront per column.
        MatvecRows "matvec_rows",
        /// One row, B dense across: blocks of 256 threads.
        MatvecCols "matvec_cols",
        /// The same in blocks of 1024 threads.
        MatvecColsWide "matvec_cols_1024",
        /// Tiles of 32 rows and columns.
        Small "gemm_small",
        /// Tiles of 64 for more than 16.
        Medium "gemm_medium",
        /// Tiles of 128 for more than 32, but of f64.
        Large "gemm_large",
        /// Tiles of 64 on matrix cores, for operands that they take.
        Matrix64 "gemm_matrix_64",
        /// Tiles of 128 on matrix cores for more than 32.
        Matrix128 "gemm_matrix_128",
    }
}

/// Rows that `matvec_rows8_*` takes at once.
const FEW_ROWS: usize = 8;
/// Rows that are too few for the tiles of `gemm_matrix_*`.
const FEW_MATRIX_ROWS: usize = 16;

/// The threads of a block of matvec.hip with so many rows, and its columns.
pub(crate) fn block_of(device: &RocmDevice, rows: usize) -> (u32, usize) {
    let wave = device.wavefront_size();
    if rows == 1 { (256, (256 / wave) as usize) } else { (8 * wave, 16) }
}

/// A kernel and its blocks.
pub(super) struct GemmKernel {
    pub(super) candidate: Candidate,
    pub(super) module: &'static rocm_kernels::Module,
    pub(super) kernel: &'static str,
    /// The transposed product is computed, B' A'.
    pub(super) transposed: bool,
    pub(super) threads: u32,
    pub(super) blocks: usize,
}

impl GemmKernel {
    /// The plan of today's rules.
    pub(super) fn by_rule<T: RocmDType>(
        device: &RocmDevice,
        shape: GemmShape,
        a: Matrix,
        b: Matrix,
        c: Matrix,
    ) -> Self {
        let GemmShape { batch, m, n, k } = shape;
        let units = device.hip_device().compute_units() as usize;
        if let Some(few) = Few::of::<T>(shape, a, b) {
            if few.along == 1 || k == 1 || (few.rows == 1 && few.along < few.across) {
                return few.matvec_rows(device);
            }
            if few.rows == 1 {
                let narrow = few.matvec_cols::<T>(device, 256);
                // Few blocks can have many waves each, if there is something to do for them.
                let idle = narrow.blocks * batch < 2 * units;
                return if idle && k >= 1024 { few.matvec_cols::<T>(device, 1024) } else { narrow };
            }
        }
        let tiles = |side: usize| m.div_ceil(side).saturating_mul(n.div_ceil(side)).saturating_mul(batch);
        if device.uses_matrix_cores(T::DTYPE) {
            // Tiles that are mostly used, and enough of them to keep the card busy.
            let large = m.min(n) > 64 && tiles(128) >= units;
            if let Some(plan) = Self::on_matrix_cores(device, shape, a, b, c, large) {
                return plan;
            }
        }
        let worth = |side: usize| m.min(n) > side / 2 && tiles(side) >= units;
        let candidate = match () {
            () if is_float::<T>() && T::DTYPE != DType::F64 && worth(128) => Candidate::Large,
            () if !is_float::<T>() || worth(64) => Candidate::Medium,
            () => Candidate::Small,
        };
        Self::in_tiles(candidate, shape, c)
    }

    /// The plan of a given kernel. `None` if it does not take the operands, or is not made for them.
    pub(super) fn of<T: RocmDType>(
        candidate: Candidate,
        device: &RocmDevice,
        shape: GemmShape,
        a: Matrix,
        b: Matrix,
        c: Matrix,
    ) -> Option<Self> {
        use Candidate as Is;
        let side = shape.m.min(shape.n);
        let few = || Few::of::<T>(shape, a, b);
        let matrix = |large| {
            let there = device.uses_matrix_cores(T::DTYPE);
            Self::on_matrix_cores(device, shape, a, b, c, large).filter(|_| there)
        };
        let tiles = |least| (is_float::<T>() && side > least).then(|| Self::in_tiles(candidate, shape, c));
        match candidate {
            Is::Rocblas => None,
            Is::MatvecRows => few()
                .filter(|few| few.along < few.across || few.along == 1)
                .map(|few| few.matvec_rows(device)),
            Is::MatvecCols | Is::MatvecColsWide => {
                let threads = if candidate == Is::MatvecCols { 256 } else { 1024 };
                let few = few().filter(|few| few.rows == 1 && few.across <= few.along)?;
                Some(few.matvec_cols::<T>(device, threads))
            }
            Is::Small => tiles(1),
            Is::Medium => tiles(16),
            Is::Large => tiles(32).filter(|_| T::DTYPE != DType::F64),
            Is::Matrix64 => matrix(false),
            Is::Matrix128 => matrix(true).filter(|_| side > 32),
        }
    }

    fn in_tiles(candidate: Candidate, GemmShape { m, n, .. }: GemmShape, c: Matrix) -> Self {
        let (kernel, side) = match candidate {
            Candidate::Large => ("gemm_large", 128usize),
            Candidate::Medium => ("gemm_medium", 64),
            _ => ("gemm_small", 32),
        };
        // Rows of the result are written in vectors.
        let transposed = c.col != 1 && c.row == 1;
        let blocks = m.div_ceil(side).saturating_mul(n.div_ceil(side));
        Self { candidate, module: &GEMM, kernel, transposed, threads: 256, blocks }
    }

    /// For more than a few rows and columns, if one operand's rows, or columns, are dense along k.
    fn on_matrix_cores(
        device: &RocmDevice,
        GemmShape { m, n, k, .. }: GemmShape,
        a: Matrix,
        b: Matrix,
        c: Matrix,
        large: bool,
    ) -> Option<Self> {
        if m.min(n) <= FEW_MATRIX_ROWS || k == 0 || [m, n, k].into_iter().max() > Some(i32::MAX as usize) {
            return None;
        }
        // What the kernel takes as A is dense along k; as B along k, or across.
        let straight = a.col == 1 && (b.row == 1 || b.col == 1);
        let turned = b.row == 1 && (a.col == 1 || a.row == 1);
        let transposed = match (straight, turned) {
            // Rows of the result are written in vectors.
            (true, true) => c.col != 1 && c.row == 1,
            (true, false) => false,
            (false, true) => true,
            (false, false) => return None,
        };
        let (left, right, columns) = if transposed { (b.transposed(), a.transposed(), m) } else { (a, b, n) };
        let across = right.row != 1;
        // Eight elements are there as one, or not; and some cards read them only where 16 bytes begin.
        let mut dense = [k, if across { columns } else { k }].into_iter();
        let along = if across { right.row } else { right.col };
        let mut starts = [left.offset, left.batch, left.row, right.offset, right.batch, along].into_iter();
        let aligned = !device.needs_aligned_vectors() || starts.all(|step| step.is_multiple_of(8));
        if !aligned || !dense.all(|length| length.is_multiple_of(8)) {
            return None;
        }
        let (kernel, side) = match (large, across) {
            (true, false) => ("gemm_matrix_128", 128usize),
            (true, true) => ("gemm_matrix_across_128", 128),
            (false, false) => ("gemm_matrix_64", 64),
            (false, true) => ("gemm_matrix_across_64", 64),
        };
        let threads = if large { device.matrix_tile_threads() } else { 128 };
        let candidate = if large { Candidate::Matrix128 } else { Candidate::Matrix64 };
        let blocks = m.div_ceil(side).saturating_mul(n.div_ceil(side));
        Some(Self { candidate, module: &GEMM_MATRIX, kernel, transposed, threads, blocks })
    }

    pub(super) fn turn(
        &self,
        shape: GemmShape,
        a: Matrix,
        b: Matrix,
        c: Matrix,
    ) -> (GemmShape, Matrix, Matrix, Matrix) {
        if !self.transposed {
            return (shape, a, b, c);
        }
        let shape = GemmShape { m: shape.n, n: shape.m, ..shape };
        (shape, b.transposed(), a.transposed(), c.transposed())
    }
}

/// Whether it is a matrix times one vector, with the matrix dense along their sum and of so many bytes at most.
pub(super) fn is_of_one_vector<T: RocmDType>(shape: GemmShape, a: Matrix, b: Matrix, bytes: usize) -> bool {
    let fits = |few: Few| {
        let elements = few.cols.saturating_mul(shape.k);
        few.rows == 1 && few.along == 1 && elements <= bytes / size_of::<T>()
    };
    shape.batch == 1 && Few::of::<T>(shape, a, b).is_some_and(fits)
}

/// A product of few rows, or of few columns, which are the rows of the transposed one.
struct Few {
    transposed: bool,
    rows: usize,
    cols: usize,
    /// Of the operand with many columns: the strides along k, and across.
    along: usize,
    across: usize,
}

impl Few {
    fn of<T: RocmDType>(GemmShape { m, n, k, .. }: GemmShape, a: Matrix, b: Matrix) -> Option<Self> {
        if !is_float::<T>() || m.min(n) > FEW_ROWS || k == 0 {
            return None;
        }
        Some(match n < m {
            true => Self { transposed: true, rows: n, cols: m, along: a.col, across: a.row },
            false => Self { transposed: false, rows: m, cols: n, along: b.row, across: b.col },
        })
    }

    /// A wavefront for each column of one row.
    fn matvec_rows(&self, device: &RocmDevice) -> GemmKernel {
        let (candidate, transposed) = (Candidate::MatvecRows, self.transposed);
        let kernel = if self.rows == 1 { "matvec_rows" } else { "matvec_rows8" };
        let (threads, columns) = block_of(device, self.rows);
        let blocks = self.cols.div_ceil(columns);
        GemmKernel { candidate, module: &MATVEC, kernel, transposed, threads, blocks }
    }

    /// Lanes along the columns, of one row.
    fn matvec_cols<T: RocmDType>(&self, device: &RocmDevice, threads: u32) -> GemmKernel {
        let wide = threads > 256;
        let candidate = if wide { Candidate::MatvecColsWide } else { Candidate::MatvecCols };
        let per_lane = 4usize.div_ceil(size_of::<T>());
        let blocks = self.cols.div_ceil(device.wavefront_size() as usize * per_lane);
        GemmKernel {
            candidate,
            module: &MATVEC,
            kernel: "matvec_cols",
            transposed: self.transposed,
            threads,
            blocks,
        }
    }
}

fn is_float<T: RocmDType>() -> bool {
    T::DTYPE.is_16_to_64_bit_float()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::HOST;
    use crate::tuning::Candidate as _;

    #[test]
    fn one_vector() {
        let is = |m, n, k, b: Matrix, bytes| {
            let shape = GemmShape { batch: 1, m, n, k };
            is_of_one_vector::<f32>(shape, Matrix::row_major(0, m, k), b, bytes)
        };
        let along = |n, k| Matrix::row_major(0, n, k).transposed();
        assert!(is(1, 10, 8, along(10, 8), 320) && !is(1, 10, 8, along(10, 8), 319));
        assert!(is(10, 1, 8, along(1, 8), 320) && !is(2, 10, 8, along(10, 8), 320));
        assert!(!is(1, 10, 8, Matrix::row_major(0, 8, 10), 320) && !is(1, 10, 0, along(10, 0), 320));
    }

    /// Each candidate is its kernel, in blocks enough for the result, within its bounds.
    #[test]
    fn candidates() {
        use Candidate as Is;
        let device = RocmDevice::on(HOST, 0).unwrap();
        device.set_matrix_cores(true);
        let (rows, columns) = (
            |rows, cols| Matrix::row_major(0, rows, cols),
            |rows, cols| Matrix::row_major(0, cols, rows).transposed(),
        );
        let kernels = |m, n, k, dense_along_k: bool, half: bool| {
            let shape = GemmShape { batch: 1, m, n, k };
            let (a, c) = (rows(m, k), rows(m, n));
            let b = if dense_along_k { columns(k, n) } else { rows(k, n) };
            let plan = |is| match half {
                true => GemmKernel::of::<half::f16>(is, &device, shape, a, b, c),
                false => GemmKernel::of::<f64>(is, &device, shape, a, b, c),
            };
            let plans = Is::ALL.iter().filter_map(|&is| Some((is, plan(is)?)));
            plans
                .map(|(is, plan)| {
                    assert_eq!(plan.candidate, is);
                    (plan.kernel, plan.blocks, plan.threads)
                })
                .collect::<Vec<_>>()
        };
        let waves = (256 / device.wavefront_size()) as usize;
        let lanes = device.wavefront_size() as usize;
        assert_eq!(kernels(1, 100, 64, true, true), [("matvec_rows", 100usize.div_ceil(waves), 256)]);
        assert_eq!(
            kernels(1, 1000, 64, false, false),
            [
                ("matvec_cols", 1000usize.div_ceil(lanes), 256),
                ("matvec_cols", 1000usize.div_ceil(lanes), 1024)
            ]
        );
        assert_eq!(
            kernels(7, 100, 64, true, true),
            [("matvec_rows8", 7, 8 * device.wavefront_size()), ("gemm_small", 4, 256)]
        );
        assert_eq!(
            kernels(17, 40, 64, true, true),
            [("gemm_small", 2, 256), ("gemm_medium", 1, 256), ("gemm_matrix_64", 1, 128)]
        );
        assert_eq!(
            kernels(130, 128, 64, false, true)[2..],
            [("gemm_large", 2, 256), ("gemm_matrix_across_64", 6, 128), ("gemm_matrix_across_128", 2, 256)]
        );
        assert_eq!(kernels(130, 128, 64, false, false), [("gemm_small", 20, 256), ("gemm_medium", 6, 256)]);
        // Rows of 63 elements do not begin where vectors do.
        assert_eq!(kernels(130, 128, 63, true, true).len(), 3);
    }
}
