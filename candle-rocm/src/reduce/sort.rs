//! The indices that sort rows; launches `sort.hip`: sorting networks for the shortest rows, radix sorts for others.

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
/// The longest row for a sorting network, whose comparisons grow with the square of the logarithm; digits take as many steps for any row.
/// For an f32 of a row of 64, gfx1100's code has 86 vector and 20 LDS instructions in a network, and for one of 128 it has 119 and 30. By
/// digits it executes 158 and 38, and 87 and 19 for an f16, in rows that fill their lanes, which those of up to 32 do not.
const SHORT: usize = 64;
/// Elements that a block of a network sorts, and a thread's.
const SHORT_BLOCK: usize = 1024;
const SHORT_HELD: usize = 4;
/// Elements of a thread that sorts by digits, and the fewest threads for a row.
const HELD: usize = 16;
const LANES: usize = 4;
/// Threads of a block that sorts a part of a row, and elements that it sorts at once.
const THREADS: u32 = 256;
const TILE: usize = THREADS as usize * HELD;
/// Values of a digit of a long row's keys, and its bits.
const BINS: usize = 1 << DIGIT;
const DIGIT: usize = 8;
/// Parts of a row at most: each of their blocks adds up the counts of all.
const PARTS: usize = 256;
/// Rows of a grid at most.
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
        let columns = self.last_dim;
        let rows = Rows {
            device,
            src,
            offset: layout.start_offset(),
            rows: numel / columns,
            columns,
            descending: u32::from(!self.ascending),
        };
        if columns <= SHORT {
            rows.short(&mut out)?;
        } else if columns <= TILE {
            rows.whole(&mut out)?;
        } else {
            rows.in_parts(&mut out)?;
        }
        Ok(RocmStorageSlice::U32(out))
    }
}

/// Rows to sort, one behind the other.
struct Rows<'a, T: RocmDType> {
    device: &'a RocmDevice,
    src: &'a Buffer<T>,
    offset: usize,
    rows: usize,
    columns: usize,
    descending: u32,
}

impl<T: RocmDType> Rows<'_, T> {
    /// Each by a few lanes of a wavefront.
    fn short(&self, out: &mut Buffer<u32>) -> Result<(), RocmError> {
        let padded = self.columns.next_power_of_two().max(SHORT_HELD);
        let name = KernelName::new(format_args!("sort_short_{}", T::KERNEL_DTYPE));
        let mut launch = self.device.launch(&SORT, name.as_str());
        launch.buffer(self.src, self.offset).buffer_mut(out, 0).arg(&self.rows).arg(&(self.columns as u32));
        launch.arg(&(padded as u32)).arg(&self.descending);
        let blocks = self.rows.div_ceil(SHORT_BLOCK / padded);
        // SAFETY: sort_short_*(x, dst, rows, columns, padded, descending); both buffers have `rows` rows.
        unsafe { launch.run(LaunchConfig::looping(blocks, THREADS)) }
    }

    /// Each by a block, or by a part of one.
    fn whole(&self, out: &mut Buffer<u32>) -> Result<(), RocmError> {
        let lanes = self.columns.div_ceil(HELD).next_power_of_two().max(LANES);
        let threads = if lanes <= 64 { 64 } else { THREADS };
        let name = KernelName::new(format_args!("sort_rows_{threads}_{}", T::KERNEL_DTYPE));
        let mut launch = self.device.launch(&SORT, name.as_str());
        launch.buffer(self.src, self.offset).buffer_mut(out, 0).arg(&self.rows).arg(&(self.columns as u32));
        launch.arg(&lanes.ilog2()).arg(&self.descending);
        let blocks = self.rows.div_ceil(threads as usize / lanes);
        // SAFETY: sort_rows_*(x, dst, rows, columns, lanes_log2, descending); both buffers have `rows` rows, and the lanes of a
        // row hold its elements.
        unsafe { launch.run(LaunchConfig::looping(blocks, threads)) }
    }

    /// Each by many blocks: one launch for each digit of the keys, and one that counts the first digits.
    fn in_parts(&self, out: &mut Buffer<u32>) -> Result<(), RocmError> {
        let (device, columns) = (self.device, self.columns as u32);
        let passes = size_of::<T>() * 8 / DIGIT;
        let part = self.columns.div_ceil(PARTS).next_power_of_two().max(TILE);
        let (parts, part_log2) = (self.columns.div_ceil(part), part.ilog2());
        let of_pass = self.rows * parts * BINS;
        let config = LaunchConfig {
            grid: [parts as u32, self.rows.min(ROWS) as u32, 1],
            block: [THREADS, 1, 1],
            shared_bytes: 0,
        };

        let mut counts = device.alloc::<u32>(passes * of_pass)?;
        let name = KernelName::new(format_args!("sort_count_{}", T::KERNEL_DTYPE));
        let mut launch = device.launch(&SORT, name.as_str());
        launch.buffer(self.src, self.offset).buffer_mut(&mut counts, 0).arg(&self.rows).arg(&columns);
        launch.arg(&part_log2).arg(&(passes as u32)).arg(&self.descending);
        // SAFETY: sort_count_*(x, counts, rows, columns, part_log2, passes, descending); a block for each part of a row, and room
        // for their counts in each pass.
        unsafe { launch.run(config) }?;

        let name = KernelName::new(format_args!("sort_digit_{}", T::KERNEL_DTYPE));
        // What the pass before has written, and what that one has read.
        let (mut sorted, mut spare) = (None::<Pairs<T>>, None);
        for pass in 0..passes {
            let last = pass + 1 == passes;
            let mut to = match spare.take() {
                _ if last => None,
                None => Some(Pairs::new(device, out.len())?),
                spare => spare,
            };
            let mut launch = device.launch(&SORT, name.as_str());
            launch.buffer(self.src, self.offset);
            match &sorted {
                Some(pairs) => launch.buffer(&pairs.keys, 0).buffer(&pairs.indices, 0),
                None => launch.null().null(),
            };
            match &mut to {
                Some(pairs) => launch.buffer_mut(&mut pairs.keys, 0).buffer_mut(&mut pairs.indices, 0),
                None => launch.null().buffer_mut(out, 0),
            };
            launch.buffer(&counts, pass * of_pass);
            if last {
                launch.null()
            } else {
                launch.buffer_mut(&mut counts, (pass + 1) * of_pass)
            };
            launch.arg(&self.rows).arg(&columns).arg(&part_log2);
            launch.arg(&((pass * DIGIT) as u32)).arg(&self.descending);
            // SAFETY: sort_digit_*(x, keys, indices, to_keys, to_indices, counts, next_counts, rows, columns, part_log2, shift,
            // descending); all elements have a key and an index, and the counts of this pass are those of the parts.
            unsafe { launch.run(config) }?;
            spare = std::mem::replace(&mut sorted, to);
        }
        Ok(())
    }
}

/// The keys of all rows, and the indices of their elements. Keys have the size of elements.
struct Pairs<T: RocmDType> {
    keys: Buffer<T>,
    indices: Buffer<u32>,
}

impl<T: RocmDType> Pairs<T> {
    fn new(device: &RocmDevice, len: usize) -> Result<Self, RocmError> {
        Ok(Self { keys: device.alloc(len)?, indices: device.alloc(len)? })
    }
}

#[cfg(candle_rocm_seam)]
impl crate::common::fused::Fused for ArgSort {}
