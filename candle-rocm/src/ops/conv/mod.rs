//! Convolutions, and who computes them; this crate's own kernels are in `conv.hip`.

mod direct;
mod gemm;
mod problem;

use candle_core::{DType, Layout};

use super::copy;
use super::map::Map2;
use crate::conv::{ConvEngine, Convolution};
use crate::hip::Buffer;
use crate::{Result, RocmDType, RocmDevice, RocmStorageSlice};
pub(crate) use direct::one_each;
pub(crate) use problem::{Axis, Problem};

/// A convolution of any kind; `op` is its name for errors.
pub(crate) fn convolve(
    device: &RocmDevice,
    op: &'static str,
    p: &Convolution,
    (x, x_l): (&RocmStorageSlice, &Layout),
    (w, w_l): (&RocmStorageSlice, &Layout),
) -> Result<RocmStorageSlice> {
    let problem = Problem::new(op, p, (x_l, x.len()), (w_l, w.len()))?;
    problem.map(device, (x, x_l), (w, w_l))
}

impl Map2 for Problem {
    fn op(&self) -> &'static str {
        self.op
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        (x, x_l): (&Buffer<T>, &Layout),
        (w, w_l): (&Buffer<T>, &Layout),
    ) -> Result<Buffer<T>> {
        let mut out = device.alloc::<T>(self.outputs())?;
        if out.is_empty() {
            return Ok(out);
        }
        let engine = device.conv_engine();
        #[cfg(feature = "miopen")]
        if self.suits_miopen::<T>(engine) && by_miopen(device, self, (x, x_l), (w, w_l), &out)? {
            return Ok(out);
        }
        if self.suits_gemm::<T>(engine) {
            gemm::convolve(device, self, (x, x_l), (w, w_l), &mut out)?;
        } else {
            direct::convolve(device, self, (x, x_l), (w, w_l), &mut out)?;
        }
        Ok(out)
    }
}

impl Problem {
    /// Whether this is to be matrix products.
    fn suits_gemm<T: RocmDType>(&self, engine: ConvEngine) -> bool {
        let served = gemm::serves(self, T::DTYPE);
        match engine {
            ConvEngine::Gemm => served,
            ConvEngine::Direct => false,
            // Columns take memory and time; that pays where products run on matrix units, as those of half types do, and
            // where the input itself is the columns. Else tiles are as fast, or there are too few channels for either.
            ConvEngine::Auto | ConvEngine::Miopen => {
                let half = matches!(T::DTYPE, DType::F16 | DType::BF16);
                let pointwise = T::DTYPE.is_float() && self.is_pointwise();
                served && (half || pointwise) && self.c_in >= 8 && self.c_out >= 8
            }
        }
    }

    /// Whether the kernel has one tap, which goes over the input pixel by pixel.
    fn is_pointwise(&self) -> bool {
        let plain = |axis: &Axis| axis.taps == 1 && axis.stride == 1 && axis.padding == 0;
        !self.transposed && plain(&self.y) && plain(&self.x)
    }

    /// Whether MIOpen is to be asked.
    #[cfg(feature = "miopen")]
    fn suits_miopen<T: RocmDType>(&self, engine: ConvEngine) -> bool {
        let known = matches!(T::DTYPE, DType::F32 | DType::F16 | DType::BF16) && self.c_in > 0;
        match engine {
            // What moves more than it computes is moved as fast by a kernel that needs no preparations.
            ConvEngine::Auto => known && (self.transposed || !self.is_depthwise()),
            ConvEngine::Miopen => known,
            ConvEngine::Gemm | ConvEngine::Direct => false,
        }
    }
}

/// Whether MIOpen wrote `out`. It is given contiguous operands: for others it has but its slowest kernels.
#[cfg(feature = "miopen")]
fn by_miopen<T: RocmDType>(
    device: &RocmDevice,
    p: &Problem,
    x: (&Buffer<T>, &Layout),
    w: (&Buffer<T>, &Layout),
    out: &Buffer<T>,
) -> Result<bool> {
    let (x_copy, w_copy) = (contiguous(device, x)?, contiguous(device, w)?);
    let start = |(buffer, layout): (&Buffer<T>, &Layout), copy: &Option<Buffer<T>>| match copy {
        Some(copy) => copy.as_ptr(),
        None => buffer.as_ptr().byte_add(layout.start_offset() * size_of::<T>()),
    };
    let pointers = [start(x, &x_copy), start(w, &w_copy), out.as_ptr()];
    device.miopen().convolve(device, p, T::DTYPE, pointers)
}

/// A copy, unless the operand is contiguous.
fn contiguous<T: RocmDType>(
    device: &RocmDevice,
    (buffer, layout): (&Buffer<T>, &Layout),
) -> Result<Option<Buffer<T>>> {
    if layout.is_contiguous() {
        return Ok(None);
    }
    let mut copy = device.alloc::<T>(layout.shape().elem_count())?;
    copy::copy_strided(device, (buffer, layout), &mut copy, 0)?;
    Ok(Some(copy))
}
