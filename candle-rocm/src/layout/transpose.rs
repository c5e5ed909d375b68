//! Copies of layouts whose memory is contiguous along another dimension than the last; launches `transpose.hip`.

use std::fmt;

use rocm_kernels::{Module, TRANSPOSE};

use crate::common::access::Transposition;
use crate::common::launch::KernelName;
use crate::hip::{Buffer, LaunchConfig};
use crate::{Launch, RocmDType, RocmDevice, RocmError};

/// Threads of a block, unless another number was faster.
pub(crate) const THREADS: u32 = 256;

/// Begins the launch of a kernel that goes through tiles: its first parameters.
pub(super) fn launch<'a>(
    device: &'a RocmDevice,
    module: &'static Module,
    name: fmt::Arguments<'_>,
    transposition: &Transposition,
) -> Launch<'a> {
    let Transposition { rows, columns, src_step, dst_step, tile, info } = transposition;
    let [tile_rows, tile_columns] = tile.map(|size| size as u32);
    let mut launch = device.launch(module, KernelName::new(name).as_str());
    launch.arg(rows).arg(columns).arg(src_step).arg(dst_step);
    launch.arg(&tile_rows).arg(&tile_columns).arg(&transposition.num_dims()).info(info);
    launch
}

/// A block of so many threads for each tile.
pub(super) fn config(transposition: &Transposition, threads: u32) -> LaunchConfig {
    LaunchConfig::looping(transposition.tiles(), threads)
}

/// Copies from element `src_offset` on to element `dst_offset` on, in blocks of so many threads.
///
/// # Safety
/// The plan that the transposition was made of keeps reads inside `src`, and `dst` has room for its elements.
pub(crate) unsafe fn transpose<T: RocmDType>(
    device: &RocmDevice,
    transposition: &Transposition,
    (src, src_offset): (&Buffer<T>, usize),
    (dst, dst_offset): (&mut Buffer<T>, usize),
    threads: u32,
) -> Result<(), RocmError> {
    let mut launch = launch(device, &TRANSPOSE, format_args!("transpose_{}", size_of::<T>()), transposition);
    launch.buffer(src, src_offset).buffer_mut(dst, dst_offset);
    // SAFETY: transpose_*(rows, columns, src_step, dst_step, tile_rows, tile_columns, num_dims, info, src, dst); the
    // caller vouches for both sides, and a tile fits in the kernel's shared memory.
    unsafe { launch.run(config(transposition, threads)) }
}
