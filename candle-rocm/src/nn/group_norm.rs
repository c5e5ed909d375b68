//! Norms of groups of channels; launches `rows.hip`.

use candle_core::Layout;
use rocm_kernels::ROWS;

use super::rows::{MOMENTS_WORDS, Parts, threads_that_hold_group};
use crate::common::launch::KernelName;
use crate::common::operand::{contiguous, floats, invalid, unsupported};
use crate::count::{elem_count, saturating};
use crate::hip::Buffer;
use crate::reduce::rows_config;
use crate::storage_slice::each_dtype;
use crate::{Launch, RocmDType, RocmError, RocmStorage};

const OP: &str = "group_norm";

/// Group norm (Wu and He 2018): `(x - mean) / sqrt(variance + eps) * alpha + beta` for x `[batch, channels, ..]`, with mean and
/// variance over each of `groups` equal parts of a sample's channels. `alpha` and `beta` have one element per channel.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] unless `x` is f16, bf16, f32 or f64; otherwise if an operand is not contiguous, does not fit the
/// shape or dtype of `x`, or lives on another device.
pub fn group_norm(
    x: &RocmStorage,
    layout: &Layout,
    alpha: (&RocmStorage, &Layout),
    beta: (&RocmStorage, &Layout),
    groups: usize,
    eps: f64,
) -> Result<RocmStorage, RocmError> {
    floats(OP, x)?;
    each_dtype!(x.dtype(), T => launch::<T>(x, layout, alpha, beta, groups, eps), else unsupported(OP, x))
}

/// The sizes of `(batch, channels, ..)`, and of a group of a sample's channels.
pub(super) struct Groups {
    pub(super) batch: usize,
    pub(super) channels: usize,
    /// Elements of a channel.
    pub(super) spatial: usize,
    /// Elements of a group.
    pub(super) cols: usize,
}

impl Groups {
    pub(super) fn of(op: &'static str, layout: &Layout, groups: usize) -> Result<Self, RocmError> {
        let &[batch, channels, ref spatial @ ..] = layout.dims() else {
            let shape = layout.dims();
            return invalid(op, format!("expected an input [batch, channels, ..], got shape {shape:?}"));
        };
        if groups == 0 || !channels.is_multiple_of(groups) {
            return invalid(op, format!("{channels} channels is not a multiple of {groups} groups"));
        }
        let numel = elem_count(op, layout.dims())?;
        let spatial = saturating(spatial);
        let cols = if numel == 0 { 0 } else { channels / groups * spatial };
        if cols > i32::MAX as usize {
            return invalid(
                op,
                format!("groups of {cols} elements exceed the kernel's limit of {}", i32::MAX),
            );
        }
        Ok(Self { batch, channels, spatial, cols })
    }
}

fn launch<T: RocmDType>(
    x: &RocmStorage,
    layout: &Layout,
    alpha: (&RocmStorage, &Layout),
    beta: (&RocmStorage, &Layout),
    groups: usize,
    eps: f64,
) -> Result<RocmStorage, RocmError> {
    let device = &x.device;
    let src = contiguous::<T>(OP, "the input", x, layout)?;
    let Groups { batch, channels, spatial, cols } = Groups::of(OP, layout, groups)?;
    for (what, (storage, l)) in [("alpha", alpha), ("beta", beta)] {
        device.check_same(&storage.device, OP)?;
        contiguous::<T>(OP, what, storage, l)?;
        if elem_count(OP, l.dims())? != channels {
            let (lhs, rhs) = (layout.dims().to_vec(), l.dims().to_vec());
            return Err(RocmError::ShapeMismatch { op: OP, lhs, rhs });
        }
    }
    let rows = saturating(&[batch, groups]);
    let mut out = device.alloc::<T>(rows * cols)?;
    if rows * cols > 0 {
        let parts = Parts::new(device, rows, cols, size_of::<T>());
        let bind = |launch: &mut Launch<'_>, out: &mut Buffer<T>| {
            launch.buffer(src, layout.start_offset()).buffer_mut(out, 0);
            for (storage, l) in [alpha, beta] {
                launch.buffer(contiguous::<T>(OP, "a factor", storage, l)?, l.start_offset());
            }
            launch.arg(&(cols as u32)).arg(&(groups as u32)).arg(&(spatial as u32)).arg(&eps);
            Ok(())
        };
        let start = src.as_ptr().byte_add(layout.start_offset() * size_of::<T>());
        // A block reads its group once, but only few blocks can be as large as that takes.
        let busy = parts.whole() || rows >= device.hip_device().compute_units() as usize / 2;
        let whole_vectors = spatial.is_multiple_of(16 / size_of::<T>());
        if let Some(threads) = threads_that_hold_group::<T>(cols, &[start]).filter(|_| busy && whole_vectors)
        {
            let name = KernelName::new(format_args!("row_group_norm_{}", T::KERNEL_DTYPE));
            let mut launch = device.launch(&ROWS, name.as_str());
            bind(&mut launch, &mut out)?;
            launch.arg(&rows);
            // SAFETY: row_group_norm_*(src, dst, alpha, beta, n_cols, groups, spatial, eps, rows): as below; rows are aligned vectors
            // that do not cross channels, and the block can hold one.
            unsafe { launch.run(rows_config(device, rows, threads)) }?;
            return Ok(RocmStorage::new(T::wrap(out), device.clone()));
        }
        let name = KernelName::new(format_args!("group_norm_{}", T::KERNEL_DTYPE));
        // SAFETY: group_norm_*(src, dst, alpha, beta, n_cols, groups, spatial, eps, ..): src and dst have rows * cols elements,
        // alpha and beta one for each of the channels, which are groups * (cols / spatial).
        unsafe { parts.launch(device, &name, MOMENTS_WORDS, |launch| bind(launch, &mut out)) }?;
    }
    Ok(RocmStorage::new(T::wrap(out), device.clone()))
}

#[cfg(candle_rocm_seam)]
pub(crate) mod fused {
    use candle_core::{Result, Shape};

    use super::group_norm;
    use crate::RocmStorage;
    use crate::common::fused::{Backward, Fused, float_operands, shaped_as};
    use crate::common::operand::Operand;
    use crate::nn::group_norm_backward;

    pub(crate) struct GroupNorm {
        pub(crate) groups: usize,
        pub(crate) eps: f64,
    }

    impl Fused for GroupNorm {
        fn forward(&self, args: &[Operand<'_>]) -> Result<Option<(RocmStorage, Shape)>> {
            let Some([(x, l), alpha, beta]) = float_operands(args) else { return Ok(None) };
            shaped_as(l, group_norm(x, l, alpha, beta, self.groups, self.eps))
        }

        fn backward(&self, pass: &Backward<'_>) -> Result<Option<Vec<Option<RocmStorage>>>> {
            let (Some([x, alpha, _]), &[of_x, of_alpha, of_beta]) = (float_operands(pass.args), pass.wanted)
            else {
                return Ok(None);
            };
            let wanted = [of_x, of_alpha, of_beta];
            let of = group_norm_backward(x, alpha, pass.dy, self.groups, self.eps, wanted)?;
            Ok(Some(vec![of.x, of.alpha, of.beta]))
        }
    }
}
