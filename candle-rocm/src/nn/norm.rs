//! RMS and layer norms of rows; launches `rows.hip`, and `reduce.hip` for rows that fit neither a block's registers nor several
//! blocks.

use candle_core::Layout;
use rocm_kernels::{REDUCE, ROWS};
use smallvec::{SmallVec, smallvec};

use super::rows::{LARGEST_BLOCK, MOMENTS_WORDS, MOST_ROWS, Parts, as_rows, threads_that_hold, whole_blocks};
use crate::common::launch::KernelName;
use crate::common::map::same;
use crate::common::operand::{contiguous, floats, unsupported};
use crate::count::elem_count;
use crate::hip::{DevicePtr, LaunchConfig};
use crate::reduce::{rows_config, threads_per_row};
use crate::storage_slice::each_dtype;
use crate::{Launch, RocmDType, RocmError, RocmStorage};

/// RMS norm (Zhang and Sennrich 2019) over the last dimension: `x / sqrt(mean(x^2) + eps) * alpha`. `alpha` has one element per
/// column.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] unless `x` is f16, bf16, f32 or f64; otherwise if an operand is not contiguous, does not fit the
/// shape or dtype of `x`, or lives on another device.
pub fn rms_norm(
    x: &RocmStorage,
    layout: &Layout,
    alpha: Option<(&RocmStorage, &Layout)>,
    eps: f32,
) -> Result<RocmStorage, RocmError> {
    const OP: &str = "rms_norm";
    floats(OP, x)?;
    each_dtype!(x.slice.dtype(), T => norm::<T>(OP, "rmsnorm", x, layout, alpha, None, eps), else unsupported(OP, x))
}

/// Layer norm (Ba, Kiros and Hinton 2016) over the last dimension: `(x - mean) / sqrt(variance + eps) * alpha + beta`. `alpha` and
/// `beta` have one element per column.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] unless `x` is f16, bf16, f32 or f64; otherwise if an operand is not contiguous, does not fit the
/// shape or dtype of `x`, or lives on another device.
pub fn layer_norm(
    x: &RocmStorage,
    layout: &Layout,
    alpha: Option<(&RocmStorage, &Layout)>,
    beta: Option<(&RocmStorage, &Layout)>,
    eps: f32,
) -> Result<RocmStorage, RocmError> {
    const OP: &str = "layer_norm";
    floats(OP, x)?;
    each_dtype!(x.slice.dtype(), T => norm::<T>(OP, "layernorm", x, layout, alpha, beta, eps), else unsupported(OP, x))
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
    let parameter = |what, parameter: Option<(&RocmStorage, &Layout)>| match parameter {
        None => Ok(()),
        Some((storage, l)) => {
            device.check_same(&storage.device, op)?;
            contiguous::<T>(op, what, storage, l)?;
            if elem_count(op, l.dims())? == cols {
                Ok(())
            } else {
                Err(RocmError::ShapeMismatch { op, lhs: layout.dims().to_vec(), rhs: l.dims().to_vec() })
            }
        }
    };
    parameter("alpha", alpha)?;
    parameter("beta", beta)?;
    let mut out = device.alloc::<T>(rows * cols)?;
    if rows * cols == 0 {
        return Ok(RocmStorage { slice: T::wrap(out), device: device.clone() });
    }
    let bind = |launch: &mut Launch<'_>, parameters: &[Option<(&RocmStorage, &Layout)>]| {
        for parameter in parameters {
            match parameter {
                Some((storage, l)) => launch.buffer(same::<T>(op, &storage.slice)?, l.start_offset()),
                None => launch.null(),
            };
        }
        Ok::<(), RocmError>(())
    };
    let centred = kernel == "layernorm";
    let parameters = if centred { &[alpha, beta][..] } else { &[alpha] };
    let mut starts: SmallVec<[DevicePtr; 3]> =
        smallvec![src.as_ptr().byte_add(layout.start_offset() * size_of::<T>())];
    for (storage, l) in [alpha, beta].into_iter().flatten() {
        starts.push(same::<T>(op, &storage.slice)?.as_ptr().byte_add(l.start_offset() * size_of::<T>()));
    }
    if let Some(threads) = threads_that_hold::<T>(cols, &starts) {
        let name = KernelName::new(format_args!("row_norm_{}", T::KERNEL_DTYPE));
        let mut launch = device.launch(&ROWS, name.as_str());
        launch.buffer(src, layout.start_offset()).buffer_mut(&mut out, 0);
        bind(&mut launch, &[alpha, beta])?;
        launch.arg(&rows).arg(&(cols as u32)).arg(&u32::from(centred)).arg(&eps);
        // SAFETY: row_norm_*(src, dst, alpha, beta, rows, n_cols, centred, eps): src and dst have rows * cols elements, alpha
        // and beta cols, and all are aligned.
        unsafe { launch.run(rows_config(device, rows, threads)) }?;
        return Ok(RocmStorage { slice: T::wrap(out), device: device.clone() });
    }
    let parts = Parts::new(device, rows, cols, size_of::<T>());
    if !parts.whole() {
        let name = KernelName::new(format_args!("split_norm_{}", T::KERNEL_DTYPE));
        // SAFETY: split_norm_*(src, dst, alpha, beta, n_cols, centred, eps, ..): src and dst have rows * cols elements, alpha and
        // beta cols.
        unsafe {
            parts.launch(device, &name, MOMENTS_WORDS, |launch| {
                launch.buffer(src, layout.start_offset()).buffer_mut(&mut out, 0);
                bind(launch, &[alpha, beta])?;
                launch.arg(&(cols as u32)).arg(&u32::from(centred)).arg(&eps);
                Ok(())
            })
        }?;
        return Ok(RocmStorage { slice: T::wrap(out), device: device.clone() });
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
        bind(&mut launch, parameters)?;
        launch.arg(&(cols as i32)).arg(&(threads as i32)).arg(&eps);
        // SAFETY: layernorm_*(src, dst, alpha, beta, n_cols, block_size, eps), rmsnorm_* without beta, on gridDim.x *
        // blockDim.y = count rows, which src and dst have; alpha and beta were checked to have n_cols elements.
        unsafe { launch.run(config) }?;
    }
    Ok(RocmStorage { slice: T::wrap(out), device: device.clone() })
}

#[cfg(candle_rocm_seam)]
pub(crate) mod fused {
    use candle_core::{Result, Shape};

    use super::{layer_norm, rms_norm};
    use crate::RocmStorage;
    use crate::common::fused::{Backward, Fused, float_operands, shaped_as};
    use crate::common::operand::Operand;
    use crate::nn::{layer_norm_backward, rms_norm_backward};

    pub(crate) struct RmsNorm {
        pub(crate) eps: f32,
    }

    impl Fused for RmsNorm {
        fn forward(&self, args: &[Operand<'_>]) -> Result<Option<(RocmStorage, Shape)>> {
            let Some([(x, l), alpha]) = float_operands(args) else { return Ok(None) };
            shaped_as(l, rms_norm(x, l, Some(alpha), self.eps))
        }

        fn backward(&self, pass: &Backward<'_>) -> Result<Option<Vec<Option<RocmStorage>>>> {
            let (Some([x, alpha]), &[of_x, of_alpha]) = (float_operands(pass.args), pass.wanted) else {
                return Ok(None);
            };
            let of = rms_norm_backward(x, alpha, pass.dy, self.eps, [of_x, of_alpha])?;
            Ok(Some(vec![of.x, of.alpha]))
        }
    }

    pub(crate) struct LayerNorm {
        pub(crate) eps: f32,
    }

    impl Fused for LayerNorm {
        fn forward(&self, args: &[Operand<'_>]) -> Result<Option<(RocmStorage, Shape)>> {
            let Some([(x, l), alpha, beta]) = float_operands(args) else { return Ok(None) };
            shaped_as(l, layer_norm(x, l, Some(alpha), Some(beta), self.eps))
        }

        fn backward(&self, pass: &Backward<'_>) -> Result<Option<Vec<Option<RocmStorage>>>> {
            let (Some([x, alpha, _]), &[of_x, of_alpha, of_beta]) = (float_operands(pass.args), pass.wanted)
            else {
                return Ok(None);
            };
            let of = layer_norm_backward(x, alpha, pass.dy, self.eps, [of_x, of_alpha, of_beta])?;
            Ok(Some(vec![of.x, of.alpha, of.beta]))
        }
    }
}
