//! Gradients of rotary embeddings: the gradient of the input is turned back, on any device, by the operation itself.

use candle::{CustomOp3, DType, Result, Tensor, D};

/// Where the two elements of a pair are, and steps in time.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Arrangement {
    /// `[b, h, t, d]`, pairs are `d/2` apart.
    Rope,
    /// `[b, h, t, d]`, pairs are neighbours.
    RopeInterleaved,
    /// `[b, t, h, d]`, pairs are `d/2` apart.
    RopeThd,
}

/// Of `x, cos, sin`, of those with `track_op()`.
pub(crate) fn gradients<C: CustomOp3 + Clone + Send + Sync + 'static>(
    arrangement: Arrangement,
    op: &C,
    [x, cos, sin]: [&Tensor; 3],
    dy: &Tensor,
) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
    let dx = match x.track_op() {
        // With a gradient of its own, if `dy` has one.
        true => Some(dy.contiguous()?.apply_op3(&cos.contiguous()?, &sin.neg()?, op.clone())?),
        false => None,
    };
    if !cos.track_op() && !sin.track_op() {
        return Ok((dx, None, None));
    }
    let ((x0, x1), (dy0, dy1)) = (pairs(arrangement, x)?, pairs(arrangement, dy)?);
    let dcos = || of_angles(arrangement, &((&dy0 * &x0)? + (&dy1 * &x1)?)?, cos);
    let dsin = || of_angles(arrangement, &((&dy1 * &x0)? - (&dy0 * &x1)?)?, sin);
    Ok((dx, cos.track_op().then(dcos).transpose()?, sin.track_op().then(dsin).transpose()?))
}

/// The first and the second elements of all pairs, `[b, h, t, d/2]` or `[b, t, h, d/2]`, wide enough for sums.
fn pairs(arrangement: Arrangement, x: &Tensor) -> Result<(Tensor, Tensor)> {
    let x = match x.dtype() {
        DType::F16 | DType::BF16 => x.to_dtype(DType::F32)?,
        _ => x.clone(),
    };
    let half = x.dim(D::Minus1)? / 2;
    if arrangement == Arrangement::RopeInterleaved {
        let (b, h, t, _) = x.dims4()?;
        let x = x.reshape((b, h, t, half, 2))?;
        return Ok((x.narrow(D::Minus1, 0, 1)?.squeeze(D::Minus1)?, x.narrow(D::Minus1, 1, 1)?.squeeze(D::Minus1)?));
    }
    Ok((x.narrow(D::Minus1, 0, half)?, x.narrow(D::Minus1, half, half)?))
}

/// What all heads, and all batches that share angles, add to the angles' gradient. Steps that were not used get zeros.
fn of_angles(arrangement: Arrangement, products: &Tensor, angles: &Tensor) -> Result<Tensor> {
    let heads = if arrangement == Arrangement::RopeThd { 2 } else { 1 };
    let sums = products.sum(heads)?;
    let sums = if angles.rank() == 3 { sums } else { sums.sum(0)? };
    let (steps, used) = (angles.dim(D::Minus2)?, sums.dim(D::Minus2)?);
    sums.pad_with_zeros(D::Minus2, 0, steps - used)?.to_dtype(angles.dtype())
}
