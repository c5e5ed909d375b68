//! `scatter_set`, `scatter_add` and `index_add`.

use candle_core::{DType, Layout};

use super::{Ids, Space, Steps, check_dims, element_size, iterations, line_of_ids};
use crate::common::launch::LaunchExt;
use crate::common::operand::SliceOperand;
use crate::common::plan::check_bounds;
use crate::count::saturating;
use crate::device::IndexedOp;
use crate::dtype::DTypeExt;
use crate::elementwise::cast::{cast, cast_into};
use crate::hip::{Buffer, LaunchConfig};
use crate::layout::copy::to_contiguous;
use crate::storage_slice::each_dtype;
use crate::{Launch, RocmDType, RocmDevice, RocmError, RocmStorageSlice};

/// Maximum number of indices that one thread writes alone, in order.
const FEW: usize = 32;
/// So many threads keep a device busy, however long each takes.
const MANY: usize = 1 << 16;
/// What [`RocmDevice::grid_stride`] counts as the size of an element, for one element per thread.
const PER_THREAD: usize = 16;
/// Sums of small floats at a time: 256 MiB.
const SUMS: usize = 1 << 26;
/// Elements of a destination that are converted in the time of one that an index selects: of rows that share an index, and of others.
const SPARSE: [usize; 2] = [4, 12];

fn kernel_dtype(op: IndexedOp, dtype: DType) -> Result<&'static str, RocmError> {
    each_dtype!(dtype, T => Ok(T::KERNEL_DTYPE), else Err(RocmError::UnsupportedDType { op: op.name(), dtype }))
}

/// Threads that process all `i` in parallel: kernels take four neighbours at a time, where rows are whole fours.
fn parallel(sizes: [usize; 3], strip: usize) -> usize {
    let [_, count, right] = sizes;
    let row = if right == 1 { count } else { right };
    iterations(sizes, strip) / if row.is_multiple_of(4) { 4 } else { 1 }
}

fn in_strips(device: &RocmDevice, threads: usize, strip: usize) -> LaunchConfig {
    match strip {
        0 => device.grid_stride(threads, PER_THREAD, false),
        // Blocks begin in order: all work on few strips at a time.
        _ => LaunchConfig::looping(threads.div_ceil(256), 256),
    }
}

/// `dst[l, ids[l, i, r], r] = src[l, i, r]`; of several for one element, the last `i` counts.
pub(crate) fn scatter_set(
    device: &RocmDevice,
    (dst, dst_l): (&mut RocmStorageSlice, &Layout),
    ids: SliceOperand<'_>,
    src: SliceOperand<'_>,
    dim: usize,
) -> Result<(), RocmError> {
    let op = IndexedOp::ScatterSet;
    scatter(op, device, (dst, dst_l), ids, src, dim, &|dst, sizes, ids, (src, steps)| {
        let bytes = element_size(op, dst.dtype())?;
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
            unsafe { launch.run(device.grid_stride(parallel(sizes, strip), PER_THREAD, false)) }?;
        }
        let mut launch =
            ids.launch(device, format_args!("put_{}_{bytes}", ids.dtype), sizes, strip, looped)?;
        launch.slice(src.0, src.1.start_offset());
        steps.iter().for_each(|step| _ = launch.arg(step));
        launch.slice_mut(dst, dst_l.start_offset());
        if looped {
            launch.null()
        } else {
            launch.buffer(&last, 0)
        };
        let threads = if looped { left.saturating_mul(right) } else { parallel(sizes, strip) };
        // SAFETY: put_*(sizes, strip, ids, its steps, size, fault, src, its steps, dst, last). `scatter` checked all layouts;
        // rows are below the dimension's size, and dst is contiguous.
        unsafe { launch.run(device.grid_stride(threads, PER_THREAD, false)) }
    })
}

/// `dst[l, ids[l, i, r], r] += src[l, i, r]`.
pub(crate) fn scatter_add(
    device: &RocmDevice,
    (dst, dst_l): (&mut RocmStorageSlice, &Layout),
    ids: SliceOperand<'_>,
    src: SliceOperand<'_>,
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
    base: SliceOperand<'_>,
    ids: SliceOperand<'_>,
    src: SliceOperand<'_>,
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
type Write<'a> = &'a dyn Fn(
    &mut RocmStorageSlice,
    [usize; 3],
    &Ids<'_>,
    (SliceOperand<'_>, Steps),
) -> Result<(), RocmError>;

/// What both kinds of scatter check and prepare.
fn scatter(
    op: IndexedOp,
    device: &RocmDevice,
    (dst, dst_l): (&mut RocmStorageSlice, &Layout),
    ids: SliceOperand<'_>,
    src: SliceOperand<'_>,
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
    ids: &Ids<'_>,
    src: (SliceOperand<'_>, Steps),
) -> Result<(), RocmError> {
    let dtype = kernel_dtype(ids.op, dst.dtype())?;
    // Sums of integers do not depend on their order.
    let looped = sizes[1] <= FEW || (device.is_deterministic() && dst.dtype().is_float());
    let add = Addition { device, dtype, sizes, ids, src, looped };
    if dst.dtype().is_short_float() {
        return add.wide(dst, offset);
    }
    add.run(element_size(ids.op, dst.dtype())?, true, |launch| _ = launch.slice_mut(dst, offset))
}

struct Addition<'a> {
    device: &'a RocmDevice,
    /// Of both operands.
    dtype: &'static str,
    sizes: [usize; 3],
    ids: &'a Ids<'a>,
    src: (SliceOperand<'a>, Steps),
    /// A thread adds all that belongs to its `(l, r)`, in order.
    looped: bool,
}

impl Addition<'_> {
    /// Launches `add_*` for sums of so many bytes, where `target` says where they are.
    fn run(
        &self,
        bytes: usize,
        reports: bool,
        target: impl FnOnce(&mut Launch<'_>),
    ) -> Result<(), RocmError> {
        let Self { device, dtype, sizes, ids, src: ((src, src_l), steps), looped } = *self;
        let [left, _, right] = sizes;
        let strip = if looped { 0 } else { ids.strip(sizes, bytes) };
        let mut launch =
            ids.launch(device, format_args!("add_{}_{dtype}", ids.dtype), sizes, strip, reports)?;
        launch.slice(src, src_l.start_offset());
        steps.iter().for_each(|step| _ = launch.arg(step));
        target(&mut launch);
        launch.arg(&u32::from(looped));
        let threads = if looped { left.saturating_mul(right) } else { parallel(sizes, strip) };
        // SAFETY: add_*(sizes, strip, ids, its steps, size, fault, src, its steps, then dst, or the sums, the first element that has one
        // and how many do, then looped). The callers checked all layouts; rows are below the dimension's size, and dst is contiguous.
        unsafe { launch.run(in_strips(device, threads, strip)) }
    }

    /// Makes elements of `dst`, those from `first` on that indices select, sums, or sums elements, if `back`.
    fn stage(
        &self,
        (dst, offset): (&mut RocmStorageSlice, usize),
        sums: &mut Buffer<f32>,
        first: usize,
        back: bool,
    ) -> Result<(), RocmError> {
        let Self { device, dtype, sizes, ids, .. } = *self;
        let strip = ids.strip(sizes, size_of::<f32>());
        let mut launch =
            ids.launch(device, format_args!("stage_{}_{dtype}", ids.dtype), sizes, strip, false)?;
        let count = sums.len();
        launch.slice_mut(dst, offset).buffer_mut(sums, 0).arg(&first).arg(&count).arg(&u32::from(back));
        // SAFETY: stage_*(sizes, strip, ids, its steps, size, fault, dst, sums, first, count, back): as for `run`, and there are `count`
        // sums.
        unsafe { launch.run(in_strips(device, parallel(sizes, strip), strip)) }
    }

    /// Small floats, which are added up in f32 and rounded once, as a sum of 2048 in f16, or of 256 in bf16, does not grow when 1 is added.
    ///
    /// The sums take 4 bytes for each element of `dst`, 256 MiB at most: what has more is done in parts, each of which reads all indices
    /// again. If much is added, all of `dst` is converted before and after, at memory bandwidth, 12 bytes an element; else only what
    /// indices select. For f16 on an H200, additions to 8192x8192 elements take 0.81 to 0.91 ms and each conversion 0.1 (additions in
    /// f16, which exchange words: 1.87 to 2.17), those of 4096 rows of 4096 to 32,768 rows 0.11 and twice 0.12 (in f16 0.06).
    fn wide(&self, dst: &mut RocmStorageSlice, offset: usize) -> Result<(), RocmError> {
        let (device, [left, _, right]) = (self.device, self.sizes);
        let elements = saturating(&[left, self.ids.size, right]);
        let sparse = SPARSE[usize::from(self.ids.steps[2] != 0 || right == 1)];
        let convert_all = saturating(&self.sizes).saturating_mul(sparse) >= elements;
        let mut first = 0;
        loop {
            let count = (elements - first).min(SUMS);
            let mut sums = if convert_all {
                let part = Layout::contiguous_with_offset(count, offset + first);
                cast(device, dst, &part, DType::F32)?
            } else {
                RocmStorageSlice::uninit(device, count, DType::F32)?
            };
            let (op, dtype) = (self.ids.op.name(), sums.dtype());
            let sums = f32::buffer_mut(&mut sums).ok_or(RocmError::UnsupportedDType { op, dtype })?;
            if !convert_all {
                self.stage((&mut *dst, offset), sums, first, false)?;
            }
            self.run(size_of::<f32>(), first == 0, |launch| {
                launch.buffer_mut(sums, 0).arg(&first).arg(&count);
            })?;
            if convert_all {
                cast_into(device, sums, dst, offset + first)?;
            } else {
                self.stage((&mut *dst, offset), sums, first, true)?;
            }
            first += count;
            if first >= elements {
                return Ok(());
            }
        }
    }
}
