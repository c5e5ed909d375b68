//! Convolutions with all that candle's own calls cannot say: groups in one launch.

use candle_core::Layout;

use crate::Result;
use crate::atomic_enum::Enumerated;
use crate::ops::conv::Problem;

/// What a convolution's operands do not say. One number serves both dimensions of an image.
///
/// The operands' ranks say whether images have one dimension or two: input `[batch, c_in, (height,) width]`, kernel
/// `[c_out, c_in / groups, (height,) width]`, or `[c_in, c_out / groups, (height,) width]` if it is transposed.
///
/// ```
/// let depthwise = candle_rocm::Convolution { groups: 64, padding: 1, ..Default::default() };
/// assert_eq!((depthwise.stride, depthwise.dilation, depthwise.transposed), (1, 1, false));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Convolution {
    /// Zeros around the input.
    pub padding: usize,
    /// How far the kernel moves from output to output.
    pub stride: usize,
    /// How far apart the inputs of a kernel's neighbouring weights are.
    pub dilation: usize,
    /// Parts of the channels that have nothing to do with each other.
    pub groups: usize,
    /// Whether this is the gradient of a convolution with respect to its input ("transposed convolution").
    pub transposed: bool,
    /// Of a transposed convolution: how much larger the output is than it must be.
    pub output_padding: usize,
}

impl Default for Convolution {
    fn default() -> Self {
        Self { padding: 0, stride: 1, dilation: 1, groups: 1, transposed: false, output_padding: 0 }
    }
}

impl Convolution {
    /// The dims of the output.
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

/// What computes convolutions and pools on a device; see [`RocmDevice::set_conv_engine`](crate::RocmDevice::set_conv_engine).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ConvEngine {
    /// Kernels of one tap are matrix products; depthwise convolutions, integers and pools go to this crate's kernels. Of
    /// large convolutions of floats, all that follow here are timed, once for each problem, and the fastest one stays: two
    /// runs of a program may round differently. Small ones, and all on a
    /// [deterministic](crate::RocmDevice::set_deterministic) device, go to MIOpen where there is one and it takes the
    /// problem, else half types become matrix products.
    #[default]
    Auto,
    /// MIOpen for whatever it knows, pools included, by its own first guess; the rest as in [`ConvEngine::Auto`].
    Miopen,
    /// The input's patches written out as columns, times the kernel: for all convolutions.
    Gemm,
    /// This crate's kernels only.
    Direct,
}

impl Enumerated for ConvEngine {
    const ALL: &'static [Self] = &[Self::Auto, Self::Miopen, Self::Gemm, Self::Direct];
}
