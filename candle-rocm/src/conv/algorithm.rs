//! Which algorithm computes a convolution.
//!
//! What is obvious goes by rule. For a large problem algorithms [take turns](super::candidates) until the fastest is known: that
//! depends on sizes, card and library versions, and a wrong guess can cost several times the convolution.

use candle_core::DType;

use super::ConvEngine;
use super::im2col;
#[cfg(feature = "miopen")]
use super::miopen::ALGORITHMS;
use super::problem::{Axis, Problem};
use crate::RocmDevice;
use crate::count::saturating;
use crate::dtype::DTypeExt;

/// Multiply-adds from which on algorithms are timed. Below, a launch takes as long as the computation.
pub(super) const LARGE: usize = 1 << 26;

/// How a convolution is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// MIOpen's algorithm of that rank, the best first.
    #[cfg(feature = "miopen")]
    Miopen(usize),
    /// The input's patches written out as a matrix (im2col), times the kernel.
    Im2col,
    /// Kernels that read the input in place.
    Direct,
}

impl Algorithm {
    /// Whether it is one of those that take turns.
    #[cfg_attr(
        not(feature = "miopen"),
        expect(unused_variables, reason = "the other algorithms are the same everywhere")
    )]
    pub(super) fn is_timed(self, device: &RocmDevice) -> bool {
        match self {
            #[cfg(feature = "miopen")]
            Self::Miopen(rank) => rank < if device.miopen_ranks_by_rule() { ALGORITHMS } else { 1 },
            Self::Im2col | Self::Direct => true,
        }
    }
}

impl Problem {
    /// Whether the algorithm takes this problem. MIOpen may still refuse.
    pub(super) fn has(&self, algorithm: Algorithm, dtype: DType) -> bool {
        match algorithm {
            #[cfg(feature = "miopen")]
            Algorithm::Miopen(_) => dtype.is_16_or_32_bit_float() && self.c_in > 0,
            Algorithm::Im2col => im2col::serves(self, dtype),
            Algorithm::Direct => true,
        }
    }

    /// Whether the algorithm is chosen by timing.
    pub(super) fn is_measured(&self, dtype: DType, engine: ConvEngine) -> bool {
        let floats = dtype.is_16_to_64_bit_float();
        let known = self.is_pointwise() || self.is_depthwise() && !self.transposed;
        engine == ConvEngine::Auto && floats && !known && self.sums() >= LARGE
    }

    /// The algorithm without timing, and what follows if it refuses.
    pub(super) fn algorithms(&self, dtype: DType, engine: ConvEngine) -> [Algorithm; 2] {
        // im2col costs memory and time, which pays where products run on matrix cores, as those of half types do. Otherwise
        // tiles are as fast, or there are too few channels for either.
        let half = dtype.is_half();
        let own = match self.has(Algorithm::Im2col, dtype) {
            true if self.is_pointwise() && dtype.is_float() => Algorithm::Im2col,
            true if half && self.c_in >= 8 && self.c_out >= 8 => Algorithm::Im2col,
            _ => Algorithm::Direct,
        };
        let first = match engine {
            ConvEngine::Kernels => return [Algorithm::Direct; 2],
            ConvEngine::Im2col if self.has(Algorithm::Im2col, dtype) => return [Algorithm::Im2col; 2],
            ConvEngine::Im2col => return [Algorithm::Direct; 2],
            // The input is the matrix already: nothing is faster than its product.
            ConvEngine::Auto if self.is_pointwise() && own == Algorithm::Im2col => own,
            // Bound by memory: a kernel without preparations is as fast as any.
            ConvEngine::Auto if self.is_depthwise() && !self.transposed => own,
            #[cfg(feature = "miopen")]
            _ if self.has(Algorithm::Miopen(0), dtype) => Algorithm::Miopen(0),
            _ => own,
        };
        [first, own]
    }

    /// Whether the kernel has one tap, which goes over the input pixel by pixel, and mixes channels.
    pub(super) fn is_pointwise(&self) -> bool {
        let plain = |axis: &Axis| axis.taps == 1 && axis.stride == 1 && axis.padding == 0;
        !self.transposed && !self.is_depthwise() && plain(&self.y) && plain(&self.x)
    }

    /// Multiply-adds.
    fn sums(&self) -> usize {
        let pixels = if self.transposed { self.y.input * self.x.input } else { self.pixels() };
        let Self { batch, groups, c_in, c_out, y, x, .. } = *self;
        saturating(&[groups, c_out, c_in, y.taps, x.taps, batch, pixels])
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Layout;

    use super::*;
    use crate::Convolution;

    fn problem(x: &[usize], w: &[usize], p: Convolution) -> Problem {
        let layouts = (Layout::contiguous(x), Layout::contiguous(w));
        Problem::new("conv", &p, (&layouts.0, usize::MAX), (&layouts.1, usize::MAX)).unwrap()
    }

    fn first(problem: &Problem, dtype: DType, engine: ConvEngine) -> Algorithm {
        problem.algorithms(dtype, engine)[0]
    }

    #[test]
    fn pixel_by_pixel_is_a_product() {
        let plain = Convolution::default();
        for (x, w) in [([8, 64, 56, 56], [256, 64, 1, 1]), ([1, 3, 8, 8], [2, 3, 1, 1])] {
            let problem = problem(&x, &w, plain);
            for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
                assert_eq!(first(&problem, dtype, ConvEngine::Auto), Algorithm::Im2col, "{x:?} {dtype:?}");
                assert_eq!(first(&problem, dtype, ConvEngine::Kernels), Algorithm::Direct);
                assert!(!problem.is_measured(dtype, ConvEngine::Auto));
            }
            assert_eq!(first(&problem, DType::U8, ConvEngine::Auto), Algorithm::Direct);
        }
        let strided = problem(&[8, 64, 56, 56], &[256, 64, 1, 1], Convolution { stride: 2, ..plain });
        let scaled = problem(&[8, 64, 56, 56], &[64, 1, 1, 1], Convolution { groups: 64, ..plain });
        assert!(!strided.is_pointwise() && !scaled.is_pointwise());
        assert_eq!(first(&scaled, DType::F32, ConvEngine::Auto), Algorithm::Direct);
    }

    #[test]
    fn large_problems_are_measured() {
        let padded = Convolution { padding: 1, ..Convolution::default() };
        let large = problem(&[8, 64, 56, 56], &[64, 64, 3, 3], padded);
        let small = problem(&[1, 8, 28, 28], &[16, 8, 3, 3], padded);
        let depthwise = problem(&[64, 512, 56, 56], &[512, 1, 3, 3], Convolution { groups: 512, ..padded });
        assert_eq!(large.sums(), 8 * 64 * 64 * 9 * 56 * 56);
        assert!(large.is_measured(DType::F32, ConvEngine::Auto));
        assert!(!large.is_measured(DType::F32, ConvEngine::Im2col));
        assert!(!large.is_measured(DType::U32, ConvEngine::Auto));
        assert!(!small.is_measured(DType::F32, ConvEngine::Auto));
        assert!(depthwise.sums() > LARGE && !depthwise.is_measured(DType::F32, ConvEngine::Auto));
        let own = if cfg!(feature = "miopen") { None } else { Some(Algorithm::Direct) };
        assert!(own.is_none_or(|own| first(&small, DType::F32, ConvEngine::Auto) == own));
        // Each algorithm of an upsampling one is there, and those of f64 but MIOpen's.
        let transposed = Convolution { transposed: true, stride: 2, ..Convolution::default() };
        let transposed = problem(&[8, 256, 4096], &[256, 256, 3], transposed);
        for dtype in [DType::F32, DType::F64] {
            assert!([Algorithm::Im2col, Algorithm::Direct].iter().all(|&own| transposed.has(own, dtype)));
        }
        #[cfg(feature = "miopen")]
        assert!((0..ALGORITHMS).all(|rank| transposed.has(Algorithm::Miopen(rank), DType::F32)));
    }
}
