//! What candle-nn computes with kernels of its own: the logistic function, softmax, norms, rotary embeddings, attention,
//! mixtures of experts. Where nothing else is said, tensors are contiguous, as on candle's other backends; results are in
//! the dtype of the input, one of f16, bf16, f32 and f64.

mod attention;
mod experts;
mod group_norm;

use candle_core::{DType, Layout};
use rocm_kernels::{REDUCE, ROWS};
use smallvec::{SmallVec, smallvec};

use crate::hip::{Buffer, DevicePtr, LaunchConfig};
use crate::ops::KernelName;
use crate::ops::layout::check_bounds;
use crate::ops::map::same;
use crate::ops::reduce::{
    SPLIT_BYTES, STATE_WORDS, THREADS, rows_config, rows_per_block, splits, threads_per_row,
};
use crate::ops::unary;
use crate::storage_slice::each_dtype;
use crate::{Launch, RocmDType, RocmDevice, RocmError, RocmStorage};

#[cfg(candle_rocm_seam)]
pub(crate) use attention::has as has_products;
pub use attention::{Attention, sdpa};
pub use experts::moe_gemm;
pub use group_norm::group_norm;

/// Rows of one launch: HIP counts threads in 32 bits.
const MOST_ROWS: usize = 1 << 22;

/// Bytes that a part of a row has at least, when rows are split.
const PART_BYTES: usize = 4 << 10;

/// Threads that share a row at most.
const LARGEST_BLOCK: usize = 1024;

/// Words reserved for what is known of a part of a row that is normalised.
const MOMENTS_WORDS: usize = 3;

/// `1 / (1 + exp(-x))` of each element, in any layout.
pub fn sigmoid(x: &RocmStorage, layout: &Layout) -> Result<RocmStorage, RocmError> {
    Ok(RocmStorage { slice: unary::sigmoid(&x.device, &x.slice, layout)?, device: x.device.clone() })
}

/// `exp(x - max) / sum` of each row, a row being the last dimension. As on candle's CPU, a row with a NaN, with +infinity
/// or of nothing but -infinity becomes NaN.
pub fn softmax_last_dim(x: &RocmStorage, layout: &Layout) -> Result<RocmStorage, RocmError> {
    const OP: &str = "softmax_last_dim";
    floats(OP, x)?;
    each_dtype!(x.slice.dtype(), T => softmax::<T>(OP, x, layout), else unsupported(OP, x))
}

/// `x / sqrt(mean(x^2) + eps) * alpha` of each row, a row being the last dimension. `alpha` has one element for each of a
/// row's.
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

/// `(x - mean) / sqrt(variance + eps) * alpha + beta` of each row, a row being the last dimension. `alpha` and `beta`
/// have one element for each of a row's.
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

/// Rotary embedding of a tensor `(batch, heads, time, d)`: elements i and i + d/2 are a pair. `cos` and `sin` have shape
/// `(time or more, d / 2)`, or `(batch, time, d / 2)`.
pub fn rope(
    x: &RocmStorage,
    layout: &Layout,
    cos: (&RocmStorage, &Layout),
    sin: (&RocmStorage, &Layout),
) -> Result<RocmStorage, RocmError> {
    rotary(Arrangement::Halves, x, layout, cos, sin)
}

/// [`rope`] where elements 2i and 2i + 1 are a pair.
pub fn rope_i(
    x: &RocmStorage,
    layout: &Layout,
    cos: (&RocmStorage, &Layout),
    sin: (&RocmStorage, &Layout),
) -> Result<RocmStorage, RocmError> {
    rotary(Arrangement::Neighbours, x, layout, cos, sin)
}

/// [`rope`] of a tensor `(batch, time, heads, d)`.
pub fn rope_thd(
    x: &RocmStorage,
    layout: &Layout,
    cos: (&RocmStorage, &Layout),
    sin: (&RocmStorage, &Layout),
) -> Result<RocmStorage, RocmError> {
    rotary(Arrangement::Thd, x, layout, cos, sin)
}

fn unsupported<R>(op: &'static str, x: &RocmStorage) -> Result<R, RocmError> {
    Err(RocmError::UnsupportedDType { op, dtype: x.slice.dtype() })
}

pub(crate) fn floats(op: &'static str, x: &RocmStorage) -> Result<(), RocmError> {
    match x.slice.dtype() {
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Ok(()),
        _ => unsupported(op, x),
    }
}

fn invalid<R>(op: &'static str, message: String) -> Result<R, RocmError> {
    Err(RocmError::InvalidArgument { op, message })
}

/// The elements, which follow each other from the layout's offset on.
fn contiguous<'a, T: RocmDType>(
    op: &'static str,
    what: &str,
    storage: &'a RocmStorage,
    layout: &Layout,
) -> Result<&'a Buffer<T>, RocmError> {
    let buffer = same::<T>(op, &storage.slice)?;
    check_bounds(op, layout, buffer.len())?;
    if !layout.is_contiguous() {
        let (shape, stride) = (layout.dims(), layout.stride());
        return invalid(
            op,
            format!(
                "{what} of shape {shape:?}, stride {stride:?} is not contiguous; call contiguous() first"
            ),
        );
    }
    Ok(buffer)
}

/// A contiguous tensor as rows of its last dimension.
fn as_rows<'a, T: RocmDType>(
    op: &'static str,
    x: &'a RocmStorage,
    layout: &Layout,
) -> Result<(&'a Buffer<T>, usize, usize), RocmError> {
    let buffer = contiguous::<T>(op, "the input", x, layout)?;
    let Some(&cols) = layout.dims().last() else {
        return invalid(op, "the input has no dimensions; give it one with unsqueeze(0)".to_owned());
    };
    if cols > i32::MAX as usize {
        return invalid(op, format!("rows of {cols} elements; kernels count to {}", i32::MAX));
    }
    let rows = layout.dims()[..layout.dims().len() - 1].iter().product();
    Ok((buffer, rows, cols))
}

/// Into how many parts each of `rows` rows is cut.
fn parts(device: &RocmDevice, rows: usize, cols: usize, size: usize) -> usize {
    const PER_UNIT: usize = 8;
    let enough = PER_UNIT / 2 * device.hip_device().compute_units() as usize;
    if rows >= enough || cols * size < SPLIT_BYTES {
        1
    } else {
        splits(device, rows, PER_UNIT, cols, PART_BYTES / size)
    }
}

/// How many of `rows` rows a block takes, with `threads` threads each, where all blocks have to take as many.
fn whole_blocks(device: &RocmDevice, rows: usize, threads: usize) -> usize {
    rows_per_block(device, threads).min(1 << rows.trailing_zeros().min(16))
}

/// Elements that a thread of `row_*` holds in registers.
fn held<T>() -> usize {
    if size_of::<T>() == 8 { 16 } else { 32 }
}

/// Threads that share a row of `cols` elements, where that fits in their registers, and where rows are whole vectors and begin
/// as these do.
fn threads_that_hold<T: RocmDType>(cols: usize, starts: &[DevicePtr]) -> Option<usize> {
    let aligned = starts.iter().all(|start| start.address().is_multiple_of(16));
    if !aligned || !(cols * size_of::<T>()).is_multiple_of(16) || cols > THREADS * held::<T>() {
        return None;
    }
    Some(cols.div_ceil(held::<T>()).next_power_of_two().max(2))
}

fn softmax<T: RocmDType>(
    op: &'static str,
    x: &RocmStorage,
    layout: &Layout,
) -> Result<RocmStorage, RocmError> {
    let device = &x.device;
    let (src, rows, cols) = as_rows::<T>(op, x, layout)?;
    let mut out = device.alloc::<T>(rows * cols)?;
    let (offset, n_cols) = (layout.start_offset(), cols as i32);
    let start = src.as_ptr().byte_add(offset * size_of::<T>());
    let parts = parts(device, rows, cols, size_of::<T>());
    if rows * cols == 0 {
        // Nothing to do.
    } else if let Some(threads) = threads_that_hold::<T>(cols, &[start]) {
        let name = KernelName::new(format_args!("row_softmax_{}", T::KERNEL_DTYPE));
        let mut launch = device.launch(&ROWS, name.as_str());
        launch.buffer(src, offset).buffer_mut(&mut out, 0).arg(&rows).arg(&(cols as u32));
        // SAFETY: row_softmax_*(src, dst, rows, n_cols): both have rows * cols elements, and src is aligned, as dst is.
        unsafe { launch.run(rows_config(device, rows, threads)) }?;
    } else if parts > 1 {
        let part = cols.div_ceil(parts);
        let parts = cols.div_ceil(part);
        let mut partial = device.alloc::<usize>(STATE_WORDS * rows * parts)?;
        let name = KernelName::new(format_args!("split_softmax_{}", T::KERNEL_DTYPE));
        for stage in [0u32, 1] {
            let mut launch = device.launch(&ROWS, name.as_str());
            launch.buffer(src, offset).buffer_mut(&mut out, 0).arg(&(cols as u32));
            launch.arg(&rows).arg(&parts).arg(&part).buffer_mut(&mut partial, 0).arg(&stage);
            // SAFETY: split_softmax_*(src, dst, n_cols, n_rows, splits, part, partial, stage); src, checked to be
            // contiguous, and dst have rows * cols elements, partial 16 bytes for each part.
            unsafe { launch.run(LaunchConfig::linear((rows * parts) as u32, THREADS as u32)) }?;
        }
    } else {
        let threads = threads_per_row(size_of::<T>(), cols, LARGEST_BLOCK);
        let name = KernelName::new(format_args!("softmax_{}", T::KERNEL_DTYPE));
        for first in (0..rows).step_by(MOST_ROWS) {
            let count = MOST_ROWS.min(rows - first);
            let per_block = whole_blocks(device, count, threads);
            let grid = [(count / per_block) as u32, 1, 1];
            let config = LaunchConfig { grid, block: [per_block as u32, threads as u32, 1], shared_bytes: 0 };
            let mut launch = device.launch(&REDUCE, name.as_str());
            launch.buffer(src, offset + first * cols).buffer_mut(&mut out, first * cols).arg(&n_cols);
            // SAFETY: softmax_*(src, dst, n_cols) on gridDim.x * blockDim.x = count rows, which both have.
            unsafe { launch.run(config) }?;
        }
    }
    Ok(RocmStorage { slice: T::wrap(out), device: device.clone() })
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
            if l.shape().elem_count() == cols {
                Ok(())
            } else {
                Err(RocmError::ShapeMismatch { op, lhs: layout.dims().to_vec(), rhs: l.dims().to_vec() })
            }
        }
    };
    parameter("alpha", alpha)?;
    parameter("beta", beta)?;
    let mut out = device.alloc::<T>(rows * cols)?;
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
    let rows = if cols == 0 { 0 } else { rows };
    let mut starts: SmallVec<[DevicePtr; 3]> =
        smallvec![src.as_ptr().byte_add(layout.start_offset() * size_of::<T>())];
    for (storage, l) in [alpha, beta].into_iter().flatten() {
        starts.push(same::<T>(op, &storage.slice)?.as_ptr().byte_add(l.start_offset() * size_of::<T>()));
    }
    if rows > 0
        && let Some(threads) = threads_that_hold::<T>(cols, &starts)
    {
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
    let parts = parts(device, rows, cols, size_of::<T>());
    if rows > 0 && parts > 1 {
        let part = cols.div_ceil(parts);
        let parts = cols.div_ceil(part);
        let mut partial = device.alloc::<usize>(MOMENTS_WORDS * rows * parts)?;
        let name = KernelName::new(format_args!("split_norm_{}", T::KERNEL_DTYPE));
        for stage in [0u32, 1] {
            let mut launch = device.launch(&ROWS, name.as_str());
            launch.buffer(src, layout.start_offset()).buffer_mut(&mut out, 0);
            bind(&mut launch, &[alpha, beta])?;
            launch.arg(&(cols as u32)).arg(&u32::from(centred)).arg(&eps);
            launch.arg(&rows).arg(&parts).arg(&part).buffer_mut(&mut partial, 0).arg(&stage);
            // SAFETY: split_norm_*(src, dst, alpha, beta, n_cols, centred, eps, n_rows, splits, part, partial, stage);
            // src and dst have rows * cols elements, alpha and beta cols, partial 24 bytes for each part.
            unsafe { launch.run(LaunchConfig::linear((rows * parts) as u32, THREADS as u32)) }?;
        }
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

#[derive(Clone, Copy)]
enum Arrangement {
    Halves,
    Neighbours,
    Thd,
}

fn rotary(
    arrangement: Arrangement,
    x: &RocmStorage,
    layout: &Layout,
    cos: (&RocmStorage, &Layout),
    sin: (&RocmStorage, &Layout),
) -> Result<RocmStorage, RocmError> {
    let op = match arrangement {
        Arrangement::Halves => "rope",
        Arrangement::Neighbours => "rope_i",
        Arrangement::Thd => "rope_thd",
    };
    floats(op, x)?;
    each_dtype!(x.slice.dtype(), T => rotate::<T>(op, arrangement, x, layout, cos, sin), else unsupported(op, x))
}

fn rotate<T: RocmDType>(
    op: &'static str,
    arrangement: Arrangement,
    x: &RocmStorage,
    layout: &Layout,
    cos: (&RocmStorage, &Layout),
    sin: (&RocmStorage, &Layout),
) -> Result<RocmStorage, RocmError> {
    let device = &x.device;
    device.check_same(&cos.0.device, op)?;
    device.check_same(&sin.0.device, op)?;
    let src = contiguous::<T>(op, "the input", x, layout)?;
    let cosines = contiguous::<T>(op, "cos", cos.0, cos.1)?;
    let sines = contiguous::<T>(op, "sin", sin.0, sin.1)?;
    let &[b, second, third, d] = layout.dims() else {
        return invalid(op, format!("the input has shape {:?}; four dimensions are needed", layout.dims()));
    };
    let (h, t) = if matches!(arrangement, Arrangement::Thd) { (third, second) } else { (second, third) };
    let angles = cos.1.dims();
    let fits = match *angles {
        [steps, half] => steps >= t && half * 2 == d,
        [batches, steps, half] => batches == b && steps == t && half * 2 == d,
        _ => false,
    };
    if !fits || sin.1.dims() != angles {
        let wrong = if fits { sin.1 } else { cos.1 };
        let (lhs, rhs) = (layout.dims().to_vec(), wrong.dims().to_vec());
        return Err(RocmError::ShapeMismatch { op, lhs, rhs });
    }
    let numel = layout.shape().elem_count();
    if numel > u32::MAX as usize {
        return invalid(op, format!("{numel} elements; kernels count to {}", u32::MAX));
    }
    let mut out = device.alloc::<T>(numel)?;
    if numel > 0 {
        let name = KernelName::new(format_args!("{op}_{}", T::KERNEL_DTYPE));
        let stride_b = if angles.len() == 3 { (h * t * d) as u32 } else { 0 };
        let mut launch = device.launch(&REDUCE, name.as_str());
        launch.buffer(src, layout.start_offset());
        launch
            .buffer(cosines, cos.1.start_offset())
            .buffer(sines, sin.1.start_offset())
            .buffer_mut(&mut out, 0);
        let sizes: &[usize] = match arrangement {
            Arrangement::Neighbours => &[b * h, t * d],
            Arrangement::Halves => &[b * h, t * d, d],
            Arrangement::Thd => &[b, t, h, d],
        };
        for &size in sizes {
            launch.arg(&(size as u32));
        }
        launch.arg(&stride_b);
        // SAFETY: rope_i_*(src, cos, sin, dst, bh, td, stride_b), rope_* with d, rope_thd_*(.., b, t, h, d, stride_b):
        // src and dst have their product of elements, cos and sin d / 2 for each step, or for each step of each batch.
        unsafe { launch.run(device.elementwise(numel / 2, (16 / size_of::<T>()).max(1))) }?;
    }
    Ok(RocmStorage { slice: T::wrap(out), device: device.clone() })
}
