//! Tensors as rows of their last dimension, and how threads share a row.

use candle_core::Layout;
use rocm_kernels::ROWS;

use crate::common::launch::KernelName;
use crate::common::operand::{contiguous, invalid};
use crate::common::operation::{Described, operands};
use crate::count::{elem_count, saturating};
use crate::dtype::DTypeExt;
use crate::hip::{Buffer, DevicePtr, LaunchConfig};
use crate::reduce::{SPLIT_BYTES, THREADS, rows_per_block, splits};
use crate::{Launch, RocmDType, RocmDevice, RocmError, RocmStorage};

operands! {
    /// What is normalised, and a factor for each column.
    Scaled { x, alpha }
    /// What is normalised, and for each column, or for each channel of a group norm, a factor and what is added.
    ScaledAndShifted { x, alpha, beta }
}

/// Threads that share a row at most.
pub(super) const LARGEST_BLOCK: usize = 1024;

/// Rows of one launch.
pub(super) const MOST_ROWS: usize = LaunchConfig::most_blocks(LARGEST_BLOCK);

/// Bytes that a part of a row has at least, when rows are split.
const PART_BYTES: usize = 4 << 10;

/// Words reserved for what is known of a part of a row that is normalised.
pub(super) const MOMENTS_WORDS: usize = 3;

/// A contiguous tensor as rows of its last dimension.
pub(super) fn as_rows<'a, T: RocmDType>(
    op: &'static str,
    x: &'a RocmStorage,
    layout: &Layout,
) -> Result<(&'a Buffer<T>, usize, usize), RocmError> {
    let buffer = contiguous::<T>(op, "the input", x, layout)?;
    let Some(&cols) = layout.dims().last() else {
        return invalid(op, "the input has no dimensions; give it one with unsqueeze(0)".to_owned());
    };
    if cols > i32::MAX as usize {
        return invalid(op, format!("rows of {cols} elements exceed the kernel's limit of {}", i32::MAX));
    }
    // Empty rows are nothing to go through.
    let numel = elem_count(op, layout.dims())?;
    let rows = numel.checked_div(cols).unwrap_or(0);
    Ok((buffer, rows, cols))
}

/// Whether a tensor of floats is rows that [`as_rows`] does not refuse.
pub(super) fn are_float_rows(x: &Described<'_>) -> bool {
    let are_short = |&len: &usize| len <= i32::MAX as usize;
    x.dtype.is_16_to_64_bit_float() && x.is_contiguous && x.dims().last().is_some_and(are_short)
}

/// The sizes of `(batch, channels, ..)`, and of a group of a sample's channels.
pub(crate) struct Groups {
    pub(super) batch: usize,
    pub(crate) channels: usize,
    /// Elements of a channel.
    pub(super) spatial: usize,
    /// Elements of a group.
    pub(super) cols: usize,
}

impl Groups {
    pub(crate) fn of(op: &'static str, layout: &Layout, groups: usize) -> Result<Self, RocmError> {
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

/// Rows that are cut into parts, each for a block of its own. A first launch leaves what it finds about each part in memory;
/// the second joins that, and computes.
pub(super) struct Parts {
    rows: usize,
    /// Parts of a row.
    count: usize,
    /// Elements of a part.
    len: usize,
}

impl Parts {
    /// As many parts as keep the device busy: one, if rows are many or short. Rows have elements.
    pub(super) fn new(device: &RocmDevice, rows: usize, cols: usize, size: usize) -> Self {
        const PER_UNIT: usize = 8;
        let enough = PER_UNIT / 2 * device.hip_device().compute_units() as usize;
        let wanted = if rows >= enough || cols * size < SPLIT_BYTES {
            1
        } else {
            splits(device, rows, PER_UNIT, cols, PART_BYTES / size)
        };
        let len = cols.div_ceil(wanted);
        Self { rows, count: cols.div_ceil(len), len }
    }

    /// Parts of all rows.
    pub(super) fn total(&self) -> usize {
        self.rows * self.count
    }

    /// `(n_rows, splits, part)`, as kernels take them.
    pub(super) fn bind(&self, launch: &mut Launch<'_>) {
        launch.arg(&self.rows).arg(&self.count).arg(&self.len);
    }

    /// Whether a row is in one part.
    pub(super) fn whole(&self) -> bool {
        self.count == 1
    }

    /// Both launches of a kernel of `rows.hip`, which takes what `bind` gives and then `(n_rows, splits, part, partial, stage)`.
    ///
    /// # Safety
    /// What `bind` gives suits the kernel for these rows, and what the kernel keeps of a part fits in `words` words.
    pub(super) unsafe fn launch(
        &self,
        device: &RocmDevice,
        name: &KernelName,
        words: usize,
        mut bind: impl FnMut(&mut Launch<'_>) -> Result<(), RocmError>,
    ) -> Result<(), RocmError> {
        let mut partial = device.alloc::<usize>(saturating(&[words, self.total()]))?;
        for stage in [0u32, 1] {
            let mut launch = device.launch(&ROWS, name.as_str());
            bind(&mut launch)?;
            self.bind(&mut launch);
            launch.buffer_mut(&mut partial, 0).arg(&stage);
            // SAFETY: the caller vouches for its part; `partial` has `words` words for each part.
            unsafe { launch.run(LaunchConfig::looping(self.total(), THREADS as u32)) }?;
        }
        Ok(())
    }
}

/// How many of `rows` rows a block takes, with `threads` threads each, where all blocks have to take as many.
pub(super) fn whole_blocks(device: &RocmDevice, rows: usize, threads: usize) -> usize {
    rows_per_block(device, threads).min(1 << rows.trailing_zeros().min(16))
}

/// Elements that a thread of `row_*` holds in registers.
fn held<T>() -> usize {
    if size_of::<T>() == 8 { 16 } else { 32 }
}

/// Threads that share a row of `cols` elements, where that fits in their registers, and where rows are whole vectors and begin
/// as these do.
pub(super) fn threads_that_hold<T: RocmDType>(cols: usize, starts: &[DevicePtr]) -> Option<usize> {
    sharing::<T>(cols, starts, THREADS, held::<T>())
}

/// The same for `row_group_norm_*`, which has larger blocks, of threads that hold more.
pub(super) fn threads_that_hold_group<T: RocmDType>(cols: usize, starts: &[DevicePtr]) -> Option<usize> {
    let held = if size_of::<T>() == 8 { held::<T>() } else { 2 * held::<T>() };
    sharing::<T>(cols, starts, 2 * THREADS, held)
}

/// At most `most` threads, with `held` elements each.
fn sharing<T: RocmDType>(cols: usize, starts: &[DevicePtr], most: usize, held: usize) -> Option<usize> {
    let aligned = starts.iter().all(|start| start.address().is_multiple_of(16));
    if !aligned || !(cols * size_of::<T>()).is_multiple_of(16) || cols > most * held {
        return None;
    }
    Some(cols.div_ceil(held).next_power_of_two().max(2))
}
