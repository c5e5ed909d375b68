//! The indices that sort rows, by bitonic sorts (Batcher 1968) of tiles, which are then merged; launches `sort.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::SORT;

use crate::common::launch::KernelName;
use crate::common::map::Map1Any;
use crate::common::operand::{Operand, slice};
use crate::common::operation::{Described, One, Op};
use crate::common::plan::check_bounds;
use crate::count::elem_count;
use crate::hip::{Buffer, LaunchConfig};
use crate::layout::copy::to_contiguous;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

const OP: &str = "argsort";
/// Places that a block sorts at most, and at least: powers of two.
const TILE: usize = 1024;
const SMALLEST_TILE: usize = 4;
const THREADS: u32 = 256;
/// Rows of a grid of merges at most.
const ROWS: usize = 1 << 15;

impl RocmStorage {
    /// The indices that sort each row of `last_dim` elements, ascending or descending, as u32: candle's `arg_sort_last_dim`. The sort is
    /// stable, and NaN is greater than all numbers.
    ///
    /// # Errors
    /// [`RocmError::InvalidArgument`] if the elements do not make rows of `last_dim`.
    pub fn argsort(&self, layout: &Layout, ascending: bool, last_dim: usize) -> Result<Self, RocmError> {
        Ok(self.with(argsort(&self.device, (self.slice()?, layout), ArgSort { ascending, last_dim })?))
    }
}

/// For each row of `last_dim` elements the indices of its elements, in ascending or descending order. Equal elements keep
/// their order; NaN is greater than all numbers.
fn argsort(
    device: &RocmDevice,
    (src, layout): (&RocmStorageSlice, &Layout),
    sort: ArgSort,
) -> Result<RocmStorageSlice, RocmError> {
    let last_dim = sort.last_dim;
    check_bounds(OP, layout, src.len())?;
    let numel = elem_count(OP, layout.dims())?;
    if numel > 0 && (last_dim == 0 || !numel.is_multiple_of(last_dim) || last_dim >= 1 << 31) {
        return Err(RocmError::InvalidArgument {
            op: OP,
            message: format!(
                "{numel} elements is not a multiple of the row length {last_dim}, or rows exceed 2^31 - 1 elements"
            ),
        });
    }
    if !layout.is_contiguous() {
        let (whole, layout) = to_contiguous(OP, device, (src, layout))?;
        return sort.map(device, &whole, &layout);
    }
    sort.map(device, src, layout)
}

/// The indices that sort rows.
#[derive(Clone, Copy)]
pub(crate) struct ArgSort {
    pub(crate) ascending: bool,
    /// Elements of a row.
    pub(crate) last_dim: usize,
}

impl Op for ArgSort {
    type Operands<T> = One<T>;

    fn name(&self) -> &'static str {
        OP
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.extend([self.ascending.into(), self.last_dim as u64]);
    }

    fn result(&self, _: &RocmDevice, One { x }: One<Described<'_>>) -> Option<(usize, DType)> {
        let fits = self.last_dim > 0 && x.len.is_multiple_of(self.last_dim) && self.last_dim < 1 << 31;
        fits.then_some((x.len, DType::U32))
    }

    fn run(&self, device: &RocmDevice, One { x }: One<Operand<'_>>) -> candle_core::Result<RocmStorageSlice> {
        Ok(argsort(device, slice(x)?, *self)?)
    }
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
        let numel = elem_count(OP, layout.dims())?;
        let mut out = device.alloc::<u32>(numel)?;
        if numel == 0 {
            return Ok(RocmStorageSlice::U32(out));
        }
        self.launch(device, src, layout.start_offset(), &mut out)?;
        Ok(RocmStorageSlice::U32(out))
    }
}

impl ArgSort {
    /// Sorted tiles, then merged until there is one run per row.
    fn launch<T: RocmDType>(
        &self,
        device: &RocmDevice,
        src: &Buffer<T>,
        offset: usize,
        out: &mut Buffer<u32>,
    ) -> Result<(), RocmError> {
        let (columns, rows) = (self.last_dim, out.len() / self.last_dim);
        let descending = u32::from(!self.ascending);
        let tile = columns.next_power_of_two().clamp(SMALLEST_TILE, TILE);
        let name = KernelName::new(format_args!("sort_tiles_{}", T::KERNEL_DTYPE));
        let mut launch = device.launch(&SORT, name.as_str());
        launch.buffer(src, offset).buffer_mut(out, 0).arg(&rows).arg(&(columns as u32));
        launch.arg(&(tile as u32)).arg(&descending);
        let blocks = (rows * columns.div_ceil(tile)).div_ceil(TILE / tile);
        // SAFETY: sort_tiles_*(x, dst, rows, columns, tile, descending); both buffers have `rows` rows.
        unsafe { launch.run(LaunchConfig::looping(blocks, THREADS)) }?;
        if columns <= tile {
            return Ok(());
        }

        let grid = |blocks: usize| [blocks as u32, rows.min(ROWS) as u32, 1];
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
            // holds indices of its row.
            unsafe { launch.run(config) }?;
            std::mem::swap(out, &mut other);
            run *= 2;
        }
        Ok(())
    }
}

#[cfg(candle_rocm_seam)]
impl crate::common::fused::Fused for ArgSort {}
