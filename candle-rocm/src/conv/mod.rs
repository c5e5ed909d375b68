//! Convolutions with all that candle's own calls cannot say, groups in one launch; pools; images of another size.

mod algorithm;
pub(crate) mod candidates;
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

use std::path::PathBuf;

use candle_core::{DType, Layout};

use crate::common::operand::Operand;
use crate::common::operation::{Described, Op, operands};
use crate::{GemmEngine, Result, RocmDevice, RocmStorageSlice};
pub use engine::ConvEngine;
use problem::Problem;

/// The file of the device's MIOpen, or why there is none.
pub(crate) fn miopen_library(device: &RocmDevice) -> std::result::Result<PathBuf, String> {
    engine::Engines::miopen_library(device)
}

/// The parameters of a convolution. Each applies to both dimensions of an image.
///
/// The ranks of the operands distinguish 1-D from 2-D: the input is `[batch, c_in, (height,) width]`, the kernel `[c_out, c_in / groups,
/// (height,) width]`, or `[c_in, c_out / groups, (height,) width]` if transposed.
///
/// ```
/// let depthwise = candle_rocm::Convolution { groups: 64, padding: 1, ..Default::default() };
/// assert_eq!((depthwise.stride, depthwise.dilation, depthwise.transposed), (1, 1, false));
/// ```
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
    /// Whether this is a transposed convolution: the gradient of a convolution with respect to its input.
    pub transposed: bool,
    /// Additional size of the output. For transposed convolutions only.
    pub output_padding: usize,
}

impl Default for Convolution {
    fn default() -> Self {
        Self { padding: 0, stride: 1, dilation: 1, groups: 1, transposed: false, output_padding: 0 }
    }
}

impl Convolution {
    /// Computes the shape of the output.
    ///
    /// # Errors
    /// [`RocmError`](crate::RocmError) if the shapes do not match, or the output would be empty.
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

operands! {
    /// An input and a kernel.
    Convolved { x, kernel }
}

/// A convolution by candle's name for it.
#[derive(Clone, Copy)]
pub(crate) struct Convolve {
    op: &'static str,
    params: Convolution,
}

impl Convolve {
    /// Of inputs of so many dimensions.
    #[cfg_attr(not(candle_rocm_seam), allow(dead_code, reason = "stock candle hides the parameters"))]
    pub(crate) fn new(params: Convolution, rank: usize) -> Self {
        Self { op: params.op(rank), params }
    }
}

impl Op for Convolve {
    type Operands<T> = Convolved<T>;

    fn name(&self) -> &'static str {
        self.op
    }

    fn key(&self, words: &mut Vec<u64>) {
        let Convolution { padding, stride, dilation, groups, transposed, output_padding } = self.params;
        words.extend([padding, stride, dilation, groups, output_padding].map(|size| size as u64));
        words.push(transposed.into());
    }

    fn result(&self, device: &RocmDevice, operands: Convolved<Described<'_>>) -> Option<(usize, DType)> {
        let Convolved { x, kernel } = operands;
        // Who insists on a library gets it, or an error.
        let free = device.conv_engine() != ConvEngine::Miopen && device.gemm_engine() != GemmEngine::Rocblas;
        let problem =
            Problem::new(self.op, &self.params, (x.layout, x.buffer_len), (kernel.layout, kernel.buffer_len));
        let problem = problem.ok().filter(Problem::has_countable_matrices)?;
        (free && kernel.dtype == x.dtype).then(|| (problem.outputs(), x.dtype))
    }

    fn run(&self, _: &RocmDevice, operands: Convolved<Operand<'_>>) -> candle_core::Result<RocmStorageSlice> {
        let Convolved { x: (x, layout), kernel } = operands;
        Ok(x.convolve_as(self.op, layout, kernel, &self.params)?.into_slice()?)
    }
}

#[cfg(candle_rocm_seam)]
mod fused {
    use candle_core::{Shape, rocm};

    use super::{Convolution, Convolve, Convolved};
    use crate::common::fused::Fused;
    use crate::common::operand::Operand;

    impl Fused for Convolve {
        fn shape(&self, Convolved { x, kernel }: &Convolved<Operand<'_>>) -> Shape {
            // It was not refused, so it has one.
            Shape::from(self.params.output_dims(x.1.dims(), kernel.1.dims()).unwrap_or_default())
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
