//! Launches of this crate's own kernels.

use super::kernel::GemmKernel;
use super::{GemmShape, Matrix, ResultOf};
use crate::common::launch::KernelName;
use crate::hip::{Buffer, LaunchConfig};
use crate::{RocmDType, RocmDevice, RocmError};

/// Blocks of a launch, of 256 threads.
const MOST_BLOCKS: usize = LaunchConfig::most_blocks(256);
/// The most blocks along the grid's z.
const MOST_MATRICES: usize = 65535;

/// What is added to the product of one matrix: element (r, c) is at `row * r + col * c`. All that it reads is there.
#[derive(Clone, Copy)]
pub(super) struct Addend<'a, T> {
    pub(super) buffer: &'a Buffer<T>,
    pub(super) offset: usize,
    pub(super) row: usize,
    pub(super) col: usize,
}

impl<T> Addend<'_, T> {
    fn transposed(self) -> Self {
        Self { row: self.col, col: self.row, ..self }
    }

    /// From so many elements on.
    fn from(self, elements: usize) -> Self {
        Self { offset: self.offset + elements, ..self }
    }
}

/// C = A B + D, where there is a D, by this plan, or by the one of the rule; the matrices were checked, and there is something to write.
pub(super) fn gemm<T: RocmDType, C: ResultOf<T>>(
    device: &RocmDevice,
    plan: Option<GemmKernel>,
    shape: GemmShape,
    (a, at_a): (&Buffer<T>, Matrix),
    (b, at_b): (&Buffer<T>, Matrix),
    (c, at_c): (&mut Buffer<C>, Matrix),
    d: Option<Addend<'_, C>>,
) -> Result<(), RocmError> {
    let plan = plan.unwrap_or_else(|| GemmKernel::by_rule::<T>(device, shape, at_a, at_b, at_c));
    let (shape, at_a, at_b, at_c) = plan.turn(shape, at_a, at_b, at_c);
    let d = if plan.transposed { d.map(Addend::transposed) } else { d };
    let (a, b) = if plan.transposed { (b, a) } else { (a, b) };
    if plan.blocks > MOST_BLOCKS {
        // Only sides of billions get here.
        let (first, [a_2, b_2, c_2]) = halve(shape, at_a, at_b, at_c);
        let second = if shape.m >= shape.n {
            GemmShape { m: shape.m - first.m, ..shape }
        } else {
            GemmShape { n: shape.n - first.n, ..shape }
        };
        let step = |d: Addend<'_, C>| if shape.m >= shape.n { first.m * d.row } else { first.n * d.col };
        gemm(device, None, first, (a, at_a), (b, at_b), (&mut *c, at_c), d)?;
        let d = d.map(|d| d.from(step(d)));
        return gemm(device, None, second, (a, a_2), (b, b_2), (c, c_2), d);
    }
    let name = match T::DTYPE == C::DTYPE {
        true => KernelName::new(format_args!("{}_{}", plan.kernel, T::KERNEL_DTYPE)),
        false => KernelName::new(format_args!("{}_{}_{}", plan.kernel, T::KERNEL_DTYPE, C::KERNEL_DTYPE)),
    };
    for first in (0..shape.batch).step_by(MOST_MATRICES) {
        let matrices = (shape.batch - first).min(MOST_MATRICES);
        let mut launch = device.launch(plan.module, name.as_str());
        launch.arg(&shape.m).arg(&shape.n).arg(&shape.k);
        for (buffer, at) in [(a, at_a), (b, at_b)] {
            // An empty buffer, where k = 0, has no element to point to.
            let offset = if buffer.is_empty() { 0 } else { at.offset + first * at.batch };
            launch.buffer(buffer, offset).arg(&at.batch).arg(&at.row).arg(&at.col);
        }
        let offset = at_c.offset + first * at_c.batch;
        launch.buffer_mut(&mut *c, offset).arg(&at_c.batch).arg(&at_c.row).arg(&at_c.col);
        match d {
            Some(d) => launch.buffer(d.buffer, d.offset).arg(&d.row).arg(&d.col),
            None => launch.null().arg(&0usize).arg(&0usize),
        };
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
