//! The places of elements in order; launches `sort.hip`.

use candle_core::Layout;
use rocm_kernels::SORT;

use super::layout::check_bounds;
use super::map::Map1Any;
use super::{KernelName, copy};
use crate::hip::{Buffer, LaunchConfig};
use crate::{RocmDType, RocmDevice, RocmError, RocmStorageSlice};

const OP: &str = "argsort";
/// Places that a block sorts in shared memory: a power of two.
const TILE: usize = 1024;
const THREADS: u32 = 256;
/// Rows of a grid at most.
const ROWS: usize = 1 << 15;

/// For each row of `last_dim` elements the places of its elements, in ascending or descending order. Equal elements keep
/// their order; NaN is greater than all numbers.
pub(crate) fn argsort(
    device: &RocmDevice,
    (src, layout): (&RocmStorageSlice, &Layout),
    ascending: bool,
    last_dim: usize,
) -> Result<RocmStorageSlice, RocmError> {
    check_bounds(OP, layout, src.len())?;
    let numel = layout.shape().elem_count();
    if numel > 0 && (last_dim == 0 || !numel.is_multiple_of(last_dim) || last_dim >= 1 << 31) {
        return Err(RocmError::InvalidArgument {
            op: OP,
            message: format!(
                "{numel} elements do not make rows of {last_dim}; rows may have up to 2^31 - 1 elements"
            ),
        });
    }
    if !layout.is_contiguous() {
        let mut whole = RocmStorageSlice::uninit(device, numel, src.dtype())?;
        copy::strided(device, (src, layout), &mut whole, 0)?;
        return ArgSort { ascending, last_dim }.map(device, &whole, &Layout::contiguous(numel));
    }
    ArgSort { ascending, last_dim }.map(device, src, layout)
}

struct ArgSort {
    ascending: bool,
    last_dim: usize,
}

impl Map1Any for ArgSort {
    fn op(&self) -> &'static str {
        OP
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        src: &Buffer<T>,
        layout: &Layout,
    ) -> Result<RocmStorageSlice, RocmError> {
        let numel = layout.shape().elem_count();
        let mut out = device.alloc::<u32>(numel)?;
        if numel == 0 {
            return Ok(RocmStorageSlice::U32(out));
        }
        if self.last_dim <= TILE {
            self.short_rows(device, src, layout.start_offset(), &mut out)?;
        } else {
            self.long_rows(device, src, layout.start_offset(), &mut out)?;
        }
        Ok(RocmStorageSlice::U32(out))
    }
}

impl ArgSort {
    /// A block per row.
    fn short_rows<T: RocmDType>(
        &self,
        device: &RocmDevice,
        src: &Buffer<T>,
        offset: usize,
        out: &mut Buffer<u32>,
    ) -> Result<(), RocmError> {
        let columns = self.last_dim;
        let padded = columns.next_power_of_two();
        let order = if self.ascending { "asc" } else { "desc" };
        let name = KernelName::new(format_args!("asort_{order}_{}", T::KERNEL_DTYPE));
        let rows = out.len() / columns;
        for first in (0..rows).step_by(ROWS) {
            let config = LaunchConfig {
                grid: [ROWS.min(rows - first) as u32, 1, 1],
                block: [(padded as u32 / 2).clamp(device.wavefront_size(), THREADS), 1, 1],
                shared_bytes: (padded * size_of::<u32>()) as u32,
            };
            let mut launch = device.launch(&SORT, name.as_str());
            launch
                .buffer(src, offset + first * columns)
                .buffer_mut(out, first * columns)
                .arg(&(columns as i32))
                .arg(&(padded as i32));
            // SAFETY: asort_*(x, dst, ncols, ncols_pad), with shared memory for ncols_pad places; both buffers have a row
            // for each block.
            unsafe { launch.run(config) }?;
        }
        Ok(())
    }

    /// Sorted tiles, then merged until there is one run per row.
    fn long_rows<T: RocmDType>(
        &self,
        device: &RocmDevice,
        src: &Buffer<T>,
        offset: usize,
        out: &mut Buffer<u32>,
    ) -> Result<(), RocmError> {
        let (columns, rows) = (self.last_dim, out.len() / self.last_dim);
        let descending = u32::from(!self.ascending);
        let grid = |blocks: usize| [blocks as u32, rows.min(ROWS) as u32, 1];
        let name = KernelName::new(format_args!("sort_tiles_{}", T::KERNEL_DTYPE));
        let mut launch = device.launch(&SORT, name.as_str());
        launch.buffer(src, offset).buffer_mut(out, 0).arg(&rows).arg(&(columns as u32));
        launch.arg(&(TILE as u32)).arg(&descending);
        let config = LaunchConfig {
            grid: grid(columns.div_ceil(TILE)),
            block: [THREADS, 1, 1],
            shared_bytes: (TILE * size_of::<u32>()) as u32,
        };
        // SAFETY: sort_tiles_*(x, dst, rows, columns, tile, descending), with shared memory for a tile's places; both
        // buffers have `rows` rows.
        unsafe { launch.run(config) }?;

        let name = KernelName::new(format_args!("sort_merge_{}", T::KERNEL_DTYPE));
        let mut other = device.alloc::<u32>(out.len())?;
        let mut run = TILE;
        while run < columns {
            let mut launch = device.launch(&SORT, name.as_str());
            launch.buffer(src, offset).buffer(out, 0).buffer_mut(&mut other, 0);
            launch.arg(&rows).arg(&(columns as u32)).arg(&(run as u32)).arg(&descending);
            let config = LaunchConfig {
                grid: grid(columns.div_ceil(THREADS as usize)),
                block: [THREADS, 1, 1],
                shared_bytes: 0,
            };
            // SAFETY: sort_merge_*(x, from, to, rows, columns, run, descending); all three have `rows` rows, and `from`
            // holds places of its row.
            unsafe { launch.run(config) }?;
            std::mem::swap(out, &mut other);
            run *= 2;
        }
        Ok(())
    }
}
