//! Norms of groups of channels; launches `rows.hip`.

use candle_core::Layout;
use rocm_kernels::ROWS;

use super::{MOMENTS_WORDS, contiguous, floats, invalid, parts, unsupported};
use crate::hip::LaunchConfig;
use crate::ops::KernelName;
use crate::ops::reduce::THREADS;
use crate::storage_slice::each_dtype;
use crate::{RocmDType, RocmError, RocmStorage};

const OP: &str = "group_norm";

/// `(x - mean) / sqrt(variance + eps) * alpha + beta` of x `(batch, channels, ..)`, where mean and variance are those of each
/// of `groups` equal parts of a sample's channels. `alpha` and `beta` have one element for each channel.
pub fn group_norm(
    x: &RocmStorage,
    layout: &Layout,
    alpha: (&RocmStorage, &Layout),
    beta: (&RocmStorage, &Layout),
    groups: usize,
    eps: f64,
) -> Result<RocmStorage, RocmError> {
    floats(OP, x)?;
    each_dtype!(x.slice.dtype(), T => launch::<T>(x, layout, alpha, beta, groups, eps), else unsupported(OP, x))
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
    let &[batch, channels, ref spatial @ ..] = layout.dims() else {
        return invalid(
            OP,
            format!("the input has shape {:?}; it needs a batch and channels", layout.dims()),
        );
    };
    if groups == 0 || !channels.is_multiple_of(groups) {
        return invalid(OP, format!("{channels} channels do not make {groups} equal groups"));
    }
    for (what, (storage, l)) in [("alpha", alpha), ("beta", beta)] {
        device.check_same(&storage.device, OP)?;
        contiguous::<T>(OP, what, storage, l)?;
        if l.shape().elem_count() != channels {
            let (lhs, rhs) = (layout.dims().to_vec(), l.dims().to_vec());
            return Err(RocmError::ShapeMismatch { op: OP, lhs, rhs });
        }
    }
    let spatial: usize = spatial.iter().product();
    let (rows, cols) = (batch * groups, channels / groups * spatial);
    if cols > i32::MAX as usize {
        return invalid(OP, format!("groups of {cols} elements; kernels count to {}", i32::MAX));
    }
    let mut out = device.alloc::<T>(rows * cols)?;
    if rows * cols > 0 {
        let splits = parts(device, rows, cols, size_of::<T>());
        let part = cols.div_ceil(splits);
        let splits = cols.div_ceil(part);
        let mut partial = device.alloc::<usize>(MOMENTS_WORDS * rows * splits)?;
        let name = KernelName::new(format_args!("group_norm_{}", T::KERNEL_DTYPE));
        let blocks = (rows * splits).min(1 << 22) as u32;
        for stage in [0u32, 1] {
            let mut launch = device.launch(&ROWS, name.as_str());
            launch.buffer(src, layout.start_offset()).buffer_mut(&mut out, 0);
            for (storage, l) in [alpha, beta] {
                launch.buffer(contiguous::<T>(OP, "a factor", storage, l)?, l.start_offset());
            }
            launch.arg(&(cols as u32)).arg(&(groups as u32)).arg(&(spatial as u32)).arg(&eps);
            launch.arg(&rows).arg(&splits).arg(&part).buffer_mut(&mut partial, 0).arg(&stage);
            // SAFETY: group_norm_*(src, dst, alpha, beta, n_cols, groups, spatial, eps, n_rows, splits, part, partial,
            // stage): src and dst have rows * cols elements, alpha and beta one for each of the channels, which are groups *
            // (cols / spatial); partial has 24 bytes for each part.
            unsafe { launch.run(LaunchConfig::linear(blocks, THREADS as u32)) }?;
        }
    }
    Ok(RocmStorage { slice: T::wrap(out), device: device.clone() })
}
