//! Copies of layouts whose memory is contiguous along another dimension than the last; launches `transpose.hip`.

use std::fmt;

use candle_core::Layout;
use rocm_kernels::{Module, TRANSPOSE};
use smallvec::SmallVec;

use crate::common::launch::KernelName;
use crate::common::plan::Plan;
use crate::count::saturating;
use crate::hip::{Buffer, LaunchConfig};
use crate::{Launch, RocmDType, RocmDevice, RocmError};

/// Threads of a block.
const THREADS: u32 = 256;
/// Bytes of a tile.
const TILE_BYTES: usize = 16 << 10;
/// A matrix of fewer bytes would leave most of a block idle.
const LEAST_BYTES: usize = 4 << 10;
/// Bytes from which on an operand is worth a pass of its own: below, the launch costs more than reads that do not coalesce.
const LARGE_BYTES: usize = 4 << 20;

/// Any number of matrices: element `(r, c)` of each goes from `r * src_step + c` to `c * dst_step + r`.
#[derive(Debug, PartialEq)]
pub(super) struct Transpose {
    rows: usize,
    columns: usize,
    src_step: usize,
    dst_step: usize,
    /// What a block takes at once, in rows and columns.
    tile: [usize; 2],
    /// Of the matrices: dims, strides in the source, strides in the destination.
    info: SmallVec<[usize; 16]>,
}

impl Transpose {
    /// `None` if the plan, for elements of `size` bytes, is no such copy, or one that tiles do not make faster.
    pub(super) fn of(plan: &Plan, size: usize) -> Option<Self> {
        if plan.info.is_empty() || plan.num_dims < 2 {
            return None;
        }
        let (dims, strides) = plan.info.split_at(plan.num_dims);
        let last = plan.num_dims - 1;
        let unit = strides.iter().position(|&stride| stride == 1)?;
        // Broadcast along the last dimension, each element is read but once as it is.
        if unit == last || strides[last] == 0 {
            return None;
        }
        let (rows, columns) = (dims[last], dims[unit]);
        if rows.saturating_mul(columns).saturating_mul(size) < LEAST_BYTES {
            return None;
        }
        let dst_stride = |dim: usize| saturating(&dims[dim + 1..]);
        let others = || (0..last).filter(|&dim| dim != unit);
        let mut info = SmallVec::new();
        info.extend(others().map(|dim| dims[dim]));
        info.extend(others().map(|dim| strides[dim]));
        info.extend(others().map(dst_stride));
        let (src_step, dst_step) = (strides[last], dst_stride(unit));
        Some(Self { rows, columns, src_step, dst_step, tile: tile(rows, columns, size), info })
    }

    /// Of the elements of a large layout in its order, if tiles make that faster. A kernel that reads them where they are,
    /// neighbouring threads far apart, takes several times as long as this copy and a contiguous read.
    pub(super) fn of_large<T: RocmDType>(
        op: &'static str,
        src: &Buffer<T>,
        layout: &Layout,
    ) -> Result<Option<Self>, RocmError> {
        if saturating(layout.dims()).saturating_mul(size_of::<T>()) < LARGE_BYTES {
            return Ok(None);
        }
        Ok(Self::of(&Plan::new(op, [(layout, src.len())])?, size_of::<T>()))
    }

    fn num_dims(&self) -> usize {
        self.info.len() / 3
    }

    fn blocks(&self) -> usize {
        let matrices = saturating(&self.info[..self.num_dims()]);
        let [rows, columns] = self.tile;
        saturating(&[matrices, self.rows.div_ceil(rows), self.columns.div_ceil(columns)])
    }

    /// Begins the launch of a kernel that goes through tiles: its first parameters.
    pub(super) fn launch<'a>(
        &self,
        device: &'a RocmDevice,
        module: &'static Module,
        name: fmt::Arguments<'_>,
    ) -> Launch<'a> {
        let [tile_rows, tile_columns] = self.tile.map(|size| size as u32);
        let mut launch = device.launch(module, KernelName::new(name).as_str());
        launch.arg(&self.rows).arg(&self.columns).arg(&self.src_step).arg(&self.dst_step);
        launch.arg(&tile_rows).arg(&tile_columns).arg(&self.num_dims()).info(&self.info);
        launch
    }

    /// Its blocks.
    pub(super) fn config(&self) -> LaunchConfig {
        LaunchConfig::looping(self.blocks(), THREADS)
    }

    /// Copies from element `src_offset` on to element `dst_offset` on.
    ///
    /// # Safety
    /// The plan that this was made of keeps reads inside `src`, and `dst` has room for its elements.
    pub(super) unsafe fn run<T: RocmDType>(
        &self,
        device: &RocmDevice,
        (src, src_offset): (&Buffer<T>, usize),
        (dst, dst_offset): (&mut Buffer<T>, usize),
    ) -> Result<(), RocmError> {
        let mut launch = self.launch(device, &TRANSPOSE, format_args!("transpose_{}", size_of::<T>()));
        launch.buffer(src, src_offset).buffer_mut(dst, dst_offset);
        // SAFETY: transpose_*(rows, columns, src_step, dst_step, tile_rows, tile_columns, num_dims, info, src, dst); the
        // caller vouches for both sides, and a tile fits in the kernel's shared memory.
        unsafe { launch.run(self.config()) }
    }
}

/// Rows and columns of a tile: the shape that goes through registers in vectors, or for matrices with less than half of
/// its rows or columns one that is as long as it is narrow. In shared memory, columns have an odd number of places.
fn tile(rows: usize, columns: usize, size: usize) -> [usize; 2] {
    let side = 128 / size;
    let [tile_rows, tile_columns] = match size {
        1 => [side, side],
        2 => [side, 2 * side],
        4 => [2 * side, 2 * side],
        _ => [2 * side, 4 * side],
    };
    let elements = TILE_BYTES / size;
    if columns < tile_columns / 2 {
        [rows.min(elements / columns), columns]
    } else if rows < tile_rows / 2 {
        [rows, columns.min(elements / (rows | 1))]
    } else {
        [tile_rows, tile_columns]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(dims: &[usize], stride: &[usize], size: usize) -> Option<Transpose> {
        let layout = Layout::new(dims.into(), stride.to_vec(), 0);
        Transpose::of(&Plan::new("test", [(&layout, usize::MAX)]).expect("a plan"), size)
    }

    #[test]
    fn matrices_are_found() {
        let got = of(&[100, 200], &[1, 100], 4).expect("a transpose");
        let want = Transpose {
            rows: 200,
            columns: 100,
            src_step: 100,
            dst_step: 200,
            tile: [64, 64],
            info: SmallVec::new(),
        };
        assert_eq!(got, want);
        assert_eq!(got.blocks(), 4 * 2);
        // NHWC from NCHW: height and width merge.
        let got = of(&[2, 30, 40, 64], &[64 * 1200, 40, 1, 1200], 2).expect("a transpose");
        assert_eq!((got.rows, got.columns, got.src_step, got.dst_step), (64, 1200, 1200, 64));
        assert_eq!((got.tile, got.info.as_slice()), ([64, 128], &[2, 64 * 1200, 64 * 1200][..]));
        // All three dimensions reversed: the middle one counts matrices.
        let got = of(&[50, 3, 70], &[1, 50, 150], 8).expect("a transpose");
        assert_eq!((got.rows, got.columns, got.src_step, got.dst_step), (70, 50, 150, 210));
        assert_eq!(got.info.as_slice(), [3, 50, 70]);
    }

    #[test]
    fn narrow_matrices_have_narrow_tiles() {
        let image = of(&[3, 10_000], &[1, 3], 4).expect("a transpose");
        assert_eq!(image.tile, [4096 / 3, 3]);
        let back = of(&[10_000, 3], &[1, 10_000], 4).expect("a transpose");
        assert_eq!(back.tile, [3, 4096 / 3]);
    }

    /// What the kernel reserves: 16 KiB and 512 bytes.
    #[test]
    fn tiles_fit_in_shared_memory() {
        for size in [1, 2, 4, 8] {
            for rows in (1..300).chain([1000, 100_000]) {
                for columns in (1..300).chain([1000, 100_000]) {
                    let [r, c] = tile(rows, columns, size);
                    assert!(r > 0 && c > 0, "{rows} x {columns} of {size} bytes");
                    assert!(
                        c * (r | 1) * size <= TILE_BYTES + 512,
                        "{rows} x {columns} of {size} bytes: {r} x {c}"
                    );
                }
            }
        }
    }

    #[test]
    fn other_layouts_are_left_alone() {
        assert_eq!(of(&[100, 200], &[200, 1], 4), None, "contiguous");
        assert_eq!(of(&[100, 200], &[300, 1], 4), None, "rows");
        assert_eq!(of(&[100, 200], &[2, 200], 4), None, "nothing is contiguous");
        assert_eq!(of(&[100, 200], &[1, 0], 4), None, "broadcast");
        assert_eq!(of(&[1000, 4, 4], &[16, 1, 4], 4), None, "small matrices");
    }
}
