//! This crate's own kernels: which one, in how many blocks.

use candle_core::DType;
use rocm_kernels::{GEMM, GEMM_MATRIX, MATVEC};

use super::{GemmShape, Matrix};
use crate::common::launch::KernelName;
use crate::hip::{Buffer, LaunchConfig};
use crate::platform::NVIDIA;
use crate::{RocmDType, RocmDevice, RocmError};

/// Blocks of a launch, of 256 threads.
const MOST_BLOCKS: usize = LaunchConfig::most_blocks(256);
/// The most blocks along the grid's z.
const MOST_MATRICES: usize = 65535;
/// Rows that `matvec_rows8_*` takes at once.
const FEW_ROWS: usize = 8;
/// Rows that are too few for the tiles of `gemm_matrix_*`.
const FEW_MATRIX_ROWS: usize = 16;

/// C = A B; the matrices were checked, and there is something to write.
pub(super) fn gemm<T: RocmDType>(
    device: &RocmDevice,
    shape: GemmShape,
    (a, at_a): (&Buffer<T>, Matrix),
    (b, at_b): (&Buffer<T>, Matrix),
    (c, at_c): (&mut Buffer<T>, Matrix),
) -> Result<(), RocmError> {
    let plan = Plan::new::<T>(device, shape, at_a, at_b, at_c);
    let (shape, at_a, at_b, at_c) = plan.turn(shape, at_a, at_b, at_c);
    let (a, b) = if plan.transposed { (b, a) } else { (a, b) };
    if plan.blocks > MOST_BLOCKS {
        // Only sides of billions get here.
        let (first, [a_2, b_2, c_2]) = halve(shape, at_a, at_b, at_c);
        let second = if shape.m >= shape.n {
            GemmShape { m: shape.m - first.m, ..shape }
        } else {
            GemmShape { n: shape.n - first.n, ..shape }
        };
        gemm(device, first, (a, at_a), (b, at_b), (&mut *c, at_c))?;
        return gemm(device, second, (a, a_2), (b, b_2), (c, c_2));
    }
    let name = KernelName::new(format_args!("{}_{}", plan.kernel, T::KERNEL_DTYPE));
    for first in (0..shape.batch).step_by(MOST_MATRICES) {
        let matrices = (shape.batch - first).min(MOST_MATRICES);
        let mut launch = device.launch(plan.module, name.as_str());
        launch.arg(&shape.m).arg(&shape.n).arg(&shape.k);
        for (buffer, at) in [(a, at_a), (b, at_b), (&*c, at_c)] {
            // An empty buffer, where k = 0, has no element to point to.
            let offset = if buffer.is_empty() { 0 } else { at.offset + first * at.batch };
            launch.buffer(buffer, offset).arg(&at.batch).arg(&at.row).arg(&at.col);
        }
        let config = LaunchConfig {
            grid: [plan.blocks as u32, 1, matrices as u32],
            block: [plan.threads, 1, 1],
            shared_bytes: 0,
        };
        // SAFETY: the parameters are those of GEMM_KERNEL in gemm.h; the matrices were checked, and C is borrowed
        // exclusively.
        unsafe { launch.run(config) }?;
    }
    Ok(())
}

/// The first half along the longer side, and where the second one begins.
fn halve(shape: GemmShape, a: Matrix, b: Matrix, c: Matrix) -> (GemmShape, [Matrix; 3]) {
    if shape.m >= shape.n {
        let half = shape.m / 2;
        let a = Matrix { offset: a.offset + half * a.row, ..a };
        (GemmShape { m: half, ..shape }, [a, b, Matrix { offset: c.offset + half * c.row, ..c }])
    } else {
        let half = shape.n / 2;
        let b = Matrix { offset: b.offset + half * b.col, ..b };
        (GemmShape { n: half, ..shape }, [a, b, Matrix { offset: c.offset + half * c.col, ..c }])
    }
}

/// A kernel and its blocks.
struct Plan {
    module: &'static rocm_kernels::Module,
    kernel: &'static str,
    /// The transposed product is computed, B' A'.
    transposed: bool,
    threads: u32,
    blocks: usize,
}

impl Plan {
    fn new<T: RocmDType>(device: &RocmDevice, shape: GemmShape, a: Matrix, b: Matrix, c: Matrix) -> Self {
        let GemmShape { batch, m, n, k } = shape;
        let floats = matches!(T::DTYPE, DType::F32 | DType::F64 | DType::F16 | DType::BF16);
        if floats && m.min(n) <= FEW_ROWS && k > 0 {
            let transposed = n < m;
            // Of the operand with many columns: the strides along k, and across.
            let (rows, cols, [along, across]) =
                if transposed { (n, m, [a.col, a.row]) } else { (m, n, [b.row, b.col]) };
            let module = &MATVEC;
            if along == 1 || k == 1 || (rows == 1 && along < across) {
                let kernel = if rows == 1 { "matvec_rows" } else { "matvec_rows8" };
                let waves = 256 / device.wavefront_size();
                return Self {
                    module,
                    kernel,
                    transposed,
                    threads: 256,
                    blocks: cols.div_ceil(waves as usize),
                };
            }
            if rows == 1 {
                let per_lane = 4usize.div_ceil(size_of::<T>());
                let blocks = cols.div_ceil(device.wavefront_size() as usize * per_lane);
                // Few blocks can have many waves each, if there is something to do for them.
                let idle = blocks * batch < 2 * device.hip_device().compute_units() as usize;
                let threads = if idle && k >= 1024 { 1024 } else { 256 };
                return Self { module, kernel: "matvec_cols", transposed, threads, blocks };
            }
        }
        if device.uses_matrix_cores(T::DTYPE)
            && let Some(plan) = Self::on_matrix_cores(device, shape, a, b, c)
        {
            return plan;
        }
        // Rows of the result are written in vectors.
        let transposed = c.col != 1 && c.row == 1;
        let tiles = |side: usize| m.div_ceil(side).saturating_mul(n.div_ceil(side));
        let units = device.hip_device().compute_units() as usize;
        // Tiles that are mostly used, and enough of them to keep the card busy.
        let worth = |side: usize| m.min(n) > side / 2 && tiles(side).saturating_mul(batch) >= units;
        let (kernel, side) = match () {
            () if floats && T::DTYPE != DType::F64 && worth(128) => ("gemm_large", 128),
            () if !floats || worth(64) => ("gemm_medium", 64),
            () => ("gemm_small", 32),
        };
        Self { module: &GEMM, kernel, transposed, threads: 256, blocks: tiles(side) }
    }

    /// For more than a few rows and columns, if one operand's rows, or columns, are dense along k.
    fn on_matrix_cores(
        device: &RocmDevice,
        GemmShape { batch, m, n, k }: GemmShape,
        a: Matrix,
        b: Matrix,
        c: Matrix,
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
        // Eight elements are there as one, or not; and NVIDIA's cards read them only where 16 bytes begin.
        let mut dense = [k, if across { columns } else { k }].into_iter();
        let along = if across { right.row } else { right.col };
        let mut starts = [left.offset, left.batch, left.row, right.offset, right.batch, along].into_iter();
        let aligned = device.platform() != NVIDIA || starts.all(|step| step.is_multiple_of(8));
        if !aligned || !dense.all(|length| length.is_multiple_of(8)) {
            return None;
        }
        let tiles = |side: usize| m.div_ceil(side).saturating_mul(n.div_ceil(side));
        let units = device.hip_device().compute_units() as usize;
        // Tiles that are mostly used, and enough of them to keep the card busy.
        let large = m.min(n) > 64 && tiles(128).saturating_mul(batch) >= units;
        let (kernel, side) = match (large, across) {
            (true, false) => ("gemm_matrix_128", 128),
            (true, true) => ("gemm_matrix_across_128", 128),
            (false, false) => ("gemm_matrix_64", 64),
            (false, true) => ("gemm_matrix_across_64", 64),
        };
        let threads = if large && device.platform() != NVIDIA { 256 } else { 128 };
        Some(Self { module: &GEMM_MATRIX, kernel, transposed, threads, blocks: tiles(side) })
    }

    fn turn(&self, shape: GemmShape, a: Matrix, b: Matrix, c: Matrix) -> (GemmShape, Matrix, Matrix, Matrix) {
        if !self.transposed {
            return (shape, a, b, c);
        }
        let shape = GemmShape { m: shape.n, n: shape.m, ..shape };
        (shape, b.transposed(), a.transposed(), c.transposed())
    }
}
