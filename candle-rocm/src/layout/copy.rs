//! Copies within a device: runs and rows through `fill.hip` and the runtime, transposes through `transpose.hip`, any other
//! layout through `unary.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::{FILL, UNARY};

use super::candidates::{Task, serve};
use super::transpose::transpose;
use crate::common::access::Access;
use crate::common::launch::{KernelName, elementwise, strided as strided_launch};
use crate::common::observe::bytes;
use crate::common::operand::{Operand, slice};
use crate::common::operation::{Described, Nothing, One, Op, Write};
use crate::common::plan::Plan;
use crate::count::elem_count;
use crate::dtype::with_dtypes;
use crate::hip::Buffer;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

const COPY_STRIDED: &str = "copy_strided_src";

/// Binds two slices of one dtype; the packed formats are bytes.
macro_rules! same_dtype {
    ($op:expr, $src:expr, $dst:expr, ($s:ident, $d:ident) => $body:expr) => {{
        let (src, dst) = ($src, $dst);
        let dtypes = (src.dtype(), dst.dtype());
        with_dtypes!(same_dtype! @arms $op, src, dst, dtypes, ($s, $d) => $body,)
    }};
    (
        @arms $op:expr, $src:ident, $dst:ident, $dtypes:ident, ($s:ident, $d:ident) => $body:expr,
        [$($variant:ident: $ty:ty = $name:literal,)*] [$($packed:ident,)*]
    ) => {
        match ($src, $dst) {
            $((RocmStorageSlice::$variant($s), RocmStorageSlice::$variant($d)) => $body,)*
            $((RocmStorageSlice::$packed($s), RocmStorageSlice::$packed($d)) => $body,)*
            _ => Err(RocmError::DTypeMismatch { op: $op, lhs: $dtypes.0, rhs: $dtypes.1 }),
        }
    };
}

/// A contiguous copy.
#[derive(Clone, Copy)]
pub(crate) struct Copied;

impl Op for Copied {
    type Operands<T> = One<T>;

    fn name(&self) -> &'static str {
        COPY_STRIDED
    }

    fn key(&self, _: &mut Vec<u64>) {}

    fn result(&self, _: &RocmDevice, One { x }: One<Described<'_>>) -> Option<(usize, DType)> {
        Some((x.len, x.dtype))
    }

    fn run(&self, device: &RocmDevice, One { x }: One<Operand<'_>>) -> candle_core::Result<RocmStorageSlice> {
        Ok(to_contiguous(self.name(), device, slice(x)?)?.0)
    }
}

/// A copy to a part of another tensor.
#[derive(Clone, Copy)]
pub(crate) struct CopyTo {
    pub(crate) offset: usize,
}

impl Write for CopyTo {
    type Operands<T> = One<T>;

    fn name(&self) -> &'static str {
        COPY_STRIDED
    }

    fn written(&self, _: &RocmStorage, One { x }: &One<Operand<'_>>) -> usize {
        bytes(x)
    }

    fn run(
        &self,
        device: &RocmDevice,
        dst: &mut RocmStorage,
        One { x }: One<Operand<'_>>,
    ) -> candle_core::Result<()> {
        Ok(strided(device, slice(x)?, dst.slice_mut()?, self.offset)?)
    }
}

/// Copies the elements of a layout, in its order, to `dst` from `dst_offset` on, as many as `dst` has room for.
pub(crate) fn strided(
    device: &RocmDevice,
    (src, layout): (&RocmStorageSlice, &Layout),
    dst: &mut RocmStorageSlice,
    dst_offset: usize,
) -> Result<(), RocmError> {
    same_dtype!(COPY_STRIDED, src, dst, (src, dst) => copy_strided(device, (src, layout), dst, dst_offset))
}

/// A contiguous copy.
pub(crate) fn to_contiguous(
    op: &'static str,
    device: &RocmDevice,
    (src, layout): (&RocmStorageSlice, &Layout),
) -> Result<(RocmStorageSlice, Layout), RocmError> {
    let mut copy = RocmStorageSlice::uninit(device, elem_count(op, layout.dims())?, src.dtype())?;
    strided(device, (src, layout), &mut copy, 0)?;
    Ok((copy, Layout::contiguous(layout.shape())))
}

/// A copy, unless the operand is contiguous.
pub(crate) fn contiguous<T: RocmDType>(
    device: &RocmDevice,
    (src, layout): (&Buffer<T>, &Layout),
) -> Result<Option<Buffer<T>>, RocmError> {
    if layout.is_contiguous() {
        return Ok(None);
    }
    let mut copy = device.alloc::<T>(elem_count(COPY_STRIDED, layout.dims())?)?;
    copy_strided(device, (src, layout), &mut copy, 0)?;
    Ok(Some(copy))
}

pub(crate) fn copy_strided<T: RocmDType>(
    device: &RocmDevice,
    (src, layout): (&Buffer<T>, &Layout),
    dst: &mut Buffer<T>,
    dst_offset: usize,
) -> Result<(), RocmError> {
    let plan = Plan::new(COPY_STRIDED, [(layout, src.len())])?;
    let (count, src) = (plan.numel.min(dst.len().saturating_sub(dst_offset)), (src, layout.start_offset()));
    if count == 0 {
        return Ok(());
    }
    let access = plan.access(0, size_of::<T>());
    if access == Access::Contiguous {
        return device.copy(src.0, src.1, dst, dst_offset, count);
    }
    if count < plan.numel {
        // Kernels write all of a layout.
        let mut all = device.alloc::<T>(plan.numel)?;
        gather(device, &plan, access, src, (&mut all, 0))?;
        return device.copy(&all, 0, dst, dst_offset, count);
    }
    gather(device, &plan, access, src, (dst, dst_offset))
}

/// Copies all elements of a plan for `src`, for which `dst` has room.
fn gather<T: RocmDType>(
    device: &RocmDevice,
    plan: &Plan,
    access: Access,
    (src, src_offset): (&Buffer<T>, usize),
    (dst, dst_offset): (&mut Buffer<T>, usize),
) -> Result<(), RocmError> {
    match access {
        Access::Contiguous => device.copy(src, src_offset, dst, dst_offset, plan.numel),
        Access::Rows { count, len, step } => {
            let (d1, d2) = (count, len);
            let rows = StridedRows { d1, d2, src_stride1: step, dst_stride1: d2, src_offset, dst_offset };
            copy_rows(device, src, dst, rows)
        }
        Access::Transposed(transposition) => {
            let size = size_of::<T>();
            serve(device, Task::Copy, &transposition, size, |threads| match threads {
                // SAFETY: the plan keeps reads inside src, and dst has numel elements from dst_offset on.
                Some(threads) => unsafe {
                    transpose(device, &transposition, (src, src_offset), (dst, dst_offset), threads)
                },
                None => by_elements(device, plan, (src, src_offset), (dst, dst_offset)),
            })
        }
        Access::Strided => by_elements(device, plan, (src, src_offset), (dst, dst_offset)),
    }
}

/// Copies all elements of a plan for `src`, for which `dst` has room, whatever the layout.
fn by_elements<T: RocmDType>(
    device: &RocmDevice,
    plan: &Plan,
    (src, src_offset): (&Buffer<T>, usize),
    (dst, dst_offset): (&mut Buffer<T>, usize),
) -> Result<(), RocmError> {
    let name = format_args!("ucopy_{}", T::KERNEL_DTYPE);
    let mut launch = strided_launch(device, &UNARY, name, plan);
    launch.buffer(src, src_offset).buffer_mut(dst, dst_offset);
    // SAFETY: ucopy_*(numel, num_dims, info, src, out); the plan keeps reads inside src, and dst has numel elements from dst_offset on.
    unsafe { launch.run(elementwise(device, plan, size_of::<T>())) }
}

/// `d1` rows of `d2` elements, each `stride1` elements after the one before.
#[derive(Clone, Copy)]
pub(crate) struct StridedRows {
    pub(crate) d1: usize,
    pub(crate) d2: usize,
    pub(crate) src_stride1: usize,
    pub(crate) dst_stride1: usize,
    pub(crate) src_offset: usize,
    pub(crate) dst_offset: usize,
}

const COPY2D: &str = "copy2d";

/// A copy of rows to a part of another tensor.
#[derive(Clone, Copy)]
pub(crate) struct CopyRows<'a> {
    pub(crate) src: &'a RocmStorage,
    pub(crate) rows: StridedRows,
}

impl Write for CopyRows<'_> {
    type Operands<T> = Nothing;

    fn name(&self) -> &'static str {
        COPY2D
    }

    fn written(&self, dst: &RocmStorage, Nothing: &Nothing) -> usize {
        self.rows.d1.saturating_mul(self.rows.d2).saturating_mul(dst.dtype().size_in_bytes())
    }

    fn run(&self, device: &RocmDevice, dst: &mut RocmStorage, Nothing: Nothing) -> candle_core::Result<()> {
        Ok(copy2d(device, self.src.slice()?, dst.slice_mut()?, self.rows)?)
    }
}

/// Copies rows.
pub(crate) fn copy2d(
    device: &RocmDevice,
    src: &RocmStorageSlice,
    dst: &mut RocmStorageSlice,
    rows: StridedRows,
) -> Result<(), RocmError> {
    same_dtype!(COPY2D, src, dst, (src, dst) => copy_rows(device, src, dst, rows))
}

fn copy_rows<T: RocmDType>(
    device: &RocmDevice,
    src: &Buffer<T>,
    dst: &mut Buffer<T>,
    rows: StridedRows,
) -> Result<(), RocmError> {
    let StridedRows { d1, d2, src_stride1, dst_stride1, src_offset, dst_offset } = rows;
    if d1 == 0 || d2 == 0 {
        return Ok(());
    }
    check_rows(rows, src_offset, src_stride1, src.len())?;
    check_rows(rows, dst_offset, dst_stride1, dst.len())?;
    if d1 == 1 || (src_stride1 == d2 && dst_stride1 == d2) {
        return device.copy(src, src_offset, dst, dst_offset, d1 * d2);
    }
    // The kernel's parameters are 32 bits wide. Rows this far apart or this long are few: they fit in memory.
    let fits = |n: usize| u32::try_from(n).ok();
    let (Some(width), Some(src_step), Some(dst_step)) = (fits(d2), fits(src_stride1), fits(dst_stride1))
    else {
        for row in 0..d1 {
            device.copy(src, src_offset + row * src_stride1, dst, dst_offset + row * dst_stride1, d2)?;
        }
        return Ok(());
    };
    let name = KernelName::new(format_args!("copy2d_{}", T::KERNEL_DTYPE));
    for first in (0..d1).step_by(u32::MAX as usize) {
        let height = (d1 - first).min(u32::MAX as usize);
        let mut launch = device.launch(&FILL, name.as_str());
        launch
            .buffer(src, src_offset + first * src_stride1)
            .buffer_mut(dst, dst_offset + first * dst_stride1)
            .arg(&(height as u32))
            .arg(&width)
            .arg(&src_step)
            .arg(&dst_step);
        // SAFETY: copy2d_*(src, dst, d1, d2, src_s, dst_s); check_rows holds for both sides.
        unsafe { launch.run(device.grid_stride(height * d2, size_of::<T>(), true)) }?;
    }
    Ok(())
}

/// All rows lie in a buffer of `len` elements.
fn check_rows(rows: StridedRows, offset: usize, stride: usize, len: usize) -> Result<(), RocmError> {
    let StridedRows { d1, d2, .. } = rows;
    let end = (d1 - 1).checked_mul(stride).and_then(|last| last.checked_add(offset)?.checked_add(d2));
    match (end, d1.checked_mul(d2)) {
        (Some(end), Some(_)) if end <= len => Ok(()),
        _ => Err(RocmError::LayoutOutOfBounds {
            op: COPY2D,
            shape: vec![d1, d2],
            stride: vec![stride, 1],
            offset,
            len,
        }),
    }
}
