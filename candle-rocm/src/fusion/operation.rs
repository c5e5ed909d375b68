//! What can be recorded: an operation as data, what its result will be, and how it runs by itself.

use std::sync::Arc;

use candle_core::DType;
use candle_core::op::{CmpOp, ReduceOp};
use smallvec::SmallVec;

use super::external::External;
use super::graph::{Recordable, Recorded, View};
use super::key;
use crate::common::map::Map2;
use crate::common::operand::Operand;
use crate::count::{elem_count, saturating};
use crate::dtype::DTypeExt;
use crate::elementwise::{affine, binary, cast, ternary, unary};
use crate::layout::copy;
use crate::matmul::MatMul;
use crate::nn::group_norm::{Groups, group_norm};
use crate::nn::norm::{layer_norm, rms_norm};
use crate::nn::rotary::Arrangement;
use crate::nn::softmax::softmax_last_dim;
use crate::quantized::{PRODUCT, QMatrix};
use crate::storage_slice::each_dtype;
use crate::{GemmEngine, RocmDevice, RocmError, RocmStorage, RocmStorageSlice, reduce};

/// An operation without its operands.
#[derive(Clone)]
#[cfg_attr(not(candle_rocm_seam), allow(dead_code, reason = "stock candle does not offer all of them"))]
pub(crate) enum Operation {
    Affine { mul: f64, add: f64 },
    Powf(f64),
    Elu(f64),
    Unary { op: &'static str, kernel: &'static str },
    Binary { op: &'static str, kernel: &'static str },
    Compare(CmpOp),
    Cast(DType),
    WhereCond,
    Copy,
    Reduce { op: ReduceOp, dims: SmallVec<[usize; 4]> },
    MatMul(MatMul),
    Softmax,
    RmsNorm { eps: f32 },
    LayerNorm { eps: f32 },
    GroupNorm { groups: usize, eps: f64 },
    Rope(Arrangement),
    Cat { dim: usize },
    QMatMul(QMatrix),
    External(External),
}

impl Operation {
    /// For errors and profiles.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Affine { .. } => "affine",
            Self::Powf(_) => "powf",
            Self::Elu(_) => "elu",
            Self::Unary { op, .. } | Self::Binary { op, .. } => op,
            Self::Compare(_) => "cmp",
            Self::Cast(_) => "to_dtype",
            Self::WhereCond => "where_cond",
            Self::Copy => "copy_strided_src",
            Self::Reduce { op, .. } => reduce::name(*op),
            Self::MatMul(_) => "matmul",
            Self::Softmax => "softmax-last-dim",
            Self::RmsNorm { .. } => "rms-norm",
            Self::LayerNorm { .. } => "layer-norm",
            Self::GroupNorm { .. } => "group-norm",
            Self::Rope(Arrangement::Halves) => "rope",
            Self::Rope(Arrangement::Neighbours) => "rope-i",
            Self::Rope(Arrangement::Thd) => "rope-thd",
            Self::Cat { .. } => "cat",
            Self::QMatMul(_) => PRODUCT,
            Self::External(external) => external.op.name(),
        }
    }

    /// Bytes of weights that it reads besides its operands.
    pub(super) fn weights(&self, device: &RocmDevice) -> usize {
        match self {
            Self::QMatMul(weights) => weights.on(device).size_in_bytes(),
            _ => 0,
        }
    }

    /// Runs it by itself.
    ///
    /// # Errors
    /// The operation's own.
    pub(super) fn run(
        &self,
        device: &RocmDevice,
        operands: &[Operand<'_>],
    ) -> candle_core::Result<RocmStorageSlice> {
        let of = |i: usize| {
            let (storage, layout) = operands[i];
            Ok::<_, RocmError>((storage.slice()?, layout))
        };
        let (x, layout) = operands[0];
        let slice = x.slice()?;
        Ok(match self {
            Self::Affine { mul, add } => affine::affine(device, slice, layout, *mul, *add),
            Self::Powf(e) => unary::powf(device, slice, layout, *e),
            Self::Elu(alpha) => unary::elu(device, slice, layout, *alpha),
            Self::Unary { op, kernel } => unary::unary(device, op, kernel, slice, layout),
            Self::Binary { op, kernel } => binary::binary(device, op, kernel, (slice, layout), of(1)?),
            Self::Compare(op) => binary::compare(device, *op, (slice, layout), of(1)?),
            Self::Cast(dtype) => cast::cast(device, slice, layout, *dtype),
            Self::WhereCond => ternary::where_cond(device, (slice, layout), of(1)?, of(2)?),
            Self::Copy => Ok(copy::to_contiguous(self.name(), device, (slice, layout))?.0),
            Self::Reduce { op, dims } => return reduce::reduce(device, slice, layout, *op, dims),
            Self::MatMul(matmul) => {
                let (rhs, rhs_l) = of(1)?;
                matmul.map(device, (slice, layout), (rhs, rhs_l))
            }
            Self::Softmax => softmax_last_dim(x, layout)?.into_slice(),
            Self::RmsNorm { eps } => rms_norm(x, layout, Some(operands[1]), *eps)?.into_slice(),
            Self::LayerNorm { eps } => {
                layer_norm(x, layout, Some(operands[1]), Some(operands[2]), *eps)?.into_slice()
            }
            &Self::GroupNorm { groups, eps } => {
                group_norm(x, layout, operands[1], operands[2], groups, eps)?.into_slice()
            }
            Self::Rope(arrangement) => arrangement.rotate(x, layout, operands[1], operands[2])?.into_slice(),
            Self::Cat { dim } => RocmStorage::cat(operands, *dim)?.into_slice(),
            Self::QMatMul(weights) => weights.on(device).forward(weights.shape(), x, layout)?.into_slice(),
            Self::External(external) => return external.op.run(device, slice, layout),
        }?)
    }

    /// Elements and dtype of the result; `None` if the operation might be refused, or is nothing to wait for.
    pub(super) fn result(&self, device: &RocmDevice, operands: &[Recorded]) -> Option<(usize, DType)> {
        let (x, view) = &operands[0];
        let (dtype, dims, numel) = (x.dtype(), view.dims(), view.len());
        let within = operands.iter().all(|(value, view)| view.is_within(value.len()));
        if !within || numel == 0 || !has_elements(dtype) {
            return None;
        }
        let same_dims = |other: &Arc<View>| Arc::ptr_eq(other, view) || other.dims() == dims;
        let like = |others: &[Recorded]| {
            others.iter().all(|(value, other)| value.dtype() == dtype && same_dims(other))
        };
        let floats = || dtype.is_16_to_64_bit_float();
        // A parameter of rows: an element for each column.
        let columns = |parameters: &[Recorded]| {
            parameters.iter().all(|(value, of)| {
                value.dtype() == dtype && of.is_contiguous() && Some(&of.len()) == dims.last()
            })
        };
        let rows =
            || floats() && view.is_contiguous() && dims.last().is_some_and(|&len| len <= i32::MAX as usize);
        match self {
            Self::Affine { .. } | Self::Copy => Some((numel, dtype)),
            Self::Powf(_) | Self::Elu(_) => dtype.is_float().then_some((numel, dtype)),
            Self::Unary { kernel, .. } => unary::takes(kernel, dtype).then_some((numel, dtype)),
            Self::Binary { .. } => like(&operands[1..]).then_some((numel, dtype)),
            Self::Compare(_) => like(&operands[1..]).then_some((numel, DType::U8)),
            Self::Cast(to) => has_elements(*to).then_some((numel, *to)),
            Self::WhereCond => {
                let ((t, t_view), (f, f_view)) = (&operands[1], &operands[2]);
                let fits = !dtype.is_float()
                    && has_elements(t.dtype())
                    && t.dtype() == f.dtype()
                    && same_dims(t_view)
                    && same_dims(f_view);
                fits.then_some((numel, t.dtype()))
            }
            Self::Reduce { op, dims: reduced } => {
                let distinct = reduced.iter().enumerate().all(|(i, d)| !reduced[..i].contains(d));
                if !distinct || reduced.iter().any(|&d| d >= dims.len()) {
                    return None;
                }
                let row = saturating(&reduced.iter().map(|&d| dims[d]).collect::<SmallVec<[usize; 4]>>());
                let of_index = matches!(op, ReduceOp::ArgMin | ReduceOp::ArgMax);
                let fits = row <= u32::MAX as usize && (reduced.len() == 1 || !of_index);
                fits.then_some((numel / row, if of_index { DType::U32 } else { dtype }))
            }
            Self::MatMul(matmul) => {
                let (rhs, rhs_view) = &operands[1];
                // Who insists on rocBLAS gets it, or an error.
                let fits = rhs.dtype() == dtype && device.gemm_engine() != GemmEngine::Rocblas;
                fits.then_some((matmul.elements(view, rhs_view)?, dtype))
            }
            Self::Softmax => rows().then_some((numel, dtype)),
            Self::RmsNorm { .. } | Self::LayerNorm { .. } => {
                (rows() && columns(&operands[1..])).then_some((numel, dtype))
            }
            &Self::GroupNorm { groups, .. } => {
                let Groups { channels, .. } = Groups::of(self.name(), view, groups).ok()?;
                let of_channels = |(value, of): &Recorded| {
                    value.dtype() == dtype && of.is_contiguous() && of.len() == channels
                };
                let fits = floats() && view.is_contiguous() && operands[1..].iter().all(of_channels);
                fits.then_some((numel, dtype))
            }
            Self::Rope(arrangement) => {
                let of_x = |(value, of): &Recorded| value.dtype() == dtype && of.is_contiguous();
                let fits = floats()
                    && view.is_contiguous()
                    && of_x(&operands[1])
                    && of_x(&operands[2])
                    && numel <= u32::MAX as usize
                    && arrangement.fits(view, &operands[1].1, &operands[2].1);
                fits.then_some((numel, dtype))
            }
            Self::Cat { dim } => {
                let mut all: SmallVec<[usize; 8]> = dims.into();
                *all.get_mut(*dim)? = 0;
                for (value, of) in operands {
                    let same = |(i, (a, b)): (usize, (&usize, &usize))| i == *dim || a == b;
                    if value.dtype() != dtype
                        || of.dims().len() != dims.len()
                        || !of.dims().iter().zip(dims).enumerate().all(same)
                    {
                        return None;
                    }
                    all[*dim] = all[*dim].checked_add(of.dims()[*dim])?;
                }
                Some((elem_count(self.name(), &all).ok()?, dtype))
            }
            Self::QMatMul(weights) => {
                let elements = weights.elements(dtype, view)?;
                view.is_contiguous().then_some((elements, dtype))
            }
            Self::External(external) => external.result(dtype, view.is_contiguous()),
        }
    }
}

impl Recordable for Operation {
    /// Such an operation runs soon, and in the order of the calls.
    fn has_effects(&self) -> bool {
        matches!(self, Self::External(_))
    }

    fn write_key(&self, words: &mut Vec<u64>) {
        key::write(self, words);
    }
}

/// Whether kernels compute with this dtype.
fn has_elements(dtype: DType) -> bool {
    each_dtype!(dtype, _T => true, else false)
}
