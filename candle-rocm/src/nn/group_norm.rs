//! Norms of groups of channels; launches `rows.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::ROWS;

use super::rows::{Groups, MOMENTS_WORDS, Parts, ScaledAndShifted, threads_that_hold_group};
use crate::common::launch::KernelName;
use crate::common::operand::{Operand, contiguous, floats, unsupported};
use crate::common::operation::{Described, Op};
use crate::count::{elem_count, saturating};
use crate::dtype::DTypeExt;
use crate::reduce::rows_config;
use crate::storage_slice::each_dtype;
use crate::{Launch, RocmDType, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

const OP: &str = "group-norm";

/// [`group_norm`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupNorm {
    pub(crate) groups: usize,
    pub(crate) eps: f64,
}

impl Op for GroupNorm {
    type Operands<T> = ScaledAndShifted<T>;

    fn name(&self) -> &'static str {
        OP
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.extend([self.groups as u64, self.eps.to_bits()]);
    }

    fn result(&self, _: &RocmDevice, operands: ScaledAndShifted<Described<'_>>) -> Option<(usize, DType)> {
        let ScaledAndShifted { x, alpha, beta } = operands;
        let Groups { channels, .. } = Groups::of(OP, x.layout, self.groups).ok()?;
        let fit = [alpha, beta].iter().all(|parameter| parameter.is_parameter(x.dtype, channels));
        (x.dtype.is_16_to_64_bit_float() && x.is_contiguous && fit).then_some((x.len, x.dtype))
    }

    fn run(
        &self,
        _: &RocmDevice,
        operands: ScaledAndShifted<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice> {
        let ScaledAndShifted { x: (x, layout), alpha, beta } = operands;
        Ok(group_norm(x, layout, alpha, beta, self.groups, self.eps)?.into_slice()?)
    }
}

/// Group norm (Wu and He 2018): `(x - mean) / sqrt(variance + eps) * alpha + beta` for x `[batch, channels, ..]`, with mean and variance
/// over each of `groups` equal parts of a sample's channels. `alpha` and `beta` have one element per channel.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] unless `x` is f16, bf16, f32 or f64; otherwise if an operand is not contiguous, does not match the shape
/// or dtype of `x`, or is on another device.
pub fn group_norm(
    x: &RocmStorage,
    layout: &Layout,
    alpha: (&RocmStorage, &Layout),
    beta: (&RocmStorage, &Layout),
    groups: usize,
    eps: f64,
) -> Result<RocmStorage, RocmError> {
    group_norm_with((x, layout), [alpha, beta], groups, eps, Wanted::Norm).map(|written| written.0)
}

/// Which results of a group norm are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The norm y.
    Norm,
    /// `silu(y)`, `y / (1 + exp(-y))`, of the norm y. Both are rounded to the dtype of the input.
    Silu,
    /// Both silu and the norm.
    Both,
}

impl Wanted {
    fn op(self) -> &'static str {
        match self {
            Self::Norm => OP,
            Self::Silu | Self::Both => "group-norm-silu",
        }
    }
}

/// Computes the `wanted` results of [`group_norm`] in one launch. The second result is the norm, if both are wanted.
///
/// # Errors
/// As [`group_norm`].
pub fn group_norm_with(
    x: (&RocmStorage, &Layout),
    factors: [(&RocmStorage, &Layout); 2],
    groups: usize,
    eps: f64,
    wanted: Wanted,
) -> Result<(RocmStorage, Option<RocmStorage>), RocmError> {
    floats(wanted.op(), x.0)?;
    each_dtype!(x.0.dtype(), T => launch::<T>(x, factors, groups, eps, wanted), else unsupported(wanted.op(), x.0))
}

fn launch<T: RocmDType>(
    (x, layout): Operand<'_>,
    [alpha, beta]: [Operand<'_>; 2],
    groups: usize,
    eps: f64,
    wanted: Wanted,
) -> Result<(RocmStorage, Option<RocmStorage>), RocmError> {
    let device = &x.device;
    let op = wanted.op();
    let src = contiguous::<T>(op, "the input", x, layout)?;
    let Groups { batch, channels, spatial, cols } = Groups::of(op, layout, groups)?;
    for (what, (storage, l)) in [("alpha", alpha), ("beta", beta)] {
        device.check_same(&storage.device, op)?;
        contiguous::<T>(op, what, storage, l)?;
        if elem_count(op, l.dims())? != channels {
            let (lhs, rhs) = (layout.dims().to_vec(), l.dims().to_vec());
            return Err(RocmError::ShapeMismatch { op, lhs, rhs });
        }
    }
    let rows = saturating(&[batch, groups]);
    let mut out = device.alloc::<T>(rows * cols)?;
    let mut norm = if wanted == Wanted::Both { Some(device.alloc::<T>(rows * cols)?) } else { None };
    if rows * cols > 0 {
        let parts = Parts::new(device, rows, cols, size_of::<T>());
        let mut bind = |launch: &mut Launch<'_>| {
            launch.buffer(src, layout.start_offset()).buffer_mut(&mut out, 0);
            match &mut norm {
                Some(norm) => launch.buffer_mut(norm, 0),
                None => launch.null(),
            };
            for (storage, l) in [alpha, beta] {
                launch.buffer(contiguous::<T>(op, "a factor", storage, l)?, l.start_offset());
            }
            launch.arg(&(cols as u32)).arg(&(groups as u32)).arg(&(spatial as u32)).arg(&eps);
            launch.arg(&u32::from(wanted != Wanted::Norm));
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
            bind(&mut launch)?;
            launch.arg(&rows);
            // SAFETY: row_group_norm_*(src, dst, norm, alpha, beta, n_cols, groups, spatial, eps, by_silu, rows): as below; rows are
            // aligned vectors that do not cross channels, and the block can hold one.
            unsafe { launch.run(rows_config(device, rows, threads)) }?;
        } else {
            let name = KernelName::new(format_args!("group_norm_{}", T::KERNEL_DTYPE));
            // SAFETY: group_norm_*(src, dst, norm, alpha, beta, n_cols, groups, spatial, eps, by_silu, ..): src, dst and norm, unless
            // it is null, have rows * cols elements, alpha and beta one for each of the channels, which are groups * (cols / spatial).
            unsafe { parts.launch(device, &name, MOMENTS_WORDS, &mut bind) }?;
        }
    }
    let storage = |buffer| RocmStorage::new(T::wrap(buffer), device.clone());
    Ok((storage(out), norm.map(storage)))
}

#[cfg(candle_rocm_seam)]
mod fused {
    use candle_core::{DType, Result};

    use super::GroupNorm;
    use crate::common::fused::{Backward, Fused, Gradients};
    use crate::dtype::DTypeExt;
    use crate::nn::group_norm_backward;
    use crate::nn::rows::ScaledAndShifted;

    impl Fused for GroupNorm {
        fn takes(&self, first: DType) -> bool {
            first.is_16_to_64_bit_float()
        }

        fn backward(&self, pass: Backward<'_, Self>) -> Result<Gradients<Self>> {
            let ScaledAndShifted { x, alpha, .. } = pass.operands;
            let wanted = [pass.wanted.x, pass.wanted.alpha, pass.wanted.beta];
            let of = group_norm_backward(x, alpha, pass.dy, self.groups, self.eps, wanted)?;
            Ok(Some(ScaledAndShifted { x: of.x, alpha: of.alpha, beta: of.beta }))
        }
    }
}
