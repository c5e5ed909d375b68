//! Mixtures of experts; launches `moe.hip`.

use candle_core::Layout;
use rocm_kernels::MOE;

use crate::common::launch::KernelName;
use crate::common::operand::{contiguous, invalid, unsupported};
use crate::count::elem_count;
use crate::dtype::each_16_or_32_bit_float;
use crate::hip::LaunchConfig;
use crate::{RocmDType, RocmError, RocmStorage};

const OP: &str = "moe_gemm";

/// Entries per expert from which on tiles pay: below, reading the weights is what takes the time.
const MANY: usize = 8;
const TILE: usize = 64;
const FEW_COLUMNS: usize = 32;

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
        if grid[1] > 65535 {
            return invalid(OP, format!("{n} columns exceed the kernel's limit of {}", 65535 * FEW_COLUMNS));
        }
        let grid = [grid[0] as u32, grid[1] as u32, grid[2].min(65535) as u32];
        // SAFETY: moe_*(input, weights, rows, experts, factors, out, count, expert_count, topk, n, k): the lists have count
        // elements, input and weights those of their checked layouts, out count * n; the kernel skips rows and experts
        // beyond their number.
        unsafe { launch.run(LaunchConfig { grid, block: [threads, 1, 1], shared_bytes: 0 }) }?;
    }
    Ok(RocmStorage::new(T::wrap(out), device.clone()))
}

#[cfg(candle_rocm_seam)]
pub(crate) mod fused {
    use candle_core::{Result, Shape};

    use super::{OP, moe_gemm};
    use crate::RocmStorage;
    use crate::common::fused::{Backward, Fused, has_products};
    use crate::common::operand::Operand;
    use crate::count::elem_count;
    use crate::nn::moe_gemm_backward;

    pub(crate) struct Moe {
        pub(crate) topk: usize,
    }

    impl Fused for Moe {
        fn forward(&self, args: &[Operand<'_>]) -> Result<Option<(RocmStorage, Shape)>> {
            match args {
                [x, weights, rows, experts, factors @ ..] if has_products(x.0) => {
                    let factors = factors.first().copied();
                    let y = moe_gemm(*x, *weights, *rows, *experts, factors, self.topk)?;
                    let count = elem_count(OP, rows.1.dims())?;
                    Ok(Some((y, Shape::from((count, weights.1.dims()[1])))))
                }
                _ => Ok(None),
            }
        }

        fn backward(&self, pass: &Backward<'_>) -> Result<Option<Vec<Option<RocmStorage>>>> {
            let ([x, weights, rows, experts, factors @ ..], &[of_x, of_weights, _, _, ref of_factors @ ..]) =
                (pass.args, pass.wanted)
            else {
                return Ok(None);
            };
            if !has_products(x.0) {
                return Ok(None);
            }
            let factors = factors.first().copied();
            let wanted = [of_x, of_weights, of_factors.first().copied().unwrap_or_default()];
            let of = moe_gemm_backward(*x, *weights, *rows, *experts, factors, self.topk, pass.dy, wanted)?;
            let mut gradients = vec![of.input, of.weights, None, None];
            gradients.extend(factors.map(|_| of.factors));
            Ok(Some(gradients))
        }
    }
}
