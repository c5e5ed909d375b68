//! candle's convolution parameters are private to it: a backend in another crate gets this copy, which has room for groups.

use super::{offer, offer_with_gradient, FusedOp, Gradient};
use crate::conv::{ParamsConv1D, ParamsConv2D, ParamsConvTranspose1D, ParamsConvTranspose2D};
use crate::{Error, Result, Tensor};

/// A convolution with groups, as one operation ([`FusedOp::Convolution`]). Everything else follows from the shapes of its operands: candle
/// splits the input's channels and the kernel's first dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Convolution {
    /// Zeros added on each side of the input.
    pub padding: usize,
    /// Stride of the kernel between outputs.
    pub stride: usize,
    /// Stride of the input between adjacent weights of the kernel.
    pub dilation: usize,
    /// The number of independent groups of channels.
    pub groups: usize,
    /// Whether this is a transposed convolution.
    pub transposed: bool,
    /// Additional size of the output. For transposed convolutions only.
    pub output_padding: usize,
}

/// All groups at once, if that is on a ROCm device whose backend does so; candle computes one group after the other.
pub(crate) fn grouped<P>(x: &Tensor, kernel: &Tensor, params: &P, groups: usize) -> Result<Option<Tensor>>
where
    for<'a> Convolution: From<&'a P>,
{
    let convolution = Convolution { groups, ..Convolution::from(params) };
    offer_with_gradient(&FusedOp::Convolution(convolution), &[x, kernel], convolution)
}

impl Gradient for Convolution {
    fn backward(&self, args: &[Tensor], _result: &Tensor, grad: &Tensor) -> Result<Vec<Option<Tensor>>> {
        let [x, kernel] = args else {
            crate::bail!("a convolution has two operands, given {}", args.len())
        };
        let of_x = || self.input_gradient(x, kernel, grad);
        let of_kernel = || self.kernel_gradient(x, kernel, grad);
        Ok(vec![x.track_op().then(of_x).transpose()?, kernel.track_op().then(of_kernel).transpose()?])
    }
}

impl Convolution {
    /// The other kind of convolution of the result's gradient, with the same kernel.
    fn input_gradient(&self, x: &Tensor, kernel: &Tensor, grad: &Tensor) -> Result<Tensor> {
        let left = |dim: usize| {
            // Of the padded input, what is beyond the last place of the kernel.
            let reach = self.dilation * (kernel.dims()[dim] - 1) + 1;
            (x.dims()[dim] + 2 * self.padding - reach) % self.stride
        };
        // One number serves all dimensions: what is too much is cut off.
        let output_padding = if self.transposed { 0 } else { (2..x.rank()).map(left).max().unwrap_or(0) };
        let inverse = Self { transposed: !self.transposed, output_padding, ..*self };
        first_of_each(&inverse.apply(grad, kernel)?, x)
    }

    /// Each group's correlation of the input with the result's gradient, channel by channel, in one convolution: the images of a
    /// batch are its input channels, and the gradient's pixels its taps. Of a transposed convolution, the two change places.
    fn kernel_gradient(&self, x: &Tensor, kernel: &Tensor, grad: &Tensor) -> Result<Tensor> {
        let (image, taps) = if self.transposed { (grad, x) } else { (x, grad) };
        let (batch, channels) = (image.dim(0)?, image.dim(1)? / self.groups);
        let (pixels, all) = (&image.dims()[2..], self.groups * batch);
        // [batch, groups, channels, ..] to [channels, groups, batch, ..].
        let image = image.reshape([&[batch, self.groups, channels], pixels].concat())?.transpose(0, 2)?;
        let image = image.reshape([&[channels, all], pixels].concat())?;
        let correlation =
            Self { stride: self.dilation, dilation: self.stride, transposed: false, output_padding: 0, ..*self };
        first_of_each(&correlation.apply(&image, &taps.transpose(0, 1)?)?.transpose(0, 1)?, kernel)
    }

    fn apply(&self, x: &Tensor, kernel: &Tensor) -> Result<Tensor> {
        let result = offer(&FusedOp::Convolution(*self), &[x, kernel])?;
        result.ok_or_else(|| Error::BackwardNotSupported { op: "convolution with groups" }.bt())
    }
}

/// Of each dimension as many as `like` has.
fn first_of_each(x: &Tensor, like: &Tensor) -> Result<Tensor> {
    like.dims().iter().enumerate().try_fold(x.clone(), |x, (dim, &len)| x.narrow(dim, 0, len))
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
