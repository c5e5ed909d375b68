//! Sums, extremes and their indices along dimensions; launches `reduce.hip` and `columns.hip`.

pub(crate) mod candidates;
mod rows;
pub(crate) mod scan;
pub(crate) mod sort;
pub(crate) mod top_k;

use candle_core::op::ReduceOp;
use candle_core::{DType, Layout};
use rocm_kernels::{COLUMNS, REDUCE};
use smallvec::SmallVec;

use crate::common::arrivals::Arrivals;
use crate::common::launch::KernelName;
use crate::common::map::Map1Any;
use crate::common::operand::Operand;
use crate::common::operation::{Described, One, Op};
use crate::count::saturating;
use crate::hip::{Buffer, LaunchConfig};
use crate::tuning::Tuner;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorageSlice};
use candidates::{Candidate, Case, Form};
use rows::{Matrices, ReducedRows, WIDEST};

/// Threads per block: a multiple of both wavefront sizes.
pub(crate) const THREADS: usize = 256;

/// Bytes that a part of a row has at least, when rows are split: less would not pay for what merges them.
const PART_BYTES: usize = 8 << 10;

/// Bytes of a long row.
const LONG_ROW: usize = 8 << 10;

/// Bytes that a row has at least when it is split.
pub(crate) const SPLIT_BYTES: usize = 64 << 10;

/// Words reserved for the state of a part.
pub(crate) const STATE_WORDS: usize = 2;

/// Threads that share a contiguous row of `len` elements, with eight vectors of 16 bytes each: a part of a wavefront, or a
/// block of at most `most`.
pub(crate) fn threads_per_row(size: usize, len: usize, most: usize) -> usize {
    (len * size).div_ceil(16 * 8).next_power_of_two().clamp(2, most)
}

/// Rows of a block in which `threads` threads share one.
pub(crate) fn rows_per_block(device: &RocmDevice, threads: usize) -> usize {
    if threads > device.wavefront_size() as usize { 1 } else { THREADS / threads }
}

/// Blocks for `rows` rows, each shared by `threads` threads: a part of a wavefront, or the whole block.
pub(crate) fn rows_config(device: &RocmDevice, rows: usize, threads: usize) -> LaunchConfig {
    let per_block = rows_per_block(device, threads);
    let config = LaunchConfig::looping(rows.div_ceil(per_block), (threads * per_block) as u32);
    LaunchConfig { block: [threads as u32, per_block as u32, 1], ..config }
}

/// Into how many parts rows are cut so that `blocks` blocks become `per_unit` for each compute unit; parts have at least
/// `least` elements. 1: not at all.
pub(crate) fn splits(
    device: &RocmDevice,
    blocks: usize,
    per_unit: usize,
    row_len: usize,
    least: usize,
) -> usize {
    let enough = per_unit * device.hip_device().compute_units() as usize;
    enough.div_ceil(blocks.max(1)).min(row_len / least).max(1)
}

fn name(op: ReduceOp) -> &'static str {
    match op {
        ReduceOp::Sum => "sum",
        ReduceOp::Min => "min",
        ReduceOp::Max => "max",
        ReduceOp::ArgMin => "argmin",
        ReduceOp::ArgMax => "argmax",
    }
}

/// Rows, and how threads share them.
struct Shared<'a> {
    plan: &'a ReducedRows,
    /// Columns of matrices, and how many neighbouring vectors of `width` elements threads take.
    across: Option<(Matrices, usize)>,
    width: usize,
    /// That share a row.
    threads: usize,
}

/// A tensor reduced over dimensions, each of which then has size 1. As on candle's CPU, an index needs one dimension; sums and
/// extremes take any number. Without elements there is a sum, 0, and nothing else.
#[derive(Clone)]
pub(crate) struct Reduce {
    pub(crate) op: ReduceOp,
    pub(crate) dims: SmallVec<[usize; 4]>,
}

impl Op for Reduce {
    type Operands<T> = One<T>;

    fn name(&self) -> &'static str {
        name(self.op)
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.extend([self.op as u64, self.dims.len() as u64]);
        words.extend(self.dims.iter().map(|&dim| dim as u64));
    }

    fn result(&self, _: &RocmDevice, One { x }: One<Described<'_>>) -> Option<(usize, DType)> {
        let (dims, reduced) = (x.dims(), &self.dims);
        let distinct = reduced.iter().enumerate().all(|(i, d)| !reduced[..i].contains(d));
        if !distinct || reduced.iter().any(|&d| d >= dims.len()) {
            return None;
        }
        let row = saturating(&reduced.iter().map(|&d| dims[d]).collect::<SmallVec<[usize; 4]>>());
        let fits = row <= u32::MAX as usize && (reduced.len() == 1 || !self.returns_index());
        fits.then_some((x.len / row, if self.returns_index() { DType::U32 } else { x.dtype }))
    }

    fn run(
        &self,
        device: &RocmDevice,
        One { x: (x, layout) }: One<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice> {
        if self.returns_index() && self.dims.len() != 1 {
            let (op, dims) = (self.name(), self.dims.to_vec());
            return Err(candle_core::Error::OnlySingleDimension { op, dims }.bt());
        }
        if !matches!(self.op, ReduceOp::Sum) && layout.dims().contains(&0) {
            return Err(candle_core::Error::EmptyTensor { op: self.name() }.bt());
        }
        Ok(self.map(device, x.slice()?, layout)?)
    }
}

impl Reduce {
    fn returns_index(&self) -> bool {
        matches!(self.op, ReduceOp::ArgMin | ReduceOp::ArgMax)
    }
}

impl Map1Any for Reduce {
    fn op(&self) -> &'static str {
        self.name()
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        src: &Buffer<T>,
        layout: &Layout,
    ) -> Result<RocmStorageSlice, RocmError> {
        let plan = ReducedRows::new(self.op, layout, &self.dims, src.len())?;
        if self.returns_index() {
            if plan.row_len > u32::MAX as usize {
                let message = format!("indices of {} elements do not fit in u32", plan.row_len);
                return Err(RocmError::InvalidArgument { op: self.name(), message });
            }
            let mut out = device.alloc::<u32>(plan.rows)?;
            let mut unused = device.alloc::<T>(0)?;
            self.launch(device, &plan, src, layout, &mut unused, &mut out)?;
            return Ok(RocmStorageSlice::U32(out));
        }
        if plan.row_len == 0 {
            return Ok(T::wrap(device.alloc_zeros::<T>(plan.rows)?));
        }
        let mut out = device.alloc::<T>(plan.rows)?;
        let mut unused = device.alloc::<u32>(0)?;
        self.launch(device, &plan, src, layout, &mut out, &mut unused)?;
        Ok(T::wrap(out))
    }
}

impl Reduce {
    /// Into `out`, or into `indices` if that is what the operation gives.
    fn launch<T: RocmDType>(
        &self,
        device: &RocmDevice,
        plan: &ReducedRows,
        src: &Buffer<T>,
        layout: &Layout,
        out: &mut Buffer<T>,
        indices: &mut Buffer<u32>,
    ) -> Result<(), RocmError> {
        let &ReducedRows { rows, row_len, .. } = plan;
        if rows == 0 || row_len == 0 {
            return Ok(());
        }
        let size = size_of::<T>();
        let start = src.as_ptr().byte_add(layout.start_offset() * size);
        let width = (16 / size).min(WIDEST);
        let across = plan.matrices.and_then(|m| Some((m, m.across(start, row_len, size, width)?)));
        let long = row_len * size >= SPLIT_BYTES;
        // Joining indices costs more than joining values: fewer threads, with more each.
        let joined = if self.returns_index() && row_len * size >= LONG_ROW { 4 } else { 1 };
        let threads = plan.threads(size, row_len / joined);
        // What is best was measured. The kernel of extremes and indices has twice as much under way as that of sums.
        let (form, rule) = match self.op {
            _ if across.is_some() => (Form::Matrices, Candidate::Blocks3),
            _ if plan.columns => (Form::Columns, Candidate::Blocks8),
            // One block is through with a short row before others have handed over their parts.
            _ if !long => (Form::Rows, Candidate::Whole),
            ReduceOp::Sum => (Form::Rows, Candidate::Blocks3),
            _ => (Form::Rows, Candidate::Blocks2),
        };
        let parts = |per_unit| match across {
            Some((m, across)) => {
                let blocks = m.outer * m.inner.div_ceil(across * width);
                splits(device, blocks, per_unit, row_len, 8 * THREADS / across)
            }
            // A thread that has rows of its own reads its part slowly: 64 elements are many.
            None if plan.columns => splits(device, rows.div_ceil(THREADS), per_unit, row_len, 64),
            None => {
                let blocks = rows_config(device, rows, threads).grid[0] as usize;
                splits(device, blocks, per_unit, row_len, PART_BYTES / size)
            }
        };
        let shared = Shared { plan, across, width, threads };
        let tuner = if long || plan.columns { Tuner::of(device) } else { None };
        let Some(tuner) = tuner else {
            return self.launch_in(device, parts(rule.per_unit()), &shared, (src, layout), (out, indices));
        };
        let case = Case { op: self.op, size, form, rows, row_len };
        candidates::serve(tuner, device, case, rule, parts, |splits| {
            self.launch_in(device, splits, &shared, (src, layout), (out, indices))
        })
    }

    /// With each row cut into so many parts.
    fn launch_in<T: RocmDType>(
        &self,
        device: &RocmDevice,
        splits: usize,
        &Shared { plan, across, width, threads }: &Shared<'_>,
        (src, layout): (&Buffer<T>, &Layout),
        (out, indices): (&mut Buffer<T>, &mut Buffer<u32>),
    ) -> Result<(), RocmError> {
        let &ReducedRows { rows, row_len, num_dims, .. } = plan;
        let (numel, size) = (rows * row_len, size_of::<T>());
        let (fast, split, columns) = match self.op {
            ReduceOp::Sum => ("fast_sum", "split_sum", "columns_sum"),
            ReduceOp::Min => ("fast_min", "split_min", "columns_min"),
            ReduceOp::Max => ("fast_max", "split_max", "columns_max"),
            ReduceOp::ArgMin => ("fast_argmin", "split_min", "columns_min"),
            ReduceOp::ArgMax => ("fast_argmax", "split_max", "columns_max"),
        };
        if splits == 1 && across.is_none() {
            let name = KernelName::new(format_args!("{fast}_{}", T::KERNEL_DTYPE));
            let mut launch = device.launch(&REDUCE, name.as_str());
            launch.arg(&numel).arg(&row_len).arg(&num_dims).info(&plan.info);
            launch.buffer(src, layout.start_offset());
            if self.returns_index() {
                launch.buffer_mut(indices, 0)
            } else {
                launch.buffer_mut(out, 0)
            };
            // SAFETY: fast_*(numel, row_len, num_dims, info, src, out); the plan keeps reads inside src, and the
            // result has as many elements as there are rows.
            return unsafe { launch.run(rows_config(device, rows, threads)) };
        }
        let part = row_len.div_ceil(splits);
        let splits = row_len.div_ceil(part);
        let mut partial =
            device.alloc::<usize>(if splits == 1 { 0 } else { saturating(&[STATE_WORDS, splits, rows]) })?;
        if let Some((m, across)) = across {
            let name = KernelName::new(format_args!("{columns}_{}", T::KERNEL_DTYPE));
            let mut launch = device.launch(&COLUMNS, name.as_str());
            launch.arg(&m.outer).arg(&row_len).arg(&m.inner).arg(&m.outer_step).arg(&m.step);
            launch.buffer(src, layout.start_offset());
            if self.returns_index() {
                launch.null().buffer_mut(indices, 0);
            } else {
                launch.buffer_mut(out, 0).null();
            }
            launch.arg(&splits).arg(&part);
            if splits == 1 {
                launch.null();
            } else {
                launch.buffer_mut(&mut partial, 0);
            }
            let blocks = m.outer * m.inner.div_ceil(across * width) * splits;
            let config = LaunchConfig {
                block: [across as u32, (THREADS / across) as u32, 1],
                ..LaunchConfig::looping(blocks, THREADS as u32)
            };
            // SAFETY: columns_*(outer, len, inner, outer_step, step, src, out, indices, splits, part, partial): the plan
            // keeps reads inside src, vectors of it are aligned, out and partial are as below.
            unsafe { launch.run(config) }?;
        }
        if splits == 1 {
            return Ok(());
        }
        let name = KernelName::new(format_args!("{split}_{}", T::KERNEL_DTYPE));
        let wave = device.wavefront_size() as usize;
        let join_threads = match splits {
            _ if plan.columns => 1,
            ..256 => wave,
            _ => THREADS,
        };
        // Where a part has a block, the last one of a row merges them.
        let is_merged = !plan.columns && across.is_none();
        let least = if is_merged { 2 * wave } else { 1 };
        let part_threads = plan.threads(size, part).max(least);
        let mut arrivals = is_merged.then(|| Arrivals::of(device, rows)).transpose()?;
        let stages = [
            across.is_none().then(|| (0u32, rows_config(device, rows * splits, part_threads))),
            (!is_merged).then(|| (1, rows_config(device, rows, join_threads))),
        ];
        for (stage, config) in stages.into_iter().flatten() {
            let mut launch = device.launch(&REDUCE, name.as_str());
            launch.arg(&numel).arg(&row_len).arg(&num_dims).info(&plan.info);
            launch.buffer(src, layout.start_offset());
            if self.returns_index() {
                launch.null().buffer_mut(indices, 0);
            } else {
                launch.buffer_mut(out, 0).null();
            }
            launch.arg(&splits).arg(&part).buffer_mut(&mut partial, 0).arg(&stage);
            match arrivals.as_mut().and_then(|arrivals| arrivals.counters()) {
                Some(counters) => launch.buffer_mut(counters, 0),
                None => launch.null(),
            };
            // SAFETY: split_*(numel, row_len, num_dims, info, src, out, indices, splits, part, partial, stage, counters); as
            // above, partial has a state of 16 bytes for each part of each row, and counters a zero for each row.
            unsafe { launch.run(config) }?;
        }
        Ok(())
    }
}
