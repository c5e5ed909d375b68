//! Convolutions as matrix products (im2col: Chellapilla, Puri and Simard 2006), batch by batch:
//!
//! - im2col writes the input's patches as a matrix `[c_in * taps, pixels]`; the kernel times it is the output, `[c_out, pixels]`. For
//!   1x1 kernels the input is that matrix;
//! - transposed convolutions multiply first, to `[c_out * taps, pixels]`, and col2im adds the patches up.

use candle_core::{DType, Layout};
use rocm_kernels::CONV;

use super::direct::words;
use super::problem::{Problem, steps};
use crate::common::launch::KernelName;
use crate::count::elem_count;
use crate::dtype::DTypeExt;
use crate::hip::Buffer;
use crate::layout::copy;
use crate::matmul::{GemmShape, Matrix, gemm};
use crate::{Result, RocmDType, RocmDevice};

impl Problem {
    /// Weights per channel.
    fn taps(&self) -> usize {
        self.y.taps * self.x.taps
    }
}

/// Elements of the im2col matrix at once, unless one image needs more.
const MATRIX: usize = 1 << 26;

/// Pixels of an image, as kernels count them.
const PIXELS: usize = 1 << 31;

/// Parts of rows, each as long as the stride, per thread and iteration of the col2im kernel.
const COL2IM_SEGMENTS: usize = 4;

/// Whether there are kernels for the problem.
pub(super) fn serves(p: &Problem, dtype: DType) -> bool {
    let sums = dtype.is_16_to_64_bit_float();
    let counted = p.pixels() < PIXELS && p.y.input * p.x.input < PIXELS;
    p.c_in > 0 && counted && (!p.transposed || sums)
}

/// All of `out`.
pub(super) fn convolve<T: RocmDType>(
    device: &RocmDevice,
    p: &Problem,
    x: (&Buffer<T>, &Layout),
    (w, w_l): (&Buffer<T>, &Layout),
    out: &mut Buffer<T>,
) -> Result<()> {
    let copy = copy::contiguous(device, (w, w_l))?;
    let w = match &copy {
        Some(copy) => (copy, 0),
        None => (w, w_l.start_offset()),
    };
    if p.transposed { transposed(device, p, x, w, out) } else { forward(device, p, x, w, out) }
}

/// One matrix per image and group: a product for each group, or for each image, whichever are fewer.
fn products(p: &Problem, batch: usize, mut each: impl FnMut(usize, Strides) -> Result<()>) -> Result<()> {
    if batch >= p.groups {
        (0..p.groups).try_for_each(|group| each(batch, Strides { first: (0, group), step: (1, 0) }))
    } else {
        (0..batch).try_for_each(|image| each(p.groups, Strides { first: (image, 0), step: (0, 1) }))
    }
}

/// The matrices of one call of [`gemm`], as (image, group).
struct Strides {
    first: (usize, usize),
    step: (usize, usize),
}

impl Strides {
    /// Matrices `image` elements apart from image to image, and `group` from group to group.
    fn matrix(&self, offset: usize, (image, group): (usize, usize), row: usize, col: usize) -> Matrix {
        Matrix {
            offset: offset + self.first.0 * image + self.first.1 * group,
            batch: self.step.0 * image + self.step.1 * group,
            row,
            col,
        }
    }
}

fn forward<T: RocmDType>(
    device: &RocmDevice,
    p: &Problem,
    (x, x_l): (&Buffer<T>, &Layout),
    (w, w_offset): (&Buffer<T>, usize),
    out: &mut Buffer<T>,
) -> Result<()> {
    let (n, k, m) = (p.pixels(), p.c_in.saturating_mul(p.taps()), p.c_out);
    let [x_image, x_channel, x_y, x_x] = steps(x_l);
    // Is the input the matrix already?
    let one_row = p.y.output == 1 || x_y == p.x.input * x_x;
    if p.is_pointwise() && one_row {
        return products(p, p.batch, |batch, at| {
            let a = at.matrix(w_offset, (0, m * k), k, 1);
            let b = at.matrix(x_l.start_offset(), (x_image, p.c_in * x_channel), x_channel, x_x);
            let c = at.matrix(0, (p.groups * m * n, m * n), n, 1);
            gemm(device, p.op, GemmShape { batch, m, n, k }, (w, a), (x, b), (out, c))
        });
    }
    let image = elem_count(p.op, &[p.groups, k, n])?;
    let most = (MATRIX / image).clamp(1, p.batch);
    let mut matrix = device.alloc::<T>(most.saturating_mul(image))?;
    let name = KernelName::new(format_args!("im2col_planar_{}", size_of::<T>()));
    for first in (0..p.batch).step_by(most) {
        let part = Problem { batch: most.min(p.batch - first), ..*p };
        let mut launch = device.launch(&CONV, name.as_str());
        launch.info(&words(&part, steps(x_l), [0; 4]));
        launch.buffer(x, x_l.start_offset() + first * x_image).buffer_mut(&mut matrix, 0);
        let rows = part.batch * p.groups * p.c_in * p.y.taps;
        // SAFETY: im2col_planar_*(conv, x, out). The problem checked x's layout, and there is room for the matrix of the part.
        unsafe { launch.run(device.grid_stride(rows * n, size_of::<T>(), false)) }?;
        products(p, part.batch, |batch, at| {
            let a = at.matrix(w_offset, (0, m * k), k, 1);
            let b = at.matrix(0, (image, k * n), n, 1);
            let c = at.matrix(first * p.groups * m * n, (p.groups * m * n, m * n), n, 1);
            gemm(device, p.op, GemmShape { batch, m, n, k }, (w, a), (&matrix, b), (out, c))
        })?;
    }
    Ok(())
}

fn transposed<T: RocmDType>(
    device: &RocmDevice,
    p: &Problem,
    (x, x_l): (&Buffer<T>, &Layout),
    (w, w_offset): (&Buffer<T>, usize),
    out: &mut Buffer<T>,
) -> Result<()> {
    let (n, m, k) = (p.y.input * p.x.input, p.c_out.saturating_mul(p.taps()), p.c_in);
    let [_, _, x_y, x_x] = steps(x_l);
    // The product takes pixels that lie evenly apart.
    let even = p.y.input == 1 || x_y == p.x.input * x_x;
    let whole = if even { None } else { Some(whole(device, p.op, (x, x_l))?) };
    let (x, x_l) = match &whole {
        Some((copy, layout)) => (copy, layout),
        None => (x, x_l),
    };
    let [x_image, x_channel, _, x_x] = steps(x_l);
    let image = elem_count(p.op, &[p.groups, m, n])?;
    let most = (MATRIX / image.max(1)).clamp(1, p.batch);
    let mut matrix = device.alloc::<T>(most.saturating_mul(image))?;
    let name = KernelName::new(format_args!("col2im_planar_{}", T::KERNEL_DTYPE));
    let per_image = p.groups * p.c_out * p.pixels();
    let segments = p.groups * p.c_out * p.y.output * p.x.output.div_ceil(p.x.stride);
    for first in (0..p.batch).step_by(most) {
        let part = Problem { batch: most.min(p.batch - first), ..*p };
        products(p, part.batch, |batch, at| {
            let a = at.matrix(w_offset, (0, k * m), 1, m);
            let start = x_l.start_offset() + first * x_image;
            let b = at.matrix(start, (x_image, k * x_channel), x_channel, x_x);
            let c = at.matrix(0, (image, m * n), n, 1);
            gemm(device, p.op, GemmShape { batch, m, n, k }, (w, a), (x, b), (&mut matrix, c))
        })?;
        let mut launch = device.launch(&CONV, name.as_str());
        launch.info(&words(&part, [0; 4], [0; 4]));
        launch.buffer(&matrix, 0).buffer_mut(out, first * per_image);
        // SAFETY: col2im_planar_*(conv, matrix, out). The matrix is that of the part, and out has its outputs.
        unsafe {
            launch.run(device.grid_stride((part.batch * segments).div_ceil(COL2IM_SEGMENTS), 16, false))
        }?;
    }
    Ok(())
}

/// A contiguous copy.
fn whole<T: RocmDType>(
    device: &RocmDevice,
    op: &'static str,
    (buffer, layout): (&Buffer<T>, &Layout),
) -> Result<(Buffer<T>, Layout)> {
    let mut whole = device.alloc::<T>(elem_count(op, layout.dims())?)?;
    copy::copy_strided(device, (buffer, layout), &mut whole, 0)?;
    Ok((whole, Layout::contiguous(layout.shape())))
}
