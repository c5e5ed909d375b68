//! Mixtures of experts; launches `moe.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::MOE;

use crate::common::launch::KernelName;
use crate::common::operand::{Operand, contiguous, invalid, unsupported};
use crate::common::operation::{Described, Op, operands};
use crate::count::{elem_count, product};
use crate::dtype::{DTypeExt, each_16_or_32_bit_float};
use crate::hip::LaunchConfig;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

const OP: &str = "moe";

operands! {
    /// Those of [`moe_gemm`].
    Routed { input, weights, rows, experts; factors }
}

/// [`moe_gemm`].
#[derive(Clone, Copy)]
pub(crate) struct Moe {
    pub(crate) topk: usize,
}

impl Op for Moe {
    type Operands<T> = Routed<T>;

    fn name(&self) -> &'static str {
        OP
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.push(self.topk as u64);
    }

    fn result(&self, _: &RocmDevice, operands: Routed<Described<'_>>) -> Option<(usize, DType)> {
        let Routed { input, weights, rows, experts, factors } = operands;
        let (&[tokens, k], &[expert_count, n, weights_k]) = (input.dims(), weights.dims()) else {
            return None;
        };
        let count = if factors.is_some() { Some(tokens) } else { product(&[tokens, self.topk]) }?;
        let most = [count, expert_count, n, k, self.topk].into_iter().max()?;
        let fits = input.dtype.is_16_or_32_bit_float()
            && input.is_contiguous
            && weights.is_parameter(input.dtype, weights.len)
            && weights_k == k
            && [rows, experts].iter().all(|list| list.is_parameter(DType::U32, count))
            && factors.is_none_or(|list| list.is_parameter(DType::F32, count))
            && self.topk > 0
            && most <= i32::MAX as usize
            && n.div_ceil(FEW_COLUMNS) <= MOST_PARTS;
        Some((product(&[count, n])?, input.dtype)).filter(|_| fits)
    }

    fn run(&self, _: &RocmDevice, operands: Routed<Operand<'_>>) -> candle_core::Result<RocmStorageSlice> {
        let Routed { input, weights, rows, experts, factors } = operands;
        Ok(moe_gemm(input, weights, rows, experts, factors, self.topk)?.into_slice()?)
    }
}

/// Entries per expert from which on tiles pay: below, reading the weights is what takes the time.
const MANY: usize = 8;
const TILE: usize = 64;
const FEW_COLUMNS: usize = 32;
/// Blocks along a grid's y.
const MOST_PARTS: usize = 65535;

/// A mixture of experts, candle-nn's `moe_gemm`: each row of `input` times the transposed weights, `[experts, n, k]`, of its
/// experts. f32, f16 or bf16; all operands are contiguous.
///
/// `rows` and `experts` (u32) are lists of equal length, sorted by expert: output row `rows[i]` belongs to expert `experts[i]`. With
/// `factors` (f32), `input` is `[rows, k]`, one row per output row, and each output row is multiplied by its factor. Without,
/// `input` is `[rows / topk, k]`, one row per `topk` output rows. Output rows that no entry names are zeros.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] for other dtypes; otherwise if shapes, dtypes or devices do not fit, an operand is not contiguous,
/// or a dimension exceeds `i32::MAX`.
pub fn moe_gemm(
    input: (&RocmStorage, &Layout),
    weights: (&RocmStorage, &Layout),
    rows: (&RocmStorage, &Layout),
    experts: (&RocmStorage, &Layout),
    factors: Option<(&RocmStorage, &Layout)>,
    topk: usize,
) -> Result<RocmStorage, RocmError> {
    let lists = [Some(rows), Some(experts), factors];
    each_16_or_32_bit_float!(input.0.dtype(), T => multiply::<T>(input, weights, lists, topk), else {
        unsupported(OP, input.0)
    })
}

fn multiply<T: RocmDType>(
    input: (&RocmStorage, &Layout),
    weights: (&RocmStorage, &Layout),
    [rows, experts, factors]: [Option<(&RocmStorage, &Layout)>; 3],
    topk: usize,
) -> Result<RocmStorage, RocmError> {
    let device = &input.0.device;
    for (other, _) in [Some(weights), rows, experts, factors].into_iter().flatten() {
        device.check_same(&other.device, OP)?;
    }
    let (&[tokens, k], &[expert_count, n, weights_k]) = (input.1.dims(), weights.1.dims()) else {
        let (input, weights) = (input.1.dims(), weights.1.dims());
        return invalid(
            OP,
            format!(
                "expected an input of two and weights of three dimensions, got {input:?} and {weights:?}"
            ),
        );
    };
    let count = if factors.is_some() { tokens } else { elem_count(OP, &[tokens, topk])? };
    let mismatch = |other: &Layout| {
        Err(RocmError::ShapeMismatch { op: OP, lhs: input.1.dims().to_vec(), rhs: other.dims().to_vec() })
    };
    if weights_k != k {
        return mismatch(weights.1);
    }
    for (_, layout) in [rows, experts, factors].into_iter().flatten() {
        if elem_count(OP, layout.dims())? != count {
            return mismatch(layout);
        }
    }
    let most = [count, expert_count, n, k].into_iter().max().unwrap_or_default();
    if topk == 0 || most > i32::MAX as usize {
        return invalid(OP, format!("topk {topk} or a dimension of {most} is outside 1..={}", i32::MAX));
    }
    let (x, w) = (
        contiguous::<T>(OP, "the input", input.0, input.1)?,
        contiguous::<T>(OP, "the weights", weights.0, weights.1)?,
    );
    let mut out = device.alloc_zeros::<T>(elem_count(OP, &[count, n])?)?;
    if ![count, n, k, expert_count].contains(&0) {
        let many = count >= MANY * expert_count;
        let kind = if many { "many" } else { "few" };
        let name = KernelName::new(format_args!("moe_{kind}_{}", T::KERNEL_DTYPE));
        let mut launch = device.launch(&MOE, name.as_str());
        launch.buffer(x, input.1.start_offset()).buffer(w, weights.1.start_offset());
        for (what, list) in [("the rows", rows), ("the experts", experts)] {
            if let Some((list, layout)) = list {
                launch.buffer(contiguous::<u32>(OP, what, list, layout)?, layout.start_offset());
            }
        }
        match factors {
            Some((factors, layout)) => {
                launch.buffer(contiguous::<f32>(OP, "the factors", factors, layout)?, layout.start_offset())
            }
            None => launch.null(),
        };
        launch.buffer_mut(&mut out, 0);
        for size in [count, expert_count, topk, n, k] {
            launch.arg(&(size as u32));
        }
        let (grid, threads) = match many {
            // As many blocks in z as an expert with twice its share has tiles.
            true => ([expert_count, n.div_ceil(TILE), (2 * count / expert_count).div_ceil(TILE)], 256),
            false => ([count, n.div_ceil(FEW_COLUMNS), 1], 128),
        };
        if grid[1] > MOST_PARTS {
            return invalid(
                OP,
                format!("{n} columns exceed the kernel's limit of {}", MOST_PARTS * FEW_COLUMNS),
            );
        }
        let grid = [grid[0] as u32, grid[1] as u32, grid[2].min(MOST_PARTS) as u32];
        // SAFETY: moe_*(input, weights, rows, experts, factors, out, count, expert_count, topk, n, k): the lists have count
        // elements, input and weights those of their checked layouts, out count * n; the kernel skips rows and experts
        // beyond their number.
        unsafe { launch.run(LaunchConfig { grid, block: [threads, 1, 1], shared_bytes: 0 }) }?;
    }
    Ok(RocmStorage::new(T::wrap(out), device.clone()))
}
