//! Gradients of operations that a backend computes as a whole.

use std::sync::{Arc, OnceLock};

use super::custom::{operands_of, take};
use super::FusedOp;
use crate::op::{BackpropOp, Op};
use crate::{Result, Storage, Tensor};

/// The backward pass of an operation, for [`offer_with_gradient`].
pub trait Gradient: Send + Sync {
    /// Computes the gradients of the operands from the operands, the result and the result's gradient. candle needs one for each operand
    /// with `track_op()`, in that operand's shape and dtype.
    fn backward(&self, args: &[Tensor], result: &Tensor, grad: &Tensor) -> Result<Vec<Option<Tensor>>>;
}

/// As [`offer`](super::offer), with a result through which `backward` works. Also `None` if [`differentiable_gradients`] is set: the
/// operation must then be composed of others.
pub fn offer_with_gradient(
    op: &FusedOp<'_>,
    args: &[&Tensor],
    gradient: impl Gradient + 'static,
) -> Result<Option<Tensor>> {
    let tracked = args.iter().any(|arg| arg.track_op());
    if tracked && differentiable_gradients() || !args.iter().all(|arg| arg.device().is_rocm()) {
        return Ok(None);
    }
    let guards: Vec<_> = args.iter().map(|arg| arg.storage_and_layout()).collect();
    let result = take(op, &operands_of(&guards))?;
    Ok(result.map(|(storage, shape)| {
        let gradient: Arc<dyn Gradient> = Arc::new(gradient);
        let op = BackpropOp::new(args, |args| Op::Fused(args, gradient.clone()));
        Tensor::from_storage(Storage::Rocm(storage), shape, op, false)
    }))
}

/// Computes the gradients of a fused operation's operands with `track_op()`, if all tensors are on a ROCm device whose backend has kernels
/// for them; otherwise `None`. The gradients have no gradients themselves.
pub fn offer_backward(
    op: &FusedOp<'_>,
    args: &[&Tensor],
    result: &Tensor,
    grad: &Tensor,
) -> Result<Option<Vec<Option<Tensor>>>> {
    let tensors: Vec<&Tensor> = args.iter().copied().chain([result, grad]).collect();
    let first = args[0].device();
    if differentiable_gradients() || !first.is_rocm() || !tensors.iter().all(|t| first.same_device(t.device())) {
        return Ok(None);
    }
    let guards: Vec<_> = tensors.iter().map(|t| t.storage_and_layout()).collect();
    let operands = operands_of(&guards);
    let (args_there, [result, grad]) = operands.split_at(args.len()) else {
        return Ok(None);
    };
    let wanted: Vec<bool> = args.iter().map(|arg| arg.track_op()).collect();
    let device = result.0.device();
    let gradients = device.erased().fused_backward(op, args_there, *result, *grad, &wanted)?;
    op.count_backward(gradients.is_some());
    let Some(gradients) = gradients else {
        return Ok(None);
    };
    let of = |(gradient, arg): (Option<_>, &&Tensor)| {
        let storage = Storage::Rocm(device.own(gradient?));
        Some(Tensor::from_storage(storage, arg.shape(), BackpropOp::none(), false))
    };
    Ok(Some(gradients.into_iter().zip(args).map(of).collect()))
}

/// Whether gradients must themselves have gradients (`CANDLE_GRAD_DO_NOT_DETACH`), so that they have to be composed of candle's operations.
pub fn differentiable_gradients() -> bool {
    static ASKED_FOR: OnceLock<bool> = OnceLock::new();

    *ASKED_FOR.get_or_init(|| {
        // As candle reads it: this variable is candle's.
        std::env::var("CANDLE_GRAD_DO_NOT_DETACH").is_ok_and(|value| !value.is_empty() && value != "0")
    })
}
