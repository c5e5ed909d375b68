//! Runs a convolution by the algorithm that is chosen for it.

use candle_core::Layout;

use super::algorithm::Algorithm;
use super::engine::Engines;
use super::problem::Problem;
use super::{Convolution, direct, im2col};
use crate::common::map::Map2;
use crate::hip::Buffer;
#[cfg(feature = "miopen")]
use crate::layout::copy;
use crate::{Result, RocmDType, RocmDevice, RocmStorageSlice};

/// A convolution of any kind; `op` is its name for errors.
pub(crate) fn convolve(
    device: &RocmDevice,
    op: &'static str,
    p: &Convolution,
    (x, x_l): (&RocmStorageSlice, &Layout),
    (w, w_l): (&RocmStorageSlice, &Layout),
) -> Result<RocmStorageSlice> {
    let problem = Problem::new(op, p, (x_l, x.len()), (w_l, w.len()))?;
    problem.map(device, (x, x_l), (w, w_l))
}

impl Map2 for Problem {
    fn op(&self) -> &'static str {
        self.op
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        (x, x_l): (&Buffer<T>, &Layout),
        (w, w_l): (&Buffer<T>, &Layout),
    ) -> Result<Buffer<T>> {
        let mut out = device.alloc::<T>(self.outputs())?;
        if out.is_empty() {
            return Ok(out);
        }
        let mut run = |algorithm: Algorithm| match algorithm {
            #[cfg(feature = "miopen")]
            Algorithm::Miopen(rank) => by_miopen(device, self, rank, (x, x_l), (w, w_l), &mut out),
            Algorithm::Im2col => im2col::convolve(device, self, (x, x_l), (w, w_l), &mut out).map(|()| true),
            Algorithm::Direct => direct::convolve(device, self, (x, x_l), (w, w_l), &mut out).map(|()| true),
        };
        let engine = device.conv_engine();
        let mut algorithms = self.algorithms(T::DTYPE, engine);
        if self.is_measured(T::DTYPE, engine) && !device.is_deterministic() {
            let case = (*self, T::DTYPE, [x_l.is_contiguous(), w_l.is_contiguous()]);
            algorithms[0] = Engines::of(device).measured.fastest(device, case, &mut run)?;
        }
        for algorithm in algorithms {
            if run(algorithm)? {
                break;
            }
        }
        Ok(out)
    }
}

/// Whether MIOpen took the problem and wrote `out`. Operands are made contiguous: for others it has only its slowest kernels.
#[cfg(feature = "miopen")]
fn by_miopen<T: RocmDType>(
    device: &RocmDevice,
    p: &Problem,
    rank: usize,
    x: (&Buffer<T>, &Layout),
    w: (&Buffer<T>, &Layout),
    out: &mut Buffer<T>,
) -> Result<bool> {
    let (x_copy, w_copy) = (copy::contiguous(device, x)?, copy::contiguous(device, w)?);
    let start = |(buffer, layout): (&Buffer<T>, &Layout), copy: &Option<Buffer<T>>| match copy {
        Some(copy) => copy.as_ptr(),
        None => buffer.as_ptr().byte_add(layout.start_offset() * size_of::<T>()),
    };
    let pointers = [start(x, &x_copy), start(w, &w_copy), out.as_ptr()];
    Engines::of(device).miopen.convolve(device, p, T::DTYPE, rank, pointers)
}
