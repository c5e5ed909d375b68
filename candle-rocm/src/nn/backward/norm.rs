//! Gradients of norms; launches `gradients.hip`.

use candle_core::Layout;
use rocm_kernels::GRADIENTS;

use super::{Dense, Stage, config, same_shape};
use crate::common::launch::KernelName;
use crate::common::operand::{Operand, contiguous, floats, unsupported};
use crate::count::{elem_count, saturating};
use crate::hip::{Buffer, LaunchConfig};
use crate::nn::rows::{Groups, MOMENTS_WORDS, Parts, as_rows};
use crate::reduce::{THREADS, splits};
use crate::storage_slice::each_dtype;
use crate::{Launch, RocmDType, RocmDevice, RocmError, RocmStorage};

/// Columns and channels that a block of `norm_columns` and `norm_factors` has, in words of four bytes.
const COLUMNS: usize = 128;
const CHANNELS: usize = 32;
/// Rows that a block of `norm_columns` has at least, and such blocks for each compute unit.
const LEAST_ROWS: usize = 32;
const PER_UNIT: usize = 4;

/// The gradients of a norm's operands, as far as they were wanted.
#[derive(Debug, Default)]
pub struct NormGradients {
    /// The gradient of the input.
    pub x: Option<RocmStorage>,
    /// The gradient of the factors.
    pub alpha: Option<RocmStorage>,
    /// The gradient of the shifts.
    pub beta: Option<RocmStorage>,
}

/// Which gradients are wanted, of `x`, `alpha` and `beta`.
type Wanted = [bool; 3];

/// Computes the gradients of the operands of [`rms_norm`](crate::nn::rms_norm), as far as they are wanted, from the gradient `dy` of its
/// result. `wanted` refers to `x`, `alpha` and `beta`.
///
/// # Errors
/// As the forward pass, and if `dy` does not have the result's shape, dtype and device.
pub fn rms_norm_backward(
    x: Operand<'_>,
    alpha: Operand<'_>,
    dy: Operand<'_>,
    eps: f32,
    [of_x, of_alpha]: [bool; 2],
) -> Result<NormGradients, RocmError> {
    let norm = Norm { op: "rms-norm backward", groups: None, centred: false, eps: f64::from(eps) };
    norm.run(x, alpha, dy, [of_x, of_alpha, false])
}

/// Computes the gradients of the operands of [`layer_norm`](crate::nn::layer_norm), as far as they are wanted, from the gradient `dy` of
/// its result. `wanted` refers to `x`, `alpha` and `beta`.
///
/// # Errors
/// As the forward pass, and if `dy` does not have the result's shape, dtype and device.
pub fn layer_norm_backward(
    x: Operand<'_>,
    alpha: Operand<'_>,
    dy: Operand<'_>,
    eps: f32,
    wanted: Wanted,
) -> Result<NormGradients, RocmError> {
    let norm = Norm { op: "layer-norm backward", groups: None, centred: true, eps: f64::from(eps) };
    norm.run(x, alpha, dy, wanted)
}

/// Computes the gradients of the operands of [`group_norm`](crate::nn::group_norm), as far as they are wanted, from the gradient `dy` of
/// its result. `wanted` refers to `x`, `alpha` and `beta`.
///
/// # Errors
/// As the forward pass, and if `dy` does not have the result's shape, dtype and device.
pub fn group_norm_backward(
    x: Operand<'_>,
    alpha: Operand<'_>,
    dy: Operand<'_>,
    groups: usize,
    eps: f64,
    wanted: Wanted,
) -> Result<NormGradients, RocmError> {
    let norm = Norm { op: "group-norm backward", groups: Some(groups), centred: true, eps };
    norm.run(x, alpha, dy, wanted)
}

struct Norm {
    op: &'static str,
    /// Of channels, of a group norm.
    groups: Option<usize>,
    centred: bool,
    eps: f64,
}

/// What is normalised together, and what shares a factor.
struct Sizes {
    rows: usize,
    cols: usize,
    groups: usize,
    channels: usize,
    spatial: usize,
}

impl Norm {
    fn run(
        &self,
        x: Operand<'_>,
        alpha: Operand<'_>,
        dy: Operand<'_>,
        wanted: Wanted,
    ) -> Result<NormGradients, RocmError> {
        floats(self.op, x.0)?;
        each_dtype!(x.0.dtype(), T => self.gradients::<T>(x, alpha, dy, wanted), else unsupported(self.op, x.0))
    }

    fn sizes<T: RocmDType>(&self, (x, layout): Operand<'_>, alpha: &Layout) -> Result<Sizes, RocmError> {
        let sizes = match self.groups {
            None => {
                let (_, rows, cols) = as_rows::<T>(self.op, x, layout)?;
                Sizes { rows, cols, groups: 1, channels: cols, spatial: 1 }
            }
            Some(groups) => {
                let Groups { batch, channels, spatial, cols } = Groups::of(self.op, layout, groups)?;
                Sizes { rows: saturating(&[batch, groups]), cols, groups, channels, spatial }
            }
        };
        if elem_count(self.op, alpha.dims())? != sizes.channels {
            let (lhs, rhs) = (layout.dims().to_vec(), alpha.dims().to_vec());
            return Err(RocmError::ShapeMismatch { op: self.op, lhs, rhs });
        }
        Ok(sizes)
    }

    fn gradients<T: RocmDType>(
        &self,
        x: Operand<'_>,
        alpha: Operand<'_>,
        dy: Operand<'_>,
        wanted: Wanted,
    ) -> Result<NormGradients, RocmError> {
        let device = &x.0.device;
        device.check_same(&alpha.0.device, self.op)?;
        let sizes = self.sizes::<T>(x, alpha.1)?;
        same_shape(self.op, x.1, dy.1)?;
        let src = contiguous::<T>(self.op, "the input", x.0, x.1)?;
        let alpha = (contiguous::<T>(self.op, "alpha", alpha.0, alpha.1)?, alpha.1.start_offset());
        let dy = Dense::<T>::of(self.op, device, dy)?;
        let mut outputs = Outputs::<T>::new(device, &sizes, wanted)?;
        if sizes.rows * sizes.cols > 0 {
            let x = (src, x.1.start_offset());
            let normals = self.rows(device, x, alpha, &dy, &mut outputs.x, &sizes)?;
            if wanted[1] || wanted[2] {
                let partial = match self.groups {
                    None => columns(device, x, &dy, &normals, &sizes)?,
                    Some(_) => channels(device, x, &dy, &normals, &sizes)?,
                };
                factors(device, &partial, &mut outputs, &sizes)?;
            }
        }
        Ok(outputs.finish(device))
    }

    /// The gradient of the input, if it is wanted, and each row's mean and scale: two words.
    fn rows<T: RocmDType>(
        &self,
        device: &RocmDevice,
        (x, x_offset): (&Buffer<T>, usize),
        (alpha, alpha_offset): (&Buffer<T>, usize),
        dy: &Dense<'_, T>,
        dx: &mut Option<Buffer<T>>,
        sizes: &Sizes,
    ) -> Result<Buffer<usize>, RocmError> {
        let parts = Parts::new(device, sizes.rows, sizes.cols, size_of::<T>());
        let stages: &[Stage] = match (parts.whole(), &dx) {
            (true, _) => &[Stage::Whole],
            (false, None) => &[Stage::Moments, Stage::Sums],
            (false, Some(_)) => &[Stage::Moments, Stage::Sums, Stage::Write],
        };
        let kept = if parts.whole() { 0 } else { parts.total() };
        let mut moments = device.alloc::<usize>(MOMENTS_WORDS * kept)?;
        let mut sums = device.alloc::<usize>(2 * kept)?;
        let mut normals = device.alloc::<usize>(2 * sizes.rows)?;
        let name = KernelName::new(format_args!("norm_backward_{}", T::KERNEL_DTYPE));
        for &stage in stages {
            let mut launch = device.launch(&GRADIENTS, name.as_str());
            launch.buffer(x, x_offset);
            dy.bind(&mut launch);
            launch.buffer(alpha, alpha_offset);
            optional(&mut launch, dx);
            launch.buffer_mut(&mut normals, 0).arg(&(sizes.cols as u32)).arg(&(sizes.groups as u32));
            launch.arg(&(sizes.spatial as u32)).arg(&u32::from(self.centred)).arg(&self.eps);
            parts.bind(&mut launch);
            launch.buffer_mut(&mut moments, 0).buffer_mut(&mut sums, 0).arg(&(stage as u32));
            // SAFETY: norm_backward_*(x, dy, alpha, dx, normals, n_cols, groups, spatial, centred, eps, n_rows, splits, part,
            // moments, sums, stage): x, dy and dx have rows * cols elements, alpha one for each of the channels, which are
            // groups * (cols / spatial); normals has two words for each row, moments and sums three and two for each part.
            unsafe { launch.run(config(device, &parts, sizes.cols, size_of::<T>())) }?;
        }
        Ok(normals)
    }
}

struct Outputs<T: RocmDType> {
    x: Option<Buffer<T>>,
    alpha: Option<Buffer<T>>,
    beta: Option<Buffer<T>>,
}

impl<T: RocmDType> Outputs<T> {
    /// Zeros for factors if there are no rows, which kernels are not launched for.
    fn new(device: &RocmDevice, sizes: &Sizes, [x, alpha, beta]: Wanted) -> Result<Self, RocmError> {
        let elements = sizes.rows * sizes.cols;
        let alloc = |wanted: bool, len: usize| {
            let alloc = || if elements == 0 { device.alloc_zeros::<T>(len) } else { device.alloc::<T>(len) };
            wanted.then(alloc).transpose()
        };
        Ok(Self {
            x: alloc(x, elements)?,
            alpha: alloc(alpha, sizes.channels)?,
            beta: alloc(beta, sizes.channels)?,
        })
    }

    fn finish(self, device: &RocmDevice) -> NormGradients {
        let storage = |buffer| RocmStorage::new(T::wrap(buffer), device.clone());
        NormGradients { x: self.x.map(storage), alpha: self.alpha.map(storage), beta: self.beta.map(storage) }
    }
}

fn optional<T: RocmDType>(launch: &mut Launch<'_>, buffer: &mut Option<Buffer<T>>) {
    match buffer {
        Some(buffer) => launch.buffer_mut(buffer, 0),
        None => launch.null(),
    };
}

/// Sums of each factor over parts of the rows, and how many parts there are of each.
struct Partial {
    sums: Buffer<usize>,
    chunks: usize,
}

/// Of columns, over chunks of the rows.
fn columns<T: RocmDType>(
    device: &RocmDevice,
    x: (&Buffer<T>, usize),
    dy: &Dense<'_, T>,
    normals: &Buffer<usize>,
    sizes: &Sizes,
) -> Result<Partial, RocmError> {
    let (rows, cols) = (sizes.rows, sizes.cols);
    let tiles = cols.div_ceil(if size_of::<T>() == 8 { COLUMNS / 2 } else { COLUMNS });
    let chunk = rows.div_ceil(splits(device, tiles, PER_UNIT, rows, LEAST_ROWS));
    let chunks = rows.div_ceil(chunk);
    let mut sums = device.alloc::<usize>(2 * chunks * cols)?;
    let mut launch = partial_sums(device, "norm_columns", x, dy, normals, &mut sums);
    launch.arg(&rows).arg(&(cols as u32)).arg(&chunk);
    let most = LaunchConfig::most_blocks(THREADS);
    let config = LaunchConfig {
        grid: [tiles.min(most) as u32, chunks as u32, 1],
        block: [THREADS as u32, 1, 1],
        shared_bytes: 0,
    };
    // SAFETY: norm_columns_*(x, dy, normals, partial, rows, cols, chunk): x and dy have rows * cols elements, normals two words
    // for each row, partial two for each column of each of the chunks, which gridDim.y counts.
    unsafe { launch.run(config) }?;
    Ok(Partial { sums, chunks })
}

/// Of channels, over parts of each sample's.
fn channels<T: RocmDType>(
    device: &RocmDevice,
    x: (&Buffer<T>, usize),
    dy: &Dense<'_, T>,
    normals: &Buffer<usize>,
    sizes: &Sizes,
) -> Result<Partial, RocmError> {
    let batch = sizes.rows / sizes.groups;
    let parts = Parts::new(device, batch * sizes.channels, sizes.spatial, size_of::<T>());
    let mut sums = device.alloc::<usize>(2 * parts.total())?;
    let mut launch = partial_sums(device, "norm_channels", x, dy, normals, &mut sums);
    launch.arg(&(sizes.spatial as u32));
    launch.arg(&(sizes.channels as u32)).arg(&((sizes.channels / sizes.groups) as u32));
    parts.bind(&mut launch);
    // SAFETY: norm_channels_*(x, dy, normals, partial, spatial, channels, per_group, n_rows, splits, part): a row is one of the
    // batch * channels of x and dy, normals has two words for each group of a sample, partial two for each part of a row.
    unsafe { launch.run(config(device, &parts, sizes.spatial, size_of::<T>())) }?;
    Ok(Partial { sums, chunks: parts.total() / sizes.channels })
}

/// Begins the launch of a kernel that adds up parts: `x, dy, normals, partial`.
fn partial_sums<'d, T: RocmDType>(
    device: &'d RocmDevice,
    kernel: &str,
    (x, offset): (&Buffer<T>, usize),
    dy: &Dense<'_, T>,
    normals: &Buffer<usize>,
    sums: &mut Buffer<usize>,
) -> Launch<'d> {
    let name = KernelName::new(format_args!("{kernel}_{}", T::KERNEL_DTYPE));
    let mut launch = device.launch(&GRADIENTS, name.as_str());
    launch.buffer(x, offset);
    dy.bind(&mut launch);
    launch.buffer(normals, 0).buffer_mut(sums, 0);
    launch
}

/// The factors' gradients: sums over all chunks.
fn factors<T: RocmDType>(
    device: &RocmDevice,
    partial: &Partial,
    outputs: &mut Outputs<T>,
    sizes: &Sizes,
) -> Result<(), RocmError> {
    let name = KernelName::new(format_args!("norm_factors_{}", T::KERNEL_DTYPE));
    let mut launch = device.launch(&GRADIENTS, name.as_str());
    launch.buffer(&partial.sums, 0);
    optional(&mut launch, &mut outputs.alpha);
    optional(&mut launch, &mut outputs.beta);
    launch.arg(&partial.chunks).arg(&(sizes.channels as u32));
    // SAFETY: norm_factors_*(partial, dalpha, dbeta, chunks, channels): partial has two sums for each channel of each chunk, the
    // outputs, where they are, have channels elements.
    unsafe { launch.run(LaunchConfig::looping(sizes.channels.div_ceil(CHANNELS), THREADS as u32)) }
}
