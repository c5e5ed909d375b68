//! Reading and writing along one dimension by index; launches `indexing.hip`. And rows
//! grouped by index, see [`ExpertTiles`].
//!
//! All five operations run over `(l, i, r)`: the dimensions left of the indexed one, the indices, and the dimensions right
//! of it. Kernels take one stride for each of the three and operand, which describes almost every layout: whole,
//! narrowed, transposed, broadcast. What it cannot describe is copied first. Where candle's CPU asks for contiguous
//! operands, these take any layout, except for what is written to.

mod expert_tiles;
mod operations;
mod read;
mod write;

use candle_core::{DType, Layout};
use rocm_kernels::INDEXING;

use crate::common::launch::{KernelName, LaunchExt};
use crate::common::operand::SliceOperand;
use crate::common::plan::{check_bounds, collapse};
use crate::count::saturating;
use crate::device::IndexedOp;
use crate::hip::DevicePtr;
use crate::storage_slice::each_dtype;
use crate::{Launch, RocmDType, RocmDevice, RocmError, RocmStorageSlice};
pub(crate) use expert_tiles::ExpertTiles;
pub(crate) use operations::{Gather, IndexAdd, IndexSelect, Indexed, IndexedAdd, Scatter, Scattered};

/// What kernels divide by stays below this.
const MOST: usize = 1 << 31;
/// Neighbours that are in one line of the cache, as lanes of a wavefront want them.
const STRIP: usize = 64;
/// A matrix of so many bytes may not stay in a cache.
const LARGE: usize = 1 << 20;

/// The steps of one operand for each of `l`, `i`, `r`, in elements.
type Steps = [usize; 3];

/// How many `l`, `i`, `r`, and the steps of `N` operands.
struct Space<const N: usize> {
    sizes: [usize; 3],
    steps: [Steps; N],
}

impl<const N: usize> Space<N> {
    /// `None` if an operand's dimensions on one side do not merge into one.
    fn new(dims: &[usize], dim: usize, strides: [&[usize]; N]) -> Option<Self> {
        let axis = |range: std::ops::Range<usize>| {
            let plan = collapse(range.map(|d| (dims[d], strides.map(|stride| stride[d]))));
            match (plan.numel, plan.num_dims, plan.info.as_slice()) {
                (1, _, _) => Some((1, [0; N])),
                (numel, _, []) => Some((numel, [1; N])),
                (numel, 1, info) => Some((numel, std::array::from_fn(|k| info[1 + k]))),
                _ => None,
            }
        };
        let [(l, left), (i, at), (r, right)] =
            [axis(0..dim)?, axis(dim..dim + 1)?, axis(dim + 1..dims.len())?];
        Some(Self { sizes: [l, i, r], steps: std::array::from_fn(|k| [left[k], at[k], right[k]]) })
    }

    fn numel(&self) -> usize {
        saturating(&self.sizes)
    }
}

/// Iterations of a kernel that goes in strips, the last of which may be too wide.
fn iterations([left, count, right]: [usize; 3], strip: usize) -> usize {
    let right = if strip == 0 { Some(right) } else { right.checked_next_multiple_of(strip) };
    right.map_or(usize::MAX, |right| saturating(&[left, count, right]))
}

/// The kernels' parameters that say where indices are.
struct Ids<'a> {
    dtype: &'static str,
    slice: &'a RocmStorageSlice,
    offset: usize,
    steps: Steps,
    /// Of the dimension they point into.
    size: usize,
    op: IndexedOp,
}

impl<'a> Ids<'a> {
    fn new(
        op: IndexedOp,
        (slice, layout): SliceOperand<'a>,
        steps: Steps,
        size: usize,
    ) -> Result<Self, RocmError> {
        let dtype = index_dtype(op, slice)?;
        Ok(Self { dtype, slice, offset: layout.start_offset(), steps, size, op })
    }

    /// The width of strips, 0 for none, in which a kernel goes over `sizes`: where each element of a row has an index of its
    /// own, neighbours of a row reach all over a matrix of elements of `bytes`, which no cache may hold.
    fn strip(&self, [left, count, right]: [usize; 3], bytes: usize) -> usize {
        let large = self.size.saturating_mul(right).saturating_mul(bytes) >= LARGE;
        let counted = left.saturating_mul(right) < MOST;
        if self.steps[2] != 0 && count > 1 && right >= 2 * STRIP && large && counted { STRIP } else { 0 }
    }

    /// Begins the launch of a kernel over `sizes`; `reports` whether it writes down what is out of range.
    fn launch<'d>(
        &self,
        device: &'d RocmDevice,
        name: std::fmt::Arguments<'_>,
        sizes: [usize; 3],
        strip: usize,
        reports: bool,
    ) -> Result<Launch<'d>, RocmError> {
        if sizes[1] >= MOST || sizes[2] >= MOST {
            return Err(RocmError::InvalidArgument {
                op: self.op.name(),
                message: format!(
                    "{} indices for rows of {} elements: both must be below 2^31",
                    sizes[1], sizes[2]
                ),
            });
        }
        let fault = if reports { device.fault_slot(self.op)? } else { DevicePtr::NULL };
        let mut launch = device.launch(&INDEXING, KernelName::new(name).as_str());
        sizes.iter().for_each(|size| _ = launch.arg(size));
        launch.arg(&(strip as u32)).slice(self.slice, self.offset);
        self.steps.iter().for_each(|step| _ = launch.arg(step));
        launch.arg(&self.size).pointer(fault);
        Ok(launch)
    }
}

/// Integers as kernels' names spell them.
fn index_dtype(op: IndexedOp, ids: &RocmStorageSlice) -> Result<&'static str, RocmError> {
    let dtype = ids.dtype();
    let name = each_dtype!(dtype, T => Some(T::KERNEL_DTYPE), else None);
    name.filter(|_| !dtype.is_float()).ok_or_else(|| RocmError::InvalidArgument {
        op: op.name(),
        message: format!(
            "expected indices of integers, got {}; convert them with to_dtype first",
            dtype.as_str()
        ),
    })
}

/// Bytes of an element that there are kernels for.
fn element_size(op: IndexedOp, dtype: DType) -> Result<usize, RocmError> {
    let unsupported = || Err(RocmError::UnsupportedDType { op: op.name(), dtype });
    each_dtype!(dtype, T => Ok(size_of::<T>()), else unsupported())
}

/// The layout with `size` elements in `dim`, whatever its memory.
fn with_size(layout: &Layout, dim: usize, size: usize) -> Vec<usize> {
    let mut dims = layout.dims().to_vec();
    dims[dim] = size;
    dims
}

/// The operands have the same number of dimensions, `dim` among them, and `fits` holds in all but `dim`.
fn check_dims(
    op: IndexedOp,
    dim: usize,
    lhs: &[usize],
    rhs: &[usize],
    fits: impl Fn(usize, usize) -> bool,
) -> Result<(), RocmError> {
    let others = lhs.iter().zip(rhs).enumerate().filter(|&(d, _)| d != dim);
    if lhs.len() == rhs.len() && dim < lhs.len() && others.into_iter().all(|(_, (&a, &b))| fits(a, b)) {
        return Ok(());
    }
    Err(RocmError::ShapeMismatch { op: op.name(), lhs: lhs.to_vec(), rhs: rhs.to_vec() })
}

/// The number of indices, and their distance.
fn line_of_ids(op: IndexedOp, ids: SliceOperand<'_>) -> Result<(usize, usize), RocmError> {
    check_bounds(op.name(), ids.1, ids.0.len())?;
    match (ids.1.dims(), ids.1.stride()) {
        (&[count], &[stride]) => Ok((count, stride)),
        (dims, _) => Err(RocmError::InvalidArgument {
            op: op.name(),
            message: format!("expected indices of one dimension, got shape {dims:?}; flatten them first"),
        }),
    }
}
