//! Running sums; launches `scan.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::SCAN;

use crate::common::launch::{KernelName, one_each};
use crate::common::map::Map1;
use crate::common::operand::{Operand, slice};
use crate::common::operation::{Described, One, Op};
use crate::common::plan::check_bounds;
use crate::count::{elem_count, saturating};
use crate::hip::{Buffer, LaunchConfig};
use crate::layout::copy;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

const OP: &str = "cumsum";
const THREADS: u32 = 256;
/// Rows up to this length are summed by one thread each.
const SHORT: usize = 64;
/// Elements of the shortest part of a row that a block sums, which is a multiple of what it has under way.
const PART: usize = 1 << 14;
/// So many sequences that are not rows keep a device busy; fewer are made rows if they have more than that many elements.
const MANY: usize = 1 << 14;
const LONG: usize = 1 << 9;

impl RocmStorage {
    /// Computes cumulative sums along a dimension: candle's `Tensor::cumsum` without its triangular matrix. The result is contiguous and
    /// has the same dtype. f16, bf16 and f8 are summed in f32 and rounded once; integers wrap.
    ///
    /// # Errors
    /// [`RocmError::UnsupportedDType`] for the packed MX formats; [`RocmError::InvalidArgument`] if the dimension does not exist.
    ///
    /// ```
    /// use candle_core::{CpuStorage, Layout, backend::{BackendDevice, BackendStorage}};
    /// # use candle_rocm::{RocmDevice, platform::HOST};
    /// # fn main() -> candle_core::Result<()> {
    /// # let device = RocmDevice::on(HOST, 0)?;
    /// let x = device.storage_from_slice(&[1f32, 2., 3., 10., 20., 30.])?;
    /// let sums = x.cumsum(&Layout::contiguous((2, 3)), 1)?.to_cpu_storage()?;
    /// assert!(matches!(sums, CpuStorage::F32(sums) if sums == [1., 3., 6., 10., 30., 60.]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn cumsum(&self, layout: &Layout, dim: usize) -> Result<Self, RocmError> {
        Ok(self.with(sums(&self.device, (self.slice()?, layout), CumSum { dim, reverse: false })?))
    }

    /// Computes cumulative sums from the end: each element plus all that follow it along a dimension. The result is contiguous. This is the
    /// gradient of [`cumsum`](Self::cumsum).
    ///
    /// # Errors
    /// As [`cumsum`](Self::cumsum).
    pub fn reverse_cumsum(&self, layout: &Layout, dim: usize) -> Result<Self, RocmError> {
        Ok(self.with(sums(&self.device, (self.slice()?, layout), CumSum { dim, reverse: true })?))
    }
}

/// Each element plus all before it along a dimension, or all behind it if `reverse`. The result is contiguous.
fn sums(
    device: &RocmDevice,
    (src, layout): (&RocmStorageSlice, &Layout),
    sums: CumSum,
) -> Result<RocmStorageSlice, RocmError> {
    let dim = sums.dim;
    check_bounds(OP, layout, src.len())?;
    if dim >= layout.dims().len() {
        let message = format!("dimension {dim} is out of range for shape {:?}", layout.dims());
        return Err(RocmError::InvalidArgument { op: OP, message });
    }
    sums.map(device, src, layout)
}

/// Running sums along a dimension.
#[derive(Clone, Copy)]
pub(crate) struct CumSum {
    pub(crate) dim: usize,
    /// From the end.
    pub(crate) reverse: bool,
}

impl Op for CumSum {
    type Operands<T> = One<T>;

    fn name(&self) -> &'static str {
        OP
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.extend([self.dim as u64, self.reverse.into()]);
    }

    fn result(&self, _: &RocmDevice, One { x }: One<Described<'_>>) -> Option<(usize, DType)> {
        (self.dim < x.dims().len()).then_some((x.len, x.dtype))
    }

    fn run(&self, device: &RocmDevice, One { x }: One<Operand<'_>>) -> candle_core::Result<RocmStorageSlice> {
        Ok(sums(device, slice(x)?, *self)?)
    }
}

impl Map1 for CumSum {
    fn op(&self) -> &'static str {
        OP
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        src: &Buffer<T>,
        layout: &Layout,
    ) -> Result<Buffer<T>, RocmError> {
        let dims = layout.dims();
        let numel = elem_count(OP, dims)?;
        let mut out = device.alloc::<T>(numel)?;
        if numel == 0 {
            return Ok(out);
        }
        let (outer, len, inner) =
            (saturating(&dims[..self.dim]), dims[self.dim], saturating(&dims[self.dim + 1..]));
        if inner > 1 && outer * inner < MANY && len > LONG {
            // As rows, and back.
            let last = dims.len() - 1;
            let rows = layout.transpose(self.dim, last).map_err(|error| RocmError::from_candle(OP, error))?;
            let mut whole = device.alloc::<T>(numel)?;
            copy::copy_strided(device, (src, &rows), &mut whole, 0)?;
            let mut sums = device.alloc::<T>(numel)?;
            by_rows(device, (&whole, 0), &mut sums, [outer * inner, len], self.reverse)?;
            let back = Layout::contiguous(rows.dims()).transpose(self.dim, last);
            let back = back.map_err(|error| RocmError::from_candle(OP, error))?;
            copy::copy_strided(device, (&sums, &back), &mut out, 0)?;
            return Ok(out);
        }
        let copied = copy::contiguous(device, (src, layout))?;
        let src = copied.as_ref().map_or((src, layout.start_offset()), |whole| (whole, 0));
        if inner == 1 && len > SHORT {
            by_rows(device, src, &mut out, [outer, len], self.reverse)?;
        } else {
            by_columns(device, src, &mut out, [outer, len, inner], self.reverse)?;
        }
        Ok(out)
    }
}

fn by_rows<T: RocmDType>(
    device: &RocmDevice,
    (src, offset): (&Buffer<T>, usize),
    out: &mut Buffer<T>,
    [rows, len]: [usize; 2],
    reverse: bool,
) -> Result<(), RocmError> {
    // Few rows are cut, to have a few blocks for each compute unit.
    let blocks = 8 * device.hip_device().compute_units() as usize;
    let splits = (blocks / rows).clamp(1, len.div_ceil(PART));
    let part = if splits == 1 { len } else { len.div_ceil(splits).next_multiple_of(PART) };
    let splits = len.div_ceil(part);
    let config = LaunchConfig::looping(rows * splits, THREADS);
    // Sums have 8 bytes at most.
    let mut partial = (splits > 1).then(|| device.alloc::<f64>(rows * splits)).transpose()?;
    if let Some(partial) = &mut partial {
        let name = KernelName::new(format_args!("scan_sums_{}", T::KERNEL_DTYPE));
        let mut launch = device.launch(&SCAN, name.as_str());
        launch.arg(&rows).arg(&len).arg(&splits).arg(&part).buffer(src, offset);
        launch.buffer_mut(partial, 0).arg(&u32::from(reverse));
        // SAFETY: scan_sums_*(rows, len, splits, part, src, partial, reverse): the rows lie in src, and there is room for the sums.
        unsafe { launch.run(config) }?;
    }
    let name = KernelName::new(format_args!("scan_rows_{}", T::KERNEL_DTYPE));
    let mut launch = device.launch(&SCAN, name.as_str());
    launch.arg(&rows).arg(&len).arg(&splits).arg(&part).buffer(src, offset).buffer_mut(out, 0);
    match &partial {
        Some(partial) => launch.buffer(partial, 0),
        None => launch.null(),
    };
    launch.arg(&u32::from(reverse));
    // SAFETY: scan_rows_*(rows, len, splits, part, src, dst, partial, reverse): the rows lie in src and out, and of several parts
    // partial has the sums.
    unsafe { launch.run(config) }
}

fn by_columns<T: RocmDType>(
    device: &RocmDevice,
    (src, offset): (&Buffer<T>, usize),
    out: &mut Buffer<T>,
    [outer, len, inner]: [usize; 3],
    reverse: bool,
) -> Result<(), RocmError> {
    let name = KernelName::new(format_args!("scan_columns_{}", T::KERNEL_DTYPE));
    let mut launch = device.launch(&SCAN, name.as_str());
    launch.arg(&outer).arg(&len).arg(&inner).buffer(src, offset).buffer_mut(out, 0);
    launch.arg(&u32::from(reverse));
    // SAFETY: scan_columns_*(outer, len, inner, src, dst, reverse), of contiguous tensors of these dimensions.
    unsafe { launch.run(one_each(outer * inner)) }
}

#[cfg(candle_rocm_seam)]
mod fused {
    use candle_core::Result;

    use super::{CumSum, sums};
    use crate::common::fused::{Backward, Fused, Gradients};
    use crate::common::operand::slice;
    use crate::common::operation::One;

    impl Fused for CumSum {
        fn backward(&self, Backward { dy, .. }: Backward<'_, Self>) -> Result<Gradients<Self>> {
            let from_the_other_end = Self { reverse: !self.reverse, ..*self };
            let dx = sums(&dy.0.device, slice(dy)?, from_the_other_end)?;
            Ok(Some(One { x: Some(dy.0.with(dx)) }))
        }
    }
}
