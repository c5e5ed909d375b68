//! `index_select` and `gather`.

use candle_core::Layout;

use super::{Ids, Space, Steps, check_dims, element_size, iterations, line_of_ids, with_size};
use crate::common::launch::LaunchExt;
use crate::common::operand::SliceOperand;
use crate::common::plan::check_bounds;
use crate::count::elem_count;
use crate::device::IndexedOp;
use crate::layout::copy::to_contiguous;
use crate::{RocmDevice, RocmError, RocmStorageSlice};

/// `out[l, i, r] = src[l, ids[i], r]`.
pub(crate) fn index_select(
    device: &RocmDevice,
    src: SliceOperand<'_>,
    ids: SliceOperand<'_>,
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
    src: SliceOperand<'_>,
    ids: SliceOperand<'_>,
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
    (src, src_l): SliceOperand<'_>,
    sizes: [usize; 3],
    steps: Steps,
    ids: Ids<'_>,
) -> Result<RocmStorageSlice, RocmError> {
    let mut out = RocmStorageSlice::uninit(device, elem_count(ids.op.name(), &sizes)?, src.dtype())?;
    let (size, from) = (element_size(ids.op, src.dtype())?, src_l.start_offset());
    let (sizes, steps, bytes) = widest_words(sizes, steps, &ids, from, size);
    let strip = ids.strip(sizes, bytes);
    let mut launch = ids.launch(device, format_args!("take_{}_{bytes}", ids.dtype), sizes, strip, true)?;
    launch.slice(src, from);
    steps.iter().for_each(|step| _ = launch.arg(step));
    launch.slice_mut(&mut out, 0);
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
    ids: &Ids<'_>,
    from: usize,
    size: usize,
) -> ([usize; 3], Steps, usize) {
    let rows = ids.steps[2] == 0 && (steps[2] == 1 || sizes[2] == 1);
    let fits = |bytes: usize| {
        let whole = |elements: usize| (elements * size).is_multiple_of(bytes);
        bytes > size
            && whole(sizes[2])
            && (whole(steps[0]) || sizes[0] == 1)
            && whole(steps[1])
            && whole(from)
    };
    match [16, 8, 4, 2].into_iter().find(|&bytes| rows && fits(bytes)) {
        None => (sizes, steps, size),
        Some(bytes) => {
            let words = |elements: usize| elements * size / bytes;
            ([sizes[0], sizes[1], words(sizes[2])], [words(steps[0]), words(steps[1]), 1], bytes)
        }
    }
}
