//! Gradients of mixtures of experts; launches `moe.hip`.

use candle_core::backend::BackendStorage;
use candle_core::op::{Mul, ReduceOp};
use candle_core::{DType, Layout};
use rocm_kernels::MOE;

use super::{Dense, same_shape};
use crate::common::launch::KernelName;
use crate::common::operand::{Operand, contiguous, invalid, unsupported};
use crate::count::saturating;
use crate::dtype::each_16_or_32_bit_float;
use crate::elementwise::fill;
use crate::hip::LaunchConfig;
use crate::layout::copy::to_contiguous;
use crate::nn::experts::moe_gemm;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

const OP: &str = "moe backward";
/// Columns of a block, in both directions.
const TILE: usize = 64;

/// The gradients of the operands of [`moe_gemm`], as far as they were wanted.
#[derive(Debug, Default)]
pub struct MoeGradients {
    /// The gradient of the input.
    pub input: Option<RocmStorage>,
    /// The gradient of the experts' weights.
    pub weights: Option<RocmStorage>,
    /// The gradient of the rows' factors.
    pub factors: Option<RocmStorage>,
}

/// Computes the gradients of the operands of [`moe_gemm`], as far as they are wanted, from the gradient `dy` of its result. `wanted` refers
/// to `input`, `weights` and `factors`.
///
/// # Errors
/// As the forward pass, and if `dy` does not have the result's shape, dtype and device.
#[allow(clippy::too_many_arguments)]
pub fn moe_gemm_backward(
    input: Operand<'_>,
    weights: Operand<'_>,
    rows: Operand<'_>,
    experts: Operand<'_>,
    factors: Option<Operand<'_>>,
    topk: usize,
    dy: Operand<'_>,
    [of_input, of_weights, of_factors]: [bool; 3],
) -> Result<MoeGradients, RocmError> {
    let moe = Moe { input, weights, rows, experts, factors, topk };
    moe.check(dy)?;
    let dense = dense(dy)?;
    let dy = dense.as_ref().map_or(dy, |(storage, layout)| (storage, layout));
    Ok(MoeGradients {
        input: of_input.then(|| moe.of_input(dy)).transpose()?,
        weights: of_weights.then(|| moe.of_weights(dy)).transpose()?,
        factors: (of_factors && factors.is_some()).then(|| moe.of_factors(dy)).transpose()?,
    })
}

struct Moe<'a> {
    input: Operand<'a>,
    weights: Operand<'a>,
    rows: Operand<'a>,
    experts: Operand<'a>,
    factors: Option<Operand<'a>>,
    topk: usize,
}

impl Moe<'_> {
    fn device(&self) -> &RocmDevice {
        &self.input.0.device
    }

    /// Rows of the result.
    fn count(&self) -> usize {
        saturating(self.rows.1.dims())
    }

    /// What [`moe_gemm`] does not check.
    fn check(&self, dy: Operand<'_>) -> Result<(), RocmError> {
        let (&[_, n, _], &[_, _]) = (self.weights.1.dims(), self.input.1.dims()) else {
            let (input, weights) = (self.input.1.dims(), self.weights.1.dims());
            return invalid(
                OP,
                format!(
                    "expected an input of two and weights of three dimensions, got {input:?} and {weights:?}"
                ),
            );
        };
        self.device().check_same(&dy.0.device, OP)?;
        same_shape(OP, &Layout::contiguous((self.count(), n)), dy.1)
    }

    /// With factors, the product takes a row of its own for each row of the result.
    fn ones(&self) -> Result<(RocmStorage, Layout), RocmError> {
        let (device, layout) = (self.device(), Layout::contiguous(self.count()));
        let mut slice = RocmStorageSlice::zeros(device, self.count(), DType::F32)?;
        fill::const_set(device, &mut slice, 1f32.into(), &layout)?;
        Ok((RocmStorage::new(slice, device.clone()), layout))
    }

    /// Each row's gradient times its expert's weights; those of a token are added up.
    fn of_input(&self, dy: Operand<'_>) -> Result<RocmStorage, RocmError> {
        let transposed = self.weights.1.transpose(1, 2).map_err(from_candle)?;
        let copy = dense((self.weights.0, &transposed))?;
        let weights =
            copy.as_ref().map_or((self.weights.0, &transposed), |(storage, layout)| (storage, layout));
        let ones = if self.factors.is_some() { None } else { Some(self.ones()?) };
        let factors = self.factors.or(ones.as_ref().map(|(storage, layout)| (storage, layout)));
        let dx = moe_gemm(dy, weights, self.rows, self.experts, factors, self.topk)?;
        match *self.input.1.dims() {
            [tokens, k] if ones.is_some() && self.topk > 1 => {
                let by_token = Layout::contiguous((tokens, self.topk, k));
                dx.reduce_op(ReduceOp::Sum, &by_token, &[1]).map_err(from_candle)
            }
            _ => Ok(dx),
        }
    }

    /// The sum of each row of the unscaled product times the row's gradient.
    fn of_factors(&self, dy: Operand<'_>) -> Result<RocmStorage, RocmError> {
        let (ones, ones_l) = self.ones()?;
        let product =
            moe_gemm(self.input, self.weights, self.rows, self.experts, Some((&ones, &ones_l)), self.topk)?;
        let layout = Layout::contiguous(dy.1.shape());
        let wide = |x: &RocmStorage, l: &Layout| x.to_dtype(l, DType::F32).map_err(from_candle);
        let (product, dy) = (wide(&product, &layout)?, wide(dy.0, dy.1)?);
        let products = product.binary_impl::<Mul>(&dy, &layout, &layout).map_err(from_candle)?;
        products.reduce_op(ReduceOp::Sum, &layout, &[1]).map_err(from_candle)
    }

    fn of_weights(&self, dy: Operand<'_>) -> Result<RocmStorage, RocmError> {
        each_16_or_32_bit_float!(self.input.0.dtype(), T => self.products::<T>(dy), else {
            unsupported(OP, self.input.0)
        })
    }

    /// For each expert, the products of its rows' gradients and inputs.
    fn products<T: RocmDType>(&self, dy: Operand<'_>) -> Result<RocmStorage, RocmError> {
        let device = self.device();
        let (expert_count, n, k) = self.weights.1.shape().dims3().map_err(from_candle)?;
        let mut out = device.alloc::<T>(expert_count * n * k)?;
        if expert_count * n * k > 0 {
            let input = contiguous::<T>(OP, "the input", self.input.0, self.input.1)?;
            let dy = Dense::<T>::of(OP, device, dy)?;
            let name = KernelName::new(format_args!("moe_weights_{}", T::KERNEL_DTYPE));
            let mut launch = device.launch(&MOE, name.as_str());
            launch.buffer(input, self.input.1.start_offset());
            dy.bind(&mut launch);
            for (what, (list, layout)) in [("the rows", self.rows), ("the experts", self.experts)] {
                launch.buffer(contiguous::<u32>(OP, what, list, layout)?, layout.start_offset());
            }
            match self.factors {
                Some((factors, layout)) => launch
                    .buffer(contiguous::<f32>(OP, "the factors", factors, layout)?, layout.start_offset()),
                None => launch.null(),
            };
            launch.buffer_mut(&mut out, 0);
            for size in [self.count(), expert_count, self.topk, n, k] {
                launch.arg(&(size as u32));
            }
            let grid = [expert_count, n.div_ceil(TILE).min(65535), k.div_ceil(TILE).min(65535)];
            let config =
                LaunchConfig { grid: grid.map(|size| size as u32), block: [256, 1, 1], shared_bytes: 0 };
            // SAFETY: moe_weights_*(input, dy, rows, experts, factors, out, count, expert_count, topk, n, k): the forward pass
            // has checked input, lists and factors, dy is [count, n], out [expert_count, n, k].
            unsafe { launch.run(config) }?;
        }
        Ok(RocmStorage::new(T::wrap(out), device.clone()))
    }
}

fn from_candle(error: candle_core::Error) -> RocmError {
    RocmError::from_candle(OP, error)
}

/// A contiguous copy, unless the operand is contiguous.
fn dense((x, layout): Operand<'_>) -> Result<Option<(RocmStorage, Layout)>, RocmError> {
    if layout.is_contiguous() {
        return Ok(None);
    }
    let (slice, copied) = to_contiguous(OP, &x.device, (x.slice()?, layout))?;
    Ok(Some((RocmStorage::new(slice, x.device.clone()), copied)))
}

#[cfg(candle_rocm_seam)]
mod fused {
    use candle_core::{DType, Result, Shape};

    use super::moe_gemm_backward;
    use crate::common::fused::{Backward, Fused, Gradients};
    use crate::common::operand::Operand;
    use crate::count::saturating;
    use crate::dtype::DTypeExt;
    use crate::nn::experts::{Moe, Routed};

    impl Fused for Moe {
        fn takes(&self, first: DType) -> bool {
            first.is_16_or_32_bit_float()
        }

        fn shape(&self, operands: &Routed<Operand<'_>>) -> Shape {
            Shape::from((saturating(operands.rows.1.dims()), operands.weights.1.dims()[1]))
        }

        fn backward(&self, pass: Backward<'_, Self>) -> Result<Gradients<Self>> {
            let Routed { input, weights, rows, experts, factors } = pass.operands;
            let wanted = [pass.wanted.input, pass.wanted.weights, pass.wanted.factors.unwrap_or_default()];
            let of = moe_gemm_backward(input, weights, rows, experts, factors, self.topk, pass.dy, wanted)?;
            Ok(Some(Routed {
                input: of.input,
                weights: of.weights,
                rows: None,
                experts: None,
                factors: factors.map(|_| of.factors),
            }))
        }
    }
}
