//! Reading and writing along one dimension by index; launches `indexing.hip`.
//!
//! All five operations run over `(l, i, r)`: the dimensions left of the indexed one, the indices, and the dimensions right
//! of it. Kernels take one stride for each of the three and operand, which describes almost every layout: whole,
//! narrowed, transposed, broadcast. What it cannot describe is copied first. Where candle's CPU asks for contiguous
//! operands, these take any layout, except for what is written to.

use candle_core::{DType, Layout};
use rocm_kernels::INDEXING;

use crate::common::launch::KernelName;
use crate::common::plan::{check_bounds, collapse};
use crate::count::{elem_count, saturating};
use crate::device::IndexedOp;
use crate::hip::{Buffer, DevicePtr, LaunchConfig};
use crate::layout::copy::to_contiguous;
use crate::storage_slice::each_dtype;
use crate::{Launch, RocmDType, RocmDevice, RocmError, RocmStorageSlice};

type Operand<'a> = (&'a RocmStorageSlice, &'a Layout);

/// What kernels divide by stays below this.
const MOST: usize = 1 << 31;
/// Up to so many indices, one thread may write them all, in order.
const FEW: usize = 32;
/// So many threads keep a device busy, however long each takes.
const MANY: usize = 1 << 16;
/// Neighbours that are in one line of the cache, as lanes of a wavefront want them.
const STRIP: usize = 64;
/// A matrix of so many bytes may not stay in a cache.
const LARGE: usize = 1 << 20;
/// What [`RocmDevice::grid_stride`] counts as the size of an element, for one element per thread.
const PER_THREAD: usize = 16;

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
struct Ids {
    dtype: &'static str,
    start: DevicePtr,
    steps: Steps,
    /// Of the dimension they point into.
    size: usize,
    op: IndexedOp,
}

impl Ids {
    fn new(op: IndexedOp, (ids, layout): Operand<'_>, steps: Steps, size: usize) -> Result<Self, RocmError> {
        let (dtype, start) = index_buffer(op, ids, layout.start_offset())?;
        Ok(Self { dtype, start, steps, size, op })
    }

    /// The width of strips, 0 for none, in which a kernel goes over `sizes`: where each element of a row has an index of its
    /// own, neighbours of a row reach all over a matrix of elements of `bytes`, which no cache may hold.
    fn strip(&self, [left, count, right]: [usize; 3], bytes: usize) -> usize {
        let large = self.size.saturating_mul(right).saturating_mul(bytes) >= LARGE;
        let counted = left.saturating_mul(right) < MOST;
        if self.steps[2] != 0 && count > 1 && right >= 2 * STRIP && large && counted { STRIP } else { 0 }
    }

    /// Begins the launch of a kernel over `sizes`; `reports` whether it writes down what is out of range.
    fn launch<'a>(
        &self,
        device: &'a RocmDevice,
        name: std::fmt::Arguments<'_>,
        sizes: [usize; 3],
        strip: usize,
        reports: bool,
    ) -> Result<Launch<'a>, RocmError> {
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
        launch.arg(&(strip as u32)).pointer(self.start);
        self.steps.iter().for_each(|step| _ = launch.arg(step));
        launch.arg(&self.size).pointer(fault);
        Ok(launch)
    }
}

fn index_buffer(
    op: IndexedOp,
    ids: &RocmStorageSlice,
    offset: usize,
) -> Result<(&'static str, DevicePtr), RocmError> {
    fn of<I: RocmDType>(buffer: &Buffer<I>, offset: usize) -> (&'static str, DevicePtr) {
        (I::KERNEL_DTYPE, buffer.as_ptr().byte_add(offset * size_of::<I>()))
    }
    use RocmStorageSlice as S;
    Ok(match ids {
        S::U8(buffer) => of(buffer, offset),
        S::U32(buffer) => of(buffer, offset),
        S::I16(buffer) => of(buffer, offset),
        S::I32(buffer) => of(buffer, offset),
        S::I64(buffer) => of(buffer, offset),
        _ => {
            let op = match op {
                IndexedOp::IndexSelect => "index_select (indices)",
                IndexedOp::Gather => "gather (indices)",
                IndexedOp::ScatterSet => "scatter_set (indices)",
                IndexedOp::ScatterAdd => "scatter_add_set (indices)",
                IndexedOp::IndexAdd => "index_add (indices)",
                IndexedOp::QuantizedRows | IndexedOp::Experts => op.name(),
            };
            return Err(RocmError::UnsupportedDType { op, dtype: ids.dtype() });
        }
    })
}

/// Where the layout begins in the slice, and the size of an element.
fn elements(op: IndexedOp, slice: &RocmStorageSlice, offset: usize) -> Result<(DevicePtr, usize), RocmError> {
    let unsupported = || RocmError::UnsupportedDType { op: op.name(), dtype: slice.dtype() };
    each_dtype!(slice.dtype(), T => {
        let buffer = T::buffer(slice).ok_or_else(unsupported)?;
        Ok((buffer.as_ptr().byte_add(offset * size_of::<T>()), size_of::<T>()))
    }, else Err(unsupported()))
}

fn kernel_dtype(op: IndexedOp, dtype: DType) -> Result<&'static str, RocmError> {
    each_dtype!(dtype, T => Ok(T::KERNEL_DTYPE), else Err(RocmError::UnsupportedDType { op: op.name(), dtype }))
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
fn line_of_ids(op: IndexedOp, ids: Operand<'_>) -> Result<(usize, usize), RocmError> {
    check_bounds(op.name(), ids.1, ids.0.len())?;
    match (ids.1.dims(), ids.1.stride()) {
        (&[count], &[stride]) => Ok((count, stride)),
        (dims, _) => Err(RocmError::InvalidArgument {
            op: op.name(),
            message: format!("expected indices of one dimension, got shape {dims:?}; flatten them first"),
        }),
    }
}

// --------------------------------------------------------------------------------------------------------- Reading

/// `out[l, i, r] = src[l, ids[i], r]`.
pub(crate) fn index_select(
    device: &RocmDevice,
    src: Operand<'_>,
    ids: Operand<'_>,
    dim: usize,
) -> Result<RocmStorageSlice, RocmError> {
    let op = IndexedOp::IndexSelect;
    check_bounds(op.name(), src.1, src.0.len())?;
    let (count, step) = line_of_ids(op, ids)?;
    check_dims(op, dim, src.1.dims(), src.1.dims(), |_, _| true)?;
    let size = src.1.dims()[dim];
    let dims = with_size(src.1, dim, count);
    if elem_count(op.name(), &dims)? == 0 {
        return RocmStorageSlice::uninit(device, 0, src.0.dtype());
    }
    let Some(space) = Space::new(&dims, dim, [src.1.stride()]) else {
        let (copy, layout) = to_contiguous(op.name(), device, src)?;
        return index_select(device, (&copy, &layout), ids, dim);
    };
    let [mut steps] = space.steps;
    // Where there is one index, or none, nothing was learnt about the dimension that it points into.
    steps[1] = src.1.stride()[dim];
    take(device, src, space.sizes, steps, Ids::new(op, ids, [0, step, 0], size)?)
}

/// `out[l, i, r] = src[l, ids[l, i, r], r]`.
pub(crate) fn gather(
    device: &RocmDevice,
    src: Operand<'_>,
    ids: Operand<'_>,
    dim: usize,
) -> Result<RocmStorageSlice, RocmError> {
    let op = IndexedOp::Gather;
    check_bounds(op.name(), src.1, src.0.len())?;
    check_bounds(op.name(), ids.1, ids.0.len())?;
    check_dims(op, dim, src.1.dims(), ids.1.dims(), |src, ids| src >= ids)?;
    if elem_count(op.name(), ids.1.dims())? == 0 {
        return RocmStorageSlice::uninit(device, 0, src.0.dtype());
    }
    let size = src.1.dims()[dim];
    let Some(space) = Space::new(ids.1.dims(), dim, [ids.1.stride(), src.1.stride()]) else {
        // The part of the source that is read at all; then both merge.
        let part =
            Layout::new(with_size(ids.1, dim, size).into(), src.1.stride().to_vec(), src.1.start_offset());
        let (src, src_l) = to_contiguous(op.name(), device, (src.0, &part))?;
        let (ids, ids_l) = to_contiguous(op.name(), device, ids)?;
        return gather(device, (&src, &src_l), (&ids, &ids_l), dim);
    };
    let [mut ids_steps, mut steps] = space.steps;
    (ids_steps[1], steps[1]) = (ids.1.stride()[dim], src.1.stride()[dim]);
    take(device, src, space.sizes, steps, Ids::new(op, ids, ids_steps, size)?)
}

fn take(
    device: &RocmDevice,
    (src, src_l): Operand<'_>,
    sizes: [usize; 3],
    steps: Steps,
    ids: Ids,
) -> Result<RocmStorageSlice, RocmError> {
    let out = RocmStorageSlice::uninit(device, elem_count(ids.op.name(), &sizes)?, src.dtype())?;
    let (from, size) = elements(ids.op, src, src_l.start_offset())?;
    let (to, _) = elements(ids.op, &out, 0)?;
    let (sizes, steps, bytes) = widest_words(sizes, steps, &ids, from, size);
    let strip = ids.strip(sizes, bytes);
    let mut launch = ids.launch(device, format_args!("take_{}_{bytes}", ids.dtype), sizes, strip, true)?;
    launch.pointer(from);
    steps.iter().for_each(|step| _ = launch.arg(step));
    launch.pointer(to);
    let count = iterations(sizes, strip);
    // SAFETY: take_*(sizes, strip, ids, its steps, size, fault, src, its steps, out). The callers checked both layouts against
    // their memory, rows are below the dimension's size, and out has room for all (l, i, r).
    unsafe { launch.run(device.grid_stride(count, bytes, bytes == 16)) }?;
    Ok(out)
}

/// Rows that share an index and are runs of memory are moved in the longest words that divide them.
fn widest_words(
    sizes: [usize; 3],
    steps: Steps,
    ids: &Ids,
    from: DevicePtr,
    size: usize,
) -> ([usize; 3], Steps, usize) {
    let rows = ids.steps[2] == 0 && (steps[2] == 1 || sizes[2] == 1);
    let fits = |bytes: usize| {
        let whole = |elements: usize| (elements * size).is_multiple_of(bytes);
        bytes > size
            && whole(sizes[2])
            && (whole(steps[0]) || sizes[0] == 1)
            && whole(steps[1])
            && from.address().is_multiple_of(bytes as u64)
    };
    match [16, 8, 4, 2].into_iter().find(|&bytes| rows && fits(bytes)) {
        None => (sizes, steps, size),
        Some(bytes) => {
            let words = |elements: usize| elements * size / bytes;
            ([sizes[0], sizes[1], words(sizes[2])], [words(steps[0]), words(steps[1]), 1], bytes)
        }
    }
}

// --------------------------------------------------------------------------------------------------------- Writing

/// `dst[l, ids[l, i, r], r] = src[l, i, r]`; of several for one element, the last `i` counts.
pub(crate) fn scatter_set(
    device: &RocmDevice,
    (dst, dst_l): (&mut RocmStorageSlice, &Layout),
    ids: Operand<'_>,
    src: Operand<'_>,
    dim: usize,
) -> Result<(), RocmError> {
    let op = IndexedOp::ScatterSet;
    scatter(op, device, (dst, dst_l), ids, src, dim, &|dst, sizes, ids, (src, steps)| {
        let (to, bytes) = elements(op, dst, dst_l.start_offset())?;
        let (from, _) = elements(op, src.0, src.1.start_offset())?;
        let [left, count, right] = sizes;
        let looped = count <= FEW || left.saturating_mul(right) >= MANY;
        let strip = if looped { 0 } else { ids.strip(sizes, bytes) };
        // Which index is the last for each element; 0: none.
        let mut last =
            device.alloc_zeros::<u32>(if looped { 0 } else { saturating(&[left, ids.size, right]) })?;
        if !looped {
            let mut launch =
                ids.launch(device, format_args!("mark_last_{}", ids.dtype), sizes, strip, true)?;
            launch.buffer_mut(&mut last, 0);
            // SAFETY: mark_last_*(sizes, strip, ids, its steps, size, fault, last); `last` has an element for each of dst.
            unsafe { launch.run(device.grid_stride(iterations(sizes, strip), PER_THREAD, false)) }?;
        }
        let mut launch =
            ids.launch(device, format_args!("put_{}_{bytes}", ids.dtype), sizes, strip, looped)?;
        launch.pointer(from);
        steps.iter().for_each(|step| _ = launch.arg(step));
        launch.pointer(to);
        if looped {
            launch.null()
        } else {
            launch.buffer(&last, 0)
        };
        let threads = if looped { left.saturating_mul(right) } else { iterations(sizes, strip) };
        // SAFETY: put_*(sizes, strip, ids, its steps, size, fault, src, its steps, dst, last). `scatter` checked all layouts;
        // rows are below the dimension's size, and dst is contiguous.
        unsafe { launch.run(device.grid_stride(threads, PER_THREAD, false)) }
    })
}

/// `dst[l, ids[l, i, r], r] += src[l, i, r]`.
pub(crate) fn scatter_add(
    device: &RocmDevice,
    (dst, dst_l): (&mut RocmStorageSlice, &Layout),
    ids: Operand<'_>,
    src: Operand<'_>,
    dim: usize,
) -> Result<(), RocmError> {
    let op = IndexedOp::ScatterAdd;
    scatter(op, device, (dst, dst_l), ids, src, dim, &|dst, sizes, ids, src| {
        add(device, (dst, dst_l.start_offset()), sizes, ids, src)
    })
}

/// A copy of `base` with `out[l, ids[i], r] += src[l, i, r]`.
pub(crate) fn index_add(
    device: &RocmDevice,
    base: Operand<'_>,
    ids: Operand<'_>,
    src: Operand<'_>,
    dim: usize,
) -> Result<RocmStorageSlice, RocmError> {
    let op = IndexedOp::IndexAdd;
    check_bounds(op.name(), base.1, base.0.len())?;
    check_bounds(op.name(), src.1, src.0.len())?;
    check_dims(op, dim, base.1.dims(), src.1.dims(), |base, src| base == src)?;
    same_dtype(op, base.0, src.0)?;
    let (count, step) = line_of_ids(op, ids)?;
    if src.1.dims()[dim] != count {
        let (lhs, rhs) = (ids.1.dims().to_vec(), src.1.dims().to_vec());
        return Err(RocmError::ShapeMismatch { op: op.name(), lhs, rhs });
    }
    let (mut out, _) = to_contiguous(op.name(), device, base)?;
    let own;
    let (src, space) = match Space::new(src.1.dims(), dim, [src.1.stride()]) {
        Some(space) => (src, Some(space)),
        None => {
            own = to_contiguous(op.name(), device, src)?;
            ((&own.0, &own.1), Space::new(own.1.dims(), dim, [own.1.stride()]))
        }
    };
    if let Some(space) = space.filter(|space| space.numel() != 0) {
        let ids = Ids::new(op, ids, [0, step, 0], base.1.dims()[dim])?;
        add(device, (&mut out, 0), space.sizes, &ids, (src, space.steps[0]))?;
    }
    Ok(out)
}

/// Launches on `dst, sizes, ids, (src, its steps)`.
type Write<'a> =
    &'a dyn Fn(&mut RocmStorageSlice, [usize; 3], &Ids, (Operand<'_>, Steps)) -> Result<(), RocmError>;

/// What both kinds of scatter check and prepare.
fn scatter(
    op: IndexedOp,
    device: &RocmDevice,
    (dst, dst_l): (&mut RocmStorageSlice, &Layout),
    ids: Operand<'_>,
    src: Operand<'_>,
    dim: usize,
    write: Write<'_>,
) -> Result<(), RocmError> {
    check_bounds(op.name(), dst_l, dst.len())?;
    check_bounds(op.name(), ids.1, ids.0.len())?;
    check_bounds(op.name(), src.1, src.0.len())?;
    check_dims(op, dim, dst_l.dims(), ids.1.dims(), |dst, ids| dst == ids)?;
    if ids.1.dims() != src.1.dims() {
        let (lhs, rhs) = (ids.1.dims().to_vec(), src.1.dims().to_vec());
        return Err(RocmError::ShapeMismatch { op: op.name(), lhs, rhs });
    }
    same_dtype(op, dst, src.0)?;
    if !dst_l.is_contiguous() {
        return Err(RocmError::InvalidArgument {
            op: op.name(),
            message: format!("the destination, {dst_l:?}, must be contiguous; call contiguous() first"),
        });
    }
    let Some(space) = Space::new(ids.1.dims(), dim, [ids.1.stride(), src.1.stride()]) else {
        let (ids, ids_l) = to_contiguous(op.name(), device, ids)?;
        let (src, src_l) = to_contiguous(op.name(), device, src)?;
        return scatter(op, device, (dst, dst_l), (&ids, &ids_l), (&src, &src_l), dim, write);
    };
    if space.numel() == 0 {
        return Ok(());
    }
    let [ids_steps, steps] = space.steps;
    let ids = Ids::new(op, ids, ids_steps, dst_l.dims()[dim])?;
    write(dst, space.sizes, &ids, (src, steps))
}

fn same_dtype(op: IndexedOp, dst: &RocmStorageSlice, src: &RocmStorageSlice) -> Result<(), RocmError> {
    let (lhs, rhs) = (dst.dtype(), src.dtype());
    if lhs == rhs { Ok(()) } else { Err(RocmError::DTypeMismatch { op: op.name(), lhs, rhs }) }
}

/// Adds to the contiguous elements of `dst` from an offset on.
fn add(
    device: &RocmDevice,
    (dst, offset): (&mut RocmStorageSlice, usize),
    sizes: [usize; 3],
    ids: &Ids,
    ((src, src_l), steps): (Operand<'_>, Steps),
) -> Result<(), RocmError> {
    let dtype = kernel_dtype(ids.op, dst.dtype())?;
    let (to, _) = elements(ids.op, dst, offset)?;
    let (from, _) = elements(ids.op, src, src_l.start_offset())?;
    let [left, count, right] = sizes;
    // Sums of integers do not depend on their order.
    let looped = count <= FEW || (device.is_deterministic() && dst.dtype().is_float());
    let strip = if looped { 0 } else { ids.strip(sizes, dst.dtype().size_in_bytes()) };
    let mut launch = ids.launch(device, format_args!("add_{}_{dtype}", ids.dtype), sizes, strip, true)?;
    launch.pointer(from);
    steps.iter().for_each(|step| _ = launch.arg(step));
    launch.pointer(to).arg(&u32::from(looped));
    let threads = if looped { left.saturating_mul(right) } else { iterations(sizes, strip) };
    let mut config = device.grid_stride(threads, PER_THREAD, false);
    if strip > 0 {
        // Blocks begin in order: all work on few strips at a time.
        config = LaunchConfig::looping(threads.div_ceil(256), 256);
    }
    // SAFETY: add_*(sizes, strip, ids, its steps, size, fault, src, its steps, dst, looped). The callers checked all
    // layouts; rows are below the dimension's size, and dst is contiguous.
    unsafe { launch.run(config) }
}
