//! Convolutions with all that candle's own calls cannot say, groups in one launch; pools; images of another size.

mod algorithm;
mod candidates;
mod convolve;
mod direct;
mod engine;
mod im2col;
#[cfg(feature = "miopen")]
pub(crate) mod miopen;
pub(crate) mod pool;
mod problem;
pub(crate) mod upsample;
pub(crate) mod windows;

use candle_core::Layout;

use crate::Result;
pub use engine::ConvEngine;
use problem::Problem;

/// The parameters of a convolution. Each applies to both dimensions of an image.
///
/// The ranks of the operands tell 1-D from 2-D: input `[batch, c_in, (height,) width]`, kernel
/// `[c_out, c_in / groups, (height,) width]`, or `[c_in, c_out / groups, (height,) width]` if transposed.
///
/// ```
/// let depthwise = candle_rocm::Convolution { groups: 64, padding: 1, ..Default::default() };
/// assert_eq!((depthwise.stride, depthwise.dilation, depthwise.transposed), (1, 1, false));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Convolution {
    /// Zeros added on each side of the input.
    pub padding: usize,
    /// Step of the kernel between outputs.
    pub stride: usize,
    /// Step of the input between neighbouring weights.
    pub dilation: usize,
    /// Number of independent groups of channels.
    pub groups: usize,
    /// Whether this is a transposed convolution: the gradient of a convolution with respect to its input.
    pub transposed: bool,
    /// Transposed convolutions only: additional size of the output.
    pub output_padding: usize,
}

impl Default for Convolution {
    fn default() -> Self {
        Self { padding: 0, stride: 1, dilation: 1, groups: 1, transposed: false, output_padding: 0 }
    }
}

impl Convolution {
    /// The shape of the output.
    ///
    /// # Errors
    /// [`RocmError`](crate::RocmError) if the shapes do not fit each other, or there is no output.
    ///
    /// ```
    /// let strided = candle_rocm::Convolution { stride: 2, padding: 1, ..Default::default() };
    /// assert_eq!(strided.output_dims(&[1, 3, 8, 8], &[16, 3, 3, 3])?, [1, 16, 4, 4]);
    /// # Ok::<(), candle_rocm::RocmError>(())
    /// ```
    pub fn output_dims(&self, input: &[usize], kernel: &[usize]) -> Result<Vec<usize>> {
        let (x, w) = (Layout::contiguous(input), Layout::contiguous(kernel));
        let problem = Problem::new(self.op(input.len()), self, (&x, usize::MAX), (&w, usize::MAX))?;
        let mut dims = vec![problem.batch, problem.groups * problem.c_out];
        if input.len() == 4 {
            dims.push(problem.y.output);
        }
        dims.push(problem.x.output);
        Ok(dims)
    }

    /// candle's name for it.
    pub(crate) fn op(&self, rank: usize) -> &'static str {
        match (rank, self.transposed) {
            (3, false) => "conv1d",
            (3, true) => "conv_transpose1d",
            (_, false) => "conv2d",
            (_, true) => "conv_transpose2d",
        }
    }
}

#[cfg(candle_rocm_seam)]
mod fused {
    use candle_core::{Result, Shape, rocm};

    use super::Convolution;
    use crate::RocmStorage;
    use crate::common::fused::Fused;
    use crate::common::operand::Operand;

    impl Fused for Convolution {
        fn forward(&self, args: &[Operand<'_>]) -> Result<Option<(RocmStorage, Shape)>> {
            let &[(x, x_l), kernel] = args else { return Ok(None) };
            let dims = self.output_dims(x_l.dims(), kernel.1.dims())?;
            Ok(Some((x.convolve(x_l, kernel, self)?, Shape::from(dims))))
        }
    }

    impl From<rocm::Convolution> for Convolution {
        fn from(p: rocm::Convolution) -> Self {
            Self {
                padding: p.padding,
                stride: p.stride,
                dilation: p.dilation,
                groups: p.groups,
                transposed: p.transposed,
                output_padding: p.output_padding,
            }
        }
    }
}
