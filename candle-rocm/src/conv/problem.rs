//! What is to be computed, checked: the sizes of a convolution, 1-D ones as images of height 1.

use candle_core::Layout;

use super::Convolution;
use crate::common::plan::check_bounds;
use crate::count::{elem_count, product, saturating};
use crate::{Result, RocmError};

/// Sizes and coordinates of images must fit in the kernels' 32-bit signed integers.
const MOST: usize = i32::MAX as usize;

/// One dimension of the images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Axis {
    pub(crate) input: usize,
    pub(crate) output: usize,
    pub(crate) taps: usize,
    pub(crate) stride: usize,
    pub(crate) padding: usize,
    pub(crate) dilation: usize,
    pub(crate) output_padding: usize,
}

impl Axis {
    /// The height of images that have none.
    const FLAT: Self =
        Self { input: 1, output: 1, taps: 1, stride: 1, padding: 0, dilation: 1, output_padding: 0 };

    /// `None` if there is no output, or one that is too large.
    fn new(input: usize, taps: usize, p: &Convolution) -> Option<Self> {
        let reach = taps.checked_sub(1)?.checked_mul(p.dilation)?;
        let padding = p.padding.checked_mul(2)?;
        let output = if p.transposed {
            let end = input.checked_sub(1)?.checked_mul(p.stride)?.checked_add(reach)?;
            end.checked_add(p.output_padding)?.checked_add(1)?.checked_sub(padding)?
        } else {
            input.checked_add(padding)?.checked_sub(reach)?.checked_sub(1)? / p.stride + 1
        };
        // The farthest that kernels count.
        let far = input.max(output).checked_mul(p.stride)?.checked_add(padding)?.checked_add(reach)?;
        (far <= MOST).then_some(Self {
            input,
            output,
            taps,
            stride: p.stride,
            padding: p.padding,
            dilation: p.dilation,
            output_padding: p.output_padding,
        })
    }
}

/// A convolution. Channels are counted within a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Problem {
    pub(crate) op: &'static str,
    pub(crate) transposed: bool,
    pub(crate) batch: usize,
    pub(crate) groups: usize,
    pub(crate) c_in: usize,
    pub(crate) c_out: usize,
    pub(crate) y: Axis,
    pub(crate) x: Axis,
}

impl Problem {
    /// For operands in storages of so many elements.
    pub(crate) fn new(
        op: &'static str,
        p: &Convolution,
        (x_l, x_len): (&Layout, usize),
        (w_l, w_len): (&Layout, usize),
    ) -> Result<Self> {
        check_bounds(op, x_l, x_len)?;
        check_bounds(op, w_l, w_len)?;
        let (x, w) = (x_l.dims(), w_l.dims());
        let mismatch = || RocmError::ShapeMismatch { op, lhs: x.to_vec(), rhs: w.to_vec() };
        let wrong = |message: String| RocmError::InvalidArgument { op, message };
        if x.len() != w.len() || !(3..=4).contains(&x.len()) {
            return Err(mismatch());
        }
        if p.stride == 0 || p.dilation == 0 || p.groups == 0 {
            return Err(wrong(format!("stride, dilation and groups must be at least 1, got {p:?}")));
        }
        let (channels, c_in, c_out) = if p.transposed {
            (w[0], w[0] / p.groups, w[1])
        } else {
            (w[1].saturating_mul(p.groups), w[1], w[0] / p.groups)
        };
        if x[1] != channels || w[0] % p.groups != 0 {
            return Err(mismatch());
        }
        let axis = |dim: usize| {
            Axis::new(x[dim], w[dim], p).ok_or_else(|| {
                wrong(format!(
                    "an input of {} and a kernel of {} have no output, or one beyond 2^31, with {p:?}",
                    x[dim], w[dim]
                ))
            })
        };
        let last = x.len() - 1;
        let y = if last == 3 { axis(2)? } else { Axis::FLAT };
        let problem = Self {
            op,
            transposed: p.transposed,
            batch: x[0],
            groups: p.groups,
            c_in,
            c_out,
            y,
            x: axis(last)?,
        };
        if product(&[x[0], p.groups, c_in.max(c_out)]).is_none_or(|planes| planes > MOST) {
            return Err(wrong(format!("{x:?} and {w:?} have more than 2^31 images of one channel")));
        }
        elem_count(op, &problem.output_dims())?;
        Ok(problem)
    }

    /// Pixels of an output image.
    pub(crate) fn pixels(&self) -> usize {
        self.y.output * self.x.output
    }

    /// Whether the elements of the matrices that im2col and col2im make can be counted.
    pub(crate) fn has_countable_matrices(&self) -> bool {
        let pixels = self.pixels().max(self.y.input * self.x.input);
        product(&[self.groups, self.c_in.max(self.c_out), self.y.taps, self.x.taps, pixels]).is_some()
    }

    /// As `[batch, channel, y, x]`.
    fn output_dims(&self) -> [usize; 4] {
        [self.batch, self.groups * self.c_out, self.y.output, self.x.output]
    }

    /// Elements of the output.
    pub(crate) fn outputs(&self) -> usize {
        saturating(&self.output_dims())
    }

    /// Whether each input channel is a group.
    pub(crate) fn is_depthwise(&self) -> bool {
        self.groups > 1 && self.c_in == 1
    }
}

/// Steps in the order `[batch or channel, channel, y, x]`, y being 0 where there is none.
pub(crate) fn steps(layout: &Layout) -> [usize; 4] {
    match *layout.stride() {
        [a, b, y, x] => [a, b, y, x],
        [a, b, x] => [a, b, 0, x],
        _ => [0; 4],
    }
}
