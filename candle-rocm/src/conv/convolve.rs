//! Runs a convolution by the algorithm that is chosen for it.

use candle_core::Layout;

use super::algorithm::Algorithm;
#[cfg(feature = "miopen")]
use super::engine::Engines;
use super::problem::Problem;
use super::{Convolution, candidates, direct, im2col};
use crate::common::map::Map2;
use crate::hip::Buffer;
#[cfg(feature = "miopen")]
use crate::layout::copy;
use crate::tuning::Tuner;
use crate::{Result, RocmDType, RocmDevice, RocmStorage, RocmStorageSlice};

impl RocmStorage {
    /// Computes a convolution of any kind: the four of candle's trait, with groups. Operands may have any layout.
    ///
    /// # Errors
    /// [`ShapeMismatch`](crate::RocmError::ShapeMismatch) if the numbers of channels do not match;
    /// [`InvalidArgument`](crate::RocmError::InvalidArgument) if the output would be empty, or a size exceeds `i32::MAX`; otherwise if
    /// dtypes or devices differ.
    ///
    /// ```
    /// use candle_core::{CpuStorage, Layout, backend::{BackendDevice, BackendStorage}};
    /// use candle_rocm::{Convolution, RocmDevice, platform::HOST};
    /// # // The CPU platform compiles kernels with the system's C++ compiler: without one, there is nothing to show.
    /// # fn main() -> candle_core::Result<()> {
    /// #     match example() {
    /// #         Err(error) if matches!(candle_rocm::RocmError::of(&error), Some(candle_rocm::RocmError::Kernel(_))) => Ok(()),
    /// #         result => result,
    /// #     }
    /// # }
    /// # fn example() -> candle_core::Result<()> {
    /// let device = RocmDevice::on(HOST, 0)?;
    /// // Two channels of three values, and a kernel of two taps for each of them.
    /// let x = device.storage_from_slice(&[1f32, 2., 3., 10., 20., 30.])?;
    /// let kernel = device.storage_from_slice(&[1f32, -1., 1., 1.])?;
    /// let (x_l, kernel_l) = (Layout::contiguous((1, 2, 3)), Layout::contiguous((2, 1, 2)));
    /// let depthwise = Convolution { groups: 2, ..Default::default() };
    /// let y = x.convolve(&x_l, (&kernel, &kernel_l), &depthwise)?;
    /// assert!(matches!(y.to_cpu_storage()?, CpuStorage::F32(y) if y == [-1., -1., 30., 50.]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn convolve(&self, layout: &Layout, kernel: (&Self, &Layout), params: &Convolution) -> Result<Self> {
        self.convolve_as(params.op(layout.dims().len()), layout, kernel, params)
    }

    pub(crate) fn convolve_as(
        &self,
        op: &'static str,
        layout: &Layout,
        (kernel, kernel_l): (&Self, &Layout),
        params: &Convolution,
    ) -> Result<Self> {
        self.same_device(op, kernel)?;
        let (x, w) = ((self.slice()?, layout), (kernel.slice()?, kernel_l));
        Ok(self.with(convolve(&self.device, op, params, x, w)?))
    }
}

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
        let run = |algorithm: Algorithm| match algorithm {
            #[cfg(feature = "miopen")]
            Algorithm::Miopen(rank) => by_miopen(device, self, rank, (x, x_l), (w, w_l), &mut out),
            Algorithm::Im2col => im2col::convolve(device, self, (x, x_l), (w, w_l), &mut out).map(|()| true),
            Algorithm::Direct => direct::convolve(device, self, (x, x_l), (w, w_l), &mut out).map(|()| true),
        };
        let engine = device.conv_engine();
        let rule = self.algorithms(T::DTYPE, engine);
        let tuner = if self.is_measured(T::DTYPE, engine) { Tuner::of_guesses(device) } else { None };
        match tuner {
            Some(tuner) => {
                let operands = (T::DTYPE, x_l.is_contiguous() && w_l.is_contiguous());
                candidates::serve(tuner, device, self, operands, rule, run)?;
            }
            None => candidates::by_rule(rule, run)?,
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
