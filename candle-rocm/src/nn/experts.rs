//! Mixtures of experts; launches `moe.hip` and, for many rows on matrix cores, `moe_matrix.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::{MOE, MOE_MATRIX};

use crate::common::launch::KernelName;
use crate::common::operand::{Operand, contiguous, invalid, unsupported};
use crate::common::operation::{Described, Op, operands};
use crate::count::{elem_count, product};
use crate::dtype::{DTypeExt, each_16_or_32_bit_float};
use crate::hip::{Buffer, LaunchConfig};
use crate::indexing::ExpertTiles;
use crate::{Launch, RocmDType, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

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

/// Mixture of experts, as candle-nn's `moe_gemm`: multiplies each row of `input` by the transposed weights, `[experts, n, k]`, of its
/// experts. Operands are f32, f16 or bf16, and contiguous.
///
/// `rows` and `experts` (u32) are lists of equal length, sorted by expert: output row `rows[i]` belongs to expert `experts[i]`. With
/// `factors` (f32), `input` is `[rows, k]`, with one row per output row, and each output row is multiplied by its factor. Without
/// `factors`, `input` is `[rows / topk, k]`, with one row per `topk` output rows. Output rows that no entry names are zero.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] for other dtypes; otherwise if shapes, dtypes or devices do not match, an operand is not contiguous, or
/// a dimension exceeds `i32::MAX`.
pub fn moe_gemm(
    input: (&RocmStorage, &Layout),
    weights: (&RocmStorage, &Layout),
    rows: (&RocmStorage, &Layout),
    experts: (&RocmStorage, &Layout),
    factors: Option<(&RocmStorage, &Layout)>,
    topk: usize,
) -> Result<RocmStorage, RocmError> {
    each_16_or_32_bit_float!(input.0.dtype(), T => multiply::<T>(input, weights, rows, experts, factors, topk), else {
        unsupported(OP, input.0)
    })
}

fn multiply<T: RocmDType>(
    input: (&RocmStorage, &Layout),
    weights: (&RocmStorage, &Layout),
    rows: (&RocmStorage, &Layout),
    experts: (&RocmStorage, &Layout),
    factors: Option<(&RocmStorage, &Layout)>,
    topk: usize,
) -> Result<RocmStorage, RocmError> {
    let device = &input.0.device;
    for (other, _) in [Some(weights), Some(rows), Some(experts), factors].into_iter().flatten() {
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
    for (_, layout) in [Some(rows), Some(experts), factors].into_iter().flatten() {
        if elem_count(OP, layout.dims())? != count {
            return mismatch(layout);
        }
    }
    let most = [count, expert_count, n, k].into_iter().max().unwrap_or_default();
    if topk == 0 || most > i32::MAX as usize {
        return invalid(OP, format!("topk {topk} or a dimension of {most} is outside 1..={}", i32::MAX));
    }
    let mixture = Mixture {
        device,
        input: elements::<T>("the input", input)?,
        weights: elements::<T>("the weights", weights)?,
        rows: elements("the rows", rows)?,
        experts: elements("the experts", experts)?,
        factors: factors.map(|factors| elements("the factors", factors)).transpose()?,
        sizes: [count, expert_count, topk, n, k],
    };
    let mut out = device.alloc_zeros::<T>(elem_count(OP, &[count, n])?)?;
    if ![count, n, k, expert_count].contains(&0) {
        match mixture.matrix_tiles() {
            Some(side) => mixture.on_matrix_cores(side, &mut out)?,
            None => mixture.by_rows(&mut out)?,
        }
    }
    Ok(RocmStorage::new(T::wrap(out), device.clone()))
}

/// A contiguous operand, and where it begins.
fn elements<'a, T: RocmDType>(
    what: &str,
    (operand, layout): (&'a RocmStorage, &Layout),
) -> Result<(&'a Buffer<T>, usize), RocmError> {
    Ok((contiguous::<T>(OP, what, operand, layout)?, layout.start_offset()))
}

/// Contiguous operands, with their offsets.
struct Mixture<'a, T: RocmDType> {
    device: &'a RocmDevice,
    input: (&'a Buffer<T>, usize),
    weights: (&'a Buffer<T>, usize),
    rows: (&'a Buffer<u32>, usize),
    experts: (&'a Buffer<u32>, usize),
    factors: Option<(&'a Buffer<f32>, usize)>,
    /// Rows of the result, experts, experts of a row of the input, columns of the result and of the input.
    sizes: [usize; 5],
}

impl<T: RocmDType> Mixture<'_, T> {
    /// Whether reading the weights takes less time than multiplying.
    fn is_many(&self) -> bool {
        let [count, expert_count, ..] = self.sizes;
        count >= MANY * expert_count
    }

    /// The side of tiles on matrix cores, if they serve these operands.
    fn matrix_tiles(&self) -> Option<usize> {
        let [count, expert_count, _, n, k] = self.sizes;
        // As matrix_tiles.h loads them.
        let aligned = [k, self.input.1, self.weights.1].iter().all(|elements| elements.is_multiple_of(8));
        let serves = self.device.uses_matrix_cores(T::DTYPE)
            && self.is_many()
            && aligned
            && expert_count <= ExpertTiles::MOST
            && count / 64 + expert_count < MOST_PARTS;
        // Large ones where they are mostly used and keep most compute units busy.
        let tiles = count.div_ceil(128) * n.div_ceil(128);
        let busy = 4 * tiles >= 3 * self.device.hip_device().compute_units() as usize;
        serves.then_some(if count / expert_count > 96 && busy { 128 } else { 64 })
    }

    /// Rows of one expert together, in tiles.
    fn on_matrix_cores(&self, side: usize, out: &mut Buffer<T>) -> Result<(), RocmError> {
        let [count, expert_count, _, n, _] = self.sizes;
        let grouped =
            ExpertTiles::new(self.device, self.experts, Some(self.rows), (count, expert_count), side)?;
        let name = KernelName::new(format_args!("moe_matrix_{side}_{}", T::KERNEL_DTYPE));
        let mut launch = self.device.launch(&MOE_MATRIX, name.as_str());
        launch.buffer(self.input.0, self.input.1).buffer(self.weights.0, self.weights.1);
        launch.buffer(&grouped.order, 0).buffer(&grouped.tiles, 0);
        self.add_rest(&mut launch, out);
        let threads = if side == 128 { self.device.matrix_tile_threads() } else { 128 };
        let grid = [n.div_ceil(side) as u32, grouped.count as u32, 1];
        // SAFETY: moe_matrix_*(input, weights, order, tiles, factors, out, count, expert_count, topk, n, k): order and factors have count
        // elements, input and weights those of their checked layouts, in aligned rows, out count * n; the kernel skips rows and
        // experts beyond their number.
        unsafe { launch.run(LaunchConfig { grid, block: [threads, 1, 1], shared_bytes: 0 }) }
    }

    /// Rows by themselves if there are few for each expert, else in tiles of 64, in f32.
    fn by_rows(&self, out: &mut Buffer<T>) -> Result<(), RocmError> {
        let ([count, expert_count, _, n, _], many) = (self.sizes, self.is_many());
        let kind = if many { "many" } else { "few" };
        let name = KernelName::new(format_args!("moe_{kind}_{}", T::KERNEL_DTYPE));
        let mut launch = self.device.launch(&MOE, name.as_str());
        launch.buffer(self.input.0, self.input.1).buffer(self.weights.0, self.weights.1);
        launch.buffer(self.rows.0, self.rows.1).buffer(self.experts.0, self.experts.1);
        self.add_rest(&mut launch, out);
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
        unsafe { launch.run(LaunchConfig { grid, block: [threads, 1, 1], shared_bytes: 0 }) }
    }

    /// The parameters from the factors on.
    fn add_rest(&self, launch: &mut Launch<'_>, out: &mut Buffer<T>) {
        match self.factors {
            Some((factors, offset)) => launch.buffer(factors, offset),
            None => launch.null(),
        };
        launch.buffer_mut(out, 0);
        for size in self.sizes {
            launch.arg(&(size as u32));
        }
    }
}
