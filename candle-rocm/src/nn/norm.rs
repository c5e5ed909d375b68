//! RMS and layer norms of rows; launches `rows.hip`, and `reduce.hip` for rows that fit neither a block's registers nor several
//! blocks.

use candle_core::{DType, Layout};
use rocm_kernels::{REDUCE, ROWS};
use smallvec::SmallVec;

use super::rows::{
    LARGEST_BLOCK, MOMENTS_WORDS, MOST_ROWS, Parts, Scaled, ScaledAndShifted, are_float_rows, as_rows,
    threads_that_hold, whole_blocks,
};
use crate::common::launch::KernelName;
use crate::common::operand::{Operand, contiguous, floats, unsupported};
use crate::common::operation::{Described, Op};
use crate::count::elem_count;
use crate::hip::{Buffer, DevicePtr, LaunchConfig};
use crate::reduce::{rows_config, threads_per_row};
use crate::storage_slice::each_dtype;
use crate::{Launch, RocmDType, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

/// [`rms_norm`].
#[derive(Clone, Copy)]
pub(crate) struct RmsNorm {
    pub(crate) eps: f32,
}

/// [`layer_norm`].
#[derive(Clone, Copy)]
pub(crate) struct LayerNorm {
    pub(crate) eps: f32,
}

impl Op for RmsNorm {
    type Operands<T> = Scaled<T>;

    fn name(&self) -> &'static str {
        "rms-norm"
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.push(self.eps.to_bits().into());
    }

    fn result(&self, _: &RocmDevice, Scaled { x, alpha }: Scaled<Described<'_>>) -> Option<(usize, DType)> {
        let columns = *x.dims().last()?;
        (are_float_rows(&x) && alpha.is_parameter(x.dtype, columns)).then_some((x.len, x.dtype))
    }

    fn run(&self, _: &RocmDevice, operands: Scaled<Operand<'_>>) -> candle_core::Result<RocmStorageSlice> {
        let Scaled { x: (x, layout), alpha } = operands;
        Ok(rms_norm(x, layout, Some(alpha), self.eps)?.into_slice()?)
    }
}

impl Op for LayerNorm {
    type Operands<T> = ScaledAndShifted<T>;

    fn name(&self) -> &'static str {
        "layer-norm"
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.push(self.eps.to_bits().into());
    }

    fn result(&self, _: &RocmDevice, operands: ScaledAndShifted<Described<'_>>) -> Option<(usize, DType)> {
        let ScaledAndShifted { x, alpha, beta } = operands;
        let columns = *x.dims().last()?;
        let fit = [alpha, beta].iter().all(|parameter| parameter.is_parameter(x.dtype, columns));
        (are_float_rows(&x) && fit).then_some((x.len, x.dtype))
    }

    fn run(
        &self,
        _: &RocmDevice,
        operands: ScaledAndShifted<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice> {
        let ScaledAndShifted { x: (x, layout), alpha, beta } = operands;
        Ok(layer_norm(x, layout, Some(alpha), Some(beta), self.eps)?.into_slice()?)
    }
}

/// RMS norm (Zhang and Sennrich 2019) over the last dimension: `x / sqrt(mean(x^2) + eps) * alpha`. `alpha` has one element per
/// column.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] unless `x` is f16, bf16, f32 or f64; otherwise if an operand is not contiguous, does not match the shape
/// or dtype of `x`, or is on another device.
pub fn rms_norm(
    x: &RocmStorage,
    layout: &Layout,
    alpha: Option<(&RocmStorage, &Layout)>,
    eps: f32,
) -> Result<RocmStorage, RocmError> {
    let op = RmsNorm { eps }.name();
    floats(op, x)?;
    each_dtype!(x.dtype(), T => norm::<T>(op, "rmsnorm", x, layout, alpha, None, eps), else unsupported(op, x))
}

/// Layer norm (Ba, Kiros and Hinton 2016) over the last dimension: `(x - mean) / sqrt(variance + eps) * alpha + beta`. `alpha` and
/// `beta` have one element per column.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] unless `x` is f16, bf16, f32 or f64; otherwise if an operand is not contiguous, does not match the shape
/// or dtype of `x`, or is on another device.
pub fn layer_norm(
    x: &RocmStorage,
    layout: &Layout,
    alpha: Option<(&RocmStorage, &Layout)>,
    beta: Option<(&RocmStorage, &Layout)>,
    eps: f32,
) -> Result<RocmStorage, RocmError> {
    let op = LayerNorm { eps }.name();
    floats(op, x)?;
    each_dtype!(x.dtype(), T => norm::<T>(op, "layernorm", x, layout, alpha, beta, eps), else unsupported(op, x))
}

fn norm<T: RocmDType>(
    op: &'static str,
    kernel: &'static str,
    x: &RocmStorage,
    layout: &Layout,
    alpha: Option<(&RocmStorage, &Layout)>,
    beta: Option<(&RocmStorage, &Layout)>,
    eps: f32,
) -> Result<RocmStorage, RocmError> {
    let device = &x.device;
    let (src, rows, cols) = as_rows::<T>(op, x, layout)?;
    let alpha = factors::<T>(op, "alpha", alpha, (x, layout, cols))?;
    let beta = factors::<T>(op, "beta", beta, (x, layout, cols))?;
    let mut out = device.alloc::<T>(rows * cols)?;
    if rows * cols == 0 {
        return Ok(RocmStorage::new(T::wrap(out), device.clone()));
    }
    let centred = kernel == "layernorm";
    let parameters = if centred { &[alpha, beta][..] } else { &[alpha] };
    let starts = starts([Some((src, layout.start_offset())), alpha, beta]);
    if let Some(threads) = threads_that_hold::<T>(cols, &starts) {
        let name = KernelName::new(format_args!("row_norm_{}", T::KERNEL_DTYPE));
        let mut launch = device.launch(&ROWS, name.as_str());
        launch.buffer(src, layout.start_offset()).buffer_mut(&mut out, 0);
        bind(&mut launch, &[alpha, beta]);
        launch.arg(&rows).arg(&(cols as u32)).arg(&u32::from(centred)).arg(&eps);
        // SAFETY: row_norm_*(src, dst, alpha, beta, rows, n_cols, centred, eps): src and dst have rows * cols elements, alpha
        // and beta cols, and all are aligned.
        unsafe { launch.run(rows_config(device, rows, threads)) }?;
        return Ok(RocmStorage::new(T::wrap(out), device.clone()));
    }
    let parts = Parts::new(device, rows, cols, size_of::<T>());
    if !parts.whole() {
        let name = KernelName::new(format_args!("split_norm_{}", T::KERNEL_DTYPE));
        // SAFETY: split_norm_*(src, dst, alpha, beta, n_cols, centred, eps, ..): src and dst have rows * cols elements, alpha and
        // beta cols.
        unsafe {
            parts.launch(device, &name, MOMENTS_WORDS, |launch| {
                launch.buffer(src, layout.start_offset()).buffer_mut(&mut out, 0);
                bind(launch, &[alpha, beta]);
                launch.arg(&(cols as u32)).arg(&u32::from(centred)).arg(&eps);
                Ok(())
            })
        }?;
        return Ok(RocmStorage::new(T::wrap(out), device.clone()));
    }
    let name = KernelName::new(format_args!("{kernel}_{}", T::KERNEL_DTYPE));
    let threads = threads_per_row(size_of::<T>(), cols, LARGEST_BLOCK);
    for first in (0..rows).step_by(MOST_ROWS) {
        let count = MOST_ROWS.min(rows - first);
        let per_block = whole_blocks(device, count, threads);
        let grid = [(count / per_block) as u32, 1, 1];
        let config = LaunchConfig { grid, block: [threads as u32, per_block as u32, 1], shared_bytes: 0 };
        let mut launch = device.launch(&REDUCE, name.as_str());
        launch.buffer(src, layout.start_offset() + first * cols).buffer_mut(&mut out, first * cols);
        bind(&mut launch, parameters);
        launch.arg(&(cols as i32)).arg(&(threads as i32)).arg(&eps);
        // SAFETY: layernorm_*(src, dst, alpha, beta, n_cols, block_size, eps), rmsnorm_* without beta, on gridDim.x *
        // blockDim.y = count rows, which src and dst have; alpha and beta were checked to have n_cols elements.
        unsafe { launch.run(config) }?;
    }
    Ok(RocmStorage::new(T::wrap(out), device.clone()))
}

/// Where elements are: a buffer, and an offset in it.
type At<'a, T> = (&'a Buffer<T>, usize);

/// `alpha` or `beta`: one element per column of the tensor, which has `cols`.
fn factors<'a, T: RocmDType>(
    op: &'static str,
    what: &str,
    parameter: Option<Operand<'a>>,
    (x, layout, cols): (&RocmStorage, &Layout, usize),
) -> Result<Option<At<'a, T>>, RocmError> {
    let Some((storage, l)) = parameter else { return Ok(None) };
    x.device.check_same(&storage.device, op)?;
    let buffer = contiguous::<T>(op, what, storage, l)?;
    if elem_count(op, l.dims())? != cols {
        return Err(RocmError::ShapeMismatch { op, lhs: layout.dims().to_vec(), rhs: l.dims().to_vec() });
    }
    Ok(Some((buffer, l.start_offset())))
}

fn bind<T: RocmDType>(launch: &mut Launch<'_>, parameters: &[Option<At<'_, T>>]) {
    for parameter in parameters {
        match parameter {
            Some((buffer, offset)) => launch.buffer(buffer, *offset),
            None => launch.null(),
        };
    }
}

fn starts<T: RocmDType, const N: usize>(of: [Option<At<'_, T>>; N]) -> SmallVec<[DevicePtr; 4]> {
    of.into_iter()
        .flatten()
        .map(|(buffer, offset)| buffer.as_ptr().byte_add(offset * size_of::<T>()))
        .collect()
}

/// A residual connection and the norm after it: the RMS norm or layer norm of `a + b`.
#[derive(Clone, Copy, Debug)]
pub struct AddNorm<'a> {
    /// The first summand.
    pub a: (&'a RocmStorage, &'a Layout),
    /// The second summand, of the same shape and dtype.
    pub b: (&'a RocmStorage, &'a Layout),
    /// Factors of the norm, one per column; all 1 if `None`.
    pub alpha: Option<(&'a RocmStorage, &'a Layout)>,
    /// Shifts of the norm, one per column; all 0 if `None`.
    pub beta: Option<(&'a RocmStorage, &'a Layout)>,
    /// Added to the variance, or to the mean of squares.
    pub eps: f32,
    /// Whether the mean is subtracted, which makes it a layer norm.
    pub centred: bool,
}

/// Rows that fit in the registers of a block, and what is needed for their norms.
pub(crate) struct HeldRows<'a, T> {
    a: At<'a, T>,
    b: At<'a, T>,
    alpha: Option<At<'a, T>>,
    beta: Option<At<'a, T>>,
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    /// Threads that share a row.
    threads: usize,
}

impl<'a> AddNorm<'a> {
    /// Computes the sum and its norm in one launch; `None` if there is no such kernel. Both are bit for bit the results of the two separate
    /// operations, as the sum is rounded to the dtype before the norm reads it.
    ///
    /// # Errors
    /// As [`rms_norm`] or [`layer_norm`] of the sum.
    #[doc(hidden)]
    pub fn run(&self) -> Result<Option<[RocmStorage; 2]>, RocmError> {
        let (op, x) = ("add-norm", self.a.0);
        each_dtype!(x.dtype(), T => self.run_as::<T>(op), else unsupported(op, x))
    }

    /// `None` where there is no such kernel: for operands of different shapes or dtypes, or that are not contiguous, and for rows that are
    /// longer than the registers of a block hold, or whose beginnings are not aligned to 16 bytes.
    pub(crate) fn held<T: RocmDType>(&self, op: &'static str) -> Result<Option<HeldRows<'a, T>>, RocmError> {
        let Self { a, b, .. } = *self;
        floats(op, a.0)?;
        a.0.device.check_same(&b.0.device, op)?;
        let plain = a.1.is_contiguous() && b.1.is_contiguous() && a.1.dims() == b.1.dims();
        if !plain || a.0.dtype() != b.0.dtype() {
            return Ok(None);
        }
        let (lhs, rows, cols) = as_rows::<T>(op, a.0, a.1)?;
        let rhs = contiguous::<T>(op, "the other operand", b.0, b.1)?;
        let alpha = factors::<T>(op, "alpha", self.alpha, (a.0, a.1, cols))?;
        let beta = factors::<T>(op, "beta", self.beta, (a.0, a.1, cols))?;
        let (lhs, rhs) = ((lhs, a.1.start_offset()), (rhs, b.1.start_offset()));
        let threads = threads_that_hold::<T>(cols, &starts([Some(lhs), Some(rhs), alpha, beta]));
        Ok(threads.map(|threads| HeldRows { a: lhs, b: rhs, alpha, beta, rows, cols, threads }))
    }

    fn run_as<T: RocmDType>(&self, op: &'static str) -> Result<Option<[RocmStorage; 2]>, RocmError> {
        let device = &self.a.0.device;
        let Some(held) = self.held::<T>(op)? else { return Ok(None) };
        let HeldRows { rows, cols, threads, .. } = held;
        let (mut sum, mut out) = (device.alloc::<T>(rows * cols)?, device.alloc::<T>(rows * cols)?);
        if rows * cols > 0 {
            let name = KernelName::new(format_args!("row_add_norm_{}", T::KERNEL_DTYPE));
            let mut launch = device.launch(&ROWS, name.as_str());
            held.bind_sum(&mut launch, &mut sum);
            launch.buffer_mut(&mut out, 0);
            bind(&mut launch, &[held.alpha, held.beta]);
            launch.arg(&rows).arg(&(cols as u32)).arg(&u32::from(self.centred)).arg(&self.eps);
            // SAFETY: row_add_norm_*(a, b, sum, dst, alpha, beta, rows, n_cols, centred, eps): a, b, sum and dst have rows *
            // cols elements, alpha and beta cols, and all are aligned.
            unsafe { launch.run(rows_config(device, rows, threads)) }?;
        }
        Ok(Some([sum, out].map(|buffer| RocmStorage::new(T::wrap(buffer), device.clone()))))
    }

    /// (a, b, sum, alpha, beta, centred, eps), as kernels take them that compute a row for themselves.
    pub(crate) fn bind<T: RocmDType>(
        &self,
        held: &HeldRows<'_, T>,
        launch: &mut Launch<'_>,
        sum: &mut Buffer<T>,
    ) {
        held.bind_sum(launch, sum);
        bind(launch, &[held.alpha, held.beta]);
        launch.arg(&u32::from(self.centred)).arg(&self.eps);
    }
}

impl<T: RocmDType> HeldRows<'_, T> {
    fn bind_sum(&self, launch: &mut Launch<'_>, sum: &mut Buffer<T>) {
        launch.buffer(self.a.0, self.a.1).buffer(self.b.0, self.b.1).buffer_mut(sum, 0);
    }

    /// Where b and alpha begin, if there is an alpha.
    pub(crate) fn second_and_factors(&self) -> Option<[DevicePtr; 2]> {
        let at = |(buffer, offset): At<'_, T>| buffer.as_ptr().byte_add(offset * size_of::<T>());
        Some([at(self.b), at(self.alpha?)])
    }
}

#[cfg(candle_rocm_seam)]
mod fused {
    use candle_core::{DType, Result};

    use super::{LayerNorm, RmsNorm};
    use crate::common::fused::{Backward, Fused, Gradients};
    use crate::dtype::DTypeExt;
    use crate::nn::rows::{Scaled, ScaledAndShifted};
    use crate::nn::{layer_norm_backward, rms_norm_backward};

    impl Fused for RmsNorm {
        fn takes(&self, first: DType) -> bool {
            first.is_16_to_64_bit_float()
        }

        fn backward(&self, pass: Backward<'_, Self>) -> Result<Gradients<Self>> {
            let (Scaled { x, alpha }, wanted) = (pass.operands, [pass.wanted.x, pass.wanted.alpha]);
            let of = rms_norm_backward(x, alpha, pass.dy, self.eps, wanted)?;
            Ok(Some(Scaled { x: of.x, alpha: of.alpha }))
        }
    }

    impl Fused for LayerNorm {
        fn takes(&self, first: DType) -> bool {
            first.is_16_to_64_bit_float()
        }

        fn backward(&self, pass: Backward<'_, Self>) -> Result<Gradients<Self>> {
            let ScaledAndShifted { x, alpha, .. } = pass.operands;
            let wanted = [pass.wanted.x, pass.wanted.alpha, pass.wanted.beta];
            let of = layer_norm_backward(x, alpha, pass.dy, self.eps, wanted)?;
            Ok(Some(ScaledAndShifted { x: of.x, alpha: of.alpha, beta: of.beta }))
        }
    }
}
