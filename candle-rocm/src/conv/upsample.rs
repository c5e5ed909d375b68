//! Images of another size; launches `conv_pool.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::CONV_POOL;

use super::pool::info;
use crate::common::launch::KernelName;
use crate::common::map::Map1;
use crate::common::operand::{Operand, slice};
use crate::common::operation::{Described, One, Op};
use crate::common::plan::check_bounds;
use crate::count::{elem_count, product, saturating};
use crate::hip::{Buffer, LaunchConfig};
use crate::layout::copy;
use crate::{Result, RocmDType, RocmDevice, RocmError, RocmStorageSlice};

/// The images as `[batch, channels, height, width]`; those without a height have one of 1.
fn images(op: &'static str, layout: &Layout, rank: usize, output: [usize; 2]) -> Result<Layout> {
    let (dims, stride) = (layout.dims(), layout.stride());
    let mut dims = dims.to_vec();
    let mut stride = stride.to_vec();
    if rank == 3 && dims.len() == 3 {
        dims.insert(2, 1);
        stride.insert(2, 0);
    } else if dims.len() != rank {
        return Err(RocmError::InvalidArgument {
            op,
            message: format!("expected images of {rank} dimensions, got shape {dims:?}"),
        });
    }
    let planes = dims[0].checked_mul(dims[1]);
    let small = planes.is_some_and(|n| n < 1 << 31) && dims[2..].iter().chain(&output).all(|&n| n < 1 << 31);
    // What is not there cannot be drawn.
    let source = output.contains(&0) || planes == Some(0) || !dims.contains(&0);
    if !small || !source {
        return Err(RocmError::InvalidArgument {
            op,
            message: format!(
                "images of {dims:?} cannot become {output:?}: there must be a pixel, and sizes are below 2^31"
            ),
        });
    }
    Ok(Layout::new(dims.into(), stride, layout.start_offset()))
}

/// Elements of images of another size; `None` if they might be refused.
fn resized(op: &'static str, x: &Described<'_>, rank: usize, [h, w]: [usize; 2]) -> Option<usize> {
    let images = images(op, x.layout, rank, [h, w]).ok()?;
    product(&[images.dims()[0], images.dims()[1], h, w])
}

/// Nearest neighbour: each output pixel is the input pixel at the same relative coordinate, rounded down.
#[derive(Clone, Copy)]
pub(crate) struct Nearest {
    op: &'static str,
    /// Dimensions of the input: 3, or 4 with a height.
    rank: usize,
    /// Height and width of the output.
    size: [usize; 2],
}

impl Nearest {
    pub(crate) fn of_lines(width: usize) -> Self {
        Self { op: "upsample_nearest1d", rank: 3, size: [1, width] }
    }

    pub(crate) fn of_images(height: usize, width: usize) -> Self {
        Self { op: "upsample_nearest2d", rank: 4, size: [height, width] }
    }
}

impl Op for Nearest {
    type Operands<T> = One<T>;

    fn name(&self) -> &'static str {
        self.op
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.extend([self.rank, self.size[0], self.size[1]].map(|size| size as u64));
    }

    fn result(&self, _: &RocmDevice, One { x }: One<Described<'_>>) -> Option<(usize, DType)> {
        Some((resized(self.op, &x, self.rank, self.size)?, x.dtype))
    }

    fn run(&self, device: &RocmDevice, One { x }: One<Operand<'_>>) -> candle_core::Result<RocmStorageSlice> {
        let (src, layout) = slice(x)?;
        Ok(self.map(device, src, layout)?)
    }
}

impl Map1 for Nearest {
    fn op(&self) -> &'static str {
        self.op
    }

    fn f<T: RocmDType>(&self, device: &RocmDevice, src: &Buffer<T>, layout: &Layout) -> Result<Buffer<T>> {
        check_bounds(self.op, layout, src.len())?;
        let images = images(self.op, layout, self.rank, self.size)?;
        let (dims, [h, w]) = (images.dims(), self.size);
        let count = elem_count(self.op(), &[dims[0], dims[1], h, w])?;
        let mut out = device.alloc::<T>(count)?;
        let name = KernelName::new(format_args!("upsample_nearest2d_{}", T::KERNEL_DTYPE));
        let mut launch = device.launch(&CONV_POOL, name.as_str());
        launch.arg(&h).arg(&w).arg(&(dims[2] as f64 / h as f64)).arg(&(dims[3] as f64 / w as f64));
        launch.info(&info(&images)).buffer(src, images.start_offset()).buffer_mut(&mut out, 0);
        let vectors = h * (w / per_thread(w, size_of::<T>()));
        let config = config(device, &images, 4, vectors);
        // SAFETY: upsample_nearest2d_*(size, scale, info, src, dst). The layout was checked, the kernel stays inside of it, and
        // the output has `count` elements.
        unsafe { launch.run(config) }?;
        Ok(out)
    }
}

/// A thread computes a pixel, or a vector of them, of all images of a run, which consists of groups of `together`. It first finds out
/// where the pixel comes from, so runs are as long as leaves blocks for all compute units.
fn config(device: &RocmDevice, images: &Layout, together: usize, pixels: usize) -> LaunchConfig {
    const PER_UNIT: usize = 4;
    const LONGEST: usize = 8;
    // What HIP's grids can have in y, and in x beside that.
    const MOST_RUNS: usize = (1 << 16) - 1;
    const MOST_TILES: u32 = 1 << 20;
    let dims = images.dims();
    let groups = (dims[0] * dims[1]).div_ceil(together);
    let threads = pixels.next_multiple_of(64).clamp(64, 256);
    let tiles = pixels.div_ceil(threads);
    let enough = PER_UNIT * device.hip_device().compute_units() as usize;
    let run = saturating(&[tiles, groups]).div_ceil(enough).clamp(1, LONGEST);
    let runs = groups.div_ceil(run).min(MOST_RUNS) as u32;
    let config = LaunchConfig::looping(tiles, threads as u32);
    LaunchConfig { grid: [config.grid[0].min(MOST_TILES), runs, 1], ..config }
}

/// How many pixels of a row the kernel writes at once.
fn per_thread(width: usize, size: usize) -> usize {
    let most = (16 / size).min(8);
    if width.is_multiple_of(most) { most } else { 1 }
}

/// Each pixel is a mixture of the four nearest.
#[derive(Clone, Copy)]
pub(crate) struct Bilinear {
    /// Height and width of the output.
    pub(crate) size: [usize; 2],
    /// Whether the corners' centres stay, rather than their outer edges.
    pub(crate) align_corners: bool,
    /// How much larger height and width become, where that shall not follow from the sizes.
    pub(crate) factors: [Option<f64>; 2],
}

impl Op for Bilinear {
    type Operands<T> = One<T>;

    fn name(&self) -> &'static str {
        "upsample_bilinear2d"
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.extend(self.size.map(|size| size as u64));
        words.push(self.align_corners.into());
        // No factor is NaN.
        words.extend(self.factors.map(|factor| factor.unwrap_or(f64::NAN).to_bits()));
    }

    fn result(&self, _: &RocmDevice, One { x }: One<Described<'_>>) -> Option<(usize, DType)> {
        Some((resized(self.name(), &x, 4, self.size)?, x.dtype))
    }

    fn run(&self, device: &RocmDevice, One { x }: One<Operand<'_>>) -> candle_core::Result<RocmStorageSlice> {
        let (src, layout) = slice(x)?;
        Ok(self.map(device, src, layout)?)
    }
}

impl Map1 for Bilinear {
    fn op(&self) -> &'static str {
        self.name()
    }

    fn f<T: RocmDType>(&self, device: &RocmDevice, src: &Buffer<T>, layout: &Layout) -> Result<Buffer<T>> {
        check_bounds(self.op(), layout, src.len())?;
        let images = images(self.op(), layout, 4, self.size)?;
        let (dims, [h, w]) = (images.dims(), self.size);
        let count = elem_count(self.op(), &[dims[0], dims[1], h, w])?;
        let mut out = device.alloc::<T>(count)?;
        if [h, w] == dims[2..] {
            // As on candle's CPU, whatever the factors.
            copy::copy_strided(device, (src, layout), &mut out, 0)?;
            return Ok(out);
        }
        let name = KernelName::new(format_args!("upsample_bilinear2d_{}", T::KERNEL_DTYPE));
        let mut launch = device.launch(&CONV_POOL, name.as_str());
        launch.arg(&w).arg(&h).arg(&u8::from(self.align_corners));
        for factor in self.factors {
            launch.arg(&u8::from(factor.is_some())).arg(&factor.unwrap_or(1.0));
        }
        launch.info(&info(&images)).buffer(src, images.start_offset()).buffer_mut(&mut out, 0);
        // SAFETY: upsample_bilinear2d_*(w_out, h_out, align_corners, has_scale_h, scale_h, has_scale_w, scale_w, info, src, dst).
        // The layout was checked, the kernel stays inside of it, and the output has `count` elements.
        unsafe { launch.run(config(device, &images, 8, h * w)) }?;
        Ok(out)
    }
}
