//! Gradients of the operations that have kernels of their own: by the backend's kernels, else of the same operation composed of
//! candle's.

use candle::rocm::{offer_backward, FusedOp};
use candle::{DType, Result, Tensor, Var, D};

/// Half types are computed with in f32, as in forward passes.
pub(crate) fn wide(x: &Tensor) -> Result<Tensor> {
    match x.dtype() {
        DType::F16 | DType::BF16 => x.to_dtype(DType::F32),
        _ => Ok(x.clone()),
    }
}

/// Of `x` with `y = sigmoid(x)`, if the backend has it.
pub(crate) fn sigmoid(x: &Tensor, y: &Tensor, dy: &Tensor) -> Result<Option<Tensor>> {
    Ok(offer_backward(&FusedOp::Sigmoid, &[x], y, dy)?.and_then(|gradients| gradients.into_iter().next().flatten()))
}

/// Of `x` with `y = softmax_last_dim(x)`.
pub(crate) fn softmax(x: &Tensor, y: &Tensor, dy: &Tensor) -> Result<Option<Tensor>> {
    if let Some(gradients) = offer_backward(&FusedOp::SoftmaxLastDim, &[x], y, dy)? {
        return Ok(gradients.into_iter().next().flatten());
    }
    let (y, dy) = (wide(y)?, wide(dy)?);
    let sum = (&dy * &y)?.sum_keepdim(D::Minus1)?;
    (dy.broadcast_sub(&sum)? * y)?.to_dtype(x.dtype()).map(Some)
}

/// Of the operands with `track_op()`: by the backend, else through `composed`, which computes the same.
pub(crate) fn of<const N: usize>(
    op: &FusedOp<'_>,
    args: [&Tensor; N],
    y: &Tensor,
    dy: &Tensor,
    composed: impl FnOnce(&[Tensor; N]) -> Result<Tensor>,
) -> Result<[Option<Tensor>; N]> {
    let gradients = match offer_backward(op, &args, y, dy)? {
        Some(gradients) => gradients,
        None => through(args, dy, composed)?,
    };
    let mut gradients = gradients.into_iter();
    Ok(std::array::from_fn(|_| gradients.next().flatten()))
}

/// The gradients that candle finds through `composed`.
fn through<const N: usize>(
    args: [&Tensor; N],
    dy: &Tensor,
    composed: impl FnOnce(&[Tensor; N]) -> Result<Tensor>,
) -> Result<Vec<Option<Tensor>>> {
    let mut leaves = args.map(Tensor::detach);
    for (leaf, arg) in leaves.iter_mut().zip(args) {
        if arg.track_op() {
            *leaf = Var::from_tensor(leaf)?.into_inner();
        }
    }
    let mut gradients = (composed(&leaves)? * dy)?.sum_all()?.backward()?;
    let gradient = |(leaf, arg): (&Tensor, &Tensor)| match (arg.track_op(), gradients.remove(leaf)) {
        (false, _) => Ok(None),
        (true, Some(gradient)) => Ok(Some(gradient)),
        (true, None) => arg.zeros_like().map(Some),
    };
    leaves.iter().zip(args).map(gradient).collect()
}
