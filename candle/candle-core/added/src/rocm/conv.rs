//! candle's convolution parameters are private to it: a backend in another crate gets this copy, which has room for groups.

use super::{offer, FusedOp};
use crate::conv::{ParamsConv1D, ParamsConv2D, ParamsConvTranspose1D, ParamsConvTranspose2D};
use crate::{Result, Tensor};

/// A convolution in groups of channels, as one operation ([`FusedOp::Convolution`]). The shapes of its operands say the rest:
/// candle splits the input's channels and the kernel's first dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Convolution {
    /// Zeros around the input.
    pub padding: usize,
    /// How far the kernel moves from output to output.
    pub stride: usize,
    /// How far apart the inputs of neighbouring weights are.
    pub dilation: usize,
    /// How many parts channels have.
    pub groups: usize,
    /// Whether it is the transposed one.
    pub transposed: bool,
    /// Of a transposed one: how much larger the output is than it must be.
    pub output_padding: usize,
}

/// All groups at once, if that is on a ROCm device whose backend does so, and if no gradient is asked for: candle's
/// gradients know of convolutions without groups only, which is what it makes of this otherwise.
pub(crate) fn grouped<P>(x: &Tensor, kernel: &Tensor, params: &P, groups: usize) -> Result<Option<Tensor>>
where
    for<'a> Convolution: From<&'a P>,
{
    if x.track_op() || kernel.track_op() {
        return Ok(None);
    }
    let convolution = Convolution { groups, ..Convolution::from(params) };
    offer(&FusedOp::Convolution(convolution), &[x, kernel])
}

macro_rules! ungrouped {
    ($($params:ident, $transposed:literal, $p:ident => $output_padding:expr;)*) => {$(
        impl From<&$params> for Convolution {
            fn from($p: &$params) -> Self {
                Self {
                    padding: $p.padding,
                    stride: $p.stride,
                    dilation: $p.dilation,
                    groups: 1,
                    transposed: $transposed,
                    output_padding: $output_padding,
                }
            }
        }
    )*};
}

ungrouped! {
    ParamsConv1D, false, p => 0;
    ParamsConv2D, false, p => 0;
    ParamsConvTranspose1D, true, p => p.output_padding;
    ParamsConvTranspose2D, true, p => p.output_padding;
}
