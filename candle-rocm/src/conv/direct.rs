//! Convolutions by this crate's kernels: any dtype and layout, nothing copied but, for large problems, the weights.

use candle_core::Layout;
use rocm_kernels::CONV;

use super::problem::{Axis, Problem, steps};
use crate::common::launch::{KernelName, one_each};
use crate::count::elem_count;
use crate::dtype::DTypeExt;
use crate::hip::{Buffer, LaunchConfig};
use crate::layout::copy;
use crate::{Result, RocmDType, RocmDevice};

const THREADS: u32 = 256;
/// Channels and pixels of a tile.
const TILE: usize = 64;
/// Output channels and pixels that a thread of `direct_*` and `depthwise_*` computes.
const PER_THREAD: usize = 4;
/// Blocks of a grid in its second and third dimension.
const MOST_PLANES: usize = 65_535;

/// A convolution in the words that `conv.hip` calls `Conv`.
pub(super) fn words(p: &Problem, x: [usize; 4], w: [usize; 4]) -> [usize; 25] {
    let [x_batch, x_channel, x_y, x_x] = x;
    let [w_first, w_second, w_y, w_x] = w;
    let (w_out, w_in, w_group) = if p.transposed {
        (w_second, w_first, p.c_in.wrapping_mul(w_first))
    } else {
        (w_first, w_second, p.c_out.wrapping_mul(w_first))
    };
    let axis = |a: &Axis, step, tap_step| {
        [a.input, a.output, a.taps, a.stride, a.padding, a.dilation, step, tap_step]
    };
    let mut words = [0; 25];
    words[..4].copy_from_slice(&[p.batch, p.groups, p.c_in, p.c_out]);
    words[4..12].copy_from_slice(&axis(&p.y, x_y, w_y));
    words[12..20].copy_from_slice(&axis(&p.x, x_x, w_x));
    words[20..].copy_from_slice(&[x_batch, x_channel, w_out, w_in, w_group]);
    words
}

/// All of `out`.
pub(super) fn convolve<T: RocmDType>(
    device: &RocmDevice,
    p: &Problem,
    (x, x_l): (&Buffer<T>, &Layout),
    (w, w_l): (&Buffer<T>, &Layout),
    out: &mut Buffer<T>,
) -> Result<()> {
    if let Some(grid) = tiles::<T>(p) {
        return tiled(device, p, (x, x_l), (w, w_l), out, grid);
    }
    let (kernel, count) = if p.is_depthwise() && !p.transposed {
        let rows = if p.y.output == 1 { 1 } else { p.y.output.div_ceil(PER_THREAD) };
        ("depthwise", p.batch * p.groups * p.c_out * rows * p.x.output)
    } else {
        let kernel = if p.transposed { "direct_transposed" } else { "direct" };
        (kernel, p.batch * p.groups * p.c_out.div_ceil(PER_THREAD) * p.pixels())
    };
    let name = KernelName::new(format_args!("{kernel}_{}", T::KERNEL_DTYPE));
    let mut launch = device.launch(&CONV, name.as_str());
    launch.info(&words(p, steps(x_l), steps(w_l)));
    launch.buffer(x, x_l.start_offset()).buffer(w, w_l.start_offset()).buffer_mut(out, 0);
    // SAFETY: direct_*, direct_transposed_* and depthwise_*(conv, x, w, out). The problem checked the layouts of x and w,
    // which the words repeat, and out has its outputs.
    unsafe { launch.run(one_each(count)) }
}

/// The grid for `tiled_*`, where that pays and is possible.
fn tiles<T: RocmDType>(p: &Problem) -> Option<[u32; 3]> {
    // Half of a tile at least, and the better part of its depth.
    if !T::DTYPE.is_16_to_64_bit_float() || p.c_out < 24 || p.c_in < 8 {
        return None;
    }
    let (parts, pixels) = if p.transposed {
        // The largest part: the pixels whose coordinates are multiples of the stride.
        (p.y.stride * p.x.stride, p.y.output.div_ceil(p.y.stride) * p.x.output.div_ceil(p.x.stride))
    } else {
        (1, p.pixels())
    };
    let grid = [(p.batch * pixels).div_ceil(TILE), p.c_out.div_ceil(TILE), p.groups.saturating_mul(parts)];
    let counted = p.batch * pixels < 1 << 31 && grid[0] <= LaunchConfig::most_blocks(THREADS as usize);
    (counted && grid[1] <= MOST_PLANES && grid[2] <= MOST_PLANES).then(|| grid.map(|n| n as u32))
}

fn tiled<T: RocmDType>(
    device: &RocmDevice,
    p: &Problem,
    (x, x_l): (&Buffer<T>, &Layout),
    (w, w_l): (&Buffer<T>, &Layout),
    out: &mut Buffer<T>,
    grid: [u32; 3],
) -> Result<()> {
    // Blocks read weights of neighbouring output channels side by side. Many blocks share a copy of them in that order.
    let weights = elem_count(p.op, w_l.dims())?;
    let reordered = grid[0] >= 4 && weights > 0;
    let (order, w_steps) = output_channels_last(p, w_l)?;
    let copied = match reordered {
        true => {
            let mut copy = device.alloc::<T>(weights)?;
            copy::copy_strided(device, (w, &order), &mut copy, 0)?;
            Some(copy)
        }
        false => None,
    };
    let name = KernelName::new(format_args!("tiled_{}", T::KERNEL_DTYPE));
    let mut launch = device.launch(&CONV, name.as_str());
    match &copied {
        Some(copy) => {
            launch.info(&words(p, steps(x_l), w_steps)).arg(&u32::from(p.transposed));
            launch.buffer(x, x_l.start_offset()).buffer(copy, 0)
        }
        None => {
            launch.info(&words(p, steps(x_l), steps(w_l))).arg(&u32::from(p.transposed));
            launch.buffer(x, x_l.start_offset()).buffer(w, w_l.start_offset())
        }
    };
    launch.buffer_mut(out, 0);
    let config = LaunchConfig { grid, block: [THREADS, 1, 1], shared_bytes: 0 };
    // SAFETY: tiled_*(conv, transposed, x, w, out) on the grid it asks for. The problem checked the layouts of x and w,
    // which the words repeat (the copy has all of w, and its steps), and out has its outputs.
    unsafe { launch.run(config) }
}

/// The layout of the weights as taps, input channels, output channels, and the steps of w's dimensions in a copy in that
/// order.
fn output_channels_last(p: &Problem, w_l: &Layout) -> Result<(Layout, [usize; 4])> {
    let (first, second) =
        if p.transposed { (p.groups * p.c_in, p.c_out) } else { (p.groups * p.c_out, p.c_in) };
    let [s_first, s_second, s_y, s_x] = steps(w_l);
    let (dims, strides) = if p.transposed {
        ([p.y.taps, p.x.taps, first, second], [s_y, s_x, s_first, s_second])
    } else {
        ([p.y.taps, p.x.taps, second, first], [s_y, s_x, s_second, s_first])
    };
    let of_tap = first * second;
    let (step_first, step_second) = if p.transposed { (second, 1) } else { (1, first) };
    let order = Layout::new(dims.as_slice().into(), strides.to_vec(), w_l.start_offset());
    Ok((order, [step_first, step_second, p.x.taps * of_tap, of_tap]))
}
